#!/usr/bin/env python3
"""Runs the commands on damaged captures.

usage: check_damaged.py --bin DIRECTORY [--no-memory-limit] [--wrapper COMMAND] [--jobs N] [--brief] [--only GLOB]...
                        [--step N] FIXTURES

For every entry of FIXTURES/damaged/expected.json (fixtures/README.md describes it): no command may crash, hang or take
much memory; the exit status must be the one that is expected, with a sentence about the fault and its offset; what is
intact must be there, and nothing that is not; the ledger must sum to the size of the file; --strict must refuse what
is damaged. --brief asks less, for wrappers that are slow and look at other things than what is printed.
"""

import argparse
import collections
import csv
import fnmatch
import functools
import io
import pathlib
import re
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE))
import commands  # noqa: E402
import report    # noqa: E402
import walk      # noqa: E402

MEMORY = 512 << 20
UNREADABLE, DAMAGED = 3, 4
ANY_OFFSET = re.compile(r'\b(?:offset|byte)s? (?:0x[0-9a-f]+|\d+)')
QUESTIONS = {
    'info': ('trace-info', '--full', '--types', '--format', 'json'),
    'events': ('trace-events', '--count', '--format', 'json'),
    'list': ('trace-events', '--format', 'ndjson'),
    'stats': ('trace-stats', '--table', 'timers', '--by', 'thread', '--unit', 'cycles', '--format', 'csv'),
    'logs': ('trace-stats', '--table', 'logs', '--format', 'csv'),
}
BRIEF = {
    'info': QUESTIONS['info'],
    'list': QUESTIONS['list'],
    'stats': ('trace-stats', '--table', 'timers,logs', '--format', 'json'),
}


def find(directory, name):
    """The file of a name, or its compressed form."""
    path = directory / name
    return path if path.exists() else path.with_name(name + '.zst')


def content(path):
    if path.suffix == '.zst':
        return subprocess.run(['zstd', '-dcq', str(path)], check=True, stdout=subprocess.PIPE).stdout
    return path.read_bytes()


@functools.lru_cache(maxsize=None)
def base_capture(fixtures, name):
    return walk.Capture(content(find(fixtures, name + '.utrace')))


def allowed_status(entry, question):
    """The exit statuses that are right for a question."""
    wanted = entry['exit']
    if isinstance(wanted, dict):
        wanted = wanted.get(question, wanted['*'])
    return wanted if isinstance(wanted, list) else [wanted]


def least_events(entry, base):
    """The events that must be there."""
    first, behind = entry.get('lost', (0, 0))
    cut = entry.get('cut', base.size)
    least = base.count(lambda packet: packet.end <= cut and (packet.end <= first or packet.offset >= behind))
    for name in entry.get('but', ()):
        del least[name]
    if not entry.get('maybe'):
        least.update(entry.get('extra', {}))
    return least


def most_events(entry, base):
    """The events that may be there."""
    most = base.count()
    most.update(entry.get('extra', {}))
    return most


def check_counts(result, entry, base, got):
    least, most = least_events(entry, base), most_events(entry, base)
    for name, number in least.items():
        result.true('%d events %s, of which %d are intact' % (got.get(name, 0), name, number),
                    got.get(name, 0) >= number)
    more = {name: number for name, number in got.items() if number > most[name]}
    if 'extra_events' in entry:
        result.equal('events that were not in the base', sum(more.values()), entry['extra_events'])
    else:
        result.equal('events that were never written', more, {})


def key_of(name):
    """A name of an event as --count prints it: what is not valid is replaced."""
    return bytes.fromhex(name['bytes']).decode('utf-8', errors='replace') if isinstance(name, dict) else name


def check_list(result, got, done):
    """The events one by one are those that were counted."""
    events = (commands.parse_json(line) for line in done.out.decode('utf-8').splitlines())
    listed = collections.Counter(key_of(event['event']) for event in events)
    result.equal('events listed and counted', dict(listed), {name: number for name, number in got.items() if number})


