#!/usr/bin/env python3
"""Captures cut off at every length.

usage: cut_every_byte.py --driver PROGRAM --step N CAPTURE...

Whatever is cut off, the events of the whole packets before the cut must be there, and none that was never written; a
longer piece must not hold fewer events; a cut is no damage. Where the packets cannot be counted independently (the
oldest captures) only the latter is checked.
"""

import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE))
import report  # noqa: E402
import walk    # noqa: E402


def parse(line):
    """(length, status, damaged, truncated, events); without events when the status is negative."""
    length, status, *rest = line.rstrip('\n').split(' ')
    if int(status) < 0:
        return int(length), int(status), None, None, None
    damaged, truncated, *events = rest
    pairs = (pair.rsplit('=', 1) for pair in events)
    return int(length), int(status), int(damaged), int(truncated), {name: int(number) for name, number in pairs}


def check_piece(result, base, piece):
    """A piece of a capture whose packets are known."""
    length, status, _, truncated, events = piece
    where = 'cut at %d' % length
    result.equal(where + ': can it be opened', status >= 0, length >= base.header)
    if status < 0:
        return
    if base.ends_inside(length):
        result.true(where + ' is not called cut', truncated)
    for name, number in base.count_first(base.packets_within(length)).items():
        result.true('%s: %d of %d %s' % (where, events.get(name, 0), number, name), events.get(name, 0) >= number)
    whole = base.count_first(len(base.packets))
    result.equal(where + ': events that were never written',
                 {name: number for name, number in events.items() if number > whole[name]}, {})


def check(result, driver, path, step):
    with tempfile.NamedTemporaryFile() as scratch:
        done = subprocess.run([driver, path, str(step), scratch.name], capture_output=True, text=True)
    result.true('the driver ended with %d: %s' % (done.returncode, done.stderr[-2000:]), done.returncode == 0)
    pieces = [parse(line) for line in done.stdout.splitlines()]
    result.equal('number of lengths', len(pieces), path.stat().st_size // step + 1)
    print('%s: %d lengths' % (path.name, len(pieces)))
    try:
        base = walk.Capture(path.read_bytes())
    except ValueError:
        base = None
    longer = collections.Counter(pieces[0][4])
    for piece in pieces:
        if base:
            check_piece(result, base, piece)
        if piece[1] < 0:
            continue
        more = {name: number for name, number in piece[4].items() if number > longer[name]}
        result.equal('cut at %d: more than a longer piece holds' % piece[0], more, {})
        result.true('cut at %d is called damaged' % piece[0], not piece[2])
        longer = collections.Counter(piece[4])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--driver', required=True, help='the program cut-driver')
    parser.add_argument('--step', type=int, default=1, help='every so many bytes')
    parser.add_argument('captures', nargs='+', type=pathlib.Path)
    options = parser.parse_args()
    run = report.Report()
    for path in options.captures:
        run.run('%s, every %d bytes' % (path.name, options.step), check, options.driver, path, options.step)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
