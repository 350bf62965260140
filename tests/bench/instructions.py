"""What a command does, in counts that hardly depend on what else the machine does: instructions, branches that were predicted
wrongly, and reads and writes that missed the first cache."""

import re
import subprocess
import tempfile
import typing

PERF = ('perf', 'stat', '-x,', '-e', 'instructions:u,branch-misses:u,L1-dcache-load-misses:u')
CALLGRIND = ('valgrind', '--tool=callgrind', '--cache-sim=yes', '--branch-sim=yes', '--callgrind-out-file=/dev/null')


class Counts(typing.NamedTuple):
    """Fields that a tool cannot count are None."""
    instructions: int
    mispredicted: typing.Optional[int]
    misses: typing.Optional[int]


def of_perf(text):
    """The counts in lines like `12345,,instructions:u,...`; None without instructions."""
    found = {name: int(count) for count, name in re.findall(r'^(\d+),[^,]*,([\w-]+)', text, re.MULTILINE)}
    if not found.get('instructions'):
        return None
    return Counts(found['instructions'], found.get('branch-misses'), found.get('L1-dcache-load-misses'))


def of_callgrind(text):
    """The counts of the lines `Events` and `Collected`, which name them and have them; None without."""
    lines = {what: words.split() for what, words in re.findall(r'\b(Events|Collected)\s*:\s*(.*)$', text, re.MULTILINE)}
    found = {name: int(count) for name, count in zip(lines.get('Events', ()), lines.get('Collected', ()))}
    if 'Ir' not in found:
        return None
    return Counts(found['Ir'], found['Bcm'] + found['Bim'] if 'Bcm' in found else None,
                  found['D1mr'] + found['D1mw'] if 'D1mr' in found else None)


def runs(tool, argv):
    """What a tool writes of a command, '' where there is no such tool, and the status of the command."""
    with tempfile.NamedTemporaryFile('r') as log:
        option = '--log-file=' if tool is CALLGRIND else '--output='
        try:
            done = subprocess.run([*tool, option + log.name, *argv], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        except OSError:
            return '', None
        return log.read(), done.returncode


def counter():
    """The name of the tool that works here, and what calls it; (None, None) where there is neither.

    What calls it takes a command with its arguments and returns the Counts and the exit status.
    """
    for name, tool, read in ('perf', PERF, of_perf), ('callgrind', CALLGRIND, of_callgrind):
        if read(runs(tool, ['true'])[0]):
            return name, lambda argv, tool=tool, read=read: with_status(runs(tool, argv), read)
    return None, None


def with_status(output, read):
    text, status = output
    return read(text), status
