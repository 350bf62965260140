#!/usr/bin/env python3
"""trace-export -f tracy: a .tracy that comes back as one has the version that it had, and by Tracy's own csvexport the same zones;
its callstacks, memory, samples, locks, fibers, colours, times of the GPU and times on cores are the same, and those of an Unreal capture are what its truth says.

usage: check_tracy_file.py --bin DIRECTORY FIXTURES CAPTURE...
"""

import argparse
import collections
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness'), str(HERE.parent / 'decoders')]
import report  # noqa: E402
import tracy_file  # noqa: E402

FIBER = 99              # reason of a change of fibers, which no core knows of


class Tools:
    def __init__(self, bin):
        self.bin = bin

    def run(self, *words):
        return subprocess.run([self.bin / words[0], *words[1:]], capture_output=True).stdout

    def export(self, capture, out, *words):
        self.run('trace-export', capture, '-q', '-f', 'tracy', '--force', *words, '-o', out)

    def rows(self, capture, table, *words):
        out = self.run('trace-stats', capture, '-q', '-f', 'csv', '--table', table, *words).decode()
        return list(csv.DictReader(io.StringIO(out)))

    def session(self, capture, key):
        return json.loads(self.run('trace-stats', capture, '-q', '-f', 'json', '--table', 'session'))['session'].get(key)

    def events(self, capture):
        for line in self.run('trace-events', capture, '-q', '-f', 'ndjson').splitlines():
            event = json.loads(line)
            yield event['event'].removeprefix('Tracy.'), event


class Events:
    """What the events of a .tracy say, with callstacks as functions, files and lines."""

    def __init__(self, tools, capture):
        self.seen = collections.defaultdict(collections.Counter)
        self.stacks, self.frames, waiting = {}, collections.defaultdict(list), []
        for kind, event in tools.events(capture):
            fields = event['fields']
            if kind == 'Callstack':
                self.stacks[fields['Callstack']] = fields['Frames']
            elif kind == 'CallstackFrame':
                self.frames[int(fields['Frame'], 16)].append([fields[k] for k in ('Function', 'File', 'Line', 'Image')])
            elif kind in ('ZoneBegin', 'MemoryEvent', 'Sample', 'ContextSwitch'):
                waiting.append((kind, event, fields))
        for kind, event, fields in waiting:
            if kind != 'ContextSwitch' or fields['Reason'] != FIBER and fields['End'] is not None:
                self.seen[kind][getattr(self, kind)(event, fields)] += 1

    def stack(self, number):
        return repr([self.frames.get(frame, frame) for frame in self.stacks.get(number, [])])

    def ZoneBegin(self, event, fields):
        return event['thread'], event['time'], fields['Text'], self.stack(fields['Callstack'])

    def MemoryEvent(self, event, fields):
        return (event['thread'], event['time'], *(fields[k] for k in ('Name', 'Address', 'Size', 'Freed', 'FreeThread')),
                self.stack(fields['AllocCallstack']), self.stack(fields['FreeCallstack']))

    def Sample(self, event, fields):
        return event['thread'], event['time'], self.stack(fields['Callstack'])

    def ContextSwitch(self, event, fields):
        return event['thread'], event['time'], fields['End'], fields['Cpu']


