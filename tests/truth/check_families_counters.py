#!/usr/bin/env python3
"""Compares counters, statistics, series of the CSV profiler and memory tags with the truth of their producer.

usage: check_families_counters.py --bin DIRECTORY PATH...

PATH is a truth file (NAME.truth.json, its capture beside it) or a directory, searched for them. Values are compared
exactly. What the summaries say about a counter is also computed here, from its values in the raw tables.
"""

import bisect
import collections
import fractions
import math
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE))
import check_truth  # noqa: E402

KEYS = {'counters': ('counter_id',), 'stats': ('stat_id', 'stat'), 'csv': ('series', 'thread_id'), 'llm': ('tracker', 'tag')}
RAW = {'counters': 'counter_values', 'stats': 'stat_values', 'csv': 'csv_values', 'llm': 'llm_values'}
SHARES = {'median': 0.5, 'p90': 0.9, 'p95': 0.95, 'p99': 0.99}
RELATIVE_ERROR = 0.004
CSV_FRAMES = 100                # the generator's rule begins again after so many frames
TICK = 20                       # cycles of its timer


def number(text):
    """A cell: a whole number, a real, or None."""
    if text == '':
        return None
    try:
        return int(text)
    except ValueError:
        return float(text)


def single(value):
    """A real with single precision."""
    return struct.unpack('f', struct.pack('f', value))[0]


class Asked:
    """What the commands say about a capture."""

    def __init__(self, runner, path):
        self.runner, self.path = runner, path

    def table(self, name, *columns, options=()):
        return self.runner.table(self.path, name, columns, *options)


def check_counters(result, requested, truth):
    rows = {int(row['counter_id']): row for row in requested.table('counters', 'counter_id', 'counter', 'type', 'unit', 'count', 'last', 'min',
                                                       'max')}
    wanted = {entry['id']: entry for entry in truth.get('counters', ())}
    result.equal('ids of counters', sorted(rows), sorted(wanted))
    for key, entry in wanted.items():
        row = rows[key]
        result.equal('counter %d' % key,
                     [row['counter'], row['type'], row['unit'], int(row['count']),
                      *(number(row[figure]) for figure in ('last', 'min', 'max'))],
                     [entry['name'], entry['type'], 'bytes' if entry['display_hint'] == 1 else '', entry['count'],
                      entry['last'], entry['min'], entry['max']])


def check_stats(result, requested, truth):
    rows = requested.table('stats', 'stat_id', 'stat', 'count', 'last')
    got = {(int(row['stat_id']), row['stat']): [int(row['count']), number(row['last'])] for row in rows
           if not row['stat'].endswith(' (1/frame)')}
    wanted = {(entry['id'], entry['name']): [entry['ops'], entry['final']] for entry in truth.get('stats', ())}
    result.equal('statistics', got, wanted)
    for row in rows:
        if row['stat'].endswith(' (1/frame)'):
            frames = sum(frame[0] == 0 for frame in truth['frames'])
            result.equal(row['stat'] + ' in every frame', int(row['count']), frames)
            result.equal('last of ' + row['stat'], number(row['last']),
                         next(entry['final'] for entry in truth['stats'] if entry['id'] == int(row['stat_id'])))


def check_tags(result, requested, truth):
    got = {row['tag']: number(row['last']) for row in requested.table('llm', 'tag', 'last')}
    result.equal('memory tags', got, truth.get('llm_last_values', {}))


def check_csv(result, requested, truth):
    """The rules of the generator: frame k says k mod 100, 16.6 + 0.1 (k mod 10) and a timer of 20 cycles."""
    rows = requested.table('csv_values', 'time', 'frame_type', 'frame', 'series', 'value', 'unit')
    if not truth['event_counts'].get('CsvProfiler.BeginCapture'):
        result.equal('series', rows, [])
        return
    frames = [frame for frame in truth['frames'] if frame[0] == 0]
    stamps = [frames[0][1]] + [frame[2] for frame in frames[:-1]]
    milliseconds = TICK * 1000 / truth['frequency']
    wanted = {}
    for k, stamp in enumerate(stamps):
        values = {'Global/NumUnits': k % CSV_FRAMES, 'Global/FrameTime': single(16.6 + 0.1 * (k % 10)),
                  'Global/GameThread/AITick': milliseconds}
        counted = {'COUNTS/Global/GameThread/' + name.rpartition('/')[2]: 1 for name in values}
        for name, value in {**values, **counted}.items():
            wanted[k, name] = [stamp, value, 'ms' if name.endswith('AITick') and not name.startswith('COUNTS') else '']
    got = {(int(row['frame']), row['series']): [int(row['time']), number(row['value']), row['unit']] for row in rows}
    result.equal('number of values of frames', len(rows), len(wanted))
    result.true('frames that are no game frames', all(row['frame_type'] == '0' for row in rows))
    result.equal('values of frames', sorted(got), sorted(wanted))
    for key, value in wanted.items():
        # the generator adds with less precision than is written here
        close = math.isclose(got[key][1], value[1], rel_tol=1e-6)
        result.true('value of %s is %s, not %s' % (key, got[key], value),
                    close and [got[key][0], got[key][2]] == [value[0], value[2]])
    events = requested.table('csv_events', 'time', 'kind', 'key', 'text')
    texts = [row for row in events if row['kind'] == 'event']
    result.equal('events', [bisect.bisect_right([frame[1] for frame in frames], int(row['time'])) - 1 for row in texts],
                 [k for k in range(len(frames)) if k % CSV_FRAMES == 10])
    result.true('text of events', all(row['text'] == 'Global/CsvEvent' for row in texts))
    result.equal('metadata', [[row['key'], row['text']] for row in events if row['kind'] == 'metadata'],
                 [['platform', 'Linux']])
    result.equal('captures', collections.Counter(row['kind'] for row in events),
                 {'event': len(texts), 'metadata': 1, 'begin': 1, 'end': 1})


