#!/usr/bin/env python3
"""Captures of other tools against what was put into them.

usage: check_imports.py --bin DIRECTORY [--seeds N] [--corpus DIRECTORY [--decoder PROGRAM]]

Random programs are written in all styles of imports_made.py and imports_styles.py; the figures of each timer and thread, of regions, messages
and counters have to be those of the program. Small texts with one trouble each have the outcome that stands beside them,
worked out by hand from import 1.2 and 3. With a corpus, which has a folder `import`, its files are compared with the
truth beside them: *.expected.csv, the table in odd.md, and what Perfetto found (FILE.tp) where it lost nothing. PROGRAM is
another decoder of the same formats, which prints threads with their scopes as JSON: the scopes of every file have to be
the same.
"""

import argparse
import collections
import csv
import gzip
import json
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands         # noqa: E402
import imports_made     # noqa: E402
import imports_odd      # noqa: E402
import imports_styles   # noqa: E402
import imports_switches # noqa: E402
import report           # noqa: E402

STYLES = ('begin', 'end', 'pairs', 'mixed', 'shuffled', 'odd', 'pf-plain', 'pf-compact', 'pf-late', 'fxt-pairs', 'fxt-complete',
          'fxt-providers')
FOLDERS = ('chrome', 'fxt', 'perfetto')
ALLOWED = (0, 4)


def rows(tools, path, table, *options):
    out = tools.must('trace-stats', path, '--table', table, '--format', 'ndjson', *options, allowed=ALLOWED).out
    return [commands.parse_json(line) for line in out.decode().splitlines()]


def figures(tools, path):
    """(kind, pid or process, tid, thread, name) -> [count, total, self, min, max]; pids are not in our tables."""
    out = {}
    threads = {row['thread_id']: row for row in rows(tools, path, 'threads')}
    for row in rows(tools, path, 'timers', '--by', 'thread'):
        thread = threads[row['thread_id']]
        if row['count']:
            out['scope', thread['system_id'], thread['thread'], row['timer']] = [
                row['count'], row['total'], row['excl'], row['min'], row['max']]
    for row in rows(tools, path, 'regions'):
        r = out.setdefault(('async', '', '', row['name']), [0, 0, 0, None, None])
        dur = row['dur']
        r[0] += 1
        r[1] += dur
        r[2] += dur
        r[3] = dur if r[3] is None else min(r[3], dur)
        r[4] = dur if r[4] is None else max(r[4], dur)
    for row in rows(tools, path, 'logs'):
        key = 'instant', threads[row['thread_id']]['system_id'], row['thread'], row['text']
        out[key] = [out.get(key, [0])[0] + 1, 0, 0, 0, 0]
    for row in rows(tools, path, 'counter_values'):
        key = 'counter', '', '', row['counter']
        out[key] = [out.get(key, [0])[0] + 1, 0, 0, 0, 0]
    return out


def without_pid(expected):
    out = {}
    for (kind, _, tid, thread, name), r in expected.items():
        key = kind, tid, thread, name
        have = out.setdefault(key, [0, 0, 0, r[3], r[4]])
        out[key] = [have[0] + r[0], have[1] + r[1], have[2] + r[2], min(have[3], r[3]), max(have[4], r[4])]
    return out


def check_figures(result, tools, path, wanted):
    got = figures(tools, path)
    for key in sorted({*got, *wanted}, key=str):
        result.equal(str(key), got.get(key), wanted.get(key))


def check_values(result, tools, path, program):
    """Values of counters, and when they are; the time of a table is since the first event."""
    first = min([ts for ts, *_ in program.counters + program.asyncs] +
                [item for *_, roots, instants in program.threads
                 for item in [root.begin for root in roots] + [ts for ts, _ in instants]])
    result.equal('values of counters',
                 sorted((r['time'], r['counter'], r['value']) for r in rows(tools, path, 'counter_values')),
                 sorted((ts - first, name, value) for ts, _, name, value in program.counters))


# ---- one trouble each ----

