"""Words planted into the texts of a capture, so that a result can be searched for them: they stand nowhere else.

Beside check_anonymise.py; the capture is taken apart and put together by the decoder of tests/decoders.
"""

import copy
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'decoders'), str(HERE.parent / 'harness')]
import utrace_draft  # noqa: E402
import utrace_values  # noqa: E402
import utrace_wire as wire  # noqa: E402

ANSI, WIDE, BYTES = 0x88, 0x89, 0x80
# Texts that stay by default, as the manual says, and bytes that are no texts.
STAY = ('Trace.Channel', '$Trace.Channel', 'Tracekit.', 'CpuProfiler.EventBatch', 'Stats.', 'GpuProfiler.Frame.',
        'NetTrace.PacketContent', 'Memory.Callstack', 'Misc.Screenshot', 'Diagnostics.Session2.Platform',
        'Diagnostics.ModuleInit.SymbolFormat', 'GpuProfiler.QueueSpec')
TIMERS = ('CpuProfiler.EventSpec.Name', 'CpuProfiler.MetadataSpec.Name', 'CpuProfiler.MetadataSpec.FieldNames',
          'GpuProfiler.EventSpec.Name', 'GpuProfiler.EventBreadcrumbSpec.')
# Shapes of texts, how many words are in them, whether each of these is a text of its own, and what words they are.
# The first word of HOMES is a person.
HOMES = ('/home/{0}/{1}/{2}.cpp', 'C:\\Users\\{0}\\{1}.uasset')
SHAPES = (('{0}', 1, True), ('/home/{0}/{1}/{2}.cpp', 3, True), ('C:\\Users\\{0}\\{1}.uasset', 2, True), ('{0} speaks', 1, False),
          ('http://{0}.example/{1}', 2, False), ('{0}@{1}', 2, False), ('-user={0} -x "D:/{1}/{2}.uproject"', 3, False),
          ('/Game/{0}/{1}.{2}', 3, True), ('Peer: {0}', 1, False, 'address'), ('{0}', 1, False, 'digits'),
          ('Loss 5% {0} of', 1, False, 'digits'))
PLAIN = ('Counters.', 'CpuProfiler.', 'Logging.', 'Misc.', '-')     # where texts are known, and are not kept as one
PROJECT = tuple('Diagnostics.Session2.' + field for field in ('AppName', 'ProjectName', 'Branch', 'BuildVersion'))


class Planter:
    def __init__(self, rng, timers=False):
        self.rng, self.timers = rng, timers
        self.words, self.alone, self.in_timers = [], [], []    # all; texts of their own; those in names of timers
        self.people = set()

    def word(self, kind='word'):
        number = lambda: self.rng.randrange(100, 256)  # noqa: E731
        self.words.append('10.%d.%d.%d' % (number(), number(), number()) if kind == 'address' else
                          '%010d' % self.rng.randrange(10 ** 9, 10 ** 10) if kind == 'digits' else
                          'Zq%06dPlanted' % self.rng.randrange(10 ** 6))
        return self.words[-1]

    def text(self, path):
        """A text of some shape with planted words in it; of a timer one with a word that stands elsewhere, too."""
        if path.startswith(TIMERS) and not self.timers:
            if not self.alone:
                return None
            self.in_timers.append(self.rng.choice(self.alone))
            return 'UZone::Visit %s' % self.in_timers[-1]
        shape, n, alone, *kind = self.rng.choice(SHAPES)
        words = [self.word(*kind) for _ in range(n)]
        self.people |= set(words[:1]) if shape in HOMES else set()
        if alone and path.startswith(PLAIN + PROJECT):
            self.alone += words
        if alone and path.startswith(PROJECT):
            self.people |= set(words)
        return shape.format(*words)

    def value(self, record, index, data):
        field = record.type.fields[index]
        path = '%s.%s' % (record.type.title, field.name)
        if path.startswith(STAY) or not data:
            return data
        text = None
        if field.info in (ANSI, WIDE):
            text = self.text(path)
        elif field.name == 'FormatArgs':
            return self.arguments()
        elif field.name in ('Metadata', 'FieldNames') and field.info == BYTES and \
                not (path.startswith(TIMERS) and not self.timers):
            return self.cbor()
        if text is None:
            return data
        return text.encode() if field.info == ANSI else text.encode('utf-16-le')

    def arguments(self):
        narrow, wide = self.text('-').encode() + b'\0', (self.text('-') + '\0').encode('utf-16-le')
        return bytes([3, 0xc1, 0x44, 0xc2]) + narrow + b'\x2a\0\0\0' + wide

    def cbor(self):
        one, two = self.word().encode(), self.text('-').encode()
        return bytes([0x60 | len(one)]) + one + b'\x18\x2a' + bytes([0x78, len(two)]) + two


