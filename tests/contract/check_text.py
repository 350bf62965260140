#!/usr/bin/env python3
"""What people see on terminals of 80 and 200 columns, against files.

usage: check_text.py --bin DIRECTORY --maker PROGRAM [--refresh] FIXTURES

The files are in text/ beside this program, one a question and width; --refresh writes them anew, to be read before
they are kept. The figures in them are checked elsewhere: this is about their layout.
"""

import argparse
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import report    # noqa: E402

WIDTHS = (80, 200)
GAME, BORDERS, RECURSION = 'game.utrace.zst', 'borders', 'recursion'
QUESTIONS = {
    'tree': (GAME, '--tree', '--min-share', '2%'),
    'tree-thread': (RECURSION, '--tree', '--by', 'thread', '--min-share', '0'),
    'callers': (GAME, '--callers', 'UPrimitiveComponent::MoveComponentImpl'),
    'callees': (GAME, '--callees', 'TG_PrePhysics', '--depth', '4'),
    'slowest': (GAME, '--slowest', '8', '--timer', 'UPrimitive*'),
    'slowest-text': (GAME, '--slowest', '5', '--timer', 'AActor::Tick'),
    'label': (GAME, '--by', 'label', '--timer', 'AActor::Tick', '--top', '6'),
    'histogram': (GAME, '--histogram', 'UWorld::Tick'),
    'hitches': (BORDERS, '--hitches=0.08'),
    'per-frame': (BORDERS, '--per-frame', 'A', '--per-frame', 'Leaf'),
    'region': (BORDERS, '--by', 'region'),
    'class': (GAME, '--by', 'class', '--top', '12'),
    'threads': (GAME, '--table', 'threads'),
    'frames': (BORDERS, '--table', 'frame_stats'),
    'overview': (GAME,),
}


def shown(command, width):
    """What a command writes to a terminal of so many columns."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, 'LC_ALL': 'C.UTF-8', 'TERM': 'xterm', 'NO_COLOR': '1', 'COLUMNS': str(width),
                   'PAGER': 'cat'}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE, env=environment)
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:                         # the other end is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    errors = process.stderr.read()
    return process.wait(), b''.join(parts).replace(b'\r\n', b'\n').decode('utf-8'), errors.decode('utf-8')


def check(result, options, paths, name, width):
    capture, *words = QUESTIONS[name]
    status, text, errors = shown([options.bin / 'trace-stats', paths[capture], *words], width)
    result.equal('status (%s)' % errors, status, 0)
    kept = HERE / 'text' / ('%s-%d.txt' % (name, width))
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
    with tempfile.TemporaryDirectory() as work:
        paths = {GAME: options.fixtures / GAME}
        for kind in (BORDERS, RECURSION):
            paths[kind] = pathlib.Path(work) / (kind + '.utrace')
            subprocess.run([options.maker, kind, paths[kind]], check=True)
        for name in QUESTIONS:
            for width in WIDTHS:
                reports.run('%s, %d columns' % (name, width), check, options, paths, name, width)
    return reports.close()


if __name__ == '__main__':
    sys.exit(main())