def check_odd(result, tools, directory, case):
    path = os.path.join(directory, 'odd.' + case.ending)
    with open(path, 'wb') as f:
        f.write(case.content)
    run = tools.run('trace-info', path)
    result.equal('status', run.status, case.status)
    if case.status == 3:
        result.true('the refusal says %r' % case.says, case.says in run.err.decode())
        return
    scopes = collections.Counter()
    for row in rows(tools, path, 'timers'):
        scopes[row['timer']] += row['count']
    if case.scopes is not None:
        result.equal('scopes', {name: n for name, n in scopes.items() if n}, case.scopes)
    kinds = {row['kind']: row['offset'] for row in reversed(rows(tools, path, 'health'))}
    result.equal('health', kinds, case.health)


def check_long(result, tools, directory):
    """A text that is longer than an event may be costs its event."""
    path = os.path.join(directory, 'long.json')
    event = '{"ph":"X","name":"%s","ts":1,"dur":1,"pid":1,"tid":1%s}'
    with open(path, 'w', encoding='utf-8') as f:
        f.write('[%s,%s]' % (event % ('a', ',"args":{"s":"' + 'y' * (5 << 20) + '"}'), event % ('b', '')))
    limit = '--limit', 'event_bytes=%d' % (2 << 20)
    result.equal('scopes', [r['timer'] for r in rows(tools, path, 'timers', *limit)], ['b'])
    run = tools.run('trace-info', path, *limit)
    result.equal('status', run.status, 4)
    result.true('the limit is named', "limit 'event_bytes'" in run.err.decode())


# ---- asynchronous work ----

def check_ids(result, tools, directory, seed):
    """Thousands of ids that come and go in any order, some of them again: each begin is closed by the end of its id."""
    rng, path = random.Random(seed), os.path.join(directory, 'ids.json')
    events, open_since, wanted = [], {}, collections.Counter()
    for ts in range(20000):
        number = rng.randrange(3000)
        begins = number not in open_since
        if begins:
            open_since[number] = ts
        else:
            wanted[1000 * (ts - open_since.pop(number))] += 1
        events.append('{"ph":"%s","cat":"c","name":"n","id":"%x","ts":%d,"pid":1}' % ('b' if begins else 'e', number, ts))
    with open(path, 'w', encoding='utf-8') as f:
        f.write('[%s]' % ','.join(events))
    got = rows(tools, path, 'regions')
    result.equal('durations', collections.Counter(r['dur'] for r in got if r['end'] is not None), wanted)
    result.equal('begins of open ones', sorted(r['start'] for r in got if r['end'] is None),
                 sorted(1000 * ts for ts in open_since.values()))


# ---- frames ----

FRAMES = """[
{"ph":"X","name":"Tick","ts":0,"dur":8,"pid":1,"tid":1},
{"ph":"X","name":"Tick","ts":1,"dur":2,"pid":1,"tid":1},
{"ph":"X","name":"Tick","ts":10,"dur":8,"pid":1,"tid":1},
{"ph":"X","name":"Tick","ts":3,"dur":1,"pid":1,"tid":2},
{"ph":"b","cat":"c","id":1,"name":"Work","ts":2,"pid":1},{"ph":"e","cat":"c","id":1,"name":"Work","ts":7,"pid":1},
{"ph":"i","name":"beat","ts":0,"pid":1,"tid":1,"s":"t"},{"ph":"i","name":"beat","ts":5,"pid":1,"tid":1,"s":"g"},
{"ph":"i","name":"A Frame","ts":4,"pid":1,"tid":1,"s":"t"},{"ph":"i","name":"A Frame","ts":9,"pid":1,"tid":1,"s":"t"}
]"""

# --frames-from -> begin and end in ns; None: without it, by the instants whose name has "frame" in it
FRAMES_FROM = {
    None: [(4000, 9000), (9000, None)],
    'Tick': [(0, 8000), (10000, 18000)],
    'tick|other': [(0, 8000), (10000, 18000)],
    'Work': [(2000, 7000)],
    'be?t': [(0, 5000), (5000, None)],
}


def check_frames(result, tools, directory):
    path = os.path.join(directory, 'frames.json')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(FRAMES)
    for pattern, wanted in FRAMES_FROM.items():
        options = ['--frames-from', pattern] if pattern else []
        result.equal(str(pattern), [(r['start'], r['end']) for r in rows(tools, path, 'frames', *options)], wanted)
    result.equal('nothing of that name', tools.run('trace-info', path, '--frames-from', 'tock').status, 2)


