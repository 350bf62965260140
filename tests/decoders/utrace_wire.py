"""The bytes of a .utrace: header, packets, declarations, records, events. Written from docs/format/utrace-wire.md alone.

read(data) gives a Capture whose streams are lists of Records, which joined are the bytes of the stream again; events()
makes events of them. Nothing is repaired: what does not fit raises WireError.
"""

import dataclasses
import struct

from blocks import lz4_pack, lz4_unpack

SYNC, TID = 0x3FFF, 0x3FFF
PARTIAL, ENCODED = 0x4000, 0x8000
IMPORTANT, HAS_AUX, NO_SYNC, DEFINITION = 1, 2, 4, 8
PSEUDO = 0x3FFE                                         # events at a new connection: their serials mean nothing
NEW_EVENT = 0
BIAS_5, BIAS_4 = 16, 5                                  # first uid of events; in protocol 4 NewTrace may say another
STAMP_SIZES = {4: {1: 0, 2: 7, 3: 0, 4: 7},             # bytes behind the code of scope records, by uid
               5: {4: 0, 5: 0, 8: 7, 12: 7},
               7: {4: 0, 5: 0, 6: 8, 7: 8, 8: 7, 9: 7}}
STAMP_KINDS = {4: {1: 'enter', 2: 'enter_t', 3: 'leave', 4: 'leave_t'},
               5: {4: 'enter', 5: 'leave', 8: 'enter_t', 12: 'leave_t'},
               7: {4: 'enter', 5: 'leave', 6: 'enter_ta', 7: 'leave_ta', 8: 'enter_tb', 9: 'leave_tb'}}
FAMILIES = REGULAR, REFERENCE, DEFINITION_ID = 0, 1, 2


class WireError(Exception):
    """The bytes are not what the paper says."""


@dataclasses.dataclass
class Field:
    name: str
    offset: int
    size: int                                           # 0: in aux data
    info: int
    family: int = REGULAR
    refers: int = 0


@dataclasses.dataclass
class Type:
    uid: int
    logger: str
    name: str
    flags: int
    fields: list
    size: int                                           # of the fixed part

    @property
    def title(self):
        return '%s.%s' % (self.logger, self.name)


@dataclasses.dataclass
class Record:
    """What stands in one piece in a stream. kind: new, event, aux, end, or a kind of stamp."""
    kind: str
    data: bytes
    type: Type = None
    serial: int = None
    head: int = 0                                       # bytes before the fixed part
    blobs: list = None                                  # (field, bytes) that are inside of the record
    stamp: int = None
    field: int = None                                   # of aux: its field
    extra: bytes = b''                                  # the attachment of protocols 0 to 4

    @property
    def fixed(self):
        return self.data[self.head:self.head + self.type.size]


@dataclasses.dataclass
class Packet:
    tid: int
    payload: bytes
    encoded: bool = False
    flags: int = 0
    counter: bytes = b''                                # behind it in files of verification
    serial: int = 0                                     # of transport 2


@dataclasses.dataclass
class Capture:
    header: bytes
    transport: int
    protocol: int
    packets: list
    types: dict = dataclasses.field(default_factory=dict)
    streams: dict = dataclasses.field(default_factory=dict)


def u16(data, at):
    return data[at] | data[at + 1] << 8


def u24(data, at):
    return u16(data, at) | data[at + 2] << 16


def u32(data, at):
    return u24(data, at) | data[at + 3] << 24


# ---- header and packets (1, 2) ----

def header_end(data):
    """Where the bytes of transport and protocol stand."""
    if data[:4] == b'ECRT':
        return 4
    if data[:4] == b'2CRT':
        return 6 + u16(data, 4)
    if data[:4] == b'\x01\0\0\0':
        return 0
    raise WireError('no magic')


def packet_list(data, at, transport):
    if transport == 1:
        return [Packet(0, data[at:])]
    return batch_packets(data, at) if transport == 2 else thread_packets(data, at)


def batch_packets(data, at):
    packets = []
    while at < len(data):
        serial, size = u16(data, at), u16(data, at + 2)
        head = 6 if serial & ENCODED else 4
        payload = data[at + head:at + size]
        if serial & ENCODED:
            payload = lz4_unpack(payload, u16(data, at + 4))
        packets.append(Packet(0, payload, bool(serial & ENCODED), serial=serial & 0x7FFF))
        at += size
    return packets


