#!/usr/bin/env python3
"""System traces and samples of other tools against what was put into them.

usage: check_system.py --bin DIRECTORY [--seeds N] [--corpus DIRECTORY]

Random threads write lines of atrace on random cores, apps have random frames, samples random stacks: in bundles and packets
whose order is not that of time. The figures have to be those of what was written. With a corpus, which has a folder
`import2`, the scopes, regions and frames of its files are compared with its truth.json.
"""

import argparse
import collections
import json
import pathlib
import random
import sqlite3
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands     # noqa: E402
import report       # noqa: E402
from imports_made import put    # noqa: E402

ALLOWED = (0, 4)
START = 10 ** 12


def rows(tools, path, table, *options):
    out = tools.must('trace-stats', path, '--table', table, '--format', 'ndjson', *options, allowed=ALLOWED).out
    return [commands.parse_json(line) for line in out.decode().splitlines()]


def packet(body):
    return put(1, put(10, 1) + body)


def print_event(time, tid, line):
    return time, put(2, put(1, time) + put(2, tid) + put(3, put(2, line)))


# ---- lines of atrace ----

def scopes_of(rng, tid, pid, expected):
    """Lines of one thread, whose scopes nest; sums by name go to `expected`."""
    out, stack, time = [], [], START + rng.randrange(1000)
    for _ in range(rng.randrange(20, 60)):
        time += rng.randrange(1, 5000)
        if stack and (len(stack) > 5 or rng.random() < 0.5):
            begin, name = stack.pop()
            entry = expected[tid, name]
            entry[0] += 1
            entry[1] += time - begin
            out.append(print_event(time, tid, rng.choice(['E', 'E|%d' % pid, 'E|%d\n' % pid])))
        else:
            name = rng.choice(['draw', 'a|b', 'load <\u00e9>', 'wait'])
            stack.append((time, name))
            out.append(print_event(time, tid, 'B|%d|%s' % (pid, name)))
    for begin, name in stack:
        expected[tid, name][2] += 1
    return out


def atrace(rng, path):
    expected = collections.defaultdict(lambda: [0, 0, 0])
    threads = [(100 * process + i, 100 * process) for process in (1, 2, 3) for i in range(3)]
    cores = [[] for _ in range(4)]
    for tid, pid in threads:
        for event in scopes_of(rng, tid, pid, expected):
            rng.choice(cores).append(event)
    bundles = []
    for core, events in enumerate(cores):
        events.sort(key=lambda e: e[0])
        for at in range(0, len(events), 7):
            bundles.append(packet(put(1, put(1, core) + b''.join(e for _, e in events[at:at + 7]))))
    rng.shuffle(bundles)
    path.write_bytes(b''.join(bundles))
    return {key: value for key, value in expected.items()}


def check_atrace(result, tools, folder, seed):
    path = folder / ('atrace-%d.pftrace' % seed)
    expected = atrace(random.Random(seed), path)
    threads = {row['thread_id']: row['system_id'] for row in rows(tools, path, 'threads')}
    got = {(threads[row['thread_id']], row['timer']): [row['count'], row['total'] or 0, row['open']]
           for row in rows(tools, path, 'timers', '--by', 'thread')}
    result.equal('atrace %d' % seed, got, expected)


# ---- frames ----

def check_frames(result, tools, folder, seed):
    rng = random.Random(seed)
    path = folder / ('frames-%d.pftrace' % seed)
    expected = collections.defaultdict(lambda: [0, 0])
    packets = []
    for number in range(80):
        pid = rng.choice([2010, 2010, 2010, 77])
        begin = START + number * 16_000_000 + rng.randrange(1_000_000)
        length = rng.randrange(4_000_000, 50_000_000)
        app = rng.random() < 0.7
        if app:
            frame = put(4, put(1, number) + put(2, number) + put(3, number) + put(4, pid) + put(5, 'layer') + put(6, 1) + put(9, 1))
        else:
            frame = put(2, put(1, number) + put(2, number) + put(3, 900) + put(4, 1) + put(7, 1))
        entry = expected['app %d' % pid if app else 'display']
        entry[0] += 1
        entry[1] += length
        packets.append(packet(put(8, begin) + put(76, frame)))
        packets.append(packet(put(8, begin + length) + put(76, put(5, put(1, number)))))
    rng.shuffle(packets)
    path.write_bytes(b''.join(packets))
    got = collections.defaultdict(lambda: [0, 0])
    for row in rows(tools, path, 'frames'):
        got[row['type']][0] += 1
        got[row['type']][1] += row['dur']
    result.equal('frames %d' % seed, dict(got), dict(expected))


