#!/usr/bin/env python3
"""Checks that functions of captures that are described (capture.json) arrive everywhere: in tables, trees, callers and callees, folded
stacks, pprof, speedscope, Perfetto, Chrome and SQLite files, with --callstack, in leaks, and out of a file of symbols that is sent
along. Each is written as a .utrace, and as a .tracy whose frames were left to be resolved later. What is expected is counted here over the
single stacks; and all frames of expected/ of the modules that the captures name.

usage: check_symbol_paths.py --bin DIRECTORY --maker PROGRAM FOLDER
"""

import argparse
import collections
import json
import pathlib
import random
import sqlite3
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import check_symbols   # noqa: E402
import commands        # noqa: E402
import report          # noqa: E402
import sample_files    # noqa: E402
import tracy_frames    # noqa: E402

START = 1000


def plain(names):
    return tuple(check_symbols.bare(name, False) for name in names)


class Described:
    """A capture with an allocation of each callstack, and its samples as (time, functions)."""

    def __init__(self, name, case, where, maker, path):
        self.name, self.case, self.where, self.path = name + path.suffix, case, where, path
        self.tracy = path.suffix == '.tracy'
        self.ids = [1 + i if self.tracy else stack['id'] for i, stack in enumerate(case['callstacks'])]
        if self.tracy:
            tracy_frames.write(case, path)
        else:
            lines = check_symbols.described(case)
            lines += ['alloc %x 100 %x' % (0x10000 + 0x100 * i, stack['id']) for i, stack in enumerate(case['callstacks'])]
            check_symbols.write(maker, path, lines)
        self.samples = sorted((s['time_us'] * 1000, plain(check_symbols.sampled_functions(s['frames']))) for s in case['samples'])
        self.counts = collections.Counter(names for _, names in self.samples)

    def export(self, tools, form, end, *options):
        path = self.path.with_suffix(end)
        tools.must('trace-export', self.path, '--format', form, '--symbols', self.where, '--force', '--output', path, *options)
        return path

    def table(self, tools, name, columns, *options):
        return check_symbols.table(tools, self.path, name, columns, '--symbols', self.where, *options)


def check_files(result, tools, made):
    perfetto = sample_files.Perfetto(made.export(tools, 'perfetto', '.pftrace'))
    for what, found in (('Perfetto', perfetto.perf), ('Perfetto, of any profiler', perfetto.stacks),
                        ('Chrome', sample_files.chrome(made.export(tools, 'chrome', '.json')))):
        result.equal('%s: %s' % (made.name, what), sorted((time, plain(names)) for _, time, names in found), made.samples)
    found, _ = sample_files.speedscope(made.export(tools, 'speedscope', '.speedscope.json'))
    result.equal(made.name + ': speedscope', without_threads(found), dict(made.counts))
    stacks, places = sample_files.pprof(made.export(tools, 'pprof', '.pb.gz', '--weight', 'samples'))
    result.equal(made.name + ': pprof', without_threads(stacks), dict(made.counts))
    wanted = {(int(f['address'], 16), tuple((check_symbols.bare(p['function'], False), p['file'], p['line']) for p in f['frames'] or ()))
              for s in made.case['samples'] for f in s['frames']}
    got = {(address, tuple((check_symbols.bare(name, False), file, line) for name, file, line in lines if line))
           for _, address, lines in places}
    result.equal(made.name + ': places of pprof', got, wanted)
    check_allocated(result, tools, made)
    folded = collections.Counter()
    for line in made.export(tools, 'folded', '.folded', '--weight', 'samples').read_text(encoding='utf-8').splitlines():
        stack, count = line.rsplit(' ', 1)
        folded[plain(reversed(stack.split(';')))] += int(count)
    result.equal(made.name + ': folded', dict(folded), dict(made.counts))


def places_of(stacks):
    """(module, address, function, file, line) of each function of each frame of samples."""
    for frame in (f for stack in stacks for f in stack['frames']):
        for place in frame['frames'] or ({'function': check_symbols.no_function(frame['module']), 'file': None, 'line': None},):
            yield (frame['module'] and frame['module'].replace('\\', '/').rsplit('/', 1)[-1], int(frame['address'], 16),
                   check_symbols.bare(place['function'], False), place['file'], place['line'])


