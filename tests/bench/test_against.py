#!/usr/bin/env python3
"""A slower build is found, a faster one is not blamed, and intervals are those of a calculation by hand.

usage: test_against.py DIRECTORY-OF-COMMANDS DIRECTORY-OF-PROGRAMS
"""

import argparse
import fractions
import pathlib
import subprocess
import sys
import tempfile
import unittest

import against
import instructions
import interval

BIN, PROGRAMS = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
AGAINST = pathlib.Path(__file__).with_name('against.py')
SLOW = '#!/bin/sh\ni=0\nwhile [ $i -lt 8000 ]; do i=$((i + 1)); done\n"%s" "$@"\n'


class Interval(unittest.TestCase):
    """Ranks from a table of the binomial distribution: of 15 tosses 3 or fewer are heads with 576 of 32768."""

    def test_ranks(self):
        for n, r in ((0, 0), (1, 0), (5, 0), (6, 1), (8, 1), (9, 2), (11, 2), (12, 3), (15, 4), (16, 4), (20, 6),
                     (25, 8)):
            self.assertEqual(interval.rank(n), r, n)

    def test_exact_confidence(self):
        """From the 4th smallest to the 4th greatest of 15: 1 - 2 * 576 / 32768."""
        held = 1 - fractions.Fraction(2 * 576, 32768)
        self.assertEqual(interval.rank(15, held), 4)
        self.assertEqual(interval.rank(15, held + fractions.Fraction(1, 10 ** 9)), 3)

    def test_median(self):
        values = [110, 90, 100, 103, 97, 108, 92, 101, 99, 105, 95, 104, 96, 102, 98]
        self.assertEqual(interval.median(values), (100, 96, 104))
        self.assertEqual(interval.median([1, 2, 3, 4, 5, 60]), (3.5, 1, 60))

    def test_too_few(self):
        with self.assertRaises(ValueError):
            interval.median([1, 2, 3, 4, 5])


class Counts(unittest.TestCase):
    def test_of_perf(self):
        text = '# started\n\n1234567,,instructions:u,1024,100.00,,\n'
        self.assertEqual(instructions.of_perf(text), (1234567, None, None))
        self.assertEqual(instructions.of_perf(text + '<not supported>,,L1-dcache-load-misses:u,0,,\n77,,branch-misses:u,9,,\n'),
                         (1234567, 77, None))
        self.assertIsNone(instructions.of_perf('<not supported>,,instructions:u,0,100.00,,\n'))
        self.assertIsNone(instructions.of_perf(''))

    def test_of_callgrind(self):
        self.assertEqual(instructions.of_callgrind('==7== Events    : Ir\n==7== Collected : 4711\n'), (4711, None, None))
        self.assertEqual(instructions.of_callgrind('==7== Events    : Ir Dr Dw I1mr D1mr D1mw Bc Bcm Bi Bim\n'
                                                   '==7== Collected : 4711 1 2 3 40 5 6 70 8 9\n'), (4711, 79, 45))
        self.assertIsNone(instructions.of_callgrind('==7== Events    : Ir\n'))


class Builds(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = pathlib.Path(self.directory.name)
        self.slow, self.same = self.path / 'slow', self.path / 'same'
        self.slow.joinpath('bin').mkdir(parents=True)
        self.same.mkdir()
        self.same.joinpath('bin').symlink_to(BIN)
        for command in BIN.glob('trace-*'):
            burns = self.slow / 'bin' / command.name
            burns.write_text(SLOW % command)
            burns.chmod(0o755)

    def measured(self, before, now, *options):
        done = subprocess.run([sys.executable, AGAINST, '--against', before, '--bin', now / 'bin', '--programs',
                               PROGRAMS, '--work', self.path / 'work', '--sizes', '200000', *options],
                              capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_slower(self):
        status, out = self.measured(self.same, self.slow, '--rows', '^(info|events, counted)$')
        rows = [line for line in out.splitlines() if ' cpu ' in line]   # the clock says what else the machine does
        self.assertEqual(status, 1, out)
        self.assertEqual([line.endswith('SLOWER') for line in rows], [True] * 2, out)
        self.assertRegex(out, '3 rows, [23] slower')
        if instructions.counter()[0]:
            self.assertIn('3 with other counts of instructions', out)

    def test_faster(self):
        status, out = self.measured(self.slow, self.same, '--rows', '^info$')
        self.assertEqual([line.endswith('SLOWER') for line in out.splitlines() if ' cpu ' in line], [False], out)
        self.assertIn('2 rows, ', out)
        self.assertIn(status, (0, 1), out)

    def test_refused(self):
        """A build before that knows less costs the rows of what it lacks alone."""
        older = self.path / 'older' / 'bin'
        older.mkdir(parents=True)
        for command in BIN.glob('trace-*'):
            (older / command.name).write_text('#!/bin/sh\ncase "$*" in *--count*) exit 2 ;; esac\n"%s" "$@"\n' % command)
            (older / command.name).chmod(0o755)
        status, out = self.measured(older.parent, self.same, '--rows', '^(info|events, counted)$')
        self.assertIn('does not know the command', out)
        self.assertIn('2 rows, ', out)
        self.assertNotEqual(status, 2, out)

    def test_no_such_row(self):
        self.assertEqual(self.measured(self.same, self.same, '--rows', '^nothing$')[0], 2)

    def test_few_pairs(self):
        done = subprocess.run([sys.executable, AGAINST, '--against', self.same, '--bin', BIN, '--programs', PROGRAMS,
                               '--work', self.path, '--pairs', '14'], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)

    def test_each_row(self):
        """Captures of all rows can be made, and each command reads them."""
        game = self.path / 'game.utrace'
        subprocess.run(['zstd', '-dqf', AGAINST.parents[2] / 'fixtures' / 'game.utrace.zst', '-o', game], check=True)
        options = argparse.Namespace(against=self.same, bin=BIN, programs=PROGRAMS, work=self.path / 'work', game=game,
                                     rows='')
        rows = against.Against(options, self.path)
        for row in rows.rows:
            with self.subTest(row.what):
                rows.once(1, row, row.paths(200000))
        self.assertEqual(len({row.what for row in rows.rows}), len(rows.rows))


if __name__ == '__main__':
    unittest.main()
