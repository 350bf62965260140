"""Compares Tracekit with the decoders of this folder on captures that were changed at random (script/compare-decoders)."""

import argparse
import collections
import concurrent.futures
import pathlib
import random
import sys
import tempfile
import traceback

import sources
import tracy_change
import tracy_compare
import utrace_change
import utrace_compare
import utrace_wire

SHOWN = 3               # differences of a capture that are printed


def changed(form, data, rng):
    if form == 'tracy':
        return tracy_change.change(data, rng)
    return utrace_change.change(utrace_wire.read(data), rng)


def differences(form, *arguments):
    return (tracy_compare if form == 'tracy' else utrace_compare).differences(*arguments)


def attempt(task):
    """(number, source, keys of the table, differences); a capture that differs is kept."""
    form, seed, number, (kind, name, data), options = task
    rng = random.Random('%s %s %d' % (form, seed, number))
    changes, capture = [], b''
    with tempfile.NamedTemporaryFile(suffix='.' + form) as file:
        try:
            capture, changes = changed(form, data, rng)
            file.write(capture)
            file.flush()
            found = differences(form, options.tracekit, file.name, capture, rng.choice((1, 1, 2, 3)))
        except Exception as error:                      # noqa: BLE001: of the decoder; to be looked at like a difference
            trace = traceback.extract_tb(error.__traceback__)[-1]
            found = ['%s: %s (%s:%d)' % (type(error).__name__, error, pathlib.Path(trace.filename).name, trace.lineno)]
    if found and capture:
        options.keep.mkdir(parents=True, exist_ok=True)
        (options.keep / ('%s-%s.%s' % (seed, number, form))).write_bytes(capture)
    return number, name, [kind, *changes], found


def compare(form, options):
    """Prints differences and a table; how many captures differ."""
    known = sources.captures(form, options.build)
    tasks = ((form, options.seed, number, sources.pick(known, random.Random('%s %d' % (options.seed, number))), options)
             for number in options.numbers)
    table, differ = collections.defaultdict(lambda: [0, 0]), 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for number, name, keys, found in pool.map(attempt, tasks, chunksize=4):
            differ += bool(found)
            for key in keys:
                table[key][0] += 1
                table[key][1] += bool(found)
            for text in found[:SHOWN]:
                print('%s, seed %s, number %d, %s by %s: %s' % (form, options.seed, number, name, ', '.join(keys[1:]), text))
    print('.%s: %d captures of %d sources, %d differ' %
          (form, len(options.numbers), sum(map(len, known.values())), differ))
    for key, (n, bad) in sorted(table.items()):
        print('  %-16s %6d captures, %d differ' % (key, n, bad))
    sys.stdout.flush()
    return differ


def arguments(words):
    parser = argparse.ArgumentParser(prog='script/compare-decoders', description=__doc__)
    parser.add_argument('seed', help='another one makes other captures')
    parser.add_argument('count', type=int, help='captures of each format')
    parser.add_argument('--only', choices=('utrace', 'tracy'), help='one of the formats')
    parser.add_argument('--number', type=int, help='only the capture of this number, which is kept')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--build', type=pathlib.Path, default=sources.ROOT / 'build' / 'release')
    parser.add_argument('--keep', type=pathlib.Path, help='where captures that differ are put (default: in the build)')
    options = parser.parse_args(words)
    options.tracekit = str((options.build / 'bin' / 'tracekit').resolve())
    options.keep = options.keep or options.build / 'compare-decoders'
    options.numbers = range(options.count) if options.number is None else [options.number]
    return options


def main(words=None):
    options = arguments(words)
    differ = [compare(form, options) for form in ('utrace', 'tracy') if options.only in (None, form)]
    return 1 if any(differ) else 0


if __name__ == '__main__':
    sys.exit(main())
