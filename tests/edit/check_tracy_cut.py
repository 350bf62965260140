#!/usr/bin/env python3
"""Cuts of .tracy captures: every table of the cut is that of the original with the same selection, and a decoder that
shares nothing with the commands finds what belongs to the window, clipped, and numbers that say what is there.

usage: check_tracy_cut.py --bin DIRECTORY [--corpus DIRECTORY] [--windows N] [--most BYTES] FIXTURES
"""

import argparse
import collections
import json
import pathlib
import random
import sys
import tempfile

import check_cut
import commands
import report
import tracy_figures
import tracy_file

DONE, USAGE, PARTIAL = 0, 2, 4
# Tables about the file, and pictures, of which those of the window stay.
OTHERS = {'sections', 'frame_images'}
QUICK = ('crash-0.9.1', 'ctx-0.14.0', 'open-0.10')


def tables(tools):
    return [name for name in check_cut.tables(tools) if name not in OTHERS]


# What is distinguished from all of a recording, and is not known of a part: the scopes of a crash, and what frames have that are
# like most, by which reasons of hitches are reported.
UNKNOWN = {'crash': {'scopes'}}
KNOWN = {'hitches': {'frame', 'dur'}}


def as_displayed(table, found, window):
    """Single calls begin and end with the window at the outermost, also where they are known by rank."""
    found = [{key: value for key, value in row.items() if key not in UNKNOWN.get(table, ())} for row in found]
    for row in found if table in ('open_scopes', 'gpu_scopes') else ():
        start = int(row['start'])
        row['start'] = max(start, window[0])
        if row.get('dur'):
            row['dur'] = min(start + int(row['dur']), window[1]) - row['start']
    for row in found if table == 'slowest' else ():
        begun = int(row['start'])
        row['start'] = max(begun, window[0])
        row['frame'] = row['frame'] if begun > window[0] else None      # where it began
    if table in KNOWN:
        return sorted({json.dumps({key: row[key] for key in sorted(KNOWN[table])}) for row in found})
    return sorted(map(json.dumps, found))


def rows(tools, path, table, window, *options):
    status, found = check_cut.rows(tools, path, table, *options)
    return status, as_displayed(table, map(json.loads, found), window)


def all_rows(tools, path, names, window, *options):
    """The same of many tables, of one reading."""
    done = tools.run('trace-stats', path, '--table', ','.join(names), '--format', 'json', *options)
    found = json.loads(done.out)
    for table, columns in check_cut.NUMBERS.items():
        for row in found.get(table, ()):
            for column in columns & row.keys():
                del row[column]
    found['tree'] = [row for row in found.get('tree', ()) if (row['count'], row['incl']) != (0, 0)]
    return done.status, {table: as_displayed(table, listed if isinstance(listed, list) else [listed], window) for table, listed in found.items()}


def of_capture(result, tools, path, names):
    """Of these tables those that this capture has: some need game frames."""
    done = tools.run('trace-stats', path, '--table', ','.join(names), '--format', 'json')
    return names if done.status in (DONE, PARTIAL) else check_cut.usable(result, tools, path, names)


def within(found, frames, window):
    """Of what happened in hitches, what is of frames that lie in the window: others it cuts."""
    whole = {row['frame'] for row in map(json.loads, frames)
             if row['type_id'] == 0 and row['dur'] is not None and window[0] <= row['start'] and row['start'] + row['dur'] <= window[1]}
    return [row for row in found if json.loads(row)['frame'] in whole]


def cut(tools, source, to, *selection):
    tools.must('trace-edit', source, '-o', to, '--force', '-q', *selection)


