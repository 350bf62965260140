#!/usr/bin/env python3
"""What is said of inputs that once broke something.

usage: check_findings.py --bin DIRECTORY CORPUS INDEX

Each file CORPUS/TARGET/finding-* has an entry in INDEX (findings.txt, which says how it is written), and
`fuzz-TARGET --tell` says of it what stands there.
"""

import argparse
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'harness'))
import report  # noqa: E402


def read_index(path):
    """Name -> lines that are said."""
    entries, lines = {}, None
    for line in path.read_text(encoding='ascii').splitlines():
        if '/finding-' in line and not line.startswith(' '):
            lines = entries.setdefault(line, [])
        elif line.startswith('    > '):
            lines.append(line[6:])
    return entries


def check(result, programs, corpus, name, wanted):
    done = subprocess.run([programs / ('fuzz-' + name.split('/')[0]), '--tell', corpus / name], capture_output=True,
                          text=True)
    result.equal('status', done.returncode, 0)
    result.equal('what is said', done.stdout.splitlines()[:-1], wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path, help='where the programs are')
    parser.add_argument('corpus', type=pathlib.Path)
    parser.add_argument('index', type=pathlib.Path)
    options = parser.parse_args()
    entries = read_index(options.index)
    there = {str(path.relative_to(options.corpus)) for path in options.corpus.glob('*/finding-*')}
    run = report.Report()
    run.run('the index', lambda result: result.equal('names', sorted(entries), sorted(there)))
    for name in sorted(there & entries.keys()):
        run.run(name, check, options.bin, options.corpus, name, entries[name])
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
