#!/usr/bin/env python3
"""Checks sums of samples against brute force over single samples: by the timer that they fell into, by function inside of a timer,
as trees, and single samples in files for other tools. The scopes and samples are made up, the functions are those of symbol files whose frames two independent tools agree on.

usage: check_samples.py --bin DIRECTORY --maker PROGRAM [--seeds N] FOLDER

FOLDER has symbols/ (fixtures/README.md).
"""

import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import by_seed         # noqa: E402
import check_symbols   # noqa: E402
import sample_files    # noqa: E402

START, TIMERS = 1000, ('Frame', 'Update', 'Physics', 'Draw', 'Wait')


class Made:
    """A capture of one thread: scopes as (begin, end or None, timer, depth), samples as (time, [frames, the innermost first])."""

    def __init__(self, seed, folder, maker, path):
        self.random, self.scopes, self.samples, self.frames, self.path = random.Random(seed), [], [], [], path
        module = next(m for m in json.loads((folder / 'modules.json').read_text(encoding='utf-8'))
                      if (m['set'], m['image']) == ('elf-lld', 'libmesh'))
        self.where = folder / module.get('folder', module['set'])
        rows = check_symbols.expectations(folder, module)    # each compiler spells template arguments in its own way
        self.rows = [row for row in rows if not any('<' in frame['function'] for frame in row['frames'])]
        self.base, self.interval = int(module['base'], 16), self.random.choice((None, 125, 1000))
        self.lines = ['format dwarf', check_symbols.module_line(module)]
        self.lines += ['timer %x %s' % (i + 1, name) for i, name in enumerate(TIMERS)]
        if self.interval:
            self.lines.append('interval %x' % self.interval)
        self.clock, self.runs = START + 10, []
        self.make()
        self.run()
        check_symbols.write(maker, path, self.lines)

    def tick(self):
        self.clock += self.random.choice((0, 1, 3, 40))

    def sample(self):
        rows = [self.random.choice(self.rows[::5]) for _ in range(self.random.randint(1, 5))]
        addresses = [self.base + int(row['offset'], 16) + (i > 0) for i, row in enumerate(rows)]
        self.samples.append((self.clock, [f['function'] for row in rows for f in row['frames']]))
        self.frames.append([f for row in rows for f in row['frames']])
        self.lines.append('sample %x %s' % (self.clock, ' '.join('%x' % a for a in addresses)))

    def scope(self, depth):
        timer = self.random.randrange(len(TIMERS))
        self.tick()
        begin, place = self.clock, len(self.scopes)
        self.scopes.append(None)
        self.lines.append('begin %x %x' % (begin, timer + 1))
        for _ in range(self.random.randint(0, 5 if depth < 5 else 0)):
            self.tick()
            if self.random.random() < 0.5:
                self.sample()
            else:
                self.scope(depth + 1)
        self.tick()
        self.scopes[place] = (begin, self.clock, TIMERS[timer], depth)
        self.lines.append('end %x' % self.clock)

    def make(self):
        for _ in range(40):
            self.scope(0)
            self.tick()
            if self.random.random() < 0.3:
                self.sample()
        for depth, timer in enumerate((0, 1, 0)):       # never ended
            self.tick()
            self.lines.append('begin %x %x' % (self.clock, timer + 1))
            self.scopes.append((self.clock, None, TIMERS[timer], depth))
            self.tick()
            self.sample()

    def run(self):
        """Times on cores: sometimes the thread goes on at once on another one."""
        at = START + self.random.randint(0, 60)
        while at < self.clock + 50:
            end = at + self.random.choice((1, 5, 40, 120))
            self.runs.append((at, end))
            self.lines.append('switch %x %x %x' % (at, end, self.random.randrange(4)))
            at = end + self.random.choice((0, 0, 3, 25, 90))

    def around(self, time):
        """Timers of the scopes that a time lies in, the innermost first."""
        found = [s for s in self.scopes if s[0] <= time and (s[1] is None or time < s[1])]
        return [s[2] for s in sorted(found, key=lambda s: -s[3])]


def table(tools, made, name, columns, *options):
    return check_symbols.table(tools, made.path, name, columns, '--symbols', made.where, *options)


