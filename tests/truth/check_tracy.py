#!/usr/bin/env python3
"""Checks what the commands say of Tracy captures against figures that another reader found in them.

usage: check_tracy.py --bin DIRECTORY DIRECTORY...

Every NAME.tracy with a NAME.summary.json is compared, figure by figure. The figures count a frame that the end of the
capture cut off as lasting until then; the commands call it open.
"""

import argparse
import collections
import json
import math
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402

# Sections whose name in the figures is another one; what they contain is counted by `items`.
SECTIONS = {'header': 'header', 'topology': 'topology', 'frames': 'frames', 'sections': 'sections',
            'strings': 'strings', 'threadcompress': 'thread_tables', 'srcloc': 'source_locations', 'locks': 'locks',
            'messages': 'messages', 'zoneextra': 'zone_extras', 'zones': 'zones', 'gpu': 'gpu', 'plots': 'plots',
            'memory': 'memory', 'callstacks': 'callstacks', 'csframes': 'callstack_frames', 'appinfo': 'app_info',
            'frameimages': 'frame_images', 'ctxswitch': 'context_switches', 'cpuctx': 'cpu_switches',
            'tidpid': 'processes', 'cputhread': 'cpu_use', 'symbols': 'symbols', 'symcode': 'symbol_code',
            'codesym': 'code_symbols', 'hwsamples': 'hardware_samples', 'sourcecache': 'source_files'}
COUNTED = {'messages': 'Message', 'zones': 'ZoneBegin', 'callstacks': 'Callstack', 'symbols': 'Symbol',
           'symbol_code': 'SymbolCode', 'code_symbols': 'CodeSymbol', 'source_files': 'SourceFile',
           'frame_images': 'FrameImage'}
LOCK_KINDS = ('wait', 'obtain', 'release', 'wait shared', 'obtain shared', 'release shared')


def number(text):
    return float(text) if text else 0.0


def check_file(result, tools, path, truth):
    done = tools.must('trace-stats', path, '--table', 'file', '--format', 'ndjson')
    row = commands.parse_json(done.out.decode())
    result.equal('version', row['version'], truth['version'])
    result.equal('compression', row['compression'], truth['codec'])
    result.equal('streams', int(row['streams']), truth['streams'])
    result.equal('blocks', int(row['blocks']), truth['blocks'])
    sections = {row['section']: row for row in tools.table(path, 'sections', ('section', 'offset', 'bytes', 'items'))}
    for name, offset in truth['section_offsets'].items():
        if name in SECTIONS:
            result.equal('offset of ' + name, int(sections[SECTIONS[name]]['offset']), offset)
    last = list(sections.values())[-1]
    result.equal('bytes', int(last['offset']) + int(last['bytes']), truth['payload_bytes'])
    result.equal('strings', int(sections['strings']['items']), truth['strings'])
    result.equal('extras', int(sections['zone_extras']['items']), truth['zone_extras'])
    result.equal('callstack frames', int(sections['callstack_frames']['items']), truth['callstack_frames'])


def check_session(result, tools, path, truth):
    session = tools.info(path)['session']
    for key, name in (('TimerResolution', 'resolution'), ('LastTime', 'last_time'), ('FrameOffset', 'frame_offset'),
                      ('ProcessId', 'pid'), ('SamplingPeriod', 'sampling_period'), ('CaptureName', 'capture_name'),
                      ('ProgramName', 'program'), ('CaptureTime', 'capture_time')):
        result.equal(key, session[key], truth[name])
    crash = truth['crash']
    if crash['thread']:
        result.equal('thread of the crash', session['CrashThread'], crash['thread'])
        result.equal('time of the crash', session['CrashTime'], crash['time'])
        result.equal('message of the crash', session.get('CrashMessage'), crash['message'])
    else:
        result.true('no crash', 'CrashThread' not in session)
    alone = json.loads(tools.must('trace-stats', path, '--table', 'session', '--format', 'json').out.decode())['session']
    for requested, said in (('with all tables', session), ('alone', alone)):
        lines = [said.get('AppInfo%s' % (i + 1 if i else '')) for i in range(len(truth['app_info']))]
        result.equal('application info ' + requested, lines, truth['app_info'])


