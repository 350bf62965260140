"""Changes of packets: their order, sizes, compression; of serials, and of the head of the file."""

import struct

import utrace_wire as wire
from utrace_draft import LARGEST

KEPT = ('$Trace', 'Trace')                              # loggers of events that are neither dropped nor doubled


def recut(made, rng):
    """Other packets: units of a thread that follow each other are divided anew."""
    made.largest = rng.choice((120, 400, 1000, LARGEST, 8000))
    place, last = 0, None
    for unit in made.units:
        if unit.tid != last or rng.random() < 0.2:
            place, last = place + 1, unit.tid
        unit.place = place


def interleave(made, rng):
    """Packets of different threads change places; those of declarations, definitions and of one thread do not."""
    blocks = []
    for unit in made.units:
        if not blocks or (blocks[-1][-1].tid, blocks[-1][-1].place) != (unit.tid, unit.place):
            blocks.append([])
        blocks[-1].append(unit)
    for _ in range(rng.choice((3, 30, 300))):
        at = rng.randrange(max(1, len(blocks) - 1))
        pair = blocks[at:at + 2]
        if len(pair) == 2 and pair[0][0].tid != pair[1][0].tid and all(movable(block) for block in pair):
            blocks[at:at + 2] = pair[::-1]
    made.units = [unit for block in blocks for unit in block]
    for place, block in enumerate(blocks):
        for unit in block:
            unit.place = place


def movable(block):
    return block[0].tid >= 2 and not any(record.kind == 'new' or record.type and record.type.logger in KEPT
                                         for unit in block for record in unit.records)


def compress(made, rng):
    made.encode = rng.choice((0, 0.3, 1))


def shift_serials(made, rng):
    if made.source.protocol >= 5:
        made.base = rng.choice((1, 1000, 0xFFFFFF, rng.randrange(1 << 24)))


def head(made, rng):
    """Another magic, other metadata, a transport that does the same."""
    capture = made.source
    transport, protocol = capture.transport, capture.protocol
    if protocol == 0:
        transport = rng.choice((1, 2))
        magic = rng.choice((b'', b'ECRT')) if transport == 1 else b'ECRT'
        capture.header = magic + bytes([transport, 0])
        if not magic:                                   # the four bytes 01 00 00 00 are part of what follows, too
            capture.header = b'\x01\0'
    else:
        transport = rng.choice((3, 4)) if protocol >= 5 else transport
        fields = [b'\x02\0' + rng.randbytes(2), b'\x10\x01' + rng.randbytes(16), b'\x10\x02' + rng.randbytes(16),
                  b'\x05\x77' + rng.randbytes(5)]
        block = b''.join(field for field in fields if rng.random() < 0.6)
        magic = rng.choice((b'ECRT', b'2CRT' + struct.pack('<H', len(block)) + block))
        capture.header = magic + bytes([transport, protocol])
        if transport == 3:
            made.units = [unit for unit in made.units if unit.tid != wire.SYNC]
    capture.transport = transport
