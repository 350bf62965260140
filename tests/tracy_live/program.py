"""A Tracy program made of what docs/format/tracy-live.md says: its events, its answers, and what a recorder should make of them.

The table of events is read from section 5 of the page, so that nothing is shared with the product. Ticks are 2 ns, and
time zero is tick 1000: a time of t ns is tick 1000 + t / 2.
"""

import os
import re
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'decoders'))
import blocks  # noqa: E402

PAGE = os.path.join(HERE, '..', '..', 'docs', 'format', 'tracy-live.md')
PROTOCOLS = (63, 64, 66, 69, 74, 76, 82)
CODES = {'T': 'q', 'S': 'q', 'C': 'q', 'G': 'q', 'A': 'q', 'T4': 'I', 'C4': 'I', 'T2': 'H', 'C2': 'H', 'u8': 'B', 'i8': 'b', 'u16': 'H',
         'u32': 'I', 'i32': 'i', 'f32': 'f', 'u48': '6s', 'u64': 'Q', 'i64': 'q', 'f64': 'd', 'ptr': 'Q', 'rgb': '3s'}
SINCE = {'Message': 77, 'MessageColor': 77, 'MessageCallstack': 77, 'MessageColorCallstack': 77, 'ContextSwitch': 73, 'ThreadWakeup': 73,
         'FiberEnter': 68, 'CpuTopology': 69}
TEXTS = ('SingleStringData', 'SecondStringData')
LONG = ('FrameImageData', 'SymbolCode', 'SourceCode')
QUESTIONS = ('Terminate', 'String', 'ThreadString', 'SourceLocation', 'PlotName', 'FrameName', 'Parameter', 'FiberName', 'ExternalName',
             'Disconnect', 'CallstackFrame', 'Symbol', 'SymbolCode', 'SourceCode', 'DataTransfer', 'DataTransferPart')
OLD_QUESTIONS = QUESTIONS[:8] + ('Disconnect', 'CallstackFrame', 'ExternalName') + QUESTIONS[11:]


def rows():
    """(name, numbers, fields) of section 5."""
    with open(PAGE, encoding='utf-8') as file:
        text = file.read()
    section = text[text.index('\n## 5.'):text.index('\n## 6.')]
    for line in section.split('```')[1].strip().splitlines():
        words = line.split(None, 8)
        yield words[0], words[1:8], words[8] if len(words) > 8 else ''


def layout(name, fields, protocol):
    """The fields of an event as codes of struct; None: it has a length and data."""
    if 'bytes' in fields or name.rstrip('8') in TEXTS or 'never' in fields:
        return None
    other = re.search(r'\{P<82: (.*)\}', fields)
    fields = other.group(1) if other and protocol < 82 else re.sub(r'\{.*\}', '', fields)
    optional = re.search(r'\[(.*)\]', fields)
    if optional:
        fields = fields.replace(optional.group(0), ', %s, ' % optional.group(1) if protocol >= SINCE[name] else ', ')
    names = [field.split()[0] for field in fields.replace('A rgb', 'A, rgb').split(',') if field.strip()]
    return '<' + ''.join(CODES[field] for field in names)


class Protocol:
    def __init__(self, number):
        self.number, column = number, PROTOCOLS.index(number)
        self.numbers, self.layouts = {}, {}
        for name, numbers, fields in rows():
            if numbers[column] != '-':
                self.numbers[name] = int(numbers[column])
                self.layouts[name] = layout(name, fields, number)
        self.questions = QUESTIONS if number >= 66 else OLD_QUESTIONS

    def event(self, name, *values):
        return bytes([self.numbers[name]]) + struct.pack(self.layouts[name], *values)

    def text(self, name, data):
        """A text before the event that takes it."""
        if self.number < 80:
            return bytes([self.numbers[name]]) + struct.pack('<H', len(data)) + data
        if len(data) < 256:
            return bytes([self.numbers[name + '8'], len(data)]) + data
        return bytes([self.numbers[name]]) + struct.pack('<H', len(data) - 256) + data

    def data(self, name, key, data):
        return bytes([self.numbers[name]]) + struct.pack('<QI' if name in LONG else '<QH', key, len(data)) + data

    def welcome(self, name=b'maker', flags=0):
        delay = struct.pack('<Q', 4) if self.number < 75 else b''
        return (struct.pack('<dqq', 2.0, 1000, 1500) + delay + struct.pack('<QQQQqBB12sI', 3, 1700000000, 1690000000, 4711, 0, flags, 2,
                                                                           b'GenuineIntel', 0x906ea)
                + struct.pack('<64s1024s', name, b'OS: none'))


