#!/usr/bin/env python3
"""Tracy captures of 0.14.1 in which one count or one length is wrong: every command ends, in bounded memory, and `health` says where
and why.

usage: check_tracy_counts.py --bin DIRECTORY [--most N] [--no-memory-limit] [--jobs N]

The captures have random content in each section; where their counts stand, and what stands in front of them, is known from the
description of the layout that they are written by. Of each section N counts are tried. And in pools of memory one number is wrong of
those that others repeat: of an allocation, or of what the pool states of all (tracy-file 5.12).
"""

import argparse
import collections
import copy
import pathlib
import random
import struct
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness'), str(HERE.parent / 'truth')]
import commands      # noqa: E402
import report        # noqa: E402
import tracy_layout  # noqa: E402
import tracy_made    # noqa: E402

MEMORY = 512 << 20
VERSION = (0, 14, 1)
HEAD = 6                  # bytes of a file before its first block
QUESTIONS = (('trace-info', '--full'), ('trace-stats', '-t', 'timers'), ('trace-events', '-f', 'ndjson'),
             ('trace-export', '-f', 'ndjson', '-o', '-'))
Count = collections.namedtuple('Count', 'section at code n')


class Writer(tracy_layout.Writer):
    """Remembers where it has written counts and lengths."""

    def __init__(self):
        super().__init__()
        self.counts, self.section = [], None

    def note(self, code, n):
        self.counts.append(Count(self.section, len(self.data), code, n))

    def items(self, values, item, code='Q'):
        self.note(code, len(values))
        return super().items(values, item, code)


class Layout(tracy_layout.Layout):
    def sized(self, x, code='Q'):
        self.io.note(code, len(x))
        return super().sized(x, code)

    def walk(self):
        for name in tracy_layout.ORDER:
            self.io.section = name
            getattr(self, 'walk_' + name)()


def write(capture):
    """The payload, and its counts."""
    writer = Writer()
    writer.raw(8, b'tracy' + bytes(capture['version']))
    Layout(writer, dict(capture), capture['version']).walk()
    if bytes(writer.data) != tracy_layout.encode(capture):
        raise ValueError('the layout has another order')
    return bytes(writer.data), writer.counts


