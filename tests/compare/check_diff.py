#!/usr/bin/env python3
"""Checks trace-diff, trace-check and trace-stats --save: verdicts, exit codes and reports.

usage: check_diff.py --bin DIRECTORY [--corpus DIRECTORY] [--update] FIXTURES

The two baselines of FIXTURES are runs of two builds whose planted changes are known. With a corpus, captures with
planted regressions are compared too, and what a baseline keeps is checked against the times the program itself noted.
--update writes the golden reports anew.
"""

import argparse
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = {'text': 'txt', 'markdown': 'md', 'json': 'json', 'csv': 'csv', 'junit': 'xml', 'github': 'github.txt',
          'sarif': 'sarif'}
failures = []
checks = 0


def check(what, condition):
    global checks
    checks += 1
    if not condition:
        failures.append(what)


class Diff:
    def __init__(self, directory):
        self.diff = os.path.join(directory, 'trace-diff')
        self.stats = os.path.join(directory, 'trace-stats')

    def run(self, *words):
        return subprocess.run([self.diff, *map(str, words)], capture_output=True)

    def report(self, kind, *words):
        return self.run('--report', kind, *words).stdout.decode()

    def changes(self, *words):
        return json.loads(self.report('json=-', *words))['changes']

    def save(self, path, *captures):
        for capture in captures:
            subprocess.run([self.stats, '-q', '--save', str(path), str(capture)], check=True)
        return path


def alarms(changes):
    """(kind, name, verdict) of everything that is said."""
    quiet = ('unchanged', 'inconclusive')
    return {(c['kind'], c['name'], c['verdict']) for c in changes if c['verdict'] not in quiet}


def check_fixtures(d, a, b):
    """One run of each build: the greatest changes are found, the report says that runs are few."""
    found = alarms(d.changes(a, b))
    for wanted in (('timer', 'Streaming.Flush', 'regressed'), ('timer', 'Legacy.Sense', 'removed'), ('timer', 'Subsystem.Inventory', 'added'),
                   ('timer', 'Camera.Update', 'renamed')):
        check('fixtures: %s %s is %s' % wanted, wanted in found)
    check('fixtures: small timers are left alone', not any(n == 'UI.HitTest' for _, n, _ in found))
    check('a run against itself says nothing', not alarms(d.changes(a, a)))
    check('the method is told', 'tested by frames' in d.report('text', a, b))


