#!/usr/bin/env python3
"""Checks trace-export: counts and sums of every format against the truth, names of all kinds, outputs that fail.

usage: check_export.py --bin DIRECTORY --hostile PROGRAM FIXTURES
"""

import argparse
import collections
import csv
import datetime
import gzip
import io
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE.parent / 'columns'))
import arrow_reader    # noqa: E402
import commands        # noqa: E402
import parquet_reader  # noqa: E402
import report          # noqa: E402

CAPTURES = ('tiny', 'tiny-ue5.0', 'coroutine', 'nested_aux', 'threads')
TABLES = ('csv', 'tsv', 'ndjson', 'sqlite')          # the formats that take them
csv.field_size_limit(1 << 28)
OPEN = ';(open)'  # calls that never ended
FORMATS = ('csv', 'tsv', 'ndjson', 'sqlite', 'chrome', 'perfetto', 'speedscope', 'folded', 'pprof')

NAMES = [
    b'plain', b'', b',', b'a,b', b'"', b'say "hi"', b'a\nb', b'a\r\nb', b'\r', b'a;b', b';', b'tab\there', b' lead',
    b'trail ', b'=1+1', b'+1', b'-1', b'@x', b"it's", b'back\\slash', b'<b>&amp;</b>', b'{"json":1}', b'[1]', b'null',
    b'\x01\x02', b'\x1b[31mred', b'\x7f', b'x' * 1000, '\u00e9t\u00e9'.encode(), '\u4e2d\u6587'.encode(),
    '\U0001f600'.encode(), '\u202eright'.encode(), '\ufeffbom'.encode(), '\u2028line'.encode(), b'%s%n', b'$(x)',
    b'a/b', b'..', b'#', b'\xff\xfe', b'cut \xe4\xb8', b'a\xc0\x80b', b'~', b'::', b"''", b'0', b'NaN',
]


def displayed(name):
    """A name as text, with U+FFFD for each byte that is no UTF-8; an empty one says which timer it is."""
    text = '' if name else '<noname %d>' % (NAMES.index(b'') + 1)
    while name:
        try:
            return text + name.decode()
        except UnicodeDecodeError as error:
            text += name[:error.start].decode() + '\ufffd'
            name = name[error.start + 1:]
    return text


def export(tools, capture, form, path, *options, **more):
    return tools.must('trace-export', capture, '--format', form, '--output', path, '--quiet', *options, **more)


def scopes_csv(path, delimiter=','):
    with open(path, encoding='utf-8', newline='') as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def sums(rows):
    """Counts and sums of durations by thread and timer of (thread, timer, duration); open scopes (None) are left out."""
    result = collections.defaultdict(lambda: [0, 0])
    for thread, timer, duration in rows:
        if duration is not None:
            result[thread, timer][0] += 1
            result[thread, timer][1] += duration
    return {key: tuple(value) for key, value in result.items()}


# ---- readers of the formats: (thread id, timer, nanoseconds) ----

def read_csv(path, delimiter=','):
    for row in scopes_csv(path, delimiter):
        yield int(row['thread_id']), row['timer'], int(row['dur']) if row['dur'] else None


def read_ndjson(path):
    for line in path.read_text(encoding='utf-8').split('\n')[:-1]:
        row = json.loads(line)
        timer = row['timer']
        if isinstance(timer, dict):
            timer = displayed(bytes.fromhex(timer['bytes']))
        yield row['thread_id'], timer, row['dur']


def read_sqlite(path):
    base = sqlite3.connect(path)
    assert base.execute('pragma integrity_check').fetchall() == [('ok',)]
    for track, name, duration in base.execute('select track_id, name, dur from slice'):
        if isinstance(name, bytes):
            name = displayed(name)
        yield track, name, duration if duration >= 0 else None


def ns(ts):
    return round(ts * 1000)


def read_chrome(path):
    stacks = collections.defaultdict(list)
    for event in json.loads(path.read_text(encoding='utf-8'))['traceEvents']:
        assert 'pid' in event and 'tid' in event, event
        if event['pid'] != 1 or event['ph'] not in 'BE':
            continue
        if event['ph'] == 'B':
            stacks[event['tid']].append(event)
            continue
        begin = stacks[event['tid']].pop()
        assert begin['name'] == event['name'] and begin['ts'] <= event['ts']
        yield event['tid'], event['name'], ns(event['ts']) - ns(begin['ts'])


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    at, end = 0, len(data)
    while at < end:
        key, at = varint(data, at) if data[at] > 127 else (data[at], at + 1)
        if key & 7 == 1:
            value, at = data[at:at + 8], at + 8
        else:
            value, at = varint(data, at) if data[at] > 127 else (data[at], at + 1)
            if key & 7:
                size = value
                value, at = data[at:at + size], at + size
                assert len(value) == size
        yield key >> 3, value


def message(data):
    result = collections.defaultdict(list)
    for field, value in fields(data):
        result[field].append(value)
    return result


