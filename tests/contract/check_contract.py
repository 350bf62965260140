#!/usr/bin/env python3
"""What all commands promise about inputs, outputs and exit statuses.

usage: check_contract.py --bin DIRECTORY FIXTURES
"""

import argparse
import gzip
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands    # noqa: E402
import near_names  # noqa: E402
import report      # noqa: E402

DONE, USAGE, UNREADABLE = 0, 2, 3
NAMES = ('trace-info', 'trace-events', 'trace-stats')
QUESTIONS = (
    ('trace-stats', '--table', 'timers', '--by', 'thread', '--unit', 'cycles', '--format', 'csv'),
    ('trace-events', '--format', 'ndjson'),
)


def one_sentence(result, what, done, status, *parts):
    """A failure: the status, a short message with these parts, and no output."""
    text = done.err.decode('utf-8', errors='replace')
    result.equal('%s: status (%s)' % (what, text.strip()), done.status, status)
    result.equal(what + ': output', done.out, b'')
    result.true('%s: message of %d lines' % (what, text.count('\n')), 1 <= text.count('\n') <= 8)
    for part in parts:
        result.true('%s: %r is not in %r' % (what, part, text), part.lower() in text.lower())


# ---- inputs ----

def wrapped(capture, work):
    """The capture in each kind of compression, under names that do not tell it."""
    data = capture.read_bytes()
    gz = work / 'one.utrace'
    gz.write_bytes(gzip.compress(data))
    yield 'gzip', gz
    for tool, *small_blocks in (('zstd',), ('lz4', '-B4')):
        pack = [tool, '-c', '-q', *small_blocks]
        path, twice = work / (tool + '.bin'), work / (tool + '.twice')
        path.write_bytes(subprocess.run([*pack, str(capture)], check=True, capture_output=True).stdout)
        yield tool, path
        middle = len(data) // 2
        with open(twice, 'wb') as file:                 # two frames, one behind the other
            for part in (data[:middle], data[middle:]):
                file.write(subprocess.run([*pack, '-'], input=part, check=True, capture_output=True).stdout)
        yield tool + ' in two frames', twice
    plain = work / 'plain.zst'
    plain.write_bytes(data)
    yield 'a plain file named .zst', plain


def check_inputs(result, runner, capture, work):
    """A capture gives the same answer plain, compressed, and through a pipe."""
    for name, *options in QUESTIONS:
        wanted = runner.must(name, capture, *options)
        for kind, path in wrapped(capture, work):
            done = runner.run(name, path, *options)
            result.true('%s of %s: %s' % (name, kind, done.describe()),
                        (done.status, done.out) == (wanted.status, wanted.out))
            piped = runner.run(name, '-', *options, stdin=path)
            result.true('%s of %s in a pipe: %s' % (name, kind, piped.describe()),
                        (piped.status, piped.out) == (wanted.status, wanted.out))


