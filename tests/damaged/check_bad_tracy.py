#!/usr/bin/env python3
"""Tracy captures that are damaged or of no known kind: each command says the right sentence and ends as it should.

usage: check_bad_tracy.py --bin DIRECTORY FIXTURES [BAD]

The files are made from a capture of FIXTURES, each with one fault: in the container, in the head of the unpacked
capture, in a block, in a count, behind the last section. BAD is a directory with files of other makers that have the
same faults, by the same names (their name up to the first '-' where it goes on with a version).
"""

import argparse
import collections
import pathlib
import struct
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402

BLOCK = 65536
REFUSED, DAMAGED = 3, 4
COMMANDS = (
    ('trace-info', '--full'),
    ('trace-stats', '--table', 'timers'),
    ('trace-events', '--count'),
    ('trace-export', '--preset', 'tracy'),
    ('trace-export', '--preset', 'tracy', '--unwrap', '--table', 'zones,plots', '--raw-quoting'),
    ('trace-export', '--format', 'ndjson'),
)

# name: (status, what is said); without a sentence the command is silent, but `info` has a notice.
CASES = {
    'empty': (REFUSED, 'the file is empty'),
    'hdr-only': (REFUSED, 'the file ends after its header: nothing was recorded'),
    'magic': (REFUSED, 'not a capture of any known format (it begins with 74 72 fe 50'),
    'type2': (REFUSED, 'compression 2 of the capture is not known (0 is LZ4, 1 is zstd)'),
    'streams0': (REFUSED, 'the header of the capture states 0 streams'),
    'blocksize-huge': (REFUSED, 'the first block of the capture claims more bytes than a block can have'),
    'old-0.6.3': (REFUSED, 'saved by Tracy 0.6.3, which is older than 0.7.0, the oldest that is known: Tracy 0.7 can read it'),
    'future-0.15.0': (REFUSED, 'saved by Tracy 0.15.0, which is newer than 0.14.1, the newest that is known: '
                               'Tracy 0.15 or later reads it'),
    'nottracy-inner': (REFUSED, "the content of the file does not begin with 'tracy'"),
    'bitflip-first': (REFUSED, 'the first block of the capture cannot be decompressed'),
    'trunc-at-block': (0, 'the capture is cut off at its end; everything before that was used'),
    'trunc-in-block': (0, 'the capture is cut off at its end; everything before that was used'),
    'bitflip': (DAMAGED, 'block 2 cannot be decompressed: its data cannot be decompressed'),
    'blocksize-huge-later': (DAMAGED, 'block 1 claims 2147483647 bytes, more than a block can have'),
    'count-huge-strings': (DAMAGED, "section 'strings'"),
    'srcloc-oob': (DAMAGED, 'zones of source locations that do not exist'),
    'total-zones': (DAMAGED, ' zones and has '),
    'trailing-bytes': (DAMAGED, 'bytes follow the last section'),
}
# Sections that state how many items their lists have (tracy-file 5.11, 5.12, 5.17): where the number stands, and a table
# that needs the section.
TOTALS = (('gpu', 0, 'gpu', ' zones and has '), ('memory', 8, 'memory', ' events and has '),
          ('cpu_switches', 0, 'cores', ' switches and has '))
TO_THE_END = ('trace-info', 'trace-events')             # others stop where they have what they want (tracy-file 6)


# ---- containers ----

def lengths(first, at, data):
    """A length that goes on in bytes while they are 255; (length, place behind it)."""
    length = first
    while first == 15 or data[at - 1] == 255:
        first = 0
        length += data[at]
        at += 1
        if data[at - 1] != 255:
            break
    return length, at


def unpack_block(data, before):
    """An LZ4 block that may refer to the one before it."""
    out = bytearray(before)
    at = 0
    while at < len(data):
        token = data[at]
        n, at = lengths(token >> 4, at + 1, data)
        out += data[at:at + n]
        at += n
        if at >= len(data):
            break
        back = struct.unpack_from('<H', data, at)[0]
        n, at = lengths(token & 15, at + 2, data)
        for _ in range(n + 4):
            out.append(out[-back])
    return bytes(out[len(before):])


def blocks_of(capture):
    """The packed blocks of a capture whose container has a head of 6 bytes."""
    blocks, at = [], 6
    while at < len(capture):
        n = struct.unpack_from('<I', capture, at)[0]
        blocks.append(capture[at + 4:at + 4 + n])
        at += 4 + n
    return blocks


def unpack(capture):
    """The payload of a capture in one LZ4 stream."""
    payload, before = b'', b''
    for block in blocks_of(capture):
        before = unpack_block(block, before)
        payload += before
    return payload


