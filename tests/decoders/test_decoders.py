#!/usr/bin/env python3
"""The decoders of this folder against what producers wrote down, and the two scripts against what they have to notice.

usage: test_decoders.py --build DIRECTORY
"""

import collections
import json
import random
import sys
import tempfile
import unittest

import compare_decoders
import damages
import evaluate_damage
import import_signs
import sources
import tracy_change
import tracy_compare
import tracy_figures
import tracy_file
import utrace_change
import utrace_compare
import utrace_draft
import tracy_signs
import utrace_figures
import utrace_wire

FIXTURES = sources.ROOT / 'fixtures'
LARGEST = 60_000
OPTIONS = SERVED = None
CHANGES = {change.__name__: change for change in utrace_change.CHANGES}
TRACY_CHANGES = {change.__name__: change for change in tracy_change.CHANGES}
VISIBLE = ('drop', 'double', 'counter_values', 'move_times', 'numbers', 'names', 'other_timers', 'more_scopes')
VISIBLE_TRACY = ('drop_zones', 'more_zones', 'other_places', 'open_zones', 'strings', 'plots', 'frames', 'messages', 'memory')


class Truth(unittest.TestCase):
    def test_events_and_timers_of_utrace(self):
        read = 0
        for path in sorted(FIXTURES.glob('*.truth.json')):
            capture = path.with_name(path.name.replace('.truth.json', '.utrace'))
            if not capture.exists() or capture.stat().st_size > LARGEST:
                continue
            truth = json.loads(path.read_text(encoding='utf-8'))
            figures = utrace_figures.figures(utrace_wire.read(capture.read_bytes()))
            with self.subTest(path.name):
                read += 'event_counts' in truth and self.check(truth, figures)
        self.assertGreaterEqual(read, 9)

    def check(self, truth, figures):
        counts = collections.Counter(title for events in figures['events'].values() for title, *_ in events)
        self.assertEqual(counts, truth['event_counts'])
        sums = collections.defaultdict(lambda: [0, 0])
        for (_, name, kind), row in figures['timers'].items():
            if kind == 'spec':
                sums[name][0] += row['count']
                sums[name][1] += row['excl']
        wanted = collections.defaultdict(lambda: [0, 0])
        for timer in (timer for thread in truth['threads'] for timer in thread.get('timers', ())):
            if timer.get('kind', 'spec') == 'spec':
                wanted[timer['timer']][0] += timer['count']
                wanted[timer['timer']][1] += timer['excl']
        if wanted:
            self.assertEqual({name: row for name, row in sums.items() if row[0]},
                             {name: row for name, row in wanted.items() if row[0]})
        return True

    def test_zones_of_tracy(self):
        """csvexport leaves zones of no length out, and has one row for each place (tracy-file 7)."""
        read = 0
        for path in sorted(FIXTURES.glob('tracy/*.csvexport.csv')):
            _, trace = tracy_file.read(path.with_name(path.name.replace('.csvexport.csv', '.tracy')).read_bytes())
            names, rows = tracy_figures.Names(trace), {}
            for thread in trace['threads']:
                for zone, _ in tracy_figures.leaves(thread['zones']):
                    if zone[4] - zone[1] > 0 and zone[4] >= 0:
                        row = rows.setdefault(zone[0], [0, 0])
                        row[0] += zone[4] - zone[1]
                        row[1] += 1
            got = sorted((names.location(place)[2], *row) for place, row in rows.items())
            with path.open(newline='', encoding='utf-8') as file:
                wanted = [line.rsplit(',', 8) for line in file.read().splitlines()[1:]]
            self.assertEqual(got, sorted((int(row[1]), int(row[2]), int(row[4])) for row in wanted), path.name)
            read += 1
        self.assertGreaterEqual(read, 9)

    def test_a_payload_is_written_as_it_was(self):
        for path in sorted(FIXTURES.glob('tracy/*.tracy')):
            box, payload = tracy_file.unpack(path.read_bytes())
            self.assertEqual(tracy_file.payload(tracy_file.parse(payload)), payload, path.name)
            self.assertEqual(tracy_file.unpack(tracy_file.pack(box, payload))[1], payload, path.name)


