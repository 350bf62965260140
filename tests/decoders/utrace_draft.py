"""A capture (.utrace) as units that can be moved, dropped and doubled, and the bytes of what became of it."""

import dataclasses
import struct

import utrace_wire as wire

LARGEST = 4000                                          # bytes of a packet as emitters make them
CUT = 60000                                             # what is larger continues in another packet


@dataclasses.dataclass
class Unit:
    tid: int
    records: list
    place: int                                          # packet in which it begins
    rank: float = None                                  # where its serials stand among all

    @property
    def event(self):
        return self.records[0] if self.records and self.records[0].kind == 'event' else None


@dataclasses.dataclass
class Draft:
    source: wire.Capture
    units: list
    verified: bool
    largest: int = LARGEST
    encode: float = None                                # share of packets that are compressed; None: as they were
    base: int = 0                                       # added to all serials


# ---- from a capture to units ----

def draft(capture):
    ends, starts, packets = {}, {}, wire.in_order(capture.packets, capture.transport)
    units = [Unit(wire.SYNC, [], place) for place, packet in enumerate(packets) if packet.tid == wire.SYNC]
    for place, packet in enumerate(packets):
        if packet.tid != wire.SYNC:
            starts.setdefault(packet.tid, []).append((ends.get(packet.tid, 0), place))
            ends[packet.tid] = ends.get(packet.tid, 0) + len(packet.payload)
    for tid in capture.streams:
        units += stream_units(capture, tid, starts[tid])
    units.sort(key=lambda unit: unit.place)
    made = Draft(capture, units, any(packet.counter for packet in packets))
    rank(made)
    return made


def stream_units(capture, tid, starts):
    """Events with blobs that follow are one unit, with everything that is nested in them."""
    units, at, depth, where = [], 0, 0, 0
    for record in capture.streams[tid]:
        while where + 1 < len(starts) and starts[where + 1][0] <= at:
            where += 1
        at += len(record.data)
        if depth and units:
            units[-1].records.append(record)
        else:
            units.append(Unit(tid, [record], starts[where][1]))
        if capture.protocol >= 5 and tid >= 2:
            opens = record.kind == 'event' and record.type.flags & wire.HAS_AUX
            depth = max(0, depth + bool(opens) - (record.kind == 'end'))
    return units


def serial_width(capture):
    return 16 if capture.protocol == 1 else 24


def rank(made):
    """Serials without wrapping, counted from the first that is met."""
    width, first, last = serial_width(made.source), None, 0
    for unit in made.units:
        for record in unit.records:
            if record.serial is None or unit.tid == wire.PSEUDO:
                continue
            first = record.serial if first is None else first
            last += (record.serial - (first + last) + (1 << width - 1)) % (1 << width) - (1 << width - 1)
            unit.rank = last if unit.rank is None else unit.rank
    made.first = first or 0


def rerank(made):
    for unit in made.units:
        unit.rank = None
    rank(made)


# ---- from units to bytes ----

def renumber(made):
    """Gives serials anew: in the same order, with the gaps that there were."""
    width = serial_width(made.source)
    ranked = sorted((unit for unit in made.units if unit.rank is not None), key=lambda unit: unit.rank)
    shift = 0
    for unit in ranked:
        if unit.rank != int(unit.rank):                 # it is new
            shift += 1
            rewrite_serials(unit, made.first + made.base + int(unit.rank // 1) + shift, None, width)
        else:
            rewrite_serials(unit, None, made.base + shift, width)


def rewrite_serials(unit, one, more, width):
    for index, record in enumerate(unit.records):
        if record.serial is not None:
            serial = (one if one is not None else record.serial + more) % (1 << width)
            n = width // 8
            data = record.data[:record.head - n] + serial.to_bytes(n, 'little') + record.data[record.head:]
            unit.records[index] = dataclasses.replace(record, data=data, serial=serial)


def settle(made):
    """Makes ranks whole again."""
    base, made.base = made.base, 0
    renumber(made)
    made.base = base
    rerank(made)


def encode(made, rng):
    renumber(made)
    packets, counter = [], 1
    transport = made.source.transport
    if transport == 1:
        return wire.write(made.source.header, 1, [wire.Packet(0, joined(made.units))])
    for tid, pieces in groups(made):
        for index, piece in enumerate(pieces):
            was = tid != wire.SYNC and len(piece) > 384
            packed = was if made.encode is None else rng.random() < made.encode
            packet = wire.Packet(tid, piece, packed and bool(piece))
            if made.verified and tid != wire.SYNC:
                packet.flags, packet.counter = wire.PARTIAL, struct.pack('<Q', counter)
                counter += 1
            elif index and made.source.protocol == 5 and tid >= 2:
                packet.flags = wire.PARTIAL
            packets.append(packet)
    if transport == 2:
        packets = batches(packets, rng)
    return wire.write(made.source.header, transport, packets)


def joined(units):
    return b''.join(record.data for unit in units for record in unit.records)


def groups(made):
    """(thread, pieces): runs of units of a thread and place as packets; a record that is too large for one is cut."""
    at, units = 0, made.units
    while at < len(units):
        end, size = at + 1, len(joined(units[at:at + 1]))
        while end < len(units) and (units[end].tid, units[end].place) == (units[at].tid, units[at].place):
            size += len(joined(units[end:end + 1]))
            if size > made.largest:
                break
            end += 1
        yield units[at].tid, pieces(made, units[at].tid, units[at:end])
        at = end


def pieces(made, tid, units):
    """One packet, or several: cut at records, and anywhere where a record is too large for one."""
    parts = [b'']
    for record in (record for unit in units for record in unit.records):
        if parts[-1] and len(parts[-1]) + len(record.data) > made.largest:
            parts.append(b'')
        parts[-1] += record.data
    return [part[at:at + CUT] for part in parts for at in range(0, len(part) or 1, CUT)]


def batches(packets, rng):
    """Transport 2: a few packets a batch, which is read from its end."""
    out = []
    while packets:
        n = rng.randint(1, 5)
        batch, packets = packets[:n], packets[n:]
        for serial, packet in enumerate(reversed(batch)):
            packet.serial = serial
        out += reversed(batch)
    return out


def index_of(made, unit):
    return next(index for index, other in enumerate(made.units) if other is unit)