def check_timers(result, wanted, done):
    """The timers of a thread are those that were written before the fault and behind its batch."""
    rows = csv.DictReader(io.StringIO(done.out.decode('utf-8'), newline=''))
    got = {row['timer']: [int(row[column]) for column in ('count', 'total', 'excl')]
           for row in rows if row['thread_id'] == str(wanted['thread'])}
    result.equal('timers of thread %d' % wanted['thread'], got,
                 {name: figures for name, figures in wanted.items() if name != 'thread'})


def check_message(result, entry, question, done):
    text = done.err.decode('utf-8', errors='replace')
    result.true('%s: no message' % question, text.strip() or done.status == 0)
    if done.status in (UNREADABLE, DAMAGED) and entry.get('offset', True):
        result.true('%s: no offset in the message %r' % (question, text), ANY_OFFSET.search(text))
    elif 'cut' in entry:
        result.true('%s: no warning that the file is cut off' % question, text.strip())


def check_ledger(result, size, done):
    info = commands.parse_json(done.out.decode('utf-8'))
    result.equal('sum of the ledger', sum(entry['bytes'] for entry in info['ledger']), size)
    if done.status == DAMAGED:
        result.true('nothing in health is damage', any(entry['damage'] for entry in info['health']))


def check_strict(result, runner, path, question):
    name, *options = QUESTIONS[question]
    strict = runner.run(name, path, *options, '--strict')
    result.equal('%s --strict' % question, strict.status, UNREADABLE)


def check_brief(result, runner, fixtures, entry, more):
    path = find(fixtures / 'damaged', entry['file'])
    allowed = {status for question in QUESTIONS for status in allowed_status(entry, question)}
    for question, (name, *options) in BRIEF.items():
        done = runner.run(name, path, *options, *more)
        result.true('%s: %s' % (question, done.describe()), done.status in allowed)


def check_file(result, runner, fixtures, entry, memory, more):
    path = find(fixtures / 'damaged', entry['file'])
    size, done = len(content(path)), {}
    for question, (name, *options) in QUESTIONS.items():
        done[question] = runner.run(name, path, *options, *more)
        status = done[question].status
        result.true('%s: status %d instead of %s: %s' % (question, status, allowed_status(entry, question),
                                                         done[question].err.decode(errors='replace')[:300]),
                    status in allowed_status(entry, question))
        check_message(result, entry, question, done[question])
        if memory:
            result.true('%s: %d bytes of memory' % (question, done[question].memory), done[question].memory < memory)
        if status == DAMAGED:
            check_strict(result, runner, path, question)
    if 'timers' in entry:
        check_timers(result, entry['timers'], done['stats'])
    if done['info'].status in (0, DAMAGED):
        check_ledger(result, size, done['info'])
    if done['events'].status in (0, DAMAGED):
        got = commands.parse_json(done['events'].out.decode('utf-8'))
        check_list(result, got, done['list'])
        if 'base' in entry:
            check_counts(result, entry, base_capture(fixtures, entry['base']), got)
        elif 'events' in entry:
            result.equal('events', got, entry['events'])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, help='the directory of the commands')
    parser.add_argument('--no-memory-limit', action='store_true', help='for builds with sanitizers')
    parser.add_argument('--wrapper', default='', help='a command that runs the commands')
    parser.add_argument('--jobs', help='threads of each command')
    parser.add_argument('--brief', action='store_true', help='ask less')
    parser.add_argument('--only', action='append', default=[], help='files to check; all when not given')
    parser.add_argument('--step', type=int, default=1, help='checks each N-th of them')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    memory = None if options.no_memory_limit else MEMORY
    runner = commands.Commands(options.bin, memory, shlex.split(options.wrapper))
    more = ('--jobs', options.jobs) if options.jobs else ()
    run = report.Report()
    entries = commands.parse_json((options.fixtures / 'damaged' / 'expected.json').read_text(encoding='utf-8'))
    chosen = [entry for entry in entries
              if not options.only or any(fnmatch.fnmatchcase(entry['file'], pattern) for pattern in options.only)]
    for entry in chosen[::options.step]:
        if options.brief:
            run.run(entry['file'], check_brief, runner, options.fixtures, entry, more)
        else:
            run.run(entry['file'], check_file, runner, options.fixtures, entry, memory, more)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
