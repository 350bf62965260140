#!/usr/bin/env python3
"""Captures exported for Chrome and Perfetto and read back: the tables that both can hold have to be the same.

usage: check_round_trips.py --bin DIRECTORY FIXTURES
"""

import argparse
import csv
import io
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands         # noqa: E402
import report           # noqa: E402

CAPTURES = ('tiny.utrace', 'coroutine.utrace', 'threads.utrace', 'tracy/ctx-0.14.0.tracy')
# Ids are those of the file, and files and lines are in no export without --args. Percentiles are near the truth, in steps
# of the clock. Scopes of no length alongside each other are inside each other where they are read back.
TABLES = {
    'timers': ('timer', 'count', 'open', 'incl', 'total', 'excl', 'min', 'max'),
    'by thread': ('thread', 'timer', 'count', 'open', 'incl', 'total', 'excl', 'min', 'max'),
    'threads': ('thread', 'scopes', 'open', 'busy'),
    'frames': ('type_id', 'frame', 'start', 'end', 'dur', 'type'),
    'frame_stats': ('type_id', 'type', 'count', 'total', 'mean', 'min', 'max'),
    'regions': ('name', 'category', 'start', 'end', 'dur'),
    'bookmarks': ('time', 'thread', 'text'),
    'logs': ('time', 'thread', 'category', 'text'),
    'counter_values': ('time', 'counter', 'value'),
    'scopes': ('thread', 'timer', 'start', 'dur'),
}


def table(tools, path, name):
    options = ['--by', 'thread'] if name == 'by thread' else []
    requested = 'timers' if name == 'by thread' else name
    done = tools.run('trace-stats', path, '--table', requested, '--unit', 'ns', '--format', 'csv',
                     '--columns', ','.join(TABLES[name]), *options)
    if done.status not in (0, 2, 4) or b'column' in done.err:
        raise commands.CommandError(done.describe())
    return sorted(list(csv.reader(io.StringIO(done.out.decode(), newline='')))[1:])


def displayed(name, rows):
    """Threads without scopes are in no export, real numbers may have been whole, messages without a text have a name."""
    if name == 'threads':
        return [row for row in rows if row[1] != '0' or row[2] != '0']
    if name == 'logs':
        return sorted([*row[:3], row[3] or row[2]] for row in rows)
    if name == 'counter_values':
        return [[*row[:2], float(row[2])] for row in rows]
    return rows


def messages(tools, path):
    """A message without a category is a mark in exports, as bookmarks are."""
    return sorted([*row[:2], row[-1] or row[-2]] for name in ('bookmarks', 'logs') for row in table(tools, path, name))


def check(result, tools, capture, path):
    tables = list(TABLES)
    if str(capture).endswith('.tracy'):
        tables = [name for name in TABLES if name not in ('bookmarks', 'logs')]
        result.equal('messages', messages(tools, path), messages(tools, capture))
    for name in tables:
        before, after = (displayed(name, table(tools, p, name)) for p in (capture, path))
        result.equal(name, after, before)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('fixtures')
    options = parser.parse_args()
    tools = commands.Commands(options.bin)
    said = report.Report()
    with tempfile.TemporaryDirectory() as directory:
        for name in CAPTURES:
            for format_ in ('chrome', 'perfetto'):
                path = os.path.join(directory, 'export.json' if format_ == 'chrome' else 'export.pftrace')
                if os.path.exists(path):
                    os.remove(path)
                capture = os.path.join(options.fixtures, name)
                tools.must('trace-export', capture, '--format', format_, '--output', path, allowed=(0, 4))
                said.run('%s %s' % (name, format_), check, tools, capture, path)
    return said.close()


if __name__ == '__main__':
    sys.exit(main())
