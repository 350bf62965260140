#!/usr/bin/env python3
"""Events of today's recorders whose content is wrong, each by itself: bytes of callstacks that end inside an address or have no
such form, arrays of other lengths, ids of nothing. What stands in the event is read as far as it goes, what stands beside it as
if nothing had happened, and `health` has the place and the cause.

usage: check_wrong_events.py --bin DIRECTORY --maker PROGRAM [--most N] [--no-memory-limit] [--jobs N]

The sound captures are those of made-current. What is expected of a changed one comes from the decoder in tests/decoders, and
from the lengths that were written.
"""

import argparse
import collections
import dataclasses
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness'), str(HERE.parent / 'decoders')]
import check_wrong_sizes  # noqa: E402
import commands           # noqa: E402
import report             # noqa: E402
import utrace_current     # noqa: E402
import walk               # noqa: E402

MEMORY = 512 << 20
MOST_DEPTH = 1024         # frames of a Verse sample
TABLES = {'callstacks': ('callstack_id', 'frame', 'address'), 'verse': ('function', 'depth', 'samples'),
          'objects': ('snapshot', 'class', 'objects', 'system_bytes', 'video_bytes', 'references'),
          'spatial': ('time', 'name', 'x', 'y', 'z', 'vx', 'vy', 'vz', 'dx', 'dy', 'dz'),
          'allocations': ('address', 'bytes', 'callstack_id'), 'session': ('key', 'value')}
IMPORTANT = 1             # the thread of events that are sent again to who connects late
SETTING = 'SamplingInterval'
# Where the names of numbers are defined: the table and its column that show them.
NAMES = {'Verse.DeclareString': ('verse', 0), 'Spatial.PointSpec': ('spatial', 1)}


@dataclasses.dataclass
class Place:
    """An event: where it stands in the capture and how long it is, and its arrays: (place, header, content)."""
    name: str
    offset: int
    fixed: int
    packet: walk.Packet
    arrays: list
    whole: bool = True


def important_places(capture, packet):
    """Those of a packet that begins with one: (uid, size), the fields, the arrays and an end."""
    at, left = packet.offset + 4, packet.payload
    for start, uid, body in walk.sized_records(left):
        place = Place(capture.types[uid].name, at + start, at + start + 4, packet, [], len(body) == struct.unpack_from('<H', left, start + 2)[0])
        array = capture.types[uid].size
        while array + 4 <= len(body) and body[array] == walk.AUX:
            header = struct.unpack_from('<I', body, array)[0]
            place.arrays.append((place.fixed + array, header, body[array + 4:array + 4 + (header >> 13)]))
            array += 4 + (header >> 13)
        yield place


def places(capture):
    """All events that lie in one packet; the capture is not packed, and important events end with their packet."""
    found, everything = {}, []
    for packet in capture.packets:
        if packet.thread == IMPORTANT:
            everything += important_places(capture, packet)
        if packet.thread <= 1:
            continue
        for start, code, kind in walk.thread_records(packet, capture.types):
            at = packet.offset + 4 + start
            if kind:
                head = 2 + (0 if kind.flags & walk.NO_SYNC else 3)
                found[packet.thread] = Place(kind.name, at, at + head, packet, [])
                everything.append(found[packet.thread])
            elif code >> 1 == walk.AUX:
                header = struct.unpack_from('<I', packet.payload, start)[0]
                place = found[packet.thread]
                place.arrays.append((at, header, packet.payload[start + 4:start + 4 + (header >> 13)]))
                place.whole &= place.packet is packet
    return [place for place in everything if place.whole]


def with_array(data, place, number, content):
    """The capture with another array in an event, whose packet is as much longer."""
    at, header, before = place.arrays[number]
    out = bytearray(data[:at] + struct.pack('<I', header & 0x1FFF | len(content) << 13) + content + data[at + 4 + len(before):])
    more = len(content) - len(before)
    struct.pack_into('<H', out, place.packet.offset, place.packet.size + more)
    if place.packet.thread == IMPORTANT:
        struct.pack_into('<H', out, place.offset + 2, struct.unpack_from('<H', data, place.offset + 2)[0] + more)
    return bytes(out)


def with_bytes(data, at, content):
    return data[:at] + content + data[at + len(content):]


# ---- what is found, and what is expected ----

