#!/usr/bin/env python3
"""Checks memory by function, module and source file, and how two captures differ, against a play of made-up allocations. Functions
are those of symbol files whose frames two independent tools agree on.

usage: check_code_memory.py --bin DIRECTORY --maker PROGRAM [--seeds N] FOLDER

FOLDER has symbols/ (fixtures/README.md).
"""

import collections
import fnmatch
import json
import math
import pathlib
import random
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import by_seed         # noqa: E402
import check_symbols   # noqa: E402

RULES = 'forge::rotate\n# forge::clamp is none\nforge::fol*\nfile:*/mix.h\n'


def is_allocator(frame):
    """By RULES, in other words."""
    return frame['function'] == 'forge::rotate' or fnmatch.fnmatchcase(frame['function'], 'forge::fol*') or \
        fnmatch.fnmatchcase(frame['file'] or '', '*/mix.h')


class Made:
    """A capture of allocations, none of which is freed: (size, frames of each address, the innermost first)."""

    def __init__(self, seed, folder, maker, path, extra):
        self.random, self.path, self.allocations, self.samples = random.Random(seed), path, [], []
        module = next(m for m in json.loads((folder / 'modules.json').read_text(encoding='utf-8'))
                      if (m['set'], m['image']) == ('elf-lld', 'libmesh'))
        self.where = folder / module.get('folder', module['set'])
        rows = [row for row in check_symbols.expectations(folder, module) if not any('<' in f['function'] for f in row['frames'])]
        base = int(module['base'], 16)
        lines = ['format dwarf', check_symbols.module_line(module)]
        self.stacks = stacks = []
        for number in range(1, 31):
            chosen = [self.random.choice(rows) for _ in range(self.random.randint(1, 4))]
            stacks.append([row['frames'] for row in chosen])
            lines.append('stack %x %s' % (number, ' '.join('%x' % (base + int(row['offset'], 16) + 1) for row in chosen)))
        for number in range(200 + extra):
            stack, size = self.random.randrange(30), 8 * self.random.randint(1, 64)
            if number >= 200:                           # what the candidate has alongside what the baseline has
                stack = 3
            self.allocations.append((size, stacks[stack]))
            lines.append('alloc %x %x %x' % (0x10000 + number * 1024, size, stack + 1))
        for number in range(400 + 10 * extra):
            row = rows[0] if number >= 400 else self.random.choice(rows)
            self.samples.append(row['frames'][0]['function'])
            lines.append('sample %x %x' % (2000 + number, base + int(row['offset'], 16)))
        check_symbols.write(maker, path, lines)

    def place(self, stack, rules):
        frames = [frame for frames in stack for frame in frames]
        return next((frame for frame in frames if not (rules and is_allocator(frame))), frames[0])

    def sums(self, rules):
        """(by, name) -> [bytes, count]"""
        found = collections.defaultdict(lambda: [0, 0])
        for size, stack in self.allocations:
            place = self.place(stack, rules)
            for by, name in (('function', place['function']), ('module', 'libmesh.so'), ('file', place['file'])):
                found[(by, name)][0] += size
                found[(by, name)][1] += 1
        return dict(found)


