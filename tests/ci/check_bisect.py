#!/usr/bin/env python3
"""ci/tracekit-bisect in repositories of git that are made here: 16 commits of which commit 11 makes a timer 10 % slower, and two
that do not run. It finds that commit, with noise between runs and frames; its statuses are those that git expects.

usage: check_bisect.py --bin DIRECTORY --seeds N SOURCES
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness')]
import report    # noqa: E402

SLOWER, BROKEN, COMMITS = 11, (6, 9), 16
PLAY = '''import json, os, pathlib, random, sys
cost = float(pathlib.Path('cost').read_text())
if cost < 0:
    sys.exit(1)
rng = random.Random('%s %s %s' % (sys.argv[2], os.environ.get('TRACEKIT_CHANGE'), os.environ.get('TRACEKIT_RUN')))
machine, time, events = 1 + rng.gauss(0, .006), 1000.0, [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1, 'args': {'name': 'GameThread'}}]
for frame in range(200):
    physics, other = (cost * 1000 * machine * (1 + rng.gauss(0, .05)), 5000 * machine * (1 + rng.gauss(0, .05)))
    events.append({'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': 1, 'ts': round(time, 1)})
    events.append({'ph': 'X', 'name': 'Physics', 'pid': 1, 'tid': 1, 'ts': round(time + 2, 1), 'dur': round(physics, 1)})
    events.append({'ph': 'X', 'name': 'Anim, "all"', 'pid': 1, 'tid': 1, 'ts': round(time + physics + 4, 1), 'dur': round(other, 1)})
    time += physics + other + 200
events.append({'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': 1, 'ts': round(time, 1)})
pathlib.Path(sys.argv[1]).write_text(json.dumps({'traceEvents': events}))
with open(sys.argv[3], 'a') as played:
    played.write('x')
'''


class Studio:
    """A repository, a good baseline, and the script, which finds the commands first in PATH."""

    def __init__(self, folder, directory, sources):
        self.folder, self.repository = folder, folder / 'game'
        self.script, self.played = sources / 'ci' / 'tracekit-bisect', folder / 'played'
        self.environment = {**os.environ, 'PATH': f'{directory}:{os.environ["PATH"]}', 'HOME': str(folder), 'LC_ALL': 'C',
                            'GIT_CONFIG_NOSYSTEM': '1', 'GIT_AUTHOR_NAME': 'n', 'GIT_AUTHOR_EMAIL': 'a@b', 'GIT_COMMITTER_NAME': 'n',
                            'GIT_COMMITTER_EMAIL': 'a@b'}
        self.environment.pop('TRACEKIT_CHANGE', None)
        (folder / 'play.py').write_text(PLAY)
        self.repository.mkdir()
        self.git('init', '-q', '.')
        for i in range(1, COMMITS + 1):
            (self.repository / 'cost').write_text('-1' if i in BROKEN else '3.3' if i >= SLOWER else '3.0')
            (self.repository / 'n').write_text(str(i))
            self.git('add', '-A')
            self.git('commit', '-qm', f'c{i}')

    def run(self, *words, **more):
        return subprocess.run(list(map(str, words)), cwd=self.repository, env={**self.environment, **more}, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=500)

    def git(self, *words):
        done = self.run('git', *words)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def play(self, path, seed, run):
        cost = (self.repository / 'cost').read_text()
        (self.repository / 'cost').write_text('3.0')
        done = self.run(sys.executable, self.folder / 'play.py', path, seed, self.played, TRACEKIT_CHANGE='base', TRACEKIT_RUN=str(run))
        (self.repository / 'cost').write_text(cost)
        assert done.returncode == 0, done.stderr

    def base(self, seed):
        folder = self.folder / f'base-{seed}'
        if not folder.exists():
            folder.mkdir()
            for run in range(8):
                self.play(folder / f'{run}.json', f'base {seed}', run)
        return folder

    def words(self, seed, *options, series='Physics'):
        return [self.script, '--base', self.base(seed), '--series', series, *options, '--', sys.executable, self.folder / 'play.py', '{out}',
                seed, self.played]

    def step(self, commit, seed, *options, **more):
        self.git('checkout', '-q', f'master~{COMMITS - commit}' if commit < COMMITS else 'master')
        return self.run(*self.words(seed, *options, **more))


def check_found(result, studio, seeds):
    found, broken = 0, 0
    for seed in range(seeds):
        studio.git('checkout', '-q', 'master')
        studio.git('bisect', 'start', 'master', f'master~{COMMITS - 1}')
        done = studio.run('git', 'bisect', 'run', *studio.words(seed))
        number = studio.git('show', 'refs/bisect/bad:n') if done.returncode == 0 else ''
        studio.git('bisect', 'reset')
        found += number == str(SLOWER)
        broken += number in map(str, BROKEN)
        result.true(f'seed {seed}: a line a step: {done.stdout[-600:]}{done.stderr[-300:]}', 'bad: Physics' in done.stdout)
    result.true(f'commit {SLOWER} is found in {found} of {seeds}', found >= 0.95 * seeds)
    result.true('never one that does not run', broken == 0)


def check_statuses(result, studio):
    for commit, status, says in ((3, 0, 'good: Physics'), (12, 1, 'bad: Physics +'), (6, 125, 'the command ended with status 1')):
        done = studio.step(commit, 1)
        result.true(f'commit {commit}: {done.returncode} {done.stdout} {done.stderr}', done.returncode == status and says in done.stdout)
    done = studio.step(3, 1, series='timer:Anim, "all"')
    result.true(f'a name with a comma: {done}', done.returncode == 0 and 'Anim' in done.stdout)
    done = studio.step(12, 1, '--series', 'frame:p50', series='timer:Anim, "all"')
    result.true(f'several series: {done}', done.returncode in (1, 125) and 'p50' in done.stdout)
    bad = studio.folder / 'bad.tkb'
    bad.write_text('no baseline')
    good = ['--base', studio.base(1), '--series', 'Physics']
    play = ['--', 'cp', '/dev/null', '{out}']
    for what, words, says in (
            ('no base', ['--series', 'x', *play], 'which baseline?'), ('no series', ['--base', bad, *play], 'which series?'),
            ('no command', good, 'which command?'), ('no {out}', [*good, '--', 'true'], 'has to take {out}'),
            ('an unknown option', ['--bse', 'x', *play], '--bse'), ('bad numbers', [*good, '--runs', '4,x', *play], '--runs'),
            ('numbers that fall', [*good, '--runs', '8,4', *play], '--runs'), ('no value', [*good, '--runs'], 'needs a value'),
            ('a bad base', ['--base', bad, '--series', 'x', *play], 'cannot be compared with'),
            ('a missing base', ['--base', 'nowhere.tkb', '--series', 'x', *play], 'cannot be compared with'),
            ('an unknown series', ['--base', studio.base(1), '--series', 'Physic', *play], "no series 'Physic'")):
        done = studio.run(studio.script, *words)
        result.true(f'{what}: {done}', done.returncode == 128 and says in done.stderr)
    for what, command, says in (('an empty capture', play, 'left no capture'), ('no capture', ['--', 'true', '{out}'], 'left no capture'),
                                ('damage', ['--', 'cp', bad, '{out}'], 'cannot be judged')):
        done = studio.run(studio.script, *good, *command)
        result.true(f'{what}: {done}', done.returncode == 125 and says in done.stdout)
    done = studio.run(studio.script, *good, *play, TRACEKIT_CHANGE='../x')
    result.true(f'a change that is no name: {done}', done.returncode == 128)


def check_kept(result, studio):
    """What was recorded is not recorded again; half a recording is."""
    keep = studio.folder / 'kept'
    studio.base(2)
    studio.played.write_text('')
    first = studio.step(3, 2, '--keep', keep, '--runs', '4')
    result.equal('runs', len(studio.played.read_text()), 4)
    folder = next(keep.iterdir())
    result.equal('kept', sorted(path.name for path in folder.iterdir()), [f'run-{i}.utrace' for i in (1, 2, 3, 4)])
    (folder / 'run-4.utrace').rename(folder / 'recording.utrace')
    studio.played.write_text('')
    again = studio.step(3, 2, '--keep', keep, '--runs', '4')
    result.equal('one is recorded again', len(studio.played.read_text()), 1)
    result.equal('and the answer is the same', (again.returncode, again.stdout), (first.returncode, first.stdout))
    more = studio.step(3, 2, '--keep', keep, '--runs', '6')
    result.equal('two more', (len(studio.played.read_text()), more.returncode), (3, 0))
    other = studio.step(3, 2, '--keep', keep, '--runs', '1')
    result.true(f'one run against eight: {other}', other.returncode in (0, 125))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('--seeds', type=int, required=True)
    parser.add_argument('sources', type=pathlib.Path)
    arguments = parser.parse_args()
    run = report.Report()
    if not shutil.which('git') or not shutil.which('awk'):
        print('git or awk is not here')
        return report.SKIPPED
    with tempfile.TemporaryDirectory() as path:
        studio = Studio(pathlib.Path(path), pathlib.Path(arguments.bin).resolve(), arguments.sources.resolve())
        studio.git('branch', '-M', 'master')
        run.run('statuses', check_statuses, studio)
        run.run('runs that are kept', check_kept, studio)
        run.run('bisections', check_found, studio, arguments.seeds)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
