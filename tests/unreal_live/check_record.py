#!/usr/bin/env python3
"""Records streams of real programs that come in pieces, with pauses, cut and broken, alongside strangers: what is written is
what was sent, what is reported of it is what the programs noted, and the exit status says how it went."""

import collections
import json
import os
import pathlib
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

import rig

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / 'schemas' / 'live.schema.json'
sys.path.insert(0, str(ROOT / 'tests' / 'harness'))
import schema  # noqa: E402

PROGRAM = '''import socket, sys
host, port = [a for a in sys.argv if a.startswith('-tracehost=')][0].split('=')[1].rsplit(':', 1)
with socket.create_connection((host, int(port))) as s:
    s.sendall(open(sys.argv[1], 'rb').read())
sys.exit(int(sys.argv[2]))
'''


def cut_up(random_, data):
    """Sizes of pieces, the first ones small: the header comes in several."""
    sizes, left = [], len(data)
    while left > 0:
        size = min(left, random_.choice((1, 2, 3, 7, 46, 48, 200, 1000, 5000, 60000)))
        sizes.append(size)
        left -= size
    return sizes


def numbers(line):
    """What the line at the end of a recording says."""
    found = {}
    for word in ('thread', 'frame', 'event', 'events lost'):
        for part in line.split(', '):
            part = part.split(';')[0]
            if part.split(' ', 1)[-1] in (word, word + 's'):
                found[word] = int(part.split(' ')[0].replace(',', ''))
    return found


def check_streams(checks, args, streams, seed):
    random_ = random.Random(seed)
    whole = {name: data for name, (data, truth) in streams.items() if data}
    with tempfile.TemporaryDirectory() as folder:
        r = rig.Recorder(args.bin, '--into', folder)
        checks('it says what it waits for, where, and how it ends', rig.Recorder.read(r.out) == '' and r.errors() ==
               'listening on 127.0.0.1 port %d for Unreal programs; Ctrl-C ends this\n' % r.port, (r.text(), r.errors()))
        rig.in_threads([lambda d=d: rig.play(r.port, d, cut_up(random_, d), random_.choice((0, 0, 0.0002)))
                        for d in whole.values()])
        rig.within(lambda: r.text().count('closed by the program') == len(whole))
        code = r.stop()
        written = collections.Counter(path.read_bytes() for path in rig.captures(folder))
        checks('all streams as they came', written == collections.Counter(whole.values()),
               sorted(len(data) for data in written))
        checks('all are files of the clock', len(os.listdir(folder)) == len(whole), os.listdir(folder))
        undeclared = any(name.startswith('twice-4.27') and name.endswith('-b') for name in whole)
        checks('status of all streams', code == (4 if undeclared else 0), (code, r.errors()))
        checks('a second recording of 4.27 is told', not undeclared or 'second connection' in r.errors(), r.errors())


def check_truth(checks, args, streams):
    """Counts of events: the programs' own, and what the engine adds of itself (a few dozen at most)."""
    for name, (data, truth) in streams.items():
        if not data or truth.get('at_most') or name in ('twice-4.27.2-b',):
            continue
        with tempfile.TemporaryDirectory() as folder:
            r = rig.Recorder(args.bin, '-o', os.path.join(folder, 'x.utrace'))
            rig.play(r.port, data)
            code = r.wait()
            line = r.text().splitlines()[-1]
            said, noted = numbers(line), sum(truth['event_counts'].values())
            # NewTrace, ThreadTiming, ThreadInfo, channels and their switches
            checks('%s: events' % name, noted <= said['event'] <= noted + 40 + 0.02 * noted, (said, noted))
            checks('%s: frames' % name, said['frame'] == truth['event_counts'].get('Misc.BeginFrame', 0), said)
            checks('%s: nothing is lost' % name, 'events lost' not in said, line)
            checks('%s: status' % name, code == 0, (code, r.errors()))
            port = truth['hello'].get('control_port')
            checks('%s: control port' % name, not port or 'control port %d' % port in r.text(), r.text())


