#!/usr/bin/env python3
"""examples/studio/walk.sh over the playtests that it makes: each of its steps says what was planted.

usage: check_studio.py --bin DIRECTORY --runs N SOURCES
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness')]
import report    # noqa: E402

# step -> what its answer says, and status of its commands where it is not 0
SAYS = {
    '1': (r'Canyon-501-1\.json +501 +Canyon +lab-2 +600', []),
    '2': (r'sync-load +FlushAsyncLoading, 2 times, worst 40\.00 ms in frame 150', []),
    '3': (r'(?m)^cx .*\n +3 +0 +100 .* 100 ', []),                         # the worst cell first
    '4': (r'CollectGarbage +gc', []),
    '5': (r'Physics +\S+ ms +\S+ ms +\+(2[89]|3[0-2])\.', [1]),
    '6': (r'Frames at p95 are over budget', [1, 1]),
    '7': (r'Harbor-503-1\.json: warning: sync-load: FlushAsyncLoading, 2 times', [1]),
    '8': (r'trace-report', []),
    '9': (r'', []),
}


def check_walk(result, directory, runs, sources):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, 'PATH': f'{directory}:{os.environ["PATH"]}', 'LC_ALL': 'C', 'NO_COLOR': '1'}
        done = subprocess.run(['sh', sources / 'examples' / 'studio' / 'walk.sh', folder, str(runs)], capture_output=True, text=True, env=environment,
                              stdin=subprocess.DEVNULL, timeout=500)
        result.equal('status', (done.returncode, done.stderr[-300:]), (0, ''))
        steps = dict(re.findall(r'(?s)\n== (\d+)\. (.*?)(?=\n== |\Z)', done.stdout))
        result.equal('steps', sorted(steps), sorted(SAYS))
        for step, (says, statuses) in SAYS.items():
            text = steps.get(step, '')
            result.true(f'step {step} says {says}: {text[-700:]}', re.search(says, text))
            result.equal(f'statuses of step {step}', list(map(int, re.findall(r'\(status (\d+)\)', text))), statuses)
        result.true('each map and build has its number', steps['9'].strip().endswith(str(6 * runs)))
        result.true('the page is there', (pathlib.Path(folder) / 'harbor.html').stat().st_size > 10000)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('--runs', type=int, required=True)
    parser.add_argument('sources', type=pathlib.Path)
    arguments = parser.parse_args()
    run = report.Report()
    run.run('the week of a studio', check_walk, pathlib.Path(arguments.bin).resolve(), arguments.runs, arguments.sources.resolve())
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
