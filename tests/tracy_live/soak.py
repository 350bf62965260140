#!/usr/bin/env python3
"""trace-record --all under Tracy programs that come, end, break and go, for as long as is wanted.

usage: soak.py --bin DIRECTORY [--seconds N] [--programs N] [--pause N]

Programs run at once; each announces itself, is recorded, and ends in one of several ways; then another one takes its place. Where
this user may make a disk, it is full for a tenth of the time. Each that ended by itself has to have a file with all of its zones and
frames, all others readable ones; what a full disk left behind has to become a capture that is readable, too; and the recorder's
memory must not have grown. Files that are as they have to be are removed meanwhile.
"""

import argparse
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import check_made
import check_record
import compare_files
import steady

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'harness'))

import soaking  # noqa: E402

WAYS = ('', '', '', '', 'dies', 'resets')
DISK = 256 << 20
PATIENCE = 150          # seconds: a program that has ended may take two minutes for its answers


class Breaking(steady.Steady):
    """Hangs up in the middle; what `resets` leaves behind is not even received."""

    def __init__(self, breaks, *args, **options):
        self.breaks = breaks
        super().__init__(*args, **options)

    def block(self, number):
        if number > self.blocks // 2:
            if self.breaks == 'resets':
                self.link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
            raise OSError('killed')
        return super().block(number)


class Programs:
    """Those that ran; those whose file is right are forgotten."""

    def __init__(self):
        self.lock, self.of, self.right, self.ran, self.whole = threading.Lock(), {}, 0, 0, 0

    def add(self, name, how, server, began):
        with self.lock:
            self.of[name] = how, server.marks[-1][2:], server.thread.is_alive(), began, time.monotonic()
            self.ran += 1
            self.whole += not how

    def forget(self, name):
        with self.lock:
            del self.of[name]
            self.right += 1


def run_programs(port, seed, until, done, pause):
    dice, number = random.Random(seed), 0
    while time.monotonic() < until:
        number += 1
        how, began = dice.choice(WAYS), time.monotonic()
        name, options = b'soak-%d-%d' % (seed, number), {'blocks': dice.randrange(5, 60), 'zones': 10, 'announce': port}
        protocol = dice.choice((63, 69, 74, 82))
        server = Breaking(how, protocol, name=name, **options) if how else steady.Steady(protocol, name=name, **options)
        server.thread.join(PATIENCE)
        if server.marks:
            done.add(name.decode(), how, server, began)
        server.close()
        time.sleep(dice.random() * pause)


def files_of(folder, ending):
    return {name.split('.')[1]: os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(ending)}


def what_is_in(path):
    trace = compare_files.load(path)
    return sum(thread['count'] for thread in trace['threads']), len(trace['frame_sets'][0]['frames']) - 2


def is_right(path, how, counts, full):
    try:
        got = what_is_in(path)
    except Exception as e:      # whatever a file that is not readable makes of it
        return '%s: %s' % (type(e).__name__, e)
    return got == tuple(counts) if not how and not full else got[0] <= counts[0]


def remove_right(disk, done):
    for name, path in files_of(disk.folder, '.tracy').items():
        with done.lock:
            how, counts, hangs, began, ended = done.of.get(name, ('', (0, 0), True, 0, 0))
        if not hangs and is_right(path, how, counts, disk.was_full(began, ended)) is True:
            os.unlink(path)
            done.forget(name)


def resume_all(faults, bin_folder, disk):
    """What the full disk left behind becomes captures."""
    for path in files_of(disk.folder, '.part').values():
        run = subprocess.run([os.path.join(bin_folder, 'trace-record'), '--resume', path, '--force'], capture_output=True, text=True,
                             timeout=60)
        empty = 'nothing of a program is in it' in run.stderr or 'is not the log' in run.stderr
        faults.equal('%s becomes a capture' % path, (run.returncode in (0, 4) or empty) and disk.since is not None, True)


def check_files(faults, disk, done):
    files = files_of(disk.folder, '.tracy')
    for name, (how, counts, hangs, began, ended) in done.of.items():
        full = disk.was_full(began, ended)
        faults.equal(name + ' was left in time', hangs, False)
        if name in files:
            faults.equal('%s (%s)%s' % (name, how, ' on a full disk' if full else ''), is_right(files[name], how, counts, full), True)
        elif not full:
            faults.equal('%s (%s) has a file' % (name, how), False, True)


def soak(options, said, faults, disk, done):
    port, began = check_record.free_port(), time.monotonic()
    recorder = subprocess.Popen([os.path.join(options.bin, 'trace-record'), 'tracy://', '--all', '--port', str(port), '--into', disk.folder,
                                 '--quiet'], stderr=said)
    sieve = soaking.Sieve(lambda: remove_right(disk, done), 5)
    memory = soaking.Memory(recorder.pid, lambda: '%d files right, %d others' % (done.right, len(done.of)))
    filled = disk.full_between(began + options.seconds * 0.45, began + options.seconds * 0.55)
    threads = [threading.Thread(target=run_programs, args=(port, seed, began + options.seconds, done, options.pause))
               for seed in range(options.programs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if disk.own:
        filled.join()
    memory.stop()
    recorder.send_signal(signal.SIGINT)
    recorder.wait(timeout=60)
    sieve.stop()
    early, late = memory.thirds()
    faults.equal('memory is flat: %d and %d bytes' % (early, late), late < early * 1.1 + (8 << 20), True)
    faults.equal('status', recorder.returncode in ((0, 3, 4) if disk.own else (0, 4)), True)    # 4: connections broke; 3: the full disk
    resume_all(faults, options.bin, disk)
    check_files(faults, disk, done)
    print('%d programs, %d of them to their end, %d and %d bytes of memory%s' % (
        done.ran, done.whole, early, late, '' if disk.own else '; no disk was full: root may make one'))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--seconds', type=float, default=60)
    parser.add_argument('--programs', type=int, default=20)
    parser.add_argument('--pause', type=float, default=0, help='the most seconds between two programs')
    options = parser.parse_args()
    faults, done, disk = check_made.Faults(), Programs(), soaking.Disk(DISK)
    with tempfile.TemporaryFile('w+') as said:      # a pipe would be full some day
        try:
            soak(options, said, faults, disk, done)
        finally:
            disk.close()
        said.seek(0)
        err = said.read()
    print('%d checks, %d faults' % (faults.checks, faults.count))
    if faults.count:
        print(err[-2000:])
    return 1 if faults.count or not done.ran else 0


if __name__ == '__main__':
    sys.exit(main())