# ---- samples ----

def check_samples(result, tools, folder, seed):
    rng = random.Random(seed)
    path = folder / ('samples-%d.pftrace' % seed)
    names = ['main', 'tick', 'draw', 'wait']
    interned = b''.join(put(5, put(1, i + 1) + put(2, name)) for i, name in enumerate(names))
    interned += b''.join(put(6, put(1, i + 1) + put(2, i + 1)) for i in range(len(names)))
    stacks = [[rng.randrange(1, 5) for _ in range(rng.randrange(1, 6))] for _ in range(6)]
    interned += b''.join(put(7, put(1, i + 1) + b''.join(put(2, f) for f in stack)) for i, stack in enumerate(stacks))
    packets = [packet(put(13, 1) + put(12, interned))]
    expected = collections.Counter()
    for i in range(200):
        which = rng.randrange(len(stacks))
        expected[names[stacks[which][-1] - 1]] += 1
        packets.append(packet(put(8, START + 1000 * i) + put(66, put(2, 5) + put(3, 6) + put(4, which + 1))))
    path.write_bytes(b''.join(packets))
    got = {row['function']: row['excl'] for row in rows(tools, path, 'sample_functions') if row['excl']}
    result.equal('samples %d' % seed, got, dict(expected))


# ---- V8 ----

def check_profile(result, tools, folder, seed):
    rng = random.Random(seed)
    path = folder / ('profile-%d.json' % seed)
    nodes = [{'id': 1, 'callFrame': {'functionName': 'root', 'url': '', 'lineNumber': -1}}]
    for i in range(2, 12):
        nodes.append({'id': i, 'callFrame': {'functionName': 'f%d' % rng.randrange(4), 'url': 'a.js', 'lineNumber': i},
                      'parent': rng.randrange(1, i)})
    samples = [rng.randrange(1, 12) for _ in range(100)]
    expected = collections.Counter(nodes[s - 1]['callFrame']['functionName'] for s in samples)
    data = {'cpuProfile': {'nodes': nodes, 'samples': samples}, 'timeDeltas': [rng.randrange(-5, 90) for _ in samples]}
    events = [{'ph': 'P', 'name': 'Profile', 'id': '0x1', 'pid': 1, 'tid': 5, 'ts': 1000, 'args': {'data': {'startTime': 1000}}},
              {'ph': 'P', 'name': 'ProfileChunk', 'id': '0x1', 'pid': 1, 'tid': 9, 'ts': 1100, 'args': {'data': data}}]
    path.write_text(json.dumps({'traceEvents': events}))
    got = collections.Counter()
    for row in rows(tools, path, 'sample_functions'):
        got[row['function']] += row['excl']
    result.equal('profile %d' % seed, {k: v for k, v in got.items() if v}, dict(expected))
    alone = folder / ('alone-%d.cpuprofile' % seed)
    alone.write_text(json.dumps({'nodes': nodes, 'samples': samples, 'timeDeltas': data['timeDeltas'], 'startTime': 5000}))
    got = collections.Counter()
    for row in rows(tools, alone, 'sample_functions'):
        got[row['function']] += row['excl']
    result.equal('profile alone %d' % seed, {k: v for k, v in got.items() if v}, dict(expected))
    check_old_profiles(result, tools, folder, rng, nodes, samples, dict(expected))


