#!/usr/bin/env python3
"""Edits of captures, judged by a decoder that shares nothing with them, and by the tables of the original.

usage: check_edit.py --bin DIRECTORY [--corpus DIRECTORY] [--seeds N] FIXTURES
"""

import argparse
import json
import pathlib
import random
import re
import sys
import tempfile

import edited
import commands
import report
import utrace_figures
import utrace_wire

DONE, USAGE, FAILED, PARTIAL = 0, 2, 3, 4
LARGEST = 500_000       # bytes of a capture that the decoder in Python reads in passing
LEFT = 'Tracekit.Left'  # holds the place of an event that is left out
HELD = []               # of each edit that was looked at: did it hold any?
CURRENT = 5             # protocols from here on can be edited
WORDS = {'logs': ('Logging.*',), 'bookmarks': ('Misc.Bookmark', 'Misc.BookmarkSpec'), 'counters': ('Counters.*',),
         'regions': ('Misc.Region*',), 'cpu': ('CpuProfiler.*', 'Cpu.*')}


def small(folder):
    for path in sorted(folder.glob('*.utrace')):
        if path.stat().st_size <= LARGEST:
            yield path


def edit(tools, path, out, *options, allowed=(DONE,)):
    """Edits, and looks whether a result that is larger than the capture says why, and no other."""
    done = tools.must('trace-edit', path, '-o', out, '--force', *options, allowed=allowed)
    more = pathlib.Path(out).stat().st_size - pathlib.Path(path).stat().st_size
    said = re.search(rb"' (?:has (\d+) bytes more|is (\d+) % larger) than '.*': (.+)", done.err)
    bytes_more, percent = (int(said[1] or 0), int(said[2] or 0)) if said else (0, 0)
    agrees = abs(100 * more / pathlib.Path(path).stat().st_size - percent) <= 0.5 if percent else bytes_more == max(more, 0)
    if not agrees or said and '--compress' in options and b'--compress' not in said[3]:
        raise AssertionError('%d bytes more: %s' % (more, done.describe()))
    return done


def check_copy(result, tools, path, work):
    """Nothing requested: nothing changed."""
    edit(tools, path, work / 'copy')
    result.true('not byte for byte the same', (work / 'copy').read_bytes() == path.read_bytes())


def check_other_frames(result, tools, path, work):
    """Scopes as frames choose what is cut, and are no part of the result."""
    edit(tools, path, work / 'copy', '--frames-from', '*')
    result.true('not byte for byte the same', (work / 'copy').read_bytes() == path.read_bytes())


def check_compress(result, tools, path, work):
    """Packets compressed anew hold the same bytes."""
    before = utrace_wire.read(path.read_bytes())
    if before.transport < 3:
        done = tools.run('trace-edit', path, '-o', work / 'packed', '--force', '--compress', 'raw')
        result.equal('status of transport %d' % before.transport, done.status, USAGE)
        return
    sizes = {}
    for how in ('raw', 'lz4', 'lz4hc:12'):
        edit(tools, path, work / 'packed', '--compress', how)
        after = edited.read(work / 'packed')
        result.equal('streams as ' + how, edited.bytes_of(after), edited.bytes_of(before))
        sizes[how] = (work / 'packed').stat().st_size
        result.true('compressed packets in raw', how != 'raw' or not any(packet.encoded for packet in after.packets))
        if how == 'raw' and before.protocol >= CURRENT:
            edit(tools, work / 'packed', work / 'less', '--drop', 'logs')
            result.true('raw does not stay raw', not any(packet.encoded for packet in edited.read(work / 'less').packets))
    result.true('HC is no smaller: %s' % sizes, sizes['lz4hc:12'] <= sizes['lz4'] <= sizes['raw'])


def check_drop(result, tools, path, work, rng):
    """What is left out is gone, the rest is there in its order, and serial numbers have no holes."""
    before = edited.read(path)
    if before.protocol < CURRENT:
        done = tools.run('trace-edit', path, '-o', work / 'less', '--force', '--drop', 'logs')
        result.equal('status of protocol %d' % before.protocol, done.status, USAGE)
        return
    some = [title for title in edited.titles(before) if not title.startswith(edited.VITAL)]
    for pattern in rng.sample(some, min(3, len(some))):
        drops = edited.dropper(pattern)
        compare_drop(result, tools, path, work, before, pattern, drops)
    for word, patterns in WORDS.items():
        drops = [edited.dropper(pattern) for pattern in patterns]
        compare_drop(result, tools, path, work, before, word, lambda title: any(drop(title) for drop in drops))


