"""What in a capture of another tool shows that something is wrong with it: an oracle that knows nothing of Tracekit.

signs(form, data) counts them by kind. What a damaged capture has more of than the sound one is what its format shows of the
damage. Written from docs/format/import.md alone.
"""

import collections
import json
import math
import re
import struct
import zlib

import blocks
import import_parts
from import_parts import PartError, fields

PHASES = 'BEXiICbnestfSTpFNODMRcvVP(,)='
TIMED = set('BEXiICbneSTpF')
FIELDS = ('ph', 'ts', 'dur', 'pid', 'tid', 'name', 'cat', 'args', 'id', 'id2')
NO_EVENT = object()
NUMBER = re.compile(r'-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?')


class Signs(collections.Counter):
    def see(self, kind):
        self[kind] += 1


def utf8(signs, value):
    try:
        return value.decode('utf-8')
    except UnicodeDecodeError:
        signs.see('a text that is not UTF-8')
        return value.decode('utf-8', 'replace')


class Stacks:
    """Begins and ends of whatever follows one another, in the order in which they are said, or of times."""

    def __init__(self, signs):
        self.signs, self.open, self.timed, self.waiting = signs, collections.defaultdict(list), [], {}

    def at(self, time, begins, key):
        self.timed.append((time, len(self.timed), begins, key))

    def begin(self, key, name=None):
        self.settle(key)
        self.open[key].append(name)

    def end(self, key, name=None, time=None):
        """Ends of one time may come in any order (1.2): they wait until time goes on."""
        if key in self.waiting and self.waiting[key][0] != time:
            self.settle(key)
        self.waiting.setdefault(key, (time, []))[1].append(name)
        if time is None:
            self.settle(key)

    def settle(self, key):
        _, names = self.waiting.pop(key, (None, []))
        while names:
            stack = self.open[key]
            fits = [name for name in names if stack and (None in (name, stack[-1]) or name == stack[-1])]
            name = (fits or names)[0]
            names.remove(name)
            self.close_one(key, name)

    def close_one(self, key, name):
        stack = self.open[key]
        while name is not None and name in stack and stack[-1] != name:
            stack.pop()
            self.signs.see('a begin without an end')
        if stack and (name is None or stack[-1] is None or stack[-1] == name):
            stack.pop()
        else:
            self.signs.see('an end without a begin')

    def end_one(self, key, name=None):
        """An end of asynchronous work: what is open inside may go on (3.6)."""
        stack = self.open[key]
        fits = [at for at, other in enumerate(stack) if None in (name, other) or name == other]
        if fits:
            stack.pop(fits[-1])
        else:
            self.signs.see('an end without a begin')

    def close(self):
        for _, _, begins, key in sorted(self.timed):
            (self.begin if begins else self.end)(key)
        for key in list(self.waiting):
            self.settle(key)
        self.signs['a begin without an end'] += sum(map(len, self.open.values()))


class Repeats:
    """Runs of items that are equal to as many in front of them (5.2, 4.2)."""
    MOST = 8

    def __init__(self, signs):
        self.signs, self.items = signs, []

    def take(self, data, time, once, alone):
        """once: it is not to be equal to others. alone: one item says enough; several do where they are of more than one time."""
        self.items.append((data, time))
        for n in range(1, self.MOST + 1):
            run, before = self.items[-n:], self.items[-2 * n:-n]
            if len(before) == n and run == before and once and (
                    alone if n == 1 else len({t for _, t in run}) > 1):
                self.signs.see('items that are equal to those in front')
                break


# ---- Chrome ----

def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def numeric(value):
    """A number, or a text that is one (3.3, 3.7)."""
    return number(value) or isinstance(value, str) and NUMBER.fullmatch(value) is not None