def check_tables(result, tools, path, work, first, last, names):
    selection = ('--from', '%dns' % first, '--to', '%dns' % last)
    window = first, last
    cut(tools, path, work / 'cut', *selection)
    (status, after), (expected, before) = (all_rows(tools, *of) for of in ((work / 'cut', names, window), (path, names, window, *selection)))
    result.equal('status', status, expected)
    for listed in (before, after) if 'hitch_events' in names and 'frames' in names else ():
        listed['hitch_events'] = within(listed['hitch_events'], before['frames'], window)
    for table in names:
        result.equal('%s of %d to %d' % (table, first, last), after[table], before[table])
    for table in check_cut.CLIPPED:
        result.equal('%s of %d to %d' % (table, first, last), rows(tools, work / 'cut', table, window), rows(tools, path, table, window, *selection))
    result.equal('status of trace-info', tools.run('trace-info', work / 'cut').status, DONE)


# ---- what belongs to the window, computed ----

class Texts:
    def __init__(self, trace):
        self.trace, self.names = trace, tracy_figures.Names(trace)

    def of_index(self, raw):
        number = int.from_bytes(raw, 'little')
        return self.names.strings[number - 1] if number else None

    def extra(self, number):
        """What a zone has alongside its times, in words: callstack, text, name, colour."""
        raw = self.trace['extras'][number]
        return raw[0:3], self.of_index(raw[3:6]), self.of_index(raw[6:9]), raw[9:]


def inside(start, end, first, last):
    return start < last and (start >= first or end < 0 or end > first)


def zones_of(trace, first=-2**63, last=2**63):
    """tid -> zones of the window with times clipped and the number of zones of the window around each."""
    texts, found = Texts(trace), {}
    for thread in trace['threads']:
        list_of = found.setdefault(thread['tid'], [])
        for zone, around in tracy_figures.leaves(thread['zones']):
            if inside(zone[1], zone[4], first, last):
                depth = sum(inside(other[1], other[4], first, last) for other in around)
                list_of.append((depth, zone[0], max(zone[1], first), min(zone[4], last), texts.extra(zone[2])))
    return found


def gpu_zones_of(trace, first, last):
    """Of each timeline; one of no length in front of the window is none. Captures with times that never came are left
    to the tables."""
    return [[(zone[0], max(zone[1], first), zone[2], zone[4], min(zone[5], last))
             for zone, _ in tracy_figures.leaves(roots) if inside(zone[1], zone[5], first, last)]
            for context in trace['gpus'] for _, roots in context['timelines']]


def gpu_whole(trace):
    return all(zone[1] >= 0 and zone[5] >= 0 for context in trace['gpus'] for _, roots in context['timelines']
               for zone, _ in tracy_figures.leaves(roots))


def messages_of(trace, first=-2**63, last=2**63):
    names = tracy_figures.Names(trace)
    thread = {key: one['tid'] for one in trace['threads'] for key in one['messages']}
    return [(time, names.reference(int.from_bytes(rest[:8], 'little'), rest[8]), rest[9:], thread[key])
            for key, time, rest in trace['messages'] if first <= time < last]


def samples_of(trace, first=-2**63, last=2**63):
    return [(thread['tid'], kind, [one for one in thread[kind] if first <= one[0] < last])
            for thread in trace['threads'] for kind in ('samples', 'switch_samples')]


def points_of(trace, first, last):
    """With the last one in front of the window and the first one behind it."""
    out = []
    for plot in trace['plots']:
        before = max((i for i, (time, _) in enumerate(plot['points']) if time < first), default=None,
                     key=lambda i: (plot['points'][i][0], i))
        behind = min((i for i, (time, _) in enumerate(plot['points']) if time >= last), default=None,
                     key=lambda i: (plot['points'][i][0], i))
        out.append([point for i, point in enumerate(plot['points']) if first <= point[0] < last or i in (before, behind)])
    return out


def allocations_of(trace, first, last):
    """Those that are alive in the window."""
    return [[one for one in pool['events'] if one[3] < last and (one[4] < 0 or one[3] + one[4] >= first)]
            for pool in trace['pools']]


