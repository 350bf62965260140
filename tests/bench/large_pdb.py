"""Writes large PDB files: the modules of a small one again and again, each copy behind the last in its section."""

import struct

NO_STREAM, TEXT = 0xffff, 1
PROCEDURES, LINES = (0x110f, 0x1110, 0x1146, 0x1147), 0xf2
LINKS = {**dict.fromkeys(PROCEDURES, (4, 8, 12)), 0x1103: (4, 8), 0x114d: (4, 8)}    # parent, end, next


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


class Module:
    """The symbols and lines of a module, so often in one: a copy of all of it is the same bytes but for some numbers."""

    def __init__(self, head, stream, times, step):
        symbols, old, lines = number(head, 36), number(head, 40), number(head, 44)
        self.addresses, self.data = [], bytearray(stream[:4])
        for i in range(times):
            self.add_symbols(stream[4:symbols], i * step)
        self.symbols, first = len(self.data), symbols + old
        for i in range(times):
            self.add_lines(stream[first:first + lines], i * step, i == 0)
        self.head = bytearray(head)
        struct.pack_into('<3I', self.head, 36, self.symbols, 0, len(self.data) - self.symbols)
        self.data += stream[first + lines:]

    def __len__(self):
        return len(self.data)

    def keep(self, at, by):
        """A number that each copy has so many bytes further."""
        struct.pack_into('<I', self.data, at, number(self.data, at) + by)
        self.addresses.append((at, number(self.data, at)))

    def add_symbols(self, records, by):
        begin = len(self.data)
        self.data += records
        at = begin
        while at + 4 <= len(self.data):
            kind = short(self.data, at + 2)
            for link in LINKS.get(kind, ()):      # to other records, by where they are in the stream
                if number(self.data, at + link):
                    struct.pack_into('<I', self.data, at + link, number(self.data, at + link) + begin - 4)
            if kind in PROCEDURES and short(self.data, at + 36) == TEXT:
                self.keep(at + 32, by)
            at += 2 + short(self.data, at)

    def add_lines(self, parts, by, all_parts):
        at = 0
        while at + 8 <= len(parts):
            size = 8 + ((number(parts, at + 4) + 3) & ~3)
            if all_parts or number(parts, at) == LINES:
                begin = len(self.data)
                self.data += parts[at:at + size]
                if number(parts, at) == LINES and short(parts, at + 12) == TEXT:
                    self.keep(begin + 8, by)
            at += size

    def moved(self, by):
        data = bytearray(self.data)
        for at, value in self.addresses:
            struct.pack_into('<I', data, at, value + by)
        return data


class Moved:
    """A copy of a module, made when it is written."""

    def __init__(self, module, by):
        self.module, self.by = module, by

    def __len__(self):
        return len(self.module)

    def __bytes__(self):
        return bytes(self.module.moved(self.by))


def write(small, path, copies, times=1):
    """Writes a PDB with so many copies of its modules, each of which has their symbols and lines so often; each of these begins so many
    bytes behind the one before: the result."""
    streams, modules, parts = list(small.streams), list(small.modules), list(small.parts)
    sections = bytearray(streams[small.sections])
    step = (number(sections, 8) + 0xfff) & ~0xfff
    for section in range(len(sections) // 40):
        at = 8 if section == 0 else 12      # the first one grows, and the others lie behind it
        struct.pack_into('<I', sections, 40 * section + at, number(sections, 40 * section + at) + step * copies * times)
    streams[small.sections] = bytes(sections)
    reported = {i: Module(head, small.streams[short(head, 34)], times, step) for i, head in enumerate(small.modules)
            if short(head, 34) != NO_STREAM and number(head, 44)}
    contributed = {i: [part for part in small.parts if short(part, 16) == i and short(part, 0) == TEXT] for i in reported}
    for copy in range(copies):
        for i, module in reported.items():
            head = bytearray(module.head)
            if copy:
                struct.pack_into('<H', head, 34, len(streams))
                streams.append(Moved(module, copy * times * step))
                modules.append(head)
            else:
                streams[short(head, 34)], modules[i] = bytes(module.data), head
            for n in range(copy * times, (copy + 1) * times):
                for part in contributed[i] if n else ():
                    part = bytearray(part)
                    struct.pack_into('<I', part, 4, number(part, 4) + n * step)
                    struct.pack_into('<H', part, 16, len(modules) - 1 if copy else i)
                    parts.append(bytes(part))
    parts.sort(key=lambda part: (short(part, 0), number(part, 4)))
    head, listed, ranges = bytearray(small.streams[3][:64]), b''.join(modules), small.version + b''.join(parts)
    struct.pack_into('<2I', head, 24, len(listed), len(ranges))
    streams[3] = bytes(head) + listed + ranges + small.rest
    put(small, path, streams)
    return step


def runs(place):
    """Blocks that stand one behind the other: (first, how many)."""
    begin = 0
    for i in range(1, len(place) + 1):
        if i == len(place) or place[i] != place[i - 1] + 1:
            yield place[begin], i - begin
            begin = i


def put(small, path, streams):
    """The streams as a file: blocks 1 and 2 of each stretch tell which blocks are free, which nobody requests."""
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
            data, at = bytes(stream), 0
            for first, n in runs(place):
                file.seek(first * small.block)
                file.write(data[at:at + n * small.block])
                at += n * small.block
