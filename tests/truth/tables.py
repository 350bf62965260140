"""Checks of the tables of trace-stats and of what trace-info says, against a truth file."""

import collections

import brute

TIMER_COLUMNS = ('thread_id', 'thread', 'timer', 'kind', 'file', 'line', 'count', 'open', 'incl', 'total', 'excl', 'min',
                 'max', 'mean', 'median', 'p95', 'p99')
PERCENTILES = {'median': 0.5, 'p95': 0.95, 'p99': 0.99}
RELATIVE_ERROR = 0.008
REGION_ENDS = ('Misc.RegionEnd', 'Misc.RegionEndWithId')
BARE_END = 'bare_end'                       # a region that only ends: of no length, and not among those of the truth
FLAGS = (('no_sync', 4), ('maybe_has_aux', 2), ('important', 1), ('definition', 8))


def integer(text):
    """A cell; an empty one is None."""
    return int(text) if text else None


def kind_of(timer):
    return timer.get('kind', 'spec')


class Captured:
    """What the commands say about one capture, each requested once."""

    def __init__(self, commands, path):
        self.commands, self.path = commands, path
        self._kept = {}

    def _once(self, key, make):
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    @property
    def info(self):
        return self._once('info', lambda: self.commands.info(self.path))

    @property
    def types(self):
        """Logger.Event -> its type; of several declarations the last."""
        return {entry['logger'] + '.' + entry['event']: entry for entry in self.info['types']}

    @property
    def file(self):
        return self._once('file', lambda: self.commands.table(self.path, 'file', ('transport', 'protocol'))[0])

    @property
    def protocol(self):
        return int(self.file['protocol'])

    @property
    def timers(self):
        return self._once('timers', lambda: self.commands.table(self.path, 'timers', TIMER_COLUMNS, '--by', 'thread'))

    def table(self, name, columns):
        return self._once((name, columns), lambda: self.commands.table(self.path, name, columns))

    def events(self, *patterns, order='file'):
        return self._once((patterns, order), lambda: self.commands.events(self.path, *patterns, order=order))


def check_capture(result, got, truth):
    for key in ('frequency', 'start_cycle'):
        if key in truth:
            result.equal(key, got.info['capture'][key], truth[key])
    for key in ('protocol', 'transport'):
        if key in truth:
            result.equal(key, int(got.file[key]), truth[key])
    damage = [entry for entry in got.info['health'] if entry.get('damage')]
    result.equal('damage', damage, [])
    if 'event_counts' in truth:
        result.equal('event counts', got.commands.count(got.path), truth['event_counts'])
        result.equal('number of events', sum(truth['event_counts'].values()), truth['event_count_total'])


def check_types(result, got, truth):
    for wanted in truth.get('event_types', ()):
        name = wanted['logger'] + '.' + wanted['event']
        declared = got.types.get(name)
        result.true('type %s is missing' % name, declared)
        if not declared:
            continue
        if got.protocol:                            # protocol 0 declares no flags
            result.equal('flags of ' + name, declared['flags'],
                         sum(bit for key, bit in FLAGS if wanted.get(key)))
        fields = [['' if field.get('definition') else field['name'], field['type'], field['offset'], field['size']]
                  for field in declared['fields']]
        result.equal('fields of ' + name, fields,
                     [[field['name'], field['type_code'], field['offset'], field['size']] for field in wanted['fields']])
    if 'event_type_count' in truth:
        result.equal('number of types', len(got.info['types']), truth['event_type_count'])


def check_threads(result, got, truth):
    rows = {row['thread_id']: row for row in got.info['threads']}
    for wanted in truth.get('threads', ()):
        tid = wanted['trace_tid']
        row = rows.get(tid, {})
        if wanted.get('registered'):
            for key, name in (('name', 'thread'), ('system_id', 'system_id'), ('sort_hint', 'sort_hint')):
                result.equal('%s of thread %d' % (name, tid), row.get(name), wanted[key])
            result.equal('group of thread %d' % tid, row.get('group') or '', wanted['group'])
        if 'scopes' in wanted:
            still = wanted['open_scopes_at_end']
            result.equal('scopes of thread %d (%s)' % (tid, wanted['name']),
                         {key: row.get(key) or 0 for key in ('scopes', 'open', 'max_depth')},
                         {'scopes': wanted['scopes'] - still, 'open': still, 'max_depth': wanted['max_depth']})
    if 'unmatched_scope_ends' in truth:
        result.equal('unmatched ends', sum(row.get('unmatched') or 0 for row in rows.values()),
                     truth['unmatched_scope_ends'])


