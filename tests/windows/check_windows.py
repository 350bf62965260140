#!/usr/bin/env python3
"""What Windows does otherwise than POSIX, tried with tracekit.exe under Wine. What it writes is compared with what the
commands of this system write, byte for byte.

usage: check_windows.py --exe TRACEKIT.EXE --bin DIRECTORY FIXTURES

DIRECTORY has the commands of this system. Expects WINEPREFIX to be set.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'harness'))
import report  # noqa: E402

ENVIRONMENT = {**os.environ, 'LC_ALL': 'C.UTF-8', 'WINEDEBUG': '-all', 'NO_COLOR': '1'}


class Both:
    """Runs the same command here and under Wine."""

    def __init__(self, exe, here, work):
        self.exe, self.here, self.work = exe, here, work

    def wine(self, *words, exe=None, stdin=None, cwd=None, stdout=subprocess.PIPE):
        return subprocess.run(['wine', str(exe or self.exe), *map(str, words)], cwd=cwd or self.work, env=ENVIRONMENT,
                              stdin=stdin or subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, timeout=120,
                              check=False)

    def posix(self, *words, stdin=None, cwd=None, stdout=subprocess.PIPE):
        return subprocess.run([str(self.here / 'tracekit'), *map(str, words)], cwd=cwd or self.work, env=ENVIRONMENT,
                              stdin=stdin or subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, timeout=120,
                              check=False)

    def same(self, result, what, *words, cwd=None, feed=None):
        """The same status, output and messages."""
        done = []
        for run in (self.posix, self.wine):
            with open(feed or os.devnull, 'rb') as stdin:
                done.append(run(*words, stdin=stdin, cwd=cwd))
        here, there = done
        result.equal('%s: status' % what, there.returncode, here.returncode)
        result.true('%s: output differs' % what, there.stdout == here.stdout)
        result.equal('%s: messages' % what, there.stderr, here.stderr)


def dos(path):
    return 'Z:' + str(path).replace('/', '\\')


def left(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob('*') if path.is_file())


def check_program_name(result, both, captures, work):
    """4.9: trace-stats.exe, in any case, by a path with backslashes."""
    exe = work / 'Trace-Stats.EXE'
    shutil.copy(both.exe, work / 'trace-stats.exe')
    shutil.copy(both.exe, exe)
    for name in (work / 'trace-stats.exe', dos(work / 'trace-stats.exe')):
        done = both.wine(captures / 'tiny.utrace', '--table', 'timers', '--format', 'csv', exe=name)
        here = both.posix('stats', captures / 'tiny.utrace', '--table', 'timers', '--format', 'csv')
        result.true('as %s' % name, done.stdout == here.stdout and done.returncode == 0)


def check_bytes(result, both, captures, work):
    """4.8: no line gets a CR, and no byte ends a stream."""
    for fixture in ('tiny.utrace', 'game.utrace.zst'):
        both.same(result, fixture + ' by a pipe', 'stats', '-', '--table', 'threads', '--format', 'csv',
                  feed=captures / fixture)
    both.same(result, 'a file on standard input', 'info', '-', feed=captures / 'threads.utrace')


def check_names(result, both, captures, work):
    """4.10, 4.20: names that are not ASCII, backslashes, drives."""
    name = 'Über 測試 😀.utrace'
    shutil.copy(captures / 'tiny.utrace', work / name)
    both.same(result, 'a name that is not ASCII', 'stats', name, '--table', 'timers', '--format', 'csv')
    (work / 'into').mkdir()
    here = both.posix('stats', name, '--table', 'timers', '--format', 'csv')
    for path in ('into\\out ü.csv', dos(work / 'into' / 'second.csv'), 'into/third.csv'):
        done = both.wine('stats', name, '--table', 'timers', '--format', 'csv', '-o', path)
        result.equal('-o %s' % path, (done.returncode, done.stderr), (0, here.stderr))
    result.equal('what is there', left(work), sorted([name, 'into/out ü.csv', 'into/second.csv', 'into/third.csv']))
    for path in (work / 'into').iterdir():
        result.true('bytes of %s' % path.name, path.read_bytes() == here.stdout)


def check_exports(result, both, captures, work):
    """The same bytes in each format: numbers, compressed files, databases as far as they say the same."""
    for form, name in (('chrome', 'c.json'), ('chrome', 'c.json.gz'), ('perfetto', 'p.pftrace'), ('speedscope', 's.json'),
                       ('folded', 'f.txt'), ('pprof', 'p.pb.gz'), ('csv', 'tables'), ('ndjson', 't.ndjson.zst')):
        sides = [work / side for side in ('here', 'there')]
        done = []
        for side, run in zip(sides, (both.posix, both.wine)):
            side.mkdir(exist_ok=True)
            done.append(run('export', captures / 'tiny.utrace', '-f', form, '-o', side / name))
        result.equal('%s: status' % form, [one.returncode for one in done], [0, 0])
        result.equal('%s: messages' % form, done[1].stderr, done[0].stderr)
        here, there = [[path for path in left(side) if path.split('/')[0] == name] for side in sides]
        result.equal('files of %s' % form, there, here)
        for path in here:
            result.true('bytes of %s' % path, (sides[0] / path).read_bytes() == (sides[1] / path).read_bytes())


def check_own_input(result, both, captures, work):
    """4.3: with st_ino of Windows any two files would be the same, or none."""
    shutil.copy(captures / 'tiny.utrace', work / 'Input.utrace')
    done = both.wine('stats', 'Input.utrace', '-o', '.\\input.utrace', '--force')
    result.equal('over the input', done.returncode, 2)
    result.true('why', b'refusing to overwrite' in done.stderr)
    (work / 'old.csv').write_text('old')
    done = both.wine('stats', 'Input.utrace', '--format', 'csv', '-o', 'old.csv', '--force')
    result.equal('over another file', done.returncode, 0)
    result.true('it is replaced', (work / 'old.csv').read_bytes() != b'old')


def check_devices(result, both, captures, work):
    """4.13: NUL is written to, and the stream of another file is not."""
    done = both.wine('stats', captures / 'tiny.utrace', '--format', 'csv', '-o', 'NUL')
    result.equal('NUL', (done.returncode, done.stdout), (0, b''))
    done = both.wine('stats', captures / 'tiny.utrace', '--format', 'csv', '-o', 'GPU:0.csv')
    result.equal('GPU:0.csv', done.returncode, 3)
    result.equal('what is left', left(work), [])


def check_patterns(result, both, captures, work):
    """No shell of Windows replaces patterns by names."""
    for name in ('b2.utrace', 'B1.utrace', 'a.utrace'):
        shutil.copy(captures / 'tiny.utrace', work / name)
    done = both.wine('diff', 'a*.UTRACE', '--vs', 'b?.utrace', '--report', 'json')
    here = both.posix('diff', 'a.utrace', '--vs', 'B1.utrace', 'b2.utrace', '--report', 'json')
    result.equal('diff of patterns', (done.returncode, done.stdout), (here.returncode, here.stdout))
    done = both.wine('info', '.\\a*')
    result.equal('one match', (done.returncode, done.stderr), (0, b''))
    done = both.wine('info', 'none*.utrace')
    result.equal('no match', done.returncode, 2)
    result.true('why', b"'none*.utrace' matches no file" in done.stderr)
    done = both.wine('query', 'a.utrace', 'select count(*) from timers')
    here = both.posix('query', 'a.utrace', 'select count(*) from timers')
    result.equal('a statement', (done.returncode, done.stdout), (here.returncode, here.stdout))


def check_closed_pipe(result, both, captures, work):
    """4.12: a reader that has gone is no failure of help and lists."""
    for words in (('stats', '--help'), ('stats', captures / 'game.utrace.zst', '--table', 'timers', '--format', 'csv')):
        read, write = os.pipe()
        os.close(read)
        done = both.wine(*words, stdout=write)
        os.close(write)
        result.equal('%s into a closed pipe' % words[0], (done.returncode, done.stderr), (0, b''))


def check_long_paths(result, both, captures, work):
    """4.19: more than 260 characters."""
    deep = work / ('d' * 120) / ('e' * 120) / ('f' * 60)
    deep.mkdir(parents=True)
    shutil.copy(captures / 'tiny.utrace', deep / 'tiny.utrace')
    done = both.wine('stats', deep / 'tiny.utrace', '--table', 'timers', '--format', 'csv', '-o', deep / 'out.csv')
    result.equal('in a deep folder', done.returncode, 0)
    here = both.posix('stats', deep / 'tiny.utrace', '--table', 'timers', '--format', 'csv')
    result.true('its bytes', (deep / 'out.csv').read_bytes() == here.stdout)
    done = both.wine('stats', captures / 'tiny.utrace', '-o', work / ('n' * 300))
    result.equal('a name of 300 characters', done.returncode, 3)
    result.true('why: %r' % done.stderr, b'cannot' in done.stderr)


def check_places(result, both, captures, work):
    """Drives and computers that are not there, folders in the place of files."""
    for path in ('Q:\\none.utrace', '\\\\no-such-computer.invalid\\share\\none.utrace', 'none\\none.utrace',
                 '<none>.utrace', 'none\\.\\x'):
        done = both.wine('info', path)
        result.equal('%s: status (%r)' % (path, done.stderr), done.returncode, 3)
        result.true('%s: one sentence: %r' % (path, done.stderr), done.stderr.count(b'\n') == 1)
        done = both.wine('stats', captures / 'tiny.utrace', '-o', path)
        result.true('-o %s: status %d' % (path, done.returncode), done.returncode in (2, 3))
    result.equal('what is left', left(work), [])


def check_baselines(result, both, captures, work):
    """Two processes that change one baseline: both runs are in it."""
    names = ['tiny.utrace', 'threads.utrace', 'coroutine.utrace', 'late.utrace']
    both.wine('stats', captures / 'tiny-verify.utrace', '--save', 'base.tkb')
    started = [subprocess.Popen(['wine', str(both.exe), 'baseline', 'add', 'base.tkb', str(captures / name)], cwd=work,
                                env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for name in names]
    for process in started:
        out, _ = process.communicate(timeout=120)
        result.true('adding: %r' % out, process.returncode == 0)
    done = both.wine('baseline', 'list', 'base.tkb', '--format', 'csv')
    result.equal('runs (%r)' % done.stderr, done.stdout.count(b'\n'), 2 + len(names))
    result.equal('what is left', left(work), ['base.tkb'])
    here = both.posix('baseline', 'list', 'base.tkb', '--format', 'csv')
    result.true('it is the same here', here.stdout == done.stdout)


def check_batch(result, both, captures, work):
    """Exit statuses as batch files see them, and files that cmd.exe redirects to."""
    shutil.copy(both.exe, work / 'tracekit.exe')
    batch = ('@echo off\r\n'
             'tracekit diff "%s" "%s" > diff.txt\r\necho status %%errorlevel%%\r\n'
             'tracekit info no-such-file 2> error.txt\r\necho status %%errorlevel%%\r\n'
             'tracekit stats "%s" --format csv | tracekit stats - 2> none.txt\r\necho status %%errorlevel%%\r\n'
             'tracekit info "%s" | find "TinyApp"\r\n') % ((dos(captures / 'tiny.utrace'),) * 4)
    (work / 'gate.bat').write_text(batch)
    done = both.wine('/c', 'gate.bat', exe='cmd')
    lines = [line.strip() for line in done.stdout.decode(errors='replace').splitlines() if line.strip()]
    result.equal('statuses (%r)' % done.stderr, lines[:3], ['status 0', 'status 3', 'status 3'])
    result.true('a pipe: %r' % lines, any('TinyApp' in line for line in lines[3:]))
    here = both.posix('diff', captures / 'tiny.utrace', captures / 'tiny.utrace')
    displayed = (work / 'diff.txt').read_bytes().replace(dos(captures).encode() + b'\\', str(captures).encode() + b'/')
    result.true('what was redirected', displayed == here.stdout)


def check_sql(result, both, captures, work):
    """4.5: SQLite opens a file that the output holds open."""
    for side, run in (('here', both.posix), ('there', both.wine)):
        done = run('export', captures / 'tiny.utrace', '-f', 'sqlite', '-o', work / (side + '.db'))
        result.equal('export %s' % side, (done.returncode, done.stderr), (0, b''))
    dumps = [subprocess.run(['sqlite3', str(work / (side + '.db')), '.dump'], capture_output=True, check=True).stdout
             for side in ('here', 'there')]
    result.true('dumps differ', dumps[0] == dumps[1] and len(dumps[0]) > 1000)


def check_json_numbers(result, both, captures, work):
    """4.15: NaN, infinity, exponents and texts of log messages are those of other systems."""
    for table in ('quality', 'log', 'counters', 'timer_histogram', 'distribution'):
        both.same(result, table, 'stats', captures / 'game.utrace.zst', '--table', table, '--format', 'json')
    both.same(result, 'NaN', 'query', captures / 'tiny.utrace', 'select 0.0/0.0, 1e999, -1e999, 1e-7, 1e300, 0.1')


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1].replace('usage: ', ''))
    parser.add_argument('--exe', type=pathlib.Path, required=True)
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    sums = report.Report()
    for name, check in list(globals().items()):
        if name.startswith('check_'):
            with tempfile.TemporaryDirectory(prefix='tracekit-') as work:
                both = Both(options.exe.resolve(), options.bin.resolve(), pathlib.Path(work))
                sums.run(name[len('check_'):], check, both, options.fixtures.resolve(), pathlib.Path(work))
    return sums.close()


if __name__ == '__main__':
    sys.exit(main())
