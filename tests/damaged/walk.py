"""A small reader of packets and event headers, only to know how many events each packet of a sound capture holds.

Protocols 5 to 7 over transports 3 and 4; of protocols 1 to 4 only where packets are. It follows the layout of the wire
and nothing else: no values, no order, no repair.

  packet       u16 size with header, u16 thread | 0x8000 if LZ4, [u16 unpacked size], payload
  thread 0     declarations:      u16 0, u16 size, record
  thread 1     important events:  u16 uid, u16 size, content
  the others   records: u8 code (even) or u16 uid * 2 + 1; [u24 serial]; fixed fields; with array data until a terminal
"""

import bisect
import collections
import dataclasses
import functools
import struct

OLD_HEAD = 6                                            # bytes before the first packet in protocols 1 to 4
SYNC, PARTIAL = 0x3FFF, 0x4000
NO_SYNC, HAS_AUX = 4, 2
AUX, TERMINAL = 1, 3                                    # uids on threads
BODIES = {4: 0, 5: 0, 6: 8, 7: 8, 8: 7, 9: 7, 12: 7}    # bytes behind the code of scope records


@dataclasses.dataclass
class Packet:
    offset: int
    size: int                                           # in the file, header included
    thread: int
    payload: bytes
    events: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    @property
    def end(self):
        return self.offset + self.size


def unpack(block, size):
    """An LZ4 block."""
    out, at = bytearray(), 0
    while True:
        token = block[at]
        at, literals = _length(block, at + 1, token >> 4)
        out += block[at:at + literals]
        at += literals
        if at >= len(block):
            break
        distance = struct.unpack_from('<H', block, at)[0]
        at, match = _length(block, at + 2, token & 15)
        start, match = len(out) - distance, match + 4
        if distance >= match:
            out += out[start:start + match]
        else:                                           # the match overlaps what it makes
            out += (out[start:] * (match // distance + 1))[:match]
    if len(out) != size:
        raise ValueError('a block of %d bytes instead of %d' % (len(out), size))
    return bytes(out)


def _length(block, at, start):
    value = start
    while start == 15:
        value += block[at]
        at += 1
        if block[at - 1] != 255:
            break
    return at, value


def header_size(data):
    if data[:4] != b'2CRT':
        raise ValueError('not the usual magic')
    return 6 + struct.unpack_from('<H', data, 4)[0] + 2


def packets(data):
    """All packets; sync packets have no payload."""
    at = header_size(data)
    while at < len(data):
        size, thread = struct.unpack_from('<HH', data, at)
        if thread & SYNC != SYNC and thread & PARTIAL:
            raise ValueError('a packet that may begin inside a record')
        if thread & 0x8000:
            payload = unpack(data[at + 6:at + size], struct.unpack_from('<H', data, at + 4)[0])
        else:
            payload = data[at + 4:at + size]
        yield Packet(at, size, thread & SYNC, payload)
        at += size


def old_packets(data):
    """(offset, size, thread) of each packet of protocols 1 to 4."""
    at = OLD_HEAD
    while at + 4 <= len(data):
        size, thread = struct.unpack_from('<HH', data, at)
        yield at, size, thread
        at += size


@dataclasses.dataclass
class Type:
    name: str
    flags: int
    size: int                                           # of the fixed fields


def declaration(body, protocol):
    """(uid, Type) of a record of type declaration."""
    uid, count, flags, logger, event = struct.unpack_from('<HBBBB', body)
    width, size = (8, 0) if protocol >= 6 else (6, 0)
    for at in range(6, 6 + count * width, width):
        family = body[at] if protocol >= 6 else 0
        if family == 0:
            size += struct.unpack_from('<H', body, at + (4 if protocol >= 6 else 2))[0]
        else:
            size += 1 << (body[at + (6 if family == 1 else 7)] & 3)
    names = body[6 + count * width:]
    return uid, Type('%s.%s' % (names[:logger].decode(), names[logger:logger + event].decode()), flags, size)


def sized_records(stream):
    """(offset, uid, content) of the records of threads 0 and 1."""
    at = 0
    while at + 4 <= len(stream):
        uid, size = struct.unpack_from('<HH', stream, at)
        yield at, uid, stream[at + 4:at + 4 + size]
        at += 4 + size


def thread_records(packet, types):
    """(offset, code, type) of the records of an ordinary thread; packets begin with one. Only events have a type."""
    data, at = packet.payload, 0
    while at < len(data):
        code, start, kind = data[at], at, None
        if code & 1:
            kind = types[struct.unpack_from('<H', data, at)[0] >> 1]
            at += 2 + (0 if kind.flags & NO_SYNC else 3) + kind.size
        elif code >> 1 == AUX:
            at += 4 + (struct.unpack_from('<I', data, at)[0] >> 13)
        elif code >> 1 == TERMINAL:
            at += 1
        else:
            at += 1 + BODIES[code >> 1]
        yield start, code, kind


def count_thread(packet, types):
    """Counts the events that begin in a packet of an ordinary thread."""
    packet.events.update(kind.name for _, _, kind in thread_records(packet, types) if kind)


class Capture:
    """The packets of a sound capture with the events that each holds."""

    def __init__(self, data):
        self.size = len(data)
        self.header = header_size(data)
        protocol = data[self.header - 1]
        if protocol not in (5, 6, 7):
            raise ValueError('protocol %d' % protocol)
        self.packets = list(packets(data))
        declared = b''.join(packet.payload for packet in self.packets if packet.thread == 0)
        self.types = dict(declaration(body, protocol) for _, _, body in sized_records(declared))
        self._count_important()
        for packet in self.packets:
            if packet.thread > 1:
                count_thread(packet, self.types)

    def _count_important(self):
        """An important event may lie in several packets: it counts for the last of them."""
        own = [packet for packet in self.packets if packet.thread == 1]
        ends, total = [], 0
        for packet in own:
            total += len(packet.payload)
            ends.append(total)
        for at, uid, body in sized_records(b''.join(packet.payload for packet in own)):
            index = next(index for index, end in enumerate(ends) if at + 4 + len(body) <= end)
            own[index].events[self.types[uid].name] += 1

    def count(self, wanted=lambda packet: True):
        """Logger.Event -> number of events in the packets that are wanted."""
        return sum((packet.events for packet in self.packets if wanted(packet)), collections.Counter())

    @functools.cached_property
    def ends(self):
        return [packet.end for packet in self.packets]

    @functools.lru_cache(maxsize=None)
    def count_first(self, n, but=None):
        """The events of the first n packets; with `but` also those of all packets of other threads than that."""
        return sum((packet.events for place, packet in enumerate(self.packets)
                    if place < n or (but is not None and packet.thread != but)), collections.Counter())

    def packets_within(self, size):
        """How many packets lie within the first `size` bytes."""
        return bisect.bisect_right(self.ends, size)

    def ends_inside(self, size):
        """Is the capture cut inside a packet when it is cut to this size?"""
        n = self.packets_within(size)
        return size > self.header and size != self.size and (n == 0 or self.ends[n - 1] != size)
