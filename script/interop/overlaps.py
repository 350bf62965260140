#!/usr/bin/env python3
"""Exports captures whose scopes overlap, made at random, and compares what Perfetto's trace processor understood with what was
made: no event is misplaced, and calls and times by thread and name are equal.

usage: overlaps.py --bin DIRECTORY --drivers DIRECTORY --work DIRECTORY [--seeds N] [--first SEED]

A capture is JSON of Chrome: threads with scopes that lie in each other, overlap, touch, are equal or have no length.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys

ERRORS = "select name, severity, value from stats where value != 0 and severity in ('error', 'data_loss')"
SUMS = ('select t.name, s.name, count(*), sum(s.dur) from slice s join thread_track k on s.track_id = k.id '
        'join thread t using (utid) where t.tid < 2100000000 group by 1, 2')
THREADS = ('Main', 'Worker', 'Pool 2', 'Render')
NAMES = ('Tick', 'Draw', 'Load', 'Wait', 'Sort')


def make(seed):
    """(events, what they come to by thread and name)"""
    numbers, wanted = random.Random(seed), collections.defaultdict(lambda: [0, 0])
    events = [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': tid, 'args': {'name': name}}
              for tid, name in enumerate(THREADS, 1)]
    for tid, thread in enumerate(THREADS, 1):
        begin, length = 0, 0
        for _ in range(numbers.randrange(1, 400)):
            step = numbers.choice(('on', 'inside', 'overlap', 'touch', 'equal', 'empty'))
            if step in ('on', 'inside', 'overlap'):
                begin += numbers.randrange(0, length + 1) if step != 'on' else length + numbers.randrange(50)
                length = numbers.randrange(1, 5000)
            elif step == 'touch':
                begin, length = begin + length, numbers.randrange(1, 500)
            elif step == 'empty':
                length = 0
            name = numbers.choice(NAMES)
            # whole microseconds, or parts of them as decimal fractions
            part = numbers.choice((0, 0, 0.25, 0.125))
            events.append({'ph': 'X', 'name': name, 'pid': 1, 'tid': tid, 'ts': begin + part, 'dur': length})
            wanted[thread, name][0] += 1
            wanted[thread, name][1] += length * 1000
    numbers.shuffle(events)
    return events, {key: tuple(pair) for key, pair in wanted.items()}


def thread_of(name):
    """Of a lane: further ones have the name of their thread with a number behind."""
    return name if name in THREADS else re.sub(r' \(\d+\)$', '', name)


def understood(rows):
    sums = collections.defaultdict(lambda: [0, 0])
    for thread, name, count, time in rows:
        sums[thread_of(thread), name][0] += int(count)
        sums[thread_of(thread), name][1] += int(time)
    return {key: tuple(pair) for key, pair in sums.items()}


def ask(options, path):
    out = subprocess.run(['node', options.drivers / 'perfetto.mjs', options.work / 'perfetto', path, ERRORS, SUMS], check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return [json.loads(line) for line in out.decode().splitlines() if line[:1] == '[']


def check(options, seed):
    events, wanted = make(seed)
    capture, failed = options.work / 'overlaps.json', 0
    capture.write_text(json.dumps(events))
    for form in ('chrome', 'perfetto'):
        path = options.work / ('overlaps-out.' + form)
        subprocess.run([options.bin / 'trace-export', capture, '--quiet', '--force', '--format', form, '--output', path], check=True)
        errors, rows = ask(options, path)
        got = understood(rows)
        fine = not errors and got == wanted
        failed += not fine
        print('%-6s seed %d as %s: %d scopes of %d threads' % ('ok' if fine else 'FAILED', seed, form,
                                                              sum(n for n, _ in wanted.values()), len(THREADS)), flush=True)
        if not fine:
            print('       %s\n       %.300s' % (errors, [(key, got.get(key), wanted.get(key))
                                                       for key in sorted({*got, *wanted}) if got.get(key) != wanted.get(key)]))
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ('bin', 'drivers', 'work'):
        parser.add_argument('--' + name, type=pathlib.Path, required=True)
    parser.add_argument('--seeds', type=int, default=8)
    parser.add_argument('--first', type=int, default=1)
    options = parser.parse_args()
    return 1 if sum(check(options, seed) for seed in range(options.first, options.first + options.seeds)) else 0


if __name__ == '__main__':
    sys.exit(main())
