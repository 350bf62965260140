#!/usr/bin/env python3
"""Checks files of trace-export: parts, order, pictures, schemas, golden files, and what is left when it is stopped.

usage: check_files.py --bin DIRECTORY [--update] [--brief | --whole] FIXTURES SCHEMAS

--brief writes all of this and reads little of it back, for builds that are slow and look at other things than what is
written. --whole reads all of the large capture back in each format, not of some of them a part.
--update writes the golden files again, those that another source agrees with; what changed is to be read and compared with
the formats' references.
"""

import argparse
import collections
import csv
import hashlib
import io
import json
import pathlib
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE.parent / 'truth'))
sys.path.insert(0, str(HERE))
import check_export as exports  # noqa: E402
import commands                 # noqa: E402
import report                   # noqa: E402
import schema                   # noqa: E402
import second_source            # noqa: E402
import values                   # noqa: E402

GOLDEN = HERE / 'golden'
PART = ('--from', '2000us', '--to', '2150us')      # of tiny: some scopes of some threads

# name of the golden file -> format and options; those that are no text are displayed by what they hold
GOLDENS = {
    'scopes.csv': ('csv', '--table', 'scopes', *PART),
    'scopes-crlf-bom.csv': ('csv', '--table', 'scopes', *PART, '--eol', 'crlf', '--bom'),
    'scopes-us.csv': ('csv', '--table', 'scopes', *PART, '--unit', 'us', '--sort', 'start'),
    'scopes.tsv': ('tsv', '--table', 'scopes', *PART, '--columns', 'timer,start,dur'),
    'scopes.ndjson': ('ndjson', '--table', 'scopes', *PART),
    'chrome.json': ('chrome', *PART),
    'chrome-args.json': ('chrome', *PART, '--args', 'all'),
    'speedscope.json': ('speedscope', *PART),
    'folded.txt': ('folded', *PART),
    'folded-count.txt': ('folded', *PART, '--weight', 'count', '--per-thread'),
    'perfetto.hex': ('perfetto', *PART),
    'pprof.hex': ('pprof', *PART),
    'sqlite.sql': ('sqlite', '--table', 'scopes,timers,threads,frames', *PART),
}

# preset, table and options of a golden file that both name
PRESETS = (
    ('insights', 'timer_statistics'),
    ('insights', 'timing_events', *PART),
    ('insights', 'timer_callees', '--timer', 'Audio'),
    ('insights', 'threads'),
    ('insights', 'timers'),
    ('insights', 'counters'),
    ('insights', 'counter_values', '--counter', 'Tiny/Memory'),
)


def as_text(name, path):
    """Bytes of a golden file of an export."""
    data = path.read_bytes()
    if name.endswith('.hex'):
        if data[:2] == b'\x1f\x8b':
            data = exports.gzip.decompress(data)
        return ''.join(data[i:i + 32].hex() + '\n' for i in range(0, len(data), 32)).encode()
    if name.endswith('.sql'):
        return ''.join(line + '\n' for line in sqlite3.connect(path).iterdump()).encode()
    return data


def check_one(result, source, name, got, update):
    """One golden file: as it was, and right by another source; what is not right does not become one."""
    says, wanted = second_source.compare(source, name, got)
    result.equal('golden file %s by another source' % name, says, wanted)
    result.true('golden file %s has something to say' % name, bool(wanted))
    if update and says == wanted:
        (GOLDEN / name).write_bytes(got)
    result.true('golden file ' + name, (GOLDEN / name).exists() and got == (GOLDEN / name).read_bytes())


def check_golden(result, tools, fixtures, work, update):
    source = second_source.Source(tools, fixtures, work, 2000000, 2150000)
    for name, (form, *options) in GOLDENS.items():
        path = work / ('golden.' + form)
        exports.export(tools, fixtures / 'tiny.utrace', form, path, '--force', *options)
        got = as_text(name, path).replace(str(fixtures).encode(), b'FIXTURES')
        check_one(result, source, name, got, update)
    for preset, table, *options in PRESETS:
        path = work / 'golden.csv'
        tools.must('trace-export', fixtures / 'tiny.utrace', '--preset', preset, '--table', table, '--output', path,
                   '--force', *options)
        check_one(result, source, '%s-%s.csv' % (preset, table), path.read_bytes(), update)
    tools.must('trace-export', fixtures / 'tiny.utrace', '--preset', 'summarize', '--output', work / 'summaries')
    for path in sorted((work / 'summaries').iterdir()):
        check_one(result, source, path.name.replace('tiny', 'summarize-'), path.read_bytes(), update)