def check_cut_wrapping(result, runner, capture, work):
    """A compressed capture that is cut off is read as far as it goes, with a word about it."""
    for kind, path in list(wrapped(capture, work)):
        if kind.startswith('a plain'):
            continue
        cut = work / 'cut'
        cut.write_bytes(path.read_bytes()[:path.stat().st_size * 3 // 4])
        done = runner.run('trace-events', cut, '--count', '--format', 'json')
        result.true('%s cut off: %s' % (kind, done.describe()), done.status in (0, 4) and done.err)
        if done.out:
            count = sum(commands.parse_json(done.out.decode('utf-8')).values())
            result.true('%s cut off: %d events' % (kind, count), count > 0)


def check_bad_inputs(result, runner, capture, work):
    empty, text, locked = work / 'empty.utrace', work / 'notes.txt', work / 'locked.utrace'
    empty.touch()
    text.write_text('no capture at all, only a few words\n' * 20)
    cases = [('a directory', work, 'directory'), ('a missing file', work / 'missing.utrace', 'No such file'),
             ('an empty file', empty, 'empty'), ('a text file', text, 'text')]
    if os.geteuid() != 0:                               # root may read everything
        locked.write_bytes(capture.read_bytes())
        locked.chmod(0)
        cases.append(('an unreadable file', locked, 'Permission denied'))
    for name in NAMES:
        for what, path, part in cases:
            if path == work and name in ('trace-info', 'trace-stats'):  # they list the runs of a folder
                part = 'no capture and no baseline'
            one_sentence(result, '%s of %s' % (name, what), runner.run(name, path), UNREADABLE, path.name, part)


# ---- usage ----

def check_usage(result, runner, capture, work):
    one_sentence(result, 'no such table', runner.run('trace-stats', capture, '--table', 'timer'), USAGE, "'timer'",
                 "'timers'")
    one_sentence(result, 'no such column', runner.run('trace-stats', capture, '--table', 'timers', '--columns', 'cuont'),
                 USAGE, "'cuont'", "'count'")
    one_sentence(result, 'no such timer', runner.run('trace-stats', capture, '--timer', 'UWorld::Tik'), USAGE,
                 "'UWorld::Tik'", "'UWorld::Tick'")
    for option in ('--callers', '--callees'):
        one_sentence(result, 'no such timer for ' + option, runner.run('trace-stats', capture, option, 'UWorld::Tik'),
                     USAGE, "'UWorld::Tik'", "'UWorld::Tick'")
    one_sentence(result, 'callers of nothing', runner.run('trace-stats', capture, '--table', 'callers'), USAGE, 'timer')
    one_sentence(result, 'no such share', runner.run('trace-stats', capture, '--tree', '--min-share', '101%'), USAGE,
                 '--min-share', '101%')
    one_sentence(result, 'no such event', runner.run('trace-events', capture, 'Misc.Bokmark'), USAGE, "'Misc.Bokmark'",
                 "'Misc.Bookmark'")
    one_sentence(result, 'no such order', runner.run('trace-events', capture, '--order', 'tme'), USAGE, "'tme'",
                 'there are file, serial and time')
    one_sentence(result, 'no such limit', runner.run('trace-info', capture, '--limit', 'thread=5'), USAGE, "'thread'",
                 "'threads'")
    one_sentence(result, 'no such format', runner.run('trace-stats', capture, '--format', 'cvs'), USAGE, "'cvs'", "'csv'")
    one_sentence(result, 'no such unit', runner.run('trace-stats', capture, '--unit', 'mss'), USAGE, "'mss'", "'ms'")
    one_sentence(result, 'no unit at all like it', runner.run('trace-stats', capture, '--unit', 'fortnight'), USAGE,
                 "'fortnight'", 'there are ns, cycles, us, ms and s')
    one_sentence(result, 'no such grouping', runner.run('trace-stats', capture, '--by', 'clas'), USAGE, "'clas'", "'class'")
    for word, table in (('class', 'timers'), ('region', 'memory'), ('tag', 'timers'), ('heap', 'groups')):
        one_sentence(result, 'a grouping of another table', runner.run('trace-stats', capture, '--by', word, '--table', table),
                     USAGE, "'--by %s'" % word, "'memory'" if word in ('tag', 'heap') else "'groups'")
    one_sentence(result, 'a grouping of a table that nobody asks for', runner.run('trace-stats', capture, '--by', 'tag'),
                 USAGE, "'--by tag'", "'memory'")
    one_sentence(result, 'no such time for colours', runner.run('trace-stats', capture, '--color', 'alway'), USAGE,
                 "'alway'", "'always'")
    for name, *words in (('trace-diff', capture, capture), ('trace-check', capture, '--budget', capture)):
        one_sentence(result, name + ' with no such report', runner.run(name, *words, '--report', 'markdwn=x.md'), USAGE,
                     "'markdwn'", "'markdown'")
    for name in NAMES:
        one_sentence(result, name + ' with no such option', runner.run(name, capture, '--frmat', 'csv'), USAGE,
                     "'--frmat'", "'--format'")
        one_sentence(result, name + ' without a capture', runner.run(name), USAGE)
    for option, *words in (('--sql-index', '--format', 'csv'), ('--split', '1MB', '--format', 'csv'), ('--self', '--format', 'csv'),
                           ('--weight', 'count', '--format', 'chrome'), ('--self', '--preset', 'summarize'),
                           ('--append', '--preset', 'tracy'), ('--format', 'csv', '--preset', 'tracy'),
                           ('--no-header', '--preset', 'insights'), ('--bom', '--preset', 'tracy'),
                           ('--eol', 'crlf', '--preset', 'insights'), ('--guard', '--preset', 'insights'),
                           ('--unit', 'us', '--preset', 'insights'), ('--unit', 'us', '--format', 'sqlite'),
                           ('--sort', 'start', '--preset', 'insights'), ('--clip', '--preset', 'insights'),
                           ('--table', 'scopes', '--format', 'chrome'), ('--counter', '*', '--preset', 'tracy'), ('--top', '5', '--preset', 'summarize')):
        one_sentence(result, 'an option of other formats', runner.run('trace-export', capture, option, *words), USAGE,
                     "'%s'" % option)
    for words, said in ((('sqlite', '-o', work / 'x.db.gz'), 'compressed'), (('csv', '-o', work / 'folder.zst'), 'compressed'),
                        (('pprof', '-o', work / 'x.pb.zst'), 'gzip'), (('csv', '-t', 'frames,logs,frames'), "'frames' is named twice"),
                        (('folded', '--weight', 'bytes', '--per-thread'), 'thread'),
                        (('folded', '--weight', 'bytes', '--timer', '*'), 'timer')):
        one_sentence(result, 'what a format cannot do', runner.run('trace-export', capture, '--format', *words), USAGE, said)
    result.true('nothing is left of it', not [path for path in work.iterdir() if path.name[0] in 'xf.'])
    for option, there, what in (('--region', 'Loading', 'region'), ('--counter', 'Tiny/Memory', 'counter')):
        one_sentence(result, 'a %s that is not there beside one that is' % what, runner.run(
            'trace-export', capture, '--preset', 'insights', '--table', 'counter_values', '-o', work / '{region}{counter}.csv',
            option, there, option, 'nothing-like-this'), USAGE, "no %s matches 'nothing-like-this'" % what)
    for option, value in (('--from', '1ms'), ('--frames', '0-1'), ('--to-bookmark', '*'), ('--region', '*'), ('--thread', '*'),
                          ('--timer', '*')):
        for preset in ('summarize', 'tracy', 'tracy-0.9'):
            one_sentence(result, 'a selection that a preset has not', runner.run(
                'trace-export', capture, '--preset', preset, option, value, '-o', work / 'whole'), USAGE, 'this preset', 'whole')
    for option, value in (('--frames', '0-1'), ('--from-bookmark', '*')):
        one_sentence(result, 'a selection that a preset has not', runner.run(
            'trace-export', capture, '--preset', 'insights', option, value), USAGE, 'time and region')
    one_sentence(result, 'no such command', runner.run('tracekit', 'stat', capture), USAGE, "'stat'", "'stats'")


def habits(root):
    """Words of the list in cmd/args/words.c with their command lines."""
    text = (root / 'cmd/args/words.c').read_text()
    return [tuple(s.replace('\\"', '"') for s in pair)
            for pair in re.findall(r'\{"([^"]+)", "((?:[^"\\]|\\.)*)"\}', text)]


def check_habits(result, runner, capture, work):
    """What people type from habit is answered with a command that runs."""
    root = pathlib.Path(__file__).resolve().parents[2]
    fixtures = root / 'fixtures'
    (work / 'budget.json').write_text('{"budgets": [{"kind": "frame", "name": "p99", "error": 20}]}')
    outputs = work / 'outputs'
    outputs.mkdir()
    stands = {'FILE': fixtures / 'tiny.utrace', 'OLD': capture, 'NEW': capture, 'OTHER': fixtures / 'restart_b.utrace', 'FORMAT': 'csv',
              'BUDGET.json': work / 'budget.json', 'RUN...': fixtures / 'restart_a.utrace', '"SELECT': 'SELECT 1'}
    found = habits(root)
    result.true('words: %d' % len(found), len(found) > 30)
    known = re.findall(rb'^  ([a-z]+) ', runner.run('tracekit', '--help').out, re.MULTILINE)
    result.true('commands: %s' % known, b'stats' in known)
    for word, line in found:
        if word.encode() in known:               # one that is a command by now
            continue
        one_sentence(result, 'the habit ' + word, runner.run('tracekit', word), USAGE, "'%s'" % word, "'%s'" % line)
        if line in ('trace-record', 'tracekit mcp') or line.startswith('trace-view') or '--follow' in line:
            continue
        words = line.replace('--from TIME --to TIME', '--from 1ms --to 3ms').replace(' ..."', '').split()
        words = [str(outputs / (word + '/' * word.endswith('/')) if words[i - 1] == '-o' else stands.get(word, word))
                 for i, word in enumerate(words)]
        if 'OTHER' in line or 'RUN' in line:
            words[1:2] = [str(fixtures / 'restart_a.utrace')] * (1 + ('RUN' in line))
        text = runner.run(*words, *(['--force'] if '-o' in words and 'tables' not in words[-1] else []))
        result.true('%s: %s' % (line, text.describe()), text.status in (DONE, 1, 4))
        shutil.rmtree(outputs)
        outputs.mkdir()
    plain, named = runner.run('tracekit', capture), runner.run('trace-stats', capture)
    result.true('tracekit FILE is not trace-stats FILE', plain.out == named.out and plain.out)
    for name in ('stats', 'trace-stats'):
        result.equal('tracekit help ' + name, runner.run('tracekit', 'help', name).out, runner.run('trace-stats', '--help').out)
    one_sentence(result, 'a file that is not there', runner.run('tracekit', work / 'no.utrace'), USAGE,
                 'no command and no file', 'no.utrace')
    nothing = runner.run('tracekit')
    result.true('nothing: ' + nothing.describe(), nothing.status == USAGE and b"Begin with 'tracekit FILE'" in nothing.out)


def check_help(result, runner, capture, work):
    del work
    for words in (('tracekit',), ('tracekit', 'stats'), *((name,) for name in NAMES)):
        done = runner.run(*words, '--help')
        result.true('%s: %s' % (' '.join(words), done.describe()), done.status == DONE and b'--format' in done.out
                    or words == ('tracekit',) and b'stats' in done.out)
        result.equal('messages of help', done.err, b'')
    version = runner.run('tracekit', '--version')
    result.true('version: ' + version.describe(), version.status == DONE and b'0.2.0' in version.out)
    for command in ('stats', 'events', 'info'):
        plain, linked = runner.run('tracekit', command, capture), runner.run('trace-' + command, capture)
        result.true('tracekit %s is not trace-%s' % (command, command), plain.out == linked.out and plain.out)


def check_sort(result, runner, capture, work):
    """Of several tables each is as it is alone, also where it is sorted by what is not displayed."""
    del work
    for form in ('csv', 'table'):
        for column in ('share', 'p90', 'count:asc'):
            options = ('--quiet', '--format', form, '--sort', column, '--top', '5', '--table')
            alone = [runner.must('trace-stats', capture, *options, table).out for table in ('timers', 'gpu')]
            both = runner.must('trace-stats', capture, *options, 'timers,gpu').out
            for table in alone:
                rows = [line for line in table.splitlines() if line.strip()]
                result.true('%s by %s' % (form, column), all(line in both.splitlines() for line in rows))


# ---- outputs ----

def check_output_file(result, runner, capture, work):
    """-o writes the same bytes, replaces only when reported, and leaves nothing half done."""
    directory = work / 'out'
    directory.mkdir()
    target = directory / 'timers.csv'
    options = ('--table', 'timers', '--format', 'csv')
    wanted = runner.must('trace-stats', capture, *options).out
    runner.must('trace-stats', capture, *options, '-o', target)
    result.true('other bytes in the file', target.read_bytes() == wanted)
    target.write_text('precious')
    one_sentence(result, 'a file that is there', runner.run('trace-stats', capture, *options, '-o', target), UNREADABLE,
                 target.name)
    result.equal('the file that was there', target.read_text(), 'precious')
    runner.must('trace-stats', capture, *options, '-o', target, '--force')
    result.true('other bytes in the replaced file', target.read_bytes() == wanted)
    failed = runner.run('trace-stats', work / 'missing.utrace', *options, '-o', directory / 'never.csv')
    result.equal('status', failed.status, UNREADABLE)
    failed = runner.run('trace-stats', capture, *options, '-o', directory / 'no' / 'such' / 'place.csv')
    result.equal('status', failed.status, UNREADABLE)
    result.equal('files that are left', sorted(path.name for path in directory.iterdir()), [target.name])


def check_own_output(result, runner, capture, work):
    """What is read is never replaced, whatever name it has."""
    copy, link, other = work / 'copy.utrace', work / 'link.csv', work / 'other.utrace'
    for path in (copy, other):
        shutil.copy(capture, path)
    link.symlink_to(copy)
    for name, *words in (('trace-stats', copy, '-o', copy, '--force'), ('trace-info', copy, '-o', link, '--force'),
                         ('trace-export', copy, '--format', 'sqlite', '--append', '-o', copy),
                         ('trace-diff', other, '--vs', copy, '--report', 'json=%s' % copy),
                         ('trace-check', copy, '--force', '--write-budget', copy)):
        one_sentence(result, name + ' over what it reads', runner.run(name, *words), USAGE)
        result.true(name + ': the capture is gone', copy.read_bytes() == capture.read_bytes())


def check_full_device(result, runner, capture, work):
    del work
    for name, *options in QUESTIONS:
        with open('/dev/full', 'wb') as full:
            done = runner.run(name, capture, *options, stdout=full)
        result.true('%s to a full device: %s' % (name, done.describe()),
                    done.status == UNREADABLE and b'no space left' in done.err.lower())
        done = runner.run(name, capture, *options, '-o', '/dev/full')
        result.true('%s -o to a full device: %s' % (name, done.describe()), done.status == UNREADABLE)


def check_file_size_limit(result, runner, capture, work):
    """A file that may not grow any more is reported as a full disk is, and leaves nothing."""
    folder = work / 'limited'
    for name, options in (('trace-events', ('-f', 'csv')), ('trace-export', ('-f', 'chrome')),
                          ('trace-export', ('-f', 'sqlite'))):
        folder.mkdir()
        done = subprocess.run([str(runner.directory / name), str(capture), *options, '-o', str(folder / 'out')],
                              capture_output=True, stdin=subprocess.DEVNULL,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)))
        result.equal('%s: status under a limit of 1 KiB' % name, done.returncode, UNREADABLE)
        result.true('%s: why: %r' % (name, done.stderr), b'too large' in done.stderr or b'full' in done.stderr
                    or b'cannot write' in done.stderr)
        result.equal('%s: what is left' % name, sorted(path.name for path in folder.iterdir()), [])
        folder.rmdir()


