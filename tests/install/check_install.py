#!/usr/bin/env python3
"""Installs a build, moves the installed tree, and uses it as others would.

usage: check_install.py [--cmake CMAKE] [--generator NAME] [--cc CC] BUILD_DIRECTORY CONSUMER_DIRECTORY FIXTURES

The commands must run, pkg-config and find_package must lead to the shared and to the static library, and a program
built with each must run. So must the program that the header shows.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SCRIPTS = ('tracekit-ci', 'tracekit-bisect')
COMMANDS = ('tracekit', 'trace-info', 'trace-events', 'trace-stats', 'trace-export', 'trace-diff', 'trace-check',
            'trace-trend', 'trace-baseline', 'trace-edit', 'trace-query', 'trace-mcp')


def run(*command, **environment):
    """Runs a command that must succeed and returns what it prints."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env={**os.environ, **environment})
    if done.returncode:
        sys.exit('%s failed with %d\n%s%s' % (shlex.join(map(str, command)), done.returncode, done.stdout, done.stderr))
    return done.stdout


def one(root, pattern):
    found = sorted(root.rglob(pattern))
    if not found:
        sys.exit('the installed tree holds no ' + pattern)
    return found[0]


def check_commands(tree):
    for name in COMMANDS:
        path = tree / 'bin' / name
        if name != 'tracekit' and os.readlink(path) != 'tracekit':
            sys.exit('%s is no link to tracekit' % path)
        run(path, '--help')


def check_ci(tree):
    """The script for continuous integration runs, and what reports it is there."""
    for name in SCRIPTS:
        if name not in run(tree / 'bin' / name, '--help').partition('\n')[0]:
            sys.exit(f'{name} says nothing of itself')
    for name in ('ci.md', 'action.yml', 'gitlab.yml', 'Jenkinsfile', 'github.yml', 'budget.json', 'accepted.json'):
        one(tree / 'share', name)


def check_pages(tree, sources):
    """All pages are where man looks, and the completions where the shells look, under the names of the commands."""
    for page in (sources / 'man').iterdir():
        if not (tree / 'share' / 'man' / ('man' + page.suffix[1:]) / page.name).is_file():
            sys.exit('the page %s is not installed' % page.name)
    for command in sorted(path.name for path in (tree / 'bin').iterdir() if path.name not in SCRIPTS):
        for place in ('bash-completion/completions/%s', 'fish/vendor_completions.d/%s.fish'):
            if not (tree / 'share' / (place % command)).is_file():
                sys.exit('no completion of %s at %s' % (command, place % command))
    one(tree / 'share' / 'zsh', '_tracekit')


def check_pkg_config(tree, compiler, source, work):
    """The figures of the .pc file must lead into the tree where it lies now."""
    path = {'PKG_CONFIG_PATH': str(one(tree, 'tracekit.pc').parent)}
    flags = {kind: shlex.split(run('pkg-config', *kind.split(), '--cflags', '--libs', 'tracekit', **path))
             for kind in ('', '--static')}
    flags['--static'] = ['-Wl,-Bstatic' if flag == '-ltracekit' else flag for flag in flags['--static']]
    at = flags['--static'].index('-Wl,-Bstatic')
    flags['--static'][at:at + 1] = ['-Wl,-Bstatic', '-ltracekit', '-Wl,-Bdynamic']
    for kind, words in flags.items():
        program = work / ('pc' + kind)
        run(compiler, source, '-o', program, *words)
        yield run(program, LD_LIBRARY_PATH=str(one(tree, 'libtracekit.so').parent))


def check_package(tree, cmake, generator, consumer, work):
    build = work / 'consumer'
    run(cmake, '-S', consumer, '-B', build, '-DCMAKE_PREFIX_PATH=%s' % tree, *(('-G', generator) if generator else ()))
    run(cmake, '--build', build)
    for name in ('shared', 'static'):
        yield run(build / name)


def check_manual(tree, compiler, fixtures, work):
    """The complete program in the introduction of the header: what timers took in all, against the truth."""
    text = one(tree, 'tracekit.h').read_text(encoding='utf-8')
    block = re.search(r'A complete program.*?\n \*\n((?: \*(?:     .*)?\n)+)', text).group(1)
    source, program = work / 'manual.c', work / 'manual'
    source.write_text(re.split(r'^cc ', re.sub(r'^ \*(?:     )?', '', block, flags=re.M), flags=re.M)[0], encoding='utf-8')
    flags = run('pkg-config', '--cflags', '--libs', 'tracekit', PKG_CONFIG_PATH=str(one(tree, 'tracekit.pc').parent))
    run(compiler, '-std=c17', '-Wall', '-Wextra', '-Werror', source, '-o', program, *shlex.split(flags))
    lines = run(program, fixtures / 'game.utrace.zst', LD_LIBRARY_PATH=str(one(tree, 'libtracekit.so').parent)).splitlines()
    truth = json.loads((fixtures / 'game.truth.json').read_text(encoding='utf-8'))
    said = dict(line.removesuffix(' ns').rsplit(' ', 1) for line in lines)
    for name in ('UWorld::Tick', 'FCullingTask'):                       # timers that do not call themselves
        wanted, = [timer['incl'] for timer in truth['timers_total'] if timer['timer'] == name]
        if int(said[name]) * truth['frequency'] != wanted * 10**9:
            sys.exit('%s took %s ns, not %d cycles' % (name, said[name], wanted))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--cmake', default='cmake')
    parser.add_argument('--generator', help='of the program that is built with the installed tree')
    parser.add_argument('--cc', default='cc')
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('consumer', type=pathlib.Path)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        run(options.cmake, '--install', options.build, '--prefix', work / 'first')
        tree = (work / 'first').rename(work / 'moved')
        check_commands(tree)
        check_ci(tree)
        one(tree, 'LICENSE')
        check_pages(tree, pathlib.Path(__file__).resolve().parents[2])
        versions = {*check_pkg_config(tree, options.cc, options.consumer / 'main.c', work),
                    *check_package(tree, options.cmake, options.generator, options.consumer, work)}
        check_manual(tree, options.cc, options.fixtures, work)
        if len(versions) != 1:
            sys.exit('the programs say different versions: %s' % versions)
        print('version %s, shared and static, by pkg-config and by CMake' % versions.pop().strip())


if __name__ == '__main__':
    main()
