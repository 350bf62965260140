#!/usr/bin/env python3
"""Twenty questions of a studio and of a data person, in SQL as somebody types it first who knows Perfetto's or DuckDB's: every
statement has to answer at the first attempt, as the truth files of the captures say, which their producers wrote.

usage: check_questions.py --bin DIRECTORY FIXTURES
"""

import argparse
import collections
import json
import math
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness'), str(HERE.parent / 'agent')]
import commands             # noqa: E402
import report               # noqa: E402
from questions import Capture   # noqa: E402


def sums(capture):
    """(thread, timer) to calls and the sum of their times"""
    return {(t['name'], x['timer']): (x['count'], x['incl'] * capture.scale)
            for t in capture.truth['threads'] for x in t.get('timers', ()) if x['count']}


def by_timer(capture):
    found = collections.defaultdict(lambda: [0, 0])
    for (_, timer), (count, total) in sums(capture).items():
        found[timer][0] += count
        found[timer][1] += total
    return found


def times(capture):
    return [end - begin for begin, end in capture.frames]


def in_perfettos(game, tiny):
    """Views and functions of Perfetto's trace processor."""
    totals = by_timer(game)
    yield 'Which slices take most of the time?', [game], \
        'SELECT name, count(*) AS n, sum(dur) / 1e6 AS ms FROM thread_slice GROUP BY name ORDER BY ms DESC LIMIT 5', \
        sorted(((name, n, total / 1e6) for name, (n, total) in totals.items()), key=lambda row: -row[2])[:5]
    yield 'How many slices has each thread?', [tiny], \
        'SELECT thread.name, count(*) FROM thread_slice JOIN thread USING (utid) GROUP BY thread.name ORDER BY 1', \
        sorted((t['name'], t['scopes']) for t in tiny.truth['threads'] if t['scopes'])
    yield 'Where is a slice in the sources?', [game], \
        "SELECT DISTINCT EXTRACT_ARG(arg_set_id, 'source.file'), EXTRACT_ARG(arg_set_id, 'source.line') FROM slice" \
        " WHERE name = 'FEngineLoop::Tick'", \
        [(x['file'], x['line']) for x in game.truth['timers_total'] if x['timer'] == 'FEngineLoop::Tick']
    yield 'How high does each counter go?', [game], \
        'SELECT t.name, max(c.value) FROM counter c JOIN counter_track t ON c.track_id = t.id GROUP BY t.name ORDER BY 1', \
        sorted((c['name'], c['max']) for c in game.truth['counters'] if c['count'])
    yield 'How long was each thread on a core?', [game], \
        'SELECT thread.name, sum(dur) FROM sched JOIN thread USING (utid) WHERE tid IN (SELECT thread_id FROM threads) GROUP BY 1 ORDER BY 1', \
        sorted((t['thread'], t['total'] * game.scale) for t in game.truth['context_switches'])
    yield 'How often did threads run?', [game], \
        "SELECT count(*), sum(s.dur) FROM thread_state s JOIN thread USING (utid) WHERE s.state = 'Running' AND tid IN (SELECT thread_id FROM threads)", \
        [(sum(t['count'] for t in game.truth['context_switches']),
          sum(t['total'] for t in game.truth['context_switches']) * game.scale)]
    long = [t for t in times(tiny) if t > 100000]
    yield 'Keep what is long, and count it.', [tiny], \
        "INCLUDE PERFETTO MODULE slices.with_context; CREATE PERFETTO TABLE long AS SELECT * FROM frames WHERE dur > 100000" \
        " AND type = 'game'; SELECT count(*) FROM long", [(len(long),)]


