#!/usr/bin/env python3
"""Losses that recorders announce in the file are in the table health, with their counts.

usage: check_announced.py --bin DIRECTORY

Captures are written here, so that each number is known. What a full or circular buffer did not keep is a notice; all else is
a loss: it is warned of, the exit status is 0, and 4 with --strict-loss. A capture that announces nothing has no such row.
"""

import argparse
import os
import pathlib
import struct
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands         # noqa: E402
import report           # noqa: E402
from imports_odd import field, packet, slice_event  # noqa: E402

LOSS, PART = 'loss_announced', 'kept_in_part'
TRACK = field(60, field(1, 5) + field(4, field(1, 1) + field(2, 1)))
SLICES = packet(slice_event(1, 1000)) + packet(slice_event(2, 2000))
EVENT = '{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1}'


def first(sequence, more=b''):
    """The first packet of a sequence always has the mark of a loss, which says nothing."""
    return packet(field(10, sequence) + field(42, 1) + field(87, 1) + more)


def marked(time, reasons):
    return packet(slice_event(1, time) + field(42, reasons)) + packet(slice_event(2, time + 5))


def trace_stats(*buffers, **totals):
    fields = {'flushes': 14, 'last_flush': 15, 'chunks': 8, 'patches': 9}
    message = b''.join(field(1, b''.join(field(n, v) for n, v in buffer.items())) for buffer in buffers)
    return packet(field(10, 1) + field(35, message + b''.join(field(fields[name], v) for name, v in totals.items())))


def kernel_stats(phase, core, **counts):
    fields = {'overrun': 3, 'commit': 4, 'dropped': 8}
    return packet(field(34, field(1, phase) + field(2, field(1, core) + b''.join(field(fields[n], v) for n, v in counts.items()))))


BEGIN = first(7, TRACK) + SLICES
PERFETTO = {
    'nothing': (BEGIN, ()),
    'the mark of a first packet': (packet(field(10, 7) + field(42, 65) + TRACK) + SLICES, ()),
    'marks inside': (BEGIN + marked(3000, 65) + marked(4000, 259) + marked(5000, 1),
                     ((LOSS, 3, 'sequence 7: 3 gaps (read gap 1, chunk overwritten 1, shared buffer full 1)'),)),
    'two sequences': (BEGIN + first(8) + packet(field(10, 8) + field(42, 1)) + marked(3000, 256),
                      ((LOSS, 1, 'sequence 7: 1 gap (shared buffer full 1)'), (LOSS, 1, 'sequence 8: 1 gap'))),
    'a sequence without its first packet': (BEGIN + packet(field(10, 8) + field(13, 1)),
                                            ((PART, 1, 'no packet of sequence 8 is marked as its first, as in other sequences:'
                                                       ' its beginning may be missing'),)),
    'totals, of which the last count': (
        BEGIN + trace_stats({19: 50}) + trace_stats({3: 7, 6: 2, 9: 1, 18: 4, 19: 5}, {19: 6}, flushes=8, last_flush=2, chunks=11),
        ((LOSS, 5, 'packets of buffer 0: 5 lost by writers'), (LOSS, 2, 'patches of buffer 0: 2 failed'),
         (LOSS, 1, 'chunks of buffer 0: 1 against the rules'), (PART, 7, 'chunks of buffer 0: 7 overwritten'),
         (PART, 4, 'chunks of buffer 0: 4 discarded'), (LOSS, 6, 'packets of buffer 1: 6 lost by writers'),
         (LOSS, 8, 'flushes: 8 failed'), (PART, 11, 'chunks: 11 discarded'), (LOSS, 1, 'the last flush failed'))),
    'totals without losses': (BEGIN + trace_stats({12: 4096, 1: 9, 2: 6}, last_flush=1), ()),
    'differences of the kernel': (
        BEGIN + kernel_stats(1, 3, overrun=10, dropped=1) + kernel_stats(2, 3, overrun=25, commit=2, dropped=4),
        ((LOSS, 15, 'events of core 3: 15 overwritten by the kernel'), (LOSS, 2, 'events of core 3: 2 overwritten while written'),
         (LOSS, 3, 'events of core 3: 3 dropped by the kernel'))),
    'the kernel at the begin alone': (BEGIN + kernel_stats(1, 3, overrun=10), ()),
    'samples': (BEGIN + packet(field(66, field(17, 40))) + packet(field(66, field(17, 4))) + packet(field(66, field(18, 3))) +
                packet(field(66, field(18, 4))) + packet(field(66, field(19, field(1, 1)))),
                ((LOSS, 44, 'samples: 44 lost by the kernel'), (LOSS, 1, 'samples: 1 skipped'),
                 (LOSS, 1, 'samplers: 1 stopped by a limit'))),
    'logs': (BEGIN + packet(field(39, field(2, field(1, 9) + field(2, 1) + field(3, 3)))),
             ((LOSS, 1, 'log messages: 1 unreadable'), (LOSS, 3, 'log messages: 3 skipped'))),
    'dumps of a heap': (BEGIN + packet(field(37, field(5, field(7, 1)) + field(5, field(7, 1) + field(6, 1)))),
                        ((LOSS, 1, 'dumps of heaps: 1 of a process that had gone'),
                         (LOSS, 2, 'dumps of heaps: 2 with a buffer that overran'))),
}