def merged(timers, files):
    """Truth timers by (kind, name, file, line): those of equal name are one timer."""
    table = {}
    for timer in timers:
        key = (kind_of(timer), timer['timer'], *files.get(timer.get('id'), ('', 0)))
        figures = [timer['count'], timer['incl'], timer['excl'], timer['min'], timer['max']]
        if key in table:
            old = table[key]
            figures = [old[0] + figures[0], old[1] + figures[1], old[2] + figures[2], min(old[3], figures[3]),
                       max(old[4], figures[4])]
        if timer['count']:
            table[key] = figures
    return table


def printed(rows, thread_id):
    """Rows of a thread in the form of merged(), those with ended calls."""
    return {(row['kind'], row['timer'], row['file'], integer(row['line']) or 0):
            [int(row['count']), *(integer(row[key]) for key in ('total', 'excl', 'min', 'max'))]
            for row in rows if int(row['thread_id']) == thread_id and int(row['count'])}


def without_scoped_events(table):
    return {key: figures for key, figures in table.items() if key[0] != 'scoped_event'}


def check_timers(result, got, truth):
    """Every timer of every thread with its exact figures, and no other."""
    if 'threads' not in truth:
        return
    files = {timer['id']: (timer['file'], timer['line']) for timer in truth.get('timers_total', ())}
    complete = got.protocol >= 5                    # older truth leaves out the scoped events
    for wanted in truth['threads']:
        table = printed(got.timers, wanted['trace_tid'])
        if not complete:
            table = without_scoped_events(table)
        result.equal('timers of %s' % wanted['name'], table, merged(wanted['timers'], files))
    if 'timers_total' in truth:
        check_total(result, got, truth, files)
    if 'scopes_total' in truth:
        result.equal('scopes', sum(int(row['count']) + int(row['open']) for row in got.timers), truth['scopes_total'])


def check_total(result, got, truth, files):
    """The same over all threads, as the table without --by thread gives it."""
    columns = ('timer', 'kind', 'file', 'line', 'count', 'open', 'total', 'excl', 'min', 'max')
    rows = [{**row, 'thread_id': '0'} for row in got.table('timers', columns)]
    result.equal('timers of all threads', printed(rows, 0), merged(truth['timers_total'], files))


def check_open(result, got, truth):
    for wanted in truth.get('threads', ()):
        if 'open_scopes_at_end' in wanted:
            result.equal('open scopes of ' + wanted['name'],
                         sum(int(row['open']) for row in got.timers if int(row['thread_id']) == wanted['trace_tid']),
                         wanted['open_scopes_at_end'])


def check_brute(result, got, truth):
    """Percentiles, means, recursion and open calls, against every call decoded one by one."""
    events = got.events('CpuProfiler.*')
    profile = brute.Profile(events, truth.get('start_cycle', 0))
    rows = collections.defaultdict(dict)
    for row in got.timers:
        if row['kind'] != 'scoped_event':
            rows[int(row['thread_id'])].setdefault((row['kind'], row['timer']), []).append(row)
    for tid, thread in profile.threads.items():
        for timer, calls in thread.calls.items():
            what = '%s of thread %d' % (timer[1], tid)
            found = rows[tid].get(timer, [])
            if len(found) == 1:                     # several: equal names with different files
                check_row(result, what, found[0], calls)
            else:
                result.true(what + ' is missing', found)


def check_row(result, what, row, calls):
    wanted = calls.figures()
    result.equal(what, {key: integer(row[key]) for key in wanted}, wanted)
    if not calls.spans:
        return
    mean = sum(calls.spans) / len(calls.spans)
    result.true('mean of %s: %s instead of %g' % (what, row['mean'], mean), abs(float(row['mean']) - mean) <= 1e-9 * mean)
    for column, fraction in PERCENTILES.items():
        exact = calls.percentile(fraction)
        result.true('%s of %s: %s instead of %d' % (column, what, row[column], exact),
                    abs(float(row[column]) - exact) <= RELATIVE_ERROR * exact)


