#!/usr/bin/env python3
"""Merges of .tracy captures: what a decoder that shares nothing with them finds in the result is what it finds in the
captures, with all numbers, keys, pointers and ids replaced by what they stand for.

usage: check_tracy_merge.py --bin DIRECTORY [--corpus DIRECTORY] [--most BYTES] [--rounds N] FIXTURES
"""

import argparse
import collections
import json
import pathlib
import random
import struct
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'decoders'), str(HERE.parent / 'harness')]
import tracy_file  # noqa: E402
import commands  # noqa: E402
import report  # noqa: E402

DONE, USAGE, FAILED, PARTIAL = 0, 2, 3, 4
MARK = b'tracekit-edit '
SECOND, DAY = 10**9, 24 * 60 * 60
NO_END = None


class Meaning:
    """What a capture says, without numbers of its own; times are `shift` later."""

    def __init__(self, path, shift=0):
        self.trace = t = tracy_file.read(path.read_bytes())[1]
        self.shift, self.version = shift, t['version']
        self.texts = [bytes(text) for _, text in t['strings']]
        keys = {key: bytes(text) for key, text in t['strings']}
        self.pointers = {pointer: keys[key] for pointer, key in t['pointers'] if key in keys}
        self.keys = keys
        statics = {entry[0]: self.place(entry[1:]) for entry in t['statics']}
        self.places = {i: statics.get(address) for i, address in enumerate(t['expand']) if i}
        self.places |= {-1 - i: self.place(entry) for i, entry in enumerate(t['dynamics'])}
        self.frames = {number: (self.string(image), [self.code(one) for one in places])
                       for number, image, places in t['code_frames']}
        self.threads_of = {tid: own(keys.get(key)) for tid, key in t['thread_names']}
        self.others_of = {tid: (own(keys.get(thread)), own(keys.get(program))) for tid, thread, program in t['external_names']}
        self.stacks = [None] + [tuple(self.frame(number) for number in stack) for stack in t['callstacks']]

    def who(self, tid):
        """A thread by its name, and where it is of another program by that of both."""
        return self.threads_of.get(tid), self.others_of.get(tid)

    def local(self, number):
        """A thread by its number; 0 is none."""
        return number and self.who(self.trace['local'][number])

    def time(self, at):
        return at + self.shift

    def end(self, at):
        return at + self.shift if at >= 0 else NO_END

    def string(self, index):
        number = int.from_bytes(index, 'little')
        return self.texts[number - 1] if number else None

    def ref(self, value, flags):
        return None if not flags & 2 else self.texts[value] if flags & 1 else self.pointers.get(value, b'???')

    def place(self, entry):
        return (self.ref(*entry[0:2]), self.ref(*entry[2:4]), self.ref(*entry[4:6]), *entry[6:8])

    def code(self, one):
        name, file, line, symbol = one[0:3], one[3:6], one[6:10], one[10:18]
        return self.string(name), self.string(file), line, low(int.from_bytes(symbol, 'little'))

    def frame(self, number):
        return self.frames.get(number, low(number))

    def stack(self, index):
        """Of captures that broke off it may not be there."""
        number = int.from_bytes(index, 'little')
        return self.stacks[number] if number < len(self.stacks) else None

    def extra(self, index):
        blob = self.trace['extras'][index]
        return (self.stack(blob[0:3]), self.string(blob[3:6]), self.string(blob[6:9]), bytes(blob[9:12])) if index else None

    def zones(self, roots):
        """Trees as a flat list with depths: no recursion."""
        out, left = [], [(zone, 0) for zone in reversed(roots)]
        while left:
            zone, depth = left.pop()
            out.append((depth, self.places.get(zone[0]), self.time(zone[1]), self.end(zone[4]), self.extra(zone[2])))
            left += [(child, depth + 1) for child in reversed(zone[3])]
        return out

    def gpu_zones(self, roots):
        out, left = [], [(zone, 0) for zone in reversed(roots)]
        while left:
            zone, depth = left.pop()
            location, stack, thread = struct.unpack('<h3sH', zone[2])
            out.append((depth, self.end(zone[0]), self.end(zone[1]), self.places.get(location), self.stack(stack),
                        self.local(thread), self.end(zone[4]), self.end(zone[5]), zone[6]))
            left += [(child, depth + 1) for child in reversed(zone[3])]
        return out

    def samples(self, samples):
        return [(self.time(at), self.stack(stack)) for at, stack in samples]

    def messages(self):
        out = {}
        for key, at, rest in self.trace['messages']:
            value, flags = struct.unpack('<QB', rest[:9])
            more = bytes(rest[16:18]) or b'\0\0'
            out[key] = (self.time(at), self.ref(value, flags), bytes(rest[9:13]), self.stack(rest[13:16]), more)
        return out

    def threads(self):
        said = self.messages()
        return [(self.who(one['tid']), one['fiber'], one['kernel'], one['hint'], self.zones(one['zones']), [said[key] for key in one['messages']],
                 self.samples(one['switch_samples']), self.samples(one['samples'])) for one in self.trace['threads']]

    def locks(self):
        out = []
        for one in self.trace['locks']:
            _, name, place, kind, valid, announced, ended = one['head']
            out.append((self.string(name), self.places.get(place), kind, valid, self.time(announced),
                        self.time(ended) if ended > 0 else ended, [self.who(tid) for tid in one['threads']],
                        [(self.time(at), self.places.get(where), who, what) for at, where, who, what in one['events']]))
        return out

    def gpus(self):
        return [((one['head'][0] > 0, *one['head'][1:5], self.string(one['head'][5]), one['head'][6]),
                 [(note, self.string(name)) for note, name in one['notes']],
                 [self.gpu_zones(roots) for _, roots in one['timelines']], list(one['values'])) for one in self.trace['gpus']]

    def plots(self):
        return [(one['head'], one['style'], self.pointers.get(one['name']), one['sums'],
                 [(self.time(at), value) for at, value in one['points']]) for one in self.trace['plots']]

    def allocations(self):
        return [(address, size, self.stack(stacks[:3]), self.stack(stacks[3:]), self.time(at), freed,
                 [self.local(number) for number in struct.unpack('<HH', threads)])
                for one in self.trace['pools'] for address, size, stacks, at, freed, threads in one['events']]

    def pools(self):
        return [(one['active'], one['frees'], *one['tail'][:3], len(one['events'])) for one in self.trace['pools']
                if one['events']]

    def cores(self):
        external = self.trace['external']
        return [[(self.time(start), self.end(end), self.who(external[thread])) for start, end, thread in cpu]
                for cpu in self.trace['cpus']]

    def switches(self):
        out = []
        for tid, items in self.trace['switches']:
            out.append((self.who(tid), [(self.time(wake), self.time(start), self.end(end), bytes(rest[:3]))
                                        for wake, start, end, rest in items]))
        return out

    def sets(self, main):
        """Main frames of a capture that are not those of the result begin with the first mark."""
        out = []
        for one in self.trace['frame_sets']:
            less = (3 if self.trace['program'][-1] and self.version >= (0, 9, 2) else 2) if one['continuous'] else 0
            frames = one['frames'] if one['name'] or main else one['frames'][less:]
            images = self.trace['images']
            out.append((one['continuous'],
                        [(self.time(start), self.end(-1 if end is None else end), images[image][1] if 0 <= image < len(images) else None)
                         for start, end, image in frames]))
        return out

    def symbols(self):
        out = []
        for blob in self.trace['symbols']:
            out.append((low(int.from_bytes(blob[:8], 'little')), self.string(blob[8:11]), self.string(blob[11:14]), blob[14:18],
                        self.string(blob[18:21]), self.string(blob[21:24]), blob[24:32]))
        return out

    def hardware(self):
        return [(low(address), [[self.time(at) for at in one] for one in lists]) for address, lists in self.trace['hardware']]

    def crash(self):
        tid, at, message, stack = struct.unpack('<QqQI', self.trace['crash'])
        return (self.who(tid), self.time(at), self.pointers.get(message), self.stacks[stack]) if tid else None

    def information(self):
        out = [self.ref(*struct.unpack('<QB', blob)) for blob in self.trace['application']]
        return [text for text in out if not text.startswith(MARK)]

    def zone_counts(self, name):
        out = collections.Counter()
        for location, count in self.trace[name]:
            out[self.places.get(location)] += count
        return {place: count for place, count in out.items() if count}