def read_perfetto(path):
    threads, names, stacks = {}, {}, collections.defaultdict(list)
    for _, packet in fields(path.read_bytes()):
        packet = message(packet)
        for interned in packet[12]:
            for entry in map(message, message(interned)[2]):
                names[entry[1][0]] = entry[2][0].decode()
        for track in map(message, packet[60]):
            if track[4]:
                threads[track[1][0]] = message(track[4][0])[2][0]
        for event in map(message, packet[11]):
            track, kind = event[11][0], event[9][0]
            if track in threads and kind == 1:
                stacks[track].append((names[event[10][0]], packet[8][0]))
            elif track in threads and kind == 2:
                name, begin = stacks[track].pop()
                yield threads[track], name, packet[8][0] - begin


def by_timer(all_sums):
    result = collections.Counter()
    for (_, timer), (_, total) in all_sums.items():
        result[timer] += total
    return {timer: total for timer, total in result.items() if total}


def read_speedscope(path):
    """Nanoseconds by timer; scopes that never ended are in it."""
    data = json.loads(path.read_text(encoding='utf-8'))
    total = collections.Counter()
    for profile in data['profiles']:
        stack, last = [], profile['startValue']
        for event in profile['events']:
            assert last <= event['at'] <= profile['endValue']
            last = event['at']
            if event['type'] == 'O':
                stack.append(event)
            else:
                begin = stack.pop()
                assert begin['frame'] == event['frame']
                total[data['shared']['frames'][event['frame']]['name']] += event['at'] - begin['at']
        assert not stack
    return total


READERS = {'csv': read_csv, 'tsv': lambda path: read_csv(path, '\t'), 'ndjson': read_ndjson, 'sqlite': read_sqlite,
           'chrome': read_chrome, 'perfetto': read_perfetto}


def written(tools, capture, form, work, *options):
    path = work / ('out.' + form)
    export(tools, capture, form, path, '--force', *(('--table', 'scopes,timers,threads,counter_values,frames')
                                                    if form == 'sqlite' else ('--table', 'scopes') if form in TABLES else ()),
           *options)
    return path


# ---- checks ----

def check_truth(result, tools, fixtures, work, captures):
    """Counts and inclusive time by thread and timer, as the program that made the capture recorded them."""
    for name in captures:
        truth = json.loads((fixtures / (name + '.truth.json')).read_text())
        scale = 1000000000 // truth['frequency']
        wanted = {(thread['trace_tid'], timer['timer']): (timer['count'], timer['incl'] * scale)
                  for thread in truth['threads'] for timer in thread.get('timers', ()) if timer['count']}
        for form, reader in READERS.items():
            got = sums(reader(written(tools, fixtures / (name + '.utrace'), form, work)))
            result.equal('%s as %s' % (name, form), got, wanted)


def read_folded(path):
    """Weight by last name of the stack; without calls that never ended."""
    total = collections.Counter()
    for line in path.read_text(encoding='utf-8').split('\n')[:-1]:
        stack, weight = line.rsplit(' ', 1)
        if not stack.endswith(OPEN):
            total[stack.rsplit(';', 1)[-1]] += int(weight)
    return total


def packed_numbers(data):
    result, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        result.append(value)
    return result


def read_pprof(path):
    """Calls and own time by function of the leaf."""
    profile = message(gzip.decompress(path.read_bytes()))
    texts = [text.decode() for text in profile[6]]
    names = {function[1][0]: texts[function[2][0]] for function in map(message, profile[5])}
    total = collections.defaultdict(lambda: [0, 0])
    for sample in map(message, profile[2]):
        values = packed_numbers(sample[2][0])
        leaf = total[names[packed_numbers(sample[1][0])[0]]]
        leaf[0] += values[0]
        leaf[1] += values[1]
    return {name: tuple(values) for name, values in total.items()}


def check_own_times(result, tools, fixtures, work):
    """Calls and own time by timer in formats of stacks, as recorded."""
    for name in CAPTURES:
        truth = json.loads((fixtures / (name + '.truth.json')).read_text())
        scale, wanted = 1000000000 // truth['frequency'], collections.defaultdict(lambda: [0, 0])
        for thread in truth['threads']:
            for timer in thread.get('timers', ()):
                wanted[timer['timer']][0] += timer['count']
                wanted[timer['timer']][1] += timer['excl'] * scale
        wanted = {timer: tuple(pair) for timer, pair in wanted.items() if pair[0]}
        capture, all_stacks = fixtures / (name + '.utrace'), ('--limit', 'tree_nodes=10000000')
        result.equal('%s as pprof' % name, read_pprof(written(tools, capture, 'pprof', work, *all_stacks)), wanted)
        for part, weight in enumerate(('count', 'time')):
            got = read_folded(written(tools, capture, 'folded', work, '--weight', weight, *all_stacks))
            result.equal('%s as folded by %s' % (name, weight), dict(got),
                         {timer: pair[part] for timer, pair in wanted.items() if pair[part]})


