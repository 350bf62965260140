"""What soaks share: a disk that is full for a while, files that are right removed early, and the memory of a process by minute.
Standard library only."""

import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time

STEP = 0.2              # seconds between two looks at the memory
SETTLES = 5             # seconds behind the time of the full disk that still belong to it


class Disk:
    """A folder on a disk of its own, where this user may make one: it can be filled, and be freed again."""

    def __init__(self, size):
        self.home = tempfile.TemporaryDirectory()
        self.folder, self.since, self.until, self.over = pathlib.Path(self.home.name), None, None, threading.Event()
        self.own = os.geteuid() == 0 and subprocess.run(
            ['mount', '-t', 'tmpfs', '-o', 'size=%d,nr_inodes=0' % size, 'tmpfs', self.home.name], capture_output=True,
            check=False).returncode == 0
        self.ballast = self.folder / 'ballast'

    def fill(self):
        self.since = time.monotonic()
        with open(self.ballast, 'wb', buffering=0) as file:
            while not self.over.is_set():
                try:
                    file.write(bytes(1 << 16))
                except OSError:
                    self.over.wait(0.05)    # what is removed meanwhile is filled, too
        self.ballast.unlink()
        self.until = time.monotonic()

    def was_full(self, began, ended):
        """Was it full at some time between the two?"""
        return self.since is not None and ended >= self.since - 1 and (self.until is None or began <= self.until + SETTLES)

    def full_between(self, start, end):
        """In a thread: full from this time to that."""
        def run():
            time.sleep(max(0, start - time.monotonic()))
            filler = threading.Thread(target=self.fill, daemon=True)
            filler.start()
            time.sleep(max(0, end - time.monotonic()))
            self.over.set()
            filler.join()
        thread = threading.Thread(target=run, daemon=True)
        if self.own:
            thread.start()
        return thread

    def close(self):
        if self.own:
            subprocess.run(['umount', self.home.name], check=False)
        self.home.cleanup()


class Sieve:
    """Removes files that are right, so that an hour of them needs no more space than a minute: calls look() every so many seconds."""

    def __init__(self, look, seconds):
        self.over = threading.Event()

        def run():
            while not self.over.wait(seconds):
                look()
        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def stop(self):
        self.over.set()
        self.thread.join()


def resident(pid):
    with open('/proc/%d/status' % pid, encoding='ascii') as file:
        return int(re.search(r'VmRSS:\s+(\d+)', file.read()).group(1)) << 10


class Memory:
    """Looks at a process until it is stopped; a line a minute: the most that it had, and what `note` says."""

    def __init__(self, pid, note):
        self.pid, self.note, self.sizes, self.over = pid, note, [], threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        minute, began = [], time.monotonic()
        while not self.over.wait(STEP):
            self.sizes.append(resident(self.pid))
            minute.append(self.sizes[-1])
            if len(minute) * STEP >= 60:
                print('%4d min %8.1f MB  %s' % (round((time.monotonic() - began) / 60), max(minute) / 1e6, self.note()), flush=True)
                minute = []

    def stop(self):
        self.over.set()
        self.thread.join()

    def thirds(self):
        """The most of the second third, and of the last one."""
        third = len(self.sizes) // 3
        return max(self.sizes[third:2 * third + 1]), max(self.sizes[-third - 1:])
