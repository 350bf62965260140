#!/usr/bin/env python3
"""Rows of single scopes and sums by timer agree by name and kind, whatever the kind of the timer.

usage: check_rows_and_sums.py --bin DIRECTORY [--most BYTES] ROOT...

Reads every capture below the folders that is no greater, but for those in directories `damaged` and `bad`.
"""

import argparse
import collections
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402

SUFFIXES = ('.utrace', '.tracy', '.pftrace', '.fxt', '.json')
PAIRS = (('scopes', 'timers'), ('gpu_scopes', 'gpu'))


def rows_of(runner, capture, table, columns, *options):
    """None where the capture has no such table, or is none."""
    try:
        return runner.table(capture, table, columns, *options, allowed=(0, 1, 3, 4))
    except commands.CommandError:
        return None


def check(result, runner, capture):
    for single, sums in PAIRS:
        rows = rows_of(runner, capture, single, ('timer', 'kind', 'dur'))
        wanted = rows_of(runner, capture, sums, ('timer', 'kind', 'count', 'total'))
        result.equal('both are there', rows is None, wanted is None)
        counted = {key: collections.Counter() for key in ('rows', 'sums')}
        for row in rows or ():
            if row['dur']:
                counted['rows'][row['timer'], row['kind'], 'count'] += 1
                counted['rows'][row['timer'], row['kind'], 'total'] += int(row['dur'])
        for row in wanted or ():
            for key in ('count', 'total'):
                counted['sums'][row['timer'], row['kind'], key] += int(row[key] or 0)
        result.equal(sums, +counted['rows'], +counted['sums'])
    check_stacks(result, runner, capture)


def check_stacks(result, runner, capture):
    """Stacks of a GPU queue have its time once, though its work and the passes inside of it are distinguished."""
    queues = rows_of(runner, capture, 'gpu_queues', ('queue', 'busy'), '--unit', 'ns')
    if not queues or len({row['queue'] for row in queues}) < len(queues):
        return
    done = runner.must('trace-export', '-f', 'folded', '--per-thread', '-o', '-', capture, allowed=(0, 1, 3, 4))
    sums = collections.Counter()
    for line in done.out.decode('utf-8', errors='replace').splitlines():
        stack, time = line.rsplit(' ', 1)
        sums[stack.split(';')[0]] += int(time)
    for row in queues:
        # waits are stacks of the queue, too; sums of parts may be rounded
        result.equal('stacks of ' + row['queue'], abs(sums[row['queue']] - int(row['busy'] or 0)) >
                     waited(runner, capture, row['queue']) + 1000, False)


def waited(runner, capture, queue):
    rows = rows_of(runner, capture, 'gpu_queues', ('queue', 'waiting'), '--unit', 'ns')
    return sum(int(row['waiting'] or 0) for row in rows if row['queue'] == queue)


def captures(root, most):
    for path in sorted(pathlib.Path(root).rglob('*')):
        if path.name.endswith(SUFFIXES) and path.is_file() and path.stat().st_size <= most and \
                not path.name.endswith('.truth.json') and not {'damaged', 'bad', 'trend'} & set(path.parts):
            yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, help='the directory of the commands')
    parser.add_argument('--most', type=int, default=1 << 20, help='bytes of a capture')
    parser.add_argument('roots', nargs='+')
    options = parser.parse_args()
    runner = commands.Commands(options.bin)
    run = report.Report()
    for root in options.roots:
        for path in captures(root, options.most):
            run.run(str(path), check, runner, path)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
