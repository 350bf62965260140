#!/usr/bin/env python3
"""Pieces of .tracy captures: cut into three, into 25 and by frames, and merged again, a capture holds what it held, as a
decoder that shares nothing with the library finds, and its tables are the same.

usage: check_tracy_join.py --bin DIRECTORY [--corpus DIRECTORY] [--most BYTES] [--every N] FIXTURES
"""

import argparse
import collections
import json
import pathlib
import random
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'decoders'), str(HERE.parent / 'harness')]
import check_tracy_merge  # noqa: E402
import commands  # noqa: E402
import report  # noqa: E402
import tracy_file  # noqa: E402

DONE, PARTIAL, MERGED_MOST = 0, 4, 128
TABLES = ('timers', 'tree', 'threads', 'frames', 'memory', 'counters', 'locks', 'logs', 'regions', 'gpu_queues', 'gpu_scopes', 'switches', 'cores')
# What a capture says of all of it that a merge of pieces finds again, in the order of the capture.
HELD = ('threads', 'locks', 'allocations', 'pools', 'symbols', 'information', 'switches', 'crash')
NUMBERS = ('zones', 'zone_children', 'gpu_children', 'memory_events', 'cpu_total', 'last_time', 'version')


def rows(tools, path, table):
    """A table as text; None: the capture has no such table."""
    done = tools.run('trace-stats', path, '--table', table, '--unit', 'cycles', '--format', 'csv')
    return sorted(done.out.splitlines()) if done.status in (DONE, PARTIAL) else None


def extent(tools, path):
    found = json.loads(tools.must('trace-stats', path, '--table', 'capture', '--format', 'json', allowed=(DONE, PARTIAL)).out)
    found = found['capture'] if 'capture' in found else found
    row = found[0] if isinstance(found, list) else found
    return max(row['first'] or 0, 0), row['last'] + 1


