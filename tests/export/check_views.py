#!/usr/bin/env python3
"""Checks the views of databases of trace-export, with Perfetto's names and ready answers, against recorded truth; and
that a database that is added to is what it was when that is killed.

usage: check_views.py --bin DIRECTORY FIXTURES
"""

import argparse
import collections
import hashlib
import json
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE))
import check_export as exports  # noqa: E402
import commands                 # noqa: E402
import report                   # noqa: E402

GAME = ('--table', 'scopes,timers,threads,frames,counter_values,task_rows,gpu_scopes,gpu_fences', '--sql-index')


class Capture:
    """A fixture as a database, and its truth with times in nanoseconds since the start."""

    def __init__(self, tools, fixtures, work, name, end='.utrace', options=()):
        path = work / (name + '.db')
        exports.export(tools, fixtures / (name + end), 'sqlite', path, *options)
        self.base = sqlite3.connect(path)
        self.truth = json.loads((fixtures / (name + '.truth.json')).read_text())
        self.scale = 1000000000 // self.truth['frequency']

    def rows(self, sql):
        return self.base.execute(sql).fetchall()

    def ns(self, cycle):
        return (cycle - self.truth['start_cycle']) * self.scale

    def game_frames(self):
        return [(self.ns(begin), self.ns(end)) for kind, begin, end in self.truth['frames'] if kind == 0]


def check_threads(result, c):
    """thread, thread_track, thread_slice, process, process_track, track, slice"""
    threads = {(thread['trace_tid'], thread['name']) for thread in c.truth['threads']}
    wanted = sorted((thread['name'], timer['timer'], timer['count'], timer['incl'] * c.scale)
                    for thread in c.truth['threads'] for timer in thread.get('timers', ()) if timer['count'])
    sums = 'name, count(*), sum(dur) from {} where dur >= 0 group by 1, 2 order by 1, 2'
    result.true('thread', threads <= set(c.rows('select tid, name from thread')))
    result.equal('slice over thread_track and thread', sorted(c.rows(
        'select t.name, s.name, count(*), sum(s.dur) from slice s join thread_track k on k.id = s.track_id'
        ' join thread t using(utid) where s.dur >= 0 group by 1, 2')), wanted)
    result.equal('thread_slice', sorted(c.rows('select thread_name, ' + sums.format('thread_slice'))), wanted)
    result.equal('open scopes', c.rows('select count(*) from slice where dur = -1'),
                 [(sum(thread['open_scopes_at_end'] for thread in c.truth['threads']),)])
    result.equal('process', c.rows('select count(*), count(distinct upid) from process'), [(1, 1)])
    result.equal('process_track', c.rows('select count(*) from process_track join process using(upid)'), [(1,)])
    result.equal('threads of the process', c.rows('select count(*) from thread join process using(upid)'),
                 c.rows('select count(*) from thread'))
    result.equal('track', c.rows('select (select count(*) from track), (select count(distinct id) from track)'),
                 c.rows('select n, n from (select (select count(*) from thread_track) + (select count(*) from counter_track)'
                        ' + (select count(*) from process_track) + (select count(*) from gpu_track) n)'))
    result.equal('instant', c.rows('select count(*) from instant'), c.rows('select count(*) from slice where dur = 0'))


def check_counters(result, c):
    for counter in c.truth['counters']:
        values = [value for value, in c.base.execute(
            'select value from counter join counter_track t on t.id = track_id where t.name = ? order by ts, counter.id',
            (counter['name'],))]
        result.equal('values of ' + counter['name'], (len(values), values[-1], min(values), max(values)),
                     (counter['count'], counter['last'], counter['min'], counter['max']))


def check_places(result, c):
    """args of slices: where their timers are"""
    wanted = collections.Counter()
    for timer in c.truth['timers_total']:
        if timer.get('file'):
            wanted[timer['timer'], timer['file'], timer['line']] += timer['count']
    rows = c.rows("select s.name, f.string_value, l.int_value, count(*) from slice s join args f on f.arg_set_id = s.arg_set_id and"
                  " f.key = 'source.file' join args l on l.arg_set_id = s.arg_set_id and l.key = 'source.line'"
                  " where s.dur >= 0 group by 1, 2, 3")
    got = {row[:3]: row[3] for row in rows if row[:3] in wanted}
    result.equal('places of slices', got, {key: count for key, count in wanted.items() if count})


TYPES = {int: ('int', 'uint', 'bool', 'pointer'), float: ('real',), str: ('string',), list: ('json',)}


