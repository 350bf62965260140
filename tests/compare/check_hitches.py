#!/usr/bin/env python3
"""What is a hitch, and why, is the same wherever it is said: stats, SQL, pages, baselines, comparisons, budgets, trends and
the server for assistants. Two captures are made whose hitches are planted, in a menu and a level of other frame rates, and
with a start-up; what they are is known by hand.

usage: check_hitches.py --bin DIRECTORY
"""

import argparse
import csv
import io
import json
import pathlib
import random
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness'), str(HERE.parent / 'agent')]
import client    # noqa: E402
import commands  # noqa: E402
import report    # noqa: E402
import utrace    # noqa: E402

STARTUP = {5: ('Boot', 200)}                                  # neither side counts it
OUTSIDE = '(outside every scope)'
BEFORE = {150: ('LoadTexture', 15), 230: (OUTSIDE, 20), 420: ('GC.Collect', 40), 480: ('GC.Collect', 42)}
AFTER = {170: ('LoadTexture', 16), 200: (OUTSIDE, 21), 430: ('GC.Collect', 41), 510: ('ShaderCompile', 50), 560: ('ShaderCompile', 45),
         600: ('LoadTexture', 30)}
MENU, LEVEL, EDGE, FRAMES = 1000 / 120, 1000 / 50, 300, 640     # ms; frames
# By hand: the reason, the region, and how many a side has. LoadTexture of the level is none of the menu's.
GROUPS = {('LoadTexture', 'Menu'): (1, 1), ('GC.Collect', 'Level Two'): (2, 1), ('ShaderCompile', 'Level Two'): (0, 2),
          ('LoadTexture', 'Level Two'): (0, 1), (OUTSIDE, 'Menu'): (1, 1)}


def make(path, hitches, seed):
    """Writes a capture and returns its frame times in ms."""
    rng = random.Random(seed)
    events = [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1, 'args': {'name': 'GameThread'}}]
    time, lengths, edges = 1000.0, [], []
    for frame in range(FRAMES):
        events.append({'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': 1, 'ts': round(time, 1)})
        if frame in (0, EDGE):
            edges.append(time)
        usual = (MENU if frame < EDGE else LEVEL) * 1000 * (1 + rng.gauss(0, 0.01))
        events.append({'ph': 'X', 'name': 'World.Tick', 'pid': 1, 'tid': 1, 'ts': round(time + 5, 1), 'dur': round(usual * 0.9, 1)})
        name, more = {**STARTUP, **hitches}.get(frame, (None, 0))
        if name and name != OUTSIDE:
            events.append({'ph': 'X', 'name': name, 'pid': 1, 'tid': 1, 'ts': round(time + 5 + usual * 0.9 + 1, 1), 'dur': more * 1000})
        begin = round(time, 1)
        time = round(time + usual + more * 1000, 1)
        lengths.append((time - begin) / 1000)
    events.append({'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': 1, 'ts': round(time, 1)})
    for i, (name, begin, end) in enumerate((('Menu', edges[0], edges[1]), ('Level Two', edges[1], time))):
        events.append({'ph': 'b', 'cat': 'part', 'name': name, 'id': i + 1, 'pid': 1, 'tid': 1, 'ts': round(begin, 1)})
        events.append({'ph': 'e', 'cat': 'part', 'name': name, 'id': i + 1, 'pid': 1, 'tid': 1, 'ts': round(end, 1)})
    path.write_text(json.dumps({'traceEvents': events}))
    return lengths


def minutes(lengths):
    """Of frames that are no start-up, which ends behind its hitch."""
    return sum(lengths[max(STARTUP) + 1:]) / 60e3


def data(tools, *words):
    done = tools.run(*words)
    if done.status not in (0, 1):
        raise commands.CommandError(done.describe())
    return json.loads(done.out)


