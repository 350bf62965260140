#!/usr/bin/env python3
"""Anonymised captures: planted words are not in them, and tables and verdicts are those of the originals.

usage: check_anonymise.py --bin DIRECTORY [--corpus DIRECTORY] [--rounds N] FIXTURES
"""

import argparse
import contextlib
import csv
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

import edited
import planted
import commands
import report

DONE, REGRESSED, USAGE, FAILED, PARTIAL = 0, 1, 2, 3, 4
NAMES = ('tiny', 'tiny-ue5.0', 'tiny-ue5.1', 'tiny-verify', 'net', 'nested_aux', 'coroutine')
NAMED = ('name', 'thread', 'renamed_to', 'because_of', 'path', 'captures', 'baseline_side', 'candidate_side')  # they say names
NUMBERS = {'timers': ('count', 'total', 'excl', 'min', 'max', 'median'), 'frame_stats': ('type', 'count', 'total', 'max'),
           'counters': ('count', 'first', 'last', 'min', 'max', 'mean'), 'logs': ('time', 'verbosity'),
           'threads': ('thread_id', 'scopes'), 'regions': ('start', 'dur'), 'frames': ('start', 'dur')}


def anonymise(tools, path, out, key, *options, allowed=(DONE,)):
    return tools.must('trace-edit', path, '-o', out, '--force', '--key', key,
                      *(options or ('--anonymise',)), allowed=allowed)


def rows(tools, path, table, columns):
    return sorted(tuple(row[column] for column in columns)
                  for row in tools.table(path, table, columns, allowed=(DONE, PARTIAL)))


def check_planted(result, tools, path, work, key, rng, timers):
    """No planted word is left, in whatever encoding, in the result or in what the command says."""
    data, planter = planted.plant(path.read_bytes(), rng, timers=timers)
    (work / 'planted.utrace').write_bytes(data)
    options = ('--anonymise=all',) if timers else ('--anonymise',)
    done = anonymise(tools, work / 'planted.utrace', work / 'a', key, *options)
    said = done.out + done.err
    result.equal('planted words', planted.found(planter, work / 'a'), [])
    result.true('the command says them', not any(word.encode() in said for word in planter.words))
    anonymise(tools, work / 'a', work / 'again', key, *options)
    result.true('twice is not once', (work / 'again').read_bytes() == (work / 'a').read_bytes())
    for table, columns in NUMBERS.items():
        result.equal('numbers of ' + table, rows(tools, work / 'a', table, columns),
                     rows(tools, work / 'planted.utrace', table, columns))
    if not timers and planter.in_timers:
        kept = [row['timer'] for row in tools.table(work / 'a', 'timers', ('timer',)) if row['timer'].startswith('UZone::')]
        was = [row['timer'] for row in tools.table(work / 'planted.utrace', 'timers', ('timer',))
               if row['timer'].startswith('UZone::')]
        result.equal('timers with a word in their name', len(kept), len(was))
        result.equal('names that are kept', *(sorted(name for name in names if any(word in name for word in planted.spared(planter)))
                                              for names in (kept, was)))
        result.true('names %s' % kept, all(name.startswith('UZone::Visit w') for name in set(kept) - set(was)))


SURVIVORS = {
    'tiny': {'Logging.LogMessageSpec.FormatString': 'Peer: 192.168.17.45', 'CpuProfiler.EventSpec.File': 'C:/Users/1987/x.cpp',
             'Diagnostics.Session2.CommandLine': '-log 1.2.3.4 -x', 'Misc.RegionBegin.RegionName': 'fe80:1234:5678:9999',
             'Diagnostics.Session2.Branch': '/home/Build/main', 'Misc.BookmarkSpec.FormatString': 'Loss 5% 5551234567 of'},
    'net': {'NetTrace.ConnectionUpdatedEvent.Address': '9.8.7.6', 'NetTrace.ConnectionUpdatedEvent.Name': 'Client 2345'}}
PARTS = ('192.168.17.45', 'Users/1987', '1.2.3.4', 'fe80', 'home/Build', '5551234567', '9.8.7.6', 'Client 2345')


def check_survivors(result, tools, folder, work, key):
    """Identities that are numbers or words that everybody knows, and addresses in any form of text."""
    for name, texts in SURVIVORS.items():
        (work / 'was').write_bytes(planted.with_texts((folder / (name + '.utrace')).read_bytes(), texts))
        anonymise(tools, work / 'was', work / 'a', key)
        was, left = planted.unpacked(work / 'was'), planted.unpacked(work / 'a')
        there = lambda data, part: part.encode() in data or part.encode('utf-16-le') in data  # noqa: E731
        result.equal('planted in ' + name, sum(there(was, part) for part in PARTS), len(texts))
        result.equal('left in ' + name, [part for part in PARTS if there(left, part)], [])