def compare_drop(result, tools, path, work, before, word, drops):
    edit(tools, path, work / 'less', '--drop', word)
    after = edited.read(work / 'less')
    result.equal('events without ' + word, edited.streams(after), edited.streams(before, drops))
    numbers = edited.serials(after)
    first = numbers[0] if numbers else 0
    result.equal('serial numbers without ' + word, numbers, list(range(first, first + len(numbers))))
    check_places(result, before, after, word, drops)
    edit(tools, work / 'less', work / 'again', '--drop', word)
    result.true('%s left out twice is not once' % word,
                (work / 'again').read_bytes() == (work / 'less').read_bytes())
    if word == 'logs':
        result.equal('timers without logs', timers(tools, work / 'less'), timers(tools, path))
        check_record(result, tools, before, work / 'less', drops)


def check_places(result, before, after, word, drops):
    """Where something holds the places of events that are left out, it has their numbers, and all others keep theirs."""
    def numbers(capture, chosen):
        return sorted(item.serial for tid in capture.streams if tid not in (0, 1, utrace_wire.PSEUDO)
                      for item in utrace_wire.events(capture, tid)
                      if not isinstance(item, tuple) and item.serial is not None and chosen(item.type.title))
    places = numbers(after, lambda title: title == LEFT)
    if places:
        result.equal('places without ' + word, places, numbers(before, drops))
        result.equal('numbers without ' + word, numbers(after, lambda title: title != LEFT),
                     numbers(before, lambda title: not drops(title)))
    HELD.append(bool(places))


def check_held(result):
    result.equal('edits that held places and others', set(HELD), {False, True})


def timers(tools, path):
    return tools.must('trace-stats', path, '--table', 'timers', '--format', 'csv', '--by', 'thread',
                      allowed=(DONE, PARTIAL)).out


def check_record(result, tools, before, path, drops):
    """The result says how much is gone; nothing is said of an edit that found nothing to leave out."""
    gone = sum(1 for tid in before.streams if tid for item in utrace_wire.events(before, tid)
               if not isinstance(item, tuple) and drops(item.type.title))
    said = [json.loads(row['record']) for row in tools.info(path)['edits']]
    result.equal('records', [row.get('dropped') for row in said], [{'logs': gone}] if gone else [])


def check_keep(result, tools, path, work):
    """What is kept alone is there; all else but the vital is gone."""
    before = edited.read(path)
    if before.protocol < CURRENT:
        return
    edit(tools, path, work / 'kept', '--keep', 'Counters.*')
    kept = lambda title: title.startswith(edited.VITAL + ('Counters.', 'Diagnostics.Session'))  # noqa: E731
    after = edited.streams(edited.read(work / 'kept'))
    result.equal('counters alone', after, edited.streams(before, lambda title: not kept(title)))
    columns = ('counter', 'count', 'first', 'last', 'min', 'max', 'mean')
    result.equal('the table of counters', tools.table(work / 'kept', 'counters', columns),
                 tools.table(path, 'counters', columns))


def check_repair(result, tools, path, work):
    """A damaged capture becomes one without a fault, with the same figures."""
    done = tools.run('trace-edit', path, '-o', work / 'mended', '--force', '--repair')
    opens = tools.run('trace-info', path)
    result.true('status %d where trace-info has %d' % (done.status, opens.status),
                done.status == opens.status or (done.status, opens.status) in ((DONE, PARTIAL), (PARTIAL, DONE)))
    if done.status not in (DONE, PARTIAL):
        result.true('a failed edit left a file', not (work / 'mended').exists())
        return
    if done.status == PARTIAL:
        said = tools.must('trace-info', work / 'mended', '--full', '--format', 'json', allowed=(DONE, PARTIAL))
        kinds = {row['kind'] for row in json.loads(said.out)['health']}
        result.true('faults are left: %s' % kinds, said.status == DONE or kinds <= {'field_unreadable'} | NOTICES)
        result.true('no record of the edit', json.loads(said.out)['edits'])
    result.equal('timers', timers(tools, work / 'mended'), timers(tools, path))
    edit(tools, work / 'mended', work / 'again', '--repair', allowed=(DONE, PARTIAL))
    result.true('mended twice is not once', (work / 'again').read_bytes() == (work / 'mended').read_bytes()
                or done.status == PARTIAL)
    edited.read(work / 'mended')
    (work / 'mended').unlink()


NOTICES = {'scope_open', 'time_backwards', 'scope_end_unmatched', 'type_redeclared', 'scope_after_end', 'blob_orphan'}