# ---- scheduling ----

def check_switches(result, tools, directory, seed, compact):
    path = os.path.join(directory, 'switches.pftrace')
    wanted = imports_switches.write(path, seed, compact)
    got = rows(tools, path, 'switch_rows')
    result.equal('switches', sorted((r['start'], r['end'], r['system_id'], r['core']) for r in got), wanted)
    result.equal('names', {r['system_id']: r['thread'] for r in got}, imports_switches.NAMES)


STATES = """[
{"name":"thread_name","ph":"M","pid":1,"tid":7,"args":{"name":"worker"}},
{"name":"Running","cat":"thread_state","ph":"T","ts":10,"dur":5,"pid":1,"tid":7,"args":{"cpu":2}},
{"name":"S","cat":"thread_state","ph":"T","ts":15,"dur":5,"pid":1,"tid":7,"args":{"io_wait":0}},
{"name":"Running","cat":"thread_state","ph":"T","ts":20,"dur":1,"pid":1,"tid":7,"args":{"cpu":0}}
]"""


def check_states(result, tools, directory):
    path = os.path.join(directory, 'states.json')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(STATES)
    result.equal('switches', [(r['start'], r['end'], r['system_id'], r['thread'], r['core'])
                              for r in rows(tools, path, 'switch_rows')],
                 [(0, 5000, 7, 'worker', 2), (10000, 11000, 7, 'worker', 0)])


# ---- ids of threads ----

IDS = (-1, -5, -1 << 31, 7)
WIDE = (-1 << 63, (1 << 63) - 1, -1 << 40)


def ids_json(ids):
    return ('[%s]' % ','.join('{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":%d}' % i for i in ids)).encode()


def ids_perfetto(ids):
    """A track of a thread, and a scope on it, for each; negative numbers are varints of 64 bits."""
    field, packet = imports_odd.field, imports_odd.packet
    out = b''
    for place, i in enumerate(ids):
        thread = field(1, 1) + field(2, i & (1 << 64) - 1)
        out += packet(field(10, 7) + field(13, 1) + field(60, field(1, 5 + place) + field(4, thread)))
        for kind in (1, 2):
            out += packet(field(8, 10 + kind) + field(10, 7) + field(11, field(9, kind) + field(11, 5 + place) + field(23, b'a')))
    return out


def ids_fxt(ids):
    """A thread that is named in the record itself, and a whole scope on it, for each."""
    out = struct.pack('<Q', 0x0016547846040010)
    for i in ids:    # seven words: header (event, complete; thread, category and name inline), begin, ids, texts, end
        header = 4 | 7 << 4 | 4 << 16 | (0x8000 | 1) << 32 | (0x8000 | 1) << 48
        out += struct.pack('<QQQq8s8sQ', header, 10, 1, i, b'a', b'a', 20)
    return out


def check_system_ids(result, tools, directory):
    for ending, ids, make in (('json', IDS + WIDE, ids_json), ('pftrace', IDS, ids_perfetto), ('fxt', IDS + WIDE, ids_fxt)):
        path = os.path.join(directory, 'ids.' + ending)
        with open(path, 'wb') as f:
            f.write(make(ids))
        result.equal(ending, sorted(r['system_id'] for r in rows(tools, path, 'threads')), sorted(ids))


# ---- CSV with a row a frame ----

ROWS = """EVENTS,FrameTime,GameThreadTime,Exclusive/GameThread/AI,Slow/Count
,16.5,10.25,4,3
Load;Done,33.25,20,5,4
,16.75,11,6.5,5,7.5
EVENTS,FrameTime,GameThreadTime,Exclusive/GameThread/AI,Slow/Count,Late
[Platform],Windows,[HasHeaderRowAtEnd],1
"""


