"""How damage is told: one damage each in sound captures, and what trace-stats says of it (script/evaluate-damage)."""

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
import sources
from utrace_compare import Said

TABLES = ('--format', 'json', '--by', 'thread', '--unit', 'cycles', '--table',
          'health,event_counts,timers,frames,counters,regions,logs,memory,gpu')
BY_STATUS, BY_WARNING, IN_HEALTH, SILENT_OTHER, SILENT_EQUAL = range(5)
LARGEST = 450_000                                       # bytes of a capture
NORMAL = {                                              # what the format says of such faults, which health knows of
    'serial_gap': 'serials that are missing where that is normal: before the second sync packet and in the last rounds (wire 4.5)',
    'blob_orphan': 'array data without its event, which is normal where a tail begins (wire 3.5)',
    'scope_end_unmatched': 'an end without a begin, which is no error (wire 9.3)',
    'time_unreliable': 'the beginning of a thread is missing, as in a tail (wire 5.4)',
    'scope_open': 'a begin without an end, which is no error (wire 9.3)',
}
COLUMNS = ('status', 'warning', 'only in health', 'silent, other figures', 'silent, equal figures')


def said_of(tracekit, form, data):
    """(status, lines of standard error, kinds in health, figures)."""
    with tempfile.NamedTemporaryFile(suffix='.' + form) as file:
        file.write(data)
        file.flush()
        said = Said(tracekit, 'stats', file.name, *TABLES)
    lines = {line.replace(file.name, 'FILE') for line in said.err.splitlines()}
    if said.status not in (0, 4):
        return said.status, lines, set(), None
    figures = json.loads(said.out)
    return said.status, lines, {row['kind'] for row in figures.pop('health')}, figures


def outcome(sound, damaged, usual):
    """Which column a damage is in. usual: kinds in health that sound captures have, too."""
    if damaged[0]:
        return BY_STATUS
    if damaged[1] - sound[1]:
        return BY_WARNING
    if damaged[2] - sound[2] - usual:
        return IN_HEALTH
    return SILENT_EQUAL if damaged[3] == sound[3] else SILENT_OTHER


def attempt(task):
    """(kind, name of the capture, outcome, reason)."""
    number, capture, sound, usual, options = task
    rng = random.Random('%s %s %d' % (options.seed, capture.form, number))
    for _ in range(100):
        kind = rng.choice(sorted(damages.KINDS))
        made = damages.KINDS[kind](capture, rng)
        if made and made[0] != capture.data:
            break
    else:
        raise ValueError('%s cannot be damaged' % capture.name)
    damaged = said_of(options.tracekit, capture.form, made[0])
    column, reason = outcome(sound, damaged, usual), None
    if column in (IN_HEALTH, SILENT_OTHER):
        more = damaged[2] - sound[2]
        reason = 'health has %s' % ', '.join(sorted(more - usual)) if column == IN_HEALTH else \
            next((NORMAL[key] for key in sorted(more & set(NORMAL))), None) or \
            damage_places.explain(capture, kind, *made)
        keep(options, capture, number, made[0])
    return kind, capture.name, number, column, reason


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
            if said[0] == 0 and len(data) >= damages.SECTOR:
                capture = damages.Capture.of(name, form, data, [other for other in large if other != data] or [data])
                found.setdefault(kind, []).append((capture, said))
    return found


def evaluate(form, options):
    """Prints the table of a format; how many damages only health knows of."""
    captures = sound_captures(form, options)
    usual = {*NORMAL}.union(*(said[2] for found in captures.values() for _, said in found))
    tasks = ((number, *sources.pick(captures, random.Random('%s %d' % (options.seed, number)))[1:], usual, options)
             for number in range(options.count))
    table, reasons = collections.defaultdict(lambda: [0] * len(COLUMNS)), collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for kind, name, number, column, reason in pool.map(attempt, tasks, chunksize=4):
            table[kind][column] += 1
            if reason:
                reasons[COLUMNS[column], reason] += 1
            if reason and (options.list or column == IN_HEALTH):
                print('%s, seed %s, number %d, %s: %s: %s' % (form, options.seed, number, name, kind, reason))
    show(form, sum(map(len, captures.values())), table, reasons)
    return sum(row[IN_HEALTH] for row in table.values())


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
    parser.add_argument('--only', choices=('utrace', 'tracy'), help='one of the formats')
    parser.add_argument('--list', action='store_true', help='each damage that nothing tells of although figures differ')
    parser.add_argument('--keep', type=pathlib.Path, help='where captures with such damages are put')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--build', type=pathlib.Path, default=sources.ROOT / 'build' / 'release')
    options = parser.parse_args(words)
    options.tracekit = str((options.build / 'bin' / 'tracekit').resolve())
    return options


def main(words=None):
    options = arguments(words)
    hidden = [evaluate(form, options) for form in ('utrace', 'tracy') if options.only in (None, form)]
    return 1 if any(hidden) else 0


if __name__ == '__main__':
    sys.exit(main())
