#!/usr/bin/env python3
"""Merges of .utrace: of two recordings of one process, what its truth file says; of the pieces that a capture was cut into,
the tables of each piece's time are those of the capture there, and its events are those of the capture, as a decoder that
shares nothing with them finds.

usage: check_merge.py --bin DIRECTORY [--corpus DIRECTORY] [--rounds N] [--seed N] FIXTURES
"""

import argparse
import collections
import json
import pathlib
import random
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'decoders'), str(HERE.parent / 'harness')]
import check_cut  # noqa: E402
import commands  # noqa: E402
import edited  # noqa: E402
import report  # noqa: E402
import utrace_wire  # noqa: E402

DONE, USAGE, FAILED = 0, 2, 3
NAMES = ('tiny', 'coroutine', 'nested_aux', 'tiny-ue5.0', 'tiny-ue5.1', 'net')
LARGE = ('utrace/threads', 'utrace/game', 'runs/a_00')
# What is open where two pieces meet is one again: of all of the capture, not of each piece.
PARTED = {'tree', 'slowest', 'scopes'}
ONE_AGAIN = ('timers', *sorted(PARTED))
SCOPED = ('CpuProfiler.EventBatch', 'Cpu.')
# Scopes of memory around an edge are in both pieces.
EVERYWHERE = ('Memory.MemoryScope', 'Metadata.', 'CpuProfiler.Metadata', 'Tracekit.')


def item_numbers(path, title):
    """The field Seq of all events of a name, in the order of their thread."""
    capture = edited.read(path)
    return [item.values['Seq'] for tid in capture.streams if tid > 1
            for item in utrace_wire.events(capture, tid)
            if not isinstance(item, tuple) and item.type.title == title]


def check_restart(result, tools, fixtures, work):
    """Both recordings, in both orders: nothing is missing, and nothing is there twice."""
    truth = json.loads((fixtures / 'restart.truth.json').read_text())
    last = truth['restart_b']['items_last']
    pair = [fixtures / 'restart_a.utrace', fixtures / 'restart_b.utrace']
    found = []
    for name, order in (('r1', pair), ('r2', pair[::-1])):
        tools.must('trace-edit', *order, '-o', work / name)
        for title in ('Restart.Item', 'Restart.Local'):
            result.equal('%s of %s' % (title, name), item_numbers(work / name, title), list(range(last + 1)))
        found.append((work / name).read_bytes())
    result.equal('in the other order', found[0], found[1])
    capture = edited.read(work / 'r1')
    specs = sum(item.type.title == 'Restart.Spec' for item in utrace_wire.events(capture, 1) if not isinstance(item, tuple))
    result.equal('specs', specs, truth['restart_b']['specs'][1] + 1)
    numbers = edited.serials(capture)
    result.equal('serial numbers', numbers, list(range(len(numbers))))
    record = json.loads(tools.must('trace-info', work / 'r1', '--full', '--format', 'json').out)
    result.true('the record', '"merged\\":2' in json.dumps(record) or 'merged' in json.dumps(record))


def check_snapshot(result, tools, fixtures, work):
    """A snapshot of a recording has nothing that the recording does not have."""
    tools.must('trace-edit', fixtures / 'late.utrace', fixtures / 'late_snapshot.utrace', '-o', work / 'late')
    result.equal('items', item_numbers(work / 'late', 'Late.Item'), item_numbers(fixtures / 'late.utrace', 'Late.Item'))


def check_refused(result, tools, fixtures, work):
    other = tools.run('trace-edit', fixtures / 'tiny.utrace', fixtures / 'net.utrace', '-o', work / 'no')
    result.equal('another session', (other.status, b'net.utrace' in other.err, (work / 'no').exists()), (USAGE, True, False))
    old = fixtures / 'old-p4-tid.utrace'
    result.equal('protocol 4', tools.run('trace-edit', old, old, '-o', work / 'no').status, USAGE)
    mixed = next((fixtures / 'tracy').glob('*.tracy'))
    result.equal('two formats', tools.run('trace-edit', fixtures / 'tiny.utrace', mixed, '-o', work / 'no').status, USAGE)
    cut = [work / ('over%d' % i) for i in range(2)]
    first, last = span(tools, fixtures / 'tiny.utrace')
    third = (last - first) // 3
    tools.must('trace-edit', fixtures / 'tiny.utrace', '-o', cut[0], '--to', '%dns' % (first + 2 * third))
    tools.must('trace-edit', fixtures / 'tiny.utrace', '-o', cut[1], '--from', '%dns' % (first + third))
    over = tools.run('trace-edit', *cut, '-o', work / 'no')
    result.equal('times that overlap', (over.status, b'follow each other' in over.err), (USAGE, True))


