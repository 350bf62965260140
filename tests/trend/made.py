"""Histories that are made here, with what was planted in them: of another program, and with other noise, for each seed.

A run has a factor that all its times share and that fades over the nights; a series has noise of its own, of which whole
nights have a part, with heavy tails, and now and then a value far off."""
import csv
import datetime
import math
import os
import random

NOTHING = 10 ** 9


class Series:
    def __init__(self, rng, name, kind, parent, level, worse='up'):
        self.name, self.kind, self.parent, self.level, self.worse = name, kind, parent, level, worse
        self.noise = math.exp(rng.uniform(math.log(0.004), math.log(0.025)))
        self.nightly = rng.uniform(0.2, 0.6)        # part of the variance that whole nights have
        self.fades = rng.uniform(0.0, 0.45)
        self.takes = {'timer': max(0.0, rng.gauss(1, 0.2)), 'gpu': max(0.0, rng.gauss(1, 0.2))}.get(kind, 0.0)
        self.night = 0.0


class Made:
    """values[run][series], and planted: (series, night, until, ratio, cause)."""

    def __init__(self, seed, series=120, nights=None, machines=1, repeats=1, changes=True, plan=None):
        rng = self.rng = random.Random('history %s' % seed)
        self.nights, self.repeats = nights or rng.randint(60, 150), repeats
        self.planted, self.series = [], []
        self.make_series(series)
        self.shift = [[0.0] * self.nights for _ in self.series]
        if plan:
            for name, night, until, ratio in plan:
                self.plant([i for i, s in enumerate(self.series) if s.name == name or s.parent == name], night, until, ratio,
                           'plan')
        elif changes:
            self.make_changes()
        self.make_runs(machines)

    def make_series(self, n):
        rng = self.rng
        timers = n * 3 // 4
        for i in range(timers):
            self.series.append(Series(rng, 'T%03d' % i, 'timer', 'P%02d' % (i // 10), math.exp(rng.uniform(-5, 0))))
        for i in range(n - timers):
            kind = ('gpu', 'gpu', 'memory', 'counter')[i % 4]
            level = {'gpu': rng.uniform(0.1, 3), 'memory': rng.uniform(50, 500), 'counter': rng.uniform(100, 9000)}[kind]
            self.series.append(Series(rng, '%s%03d' % (kind[0].upper(), i), kind, '', level))

    def plant(self, which, night, until, ratio, cause):
        for i in which:
            for t in range(night, min(until, self.nights)):
                self.shift[i][t] += math.log(ratio)
            self.planted.append((self.series[i].name, night, until, ratio, cause))

    def make_changes(self):
        """Steps of 2, 5 and 10 % of single series, one of a family, one that is taken back."""
        rng = self.rng
        last = self.nights - 4
        free = list(range(len(self.series)))
        family = rng.randrange(sum(s.kind == 'timer' for s in self.series) // 10)
        members = [i for i in free if self.series[i].parent == 'P%02d' % family]
        self.plant(members, rng.randint(10, last), NOTHING, rng.choice((0.95, 1.05, 1.08)), 'family')
        free = [i for i in free if i not in members]
        rng.shuffle(free)
        for size in (0.02, 0.05, 0.10):
            for way in (1, 1, -1, -1):
                self.plant([free.pop()], rng.randint(10, last), NOTHING, (1 + size) ** way, 'own')
        at = rng.randint(10, last - 16)
        self.plant([free.pop()], at, at + 12, 1.12, 'back')

    def make_runs(self, machines):
        rng = self.rng
        shared, spread = 0.0, math.exp(rng.uniform(math.log(0.004), math.log(0.02)))
        names = ['ci-%d' % (m + 1) for m in range(machines)]
        effect = {m: [0.0 if m == names[0] or s.kind in ('memory', 'counter') else 0.08 + rng.gauss(0, 0.02)
                      for s in self.series] for m in names}
        start, build = datetime.datetime(2026, 1, 5, 3), rng.randint(1000, 5000)
        self.runs, self.values = [], []
        for night in range(self.nights):
            build += rng.randint(1, 9)
            shared = 0.6 * shared + rng.gauss(0, 0.5 * spread)
            for s in self.series:
                s.night = s.fades * s.night + math.sqrt(1 - s.fades ** 2) * rng.gauss(0, s.noise * math.sqrt(s.nightly))
            machine = names[0] if machines == 1 else rng.choice(names)
            for repeat in range(self.repeats):
                when = start + datetime.timedelta(days=night, minutes=30 * repeat)
                self.runs.append((len(self.runs), night, repeat, when.isoformat() + 'Z', build, machine, 'Test', 5000))
                self.values.append(self.make_run(night, shared + rng.gauss(0, 0.7 * spread), effect[machine]))

    def make_run(self, night, factor, effect):
        rng = self.rng
        bad = rng.uniform(0.03, 0.2) if rng.random() < 0.01 else 0.0
        row = []
        for i, s in enumerate(self.series):
            v = math.log(s.level) + self.shift[i][night] + s.night + effect[i] + s.takes * (factor + bad)
            tail = math.sqrt(rng.gammavariate(2.5, 2) / 5)
            v += s.noise * math.sqrt(1 - s.nightly) * rng.gauss(0, 1) / tail * math.sqrt(0.6)
            if rng.random() < 0.01:
                v += rng.uniform(0.1, 0.5)
            row.append(float(round(math.exp(v))) if s.kind == 'counter' else float('%.5g' % math.exp(v)))
        return row

    def cut(self, nights):
        """Number of runs of the first nights."""
        return sum(r[1] < nights for r in self.runs)

    def write(self, folder, nights=None):
        os.makedirs(folder, exist_ok=True)
        n = len(self.runs) if nights is None else self.cut(nights)
        table(folder, 'runs.csv', ('run', 'night', 'repeat', 'time', 'build', 'machine', 'config', 'frames'), self.runs[:n])
        table(folder, 'series.csv', ('series', 'kind', 'name', 'class', 'parent', 'unit', 'worse'),
              [(s.name, s.kind, s.name, 'game' if s.kind == 'timer' else '', s.parent, 'ms', s.worse) for s in self.series])
        table(folder, 'values.csv', ['run'] + [s.name for s in self.series],
              [[r] + ['' if v is None else '%.5g' % v for v in self.values[r]] for r in range(n)])
        return folder


def table(folder, name, header, rows):
    with open(os.path.join(folder, name), 'w', newline='', encoding='utf-8') as f:
        writer = csv.writer(f, lineterminator='\n')
        writer.writerow(header)
        writer.writerows(rows)
