#!/usr/bin/env python3
"""A store against conversations that were recorded between real viewers and servers, byte for byte; captures that it
gives out while they grow; requests that mean no good; and its rules for the disk."""

import json
import os
import socket
import struct
import tempfile
import time

import rig

STATUS = '$status'


def text(s):
    return bytes([0x60 | len(s)]) + s.encode()


def request(path, **numbers):
    body = b'\xbf' + text('$request') + text('GET') + text('$path') + text(path)
    for key, value in numbers.items():
        body += text(key) + (b'\x1a' + struct.pack('>I', value) if value >= 0 else b'\x3a' + struct.pack('>I', -1 - value))
    return body + b'\xff'


def exact(sock, n):
    data = b''
    while len(data) < n:
        piece = sock.recv(n - len(data))
        if not piece:
            raise OSError('the store hung up')
        data += piece
    return data


def ask(sock, body):
    sock.sendall(struct.pack('<I', len(body)) + body)
    return exact(sock, struct.unpack('<I', exact(sock, 4))[0])


def decode(data):
    """A map of CBOR as the store writes it: the keys with numbers, texts, and empty lists."""
    at = 1
    assert data[0] == 0xbf and data[-1] == 0xff, data

    def item():
        nonlocal at
        major, info = data[at] >> 5, data[at] & 31
        at += 1
        if info >= 24:
            n = 1 << (info - 24)
            value = int.from_bytes(data[at:at + n], 'big')
            at += n
        else:
            value = info
        if major == 3:
            at += value
            return data[at - value:at].decode()
        assert major in (0, 4), data
        return value if major == 0 else []

    found = {}
    while data[at] != 0xff:
        key = item()
        found[key] = item()
    return found


def fill(folder, script, fixtures):
    for capture in script['store']:
        path = os.path.join(folder, capture['file'])
        with open(path, 'wb') as file:
            file.write((fixtures / os.path.basename(capture['copy_of'])).read_bytes())
        os.utime(path, (capture['mtime'], capture['mtime']))


def check_session(checks, args, name):
    """Each recorded request gets the recorded bytes. By index the order of captures is free; ports of relays and the
    folder are of the machine. What belongs to the recording that went on then is left out."""
    script = json.loads((args.fixtures / (name + '.json')).read_text(encoding='utf-8'))
    requests, answers = (args.fixtures / (name + '.request.bin')).read_bytes(), (args.fixtures / (name + '.answer.bin')).read_bytes()
    known = {c['id'] for c in script['store']}
    infos = {answers[e['answer']['offset'] + 4:e['answer']['offset'] + 4 + e['answer']['size']] for e in script['exchanges']}
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        fill(folder, script, args.fixtures)
        r = rig.Recorder(args.bin, '--store', folder, '--store-port', 0, '--store-form', '5.1', '--free', '1M')
        with rig.connect(r.store) as sock:
            for e in script['exchanges']:
                at, body, want = e['request']['offset'], e['request']['body'], e['answer']['body']
                data = requests[at + 4:at + 4 + e['request']['size']]
                recorded = answers[e['answer']['offset'] + 4:e['answer']['offset'] + 4 + e['answer']['size']]
                requested = body if isinstance(body, dict) else {}
                path = requested.get('$path', '')
                if path.startswith('v1/session') and want.get(STATUS) == 200 or want.get('count', 4) != 4 or (
                        want.get('id', 0) not in known and 'id' in want) or ('port' in want and requested['id'] & 0xffffffff not in known):
                    continue
                got = ask(sock, data)
                compared += 1
                where = '%s at %d, %s' % (name, at, e.get('note', path))
                if path == 'v1/status':
                    said = decode(got)
                    checks(where, list(said) == list(want) and said['store_dir'] == os.path.realpath(folder) and
                           (said['change_serial'] == sum(known) % 2 ** 32), said)
                elif 'port' in want:
                    check_relay(checks, where, decode(got)['port'], folder, script, requested['id'] & 0xffffffff)
                    checks(where, list(decode(got)) == list(want), got)
                elif 'index' in requested and 'id' not in requested and want[STATUS] == 200:
                    checks(where, got in infos, got)
                else:
                    checks(where, got == recorded, (got, recorded))
        checks(name + ': status', r.stop() == 0, r.errors())
    checks(name + ': most was compared', compared > len(script['exchanges']) * 0.5, compared)


