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
# Topics without a letter, and what goes with them.
NAMED = {'gpu': ('gpus',), 'regions': ('sections', 'categories'), 'symbols': ('symbols', 'code_symbols', 'code'),
         'callstacks': ('callstacks', 'code_frames', 'hardware'), 'info': ('application',)}
COLLECTS = (0, 9, 0)    # from here on texts, callstacks and symbols go with what referred to them
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


def u24(raw, at):
    return int.from_bytes(raw[at:at + 3], 'little')


def text_of(trace, raw, at):
    number = u24(raw, at)
    return bytes(trace['strings'][number - 1][1]) if number else None


def ref_of(trace, value, flags):
    return (bytes(trace['strings'][value][1]), flags) if flags & 3 == 3 else (value, flags)


# Of each list with numbers of strings: a record with its texts in their place.
RESOLVE = {
    'statics': lambda t, one: (one[0], *location(t, one[1:])), 'dynamics': lambda t, one: location(t, one),
    'locks': lambda t, one: {**one, 'head': (one['head'][0], text_of(t, one['head'][1], 0), *one['head'][2:])},
    'messages': lambda t, one: (*one[:2], ref_of(t, int.from_bytes(one[2][:8], 'little'), one[2][8]), one[2][9:]),
    'extras': lambda t, one: (one[:3], text_of(t, one, 3), text_of(t, one, 6), one[9:]),
    'gpus': lambda t, one: {**one, 'head': (*one['head'][:5], text_of(t, one['head'][5], 0), one['head'][6]),
                            'notes': [(note[0], text_of(t, note[1], 0)) for note in one['notes']]},
    'sections': lambda t, one: (one[0], [(raw[:-3], text_of(t, raw, len(raw) - 3)) for raw in one[1]]),
    'categories': lambda t, one: (one[0], text_of(t, one[1], 0)),
    'code_frames': lambda t, one: (one[0], text_of(t, one[1], 0),
                                   [(text_of(t, raw, 0), text_of(t, raw, 3), raw[6:]) for raw in one[2]]),
    'symbols': lambda t, one: (one[:8], text_of(t, one, 8), text_of(t, one, 11), one[14:18], text_of(t, one, 18),
                               text_of(t, one, 21), one[24:]),
    'application': lambda t, one: ref_of(t, int.from_bytes(one[:8], 'little'), one[8])}


def location(trace, one):
    return (ref_of(trace, *one[0:2]), ref_of(trace, *one[2:4]), ref_of(trace, *one[4:6]), *one[6:])


def resolved(trace, name):
    return [RESOLVE[name](trace, one) for one in trace[name]] if name in RESOLVE else trace[name]


def stacks_of(trace):
    """Numbers of the callstacks that something refers to."""
    found = {u24(raw, 0) for raw in trace['extras'][1:]} | {int.from_bytes(trace['crash'][24:28], 'little')}
    found |= {u24(one[2], 13) for one in trace['messages']}
    found |= {u24(one[2], at) for pool in trace['pools'] for one in pool['events'] for at in (0, 3)}
    found |= {u24(raw, 0) for one in trace['threads'] for name in ('samples', 'switch_samples') for _, raw in one.get(name, ())}
    levels = [zones for gpu in trace['gpus'] for _, zones in gpu['timelines']]
    while levels:
        for zone in levels.pop():
            found.add(u24(zone[2], 2))
            levels.append(zone[3])
    return found - {0}


def check_links(result, what, before, after):
    """What nothing refers to any more is gone, and what something refers to is as it was."""
    used, gone = stacks_of(after), [i + 1 for i, one in enumerate(after['callstacks']) if not one]
    result.true('the last callstack of %s' % what, len(after['callstacks']) == max(used, default=0))
    result.equal('callstacks without ' + what, {i: after['callstacks'][i - 1] for i in used},
                 {i: before['callstacks'][i - 1] for i in used})
    result.true('callstacks that nothing uses, without %s: %s' % (what, gone), not used & set(gone) or not before['callstacks'])
    result.true('callstacks that stay without ' + what, len(gone) == len(after['callstacks']) - len(used))
    frames = {one for i in used for one in after['callstacks'][i - 1]}
    result.equal('frames without ' + what, resolved(after, 'code_frames'),
                 [one for one in resolved(before, 'code_frames') if one[0] in frames])
    named = {int.from_bytes(raw[10:18], 'little') for _, _, raws in after['code_frames'] for raw in raws}
    symbols = {bytes(one[:8]): one for one in after['symbols']}
    for one in before['symbols']:
        if int.from_bytes(one[:8], 'little') in named:
            result.true('a symbol of a frame is gone', bytes(one[:8]) in symbols)
    plain = [one for one in after['symbols'] if not one[28]]
    within = lambda at: any(0 <= at - int.from_bytes(s[:8], 'little') < max(u24(s, 29), 1) for s in plain)  # noqa: E731
    needed = named | {at for at, lists in after['hardware'] if any(lists)}
    for one in plain:
        start = int.from_bytes(one[:8], 'little')
        result.true('a symbol that nothing needs', any(0 <= at - start < max(u24(one, 29), 1) for at in needed))
    result.equal('numbers of symbols', after['symbols_before'], (len(plain), len(after['symbols']) - len(plain)))
    result.true('code of no symbol', all(within(at) for at, _ in after['code']))
    result.true('parts of no symbol', all(within(at) for at, _ in after['code_symbols']))


