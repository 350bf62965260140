// Asks a server of the Model Context Protocol through the SDK of the protocol: node mcp.mjs MODULES PROGRAM ARGUMENT... Standard input
// has a line of JSON for each call, {"name", "arguments"}; a line of JSON is printed for each answer. The SDK checks answers
// against the schema that the server publishes.
import {createRequire} from 'node:module';
import {createInterface} from 'node:readline';
import {pathToFileURL} from 'node:url';

const [modules, command, ...args] = process.argv.slice(2);
const need = createRequire(modules + '/');
const load = async path => import(pathToFileURL(need.resolve('@modelcontextprotocol/sdk/' + path)));
const {Client} = await load('client/index.js');
const {StdioClientTransport} = await load('client/stdio.js');
const client = new Client({name: 'check', version: '1'});
await client.connect(new StdioClientTransport({command, args}));
await client.listTools();
for await (const line of createInterface({input: process.stdin})) {
  const answer = await client.callTool(JSON.parse(line)).catch(error => ({failed: String(error)}));
  process.stdout.write(JSON.stringify(answer) + '\n');
}
await client.close();
