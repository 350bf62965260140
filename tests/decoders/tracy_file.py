"""The bytes of a .tracy: container and payload. Written from docs/format/tracy-file.md alone (cited as `tracy-file`).

One description of each section serves for both ways: with a Source a section takes values out of bytes, with a Sink it
puts them there. read(data) gives a Trace, write(trace) its bytes. Lists of records that nobody counts stay bytes.
"""

import dataclasses
import struct

import blocks

LZ4_OLD, ZSTD_OLD, STREAMS = b'tlZ\x04', b'tZst', b'tr\xfdP'
LZ4, ZSTD = 0, 1


class FileError(Exception):
    """The bytes are not what the paper says."""


# ---- the container (1) ----

@dataclasses.dataclass
class Container:
    magic: bytes
    codec: int
    streams: int
    level: int = 3


def unpack(data):
    """(Container, payload)."""
    magic, at = data[:4], 4
    if magic == STREAMS:
        box, at = Container(magic, data[4], data[5]), 6
    elif magic in (LZ4_OLD, ZSTD_OLD):
        box = Container(magic, ZSTD if magic == ZSTD_OLD else LZ4, 1)
    else:
        raise FileError('no magic')
    if box.codec > ZSTD or not box.streams:
        raise FileError('codec %d, %d streams' % (box.codec, box.streams))
    before, readers, out, index = {}, {}, [], 0
    while at < len(data):
        size = struct.unpack_from('<I', data, at)[0]
        block, stream = data[at + 4:at + 4 + size], index % box.streams
        if len(block) < size:
            raise FileError('a block of %d bytes is cut' % size)
        if box.codec == ZSTD:
            readers.setdefault(stream, blocks.ZstdReader())
            out.append(readers[stream](block))
        else:
            out.append(blocks.lz4_unpack(block, blocks.BLOCK, before.get(stream, b'')))
            before[stream] = out[-1]
        at, index = at + 4 + size, index + 1
    return box, b''.join(out)


def pack(box, payload):
    head = box.magic + (bytes([box.codec, box.streams]) if box.magic == STREAMS else b'')
    writers, out = {}, [head]
    for index, at in enumerate(range(0, len(payload), blocks.BLOCK)):
        stream, data = index % box.streams, payload[at:at + blocks.BLOCK]
        if box.codec == ZSTD:
            writers.setdefault(stream, blocks.ZstdWriter(box.level))
            data = writers[stream](data)
        else:
            data = blocks.lz4_pack(data)
        out.append(struct.pack('<I', len(data)) + data)
    return b''.join(out)


# ---- values, both ways (3) ----

def wrap(value):
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


class Source:
    """Values come out of bytes; what is given to its methods is not looked at."""

    def __init__(self, data):
        self.data, self.at, self.marks = data, 0, []

    def mark(self, name):
        self.marks.append((self.at, name))

    def raw(self, size, _=b''):
        self.at += size
        if self.at > len(self.data):
            raise FileError('the payload ends at %d' % len(self.data))
        return self.data[self.at - size:self.at]

    def one(self, code, _=0):
        return struct.unpack('<' + code, self.raw(struct.calcsize('<' + code)))[0]

    def many(self, codes, _=()):
        return struct.unpack('<' + codes, self.raw(struct.calcsize('<' + codes)))

    def text(self, _=b'', code='Q'):
        return self.raw(self.one(code))

    def time(self, clock, _=0):
        clock[0] = wrap(clock[0] + self.one('q'))
        return clock[0]

    def list(self, item, _=(), code='Q'):
        return [item(self, None) for _ in range(self.one(code))]


class Sink:
    """Values become bytes."""

    def __init__(self):
        self.data = bytearray()

    def mark(self, name):
        pass

    def raw(self, _, data):
        self.data += data
        return data

    def one(self, code, value):
        self.data += struct.pack('<' + code, value)
        return value

    def many(self, codes, values):
        self.data += struct.pack('<' + codes, *values)
        return values

    def text(self, data, code='Q'):
        self.one(code, len(data))
        return self.raw(0, data)

    def time(self, clock, value):
        self.one('q', wrap(value - clock[0]))
        clock[0] = value
        return value

    def list(self, item, values, code='Q'):
        self.one(code, len(values))
        for value in values:
            item(self, value)
        return values


# ---- records: each is a tuple or a dict of what stands in it ----

