#!/usr/bin/env python3
"""No macro has the name of an enumerator: behind it, the other of the two would be meant without a word of the compiler.

usage: check_names.py COMPILER ROOT

Each header of libtrace/ and cmd/ as the preprocessor leaves it, where lists of macros are enumerators.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys

DEFINED = re.compile(r'^#define (TK_\w+)(?!\()\b', re.MULTILINE)
ENUM = re.compile(r'\benum\b[^;{()]*\{([^}]*)\}')


def names_of(compiler, root, header):
    """(macros that stand for something, enumerators)."""
    done = subprocess.run((compiler, '-std=c17', '-D_GNU_SOURCE', '-E', '-dD', '-I', root / 'libtrace', '-I', root / 'cmd', header),
                          capture_output=True, text=True, check=True)
    lines = done.stdout.split('\n')
    macros = {match[1] for match in DEFINED.finditer(done.stdout) if not done.stdout[match.end():match.end() + 1] == '('}
    text = '\n'.join(line for line in lines if not line.startswith('#'))
    enumerators = {word for body in ENUM.findall(text) for word in re.findall(r'(?:^|,)\s*(\w+)', body)}
    return macros, enumerators


def main():
    compiler, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    headers = sorted(path for folder in ('libtrace', 'cmd') for path in (root / folder).rglob('*.h')
                     if 'windows' not in path.parts and 'enum' in path.read_text())
    faults, enumerators = set(), set()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for macros, found in pool.map(lambda header: names_of(compiler, root, header), headers):
            faults |= macros & found
            enumerators |= found
    for name in sorted(faults):
        print('FAILED %s is a macro and an enumerator' % name)
    print('%d headers, %d enumerators, %d faults' % (len(headers), len(enumerators), len(faults)))
    return 1 if faults or len(enumerators) < 1000 else 0


if __name__ == '__main__':
    sys.exit(main())
