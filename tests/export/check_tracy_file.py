#!/usr/bin/env python3
"""trace-export -f tracy: a .tracy that comes back as one has the version that it had, and by Tracy's own csvexport the same zones;
its callstacks, memory, samples and times on cores are the same, and those of an Unreal capture are what its truth says.

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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'harness'))
import report  # noqa: E402

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
            told = tools.run('trace-export', out, '-q', '--preset', preset, '--raw-quoting', *words, '-o', '-')
            result.equal('csvexport %s' % ' '.join(words), sorted(told.splitlines()), sorted(truth.read_bytes().splitlines()))
    result.equal('threads', *(collections.Counter(row['thread'] for row in tools.rows(path, 'threads')) for path in (out, capture)))
    result.equal('threads of the system', *(sorted((row['system_id'], row['thread'], row['count']) for row in tools.rows(path, 'switches'))
                                            for path in (out, capture)))
    before, after = Events(tools, capture), Events(tools, out)
    for kind in before.seen:
        result.equal('%d %s' % (sum(before.seen[kind].values()), kind), list((before.seen[kind] - after.seen[kind]).items())[:1], [])
    name = next(row['thread'] for row in tools.rows(capture, 'threads') if row['thread'])
    tools.export(capture, out, '--thread', name)
    told = {row['thread'] for table in ('switches', 'threads') for row in tools.rows(out, table)}
    result.equal('threads with --thread', told, {name})


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
    told = {row['module'] for row in tools.rows(out, 'callstacks') if row['module']}
    result.true('modules %s' % sorted(told), told and told <= modules)


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
        run.run('game', check_unreal, tools, options.fixtures, work)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