class Comparison(unittest.TestCase):
    """Tracekit reads the changed capture, the decoder the one before: what was changed has to be noticed."""

    def notices(self, compare, suffix, before, after):
        with tempfile.NamedTemporaryFile(suffix=suffix) as file:
            file.write(after)
            file.flush()
            self.assertEqual(compare.differences(OPTIONS.tracekit, file.name, after), [])
            return compare.differences(OPTIONS.tracekit, file.name, before)

    def test_changes_of_utrace(self):
        before = (FIXTURES / 'tiny.utrace').read_bytes()
        for name in VISIBLE:
            made = utrace_draft.draft(utrace_wire.read(before))
            CHANGES[name](made, random.Random(1))
            after = utrace_draft.encode(made, random.Random(1))
            with self.subTest(name):
                self.assertTrue(self.notices(utrace_compare, '.utrace', before, after))

    def test_changes_of_tracy(self):
        before = (FIXTURES / 'tracy' / 'ctx-0.14.0.tracy').read_bytes()
        for name in VISIBLE_TRACY:
            box, trace = tracy_file.read(before)
            TRACY_CHANGES[name](trace, box, random.Random(1))
            tracy_change.settle(trace)
            after = tracy_file.pack(box, tracy_file.payload(trace))
            with self.subTest(name):
                self.assertTrue(self.notices(tracy_compare, '.tracy', before, after))


def first_zone(trace):
    """The first zone that has an extra, else the first one."""
    zones = [zone for thread in trace['threads'] for zone, _ in tracy_figures.leaves(thread['zones'])]
    return next((zone for zone in zones if zone[2]), zones[0])


def other_location(trace):
    zone = first_zone(trace)
    zone[0] = next(key for key, n in trace['zone_counts'] if n and key != zone[0])


def other_extra(trace):
    first_zone(trace)[2] = len(trace['extras'])


def other_stack(trace):
    trace['extras'][1] = (len(trace['callstacks']) + 1).to_bytes(3, 'little') + trace['extras'][1][3:]


def other_text(trace):
    trace['extras'][1] = trace['extras'][1][:3] + (len(trace['strings']) + 1).to_bytes(3, 'little') + trace['extras'][1][6:]


def zero_inside(trace):
    key, text = trace['strings'][-1]
    trace['strings'][-1] = (key, text[:-1] + b'\0')


def other_kind(trace):
    trace['plots'][0]['head'] = (77, *trace['plots'][0]['head'][1:])


def other_least(trace):
    plot = next(plot for plot in trace['plots'] if plot['points'])
    plot['sums'] = (plot['sums'][0] - 1, *plot['sums'][1:])


def no_pointer(trace):
    trace['plots'][0]['name'] ^= 1 << 60