def check_schemas(result, tools, fixtures, work, schemas):
    for form, variants in (('chrome', (('--args', 'none'), ('--args', 'all'))), ('speedscope', ((),))):
        rules = json.loads((schemas / (form + '.schema.json')).read_text())
        for name in ('tiny', 'coroutine', 'old-p4-tid', *(('net',) if form == 'chrome' else ())):   # net has no scopes
            for options in variants:
                path = exports.written(tools, fixtures / (name + '.utrace'), form, work, *options)
                result.equal('%s of %s' % (form, name), schema.first_fault(json.loads(path.read_text()), rules), None)
        result.true('schemas of %s refuse' % form, schema.first_fault({'traceEvents': [{}]}, rules))


# schema -> the command whose output it is of, and something in it that must not be
DOCUMENTS = {
    'info': ([['trace-info', '--full', '--format', 'json'], ['trace-info', '--format', 'json']],
             {'capture': {'format': 1}}),
    'stats': ([['trace-stats', '--format', 'json'], ['trace-stats', '--tree', '--format', 'json'],
               ['trace-stats', '--table', 'threads,frames,logs,health,types,session', '--format', 'json']],
              {'timers': [{'timer': 'a', 'count': 'many'}]}),
    'rows': ([['trace-export', '--format', 'ndjson', '--output', '-', '--quiet'],
              ['trace-export', '--format', 'ndjson', '--table', 'scopes', '--output', '-', '--quiet']], {'start': 'soon'}),
    'events': ([['trace-events', '--format', 'ndjson']], {'time': 1, 'event': 'A.B'}),
}


MANY = 500      # rows that are all held against the schema; of those behind them each tenth is
CAPTURES = ('tiny', 'coroutine', 'net', 'old-p4-tid', 'damaged/decl_names_not_utf8', 'damaged/uid_never_declared')


def check_documents(result, tools, fixtures, schemas, captures):
    """All other JSON that is written, by its schema."""
    for kind, (commands_, wrong) in DOCUMENTS.items():
        rules = json.loads((schemas / (kind + '.schema.json')).read_text())
        for name in captures:
            for program, *options in commands_:
                done = tools.run(program, fixtures / (name + '.utrace'), *options)
                text = done.out.decode()
                values_ = [json.loads(line) for line in text.split('\n')[:-1]] if kind in ('rows', 'events') else [json.loads(text)]
                looked_at = values_[:MANY] + values_[MANY::10]
                fault = next(filter(None, (schema.first_fault(value, rules) for value in looked_at)), None)
                result.equal('%s of %s: %s' % (program, name, options), (done.status in (0, 4), fault), (True, None))
                result.true('%s of %s says something' % (program, name), values_ or 'scopes' in options)
        result.true('schema of %s refuses' % kind, schema.first_fault(wrong, rules))


def check_sort(result, tools, fixtures, work):
    for name in ('tiny', 'threads'):
        capture = fixtures / (name + '.utrace')
        rows = exports.scopes_csv(exports.written(tools, capture, 'csv', work))
        got = exports.scopes_csv(exports.written(tools, capture, 'csv', work, '--sort', 'start'))
        result.equal('order of begins', got, sorted(rows, key=lambda row: (int(row['start']), int(row['scope_id'] or 0))))
        folder = work / ('sorted-' + name)
        exports.export(tools, capture, 'csv', folder, '--table', 'timers,scopes', '--sort', 'start')
        result.equal('in a folder', exports.scopes_csv(folder / 'scopes.csv'), got)
        database = work / 'sorted.db'
        exports.export(tools, capture, 'sqlite', database, '--force', '--table', 'scopes', '--sort', 'start')
        starts = [start for start, in sqlite3.connect(database).execute('select start from _scopes order by rowid')]
        result.equal('in a database', starts, [int(row['start']) for row in got])
    for options in (('--sort', 'end'), ('--sort', 'start', '--columns', 'timer')):
        done = tools.run('trace-export', fixtures / 'tiny.utrace', '--format', 'csv', '--table', 'scopes', '--output',
                         work / 'unsorted.csv', *options)
        result.equal('what cannot be sorted', (done.status, (work / 'unsorted.csv').exists()), (2, False))


def table_of(form):
    return ('--table', 'scopes') if form in exports.TABLES else ()


