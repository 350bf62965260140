#!/usr/bin/env python3
"""trace-control with a program that is made here: it takes lines as the engine does (live 4.2), connects to the recorder,
and says in its stream which channels it switched. What it got is compared with the lines of the paper."""

import json
import os
import socket
import struct
import subprocess
import tempfile
import threading

import rig
from check_record import SCHEMA, schema


def channel_id(name):
    """Wire 6: FNV-1a of the name without its ending, in lower case."""
    name = name[:-7] if len(name) > 7 and name.endswith('Channel') else name
    name = name[:-1] if len(name) > 1 and name[-1] in 'sS' else name
    h = 0x811c9dc5
    for byte in name.encode():
        h = (h ^ (byte | 0x20)) * 0x01000193 & 0xffffffff
    return h


class Program:
    """Listens on a control port; its stream is a recorded one with another port, then switches as they are requested."""

    def __init__(self, stream, recorder, obeys=True):
        self.recorder, self.obeys = recorder, obeys
        self.lines = []
        self.sock = socket.socket()
        self.sock.bind((rig.HOME, 0))
        self.sock.listen(4)
        self.port = self.sock.getsockname()[1]
        self.stream = stream[:8] + struct.pack('<H', self.port) + stream[10:]
        self.trace = None
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                client, _ = self.sock.accept()
            except OSError:
                return
            data = b''
            while piece := client.recv(600):
                data += piece
            client.close()
            for line in data.decode().splitlines():
                self.lines.append(line)
                if self.obeys:
                    self.obey(line.split())

    def obey(self, words):
        if words[:1] == ['SendTo'] and not self.trace:
            self.trace = rig.connect(self.recorder)
            self.trace.sendall(self.stream)
        elif words[:1] == ['Stop'] and self.trace:
            self.trace.close()
            self.trace = None
        elif words[:1] == ['ToggleChannels'] and self.trace:
            for name in words[1].split(','):
                if name in ('live', 'Live', 'Other'):
                    event = struct.pack('<HHIB', 17, 5, channel_id(name), words[2] != '0')   # uid 17 in this stream
                    self.trace.sendall(struct.pack('<HH', 4 + len(event), 1) + event)

    def close(self):
        self.sock.shutdown(socket.SHUT_RDWR)            # wakes who accepts
        self.sock.close()
        if self.trace:
            self.trace.close()


