"""Recordings of Tracy programs that go on in other files: what they hold together is what one file would have, as a decoder
that shares nothing with the library finds it, and each can be read without the others.

The recordings are made ones of all protocols, and those of the corpus: a folder with one folder for each session.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import check_made
import check_record
import check_sessions
import compare_files
import program
import served
import steady

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'edit'), str(HERE.parent / 'harness')]
import check_tracy_join  # noqa: E402
import check_tracy_merge  # noqa: E402
import commands  # noqa: E402
import report  # noqa: E402

DONE = 0


def play(args, folder, protocol, data, *options):
    """The capture, and the files before it."""
    for one in folder.iterdir():
        one.unlink()
    done = subprocess.run([args.session, str(protocol), str(data), str(folder / 'out.tracy'), *map(str, options)], capture_output=True,
                          text=True)
    if done.returncode:
        raise AssertionError('tracy-session: %s' % done.stderr)
    return sorted(folder.iterdir())


def check_joined(result, tools, pieces, whole, work, rng):
    """Of a merge of the files, and of each of them."""
    pieces, out = list(pieces), work / 'joined'
    rng.shuffle(pieces)
    tools.must('trace-edit', *pieces, '-o', out, '--force', '-q')
    result.equal('status', tools.run('trace-info', out).status, DONE)
    recorded = check_tracy_merge.Meaning(whole)
    check_tracy_join.check_held(result, check_tracy_merge.Meaning(out), recorded, recorded.trace['gpu_zones'])
    for table in check_tracy_join.TABLES:
        result.equal(table, check_tracy_join.rows(tools, out, table), check_tracy_join.rows(tools, whole, table))
    for piece in pieces:
        result.equal('status of %s' % piece.name, tools.run('trace-info', piece).status, DONE)


def check_played(result, args, tools, protocol, data, blocks, work, rng, least=1):
    whole, = play(args, work / 'whole', protocol, data, '--code')
    for parts in (2, 7):
        every = max(1, blocks // parts)
        forgotten = [path.read_bytes() for path in play(args, work / 'pieces', protocol, data, '--code', '--rotate', every, '--forget')]
        pieces = play(args, work / 'pieces', protocol, data, '--code', '--rotate', every)
        result.equal('with what the one before has left, read from a file', [one == path.read_bytes() for one, path in
                                                                             zip(forgotten, pieces, strict=True)], [True] * len(pieces))
        if len(pieces) > 1 and len(pieces) <= check_tracy_join.MERGED_MOST:
            check_joined(result, tools, pieces, whole, work, rng)
        result.true('%d files' % len(pieces), len(pieces) >= least)


def check_changed(result, args, protocol, data, blocks, work):
    """What the files before have left is read whatever it says."""
    for seed in range(args.changes):
        done = subprocess.run([args.session, str(protocol), str(data), str(work / 'pieces' / 'out.tracy'), '--code', '--rotate',
                               str(max(1, blocks // 3)), '--forget', '--change', str(seed + 1)], capture_output=True, text=True, timeout=120)
        result.true('changed %d: %d, %s' % (seed, done.returncode, done.stderr), done.returncode in (0, 3))


def blocks_of(path):
    data, at, n = path.read_bytes(), 0, 0
    at = 1 + 1178
    while at + 4 <= len(data):
        at += 4 + int.from_bytes(data[at:at + 4], 'little')
        n += 1
    return n


def check_recorded(result, args, tools, work):
    """By trace-record: files of a size, by time, and what is refused."""
    made = work / 'recorded'
    made.mkdir()
    first, second = served.Served(rounds=400), served.Served(rounds=400)
    status = []
    for s, name, options in ((first, 'whole.tracy', ()), (second, 'run.tracy', ('--rotate', '10k'))):
        r = check_record.Recording(args, 'tracy://127.0.0.1:%d' % s.port, '-o', str(made / name), *options)
        out, err = r.process.communicate(timeout=60)
        status.append((r.process.returncode, err))
        s.close()
    result.equal('exit status', [one[0] for one in status], [0, 0])
    pieces = sorted(made.glob('run-*.tracy'))
    result.true('several files: %d, %s' % (len(pieces), status[1][1]), len(pieces) > 2)
    result.equal('no log is left', sorted(path.name for path in made.iterdir() if path not in pieces), ['whole.tracy'])
    result.true('it says so', status[1][1].count('; goes on in ') == len(pieces) - 1)
    check_joined(result, tools, pieces, made / 'whole.tracy', work, random.Random(1))
    for words, part in ((('--rotate', '5k'), 'from 10k'), (('--rotate', '1G', '--size', '2G'), 'without --size'),
                        (('--rotate', '1h', '-o', '-', '--force'), "without '--output -'")):
        r = check_record.Recording(args, 'tracy://127.0.0.1:%d' % second.port, *(() if '-o' in words else ('-o', str(made / 'x.tracy'))), *words)
        out, err = r.process.communicate(timeout=60)
        result.equal(' '.join(words), (r.process.returncode, part in err), (2, True))


class Lagging(steady.Steady):
    """One queue is sent long before another one whose events are earlier: no event of most files is later than those before."""

    def block(self, number):
        data = super().block(number)
        if number == 0:
            self.made.groups, self.made.context = [], None
            self.made.message(101, 3_600_000_000_000, b'late')
            data += b''.join(self.made.groups)
        return data


def check_lagging(result, args, tools, work):
    made = work / 'lagging'
    made.mkdir()
    server = Lagging(blocks=2000, pause=0)
    r = check_record.Recording(args, 'tracy://127.0.0.1:%d' % server.port, '-o', str(made / 'run.tracy'), '--rotate', '10k', '-f', 'json')
    out, err = r.process.communicate(timeout=60)
    server.close()
    sizes = [event['bytes'] for event in map(json.loads, out.splitlines()) if event['event'] == 'rotated']
    block = max(b[1] - a[1] for a, b in zip(server.marks, server.marks[1:]))
    result.equal('status', r.process.returncode, 0)
    result.true('several files, each of its size and a packet: %s, %s' % (sizes, err), len(sizes) > 3 and max(sizes) < 10_000 + block + 1300)
    tools.must('trace-edit', *made.glob('run-*.tracy'), '-o', made / 'all', '-q')
    trace = compare_files.load(made / 'all')
    result.equal('zones', sum(thread['count'] for thread in trace['threads']), server.marks[-1][2])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('--session', required=True, help='the program tracy-session')
    parser.add_argument('--only', default='')
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--changes', type=int, default=10, help='times that what a file leaves for the next one is changed')
    parser.add_argument('corpus', nargs='?', type=pathlib.Path)
    args = parser.parse_args()
    result, tools, rng = report.Report(), commands.Commands(args.bin), random.Random(60)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for name in ('whole', 'pieces'):
            (work / name).mkdir()
        result.run('recorded', check_recorded, args, tools, work)
        result.run('lagging', check_lagging, args, tools, work)
        for protocol in program.PROTOCOLS:
            data = work / 'made.bin'
            data.write_bytes(program.made(protocol, rounds=400).recording())
            if args.only in 'made %d' % protocol:
                result.run('changed %d' % protocol, check_changed, args, protocol, data, blocks_of(data), work)
                result.run('made %d' % protocol, check_played, args, tools, protocol, data, blocks_of(data), work, rng, 2)
        for name in (check_sessions.sessions(args.corpus) if args.corpus else ())[::args.every]:
            data = args.corpus / name / 'client.bin'
            if args.only in name:
                result.run(name, check_played, args, tools, check_sessions.protocol_of(os.path.dirname(data)), data,
                           blocks_of(data), work, rng)
    return result.close()


if __name__ == '__main__':
    sys.exit(main())
