#!/usr/bin/env python3
"""Lets calls of the C library fail under the commands, one in each run, and looks at what they leave.

usage: check_faults.py --bin DIRECTORY --shim FILE (--memory | --calls | --kill) [--step N] [--only TEXT]
                       FIXTURES

--memory: the k-th allocation fails. --calls: the k-th call of each function that reaches the system fails in each way
that it can (a file that ends too early has shrunk: damage, status 4). --kill: the process is killed before the k-th of
them. A command either gets along, and then status, output and files are as without a fault; or it ends with status 3
and a sentence, and then no file is there but those that were there before. In both cases all memory is given back. What
goes to a standard output before a fault is the beginning of what would have come.

The faults come from --shim, which is loaded before the commands (tests/faults/fault.c). --step N takes every
N-th k, and at least eight of each command.
"""

import argparse
import collections
import concurrent.futures
import errno
import itertools
import os
import pathlib
import resource
import select
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading

NOTHING_MATCHES, FAILED, DAMAGED = 2, 3, 4
SHOWN = 12

FORMATS = ('csv', 'tsv', 'ndjson', 'sqlite', 'chrome', 'perfetto', 'speedscope', 'folded', 'pprof')
TABLES = 'timers,threads,frames,counters,logs,memory,tasks,gpu,health,ledger,scopes,locks,bookmarks,regions'
STATS = ('trace-stats', 'CAPTURE', '--format')

# name -> words; CAPTURE, BASE (a baseline file of it), BUDGET and OUT (a name in an empty folder) are put in
COMMANDS = {
    'info': ('trace-info', 'CAPTURE'),
    'info-full': ('trace-info', 'CAPTURE', '--full', '--types', '--format', 'json'),
    'events': ('trace-events', 'CAPTURE', '--format', 'ndjson'),
    'events-serial': ('trace-events', 'CAPTURE', '--order', 'serial'),
    'events-count': ('trace-events', 'CAPTURE', '--count'),
    'stats': ('trace-stats', 'CAPTURE'),
    'stats-tables': (*STATS, 'csv', '--table', TABLES, '-o', 'OUT'),
    'stats-markdown': (*STATS, 'markdown', '--table', 'timers', '--by', 'thread', '-o', 'OUT'),
    'stats-tree': ('trace-stats', 'CAPTURE', '--tree'),
    'stats-hitches': ('trace-stats', 'CAPTURE', '--hitches'),
    'save': ('trace-stats', 'CAPTURE', '--save', 'OUT'),
    'diff': ('trace-diff', 'BASE', 'CAPTURE', '--report', 'json=OUT'),
    'diff-captures': ('trace-diff', 'CAPTURE', 'CAPTURE', '--report', 'markdown=OUT'),
    'check': ('trace-check', 'CAPTURE', '--budget', 'BUDGET', '--report', 'junit=OUT'),
    'propose': ('trace-check', 'CAPTURE', '--write-budget', 'OUT'),
    'insights': ('trace-export', 'CAPTURE', '--preset', 'insights', '-o', 'OUT'),
    'summarize': ('trace-export', 'CAPTURE', '--preset', 'summarize', '-o', 'OUT'),
    'chrome.gz': ('trace-export', 'CAPTURE', '-f', 'chrome', '-o', 'OUT.json.gz'),
    'chrome.zst': ('trace-export', 'CAPTURE', '-f', 'chrome', '-o', 'OUT.json.zst'),
    'chrome.lz4': ('trace-export', 'CAPTURE', '-f', 'chrome', '-o', 'OUT.json.lz4'),
    'chrome-stdout': ('trace-export', 'CAPTURE', '-f', 'chrome', '-o', '-'),
    'force': ('trace-export', 'CAPTURE', '-f', 'folded', '-o', 'OLD', '--force'),
    'sorted': ('trace-export', 'CAPTURE', '-f', 'csv', '--table', 'scopes', '--sort', 'start', '-o', 'OUT'),
    **{form: ('trace-export', 'CAPTURE', '-f', form, '-o', 'OUT') for form in FORMATS},
}
CAPTURES = ('tiny.utrace', 'old-p0-raw.utrace', 'coroutine.utrace', 'tracy/crash-0.13.1.tracy')
PACKED = ('info', 'stats', 'csv')              # of a capture that is packed with zstd, gzip and lz4
# of one capture: FOLDER holds it and another run, TERMINAL is a pseudo terminal to write to, with a pager
ONCE = {
    'folder': ('trace-diff', 'FOLDER', 'FOLDER', '--report', 'json=OUT'),
    'save-over': ('trace-stats', 'CAPTURE', '--save', 'OLD'),          # which is no baseline, and stays as it is
    'save-more': ('trace-stats', 'CAPTURE', '--save', 'MORE'),         # which is one, and gets a run more
    'memory': ('trace-stats', 'CAPTURE', '--limit', 'memory=4000000000'),
    'limits': ('trace-stats', '--limit', 'help'),
    'help': ('trace-export', '--help'),
    'pager': ('TERMINAL', 'trace-stats', 'CAPTURE'),
    'pager-help': ('TERMINAL', 'trace-stats', '--help'),
}
PAGER = '/bin/cat -u'
ALSO = {'tracy/crash-0.13.1.tracy': ('trace-export', 'CAPTURE', '--preset', 'tracy', '-o', 'OUT')}