def own(name):
    """A name without what a merge puts in front of it."""
    return name and name.rpartition(b'/')[2]


def low(address):
    """Merged captures are distinguished by bits above these."""
    return address & ((1 << 48) - 1)


LISTS = ('threads', 'locks', 'gpus', 'plots', 'allocations', 'pools', 'symbols', 'hardware', 'information', 'switches')
SUMS = ('zones', 'zone_children', 'gpu_zones', 'gpu_children', 'memory_events', 'cpu_total')
AS_THEY_ARE = ('images', 'sources')


def ordered(items):
    return sorted(items, key=repr)


def check_same(result, merged, parts):
    for name in LISTS:
        result.equal(name, ordered(getattr(merged, name)()), ordered(one for part in parts for one in getattr(part, name)()))
    for name in SUMS:
        result.equal(name, merged.trace[name], sum(part.trace[name] for part in parts))
    for name in AS_THEY_ARE:
        result.equal(name, merged.trace[name], [one for part in parts for one in part.trace[name]])
    for name in ('code', 'code_symbols', 'processes', 'cpu_use'):
        result.equal('length of ' + name, len(merged.trace[name]), sum(len(part.trace[name]) for part in parts))
    result.equal('symbols before', tuple(merged.trace['symbols_before']),
                 tuple(sum(part.trace['symbols_before'][i] for part in parts) for i in range(2)))
    messages = [one for part in parts for one in part.messages().values()]
    result.equal('messages', ordered(merged.messages().values()), ordered(messages))
    times = [at for _, at, _ in merged.trace['messages']]
    if all(ordered_times(part.trace['messages'], 1) for part in parts):
        result.true('messages are not in order', times == sorted(times))
    main = next((part for part in parts if any(not one['name'] for one in part.trace['frame_sets'])), None)
    result.equal('frames', ordered(merged.sets(True)), ordered(one for part in parts for one in part.sets(part is main)))
    for i, cpu in enumerate(merged.cores()):
        result.equal('CPU %d' % i, sorted(cpu, key=repr), sorted((run for part in parts for run in part.cores()[i]), key=repr))
    result.equal('crash', merged.crash(), next((crash for part in parts if (crash := part.crash())), None))
    for name in ('zone_counts', 'gpu_zone_counts'):
        wanted = collections.Counter()
        for part in parts:
            wanted.update(part.zone_counts(name))
        result.equal(name, merged.zone_counts(name), dict(wanted))
    check_ids(result, merged.trace, parts)


