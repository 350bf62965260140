#!/usr/bin/env python3
"""Compares what the commands say about captures with the truth that their producer wrote down.

usage: check_truth.py --bin DIRECTORY PATH...

PATH is a truth file (NAME.truth.json, its capture NAME.utrace or NAME.utrace.zst beside it) or a directory, searched
for them. Prints one line a capture, and at the end `N passed, M failed`; the exit status is 1 when M is not 0.
"""

import argparse
import collections
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE))
import commands  # noqa: E402
import events    # noqa: E402
import report    # noqa: E402
import tables    # noqa: E402

SUFFIX = '.truth.json'
BRUTE_LIMIT = 200000            # scopes of a capture that are also counted the slow way


def read_truth(path):
    return commands.parse_json(path.read_text(encoding='utf-8', errors='surrogatepass'))


def capture_of(directory, name):
    for suffix in ('.utrace', '.utrace.zst'):
        if (directory / (name + suffix)).exists():
            return directory / (name + suffix)
    return None


def check_capture(result, runner, path, truth):
    got = tables.Captured(runner, path)
    for check in (*tables.CHECKS, events.check_listed, events.check_references, events.check_order):
        result.attempt(check, got, truth)
    calls = sum(timer['count'] for thread in truth.get('threads', ()) for timer in thread['timers'])
    if 0 < calls <= BRUTE_LIMIT:
        result.attempt(tables.check_brute, got, truth)


def check_rule(result, runner, path, rule):
    events.check_run(result, tables.Captured(runner, path), *rule)


def check_recorded(result, runner, path, truth):
    """A run of runs.truth.json: sums over all threads."""
    got = tables.Captured(runner, path)
    for key in ('frequency', 'start_cycle'):
        result.equal(key, got.info['capture'][key], truth[key])
    result.equal('event counts', runner.count(path), truth['event_counts'])
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for row in runner.table(path, 'timers', ('timer', 'count', 'total', 'excl')):
        if int(row['count']):
            sums[row['timer']] = [one + int(row[key]) for one, key in zip(sums[row['timer']], ('count', 'total', 'excl'))]
    result.equal('timers', dict(sums), truth['timers'])
    result.equal('scopes', sum(figures[0] for figures in sums.values()), truth['scopes_total'])
    frames = got.table('frames', ('type_id', 'start'))
    result.equal('game frames', sum(frame['type_id'] == '0' for frame in frames), truth['game_frames'])
    result.equal('logs', len(got.table('logs', ('time',))), truth['log_count'])


def cases(path):
    """(name, check, its arguments) for one truth file."""
    name, directory, truth = path.name.removesuffix(SUFFIX), path.parent, read_truth(path)
    if name in events.RULES:
        for capture, rule in events.RULES[name](truth):
            yield capture, check_rule, capture_of(directory, capture), rule
    elif 'runs' in truth:
        for run in truth['runs']:
            yield run['file'], check_recorded, directory / run['file'], run
    else:
        yield name, check_capture, capture_of(directory, name), truth


def truth_files(paths):
    for path in paths:
        if path.is_dir():
            yield from sorted(path.rglob('*' + SUFFIX))
        else:
            yield path


def captured(paths):
    """(name, capture, truth) for the truth files of captures that are there."""
    for path in truth_files(paths):
        name = path.name.removesuffix(SUFFIX)
        capture = capture_of(path.parent, name)
        if capture is not None:
            yield name, capture, read_truth(path)


def check_captured(description, wanted, check):
    """The main program of a check of captures: check(result, runner, capture, truth) where wanted(truth)."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument('--bin', required=True, help='the directory of the commands')
    parser.add_argument('paths', nargs='+', type=pathlib.Path)
    options = parser.parse_args()
    runner = commands.Commands(options.bin)
    run = report.Report()
    for name, capture, truth in captured(options.paths):
        if wanted(truth):
            run.run(name, check, runner, capture, truth)
    return run.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, help='the directory of the commands')
    parser.add_argument('paths', nargs='+', type=pathlib.Path)
    options = parser.parse_args()
    runner = commands.Commands(options.bin)
    run = report.Report()
    for path in truth_files(options.paths):
        for name, check, capture, truth in cases(path):
            if capture is None or not capture.exists():
                run.run(name, lambda result: result.true('there is no capture', False))
            else:
                run.run(name, check, runner, capture, truth)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
