"""What in a .utrace shows that something is wrong with it: an oracle that knows nothing of Tracekit.

signs(data) counts by kind. Written from docs/format/utrace-wire.md and utrace-events.md alone (cited as `wire`, `events`): what
the bytes have to be, serials, times of a thread, ids that are defined, begins and ends.
"""

import collections

import utrace_figures
import utrace_wire as wire

WIDTHS = {1: 16, 2: 24, 3: 24, 4: 24}                   # bits of a serial (wire 3)
BATCHES = utrace_figures.BATCHES
SPECS = {                                               # what refers by id to what defines it (events)
    ('Counters', 'SetValueInt'): ('CounterId', 'Counters', ('Spec',), 'Id'),
    ('Counters', 'SetValueFloat'): ('CounterId', 'Counters', ('Spec',), 'Id'),
    ('Logging', 'LogMessage'): ('LogPoint', 'Logging', ('LogMessageSpec',), 'LogPoint'),
}
FRAMES = {'BeginFrame': True, 'EndFrame': False}


class Signs(collections.Counter):
    def see(self, kind, true=True):
        self[kind] += bool(true)


def unwrap(numbers, bits):
    """Serials of a thread without their wraps (wire 4.1)."""
    out, last = [], None
    for number in numbers:
        if last is not None:
            ahead = number - last & (1 << bits) - 1
            number = last + (ahead if ahead < 1 << bits - 1 else ahead - (1 << bits))
        out.append(number)
        last = number
    return out


def synced(capture):
    """Serials of each thread as they stand."""
    for tid, records in capture.streams.items():
        if tid != wire.PSEUDO and (tid >= 2 or capture.protocol < 5):
            yield [record.serial for record in records if record.serial is not None]


def serials(found, capture):
    """Each value is used once, and within a thread they rise (wire 4.1, 4.2)."""
    bits, everything, first = WIDTHS.get(capture.protocol, 24), [], None
    for numbers in synced(capture):
        if not numbers:
            continue
        first = numbers[0] if first is None else first
        line = unwrap([first, *numbers], bits)[1:]
        found['a serial that goes back in its thread'] += sum(one > other for one, other in zip(line, line[1:]))
        everything += line
    known = set(everything)
    found['a serial that comes twice'] += len(everything) - len(known)
    if known:
        found['serials that are missing'] += max(known) - min(known) + 1 - len(known)


def blobs(found, capture):
    """Array data has an event, and its end (wire 3.5, 9)."""
    for tid, records in capture.streams.items():
        if capture.protocol < 5 or tid < 2:
            continue
        waiting = 0
        for record in records:
            if record.kind == 'event':
                waiting += bool(record.type.flags & wire.HAS_AUX)
            elif record.kind == 'aux':
                found.see('array data without its event', not waiting)
            elif record.kind == 'end':
                found.see('an end of array data without a begin', not waiting)
                waiting -= waiting > 0
        found['array data without its end'] += waiting


# ---- times, begins and ends, definitions ----

def numbers_of(found, data):
    """The varints of a batch (events 0.2)."""
    out, number, shift = [], 0, 0
    for byte in data:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.see('a number of more than 64 bits', shift > 70 or number >> 64)
            out.append(number)
            number, shift = 0, 0
    found.see('a batch that ends inside of a number', shift)
    return out


class Thread:
    """The scopes of a thread: batches and stamps have stacks of their own."""

    def __init__(self):
        self.depth, self.stamps, self.ended, self.stamp = 0, [], False, None