def check_frames(result, tools, path, truth):
    """Spans of the events; the table leaves those of the main set out that no frame mark began."""
    found, marks = collections.defaultdict(list), collections.defaultdict(list)
    for event in tools.events(path, 'Tracy.Frame'):
        marks[event['fields']['Set']].append(event['fields'])
    table = collections.Counter(row['type'] for row in tools.table(path, 'frames', ('type',)))
    for wanted in truth['frame_sets']:
        events = marks[wanted['name']]
        ends = [event['Start'] for event in events[1:]] if wanted['continuous'] else [event['End'] for event in events]
        for event, end in zip(events, [*ends, None]):
            found[wanted['name']].append((truth['last_time'] if end is None else end) - event['Start'])
        main = wanted['name'] == 'Frame' and wanted['continuous']
        result.equal('frames with a mark of ' + wanted['name'], table[wanted['name']],
                     max(0, wanted['frames'] - (3 if truth['on_demand'] else 2)) if main else wanted['frames'])
    for wanted in truth['frame_sets']:
        spans = [span for span in found[wanted['name']] if span > 0]
        result.equal('frames of ' + wanted['name'], len(found[wanted['name']]), wanted['frames'])
        result.equal('spans of ' + wanted['name'], (len(spans), sum(spans), min(spans, default=None),
                                                    max(spans, default=None)),
                     (wanted['spans'], wanted['total'], wanted['min'], wanted['max']))


def check_locks(result, tools, path, truth):
    kinds = collections.Counter()
    for event in tools.events(path, 'Tracy.LockEvent') if truth['locks'] else ():
        kinds[event['fields']['Lock'], event['fields']['Kind']] += 1
    uses = collections.Counter()
    for row in tools.table(path, 'locks', ('lock', 'lock_id', 'mode', 'count', 'open')):
        uses[int(row['lock_id']), row['mode'], 'got'] += int(row['count'])
        uses[int(row['lock_id']), row['mode'], 'open'] += int(row['open'])
    for lock in truth['locks']:
        by_type = lock['by_type']
        result.equal('events of lock %d' % lock['id'], [kinds[lock['id'], kind] for kind in LOCK_KINDS], by_type)
        result.equal('got of lock %d' % lock['id'], uses[lock['id'], 'write', 'got'] + uses[lock['id'], 'read', 'got'],
                     by_type[1] + by_type[4])
        result.equal('alone of lock %d' % lock['id'], uses[lock['id'], 'write', 'got'], by_type[1])


def check_thread_alone(result, row, thread):
    """What does not come from scopes, requested without them."""
    result.equal('group and id alone', (row['group'] or '', row['system_id'] or ''),
                 ('Fiber', '') if thread['fiber'] else ('', str(thread['tid'])))
    result.equal('events alone', int(row['events']),
                 sum(thread[name] for name in ('zones', 'messages', 'samples', 'ctx_samples')))


def check_threads(result, tools, path, truth):
    rows = {row['thread_id']: row for row in tools.table(path, 'threads', ('thread_id', 'thread', 'group', 'system_id',
                                                                           'scopes', 'open', 'max_depth'))}
    for row in list(rows.values()):
        rows[row['system_id'], row['thread']] = row
    messages = collections.Counter(row['thread_id'] for row in tools.table(path, 'logs', ('thread_id',)))
    alone = {row['thread_id']: row for row in tools.table(path, 'threads', ('thread_id', 'group', 'system_id', 'events'))}
    for thread in truth['threads']:
        name = thread['name'] or '???'
        found = [row for row in rows.values() if row['thread'] == name and
                 (thread['fiber'] or row['system_id'] == str(thread['tid']))]
        result.true('thread %s' % name, found)
        if not found:
            continue
        row = found[0]
        result.equal('zones of ' + name, int(row['scopes']) + int(row['open']), thread['zones'])
        result.equal('open zones of ' + name, int(row['open']), thread['unfinished'])
        result.equal('depth of ' + name, int(row['max_depth']), thread['max_depth'])
        result.equal('fiber ' + name, row['group'] == 'Fiber', bool(thread['fiber']))
        result.equal('messages of ' + name, messages[row['thread_id']], thread['messages'])
        check_thread_alone(result, alone[row['thread_id']], thread)