# function -> the ways in which it fails
WAYS = {
    'open': ('EINTR', 'EIO', 'EMFILE', 'ENOENT', 'EACCES', 'EROFS', 'ENOSPC'),
    'read': ('short', 'EINTR', 'EIO'),
    'pread': ('short', 'EINTR', 'EIO', 'end:on'),       # what has shrunk stays short
    'write': ('short', 'EINTR', 'EIO', 'ENOSPC', 'ENOSPC:on', 'EPIPE'),
    'pwrite': ('short', 'EINTR', 'EIO', 'ENOSPC', 'ENOSPC:on'),
    'fstat': ('EIO',), 'stat': ('EIO', 'EACCES', 'ENOENT'), 'lstat': ('EIO', 'ENOENT'),
    'mmap': ('ENOMEM', 'ENODEV'), 'madvise': ('EINVAL',),
    'close': ('EIO', 'EINTR', 'ENOSPC'), 'fsync': ('EIO', 'ENOSPC', 'EINVAL'), 'ftruncate': ('EIO',),
    'lseek': ('ESPIPE', 'EIO'), 'rename': ('EIO', 'ENOSPC', 'EROFS', 'ENOENT', 'EXDEV'),
    'link': ('EPERM', 'EIO', 'ENOENT', 'EROFS', 'EEXIST'), 'unlink': ('EIO', 'EROFS'),
    'mkdir': ('EIO', 'ENOSPC', 'EROFS', 'ENOENT', 'EACCES'), 'rmdir': ('EIO',), 'access': ('EIO', 'EROFS'),
    'realpath': ('EIO', 'ENOENT', 'ENAMETOOLONG'), 'mkstemp': ('EROFS', 'ENOSPC', 'EMFILE'), 'fcntl': ('EIO',),
    'fchmod': ('EPERM',), 'opendir': ('EIO', 'EMFILE'), 'readdir': ('EIO',), 'fopen': ('EMFILE', 'EACCES'),
    'pthread_create': ('EAGAIN',), 'flock': ('EINTR', 'ENOLCK'),
    'fflush': ('EIO', 'ENOSPC', 'EPIPE'), 'ioctl': ('ENOTTY', 'EIO'), 'setrlimit': ('EPERM',),
    'pipe2': ('EMFILE',), 'dup2': ('EBUSY', 'EINTR'), 'posix_spawnp': ('EAGAIN', 'ENOENT'), 'waitpid': ('EINTR', 'ECHILD'),
}
KILLED = ('open', 'write', 'pwrite', 'fsync', 'rename', 'link', 'unlink', 'mkdir', 'close', 'ftruncate')
LITTER = ('unlink', 'rmdir')                   # what cannot be removed stays