def check_content(result, before, after, first, last):
    result.equal('zones', zones_of(after), zones_of(before, first, last))
    if gpu_whole(before):
        result.equal('GPU zones', gpu_zones_of(after, first, last), gpu_zones_of(before, first, last))
    result.equal('messages', messages_of(after), messages_of(before, first, last))
    result.equal('samples', samples_of(after), samples_of(before, first, last))
    result.equal('points', [plot['points'] for plot in after['plots']], points_of(before, first, last))
    result.equal('allocations', [pool['events'] for pool in after['pools']], allocations_of(before, first, last))
    for name in ('callstacks', 'local', 'external', 'topology', 'crash', 'processes', 'cpu_use', 'last_time'):
        result.true('%s differ' % name, after[name] == before[name])


# ---- what Tracy believes without looking ----

def numbers(trace):
    """Numbers that stand in front of lists, as they are to be."""
    zones = [zone for thread in trace['threads'] for zone, _ in tracy_figures.leaves(thread['zones'])]
    gpu = [zone for context in trace['gpus'] for _, roots in context['timelines'] for zone, _ in tracy_figures.leaves(roots)]
    return {'zones': len(zones), 'zone_children': sum(bool(zone[3]) for zone in zones), 'gpu_zones': len(gpu),
            'gpu_children': sum(bool(zone[3]) for zone in gpu), 'cpu_total': sum(map(len, trace['cpus'])),
            'memory_events': sum(len(pool['events']) for pool in trace['pools']),
            'zone_counts': collections.Counter(zone[0] for zone in zones),
            'gpu_zone_counts': collections.Counter(int.from_bytes(zone[2][:2], 'little', signed=True) for zone in gpu)}


def check_numbers(result, trace):
    for name, number in numbers(trace).items():
        stated = trace[name]
        if isinstance(number, collections.Counter):
            stated = collections.Counter({location: count for location, count in stated if count})
        result.equal('number of ' + name, stated, number)
    for thread in trace['threads']:
        result.equal('zones of a thread', thread['count'], len(list(tracy_figures.leaves(thread['zones']))))
    for context in trace['gpus']:
        result.equal('zones of a context', context['head'][2],
                     sum(len(list(tracy_figures.leaves(roots))) for _, roots in context['timelines']))
    for pool in trace['pools']:
        alive = [one for one in pool['events'] if one[4] < 0]
        result.equal('alive, freed, bytes', (pool['active'], pool['frees'], pool['tail'][2]),
                     (len(alive), len(pool['events']) - len(alive), sum(one[1] for one in alive)))
    for plot in trace['plots']:
        values = [value for _, value in plot['points']]
        if values:
            result.equal('least and greatest of a plot', plot['sums'][:2], (min(values), max(values)))
    claimed = [key for thread in trace['threads'] for key in thread['messages']]
    result.equal('keys of messages', sorted(claimed), sorted(key for key, _, _ in trace['messages']))
    images = [image for one in trace['frame_sets'] for *_, image in one['frames'] if image >= 0]
    result.equal('images', sorted(images), list(range(len(trace['images']))))
    keys = [key for key, _ in trace['strings']]
    result.true('a key of two strings', len(set(keys)) == len(keys))
    result.true('a pointer without a string', all(key in set(keys) for _, key in trace['pointers']))


