#!/usr/bin/env python3
"""Checks what the commands say of the events of Unreal Engine 5.8 against the description of captures that made-current
writes, and against the decoder in tests/decoders.

usage: check_current.py --bin DIRECTORY --maker PROGRAM [--seeds N]
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness'), str(HERE.parent / 'decoders')]
import commands        # noqa: E402
import report          # noqa: E402
import utrace_current  # noqa: E402

START = 1000
OBJECTS = ('snapshot', 'time', 'class', 'objects', 'bytes', 'more_objects', 'more_bytes', 'instance_bytes', 'system_bytes',
           'video_bytes', 'total_bytes', 'references', 'complete')
FIGURES = ('objects', 'instances', 'system', 'video', 'references')


def json_table(tools, path, table, columns, *options):
    done = tools.must('trace-stats', path, '--table', table, '--unit', 'cycles', '--format', 'json', '--columns', ','.join(columns),
                      *options, allowed=(0, 4))
    return json.loads(done.out)[table]


# ---- callstacks ----

def check_stacks(result, tools, path, wanted, decoded):
    found = collections.defaultdict(list)
    for row in json_table(tools, path, 'callstacks', ('callstack_id', 'frame', 'address')):
        found[row['callstack_id']].append(int(str(row['address']), 0))
    whole = {int(key): frames for key, frames in wanted['stacks'].items()}
    result.equal('callstacks', dict(found), {key: frames for key, frames in whole.items() if frames})
    result.equal('callstacks, by the decoder', utrace_current.stacks(decoded), whole)


def check_allocations(result, tools, path, wanted):
    rows = json_table(tools, path, 'allocations', ('callstack_id', 'bytes', 'frame'))
    result.equal('allocations', [[row['callstack_id'], row['bytes']] for row in rows], wanted['allocations'])
    unknown = [stack for stack, _ in wanted['allocations'] if stack and str(stack) not in wanted['stacks']]
    result.equal('allocations without a callstack', [row['callstack_id'] for row in rows if row['frame'] == '(not in the capture)'],
                 unknown)
    health = json_table(tools, path, 'health', ('kind', 'count', 'text'))
    result.equal('health', [row['count'] for row in health if row['kind'] == 'definition_missing'
                            and 'allocation' in row['text']], [len(unknown)] if unknown else [])
    cut = sum(len(frames) == 255 for frames in wanted['stacks'].values())
    result.equal('frames left out', sum(row['count'] for row in health if row['kind'] == 'payload_damaged'), cut)


# ---- Verse ----

def joined(samples):
    """Calls as far as samples show them: what is common from the root on stays open."""
    calls, stack = [], []
    for sample in samples:
        frames = sample['stack'][::-1]
        same = 0
        while same < min(len(stack), len(frames)) and stack[same][0] == frames[same]:
            same += 1
        for call in stack[same:]:
            call[3] = sample['time']
        del stack[same:]
        for name in frames[same:]:
            stack.append([name, len(stack), sample['time'], sample['time'], 0])
            calls.append(stack[-1])
        for call in stack:
            call[3] = sample['time']
            call[4] += 1
    return calls


def check_verse(result, tools, path, wanted):
    rows = json_table(tools, path, 'verse', ('function', 'depth', 'start', 'end', 'samples', 'native_samples'))
    key = ('function', 'depth', 'start', 'end', 'samples')
    shift = rows[0]['start'] - wanted['verse'][0]['time'] if rows else 0
    result.equal('clock of Verse', shift, START)
    result.equal('verse', [[row[name] for name in key] for row in rows],
                 [[name, depth, begin + shift, end + shift, samples] for name, depth, begin, end, samples in joined(wanted['verse'])])
    result.equal('samples in native code', sum(row['native_samples'] for row in rows),
                 sum(sample['native'] for sample in wanted['verse']))


# ---- objects ----

def classes_of(snapshot):
    """What a description comes to: class -> figures."""
    found = collections.defaultdict(collections.Counter)
    objects = {one['id']: one for one in snapshot['objects']}
    referred = collections.Counter(one['refers'] for one in snapshot['objects'])
    for one in snapshot['objects']:
        kind = objects[one['class']]
        found[kind['name']].update(objects=1, instances=kind['structure'], system=one['system'], video=one['video'],
                                   references=referred[one['id']], total=2 * one['system'] + one['video'])
    return found


def size(figures):
    return figures['instances'] + figures['system'] + figures['video']


def object_rows(snapshots, shift):
    rows, before = set(), {}
    for number, snapshot in enumerate(snapshots, 1):
        classes = classes_of(snapshot)
        for name in {*classes, *before}:
            now, then = classes.get(name, collections.Counter()), before.get(name, collections.Counter())
            rows.add((number, snapshot['time'] + shift, name, now['objects'], size(now),
                      now['objects'] - then['objects'] if number > 1 else None,
                      size(now) - size(then) if number > 1 else None, now['instances'], now['system'], now['video'],
                      now['total'] if snapshot['totals'] else None, now['references'], snapshot['ends']))
        before = classes
    return rows


def check_objects(result, tools, path, wanted, decoded):
    rows = json_table(tools, path, 'objects', OBJECTS)
    shift = rows[0]['time'] - wanted['snapshots'][0]['time'] if rows else 0
    result.equal('clock of objects', shift, START)
    result.equal('objects', {tuple(row[name] for name in OBJECTS) for row in rows}, object_rows(wanted['snapshots'], shift))
    result.equal('largest first', [row['bytes'] for row in rows if row['snapshot'] == 1],
                 sorted((row['bytes'] for row in rows if row['snapshot'] == 1), reverse=True))
    for described, found in zip(wanted['snapshots'], utrace_current.snapshots(decoded)):
        result.equal('objects, by the decoder', {name: {key: figures[key] for key in FIGURES}
                                                 for name, figures in found['classes'].items()},
                     {name: {key: figures[key] for key in FIGURES} for name, figures in classes_of(described).items()})


# ---- points in space, settings ----

def check_rest(result, tools, path, wanted):
    columns = ('time', 'name', 'x', 'y', 'z', 'vx', 'vy', 'vz', 'dx', 'dy', 'dz')
    rows = json_table(tools, path, 'spatial', columns)
    shift = rows[0]['time'] - wanted['spatial'][0]['time'] if rows else 0
    none = [None] * 3
    result.equal('spatial', [[row[name] for name in columns] for row in rows],
                 [[one['time'] + shift, one['name'], *one['pos'], *one.get('vel', none), *one.get('dir', none)]
                  for one in wanted['spatial']])
    session = json_table(tools, path, 'session', ('session',))
    result.equal('interval of samples', session['SamplingInterval'], wanted['interval'])
    generic = json_table(tools, path, 'generic_events', ('event',))
    result.equal('events of no family', [row['event'] for row in generic], [])


def check(result, options, seed, folder):
    path = folder / ('%d.utrace' % seed)
    made = subprocess.run([options.maker, str(seed), path], check=True, stdout=subprocess.PIPE)
    wanted, tools = json.loads(made.stdout), commands.Commands(options.bin)
    decoded = utrace_current.read(path.read_bytes())
    check_stacks(result, tools, path, wanted, decoded[2])
    check_allocations(result, tools, path, wanted)
    check_verse(result, tools, path, wanted)
    check_objects(result, tools, path, wanted, decoded[2])
    check_rest(result, tools, path, wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--maker', required=True)
    parser.add_argument('--seeds', type=int, default=1)
    options = parser.parse_args()
    result = report.Report()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, options.seeds + 1):
            result.run('seed %d' % seed, check, options, seed, pathlib.Path(folder))
    return result.close()


if __name__ == '__main__':
    sys.exit(main())
