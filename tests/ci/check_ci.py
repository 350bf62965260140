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
import stat
import subprocess
import sys
import tempfile
import threading
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
        for name in ('diff', 'check', 'info', 'stats', 'trend'):
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
    status, said = bare.ci(*words, '--first-night', '--keep', 'never', good, **on)
    check('the first night is meant', status == 0 and "no baseline yet of 'main'" in said, said)
    status, said = bare.ci(*words, good, **on)
    check('the first night', status == 4 and "no baseline yet of 'main'" in said and '--first-night' in said, said)
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
    for name, more, wanted in (('other', (), 4), ('other', ('--first-night',), 1)):
        status, said = bare.ci('--run-info', 'machine=' + name, '--keep', 'never', *more, bad, **on)
        check('another machine %s' % (more,), status == wanted and "10 runs of 'main', none of this kind of machine (other)" in said and
              'Lighting' in said, said)
    status, said = bare.ci('--run-info', 'machine=other', '--keep', 'never', fine, **dict(on, CI_COMMIT_SHA='c9'))
    check('another machine, and nothing slower', status == 4, said)
    (bare.work / 'accepted.json').write_text('{"accepted": [{"name": "*", "reason": "new level"}]}')
    status, said = bare.ci(*words, '--accepted', 'accepted.json', bad, **dict(on, CI_COMMIT_SHA='c4'))
    check('accepted', status == 0 and 'accepted' in said and len(kept(bare, 'baseline')) == 15, said)


def one_file(bare, a):
    status, said = bare.ci('--baseline', 'base.tkb', 'mon')
    check('a new file', status == 4 and len(kept(bare, 'base.tkb')) == 5, said)
    status, said = bare.ci('--baseline', 'base.tkb', 'mon')
    check('the same runs again are no verdict', status == 4 and 'a run is on both sides' in said, said)
    status, said = bare.ci('--baseline', 'base.tkb', 'wed')
    names = bare.run(['-c', 'tracekit baseline list -f csv -c capture base.tkb'])[1].split()[1:]
    check('replaced by the good build', status == 0 and names == sorted(c.name for c in a[5:10]), (said, names))
    status, said = bare.ci('--baseline', 'base.tkb', 'tue')
    check('and not by a bad one', status == 1 and len(kept(bare, 'base.tkb')) == 5 and
          not (bare.work / 'base.tkb.next.tkb').exists(), said)


MAIN, CHANGE = 'main', 'speed/up'
PULL = {'GITHUB_HEAD_REF': CHANGE, 'GITHUB_BASE_REF': MAIN, 'GITHUB_REF_NAME': '12/merge'}
TEAMCITY = ('teamcity.configuration.properties.file=%s', 'vcsroot.branch=refs/heads/main\nteamcity.build.branch=%s\n%s')
# example: variables of a build of the main branch, and of changes that are not merged, which name the word that says so
SERVICES = {
    'github.yml': ({'GITHUB_REF_NAME': MAIN},
                   [(PULL, 'GITHUB_BASE_REF'), ({**PULL, 'GITHUB_HEAD_REF': MAIN}, 'GITHUB_BASE_REF'),
                    ({'GITHUB_REF_NAME': 'gh-readonly-queue/main/pr-12-c9'}, 'merge queue'),
                    ({'GITHUB_REF_NAME': CHANGE, 'GITHUB_EVENT_PATH': 'event.json'}, 'default branch')], 'GITHUB_SHA'),
    'gitlab.yml': ({'CI_COMMIT_BRANCH': MAIN, 'CI_COMMIT_REF_NAME': MAIN, 'CI_DEFAULT_BRANCH': MAIN},
                   [({'CI_COMMIT_REF_NAME': CHANGE, 'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME': CHANGE, 'CI_MERGE_REQUEST_TARGET_BRANCH_NAME': MAIN,
                      'CI_DEFAULT_BRANCH': 'trunk'}, 'CI_MERGE_REQUEST_TARGET_BRANCH_NAME'),
                    ({'CI_COMMIT_BRANCH': CHANGE, 'CI_COMMIT_REF_NAME': CHANGE, 'CI_DEFAULT_BRANCH': MAIN}, 'default branch')], 'CI_COMMIT_SHA'),
    'Jenkinsfile': ({'BRANCH_NAME': MAIN, 'BRANCH_IS_PRIMARY': 'true', 'BUILD_URL': 'https://j/1/'},
                    [({'BRANCH_NAME': 'PR-12', 'CHANGE_BRANCH': CHANGE, 'CHANGE_TARGET': MAIN, 'CHANGE_ID': '12', 'BUILD_URL': 'https://j/2/'},
                      'CHANGE_TARGET')], 'GIT_COMMIT'),
    'azure.yml': ({'BUILD_SOURCEBRANCH': 'refs/heads/main', 'BUILD_SOURCEBRANCHNAME': MAIN},
                  [({'BUILD_SOURCEBRANCH': 'refs/pull/12/merge', 'BUILD_SOURCEBRANCHNAME': 'merge', 'SYSTEM_PULLREQUEST_TARGETBRANCH': 'refs/heads/main',
                     'SYSTEM_PULLREQUEST_SOURCEBRANCH': 'refs/heads/' + CHANGE}, 'SYSTEM_PULLREQUEST_TARGETBRANCH')], 'BUILD_SOURCEVERSION'),
    'buildkite.yml': ({'BUILDKITE': 'true', 'BUILDKITE_BRANCH': MAIN, 'BUILDKITE_PULL_REQUEST': 'false', 'BUILDKITE_PIPELINE_DEFAULT_BRANCH': MAIN},
                      [({'BUILDKITE': 'true', 'BUILDKITE_BRANCH': CHANGE, 'BUILDKITE_PULL_REQUEST': '12', 'BUILDKITE_PULL_REQUEST_BASE_BRANCH': MAIN},
                        'BUILDKITE_PULL_REQUEST_BASE_BRANCH'),
                       ({'BUILDKITE': 'true', 'BUILDKITE_BRANCH': CHANGE, 'BUILDKITE_PULL_REQUEST': 'false', 'BUILDKITE_PIPELINE_DEFAULT_BRANCH': MAIN},
                        'default branch')], 'BUILDKITE_COMMIT'),
    'teamcity.sh': ({'TEAMCITY_VERSION': '2026.1', 'TEAMCITY_BUILD_PROPERTIES_FILE': 'main.properties'},
                    [({'TEAMCITY_VERSION': '2026.1', 'TEAMCITY_BUILD_PROPERTIES_FILE': 'pull.properties'}, 'teamcity.pullRequest.target.branch'),
                     ({'TEAMCITY_VERSION': '2026.1', 'TEAMCITY_BUILD_PROPERTIES_FILE': 'branch.properties'}, 'default branch')], 'BUILD_VCS_NUMBER'),
}


