#!/usr/bin/env python3
"""trace-trend from outside: planted changes are found and told, in every report; the exit status; bad input.

usage: check_trend.py --bin FOLDER --rewrite FILE ROOT

What is expected is what made.py planted, what captures were written with, and what the manual promises."""
import argparse
import csv
import datetime
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'harness'))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import made  # noqa: E402
import rows  # noqa: E402
import schema  # noqa: E402
import terminals  # noqa: E402

FAULTS = []


def expect(what, good, *more):
    if not good:
        FAULTS.append(what)
        print(what, *more)


class Tools:
    def __init__(self, options, work):
        self.bin, self.rewrite, self.root, self.work = options.bin, options.rewrite, pathlib.Path(options.root), pathlib.Path(work)

    def run(self, *arguments, **environment):
        """With what is open: nights after a change say the same as the one that made it sure."""
        done = subprocess.run([self.bin + '/trace-trend', '--open', *map(str, arguments)], capture_output=True, text=True,
                              env={**os.environ, 'LC_ALL': 'C.UTF-8', 'TERM': 'dumb', **environment})
        return done.returncode, done.stdout, done.stderr

    def rows(self, *arguments):
        return rows.trend(self.bin, *map(str, arguments))


def near(found, name, night, ratio, kinds=('step',)):
    return [r for r in found if r['series'] == name and r['kind'] in kinds and abs(int(r['night']) - night) <= 2 and
            abs(math.log(float(r['ratio'])) - math.log(ratio)) < 0.025]


def check_planted(tools):
    """Two thirds of the way a series becomes 20 % slower: found at that night, and the newest of it, so the status is 1."""
    for name, machines, repeats in (('one', 1, 1), ('three', 1, 3), ('pool', 2, 1)):
        history = made.Made('planted ' + name, nights=60, machines=machines, repeats=repeats,
                            plan=[('T005', 40, made.NOTHING, 1.2), ('T017', 30, made.NOTHING, 0.85), ('P04', 25, made.NOTHING, 1.08)])
        folder = history.write(tools.work / name)
        code, found, said = tools.rows('--csv', folder)
        expect('%s: status' % name, code == 1, code, said)
        for series, night, ratio in (('T005', 40, 1.2), ('T017', 30, 0.85), ('^P04', 25, 1.08)):
            expect('%s: %s at night %d' % (name, series, night), near(found, series, night, ratio))
        alarms = {r['series'] for r in found if r['alarm'] == '1'}
        expect('%s: slower alarms, faster does not' % name, 'T005' in alarms and 'T017' not in alarms, alarms)


def check_status(tools):
    """Nothing planted: status 0. Taken back: 0. Better: 0. Since: what was before counts no longer."""
    cases = (('nothing', [], 0), ('back', [('T005', 20, 40, 1.2)], 0), ('better', [('T005', 40, made.NOTHING, 0.8)], 0),
             ('worse', [('T005', 40, made.NOTHING, 1.2)], 1),
             ('swings', [('T005', a, a + 10, 1.3) for a in (10, 30, 50)], 0))
    for name, plan, wanted in cases:
        folder = made.Made('status', nights=60, plan=plan or [('T005', 0, 1, 1.0)]).write(tools.work / ('status-' + name))
        code, found, said = tools.rows('--csv', folder)
        expect('status of %s: %d' % (name, code), code == wanted, said, [r for r in found if r['alarm'] == '1'])
    folder = tools.work / 'status-worse'
    expect('since a later run', tools.rows('--csv', folder, '--since', '45')[0] == 0)
    expect('since an earlier run', tools.rows('--csv', folder, '--since', '38')[0] == 1)
    expect('since a run that is not there', tools.rows('--csv', folder, '--since', 'nowhere')[0] == 2)
    swings = [r['state'] for r in tools.rows('--csv', tools.work / 'status-swings')[1] if r['series'] == 'T005' and r['kind'] == 'step']
    expect('a series that goes up and down is unsteady: %s' % swings, swings and set(swings) == {'unsteady'})


