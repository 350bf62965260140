#!/usr/bin/env python3
"""script/test and script/test-all where builds, tests and other scripts are played: what they run, and what they say.

usage: test_tiers.py ROOT
"""

import datetime
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import check_labels

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
PLAYED = ('setup', 'build', 'test-builds', 'test-windows', 'test-browser', 'test-interop', 'test-reports', 'fuzz-seeded', 'evaluate-diff',
          'compare-decoders', 'evaluate-damage', 'evaluate-sketch', 'analyze')

# Notes the call; the file NAME.fails has what the arguments of a call that fails begin with.
SCRIPT = '''#!/bin/sh
echo "$(basename "$0") $*" >>"$PLAY/calls"
[ -e "$PLAY/$(basename "$0").fails" ] || exit 0
case "$*" in $(cat "$PLAY/$(basename "$0").fails")*) echo broken; exit 3 ;; esac
'''

# Writes results of 5 tests, of which two were not run, and one failed where $PLAY/ctest.fails is in its arguments.
CTEST = '''#!/bin/sh
echo "ctest $*" >>"$PLAY/calls"
bad=0
if [ -e "$PLAY/ctest.fails" ]; then
    case "$*" in *$(cat "$PLAY/ctest.fails")*) bad=1 ;; esac
fi
while [ $# -gt 0 ]; do
    case $1 in
    --output-junit) results=$2 ;;
    --output-log) log=$2 ;;
    esac
    shift
done
printf '<testsuite name="x"\\n\\ttests="5"\\n\\tfailures="%s"\\n\\tdisabled="1"\\n\\tskipped="1"\\n\\t>\\n' $bad >"$results"
printf 'Label Time Summary:\\nunit    =   1.50 sec*proc (2 tests)\\ngolden  =   2.25 sec*proc (1 test)\\n' | tee "$log"
[ $bad -eq 0 ]
'''
GIT = '#!/bin/sh\ncase $1 in rev-parse) cat "$PLAY/commit" ;; status) cat "$PLAY/changes" 2>/dev/null ;; esac\nexit 0\n'