def command_of(sources, name):
    """What an example calls, with runs of five seconds expected, not sixty."""
    text = (sources / 'ci' / 'examples' / name).read_text()
    line = re.search(r"tracekit-ci [^'\n]*", text)
    if line:
        words = line.group(0).split()[1:]
    else:       # the inputs of the action
        inputs = dict(re.findall(r'^          (\w+): (.*)$', text, re.M))
        words = [w for key in ('budget', 'expect', 'accepted') if key in inputs for w in ('--' + key, inputs[key])] + inputs['runs'].split()
    return [w.replace('60s', '3s') for w in words]


def services(bare, sources, a, b):
    """The example of each service: a change is compared with its target, and no run of it becomes one of the target."""
    place = '' if bare.alone else str(bare.root)
    shutil.copy(sources / 'ci' / 'examples' / 'accepted.json', bare.work)
    budget = json.loads((sources / 'ci' / 'examples' / 'budget.json').read_text())
    budget['budgets'][1]['error'] = 30      # hitches: good runs have 12 a minute
    (bare.work / 'budget.json').write_text(json.dumps(budget))
    (bare.work / 'event.json').write_text('{"repository": {"id": 1, "default_branch": "main", "name": "x"}}')
    for name, branch, more in (('main', '<default>', ''), ('branch', CHANGE, ''), ('pull', 'pull/12', 'teamcity.pullRequest.target.branch=main\n'
                                                           'teamcity.pullRequest.source.branch=' + CHANGE)):
        (bare.work / (name + '.properties')).write_text(TEAMCITY[0] % (name + '.config'))
        (bare.work / (name + '.config')).write_text(TEAMCITY[1] % (branch, more))
    good, bad, fine = night(bare, a[:5], 'new-a'), night(bare, b[:5], 'new-b'), night(bare, a[5:10], 'new-c')
    for example, (on_main, changes, commit) in SERVICES.items():
        folder = example.split('.')[0] + '-history/'
        words = ['--budget' if w == '--budget' else w.replace('/srv/performance/game/', folder) for w in command_of(sources, example)]
        words += [] if '--baseline' in words else ['--baseline', folder]

        def build(runs, environment, *more):
            given = [runs if w == 'new' else w for w in words]
            return bare.ci(*given, *more, **{commit: 'c-' + runs, **{k: v.replace('%s', place) for k, v in environment.items()}})

        status, said = build(good, on_main)
        check('%s: the first night' % example, status == 4 and "no baseline yet of 'main'" in said, said)
        base = kept(bare, folder)
        check('%s: it is kept' % example, [line.split(',')[0] for line in base] == ['main'] * 5, base)
        for environment, word in changes:
            for runs, wanted in ((bad, 1), (bad, 1), (fine, 0)):
                status, said = build(runs, environment)
                check('%s: %s of a change' % (example, runs), status == wanted and "compared with 'main': " in said and word in said, (status, said))
            check('%s: nothing of the change is kept' % example, kept(bare, folder) == base)
        build(bad, changes[-1][0], '--keep', 'always')
        names = [line.split(',')[0] for line in kept(bare, folder)]
        check('%s: kept under the name of the change' % example, names.count('main') == 5 and len(names) == 10, names)
        status, said = build(bad, changes[0][0])
        check('%s: and never compared with itself' % example, status == 1 and "compared with 'main'" in said, (status, said))
        status, said = build(fine, on_main)
        check('%s: a good night' % example, status == 0 and sum(line.startswith('main,') for line in kept(bare, folder)) == 10, (status, said))
    # a change of which nothing of the target is there yet is no pass, and is not kept
    status, said = bare.ci('--baseline', 'nothing/', bad, CI_COMMIT_SHA='c', **SERVICES['gitlab.yml'][1][0][0])
    check('no base', status == 4 and "no baseline yet of 'main'" in said and not (bare.work / 'nothing').exists(), said)
    status, said = bare.ci('--baseline', 'one.tkb', good, CI_COMMIT_SHA='c', CI_COMMIT_BRANCH=MAIN, CI_DEFAULT_BRANCH=MAIN)
    status, said = bare.ci('--baseline', 'one.tkb', '--keep', 'always', bad, CI_COMMIT_SHA='d', **SERVICES['gitlab.yml'][1][0][0])
    check('one file and a change', status == 1 and len(kept(bare, 'one.tkb')) == 5 and len(kept(bare, 'one.speed_up.tkb')) == 5, (status, said))