def ask(tools, path):
    """Tables by name, and what is wrong: (kind, offset, text)."""
    said = {}
    for tables, more in ((('objects',), ('--columns', ','.join(TABLES['objects']))), ((*TABLES, 'health'), ())):
        done = tools.must('trace-stats', path, '--table', ','.join(tables), '--unit', 'cycles', '--format', 'json', *more, *tools.more,
                          allowed=(0, 4))
        said = {**json.loads(done.out), **said}
    said['session'] = [{'key': key, 'value': value} for key, value in said['session'].items()]
    found = {name: [[row[key] for key in columns] for row in said[name]] for name, columns in TABLES.items()}
    faults = collections.Counter()
    for row in said['health']:
        if row['kind'] == 'payload_damaged':
            faults[row['offset'], row['text'].split("'")[1]] += row['count']
    return found, faults


def stack_rows(data):
    return [[number, i, address] for number, frames in utrace_current.stacks(utrace_current.read(data)[2]).items()
            for i, address in enumerate(frames)]


def object_sums(data):
    return [{name: tuple(row.get(key, 0) for key in ('objects', 'system', 'video', 'references')) for name, row in one['classes'].items()}
            for one in utrace_current.snapshots(utrace_current.read(data)[2])]


def found_sums(rows):
    sums = collections.defaultdict(dict)
    for snapshot, name, objects, system, video, references in rows:
        if objects:
            sums[snapshot][name or ''] = (objects, system, video, references)
    return [sums[number] for number in sorted(sums)]


def names_of(data, event):
    """Number -> name, the last definition of each; halves of letters at the end are none."""
    return {one.values['Id']: one.values['Name'] for events in utrace_current.read(data).values() for one in events
            if one.type.title == event}


def renamed(rows, column, before, after):
    """The rows of a table whose numbers have other names."""
    number = {name: i for i, name in before.items()}
    return [[*row[:column], after.get(number[row[column]]) or None, *row[column + 1:]] for row in rows]


def by_name(faults, but):
    sums = collections.Counter()
    for place, count in faults.items():
        sums[place[1]] += count if place != but else 0
    return {name: count for name, count in sums.items() if count}


def address(text):
    return int(str(text), 0)


@dataclasses.dataclass
class Change:
    """A capture that was changed in one event, which table may differ for it, and whether its content was and is wrong."""
    what: str
    data: bytes
    place: Place
    table: str
    was: int = 0
    wrong: int = 0


def check(result, tools, work, sound, change):
    path = work / 'changed.utrace'
    path.write_bytes(change.data)
    found, faults = ask(tools, path)
    what = '%s in %s at %d' % (change.what, change.place.name, change.place.offset)
    for name in TABLES:
        if name != change.table:
            result.equal('%s: table %s' % (what, name), found[name], sound[0][name])
    rows = [[number, frame, address(at)] for number, frame, at in found['callstacks']]
    result.equal(what + ': callstacks', sorted(rows), sorted(stack_rows(change.data)))
    if change.place.name in NAMES:
        table, column = NAMES[change.place.name]
        before, after = names_of(tools.sound, change.place.name), names_of(change.data, change.place.name)
        result.equal(what + ': names', found[table], renamed(sound[0][table], column, before, after))
    if change.table == 'session':
        interval = struct.unpack_from('<I', change.data, change.place.fixed)[0]
        result.equal(what + ': session', dict(found['session']), {**dict(sound[0]['session']), SETTING: interval})
    result.equal(what + ': objects', found_sums(found['objects']), [one for one in object_sums(change.data) if one])
    place = change.place.packet.offset, change.place.name
    result.equal(what + ': faults', faults[place], sound[1][place] - change.was + change.wrong)
    result.equal(what + ': faults of others', by_name(faults, place), by_name(sound[1], place))


# ---- changes ----

def frames_changed(data, place, draw):
    code = utrace_current.CODES[place.name]
    content = place.arrays[0][2]
    was = utrace_current.unpack(content, code)[1]
    others = (content[:-1], content + b'\xff', b'\xff' * 9, b'\x80' * 12, b'\x41' + content, content + b'\x41', b'\x40' * 300,
              bytes(draw.randrange(256) for _ in range(40)))
    for other in others:
        sound = utrace_current.unpack(other, code)[1]
        if other != content:
            yield Change('%d bytes of frames' % len(other), with_array(data, place, 0, other), place, 'callstacks', not was, not sound)


def plain_changed(data, place):
    content = place.arrays[0][2]
    for other in (content[:-3], content + b'abc', b'', b'\xff' * 8 * 300):
        yield Change('%d bytes of addresses' % len(other), with_array(data, place, 0, other), place, 'callstacks',
                     wrong=int(len(other) % 8 > 0))


