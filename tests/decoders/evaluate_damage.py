"""How damage is reported: one damage each in sound captures, and what trace-stats says of it (script/evaluate-damage)."""

import argparse
import collections
import concurrent.futures
import dataclasses
import functools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import damage_places
import damages
import import_signs
import sources
import tracy_signs
import utrace_signs

FIGURES = ('--by', 'thread', '--unit', 'cycles', '--table', 'event_counts,timers,frames,counters,regions,logs,memory,gpu')
FORMS = ('utrace', 'tracy', 'json', 'pftrace', 'fxt', 'csv')
BY_STATUS, BY_WARNING, NOTICE, BROKEN, SHOWN, SILENT_OTHER, SILENT_EQUAL = range(7)
MEMORY = '/dev/shm'                                     # a file system in memory, for files of a moment
LARGEST = 450_000                                       # bytes of a capture
NORMAL = {                                              # what the format says of such faults, which health knows of
    'serial_gap': 'serials that are missing where that is normal: before the second sync packet and in the last rounds (wire 4.5)',
    'blob_orphan': 'array data without its event, which is normal where a tail begins (wire 3.5)',
    'scope_end_unmatched': 'an end without a begin, which is no error (wire 9.3)',
    'time_unreliable': 'the beginning of a thread is missing, as in a tail (wire 5.4)',
    'scope_open': 'a begin without an end, which is no error (wire 9.3)',
}
COLUMNS = ('status', 'warning', 'notice', 'crash or hang', 'silent, the format shows it', 'silent, other figures',
           'silent, equal figures')


UNSEEN = {                                              # nothing in the formats of other tools shows it
    'byte': 'a value, a time or a text: no checksum, and any value is legal',
    'packet lost': 'packets and events have no numbers',
    'packet doubled': 'events may be equal',
    'packets exchanged': 'the order is that of times',
    'cut': 'nothing says how many events there are',
    'two files joined': 'a file may follow another',
}
UNSEEN['packets lost'] = UNSEEN['packet lost']


class Broken(Exception):
    """A command that crashes or hangs, or of which a sanitizer reports something."""


@dataclasses.dataclass
class Said:
    status: int
    out: str
    err: str


class Served:
    """Commands of tracekit, each in a fork of one process that serves them (served.c)."""

    def __init__(self, build):
        self.program, self.process = build / 'tests' / 'decoders' / 'commands-served', None

    def __call__(self, *words):
        if not self.process:
            self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.folder = tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None)
        texts = [pathlib.Path(self.folder.name) / name for name in ('out', 'err')]
        self.process.stdin.write('\t'.join(map(str, (*texts, *words))) + '\n')
        self.process.stdin.flush()
        status = int(self.process.stdout.readline())
        out, err = (text.read_text('utf-8', 'surrogateescape') for text in texts)
        return Said(status, out, err)


class Asked:
    """Captures, requested in one process by the library of a build with sanitizers (requested.c)."""

    def __init__(self, build):
        self.program, self.process = build / 'tests' / 'decoders' / 'captures-asked', None

    def __call__(self, path):
        if not self.process:
            self.messages = tempfile.TemporaryFile()
            self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.messages,
                                            text=True)
        self.process.stdin.write('%s\n' % path)
        self.process.stdin.flush()
        if not self.process.stdout.readline():
            status, self.process = self.process.wait(), None
            self.messages.seek(0)
            raise Broken('asked: status %d: %s' % (status, self.messages.read().decode('utf-8', 'replace')))


def run(tracekit, path, *words):
    said = tracekit('tracekit', 'stats', path, '--format', 'json', *words)
    if said.status not in (0, 3, 4) or 'Sanitizer' in said.err or 'runtime error' in said.err:
        raise Broken('status %s: %s' % (said.status, said.err))
    return said


def said_of(tracekit, form, data):
    """(status, lines of standard error, kind in health -> count, figures). Health is requested by itself, where the status of the
    figures has not reported yet."""
    with tempfile.NamedTemporaryFile(suffix='.' + form, dir=MEMORY if os.path.isdir(MEMORY) else None) as file:
        file.write(data)
        file.flush()
        said = run(tracekit, file.name, *FIGURES)
        lines = lines_of(said, file.name)
        if said.status:
            return said.status, lines, collections.Counter(), None
        requested = run(tracekit, file.name, '--table', 'health')
        if requested.status == 3:
            return requested.status, lines, collections.Counter(), None
    health = collections.Counter()
    for row in json.loads(requested.out)['health']:
        health[row['kind']] += row['count']
    return requested.status, lines | lines_of(requested, file.name), health, json.loads(said.out)


def lines_of(said, path):
    return {line.replace(path, 'FILE') for line in said.err.splitlines()}


def outcome(sound, damaged):
    """Which column a damage is in, as far as the command says."""
    if damaged[0]:
        return BY_STATUS
    if damaged[1] - sound[1]:
        return BY_WARNING
    if damaged[2] - sound[2]:
        return NOTICE
    return SILENT_EQUAL if damaged[3] == sound[3] else SILENT_OTHER


SIGNS = {'utrace': utrace_signs.signs, 'tracy': tracy_signs.signs,
         **{form: lambda data, form=form: import_signs.signs(form, data) for form in import_signs.READERS}}


@functools.lru_cache(maxsize=256)
def signs_of(form, data):
    return SIGNS[form](data)


