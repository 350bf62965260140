// What two readers find in files of columns, as lines of JSON: rows, and for each column a hash of all its values in order.
//
// usage: node columns.mjs NODE_MODULES FILE...     .parquet: hyparquet; .arrow, .arrows: apache-arrow
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import path from 'node:path';

const [modules, ...files] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(createRequire(path.resolve(modules, 'x.js')).resolve(name)).href);

// A value as CSV has it, but for reals, whose shortest digits JavaScript writes otherwise.
function shown(v) {
    if (v === null || v === undefined)
        return '';
    if (typeof v === 'number')
        return 'r' + v;
    if (v instanceof Uint8Array)
        return Buffer.from(v).toString('hex');
    return String(v);
}

function tell(file, names, rows, at) {
    const columns = {};
    names.forEach((name, c) => {
        const hash = createHash('sha256');
        for (let i = 0; i < rows; i++)
            hash.update(shown(at(i, c)) + '\0');
        columns[name] = hash.digest('hex');
    });
    console.log(JSON.stringify({ file, rows, columns }));
}

async function parquet(file) {
    const { parquetReadObjects, parquetMetadata } = await load('hyparquet');
    const { compressors } = await load('hyparquet-compressors');
    const bytes = readFileSync(file);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const names = parquetMetadata(buffer).schema.slice(1).map((c) => c.name);
    const rows = await parquetReadObjects({ file: buffer, compressors, utf8: false }); // bytes stay bytes
    tell(file, names, rows.length, (i, c) => rows[i][names[c]]);
}

async function arrow(file) {
    const { tableFromIPC, compressionRegistry, CompressionType } = await load('apache-arrow');
    const { compressors } = await load('hyparquet-compressors');
    const decode = (data) => Uint8Array.from(compressors.ZSTD(data)); // a copy begins where numbers may
    compressionRegistry.set(CompressionType.ZSTD, { decode });
    const table = tableFromIPC(readFileSync(file));
    const columns = table.schema.fields.map((_, c) => table.getChildAt(c));
    tell(file, table.schema.fields.map((f) => f.name), table.numRows, (i, c) => columns[c].get(i));
}

for (const file of files)
    await (file.endsWith('.parquet') ? parquet(file) : arrow(file));
