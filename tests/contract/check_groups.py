#!/usr/bin/env python3
"""-n N with --by thread, class, region or frame-type: the N first rows of each, together; with --sort, of the table.

usage: check_groups.py --bin DIRECTORY FIXTURES

What is wanted is made here of all rows, which the command sorts by the table's own column without grouping them.
"""

import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402

OWN = {'timers': 'working', 'groups': 'excl'}     # the column that a table is sorted by
QUESTIONS = (('thread', 'timers', ('thread_id', 'thread')), ('class', 'groups', ('group',)),
             ('region', 'groups', ('group', 'number')), ('frame-type', 'groups', ('group',)))
CAPTURES = ('tiny.utrace', 'game.utrace.zst')


def rows(runner, path, by, *options):
    """The lines of CSV: that with the columns, and the others."""
    done = runner.must('trace-stats', path, '--by', by, '--format', 'csv', '--quiet', *options)
    first, *others = done.out.decode('utf-8').splitlines()
    return first.split(','), others


def grouped(columns, lines, keys, n):
    """The n first lines of each group; groups in the order of their first lines."""
    groups = {}
    for line in lines:
        cells = dict(zip(columns, line.split(',')))
        groups.setdefault(tuple(cells[key] for key in keys), []).append(line)
    return [line for group in groups.values() for line in group[:n]], groups


def check(result, runner, path, by, table, keys):
    requested = ('--table', table)
    columns, lines = rows(runner, path, by, *requested, '--sort', OWN[table])
    result.true('no rows', lines)
    for n in (2, 100000):
        wanted, _ = grouped(columns, lines, keys, n)
        result.equal('-n %d' % n, rows(runner, path, by, *requested, '-n', n), (columns, wanted))
        result.equal('-n %d of the whole table' % n, rows(runner, path, by, *requested, '-n', n, '--sort', OWN[table]),
                     (columns, lines[:n]))
    return len(grouped(columns, lines, keys, 1)[1])


def check_capture(result, runner, path):
    counts = {by: check(result, runner, path, by, table, keys) for by, table, keys in QUESTIONS}
    result.true('one group only: %s' % counts, max(counts.values()) > 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, help='the directory of the commands')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    runner, run = commands.Commands(options.bin), report.Report()
    for name in CAPTURES:
        run.run(name, check_capture, runner, options.fixtures / name)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
