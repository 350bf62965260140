"""A reader of Parquet, written from the format's specification (parquet.thrift, Encodings.md) and in no hurry.

Of flat tables with pages of version 1: PLAIN, RLE_DICTIONARY and DELTA_BINARY_PACKED. It checks what a writer promises:
checksums of pages, sizes and offsets, statistics, the order of sorted groups. What it does not know is an error.
"""

import struct
import subprocess
import zlib

BOOLEAN, INT32, INT64, FLOAT, DOUBLE, BYTE_ARRAY = 0, 1, 2, 4, 5, 6
UNCOMPRESSED, ZSTD = 0, 6
PLAIN, RLE, DELTA, DICTIONARY = 0, 3, 5, 8


class Wrong(Exception):
    pass


def need(condition, what, *values):
    if not condition:
        raise Wrong(what % values)


class Thrift:
    """Thrift's compact protocol: structs become dictionaries by id."""

    def __init__(self, data, at):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            b = self.byte()
            value |= (b & 0x7f) << shift
            shift += 7
            if b < 0x80:
                return value

    def zigzag(self):
        v = self.varint()
        return v >> 1 ^ -(v & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            n = self.varint()
            self.at += n
            need(self.at <= len(self.data), 'a text that goes beyond the end')
            return bytes(self.data[self.at - n:self.at])
        if kind == 9:
            head = self.byte()
            n = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(n)]
        need(kind == 12, 'type %d of thrift', kind)
        return self.struct()

    def struct(self):
        fields, last = {}, 0
        while True:
            head = self.byte()
            if head == 0:
                return fields
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            need(last not in fields, 'field %d twice', last)
            fields[last] = self.value(head & 15)


