#!/usr/bin/env python3
"""What a first page says to ask next has an answer: each of its commands prints rows. What it says by frame is of frames.

usage: check_hints.py --bin DIRECTORY FIXTURES

Of the golden pages, as they are written down, and of the pages of all fixtures.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import report  # noqa: E402

CAPTURES = ('*.utrace', 'live/*.utrace', 'damaged/*.utrace', 'tracy/*.tracy', 'import/*', '*.json')
LARGEST = 3 << 20


def run(options, *arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, errors='replace', check=False, cwd=options.fixtures,
                          env={**os.environ, 'PATH': '%s:%s' % (options.bin, os.environ['PATH']), 'LC_ALL': 'C.UTF-8', 'CI': '',
                               'COLUMNS': '400'})
    return done.returncode, done.stdout


def hints(page):
    """The commands in the section `next` of a page without wrapped lines."""
    section = re.search(r'^next\n((?:  .*\n?)+)', page, re.MULTILINE)
    lines = section[1].splitlines() if section else []
    return [command.strip() for line in lines for command in re.sub(r'^  \w+ +', '', line).split(';')]


def rows(options, command, capture):
    words = [capture if word == 'FILE' else word for word in shlex.split(command)]
    if '--list' not in words:
        words += ['--no-cache', '-f', 'csv']
    status, text = run(options, *words)
    return len(text.splitlines()) - 1 if status in (0, 4) else -1


def check(result, options, name, page, capture):
    for command in hints(page):
        result.true('%s: %s' % (name, command), rows(options, command, capture) > 0)


def check_golden(result, options):
    """Hints of the golden pages."""
    for path in sorted((HERE / 'expected').glob('*.txt')):
        wide = re.search(r'^== 200 columns ==\n(.*?)(?=^== |\Z)', path.read_text(), re.MULTILINE | re.DOTALL)
        check(result, options, path.name, wide[1], 'none')


def check_fixtures(result, options):
    """Hints of the pages of all fixtures."""
    pages = 0
    for path in sorted({path for pattern in CAPTURES for path in options.fixtures.glob(pattern)}):
        if path.name.endswith('.truth.json') or not path.is_file() or path.stat().st_size > LARGEST:
            continue
        name = str(path.relative_to(options.fixtures))
        page = run(options, 'trace-stats', '-f', 'table', '--no-cache', name)[1]
        pages += bool(hints(page))
        check(result, options, name, page, name)
    result.true('%d pages' % pages, pages > 50)


def check_samples(result, options):
    """A capture of stack samples alone: the page counts them, and says how to see them."""
    samples = [{'name': '', 'ts': 1000 * i, 'pid': 10, 'tid': 21, 'weight': 1, 'sf': 1 + i % 2} for i in range(5)]
    frames = {'1': {'name': 'main', 'category': 'm'}, '2': {'name': 'draw', 'category': 'm', 'parent': '1'}}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'samples.json'
        path.write_text(json.dumps({'traceEvents': [], 'samples': samples, 'stackFrames': frames}))
        page = run(options, 'trace-stats', '-f', 'table', '--no-cache', str(path))[1]
        result.true(page, re.search(r'^  samples +5 of stacks$', page, re.MULTILINE))
        result.equal('hints', [hint.split(' -t ')[-1] for hint in hints(page)][0], 'sample_functions')
        check(result, options, 'samples alone', page, str(path))


def check_outside(result, options):
    """Work of a thread without a role: half a second before the frames, 5 ms in each of ten frames of 16 ms."""
    events = [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 2, 'args': {'name': 'Pool 1'}},
              {'ph': 'X', 'name': 'Load', 'pid': 1, 'tid': 2, 'ts': 0, 'dur': 500_000}]
    for frame in range(11):
        at = 600_000 + 16_000 * frame
        events.append({'ph': 'i', 'name': 'Frame', 'pid': 1, 'tid': 3, 'ts': at, 's': 't'})
        events += [{'ph': 'X', 'name': 'Job', 'pid': 1, 'tid': 2, 'ts': at + 1000, 'dur': 5000}] if frame < 10 else []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'outside.json'
        path.write_text(json.dumps({'traceEvents': events}))
        page = run(options, 'trace-stats', '-f', 'table', '--no-cache', str(path))[1]
    result.true(page, re.search(r'^  working/frame +5\.00 ms Pool 1$', page, re.MULTILINE))
    result.true('timers a frame', re.search(r'^ *Job +Pool 1 +5\.000 ms +5\.000 ms +1 ', page, re.MULTILINE))
    result.true('what lies before the frames is in none', 'Load' not in page)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    options.bin, options.fixtures = options.bin.resolve(), options.fixtures.resolve()
    result = report.Report()
    for check_some in (check_golden, check_fixtures, check_samples, check_outside):
        result.run(check_some.__doc__, check_some, options)
    return result.close()


if __name__ == '__main__':
    sys.exit(main())