def ids_changed(data, place, table, numbers=(0, 1, 12, 0x7FFFFFFF, 0xFFFFFFFF)):
    for number in numbers:
        yield Change('id %x' % number, with_bytes(data, place.fixed, struct.pack('<I', number)), place, table)


def verse_changed(data, place, draw):
    content = place.arrays[0][2]
    for other, wrong in ((content[:-1], 1), (content + b'\0', 1), (content * (MOST_DEPTH + 1), 1), (b'', 0),
                         (b'\xff' * 4 * MOST_DEPTH, 0), (bytes(draw.randrange(256) for _ in range(400)), 0)):
        yield Change('a stack of %d bytes' % len(other), with_array(data, place, 0, other), place, 'verse', wrong=wrong)


def vectors_changed(data, place, draw):
    number = draw.randrange(len(place.arrays))
    for other, wrong in ((b'', 0), (b'\xff' * 24, 0), (b'\0' * 8, 1), (b'\0' * 16, 1), (b'\0' * 32, 1), (b'\0' * 8000, 1)):
        yield Change('a vector of %d bytes' % len(other), with_array(data, place, number, other), place, 'spatial', wrong=wrong)


def name_changed(data, place, table):
    """Numbers of nothing, and other names: none, of half a letter, of a letter and a half, long ones."""
    yield from ids_changed(data, place, table, (0, 5, 0x7FFFFFFF, 0xFFFFFFFF))
    content = place.arrays[0][2]
    for other in (b'', b'x', content + b'x', content[:-1], content * 500, 'a\u00e4\u20ac\U0001f600'.encode('utf-16-le')):
        yield Change('a name of %d bytes' % len(other), with_array(data, place, 0, other), place, table, wrong=len(other) % 2)


def changes_of(data, place, draw):
    if place.name in NAMES and place.arrays:
        yield from name_changed(data, place, NAMES[place.name][0])
    if place.name == 'PlatformEvent.Settings':
        yield from ids_changed(data, place, 'session')
    if place.name in utrace_current.CODES and place.arrays:
        yield from frames_changed(data, place, draw)
    if place.name == 'Memory.CallstackSpec' and place.arrays:
        yield from plain_changed(data, place)
    if place.name.startswith('Memory.CallstackSpec'):
        yield from ids_changed(data, place, 'callstacks')
    if place.name in ('Verse.BytecodeSample', 'Verse.NativeSample') and place.arrays:
        yield from verse_changed(data, place, draw)
    if place.name.startswith('Spatial.Set') and place.arrays:
        yield from vectors_changed(data, place, draw)
    if place.name in ('CoreUObject.ResourceSizeExtraSpec', 'CoreUObject.ObjectRef', 'CoreUObject.StructExtraSpec'):
        yield from ids_changed(data, place, 'objects')
    if place.name == 'CoreUObject.ObjectSpec':
        yield from ids_changed(data, place, 'objects', (0x7FFFFFFF, 0xFFFFFFFF))


def check_seed(result, tools, maker, seed, most):
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        path = work / 'made.utrace'
        subprocess.run([maker, str(seed), str(path)], stdout=subprocess.DEVNULL, check=True)
        data = check_wrong_sizes.unpacked(path.read_bytes())
        path.write_bytes(data)
        tools.sound = data
        sound, by_event = ask(tools, path), collections.defaultdict(list)
        for place in places(walk.Capture(data)):
            by_event[place.name].append(place)
        tried = collections.Counter()
        for name, all_of_it in sorted(by_event.items()):
            for place in draw.sample(all_of_it, min(most, len(all_of_it))):
                for change in changes_of(data, place, draw):
                    check(result, tools, work, sound, change)
                    tried[name] += 1
        result.true('all kinds were tried: %s' % sorted(tried), {*utrace_current.CODES, *NAMES, 'PlatformEvent.Settings'} < set(tried) and len(tried) >= 14)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands.add_options(parser)
    parser.add_argument('--maker', required=True)
    parser.add_argument('--most', type=int, default=1)
    arguments = parser.parse_args()
    tools = commands.called(arguments, MEMORY)
    found = report.Report()
    for seed in (1, 2):
        found.run('seed %d' % seed, check_seed, tools, arguments.maker, seed, arguments.most)
    return found.close()


if __name__ == '__main__':
    sys.exit(main())
