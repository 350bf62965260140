#!/usr/bin/env python3
"""Measures the commands against baselines, side by side in one run, and prints a table for each size of capture.

usage: measure.py --bin DIRECTORY --programs DIRECTORY --work DIRECTORY [--sizes BYTES,...] [--runs N] [--game CAPTURE]
                  [--quick]

The first line names the processor. --quick prints the tables of commands, exports and imports of captures of 10 MB alone.

Behind the commands comes a table of exports with what they write: rows or scopes and bytes a second, and the time held
against a plain write of as many bytes, for stacks against the table of timers by thread, and for SQLite against its own
insertion of the same rows in one transaction, a row or 50 rows with each statement, whichever takes less.

Captures are made once and kept in the work directory. Of each measurement the best of N runs counts. The baselines are
those of bench-baseline: reading the file, unpacking its packets, a bare loop over the numbers of its CPU batches; of a
system trace of Perfetto's, decoding every field of its events of the kernel and sorting them by time.

  seconds   CPU time, or time on the clock where `time` says wall
  baseline  what the row is held against, measured in the same run
  ratio     seconds against baseline
  M/s       millions of scopes or events a second
  MB/s      of the file
Then tables that no baseline is needed for:

  families  timers of a capture with events of every family against the same capture without them, in pairs that
            alternate: `ratio` is the median of the CPU times' ratios. `others` is how many of 100 events and scopes
            are not scopes, `bytes` how much longer the file is
  memory    allocations, frees and reallocations a second, of processor time with one job and by the clock with two, and
            how much memory more is used for each one alive than for a capture of as many events where hardly any is;
            then the same for each callstack
  edits     cuts, drops, words in place of texts, recompression and a copy: bytes of the capture a second of the processor
            with one job, and how much sooner two jobs are done; of a .tracy against its reading. A cut is of the middle
            half, held against `trace-stats` up to its end
  imports   events and bytes a second of captures of other tools, with one thread
  recording CPU seconds that trace-record takes for each GB, against a loop that reads the socket and writes the file
  compare   what baselines and comparisons cost: the baseline of a capture against `trace-stats` of it, a diff of two
            captures against `trace-stats` of both, one after the other, a diff of two baselines of 5000 timers, and of
            20 runs against 20, which are those of TRACEKIT_CORPUS where it is given, from baselines and from captures
  shape     the first page of captures as an editor records them, of 131 threads and packets of some 217 bytes, with
            more and more timers: `ratio` is the CPU time of a scope against that with the fewest
  index     what windows of a timeline are drawn from: its CPU time against `trace-stats` with one thread, what it
            takes of the file in percent, and what a random window costs on the clock
  view      trace-view as a page uses it: seconds until it can be zoomed, what a random window costs on the clock from the
            request to the answer, seconds of the overview, and memory before and behind that

  symbols   functions of addresses in large PDB files, and in a library with DWARF where there is a compiler of C++; own and
            inclusive sums of stack samples: CPU time of the whole command, and its memory with what it has of the mapped file

  passes    bytes that were read, in sizes of the file; memory maps, which the packet index uses, are not counted
  MB        greatest resident memory
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import captures
import processor
import recording
import symbols
import timed
import viewing
from rows import (ALIVE, CODECS, EXPORTS, FAMILY_DENSITIES, HARDLY_ANY, MEMORY, PACKED, PLAIN, QUESTIONS, ROWS, STACKS,
                  TIMERS)

PAIRS = 11
FAMILY_BYTES = 100_000_000
MEMORY_EVENTS = 10_000_000
COMPARE_BYTES = 1_000_000_000           # of the captures compared, at most
MANY_TIMERS_BYTES = 100_000_000
SHAPE_BYTES = 100_000_000
SHAPE_TIMERS = (412, 27_760, 147_056)
GROWING = ('info', 'timers, exact, jobs 1', 'timers, percentiles, jobs 1', 'timers, percentiles, jobs 2')
TREE = ('trace-stats', '--tree', '--format', 'csv', '--jobs', '2')
IMPORT_BYTES = 20_000_000
WINDOWS = 300           # of an index
FUCHSIA_SCOPES = 400_000
TRUTH = pathlib.Path(__file__).resolve().parent.parent / 'truth'
MAKE_FUCHSIA = """import sys
sys.path.insert(0, sys.argv[1])
import imports_made
imports_made.write_fxt(imports_made.Program(1, int(sys.argv[3]), 6), sys.argv[2], 'pairs')"""
QUICK_BYTES = 10_000_000
RECORDED_BYTES = (60_000_000, 300_000_000)   # at least, at most
ROOM = 36               # bytes of an export for each of a capture, at most

READ = ('trace-stats', '--quiet', '--no-cache', '--jobs', '1', '--table', 'timers')
CUT = ('cut', ('--from', '%(from)s', '--to', '%(to)s'), (*READ, '--to', '%(to)s'))
EDITS = (CUT, ('drop', ('--drop', 'logs,regions'), READ), ('drop memory', ('--drop', 'memory'), READ),
         ('anonymise', ('--anonymise=all',), READ), ('recompress', ('--compress', 'lz4hc:3'), READ), ('copy', ('--repair',), READ))
TRACY_EDITS = (CUT, ('drop', ('--drop', 'messages'), READ), ('anonymise', ('--anonymise=all',), READ),
               ('recompress', ('--compress', 'zstd:3'), READ), ('copy', ('--repair',), READ))


class Bench:
    def __init__(self, options):
        self.options = options
        self.known = {}
        self.captures = captures.Captures(options.work, options.programs, options.game)

    def once(self, command, *paths):
        return timed.once(self.options.bin, command, *paths)

    def baseline(self, mode, path):
        """CPU seconds."""
        if (mode, path) not in self.known:
            out = subprocess.run([self.options.programs / 'bench-baseline', mode, path, '--runs',
                                  str(self.options.runs)], check=True, capture_output=True, text=True).stdout
            self.known[mode, path] = float(out.split()[1])
        return self.known[mode, path]

    def export(self, path, options, look=None):
        """A run, bytes that were written, and what `look` says of the file."""
        out = self.options.work / 'export.out'
        out.unlink(missing_ok=True)
        run = self.once(('trace-export', '--format', *options, '--output', out, '--jobs', '2'), path)
        written, seen = out.stat().st_size, look(out) if look else None
        out.unlink()
        return run, written, seen

    def inserted(self, database, table):
        """Seconds that SQLite takes for a row of the table with an insertion of its own."""
        copy = self.options.work / 'inserted.db'
        words = subprocess.run([self.options.programs / 'bench-sqlite-insert', database, table, copy], check=True,
                               capture_output=True, text=True).stdout.split()
        copy.unlink()
        return min(float(words[3]), float(words[5])) / int(words[1])

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

    def exports(self, size, stacks=True):
        path, scopes = self.captures.capture('cpu', size)
        if shutil.disk_usage(self.options.work).free < ROOM * size:
            print('no exports of %d bytes: they can take %d times as many on the disk' % (size, ROOM))
            return
        stats = min(self.once(TREE, path).wall for _ in range(self.options.runs)) if stacks else None
        print('%-28s %9s %9s %6s %7s %7s %5s' % ('exports, jobs 2', 'seconds', 'against', 'ratio', 'M/s', 'MB/s', 'MB'))
        for export in EXPORTS:
            if export.against == 'stats' and not stacks:
                continue
            table = None if export.against in ('write', 'stats') else export.against
            several = [self.export(path, export.options, table and (lambda file, of=table: self.inserted(file, of)))
                       for _ in range(self.options.runs)]
            seconds, written = min(run.wall for run, _, _ in several), several[0][1]
            if table:
                least = min(seen for _, _, seen in several) * scopes
            else:
                least = stats if export.against == 'stats' else self.plain_write(written)
            print('%-28s %9.3f %9.3f %6.2f %7.1f %7.0f %5.0f' %
                  (export.what, seconds, least, seconds / least, scopes / seconds / 1e6, written / seconds / 1e6,
                   max(run.memory for run, _, _ in several) / 1e6), flush=True)
        print(flush=True)

    def measure(self, row, size, before):
        path, items = self.captures.capture(row.capture, size)
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
        paths = [self.captures.capture('cpu', size)[0] for size in (small, large)]
        packets = [self.packets(path) for path in paths]
        for row in {row.what: row for row in ROWS if row.what in GROWING}.values():
            peaks = [max(self.once(row.command, path).memory for _ in range(self.options.runs)) for path in paths]
            print('%-28s %9.1f' % (row.what, (peaks[1] - peaks[0]) / (packets[1] - packets[0])), flush=True)

    def questions(self, size):
        """What each question to trace-stats costs, against the overview."""
        path, _ = self.captures.capture('cpu', size)
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

    def index(self, size):
        """What the index for drawing costs, and windows that are drawn from it."""
        path, _ = self.captures.capture('cpu', size)
        print('index, capture of %d bytes; windows of eight lanes, in ms' % size)
        print('%-28s %9s %9s %6s %6s %7s %7s' % ('jobs', 'cpu', 'wall', 'ratio', '%', 'median', 'p99'))
        plain = min(self.once(PLAIN, path).cpu for _ in range(self.options.runs))
        for jobs in ('1', '2'):
            out = subprocess.run([self.options.programs / 'bench-index', path, jobs, str(WINDOWS)], check=True,
                                 capture_output=True, text=True).stdout.split()
            cpu, wall, whole, drawn, _, median, p99 = map(float, out[:7])
            print('%-28s %9.3f %9.3f %6.2f %6.1f %7.2f %7.2f' % (jobs, cpu, wall, cpu / plain, drawn / whole * 100,
                                                                 median, p99), flush=True)
        print(flush=True)

    def view(self, size):
        """What a page waits for, and what the server takes."""
        print('trace-view, capture of %d bytes; windows of eight lanes, in ms' % size)
        print('%-28s %9s %7s %7s %9s %6s %6s' % ('', 'ready', 'median', 'p99', 'overview', 'MB', 'MB'))
        for what, path in (('scopes', self.captures.capture('cpu', size)[0]), ('lanes of all kinds', self.captures.all_lanes(size))):
            ready, median, p99, overview, before, behind = viewing.measure(self.options.bin, path, WINDOWS)
            print('%-28s %9.3f %7.2f %7.2f %9.3f %6.0f %6.0f' % (what, ready, median, p99, overview, (before or 0) / 1e6, (behind or 0) / 1e6), flush=True)
        print(flush=True)

    def edit(self, path, options, jobs):
        out = self.options.work / ('edit.out' + path.suffix)
        out.unlink(missing_ok=True)
        run = self.once(('trace-edit', '--quiet', *options, '--output', out, '--jobs', jobs), path)
        written = out.stat().st_size
        out.unlink()
        return run, written

    def sound(self, path):
        """The same with serial numbers of its own for each event, as edits of damaged captures write nearly all anew."""
        out = path.with_name('sound-' + path.name)
        if not out.exists():
            part = out.with_suffix('.part')
            subprocess.run([self.options.bin / 'trace-edit', path, '--repair', '--quiet', '--force', '--output', part])
            part.rename(out)
        return out

    def edits(self, size):
        """What edits cost of a .utrace and of a .tracy; all outputs are written to the work directory."""
        cpu, tracy = self.captures.capture('cpu', size)[0], self.captures.packed(size, 'zstd')[0]
        game = [(self.sound(self.captures.repeated(size)), EDITS)] if self.options.game else []
        for path, rows in (*game, (cpu, EDITS), (tracy, TRACY_EDITS)):
            length = json.loads(subprocess.run([self.options.bin / 'trace-stats', path, '--table', 'capture', '--format', 'json',
                                                '--quiet'], check=True, capture_output=True).stdout)['capture']['last']
            times = {'from': '%dns' % (length // 4), 'to': '%dns' % (length // 4 * 3)}
            print('edits of %s, %d bytes' % (path.name, path.stat().st_size))
            print('%-28s %9s %9s %6s %7s %6s %5s' % ('edit', 'cpu, j1', 'against', 'ratio', 'MB/s', 'jobs 2', 'MB'))
            for what, options, against in rows:
                runs = {jobs: [self.edit(path, [word % times for word in options], jobs)[0] for _ in range(self.options.runs)]
                        for jobs in ('1', '2')}
                seconds = min(run.cpu for run in runs['1'])
                least = min(self.once([word % times for word in against], path).cpu for _ in range(self.options.runs))
                walls = [min(run.wall for run in runs[jobs]) for jobs in ('1', '2')]
                print('%-28s %9.3f %9.3f %6.2f %7.0f %6.2f %5.0f' %
                      (what, seconds, least, seconds / least, path.stat().st_size / seconds / 1e6, walls[0] / walls[1],
                       max(run.memory for run in runs['2']) / 1e6), flush=True)
            print(flush=True)

    def imports(self, size):
        """What captures of other tools cost: the scopes of one of ours, exported, and read with one thread."""
        path, _ = self.captures.capture('cpu', min(size, IMPORT_BYTES))
        print('captures of other tools, exported from one of %d bytes' % path.stat().st_size)
        print('%-28s %9s %7s %7s %5s' % ('format', 'seconds', 'M/s', 'MB/s', 'MB'))
        for name in ('chrome', 'perfetto', 'fuchsia, made'):
            out = self.options.work / ('import.' + name.split(',')[0])
            out.unlink(missing_ok=True)
            if name in ('chrome', 'perfetto'):
                self.once(('trace-export', '--format', name, '--output', out, '--quiet'), path)
            else:
                subprocess.run([sys.executable, '-c', MAKE_FUCHSIA, TRUTH, out, str(FUCHSIA_SCOPES)], check=True)
            counts = subprocess.run([self.options.bin / 'trace-events', out, '--count', '--format', 'json'], check=True,
                                    capture_output=True, text=True).stdout
            events = sum(json.loads(counts).values())
            runs = [self.once((*TIMERS, '--jobs', '1'), out) for _ in range(self.options.runs)]
            seconds = min(run.cpu for run in runs)
            print('%-28s %9.3f %7.2f %7.0f %5.0f' % (name, seconds, events / seconds / 1e6,
                                                     out.stat().st_size / seconds / 1e6,
                                                     max(run.memory for run in runs) / 1e6), flush=True)
            out.unlink()
        print(flush=True)

    def recording(self, size):
        """What trace-record costs for each GB, against a loop that only reads the socket and writes the file."""
        size = min(max(size, RECORDED_BYTES[0]), RECORDED_BYTES[1])
        path = self.captures.repeated(size) if self.options.game else self.captures.capture('cpu', size)[0]
        bare = min(recording.bare(path, self.options.work) for _ in range(self.options.runs))
        print('recording %d bytes of an Unreal program, CPU seconds a GB; a bare loop: %.2f' %
              (path.stat().st_size, bare))
        print('%-28s %9s %6s %5s' % ('what', 's/GB', 'ratio', 'MB'))
        for what, options in ('without summary', ('--no-summary',)), ('with summary', ()):
            runs = [recording.recorded(self.options.bin, path, self.options.work, options) for _ in range(self.options.runs)]
            seconds = min(run[0] for run in runs)
            print('%-28s %9.2f %6.2f %5.0f' % (what, seconds, seconds / bare, max(run[1] for run in runs) / 1e6), flush=True)
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
        print('families that nobody asked for, %d pairs, about %d bytes without them' % (PAIRS, size))
        print('%-28s %8s %7s %9s %9s %6s' % ('what', 'others', 'bytes', 'without', 'with', 'ratio'))
        for density in FAMILY_DENSITIES:
            plain, mixed, scopes, others = self.captures.mixed(size, density)
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
        print('%-28s %-4s %9s %9s %7s %12s' % ('what', 'time', 'alive', 'seconds', 'M/s', 'bytes/alive'))
        for what, command in MEMORY.items():
            least = None
            time_of = 'cpu' if command[-1] == '1' else 'wall'
            for alive in (HARDLY_ANY, *ALIVE):
                path = self.captures.memory(events, alive)
                runs = [self.once(command, path) for _ in range(self.options.runs)]
                seconds, memory = min(getattr(run, time_of) for run in runs), max(run.memory for run in runs)
                more = '' if least is None else '%.0f' % ((memory - least) / (min(alive, events) - HARDLY_ANY))
                least = memory if least is None else least
                print('%-28s %-4s %9d %9.3f %7.1f %12s' %
                      (what, time_of, alive, seconds, events / seconds / 1e6, more), flush=True)
        print(flush=True)
        self.stacks(events)

    def stacks(self, events):
        """A quarter of the events is allocated for certain, so that many callstacks are seen."""
        print('%-28s %9s %9s %7s %12s' % ('what', 'stacks', 'seconds', 'M/s', 'bytes/stack'))
        for what, command in STACKS.items():
            least = None
            for stacks in HARDLY_ANY, events // 4:
                runs = [self.once(command, self.captures.stacks(events, stacks)) for _ in range(self.options.runs)]
                seconds, memory = min(run.cpu for run in runs), max(run.memory for run in runs)
                more = '' if least is None else '%.0f' % ((memory - least) / (stacks - HARDLY_ANY))
                least = memory if least is None else least
                print('%-28s %9d %9.3f %7.1f %12s' % (what, stacks, seconds, events / seconds / 1e6, more), flush=True)
        print(flush=True)

    def packed_table(self, size, codec):
        path, zones = self.captures.packed(size, codec)
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

    def compared(self, what, runs, against=None):
        """Prints a row of `runs` against `against`, both lists of measurements."""
        for time_of in ('cpu', 'wall'):
            seconds = min(getattr(run, time_of) for run in runs)
            least = sum(min(getattr(run, time_of) for run in part) for part in against or ())
            print('%-28s %-4s %9.3f %9s %6s %5.0f' %
                  (what, time_of, seconds, '%.3f' % least if least else '', '%.2f' % (seconds / least) if least else '',
                   max(run.memory for run in runs) / 1e6), flush=True)

    def shape(self):
        size = min(SHAPE_BYTES, max(map(int, self.options.sizes.split(','))))
        least = None
        print('captures of 131 threads and small packets, of %d bytes' % size)
        print('%-28s %9s %9s %6s %5s' % ('timers', 'seconds', 'ns/scope', 'ratio', 'MB'))
        for timers in SHAPE_TIMERS:
            path, scopes = self.captures.shaped(size, timers)
            runs = [self.once(('trace-stats', '--jobs', '1'), path) for _ in range(self.options.runs)]
            seconds = min(run.cpu for run in runs)
            least = least or seconds / scopes
            print('%-28d %9.3f %9.1f %6.2f %5.0f' % (timers, seconds, 1e9 * seconds / scopes, seconds / scopes / least,
                                                  max(run.memory for run in runs) / 1e6), flush=True)
        print(flush=True)

    def compare(self):
        size = min(COMPARE_BYTES, max(map(int, self.options.sizes.split(','))))
        again = range(self.options.runs)
        two = [self.captures.capture('cpu', size)[0], self.captures.other(size)]
        print('baselines and comparisons, captures of %d bytes' % size)
        print('%-28s %-4s %9s %9s %6s %5s' % ('what', 'time', 'seconds', 'baseline', 'ratio', 'MB'))
        for jobs in '1', '2':
            stats = [[self.once(('trace-stats', '--jobs', jobs), path) for _ in again] for path in two]
            self.compared('baseline, jobs ' + jobs, [self.save(two[0], jobs) for _ in again], stats[:1])
            self.compared('diff of captures, jobs ' + jobs,
                          [self.once(('trace-diff', '--jobs', jobs), *two) for _ in again], stats)
        many = self.captures.many_timers(min(size, MANY_TIMERS_BYTES))
        baselines = [self.saved(path) for path in many]
        self.compared('diff of 5000 timers', [self.once(('trace-diff',), *baselines) for _ in again])
        both = self.captures.runs()
        base, candidate = ([self.saved(path) for path in side] for side in both)
        self.compared('diff of %d runs and %d' % (len(base), len(candidate)),
                      [self.once(('trace-diff',), *base, '--vs', *candidate) for _ in again])
        self.compared('the same from captures',
                      [self.once(('trace-diff',), *both[0], '--vs', *both[1]) for _ in again])
        print(flush=True)

    def emitter(self):
        """What the emitter costs a thread, as a multiple of two readings of the clock in the same run."""
        program = self.options.programs.parent / 'emit' / 'emit-cost'
        done = subprocess.run([program, self.options.work / 'emitted.utrace'], capture_output=True, text=True, check=True)
        (self.options.work / 'emitted.utrace').unlink()
        costs = json.loads(done.stdout)
        costs['nested'] /= 2
        print('%-28s %9s %6s' % ('emitter', 'ns', 'ratio'))
        for name, ns in costs.items():
            if name not in ('empty', 'lost'):
                print('%-28s %9.2f %6.2f' % (name.replace('_', ' '), ns, ns / costs['two_clocks']))
        print(flush=True)

    def symbols(self):
        print('symbols                                            seconds      MB')
        for what, seconds, megabytes in symbols.rows(self.options, self.options.runs):
            print('%-48s %9.3f %7.0f' % (what, seconds, megabytes), flush=True)
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path, help='the directory of the commands')
    parser.add_argument('--programs', required=True, type=pathlib.Path, help='the directory of the bench programs')
    parser.add_argument('--work', required=True, type=pathlib.Path, help='where captures are kept')
    parser.add_argument('--sizes', default='10000000,100000000,1000000000', help='bytes of the captures')
    parser.add_argument('--runs', type=int, default=3)
    parser.add_argument('--game', type=pathlib.Path, help='a capture of a game to repeat, not compressed')
    parser.add_argument('--quick', action='store_true', help='the first tables alone, of 10 MB')
    bench = Bench(parser.parse_args())
    print('processor: %s\n' % processor.name(), flush=True)
    sizes = [QUICK_BYTES] if bench.options.quick else [int(size) for size in bench.options.sizes.split(',')]
    for size in sizes if bench.options.quick else ():
        bench.table(size, True)
        bench.exports(size, stacks=False)
        bench.imports(size)
        bench.recording(size)
    bench.emitter()
    if bench.options.quick:
        return
    for size in sizes:
        bench.table(size, size == max(sizes))
        bench.exports(size)
        bench.questions(size)
        bench.index(size)
        bench.view(size)
        bench.edits(size)
        bench.imports(size)
        bench.recording(size)
    if len(sizes) > 1:
        bench.growth(*sorted(sizes)[-2:])
    bench.families()
    bench.memory()
    bench.compare()
    bench.shape()
    bench.symbols()
    for size in sizes:
        for codec in CODECS:
            bench.packed_table(size, codec)


if __name__ == '__main__':
    main()