def thread_packets(data, at):
    packets, verified = [], None
    while at < len(data):
        size, word = u16(data, at), u16(data, at + 2)
        if at + size > len(data) or size < 4:
            raise WireError('a packet of %d bytes at %d' % (size, at))
        payload = data[at + 4:at + size]
        if word & ENCODED:
            payload = lz4_unpack(data[at + 6:at + size], u16(data, at + 4))
            if len(payload) != u16(data, at + 4):
                raise WireError('a block unpacks to %d bytes at %d' % (len(payload), at))
        at += size
        if verified is None:
            verified = bool(word & PARTIAL) and data[at:at + 8] == b'\x01' + bytes(7)
        counter = data[at:at + 8] if verified and word & PARTIAL and word & TID != SYNC else b''
        at += len(counter)
        packets.append(Packet(word & TID, payload, bool(word & ENCODED), word & PARTIAL, counter))
    return packets


def in_order(packets, transport):
    """Of transport 2 a batch is read from its end."""
    if transport != 2:
        return packets
    out, batch = [], []
    for packet in packets:
        if batch and packet.serial <= batch[-1].serial:
            out, batch = out + batch[::-1], []
        batch.append(packet)
    return out + batch[::-1]


def packet_bytes(packet, transport):
    if transport == 1:
        return packet.payload
    payload = lz4_pack(packet.payload) if packet.encoded else packet.payload
    size = len(payload) + (6 if packet.encoded else 4)
    flag = ENCODED if packet.encoded else 0
    if transport == 2:
        head = struct.pack('<HH', packet.serial | flag, size)
    else:
        head = struct.pack('<HH', size, packet.tid | packet.flags | flag)
    return head + (struct.pack('<H', len(packet.payload)) if packet.encoded else b'') + payload + packet.counter


def write(header, transport, packets):
    return header + b''.join(packet_bytes(packet, transport) for packet in packets)


# ---- declarations (3.7 to 3.9) ----

def declaration(body, protocol):
    uid, count, flags, n_logger, n_name = struct.unpack_from('<HBBBB', body)
    width = 8 if protocol >= 6 else 6
    at, fields, sizes, lengths = 6, [], [], []
    for _ in range(count):
        field, size, length = (field_b if protocol >= 6 else field_a)(body[at:at + width])
        fields.append(field)
        sizes.append(size)
        lengths.append(length)
        at += width
    names = []
    for length in (n_logger, n_name, *lengths):
        names.append(body[at:at + length].decode('utf-8', 'replace'))
        at += length
    if at > len(body):
        raise WireError('a declaration beyond its end')
    for field, name in zip(fields, names[2:]):
        field.name = name if field.family != DEFINITION_ID else 'DefinitionId'
    return Type(uid, names[0], names[1], flags, fields, sum(sizes))


def field_a(record):
    offset, size, info, length = struct.unpack('<HHBB', record)
    return Field('', offset, size, info), size, length


def field_b(record):
    family, _, offset, size, info, length = struct.unpack('<BBHHBB', record)
    if family == REGULAR:
        return Field('', offset, size, info), size, length
    if family == REFERENCE:
        return Field('', offset, 1 << (info & 3), info, family, size), 1 << (info & 3), length
    if family == DEFINITION_ID:
        return Field('', offset, 1 << (length & 3), length, family), 1 << (length & 3), 0
    raise WireError('a field of family %d' % family)


# ---- records (3.2 to 3.6) ----