def check_shared(tools):
    """All timers 6 % slower: reported once as what all share, and no timer by itself."""
    history = made.Made('shared', nights=60, plan=[('P%02d' % p, 35, made.NOTHING, 1.06) for p in range(9)])
    code, found, _ = tools.rows('--csv', history.write(tools.work / 'shared'))
    expect('everything is slower', code == 1 and near(found, '*cpu', 35, 1.06), found)
    expect('timers do not say it once more', not [r for r in found if r['series'][0] == 'T' and r['kind'] == 'step' and r['alarm'] == '1'])
    text = tools.run('--csv', tools.work / 'shared')[1]
    expect('the page says that all are slower', 'all cpu times  +' in text, text[:600])


def check_machine(tools):
    """Another machine from night 30 on, 8 % slower: reported as that, status 0."""
    history = made.Made('machine', nights=60, plan=[('T005', 0, 1, 1.0)])
    history.runs = [r[:5] + ('ci-2' if r[1] >= 30 else 'ci-1', 'Test', 5000) for r in history.runs]
    history.values = [[v * (1.08 if r[1] >= 30 else 1) for v in row] for r, row in zip(history.runs, history.values)]
    code, found, _ = tools.rows('--csv', history.write(tools.work / 'machine'))
    expect('a machine is no regression', code == 0 and [r['night'] for r in found if r['kind'] == 'machine'] == ['30'], found)
    expect('nothing else at that night', not [r for r in found if r['kind'] == 'step' and abs(int(r['night']) - 30) < 3], found)
    expect('the page names them', 'ci-1 to ci-2' in tools.run('--csv', tools.work / 'machine')[1])


def check_drift(tools):
    """One series gets 12 % slower over 50 nights: a drift, and status 1 only with --likely."""
    history = made.Made('drift', nights=80, plan=[('T005', 0, 1, 1.0)])
    at = [s.name for s in history.series].index('T005')
    for run, row in zip(history.runs, history.values):
        row[at] = float('%.5g' % (row[at] * math.exp(0.12 * min(1, max(0, (run[1] - 20) / 50)))))
    code, found, _ = tools.rows('--csv', history.write(tools.work / 'drift'))
    drifts = [r for r in found if r['series'] == 'T005' and r['kind'] == 'drift']
    expect('a drift', code == 0 and drifts and 1.05 < float(drifts[0]['ratio']) < 1.2, found)
    expect('a drift alarms with --likely', tools.rows('--csv', tools.work / 'drift', '--likely')[0] == 1)