def block_of(packed, at):
    """Where the block with a byte of the payload begins in the file."""
    start = HEAD
    for _ in range(at // tracy_layout.BLOCK):
        start += 4 + struct.unpack_from('<I', packed, start)[0]
    return start


def health(tools, path):
    done = tools.must('trace-stats', path, '-t', 'health', '-f', 'json', *tools.more, allowed=(0, 4))
    rows = commands.parse_json(done.out.decode())['health']
    return done.status, [(row['kind'], row['damage'], row['offset'], row['text']) for row in rows]


def wrong(count):
    """Values that are wrong, and whether there cannot be so many."""
    most = (1 << 8 * struct.calcsize('<' + count.code)) - 1
    for value in sorted({0, count.n - 1, count.n + 1, 1 << 16, 1 << 31, most >> 1, most}):
        if 0 <= value <= most and value != count.n:
            yield value, value >= 1 << 24


def is_sound(payload):
    """Is it a payload of its own, with nothing left over? A count of cores may be wrong so that what follows fits again."""
    try:
        tracy_layout.decode(payload)
    except (EOFError, ValueError, IndexError, KeyError, OverflowError, MemoryError):
        return False
    return True


def check_count(result, tools, path, payload, count, before):
    for value, impossible in wrong(count):
        changed = payload[:count.at] + struct.pack('<' + count.code, value) + payload[count.at + struct.calcsize('<' + count.code):]
        packed = tracy_layout.pack(changed, 1)
        path.write_bytes(packed)
        what = '%s: %d instead of %d at %d' % (count.section, value, count.n, count.at)
        for question in QUESTIONS:
            done = tools.run(question[0], path, *question[1:], *tools.more, timeout=60)
            result.true('%s: %s ends with %d: %s' % (what, question[0], done.status, done.err[-300:]), done.status in (0, 4))
        status, rows = health(tools, path)
        result.true('%s: nothing is said' % what, rows != before or value == 0 or value < 1 << 16 and is_sound(changed))
        if impossible:
            # items may go on into what follows, so the place is that of the count or behind it
            begin, places = block_of(packed, count.at), [row[2:] for row in rows if row[1]]
            result.equal(what + ': status', status, 4)
            result.true('%s: no place behind %d, or no section: %s' % (what, begin, places),
                        bool(places) and places[0][0] is not None and begin <= places[0][0] <= len(packed) and "section '" in places[0][1])


def memory_changes(pool):
    """(what, pool) with one wrong number."""
    for i, event in enumerate(pool['events']):
        alive = event['life'] < 0
        for key, value, shows in (('size', event['size'] ^ 1 << 5, alive), ('address', event['address'] | 1 << 62, True),
                                  ('life', 7 if alive else -1, True)):
            changed = copy.deepcopy(pool)
            changed['events'][i][key] = value
            if shows:
                yield '%s of allocation %d' % (key, i), changed
    for key in 'active', 'frees', 'bytes':
        yield key, {**pool, key: pool[key] + 1}
    if pool['events']:
        yield 'high', {**pool, 'high': pool['high'] - 1}
        yield 'low', {**pool, 'low': pool['low'] + 1}


def check_memory(result, tools, seed, most):
    draw = random.Random(seed)
    capture = tracy_made.make(seed, VERSION)
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / 'made.tracy'
        path.write_bytes(tracy_layout.pack(tracy_layout.encode(capture), 1))
        result.equal('sound', [row for row in health(tools, path)[1] if row[1]], [])
        for number, pool in enumerate(capture['memory']):
            changes = list(memory_changes(pool))
            for what, changed in draw.sample(changes, min(most, len(changes))):
                pools = [*capture['memory'][:number], changed, *capture['memory'][number + 1:]]
                path.write_bytes(tracy_layout.pack(tracy_layout.encode({**capture, 'memory': pools}), 1))
                status, rows = health(tools, path)
                reported = [text for kind, damage, at, text in rows if kind == 'payload_damaged' and at is not None]
                result.true('pool %d, %s: %s' % (number, what, rows), status == 4 and any("section 'memory'" in text for text in reported))
                done = tools.run('trace-stats', path, '-t', 'memory', *tools.more)
                result.equal('pool %d, %s: status of its table' % (number, what), done.status, 4)


def check_seed(result, tools, seed, most):
    draw = random.Random(seed)
    capture = tracy_made.make(seed, VERSION)
    capture['strings'].append({'key': 1 << 55, 'text': b'x' * 100000})    # so that there are several blocks
    capture['dictionary'] = bytes(100000)
    payload, counts = write(capture)
    by_section = collections.defaultdict(list)
    for count in counts:
        by_section[count.section].append(count)
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / 'made.tracy'
        path.write_bytes(tracy_layout.pack(payload, 1))
        status, before = health(tools, path)
        result.equal('seed %d is sound' % seed, status, 0)
        for section in tracy_layout.ORDER:
            for count in draw.sample(by_section[section], min(most, len(by_section[section]))):
                check_count(result, tools, path, payload, count, before)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands.add_options(parser)
    parser.add_argument('--most', type=int, default=1)
    parser.add_argument('--seeds', type=int, default=1)
    arguments = parser.parse_args()
    tools = commands.called(arguments, MEMORY)
    found = report.Report()
    for seed in range(1, arguments.seeds + 1):
        found.run('seed %d' % seed, check_seed, tools, seed, arguments.most)
        found.run('memory of seed %d' % seed, check_memory, tools, seed, 20 * arguments.most)
    return found.close()


if __name__ == '__main__':
    sys.exit(main())
