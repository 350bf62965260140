#!/usr/bin/env python3
"""The extension for SQLite, in the shell sqlite3 and in Python's module, answers as trace-query does.

usage: check_extension.py --bin DIRECTORY --extension FILE FIXTURES
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import commands  # noqa: E402
import report    # noqa: E402

SKIPPED = 77
STATEMENTS = (
    'SELECT timer, count(*), sum(dur) FROM scopes GROUP BY timer ORDER BY timer',
    "SELECT count(*) FROM scopes WHERE thread = 'GameThread' AND start > 50000000",
    'SELECT f.frame, count(*) FROM frames f JOIN scopes s ON s.start >= f.start AND s.start < f."end" GROUP BY 1 ORDER BY 1',
    'SELECT name, count(*) FROM slice GROUP BY name ORDER BY name',
    'SELECT percentile(dur, 95), median(dur) FROM scopes',
)

PYTHON = '''
import sqlite3, sys
extension, capture, *statements = sys.argv[1:]
db = sqlite3.connect(':memory:')
if not hasattr(db, 'enable_load_extension'):
    sys.exit(77)
db.enable_load_extension(True)
db.load_extension(extension)
db.execute('SELECT tracekit_open(?)', (capture,)).fetchone()
for statement in statements:
    for row in db.execute(statement):
        print('|'.join('' if v is None else str(v) for v in row))
try:
    db.execute("SELECT tracekit_open('/no/such/file.utrace')").fetchone()
except sqlite3.OperationalError as e:
    print(e)
other = sqlite3.connect(':memory:')
other.enable_load_extension(True)
other.load_extension(extension)
other.execute("CREATE VIRTUAL TABLE temp.t USING tracekit('%s', 'timers')" % capture.replace("'", "''"))
print(other.execute('SELECT count(*) FROM t').fetchone()[0])
other.execute("SELECT tracekit_open('%s', 'game')" % capture).fetchone()
print(other.execute('SELECT count(*) FROM game.scopes').fetchone()[0])
'''

# A file twice, by two names, behind one with a schema; a path and a schema with a NUL; a file that was cut.
TWICE = '''
import os, sqlite3, sys
extension, capture, cut = sys.argv[1:]
db = sqlite3.connect(':memory:')
if not hasattr(db, 'enable_load_extension'):
    sys.exit(77)
db.enable_load_extension(True)
db.load_extension(extension)
db.execute('SELECT tracekit_open(?, ?)', (cut, 'other')).fetchone()
for path in (capture, capture, os.path.join(os.path.dirname(capture), '.', os.path.basename(capture))):
    db.execute('SELECT tracekit_open(?)', (path,)).fetchone()
print(db.execute('SELECT count(*) FROM timers').fetchone()[0])
for arguments in ((capture + chr(0) + 'x',), (capture, 'a' + chr(0))):
    try:
        db.execute('SELECT tracekit_open(%s)' % ', '.join('?' * len(arguments)), arguments).fetchone()
    except sqlite3.OperationalError as e:
        print(e)
for _ in range(2):
    db.execute('SELECT count(*) FROM other.scopes').fetchone()
'''


def lines_of(tools, capture):
    """What trace-query prints, in the form of the shell."""
    lines = []
    for statement in STATEMENTS:
        rows = json.loads(tools.must('trace-query', capture, statement, '-f', 'json').out)['result']
        lines += ['|'.join('' if v is None else str(v) for v in row.values()) for row in rows]
    return lines


def machine_of(path):
    """Class, order of bytes and processor of an ELF file; nothing of another file."""
    with open(path, 'rb') as file:
        head = file.read(20)
    return head[4:6] + head[18:20] if head.startswith(b'\x7fELF') else b''


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('--extension', required=True)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    if machine_of(options.extension) != machine_of(sys.executable):
        print('the extension is for another processor than the programs here: skipped')
        sys.exit(77)
    tools, result, tried = commands.Commands(options.bin), report.Report(), 0
    extension, capture = str(pathlib.Path(options.extension).with_suffix('')), options.fixtures / 'tiny.utrace'
    wanted = lines_of(tools, capture)
    counts = [tools.must('trace-query', capture, 'SELECT count(*) FROM ' + table, '-f', 'csv', '--no-header').out.decode()
              .strip() for table in ('timers', 'scopes')]

    def compare(run, lines):
        run.equal('rows', lines, wanted)

    def compare_python(run, lines):
        run.equal('rows', lines[:len(wanted)], wanted)
        run.true('a file that is not there', 'no such file' in lines[len(wanted)])
        run.equal('tables of another connection', lines[len(wanted) + 1:], counts)

    def compare_twice(run, done, cut):
        nul = 'tracekit_open(path [, schema]): a name cannot contain a NUL'
        run.equal('a file opened twice, and names with a NUL', done.stdout.splitlines(), [counts[0], nul, nul])
        run.equal('a file that was cut', done.stderr.splitlines(),
                  ["tracekit: '%s' is cut off at its end; everything before that was used" % cut])

    if shutil.which('sqlite3'):
        script = '.load %s\n.once /dev/null\nSELECT tracekit_open(\'%s\');\n%s;\n' % (extension, capture, ';\n'.join(STATEMENTS))
        done = subprocess.run(['sqlite3', ':memory:'], input=script, capture_output=True, text=True)
        if 'unknown command' in done.stderr or 'unknown option' in done.stderr:
            print('the shell sqlite3 loads no extensions: skipped')
        else:
            tried += 1
            result.run('sqlite3', compare, done.stdout.splitlines() if done.returncode == 0 else [done.stderr])
    for python in dict.fromkeys([sys.executable, '/usr/bin/python3']):
        if not shutil.which(python):
            continue
        done = subprocess.run([python, '-c', PYTHON, extension, str(capture), *STATEMENTS], capture_output=True, text=True)
        if done.returncode == SKIPPED:
            print('%s loads no extensions of SQLite: skipped' % python)
            continue
        tried += 1
        with tempfile.TemporaryDirectory() as place:
            cut = pathlib.Path(place) / 'cut.utrace'
            cut.write_bytes(capture.read_bytes()[:-7])
            twice = subprocess.run([python, '-c', TWICE, extension, str(capture), str(cut)], capture_output=True, text=True)
        result.run(python + ': twice', compare_twice, twice, cut)
        result.run(python, compare_python, done.stdout.splitlines() if done.returncode == 0 else [done.stderr] * 9)
    status = result.close()
    return status if tried else SKIPPED


if __name__ == '__main__':
    sys.exit(main())
