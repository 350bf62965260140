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
NO_FUNCTION = '(no function in '
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


def make_run(maker, functions, path, dice, slow, waits=False):
    """A run; `slow`: Physics takes 12 ms in place of 4, all of it in the first function, or where it waits in none."""
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
                chosen += [(t, functions.names[0]) for t in range(end + 125, end + 8000, 250) if not waits]
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
        waits = [work / ('waits%d.utrace' % i) for i in range(RUNS)]
        for path in waits:
            make_run(maker, functions, path, dice, True, True)
        for n in (1, RUNS):
            timers = changes_of(compare(tools, functions, runs['base'][:n], waits[:n])[1], 'timer')
            result.equal('%s: timers that wait longer, %d' % (what, n), (timers['Physics']['verdict'], timers['Physics'].get('function')),
                         ('regressed', None))
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
        check_lacking(result, tools, work, saved, runs)
        check_many(result, tools, maker, work, dice)


def check_lacking(result, tools, work, saved, runs):
    """Symbols that one side has are no change of functions, and name none behind a timer."""
    bare = work / 'bare.tkb'
    for path in runs['base']:
        tools.must('trace-stats', path, '--no-symbols', '--no-cache', '--save', bare)
    for base, candidate, options in ((saved, runs['same'], ['--no-symbols']), (saved, runs['slow'], ['--no-symbols']),
                                     (bare, [saved], []), (saved, [bare], [])):
        report = json.loads(tools.run('trace-diff', base, '--vs', *candidate, '--no-cache', *options, '-f', 'json').out)
        result.true('symbols of one side: there are functions', changes_of(report, 'function'))
        result.equal('symbols of one side: verdicts', changed(report), {})
        result.equal('symbols of one side: functions of timers',
                     {name: c['function'] for name, c in changes_of(report, 'timer').items()
                      if not c.get('function', NO_FUNCTION).startswith(NO_FUNCTION)}, {})


MANY = 300      # functions, more than a run keeps
IDENTITY = '0123456789ABCDEF0123456789ABCDEF'


class ManyFunctions:
    """Functions of a symbol file that is written here."""

    def __init__(self, where):
        self.where = where
        self.where.mkdir()
        (where / 'many.dylib.sym').write_text('MODULE mac x86_64 %s0 many.dylib\n' % IDENTITY + ''.join(
            'FUNC %x 100 0 fn%03d\n' % (0x1000 + 0x100 * i, i) for i in range(MANY)), encoding='utf-8')

    def make_run(self, maker, path, dice, own=0, first=0):
        """A run of functions with nearly the same samples, from `first` on; `own`: samples a frame that fn000 has alongside these."""
        lines, clock = ['format macho', 'module 10000000 100000 %s many.dylib' % IDENTITY, 'interval %x' % 250, 'timer 1 Frame'], START + 100
        for _ in range(FRAMES):
            begin = clock
            lines.append('begin %x 1' % clock)
            for i in dice.choices(range(first, MANY), k=MANY * 4) + [0] * own:
                lines.append('sample %x %x' % (clock, 0x10001010 + 0x100 * i))
                clock += 25
            lines += ['end %x' % clock, 'frame %x %x' % (begin, clock)]
        check_symbols.write(maker, path, lines)
        return path


def changed(report):
    return {name: c['verdict'] for name, c in changes_of(report, 'function').items() if c['verdict'] not in ('unchanged', 'inconclusive')}


def check_many(result, tools, maker, folder, dice):
    """Functions that a run left out are no change, and one that has more samples is."""
    functions = ManyFunctions(folder / 'many')
    runs = [functions.make_run(maker, folder / ('many%d.utrace' % i), dice) for i in range(12)]
    for base, candidate in ((runs[:1], runs[1:2]), (runs[:6], runs[6:])):
        status, report = compare(tools, functions, base, candidate)
        result.true('many functions: %d are compared' % len(changes_of(report, 'function')), len(changes_of(report, 'function')) > MANY // 2)
        result.equal('many functions: verdicts', changed(report), {})
        result.equal('many functions: status', status, 0)
    saved = folder / 'many.tkb'
    for path in runs[:6]:
        tools.must('trace-stats', path, '--symbols', functions.where, '--no-cache', '--save', saved)
    bare = tools.run('trace-diff', saved, '--vs', *runs[6:], '--no-symbols', '--no-cache', '-f', 'json')
    result.equal('many functions: without symbols', changed(json.loads(bare.out)), {})
    slow = [functions.make_run(maker, folder / ('own%d.utrace' % i), dice, 40) for i in range(6)]
    result.equal('many functions: a slow one', changed(compare(tools, functions, runs[:6], slow)[1]), {'fn000': 'regressed'})
    without = [functions.make_run(maker, folder / ('without%d.utrace' % i), dice, 0, 1) for i in range(6)]
    new = [functions.make_run(maker, folder / ('new%d.utrace' % i), dice, 40, 1) for i in range(6)]
    for base, candidate, verdict in ((without, new, 'regressed'), (new, without, 'improved')):
        for n in (1, 6):
            report = compare(tools, functions, base[:n], candidate[:n])[1]
            result.equal('many functions: one that a side does not have, %d' % n, changed(report), {'fn000': verdict})
            one = next(c for c in report['changes'] if c['name'] == 'fn000')
            # none of its samples is there: what is reported of that side is a bound, and said to be one
            result.equal('many functions: bounds, %d' % n, (one.get('bounded'), one['interval']),
                         ('baseline' if base is without else 'candidate', None))
    much = [functions.make_run(maker, folder / ('much%d.utrace' % i), dice, 300, 1) for i in range(6)]
    for base, candidate, verdict in ((without, much, 'regressed'), (much, without, 'improved')):
        frame = changes_of(compare(tools, functions, base, candidate)[1], 'timer')['Frame']
        result.equal('many functions: the one behind a timer, which a side does not have', (frame['verdict'], frame.get('function')),
                     (verdict, 'fn000'))


if __name__ == '__main__':
    sys.exit(by_seed.main(__doc__, check_seed, 1))
