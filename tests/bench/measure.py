#!/usr/bin/env python3
"""Measures the commands against baselines, side by side in one run, and prints a table for each size of capture.

usage: measure.py --bin DIRECTORY --programs DIRECTORY --work DIRECTORY [--sizes BYTES,...] [--runs N] [--game CAPTURE]

Behind the commands comes a table of exports with what they write: rows or scopes and bytes a second, and the time held
against a plain write of as many bytes, or for stacks against the table of timers by thread.

Captures are made once and kept in the work directory. Of each measurement the best of N runs counts. The baselines are
those of bench-baseline: reading the file, unpacking its packets, a bare loop over the numbers of its CPU batches.

  seconds   CPU time, or time on the clock where `time` says wall
  baseline  what the row is held against, measured in the same run
  ratio     seconds against baseline
  M/s       millions of scopes or events a second
  MB/s      of the file
Then three tables that no baseline is needed for:

  families  timers of a capture with events of every family against the same capture without them, in pairs that
            alternate: `ratio` is the median of the CPU times' ratios. `others` is how many of 100 events and scopes
            are not scopes, `bytes` how much longer the file is
  memory    allocations, frees and reallocations a second, and how much memory more is used for each one alive than
            for a capture of as many events where hardly any is
  compare   what baselines and comparisons cost: the baseline of a capture against `trace-stats` of it, a diff of two
            captures against `trace-stats` of both, one after the other, a diff of two baselines of 5000 timers, and of
            20 runs against 20, which are those of TRACEKIT_CORPUS where it is given, from baselines and from captures

  passes    bytes that were read, in sizes of the file; memory maps, which the packet index uses, are not counted
  MB        greatest resident memory
"""

import argparse
import dataclasses
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

TIMERS = ('trace-stats', '--table', 'timers', '--format', 'csv')
EXACT = (*TIMERS, '--columns', 'timer,kind,count,total,excl,min,max')
ALL = (*TIMERS, '--columns', 'timer,kind,file,line,count,open,incl,total,excl,min,max,mean,median,p95,p99')
PAIRS = 11
FAMILY_DENSITIES = (1, 4, 16)           # events of each family in a round of 17 ms
FAMILY_BYTES = 100_000_000
MEMORY_EVENTS = 10_000_000
HARDLY_ANY, ALIVE = 1000, (100_000, 1_000_000)
MEMORY = {'all groups': ('trace-stats', '--table', 'memory', '--format', 'csv', '--jobs', '1'),
          'by tag': ('trace-stats', '--table', 'memory', '--by', 'tag', '--format', 'csv', '--jobs', '1')}
RUNS = 20                               # of each side of a comparison
RUN_BYTES = 1_000_000                   # of a run that is made
COMPARE_BYTES = 1_000_000_000           # of the captures compared, at most
COUNT = ('trace-events', '--count', '--format', 'json')


GROWING = ('info', 'timers, exact, jobs 1', 'timers, percentiles, jobs 1', 'timers, percentiles, jobs 2')


@dataclasses.dataclass
class Row:
    what: str
    capture: str
    command: tuple
    baselines: tuple = ()               # modes of bench-baseline, or ('before',) for the row before
    wall: bool = False
    largest: bool = False               # only at the largest size


ROWS = (
    Row('info', 'cpu', ('trace-info',), ('read',), wall=True),
    Row('timers, exact, jobs 1', 'cpu', (*EXACT, '--jobs', '1'), ('lz4', 'varint')),
    Row('timers, percentiles, jobs 1', 'cpu', (*ALL, '--jobs', '1'), ('lz4', 'varint')),
    Row('5000 timers, percentiles', 'cpu5000', (*ALL, '--jobs', '1'), ('lz4', 'varint')),
    Row('timers, by thread', 'cpu', (*ALL, '--by', 'thread', '--jobs', '1'), ('lz4', 'varint')),
    Row('timers, percentiles, jobs 1', 'cpu', (*ALL, '--jobs', '1'), wall=True),
    Row('timers, percentiles, jobs 2', 'cpu', (*ALL, '--jobs', '2'), ('before',), wall=True),
    Row('game, percentiles, jobs 1', 'game', (*ALL, '--jobs', '1'), ('lz4', 'varint'), largest=True),
    Row('events, counted', 'sync', (*COUNT, '--jobs', '1'), ('lz4',)),
    Row('events by serial, near', 'sync', (*COUNT, '--order', 'serial', '--jobs', '1'), ('lz4',)),
    Row('events by serial, far', 'far', (*COUNT, '--order', 'serial', '--jobs', '1'), ('lz4',)),
)


