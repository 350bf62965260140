#!/usr/bin/env python3
"""Captures with single bits flipped.

usage: flip_every_bit.py --driver PROGRAM [--declarations N] [--rest N] CAPTURE...

Every bit of the file header (of its first 100 bytes: that of a .tracy file is its first block), every N-th of packet
headers and declarations (where they cannot be told apart, of the next 2000 bytes), every N-th of the rest. Whatever is
flipped: only a damaged file header may keep a capture from being read, and the parts of the ledger must sum to the size
of the file. Where the packets can be counted independently, the events of the packets before must be there, and where a bit of
the payload of a thread is flipped also those of all other threads.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE))
import cut_every_byte  # noqa: E402
import report          # noqa: E402
import walk            # noqa: E402


def base_of(data):
    try:
        return walk.Capture(data)
    except ValueError:
        return None


def header_of(data):
    """Bytes of the file header: what has to be sound to know what the file is. Of .tracy files the version stands in the
    first block."""
    if data[:4] == b'2CRT':
        return walk.header_size(data)
    if data[:4] == b'tr\xfdP':
        return 10 + int.from_bytes(data[6:10], 'little')
    if data[:4] in (b'tlZ\x04', b'tZst'):
        return 8 + int.from_bytes(data[4:8], 'little')
    return 6 if data[:4] == b'ECRT' else 4


def is_declared(packet, offset):
    """Is this byte of a packet header, or of a declaration?"""
    return packet.thread == 0 or offset - packet.offset < 6


def bits_of(data, base, declarations, rest):
    """Numbers of the bits to flip."""
    header = min(header_of(data), 100)
    bits = list(range(header * 8))
    for packet in base.packets if base else ():
        near = [offset * 8 + bit for offset in range(packet.offset, packet.end) for bit in range(8)
                if is_declared(packet, offset)]
        bits += near[::declarations]
    if not base:
        bits += range(header * 8, min(header + 2000, len(data)) * 8, declarations)
    bits += range(header * 8 + 3, len(data) * 8, rest)
    return sorted(set(bits))


def intact(base, offset):
    """The events that must be there with a bit at this offset flipped."""
    place = base.packets_within(offset)
    hit = base.packets[place]
    payload = hit.thread > 1 and not is_declared(hit, offset)
    if hit.thread <= 1 and not offset - hit.offset < 4:
        return {}
    return base.count_first(place, hit.thread if payload else None)


def check_flip(result, data, base, piece):
    bit, status, _, _, events = piece
    where = 'bit %d of byte %d' % (bit % 8, bit // 8)
    if bit // 8 < header_of(data):
        result.true('%s: status %d' % (where, status), status <= 0)
        return
    result.equal(where + ': status (9: the ledger)', status, 0)
    if not base or status:
        return
    for name, number in intact(base, bit // 8).items():
        result.true('%s: %d of %d %s' % (where, events.get(name, 0), number, name), events.get(name, 0) >= number)


def check(result, driver, path, declarations, rest):
    data = path.read_bytes()
    base = base_of(data)
    bits = bits_of(data, base, declarations, rest)
    with tempfile.NamedTemporaryFile() as scratch:
        done = subprocess.run([driver, path, 'flip', scratch.name], capture_output=True, text=True,
                              input='\n'.join(map(str, bits)))
    result.true('the driver ended with %d: %s' % (done.returncode, done.stderr[-2000:]), done.returncode == 0)
    pieces = [cut_every_byte.parse(line) for line in done.stdout.splitlines()]
    result.equal('number of bits', len(pieces), len(bits))
    for piece in pieces:
        check_flip(result, data, base, piece)
    print('%s: %d bits' % (path.name, len(bits)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--driver', required=True, help='the program cut-driver')
    parser.add_argument('--declarations', type=int, default=1, help='every so many bits of headers and declarations')
    parser.add_argument('--rest', type=int, default=1, help='every so many bits of the rest')
    parser.add_argument('captures', nargs='+', type=pathlib.Path)
    options = parser.parse_args()
    run = report.Report()
    for path in options.captures:
        run.run('%s, bits' % path.name, check, options.driver, path, options.declarations, options.rest)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
