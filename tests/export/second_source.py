"""What golden files of exports have to say, by another way than that of the commands that wrote them.

The scopes of a capture as a whole are compared with what its producer recorded, by thread and timer; those of a
selection are picked out of these here. Golden files are read by readers of their formats and have to say the same.
"""

import collections
import csv
import io
import json
import sqlite3

import check_export as exports


class Source:
    def __init__(self, tools, fixtures, work, begin, end):
        """Times in nanoseconds."""
        self.work = work
        self.truth = json.loads((fixtures / 'tiny.truth.json').read_text())
        self.scale = 1000000000 // self.truth['frequency']
        rows = exports.scopes_csv(exports.written(tools, fixtures / 'tiny.utrace', 'csv', work))
        recorded = {(thread['trace_tid'], timer['timer']): (timer['count'], timer['incl'] * self.scale)
                    for thread in self.truth['threads'] for timer in thread.get('timers', ()) if timer['count']}
        assert exports.sums((int(row['thread_id']), row['timer'], int(row['dur']) if row['dur'] else None)
                            for row in rows) == recorded
        self.rows = [row for row in rows if row['dur'] and int(row['start']) < end and
                     (int(row['start']) + int(row['dur']) > begin or int(row['start']) >= begin)]
        self.scopes = sorted((int(row['thread_id']), row['timer'], int(row['dur'])) for row in self.rows)
        own = exports.own_times([(row, int(row['dur'])) for row in self.rows], {row['timer'] for row in self.rows},
                                [row for row in rows if row['dur'] and row not in self.rows])
        calls = collections.Counter(row['timer'] for row in self.rows)
        self.stacks = {timer: (count, own.get(timer, 0)) for timer, count in calls.items()}

    def file(self, name, data):
        """Bytes of a golden file as a file of its format."""
        path = self.work / ('golden-of-' + name)
        path.unlink(missing_ok=True)
        if name.endswith('.hex'):
            data = bytes.fromhex(data.decode().replace('\n', ''))
            data = exports.gzip.compress(data) if 'pprof' in name else data
        if name.endswith('.sql'):
            sqlite3.connect(path).executescript(data.decode())
        else:
            path.write_bytes(data)
        return path


def scopes_by(reader):
    return lambda source, path: (sorted(reader(path)), source.scopes)


def texts_of(path, delimiter=','):
    with open(path, encoding='utf-8-sig', newline='') as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def bom(source, path):
    data = path.read_bytes()
    got = sorted((int(row['thread_id']), row['timer'], int(row['dur'])) for row in texts_of(path))
    return (data[:3], data.count(b'\n'), got), (b'\xef\xbb\xbf', data.count(b'\r\n'), source.scopes)


def microseconds(source, path):
    """In order of begins, an outer scope first; the last three digits are the nanoseconds."""
    rows = texts_of(path)
    got = [(int(row['thread_id']), row['timer'], row['start'], row['dur']) for row in rows]
    order = sorted(source.rows, key=lambda row: (int(row['start']), int(row['scope_id'])))
    digits = '%d.%03d'
    return got, [(int(row['thread_id']), row['timer'], digits % divmod(int(row['start']), 1000),
                  digits % divmod(int(row['dur']), 1000)) for row in order]


def tabs(source, path):
    got = sorted((row['timer'], int(row['start']), int(row['dur'])) for row in texts_of(path, '\t'))
    return got, sorted((row['timer'], int(row['start']), int(row['dur'])) for row in source.rows)


def speedscope(source, path):
    wanted = collections.Counter()
    for _, timer, duration in source.scopes:
        wanted[timer] += duration
    return dict(exports.read_speedscope(path)), dict(wanted)


def folded(part):
    return lambda source, path: (dict(exports.read_folded(path)),
                                 {timer: pair[part] for timer, pair in source.stacks.items() if pair[part]})


def pprof(source, path):
    return exports.read_pprof(path), source.stacks


# ---- presets: of the whole capture, but for timing_events ----

def insights_statistics(source, path):
    """Scopes that never end count there, too: their timers have a call more."""
    wanted = {timer['timer']: (timer['count'], '%.6f' % (timer['excl'] / source.truth['frequency']))
              for timer in source.truth['timers_total'] if timer['count']}
    got = {row['Name']: (int(row['Count']), row['Excl']) for row in texts_of(path)}
    more = {name: got[name][0] - count for name, (count, _) in wanted.items() if name in got and got[name][0] > count}
    same = {name: pair for name, pair in got.items() if name not in more}
    never = sum(thread['open_scopes_at_end'] for thread in source.truth['threads'])
    return (same, sum(more.values())), ({name: pair for name, pair in wanted.items() if name not in more}, never)