def check_old_profiles(result, tools, folder, rng, nodes, samples, expected):
    """The same as V8 wrote it up to Node 10, a tree with times of samples; as weights of nodes; and without times."""
    hits, path = collections.Counter(samples), folder / 'old.cpuprofile'

    def tree(node):
        call = node['callFrame']
        return {**call, 'id': node['id'], 'hitCount': hits[node['id']], 'children': [tree(n) for n in nodes if n.get('parent') == node['id']]}

    stamps = [10 ** 9 + 3 * i for i in range(len(samples))]
    flat = [{**node, 'hitCount': hits[node['id']]} for node in nodes]
    for form, times in (({'head': tree(nodes[0]), 'startTime': 1000.5, 'samples': samples, 'timestamps': stamps}, True),
                        ({'head': tree(nodes[0]), 'startTime': 1000.5}, False), ({'nodes': flat, 'startTime': 3}, False),
                        ({'nodes': nodes, 'samples': samples, 'startTime': 3}, False)):
        keys = list(form)
        rng.shuffle(keys)
        path.write_text(json.dumps({key: form[key] for key in keys}))
        got = collections.Counter()
        for row in rows(tools, path, 'sample_functions'):
            got[row['function']] += row['excl']
        result.equal('old profile %s' % sorted(form), {k: v for k, v in got.items() if v}, expected)
        length = rows(tools, path, 'capture')[0]['dur']
        result.equal('its length', length, (stamps[-1] - stamps[0]) * 1000 if times else 0)


def check_gpu_counters(result, tools, folder, seed):
    """Sequences say by themselves what the ids of counters are, or one packet without a time says it for the trace."""
    rng, expected, path = random.Random(seed), {}, folder / 'gpu.pftrace'
    count = rng.randrange(1, 4)

    def specs(at):
        return b''.join(put(1, put(1, k) + put(2, 'Counter %d of %d' % (k, at)) + put(11, 2)) for k in range(1, count + 1))

    packets = [put(1, put(10, 9) + put(52, put(1, specs(0))))]          # for the trace, without a time
    packets += [put(1, put(10, at) + put(13, 1) + put(12, put(47, put(1, 5) + put(2, specs(at)) + put(3, at)))) for at in (1, 2)]
    for time in range(10, 10 + rng.randrange(5, 30)):
        at = rng.choice((1, 2, 9))
        first = not any(who == (at % 9) for who, _ in expected)
        values = [(k, rng.randrange(1000)) for k in range(1, count + 1)]
        for k, value in values:
            expected.setdefault((at % 9, k), []).append(value)
        event = b''.join(put(2, put(1, k) + put(2, value)) for k, value in values) + (put(4, 5) if first and at != 9 else b'')
        packets.append(put(1, put(10, at) + (put(13, 2) if at != 9 else b'') + put(8, time) + put(52, event)))
    path.write_bytes(b''.join(packets))
    found = {row['counter']: (row['count'], row['first'], row['max']) for row in rows(tools, path, 'counters')}
    result.equal('counters', found, {'Counter %d of %d' % (k, at): (len(values), values[0], max(values))
                                     for (at, k), values in expected.items()})
    result.equal('health', [row['kind'] for row in rows(tools, path, 'health')], [])


# ---- why threads are on no core ----

STATES = {  # kernel: bits of a thread that leaves a core -> what it is called
    None: {0: 'R', 1: 'S', 2: 'D', 4: 'T', 8: 't', 16: 'X', 32: 'Z', 0x82: 'DK', 0x402: 'I', 0x800: 'R+'},
    '3.18.31': {0: 'R', 1: 'S', 2: 'D', 0x40: 'X', 0x100: 'W', 0x200: 'P', 0x800: 'R+'},
    '4.9.0-x': {0: 'R', 1: 'S', 2: 'D', 0x402: 'I', 0x200: 'P', 0x1000: 'R+'},
    '4.14.117': {0: 'R', 1: 'S', 2: 'D', 0x40: 'P', 0x80: 'I', 0x100: 'R+', 0x200: '?', 3: '?'},
    '6.1.0-android14': {0: 'R', 1: 'S', 2: 'D', 0x20: 'Z', 0x10: 'X', 0x100: 'R+', 0x8000: '?'},
}
READY, BLOCKED = ('R', 'R+'), ('D', 'DK')


