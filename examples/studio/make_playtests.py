#!/usr/bin/env python3
"""Makes the playtests that walk.sh goes through: two maps, three builds, two machines, and what is planted in them.

usage: make_playtests.py FOLDER [PLAYTESTS]
       make_playtests.py --play MAP BUILD FILE            one of them, as a machine that plays a build by itself

PLAYTESTS is how many there are in all (default: 40). A playtest is a capture of 600 frames at 60 a second, in the Chrome trace format
so that it can be read in an editor, MAP-BUILD-N.json, and beside it MAP-BUILD-N.run.json with what the capture does not record:

  every build    walks through the map, from cell 0 to cell 5 of 10,000 units; two blocking loads in Harbor
  build 502      a garbage collection of 20 ms, three times in Canyon
  build 503      Physics takes 30 % longer, 100 draw calls more; in Harbor cell 3 is slow (22 ms a frame), and pipelines are
                 made in two frames of play

It also writes a CSV of PresentMon, presentmon.csv, beside the folder.
"""

import json
import os
import pathlib
import random
import sys

FRAMES, USUAL = 600, 16.6       # ms
PLACES, BUILDS = ('Harbor', 'Canyon'), (501, 502, 503)
LOADS, COLLECTIONS, PIPELINES = (150, 450), (200, 330, 520), (250, 560)


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


def planted(place, build, i):
    """What a frame does besides the usual."""
    if place == 'Harbor' and i in LOADS:
        yield 'FlushAsyncLoading', 40.0
    if place == 'Canyon' and build == 502 and i in COLLECTIONS:
        yield 'CollectGarbage', 20.0
    if place == 'Harbor' and build == 503 and i in PIPELINES:
        yield 'CreateGraphicsPipelineState', 25.0


def play(path, place, build, seed):
    rng, capture = random.Random(f'{place} {build} {seed}'), Capture()
    machine = 1 + rng.gauss(0, 0.006)
    for i in range(FRAMES):
        physics = 3.0 * machine * (1.3 if build >= 503 else 1) * (1 + rng.gauss(0, 0.05))
        parts = [('Physics', physics), ('Animation', 4.0 * machine * (1 + rng.gauss(0, 0.05))), *planted(place, build, i)]
        capture.counter('PlayerX', 60000 * i / FRAMES)
        capture.counter('PlayerY', 500)
        capture.counter('DrawCalls', 1000 + i % 50 + (100 if build >= 503 else 0))
        slow = place == 'Harbor' and build >= 503 and 300 <= i < 400
        if slow:
            parts.append(('Water', 22.0 - physics - 4.0))
        capture.frame(parts, 22.0 if slow else USUAL)
    capture.frame([], 0)
    path.write_text(json.dumps({'traceEvents': capture.events}))


def say(path, place, build, n):
    """What the machine knows that played it."""
    facts = {'map': place, 'build': str(build), 'machine': f'lab-{n % 2 + 1}', 'time': f'2026-11-0{build - 500}T{n:02}:00:00Z'}
    path.with_suffix('.run.json').write_text(json.dumps(facts))


def presentmon(path):
    """Every 50th frame is late."""
    rows = ['Application,ProcessID,SwapChainAddress,PresentRuntime,SyncInterval,PresentFlags,AllowsTearing,PresentMode,CPUStartTime,FrameTime']
    time = 0.0
    for i in range(500):
        length = 33.2 if i % 50 == 49 else 16.6
        rows.append(f'Game.exe,42,0x1,DXGI,1,0,0,Hardware: Independent Flip,{time:.4f},{length:.4f}')
        time += length
    path.write_text('\r\n'.join(rows) + '\r\n')


def main():
    if sys.argv[1] == '--play':
        return play(pathlib.Path(sys.argv[4]), sys.argv[2], int(sys.argv[3]), os.environ.get('TRACEKIT_RUN', sys.argv[4]))
    folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 40
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(count):
        place, build, n = PLACES[i % 2], BUILDS[i // 2 % 3], i // 6 + 1
        path = folder / f'{place}-{build}-{n}.json'
        play(path, place, build, n)
        say(path, place, build, n)
    presentmon(folder.parent / 'presentmon.csv')


if __name__ == '__main__':
    if len(sys.argv) < 2 or (sys.argv[1].startswith('-') and len(sys.argv) != 5):
        sys.exit(__doc__)
    main()
