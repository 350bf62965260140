#!/usr/bin/env python3
"""Runs the programs of examples/ and compares what they print with the truth about the captures.

usage: check_examples.py --bin DIRECTORY [--corpus DIRECTORY] FIXTURES
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import report    # noqa: E402

CYCLES = {'tiny': 'tiny.utrace', 'game': 'game.utrace.zst', 'threads': 'threads.utrace'}

# What fixtures/README.md says of the two builds, as far as one run a side can tell: fifteen percent of Lighting and
# ten of UI.Layout are not certain then.
BUILDS = {'regressed timer Streaming.Flush', 'removed timer Legacy.Sense',
          'added timer Subsystem.Inventory', 'renamed timer Camera.Update -> View.Update'}


def run(program, *words):
    done = subprocess.run([str(program), *map(str, words)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def ns(cycles, truth):
    return cycles * 10**9 // truth['frequency']


def milliseconds(text):
    """A number with six digits behind its point, as nanoseconds."""
    whole, _, rest = text.partition('.')
    return int(whole + rest) if len(rest) == 6 else None


def timers(truth_list):
    """Own cycles and calls by name."""
    sums = collections.defaultdict(lambda: [0, 0])
    for timer in truth_list:
        sums[timer['timer']][0] += timer['excl']
        sums[timer['timer']][1] += timer['count']
    return sums


def check_top(result, options, name, truth, program='top-timers'):
    path, top = options.fixtures / CYCLES[name], 5
    wanted = sorted(((ns(own, truth), count) for own, count in timers(truth['timers_total']).values()), reverse=True)
    status, out, err = run(options.bin / program, path, top)
    result.equal('status (%s)' % err, (status, err), (0, ''))
    rows = [line.split(None, 2) for line in out.splitlines()[1:]]
    result.equal('figures', [(milliseconds(own), int(count)) for own, count, _ in rows], wanted[:top])
    for own, count, timer in rows:
        known = timers(truth['timers_total'])[timer]
        result.equal(timer, (milliseconds(own), int(count)), (ns(known[0], truth), known[1]))


def check_own(result, options, name, truth):
    status, out, err = run(options.bin / 'own-times', options.fixtures / CYCLES[name])
    calls = sum(timer['count'] for timer in truth['timers_total'])
    own = sum(ns(timer['excl'], truth) for timer in truth['timers_total'])
    result.equal('status (%s)' % err, (status, err), (0, ''))
    result.equal('figures', out, '%d calls %.6f ms\n' % (calls, own / 1e6))


def check_scopes(result, options, name, truth):
    for thread in truth['threads'][:4]:
        status, out, err = run(options.bin / 'thread-scopes', options.fixtures / CYCLES[name], thread['name'])
        result.equal('status of %s (%s)' % (thread['name'], err), (status, err), (0, ''))
        sums, never = collections.defaultdict(lambda: [0, 0]), 0
        for line in out.splitlines()[1:]:
            begin, _, rest = line.strip().partition(' ')
            if rest.strip().startswith('never ended'):
                never += 1
                continue
            length, depth, timer = rest.split(None, 2)
            result.true(line, milliseconds(begin) is not None and int(depth) < thread['max_depth'])
            sums[timer][0] += milliseconds(length)
            sums[timer][1] += 1
        wanted = collections.defaultdict(lambda: [0, 0])
        for timer in thread['timers']:
            wanted[timer['timer']][0] += ns(timer['incl'], truth)
            wanted[timer['timer']][1] += timer['count']
        wanted = {timer: figures for timer, figures in wanted.items() if figures[1]}
        result.equal(thread['name'], dict(sums), wanted)
        result.equal('open scopes', never, thread.get('open_scopes_at_end', 0))


def check_builds(result, options):
    status, out, err = run(options.bin / 'compare-captures', options.fixtures / 'baseline-v1-a.tkb',
                           options.fixtures / 'baseline-v1-b.tkb')
    result.equal('status (%s)' % err, (status, err), (1, ''))
    result.equal('changes', {line.partition(',')[0] for line in out.splitlines()}, BUILDS)
    signs = {line.partition(',')[0].split()[-1]: line.partition(', ')[2][:1] for line in out.splitlines()}
    result.equal('sign', signs['Streaming.Flush'], '+')


def check_runs(result, options):
    """Two captures of the same build: nothing became slower."""
    runs = sorted((options.corpus / 'runs').glob('a_0[01].utrace*'))
    status, out, err = run(options.bin / 'compare-captures', *runs)
    result.equal('status (%s)' % err, (status, err), (0, ''))
    result.true(out, 'regressed' not in out)


def check_failures(result, options):
    tiny, none = options.fixtures / 'tiny.utrace', options.fixtures / 'none.utrace'
    for words, status, part in ((('top-timers',), 2, 'usage'), (('top-timers', none), 1, 'none.utrace'),
                                (('thread-scopes', tiny, 'GameTread'), 1, "'GameThread'"),
                                (('own-times', none), 1, 'none.utrace'), (('own-times', HERE / 'CMakeLists.txt'), 1, 'capture'),
                                (('compare-captures', tiny, options.fixtures / 'threads.utrace'), 3, 'have no frames'),
                                (('compare-captures', none, tiny), 3, 'none.utrace'),
                                *((words, status, part) for other in options.others for words, status, part in
                                  (((other,), 2, 'usage'), ((other, none), 1, 'none.utrace')))):
        got, out, err = run(options.bin / words[0], *words[1:])
        result.equal('%s: %s' % (words, err), (got, out.count('\n') > 1), (status, False))
        result.true('%r in %r' % (part, err), part in err)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('--corpus', type=pathlib.Path)
    parser.add_argument('--others', type=lambda text: list(filter(None, text.split(';'))), default=[],
                        help='programs in other languages that print what top-timers prints')
    parser.add_argument('--small', action='store_true', help='the small captures only')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    reports = report.Report()
    for name in ['tiny'] if options.small else CYCLES:
        truth = json.loads((options.fixtures / (name + '.truth.json')).read_text(encoding='utf-8'))
        reports.run('top-timers ' + name, check_top, options, name, truth)
        for other in options.others:
            reports.run('%s %s' % (pathlib.Path(other).name, name), check_top, options, name, truth, other)
        reports.run('own-times ' + name, check_own, options, name, truth)
        reports.run('thread-scopes ' + name, check_scopes, options, name, truth)
    reports.run('compare-captures', check_builds, options)
    reports.run('failures', check_failures, options)
    if options.corpus:
        reports.run('compare-captures of one build', check_runs, options)
    return reports.close()


if __name__ == '__main__':
    sys.exit(main())
