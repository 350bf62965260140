#!/usr/bin/env python3
"""Compares memory, modules, definitions and assets with the truth of their producer.

usage: check_families_memory.py --bin DIRECTORY [--generator PROGRAM] PATH...

PATH is a truth file (NAME.truth.json, its capture beside it) or a directory, searched for them. Values are compared
exactly. With the program bench-gen-memory captures are generated too, and compared with what it counted.
"""

import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE))
import check_truth  # noqa: E402
import commands     # noqa: E402
import report       # noqa: E402

ROOTS = {'system': '0', 'video': '1'}
SUMS = ('allocs', 'frees', 'alive_count', 'alive_bytes')
PARTS = ('tag', 'thread', 'size', 'asset', 'callstack')
JOBS = ('1', '4')


GROWTH = ('by', 'growth_bytes', 'from_bytes', 'from_count', 'to_bytes', 'to_count', 'kept_bytes', 'kept_count',
          'churn_bytes', 'churn_count', 'peak_bytes')


def numbers(row, keys):
    return [int(row[key]) for key in keys]


def memory_rows(runner, path, *options):
    return runner.table(path, 'memory', ('by', 'heap_id', 'key', 'name', *SUMS, 'reallocs', 'peak_bytes', 'alloc_bytes'), *options)


def check_memory(result, runner, path, truth):
    rows = memory_rows(runner, path)
    heaps = {row['heap_id']: row for row in rows if row['by'] == 'heap'}
    for name, wanted in truth.items():
        if name not in ROOTS:
            continue
        got = heaps[ROOTS[name]]
        result.equal(name, numbers(got, SUMS),
                     [wanted['allocs'], wanted['frees'], wanted['live_count'], wanted['live_bytes']])
        if 'reallocs' in wanted:
            result.equal('reallocations', int(got['reallocs']), wanted['reallocs'])
        if 'live_by_tag' in wanted:
            tags = {row['name']: {'tag': int(row['key']), 'live_count': int(row['alive_count']),
                                  'live_bytes': int(row['alive_bytes'])}
                    for row in rows if row['by'] == 'tag' and row['heap_id'] == ROOTS[name]}
            result.equal('tags', tags, wanted['live_by_tag'])
    check_parts(result, rows)
    check_rows(result, runner, path, rows)
    if 'callstacks' in truth:
        stacks = {row['callstack_id'] for row in runner.table(path, 'callstacks', ('callstack_id',))}
        result.equal('callstacks', len(stacks), truth['callstacks'])


def check_parts(result, rows):
    """What is distinguished adds up to the heap it is part of; the heaps to the total."""
    keys = (*SUMS, 'reallocs', 'alloc_bytes')
    sums = collections.defaultdict(lambda: [0] * len(keys))
    for row in rows:
        if row['by'] == 'heap':
            sums['total', ''] = [one + more for one, more in zip(sums['total', ''], numbers(row, keys))]
        if row['by'] in PARTS:
            sums[row['by'], row['heap_id']] = [one + more for one, more in zip(sums[row['by'], row['heap_id']],
                                                                            numbers(row, keys))]
    whole = {row['heap_id']: numbers(row, keys) for row in rows if row['by'] in ('heap', 'total')}
    for (by, heap), got in sums.items():
        result.equal('sum by %s of heap %s' % (by, heap or 'all'), got, whole[heap])


def check_rows(result, runner, path, rows):
    """What the table of what is alive adds up to."""
    alive = runner.table(path, 'allocations', ('bytes', 'kind', 'heap_id', 'tag_id', 'callstack_id', 'index'))
    alive = [row for row in alive if row['kind'] == 'allocation']
    for by, key in (('tag', 'tag_id'), ('callstack', 'callstack_id')):
        sums = collections.defaultdict(lambda: [0, 0])
        for row in alive:
            entry = sums[row['heap_id'], row[key]]
            entry[0] += 1
            entry[1] += int(row['bytes'])
        wanted = {(row['heap_id'], row['key']): numbers(row, ('alive_count', 'alive_bytes'))
                  for row in rows if row['by'] == by and row['alive_count'] != '0'}
        result.equal('allocations by ' + by, dict(sums), wanted)
    indices = [int(row['index']) for row in alive]
    result.equal('order of allocations', indices, sorted(indices))