def same_but(result, what, before, after, letters):
    """Every section is as it was, or holds nothing."""
    gone = {name for letter in letters for name in LISTS.get(letter, ())} | set(NAMED.get(what, ()))
    collects = before['version'] >= COLLECTS
    links = collects and (set('mMs') & set(letters) or what in ('gpu', 'callstacks', 'cpu', 'crash'))
    if links:
        check_links(result, what, before, after)
    if collects:
        result.true('texts that were not there', set(after['strings']) <= set(before['strings']))
    for name in before:
        if collects and name in ('strings', 'pointers'):
            continue
        if links and name in ('callstacks', 'code_frames', 'symbols_before', 'symbols', 'code', 'code_symbols'):
            continue
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
            result.true('%s differ without %s' % (name, what), resolved(after, name) == resolved(before, name))


def check_named(result, tools, path, work, named):
    """Topics that have no letter. Every topic that a dry run lists can be dropped, but what a capture is made of."""
    before = tracy_file.read(path.read_bytes())[1]
    for word in (named, 'cpu', 'frames'):
        edit(tools, path, work / 'less', '--drop', word)
        after, _ = without_record(tracy_file.read((work / 'less').read_bytes())[1])
        result.equal('status without ' + word, tools.run('trace-info', work / 'less', '--full').status, DONE)
        for name in NAMED.get(word, ()):
            result.equal('%s without %s' % (name, word), len(after[name]), 0)
        if word == 'cpu':
            result.equal('zones', [one['zones'] for one in after['threads']], [[]] * len(before['threads']))
            result.equal('counts of zones', {count for _, count in after['zone_counts']} - {0}, set())
            for name in ('messages', 'samples'):
                result.equal(name, [one[name] for one in after['threads']], [one[name] for one in before['threads']])
        elif word == 'frames':
            result.equal('frames', [len(one['frames']) for one in after['frame_sets']], [1])
    samples = sum(len(one[name]) for one in before['threads'] for name in ('samples', 'switch_samples'))    # stand with zones
    topics = {row['topic'] for row in json.loads(tools.must('trace-edit', path, '--dry-run', '--format', 'json').out)['edit']}
    for topic in sorted(topics - {'capture'}):
        kept = json.loads(tools.must('trace-edit', path, '--dry-run', '--drop', topic, '--format', 'json').out)['edit']
        left = {row['type']: row['kept'] for row in kept if row['topic'] == topic}
        result.true('%s stays: %s' % (topic, left), not any(left.values()) or left in ({'frames': 1}, {'zones': samples}))


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
            letters, named = ''.join(rng.sample('lmpMicsCS', 4)), rng.choice(sorted(NAMED))
            result.run('whole ' + path.name, check_whole, tools, path, work)
            result.run('%s of %s' % (word, path.name), check_drop, tools, path, work, WORDS[word], word)
            result.run('%s of %s' % (letters, path.name), check_drop, tools, path, work, letters, letters)
            result.run('%s of %s' % (named, path.name), check_named, tools, path, work, named)
            result.run('cut ' + path.name, check_cut, tools, path, work, rng)
        inner = options.fixtures / 'tracy' / 'ctx-0.14.0.tracy'
        result.run('damage in lists', check_inner, tools, inner, work)
        result.run('records', check_record, tools, inner, work)
        result.run('dry run', check_dry_run, tools, options.fixtures / 'tracy' / 'open-0.10.tracy')
        result.run('usage', check_usage, tools, files[-1], work)
    return result.close()


if __name__ == '__main__':
    sys.exit(main())
