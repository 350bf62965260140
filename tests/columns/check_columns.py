#!/usr/bin/env python3
"""Parquet and Arrow of all tables of captures, read by readers of their own, against CSV and NDJSON cell by cell.

usage: check_columns.py --bin DIRECTORY [--arrow] CAPTURE...     --arrow: Arrow of all tables, also of those behind the first capture
"""

import argparse
import csv
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import arrow_reader
import parquet_reader

csv.field_size_limit(1 << 30)
COMPOSED = ('array', 'list', 'record', 'none')


def export(options, capture, form, path, *arguments):
    subprocess.run([options.bin / 'trace-export', capture, '--quiet', '--format', form, '--output', path, *arguments],
                   check=False, stderr=subprocess.DEVNULL)


def single(text):
    return struct.unpack('<f', struct.pack('<f', float(text)))[0]


def real(text, kind):
    return single(text) if kind == 'real32' else float(text)


def differs(value, kind, text, reported, column):
    """Is a cell another one than that of CSV (text) and of the row of NDJSON (reported)?"""
    if value is None:
        return text != ''
    if kind in COMPOSED:
        value = json.loads(value)
        if column in reported:
            return value != reported[column]
        return any(member not in reported or reported[member] != v for member, v in value.items())   # a record stands in its row
    if isinstance(value, bool):
        return text != str(value).lower()
    if isinstance(value, float):
        return not (value == real(text, kind) or (math.isnan(value) and text == 'NaN'))
    if isinstance(value, int):
        return text != (hex(value) if kind == 'hex' else str(value))
    return text != (value if isinstance(value, str) else value.hex())


class Check:
    def __init__(self):
        self.failed = self.cells = self.tables = 0

    def fail(self, *what):
        self.failed += 1
        if self.failed <= 20:
            print('FAILED', *what)

    def table(self, name, names, kinds, columns, rows, reported):
        """columns: values by column, in the order of the rows of CSV or, of scopes, in another one."""
        self.tables += 1
        count = len(columns[0]) if columns else 0
        if names != rows[0] or count != len(rows) - 1:
            return self.fail(name, 'has', names, 'and %d rows, not' % count, rows[0], len(rows) - 1)
        if len(reported) != count:
            return self.fail(name, 'has %d rows as NDJSON, not %d' % (len(reported), count))
        order = range(count)
        body = rows[1:]
        if name == 'scopes':
            by = [names.index(n) for n in ('thread_id', 'start', 'scope_id')]
            key = [tuple(int(row[i]) for i in by) for row in body]
            places = sorted(range(count), key=key.__getitem__)
            body, reported = [body[i] for i in places], [reported[i] for i in places]
            order = sorted(range(count), key=lambda i: tuple(columns[k][i] for k in by))
        for c, (column, kind) in enumerate(zip(names, kinds)):
            values = columns[c]
            for k, i in enumerate(order):
                if differs(values[i], kind, body[k][c], reported[k], column):
                    self.fail('%s.%s, row %d: %r is not %r' % (name, column, k, values[i], body[k][c]))
                    break
            self.cells += count
        return None


def read_text(path):
    return [row or [''] for row in csv.reader(path.open(newline='', encoding='utf-8'))]


