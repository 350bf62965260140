#!/usr/bin/env python3
"""The tables of script/bench can be made: each row is there, and its time is one.

usage: test_measure.py DIRECTORY-OF-COMMANDS DIRECTORY-OF-PROGRAMS
"""

import argparse
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

import measure
import rows

BIN, PROGRAMS = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
SIZE = 300_000


class Tables(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.bench = measure.Bench(argparse.Namespace(bin=BIN, programs=PROGRAMS, work=pathlib.Path(work.name), game=None, runs=1))

    def printed(self, table, wanted):
        """Holds a table against the rows that it has to have."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            table(SIZE)
        lines = out.getvalue().splitlines()
        for what in wanted:
            found = [line for line in lines if line.startswith(what)]
            self.assertTrue(found, what)
            self.assertGreater(float(found[0][len(what):].split()[0]), 0, what)

    def test_exports(self):
        self.printed(self.bench.exports, [export.what for export in rows.EXPORTS])

    def test_edits(self):
        self.printed(self.bench.edits, [what for what, *_ in (*measure.EDITS, *measure.TRACY_EDITS)])


if __name__ == '__main__':
    unittest.main()
