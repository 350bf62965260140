#!/usr/bin/env python3
"""Outputs of several files on a disk that is full: all are there, or none. The disks are file systems in memory of several
sizes, which only root may mount; others see nothing tested.

usage: check_full_disk.py --bin DIRECTORY FIXTURES
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import report  # noqa: E402

FAILED = 3
SIZES = (4, 16, 48, 128, 320)  # KiB


def outputs(fixtures, out):
    tiny = fixtures / 'tiny.utrace'
    return {
        'edit by frames': ('trace-edit', tiny, '-o', out / 'part.utrace', '--split', 'frames=2', '-q'),
        'edit by time': ('trace-edit', tiny, '-o', out / 'part.utrace', '--split', '10ms', '-q'),
        'reports': ('trace-diff', tiny, tiny, '--report', 'json=%s' % (out / 'a.json'), '--report', 'html=%s' % (out / 'b.html'),
                    '--report', 'text=%s' % (out / 'c.txt'), '-q'),
        'summary': ('trace-stats', tiny, '--summary', out / 'runs', '-q'),
        'folder': ('trace-export', tiny, '-f', 'csv', '-o', out / 'tables', '-q'),
        'parquet': ('trace-export', tiny, '-f', 'parquet', '-o', out / 'tables', '-q'),
        'timeline': ('trace-export', tiny, '-f', 'chrome', '--split', '10ms', '-o', out / 'line.json', '-q'),
        'insights': ('trace-export', tiny, '-p', 'insights', '-o', out / 'files', '-q'),
        'summarize': ('trace-export', tiny, '-p', 'summarize', '-o', out / 'sums.csv', '-q'),
    }


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob('*') if path.is_file())


def run(options, words):
    return subprocess.run([options.bin / words[0], *map(str, words[1:])], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE).returncode


def check(result, options, name, work):
    free = work / 'free'
    free.mkdir()
    result.true('it works', run(options, outputs(options.fixtures, free)[name]) in (0, 1, 4))
    wanted, full = files(free), 0
    result.true('several files', len(wanted) > 1)
    for size in SIZES:
        disk = work / ('disk-%d' % size)
        disk.mkdir()
        subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=%dk' % size, 'tmpfs', disk], check=True)
        try:
            status = run(options, outputs(options.fixtures, disk)[name])
            full += status == FAILED
            result.equal('%d KiB, files' % size, files(disk), [] if status == FAILED else wanted)
        finally:
            subprocess.run(['umount', disk], check=True)
    result.true('it was full', full > 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    if os.geteuid() != 0:
        print('only root may mount disks: nothing is tested')
        return 77
    runs = report.Report()
    for name in outputs(options.fixtures, pathlib.Path()):
        with tempfile.TemporaryDirectory() as work:
            runs.run(name, check, options, name, pathlib.Path(work))
    return runs.close()


if __name__ == '__main__':
    sys.exit(main())