def check_order_of_time(result, runner, capture, work):
    """Events in order of time are those in order of the file, sorted; also where the time is not displayed."""
    del work
    def lines(*options):
        out = runner.must('trace-events', capture, '-f', 'csv', '--no-header', *options).out.decode()
        return [line.split(',', 2) for line in out.splitlines()]
    columns = ('--columns', 'time,offset,event')
    rows = lines(*columns)
    wanted = sorted(rows, key=lambda row: (row[0] == '', int(row[0] or 0)))
    result.true('some are out of order', wanted != rows)
    result.equal('in order of time', lines(*columns, '--order', 'time'), wanted)
    result.equal('without the time', lines('--columns', 'offset,event', '--order', 'time'), [row[1:] for row in wanted])
    result.equal('counted', lines('--count', '--order', 'time'), lines('--count'))


def check_first_events(result, runner, capture, work):
    """--top shows the first events, in every format and order, as the whole list has them."""
    del work
    def rows(*options):
        return json.loads(runner.must('trace-events', capture, '-f', 'json', *options).out)['events']
    for options in ((), ('--order', 'time'), ('--columns', 'event,offset'), ('--thread', '*')):
        everything = rows(*options)
        for most in (1, 7, len(everything), len(everything) + 1):
            result.equal('%d events, %s' % (most, ' '.join(options)), rows(*options, '-n', str(most)), everything[:most])


