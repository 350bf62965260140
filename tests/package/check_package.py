#!/usr/bin/env python3
"""Makes packages of a build, unpacks them and uses them as others would.

usage: check_package.py [--cmake CMAKE] [--cpack CPACK] [--cc CC] [--lintian] BUILD_DIRECTORY FIXTURES

The archive must hold all that its commands need but the C library. Where dpkg is, the .deb files must have what belongs
to each, and a program must build and run with what they install; with --lintian it must find nothing in them, where it
is installed.
"""

import argparse
import gzip
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile

OURS = re.compile(r'ld-linux.*|linux-vdso.*|lib(c|m|dl|rt|pthread)\.so.*')    # of the system, also alongside the archive
COMMANDS = ('tracekit', 'trace-info', 'trace-events', 'trace-stats', 'trace-export', 'trace-diff', 'trace-check',
            'trace-trend', 'trace-baseline', 'trace-edit', 'trace-query', 'trace-mcp', 'trace-report', 'trace-view', 'trace-record',
            'trace-control', 'trace-cache')


def run(*command, cwd=None, **environment):
    """Runs a command that must succeed and returns what it prints."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=cwd,
                          env={**os.environ, **environment})
    if done.returncode:
        sys.exit('%s failed with %d\n%s%s' % (shlex.join(map(str, command)), done.returncode, done.stdout, done.stderr))
    return done.stdout


def check(truth, *what):
    if not truth:
        sys.exit(' '.join(map(str, what)))


def pack(options, kind, work):
    run(options.cpack, '--config', options.build / 'CPackConfig.cmake', '-G', kind, '-B', work, cwd=work, SOURCE_DATE_EPOCH='1700000000')
    return sorted(path for path in work.iterdir() if path.is_file())


def answers(tree, fixtures):
    """What the commands say of a capture."""
    return [run(tree / 'trace-stats', fixtures / 'tiny.utrace', '--table', 'timers', '--format', 'csv'),
            run(tree / 'trace-info', fixtures / 'tiny.utrace', '--full', '--format', 'json')]


def check_archive(options, work):
    archive, = pack(options, 'TGZ', work)
    with tarfile.open(archive) as file:
        names = file.getnames()
        top = {name.split('/')[0] for name in names}
        check(len(top) == 1 and archive.name == top.copy().pop() + '.tar.gz', 'not one folder:', top)
        file.extractall(work / 'unpacked')
    tree = (work / 'unpacked' / top.pop()).rename(work / 'moved')
    for name in COMMANDS:
        check(run(tree / 'bin' / name, '--version').startswith('tracekit '), name)
    needed = dict(re.findall(r'^\s*(\S+)(?: => (\S+))? \(', run('ldd', tree / 'bin' / 'tracekit'), re.M))
    for name, path in needed.items():
        carried = path and pathlib.Path(path).resolve().parent == tree / 'lib' / 'tracekit'
        check(carried or OURS.fullmatch(pathlib.Path(name).name), name, 'is taken from', path)
    check({'libsqlite3.so.0', 'libzstd.so.1'} <= needed.keys(), 'needed:', needed)
    check(answers(tree / 'bin', options.fixtures) == answers(options.build / 'bin', options.fixtures), 'other answers')
    print('%s: %d files' % (archive.name, len(names)))


def check_contents(package, wanted, unwanted):
    names = [line.split(None, 5)[5].split(' -> ')[0] for line in run('dpkg-deb', '-c', package).splitlines()]
    for pattern in wanted:
        check(any(re.fullmatch(pattern, name) for name in names), package.name, 'has no', pattern)
    for pattern in unwanted:
        check(not any(re.fullmatch(pattern, name) for name in names), package.name, 'has', pattern)
    return {name for name in names if not name.endswith('/')}


CONTENTS = {
    'tracekit': ([r'\./usr/bin/' + name for name in COMMANDS] + [r'\./usr/share/doc/tracekit/copyright'] + [
        r'\./usr/share/' + name for name in (
            r'tracekit/schemas/mcp\.schema\.json', r'tracekit/schemas/questions/top-timers\.sql', r'tracekit/python/tracekit/__init__\.py',
            r'doc/tracekit/bindings\.md', r'doc/tracekit/fleet\.md', r'doc/tracekit/agents/SKILL\.md')],
                 [r'.*\.h', r'.*\.so.*', r'.*/man3/.+']),
    'libtracekit0.2': ([r'.*/libtracekit\.so\.0\.2', r'.*/libtracekit\.so\.0\.2\.\d+'], [r'.*/libtracekit\.so', r'.*/bin/.+']),
    'libtracekit-dev': ([r'\./usr/include/tracekit\.h', r'\./usr/include/tracekit/errors\.h', r'.*/libtracekit\.so', r'.*/libtracekit\.a',
                         r'.*/tracekit\.pc',
                         r'.*/tracekitConfig\.cmake', r'.*/examples/top_timers\.c'], [r'.*/bin/.+', r'.*emit.*']),
    'libtracekit-emit1': ([r'.*/libtracekit_emit\.so\.1'], [r'.*/libtracekit_emit\.so', r'.*/bin/.+', r'.*\.h']),
    'libtracekit-emit-dev': ([r'\./usr/include/tracekit_emit\.h', r'.*/libtracekit_emit\.so', r'.*/libtracekit_emit\.a',
                              r'.*/tracekit-emit\.pc', r'.*/tracekit-emitConfig\.cmake', r'.*/examples/emit_server\.c',
                              r'.*/python/tracekit_emit\.py', r'.*/man3/tracekit_emit\.3\.gz'], [r'.*/bin/.+']),
}


def check_library(root):
    """Its soname, and that each of its functions has a version."""
    library = next(root.rglob('libtracekit.so.0.2'))
    check('[libtracekit.so.0.2]' in run('readelf', '-dW', library), 'another soname')
    symbols = [line.split()[-1] for line in run('nm', '-D', '--defined-only', library).splitlines() if ' T ' in line]
    check(symbols and all(name.endswith('@@TRACEKIT_0.2') for name in symbols), 'symbols without version:', symbols)


def check_named(root):
    """Schemas that pages of the manual name are there."""
    named = set()
    for page in root.rglob('usr/share/man/man*/*.gz'):
        named |= set(re.findall(r'^\.Pa (schemas/[\w./-]+\w)', gzip.decompress(page.read_bytes()).decode(), re.M))
    missing = [name for name in named if not (root / 'usr' / 'share' / 'tracekit' / name).exists()]
    check(len(named) >= 3 and not missing, 'named, and not there:', missing, len(named))


def check_boms(packages):
    """A bill of materials in each package, with the libraries that the commands need."""
    for name, path in packages.items():
        text = subprocess.run(['sh', '-c', 'dpkg-deb --fsys-tarfile "$1" | tar -xO "./usr/share/doc/$2/tracekit.spdx.json"', 'sh', str(path), name],
                              capture_output=True, check=True).stdout
        bill = json.loads(text)
        check(bill['spdxVersion'] == 'SPDX-2.3' and re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ', bill['creationInfo']['created']), bill)
        parts = {p['SPDXID']: p for p in bill['packages']}
        check({p['name'] for p in parts.values()} == {'tracekit', 'liblz4', 'libzstd', 'zlib', 'sqlite3', 'libcjson'}, parts)
        check(all(p['versionInfo'] and p['licenseDeclared'] for p in parts.values()), parts)
        check(all(r['relatedSpdxElement'] in parts for r in bill['relationships']), bill['relationships'])


def check_python(root, options):
    """The Python package that is installed, with the library that is."""
    library = str(next(root.rglob('libtracekit.so.0.2')))
    said = run(sys.executable, '-c', 'import sys, tracekit; print(len(tracekit.open(sys.argv[1]).table("threads")))', options.fixtures / 'tiny.utrace',
               PYTHONPATH=str(root / 'usr' / 'share' / 'tracekit' / 'python'), TRACEKIT_LIBRARY=library, PYTHONDONTWRITEBYTECODE='1')
    check(int(said) > 0, said)


def check_description(package):
    text = run('dpkg-deb', '-f', package, 'Description')
    missing = [name for name in COMMANDS if name not in text and name != 'tracekit']
    check(not missing, 'not in the description:', missing)


def check_use(options, root, work):
    """A program by pkg-config, the examples by CMake."""
    at = {'PKG_CONFIG_PATH': str(next(root.rglob('tracekit.pc')).parent)}
    libraries = str(next(root.rglob('libtracekit.so.0.2')).parent)
    examples = next(root.rglob('top_timers.c')).parent
    program = work / 'by-pkg-config'
    words = shlex.split(run('pkg-config', '--cflags', '--libs', 'tracekit', **at))
    run(options.cc, examples / 'top_timers.c', '-o', program, *words)
    first = run(program, options.fixtures / 'tiny.utrace', LD_LIBRARY_PATH=libraries)
    run(options.cmake, '-S', examples, '-B', work / 'examples', '-DCMAKE_PREFIX_PATH=%s' % (root / 'usr'),
        '-DCMAKE_C_COMPILER=%s' % options.cc)
    run(options.cmake, '--build', work / 'examples')
    second = run(work / 'examples' / 'top-timers', options.fixtures / 'tiny.utrace')
    check(first == second and len(first.splitlines()) == 11, 'the programs say', first, second)
    words = ['-l:libtracekit.a' if word == '-ltracekit' else word
             for word in shlex.split(run('pkg-config', '--static', '--cflags', '--libs', 'tracekit', **at))]
    run(options.cc, examples / 'top_timers.c', '-o', program, *words)
    check('libtracekit' not in run('readelf', '-d', program) and run(program, options.fixtures / 'tiny.utrace') == first, 'the static library', words)


def check_emitter(options, root, work):
    """A program by pkg-config writes a capture; the examples by CMake."""
    pc = next(root.rglob('tracekit-emit.pc')).parent
    libraries = str(next(root.rglob('libtracekit_emit.so.1')).parent)
    examples = next(root.rglob('emit_server.c')).parent
    program = work / 'emit-by-pkg-config'
    words = shlex.split(run('pkg-config', '--cflags', '--libs', 'tracekit-emit', PKG_CONFIG_PATH=str(pc)))
    run(options.cc, examples / 'emit_server.c', '-o', program, *words)
    capture = work / 'server.utrace'
    run(program, '20', LD_LIBRARY_PATH=libraries, TRACEKIT_EMIT=str(capture))
    rows = run(options.build / 'bin' / 'trace-stats', capture, '-t', 'timers', '-c', 'timer,count', '-f', 'csv')
    check('request,20' in rows, rows)
    run(options.cmake, '-S', examples, '-B', work / 'emit-examples', '-DCMAKE_PREFIX_PATH=%s' % (root / 'usr'),
        '-DCMAKE_C_COMPILER=%s' % options.cc)
    run(options.cmake, '--build', work / 'emit-examples')


def check_debian(options, work):
    again = work.with_name(work.name + '-again')
    again.mkdir()
    packages = {path.name.split('_')[0]: path for path in pack(options, 'DEB', work)}
    for path in pack(options, 'DEB', again):
        check(path.read_bytes() == (work / path.name).read_bytes(), 'other bytes the second time:', path.name)
    check(packages.keys() == CONTENTS.keys(), 'packages:', packages)
    root, seen = work / 'root', set()
    for name, (wanted, unwanted) in CONTENTS.items():
        files = check_contents(packages[name], wanted, unwanted)
        check(not seen & files, 'in two packages:', seen & files)
        seen |= files
        run('dpkg-deb', '-x', packages[name], root)
    depends = {name: run('dpkg-deb', '-f', path, 'Depends') for name, path in packages.items()}
    check('libsqlite3-0' in depends['tracekit'] and 'libtracekit0.2 (=' in depends['libtracekit-dev'], depends)
    check('libtracekit 0.2 libtracekit0.2 (>=' in run('dpkg-deb', '-I', packages['libtracekit0.2'], 'shlibs'), 'shlibs')
    check(answers(root / 'usr' / 'bin', options.fixtures) == answers(options.build / 'bin', options.fixtures), 'answers')
    check_library(root)
    check_named(root)
    check_boms(packages)
    check_python(root, options)
    check_description(packages['tracekit'])
    needed = re.search(r'^Requires.private: (.*)$', next(root.rglob('tracekit.pc')).read_text(), re.M)[1].split(', ')
    check(len(needed) == 5 and all(any(part in package for package in depends['libtracekit-dev'].split(', '))
                                   for part in ('lz4-dev', 'zstd-dev', 'zlib1g-dev', 'sqlite3-dev', 'cjson-dev')), needed, depends)
    check_use(options, root, work)
    check_emitter(options, root, work)
    print(', '.join(path.name for path in packages.values()))
    return packages.values()


def check_lintian(packages):
    done = subprocess.run(['lintian', '--allow-root', '--fail-on', 'none', *map(str, packages)], capture_output=True, text=True,
                          check=False)
    found = [line for line in done.stdout.splitlines() if line.startswith(('E:', 'W:'))]
    check(not found, *found)
    print('lintian: no error, no warning')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--cmake', default='cmake')
    parser.add_argument('--cpack', default='cpack')
    parser.add_argument('--cc', default='cc')
    parser.add_argument('--lintian', action='store_true', help='takes half a minute')
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    options.build, options.fixtures = options.build.resolve(), options.fixtures.resolve()
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory).resolve()
        for name in ('tgz', 'deb'):
            (work / name).mkdir()
        check_archive(options, work / 'tgz')
        if shutil.which('dpkg-shlibdeps'):
            packages = check_debian(options, work / 'deb')
            if options.lintian and shutil.which('lintian'):
                check_lintian(packages)


if __name__ == '__main__':
    main()