def check_program(checks, args, streams):
    data = streams['plain-5.6'][0]
    with tempfile.TemporaryDirectory() as folder:
        stream, program = os.path.join(folder, 's'), os.path.join(folder, 'p.py')
        with open(stream, 'wb') as file:
            file.write(data)
        with open(program, 'w', encoding='utf-8') as file:
            file.write(PROGRAM)
        for status in (0, 7):
            out = os.path.join(folder, 'run%d.utrace' % status)
            r = rig.Recorder(args.bin, '-o', out, '--', sys.executable, program, stream, status)
            code = r.wait()
            checks('the status of a program is handed on', code == status, (code, r.errors()))
            checks('a program is recorded', open(out, 'rb').read() == data)
            checks('whose status it is', ("is that of" in r.errors()) == bool(status), r.errors())
        if os.path.isdir('/proc/self/fd'):
            check_strange_program(checks, args, folder, (program, stream), streams['plain-5.0.3'][0], data)
        r = rig.Recorder(args.bin, '-o', os.path.join(folder, 'none.utrace'), '--', sys.executable, '-c', 'pass')
        checks('a program that does not connect', r.wait() == 1 and 'did not connect' in r.errors(), r.errors())
        checks('a program ends what it began', 'listening' in r.errors() and 'Ctrl-C' not in r.errors(), r.errors())
        r = rig.Recorder(args.bin, '--into', folder, '--seconds', '0.2')
        checks('nobody came, and how one would', r.wait() == 1 and '-tracehost=HOST:%d' % r.port in r.errors(), r.errors())
        checks('nothing came, no file', not os.path.exists(os.path.join(folder, 'none.utrace')))
        r = rig.Recorder(args.bin, '--', os.path.join(folder, 'nosuch'))
        checks('a program that is not there', r.wait() == 3 and 'cannot start' in r.errors(), r.errors())
        r = rig.Recorder(args.bin, '--seconds', 1, '--', sys.executable, '-c', 'import time; time.sleep(60)')
        begin = time.monotonic()
        checks('a program is ended with its recording', r.wait() not in (None, 0) and time.monotonic() - begin < 15)


def check_strange_program(checks, args, folder, words, strange, data):
    """Another program that comes first is not the one that was started."""
    out, slow = os.path.join(folder, 'own.utrace'), os.path.join(folder, 'slow.py')
    with open(slow, 'w', encoding='utf-8') as file:
        file.write('import subprocess, sys, time\ntime.sleep(1.5)\nsys.exit(subprocess.call([sys.executable] + sys.argv[1:]))\n')
    r = rig.Recorder(args.bin, '-o', out, '--', sys.executable, slow, *words, 0)
    with rig.connect(r.port) as sock:
        sock.settimeout(5)
        try:
            sock.sendall(strange)
            sock.recv(1)
        except OSError:
            pass                                        # it is hung up on
    checks('a strange program: status', r.wait() == 0, r.errors())
    checks('a strange program: is refused', 'another program than the one that was started' in r.text() + r.errors(), r.text())
    checks('a strange program: the own one is recorded', open(out, 'rb').read() == data)


def last_packet_end(data, most):
    """Where the last packet ends that is whole within so many bytes."""
    at = 4 + 2 + struct.unpack_from('<H', data, 4)[0] + 2
    while at + struct.unpack_from('<H', data, at)[0] <= most:
        at += struct.unpack_from('<H', data, at)[0]
    return at


