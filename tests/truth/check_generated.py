#!/usr/bin/env python3
"""Compares the table `timers` of a generated capture with the sums that its generator kept.

usage: check_generated.py --bin DIRECTORY --generator PROGRAM [--size BYTES]
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402

FIGURES = ('count', 'total', 'min', 'max', 'excl')
KEY = ('timer', 'kind')


def check(result, runner, generator, size, seed, work):
    capture, kept = work / 'cpu.utrace', work / 'truth.json'
    subprocess.run([generator, capture, str(size), '--seed', str(seed), '--truth', kept], check=True,
                   stdout=subprocess.DEVNULL)
    truth = commands.parse_json(kept.read_text(encoding='utf-8'))
    wanted = {(timer['name'], timer['kind']): [timer[key] for key in FIGURES]
              for timer in truth['timers'] if timer['count']}
    for jobs in ('1', '3'):
        rows = runner.table(capture, 'timers', (*KEY, *FIGURES), '--jobs', jobs)
        result.equal('timers with %s jobs' % jobs,
                     {tuple(row[key] for key in KEY): [int(row[key]) for key in FIGURES] for row in rows}, wanted)
        result.equal('scopes', sum(int(row['count']) for row in rows), truth['scopes'])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, help='the directory of the commands')
    parser.add_argument('--generator', required=True, help='the program bench-gen-cpu')
    parser.add_argument('--size', type=int, default=4 << 20, help='bytes of a capture')
    options = parser.parse_args()
    runner = commands.Commands(options.bin)
    run = report.Report()
    for seed in (1, 2, 3):
        with tempfile.TemporaryDirectory() as work:
            run.run('seed %d' % seed, check, runner, options.generator, options.size, seed, pathlib.Path(work))
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
