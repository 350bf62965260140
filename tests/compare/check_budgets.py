#!/usr/bin/env python3
"""Budgets of one run and of several, of timers that were renamed, and against the runs of a branch.

usage: check_budgets.py --bin DIRECTORY --corpus DIRECTORY

The runs are those of two builds whose planted changes are known: what was renamed, what is new and what it costs.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

failures = []
checks = 0


def check(what, condition, more=''):
    global checks
    checks += 1
    if not condition:
        failures.append('%s: %s' % (what, more))


class Budgets:
    def __init__(self, directory, folder):
        self.bin, self.folder = directory, folder

    def run(self, *words):
        done = subprocess.run([os.path.join(self.bin, words[0]), *map(str, words[1:])], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def values(self, budgets, *words):
        """Status, the rows of the report by kind and name, and what was said."""
        path = self.folder / 'budget.json'
        path.write_text(json.dumps({'budgets': budgets}))
        status, out, said = self.run('trace-check', '--budget', path, '--report', 'json', *words)
        return status, {(b['kind'], b['name']): b for b in json.loads(out)['budgets']}, said


def proposals(t, a):
    """Errors are the margin above the greatest value, warnings half of it; of a single run all is 12 % higher."""
    for runs, above in ((a[:1], 1.12), (a[:2], 1.0)):
        path = t.folder / ('proposal%d.json' % len(runs))
        status, _, said = t.run('trace-check', *runs, '--write-budget', path, '--margin', '20')
        check('a proposal of %d runs' % len(runs), status == 0 and ('12 % higher' in said) == (len(runs) == 1), (status, said))
        wanted = json.loads(path.read_text())['budgets']
        got = t.values(wanted, *runs)[1]
        for b in wanted:
            value = got[b['kind'], b['name']]['value']
            for name, margin in (('warning', 1.1), ('error', 1.2)):
                limit = value * above * margin
                check('%s of %s' % (name, b['name']), abs(b[name] - limit) <= max(abs(limit) * 6e-4, 1e-9), (b[name], limit))
        check('enough of them', len(wanted) > 20, len(wanted))
    check('said in no report', '12 %' not in t.run('trace-check', '-q', a[0], '--write-budget', t.folder / 'quiet.json')[2])


def planted_of(truth, what):
    return next(p for p in truth['planted'].values() if p['planted'] == what)


def renamed(t, a, b, truth):
    """A timer by its old name, with the cost that was planted."""
    planted = planted_of(truth, 'renamed')
    old, new, cost = planted['name_a'], planted['name_b'], planted['own_ms_per_frame_a']
    budget = [{'kind': 'timer', 'name': old, 'error': cost * 2}, {'kind': 'timer', 'name': 'No.Such', 'error': 1}]
    before = [w for run in a[:3] for w in ('--baseline', run)]
    status, got, _ = t.values(budget, *before, *b[:3])
    row = got['timer', old]
    check('renamed', row.get('renamed_to') == new and row['verdict'] == 'passed' and abs(row['value'] / cost - 1) < 0.2, row)
    check('what is nowhere stays missing', got['timer', 'No.Such']['verdict'] == 'missing', got)
    tight = t.values([{'kind': 'timer', 'name': old, 'error': cost / 2}], *before, *b[:3])
    check('renamed and exceeded', tight[0] == 1 and tight[1]['timer', old]['verdict'] == 'error', tight)
    status, got, _ = t.values(budget[:1], *b[:3])
    check('not without the runs of before', status == 4 and got['timer', old]['verdict'] == 'missing', (status, got))


def of_branch(t, a, b, truth):
    """Added cost against the runs of a branch in a history that has those of the change, too."""
    planted = planted_of(truth, 'new')
    history = t.folder / 'history'
    for branch, runs in (('main', a[:3]), ('change', b[:3])):
        status, _, said = t.run('trace-baseline', 'add', str(history) + '/', *runs, '--run-info', 'branch=' + branch)
        check('a history of %s' % branch, status == 0, said)
    budget = [{'kind': 'added', 'error': planted['own_ms_per_frame_b'] / 2}]
    words = ('--baseline', history, *b[3:5])
    status, got, said = t.values(budget, *words)
    check('all runs of a history', status == 0 and got['added', 'added cost']['value'] == 0, (status, got, said))
    status, got, said = t.values(budget, '--base-of', 'main', *words)
    value = got['added', 'added cost']['value']
    check('those of a branch', status == 1 and abs(value / planted['own_ms_per_frame_b'] - 1) < 0.2, (status, value, said))
    status, _, said = t.run('trace-check', '--budget', t.folder / 'budget.json', '--base-of', 'main', b[0])
    check('--base-of alone', status == 2 and '--baseline' in said, (status, said))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('--corpus', required=True, type=pathlib.Path)
    args = parser.parse_args()
    runs = args.corpus / 'runs'
    a, b = (sorted(runs.glob(build + '_*.utrace')) for build in 'ab')
    truth = json.loads((runs / 'runs.truth.json').read_text())
    with tempfile.TemporaryDirectory() as name:
        t = Budgets(args.bin, pathlib.Path(name))
        proposals(t, a)
        renamed(t, a, b, truth)
        of_branch(t, a, b, truth)
    print('%d checks, %d failed' % (checks, len(failures)))
    for failure in failures[:20]:
        print('  ' + failure)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
