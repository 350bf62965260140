#!/usr/bin/env python3
"""The table `health` of damaged captures, when nothing else is asked for.

usage: check_health.py --bin DIRECTORY [--step N] FIXTURES

An empty table says that a capture is sound, so it has to be one of a capture that was read. For every entry of
FIXTURES/damaged/expected.json (fixtures/README.md describes it): the table alone has damage just where a command that
reads what is damaged ends with status 4, at an offset in the packets that the fault lies in. Where trace-info does not
read the events, the table says so. Exports of the table have the same rows, whatever else is in them; and so has the
table beside others, of captures that are cut or lack bytes in their middle.
"""

import argparse
import csv
import pathlib
import sqlite3
import struct
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / 'decoders'))
import check_damaged  # noqa: E402
import commands       # noqa: E402
import damages        # noqa: E402
import report         # noqa: E402
import walk           # noqa: E402

DAMAGED = check_damaged.DAMAGED
ANY = (0, DAMAGED)
JSON = ('--format', 'json')
ASKED = ('timers', 'frame_stats', 'regions', 'events', 'tasks', 'locks', 'memory', 'tree', 'open_scopes')
EXPORTED = ('flip_lz4.utrace', 'drop_packet.utrace', 'log_args_cut.utrace')


def statuses(entry):
    """The exit statuses of who reads everything: that of the question that finds the most."""
    wanted = entry['exit']
    if isinstance(wanted, dict):
        wanted = [max(w if isinstance(w, int) else min(w) for w in wanted.values())]
    return wanted if isinstance(wanted, list) else [wanted]


def parse_health(done):
    return commands.parse_json(done.out.decode('utf-8'))['health']


def touched(fixtures, entry):
    """Where the packets of the base lie that the fault touches: (first byte, behind the last), in the damaged file."""
    first, behind = entry['lost']
    found = [packet for packet in check_damaged.base_capture(fixtures, entry['base']).packets
             if packet.end > first and packet.offset < behind]
    return found[0].offset, found[-1].end


def check_alone(result, runner, fixtures, entry, path):
    done = runner.run('trace-stats', path, '--table', 'health', *JSON)
    result.true(done.describe(), done.status in statuses(entry))
    if done.status not in ANY:
        return
    rows = parse_health(done)
    damage = [row['offset'] for row in rows if row['damage']]
    result.equal('is there damage in health', bool(damage), done.status == DAMAGED)
    result.equal('rows that say that nothing was read', [row for row in rows if row['kind'] == 'not_read'], [])
    if 'lost' in entry and done.status == DAMAGED:
        first, behind = touched(fixtures, entry)
        first = entry.get('begins', first)
        result.true('no damage from %d to %d: %s' % (first, behind, damage),
                    any(offset is not None and first <= offset < behind for offset in damage))


def check_ledger(result, runner, path):
    """What cannot be unpacked is in the ledger, when it is requested alone, as it is when all is read."""
    full = commands.parse_json(runner.must('trace-info', path, '--full', *JSON, allowed=ANY).out.decode('utf-8'))
    alone = runner.must('trace-stats', path, '--table', 'ledger', *JSON, allowed=ANY)
    result.equal('ledger', commands.parse_json(alone.out.decode('utf-8'))['ledger'], full['ledger'])


def check_glance(result, row, unread):
    """What was not read is not said to be without damage."""
    result.true('damaged is %r' % row['damaged'],
                row['damaged'] in (True, None) if unread else isinstance(row['damaged'], bool))
    result.equal('faults', bool(row['faults']), bool(row['damaged']))
    result.equal('are the numbers known', row['faults'] is not None, row['damaged'] is not None)


def check_quick(result, runner, entry, path):
    """Without --full no events are read, so that nothing is known of them; but for captures that have none."""
    done = runner.run('trace-info', path, *JSON)
    if done.status in ANY:
        last = parse_health(done)[-1:]
        reported = [(row['kind'], row['damage'], row['count']) for row in last if row['kind'] == 'not_read']
        result.equal('health without --full', reported, [('not_read', False, None)] if 'base' in entry else [])
        check_glance(result, commands.parse_json(done.out.decode('utf-8'))['capture'], bool(reported))
        check_glance(result, commands.parse_json(runner.must('trace-stats', path, '--table', 'capture', *JSON, allowed=ANY)
                                                 .out.decode('utf-8'))['capture'], bool(reported))


def check_entry(result, runner, fixtures, entry):
    path = check_damaged.find(fixtures / 'damaged', entry['file'])
    check_alone(result, runner, fixtures, entry, path)
    if ANY[1] in statuses(entry) or 0 in statuses(entry):
        check_quick(result, runner, entry, path)
        check_ledger(result, runner, path)