def ordered_times(items, at):
    times = [item[at] for item in items]
    return times == sorted(times)


def check_ids(result, trace, parts):
    """What distinguishes things is there once."""
    for what, ids in (('locks', [one['head'][0] for one in trace['locks']]),
                      ('threads', [one['tid'] for one in trace['threads']]),
                      ('switches', [one[0] for one in trace['switches']]),
                      ('local threads', trace['local']), ('pools', [one['name'] for one in trace['pools']]),
                      ('keys of messages', [one[0] for one in trace['messages']]),
                      ('keys of strings', [one[0] for one in trace['strings']]),
                      ('pointers', [one[0] for one in trace['pointers']])):
        result.equal('%s are there once' % what, len(ids), len(set(ids)))
    keys = [key for one in trace['threads'] for key in one['messages']]
    result.true('messages that no thread has', set(keys) <= {one[0] for one in trace['messages']})
    result.equal('names of threads', len(trace['thread_names']), sum(len(part.trace['thread_names']) for part in parts))
    result.equal('the last time', trace['last_time'], max(part.trace['last_time'] + part.shift for part in parts))


def shifts(traces, keeps):
    times = [trace['dates'][0] for trace in traces]
    near = min(times) > 0 and max(times) - min(times) <= DAY and not keeps
    return [(time - min(times)) * SECOND if near else 0 for time in times]


