#!/usr/bin/env python3
"""Roles of threads: every table with a column `thread` has `role` behind it, and it is that of the table `threads`, in
trace-stats, trace-query and exported databases. The roles of captures made here are written down by hand.

usage: check_roles.py --bin DIRECTORY FIXTURES
"""

import argparse
import csv
import json
import pathlib
import sqlite3
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402

FIXTURES = ('tiny.utrace', 'game.utrace.zst', 'net.utrace', 'tracy/crash-0.13.1.tracy', 'tracy/ondemand-0.14.0.tracy')

# Threads of a capture and the role of each by its name, by hand.
BY_NAME = {'Engine': 'other', 'RenderThread 1': 'render', 'RHIThread': 'rhi', 'Foreground Worker #2': 'worker', 'Audio': 'other',
           'TaskGraphThreadNP 3': 'worker', 'main thread': 'game', 'Job 3': 'worker', 'Rendition of a loader': 'other',
           'Jo': 'other', 'RHISubmissionThread': 'rhi'}
MADE = {  # name of the capture: who marks the frames, threads without scopes, roles that are not by name
    'marks-and-works': ('Engine', (), {'Engine': 'game'}),
    'marks-only': ('Audio', ('Audio',), {}),
    'has-a-name': ('RenderThread 1', (), {}),
    'nobody': (None, (), {}),
}


def thread_columns(tools):
    """Columns of each table, in order."""
    done = tools.run('trace-stats', '--list', '-f', 'csv')
    tables = {}
    for row in csv.DictReader(done.out.decode().splitlines()):
        if row['column']:
            tables.setdefault(row['table'], []).append(row['column'])
    return tables


def check_lists(result, tables):
    with_thread = {t for t, columns in tables.items() if 'thread' in columns}
    result.true('there are many tables with threads', len(with_thread) > 40)
    result.equal('tables with role', {t for t, columns in tables.items() if 'role' in columns}, with_thread)
    for table in sorted(with_thread - {'timers', 'scopes'}):    # which have it last, as other tables share their columns
        columns = tables[table]
        result.equal('what is behind thread of ' + table, columns[columns.index('thread') + 1], 'role')


def events(marks, idle):
    ids = {name: 100 + i for i, name in enumerate(BY_NAME)}
    yield from ({'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': i, 'args': {'name': name}} for name, i in ids.items())
    for frame in range(40):
        begin = frame * 10000 + 1000
        length = 45000 if frame == 30 else 8000
        for name, i in ids.items():
            if name not in idle:
                yield {'ph': 'X', 'name': 'Work', 'pid': 1, 'tid': i, 'ts': begin + 10 * (i - 100), 'dur': length / 4}
        if marks:
            yield {'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': ids[marks], 'ts': begin}


def rows_of(tools, capture, statement):
    done = tools.run('trace-query', capture, statement, '-f', 'json')
    if done.status == 2:                        # the format has no such table
        return None
    if done.status not in (0, 4):
        raise commands.CommandError(done.describe())
    return [tuple(row.values()) for row in json.loads(done.out)['result']]


def check_rows(result, what, rows, roles):
    """Rows (thread_id, thread, role): as in `roles`, without a name it is other; threads of other processes have none."""
    for thread_id, thread, role in rows:
        if thread_id is not None:
            result.equal('%s: role of thread %s' % (what, thread_id), role, roles.get(thread_id, 'other'))
        elif thread is None:
            result.equal('%s: role of no thread' % what, role, None)
        else:
            result.true('%s: %s is %s' % (what, thread, role), role in (None, 'gpu'))


def check_by_name(result, what, rows, roles, names):
    for thread, role in rows:
        named = {roles[i] for i, name in names.items() if name == thread}
        result.true('%s: %s is %s' % (what, thread, role),
                    role in named or (not named and role == (None if thread is None else 'gpu')))


def check_database(result, tools, capture, tables, roles, work):
    base = work / 'roles.sqlite'
    base.unlink(missing_ok=True)
    done = tools.run('trace-export', capture, '-f', 'sqlite', '-o', base)
    result.true('database: ' + done.describe(), done.status in (0, 4))
    with sqlite3.connect(base) as db:
        for table in sorted(tables):
            there = {row[0] for row in db.execute('SELECT name FROM pragma_table_info(?)', (table,))}
            result.equal('database, columns of ' + table, 'role' in there, 'thread' in there)
            if {'thread', 'thread_id'} <= there:
                rows = db.execute('SELECT DISTINCT thread_id, thread, role FROM "%s"' % table).fetchall()
                check_rows(result, 'database, ' + table, rows, roles)


def check_capture(result, tools, capture, tables, work, roles=None):
    """roles: as is known by hand; None: it is equal to the table `threads` alone."""
    found = rows_of(tools, capture, 'SELECT thread_id, thread, role FROM threads')
    if roles is not None:
        result.equal('roles in `threads`', {row[1]: row[2] for row in found}, roles)
    roles, names = {row[0]: row[2] for row in found}, {row[0]: row[1] for row in found}
    looked = 0
    for table, columns in tables.items():
        if 'thread' not in columns:
            continue
        if 'thread_id' in columns:
            rows = rows_of(tools, capture, 'SELECT DISTINCT thread_id, thread, role FROM "%s"' % table)
            check_rows(result, table, rows or (), roles)
        else:
            rows = rows_of(tools, capture, 'SELECT DISTINCT thread, role FROM "%s"' % table)
            check_by_name(result, table, rows or (), roles, names)
        looked += bool(rows)
    result.true('few tables have rows: %d' % looked, looked >= 3)
    check_database(result, tools, capture, tables, roles, work)
    with_role = tools.run('trace-stats', capture, '-t', 'scopes', '-c', 'thread,role', '-f', 'csv')
    pairs = {tuple(row) for row in list(csv.reader(with_role.out.decode().splitlines()))[1:]}
    result.true('trace-stats: scopes', pairs <= {(names[i], role) for i, role in roles.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('fixtures', type=pathlib.Path)
    words = parser.parse_args()
    tools, run = commands.Commands(words.bin), report.Report()
    tables = thread_columns(tools)
    run.run('columns', check_lists, tables)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for name, (marks, idle, other) in MADE.items():
            path = work / (name + '.json')
            path.write_text(json.dumps({'traceEvents': list(events(marks, idle))}))
            run.run(name, check_capture, tools, path, tables, work, {**BY_NAME, **other})
        for name in FIXTURES:
            run.run(name, check_capture, tools, words.fixtures / name, tables, work)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
