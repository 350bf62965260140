#!/usr/bin/env python3
"""What is said of a thread is of all its lanes together, and what is said of scopes is as the file has it.

usage: check_lanes.py --bin DIRECTORY --seeds N

Writes captures of scopes that overlap, and holds the tables against sums that go nanosecond by nanosecond over the thread:
of all scopes that are open at one, the one that began last has it. One overlap in some is of a nanosecond, as when
microseconds are rounded.
"""

import argparse
import collections
import pathlib
import random
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402

FRAMES, FRAME = 5, 400
NAMES = ('Work', 'Anim', 'WaitForTask', 'FPlatformProcess::Sleep')


def waits(name):
    return name in NAMES[2:]


def made(rng):
    """Scopes as (begin, end, name), of different begins."""
    begins = sorted(rng.sample(range(1, FRAMES * FRAME - 100), 40))
    scopes = [[begin, begin + rng.randrange(2, 90), rng.choice(NAMES)] for begin in begins]
    for one, other in zip(scopes, scopes[1:]):
        if rng.random() < 0.3 and other[0] > one[0]:
            one[1] = other[0] + 1
            other[1] = max(other[1], one[1] + 1)
    return [tuple(scope) for scope in scopes]


def event(**keys):
    return '{%s}' % ','.join('"%s":%s' % (key, value if key in ('ts', 'dur') else '"%s"' % value if isinstance(value, str)
                                          else value) for key, value in keys.items())


def text_of(scopes):
    def micro(ns):
        return '%d.%03d' % divmod(ns, 1000)
    events = ['{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"GameThread"}}']
    events += [event(ph='i', s='t', name='Frame', pid=1, tid=1, ts=micro(i * FRAME)) for i in range(FRAMES + 1)]
    events += [event(ph='X', name=name, pid=1, tid=1, ts=micro(begin), dur=micro(end - begin)) for begin, end, name in scopes]
    return '{"traceEvents":[\n%s\n]}\n' % ',\n'.join(events)


def owned(scopes):
    """By frame and whether its owner waits: nanoseconds."""
    sums = collections.Counter()
    for now in range(FRAMES * FRAME):
        there = [scope for scope in scopes if scope[0] <= now < scope[1]]
        if there:
            sums[now // FRAME, waits(max(there)[2])] += 1
    return sums


def rounded(scopes, frame):
    """Overlaps of a nanosecond that a frame has."""
    ends = {scope[1] for scope in scopes if scope[1] // FRAME == frame}
    return sum(1 for scope in scopes if scope[0] + 1 in ends)


def check(result, runner, seed, work):
    scopes, capture = made(random.Random(seed)), work / 'lanes.json'
    capture.write_text(text_of(scopes), encoding='utf-8')
    sums = owned(scopes)
    of = {kind: sum(n for (_, waiting), n in sums.items() if waiting == kind) for kind in (False, True)}
    for jobs in ('1', '2'):
        rows = runner.table(capture, 'threads', ('busy', 'working', 'waiting', 'scopes'), '--jobs', jobs)
        result.equal('the thread', [tuple(map(int, row.values())) for row in rows],
                     [(of[False] + of[True], of[False], of[True], len(scopes))])
        rows = runner.table(capture, 'bound', ('frame', 'game', 'game_wait'), '--jobs', jobs)
        result.equal('its frames', len(rows), FRAMES)
        # a scope over the border of a frame that others overlap in it by a nanosecond each may have that too little
        result.equal('times in frames', [row for i, row in enumerate(rows)
                                         if abs(int(row['game']) - sums[i, False]) > rounded(scopes, i) or
                                         abs(int(row['game_wait']) - sums[i, True]) > rounded(scopes, i)], [])
    begin, end = FRAME // 2, 3 * FRAME + 7
    rows = runner.table(capture, 'threads', ('busy',), '--from', '%dns' % begin, '--to', '%dns' % end)
    result.equal('a selection', [int(row['busy']) for row in rows],
                 [sum(any(s[0] <= now < s[1] for s in scopes) for now in range(begin, end))])
    rows = runner.table(capture, 'scopes', ('start', 'dur', 'timer'))
    result.equal('the scopes', sorted((int(row['start']), int(row['start']) + int(row['dur']), row['timer']) for row in rows),
                 sorted(scopes))


def check_rounded(result, runner, work):
    """A row of scopes, each a nanosecond into the next, the last of them at the border of a frame."""
    capture = work / 'rounded.json'
    scopes = [(0, FRAMES * FRAME - 1, 'Work'), (10, 101, 'Anim'), (100, 201, 'Anim'), (200, 401, 'Anim'), (400, 500, 'Anim')]
    capture.write_text(text_of(scopes), encoding='utf-8')
    rows = runner.table(capture, 'scopes', ('start', 'dur', 'depth'))
    result.equal('no lane of their own', sorted((int(row['start']), int(row['dur']), int(row['depth'])) for row in rows),
                 sorted((begin, end - begin, min(i, 1)) for i, (begin, end, _) in enumerate(scopes)))
    rows = runner.table(capture, 'timers', ('timer', 'count', 'total', 'excl'))
    result.equal('own times', {row['timer']: tuple(int(row[key]) for key in ('count', 'total', 'excl')) for row in rows},
                 {'Work': (1, 1999, 1999 - 490), 'Anim': (4, 493, 490)})
    rows = runner.table(capture, 'quality', ('kind', 'subject', 'count'))
    result.equal('quality', [tuple(row.values()) for row in rows], [('overlap', 'GameThread', '3')])
    result.equal('health', runner.table(capture, 'health', ('kind',)), [])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, help='the directory of the commands')
    parser.add_argument('--seeds', type=int, default=10)
    options = parser.parse_args()
    runner = commands.Commands(options.bin)
    run = report.Report()
    with tempfile.TemporaryDirectory() as work:
        run.run('rounded', check_rounded, runner, pathlib.Path(work))
        for seed in range(options.seeds):
            run.run('seed %d' % seed, check, runner, seed, pathlib.Path(work))
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
