#!/usr/bin/env python3
"""More scopes of different kinds than an export keeps: those behind its limit come out like all others, with one job and with two.

usage: check_many_names.py --bin DIRECTORY
"""

import argparse
import collections
import pathlib
import random
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness'), str(HERE)]
import check_export as exports  # noqa: E402
import commands                 # noqa: E402
import report                   # noqa: E402

KINDS = 1 << 18     # that are kept (MOST_KINDS)
BEHIND = 3000       # names behind them
AGAIN = 2000        # scopes with any of all names, after that


def scopes():
    """Name and duration in microseconds of each scope."""
    draws = random.Random(5)
    for i in range(KINDS + BEHIND + AGAIN):
        yield 'n%d' % (i if i < KINDS + BEHIND else draws.randrange(KINDS + BEHIND)), 1 + i % 7


def write(path):
    with open(path, 'w', encoding='ascii') as out:
        out.write('{"traceEvents":[')
        for i, (name, duration) in enumerate(scopes()):
            out.write('%s{"ph":"X","pid":1,"tid":%d,"ts":%d,"dur":%d,"name":"%s"}\n' %
                      (',' if i else '', 1 + i % 3, 10 * i, duration, name))
        out.write(']}')


def check(result, tools, work, form):
    wanted = collections.Counter((name, 1000 * duration) for name, duration in scopes())
    written = []
    for jobs in 1, 2:
        path = work / ('%d.%s' % (jobs, form))
        exports.export(tools, work / 'names.json', form, path, '--jobs', jobs)
        got = collections.Counter((name, duration) for _, name, duration in exports.READERS[form](path))
        result.equal('scopes with %d jobs' % jobs, got, wanted)
        written.append(path.read_bytes())
    result.true('the same bytes', written[0] == written[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    options = parser.parse_args()
    run, tools = report.Report(), commands.Commands(options.bin)
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        write(work / 'names.json')
        for form in 'chrome', 'perfetto':
            run.run(form, check, tools, work, form)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