def check_counts(result, tools, path, truth):
    counts = tools.count(path)
    counts = {row['event']: row['count'] for row in counts} if isinstance(counts, list) else counts
    for name, event in COUNTED.items():
        result.equal(name, int(counts.get('Tracy.' + event, 0)), truth[name])
    samples = sum(thread['samples'] for thread in truth['threads'])
    result.equal('samples', int(counts.get('Tracy.Sample', 0)), samples)
    result.equal('samples of switches', int(counts.get('Tracy.SwitchSample', 0)),
                 sum(thread['ctx_samples'] for thread in truth['threads']))
    taken = tools.table(path, 'samples', ('count',))
    result.equal('samples counted', sum(int(row['count']) for row in taken), samples)
    result.equal('callstacks', len({row['callstack_id'] for row in tools.table(path, 'callstacks', ('callstack_id',))}),
                 truth['callstacks'])


def check_gpu(result, tools, path, truth):
    queues = tools.table(path, 'gpu_queues', ('queue_id', 'gpu', 'queue', 'type'))
    zones = collections.Counter()
    for row in tools.table(path, 'gpu', ('queue_id', 'count', 'open')):
        zones[row['queue_id']] += int(row['count']) + int(row['open'])
    by_context = collections.Counter()
    names = {}
    for queue in queues:
        by_context[int(queue['gpu'])] += zones[queue['queue_id']]
        names[int(queue['gpu'])] = queue['queue']
    notes = collections.Counter((int(row['context_id']), row['query_id'])
                                for row in tools.table(path, 'gpu_notes', ('context_id', 'query_id')))
    for i, context in enumerate(truth['gpu']):
        result.equal('zones of GPU context %d' % i, by_context[i], context['zones'])
        if context['name'] and context['zones']:
            result.equal('name of GPU context %d' % i, names[i].split(' (thread')[0], context['name'])
        for query, n in context['notes'].items():
            result.equal('notes of query %s of GPU context %d' % (query, i), notes[i, query], n)


def check_plots(result, tools, path, truth):
    rows = {row['counter_id']: row for row in tools.table(path, 'counters', ('counter_id', 'counter', 'unit', 'count', 'min', 'max', 'mean'))}
    units = ('', 'bytes', '%', 'W')
    for i, plot in enumerate(truth['plots']):
        row = rows.get(str(i))
        result.true('plot %d' % i, row)
        if not row or not plot['points']:
            continue
        name = 'CPU usage' if plot['type'] == 2 else plot['name']
        result.equal('name of plot %d' % i, row['counter'], name)
        result.equal('unit of plot %d' % i, row['unit'], units[plot['format']])
        result.equal('points of plot %d' % i, int(row['count']), plot['points'])
        total = number(row['mean']) * plot['points']
        result.true('figures of plot %d' % i, math.isclose(number(row['min']), plot['min']) and
                    math.isclose(number(row['max']), plot['max']) and
                    (plot['sum'] is None or math.isclose(total, plot['sum'], rel_tol=1e-6)))


def check_memory(result, tools, path, truth):
    rows = {row['name']: row for row in tools.table(path, 'memory', ('by', 'name', 'alive_bytes', 'alive_count', 'allocs',
                                                                     'frees')) if row['by'] == 'heap'}
    for pool in truth['memory']:
        row = rows.get(pool['name'] or 'default')
        if not pool['events']:
            continue
        result.true('pool %s' % pool['name'], row)
        if row:
            result.equal('pool %s' % pool['name'], [int(row[key]) for key in ('allocs', 'frees', 'alive_count',
                                                                              'alive_bytes')],
                         [pool['events'], pool['freed'], pool['active'], pool['usage']])


def check_switches(result, tools, path, truth):
    by_thread = collections.Counter()
    by_core = collections.Counter()
    for row in tools.table(path, 'switch_rows', ('system_id', 'core')):
        by_thread[row['system_id']] += 1
    # a fiber is no run on a core: the table does not have it. Their numbers begin at 2^32, in the order of threads
    switches = tools.events(path, 'Tracy.FiberSwitch') if truth['context_switches'] else ()
    fibers = collections.Counter(event['thread_id'] for event in switches)
    by_thread.update({str((1 << 32) + i): fibers[thread] for i, thread in enumerate(sorted(fibers))})
    for event in tools.events(path, 'Tracy.CpuSwitch') if truth['cpu_context_switches'] else ():
        by_core[str(event['fields']['Cpu'])] += 1
    for tid, n in truth['context_switches'].items():
        result.equal('switches of thread ' + tid, by_thread[tid], n)
    result.equal('switches of CPUs', dict(by_core), truth['cpu_context_switches'])