def wrong_releases(one):
    """Of a lock: what is released by who does not have it."""
    held, wrong = collections.Counter(), 0
    for _, _, thread, kind in one['events']:
        if kind % 3 == 1:
            held[thread, kind // 3] += 1
        elif kind % 3 == 2:
            held[thread, kind // 3] -= 1
            wrong += held[thread, kind // 3] < 0
    return wrong


def check_window(result, tools, path, work, first, last):
    before = tracy_file.read(path.read_bytes())[1]
    cut(tools, path, work / 'cut', '--from', '%dns' % first, '--to', '%dns' % last)
    after = tracy_file.read((work / 'cut').read_bytes())[1]
    result.equal('version', after['version'], before['version'])
    check_content(result, before, after, first, last)
    check_numbers(result, after)
    for old, new in zip(before['locks'], after['locks'], strict=True):
        result.true('a lock is released that nobody has', wrong_releases(old) or not wrong_releases(new))


# ---- cuts of cuts, and selections by marks ----

def check_again(result, tools, path, work, first, last):
    step = (last - first) // 8
    times = lambda n: ('--from', '%dns' % (first + n * step), '--to', '%dns' % (last - n * step))  # noqa: E731
    cut(tools, path, work / 'outer', *times(1))
    cut(tools, work / 'outer', work / 'inner', *times(2))
    cut(tools, path, work / 'both', *times(2))
    cut(tools, work / 'both', work / 'twice', *times(2))
    inner, both, twice = (tracy_file.read((work / name).read_bytes())[1] for name in ('inner', 'both', 'twice'))
    for name in both:
        if name in ('strings', 'application'):      # one more record
            continue
        found = [dict(one for one in trace[name] if one[1]) if name.endswith('zone_counts') else trace[name]
                 for trace in (inner, both, twice)]
        result.true('%s of a cut of a cut' % name, found[0] == found[1])
        result.true('%s of the same cut again' % name, found[2] == found[1])
    edits = tools.info(work / 'inner')['edits']
    result.equal('edits that the capture tells of', [(edit['from'], edit['to']) for edit in edits],
                 [(first + n * step, last - n * step) for n in (1, 2)])


def check_marks(result, tools, path, work, names):
    for selection in (('--frames', '3-5'), ('--region', '*')):
        done = tools.run('trace-edit', path, '-o', work / 'cut', '--force', *selection)
        if done.status != DONE:
            result.equal('status of %s' % (selection,), done.status, tools.run('trace-stats', path, *selection).status)
            continue
        edit = tools.info(work / 'cut')['edits'][0]
        times = [word for name, key in (('--from', 'from'), ('--to', 'to')) if edit[key] is not None
                 for word in (name, '%dns' % edit[key])]
        for table in names:
            result.equal('%s of %s' % (table, selection), check_cut.rows(tools, work / 'cut', table),
                         check_cut.rows(tools, path, table, *times))


def check_end(result, tools, path, work):
    refused = tools.run('trace-edit', path, '-o', work / 'none', '--from', '1000s')
    result.equal('status behind the end', refused.status, USAGE)
    result.true('an empty cut was written', not (work / 'none').exists())


# ---- parts, threads, and zones without an end ----

def check_split(result, tools, path, work, folder):
    """Parts that follow each other hold everything once."""
    whole = tracy_file.read(path.read_bytes())[1]
    for split, parts in (('frames=10', None), ('%dns' % (whole['last_time'] // 3 + 1), 3), ('10KB', None)):
        for old in folder.glob('*'):
            old.unlink()
        tools.must('trace-edit', path, '-o', folder / 'part.tracy', '-q', '--split', split)
        made = sorted(folder.glob('*'))
        result.equal('names', [one.name for one in made], ['part-%03d.tracy' % (i + 1) for i in range(len(made))])
        result.true('%d parts of %s' % (len(made), split), len(made) == parts if parts else len(made) > 1)
        traces = [tracy_file.read(one.read_bytes())[1] for one in made]
        result.equal('messages of ' + split, [one for trace in traces for one in messages_of(trace)], messages_of(whole))
        result.equal('lengths of ' + split, sum(map(lengths_of, traces)), lengths_of(whole))
    for text in ('frames=0', 'frames=x', 'region=', '10parsecs', ''):
        done = tools.run('trace-edit', path, '-o', folder / 'part.tracy', '--split', text)
        result.equal('status of --split %r' % text, done.status, USAGE)
        done = tools.run('trace-export', path, '-f', 'chrome', '-o', folder / 'part.json', '--split', text)
        result.equal('status of --split %r of an export' % text, done.status, USAGE)


def check_input(result, tools, path, folder):
    """No part replaces the capture that it is of, and none is written before that is known."""
    for old in folder.glob('*'):
        old.unlink()
    (folder / 'part-002.tracy').write_bytes(path.read_bytes())
    done = tools.run('trace-edit', folder / 'part-002.tracy', '-o', folder / 'part.tracy', '--force', '--split', 'frames=10')
    result.equal('status', done.status, USAGE)
    result.true('what is said: %s' % done.err.decode(), b'refusing to overwrite' in done.err)
    result.equal('files', [one.name for one in folder.glob('*')], ['part-002.tracy'])
    result.true('the capture', (folder / 'part-002.tracy').read_bytes() == path.read_bytes())


def lengths_of(trace):
    return sum(zone[4] - zone[1] for thread in trace['threads'] for zone, _ in tracy_figures.leaves(thread['zones'])
               if zone[4] >= 0)


def check_thread(result, tools, path, work):
    """Of threads that are not requested nothing is left but that there are such, and no text of theirs."""
    before = tracy_file.read(path.read_bytes())[1]
    names = tracy_figures.Names(before)
    keys = dict(before['strings'])
    tid, key = next(one for one in before['thread_names'] if zones_of(before)[one[0]])
    cut(tools, path, work / 'less', '--thread', keys[key].decode())
    after = tracy_file.read((work / 'less').read_bytes())[1]
    same = {one for one, other in before['thread_names'] if keys[other] == keys[key]}
    for found, all_of in ((zones_of(after), zones_of(before)),
                          ({(tid, kind): list_of for tid, kind, list_of in samples_of(after)},
                           {(tid, kind): list_of for tid, kind, list_of in samples_of(before)})):
        wanted = {one: list_of if (one if isinstance(one, int) else one[0]) in same else [] for one, list_of in all_of.items()}
        result.equal('zones or samples', found, wanted)
    result.equal('messages', messages_of(after), [one for one in messages_of(before) if one[3] in same])
    result.equal('times on cores', [list(cpu) for cpu in after['cpus']],
                 [[one for one in cpu if before['external'][one[2]] in same] for cpu in before['cpus']])
    others = {one[1].encode() for one in messages_of(before) if one[3] not in same} - {one[1].encode() for one in messages_of(after)}
    used = {bytes(text) for _, text in after['strings']} & others - {bytes(text) for text in zone_texts(before)}
    result.equal('texts of other threads', used, set())
    result.true('names', names.strings)
    check_numbers(result, after)
    done = tools.run('trace-edit', path, '-o', work / 'none', '--thread', 'no thread is called so')
    result.equal('status of a thread that is not there', done.status, USAGE)


def with_equal_keys(path, to):
    """All messages of a thread have the key of its first: nothing says that keys are different."""
    box, trace = tracy_file.unpack(path.read_bytes())[0], tracy_file.read(path.read_bytes())[1]
    first = {key: one['messages'][0] for one in trace['threads'] for key in one['messages']}
    trace['messages'] = [(first[key], time, rest) for key, time, rest in trace['messages']]
    trace['threads'] = [{**one, 'messages': [first[key] for key in one['messages']]} for one in trace['threads']]
    to.write_bytes(tracy_file.pack(box, tracy_file.payload(trace)))
    return to


def zone_texts(trace):
    texts = Texts(trace)
    return {text for raw in trace['extras'] for text in (texts.of_index(raw[3:6]), texts.of_index(raw[6:9])) if text}


def check_close(result, tools, path, work):
    """Zones without an end get one that nothing contradicts; all others are as they were."""
    before = tracy_file.read(path.read_bytes())[1]
    cut(tools, path, work / 'closed', '--close')
    after = tracy_file.read((work / 'closed').read_bytes())[1]
    opened = 0
    for old, new in zip(before['threads'], after['threads'], strict=True):
        pairs = list(zip(tracy_figures.leaves(old['zones']), tracy_figures.leaves(new['zones']), strict=True))
        for (was, _), (now, around) in pairs:
            result.true('another zone', was[:3] == now[:3] and (was[4] < 0 or was[4] == now[4]))
            result.true('it ends at %d' % now[4], now[1] <= now[4] <= before['last_time'] and all(now[4] <= one[4] for one in around))
            opened += was[4] < 0
        last = [one[4] for (was, _), (one, _) in pairs if was[4] < 0][:1]
        result.true('the outermost ends with the capture', not last or last == [before['last_time']])
    result.true('none was open', opened)
    result.equal('status of trace-info', tools.run('trace-info', work / 'closed').status, DONE)


def check_old(result, tools, path, work):
    done = tools.run('trace-edit', path, '-o', work / 'old', '--from', '1us', '--to', '2us')
    result.equal('status of a capture before 0.9', done.status, USAGE)
    result.true('an output of it', not (work / 'old').exists())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--corpus', type=pathlib.Path)
    parser.add_argument('--windows', type=int, default=1)
    parser.add_argument('--most', type=int, default=150_000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--quick', action='store_true', help='few files and tables')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    result, tools, rng = report.Report(), commands.Commands(options.bin), random.Random(options.seed)
    names = []
    result.run('tables that need no name', lambda found: names.extend(
        check_cut.usable(found, tools, options.fixtures / 'tracy' / 'ctx-0.14.0.tracy', tables(tools))))
    places = [options.fixtures / 'tracy'] + ([options.corpus / 'tracy'] if options.corpus and not options.quick else [])
    paths = [path for place in places for path in sorted(place.glob('*.tracy')) if path.stat().st_size <= options.most]
    if options.quick:
        paths = [path for path in paths if path.stem in QUICK]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for path in paths:
            if tracy_file.unpack(path.read_bytes())[1][5:8] < bytes((0, 9, 0)):
                result.run('refusal of ' + path.name, check_old, tools, path, work)
                continue
            span = json.loads(tools.must('trace-info', path, '--full', '--format', 'json').out)['capture']
            of_it = []
            result.run('tables that %s has' % path.name, lambda found, path=path: of_it.extend(of_capture(found, tools, path, names)) or
                       found.true('none', of_it))
            for _ in range(options.windows):
                first, last = sorted(rng.sample(range(span['last']), 2))
                result.run('tables of ' + path.name, check_tables, tools, path, work, first, last, of_it)
                result.run('content of ' + path.name, check_window, tools, path, work, first, last)
            end = tracy_file.read(path.read_bytes())[1]['last_time']
            result.run('cut of a cut of ' + path.name, check_again, tools, path, work, 0, end)
        result.run('nothing selected', check_end, tools, paths[0], work)
        (work / 'parts').mkdir()
        result.run('parts', check_split, tools, options.fixtures / 'tracy' / 'ctx-0.14.0.tracy', work, work / 'parts')
        result.run('a part of the name of its capture', check_input, tools, options.fixtures / 'tracy' / 'ctx-0.14.0.tracy', work / 'parts')
        for name in ('ctx-0.14.0', 'ondemand-0.14.0'):
            result.run('a thread of ' + name, check_thread, tools, options.fixtures / 'tracy' / (name + '.tracy'), work)
        result.run('a thread where keys are equal', check_thread, tools,
                   with_equal_keys(options.fixtures / 'tracy' / 'ctx-0.14.0.tracy', work / 'equal'), work)
        for name in ('open-0.10', 'crash-0.12.2'):
            result.run('open zones of ' + name, check_close, tools, options.fixtures / 'tracy' / (name + '.tracy'), work)
        marked = options.fixtures / 'tracy' / 'small-0.14.0-lz4-j1.tracy'
        # behind this window a thread takes a lock again that it has, and releases it twice
        result.run('a lock taken again', check_tables, tools, marked, work, 145_776_275, 342_416_681, ('lock_rows', 'locks'))
        result.run('frames and regions', check_marks, tools, marked, work, ('timers', 'frames', 'regions', 'logs'))
    return result.close()


if __name__ == '__main__':
    sys.exit(main())