def wake_event(time, tid, core_of_event):
    return core_of_event, time, put(2, put(1, time) + put(2, 1) + put(20, put(1, 'name %d' % tid) + put(2, tid) + put(5, 0)))


def check_states(result, tools, path, kernel, runs):
    """The view thread_state: on a core, off it as the run ended, and ready from the wake on."""
    want, last = collections.Counter(), {}
    for begin, end, state, tid, wake, _ in runs:
        want['Running'] += end - begin
        if tid in last and begin > last[tid][0]:
            woken = wake if wake and last[tid][0] < wake < begin else begin
            want[last[tid][1]] += woken - last[tid][0]
            want['R'] += begin - woken
        last[tid] = end, state
    out = tools.must('trace-query', path, 'SELECT state, sum(dur) AS dur, count(*) - count(DISTINCT id) AS twice FROM thread_state GROUP BY 1',
                     '-f', 'ndjson', allowed=ALLOWED).out
    found = [commands.parse_json(line) for line in out.decode().splitlines()]
    result.equal('states of %s' % kernel, {r['state']: r['dur'] for r in found}, {k: v for k, v in want.items() if v})
    result.true('ids of states', not any(r['twice'] for r in found))
    tools.must('trace-export', path, '-f', 'sqlite', '-o', path.with_suffix('.db'), '--force', allowed=ALLOWED)
    base = sqlite3.connect(path.with_suffix('.db'))
    result.equal('states of %s in a database' % kernel, dict(base.execute('SELECT state, sum(dur) FROM thread_state GROUP BY 1')),
                 {k: v for k, v in want.items() if v})
    result.equal('ids there', list(base.execute('SELECT count(*) - count(DISTINCT id) FROM thread_state')), [(0,)])
    base.close()
    out = tools.must('trace-query', path, 'SELECT end_state, count(*) AS n FROM sched GROUP BY 1', '-f', 'ndjson', allowed=ALLOWED).out
    result.equal('ends of %s' % kernel, {r['end_state']: r['n'] for r in map(commands.parse_json, out.decode().splitlines())},
                 dict(collections.Counter(run[2] for run in runs)))


def check_waits(result, tools, folder, seed):
    """Threads take turns on a core and are woken on others: states, wake-ups and the parts of the time off cores."""
    for kernel, states in STATES.items():
        rng, path = random.Random(seed), folder / 'waits.pftrace'
        runs, events, wakes, running, time = [], [], {}, 0, START
        for _ in range(60):
            time += rng.randrange(2, 5000)
            for tid in rng.sample(range(1, 6), 2):      # of two wake-ups the last one counts
                if tid != running and rng.random() < 0.5:
                    wakes[tid] = (time, rng.choice((1, 2)))
                    events.append(wake_event(time, tid, wakes[tid][1]))
            time += rng.randrange(1, 5000)
            bits, before = rng.choice(list(states)), running
            running = rng.choice([tid for tid in range(6) if tid != before])
            body = put(1, 'name %d' % before) + put(2, before) + put(4, bits) + put(5, 'name %d' % running) + put(6, running)
            events.append((0, time, put(2, put(1, time) + put(2, before) + put(4, body))))
            if runs and runs[-1][3]:
                runs[-1][1:3] = [time, states[bits]]
            runs.append([time, None, None, running, *wakes.pop(running, (None, None))])
        bundles = [packet(put(1, put(1, core) + b''.join(body for _, _, body in part)))
                   for core in range(3) for part in [[e for e in events if e[0] == core]] if part]
        rng.shuffle(bundles)
        path.write_bytes(b''.join(([packet(put(45, put(1, put(1, 'Linux') + put(3, kernel))))] if kernel else []) + bundles))
        first = min(time for _, time, _ in events)
        runs[-1][1:3] = [max(time for _, time, _ in events), 'running']
        runs = [run for run in runs if run[3]]
        found = [(r['start'], r['end'], r['end_state'], r['system_id'], r['wake'], r['waker_core'])
                 for r in rows(tools, path, 'switch_rows', '--columns', 'start,end,end_state,system_id,wake,waker_core')]
        wanted = [(b - first, e - first, state, tid, wake and wake - first, core) for b, e, state, tid, wake, core in runs]
        result.equal('runs of %s' % kernel, found, wanted)
        check_states(result, tools, path, kernel, runs)
        want = {}
        for begin, end, state, tid, wake, _ in runs:
            sums = want.setdefault(tid, dict.fromkeys(('wakeups', 'waking', 'preempted', 'ready', 'blocked', 'waiting'), 0) | {'last': None})
            if sums['last']:
                gap = begin - sums['last'][0]
                sums['waiting'] += gap
                sums['ready'] += gap * (sums['last'][1] in READY)
                sums['blocked'] += gap * (sums['last'][1] in BLOCKED)
                sums['waking'] += begin - max(wake, sums['last'][0]) if wake else 0
            sums['wakeups'] += wake is not None
            sums['preempted'] += state in READY
            sums['last'] = end, state
        for tid, sums in want.items():
            del sums['last']
        found = {r['system_id']: {name: r[name] for name in want[r['system_id']]} for r in rows(tools, path, 'switches')}
        result.equal('threads of %s' % kernel, found, want)
        out = tools.must('trace-query', path, 'select t.tid, count(*) n from sched_slice s left join thread t using (utid) group by 1',
                         '--format', 'ndjson', allowed=ALLOWED).out
        result.equal('threads without scopes in SQL', {row['tid']: row['n'] for row in map(commands.parse_json, out.decode().splitlines())},
                     {row['system_id']: row['count'] for row in rows(tools, path, 'switches')})
        path.write_bytes(packet(put(1, put(1, 0) + b''.join(body for core, _, body in events if core == 0))))
        found = {(r['wakeups'], r['waking']) for r in rows(tools, path, 'switches')}
        result.equal('without wake-ups, of %s' % kernel, found, {(None, None)})


