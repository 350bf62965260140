#!/usr/bin/env python3
"""A recorder under programs that come, send, break and go, for as long as is wanted.

usage: soak.py --bin DIRECTORY [--seconds N] [--programs N] [--pause N] [--connections N] FIXTURES

Programs run at once; each connects again and again, sends a stream with a number of its own in it and ends in one of many
ways: it closes, resets, stops inside a packet, inside the header, or was no program at all. Where this user may make a disk,
it is full for a tenth of the time. Then as many connections as --connections are open at one time. There has to be one file
for each whole header and none for the others: all that was sent where the end was orderly, else a part from the beginning on,
which on a full disk may be nothing; the number of open files of the recorder has to be what it was, and its memory must not
have grown. Files that are as they have to be are removed meanwhile.
"""

import argparse
import fcntl
import os
import pathlib
import random
import resource
import socket
import struct
import sys
import termios
import threading
import time

import rig

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'harness'))

import soaking  # noqa: E402

NUMBER = struct.Struct('<HHQ')  # a packet of a thread that no stream has, which carries the number of a connection
THREAD = 9000
OF_A_PROGRAM = 500_000  # bytes that what is known of a program may differ by: not as many are there at all times
PATIENCE = 120          # seconds: the machine may have other work, and the system brings much to the disk at once
DISK = 512 << 20
SETTLES = 30            # seconds after which a file does not change any more
ESTABLISHED = 1
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


class Connection:
    """What was sent, whether all of it has to be in the file, and when."""

    def __init__(self, data, whole):
        self.data, self.whole, self.began, self.ended = data, whole, time.monotonic(), None


class Sent:
    """Connections by number; those whose file is right are forgotten."""

    def __init__(self):
        self.lock = threading.Lock()
        self.next, self.of, self.without_file, self.right = 0, {}, 0, 0

    def number(self):
        with self.lock:
            self.next += 1
            return self.next

    def add(self, number, data, whole):
        with self.lock:
            self.of[number] = connection = Connection(data, whole)
        return connection

    def add_without_file(self):
        with self.lock:
            self.without_file += 1

    def forget(self, number):
        with self.lock:
            del self.of[number]
            self.right += 1


def send(sock, data, random_):
    at = 0
    while at < len(data):
        size = random_.choice((1, 46, 1000, 60000, 10 ** 6))
        sock.sendall(data[at:at + size])
        at += size
        if random_.random() < 0.02:
            time.sleep(random_.random() / 50)


def is_read(port, sock):
    """Has the program on the port read all that was sent? A reset would take away what waits in the system: on this side, as
    long as the other has not confirmed it, and on the other, where a connection that is not accepted counts nothing yet."""
    if struct.unpack('i', fcntl.ioctl(sock, termios.TIOCOUTQ, b'\0' * 4))[0]:
        return False
    own = sock.getsockname()[1]
    with open('/proc/net/tcp', encoding='ascii') as file:
        for line in file.readlines()[1:]:
            words = line.split()
            if [int(end.split(':')[1], 16) for end in words[1:3]] == [port, own]:
                return int(words[3], 16) == ESTABLISHED and int(words[4].split(':')[1], 16) == 0
    return False


def breaks(sock, port, number, data, way, random_, sent):
    """What is counted has to be known to be there: the header and the number are read before a reset."""
    first = header_size(data) + NUMBER.size
    cut = data[:random_.randrange(first, len(data) + 1)]
    connection = sent.add(number, cut, way != 'resets')
    sock.sendall(cut[:first])
    if way == 'resets' and not rig.within(lambda: is_read(port, sock), PATIENCE):
        raise OSError('what program %d sent is not read' % number)
    send(sock, cut[first:], random_)
    if way == 'resets':
        rig.reset(sock)
    return connection


def one(port, stream, random_, sent):
    way, number = random_.choice(WAYS), sent.number()
    data = numbered(stream, number, random_)
    with rig.connect(port) as sock:
        sock.settimeout(PATIENCE)
        if way in ('says nothing', 'is no program', 'cuts the header'):
            sent.add_without_file()
            sock.sendall({'says nothing': b'', 'is no program': b'GET / HTTP/1.1\r\n\r\n'}.get(
                way, data[:random_.randrange(1, header_size(data))]))
        elif way == 'closes':
            sent.add(number, data, True)
            send(sock, data, random_)
        else:
            breaks(sock, port, number, data, way, random_, sent)
    return number


