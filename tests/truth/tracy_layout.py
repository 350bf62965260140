"""The payload of a .tracy, read and written by one description of its layout (tracy-file 2 to 5).

A capture is a dict by section; items are dicts, times are absolute. `encode` gives the bytes of a capture, `decode`
the capture of the bytes; what a version does not have is not written. Zones are nested lists: each zone has `kids`.
"""

import struct

LITERALS, BLOCK = 15, 65536


def signed(value):
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


class Reader:
    """Takes values out of bytes; what would be written is ignored."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def raw(self, size, _=None):
        self.at += size
        if self.at > len(self.data):
            raise EOFError('the payload ends at %d' % len(self.data))
        return self.data[self.at - size:self.at]

    def value(self, code, _=None):
        values = struct.unpack('<' + code, self.raw(struct.calcsize('<' + code)))
        return values if len(values) > 1 else values[0]

    def small(self, size, sign, _=None):
        return int.from_bytes(self.raw(size), 'little', signed=sign)

    def time(self, clock, _=None):
        clock[0] = signed(clock[0] + self.value('q'))
        return clock[0]

    def items(self, _, item, code='Q'):
        return [item(None) for _ in range(self.value(code))]


class Writer:
    """Appends values to bytes and gives them back."""

    def __init__(self):
        self.data = bytearray()

    def raw(self, size, value):
        self.data += value
        return value

    def value(self, code, value):
        self.data += struct.pack('<' + code, *(value if isinstance(value, tuple) else (value,)))
        return value

    def small(self, size, sign, value):
        self.data += value.to_bytes(size, 'little', signed=sign)
        return value

    def time(self, clock, value):
        self.value('q', signed(value - clock[0]))
        clock[0] = value
        return value

    def items(self, values, item, code='Q'):
        self.value(code, len(values))
        return [item(value) for value in values]


def part(x, key):
    return None if x is None else x[key]


ORDER = ('header', 'topology', 'crash', 'frames', 'sections', 'strings', 'thread_tables', 'locations', 'locks',
         'messages', 'extras', 'threads', 'gpu', 'plots', 'memory', 'callstacks', 'app_info', 'images', 'switches',
         'cpu_use',
         'symbols', 'hardware', 'sources')
LOCATION = (('name', 'ref'), ('function', 'ref'), ('file', 'ref'), ('line', 'I'), ('colour', 'I'))
SECTION = (('start', 'i48'), ('end', 'i48'), ('text', 'u24'))
SYMBOL = (('address', 'Q'), ('name', 'u24'), ('file', 'u24'), ('line', 'I'), ('image', 'u24'), ('call_file', 'u24'),
          ('call_line', 'I'), ('inline', 'B'), ('size', 'u24'))
MEMORY = (('address', 'Q'), ('size', 'Q'), ('stack', 'u24'), ('free_stack', 'u24'))
CODES = {'u24': (3, False), 'i48': (6, True)}


class Layout:
    """One pass over a capture with a reader or a writer."""

    def __init__(self, io, capture, version):
        self.io, self.capture, self.version = io, capture, version
        self.offsets = {}

    def since(self, *version):
        return self.version >= version

    def sized(self, x, code='Q'):
        return self.io.raw(self.io.value(code, None if x is None else len(x)), x)

    def field(self, code, x):
        """A code is one of struct, a name of the format, a number of bytes, or a clock: a time that runs on it."""
        if isinstance(code, list):
            return self.io.time(code, x)
        if isinstance(code, int):
            return self.io.raw(code, x)
        if code in CODES:
            return self.io.small(*CODES[code], x)
        if code == 'ref':
            return self.io.value('QB', x)
        return self.sized(x, code[-1]) if code.startswith('text') else self.io.value(code, x)

    def record(self, x, *fields):
        """Fields are (name, code) or (name, code, does the version have it?)."""
        return {name: self.field(code, part(x, name)) for name, code, *has in fields if all(has)}

    def records(self, x, *fields):
        return self.io.items(x, lambda item: self.record(item, *fields))

    def section(self, name, item):
        self.capture[name] = self.io.items(self.capture.get(name, []), item)

    def table(self, name, *fields):
        self.section(name, lambda x: self.record(x, *fields))

    def plain(self, name, code):
        self.section(name, lambda x: self.field(code, x))

    def walk(self):
        for name in ORDER:
            getattr(self, 'walk_' + name)()

    def walk_header(self):
        self.capture['header'] = self.record(
            self.capture.get('header'), ('delay', 'q', not self.since(0, 12, 3)), ('resolution', 'q'),
            ('multiplier', 'd'), ('last', 'q'), ('frame_offset', 'Q'), ('pid', 'Q'), ('period', 'q'),
            ('architecture', 'B'), ('cpu', 'I'), ('manufacturer', 12), ('on_demand', 'B', self.since(0, 9, 2)),
            ('name', 'textQ'), ('program', 'textQ'),
            ('time', 'Q'), ('executable', 'Q', self.since(0, 7, 6)), ('host', 'textQ'))

    def walk_topology(self):
        io = self.io

        def core(x):
            return {'core': io.value('I', part(x, 'core')),
                    'threads': io.items(part(x, 'threads'), lambda thread: io.value('I', thread))}

        def die(x):
            return {'die': io.value('I', part(x, 'die')), 'cores': io.items(part(x, 'cores'), core)}

        def package(x):
            number = io.value('I', part(x, 'package'))
            if self.since(0, 11, 2):
                return {'package': number, 'dies': io.items(part(x, 'dies'), die)}
            return {'package': number, 'dies': [{'die': 0, 'cores': io.items(x and x['dies'][0]['cores'], core)}]}
        self.section('topology', package)

    def walk_crash(self):
        self.capture['crash'] = self.record(self.capture.get('crash'), ('tid', 'Q'), ('time', 'q'), ('message', 'Q'),
                                            ('stack', 'I'))

    def walk_frames(self):
        def frame_set(x):
            clock, out = [0], self.record(x, ('name', 'Q'), ('continuous', 'B'))
            out['frames'] = self.records(part(x, 'frames'), ('start', clock), ('end', clock, not out['continuous']),
                                         ('image', 'i'))
            return out
        self.section('frames', frame_set)

    def walk_sections(self):
        if self.since(0, 13, 5):
            self.section('sections', lambda x: {**self.record(x, ('category', 'H')),
                                                'items': self.records(part(x, 'items'), *SECTION)})
            self.table('categories', ('category', 'H'), ('text', 'u24'))
        elif self.since(0, 13, 4):
            one = self.capture.get('sections')
            self.capture['sections'] = [{'category': 0, 'items': self.records(one and one[0]['items'], *SECTION)}]

    def walk_strings(self):
        self.table('strings', ('key', 'Q'), ('text', 'textQ'))
        self.table('pointers', ('pointer', 'Q'), ('key', 'Q'))
        self.table('names', ('tid', 'Q'), ('key', 'Q'))
        self.table('other_names', ('tid', 'Q'), ('process', 'Q'), ('thread', 'Q'))

    def walk_thread_tables(self):
        self.plain('local', 'Q')
        self.plain('external', 'Q')

    def walk_locations(self):
        self.table('static', ('address', 'Q'), *LOCATION)
        self.plain('expand', 'Q')
        self.table('dynamic', *LOCATION)
        self.table('counts', ('location', 'h'), ('n', 'Q'))
        if self.since(0, 7, 15):
            self.table('gpu_counts', ('location', 'h'), ('n', 'Q'))

    def walk_locks(self):
        def lock(x):
            out = self.record(x, ('id', 'I'), ('name', 'u24'), ('location', 'h'), ('type', 'B'), ('valid', 'B'),
                              ('announced', 'q'), ('terminated', 'q'))
            out['threads'] = self.io.items(part(x, 'threads'), lambda tid: self.io.value('Q', tid))
            out['events'] = self.records(part(x, 'events'), ('time', [out['announced']]), ('location', 'h'),
                                         ('thread', 'B'), ('type', 'B'))
            return out
        self.section('locks', lock)

    def walk_messages(self):
        reported = self.since(0, 13, 2)
        self.table('messages', ('key', 'Q'), ('time', [0]), ('text', 'ref'), ('colour', 'I'), ('stack', 'u24'),
                   ('source', 'B', reported), ('severity', 'B', reported))

    def walk_extras(self):
        self.table('extras', ('stack', 'u24'), ('text', 'u24'), ('name', 'u24'), ('colour', 'u24', self.since(0, 7, 5)))

    def walk_threads(self):
        self.capture['zones'] = self.io.value('QQ', self.capture.get('zones'))

        def thread(x):
            out = self.record(x, ('tid', 'Q'), ('count', 'Q'), ('kernel', 'Q', self.since(0, 7, 9)),
                              ('fiber', 'B', self.since(0, 7, 11)), ('group', 'i', self.since(0, 11, 1)))
            out['zones'] = self.tree(part(x, 'zones'), 'I', self.zone_begin, self.zone_end)
            out['messages'] = self.io.items(part(x, 'messages'), lambda key: self.io.value('Q', key))
            if self.since(0, 7, 14):
                out['switch_samples'] = self.records(part(x, 'switch_samples'), ('time', [0]), ('stack', 'u24'))
            out['samples'] = self.records(part(x, 'samples'), ('time', [0]), ('stack', 'u24'))
            return out
        self.section('threads', thread)

    def zone_begin(self, x, clocks):
        return self.record(x, ('location', 'h'), ('start', clocks[0]), ('extra', 'I'))

    def zone_end(self, x, clocks):
        return self.record(x, ('end', clocks[0]))

    def gpu_begin(self, x, clocks):
        return self.record(x, ('cpu_start', clocks[0]), ('start', clocks[1]), ('location', 'h'), ('stack', 'u24'),
                           ('thread', 'H'))

    def gpu_end(self, x, clocks):
        return self.record(x, ('cpu_end', clocks[0]), ('end', clocks[1]), ('query', 'H', self.since(0, 12, 4)))

    def tree(self, zones, code, begin, end):
        """Zones with their children, with a stack of (children that are left, source, target, the zone around them)."""
        clocks, roots = ([0], [0]), []
        stack = [(iter(range(self.io.value(code, None if zones is None else len(zones)))), zones, roots, None, None)]
        while stack:
            left, source, target, zone, given = stack[-1]
            index = next(left, None)
            if index is None:
                stack.pop()
                if zone is not None:
                    zone.update(end(given, clocks))
                continue
            x = None if source is None else source[index]
            target.append({**begin(x, clocks), 'kids': []})
            kids = range(self.io.value(code, None if x is None else len(x['kids'])))
            stack.append((iter(kids), part(x, 'kids'), target[-1]['kids'], target[-1], x))
        return roots

    def walk_gpu(self):
        notes = self.since(0, 12, 4)
        self.capture['gpu_zones'] = self.io.value('QQ', self.capture.get('gpu_zones'))

        def context(x):
            out = self.record(x, ('tid', 'Q'), ('calibrated', 'B'), ('count', 'Q'), ('period', 'f'), ('type', 'B'),
                              ('name', 'u24', self.since(0, 7, 6)), ('overflow', 'Q', self.since(0, 7, 9)))
            if notes:
                out['note_names'] = self.records(part(x, 'note_names'), ('id', 'q'), ('name', 'u24'))
            out['timelines'] = self.io.items(part(x, 'timelines'), lambda t: {
                'tid': self.io.value('Q', part(t, 'tid')),
                'zones': self.tree(part(t, 'zones'), 'Q', self.gpu_begin, self.gpu_end)})
            if notes:
                out['queries'] = self.io.items(part(x, 'queries'), lambda q: {
                    'query': self.io.value('H', part(q, 'query')),
                    'notes': self.records(part(q, 'notes'), ('id', 'q'), ('value', 'd'))})
            return out
        self.section('gpu', context)

    def walk_plots(self):
        style = self.since(0, 8, 3)
        self.section('plots', lambda x: {
            **self.record(x, ('type', 'B'), ('format', 'B'), ('steps', 'B', style), ('fill', 'B', style),
                          ('colour', 'I', style), ('name', 'Q'), ('min', 'd'), ('max', 'd'),
                          ('sum', 'd', self.since(0, 7, 10))),
            'points': self.records(part(x, 'points'), ('time', [0]), ('value', 'd'))})

    def walk_memory(self):
        named = self.since(0, 7, 3)

        def pool(x):
            out, clock = self.record(x, ('name', 'Q', named)), [0]
            events = part(x, 'events')
            n = self.io.value('Q', None if events is None else len(events))
            out.update(self.record(x, ('active', 'Q'), ('frees', 'Q')))
            out['events'] = [self.record(events and events[i], *MEMORY, ('time', clock), ('life', 'q'), ('thread', 'H'),
                                         ('free_thread', 'H')) for i in range(n)]
            out.update(self.record(x, ('high', 'Q'), ('low', 'Q'), ('bytes', 'Q'), ('name', 'Q', named)))
            return out
        pools = self.capture.get('memory')
        n = self.io.value('Q', None if pools is None else len(pools)) if named else 1
        if named:
            self.capture['memory_events'] = self.io.value('Q', self.capture.get('memory_events'))
        self.capture['memory'] = [pool(pools and pools[i]) for i in range(n)]

    def walk_callstacks(self):
        self.section('callstacks', lambda x: self.io.items(x, lambda frame: self.io.value('Q', frame), 'H'))

        def frame(x):
            places = part(x, 'places')
            out = self.record(x, ('id', 'Q'))
            n = self.io.value('B', None if places is None else len(places))
            out.update(self.record(x, ('image', 'u24')))
            out['places'] = [self.record(places and places[i], ('function', 'u24'), ('file', 'u24'), ('line', 'I'),
                                         ('symbol', 'Q')) for i in range(n)]
            return out
        self.section('code_frames', frame)

    def walk_app_info(self):
        self.plain('app_info', 'ref')

    def walk_images(self):
        if self.since(0, 7, 8):
            self.capture['dictionary'] = self.sized(self.capture.get('dictionary'), 'I')

        def image(x):
            out = self.record(x, ('width', 'H'), ('height', 'H'), ('flipped', 'B'))
            return {**out, **self.record(x, ('data', out['width'] * out['height'] // 2))}
        self.section('images', image)

    def walk_switches(self):
        def thread(x):
            clock = [0]
            return {'tid': self.io.value('Q', part(x, 'tid')), 'items': self.records(
                part(x, 'items'), ('wakeup', clock), ('start', clock), ('end', clock), ('cpu', 'B'), ('reason', 'b'),
                ('state', 'b'), ('thread', 'Q', self.since(0, 7, 12)), ('wakeup_cpu', 'B', self.since(0, 11, 3)))}

        def cpu(x):
            clock = [0]
            return self.records(x, ('start', clock), ('end', clock), ('thread', 'H'))
        self.section('switches', thread)
        self.capture['cpu_switches'] = self.io.value('Q', self.capture.get('cpu_switches'))
        cpus = self.capture.get('cpus')
        self.capture['cpus'] = [cpu(cpus and cpus[i]) for i in range(256)]

    def walk_cpu_use(self):
        self.table('processes', ('tid', 'Q'), ('pid', 'Q'))
        self.table('cpu_use', ('tid', 'Q'), ('running', 'q'), ('regions', 'I'), ('migrations', 'I'))

    def walk_symbols(self):
        self.capture['symbol_counts'] = self.io.value('QQ', self.capture.get('symbol_counts'))
        self.table('symbols', *SYMBOL)
        self.table('code', ('address', 'Q'), ('bytes', 'textI'))
        if not self.since(0, 8, 5):
            self.section('code_locations', lambda x: {
                **self.record(x, ('place', 'Q')),
                'addresses': self.io.items(part(x, 'addresses'), lambda a: self.io.value('Q', a), 'H')})

    def walk_hardware(self):
        if not self.since(0, 7, 9):
            return

        def times(x):
            clock = [0]
            return self.io.items(x, lambda time: self.io.time(clock, time))
        self.table('code_symbols', ('code', 'Q'), ('symbol', 'Q'))
        self.section('hardware', lambda x: {**self.record(x, ('address', 'Q')),
                                            'lists': [times(x and x['lists'][i]) for i in range(6)]})

    def walk_sources(self):
        self.table('sources', ('name', 'textI'), ('text', 'textI'))


def decode(payload):
    """The capture; all of the payload must be used up."""
    reader, capture = Reader(payload), {'version': tuple(payload[5:8])}
    reader.at = 8
    Layout(reader, capture, capture['version']).walk()
    if payload[:5] != b'tracy' or reader.at != len(payload):
        raise ValueError('%d of %d bytes are used' % (reader.at, len(payload)))
    return capture


def encode(capture):
    writer = Writer()
    writer.raw(8, b'tracy' + bytes(capture['version']))
    Layout(writer, dict(capture), capture['version']).walk()
    return bytes(writer.data)


def literals(data):
    """Bytes as an LZ4 block that packs nothing."""
    if len(data) < LITERALS:
        return bytes([len(data) << 4]) + data
    rest = len(data) - LITERALS
    return b'\xf0' + b'\xff' * (rest // 255) + bytes([rest % 255]) + data


def pack(payload, streams):
    """A file of blocks that are not compressed."""
    blocks = [literals(payload[at:at + BLOCK]) for at in range(0, len(payload), BLOCK)]
    return b'tr\xfdP\x00' + bytes([streams]) + b''.join(struct.pack('<I', len(block)) + block for block in blocks)