def check_modules(result, runner, path, truth):
    rows = runner.table(path, 'modules', ('module', 'base', 'bytes'))
    result.equal('modules', [[row['module'], int(row['base'], 16), int(row['bytes'])] for row in rows],
                 [[module['name'].split('/')[-1], module['base'], module['size']] for module in truth])
    for frame in runner.table(path, 'callstacks', ('address', 'module', 'offset')):
        address = int(frame['address'], 16)
        inside = [module for module in truth if module['base'] <= address < module['base'] + module['size']]
        wanted = [inside[0]['name'].split('/')[-1], address - inside[0]['base']] if inside else ['', None]
        got = [frame['module'], int(frame['offset'], 16) if frame['offset'] else None]
        if got != wanted:
            result.equal('frame at %x' % address, got, wanted)


def check_names(result, runner, path, truth):
    rows = runner.table(path, 'definitions', ('type', 'definition_id', 'text'))
    result.equal('names', {int(row['definition_id']): row['text'] for row in rows if row['type'] == 'Strings.FName'},
                 {entry['id']: entry['name'] for entry in truth})


def check_assets(result, runner, path, truth):
    rows = runner.table(path, 'assets', ('scopes',))
    result.equal('asset scopes', sum(int(row['scopes']) for row in rows), truth)


def check_same_bytes(result, runner, path, _):
    """Every number of jobs gives the same bytes."""
    tables = 'memory,allocations,assets,modules,callstacks,definitions'
    outs = [runner.must('trace-stats', path, '--table', tables, '--format', 'ndjson', '--jobs', jobs).out for jobs in JOBS]
    result.true('the same bytes for every number of jobs', outs[0] and len(set(outs)) == 1)


def steps_of(runner, path):
    """(cycle, what, address, heap, bytes, thread, callstack) of all that is allocated and freed, with the time of the last mark."""
    clock, shift, marks = None, 0, []
    for event in runner.events(path, 'Memory.*', order='serial'):
        name, fields = event['event'].split('.')[1], event['fields']
        if name == 'Init':
            shift = fields['SizeShift']
        elif name == 'Marker':
            clock = fields['Cycle'] if clock is None else max(clock, fields['Cycle'])
        elif 'Alloc' in name and 'Mark' not in name and 'Update' not in name or 'Free' in name:
            heap = fields.get('RootHeap', 1 if 'Video' in name else 0)
            low = fields.get('AlignmentPow2_SizeLower', 0) & ((1 << shift) - 1)
            size = fields.get('Size', 0) << shift | low
            marks.append([clock, 'free' if 'Free' in name else 'alloc', fields['Address'], heap, size, event['thread_id'],
                          fields.get('CallstackId', 0)])
    first = next((step[0] for step in marks if step[0] is not None), 0)
    return [(first if step[0] is None else step[0], *step[1:]) for step in marks if step[2] not in (0, '0x0')]


# what rows are by -> the heap and the key of the row that a block (heap, bytes, thread, callstack) belongs to
PARTS_OF = {
    'total': lambda heap, size, thread, stack: ('', ''),
    'heap': lambda heap, size, thread, stack: (str(heap), ''),
    'thread': lambda heap, size, thread, stack: (str(heap), str(thread)),
    'callstack': lambda heap, size, thread, stack: (str(heap), str(stack)),
    'size': lambda heap, size, thread, stack: (str(heap), str(1 << max(size - 1, 0).bit_length())),
}


class Grown:
    """What is alive of a part, and what came of it between two moments."""

    def __init__(self):
        self.bytes = self.count = self.start = self.starts = self.peak = 0
        self.allocated = self.allocations = self.kept = self.keeps = 0

    def begin(self):
        self.start, self.starts, self.peak = self.bytes, self.count, self.bytes

    def row(self):
        return [self.bytes - self.start, self.start, self.starts, self.bytes, self.count, self.kept, self.keeps,
                self.allocated - self.kept, self.allocations - self.keeps, self.peak]


