#!/usr/bin/env python3
"""What a .tracy has that cannot be is in the table health: references to what does not exist, times that are not in order.

usage: check_oddities.py --bin DIRECTORY FIXTURES

Captures of FIXTURES, decoded and written again (tests/decoders/tracy_file.py) with one value changed: a thread, a source
location or the key of a message that there is not, a time before the one in front. The sections and what is said of them come
from docs/format/tracy-file.md; every case has to be possible in at least one capture. Unchanged captures have no such row.
"""

import argparse
import copy
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness'), str(HERE.parent / 'decoders')]
import commands    # noqa: E402
import report      # noqa: E402
import tracy_file  # noqa: E402

NOWHERE = 32000                                          # a number of a thread or location that no fixture has
THREADS, PLACES = 'refers to threads that do not exist', 'refers to source locations that do not exist'
ORDER, MESSAGES = 'has times before those in front', 'messages that no thread lists'


def first(lists, least):
    return next((found for found in lists if len(found) >= least), None)


def change(rows, at, **values):
    """One field or more of a tuple in a list."""
    row = list(rows[at])
    for place, value in values.items():
        row[int(place[1:])] = value
    rows[at] = tuple(row)


def early(lists, time):
    """The second item begins before the first one."""
    rows = first(lists, 2)
    if rows is None:
        return False
    change(rows, 1, **{'f%d' % time: rows[0][time] - 1})
    return True


def memory_thread(trace):
    rows = first([pool['events'] for pool in trace['pools']], 1)
    rows and change(rows, 0, f5=NOWHERE.to_bytes(2, 'little') + rows[0][5][2:])
    return bool(rows)


def lock_place(trace):
    head = list(trace['locks'][0]['head']) if trace['locks'] else None
    if head:
        head[2] = NOWHERE
        trace['locks'][0]['head'] = tuple(head)
    return bool(head)


def lock_event_place(trace):
    rows = first([lock['events'] for lock in trace['locks']], 1)
    rows and change(rows, 0, f1=-NOWHERE)
    return bool(rows)


def gpu_place(trace):
    roots = first([roots for context in trace['gpus'] for _, roots in context['timelines']], 1)
    if roots:
        roots[0][2] = NOWHERE.to_bytes(2, 'little') + roots[0][2][2:]
    return bool(roots)


def cpu_thread(trace):
    rows = first(trace['cpus'], 1)
    rows and change(rows, 0, f2=NOWHERE)
    return bool(rows)


def listed(trace):
    return first([thread['messages'] for thread in trace['threads']], 1)


def unlisted_message(trace):
    keys = listed(trace)
    return bool(keys and keys.pop())


def unknown_message(trace):
    keys = listed(trace)
    if keys:
        keys.append(max(keys) + 12345)
    return bool(keys)


CASES = (
    ('memory', THREADS, memory_thread), ('locks', PLACES, lock_place), ('locks', PLACES, lock_event_place),
    ('gpu', PLACES, gpu_place), ('cpu_switches', THREADS, cpu_thread),
    ('zones', MESSAGES, unlisted_message), ('zones', MESSAGES, unknown_message),
    ('memory', ORDER, lambda trace: early([pool['events'] for pool in trace['pools']], 3)),
    ('locks', ORDER, lambda trace: early([lock['events'] for lock in trace['locks']], 0)),
    ('messages', ORDER, lambda trace: early([trace['messages']], 1)),
    ('frames', ORDER, lambda trace: early([one['frames'] for one in trace['frame_sets']], 0)),
    ('context_switches', ORDER, lambda trace: early([items for _, items in trace['switches']], 1)),
    ('cpu_switches', ORDER, lambda trace: early(trace['cpus'], 0)),
)


def health(tools, path, data):
    path.write_bytes(data)
    done = tools.must('trace-stats', path, '-t', 'health', '-f', 'json', allowed=(0, 4))
    return [row['text'] for row in commands.parse_json(done.out.decode())['health']]


def said(texts, section, what):
    return any("section '%s'" % section in text and what in text for text in texts)


def check(result, tools, path, data, tried):
    box, trace = tracy_file.read(data)
    before = health(tools, path, tracy_file.pack(box, tracy_file.payload(trace)))
    for number, (section, what, apply) in enumerate(CASES):
        changed = copy.deepcopy(trace)
        result.true("unchanged: section '%s' %s" % (section, what), not said(before, section, what))
        if not apply(changed):
            continue
        tried.add(number)
        texts = health(tools, path, tracy_file.pack(box, tracy_file.payload(changed)))
        result.true("case %d: section '%s' %s: %s" % (number, section, what, texts), said(texts, section, what))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    tools, out, tried = commands.Commands(options.bin), report.Report(), set()
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((options.fixtures / 'tracy').glob('*.tracy')):
            out.run(path.name, check, tools, pathlib.Path(folder) / 'odd.tracy', path.read_bytes(), tried)
    out.run('each case is possible in a capture', lambda result: result.equal('cases', sorted(tried), list(range(len(CASES)))))
    return out.close()


if __name__ == '__main__':
    sys.exit(main())