def hybrid(data, at, end, width, n):
    """Runs and packed groups, n values; only the last packed group may have more than are left."""
    values = []
    while len(values) < n:
        need(at < end, 'runs end after %d of %d values', len(values), n)
        reader = Thrift(data, at)
        head, at = reader.varint(), reader.at
        if head & 1:
            size = (head >> 1) * width
            bits = int.from_bytes(data[at:at + size], 'little')
            need(at + size <= end, 'a packed run goes beyond its page')
            count = min((head >> 1) * 8, n - len(values))
            need((head >> 1) * 8 - count < 8, 'whole groups behind the last value')
            mask = (1 << width) - 1
            for i in range(0, count, 64):    # pieces, as shifting all of it takes long
                piece = int.from_bytes(data[at + i * width // 8:at + (i + 64) * width // 8], 'little')
                values.extend(piece >> k * width & mask for k in range(min(64, count - i)))
            need(bits >> count * width == 0, 'bits behind the last value')
            at += size
        else:
            size = (width + 7) // 8
            need(head >> 1 > 0, 'an empty run')
            values.extend([int.from_bytes(data[at:at + size], 'little')] * (head >> 1))
            at += size
    need(len(values) == n, '%d values in place of %d', len(values), n)
    return values, at


def signed(v):
    return v - (1 << 64) if v >> 63 else v


def delta(data, at, n):
    reader = Thrift(data, at)
    block, parts, count, first = reader.varint(), reader.varint(), reader.varint(), reader.zigzag()
    need(count == n, '%d differences for %d values', count, n)
    need(block % 128 == 0 and block // parts % 32 == 0, 'blocks of %d in %d', block, parts)
    values, last = [first] if n else [], first
    while len(values) < n:
        least = reader.zigzag()
        widths = [reader.byte() for _ in range(parts)]
        for width in widths:
            size = block // parts
            if len(values) == n:
                need(width == 0, 'a width of a part that is not there')
                continue
            bits = int.from_bytes(data[reader.at:reader.at + size * width // 8], 'little')
            reader.at += size * width // 8
            for _ in range(min(size, n - len(values))):
                last = signed((last + least + (bits & (1 << width) - 1)) & (1 << 64) - 1)
                values.append(last)
                bits >>= width
    return values, reader.at


def plain(kind, data, at, n):
    if kind == BOOLEAN:
        return [bool(data[at + i // 8] >> i % 8 & 1) for i in range(n)], at + (n + 7) // 8
    if kind == BYTE_ARRAY:
        values = []
        for _ in range(n):
            size = int.from_bytes(data[at:at + 4], 'little')
            values.append(bytes(data[at + 4:at + 4 + size]))
            at += 4 + size
        return values, at
    letter, size = {INT64: ('q', 8), FLOAT: ('f', 4), DOUBLE: ('d', 8)}[kind]
    return list(struct.unpack_from('<%d%s' % (n, letter), data, at)), at + n * size


class File:
    """The footer of a file; its pages are read once they are unpacked, those of many files together."""

    def __init__(self, path):
        self.path, self.data = path, path.read_bytes()
        data = self.data
        need(data[:4] == b'PAR1' and data[-4:] == b'PAR1', 'no PAR1 at both ends')
        size = int.from_bytes(data[-8:-4], 'little')
        reader = Thrift(data, len(data) - 8 - size)
        self.footer = reader.struct()
        need(reader.at == len(data) - 8, 'the footer has another length than it says')
        self.said = {pair[1].decode(): pair[2].decode() for pair in self.footer.get(5, [])}
        schema = self.footer[2]
        need(schema[0][5] == len(schema) - 1, 'a root of %d columns of %d', schema[0][5], len(schema) - 1)
        need(all(c[3] == 1 for c in schema[1:]), 'columns that are not optional')
        need(len(self.footer[7]) == len(schema) - 1, 'orders of %d columns', len(self.footer[7]))
        self.names = [c[4].decode() for c in schema[1:]]
        self.kinds = [c[1] for c in schema[1:]]
        self.texts = [c.get(6) == 0 and 1 in c.get(10, {}) for c in schema[1:]]
        self.unsigned = [c.get(6) == 14 and c.get(10, {}).get(10) == {1: 64, 2: False} for c in schema[1:]]
        self.pages = list(self.find_pages())

    def find_pages(self):
        """Each page: group, column, header, bytes, codec. Pages lie one behind the other from byte 4 to the footer."""
        at, total = 4, 0
        for g, group in enumerate(self.footer[4]):
            need(group[5] == at, 'group %d begins at %d', g, at)
            need(sum(c[3][6] for c in group[1]) == group[2] and sum(c[3][7] for c in group[1]) == group[6], 'sizes of a group')
            total += group[3]
            for c, chunk in enumerate(group[1]):
                meta, begin, raw = chunk[3], at, 0
                need(meta[3] == [self.names[c].encode()] and meta[1] == self.kinds[c], 'another column')
                need(meta[5] == group[3], 'values of column %s', self.names[c])
                need(meta.get(11, meta[9]) == at, 'pages of column %s begin elsewhere', self.names[c])
                while at < begin + meta[7]:
                    reader = Thrift(self.data, at)
                    header = reader.struct()
                    if header[1] == 0:
                        need(at == meta[9], 'the page of data is at %d', at)
                        need(header[5][2] in meta[2], 'an encoding that the footer does not name')
                    body = self.data[reader.at:reader.at + header[3]]
                    need(zlib.crc32(body) == header[4] & 0xffffffff, 'checksum of a page of %s', self.names[c])
                    raw += reader.at - at + header[2]
                    at = reader.at + header[3]
                    yield g, c, header, body, meta[4]
                need(at == begin + meta[7] and raw == meta[6], 'sizes of column %s', self.names[c])
        need(total == self.footer[3], 'rows of all groups')

    def columns(self, bodies):
        """Values by column, of bodies that were unpacked."""
        columns = [[] for _ in self.names]
        dictionary = None
        for (g, c, header, _, _), body in zip(self.pages, bodies):
            need(len(body) == header[2], 'a page of %d bytes', len(body))
            if header[1] == 2:
                dictionary, at = plain(self.kinds[c], body, 0, header[7][1])
                need(at == len(body), 'bytes behind a dictionary')
                continue
            n = header[5][1]
            levels, end = hybrid(body, 4, 4 + int.from_bytes(body[:4], 'little'), 1, n)
            need(end == 4 + int.from_bytes(body[:4], 'little'), 'bytes behind levels')
            count = sum(levels)
            values, at = self.decode(header[5][2], c, body, end, count, dictionary)
            need(at == len(body), 'bytes behind the values of %s', self.names[c])
            self.check_statistics(self.footer[4][g][1][c][3][12], c, values, n)
            rest = iter(values)
            columns[c].append([next(rest) if level else None for level in levels])
        for g, group in enumerate(self.footer[4]):
            self.check_order(group, [column[g] for column in columns])
        return [sum(column, []) for column in columns]

    def decode(self, encoding, c, body, at, n, dictionary):
        if encoding == DICTIONARY:
            places, at = hybrid(body, at + 1, len(body), body[at], n)
            return [self.show(c, dictionary[p]) for p in places], at
        values, at = delta(body, at, n) if encoding == DELTA else plain(self.kinds[c], body, at, n)
        return [self.show(c, v) for v in values], at

    def show(self, c, v):
        if self.unsigned[c]:
            return v & (1 << 64) - 1
        return v.decode() if self.texts[c] else v

    def check_statistics(self, said, c, values, n):
        need(said[3] == n - len(values), 'nulls of %s', self.names[c])
        values = [v for v in values if v == v]      # no NaN
        if 5 not in said:
            return
        low, high = (plain(self.kinds[c], said[i], 0, 1)[0][0] if self.kinds[c] != BYTE_ARRAY else said[i] for i in (6, 5))
        low, high = (v if self.texts[c] else self.show(c, v) for v in (low, high))
        displayed = [v.encode() if self.texts[c] else v for v in values]
        need(values and min(displayed) >= low and max(displayed) <= high, 'statistics of %s', self.names[c])
        need(not said[8] or min(displayed) == low, 'the exact smallest value of %s', self.names[c])
        need(not said[7] or max(displayed) == high, 'the exact greatest value of %s', self.names[c])

    def check_order(self, group, columns):
        by = [s[1] for s in group.get(4, [])]
        rows = [tuple(columns[c][i].encode() if self.texts[c] else columns[c][i] for c in by) for i in range(group[3])] if by else []
        need(rows == sorted(rows), 'a group is not sorted as it says')


def unpack(pages):
    """The bodies of many pages; those of zstd by one run of its program."""
    packed = b''.join(body for _, _, _, body, codec in pages if codec == ZSTD)
    raw = subprocess.run(['zstd', '-dc'], input=packed, capture_output=True, check=True).stdout if packed else b''
    bodies, at = [], 0
    for _, _, header, body, codec in pages:
        if codec == ZSTD:
            body = raw[at:at + header[2]]
            at += header[2]
        bodies.append(body)
    need(at == len(raw), 'pages unpack to another size')
    return bodies


def read_all(paths):
    """For each file its File and columns."""
    files = [File(path) for path in paths]
    bodies = iter(unpack([page for f in files for page in f.pages]))
    return [(f, f.columns([next(bodies) for _ in f.pages])) for f in files]
