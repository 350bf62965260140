"""What the independent decoder of tests/decoders reads of a capture, in the form that edits are compared by."""

import fnmatch
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'decoders'), str(HERE.parent / 'harness')]
import utrace_wire  # noqa: E402

OWN = 'Tracekit.'       # what edits write of themselves
VITAL = ('$Trace.', 'Trace.', OWN)


def read(path):
    return utrace_wire.read(pathlib.Path(path).read_bytes())


def record(event):
    """An event without its serial number, which edits may change, and without empty values, which mean none."""
    blobs = tuple(sorted((field, data) for field, data in event.blobs.items() if data))
    return event.type.title, event.fixed, blobs, event.extra


def thread_rows(items, drops):
    """Events and scope records (tuples of two) of a thread. A begin belongs to the event behind it, and goes with it."""
    rows, waiting, left_out = [], None, []
    for item in [*items, None]:
        scope, begins = isinstance(item, tuple), isinstance(item, tuple) and item[0].startswith('enter')
        dropped = not scope and item is not None and drops(item.type.title)
        if waiting:
            left_out.append(dropped)
            rows += [] if dropped else [waiting]
            waiting = None
        if begins:
            waiting = item
        elif scope:
            rows += [] if left_out and left_out.pop() else [item]
        elif item is not None and not dropped and not item.type.title.startswith(OWN):
            rows.append(record(item))
    return rows


def streams(capture, drops=lambda title: False):
    """tid -> events and scope records in order, without those that are dropped and what edits say."""
    found = {tid: thread_rows(utrace_wire.events(capture, tid), drops) for tid in capture.streams if tid}
    return {tid: rows for tid, rows in found.items() if rows}


def serials(capture):
    """All serial numbers, sorted."""
    found = []
    for tid in capture.streams:
        if tid in (0, 1, utrace_wire.PSEUDO):
            continue
        found += [item.serial for item in utrace_wire.events(capture, tid)
                  if not isinstance(item, tuple) and item.serial is not None]
    return sorted(found)


def bytes_of(capture):
    """tid -> the bytes of its stream."""
    found = {}
    for packet in utrace_wire.in_order(capture.packets, capture.transport):
        if packet.tid != utrace_wire.SYNC:
            found[packet.tid] = found.get(packet.tid, b'') + packet.payload
    return found


def titles(capture):
    return sorted({item.type.title for tid in capture.streams if tid for item in utrace_wire.events(capture, tid)
                   if not isinstance(item, tuple)})


def dropper(pattern):
    """What a pattern of --drop leaves out."""
    return lambda title: fnmatch.fnmatchcase(title, pattern) and not title.startswith(VITAL)