def near(result, what, got, wanted):
    result.true('%s: %r instead of %r' % (what, got, wanted), got is not None and abs(got - wanted) <= 0.02 * wanted)


def check_capture(result, tools, path, hitches, lengths):
    rate = len(hitches) / minutes(lengths)
    row = data(tools, 'trace-stats', path, '-t', 'smoothness', '-f', 'json')['smoothness']
    row = row[0] if isinstance(row, list) else row
    result.equal('stats: hitches', row['hitches'], len(hitches))
    result.equal('stats: of the start-up', row['startup_hitches'], len(STARTUP))
    near(result, 'stats: a minute', row['hitches_min'], rate)
    sql = data(tools, 'trace-query', path, "SELECT frame, timer FROM hitches WHERE rank = 1 ORDER BY 1", '-f', 'json')['result']
    result.equal('SQL', {r['frame']: r['timer'] for r in sql}, {frame: name for frame, (name, _) in hitches.items()})
    late = data(tools, 'trace-query', path, "SELECT frame FROM late_frames WHERE class = 'hitch' ORDER BY 1", '-f', 'json')['result']
    result.equal('SQL: late frames', [r['frame'] for r in late], sorted(hitches))
    page = tools.run('trace-stats', path).out.decode()
    result.true('first page', re.search(r'hitches +%d \(' % len(hitches), page))
    html = path.with_suffix('.html')
    result.true('report', tools.run('trace-report', path, '--force', '-o', html).status == 0)
    result.true('report: hitches', '<strong>%d hitches</strong>' % len(hitches) in html.read_text(encoding='utf-8'))
    budget = path.with_suffix('.budget.json')
    for value, verdict in ((rate * 1.03, 0), (rate * 0.97, 1)):
        budget.write_text(json.dumps({'budgets': [{'kind': 'hitches', 'error': value}]}))
        result.equal('budget of %.4g a minute' % value, tools.run('trace-check', path, '--budget', budget).status, verdict)


def check_assistant(result, tools, path, hitches):
    ask = client.Client([str(tools.directory / 'tracekit'), 'mcp', str(path.parent)])
    rows = ask.rows('hitches', capture=path.name)
    ask.close()
    result.equal('assistant', {r['frame']: r['timer'] for r in rows if r['rank'] == 1},
                 {frame: name for frame, (name, _) in hitches.items()})


def check_outside(result, tools, path):
    """A second of work before the first of 50 frames of 10 ms, of which 9 are work."""
    events = [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1, 'args': {'name': 'GameThread'}},
              {'ph': 'X', 'name': 'Boot.Load', 'pid': 1, 'tid': 1, 'ts': 0, 'dur': 1000000}]
    events += [{'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': 1, 'ts': 1000000 + 10000 * i} for i in range(51)]
    events += [{'ph': 'X', 'name': 'World.Tick', 'pid': 1, 'tid': 1, 'ts': 1000500 + 10000 * i, 'dur': 9000} for i in range(50)]
    path.write_text(json.dumps({'traceEvents': events}))
    page = tools.run('trace-stats', path).out.decode()
    result.true('working in a frame', re.search(r'working/frame +9\.00 ms GameThread', page))
    result.true('working outside: 1 s in 1.5 s', re.search(r'outside frames +works 667 ms/s GameThread', page))
    result.true('timers by frame', re.search(r'World\.Tick +GameThread +9\.000 ms', page) and 'Boot.Load' not in page)
    html = path.with_suffix('.html')
    tools.run('trace-report', path, '--force', '-o', html)
    words = re.sub(r'\s+', ' ', re.sub(r'<[^>]+>', '', html.read_text(encoding='utf-8')))
    result.true('report: in a mean frame', 'work takes 9.000 ms on GameThread.' in words)
    result.true('report: outside', 'Outside of frames, GameThread works 666.7 ms a second.' in words)