class Played:
    """A capture in which memory comes and goes: some callstacks are not defined, and some lie in no module.

    There are frames around some of it, each followed by one in which nothing happens."""

    UNDEFINED, OUTSIDE = (91, 92), (81, 82)

    def __init__(self, seed, folder, maker, path):
        draw = random.Random(seed)
        module = next(m for m in json.loads((folder / 'modules.json').read_text(encoding='utf-8'))
                      if (m['set'], m['image']) == ('elf-lld', 'libmesh'))
        self.path, self.where, self.steps, self.places = path, folder / module.get('folder', module['set']), [], {}
        rows = [row for row in check_symbols.expectations(folder, module) if not any('<' in f['function'] for f in row['frames'])]
        lines = ['format dwarf', check_symbols.module_line(module)]
        for number in range(1, 13):
            row = draw.choice(rows)
            self.places[number] = {'function': row['frames'][0]['function'], 'module': 'libmesh.so', 'file': row['frames'][0]['file']}
            lines.append('stack %x %x' % (number, int(module['base'], 16) + int(row['offset'], 16) + 1))
        for number in self.OUTSIDE:
            self.places[number] = {'function': '0x%x' % (number << 44), 'module': '', 'file': ''}
            lines.append('stack %x %x' % (number, number << 44))
        for number in self.UNDEFINED:
            self.places[number] = {'function': '(not in the capture)', 'module': '', 'file': ''}
        alive, self.times, self.frames, self.framed = {}, [], [], []
        for step in range(300):
            if step % 10 == 0:
                self.times.append(1000 + step * 100)
                lines.append('now %x' % self.times[-1])
                if step % 30 == 0:
                    lines.append('open %x' % self.times[-1])
                    self.framed.append(range(len(self.steps), len(self.steps)))
                if step % 30 == 20:
                    lines.append('close %x' % self.times[-1])
                    self.framed[-1] = range(self.framed[-1].start, len(self.steps))
                    self.frames += [(self.times[-3], self.times[-1]), (self.times[-1] + 30, self.times[-1] + 60)]
            if step % 30 == 29:
                lines.append('frame %x %x' % self.frames[-1])
            if alive and draw.random() < 0.45:
                address = draw.choice(sorted(alive))
                del alive[address]
                self.steps.append((self.times[-1], 'free', address, 0, 0))
                lines.append('free %x' % address)
                continue
            address, size, stack = 0x10000 + 1024 * draw.randrange(200), 8 * draw.randint(1, 64), draw.choice(sorted(self.places))
            if address not in alive:
                alive[address] = size
                self.steps.append((self.times[-1], 'alloc', address, size, stack))
                lines.append('alloc %x %x %x' % (address, size, stack))
        check_symbols.write(maker, path, lines)

    def growth(self, by, begin, end):
        """name -> [bytes and number alive at begin, at end, kept, churned]; by all its steps before the end."""
        out, alive = collections.defaultdict(lambda: [0] * 8), {}
        begun = False
        for time, what, address, size, stack in [*self.steps, (1 << 62, 'end', 0, 0, 0)]:
            if time >= begin and not begun:
                begun = True
                for was, name, _ in alive.values():
                    out[name][0] += was
                    out[name][1] += 1
            if time >= end:
                break
            if what == 'alloc':
                name = self.places[stack][by]
                alive[address] = size, name, begun
            else:
                was, name, inside = alive.pop(address)
                out[name][6] += was * inside
                out[name][7] += inside
        for was, name, inside in alive.values():
            out[name][2] += was
            out[name][3] += 1
            out[name][4] += was * inside
            out[name][5] += inside
        return {name: row for name, row in out.items() if any(row)}


    def key(self, by, size, stack):
        if by == 'size':
            return str(1 << max(size - 1, 0).bit_length())
        return {'total': '', 'heap': '', 'callstack': str(stack)}[by] if by in ('total', 'heap', 'callstack') else self.places[stack][by]

    def peaks(self, by, ranges):
        """key -> [the most bytes alive in any of the ranges, the first moment of that, the most allocations]"""
        out, alive, blocks, last = collections.defaultdict(lambda: [0, None, 0]), collections.Counter(), {}, -1 << 62
        counts, open_ranges = collections.Counter(), list(ranges)

        def see(name, time):
            row = out[name]
            if alive[name] > row[0]:
                row[:2] = alive[name], time
            row[2] = max(row[2], counts[name])
        for time, what, address, size, stack in [*self.steps, (1 << 62, 'end', 0, 0, 0)]:
            for begin in [begin for begin, _ in open_ranges if last < begin <= time]:
                for name in list(alive):
                    see(name, begin)
            last = time
            if what == 'end':
                break
            if what == 'alloc':
                blocks[address] = size, self.key(by, size, stack)
            size, name = blocks[address]
            alive[name] += size if what == 'alloc' else -size
            counts[name] += 1 if what == 'alloc' else -1
            if any(begin <= time < end for begin, end in ranges):
                see(name, time)
        return {name: row for name, row in out.items() if row[2]}

    def frame_most(self, by):
        """key -> the most bytes allocated in one frame"""
        out = collections.defaultdict(int)
        for framed in self.framed:
            sums = collections.Counter()
            for _, what, _, size, stack in [self.steps[i] for i in framed]:
                if what == 'alloc':
                    sums[self.key(by, size, stack)] += size
            for name, bytes_ in sums.items():
                out[name] = max(out[name], bytes_)
        return {name: most for name, most in out.items() if most}