# ---- one thread, of the kernel and of track events ----

def track_event(time, uuid, name):
    body = put(9, 1) + put(11, uuid) + put(23, name) if name else put(9, 2) + put(11, uuid)
    return packet(put(8, time) + put(11, body))


def check_one_thread(result, tools, folder, seed):
    """Lines of atrace, switches and track events of one pid and tid are one thread, wherever the descriptor stands, and
    whoever says the process: nobody else, the process tree, or the event with which the thread begins."""
    for says in ('tracks', 'tree', 'begins'):
        rng, expected, runs = random.Random(seed), collections.defaultdict(lambda: [0, 0, 0]), collections.defaultdict(list)
        threads, packets, cores = [(1000 * process + i, 1000 * process) for process in (1, 2) for i in range(3)], [], [[] for _ in range(3)]
        for tid, pid in threads:
            packets.append(packet(put(60, put(1, tid) + put(4, put(1, pid) + put(2, tid) + put(5, 'worker %d' % tid)))))
            for event in scopes_of(rng, tid, pid if says == 'tracks' else 0, expected):
                rng.choice(cores).append(event)
            time = START + 500
            for _ in range(rng.randrange(3, 30)):
                begin, length, name = time, rng.randrange(1, 6000), rng.choice(('draw', 'tick'))
                packets += [track_event(begin, tid, name), track_event(begin + length, tid, None)]
                expected[tid, name][0] += 1
                expected[tid, name][1] += length
                time += length + rng.randrange(1, 900)
            if says == 'begins':
                body = put(1, tid) + put(2, 'comm') + put(3, 0x10000)
                cores[0].append((START - 50, put(2, put(1, START - 50) + put(2, pid) + put(235, body))))
            elif says == 'tree':
                packets.append(packet(put(8, START - 10) + put(2, put(2, put(1, tid) + put(2, 'comm') + put(3, pid)))))
        if says == 'begins':
            packets.append(packet(put(8, START - 90) + put(2, b''.join(put(1, put(1, pid) + put(3, 'app')) for pid in (1000, 2000)))))
        time, running = START - 20, 0
        while time < START + 90000:
            before, running, step = running, rng.choice([0] + [tid for tid, _ in threads]), rng.randrange(100, 5000)
            body = put(1, 'x') + put(2, before) + put(4, 1) + put(5, 'comm') + put(6, running)
            cores[2].append((time, put(2, put(1, time) + put(2, before) + put(4, body))))
            runs[running].append((time, time + step))
            time += step
        cores[2].append((time, put(2, put(1, time) + put(2, running) + put(4, put(1, 'x') + put(2, running) + put(4, 1) + put(5, 'y')))))
        del runs[0]
        for core, events in enumerate(cores):
            events.sort(key=lambda e: e[0])
            packets += [packet(put(1, put(1, core) + b''.join(e for _, e in events[at:at + 9]))) for at in range(0, len(events), 9)]
        seen, path = set(), folder / 'one.pftrace'
        for _ in range(2):
            rng.shuffle(packets)
            path.write_bytes(b''.join(packets))
            what = 'one thread, by %s, %d' % (says, seed)
            found = rows(tools, path, 'threads', '--columns', 'thread_id,thread,system_id,process_id')
            result.equal('threads, ' + what, sorted((r['system_id'], r['thread'], r['process_id']) for r in found),
                         sorted((tid, 'worker %d' % tid, pid) for tid, pid in threads))
            ids = {row['thread_id']: row['system_id'] for row in found}
            result.equal('scopes, ' + what, {(ids[r['thread_id']], r['timer']): [r['count'], r['total'] or 0, r['open']]
                                             for r in rows(tools, path, 'timers', '--by', 'thread')}, dict(expected))
            switches = rows(tools, path, 'switches')
            result.equal('switches, ' + what, {r['system_id']: (r['thread_id'], r['thread'], r['running']) for r in switches},
                         {tid: (tid, 'worker %d' % tid, sum(e - b for b, e in v)) for tid, v in runs.items()})
            out = tools.must('trace-stats', path, '-t', 'threads,timers,switches,cores', '--exact', '-f', 'csv', allowed=ALLOWED).out
            seen.add(tuple(sorted(out.splitlines())))
        result.equal('whatever the order, ' + what, len(seen), 1)


