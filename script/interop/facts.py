#!/usr/bin/env python3
"""Compares facts of captures of other tools, by process, thread and name, with those of Perfetto's trace processor and of another
decoder: scopes, regions, counters, time on cores, stack samples, and frames of Android.

usage: facts.py --bin DIRECTORY [--drivers DIRECTORY --work DIRECTORY] [--decoder FILE.py] [--exports] CAPTURE...

--decoder is a module with a function load(path), which gives models of a capture. --exports instead compares the scopes of each
capture with those of its exports, read by the trace processor, and of a .tracy by trace-stats. A difference is a failure unless
KNOWN says why it is none.
"""

import argparse
import collections
import fnmatch
import importlib
import json
import pathlib
import subprocess
import sys

ALLOWED = (0, 4)
KINDS = ('scopes', 'regions', 'counters', 'switches', 'samples', 'frames')
MADE_UP = 2_000_000_000         # ids in exports of what has none
TRACY_OTHERS = 1 << 32          # of threads whose id another thread of the capture has, in a .tracy
NAMELESS = (None, '', 'None', 'null', '[No name]', '[NULL]')

THREADS = ('thread_track k on s.track_id = k.id join thread t using (utid) left join process p using (upid)')
SQL = {
    # instants of threads are slices of no length there
    'scopes': 'select ifnull(p.pid, 0), t.tid, s.name, sum(s.dur > 0), sum(max(s.dur, 0)), sum(s.dur < 0) from slice s join ' + THREADS +
              " where s.dur != 0 and ifnull(s.category, '') != 'binder' group by 1, 2, 3",
    'regions': "select s.name, sum(s.dur > 0), sum(max(s.dur, 0)), sum(s.dur < 0) from slice s join track k on s.track_id = k.id where s.dur != 0 "
               "and k.id not in (select id from thread_track) and k.type not like 'gpu_%' and k.type not like 'vulkan%' and "
               "k.type not like '%frame_timeline%' group by 1",
    'counters': 'select ifnull(p.pid, -1), k.name, count(*), sum(c.value) from counter c join track k on c.track_id = k.id '
                'left join process_counter_track q on q.id = k.id left join process p using (upid) group by 1, 2',
    'switches': 'select t.tid, sum(s.dur >= 0), sum(max(s.dur, 0)), sum(s.dur < 0) from sched_slice s join thread t using (utid) where t.tid != 0 group by 1',
    'samples': 'select t.tid, f.name, count(*) from (select utid, callsite_id from perf_sample union all '
               'select utid, callsite_id from cpu_profile_stack_sample) s join thread t using (utid) join stack_profile_callsite c on s.callsite_id = c.id '
               'join stack_profile_frame f on c.frame_id = f.id group by 1, 2',
    'frames': "select iif(layer_name is null, 'display', 'app'), ifnull(upid, 0) * 0 + p.pid, jank_type, jank_tag, present_type, sum(dur >= 0), "
              'sum(max(dur, 0)) from actual_frame_timeline_slice s join process p using (upid) group by 1, 2, 3, 4, 5',
}


# file, kind, who; and why that is another value
KNOWN = (
    ('gpu.*', 'scopes', '*', 'vkQueueSubmit is a scope of its thread here, and work of the GPU there'),
    ('gpu.*', 'counters', 'perfetto', 'values that hold from their time on came with version 58'),
    ('perf-sample.*', 'counters', 'perfetto', 'the counter has another name, and values of lost samples'),
    ('perf-sample.*', 'samples', '*', 'functions that are named behind the samples, and inlined calls'),
    ('sched-compact.*', 'switches', 'perfetto', 'it leaves the first compact switch of each core out'),
    ('stack-sample-v58.*', '*', 'perfetto', 'came with version 58'),
    ('zstd.*', '*', 'perfetto', 'came with version 58'),
    ('samples-section.json', 'samples', 'perfetto', 'a section that it does not read'),
    ('v8-profile.json', 'samples', 'perfetto', 'of the thread that was sampled here, and of that which wrote the chunks there'),
    ('clocks_monotonic_only.*', 'scopes', 'perfetto', 'a clock without a snapshot: it leaves the event out'),
    ('counters.pftrace', 'counters', 'perfetto', 'thread_time is of the process here, and of the thread there'),
    ('chromium-devtools.*', 'counters', 'perfetto', 'the same'),
    ('chromium-devtools.*', 'scopes', 'perfetto', 'tracks below that of a thread are regions here'),
    ('chromium-devtools.*', 'regions', 'perfetto', 'the same'),
    ('tracks.pftrace', '*', 'perfetto', 'the same'),
    ('nesting.pftrace', 'scopes', 'perfetto', 'it ends a scope with the end of another one'),
    ('perfetto-range_of_interest.*', 'scopes', 'perfetto', 'it cuts off what lies before the range'),
    ('perfetto-track_event_with_atrace.*', 'scopes', 'perfetto', 'it ends the scope of one source with the end of the other'),
    ('streaming-profile.*', 'as perfetto', '*', 'functions without a name are called by their module in exports'),
    ('nesting.pftrace', 'as *', '*', 'a scope that is open inside one that has ended is in no export'),
    ('perfetto-range_of_interest.*', 'as *', '*', 'the same'),
    ('same_tid.pftrace', 'as *', '*', 'of two tracks with the ids of one thread each stays a thread'),
    ('perfetto-track_event_with_atrace*', 'as *', '*', 'what overlaps in a thread is on a track of its own'),
    ('tracekit-*', '*', '*', 'exports are read as what they were made of'),
)


