#!/usr/bin/env python3
"""Outputs of several files are whole or absent: the disk is full at any write, any name cannot be given, and the process is
killed between names. What killed processes left is removed by the next one, if nobody has it. Few files are open at a time.

usage: check_sets.py --bin DIRECTORY --shim LIBRARY [--step N] FIXTURES

--step: one write of so many fails; names that cannot be given are always tried all.
"""

import argparse
import errno
import fcntl
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import report  # noqa: E402

DONE, FAILED = 0, 3
NAMES = ('link', 'rename')      # the calls that give names
EARLIER = 2 * 3600

# name -> (words, the file that appears last); OUT is a name in a folder of the test
OUTPUTS = {
    'folder': (('trace-export', 'CAPTURE', '-f', 'csv', '--table', 'timers,threads,frames', '-o', 'OUT/'), 'out'),
    'folder that is there': (('trace-export', 'CAPTURE', '-f', 'csv', '--table', 'timers,threads,frames', '-o', 'THERE', '--force'),
                             'there/timers.csv'),
    'parquet': (('trace-export', 'CAPTURE', '-f', 'parquet', '--table', 'timers,threads,frames', '-o', 'THERE', '--force'),
                'there/timers.parquet'),
    'part of a data set': (('trace-export', 'CAPTURE', '-f', 'parquet', '--partition', '--table', 'timers,threads,frames', '-o', 'THERE'),
                           'there/timers/capture=tiny/part-0.parquet'),
    'run of a fleet': (('trace-stats', 'CAPTURE', '--summary', 'THERE'), 'there/runs/*/part-0.parquet'),
    'split by time': (('trace-export', 'CAPTURE', '-f', 'chrome', '--split', '10ms', '-o', 'THERE/x.json'), 'there/x-001.json'),
    'split by size': (('trace-export', 'CAPTURE', '-f', 'chrome', '--split', '8KB', '-o', 'THERE/x.json'), 'there/x-001.json'),
    'split and packed': (('trace-export', 'CAPTURE', '-f', 'chrome', '--split', '8KB', '-o', 'THERE/x.json.gz'), 'there/x-001.json.gz'),
    'insights': (('trace-export', 'CAPTURE', '--preset', 'insights', '-o', 'THERE', '--force'), 'there/threads.csv'),
    'summarize': (('trace-export', 'CAPTURE', '--preset', 'summarize', '-o', 'THERE', '--force'), 'there/tinyScopes.csv'),
}


def is_unfinished(path):
    return any(part.startswith('.tracekit') for part in path.parts)


