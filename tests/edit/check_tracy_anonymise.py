#!/usr/bin/env python3
"""Anonymised .tracy captures: planted words are not in them, and numbers are those of the originals.

usage: check_tracy_anonymise.py --bin DIRECTORY [--corpus DIRECTORY] [--rounds N] [--most BYTES] FIXTURES
"""

import argparse
import json
import os
import pathlib
import random
import re
import sys
import tempfile

import planted
import commands
import report
import tracy_file

DONE, USAGE, FAILED, PARTIAL = 0, 2, 3, 4
QUICK = ('crash-0.9.1', 'ctx-0.14.0')
NUMBERS = {'timers': ('count', 'total', 'excl', 'min', 'max', 'median'), 'frames': ('start', 'dur'), 'logs': ('time', 'verbosity'),
           'counters': ('count', 'first', 'last', 'min', 'max'), 'locks': ('lock_id',), 'memory': ('allocs', 'frees'),
           'symbols': ('address', 'bytes', 'line'), 'callstacks': ('callstack_id', 'frame', 'address', 'offset')}


def anonymise(tools, path, out, key, *options, allowed=(DONE,)):
    return tools.must('trace-edit', path, '-o', out, '--force', '--key', key, *(options or ('--anonymise',)), allowed=allowed)


# ---- what names zones, by the paper: these texts stay by default ----

def of_reference(trace, value, flags):
    """Numbers of the strings that a reference means."""
    keys = {key: number for number, (key, _) in enumerate(trace['strings'])}
    pointers = dict(trace['pointers'])
    if not flags & 2:
        return set()
    if flags & 1:
        return {value}
    return {keys[pointers[value]]} if pointers.get(value) in keys else set()


def timer_strings(trace):
    found = set()
    for place in [one[1:] for one in trace['statics']] + list(trace['dynamics']):
        found |= of_reference(trace, *(place[0:2] if place[1] & 2 else place[2:4]))
    for raw in trace['extras']:
        found |= {int.from_bytes(raw[6:9], 'little') - 1} - {-1}
    return found


def function_strings(trace):
    """Those of call stacks and symbols: functions, also where zones are called by them."""
    raws = [place[0:3] for _, _, places in trace['code_frames'] for place in places] + [raw[8:11] for raw in trace['symbols']]
    return {int.from_bytes(raw, 'little') - 1 for raw in raws} - {-1}


def used_strings(trace):
    """Those of zone texts and messages, where a text of its own can be planted."""
    found = {int.from_bytes(raw[3:6], 'little') - 1 for raw in trace['extras']} - {-1}
    for _, _, rest in trace['messages']:
        found |= of_reference(trace, int.from_bytes(rest[:8], 'little'), rest[8])
    return found


