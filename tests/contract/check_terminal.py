#!/usr/bin/env python3
"""The commands on terminals: pager, width, colour, signs, progress; and that files and pipes see nothing of it.

usage: check_terminal.py --bin DIRECTORY --generator PROGRAM FIXTURES
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import report     # noqa: E402
import terminals  # noqa: E402

# Behind an `&` of a shell it is ignored, and the commands would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Without a cache: an answer that is kept has no progress.
BASE = {'PATH': os.environ['PATH'], 'TERM': 'xterm', 'LC_ALL': 'C.UTF-8', 'PAGER': 'cat', 'HOME': '/', 'TRACEKIT_CACHE': 'off'}
BIG = 160 << 20
ESCAPE = re.compile(r'\x1b\[[0-9;]*[mK]')


class Terminal:
    """A pseudo terminal and what was written to it."""

    def __init__(self, columns):
        self.ours, self.theirs = terminals.opened(columns)
        mode = termios.tcgetattr(self.theirs)
        mode[1] &= ~termios.OPOST                       # bytes as they were written
        termios.tcsetattr(self.theirs, termios.TCSANOW, mode)

    def read(self):
        return terminals.written(self.ours, self.theirs).decode('utf-8')


def show(options, name, *words, columns=80, **environment):
    """(status, what is left on the terminal) of a command with all its streams on one: without progress, which comes only
    where a machine is slow."""
    terminal = Terminal(columns)
    process = subprocess.Popen([str(options.bin / name), *map(str, words)], stdin=terminal.theirs, stdout=terminal.theirs,
                               stderr=terminal.theirs, env={**BASE, **environment}, start_new_session=True)
    text = re.sub(r'\r(reading[^\r]*)?\x1b\[K', '', terminal.read())
    return process.wait(), text


def piped(options, name, *words, **environment):
    done = subprocess.run([str(options.bin / name), *map(str, words)], capture_output=True, env={**BASE, **environment},
                          stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout.decode('utf-8'), done.stderr.decode('utf-8')


def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in line)


# ---- the pager ----

def check_pager(result, options):
    game, marked = options.game, 'echo BEGIN; cat; echo END'
    for name, *words in (('trace-stats', game), ('trace-stats', '--help'), ('trace-stats', '--list'), ('tracekit', 'help'),
                         ('trace-info', game), ('trace-events', game, '--count'), ('trace-info', '--limit', 'help'),
                         ('trace-diff', options.a, options.a.with_name('baseline-v1-b.tkb'))):
        plain = show(options, name, *words, '--no-pager') if words[0] != 'help' else show(options, name, *words)
        status, text = show(options, name, *words, PAGER=marked)
        what = ' '.join(map(str, (name, *words)))
        result.equal(what + ': status', status, plain[0])
        result.equal(what + ': text', text, 'BEGIN\n%sEND\n' % plain[1])
        status, out, _ = piped(options, name, *words, PAGER=marked)
        result.true(what + ' in a pipe', 'BEGIN' not in out and (status, bool(out)) == (plain[0], True))


def check_pager_choice(result, options):
    plain = show(options, 'trace-stats', options.game)
    for what, environment in (('none', {'PAGER': ''}), ('cat', {'PAGER': 'cat'}), ('missing', {'PAGER': '/nowhere/pager'})):
        result.equal(what, show(options, 'trace-stats', options.game, **environment), plain)
    text = show(options, 'trace-stats', options.game, PAGER='echo "$LESS$LV"; cat')[1]
    result.equal('settings', text.split('\n')[0], 'FRX-c')
    text = show(options, 'trace-stats', options.game, PAGER='echo "$LESS$LV"; cat', LESS='S')[1]
    result.equal('settings of the caller', text.split('\n')[0], 'S-c')
    text = show(options, 'trace-stats', options.game, PAGER='echo BEGIN; cat', TERM='dumb')[1]
    result.true('a terminal that can do nothing', 'BEGIN' not in text and '\x1b' not in text)


def check_pager_end(result, options):
    """Whoever has seen enough ends it quietly; statuses and messages are those of the command."""
    result.equal('left early', show(options, 'trace-events', options.game, PAGER='head -n 1')[0], 0)
    result.equal('one line', show(options, 'trace-events', options.game, PAGER='head -n 1')[1].count('\n'), 1)
    status, text = show(options, 'trace-stats', options.damaged, PAGER='cat; echo END')
    result.equal('status of a damaged capture', status, 4)
    result.true('its message: ' + text[-400:], 'damaged' in text and text.endswith('END\n'))
    status, text = show(options, 'trace-stats', options.game, '--table', 'timrs', PAGER='echo BEGIN; cat')
    result.true('a failure is not paged: ' + text, status == 2 and 'BEGIN' not in text and "'timers'" in text)


def check_interrupt(result, options):
    """Ctrl-C stops the command, which waits for its pager. The pager takes nothing before that, so that it is not done."""
    begun, go = options.big.with_name('begun'), options.big.with_name('go')
    terminal = Terminal(80)
    pager = 'trap "" INT; : >%s; while [ ! -e %s ]; do sleep 0.05; done; cat >/dev/null; sleep 0.3; echo END' % (begun, go)
    process = subprocess.Popen([str(options.bin / 'trace-events'), str(options.big)], stdin=terminal.theirs,
                               stdout=terminal.theirs, stderr=terminal.theirs, start_new_session=True,
                               env={**BASE, 'PAGER': pager})
    while not begun.exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    go.touch()
    text = terminal.read()
    result.equal('status', process.wait(), -signal.SIGINT)
    result.true('the pager was waited for: ' + text, 'END' in text)


# ---- width ----

def check_width(result, options):
    tables = ('timers', 'threads', 'frame_stats', 'frames', 'logs', 'regions')
    for columns in (60, 80, 120, 200):
        for table in tables:
            words = (options.game, '--table', table, '--top', '30')
            text = show(options, 'trace-stats', *words, columns=columns, NO_COLOR='1')[1]
            result.equal('%s by COLUMNS' % table, show(options, 'trace-stats', *words, NO_COLOR='1', COLUMNS=str(columns),
                                                        columns=columns + 33)[1], text)
            widest = max(text.splitlines(), key=width)
            result.true('%s at %d: %r' % (table, columns, widest), width(widest) <= columns)
            lines = text.splitlines()
            said = re.search(r'\(not shown at this width: ([^)]*)\)', text, re.S)
            hidden = re.split(r',\s*', said.group(1)) if said else []
            full = piped(options, 'trace-stats', *words)[1].splitlines()[1].split()
            result.equal('%s at %d: columns' % (table, columns), sorted(lines[1].split() + hidden), sorted(full))
            result.equal('%s at %d: order' % (table, columns), lines[1].split(), [name for name in full if name not in hidden])


def check_chosen(result, options):
    """Columns that were requested are all there, however narrow it is."""
    names = 'timer,kind,file,line,count,open,incl,total,excl,min,max'
    text = show(options, 'trace-stats', options.game, '--table', 'timers', '--columns', names, '--top', '3', NO_COLOR='1')[1]
    result.equal('columns', text.splitlines()[1].split(), names.split(','))


# ---- colour and signs ----

def check_colour(result, options):
    for name, *words in (('trace-stats', options.game), ('trace-info', options.damaged),
                         ('trace-diff', options.a, options.a.with_name('baseline-v1-b.tkb'))):
        colourless = show(options, name, *words, NO_COLOR='1')[1]
        coloured = show(options, name, *words)[1]
        result.true(name + ' has colours', ESCAPE.search(coloured))
        result.equal(name + ': colours that cannot be read on white', re.findall('\x1b\\[[0-9;]*3[367]m', coloured), [])
        result.equal(name + ' beside them', ESCAPE.sub('', coloured), colourless)
        result.true(name + ' with NO_COLOR', '\x1b' not in colourless)
        plain = piped(options, name, *words)[1]
        result.true(name + ' in a pipe', '\x1b' not in plain)
        for when, on_terminal, in_pipe in (('auto', True, False), ('always', True, True), ('never', False, False)):
            result.equal('%s %s' % (name, when), ('\x1b[' in show(options, name, *words, '--color', when)[1],
                                                  '\x1b[' in piped(options, name, *words, '--color', when)[1]),
                         (on_terminal, in_pipe))
        result.true(name + ': --color wins', '\x1b' in piped(options, name, *words, '--color', 'always', NO_COLOR='1')[1])


def heat_of(value, greatest):
    """Zeros are faint, red is at least half of the greatest, magenta a tenth."""
    return '2' if value == 0 else '31' if value * 2 >= greatest else '35' if value * 10 >= greatest else None


def check_messages(result, options):
    """What failed is red, a warning magenta; NO_COLOR and --color are heeded."""
    for colour, wanted, *words in (('31', 3, 'nosuch.utrace'), ('31', 2, '--no-such-option'),
                                   ('35', 4, options.damaged, '--table', 'frames')):
        status, displayed = show(options, 'trace-stats', *words)
        result.equal(words, status, wanted)
        reported = [line for line in displayed.splitlines() if line.startswith('\x1b[1mtrace-stats: \x1b[0m\x1b[%sm' % colour)]
        result.true('%s: %r' % (words, displayed), reported and all(line.endswith('\x1b[0m') for line in reported))
        result.true(words, '\x1b' not in show(options, 'trace-stats', *words, NO_COLOR='1')[1])
        result.true(words, '\x1b' not in piped(options, 'trace-stats', *words)[2])
    result.true('never', '\x1b' not in show(options, 'trace-stats', 'nosuch.utrace', '--color', 'never')[1])
    result.true('always', '\x1b[31m' in piped(options, 'trace-stats', 'nosuch.utrace', '--color', 'always')[2])


def check_heat(result, options):
    """The column is coloured by which the table is sorted."""
    for sort in ('working', 'count', 'max', 'count:asc'):
        columns = ('excl' if sort == 'working' else sort.split(':')[0], 'working')
        words = ('trace-stats', options.game, '--table', 'timers', '--columns', 'timer,' + ','.join(columns))
        text = show(options, *words, *(() if sort == 'working' else ('--sort', sort)), columns=200)[1]
        truth = piped(options, *words, '--sort', sort, '--format', 'csv')[1].splitlines()[1:]
        rows = [[int(cell) for cell in line.rsplit(',', 2)[1:]] for line in truth]
        hot = columns.index(sort.split(':')[0])
        greatest = max(row[hot] for row in rows)
        for line, row in zip(text.splitlines()[2:], rows):
            wanted = [heat_of(value, greatest if place == hot else 1 << 80) for place, value in enumerate(row)]
            result.equal('%s: %s' % (sort, line), re.findall(r'\x1b\[([1-9]\d*)m', line), [heat for heat in wanted if heat])


def check_signs(result, options):
    diff = ('trace-diff', options.a, options.a.with_name('baseline-v1-b.tkb'))
    for name, *words in (('trace-stats', options.game), diff):
        for locale in ({'LC_ALL': 'C'}, {'LC_ALL': '', 'LANG': 'C'}, {'LC_ALL': '', 'LANG': ''},
                       {'LC_ALL': '', 'LC_CTYPE': 'POSIX', 'LANG': 'C.UTF-8'}):
            text = show(options, name, *words, columns=60, **locale)[1]
            result.true('%s %s' % (name, locale), text.isascii())
        for locale in ({}, {'LC_ALL': '', 'LANG': 'en_US.UTF-8'}, {'LC_ALL': 'de_DE.utf8', 'LANG': 'C'}):
            text = show(options, name, *words, columns=60, **locale)[1]
            result.true('%s %s' % (name, locale), not text.isascii())
    for line in show(options, *diff, columns=80, NO_COLOR='1')[1].splitlines():
        result.true(line, width(line) <= 80)
    result.equal('a pipe does not care', piped(options, *diff, LC_ALL='C'), piped(options, *diff))


# ---- progress ----

def with_errors_displayed(options, *words, columns=80):
    """Standard error on a terminal, output to a pipe."""
    terminal = Terminal(columns)
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([str(options.bin / 'trace-stats'), *map(str, words)], stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=terminal.theirs, env=BASE)
        displayed = terminal.read()
        status = process.wait()
        out.seek(0)
        return status, out.read().decode('utf-8'), displayed


def check_progress(result, options):
    wanted = piped(options, 'trace-stats', options.big, '--jobs', '1')
    status, out, displayed = with_errors_displayed(options, options.big, '--jobs', '1')
    result.equal('status and output', (status, out), wanted[:2])
    lines = [line.removesuffix('\x1b[K') for line in displayed.split('\r') if line.startswith('reading')]
    result.true('progress: %r' % displayed[-300:], lines)
    for line in lines:
        result.true(line, re.fullmatch(r'reading +\d+ % \[#* *\](  [\d.]+ [KMG]?B/s)?(  \d+ s left)?  big\.utrace', line))
    result.true('rate and time left', any(' left' in line and 'B/s' in line for line in lines))
    percents = [int(re.search(r'(\d+) %', line).group(1)) for line in lines]
    result.true('percents %s' % percents, all(0 <= percent <= 100 for percent in percents))
    result.true('it is taken away: %r' % displayed[-30:], displayed.endswith('\r\x1b[K'))
    result.equal('--quiet', with_errors_displayed(options, options.big, '--jobs', '1', '--quiet')[2], '')
    result.equal('nothing of what is short', with_errors_displayed(options, options.tiny, '--table', 'frames')[2], '')
    result.equal('no terminal, no progress', wanted[2], '')
    narrow = with_errors_displayed(options, options.big, '--jobs', '1', columns=30)[2]
    result.true('as wide as there is room', all(len(line.removesuffix('\x1b[K')) < 30 for line in narrow.split('\r')))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('--generator', required=True, help='the program bench-gen-cpu')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    options.game, options.tiny = options.fixtures / 'game.utrace.zst', options.fixtures / 'tiny.utrace'
    options.a = options.fixtures / 'baseline-v1-a.tkb'
    options.damaged = options.fixtures / 'damaged' / 'flip_lz4.utrace'
    reports = report.Report()
    with tempfile.TemporaryDirectory() as directory:
        options.big = pathlib.Path(directory) / 'big.utrace'
        subprocess.run([options.generator, str(options.big), str(BIG)], check=True, stdout=subprocess.DEVNULL)
        for check in (check_pager, check_pager_choice, check_pager_end, check_interrupt, check_width, check_chosen,
                      check_colour, check_messages, check_heat, check_signs, check_progress):
            reports.run(check.__name__.removeprefix('check_').replace('_', ' '), check, options)
    return reports.close()


if __name__ == '__main__':
    sys.exit(main())
