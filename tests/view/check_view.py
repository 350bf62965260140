#!/usr/bin/env python3
"""trace-view and its server: what it answers against truth files and trace-stats, who gets no answer, requests that are cut,
slow, too long or none, a thousand connections, captures that are replaced, and how it ends.

usage: check_view.py --bin DIRECTORY [--patience 1] FIXTURES
"""

import argparse
import base64
import bisect
import collections
import fcntl
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import commands  # noqa: E402
import report    # noqa: E402
import served    # noqa: E402

PIXELS = 8192


def rows_of(data):
    """Rows of columns, as dictionaries."""
    columns = {c['name']: [(data['names'][v] if v >= 0 else None) if c['kind'] == 11 else v for v in c['cells']]
               for c in data['columns']}
    return [dict(zip(columns, values)) for values in zip(*columns.values())]


def table_of(tool, path, table, *arguments):
    return json.loads(tool.must('trace-stats', path, '-q', '-t', table, '-f', 'json', *arguments).out)[table]


def timers_of(server, capture=0):
    """Name, file, line and calls of each timer of the index."""
    timers, about = [], server.json('/lanes?c=%d' % capture)
    while len(timers) < about['timers']:
        timers += server.json('/names?from=%d&n=2048&c=%d' % (len(timers), capture))
    return timers


def names_of(server):
    return [t[0] for t in timers_of(server)]


