#!/usr/bin/env python3
"""Figures that are kept: what of two sets of them is told as slower, and what is noise.

usage: test_history.py DIRECTORY-OF-COMMANDS
"""

import argparse
import pathlib
import random
import sys
import unittest

import history

BIN = pathlib.Path(sys.argv.pop(1)).resolve()
ROWS = ['row %d' % i for i in range(12)]


def runs(seed, factors=None, machine='a processor'):
    """Fifteen passes of rows that take 0.1 s and more, with noise of 1 %."""
    rng = random.Random(seed)
    return [{'time': '2026-01-%02dT00:00:00Z' % (i + 1), 'build': str(seed), 'machine': machine, 'size': 1,
             'values': {row: (0.1 + k / 50) * (factors or {}).get(row, 1) * rng.gauss(1, 0.01) for k, row in enumerate(ROWS)}}
            for i in range(15)]


class History(unittest.TestCase):
    options = argparse.Namespace(bin=BIN)

    def test_the_same(self):
        self.assertEqual(history.judge(self.options, runs(1), runs(2)), 0)

    def test_one_row_slower(self):
        self.assertEqual(history.judge(self.options, runs(1), runs(2, {'row 5': 1.1})), 1)

    def test_one_row_faster(self):
        self.assertEqual(history.judge(self.options, runs(1), runs(2, {'row 5': 0.9})), 0)

    def test_another_machine(self):
        self.assertEqual(history.judge(self.options, runs(1), runs(2, machine='another')), 2)

    def test_another_row(self):
        now = runs(2)
        for run in now:
            run['values']['new'] = 1.0
        self.assertEqual(history.judge(self.options, runs(1), now), 0)


if __name__ == '__main__':
    unittest.main()
