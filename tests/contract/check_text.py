#!/usr/bin/env python3
"""What people see on terminals of 80 and 200 columns, against files.

usage: check_text.py --bin DIRECTORY --maker PROGRAM [--refresh] FIXTURES

The files are in text/ beside this program, one a question and width; --refresh writes them anew, to be read before
they are kept. The figures in them are those of the same question in CSV, which the tests of truth hold against every
call counted one by one.
"""

import argparse
import csv
import io
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / name) for name in ('harness', 'golden')]
import pages     # noqa: E402
import report    # noqa: E402
import terminals  # noqa: E402

WIDTHS = (80, 200)
GAME, BORDERS, RECURSION = 'game.utrace.zst', 'borders.utrace', 'recursion.utrace'
QUESTIONS = {
    'tree': (GAME, '--tree', '--min-share', '2%'),
    'tree-thread': (RECURSION, '--tree', '--by', 'thread', '--min-share', '0'),
    'callers': (GAME, '--callers', 'UPrimitiveComponent::MoveComponentImpl'),
    'callees': (GAME, '--callees', 'TG_PrePhysics', '--depth', '4', '--min-share', '1%'),
    'slowest': (GAME, '--slowest', '8', '--timer', 'UPrimitive*'),
    'slowest-text': (GAME, '--slowest', '5', '--timer', 'AActor::Tick'),
    'label': (GAME, '--by', 'label', '--timer', 'AActor::Tick', '--top', '6'),
    'histogram': (GAME, '--histogram', 'UWorld::Tick'),
    'hitches': (BORDERS, '--hitches=0.08'),
    'per-frame': (BORDERS, '--per-frame', 'A', '--per-frame', 'Leaf'),
    'region': (BORDERS, '--by', 'region'),
    'class': (GAME, '--by', 'class', '--top', '3'),
    'file': (GAME, '--by', 'file', '--top', '8'),
    'frame-type': (BORDERS, '--by', 'frame-type'),
    'thread': (RECURSION, '--by', 'thread', '--table', 'timers'),
    'threads': (GAME, '--table', 'threads', '--top', '100'),
    'frames': (BORDERS, '--table', 'frame_stats'),
}


def displayed(command, folder, width):
    """What a command writes to a terminal of so many columns."""
    ours, theirs = terminals.opened(width)
    environment = {**os.environ, 'LC_ALL': 'C.UTF-8', 'TERM': 'xterm', 'NO_COLOR': '1', 'COLUMNS': str(width),
                   'PAGER': 'cat'}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE, env=environment,
                               cwd=folder)
    text = terminals.written(ours, theirs)
    errors = process.stderr.read()
    return process.wait(), text.replace(b'\r\n', b'\n').decode('utf-8'), errors.decode('utf-8')


def stands_for(cell, value):
    """Is it the value, as far as the page shows it?"""
    if '\u2026' in cell:
        return value.startswith(cell.split('\u2026')[0]) and value.endswith(cell.split('\u2026')[1])
    number = pages.number(cell)
    if not number or not pages.number(value):
        # a long text goes on in the next line, wherever it was broken
        return cell == value or ''.join(cell.split()) == ''.join(value.split())
    _, seen, half = number
    # percent of a part of a whole, or of a number that is percent
    return any(abs(scale * seen - pages.number(value)[1]) <= max(scale * half, abs(scale * seen) * pages.DOUBLE)
               for scale in ((1, 100) if cell.endswith(' %') else (1,)))


def joined(rows):
    """Rows as they were before long texts went on in lines of their own, whose first column is empty."""
    whole = []
    for row in rows:
        if whole and not next(iter(row.values())):
            for column, cell in row.items():
                whole[-1][column] += cell
        else:
            whole.append(dict(row))
    return whole


def check_figures(result, options, folder, words, text):
    """Of a page of one table: its rows are those for programs, in the order in which people read them."""
    out = subprocess.run([options.bin / 'trace-stats', *words, '--format', 'csv', '--quiet'], cwd=folder, check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    (_, rows), = pages.read_table(text.split('(not shown')[0]).items()
    rows = joined(rows)
    wanted = list(csv.DictReader(io.StringIO(out)))
    result.equal('rows', len(rows), len(wanted))
    for row in rows:
        known = {column: cell for column, cell in row.items() if not wanted or column in wanted[0]}
        same = [place for place, one in enumerate(wanted)
                if all(stands_for(cell, one[column]) for column, cell in known.items())]
        result.true('a row that is in no table: %r' % row, same)
        del wanted[same[0] if same else 0]


def check(result, options, folder, name, width):
    words = QUESTIONS[name]
    status, text, errors = displayed([options.bin / 'trace-stats', *words], folder, width)
    result.equal('status (%s)' % errors, status, 0)
    kept = HERE / 'text' / ('%s-%d.txt' % (name, width))
    if '\n\n' not in text:
        check_figures(result, options, folder, words, text)
    if options.refresh:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(text, encoding='utf-8')
    result.equal('text', text.splitlines(), kept.read_text(encoding='utf-8').splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('--maker', required=True, help='the program made-calls')
    parser.add_argument('--refresh', action='store_true', help='write the files anew')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    reports = report.Report()
    options.bin = options.bin.resolve()
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / GAME).symlink_to((options.fixtures / GAME).resolve())
        for path in (BORDERS, RECURSION):
            subprocess.run([options.maker, path.removesuffix('.utrace'), pathlib.Path(folder) / path], check=True)
        for name in QUESTIONS:
            for width in WIDTHS:
                reports.run('%s, %d columns' % (name, width), check, options, folder, name, width)
    return reports.close()


if __name__ == '__main__':
    sys.exit(main())