def check_rows(result, tools, directory):
    path = os.path.join(directory, 'rows.csv')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(ROWS)
    result.equal('frames', [(r['start'], r['dur']) for r in rows(tools, path, 'frames')],
                 [(0, 16500000), (16500000, 33250000), (49750000, 16750000)])
    result.equal('counters', [(r['time'], r['value']) for r in rows(tools, path, 'counter_values')
                              if r['counter'] in ('Slow/Count', 'Late')],
                 [(0, 3), (16500000, 4), (49750000, 5), (49750000, 7.5)])
    result.equal('events', [(r['time'], r['text']) for r in rows(tools, path, 'bookmarks')],
                 [(16500000, 'Load'), (16500000, 'Done')])
    result.equal('timers', {r['timer']: (r['thread'], r['count'], r['total'], r['excl'])
                            for r in rows(tools, path, 'timers', '--by', 'thread')},
                 {'GameThreadTime': ('GameThread', 3, 41250000, 25750000),
                  'Exclusive/GameThread/AI': ('GameThread', 3, 15500000, 15500000)})
    result.equal('diff', tools.run('trace-diff', path, path).status, 0)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(ROWS.replace('33.25', 'slow'))
    result.equal('a row without a frame', tools.run('trace-info', path).status, 4)
    with open(path, 'w', encoding='utf-8', newline='') as f:
        f.write('\ufeff' + ROWS.replace('\n', '\r\n'))
    result.equal('a byte order mark and other ends of lines', tools.run('trace-info', path).status, 0)
    result.equal('its events', [r['text'] for r in rows(tools, path, 'bookmarks')], ['Load', 'Done'])
    with open(path, 'w', encoding='utf-8') as f:
        f.write(ROWS[:ROWS.index('75,11')])
    run = tools.run('trace-info', path)
    result.equal('a row that is cut: status', run.status, 0)
    result.equal('its rows', len(rows(tools, path, 'frames')), 2)
    result.equal('its place', [(r['kind'], r['offset']) for r in rows(tools, path, 'health')],
                 [('file_truncated', ROWS.index(',16.75'))])
    with open(path, 'w', encoding='utf-8') as f:
        f.write(ROWS[:ROWS.index('.5,5,7.5')])    # 6 may be what is left of a longer number
    result.equal('a row that is cut behind its frame', [(r['start'], r['dur']) for r in rows(tools, path, 'frames')],
                 [(0, 16500000), (16500000, 33250000), (49750000, 16750000)])
    result.equal('its times', {r['timer']: (r['count'], r['total']) for r in rows(tools, path, 'timers')},
                 {'GameThreadTime': (3, 41250000), 'Exclusive/GameThread/AI': (2, 9000000)})
    result.equal('where it is cut', [(r['kind'], r['offset']) for r in rows(tools, path, 'health')],
                 [('file_truncated', ROWS.index(',16.75'))])


# ---- a corpus ----

def expected_csv(path):
    out = {}
    with open(path, encoding='utf-8', newline='') as f:
        for row in csv.DictReader(f):
            tid = int(row['tid']) if row['tid'] else ''
            out[row['kind'], row['pid'], tid, row['thread'], row['name']] = [
                int(row[k]) for k in ('count', 'total', 'self', 'min', 'max')]
    return out


def odd_table(path):
    """FILE -> what a reader finds, of odd.md."""
    out, folder = {}, None
    with open(path, encoding='utf-8') as f:
        for line in f:
            if line.startswith('## '):
                folder = line[3:].strip()
            cells = [cell.strip() for cell in line.strip()[1:].split('|')]
            if folder and re.search(r'\.(json|fxt|pftrace)(\.gz)?$', cells[0]):
                out[folder + '/' + cells[0]] = cells[1]
    return out


def number(text, what):
    found = re.search(r'(\d+) ' + what + r'(,|;|$)', text)
    return int(found.group(1)) if found else 0


def check_found(result, tools, path, found):
    """The sums that odd.md has. What holds nothing, or is refused, may have the status 3."""
    run = tools.run('trace-info', path)
    if run.status == 3:
        result.true('it was refused: ' + run.err.decode(), found.startswith(('refused', 'nothing')) or 'big_endian' in path)
        return
    timers, regions = rows(tools, path, 'timers'), rows(tools, path, 'regions')
    beyond = path.endswith('fxt/odd/nesting.fxt')   # a scope at 2^63 ns, which import 1.3 leaves out
    quoted = path.endswith('odd/broken_middle.json')    # a text in single quotes, which import 3.9 takes
    result.equal('scopes', sum(r['count'] for r in timers), number(found, 'scopes') - beyond + quoted)
    result.equal('counter values', len(rows(tools, path, 'counter_values')), number(found, 'counter values'))
    result.equal('async', sum(r['end'] is not None for r in regions), number(found, 'async'))
    result.equal('async open', sum(r['end'] is None for r in regions), number(found, 'async open'))


