#!/usr/bin/env python3
"""Exports system traces made at random, with marks of atrace of threads of several processes, and JSON of Chrome whose processes
share numbers of threads, and compares what Perfetto's trace processor understood with what was made: no event is misplaced, and
calls, times and open scopes by process, thread and name are equal.

usage: systems.py --bin DIRECTORY --drivers DIRECTORY --work DIRECTORY [--seeds N]
"""

import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / 'tests' / 'truth'))
from imports_made import put    # noqa: E402

ERRORS = "select name, severity, value from stats where value != 0 and severity in ('error', 'data_loss')"
SUMS = ('select p.pid, t.tid, s.name, sum(s.dur >= 0), sum(max(s.dur, 0)), sum(s.dur < 0) from slice s '
        'join thread_track k on s.track_id = k.id join thread t using (utid) join process p using (upid) group by 1, 2, 3')
NAMES = ('Tick', 'Draw | part', 'Load', 'W\u00e4it')
START = 10 ** 12


def nest(numbers, wanted, pid, tid):
    """(time, name; None: an end) of one thread, in order; what they come to goes to `wanted`."""
    time, stack = START + numbers.randrange(1000), []
    for _ in range(numbers.randrange(10, 80)):
        time += numbers.randrange(1, 4000)
        if stack and (len(stack) > 6 or numbers.random() < 0.5):
            begin, name = stack.pop()
            sums = wanted[pid, tid, name]
            sums[0] += 1
            sums[1] += time - begin
            yield time, None
        else:
            stack.append((time, numbers.choice(NAMES)))
            yield stack[-1]
    for _, name in stack:
        wanted[pid, tid, name][2] += 1


def system_trace(numbers, wanted):
    """Bundles of cores; threads have numbers of their own."""
    tree, cores = b'', collections.defaultdict(list)
    for pid in (700, 900):
        tree += put(1, put(1, pid) + put(3, 'program %d' % pid))
        for tid in range(pid, pid + 3):
            tree += put(2, put(1, tid) + put(2, 'thread %d' % tid) + put(3, pid))
            for time, name in nest(numbers, wanted, pid, tid):
                line = 'B|%d|%s' % (pid, name) if name else 'E|%d' % pid
                cores[numbers.randrange(4)].append(put(2, put(1, time) + put(2, tid) + put(3, put(2, line))))
    packets = [put(1, put(10, 1) + put(2, tree))]
    packets += [put(1, put(10, 1) + put(1, put(1, core) + b''.join(events))) for core, events in cores.items()]
    return b''.join(packets)


def chrome_trace(numbers, wanted):
    """Both processes have threads 1 and 2; times are whole microseconds."""
    events = []
    for pid in (5, 6):
        for tid in (1, 2):
            sums = collections.defaultdict(lambda: [0, 0, 0])
            for time, name in nest(numbers, sums, pid, tid):
                event = {'ph': 'B' if name else 'E', 'pid': pid, 'tid': tid, 'ts': time}
                events.append({**event, 'name': name} if name else event)
            for key, (count, total, opened) in sums.items():
                wanted[key] = [count, total * 1000, opened]
    return json.dumps(events).encode()


def ask(options, path):
    out = subprocess.run(['node', options.drivers / 'perfetto.mjs', options.work / 'perfetto', path, ERRORS, SUMS], check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return [json.loads(line) for line in out.decode().splitlines() if line[:1] == '[']


def check(options, seed):
    failed = 0
    for kind, make in (('system.pftrace', system_trace), ('chrome.json', chrome_trace)):
        wanted = collections.defaultdict(lambda: [0, 0, 0])
        capture = options.work / kind
        capture.write_bytes(make(random.Random(seed), wanted))
        for form in ('chrome', 'perfetto'):
            path = options.work / ('systems-out.' + form)
            subprocess.run([options.bin / 'trace-export', capture, '--quiet', '--force', '--format', form, '--output', path], check=True)
            errors, rows = ask(options, path)
            got = {(int(row[0]), int(row[1]), row[2]): [int(v) for v in row[3:]] for row in rows}
            fine = not errors and got == wanted
            failed += not fine
            print('%-6s seed %d, %s as %s: %d sums' % ('ok' if fine else 'FAILED', seed, kind, form, len(wanted)), flush=True)
            if not fine:
                print('       %s\n       %.400s' % (errors, [(key, got.get(key), wanted.get(key)) for key in sorted({*got, *wanted})
                                                           if got.get(key) != wanted.get(key)]))
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ('bin', 'drivers', 'work'):
        parser.add_argument('--' + name, type=pathlib.Path, required=True)
    parser.add_argument('--seeds', type=int, default=3)
    options = parser.parse_args()
    return 1 if sum(check(options, seed) for seed in range(1, options.seeds + 1)) else 0


if __name__ == '__main__':
    sys.exit(main())