def literals(data):
    """Bytes as an LZ4 block that packs nothing."""
    rest = len(data) - 15
    return b'\xf0' + b'\xff' * (rest // 255) + bytes([rest % 255]) + data


def join(blocks):
    return b'tr\xfdP\x00\x01' + b''.join(struct.pack('<I', len(block)) + block for block in blocks)


def pack(payload):
    return join([literals(payload[at:at + BLOCK]) for at in range(0, len(payload), BLOCK)])


def changed(data, at, new):
    return data[:at] + new + data[at + len(new):]


def one_more(data, at):
    return changed(data, at, struct.pack('<Q', struct.unpack_from('<Q', data, at)[0] + 1))


# ---- the files ----

def make(capture, sections):
    payload = unpack(capture)
    blocks = [literals(payload[at:at + BLOCK]) for at in range(0, len(payload), BLOCK)]
    whole = join(blocks)
    second = 6 + 4 + len(blocks[0])
    # u64 zones, u64 with children, u64 threads; u64 tid, u64 zones, u64 samples, u8 fiber, i32 group, u32 roots
    zone = sections['zones'] + 3 * 8 + 3 * 8 + 1 + 4 + 4
    broken = blocks[2][:1] + b'\x00' + blocks[2][2:]    # its literals end at once
    return {
        'empty': b'',
        'hdr-only': whole[:6],
        'magic': changed(whole, 2, b'\xfe'),
        'type2': changed(whole, 4, b'\x02'),
        'streams0': changed(whole, 5, b'\x00'),
        'blocksize-huge': changed(whole, 6, b'\xff\xff\xff\x7f'),
        'old-0.6.3': pack(changed(payload, 5, b'\x00\x06\x03')),
        'future-0.15.0': pack(changed(payload, 5, b'\x00\x0f\x00')),
        'nottracy-inner': pack(changed(payload, 0, b'trusty')),
        'bitflip-first': join([b'\x00' + blocks[0][1:], *blocks[1:]]),
        'trunc-at-block': whole[:second],
        'trunc-in-block': whole[:second + 1000],
        'bitflip': join([*blocks[:2], broken, *blocks[3:]]),
        'blocksize-huge-later': changed(whole, second, b'\xff\xff\xff\x7f'),
        'count-huge-strings': pack(changed(payload, sections['strings'], struct.pack('<Q', 1 << 60))),
        'total-zones': pack(one_more(payload, sections['zones'])),
        'srcloc-oob': pack(changed(payload, zone, struct.pack('<h', 30000))),
        'trailing-bytes': pack(payload + b'more'),
    }


# ---- checks ----

def check_command(result, tools, path, command, status, sentence):
    done = tools.run(command[0], path, *command[1:])
    text = done.err.decode(errors='replace')
    result.equal('%s: status' % ' '.join(command), done.status, status)
    result.equal('%s says %r, times' % (' '.join(command), text), text.count(sentence), 1)


def check(result, tools, path, name):
    status, sentence = CASES[name]
    for command in COMMANDS:
        # The location of a zone is looked at by who wants zones.
        if name == 'srcloc-oob' and command[:2] == ('trace-events', '--count'):
            continue
        if name == 'trailing-bytes' and command[0] not in TO_THE_END:
            continue
        check_command(result, tools, path, command, status, sentence)
    if status != REFUSED and name != 'trailing-bytes':
        strict = tools.run('trace-stats', path, '--table', 'timers', '--strict')
        result.equal('with --strict', strict.status, REFUSED if status == DAMAGED else 0)


def check_total(result, tools, path, table, sentence):
    check_command(result, tools, path, ('trace-stats', '--table', table), DAMAGED, sentence)
    # Who needs no more than zones may stop before the section.
    check_command(result, tools, path, ('trace-info', '--full'), DAMAGED, sentence)


def known(path):
    """The case of a file of somebody else."""
    name = path.name.removesuffix('.tracy')
    return name if name in CASES else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('fixtures', type=pathlib.Path)
    parser.add_argument('bad', nargs='?', type=pathlib.Path)
    options = parser.parse_args()
    tools = commands.Commands(options.bin)
    out = report.Report()
    source = options.fixtures / 'tracy' / 'small-0.14.0-lz4-j1.tracy'
    sections = collections.OrderedDict((row['section'], int(row['offset']))
                                       for row in tools.table(source, 'sections', ('section', 'offset')))
    with tempfile.TemporaryDirectory() as scratch:
        for name, data in make(source.read_bytes(), sections).items():
            path = pathlib.Path(scratch) / (name + '.tracy')
            path.write_bytes(data)
            out.run(name, check, tools, path, name)
        payload, path = unpack(source.read_bytes()), pathlib.Path(scratch) / 'total.tracy'
        for section, before, table, sentence in TOTALS:
            path.write_bytes(pack(one_more(payload, sections[section] + before)))
            out.run('total of ' + section, check_total, tools, path, table, sentence)
    for path in sorted(options.bad.glob('*.tracy')) if options.bad and options.bad.is_dir() else ():
        name = known(path)
        if name:
            out.run('%s of others' % name, check, tools, path, name)
        else:
            print('%s: no such case' % path.name)
    return out.close()


if __name__ == '__main__':
    sys.exit(main())
