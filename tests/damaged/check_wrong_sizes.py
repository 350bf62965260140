#!/usr/bin/env python3
"""A wrong size costs no more than the packet that it stands in.

usage: check_wrong_sizes.py --bin DIRECTORY [--most N] FIXTURES

In captures of protocols 5 to 7 a bit of the size of array data is changed, of a sample of N places (of all without it).
What the other packets hold must be found.
"""

import argparse
import pathlib
import struct
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE))
import commands     # noqa: E402
import report       # noqa: E402
import walk         # noqa: E402

CAPTURES = ('tiny.utrace', 'tiny-ue5.1.utrace', 'nested_aux.utrace')
SIZE_BITS = range(13, 32)


def unpacked(data):
    """The same capture without compression."""
    out = bytearray(data[:walk.header_size(data)])
    for packet in walk.packets(data):
        out += struct.pack('<HH', len(packet.payload) + 4, packet.thread) + packet.payload
    return bytes(out)


def sizes(capture):
    """(packet, offset) of each word with the size of array data in the file."""
    for packet in capture.packets:
        if packet.thread > 1:
            for at, code, _ in walk.thread_records(packet, capture.types):
                if code >> 1 == walk.AUX:
                    yield packet, packet.offset + 4 + at


def changes(capture, most):
    """A sample of (packet, offset, bit)."""
    places = [(packet, at, bit) for packet, at in sizes(capture) for bit in SIZE_BITS]
    return places[::max(1, len(places) // most)] if most else places


def check(result, runner, path, most, work):
    data = unpacked(path.read_bytes())
    capture, damaged = walk.Capture(data), work / 'damaged.utrace'
    for packet, at, bit in changes(capture, most):
        changed = bytearray(data)
        struct.pack_into('<I', changed, at, struct.unpack_from('<I', data, at)[0] ^ 1 << bit)
        damaged.write_bytes(changed)
        done = runner.must('trace-events', damaged, '--count', '--format', 'json', allowed=(0, 4))
        got, wanted = commands.parse_json(done.out.decode()), capture.count(lambda other, lost=packet: other is not lost)
        result.equal('bit %d at %d: fewer events' % (bit, at),
                     {event: got.get(event, 0) for event in wanted if got.get(event, 0) < wanted[event]}, {})


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
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