def tree(folder):
    """All files of a folder with their bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in sorted(folder.rglob('*'))}


def is_unfinished(name):
    return name.startswith('TMP/') or any(part.startswith('.tracekit') for part in name.split('/'))


class Outcome:
    def __init__(self, status, out, err, files, live, calls):
        self.status, self.out, self.err, self.files, self.live, self.calls = status, out, err, files, live, calls


def copy_terminal(master, out):
    """What is written to a terminal, until nobody has it open."""
    with open(master, 'rb', buffering=0) as displayed:
        while True:
            if not select.select([displayed], [], [], 60)[0]:
                return
            try:
                out.write(displayed.read(1 << 16))
            except OSError:                             # how the other side says that this was all
                return


class Bench:
    """Runs commands with one fault each, in a folder of the thread that queries."""

    def __init__(self, options, work):
        self.bin, self.shim, self.work = options.bin.resolve(), options.shim.resolve(), work
        self.local = threading.local()
        # word -> what is in the file that it stands for
        self.olds = {'OLD': b'what was there before', 'MORE': (options.fixtures / 'baseline-v1-a.tkb').read_bytes()}

    def old(self, words):
        """The files that are there before a command."""
        return {'old': data for word, data in self.olds.items() if word in words}

    def folder(self):
        if not hasattr(self.local, 'folder'):
            self.local.folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        return self.local.folder

    def end(self, words, environment, out, err):
        """The status of a command."""
        terminal = words[0] == 'TERMINAL'
        words = words[1:] if terminal else words
        master, slave = os.openpty() if terminal else (None, None)
        process = subprocess.Popen([str(self.bin / words[0]), *words[1:], '--jobs', '1'], stdin=subprocess.DEVNULL,
                                   stdout=slave if terminal else out, stderr=err, env=environment, close_fds=terminal)
        if terminal:
            os.close(slave)
            copy_terminal(master, out)
        try:
            return process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return 'no end'

    def run(self, words, fault=None):
        place = self.folder()
        here = place / 'out'
        shutil.rmtree(here, ignore_errors=True)
        here.mkdir()
        old = here / 'old'
        for data in self.old(words).values():
            old.write_bytes(data)
        (place / 'tmp').mkdir(exist_ok=True)
        words = [str(old) if word in self.olds else word.replace('OUT', str(here / 'file')) for word in words]
        environment = {'LC_ALL': 'C', 'NO_COLOR': '1', 'PATH': '', 'TMPDIR': str(place / 'tmp'),
                       'LD_PRELOAD': str(self.shim), 'PAGER': PAGER}
        (place / 'report').unlink(missing_ok=True)
        environment['TK_FAULT_REPORT'] = str(place / 'report')
        if fault:
            environment['TK_FAULT'] = fault
        with open(place / 'stdout', 'wb') as out, open(place / 'stderr', 'wb') as err:
            status = self.end(words, environment, out, err)
        calls = {}
        if (place / 'report').exists():
            calls = {name: int(number) for name, number in
                     (line.split() for line in (place / 'report').read_text().splitlines())}
        files = {name.replace(str(here), ''): data for name, data in tree(here).items()}
        files.update(('TMP/' + name, data) for name, data in tree(place / 'tmp').items())
        for name in tree(place / 'tmp'):
            (place / 'tmp' / name).unlink()
        where = str(here).encode()
        return Outcome(status, (place / 'stdout').read_bytes().replace(where, b''), (place / 'stderr').read_bytes(), files,
                       calls.pop('live', None), calls)


def content(data):
    """A database as what it says: SQLite gets along without some of its memory, and lays pages out in another way."""
    if not data.startswith(b'SQLite format 3'):
        return data
    with tempfile.NamedTemporaryFile(suffix='.db') as file:
        file.write(data)
        file.flush()
        connection = sqlite3.connect(file.name)
        try:
            return [connection.execute('PRAGMA integrity_check').fetchall(), *connection.iterdump()]
        finally:
            connection.close()


def same_files(got, sound):
    return got.keys() == sound.keys() and all(got[name] == sound[name] or content(got[name]) == content(sound[name])
                                              for name in got)


def judge(name, way, sound, got, before):
    """What is wrong with an outcome, or None."""
    if got.status == 'no end' or (isinstance(got.status, int) and (got.status < 0 or got.status > 4)):
        return 'ended with %s: %s' % (got.status, got.err[-1500:].decode(errors='replace'))
    if got.live:
        return '%d blocks of memory are lost (status %d)' % (got.live, got.status)
    kept = {name: data for name, data in got.files.items() if not is_unfinished(name)}
    litter = got.files.keys() - kept.keys()
    if litter and name not in LITTER and way != 'kill':
        return 'left behind: %s (status %d)' % (', '.join(sorted(litter)), got.status)
    if got.status == sound.status and got.out == sound.out and same_files(kept, sound.files):
        return None
    if way == 'end:on' and got.status == DAMAGED and b'no longer in the file' in got.err + got.out:
        return None
    if way == 'end:on' and got.status == NOTHING_MATCHES and got.err.strip() and kept == before:
        return None
    # a reader that has gone is no fault, and the verdict stands
    if way == 'EPIPE' and got.status in (0, sound.status) and sound.out.startswith(got.out):
        return None
    # a file in a folder that holds nothing is left out, with a warning
    if way == 'end:on' and got.status == sound.status and b'is left out: the header is cut off' in got.err:
        return None
    if got.status != FAILED:
        what = [key for key in sound.files if kept.get(key) != sound.files[key]] or 'standard output'
        return 'status %d, and %s is not as it should be: %s' % (got.status, what, got.err[:300].decode(errors='replace'))
    if not got.err.strip():
        return 'status 3 without a word'
    # SQLite does not always say why it gave up
    if name == 'memory' and b'memory' not in got.err and b'database' not in got.err:
        return 'status 3, but not for memory: %s' % got.err[:300].decode(errors='replace')
    if not sound.out.startswith(got.out):
        return 'another standard output'
    if kept != before:
        return 'status 3, but there is %s: %s' % (', '.join(kept), got.err[:200].decode(errors='replace'))
    return None


def number_of(way):
    word, _, on = way.partition(':')
    return '%s:%%d%s' % (word if word in ('short', 'end', 'kill') else getattr(errno, word), ':on' if on else '')


FIRST = 16      # these are tried in any case: an output is looked at, a capture opened, a library made ready
FEW = 100       # from this step on only the first, the last and a middle call are tried


def places(calls, step):
    """The k that are tried: all where there are few, else each step-th, and the first and last ones."""
    if step > FEW:
        return sorted({1, 2, calls // 2, calls} & set(range(1, calls + 1)))
    if step <= 1 or calls <= 8:
        return range(1, calls + 1)
    step = max(1, min(step, calls // 8))
    return sorted({*range(1, calls + 1, step), *range(1, min(FIRST, calls) + 1), *range(calls - 3, calls + 1)})


def faults_of(mode, calls, step):
    if mode == 'memory':
        return [('memory', 'ENOMEM', k) for k in places(calls['memory'], step)]
    table = WAYS if mode == 'calls' else dict.fromkeys(KILLED, ('kill',))
    return [(name, way, k) for name, ways in table.items() for k in places(calls.get(name, 0), step) for way in ways]


class Check:
    def __init__(self, options, work):
        self.options, self.work, self.bench = options, work, Bench(options, work)
        self.pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
        self.tried, self.bad, self.absorbed = collections.Counter(), 0, 0
        self.numbers = itertools.count()

    def one(self, words, sound, before, fault):
        name, way, k = fault
        got = self.bench.run(words, '%s:%s' % (name, number_of(way) % k))
        if way == 'kill' and got.status == -9:
            kept = {key: data for key, data in got.files.items() if not is_unfinished(key)}
            good = all(sound.files.get(key) == data for key, data in kept.items()) or kept == before
            return fault, None if good else 'killed, and there is half of %s' % ', '.join(kept), got.status
        return fault, judge(name, way, sound, got, before), got.status

    def command(self, title, words):
        sound = self.bench.run(words)
        answers = sound.status in (0, 1, 3) or b'no verdict' in sound.err or b'it ended in' in sound.err or b'has no game frames' in sound.err
        if not answers or (sound.live or 0):
            print('FAILED %s: without a fault: status %s, %s blocks lost: %s' % (
                title, sound.status, sound.live, sound.err[:2000].decode(errors='replace')))
            self.bad += 1
            return
        before = self.bench.old(words)
        # of hundreds of thousands of calls a sample is enough: they are those of SQLite
        step = max(self.options.step, sound.calls.get('memory', 0) // self.options.most)
        faults = [fault for fault in faults_of(self.options.mode, sound.calls, step)
                  if next(self.numbers) % self.options.every == 0]
        wrong, got_along = collections.Counter(), 0
        for fault, fault_text, status in self.pool.map(lambda f: self.one(words, sound, before, f), faults):
            self.tried[fault[0]] += 1
            got_along += status == sound.status
            if fault_text:
                wrong[fault_text] += 1
                if len(wrong) <= SHOWN and wrong[fault_text] <= 2:
                    print('       %s:%s:%d %s' % (*fault, fault_text))
        self.bad += sum(wrong.values())
        self.absorbed += got_along
        print('%-6s %-40s %6d faults, %d got along with, %d wrong' % (
            'FAILED' if wrong else 'ok', title, len(faults), got_along, sum(wrong.values())), flush=True)

    def prepare(self, capture, words):
        """The words with the files that they need."""
        base, budget, folder = self.work / 'base.tkb', self.work / 'budget.json', self.work / 'folder'
        if 'FOLDER' in words:
            folder.mkdir(exist_ok=True)
            for run in (capture, capture.with_name('tiny-ue5.1.utrace')):
                shutil.copy(run, folder)
        if 'BASE' in words or 'BUDGET' in words:
            for path, arguments in ((base, ('trace-stats', '--save')), (budget, ('trace-check', '--write-budget'))):
                path.unlink(missing_ok=True)
                subprocess.run([str(self.bench.bin / arguments[0]), str(capture), arguments[1], str(path)],
                               capture_output=True)
        there = {'CAPTURE': capture, 'BASE': base, 'BUDGET': budget, 'FOLDER': folder}
        return [str(there.get(word, word)) for word in words]

    def packed(self, capture):
        """The capture packed with what can be had."""
        for kind, words in (('zst', ('zstd', '-qc')), ('gz', ('gzip', '-c')), ('lz4', ('lz4', '-qc'))):
            copy = self.work / ('packed.' + kind)
            with open(copy, 'wb') as out:
                done = shutil.which(words[0]) and subprocess.run([*words, str(capture)], stdout=out)
            if done and done.returncode == 0:
                yield copy

    def cases(self):
        for name in self.options.captures.split(','):
            capture = self.options.fixtures / name
            for title, words in COMMANDS.items():
                yield '%s %s' % (title, name), capture, words
            if name in ALSO:
                yield 'preset %s' % name, capture, ALSO[name]
        tiny = self.options.fixtures / 'tiny.utrace'
        for title, words in ONCE.items():
            if words[0] != 'TERMINAL' or os.path.exists('/dev/ptmx'):
                yield title, tiny, words
        for copy in self.packed(tiny):
            for title in PACKED:
                yield '%s %s' % (title, copy.name), copy, COMMANDS[title]

    def all(self):
        for title, capture, words in self.cases():
            if self.options.only and not any(part in title for part in self.options.only):
                continue
            self.command(title, self.prepare(capture, words))
        print('%d faults (%s), %d got along with, %d wrong' % (
            sum(self.tried.values()), ', '.join('%s %d' % item for item in self.tried.items()), self.absorbed, self.bad))
        return 1 if self.bad or not self.tried else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('--shim', type=pathlib.Path, required=True)
    modes = parser.add_mutually_exclusive_group(required=True)
    for mode in ('memory', 'calls', 'kill'):
        modes.add_argument('--' + mode, dest='mode', action='store_const', const=mode)
    parser.add_argument('--step', type=int, default=1)
    parser.add_argument('--most', type=int, default=5000, help='faults of a command')
    parser.add_argument('--every', type=int, default=1, help='one fault of so many, over all commands')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--captures', default=','.join(CAPTURES))
    parser.add_argument('--only', action='append', default=[])
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as work:
        return Check(options, pathlib.Path(work)).all()


if __name__ == '__main__':
    sys.exit(main())