class Unreadable(Exception):
    pass


def named(name):
    return '[No name]' if name in NAMELESS else name


class Facts:
    """By kind: key -> sums."""

    def __init__(self):
        self.of = {kind: collections.defaultdict(lambda: [0] * 3) for kind in KINDS}

    def add(self, kind, key, *sums):
        for i, value in enumerate(sums):
            self.of[kind][key][i] += value


# ---- ours ----

def rows(options, path, table, *columns):
    run = subprocess.run([options.bin / 'trace-stats', path, '--table', table, '--columns', ','.join(columns), '--format', 'ndjson', '--quiet',
                          '--index', 'off'], capture_output=True)
    if b'has no table' in run.stderr:       # another format
        return ()
    if run.returncode not in ALLOWED:
        raise Unreadable(run.stderr.decode().strip().splitlines()[0])
    return map(json.loads, run.stdout.decode().splitlines())


def ours(options, path):
    facts, processes = Facts(), {}
    for row in rows(options, path, 'threads', 'thread_id', 'system_id', 'process_id'):
        processes[row['thread_id']] = row['process_id'] or 0, row['system_id'] if row['system_id'] is not None else row['thread_id']
    for row in rows(options, path, 'scopes', 'thread_id', 'timer', 'dur'):
        dur = row['dur']
        if dur != 0:
            facts.add('scopes', (*processes[row['thread_id']], named(row['timer'])), dur is not None, dur or 0, dur is None)
    for row in rows(options, path, 'regions', 'name', 'dur', 'state'):
        opened = row['state'] == 'open'
        if row['dur'] != 0 or opened:
            facts.add('regions', (named(row['name']),), not opened, 0 if opened else row['dur'], opened)
    for row in rows(options, path, 'counter_values', 'process_id', 'counter', 'value'):
        facts.add('counters', (-1 if row['process_id'] is None else row['process_id'], named(row['counter'])), 1, row['value'] or 0)
    for row in rows(options, path, 'switch_rows', 'system_id', 'dur', 'end_state'):
        opened = row['end_state'] in ('running', 'Running')
        facts.add('switches', (row['system_id'],), not opened, 0 if opened else row['dur'], opened)
    for row in rows(options, path, 'sample_rows', 'system_id', 'function', 'callstack_id'):
        if row['callstack_id'] is None:
            continue
        facts.add('samples', (row['system_id'], named(row['function'])), 1)
    for row in rows(options, path, 'android_frames', 'kind', 'process_id', 'jank', 'blame', 'present', 'dur'):
        facts.add('frames', (row['kind'], row['process_id'], row['jank'], row['blame'], row['present']), row['dur'] is not None, row['dur'] or 0)
    return facts


# ---- Perfetto ----

ERRORS = "select name, severity, value from stats where value != 0 and severity in ('error', 'data_loss')"