def read_csv(path):
    with open(path, encoding='utf-8', newline='') as file:
        return sorted((row['kind'], row['count'], row['offset'], row['text']) for row in csv.DictReader(file))


def check_exports(result, runner, fixtures, name, folder):
    """The table alone in a file, in a database, and among all others in a folder: the same damage, the same gaps."""
    path = check_damaged.find(fixtures / 'damaged', name)
    alone, base, every = folder / 'health.csv', folder / 'health.db', folder / 'all'
    runner.must('trace-export', path, '--table', 'health', '--format', 'csv', '--output', alone, allowed=ANY)
    runner.must('trace-export', path, '--table', 'health', '--format', 'sqlite', '--output', base, allowed=ANY)
    runner.must('trace-export', path, '--format', 'csv', '--output', every, allowed=ANY)
    wanted = sorted((row['kind'], str(row['count']), '' if row['offset'] is None else str(row['offset']), row['text'])
                    for row in parse_health(runner.run('trace-stats', path, '--table', 'health', *JSON)))
    result.true('nothing is wrong', wanted)
    result.equal('csv', read_csv(alone), wanted)
    found = sqlite3.connect(base).execute('select kind, count, offset, text from health').fetchall()
    result.equal('sqlite', sorted((k, str(n), '' if at is None else str(at), text) for k, n, at, text in found), wanted)
    reported = [row for row in wanted if row[0] in ('packet_damaged', 'events_lost', 'payload_damaged')]
    result.true('no fault that is told in any order', reported)
    result.equal('among all tables', [row for row in reported if row not in read_csv(every / 'health.csv')], [])


def lack_tail(data):
    return data[:int(len(data) * 0.62)]


def lack_middle(data):
    """Less bytes than a packet has; and more, with events between whose numbers others are missing."""
    middle = len(data) * 2 // 3
    return data[:middle] + data[middle + 52:]


def lack_packets(data):
    middle = len(data) * 3 // 5
    return data[:middle] + data[middle + 3107:]


def check_requested(result, runner, fixtures, name, lack, folder):
    """Whatever is requested alongside it, health has the rows that it has alone."""
    path = folder / name
    path.write_bytes(lack((fixtures / name).read_bytes()))
    rows = sorted(map(str, parse_health(runner.run('trace-stats', path, '--table', 'health', *JSON))))
    result.true('nothing is wrong', rows)
    for other in ASKED:
        done = runner.run('trace-stats', path, '--table', other, '--table', 'health', *JSON)
        result.equal('beside ' + other, sorted(map(str, parse_health(done))), rows)


def check_raised(result, runner, fixtures, folder):
    """A packet of another thread in the middle of a recording: times that go backwards are raised, and each table of their
    scopes says so."""
    data, path, raised = (fixtures / 'old-p2-tid.utrace').read_bytes(), folder / 'raised.utrace', 0
    packets = [part for part in damages.packets(data) if part[2]]
    for at, _, tid in packets[len(packets) // 2:]:
        other = min(part[2] for part in packets if part[2] > 1 and part[2] != tid)
        path.write_bytes(data[:at + 2] + struct.pack('<H', other) + data[at + 4:])
        health = runner.run('trace-stats', path, '--table', 'health', *JSON)
        if health.status or 'time_backwards' not in [row['kind'] for row in parse_health(health)]:
            continue
        raised += 1
        for table in 'scopes', 'timers', 'threads', 'tree':
            text = runner.must('trace-stats', path, '--table', table, '--format', 'csv').err.decode('utf-8')
            result.true('%s says %r' % (table, text), 'times went backwards' in text)
    result.true('no times were raised', raised)


def check_tracy(result, runner, fixtures, folder):
    """Eight bytes in the middle of a capture overwritten: a block does not unpack, and only who unpacks it knows."""
    whole, path = (fixtures / 'tracy' / 'ctx-0.14.0.tracy').read_bytes(), folder / 'bad.tracy'
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + b'\xff' * 8 + whole[middle + 8:])
    done = runner.run('trace-stats', path, '--table', 'health', *JSON)
    result.equal(done.describe(), done.status, DAMAGED)
    offsets = [row['offset'] for row in parse_health(done) if row['damage']]
    result.true('no damage before %d: %s' % (middle, offsets), any(offset <= middle for offset in offsets))
    quick = parse_health(runner.must('trace-info', path, *JSON))
    result.equal('health without --full', [(row['kind'], row['damage']) for row in quick], [('not_read', False)])


def seq_events(data):
    """Packets with several events Order.Seq: (packet, [(offset, end, serial number) in its payload])."""
    capture, found = walk.Capture(data), []
    for packet in (packet for packet in capture.packets if packet.thread > 1):
        records = list(walk.thread_records(packet, capture.types))
        ends = [start for start, _, _ in records[1:]] + [len(packet.payload)]
        events = [(start, end, int.from_bytes(packet.payload[start + 2:start + 5], 'little'))
                  for (start, _, kind), end in zip(records, ends) if kind and kind.name == 'Order.Seq']
        found += [(packet, events)] if len(events) > 3 else []
    return found


