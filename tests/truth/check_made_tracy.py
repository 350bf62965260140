#!/usr/bin/env python3
"""Captures with random content for each section, of each layout of .tracy, against what was put into them.

usage: check_made_tracy.py --bin DIRECTORY [--seeds N]

A capture is made for each version at which the layout changes. Compared are all events with all their fields, frames,
uses of locks, and what the preset of csvexport writes of zones, whole and own times, by the rules of tracy-file 7.
"""

import ast
import argparse
import collections
import math
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import check_symbols  # noqa: E402
import commands      # noqa: E402
import report        # noqa: E402
import tracy_layout  # noqa: E402
import tracy_made    # noqa: E402
import tracy_said    # noqa: E402

SUMS = ('name', 'src_file', 'src_line', 'total_ns', 'total_perc', 'counts', 'mean_ns', 'min_ns', 'max_ns', 'std_ns')
SINGLE = ('name', 'src_file', 'src_line', 'ns_since_start', 'exec_time_ns', 'thread', 'value')


def check_events(result, tools, path, said):
    found = collections.defaultdict(list)
    for line in tools.must('trace-events', path, '--format', 'ndjson').out.decode().splitlines():
        row = commands.parse_json(line)
        found[row['event']].append((row['time'], row['thread_id'], row['fields']))
    for event in sorted({*found, *said.events}):
        got, wanted = found[event], said.events[event]
        result.equal(event + ', how many', len(got), len(wanted))
        result.equal(event, next(((a, b) for a, b in zip(got, wanted) if a != b), None), None)


def rows(tools, path, table, columns):
    out = tools.must('trace-export', path, '--table', table, '--format', 'ndjson', '--columns', ','.join(columns)).out
    parsed = (commands.parse_json(line) for line in out.decode().splitlines())
    return collections.Counter(repr([row[column] for column in columns]) for row in parsed)


def check_frames(result, tools, path, said):
    wanted, sets = [], said.capture['frames']
    main, others = any(not frames['name'] for frames in sets), 0
    for frames in sets:
        kind = others + main if frames['name'] else 0
        others += frames['name'] != 0
        ends = [frame['start'] for frame in frames['frames'][1:]] + [-1]
        continuous = frames['continuous']
        first = 0 if frames['name'] or not continuous else 3 if said.on_demand() else 2
        for index, (frame, end) in enumerate(list(zip(frames['frames'], ends))[first:]):
            wanted.append([kind, index, frame['start'], tracy_said.ended(frame.get('end', end))])
    result.equal('frames', rows(tools, path, 'frames', ('type_id', 'frame', 'start', 'end')),
                 collections.Counter(map(repr, wanted)))


def check_locks(result, tools, path, said):
    wanted = []
    for lock in said.capture['locks']:
        under_way = {}
        for event in lock['events']:
            what = event['type'] % 3
            if event['thread'] not in under_way:
                thread = said.thread(lock['threads'][event['thread']])
                use = [said.lock_name(lock), 'read' if event['type'] > 2 else 'write', thread, event['time'], None,
                       None]
                wanted.append(use)
                under_way[event['thread']] = use
            under_way[event['thread']][3 + what] = event['time']
            if what == 2:
                del under_way[event['thread']]
    columns = ('lock', 'mode', 'thread_id', 'requested', 'obtained', 'released')
    result.equal('uses of locks', rows(tools, path, 'lock_rows', columns), collections.Counter(map(repr, wanted)))


def function_at(said, address):
    """Name and image of the function with the highest address that an address can be in: those that are there, with a size."""
    below = [s for s in said.capture['symbols'] if not s['inline'] and s['size'] and s['address'] <= address]
    last = max(below, key=lambda s: s['address'], default=None)
    if last and address < last['address'] + last['size'] and last['name']:
        return said.indexed(last['name']), said.indexed(last['image'])
    return check_symbols.no_function(None), None


EVENTS = ('cycles', 'retired', 'cache_references', 'cache_misses', 'branches', 'branch_misses')