def check_relay(checks, where, port, folder, script, number):
    name = next(c['file'] for c in script['store'] if c['id'] == number)
    with rig.connect(port) as sock:
        data = read_all(sock)
        try:
            socket.create_connection((rig.HOME, port), timeout=1).close()
            second = True
        except OSError:
            second = False
    with open(os.path.join(folder, name), 'rb') as file:
        checks(where + ': the bytes', data == file.read(), len(data))
    checks(where + ': for one reader', not second)


def read_all(sock):
    data = b''
    while piece := sock.recv(1 << 18):
        data += piece
    return data


def check_growth(checks, args):
    """A capture is listed and given out while it grows, and ends when the program does."""
    data = (args.fixtures / 'plain-5.6.utrace').read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        r = rig.Recorder(args.bin, '--store', folder, '--store-port', 0, '--free', '1M')
        with rig.connect(r.port) as program, rig.connect(r.store) as sock:
            program.sendall(data[:5000])
            rig.within(lambda: decode(ask(sock, request('v1/session/count')))['count'] == 1)
            session = decode(ask(sock, request('v1/session/info', index=0)))
            checks('the session', session['control_port'] == 1985 and session['ip_address'] == 0x7f000001, session)
            rig.within(lambda: decode(ask(sock, request('v1/trace/info', id=session['trace_id'])))['size'] == 5000)
            info = decode(ask(sock, request('v1/trace/info', id=session['trace_id'])))
            checks('the capture', info['size'] == 5000 and info['uri'] == str(rig.captures(os.path.realpath(folder))[0]), info)
            guid = 'A15FCD76344FD3516D63C88F82631F1C'          # of plain-5.6, live 8.1
            body = request('v1/session/info')[:-1] + text('trace_guid') + b'\x78\x20' + guid.encode() + b'\xff'
            checks('by guid', decode(ask(sock, body)).get('trace_id') == session['trace_id'])
            port = decode(ask(sock, request('v1/trace/read', id=session['trace_id'])))['port']
            with rig.connect(port) as reader:
                checks('what there is', exact(reader, 5000) == data[:5000])
                program.sendall(data[5000:20000])
                begin = time.monotonic()
                checks('what comes', exact(reader, 15000) == data[5000:20000] and time.monotonic() - begin < 1)
                program.sendall(data[20000:])
                program.close()
                checks('to its end', read_all(reader) == data[20000:])
            checks('no session any more', rig.within(lambda: decode(ask(sock, request('v1/session/count')))['count'] == 0, 2))
            path = rig.captures(folder)[0]
            path.rename(path.with_name('mine.utrace'))
            seen = rig.within(lambda: decode(ask(sock, request('v1/trace/info', index=0)))['name'] == 'mine', 2)
            checks('another name is noticed', seen)
            (path.parent / 'link.utrace').symlink_to('/etc/passwd')
            (path.parent / 'X.UTRACE').write_bytes(data)
            time.sleep(0.6)
            checks('no links', decode(ask(sock, request('v1/trace/count')))['count'] == 1)
            checks('version', decode(ask(sock, request('v1/version'))).get('major') == 1)
            checks('settings stay', decode(ask(sock, request('v1/settings/write')))[STATUS] == 403)
            late = decode(ask(sock, request('v1/trace/read', index=0, id=decode(ask(sock, request('v1/trace/info', index=0)))['id'])))
            time.sleep(3.4)
            try:
                rig.connect(late['port']).close()
                checks('a relay waits 3 seconds', False)
            except OSError:
                checks('a relay waits 3 seconds', True)
        checks('status', r.stop() == 0, r.errors())