def packed(block):
    data = blocks.lz4_pack(block)
    return struct.pack('<I', len(data)) + data


def tick(ns):
    return 1000 + ns // 2


class Clock:
    """The references of a stream (6)."""

    def __init__(self):
        self.thread = self.serial = self.gpu = 0

    def step(self, name, ns):
        before = getattr(self, name)
        setattr(self, name, tick(ns))
        return tick(ns) - before


class Program:
    """What it sends by itself (`groups`: parts that stay together), what it answers, and `truth`."""

    def __init__(self, protocol):
        self.p, self.clock = Protocol(protocol), Clock()
        self.groups, self.texts = [], {0: b''}
        self.truth = {'zones': {}, 'frames': [], 'plots': {}, 'messages': [], 'locks': [], 'memory': [], 'stacks': []}
        self.places = {}
        self.context = None
        self.frames = {}

    # -- pieces

    def add(self, data):
        self.groups.append(data)

    def on(self, tid):
        if self.context != tid:
            self.add(self.p.event('ThreadContext', tid))
            self.context, self.clock.thread = tid, 0

    def pointer(self, text):
        for key, known in self.texts.items():
            if known == text and key:
                return key
        key = 0x10000 + 16 * len(self.texts)
        self.texts[key] = text
        return key

    def place(self, function, line, name=None, file=b'made.cpp', rgb=b'\x01\x02\x03'):
        key = 0x800000 + 64 * len(self.places)
        self.places[key] = (self.pointer(name) if name else 0, self.pointer(function), self.pointer(file), line, rgb)
        return key

    def zone_event(self, name, ns, *rest):
        """A begin or an end in the shortest form that holds its step (6)."""
        step = self.clock.step('thread', ns)
        if self.p.number < 78:
            return self.add(self.p.event(name, step, *rest))
        if 0 <= step < 1 << 16:
            return self.add(self.p.event(name + '16', step, *rest))
        if 0 <= step < (1 << 32) + (1 << 16):
            return self.add(self.p.event(name + '32', step - (1 << 16), *rest))
        return self.add(self.p.event(name, step - (1 << 32) - (1 << 16) if step >= 0 else step, *rest))

    def begin(self, tid, ns, place):
        self.on(tid)
        self.zone_event('ZoneBegin', ns, place)

    def end(self, tid, ns):
        self.on(tid)
        self.zone_event('ZoneEnd', ns)

    def extra(self, tid, name, text=None, *values):
        self.on(tid)
        self.add((self.p.text('SingleStringData', text) if text is not None else b'') + self.p.event(name, *values))

    def message(self, tid, ns, text, meta=0x30):
        self.on(tid)
        values = (tick(ns), meta) if self.p.number >= 77 else (tick(ns),)
        self.add(self.p.text('SingleStringData', text) + self.p.event('Message', *values))

    def stack(self, tid, frames, *follower):
        self.on(tid)
        self.add(self.p.data('CallstackPayload', 0, struct.pack('<%dQ' % len(frames), *frames)) + self.p.event(*follower))

    # -- answers

    def answer(self, question, pointer):
        p = self.p
        if question == 'SourceLocation':
            return p.event('SourceLocation', *self.places[pointer])
        if question in ('String', 'PlotName', 'FrameName', 'FiberName'):
            return p.data({'String': 'StringData'}.get(question, question), pointer, self.texts[pointer])
        if question == 'ThreadString':
            return p.data('ThreadName', pointer, b'thread %d' % pointer)
        if question == 'CallstackFrame':
            function, file, line, symbol = self.frames[pointer]
            return (p.text('SingleStringData', b'made.so') + p.event('CallstackFrameSize', pointer, 1)
                    + p.text('SingleStringData', function) + p.text('SecondStringData', file)
                    + p.event('CallstackFrame', line, symbol, 16))
        if question == 'Symbol':
            return p.text('SingleStringData', b'symbol.cpp') + p.event('SymbolInformation', 7, pointer)
        raise KeyError(question)

    def all_answers(self):
        """For a recording without a network: places in the order of their first use, then the rest."""
        out = [self.answer('SourceLocation', key) for key in self.places]
        out += [self.answer('String', key) for key in self.texts if key]
        out += [self.answer('ThreadString', tid) for tid in (101, 102)]
        out += [self.answer('PlotName', self.pointer(b'speed')), self.answer('FrameName', self.pointer(b'physics'))]
        out += [self.answer('CallstackFrame', key) for key in self.frames]
        out += [self.answer('Symbol', frame[3]) for frame in self.frames.values()]
        return out

    # -- the whole

    def recording(self):
        """All bytes of the program, the answers behind the events."""
        out = b'\x01' + self.p.welcome()
        block = b''
        for group in self.groups + self.all_answers():
            if len(block) + len(group) > 3000:
                out, block = out + packed(block), b''
            block += group
        return out + packed(block) + packed(self.p.event('Terminate'))


