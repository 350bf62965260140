#!/usr/bin/env python3
"""Says how much faster a question would be on more processors than this machine has, by counts of work and a simulation.

usage: cores.py --bin DIRECTORY --programs DIRECTORY --work DIRECTORY

Instructions are counted by callgrind with one job, on captures of two sizes: what grows from one to the other is work of
each stage for a byte of a capture, the rest is done once. The stages are those of the life of a CPU batch
(docs/architecture.md), and of each it is known what may run at the same time:

  parse     a thread reads packets and cuts events off, a stretch of the file after the other
  decode    the batches of a stretch, in pieces, by all workers
  stacks    of a stretch, each thread of the program by one worker at a time: stacks, and sums that belong to the worker
  feed      what the reading thread does alone with a stretch
  rest      once: opening, merging the sums of the workers, rows

A stretch is parsed and decoded while the one before it is fed. The simulation hands pieces to the first worker that is
free and takes HAND_OVER instructions for each. Workers write nothing that they share; what caches and memory do is left
out, so that machines are rather slower.

  bound     the least time that the order of the work allows, with any number of workers; what it is made of comes after
"""

import argparse
import heapq
import pathlib
import random
import re
import subprocess
import tempfile

import captures
from rows import ALL, EXACT

SMALL, LARGE, ASKED = 3_000_000, 9_000_000, 1_000_000_000     # bytes of captures
STRETCH = 384 << 10
PIECE = 16 << 10                # bytes of batches that a worker decodes at a time
HAND_OVER = 6_000               # instructions in the time that another thread takes to begin, two microseconds
PACKET = 4 << 10
LIMIT = 4                       # status: stacks at random end at a limit
STRETCHES = 400                 # that are simulated
CORES = 1, 2, 4, 8, 16, 32

QUESTIONS = {'sums': EXACT, 'percentiles': ALL, 'by thread': (*ALL, '--by', 'thread'), '--tree': ('trace-stats', '--tree'),
             '--hitches': ('trace-stats', '--hitches')}
# stage -> functions that it is in callgrind's inclusive counts
FUNCTIONS = {'source': ('make_source_file', 'make_source_serial'), 'decode': ('decode_piece',),
             'stacks': ('tk_scope_work',), 'end': ('end_capture_reading',)}