# ---- profiles of heaps ----

def check_heap(result, tools, folder, seed):
    """Totals of stacks in dumps of several packets and processes: what is kept and what was allocated, by call stack."""
    rng, path = random.Random(seed), folder / 'heap.pftrace'
    functions, stacks = ['main', 'Load', 'Alloc', 'Cache'], [(0, 1, 2), (0, 3), (0, 2), (3,)]
    code = b''.join(put(1, put(1, 10 + i) + put(2, name)) for i, name in enumerate(functions))
    code += b''.join(put(2, put(1, 20 + i) + put(2, 10 + i)) for i in range(len(functions)))
    code += b''.join(put(3, put(1, 30 + i) + b''.join(put(2, 20 + f) for f in stack)) for i, stack in enumerate(stacks))
    totals, packets = collections.defaultdict(lambda: [0, 0, 0, 0]), []
    for dump in range(rng.randrange(1, 5)):
        parts = []
        for pid in (7, 9):
            samples = b''
            for i in range(len(stacks)):
                have = totals[pid, i]
                have[0] += rng.choice((0, rng.randrange(5000)))
                have[1] += rng.randrange(1, 9)
                frees = rng.randrange(have[1] - have[3]) if have[1] > have[3] else 0
                if frees:       # never more bytes than there are
                    have[2] += rng.randrange(have[0] - have[2] + 1)
                    have[3] += frees
                samples += put(2, put(1, 30 + i) + put(2, have[0]) + put(3, have[2]) + put(5, have[1]) + put(6, have[3]))
            parts.append(put(5, put(1, pid) + put(9, START + dump * 1000) + put(11, 'libc.malloc') + samples))
        packets += [packet(put(37, code + parts[0] + put(6, 1))), packet(put(37, parts[1]))]
    path.write_bytes(b''.join(packets))
    want = collections.defaultdict(lambda: [0, 0, 0])
    for (_, i), (size, blocks, freed, frees) in totals.items():
        for at, value in enumerate((blocks, size - freed, blocks - frees)):
            want[tuple(functions[f] for f in reversed(stacks[i]))][at] += value
    names = collections.defaultdict(list)
    for row in rows(tools, path, 'callstacks'):
        names[row['callstack_id']].append(row['function'])
    found = collections.defaultdict(lambda: [0, 0, 0])
    memory = rows(tools, path, 'memory')
    for row in memory:
        if row['by'] == 'callstack':
            for at, column in enumerate(('allocs', 'alive_bytes', 'alive_count')):
                found[tuple(names[row['key']])][at] += row[column]
    result.equal('by call stack', dict(found), dict(want))
    heaps = {row['name']: row['alive_bytes'] for row in memory if row['by'] == 'heap'}
    result.equal('by process', heaps, {'libc.malloc of Process %d' % pid: sum(t[0] - t[2] for (p, _), t in totals.items() if p == pid)
                                       for pid in (7, 9)})