def splits(tools, path):
    """Three pieces, 25 pieces, and pieces of frames: as few frames each as a merge can take again."""
    first, last = extent(tools, path)
    out = ['%dns' % ((last - first) // parts + 1) for parts in (3, 25) if last - first >= parts]
    frames = rows(tools, path, 'frames')
    if frames and len(frames) > 2:
        out.append('frames=%d' % (len(frames) // (MERGED_MOST // 2) + 1))
    return out


def check_join(result, tools, path, work, how, rng):
    for one in work.iterdir():
        one.unlink()
    tools.must('trace-edit', path, '-o', work / 'x.tracy', '--split', how, '-q', allowed=(DONE, PARTIAL))
    pieces = sorted(work.iterdir())
    rng.shuffle(pieces)
    whole = work / 'whole' if len(pieces) > 1 else pieces[0]
    if len(pieces) > 1:
        tools.must('trace-edit', *pieces, '-o', whole, '-q', allowed=(DONE, PARTIAL))
    result.equal('status', tools.run('trace-info', whole).status, DONE)
    check_held(result, check_tracy_merge.Meaning(whole), check_tracy_merge.Meaning(path))
    for table in TABLES:
        result.equal(table, rows(tools, whole, table), rows(tools, path, table))


def join(tools, pieces, out):
    tools.must('trace-edit', *pieces, '-o', out, '--force', '-q', allowed=(DONE, PARTIAL))
    return check_tracy_merge.Meaning(out)


def check_some(result, tools, path, work):
    """Some pieces become a larger piece, which joins with the others; a piece of a piece is one, too."""
    first, last = extent(tools, path)
    tools.must('trace-edit', path, '-o', work / 'x.tracy', '--split', '%dns' % ((last - first) // 4 + 1), '-q')
    pieces = [work / ('x-00%d.tracy' % (i + 1)) for i in range(4)]
    join(tools, pieces[1:3], work / 'middle')
    quarter = (last - first) // 4 + 1
    window = '--from', '%dns' % (first + quarter), '--to', '%dns' % (first + 3 * quarter)
    tools.must('trace-edit', path, '-o', work / 'cut', '-q', *window)
    check_held(result, check_tracy_merge.Meaning(work / 'middle'), check_tracy_merge.Meaning(work / 'cut'))
    check_held(result, join(tools, [pieces[3], work / 'middle', pieces[0]], work / 'whole'), check_tracy_merge.Meaning(path))
    tools.must('trace-edit', work / 'middle', '-o', work / 'y.tracy', '--split', '%dns' % (quarter // 2), '-q', *window)
    again = join(tools, sorted(work.glob('y-*')), work / 'again')
    check_held(result, again, check_tracy_merge.Meaning(work / 'middle'))


def check_apart(result, tools, path, work):
    """With a hole between them pieces are merged as captures of different programs are."""
    tools.must('trace-edit', path, '-o', work / 'x.tracy', '--split', '%dns' % (extent(tools, path)[1] // 20), '-q')
    pieces = sorted(work.iterdir())[-3::2]
    merged = join(tools, pieces, work / 'whole').trace['zones']
    result.equal('zones', merged, sum(check_tracy_merge.Meaning(one).trace['zones'] for one in pieces))


def plots(capture):
    """Before 0.13.3 points may stand in any order."""
    return [(*head, sorted(points, key=lambda point: point[0])) for *head, points in capture.plots()]


def check_held(result, whole, capture, gpu_zones=None):
    """`gpu_zones`: the number of those that have times, where a recorder counts these alone."""
    for one in (whole, capture):
        one.pointers.pop(0, None)
    for name in HELD:
        result.equal(name, getattr(whole, name)(), getattr(capture, name)())
    for name in NUMBERS:
        result.equal(name, whole.trace[name], capture.trace[name])
    result.equal('plots', plots(whole), plots(capture))
    result.equal('messages', whole.messages(), capture.messages())
    result.equal('frames', whole.sets(True), capture.sets(True))
    result.equal('images', whole.trace['images'], capture.trace['images'])
    result.equal('cores', whole.cores(), capture.cores())
    result.equal('hardware samples', sorted(whole.hardware()), sorted(capture.hardware()))
    result.equal('GPU contexts', *([(head[:2], head[3:], *rest) for head, *rest in one.gpus()] for one in (whole, capture)))
    # what is open, recorders do not count
    places = [zone[1] for thread in capture.threads() for zone in thread[4]]
    result.equal('zone counts', whole.zone_counts('zone_counts'), dict(collections.Counter(places)))
    places = [zone[3] for gpu in capture.gpus() for timeline in gpu[2] for zone in timeline]
    result.equal('counts of GPU zones', whole.zone_counts('gpu_zone_counts'), dict(collections.Counter(places)))
    result.equal('GPU zones', whole.trace['gpu_zones'], len(places) if gpu_zones is None else gpu_zones)


def can_be_cut(tools, path):
    """Is it sound, and of a version that is cut?"""
    try:
        return tools.run('trace-info', path).status == DONE and check_tracy_merge.Meaning(path).version >= (0, 9, 0)
    except tracy_file.FileError:
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('--corpus', type=pathlib.Path)
    parser.add_argument('--most', type=int, default=600_000)
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    result, tools, rng = report.Report(), commands.Commands(options.bin), random.Random(54)
    paths = sorted((options.fixtures / 'tracy').glob('*.tracy'))
    if options.corpus:
        paths += [path for path in sorted(options.corpus.glob('**/*.tracy')) if path.is_file()]
    paths = [path for path in paths if path.stat().st_size <= options.most]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder) / 'split'
        work.mkdir()
        for title, check in (('some of the pieces', check_some), ('pieces apart', check_apart)):
            place = pathlib.Path(folder) / check.__name__
            place.mkdir()
            result.run(title, check, tools, options.fixtures / 'tracy' / 'small-0.14.0-lz4-j1.tracy', place)
        for path in sorted({*paths[::options.every], options.fixtures / 'tracy' / 'ondemand-0.14.0.tracy'}):
            for how in splits(tools, path) if can_be_cut(tools, path) else ():
                result.run('%s by %s' % (path, how), check_join, tools, path, work, how, rng)
    return result.close()


if __name__ == '__main__':
    sys.exit(main())