def check_sections(result, tools, path, truth):
    """By number of their category, and as regions: by its description where it has one."""
    wanted = {key: n for key, n in (truth['sections'] or {}).items() if n}
    numbers, texts = collections.Counter(), collections.Counter()
    for event in tools.events(path, 'Tracy.Section') if wanted else ():
        category = event['fields']['Category']
        numbers[str(category)] += 1
        texts[event['fields']['Description'] or (str(category) if category else '')] += 1
    result.equal('sections of time', dict(numbers), wanted)
    regions = collections.Counter(row['category'] for row in tools.table(path, 'regions', ('category',)))
    result.equal('regions of sections', dict(regions), dict(texts))


def union(ranges):
    """Ranges without overlaps, as one recorder has begins of 0."""
    merged = []
    for begin, end in sorted(ranges):
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((begin, end))
    return merged


def overlap(begin, end, ranges):
    return sum(max(0, min(end, to) - max(begin, since)) for since, to in ranges)


def check_times(result, tools, path, truth):
    """Deviations, most frequent times and times on a core, from single zones and switches."""
    if truth['zones'] > 6000:
        return
    times = collections.defaultdict(list)
    running = collections.Counter()
    switches = collections.defaultdict(list)
    for row in tools.table(path, 'switch_rows', ('thread_id', 'start', 'end')):
        switches[row['thread_id']].append((int(row['start']), int(row['end'])))
    switches = {thread: union(ranges) for thread, ranges in switches.items()}
    for row in tools.table(path, 'scopes', ('timer', 'file', 'line', 'thread_id', 'start', 'dur')):
        if not row['dur']:
            continue
        place, begin, time = (row['timer'], row['file'], row['line']), int(row['start']), int(row['dur'])
        times[place].append(time)
        if row['thread_id'] in switches:
            running[place] += overlap(begin, begin + time, switches[row['thread_id']])
    seen = collections.Counter()
    for row in tools.table(path, 'timers', ('timer', 'file', 'line', 'count', 'mode', 'stddev')):
        place = row['timer'], row['file'], row['line']
        if not int(row['count']) or int(row['count']) != len(times[place]):     # several locations of one place
            continue
        seen['timers'] += 1
        spread = statistics.stdev(times[place]) if len(times[place]) > 1 else 0
        result.true('deviation of %s' % (place,), math.isclose(number(row['stddev']), spread, rel_tol=1e-9, abs_tol=1e-6))
        buckets = collections.Counter(bucket(time) for time in times[place])
        result.equal('most frequent time of %s' % (place,), buckets[bucket(int(row['mode']))], max(buckets.values()))
    result.true('timers', seen['timers'])
    for row in tools.table(path, 'running', ('timer', 'file', 'line', 'running')):
        running[row['timer'], row['file'], row['line']] -= int(row['running'])
    result.equal('times on a core', {place: n for place, n in running.items() if n}, {})


def bucket(time):
    """Of 64 in each octave."""
    shift = max(0, time.bit_length() - 7)
    return shift, time >> shift


CHECKS = (check_file, check_session, check_frames, check_locks, check_threads, check_counts, check_gpu, check_plots,
          check_memory, check_switches, check_sections, check_times)


def check(result, tools, path):
    truth = json.loads(path.with_name(path.stem + '.summary.json').read_text())
    for part in CHECKS:
        part(result, tools, path, truth)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('directories', nargs='+', type=pathlib.Path)
    options = parser.parse_args()
    tools = commands.Commands(options.bin)
    reports = report.Report()
    for directory in options.directories:
        for path in sorted(directory.rglob('*.tracy')):
            if path.with_name(path.stem + '.summary.json').exists():
                reports.run(path.stem, check, tools, path)
    return reports.close()


if __name__ == '__main__':
    sys.exit(main())
