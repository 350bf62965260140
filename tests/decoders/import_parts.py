"""Where the events, packets, records and rows of captures of other tools stand, and what is inside of compressed packets.

Written from docs/format/import.md alone (cited as `import`). A part is (offset, size, thread or sequence).
"""

import json
import struct
import zlib

COMPRESSED, ZSTD, SEQUENCE = 50, 133, 10


class PartError(Exception):
    """The bytes are not what the paper says."""


# ---- Perfetto (5.1) ----

def varint(data, at):
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise PartError('a number is cut')
        value |= (data[at] & 0x7f) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value & (1 << 64) - 1, at
    raise PartError('a number is too long')


def put_varint(value):
    out = b''
    while value >= 0x80:
        out, value = out + bytes([value & 0x7f | 0x80]), value >> 7
    return out + bytes([value])


def fields(data):
    """(number, wire, value, offset) of each field of a message."""
    at = 0
    while at < len(data):
        first = at
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        if not number or wire not in (0, 1, 2, 5):
            raise PartError('no field at %d' % first)
        if wire == 0:
            value, at = varint(data, at)
        else:
            size = 8 if wire == 1 else 4 if wire == 5 else None
            if size is None:
                size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if at > len(data):
                raise PartError('a field is cut')
        yield number, wire, value, first


def packets(data):
    """(offset, size, sequence)."""
    starts = list(fields(data))
    for index, (_, wire, value, at) in enumerate(starts):
        end = starts[index + 1][3] if index + 1 < len(starts) else len(data)
        inner = {number: v for number, w, v, _ in fields(value)} if wire == 2 else {}
        yield at, end - at, inner.get(SEQUENCE)


def zstd_frame(data):
    """A frame of blocks that are not compressed."""
    out = struct.pack('<IBI', 0xFD2FB528, 0xA0, len(data))
    pieces = [data[at:at + 65536] for at in range(0, len(data), 65536)] or [b'']
    for index, piece in enumerate(pieces):
        out += struct.pack('<I', (index + 1 == len(pieces)) | len(piece) << 3)[:3] + piece
    return out


def compressed(data):
    """(offset, size, field, content) of each packet that has others inside."""
    for at, size, _ in packets(data):
        packet = next(fields(data[at:at + size]))[2]
        for number, _, value, _ in fields(packet) if isinstance(packet, bytes) else ():
            if number == COMPRESSED:
                yield at, size, number, zlib.decompress(value)


def packed(number, content):
    value = zlib.compress(content) if number == COMPRESSED else zstd_frame(content)
    inner = put_varint(number << 3 | 2) + put_varint(len(value)) + value
    return b'\x0a' + put_varint(len(inner)) + inner


# ---- Fuchsia (4.1) ----

def records(data):
    at = 0
    while at + 8 <= len(data):
        header = struct.unpack_from('<Q', data, at)[0]
        size = 8 * (header >> 4 & (0xFFFFFFFF if header & 15 == 15 else 0xFFF))
        if not size or at + size > len(data):
            raise PartError('a record of %d bytes at %d' % (size, at))
        yield at, size, None
        at += size


# ---- Chrome (3.1) ----

def events(data):
    """Each event with what follows it up to the next; bytes are read as letters, so that places are those of the file."""
    text, starts = data.decode('latin-1'), []
    at = text.find('[', max(0, text.find('"traceEvents"')))
    decoder = json.JSONDecoder(strict=False)
    while at >= 0:
        at = min((found for found in (text.find('{', at), text.find(']', at)) if found >= 0), default=-1)
        if at < 0 or text[at] == ']':
            break
        starts.append(at)
        try:
            at = decoder.raw_decode(text, at)[1]
        except ValueError as error:
            raise PartError('no JSON at %d' % at) from error
    for index, at in enumerate(starts):
        last = index + 1 == len(starts)
        end = decoder.raw_decode(text, at)[1] if last else starts[index + 1]
        yield at, end - at, None


def rows(data):
    at = 0
    for line in data.splitlines(keepends=True):
        yield at, len(line), None
        at += len(line)


PARTS = {'pftrace': packets, 'fxt': records, 'json': events, 'csv': rows}
