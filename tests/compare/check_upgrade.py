#!/usr/bin/env python3
"""What 0.1 left behind against this build: baselines of versions 1 to 4, a budget file, a script of continuous integration, a query.

usage: check_upgrade.py --bin DIRECTORY --rewrite PROGRAM ROOT

The runs of the baselines, and the names that 0.1 had, are known from the time when it wrote them. What docs/upgrading.md
states of statuses is compared with the table of `tracekit --describe`.
"""

import argparse
import csv
import io
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1] / 'manual')]
import check_gate   # noqa: E402
import terminals    # noqa: E402
import described    # noqa: E402
from check_sections import Numbers, section   # noqa: E402

check = check_gate.check
# of each version a file, how many runs it has, and a timer of them
BASELINES = {'baseline-v1-a.tkb': (1, 'Lighting'), 'baseline-v2-game.tkb': (1, None), 'baseline-v3-game.tkb': (1, None),
             'baseline-v4-a.tkb': (1, None)}
# a step as it was written for 0.1: 1 fails the build
SCRIPT = """
set -u
trace-diff -q "$1" "$2" --require-verdict --report json="$3"
status=$?
case $status in
0) echo pass ;;
1) echo fail ;;
*) echo error ;;
esac
"""


def baselines(gate, root, folder):
    for name, (n, timer) in BASELINES.items():
        path = root / 'fixtures' / name
        status, out, err = gate.run('baseline', 'list', '-f', 'csv', '-c', 'run', path)
        check('%s: runs' % name, status == 0 and len(out.split()) == n + 1, (status, out, err))
        report = json.loads(gate.run('diff', '-q', '--report', 'json', path, path)[1])
        check('%s: compared' % name, report['outcome'] == 'same data' and report['runs']['baseline'] == n and
              {c['verdict'] for c in report['changes']} <= {'unchanged', 'inconclusive'}, report['outcome'])
        check('%s: a timer' % name, timer is None or timer in {c['name'] for c in report['changes']})
        added = folder / name
        added.write_bytes(path.read_bytes())
        capture = USUAL.write(gate, folder / (name + '.utrace'), name, frames=100)
        status, _, err = gate.run('baseline', '-q', 'add', added, capture)
        out = gate.run('baseline', 'list', '-f', 'csv', '-c', 'run', added)[1]
        check('%s: a run of today is added' % name, status == 0 and len(out.split()) == n + 2, (status, err, out))
    for version, name in (('1', 'Streaming.Flush'), ('4', 'Update')):
        pair = [root / 'fixtures' / ('baseline-v%s-%s.tkb' % (version, s)) for s in 'ab']
        report = json.loads(gate.run('diff', '-q', '--report', 'json', *pair)[1])
        check('planted in version %s' % version, name in {c['name'] for c in report['changes'] if c['verdict'] == 'regressed'}, report['counts'])


def texts_of(numbers):
    texts = []
    for _ in range(numbers.next()):
        numbers.take(1)
        texts.append(numbers.take(numbers.next()).decode('utf-8', 'replace'))
    return texts