def check_places(result, tools, made):
    """Module, address, function, file and line of each frame in files of both kinds, and the modules that they name."""
    perfetto = sample_files.Perfetto(made.export(tools, 'perfetto', '.pftrace'))
    path = made.export(tools, 'pprof', '.pb.gz', '--weight', 'samples')
    wanted = set(places_of(made.case['samples']))
    for what, found in (('Perfetto', perfetto.places),
                        ('pprof', {(module, address, *line) for module, address, lines in sample_files.pprof(path)[1] for line in lines})):
        got = {(module, address, check_symbols.bare(function, False), file or None, line or None)
               for module, address, function, file, line in found}
        result.equal('%s: modules and lines of %s' % (made.name, what), got, wanted)
    met = {module for module, *_ in wanted if module}
    requested = {m['name'].replace('\\', '/').rsplit('/', 1)[-1]: m for m in made.case['modules']}
    known, ids = {name: (1,) * 4 if requested[name]['file'] else (0,) * 4 for name in met}, {}
    for name in met:
        padded = requested[name]['image_id']
        ids[name] = '' if made.tracy else padded.rstrip('0') if made.case['symbol_format'] == 'dwarf' else padded
        ids[name] += '0' * (len(ids[name]) % 2)
    bases = {name: 0 if made.tracy else int(requested[name]['base'], 16) for name in met}
    mappings = sample_files.pprof_mappings(path)
    result.equal(made.name + ': modules of pprof', {(name, start, build_id, has) for name, start, _, build_id, has in mappings},
                 {(name, bases[name], ids[name], known[name]) for name in met})
    result.equal(made.name + ': modules of Perfetto', {m for m in perfetto.mappings if m[0]}, {m[:4] for m in mappings})
    ends = {name: end for name, _, end, _, _ in mappings}
    result.equal(made.name + ': addresses are in their modules',
                 [p for p in wanted if p[0] and not made.tracy and not bases[p[0]] <= p[1] < ends[p[0]]], [])


def check_table(result, tools, made):
    """Each location of a profile of memory has the functions, files and lines that table `callstacks` has of its address, in its order."""
    rows = made.table(tools, 'callstacks', check_symbols.COLUMNS)
    kept, reported = {stack for stack in made.ids}, {}
    for row in (row for row in rows if row['callstack_id'] in kept):
        reported.setdefault((row['callstack_id'], row['frame'], row['module'], int(row['address'], 16)), []).append(
            (check_symbols.displayed(row), row['file'] or '', row['line'] or 0))
    path = made.export(tools, 'pprof', '.bytes.pb.gz', '--weight', 'bytes')
    result.equal(made.name + ': locations of pprof as in callstacks', set(sample_files.pprof(path)[1]),
                 {(module, address, tuple(lines)) for (_, _, module, address), lines in reported.items()})


def check_allocated(result, tools, made):
    """Each callstack has allocated 256 bytes at once: modules, addresses and inlined functions of a profile of memory."""
    path = made.export(tools, 'pprof', '.bytes.pb.gz', '--weight', 'bytes')
    counts = collections.Counter(plain(check_symbols.functions_of(stack['frames'])) for stack in made.case['callstacks'])
    result.equal(made.name + ': allocations of pprof', without_threads(sample_files.pprof(path)[0]), dict(counts))
    stacks, places = sample_files.pprof(path, value=1)
    result.equal(made.name + ': bytes of pprof', without_threads(stacks), {names: 256 * n for names, n in counts.items()})
    wanted = {(int(f['address'], 16), tuple((check_symbols.bare(p['function'], False), p['file'], p['line']) for p in f['frames'] or ()))
              for s in made.case['callstacks'] for f in s['frames']}
    got = {(address, tuple((check_symbols.bare(name, False), file, line) for name, file, line in lines if line))
           for _, address, lines in places}
    result.equal(made.name + ': places of allocations', got, wanted)
    modules = {address: module for module, address, _ in places}
    _, sampled = sample_files.pprof(made.export(tools, 'pprof', '.pb.gz', '--weight', 'samples'))
    result.equal(made.name + ': modules of allocations as of samples',
                 [(module, address) for module, address, _ in sampled if modules.get(address, module) != module], [])


def without_threads(stacks):
    found = collections.Counter()
    for (_, names), count in stacks.items():
        found[plain(names)] += count
    return dict(found)


