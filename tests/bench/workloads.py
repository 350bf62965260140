"""The rows of against.py: commands on captures of a size, those that measure.py measures alone."""

import dataclasses
import re
import subprocess
import typing

from rows import ALIVE, CODECS, EXPORTS, FAMILY_DENSITIES, MEMORY, PACKED, PLAIN, QUESTIONS, ROWS, SHAPES, TIMERS

CPU, BOTH = ('cpu',), ('cpu', 'wall')
SIDE = 4                # runs of each side of a comparison
QUESTION = {'cpu': 'question'}          # what rows of a shape are called
NAMED = {'game': {'Audio::*': 'FAnim*', 'Audio::Tick*': '*Tick*'}}      # patterns of what it has instead


@dataclasses.dataclass
class Workload:
    what: str
    command: tuple
    paths: typing.Callable              # of a size: the captures, made when they are not there
    times: tuple = CPU
    out: bool = False                   # writes a file, --output
    save: bool = False                  # writes a file, --save


class Workloads:
    def __init__(self, captures, old, folder):
        self.captures = captures
        self.old = old                  # the commands that make baselines, which the newer ones have to read
        self.folder = folder

    def capture(self, name):
        return lambda size: [self.captures.capture(name, size)[0]]

    def saved(self, path):
        baseline = self.folder / (path.stem + '.tkb')
        if not baseline.exists():
            subprocess.run([self.old / 'trace-stats', path, '--save', baseline, '--quiet'], check=True,
                           stdout=subprocess.DEVNULL)
        return baseline

    def two(self, size):
        return [self.captures.capture('cpu', size)[0], self.captures.other(size)]

    def many_timers(self, size):
        return [self.saved(path) for path in self.captures.many_timers(size)]

    def sides(self, _, saved):
        base, candidate = ([self.saved(path) if saved else path for path in side]
                           for side in self.captures.runs(SIDE))
        return [*base, '--vs', *candidate]

    def statistics(self):
        """The rows of measure.py, where one command has one row for each time."""
        rows = {(row.what, row.capture): row for row in ROWS if row.capture != 'game' or self.captures.game}
        walls = {(row.what, row.capture) for row in ROWS if row.wall}
        for key, row in rows.items():
            yield Workload(row.what, row.command, self.capture(row.capture), BOTH if key in walls else CPU)

    def exports(self):
        for export in EXPORTS:
            yield Workload('export, ' + export.what, ('trace-export', '--format', *export.options, '--jobs', '2'),
                           self.capture('cpu'), BOTH, out=True)

    def questions(self):
        for shape in self.shapes():
            for question in ((), *QUESTIONS):
                words = [NAMED.get(shape, {}).get(word, word) for word in question]
                yield Workload('%s, %s' % (QUESTION.get(shape, shape), ' '.join(words) or 'none'), (*PLAIN, *words),
                               self.capture(shape))

    def shapes(self):
        return [shape for shape in SHAPES if shape != 'game' or self.captures.game]

    def families(self):
        density = max(FAMILY_DENSITIES)
        yield Workload('families, %d of each' % density, (*TIMERS, '--jobs', '1'),
                       lambda size: [self.captures.mixed(size, density)[1]])

    def memory(self):
        for what, command in MEMORY.items():
            yield Workload('memory, ' + what, command, lambda size: [self.captures.memory(size // 10, min(ALIVE))],
                           CPU if command[-1] == '1' else BOTH)

    def comparisons(self):
        for jobs in '1', '2':
            yield Workload('baseline, jobs ' + jobs, ('trace-stats', '--jobs', jobs), self.capture('cpu'), BOTH,
                           save=True)
            yield Workload('diff of captures, jobs ' + jobs, ('trace-diff', '--jobs', jobs), self.two, BOTH)
        yield Workload('diff of 5000 timers', ('trace-diff',), self.many_timers)
        yield Workload('diff of %d runs and %d' % (SIDE, SIDE), ('trace-diff',), lambda size: self.sides(size, True))
        yield Workload('diff of their captures', ('trace-diff',), lambda size: self.sides(size, False))

    def packed(self):
        for codec in CODECS:
            for what, command, jobs in PACKED:
                yield Workload('%s, %s, jobs %d' % (codec, what, jobs), (*command, '--jobs', str(jobs)),
                               lambda size, codec=codec: [self.captures.packed(size, codec)[0]], BOTH)

    def all(self, pattern=''):
        for part in (self.statistics, self.exports, self.questions, self.families, self.memory, self.comparisons,
                     self.packed):
            yield from (row for row in part() if re.search(pattern, row.what))