def check_stays(result, tools, path, work, key):
    """Names of channels stay, also where they are parts of what is replaced; a dry run lists them."""
    (work / 'was').write_bytes(planted.with_texts(path.read_bytes(), {
        'Diagnostics.Session2.Branch': 'D:/acme/StackSampling', 'Diagnostics.Session2.Platform': 'Acme'}))
    anonymise(tools, work / 'was', work / 'a', key)
    for title, field in (('Trace.ChannelAnnounce', 'Name'), ('Diagnostics.Session2', 'Platform')):
        was = planted.texts_of(work / 'was', title)[field]
        result.true('none of %s' % title, was)
        result.equal(title, planted.texts_of(work / 'a', title)[field], was)
    result.true('the channel', b'StackSampling' in planted.texts_of(work / 'a', 'Trace.ChannelAnnounce')['Name'])
    result.true('the branch', b'StackSampling' not in planted.texts_of(work / 'a', 'Diagnostics.Session2')['Branch'][0])
    dry = json.loads(tools.must('trace-edit', work / 'was', '--dry-run', '--anonymise', '--format', 'json').out)
    result.true('the list', {'StackSampling', 'Acme'} <= {row['text'] for row in dry['kept']})


def check_long(result, tools, path, work, key):
    """Important events that words make longer than they can be: a word for each text, or a sentence."""
    many = {'Diagnostics.Session2.' + field: 'qz/' * 2500 for field in ('ProjectName', 'Branch', 'BuildVersion')}
    for texts, options in (({'CpuProfiler.EventSpec.File': 'qz/' * 5400}, ('--anonymise',)), (many, ('--anonymise',)),
                           ({'CpuProfiler.EventSpec.Name': 'qz/' * 5400}, ('--anonymise=all',))):
        (work / 'was').write_bytes(planted.with_texts(path.read_bytes(), texts))
        anonymise(tools, work / 'was', work / 'a', key, *options)
        result.true('long texts', b'qz/' not in planted.unpacked(work / 'a') and
                    'qz/'.encode('utf-16-le') not in planted.unpacked(work / 'a'))
        result.equal('timers', rows(tools, work / 'a', 'timers', NUMBERS['timers']), rows(tools, path, 'timers', NUMBERS['timers']))
    (work / 'was').write_bytes(planted.with_texts(path.read_bytes(), {'CpuProfiler.MetadataSpec.FieldNames': b'dqzab' * 6000}))
    done = tools.run('trace-edit', work / 'was', '-o', work / 'refused', '--anonymise=all', '--key', key)
    result.equal('too long', done.status, FAILED)
    result.true('why: %r' % done.err, b'65,535' in done.err and b'CpuProfiler.MetadataSpec' in done.err)
    result.true('a refused edit left a file', not (work / 'refused').exists())


def changelists(path):
    """The numbers of the builds that a capture names."""
    events = [item for item in planted.wire.events(edited.read(path), 1)
              if not isinstance(item, tuple) and item.type.title == 'Diagnostics.Session2']
    fields = [next(field for field in item.type.fields if field.name == 'Changelist') for item in events]
    return [int.from_bytes(item.fixed[field.offset:field.offset + field.size], 'little') for item, field in zip(events, fields)]


def check_changelist(result, tools, path, work, key):
    """The number of a build goes with the project, and stays without it."""
    result.true('a number: %s' % changelists(path), changelists(path)[0] > 0)
    for options, wanted in ((('--anonymise',), [0]), (('--anonymise=paths',), changelists(path))):
        anonymise(tools, path, work / 'a', key, *options)
        result.equal('changelist of %s' % options, changelists(work / 'a'), wanted)


def modes(tools, words, temporary):
    """Runs a command that leaves files in a folder for a while: who may read them. Its output
    is not read before there is one."""
    environment = {**os.environ, 'TMPDIR': str(temporary)}
    seen, reader, last = {}, None, time.monotonic() + 60
    with subprocess.Popen([str(tools.directory / words[0]), *map(str, words[1:])], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, env=environment) as process:
        while process.poll() is None:
            for path in temporary.iterdir():
                with contextlib.suppress(OSError):
                    seen[path.name] = path.stat().st_mode & 0o777
            if not reader and (seen or time.monotonic() > last):
                reader = threading.Thread(target=process.stdout.read, daemon=True)
                reader.start()
    return seen, process.returncode


