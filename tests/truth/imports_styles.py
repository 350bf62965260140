"""More styles of the captures of imports_made.py: the same program in files that are hard to read.

odd             Chrome JSON: numbers, ids and texts in all forms, keys twice, other elements between the events
fxt-providers   Fuchsia: providers that take turns, with tick rates and tables of their own
pf-late         Perfetto: what events need stands behind them
"""

import json
import os
import random

import imports_made
from imports_made import put


# ---- Chrome JSON ----

# None of them is an event that counts.
REST = ('5', 'null', '"{"', '{"name":"no phase","ts":1}', '{}', '[{"ph":"X","name":"inner","ts":1,"dur":1}]',
        '{"ph":"X","name":"no time","dur":1,"pid":100,"tid":100,"ts":"12 ms"}', '{"ph":"B","name":"no time","pid":100,"tid":100}')


def escaped(text):
    units = text.encode('utf-16-le')
    return '"%s"' % ''.join('\\u%02x%02x' % (units[i + 1], units[i]) for i in range(0, len(units), 2))


def odd_value(rng, key, value):
    if key in ('ts', 'dur'):
        return rng.choice(('%s', '"%s"', '%se0', '"%sE+0"', '%s000' if '.' in str(value) else '%s.000')) % value
    if key in ('pid', 'tid'):
        return rng.choice(('%d', '"%d"', '%d.0')) % value
    if isinstance(value, str):
        return escaped(value) if rng.random() < 0.3 else imports_made.text_of(value)
    return json.dumps(value)


def odd_event(rng, line):
    event = json.loads(line, parse_float=str)       # digits as they stand
    parts = [(key, odd_value(rng, key, value)) for key, value in event.items()]
    rng.shuffle(parts)
    if rng.random() < 0.2:                          # of a key that is there twice the last counts
        parts.insert(0, (rng.choice([key for key in event if key != 'args']), '"wrong"'))
    if 'args' not in event and rng.random() < 0.3:
        parts.append(('args', '{"a":"}]\\"","ph":"E","b":[{"ts":7}]}'))
    space = rng.choice(('', '', ' ', '\n\t'))
    return '{%s}' % (space + ',').join('%s"%s"%s:%s%s' % (space, key, space, space, value) for key, value in parts)


def write_odd(program, path):
    rng = random.Random('odd')
    lines = []
    for line in imports_made.json_events(program, 'mixed', rng):
        if rng.random() < 0.1:
            lines.append(rng.choice(REST))
        lines.append(odd_event(rng, line))
    half = len(lines) // 2
    text = '{"metadata":{"ph":"B"},"traceEvents":[%s,],"samples":[]}\n[%s' % (',\n'.join(lines[:half]), ' , '.join(lines[half:]))
    with open(path, 'wb') as f:
        f.write(text.encode('utf-8'))


# ---- Fuchsia ----

def write_fxt_providers(program, path):
    """Each process has a provider with a tick rate of its own. Their records take turns, and indexes of texts and threads
    are set again. Times between two nanoseconds are those of the earlier one."""
    rng, fxt = random.Random('providers'), imports_made.Fxt(0)
    tables, rest = {}, {}
    for number, (pid, name) in enumerate(program.processes.items(), 1):
        fxt.ticks = (number + 1) * 1000000000
        fxt.provider(number, 'of %d' % pid)
        fxt.init()
        fxt.kernel_object(1, pid, name)
        for _, tid, thread, _, _ in (t for t in program.threads if t[0] == pid):
            fxt.kernel_object(2, tid, thread, pid)
        tables[pid], rest[pid] = (number, fxt.strings, fxt.refs), []

    def add(kind, pid, tid, ts, name, end=None, last=None, value=None):
        rate = tables[pid][0] + 1
        ticks = [None if t is None else t * rate + rng.randrange(rate) for t in (ts, end)]
        rest[pid].append((kind, ticks[0], pid, tid, name, last if end is None else ticks[1], value))

    def walk(pid, tid, scopes, whole):
        for s in scopes:
            if not whole:
                add(2, pid, tid, s.begin, s.name)
            walk(pid, tid, s.children, whole)
            if whole:
                add(4, pid, tid, s.begin, s.name, s.end)
            else:
                add(3, pid, tid, s.end, 'an end has no name of its own')

    for i, (pid, tid, _, roots, instants) in enumerate(program.threads):
        walk(pid, tid, roots, i % 2)
        for ts, text in instants:
            add(0, pid, tid, ts, text)
    for ts, pid, name, value in program.counters:
        add(1, pid, pid, ts, name, None, 0, value)
    for begin, end, pid, tid, number, name in program.asyncs:
        add(5, pid, tid, begin, name, None, number)
        add(7, pid, tid, end, name, None, number)
    while any(rest.values()):
        pid = rng.choice([pid for pid, events in rest.items() if events])
        number, fxt.strings, fxt.refs = tables[pid]
        fxt.word(0 | 1 << 4 | 2 << 16 | number << 20)           # its section
        if rng.random() < 0.2:
            fxt.strings.clear()
            fxt.refs.clear()
        for kind, ticks, _, tid, name, last, value in rest[pid][:rng.randrange(1, 40)]:
            args = () if value is None else (fxt.number('value', value),)
            fxt.event(kind, ticks, pid, tid, name, args, last, rng.random() < 0.1)
            rest[pid].pop(0)
    with open(path, 'wb') as f:
        f.write(fxt.out)