def check_named_pipe(result, runner, capture, work):
    """A pipe that has a name is read once, as any capture: also where it could be a baseline."""
    pipe = work / 'named' / capture.name # reports say the name of a file
    pipe.parent.mkdir()
    for name, options in (('trace-stats', ('--format', 'csv')), ('trace-diff', (capture, '--report', 'csv'))):
        wanted = runner.run(name, capture, *options)
        os.mkfifo(pipe)
        feeder = subprocess.Popen(['sh', '-c', 'cat "$0" > "$1"', str(capture), str(pipe)])
        piped = runner.run(name, pipe, *options)
        result.equal('%s of a named pipe: %s' % (name, piped.describe()), (piped.status, piped.out), (wanted.status, wanted.out))
        result.equal('the other end', feeder.wait(), 0)
        pipe.unlink()


def check_closed_pipe(result, runner, capture, work):
    """Whoever reads the output goes away after a line: a quiet end."""
    del work
    for words in (('trace-events', capture, '--format', 'ndjson'), ('trace-events', capture)):
        command = [str(runner.directory / words[0]), *map(str, words[1:])]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        messages = process.stderr.read()
        result.equal('status after a closed pipe', process.wait(timeout=60), DONE)
        result.equal('messages after a closed pipe', messages, b'')


def check_no_colour(result, runner, capture, work):
    """No escape sequence where the output is no terminal."""
    del work
    for name in NAMES:
        result.true(name + ': escape sequences', b'\x1b' not in runner.must(name, capture).out)


