#!/usr/bin/env python3
"""A recorder under programs that come, send, break and go, for as long as is wanted.

usage: soak.py --bin DIRECTORY [--seconds N] [--programs N] [--connections N] FIXTURES

Programs run at once; each connects again and again, sends a stream with a number of its own in it and ends in one of many
ways: it closes, resets, stops inside a packet, inside the header, or was no program at all. Then as many connections as
--connections are open at one time. In the end the folder has to hold one file for each whole header and none for the others:
all that was sent where the end was orderly, else a part from the beginning on; the number of open files of the recorder has
to be what it was, and its memory must not have grown.
"""

import argparse
import os
import pathlib
import random
import resource
import socket
import struct
import sys
import tempfile
import threading
import time

import rig

NUMBER = struct.Struct('<HHQ')  # a packet of a thread that no stream has, which carries the number of a connection
THREAD = 9000
OF_A_PROGRAM = 500_000  # bytes that what is known of a program may differ by: not as many are there at all times
WAYS = ('closes', 'closes', 'closes', 'resets', 'cuts a packet', 'cuts the header', 'says nothing', 'is no program')


def header_size(data):
    """Of a header as `TRC2` has it: magic, the size of what follows, then that, transport and protocol."""
    return 4 + 2 + struct.unpack_from('<H', data, 4)[0] + 2


def numbered(data, number, random_):
    """A stream with the number behind the header, and packets at random behind the stream."""
    head = header_size(data)
    more = b''.join(struct.pack('<HH', 4 + n, THREAD) + random_.randbytes(n)
                    for n in (random_.randrange(1, 2000) for _ in range(random_.randrange(40))))
    return data[:head] + NUMBER.pack(NUMBER.size, THREAD, number) + data[head:] + more


class Sent:
    """What was sent, by number: the bytes, and whether all of them have to be in a file."""

    def __init__(self):
        self.lock = threading.Lock()
        self.next, self.of, self.without_file = 0, {}, 0

    def number(self):
        with self.lock:
            self.next += 1
            return self.next

    def add(self, number, data, whole):
        with self.lock:
            self.of[number] = data, whole

    def add_without_file(self):
        with self.lock:
            self.without_file += 1


def send(sock, data, random_):
    at = 0
    while at < len(data):
        size = random_.choice((1, 46, 1000, 60000, 10 ** 6))
        sock.sendall(data[at:at + size])
        at += size
        if random_.random() < 0.02:
            time.sleep(random_.random() / 50)


def unread(port, own):
    """Bytes of a connection that wait in the system for the program on the port: a reset would take them away."""
    with open('/proc/net/tcp', encoding='ascii') as file:
        for line in file.readlines()[1:]:
            words = line.split()
            if [int(end.split(':')[1], 16) for end in words[1:3]] == [port, own]:
                return int(words[4].split(':')[1], 16)
    return 1        # it is not accepted yet


def one(port, stream, random_, sent):
    way, number = random_.choice(WAYS), sent.number()
    data = numbered(stream, number, random_)
    with rig.connect(port) as sock:
        if way in ('says nothing', 'is no program', 'cuts the header'):
            sent.add_without_file()
            sock.sendall({'says nothing': b'', 'is no program': b'GET / HTTP/1.1\r\n\r\n'}.get(
                way, data[:random_.randrange(1, header_size(data))]))
        elif way == 'closes':
            sent.add(number, data, True)
            send(sock, data, random_)
        else:
            # what is counted has to be known to be there: the header and the number are read before a reset
            first = header_size(data) + NUMBER.size
            cut = data[:random_.randrange(first, len(data) + 1)]
            sent.add(number, cut, way != 'resets')
            sock.sendall(cut[:first])
            if way == 'resets' and not rig.within(lambda: unread(port, sock.getsockname()[1]) == 0):
                raise OSError('what program %d sent is not read' % number)
            try:
                send(sock, cut[first:], random_)
            except OSError:
                pass
            if way == 'resets':
                rig.reset(sock)


def program(port, streams, seed, until, sent, faults):
    random_ = random.Random(seed)
    try:
        while time.monotonic() < until:
            one(port, random_.choice(streams), random_, sent)
    except OSError as e:
        faults.append('%s: %s' % (seed, e))


def open_many(port, stream, count, sent):
    """So many connections at one time, each with a header and its number."""
    random_, socks = random.Random(count), []
    for _ in range(count):
        number = sent.number()
        data = numbered(stream[:header_size(stream)], number, random_)
        sock = rig.connect(port)
        sock.sendall(data)
        sent.add(number, data, True)
        socks.append(sock)
    return socks


def memory(pid):
    with open('/proc/%d/statm' % pid, encoding='ascii') as f:
        return int(f.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


def open_files(pid):
    return len(os.listdir('/proc/%d/fd' % pid))


def number_of(data):
    at = header_size(data) if len(data) > 6 else 0
    return NUMBER.unpack_from(data, at)[2] if len(data) >= at + NUMBER.size else None


def check_files(checks, folder, sent):
    found = {}
    for path in rig.captures(folder):
        data = path.read_bytes()
        found.setdefault(number_of(data), []).append(data)
    checks('a file for each program: %d of %d' % (len(found), len(sent.of)), set(found) == set(sent.of),
           sorted(set(found) ^ set(sent.of), key=str)[:20])
    for number, files in found.items():
        data, whole = sent.of.get(number, (b'', True))
        good = len(files) == 1 and (files[0] == data if whole else data.startswith(files[0]))
        checks('file of %s' % number, good, [len(files), len(files[0]), len(data), whole])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('--seconds', type=float, default=60)
    parser.add_argument('--programs', type=int, default=50)
    parser.add_argument('--connections', type=int, default=1000)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, options.connections + 100)), hard))
    streams = [data for data, _ in rig.streams(options.fixtures).values() if data[:4] == b'2CRT']
    checks, sent, faults = rig.Checks(), Sent(), []
    with tempfile.TemporaryDirectory() as folder:
        recorder = rig.Recorder(options.bin, '--into', folder)
        pid, files = recorder.process.pid, open_files(recorder.process.pid)
        until = time.monotonic() + options.seconds
        threads = [threading.Thread(target=program, args=(recorder.port, streams, seed, until, sent, faults))
                   for seed in range(options.programs)]
        for thread in threads:
            thread.start()
        sizes = []
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.2)
            sizes.append(memory(pid))
        checks('all could connect and send', not faults, faults)
        third = len(sizes) // 3
        early, late = max(sizes[third:2 * third + 1]), max(sizes[-third - 1:])
        checks('memory is flat: %d and %d bytes' % (early, late), late < early * 1.1 + options.programs * OF_A_PROGRAM)
        socks = open_many(recorder.port, min(streams, key=len), options.connections, sent)
        checks('%d connections at one time' % len(socks),
               rig.within(lambda: len(rig.captures(folder)) == len(sent.of)), len(rig.captures(folder)))
        for sock in socks:
            sock.close()
        checks('files are closed', rig.within(lambda: open_files(pid) == files), [open_files(pid), files])
        checks('status', recorder.stop() in (0, 4), recorder.errors()[-500:])     # 4: some were cut or damaged
        check_files(checks, folder, sent)
    print('%d programs were recorded, %d others came' % (len(sent.of), sent.without_file))
    return checks.end()


if __name__ == '__main__':
    sys.exit(main())
