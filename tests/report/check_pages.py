#!/usr/bin/env python3
"""Pages of trace-diff, trace-check and trace-trend: their figures against the JSON reports, names as text, no script, no request.

usage: check_pages.py --bin DIRECTORY --hostile PROGRAM FIXTURES
"""

import argparse
import collections
import csv
import html
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import commands  # noqa: E402
import page      # noqa: E402
import report    # noqa: E402

page.ELEMENTS.update('details summary svg g rect line circle path text polyline figure figcaption b'.split())
NAMES = ['</script><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '<svg onload=alert(1)>', "' onmouseover='x", '</title>']


def check_static(result, displayed):
    """What holds for pages without a script."""
    for fault in displayed.faults:
        result.true(fault, False)
    result.equal('scripts', displayed.scripts + list(displayed.blocks), [])
    result.equal('policies', len(displayed.policies), 1)
    result.true('the policy has a script', 'script-src' not in displayed.policies[0])
    result.equal('hash of the style', [page.digest(text) for text in displayed.styles], displayed.allowed('style'))


def number(cell):
    return None if cell[0] in (None, 'null') else float(cell[0])


def near(got, wanted):
    return (got is None) == (wanted is None) and (got is None or abs(got - wanted) <= 1e-6 * abs(wanted))


def reports(result, tools, work, command, *arguments):
    """The page and the JSON of one comparison, with the status."""
    html, plain = work / 'page.html', work / 'plain.json'
    done = tools.run(command, *arguments, '--report', 'html=%s' % html, '--report', 'json=%s' % plain)
    result.true(done.describe(), done.status in (0, 1))
    text = html.read_text(encoding='utf-8')
    displayed = page.Page(text)
    check_static(result, displayed)
    return displayed, json.loads(plain.read_text(encoding='utf-8')), text


def check_shares(result, text, changes):
    """Where the curves of frame times reach 99 %, they are at p99 of their side: the times alongside the axis say where that is."""
    ticks = [(float(x), float(ms)) for x, ms in re.findall(r'<text class="mid" x="([\d.]+)" y="\d+">([\d.]+) ms', text)]
    p99 = next(c for c in changes if c['kind'] == 'frame' and c['name'] == 'p99')
    (x0, t0), (x1, t1) = ticks[0], ticks[-1]
    middle = ticks[len(ticks) // 2]
    for form in (lambda v: v, math.log):
        place = lambda ms: x0 + (form(ms) - form(t0)) / (form(t1) - form(t0)) * (x1 - x0)
        if abs(place(middle[1]) - middle[0]) < 0.5:
            break
    for side, curve in (('baseline', 'curve base'), ('candidate', 'curve')):
        points = re.search('<polyline class="%s" points="([^"]*)"' % curve, text).group(1).split()
        result.equal('points of %s' % side, len(points), 97)
        x = float(points[2 * 32].split(',')[0])
        result.true('p99 of %s at %g instead of %g' % (side, x, place(p99[side])), abs(x - place(p99[side])) < 0.7)


def check_frame_times(result, tools, plain, sides):
    """The JSON has the time of each share: of the frames of each run, sorted, the one of that rank; the mean of the runs."""
    given = plain['frame_times']
    for i, share in enumerate(given['shares']):
        result.true('share %d: %r' % (i, share), abs(share - (1 - 10 ** (-i / 16))) < 1e-8)
    for side, path in sides.items():
        runs = {}
        for row in csv.DictReader(tools.run('trace-stats', path, '-t', 'frames', '-f', 'csv').out.decode().splitlines()):
            runs.setdefault(row['run'], []).append(int(row['dur']) / 1e6)
        for i, got in enumerate(given[side]):
            share = 1 - 10 ** (-i / 16)
            wanted = [sorted(v)[max(1, math.ceil(share * len(v))) - 1] for v in runs.values()]
            mean = sum(wanted) / len(wanted)
            result.true('frames of %s at %g: %r instead of %r' % (side, share, got, mean), abs(got - mean) < 2e-6 * mean)


def check_calls(result, tools, work, fixtures):
    """The title names both sides; the tree has the sums of the folded stacks, and there is a flame graph of each side and of the
    difference."""
    sides = [fixtures / 'tiny-ue5.0.utrace', fixtures / 'tiny.utrace']
    displayed, _, text = reports(result, tools, work, 'trace-diff', *sides)
    title = html.unescape(re.search('<title>(.*?) - Tracekit</title>', text, re.S).group(1))
    builds = [json.loads(tools.run('trace-stats', s, '-q', '-t', 'capture', '-f', 'json').out)['capture']['build'] for s in sides]
    named = builds if all(builds) and builds[0] != builds[1] else [s.name for s in sides]
    result.equal('both sides in the title', title, 'Comparison of %s and %s' % tuple(named))
    sums = collections.defaultdict(lambda: [0, 0])
    for line in tools.run('trace-diff', *sides, '--report', 'folded').out.decode('utf-8').splitlines():
        path, *us = line.rsplit(' ', 2)
        names = path.split(';')
        for n in range(1, len(names) + 1):
            for side in (0, 1):
                sums[tuple(names[:n])][side] += int(us[side])
    open_path, rows = [], {}
    for row in displayed.table('tree').rows:
        name = row[0][1]
        depth = len(name) - len(name.lstrip('\u2003'))
        open_path[depth:] = [name.lstrip('\u2003')]
        rows[tuple(open_path)] = (number(row[1]), number(row[2]))
    whole = sum(max(v) for k, v in sums.items() if len(k) == 1)
    for path, us in sums.items():
        if max(us) > 0.011 * whole:
            result.true('%s: %s, not %s us' % (path, rows.get(path), us), path in rows and all(abs(a * 1000 - b) <= 0.6 * len(sums) for a, b in zip(rows[path], us)))
    result.true('rows', 3 < len(rows) <= 200)
    result.equal('pictures', re.findall('<h3>(.*?)</h3>', text), ['Difference', 'Before', 'After'])


def check_diff(result, tools, fixtures, work):
    displayed, plain, text = reports(result, tools, work, 'trace-diff', fixtures / 'baseline-v1-a.tkb', '--vs', fixtures / 'baseline-v1-b.tkb')
    changes = plain['changes']
    for verdict in ('regressed', 'improved', 'added', 'removed', 'renamed', 'inconclusive'):
        wanted = [c for c in changes if c['verdict'] == verdict]
        table = displayed.table(verdict)
        result.equal('a table of ' + verdict, table is not None, bool(wanted))
        if not wanted:
            continue
        for row, change in zip(table.rows, wanted):
            what = row[1][1]
            result.true('%r instead of %r' % (what, change['name']), what.startswith(change['name']))
            result.true('%s before: %r' % (what, row[2]), near(number(row[2]), change['baseline']))
            result.true('%s after: %r' % (what, row[3]), near(number(row[3]), change['candidate']))
    result.equal('percentiles', [row[1][1].split('frame')[0] for row in displayed.table('frames').rows
                                 if 'hitches' not in row[1][1] and 'smoothness' not in row[1][1]],
                 [c['name'] for c in changes if c['kind'] == 'frame'])
    check_shares(result, text, changes)
    check_frame_times(result, tools, plain, {side: fixtures / ('baseline-v1-%s.tkb' % name) for side, name in
                                             (('baseline', 'a'), ('candidate', 'b'))})
    for change in changes:
        runs = change.get('baseline_runs')
        if change['kind'] == 'frame' and runs:
            mean = sum(runs) / len(runs)
            result.true('mean of the runs of %s: %r' % (change['name'], mean), near(round(mean, 9), change['baseline'])
                        or abs(mean - change['baseline']) < 1e-5 * mean)
    folded = tools.run('trace-diff', fixtures / 'baseline-v1-a.tkb', '--vs', fixtures / 'baseline-v1-b.tkb', '--report', 'folded').out
    result.equal('a flame graph where there are paths', 'Calls of both sides' in text, bool(folded.strip()))
    check_calls(result, tools, work, fixtures)
    again = work / 'again.html'
    tools.run('trace-diff', fixtures / 'baseline-v1-a.tkb', '--vs', fixtures / 'baseline-v1-b.tkb', '--report', 'html=%s' % again)
    result.true('other bytes the second time', again.read_text(encoding='utf-8') == text)


def check_budgets(result, tools, fixtures, work):
    budget = work / 'budget.json'
    budgets = [{'kind': 'frame', 'name': 'p50', 'error': 1000}, {'kind': 'frame', 'name': 'max', 'error': 0.001}]
    budgets += [{'kind': 'timer', 'name': name, 'error': 1} for name in NAMES]
    budget.write_text(json.dumps({'budgets': budgets}), encoding='utf-8')
    displayed, plain, _ = reports(result, tools, work, 'trace-check', fixtures / 'baseline-v1-a.tkb', '--budget', budget)
    rows = displayed.table('budgets').rows + displayed.table('met').rows
    order = {'error': 0, 'warning': 1, 'missing': 2, 'passed': 3}
    wanted = sorted(plain['budgets'], key=lambda b: order[b['verdict']])
    result.equal('budgets', len(rows), len(wanted))
    for row, b in zip(rows, wanted):
        result.true('%r instead of %r' % (row[1][1], b['name']), row[1][1].startswith(b['name']))
        result.true('verdict of %s' % b['name'], row[0][1].endswith(b['verdict']))
        result.true('value of %s: %r' % (b['name'], row[2]), near(number(row[2]), b['value']))


def check_trend(result, tools, fixtures, work):
    displayed, plain, text = reports(result, tools, work, 'trace-trend', '--csv', fixtures / 'trend/h11')
    levels = [level for level in plain['series'] if level['now'] is not None]
    rows = displayed.table('series').rows
    result.equal('series', len(rows), len(levels))
    for row, level in zip(rows, levels):
        result.true('%r instead of %r' % (row[0][1], level['name']), row[0][1].startswith(level['name'] or level['series']))
        result.true('%s now: %r' % (level['series'], row[2]), near(number(row[2]), level['now']))
    for row, run in zip(displayed.table('runs').rows, reversed(plain['runs'])):     # a build where it is known, and what the run is called
        result.true('run %r: %r' % (run, row[1][1]), row[1][1] == (run['build'] + run['name'] if run.get('build') else run['name']))
    result.equal('runs', len(displayed.table('runs').rows), len(plain['runs']))
    result.equal('nights of runs', [int(row[0][1]) for row in displayed.table('runs').rows],
                 [run['night'] for run in reversed(plain['runs'])])
    for words in ('runs with one number are tested together', '>no.<', '>since no.<', '>over time<'):
        result.true('%r is not in the page' % words, words in text)
    worse = [e['series'] for e in plain['events'] if e['alarm'] and e['series'][0] not in '*^']
    names = {level['series']: level['name'] for level in plain['series']}
    for series in worse:
        result.true('%s is not in the page as worse' % series, '<strong>' + names[series] in text or 'd1">' + names[series] in text)
    again = work / 'again.html'
    tools.run('trace-trend', '--csv', fixtures / 'trend/h11', '--report', 'html=%s' % again)
    result.true('other bytes the second time', again.read_text(encoding='utf-8') == text)


def check_history(result, tools, fixtures, work):
    """trace-report of baselines and of a folder is the page of trace-trend, without the folders."""
    folder, html = work / 'secret <b>folder', work / 'history.html'
    folder.mkdir()
    for number, name in enumerate(('a', 'b')):
        tools.run('trace-stats', fixtures / 'tiny.utrace', '-q', '--save', folder / (name + '.tkb'), '--run-info',
                  'time=2026-11-1%d' % number)
    for operands in ([folder], sorted(folder.iterdir())):
        done = tools.run('trace-report', *operands, '-o', html, '--force')
        result.true(done.describe(), done.status == 0)
        text = html.read_text(encoding='utf-8')
        displayed = page.Page(text)
        check_static(result, displayed)
        result.true('runs', bool(displayed.table('runs').rows))
        at = max(text.find('secret'), text.find(str(work)))
        result.true('a folder is shown: %s' % text[max(at - 60, 0):at + 60], at < 0)
    done = tools.run('trace-report', folder, '--budget', '3', '-o', html, '--force')
    result.true(done.describe(), done.status == 2)


def check_hostile_trend(result, tools, work):
    folder, html = work / 'numbers', work / 'trend.html'
    folder.mkdir()
    quoted = ['"%s"' % name.replace('"', '""') for name in NAMES]
    runs = ['%s/%d' % (('main', 'release')[i % 2], i // 2) for i in range(20)]
    (folder / 'runs.csv').write_text('run,night,time,build,machine\n' + ''.join(
        '%s,%d,,%s,%s\n' % (run, i, quoted[i % 5], quoted[0]) for i, run in enumerate(runs)))
    (folder / 'series.csv').write_text('series,kind,name,unit,worse\n' + ''.join(
        's%d,timer,%s,%s,up\n' % (i, name, name) for i, name in enumerate(quoted)))
    (folder / 'values.csv').write_text('run,%s\n' % ','.join('s%d' % i for i in range(len(NAMES))) + ''.join(
        '%s,%s\n' % (run, ','.join([str(100 + i % 3 + 50 * (i > 12))] * len(NAMES))) for i, run in enumerate(runs)))
    done = tools.run('trace-trend', '--csv', folder, '--report', 'html=%s' % html)
    result.true(done.describe(), done.status in (0, 1))
    if done.status in (0, 1):
        displayed = page.Page(html.read_text(encoding='utf-8'))
        check_static(result, displayed)
        result.equal('names', [row[0][1] for row in displayed.table('series').rows], NAMES)
        result.equal('names of runs', [row[1][1] for row in displayed.table('runs').rows],
                     [NAMES[i % 5] + run for i, run in reversed(list(enumerate(runs)))])


def check_hostile(result, tools, hostile, work):
    names, captures = work / 'names', [work / ('%d.utrace' % i) for i in range(2)]
    for i, capture in enumerate(captures):
        names.write_text(''.join(name.encode('utf-8').hex() + '\n' for name in NAMES + ['run %d' % i]))
        subprocess.run([hostile, names, capture], check=True)
    html = work / 'hostile.html'
    done = tools.run('trace-diff', *captures, '--report', 'html=%s' % html)
    if done.status in (0, 1):
        check_static(result, page.Page(html.read_text(encoding='utf-8')))
    else:
        result.true(done.describe(), done.status == 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path, help='the directory of the commands')
    parser.add_argument('--hostile', required=True, type=pathlib.Path, help='writes a capture of names')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    tools, run = commands.Commands(options.bin), report.Report()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        run.run('diff', check_diff, tools, options.fixtures, work)
        run.run('check', check_budgets, tools, options.fixtures, work)
        run.run('trend', check_trend, tools, options.fixtures, work)
        run.run('history', check_history, tools, options.fixtures, work)
        run.run('hostile names of a history', check_hostile_trend, tools, work)
        run.run('hostile names', check_hostile, tools, options.hostile, work)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
