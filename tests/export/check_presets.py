#!/usr/bin/env python3
"""Checks the presets of trace-export: their files are put together a second time, from the scopes in cycles.

usage: check_presets.py --bin DIRECTORY FIXTURES

What the numbers and texts must look like is told by the exports of the tools themselves: seconds since the start as
%.9g, %.9f or %f, quotes only around what has the separator in it.
"""

import argparse
import collections
import csv
import json
import math
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402

CAPTURES = ('tiny', 'coroutine', 'nested_aux')
NEVER = None


class Scope:
    """A scope with times in cycles since the start; children in order."""

    def __init__(self, thread, timer, begin, end):
        self.thread, self.timer, self.begin, self.end = thread, timer, begin, end
        self.children, self.parent = [], None

    def clipped(self, low, high, last):
        end = last if self.end is NEVER else self.end
        touches = self.begin < high and (end > low or self.begin >= low)
        return touches, max(0, min(end, high) - max(self.begin, low))

    def length(self, capture):
        return (capture.last if self.end is NEVER else self.end) - self.begin

    def stack(self):
        up = self.parent
        while up:
            yield up
            up = up.parent


class Capture:
    def __init__(self, tools, fixtures, name, work):
        self.path = fixtures / (name + '.utrace')
        self.truth = json.loads((fixtures / (name + '.truth.json')).read_text())
        self.tools, self.work = tools, work
        self.frequency, start = self.truth['frequency'], self.truth['start_cycle']
        self.scopes, by_id = [], {}
        self.threads = [int(row['thread_id']) for row in tools.table(self.path, 'threads', ['thread_id'])]
        rows = tools.table(self.path, 'scopes', ['thread_id', 'timer', 'start', 'dur', 'depth', 'scope_id', 'parent_id'])
        self.never_ends = [row for row in rows if not row['dur']]
        self.open = [Scope(int(row['thread_id']), row['timer'], int(row['start']) - start, NEVER)
                     for row in self.never_ends]
        assert all(row['depth'] == '0' for row in self.never_ends)
        for row in sorted((row for row in rows if row['dur']), key=lambda row: int(row['scope_id'])):
            scope = Scope(int(row['thread_id']), row['timer'], int(row['start']) - start,
                          int(row['start']) - start + int(row['dur']))
            by_id[row['scope_id']] = scope
            self.scopes.append(scope)
            if row['parent_id']:                # what has no row of its own never ends
                scope.parent = by_id.get(row['parent_id']) or next(s for s in self.open if s.thread == scope.thread)
                scope.parent.children.append(scope)
        reported = [mark['cycle'] for mark in self.truth.get('logs', []) + self.truth.get('bookmarks', [])]
        reported += [frame[2] for frame in self.truth.get('frames', [])]
        reported += [region.get(k) for region in self.truth.get('regions', []) for k in ('begin', 'end')]
        self.last = max([scope.end for scope in self.scopes] + [cycle - start for cycle in reported if cycle])

    def seconds(self, cycles):
        return cycles / self.frequency

    def write(self, table, *options, name='preset.csv'):
        path = self.work / name
        self.tools.must('trace-export', self.path, '--preset', 'insights', '--table', table, '--output', path, '--force',
                        '--quiet', *options)
        with open(path, encoding='utf-8', newline='') as file:
            return list(csv.reader(file, delimiter=',' if name.endswith('.csv') else '\t'))


def median(values, seconds):
    """Out of 100 buckets between the least and the greatest."""
    low, high = seconds(min(values)), seconds(max(values))
    step = (high - low) / 99
    if step == 0:
        return low
    buckets = collections.Counter(math.floor((seconds(v - min(values)) + step / 2) / step) for v in values)
    passed, before = 0, None
    for bucket in sorted(buckets):
        split = len(values) % 2 == 0 and passed == len(values) // 2
        passed += buckets[bucket]
        if passed > len(values) // 2:
            return low + step * ((bucket + before) / 2 if split else bucket)
        before = bucket


