#!/usr/bin/env python3
"""A table of how much of each damaged capture is recovered.

usage: recovery.py --bin DIRECTORY [--least PERCENT] FIXTURES

For each file of FIXTURES/damaged that was made of a sound capture: the packets of the sound one that are still there
byte by byte, in their order, are intact; what they hold is the most that any reader could have. Beside it what
trace-events has of these events (no type counts for more than its number there). Of Tracy captures a byte is changed
here: what lies before the block with that byte, against what the ledger says was read. Exits with 1 where less than
PERCENT of the most is recovered in any file that is not excused (EXCUSED says why).
"""

import argparse
import collections
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE))
import check_damaged  # noqa: E402
import commands       # noqa: E402
import walk           # noqa: E402

TRACY = ('small-0.14.0-lz4-j1', 'small-0.14.0-zstd22-j255', 'open-0.10', 'ondemand-0.14.0', 'chrome-0.8.2.1')
ALLOWED = (0, 4)

# What the bytes that are there do not suffice for.
EXCUSED = {
    'flip_packet_encoded_flag_set.utrace': 'the declarations of the types are in the damaged packet',
}


def intact(base, original, damaged):
    """The packets of a sound capture that a damaged one still has, in their order."""
    at, kept = base.header, []
    for packet in base.packets:
        body = original[packet.offset:packet.end]
        found = damaged.find(body, at) if len(body) > 8 else (at if damaged[at:at + len(body)] == body else -1)
        if found >= 0 and (found == at or len(body) > 64 or damaged[packet.offset:packet.end] == body):
            kept.append(packet)
            at = found + len(body)
    return kept


def rows_of_utrace(runner, fixtures):
    for entry in commands.parse_json((fixtures / 'damaged' / 'expected.json').read_text(encoding='utf-8')):
        if 'base' not in entry:
            continue
        base = check_damaged.base_capture(fixtures, entry['base'])
        original = check_damaged.content(check_damaged.find(fixtures, entry['base'] + '.utrace'))
        path = check_damaged.find(fixtures / 'damaged', entry['file'])
        damaged = check_damaged.content(path)
        if damaged[:base.header] != original[:base.header]:
            continue
        kept = intact(base, original, damaged)
        most = sum((packet.events for packet in kept), collections.Counter())
        done = runner.run('trace-events', path, '--count', '--format', 'json')
        got = commands.parse_json(done.out.decode()) if done.status in ALLOWED else {}
        yield (entry['file'], 'events', sum(min(got.get(name, 0), number) for name, number in most.items()),
               sum(most.values()), sum(base.count().values()))


def blocks_of(data):
    """(offset, end) of the blocks of a Tracy file: u32 size and as many bytes, behind a head of 4 or 8 bytes."""
    at, blocks = (6 if data[:4] == b'tr\xfdP' else 4), []
    while at + 4 <= len(data):
        end = at + 4 + int.from_bytes(data[at:at + 4], 'little')
        if end > len(data):
            break
        blocks.append((at, end))
        at = end
    return blocks


def rows_of_tracy(runner, fixtures, work):
    for name in TRACY:
        data = (fixtures / 'tracy' / (name + '.tracy')).read_bytes()
        blocks = blocks_of(data)
        # without the first block, in which the version stands, there is nothing to begin with
        for place, (begin, end) in enumerate(blocks[1:], 1):
            damaged = bytearray(data)
            for at in range(begin + 4, min(end, begin + 68)):
                damaged[at] ^= 0xa5
            path = work / ('%s-%d.tracy' % (name, place))
            path.write_bytes(damaged)
            done = runner.run('trace-info', path, '--full', '--format', 'json')
            got = 0
            if done.status in ALLOWED:
                parts = {part['part']: part['bytes'] for part in commands.parse_json(done.out.decode())['ledger']}
                got = sum(parts[part] for part in ('header', 'framing', 'declarations', 'definitions', 'events'))
            yield path.name, 'bytes', min(got, begin), begin, len(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('--least', type=float, default=99.0)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    runner = commands.Commands(options.bin)
    below = files = total_got = total_most = 0
    with tempfile.TemporaryDirectory() as work:
        rows = [*rows_of_utrace(runner, options.fixtures), *rows_of_tracy(runner, options.fixtures, pathlib.Path(work))]
    print('%-38s %-7s %10s %10s %8s %10s' % ('file', 'of', 'recovered', 'possible', '%', 'undamaged'))
    for name, unit, got, most, whole in rows:
        share = 100 * got / most if most else 100
        low = share < options.least and name not in EXCUSED
        print('%-38s %-7s %10d %10d %8.2f %10d%s' % (name, unit, got, most, share, whole,
                                                   '  LOW' if low else '  (%s)' % EXCUSED[name] if name in EXCUSED else ''))
        files, below = files + 1, below + low
        if unit == 'events':
            total_got, total_most = total_got + got, total_most + most
    print('%d files, %d below %g %%; events: %d of %d possible (%.3f %%)' % (
        files, below, options.least, total_got, total_most, 100 * total_got / max(total_most, 1)))
    return 1 if below or not files else 0


if __name__ == '__main__':
    sys.exit(main())