class Scopes:
    def __init__(self, found, capture, streams):
        self.found, self.capture = found, capture
        self.events = [item for items in streams.values() for item in items if isinstance(item, wire.Event)]
        self.timers, self.threads = utrace_figures.Timers(self.events), collections.defaultdict(Thread)
        for tid, items in streams.items():
            for item in items:
                if isinstance(item, wire.Event):
                    self.event(tid, item)
                else:
                    self.record(self.threads[tid], *item)
        for thread in self.threads.values():
            found['a begin without an end'] += thread.depth + len(thread.stamps)

    def event(self, tid, event):
        if event.type.logger != 'CpuProfiler':
            return
        if event.type.name in BATCHES:
            values = event.values
            thread = self.threads[values.get('ThreadId', tid)]
            self.batch(thread, bytes(values.get('Data', event.extra)), BATCHES[event.type.name])
            thread.ended |= event.type.name == 'EndCapture'
        elif event.type.name == 'EndThread':
            self.threads[tid].ended = True

    def record(self, thread, kind, value):
        if kind.startswith('enter'):
            thread.stamps.append(value)
        elif thread.stamps:
            thread.stamps.pop()
        else:
            self.found.see('an end without a begin')
        if kind.endswith(('_ta', '_tb')):
            stamp = (kind[-2:], value)
            self.found.see('a time before the one in front', thread.stamp and thread.stamp[0] == stamp[0] and stamp < thread.stamp)
            thread.stamp = stamp

    def batch(self, thread, data, form):
        numbers, shift = iter(numbers_of(self.found, data)), 1 if form == 1 else 2
        for first in numbers:
            self.found.see('scopes behind the end of their thread', thread.ended)
            try:
                self.entry(thread, first & (1 << shift) - 1, numbers, form)
            except StopIteration:
                self.found.see('a batch that ends inside of an entry')

    def entry(self, thread, flags, numbers, form):
        if flags == 1:
            self.timer(next(numbers), form)
            thread.depth += 1
        elif flags == 0:
            self.found.see('an end without a begin', not thread.depth)
            thread.depth -= thread.depth > 0
        else:
            if flags == 3:
                next(numbers)
            depth = next(numbers)
            if flags == 3:
                thread.depth += depth + 1
            else:
                self.found['an end without a begin'] += max(0, depth + 1 - thread.depth)
                thread.depth = max(0, thread.depth - depth - 1)

    def timer(self, number, form):
        spec = number >> 1 if form == 3 else number
        if form == 3 and number & 1:
            self.found.see('metadata that is not defined', spec not in self.timers.instances)
        else:
            self.found.see('a timer that is not defined', spec not in self.timers.names and spec not in self.timers.metadata)


def references(found, events):
    defined = collections.defaultdict(set)
    for logger, names, field in {(row[1], row[2], row[3]) for row in SPECS.values()}:
        for event in events:
            if event.type.logger == logger and event.type.name in names:
                defined[logger].add(event.values.get(field))
    for event in events:
        row = SPECS.get((event.type.logger, event.type.name))
        found.see('an id that is not defined', row and event.values.get(row[0]) not in defined[row[1]])


def frames(found, events):
    """A frame ends behind its begin, and the next one begins behind this one (events 3)."""
    last = {}
    for event in events:
        if event.type.logger != 'Misc' or event.type.name not in FRAMES:
            continue
        kind, time = event.values['FrameType'], utrace_figures.signed(event.values['Cycle'])
        begin, before = FRAMES[event.type.name], last.get(kind)
        found.see('a frame that ends without a begin', not begin and (before is None or not before[0]))
        found.see('a frame without an end', begin and before and before[0])
        found.see('a time of a frame before the one in front', before and time < before[1])
        last[kind] = (begin, time)
    found['a frame without an end'] += sum(begin for begin, _ in last.values())


def texts(found, events):
    """Wide texts have whole characters, and narrow ones a byte each or UTF-8 (events 0)."""
    for event in events:
        for number, field in enumerate(event.type.fields):
            if field.info & 0x88 == 0x88 and field.info & 3 and len(event.blobs.get(number, b'')) % 2:
                found.see('half a character')


def signs(data):
    found = Signs()
    try:
        capture = wire.read(data)
        streams = {tid: wire.events(capture, tid) for tid in wire.order_of_streams(capture.streams)}
        serials(found, capture)
        blobs(found, capture)
        scopes = Scopes(found, capture, streams)
        references(found, scopes.events)
        for items in streams.values():
            frames(found, [item for item in items if isinstance(item, wire.Event)])
        texts(found, scopes.events)
    except Exception:                                   # noqa: BLE001: of a damaged file
        found = Signs()
        found.see('what cannot be read by its rules')
    return +found
