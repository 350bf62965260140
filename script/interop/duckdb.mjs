// Asks DuckDB: node duckdb.mjs MODULES SQL... Prints a line of JSON for each query: its rows as arrays of texts.
import {createRequire} from 'node:module';

const [modules, ...queries] = process.argv.slice(2);
const {DuckDBInstance} = createRequire(modules + '/')('@duckdb/node-api');
const connection = await (await DuckDBInstance.create(':memory:')).connect();
for (const sql of queries) {
  const rows = (await connection.runAndReadAll(sql)).getRows();
  process.stdout.write(JSON.stringify(rows.map(row => row.map(String))) + '\n');
}
