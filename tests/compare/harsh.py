"""Programs that are hard to compare, for script/evaluate-diff: 160 frames, timers with two levels from run to run, single
frames that take many times as long, runs that swing together, and machines with two speeds."""
import math
import os
import random
import subprocess

FRAMES, FREQUENCY, FRAME_MS, TIMERS = 160, 150_000_000, 16.67, 21
SOURCES = {'x1.15': 1.15, 'x1.30': 1.30, 'x0.85': 0.85}     # the planted changes of B, a timer each
TWO_LEVELS, TWO_SPEEDS = 1, 6                               # timers of a program with two levels; every so many programs has two speeds
SPEED = 1.12
HALVED, SLOWER = 15, 1.48                                   # of the fix; the others of the 21 are untouched


class Program:
    """Some timers on two threads. What is planted is in timers of usual habits."""

    def __init__(self, seed, number):
        rng = random.Random('%s/%d' % (seed, number))
        self.seed, self.speeds = '%s/%d' % (seed, number), number % TWO_SPEEDS == TWO_SPEEDS - 1
        self.capped = number % 2 == 0
        self.timers = []
        for i in range(TIMERS):
            self.timers.append({'name': 'T%02d' % i, 'ms': math.exp(rng.uniform(math.log(0.06), math.log(1.2))), 'thread': 2 + i % 2,
                                'run': rng.choice((0.004, 0.008, 0.012, 0.02, 0.03)), 'call': rng.uniform(0.03, 0.3), 'level': 0, 'part': 0})
        rng.shuffle(self.timers)
        for t in self.timers[:TWO_LEVELS]:
            t['level'], t['part'] = rng.uniform(0.05, 0.15), rng.uniform(0.25, 0.5)
        self.planted = {}
        for i, (t, factor) in enumerate(zip(self.timers[TWO_LEVELS:], SOURCES.values())):
            t['ms'], t['run'] = 0.5, (0.008, 0.012, 0.02, 0.03)[(number + i) % 4]
            self.planted[t['name']] = factor
        self.stalls = rng.uniform(0.005, 0.02)
        order = list(self.timers)
        rng.shuffle(order)
        self.halved = {t['name'] for t in order[:HALVED]}
        self.slower = order[HALVED]['name']
        self.untouched = {t['name'] for t in order[HALVED + 1:]}

    def factor(self, name, build):
        if build == 'b':
            return self.planted.get(name, 1)
        if build == 'fix':
            return 0.5 if name in self.halved else SLOWER if name == self.slower else 1
        return {'machine': 1.12, 'wild': 0.51, 'slow': 1.12}.get(build, 1)

    def write(self, path, writer, build, number):
        rng = random.Random('%s/%s/%d' % (self.seed, build, number))
        fast = not self.speeds or rng.random() < 0.6
        machine = math.exp(rng.gauss(0, 0.006 if self.speeds else 0.02)) * (1 if fast else SPEED)
        ms = [t['ms'] * machine * math.exp(rng.gauss(0, t['run'])) * (1 + (t['level'] if rng.random() < t['part'] else 0)) *
              self.factor(t['name'], build) for t in self.timers]
        lines = ['timer %d %s' % (i + 1, t['name']) for i, t in enumerate(self.timers)] + ['thread 2 GameThread', 'thread 3 RenderThread']
        end, pace = 0, 0.0
        for frame in range(FRAMES):
            begin = max(5_000_000_000, end + 10)
            pace = 0.7 * pace + rng.gauss(0, 0.04)
            stall = rng.randrange(TIMERS) if rng.random() < self.stalls else None
            steps, end = [], begin + (int((FRAME_MS - 0.01) * FREQUENCY / 1000) if self.capped else 0)
            for thread in (2, 3):
                at = begin + 10
                for i, t in enumerate(self.timers):
                    if t['thread'] != thread:
                        continue
                    cycles = int((ms[i] * math.exp(pace + rng.gauss(0, t['call'])) + (t['ms'] * rng.uniform(5, 25) if stall == i else 0)) * FREQUENCY / 1000)
                    steps += ['b %d %d %d' % (thread, at, i + 1), 'e %d %d' % (thread, at + cycles)]
                    at += cycles + 3
                end = max(end, at)
            lines += ['F 2 %d' % begin] + steps + ['f 2 %d' % end]
        subprocess.run([writer, path, str(FREQUENCY)], input='\n'.join(lines).encode() + b'\n', check=True)

    def save(self, tracekit, writer, folder, build, number):
        """A baseline of one run."""
        path = os.path.join(folder, '%s-%s-%02d' % (self.seed.replace('/', '-'), build, number))
        self.write(path + '.utrace', writer, build, number)
        subprocess.run([tracekit, 'stats', '-q', '--save', path + '.tkb', path + '.utrace'], check=True)
        os.remove(path + '.utrace')
        return path + '.tkb'
