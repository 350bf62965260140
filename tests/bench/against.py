#!/usr/bin/env python3
"""Measures the commands of two builds in pairs and prints by how much one is slower than the other.

usage: against.py --against BUILD --bin DIRECTORY --programs DIRECTORY --work DIRECTORY [--game CAPTURE]
                  [--sizes BYTES,...] [--pairs N] [--rows PATTERN]

BUILD is the build directory of another state of the sources; its commands are in BUILD/bin. Both read the same
captures, made by the programs of this build and kept in the work directory. Baselines are those that BUILD saves.

Each row is measured N times (15, or more) in both builds, one after the other; who comes first alternates, so that
neither gains from what the machine does meanwhile. One pair before does not count. Of each pair the ratio of the times
is taken, this build's against BUILD's. `ratio` is the median of these, `low` and `high` the ends of its interval of
95 %: the values of a rank that holds the true median with that confidence whatever the distribution (interval.py; of 15
pairs the 4th smallest and the 4th greatest). A row is SLOWER where `low` is above 1.03.

  time      cpu, seconds of the processor, or wall, on the clock
  before    the median of BUILD's seconds; `now` is that of this build
  instr.    by how many percent the count of instructions is greater, of perf where it can count them, or of callgrind
            on a capture of COUNT_BYTES. It is counted with --jobs 1: with two it depends on who waits for whom, by some
            percent. More than 1 % in either direction is marked with *, to be explained
  mispred.  the same of branches that were predicted wrongly, misses of data that was not in the first cache: instructions
            alone do not say how long they take

A row whose command BUILD refuses, as an older one does with what came later, is left out with a line that says so.

The exit status is 1 where a row is slower, 2 where nothing could be measured, and 0 otherwise.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

import captures
import instructions
import interval
import timed
import workloads

PAIRS = 15
MOST = 1.03             # above this the lower end must not be
EXPLAIN = 1.0           # percent of instructions
WRONG_USAGE = 2         # status of a command
NOT_COUNTED = instructions.Counts(None, None, None)
COUNT_BYTES = 2_000_000


class Against:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.sides = [(options.against / 'bin').resolve(), options.bin.resolve()]
        made = captures.Captures(options.work, options.programs, options.game)
        self.rows = list(workloads.Workloads(made, self.sides[0], folder).all(options.rows))
        self.counts = {}
        self.tool, self.count = instructions.counter()

    def command(self, row):
        """With the file that it writes, which is not there before."""
        out = self.folder / 'out.tkb'
        out.unlink(missing_ok=True)
        return (*row.command, *(['--output', out] if row.out else []), *(['--save', out] if row.save else []))

    def once(self, side, row, paths):
        return timed.once(self.sides[side], self.command(row), *paths)

    def refused(self, row, paths):
        """Whether BUILD does not know the command."""
        name, *arguments = self.command(row)
        done = subprocess.run([self.sides[0] / name, *paths, *arguments, '--quiet'], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
        return done.returncode == WRONG_USAGE

    def pair(self, number, row, paths):
        """One run of each build; every second time the new one comes first."""
        order = (0, 1) if number % 2 == 0 else (1, 0)
        runs = {side: self.once(side, row, paths) for side in order}
        return runs[0], runs[1]

    def counted(self, side, row, paths):
        name, *arguments = self.command(row)
        count, status = self.count([self.sides[side] / name, *paths, *arguments, '--quiet', '--jobs', '1'])
        timed.check(row.command, status)
        return count

    def more(self, row, size):
        """Percent of each of the Counts, or None where they cannot be counted."""
        if not self.tool:
            return NOT_COUNTED
        size = size if self.tool == 'perf' else min(size, COUNT_BYTES)
        if (row.what, size) not in self.counts:
            old, new = (self.counted(side, row, row.paths(size)) for side in (0, 1))
            self.counts[row.what, size] = [100 * (b / a - 1) if a and b else None
                                           for a, b in zip(old or NOT_COUNTED, new or NOT_COUNTED)]
        return self.counts[row.what, size]

    def measure(self, row, size):
        """Prints a row for each of its times; returns of each whether it is slower and whether instructions differ."""
        paths = row.paths(size)
        if self.refused(row, paths):
            print('%-40s the build before does not know the command' % row.what, flush=True)
            return []
        self.pair(0, row, paths)
        pairs = [self.pair(number, row, paths) for number in range(self.options.pairs)]
        more = self.more(row, size)
        return [self.show(row.what, time, [[getattr(run, time) for run in pair] for pair in pairs], more)
                for time in row.times]

    def show(self, what, time, seconds, more):
        ratio, low, high = interval.median([now / before for before, now in seconds])
        instr = more[0]
        slower, differ = low > MOST, instr is not None and abs(instr) > EXPLAIN
        print('%-40s %-4s %8.4f %8.4f %7.3f %7.3f %7.3f %9s %8s %8s %s' %
              (what, time, *(statistics.median(side) for side in zip(*seconds)), ratio, low, high,
               '' if instr is None else '%+.2f %%%s' % (instr, '*' if differ else ' '),
               *('' if other is None else '%+.1f %%' % other for other in more[1:]), 'SLOWER' if slower else ''), flush=True)
        return slower, differ

    def table(self, size):
        print('captures of %d bytes, %d pairs, instructions by %s' % (size, self.options.pairs, self.tool or 'nothing'))
        print('%-40s %-4s %8s %8s %7s %7s %7s %9s %8s %8s' %
              ('what', 'time', 'before', 'now', 'ratio', 'low', 'high', 'instr. ', 'mispred.', 'misses'))
        results = [displayed for row in self.rows for displayed in self.measure(row, size)]
        print(flush=True)
        return results


def count_of_pairs(text):
    if int(text) < PAIRS:
        raise argparse.ArgumentTypeError('fewer than %d pairs tell too little' % PAIRS)
    return int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--against', required=True, type=pathlib.Path, help='the build directory of another state')
    parser.add_argument('--bin', required=True, type=pathlib.Path, help='the directory of the commands')
    parser.add_argument('--programs', required=True, type=pathlib.Path, help='the directory of the bench programs')
    parser.add_argument('--work', required=True, type=pathlib.Path, help='where captures are kept')
    parser.add_argument('--game', type=pathlib.Path, help='a capture of a game to repeat, not compressed')
    parser.add_argument('--sizes', default='10000000', help='bytes of the captures')
    parser.add_argument('--pairs', type=count_of_pairs, default=PAIRS)
    parser.add_argument('--rows', default='', help='a pattern: measure only rows with such a name')
    options = parser.parse_args()
    if not (options.against / 'bin' / 'trace-stats').exists():
        parser.error('there is no bin/trace-stats in %s' % options.against)
    with tempfile.TemporaryDirectory() as folder:
        against = Against(options, pathlib.Path(folder))
        results = [row for size in map(int, options.sizes.split(',')) for row in against.table(size)]
    slower, differ = (sum(column) for column in zip(*results)) if results else (0, 0)
    print('%d rows, %d slower, %d with other counts of instructions' % (len(results), slower, differ))
    return 2 if not results else 1 if slower else 0


if __name__ == '__main__':
    sys.exit(main())