def plant(path, rng, timers):
    """The bytes of a capture with planted words, and the planter that knows them."""
    box, trace = tracy_file.unpack(path.read_bytes())[0], tracy_file.read(path.read_bytes())[1]
    planter, names, used = planted.Planter(rng, True), timer_strings(trace), used_strings(trace)
    strings = list(trace['strings'])
    for number in sorted(range(len(strings)), key=lambda number: (number in names, number)):
        key, text = strings[number]
        if not text or rng.random() > 0.7:
            continue
        if number in names and not timers:
            if not planter.alone or number in used:
                continue
            planter.in_timers.append(rng.choice(planter.alone))
            strings[number] = key, ('Zone%d::Visit%d %s' % (number, number, planter.in_timers[-1])).encode()
        else:
            alone, text = list(planter.alone), planter.text('-')
            planter.alone = alone + ([text] if text == planter.words[-1] and number in used else [])
            strings[number] = key, text.encode()
    trace['strings'] = strings
    trace['names'] = [planter.text('-').encode(), planter.word().encode()]
    trace['host'] = ('OS: Linux 6.1\nCompiler: gcc 12\nUser: %s@%s (%s %s)\nCPU: Some\n%s\nRAM: 1 MB\n' %
                     tuple(planter.word() for _ in range(5))).encode()
    trace['sources'] = [(planter.text('-').encode(), ('int %s;' % planter.word()).encode())]
    trace['code'] = [(0x1000, planter.word().encode())]
    trace['images'] = [(head, (planter.word().encode() * (len(pixels) // 8))[:len(pixels)]) for head, pixels in trace['images']]
    return tracy_file.pack(box, tracy_file.payload(trace)), planter


def left_in(planter, path):
    data = tracy_file.unpack(path.read_bytes())[1].lower()
    for word in planted.spared(planter):
        data = re.sub(rb'(zone\d+::visit\d+ )' + word.lower().encode(), rb'\1', data)
    return [word for word in planter.words if any(form in data for form in (word.lower().encode(), word.lower().encode('utf-16-le')))]


def check_planted(result, tools, path, work, key, rng, timers):
    data, planter = plant(path, rng, timers)
    (work / 'was').write_bytes(data)
    options = ('--anonymise=all',) if timers else ('--anonymise',)
    result.equal('planted words that are there', len(left_in(planter, work / 'was')), len(planter.words))
    done = anonymise(tools, work / 'was', work / 'a', key, *options)
    result.equal('planted words', left_in(planter, work / 'a'), [])
    result.true('the command says them', not any(word.encode() in done.out + done.err for word in planter.words))
    result.equal('status of trace-info', tools.run('trace-info', work / 'a').status, DONE)
    for table, columns in NUMBERS.items():
        result.equal('numbers of ' + table, rows(tools, work / 'a', table, columns), rows(tools, work / 'was', table, columns))
    if not timers:
        kept, was = ([bytes(text).decode() for _, text in tracy_file.read((work / name).read_bytes())[1]['strings']
                      if re.search(rb'::Visit\d+ ', text)] for name in ('a', 'was'))
        result.equal('names of zones', *(sorted(name for name in names if name.split()[-1] not in planter.people and
                                                not re.fullmatch('w[0-9a-f]+', name.split()[-1])) for names in (kept, was)))
        result.true('names with a person', all(name.split()[-1] not in planter.people for name in kept))
    check_twice(result, tools, work, key, options)


def rows(tools, path, table, columns):
    return sorted(tuple(row[column] for column in columns) for row in tools.table(path, table, columns, allowed=(DONE, PARTIAL)))


def check_twice(result, tools, work, key, options):
    """Again with the key: the same, but for one more record. Before or behind a cut: the same."""
    anonymise(tools, work / 'a', work / 'again', key, *options)
    once, twice = (tracy_file.read((work / name).read_bytes())[1] for name in ('a', 'again'))
    result.equal('texts of a second time', twice['strings'][:len(once['strings'])], once['strings'])
    result.true('the header of a second time', (twice['names'], twice['host']) == (once['names'], once['host']))
    times = ('--from', '1ms', '--to', '200ms')
    tools.must('trace-edit', work / 'a', '-o', work / 'ab', '--force', '-q', *times)
    tools.must('trace-edit', work / 'was', '-o', work / 'b', '--force', '-q', *times)
    anonymise(tools, work / 'b', work / 'ba', key, *options)
    one, other = (tracy_file.read((work / name).read_bytes())[1] for name in ('ab', 'ba'))
    for name in ('threads', 'messages', 'extras', 'plots', 'pools', 'locks', 'frame_sets', 'host', 'names'):
        result.true('%s of a cut before and behind' % name, one[name] == other[name])
    # what a cut leaves out is not learned: names of zones that say it keep it
    texts = [sorted(bytes(text) for _, text in trace['strings'] if b'tracekit-edit' not in text and b'::Visit' not in text)
             for trace in (one, other)]
    result.equal('texts of a cut before and behind', *texts)


def check_options(result, tools, path, work, key):
    """One class alone; texts that are kept; the list of what stays; keys that others may read."""
    trace = tracy_file.read(path.read_bytes())[1]
    anonymise(tools, path, work / 'a', key, '--anonymise=users')
    after = tracy_file.read((work / 'a').read_bytes())[1]
    result.true('messages with users alone', [text for _, text in after['strings'][:-1]] ==
                [text for _, text in trace['strings'] if text in {one for _, one in after['strings']}])
    result.true('the user', trace['host'] != after['host'] and b'User: ' in after['host'])
    result.equal('other lines', [line for line in after['host'].split(b'\n') if not line.startswith(b'User')],
                 [line for line in trace['host'].split(b'\n') if not line.startswith(b'User')])
    anonymise(tools, path, work / 'a', key, '--anonymise', '--keep-text', 'with callstack')
    texts = {bytes(text) for _, text in tracy_file.read((work / 'a').read_bytes())[1]['strings']}
    result.true('a text that is kept', b'with callstack' in texts)
    dry = json.loads(tools.must('trace-edit', path, '--dry-run', '--anonymise', '--key', key, '--format', 'json').out)
    result.true('the list', {'Particles::Update', 'audio mix'} <= {row['text'] for row in dry['kept']})
    result.true('replaced texts', next(row['replaced'] for row in dry['edit'] if row['type'] == 'strings') > 0)
    check_user(result, tools, path, work, key)
    done = tools.run('trace-edit', path, '-o', work / 'refused', '--anonymise', '--key', key, '--limit', 'strings=1000')
    result.equal('status where not all texts fit', done.status, FAILED)
    result.true('what is said: %s' % done.err.decode(), b"limit 'strings'" in done.err)
    os.chmod(key, 0o644)
    result.equal('a key that all may read', tools.run('trace-edit', path, '-o', work / 'refused', '--anonymise', '--key', key).status, FAILED)
    os.chmod(key, 0o600)
    result.true('a refused edit left a file', not (work / 'refused').exists())


def check_user(result, tools, path, work, key):
    """A user whose name is the word that stands in front of names."""
    box, trace = tracy_file.unpack(path.read_bytes())[0], tracy_file.read(path.read_bytes())[1]
    trace['host'] = b'OS: Linux 6.1\nUser: User@vm ()\nRAM: 1 MB\n'
    (work / 'was').write_bytes(tracy_file.pack(box, tracy_file.payload(trace)))
    anonymise(tools, work / 'was', work / 'a', key)
    host = tracy_file.read((work / 'a').read_bytes())[1]['host']
    result.true('a user called User: %r' % host, b'User' not in host and b'vm' not in host)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--corpus', type=pathlib.Path)
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('--most', type=int, default=150_000)
    parser.add_argument('--quick', action='store_true', help='few files')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    result, tools, rng = report.Report(), commands.Commands(options.bin), random.Random(7)
    places = [options.fixtures / 'tracy'] + ([options.corpus / 'tracy'] if options.corpus and not options.quick else [])
    paths = [path for place in places for path in sorted(place.glob('*.tracy')) if path.stat().st_size <= options.most]
    paths = [path for path in paths if path.stem in QUICK or not options.quick]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        key = work / 'key'
        key.write_bytes(b'a key of the check')
        key.chmod(0o600)
        for path in paths:
            if tracy_file.unpack(path.read_bytes())[1][5:8] < bytes((0, 9, 0)):
                continue
            for _ in range(options.rounds):
                for timers in (False, True):
                    result.run('planted in %s%s' % (path.name, ', timers, too' if timers else ''), check_planted, tools,
                               path, work, key, rng, timers)
        result.run('options', check_options, tools, options.fixtures / 'tracy' / 'ctx-0.14.0.tracy', work, key)
    return result.close()


if __name__ == '__main__':
    sys.exit(main())
