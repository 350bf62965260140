#!/usr/bin/env python3
"""Answers with what is kept of a capture are those without: bytes, warnings and status, for random selections, with one
job and with several; also where the file that is kept is cut, changed, of another capture, or must not be used.

usage: check_kept.py [--rounds N] [--seed N] [--all] [--only PART] TOOLS FIXTURES [CAPTURE...]

PART is 'answers', 'every', 'damage', 'foreign', 'hostile', 'change', 'faulty' or 'places'. The captures are asked as well as those of the fixtures.
"""

import argparse
import contextlib
import json
import os
import pathlib
import random
import sqlite3
import stat
import subprocess
import sys
import tempfile

QUESTIONS = (
    ('stats', '--table', 'timers', '--format', 'csv'),
    ('stats', '--table', 'timers', '--by', 'thread', '--format', 'csv'),
    ('stats', '--table', 'timers', '--columns', 'timer,count,incl,excl,p50,p99,frame_mean', '--format', 'csv'),
    ('stats', '--table', 'threads', '--format', 'ndjson'),
    ('stats', '--tree'),
    ('stats', '--slowest=20'),
    ('stats', '--table', 'frames', '--format', 'csv'),
    ('stats', '--table', 'regions', '--format', 'csv'),
    ('stats', '--table', 'quality', '--format', 'csv'),
    ('stats',),
    ('stats', '--table', 'capture,timers', '--format', 'json'),
    ('export', '--format', 'csv', '--table', 'scopes', '-o', '-'),
    ('export', '--format', 'folded', '-o', '-'),
)

SERIAL = (('stats', '--table', 'memory', '--format', 'csv'), ('stats', '--table', 'tasks', '--format', 'csv'))

MAGIC = b'TKKEPT'
HEAD, SECTIONS, WORDS = 8 + 8 * 16, 4, 7     # of a file: bytes in front of sections, their number, words of the identity
BEFORE_LANES = 4 + 8        # numbers of the section of packets in front of that of threads: 4, and a ledger


def mix(v):
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9 % 2 ** 64
    v = (v ^ v >> 27) * 0x94d049bb133111eb % 2 ** 64
    return v ^ v >> 31


def checksum(p, seed):
    h = seed ^ len(p) * 0x9e3779b97f4a7c15 % 2 ** 64
    for at in range(0, len(p), 8):
        h = mix(h ^ int.from_bytes(p[at:at + 8], 'little'))
    return mix(h)


