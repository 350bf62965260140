#!/usr/bin/env python3
"""The benchmark programs agree with each other: what a generator says it wrote is what the bare loop counts.

usage: test_bench.py DIRECTORY-OF-PROGRAMS
"""

import contextlib
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()


def run(name, *arguments):
    done = subprocess.run([PROGRAMS / name, *map(str, arguments)], check=True, capture_output=True, text=True)
    return done.stdout.split()


def figures(name, *arguments):
    """Output of words and numbers in turns."""
    words = run(name, *arguments)
    return dict(zip(words[::2], map(int, words[1::2])))


def varint(capture):
    names = ['bytes', 'batches', 'entries', 'begins', 'cycles', 'timers']
    return dict(zip(names, map(int, run('bench-baseline', 'varint', capture, '--runs', 1)[2:])))


class Bench(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = pathlib.Path(self.directory.name)

    def make(self, name, *options, size='500k'):
        return figures('bench-gen-cpu', self.path / name, size, *options)

    def test_cpu_capture(self):
        said = self.make('a.utrace', '--timers', 300, '--truth', self.path / 'truth.json')
        truth = json.loads((self.path / 'truth.json').read_text())
        counted = varint(self.path / 'a.utrace')
        self.assertEqual(said['bytes'], (self.path / 'a.utrace').stat().st_size)
        self.assertEqual(counted['begins'], said['scopes'])
        self.assertEqual(counted['entries'], 2 * said['scopes'])
        self.assertEqual(truth['scopes'], said['scopes'])
        self.assertEqual(sum(timer['count'] for timer in truth['timers']), said['scopes'])

    def test_same_seed_same_bytes(self):
        for name, seed in ('a', 5), ('b', 5), ('c', 6):
            self.make(name, '--seed', seed)
        a, b, c = ((self.path / name).read_bytes() for name in 'abc')
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)

    def test_system_trace(self):
        """The bare loop counts the events that were written; each has a time, a thread and two fields at least."""
        said = figures('bench-gen-system', self.path / 'a.pftrace', '500k')
        events, fields = map(int, run('bench-baseline', 'ftrace', self.path / 'a.pftrace', '--runs', 1)[3:5])
        self.assertEqual(said['bytes'], (self.path / 'a.pftrace').stat().st_size)
        self.assertEqual(events, said['events'])
        self.assertGreater(fields, 4 * events)
        self.assertLess(said['scopes'] + said['switches'], said['events'])

    def test_insertion(self):
        """The rows of the other database are the same."""
        paths = [self.path / name for name in ('a.db', 'b.db')]
        rows = [(i, None if i % 3 else -i, i << 40) for i in range(5000)]
        with contextlib.closing(sqlite3.connect(paths[0])) as database:
            database.execute('CREATE TABLE "_t"(a, b, c)')
            database.executemany('INSERT INTO _t VALUES(?, ?, ?)', rows)
            database.commit()
        words = run('bench-sqlite-insert', paths[0], '_t', paths[1])
        self.assertEqual(words[0::2], ['rows', 'single', 'several'])
        self.assertEqual(words[1], '5000')
        self.assertTrue(all(float(seconds) > 0 for seconds in words[3::2]))
        with contextlib.closing(sqlite3.connect(paths[1])) as database:
            self.assertEqual(database.execute('SELECT * FROM _t ORDER BY rowid').fetchall(), rows)

    def test_samples(self):
        """Both formats of one seed have the same stacks."""
        said = [figures('bench-gen-samples', self.path / ('a.' + end), 8000, '--stacks', 100) for end in ('utrace', 'tracy')]
        self.assertEqual([one['samples'] for one in said], [8000, 8000])
        self.assertTrue(all(0.8 < one['addresses'] / 8000 / 20 < 1.25 for one in said))
        self.assertEqual((self.path / 'a.tracy').read_bytes()[:4], b'tr\xfdP')

    def test_other_families(self):
        """They add events and bytes, and leave the scopes as they are."""
        plain = self.make('a.utrace')
        mixed = self.make('b.utrace', '--frames', plain['frames'], '--families', 2)
        self.assertEqual(plain['others'], 0)
        self.assertEqual((mixed['scopes'], mixed['frames']), (plain['scopes'], plain['frames']))
        self.assertGreater(mixed['others'], 30 * 2 * mixed['frames'])
        self.assertGreater(mixed['bytes'], plain['bytes'])
        counted = [varint(self.path / name) for name in ('a.utrace', 'b.utrace')]
        self.assertEqual(*([one[key] for key in ('entries', 'begins', 'cycles', 'timers')] for one in counted))

    def test_lanes(self):
        """They add what other lanes are made of, and leave the scopes as they are."""
        plain = self.make('a.utrace')
        lanes = self.make('b.utrace', '--frames', plain['frames'], '--lanes', 1)
        self.assertEqual((lanes['scopes'], lanes['frames']), (plain['scopes'], plain['frames']))
        self.assertGreater(lanes['others'], 100 * lanes['frames'])
        counted = [varint(self.path / name) for name in ('a.utrace', 'b.utrace')]
        self.assertEqual(*([one[key] for key in ('entries', 'begins', 'cycles', 'timers')] for one in counted))

    def test_zones_in_blocks(self):
        for codec in ('lz4', 'zstd'):
            path = self.path / ('zones.' + codec)
            zones = figures('bench-gen-tracy', path, '300k', '--codec', codec, '--streams', 3)['zones']
            again = self.path / 'again'
            run('bench-gen-tracy', again, '300k', '--codec', codec, '--streams', 3)
            self.assertEqual(path.read_bytes(), again.read_bytes())
            for jobs in (1, 2):
                unpacked = int(run('bench-unpack-tracy', path, '--jobs', jobs, '--runs', 1)[2])
                self.assertGreater(unpacked, 26 * zones)
                self.assertLess(unpacked, 26 * zones + 60000)   # what is not zones

    def test_repeated_capture(self):
        said = self.make('a.utrace')
        target = 3 * said['bytes']
        repeated = figures('bench-repeat', self.path / 'a.utrace', self.path / 'b.utrace', target)
        self.assertGreaterEqual(repeated['bytes'], target)
        self.assertEqual(repeated['bytes'], (self.path / 'b.utrace').stat().st_size)
        self.assertGreater(varint(self.path / 'b.utrace')['begins'], 2 * said['scopes'])

    def test_sync_captures(self):
        for options in ((), ('--far',), ('--lanes', 3)):
            said = figures('bench-gen-sync', self.path / 's.utrace', '300k', *options)
            size, unpacked, packets = map(int, run('bench-baseline', 'lz4', self.path / 's.utrace')[2:])
            self.assertEqual(said['bytes'], (self.path / 's.utrace').stat().st_size)
            self.assertEqual(said['events'], said['pairs'] + said['ticks'])
            self.assertLess(size, said['bytes'])
            # 17 bytes a pair and 5 a tick; declarations and thread names stay below 2000
            self.assertLess(unpacked - 17 * said['pairs'] - 5 * said['ticks'], 2000)
            self.assertGreaterEqual(unpacked, 17 * said['pairs'] + 5 * said['ticks'])


if __name__ == '__main__':
    unittest.main()
