#!/usr/bin/env python3
"""Frames by the cell of a level: captures are made in which it is known by hand where each frame was drawn.

usage: check_cells.py --bin DIRECTORY
"""

import argparse
import csv
import io
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness')]
import commands  # noqa: E402
import report    # noqa: E402

# x, y, number of frames, their length in ms; the walk goes below 0, and to the edge of a cell, which is the next one's
WALK = [(500, 500, 100, 16.6), (-1, 500, 40, 16.6), (-10000, -0.5, 40, 22.0), (10000, 9999.5, 20, 30.0)]
# by hand: cell -> frames, p50, p95, max in ms, late at 60, few
CELLS = {(0, 0): (100, 16.6, 16.6, 16.6, 0, False), (-1, 0): (40, 16.6, 16.6, 16.6, 0, False), (-1, -1): (40, 22, 22, 22, 40, False),
         (1, 0): (20, 30, 30, 30, 20, True)}


def make(path, silent=0):
    """Walks through the cells; with `silent` frames behind it in which nobody says where."""
    time, events = 1000.0, [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1, 'args': {'name': 'GameThread'}}]
    for x, y, n, ms in WALK + [(None, None, silent, 20.0)]:
        for _ in range(n):
            events.append({'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': 1, 'ts': time})
            events.append({'ph': 'X', 'name': 'Tick', 'pid': 1, 'tid': 1, 'ts': time + 2, 'dur': ms * 1000 - 10})
            for name, value in (('PosX', x), ('PosY', y)) if x is not None else ():
                events.append({'ph': 'C', 'name': name, 'pid': 1, 'tid': 1, 'ts': time + 1, 'args': {'value': value}})
            time = round(time + ms * 1000, 1)
    events.append({'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': 1, 'ts': time})
    path.write_text(json.dumps({'traceEvents': events}))


def cells(tools, capture, *more):
    rows = csv.DictReader(io.StringIO(tools.must('trace-stats', capture, '--position', 'PosX,PosY', '-f', 'csv', *more).out.decode()))
    return {(int(row['cx']), int(row['cy'])) if row['cx'] else None: row for row in rows}


def figures(row):
    return (int(row['frames']), *(round(int(row[name]) / 1e6, 3) for name in ('p50', 'p95', 'max')), int(row['over'] or 0), row['few'] == 'true')


def check_walk(result, tools, folder):
    capture = folder / 'walk.json'
    make(capture)
    found = cells(tools, capture, '--by', 'cell=10000', '--target', '60')
    result.equal('cells', {cell: figures(row) for cell, row in found.items()}, CELLS)
    result.equal('in order', list(found), sorted(CELLS))
    result.equal('durations', {cell: round(int(row['dur']) / 1e6, 3) for cell, row in found.items()},
                 {cell: round(n * p50, 3) for cell, (n, p50, *_) in CELLS.items()})
    without = cells(tools, capture, '--by', 'cell=10000')
    result.equal('late frames need a target', {row['over'] for row in without.values()}, {''})
    result.equal('one cell of all', figures(cells(tools, capture, '--by', 'cell=1e9', '--target', '60')[(0, 0)])[0], 120)
    text = tools.must('trace-stats', capture, '--position', 'PosX,PosY', '--by', 'cell=10000', '--target', '60', '-f', 'table').out.decode()
    result.equal('the worst first', text.splitlines()[2].split()[:2], ['-1', '-1'])


def check_nowhere(result, tools, folder):
    """A position holds for a second: 50 frames of 20 ms end within it, those behind are nowhere."""
    capture = folder / 'silent.json'
    make(capture, silent=100)
    found = cells(tools, capture, '--by', 'cell=10000')
    # the last position was set 1 us after the begin of the last frame of 30 ms
    result.equal('in the last cell', int(found[(1, 0)]['frames']), 20 + 48)
    result.equal('nowhere', int(found[None]['frames']), 52)


def check_refused(result, tools, folder):
    capture = folder / 'walk.json'
    for words, status, says in ((['--by', 'cell=0'], 2, b'above 0'), (['--by', 'cell=x'], 2, b'above 0'), (['--by', 'cell=10,thread'], 2, b'no other grouping'),
                                (['--by', 'cell=10', '--position', 'A,B,C'], 2, b'two counters'), (['--by', 'cell=10', '--position', 'log:x'], 2, b'no category'),
                                (['--by', 'cell=10', '--position', 'log:x:y %f'], 2, b'1 numbers'), (['--by', 'cell=10', '--position', 'Nobody'], 2, b'nothing is recorded'),
                                (['--by', 'cell=10'], 2, b'no point in space'), (['--position', 'x'], 2, b"'--by cell=SIZE' and '--save'"),
                                (['--by', 'cell=10', '-t', 'timers'], 2, b'a table of its own')):
        done = tools.run('trace-stats', capture, *words)
        result.true(f'{words}: {done.describe()}', done.status == status and says in done.err and not done.out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    tools, run = commands.Commands(parser.parse_args().bin), report.Report()
    with tempfile.TemporaryDirectory() as path:
        run.run('walk', check_walk, tools, pathlib.Path(path))
        run.run('nowhere', check_nowhere, tools, pathlib.Path(path))
        run.run('refused', check_refused, tools, pathlib.Path(path))
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