def counted(command, path):
    """Instructions by stage, and in all."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / 'counts'
        done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=%s' % out, *command, '--no-cache',
                               '--jobs', '1', path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode not in (0, LIMIT):
            raise SystemExit('%s ended with status %d' % (' '.join(map(str, command)), done.returncode))
        text = subprocess.run(['callgrind_annotate', '--inclusive=yes', '--threshold=100', out], check=True,
                              capture_output=True, text=True).stdout
    found = {}
    for number, name in re.findall(r'^\s*([\d,]+) \([ \d.]+%\)\s+\S*:(\w+)', text, re.MULTILINE):
        found[name] = max(found.get(name, 0), int(number.replace(',', '')))
    total = re.search(r'^\s*([\d,]+) \([ \d.]+%\)\s+PROGRAM TOTALS', text, re.MULTILINE).group(1)
    return {'total': int(total.replace(',', '')),
            **{stage: sum(found.get(name, 0) for name in names) for stage, names in FUNCTIONS.items()}}


def stages(command, small, large):
    """Instructions of a stretch by stage, and what is done once."""
    before, after = counted(command, small), counted(command, large)
    grown = large.stat().st_size - small.stat().st_size
    each = {name: (after[name] - before[name]) * STRETCH / grown for name in after}
    each['total'] -= each['end']        # rows, of which there are not more in a longer capture
    once = after['total'] - each['total'] * large.stat().st_size / STRETCH
    return {'parse': each['source'] - each['decode'], 'decode': each['decode'], 'stacks': each['stacks'],
            'feed': each['total'] - each['source'] - each['stacks'], 'rest': max(once, 0)}


def shares(trace_stats, path):
    """How much of the scopes each thread has."""
    rows = subprocess.run([trace_stats, '--no-cache', '--table', 'threads', '--columns', 'scopes', '--format', 'csv', path],
                          check=True, capture_output=True, text=True).stdout.split()[1:]
    counts = [int(row) for row in rows if int(row)]
    return [count / sum(counts) for count in counts]


def work_of(stage, lanes, draw):
    """The pieces of the stages of each stretch. Packets are of threads by their shares."""
    pieces = STRETCH // PIECE
    for _ in range(STRETCHES):
        packets = STRETCH // PACKET
        met = {}
        for lane in draw.choices(range(len(lanes)), lanes, k=packets):
            met[lane] = met.get(lane, 0) + 1
        yield {'parse': stage['parse'], 'decode': [stage['decode'] / pieces] * pieces,
               'stacks': [stage['stacks'] * n / packets for _, n in sorted(met.items())], 'feed': stage['feed']}


class Simulation:
    """Workers that take what is ready, making of stretches first; a stretch is made while the one before it is fed."""

    def __init__(self, stretches, cores):
        self.stretches, self.free = stretches, cores
        self.hand_over = HAND_OVER if cores > 1 else 0
        self.now, self.number = 0.0, 0
        self.ready, self.running = [], []       # heaps of pieces: by what goes first, by when they end
        self.made, self.fed = set(), -1         # stretches that wait, and the last that is done

    def queue(self, first, pieces, then):
        """Pieces that may run at the same time, and what follows when all are done."""
        group = [len(pieces), then]
        for piece in pieces:
            self.number += 1
            heapq.heappush(self.ready, (not first, self.number, piece, group))

    def make(self, i):
        if i < len(self.stretches):
            self.queue(True, [self.stretches[i]['parse']],
                       lambda: self.queue(True, self.stretches[i]['decode'], lambda: self.is_made(i)))

    def is_made(self, i):
        self.made.add(i)
        if self.fed == i - 1:
            self.feed(i)

    def feed(self, i):
        self.made.remove(i)
        self.make(i + 1)
        self.queue(False, self.stretches[i]['stacks'],
                   lambda: self.queue(False, [self.stretches[i]['feed']], lambda: self.is_fed(i)))

    def is_fed(self, i):
        self.fed = i
        if i + 1 in self.made:
            self.feed(i + 1)

    def run(self):
        """When all is done."""
        self.make(0)
        while self.ready or self.running:
            while self.free and self.ready:
                _, number, piece, group = heapq.heappop(self.ready)
                heapq.heappush(self.running, (self.now + piece + self.hand_over, number, group))
                self.free -= 1
            self.now, _, group = heapq.heappop(self.running)
            self.free += 1
            group[0] -= 1
            if not group[0]:
                group[1]()
        return self.now


def time_of(stretches, rest, cores):
    """When so many workers are done, with their share of what is done once."""
    return Simulation(stretches, cores).run() + rest * len(stretches) * STRETCH / ASKED


def bound(stage, lanes):
    """The share of the work that is one after the other, and which it is."""
    feeding = stage['stacks'] * max(lanes) + stage['feed']
    making = stage['parse'] + stage['decode'] * PIECE / STRETCH
    name = 'stack of the busiest thread, feed' if feeding > making else 'parse'
    return max(feeding, making) + stage['rest'] * STRETCH / ASKED, name


def print_capture(title, lanes, stage_of):
    print('\n%s: %d threads, the busiest has %.0f %% of the scopes' % (title, len(lanes), 100 * max(lanes)))
    print('%-12s %26s   %s %8s' % ('', 'parse decode stacks feed', ' '.join('%5d' % n for n in CORES), 'bound'))
    for question, stage in stage_of.items():
        stretches = list(work_of(stage, lanes, random.Random(1)))
        alone = time_of(stretches, stage['rest'], 1)
        whole = sum(stage[name] for name in ('parse', 'decode', 'stacks', 'feed'))
        least, why = bound(stage, lanes)
        whole_time = whole + stage['rest'] * STRETCH / ASKED
        print('%-12s %26s   %s %8.1f  %s' % (
            question, ' '.join('%4.0f %%' % (100 * stage[name] / whole) for name in ('parse', 'decode', 'stacks', 'feed')),
            ' '.join('%5.2f' % (alone / time_of(stretches, stage['rest'], n)) for n in CORES), whole_time / least, why),
            flush=True)


def main():
    parser = argparse.ArgumentParser()
    for option in '--bin', '--programs', '--work':
        parser.add_argument(option, type=pathlib.Path, required=True)
    parser.add_argument('--game', type=pathlib.Path)
    parser.add_argument('--cores', action='store_true', help='for script/bench')
    options = parser.parse_args()
    made = captures.Captures(options.work, options.programs, options.game)
    trace_stats = options.bin / 'trace-stats'
    kinds = {'a game': lambda size: made.capture('cpu', size)[0], 'an editor': lambda size: made.shaped(size, 27760)[0]}
    for title, maker in kinds.items():
        small, large = pathlib.Path(maker(SMALL)), pathlib.Path(maker(LARGE))
        lanes = shares(trace_stats, large)
        stage_of = {question: stages((options.bin / command[0], *command[1:]), small, large)
                    for question, command in QUESTIONS.items()}
        print_capture(title, lanes, stage_of)
        even = [1 / len(lanes)] * len(lanes)
        print_capture(title + ', if all threads were alike', even, stage_of)


if __name__ == '__main__':
    main()
