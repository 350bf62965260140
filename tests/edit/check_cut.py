#!/usr/bin/env python3
"""Cuts of captures: every table of the cut is that of the original with the same selection, and a decoder that shares
nothing with the commands finds the scopes of the window, clipped.

usage: check_cut.py --bin DIRECTORY [--corpus DIRECTORY] [--windows N] [--others] FIXTURES
"""

import argparse
import csv
import io
import json
import pathlib
import random
import sys
import tempfile

import edited
import commands
import report
import utrace_figures
import utrace_wire

DONE, USAGE, PARTIAL = 0, 2, 4
CYCLE = 1000            # ns, at most, in the captures that are cut
NAMES = ('tiny', 'coroutine', 'nested_aux', 'tiny-ue5.0', 'tiny-ue5.1', 'net')
LARGE = ('utrace/threads', 'utrace/game', 'utrace/game_slow', 'runs/a_00', 'runs/b_07')
MARGIN = 3              # packets on each side
MOST = 20_000_000       # bytes of a capture that are cut in all windows together, two windows at least
DECODED = 60_000        # bytes of a capture whose scopes are computed in Python
# Tables about the file and how its events stand in it: a cut has bytes, packets and offsets of its own, batches at its
# edges are written anew, and it says what was done to it.
OTHERS = {'events', 'generic_events', 'event_counts', 'types', 'file', 'streams', 'edits', 'capture', 'ledger', 'health', 'coverage',
          'coverage_summary', 'can', 'session'}
# Of hitches the causes are left out: what is typical comes from frames outside, and the first and the last frame are cut.
CLIPPED = {'scopes'}    # single scopes are clipped to the window
# Columns that number rows in the whole recording, and those of a thread as it stands in the file.
NUMBERS = {'scopes': {'scope_id', 'parent_id'}, 'gpu_scopes': {'scope_id', 'parent_id'}, 'allocations': {'index'},
           'bound': {'chain'}, 'tree': {'node_id', 'parent_id'}, 'threads': {'packets', 'bytes', 'events', 'max_depth'}}


def tables(tools):
    lines = tools.must('tracekit', '--describe').out.decode().splitlines()
    found = [line.split('\t')[1] for line in lines if line.startswith('table\t')]
    return [table for table in found if table not in OTHERS | CLIPPED]


def usable(result, tools, path, names):
    """Those that the capture's format has and that need no name of a timer or function: others are refused, none fails."""
    found = {table: tools.run('trace-stats', path, '--table', table, '--format', 'csv').status for table in names}
    result.equal('tables that fail', {table: status for table, status in found.items() if status not in (DONE, USAGE, PARTIAL)}, {})
    return [table for table, status in found.items() if status != USAGE]


