#!/usr/bin/env python3
"""Histories with the rows that the reference method finds in them: trace-trend finds the same.

usage: check_found.py --bin FOLDER HISTORY...

A folder of a history has runs.csv, series.csv, values.csv, and found.csv, which another program wrote."""
import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rows  # noqa: E402


def check(tools, folder):
    with open(os.path.join(folder, 'found.csv'), encoding='utf-8') as f:
        wanted = rows.read(f.read())
    code, found, said = rows.trend(tools, '--csv', folder)
    if code not in (0, 1):
        return ['status %d: %s' % (code, said)]
    return rows.differences(found, wanted)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('--bin', required=True)
    p.add_argument('folders', nargs='+')
    a = p.parse_args()
    bad = 0
    for folder in a.folders:
        wrong = check(a.bin, folder)
        bad += bool(wrong)
        for line in wrong[:10]:
            print('%s: %s' % (folder, line))
    print('%d histories, %d with other rows' % (len(a.folders), bad))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
