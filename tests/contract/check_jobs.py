#!/usr/bin/env python3
"""The same bytes for every number of threads.

usage: check_jobs.py --bin DIRECTORY [--every N] FIXTURES

Asks each command about every capture below FIXTURES with --jobs 1 and --jobs 4 and compares output, messages and exit
status; and the baselines of a capture that --jobs 1 to 4 make. With --every only each Nth of the captures is asked.
"""

import argparse
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402

CAPTURES = ('*.utrace', '*.utrace.zst', '*.tracy')
LARGE = 1 << 20         # bytes of a capture whose events are counted, not printed one by one
QUESTIONS = (
    ('trace-stats', '--table', 'timers', '--by', 'thread', '--unit', 'cycles', '--format', 'csv'),
    ('trace-stats',),
    ('trace-stats', '--hitches=1.1x', '--slowest', '50', '--format', 'ndjson'),
    ('trace-stats', '--tree', '--by', 'thread', '--limit', 'tree_nodes=3000', '--format', 'csv'),
    ('trace-events', '--count', '--format', 'json'),
    ('trace-info', '--full', '--types', '--format', 'json'),
)
LISTS = tuple(('trace-events', '--format', 'ndjson', '--order', order) for order in ('file', 'serial', 'time'))
LISTS += tuple(('trace-export', '--format', *words, '--output', '-') for words in (
    ('chrome',), ('perfetto',), ('ndjson',), ('csv', '--table', 'scopes'), ('csv', '--table', 'scopes', '--sort', 'start')))


def check(result, runner, path):
    questions = QUESTIONS if path.stat().st_size > LARGE else QUESTIONS + LISTS
    for name, *options in questions:
        one, four = (runner.run(name, path, *options, '--jobs', jobs) for jobs in ('1', '4'))
        what = ' '.join([name, *options])
        result.equal(what + ': status', four.status, one.status)
        result.true(what + ': other output', four.out == one.out)
        rows_alone = name == 'trace-events' or 'ndjson' in options      # of which there may be none
        result.true(what + ': no output', one.out or one.status or rows_alone)
        result.equal(what + ': messages', four.err, one.err)
        result.true(what + ': crashed', one.status >= 0)
    check_baseline(result, runner, path)


def save(runner, path, jobs):
    """Status, messages and the bytes of the baseline, None where there is none."""
    with tempfile.TemporaryDirectory() as folder:
        baseline = pathlib.Path(folder) / 'run.tkb'
        done = runner.run('trace-stats', path, '--save', baseline, '--quiet', '--jobs', jobs)
        return done.status, done.err, baseline.read_bytes() if baseline.exists() else None


def check_baseline(result, runner, path):
    one = save(runner, path, '1')
    result.true('no baseline', one[0] or one[2])
    for jobs in '2', '3', '4':
        result.true('baseline, --jobs %s: other status, messages or bytes' % jobs, save(runner, path, jobs) == one)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, help='the directory of the commands')
    parser.add_argument('--every', type=int, default=1, help='one capture of so many')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    runner = commands.Commands(options.bin)
    run = report.Report()
    for path in sorted(path for kind in CAPTURES for path in options.fixtures.rglob(kind))[::options.every]:
        run.run(path.relative_to(options.fixtures), check, runner, path)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