PER_FRAME = ('by', 'heap_id', 'key', 'name', 'frame_allocs', 'frame_bytes', 'frame_max')
TIMES_CALLED = ('timer', 'kind', 'count', 'open', 'incl', 'excl', 'min', 'max')


# Of `game`: an edge between the halves of a reallocation, and one with the end of a frame but no marker behind it.
EDGES = (('game.utrace.zst', '3500ms'), ('game.utrace.zst', '3400ms'))


def check_split(result, tools, path, work, how):
    """Nothing that makes a piece complete is counted once more where the pieces are one again."""
    folder = work / ('%s-%s' % (path.stem, how))
    folder.mkdir()
    tools.must('trace-edit', path, '-o', folder / 'x.utrace', '--split', how)
    pieces = sorted(folder.iterdir())
    result.true('pieces of %s' % path.name, len(pieces) >= 3)
    tools.must('trace-edit', *pieces, '-o', work / 'whole', '--force')
    for table, columns in (('memory', PER_FRAME), ('timers', TIMES_CALLED)):
        after, before = (sorted(map(repr, tools.table(of, table, columns))) for of in (work / 'whole', path))
        result.equal('%s of %d pieces of %s' % (table, len(pieces), path.name), after, before)


def span(tools, path):
    found = json.loads(tools.must('trace-stats', path, '--table', 'capture', '--format', 'json').out)
    found = found['capture'] if 'capture' in found else found
    row = found[0] if isinstance(found, list) else found
    return row['first'] or 0, row['last']


def counts(path):
    """How many events of each type there are, without those that are divided or that say nothing."""
    capture = edited.read(path)
    return collections.Counter(item.type.title for tid in capture.streams if tid for item in utrace_wire.events(capture, tid)
                               if not isinstance(item, tuple) and not item.type.title.startswith(SCOPED + EVERYWHERE))


def check_pieces(result, tools, path, work, rng, rounds, names):
    usable = check_cut.usable(result, tools, path, names)
    for _ in range(rounds):
        check_round(result, tools, path, work, rng, usable)


def check_round(result, tools, path, work, rng, names):
    first, last = span(tools, path)
    inner = sorted(rng.sample(range(first + 1, last), rng.randint(1, 3)))
    edges = [None, *inner, None]
    pieces, windows = [], list(zip(edges, edges[1:]))
    for number, (begin, end) in enumerate(windows):
        pieces.append(work / ('piece%d' % number))
        options = [*(('--from', '%dns' % begin) if begin else ()), *(('--to', '%dns' % end) if end else ())]
        tools.must('trace-edit', path, '-o', pieces[-1], '--force', *options)
    rng.shuffle(pieces)
    whole = work / 'whole'
    tools.must('trace-edit', *pieces, '-o', whole, '--force')
    result.equal('state', tools.run('trace-info', whole).status, DONE)
    for begin, end in windows:
        selection = [*(('--from', '%dns' % begin) if begin else ()), *(('--to', '%dns' % end) if end else ())]
        (_, after), (_, before) = (check_cut.all_rows(tools, of, names, begin or first, *selection) for of in (whole, path))
        for table in names:
            if table not in PARTED:
                result.equal('%s of %s to %s' % (table, begin, end), after[table], before[table])
    (_, after), (_, before) = (check_cut.all_rows(tools, of, ONE_AGAIN, first) for of in (whole, path))
    for table in ONE_AGAIN:
        result.equal('%s of all' % table, after[table], before[table])
    if path.stat().st_size < check_cut.DECODED:
        result.equal('events', counts(whole), counts(path))
        numbers = edited.serials(edited.read(whole))
        result.equal('serial numbers', numbers, list(range(len(numbers))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('--corpus', type=pathlib.Path)
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('--seed', type=int, default=30)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    tools, result, rng = commands.Commands(options.bin), report.Report(), random.Random(options.seed)
    names = check_cut.tables(tools)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        result.run('two recordings', check_restart, tools, options.fixtures, work)
        result.run('a snapshot', check_snapshot, tools, options.fixtures, work)
        result.run('what is refused', check_refused, tools, options.fixtures, work)
        lengths = {name: span(tools, options.fixtures / name) for name in ('game.utrace.zst', 'coroutine.utrace')}
        for name, how in (*EDGES, *((name, '%dns' % ((last - first) // parts + 1))
                                    for name, (first, last) in lengths.items() for parts in (3, 25))):
            result.run('%s by %s' % (name, how), check_split, tools, options.fixtures / name, work, how)
        paths = [options.fixtures / (name + '.utrace') for name in NAMES]
        if options.corpus:
            paths += [options.corpus / (name + '.utrace') for name in LARGE]
        for path in paths:
            result.run('pieces of ' + path.name, check_pieces, tools, path, work, rng, options.rounds, names)
    return result.close()


if __name__ == '__main__':
    sys.exit(main())
