"""How damage is reported: one damage each in sound captures, and what trace-stats says of it (script/evaluate-damage)."""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import sys
import tempfile

import damage_places
import damages
import import_signs
import sources
from utrace_compare import Said

FIGURES = ('--by', 'thread', '--unit', 'cycles', '--table', 'event_counts,timers,frames,counters,regions,logs,memory,gpu')
FORMS = ('utrace', 'tracy', 'json', 'pftrace', 'fxt', 'csv')
BY_STATUS, BY_WARNING, NOTICE, SHOWN, SILENT_OTHER, SILENT_EQUAL = range(6)
LARGEST = 450_000                                       # bytes of a capture
NORMAL = {                                              # what the format says of such faults, which health knows of
    'serial_gap': 'serials that are missing where that is normal: before the second sync packet and in the last rounds (wire 4.5)',
    'blob_orphan': 'array data without its event, which is normal where a tail begins (wire 3.5)',
    'scope_end_unmatched': 'an end without a begin, which is no error (wire 9.3)',
    'time_unreliable': 'the beginning of a thread is missing, as in a tail (wire 5.4)',
    'scope_open': 'a begin without an end, which is no error (wire 9.3)',
}
COLUMNS = ('status', 'warning', 'notice', 'silent, the format shows it', 'silent, other figures', 'silent, equal figures')


UNSEEN = {                                              # nothing in the formats of other tools shows it
    'byte': 'a value, a time or a text: no checksum, and any value is legal',
    'packet lost': 'packets and events have no numbers',
    'packet doubled': 'events may be equal',
    'packets exchanged': 'the order is that of times',
    'cut': 'nothing says how many events there are',
    'two files joined': 'a file may follow another',
}
UNSEEN['packets lost'] = UNSEEN['packet lost']


def run(tracekit, path, *words):
    said = Said(tracekit, 'stats', path, '--format', 'json', *words)
    if said.status not in (0, 3, 4) or 'Sanitizer' in said.err or 'runtime error' in said.err:
        raise AssertionError('status %s: %s' % (said.status, said.err))
    return said


def said_of(tracekit, form, data):
    """(status, lines of standard error, kind in health -> count, figures)."""
    with tempfile.NamedTemporaryFile(suffix='.' + form) as file:
        file.write(data)
        file.flush()
        said, requested = run(tracekit, file.name, *FIGURES), run(tracekit, file.name, '--table', 'health')
        lines = {line.replace(file.name, 'FILE') for line in (said.err + requested.err).splitlines()}
        if said.status == 3:
            return said.status, lines, collections.Counter(), None
        rows = json.loads(requested.out)['health']
    health = collections.Counter()
    for row in rows:
        health[row['kind']] += row['count']
    return max(said.status, requested.status), lines, health, json.loads(said.out)


def outcome(sound, damaged):
    """Which column a damage is in, as far as the command says."""
    if damaged[0]:
        return BY_STATUS
    if damaged[1] - sound[1]:
        return BY_WARNING
    if damaged[2] - sound[2]:
        return NOTICE
    return SILENT_EQUAL if damaged[3] == sound[3] else SILENT_OTHER


def explain(capture, kind, data, offset):
    """(is it Displayed, a sentence): what in the format shows a damage that is silent, or could have displayed it."""
    if capture.form in import_signs.READERS:
        more = import_signs.signs(capture.form, data) - import_signs.signs(capture.form, capture.data)
        return (True, 'the format shows ' + ', '.join(sorted(more))) if more else (False, UNSEEN.get(kind, UNSEEN['byte']))
    if sources.kind_of(capture.form, data) is None:
        return True, 'the decoder of this folder refuses it'
    return False, damage_places.explain(capture, kind, data, offset)


def attempt(task):
    """(kind, name of the capture, number, outcome, reason)."""
    number, capture, sound, options = task
    rng = random.Random('%s %s %d' % (options.seed, capture.form, number))
    for _ in range(100):
        kind = rng.choice(sorted(damages.KINDS))
        made = damages.KINDS[kind](capture, rng)
        if made and made[0] != capture.data:
            break
    else:
        raise ValueError('%s cannot be damaged' % capture.name)
    try:
        damaged = said_of(options.tracekit, capture.form, made[0])
    except AssertionError as error:
        keep(options, capture, number, made[0])
        return kind, capture.name, number, SHOWN, str(error)
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
    tasks = ((number, *sources.pick(captures, random.Random('%s %d' % (options.seed, number)))[1:], options)
             for number in range(options.count))
    table, reasons = collections.defaultdict(lambda: [0] * len(COLUMNS)), collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for kind, name, number, column, reason in pool.map(attempt, tasks, chunksize=4):
            table[kind][column] += 1
            if reason:
                reasons[COLUMNS[column], reason] += 1
            if reason and (options.list and column != NOTICE or column == SHOWN):
                print('%s, seed %s, number %d, %s: %s: %s' % (form, options.seed, number, name, kind, reason))
    show(form, sum(map(len, captures.values())), table, reasons)
    return sum(row[SHOWN] for row in table.values())


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
    options = parser.parse_args(words)
    options.tracekit = str((options.build / 'bin' / 'tracekit').resolve())
    return options


def main(words=None):
    options = arguments(words)
    hidden = [evaluate(form, options) for form in FORMS if options.only in (None, form)]
    return 1 if any(hidden) else 0


if __name__ == '__main__':
    sys.exit(main())