def check_temporary(result, tools, folder, work, key):
    """Copies that are there for a while are for the user alone, and go."""
    (work / 'temporary').mkdir()
    old = os.umask(0o022)
    for words in (('trace-edit', folder / 'game.utrace.zst', '-o', '-', '--anonymise', '--key', key),
                  ('trace-export', folder / 'game.utrace.zst', '-f', 'ndjson', '-t', 'timers', '--anonymise', '--key', key)):
        seen, status = modes(tools, words, work / 'temporary')
        result.equal('status of ' + words[0], status, DONE)
        result.true('no file of ' + words[0], seen)
        result.equal('modes of ' + words[0], {mode for mode in seen.values()}, {0o600})
        result.equal('left by ' + words[0], os.listdir(work / 'temporary'), [])
    os.umask(old)


def check_names(result, tools, path, work, key):
    """What is selected by names is refused where names change; messages name the file that was given."""
    for command, options in (('trace-export', ('-f', 'chrome', '--region', 'Playing')),
                             ('trace-export', ('-f', 'chrome', '--thread', 'x')),
                             ('trace-export', ('-f', 'chrome', '--from-bookmark', 'x')),
                             ('trace-export', ('-f', 'csv', '-t', 'timers', '--where', 'timer~x')),
                             ('trace-export', ('-f', 'chrome', '--frames-from', 'x')),
                             ('trace-stats', ('--save', work / 'refused', '--region', 'Playing'))):
        out = () if command == 'trace-stats' else ('-o', work / 'refused')
        done = tools.run(command, path, *options, *out, '--anonymise', '--key', key)
        result.equal('status of %s' % (options,), done.status, USAGE)
        result.true('%s: %r' % (options, done.err), b'asks for a name' in done.err)
    for number in ('count>1', 'count!=-5', 'count!=+5'):
        tools.must('trace-export', path, '-f', 'csv', '-t', 'timers', '--where', number, '-o', work / 'some.csv', '--force',
                   '--anonymise', '--key', key)
    for several in ((path, '-o', work / 'refused', '--split', '1s'), (path, work / 'other.utrace', '--into', work / 'refused')):
        done = tools.run('trace-edit', *several, '--anonymise')
        result.equal('status of several without a key', done.status, USAGE)
        result.true('several without a key: %r' % done.err, b'--key' in done.err)
    done = tools.run('trace-export', path, '-f', 'chrome', '-o', work / 'refused', '--from', '100000s', '--anonymise', '--key', key)
    result.true('names %r' % done.err, done.status == USAGE and path.name.encode() in done.err and b'tracekit-' not in done.err)
    result.true('a refused export left a file', not (work / 'refused').exists())


def check_same_word(result, tools, path, work, key):
    """One key: the same words for the same texts in two captures; another one: others."""
    names = {}
    other = work / 'other.key'
    make_key(other, b'another key of some length')
    for name, which in (('one', key), ('two', key), ('three', other)):
        anonymise(tools, path, work / name, which)
        names[name] = rows(tools, work / name, 'counters', ('counter',))
    result.equal('words of one key', names['one'], names['two'])
    result.true('words of two keys', not set(names['one']) & set(names['three']))
    result.equal('as many words', len(set(names['one'])), len(set(rows(tools, path, 'counters', ('counter',)))))
    tools.must('trace-edit', path, '-o', work / 'four', '--force', '--anonymise')
    tools.must('trace-edit', path, '-o', work / 'five', '--force', '--anonymise')
    result.true('random keys are one', (work / 'four').read_bytes() != (work / 'five').read_bytes())


def check_unknown(result, tools, path, work, key):
    """Texts of types that nobody knows are left out, and the command says of which and how many."""
    done = anonymise(tools, path, work / 'a', key)
    before, after = edited.read(path), edited.read(work / 'a')
    known = lambda name: not name.startswith('Tiny.') or name == 'Tiny.Def8'  # noqa: E731
    texts = sum(1 for tid in after.streams if tid for item in planted.wire.events(after, tid)
                if not isinstance(item, tuple) and not known(item.type.title)
                for index, data in item.blobs.items() if data and field_is_text(item.type, index))
    was = sum(1 for tid in before.streams if tid for item in planted.wire.events(before, tid)
              if not isinstance(item, tuple) and item.type.title == 'Tiny.StringsEvt' and any(item.blobs.values()))
    result.equal('texts of unknown types', texts, 0)
    result.true('says %r' % done.err, ('Tiny.StringsEvt (%d)' % was).encode() in done.err)
    record = json.loads(tools.info(work / 'a')['edits'][-1]['record'])
    result.true('the record: %s' % record, record['emptied'] > 0 and 'users' in record['anonymised'])