def check_trees(result, tools, made):
    tree = collections.Counter()
    for names, count in made.counts.items():
        for depth in range(len(names)):
            tree[tuple(reversed(names))[:depth + 1]] += count
    rows = made.table(tools, 'sample_tree', ('function', 'incl', 'node_id', 'parent_id'), '--tree', '--samples')
    paths, got = {None: ()}, collections.Counter()
    for row in rows:
        paths[row['node_id']] = (*paths[row['parent_id']], *plain([row['function']]))
        got[paths[row['node_id']]] += row['incl']
    result.equal(made.name + ': tree', dict(got), dict(tree))
    named = [f for s in made.case['samples'] for a in s['frames'] for f in a['frames'] or ()]
    function = random.Random(1).choice(sorted({f['function'] for f in named if '<' not in f['function']}))
    wanted = sum(count for names, count in made.counts.items() if function in names)
    for question in ('callers', 'callees'):
        rows = made.table(tools, 'sample_' + question, ('function', 'depth', 'incl'), '--' + question, function, '--samples')
        result.equal('%s: %s of %s' % (made.name, question, function), [(r['function'], r['incl']) for r in rows if r['depth'] == 0],
                     [(function, wanted)])


def frames_of(rows):
    return [(check_symbols.bare(check_symbols.displayed(row), False), row['file'], row['line']) for row in rows]


def wanted_of(stack):
    return [place for f in stack['frames'] for place in
            ([(check_symbols.bare(p['function'], False), p['file'], p['line']) for p in f['frames']] if f['frames'] else
             [(f['shown'], None, None)])]


def check_stacks(result, tools, made):
    """One callstack, all of them in a database, and out of a file that is sent along."""
    stacks = list(zip(made.ids, made.case['callstacks']))[:6]
    if made.tracy:          # those of samples have ids, too, and a first frame that is exact
        stacks += list(enumerate(made.case['samples'], 1 + len(made.ids)))[:6]
    for number, stack in stacks:
        rows = made.table(tools, 'callstacks', check_symbols.COLUMNS, '--callstack', number)
        result.equal('%s: --callstack %d' % (made.name, number), frames_of(rows), wanted_of(stack))
    base = sqlite3.connect(made.export(tools, 'sqlite', '.sqlite'))
    base.row_factory = sqlite3.Row
    sent = made.export(tools, 'tksym', '.tksym')
    alone = check_symbols.table(tools, made.path, 'callstacks', check_symbols.COLUMNS, '--symbols', sent)
    alongside = check_symbols.table(tools, made.path, 'callstacks', check_symbols.COLUMNS)
    result.equal(made.name + ': symbols beside the capture', alongside, alone)
    for number, stack in zip(made.ids, made.case['callstacks']):
        rows = base.execute('select * from callstacks where callstack_id = ? order by rowid', (number,)).fetchall()
        found = [(check_symbols.bare(row['function'] or '', False) or None, row['file'], row['line']) for row in rows]
        result.equal('%s: SQLite, callstack %d' % (made.name, number), found,
                     [(None, None, None) if line is None else (name, file, line) for name, file, line in wanted_of(stack)])
        result.equal('%s: sent along, callstack %d' % (made.name, number),
                     frames_of([row for row in alone if row['callstack_id'] == number]), wanted_of(stack))
    own = collections.Counter(names[0] for names in made.counts.elements())
    got = collections.Counter()
    for function, count in base.execute('select function, excl from sample_functions where excl > 0'):
        got[check_symbols.bare(function, False)] += count
    result.equal(made.name + ': SQLite, samples by function', dict(got), dict(own))
    made.path.with_suffix('.tksym').unlink()


def innermost(frame):
    """Function, module, file and line."""
    module = frame['module'] and frame['module'].replace('\\', '/').rsplit('/', 1)[-1]
    place = frame['frames'][0] if frame['frames'] else {'function': frame['shown'], 'file': None, 'line': None}
    return check_symbols.bare(place['function'], False), module, place['file'], place['line']