class Damage(unittest.TestCase):
    def test_numbers_of_tracy_that_contradict_each_other(self):
        """What the decoder of this folder sees, health says, too."""
        data = (FIXTURES / 'tracy' / 'ctx-0.14.0.tracy').read_bytes()
        self.assertFalse(tracy_signs.signs(data))
        for change, kind in ((other_location, 'sum_differs'), (other_extra, 'definition_missing'), (other_stack, 'definition_missing'),
                             (other_text, 'definition_missing'), (zero_inside, 'form_mended'), (other_kind, 'version_unsupported'), (other_least, 'sum_differs'),
                             (no_pointer, 'definition_missing')):
            box, trace = tracy_file.read(data)
            change(trace)
            damaged = tracy_file.pack(box, tracy_file.payload(trace))
            with self.subTest(change.__name__):
                self.assertTrue(tracy_signs.signs(damaged))
                _, _, kinds, _ = evaluate_damage.said_of(SERVED, 'tracy', damaged)
                self.assertIn(kind, kinds)

    def test_outcomes(self):
        count = collections.Counter
        sound = (0, {'old'}, count(scope_open=2), {'timers': 1})
        for damaged, wanted in (((4, {'old'}, count(), {'timers': 1}), evaluate_damage.BY_STATUS),
                                ((3, set(), count(), None), evaluate_damage.BY_STATUS),
                                ((0, {'old', 'new'}, count(events_lost=1), {'timers': 2}), evaluate_damage.BY_WARNING),
                                ((0, {'old'}, count(serial_gap=1), {'timers': 1}), evaluate_damage.NOTICE),
                                ((0, {'old'}, count(scope_open=3), {'timers': 2}), evaluate_damage.NOTICE),
                                ((0, {'old'}, count(scope_open=2), {'timers': 2}), evaluate_damage.SILENT_OTHER),
                                ((0, {'old'}, count(scope_open=2), {'timers': 1}), evaluate_damage.SILENT_EQUAL)):
            self.assertEqual(evaluate_damage.outcome(sound, damaged), wanted, damaged)

    def test_signs_of_sound_captures(self):
        """The oracle has nothing to say of what the writers make, but of each kind of damage that it knows. Files of others are
        what they are: some have no events, or faults that are meant."""
        for form in import_signs.READERS:
            made = [known for kind, known in sources.captures(form, 'nowhere').items() if kind not in ('real', 'import2')]
            for name, data in (one for known in made for one in known):
                found = {kind for kind, n in import_signs.signs(form, data).items() if n}
                self.assertLessEqual(found, {'a begin without an end', 'an end without a begin'}, name)

    def test_signs_of_damage(self):
        for form, sound, damaged, sign in (
                ('json', b'[{"ph":"i","ts":1}]', b'[{"ph":"i","ts":1]', 'no JSON'),
                ('json', b'[{"ph":"i","ts":1}]', b'[{"ph":"\xff","ts":1}]', 'a text that is not UTF-8'),
                ('json', b'[{"ph":"i","ts":1}]', b'[{"ph":"i","ph":"i","ts":1}]', 'a key that comes twice'),
                ('csv', b'FrameTime,a/b\n1,2\n', b'FrameTime,a/b\n1\n', 'a row that is too short'),
                ('csv', b'FrameTime,a/b\n1,2\n', b'FrameTime,a/b\n1,2\nFrameTime,a/b\n1,2\n', 'a row behind the facts'),
                ('fxt', bytes(8), bytes(7), 'bytes that are no whole word'),
                ('pftrace', b'', b'\x0a\x01\x08', 'a broken packet')):
            with self.subTest(sign):
                self.assertIn(sign, +(import_signs.signs(form, damaged) - import_signs.signs(form, sound)))

    def warned(self, units, data):
        made = utrace_draft.draft(utrace_wire.read(data))
        made.units = units(made.units)
        return evaluate_damage.said_of(SERVED, 'utrace', utrace_draft.encode(made, random.Random(1)))

    def test_an_end_inside_of_array_data(self):
        """The file ends with a whole packet, but the value in it does not end."""
        def cut(units):
            last = max(i for i, unit in enumerate(units) if unit.tid >= 2 and any(r.kind == 'aux' for r in unit.records))
            units[last].records = units[last].records[:2]
            return units[:last + 1]
        status, lines, kinds, _ = self.warned(cut, (FIXTURES / 'tiny.utrace').read_bytes())
        self.assertEqual(status, 0)
        self.assertIn('file_truncated', kinds)
        self.assertTrue(any('cut off at its end' in line for line in lines), lines)

    def test_scopes_behind_the_end_of_their_thread(self):
        def swap(units):
            ends = [i for i, unit in enumerate(units) if unit.event and unit.event.type.title == 'CpuProfiler.EndThread']
            tid = units[ends[0]].tid
            first = next(i for i, unit in enumerate(units) if unit.event and unit.tid == tid and
                         unit.event.type.title.startswith('CpuProfiler.EventBatch'))
            return [*units[:first], units[ends[0]], *units[first:ends[0]], *units[ends[0] + 1:]]
        status, lines, kinds, _ = self.warned(swap, (FIXTURES / 'tiny.utrace').read_bytes())
        self.assertEqual(status, 0)
        self.assertIn('scope_after_end', kinds)
        self.assertTrue(any('has scopes after its end' in line for line in lines), lines)

    def test_each_damage_is_one(self):
        read = utrace_wire.read((FIXTURES / 'tiny.utrace').read_bytes())
        read.packets[5].encoded = True
        data = utrace_wire.write(read.header, read.transport, read.packets)
        capture = damages.Capture.of('tiny', 'utrace', data, [(FIXTURES / 'tiny-ue5.1.utrace').read_bytes()])
        for kind, apply in damages.KINDS.items():
            made = [apply(capture, random.Random(seed)) for seed in range(9)]
            self.assertTrue(any(one and one[0] != data for one in made), kind)

    def test_lengths(self):
        data = (FIXTURES / 'tiny.utrace').read_bytes()
        capture = damages.Capture.of('tiny', 'utrace', data, [data])
        rng = random.Random(1)
        self.assertEqual(sum(size for _, size, _ in capture.parts) + len(utrace_wire.read(data).header), len(data))
        for kind in ('bit', 'sector zeroed', 'page random', 'tail of zeros', 'packet of another thread', 'packets exchanged'):
            self.assertEqual(len(damages.KINDS[kind](capture, rng)[0]), len(data), kind)
        self.assertEqual(len(damages.KINDS['page lost'](capture, rng)[0]), len(data) - damages.PAGE)


if __name__ == '__main__':
    arguments = sys.argv[1:]
    OPTIONS = compare_decoders.arguments(['1', '1', *arguments])
    SERVED = evaluate_damage.Served(OPTIONS.build)
    unittest.main(argv=sys.argv[:1])