def perfetto_rows(directory, name):
    for ending, opener in (('.csv', open), ('.csv.gz', gzip.open)):
        path = os.path.join(directory, name + ending)
        if os.path.exists(path):
            with opener(path, 'rt', encoding='utf-8', newline='') as f:
                return list(csv.DictReader(f))
    return []


LOSSES = re.compile(r'drop|fail|error|misplaced|negative|load_error|overflow|invalid')


def comparable(path):
    """Perfetto read it, lost nothing that it reports, made no slices out of texts of the kernel; and none are frames."""
    stats = perfetto_rows(path + '.tp', 'stats')
    lost = any(LOSSES.search(row['name']) and row['value'] not in ('', '0') for row in stats)
    return not lost and not re.search('atrace|tracekit', path) and bool(perfetto_rows(path + '.tp', 'slices'))


def check_perfetto(result, tools, path):
    """Sums of durations by name; some of its slices are no scopes here."""
    theirs, ours = collections.Counter(), collections.Counter()
    for row in perfetto_rows(path + '.tp', 'slices'):
        theirs[row['name'] or '[No name]'] += max(0, int(row['dur']))
    for row in rows(tools, path, 'timers'):
        ours[row['timer']] += row['total'] or 0
    for row in rows(tools, path, 'regions'):
        ours[row['name']] += row['dur'] if row['end'] is not None else 0
    result.equal('times by name', {n: t for n, t in ours.items() if t}, {n: t for n, t in theirs.items() if t})


def check_decoder(result, tools, path, decoder):
    """Another decoder's scopes by name: number, times and times of their own."""
    run = subprocess.run([sys.executable, decoder, path], capture_output=True, check=False)
    ours = tools.run('trace-info', path)
    if run.returncode == 2 or ours.status == 3:
        result.true('what cannot be read here holds nothing there: ' + ours.err.decode(),
                    not run.stdout or not any(t['scopes'] for t in commands.parse_json(run.stdout.decode())['threads']))
        return
    wanted, got = collections.Counter(), collections.Counter()
    for thread in commands.parse_json(run.stdout.decode())['threads']:
        for scope in thread['scopes']:
            key = (scope['name'] or '[No name]',)
            wanted[key + ('count',)] += scope['count']
            wanted[key + ('total',)] += scope['total']
            wanted[key + ('self',)] += scope['self']
    for row in rows(tools, path, 'timers'):
        key = (row['timer'],)
        for figure, column in (('count', 'count'), ('total', 'total'), ('self', 'excl')):
            got[key + (figure,)] += row[column] or 0
    result.true('both read it', run.stdout)
    for key in sorted({*got, *wanted}):
        result.equal(str(key), got[key], wanted[key])
    check_others(result, tools, path, commands.parse_json(run.stdout.decode()))


NAMELESS = None, '', 'None', 'null', '[No name]'


def named(name):
    return '[No name]' if name in NAMELESS else name


def short(number):
    """Numbers beyond 2^53 and reals of other sums are as equal as twelve digits are."""
    return number if isinstance(number, int) and abs(number) < 1 << 53 else float('%.12g' % number)


