#!/usr/bin/env python3
"""Edits of .tracy captures, judged by a decoder that shares nothing with them.

usage: check_tracy.py --bin DIRECTORY [--corpus DIRECTORY] [--most BYTES] [--files N] FIXTURES
"""

import argparse
import copy
import json
import pathlib
import random
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'decoders'), str(HERE.parent / 'harness')]
import tracy_file  # noqa: E402
import commands  # noqa: E402
import report  # noqa: E402

DONE, USAGE, FAILED, PARTIAL = 0, 2, 3, 4
MARK = b'tracekit-edit '
LISTS = {'l': ('locks',), 'm': ('messages',), 'p': ('plots',), 'i': ('images',), 's': ('hardware',), 'C': ('code',),
         'S': ('sources',), 'c': ('switches', 'processes', 'cpu_use')}
WORDS = {'locks': 'l', 'messages': 'm', 'counters': 'p', 'memory': 'M', 'screenshots': 'i', 'switches': 'c', 'samples': 's',
         'code': 'C', 'sources': 'S'}


def edit(tools, path, out, *options, allowed=(DONE, PARTIAL)):
    return tools.must('trace-edit', path, '-o', out, '--force', '-q', *options, allowed=allowed)


def without_record(trace):
    """What an edit says of itself is one more string and one more line of the program's information."""
    trace = copy.deepcopy(trace)
    said = [i for i, text in enumerate(trace['strings']) if MARK in bytes(text[1])]
    if said:
        assert said == [len(trace['strings']) - 1], said
        key = trace['strings'][-1][0]
        assert all(text[0] != key for text in trace['strings'][:-1])
        assert trace['application'][-1] == len(trace['strings'][:-1]).to_bytes(8, 'little') + b'\3'
        trace['strings'] = trace['strings'][:-1]
        trace['application'] = trace['application'][:-1]
    return trace, said


def check_whole(result, tools, path, work):
    """Nothing requested: the file as it is. Compressed anew: the same payload."""
    edit(tools, path, work / 'copy')
    result.true('not byte for byte the same', (work / 'copy').read_bytes() == path.read_bytes())
    box, payload = tracy_file.unpack(path.read_bytes())
    old = tuple(payload[5:8]) < (0, 11, 0)
    for how, streams in (('zstd:1', 1), ('lz4', 1), ('lz4hc:12', 1), ('zstd:9', 3), ('lz4', 5)):
        if old and streams > 1:
            done = tools.run('trace-edit', path, '-o', work / 'packed', '--force', '--streams', streams)
            result.equal('status of streams in an old file', done.status, USAGE)
            continue
        edit(tools, path, work / 'packed', '--compress', how, '--streams', streams)
        after, again = tracy_file.unpack((work / 'packed').read_bytes())
        result.true('%s, %d streams: another payload' % (how, streams), again == payload)
        result.equal('container of ' + how, (after.codec, after.streams), (int(how.startswith('zstd')), streams))
        edit(tools, work / 'packed', work / 'less', '--drop', 'locks')
        edit(tools, work / 'less', work / 'same', '--compress', how, '--streams', streams)
        sizes = [(work / name).stat().st_size for name in ('less', 'same')]
        result.true('%s is not kept: %s' % (how, sizes), sizes[0] <= sizes[1] * 1.01)


def check_drop(result, tools, path, work, letters, words):
    before = tracy_file.read(path.read_bytes())[1]
    edit(tools, path, work / 'less', '--drop', words)
    after, said = without_record(tracy_file.read((work / 'less').read_bytes())[1])
    same_but(result, words, before, after, letters)
    edit(tools, work / 'less', work / 'again', '--drop', words)
    first, second = (tracy_file.unpack((work / name).read_bytes())[1] for name in ('less', 'again'))
    result.true('%s left out twice is not once' % words, first == second or 's' in letters)
    opened = tools.run('trace-info', work / 'less')
    result.equal('status of the result', opened.status, tools.run('trace-info', path).status)
    if 's' not in letters and 'm' not in letters:
        columns = ('timer', 'thread', 'count', 'total', 'excl', 'min', 'max')
        result.equal('timers', tools.table(work / 'less', 'timers', columns, '--by', 'thread', allowed=(DONE, PARTIAL)),
                     tools.table(path, 'timers', columns, '--by', 'thread', allowed=(DONE, PARTIAL)))