def field_is_text(kind, name):
    field = kind.fields[name] if isinstance(name, int) else next(field for field in kind.fields if field.name == name)
    return field.info in (0x80, 0x81, 0x88, 0x89, 0x90, 0x91)


def make_key(path, data, mode=0o600):
    path.write_bytes(data)
    path.chmod(mode)


def check_keys(result, tools, path, work):
    """A sentence each, and no output."""
    make_key(work / 'empty', b'\n')
    make_key(work / 'open', b'0123456789abcdef', 0o644)
    make_key(work / 'group', b'0123456789abcdef', 0o640)
    for key, word in ((work / 'none', b'none'), (work / 'empty', b'empty'), (work / 'open', b'chmod'), (work / 'group', b'chmod'),
                      (work, b'folder')):
        done = tools.run('trace-edit', path, '-o', work / 'refused', '--anonymise', '--key', key)
        result.equal('status of key %s' % key.name, done.status, FAILED)
        result.true('key %s: %r' % (key.name, done.err), word in done.err)
    for options, word in ((('--key', work / 'open'), b'--anonymise'), (('--anonymise=logz',), b'logz'),
                          (('--keep-text', 'A*'), b'--anonymise')):
        done = tools.run('trace-edit', path, '-o', work / 'refused', *options)
        result.equal('status of %s' % (options,), done.status, USAGE)
        result.true('%s: %r' % (options, done.err), word in done.err)
    tracy = sorted((path.parent / 'tracy').glob('*.tracy'))[0]
    for options, word in ((('--key', work / 'open'), b'--anonymise'), (('--keep-text', 'A*'), b'--anonymise'),
                          (('--streams', '0'), b'--streams'), (('--streams', '256'), b'--streams')):
        done = tools.run('trace-edit', tracy, '-o', work / 'refused', *options)
        result.equal('status of %s of Tracy' % (options,), done.status, USAGE)
        result.true('%s of Tracy: %r' % (options, done.err), word in done.err)
    old = path.with_name('old-p4-tid.utrace')
    result.equal('an old protocol', tools.run('trace-edit', old, '-o', work / 'refused', '--anonymise').status, USAGE)
    result.true('a refused edit left a file', not (work / 'refused').exists())


def check_kept(result, tools, path, work, key):
    """--keep-text keeps, a dry run lists what stays, classes choose."""
    threads = lambda file: rows(tools, file, 'counters', ('counter',))  # noqa: E731
    anonymise(tools, path, work / 'a', key, '--anonymise', '--keep-text', '*')
    result.equal('all is kept', threads(work / 'a'), threads(path))
    anonymise(tools, path, work / 'a', key, '--anonymise=paths,users', '--keep-text', 'Tiny')
    result.equal('names are kept', threads(work / 'a'), threads(path))
    files = [row['file'] for row in tools.table(work / 'a', 'timers', ('file',)) if row['file']]
    was = [row['file'] for row in tools.table(path, 'timers', ('file',)) if row['file']]
    result.true('files: %s' % files, not was or files != was)
    dry = json.loads(tools.must('trace-edit', path, '--dry-run', '--anonymise', '--format', 'json').out)
    kept = {row['text'] for row in dry['kept']}
    timers = {row['timer'] for row in tools.table(path, 'timers', ('timer',))}
    result.true('kept timers: %s' % sorted(kept), len(timers & kept) > len(timers) / 3)
    result.true('a kept type', any(row['class'] == 'types' and row['text'].startswith('Tiny.') for row in dry['kept']))


def check_streams(result, tools, path, work, key):
    """To a pipe, packed, and into folders: the same bytes."""
    anonymise(tools, path, work / 'a', key)
    piped = tools.must('trace-edit', path, '-o', '-', '--anonymise', '--key', key)
    result.true('through a pipe', piped.out == (work / 'a').read_bytes())
    anonymise(tools, path, work / 'a.utrace.zst', key)
    tools.must('trace-edit', work / 'a.utrace.zst', '-o', work / 'b', '--force')
    result.true('packed', (work / 'b').read_bytes() == (work / 'a').read_bytes())