def async_key(event):
    """What says asynchronous work from other work (3.6); None without an id."""
    inner = event.get('id2') if isinstance(event.get('id2'), dict) else {}
    whole, local = event.get('id', inner.get('global')), inner.get('local')
    if event['ph'] in 'SF':
        return None if whole is None else ('old', event.get('name'), str(whole))
    if whole is None and local is None:
        return None
    place = ('global', str(whole)) if whole is not None else (str(event.get('pid')), str(local))
    return ('async', event.get('cat'), event.get('scope'), *place)


def unique(signs):
    """Keys of events that come twice; what is in args is not looked at."""
    def hook(pairs):
        own = [key for key, _ in pairs if key in FIELDS]
        if len(set(own)) < len(own) and 'ph' in own:
            signs.see('a key that comes twice')
        return dict(pairs)
    return hook


def parse(signs, text):
    def constant(_):
        signs.see('a number that JSON has not')
        return 0
    read = json.JSONDecoder(strict=False, parse_constant=constant, object_pairs_hook=unique(signs)).decode
    for ending in ('', ']') if text.lstrip().startswith('[') else ('',):
        try:
            return read(text.rstrip().rstrip(',') + ending if ending else text)
        except ValueError:
            pass
    signs.see('no JSON')
    return []


def json_event(signs, stacks, event):
    if not isinstance(event, dict):
        signs.see('an event that is no object')
        return
    phase = event.get('ph')
    if not isinstance(phase, str) or len(phase) != 1:
        signs.see('an event without a phase')
        return
    if phase not in PHASES:
        signs.see('an unknown phase')
    if phase in TIMED and not numeric(event.get('ts')):
        signs.see('an event without a time')
        return
    who = str(event.get('pid')), str(event.get('tid', event.get('pid')))
    if phase in 'BE':
        name = event.get('name') if phase == 'B' or event.get('name') else None
        stacks.begin(who, name) if phase == 'B' else stacks.end(who, name, event['ts'] if number(event.get('ts')) else None)
    elif phase == 'X' and number(event.get('dur')) and event['dur'] < 0:
        signs.see('a negative duration')
    elif phase == 'X' and event.get('dur') is not None and not numeric(event['dur']):
        signs.see('a duration that is no number')
    elif phase == 'C':
        args = event.get('args')
        if not isinstance(args, dict) or not all(map(numeric, args.values())):
            signs.see('a counter without numbers')
    elif phase in 'bneSF':
        key = async_key(event)
        if key is None:
            signs.see('asynchronous work without an id')
        elif phase in 'bS':
            stacks.begin(key, event.get('name'))
        elif phase in 'eF':
            stacks.end_one(key, event.get('name'))


def json_signs(signs, data):
    document = parse(signs, utf8(signs, data))
    events = document.get('traceEvents', NO_EVENT) if isinstance(document, dict) else document
    if not isinstance(events, list):
        signs.see('no events')
        return
    stacks = Stacks(signs)
    for event in sorted((e for e in events if isinstance(e, dict) and number(e.get('ts'))), key=lambda e: e['ts']):
        json_event(signs, stacks, event)
    for event in events:
        if not isinstance(event, dict) or not number(event.get('ts')):
            json_event(signs, stacks, event)
    stacks.close()


# ---- Perfetto ----

class Sequence:
    def __init__(self):
        self.valid, self.begun, self.track, self.clock = False, False, None, 0
        self.clear()

    def clear(self):
        self.known = collections.defaultdict(dict)
        self.clocks = set()


