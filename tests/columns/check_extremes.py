"""Checks that every writer keeps the extremes of each kind: what columns-extremes writes against the same values, here
written down once more.

Where a format has a type for each column, the type has to hold all that the kind can. A column that can be negative is
declared so: memory tags are, in every format that a command writes.
"""

import argparse
import csv
import json
import pathlib
import sqlite3
import struct
import subprocess
import sys
import tempfile

import arrow_reader
import parquet_reader

INTS = [-2**63, 2**63 - 1, -1, 0, 1]
UINTS = [0, 2**64 - 1, 2**63, 2**63 - 1, 1]
SINGLES = [struct.unpack('<f', struct.pack('<I', bits))[0] for bits in (0xff7fffff, 0x7f7fffff, 0x00800000, 0, 0xbfc00000)]
REALS = [-1.7976931348623157e308, 1.7976931348623157e308, 2.2250738585072014e-308, 0.0, -1.5]
WANT = {'bool': [False, True, True, False, True], 'int': INTS, 'uint': UINTS, 'hex': UINTS, 'real32': SINGLES, 'real': REALS,
        'time': INTS, 'duration': INTS, 'mean': REALS, 'size': UINTS,
        'text': ['', '\x7f', 'a"b,c;d\te\nf\\', '\U0010ffff', ' '], 'bytes': [b'', b'\0\xff', b'\xff', b'\0', b'ab']}
GROWTH = -7   # from 0, as the first snapshot does not have the tag


class Check:
    def __init__(self, options, work):
        self.options, self.work, self.failed, self.checked = options, work, 0, 0

    def same(self, what, found, wanted):
        self.checked += 1
        if found != wanted:
            self.failed += 1
            print('FAILED', what, 'has', found, 'instead of', wanted)

    def run(self, *arguments):
        done = subprocess.run([str(a) for a in arguments], cwd=self.work, capture_output=True)
        self.same(' '.join(str(a) for a in arguments[1:]) + ' (status, messages)', (done.returncode, done.stderr), (0, b''))
        return done.stdout


def of_text(kind, text):
    """A value of CSV, TSV, or a text in JSON."""
    if kind == 'bool':
        return {'true': True, 'false': False}[text]
    if kind in ('int', 'uint', 'time', 'duration', 'size'):
        return int(text)
    if kind == 'hex':
        return int(text, 16)
    if kind in ('real', 'mean'):
        return float(text)
    if kind == 'real32':
        return struct.unpack('<f', struct.pack('<f', float(text)))[0]
    return bytes.fromhex(text) if kind == 'bytes' else text


def of_json(kind, value):
    if isinstance(value, str):
        return of_text(kind, value)
    if kind == 'bytes':
        return bytes.fromhex(value['bytes'])
    return of_text(kind, str(value)) if kind == 'real32' else value


def read_csv(path):
    rows = list(csv.reader(path.open(newline='', encoding='utf-8')))
    return {name: [of_text(name, row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


def read_objects(rows):
    return {name: [of_json(name, row[name]) for row in rows] for name in WANT}


def read_arrow(stream):
    return dict(zip((column.name for column in stream.columns), stream.values))


def read_parquet(path):
    (file, columns), = parquet_reader.read_all([path])
    if 'tracekit.lost' in file.said:
        return {'tracekit.lost': file.said['tracekit.lost']}
    return dict(zip(file.names, columns))


READERS = {
    'csv': read_csv,
    'json': lambda path: read_objects(json.loads(path.read_bytes())['extremes']),
    'ndjson': lambda path: read_objects([json.loads(line) for line in path.read_bytes().splitlines()]),
    'parquet': read_parquet,
    'arrow': lambda path: read_arrow(arrow_reader.read_file(path.read_bytes())),
    'arrows': lambda path: read_arrow(arrow_reader.Stream(path.read_bytes())),
}


def check_writers(check):
    for form, read in READERS.items():
        found = read(check.work / ('extremes.' + form))
        for kind, wanted in WANT.items():
            check.same('%s, %s' % (form, kind), found.get(kind), wanted)
    for form in ('tsv', 'table', 'text', 'markdown'):
        text = (check.work / ('extremes.' + form)).read_text()
        for value in [str(v) for v in INTS[:2]] + [str(v) for v in UINTS[1:4]] + ['0x' + 'f' * 16]:
            check.same('%s, %s' % (form, value), value in text, True)


def check_capture(check):
    """The values of memory tags, by every command that writes tables."""
    here, capture = check.options.bin, check.work / 'extremes.utrace'
    sql = "select value from llm_values where tag = 'extreme' order by time"
    for form, read in (('arrow', lambda p: arrow_reader.read_file(p.read_bytes()).values),
                       ('parquet', lambda p: parquet_reader.read_all([p])[0][1])):
        check.run(here / 'trace-query', capture, '-f', form, '-o', 'query.' + form, sql)
        check.same('trace-query, ' + form, read(check.work / ('query.' + form)), [INTS])
        check.run(here / 'trace-query', capture, '-f', form, '-o', 'least.' + form, 'select min(value) from llm_values')
        check.same('min() of trace-query, ' + form, read(check.work / ('least.' + form)), [[-2**63]])
        for table, column, pattern, wanted in (('llm_values', 'value', 'tag = extreme', INTS), ('llm', 'growth', 'tag = shrinks', [GROWTH])):
            for command in ('trace-stats', 'trace-export'):
                path = check.work / ('%s-%s.%s' % (command, table, form))
                check.run(here / command, capture, '-t', table, '-c', column, '--where', pattern, '-f', form, '-o', path)
                check.same('%s of %s, %s' % (table, command, form), read(path), [wanted])
    check.run(here / 'trace-export', capture, '-q', '-f', 'sqlite', '-t', 'llm_values', '-o', 'extremes.db')
    (file, _), = parquet_reader.read_all([check.work / 'trace-stats-llm_values.parquet'])
    check.same('schema of a table that has changed', file.said['tracekit.schema'], '2')
    with sqlite3.connect(check.work / 'extremes.db') as db:
        found = db.execute("select value from llm_values where tag = 'extreme' order by time").fetchall()
        check.same('SQLite', [row[0] for row in found], INTS)
    check.same('csv', check.run(here / 'trace-query', capture, '-f', 'csv', sql).split()[1:], [str(v).encode() for v in INTS])
    check.same('mean', check.run(here / 'trace-query', capture, '-f', 'csv', "select avg(value) from llm_values where tag = 'shrinks'").split()[1:],
               [b'46.5'])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('maker', type=pathlib.Path)
    options = parser.parse_args()
    options.bin, options.maker = options.bin.resolve(), options.maker.resolve()
    with tempfile.TemporaryDirectory() as work:
        check = Check(options, pathlib.Path(work))
        check.run(options.maker, work)
        check_writers(check)
        check_capture(check)
    print('%d checks, %d failed' % (check.checked, check.failed))
    return 1 if check.failed else 0


if __name__ == '__main__':
    sys.exit(main())