def fits(value, row):
    """Is this what the capture's writer put into the field?"""
    kind, whole, text, real = row
    if isinstance(value, dict):
        return kind in ('json', 'uint', 'int', 'string')
    if isinstance(value, list):
        got = json.loads(text) if kind == 'json' else None
        return got is not None and [int(cell, 16) if isinstance(cell, str) else cell for cell in got] == value
    if isinstance(value, str):
        return kind == 'string' and (text, whole, real) == (value, None, None)
    if kind == 'real':
        return real == value and text is None
    return kind in TYPES[int] and whole & (2 ** 64 - 1) == value & (2 ** 64 - 1) and text is None and real is None


def check_records(result, c):
    """args of generic records: every field with its value in the column of its type"""
    def writer(thread, name):
        return '' if 'Important' in name else thread            # those stand on a stream of their own

    wanted = collections.defaultdict(list)
    for event in c.truth['tiny_events']:
        if event['event'].startswith('Tiny.') and not event['event'].startswith('Tiny.Def'):
            wanted[writer(event['thread'], event['event']), event['event']].append(event['fields'])
    got = collections.defaultdict(list)
    for thread, name, args in c.rows("select thread, event, arg_set_id from generic_events where event like 'Tiny.%'"):
        got[writer(thread, name), name].append({key: row for key, *row in c.base.execute(
            'select key, value_type, int_value, string_value, real_value from args where arg_set_id = ?', (args,))})
    compared = 0
    for key, events in wanted.items():
        result.equal('%s: fields of %s' % key, [sorted(fields) for fields in got[key]], [sorted(fields) for fields in events])
        for fields, rows in zip(events, got[key]):
            for field, value in fields.items():
                compared += 1
                result.true('%s.%s is %.40s, not %.40s' % (key[1], field, value, rows[field]), fits(value, rows[field]))
    result.true('records were compared', compared > 200)
    result.equal('definitions', c.rows("select count(*) from definitions where type like 'Tiny.Def%'"),
                 [(sum(event['event'].startswith('Tiny.Def') for event in c.truth['tiny_events']),)])
    families = sum(n for name, n in c.truth['event_counts'].items() if name.startswith('Tiny.') and 'Def' not in name)
    result.equal('no event that has a table of its own', c.rows("select count(*) from generic_events where event not like"
                 " '%.Init'"), [(families,)])


def check_answers(result, c):
    """top_timers, longest_frames, per_frame"""
    wanted = [(timer['timer'], timer['count'], timer['excl'] * c.scale) for timer in c.truth['timers_total'] if timer['count']]
    got = c.rows("select timer, sum(count), sum(excl) from top_timers group by 1")
    result.equal('top_timers', sorted(got), sorted(wanted))
    order = [excl for excl, in c.rows('select excl from top_timers')]
    result.equal('order of top_timers', order, sorted(order, reverse=True))
    frames = c.game_frames()
    result.equal('longest frames', [row for row in c.rows('select start, dur from longest_frames') if row[1] is not None],
                 sorted(((begin, end - begin) for begin, end in frames), key=lambda row: (-row[1], row[0])))
    wanted = collections.Counter()
    for start, name in c.rows('select ts, name from slice'):
        for number, (begin, end) in enumerate(frames):
            if begin <= start < end:
                wanted[number, name] += 1
    result.equal('per_frame', {row[:2]: row[2] for row in c.rows('select frame, timer, count from per_frame')}, dict(wanted))
    for frame in (0, 3):
        begin, end = frames[frame]
        inside = c.rows('select name, sum(dur) from slice where ts >= %d and ts < %d and dur >= 0 group by 1' % (begin, end))
        got = c.rows('select timer, total from per_frame where frame = %d and total is not null order by 1' % frame)
        result.equal('times of frame %d' % frame, got, sorted(inside))


def check_gpu(result, c):
    """slice, gpu_slice and gpu_track of the queues of a GPU"""
    counts = c.truth['event_counts']
    wanted = {'breadcrumbs': counts['GpuProfiler.EventBeginBreadcrumb'],
              'work': counts['GpuProfiler.EventBeginWork'] + counts['GpuProfiler.EventWait']}
    rows = c.rows("select case when name in ('GpuWork', 'GpuWait') then 'work' else 'breadcrumbs' end, count(*)"
                  " from gpu_slice group by 1")
    result.equal('gpu_slice', dict(rows), wanted)
    result.equal('slices of threads and queues', c.rows('select count(*) from slice'),
                 c.rows('select (select count(*) from thread_slice) + (select count(*) from gpu_slice)'))
    tracks = c.rows('select t.name, count(distinct t.id) from gpu_slice s join gpu_track t on t.id = s.track_id group by 1')
    result.equal('tracks of queues', [n for _, n in tracks], [2] * counts['GpuProfiler.QueueSpec'])
    result.equal('children lie in their parents', c.rows(
        'select sum(p.track_id = s.track_id and p.ts <= s.ts and s.ts + s.dur <= p.ts + p.dur) - count(*) from gpu_slice s'
        ' join gpu_slice p on p.id = s.parent_id'), [(0,)])


