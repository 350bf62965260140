#!/usr/bin/env python3
"""Checks that each record of Tracy captures has a family, that nothing is told twice, and how large databases of them are.

usage: check_coverage.py --bin DIRECTORY FOLDER...
"""

import argparse
import contextlib
import json
import pathlib
import sqlite3
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness'), str(HERE.parent / 'decoders')]
import commands       # noqa: E402
import report         # noqa: E402
import tracy_figures  # noqa: E402
import tracy_file     # noqa: E402

MOST = 6                # bytes of rows in a database for one of the payload
LARGEST = 3_000_000     # captures whose payload the slow decoder reads


def empty(database):
    """Bytes of a database with these tables and views but without rows: a page for each, and their texts."""
    with contextlib.closing(sqlite3.connect(database)) as opened:
        page, = opened.execute('PRAGMA page_size').fetchone()
        tables, texts = opened.execute('SELECT sum(rootpage > 0), sum(length(sql)) FROM sqlite_master').fetchone()
    return page * tables + texts


def check(result, tools, path, folder):
    box, payload = tracy_file.unpack(path.read_bytes())
    said = json.loads(tools.must('trace-info', path, '--coverage', '--format', 'json').out)
    result.equal('generic', [row['event'] for row in said['coverage'] if row['family'] == 'generic'], [])
    if len(payload) < LARGEST:
        _, trace = tracy_file.read(path.read_bytes())
        wanted = {name: number for name, number in tracy_figures.counts(trace).items() if number}
        counts = {row['event']: row['count'] for row in said['coverage']}
        result.equal('records', {name: counts.get(name) for name in wanted}, wanted)
    result.equal('events of no family', tools.table(path, 'generic_events', ('event',)), [])
    database = folder / (path.name + '.db')
    tools.must('trace-export', path, '--format', 'sqlite', '--output', database)
    size = database.stat().st_size - empty(database)
    result.true('a database of %d bytes for %d' % (size, len(payload)), size <= MOST * len(payload))
    database.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--bin', required=True)
    parser.add_argument('folders', nargs='+', type=pathlib.Path)
    options = parser.parse_args()
    result, tools = report.Report(), commands.Commands(options.bin)
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(path for place in options.folders for path in place.glob('*.tracy')):
            result.run(path.name, check, tools, path, pathlib.Path(folder))
    return result.close()


if __name__ == '__main__':
    sys.exit(main())