def control(args, *words):
    done = subprocess.run([args.bin / 'trace-control', *map(str, words)], capture_output=True, text=True, timeout=rig.WAIT,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def check_actions(checks, args, folder):
    stream = (args.fixtures / 'plain-5.6.utrace').read_bytes()
    r = rig.Recorder(args.bin, '--store', folder, '--store-port', 0, '--free', '1M', '--control')
    store = ('--store', '%s:%d' % (rig.HOME, r.store))
    p = Program(stream, r.port)
    at = '%s:%d' % (rig.HOME, p.port)
    checks('nothing is recorded', 'no program' in control(args, 'list', *store)[1])
    checks('send', control(args, at, 'send', rig.HOME, *store)[0] == 0, p.lines)
    code, out, _ = control(args, 'list', *store)
    checks('list', code == 0 and at in out and rig.captures(folder)[0].name in out, out)
    code, out, _ = control(args, 'list', '-f', 'json', *store)
    reported = [json.loads(line) for line in out.splitlines()]
    wrong = [fault for line in reported if (fault := schema.first_fault(line, json.loads(SCHEMA.read_text())))]
    checks('list as JSON', code == 0 and not wrong and [line['event'] for line in reported] == ['program', 'capture']
           and reported[0]['control'] == at and reported[0]['capture_id'] == reported[1]['capture_id']
           and reported[1]['capture'] + '.utrace' == rig.captures(folder)[0].name, (wrong, out))
    code, out, _ = control(args, at, 'channels', '-f', 'json', *store)
    reported = {line['channel']: line['enabled'] for line in map(json.loads, out.splitlines())}
    checks('channels as JSON', code == 0 and reported == {'Live': True, 'Locked': False, 'Other': True}, out)
    code, out, _ = control(args, at, 'channels', *store)
    # as the program noted: Live and Other were switched on before the connection, Locked never
    checks('channels', code == 0 and sorted(line.split()[:2] for line in out.splitlines()) ==
           [['off', 'Locked'], ['on', 'Live'], ['on', 'Other']], out)
    checks('disable', control(args, at, 'disable', 'live,Other', *store)[0] == 0)
    checks('enable, port of the store', control(args, rig.HOME, 'enable', 'LiveChannel', *store)[0] == 1)  # p knows two spellings
    checks('enable', control(args, rig.HOME, 'enable', 'Live', *store)[0] == 0)
    out = control(args, at, 'channels', *store)[1]
    checks('channels, switched', sorted(line.split()[:2] for line in out.splitlines()) ==
           [['off', 'Locked'], ['off', 'Other'], ['on', 'Live']], out)
    checks('switches are told', 'channel Other off' in r.text(), r.text())
    code, _, err = control(args, at, 'enable', 'live,Nonesuch', '--wait', '0.3', *store)
    checks('no such channel', code == 1 and "'Nonesuch' was not seen" in err, err)
    checks('enable, on already', control(args, at, 'enable', 'LIVE', '--wait', '0.3', *store)[0] == 0)    # p says nothing of it
    checks('stop', control(args, at, 'stop', *store)[0] == 0)
    checks('stop, unconfirmed', control(args, at, 'stop', '--wait', '0.3', *store)[0] == 1)
    lines = ['SendTo 127.0.0.1', 'ToggleChannels live,Other 0', 'ToggleChannels LiveChannel 1', 'ToggleChannels Live 1',
             'ToggleChannels live,Nonesuch 1', 'ToggleChannels LIVE 1', 'Stop', 'Stop']
    checks('the lines', rig.within(lambda: p.lines == lines), p.lines)
    code, _, err = control(args, at, 'file', '/tmp/x', *store)
    checks('file', code == 1 and 'emptied' in err and rig.within(lambda: p.lines[-1] == 'WriteTo /tmp/x'), err)
    capture = rig.captures(folder)[0]
    checks('port of a capture', control(args, rig.HOME, 'stop', '--of', capture, '--wait', '0.3', *store)[0] == 1)
    checks('it came there', rig.within(lambda: p.lines[-1] == 'Stop', 2), p.lines)
    p.close()
    deaf = Program(stream, r.port, obeys=False)
    checks('send, unconfirmed', control(args, '%s:%d' % (rig.HOME, deaf.port), 'send', rig.HOME, '--wait', '0.3', *store)[0] == 1)
    deaf.close()
    checks('nobody listens', control(args, at, 'stop', *store)[0] == 3)
    checks('no store', control(args, 'list', '--store', '%s:%d' % (rig.HOME, 1))[0] == 3)
    r.stop()


def check_refusals(checks, args):
    for words, part in ((('x:1', 'snapshot'), 'Trace.SnapshotFile'), (('x:1', 'bookmark'), 'Trace.Bookmark'),
                        (('127.0.0.1:1', 'file', '/tmp/a b'), 'space'), (('127.0.0.1:1', 'enable', 'a\nStop'), 'control character'),
                        (('127.0.0.1:1', 'enable', 'x' * 600), 'bytes'), (('127.0.0.1:1', 'send', 'host:99'), '5.7'),
                        (('127.0.0.1:1', 'frobnicate'), 'no action'), ((), 'which program'), (('127.0.0.1:99999', 'stop'), 'HOST'),
                        (('127.0.0.1:1', 'stop', 'now'), 'no argument'), (('127.0.0.1:1', 'enable', ','), 'which channels'),
                        (('127.0.0.1:1', 'enable', 'cpu', 'frame'), 'commas')):
        code, _, err = control(args, *words)
        checks('refused: %s' % ' '.join(words)[:40], code == 2 and part in err, err)


def check_unrecorded(checks, args, folder):
    """A program that waits on the usual port is reported of."""
    r = rig.Recorder(args.bin, '--store', folder, '--store-port', 0, '--free', '1M')
    store = ('--store', '%s:%d' % (rig.HOME, r.store))
    try:
        with socket.create_server((rig.HOME, 1985)):
            code, out, _ = control(args, 'list', *store)
            checks('list, unrecorded', code == 0 and '127.0.0.1:1985 ' in out, out)
            code, out, _ = control(args, 'list', '-f', 'json', *store)
            reported = [json.loads(line) for line in out.splitlines()]
            wrong = [fault for line in reported if (fault := schema.first_fault(line, json.loads(SCHEMA.read_text())))]
            checks('list, unrecorded, as JSON', code == 0 and not wrong and
                   reported == [{'event': 'program', 'control': '127.0.0.1:1985', 'capture_id': None, 'capture': None}], (wrong, out))
    except OSError:
        print('left out: somebody has port 1985')
        return
    finally:
        r.stop()


def liar(answers):
    """A store that answers each request with the next of these bytes, and hangs up."""
    sock = socket.socket()
    sock.bind((rig.HOME, 0))
    sock.listen(1)

    def run():
        client, _ = sock.accept()
        for answer in answers:
            client.recv(200)
            client.sendall(answer)
        client.close()
    threading.Thread(target=run, daemon=True).start()
    return sock.getsockname()[1]


def check_liars(checks, args):
    good = b'\xbf\x67$status\x18\xc8'
    for name, answers in (('4 GB', [b'\xff\xff\xff\xff']), ('nothing', [b'']), ('half', [struct.pack('<I', 50) + good]),
                          ('no map', [struct.pack('<I', 1) + b'\x05']), ('no status', [struct.pack('<I', 2) + b'\xbf\xff']),
                          ('a count beyond all', [struct.pack('<I', len(good) + 16) + good + b'\x65count\x1b' + b'\xff' * 8 + b'\xff']),
                          ('many levels', [struct.pack('<I', 3000) + b'\xbf' + b'\x81' * 2999])):
        code, _, err = control(args, 'list', '--store', '%s:%d' % (rig.HOME, liar(answers)))
        checks('a store that lies: ' + name, code == 3 and 'store' in err or 'status' in err, (code, err))


def check_portless(checks, args):
    """A program that says no control port, or that it has none."""
    streams = [(args.fixtures / 'plain-4.27.2.utrace').read_bytes(), (args.fixtures / 'plain-5.6.utrace').read_bytes()]
    streams[1] = streams[1][:8] + struct.pack('<H', 65535) + streams[1][10:]
    for stream in streams:
        with tempfile.TemporaryDirectory() as folder:
            r = rig.Recorder(args.bin, '--store', folder, '--store-port', 0, '--free', '1M')
            store = ('--store', '%s:%d' % (rig.HOME, r.store))
            with rig.connect(r.port) as program:
                program.sendall(stream)
                rig.within(lambda: 'no program' not in control(args, 'list', *store)[1])
                line = control(args, 'list', *store)[1].splitlines()[1].split()
                reported = json.loads(control(args, 'list', '-f', 'json', *store)[1].splitlines()[0])
            checks('no control port', line[0] == '-', line)
            checks('nor one as JSON', reported['control'] is None and not schema.first_fault(reported, json.loads(SCHEMA.read_text())), reported)
            r.stop()


def check(checks, args):
    checks('ids of channels', [channel_id(n) for n in ('CpuChannel', 'FrameChannel', 'Logs')] ==
           [0xf94af989, 0xd20a71a6, 0x3f515151])      # wire 6
    with tempfile.TemporaryDirectory() as folder:
        check_actions(checks, args, folder)
    with tempfile.TemporaryDirectory() as folder:
        check_unrecorded(checks, args, folder)
    check_refusals(checks, args)
    check_liars(checks, args)
    check_portless(checks, args)


if __name__ == '__main__':
    rig.main(check)
