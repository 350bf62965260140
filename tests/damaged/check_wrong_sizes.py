#!/usr/bin/env python3
"""A wrong size costs no more than the packet that it stands in.

usage: check_wrong_sizes.py --bin DIRECTORY [--most N] FIXTURES

In captures of protocols 5 to 7 a bit of a size is changed, of a sample of N places (of all without it): of array data,
where what the other packets hold must be found, but for one event that the size leads over, as data may be divided
between two packets; of an important event, where all others must be found; of a declaration,
where all must be found. In captures of protocols 1 to 4 a bit of the first event of a packet, its type or its size, where what
is found without that packet must be found, but for one that a wrong size may by chance lead over. In one of them a bit
makes the first event of each packet look like the one that all captures begin with.
"""

import argparse
import pathlib
import struct
import sys
import tempfile
import typing

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE))
import commands     # noqa: E402
import report       # noqa: E402
import walk         # noqa: E402

DECLARATION = b'\0\0'  # of protocols 1 to 4
CAPTURES = ('tiny.utrace', 'tiny-ue5.1.utrace', 'nested_aux.utrace')
OLD = ('old-p1-tid.utrace', 'old-p2-tid.utrace', 'old-p3-tid.utrace', 'old-p4-tid.utrace')


class Lost(typing.NamedTuple):
    """Events that may be lost: so many of these, and of all others together."""
    events: dict
    others: int


def unpacked(data):
    """The same capture without compression."""
    out = bytearray(data[:walk.header_size(data)])
    for packet in walk.packets(data):
        out += struct.pack('<HH', len(packet.payload) + 4, packet.thread) + packet.payload
    return bytes(out)


def of_array_data(capture):
    """(offset of the size in the file, its bits, events that may be lost) of each."""
    for packet in capture.packets:
        if packet.thread > 1:
            for at, code, _ in walk.thread_records(packet, capture.types):
                if code >> 1 == walk.AUX:
                    yield packet.offset + 4 + at, range(13, 32), Lost(packet.events, 1)


def of_sized_records(capture, thread):
    """The same of the records of thread 0 or 1 that begin with their packet's own bytes."""
    start = 0
    own = [packet for packet in capture.packets if packet.thread == thread]
    records = list(walk.sized_records(b''.join(packet.payload for packet in own)))
    for packet in own:
        for at, uid, _ in records:
            if start <= at and at + 4 <= start + len(packet.payload):
                lost = Lost({capture.types[uid].name: 1} if thread else {}, 0)
                yield packet.offset + 4 + at - start, range(16, 32), lost
        start += len(packet.payload)


def changes(places, most):
    """A sample of (offset, bit, events that may be lost)."""
    all_of_them = [(at, bit, lost) for at, bits, lost in places for bit in bits]
    return all_of_them[::max(1, len(all_of_them) // most)] if most else all_of_them


def check(result, runner, path, most, work):
    data = unpacked(path.read_bytes())
    capture, damaged = walk.Capture(data), work / 'damaged.utrace'
    everything = capture.count()
    for places in of_array_data(capture), of_sized_records(capture, 0), of_sized_records(capture, 1):
        for at, bit, lost in changes(places, most):
            changed = bytearray(data)
            struct.pack_into('<I', changed, at, struct.unpack_from('<I', data, at)[0] ^ 1 << bit)
            damaged.write_bytes(changed)
            done = runner.must('trace-events', damaged, '--count', '--format', 'json', allowed=(0, 4))
            got = commands.parse_json(done.out.decode())
            fewer = {event: n - lost.events.get(event, 0) - got.get(event, 0) for event, n in everything.items()
                     if got.get(event, 0) < n - lost.events.get(event, 0)}
            result.equal('bit %d at %d: fewer events' % (bit, at), fewer if sum(fewer.values()) > lost.others else {}, {})


def check_old(result, runner, path, most, work):
    data, damaged = path.read_bytes(), work / 'damaged.utrace'

    def counts(changed):
        damaged.write_bytes(changed)
        done = runner.must('trace-events', damaged, '--count', '--format', 'json', allowed=(0, 4))
        return commands.parse_json(done.out.decode())

    places = [(at, size, bit) for at, size, _ in walk.old_packets(data)
              if size > 8 and data[at + 4:at + 6] != DECLARATION for bit in range(32)]
    sample = places[::max(1, len(places) // most)] if most else places
    like_the_first = [place for place in places if place[2] == 2] if path.name == 'old-p4-tid.utrace' and most else []
    for at, size, bit in sample + like_the_first:
        changed = bytearray(data)
        changed[at + 4 + bit // 8] ^= 1 << bit % 8
        got, wanted = counts(changed), counts(data[:at] + data[at + size:])
        result.equal('bit %d of the packet at %d: fewer events' % (bit, at),
                     {event: '%d of %d' % (got.get(event, 0), n) for event, n in wanted.items()
                      if got.get(event, 0) < n - 1}, {})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('--most', type=int, default=0)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    runner, run = commands.Commands(options.bin), report.Report()
    with tempfile.TemporaryDirectory() as work:
        for name in CAPTURES:
            run.run(name, check, runner, options.fixtures / name, options.most, pathlib.Path(work))
        for name in OLD:
            run.run(name, check_old, runner, options.fixtures / name, options.most, pathlib.Path(work))
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