def check_ends(checks, args, streams):
    data = streams['plain-5.6'][0]
    with tempfile.TemporaryDirectory() as folder:
        r = rig.Recorder(args.bin, '--into', folder, '--count', 2)
        rig.play(r.port, data)
        rig.play(r.port, data)
        checks('--count', r.wait() == 0 and len(rig.captures(folder)) == 2, r.errors())
        r = rig.Recorder(args.bin, '--into', folder, '--until-exit')
        rig.play(r.port, data)
        checks('--until-exit', r.wait() == 0, r.errors())
        r = rig.Recorder(args.bin, '--into', folder, '--until-idle', '0.3')
        with rig.connect(r.port) as sock:
            sock.sendall(data[:5000])
            checks('--until-idle', r.wait() == 0 and 'no more data came' in r.text(), r.text())
        r = rig.Recorder(args.bin, '--into', folder, '--seconds', '1')
        with rig.connect(r.port) as sock:
            sock.sendall(data[:5000])
            checks('--seconds', r.wait() == 0 and 'the time limit was reached' in r.text(), r.text())
        r = rig.Recorder(args.bin, '-o', os.path.join(folder, 'cut.utrace'), '--size', '10000')
        with rig.connect(r.port) as sock:
            try:
                sock.sendall(data)
            except OSError:
                pass
            end = last_packet_end(data, 10000)
            checks('--size', r.wait() == 0 and open(os.path.join(folder, 'cut.utrace'), 'rb').read() == data[:end], [r.errors(), end])
            checks('a file of a size is whole', 9000 < end < 10000 and 'inside a packet' not in r.errors())
        r = rig.Recorder(args.bin, '-o', os.path.join(folder, 'none', 'x.utrace'))      # reported before a program comes, as the next
        checks('a folder that is not there', r.wait() == 3 and 'no such' in r.errors(), r.errors())
        r = rig.Recorder(args.bin, '-o', os.path.join(folder, 'cut.utrace'))
        checks('a file that is there stays', r.wait() == 3 and 'file exists' in r.errors(), r.errors())
        r = rig.Recorder(args.bin, '-o', os.path.join(folder, 'cut.utrace'), '--force')
        rig.play(r.port, data)
        checks('--force', r.wait() == 0 and open(os.path.join(folder, 'cut.utrace'), 'rb').read() == data)
        r = rig.Recorder(args.bin, '--into', folder, '--seconds', '0.3')
        checks('nothing came in time', r.wait() == 1, r.errors())
        r = rig.Recorder(args.bin, '-o', os.path.join(folder, 'plain.utrace'), '--no-summary')
        rig.play(r.port, data)
        checks('--no-summary', r.wait() == 0 and 'event' not in r.text() and
               open(os.path.join(folder, 'plain.utrace'), 'rb').read() == data, r.text())
        r = rig.Recorder(args.bin, '--into', folder, '--name', 'night-')
        rig.play(r.port, data)
        rig.within(lambda: 'closed' in r.text())
        checks('--name', r.stop() == 0 and any(p.name.startswith('night-2') for p in rig.captures(folder)))


def check_figures(checks, args):
    """A recording that breaks off in a frame: the line at its end and trace-info count the same."""
    seen = set()
    with tempfile.TemporaryDirectory() as folder:
        whole = os.path.join(folder, 'game.utrace')
        merge(args, whole, [ROOT / 'fixtures' / 'game.utrace.zst'])
        data = open(whole, 'rb').read()
        for size in (1_000_000, 5_000_000, 6_000_000, 7_000_000):
            out = os.path.join(folder, 'x.utrace')
            r = rig.Recorder(args.bin, '-o', out, '--force')
            rig.play(r.port, data[:last_packet_end(data, size)])
            r.wait()
            info = subprocess.run([args.bin / 'trace-info', out], capture_output=True, text=True, check=False).stdout
            said = re.search(r'([\d,]+) frames?,', r.text())
            found = re.search(r'frames +(\d+) game(.*)', info)
            seen.add('open' in found[2] if found else None)
            checks('frames of %d bytes' % size, said and said[1] == (found[1] if found else '0'), (r.text(), info))
    checks('frames that are open and whole', seen >= {True, False}, seen)


def check_channels(checks, args, streams):
    for name in ('plain-5.6', 'plain-5.1.1', 'plain-4.27.2'):
        with tempfile.TemporaryDirectory() as folder:
            r = rig.Recorder(args.bin, '-o', os.path.join(folder, 'x.utrace'), '--control')
            rig.play(r.port, streams[name][0])
            r.wait()
            named = re.findall(r'channel (\S+) (?:on|off)', r.text())
            checks('%s: channels by their names' % name, set(named) == {'Locked', 'Other', 'Live'}, r.text())