def record(io, value, codes):
    """A record of a few values without times."""
    return io.many(codes, value or ())


def texts(io, value, count):
    return [io.text(item) for item in (value or [b''] * count)]


def keyed_text(io, value):
    key, data = value or (0, b'')
    return io.one('Q', key), io.text(data)


def frame_set(io, value):
    value = value or {'name': 0, 'continuous': 0, 'frames': ()}
    made = {'name': io.one('Q', value['name']), 'continuous': io.one('B', value['continuous'])}
    clock = [0]

    def frame(io, item):
        start, end, image = item or (0, 0, 0)
        start = io.time(clock, start)
        end = None if made['continuous'] else io.time(clock, end)
        return start, end, io.one('i', image)

    made['frames'] = io.list(frame, value['frames'])
    return made


def lock(io, value):
    head = io.many('I3shBBqq', value['head'] if value else ())
    threads = io.list(lambda io, item: io.one('Q', item), value['threads'] if value else ())
    clock = [head[5]]

    def event(io, item):
        return (io.time(clock, item[0] if item else 0), *io.many('hBB', item[1:] if item else ()))

    return {'head': head, 'threads': threads, 'events': io.list(event, value['events'] if value else ())}


def message_of(version, clock):
    def message(io, value):
        key, time, rest = value or (0, 0, b'')
        return io.one('Q', key), io.time(clock, time), io.raw(18 if version >= (0, 13, 2) else 16, rest)
    return message


def sample_of(clock):
    def sample(io, value):
        time, callstack = value or (0, b'')
        return io.time(clock, time), io.raw(3, callstack)
    return sample


def zones(io, roots, size):
    """A tree without recursion: [location, start, extra, children, end]; children in lists."""
    clock, top = [0], roots if roots is not None else []
    stack = [[top, io.one('I', len(top) if roots is not None else 0), 0, None]]
    while stack:
        level, count, done, parent = stack[-1]
        if done == count:
            stack.pop()
            if parent is not None:
                parent[4] = io.time(clock, parent[4])
            continue
        stack[-1][2] += 1
        zone = level[done] if roots is not None else [0, 0, 0, [], 0]
        if roots is None:
            level.append(zone)
        zone[0] = io.one('h', zone[0])
        zone[1] = io.time(clock, zone[1])
        zone[2] = io.one('I', zone[2])
        stack.append([zone[3], io.one('I', len(zone[3])), 0, zone])
    return top


def gpu_zones(io, roots, version):
    """A tree of [cpu start, gpu start, rest, children, cpu end, gpu end, query]."""
    cpu, gpu, top = [0], [0], roots if roots is not None else []
    stack = [[top, io.one('Q', len(top) if roots is not None else 0), 0, None]]
    while stack:
        level, count, done, parent = stack[-1]
        if done == count:
            stack.pop()
            if parent is not None:
                parent[4], parent[5] = io.time(cpu, parent[4]), io.time(gpu, parent[5])
                parent[6] = io.one('H', parent[6]) if version >= (0, 12, 4) else 0
            continue
        stack[-1][2] += 1
        zone = level[done] if roots is not None else [0, 0, b'', [], 0, 0, 0]
        if roots is None:
            level.append(zone)
        zone[0], zone[1], zone[2] = io.time(cpu, zone[0]), io.time(gpu, zone[1]), io.raw(7, zone[2])
        stack.append([zone[3], io.one('Q', len(zone[3])), 0, zone])
    return top


def thread_of(version):
    def thread(io, value):
        value = value or dict.fromkeys(('tid', 'count', 'kernel', 'fiber', 'hint'), 0) | {
            'zones': None, 'messages': (), 'switch_samples': (), 'samples': ()}
        made = {'tid': io.one('Q', value['tid']), 'count': io.one('Q', value['count']), 'kernel': io.one('Q', value['kernel']),
                'fiber': io.one('B', value['fiber']), 'hint': io.one('i', value['hint']) if version >= (0, 11, 1) else 0}
        made['zones'] = zones(io, value['zones'], made['count'])
        made['messages'] = io.list(lambda io, item: io.one('Q', item), value['messages'])
        made['switch_samples'] = io.list(sample_of([0]), value['switch_samples'])
        made['samples'] = io.list(sample_of([0]), value['samples'])
        return made
    return thread