def check_memory(result, tools, made):
    """Memory by what allocated: no allocator is among these programs, so that the innermost function has it."""
    by, leaks = collections.Counter(), {}
    for number, stack in zip(made.ids, made.case['callstacks']):
        leaks[number] = (0x100, *innermost(stack['frames'][0]))
        for kind, name in zip(('function', 'module', 'file'), leaks[number][1:]):
            by[kind, name] += 0x100
    rows, got = made.table(tools, 'memory', ('by', 'name', 'alive_bytes'), '--by', 'function,module,file'), collections.Counter()
    for row in (row for row in rows if row['by'] in ('function', 'module', 'file')):
        got[row['by'], row['name'] and check_symbols.bare(row['name'], False)] += row['alive_bytes']
    result.equal(made.name + ': memory by function, module and file', dict(got), dict(by))
    rows = made.table(tools, 'leaks', ('callstack_id', 'bytes', 'function', 'module', 'file', 'line'))
    result.equal(made.name + ': leaks', {row['callstack_id']: (row['bytes'], check_symbols.bare(row['function'], False), row['module'],
                                                               row['file'], row['line']) for row in rows}, leaks)


def check_modules(result, tools, made):
    """Each module with the file that its functions come from; those of Tracy have neither id nor size."""
    counts = collections.Counter()
    for address, exact, module in {(f['address'], f['lookup'], f['module']) for s in made.case['callstacks'] + made.case['samples']
                                   for f in s['frames'] if f['module']}:
        counts[module.replace('\\', '/').rsplit('/', 1)[-1]] += 1
    files = {m['name'].replace('\\', '/').rsplit('/', 1)[-1]: m['file'] for m in made.case['modules']}
    rows = made.table(tools, 'symbol_files', ('module', 'state', 'addresses', 'resolved'))
    result.equal(made.name + ': modules', {r['module']: (r['addresses'], r['resolved']) for r in rows},
                 {module: (n, n if files[module] else 0) for module, n in counts.items()})
    for row in rows:
        states = ('not verified',) if made.tracy else ('matched', 'matched by size')
        result.true('%s: %s is %s' % (made.name, row['module'], row['state']),
                    row['state'] in (states if files[row['module']] else ('no file',)))


def check_names_alone(result, tools, made):
    """Without symbols nothing but names is another."""
    for name, columns in (('callstacks', ('callstack_id', 'frame', 'address', 'module', 'offset')),
                          ('samples', ('thread_id', 'address', 'module', 'offset', 'count')),
                          ('sample_rows', ('time', 'thread_id', 'depth', 'address', 'module', 'offset'))):
        one, other = made.table(tools, name, columns), check_symbols.table(tools, made.path, name, columns, '--no-symbols')
        if name == 'callstacks':    # inlined calls have rows of their own
            one = [row for i, row in enumerate(one) if not i or row != one[i - 1]]
        result.equal('%s: %s without symbols' % (made.name, name), one, other)


def check_case(result, tools, maker, folder, name, case):
    where = folder / check_symbols.PLACES[name]
    for module in case['modules']:
        kind, image = check_symbols.PLACES[name].replace('store', 'pe'), pathlib.PurePath((module['file'] or '').rsplit('/', 1)[-1]).stem
        if (folder / 'expected' / kind / (image + '.jsonl')).exists():
            check_symbols.check_module(result, tools, maker, folder, {
                'set': kind, 'image': image, 'format': case['symbol_format'], 'name': module['name'], 'base': module['base'],
                'size': module['ue_size'], 'id': module['image_id'], 'folder': check_symbols.PLACES[name]})
    for end in ('.utrace', '.tracy'):
        with tempfile.TemporaryDirectory() as work:
            made = Described(name, case, where, maker, pathlib.Path(work) / ('made' + end))
            for check in (check_files, check_places, check_table, check_trees, check_stacks, check_memory, check_modules, check_names_alone):
                result.attempt(check, tools, made)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--maker', required=True)
    parser.add_argument('folder', type=pathlib.Path)
    arguments = parser.parse_args()
    tools, found = commands.Commands(arguments.bin), report.Report()
    with tempfile.TemporaryDirectory() as cache, check_symbols.environment(XDG_CACHE_HOME=cache):
        for name, case in json.loads((arguments.folder / 'capture.json').read_text(encoding='utf-8')).items():
            found.run(name, check_case, tools, arguments.maker, arguments.folder, name, case)
    return found.close()


if __name__ == '__main__':
    sys.exit(main())