def check_agreement(result, tools, fixtures, work):
    """All formats say the same of one capture, and own times add up to what trace-stats says."""
    capture = fixtures / 'tiny.utrace'
    wanted = sums(read_csv(written(tools, capture, 'csv', work)))
    for form, reader in READERS.items():
        result.equal('scopes as ' + form, sums(reader(written(tools, capture, form, work))), wanted)
    done = tools.must('trace-stats', capture, '--table', 'timers', '--columns', 'timer,count,excl', '--format', 'csv')
    stats = list(csv.DictReader(io.StringIO(done.out.decode(), newline='')))
    folded = written(tools, capture, 'folded', work).read_text().splitlines()
    ended = [line.rsplit(' ', 1) for line in folded]
    result.equal('own time of folded', sum(int(weight) for stack, weight in ended if not stack.endswith(OPEN)),
                 sum(int(row['excl']) for row in stats))
    folded = written(tools, capture, 'folded', work, '--weight', 'count').read_text().splitlines()
    result.equal('calls of folded', sum(int(line.rsplit(' ', 1)[1]) for line in folded),
                 sum(int(row['count']) for row in stats))
    profile = gzip.decompress(written(tools, capture, 'pprof', work).read_bytes())
    values = [sample[2][0] for sample in map(message, message(profile)[2])]
    pairs = [varint(value, varint(value, 0)[1])[0] for value in values]
    result.equal('own time of pprof', sum(pairs), sum(int(row['excl']) for row in stats))


def folded_name(name):
    """As a line of folded stacks can have it."""
    inner = ''.join('_' if char < ' ' or char == '\x7f' else ':' if char == ';' else char for char in name)
    return ''.join('_' if char == ' ' and at in (0, len(inner) - 1) else char for at, char in enumerate(inner))


def check_names(result, tools, hostile, work):
    """A scope of 10 us for each name: names come out as they went in."""
    capture, names = work / 'hostile.utrace', work / 'names'
    names.write_text(''.join(name.hex() + '\n' for name in NAMES))
    subprocess.run([hostile, names, capture], check=True)
    wanted = collections.Counter(displayed(name) for name in NAMES)
    for form, reader in READERS.items():
        got = list(reader(written(tools, capture, form, work)))
        result.equal('names as ' + form, collections.Counter(name for _, name, _ in got), wanted)
        result.equal('durations as ' + form, {duration for _, _, duration in got}, {10000})
    result.equal('names as speedscope', read_speedscope(written(tools, capture, 'speedscope', work)),
                 collections.Counter({name: count * 10000 for name, count in wanted.items()}))
    folded = written(tools, capture, 'folded', work).read_text(encoding='utf-8').split('\n')
    result.equal('names as folded', collections.Counter(line.rsplit(' ', 1)[0].split(';', 1)[1] for line in folded[:-1]),
                 collections.Counter(map(folded_name, wanted)))
    result.equal('time as folded', sum(int(line.rsplit(' ', 1)[1]) for line in folded[:-1]), 10000 * len(NAMES))
    result.equal('names as pprof', read_pprof(written(tools, capture, 'pprof', work)),
                 {name: (count, count * 10000) for name, count in wanted.items()})
    for form in ('csv', 'tsv'):
        for arguments in (('trace-export', '-t', 'timers', '-o', '-'), ('trace-stats', '-t', 'timers', '-c', 'timer'),
                          ('trace-query', 'SELECT timer FROM timers'), ('trace-events',), ('trace-info',), ('trace-edit', '--dry-run')):
            command, *rest = arguments
            plain = tools.must(command, capture, *rest, '--format', form).out.decode('utf-8', 'replace')
            guarded = tools.must(command, capture, *rest, '--format', form, '--guard').out.decode('utf-8', 'replace')
            if command in ('trace-export', 'trace-stats', 'trace-query'):
                result.true('formulas are guarded by %s as %s' % (command, form), "'=1+1" in guarded and "'=1+1" not in plain)
                result.true('without --guard they are as they are', '=1+1' in plain)


def own_times(rows, displayed, outside=()):
    """Own time by timer of (row, duration); that of a scope whose timer is not displayed is its caller's, that of one outside
    of the selection is nobody's."""
    lengths = {(row['thread_id'], row['scope_id']): (row, duration) for row, duration in rows}
    total = collections.Counter()

    def caller(row):
        row = lengths.get((row['thread_id'], row['parent_id']), (None,))[0]
        while row and row['timer'] not in displayed:
            row = lengths.get((row['thread_id'], row['parent_id']), (None,))[0]
        return row

    for row, duration in lengths.values():
        above = caller(row)
        if row['timer'] in displayed:
            total[row['timer']] += duration
            if above:
                total[above['timer']] -= duration
    for row in outside:
        above = caller(row)
        if above:
            total[above['timer']] -= int(row['dur'])
    return {timer: time for timer, time in total.items() if time}


def check_selection(result, tools, fixtures, work):
    """Scopes that touch the selection, whole or cut, are the same in all formats."""
    capture = fixtures / 'tiny.utrace'
    everything = list(scopes_csv(written(tools, capture, 'csv', work)))
    begin, end = 2000000, 3000000
    touching = [row for row in everything if row['dur'] and int(row['start']) < end and
                (int(row['start']) + int(row['dur']) > begin or int(row['start']) >= begin)]
    for clip in ((), ('--clip',)):
        wanted = sums((int(row['thread_id']), row['timer'],
                       min(int(row['start']) + int(row['dur']), end) - max(int(row['start']), begin)
                       if clip else int(row['dur'])) for row in touching)
        for form, reader in READERS.items():
            path = written(tools, capture, form, work, '--from', '%dns' % begin, '--to', '%dns' % end, *clip)
            result.equal('selection as %s %s' % (form, clip), sums(reader(path)), wanted)
        cut = [(row, min(int(row['start']) + int(row['dur']), end) - max(int(row['start']), begin)
                if clip else int(row['dur'])) for row in touching]
        outside = [row for row in everything if row['dur'] and row not in touching and not clip]
        timers = sorted({row['timer'] for row in touching})
        for names in (timers, timers[::2]):
            path = written(tools, capture, 'folded', work, '--from', '%dns' % begin, '--to', '%dns' % end, *clip,
                           *(word for name in names if len(names) < len(timers) for word in ('--timer', name)))
            result.equal('own times of the selection, %s' % (clip,), dict(read_folded(path)),
                         own_times(cut, set(names), outside))
    result.true('something is selected', 0 < len(touching) < len(everything))