def check_hardware(result, tools, path, said):
    counts, places = collections.defaultdict(lambda: [0] * 6), {}
    for item in said.capture.get('hardware', ()):
        for event, times in enumerate(item['lists']):
            if times:
                place = function_at(said, item['address'])
                places[repr(place)] = place
                counts[repr(place)][event] += len(times)
    wanted = []
    for place, n in counts.items():
        pairs = ((n[1], n[0]), (n[3], n[2]), (n[5], n[4]), (n[0], sum(c[0] for c in counts.values())))
        ratios = [None if not b else a // b if a % b == 0 else a / b for a, b in pairs]     # as JSON reads them
        wanted.append([*places[place], *n, *ratios])
    columns = ('function', 'module', *EVENTS, 'ipc', 'cache_miss', 'branch_miss', 'cycles_share')
    if wanted:
        result.equal('hardware samples by function', rows(tools, path, 'hardware_functions', columns),
                     collections.Counter(map(repr, wanted)))


def address_of(frame):
    """What an id stands for: 62 bits of an address, whose highest one stands for those above, or what is none."""
    return frame if frame >> 62 else (frame | (3 << 62 if frame >> 61 else 0))


def places_of(said, frame, reported):
    """Functions and images of a frame, the innermost first; all that is in no function is one by image."""
    if not reported:
        return [(check_symbols.no_function(None), None)]
    image = said.indexed(reported['image'])
    if isinstance(image, str):          # one that is no text is known by its bytes
        image = image.replace('\\', '/').rsplit('/', 1)[-1]
    names = [said.indexed(place['function']) for place in reported['places']]
    unnamed = check_symbols.no_function(image if isinstance(image, str) else None)
    return [(unnamed if name is None else name, image) for name in names]


def check_sample_functions(result, tools, path, said):
    """Own and inclusive samples, one by one."""
    frames = {frame['id']: frame for frame in said.capture['code_frames']}
    own, incl = collections.Counter(), collections.Counter()
    for sample in (sample for thread in said.capture['threads'] for sample in thread['samples']):
        stack = said.capture['callstacks'][sample['stack'] - 1] if 0 < sample['stack'] <= len(said.capture['callstacks']) else ()
        stack = [repr(place) for frame in stack for place in places_of(said, frame, frames.get(frame))]
        own.update(stack[:1])
        incl.update(set(stack))
    got = rows(tools, path, 'sample_functions', ('function', 'module', 'excl', 'incl'))
    wanted = collections.Counter(repr([*ast.literal_eval(place), own[place], n]) for place, n in incl.items())
    result.equal('samples by function', got, wanted)


# ---- csvexport ----

def preset(tools, path, *options):
    out = tools.must('trace-export', path, '--preset', 'tracy', '--raw-quoting', *options).out
    return collections.Counter(out.replace(b',-nan', b',nan').split(b'\n')[:-1])


def lines(head, wanted):
    """A text may have line breaks of its own."""
    text = b''.join(b','.join(str(cell).encode() if isinstance(cell, (int, str)) else cell for cell in row) + b'\n'
                    for row in [head, *wanted])
    return collections.Counter(text.split(b'\n')[:-1])


def zones_that_count(said):
    for thread in said.capture['threads']:
        for zone, begins, _ in tracy_said.walk(thread['zones']):
            if begins and zone['end'] > zone['start']:
                yield said.thread(thread['tid']), zone, said.place(zone['location'])


def deviation(squares, total, mean, n):
    if n < 2:
        return 0.0
    variance = (squares - 2.0 * total * mean + float(mean * mean * n % (1 << 64))) / (n - 1)
    return math.sqrt(variance) if variance >= 0 else math.nan


def check_sums(result, tools, path, said, own):
    by_location = {}
    for _, zone, place in zones_that_count(said):
        time = zone['end'] - zone['start']
        inside = sum(max(0, kid['end'] - kid['start']) for kid in zone['kids'])
        sums = by_location.setdefault(zone['location'], {'place': place, 'all': [], 'own': [], 'squares': 0.0})
        sums['all'].append(time)
        sums['own'].append(time - inside)
        sums['squares'] += float(time) * time
    wanted = []
    for sums in by_location.values():
        times, place = sums['own' if own else 'all'], sums['place']
        total, n = sum(times), len(times)
        share = 100.0 * total / said.capture['header']['last']
        wanted.append((place['raw'], place['raw_file'], place['Line'], total, '%f' % share, n, total // n, min(times),
                       max(times),
                       '%f' % deviation(sums['squares'], sum(sums['all']), total // n, n)))
    result.equal('sums, own %s' % own, preset(tools, path, *(('--self',) if own else ())), lines(SUMS, wanted))


def check_single(result, tools, path, said, own):
    wanted, last = [], {}
    for thread, zone, place in zones_that_count(said):
        text = said.capture['extras'][zone['extra']]['text']
        if text:
            last[zone['location']] = said.capture['strings'][text - 1]['text']
        time = zone['end'] - zone['start'] - (sum(kid['end'] - kid['start'] for kid in zone['kids']) if own else 0)
        wanted.append((place['raw'], place['raw_file'], place['Line'], zone['start'], time, thread,
                       last.get(zone['location'], b'')))
    result.equal('zones, own %s' % own, preset(tools, path, '--unwrap', *(('--self',) if own else ())),
                 lines(SINGLE, wanted))


def check_gpu(result, tools, path, said):
    wanted = []
    for context in said.capture['gpu']:
        for timeline in context['timelines']:
            for zone, begins, _ in tracy_said.walk(timeline['zones']):
                if begins and zone['end'] > zone['start']:
                    place = said.place(zone['location'])
                    wanted.append((place['raw'], place['raw_file'], zone['start'], zone['end'] - zone['start']))
    result.equal('GPU zones', preset(tools, path, '--table', 'gpu'),
                 lines(('name', 'src_file', 'Time from start of program', 'GPU execution time'), wanted))


def check(result, tools, scratch, seed, version):
    path = pathlib.Path(scratch) / 'made.tracy'
    payload = tracy_layout.encode(tracy_made.make(seed, version))
    path.write_bytes(tracy_layout.pack(payload, 1 + seed % 5))
    said = tracy_said.Said(tracy_layout.decode(payload))
    check_events(result, tools, path, said)
    check_frames(result, tools, path, said)
    check_locks(result, tools, path, said)
    check_hardware(result, tools, path, said)
    check_sample_functions(result, tools, path, said)
    check_gpu(result, tools, path, said)
    for own in (False, True):
        check_sums(result, tools, path, said, own)
        check_single(result, tools, path, said, own)


def sampled():
    """The first capture whose samples have stacks that are there, one of them with a known frame as the innermost."""
    for seed in range(100):
        capture = tracy_made.make(seed, tracy_made.VERSIONS[-1])
        known = {frame['id'] for frame in capture['code_frames']}
        stacks = [s['stack'] for t in capture['threads'] for s in t['samples'] if s['stack']]
        if all(i <= len(capture['callstacks']) and capture['callstacks'][i - 1] for i in stacks) and any(
                capture['callstacks'][i - 1][0] in known for i in stacks):
            return capture
    raise ValueError('no capture has such samples')


def check_sources(result, tools, scratch):
    """Lines of a function whose source the capture carries: all frames are on its second line."""
    capture, path = sampled(), pathlib.Path(scratch) / 'made.tracy'
    said = tracy_said.Said(tracy_layout.decode(tracy_layout.encode(capture)))
    number, name = next((n, said.indexed(n)) for n in range(1, len(capture['strings']) + 1) if str(said.indexed(n)).isalnum())
    for frame in capture['code_frames']:
        for place in frame['places']:
            place.update(function=number, file=number, line=2)
    capture['sources'] = [{'name': name.encode(), 'text': b'one\ntwo\nthree\n'}]
    path.write_bytes(tracy_layout.pack(tracy_layout.encode(capture), 1))
    known = {frame['id'] for frame in capture['code_frames']}
    stacks = [capture['callstacks'][s['stack'] - 1] for t in capture['threads'] for s in t['samples'] if s['stack']]
    own, incl = sum(stack[0] in known for stack in stacks), sum(not known.isdisjoint(stack) for stack in stacks)
    done = tools.must('trace-stats', path, '--lines', name, '--format', 'json', '--columns', 'line,excl,incl,text')
    found = [list(row.values()) for row in commands.parse_json(done.out.decode())['source_lines']]
    result.true('a sample is in the function', own > 0)
    result.equal('lines', found, [[1, None, None, 'one'], [2, own, incl, 'two'], [3, None, None, 'three']])


def check_unknown_lines(result, tools, scratch):
    """Of a function with addresses whose line is not known the source begins near the first line that is."""
    capture, path = sampled(), pathlib.Path(scratch) / 'lines.tracy'
    said = tracy_said.Said(tracy_layout.decode(tracy_layout.encode(capture)))
    number, name = next((n, said.indexed(n)) for n in range(1, len(capture['strings']) + 1) if str(said.indexed(n)).isalnum())
    known = {frame['id'] for frame in capture['code_frames']}
    innermost = [capture['callstacks'][s['stack'] - 1][0] for t in capture['threads'] for s in t['samples'] if s['stack']]
    lost = next(frame for frame in innermost if frame in known)
    for frame in capture['code_frames']:
        for place in frame['places']:
            place.update(function=number, file=number, line=0 if frame['id'] == lost else 9)
    capture['sources'] = [{'name': name.encode(), 'text': b''.join(b'line %d\n' % (i + 1) for i in range(20))}]
    path.write_bytes(tracy_layout.pack(tracy_layout.encode(capture), 1))
    done = tools.must('trace-stats', path, '--lines', name, '--format', 'json', '--columns', 'line,text')
    found = [row['line'] for row in commands.parse_json(done.out.decode())['source_lines']]
    result.equal('lines around the known one', found, [None, 7, 8, 9, 10, 11])


def check_unnamed(result, tools, scratch):
    """A client that knows no symbol before an address writes "[unknown]" and the address as the name: all of an image are one row,
    which has the most frequent addresses by exclusive samples."""
    capture, path = sampled(), pathlib.Path(scratch) / 'unnamed.tracy'
    texts, images, number = len(capture['strings']), (b'/usr/lib/libx.so', b'/opt/game', b'[unknown]'), 0
    capture['strings'] += [{'key': (1 << 53) + i, 'text': text} for i, text in enumerate(images)]
    wanted, below, offsets = collections.Counter(), collections.Counter(), collections.defaultdict(collections.Counter)
    for frame in capture['code_frames']:
        capture['strings'].append({'key': (1 << 54) + number, 'text': b'[unknown] + %d' % address_of(frame['id']) if number % 3 else b'[unknown]'})
        frame['image'], number = texts + 1 + number % 3, number + 1
        frame['places'] = [{**frame['places'][0], 'function': len(capture['strings']), 'file': texts + 3, 'line': 0}]
    names = {frame['id']: ('libx.so', 'game', None)[frame['image'] - texts - 1] for frame in capture['code_frames']}
    for sample in (s for thread in capture['threads'] for s in thread['samples'] if s['stack']):
        stack = capture['callstacks'][sample['stack'] - 1]
        wanted[names.get(stack[0])] += 1
        offsets[names.get(stack[0])][address_of(stack[0])] += 1
        below.update({address_of(frame) for frame in stack})
    path.write_bytes(tracy_layout.pack(tracy_layout.encode(capture), 1))
    found = tools.table(path, 'sample_functions', ('function', 'module', 'excl', 'offsets', 'file'))
    result.equal('a row an image', collections.Counter((row['function'], row['module'], int(row['excl'])) for row in found if row['excl'] != '0'),
                 collections.Counter((check_symbols.no_function(name), name or '', n) for name, n in wanted.items()))
    told = {(row['module'] or None): row['offsets'] for row in found}
    for name, counts in offsets.items():
        ranked = sorted(counts.items(), key=lambda item: (-item[1], -below[item[0]], item[0]))
        text = ', '.join('%#x (%d)' % item for item in ranked[:3]) + (', %d more' % (len(ranked) - 3) if len(ranked) > 3 else '')
        result.equal('addresses of %s' % name, told.get(name), text)
    for table in ('sample_functions', 'sample_lines', 'sample_modules'):
        result.true(table + ': [unknown] is no name', b'[unknown]' not in tools.must('trace-stats', path, '-t', table, '-f', 'csv', '--columns', 'function,module,file').out)


def check_queue_words(result, tools, scratch):
    """A word that is the name of a context, which stands behind the zones, is no part of the names of threads."""
    capture, path = tracy_made.make(3, tracy_made.VERSIONS[-1]), pathlib.Path(scratch) / 'queues.tracy'
    first, tid = len(capture['strings']), next(thread['tid'] for thread in capture['threads'] if thread['zones'])
    capture['strings'] += [{'key': 1 << 51, 'text': b'Copy'}, {'key': 1 << 52, 'text': b'Waits for the copy'}]
    capture['names'] = [{'tid': tid, 'key': 1 << 52}]
    capture['local'] = [0] + sorted({tid, *capture['local'][1:]})
    zone = {'cpu_start': 5, 'start': 10, 'location': 0, 'stack': 0, 'thread': 0, 'cpu_end': 9, 'end': 30, 'query': 0,
            'kids': []}
    capture['gpu'] = [{'tid': tid, 'calibrated': 0, 'count': 1, 'period': 1.0, 'type': 2, 'name': first + 1, 'overflow': 0,
                       'note_names': [], 'queries': [], 'timelines': [{'tid': 0, 'zones': [zone]}]}]
    capture['gpu_zones'] = 1, 0
    for named in (True, False):
        capture['gpu'][0]['name'] = first + 1 if named else 0
        path.write_bytes(tracy_layout.pack(tracy_layout.encode(capture), 1))
        found = tools.table(path, 'tree', ('depth', 'kind', 'timer'), '--by', 'thread', '--thread', 'copy')
        result.equal('of the word, context %snamed' % ('' if named else 'not '),
                     [(row['kind'], row['timer']) for row in found if row['depth'] == '0'],
                     [('queue', 'Copy')] if named else [('thread', 'Waits for the copy')])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('--seeds', type=int, default=1, help='captures of each version')
    options = parser.parse_args()
    tools = commands.Commands(options.bin)
    reports = report.Report()
    with tempfile.TemporaryDirectory() as scratch:
        reports.run('sources', check_sources, tools, scratch)
        reports.run('words of queues', check_queue_words, tools, scratch)
        reports.run('samples without names', check_unnamed, tools, scratch)
        reports.run('unknown lines', check_unknown_lines, tools, scratch)
        for seed in range(options.seeds * len(tracy_made.VERSIONS)):
            version = tracy_made.VERSIONS[seed % len(tracy_made.VERSIONS)]
            reports.run('%d.%d.%d, seed %d' % (*version, seed), check, tools, scratch, seed, version)
    return reports.close()


if __name__ == '__main__':
    sys.exit(main())