# Of captures whose blocks are unpacked first: what, command, jobs; held against unpacking with as many.
PACKED = (
    ('timers, percentiles', ('trace-stats', '--table', 'timers', '--format', 'csv'), 1),
    ('timers, percentiles', ('trace-stats', '--table', 'timers', '--format', 'csv'), 2),
    ('rows of single zones', ('trace-export', '--preset', 'tracy', '--unwrap'), 1),
    ('sums as csvexport has them', ('trace-export', '--preset', 'tracy'), 1),
)


@dataclasses.dataclass
class Export:
    what: str
    options: tuple
    against: str = 'write'              # or stats: the call tree of the same scopes


TREE = ('trace-stats', '--tree', '--format', 'csv', '--jobs', '2')
ROOM = 36               # bytes of an export for each of a capture, at most
EXPORTS = (
    Export('scopes as csv', ('csv', '--table', 'scopes')),
    Export('chrome', ('chrome',)),
    Export('perfetto', ('perfetto',)),
    Export('sqlite, scopes', ('sqlite', '--table', 'scopes')),
    Export('folded', ('folded',), 'stats'),
    Export('pprof', ('pprof',), 'stats'),
)


PLAIN = ('trace-stats', '--jobs', '1')
QUESTIONS = (
    ('--tree',), ('--tree', '--by', 'thread'), ('--callers', 'Audio::*'), ('--callees', 'Audio::*'), ('--slowest', '100'),
    ('--histogram', 'Audio::*'), ('--per-frame', 'Audio::Tick*'), ('--by', 'class'), ('--by', 'file'),
    ('--by', 'frame-type'), ('--by', 'region'), ('--by', 'label'), ('--by', 'thread'),
    ('--hitches',), ('--hitches=1.01x',), ('--table', 'threads'), ('--table', 'frame_stats'),
)
DAMAGED = 4             # also where a limit was reached, as with stacks at random


@dataclasses.dataclass
class Run:
    wall: float
    cpu: float
    memory: int
    read: int


