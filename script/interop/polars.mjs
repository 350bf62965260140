// What Polars makes of files of columns, as lines of JSON: rows, and for each column its type, how many values it has, and their sum.
//
// usage: node polars.mjs NODE_MODULES FILE...     .parquet, .arrow
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const [modules, ...files] = process.argv.slice(2);
const pl = createRequire(path.resolve(modules, 'x.js'))('nodejs-polars').default;

// The binding does not know the type of bytes.
function kindOf(column) {
    try {
        return column.dtype.variant;
    } catch {
        return null;
    }
}

for (const file of files) {
    const frame = file.endsWith('.parquet') ? pl.readParquet(file) : pl.readIPC(readFileSync(file));
    const columns = {};
    for (const name of frame.columns) {
        const c = frame.getColumn(name), kind = kindOf(c);
        if (!kind)
            continue;
        const whole = ['Int64', 'UInt64'].includes(kind);
        columns[name] = { kind, values: c.len() - c.nullCount(), different: c.dropNulls().nUnique(), sum: whole ? String(c.sum()) : null };
    }
    console.log(JSON.stringify({ file, rows: frame.shape.height, columns }));
}
