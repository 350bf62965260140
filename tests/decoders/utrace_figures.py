"""What the events of a .utrace come to. Written from docs/format/utrace-events.md (cited as `events`) alone.

figures(capture) is a dict of plain values: events by thread in order, timers by thread, frames, counters, regions, memory.
"""

import collections
import dataclasses
import re
import struct

import utrace_wire as wire

MASK = (1 << 64) - 1
BATCHES = {'EventBatch': 1, 'EndCapture': 1, 'EventBatchV2': 2, 'EventBatchV3': 3}
MEMORY_ALLOCS = ('Alloc', 'ReallocAlloc')
MEMORY_FREES = ('Free', 'ReallocFree')
OLD_FRAMES = {'BeginGameFrame': (0, True), 'EndGameFrame': (0, False),
              'BeginRenderFrame': (1, True), 'EndRenderFrame': (1, False)}


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def varints(data):
    out, at = [], 0
    while at < len(data):
        number, shift = 0, 0
        while True:
            number |= (data[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 128:
                break
        out.append(number & MASK)
    return out


# ---- timers (events 2.2, 2.4) ----

class Timers:
    """Names of timers by id of their spec, and specs of metadata by id of the instance."""

    def __init__(self, everything):
        self.names, self.metadata, self.instances = {}, {}, {}
        for event in everything:
            if event.type.logger == 'CpuProfiler':
                self.take(event)

    def take(self, event):
        if event.type.name == 'EventSpec':
            values = event.values
            self.names[values['Id']] = spec_name(event, values) or '<noname %d>' % values['Id']
        elif event.type.name == 'MetadataSpec':
            values = event.values
            self.metadata[values['Id']] = base_name(values['Name'], values['NameFormat'])
        elif event.type.name == 'Metadata':
            values = event.values
            self.instances[values['Id']] = values['SpecId']

    def spec(self, number):
        if number in self.metadata:
            return self.metadata[number], 'metadata'
        return self.names.get(number, '<unknown %d>' % number), 'spec'

    def instance(self, number):
        if number not in self.instances:
            return '<unknown metadata>', 'metadata'
        return self.spec(self.instances[number])


def spec_name(event, values):
    """The name of a spec: a field, or what stands behind the fields."""
    if 'Name' in values:
        return values['Name'].rstrip('\0')
    if values.get('CharSize', 2) == 1:
        return wire.text(event.extra).rstrip('\0')
    return event.extra[:len(event.extra) & ~1].decode('utf-16-le', 'surrogatepass').rstrip('\0')


def base_name(name, form):
    name, form = name.rstrip('\0'), form.rstrip('\0')
    if name and name != form:
        return name
    found = re.search(r'[% (=]', form)
    return form if not found else form[:found.start()] or 'Unknown'


# ---- batches and stamps of a thread (events 2.3, 2.5) ----

@dataclasses.dataclass
class Mark:
    """A begin or an end. kind: batch, stamped, resume, suspend."""
    time: int
    begin: bool
    kind: str
    timer: tuple = None
    depth: int = 0


class Thread:
    """Collects what a thread says of scopes: entries of its batches, and stamped scopes."""

    def __init__(self, start, timers):
        self.start, self.timers, self.last = start, timers, 0
        self.batches, self.stamped, self.ended = [], [], False
        self.stamp, self.pending = 0, []

    def cycle(self, number):
        """The rules of events 2.3, whose second is applied to the result of the first."""
        if number < self.last:
            number = number + self.last & MASK
        if number < self.start:
            number = number + self.start & MASK
        self.last = number
        return number

    def batch(self, data, form):
        if self.ended:
            return
        numbers = iter(varints(data))
        shift = 1 if form == 1 else 2
        for first in numbers:
            self.entry(self.cycle(first >> shift), first & (1 << shift) - 1, numbers, form)

    def entry(self, time, flags, numbers, form):
        if flags == 1:
            number = next(numbers)
            if form == 3:
                timer = self.timers.instance(number >> 1) if number & 1 else self.timers.spec(number >> 1)
            else:
                timer = self.timers.spec(number)
            self.batches.append(Mark(time, True, 'batch', timer))
        elif flags == 0:
            self.batches.append(Mark(time, False, 'batch'))
        elif flags == 3:
            next(numbers)
            self.batches.append(Mark(time, True, 'resume', depth=next(numbers)))
        else:
            self.batches.append(Mark(time, False, 'suspend', depth=next(numbers)))

    def stamps(self, kind, value):
        """A stamp; the time of an enter waits for the event that it opens."""
        if kind.endswith('_t'):
            self.stamp += value
        elif kind.endswith('_ta'):
            self.stamp = signed(value - self.start & MASK)
        elif kind.endswith('_tb'):
            self.stamp = value
        time = None if kind in ('enter', 'leave') else self.stamp
        if kind.startswith('enter'):
            self.pending.append([time, None])
        elif self.pending:
            entered, timer = self.pending.pop()
            if timer and entered is not None:
                self.stamped.append(Mark(self.start + self.stamp, False, 'stamped'))

    def event(self, event):
        """The first event behind an enter is what it opens."""
        if self.pending and self.pending[-1][1] is None:
            timer = (event.type.title, 'scoped_event') if event.type.logger == 'Cpu' else ()
            self.pending[-1][1] = timer
            if timer and self.pending[-1][0] is not None:
                self.stamped.append(Mark(self.start + self.pending[-1][0], True, 'stamped', timer))

    def marks(self):
        """Both, by time: a stamp at the time of an entry precedes a begin and follows an end."""
        out, pending = [], collections.deque(self.stamped)
        for mark in self.batches:
            while pending and (pending[0].time < mark.time or pending[0].time == mark.time and mark.begin):
                out.append(pending.popleft())
            out.append(mark)
        return out + list(pending)


# ---- scopes (events 2.6, 2.7) ----

@dataclasses.dataclass
class Scope:
    timer: tuple
    begin: int
    kind: str
    below: int = 0                                      # time of direct children
    end: int = None


def scopes(marks):
    """All scopes in the order of their begins, with the time of their children, and whether one like it is around."""
    stack, out, last = [], [], None
    for mark in marks:
        time = mark.time if last is None else max(mark.time, last)
        last = time
        if mark.begin:
            names = [mark.timer] if mark.timer else [('Coroutine', 'coroutine')] + [('<unknown>', 'coroutine')] * mark.depth
            for name in names:
                stack.append(Scope(name, time, 'stamped' if mark.kind == 'stamped' else 'batch'))
                out.append((stack[-1], any(other.timer == name for other in stack[:-1])))
        else:
            kind = 'stamped' if mark.kind == 'stamped' else 'batch'
            for _ in range(mark.depth + 1 if mark.kind == 'suspend' else 1):
                close(stack, kind, time)
    return out


def close(stack, kind, time):
    at = next((i for i in range(len(stack) - 1, -1, -1) if stack[i].kind == kind), None)
    if at is None:
        return
    scope = stack.pop(at)
    scope.end = time
    if at:
        stack[at - 1].below += time - scope.begin


def sums(found):
    """timer -> calls, open calls, incl, total, excl, min, max."""
    out = {}
    for scope, inside in found:
        row = out.setdefault(scope.timer, {'count': 0, 'open': 0, 'incl': 0, 'total': 0, 'excl': 0, 'min': None, 'max': None})
        if scope.end is None:
            row['open'] += 1
            continue
        length = scope.end - scope.begin
        row['count'] += 1
        row['total'] += length
        row['incl'] += 0 if inside else length
        row['excl'] += length - scope.below
        row['min'] = length if row['min'] is None else min(row['min'], length)
        row['max'] = max(row['max'] or 0, length)
    return out


# ---- a capture ----

class Clock:
    """When the recording began, and the ticks of a second."""

    def __init__(self, everything):
        self.start = self.frequency = 0
        for event in everything:
            if event.type.title in ('$Trace.NewTrace', '$Trace.Timing') and 'StartCycle' in event.values:
                self.start, self.frequency = event.values['StartCycle'], event.values['CycleFrequency']


def serial_order(everything, width):
    """Synchronised events by serial; others behind the one before them on their thread."""
    keyed, last = [], {}
    first = next((event.serial for event in everything if event.serial is not None), 0)
    for index, event in enumerate(everything):
        if event.serial is not None:
            last[event.tid] = (event.serial - first + (1 << width - 1)) % (1 << width)
        keyed.append((last.get(event.tid, -1), index, event))
    return [event for _, _, event in sorted(keyed, key=lambda item: item[:2])]


def figures(capture):
    streams = {tid: wire.events(capture, tid) for tid in wire.order_of_streams(capture.streams)}
    plain = {tid: [item for item in items if isinstance(item, wire.Event)] for tid, items in streams.items()}
    everything = [event for events in plain.values() for event in events]
    clock = Clock(everything)
    ordered = serial_order(everything, 16 if capture.protocol == 1 else 24)
    return {'events': {tid: [described(event) for event in events] for tid, events in plain.items() if events},
            'timers': timers(capture, streams),
            'frames': frames(ordered, clock),
            'counters': counters(ordered),
            'threads': thread_names(capture, everything),
            'memory': memory(ordered)}


def described(event):
    return (event.type.title, event.serial, event.values, event.extra)


def timers(capture, streams):
    rows = {}
    for tid, found in marks_of(capture, streams)[1].items():
        for timer, row in sums(found).items():
            rows[(tid, *timer)] = row
    return rows


def marks_of(capture, streams=None):
    """The clock, and the scopes of each thread with what they are in."""
    streams = streams or {tid: wire.events(capture, tid) for tid in wire.order_of_streams(capture.streams)}
    everything = [item for items in streams.values() for item in items if isinstance(item, wire.Event)]
    clock, names, threads = Clock(everything), Timers(everything), {}
    for tid, items in streams.items():
        for item in items:
            thread = thread_of(threads, tid, clock, names)
            if not isinstance(item, wire.Event):
                thread.stamps(*item)
                continue
            thread.event(item)
            scope_event(threads, tid, item, clock, names, capture.protocol)
    return clock, {tid: scopes(thread.marks()) for tid, thread in threads.items()}


def thread_of(threads, tid, clock, names):
    if tid not in threads:
        threads[tid] = Thread(clock.start, names)
    return threads[tid]


def scope_event(threads, tid, event, clock, names, protocol):
    if event.type.title == '$Trace.ThreadTiming' and protocol < 7:
        threads[tid].stamp = event.values['BaseTimestamp']
    if event.type.logger != 'CpuProfiler':
        return
    if event.type.name in BATCHES:
        values = event.values
        target = thread_of(threads, values.get('ThreadId', tid), clock, names)
        target.batch(bytes(values.get('Data', event.extra)), BATCHES[event.type.name])
        target.ended |= event.type.name == 'EndCapture'
    elif event.type.name == 'EndThread':
        threads[tid].ended = True


def frames(ordered, clock):
    lists, last = {0: [], 1: []}, {0: 0, 1: 0}
    for event in ordered:
        if event.type.logger != 'Misc':
            continue
        if event.type.name in OLD_FRAMES:
            kind, begin = OLD_FRAMES[event.type.name]
            last[kind] += varints(event.extra)[0]
            time = last[kind]
        elif event.type.name in ('BeginFrame', 'EndFrame'):
            kind, time, begin = event.values['FrameType'], event.values['Cycle'], event.type.name == 'BeginFrame'
        else:
            continue
        add_frame(lists.setdefault(kind, []), time, begin)
    return {kind: found for kind, found in lists.items() if found}


def add_frame(found, time, begin):
    """An end belongs to the last frame, also where that has one; a frame without an end stays open."""
    if begin:
        found.append([time, None])
    elif found:
        found[-1][1] = time


def counters(ordered):
    names, found = {}, collections.defaultdict(list)
    for event in ordered:
        if event.type.logger != 'Counters':
            continue
        values = event.values
        if event.type.name == 'Spec':
            wide = event.extra[:len(event.extra) & ~1].decode('utf-16-le', 'surrogatepass').rstrip('\0')
            names[values['Id']] = values.get('Name', wide).rstrip('\0')
        else:
            value = values['Value']
            found[values['CounterId']].append((signed(values['Cycle']), value if isinstance(value, float) else signed(value & MASK)))
    rows = {}
    for number, pairs in found.items():
        line = [value for _, value in sorted(pairs, key=lambda pair: pair[0])]
        rows[number] = {'counter': names.get(number, ''), 'count': len(line), 'first': line[0], 'last': line[-1],
                        'min': min(line), 'max': max(line)}
    return rows


def thread_names(capture, everything):
    """thread -> name, id in the system, hint; for what ThreadInfo says."""
    rows = {}
    for event in everything:
        if event.type.title == '$Trace.ThreadInfo':
            values = event.values
            name = values.get('Name', wire.text(event.extra)).rstrip('\0')
            hint = struct.unpack('<i', struct.pack('<I', values['SortHint'] & 0xFFFFFFFF))[0]
            rows[values.get('ThreadId', event.tid)] = (name, values.get('SystemId', 0), hint)
    return rows


def memory(ordered):
    """What is alive at the end, and how often was allocated and freed (events 6.2). None without Memory.Init."""
    shift, alive, row = None, {}, {'allocs': 0, 'frees': 0, 'unknown_frees': 0, 'alloc_bytes': 0, 'peak_bytes': 0}
    size = 0
    for event in ordered:
        if event.type.title == 'Memory.Init':
            shift = event.values['SizeShift']
    for event in ordered if shift is not None else ():
        if event.type.logger != 'Memory' or event.type.name not in MEMORY_ALLOCS + MEMORY_FREES:
            continue
        values = event.values
        key = (values.get('RootHeap', 0), values['Address'])
        if event.type.name in MEMORY_FREES:
            row['frees'] += key in alive
            row['unknown_frees'] += key not in alive
            size -= alive.pop(key, 0)
            continue
        row['frees'] += key in alive                    # what was there is gone without a word
        size -= alive.pop(key, 0)
        alive[key] = values['Size'] << shift | values['AlignmentPow2_SizeLower'] & (1 << shift) - 1
        size += alive[key]
        row['allocs'] += 1
        row['alloc_bytes'] += alive[key]
        row['peak_bytes'] = max(row['peak_bytes'], size)
    return None if shift is None else {**row, 'alive_bytes': size, 'alive_count': len(alive)}
