#!/usr/bin/env python3
"""Makes packages of a build, unpacks them and uses them as others would.

usage: check_package.py [--cmake CMAKE] [--cpack CPACK] [--cc CC] [--lintian] BUILD_DIRECTORY FIXTURES

The archive must hold all that its commands need but the C library. Where dpkg is, the .deb files must have what belongs
to each, and a program must build and run with what they install; with --lintian it must find nothing in them, where it
is installed.
"""

import argparse
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
            'trace-trend', 'trace-baseline', 'trace-edit', 'trace-query', 'trace-mcp')


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
    run(options.cpack, '--config', options.build / 'CPackConfig.cmake', '-G', kind, '-B', work, cwd=work)
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
    'tracekit': ([r'\./usr/bin/' + name for name in COMMANDS] + [r'\./usr/share/doc/tracekit/copyright'],
                 [r'.*\.h', r'.*\.so.*', r'.*/man3/.+']),
    'libtracekit0': ([r'.*/libtracekit\.so\.0', r'.*/libtracekit\.so\.0\.\d+\.\d+'], [r'.*/libtracekit\.so', r'.*/bin/.+']),
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
    library = next(root.rglob('libtracekit.so.0'))
    check('[libtracekit.so.0]' in run('readelf', '-dW', library), 'another soname')
    symbols = [line.split()[-1] for line in run('nm', '-D', '--defined-only', library).splitlines() if ' T ' in line]
    check(symbols and all(name.endswith('@@TRACEKIT_0') for name in symbols), 'symbols without version:', symbols)


def check_use(options, root, work):
    """A program by pkg-config, the examples by CMake."""
    at = {'PKG_CONFIG_PATH': str(next(root.rglob('tracekit.pc')).parent)}
    libraries = str(next(root.rglob('libtracekit.so.0')).parent)
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
    packages = {path.name.split('_')[0]: path for path in pack(options, 'DEB', work)}
    check(packages.keys() == CONTENTS.keys(), 'packages:', packages)
    root, seen = work / 'root', set()
    for name, (wanted, unwanted) in CONTENTS.items():
        files = check_contents(packages[name], wanted, unwanted)
        check(not seen & files, 'in two packages:', seen & files)
        seen |= files
        run('dpkg-deb', '-x', packages[name], root)
    depends = {name: run('dpkg-deb', '-f', path, 'Depends') for name, path in packages.items()}
    check('libsqlite3-0' in depends['tracekit'] and 'libtracekit0 (=' in depends['libtracekit-dev'], depends)
    check('libtracekit 0 libtracekit0 (>=' in run('dpkg-deb', '-I', packages['libtracekit0'], 'shlibs'), 'shlibs')
    check(answers(root / 'usr' / 'bin', options.fixtures) == answers(options.build / 'bin', options.fixtures), 'answers')
    check_library(root)
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
