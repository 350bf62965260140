"""One run of a command and what it took."""

import dataclasses
import os
import pathlib
import subprocess
import sys
import time

DAMAGED = 4             # also where a limit was reached, as with stacks at random


@dataclasses.dataclass
class Run:
    wall: float
    cpu: float
    memory: int
    read: int


def bytes_read(pid):
    """Of a process that ended and was not waited for; 0 where the system does not tell."""
    try:
        lines = pathlib.Path('/proc/%d/io' % pid).read_text().split('\n')
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith('rchar:')), 0)


def check(command, status):
    """Ends the measurement, with 2, where a command failed."""
    slower = (command[0], status) == ('trace-diff', 1)
    if status not in (0, DAMAGED) and not slower:
        print('%s ended with %d' % (' '.join(map(str, command)), status), file=sys.stderr)
        sys.exit(2)


def once(directory, command, *paths):
    """Runs a command of a directory on captures."""
    name, *arguments = command
    begin = time.monotonic()
    process = subprocess.Popen([directory / name, *paths, *arguments, '--quiet'], stdout=subprocess.DEVNULL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    wall = time.monotonic() - begin
    read = bytes_read(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    check(command, process.returncode)
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, read)
