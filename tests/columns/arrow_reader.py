"""A reader of Arrow's IPC format, written from its specification (Message.fbs, Schema.fbs, File.fbs) and in no hurry.

Numbers, booleans, texts in dictionaries, bytes. What it does not know is an error.
"""

import struct
import subprocess

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
        encoding = field.table(4)
        need((encoding is not None) == (self.kind == UTF8), 'a dictionary of type %d', self.kind)
        self.dictionary = encoding.number(0, 'q') if encoding else None
        if encoding:
            places = encoding.table(1)
            need((places.number(0, 'i'), places.number(1, 'B')) == (32, 1) and encoding.number(2, 'B') == 0, 'places of another form')

    def values(self, n, nulls, buffers):
        valid = next(buffers)
        need(bool(valid) == bool(nulls), 'bits of what is there with %d nulls', nulls)
        there = [not valid or valid[i // 8] >> i % 8 & 1 for i in range(n)]
        need(sum(not t for t in there) == nulls, '%d nulls', nulls)
        data = next(buffers)
        if self.kind == BOOL:
            values = [bool(data[i // 8] >> i % 8 & 1) for i in range(n)]
        elif self.kind == UTF8:
            values = list(struct.unpack('<%di' % n, data))
        elif self.kind == BINARY:
            values = texts(n, data, next(buffers))
        else:
            values = list(struct.unpack('<%d%s' % (n, self.letter), data))
        return [v if t else None for v, t in zip(values, there)]


def texts(n, data, text):
    ends = struct.unpack('<%di' % (n + 1), data)
    need(ends[0] == 0 and ends[-1] == len(text) and list(ends) == sorted(ends), 'offsets of texts')
    return [text[ends[i]:ends[i + 1]] for i in range(n)]


def buffers_of(header, body):
    """The buffers of a batch; where it is compressed each is its length and a frame of zstd."""
    places, compression = header.structs(2, 'qq'), header.table(3)
    need(all(at % 8 == 0 for at, _ in places), 'buffers that are not aligned')
    parts = [body[at:at + size] for at, size in places]
    if compression is None:
        return parts
    need(compression.number(0, 'b') == 1 and compression.number(1, 'b') == 0, 'compressed otherwise than by zstd')
    sizes = [struct.unpack_from('<q', part)[0] if part else 0 for part in parts]
    packed = b''.join(part[8:] for part in parts)
    whole = subprocess.run(['zstd', '-dc'], input=packed, capture_output=True, check=True).stdout if packed else b''
    ends = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    need(ends[-1] == len(whole), 'lengths of buffers')
    return [whole[ends[i]:ends[i + 1]] for i in range(len(sizes))]


class Stream:
    """In a file (at > 0) all parts of a dictionary belong together, wherever they stand; in a stream a batch has those in front."""

    def __init__(self, data, at=0):
        self.file, self.dictionaries, self.dictionary_blocks = at > 0, {}, []
        self.data, self.at, self.blocks, self.said = data, at, [], {}
        self.columns, self.values, self.rows = [], [], 0
        while self.message():
            pass
        if self.file:
            self.values = [self.resolve(column, values) for column, values in zip(self.columns, self.values)]

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
        {1: self.schema, 2: self.dictionary, 3: self.batch}[message.number(1, 'B')](header, self.data[self.at + 8 + size:self.at + 8 + size + body])
        if message.number(1, 'B') > 1:
            (self.blocks if message.number(1, 'B') == 3 else self.dictionary_blocks).append((self.at, 8 + size, body))
        self.at += 8 + size + body
        return True

    def schema(self, header, _):
        self.columns = [Column(field) for field in header.tables(1)]
        self.values = [[] for _ in self.columns]
        self.said = {pair.text(0): pair.text(1) for pair in header.tables(2)}

    def dictionary(self, header, body):
        number, batch, delta = header.number(0, 'q'), header.table(1), header.number(2, 'B')
        n, parts = batch.number(0, 'q'), buffers_of(batch, body)
        need(batch.structs(1, 'qq') == [(n, 0)] and len(parts) == 3 and not parts[0], 'a dictionary of another form')
        found = [text.decode() for text in texts(n, *parts[1:])]
        need(not delta or number in self.dictionaries, 'more of a dictionary that did not begin')
        need(len(set(found)) == n, 'a text twice in a dictionary')
        need(not self.file or delta or number not in self.dictionaries, 'another dictionary in a file')
        self.dictionaries[number] = self.dictionaries[number] + found if delta else found

    def resolve(self, column, values):
        if column.dictionary is None:
            return values
        known = self.dictionaries[column.dictionary]
        return [None if v is None else known[v] for v in values]

    def batch(self, header, body):
        n, nodes = header.number(0, 'q'), header.structs(1, 'qq')
        need(len(nodes) == len(self.columns), 'nodes of a batch')
        buffers = iter(buffers_of(header, body))
        for column, values, (length, nulls) in zip(self.columns, self.values, nodes):
            need(length == n, 'a column of %d rows', length)
            found = column.values(n, nulls, buffers)
            values.extend(found if self.file else self.resolve(column, found))
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
    dictionaries = [(at, metadata, body) for at, metadata, _, body in footer.structs(2, 'qiiq')]
    need(dictionaries == stream.dictionary_blocks, 'dictionaries of the footer')
    return stream


__all__ = ['Stream', 'Wrong', 'read_file']
