#!/usr/bin/env python3
"""Checks the operation of a gate: runs that are not what they seem, floors, shifts that all timers share, added cost, and
programs without frames.

usage: check_gate.py --bin DIRECTORY --rewrite PROGRAM SCHEMAS

Every capture is written here from a description, so that what is to be found is known by construction.
"""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'harness'))
import schema   # noqa: E402

FREQUENCY = 100_000_000   # cycles of 10 ns
START = 5_000_000_000
failures = []
checks = 0


def check(what, condition, more=''):
    global checks
    checks += 1
    if not condition:
        failures.append('%s %s' % (what, str(more)[:600]))


class Gate:
    def __init__(self, args):
        self.bin = os.path.abspath(args.bin)
        self.rewrite = args.rewrite
        self.schemas = args.schemas
        self.corpus = pathlib.Path(args.corpus) if args.corpus else None

    def run(self, name, *words):
        done = subprocess.run([os.path.join(self.bin, 'trace-' + name), *map(str, words)], capture_output=True)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def diff(self, base, candidate, *words):
        """(status, report) of runs against runs; the report keeps the schema."""
        status, out, err = self.run('diff', '-q', '--report', 'json', *words, *base, '--vs', *candidate)
        if not out:
            return status, {'err': err, 'changes': [], 'verdict': None}
        report = json.loads(out)
        wrong = schema.first_fault(report, json.loads((self.schemas / 'diff.schema.json').read_text()))
        check('schema of diff', not wrong, wrong)
        return status, report


class Program:
    """Timers of a frame one after the other, in ms of their own time; a run differs from another by a little."""

    def __init__(self, timers, frames=300, frame_ms=None, session='session 3 Game Linux -run', noise=0.004):
        self.timers, self.frames, self.frame_ms, self.session, self.noise = timers, frames, frame_ms, session, noise

    def lines(self, seed, factor=1.0, frames=None, seconds=None, added=(), message=None, channels=(), session=None, framed=True):
        """Frames up to a number, or to a time; `factor` is of all timers, or a dictionary of some."""
        rng = random.Random(seed)
        timers = {**self.timers, **dict(added)}
        numbers = {name: i + 1 for i, name in enumerate([*self.timers, *[n for n, _ in added]])}
        yield session or self.session
        yield from ('channel 0 ' + c for c in channels)
        yield from ('timer %d %s' % (i, name) for name, i in numbers.items())
        yield 'timer 900 Frame'
        yield 'thread 2 GameThread'
        run = {name: rng.gauss(1, self.noise) for name in timers}
        at, n, end = START, 0, START + int((seconds or 1e9) * FREQUENCY)
        while n < (frames or (1 << 40 if seconds else self.frames)) and at < end:
            if framed:
                yield 'F 2 %d' % at
            yield 'b 2 %d 900' % (at + 1)
            begin, at = at, at + 2
            for name, ms in timers.items():
                scale = factor.get(name, 1) if isinstance(factor, dict) else factor
                yield 'b 2 %d %d' % (at, numbers[name])
                at += max(1, int(ms * scale * run[name] * rng.gauss(1, 0.02) * FREQUENCY / 1e3))
                yield 'e 2 %d' % at
            yield 'e 2 %d' % at
            at = max(at, begin + int((self.frame_ms or 0) * FREQUENCY / 1e3))
            if framed:
                yield 'f 2 %d' % (at + 1)
            at += 2
            n += 1
        if message:
            yield 'L 2 %d %s' % (at, message)

    def write(self, gate, path, seed, **how):
        subprocess.run([gate.rewrite, str(path), str(FREQUENCY)], input='\n'.join(self.lines(seed, **how)).encode() + b'\n', check=True)
        return path

    def runs(self, gate, folder, name, n, **how):
        return [self.write(gate, folder / ('%s-%d.utrace' % (name, i)), name + str(i), **how) for i in range(n)]


def verdicts(report):
    return {(c['kind'], c['name']): c['verdict'] for c in report['changes']}


# 6 ms of work a frame, in four timers
USUAL = Program({'Physics': 2.0, 'Draw': 1.5, 'Audio': 0.5, 'Logic': 2.0})


def whole_runs(gate, folder):
    """Fixed time or fixed frames are no half runs; half of one is."""
    base = USUAL.runs(gate, folder, 'base', 3, seconds=2)
    status, report = gate.diff(base, USUAL.runs(gate, folder, 'slow', 3, seconds=2, factor=1.15))
    # 15 % less frames in the same time
    check('fixed time, 15 % slower', status == 1 and report['verdict'] == 'regressed' and report['comparable'] and
          report['sides']['candidate']['frames'] < 0.9 * report['sides']['baseline']['frames'], report['verdict'])
    base = USUAL.runs(gate, folder, 'fixed', 3, frames=300)
    status, report = gate.diff(base, USUAL.runs(gate, folder, 'fast', 3, frames=300, factor=0.85))
    check('fixed frames, 15 % faster', status == 0 and report['verdict'] == 'improved' and report['comparable'], report['verdict'])
    status, report = gate.diff(base, USUAL.runs(gate, folder, 'half', 3, frames=150))
    check('half a run', status == 4 and report['verdict'] == 'not comparable' and [f['reason'] for f in report['flaws']] == ['short'] * 3 and
          '150 of 300 frames' in report['flaws'][0]['text'], report['flaws'])
    status, report = gate.diff(base, [folder / 'half-0.utrace'], '--allow-short')
    same = gate.run('diff', '-q', base[0], base[0])
    check('the same data: a warning', same[0] == 0 and same[1].startswith('Warning: a run is on both sides, so that it is compared with itself.') and
          gate.run('diff', '-q', '--require-verdict', base[0], base[0])[0] == 4, same)
    check('half a run, let pass', status == 0 and report['comparable'] and len(report['flaws']) == 1, report['verdict'])
    one = gate.run('diff', base[0], folder / 'half-1.utrace')
    check('half a run in text', one[0] == 4 and one[1].startswith('Nothing can be said: ') and 'half-1.utrace' in one[1], one)
    for kind, said in (('markdown', '* not comparable: '), ('junit', 'type="not comparable"'), ('github', '::error title=trace-diff::not comparable'),
                       ('sarif', '"ruleId":"runs"')):
        check('half a run in %s' % kind, said in gate.run('diff', '-q', '--report', kind, base[0], folder / 'half-1.utrace')[1])


