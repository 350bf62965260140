#!/usr/bin/env python3
"""Runs ci/tracekit-ci, and the step of action.yml, in a root that holds a shell, a few tools and tracekit, nothing else.

usage: check_ci.py --bin DIRECTORY --corpus DIRECTORY SOURCES

As root that is a new root directory; else only PATH and the environment are bare. The runs are those of two builds whose
planted changes are known, so that what has to be found is known, too.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

TOOLS = ('sh', 'cat', 'date', 'grep', 'mkdir', 'mv', 'rm', 'uname')     # what the script says that it needs
failures = []
checks = 0


def check(what, condition, more=''):
    global checks
    checks += 1
    if not condition:
        failures.append('%s: %s' % (what, more))


def copy_program(root, path):
    """A program and its libraries, where they are in the root that we have."""
    reported = subprocess.run(['ldd', path], capture_output=True, text=True).stdout
    for library in re.findall(r'(/\S+) \(', reported):
        target = root / library[1:]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, target)


class Bare:
    def __init__(self, folder, directory, sources):
        self.root = folder / 'root'
        self.alone = os.geteuid() == 0
        (self.root / 'bin').mkdir(parents=True)
        for name in TOOLS:
            path = shutil.which(name)
            copy_program(self.root, path)
            shutil.copy(path, self.root / 'bin' / name)
        copy_program(self.root, os.path.join(directory, 'tracekit'))
        shutil.copy(os.path.join(directory, 'tracekit'), self.root / 'bin' / 'tracekit')
        for name in ('diff', 'check', 'info', 'stats'):
            os.symlink('tracekit', self.root / 'bin' / ('trace-' + name))
        shutil.copytree(sources / 'ci', self.root / 'action' / 'ci')
        (self.root / 'tmp').mkdir()
        self.work = self.root / 'work'
        self.work.mkdir()

    def run(self, words, environment=()):
        """Status and what was printed, of words that the shell of the root runs in /work."""
        def enter():
            if self.alone:
                os.chroot(self.root)
            os.chdir('/work' if self.alone else self.work)

        place = '' if self.alone else str(self.root)
        done = subprocess.run(['/bin/sh', *(w.replace('/action', place + '/action') for w in words)], preexec_fn=enter,
                              env={'PATH': place + '/bin', **dict(environment)}, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def ci(self, *words, **environment):
        return self.run(['/action/ci/tracekit-ci', *map(str, words)], environment.items())


def night(bare, captures, name):
    folder = bare.work / name
    folder.mkdir()
    for capture in captures:
        shutil.copy(capture, folder)
    (folder / 'build.log').write_text('recorded\n')
    return name


def kept(bare, place):
    status, said = bare.run(['-c', 'tracekit baseline list -f csv -c branch,machine,commit,job %s' % place])
    return said.splitlines()[1:] if status == 0 else said


def history(bare, a, b):
    good, bad, fine = night(bare, a[:5], 'mon'), night(bare, b[:5], 'tue'), night(bare, a[5:10], 'wed')
    words = ['--run-info', 'machine=ci7']
    on = dict(CI_COMMIT_SHA='c1', CI_COMMIT_REF_NAME='main', CI_JOB_URL='https://ci/1')
    status, said = bare.ci(*words, good, **on)
    check('the first night', status == 0 and 'no baseline yet of main on ci7' in said, said)
    check('what is kept', kept(bare, 'baseline') == ['main,ci7,c1,https://ci/1'] * 5, kept(bare, 'baseline'))
    status, said = bare.ci(*words, bad, **dict(on, CI_COMMIT_SHA='c2'))
    report = bare.work / 'tracekit-reports'
    comment = (report / 'comment.md').read_text()
    check('a slowdown', status == 1 and 'Lighting' in comment and 'Lighting' in said, (status, said))
    check('nothing of it is kept', len(kept(bare, 'baseline')) == 5)
    check('reports', json.loads((report / 'diff.json').read_text())['verdict'] == 'regressed' and
          xml.etree.ElementTree.parse(report / 'diff.xml').getroot().tag == 'testsuites', os.listdir(report))
    status, said = bare.ci(*words, fine, **dict(on, CI_COMMIT_SHA='c3'))
    check('a good night', status == 0 and len(kept(bare, 'baseline')) == 10, said)
    status, said = bare.ci('--run-info', 'machine=other', '--keep', 'never', bad, **on)
    check('another machine has no baseline yet', status == 0 and 'no baseline yet of main on other' in said, said)
    (bare.work / 'accepted.json').write_text('{"accepted": [{"name": "*", "reason": "new level"}]}')
    status, said = bare.ci(*words, '--accepted', 'accepted.json', bad, **dict(on, CI_COMMIT_SHA='c4'))
    check('accepted', status == 0 and 'accepted' in said and len(kept(bare, 'baseline')) == 15, said)


def one_file(bare, a):
    status, said = bare.ci('--baseline', 'base.tkb', 'mon')
    check('a new file', status == 0 and len(kept(bare, 'base.tkb')) == 5, said)
    status, said = bare.ci('--baseline', 'base.tkb', 'wed')
    names = bare.run(['-c', 'tracekit baseline list -f csv -c capture base.tkb'])[1].split()[1:]
    check('replaced by the good build', status == 0 and names == sorted(c.name for c in a[5:10]), (said, names))
    status, said = bare.ci('--baseline', 'base.tkb', 'tue')
    check('and not by a bad one', status == 1 and len(kept(bare, 'base.tkb')) == 5 and
          not (bare.work / 'base.tkb.next.tkb').exists(), said)


def budgets(bare):
    (bare.work / 'budget.json').write_text('{"budgets": [{"kind": "frame", "name": "p50", "error": 1}]}')
    status, said = bare.ci('--budget', 'budget.json', '--reports', 'r', '--baseline', 'none.tkb', 'mon')
    check('a budget', status == 1 and 'exceeded' in (bare.work / 'r' / 'comment.md').read_text() and
          not (bare.work / 'none.tkb').exists(), said)
    status, said = bare.ci('--expect', 'gpu,60s', '--baseline', 'none.tkb', 'mon')
    check('without content', status == 1 and 'Recordings without content' in
          (bare.work / 'tracekit-reports' / 'comment.md').read_text() and not (bare.work / 'none.tkb').exists(), said)


def damaged(bare, a):
    """Forty bytes of a packet are wrong: the run has all that is expected of it, and is instructed to be damaged."""
    capture = bytearray(a[10].read_bytes())
    for i in range(500000, 500040):
        capture[i] ^= 0x55
    (bare.work / 'hurt').mkdir()
    (bare.work / 'hurt' / 'hurt.utrace').write_bytes(capture)
    status, said = bare.ci('--expect', 'frames,timers', '--keep', 'never', '--baseline', 'base.tkb', 'hurt')
    comment = (bare.work / 'tracekit-reports' / 'comment.md').read_text()
    check('a damaged run', status == 4 and '1 run is damaged' in comment and 'without content' not in comment, (status, said))
    status, said = bare.ci('--expect', 'frames', '--baseline', 'base.tkb', 'nothing.utrace')
    check('an expected run that is not there', status == 3 and 'nothing.utrace' in said, (status, said))


def usage(bare):
    for words in ((), ('--basline', 'x', 'mon'), ('--keep', 'perhaps', 'mon'), ('--baseline',)):
        status, said = bare.ci(*words)
        check('usage %s' % (words,), status == 2 and said.startswith('tracekit-ci: '), (status, said))
    check('help', bare.ci('--help')[0] == 0)
    check('a run that is not there', bare.ci('--baseline', 'base.tkb', 'nothing.utrace')[0] == 3)


def action(bare, sources):
    """The step of the action, with the values that it gets on a runner."""
    text = (sources / 'action.yml').read_text()
    script = re.search(r'      run: \|\n((?:        .*\n)+)', text).group(1)
    script = '\n'.join(line[8:] for line in script.splitlines())
    names = re.findall(r'^        (TK_\w+): ', text, re.M)
    summary = bare.work / 'summary.md'
    place = '' if bare.alone else str(bare.root)
    values = dict(TK_RUNS='mon wed', TK_BASELINE='cache/', TK_BASE='main', TK_KEEP='good', TK_REPORTS='reports',
                  TK_CI=place + '/action/ci/tracekit-ci', GITHUB_SHA='c9', GITHUB_REF_NAME='main', GITHUB_ACTIONS='true',
                  GITHUB_RUN_ID='12', GITHUB_SERVER_URL='https://github.com', GITHUB_REPOSITORY='a/b',
                  GITHUB_STEP_SUMMARY=('/work' if bare.alone else str(bare.work)) + '/summary.md')
    check('values of the step', set(names) == {n for n in values if n.startswith('TK_')} |
          {'TK_BIN', 'TK_BUDGET', 'TK_EXPECT', 'TK_ACCEPTED'}, names)
    environment = {**{n: '' for n in names}, **values}
    status, said = bare.run(['-c', script], environment.items())
    jobs = {line.split(',')[3] for line in kept(bare, 'cache')}
    check('the action keeps', status == 0 and jobs == {'https://github.com/a/b/actions/runs/12'}, (status, said, jobs))
    status, said = bare.run(['-c', script], {**environment, 'TK_RUNS': 'tue', 'GITHUB_SHA': 'c10'}.items())
    check('the action tells', status == 1 and '::error title=' in said and 'Lighting' in summary.read_text(), said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('--corpus', required=True, type=pathlib.Path)
    parser.add_argument('sources', type=pathlib.Path)
    args = parser.parse_args()
    a, b = (sorted((args.corpus / 'runs').glob(build + '_*.utrace')) for build in 'ab')
    with tempfile.TemporaryDirectory() as name:
        bare = Bare(pathlib.Path(name), args.bin, args.sources)
        history(bare, a, b)
        one_file(bare, a)
        budgets(bare)
        damaged(bare, a)
        usage(bare)
        action(bare, args.sources)
    print('%d checks, %d failed%s' % (checks, len(failures), '' if bare.alone else ' (not in a root of its own)'))
    for failure in failures:
        print('  ' + failure)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