def check_merge(result, tools, paths, work, keeps):
    out = work / 'merged'
    options = ('--align', 'none') if keeps else ()
    tools.must('trace-edit', *paths, '-o', out, '--force', '-q', *options, allowed=(DONE, PARTIAL))
    traces = [tracy_file.read(path.read_bytes())[1] for path in paths]
    parts = [Meaning(path, shift) for path, shift in zip(paths, shifts(traces, keeps))]
    merged = Meaning(out)
    result.equal('version', merged.version, max(part.version for part in parts))
    check_same(result, merged, parts)
    opened = tools.run('trace-info', out, '--full')
    result.equal('status of the result', opened.status, DONE)
    check_sound(result, tools, paths, out)
    check_statistics(result, tools, paths, out)


def check_sound(result, tools, paths, out):
    """What a merge writes contradicts itself nowhere, unless a capture did."""
    flaws = [[row['text'] for row in tools.table(path, 'health', ('text',), allowed=(DONE, PARTIAL))] for path in (out, *paths)]
    result.true('flaws of the result: %s' % flaws[0], not flaws[0] or any(flaws[1:]))


def check_default_pool(result, tools, paths, work):
    """The default pool has no name of its own; it may stand behind others."""
    box, trace = tracy_file.read(paths[0].read_bytes())
    trace['pools'] = sorted(trace['pools'], key=lambda pool: pool['name'] == 0)
    result.true('a pool without a name comes last', trace['pools'][0]['name'] and not trace['pools'][-1]['name'])
    moved = work / 'moved.tracy'
    moved.write_bytes(tracy_file.pack(box, tracy_file.payload(trace)))
    for pair in ((moved, moved), (moved, paths[0]), (paths[0], moved)):
        out = work / 'pools'
        tools.must('trace-edit', *pair, '-o', out, '--force', '-q')
        check_sound(result, tools, pair, out)
        pools = tracy_file.read(out.read_bytes())[1]['pools']
        result.equal('default pools of ' + pair[0].name, sum(pool['name'] == 0 for pool in pools), 1)
        result.equal('pools', len(pools), 2 * len(trace['pools']))


def timers(tools, path):
    figures, sums = ('count', 'total', 'excl'), collections.defaultdict(lambda: [0, 0, 0])
    for row in tools.table(path, 'timers', ('timer', 'file', 'line', *figures), allowed=(DONE, PARTIAL)):
        key = row['timer'], row['file'], row['line']
        sums[key] = [a + int(row[name] or 0) for a, name in zip(sums[key], figures)]
    return sums


def check_statistics(result, tools, paths, out):
    """The sums of timers are those of the captures together."""
    wanted = collections.defaultdict(lambda: [0, 0, 0])
    for path in paths:
        for key, figures in timers(tools, path).items():
            wanted[key] = [a + b for a, b in zip(wanted[key], figures)]
    result.equal('timers', dict(timers(tools, out)), dict(wanted))