def killed(path, folder):
    """The capture without its end, as a killed recorder leaves it."""
    data, out = path.read_bytes(), folder / ('killed-' + path.name)
    out.write_bytes(data[:len(data) * 4 // 5])
    return out


def ends(gate, folder):
    """A cut end is a note; a crash that was recorded is none."""
    long = [USUAL.write(gate, folder / ('long-%d.utrace' % i), 'long%d' % i, frames=1000) for i in range(4)]
    cut = [killed(p, folder) for p in long]
    status, report = gate.diff(cut[:2], cut[2:])
    check('both sides killed', status == 0 and report['comparable'] and report['captures'] == 'cut off', (status, report['verdict'], report.get('flaws')))
    died = USUAL.write(gate, folder / 'died.utrace', 'died', message='1 Assertion failed: Pool', frames=300)
    base = [folder / ('fixed-%d.utrace' % i) for i in range(3)]
    status, report = gate.diff(base, [died])
    check('a fatal error', status == 4 and report['verdict'] == 'not comparable' and 'Assertion failed: Pool' in report['flaws'][0]['text'], report)
    saved = folder / 'died.tkb'
    gate.run('stats', '-q', '--save', saved, died)
    check('a fatal error in a baseline', gate.diff(base, [saved])[1]['verdict'] == 'not comparable')
    error = USUAL.write(gate, folder / 'error.utrace', 'error', message='2 cannot open', frames=300)
    check('an error that is not fatal', gate.diff(base, [error])[1]['comparable'])
    budget = folder / 'budget.json'
    budget.write_text(json.dumps({'budgets': [{'kind': 'frame', 'name': 'p50', 'error': 100}]}))
    status, out, _ = gate.run('check', '-q', '--budget', budget, '--report', 'json', died)
    check('trace-check of it', status == 4 and json.loads(out)['verdict'] == 'not comparable', out)
    wrong = schema.first_fault(json.loads(out), json.loads((gate.schemas / 'check.schema.json').read_text()))
    check('schema of check', not wrong, wrong)
    check('trace-check lets it pass', gate.run('check', '-q', '--budget', budget, '--allow-short', died)[0] == 0)
    status, _, err = gate.run('check', '-q', '--expect', 'frames', died)
    check('trace-check without budgets', status == 4 and 'Assertion failed: Pool' in err, err)


def left_out(gate, folder):
    """A crashed run of five is left out with its reason; of two it makes the rest not comparable."""
    base = [folder / ('fixed-%d.utrace' % i) for i in range(3)]
    good = USUAL.runs(gate, folder, 'good', 4, frames=300)
    slow = USUAL.runs(gate, folder, 'slower', 4, frames=300, factor=1.3)
    died = USUAL.write(gate, folder / 'died-of-five.utrace', 'died5', message='1 Assertion failed: Pool', frames=300, factor=3)
    status, report = gate.diff(base, [*good, died])
    check('one of five', status == 0 and report['comparable'] and report['runs']['candidate'] == 4 and
          [f['reason'] for f in report['flaws']] == ['ended'], (status, report['verdict'], report['runs']))
    status, report = gate.diff(base, [died, *slow])
    check('one of five, and the rest slower', status == 1 and report['verdict'] == 'regressed' and report['runs']['candidate'] == 4, status)
    text = gate.run('diff', '-q', *base, '--vs', *good, died)[1]
    check('it is said', 'left out: candidate run 5 (died-of-five.utrace) ended in' in ' '.join(text.split()) and '--allow-short' in text, text)
    check('all are compared', gate.diff(base, [*good, died], '--allow-short')[1]['runs']['candidate'] == 5)
    check('one of two', gate.diff(base, [good[0], died])[0] == 4)
    check('three of five', gate.diff(base, [*good[:2], died, *[USUAL.write(gate, folder / ('d%d.utrace' % i), 'd%d' % i, message='1 Fatal', frames=300)
                                                               for i in range(2)]])[0] == 4)
    status, report = gate.diff([*base, died], good)
    check('one of the baseline', status == 0 and report['runs']['baseline'] == 3 and any('crash' in n for n in report['notes']), (status, report.get('notes')))
    budget = folder / 'five.json'
    budget.write_text(json.dumps({'budgets': [{'kind': 'frame', 'name': 'p50', 'error': 9}]}))
    for runs, words, wanted in (([died, *good], (), 0), ([died, *good], ('--allow-short',), 1), ([died, good[0]], (), 4), ([died, *slow], (), 0)):
        check('a budget of five', gate.run('check', '-q', '--budget', budget, *words, *runs)[0] == wanted, (len(runs), words))
    check('content of five', gate.run('check', '-q', '--expect', 'frames', *good, died)[0] == 0)


def machines(gate, folder):
    """A machine is what matters of it; a name counts where it was given, and where a baseline has no more."""
    runs = USUAL.runs(gate, folder, 'machine', 6, frames=300)

    def saved(name, runs, *facts):
        path = folder / (name + '.tkb')
        for run in runs:
            gate.run('stats', '-q', '--save', path, run, *(w for f in facts for w in ('--run-info', f)))
        return path

    parts = ('cpu=Z80', 'cores=8', 'memory=32896000 kB', 'os=Linux 6.1')
    new = saved('m-new', runs[:3], 'host=ci1', *parts)
    old = saved('m-old', runs[:3], 'machine=ci1')
    for name, base, facts, wanted in (
            ('the same', new, ('host=ci2', *parts), 'unchanged'), ('another kernel', new, ('cpu=Z80', 'cores=8', 'os=Linux 6.9'), 'unchanged'),
            ('as much memory', new, (*parts[:2], 'memory=32 GB'), 'unchanged'), ('more memory', new, (*parts[:2], 'memory=64 GB'), 'other machines'),
            ('another processor', new, ('cpu=6502', *parts[1:]), 'other machines'), ('more cores', new, (parts[0], 'cores=16'), 'other machines'),
            ('another driver', saved('m-gpu', runs[:3], 'gpu=Voodoo', 'driver=1.2'), ('gpu=Voodoo', 'driver=1.3'), 'other machines'),
            ('what a host is said to be', new, ('host.cpu=Z80', 'host.cores=8'), 'unchanged'), ('goes behind what is given', new, ('host.cpu=6502', 'cpu=Z80', 'cores=8'), 'unchanged'),
            ('a name of the host', old, ('host=ci1', *parts), 'unchanged'), ('another host', old, ('host=ci2', *parts), 'other machines'),
            ('names', old, ('machine=ci1',), 'unchanged'), ('other names', old, ('machine=ci2', *parts), 'other machines')):
        status, report = gate.diff([base], runs[3:], *(w for f in facts for w in ('--run-info', f)))
        check('machines: %s' % name, (status, report['outcome']) == (0, wanted), (status, report['outcome']))
        check('machines: %s is said' % name, any('kind of machine' in n for n in report['notes']) == (wanted == 'other machines'), report['notes'])
        by_name = name == 'a name of the host'
        check('machines: %s by name' % name, any('by which they are matched' in n for n in report['notes']) == by_name, report['notes'])
    history = folder / 'm-history'
    for i, facts in enumerate((('cpu=Z80', 'cores=8'), ('cpu=6502', 'cores=8'))):
        gate.run('stats', '-q', '--save', str(history) + '/', runs[i], '--run-info', 'branch=main', '--run-info', 'time=%d' % (1_700_000_000 + i),
                 *(w for f in facts for w in ('--run-info', f)))
    report = gate.diff([history], runs[3:], '--base-of', 'main', '--run-info', 'cpu=Z80', '--run-info', 'cores=8')[1]
    check('the base of its machine', report['sides']['baseline']['captures'] == ['machine-0.utrace'], report['sides']['baseline'])
    report = gate.diff([history], runs[3:], '--base-of', 'main', '--run-info', 'cpu=8086')[1]
    check('none of its machine', report['outcome'] == 'other machines' and "2 runs of 'main', none of this kind of machine (8086)" in report['notes'], report['notes'])
    captures = [p for p in sorted((pathlib.Path(__file__).resolve().parents[2] / 'fixtures' / 'tracy').glob('small-0.14*.tracy'))][:1]
    for capture in captures:        # which says what it ran on: that goes before the host
        report = gate.diff([capture], [capture], '--run-info', 'host.cpu=Z80')[1]
        check('a capture that says its machine', report['outcome'] == 'same data', report.get('outcome'))


def selections(gate, folder):
    """A selection belongs to a side: two parts of one capture are two sides."""
    run = USUAL.write(gate, folder / 'parts.utrace', 'parts', frames=300)
    slower = USUAL.write(gate, folder / 'parts-slow.utrace', 'parts-slow', frames=300, factor=1.3)
    for before, behind, both in ((('--frames', '0-99'), ('--frames', '100-299'), False), (('--frames', '0-99'), (), True),
                                 ((), ('--from', '0.3'), True), (('--from', '0.2'), ('--from', '0.9'), False)):
        status, out, err = gate.run('diff', '-q', '--report', 'json', run, *before, '--vs', slower, *behind)
        found = json.loads(out)['sides'] if out else {}
        a, b = (found[s]['selection'] for s in ('baseline', 'candidate')) if found else (1, 1)
        check('selection of a side: %s %s' % (before, behind), status in (0, 1) and a and b and (a == b) == both, (status, a, b, err))
    status, report = gate.diff([run], [run])
    check('the same data', status == 0 and report['outcome'] == 'same data' and any('both sides' in n for n in report['notes']), report['notes'])
    status, out, err = gate.run('diff', '-q', '--report', 'json', run, '--frames', '0-99', '--vs', run, '--frames', '200-299')
    report = json.loads(out)
    check('two parts of one capture', report['outcome'] != 'same data' and report['sides']['baseline']['frames'] == 100 and
          report['sides']['candidate']['selection'] == ['frames 200-299'], report['sides'])
    text = gate.run('diff', '-q', run, '--frames', '0-99', '--vs', run, '--frames', '200-299')[1]
    check('heads name the parts', 'only frames 0-99' in text and 'only frames 200-299' in text, text)


def sides(gate, folder):
    """What the sides are, and what differs of their environment."""
    base = [folder / ('fixed-%d.utrace' % i) for i in range(3)]
    other = USUAL.write(gate, folder / 'other.utrace', 'other', session='session 4 Game Linux -fast', channels=('Memory',), frames=300)
    status, report = gate.diff(base, [other], '--run-info', 'cpu=Z80')
    reported = report['sides']['baseline']
    check('a side', (reported['runs'], reported['frames'], reported['application'], reported['platform'], reported['build'], reported['branch']) ==
          (3, 900, ['Game'], ['Linux'], ['1'], ['main']) and reported['captures'] == ['fixed-0.utrace', 'fixed-1.utrace', 'fixed-2.utrace'], reported)
    # 6 ms a frame and some
    check('its seconds', abs(reported['seconds'] - 900 * 0.006) < 0.1, reported['seconds'])
    differences = {d['what']: (d['baseline'], d['candidate']) for d in report['differences']}
    check('what differs', differences == {'build configuration': (['Development'], ['Shipping']), 'command line': (['-run'], ['-fast']),
                                          'channels on one side only': ([], ['Memory'])}, differences)
    check('the machine is not known', not report['machine_known'])
    text = gate.run('diff', '-q', base[0], other)[1]
    check('it is told', 'changes of machine cannot be detected' in text and 'differs: command line: -run -> -fast' in text, text)
    named = []
    for i, path in enumerate((base[0], other)):
        named.append(folder / ('named-%d.tkb' % i))
        gate.run('stats', '-q', '--save', named[i], path, '--run-info', 'machine=m%d' % i)
    report = gate.diff([named[0]], [named[1]])[1]
    check('the machine is known', report['machine_known'] and {'what': 'machine', 'baseline': ['m0'], 'candidate': ['m1']} in report['differences'])


def programs(gate, folder):
    """Runs of another program are refused by name."""
    base = [folder / ('fixed-%d.utrace' % i) for i in range(3)]
    for what, session in (('application', 'session 3 Editor Linux -run'), ('platform', 'session 3 Game Windows -run')):
        alien = USUAL.write(gate, folder / ('alien-%s.utrace' % what), 'alien', session=session, frames=300)
        name, value = alien.name, session.split()[2 if what == 'application' else 3]
        for words in ((*base, alien, '--vs', base[0]), (*base[1:], '--vs', base[0], alien), (base[0], alien)):
            words = [w for w in words]
            if '--vs' in words and base[0] in words[:words.index('--vs')] and base[0] in words[words.index('--vs'):]:
                words.remove(base[0])
            status, out, err = gate.run('diff', '-q', *words)
            check('another %s' % what, status == 2 and name in err and value in err and not out, (status, err))
        check('another %s, mixed' % what, gate.run('diff', '-q', '--mixed', base[0], alien)[0] == 0)
        budget = folder / 'budget.json'
        status, _, err = gate.run('check', '-q', '--budget', budget, base[0], alien)
        check('another %s in trace-check' % what, status == 2 and name in err, err)
        check('another %s in trace-check, mixed' % what, gate.run('check', '-q', '--mixed', '--budget', budget, base[0], alien)[0] == 0)


def floors(gate, folder):
    """Services and VR have other frames than 60 a second: 15 % are 15 %."""
    for name, scale in (('short', 0.167 / 6), ('usual', 1), ('long', 100 / 6)):
        program = Program({t: ms * scale for t, ms in USUAL.timers.items()}, frames=300 if scale <= 1 else 60)
        base = program.runs(gate, folder, name + '-base', 5)
        status, report = gate.diff(base, program.runs(gate, folder, name + '-slow', 5, factor=1.15))
        found = verdicts(report)
        check('frames of %s length' % name, status == 1 and found['frame', 'p50'] == 'regressed' and
              all(found['timer', t] == 'regressed' for t in program.timers), found)
        check('floors of %s' % name, abs(report['floors']['frame_ms'] / (6 * scale) - 1) < 0.02 and
              (report['floors']['ratio'], report['floors']['of_frame'], report['floors']['ms_per_frame']) == (0.02, 0.001, 0), report['floors'])
        same = verdicts(gate.diff(base, program.runs(gate, folder, name + '-same', 5))[1])
        check('frames of %s length, the same' % name, set(same.values()) <= {'unchanged', 'inconclusive'}, same)
        one = {t: 1.15 if t == 'Audio' else 1 for t in program.timers}
        slower = program.runs(gate, folder, name + '-one', 5, factor=one)
        check('one timer of %s' % name, verdicts(gate.diff(base, slower)[1])['timer', 'Audio'] == 'regressed')
        # Audio has a twelfth of a frame, and 15 % of it are 1.2 %
        for words, wanted in ((('--floor-frame', '1.1'), 'regressed'), (('--floor-frame', '1.6'), 'unchanged'),
                              (('--floor-ms', str(0.011 * 6 * scale)), 'regressed'), (('--floor-ms', str(0.016 * 6 * scale)), 'unchanged'),
                              (('--floor', '12'), 'regressed'), (('--floor', '20'), 'unchanged')):
            found = verdicts(gate.diff(base, slower, *words)[1])
            check('%s with %s' % (name, words), found['timer', 'Audio'] == wanted, found)
    text = gate.run('diff', '-q', '--floor-ms', '0.25', folder / 'short-base-0.utrace', folder / 'short-same-0.utrace')[1]
    text = ' '.join(text.split())
    check('floors are told', 'floors, below which a change is called unchanged: 5 %, 0.1 % of the median frame (' in text and '0.25 ms a frame, 1 MiB of memory, 5 ms of loading' in text, text)
    check('floors in Markdown', 'of the median frame' in gate.run('diff', '-q', '--report', 'markdown', folder / 'short-base-0.utrace',
                                                                 folder / 'short-same-0.utrace')[1])


# 12 timers, so that what they share can be distinguished from what one of them does
MANY = Program({'Timer%02d' % i: 0.2 + 0.05 * i for i in range(12)})


def common(gate, folder):
    """What all timers share is a verdict of its own, and a regression where runs of a side differ by less."""
    base = MANY.runs(gate, folder, 'many', 4)
    slow = MANY.runs(gate, folder, 'all', 4, factor=1.15)
    status, report = gate.diff(base, slow)
    first, found = report['changes'][0], verdicts(report)
    check('everything is slower', status == 1 and (first['kind'], first['verdict']) == ('common', 'regressed') and
          abs(first['ratio'] / 1.15 - 1) < 0.01 and report['common'] == 'regressed', first)
    check('no timer is slower than the others', all(v == 'unchanged' for (k, _), v in found.items() if k in ('timer', 'thread')), found)
    p50 = next(c for c in report['changes'] if c['name'] == 'p50')
    check('frames because of it', p50['verdict'] == 'regressed' and p50['because_of'] == 'all timers', p50)
    timer = next(c for c in report['changes'] if c['name'] == 'Timer03')
    check('both figures', abs(timer['raw_ratio'] / 1.15 - 1) < 0.02 and abs(timer['ratio'] - 1) < 0.02, timer)
    text = gate.run('diff', '-q', *base, '--vs', *slow)[1]
    check('it is told first', text.startswith('Frames are 15 % slower at p50 (') and
          ': all timers are slower together, by the machine or the build. To do: ' in ' '.join(text.split()), text)
    status, report = gate.diff(base, slow, '--ignore-common')
    check('ignored', status == 0 and report['common'] == 'ignored' and report['verdict'] != 'regressed', report['verdict'])
    # one of them alongside: 1.15 by the machine, and 1.3 of its own
    both = MANY.runs(gate, folder, 'both', 4, factor={t: 1.15 * (1.3 if t == 'Timer05' else 1) for t in MANY.timers})
    status, report = gate.diff(base, both, '--ignore-common')
    one = next(c for c in report['changes'] if c['name'] == 'Timer05')
    check('one timer beside', status == 1 and one['verdict'] == 'regressed' and abs(one['ratio'] / 1.3 - 1) < 0.02 and
          abs(one['raw_ratio'] / (1.15 * 1.3) - 1) < 0.02, one)
    check('one timer beside, in text', 'adjusted +' in gate.run('diff', '-q', *base, '--vs', *both)[1])
    status, report = gate.diff(base, MANY.runs(gate, folder, 'fast', 4, factor=0.85))
    check('everything is faster', status == 0 and report['common'] == 'improved' and report['verdict'] == 'improved', report['verdict'])
    status, report = gate.diff(base, MANY.runs(gate, folder, 'little', 4, factor=1.015))
    check('1.5 % are none', 'common' not in report and status == 0, report['verdict'])
    # machines that differ by 20 % among the runs of a side tell nothing of 15 %
    wild = [MANY.write(gate, folder / ('wild-%d.utrace' % i), 'wild%d' % i, factor=f) for i, f in enumerate((1, 1.2, 0.95, 1.15, 1.3, 1.1))]
    status, report = gate.diff(wild[:3], wild[3:])
    check('within what runs differ by', report.get('common') in (None, 'inconclusive'), report.get('common'))
    status, report = gate.diff(base[:1], slow[:1])
    check('two single runs', status == 0 and report['changes'][0]['verdict'] == 'inconclusive' and report['common'] == 'inconclusive', report['changes'][0])
    check('two single runs in text', 'two single runs do not show' in gate.run('diff', '-q', base[0], slow[0])[1].split('To do: ')[0].replace('\n', ' '))
    noise = MANY.runs(gate, folder, 'noise', 5)
    status, report = gate.diff(base[:1], slow[:1], *[w for n in noise for w in ('--noise', n)])
    check('two single runs with noise', status == 1 and report['common'] == 'regressed', report.get('common'))


def added(gate, folder):
    """A new timer is no alarm; a frame that it makes slower is one, explained by it."""
    base = [folder / ('many-%d.utrace' % i) for i in range(4)]
    new = MANY.runs(gate, folder, 'new', 4, added=[('Fresh', 1.0)])
    status, report = gate.diff(base, new)
    found = {(c['kind'], c['name']): c for c in report['changes']}
    # 5.7 ms a frame before
    check('a slower frame', status == 1 and found['frame', 'p50']['verdict'] == 'regressed' and found['frame', 'p50']['because_of'] == 'Fresh' and
          abs(found['frame', 'p50']['ratio'] / (6.7 / 5.7) - 1) < 0.02, found['frame', 'p50'])
    check('the new timer', found['timer', 'Fresh']['verdict'] == 'added' and abs(found['timer', 'Fresh']['candidate'] - 1) < 0.02)
    others = {k: c['verdict'] for k, c in found.items() if k[0] != 'frame' and c['verdict'] not in ('unchanged', 'inconclusive')}
    check('nothing else', others == {('timer', 'Fresh'): 'added'}, others)
    limited = Program(MANY.timers, frame_ms=10)    # something else makes the frames long
    status, report = gate.diff(limited.runs(gate, folder, 'limited', 4), limited.runs(gate, folder, 'limited-new', 4, added=[('Fresh', 1.0)]))
    check('frames as before', status == 0 and verdicts(report)['timer', 'Fresh'] == 'added', (status, verdicts(report)))
    budget = folder / 'added.json'
    for limits, runs, words, status, verdict in (({'error': 0.9}, new, base, 1, 'error'), ({'error': 1.1}, new, base, 0, 'passed'),
                                                 ({'warning': 0.9, 'error': 1.1}, new, base, 0, 'warning'),
                                                 ({'error': 0.01}, base[2:], base[:2], 0, 'passed'), ({'error': 0.9}, new, (), 4, 'missing'),
                                                 ({'error': 0.9, 'thread': 'GameThread'}, new, base, 1, 'error'),
                                                 ({'error': 0.9, 'thread': 'Nobody'}, new, base, 0, 'passed')):
        budget.write_text(json.dumps({'budgets': [{'kind': 'added', **limits}]}))
        done = gate.run('check', '-q', '--budget', budget, '--report', 'json', *[w for b in words for w in ('--baseline', b)], *runs)
        reported = json.loads(done[1])['budgets'][0] if done[1] else {}
        check('added cost: %s' % limits, done[0] == status and reported.get('verdict') == verdict and reported['unit'] == 'ms/frame', (done, reported))
        check('added cost: value', verdict == 'missing' or not words or reported['value'] == 0 or abs(reported['value'] - 1) < 0.03, reported)
    for wrong in ({'name': 'Fresh'}, {'region': 'A'}):
        budget.write_text(json.dumps({'budgets': [{'kind': 'added', 'error': 1, **wrong}]}))
        check('added cost with %s' % wrong, gate.run('check', '-q', '--budget', budget, base[0])[0] == 2)


def services(gate, folder):
    """Without frames the unit is the run: times are those of a whole run."""
    service = Program({'Accept': 0.2, 'Parse': 0.5, 'Answer': 1.0}, frames=200)
    base = service.runs(gate, folder, 'service', 5, framed=False)
    status, report = gate.diff(base, service.runs(gate, folder, 'service-slow', 5, framed=False, factor={'Accept': 1, 'Parse': 1.15, 'Answer': 1}))
    found = {(c['kind'], c['name']): c for c in report['changes']}
    parse = found['timer', 'Parse']
    check('a service', status == 1 and report['unit'] == 'run' and parse['verdict'] == 'regressed' and parse['unit'] == 'ms/run', parse)
    # 200 times 0.5 ms
    check('its time of a run', abs(parse['baseline'] / 100 - 1) < 0.01 and abs(parse['ratio'] / 1.15 - 1) < 0.02, parse)
    # 200 times 1.7 ms, and 15 ms more
    check('its duration', abs(found['frame', 'duration']['baseline'] / 340 - 1) < 0.01 and
          abs(found['frame', 'duration']['ratio'] / (355 / 340) - 1) < 0.01 and ('hitches', 'hitches') not in found, found['frame', 'duration'])
    check('others are as before', found['timer', 'Answer']['verdict'] in ('unchanged', 'inconclusive') and
          report['sides']['baseline']['frames'] == 0, found['timer', 'Answer'])
    same = verdicts(gate.diff(base, service.runs(gate, folder, 'service-same', 5, framed=False))[1])
    check('a service, the same', set(same.values()) <= {'unchanged', 'inconclusive'}, same)
    status, report = gate.diff(base[:1], [service.write(gate, folder / 'double.utrace', 'double', framed=False, factor=2)])
    check('single runs tell nothing', status == 0 and report['verdict'] == 'inconclusive', report['verdict'])
    for factor, wanted in ((1.15, 'inconclusive'), (2, 'inconclusive')):
        few = service.runs(gate, folder, 'few%s' % factor, 3, framed=False, factor={'Accept': 1, 'Parse': factor, 'Answer': 1})
        check('few runs, %s times as slow' % factor, verdicts(gate.diff(base[:3], few)[1])['timer', 'Parse'] == wanted)
    text = gate.run('diff', '-q', *base[:2], '--vs', *base[2:])[1]
    check('a service in text', '2 runs without frames' in text and 'of the median run (' in text, text)
    text = gate.run('diff', '-q', *base[:3], '--vs', *few)[1]
    check('times of a run have units', re.search(r'Parse +[\d.]+ ms +[\d.]+ ms .*\n +timer, .*, time a run', text) and
          re.search(r'duration .*\n +of a run', text), text)
    status, _, err = gate.run('diff', '-q', base[0], service.write(gate, folder / 'framed.utrace', 'framed'))
    check('with frames and without', status == 4 and 'no frames' in err, err)
    budget = folder / 'service.json'
    for error, status in ((99, 1), (101, 0)):
        budget.write_text(json.dumps({'budgets': [{'kind': 'timer', 'name': 'Parse', 'error': error * 1.0}]}))
        exact = Program(service.timers, frames=200, noise=0).write(gate, folder / 'exact.utrace', 'exact', framed=False)
        done = gate.run('check', '-q', '--budget', budget, '--report', 'json', exact)
        check('a budget of a service: %s' % error, done[0] == status and json.loads(done[1])['budgets'][0]['unit'] == 'ms/run', done)
    saved = folder / 'service.tkb'
    gate.run('stats', '-q', '--save', saved, *base[:1])
    check('a baseline of a service', {(c['name'], c['verdict']) for c in gate.diff([saved], base[1:2])[1]['changes']} ==
          {(c['name'], c['verdict']) for c in gate.diff(base[:1], base[1:2])[1]['changes']})
    if gate.corpus:     # a program that marks no frame, as one and the same capture in two versions; its recorder began a frame by itself
        both = [gate.corpus / 'tracy' / name for name in ('chrome-0.8.2.1.tracy', 'chrome-0.8.2.1-to-0.9.1.tracy')]
        status, report = gate.diff(both[:1], both[1:])
        check('a program of the other format', status == 0 and report['unit'] == 'run' and report['floors']['frame_ms'] > 1 and
              {c['verdict'] for c in report['changes']} == {'unchanged'} and len(report['changes']) > 50, (status, report['unit'], report['floors']))
    check('frames are not there', gate.run('check', '-q', '--expect', 'frames', base[0])[0] == 1)


def occurrences(gate, folder):
    """With --per the unit is each occurrence of a timer: its times are those that were written, and there are as many."""
    service = Program({'Accept': 0.2, 'Parse': 0.5, 'Answer': 1.0}, frames=200)
    slower = {'Accept': 1, 'Parse': 1.15, 'Answer': 1}
    base = service.runs(gate, folder, 'per', 5, framed=False)
    slow = service.runs(gate, folder, 'per-slow', 5, framed=False, factor=slower)
    status, report = gate.diff(base, slow, '--per', 'Frame')
    found = {(c['kind'], c['name']): c for c in report['changes']}
    parse = found['timer', 'Parse']
    check('per occurrence', status == 1 and report['unit'] == 'occurrence' and parse['verdict'] == 'regressed' and
          parse['unit'] == 'ms/occurrence', parse)
    check('its time an occurrence', abs(parse['baseline'] / 0.5 - 1) < 0.01 and abs(parse['ratio'] / 1.15 - 1) < 0.02, parse)
    # 0.2, 0.5 and 1 ms
    check('its own duration', abs(found['frame', 'p50']['baseline'] / 1.7 - 1) < 0.02, found['frame', 'p50'])
    check('how many there are', report['sides']['baseline']['frames'] == 1000 and report['sides']['baseline']['per'] == ['Frame'],
          report['sides']['baseline'])
    text = gate.run('diff', '-q', '--per', 'Frame', *base, '--vs', *slow)[1]
    check('per occurrence in text', '5 runs, 1000 occurrences of Frame, ' in text, text)
    saved = folder / 'per.tkb'
    gate.run('stats', '-q', '--save', saved, '--per', 'Frame', base[0])
    check('a baseline of occurrences', gate.diff([saved], base[1:2], '--per', 'Frame')[1]['changes'] ==
          gate.diff(base[:1], base[1:2], '--per', 'Frame')[1]['changes'])
    status, _, err = gate.run('diff', '-q', saved, base[1])
    check('another unit', status == 4 and ('--per' in err or 'no frames' in err), err)
    budget = folder / 'per.json'
    for error, status in ((0.49, 1), (0.51, 0)):
        budget.write_text(json.dumps({'budgets': [{'kind': 'timer', 'name': 'Parse', 'error': error}]}))
        exact = Program(service.timers, frames=200, noise=0).write(gate, folder / 'per-exact.utrace', 'exact', framed=False)
        done = gate.run('check', '-q', '--budget', budget, '--report', 'json', '--per', 'Frame', exact)
        reported = json.loads(done[1]) if done[1] else {'budgets': [{}]}
        wrong = schema.first_fault(reported, json.loads((gate.schemas / 'check.schema.json').read_text()))
        check('a budget an occurrence: %s' % error, done[0] == status and not wrong and
              reported['budgets'][0]['unit'] == 'ms/occurrence' and reported['sides']['runs']['frames'] == 200, (done, wrong))
    framed = service.runs(gate, folder, 'per-framed', 2)
    for runs, said in ((base, ['no run has frames: times are those of a whole run']), (framed, []),
                       (base[:3] + framed, ['3 of 5 runs have no frames: their times are those of whole runs and cannot be compared with the others'])):
        trend = json.loads(gate.run('trend', '-q', '--order', 'name', '--report', 'json', *runs)[1])
        check('a history without frames', [r for r in trend['remarks'] if 'frames' in r] == said, trend['remarks'])
    trend = json.loads(gate.run('trend', '-q', '--order', 'name', '--report', 'json', '--per', 'Frame', *base)[1])
    check('occurrences are told once', sum('occurrences of Frame' in r for r in trend['remarks']) == 1, trend['remarks'])
    check('a history of occurrences', [r['frames'] for r in trend['runs']] == [200] * 5 and
          any('200 occurrences of Frame' in r for r in trend['remarks']) and
          any(s['name'] == 'Parse' and s['unit'] == 'ms/occurrence' and abs(s['now'] / 0.5 - 1) < 0.02 for s in trend['series']), trend['remarks'])
    check('both units', gate.run('diff', '--per', 'Frame', '--frames-from', 'Frame', *base[:2])[0] == 2)
    check('no such timer', gate.run('diff', '--per', 'Nothing', *base[:2])[0] == 2)


def counted(gate, path, seed, step, start=1000, fall=0):
    """A run whose counter Packets rises by `step` in each frame, and falls by `fall` in each 40th; Load goes up and down."""
    lines, value, n = ['counter 5 Packets', 'counter 6 Load'], start, 0
    for line in USUAL.lines(seed):
        if line.startswith('f 2 '):
            n += 1
            value += step - (fall if n % 40 == 0 else 0)
            at = int(line.split()[2]) - 1
            lines += ['c 2 %d 5 %d' % (at, value), 'c 2 %d 6 %d' % (at, 50 + n % 7)]
        lines.append(line)
    subprocess.run([gate.rewrite, str(path), str(FREQUENCY)], input='\n'.join(lines).encode() + b'\n', check=True)
    return path


def rising(gate, folder):
    """A counter that only rises is compared by its increase, wherever it began; one that falls is compared by its values."""
    def counters(report):
        return {c['name']: c for c in report['changes'] if c['kind'] == 'counter'}
    base = [counted(gate, folder / ('r%d.utrace' % i), 'r%d' % i, 40, 1000 * (i + 1)) for i in range(3)]
    more = [counted(gate, folder / ('q%d.utrace' % i), 'q%d' % i, 60, 500 * (i + 1)) for i in range(3)]
    found = counters(gate.diff(base, more)[1])
    check('increase', found['Packets']['metric'] == 'increase' and abs(found['Packets']['baseline'] - 40) < 1e-6 and
          abs(found['Packets']['candidate'] - 60) < 1e-6 and 'metric' not in found['Load'], found)
    check('increase, in text', 'increase a frame' in gate.run('diff', '-q', *base, '--vs', *more)[1])
    parts = counters(json.loads(gate.run('diff', '-q', '--report', 'json', base[0], '--frames', '0-140', '--vs', base[0], '--frames', '150-290')[1]))
    check('increase of two parts', abs(parts['Packets']['candidate'] - 40) < 1e-6 and parts['Packets']['verdict'] == 'unchanged', parts)
    for what, how in (('falls', {'fall': 300}), ('stands', {'step': 0})):
        runs = [counted(gate, folder / ('%s%d.utrace' % (what, i)), what + str(i), **{'step': 40, **how}) for i in range(3)]
        check('a counter that %s' % what, 'metric' not in counters(gate.diff(runs, runs[:1])[1])['Packets'])
    kept = folder / 'rising'
    for i in range(8):
        gate.run('stats', '-q', '--save', str(kept) + '/', '--run-info', 'time=2026-01-%02dT00:00:00Z' % (i + 1),
                 counted(gate, folder / 't.utrace', 't%d' % i, 40 if i < 4 else 60, 700 * i))
    events = json.loads(gate.run('trend', '-q', '--report', 'json', kept)[1])['events']
    steps = [e for e in events if 'Packets' in e['series']]
    check('increase in a history', [e['series'] for e in steps] == ['counter Packets, increase a frame'] and abs(steps[0]['ratio'] - 1.5) < 0.01, steps)
    limits = folder / 'rising.json'
    for kind, name, error, wanted, word in (('increase', 'Packets', 50, 0, '40'), ('increase', 'Packets', 30, 1, 'increase a frame'),
                                            ('increase', 'Load', 30, 4, 'does not only rise'), ('counter', 'Packets', 1e9, 0, 'only rises'),
                                            ('counter', 'Load', 60, 0, 'mean')):
        limits.write_text(json.dumps({'budgets': [{'kind': kind, 'name': name, 'error': error}]}))
        status, out, err = gate.run('check', '--budget', limits, base[0])
        whole = out + err + gate.run('check', '-q', '--budget', limits, '--report', 'json', base[0])[1]
        check('a budget of %s, %s: %g' % (kind, name, error), status == wanted and word in whole, (status, whole))
    out = gate.run('baseline', 'export', '-f', 'openmetrics', kept)[1]
    check('increase in metrics', re.search(r'counter_Packets_increase\S* 40', out) and re.search(r'counter_Packets_increase\S* 60', out), out[:300])


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--bin', required=True)
    p.add_argument('--rewrite', required=True)
    p.add_argument('--corpus', default='')
    p.add_argument('schemas', type=pathlib.Path)
    gate = Gate(p.parse_args())
    with tempfile.TemporaryDirectory() as folder:
        for part in (whole_runs, ends, left_out, machines, selections, sides, programs, floors, common, added, services, occurrences, rising):
            part(gate, pathlib.Path(folder))
    for failure in failures:
        print('failed:', failure)
    print('%d checks, %d failed' % (checks, len(failures)))
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
