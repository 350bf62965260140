#!/usr/bin/env python3
"""Keeps what commands took, and asks trace-trend whether they have become slower.

usage: history.py --bin DIRECTORY --programs DIRECTORY --work DIRECTORY [--save FILE] [--against FILE] [--sizes BYTES]
                  [--passes N] [--rows PATTERN] [--game CAPTURE]

All rows of workloads.py are measured once in a pass, and N passes are made, so that what the machine does meanwhile meets
all rows. --save adds the passes to FILE (JSON, a run each, with time, commit and processor), --against FILE puts them behind
those that are in FILE and hands both to `trace-trend --csv`: what of it is no noise is told as of a history of captures, and
the exit status is that of trace-trend, 1 where the newest passes are slower. With both, FILE grows only where they are not.
"""

import argparse
import csv
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

import captures
import processor
import timed
import workloads

PASSES = 15             # fewer than some ten on a side tell too little
SIZE = 10_000_000


def commit():
    done = subprocess.run(['git', 'describe', '--always', '--dirty'], cwd=pathlib.Path(__file__).parent,
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or 'unknown'


def seconds(command, directory, folder, row, paths):
    """CPU seconds of one run."""
    out = folder / 'out'
    out.unlink(missing_ok=True)
    more = (['--output', out] if row.out else []) + (['--save', out] if row.save else [])
    return timed.once(directory, (*command, *more), *paths).cpu


def measured(options, folder):
    """A run a pass: {'time', 'build', 'machine', 'values': row -> seconds}."""
    made = captures.Captures(options.work, options.programs, options.game)
    rows = list(workloads.Workloads(made, options.bin, folder).all(options.rows))
    runs = []
    for number in range(-1, options.passes):        # one before does not count: captures are made, files are read
        values = {row.what: seconds(row.command, options.bin, folder, row, row.paths(options.size)) for row in rows}
        if number >= 0:
            runs.append({'time': datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ'),
                         'build': options.build or commit(), 'machine': processor.name(), 'size': options.size,
                         'values': values})
    return runs


def write_history(runs, folder):
    """The three files that trace-trend --csv reads. Rows that not all runs have are left out."""
    names = [name for name in runs[0]['values'] if all(name in run['values'] for run in runs)]
    with open(folder / 'runs.csv', 'w', newline='', encoding='utf-8') as file:
        out = csv.writer(file)
        out.writerow(('run', 'night', 'time', 'build', 'machine', 'frames', 'size'))
        for i, run in enumerate(runs):
            out.writerow((i, i, run['time'], run['build'], run['machine'], 1, run['size']))
    with open(folder / 'series.csv', 'w', newline='', encoding='utf-8') as file:
        out = csv.writer(file)
        out.writerow(('series', 'kind', 'name', 'class', 'parent', 'unit', 'worse'))
        for i, name in enumerate(names):
            out.writerow(('s%03d' % i, 'timer', name, '', '', 'ms', 'up'))
    with open(folder / 'values.csv', 'w', newline='', encoding='utf-8') as file:
        out = csv.writer(file)
        out.writerow(['run', *('s%03d' % i for i in range(len(names)))])
        for i, run in enumerate(runs):
            out.writerow([i, *('%.6f' % (1000 * run['values'][name]) for name in names)])
    return names


def judge(options, before, now):
    """The exit status of trace-trend over what was and what is."""
    others = {(run['machine'], run['size']) for run in before} - {(run['machine'], run['size']) for run in now}
    if others:
        print('the figures are of another processor or size: %s' % ', '.join('%s, %d bytes' % other for other in sorted(others)),
              file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        if not write_history(before + now, pathlib.Path(folder)):
            print('no row is in both', file=sys.stderr)
            return 2
        return subprocess.run([options.bin / 'trace-trend', '--csv', folder, '--since', str(len(before))],
                              check=False).returncode


def kept(path):
    return json.loads(path.read_text(encoding='utf-8'))['runs'] if path.exists() else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path, help='the directory of the commands')
    parser.add_argument('--programs', required=True, type=pathlib.Path, help='the directory of the bench programs')
    parser.add_argument('--work', required=True, type=pathlib.Path, help='where captures are kept')
    parser.add_argument('--game', type=pathlib.Path, help='a capture of a game to repeat, not compressed')
    parser.add_argument('--save', type=pathlib.Path, metavar='FILE', help='add the figures to it')
    parser.add_argument('--against', type=pathlib.Path, metavar='FILE', help='are they worse than those in it?')
    parser.add_argument('--sizes', dest='size', type=int, default=SIZE, help='bytes of the captures')
    parser.add_argument('--passes', type=int, default=PASSES)
    parser.add_argument('--rows', default='', help='a pattern: measure only rows with such a name')
    parser.add_argument('--build', help='a name for what is measured (default: the commit)')
    options = parser.parse_args()
    if options.against and not options.against.is_file():
        parser.error('there is no file %s' % options.against)
    options.bin = options.bin.resolve()
    with tempfile.TemporaryDirectory() as folder:
        now = measured(options, pathlib.Path(folder))
    if not now or not now[0]['values']:
        parser.error('no row has such a name')
    status = judge(options, kept(options.against), now) if options.against else 0
    if options.save and status == 0:
        options.save.write_text(json.dumps({'runs': kept(options.save) + now}, indent=1) + '\n', encoding='utf-8')
    return status


if __name__ == '__main__':
    sys.exit(main())