def check_determinism(result, tools, fixtures, work):
    for form in FORMATS:
        first = written(tools, fixtures / 'tiny.utrace', form, work, '--jobs', '1').read_bytes()
        result.true('%s for --jobs 4' % form,
                    first == written(tools, fixtures / 'tiny.utrace', form, work, '--jobs', '4').read_bytes())


def check_compression(result, tools, fixtures, work):
    capture = fixtures / 'tiny.utrace'
    plain = written(tools, capture, 'csv', work).read_bytes()
    for end, words in (('gz', ['gzip', '-dc']), ('zst', ['zstd', '-dqc']), ('lz4', ['lz4', '-dqc'])):
        path = work / ('packed.csv.' + end)
        export(tools, capture, 'csv', path, '--table', 'scopes')
        got = subprocess.run([*words, path], check=True, capture_output=True).stdout
        result.true('as .' + end, got == plain)


def check_folder(result, tools, fixtures, work):
    """Every table as a file that has the rows of trace-stats."""
    capture, folder = fixtures / 'tiny.utrace', work / 'folder'
    export(tools, capture, 'csv', folder)
    names = sorted(path.stem for path in folder.iterdir())
    export(tools, capture, 'csv', work / 'all', '--empty')
    files = {path.stem: path.read_bytes() for path in (work / 'all').iterdir()}
    result.equal('those with rows', names, sorted(name for name, data in files.items() if data.count(b'\n') > 1))
    result.true('others have a file with --empty', len(files) > len(names) + 10)
    result.true('which has the names of its columns', all(data.count(b'\n') >= 1 for data in files.values()))
    for name in names:
        result.true('the same file of ' + name, files[name] == (folder / (name + '.csv')).read_bytes())
    result.true('tables of the folder', {'scopes', 'timers', 'threads', 'health', 'frames'} <= set(names))
    for name in names:
        if name in ('capture', 'health'):           # say how much was read, which is more here
            continue
        done = tools.must('trace-stats', capture, '--table', name, '--format', 'csv')
        result.true('table ' + name, (folder / (name + '.csv')).read_bytes() == done.out)
    again = tools.run('trace-export', capture, '--format', 'csv', '--output', folder)
    result.equal('a folder that is not empty', again.status, 3)