def exact_boxes(server, about):
    """All boxes of a run, by windows so narrow that each scope is one."""
    lanes, a, last = about['lanes'], about['first'], about['last']
    boxes, listed, step = set(), '.'.join(str(i) for i in range(len(lanes))), PIXELS * max(100, about['finest'] // 2)
    while a <= last:
        w = server.window(a=a, b=a + step, w=PIXELS, d=0, l=listed, each=1)
        boxes |= set(w.rows())
        a += step
    return boxes


def check_truth(result, directory, fixtures, name):
    """Calls and times of each timer of each thread, as the producer wrote them down."""
    truth = json.loads((fixtures / (name + '.truth.json')).read_text())
    scale = 1000000000 // truth['frequency']
    with served.Served(directory, fixtures / (name + '.utrace')) as server:
        server.ready()
        lanes, names = server.json('/lanes'), names_of(server)
        lengths = collections.defaultdict(list)
        for lane, _, _, length, timer, _, cover in exact_boxes(server, lanes):
            if cover == 255 and length >= 0:
                lengths[lanes['lanes'][lane]['id'], names[timer]].append(length)
        wanted = {}
        for thread in truth['threads']:
            for timer in thread.get('timers', ()):
                if timer['count']:
                    wanted[thread['trace_tid'], timer['timer']] = (timer['count'], timer['min'] * scale, timer['max'] * scale)
        result.equal('calls of timers, the shortest and the longest', {k: (len(v), min(v), max(v)) for k, v in lengths.items()}, wanted)
        result.equal('scopes', lanes['scopes'], sum(v[0] for v in wanted.values()))
        for lane in lanes['lanes']:
            result.equal('scopes of ' + lane['name'], lane['scopes'], sum(v[0] for k, v in wanted.items() if k[0] == lane['id']))


def check_windows(result, directory, fixtures, tool, path, windows):
    """Boxes of windows of any zoom against the scopes of trace-stats: those that are a scope are one, and cells count the
    others."""
    scopes = table_of(tool, path, 'scopes')
    by_lane = collections.defaultdict(list)
    for s in scopes:
        if s['dur'] is not None:
            by_lane[s['thread_id']].append((s['depth'], s['start'], s['dur'], s['timer']))
    with served.Served(directory, path) as server:
        server.ready()
        about, names, dice = server.json('/lanes'), names_of(server), random.Random(7)
        lanes = [(i, lane) for i, lane in enumerate(about['lanes']) if lane['kind'] == 'thread']
        for _ in range(windows):
            width = int((about['last'] - about['first']) * 2 ** -dice.uniform(0, 20)) + 1000
            a = dice.randrange(about['first'], max(about['first'] + 1, about['last'] - width))
            i, lane = dice.choice(lanes)
            w = server.window(a=a, b=a + width, w=1000, d=0, l=i, each=dice.randrange(2))
            least = w.width * 1.01
            got = {(depth, start, length, names[timer]) for _, depth, start, length, timer, _, cover in w.rows()
                   if cover == 255 and length >= least}
            wanted = {s for s in by_lane[lane['id']] if s[1] < a + width and s[1] + s[2] >= a and s[2] >= least}
            edge = {s for s in got ^ wanted if s[1] + s[2] - a in (-1, 0, 1) or s[1] - a - width in (-1, 0, 1)}
            result.equal('window of %s from %d for %d' % (lane['name'], a, width), sorted(got - edge), sorted(wanted - edge))


def bursts_of(folder):
    """A capture with bursts of 1 to 5000 scopes of a microsecond each, far from each other: its path, and the size of each."""
    events, sizes, at = [], (1, 2, 126, 127, 128, 129, 1000, 5000), 0
    for size in sizes:
        events += [{'ph': 'X', 'name': 'b%d' % (i % 3), 'pid': 1, 'tid': 1, 'ts': at + 2 * i, 'dur': 1} for i in range(size)]
        at += 100000
    path = pathlib.Path(folder) / 'bursts.json'
    path.write_text(json.dumps({'traceEvents': events}))
    return path, sizes


def check_cells(result, directory, tool, path):
    """Pieces count the scopes that end in them: below 128 exactly, beyond that never too many and at most a fifth too few."""
    by_row = collections.defaultdict(list)
    for s in table_of(tool, path, 'scopes'):
        if s['dur'] is not None:
            by_row[s['thread_id'], s['depth']].append((s['start'] + s['dur'], s['start']))
    for row in by_row.values():
        row.sort()
    exact = rounded = 0
    with served.Served(directory, path) as server:
        server.ready()
        about, dice = server.json('/lanes'), random.Random(11)
        whole = about['last'] - about['first']
        for i, lane in enumerate(about['lanes']):
            for zoom in (0, 0, 0, 1, 2, 3, 4, 5, 6) if lane['kind'] == 'thread' else ():
                width = whole >> zoom
                a = about['first'] + dice.randrange(whole - width + 1)
                w = server.window(a=a, b=a + width + 1, w=dice.choice((20, 100, 1000)), d=0, l=i)
                displayed = collections.Counter((depth, start + length, start) for _, depth, start, length, _, _, cover in w.rows() if cover == 255)
                for _, depth, start, length, _, count, cover in w.rows():
                    if cover == 255 or start < a or start + length > a + width:
                        continue
                    row = by_row[lane['id'], depth]
                    ends = [s for s in row[bisect.bisect_left(row, (start, 0)):bisect.bisect_left(row, (start + length, 0))] if not displayed[(depth, *s)]]
                    what = 'scopes of %s, row %d, from %d for %d' % (lane['name'], depth, start, length)
                    if count < 128:
                        result.equal(what, count, len(ends))
                        exact += 1
                    else:
                        result.true('%s: %d of %d' % (what, count, len(ends)), 0.8 * len(ends) <= count <= len(ends))
                        rounded += 1
    result.true('pieces of both kinds in %s: %d and %d' % (path.name, exact, rounded), exact > 3 and rounded > 0)


def check_bursts(result, directory, tool):
    with tempfile.TemporaryDirectory() as folder:
        path, sizes = bursts_of(folder)
        check_cells(result, directory, tool, path)
        with served.Served(directory, path) as server:
            server.ready()
            about, seen = server.json('/lanes'), collections.Counter()
            w = server.window(a=about['first'], b=about['last'] + 1, w=20, d=0, l=0)
            for _, _, start, _, _, count, cover in w.rows():
                if cover != 255:
                    seen[round((start - about['first']) / 1e8)] += count
            for burst, size in enumerate(sizes[:-1]):
                if seen[burst]:
                    result.true('a burst of %d: %d' % (size, seen[burst]), seen[burst] == size if size < 128 else size * 0.8 <= seen[burst] <= size)
            result.true('bursts that are pieces: %d' % len(seen), len(seen) >= len(sizes) - 2)


def check_scopes(result, directory, fixtures, tool, path):
    """What is around a scope, and its next and previous call, against the scopes of trace-stats."""
    scopes = table_of(tool, path, 'scopes')
    by_id = {s['scope_id']: s for s in scopes}
    with served.Served(directory, path) as server:
        server.ready()
        names, lanes = names_of(server), server.json('/lanes')['lanes']
        number = {lane['id']: i for i, lane in enumerate(lanes) if lane['kind'] == 'thread' and lane['part'] == 0}
        for s in random.Random(5).sample([s for s in scopes if s['dur'] and s['dur'] > 1], 25):
            stack = server.json('/stack?l=%d&t=%d&d=%d' % (number[s['thread_id']], s['start'] + s['dur'] // 2, s['depth']))
            wanted, at = [], s
            while at:
                wanted.insert(0, (at['timer'], at['start'], at['dur'], at['depth']))
                at = by_id.get(at['parent_id'])
            result.equal('around a scope', [(names[b['timer']], b['start'], b['length'], b['depth']) for b in stack], wanted)
            same = sorted(o['start'] for o in scopes if o['thread_id'] == s['thread_id'] and o['timer'] == s['timer'])
            for back, order in ((0, [t for t in same if t > s['start']]), (1, [t for t in same if t < s['start']][::-1])):
                box = server.json('/next?l=%d&timer=%d&t=%d&back=%d' % (number[s['thread_id']], names.index(s['timer']), s['start'], back))
                result.equal('the next call', box and box['start'], order[0] if order else None)
        found = server.json('/search?q=' + names[0].lower()[:4])
        result.equal('a search', sorted(f['name'] for f in found['found']), sorted(n for n in set(names) if names[0].lower()[:4] in n.lower()))
        counts = collections.Counter(s['timer'] for s in scopes if s['dur'] is not None)
        result.equal('calls in a search', {f['name']: f['scopes'] for f in found['found']}, {f['name']: counts[f['name']] for f in found['found']})


def displayed(value):
    """A cell as the page has it: what steers a terminal or the direction of text is no part of it."""
    return value.replace('\n', ' ').replace('\t', ' ').replace('\r', ' ') if isinstance(value, str) else value or 0


def check_learned(result, directory, tool, path):
    """What the overview found out is on the disk afterwards, and selections, which read by it, have the same rows."""
    with tempfile.TemporaryDirectory() as folder:
        index = pathlib.Path(folder) / 'index'
        check_tables(result, directory, tool, path, '--index', index)
        result.true('states of scopes in it', index.stat().st_size > 5000)


def check_tables(result, directory, tool, path, *options):
    """Tables of a selection have the rows of trace-stats."""
    with served.Served(directory, path, *options) as server:
        server.ready()
        server.json('/overview')
        if options:
            result.true('the index is written', pathlib.Path(options[-1]).exists())
        lanes = server.json('/lanes')
        thread = next(i for i, lane in enumerate(lanes['lanes']) if lane['kind'] == 'thread')
        a, b = lanes['first'] + (lanes['last'] - lanes['first']) // 3, lanes['last']
        choices = [((), ''), (('--from', '%dns' % a, '--to', '%dns' % b), '&a=%d&b=%d' % (a, b)),
                   (('--from', '%dns' % a, '--to', '%dns' % b, '--thread', lanes['lanes'][thread]['name']), '&a=%d&b=%d&l=%d' % (a, b, thread))]
        for arguments, query in choices:
            for table in ('timers', 'threads', 'frames', 'frame_stats', 'regions', 'bookmarks', 'logs', 'counters'):
                wanted = table_of(tool, path, table, *arguments)
                answer = server.json('/rows?t=%s&top=20000%s' % (table, query))
                got = rows_of(answer['table'])
                result.equal('rows of %s %s' % (table, query), answer['all'], len(wanted))
                shared = [n for n in (got[0] if got else ()) if n in wanted[0] and not isinstance(wanted[0][n], bool)]
                result.true('columns of ' + table, len(shared) > 2 or not wanted)
                result.equal('%s %s' % (table, query), [[displayed(r[n]) for n in shared] for r in got],
                             [[displayed(r[n]) for n in shared] for r in wanted])


def check_timers(result, directory, path):
    """Rows of timers lead to the timers of the index: of the same name, file, line and number of calls, also where many have one
    name."""
    with served.Served(directory, path) as server:
        server.ready()
        timers = timers_of(server)
        overview, answer = server.json('/overview'), server.json('/rows?t=timers&top=20000')
        result.true('several timers have one name', len(set(t[0] for t in timers if t[3])) < len([t for t in timers if t[3]]))
        for data, ids in ((overview['timers'], overview['timer_ids']), (answer['table'], answer['timer_ids'])):
            rows = rows_of(data)
            result.true('rows', len(rows) > 1)
            if data is answer['table']:
                result.equal('timers', [timers[i][:3] for i in ids], [[r['timer'], r['file'] or '', r['line'] or 0] for r in rows])
            result.equal('calls', [timers[i][3] for i in ids], [r['count'] for r in rows])
        result.equal('a table without timers', server.json('/rows?t=threads')['timer_ids'], None)


def check_same_timer(result, directory, first, second):
    """The timer of another capture that is the same: by name, file and line, else by name."""
    with served.Served(directory, first, second) as server:
        server.ready()
        of, timers = timers_of(server, 0), timers_of(server, 1)
        known, shared = {t[0] for t in timers}, 0
        for i, timer in enumerate(of):
            found = server.json('/timer?c=1&of=0&timer=%d' % i)
            if timer[:3] in [t[:3] for t in timers]:
                result.equal('the same as %s' % timer[0], timers[found][:3], timer[:3])
                shared += 1
            elif timer[0] in known:
                result.equal('the same name as %s' % timer[0], timers[found][0], timer[0])
            else:
                result.equal('no %s' % timer[0], found, None)
        result.true('both have some', shared > 2)
        result.equal('of a reading', [server.ask('/timer?c=1&g=1&of=0&og=%d&timer=0' % reading).status for reading in (1, 2)], [200, 410])
        for query in ('c=1&of=2&timer=0', 'c=1&of=-1&timer=0'):
            result.equal('no capture: ' + query, server.ask('/timer?' + query).status, 404)
        for query in ('c=1&of=0&timer=99999999', 'c=1&of=0', 'timer=-1'):
            result.equal('no timer: ' + query, server.ask('/timer?' + query).status, 400)


def check_queues(result, directory, tool, path):
    """Tables of a queue of a GPU, by the lane of what it does and by that of its work, and of a queue with a thread."""
    with served.Served(directory, path) as server:
        server.ready()
        lanes = server.json('/lanes')['lanes']
        queues = {lane['id']: lane['name'] for lane in lanes if lane['kind'] == 'gpu'}
        thread = next(i for i, lane in enumerate(lanes) if lane['kind'] == 'thread')
        result.true('queues', len(queues) > 1)
        for i, lane in enumerate(lanes):
            if lane['kind'] not in ('gpu', 'gpu_work'):
                continue
            wanted = table_of(tool, path, 'gpu', '--thread', queues[lane['id']])
            answer = server.json('/rows?t=gpu&top=20000&l=%d' % i)
            result.true('rows', len(wanted) > 0)
            result.equal('rows of ' + lane['name'], [(r['queue'], r['timer'], r['count'], r['incl']) for r in rows_of(answer['table'])],
                         [(r['queue'], r['timer'], r['count'], r['incl']) for r in wanted])
            result.equal('threads of ' + lane['name'], server.json('/rows?t=threads&l=%d' % i)['all'], 0)
            result.equal('threads of it and a thread', [r['thread'] for r in rows_of(server.json('/rows?t=threads&l=%d.%d' % (i, thread))['table'])],
                         [lanes[thread]['name']])


def boxes_of(server, about, number, names):
    """All boxes of a lane: name, start, end."""
    out, a = set(), about['start']
    step = PIXELS * max(100, about['finest'] // 2)
    while a <= about['end']:
        w = server.window(a=a, b=a + step, w=PIXELS, d=0, l=number, each=1)
        out |= {(names[timer], start, None if length < 0 else start + length, row) for _, row, start, length, timer, _, cover in w.rows() if cover == 255}
        a += step
    return sorted(((n, a, b) for n, a, b, _ in out), key=lambda b: (b[1], b[0], b[2] or 0))


def ran_instead(runs):
    """Of each thread on which core it ran, and off core who ran first on the core that it left, before it ran again."""
    by_thread, by_core, out = collections.defaultdict(list), collections.defaultdict(list), collections.defaultdict(list)
    for r in runs:
        by_core[r['core']].append((r['start'], r['system_id'], r['thread'] or 'unknown thread'))
        if r['thread_id'] is not None:
            by_thread[r['thread_id']].append(r)
    for thread, own in by_thread.items():
        for before, after in zip(own, own[1:]):
            if after['start'] <= before['end']:
                continue
            core = by_core[before['core']]
            others = [n for t, who, n in core[bisect.bisect_left(core, (before['end'],)):bisect.bisect_left(core, (after['start'],))] if who != before['system_id']]
            out[thread].append((others[0] + ' ran instead' if others else 'off core, nothing else ran', before['end'], after['start']))
        out[thread] += [('core %d' % r['core'], r['start'], r['end']) for r in own]
    return out


def spans_of_rows(tool, path):
    """What lanes of rows have to hold, by kind and name or number, from the tables."""
    wanted = collections.defaultdict(list)
    runs = table_of(tool, path, 'switch_rows', '-c', 'start,end,system_id,thread_id,thread,core')
    for r in runs:
        wanted['core', r['core']].append((r['thread'] or 'unknown thread', r['start'], r['end']))
    for thread, spans in ran_instead(runs).items():
        wanted['running', thread] += spans
    for r in table_of(tool, path, 'lock_rows', '-c', 'lock,thread,requested,obtained,released'):
        if r['obtained'] is None or r['obtained'] > r['requested']:
            wanted['lock', r['lock']].append((r['thread'] + ' waits', r['requested'], r['obtained']))
        if r['obtained'] is not None:
            wanted['lock', r['lock']].append((r['thread'] + ' holds', r['obtained'], r['released']))
    for r in table_of(tool, path, 'file_activity'):
        wanted['file', r['op']].append((r['path'] or 'unknown file', r['start'], r['end']))
    for r in table_of(tool, path, 'packages', '-c', 'name,first,last'):
        wanted['package', 'packages'].append((r['name'] or 'unknown package', r['first'], r['last']))
    for r in table_of(tool, path, 'load_requests') if tool.run('trace-stats', path, '-q', '-t', 'load_requests').status == 0 else ():
        wanted['request', 'requests'].append(('%s (%d package%s)' % (r['group'] or 'load request', r['packages'], 's' * (r['packages'] != 1)), r['start'], r['end']))
    for r in table_of(tool, path, 'task_rows'):
        if r['launched'] is not None:
            wanted['task', 'launched tasks'].append((r['task'], r['launched'], r['started']))
    for r in table_of(tool, path, 'gpu_fences') if tool.run('trace-stats', path, '-q', '-t', 'gpu_fences').status == 0 else ():
        if r['signal_time'] is None or r['signal_time'] > r['time']:
            wanted['fence', r['queue']].append((r['other'] + ' is waited for', r['time'], r['signal_time']))
    return wanted


def check_row_lanes(result, directory, tool, path, kinds):
    """Lanes of cores, running threads, locks, files, packages, requests, tasks and fences hold what the tables say; zoomed out they
    are pieces, so that a window has no more of them than pixels."""
    wanted = spans_of_rows(tool, path)
    with served.Served(directory, path) as server:
        server.ready()
        about, names = server.json('/lanes'), names_of(server)
        seen, few = set(), 0
        for i, lane in enumerate(about['lanes']):
            if lane['kind'] in ('thread', 'gpu', 'gpu_work'):
                continue
            key = lane['kind'], lane['id'] if lane['kind'] in ('core', 'running') else lane['name']
            spans = sorted(wanted[key], key=lambda b: (b[1], b[0], b[2] or 0))
            about['start'], about['end'] = spans[0][1] - 1, max(s[2] or s[1] for s in spans) + 1
            result.equal('%s %s: spans' % key, boxes_of(server, about, i, names), sorted(set(spans), key=lambda b: (b[1], b[0], b[2] or 0)))
            result.equal('%s %s: how many' % key, lane['scopes'] + lane['unended'], len(spans))
            w = server.window(a=about['start'], b=about['end'], w=100, d=0, l=i)
            result.true('%s %s: %d boxes' % (*key, w.n), w.n <= 600 * lane['rows'])
            few += len(spans) > 3 * w.n
            seen.add(key)
        result.equal('lanes', seen, {k for k, v in wanted.items() if v})
        result.equal('kinds', {k for k, _ in seen}, kinds)
        result.true('zoomed out they are pieces', few > 0)


def check_pictures(result, directory, tool, path):
    """The bytes of a screenshot are those that trace-export writes."""
    with tempfile.TemporaryDirectory() as folder, served.Served(directory, path) as server:
        tool.must('trace-export', path, '-f', 'pictures', '-o', pathlib.Path(folder) / 'p', '-q')
        files = sorted((pathlib.Path(folder) / 'p').iterdir())
        server.ready()
        result.true('pictures', len(files) > 0)
        for i, file in enumerate(files):
            result.equal('picture %d' % i, server.ask('/picture?i=%d' % i).body, file.read_bytes())
        result.equal('no further one', server.ask('/picture?i=%d' % len(files)).status, 404)
        result.equal('no number', server.ask('/picture').status, 400)
        page = server.ask('/page?t=timers&a=5500000000&b=5535000000')
        result.equal('a page of a selection', (page.status, page.body[:15].lower(), b'</html>' in page.body[-20:].lower()), (200, b'<!doctype html>', True))


def texts_of_page(body):
    """All that a page shows: its markup, and its blocks unpacked."""
    html = body.decode()
    blocks = re.findall(r'<script type="application/octet-stream"[^>]*>([^<]*)</script>', html)
    return '\n'.join([html] + [zlib.decompress(base64.b64decode(b)).decode() for b in blocks])


def check_anonymous(result, directory, tool, path):
    """A page of a selection that is anonymised has the times of the one that is not, and none of the texts that trace-edit
    --anonymise replaces: those that are in the capture, and in its anonymised form no more."""
    with tempfile.TemporaryDirectory() as folder, served.Served(directory, path) as server:
        edited = pathlib.Path(folder) / ('x' + ''.join(path.suffixes[:1]))
        tool.must('trace-edit', path, '--anonymise', '-o', edited, '-q')
        columns = {'logs': 'text', 'assets': 'name', 'packages': 'name', 'threads': 'thread', 'files': 'path', 'modules': 'module', 'regions': 'name', 'bookmarks': 'text'}
        texts = [{r.get(c) for t, c in columns.items() for r in table_of(tool, p, t) if r.get(c)} for p in (path, edited)]
        kept = '\n'.join(r['timer'] for t in ('timers', 'gpu') for r in table_of(tool, edited, t))
        replaced = {t for t in texts[0] - texts[1] if len(t) > 5 and t not in kept}
        result.true('texts that are replaced: %d' % len(replaced), len(replaced) > 50)
        server.ready()
        lane = next(i for i, known in enumerate(server.json('/lanes')['lanes']) if known['name'] == 'GameThread')
        for lanes in ('', '&l=%d' % lane):
            answers = [server.ask('/page?t=timers&a=5500000000&b=5535000000%s&anonymous=%d' % (lanes, n)) for n in (0, 1)]
            result.equal('status', [a.status for a in answers], [200, 200])
            plain, anonymous = (texts_of_page(a.body) for a in answers)
            result.true('the plain page has such texts', any(t in plain for t in replaced))
            result.equal('those in the anonymised one: %s' % sorted(t for t in replaced if t in anonymous), len([t for t in replaced if t in anonymous]), 0)
            result.true('nor the name of the file', path.name not in anonymous)
            times = [re.findall(r'<data value="([^"]*)"', re.search(r'data-table="timers".*?</table>', p, re.S).group()) for p in (plain, anonymous)]
            result.true('times', len(times[0]) > 100)
            result.equal('the same times', times[1], times[0])
        left = [p.name for p in pathlib.Path(tempfile.gettempdir()).glob('tracekit-*-anonymised*')]
        result.equal('files that are left', left, [])
    with tempfile.TemporaryDirectory() as folder:
        other = pathlib.Path(folder) / 'a.json'
        other.write_text('{"traceEvents": [{"ph": "X", "name": "secret", "pid": 1, "tid": 1, "ts": 0, "dur": 9}]}')
        with served.Served(directory, other) as server:
            server.ready()
            answer = server.ask('/page?t=timers&a=0&b=9000&anonymous=1')
            result.equal('what cannot be anonymised is no page', (answer.status, b'secret' in answer.body, answer.body), (400, False, answer.body))
            result.true('and says why', len(answer.body) > 20)


def check_namesakes(result, directory):
    """Two threads of one name: each is selected by itself, and both are."""
    events = [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': tid, 'args': {'name': 'Worker'}} for tid in (7, 8)]
    events += [{'ph': 'X', 'name': 'of %d' % tid, 'pid': 1, 'tid': tid, 'ts': 100 * i, 'dur': 10} for tid in (7, 8) for i in range(tid)]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'namesakes.json'
        path.write_text(json.dumps({'traceEvents': events}))
        with served.Served(directory, path) as server:
            server.ready()
            lanes = server.json('/lanes')['lanes']
            result.equal('their names', [lane['name'] for lane in lanes], ['Worker'] * 2)
            for i, lane in enumerate(lanes):
                answer = server.json('/rows?t=timers&l=%d' % i)
                result.equal('timers of one', [(r['timer'], r['count']) for r in rows_of(answer['table'])], [('of %d' % lane['scopes'], lane['scopes'])])
                result.equal('itself', [r['busy'] for r in rows_of(server.json('/rows?t=threads&l=%d' % i)['table'])], [lane['scopes'] * 10000])
            both = rows_of(server.json('/rows?t=timers&l=0.1')['table'])
            result.equal('timers of both', sorted((r['timer'], r['count']) for r in both), [('of 7', 7), ('of 8', 8)])


def check_enough(result, directory, tool, path):
    """Rows beyond those that are wanted are not read."""
    with served.Served(directory, path) as server:
        server.ready()
        samples = table_of(tool, path, 'sample_rows')
        result.true('samples', len(samples) > 3)
        answer = server.json('/rows?t=sample_rows&top=2&enough=1')
        result.equal('the first', [r['time'] for r in rows_of(answer['table'])], [s['time'] for s in samples[:2]])
        result.true('there are more', answer['all'] > 2)
        result.equal('all of them', server.json('/rows?t=sample_rows&top=20000&enough=1')['all'], len(samples))
        result.equal('and counted', server.json('/rows?t=sample_rows&top=2')['all'], len(samples))


def check_found(result, directory, tool, path):
    """Rows that a search finds are those of trace-stats with a condition; other tables are not searched."""
    with served.Served(directory, path) as server:
        server.ready()
        for table, column in (('logs', 'text'), ('bookmarks', 'text'), ('regions', 'name')):
            words = [w for r in table_of(tool, path, table) for w in r[column].split()]
            for word in sorted(set(words), key=words.count)[:2]:
                wanted = [r[column] for r in table_of(tool, path, table, '--where', '%s~%s' % (column, word))]
                answer = server.json('/rows?' + urllib.parse.urlencode({'t': table, 'q': word, 'top': 20000}))
                result.equal('%s with %s' % (table, word), [r[column] for r in rows_of(answer['table'])], wanted)
        result.equal('timers are searched elsewhere', server.ask('/rows?t=timers&q=a').status, 400)


def check_many_hitches(result, directory):
    """300 frames, each 14 behind the one before, take ten times as long as the others, which is no habit: 256 are listed, and
    the page is reported of the 44. Only where somebody requests fewer it is a limit that was reached."""
    times = [1000] * 40 + ([10000] + [1000] * 13) * 300
    events, at = [], 0
    for length in times:
        events.append({'ph': 'X', 'name': 'Frame', 'pid': 1, 'tid': 1, 'ts': at, 'dur': length})
        at += length
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'hitches.json'
        path.write_text(json.dumps({'traceEvents': events}))
        for limit, listed, beyond, ends in ((None, 256, 44, 0), (300, 300, 0, 0), (9, 9, 0, 4)):
            with served.Served(directory, path, '-q', '--frames-from', 'Frame', *(['--limit', 'hitches=%d' % limit] if limit else [])) as server:
                server.ready()
                overview, rows = server.json('/overview'), server.json('/rows?t=hitches')
                result.equal('hitches of %s' % limit, len({r['frame'] for r in rows_of(overview['hitches'])}), listed)
                result.equal('others of %s' % limit, (overview['hitches_beyond'], rows['beyond']), (beyond, beyond))
                result.equal('partial of %s' % limit, overview['partial'], int(ends == 4))
                result.equal('status of %s' % limit, server.end()[0], ends)


FORBIDDEN = ('innerHTML', 'outerHTML', 'insertAdjacentHTML', 'document.write', 'eval(', 'Function(', "setAttribute('on", "setAttribute('style'",
             'javascript:', 'fetch(', 'import(', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'http:', 'https:')


def check_sources(result, root):
    """What could make markup or a request of a text is not in the script: one function queries the server."""
    sources = sorted((root / 'libtrace' / 'view' / 'page').glob('*.js'))
    result.true('sources', len(sources) > 5)
    for path in sources:
        text = path.read_text(encoding='utf-8')
        for word in FORBIDDEN:
            result.equal('%s: %s' % (path.name, word), text.count(word), int(path.name == 'server.js' and word == 'fetch('))
    joined = sources + [root / 'libtrace' / 'report' / 'page' / (n + '.js') for n in ('text', 'blocks', 'tables', 'canvas', 'times', 'stacks', 'flame')]
    named = collections.Counter(n for p in joined for n in set(re.findall(r'^(?:export )?(?:async )?(?:function|class|const|let) (\w+)', p.read_text(encoding='utf-8'), re.M)))
    result.equal('names of several modules, which are joined to one', [n for n, c in named.items() if c > 1], [])
    page = (root / 'libtrace' / 'view' / 'page' / 'view.html').read_text(encoding='utf-8')
    for word in ('<style', 'style=', ' on', '<script>', 'http'):
        result.true('view.html: ' + word, word not in page)


def check_kinds(result, root):
    """Each kind of lanes made of rows is a file of the server and one of the page, of one name, and both say the same kinds; what is
    of a thread or queue comes of the rows of cores."""
    folder, script = root / 'libtrace' / 'view', (root / 'libtrace' / 'CMakeLists.txt').read_text(encoding='utf-8')
    server = {p.stem: set(re.findall(r'\.name = "(\w+)"', p.read_text(encoding='utf-8'))) for p in (folder / 'index').glob('row_*.c') if p.stem != 'row_lanes'}
    page = {p.stem: re.findall(r"kind: '(\w+)'", p.read_text(encoding='utf-8')) for p in (folder / 'page').glob('row_*.js')}
    server['row_cores'] |= set(re.findall(r'of_cores = \{\.name = "(\w+)"', (folder / 'index' / 'row_lanes.c').read_text(encoding='utf-8')))
    result.true('kinds of lanes', len(server) > 6)
    result.equal('a file on each side', {n: sorted(k) for n, k in page.items()}, {n: sorted(k) for n, k in server.items()})
    kinds = (folder / 'page' / 'kinds.js').read_text(encoding='utf-8')
    for name in sorted(page):
        result.true(name + ': is in the list of kinds and in the page', "'./%s.js'" % name in kinds and ' %s.js' % name in script)


def check_gate(result, server):
    """Who gets what: raw requests and their status."""
    own, other = '127.0.0.1:%d' % server.port, '127.0.0.1:%d' % (server.port ^ 1)
    secret = '/lanes'
    rows = [
        ('the page', server.request('/', token=False), 200),
        ('its script', server.request('/view.js', token=False), 200),
        ('its style', server.request('/view.css', token=False), 200),
        ('localhost', server.request(secret, host='localhost:%d' % server.port), 200),
        ('IPv6', server.request(secret, host='[::1]:%d' % server.port), 200),
        ('own origin', server.request(secret, 'Origin: http://' + own, 'Sec-Fetch-Site: same-origin'), 200),
        ('typed', server.request('/', 'Sec-Fetch-Site: none', token=False), 200),
        ('no token', server.request(secret, token=False), 403),
        ('wrong token', server.request(secret, token='0' * 32), 403),
        ('short token', server.request(secret, token=server.token[:31]), 403),
        ('long token', server.request(secret, token=server.token + '0'), 403),
        ('token in capitals', server.request(secret, token=server.token.upper() + 'X'), 403),
        ('token in the target', server.request(secret + '?token=' + server.token, token=False), 403),
        ('two tokens', server.request(secret, 'X-Tracekit-Token: ' + server.token), 400),
        ('name bound anew', server.request('/', host='attacker.example:%d' % server.port), 421),
        ('no port', server.request('/', host='127.0.0.1'), 421),
        ('another port', server.request('/', host=other), 421),
        ('a name that begins so', server.request('/', host=own + '.attacker.example'), 421),
        ('other origin', server.request(secret, 'Origin: http://attacker.example'), 403),
        ('origin null', server.request(secret, 'Origin: null'), 403),
        ('origin of another port', server.request(secret, 'Origin: http://' + other), 403),
        ('other site', server.request('/', 'Sec-Fetch-Site: cross-site', token=False), 403),
        ('same site', server.request('/', 'Sec-Fetch-Site: same-site', token=False), 403),
        ('a link', server.request('/', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document', token=False), 200),
        ('a frame', server.request('/', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe', token=False), 403),
        ('a link to data', server.request(secret, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'), 403),
        ('a link to the script', server.request('/view.js', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document', token=False), 403),
        ('preflight', server.request(secret, 'Origin: http://attacker.example', method='OPTIONS'), 405),
        ('POST', server.request(secret, method='POST'), 405),
        ('HEAD', server.request('/', method='HEAD'), 405),
        ('PUT', server.request('/', method='PUT'), 405),
        ('CONNECT', server.request('/', method='CONNECT'), 405),
        ('TRACE', server.request('/', method='TRACE'), 405),
        ('no host', b'GET / HTTP/1.1\r\n\r\n', 400),
        ('two hosts', server.request('/', 'Host: ' + own), 400),
        ('old version', server.request('/', version='HTTP/1.0'), 505),
        ('new version', server.request('/', version='HTTP/2.0'), 505),
        ('no version', b'GET /\r\nHost: ' + own.encode() + b'\r\n\r\n', 400),
        ('a body', server.request('/', 'Content-Length: 3') + b'abc', 400),
        ('chunks', server.request('/', 'Transfer-Encoding: chunked') + b'0\r\n\r\n', 400),
        ('folded field', server.request('/', 'A: b', ' c'), 400),
        ('no colon', server.request('/', 'nothing'), 400),
        ('line feeds alone', server.request('/').replace(b'\r\n', b'\n') + b'\r\n\r\n', 400),
        ('absolute target', server.request('http://%s/' % own), 400),
        ('fragment', server.request('/#a'), 400),
        ('control', server.request('/\x01'), 400),
        ('high byte', server.request('/\xe9'), 400),
        ('long target', server.request('/?' + 'a' * 2048), 414),
        ('long fields', server.request('/', 'A: ' + 'a' * 8192), 431),
        ('many fields', server.request('/', *['A: b'] * 2000), 431),
        ('TLS', b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400),
        ('another protocol', b'SSH-2.0-OpenSSH_9.2\r\n', 400),
        ('up', server.request('/../../etc/passwd'), 404),
        ('up, coded', server.request('/%2e%2e/%2e%2e/etc/passwd'), 404),
        ('a file', server.request('/etc/passwd'), 404),
        ('a file as address', server.request('/file:///etc/passwd'), 404),
        ('the capture', server.request('/game.utrace'), 404),
        ('twice the root', server.request('//'), 404),
        ('no such path', server.request('/W'), 404),
        ('no such path without token', server.request('/W', token=False), 403),
        ('no such capture', server.request('/lanes?c=1'), 404),
        ('capture -1', server.request('/lanes?c=-1'), 404),
        ('no such table', server.request('/rows?t=events'), 400),
        ('hostile table', server.request("/rows?t=timers'--"), 400),
        ('no such lane', server.request('/w?a=0&b=9&w=9&d=0&l=999'), 400),
        ('lanes', server.request('/w?a=0&b=9&w=9&d=0&l=0..0'), 400),
        ('huge lane', server.request('/w?a=0&b=9&w=9&d=0&l=99999999999999999999'), 400),
        ('backwards', server.request('/w?a=9&b=0&w=9&d=0&l=0'), 400),
        ('no pixels', server.request('/w?a=0&b=9&w=0&d=0&l=0'), 400),
        ('too many pixels', server.request('/w?a=0&b=9&w=8193&d=0&l=0'), 400),
        ('no number', server.request('/w?a=x&b=9&w=9&d=0&l=0'), 400),
        ('beyond 64 bits', server.request('/w?a=0&b=99999999999999999999&w=9&d=0&l=0'), 400),
        ('the widest window', server.request('/w?a=-9223372036854775807&b=9223372036854775807&w=9&d=0&l=0'), 200),
        ('escape that ends', server.request('/search?q=%4'), 400),
        ('NUL', server.request('/search?q=a%00b'), 400),
        ('nothing', server.request('/search?q='), 400),
        ('long search', server.request('/search?q=' + 'a' * 1000), 400),
        ('no such timer', server.request('/next?timer=4294967295&t=0'), 400),
    ]
    for what, request, status in rows:
        answer = server.raw(request)
        result.equal(what, answer and answer.status, status)
        if not answer:
            continue
        result.true(what + ': no other site may read it', not any(name.startswith('access-control') for name in answer.fields))
        result.equal(what + ': policy', ("default-src 'none'" in answer.fields['content-security-policy'],
                                         answer.fields['x-content-type-options'], answer.fields['cache-control']), (True, 'nosniff', 'no-store'))
        result.true(what + ': the token is not told', server.token.encode() not in answer.body)
        if status >= 400:
            result.equal(what + ': ends the connection', (answer.fields.get('connection'), behind(server, request)), ('close', 0))
    result.equal('it still answers', server.ask(secret).status, 200)


def behind(server, request):
    """How many answers follow a refusal in its connection, to a good request that was sent with it."""
    with server.connect() as s:
        s.sendall(request + server.request('/view.css', token=False))
        answers = b''
        try:
            while part := s.recv(65536):
                answers += part
        except ConnectionError:
            pass
    return answers.count(b'HTTP/1.1 ') - 1


def check_connections(result, server):
    """Requests in one connection, in parts, cut off, and many of them."""
    with server.connect() as s:
        for _ in range(3):
            s.sendall(server.request('/progress'))
            result.equal('one after another', served.read_answer(s).status, 200)
        s.sendall(server.request('/progress') + server.request('/lanes') + server.request('/view.css', 'Connection: close'))
        answers = b''
        while part := s.recv(65536):
            answers += part
        result.equal('three at once', answers.count(b'HTTP/1.1 200 OK'), 3)
    with server.connect() as s:
        for byte in server.request('/lanes'):
            s.sendall(bytes([byte]))
        result.equal('byte by byte', served.read_answer(s).status, 200)
    for n in (1, 10, 40, 90):
        with server.connect() as s:
            s.sendall(server.request('/lanes')[:n])
    for _ in range(20):                                 # nobody waits for the answer
        with server.connect() as s:
            s.sendall(server.request('/rows?t=timers'))
    with server.connect() as s:                         # an answer that is not taken
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.sendall(server.request('/view.js') * 3)
        result.equal('beside one that does not read', server.ask('/lanes').status, 200)
    silent = []
    try:
        for _ in range(1000):
            silent.append(server.connect())
            if len(silent) % 2:
                silent[-1].sendall(b'GET / HT')
        began = time.monotonic()
        result.equal('beside a thousand silent ones', server.ask('/lanes').status, 200)
        result.true('soon', time.monotonic() - began < 2)
    finally:
        for s in silent:
            s.close()
    result.equal('after them', server.ask('/lanes').status, 200)


def check_newest(result, server):
    """Of one page the newest window counts: older ones that wait are given up, and those of others are answered."""
    lanes = server.json('/lanes')
    query = '/w?a=0&b=%d&w=1000&d=0&l=%s' % (lanes['last'], '.'.join(str(i) for i in range(len(lanes['lanes']))))
    connections = [server.connect() for _ in range(8)]
    try:
        for i, s in enumerate(connections):
            s.sendall(server.request('%s&page=5&n=%d' % (query, i)))
        statuses = [served.read_answer(s).status for s in connections]
        result.equal('the newest is answered', statuses[-1], 200)
        result.true('others are answered or given up', all(status in (200, 204) for status in statuses))
    finally:
        for s in connections:
            s.close()


def check_slow(result, directory, fixtures, patience):
    """Who sends too slowly is cut off, and keeps nobody waiting."""
    with served.Served(directory, fixtures / 'tiny.utrace') as server:
        server.ready()
        with server.connect() as s:
            s.sendall(b'GET / HTTP/1.1\r\n')
            result.equal('beside a slow one', server.ask('/lanes').status, 200)
            began = time.monotonic()
            while patience:
                try:
                    s.sendall(b'A')
                    s.settimeout(0.5)
                    if not s.recv(100):
                        break
                except TimeoutError:
                    pass
                except OSError:
                    break
            result.true('after its time', not patience or 8 < time.monotonic() - began < 15)


def check_replaced(result, directory, fixtures):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'a.utrace'
        shutil.copy(fixtures / 'tiny.utrace', path)
        with served.Served(directory, path) as server:
            server.ready()
            before = server.window(a=0, b=10 ** 9, w=1000, d=0, l='0.1')
            other = pathlib.Path(folder) / 'b.utrace'
            shutil.copy(fixtures / 'threads.utrace', other)
            os.replace(other, path)
            result.equal('it is noticed', wait_for(server, 'replaced'), 'replaced')
            result.equal('and stays as it was', list(server.window(a=0, b=10 ** 9, w=1000, d=0, l='0.1').rows()), list(before.rows()))
            status, said = server.end()
            result.true('and is said', status == 0 and 'was replaced' in said)
        with served.Served(directory, path) as server:
            server.ready()
            with open(path, 'ab') as file:
                file.write(b'x' * 1000)
            result.equal('what was written to is noticed', wait_for(server, 'rewritten'), 'rewritten')
            result.equal('and not shown', server.ask('/lanes').status, 409)
            result.equal('but the page is', server.ask('/', token=False).status, 200)


def check_replaced_early(result, directory, fixtures):
    """A file that is replaced before the index is made, which is when the address is printed: into a pipe that is full, so that
    the command waits. Tables and timeline are of one file."""
    with tempfile.TemporaryDirectory() as folder:
        path, other = pathlib.Path(folder) / 'a.utrace', pathlib.Path(folder) / 'b.utrace'
        shutil.copy(fixtures / 'tiny.utrace', path)
        shutil.copy(fixtures / 'threads.utrace', other)
        ours, theirs = os.pipe()
        os.set_blocking(theirs, False)
        filled = 0
        for size in (4096, 1):
            while True:
                try:
                    filled += os.write(theirs, b'x' * size)
                except BlockingIOError:
                    break
        os.set_blocking(theirs, True)
        with served.Served(directory, path, stdout=theirs) as server:
            os.close(theirs)
            time.sleep(1)
            os.replace(other, path)
            left = filled
            while left:
                left -= len(os.read(ours, left))
            server.take_address(os.read(ours, 200).decode())
            os.close(ours)
            server.ready()
            answer = server.json('/rows?t=timers&top=20000')
            result.equal('scopes of one file', server.json('/lanes')['scopes'], sum(r['count'] for r in rows_of(answer['table'])))


def wait_for(server, state, key='file'):
    until = time.monotonic() + 5
    while time.monotonic() < until:
        now = server.json('/progress')['captures'][0][key]
        if now == state:
            break
        time.sleep(0.05)
    return now


def scopes_of(tool, path):
    return sum(r['count'] for r in json.loads(tool.run('trace-stats', path, '-q', '-t', 'timers', '-f', 'json').out)['timers'])


def check_follow(result, directory, fixtures, tool):
    """A file that a recorder writes, which has its lock on it until it ends: what came is displayed, as trace-stats counts it in a
    copy of the same bytes, and the end is said."""
    data = (fixtures / 'threads.utrace').read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        path, copy = pathlib.Path(folder) / 'a.utrace', pathlib.Path(folder) / 'copy.utrace'
        with open(path, 'wb', 0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(data[:10])
            written = 10
            with served.Served(directory, path, '--follow', stdout=subprocess.PIPE) as server:
                time.sleep(0.3)    # there is no header yet: it is waited for
                for end in (len(data) // 3, len(data) // 2, len(data)):
                    file.write(data[written:end])
                    written = end
                    copy.write_bytes(data[:end])
                    wanted, began = scopes_of(tool, copy), time.monotonic()
                    if not server.address:
                        server.take_address(server.process.stdout.readline())
                        server.ready()
                    while (lanes := server.json('/lanes'))['scopes'] != wanted and time.monotonic() < began + 5:
                        time.sleep(0.05)
                    result.equal('scopes of %d bytes' % end, lanes['scopes'], wanted)
                    result.true('soon', time.monotonic() - began < 2.5)
                    result.equal('frames of it', len(rows_of(server.json('/rows?t=timers&top=20000&g=%d' % lanes['reading'])['table'])) > 0, True)
                    state = server.json('/progress')['captures'][0]
                    result.equal('and its state', [state[k] for k in ('grows', 'file', 'reading')], ['yes', 'same', lanes['reading']])
                result.true('it was read anew', lanes['reading'] >= 3)
                for back, status in ((1, 200), (2, 410)):
                    result.equal('what is asked about a reading %d before' % back, [server.ask('/%s&g=%d' % (p, lanes['reading'] - back)).status
                                 for p in ('w?a=0&b=9&w=9&d=0&l=0', 'names?from=0&n=9', 'rows?t=timers')], [status] * 3)
                before = server.json('/lanes?g=%d' % (lanes['reading'] - 1))
                result.true('which has less', before['scopes'] < lanes['scopes'] and before['reading'] == lanes['reading'] - 1)
                fcntl.flock(file, fcntl.LOCK_UN)
                result.equal('the end', wait_for(server, 'ended', 'grows'), 'ended')
                result.equal('what is left', server.json('/lanes')['scopes'], wanted)
                result.equal('status', server.end(), (0, ''))
        with open(path, 'r+b') as file, served.Served(directory, path, '--follow') as server:
            server.ready()
            file.truncate(100)
            result.equal('what is cut', wait_for(server, 'rewritten'), 'rewritten')
            result.equal('is not shown', [server.ask(path).status for path in ('/lanes', '/rows?t=timers')], [409] * 2)
            result.equal('and is said', 'was written to' in server.end()[1], True)
        path.write_bytes(data)
        with served.Served(directory, path, '--follow') as server:
            server.ready()
            shutil.copy(fixtures / 'tiny.utrace', copy)
            os.replace(copy, path)
            result.equal('what is replaced', wait_for(server, 'replaced'), 'replaced')
            result.equal('stays as it was', [server.json('/lanes')['scopes'], len(rows_of(server.json('/rows?t=timers')['table'])) > 0], [wanted, True])


def check_command(result, directory, fixtures, tool):
    tiny = fixtures / 'tiny.utrace'
    for number in (signal.SIGINT, signal.SIGTERM):
        with served.Served(directory, tiny) as server:
            result.true('its address', server.address.startswith('http://127.0.0.1:%d/#' % server.port) and len(server.token) == 32)
            result.equal('status', server.end(number), (0, ''))
    with served.Served(directory, tiny, fixtures / 'tiny-ue5.0.utrace') as server:
        server.ready()
        result.equal('their paths', [c['path'] for c in server.json('/progress')['captures']], [str(tiny), str(fixtures / 'tiny-ue5.0.utrace')])
        result.equal('two captures', [c['name'] for c in server.json('/progress')['captures']], ['tiny.utrace', 'tiny-ue5.0.utrace'])
        result.equal('lanes of both', [len(server.json('/lanes?c=%d' % c)['lanes']) > 0 for c in (0, 1)], [True, True])
        tokens = {server.token}
        taken = tool.run('trace-view', tiny, '--port', str(server.port))
        result.equal('a port that is taken', (taken.status, taken.out), (3, b''))
        with served.Served(directory, tiny, '--allow-host', 'far.example:80') as other:
            tokens.add(other.token)
            result.equal('a host that is allowed', other.ask('/progress', host='far.example:80').status, 200)
            result.equal('and no other', other.ask('/progress', host='far.example:81').status, 421)
        result.equal('tokens differ', len(tokens), 2)
    done = tool.run('trace-view', tiny, '--idle', '0.005')
    result.equal('idle', done.status, 0)
    lossy, damaged = fixtures / 'damaged' / 'batch_leave_only.utrace', fixtures / 'damaged' / 'flip_lz4.utrace'
    for arguments in ((lossy,), (lossy, '--strict-loss'), (tiny, '--strict-loss'), (damaged,), (tiny, damaged)):
        statistics = [tool.run('trace-stats', f, '-q', *[a for a in arguments if a == '--strict-loss']).status for f in arguments if f != '--strict-loss']
        with served.Served(directory, *arguments) as server:
            server.ready()
            status, said = server.end()
        result.equal('status of %s, as of trace-stats' % (arguments,), status, max(statistics))
        result.equal('what is said of %s' % (arguments,), 'damaged' in said or 'lost' in said, lossy in arguments or damaged in arguments)
    for arguments, status in (((), 2), ((tiny, '--port', '65536'), 2), ((tiny, '--idle', '-1'), 2), (('-',), 2), ((tiny, '--allow-host', 'x'), 2),
                              ((tiny,) * 5, 2), ((fixtures / 'nothing.utrace',), 3), ((fixtures,), 3), ((fixtures / 'tiny.truth.json',), 3)):
        done = tool.run('trace-view', *arguments)
        result.equal('status of %s' % (arguments,), (done.status, done.out), (status, b''))


def check_browser(result, directory, fixtures):
    """On a terminal the browser is opened, by its name and with the address alone."""
    for arguments, opened in (((), True), (('--no-open',), False)):
        with tempfile.TemporaryDirectory() as folder:
            reported, program = pathlib.Path(folder) / 'told', pathlib.Path(folder) / 'xdg-open'
            program.write_text('#!/bin/sh\nprintf "%%s\\n" "$#" "$@" > %s.new && mv %s.new %s\n' % (reported, reported, reported))
            program.chmod(0o755)
            ours, theirs = os.openpty()
            environment = {**os.environ, 'PATH': '%s:%s' % (folder, os.environ['PATH']), 'TERM': 'xterm', 'NO_COLOR': '1'}
            process = subprocess.Popen([str(directory / 'trace-view'), str(fixtures / 'tiny.utrace'), *arguments], stdin=theirs,
                                       stdout=theirs, stderr=subprocess.PIPE, env=environment)
            os.close(theirs)
            address = os.read(ours, 200).decode().split()[0]
            until = time.monotonic() + (5 if opened else 0.3)
            while not reported.exists() and time.monotonic() < until:
                time.sleep(0.02)
            result.equal('what is opened', reported.read_text().split('\n') if reported.exists() else None, ['1', address, ''] if opened else None)
            process.send_signal(signal.SIGINT)
            result.equal('status', process.wait(served.TIMEOUT), 0)
            result.true('it says how it ends', 'Ctrl-C' in process.stderr.read().decode())
            process.stderr.close()
            os.close(ours)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('--patience', type=int, default=0)
    parser.add_argument('--windows', type=int, default=25)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    directory, fixtures, run = options.bin.resolve(), options.fixtures.resolve(), report.Report()
    tool = commands.Commands(directory)
    for name in ('tiny', 'tiny-ue5.0', 'tiny-ue5.1', 'old-p0-raw'):
        run.run('truth of ' + name, check_truth, directory, fixtures, name)
    for path in (fixtures / 'tiny.utrace', fixtures / 'coroutine.utrace', *sorted((fixtures / 'tracy').glob('*.tracy'))):
        run.run('windows of ' + path.name, check_windows, directory, fixtures, tool, path, options.windows)
    run.run('pieces', check_cells, directory, tool, fixtures / 'game.utrace.zst')
    run.run('bursts', check_bursts, directory, tool)
    run.run('scopes', check_scopes, directory, fixtures, tool, fixtures / 'tiny.utrace')
    run.run('tables', check_tables, directory, tool, fixtures / 'tiny.utrace')
    run.run('tables by an index', check_learned, directory, tool, fixtures / 'tiny.utrace')
    run.run('timers of one name', check_timers, directory, fixtures / 'tracy' / 'chrome-0.8.2.1.tracy')
    run.run('timers of another capture', check_same_timer, directory, fixtures / 'tiny.utrace', fixtures / 'tiny-ue5.0.utrace')
    run.run('queues', check_queues, directory, tool, fixtures / 'tracy' / 'crash-0.14.0.tracy')
    run.run('queues and their work', check_queues, directory, tool, fixtures / 'game.utrace.zst')
    run.run('lanes of rows', check_row_lanes, directory, tool, fixtures / 'game.utrace.zst', {'core', 'running', 'file', 'package', 'request', 'task', 'fence'})
    run.run('lanes of locks', check_row_lanes, directory, tool, fixtures / 'tracy' / 'ctx-0.14.0.tracy', {'core', 'running', 'lock'})
    run.run('pictures', check_pictures, directory, tool, fixtures / 'game.utrace.zst')
    run.run('an anonymised page', check_anonymous, directory, tool, fixtures / 'game.utrace.zst')
    run.run('threads of one name', check_namesakes, directory)
    run.run('found rows', check_found, directory, tool, fixtures / 'game.utrace.zst')
    run.run('many hitches', check_many_hitches, directory)
    run.run('enough', check_enough, directory, tool, fixtures / 'tracy' / 'open-0.10.tracy')
    with served.Served(directory, fixtures / 'tiny.utrace') as server:
        server.ready()
        run.run('who may ask', check_gate, server)
        run.run('connections', check_connections, server)
        run.run('newest', check_newest, server)
    run.run('sources', check_sources, HERE.parent.parent)
    run.run('kinds', check_kinds, HERE.parent.parent)
    run.run('slow', check_slow, directory, fixtures, options.patience)
    run.run('browser', check_browser, directory, fixtures)
    run.run('replaced', check_replaced, directory, fixtures)
    run.run('replaced early', check_replaced_early, directory, fixtures)
    run.run('follow', check_follow, directory, fixtures, tool)
    run.run('command', check_command, directory, fixtures, tool)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