class Perfetto:
    INTERNED = {1: 'category', 2: 'name', 3: 'annotation', 4: 'location', 20: 'body', 29: 'text'}
    STEADY = (3, 5, 6)                          # clocks that never go back
    BUILT_IN = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}

    def __init__(self, signs, one_clock):
        self.signs, self.sequences, self.stacks = signs, {}, Stacks(signs)
        self.tracks, self.used, self.order = {}, set(), 0
        self.clocks, self.counters, self.uuids, self.read = set(), set(), set(), {}
        self.one_clock = one_clock              # times are those of the file, without differences
        self.repeats = Repeats(signs)

    def packet(self, data, inner=False):
        try:
            own = collections.defaultdict(list)
            for number_, wire, value, _ in fields(data):
                own[number_, wire].append(value)
        except PartError:
            self.signs.see('a broken packet')
            return
        if not inner:
            self.compare(own, data)
        for form in (import_parts.COMPRESSED, import_parts.ZSTD):
            for value in own[form, 2]:
                self.unpack(form, value, inner)
        if own[133, 2] or own[50, 2]:
            return
        sequence = self.sequences.setdefault((last(own, 98), last(own, 10)), Sequence())
        self.signs.see('a sequence that begins again') if last(own, 87) and sequence.begun else None
        self.uuids.update(own[89, 2])
        self.change(sequence, own)
        for value in own[6, 2]:
            self.attempt(self.snapshot, sequence, value)
        for value in own[12, 2]:
            self.attempt(self.intern, sequence, value)
        for value in own[60, 2]:
            self.attempt(self.describe, value)
        self.order = last(own, 8) if self.one_clock else 0
        for value in own[11, 2]:
            if last(own, 13) & 2 and not sequence.valid:
                self.signs.see('a packet without its state')
            elif not own[10, 0]:
                self.signs.see('an event without a sequence')
            else:
                self.time(sequence, own)
                self.attempt(self.event, sequence, value, bool(own[8, 0]))

    def attempt(self, read, *arguments):
        try:
            read(*arguments)
        except PartError:
            self.signs.see('a broken packet')

    def unpack(self, form, value, inner):
        try:
            content = zlib.decompress(value) if form == import_parts.COMPRESSED else blocks.zstd_unpack(value)
        except (zlib.error, blocks.BlockError):
            self.signs.see('compressed packets that cannot be unpacked')
            return
        self.attempt(lambda: [self.packet(packet, True) for n, wire, packet, _ in fields(content) if n == 1 and wire == 2])

    def change(self, sequence, own):
        dropped = last(own, 42)
        if last(own, 13) & 1 or last(own, 41):
            sequence.clear()
            sequence.valid = True
        elif dropped:
            sequence.valid = False
        if dropped and sequence.begun and not last(own, 87):
            self.signs.see('a mark of a loss')
        sequence.begun = True
        for value in own[59, 2]:
            self.attempt(self.defaults, sequence, value)

    def compare(self, own, data):
        """Marks between parts of a file (36) and times that are differences may be equal (5.2)."""
        sequence = self.sequences.setdefault((last(own, 98), last(own, 10)), Sequence())
        clock = last(own, 58) or sequence.clock
        if own[11, 2]:
            once = own[8, 0] and not 64 <= clock < 128
        else:
            once = len(data) >= 16 and not own[36, 2]
        ends = any(n == 9 and v == 2 for value in own[11, 2] for n, _, v, _ in self.parts(value))
        self.repeats.take(data, last(own, 8), once, not ends)

    @staticmethod
    def parts(value):
        try:
            return list(fields(value))
        except PartError:
            return []

    @staticmethod
    def defaults(sequence, value):
        for n, wire, v, _ in fields(value):
            if n == 11 and wire == 2:
                sequence.track = next((t for m, _, t, _ in fields(v) if m == 11), sequence.track)
            elif n == 58 and wire == 0:
                sequence.clock = v

    def snapshot(self, sequence, value):
        """Clocks of a sequence are 64 to 127 (5.3)."""
        for n, wire, v, _ in fields(value):
            parts = {m: c for m, w, c, _ in fields(v) if w == 0} if n == 1 and wire == 2 else {}
            clock = parts.get(1)
            if clock is not None:
                (sequence.clocks if 64 <= clock < 128 else self.clocks).add(clock)
            if clock in self.STEADY and 2 in parts:
                self.signs.see('a clock that goes back') if parts[2] < self.read.get(clock, 0) else None
                self.read[clock] = parts[2]

    def time(self, sequence, own):
        clock = last(own, 58) or sequence.clock
        if own[8, 0] and clock and clock not in self.BUILT_IN:
            known = sequence.clocks if 64 <= clock < 128 else self.clocks
            self.signs.see('a clock that is not known') if clock not in known else None

    def intern(self, sequence, value):
        for n, wire, entry, _ in fields(value):
            if n in self.INTERNED and wire == 2:
                iid, text = 0, b''
                for m, kind, v, _ in fields(entry):
                    iid = v if m == 1 and kind == 0 else iid
                    if m == 2 and kind == 2:
                        text = v
                        utf8(self.signs, v)
                if sequence.valid:
                    self.signs.see('a name that changes') if sequence.known[n].get(iid, text) != text else None
                    sequence.known[n].setdefault(iid, text)

    def describe(self, value):
        own, parent, parts = 0, None, set()
        for n, wire, v, _ in fields(value):
            own = v if n == 1 and wire == 0 else own
            parent = v if n == 5 and wire == 0 and v else parent
            if n == 2 and wire == 2:
                utf8(self.signs, v)
            if n in (3, 4, 8) and wire == 2:
                parts.add(n)
                list(fields(v))
        self.tracks.setdefault(own, set()).update(parts)
        if parent:
            self.used.add(parent)

    def event(self, sequence, value, timed):
        kind, track, legacy, extra = 0, sequence.track, False, [0, 0]
        for n, wire, v, _ in fields(value):
            kind = v if n == 9 and wire == 0 else kind
            track = v if n == 11 and wire == 0 else track
            timed |= n in (1, 16)
            for known, name, reference in ((2, 'name', 10), (1, 'category', 3), (4, 'place', 34)):
                if n == reference and wire == 0 and v and v not in sequence.known[known]:
                    self.signs.see('a %s that is not defined' % name)
            if n in (22, 23) and wire == 2:
                utf8(self.signs, v)
            if n == 4 and wire == 2:
                self.annotation(sequence, v)
            if n == 6 and wire == 2:
                legacy = True
                list(fields(v))
        if not timed:
            self.signs.see('an event without a time')
        elif not kind and not legacy:
            self.signs.see('an event without a type')
        elif kind in (1, 2):
            self.stacks.at(self.order, kind == 1, track)
        elif kind == 4:
            self.counters.add(track)

    def annotation(self, sequence, value):
        for n, wire, v, _ in fields(value):
            if n == 1 and wire == 0 and v not in sequence.known[3]:
                self.signs.see('a name of an argument that is not defined')
            if n == 17 and wire == 0 and v not in sequence.known[29]:
                self.signs.see('a text of an argument that is not defined')

    def close(self):
        self.stacks.close()
        self.signs['a track whose parent is missing'] += len(self.used - set(self.tracks))
        self.signs['a second trace'] += max(0, len(self.uuids) - 1)
        self.signs['a counter without its track'] += sum(8 not in self.tracks.get(track, ()) for track in self.counters)