class Stored:
    """What a file holds of locks, fibers, colours and the GPU, by a decoder that shares nothing with the writer."""

    def __init__(self, path):
        self.trace = t = tracy_file.read(path.read_bytes())[1]
        self.texts = [bytes(text) for _, text in t['strings']]
        keys = {key: bytes(text) for key, text in t['strings']}
        self.pointers = {pointer: keys.get(key) for pointer, key in t['pointers']}
        self.names = {tid: keys.get(key) for tid, key in t['thread_names']}

    def ref(self, value, flags):
        return None if not flags & 2 else self.texts[value] if flags & 1 else self.pointers.get(value)

    def location(self, number):
        statics = {entry[0]: entry[1:] for entry in self.trace['statics']}
        entry = self.trace['dynamics'][-1 - number] if number < 0 else statics.get(self.trace['expand'][number])
        return entry and (self.ref(*entry[0:2]), self.ref(*entry[2:4]), entry[6], entry[7])

    def colours(self):
        """Zones of each place by its name, else its function."""
        seen, left = collections.Counter(), [zone for one in self.trace['threads'] for zone in one['zones']]
        while left:
            zone = left.pop()
            seen[zone[0]] += 1
            left += zone[3]
        out = collections.Counter()
        for number, count in seen.items():
            place = self.location(number)
            out[place and (place[0] or place[1], *place[2:])] += count
        return out

    def gpu_times(self):
        """When zones of the GPU were requested, where the GPU gave a time of their begin."""
        out, left = [], [zone for one in self.trace['gpus'] for _, roots in one['timelines'] for zone in roots]
        while left:
            cpu, gpu, _, children, cpu_end, gpu_end, _ = left.pop()
            left += children
            if gpu >= 0 and gpu_end >= 0:
                out.append((cpu, gpu, cpu_end, gpu_end))
        return sorted(out)

    def fibers(self):
        return sorted(self.names[one['tid']] for one in self.trace['threads'] if one['fiber'])

    def messages(self):
        """With source and severity, which files from 0.13.2 on have."""
        return sorted((at, self.ref(int.from_bytes(rest[:8], 'little'), rest[8]), bytes(rest[16:18])) for _, at, rest in self.trace['messages'])

    def locks(self):
        """Without requests: where a lock was only tried there is one now. And without locks that are given back by who does
        not have them, as Tracy counts who does."""
        out = []
        for one in self.trace['locks']:
            name = int.from_bytes(one['head'][1], 'little')
            place = self.location(one['head'][2]) if one['head'][2] else None
            steps, holds = [], collections.Counter()
            for at, _, who, what in one['events']:
                if what % 3 and (what % 3 == 1 or holds[who]):
                    steps.append((at, self.names[one['threads'][who]], what))
                    holds[who] += 1 if what % 3 == 1 else -1
            if one['events']:
                out.append((self.texts[name - 1] if name else place and place[1], sorted(steps)))
        return sorted(out, key=repr)


def check_stored(result, capture, out):
    before, after = Stored(capture), Stored(out)
    result.equal('colours', after.colours(), before.colours())
    result.equal('GPU zones', after.gpu_times(), before.gpu_times())
    result.equal('fibers', after.fibers(), before.fibers())
    result.equal('locks', after.locks(), before.locks())
    result.equal('messages', after.messages(), before.messages())
    kinds = [what for one in after.trace['locks'] for _, _, _, what in one['events']]
    result.true('a lock is obtained by who does not wait', kinds.count(1) <= kinds.count(0) and kinds.count(4) <= kinds.count(3))


def check_tracy(result, tools, fixtures, capture, work):
    out = work / 'again.tracy'
    tools.export(capture, out)
    version = tools.session(capture, 'TracyVersion')
    numbers = tuple(int(part) for part in version.split('.'))
    old, preset = numbers < (0, 9, 0), 'tracy-0.9' if numbers < (0, 10, 0) else 'tracy'     # as the csvexport of that time
    result.equal('version', tools.session(out, 'TracyVersion'), '0.10.0' if old else version)
    result.equal('time between samples', *(tools.session(path, 'SamplingPeriod') for path in (out, capture)))
    for words, name in (((), '.csvexport.csv'), (('--self',), '.csvexport-self.csv')):
        truth = capture.with_name(capture.stem + name)
        if truth.is_file():
            reported = tools.run('trace-export', out, '-q', '--preset', preset, '--raw-quoting', *words, '-o', '-')
            result.equal('csvexport %s' % ' '.join(words), sorted(reported.splitlines()), sorted(truth.read_bytes().splitlines()))
    result.equal('threads', *(collections.Counter(row['thread'] for row in tools.rows(path, 'threads')) for path in (out, capture)))
    result.equal('threads of the system', *(sorted((row['system_id'], row['thread'], row['count']) for row in tools.rows(path, 'switches'))
                                            for path in (out, capture)))
    result.equal('locks', *(sorted(map(repr, tools.rows(path, 'locks'))) for path in (out, capture)))
    if not old:
        check_stored(result, capture, out)
    before, after = Events(tools, capture), Events(tools, out)
    for kind in before.seen:
        result.equal('%d %s' % (sum(before.seen[kind].values()), kind), list((before.seen[kind] - after.seen[kind]).items())[:1], [])
    name = next(row['thread'] for row in tools.rows(capture, 'threads') if row['thread'])
    tools.export(capture, out, '--thread', name)
    reported = {row['thread'] for table in ('switches', 'threads') for row in tools.rows(out, table)}
    result.equal('threads with --thread', reported, {name})