def program(port, streams, seed, until, sent, disk, faults, pause):
    random_ = random.Random(seed)
    while time.monotonic() < until:
        began = time.monotonic()
        before = sent.next
        try:
            number = one(port, random_.choice(streams), random_, sent)
        except OSError as e:            # on a full disk the recorder leaves a program
            number = None
            if not disk.was_full(began, time.monotonic()):
                faults.append('%s, a number behind %d, after %.1f s: %s' % (seed, before, time.monotonic() - began, e))
                print(faults[-1], flush=True)
        with sent.lock:
            for connection in [sent.of[number]] if number in sent.of else []:
                connection.ended = time.monotonic()
        time.sleep(random_.random() * pause)


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


def open_files(pid):
    return len(os.listdir('/proc/%d/fd' % pid))


def number_of(data):
    at = header_size(data) if len(data) > 6 else 0
    return NUMBER.unpack_from(data, at)[2] if len(data) >= at + NUMBER.size else None


def is_right(connection, data, disk):
    if connection.whole and not disk.was_full(connection.began, connection.ended or time.monotonic()):
        return data == connection.data
    return connection.data.startswith(data)


def remove_right(disk, sent):
    for path in rig.captures(disk.folder):
        data = path.read_bytes()
        number = number_of(data)
        with sent.lock:
            connection = sent.of.get(number)
        if connection and connection.ended and time.monotonic() - connection.ended > SETTLES and is_right(connection, data, disk):
            path.unlink()
            sent.forget(number)
        time.sleep(0.001)               # the programs come first


def check_files(checks, disk, sent):
    found, cut, left = {}, 0, {}
    for path in rig.captures(disk.folder):
        data = path.read_bytes()
        if number_of(data) is None:
            cut += 1
        else:
            found.setdefault(number_of(data), []).append(data)
    for number, connection in sent.of.items():
        if number not in found and not disk.was_full(connection.began, connection.ended or time.monotonic()):
            left[number] = len(connection.data), connection.whole
    checks('a file for each program: %d, %d lack one' % (sent.right + len(found), len(left)), not left, sorted(left.items())[:20])
    checks('files without a number are of the full disk: %d' % cut, cut == 0 or disk.since is not None)
    checks('no file of another program', set(found) <= set(sent.of), sorted(set(found) - set(sent.of))[:20])
    for number, files in found.items():
        connection = sent.of.get(number)
        if connection:
            good = len(files) == 1 and is_right(connection, files[0], disk)
            checks('file of %s' % number, good, [len(files), len(files[0]), len(connection.data), connection.whole])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('--seconds', type=float, default=60)
    parser.add_argument('--programs', type=int, default=50)
    parser.add_argument('--pause', type=float, default=0, help='the most seconds between two connections of a program')
    parser.add_argument('--connections', type=int, default=1000)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, options.connections + 100)), hard))
    streams = [data for data, _ in rig.streams(options.fixtures).values() if data[:4] == b'2CRT']
    checks, sent, faults, disk = rig.Checks(), Sent(), [], soaking.Disk(DISK)
    try:
        soak(options, streams, checks, sent, faults, disk)
    finally:
        disk.close()
    print('%d programs were recorded, %d others came%s' % (
        sent.right + len(sent.of), sent.without_file, '' if disk.own else '; no disk was full: root may make one'))
    return checks.end()


def soak(options, streams, checks, sent, faults, disk):
    recorder = rig.Recorder(options.bin, '--into', disk.folder)
    pid, files = recorder.process.pid, open_files(recorder.process.pid)
    sieve, began = soaking.Sieve(lambda: remove_right(disk, sent), 20), time.monotonic()
    memory = soaking.Memory(pid, lambda: '%d files right, %d others, %d faults' % (sent.right, len(sent.of), len(faults)))
    filled = disk.full_between(began + options.seconds * 0.45, began + options.seconds * 0.55)
    threads = [threading.Thread(target=program, args=(recorder.port, streams, seed, began + options.seconds, sent, disk, faults,
                                                      options.pause))
               for seed in range(options.programs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if disk.own:
        filled.join()
    memory.stop()
    sieve.stop()
    checks('all could connect and send', not faults, faults)
    early, late = memory.thirds()
    checks('memory is flat: %d and %d bytes' % (early, late), late < early * 1.1 + options.programs * OF_A_PROGRAM)
    open_before, many = open_files(pid), open_many(recorder.port, min(streams, key=len), options.connections, sent)
    checks('%d connections at one time' % len(many),
           rig.within(lambda: open_files(pid) - open_before >= len(many), PATIENCE), [open_files(pid), open_before])
    for sock in many:
        sock.close()
    checks('files are closed', rig.within(lambda: open_files(pid) == files, PATIENCE), [open_files(pid), files])
    checks('status', recorder.stop() in ((0, 3, 4) if disk.own else (0, 4)), recorder.errors()[-500:])     # 4: some were cut; 3: the disk was full
    check_files(checks, disk, sent)


if __name__ == '__main__':
    sys.exit(main())