def gpu_of(version):
    def context(io, value):
        value = value or {'head': (), 'notes': (), 'timelines': (), 'values': ()}
        made = {'head': io.many('QBQfB3sQ', value['head'])}
        notes = version >= (0, 12, 4)
        made['notes'] = io.list(lambda io, item: record(io, item, 'q3s'), value['notes']) if notes else ()

        def timeline(io, item):
            return io.one('Q', item[0] if item else 0), gpu_zones(io, item[1] if item else None, version)

        made['timelines'] = io.list(timeline, value['timelines'])

        def query(io, item):
            item = item or (0, ())
            return io.one('H', item[0]), io.list(lambda io, one: record(io, one, 'qd'), item[1])

        made['values'] = io.list(query, value['values']) if notes else ()
        return made
    return context


def plot_of(version):
    def plot(io, value):
        value = value or {'head': (), 'style': (), 'name': 0, 'sums': (), 'points': ()}
        made = {'head': io.many('BB', value['head'])}
        made['style'] = io.many('BBI', value['style']) if version >= (0, 8, 3) else ()
        made['name'], made['sums'] = io.one('Q', value['name']), io.many('ddd', value['sums'])
        clock = [0]

        def point(io, item):
            time, number = item or (0, 0.0)
            return io.time(clock, time), io.one('d', number)

        made['points'] = io.list(point, value['points'])
        return made
    return plot


def pool(io, value):
    value = value or {'name': 0, 'active': 0, 'frees': 0, 'events': (), 'tail': ()}
    made, clock = {'name': io.one('Q', value['name'])}, [0]
    count = io.one('Q', len(value['events']))
    made['active'], made['frees'] = io.one('Q', value['active']), io.one('Q', value['frees'])

    def event(io, item):
        address, size, stacks, time, freed, threads = item or (0, 0, b'', 0, 0, b'')
        return (io.one('Q', address), io.one('Q', size), io.raw(6, stacks), io.time(clock, time), io.one('q', freed),
                io.raw(4, threads))

    made['events'] = [event(io, value['events'][i] if value['events'] else None) for i in range(count)]
    made['tail'] = io.many('QQQQ', value['tail'])
    return made


def callstack(io, value):
    return io.list(lambda io, item: io.one('Q', item), value or (), 'H')


def code_frame(io, value):
    value = value or (0, b'', ())
    number, count = io.one('Q', value[0]), io.one('B', len(value[2]))
    image = io.raw(3, value[1])
    return number, image, [io.raw(18, value[2][i] if value[2] else b'') for i in range(count)]