def record(*words):
    return struct.pack('<%dQ' % len(words), *words)


def provider(event):
    """A Fuchsia trace of one provider, with one event of it."""
    name = b'p'.ljust(8, b'\0')
    info = 0 | 2 << 4 | 1 << 16 | 7 << 20 | 1 << 52
    return record(0x0016547846040010, info) + name + record(0 | 1 << 4 | 3 << 16 | 7 << 20 | event << 52)


OTHERS = {
    'chrome, an overflow': ('json', '[%s,{"ph":"M","name":"trace_buffer_overflowed","pid":1,"args":{"overflowed_at_ts":5}}]' % EVENT, 1),
    'chrome, none': ('json', '[%s,{"ph":"M","name":"num_cpus","pid":1,"args":{"overflowed_at_ts":5}}]' % EVENT, 0),
    'viztracer, an overflow': ('json', '{"traceEvents":[%s],"viztracer_metadata":{"overflow":true}}' % EVENT, 1),
    'viztracer, none': ('json', '{"traceEvents":[%s],"viztracer_metadata":{"overflow":false}}' % EVENT, 0),
    'fuchsia, a full buffer': ('fxt', provider(0), 1),
    'fuchsia, another event': ('fxt', provider(1), 0),
}


def rows_of(tools, path):
    out = tools.must('trace-stats', path, '-q', '--table', 'health', '--format', 'ndjson').out
    return [commands.parse_json(line) for line in out.decode().splitlines()]


def check_statuses(result, tools, path, lossy):
    plain, strict = tools.run('trace-stats', path), tools.run('trace-stats', path, '--strict-loss')
    result.equal('status', (plain.status, strict.status), (0, 4 if lossy else 0))
    result.equal('warned', b'events of the capture were lost' in plain.err, lossy)


def check(result, tools, path, content, wanted):
    """wanted: (kind, count, text) of each row, or how many announce a loss."""
    pathlib.Path(path).write_bytes(content if isinstance(content, bytes) else content.encode())
    found = [(row['kind'], row['count'], row['text'].removeprefix('announced by the recorder: '))
             for row in rows_of(tools, path) if row['kind'] in (LOSS, PART)]
    result.equal('rows', found if isinstance(wanted, tuple) else len(found), list(wanted) if isinstance(wanted, tuple) else wanted)
    check_statuses(result, tools, path, any(kind == LOSS for kind, *_ in found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    options = parser.parse_args()
    tools, said = commands.Commands(options.bin), report.Report()
    with tempfile.TemporaryDirectory() as folder:
        for name, (content, wanted) in PERFETTO.items():
            said.run(name, check, tools, os.path.join(folder, 'a.pftrace'), content, wanted)
        for name, (ending, content, wanted) in OTHERS.items():
            said.run(name, check, tools, os.path.join(folder, 'a.' + ending), content, wanted)
    return said.close()


if __name__ == '__main__':
    sys.exit(main())