def check_windows(result, tools, path, work, rng, count, names):
    of_format = usable(result, tools, path, names)
    for first, last in windows(tools, path, rng, min(count, max(2, MOST // path.stat().st_size))):
        check_tables(result, tools, path, work, first, last, of_format)


def rows(tools, path, table, *options):
    """Status and sorted rows; nodes of the call tree that have no call in the window are left out."""
    command = ('trace-export', '--clip') if table in CLIPPED else ('trace-stats',)
    done = tools.run(*command, path, '--table', table, '--format', 'csv', *options)
    found = list(csv.DictReader(io.StringIO(done.out.decode('utf-8', 'replace'), newline='')))
    for row in found:
        for column in NUMBERS.get(table, ()):
            row.pop(column, None)
    if table == 'tree':
        found = [row for row in found if (row['count'], row['incl']) != ('0', '0')]
    return done.status, sorted(map(json.dumps, found))


def all_rows(tools, path, names, first, *options):
    """The same of many tables that need no options of their own, of one reading. Of the longest calls, and of those that
    do not end, those that are open when the window begins do so with it, in the frame that is there then."""
    done = tools.run('trace-stats', path, '--table', ','.join(names), '--format', 'json', *options)
    found = json.loads(done.out)
    for table, columns in NUMBERS.items():
        for row in found.get(table, ()):
            for column in columns & row.keys():
                del row[column]
    for row in found.get('slowest', ()):
        if row['start'] < first + CYCLE:
            row['start'] = row['frame'] = None
    for row in found.get('open_scopes', ()):
        row['start'] = max(row['start'], first + CYCLE)
    found['hitches'] = sorted({(row['frame'], row['dur']) for row in found.get('hitches', ())})
    found['tree'] = [row for row in found.get('tree', ()) if (row['count'], row['incl']) != (0, 0)]
    return done.status, {table: sorted(map(json.dumps, listed if isinstance(listed, list) else [listed])) for table, listed in found.items()}


def check_tables(result, tools, path, work, first, last, names):
    selection = ('--from', '%dns' % first, '--to', '%dns' % last)
    tools.must('trace-edit', path, '-o', work / 'cut', '--force', *selection)
    (status, after), (expected, before) = (all_rows(tools, *of) for of in ((work / 'cut', names, first), (path, names, first, *selection)))
    result.equal('status', status, expected)
    scopes, wanted = ([json.loads(row) for row in rows(tools, *of)[1]]
                      for of in ((work / 'cut', 'scopes'), (path, 'scopes', *selection)))
    # around a call of no length at the first cycle a cut does not know what ended there
    around = [row for row in scopes + wanted if row['dur'] == '0' and int(row['start']) < first + CYCLE]
    for row in around:
        row['depth'] = None
    result.equal('scopes of %d to %d' % (first, last), *(sorted(map(json.dumps, listed)) for listed in (scopes, wanted)))
    for table in names:
        if table == 'tree' and around:
            continue
        result.equal('%s of %d to %d' % (table, first, last), after[table], before[table])
    numbers = edited.serials(edited.read(work / 'cut')) if path.stat().st_size < DECODED else []
    result.equal('serial numbers', numbers, list(range(numbers[0], numbers[0] + len(numbers))) if numbers else [])
    result.true('faults in the cut', tools.run('trace-info', work / 'cut').status == DONE)


def check_few(result, tools, path, work, first, last, names):
    selection = ('--from', '%dns' % first, '--to', '%dns' % last)
    tools.must('trace-edit', path, '-o', work / 'cut', '--force', *selection)
    after, before = (all_rows(tools, of, names, first, *more)[1] for of, more in ((work / 'cut', ()), (path, selection)))
    for table in names:
        result.true('nothing in %s' % table, before[table])
        result.equal(table, after[table], before[table])


# ---- the scopes of a window, computed ----

def sums(found, first, last):
    """(thread, timer) -> closed calls and their lengths inside the window, sorted, and open calls."""
    out = {}
    for tid, scopes in found.items():
        for scope, _ in scopes:
            end = scope.end
            if scope.begin >= last or (end is not None and (end <= first and scope.begin < first)):
                continue
            row = out.setdefault((tid, *scope.timer), [[], 0])
            if end is None:
                row[1] += 1
            else:
                row[0].append(min(end, last) - max(scope.begin, first))
    return {key: (sorted(lengths), still) for key, (lengths, still) in out.items()}


def check_scopes(result, tools, path, work, rng):
    before = edited.read(path)
    clock, found = utrace_figures.marks_of(before)
    times = sorted({time for scopes in found.values() for scope, _ in scopes for time in (scope.begin, scope.end) if time})
    for _ in range(4):
        first, last = sorted(rng.sample(times, 2))
        ns = [(time - clock.start) * 10**9 // clock.frequency for time in (first, last)]
        tools.must('trace-edit', path, '-o', work / 'cut', '--force', '--from', '%dns' % ns[0], '--to', '%dns' % ns[1])
        edits = tools.info(work / 'cut')['edits']
        after = edited.read(work / 'cut')
        said = [item for item in utrace_wire.events(after, 1) if item.type.title == 'Tracekit.Edit'][0].values
        result.equal('the window in its event', len(edits), 1)
        _, inside = utrace_figures.marks_of(after)
        result.equal('scopes of %s' % ns, sums(inside, 0, 2**63), sums(found, said['From'], said['To']))


# ---- cuts of cuts ----

def check_again(result, tools, path, work):
    cut = lambda source, to, first, last: tools.must(  # noqa: E731
        'trace-edit', source, '-o', work / to, '--force', '--from', '%dus' % first, '--to', '%dus' % last)
    span = json.loads(tools.must('trace-info', path, '--full', '--format', 'json').out)['capture']
    span = span if isinstance(span, dict) else span[0]
    first, last = span['first'] // 1000, span['last'] // 1000
    step = (last - first) // 8
    cut(path, 'outer', first + step, last - step)
    cut(work / 'outer', 'inner', first + 2 * step, last - 2 * step)
    cut(path, 'both', first + 2 * step, last - 2 * step)
    for table in ('timers', 'frames', 'logs', 'counters', 'regions', 'thread_times', 'scopes'):
        result.equal('%s of a cut of a cut' % table, rows(tools, work / 'inner', table), rows(tools, work / 'both', table))
    result.equal('edits that the capture tells of', len(tools.info(work / 'inner')['edits']), 2)
    refused = tools.run('trace-edit', path, '-o', work / 'none', '--from', '%dus' % (last + 10**6))
    result.equal('status behind the end', refused.status, 2)
    result.true('an empty cut was written', not (work / 'none').exists())


def check_left_out(result, tools, path, work, first, last):
    """What is not in the window is not in the file, but for a few packets around it in each direction of a connection."""
    tools.must('trace-edit', path, '-o', work / 'cut', '--force', '--from', '%dns' % first, '--to', '%dns' % last)
    packets = lambda file: [item.values for tid, items in streams_of(file).items() for item in items  # noqa: E731
                            if item.type.title == 'NetTrace.PacketEvent']
    clock, ways = clock_of(path), {}
    for packet in packets(path):
        time = (packet['Timestamp'] - clock.start) * 10**9 // clock.frequency
        ways.setdefault(way_of(packet), []).append((first <= time < last, packet['SequenceNumber']))
    kept = {}
    for packet in packets(work / 'cut'):
        kept.setdefault(way_of(packet), []).append(packet['SequenceNumber'])
    for way, all_of_it in ways.items():
        inside = [number for within, number in all_of_it if within]
        result.true('packets of the window are missing', set(inside) <= set(kept.get(way, [])))
        result.true('%d packets stay of a window of %d' % (len(kept.get(way, [])), len(inside)),
                    len(kept.get(way, [])) <= len(inside) + 2 * MARGIN + 1)


def check_loading(result, tools, path, work, rng):
    """Steps of loading that are not of packages of the window are not in the file."""
    listed = json.loads(tools.must('trace-stats', path, '--table', 'packages', '--format', 'json',
                                   '--columns', 'first,last,serialized').out)['packages']
    packages = sorted((row['first'], row['last'], row['serialized']) for row in listed if row['first'] is not None)
    for _ in range(2):
        one, other = sorted(rng.sample(packages, 2))
        for first, last in ((one[0], other[1] + CYCLE), (one[1] + CYCLE, one[1] + 2 * CYCLE)):
            tools.must('trace-edit', path, '-o', work / 'cut', '--force', '--from', '%dns' % first, '--to', '%dns' % last)
            kept = tools.count(work / 'cut').get('LoadTime.BeginSerializeExport', 0)
            result.equal('objects that were read', kept, sum(row[2] for row in packages if row[0] < last and row[1] > first))


def check_ends(result, tools, path, work):
    """No thread ends in a cut of which scopes go on behind it, also where the end has no time, as before 5.1."""
    tools.must('trace-edit', path, '-o', work / 'bare', '--force', '--keep', 'CpuProfiler.*')     # nothing else has times
    path = work / 'bare'
    clock, found = utrace_figures.marks_of(edited.read(path))
    last = {tid: max(time for scope, _ in scopes for time in (scope.begin, scope.end) if time) for tid, scopes in found.items() if scopes}
    ended = lambda file: {tid for tid, items in streams_of(file).items() for item in items  # noqa: E731
                          if item.type.title == 'CpuProfiler.EndThread'}
    for tid in sorted(ended(path) & last.keys()):
        for cycles in (1, 50, 500):
            to = (last[tid] - cycles - clock.start) * 10**9 // clock.frequency
            tools.must('trace-edit', path, '-o', work / 'cut', '--force', '--to', '%dns' % to)
            behind = {other for other, time in last.items() if time >= last[tid] - cycles + 2}
            result.equal('threads that end', ended(work / 'cut') & behind, set())


def way_of(packet):
    return packet['ConnectionId'], packet['GameInstanceId'], packet['PacketType']


def streams_of(path):
    capture = edited.read(path)
    return {tid: [item for item in utrace_wire.events(capture, tid) if not isinstance(item, tuple)]
            for tid in utrace_wire.order_of_streams(capture.streams)}


def clock_of(path):
    return utrace_figures.Clock([item for items in streams_of(path).values() for item in items])


def check_marks(result, tools, path, work, names):
    """Frames and regions, as the other commands select them."""
    for option, value in (('--frames', '2-3'), ('--region', '*')):
        done = tools.run('trace-edit', path, '-o', work / 'cut', '--force', option, value)
        if done.status != DONE:
            result.equal('%s %s' % (option, value), tools.run('trace-stats', path, option, value).status, done.status)
            continue
        edit = tools.info(work / 'cut')['edits'][0]
        selection = [word for name, key in (('--from', 'from'), ('--to', 'to')) if edit[key] is not None
                     for word in (name, '%dns' % edit[key])]
        for table in names:
            result.equal('%s of %s' % (table, option), rows(tools, work / 'cut', table), rows(tools, path, table, *selection))


def windows(tools, path, rng, count):
    """The beginning, where much is not there yet; then at begins of scopes and frames, and at any times."""
    listed = json.loads(tools.must('trace-stats', path, '--table', 'slowest,frames,logs', '--top', '500', '--format', 'json').out)
    times = sorted({row.get('start', row.get('time')) for found in listed.values() for row in found} - {None})
    if len(times) > 20 and times[len(times) // 20] - times[0] > CYCLE:
        yield times[0], times[len(times) // 20]
    for i in range(count if len(times) > 1 and times[-1] - times[0] > CYCLE else 0):
        yield sorted(rng.sample(times if i % 2 == 0 else range(times[0], times[-1]), 2))


# Where nothing follows for a while, the last part of the window has no length in `share`.
UNEQUAL = {'log_unknown_point'}


def others(tools, corpus, known):
    """Captures of the corpus, alongside those that are known, that are sound and can be cut."""
    for path in sorted(corpus.rglob('*.utrace')):
        if path in known or path.stem in UNEQUAL or tools.run('trace-stats', path, '--table', 'logs').status != DONE:
            continue
        if tools.run('trace-edit', path, '--dry-run', '--from', '0ns').status == DONE:
            yield path


def check_crowded(result, tools, path, work, names):
    """Where an event type has the highest number that there is, the edit takes another one, and cuts are known as such."""
    check_tables(result, tools, path, work, 167500, 50551600, usable(result, tools, path, names))
    result.equal('edits', len(tools.info(work / 'cut')['edits']), 1)


def check_unended(result, tools, path, work, names):
    """Tasks that the capture does not see end are there in all windows behind their last step."""
    check_tables(result, tools, path, work, 209820100, 226375400, usable(result, tools, path, names))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--corpus', type=pathlib.Path)
    parser.add_argument('--windows', type=int, default=2)
    parser.add_argument('--others', action='store_true', help='the other captures of the corpus, as far as they can be cut')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    result, tools, rng = report.Report(), commands.Commands(options.bin), random.Random(options.seed)
    names = tables(tools)
    paths = [options.fixtures / (name + '.utrace') for name in NAMES]
    if options.corpus:
        paths += [options.corpus / (name + '.utrace') for name in LARGE]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        if options.others:
            for path in others(tools, options.corpus, paths):
                result.run('tables of ' + path.name, check_windows, tools, path, work, rng, options.windows, names)
            return result.close()
        for path in paths:
            result.run('tables of ' + path.name, check_windows, tools, path, work, rng, options.windows, names)
        for path in paths[:5]:
            if path.stat().st_size < DECODED:
                result.run('scopes of ' + path.name, check_scopes, tools, path, work, rng)
        for name in ('tiny', 'tiny-ue5.0'):
            result.run('ends of threads of ' + name, check_ends, tools, options.fixtures / (name + '.utrace'), work)
        game = options.fixtures / 'game.utrace.zst'
        # tasks of this window waited for others that had ended before it
        result.run('what tasks waited for', check_few, tools, game, work, 1154217478, 1208140538, ['tasks', 'task_rows'])
        # the thread of the RHI did nothing in this one
        result.run('what bounds frames', check_few, tools, game, work, 593379000, 608765300, ['bound', 'bound_shares'])
        result.run('loading', check_loading, tools, game, work, rng)
        for first, last in windows(tools, options.fixtures / 'net.utrace', rng, 2):
            result.run('what is left out of net', check_left_out, tools, options.fixtures / 'net.utrace', work, first, last)
        result.run('no number behind all others', check_crowded, tools, options.fixtures / 'damaged' / 'decl_uid_max.utrace', work, names)
        result.run('tasks that do not end', check_unended, tools, options.fixtures / 'damaged' / 'trunc_game_00.utrace.zst', work, names)
        result.run('cut of a cut', check_again, tools, options.fixtures / 'threads.utrace', work)
        result.run('frames and regions', check_marks, tools, options.fixtures / 'tiny.utrace', work,
                   ['timers', 'frames', 'regions', 'logs', 'counters'])
    return result.close()


if __name__ == '__main__':
    sys.exit(main())