def image(io, value):
    value = value or ((0, 0, 0), b'')
    head = io.many('HHB', value[0])
    return head, io.raw(head[0] * head[1] // 2, value[1])


def switches_of(version):
    def thread(io, value):
        tid, items = value or (0, ())
        tid, clock = io.one('Q', tid), [0]

        def switch(io, item):
            wake, start, end, rest = item or (0, 0, 0, b'')
            return (io.time(clock, wake), io.time(clock, start), io.time(clock, end),
                    io.raw(12 if version >= (0, 11, 3) else 11, rest))

        return tid, io.list(switch, items)
    return thread


def cpu_list(io, value):
    clock = [0]

    def switch(io, item):
        start, end, other = item or (0, 0, 0)
        return io.time(clock, start), io.time(clock, end), io.one('H', other)

    return io.list(switch, value or ())


def topology_of(version):
    def core(io, value):
        return io.one('I', value[0] if value else 0), io.list(lambda io, item: io.one('I', item), value[1] if value else ())

    def die(io, value):
        return io.one('I', value[0] if value else 0), io.list(core, value[1] if value else ())

    def package(io, value):
        return io.one('I', value[0] if value else 0), io.list(die if version >= (0, 11, 2) else core, value[1] if value else ())
    return package


def section_of(io, value):
    value = value or (0, ())
    return io.one('H', value[0]), io.list(lambda io, item: io.raw(15, item), value[1])


def code_of(io, value):
    value = value or (0, b'')
    return io.one('Q', value[0]), io.text(value[1], 'I')


def code_line(io, value):
    value = value or (0, ())
    return io.one('Q', value[0]), io.list(lambda io, item: io.one('Q', item), value[1], 'H')


def hardware(io, value):
    address = io.one('Q', value[0] if value else 0)
    out = []
    for number in range(6):
        clock = [0]
        out.append(io.list(lambda io, item, clock=clock: io.time(clock, item), value[1][number] if value else ()))
    return address, out


def source_file(io, value):
    value = value or (b'', b'')
    return io.text(value[0], 'I'), io.text(value[1], 'I')


def plain(codes):
    return lambda io, value: record(io, value, codes)


def number(code):
    return lambda io, value: io.one(code, value)


def blob(size):
    return lambda io, value: io.raw(size, value)


# ---- the payload (2, 4, 5) ----

def walk(io, t):
    """All sections in order; t holds the values, and gets them."""
    v = t['version']

    def lst(name, item, code='Q'):
        io.mark(name)
        t[name] = io.list(item, t.get(name, ()), code)

    def one(name, code):
        t[name] = io.one(code, t.get(name, 0))

    if v < (0, 12, 3):
        one('delay', 'q')
    t['clock'] = io.raw(16, t.get('clock', b''))        # resolution and multiplier: the latter may be garbage
    one('last_time', 'q')
    t['program'] = io.raw(42 if v >= (0, 9, 2) else 41, t.get('program', b''))
    t['names'] = texts(io, t.get('names'), 2)
    t['dates'] = io.many('QQ', t.get('dates', ()))
    t['host'] = io.text(t.get('host', b''))
    lst('topology', topology_of(v))
    t['crash'] = io.raw(28, t.get('crash', b''))
    lst('frame_sets', frame_set)
    if v >= (0, 13, 5):
        lst('sections', section_of)
        lst('categories', plain('H3s'))
    lst('strings', keyed_text)
    lst('pointers', plain('QQ'))
    lst('thread_names', plain('QQ'))
    lst('external_names', plain('QQQ'))
    lst('local', number('Q'))
    lst('external', number('Q'))
    lst('statics', lambda io, value: record(io, value, 'QQBQBQBII'))
    lst('expand', number('Q'))
    lst('dynamics', lambda io, value: record(io, value, 'QBQBQBII'))
    lst('zone_counts', plain('hQ'))
    lst('gpu_zone_counts', plain('hQ'))
    lst('locks', lock)
    lst('messages', message_of(v, [0]))
    lst('extras', blob(12))
    one('zones', 'Q')
    one('zone_children', 'Q')
    lst('threads', thread_of(v))
    one('gpu_zones', 'Q')
    one('gpu_children', 'Q')
    lst('gpus', gpu_of(v))
    lst('plots', plot_of(v))
    pools = io.one('Q', len(t.get('pools', ())))
    one('memory_events', 'Q')
    io.mark('memory')
    t['pools'] = [pool(io, t['pools'][i] if 'pools' in t else None) for i in range(pools)]
    rest(io, t, v, lst, one)
    return t


def rest(io, t, v, lst, one):
    lst('callstacks', callstack)
    lst('code_frames', code_frame)
    lst('application', blob(9))
    t['dictionary'] = io.text(t.get('dictionary', b''), 'I')
    lst('images', image)
    lst('switches', switches_of(v))
    one('cpu_total', 'Q')
    t['cpus'] = [cpu_list(io, t['cpus'][i] if 'cpus' in t and len(t['cpus']) > i else None) for i in range(256)]
    lst('processes', plain('QQ'))
    lst('cpu_use', plain('QqII'))
    symbols = io.many('QQ', t.get('symbols_before', ()))
    t['symbols_before'] = symbols
    lst('symbols', blob(32))
    lst('code', code_of)
    if v <= (0, 8, 4):
        lst('code_lines', code_line)
    lst('code_symbols', plain('QQ'))
    lst('hardware', hardware)
    lst('sources', source_file)


def parse(payload):
    if payload[:5] != b'tracy':
        raise FileError('no tracy')
    source = Source(payload)
    source.at = 8
    trace = walk(source, {'version': tuple(payload[5:8])})
    if source.at != len(payload):
        raise FileError('%d bytes behind the end' % (len(payload) - source.at))
    return trace


def section_at(payload, at):
    """The name of the section of a sound payload that a byte belongs to."""
    source = Source(payload)
    source.at = 8
    walk(source, {'version': tuple(payload[5:8])})
    return next((name for start, name in reversed(source.marks) if start <= at), 'header')


def payload(trace):
    sink = Sink()
    sink.data += b'tracy' + bytes(trace['version'])
    walk(sink, trace)
    return bytes(sink.data)


def read(data):
    box, decoded = unpack(data)
    return box, parse(decoded)
