#!/usr/bin/env python3
"""--guard wherever CSV comes out: a hostile name reaches cells of each command, and with --guard no cell begins a formula.

usage: check_guard.py --bin DIRECTORY FIXTURES
"""

import argparse
import csv
import io
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402

MARK = 'cmd'
SIGNS = ('=', '+', '-', '@', '\t', '\r', '\uff1d', '\uff0b', '\uff0d', '\uff20')    # what spreadsheets take for a formula
HOSTILE = {name: '=%s|%s' % (MARK, name) for name in ('timer', 'thread', 'process', 'counter', 'text', 'category', 'region', 'program')}
BASE, NEXT = '=cmd base.json', '=cmd next.json'
TABLES = ('timers', 'threads', 'scopes', 'counters', 'counter_values', 'logs', 'regions')


def events(slower):
    """Twenty frames with a scope that each has; names of every kind are formulas."""
    one, at = {'pid': 1, 'tid': 1}, 0
    yield {**one, 'ph': 'M', 'name': 'process_name', 'args': {'name': HOSTILE['process']}}
    yield {**one, 'ph': 'M', 'name': 'thread_name', 'args': {'name': HOSTILE['thread']}}
    for number in range(20):
        yield {**one, 'ph': 'i', 'ts': at, 'name': 'frame'}
        yield {**one, 'ph': 'X', 'ts': at + 1, 'dur': 5000 * slower + number, 'name': HOSTILE['timer'], 'cat': HOSTILE['category']}
        yield {**one, 'ph': 'C', 'ts': at + 2, 'name': HOSTILE['counter'], 'args': {HOSTILE['counter']: number}}
        yield {**one, 'ph': 'i', 'ts': at + 3, 's': 't', 'name': HOSTILE['text'], 'args': {HOSTILE['text']: HOSTILE['text']}}
        yield {**one, 'ph': 'b', 'ts': at + 4, 'id': number, 'name': HOSTILE['region'], 'cat': HOSTILE['category']}
        yield {**one, 'ph': 'e', 'ts': at + 9, 'id': number, 'name': HOSTILE['region'], 'cat': HOSTILE['category']}
        at += 16000
    for number, sign in enumerate(SIGNS):
        yield {**one, 'ph': 'X', 'ts': at + number, 'dur': 0.5, 'name': '%s%s %d' % (sign, MARK, number)}


def captures(folder, fixtures):
    for name, slower in ((BASE, 1), (NEXT, 2)):
        (folder / name).write_text(json.dumps({'traceEvents': list(events(slower)), 'otherData': {HOSTILE['program']: HOSTILE['program']}}),
                                               encoding='utf-8')
    (folder / 'history').mkdir()
    for run in range(16):
        (folder / 'history' / ('=cmd %02d.json' % run)).write_text(json.dumps(list(events(1 + run // 8 + run * 7 % 16 / 1000))))
    tiny = (fixtures / 'tiny.utrace').read_bytes()
    (folder / 'types.utrace').write_bytes(tiny.replace(b'Tiny', b'=cmd'))
    (folder / 'budget.json').write_text(json.dumps({'budgets': [{'kind': 'timer', 'name': HOSTILE['timer'], 'error': 1}]}))


def requested(folder):
    """(command, words), each of which has a hostile name in a cell."""
    base, other, types = (folder / name for name in (BASE, NEXT, 'types.utrace'))
    for form in ('csv', 'tsv'):
        yield from (('trace-stats', (base, '-t', table, '--format', form)) for table in TABLES)
        yield 'trace-events', (base, '--format', form)
        yield 'trace-events', (types, '--format', form)
        yield 'trace-info', (base, '--full', '--types', '--format', form)
        yield 'trace-info', (types, '--full', '--types', '--format', form)
        yield 'trace-query', (base, 'SELECT timer FROM timers', '--format', form)
        yield 'trace-query', (base, 'SELECT 1 AS "%s"' % HOSTILE['timer'], '--format', form)
        yield 'trace-export', (base, '-t', 'timers', '-f', form, '-o', '-')
        yield 'trace-edit', (types, '-o', folder / 'out.utrace', '--dry-run', '--drop', 'logs', '--format', form)
        yield 'trace-baseline', ('list', folder / 'runs.tkb', '--format', form)
    yield 'trace-diff', (base, other, '--report', 'csv')
    yield 'trace-check', (other, '--budget', folder / 'budget.json', '--report', 'csv')
    yield 'trace-trend', (folder / 'history', '--order', 'name', '--report', 'csv')


def cells(done, words):
    rows = csv.reader(io.StringIO(done.out.decode('utf-8'), newline=''), delimiter='\t' if 'tsv' in words else ',')
    return [cell for row in rows for cell in row if MARK in cell]


def check(result, tools, name, words):
    plain = tools.must(name, *words, allowed=(0, 1, 4))
    guarded = tools.must(name, *words, '--guard', allowed=(plain.status,))
    result.true('a hostile name reaches a cell', any(cell.startswith(SIGNS) for cell in cells(plain, words)))
    result.equal('cells that begin formulas', [cell for cell in cells(guarded, words) if cell.startswith(SIGNS)], [])


def main():
    csv.field_size_limit(1 << 24)                       # a text of 170 KB is a cell
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    tools, result = commands.Commands(options.bin), report.Report()
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        captures(folder, options.fixtures)
        tools.must('trace-stats', folder / BASE, '--save', folder / 'runs.tkb')
        for name, words in requested(folder):
            result.run('%s %s' % (name, ' '.join(pathlib.Path(word).name for word in words)), check, tools, name, words)
    return result.close()


if __name__ == '__main__':
    sys.exit(main())