# ---- Perfetto ----

def write_perfetto_late(program, path):
    """What events need stands behind them: the tracks, whose names come twice, and the snapshots of the clock that the
    events are in. It runs slower than that of the trace before the second snapshot. Counters tell differences."""
    monotonic, length = 3, max(ts for ts, *_ in program.counters) - program.start
    snapshots = [(program.start - 5000, 1000), (program.start + length // 2, length // 2 + 9000)]   # of trace, monotonic
    packets = [put(10, 1) + put(13, 1)]

    def event(ts, body):
        trace, own = snapshots[ts >= snapshots[1][0]]
        packets.append(put(8, ts - trace + own) + put(58, monotonic) + put(10, 1) + put(11, body))

    for pid, tid, _, roots, instants in reversed(program.threads):
        uuid = put(11, pid * 100000 + tid)
        events = [(ts, put(9, 3) + uuid + put(23, text)) for ts, text in instants]

        def walk(scopes):
            for s in scopes:
                events.append((s.begin, put(9, 1) + uuid + put(23, s.name)))
                walk(s.children)
                named = s.name != '' and len(events) % 2
                events.append((s.end, put(9, 2) + uuid + (put(23, s.name) if named else b'')))
        walk(roots)
        for ts, body in sorted(events, key=lambda e: e[0]):
            event(ts, body)
    tracks, last = {}, {}
    for ts, pid, name, value in program.counters:
        uuid = tracks.setdefault((pid, name), 5000000 + len(tracks))
        more = value - last.get(uuid, 0)
        last[uuid] = value
        event(ts, put(9, 4) + put(11, uuid) + (put(44, more) if isinstance(more, float) else put(30, more)))
    for begin, end, pid, _, number, name in program.asyncs:
        event(begin, put(9, 1) + put(11, 9000000 + number) + put(23, name))
        event(end, put(9, 2) + put(11, 9000000 + number))
        packets.append(put(10, 1) + put(60, put(1, 9000000 + number) + put(5, 1000 + pid)))
    for (pid, name), uuid in tracks.items():
        named = put(2, 'not ' + name) + put(2, name)            # the last of a field counts
        packets.append(put(10, 1) + put(60, put(1, uuid) + put(5, 1000 + pid) + named))
        packets.append(put(10, 1) + put(60, put(1, uuid) + put(2, 'later') + put(8, put(3, 2) + put(5, 1))))
    for pid, tid, name, _, _ in program.threads:
        owner = put(1, pid) + put(2, tid)
        packets.append(put(10, 1) + put(60, put(1, pid * 100000 + tid) + put(4, owner + put(5, name))))
    for pid, name in program.processes.items():
        packets.append(put(10, 1) + put(60, put(1, 1000 + pid) + put(3, put(1, pid) + put(6, name))))
    for trace, own in snapshots:
        packets.append(put(10, 1) + put(6, put(1, put(1, 6) + put(2, trace)) + put(1, put(1, monotonic) + put(2, own))))
    with open(path, 'wb') as f:
        f.write(b''.join(put(1, packet) for packet in packets))


WRITERS = {'odd': ('json', write_odd), 'fxt-providers': ('fxt', write_fxt_providers), 'pf-late': ('pftrace', write_perfetto_late)}


def write(program, directory, what):
    """As imports_made.write, and in these styles. Returns the path."""
    if what not in WRITERS:
        return imports_made.write(program, directory, what)
    ending, writer = WRITERS[what]
    path = os.path.join(directory, '%s.%s' % (what, ending))
    writer(program, path)
    return path