def check_comparison(result, tools, before, after, lengths):
    found = data(tools, 'trace-diff', before, after, '-f', 'json')
    row = [c for c in found['changes'] if c['kind'] == 'hitches'][0]
    near(result, 'diff: before', row['baseline'], len(BEFORE) / minutes(lengths[0]))
    near(result, 'diff: after', row['candidate'], len(AFTER) / minutes(lengths[1]))
    got = {(g['timer'], g['part']): (g['baseline']['hitches'], g['candidate']['hitches']) for g in found['hitches']}
    result.equal('diff: hitches by reason', got, GROUPS)
    ways = {(g['timer'], g['part']): g['change'] for g in found['hitches']}
    result.equal('diff: gained and lost', ways,
                 {k: 'gained' if b > a else 'lost' if b < a else 'same' for k, (a, b) in GROUPS.items()})
    result.equal('diff: where', {(g['thread'], g['role']) for g in found['hitches']}, {('GameThread', 'game')})
    longest = {g['timer']: (g['candidate']['frame'], g['candidate']['most_excess_ms']) for g in found['hitches']
               if g['timer'] == 'ShaderCompile'}
    result.equal('diff: the longest', longest['ShaderCompile'][0], 510)
    near(result, 'diff: how long', longest['ShaderCompile'][1], 50)
    text = tools.run('trace-diff', before, after).out.decode()
    result.true('diff: text', re.search(r'Hitches gained.*ShaderCompile on GameThread \(game\) in Level Two: 0 to 2;', text, re.DOTALL))
    result.true('diff: text, lost', re.search(r'Hitches lost.*GC\.Collect on GameThread \(game\) in Level Two: 2 to 1;', text, re.DOTALL))
    same = data(tools, 'trace-diff', before, before.with_name('again.json'), '-f', 'json')
    result.equal('diff of the same hitches', {g['change'] for g in same['hitches']}, {'same'})
    return found['hitches']


def check_baselines(result, tools, before, after, of_captures):
    kept = [before.with_suffix('.tkb'), after.with_suffix('.tkb')]
    for capture, to in zip((before, after), kept):
        result.equal('save', tools.run('trace-stats', capture, '--save', to).status, 0)
    result.equal('diff of baselines', data(tools, 'trace-diff', *kept, '-f', 'json')['hitches'], of_captures)
    for to, hitches in zip(kept, (BEFORE, AFTER)):
        rows = data(tools, 'trace-query', to, "SELECT frame FROM baseline_frames WHERE class = 'hitch' ORDER BY 1", '-f', 'json')['result']
        result.equal('SQL of baselines', [r['frame'] for r in rows], sorted(hitches))
    renames = kept[0].with_name('map.json')
    renames.write_text(json.dumps({'timers': {'GC.Collect': 'GC.Sweep'}}))
    mapped = data(tools, 'trace-diff', *kept, '--map', renames, '-f', 'json')['hitches']
    result.true('diff with a map', ('GC.Sweep', 2) in {(g['timer'], g['baseline']['hitches']) for g in mapped})
    # without the frames of the menu, those of the level are left
    cut = data(tools, 'trace-diff', *kept, '--region', 'Level Two', '-f', 'json')['hitches']
    result.equal('diff of a region', {(g['timer'], g['part']): (g['baseline']['hitches'], g['candidate']['hitches']) for g in cut},
                 {k: n for k, n in GROUPS.items() if k[1] == 'Level Two'})


