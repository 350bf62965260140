#!/usr/bin/env python3
"""Makes the playtests that walk.sh goes through: two maps, three builds, two machines, and what is planted in them.

usage: make_playtests.py FOLDER [RUNS]

RUNS is how many there are of each map and build (default: 4). A playtest is a capture of 600 frames at 60 a second, in the
Chrome trace format so that it can be read in an editor:

  every build    walks through the map, from cell 0 to cell 5 of 10,000 units; two blocking loads in Harbor
  build 502      a garbage collection of 20 ms, three times in Canyon
  build 503      Physics takes 30 % longer; cell 3 of Harbor is slow (22 ms a frame)

A playtest is called MAP-BUILD-N.json.
"""

import json
import pathlib
import random
import sys

FRAMES, USUAL = 600, 16.6       # ms
LOADS, COLLECTIONS = (150, 450), (200, 330, 520)


class Capture:
    def __init__(self):
        self.time, self.events = 1000.0, [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1, 'args': {'name': 'GameThread'}}]

    def scope(self, name, start, ms):
        self.events.append({'ph': 'X', 'name': name, 'pid': 1, 'tid': 1, 'ts': round(start, 1), 'dur': round(ms * 1000, 1)})

    def counter(self, name, value):
        self.events.append({'ph': 'C', 'name': name, 'pid': 1, 'tid': 1, 'ts': round(self.time + 1, 1), 'args': {'value': value}})

    def frame(self, parts, least):
        """Scopes one behind the other; the limiter waits until `least` ms."""
        self.events.append({'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': 1, 'ts': round(self.time, 1)})
        at = self.time + 2
        for name, ms in parts:
            self.scope(name, at, ms)
            at += ms * 1000 + 1
        due = self.time + least * 1000
        if at < due - 10:
            self.scope('WaitForVSync', at, (due - at - 5) / 1000)
        self.time = round(max(at + 1, due), 1)


def play(path, place, build, seed):
    rng, capture = random.Random(f'{place} {build} {seed}'), Capture()
    machine = 1 + rng.gauss(0, 0.006)
    for i in range(FRAMES):
        physics = 3.0 * machine * (1.3 if build == 503 else 1) * (1 + rng.gauss(0, 0.05))
        parts = [('Physics', physics), ('Animation', 4.0 * machine * (1 + rng.gauss(0, 0.05)))]
        if place == 'Harbor' and i in LOADS:
            parts.append(('FlushAsyncLoading', 40.0))
        if place == 'Canyon' and build == 502 and i in COLLECTIONS:
            parts.append(('CollectGarbage', 20.0))
        capture.counter('PlayerX', 60000 * i / FRAMES)
        capture.counter('PlayerY', 500)
        capture.counter('DrawCalls', 1000 + i % 50 + (100 if build == 503 else 0))
        slow = place == 'Harbor' and build == 503 and 300 <= i < 400
        if slow:
            parts.append(('Water', 22.0 - physics - 4.0))
        capture.frame(parts, 22.0 if slow else USUAL)
    capture.frame([], 0)
    path.write_text(json.dumps({'traceEvents': capture.events}))


def main():
    folder, runs = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 4
    folder.mkdir(parents=True, exist_ok=True)
    for place in ('Harbor', 'Canyon'):
        for build in (501, 502, 503):
            for n in range(1, runs + 1):
                play(folder / f'{place}-{build}-{n}.json', place, build, n)


if __name__ == '__main__':
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        sys.exit(__doc__)
    main()
