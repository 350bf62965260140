#!/usr/bin/env python3
"""Compares what the shared library exports with what the public header declares.

usage: check_exports.py [--nm NM] HEADER SHARED_OBJECT

Every function that the header marks TK_API must be exported, and nothing else may be.
"""

import argparse
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'harness'))
import public_header  # noqa: E402


def declared(header):
    """Names of the functions marked TK_API, by the header's text without comments."""
    text = re.sub(r'/\*.*?\*/|//[^\n]*', ' ', header, flags=re.S)
    text = re.sub(r'^[ \t]*#(?:[^\n\\]|\\.)*', ' ', text, flags=re.M | re.S)
    return {re.search(r'(\w+)\s*\(', statement).group(1) for statement in re.findall(r'\bTK_API\b([^;]*);', text)}


def exported(nm, library):
    """Names that the library defines for others, without the name of the version itself."""
    lines = subprocess.run([nm, '-D', '--defined-only', library], check=True, capture_output=True, text=True).stdout
    symbols = [line.split()[-2:] for line in lines.splitlines()]
    return {name.split('@')[0] for kind, name in symbols if kind != 'A'}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--nm', default='nm')
    parser.add_argument('header')
    parser.add_argument('shared_object')
    options = parser.parse_args()
    wanted = declared(public_header.read(options.header))
    got = exported(options.nm, options.shared_object)
    for name in sorted(wanted - got):
        print('declared in the header, not exported: ' + name)
    for name in sorted(got - wanted):
        print('exported, not declared in the header: ' + name)
    if not wanted:
        print('no function is marked TK_API in ' + options.header)
    return not wanted or wanted != got


if __name__ == '__main__':
    sys.exit(main())