def into_closed_pipe(tools, *arguments):
    """Whoever was to read is gone before anything is written."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return tools.run('trace-export', *arguments, stdout=writer)
    finally:
        os.close(writer)


def check_failures(result, tools, fixtures, work):
    capture = fixtures / 'tiny.utrace'
    place = work / 'failures'
    place.mkdir()
    for form in FORMATS:
        table = ('--table', 'scopes') if form in TABLES else ()
        path = place / ('there.' + form)
        path.write_text('mine')
        done = tools.run('trace-export', capture, '--format', form, '--output', path, *table)
        result.equal('%s: an existing file' % form, (done.status, path.read_text()), (3, 'mine'))
        path.unlink()
        done = tools.run('trace-export', capture, '--format', form, '--output', place / 'no' / 'folder', *table)
        result.equal('%s: no folder' % form, done.status, 3)
        if form != 'sqlite':
            done = tools.run('trace-export', capture, '--format', form, '--output', '/dev/full', *table)
            result.equal('%s: a full disk' % form, done.status, 3)
            done = into_closed_pipe(tools, capture, '--format', form, *table)
            result.equal('%s: a closed pipe' % form, (done.status, done.err), (0, b''))
        done = tools.run('trace-export', capture, '--format', form, '--timer', 'nothing-like-this',
                         '--output', place / ('none.' + form), *table)
        result.equal('%s: nothing matches' % form, done.status, 2)
    done = tools.run('trace-export', capture, '--format', 'crome', '--output', place / 'x')
    result.true('the nearest format is named', done.status == 2 and b'chrome' in done.err)
    done = tools.run('trace-export', capture, '--format', 'csv', '--table', 'scops', '--output', place / 'x')
    result.true('the nearest table is named', done.status == 2 and b'scopes' in done.err)
    result.equal('nothing is left', os.listdir(place), [])


def check_left_out(result, tools, fixtures, work):
    """Rows that a format cannot hold are reported with their number, as far as the truth says how many there are."""
    capture = fixtures / 'tiny.utrace'
    truth = json.loads((fixtures / 'tiny.truth.json').read_text())
    counts = {'frames': len(truth['frames']), 'logs': truth['log_count'], 'bookmarks': len(truth['bookmarks']),
              'regions': len(truth['regions']) + 1}         # and one that only ended
    for form in ('chrome', 'perfetto', 'speedscope', 'folded', 'pprof'):
        path = work / 'left'
        done = tools.run('trace-export', capture, '--format', form, '--output', path, '--force', '--verbose')
        reported = {}
        *lines, last = done.err.decode().splitlines()
        for line in lines:
            found = re.fullmatch(r"trace-export: '(.*)' cannot hold table '(.*)': (\d+) rows? left out", line)
            result.true('%s: %s' % (form, line), (found and found[1] == form) or line.startswith('trace-export: wrote '))
            if found:
                reported[found[2]] = int(found[3])
        sums = [int(number) for number in re.findall(r'(\d+) (?:table|row)', last)]
        result.equal('%s in one line' % form, sums, [len(reported), sum(reported.values())])
        brief = tools.run('trace-export', capture, '--format', form, '--output', path, '--force').err.decode()
        result.equal('%s without -v' % form, brief, last + '; -v names them\n')
        rest = {table: n for table, n in reported.items() if table in counts}
        result.equal('left out of ' + form, (done.status, rest), (0, {} if form in ('chrome', 'perfetto') else counts))
        done = tools.run('trace-export', capture, '--format', form, '--output', path, '--force', '--quiet')
        result.equal('%s: nothing is told' % form, (done.status, done.err), (0, b''))
    for form in ('csv', 'sqlite', 'ndjson'):
        done = tools.run('trace-export', capture, '--format', form, '--output', work / ('all.' + form))
        result.equal('%s holds all' % form, (done.status, done.err), (0, b''))


def check_health(result, tools, fixtures, work, step):
    """A damaged capture: what is readable is there, and table health of files and databases says what is missing."""
    cases = [case for case in json.loads((fixtures / 'damaged' / 'expected.json').read_text())
             if case['exit'] in (0, 4) and (fixtures / 'damaged' / case['file']).exists()]
    result.true('there are damaged captures', sum(case['exit'] == 4 for case in cases) > 10)
    for case in cases[::step]:
        capture = fixtures / 'damaged' / case['file']
        folder, base = work / case['file'], work / (case['file'] + '.db')
        statuses = [tools.run('trace-export', capture, '--format', form, '--output', path, '--quiet').status
                    for form, path in (('csv', folder), ('sqlite', base))]
        result.equal('%s: status' % case['file'], statuses, [case['exit']] * 2)
        rows = [row for row in scopes_csv(folder / 'health.csv') if row['damage'] == 'true']
        result.equal('%s: health' % case['file'], bool(rows), case['exit'] == 4)
        found = sqlite3.connect(base).execute("select kind, count, offset from health where damage")
        result.equal('%s: health of the database' % case['file'],
                     [tuple('' if cell is None else str(cell) for cell in row) for row in found],
                     [(row['kind'], row['count'], row['offset']) for row in rows])


def forget(path):
    """The database no longer knows which captures it has, so that one can be added once more, as if it were another."""
    if path.exists():
        with sqlite3.connect(path) as base:
            base.execute('update captures set content = null')


def check_append(result, tools, fixtures, work):
    path = work / 'both.db'
    for _ in range(2):
        forget(path)
        export(tools, fixtures / 'tiny.utrace', 'sqlite', path, '--append', '--sql-index')
    done = tools.run('trace-export', fixtures / 'tiny.utrace', '--format', 'sqlite', '--append', '--output', path)
    result.true('a capture that is there', done.status == 0 and b'nothing added' in done.err)
    base = sqlite3.connect(path)
    counts = base.execute('select capture_id, count(*), sum(dur) from scopes group by 1').fetchall()
    result.true('two captures of the same rows', len(counts) == 2 and counts[0][1:] == counts[1][1:])
    result.equal('ids are unique', base.execute('select count(*) - count(distinct id) from slice where dur >= 0')
                 .fetchone(), (0,))
    result.equal('parents lie around their children', base.execute(
        'select count(*), sum(p.track_id = s.track_id and p.ts <= s.ts and (p.dur < 0 or p.ts + p.dur >= s.ts + s.dur)'
        ' and p.depth + 1 = s.depth) from slice s join slice p on p.id = s.parent_id').fetchone(),
        base.execute('select count(*), count(*) from slice s join slice p on p.id = s.parent_id').fetchone())
    with base:
        base.executemany('insert into captures(id) values(?)', [(i,) for i in range(3, 256)])
    how = (fixtures / 'tiny.utrace', '--format', 'sqlite', '--table', 'threads', '--append', '--output', path)
    statuses = []
    for _ in range(2):
        forget(path)
        statuses.append(tools.run('trace-export', *how).status)
    result.equal('256 captures and one more', statuses, [0, 3])
    other = work / 'other.db'
    sqlite3.connect(other).execute('create table mine(a)').connection.commit()
    done = tools.run('trace-export', fixtures / 'tiny.utrace', '--format', 'sqlite', '--append', '--output', other)
    result.equal('a database of somebody else', done.status, 3)


def check_database_file(result, tools, fixtures, work):
    """A database is a file like other outputs: nothing of one that failed, no leftovers, links and modes are kept."""
    capture, place = fixtures / 'tiny.utrace', work / 'database'
    place.mkdir()
    how = (capture, '--format', 'sqlite', '--table', 'threads', '--quiet')
    done = tools.run('trace-export', *how, '--table', 'scopes', '--timer', 'nothing-like-this', '--append', '--output',
                     place / 'new.db')
    result.equal('adding what is not there', (done.status, os.listdir(place)), (2, []))
    result.equal('no name', tools.run('trace-export', *how, '--append', '--output', '').status, 3)
    result.equal('a device', tools.run('trace-export', *how, '--force', '--output', '/dev/null').status, 3)
    before = os.getcwd()
    os.chdir(place)
    for _ in range(2):
        forget(pathlib.Path(':memory:').absolute())
        tools.must('trace-export', *how, '--append', '--output', ':memory:')
    os.chdir(before)
    base = sqlite3.connect(place / ':memory:')
    result.equal('a name of SQLite', base.execute('select count(*) from captures').fetchall(), [(2,)])
    real, link = place / 'real.db', place / 'link.db'
    real.write_bytes(b'')
    real.chmod(0o600)
    link.symlink_to('real.db')
    tools.must('trace-export', *how, '--force', '--output', link)
    result.equal('the link and the mode', (link.is_symlink(), link.stat().st_mode & 0o777), (False, 0o600))
    result.equal('what it leads to', real.read_bytes(), b'')
    result.equal('what is in its place', sqlite3.connect(link).execute('select count(*) from captures').fetchall(), [(1,)])
    script = ('for i in 0 1 2 3 4 db; do echo left > "$1/.tracekit-$$-$i.part"; done\n'
              'exec "$2" "$3" --format sqlite --table threads --output "$1/clean.db"')
    command = tools.directory / 'trace-export'
    status = subprocess.run(['sh', '-c', script, 'sh', place, command, capture], check=False).returncode
    result.equal('leftovers', (status, sum(name.endswith('.part') for name in os.listdir(place))), (0, 6))
    sqlite3.connect(place / 'clean.db').execute('select * from threads')


def check_parents(result, tools, fixtures, work):
    """Scopes have parents around them, those that never end, too."""
    truth = json.loads((fixtures / 'tiny.truth.json').read_text())
    for name, wanted in (('tiny.utrace', sum(thread['open_scopes_at_end'] for thread in truth['threads'])),
                         ('tracy/open-0.10.tracy', None)):
        rows = scopes_csv(written(tools, fixtures / name, 'csv', work))
        by_id = {row['scope_id']: row for row in rows}
        never = [row for row in rows if not row['dur']]
        result.true('%s: scopes never end' % name, never and wanted in (None, len(never)))
        result.true('%s: each has an id' % name, len(by_id) == len(rows) and '' not in by_id)
        result.true('%s: some are parents of others' % name, {row['scope_id'] for row in never} & {row['parent_id'] for row in rows})
        for row in rows:
            parent = by_id.get(row['parent_id'])
            held = parent and (parent['thread_id'], int(parent['depth']) + 1) == (row['thread_id'], int(row['depth'])) \
                and int(parent['start']) <= int(row['start'])
            result.true('%s: parent of %s' % (name, row['scope_id']), held if row['parent_id'] else row['depth'] == '0')


def check_allocated(result, tools, fixtures, work):
    """Allocated bytes of a Tracy capture are of the functions that its table of callstacks names."""
    capture = fixtures / 'tracy' / 'crash-0.14.0.tracy'

    def table(name, *options):
        done = tools.must('trace-stats', capture, '--table', name, '--format', 'csv', '--quiet', *options)
        return csv.DictReader(io.StringIO(done.out.decode(), newline=''))

    stacks = collections.defaultdict(lambda: ['(unknown)'])
    for row in table('callstacks'):
        place = row['module'] + '+' + row['offset'] if row['module'] and row['offset'] else row['address']
        frames = stacks.setdefault(row['callstack_id'], [])
        frames.append(folded_name(row['function'] or place))
    wanted = collections.Counter()
    for row in table('memory', '--by', 'callstack'):
        if row['by'] == 'callstack':
            wanted[';'.join(reversed(stacks[row['key']]))] += int(row['alloc_bytes'])
    path = written(tools, capture, 'folded', work, '--weight', 'bytes')
    found = dict(line.rsplit(' ', 1) for line in path.read_text(encoding='utf-8').splitlines())
    result.equal('bytes by stack', {stack: int(n) for stack, n in found.items()}, {s: n for s, n in wanted.items() if n})
    result.true('functions', len(found) > 1 and any('(' in stack and stack != '(unknown)' for stack in found))


def check_append_columns(result, tools, fixtures, work):
    """Each value is in its own column, whatever columns a capture before had."""
    capture = fixtures / 'tiny.utrace'
    requested = ('timer,count', 'total,timer', 'count,total,timer')
    for order in (requested, requested[::-1]):
        path = work / ('columns-%s.db' % order[0])
        wanted = []
        for i, columns in enumerate(order):
            forget(path)
            export(tools, capture, 'sqlite', path, '--append', '--table', 'timers', '--columns', columns)
            rows = csv.DictReader(tools.must('trace-stats', capture, '--table', 'timers', '--unit', 'ns', '--format',
                                             'csv', '--columns', columns).out.decode().splitlines())
            wanted += [(i + 1, row['timer'], *[int(row[name]) if name in row else None for name in ('count', 'total')])
                       for row in rows]
        found = sqlite3.connect(path).execute('select capture_id, timer, count, total from timers').fetchall()
        result.equal('columns in the order %s' % (order,), sorted(found, key=str), sorted(wanted, key=str))


def rows_of(base, table, capture):
    """The rows of a capture in a database, without empty cells and what numbers captures and arguments."""
    done = base.execute('select * from "%s" where capture_id = %d' % (table, capture))
    names = [column[0] for column in done.description]
    return [{name: cell for name, cell in zip(names, row) if cell is not None and name not in ('capture_id', 'arg_set_id')}
            for row in done]


def check_append_formats(result, tools, fixtures, work):
    """Captures of two formats in one database: each has there what it has in one of its own."""
    captures = [fixtures / 'tiny.utrace', next((fixtures / 'tracy').glob('*.tracy'))]
    alone = []
    for i, capture in enumerate(captures):
        export(tools, capture, 'sqlite', work / ('alone%d.db' % i))
        alone.append(sqlite3.connect(work / ('alone%d.db' % i)))
    for order in ((0, 1), (1, 0)):
        path = work / ('formats%d.db' % order[0])
        for i in order:
            export(tools, captures[i], 'sqlite', path, '--append')
        both = sqlite3.connect(path)
        for at, i in enumerate(order):
            for table, in alone[i].execute("select name from sqlite_master where type = 'table' and name like '\\_%'"
                                           " escape '\\'"):
                result.equal('%s of %s' % (table[1:], captures[i].name), rows_of(both, table[1:], at + 1),
                             rows_of(alone[i], table[1:], 1))


def check_requested_columns(result, tools, fixtures, work):
    """Columns that are requested are there, and views work without those that are not."""
    path = work / 'asked.db'
    export(tools, fixtures / 'tiny.utrace', 'sqlite', path, '--table', 'scopes', '--columns', 'thread,dur')
    base = sqlite3.connect(path)
    done = base.execute('select * from scopes')
    result.equal('columns of scopes', [column[0] for column in done.description], ['capture_id', 'thread', 'dur', 'capture'])
    truth = json.loads((fixtures / 'tiny.truth.json').read_text())
    result.true('threads have names', {thread['name'] for thread in truth['threads']} >= {row[1] for row in done})
    for view, in base.execute("select name from sqlite_master where type = 'view'").fetchall():
        base.execute('select * from "%s"' % view).fetchall()


SEVERAL = ('tracy/ctx-0.14.0.tracy', 'tiny.utrace', 'tracy/ondemand-0.14.0.tracy', 'net.utrace')
BEGINS = ('start', 'time', 'started', 'requested', 'issued')    # columns in which a row says when it begins


def begun(tools, capture):
    """When a capture began, in nanoseconds since 1970: Tracy writes its clock as text into the name of the capture."""
    name = json.loads(tools.run('trace-stats', '--table', 'session', '--format', 'json', capture).out)['session'].get('CaptureName', '')
    if ' @ ' not in name:
        return None
    time = datetime.datetime.strptime(name.split(' @ ')[1], '%Y-%m-%d %H:%M:%S').replace(tzinfo=datetime.timezone.utc)
    return int(time.timestamp()) * 10 ** 9


def rows_alone(tools, capture, work):
    """Rows of a capture that is exported alone, by table, with the columns that a row of several captures begins with."""
    path, begin = work / 'alone', begun(tools, capture)
    export(tools, capture, 'ndjson', path, '--force')
    tables = collections.defaultdict(list)
    for file in path.glob('*.ndjson'):
        for line in file.read_text(encoding='utf-8').splitlines():
            row = json.loads(line)
            rows = {'capture': capture.name}
            time = next((row[name] for name in BEGINS if isinstance(row.get(name), int)), None)
            timed = next((name for name in BEGINS if name in row), None)
            if timed:
                rows['wall_clock'] = begin + time if begin is not None and time is not None else None
            tables[file.stem].append({**rows, **row} if file.stem != 'session' else {**rows, 'session': row})
    shutil.rmtree(path)
    return tables


def same_rows(rows):
    """Rows without the cells that have no value: of a table that differs by format each row has all columns."""
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def read_rows(path, form):
    if form == 'parquet':
        (file, columns), = parquet_reader.read_all([path])
        return [dict(zip(file.names, row)) for row in zip(*columns)]
    if form == 'arrow':
        stream = arrow_reader.read_file(path.read_bytes())
        return [dict(zip((column.name for column in stream.columns), row)) for row in zip(*stream.values)]
    if form == 'csv':
        with open(path, newline='', encoding='utf-8') as file:
            return list(csv.DictReader(file))
    return [json.loads(line) for line in path.read_text(encoding='utf-8').splitlines()]


def check_several(result, tools, fixtures, work):
    """Several captures in one output: the rows of each alone, in their order, with its name and the wall clock."""
    captures = [fixtures / name for name in SEVERAL]
    wanted = collections.defaultdict(list)
    for capture in captures:
        for table, rows in rows_alone(tools, capture, work).items():
            wanted[table] += rows
    result.true('tables of several captures', sum(len({row['capture'] for row in rows}) > 1 for rows in wanted.values()) > 20)
    result.true('those with a clock', any(row.get('wall_clock') for row in wanted['frames']))
    for form in ('ndjson', 'csv', 'parquet', 'arrow'):
        path = work / ('several-' + form)
        done = tools.run('trace-export', '--format', form, '--output', path, *captures)
        result.equal('%s: %s' % (form, done.err), done.status, 0)
        got = {file.stem: read_rows(file, form) for file in path.iterdir()}
        for table, rows in wanted.items():
            if form == 'ndjson':
                result.equal('%s as %s' % (table, form), same_rows(got.get(table, [])), same_rows(rows))
            else:
                columns = [name for name in ('capture', 'wall_clock') if name in rows[0]]
                shown = [tuple(str(row[name]) if row.get(name) is not None else '' for name in columns) for row in rows]
                result.equal('%s as %s' % (table, form), [tuple(str(row[name]) if row[name] is not None else '' for name in columns)
                                                          for row in got.get(table, [])], shown)
    base = sqlite3.connect(several_database(result, tools, captures, work))
    for table, rows in wanted.items():
        columns = [name for name in ('capture', 'wall_clock') if name in rows[0]]
        result.equal('%s in a database' % table, base.execute('SELECT %s FROM "%s"' % (', '.join(columns), table)).fetchall(),
                     [tuple(row[name] for name in columns) for row in rows])
    lines = tools.run('trace-export', '--format', 'ndjson', *captures).out.splitlines()
    one = collections.defaultdict(list)
    for row in map(json.loads, lines):
        one[row.pop('table')].append(row)
    for table, rows in wanted.items():
        result.equal('%s in one file' % table, same_rows(one.get(table, [])), same_rows(rows))
    check_several_refused(result, tools, captures, work)


def several_database(result, tools, captures, work):
    path = work / 'several.db'
    done = tools.run('trace-export', '--output', path, *captures)
    result.equal('database: %s' % done.err, done.status, 0)
    return path


def check_several_refused(result, tools, captures, work):
    """Nothing is there when one of them cannot be read, or the format has no tables; a folder is its captures."""
    (work / 'bad.utrace').write_bytes(b'TRC2 not a capture')
    for name, status, arguments in (('one that cannot be read', 3, ('-o', work / 'none.csv', '-t', 'frames', captures[0], work / 'bad.utrace')),
                                    ('a database of it', 3, ('-o', work / 'none.db', captures[0], work / 'bad.utrace')),
                                    ('no tables', 2, ('-o', work / 'none.json', '-f', 'chrome', *captures)),
                                    ('cycles', 2, ('-o', work / 'none.csv', '-t', 'frames', '--unit', 'cycles', *captures)),
                                    ('parts', 2, ('-o', work / 'none.json', '-f', 'chrome', '--split', '1s', *captures))):
        result.equal(name, tools.run('trace-export', *arguments).status, status)
    result.equal('nothing is left', sorted(path.name for path in work.glob('none*')), [])
    folder = work / 'night'
    for place in ('a', 'b'):
        (folder / place).mkdir(parents=True)
        shutil.copy(captures[1], folder / place / 'game.utrace')
    (folder / 'notes.txt').write_text('no capture')
    shutil.copy(captures[1], folder / 'one.utrace')
    shutil.copy(captures[3], folder / 'two.utrace')
    listed = [row['capture'] for row in csv.DictReader(io.StringIO(tools.run(
        'trace-export', '-f', 'csv', '-t', 'capture', folder, folder / 'a' / 'game.utrace', folder / 'b' / 'game.utrace').out.decode()))]
    result.equal('names', listed, ['one.utrace', 'two.utrace', str(folder / 'a' / 'game.utrace'), str(folder / 'b' / 'game.utrace')])


def check_indexes(result, tools, fixtures, work):
    """Indexes are made whatever columns are requested."""
    for columns in ('start', 'dur,timer', 'dur'):
        path = work / ('indexes-%s.db' % columns)
        export(tools, fixtures / 'tiny.utrace', 'sqlite', path, '--table', 'scopes', '--columns', columns, '--sql-index')
        names = [name for name, in sqlite3.connect(path).execute(
            "select name from sqlite_master where type = 'index' and tbl_name = '_scopes' and sql is not null order by 1")]
        result.equal('indexes of %s' % columns, names, ['scopes_start', 'scopes_thread', 'scopes_timer'])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('--hostile', required=True, type=pathlib.Path)
    parser.add_argument('--brief', action='store_true', help='of captures with a truth, and of damaged ones, a few')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    tools = commands.Commands(options.bin)
    checks = report.Report()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        checks.run('truth', check_truth, tools, options.fixtures, work, CAPTURES[:2] if options.brief else CAPTURES)
        checks.run('health', check_health, tools, options.fixtures, work, 8 if options.brief else 2)
        for name, check in (('own times', check_own_times), ('agreement', check_agreement), ('selection', check_selection),
                            ('determinism', check_determinism), ('compression', check_compression),
                            ('folder', check_folder), ('failures', check_failures),
                            ('left out', check_left_out), ('append', check_append),
                            ('database file', check_database_file), ('parents', check_parents),
                            ('allocated', check_allocated),
                            ('append columns', check_append_columns),
                            ('append formats', check_append_formats), ('asked columns', check_requested_columns),
                            ('indexes', check_indexes), ('several captures', check_several)):
            checks.run(name, check, tools, options.fixtures, work)
        checks.run('names', check_names, tools, options.hostile, work)
    return checks.close()


if __name__ == '__main__':
    sys.exit(main())
