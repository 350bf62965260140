"""Realistic damages: what disks, networks and programs do to a file. Each takes a Capture and gives other bytes, and where.

A damage that a capture cannot have (a lost packet of a file without packets) gives None.
"""

import dataclasses
import struct

import import_parts
import tracy_file
import utrace_wire as wire

SECTOR, PAGE = 512, 4096
RUN = 6                                                 # most packets of a run


@dataclasses.dataclass
class Capture:
    """A file, and where its packets, blocks (.tracy), events (.json), records (.fxt) or rows (.csv) stand: (offset, size,
    thread)."""
    name: str
    form: str
    data: bytes
    parts: list
    others: list                                        # bytes of other captures of the form

    @classmethod
    def of(cls, name, form, data, others):
        return cls(name, form, data, list(PARTS[form](data)), others)


def blocks(data):
    at = 6 if data[:4] == b'tr\xfdP' else 4
    while at < len(data):
        size = 4 + struct.unpack_from('<I', data, at)[0]
        yield at, size, None
        at += size


def packets(data):
    """Without those of transport 1, which has none, and with the counter behind packets of files of verification."""
    at = wire.header_end(data)
    transport, at = data[at], at + 2
    capture = wire.read(data)
    for packet in capture.packets if transport != 1 else ():
        size = wire.u16(data, at + (2 if transport == 2 else 0)) + len(packet.counter)
        yield at, size, packet.tid
        at += size


PARTS = {'utrace': packets, 'tracy': blocks, **import_parts.PARTS}


# ---- parts ----

def chosen(capture, rng, most=1):
    """A run of parts, and where it begins and ends; None where there are too few."""
    if len(capture.parts) < 3:
        return None
    n = rng.randint(1, min(most, len(capture.parts) - 1))
    first = rng.randrange(len(capture.parts) - n + 1)
    last = capture.parts[first + n - 1]
    return first, n, capture.parts[first][0], last[0] + last[1]


def lost(capture, rng, most=1):
    run = chosen(capture, rng, most)
    return run and (capture.data[:run[2]] + capture.data[run[3]:], run[2])


def lost_run(capture, rng):
    return lost(capture, rng, RUN)


def doubled(capture, rng):
    run = chosen(capture, rng, 2)
    return run and (capture.data[:run[3]] + capture.data[run[2]:], run[2])


def exchanged(capture, rng):
    """Two neighbours, or two that are near."""
    run = chosen(capture, rng)
    if not run or run[0] + 1 >= len(capture.parts):
        return None
    at, size, _ = capture.parts[run[0]]
    to, length, _ = capture.parts[min(run[0] + rng.choice((1, 1, 3)), len(capture.parts) - 1)]
    data = capture.data
    return data[:at] + data[to:to + length] + data[at + size:to] + data[at:at + size] + data[to + length:], at


def other_thread(capture, rng):
    """A packet says that it belongs to another thread, which there is."""
    threads = sorted({part[2] for part in capture.parts if part[2] is not None and 2 <= part[2] < wire.PSEUDO})
    own = [part for part in capture.parts if part[2] in threads]
    if capture.form != 'utrace' or len(threads) < 2 or wire.header_end(capture.data) == 0:
        return None
    at, _, tid = rng.choice(own)
    word = wire.u16(capture.data, at + 2) & ~wire.TID | rng.choice([other for other in threads if other != tid])
    return capture.data[:at + 2] + struct.pack('<H', word) + capture.data[at + 4:], at


# ---- bits and bytes ----

def bit(capture, rng):
    at = rng.randrange(len(capture.data))
    return capture.data[:at] + bytes([capture.data[at] ^ 1 << rng.randrange(8)]) + capture.data[at + 1:], at


def byte(capture, rng):
    at = rng.randrange(len(capture.data))
    return capture.data[:at] + rng.randbytes(1) + capture.data[at + 1:], at


def replaced(capture, rng, size, content):
    """An aligned piece with other content; None where the file has no such piece."""
    if len(capture.data) < size:
        return None
    at = rng.randrange(len(capture.data) // size) * size
    return capture.data[:at] + content(at) + capture.data[at + size:], at


def zeroed(size):
    return lambda capture, rng: replaced(capture, rng, size, lambda at: bytes(size))


def removed(size):
    return lambda capture, rng: replaced(capture, rng, size, lambda at: b'')


def noise(size):
    return lambda capture, rng: replaced(capture, rng, size, lambda at: rng.randbytes(size))


def stale(size):
    """What stood there before: a piece of another capture, or of this one."""
    def apply(capture, rng):
        def content(at):
            old = rng.choice([other for other in (*capture.others, capture.data) if len(other) >= size])
            start = min(at, len(old) - size) if old is not capture.data else rng.randrange(len(old) // size) * size
            return old[start:start + size]
        return replaced(capture, rng, size, content)
    return apply


# ---- inside of what is compressed ----

def changed(data, rng):
    """One byte of it, or one bit."""
    at = rng.randrange(len(data))
    new = data[at] ^ 1 << rng.randrange(8) if rng.random() < 0.5 else rng.randrange(256)
    return data[:at] + bytes([new]) + data[at + 1:], at


def inside_utrace(capture, rng):
    read = wire.read(capture.data)
    encoded = [packet for packet in read.packets if packet.encoded and packet.payload]
    if not encoded:
        return None
    packet = rng.choice(encoded)
    packet.payload, at = changed(packet.payload, rng)
    return wire.write(read.header, read.transport, read.packets), at


def inside_tracy(capture, rng):
    box, payload = tracy_file.unpack(capture.data)
    payload, at = changed(payload, rng)
    return tracy_file.pack(box, payload), at


def inside_pftrace(capture, rng):
    places = list(import_parts.compressed(capture.data))
    if not places:
        return None
    at, size, number, content = rng.choice(places)
    if not content:
        return None
    content, _ = changed(content, rng)
    return capture.data[:at] + import_parts.packed(number, content) + capture.data[at + size:], at


INSIDE = {'utrace': inside_utrace, 'tracy': inside_tracy, 'pftrace': inside_pftrace}


def inside(capture, rng):
    return INSIDE[capture.form](capture, rng) if capture.form in INSIDE else None


# ---- the end ----

def cut(capture, rng):
    at = rng.randrange(1, len(capture.data))
    return capture.data[:at], at


def tail_of_zeros(capture, rng):
    at = rng.randrange(1, len(capture.data))
    return capture.data[:at] + bytes(len(capture.data) - at), at


def joined(capture, rng):
    return capture.data + rng.choice(capture.others), len(capture.data)


KINDS = {
    'bit': bit, 'byte': byte, 'byte inside of compressed data': inside, 'packet lost': lost, 'packets lost': lost_run, 'packet doubled': doubled,
    'packets exchanged': exchanged, 'packet of another thread': other_thread,
    'sector zeroed': zeroed(SECTOR), 'sector lost': removed(SECTOR), 'sector stale': stale(SECTOR),
    'sector random': noise(SECTOR), 'page zeroed': zeroed(PAGE), 'page lost': removed(PAGE), 'page stale': stale(PAGE),
    'page random': noise(PAGE), 'cut': cut, 'tail of zeros': tail_of_zeros, 'two files joined': joined,
}