class Splitter:
    """Cuts the bytes of streams into records."""

    def __init__(self, protocol):
        self.protocol, self.types, self.bias = protocol, {}, BIAS_4

    def declare(self, body):
        kind = declaration(body, self.protocol)
        self.types[kind.uid] = kind
        return kind

    def split(self, tid, data):
        """All records; a rest that is no whole record is an error."""
        cut = self.cutter(tid)
        at, out = 0, []
        while at < len(data):
            record = cut(data, at)
            out.append(record)
            at += len(record.data)
            if record.kind == 'new':
                record.type = self.declare(record.data[record.head:])
            elif self.protocol == 4 and record.kind == 'event' and record.type.title == '$Trace.NewTrace':
                self.bias = values(record).get('UserUidBias', 1)
        return out

    def cutter(self, tid):
        if self.protocol == 0:
            return self.record_0
        if self.protocol <= 3:
            return self.record_1
        if self.protocol == 4:
            return self.record_4
        return self.record_important if tid < 2 else self.record_5

    def type(self, uid):
        if uid not in self.types:
            raise WireError('uid %d is not declared' % uid)
        return self.types[uid]

    def record_0(self, data, at):
        uid, size = u16(data, at) & 0x3FFF, u16(data, at + 2)
        record = data[at:at + 4 + size]
        if len(record) < 4 + size:
            raise WireError('a record is cut')
        if uid == NEW_EVENT:
            return Record('new', record, head=4)
        kind = self.type(uid)
        return Record('event', record, kind, None, 4, extra=record[4 + kind.size:])

    def record_1(self, data, at):
        uid, size = u16(data, at) & 0x7FFF, u16(data, at + 2)
        kind = self.type(uid) if uid else None
        synced = not kind.flags & NO_SYNC if kind else self.protocol < 3
        width = 2 if self.protocol == 1 else 3
        return self.old_record(data, at, kind, size, 4, width if synced else 0)

    def old_record(self, data, at, kind, size, head, width):
        """A record that states its size, with a serial of `width` bytes behind `head`, and its blobs."""
        serial = int.from_bytes(data[at + head:at + head + width], 'little') if width else None
        head += width
        end, blobs = at + head + size, []
        if end > len(data):
            raise WireError('a record is cut')
        extra = b''
        if kind:
            extra = data[at + head + kind.size:end]
            if kind.flags & HAS_AUX:
                inside = self.protocol == 4 and kind.flags & IMPORTANT and size != kind.size
                blobs, behind = self.old_blobs(data, at + head + kind.size if inside else end)
                extra, end = (b'', end) if inside else (extra, behind)
        return Record('event' if kind else 'new', data[at:end], kind, serial, head, blobs, extra=extra)

    @staticmethod
    def old_blobs(data, at):
        blobs = []
        while data[at]:
            size = u24(data, at + 1)
            if data[at] < 0x80 or at + 4 + size >= len(data):
                raise WireError('a blob does not fit')
            blobs.append((data[at] & 0x7F, data[at + 4:at + 4 + size]))
            at += 4 + size
        return blobs, at + 1

    def record_4(self, data, at):
        code = u16(data, at) if data[at] & 1 else data[at]
        uid, head = code >> 1, 2 if data[at] & 1 else 1
        if 0 < uid < self.bias:
            return self.stamp(data, at, uid, 4)
        kind = self.type(uid) if uid else None
        width = 3 if kind and not kind.flags & NO_SYNC else 0
        return self.old_record(data, at, kind, u16(data, at + head), head + 2, width)

    def stamp(self, data, at, uid, table):
        size = STAMP_SIZES[table].get(uid)
        if size is None or at + 1 + size > len(data):
            raise WireError('uid %d on a thread' % uid)
        stamp = int.from_bytes(data[at + 1:at + 1 + size], 'little') if size else None
        return Record(STAMP_KINDS[table][uid], data[at:at + 1 + size], stamp=stamp)

    def record_5(self, data, at):
        two = data[at] & 1
        uid, head = (u16(data, at) >> 1, 2) if two else (data[at] >> 1, 1)
        if uid == 1:
            size = u32(data, at) >> 13
            return self.whole(Record('aux', data[at:at + 4 + size], field=data[at + 1] & 31), 4 + size)
        if uid == 3:
            return Record('end', data[at:at + 1])
        if uid < BIAS_5:
            return self.stamp(data, at, uid, 7 if self.protocol == 7 else 5)
        kind, serial = self.type(uid), None
        if not kind.flags & NO_SYNC:
            serial, head = u24(data, at + head), head + 3
        return self.whole(Record('event', data[at:at + head + kind.size], kind, serial, head), head + kind.size)

    @staticmethod
    def whole(record, size):
        if len(record.data) != size:
            raise WireError('a record is cut')
        return record

    def record_important(self, data, at):
        uid, size = u16(data, at), u16(data, at + 2)
        record = Record('new', data[at:at + 4 + size], head=4)
        self.whole(record, 4 + size)
        if uid:
            record.kind, record.type = 'event', self.type(uid)
            if record.type.flags & HAS_AUX:
                record.blobs = self.important_blobs(record.data, 4 + record.type.size)
        return record

    @staticmethod
    def important_blobs(data, at):
        blobs = []
        while data[at] != 3:
            size = u32(data, at) >> 13
            if data[at] != 1:
                raise WireError('a blob does not fit')
            blobs.append((data[at + 1] & 31, data[at + 4:at + 4 + size]))
            at += 4 + size
        return blobs


