#!/usr/bin/env python3
"""Summaries of runs as Parquet: the same rows as the baseline of --save, sums as trace-stats tells them, and small.

usage: check_summary.py --bin DIRECTORY CAPTURE...
"""

import argparse
import collections
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import parquet_reader
from check_columns import differs

MOST = 0.03      # of the capture, unpacked


class Check:
    def __init__(self, options):
        self.options, self.failed, self.compared = options, 0, 0

    def equal(self, what, got, wanted):
        self.compared += 1
        if got != wanted:
            self.failed += 1
            print('FAILED', what, '%.200s is not %.200s' % (got, wanted))

    def stats(self, *arguments):
        return subprocess.run([self.options.bin / 'trace-stats', *arguments, '--quiet'], check=True, capture_output=True).stdout

    def rows(self, *arguments):
        return list(csv.reader(io.StringIO(self.stats(*arguments, '--format', 'csv').decode(), newline='')))


def unpacked(capture):
    if capture.suffix != '.zst':
        return capture.stat().st_size
    return len(subprocess.run(['zstd', '-dc', capture], check=True, capture_output=True).stdout)


def columns_of(path):
    (file, columns), = parquet_reader.read_all([path])
    return dict(zip(file.names, columns)), [c['kind'] for c in json.loads(file.said['tracekit.columns'])]


def check_kept(check, kept, table, columns, kinds):
    """All columns of a table but the number of the run, as trace-stats reads them from the baseline."""
    names = list(columns)
    rows = check.rows(kept, '--table', table, '--columns', ','.join(names))
    check.equal('rows of ' + table, len(next(iter(columns.values()))), len(rows) - 1)
    for c, (name, kind) in enumerate(zip(names, kinds)):
        wrong = [i for i, v in enumerate(columns[name]) if differs(v, kind, rows[i + 1][c], {}, name)]
        check.equal('%s.%s' % (table, name), wrong[:1], [])


def check_sums(check, capture, timers, durations):
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for name, *values in zip(timers['timer'], timers['count'], timers['total'], timers['excl']):
        sums[name] = [a + b for a, b in zip(sums[name], values)]
    reported = collections.defaultdict(lambda: [0, 0, 0])
    for name, *values in check.rows(capture, '--table', 'timers', '--columns', 'timer,count,total,excl')[1:]:
        reported[name] = [a + int(b or 0) for a, b in zip(reported[name], values)]
    check.equal('sums of timers', dict(sums), {name: values for name, values in reported.items() if name in sums})
    check.equal('timers without calls', [n for n, v in reported.items() if n not in sums and v[0]], [])
    calls = collections.Counter()
    spread = collections.Counter()
    for name, dur, count in zip(durations['timer'], durations['dur'], durations['count']):
        calls[name] += count
        spread[name] += dur * count
    check.equal('calls of durations', dict(calls), {name: v[0] for name, v in sums.items() if v[0]})
    far = [name for name, v in sums.items() if abs(spread[name] - v[1]) > 0.008 * v[1] + v[0]]
    check.equal('sums of durations, to 0.8 %', far, [])


def check_capture(check, capture, work):
    lake, kept = work / 'lake', work / 'kept.tkb'
    for _ in range(2):       # whoever does it again replaces it
        check.stats(capture, '--summary', lake)
    check.stats(capture, '--save', kept)
    files = {path.parent.parent.name: path for path in lake.rglob('*.parquet')}
    content, = (row[0] for row in check.rows(kept, '--table', 'runs', '--columns', 'content')[1:])
    check.equal('folders', {path.parent.name for path in files.values()}, {'run=run-' + content})
    size = sum(path.stat().st_size for path in lake.rglob('*.parquet'))
    if unpacked(capture) > 5 << 20:
        check.equal('at most %g of the capture: %d bytes' % (MOST, size), size <= MOST * unpacked(capture), True)
    for table in ('scopes', 'logs', 'allocations'):
        sizes = {}
        for form in ('arrow', 'parquet'):
            subprocess.run([check.options.bin / 'trace-export', capture, '-q', '-t', table, '-o', work / ('one.' + form), '--force'], check=True)
            sizes[form] = (work / ('one.' + form)).stat().st_size
        check.equal('Arrow of %s is at most three times Parquet: %s' % (table, sizes), sizes['arrow'] <= 3 * sizes['parquet'], True)
    read = {name: columns_of(path) for name, path in sorted(files.items())}
    for name, (columns, kinds) in read.items():
        check_kept(check, kept, name, columns, kinds)
    check_sums(check, capture, read['timers'][0], read['durations'][0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('captures', nargs='+', type=pathlib.Path)
    check = Check(parser.parse_args())
    for capture in check.options.captures:
        with tempfile.TemporaryDirectory() as work:
            check_capture(check, capture, pathlib.Path(work))
    print('%d compared, %d failed' % (check.compared, check.failed))
    return 1 if check.failed else 0


if __name__ == '__main__':
    sys.exit(main())
