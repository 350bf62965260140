#!/usr/bin/env python3
"""trace-query against the databases that trace-export writes, against itself with nothing pushed down, against rows that
are gone through one by one, and against the truth about captures.

usage: check_query.py --bin DIRECTORY [--questions N] FIXTURES
"""

import argparse
import collections
import csv
import datetime
import io
import json
import math
import pathlib
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness'), str(HERE.parent / 'columns')]
import commands        # noqa: E402
import joins           # noqa: E402
import parquet_reader  # noqa: E402
import questions  # noqa: E402
import report     # noqa: E402

SEVERAL = ('tiny.utrace', 'tiny-ue5.0.utrace', 'late_snapshot.utrace', 'tracy/ondemand-0.14.0.tracy')
CAPTURES = ('tiny.utrace', 'late.utrace', 'net.utrace', 'tracy/ondemand-0.14.0.tracy')


def plain(value):
    """A value of JSON as SQLite has it."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, dict) and list(value) == ['bytes']:
        return bytes.fromhex(value['bytes'])
    return value


def key(row):
    return tuple((type(v).__name__ if not isinstance(v, (int, float)) else 'number', str(v)) for v in row)


def same(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return isinstance(a, (int, float)) and isinstance(b, (int, float)) and math.isclose(a, b, rel_tol=1e-9)
    return a == b


def equal_rows(a, b, ordered):
    if not ordered:
        a, b = sorted(a, key=key), sorted(b, key=key)
    return len(a) == len(b) and all(len(x) == len(y) and all(map(same, x, y)) for x, y in zip(a, b))


class Asked:
    """A capture, the database of its export, and what trace-query answers."""

    def __init__(self, tools, fixtures, work, name, tables=','.join(sorted(questions.TABLES))):
        self.tools, self.capture = tools, fixtures / name
        self.captures = [self.capture]
        self.path = work / (pathlib.Path(name).name + '.db')
        # A table that the capture cannot answer is left out here and there.
        tools.must('trace-export', self.capture, '-f', 'sqlite', '-o', self.path, '--table', tables, '--force',
                   allowed=(0, 4))
        self.base = sqlite3.connect(self.path)

    def answers(self, statements, *options):
        """The rows of each statement."""
        text = ';\n'.join(statements)
        done = subprocess.run([str(self.tools.directory / 'trace-query'), *map(str, self.captures), '--sql', '-', '-f', 'json', '-q',
                               *options], input=text.encode(), capture_output=True)
        if done.returncode not in (0, 4):
            raise commands.CommandError('%s: %s' % (done.returncode, done.stderr.decode()[:400]))
        found = json.loads(done.stdout)
        return [[tuple(map(plain, row.values())) for row in found['result' if i == 0 else 'result_%d' % (i + 1)]]
                for i in range(len(statements))]

    def wanted(self, statement):
        return [tuple(row) for row in self.base.execute(statement)]


class AskedAll(Asked):
    """Several captures at once, and one database of all of them."""

    def __init__(self, tools, fixtures, work, names):
        each = [Asked(tools, fixtures, work, name) for name in names]
        self.tools, self.captures = tools, [a.capture for a in each]
        self.capture = pathlib.Path('several')
        for a in each:
            a.base.close()
        self.base = joins.joined([a.path for a in each])


def compare(result, requested, statements, *options):
    """statements: (statement, are its rows in an order)"""
    for (statement, ordered), rows in zip(statements, requested.answers([s for s, _ in statements], *options)):
        wanted = requested.wanted(statement)
        result.true('%s %s: %s\n  is %.300s\n  not %.300s' % (requested.capture.name, ' '.join(options), statement, rows, wanted),
                    equal_rows(rows, wanted, ordered))


def check_random(result, requested, table, n):
    maker = questions.Maker(requested.base, table, 'seed %s %s' % (requested.capture.name, table))
    statements = [maker.statement() for _ in range(n)]
    compare(result, requested, statements)
    compare(result, requested, statements[:n // 4], '--nothing-pushed')


def check_joins(result, requested, n):
    maker = joins.Maker(requested.base, 'several')
    for first in range(0, n, 10):
        statements = [maker.statement() for _ in range(min(10, n - first))]
        compare(result, requested, statements)
        compare(result, requested, statements[:2], '--nothing-pushed')


def check_by_hand(result, requested):
    there = {row[0] for row in requested.base.execute('SELECT name FROM sqlite_schema')}
    statements = [(s, 'ORDER BY' in s) for s in questions.BY_HAND if 'frames' in there or 'frames' not in s]
    compare(result, requested, statements)
    compare(result, requested, statements, '--nothing-pushed')


def check_spilled(result, tools, fixtures, work):
    """Joins whose rows are more than may be in memory, by numbers, texts and ranges."""
    requested = Asked(tools, fixtures, work, 'threads.utrace', 'scopes')
    some = 'WITH few AS (SELECT * FROM scopes WHERE depth = 1 ORDER BY thread_id, start LIMIT 30) '
    compare(result, requested, [(some + statement, False) for statement in (
        'SELECT count(*), sum(b.dur), max(b.timer) FROM few JOIN scopes b ON b.scope_id = few.parent_id AND b.thread_id = few.thread_id',
        'SELECT few.scope_id, count(*), sum(b.depth) FROM few JOIN scopes b ON b.start >= few.start AND b.start < few.start + 20000 '
        'GROUP BY 1',
        'SELECT t.timer, count(*), min(b.start) FROM (SELECT DISTINCT timer FROM few) t JOIN scopes b ON b.timer = t.timer GROUP BY 1',
    )], '--memory', '1')


# ---- one by one ----

def check_brute(result, tools, capture):
    """Conditions of scopes, gone through in Python over the rows of trace-stats."""
    rows = [json.loads(line) for line in tools.must(
        'trace-stats', capture, '--table', 'scopes', '-f', 'ndjson', '-c',
        'thread,timer,start,dur,depth,scope_id,parent_id', allowed=(0, 4)).out.decode().splitlines()]
    ask = Single(tools, capture)
    starts = sorted(row['start'] for row in rows)
    for part in range(1, 8):
        low, high = starts[len(starts) * part // 10], starts[len(starts) * (part + 2) // 10]
        timer, thread = rows[len(rows) * part // 10]['timer'], rows[len(rows) * part // 9]['thread']
        where = {
            'start >= %d AND start < %d' % (low, high): lambda r: low <= r['start'] < high,
            'start > %d AND start <= %d' % (low, high): lambda r: low < r['start'] <= high,
            'start = %d' % low: lambda r: r['start'] == low,
            'timer = %s' % questions.quote(timer): lambda r: r['timer'] == timer,
            'thread = %s AND start < %d' % (questions.quote(thread), high):
                lambda r: r['thread'] == thread and r['start'] < high,
            'timer IN (%s, %s)' % (questions.quote(timer), questions.quote(rows[0]['timer'])):
                lambda r: r['timer'] in (timer, rows[0]['timer']),
            'start + dur > %d' % low: lambda r: r['dur'] is not None and r['start'] + r['dur'] > low,
        }
        for text, test in where.items():
            kept = [r for r in rows if test(r)]
            wanted = [(len(kept), sum(r['dur'] or 0 for r in kept))]
            result.equal('scopes WHERE ' + text, ask('SELECT count(*), coalesce(sum(dur), 0) FROM scopes WHERE '
                                                     + text), wanted)


class Single:
    """One statement at a time; a failure is the status and what was said."""

    def __init__(self, tools, *captures):
        self.tools, self.captures = tools, captures

    def run(self, statement, *options):
        return self.tools.run('trace-query', *self.captures, statement, *options)

    def __call__(self, statement, *options):
        done = self.run(statement, '-f', 'json', *options)
        if done.status not in (0, 4):
            raise commands.CommandError(done.describe())
        return [tuple(map(plain, row.values())) for row in json.loads(done.out)['result']]


# ---- truth ----

def check_truth(result, tools, fixtures, name):
    truth = json.loads((fixtures / (name + '.truth.json')).read_text())
    scale = 1000000000 // truth['frequency']
    ask = Single(tools, fixtures / (name + '.utrace'))
    wanted = sorted((t['name'], x['timer'], x['count'], x['incl'] * scale)
                    for t in truth['threads'] for x in t.get('timers', ()) if x['count'])
    result.equal('timers by thread', sorted(ask(
        'SELECT thread, timer, count, total FROM timers WHERE count > 0')), wanted)
    plainly = collections.Counter()
    for _, timer, count, _ in wanted:
        plainly[timer] += count
    result.equal('timers', dict(ask('SELECT timer, count FROM timers WHERE count > 0')), dict(plainly))
    result.equal('scopes by timer', dict(ask(
        'SELECT timer, count(*) FROM scopes WHERE dur IS NOT NULL GROUP BY timer')), dict(plainly))
    for thread in truth['threads']:
        own = sorted((x['timer'], x['count']) for x in thread.get('timers', ()) if x['count'])
        result.equal('timers of ' + thread['name'], sorted(ask(
            'SELECT timer, count FROM timers WHERE thread = %s AND count > 0' % questions.quote(thread['name']))), own)
    frames = [(begin, end) for kind, begin, end in truth['frames'] if kind == 0]
    if frames:
        result.equal('game frames', ask('SELECT start, "end" FROM frames WHERE type_id = 0'),
                     [((b - truth['start_cycle']) * scale, (e - truth['start_cycle']) * scale) for b, e in frames])
        by_frame = ask('SELECT frame, count(*) FROM scopes WHERE frame IS NOT NULL GROUP BY frame ORDER BY 1')
        starts = [row[0] for row in ask('SELECT start FROM scopes')]
        counted = collections.Counter()
        for start in starts:
            for i, (b, e) in enumerate(frames):
                if (b - truth['start_cycle']) * scale <= start < (e - truth['start_cycle']) * scale:
                    counted[i] += 1
        result.equal('scopes by frame', by_frame, sorted(counted.items()))
        for frame in list(counted)[:3]:
            result.equal('scopes of a frame', ask('SELECT count(*) FROM scopes WHERE frame = %d' % frame),
                         [(counted[frame],)])


# ---- readings, mistakes, several captures ----

READINGS = (  # statement, the most readings it may take
    ('SELECT count(*) FROM scopes', 1),
    ('SELECT timer, count(*) FROM scopes GROUP BY timer', 1),
    ('SELECT DISTINCT thread FROM scopes', 1),
    ("SELECT * FROM scopes WHERE timer IN ('a', 'b', 'c')", 1),
    ('SELECT frame, count(*) FROM scopes GROUP BY frame', 2),
    ('SELECT f.frame, count(*) FROM frames f JOIN scopes s ON s.start >= f.start AND s.start < f."end" GROUP BY 1', 3),
    ('SELECT count(*) FROM scopes s JOIN scopes p ON p.scope_id = s.parent_id', 3),
    ('SELECT count(*) FROM scopes s JOIN threads t ON t.thread_id = s.thread_id', 2),
    ('SELECT t.timer, (SELECT count(*) FROM scopes s WHERE s.timer = t.timer) FROM timers t', 3),
    ('SELECT count(*) FROM timers a, timers b, threads c', 2),
    ('SELECT 1', 0),
)


def check_readings(result, tools, fixtures):
    ask = Single(tools, fixtures / 'tiny.utrace')
    for statement, most in READINGS:
        done = ask.run(statement, '--readings', '-f', 'csv')
        said = int(done.err.decode().rsplit('readings of captures: ', 1)[1])
        result.true('%d readings, not at most %d: %s' % (said, most, statement), done.status == 0 and said <= most)


PLANS = (  # statement, words of its steps by the conditions and columns that stand in it
    ('SELECT dur FROM scopes WHERE start >= 5 AND start < 9', [['read scopes once, selected by', 'start >= ...', 'start < ...', 'columns', 'dur']]),
    ("SELECT count(*) FROM scopes WHERE timer IN ('a', 'b')", [['read scopes once', 'selected by timer in a list']]),
    ('SELECT timer, count(*) FROM scopes GROUP BY timer', [['read scopes once', 'grouped by timer', 'columns timer']]),
    ('SELECT timer, count(*) FROM scopes GROUP BY timer ORDER BY timer DESC', [['read scopes once', 'grouped by timer, descending']]),
    ('SELECT 1 FROM scopes s JOIN scopes p ON p.scope_id = s.parent_id', [['read scopes as ', ' once'], ['look up scopes as ', '_id for each earlier row']]),
)


def check_plans(result, tools, fixtures):
    ask = Single(tools, fixtures / 'tiny.utrace')
    for statement, wanted in PLANS:
        done = ask.run(statement, '--plan', '-f', 'json')
        steps = [row['work'] for row in json.loads(done.out)['plan']]
        result.true('plan of %s: %s' % (statement, steps), len(steps) >= len(wanted) and
                    all(word in step for step, words in zip(steps, wanted) for word in words))


MISTAKES = (  # statement, status, what is said
    ('SELECT tmer FROM timers', 2, 'line 1, column 8: no such column: tmer; did you mean \'timer\'? Columns of timers: '),
    ('SELECT "tmer" FROM timers', 2, 'line 1, column 8: no such column: tmer; did you mean \'timer\', or the text \'tmer\', '
                                     'which stands in single quotes? Columns of timers: '),
    ('SELECT * FROM timers WHERE timer = "xyzzy"', 2, "no such column: xyzzy; a text stands in single quotes: 'xyzzy'\n"),
    ('WITH t AS (SELECT timer FROM timers) SELECT excl FROM t', 2,
     "no such column: excl; did you mean 'incl'?\n"),
    ('WITH t AS (SELECT timer FROM timers) SELECT t.FILE FROM t', 2,
     "no such column: t.FILE; did you mean 'line', 'role'?\n"),
    ('SELECT xyzzy FROM timers', 2, 'no such column: xyzzy; columns of timers: thread_id, thread, '),
    ('SELECT timer\nFROM timrs', 2, 'no such table: timrs; did you mean \'timers\'?\n'),
    ('SELECT timer\nFROM timers WHERE (', 2, 'incomplete input'),
    ('SELECT mediann(excl) FROM timers', 2, 'no such function: mediann; did you mean \'median\', \'radians\'?\n'),
    ("SELECT * FROM timers WHERE region = 'no such region'", 2, 'no region matches'),
    ("SELECT * FROM groups WHERE grouped_by = 'nothing'", 2, 'nothing is grouped by'),
    ("SELECT * FROM scopes WHERE thread = 'no such thread'", 0, ''),
    ('ATTACH \'x.db\' AS y', 2, 'captures are read-only'),
    ('CREATE TABLE x(y)', 2, 'captures are read-only'),
    ('INSERT INTO timers VALUES(1)', 2, ''),
    ('DELETE FROM frames', 2, ''),
    ('PRAGMA journal_mode = WAL', 2, 'captures are read-only'),
    ('PRAGMA writable_schema = ON', 2, 'captures are read-only'),
    ("SELECT load_extension('x')", 2, 'load_extension'),
    ('VACUUM INTO \'x.db\'', 2, ''),
    ('INCLUDE PERFETTO MODULE slices.with_context; SELECT 1', 0, ''),
    ('CREATE PERFETTO TABLE x AS SELECT 1', 0, ''),
    ('create perfetto view x as select 1; SELECT * FROM x', 0, ''),
    ('CREATE OR REPLACE PERFETTO TABLE x AS SELECT 1', 2, 'WITH'),
    ('CREATE PERFETTO FUNCTION x() RETURNS INT AS SELECT 1', 2, 'CREATE TEMP TABLE'),
    # words of other databases, each with what is written here
    ('DESCRIBE frames', 2, 'pragma_table_info'),
    ('SHOW TABLES', 2, 'pragma_table_list'),
    ('.tables', 2, 'trace-stats --list'),
    ('\\d frames', 2, 'trace-stats --list'),
    ('FROM frames LIMIT 2', 2, 'SELECT * FROM'),
    ('SELECT * EXCLUDE (start) FROM frames', 2, 'name the columns that are wanted'),
    ('SELECT type, count(*) FROM frames GROUP BY ALL', 2, 'GROUP BY 1, 2'),
    ('SELECT sum(dur)::DOUBLE FROM frames', 2, 'CAST(value AS TYPE)'),
    ("SELECT frame FROM frames WHERE type ILIKE 'GAME'", 2, 'LIKE'),
    ('SELECT frame FROM frames QUALIFY row_number() OVER (ORDER BY dur) < 3', 2, 'subquery'),
    ('SELECT 7 // 2', 2, '7 / 2 is 3'),
    ('SELECT left(type, 2) FROM frames', 2, 'substr(text, 1, n)'),
    ('SELECT if(dur > 1, 1, 2) FROM frames', 2, 'iif('),
    ('SELECT * FROM perf_sample', 2, "'sample_rows'"),
    ('SELECT * FROM information_schema.columns', 2, 'pragma_table_list'),
    # and the same signs where they mean nothing else
    ('SELECT frame, FROM frames', 2, 'near "FROM": syntax error\n'),
    ('SELECT count(*) FROM frames f LEFT JOIN frames g ON WHERE', 2, 'near "WHERE": syntax error\n'),
    ('SELECT a / / b', 2, 'near "/": syntax error\n'),
    ("SELECT percentile(excl, 101) FROM timers", 2, 'percent'),
    ("SELECT * FROM scopes WHERE frames = 'x'", 2, "frames are '10' or '10-20'"),
)


def check_mistakes(result, tools, fixtures):
    ask = Single(tools, fixtures / 'tiny.utrace')
    for statement, status, said in MISTAKES:
        done = ask.run(statement, '-f', 'csv')
        result.true('%s: status %d, %r' % (statement, done.status, done.err), done.status == status
                    and said in done.err.decode())
    result.equal('no capture', tools.run('trace-query', fixtures / 'no-such.utrace', 'SELECT * FROM timers').status, 3)
    result.equal('no question', tools.run('trace-query', fixtures / 'tiny.utrace').status, 2)
    result.equal('a question of no name', tools.run('trace-query', fixtures / 'tiny.utrace', '--ask', 'x').status, 2)
    result.equal('cannot write', tools.run('trace-query', fixtures / 'tiny.utrace', 'SELECT 1', '-o', '/no/such/x.csv').status, 3)


CAPTURE_NAMES = {   # condition on the captures, the same of a name; late.utrace is the third one
    "capture GLOB 'tiny*'": lambda name: name.startswith('tiny'),
    "capture LIKE '%.0.UTRACE'": lambda name: name.endswith('.0.utrace'),
    "capture LIKE 'tiny.%'": lambda name: name.startswith('tiny.'),
    "capture > 'late.utrace'": lambda name: name > 'late.utrace',
    "capture BETWEEN 'l' AND 'm'": lambda name: 'l' <= name <= 'm',
    'capture_id >= 2': lambda name: name != 'tiny.utrace',
    'capture_id < 3': lambda name: name != 'late.utrace',
    'capture_id BETWEEN 2 AND 2.5': lambda name: name == 'tiny-ue5.0.utrace',
    "capture IN ('late.utrace', 'x') OR capture_id = 1": lambda name: name in ('late.utrace', 'tiny.utrace'),
}


def check_several(result, tools, fixtures):
    names = ['tiny.utrace', 'tiny-ue5.0.utrace', 'late.utrace']
    one = {name: Single(tools, fixtures / name) for name in names}
    all_ = Single(tools, *(fixtures / name for name in names))
    for name in names:
        for table in ('scopes', 'timers'):
            result.equal('%s of %s by its name alone' % (table, name), all_("SELECT count(*) FROM %s WHERE capture = '%s'"
                                                                           % (table, name[:-len('.utrace')])),
                         one[name]('SELECT count(*) FROM ' + table))
            result.equal('%s of a list with %s' % (table, name), all_("SELECT count(*) FROM %s WHERE capture IN ('%s', 'x')"
                                                                      % (table, name[:-len('.utrace')])),
                         one[name]('SELECT count(*) FROM ' + table))
    counts = [(name, one[name]('SELECT count(*) FROM scopes')[0][0]) for name in names]
    result.equal('captures', all_('SELECT capture, count(*) FROM scopes GROUP BY capture_id ORDER BY capture_id'),
                 [c for c in counts if c[1]])
    result.equal('one capture', all_("SELECT count(*) FROM scopes WHERE capture = '%s'" % names[1]), [(counts[1][1],)])
    timers = collections.Counter()
    for name in names:
        timers.update(dict(one[name]('SELECT timer, count(*) FROM scopes GROUP BY 1')))
    result.equal('timers of all', dict(all_('SELECT timer, count(*) FROM scopes GROUP BY timer')), dict(timers))
    done = all_.run('SELECT count(*) FROM scopes WHERE capture_id IN (1, 3)', '--readings', '-f', 'csv')
    result.equal('two captures', (done.out.split()[-1], done.err.split()[-1]),
                 (str(counts[0][1] + counts[2][1]).encode(), b'2'))
    for text, test in CAPTURE_NAMES.items():
        for table in ('scopes', 'timers'):
            found = sum(one[name]('SELECT count(*) FROM ' + table)[0][0] for name in names if test(name))
            result.equal('%s WHERE %s' % (table, text), all_('SELECT count(*) FROM %s WHERE %s' % (table, text)), [(found,)])
    pairs = [(i, k) for i in (1, 2, 3) for k in (1, 2, 3) if i < k]
    result.equal('pairs of captures', all_('SELECT a.capture_id, b.capture_id FROM capture a JOIN capture b'
                                           ' ON b.capture_id > a.capture_id ORDER BY 1, 2'), pairs)
    done = tools.must('trace-query', '--attach', 'a=%s' % (fixtures / names[0]), '--attach', 'b=%s' % (fixtures / names[1]),
                      'SELECT (SELECT count(*) FROM a.scopes), (SELECT count(*) FROM b.slice)', '-f', 'csv', '--no-header')
    result.equal('schemas', done.out.decode().split(), ['%d,%d' % (counts[0][1], counts[1][1])])
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        for name in names:
            (folder / name).write_bytes((fixtures / name).read_bytes())
        (folder / 'notes.txt').write_text('no capture')
        (folder / 'b.tkb').write_bytes((fixtures / 'baseline-v1-a.tkb').read_bytes())
        ask = Single(tools, folder)
        result.equal('a folder', ask('SELECT capture, count(*) FROM scopes GROUP BY capture ORDER BY capture'), sorted(c for c in counts if c[1]))
        result.equal('baselines of a folder', ask('SELECT count(*) FROM baseline_runs'), [(1,)])
        (folder / 'none').mkdir()
        result.equal('an empty folder', Single(tools, folder / 'none').run('SELECT 1').status, 3)
    base = Single(tools, fixtures / 'baseline-v1-a.tkb')
    result.equal('baselines', base('SELECT count(*) FROM baseline_runs'), [(1,)])


def check_functions(result, tools, fixtures):
    ask = Single(tools, fixtures / 'tiny.utrace')
    values = sorted(row[0] for row in ask('SELECT dur FROM scopes WHERE dur IS NOT NULL'))
    rank = lambda p: values[max(math.ceil(len(values) * p / 100) - 1, 0)]
    result.equal('percentiles', ask('SELECT percentile(dur, 0), percentile(dur, 95), percentile(dur, 100),'
                                    ' median(dur) FROM scopes'), [(rank(0), rank(95), rank(100), rank(50))])
    result.equal('durations', ask("SELECT duration(12), duration(1234), duration(12345678), duration(-3e9), duration('x')"),
                 [('12 ns', '1.234 us', '12.35 ms', '-3.000 s', None)])
    result.equal('overlaps', ask('SELECT span_overlap(0, 10, 5, 20), span_overlap(0, 5, 5, 9), span_overlap(3, NULL, 0, 7)'),
                 [(5, 0, 4)])
    result.equal('hash', ask("SELECT text_hash('a'), text_hash('a', 'b') = text_hash('ab')"), [('089be207b544f1e4', 0)])
    whole = ask('SELECT start, dur, timer, depth FROM scopes WHERE dur IS NOT NULL ORDER BY start, scope_id')
    starts, durs = [row[0] for row in whole], [row[1] for row in whole]
    wanted = (statistics.stdev(durs), statistics.variance(durs), statistics.pstdev(durs), statistics.pvariance(durs),
              statistics.correlation(starts, durs), statistics.covariance(starts, durs))
    found = ask('SELECT stddev(dur), variance(dur), stddev_pop(dur), var_pop(dur), corr(start, dur), covar_samp(start, dur)'
                ' FROM scopes WHERE dur IS NOT NULL')[0]
    result.true('statistics: %s, %s' % (found, wanted), all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(found, wanted)))
    line = statistics.linear_regression(starts, durs)
    wanted = line.slope, line.intercept, statistics.correlation(starts, durs) ** 2
    found = ask('SELECT regr_slope(dur, start), regr_intercept(dur, start), regr_r2(dur, start) FROM scopes WHERE dur IS NOT NULL')[0]
    result.true('lines: %s, %s' % (found, wanted), all(math.isclose(a, b, rel_tol=1e-6) for a, b in zip(found, wanted)))
    result.equal('extremes', ask('SELECT arg_max(timer, dur), arg_min(timer, dur), max_by(start, timer), min_by(depth, NULL) FROM'
                                 ' (SELECT * FROM scopes WHERE dur IS NOT NULL ORDER BY start, scope_id)'),
                 [(max(whole, key=lambda r: r[1])[2], min(whole, key=lambda r: r[1])[2],
                   max(whole, key=lambda r: r[2].encode())[0], None)])
    result.equal('extremes of kinds', ask("SELECT arg_max(n, v), arg_min(n, v) FROM (SELECT 1 n, 5 v UNION ALL SELECT 2, 'a' UNION ALL"
                                          " SELECT 3, 9007199254740993 UNION ALL SELECT 4, NULL UNION ALL SELECT 5, 4.5)"), [(2, 5)])
    result.equal('conditions', ask('SELECT count_if(dur > 1000), bool_and(dur >= 0), bool_or(dur > 1000), bool_and(dur > 1000),'
                                   ' bool_or(NULL), count_if(NULL) FROM scopes'),
                 [(sum(d > 1000 for d in durs), 1, 1, 0, None, 0)])
    tenths = statistics.quantiles(durs, n=10, method='inclusive')
    found = ask('SELECT quantile_cont(dur, 0.1), quantile_cont(dur, 0.9), quantile_cont(dur, 0), quantile_disc(dur, 0.95) FROM scopes')[0]
    result.true('quantiles: %s' % (found,), all(math.isclose(a, b, rel_tol=1e-12)
                                                for a, b in zip(found, (tenths[0], tenths[-1], values[0], rank(95)))))
    result.equal('modes', ask('SELECT mode(timer), mode(depth) FROM (SELECT * FROM scopes WHERE dur IS NOT NULL ORDER BY start, scope_id)'),
                 [(statistics.mode(row[2] for row in whole), statistics.mode(row[3] for row in whole))])
    result.equal('of too few values', ask('SELECT stddev(x), var_pop(x), corr(x, x), mode(x), quantile_cont(x, 0.5), mode(NULL)'
                                          ' FROM (SELECT 5 x)'), [(None, 0, None, 5, 5, None)])
    result.equal('buckets', ask('SELECT time_bucket(10, 25), time_bucket(10, -1), time_bucket(10, 25, 7), time_bucket(10, NULL),'
                                ' time_bucket(9223372036854775807, 5), time_bucket(10, 3, 9223372036854775807)'),
                 [(20, -10, 17, None, 0, -3)])
    for bad in ('time_bucket(0, 5)', 'time_bucket(10, -9223372036854775807 - 1)', 'quantile_cont(1, 2)'):
        result.equal(bad, ask.run('SELECT ' + bad).status, 2)
    result.equal('times', ask('SELECT time_from_ms(3), time_to_us(3000500), time_from_s(2)'), [(3000000, 3000, 2000000000)])


def check_family(result, tools, fixtures):
    """The slices around each slice and in it are those that parents lead to; their columns are those of `slice`."""
    for name in ('tiny.utrace', 'tracy/ctx-0.14.0.tracy'):
        ask = Single(tools, fixtures / name)
        parents = dict(ask('SELECT id, parent_id FROM slice'))
        wanted = set()
        for slice_ in parents:
            up = parents[slice_]
            while up is not None:
                wanted.add((slice_, up))
                up = parents[up]
        result.true('%s has families' % name, len(wanted) > 100)
        some = '(SELECT id FROM slice ORDER BY depth DESC, id LIMIT 40)'
        ids = {row[0] for row in ask('SELECT id FROM %s' % some)}
        found = ask('SELECT s.id, a.id FROM %s s, ancestor_slice(s.id) a' % some)
        result.equal('ancestors of ' + name, sorted(found), sorted(pair for pair in wanted if pair[0] in ids))
        roots = '(SELECT id FROM slice WHERE parent_id IS NULL ORDER BY dur DESC LIMIT 5)'
        ids = {row[0] for row in ask('SELECT id FROM %s' % roots)}
        found = ask('SELECT d.id, s.id FROM %s s, descendant_slice(s.id) d' % roots)
        result.equal('descendants of ' + name, sorted(found), sorted(pair for pair in wanted if pair[1] in ids))
        columns = [row[0] for row in ask("SELECT name FROM pragma_table_info('slice')")]
        for function in ('ancestor_slice', 'descendant_slice'):
            result.equal('columns of ' + function, [row[0] for row in ask("SELECT name FROM pragma_table_info('%s')" % function)], columns)
            result.equal('%s of nothing' % function, ask('SELECT count(*) FROM %s(123456789), %s(NULL)' % (function, function)), [(0,)])
        for key, condition in (('key', ''), ("'source.file'", " WHERE key = 'source.file'")):
            found = ask('SELECT coalesce(string_value, int_value, real_value) v, extract_arg(arg_set_id, %s) e FROM args%s' % (key, condition))
            result.true('arguments of ' + name, len(found) > 9 and all(v == e for v, e in found))
        result.true('arguments of slices of ' + name, any(row[0] for row in ask("SELECT extract_arg(arg_set_id, 'source.file') FROM slice")))
    ask = Single(tools, fixtures / 'tracy/ctx-0.14.0.tracy')
    runs = ask('SELECT start, "end", core, system_id FROM switch_rows ORDER BY start')
    result.equal('slices of cores', ask('SELECT ts, ts + dur, cpu FROM sched_slice ORDER BY ts'), [row[:3] for row in runs])
    last, gaps = {}, 0
    for start, end, _, thread in runs:
        gaps += start - last[thread] if thread in last and start > last[thread] else 0
        last[thread] = end
    result.equal('states of threads', ask("SELECT sum(dur) FILTER (WHERE state = 'Running'), sum(dur) FILTER (WHERE state IS NULL)"
                                          ' FROM thread_state'), [(sum(row[1] - row[0] for row in runs), gaps or None)])


def check_processes(result, tools, fixtures, work):
    """Threads belong to the processes that were recorded, else to their capture; in a database of the export, too."""
    threads = {(7, 10): 'render', (7, 9): 'Thread 9', (8, 12): 'main', (8, 13): 'io'}
    names = {7: 'game', 8: 'launcher'}
    events = [{'ph': 'M', 'name': 'process_name', 'pid': pid, 'tid': 0, 'args': {'name': name}} for pid, name in names.items()]
    events += [{'ph': 'M', 'name': 'thread_name', 'pid': pid, 'tid': tid, 'args': {'name': name}} for (pid, tid), name in threads.items()]
    events += [{'ph': 'X', 'pid': pid, 'tid': tid, 'ts': 1, 'dur': tid, 'name': 'of %d' % tid} for pid, tid in threads]
    capture = work / 'processes.json'
    capture.write_text(json.dumps(events))
    tools.must('trace-export', capture, '-f', 'sqlite', '-o', work / 'processes.db', '--force', allowed=(0, 4))
    base = sqlite3.connect(work / 'processes.db')
    ask = Single(tools, capture, fixtures / 'tiny.utrace')
    for statement, wanted in (
            ('SELECT pid, name FROM process WHERE capture_id = 1', list(names.items())),
            ('SELECT p.pid, p.name, t.tid, t.name FROM thread t JOIN process p USING (upid) WHERE t.capture_id = 1',
             [(pid, names[pid], tid, name) for (pid, tid), name in threads.items()]),
            ('SELECT name, pid, process_name, thread_name FROM thread_slice WHERE capture_id = 1',
             [('of %d' % tid, pid, names[pid], name) for (pid, tid), name in threads.items()])):
        result.equal(statement, sorted(ask(statement)), sorted(wanted))
        result.equal('database: ' + statement, sorted(base.execute(statement).fetchall()), sorted(wanted))
    result.equal('a capture without processes', ask('SELECT upid, pid, name FROM process WHERE capture_id = 2'), [(2, 1, 'tiny.utrace')])
    result.equal('its threads', ask('SELECT DISTINCT upid FROM thread WHERE capture_id = 2'), [(2,)])
    base.close()


def check_frames(result, tools, fixtures):
    """The hidden column `frame` of all tables with times, by the begins and ends of game frames."""
    ask = Single(tools, fixtures / 'tiny.utrace')
    frames = ask("SELECT start, \"end\", frame FROM frames WHERE type_id = 0 ORDER BY start")
    tables = ask("SELECT l.name FROM pragma_table_list l, pragma_table_xinfo(l.name) i WHERE i.name = 'frame' AND i.hidden = 1"
                 " AND l.name NOT LIKE '\\_%' ESCAPE '\\'")
    result.true('tables with frames: %d' % len(tables), len(tables) > 20)
    rows = 0
    for table, in tables:
        names = [row[0] for row in ask("SELECT name FROM pragma_table_info('%s')" % table)]
        begin = next(name for name in ('start', 'time', 'started', 'requested', 'issued') if name in names)
        found = Single(tools, fixtures / 'tiny.utrace')
        done = found.run('SELECT "%s", frame FROM %s' % (begin, table), '-f', 'json')
        for row in json.loads(done.out)['result'] if done.status in (0, 4) else ():
            time, frame = row.values()
            wanted = next((f[2] for f in frames if time is not None and f[0] <= time < f[1]), None)
            result.equal('%s at %s' % (table, time), frame, wanted)
            rows += 1
        if table in ('scopes', 'logs', 'events', 'generic_events'):
            for condition in ('frame = 3', 'frame BETWEEN 1 AND 2', 'frame IN (1, 4)', 'frame > 7'):
                statement = 'SELECT count(*) FROM %s WHERE %s' % (table, condition)
                result.equal(statement, ask(statement), ask(statement, '--nothing-pushed'))
    result.true('rows with frames: %d' % rows, rows > 500)


def check_wall_clock(result, tools, fixtures, work):
    """Rows of several captures in one file, each with the name of its capture and its wall clock: that of the start of the
    capture, where it was recorded, and the time since."""
    captures = ('tracy/ctx-0.14.0.tracy', 'tracy/ondemand-0.14.0.tracy', 'tiny.utrace')
    epochs, wanted = {}, []
    for name in captures:
        recorded, = Single(tools, fixtures / name)('SELECT recorded FROM capture')[0]
        epochs[pathlib.Path(name).name] = recorded and int(datetime.datetime.fromisoformat(recorded).timestamp()) * 10 ** 9
        rows = Single(tools, fixtures / name)('SELECT start, type, frame FROM frames ORDER BY start, type')
        wanted += [(pathlib.Path(name).name, row[0], row[1], row[2]) for row in rows]
    result.equal('those that say when', [bool(epochs[pathlib.Path(name).name]) for name in captures], [True, True, False])
    wanted = [(name, epochs[name] and epochs[name] + start, start, kind, frame) for name, start, kind, frame in wanted]
    statement = 'SELECT capture, wall_clock, start, type, frame FROM frames ORDER BY capture_id, start, type'
    for kind in ('csv', 'ndjson', 'parquet', 'arrow'):
        path = work / ('several.' + kind)
        done = tools.run('trace-query', *(fixtures / name for name in captures), statement, '-o', path, '--force')
        result.equal('%s: %s' % (kind, done.err), done.status, 0)
    with open(work / 'several.csv', newline='') as file:
        result.equal('csv', [(r['capture'], int(r['wall_clock']) if r['wall_clock'] else None, int(r['start']), r['type'], int(r['frame']))
                             for r in csv.DictReader(file)], wanted)
    result.equal('ndjson', [tuple(json.loads(line).values()) for line in (work / 'several.ndjson').read_text().splitlines()], wanted)
    (_, columns), = parquet_reader.read_all([work / 'several.parquet'])
    result.equal('parquet', list(zip(*columns)), wanted)
    result.true('arrow', (work / 'several.arrow').read_bytes()[:6] == b'ARROW1')
    ask = Single(tools, *(fixtures / name for name in captures))
    begin = epochs['ctx-0.14.0.tracy'] + 340000000
    for options in ((), ('--nothing-pushed',)):
        result.equal('a condition on it', ask('SELECT count(*) FROM scopes WHERE wall_clock < %d' % begin, *options),
                     ask('SELECT count(*) FROM scopes s JOIN capture c USING (capture_id) WHERE c.epoch * 1000000000 + s.start < %d' % begin))


def check_named_files(result, tools, fixtures, work):
    """What cannot be opened is named, once, alone and among several: every kind of file that is none."""
    cases = {'none.utrace': None, 'text.utrace': b'hello', 'cut.utrace': b'TRC2\0\0', 'half.tkb': (fixtures / 'baseline-v4-a.tkb').read_bytes()[:99],
             'empty.utrace': b'', 'cut.tracy': (fixtures / 'tracy/ctx-0.14.0.tracy').read_bytes()[:9]}
    for name, data in cases.items():
        path = work / name
        if data is not None:
            path.write_bytes(data)
        for others in ((), (fixtures / 'tiny.utrace',)):
            table = 'baseline_frames' if name.endswith('.tkb') else 'timers'
            done = tools.run('trace-query', *others, path, 'SELECT count(*) FROM ' + table)
            result.true('%s is named once: %s' % (name, done.err), done.status in (2, 3) and done.err.decode().count(name) == 1)


TEMPORARY = (  # statements, rows of the last; None: refused
    ('CREATE TEMP VIEW v AS SELECT timer, excl FROM timers; SELECT count(*) = (SELECT count(*) FROM timers) FROM v', [(1,)]),
    ('CREATE TEMP TABLE t AS SELECT timer FROM timers; CREATE INDEX temp.i ON t(timer); INSERT INTO t VALUES (1); DROP INDEX i;'
     ' SELECT count(*) - (SELECT count(*) FROM timers) FROM t', [(1,)]),
    ('CREATE TEMP TABLE t(x); INSERT INTO t VALUES (1), (2); UPDATE t SET x = 7 WHERE x = 1; DELETE FROM t WHERE x = 2;'
     ' SELECT x FROM t; DROP TABLE t', [(7,)]),
    ('CREATE TABLE t(x)', None), ('CREATE VIEW v AS SELECT 1', None), ('DROP TABLE timers', None),
    ('CREATE TEMP TABLE t(x); CREATE TEMP TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END', None),
    ("ATTACH ':memory:' AS y", None), ('INSERT INTO timers(timer) VALUES (1)', None), ('DROP VIEW slice', None),
)


def check_temporary(result, tools, fixtures):
    ask = Single(tools, fixtures / 'tiny.utrace')
    for statement, wanted in TEMPORARY:
        if wanted is None:
            result.equal(statement, ask.run(statement).status, 2)
        else:
            result.equal(statement, ask(statement), wanted)


UNITS = (  # statement, which of its columns are times
    ('SELECT sum(dur), count(*), avg(dur), max(dur) m, percentile(dur, 95), max(depth) FROM scopes', (0, 2, 3, 4)),
    ('WITH a AS (SELECT timer, sum(dur) x, count(*) n FROM scopes GROUP BY 1) SELECT n, x, x / n FROM a', (1, 2)),
    ('SELECT (SELECT max(dur) FROM scopes) /* max(dur) */, \'max(dur)\', coalesce(max(dur), 0) FROM frames', (0, 2)),
    ('SELECT DISTINCT timer, max(dur) OVER (PARTITION BY timer) FROM scopes', (1,)),
    ('SELECT min(start) FILTER (WHERE depth > 0) AS "x,y" FROM scopes UNION ALL SELECT count(*) FROM scopes', ()),
    ("SELECT 'longest' what, max(dur) v FROM scopes UNION ALL SELECT 'scopes', count(*) FROM scopes", ()),
    ('SELECT avg(start), min(start), avg(depth) FROM scopes', (0, 1)),
    ('SELECT g, avg(d), max(d) FROM (SELECT 1 g, NULL d UNION ALL SELECT 2, 5) GROUP BY g', ()),
    ('SELECT t, avg(d), max(d) FROM (SELECT timer t, iif(timer > \'H\', dur, NULL) d FROM scopes) GROUP BY t', (1, 2)),
    ('SELECT thread, avg(duration), max(dur) FROM (SELECT thread, dur, dur AS duration FROM scopes) GROUP BY thread', (1, 2)),
    ('SELECT min(1, 2), max(dur, 0), max(dur) + 1, -max(dur) FROM scopes LIMIT 3', (1, 2, 3)),
    ('SELECT excl / 600.0, 2 * (excl - incl), count * min, excl / incl, count / 2, incl > 5 FROM timers', (0, 1, 2)),
    ('SELECT a.excl - b.incl, b.timer FROM timers a JOIN timers b USING (timer, kind)', (0,)),
    ('SELECT "end" - start, start + dur, start - 1, start + "end", start * 2, dur * dur FROM frames', (0, 1, 2)),
    ('SELECT dur / 1e6, dur / 1000.0, dur * 0.001, dur / 1024, dur * 3600, dur / 60.0 FROM frames', (4, 5)),
    ('SELECT f.*, f.dur / 3 d FROM frames f', (2, 3, 4, 7)),
    ('SELECT 1 one, sum(dur) / count(*) FROM (SELECT dur / 2 AS dur FROM scopes)', (1,)),
    ('SELECT stddev(dur), variance(dur), quantile_cont(dur, 0.9), mode(dur), time_bucket(1000000, start) FROM scopes', (0, 2, 3, 4)),
    ('SELECT dur - lag(dur, 1, dur) OVER (ORDER BY start), dur IS NULL, dur - 1 BETWEEN 1 AND 9 FROM scopes', (0,)),
    ('SELECT sum(bytes) / 2, sum(dur) FROM (SELECT bytes, 0 dur FROM threads)', ()),
    ('CREATE TEMP VIEW v AS SELECT excl / 2 e, count FROM timers; SELECT sum(e), max(e) - min(e), sum(count) FROM v', (0, 1)),
    ('CREATE TEMP VIEW v(a, b) AS SELECT timer, excl - 1 FROM timers; CREATE TEMP VIEW w AS SELECT b * 2 c FROM v;'
     ' WITH x AS (SELECT c + 1 d FROM w) SELECT d, 7 FROM x', (0,)),
    ('CREATE TEMP TABLE t AS SELECT timer, excl / 2 AS e, count n FROM timers; CREATE TEMP VIEW v AS SELECT e * 3 x, n FROM t;'
     ' SELECT x, n, x - (SELECT min(e) FROM t) FROM v', (0, 2)),
    ('CREATE TEMP TABLE t AS SELECT excl FROM timers; DROP TABLE t; CREATE TEMP TABLE t AS SELECT count excl FROM timers; SELECT excl FROM t', ()),
    ('CREATE TEMP TABLE t AS SELECT excl x FROM timers UNION SELECT dur FROM scopes; SELECT sum(x), count(*) FROM t', (0,)),
    ('SELECT excl FROM timers UNION SELECT incl FROM timers UNION ALL SELECT 0 ORDER BY 1', (0,)),
    ('SELECT excl, count FROM timers UNION SELECT count, count FROM timers ORDER BY 1', ()),
    ('SELECT excl FROM timers UNION SELECT start FROM scopes', ()),
    ('SELECT x / 2 FROM (SELECT excl x FROM timers UNION SELECT incl AS x FROM timers)', (0,)),
    ('SELECT x / 2 FROM (SELECT excl x FROM timers UNION SELECT count AS x FROM timers)', ()),
    ('WITH RECURSIVE r(n, x) AS (SELECT 1, (SELECT max(excl) FROM timers) UNION ALL SELECT n + 1, x / 2 FROM r WHERE n < 5)'
     ' SELECT n, x, x * n FROM r', (1, 2)),
    ('SELECT CASE WHEN count > 1 THEN excl ELSE incl END, CASE timer WHEN \'a\' THEN (CASE WHEN 1 THEN 2 END) ELSE 3 END,'
     ' nullif(excl, 0), cast(excl AS REAL) / 2 FROM timers', (0, 2, 3)),
    ('SELECT excl - (SELECT avg(excl) FROM timers), excl / (SELECT count(*) FROM timers), 600 * excl,'
     ' (SELECT count(*) FROM timers) FROM timers', (0, 1, 2)),
    ('SELECT ts, dur, ts + dur, id, depth FROM slice', (0, 1, 2)),
    ('SELECT thread_name, sum(dur), max(ts) - min(ts), count(*) FROM thread_slice GROUP BY 1', (1, 2)),
    ('SELECT excl, max, total / count, count FROM top_timers', (0, 1, 2)),
    ('SELECT ts, value FROM counter', (0,)),
)


def check_units(result, tools, fixtures):
    """Sums, means and extremes of times are times: in milliseconds they are a millionth of what they are in nanoseconds."""
    ask = Single(tools, fixtures / 'tiny.utrace')
    for statement, times in UNITS:
        ns, ms = (list(csv.reader(io.StringIO(ask.run(statement, '-f', 'csv', '--no-header', '--unit', unit).out.decode())))
                  for unit in ('ns', 'ms'))
        result.true('rows of ' + statement, ns and len(ns) == len(ms))
        for a, b in zip(ns, ms):
            for i, (x, y) in enumerate(zip(a, b)):
                result.true('%s: column %d, %s and %s' % (statement, i, x, y), math.isclose(float(x), float(y) * 1e6, rel_tol=1e-6)
                            if i in times and x else x == y)


def check_columns(result, tools, fixtures):
    """Means of times and of bytes are in columnar files what they are in JSON."""
    statement = 'SELECT avg(start) a, avg(dur) b, sum(dur) c, (SELECT avg(bytes) FROM threads) d FROM scopes'
    ask = Single(tools, fixtures / 'tiny.utrace')
    wanted = json.loads(ask.run(statement, '-f', 'json').out)['result'][0]
    found = ask.run(statement, '-f', 'parquet').out
    for name, value in wanted.items():
        packed = struct.pack('<d' if name != 'c' else '<q', value)
        result.true('%s = %s in Parquet' % (name, value), value and packed in found)


def check_first_rows(result, tools, fixtures, work):
    """Columns whose first values are NULL are in columnar files of the kind of those that follow, as Python's SQLite has them."""
    first = 'CASE WHEN n < %d THEN NULL ELSE %s END'
    rows = 'WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 99) SELECT %s FROM c'
    values = ("n", "n + 0.5", "'t' || n", "x'ff00'", "CASE WHEN n % 2 THEN n ELSE n / 4.0 END")
    statement = rows % ', '.join('%s AS c%d' % (first % (skipped, value), i * 2 + k) for i, value in enumerate(values)
                                 for k, skipped in enumerate((1, 90)))
    wanted = [tuple(row) for row in sqlite3.connect(':memory:').execute(statement)]
    path = work / 'first.parquet'
    tools.must('trace-query', fixtures / 'tiny.utrace', statement, '-o', path, '--force')
    (file, columns), = parquet_reader.read_all([path])
    result.equal('names of columns', file.names, ['c%d' % i for i in range(len(values) * 2)])
    for i, column in enumerate(columns):
        found = [v.encode() if isinstance(v, str) and isinstance(wanted[-1][i], bytes) else v for v in column]
        result.equal('column %d, %s' % (i, values[i // 2]), found, [row[i] for row in wanted])


def check_changing_kinds(result, tools, fixtures, work):
    """Values of another kind behind the first rows are reported where the format does not hold them; others are all there."""
    rows = 'WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 2999) SELECT n AS place, %s AS odd FROM c'
    changes = 'CASE WHEN n < 2000 THEN n ELSE \'t\' || n END'
    both = [[*range(3000)], [*range(2000)] + [None] * 1000]
    capture = fixtures / 'tiny.utrace'
    for ending in ('parquet', 'arrow', 'arrows'):
        path = work / ('changing.' + ending)
        done = tools.run('trace-query', capture, rows % changes, '-o', path, '--force')
        said = done.err.decode()
        result.equal(ending + ': status, lines', (done.status, said.count('\n')), (4, 1))
        result.true('%s: what is said: %s' % (ending, said), "column 'odd': its type cannot hold 1000 values" in said)
        done = tools.run('trace-query', capture, rows % changes, '-o', path, '--force', '-q')
        result.equal(ending + ', quiet', (done.status, done.err), (4, b''))
        done = tools.run('trace-query', capture, rows % ('CAST(%s AS TEXT)' % changes), '-o', path, '--force')
        result.equal(ending + ', one kind', (done.status, done.err), (0, b''))
        done = tools.run('trace-query', capture, rows % 'CASE WHEN n < 2000 THEN n END', '-o', path, '--force')
        result.equal(ending + ', NULLs', (done.status, done.err), (0, b''))
    path = work / 'changing.parquet'
    tools.run('trace-query', capture, rows % changes, '-o', path, '--force')
    (_, columns), = parquet_reader.read_all([path])
    result.equal('what is there', [list(column) for column in columns], both)
    done = tools.run('trace-query', capture, rows % changes, '-f', 'csv')
    result.equal('csv', (done.status, done.err, done.out.decode().splitlines()[2001]), (0, b'', '2000,t2000'))


def check_digits(result, tools, fixtures, work):
    """Whole numbers beyond 2^53 in columns of reals: how many lost digits is said, in answers and in exports."""
    values = [1, 2 ** 53, 2 ** 53 + 1, 2 ** 53 + 2, 2 ** 60 + 1, 2 ** 62, -2 ** 53 - 1, -2 ** 54, 2 ** 63 - 1]
    odd = sum(int(float(v)) != v for v in values)
    capture = work / 'big.json'
    capture.write_text(json.dumps({'traceEvents': [{'ph': 'X', 'name': 'a', 'pid': 1, 'tid': 1, 'ts': 0, 'dur': 99}]
                                   + [{'ph': 'C', 'name': 'big', 'pid': 1, 'tid': 1, 'ts': i, 'args': {'v': v}} for i, v in enumerate(values)]}))
    ask = Single(tools, capture)
    result.equal('values', ask('SELECT value FROM counter_values ORDER BY time'), [(v,) for v in values])
    for kind in ('parquet', 'arrow', 'arrows'):
        done = ask.run('SELECT value FROM counter_values', '-f', kind)
        result.true('%s: %s' % (kind, done.describe()), done.status == 4 and b': %d whole numbers beyond' % odd in done.err
                    and b'AS TEXT) keeps all' in done.err)
        done = ask.run('SELECT value FROM counter_values WHERE value BETWEEN -9 AND 9', '-f', kind)
        result.equal('%s without: %s' % (kind, done.err), (done.status, b'whole' in done.err), (0, False))
    for kind in ('parquet', 'arrow', 'arrows', 'csv'):
        done = tools.run('trace-stats', capture, '--table', 'counter_values', '-f', kind, '-o', '-')
        result.equal('status of trace-stats as ' + kind, done.status, 0 if kind == 'csv' else 4)
        result.equal('trace-stats as %s: %s' % (kind, done.err), b'%d whole numbers beyond' % odd in done.err, kind != 'csv')
        result.true('no advice about SQL', b'CAST' not in done.err)
        done = tools.run('trace-stats', capture, '--table', 'counter_values', '-f', kind, '-o', '-', '--quiet')
        result.equal('quietly as ' + kind, (done.status, done.err), (0 if kind == 'csv' else 4, b''))
    for kind, name in (('parquet', 'folder/'), ('arrow', 'others/'), ('sqlite', 'big.db')):
        done = tools.run('trace-export', capture, '-f', kind, '-o', '%s/%s' % (work, name), '--table', 'counter_values')
        result.true('%s: %s' % (kind, done.describe()), done.status == 4 and b"holds counter_values.value as doubles: %d whole numbers beyond 2^53 are rounded" % odd in done.err)
    # tables that are written side by side
    for source, wanted in ((capture, [b'counter_values.value']), (fixtures / 'threads.utrace', []), (fixtures / 'net.utrace', [])):
        for kind, name in (('sqlite', 'all.db'), ('parquet', 'all/')):
            done = tools.run('trace-export', source, '-f', kind, '-o', '%s/%s-%s' % (work, source.name, name))
            result.equal('status of %s as %s' % (source.name, kind), done.status, 4 if wanted else 0)
            found = [line.split(b' holds ')[1].split(b' as ')[0] for line in done.err.splitlines() if b' as doubles: ' in line]
            result.equal('%s as %s' % (source.name, kind), [f for f in found if not f.startswith(b'counters.')], wanted)
    done = tools.must('trace-export', capture, '-f', 'csv', '-o', '-', '--table', 'counter_values')
    result.true('csv: %s' % done.describe(), b'doubles' not in done.err and str(values[2]).encode() in done.out)


def check_formats(result, tools, fixtures):
    """Tables of one name have other columns in each format: those that a capture has not are NULL."""
    tracy, utrace = fixtures / 'tracy' / 'open-0.10.tracy', fixtures / 'tiny.utrace'
    known = {path: path.read_bytes()[:3].decode() for path in (tracy, utrace)}
    for path in (tracy, utrace):
        own = ('container', 'magic') if path == tracy else ('magic', 'container')
        ask = Single(tools, path)
        result.equal('file of ' + path.name, ask('SELECT substr(%s, 1, 3), %s, bytes FROM file' % own),
                     [(known[path], None, path.stat().st_size)])
        result.equal('only what it has not, of ' + path.name, ask('SELECT %s FROM file' % own[1]), [(None,)])
        result.equal('edits of ' + path.name, ask('SELECT * FROM edits'), [])
        for table in ('file', 'edits'):
            for form in ('table', 'json', 'csv'):
                result.equal('%s of %s as %s' % (table, path.name, form),
                             tools.run('trace-stats', path, '--table', table, '-f', form, '-q').status, 0)
        done = tools.must('trace-stats', path, '--table', 'file', '-c', own[0], '-f', 'csv', '--no-header')
        result.true('trace-stats -c %s of %s' % (own[0], path.name), done.out.decode().startswith(known[path]))
    result.equal('file of both', Single(tools, tracy, utrace)('SELECT capture_id, bytes, container IS NULL FROM file ORDER BY 1'),
                 [(1, tracy.stat().st_size, 0), (2, utrace.stat().st_size, 1)])


def check_semicolons(result, tools, fixtures):
    """A `;` in a literal, a name or a comment ends no statement, in any format."""
    capture = fixtures / 'tiny.utrace'
    ones = ("select 'x;' as a", 'select 1 as "a;b"', 'select 1 as [a;b]', "select 'it''s; ' as a", 'select 1 as a -- b; c',
            'select 1 as a; -- b; select 2', '/* a; */ select 1 as a ; ', "select 1 /* '; */ as a",
            'INCLUDE PERFETTO MODULE slices; select 1 as a')
    with tempfile.TemporaryDirectory() as place:
        for sql in ones:
            for form in ('arrow', 'arrows', 'parquet', 'csv', 'json', 'ndjson', 'table', 'markdown'):
                done = tools.run('trace-query', capture, '-f', form, '--force', '-o', pathlib.Path(place) / 'x', sql)
                result.equal('%s as %s' % (sql, form), done.status, 0)
            row = json.loads(tools.must('trace-query', capture, '-f', 'ndjson', sql).out)
            result.true('one key in ' + sql, len(row) == 1)
    two = "select ';' as a; select 2 as a"
    result.equal('two statements', [json.loads(line) for line in tools.must('trace-query', capture, '-f', 'ndjson', two).out.splitlines()],
                 [{'table': 'result', 'a': ';'}, {'table': 'result_2', 'a': 2}])
    result.equal('two statements as Arrow', tools.run('trace-query', capture, '-f', 'arrow', two).status, 2)


def check_missing(result, tools, fixtures):
    """What one of several captures has not, the others answer; what none has is a mistake."""
    several = Single(tools, fixtures / 'late.utrace', fixtures / 'tiny.utrace')
    one = Single(tools, fixtures / 'tiny.utrace')
    result.equal('no frames alone', Single(tools, fixtures / 'late.utrace').run('SELECT * FROM bound_shares').status, 2)
    region = one('SELECT name FROM regions WHERE dur > 0 LIMIT 1')[0][0]
    for statement in ('SELECT bound_by, frames FROM bound_shares ORDER BY 1',
                      'SELECT timer, count FROM timers WHERE region = %s ORDER BY 1' % questions.quote(region),
                      'SELECT count(*) FROM scopes WHERE region = %s' % questions.quote(region)):
        rows = one(statement)
        result.true('rows of ' + statement, len(rows) > 0)
        result.equal('of several: ' + statement, several(statement), rows)
    starts = [row[0] for row in one('SELECT start FROM scopes')]
    for moment in (starts[7], starts[7] + 1, starts[7] - 1, 10, 100):
        result.equal('scopes that begin at %d, a moment between two ticks or not' % moment,
                     one('SELECT count(*) FROM scopes WHERE start = %d' % moment), [(starts.count(moment),)])
    joined = Single(tools, fixtures / 'tiny.utrace', fixtures / 'tiny-ue5.0.utrace', fixtures / 'net.utrace')
    known = one('SELECT timer FROM timers WHERE count > 0 ORDER BY count DESC LIMIT 1')[0][0]
    callers = 'SELECT count(*) FROM threads t JOIN callers c ON c.capture_id = t.capture_id WHERE c."of" = '
    result.equal('of none, in a join', joined.run(callers + "'no such timer'").status, 2)
    result.true('and what it says', b"'no such timer'" in joined.run(callers + "'no such timer'").err)
    result.true('of some, in a join', joined(callers + questions.quote(known))[0][0] > 0)
    result.equal('names of another table', joined.run('SELECT count(*) FROM logs l LEFT JOIN callers c ON c."of" = l.text').status, 0)
    result.equal('a region of none, in a join', joined.run(
        "SELECT count(*) FROM threads t JOIN timers m ON m.capture_id = t.capture_id WHERE m.region = 'no such region'").status, 2)
    result.equal('a region of none', several.run("SELECT * FROM scopes WHERE region = 'no such region'").status, 2)


def check_all_tables(result, tools, fixtures):
    """Each table that trace-stats has can be requested, those that need a name with `of`."""
    of = {'source_lines': 'a', 'sample_callers': 'a', 'sample_callees': 'a', 'callers': 'FEngineLoop::Tick',
          'callees': 'FEngineLoop::Tick', 'histogram': 'FEngineLoop::Tick', 'per_frame': 'FEngineLoop::Tick'}
    tables = {row['table'] for row in json.loads(tools.must('trace-stats', '--list', '-f', 'json').out)['tables']}
    result.true('tables', len(tables) > 80 and set(of) <= tables)
    for capture in ('tiny.utrace', 'tracy/ondemand-0.14.0.tracy'):
        ask = Single(tools, fixtures / capture)
        for name in sorted(tables - {'groups'}):
            where = " WHERE of = '*'" if name in of else ''
            done = ask.run('SELECT * FROM "%s"%s' % (name, where), '-f', 'csv', '-q')
            result.true('%s of %s: %s' % (name, capture, done.describe()), done.status in (0, 4) or
                        (name in of and b'matches' in done.err))
    memory = Single(tools, fixtures / 'tracy' / 'ondemand-0.14.0.tracy')
    for by in ('function', 'module', 'file'):
        reported = json.loads(tools.must('trace-stats', fixtures / 'tracy' / 'ondemand-0.14.0.tracy', '-t', 'memory', '--by', by,
                                     '-f', 'json', '-q').out)['memory']
        rows = memory('SELECT "by", name, alive_bytes, allocs FROM memory WHERE grouped_by = \'%s\'' % by)
        result.true('several rows by ' + by, len(rows) > 1)
        result.equal('memory by ' + by, sorted(rows, key=str),
                     sorted(((r['by'], r['name'], r['alive_bytes'], r['allocs']) for r in reported), key=str))


def check_questions(result, tools, fixtures):
    """Each question is answered, of each capture."""
    names = [line.split()[0] for line in tools.must('trace-query', '--questions').out.decode().splitlines()]
    result.true('questions', len(names) >= 10)
    for name in names:
        for capture in ('tiny.utrace', 'net.utrace'):
            done = tools.run('trace-query', fixtures / capture, '--ask', name, '-f', 'json', '-q')
            result.true('--ask %s of %s: %s' % (name, capture, done.describe()), done.status == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('--questions', type=int, default=24, help='so many of each table')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    tools, run = commands.Commands(options.bin), report.Report()
    with tempfile.TemporaryDirectory() as directory:
        for name in CAPTURES:
            requested = Asked(tools, options.fixtures, pathlib.Path(directory), name)
            for table in questions.TABLES:
                if requested.base.execute('SELECT count(*) FROM sqlite_schema WHERE name = ?', (table,)).fetchone()[0]:
                    run.run('random: %s of %s' % (table, name), check_random, requested, table, options.questions)
            run.run('by hand: ' + name, check_by_hand, requested)
        several = AskedAll(tools, options.fixtures, pathlib.Path(directory), SEVERAL)
        run.run('random: several captures', check_joins, several, options.questions * 5)
        run.run('beyond memory', check_spilled, tools, options.fixtures, pathlib.Path(directory))
    run.run('one by one', check_brute, tools, options.fixtures / 'tiny.utrace')
    for name in ('tiny', 'tiny-ue5.0'):
        run.run('truth of ' + name, check_truth, tools, options.fixtures, name)
    for check in (check_readings, check_plans, check_mistakes, check_several, check_functions, check_family, check_frames, check_temporary, check_semicolons, check_units,
                  check_columns, check_formats, check_missing, check_all_tables,
                  check_questions):
        run.run(check.__name__, check, tools, options.fixtures)
    with tempfile.TemporaryDirectory() as directory:
        run.run('first rows', check_first_rows, tools, options.fixtures, pathlib.Path(directory))
        run.run('processes', check_processes, tools, options.fixtures, pathlib.Path(directory))
        run.run('names of files', check_named_files, tools, options.fixtures, pathlib.Path(directory))
        run.run('wall clock', check_wall_clock, tools, options.fixtures, pathlib.Path(directory))
        run.run('digits', check_digits, tools, options.fixtures, pathlib.Path(directory))
        run.run('changing kinds', check_changing_kinds, tools, options.fixtures, pathlib.Path(directory))
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