def read(data):
    at = header_end(data)
    transport, protocol = data[at], data[at + 1]
    capture = Capture(data[:at + 2], transport, protocol, packet_list(data, at + 2, transport))
    streams = {}
    for packet in in_order(capture.packets, transport):
        if packet.tid != SYNC:
            streams.setdefault(packet.tid, []).append(packet.payload)
    splitter = Splitter(protocol)
    for tid in order_of_streams(streams):
        capture.streams[tid] = splitter.split(tid, b''.join(streams[tid]))
    capture.types = splitter.types
    return capture


def order_of_streams(streams):
    """Declarations first: they are on thread 0, or on whichever thread of protocols 1 to 4 has them."""
    return sorted(streams, key=lambda tid: (tid not in (0, 1, PSEUDO), tid))


# ---- events ----

@dataclasses.dataclass
class Event:
    tid: int
    type: Type
    serial: int
    fixed: bytes
    blobs: dict                                         # field -> bytes
    extra: bytes
    stamp: tuple = None                                 # (kind, value) of a scope that it opens

    @property
    def values(self):
        return field_values(self.type, self.fixed, self.blobs)


def values(record):
    blobs = {}
    for field, data in record.blobs or ():
        blobs[field] = blobs.get(field, b'') + data
    return field_values(record.type, record.fixed, blobs)


def field_values(kind, fixed, blobs):
    return {field.name: value(field, fixed, blobs.get(index, b'')) for index, field in enumerate(kind.fields)}


NUMBERS = {0x00: 'B', 0x01: 'H', 0x02: 'I', 0x03: 'Q', 0x10: 'b', 0x11: 'h', 0x12: 'i', 0x13: 'q', 0x42: 'f', 0x43: 'd'}


def value(field, fixed, blob):
    if field.size == 0 or field.info & 0x88:
        return blob_value(field.info, blob)
    size = min(field.size, 1 << (field.info & 3))
    return struct.unpack('<' + NUMBERS[field.info & 0x53], fixed[field.offset:field.offset + size])[0]


def blob_value(info, blob):
    if info & 0x08:
        if info & 3:
            return blob[:len(blob) & ~1].decode('utf-16-le', 'surrogatepass')
        return text(blob)
    size = 1 << (info & 3)
    return list(struct.unpack('<%d%s' % (len(blob) // size, NUMBERS[info & 0x53]), blob[:len(blob) // size * size]))


def text(data):
    """Narrow characters (8, item 1)."""
    try:
        return data.decode('utf-8')
    except UnicodeDecodeError:
        return data.decode('latin-1')


def events(capture, tid):
    """Events and stamps of a stream in order: Event, or (kind, value) of a stamp."""
    out, open_events = [], []
    for record in capture.streams[tid]:
        if record.kind == 'event':
            serial = None if tid == PSEUDO else record.serial
            event = Event(tid, record.type, serial, record.fixed, {}, record.extra)
            out.append(event)
            for field, data in record.blobs or ():
                event.blobs[field] = event.blobs.get(field, b'') + data
            if capture.protocol >= 5 and tid >= 2 and record.type.flags & HAS_AUX:
                open_events.append(event)
        elif record.kind == 'aux':
            if open_events:
                blobs = open_events[-1].blobs
                blobs[record.field] = blobs.get(record.field, b'') + record.data[4:]
        elif record.kind == 'end':
            if open_events:
                open_events.pop()
        elif record.kind != 'new':
            out.append((record.kind, record.stamp))
    return out
