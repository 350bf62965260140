#!/usr/bin/env python3
"""Runs programs that use the emitter and compares their captures with what the programs made.

usage: check_emit.py --build BUILD --bin DIRECTORY [OPTION...] TEST...

TEST is a function of this file without `test_`. The numbers are those of the programs: emit_families.c, emit_stress.c.
"""

import argparse
import collections
import csv
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests' / 'decoders'))

import utrace_compare  # noqa: E402 (it lies there)
import utrace_wire  # noqa: E402

LOG_CUT = 0x3FEF        # the highest tid that the emitter gives


class Wrong(Exception):
    pass


def check(truth, *what):
    if not truth:
        raise Wrong(' '.join(map(str, what)))


def equal(got, wanted, what):
    check(got == wanted, '%s: %r, not %r' % (what, got, wanted))


class Capture:
    """What the commands say of a capture."""

    def __init__(self, options, path):
        self.tracekit, self.path = options.build / 'bin' / 'tracekit', path

    def table(self, name, *more):
        done = subprocess.run([self.tracekit, 'stats', self.path, '-t', name, '-f', 'csv', '-n', '0', *more],
                              capture_output=True, text=True, check=False)
        check(done.returncode == 0, 'trace-stats -t %s: %d: %s' % (name, done.returncode, done.stderr))
        return list(csv.DictReader(done.stdout.splitlines()))

    def health(self):
        return {row['kind']: row for row in self.info()['health']}

    def info(self):
        done = subprocess.run([self.tracekit, 'info', self.path, '--full', '-f', 'json'], capture_output=True, text=True,
                              check=False)
        check(done.returncode in (0, 4), 'trace-info: %d: %s' % (done.returncode, done.stderr))
        return json.loads(done.stdout)

    def scopes(self):
        """Thread -> scopes, those that never end with them."""
        found = collections.Counter()
        for row in self.table('threads', '-c', 'thread,scopes,open,unmatched'):
            found[row['thread']] += int(row['scopes']) + int(row['open'])
            equal(row['unmatched'], '0', 'unmatched ends of ' + row['thread'])
        return +found

    def events(self, columns='event,fields'):
        done = subprocess.run([self.tracekit, 'events', self.path, '-f', 'ndjson', '-c', columns],
                              capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def sound(self, *kinds):
        """Nothing but these kinds of health, and no damage."""
        found = set(self.health())
        check(found <= set(kinds), 'health of %s: %s' % (self.path, found - set(kinds)))


def run(options, *words, program='emit-stress', env=None, codes=(0,)):
    done = subprocess.run([str(options.bin / program), *map(str, words)], capture_output=True, text=True, check=False,
                          env={**os.environ, **(env or {})})
    check(done.returncode in codes, program, words, 'ended with', done.returncode, done.stderr)
    return done.stdout


def stress(options, mode, path, *words):
    return json.loads(run(options, mode, path, *words))


# ---- what is written ----

def test_families(options, work):
    path = work / 'families.utrace'
    said = run(options, path, program='emit-families')
    equal(said, 'scopes 644 lost 0 0 error 0\n', 'the program')
    capture = Capture(options, path)
    capture.sound()
    equal(capture.scopes(), {'GameThread': 544, 'Worker 1': 50, 'Worker 2': 50}, 'scopes')
    timers = {row['timer']: int(row['count']) for row in capture.table('timers')}
    equal(timers, {'Tick': 91, 'Load': 91, 'dynamic': 91, 'Manual': 91, 'MaybeOff': 90, 'MaybeOff inside': 90, 'Job': 100},
          'timers')
    threads = {row['thread']: row for row in capture.table('threads')}
    equal({name: row['max_depth'] for name, row in threads.items() if row['scopes'] != '0'},
          {'GameThread': '3', 'Worker 1': '1', 'Worker 2': '1'}, 'depths')
    equal((threads['Worker 1']['group'], threads['GameThread']['group']), ('Pool', ''), 'groups')
    events = collections.Counter(event['event'] for event in capture.events())
    wanted = {'Misc.BeginFrame': 200, 'Misc.EndFrame': 200, 'Counters.SetValueInt': 200, 'Counters.SetValueFloat': 100,
              'Combat.Hit': 100, 'Game.Pos': 100, 'Logging.LogMessage': 101, 'Misc.Bookmark': 1, 'Misc.RegionBeginWithId': 1,
              'Misc.RegionEndWithId': 1, 'CpuProfiler.Metadata': 91}
    equal({name: events[name] for name in wanted}, wanted, 'events')
    families_values(capture)


def families_values(capture):
    """What the values are, not only how many."""
    equal([row['text'] for row in capture.table('bookmarks')], ['boss Grätz appears, 500 hp'], 'bookmarks')
    equal([(row['name'], row['category']) for row in capture.table('regions')], [('Level', 'Phase')], 'regions')
    logs = collections.Counter(row['text'] for row in capture.table('logs'))
    check(logs['job 49 of Worker 2 took 24.5 ms'] == 1 and logs['done 100%'] == 1, 'logs', list(logs)[-3:])
    counters = {row['counter']: row['last'] for row in capture.table('counters')}
    equal({name: float(value) for name, value in counters.items()}, {'Enemies': 99, 'Heap': 99 << 32, 'Speed': 99 / 8},
          'counters')
    hits = [event['fields'] for event in capture.events() if event['event'] == 'Combat.Hit']
    equal((hits[1], hits[2]['Weapon']), ({'Target': 1, 'Weapon': 'axe', 'Damage': 2.5}, ''), 'Combat.Hit')
    position = [event['fields'] for event in capture.events() if event['event'] == 'Game.Pos'][1]
    equal((position['X'], position['Floor'], position['Place'], position['Seen']), (1.0, -3, 'Grätz', 1), 'Game.Pos')


def test_wire(options, work):
    """The declarations, against those of an engine, and all figures against those of another decoder."""
    path, game = work / 'wire.utrace', work / 'game.utrace'
    run(options, path, program='emit-families')
    done = subprocess.run(['zstd', '-dqf', ROOT / 'fixtures' / 'game.utrace.zst', '-o', game], check=False)
    check(done.returncode == 0, 'zstd cannot unpack the fixture')
    ours, engine = types(path), types(game)
    same = [name for name in ours if name in engine]
    equal(len(same), 25, 'types that the engine has, too')
    for name in same:
        equal(ours[name], engine[name], name)
    differences = utrace_compare.differences(str(options.build / 'bin' / 'tracekit'), path, path.read_bytes())
    check(not differences, differences[:3])
    events = Capture(options, path).events('event,serial')
    serials = sorted(event['serial'] for event in events if event['serial'] is not None)
    equal(serials, list(range(803)), 'serials')
    data = path.read_bytes()
    equal((data[:12].hex(), data[28:30].hex(), data[46:48].hex()), ('324352542800' '0200ffff' '1001', '1002', '0407'), 'header')
    for at in (12, 30):
        check(data[at + 6] >> 4 == 4 and data[at + 8] >> 6 == 2, 'a GUID is none')
    equal(sync_packets(data), 3, 'sync packets')


def types(path):
    """Logger.Event -> flags and fields, straight from the packets of tid 0."""
    found, at, data = {}, 48, path.read_bytes()
    for tid, payload in packets(data):
        at = 0
        while tid == 0 and at < len(payload):
            size, = struct.unpack_from('<H', payload, at + 2)
            name, what = declared(payload[at + 4:at + 4 + size])
            found[name] = what
            at += 4 + size
    return found


def packets(data):
    at = 48
    while at + 4 <= len(data):
        size, tid = struct.unpack_from('<HH', data, at)
        body = data[at + 4:at + size]
        if tid & 0x8000:
            body = utrace_wire.unpack(body) if hasattr(utrace_wire, 'unpack') else unpack(body)
        yield tid & 0x3FFF, body
        at += size


def unpack(body):
    """An LZ4 block behind its size."""
    size, = struct.unpack_from('<H', body)
    out, at = bytearray(), 2
    while at < len(body):
        token = body[at]
        at, count = more(body, at + 1, token >> 4)
        out += body[at:at + count]
        at += count
        if at >= len(body):
            break
        back, = struct.unpack_from('<H', body, at)
        at, count = more(body, at + 2, token & 15)
        for _ in range(count + 4):
            out.append(out[-back])
    equal(len(out), size, 'bytes of a packet')
    return bytes(out)


def more(body, at, count):
    if count == 15:
        while True:
            count += body[at]
            at += 1
            if body[at - 1] != 255:
                break
    return at, count


def declared(record):
    _, n, flags, logger, event = struct.unpack_from('<HBBBB', record)
    names = record[6 + 8 * n:].decode()
    title, names = names[:logger] + '.' + names[logger:logger + event], names[logger + event:]
    fields = []
    for i in range(n):
        family, _, offset, size, kind, length = struct.unpack_from('<BBHHBB', record, 6 + 8 * i)
        fields.append((family, offset, size, kind, names[:length]))
        names = names[length:]
    return title, (flags, fields, len(names))       # what pads them may be anything


def sync_packets(data):
    return sum(tid == 0x3FFF for tid, _ in packets(data))


# ---- cost, counts and memory ----

def test_threads(options, work):
    path = work / 'threads.utrace'
    for n in (1, 2, 4, 16, 64, 200):
        said = stress(options, 'threads', path, n, options.scopes)
        equal((said['scopes'], said['lost_scopes']), (said['made'], 0), '%d threads' % n)
        capture = Capture(options, path)
        capture.sound()
        found = capture.scopes()
        equal(sum(found.values()), said['made'], 'scopes of %d threads in the file' % n)
        if options.scopes >= 4000000:
            # A number for the timer, and two times, each in one byte up to 63 ticks, else in two; and heads of packets.
            check(path.stat().st_size <= 5.1 * said['made'], path.stat().st_size / said['made'], 'bytes a scope')


def losses(capture):
    scopes = events = 0
    for event in capture.events():
        if event['event'] == 'Tracekit.Loss':
            scopes += event['fields']['Scopes']
            events += event['fields']['Events']
    return scopes, events


def test_budget(options, work):
    path = work / 'budget.utrace'
    for buffer in (100 << 10, 300 << 10, 1 << 20, 5 << 20):
        said = stress(options, 'budget', path, buffer)
        equal(said['made'], 1123200, 'made')
        equal(said['scopes'] + said['lost_scopes'], said['made'], 'with %d bytes: handed over and lost' % buffer)
        capture = Capture(options, path)
        capture.sound('events_lost')
        equal(sum(capture.scopes().values()), said['scopes'], 'scopes in the file')
        equal(losses(capture), (said['lost_scopes'], said['lost_events']), 'Tracekit.Loss')
        check('events_lost' in capture.health() or not said['lost_scopes'], 'health tells no loss')
        status = subprocess.run([capture.tracekit, 'info', path, '--strict-loss'], capture_output=True, check=False).returncode
        equal(status, 4 if said['lost_scopes'] else 0, '--strict-loss')


def test_races(options, work):
    """Under ThreadSanitizer; what is found ends the program with another status."""
    for buffer in (1 << 26, 300 << 10):
        said = stress(options, 'toggles', work / 'races.utrace', buffer)
        if not options.no_reader:
            capture = Capture(options, work / 'races.utrace')
            capture.sound('events_lost')
            equal(sum(capture.scopes().values()), said['scopes'], 'scopes in the file')
    stress(options, 'restart', work / 'races.utrace', work / 'second.utrace')
    stress(options, 'many', work / 'races.utrace', 200)


def test_full(options, work):
    """A disk of 2 MiB, where one can be mounted, and a device that is always full."""
    equal(stress(options, 'full', '/dev/full', 1000), {'start': 28}, '/dev/full')
    small = work / 'small'
    small.mkdir()
    if subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=2m', 'none', small], capture_output=True, check=False).returncode:
        print('no file system can be mounted here')
        return
    try:
        said = stress(options, 'full', small / 'full.utrace', 3000000)
        capture = Capture(options, small / 'full.utrace')
        equal(said['os_error'], 28, 'os_error')
        check(said['bytes'] >= 2080000, said['bytes'], 'bytes')
        equal(said['scopes'] + said['lost_scopes'], 3000000, 'handed over and lost')
        capture.sound('events_lost')
        equal(sum(capture.scopes().values()), said['scopes'], 'scopes in the file')
        equal(losses(capture)[0], said['lost_scopes'], 'Tracekit.Loss')
    finally:
        subprocess.run(['umount', small], check=True)


class Peer:
    """Listens and does what the test wants with the first program that comes."""

    def __init__(self, serve):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        self.listener.bind(('127.0.0.1', 0))
        self.listener.listen(1)
        self.target = 'tcp://127.0.0.1:%d' % self.listener.getsockname()[1]
        self.data = b''
        self.thread = threading.Thread(target=self.accept, args=(serve,), daemon=True)
        self.thread.start()

    def accept(self, serve):
        self.peer, _ = self.listener.accept()
        serve(self)

    def read_all(self):
        self.peer.settimeout(10)
        try:
            while piece := self.peer.recv(65536):
                self.data += piece
        except OSError:
            pass


def test_peers(options, work):
    """One that reads nothing, and one that resets the connection."""
    peer = Peer(lambda peer: None)
    said = stress(options, 'slow', peer.target, 1500)
    equal(said['scopes'] + said['lost_scopes'], said['made'], 'handed over and lost')
    check(said['stop'] < 5, 'tke_stop took', said['stop'])
    peer.thread.join()
    peer.read_all()
    path = work / 'slow.utrace'
    path.write_bytes(peer.data[:48] + whole_packets(peer.data))
    equal(sum(Capture(options, path).scopes().values()), said['scopes'], 'scopes that the peer has')

    def reset(peer):
        peer.peer.recv(4096)
        peer.peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        peer.peer.close()
    said = stress(options, 'slow', Peer(reset).target, 700)
    check(said['os_error'] in (32, 104), 'os_error', said['os_error'])
    equal(said['scopes'] + said['lost_scopes'], said['made'], 'handed over and lost')


def whole_packets(data):
    at = 48
    while at + 4 <= len(data):
        size, = struct.unpack_from('<H', data, at)
        if at + size > len(data):
            break
        at += size
    return data[48:at]


def test_record(options, work):
    """trace-record writes what comes to a file."""
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    folder = work / 'recorded'
    folder.mkdir()
    recorder = subprocess.Popen([options.build / 'bin' / 'tracekit', 'record', '--into', folder, '--port', str(port), '--count', '1'],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        for _ in range(100):
            done = subprocess.run([options.bin / 'emit-families', 'tcp://localhost:%d' % port], capture_output=True, text=True,
                                  check=False)
            if done.returncode == 0:
                break
            time.sleep(0.1)
        equal(done.stdout, 'scopes 644 lost 0 0 error 0\n', 'the program')
        said, _ = recorder.communicate(timeout=30)
    finally:
        recorder.kill()
    path, = folder.rglob('*.utrace')
    equal(sum(Capture(options, path).scopes().values()), 644, 'scopes')
    Capture(options, path).sound()
    check('closed by the program' in said, 'trace-record says', said)


# ---- lifetimes ----

def test_fork(options, work):
    parent, child = work / 'parent.utrace', work / 'child.utrace'
    said = stress(options, 'fork', parent, child)
    equal(said['child'], 0, 'the child: its memory grew')
    for path, n in ((parent, 2001), (child, 777)):
        equal(sum(Capture(options, path).scopes().values()), n, path.name)
        Capture(options, path).sound()


def test_restart(options, work):
    first, second = work / 'first.utrace', work / 'second.utrace'
    stress(options, 'restart', first, second)
    for path, n in ((first, 12), (second, 20)):
        equal(Capture(options, path).scopes(), {'Through': n}, path.name)
        Capture(options, path).sound('scope_open')
    for _ in range(20):
        stress(options, 'amid', first)
        Capture(options, first).sound('value_late')
    stress(options, 'restart', first, second)
    one, other = first.read_bytes(), second.read_bytes()
    check(one[12:28] == other[12:28] and one[30:46] != other[30:46], 'GUIDs')


def test_exits(options, work):
    path = work / 'exits.utrace'
    run(options, 'exit', path)
    equal(sum(Capture(options, path).scopes().values()), 100, 'without a stop')
    run(options, 'abort', path, 1, codes=(-signal.SIGABRT,))
    equal(sum(Capture(options, path).scopes().values()), 100, 'abort with a handler')
    run(options, 'abort', path, 0, codes=(-signal.SIGABRT,))
    check(Capture(options, path).info() is not None, 'abort without a handler')


def test_modules(options, work):
    path = work / 'modules.utrace'
    stress(options, 'modules', path, options.module, 1000)
    capture = Capture(options, path)
    capture.sound()
    equal([(row['timer'], row['count']) for row in capture.table('timers')], [('Module', '10000')], 'timers')


def test_many(options, work):
    path = work / 'many.utrace'
    said = stress(options, 'many', path, options.threads)
    capture = Capture(options, path)
    capture.sound('scope_open')
    equal((said['scopes'], sum(capture.scopes().values())), (2 * options.threads, 2 * options.threads), 'scopes')
    check(max(int(row['thread_id']) for row in capture.table('threads')) <= LOG_CUT, 'tids')


def test_wrap(options, work):
    path = work / 'wrap.utrace'
    said = stress(options, 'wrap', path, options.values)
    equal(said['lost_events'], 0, 'lost')
    capture = Capture(options, path)
    capture.sound('value_late')
    rows = capture.table('counters')
    equal([(row['counter'], row['count']) for row in rows], [('Value', str(2 * options.values))], 'counters')
    path.unlink()


def test_killed(options, work):
    """Killed at any time, a file is readable once tke_start has returned; only its last packet may be cut."""
    rng, path, cut = random.Random(1), work / 'killed.utrace', 0
    for _ in range(options.kills):
        path.unlink(missing_ok=True)
        program = subprocess.Popen([options.bin / 'emit-stress', 'killed', path], stdout=subprocess.PIPE)
        started = program.stdout.readline()
        equal(started, b'started\n', 'the program')
        time.sleep(rng.uniform(0, 0.35))
        program.kill()
        program.wait()
        program.stdout.close()
        capture = Capture(options, path)
        done = subprocess.run([capture.tracekit, 'info', path, '--full', '-f', 'json'], capture_output=True, text=True, check=False)
        check(done.returncode == 0, 'status %d: %s' % (done.returncode, done.stderr))
        found = {row['kind'] for row in json.loads(done.stdout)['health']}
        cut += 'file_truncated' in found
        allowed = {'file_truncated', 'serial_gap', 'scope_open', 'event_incomplete', 'events_lost'}
        check(found <= allowed, 'health', found - allowed)
    print('%d of %d were cut in a packet' % (cut, options.kills))


def test_cut(options, work):
    """A capture that ends anywhere is cut, not damaged, although its payloads are full of what looks like headers."""
    rng, whole, game = random.Random(2), work / 'whole.utrace', work / 'game.utrace'
    stress(options, 'budget', whole, 1 << 20)
    data = whole.read_bytes()[:600000]
    for at in sorted(rng.randrange(2000, len(data)) for _ in range(options.kills * 4)):
        cut_at(options, work, data, at)
    subprocess.run(['zstd', '-dqf', ROOT / 'fixtures' / 'game.utrace.zst', '-o', game], check=True)
    data = game.read_bytes()[:600000]
    for at in (278918, *sorted(rng.randrange(2000, len(data)) for _ in range(options.kills))):
        cut_at(options, work, data, at)


def cut_at(options, work, data, at):
    path = work / 'cut.utrace'
    path.write_bytes(data[:at])
    capture = Capture(options, path)
    status = subprocess.run([capture.tracekit, 'info', path], capture_output=True, check=False).returncode
    equal(status, 0, 'status of a file of %d bytes' % at)
    equal('file_truncated' in capture.health(), at != 48 + len(whole_packets(data[:at])), 'cut at %d' % at)


def test_grows(options, work):
    said = stress(options, 'long', work / 'grows.utrace', options.seconds)
    check(said['late'] - said['early'] < 1 << 20, 'resident: from', said['early'], 'to', said['late'])


def test_environment(options, work):
    """The variable starts a program that only calls exit; a file that is there is left alone."""
    path = work / 'by-%p-%n.utrace'
    env = {'TRACEKIT_EMIT': '%s;channels=default,-log;buffer=1M' % path}
    run(options, 'off', 'unused', env=env)
    written = list(work.glob('by-*-emit-stress.utrace'))
    equal(len(written), 1, 'files')
    channels = {row['name']: row['enabled'] for row in Capture(options, written[0]).info()['channels']}
    check(not channels['Log'] and channels['Cpu'], channels)
    before = written[0].read_bytes()
    for more, said in (('', 'File exists'), (';overwrite', ''), (';what=1', 'Invalid argument')):
        done = subprocess.run([options.bin / 'emit-stress', 'off', 'unused'], capture_output=True, text=True, check=True,
                              env={**os.environ, 'TRACEKIT_EMIT': str(written[0]) + more})
        check(said in done.stderr and bool(said) == bool(done.stderr), done.stderr)
        check((before == written[0].read_bytes()) == (more != ';overwrite'), 'the file with', more)
        before = written[0].read_bytes()
    run(options, 'off', 'unused', env={'TRACEKIT_EMIT': ''})


def test_levels(options, work):
    """With TKE_LEVEL 0 no symbol of the emitter is left in a program."""
    source, program = ROOT / 'tests' / 'emit' / 'emit_families.c', work / 'level.o'
    for level in (0, 1, 2):
        for flags in (('-O0',), ('-O2', '-Wall', '-Wextra', '-Werror', '-Wconversion', '-Wshadow')):
            done = subprocess.run([options.cc, '-std=c11', '-D_GNU_SOURCE', '-DTKE_LEVEL=%d' % level, '-I', ROOT / 'emit', *flags,
                                   '-c', source, '-o', program], capture_output=True, text=True, check=False)
            check(done.returncode == 0, 'level %d, %s: %s' % (level, flags, done.stderr))
            symbols = subprocess.run(['nm', program], capture_output=True, text=True, check=True).stdout
            equal('tke_' in symbols, level > 0, 'symbols at level %d' % level)
    plus = shutil.which('c++')
    for standard in ('c++11', 'c++17', 'c++20') if plus else ():
        done = subprocess.run([plus, '-std=' + standard, '-fno-exceptions', '-fno-rtti', '-Wall', '-Wextra', '-Wshadow', '-Werror',
                               '-I', ROOT / 'emit', '-c', ROOT / 'tests' / 'emit' / 'emit_cpp.cpp', '-o', program],
                              capture_output=True, text=True, check=False)
        check(done.returncode == 0, '%s: %s' % (standard, done.stderr))


def test_exports(options, work):
    path = work / 'exports.utrace'
    run(options, path, program='emit-families')
    for form in ('tracy', 'perfetto', 'chrome', 'speedscope', 'pprof'):
        made = work / ('exports.' + form)
        done = subprocess.run([options.build / 'bin' / 'tracekit', 'export', path, '-f', form, '-o', made], capture_output=True,
                              text=True, check=False)
        check(done.returncode == 0 and made.stat().st_size, form, done.stderr)
    for form in ('tracy', 'perfetto', 'chrome'):
        made = work / ('exports.' + form)
        scopes = sum(int(row['count']) for row in Capture(options, made).table('timers', '-c', 'count'))
        equal(scopes, 644, 'scopes in ' + form)


def example(options, work, name, *words, env=None):
    """Timer -> calls, of what a program writes."""
    path = work / (name + '.utrace')
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False,
                          env={**os.environ, 'TRACEKIT_EMIT': str(path), **(env or {})})
    check(done.returncode == 0, name, done.stdout, done.stderr)
    capture = Capture(options, path)
    capture.sound()
    return capture, {row['timer']: int(row['count']) for row in capture.table('timers')}


def test_examples(options, work):
    library = options.build / 'lib'
    capture, timers = example(options, work, 'server', options.bin / 'emit_server', 50)
    equal(timers, {'request': 50, 'look up': 50, 'answer': 50}, 'emit_server')
    equal(len(capture.table('logs')), 2, 'warnings of emit_server')
    if (options.bin / 'emit_game').exists():
        capture, timers = example(options, work, 'game', options.bin / 'emit_game', 40)
        equal([timers[name] for name in ('Tick', 'Simulate', 'Render')], [40] * 3, 'emit_game')
        equal(len(capture.table('bookmarks')), 1, 'bookmarks of emit_game')
        check(timers['Job'] >= 20 and len(capture.scopes()) == 5, timers, capture.scopes())
    if not options.sanitized:
        env = {'TRACEKIT_EMIT_LIBRARY': str(library / 'libtracekit_emit.so.1'), 'PYTHONPATH': str(ROOT / 'emit' / 'python'),
               'PYTHONDONTWRITEBYTECODE': '1'}
        capture, timers = example(options, work, 'script', sys.executable, ROOT / 'examples' / 'emit' / 'emit_script.py', 30, env=env)
        equal(timers, {'turn': 30, 'count': 30}, 'emit_script.py')
        equal([(row['counter'], row['count']) for row in capture.table('counters')], [('words', '30')], 'counters')
    if shutil.which('cargo') and not options.sanitized:
        env = {'CARGO_TARGET_DIR': str(work / 'cargo'), 'TRACEKIT_EMIT_DIR': str(library), 'CARGO_NET_OFFLINE': 'true'}
        sources = shutil.copytree(ROOT, work / 'sources', ignore=only('emit', 'examples'))
        built = subprocess.run(['cargo', 'build', '--offline', '--quiet'], cwd=sources / 'examples' / 'emit' / 'emit_rust',
                               env={**os.environ, **env}, capture_output=True, text=True, check=False)
        check(built.returncode == 0, 'cargo:', built.stderr)
        _, timers = example(options, work, 'rust', work / 'cargo' / 'debug' / 'emit_rust', 30, env={'LD_LIBRARY_PATH': str(library)})
        equal(timers, {'turn': 30, 'count': 30}, 'emit_rust')


def only(*names):
    """Of the top of a tree: cargo writes where the sources are."""
    return lambda folder, found: [name for name in found if pathlib.Path(folder) == ROOT and name not in names]


def test_readme(options, work):
    """The program of the README, and the page that it shows but for the times."""
    text = (ROOT / 'README.md').read_text(encoding='utf-8').partition('## Trace your own program')[2]
    code, page = (text.partition('```%s\n' % kind)[2].partition('```')[0] for kind in ('c', 'text'))
    equal(len([line for line in code.splitlines() if line]), 13, 'lines of the program')
    source, program = work / 'demo.c', work / 'demo'
    source.write_text(code, encoding='utf-8')
    flags = ['-fsanitize=' + options.sanitized] if options.sanitized else []
    built = subprocess.run([options.cc, source, '-I', ROOT / 'emit', '-L', options.build / 'lib', '-ltracekit_emit', *flags,
                            '-Wl,-rpath,%s' % (options.build / 'lib'), '-o', program], capture_output=True, text=True, check=False)
    check(built.returncode == 0, built.stderr)
    for _ in range(8):          # on a busy machine other frames are longer than those that load
        (work / 'demo.utrace').unlink(missing_ok=True)
        capture, timers = example(options, work, 'demo', program)
        equal(timers, {'Tick': 200, 'Load': 4}, 'calls')
        frames = [row['frame'] for row in capture.table('hitches') if row['timer'] in ('Load', 'Tick')]
        if {'50', '100', '150'} <= set(frames):
            break
    done = subprocess.run([capture.tracekit, 'stats', capture.path], capture_output=True, text=True, check=True)
    got, wanted = ([re.sub(r'[0-9][0-9.]* *(?:ms|us|s)?', '#', line).split() for line in part.splitlines()[:2]]
                  for part in (done.stdout, page))
    equal(got, wanted, 'the page')
    check({'50', '100', '150'} <= set(frames), 'hitches at', frames)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--build', type=pathlib.Path, required=True)
    parser.add_argument('--bin', type=pathlib.Path, required=True, help='where the programs lie')
    parser.add_argument('--module', type=pathlib.Path)
    parser.add_argument('--cc', default='cc')
    parser.add_argument('--no-reader', action='store_true')
    parser.add_argument('--sanitized', default='')
    for name, default in (('scopes', 400000), ('kills', 20), ('values', 200000), ('threads', 2000), ('seconds', 3)):
        parser.add_argument('--' + name, type=int, default=default)
    parser.add_argument('tests', nargs='+')
    options = parser.parse_args()
    failed = 0
    for name in options.tests:
        with tempfile.TemporaryDirectory() as directory:
            try:
                globals()['test_' + name](options, pathlib.Path(directory))
            except Wrong as wrong:
                failed += 1
                print('%s: %s' % (name, wrong), file=sys.stderr)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
