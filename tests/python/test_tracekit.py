#!/usr/bin/env python3
"""Tests of the Python package: against what producers wrote down, and against what the commands print as JSON.

usage: test_tracekit.py --bin DIRECTORY FIXTURES
"""

import argparse
import csv
import ctypes
import gc
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import tracekit
from tracekit import _arrow, _library

FIXTURES = BIN = None
NS_PER_CYCLE = 100  # of fixtures/tiny.utrace: a clock of 10 MHz


def fixture(name):
    return str(FIXTURES / name)


def truth(name):
    return json.loads((FIXTURES / name).read_text(encoding='utf-8'))


def printed(*arguments):
    """What a command prints."""
    return subprocess.run([str(BIN / 'tracekit'), *arguments], check=True, capture_output=True).stdout.decode()


class Truth(unittest.TestCase):
    def test_timers(self):
        """Calls and times of each timer, as its producer counted them."""
        reported = truth('tiny.truth.json')
        with tracekit.open(fixture('tiny.utrace')) as capture:
            rows = {row.timer: row for row in capture.table('timers', cycles=True)}
        self.assertEqual(set(rows), {one['timer'] for one in reported['timers_total']})
        for one in reported['timers_total']:
            row = rows[one['timer']]
            self.assertEqual((row.count, row.total, row.excl, row.min, row.max),
                             (one['count'], one['incl'], one['excl'], one['min'], one['max']), one['timer'])

    def test_conditions_on_rows(self):
        """Only the timers that were called more often than others, as the producer counted them."""
        reported = truth('tiny.truth.json')['timers_total']
        calls = sorted(one['count'] for one in reported)[len(reported) // 2]
        with tracekit.open(fixture('tiny.utrace')) as capture:
            rows = capture.table('timers', ['timer'], where=f'count>{calls}')
            self.assertEqual({row.timer for row in rows}, {one['timer'] for one in reported if one['count'] > calls})
            with self.assertRaises(tracekit.MatchError):
                capture.table('timers', where='nothing=1')

    def test_selection(self):
        """The timers of one thread."""
        reported = truth('tiny.truth.json')
        for thread in reported['threads']:
            if not thread['timers'] or not thread['name']:
                continue
            with tracekit.open(fixture('tiny.utrace'), jobs=2) as capture:
                table = capture.table('timers', ['timer', 'count'], threads=thread['name'])
            self.assertEqual(dict(table.rows()), {one['timer']: one['count'] for one in thread['timers']})

    def test_nanoseconds(self):
        reported = {one['timer']: one for one in truth('tiny.truth.json')['timers_total']}
        self.assertEqual(truth('tiny.truth.json')['frequency'], 10**9 // NS_PER_CYCLE)
        with tracekit.open(fixture('tiny.utrace')) as capture:
            for row in capture.table('timers', 'timer excl'.split()):
                self.assertEqual(row.excl, reported[row.timer]['excl'] * NS_PER_CYCLE)

    def test_counts(self):
        reported = truth('tiny.truth.json')
        with tracekit.open(fixture('tiny.utrace')) as capture:
            self.assertEqual(len(capture.table('scopes')), reported['scopes_total'])
            self.assertEqual(len(capture.table('bookmarks')), len(reported['bookmarks']))
            self.assertEqual(len(capture.table('frames')), len(reported['frames']))
            first = capture.table('frames', frames=(2, 4))
            self.assertEqual(len(first), 3)


class Answers(unittest.TestCase):
    """SQL, comparisons, exports and reports are those of the commands."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def test_sql(self):
        reported = truth('tiny.truth.json')
        with tracekit.open(fixture('tiny.utrace')) as capture:
            table = capture.sql('SELECT timer, count(*) AS n FROM scopes WHERE dur IS NOT NULL GROUP BY timer')
        self.assertEqual({row.timer: row.n for row in table}, {one['timer']: one['count'] for one in reported['timers_total'] if one['count']})
        both = tracekit.sql([fixture('tiny.utrace'), fixture('threads.utrace')], 'SELECT capture, count(*) AS n FROM scopes GROUP BY 1')
        self.assertEqual({row.capture: row.n for row in both},
                         {name + '.utrace': sum(t['scopes'] for t in truth(name + '.truth.json')['threads']) for name in ('tiny', 'threads')})
        self.assertEqual(tracekit.sql(fixture('tiny.utrace'), 'SELECT 1 AS a; SELECT 2 AS b')['b'], [2])

    def test_sql_of_several(self):
        """One of several that is no capture is named."""
        with tempfile.NamedTemporaryFile(suffix='.utrace') as bad:
            bad.write(b'no capture')
            bad.flush()
            with self.assertRaises(tracekit.FormatError) as caught:
                tracekit.sql([fixture('tiny.utrace'), bad.name], 'SELECT count(*) FROM timers')
            self.assertEqual(str(caught.exception).count(bad.name), 1)

    def test_sql_failures(self):
        with self.assertRaisesRegex(tracekit.UsageError, 'tiny.utrace.*scops'):
            tracekit.sql(fixture('tiny.utrace'), 'SELECT * FROM scops')
        with self.assertRaisesRegex(tracekit.Error, 'nothing.utrace'):
            tracekit.sql([fixture('tiny.utrace'), 'nothing.utrace'], 'SELECT count(*) FROM scopes')
        with tracekit.open(pathlib.Path(fixture('tiny.utrace')).read_bytes()) as capture:
            self.assertRaises(ValueError, capture.sql, 'SELECT 1')

    def test_compare(self):
        found = tracekit.compare(fixture('baseline-v1-a.tkb'), [fixture('baseline-v1-b.tkb')])
        self.assertEqual((found.regressed, found.comparable), (True, True))
        self.assertEqual([row.name for row in found.changes if row.verdict == 'regressed'], ['Streaming.Flush'])
        found.report(self.path / 'r.json', 'json')
        self.assertEqual(json.loads((self.path / 'r.json').read_text())['verdict'], 'regressed')
        with self.assertRaisesRegex(tracekit.Error, 'r.json'):
            found.report(self.path / 'r.json', 'json')
        found.report(self.path / 'r.json', 'markdown', force=True)
        with tracekit.open(fixture('tiny.utrace')) as capture:
            self.assertFalse(tracekit.compare(capture, fixture('tiny.utrace')).regressed)
        with self.assertRaisesRegex(tracekit.FormatError, 'README.md'):
            tracekit.compare(fixture('README.md'), fixture('baseline-v1-b.tkb'))

    def test_export(self):
        with tracekit.open(fixture('tiny.utrace')) as capture:
            capture.export(self.path / 'timers.csv', 'csv', tables='timers', columns=['timer', 'count'])
            with self.assertRaisesRegex(tracekit.Error, 'timers.csv'):
                capture.export(self.path / 'timers.csv', 'csv', tables='timers')
            capture.export(self.path / 'timers.csv', 'csv', tables='timers', columns=['timer', 'count'], force=True)
            rows = [(row.timer, row.count) for row in capture.table('timers', ['timer', 'count'])]
            with self.assertRaises(tracekit.MatchError):
                capture.export(self.path / 'x', 'no-such-format')
        with open(self.path / 'timers.csv', newline='') as file:
            self.assertEqual(list(csv.reader(file))[1:], [[timer, str(count)] for timer, count in rows])

    def test_report(self):
        with tracekit.open(fixture('tiny.utrace')) as capture:
            capture.report(self.path / 'page.html')
        self.assertIn('tiny.utrace', (self.path / 'page.html').read_text())

    def test_files_of_failures(self):
        for name, kind in (('nothing.utrace', tracekit.ReadError), (fixture('README.md'), tracekit.FormatError)):
            with self.assertRaises(kind) as caught:
                tracekit.open(name)
            self.assertEqual(caught.exception.path, name)
            self.assertIn("'%s': " % name, str(caught.exception))
        with tracekit.open(fixture('tiny.utrace')) as capture, self.assertRaisesRegex(tracekit.MatchError, 'tiny.utrace.*no_such'):
            capture.table('no_such')


class Sources(unittest.TestCase):
    """Each way to open gives what the path gives."""

    def setUp(self):
        self.path = fixture('tiny.utrace')
        self.data = pathlib.Path(self.path).read_bytes()
        self.scopes = truth('tiny.truth.json')['scopes_total']

    def check(self, source, **options):
        with tracekit.open(source, **options) as capture:
            self.assertEqual(len(capture.table('scopes')), self.scopes)
            self.assertFalse(capture.truncated)

    def test_path(self):
        self.check(pathlib.Path(self.path))
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, 'caf\u00e9 \u2603.utrace')
            pathlib.Path(name).write_bytes(self.data)
            self.check(name)

    def test_memory(self):
        self.check(self.data)
        self.check(bytearray(self.data), jobs=3)
        self.check(memoryview(self.data))
        self.check(memoryview(bytearray(b'xx' + self.data))[2:])

    def test_memory_that_nobody_else_holds(self):
        capture = tracekit.open(bytearray(self.data))
        gc.collect()
        ballast = [bytearray(len(self.data)) for _ in range(50)]
        self.assertEqual(len(capture.table('scopes')), self.scopes)
        del ballast

    def test_descriptor(self):
        with open(self.path, 'rb') as file:
            self.check(file.fileno())
            self.check(file.fileno())

    def test_file_objects(self):
        self.check(io.BytesIO(self.data), jobs=3)
        with open(self.path, 'rb') as file:
            self.check(file)

    def test_reader_that_raises(self):
        class Broken(io.BytesIO):
            def read(self, n=-1):
                raise ZeroDivisionError('broken')

        with self.assertRaisesRegex(ZeroDivisionError, 'broken'):
            tracekit.open(Broken(self.data))

    def test_reader_that_raises_later(self):
        class Broken(io.BytesIO):
            whole = True

            def read(self, n=-1):
                if not self.whole:
                    raise ZeroDivisionError('broken')
                return super().read(n)

        source = Broken(self.data)
        with tracekit.open(source) as capture:
            source.whole = False
            with self.assertRaises(ZeroDivisionError):
                capture.table('scopes')

    def test_reader_that_gives_too_much(self):
        class Generous(io.BytesIO):
            def read(self, n=-1):
                return super().read(n) + b'x' * 100000

        with self.assertRaisesRegex(ValueError, 'more bytes than requested'):
            tracekit.open(Generous(self.data))


class Faults(unittest.TestCase):
    def test_classes(self):
        with self.assertRaises(tracekit.ReadError) as raised:
            tracekit.open('/nowhere/at/all')
        self.assertEqual(raised.exception.status, -3)
        self.assertIn('/nowhere/at/all', str(raised.exception))
        self.assertIsInstance(raised.exception, OSError)
        for data in (b'', b'x' * 5000):
            with self.assertRaises(tracekit.FormatError):
                tracekit.open(data)
        with self.assertRaises(tracekit.UsageError):
            tracekit.open(fixture('tiny.utrace'), limits={'nosuch': 1})
        with self.assertRaises(ValueError):
            tracekit.open('a\0b')
        with self.assertRaises(tracekit.DamageError):
            tracekit.open(fixture('damaged/flip_lz4.utrace'), strict=True).table('health')

    def test_names(self):
        with tracekit.open(fixture('tiny.utrace')) as capture:
            for table, options in (('timer', {}), ('timers', {'columns': 'nosuch'}), ('timers', {'threads': 'Nobody'})):
                with self.assertRaises(tracekit.MatchError) as raised:
                    capture.table(table, **options)
                self.assertTrue(raised.exception.causes)
            with self.assertRaises(ValueError):
                capture.table('timers', by='nosuch')
            with self.assertRaises(ValueError):
                capture.table('timers', from_ns=2**63)
            with self.assertRaises(KeyError):
                capture.table('timers')['nosuch']

    def test_closed(self):
        capture = tracekit.open(fixture('tiny.utrace'))
        table = capture.table('timers')
        capture.close()
        capture.close()
        with self.assertRaises(ValueError):
            capture.table('timers')
        with self.assertRaises(ValueError):
            capture.damaged
        self.assertGreater(len(table.rows()), 0)  # it needs the capture no longer

    def test_flags(self):
        with tracekit.open(fixture('damaged/flip_lz4.utrace')) as capture:
            capture.table('health')
            self.assertTrue(capture.damaged)
            self.assertFalse(capture.empty)
        with tracekit.open(fixture('tiny.utrace')) as capture:
            capture.table('health')
            self.assertFalse(capture.damaged or capture.partial or capture.lossy or capture.empty)


class Tables(unittest.TestCase):
    def setUp(self):
        self.capture = tracekit.open(fixture('tiny.utrace'))
        self.addCleanup(self.capture.close)

    def test_sequence(self):
        table = self.capture.table('timers')
        rows = table.rows()
        self.assertEqual(len(rows), len(table))
        self.assertEqual(rows[0], table[0])
        self.assertEqual(rows[-1], table[-1])
        self.assertEqual(rows[2:5], table[2:5])
        self.assertEqual([row.timer for row in rows], table['timer'])
        self.assertEqual(table.to_dict()['timer'], table['timer'])
        self.assertEqual(list(table.to_dict()), [column.name for column in table.columns])
        self.assertIn(rows[3], table)
        with self.assertRaises(IndexError):
            table[len(rows)]
        self.assertIn('timers', repr(table))

    def test_order(self):
        table = self.capture.table('timers')
        want = sorted(table['excl'], reverse=True)
        self.assertEqual(table.sort('excl', descending=True)['excl'], want)
        self.assertEqual(table.top(3)['excl'], want[:3])
        self.assertEqual(len(table), 3)
        with self.assertRaises(tracekit.MatchError):
            table.sort('nosuch')

    def test_columns(self):
        columns = {column.name: column for column in self.capture.table('timers').columns}
        self.assertEqual((columns['timer'].kind, columns['excl'].kind, columns['excl'].unit), ('text', 'duration', 'ns'))
        cycles = {column.name: column for column in self.capture.table('timers', cycles=True).columns}
        self.assertEqual(cycles['excl'].unit, 'cycles')
        self.assertTrue(set(columns) <= {column.name for column in tracekit.columns('timers')})
        with self.assertRaises(KeyError):
            tracekit.columns('nosuch')

    def test_list_of_tables(self):
        self.assertIn('timers', tracekit.tables())
        self.assertTrue(set(self.capture.tables()) <= set(tracekit.tables()))
        self.assertTrue(all(tracekit.tables().values()))
        self.assertEqual(tracekit.__version__, tracekit.library_version())

    def test_rows_as_the_command_prints_them(self):
        """Every value of tables of two formats, against the JSON of the command."""
        for name in ('tiny.utrace', 'tracy/small-0.14.0-lz4-j1.tracy', 'net.utrace'):
            with tracekit.open(fixture(name)) as capture:
                for table in ('timers', 'threads', 'session', 'counters', 'bookmarks', 'regions', 'frames', 'scopes'):
                    if table not in capture.tables():
                        continue
                    with self.subTest(capture=name, table=table):
                        self.compare(capture.table(table), fixture(name), table)

    def compare(self, table, path, name):
        lines = printed('stats', '--table', name, '--format', 'ndjson', path).splitlines()
        want = [json.loads(line) for line in lines]
        self.assertEqual(len(table), len(want))
        hexadecimal = {column.name for column in table.columns if column.kind == 'hex'}
        for row, reported in zip(table, want):
            for column, value in zip(table.columns, row):
                if column.name not in reported:
                    continue
                other = reported[column.name]
                if column.name in hexadecimal and other is not None:
                    other = int(other, 16)
                self.assertEqual(value, other, column.name)

    def test_many_threads(self):
        """Captures of their own in threads of their own."""
        counts = []

        def read():
            with tracekit.open(fixture('tiny.utrace')) as capture:
                counts.append(len(capture.table('scopes')))

        threads = [threading.Thread(target=read) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(counts, [truth('tiny.truth.json')['scopes_total']] * 8)


class Arrow(unittest.TestCase):
    """The capsules, as a consumer takes them."""

    def setUp(self):
        with tracekit.open(fixture('tiny.utrace')) as capture:
            self.table = capture.table('timers')

    def pointer(self, capsule, name):
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        return get(capsule, name)

    def test_array(self):
        schema, array = self.table.__arrow_c_array__()
        described = _arrow.Schema.from_address(self.pointer(schema, b'arrow_schema'))
        taken = _arrow.Array.from_address(self.pointer(array, b'arrow_array'))
        self.assertEqual(described.format, b'+s')
        self.assertEqual(taken.length, len(self.table))
        names = [described.children[i].contents.name.decode() for i in range(described.n_children)]
        self.assertEqual(names, [column.name for column in self.table.columns])

    def test_texts_are_dictionaries(self):
        """A consumer by the letter of the specification: a number for each row, and each text once."""
        schema, array = self.table.__arrow_c_array__()
        described = _arrow.Schema.from_address(self.pointer(schema, b'arrow_schema'))
        taken = _arrow.Array.from_address(self.pointer(array, b'arrow_array'))
        texts = 0
        for i, column in enumerate(self.table.columns):
            field, values = described.children[i].contents, taken.children[i].contents
            self.assertEqual(bool(field.dictionary), column.kind == 'text')
            self.assertEqual(bool(values.dictionary), column.kind == 'text')
            if column.kind != 'text':
                continue
            self.assertEqual((field.format, field.dictionary.contents.format), (b'i', b'U'))
            kept = values.dictionary.contents
            offsets = (ctypes.c_int64 * (kept.length + 1)).from_address(kept.buffers[1])
            data = ctypes.string_at(kept.buffers[2], offsets[kept.length])
            words = [data[a:b].decode() for a, b in zip(offsets, offsets[1:])]
            numbers = (ctypes.c_int32 * values.length).from_address(values.buffers[1])
            there = [not values.buffers[0] or values.null_count == 0 or
                     ctypes.string_at(values.buffers[0], (values.length + 7) // 8)[row // 8] >> row % 8 & 1 for row in range(values.length)]
            self.assertEqual([words[number] if is_there else None for number, is_there in zip(numbers, there)], self.table[column.name])
            self.assertEqual(len(set(words)), len(words))
            self.assertEqual(set(words), {text for text in self.table[column.name] if text is not None})
            texts += 1
        self.assertGreater(texts, 2)

    def test_stream_that_is_taken(self):
        """Whoever moves the content out leaves nothing for the capsule to release."""
        capsule = self.table.__arrow_c_stream__()
        stream = _arrow.Stream.from_address(self.pointer(capsule, b'arrow_array_stream'))
        moved = _arrow.Stream()
        ctypes.memmove(ctypes.addressof(moved), ctypes.addressof(stream), ctypes.sizeof(moved))
        stream.release = None
        del capsule
        array = _arrow.take(moved, 'get_next', _arrow.Array())
        self.assertEqual(array.length, len(self.table))
        _arrow.release(array)
        _arrow.release(moved)

    def test_capsules_that_nobody_takes(self):
        kept = len(_arrow.KEPT)
        capsules = [self.table.__arrow_c_stream__(), self.table.__arrow_c_schema__(), *self.table.__arrow_c_array__()]
        self.assertEqual(len(_arrow.KEPT), kept + 4)
        del capsules
        gc.collect()
        self.assertEqual(len(_arrow.KEPT), kept)

    @unittest.skipUnless(importlib.util.find_spec('pyarrow'), 'needs pyarrow')
    def test_pyarrow(self):
        import pyarrow
        table = pyarrow.table(self.table)
        table.validate(full=True)
        self.assertEqual(table.to_pydict(), self.table.to_dict())
        self.assertEqual(pyarrow.record_batch(self.table).num_rows, len(self.table))

    @unittest.skipUnless(importlib.util.find_spec('polars'), 'needs Polars')
    def test_polars(self):
        import polars
        self.assertEqual(polars.DataFrame(self.table).to_dict(as_series=False), self.table.to_dict())

    @unittest.skipUnless(importlib.util.find_spec('pandas'), 'needs pandas')
    def test_pandas(self):
        import pandas
        if not hasattr(pandas.DataFrame, 'from_arrow'):
            self.skipTest('needs pandas 3')
        frame = pandas.DataFrame.from_arrow(self.table)
        self.assertEqual(frame['timer'].dtype.name, 'category')
        self.assertEqual(list(frame['timer']), self.table['timer'])


class Versions(unittest.TestCase):
    def test_fits(self):
        self.assertTrue(_library.fits(2000))
        self.assertTrue(_library.fits(2007))
        self.assertFalse(_library.fits(1000))
        self.assertFalse(_library.fits(3000))
        self.assertFalse(_library.fits(1000000))

    def test_no_library(self):
        """What is no libtracekit is refused in words."""
        environment = dict(os.environ, TRACEKIT_LIBRARY='libm.so.6')
        run = subprocess.run([sys.executable, '-c', 'import tracekit'], env=environment, capture_output=True, text=True)
        self.assertIn('ImportError: libtracekit is not found', run.stderr)


def main():
    global FIXTURES, BIN
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('fixtures', type=pathlib.Path)
    options, rest = parser.parse_known_args()
    FIXTURES, BIN = options.fixtures, options.bin
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == '__main__':
    main()
