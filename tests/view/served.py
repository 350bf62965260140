"""trace-view as a client sees it: the command, its address and token, raw requests and answers."""

import json
import os
import signal
import socket
import struct
import subprocess
import time

# Behind an `&` of a shell it is ignored, and the commands would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

TIMEOUT = 20


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    def json(self):
        return json.loads(self.body)


class Boxes:
    """An answer to a window: columns, little endian."""

    def __init__(self, body):
        self.n, lanes, exact, _, self.width = struct.unpack_from('<IIIId', body)
        at = 24

        def take(kind, count):
            nonlocal at
            values = struct.unpack_from('<%d%s' % (count, kind), body, at)
            at += struct.calcsize('<%d%s' % (count, kind))
            return values
        self.exact = bool(exact)
        self.start, self.length = take('d', self.n), take('d', self.n)
        self.timer, self.count, self.ends = take('I', self.n), take('I', self.n), take('I', lanes)
        self.depth, self.cover = take('H', self.n), take('B', self.n)
        if at != len(body):
            raise ValueError('%d bytes instead of %d' % (len(body), at))

    def rows(self):
        """(lane of the question, row, start, length, timer, count, cover) of each box."""
        first = 0
        for lane, end in enumerate(self.ends):
            for i in range(first, end):
                yield lane, self.depth[i], int(self.start[i]), int(self.length[i]), self.timer[i], self.count[i], self.cover[i]
            first = end


def read_answer(s):
    """One answer of a connection, or None where it ends before."""
    head = b''
    while b'\r\n\r\n' not in head:
        part = s.recv(4096)
        if not part:
            return None
        head += part
    head, _, body = head.partition(b'\r\n\r\n')
    lines = head.decode('latin-1').split('\r\n')
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(':') for line in lines[1:])}
    length = int(fields['content-length'])
    while len(body) < length:
        part = s.recv(65536)
        if not part:
            return None
        body += part
    return Answer(int(lines[0].split(' ')[1]), fields, body)


class Served:
    """stdout: a pipe, whose other end the caller reads and gives take_address() what comes."""

    def __init__(self, directory, *arguments, stdout=None):
        environment = {**os.environ, 'LC_ALL': 'C', 'NO_COLOR': '1'}
        self.process = subprocess.Popen([str(directory / 'trace-view'), *map(str, arguments)], stdin=subprocess.DEVNULL,
                                        stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True)
        self.address = ''
        if not stdout:
            self.take_address(self.process.stdout.readline())

    def take_address(self, line):
        self.address = line.strip()
        self.url, _, self.token = self.address.partition('#')
        self.port = int(self.url.rstrip('/').rpartition(':')[2]) if self.token else 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
        self.process.stderr.close()

    def end(self, number=signal.SIGINT):
        """Ends it by a signal: its status and what it said."""
        self.process.send_signal(number)
        status = self.process.wait(TIMEOUT)
        return status, self.process.stderr.read()

    def connect(self):
        s = socket.create_connection(('127.0.0.1', self.port), TIMEOUT)
        s.settimeout(TIMEOUT)
        return s

    def raw(self, request):
        """The answer to bytes, None where the connection ends without one."""
        with self.connect() as s:
            s.sendall(request)
            return read_answer(s)

    def request(self, path, *fields, token=True, host=None, method='GET', version='HTTP/1.1'):
        lines = ['%s %s %s' % (method, path, version), 'Host: ' + (host or '127.0.0.1:%d' % self.port)]
        if token:
            lines.append('X-Tracekit-Token: ' + (self.token if token is True else token))
        return '\r\n'.join([*lines, *fields, '', '']).encode('latin-1')

    def ask(self, path, *fields, **more):
        return self.raw(self.request(path, *fields, **more))

    def json(self, path):
        answer = self.ask(path)
        if answer.status != 200:
            raise ValueError('%s: %d %s' % (path, answer.status, answer.body[:200]))
        return answer.json()

    def window(self, **parameters):
        answer = self.ask('/w?' + '&'.join('%s=%s' % item for item in parameters.items()))
        if answer.status != 200:
            raise ValueError('%s: %d %s' % (parameters, answer.status, answer.body[:200]))
        return Boxes(answer.body)

    def ready(self):
        until = time.monotonic() + TIMEOUT
        while time.monotonic() < until:
            states = [c['state'] for c in self.json('/progress')['captures']]
            if all(state == 'ready' for state in states):
                return self
            time.sleep(0.02)
        raise TimeoutError('no index: %s' % states)