def check_flows(result, c):
    """flow: from the slice that launched a task to the one that it ran in; from the signal of a fence to the wait's end"""
    tasks, fences = c.truth['tasks']['count'], c.truth['event_counts']['GpuProfiler.WaitFence']
    result.equal('tasks', c.rows('select count(*) from _task_rows where launched is not null and started is not null'), [(tasks,)])
    at = {row[0]: row[1:] for row in c.rows('select task_id, launched, started, launcher_id, thread_id from task_rows')}
    rows = [(out, into, *at[task]) for out, into, task in
            c.rows('select slice_out, slice_in, trace_id from flow where id >= 0 limit 60')]
    queues = c.rows('select f.slice_out, f.slice_in, w.signal_time, max(w.time, w.signal_time), w.other_id, w.queue_id'
                    ' from flow f join _gpu_fences w on ~w.rowid = f.trace_id where f.id < 0')
    result.equal('flows of fences', len(queues), fences)
    kind = 3 << 56                                  # of tracks of GPU queues
    queues = [row[:4] + (row[4] | kind, row[5] | kind) for row in queues]
    on_track, places = collections.defaultdict(list), {}
    columns, last = 'select id, ts, dur, track_id, depth from ', max(row[3] for row in rows)
    for number, ts, dur, track, depth in (c.rows(columns + 'gpu_slice where dur >= 0') +
                                          c.rows(columns + 'slice where dur >= 0 and ts <= %d' % last)):
        on_track[track].append((ts, depth, ts + dur))
        places[number] = ts, depth
    for out, into, left, arrived, source, target in rows + queues[::15]:
        for found, time_, track in ((out, left, source), (into, arrived, target)):
            around = [place[:2] for place in on_track[track] if place[0] <= time_ <= place[2]]
            later = [place[:2] for place in on_track[track] if place[0] > time_ and track >= kind and found == into]
            best = max(around) if around else min(later, default=None)
            result.equal('a flow ends at the innermost slice', found and places[found], best)
    result.true('flows have slices', sum(row[0] is not None for row in rows) > 20 and
                sum(row[1] is not None for row in queues) > 100)


def check_killed(result, tools, fixtures, work):
    """Killed while a capture is added: the database holds what it held."""
    base, capture = work / 'kept.db', fixtures / 'threads.utrace'
    exports.export(tools, fixtures / 'tiny.utrace', 'sqlite', base)

    def content():
        with sqlite3.connect(base) as db:
            whole = db.execute('pragma integrity_check').fetchall() == [('ok',)]
            text = '\n'.join(db.iterdump())
        return whole, hashlib.sha256(text.encode('utf-8', 'surrogateescape')).hexdigest()

    before = content()
    words = [tools.directory / 'trace-export', capture, '--format', 'sqlite', '--table', 'scopes', '--append', '--output', base,
             '--quiet']
    dice, killed, journal = random.Random(7), 0, 0
    for number in range(6):
        process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        size = base.stat().st_size
        limit = time.monotonic() + 30
        while number % 2 and base.stat().st_size == size and process.poll() is None and time.monotonic() < limit:
            time.sleep(0.001)                           # until it is written into
        time.sleep(dice.uniform(0.0, 0.05))
        process.send_signal(signal.SIGKILL)
        if process.wait() != -signal.SIGKILL:
            break
        killed += 1
        journal += (work / 'kept.db-journal').exists()
        result.equal('as it was', content(), before)
    result.true('it was killed while it wrote: %d, %d' % (killed, journal), killed >= 3 and journal > 0)
    exports.export(tools, fixtures / 'tiny.utrace', 'sqlite', base, '--append', '--table', 'scopes')
    result.true('and can be added to', content()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    tools = commands.Commands(options.bin)
    checks = report.Report()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        tiny = Capture(tools, options.fixtures, work, 'tiny')
        game = Capture(tools, options.fixtures, work, 'game', '.utrace.zst', GAME)
        for name, check in (('threads', check_threads), ('counters', check_counters), ('places', check_places)):
            checks.run('%s of tiny' % name, check, tiny)
            checks.run('%s of game' % name, check, game)
        checks.run('records', check_records, tiny)
        checks.run('answers', check_answers, tiny)
        checks.run('gpu', check_gpu, game)
        checks.run('flows', check_flows, game)
        checks.run('killed', check_killed, tools, options.fixtures, work)
    return checks.close()


if __name__ == '__main__':
    sys.exit(main())