def in_git(bare, sources, a, b):
    """Without a service the work tree says what the target is."""
    git = shutil.which('git')
    if not git:
        return
    if bare.alone:      # git opens it whatever it does
        try:
            (bare.root / 'dev').mkdir()
            os.mknod(bare.root / 'dev' / 'null', 0o666 | stat.S_IFCHR, os.makedev(1, 3))
            (bare.root / 'dev' / 'null').read_bytes()
        except OSError:
            return
    copy_program(bare.root, git)
    shutil.copy(git, bare.root / 'bin' / 'git')
    tree = bare.work / 'tree'
    tree.mkdir()

    def run(*words):
        subprocess.run(['git', '-C', tree, '-c', 'user.name=A', '-c', 'user.email=a@b', *words], check=True, capture_output=True)

    run('init', '-q', '-b', 'main')
    run('commit', '-q', '--allow-empty', '-m', 'first')
    place = '/work' if bare.alone else str(bare.work)

    def build(runs, *more):
        words = [w.replace('/srv/performance/game/', '../git-history/') if w != 'new' else '../' + runs for w in command_of(sources, 'git.sh')]
        words = [('../' + w if w.endswith('.json') else w) for w in words]
        quoted = ' '.join("'%s'" % w for w in [*words, *more])
        return bare.run(['-c', 'cd %s/tree && exec sh /action/ci/tracekit-ci %s' % (place, quoted)],
                        {'HOME': place, 'GIT_CONFIG_COUNT': '1', 'GIT_CONFIG_KEY_0': 'safe.directory', 'GIT_CONFIG_VALUE_0': '*'}.items())

    status, said = build('new-a')
    check('git: the first night', status == 4 and "no baseline yet of 'main'" in said, said)
    run('checkout', '-q', '-b', 'feature')
    for runs, wanted in (('new-b', 1), ('new-b', 1), ('new-c', 0)):
        status, said = build(runs)
        check('git: a branch, %s' % runs, status == wanted and "compared with 'main': the default branch" in said and
              len(kept(bare, 'git-history')) == 5, (status, said))
    run('checkout', '-q', 'main')
    status, said = build('new-c')
    check('git: main', status == 0 and len(kept(bare, 'git-history')) == 10, (status, said))
    run('checkout', '-q', '-b', 'second')
    run('branch', '-q', 'release')
    run('branch', '-q', '--set-upstream-to', 'release')
    status, said = build('new-b')
    check('git: the upstream', status == 4 and "no baseline yet of 'release'" in said and 'upstream' in said, (status, said))