def check_split(result, tools, fixtures, work):
    capture = fixtures / 'threads.utrace'
    whole = exports.sums(exports.read_chrome(exports.written(tools, capture, 'chrome', work)))
    folder = work / 'split'
    folder.mkdir()
    exports.export(tools, capture, 'chrome', folder / 'part.json', '--split', '5MB')
    parts = sorted(folder.iterdir())
    result.equal('names of parts', [path.name for path in parts], ['part-%03d.json' % (i + 1) for i in range(len(parts))])
    result.true('several parts', len(parts) > 2)
    result.true('sizes of parts', all(path.stat().st_size < 5200000 for path in parts))
    total = collections.defaultdict(lambda: [0, 0])
    for path in parts:
        for key, (count, time_) in exports.sums(exports.read_chrome(path)).items():
            total[key] = [total[key][0] + count, total[key][1] + time_]
    result.equal('every scope is whole in one part', {key: tuple(v) for key, v in total.items()}, whole)
    folder = work / 'split-time'
    folder.mkdir()
    exports.export(tools, capture, 'chrome', folder / 'part.json.gz', '--split', '50ms')
    parts = sorted(folder.iterdir())
    result.true('parts by time', len(parts) > 1)
    for number, path in enumerate(parts):
        plain = work / 'part.json'
        plain.write_bytes(exports.gzip.decompress(path.read_bytes()))
        low, high = number * 50, (number + 1) * 50
        options = (['--from', '%dms' % low] if number else []) + (['--to', '%dms' % high] if path != parts[-1] else [])
        result.equal('part %d by time' % number, exports.sums(exports.read_chrome(plain)),
                     exports.sums(exports.read_csv(exports.written(tools, capture, 'csv', work, *options))))
    for form, options in (('perfetto', ['--split', '5MB']), ('chrome', ['--split', '5 apples'])):
        done = tools.run('trace-export', capture, '--format', form, '--output', work / 'x', *options)
        result.equal('what cannot be split', done.status, 2)
    for options in (('--split', '10s'), ('--split', 'frames=2'), ('--split', 'frames=2', '--output', '-')):
        done = tools.run('trace-export', fixtures / 'tiny.utrace', '--format', 'chrome', *options)
        result.equal('standard output in parts: %s' % (options,), (done.status, done.out), (2, b''))
    result.true('and no file', not pathlib.Path('--001').exists())


def check_split_regions(result, tools, fixtures, work):
    """Files begin where the regions do, and there is none between them; all appear together."""
    truth = json.loads((fixtures / 'game.truth.json').read_text())
    regions = {region['name']: region for region in truth['regions']}
    options = ('--region', 'Combat 0', '--region', 'Combat 1')
    step = 500000000
    first, second = ([(regions['Combat %d' % i][end] - truth['start_cycle']) * 10**9 // truth['frequency']
                      for end in ('begin', 'end')] for i in (0, 1))
    times = [(low, low + step) for low in range(first[0], second[1], step)]
    wanted = [(low, high) for low, high in times if low < first[1] or high > second[0]]
    result.true('time between the regions', len(wanted) == len(times) - 1)
    folder = work / 'split-regions'
    folder.mkdir()
    exports.export(tools, fixtures / 'game.utrace.zst', 'chrome', folder / 'part.json', '--split', '500ms', *options)
    parts = sorted(folder.iterdir())
    result.equal('files of regions', [path.name for path in parts], ['part-%03d.json' % (i + 1) for i in range(len(wanted))])
    for path, (low, high) in zip(parts, wanted):
        cut = ('--from', '%dns' % low, '--to', '%dns' % high)
        result.equal('%s of regions' % path.name, exports.sums(exports.read_chrome(path)), exports.sums(exports.read_csv(
            exports.written(tools, fixtures / 'game.utrace.zst', 'csv', work, *options, *cut))))
    for options in (('--frames', '0-3'), ('--from-bookmark', 'x', '--to', '1s')):
        folder = work / ('split' + options[0])
        folder.mkdir()
        done = tools.run('trace-export', fixtures / 'tiny.utrace', '--format', 'chrome', '--quiet', '--split', '100us', *options,
                         '--output', folder / 'part.json')
        # the frames 0 to 3 lie between 50 ms and 50.4316 ms
        result.equal('files of %s' % options[0], (done.status, len(list(folder.iterdir()))),
                     (0, 5) if options[0] == '--frames' else (2, 0))


