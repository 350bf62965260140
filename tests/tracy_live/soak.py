#!/usr/bin/env python3
"""trace-record --all under Tracy programs that come, end, break and go, for as long as is wanted.

usage: soak.py --bin DIRECTORY [--seconds N] [--programs N]

Programs run at once; each announces itself, is recorded, and ends in one of several ways; then another one takes its place. In the
end each that ended by itself has a file with all of its zones and frames, all others have readable ones, no log is left, and the
recorder's memory has not grown.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import check_made
import check_record
import compare_files
import steady

WAYS = ('', '', '', 'dies')


def memory(pid):
    with open('/proc/%d/status' % pid, encoding='ascii') as file:
        return int(re.search(r'VmRSS:\s+(\d+)', file.read()).group(1)) << 10


class Dying(steady.Steady):
    """Hangs up in the middle."""

    def block(self, number):
        if number > self.blocks // 2:
            raise OSError('killed')
        return super().block(number)


def run_programs(port, seed, until, done):
    dice, number = random.Random(seed), 0
    while time.monotonic() < until:
        number += 1
        how = dice.choice(WAYS)
        name, blocks = b'soak-%d-%d' % (seed, number), dice.randrange(5, 60)
        server = (Dying if how else steady.Steady)(dice.choice((63, 69, 74, 82)), blocks=blocks, zones=10, announce=port, name=name)
        server.thread.join(60)
        if server.marks:
            done.append((name.decode(), how, server.marks[-1][2:], server.thread.is_alive()))
        server.close()


def check_files(faults, folder, done):
    files = {name.split('.')[1]: os.path.join(folder, name) for name in os.listdir(folder) if name.endswith('.tracy')}
    faults.equal('no log is left', [name for name in os.listdir(folder) if name.endswith('.part')], [])
    for name, how, counts, hangs in done:
        faults.equal(name + ' was left in time', hangs, False)
        if name not in files:
            faults.equal(name + ' (%s) has a file' % how, False, True)
            continue
        trace = compare_files.load(files[name])
        got = (sum(thread['count'] for thread in trace['threads']), len(trace['frame_sets'][0]['frames']) - 2)
        faults.equal(name + ' ' + how, got == tuple(counts) if not how else got[0] <= counts[0], True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--seconds', type=float, default=60)
    parser.add_argument('--programs', type=int, default=20)
    options = parser.parse_args()
    faults, done, port = check_made.Faults(), [], check_record.free_port()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile('w+') as said:     # a pipe would be full some day
        recorder = subprocess.Popen([os.path.join(options.bin, 'trace-record'), 'tracy://', '--all', '--port', str(port), '--into', folder,
                                     '--quiet'], stderr=said)
        time.sleep(0.5)
        until, sizes = time.monotonic() + options.seconds, []
        threads = [threading.Thread(target=run_programs, args=(port, seed, until, done)) for seed in range(options.programs)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.2)
            sizes.append(memory(recorder.pid))
        recorder.send_signal(signal.SIGINT)
        recorder.wait(timeout=60)
        said.seek(0)
        err = said.read()
        third = len(sizes) // 3
        early, late = max(sizes[third:2 * third + 1]), max(sizes[-third - 1:])
        faults.equal('memory is flat: %d and %d bytes' % (early, late), late < early * 1.1 + (8 << 20), True)
        faults.equal('status', recorder.returncode in (0, 4), True)          # 4: connections broke
        check_files(faults, folder, done)
    print('%d programs, %d of them to their end, %d and %d bytes of memory' % (
        len(done), sum(not how for _, how, _, _ in done), early, late))
    print('%d checks, %d faults' % (faults.checks, faults.count))
    if faults.count:
        print(err[-2000:])
    return 1 if faults.count or not done else 0


if __name__ == '__main__':
    sys.exit(main())
