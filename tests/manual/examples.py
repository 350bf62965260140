"""The examples of the manual pages and of the README: runs their commands where the fixtures are at hand.

An example is a block of lines: `$ COMMAND`, and below what it prints; a last line `...` stands for the rest. A block
that begins with none is no example.
"""

import os
import pathlib
import re
import shutil
import subprocess

# Names in the examples, and what they are in the fixtures.
NAMES = {
    'game.utrace': 'game.utrace.zst',
    'tiny.utrace': 'tiny.utrace',
    'broken.utrace': 'damaged/flip_lz4.utrace',
    'crash.utrace': 'damaged/trunc_tiny_06.utrace',
    'game.tracy': 'tracy/small-0.14.0-zstd22-j255.tracy',
    'base.tkb': 'baseline-v1-a.tkb',
    'new.tkb': 'baseline-v1-b.tkb',
}
FORBIDDEN = {2, 3, 126, 127}    # exit statuses that no example has

# Names in the lists of commands of the README, which are of one game.
LISTED = {name: 'game.utrace.zst' for name in ('game.utrace', 'run.utrace', 'old.utrace', 'new.utrace', 'a.utrace',
                                               'mon.utrace', 'tue.utrace', 'wed.utrace', 'new/1.utrace')}
LISTED.update({'history/1.tracy': 'tracy/small-0.14.0-zstd22-j255.tracy', 'history/2.tracy': 'tracy/small-0.14.0-lz4-j1.tracy'})
LISTED.update({'numbers/%s.csv' % name: 'trend/h11/%s.csv' % name for name in ('runs', 'series', 'values')})
LISTED.update({'b.utrace': 'damaged/trunc_game_04.utrace.zst', 'base.tkb': 'baseline-v2-game.tkb', 'new.tkb': 'baseline-v2-game.tkb'})
TEXTS = {'names.json': '{"timers": {"FCullingTask": "FCulling"}}',
         'budget.json': '{"budgets": [{"kind": "frame", "name": "p99", "error": 100}]}'}
FEW_RUNS = 'noise needs at least 4 runs'       # of so many there are no fixtures


class Workspace:
    """A directory with the fixtures under their names, where commands run as a reader would run them."""

    def __init__(self, directory, binaries, fixtures):
        self.directory = pathlib.Path(directory)
        self.environment = {key: value for key, value in os.environ.items() if key not in ('COLUMNS', 'PAGER')}
        self.environment.update(PATH='%s:%s' % (pathlib.Path(binaries).resolve(), os.environ['PATH']), LC_ALL='C.UTF-8',
                                NO_COLOR='1', TERM='dumb', PKG_CONFIG_PATH=str(self.directory / 'pkgconfig'))
        for name, source in NAMES.items():
            shutil.copy(pathlib.Path(fixtures) / source, self.directory / name)

    def add_listed(self, fixtures):
        """From now on the files of LISTED and TEXTS are there, and `ssh HOST COMMAND`, which runs it here."""
        for name, source in LISTED.items():
            (self.directory / name).parent.mkdir(exist_ok=True)
            shutil.copy(pathlib.Path(fixtures) / source, self.directory / name)
        for name, text in TEXTS.items():
            self.put(name, text)
        self.put('ssh', '#!/bin/sh\nshift\nexec "$@"\n')
        (self.directory / 'ssh').chmod(0o755)
        self.environment['PATH'] = '%s:%s' % (self.directory, self.environment['PATH'])

    def add_library(self, headers, library):
        """From now on pkg-config knows the library that was built."""
        (self.directory / 'pkgconfig').mkdir()
        self.put('pkgconfig/tracekit.pc', 'Name: tracekit\nDescription: -\nVersion: 0\nCflags: -I%s\nLibs: -L%s -ltracekit\n'
                 % (headers, library))
        self.environment['LD_LIBRARY_PATH'] = str(library)

    def put(self, name, text):
        (self.directory / name).write_text(text, encoding='utf-8')

    def run(self, command):
        """(status, output, messages) of a line for the shell; the worst status of a pipe counts."""
        done = subprocess.run(['bash', '-o', 'pipefail', '-c', command], cwd=self.directory, env=self.environment,
                              timeout=120, stdin=subprocess.DEVNULL, capture_output=True)
        return done.returncode, *(text.decode('utf-8', errors='replace') for text in (done.stdout, done.stderr))


def split(block):
    """[(command, [lines])] of an example; [] when it is none."""
    found = []
    for line in block.splitlines():
        if line.startswith('$ '):
            found.append((line[2:], []))
        elif found and found[-1][0].endswith('\\') and not found[-1][1]:
            found[-1] = (found[-1][0] + '\n' + line, [])
        elif found:
            found[-1][1].append(line)
        else:
            return []
    return found


def displayed(printed, old):
    """What an example shows of what a command prints: as many lines as it did where it left some out."""
    lines = [line.rstrip() for line in printed.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    if old and old[-1] == '...' and len(lines) >= len(old):
        return lines[:len(old) - 1] + ['...']
    return lines


def run_block(block, workspace, result, figures):
    """The block as it has to be; `figures(command, printed)` checks what has a second source."""
    parts = []
    for command, old in split(block):
        status, printed, messages = workspace.run(command)
        result.true('%s: status %d: %s' % (command, status, messages[-300:]), status not in FORBIDDEN)
        figures(command, printed)
        parts.append('\n'.join(['$ ' + command, *displayed(printed + messages, old)]))
    return '\n'.join(parts) + '\n'


# ---- pages ----

MDOC = re.compile(r'(?m)(?:^\.\\" file (\S+)\n)?^\.Bd -literal -offset indent\n((?:.*\n)*?)\.Ed\n')
MARKDOWN = re.compile(r'(?m)^```console\n((?:.*\n)*?)```\n')


def from_mdoc(text):
    return text.replace('\\-', '-').replace('\\(ga', '`').replace('\\(aq', "'").replace('\\&', '').replace('\\e', '\\')


def to_mdoc(text):
    lines = (line.replace('\\', '\\e').replace('-', '\\-').replace("'", '\\(aq').replace('`', '\\(ga')
             for line in text.splitlines())
    return ''.join(('\\&' + line if line.startswith('.') else line) + '\n' for line in lines)


def run_mdoc(page, workspace, result, figures):
    """A manual page with its examples as they have to be. Blocks behind a comment `file NAME` are written first."""
    for name, text in MDOC.findall(page):
        if name:
            workspace.put(name, from_mdoc(text))

    def make(found):
        if found[1] or not split(from_mdoc(found[2])):
            return found[0]
        block = run_block(from_mdoc(found[2]), workspace, result, figures)
        return '.Bd -literal -offset indent\n%s.Ed\n' % to_mdoc(block)
    return MDOC.sub(make, page)


def run_markdown(page, workspace, result, figures):
    return MARKDOWN.sub(lambda found: '```console\n%s```\n' % run_block(found[1], workspace, result, figures), page)


LIST = re.compile(r'(?m)^    ((?:ssh |trace).*)$')


def run_listed(page, workspace, result):
    """Indented lines that are commands, with a remark two blanks behind them."""
    for line in LIST.findall(page):
        command = line.split('  ')[0]
        status, _, messages = workspace.run(command)
        result.true('%s: status %d: %s' % (command, status, messages[-300:]), status not in FORBIDDEN or
                    (status == 2 and FEW_RUNS in messages))