def statistics(capture, low=-math.inf, high=math.inf):
    """Rows by name: all columns but the name."""
    incl, excl = collections.defaultdict(list), collections.defaultdict(list)
    for scope in capture.scopes + capture.open:
        touches, length = scope.clipped(low, high, capture.last)
        if not touches:
            continue
        inner = any(up.timer == scope.timer for up in scope.stack())
        incl[scope.timer].append(0 if inner else length)
        excl[scope.timer].append(length - sum(child.clipped(low, high, capture.last)[1] for child in scope.children))
    rows = {}
    for timer, times in incl.items():
        row = [str(len(times))]
        for values in (times, excl[timer]):
            total = capture.seconds(sum(values))
            row += ['%f' % v for v in (total, capture.seconds(min(values)), capture.seconds(max(values)),
                                       total / len(values), median(values, capture.seconds))]
        rows[timer.replace(',', ' ').encode('ascii', 'replace').decode()] = row
    return rows


def check_statistics(result, capture):
    head, *rows = capture.write('timer_statistics')
    result.equal('columns of statistics', ','.join(head),
                 'Name,Count,Incl,I.Min,I.Max,I.Avg,I.Med,Excl,E.Min,E.Max,E.Avg,E.Med')
    result.equal('statistics', {row[0]: row[1:] for row in rows}, statistics(capture))
    result.equal('order of statistics', [row[0] for row in rows],
                 [row[0] for row in sorted(rows, key=lambda row: (-float(row[2]), row[0]))])


