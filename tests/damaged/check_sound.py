#!/usr/bin/env python3
"""No sound capture is called damaged, nor one that lost events.

usage: check_sound.py --bin DIRECTORY FIXTURES [CORPUS]

Reads every capture below FIXTURES and CORPUS, except those in directories `damaged` and `bad`, with trace-info --full and
trace-stats. Their producers wrote them without a fault: some of them while they ran, from late on, or until they were
killed. What cannot be opened at all (an empty file), and a second connection of 4.27, which has no declarations
(wire 4.7), are named here.
"""

import argparse
import pathlib
import subprocess
import sys

SUFFIXES = ('.utrace', '.utrace.zst', '.tracy')
LOST = {'framefail-0.9.1'}   # the recorder ended at a failure, in front of texts that were on their way (tracy-live 11)
NOT_SOUND = {'snapshot-5.6-second.utrace': 3, 'twice-4.27.2-b.utrace': 4}
COMMANDS = (('trace-info', '--full'), ('trace-stats',))
WORDS = ('damaged', 'were lost')


def captures(root):
    for path in sorted(root.rglob('*')):
        if path.name.endswith(SUFFIXES) and path.is_file() and not {'damaged', 'bad'} & set(path.parts):
            yield path


def complaint(binaries, path):
    """What a command says that it should not, or None."""
    for command, *options in COMMANDS:
        done = subprocess.run([binaries / command, *options, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = done.stderr.decode(errors='replace')
        wanted = NOT_SOUND.get(path.name, 0)
        if done.returncode != wanted or (wanted == 0 and path.parent.name not in LOST and any(word in said for word in WORDS)):
            return '%s: status %d, %s' % (command, done.returncode, said)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('roots', nargs='+', metavar='FIXTURES')
    arguments = parser.parse_args()
    found = [path for root in arguments.roots if root for path in captures(pathlib.Path(root))]
    wrong = 0
    for path in found:
        said = complaint(arguments.bin, path)
        if said:
            wrong += 1
            print('FAILED %s\n       %s' % (path, said))
    print('%d sound captures, %d false positives' % (len(found), wrong))
    return 1 if wrong or not found else 0


if __name__ == '__main__':
    sys.exit(main())