def check_unreal(result, tools, fixtures, work):
    """What the producer of the capture wrote down, of the .tracy that was made of it."""
    truth, out = json.loads((fixtures / 'game.truth.json').read_text()), work / 'game.tracy'
    tools.export(fixtures / 'game.utrace.zst', out)
    pools = {row['name']: row for row in tools.rows(out, 'memory') if row['by'] == 'heap'}
    for name, heap in (('System memory', 'system'), ('Video memory', 'video')):
        wanted = truth['memory'][heap]
        result.equal(name, [int(pools[name][k]) for k in ('alive_bytes', 'alive_count')],
                     [wanted['live_bytes'], wanted['live_count']])
    scopes = {row['thread']: int(row['scopes']) for row in tools.rows(out, 'threads')}
    own = {s['system_id'] for s in truth['context_switches']}
    switches = {int(row['system_id']): int(row['count']) for row in tools.rows(out, 'switches') if int(row['system_id']) in own}
    result.equal('switches', switches, {s['system_id']: s['count'] for s in truth['context_switches']})
    result.equal('zones', {name: n for name, n in scopes.items() if n}, {t['name']: t['scopes'] for t in truth['threads'] if t['scopes']})
    stacks = {row['callstack_id'] for row in tools.rows(out, 'callstacks')}
    result.equal('callstacks', len(stacks), truth['memory']['callstacks'])
    modules = {module['name'] for module in truth['modules']}
    reported = {row['module'] for row in tools.rows(out, 'callstacks') if row['module']}
    result.true('modules %s' % sorted(reported), reported and reported <= modules)


def crowded(capture, more):
    """A capture in which 64 threads and `more` others obtain and release a lock: one of a file has 64, so it is there twice."""
    box, trace = tracy_file.read(capture.read_bytes())
    first, pattern = 10**6, trace['threads'][0]
    tids = [first + i for i in range(64 + more)]
    trace['threads'] = list(trace['threads']) + [pattern | {'tid': tid, 'count': 0, 'zones': [], 'messages': [], 'switch_samples': [],
                                                            'samples': []} for tid in tids]
    trace['local'] = [*trace['local'], *tids]
    at = trace['last_time'] // 2
    head = (9999, b'\0\0\0', trace['locks'][0]['head'][2] if trace['locks'] else 0, 0, 1, at, 0)
    lock = lambda owners: {'head': head, 'threads': owners, 'events': [  # noqa: E731
        (at + 10 * i + step, 0, i, what) for i in range(len(owners)) for step, what in ((1, 0), (2, 1), (3, 2))]}
    trace['locks'] = [*trace['locks'], lock(tids[:64]), lock(tids[64:])]
    return tracy_file.pack(box, tracy_file.payload(trace))


def check_crowded(result, tools, fixtures, work):
    """What a file has no space for is said, and the status says it."""
    for more in (0, 6):
        (work / 'crowded.tracy').write_bytes(crowded(fixtures / 'tracy' / 'ctx-0.14.0.tracy', more))
        done = subprocess.run([tools.bin / 'trace-export', work / 'crowded.tracy', '-f', 'tracy', '--force', '-o', work / 'out.tracy'],
                              capture_output=True)
        result.equal('status with %d more' % more, done.returncode, 4 if more else 0)
        result.true('%r' % done.stderr, (b'%d steps of locks' % (3 * more) in done.stderr) == (more > 0))
        result.equal('threads of locks', max(len(one['threads']) for one in Stored(work / 'out.tracy').trace['locks']), 64)


def check_bare(result, tools, fixtures, work):
    """Messages that a file has without their severities and sources are reported in one line, and are no rows left out."""
    truth = json.loads((fixtures / 'tiny.truth.json').read_text())
    for capture, count in ((fixtures / 'tiny.utrace', truth['log_count'] + len(truth['bookmarks'])),
                           (fixtures / 'tracy' / 'ctx-0.14.0.tracy', 0)):
        done = subprocess.run([tools.bin / 'trace-export', capture, '-f', 'tracy', '--force', '-o', work / 'out.tracy'], capture_output=True)
        reported = [line for line in done.stderr.decode().splitlines() if 'severities' in line]
        wanted = ["trace-export: 'tracy' cannot hold severities and sources of messages: %d were left out" % count] if count else []
        result.equal('status and what is told of ' + capture.name, (done.returncode, reported), (0, wanted))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('fixtures', type=pathlib.Path)
    parser.add_argument('captures', nargs='*', type=pathlib.Path)
    options = parser.parse_args()
    run, tools = report.Report(), Tools(options.bin)
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        for capture in options.captures:
            run.run(capture.name, check_tracy, tools, options.fixtures, capture, work)
            (work / 'again.tracy').unlink(missing_ok=True)
        run.run('locks of many threads', check_crowded, tools, options.fixtures, work)
        run.run('messages', check_bare, tools, options.fixtures, work)
        run.run('game', check_unreal, tools, options.fixtures, work)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