def check_interval(result, capture):
    low, high = capture.last // 3, capture.last // 2
    options = ['--from', '%dns' % (low * 10**9 // capture.frequency), '--to', '%dns' % (high * 10**9 // capture.frequency)]
    _, *rows = capture.write('timer_statistics', *options)
    result.equal('statistics of an interval', {row[0]: row[1:] for row in rows}, statistics(capture, low, high))
    _, *rows = capture.write('timing_events', *options)
    touching = sum(scope.clipped(low, high, capture.last)[0] for scope in capture.scopes)
    result.equal('events of an interval', len([row for row in rows if row[3] != 'inf']), touching)


def check_events(result, capture):
    columns = ['ThreadId', 'TimerName', 'StartTime', 'EndTime', 'Duration', 'Depth']
    head, *rows = capture.write('timing_events', '--columns', ','.join(columns))
    result.equal('columns of events', head, columns)
    wanted = [[str(scope.thread), scope.timer, '%.9g' % capture.seconds(scope.begin), '%.9g' % capture.seconds(scope.end),
               '%.9f' % (capture.seconds(scope.end) - capture.seconds(scope.begin)), str(len(list(scope.stack())))]
              for thread in capture.threads for scope in capture.scopes if scope.thread == thread]
    ended = [row for row in rows if row[3] != 'inf']
    result.equal('events', ended, wanted)
    result.equal('scopes that never end', sorted((row[0], row[1], row[3], row[4]) for row in rows if row[3] == 'inf'),
                 sorted((row['thread_id'], row['timer'], 'inf', 'inf') for row in capture.never_ends))
    result.equal('usual columns', capture.write('timing_events')[0], ['ThreadId', 'TimerId', 'StartTime', 'EndTime', 'Depth'])
    result.equal('a pattern for columns', capture.write('timing_events', '--columns', 'Depth,*Id')[0],
                 ['Depth', 'ThreadId', 'TimerId'])


def callees(capture, timer):
    """Sums by path below a timer."""
    sums = collections.defaultdict(lambda: [0, 0, 0])

    def add(path, scope, inc):
        excl = scope.length(capture) - sum(child.length(capture) for child in scope.children)
        sums[path] = [a + b for a, b in zip(sums[path], (1, inc, excl))]
        for child in scope.children:
            add(path + (child.timer,), child, child.length(capture))

    for scope in capture.scopes + capture.open:
        if scope.timer == timer:
            inner = any(up.timer == timer for up in scope.stack())
            add((timer,), scope, 0 if inner else scope.length(capture))
    return {path: (str(count), '%.9g' % capture.seconds(inc), '%.9g' % capture.seconds(exc))
            for path, (count, inc, exc) in sums.items()}


def paths(rows):
    """Paths of rows that come parent first, depth first."""
    stack, names = [], {row[0]: row[2] for row in rows}
    for timer, parent, name, *figures in rows:
        while stack and (parent == '4294967295' or stack[-1] != parent):
            stack.pop()
        stack.append(timer)
        yield tuple(names[step] for step in stack), tuple(figures[:3])


def check_callees(result, capture):
    result.equal('columns of callees', capture.write('timer_callees'),
                 [['TimerId', 'ParentId', 'TimerName', 'Count', 'Inc.Time', 'Exc.Time', 'NumFrames']])
    for timer in sorted({scope.timer for scope in capture.scopes})[:8]:
        _, *rows = capture.write('timer_callees', '--timer', timer)
        wanted = callees(capture, timer)
        result.equal('callees of ' + timer, sorted(row[3:6] for row in rows), sorted(list(v) for v in wanted.values()))
        result.equal('root of ' + timer, (rows[0][1], rows[0][2], tuple(rows[0][3:6])),
                     ('4294967295', timer, wanted[timer,]))
        if len({path[-1] for path in wanted}) == len(wanted):       # else parents are not distinguished
            result.equal('paths of ' + timer, dict(paths(rows)), wanted)


def check_lists(result, capture):
    head, *rows = capture.write('threads')
    result.equal('threads', [head, *rows[:3]], [['Id', 'Name', 'Group'], ['1196447025', 'GPU1', 'GPU'],
                                                ['1196447026', 'GPU2', 'GPU'], ['1448235845', 'VerseSampling', 'Verse']])
    result.equal('order of threads', [int(row[0]) for row in rows[3:]], capture.threads)
    head, *timers = capture.write('timers')
    result.equal('columns of timers', head, ['Id', 'Type', 'Name', 'File', 'Line'])
    result.true('timers', {scope.timer for scope in capture.scopes} <= {row[2] for row in timers})
    head, *rows = capture.write('timers', name='preset.tsv')
    result.equal('timers with tabs', [head, *rows], [['Id', 'Type', 'Name', 'File', 'Line'], *timers])
    names = {row[0]: row[2] for row in timers}
    _, *rows = capture.write('timing_events', '--columns', 'TimerId,TimerName')
    result.true('numbers of timers', all(names[number] == name for number, name in rows))


def check_counters(result, capture):
    reported = capture.truth.get('counters') or []
    head, *rows = capture.write('counters')
    result.equal('columns of counters', head, ['Id', 'Type', 'Name'])
    result.equal('counters', sorted((row[2], row[1].split('|')[0]) for row in rows if row[2] in [c['name'] for c in reported]),
                 sorted((c['name'], {'int': 'Int64', 'float': 'Double'}[c['type']]) for c in reported))
    for counter in reported:
        head, *rows = capture.write('counter_values', '--counter', counter['name'])
        result.equal('columns of values', head, ['Time', 'Value'])
        last = '%d' % counter['last'] if counter['type'] == 'int' else '%.9f' % counter['last']
        result.equal('values of ' + counter['name'], (len(rows), rows[-1][1]), (counter['count'], last))
        values = [float(row[1]) for row in rows]
        result.equal('extremes of ' + counter['name'], (min(values), max(values)), (counter['min'], counter['max']))


def check_regions(result, tools, fixtures, work):
    """A file for each region, and what cannot be a file."""
    capture = Capture(tools, fixtures, 'tiny', work)
    folder = work / 'regions'
    folder.mkdir()
    tools.must('trace-export', capture.path, '--preset', 'insights', '--table', 'timing_events', '--region', 'pl*',
               '--region', 'LOADING', '--output', folder / 'e_{region}.csv')
    result.equal('files of regions', sorted(path.name for path in folder.iterdir()), ['e_Loading.csv', 'e_Playing.csv'])
    region = next(r for r in capture.truth['regions'] if r['name'] == 'Loading')
    low, high = (region[k] - capture.truth['start_cycle'] for k in ('begin', 'end'))
    rows = (folder / 'e_Loading.csv').read_text().splitlines()[1:]
    result.equal('events of a region', len([row for row in rows if ',inf,' not in row]),
                 sum(scope.clipped(low, high, capture.last)[0] for scope in capture.scopes))
    tools.must('trace-export', capture.path, '--preset', 'insights', '--table', 'timer_statistics', '--region', 'Loading',
               '--output', folder / 's_*.csv')
    result.true('the older sign for regions', (folder / 's_Loading.csv').exists())
    tools.must('trace-export', capture.path, '--preset', 'insights', '--table', 'timing_events', '--thread', 'worker',
               '--output', work / 'word.csv')
    result.equal('a thread by a word of its name', {row.split(',')[0] for row in (work / 'word.csv').read_text().splitlines()},
                 {'ThreadId', '6'})
    for what, options in (('no such region', ['--table', 'timers', '--region', 'nothing']),
                          ('no such thread', ['--table', 'timing_events', '--thread', 'nothing']),
                          ('no such timer', ['--table', 'timing_events', '--timer', 'nothing']),
                          ('no such counter', ['--table', 'counter_values', '--counter', 'nothing']),
                          ('no such column', ['--table', 'timing_events', '--columns', 'Nothing']),
                          ('no such table', ['--table', 'nothing']),
                          ('several regions, one file', ['--table', 'timing_events', '--region', '*']),
                          ('several counters, one file', ['--table', 'counter_values'])):
        done = tools.run('trace-export', capture.path, '--preset', 'insights', '--output', work / 'none.csv', *options)
        result.equal(what, (done.status, (work / 'none.csv').exists()), (2, False))
    result.equal('no such preset', tools.run('trace-export', capture.path, '--preset', 'x', '--output', work / 'y').status, 2)
    tools.must('trace-export', capture.path, '--preset', 'insights', '--output', work / 'all')
    result.true('a folder with all files', {'threads.csv', 'timers.csv', 'timing_events.csv', 'timer_statistics.csv',
                                            'timer_callees.csv', 'counters.csv', 'counter_values_Tiny_Memory.csv'} <=
                {path.name for path in (work / 'all').iterdir()})
    one, four = (tools.must('trace-export', capture.path, '--preset', 'insights', '--table', 'timer_statistics', '--jobs',
                            jobs, '--output', '-').out for jobs in ('1', '4'))
    result.true('the same for --jobs 4', one == four and one)


def read_summary(path):
    """Lines begin with their break and end with a comma."""
    text = path.read_text(encoding='utf-8')
    lines = text.split('\n')
    assert all(line.endswith(',') for line in lines), path
    return [line[:-1].split(',') for line in lines]


def check_summarize(result, capture, work):
    folder = work / ('sum-' + capture.path.stem)
    capture.tools.must('trace-export', capture.path, '--preset', 'summarize', '--output', folder)
    base = capture.path.stem
    result.equal('files', sorted(path.name for path in folder.iterdir()),
                 [base + end for end in ('Bookmarks.csv', 'Counters.csv', 'Scopes.csv', 'Telemetry.csv')])
    head, *rows = read_summary(folder / (base + 'Scopes.csv'))
    times = collections.defaultdict(list)
    for scope in capture.scopes:
        times[scope.timer].append(scope)
    second = capture.seconds
    wanted = {}
    for name, scopes in times.items():
        if set(name) & set(',\r\n'):
            continue
        lengths = [second(scope.end - scope.begin) for scope in scopes]
        total = second(sum(scope.end - scope.begin for scope in scopes))
        first = min(scopes, key=lambda scope: scope.begin)
        mean = total / len(lengths)
        deviation = math.sqrt(sum((v - mean) ** 2 for v in lengths) / (len(lengths) - 1)) if len(lengths) > 1 else 0
        wanted[name] = [str(len(scopes)), '%f' % total, '%f' % second(first.begin),
                        '%f' % second(max(scope.end for scope in scopes)), '%f' % min(lengths), '%f' % max(lengths),
                        '%f' % mean, '%f' % deviation]
    columns = ['Count', 'TotalDurationSeconds', 'FirstStartSeconds', 'LastFinishSeconds', 'MinDurationSeconds',
               'MaxDurationSeconds', 'MeanDurationSeconds', 'DeviationDurationSeconds']
    places = [head.index(column) for column in columns]
    result.equal('scopes of summaries', {row[0]: [row[i] for i in places] for row in rows}, wanted)
    totals = [float(row[head.index('TotalDurationSeconds')]) for row in rows]
    result.true('order of summaries', totals == sorted(totals, reverse=True))
    _, *rows = read_summary(folder / (base + 'Bookmarks.csv'))
    marks = collections.defaultdict(list)
    for mark in capture.truth.get('bookmarks') or []:
        marks[mark['text']].append(second(mark['cycle'] - capture.truth['start_cycle']))
    result.equal('bookmarks of summaries', {row[0]: row[1:] for row in rows},
                 {text: [str(len(times)), '%f' % min(times), '%f' % max(times)] for text, times in marks.items()})
    reported = check_summarized_counters(result, capture, folder / (base + 'Counters.csv'))
    _, *rows = read_summary(folder / (base + 'Telemetry.csv'))
    result.equal('telemetry of scopes', {row[1]: row[4] for row in rows if row[2] == 'Count' and row[1] in wanted},
                 {name: row[0] for name, row in wanted.items()})
    points = collections.defaultdict(dict)
    for _, context, point, _, measured, _ in rows:
        points[context][point] = measured
    for name, row in reported.items():
        result.equal('telemetry of ' + name, points[name], row)
    result.true('name of the test', all(row[0] == base for row in rows))


def near(text, value):
    return abs(float(text) - value) <= 1e-6 + 1e-9 * abs(value)


def check_summarized_counters(result, capture, path):
    """Every column from the values one by one, which the truth has the number and the extremes of."""
    columns = ['Count', 'CountPerSecond', 'First', 'FirstSeconds', 'Last', 'LastSeconds', 'Minimum', 'Maximum', 'Mean',
               'Deviation']
    head, *rows = read_summary(path)
    result.equal('columns of counters', head, ['Name', *columns])
    rows = {row[0]: dict(zip(columns, row[1:])) for row in rows}
    samples = collections.defaultdict(list)
    start = capture.truth['start_cycle']
    for row in capture.tools.table(capture.path, 'counter_values', ['counter', 'time', 'value']):
        samples[row['counter']].append((capture.seconds(int(row['time']) - start), float(row['value'])))
    reported = capture.truth.get('counters') or []
    for counter in reported:
        row, (times, values) = rows[counter['name']], zip(*samples[counter['name']])
        result.equal('values of ' + counter['name'], (len(values), values[-1], min(values), max(values)),
                     (counter['count'], counter['last'], counter['min'], counter['max']))
        form = '%d' if counter['type'] == 'int' else '%f'
        exact = {'Count': '%d' % len(values), 'First': form % values[0], 'Last': form % values[-1],
                 'Minimum': form % min(values), 'Maximum': form % max(values), 'FirstSeconds': '%f' % times[0],
                 'LastSeconds': '%f' % times[-1]}
        result.equal('summary of ' + counter['name'], {key: row[key] for key in exact}, exact)
        mean = math.fsum(values) / len(values)
        spread = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1)) if len(values) > 1 else 0
        length = times[-1] - times[0]
        for key, value in ('Mean', mean), ('Deviation', spread), ('CountPerSecond', len(values) / length if length else 0):
            result.true('%s of %s: %s, not %s' % (key, counter['name'], row[key], value), near(row[key], value))
    return {counter['name']: {key: rows[counter['name']][key] for key in columns if key != 'CountPerSecond'}
            for counter in reported}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    tools = commands.Commands(options.bin)
    checks = report.Report()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for name in CAPTURES:
            capture = Capture(tools, options.fixtures, name, work)
            for check in (check_statistics, check_interval, check_events, check_callees, check_lists, check_counters):
                checks.run('%s of %s' % (check.__name__[6:], name), check, capture)
            checks.run('summaries of ' + name, check_summarize, capture, work)
        checks.run('regions', check_regions, tools, options.fixtures, work)
    return checks.close()


if __name__ == '__main__':
    sys.exit(main())
