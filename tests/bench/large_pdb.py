"""Writes large PDB files: the modules of a small one again and again, each copy behind the last in its section."""

import struct

NO_STREAM, TEXT = 0xffff, 1
PROCEDURES, LINES = (0x110f, 0x1110, 0x1146, 0x1147), 0xf2


def number(data, at):
    return struct.unpack_from('<I', data, at)[0]


def short(data, at):
    return struct.unpack_from('<H', data, at)[0]


class Small:
    """A PDB as streams."""

    def __init__(self, data):
        self.data, self.block = data, number(data, 32)
        size, listed = number(data, 44), number(data, 52)
        blocks = struct.unpack_from('<%dI' % self.blocks(size), data, listed * self.block)
        directory, self.streams = b''.join(self.one(b) for b in blocks)[:size], []
        sizes = struct.unpack_from('<%dI' % number(directory, 0), directory, 4)
        at = 4 + 4 * len(sizes)
        for size in sizes:
            size = 0 if size == 0xffffffff else size
            blocks = struct.unpack_from('<%dI' % self.blocks(size), directory, at)
            at += 4 * len(blocks)
            self.streams.append(b''.join(self.one(b) for b in blocks)[:size])
        self.guid = self.streams[1][12:28]
        self.read_modules()

    def blocks(self, size):
        return -(-size // self.block)

    def one(self, block):
        return self.data[block * self.block:(block + 1) * self.block]

    def read_modules(self):
        dbi = self.streams[3]
        modules, parts, *rest = struct.unpack_from('<5I', dbi, 24)
        at, self.modules = 64, []
        while at < 64 + modules:
            end = dbi.index(0, dbi.index(0, at + 64) + 1) + 1
            end = (end + 3) & ~3
            self.modules.append(dbi[at:end])
            at = end
        self.parts = [dbi[i:i + 28] for i in range(at + 4, at + parts - 27, 28)]
        self.version, self.rest = dbi[at:at + 4], dbi[at + parts:]
        self.sections = short(self.rest, sum(rest) + number(dbi, 52) + 10)


def moved(module, stream, by):
    """A copy of the symbols and lines of a module, so many bytes further."""
    data, symbols = bytearray(stream), number(module, 36)
    at = 4
    while at + 4 <= symbols:
        if short(data, at + 2) in PROCEDURES and short(data, at + 36) == TEXT:
            struct.pack_into('<I', data, at + 32, number(data, at + 32) + by)
        at += 2 + short(data, at)
    at, end = symbols + number(module, 40), symbols + number(module, 40) + number(module, 44)
    while at + 8 <= end:
        if number(data, at) == LINES and short(data, at + 12) == TEXT:
            struct.pack_into('<I', data, at + 8, number(data, at + 8) + by)
        at += 8 + ((number(data, at + 4) + 3) & ~3)
    return bytes(data)


def write(small, path, copies):
    """Writes a PDB with so many copies; each begins so many bytes behind the one before: the result."""
    streams, modules, parts = list(small.streams), list(small.modules), list(small.parts)
    sections = bytearray(streams[small.sections])
    step = (number(sections, 8) + 0xfff) & ~0xfff
    for section in range(len(sections) // 40):
        at = 8 if section == 0 else 12      # the first one grows, and the others lie behind it
        struct.pack_into('<I', sections, 40 * section + at, number(sections, 40 * section + at) + step * copies)
    streams[small.sections] = bytes(sections)
    told = [i for i, module in enumerate(modules) if short(module, 34) != NO_STREAM and number(module, 44)]
    for copy in range(1, copies):
        for i in told:
            module = bytearray(small.modules[i])
            struct.pack_into('<H', module, 34, len(streams))
            for part in small.parts:
                if short(part, 16) == i and short(part, 0) == TEXT:
                    part = bytearray(part)
                    struct.pack_into('<I', part, 4, number(part, 4) + copy * step)
                    struct.pack_into('<H', part, 16, len(modules))
                    parts.append(bytes(part))
            streams.append(moved(module, small.streams[short(small.modules[i], 34)], copy * step))
            modules.append(bytes(module))
    parts.sort(key=lambda part: (short(part, 0), number(part, 4)))
    head, listed, ranges = bytearray(small.streams[3][:64]), b''.join(modules), small.version + b''.join(parts)
    struct.pack_into('<2I', head, 24, len(listed), len(ranges))
    streams[3] = bytes(head) + listed + ranges + small.rest
    put(small, path, streams)
    return step


def put(small, path, streams):
    """The streams as a file: blocks 1 and 2 of each stretch tell which blocks are free, which nobody asks."""
    places, next_block = [], 3

    def take(n):
        nonlocal next_block
        taken = []
        while len(taken) < n:
            if next_block % small.block not in (1, 2):
                taken.append(next_block)
            next_block += 1
        return taken

    for stream in streams:
        places.append(take(small.blocks(len(stream))))
    directory = struct.pack('<%dI' % (1 + len(streams)), len(streams), *map(len, streams))
    directory += b''.join(struct.pack('<%dI' % len(place), *place) for place in places)
    listed = take(small.blocks(len(directory)))
    heads = take(small.blocks(4 * len(listed)))
    with open(path, 'wb') as file:
        file.truncate(next_block * small.block)
        file.write(small.data[:32] + struct.pack('<6I', small.block, 1, next_block, len(directory), 0, heads[0]))
        for place, stream in zip([*places, listed, heads], [*streams, directory, struct.pack('<%dI' % len(listed), *listed)]):
            for i, block in enumerate(place):
                file.seek(block * small.block)
                file.write(stream[i * small.block:(i + 1) * small.block])
