"""What Tracekit says of a .tracy alongside what the decoder of this folder says."""

import json

import tracy_figures
import tracy_file
from utrace_compare import MEMORY_KEYS, Said, rows_differ, same_float

TABLES = ('--format', 'json', '--by', 'thread,source', '--unit', 'ns', '--table',
          'event_counts,timers,frames,counters,logs,memory,gpu')
KEYS = ('count', 'open', 'total', 'excl', 'min', 'max', 'incl')
FIGURES = tuple(key for key in MEMORY_KEYS if key != 'peak_bytes')


def differences(tracekit, path, data, jobs=1):
    wanted = tracy_figures.figures(tracy_file.read(data)[1])
    said = Said(tracekit, 'stats', path, *TABLES, '--jobs', str(jobs))
    if said.status:
        return ['status %d: %s' % (said.status, said.err.strip()[:200])]
    got = json.loads(said.out)
    counts = {row['event']: row['count'] for row in got['event_counts']}
    found = ['%s: %s instead of %s' % (name, counts.get(name), number) for name, number in wanted['counts'].items()
             if counts.get(name, 0) != number]
    found += rows_differ('timer', {(row['thread_id'], *place(row)): row for row in got['timers']}, wanted['timers'], KEYS)
    found += rows_differ('gpu', {(row['queue_id'], *place(row)): row for row in got['gpu'] if row['kind'] == 'gpu'},
                         wanted['gpu'], ('count', 'total'))
    frames = {}
    for row in got['frames']:
        frames.setdefault(row['type_id'], []).append([row['start'], row['end']])
    if frames != {number: spans for number, spans in enumerate(wanted['frames']) if spans}:
        found.append('frames differ')
    found += plots_differ([row for row in got['counters'] if row['count']], wanted['counters'])
    messages = sorted(((row['time'], row['thread_id'], row['text'] or '') for row in got['logs']), key=str)
    if messages != wanted['messages']:
        found.append('messages: %d instead of %d, or others' % (len(messages), len(wanted['messages'])))
    if wanted['memory']:
        total = [row for row in got['memory'] if row['by'] == 'total']
        found += rows_differ('memory', dict(enumerate(total)), {0: wanted['memory']}, FIGURES)
    return found


def place(row):
    return row['timer'], row['file'], row['line']


def plots_differ(got, wanted):
    if len(got) != len(wanted):
        return ['%d plots instead of %d' % (len(got), len(wanted))]
    found = []
    for row, (name, figures) in zip(got, wanted):
        found += ['plot %s: %s is %s instead of %s' % (name, key, row[key], value) for key, value in figures.items()
                  if not (row[key] == value or same_float(row[key], value))]
        if name is not None and row['counter'] != name:
            found.append('plot %s instead of %s' % (row['counter'], name))
    return found