def check_codes(d, a, b, folder):
    empty, text, cut, newer = (folder / n for n in ('empty.tkb', 'text.tkb', 'cut.tkb', 'newer.tkb'))
    data = a.read_bytes()
    empty.write_bytes(b'')
    text.write_text('no capture\n')
    cut.write_bytes(data[:len(data) // 2])
    newer.write_bytes(data[:8] + b'\x63' + data[9:])
    flipped = folder / 'flipped.tkb'
    flipped.write_bytes(data[:3000] + bytes([data[3000] ^ 1]) + data[3001:])
    for words, code, said in (((a, b), 1, b''), ((a, a), 0, b''), ((a,), 2, b'which baseline'),
                              ((a, '--vs', b, b), 2, b'twice'), ((a, folder / 'missing'), 3, b'missing'),
                              ((a, empty), 3, b''), ((a, text), 3, b''), ((a, cut), 3, b'cut off'),
                              ((a, newer), 3, b'version'), ((a, flipped), 3, b'checksum'),
                              ((a, b, '--noise', a), 2, b'noise'), ((a, b, '--report', 'nothing'), 2, b'report'),
                              ((a, b, '--frames', '1-5'), 2, b'does not hold'),
                              ((a, b, '--warmup', '100000'), 2, b'warm-up'),
                              ((a, a, '--require-verdict'), 0, b'')):
        done = d.run(*words)
        name = ' '.join(getattr(w, 'name', w) for w in words)
        check('%s: exit code %d, not %d' % (name, code, done.returncode), done.returncode == code)
        check('%s: says "%s": %s' % (name, said.decode(), done.stderr), said in done.stderr)
        check('%s: no report with a failure' % name, code < 2 or not done.stdout)


def check_reports(d, a, b, folder, update):
    kinds = {k: d.report(k, '--color', 'never', a, b) for k in GOLDEN}
    for kind, text in kinds.items():
        path = HERE / 'golden' / ('diff.' + GOLDEN[kind])
        if update:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        check('golden report %s' % kind, path.read_text() == text)
    changes = json.loads(kinds['json'])['changes']
    worse = [c for c in changes if c['verdict'] == 'regressed']
    suite = xml.etree.ElementTree.fromstring(kinds['junit'])[0]
    check('junit: failures', int(suite.get('failures')) == len(worse) == len(suite.findall('*/failure')))
    check('junit: tests', int(suite.get('tests')) == len(suite.findall('testcase')))
    sarif = json.loads(kinds['sarif'])
    rules = {r['id'] for r in sarif['runs'][0]['tool']['driver']['rules']}
    check('sarif: version', sarif['version'] == '2.1.0')
    check('sarif: results', len(sarif['runs'][0]['results']) == len(worse))
    check('sarif: rules', all(r['ruleId'] in rules for r in sarif['runs'][0]['results']))
    rows = list(csv.DictReader(io.StringIO(kinds['csv'])))
    check('csv: rows', [(r['kind'], r['name'], r['verdict']) for r in rows] ==
          [(c['kind'], c['name'], c['verdict']) for c in changes])
    check('github: errors', sum(x.startswith('::error ') for x in kinds['github'].splitlines()) == len(worse))
    out = folder / 'out.md'
    done = d.run('--report', 'json', '--report', 'markdown=%s' % out, a, b)
    check('several reports', json.loads(done.stdout)['changes'] == changes and out.read_text() == kinds['markdown'])
    check('reports do not depend on jobs', d.report('json', '-j', '1', a, b) == kinds['json'])


def check_budgets(d, a, b, folder):
    """Budgets by hand: the truth of run a has Lighting at 0.52 ms a frame and a 95th percentile of 16.67 ms."""
    command = d.diff.replace('trace-diff', 'trace-check')

    def run(budget, *runs):
        path = folder / 'budget.json'
        path.write_text(budget if isinstance(budget, str) else json.dumps(budget))
        return subprocess.run([command, *map(str, runs), '--budget', str(path), '--report', 'json'],
                              capture_output=True)

    def lighting(**limits):
        return {'budgets': [{'kind': 'timer', 'name': 'Lighting', 'thread': 'RenderThread', **limits}]}

    for limits, runs, code, verdict in (({'error': 0.55}, (a,), 0, 'passed'), ({'error': 0.55}, (b,), 1, 'error'),
                                        ({'error': 0.55}, (a, b), 1, 'error'),
                                        ({'warning': 0.55, 'error': 0.7}, (b,), 0, 'warning'),
                                        ({'warning': 0.5}, (a,), 0, 'warning')):
        done = run(lighting(**limits), *runs)
        check('budget %s: exit code %d' % (limits, done.returncode), done.returncode == code)
        check('budget %s: verdict' % limits, json.loads(done.stdout)['budgets'][0]['verdict'] == verdict)
    frame = json.loads(run({'budgets': [{'kind': 'frame', 'name': 'p95', 'error': 17}]}, a).stdout)['budgets'][0]
    check('budget: p95 %s' % frame['value'], abs(frame['value'] - 16.667) < 0.01)
    for budget, said in (('{', b'no JSON'), ('{}', b'no list'), ({'budgets': []}, b'no list'),
                         ({'budgets': [{'kind': 'timers', 'error': 1}]}, b'kind'), (lighting(), b'neither'),
                         (lighting(error='1'), b'no number'), (lighting(error=1, limit=2), b"'limit'"),
                         ({'budgets': [{'kind': 'timer', 'name': 'Lightning', 'error': 1}]}, b"no timer 'Lightning'"),
                         ({'budgets': [{'kind': 'frame', 'name': 'p96', 'error': 1}]}, b"no frame 'p96'")):
        done = run(budget, a)
        check('budget %s: %s' % (budget, done.stderr), done.returncode == 2 and said in done.stderr)
        check('budget %s: no verdict' % budget, not done.stdout)
    proposal = folder / 'proposal.json'
    subprocess.run([command, str(a), '--write-budget', str(proposal)], check=True)
    check('what is proposed is kept', run(proposal.read_text(), a).returncode == 0)


def check_planted(d, corpus, folder):
    """What was planted in game_slow, and nothing else but side effects."""
    game, slow = corpus / 'utrace' / 'game.utrace', corpus / 'utrace' / 'game_slow.utrace'
    truth = json.loads((corpus / 'utrace' / 'game_slow.regressions.json').read_text())
    wanted = {('timer', t['timer'], 'regressed') for t in truth['slower_timers']}
    wanted |= {('timer', t['timer'], 'added') for t in truth['new_timers']}
    wanted |= {('timer', t['timer'], 'removed') for t in truth['gone_timers']}
    wanted |= {('counter', c['name'], 'regressed') for c in truth['counters_higher']}
    wanted |= {('gpu', g['timer'], 'regressed') for g in truth['gpu_slower']}
    wanted |= {('hitches', 'hitches', 'regressed'), ('memory', truth['leak']['tag'], 'regressed')}
    changes = d.changes(game, slow)
    check('game_slow: %s' % sorted(alarms(changes) ^ wanted), alarms(changes) == wanted)
    for timer in truth['slower_timers']:
        ratio = next(c['ratio'] for c in changes if c['name'] == timer['timer'])
        check('%s: ratio %s' % (timer['timer'], ratio), abs(ratio / timer['excl_ratio'] - 1) < 0.03)
    check('game against itself', not alarms(d.changes(game, game)))
    one, two = d.save(folder / 'g1.tkb', game), d.save(folder / 'g2.tkb', game)
    check('baselines are the same bytes', one.read_bytes() == two.read_bytes())
    check('a baseline is as good as its capture', d.changes(one, slow) == changes)


def check_kept(d, corpus):
    """Own times per frame in the report are those the program noted."""
    truth = json.loads((corpus / 'runs' / 'runs.truth.json').read_text())
    runs = {r['file']: r for r in truth['runs']}
    changes = d.changes('--floor-ms', '0.001', corpus / 'runs' / 'a_00.utrace', corpus / 'runs' / 'a_01.utrace')
    n = 0
    for c in changes:
        if c['kind'] != 'timer' or c['name'] not in runs['a_00.utrace']['timers']:
            continue
        for side, run in (('baseline', 'a_00.utrace'), ('candidate', 'a_01.utrace')):
            ms = runs[run]['timers'][c['name']][2] / runs[run]['frequency'] * 1e3 / runs[run]['game_frames']
            check('%s of %s: %s, not %s' % (c['name'], run, c[side], ms), abs(c[side] / ms - 1) < 0.01)
            n += 1
    check('enough timers compared: %d' % n, n > 100)


def check_runs(d, corpus, folder):
    """Five runs against five: what is planted above the floors, and nothing of runs of one build."""
    base = d.save(folder / 'a.tkb', *[corpus / 'runs' / ('a_%02d.utrace' % i) for i in range(5)])
    same = d.save(folder / 'a2.tkb', *[corpus / 'runs' / ('a_%02d.utrace' % i) for i in range(5, 10)])
    slow = d.save(folder / 'b.tkb', *[corpus / 'runs' / ('b_%02d.utrace' % i) for i in range(5)])
    check('A against A', not alarms(d.changes(base, same)))
    found = alarms(d.changes(base, slow))
    for wanted in (('timer', 'Lighting', 'regressed'), ('timer', 'Streaming.Flush', 'regressed'),
                   ('timer', 'UI.Layout', 'improved'), ('timer', 'Camera.Update', 'renamed')):
        check('A against B: %s %s %s' % wanted, wanted in found)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--bin', required=True)
    p.add_argument('--corpus', default='')
    p.add_argument('--update', action='store_true')
    p.add_argument('fixtures', type=pathlib.Path)
    args = p.parse_args()
    d = Diff(args.bin)
    a, b = args.fixtures / 'baseline-v1-a.tkb', args.fixtures / 'baseline-v1-b.tkb'
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        check_fixtures(d, a, b)
        check_codes(d, a, b, folder)
        check_reports(d, a, b, folder, args.update)
        check_budgets(d, a, b, folder)
        if args.corpus:
            corpus = pathlib.Path(args.corpus)
            check_planted(d, corpus, folder)
            check_kept(d, corpus)
            check_runs(d, corpus, folder)
    for failure in failures:
        print('failed:', failure)
    print('%d checks, %d failed' % (checks, len(failures)))
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
