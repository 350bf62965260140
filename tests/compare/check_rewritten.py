#!/usr/bin/env python3
"""Checks that the same program raises no alarm when it was written otherwise: with another clock, other numbers of
threads, timers and counters, and in another order of declarations.

usage: check_rewritten.py --bin DIRECTORY --rewrite PROGRAM CAPTURE

The steps of a capture are read by trace-stats and written three times: as they are, otherwise, and otherwise with one
timer made slower, which has to be found.
"""

import argparse
import csv
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

UNTIL = '3s'
SLOWED, FACTOR = 'UCharacterMovementComponent::PerformMovement', 1.35


def table(args, name):
    out = subprocess.run([os.path.join(args.bin, 'trace-stats'), '-q', args.capture, '-t', name, '--to', UNTIL, '--format', 'csv'],
                         stdout=subprocess.PIPE, check=True).stdout
    return list(csv.DictReader(io.StringIO(out.decode())))


class Program:
    """What happened, in ns: ops of each thread in order, and names."""

    def __init__(self, args):
        scopes, frames = table(args, 'scopes'), [f for f in table(args, 'frames') if f['type_id'] == '0' and f['end']]
        self.threads = {}
        self.ops = {}
        self.timers = sorted({s['timer'] for s in scopes})
        for s in scopes:
            self.threads[s['thread_id']] = s['thread']
            begin, depth = int(s['start']), int(s['depth'])
            end = begin + int(s['dur'])
            ops = self.ops.setdefault(s['thread_id'], [])
            # ends before begins at one time, inner ends first, outer begins first, an empty scope in one
            ops.append((begin, 1, depth, int(s['scope_id']), 'b', s['timer'], end))
        for ops in self.ops.values():
            ops.sort(key=lambda o: o[3])
        self.main = next(t for t, n in self.threads.items() if n == 'GameThread')
        self.frames = [(int(f['start']), int(f['end'])) for f in frames]
        self.counters = [c['counter'] for c in table(args, 'counters')]

    def lines(self, thread, slower):
        """(ns, what, rest) of a thread; `slower` scales the own time of a timer, and moves what is behind it."""
        stack, shift = [], 0
        marks = iter([(t, w, None) for b, e in self.frames for t, w in ((b, 'F'), (e, 'f'))] if thread == self.main else [])
        mark = next(marks, None)

        def until(t):
            nonlocal mark
            while mark and mark[0] <= t:
                yield mark[0] + shift, mark[1], ''
                mark = next(marks, None)

        def close(t):
            nonlocal shift
            while stack and stack[-1][0] <= t:
                end, timer, begin = stack.pop()
                yield from until(end - 1)
                if 'Idle' in timer:
                    shift = 0  # the frame limiter waits for less
                if timer == slower:
                    shift += int((end - begin) * (FACTOR - 1))
                yield end + shift, 'e', ''
        for begin, _, _, _, _, timer, end in self.ops[thread]:
            yield from close(begin)
            yield from until(begin)
            stack.append((end, timer, begin))
            yield begin + shift, 'b', timer
        yield from close(1 << 62)
        yield from until(1 << 62)


def write(args, program, path, frequency, seed, slower=None):
    """Seed 0: numbers in order of names; else at random, and declarations in random order."""
    rng = random.Random(seed)

    def number(names, first, capacity):
        ids = rng.sample(range(first, first + capacity), len(names)) if seed else range(first, first + len(names))
        return dict(zip(names, ids))
    threads = number(sorted(program.threads), 2, 400)
    timers = number(program.timers, 1, 60000)
    counters = number(program.counters, 1, 500)
    declared = [f'timer {i} {n}' for n, i in timers.items()] + [f'counter {i} {n}' for n, i in counters.items()]
    lanes = [f'thread {threads[t]} {program.threads[t]}' for t in sorted(program.threads)]
    if seed:
        rng.shuffle(declared)
        rng.shuffle(lanes)
    steps = []
    start = 5_000_000_000
    for t in program.threads:
        last = 0
        for k, (ns, what, timer) in enumerate(program.lines(t, slower)):
            last = max(last, ns)
            rest = timers[timer] if what == 'b' else ''
            steps.append((last, k, f'{what} {threads[t]} {start + last * frequency // 10**9} {rest}'))
    for k, (begin, _) in enumerate(program.frames):
        for name, i in counters.items():
            steps.append((begin + 1000, k, f'c {threads[program.main]} {start + (begin + 1000) * frequency // 10**9} {i} {len(name) + k % 3}'))
    steps.sort(key=lambda s: s[0])
    text = '\n'.join(declared + lanes + [s[2] for s in steps]) + '\n'
    subprocess.run([args.rewrite, str(path), str(frequency)], input=text.encode(), check=True)


def alarms(args, base, candidate):
    done = subprocess.run([os.path.join(args.bin, 'trace-diff'), '--report', 'json', str(base), str(candidate)], stdout=subprocess.PIPE)
    found = [(c['kind'], c['name'], c['thread'], c['verdict']) for c in json.loads(done.stdout)['changes']
             if c['verdict'] not in ('unchanged', 'inconclusive')]
    return found, done.returncode


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--bin', required=True)
    p.add_argument('--rewrite', required=True)
    p.add_argument('capture')
    args = p.parse_args()
    program = Program(args)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        plain, other, slow = (folder / n for n in ('plain.utrace', 'other.utrace', 'slow.utrace'))
        write(args, program, plain, 10_000_000, 0)
        write(args, program, other, 24_000_000, 7)
        write(args, program, slow, 24_000_000, 8, SLOWED)
        scopes = sum(len(o) for o in program.ops.values())
        if scopes < 100000 or len(program.threads) < 4:
            failures.append('too little in the capture: %d scopes of %d threads' % (scopes, len(program.threads)))
        for a, b in ((plain, other), (other, plain)):
            found, code = alarms(args, a, b)
            if found or code:
                failures.append('%s against %s: exit code %d, %s' % (a.name, b.name, code, found))
        found, code = alarms(args, plain, slow)
        if code != 1 or found != [('timer', SLOWED, 'GameThread', 'regressed')]:
            failures.append('slow: exit code %d, %s' % (code, found))
    for failure in failures:
        print('failed:', failure)
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