def read_reported(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def changed_tables():
    """The numbers in the list of changed tables in the changelog; those of threads are 2, too."""
    text = (pathlib.Path(__file__).resolve().parents[2] / 'CHANGELOG.md').read_text(encoding='utf-8')
    rows = re.findall(r'^\| (.+?) \| (\d*) \|', text.split('### Changed tables')[1].split('\n### ')[0], re.M)
    return {name: int(number) for names, number in rows for name in re.findall('`([a-z_]+)`', names.split(' of ')[0])}


def tables_of_threads(options):
    described = subprocess.run([options.bin / 'tracekit', '--describe'], check=True, capture_output=True, text=True).stdout
    columns = [line.split('\t')[:3] for line in described.splitlines() if line.startswith('column\t')]
    return {table for _, table, column in columns if column == 'process_id'}


def check_capture(check, options, capture, work, whole):
    folders = {form: work / form for form in ('csv', 'ndjson', 'parquet', 'arrow')}
    for form, folder in folders.items():
        if form == 'arrow' and not whole:
            export(options, capture, form, folder, '--table', 'frames', '--table', 'session', '--table', 'counter_values')
        else:
            export(options, capture, form, folder, *(('--empty',) if form == 'csv' else ()))
    names = sorted(path.stem for path in folders['csv'].iterdir())
    written = sorted(path.stem for path in folders['parquet'].iterdir())
    if written != names:
        check.fail(capture, 'has other tables as Parquet')
    text = {name: read_text(folders['csv'] / (name + '.csv')) for name in names}
    reported = {name: read_reported(folders['ndjson'] / (name + '.ndjson')) for name in names}
    files = parquet_reader.read_all([folders['parquet'] / (name + '.parquet') for name in names])
    numbers, threads = changed_tables(), tables_of_threads(options)
    for name, (file, columns) in zip(names, files):
        wanted = max(numbers.get(name, 1), 2 if name in threads else 1)
        if file.said['tracekit.schema'] != str(wanted):
            check.fail(name, 'has schema', file.said['tracekit.schema'], 'and not', wanted)
        kinds = [column['kind'] for column in json.loads(file.said['tracekit.columns'])]
        if file.said['tracekit.table'] != name or 'tracekit.lost' in file.said:
            check.fail(name, 'says', file.said)
        check.table(name, file.names, kinds, columns, text[name], reported[name])
    for path in sorted(folders['arrow'].iterdir()):
        stream = arrow_reader.read_file(path.read_bytes())
        kinds = [column.said['tracekit.kind'] for column in stream.columns]
        check.table(path.stem, [c.name for c in stream.columns], kinds, stream.values, text[path.stem], reported[path.stem])


def check_forms(check, options, capture, work):
    """Without compression, as a stream, in cycles, in partitions, of some rows in their order."""
    plain = work / 'plain.parquet'
    export(options, capture, 'parquet', plain, '--table', 'scopes', '--compress', 'none', '--sort', 'start')
    (file, columns), = parquet_reader.read_all([plain])
    starts = columns[file.names.index('start')]
    if starts != sorted(starts) or any(page[4] for page in file.pages):
        check.fail('scopes that were sorted by start, without compression')
    stream = subprocess.run([options.bin / 'trace-stats', capture, '--table', 'timers', '--format', 'arrow'], check=True,
                            capture_output=True).stdout
    if arrow_reader.Stream(stream).at != len(stream):
        check.fail('a stream has bytes behind its end')
    lake = work / 'lake'
    for _ in range(2):
        subprocess.run([options.bin / 'trace-export', capture, '-q', '-f', 'parquet', '-t', 'timers', '-t', 'frames', '-o', lake,
                        '--partition', '--force'], check=True)
    found = sorted(str(path.relative_to(lake)) for path in lake.rglob('*') if path.is_file())
    name = capture.name.removesuffix('.zst').removesuffix('.utrace').removesuffix('.tracy')
    if found != ['%s/capture=%s/part-0.parquet' % (table, name) for table in ('frames', 'timers')]:
        check.fail('partitions:', found)
    for failing in (work / 'new', work):
        done = subprocess.run([options.bin / 'trace-export', capture, '-q', '-f', 'parquet', '-t', 'timers', '-o', failing, '--partition',
                               '--unit', 'ms'], capture_output=True)
        if done.returncode != 2 or (work / 'new').exists() or (work / 'timers').exists():
            check.fail('what fails leaves folders:', failing, done.returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('--arrow', action='store_true')
    parser.add_argument('captures', nargs='+', type=pathlib.Path)
    options = parser.parse_args()
    check = Check()
    for i, capture in enumerate(options.captures):
        with tempfile.TemporaryDirectory() as work:
            check_capture(check, options, capture, pathlib.Path(work), options.arrow or i == 0)
            if i == 0:
                check_forms(check, options, capture, pathlib.Path(work))
    print('%d tables, %d cells, %d failed' % (check.tables, check.cells, check.failed))
    return 1 if check.failed else 0


if __name__ == '__main__':
    sys.exit(main())