def check_words(result, tools, folder):
    """Five runs a side: what is decided of the words of studios. A side that hitches more is worse, others are not."""
    sides = {}
    for side, (count, more) in {'calm': (3, 20), 'same': (3, 20), 'rough': (15, 60)}.items():
        sides[side] = []
        for run in range(5):
            capture = folder / ('%s%d.json' % (side, run))
            make(capture, {40 + 35 * i + run: ('Spike', more + run) for i in range(count)}, 10 * (more + len(side)) + run + (500 if side == 'same' else 0))
            sides[side].append(capture.with_suffix('.tkb'))
            tools.run('trace-stats', capture, '--save', sides[side][-1])
    decided = {}
    for other in ('same', 'rough'):
        found = data(tools, 'trace-diff', *sides['calm'], '--vs', *sides[other], '-f', 'json')
        decided[other] = {c['name']: c['verdict'] for c in found['changes'] if c['kind'] == 'smoothness'}
    result.true('runs that hitch as often: %r' % decided['same'], not {'regressed', 'improved'} & set(decided['same'].values()))
    result.equal('five times as many, three times as long', (decided['rough']['hitch_ratio'], decided['rough']['low1']),
                 ('regressed', 'regressed'))
    result.equal('pacing has no good or bad', decided['rough']['pacing'], 'inconclusive')
    back = data(tools, 'trace-diff', *sides['rough'], '--vs', *sides['calm'], '-f', 'json')
    result.equal('the other way', [c['verdict'] for c in back['changes'] if c['name'] == 'hitch_ratio'], ['improved'])


def check_trend(result, tools, folder, lengths):
    """The level of runs that have the same number of hitches."""
    for name in ('before', 'again'):
        tools.run('trace-stats', folder / (name + '.json'), '--save', folder / (name + '.tkb'))
    series = data(tools, 'trace-trend', folder / 'before.tkb', folder / 'again.tkb', '--order', 'given', '-f', 'json')['series']
    near(result, 'trend', [s for s in series if s['kind'] == 'hitches'][0]['now'], len(BEFORE) / minutes(lengths))


def check_most(result, tools, folder):
    """1,200 hitches: what the 1,000 longest were due to is kept, and the others count all the same."""
    capture, at, most = utrace.Capture(), 1_000_000, 1200
    for i in range(40 * (most + 1)):
        n, dur = i // 40, 16_600_000
        capture.scope('GameThread', 'Tick', at + 1000, 9_000_000)
        if i % 40 == 39 and n < most:
            longer = 20_000_000 + n * 10_000
            capture.scope('GameThread', 'Longer' if n >= most - 1000 else 'Shorter', at + 16_000_000, longer)
            dur += longer
        capture.frame(at, at + dur)
        at += dur
    capture.save(folder / 'many.utrace')
    tools.must('trace-stats', folder / 'many.utrace', '--save', folder / 'many.tkb')
    for of in ('many.utrace', 'many.tkb'):
        rows = csv.DictReader(io.StringIO(tools.must('trace-stats', folder / of, '-t', 'hitch_causes', '-f', 'csv').out.decode()))
        result.equal(f'causes of {of}', [(row['work'], row['timer'], row['hitches']) for row in rows], [('own', 'Longer', '1000'), ('unknown', '', '200')])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    tools, run = commands.Commands(parser.parse_args().bin), report.Report()
    with tempfile.TemporaryDirectory() as folder:
        before, after, again = (pathlib.Path(folder) / name for name in ('before.json', 'after.json', 'again.json'))
        lengths = make(before, BEFORE, 1), make(after, AFTER, 2)
        make(again, {frame + 7: reason for frame, reason in BEFORE.items()}, 3)
        run.run('before', check_capture, tools, before, BEFORE, lengths[0])
        run.run('after', check_capture, tools, after, AFTER, lengths[1])
        run.run('outside of frames', check_outside, tools, pathlib.Path(folder) / 'outside.json')
        run.run('assistant', check_assistant, tools, after, AFTER)
        kept = []
        run.run('comparison', lambda result: kept.append(check_comparison(result, tools, before, after, lengths)))
        run.run('baselines', lambda result: check_baselines(result, tools, before, after, kept[0]))
        run.run('words of studios', check_words, tools, pathlib.Path(folder))
        run.run('the most of a run', check_most, tools, pathlib.Path(folder))
        run.run('trend', check_trend, tools, pathlib.Path(folder), lengths[0])
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
