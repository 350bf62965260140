"""What must be on the pages about a .utrace; see facts.py."""

import collections
import dataclasses
import fractions
import functools
import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / name) for name in ('truth', 'damaged')]
import brute    # noqa: E402
import facts    # noqa: E402
import tables   # noqa: E402
import walk     # noqa: E402
from facts import Range, Table, exactly  # noqa: E402

AT_ONCE = 10000  # ns

FRAME_TYPES = ('game', 'rendering')
SCOPED_EVENT = 'scoped_event'
GPU_KINDS = ('gpu', 'gpu_work', 'gpu_wait')


@dataclasses.dataclass
class Packet:
    thread: int
    size: int                                       # of the last what there is
    header: int                                     # what of it is header
    behind: int                                     # bytes behind it that belong to it


def packets_of(data):
    """(size of the header of the file, packets, is the last one cut). Transports below 3 have no packets with threads.
    A file that is verified has a number behind each packet that has bit 14: 1 behind the first."""
    header = walk.header_size(data) if data[:4] == b'2CRT' else 6
    at, found, verified = header, [], False
    while data[header - 2] >= 3 and at + 4 <= len(data):
        size, thread = struct.unpack_from('<HH', data, at)
        if at == header and thread & walk.PARTIAL:
            verified = data[at + size:at + size + 8] == (1).to_bytes(8, 'little')
        behind = 8 if verified and thread & walk.PARTIAL else 0
        at += max(size, 4) + behind
        found.append(Packet(thread & walk.SYNC, size - max(at - len(data), 0), 4 + 2 * (thread >> 15), behind))
    return header, found, at > len(data)