def one_clock(data):
    """All packets are in one clock of those that every machine has, and none has others inside."""
    try:
        known = [(n, v) for _, wire, value, _ in fields(data) if wire == 2 for n, _, v, _ in fields(value) if n in (50, 58, 59, 133)]
        clocks = {v for n, v in known if n == 58} | {v for n, d in known if n == 59 for m, _, v, _ in fields(d) if m == 58}
        return {n for n, _ in known} <= {58, 59} and len(clocks) < 2 and all(v < 64 for v in clocks)
    except PartError:
        return False


def last(own, number_):
    return own[number_, 0][-1] if own[number_, 0] else 0


def pftrace_signs(signs, data):
    reader = Perfetto(signs, one_clock(data))
    try:
        for n, wire, value, _ in fields(data):
            if n == 1 and wire == 2:
                reader.packet(value)
    except PartError:
        signs.see('bytes that are no packets')
    reader.close()


# ---- Fuchsia ----

MAGIC = 0x0016547846040010


class Fuchsia:
    def __init__(self, signs):
        self.signs, self.stacks = signs, Stacks(signs)
        self.tables, self.provider = collections.defaultdict(lambda: ({0}, {})), 0
        self.introduced, self.magic = {0}, False
        self.second = 10**9
        self.ticks = collections.defaultdict(lambda: self.second)
        self.repeats = Repeats(signs)

    def text(self, body, at, size):
        """A text, with zeros up to a whole word (4.1); the place behind."""
        end = at + (size + 7) // 8 * 8
        utf8(self.signs, body[at:at + size])
        self.signs.see('zeros that are none') if any(body[at + size:end]) else None
        return end

    def string(self, body, at, ref):
        """The place behind a text that may stand in the record."""
        if ref & 0x8000:
            return self.text(body, at, ref & 0x7FFF)
        if ref not in self.tables[self.provider][0]:
            self.signs.see('a text that is not defined')
        return at

    def thread(self, body, at, ref):
        if not ref:
            return struct.unpack_from('<QQ', body, at), at + 16
        if ref not in self.tables[self.provider][1]:
            self.signs.see('a thread that is not defined')
        return self.tables[self.provider][1].get(ref), at

    def metadata(self, header, _):
        kind, number_ = header >> 16 & 15, header >> 20 & 0xFFFFFFFF
        if header == MAGIC:
            self.again()
        if kind == 1:
            self.introduced.add(number_)
            self.tables.pop(number_, None)
        elif kind == 2 and number_ not in self.introduced:
            self.signs.see('a provider that is not introduced')
            self.introduced.add(number_)
        elif kind == 3 and header >> 52 & 15 == 0:
            self.signs.see('a mark of a loss')
        if kind in (1, 2):
            self.provider = number_

    def again(self):
        """A magic number, which begins a trace."""
        if self.magic:
            self.signs.see('a magic number inside')
        self.magic, self.provider = True, 0
        self.tables.pop(0, None)

    def clock(self, _, body):
        ticks = struct.unpack_from('<Q', body)[0]
        if ticks == 0:
            self.signs.see('a clock without ticks')
        self.ticks[self.provider] = ticks or self.ticks[self.provider]

    def define_string(self, header, body):
        index, size = header >> 16 & 0x7FFF, header >> 32 & 0x7FFF
        self.ends(body, self.text(body, 0, size))
        self.tables[self.provider][0].add(index)

    def define_thread(self, header, body):
        self.tables[self.provider][1][header >> 16 & 255] = struct.unpack_from('<QQ', body)

    def event(self, header, body):
        kind, count = header >> 16 & 15, header >> 20 & 15
        thread, at = self.thread(body, 8, header >> 24 & 255)
        time = struct.unpack_from('<Q', body)[0]
        at = self.string(body, at, header >> 32 & 0xFFFF)
        at = self.string(body, at, header >> 48)
        for _ in range(count):
            at = self.argument(body, at)
        own = struct.unpack_from('<Q', body, at)[0] if kind == 1 or 4 <= kind <= 10 else None
        self.ends(body, at if own is None else at + 8)
        if kind > 10:
            self.signs.see('an event of an unknown kind')
        if kind in (2, 3):
            self.stacks.at(time * self.second / self.ticks[self.provider], kind == 2, thread)
        elif kind in (5, 7):
            self.stacks.at(time * self.second / self.ticks[self.provider], kind == 5, ('async', own))
        elif kind == 4 and own < time:
            self.signs.see('a negative duration')

    def names(self, body, at, count):
        """Arguments of a record, up to its end."""
        for _ in range(count):
            at = self.argument(body, at)
        self.ends(body, at)

    def ends(self, body, at):
        if at > len(body):
            raise struct.error
        self.signs.see('a record that is longer than its content') if at + 8 <= len(body) else None

    def blob(self, header, body):
        at = self.string(body, 0, header >> 16 & 0xFFFF)
        self.ends(body, at + ((header >> 32 & 0x7FFF) + 7) // 8 * 8)

    def userspace(self, header, body):
        thread = header >> 16 & 255
        at = 8 if thread else 16
        if thread and thread not in self.tables[self.provider][1]:
            self.signs.see('a thread that is not defined')
        self.names(body, self.string(body, at, header >> 24 & 0xFFFF), header >> 40 & 15)

    def kernel(self, header, body):
        self.names(body, self.string(body, 8, header >> 24 & 0xFFFF), header >> 40 & 15)

    def scheduling(self, header, body):
        kind = header >> 60
        if kind == 0:
            _, at = self.thread(body, 8, header >> 28 & 255)
            _, at = self.thread(body, at, header >> 36 & 255)
            self.ends(body, at)
        elif kind in (1, 2):
            self.names(body, 24 if kind == 1 else 16, header >> 16 & 15)
        else:
            self.signs.see('an event of an unknown kind')

    def log(self, header, body):
        _, at = self.thread(body, 8, header >> 32 & 255)
        self.ends(body, self.text(body, at, header >> 16 & 0x7FFF))

    def argument(self, body, at):
        header = struct.unpack_from('<Q', body, at)[0]
        size = 8 * (header >> 4 & 0xFFF)
        if not size or at + size > len(body):
            raise struct.error
        inside = self.string(body, at + 8, header >> 16 & 0xFFFF)
        if header & 15 == 6:
            self.string(body, inside, header >> 32 & 0xFFFF)
        elif header & 15 > 10:
            self.signs.see('an argument of an unknown kind')
        return at + size

    def record(self, header, body):
        readers = {0: self.metadata, 1: self.clock, 2: self.define_string, 3: self.define_thread, 4: self.event,
                   5: self.blob, 6: self.userspace, 7: self.kernel, 8: self.scheduling, 9: self.log}
        timed = header & 15 in (4, 8, 9) and len(body) >= 8
        self.repeats.take((header, body), body[:8] if timed else 0, timed, (header & 15, header >> 16 & 15) != (4, 3))
        if header & 15 > 10 and header & 15 != 15:
            self.signs.see('a record of an unknown kind')
        if header & 15 in readers:
            readers[header & 15](header, body)


def fxt_signs(signs, data):
    reader = Fuchsia(signs)
    if data[:8] != bytes.fromhex('1000044678541600'):
        signs.see('no magic number')
    try:
        for at, size, _ in import_parts.records(data):
            try:
                reader.record(struct.unpack_from('<Q', data, at)[0], data[at + 8:at + size])
            except struct.error:
                signs.see('a record that is too short')
    except PartError:
        signs.see('bytes that are no records')
    if len(data) % 8:
        signs.see('bytes that are no whole word')
    reader.stacks.close()


# ---- rows of frames ----

def frame_time(cell):
    try:
        return 0 <= float(cell) < math.inf
    except ValueError:
        return False


def csv_signs(signs, data):
    lines = [line.removesuffix('\r') for line in utf8(signs, data).removesuffix('\n').split('\n')]
    header = lines[0].lower().split(',') if lines else []
    if 'frametime' not in header:
        signs.see('no column of frame times')
        return
    behind = False
    for line in lines[1:]:
        cells = line.split(',')
        if line.startswith('[') or 'frametime' in line.lower():
            behind = True
            continue
        if behind:
            signs.see('a row behind the facts')
        if len(cells) < len(header):
            signs.see('a row that is too short')
        if len(cells) > len(header):
            signs.see('a row that is too long')
        for name, cell in zip(header, cells):
            try:
                if name != 'events' and cell:
                    float(cell)
            except ValueError:
                signs.see('a value that is no number')
        frame = cells[header.index('frametime')] if len(cells) > header.index('frametime') else ''
        if not frame_time(frame):
            signs.see('a row without a frame time')


READERS = {'json': json_signs, 'pftrace': pftrace_signs, 'fxt': fxt_signs, 'csv': csv_signs}


def signs(form, data):
    found = Signs()
    READERS[form](found, data)
    return found