def replaced(data, packet, payload):
    head = struct.pack('<HH', len(payload) + 4, packet.thread)
    return data[:packet.offset] + head + payload + data[packet.end:]


LATE, LOST = 'serial numbers that others have', 'were lost'


def check_numbers(result, runner, fixtures, work):
    """An event that comes twice, with its number, is not said to be lost; one that is missing is, on the first page of
    trace-info as in the warnings of the other commands; and whose number it was."""
    data, path = (fixtures / 'threads.utrace').read_bytes(), work / 'numbers.utrace'
    several = seq_events(data)
    packet, (_, (first, behind, serial), *_) = several[len(several) // 2]
    for times, reported in ((1, (False, False)), (2, (True, False)), (0, (False, True))):
        payload = packet.payload[:first] + packet.payload[first:behind] * times + packet.payload[behind:]
        path.write_bytes(replaced(data, packet, payload))
        for order in 'file', 'serial':
            done = runner.run('trace-events', path, '--count', '--order', order)
            said = done.err.decode()
            result.equal('%d times, by %s: status' % (times, order), done.status, 0)
            result.equal('%d times, by %s: %s' % (times, order, said), (LATE + '; all were used' in said, LOST in said), reported)
        result.equal('%d times: %s' % (times, said), 'serial number %d is missing\n' % serial in said, times == 0)
        page = runner.must('trace-info', path)
        state = [line for line in page.out.decode().splitlines() if line.split()[:1] == ['state']]
        result.equal('%d times: %s' % (times, state), [(LATE in line, LOST in line) for line in state], [reported])


def check_range(result, runner, fixtures, work):
    """Several that are missing behind each other are known by the first and the last, and how many they are."""
    data, path = (fixtures / 'threads.utrace').read_bytes(), work / 'range.utrace'
    several = seq_events(data)
    packet, one, other = next((packet, one, other) for packet, events in several[len(several) // 2:]
                              for one, other in zip(events[1:-1], events[2:-1]) if one[2] + 1 == other[2])
    payload = packet.payload
    path.write_bytes(replaced(data, packet, payload[:one[0]] + payload[one[1]:other[0]] + payload[other[1]:]))
    said = runner.run('trace-events', path, '--count', '--order', 'serial').err.decode()
    result.true(said, 'serial numbers %d to %d are missing (2 events)\n' % (one[2], other[2]) in said)


def check_counts(result, runner, fixtures):
    """A fault whose sentence has the number of its events is not counted again behind it."""
    truth = commands.parse_json((fixtures / 'game.truth.json').read_text(encoding='utf-8'))
    frames = sum(1 for kind, *_ in truth['frames'] if kind == 0)
    done = runner.run('trace-stats', fixtures / 'game.utrace.zst', '--hitches=0.01', '--limit', 'hitches=5')
    wanted = "  %d hitches are not explained (limit 'hitches': --limit hitches=NUMBER sets another)" % (frames - 5)
    result.equal('the fault', [line for line in done.err.decode().splitlines() if 'hitches are not' in line], [wanted])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, help='the directory of the commands')
    parser.add_argument('--step', type=int, default=1, help='checks each N-th of them')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    runner = commands.Commands(options.bin)
    run = report.Report()
    entries = commands.parse_json((options.fixtures / 'damaged' / 'expected.json').read_text(encoding='utf-8'))
    for entry in entries[::options.step]:
        run.run(entry['file'], check_entry, runner, options.fixtures, entry)
    for name in EXPORTED:
        with tempfile.TemporaryDirectory() as folder:
            run.run('exports of ' + name, check_exports, runner, options.fixtures, name, pathlib.Path(folder))
    for lack in lack_tail, lack_middle, lack_packets:
        for name in 'tiny.utrace', 'net.utrace':
            with tempfile.TemporaryDirectory() as folder:
                run.run('%s: %s' % (lack.__name__, name), check_requested, runner, options.fixtures, name, lack,
                        pathlib.Path(folder))
    run.run('counts', check_counts, runner, options.fixtures)
    with tempfile.TemporaryDirectory() as folder:
        run.run('tracy', check_tracy, runner, options.fixtures, pathlib.Path(folder))
        run.run('raised times', check_raised, runner, options.fixtures, pathlib.Path(folder))
        run.run('numbers', check_numbers, runner, options.fixtures, pathlib.Path(folder))
        run.run('ranges of numbers', check_range, runner, options.fixtures, pathlib.Path(folder))
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
