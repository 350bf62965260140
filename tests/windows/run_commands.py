#!/usr/bin/env python3
"""Runs tests of the commands as ctest knows them, with other commands in the place of those that were built with them:
those for Windows under Wine, or a static build.

usage: run_commands.py --tests BUILD --commands DIRECTORY [--without FILE] [--jobs N] [--again] NAME...

BUILD is a build with the tests, for this system, and NAME is one of them, with * and ? for several. DIRECTORY has the
other commands by the same names. FILE lists checks of tests that may fail. N tests run at one time (default: one a
processor). With --again a test that fails runs a second time, alone, which its line says: on a machine with much to do
Wine does not start each program. Prints `N passed, M failed` at the end.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import time


def known_tests(build):
    """name -> (words, environment, folder, seconds), as ctest would run them."""
    out = subprocess.run(['ctest', '--test-dir', build, '--show-only=json-v1'], check=True, capture_output=True).stdout
    for test in json.loads(out)['tests']:
        properties = {one['name']: one['value'] for one in test.get('properties', [])}
        if test.get('command'):
            environment = dict(one.split('=', 1) for one in properties.get('ENVIRONMENT', []))
            yield test['name'], (test['command'], environment, properties['WORKING_DIRECTORY'],
                                 properties.get('TIMEOUT', 600))


def read_without(path):
    """{(test, check)}"""
    lines = [line.partition('#')[0].strip() for line in path.read_text().splitlines()] if path else []
    return {tuple(line.split(': ', 1)) for line in lines if line}


def is_excused(name, log, without):
    """Has nothing failed but checks that may?"""
    failures = re.findall(r'^FAILED +(.*?)(?:  \d+ compared)?$', log, re.MULTILINE)
    return failures and all((name, check) in without for check in failures)


def run(words, environment, folder, seconds, log):
    try:
        return subprocess.run(words, cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=log,
                              stderr=subprocess.STDOUT, timeout=seconds, check=False).returncode
    except subprocess.TimeoutExpired:
        log.write(b'\ntook too long\n')
        return -1


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1].replace('usage: ', ''))
    parser.add_argument('--tests', type=pathlib.Path, required=True)
    parser.add_argument('--commands', type=pathlib.Path, required=True)
    parser.add_argument('--without', type=pathlib.Path)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--again', action='store_true')
    parser.add_argument('names', nargs='+')
    options = parser.parse_args()
    build, commands = options.tests.resolve(), options.commands.resolve()
    known = dict(known_tests(build))
    unknown = [pattern for pattern in options.names if not fnmatch.filter(known, pattern)]
    if unknown:
        parser.error('there is no test %s in %s' % (', '.join(unknown), build))
    logs = commands.parent / 'commands-logs'
    logs.mkdir(exist_ok=True)
    without = read_without(options.without)

    def one(name):
        """The name of a test, its exit status, what it printed, and the seconds it took."""
        words, environment, folder, seconds = known[name]
        words = [word.replace(str(build / 'bin'), str(commands)) for word in words]
        began, path = time.monotonic(), logs / (name + '.log')
        with path.open('wb') as out:
            status = run(words, environment, folder, seconds * 4, out)
        log = path.read_text(errors='replace')
        return name, 0 if status and is_excused(name, log, without) else status, log, time.monotonic() - began

    def tell(done, how=''):
        name, status, log, seconds = done
        print('%s  %s  %.0f s%s' % ('FAILED' if status else 'ok    ', name, seconds, how), flush=True)
        if status:
            print(''.join('        %s\n' % line for line in log.splitlines() if not line.startswith('ok '))[-3000:], end='',
                  flush=True)
        return name if status else None

    wanted = [name for name in known if any(fnmatch.fnmatchcase(name, pattern) for pattern in options.names)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        requested = concurrent.futures.as_completed([pool.submit(one, name) for name in wanted])
        failed = [name for name in (tell(done.result()) for done in requested) if name]
    if options.again:
        failed = [name for name in (tell(one(name), ', the second time') for name in failed) if name]
    total = len(wanted)
    print('%d passed, %d failed' % (total - len(failed), len(failed)))
    return 1 if failed or not total else 0


if __name__ == '__main__':
    sys.exit(main())
