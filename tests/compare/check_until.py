#!/usr/bin/env python3
"""trace-diff --until-decided: plays made by examples/studio, of which it is known whether they are slower.

usage: check_until.py --bin DIRECTORY SOURCES
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness')]
import report    # noqa: E402

# What notes its runs in a file, plays one, and says so.
PLAY = """
echo played >>"$1"
python3 "$2" --play Canyon "$3" "$4"
echo loud
"""


class Studio:
    def __init__(self, directory, sources, folder):
        self.directory, self.folder, self.maker = directory, folder, sources / 'examples' / 'studio' / 'make_playtests.py'
        (folder / 'play.sh').write_text(PLAY)
        for n in range(4):
            self.command(sys.executable, self.maker, '--play', 'Canyon', 501, folder / f'base{n}.json')
        self.command(directory / 'trace-baseline', 'add', 'base.tkb', *(f'base{n}.json' for n in range(4)), '-q')

    def command(self, *words):
        return subprocess.run(list(map(str, words)), capture_output=True, text=True, cwd=self.folder, timeout=300)

    def until(self, most, build, *words, play=None):
        log = self.folder / 'log'
        log.unlink(missing_ok=True)
        play = play or ['sh', 'play.sh', log, self.maker, build, '{out}']
        done = self.command(self.directory / 'trace-diff', '--until-decided', most, 'base.tkb', *words, '--', *play)
        return done, log.read_text().count('played') if log.exists() else 0


def check_verdicts(result, studio):
    for build, status in ((503, 1), (501, 0)):
        done, runs = studio.until(20, build, '--series', 'timer:Physics', '-f', 'csv')
        result.equal(f'{build}: {done.stderr[-300:]}', done.returncode, status)
        result.true(f'{build}: {runs} runs, two at a time', 2 <= runs <= 8 and runs % 2 == 0)
        result.true('its output is not in the report', 'loud' not in done.stdout and 'loud' in done.stderr)
        result.true(f'each look is said: {done.stderr}', f'{runs} runs: decided' in done.stderr)
        result.equal('the report is whole', done.stdout.splitlines()[0].split(',')[:2], ['kind', 'name'])
        result.true('nothing is left', not list(pathlib.Path(tempfile.gettempdir()).glob('*played.utrace*')))


def check_most(result, studio):
    """A run that is never the same is never decided: no more than N, and the answer of the comparison."""
    (studio.folder / 'wild.sh').write_text('echo played >>"$1"\nn=$(wc -l <"$1")\n[ $((n % 2)) = 0 ] && set -- "$1" "$2" 503 "$4"\n'
                                           'python3 "$2" --play Canyon "$3" "$4"\n')
    done, runs = studio.until(3, 501, '--series', 'timer:Physics', play=['sh', 'wild.sh', studio.folder / 'log', studio.maker, 501, '{out}'])
    result.equal('no more than three', runs, 3)
    result.true(f'said to be undecided: {done.stderr}', '3 runs: not decided yet' in done.stderr)


def check_mistakes(result, studio):
    for words, status, says in (
            (['--until-decided', '4', 'base.tkb', '--', 'true'], 2, '{out}'),
            (['--until-decided', '4', 'base.tkb'], 2, 'which command'),
            (['--until-decided', '1', 'base.tkb', '--', 'true', '{out}'], 2, 'from 2 to 1000'),
            (['base.tkb', 'base.tkb', '--series', 'x'], 2, '--until-decided'),
            (['--until-decided', '4', 'base.tkb', '--', 'false', '{out}'], 3, 'ended with status 1'),
            (['--until-decided', '4', 'base.tkb', '--', 'true', '{out}'], 3, 'left no capture'),
            (['--until-decided', '4', 'base.tkb', '--', './no-such-program', '{out}'], 3, 'cannot start'),
            (['--until-decided', '4', 'base.tkb', '--', 'cp', 'play.sh', '{out}'], 3, ''),
            (['--until-decided', '4', 'base.tkb', '--series', 'timer:Fysics', '--', sys.executable, studio.maker, '--play', 'Canyon', '501', '{out}'], 2,
             "no series 'timer:Fysics'")):
        done = studio.command(studio.directory / 'trace-diff', *words)
        result.true(f'{words}: {done.returncode} {done.stderr[:300]}', done.returncode == status and says in done.stderr and done.stdout == '')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('sources', type=pathlib.Path)
    arguments = parser.parse_args()
    run = report.Report()
    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(arguments.bin.resolve(), arguments.sources.resolve(), pathlib.Path(folder))
        for check in (check_verdicts, check_most, check_mistakes):
            run.run(check.__name__[6:], check, studio)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
