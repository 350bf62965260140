#!/usr/bin/env python3
"""Captures with the events of today's recorders, damaged: cut anywhere, with wrong bytes, with snapshots that never end, with more
call stacks than are kept. Every command ends by itself, in bounded memory, and says so.

usage: check_current_damaged.py --bin DIRECTORY --maker PROGRAM --symbols PROGRAM [--most N] [--no-memory-limit]
                                [--jobs N]
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402

MEMORY = 512 << 20
QUESTIONS = (('trace-info', '--full', '--modules'),
             ('trace-stats', '-f', 'csv', '-t', 'callstacks,memory,memory_growth,allocations,objects,spatial,verse,symbol_files'),
             ('trace-events', '-f', 'ndjson'),
             ('trace-export', '-f', 'ndjson', '-o', '-'))


def ask(result, tools, what, path, statuses):
    for question in QUESTIONS:
        done = tools.run(question[0], path, *question[1:], *tools.more, timeout=30)
        result.true('%s: %s ends with %d: %s' % (what, ' '.join(question[:3]), done.status, done.err[-300:]), done.status in statuses)


def check_seed(result, tools, maker, seed, most):
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as work:
        path, bad = pathlib.Path(work) / 'made.utrace', pathlib.Path(work) / 'bad.utrace'
        subprocess.run([maker, str(seed), str(path)], stdout=subprocess.DEVNULL, check=True)
        data = path.read_bytes()
        ask(result, tools, 'whole', path, (0, 4))
        for number in range(most):
            cut = data[:draw.randrange(64, len(data))]
            bad.write_bytes(cut)
            ask(result, tools, 'cut at %d' % len(cut), bad, (0, 3, 4))
            wrong = bytearray(data)
            for _ in range(draw.choice((1, 1, 4, 40))):
                wrong[draw.randrange(64, len(wrong))] = draw.choice((0, 1, 0x7f, 0x80, 0xff, draw.randrange(256)))
            bad.write_bytes(wrong)
            ask(result, tools, 'wrong bytes %d' % number, bad, (0, 3, 4))


def check_many_stacks(result, tools, symbols, count):
    """More call stacks than are kept; addresses in no module are displayed as they are."""
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / 'stacks.utrace'
        maker = subprocess.Popen([symbols, str(path)], stdin=subprocess.PIPE, text=True)
        maker.stdin.write('format pdb\nmodule 140000000 1000 - game.exe\n')
        for number in range(1, count + 1):
            maker.stdin.write('stack %x %x ffff8%011x 140000%03x\n' % (number, number * 16, number, number % 0xfff + 1))
        maker.stdin.close()
        maker.wait()
        done = tools.run('trace-stats', path, '-t', 'callstacks', '-f', 'csv', '--limit', 'callstack_bytes=300000')
        rows = done.out.decode().splitlines()
        result.equal('a limit is said', (done.status, b'callstack_bytes' in done.err), (4, True))
        kept = len(rows) // 3
        result.true('as many as there is room for: %d' % kept, 300000 // 80 < kept < 300000 // 24)
        first = [row.split(',') for row in rows[1:4]]
        result.equal('no module', [row[2:5] for row in first[:2]], [['0x10', '', ''], ['0xffff800000000001', '', '']])
        result.equal('a module', first[2][2:5], ['0x140000002', 'game.exe', '0x2'])
        done = tools.run('trace-stats', path, '-t', 'callstacks', '-f', 'csv')
        result.equal('all of them', (done.status, len(done.out.splitlines())), (0, 3 * count + 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands.add_options(parser)
    parser.add_argument('--maker', required=True)
    parser.add_argument('--symbols', required=True)
    parser.add_argument('--most', type=int, default=4)
    arguments = parser.parse_args()
    tools = commands.called(arguments, MEMORY)
    found = report.Report()
    for seed in (1, 2):
        found.run('seed %d' % seed, check_seed, tools, arguments.maker, seed, arguments.most)
    found.run('stacks', check_many_stacks, tools, arguments.symbols, 5000 * arguments.most)
    return found.close()


if __name__ == '__main__':
    sys.exit(main())