def check_split_whole(result, tools, fixtures, work):
    """All files or none, however the capture reports its end."""
    names = {}
    for capture in ('tiny', 'tiny-verify'):
        folder = work / ('split-' + capture)
        folder.mkdir()
        exports.export(tools, fixtures / (capture + '.utrace'), 'chrome', folder / 'part.json', '--split', '10ms')
        names[capture] = sorted(path.name for path in folder.iterdir())
    # the last region begins at 50.7414 ms
    result.equal('both captures', [len(found) for found in names.values()], [6, 6])
    folder = work / 'split-there'
    folder.mkdir()
    (folder / 'part-003.json').write_text('mine')
    for split in ('10ms', 'frames=2'):
        done = tools.run('trace-export', fixtures / 'tiny.utrace', '--format', 'chrome', '--quiet', '--split', split, '--output',
                         folder / 'part.json')
        result.equal('one is there: ' + split, (done.status, [(path.name, path.read_text()) for path in folder.iterdir()]),
                     (3, [('part-003.json', 'mine')]))


def write_game(result, tools, fixtures, work):
    """The large capture in all formats."""
    for form in exports.READERS:
        result.true('game as ' + form, exports.written(tools, fixtures / 'game.utrace.zst', form, work).stat().st_size)


WHOLE = ('csv',)        # formats in which all of the large capture is read back


def sums_of(tools, capture, form, work, *options):
    return exports.sums(exports.READERS[form](exports.written(tools, capture, form, work, *options)))


def check_game(result, tools, fixtures, work, whole):
    """The large capture in all formats, its pictures, arrows, and what it allocated."""
    capture = fixtures / 'game.utrace.zst'
    truth = json.loads((fixtures / 'game.truth.json').read_text())
    scale = 1000000000 // truth['frequency']
    wanted = {(thread['trace_tid'], timer['timer']): (timer['count'], timer['incl'] * scale)
              for thread in truth['threads'] for timer in thread.get('timers', ()) if timer['count']}
    for form in exports.READERS if whole else WHOLE:
        result.equal('game as ' + form, sums_of(tools, capture, form, work), wanted)
    region = ('--region', 'Combat 0')
    of_region = sums_of(tools, capture, 'csv', work, *region)
    result.true('scopes in the region', of_region)
    for form in exports.READERS:
        result.equal('region of the game as ' + form, sums_of(tools, capture, form, work, *region), of_region)
    exports.export(tools, capture, 'pictures', work / 'shots')
    shot, = truth['screenshots']
    path, = (work / 'shots').iterdir()
    result.true('name of the picture', shot['name'].split('.')[0] in path.name)
    result.equal('bytes of the picture', path.stat().st_size, shot['size'])
    result.equal('what the picture holds', values.fnv1a64(path.read_bytes()), shot['fnv1a64'])
    done = tools.must('trace-stats', capture, '--table', 'task_rows', '--columns', 'launched,launcher_id,started,thread_id',
                      '--format', 'csv')
    arrows = sum(all(row.values()) for row in csv.DictReader(io.StringIO(done.out.decode())))
    arrows += truth['event_counts']['GpuProfiler.WaitFence']        # each of them is signalled
    events = json.loads(exports.written(tools, capture, 'chrome', work).read_text())['traceEvents']
    phases = collections.Counter(event['ph'] for event in events)
    result.equal('arrows', (phases['s'], phases['f'], arrows > 0), (arrows, arrows, True))
    rules = json.loads((fixtures.parent / 'schemas' / 'chrome.schema.json').read_text())
    result.equal('schema of the game', schema.first_fault({'displayTimeUnit': 'ns', 'otherData': {'tool': ''},
                                                           'traceEvents': events[:20000] + events[-20000:]}, rules), None)
    done = tools.must('trace-stats', capture, '--table', 'memory', '--by', 'callstack', '--columns', 'by,alloc_bytes',
                      '--format', 'csv')
    allocated = sum(int(row['alloc_bytes']) for row in csv.DictReader(io.StringIO(done.out.decode()))
                    if row['by'] == 'callstack')
    folded = exports.written(tools, capture, 'folded', work, '--weight', 'bytes').read_text().splitlines()
    result.equal('allocated bytes as folded', sum(int(line.rsplit(' ', 1)[1]) for line in folded), allocated)
    profile = exports.gzip.decompress(exports.written(tools, capture, 'pprof', work).read_bytes())
    got = [0, 0, 0]
    for sample in map(exports.message, exports.message(profile)[2]):
        at = 0
        for i in range(3):
            value, at = exports.varint(sample[2][0], at)
            got[i] += value
    rows = tools.table(capture, 'timers', ['count', 'excl'])
    gpu = tools.table(capture, 'gpu', ['kind', 'count', 'excl'])
    # in stacks the scopes of a queue lie in its work, which they cover here, so that its time is there once
    scopes = [row for row in gpu if row['kind'] != 'gpu_work']
    result.equal('values of pprof', got, [sum(int(row['count']) for row in rows + gpu),
                                          sum(int(row['excl']) * scale for row in rows + scopes), allocated])


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_stopped(result, tools, fixtures, work):
    """Killed at any moment: the file is not there, or complete. Requested to stop: nothing else is left, either."""
    capture = fixtures / 'threads.utrace'
    place = work / 'stopped'
    place.mkdir()
    dice = random.Random(5)
    for form in exports.FORMATS:
        path = place / ('out.' + form)
        words = [tools.directory / 'trace-export', capture, '--format', form, *table_of(form), '--output', path, '--quiet']
        begin = time.monotonic()
        usual = subprocess.run(words, stderr=subprocess.DEVNULL).returncode
        result.true('%s: is done' % form, usual in (0, 4))       # 4: there are more stacks than are kept apart
        whole, length = digest(path), time.monotonic() - begin
        for number in range(5):
            path.unlink(missing_ok=True)
            how = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)[number % 3]
            process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
            time.sleep(dice.uniform(0.02, length))
            process.send_signal(how)
            status = process.wait()
            result.true('%s: ends by the signal or is done' % form, status in (usual, -how))
            result.true('%s: absent or complete' % form, not path.exists() or digest(path) == whole)
            litter = [other for other in place.iterdir() if other != path]
            result.true('%s: nothing else is left' % form, how == signal.SIGKILL or not litter)
            for other in litter:
                other.unlink()
        path.unlink(missing_ok=True)


