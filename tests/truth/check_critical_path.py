#!/usr/bin/env python3
"""Checks the table critical_path on made captures whose paths are worked out by hand: of Tracy a lock that another thread held, and
wake-ups from core to core, one of them by nobody that is known; the same of Perfetto in each form that its scheduling has.

usage: check_critical_path.py --bin DIRECTORY
"""

import argparse
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import commands      # noqa: E402
import imports_made  # noqa: E402
import report        # noqa: E402
import tracy_frames  # noqa: E402
import tracy_layout  # noqa: E402

MS = 1_000_000
MAIN, OTHER, THIRD = 1001, 1002, 1003
NAMES = {MAIN: 'Main thread', OTHER: 'Loader', THIRD: 'Disk'}


class Made:
    """Threads with zones as (name, begin, end, zones inside), in microseconds; frames of 20 ms from 0 on, behind the
    two that the recorder begins by itself."""

    def __init__(self, threads, frames):
        self.texts, self.locations = tracy_frames.Texts(), []
        keys = {tid: 0x5000 + self.texts(name) - 1 for tid, name in NAMES.items()}
        self.capture = tracy_frames.capture({'modules': [], 'callstacks': [], 'samples': []})
        self.capture.update(
            frames=[{'name': 0, 'continuous': 1, 'frames': [{'start': start * 1000, 'image': -1} for start in (0, 0, *frames)]}],
            names=[{'tid': tid, 'key': key} for tid, key in keys.items()], local=[0, *sorted(NAMES)],
            threads=[{'tid': tid, 'count': self.count(zones), 'kernel': 0, 'fiber': 0, 'group': 0, 'messages': [], 'samples': [],
                      'switch_samples': [], 'zones': [self.zone(zone) for zone in zones]} for tid, zones in threads.items()],
            locks=[], switches=[], memory=[{'name': 0, 'active': 0, 'frees': 0, 'events': [], 'high': 0, 'low': 0, 'bytes': 0}])
        self.capture['zones'] = sum(thread['count'] for thread in self.capture['threads']), 0

    def count(self, zones):
        return sum(1 + self.count(inside) for _, _, _, *more in zones for inside in more or ((),))

    def zone(self, zone):
        name, begin, end, *inside = zone
        if name not in self.locations:
            self.locations.append(name)
        return {'location': 1 + self.locations.index(name), 'start': begin * 1000, 'end': end * 1000, 'extra': 0,
                'kids': [self.zone(one) for one in (inside[0] if inside else ())]}

    def lock(self, name, *events):
        """Events as (time, thread, 0: requests it, 1: gets it, 2: gives it back)."""
        threads = sorted({thread for _, thread, _ in events})
        self.capture['locks'].append({
            'id': len(self.capture['locks']), 'name': self.texts(name), 'location': 1, 'type': 0, 'valid': 1, 'announced': 0, 'terminated': 0,
            'threads': threads,
            'events': [{'time': time * 1000, 'location': 0, 'thread': threads.index(thread), 'type': what} for time, thread, what in events]})

    def ran(self, tid, *runs):
        """Times on cores as (woken, begin, end, core, core that woke it)."""
        self.capture['switches'].append({'tid': tid, 'items': [
            {'wakeup': woken * 1000, 'start': begin * 1000, 'end': end * 1000, 'cpu': core, 'reason': 1, 'state': 1, 'thread': 0,
             'wakeup_cpu': waker} for woken, begin, end, core, waker in runs]})

    def write(self, path):
        numbers = [self.texts(name) - 1 for name in self.locations]
        self.capture['static'] = [{'address': 0x1000 + i, 'name': (number, 3), 'function': (number, 3), 'file': (number, 3), 'line': 1, 'colour': 0}
                                  for i, number in enumerate(numbers)]
        self.capture['strings'] = self.texts.listed()
        self.capture['expand'] = [0, *(0x1000 + i for i in range(len(numbers)))]
        path.write_bytes(tracy_layout.pack(tracy_layout.encode(self.capture), 1))


# Times on cores, as (thread, begin, end, core), and wake-ups, as (time, core, thread, flags): the loader by the main thread, the main
# thread by the loader, and by what runs on a core of which nothing is known.
RAN = ((MAIN, 0, 5_600, 1), (OTHER, 6_000, 11_500, 2), (MAIN, 12_000, 22_000, 1), (MAIN, 31_000, 45_000, 3))
WOKEN = ((5_500, 1, OTHER, 1), (11_000, 2, MAIN, 1), (30_000, 7, MAIN, 1))
IN_INTERRUPT = ((5_500, 1, OTHER, 1), (11_000, 2, MAIN, 0x19), (30_000, 7, MAIN, 0))
WAKING, WAKE_UP, NEW = 20, 17, 114