class Bench:
    def __init__(self, options):
        self.options = options
        self.known = {}

    def make(self, name, size, path):
        """Writes a capture and returns how many scopes or events it has, or 0."""
        programs = self.options.programs
        if name == 'game':
            subprocess.run([programs / 'bench-repeat', self.options.game, path, str(size)], check=True,
                           stdout=subprocess.DEVNULL)
            return 0
        command = {'cpu': ['bench-gen-cpu'], 'cpu5000': ['bench-gen-cpu', '--timers', '5000'],
                   'sync': ['bench-gen-sync'], 'far': ['bench-gen-sync', '--far']}[name]
        out = subprocess.run([programs / command[0], path, str(size), *command[1:]], check=True, capture_output=True,
                             text=True).stdout
        return int(out.split()[1])

    def capture(self, name, size):
        """The path of a capture, which is made when it is not there, and its number of scopes or events."""
        path = self.options.work / ('%s-%d.utrace' % (name, size))
        note = path.with_suffix('.count')
        if not path.exists() or not note.exists():
            self.options.work.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix('.part')
            note.write_text(str(self.make(name, size, part)))
            part.rename(path)
        return path, int(note.read_text())

    def written(self, name, *command):
        """A capture by one of the programs, made when it is not there, and what the program said."""
        path = self.options.work / (name + '.utrace')
        note = path.with_suffix('.said')
        if not path.exists() or not note.exists():
            self.options.work.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix('.part')
            program, *arguments = map(str, command)
            note.write_text(subprocess.run([self.options.programs / program, part, *arguments], check=True,
                                           capture_output=True, text=True).stdout)
            part.rename(path)
        return path, note.read_text()

    def baseline(self, mode, path):
        """CPU seconds."""
        if (mode, path) not in self.known:
            out = subprocess.run([self.options.programs / 'bench-baseline', mode, path, '--runs',
                                  str(self.options.runs)], check=True, capture_output=True, text=True).stdout
            self.known[mode, path] = float(out.split()[1])
        return self.known[mode, path]

    def once(self, command, *paths):
        name, *arguments = command
        begin = time.monotonic()
        process = subprocess.Popen([self.options.bin / name, *paths, *arguments, '--quiet'], stdout=subprocess.DEVNULL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        wall = time.monotonic() - begin
        read = bytes_read(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        slower = (name, process.returncode) == ('trace-diff', 1)
        if process.returncode not in (0, DAMAGED) and not slower:
            sys.exit('%s ended with %d' % (' '.join(command), process.returncode))
        return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, read)

    def export(self, path, options):
        """Seconds on the clock, memory, and bytes that were written."""
        out = self.options.work / 'export.out'
        out.unlink(missing_ok=True)
        begin = time.monotonic()
        process = subprocess.Popen([self.options.bin / 'trace-export', path, '--format', *options, '--output', out, '--jobs',
                                    '2', '--quiet'])
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, DAMAGED):
            sys.exit('trace-export --format %s ended with %d' % (options[0], process.returncode))
        written = out.stat().st_size
        out.unlink()
        return wall, usage.ru_maxrss * 1024, written

    def plain_write(self, size):
        """Seconds that it takes to write so many bytes to a file and to have them there."""
        out, block, begin = self.options.work / 'plain.out', bytes(1 << 20), time.monotonic()
        with open(out, 'wb', buffering=0) as file:
            for at in range(0, size, len(block)):
                file.write(block[:size - at])
            os.fsync(file.fileno())
        seconds = time.monotonic() - begin
        out.unlink()
        return seconds

    def exports(self, size):
        path, scopes = self.capture('cpu', size)
        if shutil.disk_usage(self.options.work).free < ROOM * size:
            print('no exports of %d bytes: they can take %d times as many on the disk' % (size, ROOM))
            return
        stats = min(self.once(TREE, path).wall for _ in range(self.options.runs))
        print('%-28s %9s %9s %6s %7s %7s %5s' % ('exports, jobs 2', 'seconds', 'against', 'ratio', 'M/s', 'MB/s', 'MB'))
        for export in EXPORTS:
            runs = [self.export(path, export.options) for _ in range(self.options.runs)]
            seconds, written = min(run[0] for run in runs), runs[0][2]
            least = stats if export.against == 'stats' else self.plain_write(written)
            print('%-28s %9.3f %9.3f %6.2f %7.1f %7.0f %5.0f' %
                  (export.what, seconds, least, seconds / least, scopes / seconds / 1e6, written / seconds / 1e6,
                   max(run[1] for run in runs) / 1e6), flush=True)
        print(flush=True)

    def measure(self, row, size, before):
        path, items = self.capture(row.capture, size)
        runs = [self.once(row.command, path) for _ in range(self.options.runs)]
        seconds = min(run.wall if row.wall else run.cpu for run in runs)
        least = before if row.baselines == ('before',) else sum(self.baseline(mode, path) for mode in row.baselines)
        bytes_of_file = path.stat().st_size
        print('%-28s %-4s %9.3f %9s %6s %7s %7.0f %6.2f %5.0f' %
              (row.what, 'wall' if row.wall else 'cpu', seconds, '%.3f' % least if least else '',
               '%.2f' % (seconds / least) if least else '', '%.1f' % (items / seconds / 1e6) if items else '',
               bytes_of_file / seconds / 1e6, runs[0].read / bytes_of_file, max(run.memory for run in runs) / 1e6),
              flush=True)
        return seconds

    def packets(self, path):
        out = subprocess.run([self.options.programs / 'bench-baseline', 'lz4', path, '--runs', '1'], check=True,
                             capture_output=True, text=True).stdout
        return int(out.split()[4])

    def growth(self, small, large):
        """Prints by how many bytes a packet the memory of commands grows from one size of capture to another."""
        print('memory, in bytes for each packet that a capture of %d bytes has more than one of %d' % (large, small))
        paths = [self.capture('cpu', size)[0] for size in (small, large)]
        packets = [self.packets(path) for path in paths]
        for row in {row.what: row for row in ROWS if row.what in GROWING}.values():
            peaks = [max(self.once(row.command, path).memory for _ in range(self.options.runs)) for path in paths]
            print('%-28s %9.1f' % (row.what, (peaks[1] - peaks[0]) / (packets[1] - packets[0])), flush=True)

    def questions(self, size):
        """What each question to trace-stats costs, against the overview."""
        path, _ = self.capture('cpu', size)
        print('questions, against trace-stats without any, capture of %d bytes' % size)
        print('%-28s %9s %6s %6s %5s' % ('option', 'seconds', 'ratio', 'passes', 'MB'))
        plain = None
        for question in ((), *QUESTIONS):
            runs = [self.once((*PLAIN, *question), path) for _ in range(self.options.runs)]
            seconds = min(run.cpu for run in runs)
            plain = plain or seconds
            print('%-28s %9.3f %6.2f %6.2f %5.0f' % (' '.join(question) or '(none)', seconds, seconds / plain,
                                                     runs[0].read / path.stat().st_size,
                                                     max(run.memory for run in runs) / 1e6), flush=True)
        print(flush=True)

    def table(self, size, largest):
        print('captures of %d bytes' % size)
        print('%-28s %-4s %9s %9s %6s %7s %7s %6s %5s' %
              ('what', 'time', 'seconds', 'baseline', 'ratio', 'M/s', 'MB/s', 'passes', 'MB'))
        before = None
        for row in ROWS:
            if (not row.largest or largest) and (row.capture != 'game' or self.options.game):
                before = self.measure(row, size, before)
        print(flush=True)


    def families(self):
        command = (*TIMERS, '--jobs', '1')
        size = min(FAMILY_BYTES, max(map(int, self.options.sizes.split(','))))
        plain, said = self.written('plain-%d' % size, 'bench-gen-cpu', size)
        scopes, frames = map(int, said.split()[1:4:2])
        print('families that nobody asked for, %d pairs, %d bytes without them' % (PAIRS, plain.stat().st_size))
        print('%-28s %8s %7s %9s %9s %6s' % ('what', 'others', 'bytes', 'without', 'with', 'ratio'))
        for density in FAMILY_DENSITIES:
            mixed, said = self.written('families-%d-%d' % (density, size), 'bench-gen-cpu', size, '--frames', frames,
                                       '--families', density)
            others = int(said.split()[7])
            pairs = [[self.once(command, path).cpu for path in (plain, mixed)] for _ in range(PAIRS)]
            print('%-28s %7.1f%% %6.0f%% %9.3f %9.3f %6.3f' %
                  ('%d of each in 17 ms' % density, 100 * others / (scopes + others),
                   100 * (mixed.stat().st_size / plain.stat().st_size - 1),
                   *(statistics.median(pair[side] for pair in pairs) for side in (0, 1)),
                   statistics.median(mixed / without for without, mixed in pairs)), flush=True)
        print(flush=True)

    def memory(self):
        events = min(MEMORY_EVENTS, max(map(int, self.options.sizes.split(','))) // 10)
        print('memory, %d events' % events)
        print('%-28s %9s %9s %7s %12s' % ('what', 'alive', 'seconds', 'M/s', 'bytes/alive'))
        for what, command in MEMORY.items():
            least = None
            for alive in (HARDLY_ANY, *ALIVE):
                path, _ = self.written('memory-%d-%d' % (events, alive), 'bench-gen-memory', events, alive)
                runs = [self.once(command, path) for _ in range(self.options.runs)]
                seconds, memory = min(run.cpu for run in runs), max(run.memory for run in runs)
                more = '' if least is None else '%.0f' % ((memory - least) / (min(alive, events) - HARDLY_ANY))
                least = memory if least is None else least
                print('%-28s %9d %9.3f %7.1f %12s' % (what, alive, seconds, events / seconds / 1e6, more), flush=True)
        print(flush=True)

    def packed(self, size, codec):
        """A capture of `size` unpacked bytes in the format of the Tracy profiler, four streams."""
        programs = self.options.programs
        path = self.options.work / ('zones-%s-%d.tracy' % (codec, size))
        if not path.exists():
            self.options.work.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix('.part')
            subprocess.run([programs / 'bench-gen-tracy', part, str(size), '--codec', codec], check=True,
                           stdout=subprocess.DEVNULL)
            part.rename(path)
        rows = subprocess.run([self.options.bin / 'trace-events', path, 'Tracy.ZoneBegin', '--count', '--format', 'csv'],
                              check=True, capture_output=True, text=True).stdout.splitlines()
        return path, int(rows[1].split(',')[1])

    def packed_table(self, size, codec):
        path, zones = self.packed(size, codec)
        alone = {}
        print('zones of %d unpacked bytes, %s: %d zones in %d bytes; time on the clock' % (size, codec, zones,
                                                                                      path.stat().st_size))
        for jobs in (1, 2):
            out = subprocess.run([self.options.programs / 'bench-unpack-tracy', path, '--jobs', str(jobs), '--runs',
                                  str(self.options.runs)], check=True, capture_output=True, text=True).stdout
            alone[jobs] = float(out.split()[1])
            print('%-28s jobs %d %9.3f' % ('unpacking alone', jobs, alone[jobs]))
        for what, command, jobs in PACKED:
            runs = [self.once((*command, '--jobs', str(jobs)), path) for _ in range(self.options.runs)]
            seconds = min(run.wall for run in runs)
            print('%-28s jobs %d %9.3f  %5.2f of unpacking  %6.1f M zones/s  %4.0f MB' %
                  (what, jobs, seconds, seconds / alone[jobs], zones / seconds / 1e6,
                   max(run.memory for run in runs) / 1e6), flush=True)
        print(flush=True)

    def saved(self, capture):
        """The baseline of a capture, made when it is not there."""
        path = self.options.work / (capture.stem + '.tkb')
        if not path.exists():
            subprocess.run([self.options.bin / 'trace-stats', capture, '--save', path, '--quiet'], check=True,
                           stdout=subprocess.DEVNULL)
        return path

    def save(self, capture, jobs):
        """Makes the baseline of a capture anew."""
        path = self.options.work / 'again.tkb'
        path.unlink(missing_ok=True)
        run = self.once(('trace-stats', '--save', str(path), '--jobs', jobs), capture)
        path.unlink()
        return run

    def runs(self):
        """The captures of RUNS runs of one build, and of another: of the corpus, or made."""
        corpus = pathlib.Path(os.environ.get('TRACEKIT_CORPUS') or '/dev/null') / 'runs'
        sides = [sorted(corpus.glob(build + '_*.utrace'))[:RUNS] for build in 'ab'] if corpus.is_dir() else [[], []]
        if all(sides):
            return sides
        return [[self.written('run-%d-%02d' % (side, i), 'bench-gen-cpu', RUN_BYTES, '--seed', 1000 * side + i)[0]
                 for i in range(RUNS)] for side in (1, 2)]

    def compared(self, what, runs, against=None):
        """Prints a row of `runs` against `against`, both lists of measurements."""
        for time_of in ('cpu', 'wall'):
            seconds = min(getattr(run, time_of) for run in runs)
            least = sum(min(getattr(run, time_of) for run in part) for part in against or ())
            print('%-28s %-4s %9.3f %9s %6s %5.0f' %
                  (what, time_of, seconds, '%.3f' % least if least else '', '%.2f' % (seconds / least) if least else '',
                   max(run.memory for run in runs) / 1e6), flush=True)

    def compare(self):
        size = min(COMPARE_BYTES, max(map(int, self.options.sizes.split(','))))
        again = range(self.options.runs)
        two = [self.capture('cpu', size)[0], self.written('cpu-other-%d' % size, 'bench-gen-cpu', size, '--seed', 2)[0]]
        print('baselines and comparisons, captures of %d bytes' % size)
        print('%-28s %-4s %9s %9s %6s %5s' % ('what', 'time', 'seconds', 'baseline', 'ratio', 'MB'))
        for jobs in '1', '2':
            stats = [[self.once(('trace-stats', '--jobs', jobs), path) for _ in again] for path in two]
            self.compared('baseline, jobs ' + jobs, [self.save(two[0], jobs) for _ in again], stats[:1])
            self.compared('diff of captures, jobs ' + jobs,
                          [self.once(('trace-diff', '--jobs', jobs), *two) for _ in again], stats)
        many = [self.written('cpu5000-%d' % seed, 'bench-gen-cpu', min(size, 100_000_000), '--timers', 5000, '--seed', seed)[0]
                for seed in (1, 2)]
        baselines = [self.saved(path) for path in many]
        self.compared('diff of 5000 timers', [self.once(('trace-diff',), *baselines) for _ in again])
        captures = self.runs()
        base, candidate = ([self.saved(path) for path in side] for side in captures)
        self.compared('diff of %d runs and %d' % (len(base), len(candidate)),
                      [self.once(('trace-diff',), *base, '--vs', *candidate) for _ in again])
        self.compared('the same from captures',
                      [self.once(('trace-diff',), *captures[0], '--vs', *captures[1]) for _ in again])
        print(flush=True)


def bytes_read(pid):
    """Of a process that ended and was not waited for; 0 where the system does not tell."""
    try:
        lines = pathlib.Path('/proc/%d/io' % pid).read_text().split('\n')
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith('rchar:')), 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path, help='the directory of the commands')
    parser.add_argument('--programs', required=True, type=pathlib.Path, help='the directory of the bench programs')
    parser.add_argument('--work', required=True, type=pathlib.Path, help='where captures are kept')
    parser.add_argument('--sizes', default='10000000,100000000,1000000000', help='bytes of the captures')
    parser.add_argument('--runs', type=int, default=3)
    parser.add_argument('--game', type=pathlib.Path, help='a capture of a game to repeat, not compressed')
    bench = Bench(parser.parse_args())
    sizes = [int(size) for size in bench.options.sizes.split(',')]
    for size in sizes:
        bench.table(size, size == max(sizes))
        bench.exports(size)
        bench.questions(size)
    if len(sizes) > 1:
        bench.growth(*sorted(sizes)[-2:])
    bench.families()
    bench.memory()
    bench.compare()
    for size in sizes:
        for codec in ('zstd', 'lz4'):
            bench.packed_table(size, codec)


if __name__ == '__main__':
    main()
