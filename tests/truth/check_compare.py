#!/usr/bin/env python3
"""Checks what `trace-diff --preset tracy` says of two captures against the figures of the definitions.

usage: check_compare.py --bin DIRECTORY DIRECTORY...

NAME-vs-OTHER.compare.csv has the figures of NAME.tracy beside those of the capture that OTHER stands for: the same name
with another version or letter. Frames are checked by their own table, zone matching by captures that changed lines.
"""

import argparse
import csv
import io
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402


def pair_of(path):
    this, other = path.name[:-len('.compare.csv')].split('-vs-')
    candidates = ['%s-%s' % (this, other), re.sub(r'-[^-]*$', '-' + other, this)]
    for name in candidates:
        if (path.parent / (name + '.tracy')).exists():
            return path.parent / (this + '.tracy'), path.parent / (name + '.tracy')
    raise SystemExit('%s: there is no capture for %s' % (path, other))


def compared(tools, this, other, *options):
    done = tools.must('trace-diff', '--preset', 'tracy', this, other, *options)
    return list(csv.reader(io.StringIO(done.out.decode('utf-8'), newline='')))


def check_frames(result, tools, this, other):
    """Against the spans that the table of frames has."""
    rows = compared(tools, this, other, '--table', 'frames')
    result.true('sets of frames', len(rows) > 1)
    for row in rows[1:]:
        for path, at in ((this, 3), (other, 4)):
            spans = [int(frame['dur']) for frame in tools.table(path, 'frames', ('type', 'dur'))
                     if frame['type'] == row[0] and frame['dur']]
            wanted = [str(figure) for figure in (len(spans), sum(spans), min(spans), max(spans),
                                                 sorted(spans)[len(spans) // 2])]
            result.equal('frames of ' + row[0], [row[at + 2 * i] for i in (0, 1, 2, 3, 5)], wanted)


def check(result, tools, path):
    this, other = pair_of(path)
    wanted = list(csv.reader(io.StringIO(path.read_text(encoding='utf-8'), newline='')))
    got = compared(tools, this, other)
    result.equal('columns', got[0], wanted[0])
    rows = {tuple(row[:3]): row for row in got[1:]}
    result.equal('pairs', sorted(rows), sorted(tuple(row[:3]) for row in wanted[1:]))
    for row in wanted[1:]:
        result.equal(','.join(row[:3]), rows.get(tuple(row[:3])), row)
    check_frames(result, tools, this, other)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('directories', nargs='+', type=pathlib.Path)
    options = parser.parse_args()
    tools = commands.Commands(options.bin)
    reports = report.Report()
    for directory in options.directories:
        for path in sorted(directory.rglob('*.compare.csv')):
            reports.run(path.name, check, tools, path)
    return reports.close()


if __name__ == '__main__':
    sys.exit(main())