def check_reports(tools):
    """All kinds at once, to files; each is what its readers need, and twice the same."""
    folder = tools.work / 'one'
    with open(tools.root / 'schemas' / 'trend.schema.json', encoding='utf-8') as f:
        wanted = json.load(f)
    files = {kind: tools.work / ('report.' + kind) for kind in ('text', 'markdown', 'json', 'csv', 'junit')}
    code, out, said = tools.run('--csv', folder, *['--report=%s=%s' % item for item in files.items()])
    expect('reports', code == 1 and out == '', code, said)
    text = {kind: path.read_text(encoding='utf-8') for kind, path in files.items()}
    report = json.loads(text['json'])
    faults = list(schema.faults(report, wanted))
    expect('JSON has its schema', not faults, faults[:3])
    table = rows.read(text['csv'])
    expect('JSON and CSV have the same events', [(str(e['night']), e['series'], e['kind']) for e in report['events']] ==
           [(r['night'], r['series'], r['kind']) for r in table])
    suite = xml.etree.ElementTree.fromstring(text['junit']).find('testsuite')
    failing = [case for case in suite.findall('testcase') if case.find('failure') is not None]
    expect('JUnit counts', int(suite.get('failures')) == len(failing) and int(suite.get('tests')) == len(suite.findall('testcase')))
    expect('JUnit fails what alarms', {case.get('name') for case in failing if case.get('classname') != 'shared'} ==
           {r['series'] for r in table if r['alarm'] == '1' and r['series'][0] not in '^*'})
    expect('Markdown has a row for each event', text['markdown'].count('\n| ') - text['markdown'].count('\n| series |') == len(table))
    for kind, path in files.items():
        again = tools.run('--csv', folder, '--report', kind, '--color', 'never')[1]
        expect('twice the same: ' + kind, again == text[kind])
    old = tools.work / 'old.json'
    old.write_text('of last night', encoding='utf-8')
    expect('a report replaces that of last night', tools.run('--csv', folder, '-f', 'json=%s' % old)[0] == 1 and
           json.loads(old.read_text(encoding='utf-8')) == report)
    level = {s['series']: s for s in report['series']}['T005']
    values = sorted(v[5] for r, v in zip(made_values(folder)[0], made_values(folder)[1]) if r >= level['since'])
    middle = values[len(values) // 2] if len(values) % 2 else (values[len(values) // 2 - 1] + values[len(values) // 2]) / 2
    expect('the level now is the middle since the change', abs(level['now'] - middle) <= 1e-6 * middle, level, middle)
    expect('smaller changes show later', level['smallest'][0] > level['smallest'][1] > level['smallest'][2] > 0, level)


def made_values(folder):
    """Nights, and values of the runs by column, read from the files."""
    with open(folder / 'runs.csv', encoding='utf-8') as f:
        nights = [int(row['night']) for row in rows.read(f.read())]
    with open(folder / 'values.csv', encoding='utf-8') as f:
        return nights, [[float(c) for c in line.split(',')[1:]] for line in f.read().splitlines()[1:]]


def check_once(tools):
    """A step alarms on one run, the first that makes it sure, and is open from then on; with --open it goes on alarming."""
    history = made.Made('once', nights=16, series=60, plan=[('T005', 9, made.NOTHING, 1.6)])
    once, always, known = [], [], []
    for nights in range(9, 17):
        folder = history.write(tools.work / ('once-%d' % nights), nights)
        run = subprocess.run([tools.bin + '/trace-trend', '--csv', folder, '-f', 'json', '-q'], capture_output=True, text=True)
        report = json.loads(run.stdout)
        once.append(run.returncode)
        known.append(report['open'])
        always.append(tools.run('--csv', folder)[0])
        answers = {s['name']: s['answer'] for s in report['series']}
        expect('the answer of T005', (answers['T005'] == 'regressed') == (always[-1] == 1), answers['T005'], always[-1])
    first = always.index(1) if 1 in always else 0
    expect('found within five nights', 2 <= first <= 4, always)
    expect('one alarm', once == [int(i == first) for i in range(len(once))], once, always)
    expect('open afterwards', known == [int(i > first) for i in range(len(known))] and all(always[first:]), known, always)


def check_few(tools):
    """Fewer than 6 nights: values and a sentence, status 0. One run. No frames in the table. A series that takes twice as long from
    the fifth night on is an alarm three nights later."""
    history = made.Made('few', nights=20, plan=[('T005', 4, made.NOTHING, 2.0)])
    for nights in (1, 4, 7):
        code, out, said = tools.run('--csv', history.write(tools.work / ('few-%d' % nights), nights))
        expect('%d nights: status %d' % (nights, code), code == int(nights == 7), said)
        few = ('runs are too few, 6 are needed' in out or '1 run is too few, 6 are needed' in out) and 'trace-diff compares two builds' in out
        expect('%d nights: a sentence' % nights, (few and 'T000' in out) if nights < 6 else re.search(r'T005 \[timer, game\] changed by \+1[01]\d', out), out[:300])
    folder = pathlib.Path(history.write(tools.work / 'few-8', 8))
    expect('8 nights are tested', 'too few' not in tools.run('--csv', folder)[1])
    table = [line.split(',') for line in (folder / 'runs.csv').read_text(encoding='utf-8').splitlines()]
    table[1:] = [[run, str(int(run) // 2), *others] for run, _, *others in table[1:]]
    (folder / 'runs.csv').write_text('\n'.join(map(','.join, table)) + '\n', encoding='utf-8')
    out = tools.run('--csv', folder)[1]
    expect('8 runs in 4 nights', '4 builds are too few' in out and '8 runs of 4 builds, from' in out, out[:300])


BAD = (     # file, what is done to its text, what the sentence has to have in it
    ('runs.csv', lambda t: '', 'runs.csv is empty'),
    ('runs.csv', lambda t: t.replace('\n1,', '\n0,', 1), 'duplicate run'),
    ('runs.csv', lambda t: t.replace('\n2,2,', '\n2,0,', 1), 'line 4'),
    ('runs.csv', lambda t: t.replace('\n2,2,', '\n2,x,', 1), 'whole numbers'),
    ('runs.csv', lambda t: t.replace('run,', 'ran,', 1), "column 'run'"),
    ('series.csv', lambda t: t.replace('timer', 'tmer', 1), 'unknown kind of series'),
    ('series.csv', lambda t: t.replace('T001,', 'T000,', 1), 'duplicate series'),
    ('series.csv', lambda t: t.replace(',up\n', ',sideways\n', 1), 'sideways'),
    ('values.csv', lambda t: t.replace('T000', 'T999', 1), 'T999'),
    ('values.csv', lambda t: t[:len(t) // 2] + ',1' + t[len(t) // 2:], 'line '),
    ('values.csv', lambda t: t.replace('\n3,', '\n77,', 1), "run '77'"),
    ('values.csv', lambda t: t.replace('\n3,', '\n3,"', 1), 'quote'),
    ('values.csv', lambda t: t.replace('\n3,', '\n3,nan', 1), 'not a number'),
)


def check_bad(tools):
    """A sentence each, with the file; nothing of a broken history is reported as if it were sound."""
    whole = pathlib.Path(made.Made('bad', nights=12, series=20, plan=[('T005', 0, 1, 1.0)]).write(tools.work / 'bad'))
    for name, damage, wanted in BAD:
        text = (whole / name).read_text(encoding='utf-8')
        (whole / name).write_text(damage(text), encoding='utf-8')
        code, out, said = tools.run('--csv', whole)
        expect('bad %s (%s): status %d' % (name, wanted, code), code == 3 and not out and name in said and wanted in said, said)
        (whole / name).write_text(text, encoding='utf-8')
    expect('sound again', tools.run('--csv', whole)[0] == 0)
    code, out, said = tools.run(whole)
    expect('numbers without --csv: status %d' % code, code == 2 and not out and '--csv %s' % whole in said, said)
    for what, *arguments in (('no history',), ('both', '--csv', whole, whole), ('no order', whole, '--order', 'best'),
                             ('no percent', '--csv', whole, '--confidence', '100'), ('floor', '--csv', whole, '--floor', '0')):
        expect('usage: ' + what, tools.run(*arguments)[0] == 2)
    expect('a folder without files', tools.run(tools.work / 'nothing-here')[0] == 3)


def check_gaps(tools):
    """Nights without runs, values that are missing, a series that is always 0, CRLF and quotes: found all the same."""
    history = made.Made('gaps', nights=60, plan=[('T005', 40, made.NOTHING, 1.25)])
    rng = random.Random(5)
    keep = [i for i, r in enumerate(history.runs) if r[1] % 7 != 3]
    history.runs = [(k,) + history.runs[i][1:] for k, i in enumerate(keep)]
    history.values = [[None if rng.random() < 0.1 else 0.0 if s == 1 else v for s, v in enumerate(history.values[i])] for i in keep]
    folder = pathlib.Path(history.write(tools.work / 'gaps'))
    for name in ('runs.csv', 'series.csv', 'values.csv'):
        text = (folder / name).read_text(encoding='utf-8').replace('\n', '\r\n').replace('game', '"ga""me, too"')
        (folder / name).write_text('\ufeff' + text, encoding='utf-8', newline='')
    code, found, said = tools.rows('--csv', folder)
    expect('gaps: %d' % code, code == 1 and near(found, 'T005', 40, 1.25), said, found)
    expect('a quoted class', [r['class'] for r in found if r['series'] == 'T005'][:1] == ['ga"me, too'])


FREQUENCY, FRAMES, FRAME = 1_000_000, 120, 16_000


def write_capture(tools, path, rng, slow):
    """A capture of 120 frames of 16 ms, with timers of which `Slow` takes 2 ms, or more of it."""
    timers = ['Slow'] + ['Timer%02d' % i for i in range(10)]
    takes = [2000 * slow] + [300 + 60 * i for i in range(10)]
    machine = math.exp(rng.gauss(0, 0.01))
    lines = ['timer %d %s' % (i + 1, name) for i, name in enumerate(timers)] + ['thread 2 GameThread']
    for frame in range(FRAMES):
        at = 1_000_000 + frame * FRAME
        lines.append('F 2 %d' % at)
        end = at + FRAME - 10
        at += 5
        for i, dur in enumerate(takes):
            dur = int(dur * machine * math.exp(rng.gauss(0, 0.02)))
            lines += ['b 2 %d %d' % (at, i + 1), 'e 2 %d' % (at + dur)]
            at += dur + 3
        lines.append('f 2 %d' % end)
    subprocess.run([tools.rewrite, str(path), str(FREQUENCY)], input='\n'.join(lines) + '\n', text=True, check=True)


def check_files(tools):
    """16 captures in the order of their names; from the 11th on one timer takes 30 % more. As captures, as baselines in a
    folder, in one file, and in any order."""
    rng, folder, kept = random.Random(11), tools.work / 'captures', tools.work / 'kept'
    folder.mkdir()
    kept.mkdir()
    for i in range(16):
        path = folder / ('run%02d.utrace' % i)
        write_capture(tools, path, rng, 1.3 if i >= 10 else 1.0)
        for base in (kept / ('run%02d.tkb' % i), tools.work / 'all.tkb'):
            subprocess.run([tools.bin + '/trace-stats', path, '--save', base, '-q'], check=True)
    paths = sorted(folder.iterdir())
    named = ('--order', 'name')
    for what, arguments in (('a folder', [folder]), ('files', paths), ('files in another order', paths[::-1]),
                            ('baselines', [kept]), ('one baseline', [tools.work / 'all.tkb'])):
        refused = tools.run(*arguments)
        expect('%s: without times' % what, refused[0] == 2 and 'has no time of recording' in refused[2] and 'trace-trend --order name|given' in refused[2] and
               not refused[1], refused)
        code, found, said = tools.rows(*named, *arguments)
        expect('%s: status %d' % (what, code), code == 1, said)
        expect('%s: the timer, at the run' % what, near(found, 'timer GameThread Slow', 10, 1.3), found)
        expect('%s: nothing else' % what, {r['series'] for r in found if r['kind'] == 'step'} == {'timer GameThread Slow'}, found)
    expect('the other way round', [r for r in tools.rows('--order', 'given', *paths[::-1])[1]
                                   if r['series'] == 'timer GameThread Slow' and r['night'] == '6' and float(r['ratio']) < 0.8])
    first = {r['series']: float(r['before']) for r in tools.rows(*named, folder)[1]}.get('timer GameThread Slow')
    expect('ms a frame, before', first and abs(first - 2.0) < 0.06, first)
    text = tools.run(*named, folder)[1]
    expect('what is not known is said', 'the runs do not name their machine' in text, text[:700])
    twice = tools.run(*named, folder, paths[0])[1]
    expect('a run twice counts once', '16 runs, from' in twice and 'is given more than once' in twice, twice[:700])
    for run, status in (('run12.utrace', 0), ('run08.utrace', 1), ('captures/run08.utrace', 1), ('08.utrace', 2)):
        expect('since %s' % run, tools.run(*named, folder, '--since', run)[0] == status)
    (folder / 'readme.txt').write_text('no capture')
    code, _, said = tools.run(*named, folder)
    expect('what is no capture lies in a folder: %d' % code, code == 1 and 'readme.txt' in said and 'left out' in said, said)
    expect('and is named', tools.run(folder / 'readme.txt')[0] == 3)


def check_times(tools):
    """Captures that say when they were recorded are in that order, whatever they are called; baselines keep it."""
    captures = sorted((tools.root / 'fixtures' / 'tracy').glob('small-*.tracy'))
    begun = {}
    for path in captures:
        info = subprocess.run([tools.bin + '/trace-stats', path, '-t', 'capture', '-f', 'csv', '-q'], capture_output=True, text=True)
        if info.returncode == 0 and rows.read(info.stdout) and rows.read(info.stdout)[0].get('epoch'):
            begun[str(path)] = float(rows.read(info.stdout)[0]['epoch'])
    expect('captures with a time', len(begun) >= 2, begun)
    for paths in (sorted(begun), sorted(begun, reverse=True)):
        report = json.loads(tools.run('--report', 'json', *paths)[1])
        times = [run['time'] for run in report['runs']]
        expect('in the order of time', times == sorted(times), report['remarks'])
        for run in report['runs']:
            wanted = datetime.datetime.fromtimestamp(begun[run['name']], datetime.timezone.utc)
            wanted = wanted.isoformat(timespec='milliseconds').replace('+00:00', 'Z')
            expect('the time of %s' % run['name'], run['time'] == wanted, run['time'], wanted)


def check_order(tools):
    """What says which run is first: times; of one time a number of the build, or of the name. Else it is not known."""
    captures = sorted((tools.work / 'captures').glob('*.utrace'))[:4]

    def history(name, facts, names=None):
        folder = tools.work / ('order-' + name)
        folder.mkdir()
        for i, (capture, said) in enumerate(zip(captures, facts)):
            words = [w for pair in said for w in ('--run-info', pair)]
            subprocess.run([tools.bin + '/trace-stats', capture, '--save', folder / ((names or 'dbca')[i] + '.tkb'), '-q', *words], check=True)
        return folder

    day = ['time=2026-01-0%d' % i for i in (4, 3, 2, 1)]
    cases = (('times', [(d, 'build=b') for d in day], None, ['a', 'c', 'b', 'd'], 4),
             ('a night', [('time=2026-01-01', 'build=7')] * 2 + [('time=2026-01-02', 'build=8')] * 2, None, ['b', 'd', 'a', 'c'], 2),
             ('builds', [('time=2026-01-01', 'build=CL-%d' % n) for n in (10, 9, 8, 7)], None, ['a', 'c', 'b', 'd'], 4),
             ('numbers', [('time=2026-01-01', 'build=%s' % n) for n in ('w', 'x', 'y', 'z')], ('10', '9', '2', '1'), ['1', '2', '9', '10'], 4),
             ('words', [('time=2026-01-01', 'build=%s' % n) for n in ('w', 'x', 'y', 'z')], None, None, 0),
             ('one without', [(d, 'build=b') for d in day[:3]] + [('build=b',)], None, None, 0))
    for name, facts, names, wanted, nights in cases:
        code, out, said = tools.run(history(name.replace(' ', '-'), facts, names), '--report', 'json')
        if wanted is None:
            expect('order of %s is refused: %d' % (name, code), code == 2 and 'the order of the runs is unknown' in said and not out, said)
            continue
        report = json.loads(out)
        expect('order of %s' % name, [pathlib.Path(r['name']).stem for r in report['runs']] == wanted and
               len({r['night'] for r in report['runs']}) == nights, [(r['name'], r['night']) for r in report['runs']])


def check_faults(tools):
    """A run of a damaged capture is reported, by its name, in the report; the status of the captures is 4."""
    broken = tools.root / 'fixtures' / 'damaged' / 'flip_lz4.utrace'
    code, text, _ = tools.run(broken)
    expect('a damaged capture: status %d' % code, code == 4 and 'note: %s: damaged: ' % broken in text, text)
    expect('one of one', '1 of 1 runs are of captures' in text, text)


def check_width(tools):
    """On a terminal of 80 columns no line is wider."""
    environment = {**os.environ, 'LC_ALL': 'C.UTF-8', 'TERM': 'xterm', 'NO_COLOR': '1', 'COLUMNS': '80', 'PAGER': 'cat'}
    for folder in ('one', 'shared', 'machine', 'few-4', 'gaps'):
        ours, theirs = terminals.opened(80)
        done = subprocess.Popen([tools.bin + '/trace-trend', '--csv', str(tools.work / folder)], stdin=subprocess.DEVNULL,
                                stdout=theirs, env=environment)
        lines = terminals.written(ours, theirs).decode('utf-8').replace('\r\n', '\n').splitlines()
        done.wait()
        expect('a page of %s' % folder, 'How it was tested' in lines and 'To do: ' in ' '.join(lines[:5]), lines[:5])
        wide = [line for line in lines if len(line) > 80]
        expect('%d lines of %s are wider than 80' % (len(wide), folder), not wide, *wide[:3])


def check_accepted(tools):
    """T005 takes 20 % more from night 40 on: accepted it is reported and no alarm, until it is more or the day has come."""
    folder = tools.work / 'status-worse'
    found = [r for r in tools.rows('--csv', folder)[1] if r['alarm'] == '1']
    expect('only T005 alarms', {r['series'] for r in found} == {'T005'}, found)

    def tried(**said):
        path = tools.work / 'accepted.json'
        path.write_text(json.dumps({'accepted': [{'name': 'T005', 'reason': 'new shadows', **said}]}))
        code, text, _ = tools.run('--csv', folder, '--accepted', path, '--report', 'json')
        events = [e for e in json.loads(text)['events'] if e['series'] == 'T005' and 'accepted' in e]
        fault = schema.first_fault(json.loads(text), json.loads((tools.root / 'schemas' / 'trend.schema.json').read_text()))
        expect('the report keeps its schema: %s' % fault, not fault)
        return code, [e['accepted'] for e in events], [e['acceptance'] for e in events]

    for what, said, wanted, accepted in (
            ('all of it', {}, 0, [True]), ('by kind', {'kind': 'timer'}, 0, [True]), ('up to 30 %', {'most': 30}, 0, [True]),
            ('up to 10 %', {'most': 10}, 1, [False]), ('until a day long ago', {'until': '2001-01-01'}, 1, [False]),
            ('since a day to come', {'since': '2999-01-01'}, 1, []), ('another kind', {'kind': 'gpu'}, 1, []),
            ('another name', {'name': 'T006'}, 1, [])):
        code, states, texts = tried(**said)
        expect('accepted, %s: %d %s' % (what, code, states), code == wanted and states == accepted, texts)
        expect('the reason is said: %s' % texts, all('new shadows' in text for text in texts))
    page = tools.run('--csv', folder, '--accepted', tools.work / 'accepted.json')[1]
    expect('the page of what is not accepted', 'Regressed: 1 change for the worse.' in page.splitlines()[:3], page[:200])
    all_of_it = tools.work / 'accepted.json'
    all_of_it.write_text(json.dumps({'accepted': [{'name': 'T005', 'reason': 'new shadows'}]}))
    expect('the page counts what is accepted', '1 accepted' in tools.run('--csv', folder, '--accepted', all_of_it)[1].split('To do: ')[0])
    junit = tools.run('--csv', folder, '--accepted', all_of_it, '--report', 'junit')[1]
    expect('a case is skipped', 'failures="0"' in junit and 'skipped="1"' in junit and '<skipped' in junit and 'new shadows' in junit, junit[:300])
    before = tools.run('--csv', folder, '--report', 'junit')[1]
    expect('no case is lost', re.search('tests="[0-9]+"', junit).group() == re.search('tests="[0-9]+"', before).group())
    rows = [r for r in csv.DictReader(tools.run('--csv', folder, '--accepted', all_of_it, '--report', 'csv')[1].splitlines()) if r['accepted'] == '1']
    expect('csv has it', [r['series'] for r in rows] == ['T005'] and 'new shadows' in rows[0]['acceptance'], rows)
    expect('no file', tools.run('--csv', folder, '--accepted', tools.work / 'nothing.json')[0] in (2, 3))


def check_run_info(tools):
    """What is said of the captures of a history stands in the report; what is said of numbers is refused."""
    paths = sorted((tools.work / 'captures').glob('*.utrace'))[:3]
    report = json.loads(tools.run('--report', 'json', '--order', 'name', '--run-info', 'machine=farm-7', '--run-info', 'build=1234', *paths)[1])
    expect('machine and build', [(r['machine'], r['build']) for r in report['runs']] == [('farm-7', '1234')] * 3, report['runs'])
    expect('not of numbers', tools.run('--csv', tools.work / 'status-worse', '--run-info', 'build=1')[0] == 2)


CHECKS = (check_planted, check_status, check_shared, check_machine, check_drift, check_reports, check_few, check_once, check_bad, check_gaps,
          check_files, check_times, check_order, check_accepted, check_run_info, check_faults,
          check_width)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('--bin', required=True)
    p.add_argument('--rewrite', required=True)
    p.add_argument('root')
    options = p.parse_args()
    with tempfile.TemporaryDirectory() as work:
        for check in CHECKS:
            check(Tools(options, work))
    print('%d faults' % len(FAULTS))
    return 1 if FAULTS else 0


if __name__ == '__main__':
    sys.exit(main())