def check_timers(result, tools, made, what, first=None, last=None):
    own, incl = collections.Counter(), collections.Counter()
    chosen = [s for s in made.samples if (first is None or s[0] >= first) and (last is None or s[0] < last)]
    for time, _ in chosen:
        around = made.around(time)
        own[around[0] if around else None] += 1
        incl.update(set(around) or {None})
    options = ['--from', '%dus' % (first - START)] if first else []
    options += ['--to', '%dus' % (last - START)] if last else []
    rows = table(tools, made, 'sample_timers', ('timer', 'excl', 'incl', 'excl_share', 'incl_share', 'excl_time', 'incl_time'), *options)
    ns = made.interval and made.interval * 1000
    result.equal(what + ': by timer', {row['timer']: tuple(row.values())[1:] for row in rows},
                 {name: (own[name], incl[name], own[name] / len(chosen), incl[name] / len(chosen),
                         ns and own[name] * ns, ns and incl[name] * ns) for name in incl})


RUN_NAMES = ['%s%s' % (kind, name) for kind in ('', 'incl_') for name in ('running', 'waiting', 'waits', 'wakeups')]


def runs_got(tools, made, first, last, *options):
    """Time on cores, waits and wake-ups of one's own and of all called, by function; where there are any."""
    rows = table(tools, made, 'sample_functions', ('function', *RUN_NAMES), '--from', '%dus' % (first - START), '--to',
                 '%dus' % (last - START), *options)
    got = collections.defaultdict(lambda: [0] * 8)
    for row in rows:
        got[row['function']] = [a + row[name] for a, name in zip(got[row['function']], RUN_NAMES)]
    return {name: v for name, v in got.items() if any(v)}


def check_windows(result, tools, made, what, first, middle, last, *options):
    """Two windows next to each other have what both together have."""
    sums = collections.defaultdict(lambda: [0] * 8)
    for part in ((first, middle), (middle, last)):
        for name, values in runs_got(tools, made, *part, *options).items():
            sums[name] = [a + b for a, b in zip(sums[name], values)]
    result.equal(what, dict(sums), runs_got(tools, made, first, last, *options))


def runs_expected(made, first, last, timer=None):
    """Time on cores, waits and wake-ups by function, microsecond by microsecond; of samples in calls of the timer alone."""
    runs = []
    for begin, end in made.runs:
        if runs and runs[-1][1] == begin:
            begin = runs.pop()[0]
        runs.append((begin, end))
    sums = collections.defaultdict(lambda: [0] * 8)

    def add(sample, column, n):
        functions = sample[1]
        if timer and timer not in made.around(sample[0]):
            return
        sums[functions[0]][column] += n
        for function in set(functions):
            sums[function][4 + column] += n

    for place, (begin, end) in enumerate(runs):
        inside = [s for s in made.samples if begin <= s[0] <= end]
        for now in range(begin, end) if inside else ():
            if first <= now < last:
                add(next((s for s in reversed(inside) if s[0] <= now), inside[0]), 0, 1000)
        if inside and place and first <= begin < last:
            add(inside[0], 3, 1)
        if inside and place + 1 < len(runs):
            add(inside[-1], 1, 1000 * len([t for t in range(end, runs[place + 1][0]) if first <= t < last]))
            add(inside[-1], 2, first <= end < last)
    return {name: v for name, v in sums.items() if any(v)}


def check_runs(result, tools, made, what, first, last):
    sums = runs_expected(made, first, last)
    result.equal(what + ': on cores', runs_got(tools, made, first, last), sums)
    result.true(what + ': something waits', sums and any(v[2] for v in sums.values()))
    modules = table(tools, made, 'sample_modules', RUN_NAMES[4:])
    functions = table(tools, made, 'sample_functions', RUN_NAMES[:4])
    result.equal(what + ': on cores by module', [list(row.values()) for row in modules],
                 [[sum(row[name] for row in functions) for name in RUN_NAMES[:4]]])