class Tiers(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = pathlib.Path(self.directory.name)
        for folder in 'script', 'bin', 'play', 'build/debug', 'build/release', 'build/asan', 'build/tsan', 'build/clang':
            self.path.joinpath(folder).mkdir(parents=True)
        for name in 'test', 'test-all', 'run-tests.sh', 'help.sh':
            shutil.copy(ROOT / 'script' / name, self.path / 'script' / name)
        for name in PLAYED:
            self.play('script', name, SCRIPT)
        self.play('bin', 'ctest', CTEST)
        self.play('bin', 'git', GIT)
        self.say('commit', '1234abcd')

    def play(self, folder, name, text):
        path = self.path / folder / name
        path.write_text(text)
        path.chmod(0o755)

    def say(self, name, text):
        (self.path / 'play' / name).write_text(text + '\n')

    def run_script(self, *words):
        """Exit status and lines; what was called is in self.calls."""
        calls = self.path / 'play' / 'calls'
        calls.unlink(missing_ok=True)
        environment = {**os.environ, 'PLAY': str(self.path / 'play'), 'TMPDIR': str(self.path), 'TRACEKIT_CORPUS': '',
                       'PATH': '%s:%s' % (self.path / 'bin', os.environ['PATH'])}
        done = subprocess.run([self.path / 'script' / words[0], *words[1:]], capture_output=True, text=True,
                              env=environment)
        self.calls = calls.read_text().splitlines() if calls.exists() else []
        self.errors = done.stderr
        return done.returncode, done.stdout.splitlines()

    def called(self, name):
        return [call.split(' ', 1)[1] for call in self.calls if call.split(' ')[0] == name]

    def table(self):
        """Title, and (passed, failed) by step; the seeds are in self.seeds."""
        lines = (self.path / 'build' / 'test-all.md').read_text().splitlines()
        self.assertEqual(lines[1:4], ['', '| step | passed | failed | seconds | began | ended | commit | seed |',
                                      '|---|---|---|---|---|---|---|---|'])
        rows = [line.strip('| ').split(' | ') for line in lines[4:]]
        for row in rows:
            self.assertEqual(len(row), 8, row)
            began, ended = (datetime.datetime.strptime(when, '%Y-%m-%dT%H:%M:%SZ') for when in row[4:6])
            self.assertEqual((ended - began).total_seconds(), int(row[3]), row)
            self.assertTrue(lines[0].startswith('# Tests of ' + row[6]), row)
        self.seeds = {row[7] for row in rows}
        return lines[0], {row[0]: (int(row[1]), int(row[2])) for row in rows}

    # labels

    def test_labels(self):
        """A test without a topic, one with two, an unknown label, and a topic without a quick test."""
        topics, whole = {'unit', 'truth', 'damaged'}, {'unit'}
        good = {'a': ['unit'], 'b': ['truth', 'quick'], 'c': ['damaged', 'cut'], 'd': ['quick', 'damaged']}
        self.assertEqual(list(check_labels.faults(good, topics, whole)), [])
        for name, its in (('none', []), ('other', ['quick']), ('two', ['unit', 'truth']), ('unknown', ['unit', 'strange']),
                          ('d', ['damaged'])):
            self.assertEqual(len(list(check_labels.faults({**good, name: its}, topics, whole))), 1, name)

    # script/test

    def test_smoke(self):
        status, lines = self.run_script('test', '--smoke')
        self.assertEqual((status, lines[-1]), (0, '3 passed, 0 failed'))
        build, = self.called('build')
        self.assertTrue(build.startswith('debug ') and '--target=tracekit ' in build, build)
        test, = self.called('ctest')
        self.assertIn('--tests-regex ^(golden|rows|retired|completions)$', test)

    def test_quick(self):
        status, lines = self.run_script('test', '--quick')
        self.assertEqual((status, lines[-1]), (0, '3 passed, 0 failed'))
        self.assertEqual(self.called('setup'), ['quick'])
        build, = self.called('build')
        self.assertTrue(build.startswith('release ') and '-DTK_TIER=quick' in build, build)
        test, = self.called('ctest')
        self.assertIn("--label-regex ^(unit|layout|golden|quick)$ --label-exclude ^sampled$", test)

    def test_ci(self):
        """AddressSanitizer runs more than units on even days, ThreadSanitizer something on odd ones."""
        sampled = '^(truth|damaged|contract|export|compare|faults|fuzz|limits|recipes|sampled)$'
        units = '--label-regex ^unit$ --label-exclude ^slow$'
        for seed, passed, builds, first, rest in (
                ('10', 12, ['release all', 'asan all'], '2,,3',
                 ['--tests-information 2,,4 --label-regex ^(golden|quick|damaged|fuzz)$ --label-exclude ^(slow|unit)$']),
                ('9', 15, ['release all', 'asan units', 'tsan threads'], '1,,3', ['--label-regex ^threads$', '--tests-information 1,,4 --label-regex jobs'])):
            status, lines = self.run_script('test', '--seed', seed)
            self.assertEqual((status, lines[-2:]), (0, ['seed ' + seed, '%d passed, 0 failed' % passed]))
            self.assertEqual(self.called('setup'), ['test'])
            self.assertTrue(all('-DTK_TIER=ci' in call for call in self.called('build')), self.calls)
            self.assertEqual([' '.join(call.split()[:2]).replace('--target=', '') for call in self.called('build')], builds)
            chosen = [call.partition('.xml')[2].strip() for call in self.called('ctest')]
            self.assertEqual(chosen[:3], ['--label-exclude ' + sampled, '--tests-information %s --label-regex %s' % (first, sampled), units])
            self.assertEqual([call[:len(start)] for call, start in zip(chosen[3:], rest)], rest)
            self.assertEqual(len(chosen), 3 + len(rest))

    def test_parts(self):
        """Seeds that follow each other have all parts; without one it is that of the day."""
        parts = set()
        for seed in '4', '5', '6':
            self.run_script('test', '--seed', seed)
            parts.update(call.split('--tests-information ')[1].split()[0] for call in self.called('ctest')
                         if 'build/release' in call and '--tests-information' in call)
        self.assertEqual(parts, {'1,,3', '2,,3', '3,,3'})
        day = int(time.time()) // 86400
        self.assertIn(self.run_script('test', '--quick')[1][-2], ('seed %d' % day, 'seed %d' % (day + 1)))

    def test_strides_of_ctest(self):
        """The parts of ctest are of the tests that options choose: each in one, and no other."""
        (self.path / 'CTestTestfile.cmake').write_text(''.join(
            'add_test(t%d true)\nset_tests_properties(t%d PROPERTIES LABELS %s)\n' % (i, i, 'odd' if i % 2 else 'even')
            for i in range(20)))
        found = []
        for part in range(1, 4):
            done = subprocess.run(['ctest', '-N', '--test-dir', self.path, '--tests-information', '%d,,3' % part,
                                   '--label-regex', '^odd$'], capture_output=True, text=True, check=True)
            found += re.findall(r': (t\d+)$', done.stdout, re.MULTILINE)
        self.assertEqual(sorted(found), sorted('t%d' % i for i in range(1, 20, 2)))

    def test_sums_by_label(self):
        lines = self.run_script('test', '--seed', '9')[1]
        at = lines.index('%-12s %9s %9s %9s %9s' % ('label', 'release', 'asan', 'tsan', 'seconds'))
        self.assertEqual([line.split() for line in lines[at + 1:at + 3]],
                         [['golden', '4.5', '2.2', '4.5', '11.2'], ['unit', '3.0', '1.5', '3.0', '7.5']])
        self.assertEqual([line.split(':')[0] for line in lines[at + 3:-2]],
                         ['release'] * 3 + ['asan'] * 2 + ['tsan'] * 3)

    def test_failed_test(self):
        self.say('ctest.fails', 'build/tsan')
        status, lines = self.run_script('test', '--seed', '9')
        self.assertEqual((status, lines[-1]), (1, '13 passed, 2 failed'))

    def test_failed_build(self):
        self.say('build.fails', 'asan')
        status, lines = self.run_script('test', '--seed', '9')
        self.assertEqual((status, lines[-1]), (1, '12 passed, 1 failed'))
        self.assertEqual(len(self.called('build')), 3)

    def test_no_results(self):
        self.play('bin', 'ctest', '#!/bin/sh\nexit 8\n')
        status, lines = self.run_script('test', '--quick')
        self.assertEqual((status, lines[-1]), (1, '0 passed, 1 failed'))

    def test_nothing_to_work_with(self):
        self.say('setup.fails', 'test')
        status, lines = self.run_script('test')
        self.assertEqual((status, lines[-1]), (1, '0 passed, 1 failed'))
        self.assertEqual(self.called('build'), [])

    def test_usage(self):
        for words in (('test', '--full'), ('test', '--seed'), ('test', '--seed', 'x'), ('test-all', 'nothing'), ('test-all', 'unit', '--quick')):
            self.assertEqual(self.run_script(*words)[0], 2, words)
            self.assertEqual(self.calls, [])

    # script/test-all

    def test_all_steps(self):
        names = [line.split(':')[0] for line in self.run_script('test-all', '--list')[1]]
        status, lines = self.run_script('test-all')
        self.assertEqual((status, lines[-1]), (0, '%d passed, 0 failed' % len(names)))
        title, rows = self.table()
        self.assertEqual(title, '# Tests of 1234abcd')
        self.assertEqual(list(rows), names)
        self.assertEqual((rows['damaged'], rows['asan'], rows['interop']), ((3, 0), (3, 0), (1, 0)))
        self.assertEqual(sorted(call.split()[0] for call in self.called('build')), ['asan', 'clang', 'release', 'tsan'])
        self.assertTrue(all('-DTK_TIER=all' in call for call in self.called('build')), self.calls)
        self.assertEqual(self.called('test-builds'), ['i386', 's390x', 'arm64', 'musl', 'macos', 'freebsd', 'windows-arm64', 'msan', 'core',
                                                       'wings', 'warnings'])
        for name in PLAYED:
            self.assertTrue(self.called(name), name)

    def test_failures_are_rows(self):
        self.say('test-interop.fails', '')
        self.say('ctest.fails', '^damaged$')
        status, lines = self.run_script('test-all', 'interop', 'damaged', 'golden')
        self.assertEqual((status, lines[-1]), (1, '1 passed, 2 failed'))
        self.assertEqual(self.table()[1], {
            'golden': (3, 0), 'damaged': (2, 1), 'interop': (0, 1)})
        self.assertIn('broken', (self.path / 'build' / 'test-all' / 'interop.log').read_text())

    def test_failed_build_of_all(self):
        self.say('build.fails', 'release')
        status, lines = self.run_script('test-all', 'unit', 'evaluate-sketch', 'analyze')
        self.assertEqual((status, lines[-1]), (1, '1 passed, 2 failed'))
        self.assertEqual(self.table()[1]['analyze'], (1, 0))
        self.assertEqual(self.called('evaluate-sketch'), [])

    def test_rows_stay(self):
        """Of the same commit, and only there."""
        self.run_script('test-all', 'damaged')
        self.run_script('test-all', 'interop')
        self.assertEqual(list(self.table()[1]), ['damaged', 'interop'])
        self.say('commit', '5678ef')
        self.run_script('test-all', 'interop')
        self.assertEqual(self.table(), ('# Tests of 5678ef', {'interop': (1, 0)}))
        self.say('changes', ' M x.c')
        for step in 'damaged', 'golden':
            self.run_script('test-all', step)
            self.assertEqual(self.table(), ('# Tests of 5678ef with changes', {step: (3, 0)}))

    def test_resume(self):
        """What is missing, with the same seed; nothing twice, and a failure stays one."""
        self.say('test-interop.fails', '')
        self.run_script('test-all', '--seed', '7', 'interop', 'reports')
        status, lines = self.run_script('test-all', '--resume', 'interop', 'reports', 'analyze', 'evaluate-damage')
        self.assertEqual((status, lines[0], lines[-1]), (1, 'seed 7', '3 passed, 1 failed'))
        self.assertEqual([self.called(name) for name in ('test-interop', 'test-reports', 'analyze', 'evaluate-damage')],
                         [[], [], [''], ['7 2000']])
        self.assertEqual((self.table()[1], self.seeds), (
            {'interop': (0, 1), 'reports': (1, 0), 'analyze': (1, 0), 'evaluate-damage': (1, 0)}, {'7'}))
        status, lines = self.run_script('test-all', '--resume', 'reports')
        self.assertEqual((status, self.called('test-reports')), (1, []))

    def test_resume_after_an_interruption(self):
        """A step that did not end has no row."""
        self.play('script', 'test-reports', '#!/bin/sh\nkill -INT "$(cat "$PLAY/pid")"\nsleep 1\n')
        runner = "echo $$ >\"$PLAY/pid\"; exec \"$0\" interop reports analyze"
        environment = {**os.environ, 'PLAY': str(self.path / 'play'), 'TMPDIR': str(self.path),
                       'PATH': '%s:%s' % (self.path / 'bin', os.environ['PATH'])}
        done = subprocess.run(['sh', '-c', runner, self.path / 'script' / 'test-all'], env=environment,
                              capture_output=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(list(self.table()[1]), ['interop'])
        self.play('script', 'test-reports', SCRIPT)
        status, lines = self.run_script('test-all', '--resume', 'interop', 'reports', 'analyze')
        self.assertEqual((status, lines[-1], self.called('test-interop')), (0, '3 passed, 0 failed', []))

    def test_resume_of_another_commit(self):
        self.run_script('test-all', 'reports')
        self.say('commit', '5678ef')
        self.assertEqual(self.run_script('test-all', '--resume', 'reports')[0], 0)
        self.assertEqual(self.called('test-reports'), [''])
        self.assertIn('nothing to resume', self.errors)

    def test_seeds(self):
        """One a day, unless it is given."""
        day = int(time.time()) // 86400
        status, lines = self.run_script('test-all', 'evaluate-damage')
        self.assertIn(lines[0], ('seed %d' % day, 'seed %d' % (day + 1)))
        status, lines = self.run_script('test-all', '--seed', '12', 'compare-decoders')
        self.assertEqual(self.called('compare-decoders'), ['12 5000'])
        self.assertEqual(self.run_script('test-all', '--resume', '--seed', '13', 'interop')[0], 2)
        for words in (['--seed'], ['--seed', 'x'], ['--seed', '-1'], ['--seed', '1' * 10], ['--again']):
            self.assertEqual(self.run_script('test-all', *words)[0], 2, words)
            self.assertEqual(self.calls, [], words)


if __name__ == '__main__':
    unittest.main()