def check_damaged(result, tools, paths, work):
    """What breaks off is mended first, and that is said."""
    data = paths[0].read_bytes()
    (work / 'cut.tracy').write_bytes(data[:len(data) * 4 // 5])
    tools.must('trace-edit', work / 'cut.tracy', '-o', work / 'mended', '--force', '-q', '--repair', allowed=(DONE, PARTIAL))
    done = tools.must('trace-edit', work / 'cut.tracy', paths[1], '-o', work / 'merged', '--force', allowed=(DONE, PARTIAL))
    result.true('nothing is said: %r' % done.err, b'cut off' in done.err)
    traces = [tracy_file.read(path.read_bytes())[1] for path in (work / 'mended', paths[1])]
    parts = [Meaning(path, shift) for path, shift in zip((work / 'mended', paths[1]), shifts(traces, False))]
    check_same(result, Meaning(work / 'merged'), parts)
    result.equal('status of the result', tools.run('trace-info', work / 'merged').status, DONE)


def check_record(result, tools, paths, work):
    tools.must('trace-edit', *paths, '-o', work / 'merged', '--force', '-q', allowed=(DONE, PARTIAL))
    text = bytes(tracy_file.read((work / 'merged').read_bytes())[1]['strings'][-1][1])
    record = json.loads(text[text.index(b'{'):])
    result.equal('record', (record['options'], record['merged']), (['merge'], len(paths)))
    tools.must('trace-edit', work / 'merged', paths[0], '-o', work / 'again', '--force', '-q', '--compress', 'lz4', '--streams',
               '2', allowed=(DONE, PARTIAL))
    box, again = tracy_file.read((work / 'again').read_bytes())
    result.equal('container', (box.codec, box.streams), (0, 2))
    marks = [text for _, text in again['strings'] if bytes(text).startswith(MARK)]
    result.equal('records of a merge of a merge', len(marks), 1)


def check_usage(result, tools, paths, work, old):
    for arguments, word in (((*paths, '--drop', 'memory'), b'unchanged'), ((*paths, '--from', '1ms'), b'unchanged'),
                            ((*paths, '--align', 'now'), b'clock or none'), ((paths[0], '--align', 'none'), b'several'),
                            ((paths[0], old), b'0.9'), ((paths[0], HERE.parent.parent / 'fixtures' / 'tiny.utrace'), b'format')):
        done = tools.run('trace-edit', *arguments, '-o', work / 'refused')
        result.equal('status of %s' % (arguments[1:],), done.status, USAGE)
        result.true('%s: %r' % (arguments, done.err), word in done.err)
        if word in (b'0.9', b'format'):
            result.true('the wrong capture is named: %r' % done.err,
                        pathlib.Path(arguments[1]).name.encode() in done.err and paths[0].name.encode() not in done.err.splitlines()[0])
    done = tools.run('trace-edit', paths[0], paths[1], '-o', work / 'refused', '--limit', 'strings=2000')
    result.equal('status of a limit', done.status, FAILED)
    result.true('%r' % done.err, paths[0].name.encode() + b"' cannot be merged" in done.err and b"'strings'" in done.err)
    result.true('a refused merge left a file', not (work / 'refused').exists())
    done = tools.run('trace-edit', paths[0], paths[1], '-o', paths[0], '--force')
    result.true('an input was written over: %d' % done.status, done.status in (USAGE, FAILED))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--corpus', type=pathlib.Path)
    parser.add_argument('--most', type=int, default=130_000)
    parser.add_argument('--rounds', type=int, default=20)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    result, tools, rng = report.Report(), commands.Commands(options.bin), random.Random(7)
    places = [options.fixtures / 'tracy'] + ([options.corpus / 'tracy'] if options.corpus else [])
    files = [path for place in places for path in sorted(place.glob('*.tracy')) if path.stat().st_size <= options.most]
    old = [path for path in files if tuple(tracy_file.unpack(path.read_bytes())[1][5:8]) < (0, 9, 0)]
    files = [path for path in files if path not in old]
    named = {path.name: path for path in files}
    always = [('ctx-0.14.0.tracy', 'crash-0.9.1.tracy'), ('ctx-0.14.0.tracy', 'ctx-0.14.0.tracy')]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for i in range(options.rounds):
            count = rng.choice((2, 2, 2, 3, 5))
            paths = [named[name] for name in always[i]] if i < len(always) else [rng.choice(files) for _ in range(count)]
            result.run('merge ' + ' '.join(path.name for path in paths), check_merge, tools, paths, work, i % 3 == 2)
        pair = [named['ctx-0.14.0.tracy'], named['crash-0.12.2.tracy']]
        result.run('damaged', check_damaged, tools, pair, work)
        result.run('record', check_record, tools, pair, work)
        result.run('default pool', check_default_pool, tools, pair, work)
        result.run('usage', check_usage, tools, pair, work, old[0])
    return result.close()


if __name__ == '__main__':
    sys.exit(main())