def bundle_of(core, forms, woken):
    """A core in a bundle: events in order of time, or its columns."""
    put, varint = imports_made.put, imports_made.varint
    switches = sorted((time, thread) for who, begin, end, where in RAN if where == core for time, thread in ((begin, who), (end, 0)))
    wakes = [(time, thread, flags) for time, where, thread, flags in woken if where == core]
    if 'columns' in forms:
        def column(number, values):
            return put(number, b''.join(varint(value) for value in values)) if values else b''
        def steps(times):
            return [ms(time) - (ms(before) if i else 0) for i, (time, before) in enumerate(zip(times, (0, *times)))]
        names = [NAMES[MAIN], NAMES[OTHER], 'swapper']
        texts = b''.join(put(5, name) for name in names)
        at = [names.index(NAMES.get(thread, 'swapper')) for _, thread in switches]
        columns = (column(1, steps([time for time, _ in switches])) + column(2, [1] * len(switches)) + column(3, [who for _, who in switches])
                   + column(4, [120] * len(switches)) + column(6, at) + column(7, steps([time for time, _, _ in wakes]))
                   + column(8, [who for _, who, _ in wakes]))
        columns += column(12, [flags for _, _, flags in wakes]) if 'flags' in forms else b''
        return put(1, put(1, put(1, core) + put(4, texts + columns)))
    events, before = [], 0
    for time, thread in switches:
        events.append((time, put(2, before), put(4, put(2, before) + put(5, NAMES.get(thread, 'swapper')) + put(6, thread))))
        before = thread
    for time, thread, flags in wakes:
        for form in forms:
            late = 10 if form == WAKE_UP and len(forms) > 1 else 0
            events.append((time + late, put(2, 0) + put(5, flags), put(form, put(1, NAMES[thread]) + put(2, thread) + put(5, 0))))
    body = b''.join(put(2, put(1, ms(time)) + who + event) for time, who, event in sorted(events, key=lambda event: event[0]))
    return put(1, put(1, put(1, core) + body))


def ms(time):
    return 10 ** 9 + time * 1000


def write_perfetto(path, forms, woken):
    """Scopes are lines of atrace on core 0; frames are scopes."""
    put = imports_made.put
    scopes = [(MAIN, 'Frame', 0, 20_000), (MAIN, 'Kick', 0, 5_600), (MAIN, 'Present', 12_000, 18_000), (MAIN, 'Frame', 20_000, 40_000),
              (OTHER, 'Decode', 6_000, 11_500)]
    lines = [(begin, 1, -end, who, 'B|%d|%s' % (MAIN, name)) for who, name, begin, end in scopes]
    lines += [(end, 0, 0, who, 'E|%d' % MAIN) for who, _, _, end in scopes]
    marks = b''.join(put(2, put(1, ms(time)) + put(2, who) + put(3, put(2, text + '\n'))) for time, _, _, who, text in sorted(lines))
    path.write_bytes(put(1, put(1, put(1, 0) + marks)) + b''.join(bundle_of(core, forms, woken) for core in (1, 2, 3, 7)))