class Recorded(facts.Facts):
    """A .utrace with its truth; when it is not whole, with that of the capture it was cut from."""

    def __init__(self, runner, path, truth, whole):
        super().__init__(runner, path)
        self.truth, self.whole = truth, whole
        self.frequency, self.start = truth['frequency'], truth['start_cycle']
        self.tids = {thread['trace_tid']: thread for thread in truth['threads']}
        self.profile = brute.Profile(runner.events(path, 'CpuProfiler.*', allowed=(0,)), self.start)
        self.header, self.packets, self.cut = packets_of(self.data)
        self.sound = self.packets[:-1] if self.cut else self.packets
        self.protocol = self.data[self.header - 1]
        self.walked = self._walk()

    def _walk(self):
        try:
            return walk.Capture(self.data[:self.header + sum(packet.size + packet.behind for packet in self.sound)])
        except (ValueError, struct.error, IndexError):
            return None                             # packets that begin inside a record, or older than protocol 5

    def name_of(self, tid):
        """The oldest captures have no names: the truth has those that the writer meant."""
        return self.tids[tid]['name'] if self.protocol else 'Thread %d' % tid

    @functools.cached_property
    def types(self):
        """As the checks of single events need them."""
        return tables.Captured(self.runner, self.path).types

    # ---- trace-info ----

    def table_capture(self, options):
        session = self.truth.get('session', {})
        names = {'app': 'AppName', 'project': 'ProjectName', 'platform': 'Platform', 'build': 'BuildVersion',
                 'branch': 'Branch'}
        row = {'format': 'utrace', **{key: session.get(name, '') for key, name in names.items()},
               'start_cycle': exactly(self.start), 'frequency': exactly(self.frequency),
               'bytes': exactly(len(self.data)), 'empty': False, 'truncated': not self.whole,
               'damaged': False if {'--full', '--coverage'} & set(options) else None,
               'threads': exactly(self.truth['event_counts'].get('$Trace.ThreadInfo', 0)), 'epoch': None,
               'engine': None, 'host': None, 'recorded': None}
        unchecked = ('faults', 'notices', 'timers')
        if self.whole and '--full' in options and 'first_scope_cycle' in self.truth['threads'][0]:
            row['first'] = self.time(min(thread['first_scope_cycle'] for thread in self.truth['threads']))
            last = self.time(max(thread['last_scope_cycle'] for thread in self.truth['threads']))
            # the truth does not say when threads ended, only that it was behind their scopes, at once
            ends = self.truth['event_counts'].get('CpuProfiler.EndThread', 0)
            row['last'] = row['dur'] = Range(last.low, last.high + (AT_ONCE if ends else 0))
        else:
            unchecked += ('first', 'last', 'dur')
        return Table((), [row], unchecked)

    def table_crash(self, options):
        """Unreal reports none."""
        del options
        return Table((), [])

    def table_edits(self, options):
        """No capture with a truth was edited."""
        del options
        return Table((), [])

    def table_file(self, options):
        del options
        row = {'format': 'utrace', 'magic': self.data[:4].decode(), 'transport': exactly(self.data[self.header - 2]),
               'protocol': exactly(self.protocol), 'bytes': exactly(len(self.data)),
               'packets': exactly(len(self.packets)), 'truncated': not self.whole,
               'verified': any(packet.behind for packet in self.packets),
               'sync_packets': exactly(sum(packet.thread == walk.SYNC for packet in self.packets))}
        if not self.packets:
            del row['packets']
        return Table((), [row], ('control_port', 'session_guid', 'trace_guid', 'packets'))

    def table_session(self, options):
        del options
        values = {key: value if isinstance(value, str) else json.dumps(value, separators=(',', ':'))
                  for key, value in self.truth.get('session', {}).items()}
        return Table((), [values])

    def table_streams(self, options):
        del options
        return Table(('thread_id',), [{'thread_id': exactly(tid), **self.in_file(tid)}
                                      for tid in sorted({packet.thread for packet in self.packets})])

    def in_file(self, tid):
        own = [packet.size for packet in self.packets if packet.thread == tid]
        return {'packets': exactly(len(own) or None), 'bytes': exactly(sum(own) or None)}

    def table_threads(self, options):
        del options
        waits = ('working', 'waiting')              # checked by truth-calls
        rows, unchecked = [], waits if self.walked else ('events', *waits)
        for tid, thread in self.tids.items():
            rows.append({'thread_id': exactly(tid), 'thread': self.name_of(tid), **self.in_file(tid),
                         'unmatched': exactly(self.profile.threads[tid].unmatched)})
            if 'scopes' in thread and self.whole:
                still = thread['open_scopes_at_end']
                rows[-1].update({'group': thread['group'], 'system_id': exactly(thread['system_id']),
                                 'sort_hint': exactly(thread['sort_hint']), 'open': exactly(still),
                                 'scopes': exactly(thread['scopes'] - still), 'max_depth': exactly(thread['max_depth']),
                                 'busy': self.busy_of(thread)})
            else:
                unchecked = (*waits, 'events', 'group', 'system_id', 'sort_hint', 'open', 'scopes', 'max_depth', 'busy')
            if self.walked:
                rows[-1]['events'] = self.events_of(tid)
        return Table(('thread_id',), rows, unchecked, lambda row: row['thread'] == 'Trace', self.whole)

    def busy_of(self, thread):
        """All own times: also of what ended inside of an open scope."""
        return self.span(sum(timer['excl'] for timer in thread['timers']))

    def events_of(self, tid):
        """Of a packet that is cut there may be some, too."""
        sums = [sum(packet.events.values()) for packet in self.walked.packets if packet.thread == tid]
        cut = self.cut and self.packets[-1].thread == tid
        return Range(sum(sums), sum(sums) + (self.packets[-1].size if cut else 0)) if sums or cut else None

    def table_open_scopes(self, options):
        """Without scoped events, which the batches do not hold."""
        del options
        rows = [{'thread_id': exactly(tid), 'thread': self.name_of(tid), 'timer': timer[1], 'start': self.time(cycle)}
                for tid, thread in self.profile.threads.items() for timer, cycle in thread.stack]
        return Table(('thread_id', 'timer'), rows, ('depth',), lambda row: row['timer'].startswith('Cpu.'))

    def table_channels(self, options):
        del options
        states = {tables.channel_name(entry['channel']): entry['enabled'] for entry in self.truth['channel_toggles']}
        rows = [{'name': name, **({'enabled': states[name]} if name in states else {})}
                for name in map(tables.channel_name, self.truth['channels_declared'])]
        return Table(('name',), rows, ('channel_id', 'read_only', 'enabled'), complete=self.whole, folded=tables.channel_name)

    def table_ledger(self, options):
        del options
        rows = {'header': self.header, 'framing': sum(packet.header + packet.behind for packet in self.sound)}
        rows['truncated'] = self.packets[-1].size if self.cut else 0
        rows.update({'unreadable': 0, 'skipped': 0})
        if self.protocol >= 5:
            rows.update({part: sum(packet.size - packet.header for packet in self.sound if packet.thread == tid)
                         for part, tid in (('declarations', 0), ('definitions', 1))})
            rows['events'] = len(self.data) - sum(rows.values())
        share = [{'part': part, 'bytes': exactly(size), 'share': exactly(fractions.Fraction(size, len(self.data)))}
                 for part, size in rows.items()]
        return Table(('part',), share, ('help',), lambda row: len(rows) < 8)

    def table_types(self, options):
        del options
        rows = []
        for kind in self.truth['event_types']:
            flags = sum(bit for key, bit in tables.FLAGS if kind.get(key))
            rows.append({'logger': kind['logger'], 'event': kind['event'], 'flags': exactly(flags)})
        return Table(('logger', 'event'), rows, ('type_id', 'fields'), complete=self.whole)

    def table_event_counts(self, options):
        """Of a capture that is cut at least the events of the packets that are whole."""
        least = most = self.truth['event_counts']
        if '--thread' in options:
            least = most = self.walked.count(lambda packet: self.is_wanted(packet.thread, options))
        elif not self.whole:
            least = self.walked.count()
        rows = [{'event': name, 'count': Range(least.get(name, 0), count)} for name, count in most.items() if count]
        return Table(('event',), rows, ('bytes',), complete=self.whole)

    def is_wanted(self, tid, options):
        return '--thread' not in options or tid in self.tids and \
            self.name_of(tid) == options[options.index('--thread') + 1]

    def table_coverage(self, options):
        return dataclasses.replace(self.table_event_counts(options), unchecked=('bytes', 'family', 'share'))

    # ---- trace-stats ----

    def source_of(self):
        return {timer['id']: (timer['file'], timer['line'] or None) for timer in self.truth.get('timers_total', ())}

    def table_timers(self, options):
        """Counts and times from the truth; what it leaves out from the calls one by one."""
        by_thread, files, found = '--by' in options, self.source_of(), collections.defaultdict(list)
        for thread in self.truth['threads']:
            for timer in thread['timers'] if self.is_wanted(thread['trace_tid'], options) else ():
                kind, name = key = tables.kind_of(timer), timer['timer']
                tid, place = thread['trace_tid'], (kind, *files.get(timer['id'], ('', None)))
                found[(tid if by_thread else None, name, kind in GPU_KINDS and kind)].append(
                    (place, timer, self.profile.threads[tid].calls[key]))
        rows = [row for (tid, name, _), calls in found.items() for row in [self.timer_row(tid, name, calls)] if row]
        keys = ('thread_id', 'thread') if by_thread else ()
        old = lambda row: self.protocol < 5 and row.get('kind', SCOPED_EVENT) == SCOPED_EVENT   # noqa: E731
        return Table((*keys, 'kind', 'timer'), rows, ('working',), old)        # checked by truth-calls

    def timer_row(self, tid, name, calls):
        """A name is one row; kind, file and line are those of the place with the most exclusive time."""
        timers = [timer for _, timer, _ in calls if timer['count']]
        runs = list({id(run): run for _, _, run in calls}.values())
        if not timers and not any(run.open for run in runs):
            return None
        places = collections.Counter()
        for place, timer, _ in calls:
            if timer['count'] or not timers:
                places[place] += timer['excl']
        (kind, file, line), most = places.most_common(1)[0]
        row = {'kind': kind, 'timer': name, 'file': file, 'line': exactly(line),
               'sources': exactly(len(places)) if len(places) > 1 else None, 'places': None,
               'count': exactly(sum(timer['count'] for timer in timers))}
        if len(places) > 1:
            row['places'] = '%s:%d %.0f %%, %d more' % (
                file.rsplit('/', 1)[-1], line, 100 * most / sum(places.values()), len(places) - 1)
        if tid is not None:
            row.update({'thread_id': exactly(tid), 'thread': self.name_of(tid)})
        total = sum(timer['incl'] for timer in timers)
        low, high = min(timer['min'] for timer in timers), max(timer['max'] for timer in timers)
        row.update({'total': self.span(total), 'excl': self.span(sum(timer['excl'] for timer in timers)),
                    'min': self.span(low), 'max': self.span(high)})
        spans = [span for run in runs for span in run.spans]
        if kind != SCOPED_EVENT:
            return {**row, 'incl': self.span(sum(run.outermost for run in runs)),
                    'open': exactly(sum(run.open for run in runs)), **self.spread(spans, facts.SKETCHED)}
        between = Range(self.span(low).low * (1 - facts.SKETCHED), self.span(high).high * (1 + facts.SKETCHED))
        return {**row, 'incl': self.span(total), 'open': exactly(0), **dict.fromkeys(facts.PERCENTILES, between),
                'mean': exactly(self.span(total).low / sum(timer['count'] for timer in timers))}

    def table_frames(self, options):
        del options
        seen, rows = collections.Counter(), []
        for kind, begin, end in sorted(self.truth['frames'], key=lambda frame: frame[1]):
            rows.append({'type_id': exactly(kind), 'frame': exactly(seen[kind]), 'start': self.time(begin),
                         'end': self.time(end), 'dur': self.span(end - begin), 'type': FRAME_TYPES[kind],
                         'lost': None})
            seen[kind] += 1
        return Table(('type_id', 'frame'), rows)

    def table_frame_stats(self, options):
        del options
        rows = []
        for kind in sorted({frame[0] for frame in self.truth.get('frames', ())}):
            spans = [end - begin for own, begin, end in self.truth['frames'] if own == kind]
            rows.append({'type_id': exactly(kind), 'type': FRAME_TYPES[kind], 'count': exactly(len(spans)),
                         'open': exactly(0), 'total': self.span(sum(spans)), 'min': self.span(min(spans)),
                         'max': self.span(max(spans)), **self.spread(spans, facts.EXACT)})
        # checked by truth-calls
        return Table(('type_id',), rows, ('jitter', 'rate', 'rate_low', 'over_60', 'over_30'))

    def table_regions(self, options):
        """A region that only ends is in no truth."""
        del options
        rows = [{'name': region['name'], 'category': region['category'], 'start': self.time(region['begin']),
                 'end': self.time(region.get('end')),
                 'dur': self.span(region['end'] - region['begin'] if 'end' in region else None)}
                for region in self.truth['regions']]
        return Table(('name',), rows, ('region_id', 'thread'), lambda row: row['name'] == 'Never opened')

    def table_bookmarks(self, options):
        del options
        rows = [{'time': self.time(entry['cycle']), 'thread': entry['thread'], 'text': entry['text'],
                 'callstack_id': exactly(entry['callstack']),
                 'function': '(not in the capture)' if entry['callstack'] else None} for entry in self.truth['bookmarks']]
        return Table((), rows, ('file', 'line'))

    def table_logs(self, options):
        del options
        tids = {thread['name']: tid for tid, thread in self.tids.items()}
        rows = [{'time': self.time(entry['cycle']), 'thread_id': exactly(tids[entry['thread']]),
                 'line': exactly(entry['line']),
                 **{key: entry[key] for key in ('thread', 'category', 'verbosity', 'file', 'text')}}
                for entry in sorted(self.truth['logs'], key=lambda entry: entry['cycle'])]
        return Table((), rows)