def same_but(result, what, before, after, letters):
    """Every section is as it was, or holds nothing."""
    gone = {name for letter in letters for name in LISTS.get(letter, ())}
    for name in before:
        if name in gone:
            result.equal('%s without %s' % (name, what), len(after[name]), 0)
        elif name == 'frame_sets' and 'i' in letters:
            result.equal('frames', [frames(one) for one in after[name]], [frames(one, True) for one in before[name]])
        elif name == 'threads' and ('m' in letters or 's' in letters):
            result.equal('threads', [thread(one) for one in after[name]], [thread(one, letters) for one in before[name]])
        elif name in ('pools', 'memory_events') and 'M' in letters:
            result.true('memory is left: %s' % (after[name],), not after['memory_events'] and not after['pools'])
        elif name in ('cpu_total', 'cpus') and 'c' in letters:
            result.true('CPUs are left', after['cpu_total'] == 0 and not any(cpu_runs(cpu) for cpu in after['cpus']))
        elif name == 'dictionary' and 'i' in letters:
            result.equal('dictionary', bytes(after[name]), b'')
        else:
            result.true('%s differ without %s' % (name, what), after[name] == before[name])


def cpu_runs(cpu):
    return cpu if isinstance(cpu, (list, tuple, bytes)) else list(cpu)


def frames(one, bare=False):
    """A frame set, without the images of its frames."""
    return {**one, 'frames': [(*frame[:-1], -1 if bare else frame[-1]) for frame in one['frames']]}


def thread(one, letters=''):
    """A thread; without messages and samples where these are left out."""
    gone = {'m': ('messages',), 's': ('switch_samples', 'samples')}
    return {**one, **{name: [] for letter in letters for name in gone.get(letter, ()) if name in one}}