class Old:
    """A baseline of one run as its bytes have it, of version 1 to 4: what each timer was called, how often and how long."""

    def __init__(self, data):
        self.version = struct.unpack_from('<I', data, 8)[0]
        self.parts, at = [], 12
        while at < len(data):
            n = struct.unpack_from('<Q', data, at + 4)[0]
            self.parts.append((data[at:at + 4], data[at + 20:at + 20 + n]))
            at += 20 + n
        part = dict(self.parts)
        run, frames = Numbers(part[b'RUN ']), Numbers(part[b'FRAM'])
        run.take(8)
        self.frequency, _, of_block = run.next(), run.next(), run.next()
        n_frames = frames.next()
        self.texts, self.n_blocks = texts_of(Numbers(part[b'NAME'])), -(-n_frames // of_block)
        if b'SEGM' in part:
            segments = Numbers(part[b'SEGM'])
            for _ in range(segments.next()):
                segments.next()
            self.n_blocks = segments.next()
        self.series = self.read(Numbers(part[b'SERI']))

    def sparse(self, c):
        """A number of a list in which zeros are in runs, but for version 1."""
        if self.zeros:
            self.zeros -= 1
            return 0
        v = c.next()
        if v == 0 and self.version > 1:
            self.zeros = c.next()
        return v

    def read(self, c):
        series = []
        for _ in range(c.next()):
            begin = c.at
            kind, _, flags = c.take(3)
            name, group = self.texts[c.next()], self.texts[c.next()]
            c.next()
            line, count = c.at, 0
            c.next()
            behind = c.at
            count, total, own = c.next(), 0, 0
            if kind in (0, 1, 5):
                total, _, own, _, _ = c.next(), c.next(), c.next(), c.next(), c.next()
            self.zeros = 0
            if kind in (0, 1) and not flags & 8:
                self.skip_calls(c, count)
            if kind in (2, 3):
                c.take(32)
            if flags & 1:
                self.skip_blocks(c, kind)
            if flags & 4:
                self.zeros = 0
                for _ in range(16):
                    self.sparse(c)
            series.append({'kind': kind, 'key': (name, group), 'count': count, 'incl': total, 'excl': own >> 1 ^ -(own & 1),
                           'bytes': c.data[begin:c.at], 'line': (line - begin, behind - begin)})
        check('a baseline of version %d is read to its end' % self.version, c.at == len(c.data), (c.at, len(c.data)))
        return series

    def skip_calls(self, c, count):
        if count <= 64:
            for _ in range(count):
                c.next()
        elif self.version == 1:
            c.next()
            for _ in range(c.next()):
                c.next()
        else:
            c.next()
            for _ in range(c.next()):
                if c.next() % 4 == 3:
                    c.next()

    def skip_blocks(self, c, kind):
        self.zeros = 0
        for _ in range(self.n_blocks):
            if kind in (2, 3):
                c.take(8)
                c.next()
            else:
                self.sparse(c)

    def timers(self):
        """{(name, class): [calls, ns, own ns]} of all places together."""
        sums = {}
        for s in self.series:
            if s['kind'] == 0:
                of = sums.setdefault(s['key'], [0, 0, 0])
                for i, v in enumerate((s['count'], s['incl'] * 10**9 // self.frequency, s['excl'] * 10**9 // self.frequency)):
                    of[i] += v
        return sums

    def with_second_places(self, how_many):
        """The same file, in which each of the first timers has as much again on another line, as 0.1 kept places."""
        old = Numbers(dict(self.parts)[b'SERI'])
        n, added = old.next(), b''
        for s in [s for s in self.series if s['kind'] == 0][:how_many]:
            a, b = s['line']
            added += s['bytes'][:a] + varint(4321) + s['bytes'][b:]
        payload = varint(n + how_many) + old.data[old.at:] + added
        head = b'\x89TKB\r\n\x1a\n' + struct.pack('<I', self.version)
        return head + b''.join(section(tag, payload if tag == b'SERI' else p) for tag, p in self.parts if tag != b'VALU')


def varint(v):
    out = b''
    while v > 127:
        out, v = out + bytes((v & 127 | 128,)), v >> 7
    return out + bytes((v,))


def places(gate, root, folder):
    """Baselines of versions 1 to 4 by a second reader: each timer as often and as long as their bytes have it, places together."""
    def reported(path):
        rows = csv.DictReader(io.StringIO(gate.run('stats', '-q', '-t', 'timers', '-f', 'csv', path)[1]))
        return {(r['timer'], r['class']): [int(r['count']), int(r['total']), int(r['excl'])] for r in rows}

    def same(mine, theirs):
        return mine.keys() == theirs.keys() and all(abs(a - b) <= 2 for k in mine for a, b in zip(mine[k], theirs[k]))
    for name in BASELINES:
        old = Old((root / 'fixtures' / name).read_bytes())
        check('%s is of its version' % name, 'v%d' % old.version in name)
        mine = old.timers()
        check('%s: each timer' % name, mine and same(mine, reported(root / 'fixtures' / name)), (mine, reported(root / 'fixtures' / name)))
        if old.version == 1:        # the seed of its checksums is another one
            continue
        path, first = folder / ('places-' + name), [s['key'] for s in old.series if s['kind'] == 0][:2]
        path.write_bytes(old.with_second_places(len(first)))
        twice = Old(path.read_bytes()).timers()
        check('%s: two places are twice' % name, all(twice[k] == [2 * v for v in mine[k]] for k in first if first.count(k) == 1), (first, twice))
        check('%s: places are summed' % name, same(twice, reported(path)), (twice, reported(path)))


def budgets(gate, root, folder):
    path = folder / 'budget.json'
    for error, wanted in ((0.4, 1), (0.7, 0)):      # the truth of this run is 0.52 ms a frame
        path.write_text(json.dumps({'budgets': [{'kind': 'timer', 'name': 'Lighting', 'thread': 'RenderThread', 'error': error},
                                                {'kind': 'frame', 'name': 'p95', 'warning': 18, 'error': 20}]}))
        check('a budget of 0.1: %s' % error, gate.run('check', '-q', '--budget', path, root / 'fixtures' / 'baseline-v1-a.tkb')[0] == wanted)


def scripts(gate, root, folder):
    """Its green stays green, its red stays red, and what is neither is no pass and says what it was."""
    base = [USUAL.write(gate, folder / ('s%d.utrace' % i), 's%d' % i, frames=300) for i in range(10)]
    kept = folder / 'kept'
    for run in base[:5]:
        gate.run('stats', '-q', '--save', str(kept) + '/', run)
    cases = {'good': (base[5:], {}, 'pass', None), 'slow': (None, {'factor': 1.4}, 'fail', None),
             'crash': (None, {'message': '1 Assertion failed', 'n': 1}, 'error', 'before 0.2 it was 1')}
    for name, (runs, how, wanted, said) in cases.items():
        place = folder / name
        place.mkdir()
        for i in range(how.pop('n', 5)):
            if runs:
                (place / runs[i].name).write_bytes(runs[i].read_bytes())
            else:
                USUAL.write(gate, place / ('%s%d.utrace' % (name, i)), name + str(i), frames=300, **how)
        done = subprocess.run(['sh', '-c', SCRIPT, 'ci', str(kept), str(place), str(folder / 'r.json')], capture_output=True, text=True,
                              env={**os.environ, 'PATH': gate.bin + os.pathsep + os.environ['PATH']})
        check('a script of 0.1: %s' % name, done.stdout.strip() == wanted and (said is None or said in done.stderr), (done.stdout, done.stderr))


def queries(gate, root, folder):
    """A query with a column of 0.1 names the one of today, and that one works."""
    capture = USUAL.write(gate, folder / 'sql.utrace', 'sql', frames=50)
    status, out, err = gate.run('query', '-q', capture, 'select count(duration) from frames')
    check('a column of 0.1', status == 2 and not out and "'dur'" in err, (status, out, err))
    for words in (('-c', 'duration'), ('--sort', 'duration')):
        status, out, err = gate.run('stats', '-q', capture, '-t', 'frames', *words)
        check('a column of 0.1: %s' % words[0], status == 2 and not out and "since 0.2 it is 'dur'" in err, (status, out, err))
    status, out, err = gate.run('stats', '-q', capture, '-t', 'timers', '--where', 'own>1ms')
    check('a column of 0.1: --where', status == 2 and not out and "since 0.2 it is 'excl'" in err, (status, out, err))
    status, out, err = gate.run('query', '-q', '-f', 'csv', capture, 'select count(dur) as n from frames')
    check('its name today', status == 0 and out.split() == ['n', '50'], (status, out, err))


def said_of(gate, place, words, **environment):
    """What a person at a terminal reads beside the output."""
    ours, theirs = terminals.opened(200)
    usual = {k: v for k, v in os.environ.items() if k not in ('CI', 'TRACEKIT_CACHE')}
    subprocess.run([os.path.join(gate.bin, 'trace-' + words[0]), *map(str, words[1:])], stdout=subprocess.DEVNULL, stderr=theirs,
                   env={**usual, 'TERM': 'xterm', 'XDG_CACHE_HOME': str(place), **environment})
    return terminals.written(ours, theirs).decode()


def notices(gate, root, folder):
    """What is no longer as it was is said once to a person, with the way back, and never to a program."""
    old = root / 'fixtures' / 'baseline-v4-a.tkb'
    capture = USUAL.write(gate, folder / 'notices.utrace', 'notices', frames=100)
    kinds = {('stats', capture, '--hitches'): '--hitches=median', ('stats', capture, '-t', 'timers'): '--by source',
             ('diff', capture, '--frames', '0-49', '--vs', capture, '--frames', '50-99'): 'give it once'}
    for i, (words, way) in enumerate(kinds.items()):
        place = folder / ('cache%d' % i)

        def said(*more, **environment):
            return said_of(gate, place, (*words, *more), **environment)

        for quiet in (said('-q'), said(CI='1'), said(TRACEKIT_CACHE='off'), said('--no-cache'), said(XDG_CACHE_HOME='', HOME='')):
            check('nothing is said: %s' % way, 'in 0.1' not in quiet, quiet)
        piped = subprocess.run([os.path.join(gate.bin, 'trace-' + words[0]), *map(str, words[1:])], capture_output=True,
                               env={**os.environ, 'XDG_CACHE_HOME': str(place)})
        check('a program is told nothing: %s' % way, b'in 0.1' not in piped.stderr and b'in 0.1' not in piped.stdout, piped.stderr)
        first, second = said(), said()
        check('said once: %s' % way, first.count('in 0.1') == 1 and way in first and 'in 0.1' not in second, (first, second))
        cleared = subprocess.run([os.path.join(gate.bin, 'trace-cache'), 'clear'], capture_output=True, env={**os.environ, 'XDG_CACHE_HOME': str(place)})
        check('cleared, and said again: %s' % way, cleared.returncode == 0 and way in said(), cleared)
    # who gives the rule, or the places, is told nothing
    place = folder / 'cache-given'
    for words in (('stats', capture, '--hitches=median'), ('stats', capture, '-t', 'timers', '--by', 'source'), ('diff', old, old)):
        check('given: %s' % (words,), 'in 0.1' not in said_of(gate, place, words))


def page(gate, root):
    """The statuses that the page states are those of the table."""
    text = (root / 'docs' / 'upgrading.md').read_text()
    rows = {row[0]: row for row in described.Described(os.path.join(gate.bin, 'tracekit')).outcomes}
    for words, outcome in (('no timer in common', 'nothing in common'), ('below the floors', 'below the floors'), ('no run of the branch', 'no base'),
                           ('an empty recording', 'empty'), ('on one side only', 'on one side only'), ('of runs without a time', 'no order')):
        row = next(line for line in text.splitlines() if words in line and line.startswith('|'))
        now = re.match(r'(\d)', row.split('|')[3].strip())
        check('page: %s' % words, now and int(now.group(1)) == rows[outcome][1], row)
    known = subprocess.run([os.path.join(gate.bin, 'tracekit'), '--describe'], capture_output=True, text=True).stdout + \
        (root / 'ci' / 'tracekit-ci').read_text()
    for option in sorted(set(re.findall(r'--([a-z]+(?:-[a-z]+)*)', text))):
        check('page: --%s' % option, re.search(r'(?<![a-z])(?<![a-z]-)%s(?![a-z-])' % option, known))


USUAL = check_gate.USUAL


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('--rewrite', required=True)
    parser.add_argument('root', type=pathlib.Path)
    args = parser.parse_args()
    args.schemas, args.corpus = args.root / 'schemas', ''
    gate = check_gate.Gate(args)
    with tempfile.TemporaryDirectory() as name:
        for part in (baselines, places, budgets, scripts, queries, notices):
            part(gate, args.root, pathlib.Path(name))
        page(gate, args.root)
    for failure in check_gate.failures:
        print('failed:', failure)
    print('%d checks, %d failed' % (check_gate.checks, len(check_gate.failures)))
    return 1 if check_gate.failures else 0


if __name__ == '__main__':
    sys.exit(main())
