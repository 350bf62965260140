"""A reader of Arrow's IPC format, written from its specification (Message.fbs, Schema.fbs, File.fbs) and in no hurry.

Of tables without dictionaries: numbers, booleans, texts, bytes. What it does not know is an error.
"""

import struct

from parquet_reader import Wrong, need

INT, FLOAT, BINARY, UTF8, BOOL = 2, 3, 4, 5, 6


class Flat:
    """A table of a FlatBuffer."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.vtable = at - struct.unpack_from('<i', data, at)[0]

    @classmethod
    def root(cls, data):
        return cls(data, struct.unpack_from('<I', data)[0])

    def place(self, slot):
        size, = struct.unpack_from('<H', self.data, self.vtable)
        offset = struct.unpack_from('<H', self.data, self.vtable + 4 + 2 * slot)[0] if 4 + 2 * slot < size else 0
        return self.at + offset if offset else None

    def number(self, slot, kind, usual=0):
        at = self.place(slot)
        if at is None:
            return usual
        need(at % struct.calcsize(kind) == 0, 'a number that is not aligned')
        return struct.unpack_from('<' + kind, self.data, at)[0]

    def target(self, slot):
        at = self.place(slot)
        return None if at is None else at + struct.unpack_from('<I', self.data, at)[0]

    def table(self, slot):
        at = self.target(slot)
        return None if at is None else Flat(self.data, at)

    def text(self, slot):
        at = self.target(slot)
        n, = struct.unpack_from('<I', self.data, at)
        need(self.data[at + 4 + n] == 0, 'a text without a 0 behind it')
        return self.data[at + 4:at + 4 + n].decode()

    def tables(self, slot):
        at = self.target(slot)
        if at is None:
            return []
        n, = struct.unpack_from('<I', self.data, at)
        return [Flat(self.data, at + 4 + 4 * i + struct.unpack_from('<I', self.data, at + 4 + 4 * i)[0]) for i in range(n)]

    def structs(self, slot, kind):
        at = self.target(slot)
        n, = struct.unpack_from('<I', self.data, at)
        need((at + 4) % 8 == 0, 'structs that are not aligned')
        return list(struct.iter_unpack('<' + kind, self.data[at + 4:at + 4 + n * struct.calcsize('<' + kind)]))


class Column:
    def __init__(self, field):
        self.name, self.kind = field.text(0), field.number(2, 'B')
        self.said = {pair.text(0): pair.text(1) for pair in field.tables(6)}
        need(field.number(1, 'B') == 1 and field.target(5) is not None and not field.tables(5), 'a field of another form')
        kind = field.table(3)
        if self.kind == INT:
            need(kind.number(0, 'i') == 64, 'whole numbers of %d bits', kind.number(0, 'i'))
            self.letter = 'q' if kind.number(1, 'B') else 'Q'
        elif self.kind == FLOAT:
            self.letter = {1: 'f', 2: 'd'}[kind.number(0, 'h')]
        else:
            need(self.kind in (BINARY, UTF8, BOOL), 'type %d', self.kind)

    def values(self, n, nulls, buffers):
        valid = next(buffers)
        need(bool(valid) == bool(nulls), 'bits of what is there with %d nulls', nulls)
        there = [not valid or valid[i // 8] >> i % 8 & 1 for i in range(n)]
        need(sum(not t for t in there) == nulls, '%d nulls', nulls)
        data = next(buffers)
        if self.kind == BOOL:
            values = [bool(data[i // 8] >> i % 8 & 1) for i in range(n)]
        elif self.kind in (UTF8, BINARY):
            ends, text = struct.unpack('<%di' % (n + 1), data), next(buffers)
            need(ends[0] == 0 and ends[-1] == len(text) and list(ends) == sorted(ends), 'offsets of texts')
            values = [text[ends[i]:ends[i + 1]] for i in range(n)]
            values = [v.decode() for v in values] if self.kind == UTF8 else values
        else:
            values = list(struct.unpack('<%d%s' % (n, self.letter), data))
        return [v if t else None for v, t in zip(values, there)]


class Stream:
    def __init__(self, data, at=0):
        self.data, self.at, self.blocks, self.said = data, at, [], {}
        self.columns, self.values, self.rows = [], [], 0
        while self.message():
            pass

    def message(self):
        mark, size = struct.unpack_from('<II', self.data, self.at)
        need(mark == 0xffffffff and (8 + size) % 8 == 0, 'no message at %d', self.at)
        if size == 0:
            self.at += 8
            return False
        message = Flat.root(self.data[self.at + 8:self.at + 8 + size])
        body = message.number(3, 'q')
        need(message.number(0, 'h') == 4 and body % 8 == 0, 'a message of another version')
        header = message.table(2)
        {1: self.schema, 3: self.batch}[message.number(1, 'B')](header, self.data[self.at + 8 + size:self.at + 8 + size + body])
        if message.number(1, 'B') == 3:
            self.blocks.append((self.at, 8 + size, body))
        self.at += 8 + size + body
        return True

    def schema(self, header, _):
        self.columns = [Column(field) for field in header.tables(1)]
        self.values = [[] for _ in self.columns]
        self.said = {pair.text(0): pair.text(1) for pair in header.tables(2)}

    def batch(self, header, body):
        need(header.table(3) is None, 'a compressed batch')
        n, nodes, places = header.number(0, 'q'), header.structs(1, 'qq'), header.structs(2, 'qq')
        need(len(nodes) == len(self.columns) and all(at % 8 == 0 for at, _ in places), 'nodes of a batch')
        buffers = iter([body[at:at + size] for at, size in places])
        for column, values, (length, nulls) in zip(self.columns, self.values, nodes):
            need(length == n, 'a column of %d rows', length)
            values.extend(column.values(n, nulls, buffers))
        need(next(buffers, None) is None, 'more buffers than columns have')
        self.rows += n


def read_file(data):
    need(data[:8] == b'ARROW1\0\0' and data[-6:] == b'ARROW1', 'no ARROW1 at both ends')
    stream = Stream(data, 8)
    size, = struct.unpack_from('<i', data, len(data) - 10)
    need(stream.at == len(data) - 10 - size, 'bytes between the stream and its footer')
    footer = Flat.root(data[stream.at:stream.at + size])
    need(footer.number(0, 'h') == 4, 'a footer of another version')
    need([c.text(0) for c in footer.table(1).tables(1)] == [c.name for c in stream.columns], 'another schema in the footer')
    blocks = [(at, metadata, body) for at, metadata, _, body in footer.structs(3, 'qiiq')]
    need(blocks == stream.blocks, 'blocks of the footer')
    return stream


__all__ = ['Stream', 'Wrong', 'read_file']
