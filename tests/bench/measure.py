#!/usr/bin/env python3
"""Measures the commands against baselines and prints a table.

usage: measure.py --bin DIRECTORY --programs DIRECTORY --work DIRECTORY [--size BYTES] [--runs N]

Captures are made once and kept in the work directory. Of each measurement the best of N runs counts. The baselines are
those of bench-baseline: reading the file, unpacking its packets, a bare loop over the numbers of its CPU batches.
`ratio` is the CPU time against the sum of the baselines that are named; `jobs 2` rows are wall time against jobs 1.
"""

import argparse
import dataclasses
import os
import pathlib
import subprocess
import sys
import time

TIMERS = ('--table', 'timers', '--format', 'csv')
EXACT = ('--columns', 'timer,kind,count,total,excl,min,max')


@dataclasses.dataclass
class Row:
    what: str
    capture: str
    command: tuple
    baselines: tuple                    # modes of bench-baseline, or ('self',) for the row before
    wall: bool = False


ROWS = (
    Row('info, no decoding', 'cpu', ('trace-info',), ('read',)),
    Row('events, counted', 'cpu', ('trace-events', '--count', '--jobs', '1'), ('lz4',)),
    Row('timers, exact figures', 'cpu', ('trace-stats', *TIMERS, *EXACT, '--jobs', '1'), ('lz4', 'varint')),
    Row('timers, with percentiles', 'cpu', ('trace-stats', *TIMERS, '--jobs', '1'), ('lz4', 'varint')),
    Row('timers, by thread', 'cpu', ('trace-stats', *TIMERS, '--by', 'thread', '--jobs', '1'), ('lz4', 'varint')),
    Row('timers, jobs 1', 'cpu', ('trace-stats', *TIMERS, '--jobs', '1'), (), wall=True),
    Row('timers, jobs 2', 'cpu', ('trace-stats', *TIMERS, '--jobs', '2'), ('self',), wall=True),
    Row('events by serial, near', 'sync', ('trace-events', '--order', 'serial', '--format', 'csv'), ('lz4',)),
    Row('events by serial, far', 'far', ('trace-events', '--order', 'serial', '--format', 'csv'), ('lz4',)),
)


class Bench:
    def __init__(self, options):
        self.options = options
        self.known = {}

    def capture(self, name):
        """The path of a capture, which is made when it is not there."""
        path = self.options.work / ('%s-%d.utrace' % (name, self.options.size))
        if not path.exists():
            self.options.work.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix('.part')
            command = {'cpu': ['bench-gen-cpu'], 'sync': ['bench-gen-sync'], 'far': ['bench-gen-sync']}[name]
            more = ['--far'] if name == 'far' else []
            subprocess.run([self.options.programs / command[0], part, str(self.options.size), *more], check=True,
                           stdout=subprocess.DEVNULL)
            part.rename(path)
        return path

    def baseline(self, mode, capture):
        """CPU seconds."""
        if (mode, capture) not in self.known:
            out = subprocess.run([self.options.programs / 'bench-baseline', mode, self.capture(capture), '--runs',
                                  str(self.options.runs)], check=True, capture_output=True, text=True).stdout
            self.known[mode, capture] = float(out.split()[1])
        return self.known[mode, capture]

    def once(self, row):
        """(wall seconds, CPU seconds, bytes of memory) of one run."""
        name, *arguments = row.command
        begin = time.monotonic()
        process = subprocess.Popen([self.options.bin / name, self.capture(row.capture), *arguments],
                                   stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit('%s ended with %d' % (' '.join(row.command), process.returncode))
        return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024

    def measure(self, row, before):
        runs = [self.once(row) for _ in range(self.options.runs)]
        seconds = min(run[0] if row.wall else run[1] for run in runs)
        least = before if row.baselines == ('self',) else sum(self.baseline(mode, row.capture) for mode in row.baselines)
        against = 'jobs 1' if row.baselines == ('self',) else ' + '.join(row.baselines)
        print('%-26s %-5s %9.3f %9s %9s  %-13s %7.0f' %
              (row.what, 'wall' if row.wall else 'cpu', seconds, '%.3f' % least if least else '',
               '%.2f' % (seconds / least) if least else '', against, max(run[2] for run in runs) / 2**20), flush=True)
        return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path, help='the directory of the commands')
    parser.add_argument('--programs', required=True, type=pathlib.Path, help='the directory of the bench programs')
    parser.add_argument('--work', required=True, type=pathlib.Path, help='where captures are kept')
    parser.add_argument('--size', type=int, default=256 << 20, help='bytes of each capture')
    parser.add_argument('--runs', type=int, default=3)
    bench = Bench(parser.parse_args())
    print('%-26s %-5s %9s %9s %9s  %-13s %7s' % ('what', 'time', 'seconds', 'baseline', 'ratio', 'against', 'MB'))
    before = None
    for row in ROWS:
        before = bench.measure(row, before)


if __name__ == '__main__':
    main()