def check_stopped_output(result, tools, fixtures, work):
    """Who reads folded stacks has had the first of them: requested to stop, the command writes what is under way, no more."""
    words = [tools.directory / 'trace-export', fixtures / 'threads.utrace', '--format', 'folded', '--output', '-', '--quiet']
    whole = len(subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    first = len(process.stdout.read(1000))
    process.send_signal(signal.SIGTERM)
    rest = len(process.communicate()[0])
    result.equal('ends by the signal', process.returncode, -signal.SIGTERM)
    # a pipe of 64 KB, and a buffer of 128 KB that was being written
    result.true('%d of %d bytes behind the first' % (rest, whole), whole > 1000000 and first + rest < 500000)


def check_full(result, tools, fixtures, work):
    """A disk that is full in the middle: a limit for the size of files."""
    capture = fixtures / 'threads.utrace'
    place = work / 'full'
    place.mkdir()

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

    for form in exports.FORMATS + ('insights',):
        what = ['--preset', form, '--table', 'timing_events'] if form == 'insights' else ['--format', form, *table_of(form)]
        if form in ('folded', 'pprof'):         # small
            continue
        done = subprocess.run([tools.directory / 'trace-export', capture, *what, '--output', place / 'out'],
                              stderr=subprocess.PIPE, preexec_fn=limit)
        result.equal('%s: no room' % form, (done.returncode, list(place.iterdir())), (3, []))
        result.true('%s: says so' % form, b'file too large' in done.stderr or b'disk' in done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('--update', action='store_true')
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument('--brief', action='store_true')
    extent.add_argument('--whole', action='store_true')
    parser.add_argument('fixtures', type=pathlib.Path)
    parser.add_argument('schemas', type=pathlib.Path)
    options = parser.parse_args()
    tools = commands.Commands(options.bin)
    checks = report.Report()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        checks.run('golden files', check_golden, tools, options.fixtures, work, options.update)
        checks.run('schemas', check_schemas, tools, options.fixtures, work, options.schemas)
        checks.run('documents', check_documents, tools, options.fixtures, options.schemas,
                   CAPTURES[-2:] if options.brief else CAPTURES)
        for name, check in (('sort', check_sort), ('split', check_split), ('split regions', check_split_regions),
                            ('split whole', check_split_whole), ('full disk', check_full),
                            ('stopped', check_stopped), ('stopped output', check_stopped_output)):
            checks.run(name, check, tools, options.fixtures, work)
        if options.brief:
            checks.run('game', write_game, tools, options.fixtures, work)
        else:
            checks.run('game', check_game, tools, options.fixtures, work, options.whole)
    return checks.close()


if __name__ == '__main__':
    sys.exit(main())