def played(steps, first, last, kinds):
    """(by, heap, key) -> Grown for these kinds of parts, of all steps before `last`; what is from `first` on is between the moments."""
    parts, alive, begun = collections.defaultdict(Grown), {}, False
    places = [(by, PARTS_OF[by]) for by in kinds]

    def change(block, sign, inside):
        heap, size, thread, stack, young = block
        for by, place in places:
            part = parts[(by, *place(heap, size, thread, stack))]
            part.bytes += sign * size
            part.count += sign
            part.allocated += size if inside and sign > 0 else 0
            part.allocations += inside and sign > 0
            part.kept += sign * size if young else 0
            part.keeps += sign if young else 0

    for cycle, what, address, heap, size, thread, stack in steps:
        if cycle >= last:
            break
        inside = cycle >= first
        if inside and not begun:
            begun = True
            for part in parts.values():
                part.begin()
        was = alive.pop((address, heap), None)
        if was:
            change(was, -1, inside)
        if what == 'alloc':
            block = alive[address, heap] = heap, size, thread, stack, inside
            change(block, 1, inside)
        for by, place in places if inside and what == 'alloc' else ():
            part = parts[(by, *place(heap, size, thread, stack))]
            part.peak = max(part.peak, part.bytes)
    if not begun:
        for part in parts.values():
            part.begin()
    return parts


def check_growth(result, runner, path, _):
    """Memory between two moments, played step by step."""
    start = runner.events(path, '$Trace.NewTrace')[0]['fields']
    steps = steps_of(runner, path)
    for begin, end, kinds in ((3, 7, tuple(PARTS_OF)), (0.5, 1.5, ('total',)), (9, 60, ('total',))):
        first, last = (start['StartCycle'] + int(time * start['CycleFrequency']) for time in (begin, end))
        parts = played(steps, first, last, kinds)
        rows = runner.table(path, 'memory_growth', ('heap_id', 'key', *GROWTH), '--from', begin, '--to', end)
        for by in kinds:
            got = {(row['heap_id'], row['key']): numbers(row, GROWTH[1:]) for row in rows if row['by'] == by}
            wanted = {key: part.row() for (what, *key), part in parts.items() if what == by for key in [tuple(key)]}
            wanted = {key: row for key, row in wanted.items() if any(row) or key in got}
            result.equal('memory by %s from %g to %g s' % (by, begin, end), got, wanted)


CHECKS = {'memory': (check_memory, check_growth, check_same_bytes), 'modules': (check_modules,), 'fname_definitions': (check_names,),
          'asset_metadata_scopes': (check_assets,)}


def check_capture(result, runner, path, truth):
    for key, checks in CHECKS.items():
        for check in checks if key in truth else ():
            result.attempt(check, runner, path, truth[key])


def check_generated(result, runner, generator, seed, work):
    capture = work / 'memory.utrace'
    done = subprocess.run([generator, capture, '200000', '3000', '--seed', str(seed)], check=True, stdout=subprocess.PIPE)
    truth = commands.parse_json(done.stdout.decode('utf-8'))
    rows = memory_rows(runner, capture)
    keys = (*SUMS, 'reallocs', 'peak_bytes')
    wanted = [truth[key] for key in ('allocs', 'frees', 'live_count', 'live_bytes', 'reallocs', 'peak_bytes')]
    for by in ('total', 'heap'):
        result.equal(by, [numbers(row, keys) for row in rows if row['by'] == by], [wanted])
    result.equal('tags', {row['key']: numbers(row, ('alive_count', 'alive_bytes'))
                          for row in rows if row['by'] == 'tag' and row['alive_count'] != '0'}, truth['tags'])
    check_parts(result, rows)
    check_rows(result, runner, capture, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, help='the directory of the commands')
    parser.add_argument('--generator', help='the program bench-gen-memory')
    parser.add_argument('paths', nargs='+', type=pathlib.Path)
    options = parser.parse_args()
    runner = commands.Commands(options.bin)
    run = report.Report()
    for name, capture, truth in check_truth.captured(options.paths):
        if any(key in truth for key in CHECKS):
            run.run(name, check_capture, runner, capture, truth)
    for seed in (1, 2, 3) if options.generator else ():
        with tempfile.TemporaryDirectory() as work:
            run.run('generated %d' % seed, check_generated, runner, options.generator, seed, pathlib.Path(work))
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