WINDOW = ('from_bytes', 'from_count', 'to_bytes', 'to_count', 'kept_bytes', 'kept_count', 'churn_bytes', 'churn_count')


def check_window(result, tools, maker, folder, work, seed):
    """Growth inside a window by function, module and file, and what no module or definition explains."""
    made = Played(seed, folder, maker, work / 'played.utrace')
    draw = random.Random(seed)
    for _ in range(4):
        begin, end = sorted(draw.sample(made.times, 2))
        times = ['%.6fs' % ((time - 1000) / 1000000) for time in (begin, end)]
        rows = table(tools, made, 'memory_growth', ('by', 'name', 'growth_bytes', *WINDOW), '--by', 'function,module,file',
                     '--from', times[0], '--to', times[1])
        for by in ('function', 'module', 'file'):
            got = {row['name'] or '': [row[key] for key in WINDOW] for row in rows if row['by'] == by}
            result.equal('seed %d: growth by %s from %s to %s' % (seed, by, *times), got, made.growth(by, begin, end))
        result.true('seed %d: growth' % seed, all(row['growth_bytes'] == row['to_bytes'] - row['from_bytes'] for row in rows))
    rows = table(tools, made, 'allocations', ('bytes', 'callstack_id', 'frame'))
    result.equal('seed %d: names of what is alive' % seed, [row['frame'] for row in rows],
                 [made.places[row['callstack_id']]['function'] for row in rows])
    unknown = [step for step in made.steps if step[4] in made.UNDEFINED]
    found = [row for row in table(tools, made, 'health', ('kind', 'count', 'text')) if row['kind'] == 'definition_missing']
    result.equal('seed %d: callstacks that are not defined' % seed, [(row['count'], row['text']) for row in found],
                 [(len(unknown), '%d allocations refer to %d callstacks that the capture does not define' %
                   (len(unknown), len({step[4] for step in unknown})))])


BY_ALL = ('function', 'module', 'file', 'callstack', 'size', 'heap')


def key_of(row):
    if row['by'] == 'total' or row['by'] == 'heap':
        return ''
    return str(row['key']) if row['by'] in ('callstack', 'size') else row['name'] or ''