def last_time(path):
    """The clock of a capture, its last cycle, and the threads that say at no time that they end, by the decoder. A packet that is cut
    off has no events."""
    data = path.read_bytes()
    try:
        capture = utrace_wire.read(data)
    except utrace_wire.WireError as error:
        capture = utrace_wire.read(data[:int(str(error).split()[-1])])
    streams = {tid: utrace_wire.events(capture, tid) for tid in utrace_wire.order_of_streams(capture.streams)}
    clock, scopes = utrace_figures.marks_of(capture, streams)
    times = [time for found in scopes.values() for scope, _ in found for time in (scope.begin, scope.end) if time]
    times += [item.values['Cycle'] for items in streams.values() for item in items
              if not isinstance(item, tuple) and isinstance(item.values.get('Cycle'), int)]
    ended = {tid for tid, items in streams.items() for item in items
             if not isinstance(item, tuple) and item.type.title == 'CpuProfiler.EndThread' and 'Cycle' not in item.values}
    return clock, max(times), ended


def check_close(result, tools, path, work):
    """Scopes without an end get the last time of the capture, or that of --to; all else stays."""
    allowed, place = (DONE, PARTIAL), ('thread_id', 'depth', 'timer', 'start')
    table = lambda file, name, columns, *more: [tuple(row.values()) for row in tools.table(file, name, columns, *more, allowed=allowed)]  # noqa: E731,E501
    still_open = table(path, 'open_scopes', place)
    clock, last, ended = last_time(path)
    edit(tools, path, work / 'closed', '--close', allowed=allowed)
    result.true('nothing was open', bool(still_open))
    result.equal('open scopes', table(work / 'closed', 'open_scopes', place), [])
    check_ends(result, table(work / 'closed', 'scopes', (*place, 'dur')), still_open, last)
    counts = lambda file: sum(int(row[0]) for row in table(file, 'timers', ('count',)))  # noqa: E731
    result.equal('more calls', counts(work / 'closed') - counts(path), len(still_open))
    edit(tools, work / 'closed', work / 'again', '--close', allowed=allowed)
    result.true('closed twice is not once', (work / 'again').read_bytes() == (work / 'closed').read_bytes())
    newest = max(int(scope[3]) for scope in still_open)
    to = (last + newest) // 2
    edit(tools, path, work / 'closed', '--close', '--to', '%dns' % ((to - clock.start) * 10**9 // clock.frequency), allowed=allowed)
    result.equal('open scopes with --to', table(work / 'closed', 'open_scopes', place), [])
    # an end without a time stays in a cut: scopes of its thread end there with the last that the cut has of it
    check_ends(result, table(work / 'closed', 'scopes', (*place, 'dur')),
               [scope for scope in still_open if int(scope[0]) not in ended], to)


def check_ends(result, scopes, still_open, last):
    ends = {}
    for *scope, length in scopes:
        ends.setdefault(tuple(scope), set()).add(int(scope[3]) + int(length))
    result.equal('open scopes that do not end at %d' % last, [scope for scope in still_open if last not in ends.get(scope, ())], [])


def sentence(result, what, done, status, *words):
    text = done.err.decode()
    result.equal('status: ' + what, done.status, status)
    result.true('%s: %s' % (what, text), all(word in text for word in words))


def check_topics(result, tools, path):
    """Each topic that a dry run lists can be dropped; definitions go with the last events that refer to them."""
    plan = lambda *options: json.loads(tools.must('trace-edit', path, '--dry-run', '--format', 'json', *options).out)['edit']  # noqa: E731
    topics = {row['topic'] for row in plan()} - {'capture'}
    for topic in sorted(topics):
        result.equal('what stays of ' + topic, {row['type'] for row in plan('--drop', topic) if row['topic'] == topic and row['kept']}, set())
    for words, stays in (('memory', True), ('memory,loading,cpu,gpu', False)):
        result.equal('definitions without ' + words, any(row['kept'] for row in plan('--drop', words) if row['type'] == 'Strings.FName'), stays)


def check_usage(result, tools, path, work):
    out = work / 'usage.utrace'
    (work / 'copy.utrace').write_bytes(path.read_bytes())
    sentence(result, 'no capture', tools.run('trace-edit', '-o', out), USAGE, 'which capture')
    sentence(result, 'no output', tools.run('trace-edit', path), USAGE, '--output')
    sentence(result, 'no such topic', tools.run('trace-edit', path, '-o', out, '--drop', 'memroy'), USAGE, 'memory')
    sentence(result, 'no such type', tools.run('trace-edit', path, '-o', out, '--keep', 'Nothing.*'), USAGE, 'Nothing')
    sentence(result, 'no such level', tools.run('trace-edit', path, '-o', out, '--compress', 'lz4hc:13'), USAGE, '12')
    sentence(result, 'no such way', tools.run('trace-edit', path, '-o', out, '--compress', 'zip'), USAGE, 'lz4')
    sentence(result, 'two become one', tools.run('trace-edit', path, path.parent / 'net.utrace', '-o', out), USAGE, '--into')
    sentence(result, 'no such file', tools.run('trace-edit', work / 'none', '-o', out), FAILED, 'none')
    result.true('a refused edit left a file', not out.exists())
    for options in (('-o', work / 'copy.utrace', '--force'), ('--into', work, '--force'), ('-o', work / 'copy.utrace')):
        sentence(result, 'input', tools.run('trace-edit', work / 'copy.utrace', *options), USAGE, 'refusing to overwrite')
    result.true('the input was written', (work / 'copy.utrace').read_bytes() == path.read_bytes())
    tools.must('trace-edit', path, '-o', out)
    sentence(result, 'there already', tools.run('trace-edit', path, '-o', out), FAILED, 'usage.utrace')
    rows = json.loads(tools.must('trace-edit', path, '--dry-run', '--drop', 'logs', '--format', 'json').out)['edit']
    counts = tools.count(path)
    result.equal('events of the dry run', {row['type']: row['events'] for row in rows}, counts)
    result.equal('kept events', {row['type'] for row in rows if not row['kept']},
                 {name for name in counts if name.startswith('Logging.')})


def check_sides(result, tools, path, work):
    """trace-diff says where one side is an edited capture, and where both are in different ways."""
    edit(tools, path, work / 'less.utrace', '--drop', 'logs')
    edit(tools, path, work / 'other.utrace', '--drop', 'counters')
    said = lambda one, other: [line for line in tools.must('trace-diff', one, other, allowed=(DONE, 1)).out.decode()  # noqa: E731
                               .splitlines() if line.startswith('differs: edit')]
    result.equal('original and edited', said(path, work / 'less.utrace'),
                 ['differs: edit by trace-edit: none -> options:drop,dropped:logs'])
    result.equal('two edits', len(said(work / 'other.utrace', work / 'less.utrace')), 1)
    result.equal('one edit', said(work / 'less.utrace', work / 'less.utrace'), [])


def check_streams(result, tools, path, work):
    """Standard streams, compressed files, folders."""
    done = tools.run('trace-edit', '-', '-o', '-', stdin=path)
    result.equal('through pipes', done.out, path.read_bytes())
    tools.must('trace-edit', path, '-o', work / 'packed.utrace.zst')
    edit(tools, work / 'packed.utrace.zst', work / 'unpacked.utrace')
    result.true('packed and unpacked', (work / 'unpacked.utrace').read_bytes() == path.read_bytes())
    other = path.with_name('coroutine.utrace')
    tools.must('trace-edit', path, other, '--into', work / 'folder', '--drop', 'logs')
    result.equal('files in the folder', sorted(file.name for file in (work / 'folder').iterdir()),
                 sorted([path.name, other.name]))
    for jobs in (1, 4):
        edit(tools, path, work / ('jobs%d' % jobs), '--drop', 'counters', '--jobs', jobs)
    result.true('jobs matter', (work / 'jobs1').read_bytes() == (work / 'jobs4').read_bytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--corpus', type=pathlib.Path)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    result, tools, rng = report.Report(), commands.Commands(options.bin), random.Random(options.seed)
    places = [options.fixtures] + ([options.corpus / 'utrace'] if options.corpus else [])
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for path in (path for place in places for path in small(place)):
            result.run('copy ' + path.name, check_copy, tools, path, work)
            result.run('compress ' + path.name, check_compress, tools, path, work)
            result.run('drop ' + path.name, check_drop, tools, path, work, rng)
        result.run('places', check_held)
        result.run('other frames', check_other_frames, tools, options.fixtures / 'coroutine.utrace', work)
        result.run('keep', check_keep, tools, options.fixtures / 'tiny.utrace', work)
        for path in sorted(path for place in places for path in (place / 'damaged').glob('*.utrace')):
            result.run('repair ' + path.name, check_repair, tools, path, work)
        for name in ('tiny', 'tiny-ue5.0', 'damaged/trunc_tiny_02', 'damaged/trunc_tiny_03'):
            result.run('close ' + name, check_close, tools, options.fixtures / (name + '.utrace'), work)
        result.run('topics', check_topics, tools, options.fixtures / 'game.utrace.zst')
        result.run('usage', check_usage, tools, options.fixtures / 'tiny.utrace', work)
        result.run('sides', check_sides, tools, options.fixtures / 'game.utrace.zst', work)
        result.run('streams', check_streams, tools, options.fixtures / 'tiny.utrace', work)
    return result.close()


if __name__ == '__main__':
    sys.exit(main())
