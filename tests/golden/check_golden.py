#!/usr/bin/env python3
"""Compares the pages of the commands with those that are kept in expected/, byte for byte.

usage: check_golden.py --bin DIRECTORY [--wrapper COMMAND] [--jobs N] [--index off|kept] [--only GLOB]... [--refresh] FIXTURES

A file of expected/ is a list of commands, run in FIXTURES, each a line that begins with `$ ` and below it what it
prints: the output, the messages (`! `) and the exit status (`= `) where it is not 0. A new page is a new line with a
command. --refresh writes what the commands print now.

A page that was kept says nothing about its figures. Therefore each is also compared with what other sources say of the
capture (facts.py), and a page that differs from them is neither right nor written by --refresh.

--index off: nothing is kept of captures between questions; kept: each command has an index of its own and is run twice,
so that the second time it answers with what the first one kept. The pages are the same.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import re
import shlex
import sys
import tempfile
import types

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness'), str(HERE.parent / 'truth'), str(HERE)]
import commands  # noqa: E402
import events    # noqa: E402
import facts     # noqa: E402
import pages     # noqa: E402
import recorded  # noqa: E402
import report    # noqa: E402
import zones     # noqa: E402

EXPECTED = HERE / 'expected'
# Tables of which only the bytes are compared: their figures have no source of their own, or are checked as events.
ONLY_BYTES = {'health', 'toggles', 'coverage_summary'}
VALUE = r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^ {}]*'
FIELD = re.compile(r'(\w+)=(\{(?:\w+=(?:%s) ?)*\}|%s)' % (VALUE, VALUE))
OPTIONS_WITH_VALUE = ('--format', '--thread', '--timer', '--table', '--columns', '--order', '--unit', '--top', '--by')


def option(words, name, default=None):
    return words[words.index(name) + 1] if name in words else default


# ---- figures ----

def agrees(text, wanted, escaped):
    """Does a cell show the wanted value, as far as it shows digits?"""
    if wanted is None:
        return text == ''
    if isinstance(wanted, bool):
        return text == str(wanted).lower()
    if isinstance(wanted, str):
        return text == (wanted.replace('\n', '␊').replace('\t', '␉') if escaped else wanted)
    displayed = pages.number(text)
    if not displayed:
        return False
    least, value, half = displayed
    half = max(half, abs(value) * pages.DOUBLE)
    return (least or value + half >= wanted.low) and value - half <= wanted.high


def key_text(value):
    """A wanted key as the page shows it."""
    if isinstance(value, facts.Range):
        return str(value.low)
    return value or ''


def matched(table, displayed):
    """(row of the page or None, wanted row or None)."""
    if not table.keys:
        yield from zip(displayed, table.rows)
        yield from ((row, None) for row in displayed[len(table.rows):])
        yield from ((None, row) for row in table.rows[len(displayed):])
        return
    keys = [key for key in table.keys if not displayed or key in displayed[0]]
    wanted = {tuple(key_text(row[key]) for key in keys): row for row in table.rows}
    for row in displayed:
        yield row, wanted.pop(tuple(table.folded(row[key]) for key in keys), None)
    yield from ((None, row) for row in wanted.values())


def check_table(result, name, table, displayed, escaped):
    for row, wanted in matched(table, displayed):
        if row is None:
            result.true('%s: no row for %r' % (name, wanted), not table.complete)
        elif wanted is None:
            result.true('%s: a row that is in no source: %r' % (name, row), table.others(row))
        else:
            for column, text in row.items():
                if column in wanted and not (column in table.keys and table.folded is not str):
                    result.true('%s.%s is %r instead of %r in %r' % (name, column, text, wanted[column], row),
                                agrees(text, wanted[column], escaped))
                else:
                    result.true('%s.%s has no source' % (name, column),
                                column in table.unchecked or column in table.keys)


def check_tables(result, known, words, out):
    form = option(words, '--format', 'table')
    for name, displayed in pages.READERS[form](out).items():
        name = name or option(words, '--table', 'event_counts')
        table = known.table(name, words)
        result.true('table %s has no source' % name, table or name in ONLY_BYTES)
        if table:
            check_table(result, name, table, displayed, form in ('table', 'markdown'))


# ---- events ----

def text_value(text):
    if text.startswith('{'):  # a reference: its id, and perhaps what it stands for
        return {key: text_value(value) for key, value in FIELD.findall(text[1:-1])}
    try:
        return json.loads(re.sub(r'\\x(..)', r'\\u00\1', text))
    except ValueError:
        return text


def listed(known, words, out):
    """The events of a page of trace-events."""
    if option(words, '--format') == 'ndjson':
        return [json.loads(line) for line in out.splitlines()]
    tids = {thread['name']: tid for tid, thread in known.tids.items()}
    found = []
    for line in out.splitlines():
        _, thread, name, _, fields = re.split(' {2,}', line.strip(), maxsplit=4)
        found.append({'thread_id': tids.get(thread, 1), 'event': name,
                      'fields': {key: text_value(value) for key, value in FIELD.findall(fields)}})
    return found


def check_events(result, known, words, out):
    """The events that are named must be those of the truth, thread by thread."""
    displayed, names = listed(known, words, out), patterns(words)
    wanted = [event for key in events.LISTS for event in known.truth.get(key, ()) if event['event'] in names]
    result.true('no event of %s is in the truth' % names, wanted)
    for tid in sorted({events.stream_of(known, known.truth, event) for event in wanted}):
        events.check_stream(result, known, 'thread %d' % tid, [event for event in displayed if event['thread_id'] == tid],
                            [event for event in wanted if events.stream_of(known, known.truth, event) == tid])
    page = types.SimpleNamespace(types={name: known.types[name] for name in names},
                                 events=lambda *requested: [event for event in displayed if event['event'] in requested])
    events.check_references(result, page, known.truth)


def patterns(words):
    """The patterns behind the capture."""
    rest, skip = [], True
    for word in words[1:]:
        if not skip and not word.startswith('-'):
            rest.append(word)
        skip = word in OPTIONS_WITH_VALUE
    return rest if words[1:2] and not words[1].startswith('-') else rest[1:]


def is_list(words):
    return words[0] == 'trace-events' and '--count' not in words


def check_counts(result, known, words, out):
    """trace-events --count --format json: one object."""
    table = known.table('event_counts', words)
    check_table(result, 'event_counts', table,
                [{'event': name, 'count': str(count)} for name, count in json.loads(out).items()], False)


def check_figures(result, known, words, out):
    if is_list(words):
        check_events(result, known, words, out)
    elif '--count' in words and option(words, '--format') == 'json':
        check_counts(result, known, words, out)
    else:
        check_tables(result, known, words, out)


# ---- pages ----

class Captures:
    """The facts of the captures, each made once."""

    def __init__(self, runner):
        self.runner, self.kept = runner, {}
        self.bases = {entry['file']: entry.get('base')
                      for entry in json.loads(pathlib.Path('damaged/expected.json').read_text(encoding='utf-8'))}

    def of(self, name):
        if name not in self.kept:
            self.kept[name] = self._make(pathlib.Path(name))
        return self.kept[name]

    def _make(self, path):
        if path.suffix == '.tracy':
            return zones.Zones(self.runner, path)
        own = path.name.removesuffix('.zst').removesuffix('.utrace')
        base = self.bases.get(own + '.utrace') if path.parent.name == 'damaged' else None
        truth = pathlib.Path((base or own) + '.truth.json').read_text(encoding='utf-8', errors='surrogatepass')
        return recorded.Recorded(self.runner, path, json.loads(truth), not base)


def page_of(command, done):
    """What a file of expected/ says of a command."""
    text = '$ %s\n' % command + done.out.decode('utf-8')
    text += '' if text.endswith('\n') else '\n'
    text += ''.join('! %s\n' % line for line in done.err.decode('utf-8').splitlines())
    return text + ('= %d\n' % done.status if done.status else '')


def check_page(result, runner, captures, command, more):
    """Runs a command and checks its figures; returns the page."""
    index = pathlib.Path(more[-1]) if more[-2:-1] == ('--index',) else None
    words = shlex.split(command)
    capture = next((word for word in words[1:] if pathlib.Path(word).is_file()), None)
    done = runner.run(*words, *(more if capture else ()))
    if capture and index and index.is_file():
        done = runner.run(*words, *more)
        index.unlink()
    if capture:
        result.attempt(check_figures, captures.of(capture), words, done.out.decode('utf-8'))
    else:
        result.true(done.describe(), done.status == 0)
    return page_of(command, done)


def first_difference(got, wanted):
    pair = next(((one, other) for one, other in zip(got.splitlines(), wanted.splitlines()) if one != other), None)
    return 'line %.150r instead of %.150r' % pair if pair else 'one is longer'


def check_file(result, runner, captures, path, refresh, more):
    wanted = path.read_text(encoding='utf-8')
    whole = ''
    for command in re.findall(r'^\$ (.*)$', wanted, re.MULTILINE):
        page = check_page(result, runner, captures, command, more)
        kept = re.search(r'^\$ %s\n(?:(?!\$ ).*\n)*' % re.escape(command), wanted + '\n', re.MULTILINE)[0].rstrip('\n')
        if not refresh:
            result.true('%s: %s' % (command, first_difference(page, kept)), page.rstrip('\n') == kept)
        whole += page + '\n'
    if refresh and not result.different:
        path.write_text(whole.rstrip('\n') + '\n', encoding='utf-8')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, help='the directory of the commands')
    parser.add_argument('--wrapper', default='', help='a command that runs the commands')
    parser.add_argument('--jobs', help='threads of each command')
    parser.add_argument('--index', choices=('off', 'kept'), help='what is kept between questions')
    parser.add_argument('--only', action='append', default=[], help='files of expected/ to check; all when not given')
    parser.add_argument('--refresh', action='store_true', help='write the pages as they are now')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    runner = commands.Commands(options.bin, wrapper=shlex.split(options.wrapper))
    os.chdir(options.fixtures)
    captures, run = Captures(runner), report.Report()
    more = ('--jobs', options.jobs) if options.jobs else ()
    with tempfile.TemporaryDirectory() as own:
        if options.index:
            more += ('--index', 'off' if options.index == 'off' else own + '/index')
        for path in sorted(EXPECTED.glob('*.txt')):
            if not options.only or any(fnmatch.fnmatchcase(path.stem, pattern) for pattern in options.only):
                run.run(path.stem, check_file, runner, captures, path, options.refresh, more)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