def at_once(bare, sources, a, b):
    """Jobs that end at the same time on one history lose no run."""
    nights = [night(bare, a[i:i + 3], 'job%d' % i) for i in (0, 3, 6)]
    done = []

    def build(i, runs):
        done.append(bare.ci('--baseline', 'jobs/', '--reports', 'reports%d' % i, '--keep', 'always', runs, CI_COMMIT_SHA='j%d' % i,
                            CI_COMMIT_BRANCH=MAIN, CI_DEFAULT_BRANCH=MAIN))

    threads = [threading.Thread(target=build, args=job) for job in enumerate(nights)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check('jobs at once', len(kept(bare, 'jobs')) == 9 and {status for status, _ in done} <= {0, 4}, done)


def nightly(bare, sources, a, b):
    """The whole history: too short at first, and from the eighth night on a trend without a verdict is no pass."""
    words = [w.replace('/srv/performance/game/', 'nights/') for w in command_of(sources, 'nightly.sh')]
    on = dict(CI_COMMIT_BRANCH=MAIN, CI_DEFAULT_BRANCH=MAIN)
    for i in range(8):
        runs = night(bare, [(a[:8] if i < 7 else b[:1])[i % 7]], 'night%d' % i)
        given = [runs if w == 'new' else w for w in words]
        status, said = bare.ci(*given, '--keep', 'always', '--run-info', 'build=%d' % i, '--run-info', 'time=2026-01-%02d' % (i + 1),
                               CI_COMMIT_SHA='n%d' % i, **on)
        check('night %d' % i, ('a trend without a verdict ends with 4 from the night 8 on' in said) == (i < 7) and
              'How it was tested' in said and (bare.work / 'tracekit-reports' / 'trend.html').exists(), (status, said))
    check('nightly needs a folder', bare.ci('nightly', '--baseline', 'x.tkb', 'night0')[0] == 2)


# the truth of these runs: b has Subsystem.Inventory with 0.15 ms a frame, which a has not, and frames of 16.7 ms
BUDGETS = (('added cost', {'kind': 'added', 'error': 0.1}, 1, 'added cost'), ('added cost that is let be', {'kind': 'added', 'error': 0.5}, 0, 'added cost'),
           ('a region', {'kind': 'frame', 'name': 'p50', 'region': 'Fight', 'error': 1}, 4, 'Fight'))


def budgets(bare, sources):
    (bare.work / 'budget.json').write_text('{"budgets": [{"kind": "frame", "name": "p50", "error": 1}]}')
    status, said = bare.ci('--budget', 'budget.json', '--reports', 'r', '--baseline', 'none.tkb', 'mon')
    check('a budget', status == 1 and 'exceeded' in (bare.work / 'r' / 'comment.md').read_text() and
          not (bare.work / 'none.tkb').exists(), said)
    (bare.work / 'all.json').write_text('{"accepted": [{"name": "*", "reason": "new level"}]}')
    bare.run(['-c', 'trace-stats -q --save of-a.tkb mon'])
    for what, budget, wanted, words in BUDGETS:
        (bare.work / 'budget.json').write_text(json.dumps({'budgets': [budget]}))
        status, said = bare.ci('--budget', 'budget.json', '--accepted', 'all.json', '--reports', 'r', '--baseline', 'of-a.tkb', '--keep', 'never', 'tue')
        check('a budget of %s' % what, status == wanted and words in said, (status, said))
    shutil.copy(sources / 'fixtures' / 'game.utrace.zst', bare.work)    # it has 'Combat 0', with frames of some ms
    for error, wanted in ((1, 1), (1000, 0)):
        (bare.work / 'budget.json').write_text(json.dumps({'budgets': [{'kind': 'frame', 'name': 'p50', 'region': 'Combat 0', 'error': error}]}))
        status, said = bare.ci('--budget', 'budget.json', '--first-night', '--baseline', 'none.tkb', '--keep', 'never', 'game.utrace.zst')
        check('a budget of frames in a region, %s ms' % error, status == wanted and ('in region Combat 0' in said) == (wanted == 1), (status, said))
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
          {'TK_BIN', 'TK_BUDGET', 'TK_EXPECT', 'TK_ACCEPTED', 'TK_COMMENT'}, names)
    environment = {**{n: '' for n in names}, **values}
    status, said = bare.run(['-c', script], environment.items())
    jobs = {line.split(',')[3] for line in kept(bare, 'cache')}
    check('the action keeps', status == 4 and jobs == {'https://github.com/a/b/actions/runs/12'}, (status, said, jobs))
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
        services(bare, args.sources, a, b)
        in_git(bare, args.sources, a, b)
        nightly(bare, args.sources, a, b)
        at_once(bare, args.sources, a, b)
        budgets(bare, args.sources)
        damaged(bare, a)
        usage(bare)
        action(bare, args.sources)
    print('%d checks, %d failed%s' % (checks, len(failures), '' if bare.alone else ' (not in a root of its own)'))
    for failure in failures:
        print('  ' + failure)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