def explain(capture, kind, data, offset):
    """(is it Displayed, a sentence): what in the format shows a damage that is silent, or could have displayed it."""
    more = SIGNS[capture.form](data) - signs_of(capture.form, capture.data)
    if more:
        return True, 'the format shows ' + ', '.join(sorted(more))
    if capture.form in import_signs.READERS:
        return False, UNSEEN.get(kind, UNSEEN['byte'])
    return False, damage_places.explain(capture, kind, data, offset)


def ask(requested, form, data):
    if requested:
        with tempfile.NamedTemporaryFile(suffix='.' + form, dir=MEMORY if os.path.isdir(MEMORY) else None) as file:
            file.write(data)
            file.flush()
            requested(file.name)


INHERITED = []                                          # what the parent still needs the files of: their end would remove them
GIVEN = []                                              # to a process of the pool: sound captures and options


def begin(captures, options):
    """In a process of the pool, which has processes of its own that serve it."""
    INHERITED.extend([options.tracekit, options.requested])
    GIVEN[:] = captures, options
    options.tracekit = Served(options.build)
    options.requested = Asked(options.sanitized) if options.sanitized else None


def attempt(number):
    """(kind, name of the capture, number, outcome, reason)."""
    captures, options = GIVEN
    _, capture, sound = sources.pick(captures, random.Random('%s %d' % (options.seed, number)))
    rng = random.Random('%s %s %d' % (options.seed, capture.form, number))
    for _ in range(100):
        kind = rng.choice(sorted(damages.KINDS))
        made = damages.KINDS[kind](capture, rng)
        if made and made[0] != capture.data:
            break
    else:
        raise ValueError('%s cannot be damaged' % capture.name)
    try:
        ask(options.requested, capture.form, made[0])
        damaged = said_of(options.tracekit, capture.form, made[0])
    except Broken as error:
        keep(options, capture, number, made[0])
        return kind, capture.name, number, BROKEN, str(error)
    column, reason = outcome(sound, damaged), None
    if column == NOTICE:
        reason = 'health has %s' % ', '.join(sorted(NORMAL.get(key, key) if capture.form == 'utrace' else key for key in damaged[2] - sound[2]))
    elif column >= SILENT_OTHER:
        displayed, reason = explain(capture, kind, *made)
        column = SHOWN if displayed else column
    if column in (SHOWN, SILENT_OTHER):
        keep(options, capture, number, made[0])
    return kind, capture.name, number, column, reason if column != SILENT_EQUAL else None


def keep(options, capture, number, data):
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        (options.keep / ('%s-%d.%s' % (options.seed, number, capture.form))).write_bytes(data)


def sound_captures(form, options):
    """(protocol or version) -> (Capture, what is said of it)."""
    known, found = sources.captures(form, options.build, LARGEST), {}
    for kind, captures in known.items():
        large = [data for _, data in captures if len(data) >= damages.PAGE][:3]
        for name, data in captures:
            said = said_of(options.tracekit, form, data)
            if not said[0] and not said[1] and len(data) >= damages.SECTOR:
                capture = damages.Capture.of(name, form, data, [other for other in large if other != data] or [data])
                found.setdefault(kind, []).append((capture, said))
    return found


def evaluate(form, options):
    """Prints the table of a format; how many damages are silent although the format shows them."""
    captures = sound_captures(form, options)
    table, reasons = collections.defaultdict(lambda: [0] * len(COLUMNS)), collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(options.jobs, initializer=begin, initargs=(captures, options)) as pool:
        for kind, name, number, column, reason in pool.map(attempt, range(options.count), chunksize=4):
            table[kind][column] += 1
            if reason:
                reasons[COLUMNS[column], reason] += 1
            if reason and (options.list and column != NOTICE or column in (BROKEN, SHOWN)):
                print('%s, seed %s, number %d, %s: %s: %s' % (form, options.seed, number, name, kind, reason))
    show(form, sum(map(len, captures.values())), table, reasons)
    return sum(row[SHOWN] + row[BROKEN] for row in table.values())


def show(form, captures, table, reasons):
    total = [sum(row[column] for row in table.values()) for column in range(len(COLUMNS))]
    print('%d damages of %d captures (.%s)\n' % (sum(total), captures, form))
    print('| damage | ' + ' | '.join(COLUMNS) + ' |\n|---' + '|---' * len(COLUMNS) + '|')
    for kind, row in (*sorted(table.items()), ('all', total)):
        print('| %s | %s |' % (kind, ' | '.join(map(str, row))))
    print()
    for (column, reason), n in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        print('%6d %s: %s' % (n, column, reason))
    print()
    sys.stdout.flush()


def arguments(words):
    parser = argparse.ArgumentParser(prog='script/evaluate-damage', description=__doc__)
    parser.add_argument('seed', help='another one makes other damages')
    parser.add_argument('count', type=int, help='damages of each format')
    parser.add_argument('--only', choices=FORMS, help='one of the formats')
    parser.add_argument('--list', action='store_true', help='each damage that nothing tells of although figures differ')
    parser.add_argument('--keep', type=pathlib.Path, help='where captures with such damages are put')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--build', type=pathlib.Path, default=sources.ROOT / 'build' / 'release')
    parser.add_argument('--sanitized', type=pathlib.Path, help='a build with sanitizers, whose library is asked for all tables in turn')
    options = parser.parse_args(words)
    options.requested = Asked(options.sanitized) if options.sanitized else None
    options.tracekit = Served(options.build)
    return options


def main(words=None):
    options = arguments(words)
    hidden = [evaluate(form, options) for form in FORMS if options.only in (None, form)]
    return 1 if any(hidden) else 0


if __name__ == '__main__':
    sys.exit(main())