def path_of(tools, path, *options):
    rows = tools.table(path, 'critical_path', ('frame', 'rank', 'thread', 'timer', 'from', 'to', 'dur', 'via'), '--unit', 'ns', *options)
    return [(int(row['frame']), row['thread'], row['timer'], int(row['from']) // 1000, int(row['to']) // 1000, row['via']) for row in rows], rows


def check_all(result, what, tools, path, wanted, *options):
    found, rows = path_of(tools, path, *options)
    frames = {frame for frame, *_ in wanted}
    result.equal(what, [row for row in found if row[0] in frames], wanted)
    for frame in frames:
        mine = [row for row in rows if int(row['frame']) == frame]
        lengths = sorted((int(row['dur']) for row in mine), reverse=True)
        result.equal('%s: lengths add up' % what, sum(lengths), int(mine[-1]['to']) - int(mine[0]['from']))
        result.equal('%s: ranks' % what, [int(row['dur']) for row in sorted(mine, key=lambda row: int(row['rank']))], lengths)


def check_lock(result, tools, scratch):
    """The main thread waits from 4 to 14 ms for a lock that the loader gives back at 13.5 ms, which got it from nobody that is known."""
    made = Made({MAIN: [('Update', 0, 4_000), ('Draw', 14_000, 19_000, [('Mesh', 15_000, 16_000), ('Tiny', 17_000, 17_010)])],
                 OTHER: [('Load', 1_000, 18_000, [('Read', 2_000, 9_000)])]}, (0, 20_000, 40_000))
    made.lock('scene', (900, OTHER, 0), (1_000, OTHER, 1), (4_000, MAIN, 0), (13_500, OTHER, 2), (14_000, MAIN, 1), (14_100, MAIN, 2))
    path = pathlib.Path(scratch) / 'lock.tracy'
    made.write(path)
    check_all(result, 'a lock', tools, path, [
        (0, 'Loader', '(outside every scope)', 0, 900, 'lock'), (0, 'Loader', '(outside every scope)', 900, 1_000, 'not recorded'),
        (0, 'Loader', 'Load', 1_000, 2_000, 'lock'),
        (0, 'Loader', 'Read', 2_000, 9_000, 'lock'), (0, 'Loader', 'Load', 9_000, 13_500, 'lock'),
        (0, 'Main thread', '(waiting to run)', 13_500, 14_000, ''), (0, 'Main thread', 'Draw', 14_000, 15_000, ''),
        (0, 'Main thread', 'Mesh', 15_000, 16_000, ''), (0, 'Main thread', 'Draw', 16_000, 19_000, ''),
        (0, 'Main thread', '(outside every scope)', 19_000, 20_000, ''),
        (1, 'Main thread', '(outside every scope)', 20_000, 40_000, '')])


def check_wake_ups(result, tools, scratch):
    """The main thread starts the loader, which the disk wakes up; before that nobody is known to have woken the disk."""
    made = Made({MAIN: [('Kick', 0, 5_600), ('Present', 12_000, 18_000)], OTHER: [('Decode', 6_000, 11_500)], THIRD: [('Sleep', 0, 2_000)]},
                (0, 20_000, 40_000, 60_000))
    made.ran(MAIN, (0, 0, 5_600, 1, 0), (11_000, 12_000, 22_000, 1, 2), (30_000, 31_000, 45_000, 3, 7))
    made.ran(OTHER, (5_500, 6_000, 11_500, 2, 1))
    path = pathlib.Path(scratch) / 'wake.tracy'
    made.write(path)
    check_all(result, 'wake-ups', tools, path, [
        (0, 'Main thread', 'Kick', 0, 5_500, 'wake-up'), (0, 'Loader', '(waiting to run)', 5_500, 6_000, 'wake-up'),
        (0, 'Loader', 'Decode', 6_000, 11_000, 'wake-up'), (0, 'Main thread', '(waiting to run)', 11_000, 12_000, ''),
        (0, 'Main thread', 'Present', 12_000, 18_000, ''), (0, 'Main thread', '(outside every scope)', 18_000, 20_000, ''),
        (1, 'Main thread', '(outside every scope)', 20_000, 22_000, ''), (1, 'Main thread', '(on no core)', 22_000, 31_000, 'not recorded'),
        (1, 'Main thread', '(outside every scope)', 31_000, 40_000, '')])


def check_perfetto(result, tools, scratch):
    later = [(1, 'Main thread', 'Frame', 20_000, 22_000, ''), (1, 'Main thread', '(on no core)', 22_000, 31_000, 'not recorded'),
             (1, 'Main thread', 'Frame', 31_000, 40_000, '')]
    woken = [(0, 'Main thread', 'Kick', 0, 5_500, 'wake-up'), (0, 'Loader', '(waiting to run)', 5_500, 6_000, 'wake-up'),
             (0, 'Loader', 'Decode', 6_000, 11_000, 'wake-up'), (0, 'Main thread', '(waiting to run)', 11_000, 12_000, ''),
             (0, 'Main thread', 'Present', 12_000, 18_000, ''), (0, 'Main thread', 'Frame', 18_000, 20_000, ''), *later]
    nobody = [(0, 'Main thread', 'Kick', 0, 5_600, ''), (0, 'Main thread', '(on no core)', 5_600, 12_000, 'not recorded'), *woken[4:]]
    for forms, wakes, wanted in ((('columns',), WOKEN, woken), (('columns', 'flags'), WOKEN, woken), (('columns', 'flags'), IN_INTERRUPT, nobody),
                                 ((WAKING,), WOKEN, woken), ((WAKE_UP,), WOKEN, woken), ((WAKING, WAKE_UP), WOKEN, woken), ((NEW,), WOKEN, woken),
                                 ((WAKING,), IN_INTERRUPT, nobody), ((), WOKEN, nobody)):
        path = pathlib.Path(scratch) / 'made.pftrace'
        write_perfetto(path, forms, wakes)
        check_all(result, 'Perfetto %s%s' % (forms, ' in an interrupt' if wakes is IN_INTERRUPT else ''), tools, path, wanted,
                  '--frames-from', 'Frame')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    options = parser.parse_args()
    tools, reports = commands.Commands(options.bin), report.Report()
    with tempfile.TemporaryDirectory() as scratch:
        reports.run('a lock', check_lock, tools, scratch)
        reports.run('wake-ups', check_wake_ups, tools, scratch)
        reports.run('Perfetto', check_perfetto, tools, scratch)
    return reports.close()


if __name__ == '__main__':
    sys.exit(main())