def check_frames(result, got, truth):
    if 'frames' not in truth:
        return
    rows = got.table('frames', ('type_id', 'frame', 'start', 'end', 'dur'))
    frames = [[int(row['type_id']), int(row['start']), integer(row['end'])] for row in rows]
    ended = sorted(frame for frame in frames if frame[2] is not None)
    result.equal('frames', ended, sorted(truth['frames']))
    for row in rows:
        if row['end']:
            result.equal('length of frame %s' % row['frame'], int(row['dur']), int(row['end']) - int(row['start']))
    for kind in {frame[0] for frame in frames}:
        result.equal('numbers of the frames of type %d' % kind,
                     [int(row['frame']) for row in rows if int(row['type_id']) == kind],
                     list(range(sum(frame[0] == kind for frame in frames))))
    still = [frame[:2] for frame in frames if frame[2] is None]
    result.equal('open frames', still, [truth['open_frame'][:2]] if 'open_frame' in truth else [])


def check_regions(result, got, truth):
    if 'regions' not in truth:
        return
    rows = got.table('regions', ('name', 'category', 'region_id', 'start', 'end', 'state'))
    regions = [[row['name'], row['category'], bool(row['region_id']), int(row['start']), integer(row['end'])]
               for row in rows if row['state'] != BARE_END]
    wanted = [[region['name'], region['category'], region['with_id'], region['begin'], region.get('end')]
              for region in truth['regions']]
    key = lambda region: (region[3], region[0])     # noqa: E731
    result.equal('regions', sorted(regions, key=key), sorted(wanted, key=key))
    ends = sum(truth['event_counts'].get(name, 0) for name in REGION_ENDS)
    result.equal('ends without a begin', sum(row['state'] == BARE_END for row in rows),
                 ends - sum(region[4] is not None for region in wanted))


def check_texts(result, got, truth):
    """Bookmarks and logs, in the order of time; the columns of threads by name."""
    if 'bookmarks' in truth:
        rows = got.table('bookmarks', ('time', 'thread', 'text'))
        result.equal('bookmarks', [[int(row['time']), row['thread'], row['text']] for row in rows],
                     [[entry['cycle'], entry['thread'], entry['text']] for entry in truth['bookmarks']])
    if 'logs' in truth:
        columns = ('time', 'thread', 'category', 'verbosity', 'file', 'line', 'text')
        rows = [[int(row['time']), *(row[key] for key in columns[1:5]), int(row['line']), row['text']]
                for row in got.table('logs', columns)]
        wanted = [[entry['cycle'], *(entry[key] for key in columns[1:])] for entry in truth['logs']]
        result.equal('logs', sorted(rows), sorted(wanted))
        result.equal('times of logs', [row[0] for row in rows], sorted(row[0] for row in wanted))


def check_session(result, got, truth):
    if 'session' in truth:
        session = got.info['session']
        result.equal('session', {key: session.get(key) for key in truth['session']}, truth['session'])


def channel_name(name):
    """A channel as it is announced: without the word Channel at the end, compared without case."""
    name = name[:-7] if len(name) > 7 and name.endswith('Channel') else name
    return name.lower().removesuffix('s')


def check_channels(result, got, truth):
    if 'channels_declared' not in truth:
        return
    names = {entry['channel_id']: channel_name(entry['name']) for entry in got.info['channels'] if entry.get('name')}
    result.equal('channels', sorted(names.values()), sorted(map(channel_name, truth['channels_declared'])))
    toggles = [[names.get(entry['channel_id'], entry['channel_id']), entry['enabled']] for entry in got.info['toggles']
               if not entry['announced']]
    wanted = [[channel_name(entry['channel']), entry['enabled']] for entry in truth['channel_toggles']]
    result.equal('toggles', toggles[len(toggles) - len(wanted):], wanted)
    last = dict(wanted)
    states = {names[entry['channel_id']]: entry['enabled'] for entry in got.info['channels'] if entry.get('name')}
    result.equal('states of channels', {name: states.get(name) for name in last}, last)


CHECKS = (check_capture, check_types, check_threads, check_timers, check_open, check_frames, check_regions, check_texts,
          check_session, check_channels)
