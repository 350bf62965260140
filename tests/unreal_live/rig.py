"""What the checks of this folder share: a recorder that runs, sockets, streams with their truth, and counting checks.
Standard library only."""

import argparse
import json
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

# Behind an `&` of a shell it is ignored, and the commands would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

HOME = '127.0.0.1'
WAIT = 20               # seconds until something that has to come is given up


class Checks:
    def __init__(self):
        self.done = self.failed = 0

    def __call__(self, name, good, detail=''):
        self.done += 1
        if not good:
            self.failed += 1
            print('FAILED %s: %s' % (name, str(detail)[:600]), flush=True)

    def end(self):
        print('%d checks, %d failed' % (self.done, self.failed))
        return 1 if self.failed or not self.done else 0


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('--corpus', type=pathlib.Path)
    parser.add_argument('fixtures', type=pathlib.Path)
    return parser.parse_args()


def within(condition, seconds=WAIT):
    """Waits until condition() holds, and gives what it said last."""
    end = time.monotonic() + seconds
    while True:
        said = condition()
        if said or time.monotonic() > end:
            return said
        time.sleep(0.02)


class Recorder:
    """trace-record with these arguments, on ports of its own."""

    def __init__(self, bin_folder, *arguments, cwd=None, ports=True):
        self.out = tempfile.TemporaryFile('w+')
        self.err = tempfile.TemporaryFile('w+')
        self.json = 'json' in map(str, arguments)
        command = [str(bin_folder / 'trace-record'), *(['--port', '0'] if ports else []), *map(str, arguments)]
        self.process = subprocess.Popen(command, stdout=self.out, stderr=self.err, cwd=cwd, stdin=subprocess.DEVNULL)
        within(lambda: 'listening' in self.errors() or self.process.poll() is not None)
        if '--store' in map(str, arguments):
            within(lambda: 'serving' in self.errors() or self.process.poll() is not None)
        found = re.search(r'listening on \S+ ports? (\d+)', self.errors())
        self.port = int(found.group(1)) if found else None
        found = re.search(r'serving .* on port (\d+)', self.errors())
        self.store = int(found.group(1)) if found else None

    @staticmethod
    def read(file):
        with open('/dev/fd/%d' % file.fileno()) as again:
            return again.read()

    def text(self):
        """What happened: lines on standard error, those of JSON on standard output."""
        return self.read(self.out if self.json else self.err)

    def errors(self):
        return self.read(self.err)

    def wait(self, seconds=WAIT):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.wait()
        if code is None:
            self.process.kill()
            self.process.wait()
        return code


def connect(port):
    return socket.create_connection((HOME, port), timeout=WAIT)


def play(port, data, pieces=None, pause=0):
    """Sends bytes in pieces of these sizes, then hangs up."""
    with connect(port) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        at = 0
        for size in pieces or [len(data)]:
            sock.sendall(data[at:at + size])
            at += size
            if pause:
                time.sleep(pause)
        sock.sendall(data[at:])


def reset(sock):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    sock.close()


def streams(fixtures, corpus=None):
    """name -> (bytes, truth)"""
    folder = corpus / 'streams' if corpus else fixtures
    found = {}
    for path in sorted(folder.glob('*.utrace')):
        with open(path.with_suffix('.json'), encoding='utf-8') as file:
            found[path.stem] = (path.read_bytes(), json.load(file))
    return found


def captures(folder):
    return sorted(path for path in pathlib.Path(folder).iterdir() if path.suffix == '.utrace')


def in_threads(calls):
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main(check):
    checks = Checks()
    check(checks, options())
    sys.exit(checks.end())