def check_hostile(checks, args):
    with tempfile.TemporaryDirectory() as folder:
        r = rig.Recorder(args.bin, '--store', folder, '--store-port', 0, '--free', '1M')
        deep = b'\xbf' + text('a') + b'\x81' * 4000
        for name, data in (('4 GB', b'\xff\xff\xff\xff'), ('2 GB', b'\xff\xff\xff\x7f' + bytes(100)),
                           ('a page of another origin', b'POST /v1/status HTTP/1.1\r\nOrigin: http://evil\r\n\r\n')):
            with rig.connect(r.store) as sock:
                sock.sendall(data)
                answer = read_all(sock)
            checks(name, decode(answer[4:]) == {STATUS: 400}, answer)
        with rig.connect(r.store) as sock:
            for name, body in (('many levels', deep), ('a path', request('v1/../../etc/passwd')), ('nothing', b''),
                               ('a text of 4 GB', b'\xbf\x7a\xff\xff\xff\xff' + bytes(10)), ('an array of 4 GB', b'\x9b' + b'\xff' * 8),
                               ('a path for an id', request('v1/trace/read')[:-1] + text('id') + text('../x') + b'\xff')):
                got = decode(ask(sock, body))
                checks(name, got[STATUS] in (400, 404), got)
            checks('it goes on', decode(ask(sock, request('v1/trace/count'))) == {STATUS: 200, 'count': 0})
            body = request('v1/trace/count')
            for byte in struct.pack('<I', len(body)) + body:   # byte by byte
                sock.sendall(bytes([byte]))
            checks('byte by byte', decode(exact(sock, struct.unpack('<I', exact(sock, 4))[0]))['count'] == 0)
            sock.sendall(2 * (struct.pack('<I', len(body)) + body))
            checks('two at once', len(exact(sock, 2 * (4 + 19))) == 46)
        many = [rig.connect(r.store) for _ in range(200)]
        for sock in many:
            sock.sendall(b'\x10\x00\x00\x00\xbf')              # half a request, and silence
        with rig.connect(r.store) as sock:
            checks('beside 200 that say half', decode(ask(sock, request('v1/trace/count')))['count'] == 0)
        for sock in many:
            rig.reset(sock)
        checks('status', r.stop() == 0, r.errors())


def check_rules(checks, args):
    with tempfile.TemporaryDirectory() as folder:
        def put(name, size, days):
            path = os.path.join(folder, name)
            with open(path, 'wb') as file:
                file.write(bytes(size))
            os.utime(path, (time.time() - days * 86400,) * 2)

        put('20250101_000000.utrace', 1000, 30)
        put('20250101_000000.ucache', 10, 30)
        put('20250102_000000_00.utrace', 1000, 20)
        put('20250103_000000.utrace', 1000, 3)
        put('20250104_000000.utrace', 1000, 2)
        put('kept by somebody.utrace', 1000, 40)
        put('20250101_000000-mine.utrace', 1000, 40)
        put('notes.txt', 1000, 40)
        r = rig.Recorder(args.bin, '--store', folder, '--store-port', 0, '--free', '1M', '--keep-days', '10', '--keep-bytes', '3500')
        rig.within(lambda: r.text().count('removed') >= 3)
        time.sleep(0.3)
        checks('status', r.stop() == 0, r.errors())
        # 30 and 20 days are too old; 4000 bytes of captures are left then, one more goes
        checks('rules', sorted(os.listdir(folder)) == ['20250101_000000-mine.utrace', '20250104_000000.utrace',
                                                       'kept by somebody.utrace', 'notes.txt'], os.listdir(folder))
        checks('removing is said', r.text().count('older than --keep-days') == 2 and r.text().count('--keep-bytes') == 1, r.text())
        r = rig.Recorder(args.bin, '--store', folder, '--store-port', 0, '--free', '900000T')
        checks('the disk is below what stays free', r.wait() == 3 and '--free keeps' in r.errors(), r.errors())


def check(checks, args):
    for name in ('edges-5.1.1', 'viewer-5.1.1-server-5.1.1'):
        check_session(checks, args, name)
    check_growth(checks, args)
    check_hostile(checks, args)
    check_rules(checks, args)


if __name__ == '__main__':
    rig.main(check)
