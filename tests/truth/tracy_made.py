"""Captures with random content for each section of the .tracy layout, as dicts of tracy_layout.py.

What they hold is what a recorder could write: zones of a thread lie inside each other, locks are requested before they
are got, what is open stays open up to the root. Names have everything that a format of text may stumble over.
"""

import random

# One before and one from each change of the layout on.
VERSIONS = tuple((0, 7, n) for n in range(16)) + (
    (0, 8, 0), (0, 8, 2), (0, 8, 3), (0, 8, 4), (0, 8, 5), (0, 9, 1), (0, 9, 2), (0, 10, 0), (0, 11, 0), (0, 11, 1),
    (0, 11, 2), (0, 11, 3), (0, 12, 2), (0, 12, 3), (0, 12, 4), (0, 13, 1), (0, 13, 2), (0, 13, 3), (0, 13, 4),
    (0, 13, 5), (0, 13, 6), (0, 14, 0), (0, 14, 1))
TEXTS = (b'', b'plain', b'a,b', b'say "hi"', b'line\nbreak', b'cr\r\nlf', 'ä€😀'.encode(), b'\xff\xfe bad',
         b'nul\0inside', b' lead ', b'=1+1', b'-5', b'tab\there', b'back\\slash', b'{json}', b"it's", b'\x01\x7f',
         b'x' * 300)
SECOND = 10 ** 9


