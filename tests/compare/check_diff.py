#!/usr/bin/env python3
"""Checks trace-diff, trace-check and trace-stats --save: verdicts, exit codes and reports.

usage: check_diff.py --bin DIRECTORY [--corpus DIRECTORY] [--update] FIXTURES

The two baselines of FIXTURES are runs of two builds whose planted changes are known. With a corpus, captures with
planted regressions are compared too, and what a baseline keeps is checked against the times the program itself noted.
--update writes the golden reports anew.
"""

import argparse
import csv
import fcntl
import io
import json
import os
import pathlib
import pty
import statistics
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / 'fixtures'
HERE = pathlib.Path(__file__).resolve().parent
CHECK_GOLDEN = {'text': 'txt', 'markdown': 'md', 'json': 'json', 'csv': 'csv', 'junit': 'xml', 'github': 'github.txt',
                'sarif': 'sarif'}
GOLDEN = {'text': 'txt', 'markdown': 'md', 'json': 'json', 'csv': 'csv', 'junit': 'xml', 'github': 'github.txt',
          'sarif': 'sarif', 'folded': 'folded'}
failures = []
checks = 0


def check(what, condition):
    global checks
    checks += 1
    if not condition:
        failures.append(what)


class Diff:
    def __init__(self, directory):
        self.diff = os.path.join(os.path.abspath(directory), 'trace-diff')
        self.stats = os.path.join(os.path.abspath(directory), 'trace-stats')

    def run(self, *words):
        return subprocess.run([self.diff, *map(str, words)], capture_output=True)

    def report(self, kind, *words):
        return self.run('--report', kind, *words).stdout.decode()

    def changes(self, *words):
        return json.loads(self.report('json=-', *words))['changes']

    def memory(self, *words):
        """Greatest resident memory of trace-stats, in bytes."""
        process = subprocess.Popen([self.stats, '-q', *map(str, words)])
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        check('status of trace-stats', process.returncode == 0)
        return usage.ru_maxrss * 1024

    def save(self, path, *captures):
        for capture in captures:
            subprocess.run([self.stats, '-q', '--save', str(path), str(capture)], check=True)
        return path


def on_terminal(columns, *words):
    """What a command prints to a terminal."""
    ours, its = pty.openpty()
    process = subprocess.Popen([*map(str, words)], stdout=its, env={**os.environ, 'COLUMNS': str(columns), 'TERM': 'xterm'})
    os.close(its)
    out = b''
    try:
        while piece := os.read(ours, 65536):
            out += piece
    except OSError:     # the other side was closed
        pass
    os.close(ours)
    process.wait()
    return out.decode()


def alarms(changes):
    """(kind, name, verdict) of everything that is said."""
    quiet = ('unchanged', 'inconclusive')
    return {(c['kind'], c['name'], c['verdict']) for c in changes if c['verdict'] not in quiet}


def slower(changes):
    """(kind, name, 'slower') of what takes a tenth more than before, also where two runs cannot tell whether it is noise."""
    reported = ('regressed', 'inconclusive')
    return {(c['kind'], c['name'], 'slower') for c in changes if c['verdict'] in reported and (c['ratio'] or 0) > 1.1}


def check_fixtures(d, a, b):
    """One run of each build: the greatest changes are found, the report says that runs are few."""
    found = alarms(d.changes(a, b))
    for wanted in (('timer', 'Streaming.Flush', 'regressed'), ('timer', 'Legacy.Sense', 'removed'), ('timer', 'Subsystem.Inventory', 'added'),
                   ('timer', 'Camera.Update', 'renamed')):
        check('fixtures: %s %s is %s' % wanted, wanted in found)
    check('fixtures: small timers are left alone', not any(n == 'UI.HitTest' for _, n, _ in found))
    check('a run against itself says nothing', not alarms(d.changes(a, a)))
    check('the method is told', 'tested on frames only' in d.report('text', a, b))


