"""CPU statistics the slow way: batches decoded number by number from the arrays that trace-events prints, every call
kept, percentiles by sorting. Independent of the library's own decoder and of its sketches.

Encodings of CpuProfiler.EventBatch, ...V2, ...V3: a batch is a run of entries, all numbers are 7-bit variable-length.
The first entry of a batch holds an absolute cycle, the others the difference to the one before.
"""

import collections
import math

COROUTINE, UNKNOWN = ('coroutine', 'Coroutine'), ('coroutine', '<unknown>')


class Calls:
    """The calls of a timer on a thread."""

    def __init__(self):
        self.spans = []         # of all calls that ended
        self.outermost = 0      # sum of those with no other of the timer around them
        self.running = 0        # calls that are open
        self.open = 0           # ... at the end

    def figures(self):
        """What a row of the table timers states, without exclusive time and percentiles."""
        return {'count': len(self.spans), 'open': self.open, 'incl': self.outermost, 'total': sum(self.spans),
                'min': min(self.spans, default=None), 'max': max(self.spans, default=None)}

    def percentile(self, fraction):
        """Nearest rank."""
        rank = max(1, math.ceil(fraction * len(self.spans)))
        return sorted(self.spans)[rank - 1]


class Thread:
    """The stack of a thread."""

    def __init__(self):
        self.stack = []
        self.unmatched = 0
        self.calls = collections.defaultdict(Calls)

    def begin(self, timer, cycle):
        self.stack.append((timer, cycle))
        self.calls[timer].running += 1

    def end(self, cycle):
        if not self.stack:
            self.unmatched += 1
            return
        timer, begun = self.stack.pop()
        calls = self.calls[timer]
        calls.running -= 1
        calls.spans.append(cycle - begun)
        if not calls.running:
            calls.outermost += cycle - begun

    def finish(self):
        for timer, _ in self.stack:
            self.calls[timer].open += 1


def numbers(data):
    """The variable-length numbers of a batch."""
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def apply_batch(thread, data, form, start, timer_of):
    """Applies the entries of a batch of form 1, 2 or 3 to a thread."""
    stream = numbers(data)
    cycle, bits = 0, 1 if form == 1 else 2
    for first in stream:
        cycle += first >> bits
        if cycle < start:
            cycle += start
        kind = first & ((1 << bits) - 1)
        if kind == 0:
            thread.end(cycle)
        elif kind == 1:
            thread.begin(timer_of(next(stream), form), cycle)
        elif kind == 3:
            next(stream)                            # the id of the coroutine
            thread.begin(COROUTINE, cycle)
            for _ in range(next(stream)):
                thread.begin(UNKNOWN, cycle)
        else:
            for _ in range(next(stream) + 1):
                thread.end(cycle)


class Threads(dict):
    """thread id -> Thread, made when it is first met."""

    def __init__(self, make):
        super().__init__()
        self.make = make

    def __missing__(self, number):
        self[number] = self.make(number)
        return self[number]


class Profile:
    """thread id -> Thread, from the events of the logger CpuProfiler (as trace-events prints them) of one capture."""

    def __init__(self, events, start, thread=lambda number: Thread()):
        self.names, self.instances = {}, {}
        self.threads = Threads(thread)
        for event in events:
            self.define(event['event'], event['fields'], event.get('attachment'))
        for event in events:
            name = event['event'].removeprefix('CpuProfiler.')
            if name.startswith('EventBatch'):
                fields = event['fields']
                payload = fields['Data'] if 'Data' in fields else attachment_bytes(event)
                number = fields.get('ThreadId', event['thread_id'])
                apply_batch(self.threads[number], payload, int(name.removeprefix('EventBatch').removeprefix('V') or 1), start,
                            self.timer)
        for made in self.threads.values():
            made.finish()

    def define(self, name, fields, attachment):
        kinds = {'CpuProfiler.EventSpec': 'spec', 'CpuProfiler.MetadataSpec': 'metadata'}
        if name in kinds:
            text = fields['Name'] if 'Name' in fields else attachment_bytes({'attachment': attachment})
            if not isinstance(text, str):
                text = bytes(text).decode('utf-8')
            self.names[fields['Id']] = (kinds[name], text.rstrip('\0'))
        elif name == 'CpuProfiler.Metadata':
            self.instances[fields['Id']] = fields['SpecId']

    def timer(self, number, form):
        if form == 3:
            number = self.instances[number >> 1] if number & 1 else number >> 1
        return self.names[number]


def attachment_bytes(event):
    """The attachment of an event as trace-events prints it: an array of bytes, a text, or {"bytes": hex}."""
    value = event.get('attachment')
    if isinstance(value, dict):
        return bytes.fromhex(value['bytes'])
    if isinstance(value, str):
        return bytes.fromhex(value)
    return bytes(value or ())