def check_cut(result, tools, path, work, rng):
    """A file that breaks off becomes one without a fault, with what was there."""
    data = path.read_bytes()
    at = rng.randrange(len(data) // 3, len(data))
    (work / 'cut.tracy').write_bytes(data[:at])
    done = tools.run('trace-edit', work / 'cut.tracy', '-o', work / 'mended', '--force', '-q', '--repair')
    if done.status == FAILED:
        result.true('no sentence: %r' % done.err, b'ends before its zones' in done.err or b'trace-edit' in done.err)
        return
    result.true('status %d: %r' % (done.status, done.err), done.status in (DONE, PARTIAL))
    after, said = without_record(tracy_file.read((work / 'mended').read_bytes())[1])
    result.equal('status of the result cut at %d of %d' % (at, len(data)), tools.run('trace-info', work / 'mended').status, DONE)
    before = tracy_file.read(data)[1]
    for name in ('strings', 'statics', 'thread_names', 'frame_sets'):
        result.true('%s differ' % name, after[name] == before[name])
    n = len(after['threads'])
    result.true('threads differ', after['threads'] == [thread(one, 'm' if n < len(before['threads']) else '')
                                                         for one in before['threads'][:n]])
    text = json.dumps(tools.info(work / 'mended'))
    result.true('no record of the edit', not said or 'tracekit-edit' in text)


def check_inner(result, tools, path, work):
    """Damage inside of lists: locks of threads that are not there, zones of source locations that are not."""
    box, whole = tracy_file.unpack(path.read_bytes())[0], tracy_file.read(path.read_bytes())[1]
    for what in ('thread', 'place', 'location'):
        trace = copy.deepcopy(whole)
        locks = [one for one in trace['locks'] if one['events']]
        if what == 'thread':
            locks[0]['threads'][0] = 0x7777777777
        elif what == 'place':
            locks[0]['events'][0] = (*locks[0]['events'][0][:2], 60, 0)
        else:
            next(one for one in trace['threads'] if one['zones'])['zones'][0][0] = 30000
        (work / 'was').write_bytes(tracy_file.pack(box, tracy_file.payload(trace)))
        for options in (('--repair',), ('--drop', 'counters'), ('--from', '1us')):
            done = edit(tools, work / 'was', work / 'mended', *options)
            result.equal('status of %s of a wrong %s' % (options, what), done.status, PARTIAL)
            result.equal('status of trace-info, %s, %s' % (options, what), tools.run('trace-info', work / 'mended', '--full').status, DONE)
        edit(tools, work / 'was', work / 'mended')
        after = tracy_file.read((work / 'mended').read_bytes())[1]
        count = lambda trace: sum(len(one['events']) for one in trace['locks'])  # noqa: E731
        result.true('events of locks', (count(after) < count(whole)) == (what != 'location'))
        result.true('zones', what == 'location' or after['threads'] == whole['threads'])


def check_record(result, tools, path, work):
    """The record names the options that were given: none where topics go with others."""
    for options, said in ((('--anonymise',), ['anonymise']), (('--drop', 'messages'), ['drop']), (('--keep', 'messages'), ['keep'])):
        edit(tools, path, work / 'some', *options)
        text = bytes(tracy_file.read((work / 'some').read_bytes())[1]['strings'][-1][1])
        result.equal('options', json.loads(text[text.index(b'{'):])['options'], said)


def check_usage(result, tools, path, work):
    for options, word in ((('--drop', 'memroy'), b'memory'), (('--compress', 'zstd:23'), b'22'),
                          (('--streams', '256'), b'255')):
        done = tools.run('trace-edit', path, '-o', work / 'refused', *options)
        result.equal('status of %s' % (options,), done.status, USAGE)
        result.true('%s: %r' % (options, done.err), word in done.err)
    result.true('a refused edit left a file', not (work / 'refused').exists())
    rows = json.loads(tools.must('trace-edit', path, '--dry-run', '--drop', 'm', '--format', 'json',
                                 allowed=(DONE, PARTIAL)).out)['edit']
    payload = tracy_file.unpack(path.read_bytes())[1]
    result.equal('bytes of all sections', sum(row['bytes'] for row in rows), len(payload) - 8)
    result.true('kept messages', all(not row['kept'] for row in rows if row['topic'] == 'messages'))


def check_dry_run(result, tools, path):
    """Nothing goes of locks, so as many of their events are kept as there are."""
    rows = json.loads(tools.must('trace-edit', path, '--dry-run', '--drop', 'messages', '--format', 'json').out)['edit']
    locks = [row for row in rows if row['type'] == 'locks']
    result.true('events of locks', locks and locks[0]['kept'] > 100)
    result.equal('events of locks', [row['events'] for row in locks], [row['kept'] for row in locks])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--corpus', type=pathlib.Path)
    parser.add_argument('--most', type=int, default=150_000)
    parser.add_argument('--files', type=int, help='only so many (default: all)')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    result, tools, rng = report.Report(), commands.Commands(options.bin), random.Random(30)
    places = [options.fixtures / 'tracy'] + ([options.corpus / 'tracy'] if options.corpus else [])
    files = [path for place in places for path in sorted(place.glob('*.tracy')) if path.stat().st_size <= options.most]
    files = files[:options.files] if options.files else files
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for path in files:
            if tuple(tracy_file.unpack(path.read_bytes())[1][5:8]) < (0, 8, 3):
                continue
            word = rng.choice(sorted(WORDS))
            letters = ''.join(rng.sample('lmpMicsCS', 4))
            result.run('whole ' + path.name, check_whole, tools, path, work)
            result.run('%s of %s' % (word, path.name), check_drop, tools, path, work, WORDS[word], word)
            result.run('%s of %s' % (letters, path.name), check_drop, tools, path, work, letters, letters)
            result.run('cut ' + path.name, check_cut, tools, path, work, rng)
        inner = options.fixtures / 'tracy' / 'ctx-0.14.0.tracy'
        result.run('damage in lists', check_inner, tools, inner, work)
        result.run('records', check_record, tools, inner, work)
        result.run('dry run', check_dry_run, tools, options.fixtures / 'tracy' / 'open-0.10.tracy')
        result.run('usage', check_usage, tools, files[-1], work)
    return result.close()


if __name__ == '__main__':
    sys.exit(main())