def checksum_wide(p, seed):
    """Of four sums, in turn of eight bytes each, and of the rest."""
    sums, wide = [(seed + i) % 2 ** 64 for i in range(4)], len(p) - len(p) % 32
    for at in range(0, wide, 8):
        sums[at // 8 % 4] = mix(sums[at // 8 % 4] ^ int.from_bytes(p[at:at + 8], 'little'))
    h = checksum(p[wide:], seed ^ len(p))
    for one in sums:
        h = mix(h ^ one)
    return h


def sealed(bytes_):
    """The same with checksums that fit."""
    at = HEAD
    for section in range(SECTIONS):
        word = 8 + 8 * (WORDS + 2 * section)
        n = int.from_bytes(bytes_[word:word + 8], 'little')
        bytes_[word + 8:word + 16] = (checksum_wide(bytes_[at:at + n], section) if n else 0).to_bytes(8, 'little')
        at += n
    bytes_[HEAD - 8:HEAD] = checksum(bytes_[:HEAD - 8], 0).to_bytes(8, 'little')
    return bytes(bytes_)


def number_at(bytes_, at):
    """A number in groups of seven bits, and where the next one begins."""
    value, shift = 0, 0
    while True:
        value |= (bytes_[at] & 127) << shift
        shift += 7
        at += 1
        if bytes_[at - 1] < 128:
            return value, at


def number_bytes(value):
    groups = bytearray()
    while value >= 128:
        groups.append(value & 127 | 128)
        value >>= 7
    return bytes(groups) + bytes([value])


def with_count(whole, count):
    """A file in which the thread with the most packets has another number of them."""
    at = HEAD
    for _ in range(BEFORE_LANES):
        _, at = number_at(whole, at)
    lanes, at = number_at(whole, at)
    places = []
    for _ in range(lanes):
        _, at = number_at(whole, at)
        packets, end = number_at(whole, at)
        places.append((packets, at, end))
        _, at = number_at(whole, end)
        _, at = number_at(whole, at)
    _, begin, end = max(places)
    changed = bytearray(whole[:begin] + number_bytes(count) + whole[end:])
    word = 8 + 8 * WORDS
    size = int.from_bytes(whole[word:word + 8], 'little') + len(changed) - len(whole)
    changed[word:word + 8] = size.to_bytes(8, 'little')
    return changed


def with_ledger(whole):
    """A file that says of one byte more that it is of the header of the capture."""
    at = HEAD
    for _ in range(4):
        _, at = number_at(whole, at)
    assert whole[at] < 127
    return bytearray(whole[:at] + bytes([whole[at] + 1]) + whole[at + 1:])


BEGIN, END, ROWS, STOP = b'\0\0\0', b'\1\0\0', b'\2\0', b'\4'     # events of an answer, of its first table; two say: no text
NEXT = b'\0\1\0'      # the begin of the second one


def taken(bytes_, at):
    """Bytes behind the number of them, and what is behind those."""
    n, at = number_at(bytes_, at)
    return bytes_[at:at + n], at + n


def answers_begin(whole):
    """Where the last section, that of answers, begins: it ends with the file."""
    word = 8 + 8 * (WORDS + 2 * (SECTIONS - 1))
    return len(whole) - int.from_bytes(whole[word:word + 8], 'little')


def answer_of(whole):
    """The last question that is kept, its answer, and where they begin."""
    end = answers_begin(whole)
    while end < len(whole):
        at = end
        question, middle = taken(whole, at)
        answer, end = taken(whole, middle)
    assert end == len(whole)
    return question, answer, at


def with_answer(whole, question, answer, at):
    begin = answers_begin(whole)
    changed = bytearray(whole[:at] + number_bytes(len(question)) + question + number_bytes(len(answer)) + answer)
    word = 8 + 8 * (WORDS + 2 * (SECTIONS - 1))
    changed[word:word + 8] = (len(changed) - begin).to_bytes(8, 'little')
    return sealed(changed)


def events_of(answer, rows):
    """What is in front of the events of an answer, the rows of its first table, and what is behind the end of that."""
    begin = answer.index(BEGIN + ROWS + number_bytes(rows))
    end = len(answer) - 4 if answer.endswith(END + STOP) else answer.index(END + NEXT)
    return answer[:begin], answer[begin + 3:end], answer[end + 3:]


def run(tools, question, capture, *options):
    program, *words = question
    command = [str(tools / ('trace-' + program)), str(capture), *words, *options]
    environment = {name: value for name, value in os.environ.items() if name not in ('CI', 'TRACEKIT_CACHE')}
    return subprocess.run(command, capture_output=True, env=environment)


def same(a, b):
    if (a.returncode, a.stdout, a.stderr) == (b.returncode, b.stdout, b.stderr):
        return True
    at = len(os.path.commonprefix((a.stdout, b.stdout)))
    for reported in a, b:
        print('status %d, %d bytes, %.300r' % (reported.returncode, len(reported.stdout), reported.stderr))
        print('  from byte %d on: %r' % (at, reported.stdout[max(at - 60, 0):at + 100]))
    return False


class Check:
    def __init__(self, options, work):
        self.tools = options.tools
        self.work = work
        self.random = random.Random(options.seed)
        self.rounds = options.rounds
        self.all = options.all
        self.checks = self.faults = 0

    def expect(self, good, *words):
        self.checks += 1
        if not good:
            self.faults += 1
            print(*words)

    def ends(self, capture):
        """How long a capture is, in ms, and how many frames it has."""
        reported = run(self.tools, ('stats', '--table', 'capture', '--columns', 'dur', '--unit', 'ms', '--format', 'ndjson'),
                   capture, '--index', 'off')
        frames = run(self.tools, ('stats', '--table', 'frames', '--columns', 'type_id', '--format', 'csv'), capture,
                     '--index', 'off')
        line = reported.stdout.decode().splitlines()
        length = json.loads(line[0]).get('dur') if line else None
        return float(length or 1), frames.stdout.decode().splitlines().count('0')

    def selection(self, length, frames):
        kind = self.random.randrange(10)
        if kind > 7:
            return ()
        a, b = sorted(self.random.uniform(-0.1, 1.1) * length for _ in range(2))
        if kind < 4:
            b = min(b, a + length * self.random.choice((0.001, 0.02, 0.3, 1)))
        if kind == 4 and frames > 1:
            first = self.random.randrange(frames)
            return ('--frames', '%d-%d' % (first, first + self.random.randrange(5)))
        if kind == 5:
            return ('--region', '*')
        words = [] if kind == 6 else ['--from', '%.4fms' % max(a, 0)]
        return tuple(words + ([] if kind == 7 else ['--to', '%.4fms' % max(b, 0.0001)]))

    def answers(self, capture):
        kept = self.work / 'kept'
        length, frames = self.ends(capture)
        for question in QUESTIONS if self.rounds > 1 else self.random.sample(QUESTIONS, 8):
            kept.unlink(missing_ok=True)
            first = run(self.tools, question, capture, '--index', 'off')
            for time in ('made', 'answered'):
                self.expect(same(first, run(self.tools, question, capture, '--index', kept)), capture.name, question, time)
            for _ in range(self.rounds):
                requested = self.random.choice((question, self.random.choice(QUESTIONS)))
                words = self.selection(length, frames)
                if not words or self.random.random() < 0.3:
                    words += ('--thread', self.random.choice(('*', 'GameThread', '*Worker*', '*1*')))
                plain = run(self.tools, requested, capture, '--index', 'off', '--jobs', '2', *words)
                before = kept.read_bytes()
                for jobs in ('1', '3', 'again'):
                    if jobs != 'again':
                        kept.write_bytes(before)
                    other = run(self.tools, requested, capture, '--index', kept, '--jobs', jobs.replace('again', '2'), *words)
                    self.expect(same(plain, other), capture.name, requested, words, 'jobs', jobs)

    def damage(self, capture):
        kept, spoilt = self.work / 'kept', self.work / 'spoilt'
        question = QUESTIONS[0]
        words = ('--from', '5ms', '--to', '9ms')
        plain = run(self.tools, question, capture, '--index', 'off', *words)
        kept.unlink(missing_ok=True)
        run(self.tools, question, capture, '--index', kept)
        whole = kept.read_bytes()
        places = range(len(whole))
        if not self.all:
            places = sorted(self.random.sample(places, 60))
        for at in places:
            for bytes_ in (whole[:at], whole[:at] + bytes([whole[at] ^ 1 << self.random.randrange(8)]) + whole[at + 1:]):
                spoilt.write_bytes(bytes_)
                if bytes_ and not bytes_.startswith(MAGIC):
                    self.refused(question, capture, spoilt)
                    continue
                self.expect(same(plain, run(self.tools, question, capture, '--index', spoilt, *words)), 'spoilt at', at)
                self.expect(spoilt.read_bytes() != bytes_, 'a spoilt file is made again', at)
        for other in (b'', whole + b'x', whole * 2):
            spoilt.write_bytes(other)
            self.expect(same(plain, run(self.tools, question, capture, '--index', spoilt, *words)), 'foreign', other[:10])
        for other in (b'x', b'TKKEP', b'\0' * 5000, b'\0' + whole):
            spoilt.write_bytes(other)
            self.refused(question, capture, spoilt)

    def refused(self, question, capture, there):
        """Something that is no index stays as it is, and is said to be none."""
        before = there.read_bytes()
        reported = run(self.tools, question, capture, '--index', there)
        self.expect(reported.returncode == 2 and not reported.stdout and b'is not an index, and is not replaced' in reported.stderr,
                    'refused', before[:10], reported.returncode, reported.stderr)
        self.expect(there.read_bytes() == before, 'what is refused stays', before[:10])

    def foreign(self, capture):
        """What --index may name: no capture, pipe, folder or link to nowhere, and no place that cannot be written."""
        question = QUESTIONS[0]
        copy, link, aim, pipe = (self.work / name for name in ('own.utrace', 'link', 'aim', 'pipe'))
        copy.write_bytes(capture.read_bytes())
        self.refused(question, copy, copy)
        link.symlink_to(copy)
        self.refused(question, copy, link)
        self.refused(question, capture, copy)
        os.mkfifo(pipe)
        link.unlink()
        link.symlink_to(aim)
        for other in (pipe, self.work, link):
            reported = run(self.tools, question, copy, '--index', other)
            self.expect(reported.returncode == 2 and not reported.stdout, 'refused', other, reported.returncode, reported.stderr)
        self.expect(link.is_symlink() and not aim.exists(), 'a link to nowhere stays')
        aim.write_bytes(b'')
        run(self.tools, question, copy, '--index', link)
        self.expect(link.is_symlink() and aim.read_bytes().startswith(MAGIC), 'a link is followed')
        reported = run(self.tools, question, copy, '--index', self.work / 'no' / 'folder')
        self.expect(reported.returncode == 3 and not reported.stdout and b'cannot write the index' in reported.stderr, 'no folder', reported)
        reported = run(self.tools, question, copy, '--index', '')
        self.expect(reported.returncode == 2 and not reported.stdout, 'no name', reported)
        written = self.work / 'written'
        both = ('export', '--format', 'csv', '--table', 'timers', '-o', str(written))
        reported = run(self.tools, both, copy, '--index', written)
        self.expect(reported.returncode == 2 and not written.exists() and b'name two files' in reported.stderr, 'one place for two', reported)

    def hostile(self, capture):
        """Files whose checksums are right and whose sections are not: an answer or a refusal, no crash."""
        kept, spoilt = self.work / 'kept', self.work / 'spoilt'
        kept.unlink(missing_ok=True)
        run(self.tools, QUESTIONS[0], capture, '--index', kept)
        whole = kept.read_bytes()
        self.miscounted(capture, whole, spoilt)
        self.used(capture, whole, spoilt)
        self.answered(capture)
        self.disordered(capture)
        for _ in range(1000 if self.all else 60):
            bytes_ = bytearray(whole)
            for _ in range(self.random.choice((1, 1, 3, 20))):
                bytes_[self.random.randrange(HEAD, len(bytes_))] = self.random.choice((0, 1, 127, 128, 255, self.random.randrange(256)))
            spoilt.write_bytes(sealed(bytes_))
            words = self.random.choice((('--from', '5ms', '--to', '9ms'), ('--frames', '1-2'), ('--region', '*'), ()))
            reported = run(self.tools, self.random.choice(QUESTIONS[:9] + SERIAL), capture, '--index', spoilt, *words)
            self.expect(reported.returncode in (0, 2, 3, 4), 'hostile', reported.returncode, reported.stderr[-300:])

    def used(self, capture, whole, spoilt):
        """The packets that are kept are believed: their ledger is what is reported."""
        question = ('stats', '--table', 'ledger', '--format', 'csv')
        plain = run(self.tools, question, capture, '--index', 'off')
        for bytes_, as_before in ((whole, True), (sealed(with_ledger(whole)), False)):
            spoilt.write_bytes(bytes_)
            reported = run(self.tools, question, capture, '--index', spoilt)
            self.expect(reported.returncode == 0 and (reported.stdout == plain.stdout) == as_before, 'packets are used', as_before)

    def answered(self, capture):
        """An answer that is kept is the one that is given: other bytes in it are reported."""
        kept, question = self.work / 'kept', ('stats', '--table', 'timers', '--format', 'csv')
        kept.unlink(missing_ok=True)
        plain = run(self.tools, question, capture, '--index', kept)
        name = plain.stdout.splitlines()[1].split(b',')[0]
        bytes_ = kept.read_bytes()
        kept.write_bytes(sealed(bytearray(bytes_.replace(name, bytes(len(name) * [120])))))
        reported = run(self.tools, question, capture, '--index', kept)
        self.expect(reported.returncode == 0 and reported.stdout != plain.stdout and len(reported.stdout) == len(plain.stdout),
                    'answers are used', name)

    def begun(self, capture):
        """The end is looked for before the selection is read: timers that this defines have the numbers that they had."""
        kept, whole, question = self.work / 'kept', self.work / 'whole.utrace', ('stats', '--table', 'timers', '--format', 'csv')
        run(self.tools, ('edit', '--compress', 'raw'), capture, '-o', whole)
        kept.unlink(missing_ok=True)
        run(self.tools, question, whole, '--index', kept)
        for words in (('--from', '1500ms', '--to', '9000ms'), ('--from', '2153ms')):
            plain = run(self.tools, question, whole, '--index', 'off', *words)
            self.expect(plain.stdout.count(b'\n') > 100 and same(plain, run(self.tools, question, whole, '--index', kept, *words)),
                        'timers of a selection', words)

    def disordered(self, capture):
        """Events of an answer that are not in their order, or not all there: it is read again."""
        kept, database = self.work / 'kept', self.work / 'order.db'
        for question in (*(('stats', '--table', 'timers', '--format', name) for name in ('csv', 'json')),
                         ('export', '--table', 'timers', '--format', 'sqlite', '-o', str(database), '--force')):
            def reported(index):
                database.unlink(missing_ok=True)
                done = run(self.tools, question, capture, '--index', index)
                if question[0] == 'stats':
                    return done.returncode, done.stdout, done.stderr
                with contextlib.closing(sqlite3.connect(database)) as opened:
                    return done.returncode, opened.execute('SELECT * FROM timers').fetchall(), done.stderr

            plain = reported('off')
            kept.unlink(missing_ok=True)
            self.expect(reported(kept) == plain, 'made', question)
            whole = kept.read_bytes()
            requested, answer, at = answer_of(whole)
            front, rows, more = events_of(answer, self.timers(capture))
            for what, events in (('as it was', BEGIN + rows + END + more), ('no begin', rows + END + more),
                                 ('no end', BEGIN + rows + more), ('two begins', BEGIN + BEGIN + rows + END + more),
                                 ('two ends', BEGIN + rows + END + END + more), ('rows first', rows + BEGIN + END + more),
                                 ('no table', STOP), ('no stop', BEGIN + rows + END + more[:-1])):
                kept.write_bytes(with_answer(whole, requested, front + events, at))
                self.expect(reported(kept) == plain, 'events', what, question)
            kept.write_bytes(with_answer(whole, requested, front + BEGIN + END + more, at))
            self.expect(reported(kept) != plain, 'an answer in order is used', question)

    def timers(self, capture):
        reported = run(self.tools, ('stats', '--table', 'timers', '--format', 'ndjson'), capture, '--index', 'off')
        return len(reported.stdout.splitlines())

    def miscounted(self, capture, whole, spoilt):
        """Packets of a thread that are not as many as its number of them says: as without the index."""
        for count in (0, 1, 2 ** 40):
            spoilt.write_bytes(sealed(with_count(whole, count)))
            for question in SERIAL:
                with_, without = (run(self.tools, question, capture, '--index', index) for index in (spoilt, 'off'))
                self.expect((with_.returncode, with_.stdout) == (without.returncode, without.stdout), 'miscounted', count, question)

    def change(self, capture):
        """Another capture under the same name, and the same one changed in a byte that no block of the identity has."""
        kept, copy = self.work / 'kept', self.work / 'copy.utrace'
        words = ('--from', '5ms', '--to', '9ms')
        kept.unlink(missing_ok=True)
        large = capture.read_bytes()
        copy.write_bytes(large)
        run(self.tools, QUESTIONS[0], copy, '--index', kept)
        made = kept.read_bytes()
        times = copy.stat()
        self.expect(stat.S_IMODE(kept.stat().st_mode) == 0o600, 'the mode of what is kept')
        copy.write_bytes(large[:-1] + bytes([large[-1] ^ 1]))
        os.utime(copy, ns=(times.st_atime_ns, times.st_mtime_ns))
        plain = run(self.tools, QUESTIONS[0], copy, '--index', 'off', *words)
        self.expect(same(plain, run(self.tools, QUESTIONS[0], copy, '--index', kept, *words)), 'a changed capture')
        self.expect(kept.read_bytes() != made, 'what is kept of a changed capture is made again')
        run(self.tools, QUESTIONS[0], copy, '--index', kept, *words)
        made = kept.read_bytes()
        run(self.tools, QUESTIONS[0], copy, '--index', kept, *words)
        self.expect(kept.read_bytes() == made, 'what fits stays')
        for limit in ('open_scopes=3', 'timers=1000'):
            words = ('--from', '5ms', '--to', '9ms', '--limit', limit)
            plain = run(self.tools, QUESTIONS[0], copy, '--index', 'off', *words)
            self.expect(same(plain, run(self.tools, QUESTIONS[0], copy, '--index', kept, *words)), 'with a limit', limit)

    def faulty(self, folder):
        """Captures with damage: what is noted of them is the same while something is to be kept."""
        captures = sorted((folder / 'damaged').glob('*.utrace'))
        for capture in captures if self.all else self.random.sample(captures, 8):
            for question in (QUESTIONS[0], QUESTIONS[4], QUESTIONS[6], QUESTIONS[9]):
                kept = self.work / 'kept'
                kept.unlink(missing_ok=True)
                for words in ((), ('--from', '10ms', '--to', '20ms')):
                    plain = run(self.tools, question, capture, '--index', 'off', *words)
                    for time in ('made', 'answered'):
                        self.expect(same(plain, run(self.tools, question, capture, '--index', kept, *words)), capture.name,
                                    question, words, time)

    def every(self, capture):
        """Whatever can be queried, with what was answered before kept: once read, and once from what is kept."""
        kept = self.work / 'kept'
        kept.unlink(missing_ok=True)
        listed = subprocess.run([str(self.tools / 'trace-stats'), '--list', '--format', 'ndjson'], capture_output=True)
        tables = sorted({json.loads(line)['table'] for line in listed.stdout.decode().splitlines()})
        questions = [('stats', '--table', table, '--format', 'ndjson') for table in tables]
        questions += [('stats', '--hitches'), ('stats', '--list'), ('info',), ('info', '--full'), ('info', '--coverage'),
                      ('info', '--types', '--format', 'json'), ('info', '--can'), ('events',), ('stats', '-t', 'timers', '--where', 'count>3'),
                      ('export', '--format', 'chrome', '-o', '-'), ('export', '--format', 'sqlite', '-o', str(self.work / 'db'), '--force')]
        for question in questions if self.all else self.random.sample(questions, 8):
            plain = run(self.tools, question, capture, '--index', 'off')
            for time in ('made', 'answered'):
                self.expect(same(plain, run(self.tools, question, capture, '--index', kept)), capture.name, question, time)

    def places(self, capture):
        """In the cache nothing is kept of what is read quickly, or where it must not be; and the cache is listed and
        cleared."""
        cache = self.work / 'cache'
        folder = cache / 'tracekit' / 'captures'
        folder.mkdir(parents=True)
        environment = {name: value for name, value in os.environ.items()
                       if name not in ('CI', 'TRACEKIT_CACHE', 'TRACEKIT_CACHE_SIZE')}
        environment['XDG_CACHE_HOME'] = str(cache)
        kept = self.work / 'kept'

        def ask(*words, **more):
            return subprocess.run([str(self.tools / 'trace-stats'), str(capture), '--table', 'timers', *words],
                                  capture_output=True, env={**environment, **more})

        for words, more in (((), {}), ((), {'CI': '1'}), ((), {'TRACEKIT_CACHE': 'off'}), (('--index', 'off'), {}),
                            (('--no-cache',), {})):
            ask(*words, **more)
            self.expect(not list(folder.iterdir()), 'nothing is kept of a small capture', words, more)
        kept.unlink(missing_ok=True)
        ask('--index', str(kept))
        self.expect(kept.exists() and not list(folder.iterdir()), 'a file of one\'s own')
        for age in range(3):
            (folder / ('%032x' % age)).write_bytes(bytes(100))
            os.utime(folder / ('%032x' % age), (1000 * age, 1000 * age))
        tool = str(self.tools / 'trace-cache')
        listed = subprocess.run([tool, 'list'], capture_output=True, text=True, env=environment)
        self.expect(listed.returncode == 0 and '3 files, 300 of 4294967296 bytes' in listed.stdout, 'a list', listed.stdout)
        self.expect(subprocess.run([tool, 'lst'], capture_output=True, env=environment).returncode == 2, 'a wrong verb')
        cleared = subprocess.run([tool, 'clear'], capture_output=True, env=environment)
        self.expect(cleared.returncode == 0 and not list(folder.iterdir()), 'a cleared cache')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', default='')
    parser.add_argument('--all', action='store_true', help='each byte and each damaged capture, not a sample of them')
    parser.add_argument('tools', type=pathlib.Path)
    parser.add_argument('fixtures', type=pathlib.Path)
    parser.add_argument('captures', type=pathlib.Path, nargs='*')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        check = Check(options, pathlib.Path(folder))
        small = [options.fixtures / (name + '.utrace') for name in ('tiny', 'threads', 'late', 'coroutine', 'nested_aux')]
        for capture in options.captures or small:
            if options.only in ('', 'answers'):
                check.answers(capture)
        every = [options.fixtures / 'game.utrace.zst', options.fixtures / 'tracy' / 'crash-0.14.0.tracy', small[1]]
        for capture in options.captures or every:
            if options.only in ('', 'every'):
                check.every(capture)
        for name, part, what in (('damage', check.damage, small[0]), ('foreign', check.foreign, small[0]),
                                 ('change', check.change, small[0]), ('hostile', check.hostile, small[1]),
                                 ('faulty', check.faulty, options.fixtures), ('places', check.places, small[0]),
                                 ('begun', check.begun, every[0])):
            if options.only in ('', name):
                part(what)
    print('%d checks, %d faults' % (check.checks, check.faults))
    return 0 if check.checks and not check.faults else 1


if __name__ == '__main__':
    sys.exit(main())
