#!/usr/bin/env python3
"""--follow of trace-stats and trace-events: what is displayed in the end is what the commands show of the whole capture, each
report before it is about what had come, and it ends when the recording does."""

import json
import os
import random
import signal
import subprocess
import tempfile
import time

import rig

FOLLOWED = 'threads.utrace'     # 76 threads, of fixtures/


def run(args, *words):
    done = subprocess.run([args.bin / words[0], *map(str, words[1:])], capture_output=True, text=True, timeout=rig.WAIT * 3,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def start(args, *words):
    return subprocess.Popen([args.bin / words[0], *map(str, words[1:])], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, stdin=subprocess.DEVNULL)


def send(sock, data, seconds, random_):
    begin, at = time.monotonic(), 0
    while at < len(data):
        size = random_.choice((1, 100, 3000, 20000))
        sock.sendall(data[at:at + size])
        at += size
        time.sleep(max(0, min(0.1, begin + seconds * min(1, at / len(data)) - time.monotonic())))


def check_recording(checks, args, data):
    """A recording of our own: its lock says the end, the relay of the store does, too."""
    with tempfile.TemporaryDirectory() as folder:
        r = rig.Recorder(args.bin, '--store', folder, '--store-port', 0, '--free', '1M')
        with rig.connect(r.port) as program:
            program.sendall(data[:3000])
            rig.within(lambda: rig.captures(folder))
            capture = rig.captures(folder)[0]
            place = 'tcp://%s:%d' % (rig.HOME, r.store)
            followers = [start(args, 'trace-stats', '--follow', capture),
                         start(args, 'trace-stats', '--follow', place, '-t', 'timers,frames', '-f', 'csv'),
                         start(args, 'trace-events', '--follow', place, '-f', 'ndjson'),
                         start(args, 'trace-events', '--follow', capture, '-f', 'csv', '-c', 'event,serial')]
            send(program, data[3000:], 3, random.Random(1))
        begin = time.monotonic()
        ended = [f.communicate(timeout=rig.WAIT) for f in followers]
        checks('they end with the recording', time.monotonic() - begin < 8, time.monotonic() - begin)
        checks('status', [f.returncode for f in followers] == [0] * 4, [(f.returncode, e) for f, e in zip(followers, ended)])
        pages = ended[0][0].split('--- ')
        checks('again and again', len(pages) >= 3, len(pages))
        last = pages[-1].split('\n', 1)[1]
        checks('the last page', last == run(args, 'trace-stats', capture)[1], last[:300])
        sizes = [float(page.split()[0]) * {'B': 1, 'kB': 1e3, 'MB': 1e6}[page.split()[1]] for page in pages[1:]]
        checks('each with more', sizes == sorted(sizes), sizes)
        checks('tables', ended[1][0] == run(args, 'trace-stats', capture, '-t', 'timers,frames', '-f', 'csv')[1])
        offline = run(args, 'trace-events', capture, '-f', 'ndjson')[1]
        checks('each event once', sorted(ended[2][0].splitlines()) == sorted(offline.splitlines()), len(ended[2][0]))
        offline = run(args, 'trace-events', capture, '-f', 'csv', '-c', 'event,serial')[1]
        lines = ended[3][0].splitlines()
        checks('columns', lines[0] == 'event,serial' and sorted(lines) == sorted(offline.splitlines()), lines[:3])
        r.stop()


def check_file(checks, args, data):
    """A file that somebody else writes: the end is when nothing comes any more; another file is an error."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'x.utrace')
        with open(path, 'wb') as file:
            file.write(data[:20])
            file.flush()
            follower = start(args, 'trace-stats', '--follow', '--idle', '1', path)
            for at in range(20, len(data), 40000):
                file.write(data[at:at + 40000])
                file.flush()
                time.sleep(0.1)
        out, err = follower.communicate(timeout=rig.WAIT)
        checks('nothing more comes', follower.returncode == 0, err)
        checks('the whole file', out.split('--- ')[-1].split('\n', 1)[1] == run(args, 'trace-stats', path)[1], err)
        for name, change in (('gone', os.remove), ('emptied', lambda p: open(p, 'wb').close())):
            with open(path, 'wb') as file:
                file.write(data)
            follower = start(args, 'trace-stats', '--follow', path)
            time.sleep(1)
            change(path)
            out, err = follower.communicate(timeout=rig.WAIT)
            checks('a file that is ' + name, follower.returncode == 3 and 'place' in err or 'gone' in err, (follower.returncode, err))


def check_view(checks, args, data):
    """Two captures of a store in one view: what came of each is in a file that is the user's alone, and gone in the end, also
    where the view is stopped while it waits for a header."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as apart:
        r = rig.Recorder(args.bin, '--store', folder, '--store-port', 0, '--free', '1M')
        with rig.connect(r.port) as one, rig.connect(r.port) as two:
            for program in (one, two):
                program.sendall(data[:3000])
            rig.within(lambda: len(rig.captures(folder)) == 2)
            reported = run(args, 'trace-control', 'list', '-f', 'json', '--store', '%s:%d' % (rig.HOME, r.store))[1]
            places = ['tcp://%s:%d/%d' % (rig.HOME, r.store, line['capture_id'])
                      for line in map(json.loads, reported.splitlines()) if line['event'] == 'program']
            os.environ['TMPDIR'] = apart
            view = start(args, 'trace-view', '--follow', *places)
            address = view.stdout.readline()
            files = [os.stat(os.path.join(apart, name)) for name in os.listdir(apart) if name.endswith('.utrace')]
            checks('a view of two', '127.0.0.1' in address and len(files) == 2, (places, address, os.listdir(apart)))
            checks('for the user alone', all(f.st_mode & 0o777 == 0o600 for f in files), [oct(f.st_mode) for f in files])
            view.send_signal(signal.SIGINT)
            checks('it ends', view.wait(rig.WAIT) == 0, view.stderr.read())
            checks('nothing is left', os.listdir(apart) == [], os.listdir(apart))
            short = os.path.join(folder, 'short')
            with open(short, 'wb') as file:
                file.write(data[:20])
            view = start(args, 'trace-view', '--follow', places[0], short)
            rig.within(lambda: any(name.endswith('.utrace') for name in os.listdir(apart)))
            time.sleep(0.3)
            view.send_signal(signal.SIGINT)
            checks('stopped early', view.wait(rig.WAIT) == -signal.SIGINT, view.stderr.read())
            checks('nothing is left, either', os.listdir(apart) == [], os.listdir(apart))
            del os.environ['TMPDIR']
        r.stop()


def check_refusals(checks, args):
    for words, code in ((('trace-stats', '--follow'), 2), (('trace-stats', '--follow', '/nosuch'), 3),
                        (('trace-stats', '--follow', 'tcp://'), 2), (('trace-stats', '--follow', 'tcp://127.0.0.1:1'), 3),
                        (('trace-stats', '--follow', 'tcp://127.0.0.1:x'), 2), (('trace-view', 'tcp://127.0.0.1:1'), 2),
                        (('trace-events', '--follow', '--count', 'x'), 2), (('trace-events', '--follow', 'tracy://127.0.0.1:1'), 2),
                        (('trace-stats', '--idle', '1', 'x'), 2), (('trace-stats', '--follow', '--idle', '0', 'x'), 2)):
        got = run(args, *words)
        checks('refused: ' + ' '.join(words), got[0] == code, got)


def check(checks, args):
    data = (args.fixtures.parent / FOLLOWED).read_bytes()
    check_recording(checks, args, data)
    check_file(checks, args, data)
    check_view(checks, args, data)
    check_refusals(checks, args)


if __name__ == '__main__':
    rig.main(check)
