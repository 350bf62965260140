"""Samples in files of other tools, read by what their formats say: a list of (thread, nanoseconds, [functions, innermost first]).

Profiles have no times: there it is a Counter of (thread, functions).
"""

import collections
import gzip
import json


def fields(data):
    """Fields of a message of protobuf: (number, value), bytes as they are."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if not byte & 0x80:
                return value

    while at < len(data):
        key = varint()
        number, kind = key >> 3, key & 7
        if kind == 0:
            yield number, varint()
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            yield number, int.from_bytes(data[at:at + size], 'little')
            at += size
        else:
            size = varint()
            yield number, data[at:at + size]
            at += size


def message(data):
    """The same as number -> [values]."""
    made = collections.defaultdict(list)
    for number, value in fields(data):
        made[number].append(value)
    return made


def first(one, number, default=None):
    return one[number][0] if number in one else default


class Perfetto:
    """Perf samples (66), and stack samples of any profiler (135), with what each weighs. Frames as places: (module, address,
    function, file, line); mappings as (module, start, end, build id)."""

    def __init__(self, path):
        self.interned = collections.defaultdict(dict)     # (sequence, list) -> number -> message
        self.threads, self.perf, self.stacks, self.weights, self.defaults, self.modules = {}, [], [], [], {}, set()
        self.places, self.mappings = set(), set()
        for number, packet in fields(path.read_bytes()):
            assert number == 1
            self.packet(message(packet))

    def packet(self, packet):
        sequence, when = first(packet, 10), first(packet, 8)
        if first(packet, 13, 0) & 1:                      # state cleared
            for key in [key for key in self.interned if key[0] == sequence]:
                del self.interned[key]
        for data in packet[12]:
            for kind, entry in fields(data):
                entry = message(entry)
                self.interned[sequence, kind][first(entry, 1)] = entry
        for data in packet[59]:
            self.defaults = message(first(message(data), 100))
        for data in packet[60]:
            track = message(data)
            if 4 in track:
                thread = message(first(track, 4))
                self.threads[first(thread, 1), first(thread, 2)] = first(thread, 5, b'').decode()
        for data in packet[66]:
            sample = message(data)
            self.perf.append((self.threads[first(sample, 2), first(sample, 3)], when, self.stack(sequence, first(sample, 4))))
        for data in packet[135]:
            sample = message(data)
            task = message(first(sample, 1))
            self.stacks.append((self.threads[first(task, 2), first(task, 3)], when, self.stack(sequence, first(sample, 6))))
            self.weights.append(first(sample, 11))

    def text(self, sequence, kind, number):
        return first(self.interned[sequence, kind][number], 2).decode()

    def mapping(self, sequence, number):
        """(module, start)"""
        mapping = self.interned[sequence, 19][number]
        module, start = self.text(sequence, 17, first(mapping, 7)), first(mapping, 4, 0)
        build_id = first(self.interned[sequence, 16][first(mapping, 2)], 2, b'').hex()
        self.mappings.add((module, start, first(mapping, 5, 0), build_id))
        return module, start

    def stack(self, sequence, number):
        names = []
        for frame in self.interned[sequence, 7][number][2]:
            frame = self.interned[sequence, 6][frame]
            module, start = self.mapping(sequence, first(frame, 3))
            self.modules.add(module)
            names.append(self.text(sequence, 5, first(frame, 2)))
            file = self.text(sequence, 18, first(frame, 5)) if 5 in frame else None
            self.places.add((module or None, start + first(frame, 4, 0), names[-1], file, first(frame, 6)))
        return names[::-1]


def chrome(path):
    document = json.loads(path.read_text(encoding='utf-8'))
    frames, threads = document.get('stackFrames', {}), {}
    for event in document['traceEvents']:
        if event['ph'] == 'M' and event['name'] == 'thread_name':
            threads[event['tid']] = event['args']['name']
    found = []
    for sample in document.get('samples', []):
        names, frame = [], sample['sf']
        while frame is not None:
            names.append(frames[frame]['name'])
            frame = frames[frame].get('parent')
        found.append((threads.get(sample['tid']), round(sample['ts'] * 1000), names))
    return found


def speedscope(path):
    """(Counter, time of all samples or None)"""
    document = json.loads(path.read_text(encoding='utf-8'))
    frames, found, time = document['shared']['frames'], collections.Counter(), 0
    for profile in document['profiles']:
        if profile['type'] != 'sampled':
            continue
        assert len(profile['samples']) == len(profile['weights']) and profile['endValue'] == sum(profile['weights'])
        assert profile['name'].endswith(' (samples)')
        time = time + profile['endValue'] if profile['unit'] == 'nanoseconds' else None
        for sample in profile['samples']:
            found[profile['name'][:-len(' (samples)')], tuple(frames[f]['name'] for f in reversed(sample))] += 1
    return found, time


def pprof(path, value=0):
    """By the value of that place: Counter, and Counter of the places: (module, address, ((function, file, line), ...))"""
    profile = message(gzip.decompress(path.read_bytes()))
    texts = [text.decode() for text in profile[6]]
    functions = {first(f, 1): (texts[first(f, 2)], texts[first(f, 4, 0)]) for f in map(message, profile[5])}
    mappings = {first(m, 1): texts[first(m, 5)] for m in map(message, profile[3])}
    locations = {}
    for location in map(message, profile[4]):
        lines = [(*functions[first(line, 1)], first(line, 2, 0)) for line in map(message, location[4])]
        locations[first(location, 1)] = (mappings.get(first(location, 2)), first(location, 3), tuple(lines))
    stacks, places = collections.Counter(), collections.Counter()
    for sample in map(message, profile[2]):
        ids = list(packed(first(sample, 1, b'')))
        count = list(packed(first(sample, 2)))[value]
        labels = {texts[first(label, 1)]: texts[first(label, 2)] for label in map(message, sample[3])}
        stacks[labels.get('thread'), tuple(line[0] for i in ids for line in locations[i][2])] += count
        for i in ids:
            places[locations[i]] += count
    return stacks, places


def pprof_mappings(path):
    """(module, start, end, build id, has functions, files, lines and inlined functions)"""
    profile = message(gzip.decompress(path.read_bytes()))
    texts = [text.decode() for text in profile[6]]
    return {(texts[first(m, 5)], first(m, 2, 0), first(m, 3, 0), texts[first(m, 6, 0)], tuple(first(m, k, 0) for k in (7, 8, 9, 10)))
            for m in map(message, profile[3])}


def packed(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7f) << shift
        shift += 7
        if not byte & 0x80:
            yield value
            value = shift = 0
