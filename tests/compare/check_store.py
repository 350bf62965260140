#!/usr/bin/env python3
"""Checks that runs are never lost: baselines that several processes write, cut and newer ones, full disks, folders that
cannot be written; folders of mixed files; what a baseline tells of itself; databases that are added to.

usage: check_store.py --bin DIRECTORY [--seconds N] --corpus DIRECTORY

What the runs hold is compared with what the program that made them noted (runs.truth.json of the corpus).
"""

import argparse
import csv
import io
import json
import os
import pathlib
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

failures = []
checks = 0


def check(what, condition, more=''):
    global checks
    checks += 1
    if not condition:
        failures.append('%s %s' % (what, more))


class Kit:
    def __init__(self, directory):
        self.bin = os.path.abspath(directory)

    def start(self, name, *words, **more):
        return subprocess.Popen([os.path.join(self.bin, 'trace-' + name), *map(str, words)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **more)

    def run(self, name, *words, **more):
        process = self.start(name, *words, **more)
        out, err = process.communicate()
        return process.returncode, out.decode(), err.decode()

    def runs(self, path):
        status, out, err = self.run('info', '-f', 'csv', path)
        check('runs of %s' % path, status == 0, err)
        return list(csv.DictReader(io.StringIO(out)))

    def save(self, base, capture, *words):
        return self.run('stats', '--jobs', '1', '--save', base, capture, *words)


def sentence(what, status, wanted, err, text):
    """A status, and one line or two that say why."""
    check(what, status == wanted and text in err and 1 <= len(err.strip().splitlines()) <= 4, '%d %s' % (status, err))


def six_at_once(kit, folder, captures):
    base = folder / 'base.tkb'
    began = [kit.start('stats', '--save', base, c) for c in captures[:6]]
    check('six saves at once', [p.wait() for p in began] == [0] * 6)
    for p in began:
        p.communicate()
    check('six runs are kept', sorted(r['capture'] for r in kit.runs(base)) == sorted(c.name for c in captures[:6]))
    before = base.read_bytes()
    status, out, err = kit.save(base, captures[2])
    check('saved twice', status == 0 and out == '' and 'already in %s, nothing added' % base in err, err)
    check('saved twice changes nothing', base.read_bytes() == before)
    return base


def history_at_once(kit, folder, captures):
    history = folder / 'history'
    began = [kit.start('stats', '--save', str(history) + '/', c) for c in captures[:6] + captures[:3]]
    check('nine saves to a folder', [p.wait() for p in began] == [0] * 9)
    for p in began:
        p.communicate()
    check('a file a run', len(list(history.iterdir())) == 6, os.listdir(history))
    check('runs of a folder', sorted(r['capture'] for r in kit.runs(history)) == sorted(c.name for c in captures[:6]))
    status, _, err = kit.save(history, captures[0], '--run-info', 'time=2020-02-02')
    check('saved to a folder twice', status == 0 and 'already in' in err and len(list(history.iterdir())) == 6, err)
    status, _, err = kit.save(history, captures[6], '--run-info', 'time=2026-11-23T21:05:42Z')
    check('named by time', any(n.startswith('20261123T210542Z-') for n in os.listdir(history)), os.listdir(history))
    return history


def as_the_program_noted(kit, base, captures, truth):
    """Calls and times of each timer of each run."""
    rows = {r['capture']: r for r in kit.runs(base)}
    noted = {r['file']: r for r in truth['runs']}
    status, out, _ = kit.run('stats', '-t', 'timers', '-f', 'csv', base)
    check('tables of a baseline', status == 0)
    count, excl = {}, {}
    for row in csv.DictReader(io.StringIO(out)):
        key = row['run'], row['timer']
        count[key] = count.get(key, 0) + int(row['count'])
        excl[key] = excl.get(key, 0) + int(row['excl'])
    compared = 0
    for capture in captures[:6]:
        run = rows[capture.name]
        check('size of %s' % capture.name, int(run['bytes']) == capture.stat().st_size)
        check('frames of %s' % capture.name, int(run['frames']) == truth.get('frames', 300))
        for name, of in noted[capture.name]['timers'].items():
            key = run['run'], name
            if not of[0]:
                continue
            compared += 1  # calls, cycles of 100 ns with and without what is called inside
            check('%s of %s' % (name, capture.name), (count.get(key), excl.get(key)) == (of[0], of[2] * 100),
                  (count.get(key), excl.get(key), of))
    check('timers were compared', compared > 300, compared)


def known(kit, folder, captures):
    base = folder / 'known.tkb'
    info = folder / 'info.json'
    info.write_text('{"build": 1234, "machine": "ci7"}')
    status, _, err = kit.save(base, captures[0], '--run-info', info, '--run-info', 'map=Arena', '--run-info',
                              'time=2026-11-23 22:05:42+01:00')
    check('said of a run', status == 0, err)
    row = kit.runs(base)[0]
    check('what was said is kept', (row['build'], row['machine'], row['map'], row['date']) ==
          ('1234', 'ci7', 'Arena', '2026-11-23T21:05:42Z'), row)
    status, _, err = kit.save(base, captures[1], '--run-info', 'machien=x')
    check('a slip is told', status == 0 and "did you mean 'machine'" in err, err)
    sentence('no time', *one(kit.save(base, captures[2], '--run-info', 'time=noon'), 2), 'is not a time')
    sentence('no file', *one(kit.save(base, captures[2], '--run-info', folder / 'none.json'), 3), 'none.json')
    status, out, err = kit.run('baseline', 'drop', base, 2)
    check('drop', status == 0 and len(kit.runs(base)) == 1, err)
    sentence('drop what is not there', *one(kit.run('baseline', 'drop', base, 7), 2), "has no run '7'")
    status, _, err = kit.run('baseline', 'add', base, captures[2], captures[3], '--run-info', 'machine=ci8')
    check('add', status == 0 and [r['machine'] for r in kit.runs(base)] == ['ci7', 'ci8', 'ci8'], err)
    status, _, err = kit.run('baseline', 'merge', folder / 'merged.tkb', base, folder / 'base.tkb')
    check('merge', status == 0 and len(kit.runs(folder / 'merged.tkb')) == 6, err)


def drop_of_folder(kit, folder, captures):
    shelf = folder / 'shelf'
    kit.run('baseline', 'add', str(shelf) + '/', *captures[:4])
    kit.run('baseline', 'add', shelf / 'several.tkb', captures[4], captures[5])
    shutil.copy(captures[6], shelf)

    def names():
        return [r['capture'] for r in kit.runs(shelf)]

    whole = names()
    check('a folder of all sorts', len(whole) == 7, whole)
    sentence('drop of a folder', *one(kit.run('baseline', 'drop', shelf, 1, 8), 2), "has no run '8'")
    sentence('drop of a capture', *one(kit.run('baseline', 'drop', shelf, 1, captures[6].name), 2), 'delete it')
    check('nothing is dropped then', names() == whole)
    first, second = whole[0], whole[2]
    status, _, err = kit.run('baseline', 'drop', shelf, 1, second, captures[4].name)
    check('drop of a folder', status == 0 and names() == [n for n in whole if n not in (first, second, captures[4].name)], err)
    check('files go with their last run', len(list(shelf.iterdir())) == 4, os.listdir(shelf))
    sentence('drop of nothing', *one(kit.run('baseline', 'drop', folder / 'none', 1), 3), 'there is no file')


def one(result, wanted):
    return result[0], wanted, result[2]


def folders(kit, folder, captures):
    mixed = folder / 'mixed'
    mixed.mkdir()
    shutil.copy(captures[0], mixed / 'run.bin')  # known by bytes, not by names
    kit.save(mixed / 'kept.dat', captures[1])
    (mixed / 'build.log').write_text('all is well\n')
    (mixed / 'empty').write_bytes(b'')
    (mixed / 'diff.json').write_text('{"verdict": "passed", "changes": [{"kind": "timer"}]}')
    (mixed / 'list.json').write_text('[]\n')
    (mixed / 'report.html').write_text('<!DOCTYPE html><title>a report</title>')
    (mixed / 'fake.utrace').write_bytes(bytes(range(256)) * 20)
    budget = folder / 'budget.json'
    budget.write_text(json.dumps({'budgets': [{'kind': 'timer', 'name': 'Physics.Solved', 'error': 1},
                                              {'kind': 'frame', 'name': 'p50', 'error': 1000},
                                              {'kind': 'timer', 'name': 'Lighting', 'region': 'NoRegion', 'error': 1}]}))
    report, table = folder / 'report.json', folder / 'report.csv'
    words = ['--budget', budget, '--report', 'json=%s' % report, '--report', 'csv=%s' % table, '--force', mixed]
    status, _, err = kit.run('check', *words)
    check('other files are left out', status == 0 and err.count('is left out') == 6, err)
    check('missing is told', "no timer 'Physics.Solved'; the nearest: 'Physics.Solve'" in err, err)
    verdicts = [b['verdict'] for b in json.loads(report.read_text())['budgets']]
    check('missing in reports', verdicts == ['missing', 'passed', 'missing'] and table.stat().st_size > 0, verdicts)
    check('--strict-budget', kit.run('check', '--strict-budget', *words)[0] == 1)
    broken = mixed / 'broken'
    broken.write_bytes(captures[0].read_bytes()[:30])
    check('a capture that cannot be read is none that is left out', kit.run('check', *words)[0] in (3, 4))
    broken.unlink()
    (mixed / 'deeper').mkdir()
    if hasattr(os, 'mkfifo'):
        os.mkfifo(mixed / 'pipe')  # nobody writes to it, so that who opens it waits for ever
    status, _, err = kit.run('check', *words)
    check('folders and pipes in a folder are left out', status == 0 and 'a folder in a folder' in err and
          err.count('is left out') == 7 + hasattr(os, 'mkfifo'), err)
    nothing = folder / 'nothing'
    nothing.mkdir()
    (nothing / 'build.log').write_text('x\n')
    sentence('a folder without runs', *one(kit.run('check', '--budget', budget, '-q', nothing), 3), 'no capture and no baseline')


def bad_files(kit, folder, captures):
    good = folder / 'good.tkb'
    kit.save(good, captures[0])
    whole = good.read_bytes()
    bad = folder / 'bad.tkb'
    for cut in list(range(8, 60, 3)) + list(range(60, len(whole), len(whole) // 40)) + [len(whole) - 1]:
        bad.write_bytes(whole[:cut])
        result = kit.save(bad, captures[1])
        sentence('cut at %d' % cut, *one(result, 3), 'cut off')
        check('cut at %d stays' % cut, bad.read_bytes() == whole[:cut])
    bad.write_bytes(whole[:8] + bytes([9]) + whole[9:])
    sentence('of a newer version', *one(kit.save(bad, captures[1]), 3), 'version 9')
    bad.write_text('my notes\n')
    sentence('no baseline', *one(kit.save(bad, captures[1]), 3), 'not a baseline')
    check('no baseline stays', bad.read_text() == 'my notes\n')


def no_capacity(kit, folder, captures):
    """A file may not grow: what a full disk does, without one. The old file stays, and nothing lies alongside it."""
    full = folder / 'full'
    full.mkdir()
    base = full / 'base.tkb'
    kit.save(base, captures[0])
    before, there = base.read_bytes(), sorted(os.listdir(full))

    def limit():
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

    for place in (base, full / 'new.tkb', full):
        status, _, err = kit.run('stats', '--jobs', '1', '--save', place, captures[1], preexec_fn=limit)
        sentence('no room for %s' % place.name, status, 3, err, 'cannot write')
    check('no room: nothing lost, nothing left', base.read_bytes() == before and sorted(os.listdir(full)) == there,
          os.listdir(full))


def read_only(kit, folder, captures):
    closed = folder / 'closed'
    closed.mkdir()
    base = closed / 'base.tkb'
    kit.save(base, captures[0])
    before = base.read_bytes()
    os.chmod(closed, 0o555)

    def nobody():
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)

    capture = folder / 'readable.utrace'
    shutil.copy(captures[1], capture)
    os.chmod(capture, 0o444)
    for place in (base, closed / 'new.tkb', closed):
        status, _, err = kit.run('stats', '--save', place, capture, preexec_fn=nobody)
        sentence('read-only folder, %s' % place.name, status, 3, err, 'ermission denied')
    os.chmod(closed, 0o755)
    check('read-only folder: as it was', base.read_bytes() == before and os.listdir(closed) == ['base.tkb'])


def two_writers_and_a_reader(kit, folder, captures, seconds):
    """Two processes add and drop runs, a third reads: it always finds a whole file with the first run in it."""
    base = folder / 'busy.tkb'
    kit.save(base, captures[0])
    end = time.monotonic() + seconds
    problems, counts = [], [0, 0, 0]

    def write(at):
        mine = captures[1 + 2 * at:3 + 2 * at]
        while time.monotonic() < end and not problems:
            for capture in mine:
                status, _, err = kit.save(base, capture)
                counts[at] += 1
                if status != 0 or err:
                    problems.append('write: %d %s' % (status, err))
            names = {r['capture'] for r in kit.runs(base)}
            if not {c.name for c in mine} | {captures[0].name} <= names:
                problems.append('lost: %s' % names)
            for capture in mine:
                status, _, err = kit.run('baseline', 'drop', base, capture.name)
                if status != 0:
                    problems.append('drop: %d %s' % (status, err))

    def read():
        while time.monotonic() < end and not problems:
            status, out, err = kit.run('info', '-f', 'csv', base)
            counts[2] += 1
            if status != 0 or captures[0].name not in out:
                problems.append('read: %d %s' % (status, err))

    threads = [threading.Thread(target=write, args=(0,)), threading.Thread(target=write, args=(1,)),
               threading.Thread(target=read)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check('two writers and a reader', not problems, problems[:3])
    check('they did something', min(counts) > 0, counts)
    check('nothing is left beside it', [n for n in os.listdir(folder) if n.startswith('.')] == [], os.listdir(folder))


def killed_at_random(kit, folder, captures, seconds):
    """Writers of a file and of a folder, of which some are killed at any moment: what was said to be kept is there, and whole."""
    places = {'file': folder / 'killed.tkb', 'folder': folder / 'killed'}
    for name, place in places.items():
        rng, end, killed = random.Random(name), time.monotonic() + seconds, [0]
        acknowledged, problems, lock = set(), [], threading.Lock()

        def write(seed):
            own = random.Random(seed)
            while time.monotonic() < end and not problems:
                capture, how = own.choice(captures[:8]), own.random()
                words = ['stats', '-q', '--save', place, capture] if how < 0.5 else ['baseline', '-q', 'add', place, capture]
                if name == 'folder' and how < 0.5:
                    words[3] = str(place) + '/'
                if name == 'folder' and how >= 0.5:
                    words[3] = str(place) + '/'
                process = subprocess.Popen([os.path.join(kit.bin, 'trace-' + words[0]), *map(str, words[1:])], stdout=subprocess.DEVNULL,
                                           stderr=subprocess.PIPE)
                if own.random() < 0.6:
                    time.sleep(own.random() * 0.08)
                    process.kill()
                err = process.communicate()[1]
                with lock:
                    if process.returncode == 0:
                        acknowledged.add(capture.name)
                    elif process.returncode < 0:
                        killed[0] += 1
                    else:
                        problems.append((process.returncode, err))

        threads = [threading.Thread(target=write, args=(rng.random(),)) for _ in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        check('killed writers of a %s' % name, not problems, problems[:2])
        check('%s: some were killed, some not' % name, killed[0] and acknowledged, (killed, acknowledged))
        status, out, err = kit.run('baseline', 'list', '-f', 'csv', '-c', 'capture', place)
        there = out.split()[1:]
        check('%s: no run is lost, none is there twice' % name, status == 0 and acknowledged <= set(there) and len(there) == len(set(there)),
              (status, acknowledged - set(there), there, err))
        status, _, err = kit.run('baseline', '-q', 'add', place, captures[9])
        check('%s: nobody holds it' % name, status == 0, err)


def databases(kit, folder, captures):
    base = folder / 'fleet.db'
    words = ['-f', 'sqlite', '-o', base]
    check('a database', kit.run('export', *words, captures[0], '--run-info', 'build=7', '--run-info', 'machine=m')[0] == 0)
    began = [kit.start('export', *words, '--append', c) for c in captures[1:4]]
    check('three appends at once', [p.wait() for p in began] == [0] * 3, [p.communicate()[1] for p in began])
    for p in began:
        p.communicate()
    rows = 'SELECT (SELECT count(*) FROM scopes), (SELECT count(*) FROM captures)'
    with sqlite3.connect(base) as db:
        before = db.execute(rows).fetchone()
    status, _, err = kit.run('export', *words, '--append', captures[1])
    check('appended twice', status == 0 and 'already in %s, nothing added' % base in err, err)
    with sqlite3.connect(base) as db:
        check('appended twice changes nothing', db.execute(rows).fetchone() == before and before[1] == 4, before)
        check('said of a capture', db.execute('SELECT capture_id, key, value FROM run_info').fetchall() ==
              [(1, 'build', '7'), (1, 'machine', 'm')])
        views = [v for v, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'view'")]
        for view in views:
            columns = [c[1] for c in db.execute('SELECT * FROM pragma_table_info(?)', (view,)).fetchall()] and \
                [c[1] for c in db.execute('PRAGMA table_info(%s)' % view)]
            check('capture_id of %s' % view, 'capture_id' in columns, columns)
        for view in ('slice', 'thread_slice', 'thread', 'counter', 'counter_track', 'track', 'args', 'process'):
            of = db.execute('SELECT capture_id, count(*) FROM %s GROUP BY 1' % view).fetchall()
            check('captures of %s' % view, [c for c, _ in of] == [1, 2, 3, 4], of)
        for id, name in db.execute('SELECT id, name FROM captures').fetchall():
            same = db.execute('SELECT count(*) FROM slice WHERE capture_id = ?', (id,)).fetchone()
            check('slices of %s' % name, same == db.execute('SELECT count(*) FROM scopes WHERE capture_id = ?',
                                                           (id,)).fetchone())


def content(kit, folder, captures):
    status, _, err = kit.run('check', '--expect', 'frames,timers,counters,5s,channel:cpu', captures[0])
    check('expected and there', status == 0 and err == '', err)
    status, _, err = kit.run('check', '--expect', 'frames,gpu,60s,channel:memory', captures[0])
    check('expected and not there', status == 1 and [err.count(w) for w in ("'gpu'", "'60s'", "'channel:memory'")] ==
          [1, 1, 1], err)
    empty = folder / 'hollow'
    empty.mkdir()
    shutil.copy(pathlib.Path(__file__).resolve().parents[2] / 'fixtures' / 'coroutine.utrace', empty / 'a.utrace')
    status, _, err = kit.run('check', '--expect', 'frames', empty)
    check('a recording without frames', status == 1 and "'frames' was expected: there are none" in err, err)


def day_two(kit, folder, captures, corpus):
    """The planted slowdown of Lighting is accepted; the others stay red."""
    history = folder / 'nights'
    for i, capture in enumerate(captures[:5]):
        kit.save(str(history) + '/', capture, '--run-info', 'branch=main', '--run-info', 'build=5', '--run-info',
                 'time=2026-11-1%d' % i, '--run-info', 'machine=ci7')
    kit.save(str(history) + '/', captures[5], '--run-info', 'branch=dev', '--run-info', 'time=2026-11-20')
    new = sorted((corpus / 'runs').glob('b_0[0-4].utrace'))
    words = [history, '--base-of', 'main', '--run-info', 'machine=ci7', '--report', 'json']
    status, out, err = kit.run('diff', *words, '--vs', *new)
    found = json.loads(out)
    check('the base is of its branch', status == 1 and found['runs']['baseline'] == 5, err)
    worse = {c['name'] for c in found['changes'] if c['verdict'] == 'regressed'}
    check('planted', {'Lighting', 'Streaming.Flush'} <= worse, worse)
    status, out, err = kit.run('diff', history, '--base-of', 'main', '--run-info', 'machine=ci8', '--vs', *new)
    check('another machine is compared, with a warning', status == 1 and 'none of this kind of machine (ci8)' in out + err, (status, err))
    accepted = folder / 'accepted.json'

    def accept(*of):
        accepted.write_text(json.dumps({'accepted': [dict(o, reason='new level') for o in of]}))
        status, out, err = kit.run('diff', *words, '--accepted', accepted, '--vs', *new)
        return status, {c['name']: c.get('accepted') for c in json.loads(out)['changes'] if c['verdict'] == 'regressed'}

    status, of = accept({'name': 'Lighting', 'most': 25, 'until': '2999-12-31'})
    check('one is accepted', status == 1 and of['Lighting'] is True and of['Streaming.Flush'] is None, of)
    check('all are accepted', accept({'name': '*'})[0] == 0)
    status, of = accept({'name': '*', 'most': 5})
    check('exceeded', status == 1 and of['Lighting'] is False, of)
    check('expired', accept({'name': '*', 'until': '2020-01-01'})[0] == 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('--corpus', required=True, type=pathlib.Path)
    parser.add_argument('--seconds', type=float, default=60)
    args = parser.parse_args()
    kit = Kit(args.bin)
    captures = sorted((args.corpus / 'runs').glob('a_*.utrace'))
    truth = json.loads((args.corpus / 'runs' / 'runs.truth.json').read_text())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.chmod(folder, 0o755)
        base = six_at_once(kit, folder, captures)
        history_at_once(kit, folder, captures)
        as_the_program_noted(kit, base, captures, truth)
        known(kit, folder, captures)
        drop_of_folder(kit, folder, captures)
        folders(kit, folder, captures)
        bad_files(kit, folder, captures)
        no_capacity(kit, folder, captures)
        read_only(kit, folder, captures)
        databases(kit, folder, captures)
        content(kit, folder, captures)
        day_two(kit, folder, captures, args.corpus)
        two_writers_and_a_reader(kit, folder, captures, args.seconds)
        killed_at_random(kit, folder, captures, args.seconds)
    print('%d checks, %d failed' % (checks, len(failures)))
    for failure in failures:
        print('  ' + failure)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
