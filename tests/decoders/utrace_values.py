"""Changes of events: dropped, doubled, with other values, texts and times."""

import dataclasses
import struct

import utrace_wire as wire
from utrace_draft import Unit, index_of, joined, rerank, rewrite_serials, serial_width, settle
from utrace_packets import KEPT

NAMES = ('Tick', 'Physics::Step', 'Ränder', '動畫', 'a "quoted", name', 'T', 'x' * 90, 'FJob<int>::Run()', '%s', '-')


def free_units(made):
    """Units of whole events that mean something by themselves."""
    return [unit for unit in made.units if unit.event and unit.event.type.logger not in KEPT
            and unit.event.type.title != 'Memory.Init' and len(joined([unit])) < 3000]


def drop(made, rng):
    gone = {id(unit) for unit in free_units(made) if not unit.event.type.flags & wire.IMPORTANT
            and 'Spec' not in unit.event.type.name and rng.random() < rng.choice((0.02, 0.2))}
    synced = sorted(unit.rank for unit in made.units if id(unit) in gone and unit.rank is not None)
    made.units = [unit for unit in made.units if id(unit) not in gone]
    for unit in made.units:
        if unit.rank is not None:
            less = sum(1 for value in synced if value < unit.rank)
            rewrite_serials(unit, None, -less, serial_width(made.source))
    rerank(made)


def double(made, rng):
    """The event occurs twice. None with two synchronised events in one unit, and no batch, whose times would go back."""
    chosen = [unit for unit in free_units(made) if unit.event.type.logger != 'CpuProfiler'
              and sum(record.serial is not None for record in unit.records) < 2]
    for unit in rng.sample(chosen, min(len(chosen), rng.randint(1, 8))):
        twin = Unit(unit.tid, list(unit.records), unit.place, None)
        if unit.rank is not None:
            twin.rank = unit.rank + 0.5
        made.units.insert(index_of(made, unit) + 1, twin)
    settle(made)


def replace_fixed(record, name, data):
    """The record with another value of a field of fixed size."""
    field = next((field for field in record.type.fields if field.name == name and field.size == len(data)), None)
    if not field:
        return record
    at = record.head + field.offset
    return dataclasses.replace(record, data=record.data[:at] + data + record.data[at + len(data):])


def counter_values(made, rng):
    for unit in made.units:
        record = unit.event
        if record and record.type.logger == 'Counters' and record.type.name.startswith('SetValue') and rng.random() < 0.5:
            value = struct.pack('<d', rng.choice((0, -1.5, 1e300, rng.gauss(0, 1e6)))) if record.type.name.endswith('Float') \
                else struct.pack('<q', rng.choice((0, -1, (1 << 63) - 1, rng.getrandbits(40))))
            unit.records[0] = replace_fixed(record, 'Value', value)


def move_times(made, rng):
    """Frames and counters of the whole capture happen later."""
    later = rng.randrange(1 << 20)
    for unit in made.units:
        record = unit.event
        if record and record.type.logger in ('Misc', 'Counters') and not record.type.flags & wire.HAS_AUX:
            cycle = wire.values(record).get('Cycle')
            if cycle is not None and cycle < 1 << 62:
                unit.records[0] = replace_fixed(record, 'Cycle', struct.pack('<Q', cycle + later))


def numbers(made, rng):
    """Other values of integers of events that nobody understands."""
    for unit in made.units:
        record = unit.event
        if record and record.type.logger in ('Tiny', 'Test', 'Nested', 'Custom', 'Order') and rng.random() < 0.3:
            for field in record.type.fields:
                if field.family == wire.REGULAR and field.info in (0, 1, 2, 3, 0x10, 0x11, 0x12, 0x13) and \
                        field.size == 1 << (field.info & 3):
                    unit.records[0] = record = replace_fixed(record, field.name, rng.randbytes(field.size))


# ---- blobs and texts ----

def important(record, blobs, slack=b''):
    """An event of thread 1 anew (3.6)."""
    body = record.fixed + b''.join(struct.pack('<I', len(data) << 13 | field << 8 | 1) + data for field, data in blobs)
    body += b'\x03' + slack
    return dataclasses.replace(record, data=record.data[:2] + struct.pack('<H', len(body)) + body, blobs=blobs)


def names(made, rng):
    for unit in made.units:
        record = unit.event
        if not record or made.source.protocol < 5 or unit.tid != 1 or not record.blobs or rng.random() < 0.7:
            continue
        if record.type.title not in ('CpuProfiler.EventSpec', 'Counters.Spec', '$Trace.ThreadInfo'):
            continue
        field = next(index for index, field in enumerate(record.type.fields) if field.name == 'Name')
        name = b'%s %d' % (rng.choice(NAMES).encode(), unit.place * 1000 + index_of(made, unit)) \
            if record.type.fields[field].info == 0x88 else b''
        if name and record.type.title != '$Trace.ThreadInfo' or name and name.isascii():
            unit.records[0] = important(record, [(index, name if index == field else data)
                                                 for index, data in record.blobs])


def slack(made, rng):
    """Values of important events in two pieces, and space behind their end."""
    for unit in made.units:
        record = unit.event
        if record and made.source.protocol >= 5 and unit.tid == 1 and record.blobs is not None and \
                record.type.flags & wire.HAS_AUX and rng.random() < 0.4:
            blobs = []
            for index, data in record.blobs:
                at = rng.randrange(len(data) + 1)
                blobs += [(index, data[:at]), (index, data[at:])] if rng.random() < 0.5 else [(index, data)]
            unit.records[0] = important(record, blobs, bytes(rng.choice((0, 8, 38))))


def pieces_of_blobs(made, rng):
    """Values on threads in several blobs (3.5)."""
    for unit in made.units:
        if made.source.protocol < 5 or unit.tid < 2:
            continue
        out = []
        for record in unit.records:
            size = len(record.data) - 4
            if record.kind != 'aux' or size < 2 or rng.random() < 0.7:
                out.append(record)
                continue
            at = rng.randrange(1, size)
            out += [aux(record.field, record.data[4:4 + at]), aux(record.field, record.data[4 + at:])]
        unit.records = out


def aux(field, data):
    return wire.Record('aux', struct.pack('<I', len(data) << 13 | field << 8 | 2) + data, field=field)
