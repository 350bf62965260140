#!/usr/bin/env python3
"""Brings about every way in which a comparison, a check of budgets or a trend can end, and compares the exit status.

usage: check_outcomes.py --bin DIRECTORY --rewrite PROGRAM ROOT

The rows are those of `tracekit --describe`, which the manual of trace-diff lists. A row that nothing here brings about
fails. Captures are written here from a description, so that what has to come of them is known by construction.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1] / 'manual')]
import check_gate   # noqa: E402
import described    # noqa: E402

USUAL, Program = check_gate.USUAL, check_gate.Program


class Words(Program):
    """A message, and nothing else."""

    def lines(self, seed, **how):
        yield from (self.session, 'thread 2 GameThread', 'L 2 %d 4 %s' % (check_gate.START, seed))


class Place:
    """A folder with captures by what they are, made when they are wanted."""

    def __init__(self, gate, folder, root):
        self.gate, self.folder, self.root = gate, folder, root
        self.made = {}

    def runs(self, name, n=5, program=USUAL, **how):
        if (name, n) not in self.made:
            self.made[name, n] = [str(p) for p in program.runs(self.gate, self.folder, name, n, **how)]
        return self.made[name, n]

    def file(self, name, content):
        path = self.folder / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    def budget(self, name, *budgets):
        return self.file(name + '.json', {'budgets': list(budgets)})

    def saved(self, name, runs, *words):
        path = self.folder / (name + '.tkb')
        if not path.exists():
            for run in runs:
                self.gate.run('stats', '-q', '--save', path, run, *words)
        return str(path)


def sides(base, candidate, *more):
    return ('diff', *more, *base, '--vs', *candidate)


def history(place, name, factors, dated=True):
    """A night a factor, in a folder of baselines."""
    folder = place.folder / name
    if not folder.exists():
        folder.mkdir()
        for i, factor in enumerate(factors):
            run = place.runs('%s-%d' % (name, i), 1, factor=factor)[0]
            info = ['--run-info', 'time=2026-01-%02d' % (i + 1)] if dated else []
            place.gate.run('stats', '-q', '--save', folder / ('night%d.tkb' % i), run, '--run-info', 'build=%d' % i, *info)
    return str(folder)


def cut_header(path):
    data = pathlib.Path(path).read_bytes()
    return data[:8 + int.from_bytes(data[4:6], 'little')]


def damaged(path):
    data = bytearray(pathlib.Path(path).read_bytes())
    for i in range(len(data) // 2, len(data) // 2 + 40):
        data[i] ^= 0x55
    return bytes(data)


def alternating(place, name):
    """Runs that differ so much from each other that nothing can be decided of their timers."""
    return [place.runs('%s%d' % (name, i), 1, factor=f)[0] for i, f in enumerate((0.5, 1.9))]


# name of a row -> commands that end so. With the option of the row, where it has one, each has to end with that status.
def cases(p):
    base, same = p.runs('base'), p.runs('same')
    slow, fast = p.runs('slow', factor=1.3), p.runs('fast', factor={'Physics': 0.7, 'Draw': 1, 'Audio': 1, 'Logic': 1})
    crashed = p.runs('crashed', 1, message='1 Assertion failed: Pool')
    empty = p.file('empty.utrace', cut_header(base[0]))
    other = p.runs('other', 2, Program({'Weather': 2.0, 'Cloth': 1.5}))
    here = [p.saved('here', p.runs('here', 3), *(w for fact in ('cpu=Z80', 'cores=4', 'memory=8 GB', 'host=one')
                                                    for w in ('--run-info', fact)))]
    frame = {'kind': 'frame', 'name': 'p50'}
    met, warning, exceeded = (p.budget(n, {**frame, **b}) for n, b in (
        ('met', {'error': 100}), ('warning', {'warning': 1, 'error': 100}), ('exceeded', {'error': 1})))
    partly = p.budget('partly', {**frame, 'error': 100}, {'kind': 'timer', 'name': 'Phisics', 'error': 100})
    wrong = p.budget('wrong', {'kind': 'timer', 'name': 'Phisics', 'error': 100})
    gpu = p.budget('gpu', {**frame, 'error': 100}, {'kind': 'gpu', 'name': 'Shadows', 'error': 1})
    added = p.budget('added', {**frame, 'error': 100}, {'kind': 'added', 'error': 1})
    accepted = p.file('accepted.json', {'accepted': [{'name': '*', 'reason': 'new level'}]})
    steady = history(p, 'steady', [1.0] * 9)
    worse = history(p, 'worse', [1.0] * 9 + [1.5] * 6)
    editor = p.runs('editor', 1, session='session 3 Editor Linux -run')
    bare = p.runs('bare', 1, Words({}))
    old = str(p.root / 'fixtures' / 'baseline-v1-a.tkb')
    garbage = p.file('garbage.utrace', b'no capture at all, only words\n' * 50)
    hurt = p.file('hurt.utrace', damaged(base[4]))
    return {
        'unchanged': [sides(base, same), ('trend', steady)],
        'improved': [sides(base, fast)],
        'accepted': [sides(base, slow, '--accepted', accepted), ('trend', worse, '--open', '--accepted', accepted)],
        'met': [('check', '--budget', met, *base)],
        'warning': [('check', '--budget', warning, *base)],
        'inconclusive': [sides(base[:1], p.runs('bit', 1, factor=1.2)), sides(alternating(p, 'wild'), alternating(p, 'rough'))],
        'same data': [sides(base, base)],
        'unknown': [('trend', '--order', 'name', *base[:3]), ('trend', steady, '--series', 'Physics|hitch_ratio')],
        'other machines': [sides(here, p.runs('there', 3), '--run-info', 'cores=8'),
                           sides(here, p.runs('there', 3), '--run-info', 'machine=b', '--run-info', 'memory=8 GB')],
        'worse on other machines': [sides(here, slow, '--run-info', 'cpu=Z81')],
        'no order': [('trend', *base[:3]), ('trend', history(p, 'undated', [1.0] * 3, dated=False))],
        'missing': [('check', '--budget', partly, *base)],
        'regressed': [sides(base, slow), ('trend', worse, '--open')],
        'exceeded': [('check', '--budget', exceeded, *base)],
        'unexpected': [('check', '--expect', 'gpu', *base), ('check', '--expect', 'frames', empty)],
        'not comparable': [sides(base, p.runs('half', 3, frames=100))],
        'crashed': [sides(base, crashed), ('check', '--budget', met, *crashed), ('check', '--expect', 'frames', *crashed)],
        'empty': [sides(base, [empty]), sides([empty], base), ('check', '--budget', met, empty), ('trend', *base, empty)],
        'nothing recorded': [sides(base, p.runs('unframed', 5, framed=False)), ('check', '--budget', met, *bare), ('trend', *bare)],
        'no base': [sides([p.saved('of-main', base, '--run-info', 'branch=main')], same, '--base-of', 'release'), ('trend', '--base-of', 'release', steady)],
        'nothing in common': [sides(base, other, '--map', p.file('map.json', {'timers': {'Frame': 'Old'}}))],
        'below the floors': [sides(base, same, '--floor-ms', '1000')],
        'on one side only': [sides(base, other, '--per', 'Weather')],
        'not stored': [('check', '--budget', gpu, *base), ('check', '--budget', added, *base), sides([old], base, '--drop-warmup')],
        'unchecked': [('check', '--budget', wrong, *base)],
        'unjudged': [('check', '--rules', '--fail', 'found:locks', base[0])],
        'damaged': [sides(base[:4], [hurt], '--allow-short'), ('check', '--budget', met, '--allow-short', *base[:4], hurt),
                    ('trend', '--order', 'name', *base[:4], hurt)],
        'usage': [('diff', base[0]), ('check', base[0]), ('trend',), ('check', '--budget', garbage, *base), ('check', '--budget', p.budget('none'), *base)],
        'no match': [sides(base, same, '--region', 'Combat'), sides(base, same, '--thread', 'Nobody'), sides(base, same, '--per', 'Weather'),
                     ('trend', steady, '--since', 'nowhere'), ('trend', steady, '--series', 'Phisics'), ('check', '--budget', met, '--region', 'Combat', *base)],
        'other program': [sides(base, editor), ('check', '--budget', met, *base, *editor)],
        'unreadable': [sides(base, [garbage]), ('check', '--budget', met, garbage), ('trend', garbage),
                       sides(base, [str(p.folder / 'nothing.utrace')])],
        'unwritable': [sides(base, same, '--report', 'json=' + str(p.folder / 'no' / 'such' / 'folder.json')),
                       ('check', '--budget', met, *base, '--report', 'json=' + str(p.folder / 'no' / 'folder.json')),
                       ('trend', steady, '--report', 'json=' + str(p.folder / 'no' / 'folder.json'))],
    }


def check_row(gate, row, commands):
    name, status, strict, option, _, when, advice = row
    for command, *words in commands:
        code, out, err = gate.run(command, *words)
        check_gate.check('%s: %s' % (name, command), code == status, (code, out[:300], err))
        verdict = 'no verdict: %s; %s' % (when, advice)
        for said, ended in ((err, code), (gate.run(command, *words, option)[2] if option else '', strict)):
            if ended == 4 and 'no verdict' in said:
                check_gate.check('%s: %s says what to do' % (name, command), verdict in said, said)
            check_gate.check('%s: %s has a message' % (name, command), ended < 2 or advice[:12] in said or said != '' or not option, said)
        if option:
            code = gate.run(command, *words, option)[0]
            check_gate.check('%s: %s %s' % (name, command, option), code == strict, code)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('--rewrite', required=True)
    parser.add_argument('root', type=pathlib.Path)
    args = parser.parse_args()
    args.schemas, args.corpus = args.root / 'schemas', ''
    gate = check_gate.Gate(args)
    rows = described.Described(os.path.join(args.bin, 'tracekit')).outcomes
    with tempfile.TemporaryDirectory() as folder:
        brought = cases(Place(gate, pathlib.Path(folder), args.root))
        for row in rows:
            own = [c for c in row[4] if c != 'ci']
            check_row(gate, row, brought.get(row[0]) or [])
            check_gate.check('%s: each command' % row[0], {c[0] for c in brought.get(row[0]) or []} == set(own), (own, brought.get(row[0])))
    for failure in check_gate.failures:
        print('failed:', failure)
    print('%d checks, %d failed' % (check_gate.checks, len(check_gate.failures)))
    return 1 if check_gate.failures else 0


if __name__ == '__main__':
    sys.exit(main())
