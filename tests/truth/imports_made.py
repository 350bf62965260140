"""Writes random captures whose truth is known by construction.

One random program (threads with trees of scopes, instants, counters, async operations) is written as Chrome JSON in
several styles, as Fuchsia .fxt and as Perfetto protobuf in several styles. Program.expected() is what a reader has to find in
each of them: (kind, pid, tid, thread, name) and count, total, self, min, max in nanoseconds.
"""

import collections
import json
import os
import random
import struct
import zlib


# ---- the program ----

class Scope:
    def __init__(self, name, begin, end):
        self.name, self.begin, self.end, self.children = name, begin, end, []


def tree(rng, names, begin, end, depth, left):
    """Scopes inside [begin, end), some back to back, some of length 0, some as long as their parent."""
    out, at = [], begin
    while at < end and left[0] > 0:
        if rng.random() < 0.7:
            at += rng.randrange(0, max(1, (end - begin) // 6))
        if at >= end:
            break
        kind = rng.random()
        if kind < 0.04:
            stop = at
        elif kind < 0.1:
            stop = end
        else:
            stop = min(end, at + 1 + int(rng.random() ** 2 * (end - begin) / 2))
        if at == begin and stop == end and depth:           # as long as its parent: nobody could tell which is which
            stop -= 1
        left[0] -= 1
        scope = Scope(rng.choice(names), at, stop)
        if depth < 12 and stop - at > 20 and rng.random() < 0.75:
            scope.children = tree(rng, names, at, stop, depth + 1, left)
        out.append(scope)
        at = stop
        if stop == scope.begin and rng.random() < 0.5:
            at += 1
    return out


class Program:
    def __init__(self, seed, n_scopes, n_threads):
        rng = self.rng = random.Random(seed)
        self.start = rng.randrange(10 ** 9, 10 ** 14)
        length = n_scopes * rng.randrange(2000, 9000)
        verbs = ['Update', 'Draw', 'Load', 'Solve', 'Pack', 'Send', 'Wait', 'Tick', 'Build', 'Cull']
        nouns = ['World', 'Mesh', 'Audio', 'Net', 'Physics', 'UI', 'Script', 'Stream', 'Light', 'Anim']
        self.names = [v + n for v in verbs for n in nouns]
        rng.shuffle(self.names)
        self.names = self.names[:40] + ['a, "b"; c', 'tab\there', 'Ωμέγα<é>', 'line\nfeed', 'back\\slash/', '😀 emoji']
        self.processes = {100: 'game', 2000: 'helper "two"'}
        self.threads = []           # (pid, tid, name, scopes, instants)
        for i in range(n_threads):
            pid = 100 if i < (n_threads + 1) // 2 else 2000
            left = [n_scopes // n_threads]
            roots = []
            while left[0] > 0:
                part = length // 4
                at = self.start + self.cursor(roots)
                roots += tree(rng, self.names, at, at + part, 0, left)
            instants = [(rng.randrange(self.start, self.start + length), rng.choice(['Mark', 'GC', 'Reached point']))
                        for _ in range(n_scopes // n_threads // 40)]
            self.threads.append((pid, pid if i in (0, (n_threads + 1) // 2) else pid + i, 'thread %d' % i, roots, instants))
        self.counters = []          # (ts, pid, name, value)
        for name, pid in (('memory', 100), ('queue length', 100), ('load', 2000)):
            for k in range(n_scopes // 30):
                self.counters.append((self.start + k * length // (n_scopes // 30 + 1), pid, name,
                                      rng.randrange(-1000, 10 ** 9) if name != 'load' else rng.randrange(0, 800) / 8))
        self.asyncs = []            # (begin, end, pid, tid, id, name)
        for k in range(n_scopes // 50):
            begin = rng.randrange(self.start, self.start + length)
            self.asyncs.append((begin, begin + rng.randrange(1, length // 3), 100, 100, k + 1,
                                rng.choice(['Request', 'Asset load', 'Job'])))

    def cursor(self, roots):
        return (roots[-1].end + 1 - self.start) if roots else 0

    def expected(self):
        rows = collections.OrderedDict()

        def add(kind, pid, tid, thread, name, dur, own):
            r = rows.setdefault((kind, pid, tid, thread, name), [0, 0, 0, None, None])
            r[0] += 1
            r[1] += dur
            r[2] += own
            r[3] = dur if r[3] is None else min(r[3], dur)
            r[4] = dur if r[4] is None else max(r[4], dur)

        def walk(pid, tid, thread, scopes):
            for s in scopes:
                dur = s.end - s.begin
                add('scope', pid, tid, thread, s.name, dur, dur - sum(c.end - c.begin for c in s.children))
                walk(pid, tid, thread, s.children)

        for pid, tid, name, roots, instants in self.threads:
            walk(pid, tid, name, roots)
            for _, text in instants:
                add('instant', pid, tid, name, text, 0, 0)
        for begin, end, pid, _, _, name in self.asyncs:
            add('async', pid, '', '', name, end - begin, end - begin)
        for _, pid, name, _ in self.counters:
            add('counter', pid, '', '', name, 0, 0)
        return rows


# ---- Chrome JSON ----

def us(ns):
    """Microseconds with as many digits as are needed."""
    text = '%d.%03d' % (ns // 1000, ns % 1000)
    return text.rstrip('0').rstrip('.')


def text_of(value):
    return json.dumps(value, ensure_ascii=False)


def json_events(program, style, rng):
    """Lines of events. Styles: begin (X in order of begins), end (X in order of ends), pairs (B and E), mixed,
    shuffled (X in any order)."""
    out = []

    def whole(pid, tid, s):
        return '{"ph":"X","pid":%d,"tid":%d,"ts":%s,"dur":%s,"name":%s,"cat":"made"}' % (
            pid, tid, us(s.begin), us(s.end - s.begin), text_of(s.name))

    def walk(pid, tid, scopes, style):
        for s in scopes:
            how = rng.choice(('begin', 'end', 'pairs')) if style == 'mixed' else style
            if how in ('begin', 'shuffled'):
                out.append((s.begin, whole(pid, tid, s)))
            elif how == 'pairs':
                out.append((s.begin, '{"ph":"B","pid":%d,"tid":%d,"ts":%s,"name":%s}' % (pid, tid, us(s.begin), text_of(s.name))))
            walk(pid, tid, s.children, style)
            if how == 'end':
                out.append((s.end, whole(pid, tid, s)))
            elif how == 'pairs':
                out.append((s.end, '{"ph":"E","pid":%d,"tid":%d,"ts":%s%s}' % (
                    pid, tid, us(s.end), ',"name":%s' % text_of(s.name) if rng.random() < 0.5 else '')))

    lines = []
    for pid, tid, name, roots, instants in program.threads:
        out = []
        walk(pid, tid, roots, style)
        for ts, text in instants:
            out.append((ts, '{"ph":"i","s":"t","pid":%d,"tid":%d,"ts":%s,"name":%s}' % (pid, tid, us(ts), text_of(text))))
        lines.append(out)
    rest = []
    for ts, pid, name, value in program.counters:
        rest.append((ts, '{"ph":"C","pid":%d,"tid":%d,"ts":%s,"name":%s,"args":{"value":%s}}' % (pid, pid, us(ts), text_of(name), value)))
    for begin, end, pid, tid, number, name in program.asyncs:
        rest.append((begin, '{"ph":"b","cat":"work","id":"0x%x","pid":%d,"tid":%d,"ts":%s,"name":%s}' % (number, pid, tid, us(begin), text_of(name))))
        rest.append((end, '{"ph":"e","cat":"work","id":"0x%x","pid":%d,"tid":%d,"ts":%s,"name":%s}' % (number, pid, tid, us(end), text_of(name))))
    rest.sort(key=lambda e: e[0])
    names = ['{"ph":"M","pid":%d,"tid":%d,"name":"process_name","args":{"name":%s}}' % (pid, pid, text_of(name))
             for pid, name in program.processes.items()]
    names += ['{"ph":"M","pid":%d,"tid":%d,"name":"thread_name","args":{"name":%s}}' % (pid, tid, text_of(name))
              for pid, tid, name, _, _ in program.threads]
    if style == 'shuffled':
        flat = [line for part in lines + [rest] for _, line in part] + names
        rng.shuffle(flat)
        return flat
    if style == 'mixed':                                    # threads one after another, names last
        return [line for part in lines + [rest] for _, line in part] + names
    merged = []                                             # one list in order of time, names first
    for part in lines + [rest]:
        if style == 'begin':
            part = sorted(part, key=lambda e: e[0])
        merged.append([line for _, line in part])
    flat = []
    while any(merged):
        part = rng.choice([p for p in merged if p])
        n = rng.randrange(1, 30)
        flat += part[:n]
        del part[:n]
    return names + flat


def write_json(program, path, style):
    rng = random.Random(style)
    lines = json_events(program, style, rng)
    if style in ('begin', 'mixed'):
        body = '{"displayTimeUnit":"ns","traceEvents":[\n' + ',\n'.join(lines) + '\n],"otherData":{"made":"yes"}}\n'
    else:
        body = '[\n' + ',\n'.join(lines) + ('\n]\n' if style != 'end' else '')    # "end": the array is not closed
    with open(path, 'wb') as f:
        f.write(body.encode('utf-8'))


# ---- Fuchsia ----

class Fxt:
    def __init__(self, ticks):
        self.out, self.ticks = bytearray(), ticks
        self.strings, self.refs = {}, {}
        self.word(0x0016547846040010)

    def word(self, value):
        self.out += struct.pack('<Q', value & ((1 << 64) - 1))

    def stream(self, raw):
        self.out += raw + bytes(-len(raw) % 8)

    def provider(self, number, name):
        raw = name.encode()
        self.word(0 | (1 + (len(raw) + 7) // 8) << 4 | 1 << 16 | number << 20 | len(raw) << 52)
        self.stream(raw)
        self.strings, self.refs = {}, {}

    def init(self):
        self.word(1 | 2 << 4)
        self.word(self.ticks)

    def string(self, text):
        """A reference, registered at first use."""
        if text == '':
            return 0
        if text not in self.strings:
            raw = text.encode()
            index = self.strings[text] = len(self.strings) + 1
            self.word(2 | (1 + (len(raw) + 7) // 8) << 4 | index << 16 | len(raw) << 32)
            self.stream(raw)
        return self.strings[text]

    def thread(self, pid, tid):
        if (pid, tid) not in self.refs:
            index = self.refs[pid, tid] = len(self.refs) + 1
            self.word(3 | 3 << 4 | index << 16)
            self.word(pid)
            self.word(tid)
        return self.refs[pid, tid]

    def event(self, kind, ts, pid, tid, name, args=(), last=None, inline=False):
        """args: (name, argument words without name) made by arg()."""
        if inline:
            raw = name.encode()
            body = struct.pack('<QQQ', ts, pid, tid) + raw + bytes(-len(raw) % 8)
            thread, category, name_ref = 0, self.string('cat'), 0x8000 | len(raw)
        else:
            thread, category, name_ref = self.thread(pid, tid), self.string('cat'), self.string(name)
            body = struct.pack('<Q', ts)
        body += b''.join(args)
        if last is not None:
            body += struct.pack('<Q', last)
        self.word(4 | (1 + len(body) // 8) << 4 | kind << 16 | len(args) << 20 | thread << 24 | category << 32 | name_ref << 48)
        self.out += body

    def number(self, name, value):
        ref = self.string(name)
        if isinstance(value, float):
            return struct.pack('<Qd', 5 | 2 << 4 | ref << 16, value)
        return struct.pack('<Qq', 3 | 2 << 4 | ref << 16, value)

    def kernel_object(self, kind, koid, name, process=None):
        ref = self.string(name)
        arg = b''
        if process is not None:
            arg = struct.pack('<QQ', 8 | 2 << 4 | self.string('process') << 16, process)
        self.word(7 | (2 + len(arg) // 8) << 4 | kind << 16 | ref << 24 | (1 if arg else 0) << 40)
        self.word(koid)
        self.out += arg


def write_fxt(program, path, style):
    """Styles: pairs (begin and end), complete (one record a scope, in order of ends)."""
    rng = random.Random(style)
    fxt = Fxt(1000000000)
    fxt.provider(7, 'made')
    fxt.init()
    for pid, name in program.processes.items():
        fxt.kernel_object(1, pid, name)
    for pid, tid, name, _, _ in program.threads:
        fxt.kernel_object(2, tid, name, pid)
    events = []

    def walk(pid, tid, scopes):
        for s in scopes:
            if style == 'pairs':
                events.append((2, s.begin, pid, tid, s.name, None))
            walk(pid, tid, s.children)
            if style == 'pairs':
                events.append((3, s.end, pid, tid, s.name, None))
            else:
                events.append((4, s.begin, pid, tid, s.name, s.end))

    for pid, tid, name, roots, instants in program.threads:
        walk(pid, tid, roots)
        events += [(0, ts, pid, tid, text, None) for ts, text in instants]
    for kind, ts, pid, tid, name, last in events:
        fxt.event(kind, ts, pid, tid, name, (), last, rng.random() < 0.1)
    for ts, pid, name, value in program.counters:
        arg = fxt.number('value', value)
        fxt.event(1, ts, pid, pid, name, (arg,), 0)
    for begin, end, pid, tid, number, name in program.asyncs:
        fxt.event(5, begin, pid, tid, name, (), number)
        fxt.event(7, end, pid, tid, name, (), number)
    with open(path, 'wb') as f:
        f.write(fxt.out)


# ---- Perfetto ----

def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def put(number, value):
    """A field: bytes and texts are length-delimited, floats doubles, numbers varints."""
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, (bytes, bytearray)):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack('<d', value)
    return varint(number << 3) + varint(value)


def write_perfetto(program, path, style):
    """Styles: plain (names in each event, absolute times), compact (interned names, a delta clock, defaults, packets
    packed by deflate)."""
    packets = []
    compact = style == 'compact'

    def packet(body):
        packets.append(put(1, body))

    process_uuid = {pid: 1000 + pid for pid in program.processes}
    thread_uuid = {}
    packet(put(10, 1) + put(13, 1) + put(6, put(1, put(1, 6) + put(2, program.start)) + put(2, 6)))
    for pid, name in program.processes.items():
        packet(put(10, 1) + put(60, put(1, process_uuid[pid]) + put(3, put(1, pid) + put(6, name))))
    for pid, tid, name, _, _ in program.threads:
        thread_uuid[pid, tid] = pid * 100000 + tid
        packet(put(10, 1) + put(60, put(1, pid * 100000 + tid) + put(4, put(1, pid) + put(2, tid) + put(5, name))))
    tracks = {}
    for _, pid, name, _ in program.counters:
        if (pid, name) not in tracks:
            tracks[pid, name] = 5000000 + len(tracks)
            packet(put(10, 1) + put(60, put(1, tracks[pid, name]) + put(5, process_uuid[pid]) + put(2, name) + put(8, put(3, 2))))
    sequence = 2
    for pid, tid, name, roots, instants in program.threads:
        events = []                                         # (ts, order, type, name)

        def walk(scopes):
            for s in scopes:
                events.append((s.begin, len(events), 1, s.name))
                walk(s.children)
                events.append((s.end, len(events), 2, None))
        walk(roots)
        events += [(ts, len(events) + k, 3, text) for k, (ts, text) in enumerate(instants)]
        events.sort(key=lambda e: (e[0], e[1]))
        if not compact:
            for ts, _, kind, text in events:
                packet(put(8, ts) + put(10, sequence) + put(11, put(9, kind) + put(11, thread_uuid[pid, tid]) + (put(23, text) if text else b'')))
        else:
            packet(put(10, sequence) + put(13, 1) + put(59, put(58, 64) + put(11, put(11, thread_uuid[pid, tid])))
                   + put(6, put(1, put(1, 6) + put(2, program.start)) + put(1, put(1, 64) + put(2, program.start) + put(3, 1))))
            last, interned = program.start, {}
            for ts, _, kind, text in events:
                extra = b''
                event = put(9, kind)
                if text:
                    if text not in interned:
                        interned[text] = len(interned) + 1
                        extra = put(12, put(2, put(1, interned[text]) + put(2, text)))
                    event += put(10, interned[text])
                packet(put(8, ts - last) + put(10, sequence) + put(13, 2) + put(11, event) + extra)
                last = ts
        sequence += 1
    for ts, pid, name, value in program.counters:
        packet(put(8, ts) + put(10, 1) + put(11, put(9, 4) + put(11, tracks[pid, name])
                                             + (put(44, value) if isinstance(value, float) else put(30, value))))
    for begin, end, pid, _, number, name in program.asyncs:
        uuid = 9000000 + number
        packet(put(10, 1) + put(60, put(1, uuid) + put(5, process_uuid[pid]) + put(2, name)))
        packet(put(8, begin) + put(10, 1) + put(11, put(9, 1) + put(11, uuid) + put(23, name)))
        packet(put(8, end) + put(10, 1) + put(11, put(9, 2) + put(11, uuid)))
    if compact:
        out = b''.join(packets[:3])
        for at in range(3, len(packets), 500):
            out += put(1, put(50, zlib.compress(b''.join(packets[at:at + 500]))))
    else:
        out = b''.join(packets)
    with open(path, 'wb') as f:
        f.write(out)


def write(program, directory, what):
    """Writes one style: 'begin', 'end', 'pairs', 'mixed', 'shuffled' (JSON), 'fxt-...', 'pf-...'. Returns the path."""
    kind, _, style = what.rpartition('-')
    ending, writer = {'': ('json', write_json), 'fxt': ('fxt', write_fxt), 'pf': ('pftrace', write_perfetto)}[kind]
    path = os.path.join(directory, '%s.%s' % (what, ending))
    writer(program, path, style)
    return path