class Maker:
    def __init__(self, seed, version):
        self.random = random.Random(seed)
        self.version = version
        self.make_names()
        self.capture = {'version': version, 'strings': self.strings, 'pointers': self.reported_pointers}

    def below(self, n):
        return self.random.randrange(n)

    def some(self, n, item):
        """Up to n - 1 items."""
        return [item() for _ in range(self.below(n))]

    def one(self, *values):
        return self.random.choice(values)

    def make_names(self):
        keys = self.random.sample(range(1, 1 << 40), 5 + self.below(50))
        self.strings = [{'key': key, 'text': self.one(self.one(*TEXTS), b'text %d' % key)} for key in keys]
        self.strings.append({'key': 1 << 50, 'text': b'Frame'})
        self.pointers = self.random.sample(range(1, 1 << 48), 2 + self.below(28))
        self.reported_pointers = [{'pointer': pointer, 'key': self.one(*keys)} for pointer in self.pointers]
        self.reported_pointers += [{'pointer': 0, 'key': 1 << 50}, {'pointer': 7, 'key': 1 << 60}]
        self.keys = keys

    def text(self):
        """Index of a string + 1, 0 none."""
        return self.one(0, 1 + self.below(len(self.strings)), 1 + self.below(len(self.strings)))

    def pointer(self):
        return self.one(*self.pointers) if self.below(10) else self.below(1 << 20)

    def reference(self):
        return self.one((self.below(1 << 40), self.one(0, 1, 4)), (self.below(len(self.strings)), 3),
                        (self.pointer(), 2))

    def make(self):
        c = self.capture
        self.make_header(c)
        self.make_threads(c)
        self.make_locations(c)
        c['frames'] = [self.frame_set(i) for i in range(self.below(4))]
        self.make_sections(c)
        self.make_zones(c)
        c['locks'] = [self.lock(i) for i in range(self.below(4))]
        self.make_gpu(c)
        c['plots'] = self.some(5, self.plot)
        self.make_memory(c)
        self.make_code(c)
        self.make_switches(c)
        self.make_rest(c)
        return c

    def make_header(self, c):
        cores = lambda: self.some(3, lambda: {'core': self.below(9), 'threads': self.some(3, lambda: self.below(9))})
        c['header'] = {
            'delay': 3, 'resolution': self.below(100), 'multiplier': self.one(1.5, float('nan')),
            'last': 1 + self.below(1 << 40),
            'frame_offset': self.one(0, 7), 'pid': self.below(1 << 20), 'period': self.one(0, 100000),
            'architecture': self.below(6), 'cpu': self.below(1 << 32), 'on_demand': self.below(2),
            'name': self.one(*TEXTS),
            'manufacturer': self.one(b'GenuineIntel', b'ARM' + bytes(9)), 'program': self.one(*TEXTS),
            'time': self.below(1 << 33), 'executable': self.below(1 << 33), 'host': self.one(*TEXTS)}
        dies = 3 if self.version >= (0, 11, 2) else 2
        c['topology'] = [{'package': i, 'dies': [{'die': k, 'cores': cores()} for k in range(dies - 1)]}
                         for i in range(self.below(3))]

    def make_threads(self, c):
        self.tids = self.random.sample(range(1, 1 << 20), 1 + self.below(11))
        self.used = self.random.sample(self.tids, 1 + self.below(len(self.tids)))
        others = self.random.sample(range(1 << 20, 1 << 21), self.below(6))
        c['local'] = [0] + self.random.sample(self.tids, self.below(len(self.tids) + 1))
        c['external'] = others + self.random.sample(self.tids, self.below(len(self.tids) + 1))
        c['names'] = [{'tid': tid, 'key': self.one(*self.keys)} for tid in self.tids if self.below(5)]
        c['other_names'] = [{'tid': tid, 'process': self.one(*self.keys), 'thread': self.one(*self.keys)}
                            for tid in c['external'] if self.below(5)]
        crashed = self.below(2)
        c['crash'] = {'tid': crashed and self.one(*self.tids), 'time': self.below(SECOND) - 5,
                      'message': crashed and self.pointer(), 'stack': self.below(3)}
        c['processes'] = [{'tid': tid, 'pid': self.below(1 << 20)} for tid in c['external']]
        c['cpu_use'] = [{'tid': tid, 'running': self.below(SECOND), 'regions': self.below(100),
                         'migrations': self.below(9)}
                        for tid in c['external'] + self.tids if self.below(2)]

    def make_locations(self, c):
        def location():
            return {'name': self.one((0, 0), self.reference(), self.reference()), 'function': self.reference(),
                    'file': self.reference(), 'line': self.one(0, self.below(5000), (1 << 32) - 1),
                    'colour': self.one(0, self.below(1 << 24))}
        addresses = self.random.sample(range(1, 1 << 48), 1 + self.below(14))
        c['static'] = [{'address': address, **location()} for address in addresses]
        c['expand'] = [0] + self.random.sample(addresses, 1 + self.below(len(addresses)))
        c['dynamic'] = self.some(8, location)
        self.locations = [*range(1, len(c['expand'])), *range(-len(c['dynamic']), 0)]
        c['counts'] = [{'location': location, 'n': self.below(9)} for location in self.locations]

    def frame_set(self, index):
        out = {'name': self.pointer() if index else self.one(0, self.pointer()), 'continuous': self.below(2),
               'frames': []}
        time = 0
        for _ in range(self.below(30)):
            time += self.one(0, 1, self.below(10 ** 7))
            frame = {'start': time, 'image': self.one(-1, 0, 5)}
            if not out['continuous']:                  # such frames may overlap
                frame['end'] = time + self.below(2 * 10 ** 7) if self.below(9) else -1
            out['frames'].append(frame)
        return out

    def make_sections(self, c):
        def section():
            start = self.below(SECOND)
            return {'start': start, 'end': self.one(-3, -1, start + self.below(SECOND)), 'text': self.text()}
        categories = self.random.sample(range(65536), self.below(4)) if self.version >= (0, 13, 5) else [0]
        if self.version >= (0, 13, 4):
            c['sections'] = [{'category': category, 'items': self.some(4, section)} for category in categories]
        if self.version >= (0, 13, 5):
            c['categories'] = [{'category': category, 'text': self.text()} for category in categories if self.below(3)]

    def nested(self, zone, low, high, depth, budget):
        """Zones between two times; `zone` makes one of begin and end."""
        out = []
        for _ in range(self.below(8 - depth // 2)):
            if budget[0] <= 0 or low >= high:
                break
            budget[0] -= 1
            begin = self.one(low, self.random.randint(low, high))
            end = self.one(begin, self.random.randint(begin, high), self.random.randint(begin, high))
            low = end
            out.append({**zone(begin, end),
                        'kids': self.nested(zone, begin, end, depth + 1, budget) if depth < 12 else []})
        return out

    def zone(self, begin, end):
        return {'location': self.one(*self.locations), 'start': begin, 'end': end,
                'extra': self.one(0, self.below(len(self.capture['extras'])))}

    def leave_open(self, zones):
        """The last one of each level, for some levels."""
        while zones and self.below(5):
            zones[-1]['end'] = -1
            zones = zones[-1]['kids']

    def make_zones(self, c):
        samples = lambda: self.some(5, lambda: {'time': self.below(SECOND), 'stack': self.below(4)})
        c['extras'] = [{'stack': 0, 'text': 0, 'name': 0, 'colour': 0}]
        c['extras'] += self.some(10, lambda: {'stack': self.below(3), 'text': self.text(), 'name': self.text(),
                                              'colour': self.one(0, self.below(1 << 24))})
        c['messages'] = [{'key': key, 'time': self.below(SECOND), 'text': self.reference(), 'stack': self.below(4),
                          'colour': self.one(0, 0xFFFFFFFF), 'source': self.below(2), 'severity': self.below(6)}
                         for key in self.random.sample(range(1 << 40), self.below(30))]
        c['threads'] = []
        for tid in self.used:
            zones = self.nested(self.zone, 0, SECOND, 0, [self.below(100)])
            if self.below(2):
                self.leave_open(zones)
            fiber = self.below(2) if self.version >= (0, 7, 11) else 0
            c['threads'].append({'tid': tid, 'count': count(zones), 'kernel': self.below(5), 'fiber': fiber,
                                 'group': self.below(9) - 4, 'zones': zones, 'messages': [],
                                 'switch_samples': samples(),
                                 'samples': [] if fiber else samples()})
        for message in c['messages'][2:]:
            self.one(*c['threads'])['messages'].append(message['key'])
        c['zones'] = sum(thread['count'] for thread in c['threads']), 0

    def lock(self, index):
        """Each thread queries, gets and lets go in turn; what is tried is got without having been requested."""
        threads = self.random.sample(self.used, 1 + self.below(len(self.used)))
        time = self.below(SECOND)
        out = {'id': index, 'name': self.text(), 'location': self.one(*self.locations), 'type': self.below(2),
               'valid': self.below(2), 'announced': time, 'terminated': self.one(0, SECOND), 'threads': threads,
               'events': []}
        under_way = {}
        for _ in range(self.below(60)):
            time += self.below(1000)
            place = self.below(len(threads))
            kind = under_way.get(place)
            if kind is None:
                kind = (3 if out['type'] and self.below(2) else 0) + self.one(0, 0, 0, 1)
            else:
                kind += 1
            under_way[place] = kind if kind % 3 < 2 else None
            out['events'].append({'time': time, 'location': self.one(0, *self.locations), 'thread': place,
                                  'type': kind})
        return out

    def gpu_zone(self, begin, end):
        return {'cpu_start': begin + 5, 'start': begin, 'location': self.one(*self.locations), 'stack': self.below(3),
                'thread': 0,
                'cpu_end': end + 9, 'end': end, 'query': self.below(65536)}

    def make_gpu(self, c):
        c['gpu'] = []
        for _ in range(self.below(4)):
            tid = self.one(0, *self.tids)
            timelines = [{'tid': 0 if tid else self.one(0, *self.tids),
                          'zones': self.nested(self.gpu_zone, 0, SECOND, 0, [self.below(60)])}
                         for _ in range(1 if tid else self.below(3))]
            c['gpu'].append({
                'tid': tid, 'calibrated': self.below(2), 'count': sum(count(line['zones']) for line in timelines),
                'period': self.one(1.0, 0.5, 40.0), 'type': self.below(11), 'name': self.text(),
                'overflow': self.one(0, 1 << 40),
                'note_names': [{'id': i, 'name': self.text()} for i in range(self.below(4))], 'timelines': timelines,
                'queries': [{'query': query, 'notes': self.some(3, lambda: {'id': self.below(7) - 2,
                                                                            'value': self.one(0.5, 1e300, -2.25)})}
                            for query in self.random.sample(range(65536), self.below(3))]})
        c['gpu_zones'] = sum(context['count'] for context in c['gpu']), 0

    def plot(self):
        kind = self.one(0, 0, 2, 3)
        points = self.some(30,
                           lambda: {'time': self.below(SECOND),
                                    'value': self.one(1.5, -2.25, 1e18, self.below(99) + 0.5)})
        if self.below(4):
            points.sort(key=lambda point: point['time'])
        values = [point['value'] for point in points] or [0.0]
        return {'type': kind, 'format': self.below(4), 'steps': self.below(2), 'fill': self.below(2),
                'colour': self.below(1 << 24),
                'name': 0 if kind == 2 else self.pointer(), 'min': min(values), 'max': max(values), 'sum': sum(values),
                'points': points}

    def make_memory(self, c):
        c['memory'] = []
        for index in range(1 + (self.below(3) if self.version >= (0, 7, 3) else 0)):
            time, events = 0, []
            for _ in range(self.below(30)):
                time += self.below(10 ** 6)
                events.append({'address': self.below(1 << 47), 'size': 1 + self.below(1 << 20), 'stack': self.below(4),
                               'free_stack': self.below(4), 'time': time, 'life': self.one(self.below(10 ** 7), -1),
                               'thread': self.below(len(c['local'])), 'free_thread': self.below(len(c['local']))})
            active = [event['size'] for event in events if event['life'] < 0]
            c['memory'].append({'name': self.pointer() if index else 0, 'active': len(active), 'frees': len(events) - len(active),
                                'events': events, 'high': max([event['address'] + event['size'] for event in events], default=0),
                                'low': min([event['address'] for event in events], default=(1 << 64) - 1), 'bytes': sum(active)})
        c['memory_events'] = sum(len(pool['events']) for pool in c['memory'])

    def make_code(self, c):
        frames = [self.below(1 << 62) | self.one(0, 0, 1 << 62, 1 << 63) for _ in range(20)]
        c['callstacks'] = [[self.one(*frames) for _ in range(1 + self.below(8))] for _ in range(self.below(6))]
        c['code_frames'] = [{'id': frame, 'image': self.text(), 'places': [
            {'function': self.text(), 'file': self.text(), 'line': self.below(1 << 32), 'symbol': self.below(1 << 48)}
            for _ in range(1 + self.below(3))]} for frame in sorted(set(frames)) if self.below(5)]
        c['symbol_counts'] = 0, 0
        c['symbols'] = self.some(9, lambda: {
            'address': self.below(1 << 64), 'name': self.text(), 'file': self.text(), 'line': self.below(1 << 32),
            'image': self.text(), 'call_file': self.text(), 'call_line': self.below(1 << 32), 'inline': self.below(2),
            'size': self.below(1 << 24)})
        c['code'] = self.some(3,
                              lambda: {'address': self.below(1 << 64), 'bytes': self.random.randbytes(self.below(99))})
        c['code_locations'] = self.some(3, lambda: {'place': self.below(1 << 40), 'addresses': [1, 2][:self.below(3)]})
        c['code_symbols'] = self.some(5, lambda: {'code': self.below(1 << 64), 'symbol': self.below(1 << 64)})
        c['hardware'] = self.some(5, lambda: {'address': self.executed(c), 'lists': [
            self.some(3, lambda: self.below(SECOND)) for _ in range(6)]})

    def executed(self, c):
        """An address that is in no function, or in one, or just behind it."""
        around = self.one(None, *c['symbols'])
        return (around['address'] + self.below(around['size'] + 1)) % (1 << 64) if around else self.below(1 << 64)

    def on_core(self, time, **more):
        start = time + self.below(1000)
        return {'start': start, 'end': start + self.below(10 ** 6), **more}

    def make_switches(self, c):
        def thread(tid):
            time, items = self.one(0, -10 ** 12), []
            for _ in range(self.below(20)):
                items.append(self.on_core(time, wakeup=time, cpu=self.below(8), reason=self.one(99, 100, -2), state=101,
                                          thread=self.one(0, tid), wakeup_cpu=self.below(8)))
                time = items[-1]['end']
            return {'tid': tid, 'items': items}
        c['switches'] = [thread(tid) for tid in self.random.sample(self.tids, self.below(len(self.tids) + 1))]
        c['cpus'] = [[] for _ in range(256)]
        for cpu in self.random.sample(range(256), self.below(4) if c['external'] else 0):
            for _ in range(self.below(20)):
                last = c['cpus'][cpu][-1]['end'] if c['cpus'][cpu] else 0
                c['cpus'][cpu].append(self.on_core(last, thread=self.below(len(c['external']))))
        c['cpu_switches'] = sum(map(len, c['cpus']))

    def make_rest(self, c):
        def image():
            width, height = 4 + 4 * self.below(8), 4 + 4 * self.below(8)
            return {'width': width, 'height': height, 'flipped': self.below(2),
                    'data': self.random.randbytes(width * height // 2)}
        c['app_info'] = self.some(3, self.reference)
        c['dictionary'] = bytes(self.below(50))
        c['images'] = self.some(3, image)
        c['sources'] = self.some(3, lambda: {'name': self.one(*TEXTS), 'text': self.one(*TEXTS) * self.below(3)})


def count(zones):
    return sum(1 + count(zone['kids']) for zone in zones)


def make(seed, version):
    return Maker(seed, version).make()