def made(protocol, rounds=40):
    """A program of all common kinds of events, with what a capture of it must hold."""
    m = Program(protocol)
    p, t = m.p, m.truth
    lock, outer = m.place(b'the lock', 30), m.place(b'outer', 10)       # in the order of their first use
    inner, late = m.place(b'inner', 20, name=b'inner name', rgb=b'\x0a\x0b\x0c'), m.place(b'late', 40)
    speed, physics, literal, pool = m.pointer(b'speed'), m.pointer(b'physics'), m.pointer(b'literal text'), m.pointer(b'pool')
    m.frames = {0x7f0000001000: (b'leaf()', b'leaf.cpp', 5, 0x7f0000000f00), 0x7f0000002000: (b'main', b'main.cpp', 6, 0x7f0000001f00)}
    for thread in range(4):
        m.add(p.event('CpuTopology', 0, *([0] if protocol >= 69 else []), thread // 2, thread))
    m.add(p.event('LockAnnounce', 5, tick(2000), lock, 0))
    m.begin(101, 3000, outer)
    zones = {101: [(b'outer', 3000, None, 0, None)], 102: []}
    now = 3000
    for i in range(rounds):
        now += 1000 if i != 7 else 10_000_000_000      # once a step that needs the longest form
        m.begin(101, now, inner)
        text = b'round %d' % i
        m.extra(101, 'ZoneText', text)
        if i % 3 == 0:
            m.extra(101, 'ZoneValue', None, 1000 + i)
            text += b'\n%d' % (1000 + i) + (b' [0x%x]' % (1000 + i) if protocol >= 74 else b'')
        if i % 5 == 0:
            m.extra(101, 'ZoneColor', None, b'\x11\x22\x33')
        zones[101].append((b'inner name', now, now + 400, 1, text))
        m.end(101, now + 400)
        m.on(101)
        m.add(p.event('PlotDataDouble', speed, m.clock.step('thread', now + 402), i * 0.5))
        t['plots'].setdefault(b'speed', []).append((now + 402, i * 0.5))
        m.begin(102, now + 10, late)
        m.end(102, now + 10 + 2 * i)
        zones[102].append((b'late', now + 10, now + 10 + 2 * i, 0, None))
        m.message(101, now + 404, b'said %d' % i)
        t['messages'].append((now + 404, b'said %d' % i, 3))
        m.add(p.event('FrameMarkMsg', tick(now + 500), 0))
        t['frames'].append(now + 500)
        if i % 2:
            m.add(p.event('FrameMarkMsgStart', tick(now + 100), physics))
            m.add(p.event('FrameMarkMsgEnd', tick(now + 200), physics))
        m.add(p.event('LockWait', 101, 5, m.clock.step('serial', now + 20)))
        m.add(p.event('LockObtain', 101, 5, m.clock.step('serial', now + 30)))
        m.add(p.event('LockMark', 101, 5, inner))
        m.add(p.event('LockRelease', 5, m.clock.step('serial', now + 40)))
        t['locks'] += [(now + 20, 0, 0), (now + 30, 1, 1), (now + 40, 0, 2)]
        m.add(p.event('MemAlloc', m.clock.step('serial', now + 50), 101, 0x1000 * i + 0x100000, (64 + i).to_bytes(6, 'little')))
        freed = -1
        if i >= 2:
            m.add(p.event('MemFree', m.clock.step('serial', now + 60), 102, 0x1000 * (i - 2) + 0x100000))
            t['memory'][i - 2][3] = now + 60
        t['memory'].append([0x1000 * i + 0x100000, 64 + i, now + 50, freed])
    m.add(p.event('MemNamePayload', pool) + p.event('MemAllocNamed', m.clock.step('serial', now + 70), 102, 0x42,
                                                    (8).to_bytes(6, 'little')))
    m.stack(102, list(m.frames), 'Callstack')
    m.on(102)
    m.add(p.text('SingleStringData', b'with a stack')
          + p.event('MessageCallstack', tick(now + 800), *([0x20] if protocol >= 77 else [])))
    t['messages'].append((now + 800, b'with a stack', 2))
    m.add(p.event('MessageLiteral', tick(now + 810), literal << 8 | 0x40 if protocol >= 82 else literal))
    t['messages'].append((now + 810, b'literal text', 4))
    m.end(101, now + 900)
    zones[101][0] = (b'outer', 3000, now + 900, 0, None)
    m.add(p.event('LockTerminate', 5, tick(now + 910)))
    t['zones'], t['stacks'], t['last'] = zones, [list(m.frames)], now + 910
    return m


def random_event(p, dice):
    """An event of any kind whose fields have small or absurd values."""
    name = dice.choice(sorted(p.numbers))
    number = lambda: dice.choice((0, 1, 2, 3, dice.randrange(300), 0x10000, 1 << 62, (1 << 64) - 1, dice.getrandbits(64)))  # noqa: E731
    codes = p.layouts[name]
    if codes is None:
        if name.rstrip('8') in TEXTS:
            return p.text(name.rstrip('8'), dice.choice((b'', b'a', b'a\0b', b'text' * dice.randrange(100))))
        if name.endswith('Metadata'):
            return b''
        words = b''.join(struct.pack('<Q', dice.randrange(4) << dice.choice((0, 61))) for _ in range(dice.randrange(6)))
        script = bytes([dice.randrange(4)]) + b'\1\0\0\0\2\0fn\1\0f' * 2
        place = struct.pack('<II', 0x112233, 4) + dice.choice((b'fn\0file\0', b'fn\0file\0name', b'', b'x'))
        return p.data(name, number() & ((1 << 64) - 1), dice.choice((b'', words, script, place, dice.randbytes(8))))
    values = []
    for code in re.findall(r'\d*[a-zA-Z]', codes[1:]):
        if code.endswith('s'):
            values.append(dice.choice((bytes(int(code[:-1])), dice.randbytes(int(code[:-1])))))
        elif code in 'fd':
            values.append(dice.choice((0.0, 1.0, -1.0, float('nan'), float('inf'), 0.5)))
        else:
            bits = struct.calcsize('<' + code) * 8
            value = number() & ((1 << bits) - 1)
            values.append(value - (1 << bits) if code.islower() and value >> (bits - 1) else value)
    return p.event(name, *values)


def random_recording(protocol, dice, events=300):
    """Events without any sense; zones are begun and ended more often than the rest."""
    p = Protocol(protocol)
    flags = dice.choice((0, 2, 4, 8, 14))
    out = b'\x01' + p.welcome(flags=flags)
    for _ in range(dice.randrange(1, 5)):
        block = p.event('GpuNewContext', 2000, 5, dice.randrange(2), 1.0, 0, dice.randrange(2), 2) + p.event('LockAnnounce', 1, 0, 8, 0)
        for _ in range(events):
            kind = dice.randrange(10)
            if kind < 2:
                block += p.event('ZoneBegin', dice.randrange(100), dice.randrange(1, 5))
            elif kind < 4 and dice.randrange(30):
                block += p.event('ZoneEnd', dice.randrange(100)) if dice.randrange(3) else b''
            else:
                block += random_event(p, dice)
        out += packed(block[:200000])
    return out