def insights_events(source, path):
    got = sorted((int(row['ThreadId']), round(float(row['EndTime']) * 1e7) - round(float(row['StartTime']) * 1e7))
                 for row in texts_of(path))
    return got, sorted((thread, duration // 100) for thread, _, duration in source.scopes)


def insights_threads(source, path):
    wanted = {thread['name'] for thread in source.truth['threads']}
    return wanted & {row['Name'] for row in texts_of(path)}, wanted


def insights_timers(source, path):
    wanted = sorted((timer['timer'], timer.get('file', ''), timer.get('line', 0)) for timer in source.truth['timers_total']
                    if timer['kind'] == 'spec')
    rows = {(row['Name'], row['File'], int(row['Line'])) for row in texts_of(path)}
    return [timer for timer in wanted if timer in rows], wanted


def insights_counters(source, path):
    kinds = {'int': 'Int64', 'float': 'Double'}
    return ([(row['Name'], row['Type']) for row in texts_of(path)][:len(source.truth['counters'])],
            [(counter['name'], kinds[counter['type']]) for counter in source.truth['counters']])


def insights_callees(source, path):
    """Calls and time of the root, and own times that add up to its time."""
    rows = texts_of(path)
    timer, = (timer for timer in source.truth['timers_total'] if timer['timer'] == rows[0]['TimerName'])
    own = sum(float(row['Exc.Time']) for row in rows)
    got = (int(rows[0]['Count']), rows[0]['Inc.Time'], abs(own - float(rows[0]['Inc.Time'])) < 1e-6)
    return got, (timer['count'], '%.9g' % (timer['incl'] / source.truth['frequency']), True)


def insights_values(source, path):
    values = [int(row['Value']) for row in texts_of(path)]
    counter, = (counter for counter in source.truth['counters'] if counter['name'] == 'Tiny/Memory')
    return ((len(values), values[-1], min(values), max(values)),
            tuple(counter[key] for key in ('count', 'last', 'min', 'max')))


def summaries_of(path):
    return {row['Name']: row for row in texts_of(path)}


def calls_by_name(source):
    """Of timers whose names such files can have; those of one name have one row."""
    counts = collections.Counter()
    for timer in source.truth['timers_total']:
        if timer['count'] and not set(timer['timer']) & set(',\r\n'):
            counts[timer['timer']] += timer['count']
    return counts


def summarize_scopes(source, path):
    return {name: int(row['Count']) for name, row in summaries_of(path).items()}, dict(calls_by_name(source))


def summarize_counters(source, path):
    rows = summaries_of(path)
    reported = source.truth['counters']
    got = [(rows[c['name']]['Count'], float(rows[c['name']]['Last']), float(rows[c['name']]['Minimum']),
            float(rows[c['name']]['Maximum'])) for c in reported]
    return got, [(str(c['count']), c['last'], c['min'], c['max']) for c in reported]


def summarize_bookmarks(source, path):
    counts = collections.Counter(mark['text'] for mark in source.truth['bookmarks'])
    return {name: int(row['Count']) for name, row in summaries_of(path).items()}, dict(counts)


def summarize_telemetry(source, path):
    """Counts of all scopes, counters and bookmarks."""
    got = {row['Context']: int(row['Measurement']) for row in texts_of(path) if row['DataPoint'] == 'Count'}
    wanted = calls_by_name(source) + collections.Counter(mark['text'] for mark in source.truth['bookmarks'])
    wanted.update({counter['name']: counter['count'] for counter in source.truth['counters']})
    return {name: got.get(name) for name in wanted}, wanted


# name of the golden file -> what it says, and what it has to say
CHECKS = {
    'scopes.csv': scopes_by(exports.read_csv),
    'scopes-crlf-bom.csv': bom,
    'scopes-us.csv': microseconds,
    'scopes.tsv': tabs,
    'scopes.ndjson': scopes_by(exports.read_ndjson),
    'chrome.json': scopes_by(exports.read_chrome),
    'chrome-args.json': scopes_by(exports.read_chrome),
    'speedscope.json': speedscope,
    'folded.txt': folded(1),
    'folded-count.txt': folded(0),
    'perfetto.hex': scopes_by(exports.read_perfetto),
    'pprof.hex': pprof,
    'sqlite.sql': scopes_by(exports.read_sqlite),
    'insights-timer_statistics.csv': insights_statistics,
    'insights-timing_events.csv': insights_events,
    'insights-threads.csv': insights_threads,
    'insights-timers.csv': insights_timers,
    'insights-counters.csv': insights_counters,
    'insights-timer_callees.csv': insights_callees,
    'insights-counter_values.csv': insights_values,
    'summarize-Scopes.csv': summarize_scopes,
    'summarize-Counters.csv': summarize_counters,
    'summarize-Bookmarks.csv': summarize_bookmarks,
    'summarize-Telemetry.csv': summarize_telemetry,
}


def compare(source, name, data):
    """What the bytes of a golden file say, and what they have to say."""
    return CHECKS[name](source, source.file(name, data))