def in_duckdbs(game, tiny, net):
    """Functions and habits of DuckDB."""
    all_of = times(tiny)
    yield 'How long are frames, and how much do they differ?', [tiny], \
        "SELECT avg(dur) / 1e6, stddev(dur) / 1e6, median(dur) / 1e6, quantile_cont(dur, 0.99) / 1e6 FROM frames WHERE type = 'game'", \
        [tuple(v / 1e6 for v in (statistics.mean(all_of), statistics.stdev(all_of), statistics.median_low(all_of),
                                 statistics.quantiles(all_of, n=100, method='inclusive')[98]))]
    yield 'How many frames are over a budget?', [tiny], \
        "SELECT count_if(dur > 200000), count(*) FILTER (WHERE dur > 200000) FROM frames WHERE type = 'game'", \
        [(sum(t > 200000 for t in all_of),) * 2]
    yield 'Which frame was the worst?', [tiny], \
        "SELECT arg_max(frame, dur), max(dur) FROM frames WHERE type = 'game'", [(all_of.index(max(all_of)), max(all_of))]
    yield 'How many frames begin in each interval?', [tiny], \
        "SELECT time_bucket(200000, start) AS bucket, count(*) FROM frames WHERE type = 'game' GROUP BY bucket ORDER BY bucket", \
        sorted(collections.Counter(b // 200000 * 200000 for b, _ in tiny.frames).items())
    yield 'Do frames get longer with time?', [tiny], \
        "SELECT corr(dur, frame), regr_slope(dur, frame) FROM frames WHERE type = 'game'", \
        [(statistics.correlation(range(len(all_of)), all_of), statistics.linear_regression(range(len(all_of)), all_of).slope)]
    yield 'How often is a frame half as long again as the one before?', [tiny], \
        "WITH f AS (SELECT dur, lag(dur) OVER (ORDER BY start) AS before FROM frames WHERE type = 'game')" \
        ' SELECT count(*) FROM f WHERE dur > 1.5 * before', [(sum(b > 1.5 * a for a, b in zip(all_of, all_of[1:])),)]
    yield 'How many game frames has each capture?', [game, tiny, net], \
        "SELECT capture, count(*) AS frames FROM frames WHERE type = 'game' GROUP BY capture ORDER BY capture", \
        sorted((c.file, len(times(c))) for c in (game, tiny, net))
    yield 'And one of them?', [game, tiny, net], "SELECT count(*) FROM frames WHERE capture = 'tiny' AND type = 'game'", \
        [(len(times(tiny)),)]


def of_studios(game, tiny):
    """What somebody wants of a capture of a game."""
    worst = max(range(len(game.frames)), key=lambda i: sum(game.frames[i][0] <= game.ns(m['cycle']) < game.frames[i][1]
                                                           for m in game.truth['logs']))
    begin, end = game.frames[worst]
    yield 'What was said in a frame?', [game], 'SELECT text FROM logs WHERE frame = %d ORDER BY time' % worst, \
        [(m['text'],) for m in game.truth['logs'] if begin <= game.ns(m['cycle']) < end]
    yield 'What complains most?', [game], \
        "SELECT category, count(*) AS n FROM logs WHERE verbosity IN ('Error', 'Warning') GROUP BY category ORDER BY n DESC, category", \
        sorted(collections.Counter(m['category'] for m in game.truth['logs'] if m['verbosity'] in ('Error', 'Warning')).items(),
               key=lambda row: (-row[1], row[0]))
    yield 'How long do regions take?', [game], 'SELECT name, ("end" - start) / 1e9 AS s FROM regions ORDER BY start', \
        [(r['name'], (r['end'] - r['begin']) * game.scale / 1e9) for r in sorted(game.truth['regions'], key=lambda r: r['begin'])]
    yield 'What takes time itself?', [tiny], 'SELECT timer, excl FROM timers WHERE count > 0 ORDER BY excl DESC, timer LIMIT 5', \
        sorted(((name, total) for name, total in _own(tiny).items()), key=lambda row: (-row[1], row[0]))[:5]
    yield 'How much is read, and from how many files?', [game], 'SELECT count(*), sum(bytes_read) FROM files WHERE reads > 0', \
        [(sum(f['reads'] > 0 for f in game.truth['files']), sum(f['bytes_read'] for f in game.truth['files']))]


def _own(capture):
    found = collections.Counter()
    for thread in capture.truth['threads']:
        for x in thread.get('timers', ()):
            if x['count']:
                found[x['timer']] += x['excl'] * capture.scale
    return found


def same(a, b):
    return math.isclose(a, b, rel_tol=1e-9) if isinstance(a, (int, float)) and isinstance(b, (int, float)) else a == b


def check(result, tools, fixtures, captures, statement, wanted):
    done = tools.run('trace-query', *(fixtures / c.file for c in captures), statement, '-q', '-f', 'json')
    result.true('%s: status %d, %r' % (statement, done.status, done.err[:300]), done.status in (0, 4))
    rows = [tuple(row.values()) for row in json.loads(done.out)['result']] if done.status in (0, 4) else []
    result.true('%s\n  is %.400s\n  not %.400s' % (statement, rows, wanted), len(wanted) > 0 and len(rows) == len(wanted)
                and all(len(a) == len(b) and all(map(same, a, b)) for a, b in zip(rows, wanted)))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--bin', required=True)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    tools, run = commands.Commands(options.bin), report.Report()
    game, tiny, net = (Capture(options.fixtures, *name) for name in (('game', '.utrace.zst'), ('tiny',), ('net',)))
    questions = [*in_perfettos(game, tiny), *in_duckdbs(game, tiny, net), *of_studios(game, tiny)]
    for question, captures, statement, wanted in questions:
        run.run(question, check, tools, options.fixtures, captures, statement, wanted)
    run.run('questions', lambda result: result.equal('asked', len(questions), 20))
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