# ---- summaries against raw values ----

def close(one, other, error=1e-12):
    return one is not None and math.isclose(one, other, rel_tol=error, abs_tol=1e-300)


def time_mean(steps, end):
    total = sum(fractions.Fraction(value) * (until - since)
                for (since, value), (until, _) in zip(steps, steps[1:] + [(end, 0)]))
    length = end - steps[0][0]
    return float(total / length) if length else None


def check_summary(result, requested, table, truth):
    keys = KEYS[table]
    most = 'peak' if table == 'llm' else 'max'
    columns = ['count', 'first', 'last', 'min', most, 'mean', 'time_mean', *SHARES]
    extra = ('op', 'operand') if table == 'stats' else ()
    frame_mean = () if table == 'llm' else ('frame_mean',)
    raw = collections.defaultdict(list)
    for row in requested.table(RAW[table], 'time', *keys, 'value', 'frame', *extra):
        raw[tuple(row[key] for key in keys)].append(row)
    rows = requested.table(table, *keys, *columns, *frame_mean)
    frames = sum(frame[0] == 0 for frame in truth['frames'])
    marks = [time for frame in truth['frames'] for time in frame[1:] if time is not None]
    if table == 'csv' and raw:      # the values themselves are later than where they stand
        marks += [int(event['fields']['Cycle']) for event in requested.runner.events(requested.path, 'CsvProfiler.EndStat')]
    end = max([int(row['time']) for entries in raw.values() for row in entries] + marks, default=0)
    result.equal('%s with values' % table, sorted(raw),
                 sorted(tuple(row[key] for key in keys) for row in rows if row['count'] != '0'))
    for row in rows:
        what = '%s %s' % (table, [row[key] for key in keys])
        entries = raw.get(tuple(row[key] for key in keys), [])
        values = [number(entry['value']) for entry in entries if entry.get('op') != 'clear']
        result.equal(what + ': count', int(row['count']), len(values))
        if not values:
            continue
        result.equal(what, [number(row[key]) for key in ('first', 'last', 'min', most)],
                     [values[0], values[-1], min(values), max(values)])
        mean = float(sum(map(fractions.Fraction, values)) / len(values))
        result.true('%s: mean %s, not %s' % (what, row['mean'], mean), close(number(row['mean']), mean))
        steps = [(int(entry['time']), number(entry['value'])) for entry in entries]
        over_time = time_mean(steps, end)
        if over_time is not None:
            result.true('%s: mean over time %s, not %s' % (what, row['time_mean'], over_time),
                        close(number(row['time_mean']), over_time))
        ranked = sorted(values)
        for name, share in SHARES.items():
            exact = ranked[max(math.ceil(round(share * len(ranked), 9)), 1) - 1]
            result.true('%s: %s %s, not %s' % (what, name, row[name], exact),
                        abs(number(row[name]) - exact) <= abs(exact) * RELATIVE_ERROR)
        if frame_mean and frames:
            given = [number(entry['operand'] if entry.get('op') in ('set', 'add') else entry['value'])
                     for entry in entries if entry['frame'] != '' and entry.get('op') != 'clear']
            wanted = float(sum(map(fractions.Fraction, given)) / frames)
            result.true('%s: by frame %s, not %s' % (what, row['frame_mean'], wanted),
                        close(number(row['frame_mean']) or 0.0, wanted))


def check_jobs(result, requested):
    for table in (*KEYS, *RAW.values(), 'csv_events'):
        one, four = (requested.runner.must('trace-stats', requested.path, '--table', table, '--format', 'csv', '--jobs', jobs)
                     for jobs in ('1', '4'))
        result.true(table + ': other output with more jobs', one.out == four.out)


def check_capture(result, runner, path, truth):
    requested = Asked(runner, path)
    for check in (check_counters, check_stats, check_tags, check_csv):
        result.attempt(check, requested, truth)
    for table in KEYS:
        result.attempt(check_summary, requested, table, truth)
    result.attempt(check_jobs, requested)


def main():
    return check_truth.check_captured(__doc__.splitlines()[0], lambda truth: 'counters' in truth, check_capture)


if __name__ == '__main__':
    sys.exit(main())
