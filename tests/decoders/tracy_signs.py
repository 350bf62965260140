"""What in a .tracy shows that something is wrong with it: an oracle that knows nothing of Tracekit.

signs(data) counts by kind. Written from docs/format/tracy-file.md alone (cited as `tracy-file`): orders, bounds of references,
and numbers that have to be what they count.
"""

import collections

import tracy_file

ROUNDING = 2.0**-52                                     # of one sum, where values may come in any order


class Signs(collections.Counter):
    def see(self, kind, true=True):
        self[kind] += bool(true)


def index(data):
    """A StringIdx: the number of a string plus one, 0 where there is none."""
    return int.from_bytes(data, 'little')


class Reader:
    def __init__(self, found, trace):
        self.found, self.trace = found, trace
        self.strings = {key for key, _ in trace['strings']}
        self.pointers = {pointer for pointer, key in trace['pointers'] if key in self.strings}
        self.statics = {place[0] for place in trace['statics']}
        self.calls = len(trace['callstacks'])

    def all(self):
        for part in (self.texts, self.places, self.frames, self.zones, self.gpu, self.messages, self.locks, self.plots,
                     self.memory, self.stacks, self.switches):
            part()

    # ---- texts and what refers to them (3, 5.1 to 5.5) ----

    def texts(self):
        for _, text in self.trace['strings']:
            self.found.see('a text with a zero inside', b'\0' in text)
        for name in ('pointers', 'thread_names', 'external_names'):
            for _, *keys in self.trace[name]:
                self.found.see('a key without its text', any(key not in self.strings for key in keys))
        self.found.see('keys of texts that come twice', len(self.strings) < len(self.trace['strings']))

    def reference(self, value, flags):
        if flags & 2 and flags & 1:
            self.found.see('a text out of bounds', value >= len(self.trace['strings']))
        elif flags & 2:
            self.found.see('a pointer without its text', value and value not in self.pointers)

    def string(self, data):
        self.found.see('a text out of bounds', index(data) > len(self.trace['strings']))

    def stack(self, data):
        self.found.see('a callstack out of bounds', index(data) > self.calls)

    def places(self):
        for place in (*[row[1:] for row in self.trace['statics']], *self.trace['dynamics']):
            for at in (0, 2, 4):
                self.reference(*place[at:at + 2])
        for address in self.trace['expand']:
            self.found.see('a location without its address', address and address not in self.statics)

    def place(self, number):
        outside = number >= len(self.trace['expand']) or -number - 1 >= len(self.trace['dynamics'])
        self.found.see('a location out of bounds', outside)

    # ---- frames ----

    def frames(self):
        for found in self.trace['frame_sets']:
            self.found.see('a pointer without its text', found['name'] and found['name'] not in self.pointers)
            self.found.see('a flag that is none', found['continuous'] > 1)
            last = None
            for start, end, image in found['frames']:
                self.found.see('a frame before the one in front', last is not None and start < last)
                self.found.see('an end before its begin', end is not None and 0 <= end < start)
                self.found.see('an image out of bounds', image >= len(self.trace['images']) or image < -1)
                last = start

    # ---- zones (5.6, 5.9, 5.10) ----

    def zones(self):
        counted, parents, total = collections.Counter(), 0, 0
        for extra in self.trace['extras']:
            self.stack(extra[:3])
            self.string(extra[3:6])
            self.string(extra[6:9])
        for thread in self.trace['threads']:
            number = 0
            for zone, around in pairs(thread['zones']):
                number += 1
                parents += bool(zone[3])
                counted[zone[0]] += 1
                self.place(zone[0])
                self.found.see('an extra out of bounds', zone[2] >= max(1, len(self.trace['extras'])))
                self.found.see('an end before its begin', 0 <= zone[4] < zone[1])
                self.found.see('a zone before the one around it', around is not None and zone[1] < around[1])
                self.order([child[1] for child in zone[3]], 'zones that are not in order')
            self.order([zone[1] for zone in thread['zones']], 'zones that are not in order')
            self.found.see('another number of zones', number != thread['count'])
            self.found.see('a flag that is none', thread['fiber'] > 1)
            total += number
        self.found.see('another number of zones', total != self.trace['zones'])
        self.found.see('another number of zones with children', parents != self.trace['zone_children'])
        stated = +collections.Counter(dict(self.trace['zone_counts']))
        self.found.see('another number of zones of a location', stated != counted)

    def order(self, times, what):
        self.found[what] += sum(one > other for one, other in zip(times, times[1:]))

    def gpu(self):
        parents, total = 0, 0
        for context in self.trace['gpus']:
            number = 0
            self.found.see('a kind that is none', context['head'][4] > 10)
            for _, roots in context['timelines']:
                for zone, around in pairs(roots):
                    place = int.from_bytes(zone[2][:2], 'little', signed=True)
                    number += 1
                    parents += bool(zone[3])
                    self.place(place)
                    self.stack(zone[2][2:5])
                    self.found.see('an end before its begin', 0 <= zone[4] < zone[0] or 0 <= zone[5] < zone[1])
                    self.found.see('a zone before the one around it', around is not None and zone[0] < around[0])
            self.found.see('another number of zones', number != context['head'][2])
            total += number
        self.found.see('another number of zones', total != self.trace['gpu_zones'])
        self.found.see('another number of zones with children', parents != self.trace['gpu_children'])

    # ---- messages, locks, plots ----

    def messages(self):
        keys = [key for key, _, _ in self.trace['messages']]
        self.found.see('keys of messages that come twice', len(set(keys)) < len(keys))
        self.order([time for _, time, _ in self.trace['messages']], 'messages that are not in order')
        for _, _, rest in self.trace['messages']:
            self.reference(int.from_bytes(rest[:8], 'little'), rest[8])
            self.stack(rest[13:16])
            self.found.see('a kind that is none', len(rest) == 18 and (rest[16] > 1 or rest[17] > 5))
        listed = [key for thread in self.trace['threads'] for key in thread['messages']]
        self.found.see('a message of no thread', set(keys) - set(listed))
        self.found.see('a message that is missing', set(listed) - set(keys))

    def locks(self):
        for lock in self.trace['locks']:
            head, threads, last = lock['head'], lock['threads'], None
            self.string(head[1])
            self.place(head[2])
            self.found.see('a kind that is none', head[3] > 1 or head[4] > 1)
            for time, place, thread, kind in lock['events']:
                self.found.see('events of a lock that are not in order', last is not None and time < last)
                self.found.see('a thread out of bounds', thread >= len(threads))
                self.found.see('a kind that is none', kind > 5)
                self.place(place)
                last = time

    def plots(self):
        """Their points are sorted from 0.13.3 on only (version history)."""
        for plot in self.trace['plots']:
            self.found.see('a kind that is none', plot['head'][0] > 3 or plot['head'][1] > 3)
            self.found.see('a pointer without its text', plot['name'] and plot['name'] not in self.pointers)
            values = [value for _, value in plot['points']]
            if values:
                low, high, total = plot['sums']
                self.found.see('another smallest or largest value', low != min(values) or high != max(values))
                size = sum(map(abs, values))
                self.found.see('another sum of values', abs(sum_of(values) - total) > ROUNDING * len(values) * size)

    # ---- memory (5.12) ----

    def memory(self):
        events = 0
        for pool in self.trace['pools']:
            rows, (high, low, used, name) = pool['events'], pool['tail']
            events += len(rows)
            self.found.see('another name of a pool', name != pool['name'])
            self.found.see('a pointer without its text', name and name not in self.pointers)
            self.order([row[3] for row in rows], 'allocations that are not in order')
            alive = [row for row in rows if row[4] < 0]
            self.found.see('another number of allocations', pool['active'] != len(alive) or pool['frees'] != len(rows) - len(alive))
            self.found.see('another number of bytes in use', used != sum(row[1] for row in alive))
            self.found.see('other addresses of a pool', rows and (
                high != max(row[0] + row[1] for row in rows) or low != min(row[0] for row in rows)))
            for _, _, stacks, _, _, threads in rows:
                self.stack(stacks[:3])
                self.stack(stacks[3:])
                for at in (0, 2):
                    self.found.see('a thread out of bounds', index(threads[at:at + 2]) >= max(1, len(self.trace['local'])))
        self.found.see('another number of allocations', events != self.trace['memory_events'])

    # ---- callstacks, samples, switches ----

    def stacks(self):
        for thread in self.trace['threads']:
            for name in ('samples', 'switch_samples'):
                for _, stack in thread[name]:
                    self.stack(stack)
        for _, image, places in self.trace['code_frames']:
            self.string(image)
            for place in places:
                self.string(place[:3])
                self.string(place[3:6])
        for symbol in self.trace['symbols']:
            for at in (8, 11, 18, 21):
                self.string(symbol[at:at + 3])

    def switches(self):
        for _, items in self.trace['switches']:
            for wake, start, end, _ in items:
                self.found.see('an end before its begin', 0 <= end < start)
            self.order([start for _, start, _, _ in items], 'switches that are not in order')
        total = 0
        for items in self.trace['cpus']:
            total += len(items)
            self.order([start for start, _, _ in items], 'switches that are not in order')
            for start, end, thread in items:
                self.found.see('an end before its begin', 0 <= end < start)
                self.found.see('a thread out of bounds', thread >= len(self.trace['external']))
        self.found.see('another number of switches', total != self.trace['cpu_total'])


def sum_of(values):
    total = 0.0
    for value in values:
        total += value
    return total


def pairs(roots):
    """Each zone with the one around it."""
    stack = [(zone, None) for zone in roots]
    while stack:
        zone, around = stack.pop()
        yield zone, around
        stack += [(child, zone) for child in zone[3]]


def signs(data):
    found = Signs()
    try:
        _, trace = tracy_file.read(data)
    except Exception:                                   # noqa: BLE001: of a damaged file
        found.see('what cannot be read by its rules')
        return found
    Reader(found, trace).all()
    return +found