def check_others(result, tools, path, found):
    """Regions, messages and bookmarks, and counters; counters of one name may be those of several tracks."""
    wanted, got = collections.Counter(), collections.Counter()
    for row in found['async']:
        for figure in ('count', 'open', 'total'):
            wanted['async', named(row['name']), figure] += row[figure]
        wanted['message', named(row['name'])] += row['instants']
    for row in rows(tools, path, 'regions'):
        closed = row['end'] is not None
        got['async', named(row['name']), 'count'] += closed
        got['async', named(row['name']), 'open'] += not closed
        got['async', named(row['name']), 'total'] += row['dur'] if closed else 0
    for instants in [found['instants']] + [thread['instants'] for thread in found['threads']]:
        for name, count in instants.items():
            wanted['message', named(name)] += count
    for row in rows(tools, path, 'logs') + rows(tools, path, 'bookmarks'):
        got['message', named(row['text'])] += 1
    if found['logs']:    # it counts them without their texts
        wanted = {key: n for key, n in wanted.items() if key[0] != 'message'}
        got = {key: n for key, n in got.items() if key[0] != 'message'}
    least, most = {}, {}
    for row in found['counters']:
        wanted['values', row['name']] = wanted.get(('values', row['name']), 0) + row['count']
        least[row['name']] = min(short(row['min']), least.get(row['name'], math.inf))
        most[row['name']] = max(short(row['max']), most.get(row['name'], -math.inf))
    for row in rows(tools, path, 'counters'):
        if row['count']:
            got['values', row['counter']] = got.get(('values', row['counter']), 0) + row['count']
            result.true('%s is between its least and most' % row['counter'],
                        least.get(row['counter'], math.inf) <= short(row['min']) and
                        short(row['max']) <= most.get(row['counter'], -math.inf))
    for key in sorted({*got, *wanted}):
        result.equal(str(key), got.get(key, 0), wanted.get(key, 0))


# Ours alone have frames and queues there, where the other has threads; times beyond 64 bits are cut or left out; words with
# the most significant byte first are not read.
OTHERWISE = re.compile(r'/tracekit-|/times_huge\.json|/nesting\.fxt|/big_endian\.fxt')


def check_corpus(said, tools, root, decoder):
    for path in sorted(pathlib.Path(root).glob('*/*/*')) if decoder else ():
        if path.is_file() and path.parts[-3] in FOLDERS and not OTHERWISE.search(str(path)):
            said.run('decoder %s/%s' % path.parts[-2:], check_decoder, tools, str(path), decoder)
    for name, found in odd_table(os.path.join(root, 'odd.md')).items():
        if name.startswith(FOLDERS):
            said.run('odd ' + name, check_found, tools, os.path.join(root, name), found)
    for folder in FOLDERS:
        for path in sorted(pathlib.Path(root, folder, 'made').glob('*.*')):
            truth = os.path.join(root, path.name.split('-')[0] + '.expected.csv')
            if path.is_file():
                said.run('made ' + path.name, check_figures, tools, str(path), without_pid(expected_csv(truth)))
        for path in sorted(pathlib.Path(root, folder, 'real').glob('*.*')):
            if path.is_file() and comparable(str(path)):
                said.run('real ' + path.name, check_perfetto, tools, str(path))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--seeds', type=int, default=1)
    parser.add_argument('--corpus')
    parser.add_argument('--decoder')
    options = parser.parse_args()
    tools = commands.Commands(options.bin)
    said = report.Report()
    with tempfile.TemporaryDirectory() as directory:
        for seed in range(1, options.seeds + 1):
            program = imports_made.Program(seed, 600, 5)
            for style in STYLES:
                path = imports_styles.write(program, directory, style)
                said.run('made %d %s' % (seed, style), check_figures, tools, path, without_pid(program.expected()))
                said.run('values %d %s' % (seed, style), check_values, tools, path, program)
            for compact in (False, True):
                said.run('switches %d %s' % (seed, 'in columns' if compact else ''), check_switches, tools, directory, seed,
                         compact)
        said.run('a long text', check_long, tools, directory)
        said.run('ids', check_ids, tools, directory, options.seeds)
        said.run('frames', check_frames, tools, directory)
        said.run('ids of the system', check_system_ids, tools, directory)
        said.run('states', check_states, tools, directory)
        said.run('rows', check_rows, tools, directory)
        for case in imports_odd.CASES:
            said.run('odd ' + case.name, check_odd, tools, directory, case)
    if options.corpus and os.path.isdir(os.path.join(options.corpus, 'import')):
        check_corpus(said, tools, os.path.join(options.corpus, 'import'), options.decoder)
    return said.close()


if __name__ == '__main__':
    sys.exit(main())
