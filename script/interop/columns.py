#!/usr/bin/env python3
"""Parquet and Arrow of all tables of captures in other readers, against CSV column by column; and a small fleet.

hyparquet and apache-arrow tell a hash of each column, which has to be that of CSV (of whole numbers, texts and bytes; tests/columns
compares reals and JSON). DuckDB sums columns of Parquet and of CSV, and answers the questions of examples/fleet.

usage: columns.py --bin DIRECTORY --drivers DIRECTORY --work DIRECTORY --fleet DIRECTORY CAPTURE...
"""

import argparse
import csv
import hashlib
import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys

csv.field_size_limit(1 << 30)
COMPOSED = ('array', 'list', 'record', 'none')
REALS = ('real', 'real32', 'mean')


class Columns:
    def __init__(self, options):
        self.options, self.failed, self.compared = options, 0, 0

    def fail(self, *what):
        self.failed += 1
        if self.failed <= 20:
            print('FAILED', *what, flush=True)

    def node(self, driver, *arguments):
        out = subprocess.run(['node', self.options.drivers / driver, self.options.work / 'node_modules', *arguments], check=True,
                             stdout=subprocess.PIPE).stdout
        return [json.loads(line) for line in out.decode().splitlines() if line[:1] in '[{']

    def export(self, captures, form, path, *arguments):
        subprocess.run([self.options.bin / 'trace-export', *captures, '-q', '-f', form, '-o', path, *arguments], check=False,
                       stderr=subprocess.DEVNULL)

    def captures(self, captures):
        """One, or several in one output."""
        work = self.options.work / 'columns'
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        for form in ('csv', 'parquet', 'arrow'):
            self.export(captures, form, work / form, '--sort', 'start', *(('--empty',) if form == 'csv' else ()))
        texts = sorted((work / 'csv').iterdir())
        files = [work / form / (path.stem + '.' + form) for path in texts for form in ('parquet', 'arrow')]
        kinds = self.node('duckdb.mjs', *("select decode(value) from parquet_kv_metadata('%s') where decode(key) = 'tracekit.columns'"
                                          % (work / 'parquet' / (path.stem + '.parquet')) for path in texts))
        reported = self.node('columns.mjs', *files)
        for i, (path, kind) in enumerate(zip(texts, kinds)):
            described = json.loads(kind[0][0])
            self.table(path, [c['kind'] for c in described], reported[2 * i:2 * i + 2])

    def table(self, path, kinds, reported):
        rows = [row or [''] for row in csv.reader(path.open(newline='', encoding='utf-8'))]
        for c, (name, kind) in enumerate(zip(rows[0], kinds)):
            if kind in COMPOSED:        # JSON, and no text of CSV
                continue
            displayed = [row[c] for row in rows[1:]]
            if kind == 'hex':
                displayed = [str(int(v, 16)) if v else '' for v in displayed]
            if kind in REALS:           # other digits
                continue
            wanted = hashlib.sha256(''.join(v + '\0' for v in displayed).encode()).hexdigest()
            for reader in reported:
                self.compared += 1
                if reader['rows'] != len(rows) - 1 or reader['columns'][name] != wanted:
                    self.fail(reader['file'], name, 'differs from CSV')

    def several(self, captures):
        """Which rows are of which capture, and when they were: in Parquet, Arrow, lines of JSON and a database as in CSV."""
        work = self.options.work / 'columns'
        self.captures(captures)
        for form, path in (('ndjson', work / 'ndjson'), ('sqlite', work / 'several.db')):
            self.export(captures, form, path)
        base = sqlite3.connect(work / 'several.db')
        for table in ('frames', 'scopes', 'counter_values', 'logs'):
            what = 'select capture, count(*), sum(wall_clock %% 1000000000000), sum(start) from %s group by 1 order by 1'
            what = what if table in ('frames', 'scopes') else what.replace('start', 'time')
            found = self.node('duckdb.mjs', what % ("read_csv('%s')" % (work / 'csv' / (table + '.csv'))),
                              what % ("'%s'" % (work / 'parquet' / (table + '.parquet'))),
                              what % ("read_json('%s')" % (work / 'ndjson' / (table + '.ndjson'))))
            found.append([['null' if v is None else str(v) for v in row] for row in base.execute(what % table)])
            self.compared += 1
            if any(rows != found[0] for rows in found) or len(found[0]) < 2:
                self.fail('several captures:', table, found)

    def polars(self):
        """How many values and how many different ones Polars finds in whole numbers and texts; texts of Arrow are categories there."""
        work = self.options.work / 'columns'
        texts = [path for path in sorted((work / 'csv').iterdir()) if len(path.read_bytes().splitlines()) > 1]
        files = [work / form / (path.stem + '.' + form) for path in texts for form in ('parquet', 'arrow')]
        for file, found in zip(files, self.node('polars.mjs', *files)):
            with open(work / 'csv' / (file.stem + '.csv'), newline='', encoding='utf-8') as csv_file:
                rows = list(csv.DictReader(csv_file))
            for name, column in found['columns'].items():
                displayed = [row[name] for row in rows if row[name] != '']
                if column['kind'] == 'Float64':     # other digits
                    continue
                self.compared += 1
                empty = column['values'] > len(displayed) and column['kind'] in ('Categorical', 'String')   # a text of no letters
                if found['rows'] != len(rows) or column['different'] != len(set(displayed)) + empty:
                    self.fail('Polars:', file, name, column, len(displayed), len(set(displayed)))
                if file.suffix == '.arrow' and column['kind'] == 'String':
                    self.fail('Polars:', file, name, 'is no dictionary')

    def duckdb(self, capture):
        """Sums of scopes and timers in SQL, of Parquet and of CSV."""
        work = self.options.work / 'columns'
        for table, what in (('scopes', 'count(*), sum(start), sum(dur), sum(depth), count(distinct timer)'),
                            ('timers', 'count(*), sum(count), sum(excl), round(sum(mean)), sum(p95)'),
                            ('frames', 'count(*), sum(dur), min(start), max(start)')):
            if len((work / 'csv' / (table + '.csv')).read_bytes().splitlines()) < 2:
                continue                # the columns of an empty CSV have no kind
            both = self.node('duckdb.mjs', "select %s from '%s'" % (what, work / 'parquet' / (table + '.parquet')),
                             "select %s from read_csv('%s', all_varchar = false)" % (what, work / 'csv' / (table + '.csv')))
            self.compared += 1
            if both[0] != both[1]:
                self.fail(capture, table, 'in DuckDB:', both)

    def fleet(self, captures):
        """A folder of summaries, and the questions of examples/fleet."""
        lake = self.options.work / 'summaries'
        shutil.rmtree(lake, ignore_errors=True)
        for i, capture in enumerate(captures):
            subprocess.run([self.options.bin / 'trace-stats', capture, '-q', '--summary', lake, '--run-info', 'machine=m%d' % (i % 2),
                            '--run-info', 'time=2026-11-%02dT12:00:00Z' % (10 + i)], check=False, stderr=subprocess.DEVNULL)
        (self.options.work / 'compact').mkdir(exist_ok=True)
        names = ('views', 'trend', 'regressions', 'percentiles', 'hitches', 'machines', 'worst', 'compact')
        sql = ''.join((self.options.fleet / (name + '.sql')).read_text() for name in names)
        sql = '\n'.join(line for line in sql.splitlines() if not line.startswith('--'))
        sql = sql.replace("'summaries/", "'%s/" % lake).replace("'compact/", "'%s/compact/" % self.options.work)
        found = self.node('duckdb.mjs', *(part.strip() for part in sql.split(';') if part.strip()))
        self.compared += 1
        if len(found) < len(names):
            self.fail('questions of a fleet:', len(found), 'answers')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ('bin', 'drivers', 'work', 'fleet'):
        parser.add_argument('--' + name, required=True, type=pathlib.Path)
    parser.add_argument('captures', nargs='+', type=pathlib.Path)
    columns = Columns(parser.parse_args())
    for capture in columns.options.captures:
        columns.captures([capture])
        columns.duckdb(capture)
        print('%s: %d compared, %d failed' % (capture.name, columns.compared, columns.failed), flush=True)
    columns.several(columns.options.captures)
    columns.polars()
    print('several: %d compared, %d failed' % (columns.compared, columns.failed), flush=True)
    columns.fleet(columns.options.captures)
    return 1 if columns.failed else 0


if __name__ == '__main__':
    sys.exit(main())