def plant(data, rng, share=0.5, timers=False):
    """The bytes of a capture with planted words, and the planter that knows them."""
    made = utrace_draft.draft(copy.copy(wire.read(data)))
    planter = Planter(rng, timers)
    for unit in made.units:
        unit.records = list(unit.records)
        for at, record in enumerate(unit.records):
            if rng.random() > share:
                continue
            if record.kind == 'event' and unit.tid == 1 and record.blobs:
                blobs = [(index, planter.value(record, index, value)) for index, value in record.blobs]
                unit.records[at] = utrace_values.important(record, blobs)
            elif record.kind == 'aux':
                owner = owner_of(unit.records, at)
                if owner and first_piece(unit.records, at):
                    unit.records[at] = utrace_values.aux(record.field, planter.value(owner, record.field,
                                                                                    record.data[4:]))
    return utrace_draft.encode(made, rng), planter


def with_texts(data, texts, rng=None):
    """The bytes of a capture with other texts in the first event of thread 1, or on other threads, that has the field:
    "Logger.Event.Field" -> text, or bytes as they are."""
    made = utrace_draft.draft(copy.copy(wire.read(data)))
    left = dict(texts)
    for unit in made.units:
        unit.records = list(unit.records)
        for at, record in enumerate(unit.records):
            owner = record if record.kind == 'event' else owner_of(unit.records, at)
            if not owner or (record.kind == 'event') != (unit.tid == 1) or record.kind not in ('event', 'aux'):
                continue
            for index, field in enumerate(owner.type.fields):
                path = '%s.%s' % (owner.type.title, field.name)
                if path not in left or (record.kind == 'aux' and (record.field != index or
                                                                  not first_piece(unit.records, at))):
                    continue
                text = left[path]
                value = text if isinstance(text, bytes) else text.encode('ascii' if field.info == ANSI else 'utf-16-le')
                if record.kind == 'event':
                    blobs = [(which, old) for which, old in record.blobs if which != index] + [(index, value)]
                    record = owner = unit.records[at] = utrace_values.important(record, sorted(blobs, key=lambda b: b[0]))
                else:
                    unit.records[at] = utrace_values.aux(record.field, value)
                del left[path]
    if left:
        raise ValueError('no events for %s' % sorted(left))
    return utrace_draft.encode(made, rng or random.Random(1))


def texts_of(path, title):
    """The values of all arrays and texts of a type of event: field -> list of bytes."""
    found, capture = {}, wire.read(pathlib.Path(path).read_bytes())
    for tid in capture.streams:
        for item in wire.events(capture, tid) if tid else ():
            if not isinstance(item, tuple) and item.type.title == title:
                for index, value in item.blobs.items():
                    field = item.type.fields[index].name if isinstance(index, int) else index
                    found.setdefault(field, []).append(value)
    return found


def owner_of(records, at):
    """The event that a value belongs to, where nothing is nested before it."""
    events = [record for record in records[:at] if record.kind == 'event']
    return events[0] if len(events) == 1 else None


def first_piece(records, at):
    """A value in one piece alone."""
    same = [record for record in records if record.kind == 'aux' and record.field == records[at].field]
    return len(same) == 1


def unpacked(path):
    """All bytes of a capture without compression: its header, and its streams packet by packet and joined."""
    capture = wire.read(pathlib.Path(path).read_bytes())
    streams = {}
    for packet in wire.in_order(capture.packets, capture.transport):
        streams.setdefault(packet.tid, []).append(packet.payload)
    return b'\n'.join([capture.header] + [b''.join(payloads) for payloads in streams.values()])


def spared(planter):
    """Planted words that stay in names of timers, which are kept as a class: all but people and the project."""
    return set(planter.in_timers) - planter.people


def found(planter, path):
    """Planted words that stand in a file outside of names of timers that are kept, in whatever encoding."""
    lower = unpacked(path).lower()
    for word in spared(planter):
        for code in ('utf-8', 'utf-16-le'):
            lower = lower.replace(('uzone::visit ' + word.lower()).encode(code), b'')
    return [word for word in planter.words
            if any(form in lower for form in (word.lower().encode(), word.lower().encode('utf-16-le'),
                                              word.lower().encode('utf-32-le')))]
