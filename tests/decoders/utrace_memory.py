"""Allocations in a capture that has none: their types, and events in the order of their serials (events 6.2)."""

import struct

import utrace_wire as wire
from utrace_draft import Unit, index_of, settle

MARKER, ALLOC, FREE, INIT = 'Marker', 'Alloc', 'Free', 'Init'
PLANTED = {                                             # Memory events: flags, fields with size and type
    INIT: (wire.NO_SYNC | wire.IMPORTANT, (('MarkerPeriod', 4, 2), ('Version', 1, 0), ('MinAlignment', 1, 0),
                                           ('SizeShift', 1, 0))),
    MARKER: (0, (('Cycle', 8, 3),)),
    ALLOC: (0, (('Address', 8, 3), ('CallstackId', 4, 2), ('Size', 4, 2), ('AlignmentPow2_SizeLower', 1, 0),
                ('RootHeap', 1, 0))),
    FREE: (0, (('Address', 8, 3), ('CallstackId', 4, 2), ('RootHeap', 1, 0))),
}


def plant_memory(made, rng):
    """Declares events of Memory and lets threads allocate and free, in the order of their serials."""
    capture = made.source
    known = {kind.title for kind in capture.types.values()}
    threads = [unit for unit in made.units if unit.tid >= 2 and unit.tid < wire.PSEUDO and unit.rank is not None]
    if capture.protocol < 5 or 'Memory.Init' in known or not threads:
        return
    uid, types = max(capture.types) + 1, {}
    home = [next(unit for unit in made.units if unit.tid == tid).place for tid in (0, 1)]
    for name, (flags, fields) in PLANTED.items():
        record, types[name] = declare(uid, name, flags, fields, capture.protocol)
        made.units.insert(last_of(made, 0, home[0]), Unit(0, [record], home[0]))
        uid += 1
    init = struct.pack('<HHIBBB', types[INIT].uid, 7, 4096, 2, 8, 3)
    made.units.insert(last_of(made, 1, home[1]), Unit(1, [wire.Record('event', init, types[INIT], head=4)], home[1]))
    for number, (name, fixed) in enumerate(allocations(rng)):
        after = rng.choice(threads)
        data = struct.pack('<H', types[name].uid << 1 | 1) + b'\0\0\0' + fixed
        record = wire.Record('event', data, types[name], 0, 5)
        made.units.insert(index_of(made, after) + 1, Unit(after.tid, [record], after.place, after.rank + (number + 1) / 4096))
        settle(made)
        threads = [unit for unit in made.units if 2 <= unit.tid < wire.PSEUDO and unit.rank is not None]


def last_of(made, tid, place):
    return max(index for index, unit in enumerate(made.units) if unit.tid == tid and unit.place == place) + 1


def declare(uid, name, flags, fields, protocol):
    offset, records = 0, b''
    for title, size, info in fields:
        records += struct.pack('<BBHHBB', 0, 0, offset, size, info, len(title)) if protocol >= 6 else \
            struct.pack('<HHBB', offset, size, info, len(title))
        offset += size
    texts = 'Memory' + name + ''.join(title for title, _, _ in fields)
    body = struct.pack('<HBBBB', uid, len(fields), flags, 6, len(name)) + records + texts.encode()
    record = wire.Record('new', struct.pack('<HH', 0, len(body)) + body, head=4)
    return record, wire.declaration(body, protocol)


def allocations(rng):
    address = 0x10000
    alive = []
    for _ in range(rng.randint(3, 25)):
        if alive and rng.random() < 0.4:
            yield FREE, struct.pack('<QIB', alive.pop(rng.randrange(len(alive))), 0, 0)
        else:
            address += 0x1000
            alive.append(address)
            yield ALLOC, struct.pack('<QIIBB', address, 0, rng.randrange(1 << 20), 4 << 3 | rng.randrange(8), 0)