def check_peaks(result, tools, maker, folder, work, seed):
    """The most that was alive and when, of all and in parts of it, also such in which nothing happens."""
    made = Played(seed, folder, maker, work / 'peaks.utrace')
    draw = random.Random(seed)
    cuts = [((), [(-1 << 62, 1 << 62)], 'all')]
    for _ in range(3):
        begin, end = sorted(draw.sample(range(1000, made.times[-1] + 1000, 7), 2))
        cuts.append((['--from', '%.6fs' % ((begin - 1000) / 1e6), '--to', '%.6fs' % ((end - 1000) / 1e6)], [(begin, end)], '%d to %d' % (begin, end)))
        frames = sorted(draw.sample(range(len(made.frames)), draw.choice((1, 2, 5))))
        listed = ','.join(map(str, frames))
        cuts.append((['--frames', listed], [made.frames[i] for i in frames], 'frames ' + listed))
    for groups in (BY_ALL, BY_ALL[:3], BY_ALL[:1]):
        for options, ranges, what in cuts:
            options = [*options, '--by', ','.join(groups)]
            growth = table(tools, made, 'memory_growth', ('by', 'key', 'name', 'peak_bytes', 'peak_time'), *options)
            memory = table(tools, made, 'memory', ('by', 'key', 'name', 'peak_bytes', 'peak_count'), *options)
            for by in ('total', *groups):
                wanted = made.peaks(by, ranges)
                got = {key_of(row): [row['peak_bytes'], row['peak_time']] for row in growth if row['by'] == by and row['peak_bytes']}
                result.equal('seed %d: peaks by %s, %s' % (seed, by, what), got,
                             {name: [row[0], (row[1] - 1000) * 1000] for name, row in wanted.items()})
                got = {key_of(row): [row['peak_bytes'], row['peak_count']] for row in memory if row['by'] == by and row['peak_count']}
                result.equal('seed %d: most by %s, %s' % (seed, by, what), got, {name: [row[0], row[2]] for name, row in wanted.items()})
    memory = table(tools, made, 'memory', ('by', 'key', 'name', 'frame_max'), '--by', ','.join(BY_ALL))
    for by in BY_ALL:
        got = {key_of(row): row['frame_max'] for row in memory if row['by'] == by and row['frame_max']}
        result.equal('seed %d: most in a frame by %s' % (seed, by), got, made.frame_most(by))


def table(tools, made, name, columns, *options):
    return check_symbols.table(tools, made.path, name, columns, '--symbols', made.where, *options)


def check_leaks(result, tools, made, what, work):
    """Each callstack with its bytes, and the place that is no allocator."""
    rules = work / 'rules.txt'
    rules.write_text(RULES)
    for options, wanted_rules in (((), False), (('--allocators', rules), True)):
        rows = table(tools, made, 'leaks', ('callstack_id', 'bytes', 'count', 'share', 'function', 'module', 'file', 'line'), *options)
        wanted, total = {}, sum(size for size, _ in made.allocations)
        for size, stack in made.allocations:
            number = next(i for i, other in enumerate(made.stacks) if other is stack) + 1
            place = made.place(stack, wanted_rules)
            row = wanted.setdefault(number, [0, 0, place['function'], 'libmesh.so', place['file'], place['line']])
            row[0], row[1] = row[0] + size, row[1] + 1
        got = {row['callstack_id']: [row[k] for k in ('bytes', 'count', 'function', 'module', 'file', 'line')] for row in rows}
        result.equal('%s: leaks%s' % (what, ' with rules' if options else ''), got, wanted)
        result.true(what + ': shares of leaks', all(abs(row['share'] - row['bytes'] / total) < 1e-9 for row in rows))


def check_groups(result, tools, made, what, work):
    rules = work / 'rules.txt'
    rules.write_text(RULES)
    for name, size, count in (('memory', 'alive_bytes', 'alive_count'), ('memory_growth', 'to_bytes', 'to_count')):
        for options, wanted in (((), made.sums(False)), (('--allocators', rules), made.sums(True))):
            rows = table(tools, made, name, ('by', 'name', size, count), '--by', 'function,module,file', *options)
            got = {(row['by'], row['name']): [row[size], row[count]] for row in rows if row['by'] not in ('total', 'heap')}
            result.equal('%s: %s%s' % (what, name, ' with rules' if options else ''), got, wanted)
    done = tools.run('trace-stats', made.path, '-t', 'memory', '--allocators', work / 'nothing')
    result.equal(what + ': no file of rules', done.status, 2)


def difference(tools, pair, *options):
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / 'out.json'
        tools.must('trace-diff', pair[0].path, pair[1].path, '--symbols', pair[0].where, '-o', path, *options)
        return next(iter(json.loads(path.read_text(encoding='utf-8')).values()))