def check_codes(d, a, b, folder):
    empty, text, cut, newer = (folder / n for n in ('empty.tkb', 'text.tkb', 'cut.tkb', 'newer.tkb'))
    data = a.read_bytes()
    empty.write_bytes(b'')
    text.write_text('no capture\n')
    cut.write_bytes(data[:len(data) // 2])
    newer.write_bytes(data[:8] + b'\x63' + data[9:])
    flipped = folder / 'flipped.tkb'
    flipped.write_bytes(data[:3000] + bytes([data[3000] ^ 1]) + data[3001:])
    tiny, header = (FIXTURES / 'tiny.utrace').read_bytes(), folder / 'header.utrace'
    header.write_bytes(tiny[:8 + int.from_bytes(tiny[4:6], 'little')])
    frameless = FIXTURES / 'coroutine.utrace'
    for words, code, said in (((a, b), 1, b''), ((a, frameless), 4, b'have no frames'), ((header, a), 4, b'empty recording'),
                              ((a, FIXTURES / 'tiny.utrace'), 2, b"has the application 'TinyApp'"),
                              ((folder / 'none', a), 3, b''), ((a, a), 0, b''), ((a,), 2, b'which baseline'),
                              ((a, '--vs', b, b), 2, b'twice'), ((a, b, '--vs'), 2, b"'--vs' needs operands"),
                              ((a, b, '-o', folder / 'x'), 2, b"'--output' is for presets"), ((a, b, '-t', 'zones'), 2, b"'--table' is for presets"),
                              *(((FIXTURES / 'tiny.utrace', frameless, '--preset', 'tracy', *words), 2, b"'%s' is for verdicts" % words[0].encode())
                                for words in (('--region', 'A'), ('--frames', '1-2'), ('--report', 'json'), ('--map', folder / 'm'), ('--drop-warmup',))),
                              *(((a, b, *mode, *words), 2, b"'%s' is for" % words[0].encode()) for mode in (('--memory',), ('--samples',))
                                for words in (('--require-verdict',), ('--report', 'json'), ('--noise', a), ('--allow-short',), ('--per', 'X'),
                                              ('--table', 'zones'), ('--top', '1'), ('--run-info', 'a=b'))),
                              ((a, b, '--preset', 'tracy', '--memory'), 2, b"'--memory' is for"),
                              ((a, b, '--memory=bogus'), 2, b"'--memory' does not take 'bogus'"),
                              ((empty, text, '--skip-unreadable'), 3, b'none of the runs'), ((a, text, '--skip-unreadable'), 3, b'none of the runs'),
                              ((text, a, '--vs', text, a, '--skip-unreadable'), 0, b''), ((a, folder / 'missing'), 3, b'missing'),
                              ((a, empty), 3, b''), ((a, text), 3, b''), ((a, cut), 3, b'cut off'),
                              ((a, newer), 3, b'version'), ((a, flipped), 3, b'checksum'),
                              ((a, b, '--noise', a), 2, b'noise'), ((a, b, '--report', 'nothing'), 2, b'report'),
                              ((a, b, '--frames', '1-5'), 2, b'does not store'),
                              ((a, b, '--warmup', '100000'), 2, b'warm-up'),
                              ((a, a, '--require-verdict'), 4, b'no verdict: a run is on both sides')):
        done = d.run(*words)
        name = ' '.join(getattr(w, 'name', w) for w in words)
        check('%s: exit code %d, not %d' % (name, code, done.returncode), done.returncode == code)
        check('%s: says "%s": %s' % (name, said.decode(), done.stderr), said in done.stderr)
        check('%s: no report with a failure' % name, code < 2 or b'no verdict' in done.stderr or not done.stdout)


SCALES = {'s': 1e3, 'ms': 1, 'us': 1e-3, 'ns': 1e-6}


def check_page(d, a, b, text, changes):
    """The page on terminals: nothing beyond their end, the same words, figures in columns and equal to those of JSON."""
    for columns in (60, 80, 120):
        page = on_terminal(columns, d.diff, '--color', 'never', '--no-pager', a, b)
        if '\x1b' in page:      # not the page but what Wine draws of its console of 80 columns
            return
        lines = page.splitlines()
        check('%d columns: %s' % (columns, max(lines, key=len)), max(map(len, lines)) <= columns)
        other = [pair for pair in zip(page.split(), text.split()) if pair[0] != pair[1]]
        check('%d columns: the same words: %s' % (columns, other[:3]), columns < 72 or page.split() == text.split())
        ends = {(line.index(' before') + 7, line.index(' after') + 6) for line in lines if ' before' in line and ' after' in line}
        check('%d columns: titles one below the other' % columns, len(ends) == 1)
    for change in changes:
        if change['verdict'] != 'regressed' or change['unit'] != 'ms/frame':
            continue
        line = next(line for line in lines if line.startswith('  ') and line.split()[:1] == [change['name']])
        words = line[max(ends)[1] - 22:max(ends)[1]].split()
        for value, unit, wanted in ((words[0], words[1], change['baseline']), (words[2], words[3], change['candidate'])):
            check('page: %s' % line, abs(float(value) * SCALES[unit] / wanted - 1) < 1e-3)


def check_reports(d, a, b, folder, update):
    kinds = {k: d.report(k, '--color', 'never', a, b) for k in GOLDEN}
    for kind, text in kinds.items():
        path = HERE / 'golden' / ('diff.' + GOLDEN[kind])
        if update:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        check('golden report %s' % kind, path.read_text() == text)
    changes = json.loads(kinds['json'])['changes']
    check_page(d, a, b, kinds['text'], changes)
    worse = [c for c in changes if c['verdict'] == 'regressed']
    suite = xml.etree.ElementTree.fromstring(kinds['junit'])[0]
    check('junit: failures', int(suite.get('failures')) == len(worse) == len(suite.findall('*/failure')))
    check('junit: tests', int(suite.get('tests')) == len(suite.findall('testcase')))
    sarif = json.loads(kinds['sarif'])
    rules = {r['id'] for r in sarif['runs'][0]['tool']['driver']['rules']}
    check('sarif: version', sarif['version'] == '2.1.0')
    check('sarif: results', len(sarif['runs'][0]['results']) == len(worse))
    check('sarif: rules', all(r['ruleId'] in rules for r in sarif['runs'][0]['results']))
    rows = list(csv.DictReader(io.StringIO(kinds['csv'])))
    check('csv: rows', [(r['kind'], r['name'], r['verdict']) for r in rows] ==
          [(c['kind'], c['name'], c['verdict']) for c in changes])
    check('github: errors', sum(x.startswith('::error ') for x in kinds['github'].splitlines()) == 1 + len(worse))
    out = folder / 'out.md'
    out.write_text('of last night')
    done = d.run('--report', 'json', '--report', 'markdown=%s' % out, a, b)
    check('several reports', json.loads(done.stdout)['changes'] == changes and out.read_text() == kinds['markdown'])
    check('reports do not depend on jobs', d.report('json', '-j', '1', a, b) == kinds['json'])


def packets(data):
    """(offset, size, thread) of each packet of a capture."""
    at, found = 4 + 2 + int.from_bytes(data[4:6], 'little') + 2, []
    while at + 4 <= len(data):
        size, thread = int.from_bytes(data[at:at + 2], 'little'), int.from_bytes(data[at + 2:at + 4], 'little')
        found.append((at, size, thread))
        at += size
    return found


def without_packet(d, whole, found, path):
    """The capture without a packet that holds whole events, so that only their numbers are missing."""
    for at, size, _ in found:
        path.write_bytes(whole[:at] + whole[at + size:])
        said = subprocess.run([d.stats, str(path), '--strict-loss'], capture_output=True)
        if b'were lost' in said.stderr and said.returncode == 4:
            return path.read_bytes()
    raise ValueError('no packet of whole events')


def broken_captures(d, folder):
    """One capture with damage, one that lost a packet, and one that is cut off: (path, the word of reports, kind of fault)."""
    whole = subprocess.run(['zstd', '-dcq', str(FIXTURES / 'game.utrace.zst')], check=True, stdout=subprocess.PIPE).stdout
    all_packets = packets(whole)
    middle = [p for p in all_packets[len(all_packets) // 2:] if 2 <= p[2] & 0x3fff < 0x3000 and p[2] & 0x8000 and p[1] > 500]
    at, size, thread = middle[0]
    made = (('damaged', 'packet_damaged', whole[:at + 4] + b'\1\0' + whole[at + 6:]),
            ('lost events', 'events_lost', without_packet(d, whole, middle, folder / 'tried.utrace')),
            ('cut off', 'file_truncated', whole[:-100]))
    for word, kind, data in made:
        path = folder / ('%s.utrace' % word.replace(' ', '-'))
        path.write_bytes(data)
        yield path, word, kind


def check_faults(d, folder):
    """Whatever trace-stats warns of stands in every report, alongside the verdicts, and in baselines."""
    game = FIXTURES / 'game.utrace.zst'
    said = {'damaged': 'is damaged', 'lost events': 'lost events', 'cut off': 'is cut off'}
    budget = folder / 'faults-budget.json'
    budget.write_text(json.dumps({'budgets': [{'kind': 'frame', 'name': 'p95', 'error': 1000}]}))
    command = d.diff.replace('trace-diff', 'trace-check')
    for path, word, kind in broken_captures(d, folder):
        warned = subprocess.run([d.stats, str(path)], capture_output=True)
        check('%s: trace-stats warns: %s' % (word, warned.stderr), b'the capture' in warned.stderr)
        kept = folder / (path.stem + '.tkb')
        subprocess.run([d.stats, '-q', '--save', str(kept), str(path)])
        for run in (path, kept):
            for words in ([d.diff, game, run], [command, run, '--budget', budget], [d.diff.replace('-diff', '-trend'), run]):
                strict = subprocess.run([*map(str, words), '-q', '--strict-loss'], capture_output=True).returncode
                check('%s: %s with --strict-loss: %d' % (word, words, strict), word != 'lost events' or strict == 4)
            for report in ('text', 'markdown', 'github', 'junit', 'sarif', 'csv') if run == path else ('text',):
                for words in ([d.diff, '--report', report, game, run], [command, '--report', report, run, '--budget', budget]):
                    text = subprocess.run(list(map(str, words)), capture_output=True).stdout.decode()
                    rows = len(text.splitlines()) > 1 if report == 'csv' else True
                    wanted = word if report in ('csv', 'junit', 'sarif') else said[word]
                    check('%s of %s says "%s": %s' % (report, pathlib.Path(run).name, wanted, text[:300]), wanted in text or not rows)
            for words in ([d.diff, '--report', 'json', game, run], [command, '--report', 'json', run, '--budget', budget]):
                reported = json.loads(subprocess.run(list(map(str, words)), capture_output=True).stdout)
                check('json of %s' % pathlib.Path(run).name, reported['captures'] == word and kind in [f['kind'] for f in reported['faults']])
    reported = json.loads(d.report('json', game, game))
    check('a sound capture', reported['captures'] == 'sound' and reported['faults'] == [])


def check_map(d, a, b, folder):
    """A map of names: what was renamed is compared as one timer, whose planted change is none."""
    path = folder / 'map.json'
    renamed = next(c for c in d.changes(a, b) if c['name'] == 'Camera.Update')
    check('map: without it a timer is renamed', renamed['verdict'] == 'renamed')

    def run(names, *words):
        path.write_text(names if isinstance(names, str) else json.dumps(names))
        return d.run('--report', 'json=-', '--map', path, *words)

    changes = json.loads(run({'timers': {'Camera.Update': 'View.Update'}}, a, b).stdout)['changes']
    check('map: the timer is there once', [c['verdict'] for c in changes if c['name'] in ('Camera.Update', 'View.Update')] == ['unchanged'])
    others = {x for x in alarms(d.changes(a, b)) if x[1] not in ('Camera.Update', 'View.Update')}
    check('map: other alarms are the same: %s' % (others ^ alarms(changes)), alarms(changes) == others)
    threads = json.loads(run({'threads': {'RenderThread': 'Drawing'}}, a, b).stdout)['changes']
    check('map: threads', {c['verdict'] for c in threads if c.get('thread') == 'Drawing'} == {'removed'})
    for names, said in (('{', b'not JSON'), ('{} {}', b'more than one JSON'), ({}, b'no names'), ({'timer': {}}, b"'timer'"), ({'timers': []}, b'not an object'),
                        ({'timers': {'Lighting': 1}}, b"'Lighting'"), ({'timers': {'Lighting': ''}}, b"'Lighting'"),
                        ({'timers': {'Lightning': 'Lighting'}}, b"timer 'Lightning'"),
                        ({'threads': {'Nobody': 'Lighting'}}, b"thread class 'Nobody'"),
                        ({'timers': {'Lighting': 'BasePass'}}, b'two timers the same name')):
        done = run(names, a, b)
        check('map %s: %d %s' % (names, done.returncode, done.stderr), done.returncode == 2 and said in done.stderr and not done.stdout)
    check('map: a file that is not there', d.run('--map', folder / 'nowhere.json', a, b).returncode == 3)


def check_budgets(d, a, b, folder):
    """Budgets by hand: the truth of run a has Lighting at 0.52 ms a frame and a 95th percentile of 16.67 ms."""
    command = d.diff.replace('trace-diff', 'trace-check')

    def run(budget, *runs):
        path = folder / 'budget.json'
        path.write_text(budget if isinstance(budget, str) else json.dumps(budget))
        return subprocess.run([command, *map(str, runs), '--budget', str(path), '--report', 'json'],
                              capture_output=True)

    def lighting(**limits):
        return {'budgets': [{'kind': 'timer', 'name': 'Lighting', 'thread': 'RenderThread', **limits}]}

    for limits, runs, code, verdict in (({'error': 0.55}, (a,), 0, 'passed'), ({'error': 0.55}, (b,), 1, 'error'),
                                        ({'error': 0.55}, (a, b), 1, 'error'),
                                        ({'warning': 0.55, 'error': 0.7}, (b,), 0, 'warning'),
                                        ({'warning': 0.5}, (a,), 0, 'warning')):
        done = run(lighting(**limits), *runs)
        check('budget %s: exit code %d' % (limits, done.returncode), done.returncode == code)
        check('budget %s: verdict' % limits, json.loads(done.stdout)['budgets'][0]['verdict'] == verdict)
    frame = json.loads(run({'budgets': [{'kind': 'frame', 'name': 'p95', 'error': 17}]}, a).stdout)['budgets'][0]
    check('budget: p95 %s' % frame['value'], abs(frame['value'] - 16.667) < 0.01)
    for budget, said in (('{', b'not JSON'), ('{}', b'no list'), (json.dumps(lighting(error=1)) + ' x', b'more than one JSON'), ({'budgets': []}, b'no list'),
                         ({'budgets': [{'kind': 'timers', 'error': 1}]}, b'kind'), (lighting(), b'neither'),
                         (lighting(error='1'), b'not a number'), (lighting(error=1, limit=2), b"'limit'"), (lighting(error=1, region=7), b'not a string'),
                         ({'budgets': [{'kind': 'path', 'name': 'A', 'error': 1}]}, b'kind'),
                         ({'budgets': [{'kind': 'frame', 'name': 'p', 'error': 1}]}, b"no frame 'p'; there are max"),
                         ({'budgets': [{'kind': 'frame', 'name': 'Lighting.', 'error': 1}]}, b"no frame 'Lighting.'; there are max"),
                         ({'budgets': [{'kind': 'frame', 'name': 'p95', 'thread': 'GameThread', 'error': 1}]}, b"no 'thread'"),
                         ({'budgets': [{'kind': 'hitches', 'name': 'Lighting', 'error': 1}]}, b"no 'name'"),
                         ({'budgets': [{'kind': 'frame', 'name': 'p100', 'error': 1}]}, b"no frame 'p100'")):
        done = run(budget, a)
        check('budget %s: %s' % (budget, done.stderr), done.returncode == 2 and said in done.stderr)
        check('budget %s: no verdict' % budget, not done.stdout)
    for budget, said in ((lighting(error=1, region='Fight'), b"region 'Fight'"),
                         ({'budgets': [{'kind': 'timer', 'name': 'Lightning', 'error': 1}]}, b"no timer 'Lightning'")):
        done = run(budget, a)
        check('budget %s: %s' % (budget, done.stderr), done.returncode == 4 and said in done.stderr)
        check('budget %s: missing' % budget, json.loads(done.stdout)['budgets'][0]['verdict'] == 'missing')
    proposal = folder / 'proposal.json'
    subprocess.run([command, str(a), '--write-budget', str(proposal)], check=True)
    check('what is proposed is kept', run(proposal.read_text(), a).returncode == 0)
    limits = {}
    for margin in ('0', '5'):
        subprocess.run([command, str(a), '--write-budget', str(proposal), '--margin', margin, '--force'], check=True)
        limits[margin] = [x['error'] for x in json.loads(proposal.read_text())['budgets']]
        check('what is proposed with a margin of %s is kept' % margin, run(proposal.read_text(), a).returncode == 0)
    check('a margin of 0 is less than one of 5', all(x * 1.045 < y < x * 1.055 for x, y in zip(*limits.values()) if x > 0.1))
    text = folder / 'text.utrace'
    text.write_text('no capture')
    for words, code, said in (((a, '--write-budget', proposal, '--report', 'json'), 2, b"'--report' is for budgets"),
                              ((a, '--write-budget', proposal, '--margin', '-1'), 2, b"'--margin' takes a number from 0 on"),
                              ((text, '--write-budget', '-', '--skip-unreadable'), 3, b'none of the runs')):
        done = subprocess.run([command, *map(str, words)], capture_output=True)
        check('%s: %d %s' % (words, done.returncode, done.stderr), done.returncode == code and said in done.stderr and not done.stdout)


def check_budget_reports(d, b, folder, update):
    """Golden reports of budgets, and their values against those that the program noted itself."""
    command = d.diff.replace('trace-diff', 'trace-check')
    budgets = [{'kind': 'frame', 'name': 'p95', 'warning': 16, 'error': 17}, {'kind': 'hitches', 'error': 600},
               {'kind': 'thread', 'name': 'RenderThread', 'error': 16.5},
               {'kind': 'timer', 'name': 'Lighting', 'thread': 'RenderThread', 'warning': 0.5, 'error': 0.55},
               {'kind': 'timer', 'name': 'Streaming.Flush', 'error': 1}, {'kind': 'log', 'error': 0}]
    path = folder / 'golden-budget.json'
    path.write_text(json.dumps({'budgets': budgets}))
    reports = {}
    for kind, suffix in CHECK_GOLDEN.items():
        done = subprocess.run([command, '--color', 'never', str(b), '--budget', str(path), '--report', kind],
                              capture_output=True)
        check('budget report %s: exit code %d' % (kind, done.returncode), done.returncode == 1)
        reports[kind] = done.stdout.decode()
        golden = HERE / 'golden' / ('check.' + suffix)
        if update:
            golden.write_text(reports[kind])
        check('golden report of budgets: %s' % kind, golden.read_text() == reports[kind])
    broken = on_terminal(60, command, '--color', 'never', '--no-pager', b, '--budget', path)
    if '\x1b' not in broken:    # else what Wine draws of its console
        check('budgets on a terminal of 60 columns: %s' % broken, max(map(len, broken.splitlines())) <= 60)
        check('budgets on a terminal: the same words', broken.split() == reports['text'].split())
    rows = {(r['kind'], r['name']): r for r in json.loads(reports['json'])['budgets']}
    # what the program noted of this run
    for key, wanted in ((('frame', 'p95'), 16.6678), (('timer', 'Lighting'), 0.586468), (('timer', 'Streaming.Flush'), 0.416571)):
        check('budget %s: %s, not %s' % (key, rows[key]['value'], wanted), abs(rows[key]['value'] / wanted - 1) < 1e-4)


def check_budget_places(d, corpus, folder):
    """Budgets of a capture with planted hitches: values and places against the truth; regions; all kinds of reports."""
    command = d.diff.replace('trace-diff', 'trace-check')
    slow = corpus / 'utrace' / 'game_slow.utrace'
    truth = json.loads((corpus / 'utrace' / 'game_slow.regressions.json').read_text())
    worst = max(truth['hitch_frames'], key=lambda f: f['cycles'])
    ms = worst['cycles'] / truth['frequency'] * 1e3
    budgets = {'budgets': [
        {'kind': 'frame', 'name': 'max', 'error': ms - 1}, {'kind': 'frame', 'name': 'p99.9', 'warning': ms - 5, 'error': ms + 5},
        {'kind': 'hitches', 'error': 10}, {'kind': 'loading', 'error': 1e6}, {'kind': 'memory', 'name': 'all allocations', 'error': 1e3},
        {'kind': 'thread', 'name': 'GameThread', 'error': 100},
        {'kind': 'timer', 'name': 'UInventorySubsystem::RebuildCache', 'thread': 'RenderThread', 'region': 'Combat 0', 'error': 0.1},
        {'kind': 'timer', 'name': 'UInventorySubsystem::RebuildCache', 'region': 'Combat *', 'error': 0.1}]}
    path = folder / 'places.json'
    path.write_text(json.dumps(budgets))

    def run(kind, code=1, more=()):
        done = subprocess.run([command, str(slow), '--budget', str(path), '--report', kind, *more], capture_output=True)
        check('budget places: %s: exit code %d: %s' % (kind, done.returncode, done.stderr), done.returncode == code)
        return done.stdout.decode()

    check('a region where a timer is not', json.loads(run('json'))['budgets'][6]['verdict'] == 'missing')
    del budgets['budgets'][6]
    path.write_text(json.dumps(budgets))
    got = json.loads(run('json'))['budgets']
    check('max: value %s' % got[0]['value'], abs(got[0]['value'] - ms) < 1e-3)
    check('max: frame %s' % got[0]['frames'], got[0]['frames'] == [worst['game_frame']] * 2 and got[0]['thread'] == 'GameThread')
    out = subprocess.run([d.stats, '-q', str(slow), '-t', 'frames', '--format', 'csv'], stdout=subprocess.PIPE, check=True).stdout.decode()
    begin = next(f for f in csv.DictReader(io.StringIO(out)) if f['type_id'] == '0' and int(f['frame']) == worst['game_frame'])['start']
    check('max: time %s' % got[0]['time_ms'], abs(got[0]['time_ms'] - int(begin) / 1e6) < 1e-3)
    check('verdicts: %s' % [g['verdict'] for g in got],
          [g['verdict'] for g in got] == ['error', 'warning', 'error', 'passed', 'error', 'passed', 'error'])
    # 0.2995 ms a frame in every frame (frame 0 to 599); the fights are the frames 60 to 110 and so on
    check('region: value %s' % got[6]['value'], abs(got[6]['value'] - 0.2995) < 0.01 and got[6]['frames'][0] >= 60)
    # runs that were cut to the region before are cut to it once more: the same verdicts, at the same places
    path.write_text(json.dumps({'budgets': budgets['budgets'][6:]}))
    check('region: in runs that are cut to it', json.loads(run('json', more=['--region', 'Combat *']))['budgets'] == got[6:])
    path.write_text(json.dumps(budgets))
    suite = xml.etree.ElementTree.fromstring(run('junit'))[0]
    check('junit of budgets', int(suite.get('tests')) == 7 and int(suite.get('failures')) == 4 == len(suite.findall('*/failure')))
    sarif = json.loads(run('sarif'))['runs'][0]['results']
    check('sarif of budgets', [r['level'] for r in sarif] == ['error', 'warning', 'error', 'error', 'error'])
    check('github of budgets', sum(x.startswith('::error ') for x in run('github').splitlines()) == 1 + 4)
    check('csv of budgets', [r['verdict'] for r in csv.DictReader(io.StringIO(run('csv')))] == [g['verdict'] for g in got])
    lines = run('markdown')
    check('markdown of budgets', lines.count('\n| ') - lines.count('\n| budget |') == 7)


def check_memory_places(d, corpus, folder):
    """Where allocations are most, of a run and of a region: against what is alive at the ends of frames."""
    command = d.diff.replace('trace-diff', 'trace-check')
    slow = corpus / 'utrace' / 'game_slow.utrace'
    path = folder / 'memory-places.json'
    budget = {'kind': 'memory', 'name': 'all allocations', 'error': 1e3}
    path.write_text(json.dumps({'budgets': [budget, {**budget, 'region': 'Combat 1'}]}))
    out = subprocess.run([command, '-q', str(slow), '--budget', str(path), '--report', 'json'], stdout=subprocess.PIPE).stdout
    whole, region = json.loads(out)['budgets']
    out = subprocess.run([d.stats, '-q', str(slow), '-t', 'frames', '--format', 'csv'], stdout=subprocess.PIPE, check=True).stdout.decode()
    ends = [f['end'] for f in csv.DictReader(io.StringIO(out)) if f['type_id'] == '0']

    def alive(frame):
        out = subprocess.run([d.stats, '-q', str(slow), '-t', 'memory', '--at', ends[frame] + 'ns', '--format', 'csv'],
                             stdout=subprocess.PIPE, check=True).stdout.decode()
        return int(next(r for r in csv.DictReader(io.StringIO(out)) if r['by'] == 'total')['alive_bytes'])

    first, last = region['frames']
    mean = statistics.fmean(alive(f) for f in range(first, last + 1))
    check('memory of a region: %s, not %s' % (region['value'], mean), abs(region['value'] / mean - 1) < 1e-6)
    check('memory of a region: frames %s' % region['frames'], 150 <= first <= last <= 220)
    first, last = whole['frames']
    here, elsewhere = min(alive(first), alive(last)), [alive(f) for f in range(40, 600, 80) if f < first or f > last]
    check('memory: %s alive in frames %s, and %s' % (here, whole['frames'], elsewhere), here >= max(elsewhere))


def check_segments(d, corpus, folder):
    """Regions, warm-up and bookmarks: a baseline says of a region what its capture says, and what it does not hold."""
    game, slow = corpus / 'utrace' / 'game.utrace', corpus / 'utrace' / 'game_slow.utrace'
    base = d.save(folder / 'segments.tkb', game)
    # of single runs, so that a change by less than a factor of 1.5 is found and not certain
    wanted = {('timer', n, 'slower') for n in ('UCharacterMovementComponent::PerformMovement', 'FAnimInstanceProxy::EvaluateAnimation',
                                                  'FDeferredShadingSceneRenderer::RenderShadowDepthMaps')}
    for words in (('--region', 'Combat *'), ('--drop-warmup',), ('--region', 'Combat 0', '--region', 'Combat 3')):
        changes = d.changes(*words, game, slow)
        check('%s: a baseline is as good as its capture' % (words,), d.changes(*words, base, slow) == changes)
        check('%s: planted timers: %s' % (words, slower(changes)), wanted <= slower(changes))
        check('%s: against itself' % (words,), not alarms(d.changes(*words, base, game)))
    # the region's own times against the scopes that begin and end in it, summed by the table of scopes
    region = next(c for c in d.changes('--region', 'Combat 1', game, game)
                  if c['kind'] == 'timer' and c['name'] == 'UCharacterMovementComponent::PerformMovement')
    out = subprocess.run([d.stats, '-q', str(game), '-t', 'frames', '--region', 'Combat 1', '--format', 'csv'],
                         stdout=subprocess.PIPE, check=True).stdout.decode()
    inside = subprocess.run([d.stats, '-q', str(game), '-t', 'regions', '--region', 'Combat 1', '--format', 'csv'],
                            stdout=subprocess.PIPE, check=True).stdout.decode()
    mark = next(csv.DictReader(io.StringIO(inside)))
    frames = [f for f in csv.DictReader(io.StringIO(out))
              if f['type_id'] == '0' and int(mark['start']) <= int(f['start']) < int(mark['end'])]
    span = ['--from', frames[0]['start'] + 'ns', '--to', frames[-1]['end'] + 'ns']
    out = subprocess.run([d.stats, '-q', str(game), '-t', 'timers', *span, '--format', 'csv'], stdout=subprocess.PIPE, check=True).stdout.decode()
    timer = next(t for t in csv.DictReader(io.StringIO(out)) if t['timer'] == 'UCharacterMovementComponent::PerformMovement')
    ms = int(timer['excl']) / 1e6 / len(frames)
    check('region: own time %s, not %s' % (region['baseline'], ms), abs(region['baseline'] / ms - 1) < 0.001)
    check('region: calls', abs(region['calls_per_frame'][0] - int(timer['count']) / len(frames)) < 0.01)
    marked = slower(d.changes('--from-bookmark', 'Wave 1*', '--to-bookmark', 'Wave 3*', game, slow))
    check('bookmarks: %s' % marked, ('timer', 'UCharacterMovementComponent::PerformMovement', 'slower') in marked)
    for words, said in (((base, slow, '--region', 'Peace'), b"stores no region 'Peace'"),
                        ((game, slow, '--region', 'Peace'), b"stores no region 'Peace'"),
                        ((base, slow, '--from-bookmark', 'Wave 1*'), b'does not store this selection'),
                        ((game, slow, '--from-bookmark', 'Nothing'), b"no bookmark 'Nothing'"),
                        ((base, slow, '--from', '1s'), b'does not store this selection'),
                        ((FIXTURES / 'baseline-v1-a.tkb', slow, '--drop-warmup'), b'warm-up')):
        done = d.run(*words)
        check('%s: %s' % (words, done.stderr), done.returncode == (4 if said == b'warm-up' else 2) and said in done.stderr and not done.stdout)


def check_selected(d, folder):
    """Runs of a part of a capture: the same saved as read, their regions as those of the whole run, frames by their numbers."""
    command, game = d.diff.replace('trace-diff', 'trace-check'), FIXTURES / 'game.utrace.zst'
    part = folder / 'part.tkb'
    subprocess.run([d.stats, '-q', str(game), '--save', str(part), '--region', 'Combat *'], check=True)
    changes = d.changes('--region', 'Combat *', part, game)
    check('regions saved: %s' % alarms(changes), not alarms(changes))
    path = folder / 'selected.json'

    def values(budgets, *words):
        path.write_text(json.dumps({'budgets': budgets}))
        out = subprocess.run([command, '-q', *map(str, words), '--budget', str(path), '--report', 'json'], stdout=subprocess.PIPE).stdout
        return json.loads(out)['budgets']

    budgets = [{'kind': k, 'name': n, 'region': 'Combat %d' % i, 'error': 1e-6}
               for k, n in (('timer', 'FAnimNode_BlendSpacePlayer::Update'), ('counter', 'Game/Actors')) for i in (0, 1, 4)]
    for saved, read in zip(values(budgets, part), values(budgets, game)):
        check('regions saved: %s %s of %s: %s, not %s' % (saved['kind'], saved['name'], saved['region'], saved['value'], read['value']),
              abs(saved['value'] / read['value'] - 1) < 1e-4)
    out = subprocess.run([d.stats, '-q', str(game), '-t', 'frames', '--format', 'csv'], stdout=subprocess.PIPE, check=True).stdout.decode()
    frames = [f for f in csv.DictReader(io.StringIO(out)) if f['type_id'] == '0' and 300 <= int(f['frame']) <= 400]
    worst = max(frames, key=lambda f: int(f['end']) - int(f['start']))
    saved = folder / 'frames.tkb'
    subprocess.run([d.stats, '-q', str(game), '--save', str(saved), '--frames', '300-400'], check=True)
    for words in ((game, '--frames', '300-400'), (saved,)):
        got, = values([{'kind': 'frame', 'name': 'max', 'error': 1}], *words)
        check('%s: frame %s at %s' % (words, got['frames'], got['time_ms']),
              got['frames'] == [int(worst['frame'])] * 2 and abs(got['time_ms'] - int(worst['start']) / 1e6) < 1e-3)


def check_save_refuses(d, a, folder):
    """What cannot be saved is said, and no file comes of it."""
    path, tiny = folder / 'refused.tkb', FIXTURES / 'tiny.utrace'
    for words, said in (((a, '--region', 'Combat *'), b'does not store this selection'), ((a, '--frames', '1-2'), b'does not store this selection'),
                        ((a, '--thread', 'GameThread'), b'does not store this selection'), ((a, '--to', '1s'), b'does not store this selection'),
                        ((tiny, '--timer', '*'), b"'--timer'"), ((tiny, '--region', 'Nope'), b"'Nope'"), ((tiny, '--thread', 'Nope'), b"'Nope'")):
        done = subprocess.run([d.stats, '-q', '--save', str(path), *map(str, words)], capture_output=True)
        check('save %s: %d: %s' % (words, done.returncode, done.stderr), done.returncode == 2 and said in done.stderr and not path.exists())


def check_saved_together(d, folder):
    """Processes that save to one file at a time: no run is lost, whether the file was there before or not, and one that
    holds its lock is waited for."""
    captures = [FIXTURES / name for name in ('tiny-ue5.0.utrace', 'tiny-ue5.1.utrace', 'net.utrace', 'tracy/crash-0.9.1.tracy',
                                             'tracy/crash-0.11.1.tracy', 'tracy/crash-0.12.2.tracy')]
    first, path = d.save(folder / 'first.tkb', FIXTURES / 'tiny.utrace'), folder / 'together.tkb'
    for there in (False, True, False, True):
        path.unlink(missing_ok=True)
        if there:
            path.write_bytes(first.read_bytes())
        with open(first if not there else path, 'rb') as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            saving = [subprocess.Popen([d.stats, '-q', '--save', str(path), str(capture)]) for capture in captures]
            time.sleep(0.2 if there else 0)
            check('the lock of a baseline holds', not there or path.read_bytes() == first.read_bytes())
        codes = [process.wait() for process in saving]
        done = subprocess.run([d.diff, '-q', str(path), str(path), '--mixed', '--allow-short', '--report', 'json'], capture_output=True)
        runs = json.loads(done.stdout)['runs']['baseline'] if done.stdout else 0
        check('saved together: %s, %d runs' % (codes, runs), not any(codes) and runs == len(captures) + there)


def check_lost_regions(d, corpus, folder):
    """More names of regions than a run has space for: it is said where a pattern may mean them, and saving a part has all."""
    command, many = d.diff.replace('trace-diff', 'trace-check'), corpus / 'tracy' / 'dict-0.14.0.tracy'
    out = subprocess.run([d.stats, '-q', str(many), '-t', 'regions', '--format', 'csv'], stdout=subprocess.PIPE, check=True).stdout.decode()
    regions = {r['name'] for r in csv.DictReader(io.StringIO(out))}
    lost = b'no room for %d names' % (len(regions) - 24)
    path, saved = folder / 'lost.json', folder / 'lost.tkb'
    budget = {'kind': 'frame', 'name': 'max', 'error': 1e6}
    for where, words, said in (({}, (), False), ({}, ('--region', 'level *'), True), ({'region': 'level *'}, (), True)):
        path.write_text(json.dumps({'budgets': [{**budget, **where}]}))
        done = subprocess.run([command, str(many), '--budget', str(path), *words], capture_output=True)
        check('lost regions: %s %s: %s' % (where, words, done.stderr), done.returncode == 0 and (lost in done.stderr) == said)
    check('lost regions: compared', lost in d.run(many, many, '--region', 'level *').stderr)
    check('lost regions: quiet', not d.run('-q', many, many, '--region', 'level *').stderr)
    subprocess.run([d.stats, '-q', str(many), '--save', str(saved), '--region', 'level *'], check=True)
    check('lost regions: a part that was saved', not d.run(saved, saved).stderr)


def brute_paths(d, game):
    """Own time of each path of calls, in ns, from the table of scopes: inside of whole frames."""
    out = subprocess.run([d.stats, '-q', str(game), '-t', 'frames', '--format', 'csv'], stdout=subprocess.PIPE, check=True).stdout.decode()
    frames = [f for f in csv.DictReader(io.StringIO(out)) if f['type_id'] == '0' and f['end']]
    first, last = int(frames[0]['start']), int(frames[-1]['end'])
    out = subprocess.run([d.stats, '-q', str(game), '-t', 'scopes', '--format', 'csv'], stdout=subprocess.PIPE, check=True).stdout.decode()
    rows = list(csv.DictReader(io.StringIO(out)))
    path, own, sums = {}, {}, {}
    rows.sort(key=lambda r: int(r['scope_id']))
    for r in rows:
        key, above = (r['thread_id'], r['scope_id']), (r['thread_id'], r['parent_id'])
        path[key] = path[above] + (r['timer'],) if above in path else (r['timer'],)
        own[key] = own.get(key, 0) + int(r['dur'])
        if above in path:
            own[above] = own.get(above, 0) - int(r['dur'])
    for r in rows:
        key = (r['thread_id'], r['scope_id'])
        if r['thread'] == 'GameThread' and first <= int(r['start']) + int(r['dur']) < last:
            sums[path[key]] = sums.get(path[key], 0) + own[key]
    return {';'.join(p): s / len(frames) / 1e3 for p, s in sums.items()}


def check_paths(d, corpus):
    """Folded stacks are the paths that the scopes have."""
    game = corpus / 'utrace' / 'game.utrace'
    wanted = brute_paths(d, game)
    folded = {}
    for line in d.report('folded', game, game).splitlines():
        stack, base, candidate = line.rsplit(' ', 2)
        check('folded: both sides of %s' % stack, base == candidate)
        if stack.startswith('GameThread;'):
            folded[stack.split(';', 1)[1]] = int(base)
    for path, us in folded.items():
        check('folded: %s: %s, not %s' % (path, us, wanted.get(path)), abs(us - wanted.get(path, 0)) <= 0.6)
    large = {p for p, us in wanted.items() if us > 17}  # a thousandth of a frame of 16.67 ms
    check('folded: paths left out: %s' % (large - set(folded)), large <= set(folded) and len(large) > 20)


def check_tracy(d, folder):
    """Captures of the other format on both sides, and what the two formats have in common: no timer."""
    tracy = FIXTURES / 'tracy'
    one, two = tracy / 'small-0.14.0-lz4-j1.tracy', tracy / 'small-0.14.0-zstd22-j255.tracy'
    changes = d.changes('--floor-frame', '0.00001', one, two)
    check('tracy: the same program packed in two ways: %s' % alarms(changes), not alarms(changes))
    check('tracy: enough compared', sum(c['kind'] == 'timer' for c in changes) >= 3)
    check('tracy: a baseline is as good', d.changes('--floor-frame', '0.00001', d.save(folder / 'tracy.tkb', one), two) == changes)
    queue = [c for c in d.changes('--thread', 'Fake GPU queue', one, two) if c['kind'] in ('timer', 'gpu')]
    check('tracy: a queue alone: %s' % queue, queue and {(c['kind'], c['thread']) for c in queue} == {('gpu', 'Fake GPU queue')})
    # the clock of samples of that machine was another: all lie before the first frame (trace-stats --list of their times)
    crashes, said = (tracy / 'crash-0.11.1.tracy', tracy / 'crash-0.12.2.tracy'), b'no stack sample of 2 runs lies'
    sampled = b' '.join(d.run('--report', 'text', '--allow-short', *crashes).stdout.split())
    check('tracy: samples beside all frames: %s' % sampled[:400], said in sampled and b'sampled' not in sampled)
    check('tracy: without samples', b'no stack sample' not in b' '.join(d.run('--report', 'text', one, two).stdout.split()))
    for words in ((one, FIXTURES / 'tiny.utrace'), (FIXTURES / 'tiny.utrace', one)):
        done = d.run('--mixed', *words)
        check('formats without a timer in common: %s' % done.stderr,
              done.returncode == 4 and b'no timer in common' in done.stderr and not done.stdout)


def check_versions(d, folder):
    """Files of older versions stay readable, and say what their captures say now."""
    old, game = FIXTURES / 'baseline-v2-game.tkb', FIXTURES / 'game.utrace.zst'
    for words in ((), ('--region', 'Combat 1'), ('--drop-warmup',)):
        changes = d.changes(*words, old, game)
        check('version 2 %s: %s' % (words, alarms(changes)), not alarms(changes))
        check('version 2 %s: sides differ' % (words,), all(c['baseline'] == c['candidate'] for c in changes))
        check('version 2 %s: enough compared' % (words,), sum(c['kind'] == 'timer' for c in changes) > 50)
    cut, head = FIXTURES / 'baseline-v3-game.tkb', lambda path: path.read_bytes()[8:12]
    check('version 3: its number', head(cut) == (3).to_bytes(4, 'little'))
    changes = d.changes('--region', 'Combat 1', cut, game)   # the file has that region alone
    check('version 3: %s' % alarms(changes), not alarms(changes))
    check('version 3: sides differ', all(c['baseline'] == c['candidate'] for c in changes))
    check('version 3: enough compared', sum(c['kind'] == 'timer' for c in changes) > 50)
    # of 40 samples a block Update has 10, of 50 it has 20; Render has 30 of both
    a, b = FIXTURES / 'baseline-v4-a.tkb', FIXTURES / 'baseline-v4-b.tkb'
    check('version 4: its number', head(a) == head(b) == (4).to_bytes(4, 'little'))
    found = {c['name']: (c['verdict'], c['baseline'], c['candidate']) for c in d.changes(a, b) if c['kind'] == 'function'}
    check('version 4: %s' % found, found == {'Update': ('regressed', 25, 40), 'Render': ('unchanged', 75, 60)})


def check_recipe(d, a, b, folder):
    """The script of docs/ci.md, run by a shell: no baseline yet, a good build, a bad one."""
    script = FIXTURES.parent / 'ci' / 'tracekit-ci'
    work = folder / 'recipe'
    for name, run in (('good', a), ('bad', b)):
        (work / name).mkdir(parents=True)
        (work / name / 'run.tkb').write_bytes(run.read_bytes())
    env = dict(os.environ, PATH=os.path.dirname(d.diff) + ':' + os.environ['PATH'])
    for new, code in (('good', 4), ('good', 4), ('bad', 1)):      # nothing to compare with, the same run again, another build
        before = (work / 'base.tkb').read_bytes() if (work / 'base.tkb').exists() else None
        done = subprocess.run(['sh', str(script), '--baseline', 'base.tkb', new], cwd=work, env=env, capture_output=True)
        check('recipe: %s: exit code %d, not %d: %s' % (new, done.returncode, code, done.stderr), done.returncode == code)
        check('recipe: %s: the baseline stays' % new, new == 'good' or before == (work / 'base.tkb').read_bytes())
    reports = work / 'tracekit-reports'
    check('recipe: reports', '<failure' in (reports / 'diff.xml').read_text() and '### Regressed' in (reports / 'comment.md').read_text())


def check_planted(d, corpus, folder):
    """What was planted in game_slow, and nothing else but side effects: found, and certain beyond a factor of 1.5."""
    game, slow = corpus / 'utrace' / 'game.utrace', corpus / 'utrace' / 'game_slow.utrace'
    truth = json.loads((corpus / 'utrace' / 'game_slow.regressions.json').read_text())
    wanted = {('timer', t['timer'], 'added') for t in truth['new_timers']}
    wanted |= {('timer', t['timer'], 'removed') for t in truth['gone_timers']}
    wanted |= {('hitches', 'hitches', 'regressed')}
    higher = {('timer', t['timer'], 'slower') for t in truth['slower_timers']}
    higher |= {('counter', c['name'], 'slower') for c in truth['counters_higher']}
    higher |= {('gpu', g['timer'], 'slower') for g in truth['gpu_slower']}
    higher |= {('memory', truth['leak']['tag'], 'slower')}
    changes = d.changes(game, slow)
    certain = {(c['kind'], c['name'], 'regressed') for c in changes
               if (c['kind'], c['name'], 'slower') in higher and (c['ratio'] or 0) >= 1.5}
    check('game_slow: %s' % sorted(alarms(changes) ^ wanted ^ certain), alarms(changes) == wanted | certain)
    check('game_slow: found: %s' % sorted(higher - slower(changes)), higher <= slower(changes))
    for timer in truth['slower_timers']:
        ratio = next(c['ratio'] for c in changes if c['name'] == timer['timer'])
        check('%s: ratio %s' % (timer['timer'], ratio), abs(ratio / timer['excl_ratio'] - 1) < 0.03)
    check('game against itself', not alarms(d.changes(game, game)))
    one, two = d.save(folder / 'g1.tkb', game), d.save(folder / 'g2.tkb', game)
    check('baselines are the same bytes', one.read_bytes() == two.read_bytes())
    check('a baseline is as good as its capture', d.changes(one, slow) == changes)


def check_kept(d, corpus):
    """Own times per frame in the report are those the program noted."""
    truth = json.loads((corpus / 'runs' / 'runs.truth.json').read_text())
    runs = {r['file']: r for r in truth['runs']}
    changes = d.changes('--floor-frame', '0.006', corpus / 'runs' / 'a_00.utrace', corpus / 'runs' / 'a_01.utrace')
    n = 0
    for c in changes:
        if c['kind'] != 'timer' or c['name'] not in runs['a_00.utrace']['timers']:
            continue
        for side, run in (('baseline', 'a_00.utrace'), ('candidate', 'a_01.utrace')):
            ms = runs[run]['timers'][c['name']][2] / runs[run]['frequency'] * 1e3 / runs[run]['game_frames']
            check('%s of %s: %s, not %s' % (c['name'], run, c[side], ms), abs(c[side] / ms - 1) < 0.01)
            n += 1
    check('enough timers compared: %d' % n, n > 100)


def check_runs(d, corpus, folder):
    """Five runs against five: what is planted above the floors, and nothing of runs of one build."""
    base = d.save(folder / 'a.tkb', *[corpus / 'runs' / ('a_%02d.utrace' % i) for i in range(5)])
    same = d.save(folder / 'a2.tkb', *[corpus / 'runs' / ('a_%02d.utrace' % i) for i in range(5, 10)])
    slow = d.save(folder / 'b.tkb', *[corpus / 'runs' / ('b_%02d.utrace' % i) for i in range(5)])
    check('A against A', not alarms(d.changes(base, same)))
    found = alarms(d.changes(base, slow))
    for wanted in (('timer', 'Lighting', 'regressed'), ('timer', 'Streaming.Flush', 'regressed'),
                   ('timer', 'UI.Layout', 'improved'), ('timer', 'Camera.Update', 'renamed')):
        check('A against B: %s %s %s' % wanted, wanted in found)
    path = folder / 'noise-map.json'
    path.write_text(json.dumps({'timers': {'Camera.Update': 'View.Update'}}))
    for noise in (same, slow):      # with the old name and with the new one
        changes = d.changes('--noise', noise, '--map', path, corpus / 'runs' / 'a_00.utrace', corpus / 'runs' / 'b_06.utrace')
        names = [(c['name'], c['verdict']) for c in changes if c['name'] in ('Camera.Update', 'View.Update')]
        check('a map and noise: %s' % names, names == [('View.Update', 'unchanged')])


def check_size(d, generator, folder, memory_limit):
    """A run of 5,000 timers takes at most 4 MB; comparing two of them fits a comment of 64 KB. Gathering them on 32
    threads takes the memory for those of two classes of threads."""
    files = []
    for seed in ('1', '2'):
        capture = folder / ('many-%s.utrace' % seed)
        subprocess.run([generator, str(capture), '12000000', '--timers', '5000', '--seed', seed], check=True, stdout=subprocess.DEVNULL)
        memory = d.memory(capture, '--save', folder / ('many-%s.tkb' % seed), '--jobs', '2')
        check('memory for 5,000 timers: %d' % memory, memory < 160e6 or not memory_limit)
        files.append(folder / ('many-%s.tkb' % seed))
        check('size of 5,000 timers: %d' % files[-1].stat().st_size, files[-1].stat().st_size <= 4000000)
    report = d.run('--report', 'markdown', '--floor-frame', '0.000001', *files).stdout
    rows = d.changes('--floor-frame', '0.000001', *files)
    check('timers compared: %d' % len(rows), sum(c['kind'] == 'timer' for c in rows) >= 5000)
    check('markdown of 5,000 timers: %d bytes' % len(report), 1000 < len(report) < 65536)
    report = d.run('--report', 'markdown', '--top', '100000', '--floor-frame', '0.000001', *files).stdout
    check('markdown with all of them: %d bytes' % len(report), len(report) < 65536 and b'more' in report)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--bin', required=True)
    p.add_argument('--corpus', default='')
    p.add_argument('--generator', default='', help='program that writes captures of any number of timers')
    p.add_argument('--no-memory-limit', action='store_true', help='for builds that need more')
    p.add_argument('--update', action='store_true')
    p.add_argument('fixtures', type=pathlib.Path)
    args = p.parse_args()
    d = Diff(args.bin)
    a, b = args.fixtures / 'baseline-v1-a.tkb', args.fixtures / 'baseline-v1-b.tkb'
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        check_fixtures(d, a, b)
        check_codes(d, a, b, folder)
        check_reports(d, a, b, folder, args.update)
        check_faults(d, folder)
        check_map(d, a, b, folder)
        check_budgets(d, a, b, folder)
        check_budget_reports(d, b, folder, args.update)
        check_tracy(d, folder)
        check_versions(d, folder)
        check_selected(d, folder)
        check_save_refuses(d, a, folder)
        check_saved_together(d, folder)
        check_recipe(d, a, b, folder)
        if args.generator:
            check_size(d, args.generator, folder, not args.no_memory_limit)
        if args.corpus:
            corpus = pathlib.Path(args.corpus)
            check_planted(d, corpus, folder)
            check_segments(d, corpus, folder)
            check_lost_regions(d, corpus, folder)
            check_paths(d, corpus)
            check_memory_places(d, corpus, folder)
            check_budget_places(d, corpus, folder)
            check_kept(d, corpus)
            check_runs(d, corpus, folder)
    for failure in failures:
        print('failed:', failure)
    print('%d checks, %d failed' % (checks, len(failures)))
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