def check_timed_runs(result, tools, made, what):
    """In a window, of a timer: calls that ended before the window have samples whose time is in it."""
    def in_run(time):
        return next((run for run in made.runs if run[0] <= time < run[1]), None)
    timer, borders = made.random.choice(TIMERS), []
    for begin, end, name, _ in made.scopes:
        last = max((s[0] for s in made.samples if begin <= s[0] < (end or 0)), default=None)
        run = in_run(last) if name == timer and last is not None else None
        if run and run[1] - end > 2:                    # it runs on behind the call
            borders.append((end + run[1]) // 2)
    border = made.random.choice(borders or [made.samples[len(made.samples) // 2][0]])
    first, last = border - made.random.choice((0, 30, 400)), border + made.random.choice((3, 40, 700))
    wanted = runs_expected(made, first, last, timer)
    result.equal('%s: on cores inside %s in a part' % (what, timer), runs_got(tools, made, first, last, '--timer', timer), wanted)
    result.equal('%s: on cores inside %s' % (what, timer),
                 runs_got(tools, made, START, made.clock + 1000, '--timer', timer), runs_expected(made, START, made.clock + 1000, timer))
    check_windows(result, tools, made, '%s: two windows inside %s' % (what, timer), border - 400, border, border + 700, '--timer', timer)


def check_inside(result, tools, made, what, timer):
    own, incl = collections.Counter(), collections.Counter()
    for time, functions in made.samples:
        if timer in made.around(time):
            own[functions[0]] += 1
            incl.update(set(functions))
    rows = table(tools, made, 'sample_functions', ('function', 'excl', 'incl', 'excl_time'), '--timer', timer)
    got_own, got_incl = collections.Counter(), collections.Counter()
    for row in rows:
        got_own[row['function']] += row['excl']
        got_incl[row['function']] += row['incl']
        result.equal('%s: time of %s' % (what, row['function']), row['excl_time'],
                     made.interval and row['excl'] * made.interval * 1000)
    result.equal('%s: own inside %s' % (what, timer), +got_own, own)
    result.equal('%s: incl inside %s' % (what, timer), dict(got_incl), dict(incl))
    done = tools.must('trace-export', made.path, '-f', 'folded', '--weight', 'samples', '--timer', timer, '--symbols', made.where,
                      '-o', '-')
    result.equal('%s: folded inside %s' % (what, timer), sum(int(line.rsplit(b' ', 1)[1]) for line in done.out.splitlines()),
                 sum(own.values()))


def add_path(tree, path, own=True):
    for depth in range(1, len(path) + 1):
        tree[path[:depth]][1] += 1
    if own:
        tree[path][0] += 1


def expected_trees(made, function):
    """Tree, callers and callees of a function: path -> [own, incl]."""
    trees = [collections.defaultdict(lambda: [0, 0]) for _ in range(3)]
    for _, functions in made.samples:
        add_path(trees[0], tuple(reversed(functions)))
        if function in functions:
            innermost, outermost = functions.index(function), len(functions) - 1 - functions[::-1].index(function)
            add_path(trees[1], tuple(functions[innermost:]), own=False)
            add_path(trees[2], tuple(reversed(functions[:outermost + 1])))
    return [dict(tree) for tree in trees]


def rows_of(result, what, rows):
    """The rows as a tree; children come with the greatest first, below the row that is their parent."""
    found, paths, last = {}, {None: ()}, {}
    for row in rows:
        path = (*paths[row['parent_id']], row['function'])
        result.true('%s: %s is new' % (what, path), path not in found)
        result.equal('%s: depth of %s' % (what, path), row['depth'], len(path) - 1)
        result.true('%s: order at %s' % (what, path), row['incl'] <= last.get(row['parent_id'], row['incl']))
        last[row['parent_id']], paths[row['node_id']] = row['incl'], path
        found[path] = [row['excl'] or 0, row['incl']]
    return found


TREE = ('depth', 'function', 'excl', 'incl', 'node_id', 'parent_id', 'share', 'pruned')


def check_trees(result, tools, made, what):
    function = made.random.choice(made.rows[::5])['frames'][0]['function']
    tree, callers, callees = expected_trees(made, function)
    result.equal(what + ': tree', rows_of(result, what, table(tools, made, 'sample_tree', TREE, '--tree', '--samples')), tree)
    result.equal(what + ': callers', rows_of(result, what, table(tools, made, 'sample_callers', TREE, '--callers', function,
                                                                 '--samples')), callers)
    result.equal(what + ': callees', rows_of(result, what, table(tools, made, 'sample_callees', TREE, '--callees', function,
                                                                 '--samples')), callees)
    shallow = rows_of(result, what, table(tools, made, 'sample_tree', TREE, '--tree', '--samples', '--depth', '1'))
    result.equal(what + ': depth', shallow, {path: sums for path, sums in tree.items() if len(path) <= 2})
    pruned = table(tools, made, 'sample_tree', TREE, '--tree', '--samples', '--min-share', '3%')
    rest = [row for row in pruned if row['function'] == '(other)']
    least = 0.03 * len(made.samples)
    result.equal(what + ': what is large', len(pruned) - len(rest), sum(incl >= int(least) for _, incl in tree.values()))
    result.equal(what + ': what is small', sum(row['pruned'] for row in rest), len(tree) - len(pruned) + len(rest))
    done = tools.run('trace-stats', made.path, '--callers', 'forge::nowhere', '--samples', '--symbols', made.where)
    result.equal(what + ': a function that there is not', (done.status, b"no function matches 'forge::nowhere'" in done.err), (2, True))


def check_lines(result, tools, made, what, work):
    """A function line by line: samples by brute force, and texts of the file whose path has most of the end of the compiler's."""
    function, file = made.random.choice(sorted({(f['function'], f['file']) for frames in made.frames for f in frames}))
    own, incl = collections.Counter(), collections.Counter()
    for frames in made.frames:
        here = [(n, f['line']) for n, f in enumerate(frames) if (f['function'], f['file']) == (function, file)]
        incl.update({line for _, line in here})
        own.update(line for n, line in here if n == 0)
    place, other, outside = work / 'code' / file.lstrip('/'), work / 'code' / 'a' / pathlib.Path(file).name, work / 'outside'
    for path, text in ((place, 'right'), (other, 'wrong'), (outside, 'outside')):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(''.join('%s %d\n' % (text, n) for n in range(1, max(incl) + 2)), encoding='utf-8')
    rows = table(tools, made, 'source_lines', ('function', 'file', 'line', 'excl', 'incl', 'text'), '--lines', function,
                 '--source', work / 'code')
    rows = [row for row in rows if row['file'] == file]
    displayed = range(max(1, min(incl) - 2), max(incl) + 2)     # the file ends there
    result.equal(what + ': lines', [row['line'] for row in rows], list(displayed))
    result.equal(what + ': source', [row['text'] for row in rows], ['right %d' % n for n in displayed])
    counted = {row['line']: (row['excl'], row['incl']) for row in rows if row['excl'] is not None}
    result.equal(what + ': samples by line', counted, {line: (own[line], incl[line]) for line in incl})
    place.unlink()
    other.unlink()
    place.symlink_to(outside)
    for options in (('--lines', function, '--source', work / 'none'), ('--source', work),
                    ('--save', work / 'x.tkb', '--source', work), ('--save', work / 'x.tkb', '--lines', function)):
        done = tools.run('trace-stats', made.path, *options)
        result.equal('%s: sources of nothing: %s' % (what, done.err), (done.status, done.out), (2, b''))
    rows = table(tools, made, 'source_lines', ('file', 'line', 'text'), '--lines', function, '--source', work / 'code')
    for options, place in ((('--source', work / 'code'), b'below %s' % str(work / 'code').encode()), ((), b'no folder of sources')):
        done = tools.must('trace-stats', made.path, '--lines', function, '--symbols', made.where, *options)
        result.true('%s: where was looked for sources: %s' % (what, done.err),
                    b'no source of %s' % file.encode() in done.err and place in done.err)
    result.equal(what + ': a link out of the folder', {row['text'] for row in rows}, {None})
    result.equal(what + ': lines without source', sorted(row['line'] for row in rows if row['file'] == file), sorted(incl))
    done = tools.run('trace-stats', made.path, '--lines', 'forge::nowhere', '--symbols', made.where)
    result.equal(what + ': lines of a function that there is not', (done.status, b"no function matches" in done.err), (2, True))


def check_files(result, tools, made, what, first=None):
    """Files for other tools have each sample, with its time where the format has one."""
    chosen = [((t - START) * 1000, functions) for t, functions in made.samples if first is None or t >= first]
    ns = made.interval and made.interval * 1000 * len(chosen)
    options = ['--from', '%dus' % (first - START)] if first else []

    def export(form, end, *more):
        path = made.path.with_suffix(end)
        tools.must('trace-export', made.path, '--format', form, '--symbols', made.where, '--force', '--output', path, *options, *more)
        return path

    single = sorted(('GameThread', t, functions) for t, functions in chosen)
    perfetto = sample_files.Perfetto(export('perfetto', '.pftrace'))
    result.equal(what + ': Perfetto', sorted(perfetto.perf), single)
    result.equal(what + ': Perfetto, of any profiler', sorted(perfetto.stacks), single)
    result.equal(what + ': Perfetto, weights', set(perfetto.weights), {made.interval * 1000 if made.interval else 1})
    result.equal(what + ': Perfetto, modules', perfetto.modules, {'libmesh.so'})
    result.equal(what + ': Chrome', sorted(sample_files.chrome(export('chrome', '.json'))), single)
    counts = collections.Counter(('GameThread', tuple(functions)) for _, functions in chosen)
    result.equal(what + ': speedscope', sample_files.speedscope(export('speedscope', '.speedscope.json')), (counts, ns))
    stacks, places = sample_files.pprof(export('pprof', '.pb.gz', '--weight', 'samples', '--per-thread'))
    result.equal(what + ': pprof', stacks, counts)
    frames = collections.Counter()
    for row in made.rows[::5]:
        place = tuple((f['function'], f['file'], f['line']) for f in row['frames'])
        for offset in (0, 1):
            frames['libmesh.so', made.base + int(row['offset'], 16) + offset, place] = 1
    result.equal(what + ': places of pprof', [place for place in places if place not in frames], [])


def check_said_once(result, tools, maker, made, work):
    """Of runs of one program the same is said of its symbols, once."""
    runs = [work / ('run%d.utrace' % i) for i in range(3)]
    for i, path in enumerate(runs):
        check_symbols.write(maker, path, [*made.lines, 'begin %x 1' % (made.clock + i), 'end %x' % (made.clock + 9)])
    done = tools.run('trace-diff', *runs[:2], '--vs', runs[2], '--symbols', work)
    said = [line for line in done.err.decode().splitlines() if 'symbols: ' in line]
    result.equal('said of the symbols of several runs', (len(said), len(set(said))), (1, 1))


def check_cut(result, tools, made, what, work):
    """Samples in calls of a timer, in a cut capture as in that part of the whole: calls that began before the cut have theirs, too."""
    first, last = (made.samples[len(made.samples) * i // 4][0] for i in (1, 3))
    part = [word for option, time in (('--from', first), ('--to', last)) for word in (option, '%dns' % ((time - START) * 1000))]
    cut = work / 'cut.utrace'
    tools.must('trace-edit', made.path, '-o', cut, '--force', *part)
    for timer in TIMERS:
        for name, column in (('sample_functions', 'function'), ('sample_timers', 'timer')):
            rows = [check_symbols.table(tools, path, name, (column, 'excl', 'incl'), '--symbols', made.where, '--timer', timer, *options)
                    for path, options in ((cut, ()), (made.path, part))]
            found, wanted = ({row[column]: (row['excl'], row['incl']) for row in side} for side in rows)
            result.equal('%s: %s in %s, cut' % (what, name, timer), found, wanted)


def check_seed(result, tools, maker, folder, seed):
    with tempfile.TemporaryDirectory() as work:
        made = Made(seed, folder, maker, pathlib.Path(work) / 'made.utrace')
        what = 'seed %d' % seed
        check_timers(result, tools, made, what)
        check_said_once(result, tools, maker, made, pathlib.Path(work))
        middle = made.samples[len(made.samples) // 2][0]
        check_timers(result, tools, made, what + ', first half', last=middle)
        check_timers(result, tools, made, what + ', second half', first=middle)
        check_runs(result, tools, made, what, START, made.clock + 1000)
        check_runs(result, tools, made, what + ', a part', middle - 400, middle + 700)
        cut = [(s[0] + end) // 2 for begin, end in made.runs for s in made.samples if begin <= s[0] < end - 1]
        for border in (middle, cut[len(cut) // 2]):     # at a sample, and between one and the end of its run
            check_windows(result, tools, made, what + ', two windows', border - 400, border, border + 700)
        check_timed_runs(result, tools, made, what)
        check_trees(result, tools, made, what)
        check_lines(result, tools, made, what, pathlib.Path(work))
        check_files(result, tools, made, what)
        check_cut(result, tools, made, what, pathlib.Path(work))
        check_files(result, tools, made, what + ', second half', middle)
        for timer in TIMERS[:3]:
            check_inside(result, tools, made, what, timer)


if __name__ == '__main__':
    sys.exit(by_seed.main(__doc__, check_seed, 3))
