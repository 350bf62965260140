// Asks Perfetto's trace processor about a trace: node perfetto.mjs ASSETS TRACE SQL... Prints a line of JSON for each
// query: its rows as arrays of texts. TRACE may be @LIST, a file with the path of a trace a line: behind the rows of each stands
// a line with null, and where it cannot read one, null is the last line.
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import {pathToFileURL} from 'node:url';

const [assets, trace, ...queries] = process.argv.slice(2);
const place = name => path.resolve(assets, name);
const {EngineBase} = await import(pathToFileURL(place('engine.mjs')).href);

// The bundle is a web worker: it is given what it expects to find there, and the module's bytes instead of an address.
Object.assign(globalThis, {self: globalThis, WorkerGlobalScope: class {}, tkWasm: fs.readFileSync(place('trace_processor.wasm'))});
Object.defineProperty(globalThis, 'location', {value: {href: pathToFileURL(path.resolve(assets)).href + '/'}});
const patches = [
  ['this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;'],
  ['locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: globalThis.tkWasm,'],
  ['const wasmBridge = new wasm_bridge_1.WasmBridge();', 'const wasmBridge = globalThis.tkBridge = new wasm_bridge_1.WasmBridge();'],
];
let bundle = fs.readFileSync(place('engine_bundle.node.js'), 'utf8');
for (const [from, to] of patches) {
  if (!bundle.includes(from)) throw new Error('another build of the trace processor: no ' + from);
  bundle = bundle.replace(from, to);
}
console.log = console.warn = () => {};
vm.runInThisContext(bundle);

class Engine extends EngineBase {
  constructor(port) {
    super();
    this.mode = 'WASM';
    this.id = 'interop';
    this.port = port;
    port.onmessage = message => message.data instanceof Uint8Array && this.onRpcResponseBytes(message.data);
  }
  rpcSendRequestBytes(bytes) { this.port.postMessage(bytes); }
  [Symbol.dispose]() {}
}

const channel = new MessageChannel();
globalThis.tkBridge.initialize(channel.port1);
const engine = new Engine(channel.port2);
while (!globalThis.tkBridge.reqBufferAddr) await new Promise(done => setTimeout(done, 20));

const SECONDS = 60; // that a trace may take, of several

async function answer(path) {
  const bytes = new Uint8Array(fs.readFileSync(path)), answers = [];
  for (let at = 0; at < bytes.length; at += 1 << 24) await engine.parse(bytes.subarray(at, at + (1 << 24)));
  await engine.notifyEof();
  for (const sql of queries) {
    const result = await engine.query(sql);
    if (result.error()) throw new Error(result.error());
    const rows = [];
    for (const row = result.iter({}); row.valid(); row.next()) rows.push(result.columns().map(name => String(row.get(name))));
    answers.push(JSON.stringify(rows) + '\n');
  }
  return answers.join('');
}

const OPTIONS = {cropTrackEvents: false, ingestFtraceInRawTable: false, analyzeTraceProtoContent: false, ftraceDropUntilAllCpusValid: false};
if (trace[0] !== '@') process.stdout.write(await answer(trace));
else
  for (const path of fs.readFileSync(trace.slice(1), 'utf8').split('\n').filter(line => line)) {
    const late = new Promise((_, fail) => setTimeout(() => fail(new Error('it takes too long')), 1000 * SECONDS).unref());
    const rows = await Promise.race([late, engine.resetTraceProcessor(OPTIONS).then(() => answer(path))]).catch(() => '');
    process.stdout.write(rows + 'null\n');
    if (!rows) break; // what is left of the engine answers no more
  }
process.stdout.write('', () => process.exit(0));
