#!/usr/bin/env python3
"""Prints the timers that took the most time of their own.

usage: top_timers.py CAPTURE [N]

Shows: a table with chosen columns, sorted and cut; rows as named tuples; failures as exceptions.
"""

import sys

import tracekit


def print_top(path, top):
    with tracekit.open(path, jobs=2) as capture:
        table = capture.table('timers', ['timer', 'count', 'excl'])
        damaged = capture.damaged
    print('%16s %10s  timer' % ('own ms', 'calls'))
    for row in table.sort('excl', descending=True).top(top):
        print('%16.6f %10d  %s' % (row.excl / 1e6, row.count, row.timer))
    if damaged:
        print('top_timers: the capture is damaged; this is what can be read of it', file=sys.stderr)


def main():
    if len(sys.argv) not in (2, 3):
        print('usage: top_timers.py CAPTURE [N]', file=sys.stderr)
        return 2
    try:
        print_top(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10)
    except tracekit.Error as failure:
        print('top_timers: %s' % failure, file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
