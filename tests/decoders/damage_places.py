"""What stands at a place of a sound capture, and what of the format could show that it is wrong: nothing, mostly.

explain() gives the sentence for a damage that nobody is reported of although figures differ.
"""

import tracy_file
import utrace_wire as wire

NO_CHECKSUM = 'no checksum, and any value is legal'
REASONS = {                                             # of a place in a .utrace
    'head of the file': 'session data that nothing else repeats',
    'head of a packet': 'the packet still fits the chain, and its thread exists',
    'LZ4 block': 'a literal of a block: it unpacks to the same size (wire 2.4)',
    'declaration': 'names, and the types of fields: ' + NO_CHECKSUM,
    'definition': 'texts and ids of definitions: ' + NO_CHECKSUM,
    'CPU batch': 'a timer or a time between those around it: ' + NO_CHECKSUM,
    'scope stamp': 'a time between those around it: ' + NO_CHECKSUM,
    'serial': 'a serial that fits the others',
    'event': 'fields of an event: ' + NO_CHECKSUM,
    'array data': 'elements of an array or characters of a text: ' + NO_CHECKSUM,
    'attachment': 'bytes that only their event knows: ' + NO_CHECKSUM,
}
PARTS = {                                               # of damages that leave every byte whole
    'packet lost': 'its thread goes on at an event, and no serial is missing between others (wire 9)',
    'packet doubled': 'events without a serial are not told apart from others that are equal (wire 9)',
    'packets exchanged': 'order within a thread is shown by serials and times only',
    'packet of another thread': 'a packet says nothing of its thread but the number (wire 2.3)',
    'cut': 'a recording has no end mark, and ends between two events (wire 10.1)',
    'two files joined': 'the second file begins like a packet',
}
PARTS['packets lost'] = PARTS['packet lost']
BATCH, WHOLE_FILE = 'CpuProfiler.EventBatch', 'head of the file'


class Places:
    """What stands where in a sound .utrace."""

    def __init__(self, data):
        self.capture, self.data = wire.read(data), data
        self.head = len(self.capture.header)
        self.streams = {}
        self.packets = []
        at = self.head
        for packet in self.capture.packets:
            size = self.size(at, packet)
            before = self.streams.get(packet.tid, 0)
            self.packets.append((at, size, packet, before))
            self.streams[packet.tid] = before + len(packet.payload)
            at += size

    def size(self, at, packet):
        if self.capture.transport == 1:
            return len(packet.payload)
        return wire.u16(self.data, at + (2 if self.capture.transport == 2 else 0)) + len(packet.counter)

    def at(self, offset):
        if offset < self.head:
            return WHOLE_FILE
        start, _, packet, before = next((found for found in reversed(self.packets) if found[0] <= offset))
        inside = offset - start - (0 if self.capture.transport == 1 else 4)
        if inside < 0 or packet.tid == wire.SYNC:
            return 'head of a packet'
        if packet.encoded:
            return 'LZ4 block' if inside > 1 else 'head of a packet'
        return self.record(packet.tid, before + inside) if self.capture.transport != 2 else 'event'

    def record(self, tid, at):
        for record in self.capture.streams[tid]:
            if at < len(record.data):
                return describe(record, at)
            at -= len(record.data)
        return 'event'


def describe(record, at):
    if record.kind == 'new':
        return 'declaration'
    if record.kind in ('aux', 'end'):
        return 'array data'
    if record.kind != 'event':
        return 'scope stamp'
    if record.type.flags & wire.IMPORTANT:
        return 'definition'
    if record.type.title.startswith(BATCH):
        return 'CPU batch'
    if record.serial is not None and record.head - 3 <= at < record.head:
        return 'serial'
    return 'attachment' if record.extra and at >= record.head + record.type.size else 'event'


def explain(capture, kind, data, offset):
    """One sentence: what in the format could have displayed this damage."""
    if capture.form == 'tracy':
        return tracy_reason(capture.data, data)
    if kind in PARTS:
        return PARTS[kind]
    return REASONS[Places(capture.data).at(offset)]


def tracy_reason(sound, damaged):
    """By the first byte of the payload that differs: which section it is in."""
    try:
        one, other = tracy_file.unpack(sound)[1], tracy_file.unpack(damaged)[1]
    except Exception as error:                          # noqa: BLE001: of a damaged file
        return 'what our own decoder refuses: %s' % error
    at = next((index for index, pair in enumerate(zip(one, other)) if pair[0] != pair[1]), min(len(one), len(other)))
    return 'section %s: %s' % (tracy_file.section_at(one, at), NO_CHECKSUM)
