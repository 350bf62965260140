#!/usr/bin/env python3
"""Each test has one label that script/test-all knows as a step, so that none is left out, and script/test --quick has a
test of each kind.

usage: check_labels.py --ctest CTEST ROOT BUILD
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

# Labels alongside the topic of a test.
OTHERS = {'quick',          # script/test --quick runs it
          'slow',           # with AddressSanitizer; script/test does without it there
          'threads',        # starts threads, for ThreadSanitizer
          'jobs',           # calls commands with several --jobs, for ThreadSanitizer
          'families',       # reads many events, for ThreadSanitizer
          'sampled',        # costly, of tests and scripts: script/test runs one of three
          'cut',            # a sweep through a capture
          'valgrind'}


def labels(ctest, build):
    """The labels of each test."""
    said = subprocess.run([ctest, '--test-dir', build, '--show-only=json-v1'], check=True, capture_output=True)
    tests = json.loads(said.stdout)['tests']
    return {test['name']: next((p['value'] for p in test.get('properties', ()) if p['name'] == 'LABELS'), [])
            for test in tests}


def faults(tests, topics, whole):
    """What is wrong with labels; of the topics in `whole` all tests are quick."""
    for name, its in tests.items():
        if len(topics & set(its)) != 1:
            yield '%s: its labels are %s, one of these has to be one of %s' % (name, sorted(its), sorted(topics))
        for label in sorted(set(its) - topics - OTHERS):
            yield '%s: nothing looks for its label %s' % (name, label)
    quick = set().union(*(set(its) for its in tests.values() if 'quick' in its))
    for topic in sorted(topics - whole - quick):
        yield '%s: no test of it is quick' % topic


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--ctest', default='ctest')
    parser.add_argument('root', type=pathlib.Path)
    parser.add_argument('build', type=pathlib.Path)
    options = parser.parse_args()
    script = options.root / 'script'
    topics = re.search(r"^topics='([^']*)'", (script / 'test-all').read_text(), re.MULTILINE)
    quick = re.search(r"build_and_test release all --label-regex '\^\(([^)]*)\)\$'", (script / 'test').read_text())
    tests = labels(options.ctest, options.build)
    found = list(faults(tests, set(topics.group(1).split()), set(quick.group(1).split('|'))))
    for fault in found:
        print('FAILED %s' % fault)
    print('%d passed, %d failed' % (len(tests) - len(found), len(found)))
    return 1 if found or not tests else 0


if __name__ == '__main__':
    sys.exit(main())
