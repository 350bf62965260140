#!/usr/bin/env python3
"""Makes a wheel of a build, unpacks it elsewhere, and reads a capture with it.

usage: check_wheel.py --cmake CMAKE BUILD_DIRECTORY FIXTURES

The wheel must need nothing of the build: each library is beside the package or of the system. RECORD has the hash of
each file, and the tag is not older than what any file asks of the C library.
"""

import argparse
import base64
import csv
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

MAKER = pathlib.Path(__file__).resolve().parents[2] / 'python' / 'make_wheel.py'
PROGRAM = '''
import json, sys, tracekit
with tracekit.open(sys.argv[1]) as capture:
    table = capture.table('timers', ['timer', 'count'])
maps = open('/proc/self/maps').read().split()
print(json.dumps([dict(table.rows()), sorted({path for path in maps if '.so' in path}), tracekit.__file__]))
'''


def check(condition, *words):
    if not condition:
        sys.exit('check_wheel: ' + ' '.join(map(str, words)))


def run(*command, **environment):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env={**os.environ, **environment})
    check(done.returncode == 0, command, done.stdout, done.stderr)
    return done.stdout


def check_record(archive):
    names = set(archive.namelist())
    rows = list(csv.reader(archive.read(next(name for name in names if name.endswith('/RECORD'))).decode().splitlines()))
    check({row[0] for row in rows} == names, 'RECORD has other files')
    for name, digest, size in rows:
        if name.endswith('/RECORD'):
            continue
        data = archive.read(name)
        want = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
        check((digest, int(size)) == ('sha256=' + want, len(data)), name, 'has another hash')


def check_tag(wheel, folder):
    """No file needs a newer C library than the name says."""
    tag = tuple(map(int, re.search(r'manylinux_(\d+)_(\d+)_', wheel.name).groups()))
    for file in folder.glob('tracekit/*.so*'):
        for version in re.findall(r'\bGLIBC_(\d+)\.(\d+)', run('objdump', '-T', file)):
            check(tuple(map(int, version)) <= tag, file.name, 'needs', version)


def check_use(folder, fixtures):
    truth = json.loads((fixtures / 'tiny.truth.json').read_text(encoding='utf-8'))
    environment = {'PYTHONPATH': str(folder), 'TRACEKIT_LIBRARY': '', 'LD_LIBRARY_PATH': '', 'PYTHONDONTWRITEBYTECODE': '1'}
    reported = run(sys.executable, '-c', PROGRAM, fixtures / 'tiny.utrace', **environment)
    counts, libraries, package = json.loads(reported)
    check(counts == {one['timer']: one['count'] for one in truth['timers_total']}, 'counts:', counts)
    check(pathlib.Path(package).is_relative_to(folder), package)
    for name in ('libtracekit', 'liblz4', 'libzstd', 'libcjson'):
        at = [path for path in libraries if pathlib.Path(path).name.startswith(name)]
        check(len(at) == 1 and pathlib.Path(at[0]).is_relative_to(folder), name, 'is taken from', at)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--cmake', default='cmake')
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    run(options.cmake, '--build', options.build, '--target', 'tracekit_wheel')
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work).resolve()
        library = options.build / 'wheel' / 'libtracekit.so.0.2'
        wheel = work / run(sys.executable, MAKER, library, work).strip()
        first = wheel.read_bytes()
        run(sys.executable, MAKER, library, work)
        check(wheel.read_bytes() == first, 'made twice, it differs')
        with zipfile.ZipFile(wheel) as archive:
            check_record(archive)
            archive.extractall(work / 'unpacked')
        check_tag(wheel, work / 'unpacked')
        check_use(work / 'unpacked', options.fixtures)
        print('%s: %d bytes' % (wheel.name, len(first)))


if __name__ == '__main__':
    main()