def check_near_names(result, runner, capture, work):
    """Whoever mistypes a name is given the one that was meant."""
    for words, wanted in near_names.calls(capture, capture.parent / 'baseline-v1-a.tkb', work):
        done = runner.run(*words)
        line = ' '.join(map(str, words))
        one_sentence(result, line, done, USAGE)
        result.true('%s: %r is not named in %s' % (line, wanted, done.describe()),
                    re.search(r'(?<![\w:-])%s(?![\w:-])' % re.escape(wanted), done.err.decode()))


def check_no_rows(result, runner, capture, work):
    """People are reported that a table has no rows; others get what they can count."""
    del work
    over = '(no game frame is over 1000 ms; the longest is 0.3077 ms (frame 3))'
    for words, sentence in ((('--hitches=1000',), over), (('-t', 'tasks'), '(no rows)')):
        page = runner.must('trace-stats', capture, *words).out.decode()
        result.true('%s: %s' % (words, page), page.count('\n') == 3 and page.endswith(sentence + '\n'))
        result.equal('lines for programs', runner.must('trace-stats', capture, *words, '-f', 'csv').out.count(b'\n'), 1)


def check_quiet(result, runner, capture, work):
    """Who wants no warnings has the same status and the same output."""
    del work
    damaged = sorted((capture.parent / 'damaged').glob('*.utrace'))
    result.true('damaged captures', len(damaged) > 50)
    for path in damaged:
        reported, quiet = (runner.run('trace-export', path, '-f', 'folded', '-o', '-', *more) for more in ((), ('--quiet',)))
        result.equal(path.name, (quiet.status, quiet.out), (reported.status, reported.out))


CHECKS = (check_inputs, check_cut_wrapping, check_bad_inputs, check_usage, check_habits, check_help, check_sort, check_output_file,
          check_own_output, check_full_device, check_file_size_limit, check_order_of_time, check_first_events, check_named_pipe, check_closed_pipe, check_no_colour, check_no_rows,
          check_near_names, check_quiet)


def in_new_directory(result, check, runner, capture):
    work = pathlib.Path(tempfile.mkdtemp(prefix='tracekit-'))
    try:
        check(result, runner, capture, work)
    finally:
        shutil.rmtree(work)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, help='the directory of the commands')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    runner = commands.Commands(options.bin)
    run = report.Report()
    for check in CHECKS:
        capture = 'threads.utrace' if check in (check_closed_pipe, check_cut_wrapping, check_order_of_time, check_first_events) else 'tiny.utrace'
        run.run(check.__name__.removeprefix('check_'), in_new_directory, check, runner, options.fixtures / capture)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