def ask(options, paths, queries):
    """path -> the rows of each query; None where the file cannot be read."""
    answers, left, listed = {}, list(paths), options.work / 'facts.list'
    while left:
        listed.write_text(''.join('%s\n' % path for path in left))
        out = subprocess.run(['node', options.drivers / 'perfetto.mjs', options.work / 'perfetto', '@%s' % listed, *queries],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        rows, before = [], len(left)
        for line in (json.loads(line) for line in out.decode().splitlines() if line[:1] in '[n'):
            if line is not None:
                rows.append(line)
                continue
            answers[left.pop(0)] = rows if len(rows) == len(queries) else None
            rows = []
        if len(left) == before:
            answers[left.pop(0)] = None     # it ended there
    return answers


SUMS = {'scopes': 3, 'regions': 3, 'counters': 2, 'switches': 3, 'samples': 1, 'frames': 2}


def perfetto_facts(answers):
    facts = Facts()
    for kind, found in zip(SQL, answers):
        for row in found:
            key = row[:-SUMS[kind]] if kind == 'frames' else [named(v) for v in row[:-SUMS[kind]]]
            key = [int(v) if v.lstrip('-').isdigit() else v for v in key]
            facts.add(kind, tuple(key), *(float(v) if '.' in v or 'e' in v else int(v) for v in row[-SUMS[kind]:]))
    return facts


# ---- the decoder ----

def remember_ids(decoder):
    """Models know the ids of what ran on cores."""
    read = decoder.Reader2.read

    def remembering(self):
        model = read(self)
        model.system_ids = [row[0] for row in self.utids]
        return model
    decoder.Reader2.read = remembering


def by_name(sums):
    out = collections.defaultdict(lambda: [0] * 3)
    for (_, name), values in sums.items():
        out[name] = [x + y for x, y in zip(out[name], values)]
    return out


def other(options, path):
    facts, decoder = Facts(), options.module
    try:
        models = decoder.load(str(path))
    except (decoder.I.Unreadable, ImportError):
        return None
    for _, m in models:
        for t in m.threads.values():
            for lane in t.lanes or ():
                for s in lane:
                    opened = s.end == decoder.I.INF
                    if opened or s.end != s.begin:
                        facts.add('scopes', (t.pid or 0, t.tid, named(s.name)), not opened, 0 if opened else s.end - s.begin, opened)
            for name, n in t.lost.items():
                facts.add('scopes', (t.pid or 0, t.tid, named(name)), 0, 0, n)
        for name, _, dur in m.async_done:
            if dur:
                facts.add('regions', (named(name),), 1, dur)
        for name, n in m.async_open.items():
            facts.add('regions', (named(name if isinstance(name, str) else name[-1]),), 0, 0, n)
        for (_, name), values in m.counters.items():
            facts.add('counters', (0, named(name)), len(values), sum(v for _, v in values if isinstance(v, (int, float))))
        for x in m.sched if hasattr(m, 'system_ids') else ():
            if not m.system_ids[x[2]]:
                continue
            facts.add('switches', (m.system_ids[x[2]],), x[1] is not None, x[1] - x[0] if x[1] is not None else 0, x[1] is None)
        for x in m.sample_list:
            if x['stack']:
                leaf = x['stack'][-1]
                facts.add('samples', (x['tid'], named(leaf[0] if isinstance(leaf, (tuple, list)) else leaf)), 1)
        for x in m.frames:
            if x['kind'].startswith('actual'):
                kind = x['kind'].split()[-1]
                facts.add('frames', (kind, x['pid'], x['jank'], x['tag'], x['present']), x['end'] is not None,
                          x['end'] - x['begin'] if x['end'] is not None else 0)
    return facts


def differences(ours, theirs, kind, who):
    a, b = ours.of[kind], theirs.of[kind]
    if kind == 'counters' and who == 'decoder':     # its groups are names
        a, b = by_name(a), by_name(b)
    return [(key, a.get(key), b.get(key)) for key in sorted({*a, *b}, key=repr)
            if any(abs(x - y) > 1e-9 * abs(y) for x, y in zip(a.get(key, [0] * 3), b.get(key, [0] * 3)))]


# ---- round trips ----

def exported(options, path, form):
    """Where; None: it has nothing for this format."""
    out = options.work / ('facts.%s.%s' % (path.name, form))
    run = subprocess.run([options.bin / 'trace-export', path, '--quiet', '--force', '--format', form, '--output', out], capture_output=True)
    if run.returncode not in ALLOWED:
        print('%s is not written as %s: %s' % (path.name, form, run.stderr.decode().strip()))
    return out if run.returncode in ALLOWED else None


def without_made_up(scopes, of):
    """Scopes of what an export makes up an id for, as frames and threads whose process is not known, by thread and name."""
    out = collections.defaultdict(lambda: [0] * 3)
    for (pid, tid, name), sums in scopes.items():
        if tid < MADE_UP or (0, tid, name) in of:
            key = (0 if pid >= MADE_UP else pid, tid, name)
            out[key] = [x + y for x, y in zip(out[key], sums)]
    return out


def by_thread(scopes, of):
    """By thread and name, as a .tracy has one process: threads of several with one id together."""
    processes, out = collections.defaultdict(set), collections.defaultdict(lambda: [0] * 3)
    for pid, tid, _ in of:
        processes[tid].add(pid)
    for (_, tid, name), sums in scopes.items():
        key = None if tid >= TRACY_OTHERS or len(processes[tid]) > 1 else tid, name
        out[key] = [x + y for x, y in zip(out[key], sums)]
    return out


# ---- all ----

class Report:
    def __init__(self):
        self.failed = 0

    def say(self, path, what, who, bad):
        known = next((why for name, kind, by, why in KNOWN if fnmatch.fnmatch(path.name, name) and fnmatch.fnmatch(what, kind) and
                      fnmatch.fnmatch(who, by)), None) if bad else None
        self.failed += bool(bad) and known is None
        print('%-6s %s, %s, %s%s' % ('FAILED' if bad and known is None else 'ok', path.name, what, who, ': ' + known if known else ''),
              flush=True)
        for line in bad[:4] if known is None else ():
            print('        ', line)


def check_facts(options, report, facts):
    answers = ask(options, facts, SQL.values()) if options.drivers else {}
    for path, a in facts.items():
        theirs = {'perfetto': perfetto_facts(answers[path]) if answers.get(path) else None,
                  'decoder': other(options, path) if options.decoder else None}
        for who, b in theirs.items():
            for kind in KINDS if b else ():
                if a.of[kind] or b.of[kind]:
                    report.say(path, kind, who, differences(a, b, kind, who))


def check_exports(options, report, facts):
    """Scopes of each export are where they were, and no event is misplaced."""
    outs = {(path, form): exported(options, path, form) for path in facts for form in ('chrome', 'perfetto', 'tracy')}
    answers = ask(options, [out for (_, form), out in outs.items() if out and form != 'tracy'], [ERRORS, SQL['scopes'], SQL['samples']])
    for (path, form), out in outs.items():
        if not out:
            continue
        if form == 'tracy':
            source = facts[path].of['scopes']
            got, wanted, errors = by_thread(ours(options, out).of['scopes'], source), by_thread(source, source), []
        else:
            errors, rows, samples = answers[out] or ([['not read']], [], [])
            got = {(int(row[0]), int(row[1]), named(row[2])): [int(v) for v in row[3:]] for row in rows}
            wanted = facts[path].of['scopes']
            got = without_made_up(got, wanted)
            if form == 'perfetto':
                got.update({('sample', int(row[0]), named(row[1])): [int(row[2])] for row in samples})
                wanted = {**wanted, **{('sample', *key): sums[:1] for key, sums in facts[path].of['samples'].items()}}
        bad = [(key, wanted.get(key), got.get(key)) for key in sorted({*got, *wanted}, key=repr) if wanted.get(key) != got.get(key)]
        report.say(path, 'as ' + form, 'ours' if form == 'tracy' else 'perfetto', errors + bad)
        out.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    for name in ('drivers', 'work', 'decoder'):
        parser.add_argument('--' + name, type=pathlib.Path)
    parser.add_argument('--exports', action='store_true')
    parser.add_argument('captures', nargs='+', type=pathlib.Path)
    options = parser.parse_args()
    if options.decoder:
        sys.path.insert(0, str(options.decoder.parent))
        options.module = importlib.import_module(options.decoder.stem)
        remember_ids(options.module)
        sys.setrecursionlimit(100000)
    report, facts = Report(), {}
    for path in options.captures:
        try:
            facts[path] = ours(options, path)
        except Unreadable as e:
            print('%s is not read: %s' % (path.name, e), flush=True)
    (check_exports if options.exports else check_facts)(options, report, facts)
    return 1 if report.failed else 0


if __name__ == '__main__':
    sys.exit(main())
