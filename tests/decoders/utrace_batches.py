"""Changes of batches of CPU scopes (events 2.3)."""

import dataclasses
import struct

import utrace_wire as wire
from utrace_values import aux

FORMS = {'EventBatch': 1, 'EventBatchV2': 2, 'EventBatchV3': 3}


def put_varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def varints(data):
    at = 0
    while at < len(data):
        number, shift = 0, 0
        while data[at] > 127:
            number, shift, at = number | (data[at] & 127) << shift, shift + 7, at + 1
        yield number | data[at] << shift
        at += 1


def batch_entries(data, form):
    """(cycles since the entry before, flags, numbers behind); the first counts from 0."""
    source, out, shift = iter(varints(data)), [], 1 if form == 1 else 2
    for first in source:
        flags = first & (1 << shift) - 1
        out.append([first >> shift, flags, [next(source) for _ in range({0: 0, 1: 1, 2: 1, 3: 2}[flags])]])
    return out


def batch_bytes(entries, form):
    shift = 1 if form == 1 else 2
    return b''.join(put_varint(delta << shift | flags) + b''.join(map(put_varint, rest)) for delta, flags, rest in entries)


def batches_of(made):
    for unit in made.units:
        if unit.event and unit.event.type.logger == 'CpuProfiler' and unit.event.type.name in FORMS:
            data = batch_data(unit)
            if data:
                yield unit, data, FORMS[unit.event.type.name]


def batch_data(unit):
    record = unit.event
    if record.extra:
        return record.extra
    blobs = [blob[4:] for blob in (r.data for r in unit.records if r.kind == 'aux')] or \
            [data for _, data in record.blobs or ()]
    return b''.join(blobs)


def set_batch(unit, data):
    """False where the form of the event has no space for it."""
    record = unit.event
    if record.extra:                                    # protocols 0 to 3: behind the fields
        size = record.type.size + len(data)
        unit.records[0] = dataclasses.replace(record, data=record.data[:2] + struct.pack('<H', size) +
                                              record.data[4:record.head + record.type.size] + data, extra=data)
        return True
    at = [index for index, r in enumerate(unit.records) if r.kind == 'aux']
    if len(at) == 1 and len(unit.records) == 3:
        unit.records[at[0]] = aux(unit.records[at[0]].field, data)
        return True
    if record.blobs and len(record.blobs) == 1 and not record.type.flags & wire.IMPORTANT:
        blob = struct.pack('<I', len(data) << 8 | 0x80 | record.blobs[0][0]) + data
        unit.records[0] = dataclasses.replace(record, data=record.data[:record.head + record.type.size] + blob + b'\0',
                                              blobs=[(record.blobs[0][0], data)])
        return True
    return False


def spec_ids(made):
    return [wire.values(unit.event)['Id'] for unit in made.units
            if unit.event and unit.event.type.title == 'CpuProfiler.EventSpec']


def other_timers(made, rng):
    ids = spec_ids(made)
    for unit, data, form in list(batches_of(made)):
        entries = batch_entries(data, form)
        for entry in entries:
            if entry[1] == 1 and ids and rng.random() < 0.3 and not (form == 3 and entry[2][0] & 1):
                entry[2] = [rng.choice(ids) << (form == 3)]
        set_batch(unit, batch_bytes(entries, form))


def more_scopes(made, rng):
    """Between two entries of a batch a scope is put, which takes nothing from the times around."""
    ids = spec_ids(made)
    for unit, data, form in list(batches_of(made)):
        entries, out = batch_entries(data, form), []
        for index, entry in enumerate(entries):
            if index and entry[0] > 4 and ids and rng.random() < 0.2:
                one, two = sorted(rng.sample(range(1, entry[0]), 2))
                out += [[one, 1, [rng.choice(ids) << (form == 3)]], [two - one, 0, []]]
                entry = [entry[0] - two, *entry[1:]]
            out.append(entry)
        set_batch(unit, batch_bytes(out, form))
