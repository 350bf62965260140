#!/usr/bin/env python3
"""Threads and processes keep the ids of the file in tables, filters and exports, whatever stands first in it.

usage: check_thread_ids.py --bin DIRECTORY
"""

import argparse
import json
import pathlib
import random
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness'), str(HERE.parent / 'decoders')]
import commands         # noqa: E402
import import_parts     # noqa: E402
import report           # noqa: E402

# (pid, tid): name, us of its scope. Ids that two processes have, 0, the pid of another process, more than 32 bits.
THREADS = {(7, 9): (None, 100), (7, 10): ('render', 200), (8, 9): (None, 300), (8, 0): (None, 400), (8, 8): ('main', 500),
           (1, 1): (None, 600), (0, 20): (None, 700), (3, 2): ('two', 800), (2, (5 << 32) + 3): (None, 900)}
PROCESSES = {7: 'game', 1: 'Threads'}
NOT_OF_A_SYSTEM = 10 ** 9


def events(seed):
    made = [{'ph': 'X', 'name': 'work', 'pid': pid, 'tid': tid, 'ts': 1000 + 10 * i, 'dur': us}
            for i, ((pid, tid), (_, us)) in enumerate(THREADS.items())]
    made += [{'ph': 'M', 'name': 'thread_name', 'pid': pid, 'tid': tid, 'args': {'name': name}}
             for (pid, tid), (name, _) in THREADS.items() if name]
    made += [{'ph': 'M', 'name': 'process_name', 'pid': pid, 'args': {'name': name}} for pid, name in PROCESSES.items()]
    made += [{'ph': 'C', 'name': 'count', 'pid': 7, 'ts': 1500, 'args': {'v': 3}}]
    random.Random(seed).shuffle(made)
    return made


def called(tid, name):
    return name or 'Thread %d' % tid


def check_tables(result, tools, capture):
    rows = {(row['group'], row['system_id']): row
            for row in tools.json(capture, '-t', 'threads', '-c', 'thread_id,thread,group,system_id,named')}
    result.equal('threads', set(rows), {(PROCESSES.get(pid, 'Process %d' % pid), tid) for pid, tid in THREADS})
    numbers = {}
    for (pid, tid), (name, _) in THREADS.items():
        row = rows[PROCESSES.get(pid, 'Process %d' % pid), tid]
        result.equal('name of %d in %d' % (tid, pid), row['thread'], called(tid, name))
        result.equal('%d in %d is named' % (tid, pid), row['named'], name is not None)
        numbers[pid, tid] = row['thread_id']
    result.equal('each has a number of its own', len(set(numbers.values())), len(THREADS))
    for (pid, tid), number in numbers.items():
        first = pid == min(p for p, t in THREADS if t == tid)
        result.true('number %d of %d in %d' % (number, tid, pid),
                    number == tid if first and tid < NOT_OF_A_SYSTEM else number >= NOT_OF_A_SYSTEM)
    return numbers


def check_filter(result, tools, capture):
    found = tools.json(capture, '-t', 'scopes', '--thread', '20', '-c', 'thread,dur')
    result.equal('--thread 20', [(row['thread'], row['dur']) for row in found], [('Thread 20', 700000)])


def check_pairs(result, what, pairs):
    """pairs: (pid, tid) of a file -> nanoseconds; as viewers take them."""
    result.equal(what + ': pids and times', sorted((pid, ns) for (pid, _), ns in pairs.items()),
                 sorted((pid, 1000 * us) for (pid, _), (_, us) in THREADS.items()))
    result.equal(what + ': threads', len({(pid, tid % (1 << 32)) for pid, tid in pairs}), len(THREADS))
    result.true(what + ': thread 0', all(tid % (1 << 32) for _, tid in pairs))
    for (pid, tid), (_, us) in THREADS.items():
        if tid:
            result.equal('%s: %d in %d' % (what, tid, pid), pairs.get((pid, tid)), 1000 * us)


def ns_of(us):
    whole, _, part = us.partition('.')
    return int(whole) * 1000 + int((part + '000')[:3])


def check_chrome(result, path):
    file = json.loads(path.read_text(), parse_float=str)
    begun, pairs = {}, {}
    for e in file['traceEvents']:
        if e['ph'] == 'B':
            begun[e['pid'], e['tid']] = ns_of(e['ts'])
        elif e['ph'] == 'E':
            pairs[e['pid'], e['tid']] = ns_of(e['ts']) - begun.pop((e['pid'], e['tid']))
    check_pairs(result, 'chrome', pairs)
    names = {e['pid']: e['args']['name'] for e in file['traceEvents'] if e['ph'] == 'M' and e['name'] == 'process_name'}
    for pid, name in PROCESSES.items():
        result.equal('chrome: process %d' % pid, names.get(pid), name)


def message(data):
    return {number: value for number, _, value, _ in import_parts.fields(data)}


def check_perfetto(result, path):
    owner, begun, pairs, names = {}, {}, {}, {}
    for _, _, packet, _ in import_parts.fields(path.read_bytes()):
        at = message(packet)
        if 60 in at:
            track = message(at[60])
            if 4 in track:
                thread = message(track[4])
                owner[track[1]] = (thread.get(1, 0), thread.get(2, 0))
            if 3 in track:
                process = message(track[3])
                names[process.get(1, 0)] = process.get(6)
        if 11 in at:
            event = message(at[11])
            who = owner.get(event[11])
            if event[9] == 1:
                begun[who] = at[8]
            elif event[9] == 2:
                pairs[who] = at[8] - begun.pop(who)
    check_pairs(result, 'perfetto', pairs)
    for pid, name in PROCESSES.items():
        result.equal('perfetto: process %d' % pid, names.get(pid), name.encode())


def check_again(result, tools, numbers, path):
    """What was exported is read with the same ids; one that a file may not have is another."""
    again = {(row['group'], row['system_id']): row['thread_id'] for row in tools.json(path, '-t', 'threads', '-c', 'thread_id,group,system_id')}
    for (pid, tid), number in numbers.items():
        if tid and number < NOT_OF_A_SYSTEM:
            result.equal('%s again: %d in %d' % (path.suffix, tid, pid), again.get((PROCESSES.get(pid, 'Process %d' % pid), tid)), number)


class Tools(commands.Commands):
    def json(self, capture, *words):
        done = self.run('trace-stats', capture, *words, '-f', 'json')
        if done.status:
            raise commands.CommandError(done.describe())
        return json.loads(done.out)[words[1]]


def check(result, tools, work, seed):
    capture = work / 'made.json'
    capture.write_text(json.dumps({'traceEvents': events(seed)}))
    numbers = check_tables(result, tools, capture)
    check_filter(result, tools, capture)
    for form, ending, look in (('chrome', 'out.json', check_chrome), ('perfetto', 'out.pftrace', check_perfetto)):
        path = work / ending
        done = tools.run('trace-export', capture, '-f', form, '-o', path, '--force')
        result.equal('export: ' + done.describe(), done.status, 0)
        look(result, path)
        check_again(result, tools, numbers, path)
    return numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    tools, run = Tools(parser.parse_args().bin), report.Report()
    with tempfile.TemporaryDirectory() as folder:
        seen = []
        for seed in range(3):
            run.run('order %d' % seed, lambda result, seed=seed: seen.append(check(result, tools, pathlib.Path(folder), seed)))
        run.run('all orders', lambda result: result.equal('numbers', seen, seen[:1] * len(seen)))
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
