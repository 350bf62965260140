#!/usr/bin/env python3
"""Calls what a build leaves out: each call has to end with status 2 and one sentence that names the option. Behind it may
stand where the help is, as for other mistakes.

usage: check_wings.py --bin DIRECTORY --without WING,... FIXTURES
"""

import argparse
import pathlib
import subprocess
import sys

CALLS = {
    'edit': (['trace-edit', 'tiny.utrace', '-o', '/nowhere/out.utrace'],),
    'live': (['trace-record'], ['trace-control', 'list'], ['trace-stats', '--follow', 'tiny.utrace'],
             ['trace-events', '--follow', 'tiny.utrace']),
    'symbols': (['trace-stats', '--symbols', '.', 'tiny.utrace'],
                ['trace-export', 'game.utrace.zst', '-f', 'tksym', '-o', '/nowhere/out.tksym']),
    'presets': (['trace-export', 'tiny.utrace', '--preset', 'insights', '-o', '/nowhere/out'],),
    'compare': (['trace-diff', 'tiny.utrace', 'tiny.utrace'], ['trace-check', 'tiny.utrace'], ['trace-trend', '.'],
                ['trace-baseline', 'list', 'baseline-v1-a.tkb'], ['trace-stats', 'tiny.utrace', '--save', '/nowhere/runs.tkb']),
    'report': (['trace-report', 'tiny.utrace', '-o', '/nowhere/page.html'],),
    'view': (['trace-view', 'tiny.utrace'],),
    'sql': (['trace-query', 'tiny.utrace', 'SELECT 1'],),
    'agent': (['trace-mcp', '.'],),
    'metric': (['trace-stats', 'tiny.utrace', '--metric', 'metrics.json'],),
    'page': (),
}


def check(directory, wing, words, fixtures):
    """What is wrong with the answer, or None."""
    done = subprocess.run([directory / words[0], *words[1:]], cwd=fixtures, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60)
    messages = [line for line in done.stderr.splitlines() if not line.startswith("  see '")]
    if done.returncode != 2 or done.stdout or len(messages) != 1 or '-DTK_WITH_%s=ON' % wing.upper() not in messages[0]:
        return '%s: status %d, %r' % (' '.join(words), done.returncode, done.stdout + done.stderr)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('--without', required=True)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    calls = [(wing, words) for wing in options.without.split(',') for words in CALLS[wing]]
    faults = list(filter(None, (check(options.bin.resolve(), *call, options.fixtures) for call in calls)))
    print('\n'.join(faults) or '%d calls, 0 faults' % len(calls))
    return 1 if faults or not calls else 0


if __name__ == '__main__':
    sys.exit(main())
