#!/usr/bin/env python3
"""What happens to files in earnest: captures that grow while they are read, folders that cannot be written to or are
gone, and signals at any moment.

usage: check_places.py --bin DIRECTORY [--signals N] FIXTURES

--signals: how many times each command is ended by each signal, at moments spread over the time that it takes. An output
is then complete or absent, whatever the moment; only SIGKILL may leave a `.tracekit-*.part`.
"""

import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import report  # noqa: E402

# Behind an `&` of a shell it is ignored, and the commands would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

FORMATS = ('csv', 'ndjson', 'sqlite', 'chrome', 'perfetto', 'speedscope', 'folded', 'pprof')
NOBODY = 65534
FAILED = 3
DONE = (0, 4)


def outputs(capture, folder):
    """name -> (words of a command, the file or folder that it writes)"""
    out = folder / 'out'
    made = {form: ('trace-export', capture, '-f', form, '-o', out, '-q') for form in FORMATS}
    made['save'] = ('trace-stats', capture, '--save', out, '-q')
    made['report'] = ('trace-diff', capture, capture, '--report', 'json=%s' % out, '-q')
    made['output'] = ('trace-stats', capture, '-o', out, '-q')
    return {name: ((*map(str, words),), out) for name, words in made.items()}


def start(options, words, **more):
    return subprocess.Popen([str(options.bin / words[0]), *words[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)


def ended(options, words, **more):
    process = start(options, words, **more)
    _, errors = process.communicate()
    return process.returncode, errors.decode(errors='replace')


def content(path):
    if path.is_dir():
        return {entry.name: entry.read_bytes() for entry in sorted(path.iterdir())}
    return path.read_bytes() if path.exists() else None


# ---- captures that grow ----

def check_growing(result, options, name, work):
    """What was there at the beginning is read, or more of it; nothing else."""
    data = (options.fixtures / name).read_bytes()
    for piped in (False, True):
        path = work / 'growing'
        path.write_bytes(data[:len(data) // 2])
        stop = threading.Event()

        def grow():
            with open(path, 'ab', buffering=0) as out:
                for at in range(len(data) // 2, len(data), 64):
                    if stop.is_set():
                        return
                    out.write(data[at:at + 64])
        writer = threading.Thread(target=grow)
        command = ['sh', '-c', 'cat "$1" | "$0" - -t ledger -f csv -q' if piped else 'exec "$0" "$1" -t ledger -f csv -q',
                   str(options.bin / 'trace-stats'), str(path)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        writer.start()
        text, errors = process.communicate()
        stop.set()
        writer.join()
        parts = [line.split(',') for line in text.decode().splitlines()[1:] if line]
        size = sum(int(part[1]) for part in parts)
        result.true('%s: status %d: %s' % (name, process.returncode, errors[-200:]), process.returncode in (*DONE, FAILED))
        result.true('%s: the parts of the ledger sum to %d of %d' % (name, size, len(data)),
                    process.returncode == FAILED or len(data) // 2 <= size <= len(data))


# ---- folders ----

def refused(result, options, title, words, out, **more):
    status, errors = ended(options, words, **more)
    result.equal('%s: status' % title, status, FAILED)
    result.true('%s: it says %r' % (title, errors[-200:]), out.name in errors or str(out.parent) in errors)


def as_nobody(options):
    """How to run without the rights of root; None where the commands are out of reach then."""
    if os.geteuid() != 0:
        return {}
    more = {'user': NOBODY, 'group': NOBODY, 'extra_groups': []}
    try:
        return more if ended(options, ('trace-stats', '--version'), **more)[0] == 0 else None
    except PermissionError:
        return None


def check_folders(result, options, work):
    """Folders without permission, ones that are gone, and one of the kernel, which takes no files even from root."""
    locked = work / 'locked'
    locked.mkdir()
    locked.chmod(0o555)
    more = as_nobody(options)
    capture = work / 'capture.utrace'
    shutil.copy(options.fixtures / 'tiny.utrace', capture)
    capture.chmod(0o444)
    folders = [('gone', work / 'gone', {}), ('of the kernel', pathlib.Path('/proc/self'), {})]
    if more is not None:
        folders.append(('read-only', locked, more))
    for title, folder, how in folders:
        for name, (words, out) in outputs(capture, folder).items():
            refused(result, options, '%s in a folder that is %s' % (name, title), words, out, **how)
    result.equal('what is in the locked folder', list(locked.iterdir()), [])
    locked.chmod(0o755)


# ---- signals ----

def check_signal(result, options, name, work):
    folder = work / ('signal-' + name)
    folder.mkdir()
    words, out = outputs(options.fixtures / 'tracy/ctx-0.14.0.tracy', folder)[name]
    begin = time.monotonic()
    result.true('without a signal', ended(options, words)[0] in DONE)
    whole, taken = content(out), time.monotonic() - begin
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        for i in range(options.signals):
            shutil.rmtree(out) if out.is_dir() else out.unlink(missing_ok=True)
            for rest in folder.glob('.tracekit-*'):
                shutil.rmtree(rest) if rest.is_dir() else rest.unlink()
            process = start(options, words)
            time.sleep(taken * (i + 0.5) / options.signals)
            process.send_signal(number)
            process.communicate()
            got = content(out)
            complete = process.returncode in DONE
            result.true('%s at %d: half of it is there' % (number.name, i), got is None or got == whole)
            result.true('%s at %d: complete, and not there' % (number.name, i), not complete or got is not None)
            if number != signal.SIGKILL:
                result.equal('%s at %d: left behind' % (number.name, i), [path.name for path in folder.glob('.tracekit-*')], [])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('--signals', type=int, default=2)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    options.bin, options.fixtures = options.bin.resolve(), options.fixtures.resolve()
    run = report.Report()
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        work.chmod(0o755)
        for name in ('tiny.utrace', 'coroutine.utrace', 'tracy/crash-0.13.1.tracy'):
            run.run('growing ' + name, check_growing, options, name, work)
        run.run('folders', check_folders, options, work)
        for name in (*FORMATS, 'save', 'report', 'output'):
            run.run('signals to ' + name, check_signal, options, name, work)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