def files_of(folder):
    """name -> bytes, without what is unfinished."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob('*'))
            if path.is_file() and not is_unfinished(path.relative_to(folder))}


def unfinished(folder):
    return [path for path in folder.rglob('.tracekit-*') if not is_unfinished(path.relative_to(folder).parent)]


class Bench:
    def __init__(self, options, work):
        self.options, self.work, self.there = options, work, work / 'there'

    def prepare(self, before):
        shutil.rmtree(self.work)
        self.there.mkdir(parents=True)
        for name, data in before.items():
            (self.work / name).parent.mkdir(parents=True, exist_ok=True)
            (self.work / name).write_bytes(data)

    def run(self, words, fault=None, **more):
        """(status, calls by name)"""
        capture = str(self.options.fixtures / 'tiny.utrace')
        words = [word.replace('CAPTURE', capture).replace('OUT', str(self.work / 'out')).replace('THERE', str(self.there)) for word in words]
        with tempfile.TemporaryDirectory() as place:
            counted = pathlib.Path(place) / 'report'
            environment = {'LC_ALL': 'C', 'PATH': '', 'TMPDIR': place, 'LD_PRELOAD': str(self.options.shim),
                           'TK_FAULT_REPORT': str(counted), **({'TK_FAULT': fault} if fault else {})}
            done = subprocess.run([str(self.options.bin / words[0]), *words[1:], '--jobs', '1', '-q'], env=environment,
                                  capture_output=True, **more)
            calls = dict(line.split() for line in counted.read_text().splitlines()) if counted.exists() else {}
        return done.returncode, {name: int(n) for name, n in calls.items()}


def look(result, bench, what, status, wanted, before):
    """After a failure there is what was there before."""
    result.equal(what + ': status', status, wanted)
    result.equal(what + ': files', files_of(bench.work), before)
    result.equal(what + ': left behind', unfinished(bench.work), [])


def check_output(result, bench, words, last, before):
    bench.prepare(before)
    status, calls = bench.run(words)
    whole = files_of(bench.work)
    new = [name for name in whole if whole[name] != before.get(name)]
    result.equal('without a fault', status, DONE)
    result.true('several files: %s' % new, len(new) > 1)
    result.true('the last one is there', last == 'out' or list(bench.work.glob(last)))
    result.equal('left behind', unfinished(bench.work), [])
    for k in range(1, calls['write'] + 1, bench.options.step):
        bench.prepare(before)
        status, _ = bench.run(words, 'write:%d:%d:on' % (errno.ENOSPC, k))
        look(result, bench, 'the disk is full at write %d' % k, status, FAILED, before)
    for name in NAMES:
        for k in range(1, calls[name] + 1):
            bench.prepare(before)
            # a name that cannot be linked to is given in another way
            status, _ = bench.run(words, '%s:%d:%d%s' % (name, errno.EIO, k, '' if name == 'rename' else ':on'))
            if status != DONE:
                look(result, bench, '%s %d fails' % (name, k), status, FAILED, before)
            else:
                result.equal('%s %d gets along' % (name, k), files_of(bench.work), whole)
            bench.prepare(before)
            status, _ = bench.run(words, '%s:kill:%d' % (name, k))
            got = files_of(bench.work)
            result.equal('killed at %s %d' % (name, k), status, -signal.SIGKILL)
            result.true('files are old or new', all(got[n] in (whole.get(n), before.get(n)) for n in got) and got.keys() >= before.keys())
            seen = {n for n in got if pathlib.PurePath(n).match(last)} if last != 'out' else {n for n in got if n.startswith('out')}
            result.true('killed at %s %d: the last one is there, and not all' % (name, k),
                        not any(got[n] != before.get(n) for n in seen) or got == whole)


def age(path):
    past = time.time() - EARLIER
    for entry in (*path.rglob('*'), path) if path.is_dir() else (path,):
        os.utime(entry, (past, past))


def check_leftovers(result, bench, words):
    """Kept for an hour, and while anybody has its lock."""
    def again():
        shutil.rmtree(bench.work / 'out', ignore_errors=True)
        return bench.run((*words, '--force'))[0]
    bench.prepare({})
    result.equal('killed', bench.run(words, 'fsync:kill:1')[0], -signal.SIGKILL)
    left = unfinished(bench.work)
    result.equal('left', len(left), 1)
    path, lock = left[0], left[0] / '.tracekit.lock' if left[0].is_dir() else left[0]
    result.equal('young', (again(), unfinished(bench.work)), (DONE, left))
    age(path)
    with open(lock, 'r+b') as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        result.equal('locked', (again(), unfinished(bench.work)), (DONE, left))
        age(path)
    host, process, _ = path.name.removeprefix('.tracekit-').split('-')
    strange = [path.with_name(name) for name in (
        '.tracekit-%s-0.part' % process, '.tracekit-%s-%s-0.rec' % (host, process), '.tracekit-%08x-1-1.part' % (int(host, 16) ^ 1),
        '.tracekit-%s-1-.part' % host, '.tracekit-%s-1-1.partx' % host)]
    for name in strange:
        name.write_bytes(b'of others')
        age(name)
    result.equal('freed', (again(), sorted(entry for entry in path.parent.iterdir() if entry.name.startswith('.tracekit-'))),
                 (DONE, sorted(strange)))


def check_descriptors(result, bench, form):
    """A folder of all tables with twenty files open, of which the command has some already."""
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
    words = ('trace-export', 'CAPTURE', '-f', form, '-o', 'OUT/')
    bench.prepare({})
    result.equal('with many', bench.run(words)[0], DONE)
    whole = files_of(bench.work)
    bench.prepare({})
    result.equal('with twenty', (bench.run(words, preexec_fn=few)[0], files_of(bench.work) == whole), (DONE, True))
    result.true('many files', len(whole) > 20)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('--shim', type=pathlib.Path, required=True)
    parser.add_argument('--step', type=int, default=1)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    options.bin, options.shim, options.fixtures = options.bin.resolve(), options.shim.resolve(), options.fixtures.resolve()
    run = report.Report()
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(options, pathlib.Path(directory) / 'work')
        bench.work.mkdir()
        for name, (words, last) in OUTPUTS.items():
            run.run(name, check_output, bench, words, last, {})
            if '--force' in words:
                bench.prepare({})
                bench.run(words)
                old = {n: b'old ' + n.encode() for n in files_of(bench.work)}
                run.run(name + ', replaced', check_output, bench, words, last, old)
        for name in ('folder', 'run of a fleet', 'split by size'):
            run.run('leftovers of ' + name, check_leftovers, bench, OUTPUTS[name][0])
        run.run('leftovers of one file', check_leftovers, bench, ('trace-export', 'CAPTURE', '-f', 'csv', '--table', 'timers', '-o', 'THERE/x.csv'))
        for form in ('csv', 'parquet', 'arrow', 'ndjson'):
            run.run('descriptors, ' + form, check_descriptors, bench, form)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
