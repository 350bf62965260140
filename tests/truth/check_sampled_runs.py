#!/usr/bin/env python3
"""Checks comparisons of runs with stack samples: the part of each function, the verdicts, and the function behind a slower timer.

The runs are made up: frames with three timers, functions of symbol files whose frames two independent tools agree on, samples of
them by known chances. What functions have is counted here.

usage: check_sampled_runs.py --bin DIRECTORY --maker PROGRAM [--seeds N] FOLDER

FOLDER has symbols/ (fixtures/README.md).
"""

import collections
import json
import pathlib
import random
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import by_seed         # noqa: E402
import check_symbols   # noqa: E402

START, FRAMES, RUNS = 1000, 60, 6
TIMERS = ('Frame', 'Update', 'Physics', 'Draw')


class Functions:
    """An address of each of some functions."""

    def __init__(self, folder):
        modules = json.loads((folder / 'modules.json').read_text(encoding='utf-8'))
        module = next(m for m in modules if (m['set'], m['image']) == ('elf-lld', 'libmesh'))
        self.where = folder / module.get('folder', module['set'])
        self.lines = ['format dwarf', check_symbols.module_line(module)]
        self.at = {}
        for row in check_symbols.expectations(folder, module):
            if '<' not in row['frames'][0]['function']:
                self.at.setdefault(row['frames'][0]['function'], int(module['base'], 16) + int(row['offset'], 16))
        self.names = sorted(self.at)[:4]


def make_run(maker, functions, path, dice, slow):
    """A run; `slow`: Physics takes 12 ms in place of 4, all of it in the first function."""
    lines = functions.lines + ['interval %x' % 250]
    lines += ['timer %x %s' % (i + 1, name) for i, name in enumerate(TIMERS)]
    own, clock = collections.Counter(), START + 100
    for _ in range(FRAMES):
        begin = clock
        lines.append('begin %x 1' % clock)
        for timer, ms, among in ((2, 4, (0, 1, 2, 3)), (3, 4, (0, 1)), (4, 4, (2, 3))):
            length = int(ms * 1000 * dice.uniform(0.97, 1.03))
            lines.append('begin %x %x' % (clock, timer + 0))
            end = clock + length
            chosen = [(t, functions.names[dice.choice(among)]) for t in range(clock + 125, end, 250)]
            if slow and timer == 3:
                chosen += [(t, functions.names[0]) for t in range(end + 125, end + 8000, 250)]
                end += 8000
            for t, name in chosen:
                own[name] += 1
                lines.append('sample %x %x' % (t, functions.at[name]))
            lines.append('end %x' % end)
            clock = end
        lines += ['end %x' % clock, 'frame %x %x' % (begin, clock)]
    check_symbols.write(maker, path, lines)
    return own


def shares(runs):
    """Mean over runs of the percentage of each function."""
    return {name: sum(100 * own[name] / sum(own.values()) for own in runs) / len(runs) for own in runs for name in own}


def compare(tools, functions, base, candidate):
    done = tools.run('trace-diff', *base, '--vs', *candidate, '--symbols', functions.where, '--no-cache', '-f', 'json')
    return done.status, json.loads(done.out)


def changes_of(report, kind):
    return {change['name']: change for change in report['changes'] if change['kind'] == kind}


def check_seed(result, tools, maker, folder, seed):
    with tempfile.TemporaryDirectory() as work:
        dice, functions, work = random.Random(seed), Functions(folder), pathlib.Path(work)
        runs, own = {}, {}
        for side, slow in (('base', False), ('same', False), ('slow', True)):
            runs[side] = [work / ('%s%d.utrace' % (side, i)) for i in range(RUNS)]
            own[side] = [make_run(maker, functions, path, dice, slow) for path in runs[side]]
        what = 'seed %d' % seed
        status, report = compare(tools, functions, runs['base'], runs['same'])
        found = changes_of(report, 'function')
        result.equal(what + ': functions of equal runs', {name: c['verdict'] for name, c in found.items()
                                                          if c['verdict'] in ('regressed', 'improved')}, {})
        for side in ('same', 'slow'):
            status, report = compare(tools, functions, runs['base'], runs[side])
            found = changes_of(report, 'function')
            for value, runs_of in (('baseline', own['base']), ('candidate', own[side])):
                wanted = shares(runs_of)
                result.equal('%s, %s: functions' % (what, side), sorted(found), sorted(wanted))
                for name, part in wanted.items():
                    result.true('%s, %s: %s of %s: %s, not %s' % (what, side, value, name, found[name][value], part),
                                abs(found[name][value] - part) <= 1e-4 * part)
        verdicts = {name: c['verdict'] for name, c in found.items()}
        result.equal(what + ': functions of slow runs', verdicts,
                     {name: 'regressed' if name == functions.names[0] else 'unchanged' for name in functions.names})
        timers = changes_of(report, 'timer')
        result.equal(what + ': timers of slow runs', {name: c.get('function') for name, c in timers.items() if c['verdict'] == 'regressed'},
                     {'Physics': functions.names[0]})
        result.equal(what + ': status', status, 1)
        saved = work / 'base.tkb'
        for path in runs['base']:
            tools.must('trace-stats', path, '--symbols', functions.where, '--no-cache', '--save', saved)
        again = json.loads(tools.run('trace-diff', saved, '--vs', *runs['slow'], '--symbols', functions.where, '--no-cache', '-f', 'json').out)
        result.equal(what + ': from a baseline', changes_of(again, 'function'), changes_of(report, 'function'))
        text = tools.run('trace-diff', saved, '--vs', *runs['slow'], '--symbols', functions.where, '--no-cache').out.decode()
        result.true(what + ': the report names the function', 'by samples most of it in ' + functions.names[0] in ' '.join(text.split()))
        bare = tools.run('trace-diff', runs['base'][0], runs['slow'][0], '--no-symbols', '-f', 'json')
        names = sorted(changes_of(json.loads(bare.out), 'function'))
        result.equal(what + ': without symbols', names, ['(no function in libmesh.so)'])


if __name__ == '__main__':
    sys.exit(by_seed.main(__doc__, check_seed, 1))