def check_memory_difference(result, tools, pair, what):
    rows = difference(tools, pair, '--memory=function,module,file,callstack')
    sums = [made.sums(False) for made in pair]
    wanted = {key: (sums[0].get(key, [0, 0])[0], sums[1].get(key, [0, 0])[0],
                    sums[1].get(key, [0, 0])[0] - sums[0].get(key, [0, 0])[0],
                    sums[1].get(key, [0, 0])[1] - sums[0].get(key, [0, 0])[1]) for key in set(sums[0]) | set(sums[1])}
    got = {(row['by'], row['name']): (row['base_bytes'], row['bytes'], row['change_bytes'], row['change_count'])
           for row in rows if row['by'] in ('function', 'module', 'file')}
    result.equal(what + ': difference of memory', got, wanted)
    total = [row for row in rows if row['by'] == 'total'][0]
    result.equal(what + ': total', (total['base_bytes'], total['bytes']), tuple(sum(s for s, _ in m.allocations) for m in pair))
    functions = [row['change_bytes'] for row in rows if row['by'] == 'function']
    result.equal(what + ': what grew comes first', functions, sorted(functions, reverse=True))


def split_chance(candidate, base, share):
    """Two-sided exact binomial chance."""
    def tail(values, n):
        return sum(math.comb(n, k) * share ** k * (1 - share) ** (n - k) for k in values)
    n = candidate + base
    return min(1, 2 * min(tail(range(candidate + 1), n), tail(range(candidate, n + 1), n)))


def adjusted(chances):
    """Benjamini and Hochberg, 1995."""
    order, least, out = sorted(chances, key=chances.get, reverse=True), 1, {}
    for rank, key in zip(range(len(order), 0, -1), order):
        least = min(least, chances[key] * len(order) / rank)
        out[key] = least
    return out


def check_sample_difference(result, tools, pair, what):
    counts = [collections.Counter(made.samples) for made in pair]
    totals = [sum(c.values()) for c in counts]
    share = totals[1] / sum(totals)
    chances = adjusted({f: split_chance(counts[1][f], counts[0][f], share) if counts[0][f] + counts[1][f] else 1
                        for f in set(f for row in difference(tools, pair, '--samples') for f in [row['function']])})
    for row in difference(tools, pair, '--samples'):
        function = row['function']
        result.equal('%s: samples of %s' % (what, function), (row['base_excl'], row['excl']), (counts[0][function], counts[1][function]))
        result.true('%s: share of %s' % (what, function), abs(row['excl_share'] - counts[1][function] / totals[1]) < 1e-9)
        result.true('%s: chance of %s: %s, %s' % (what, function, row['chance'], chances[function]),
                    abs(row['chance'] - chances[function]) < 1e-6)
        change = counts[1][function] / totals[1] - counts[0][function] / totals[0]
        wanted = 'same' if chances[function] >= 0.01 or abs(change) < 0.001 else 'more' if change > 0 else 'less'
        result.equal('%s: verdict of %s' % (what, function), row['verdict'], wanted)


def check_seed(result, tools, maker, folder, seed):
    with tempfile.TemporaryDirectory() as work:
        work, what = pathlib.Path(work), 'seed %d' % seed
        pair = [Made(seed, folder, maker, work / name, extra) for name, extra in (('base.utrace', 0), ('candidate.utrace', 20))]
        check_groups(result, tools, pair[0], what, work)
        check_leaks(result, tools, pair[0], what, work)
        check_window(result, tools, maker, folder, work, seed)
        check_peaks(result, tools, maker, folder, work, seed)
        check_memory_difference(result, tools, pair, what)
        check_sample_difference(result, tools, pair, what)
        other = Made(seed + 1000, folder, maker, work / 'other.utrace', 0)
        verdicts = [row['verdict'] for row in difference(tools, (pair[0], pair[0]), '--samples')]
        result.equal(what + ': nothing differs from itself', set(verdicts), {'same'})
        check_sample_difference(result, tools, (pair[0], other), what + ', other')


if __name__ == '__main__':
    sys.exit(by_seed.main(__doc__, check_seed, 2))