def check_unread(result, tools, folder, _):
    """What was recorded and is not read is neither there nor missing."""
    path = folder / 'unread.pftrace'
    path.write_bytes(packet(put(8, START) + put(7, put(1, put(1, 1) + put(2, 5)))) * 3)
    answers = {row['question']: row for row in rows(tools, path, 'can')}
    result.equal('counters', answers['counters']['answer'], 'unread')
    result.true('with its name', 'Perfetto.SysStats and the like, 3 events' in answers['counters']['missing'])
    result.equal('and no advice', answers['counters']['how'], None)
    result.equal('memory', answers['memory']['answer'], 'no')
    page = tools.must('trace-info', path, '--can', allowed=ALLOWED).out.decode()
    result.true('on the page', 'counters: Perfetto.SysStats' in page)


def check_open(result, tools, folder):
    """Complete events without a duration are open, and no damage."""
    path = folder / 'open.json'
    path.write_text('[{"ph":"X","pid":1,"tid":2,"ts":5,"name":"open"},{"ph":"X","pid":1,"tid":2,"ts":6,"dur":null,"name":"null"},'
                    '{"ph":"X","pid":1,"tid":2,"ts":7,"dur":3,"name":"in"}]')
    out = tools.must('trace-stats', path, '--table', 'timers', '--format', 'ndjson', allowed=(0,)).out
    got = {row['timer']: [row['count'], row['open']] for row in map(commands.parse_json, out.decode().splitlines())}
    result.equal('without a duration', got, {'open': [0, 1], 'null': [0, 1], 'in': [1, 0]})


# ---- the corpus ----

def check_corpus(result, tools, corpus):
    folder = pathlib.Path(corpus) / 'import2'
    if not folder.is_dir():
        return
    truth = json.loads((folder / 'truth.json').read_text())
    for name, of in truth.items():
        path = folder / name
        if 'scopes' not in of or name.startswith('lenient') or not path.is_file():
            continue
        got = {}
        for row in rows(tools, path, 'timers'):
            got[row['timer']] = [row['count'] + row['open'], row['total'] or 0] + (['open'] if row['open'] else [])
        result.equal('corpus ' + name, got, of['scopes'])
        if 'regions' in of:
            got = collections.defaultdict(lambda: [0, 0])
            for row in rows(tools, path, 'regions'):
                got[row['name']][0] += 1
                got[row['name']][1] += row['dur']
            result.equal('corpus regions ' + name, dict(got), of['regions'])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('--seeds', type=int, default=1)
    parser.add_argument('--corpus')
    args = parser.parse_args()
    tools, said = commands.Commands(args.bin), report.Report()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for seed in range(1, args.seeds + 1):
            for name, check in (('atrace', check_atrace), ('frames', check_frames), ('samples', check_samples),
                                ('profile', check_profile), ('counters of GPUs', check_gpu_counters), ('waits', check_waits),
                                ('one thread', check_one_thread), ('heap', check_heap), ('unread', check_unread)):
                said.run('%s %d' % (name, seed), check, tools, folder, seed)
        said.run('open scopes', check_open, tools, folder)
    if args.corpus:
        said.run('corpus', check_corpus, tools, args.corpus)
    return said.close()


if __name__ == '__main__':
    sys.exit(main())