def stats(args, *words):
    done = subprocess.run([args.bin / 'trace-stats', *map(str, words), '-f', 'csv'], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def merge(args, out, paths):
    return subprocess.run([args.bin / 'trace-edit', *map(str, paths), '--force', '-o', out], capture_output=True, text=True, check=False)


def check_rotated(checks, args, name, data, random_, folder, size=10000):
    """Pieces of a recording, which alone have all names, and together what one file would have been."""
    r = rig.Recorder(args.bin, '-o', os.path.join(folder, name), '--rotate', '%dk' % (size // 1000))
    rig.play(r.port, data, cut_up(random_, data))
    checks('%s: status' % name, r.wait() == 0, r.errors())
    stem = name[:-len('.utrace')]
    pieces = [p for p in rig.captures(folder) if p.name.startswith(stem + '-0')]
    read = [p.read_bytes() for p in pieces]
    checks('%s: several' % name, len(pieces) > 2 and pieces[0].name == stem + '-001.utrace', [p.name for p in pieces])
    checks('%s: said' % name, r.text().count(', goes on in ' + stem + '-0') == len(pieces) - 1, r.text())
    checks('%s: of their size' % name, all(len(p) <= max(size, repeated_in(p) + size // 2) for p in read),
           [(len(p), repeated_in(p)) for p in read])
    checks('%s: the first is the begin' % name, data.startswith(read[0]))
    checks('%s: for the owner alone' % name, all(p.stat().st_mode & 0o777 == 0o600 for p in pieces))
    for path in pieces:
        code, timers = stats(args, path, '-t', 'timers', '-c', 'timer')
        checks('%s: names' % path.name, code == 0 and '<' not in timers, (code, timers[:200]))
    out = os.path.join(folder, 'merged.utrace')
    mixed = random_.sample(pieces, len(pieces))
    done = merge(args, out, mixed)
    checks('%s: merged' % name, done.returncode == 0 and open(out, 'rb').read() == data, done.stderr)
    merge(args, out, mixed[:1] + mixed[2:])         # the others still are captures of one recording
    done = merge(args, out, [p for p in mixed if p != pieces[0]])
    body = open(out, 'rb').read()
    checks('%s: without the first' % name, done.returncode == 0 and data.endswith(body[repeated_in(body):]), done.stderr)
    whole = os.path.join(folder, 'whole.utrace')
    done = merge(args, whole, [out, pieces[0]])
    checks('%s: merged again' % name, done.returncode == 0 and open(whole, 'rb').read() == data, done.stderr)


def repeated_in(piece):
    """Bytes of the header, and of what repeats the files before."""
    block = struct.unpack_from('<H', piece, 4)[0]
    own, at = 8 + block, 6
    while at < 6 + block:
        if piece[at + 1] == 0x54:
            own += struct.unpack_from('<Q', piece, at + 2 + 12)[0]
        at += 2 + piece[at]
    return own


def check_rotation(checks, args, streams):
    random_ = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        for name in ('plain-5.6', 'plain-5.1.1', 'plain-5.0.3'):
            check_rotated(checks, args, name + '.utrace', streams[name][0], random_, folder)
        threads = (ROOT / 'fixtures' / 'threads.utrace').read_bytes()
        check_rotated(checks, args, 'threads.utrace', threads, random_, folder, 60000)
        data = streams['plain-4.27.2'][0]
        r = rig.Recorder(args.bin, '--into', os.path.join(folder, 'old'), '--count', 1, '--rotate', '10k')
        rig.play(r.port, data)
        checks('4.27 stays in one file', r.wait() == 0 and 'goes on in the same file' in r.errors() and
               [p.read_bytes() for p in rig.captures(os.path.join(folder, 'old'))] == [data], r.errors())
        data = streams['plain-5.6'][0]
        first = os.path.join(folder, 'gone-001.utrace')
        r = rig.Recorder(args.bin, '-o', os.path.join(folder, 'gone.utrace'), '--rotate', '10k')
        with rig.connect(r.port) as sock:
            sock.sendall(data[:5000])
            rig.within(lambda: os.path.exists(first) and os.path.getsize(first) == 5000)
            os.remove(first)
            sock.sendall(data[5000:])
        code, rest = r.wait(), [p for p in rig.captures(folder) if p.name.startswith('gone-')]
        done = merge(args, os.path.join(folder, 'rest.utrace'), rest)
        body = open(os.path.join(folder, 'rest.utrace'), 'rb').read()
        checks('the first is removed, and the others are whole', code == 0 and done.returncode == 0 and
               data.endswith(body[repeated_in(body):]) and len(body) > len(data) - 10000, (r.errors(), done.stderr))
        r = rig.Recorder(args.bin, '--into', os.path.join(folder, 'time'), '--count', 1, '--rotate', '1s', '-f', 'json')
        with rig.connect(r.port) as sock:
            for at in range(0, len(data), 9000):
                sock.sendall(data[at:at + 9000])
                time.sleep(0.5)
        checks('by time: status', r.wait() == 0, r.errors())
        pieces = rig.captures(os.path.join(folder, 'time'))
        done = merge(args, os.path.join(folder, 'time.utrace'), pieces)
        checks('by time', len(pieces) in (3, 4) and done.returncode == 0 and
               open(os.path.join(folder, 'time.utrace'), 'rb').read() == data, (len(pieces), done.stderr))
        lines, rules = [json.loads(line) for line in r.text().splitlines()], json.loads(SCHEMA.read_text())
        rotated = [line for line in lines if line['event'] == 'rotated']
        checks('by time: lines', [t['file'] for t in rotated] + [rotated[-1]['next']] == [str(p) for p in pieces] and
               not any(schema.first_fault(line, rules) for line in lines), lines)
    for words, part in ((('--rotate', '5k'), 'from 10k'), (('--rotate', '10m'), 'a time'), (('--rotate', '1G', '--size', '2G'), 'without --size'),
                        (('--rotate', '1h', '--store', 'x'), 'without --store')):
        r = rig.Recorder(args.bin, *words)
        checks('refused: %s' % ' '.join(words), r.wait() == 2 and part in r.errors(), r.errors())


def check_growth(checks, args, streams, how):
    """What has come is in the file at once, also when the recorder is killed."""
    data = streams['plain-5.6'][0]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'x.utrace')
        r = rig.Recorder(args.bin, '-o', out)
        with rig.connect(r.port) as sock:
            sock.sendall(data[:20000])
            checks('growth', rig.within(lambda: os.path.exists(out) and os.path.getsize(out) == 20000, 5))
            code = r.stop(how)
            checks('what came is kept', open(out, 'rb').read() == data[:20000])
            checks('status of the end', code == (0 if how == signal.SIGTERM else -9), code)
        reported = subprocess.run([args.bin / 'trace-info', out], capture_output=True, check=False)
        checks('what is kept is a capture', reported.returncode == 0, reported.stderr)


HOSTILE = {
    'an HTTP request': b'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'a TLS client': b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + bytes(300),
    'a viewer of Tracy': b'TracyPrf' + (57).to_bytes(4, 'little'),
    'an SSH client': b'SSH-2.0-OpenSSH_9\r\n',
    'a viewer that asks a store': b'\x1f\x00\x00\x00\xbfH$requestCGETE$pathIv1/status\xff',
    'something unknown': bytes(range(128, 255)),
}


def check_strangers(checks, args, streams):
    data = streams['plain-5.6'][0]
    with tempfile.TemporaryDirectory() as folder:
        r = rig.Recorder(args.bin, '--into', folder)
        for name, hello in HOSTILE.items():
            with rig.connect(r.port) as sock:
                sock.sendall(hello)
                try:
                    ended = sock.recv(1) == b''
                except OSError:
                    ended = True
            checks('%s is told and left' % name, ended and rig.within(lambda n=name: 'refused: ' + n in r.text(), 5), r.text())
        rig.connect(r.port).close()                         # without a byte
        for n in (1, 3, 5, 20, 47):                         # inside the header
            rig.play(r.port, data[:n])
        endless = rig.connect(r.port)
        endless.sendall(b'2CRT\xff\xff' + bytes(2))
        bad = rig.connect(r.port)
        bad.sendall(b'2CRT\x04\x00\x02\x07\xc1\x07\x04\x07') # a field of an unknown id: fine; and packets that are none
        bad.sendall(b'\x00\x00\x00\x00 no packet')
        bad.close()
        idle = [rig.connect(r.port) for _ in range(300)]
        rig.play(r.port, data)
        checks('a program beside 300 that say nothing', rig.within(lambda: '2,7' in r.text()), r.text())
        checks('no header in time', rig.within(lambda: r.text().count('no header came in time') >= 301, 10), r.text()[-300:])
        for sock in (*idle, endless):
            sock.close()
        broken = rig.connect(r.port)
        broken.sendall(data[:9000])
        rig.within(lambda: any(p.stat().st_size == 9000 for p in rig.captures(folder)))
        rig.reset(broken)
        checks('a reset', rig.within(lambda: 'the connection broke' in r.text(), 5), r.text()[-300:])
        code = r.stop()
        sizes = sorted(path.stat().st_size for path in rig.captures(folder))
        checks('files of programs alone', sizes == sorted((len(data), 9000, 12 + 14)), sizes)
        checks('a damaged stream is told', code == 4 and 'damaged' in r.errors(), (code, r.errors()))
        names = ''.join(os.listdir(folder)) + r.text()
        checks('nothing of a peer is shown raw', not any(ord(c) < 32 and c != '\n' for c in names))


def check_json(checks, args, streams):
    """Lines for scripts, by their schema, with the figures that the program noted."""
    data, truth = streams['plain-5.6']
    rules = json.loads(SCHEMA.read_text())
    with tempfile.TemporaryDirectory() as folder:
        r = rig.Recorder(args.bin, '--into', os.path.join(folder, 'made'), '--format', 'json')
        with rig.connect(r.port) as sock:
            sock.sendall(b'GET / HTTP/1.1\r\n\r\n')
            sock.recv(1)
        rig.play(r.port, data)
        rig.within(lambda: '"ended"' in r.text())
        code = r.stop()
        lines = [json.loads(line) for line in r.text().splitlines()]
        checks('lines of JSON', code == 0 and [line['event'] for line in lines] == ['refused', 'began', 'ended'], (code, r.text()))
        for line in lines:
            fault = schema.first_fault(line, rules)
            checks('by the schema: %s' % fault, fault is None, line)
        reported, noted = lines[-1], sum(truth['event_counts'].values())
        checks('their figures', reported['bytes'] == len(data) and noted <= reported['events'] <= noted + 40 + 0.02 * noted
               and reported['frames'] == truth['event_counts'].get('Misc.BeginFrame', 0) and not reported['cut'], reported)
        checks('the file that they name', [line['file'] for line in lines[1:]] == [str(next(pathlib.Path(folder, 'made').iterdir()))] * 2
               and pathlib.Path(reported['file']).read_bytes() == data, reported)


def check_ports(checks, args):
    with tempfile.TemporaryDirectory() as folder:
        r = rig.Recorder(args.bin, '--port', '0,0', '--into', folder, ports=False)
        checks('two ports', re.fullmatch(r'listening on 127.0.0.1 ports \d+, \d+ for Unreal programs; Ctrl-C ends this\n', r.errors()), r.errors())
        r.stop()


def check_refusals(checks, args):
    for words, part in ((('--listen', '0.0.0.0'), '--allow'), (('--port', '70000'), 'port'), (('--name', '../x'), 'name'),
                        (('--allow', '1.2.3.4/99'), '--allow'), (('--into', '/proc/nosuch'), 'folder'), (('-f', 'xml'), 'json'), (('--size', '-1'), 'size'),
                        (('--store-port', '0'), '--store'), (('something',), 'not a source to record'), (('-o', '-'), 'names a file')):
        r = rig.Recorder(args.bin, *words, ports='--port' not in words)
        checks('refused: %s' % ' '.join(words), r.wait() == 2 and part in r.errors(), r.errors())
    with socket.socket() as taken:
        taken.bind((rig.HOME, 0))
        taken.listen()
        r = rig.Recorder(args.bin, '--port', taken.getsockname()[1], ports=False)
        checks('a port that is taken', r.wait() == 3 and 'UnrealTraceServer' in r.errors(), r.errors())


def check(checks, args):
    streams = rig.streams(args.fixtures)
    for seed in range(args.rounds):
        check_streams(checks, args, streams, seed)
    check_json(checks, args, streams)
    check_truth(checks, args, {name: streams[name] for name in ('plain-5.6', 'plain-5.0.3', 'plain-4.27.2', 'late-5.6',
                                                                'twice-tail-5.6-b', 'quiet-5.6', 'hop-5.6')})
    if args.corpus:
        more = rig.streams(args.fixtures, args.corpus)
        check_streams(checks, args, more, 99)
        check_truth(checks, args, more)
    check_program(checks, args, streams)
    check_ends(checks, args, streams)
    check_figures(checks, args)
    check_channels(checks, args, streams)
    check_rotation(checks, args, streams)
    check_growth(checks, args, streams, signal.SIGTERM)
    check_growth(checks, args, streams, signal.SIGKILL)
    check_strangers(checks, args, streams)
    check_ports(checks, args)
    check_refusals(checks, args)


if __name__ == '__main__':
    rig.main(check)