def check_written(result, tools, path, work, key, rng):
    """Exports and baselines have the words of edits, and none of the planted ones."""
    data, planter = planted.plant(path.read_bytes(), rng, timers=True)
    (work / 'planted.utrace').write_bytes(data)
    anonymise(tools, work / 'planted.utrace', work / 'a.utrace', key, '--anonymise=all')
    for form in ('chrome', 'perfetto', 'sqlite'):
        for source, options in (('a.utrace', ()), ('planted.utrace', ('--anonymise=all', '--key', key))):
            tools.must('trace-export', work / source, '--format', form, '--output', work / (source + '.out'), '--force', '-q',
                       *options)
        wrote = (work / 'planted.utrace.out').read_bytes()
        result.equal('planted words in ' + form, [word for word in planter.words if word.encode() in wrote], [])
        if form == 'chrome':
            result.true('other words', wrote == (work / 'a.utrace.out').read_bytes())
    tools.must('trace-stats', work / 'planted.utrace', '--save', work / 'one.tkb', '--anonymise=all', '--key', key)
    tools.must('trace-stats', work / 'a.utrace', '--save', work / 'two.tkb')
    done = tools.must('trace-diff', work / 'one.tkb', work / 'two.tkb', '--report', 'csv', allowed=(DONE, REGRESSED))
    rows = list(csv.DictReader(done.out.decode().splitlines()))
    result.true('verdicts: %s' % {row['verdict'] for row in rows},
                rows and {row['verdict'] for row in rows} <= {'unchanged', 'inconclusive'})
    result.equal('words in a baseline', [word for word in planter.words if word.encode() in (work / 'one.tkb').read_bytes()], [])
    for command in (('trace-stats', path, '--key', key), ('trace-stats', path, '--anonymise'),
                    ('trace-export', path, '-f', 'chrome', '--key', key)):
        result.equal('status of %s' % (command[2:],), tools.run(*command).status, USAGE)


def check_damaged(result, tools, path, work, key):
    """Damaged captures are anonymised as far as they can be read."""
    done = tools.run('trace-edit', path, '-o', work / 'a', '--force', '--anonymise', '--key', key)
    opens = tools.run('trace-info', path).status
    if done.status not in (DONE, PARTIAL):
        result.true('status %d where trace-info has %d' % (done.status, opens), opens not in (DONE, PARTIAL) or
                    done.status == USAGE)
        return
    edited.read(work / 'a')
    result.equal('timers', rows(tools, work / 'a', 'timers', NUMBERS['timers']), rows(tools, path, 'timers', NUMBERS['timers']))


def verdicts(tools, before, after):
    """What trace-diff says, but for names."""
    done = tools.must('trace-diff', before, after, '--report', 'csv', allowed=(DONE, REGRESSED))
    rows = list(csv.DictReader(done.out.decode().splitlines()))
    return done.status, sorted(tuple(value for key, value in row.items() if key not in NAMED) for row in rows)


def check_verdicts(result, tools, folder, work, key):
    """Two anonymised sides compare as their originals."""
    for options in (('--anonymise',), ('--anonymise=all',)):
        for name in ('game', 'game_slow'):
            anonymise(tools, folder / (name + '.utrace'), work / (name + '.utrace'), key, *options)
        wanted = verdicts(tools, folder / 'game.utrace', folder / 'game_slow.utrace')
        result.true('no verdicts: %s' % (wanted,), len(wanted[1]) > 100)
        result.equal('verdicts with %s' % options, verdicts(tools, work / 'game.utrace', work / 'game_slow.utrace'), wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--corpus', type=pathlib.Path)
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    result, tools, rng = report.Report(), commands.Commands(options.bin), random.Random(30)
    with tempfile.TemporaryDirectory() as folder:
        work, key, tiny = pathlib.Path(folder), pathlib.Path(folder) / 'key', options.fixtures / 'tiny.utrace'
        make_key(key, b'a key that is long enough for a test')
        for name in NAMES:
            for turn in range(options.rounds):
                result.run('planted ' + name, check_planted, tools, options.fixtures / (name + '.utrace'), work, key, rng,
                           (turn + NAMES.index(name)) % 3 == 2)
        for check in (check_same_word, check_unknown, check_kept, check_streams, check_long, check_changelist, check_names):
            result.run(check.__name__, check, tools, tiny, work, key)
        result.run('exports and baselines', check_written, tools, tiny, work, key, rng)
        result.run('survivors', check_survivors, tools, options.fixtures, work, key)
        result.run('what stays', check_stays, tools, options.fixtures / 'net.utrace', work, key)
        result.run('temporary files', check_temporary, tools, options.fixtures, work, key)
        result.run('keys', check_keys, tools, tiny, work)
        damaged = sorted((options.fixtures / 'damaged').glob('*.utrace'))
        for path in damaged if options.rounds > 1 else damaged[::7]:
            result.run('damaged ' + path.name, check_damaged, tools, path, work, key)
        if options.corpus:
            result.run('verdicts', check_verdicts, tools, options.corpus / 'utrace', work, key)
    return result.close()


if __name__ == '__main__':
    sys.exit(main())
