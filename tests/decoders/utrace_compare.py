"""What Tracekit says of a .utrace alongside what the decoder of this folder says."""

import json
import math
import struct
import subprocess

import utrace_figures
import utrace_wire as wire

EVENTS = ('--format', 'ndjson', '--columns', 'thread_id,event,serial,fields,attachment')
TABLES = ('--format', 'json', '--by', 'thread', '--unit', 'cycles', '--table', 'timers,frames,threads,counters,memory')
TIMER_KEYS = ('count', 'open', 'total', 'excl', 'min', 'max', 'incl')
COUNTER_KEYS = ('count', 'first', 'last', 'min', 'max')
MEMORY_KEYS = ('allocs', 'frees', 'alloc_bytes', 'peak_bytes', 'alive_bytes', 'alive_count')


class Said:
    """A command on a capture: its status, standard error, output."""

    def __init__(self, tracekit, command, path, *options):
        done = subprocess.run([tracekit, command, str(path), *options], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=120)
        self.status, self.err = done.returncode, done.stderr.decode('utf-8', 'replace')
        self.out = done.stdout.decode('utf-8', 'surrogateescape')


def differences(tracekit, path, data, jobs=1):
    """Sentences about figures that differ; the capture is sound, so that a status other than 0 is one, too."""
    wanted = utrace_figures.figures(wire.read(data))
    events = Said(tracekit, 'events', path, *EVENTS)
    tables = Said(tracekit, 'stats', path, *TABLES, '--jobs', str(jobs))
    found = ['%s: status %d: %s' % (name, said.status, said.err.strip()[:200])
             for name, said in (('events', events), ('stats', tables)) if said.status]
    if not found:
        found = compare_events(events.out, wanted['events']) + compare_tables(json.loads(tables.out), wanted)
    return found


# ---- events ----

def compare_events(output, wanted):
    got = {}
    for line in output.splitlines():
        row = json.loads(line)
        got.setdefault(row['thread_id'], []).append(row)
    found = []
    for tid in sorted({*got, *wanted}):
        mine, theirs = wanted.get(tid, []), got.get(tid, [])
        if len(mine) != len(theirs):
            found.append('thread %d: %d events, the decoder has %d' % (tid, len(theirs), len(mine)))
        found += [text for text in map(compare_event, theirs, mine) if text][:3]
    return found


def compare_event(row, event):
    title, serial, values, extra = event
    where = 'event %s on thread %d' % (title, row['thread_id'])
    if row['event'] != title or row['serial'] != serial:
        return '%s: %s, serial %s instead of %s' % (where, row['event'], row['serial'], serial)
    for name, value in values.items():
        if not same_value(row['fields'].get(name), value):
            return '%s: %s is %.100r instead of %.100r' % (where, name, row['fields'].get(name), value)
    if sorted(row['fields']) != sorted(values):
        return '%s: fields %s instead of %s' % (where, sorted(row['fields']), sorted(values))
    displayed = bytes.fromhex(row['attachment']['bytes']) if isinstance(row['attachment'], dict) else b''
    return '' if displayed == extra else '%s: %d bytes attached instead of %d' % (where, len(displayed), len(extra))


def same_value(displayed, value):
    if isinstance(displayed, dict) and 'id' in displayed:       # a reference, with the text of what it refers to
        return displayed['id'] == value
    if isinstance(displayed, dict) and 'bytes' in displayed and isinstance(value, str):
        return text_bytes(displayed) in (value.encode('latin-1', 'replace'), value.encode('utf-16-le', 'surrogatepass'))
    if isinstance(value, list):
        return isinstance(displayed, list) and len(displayed) == len(value) and all(map(same_value, displayed, value))
    if isinstance(value, float):
        return same_float(displayed, value)
    return displayed == value


def text_bytes(displayed):
    return bytes.fromhex(displayed['bytes']).rstrip(b'\0')


def same_float(displayed, value):
    if not math.isfinite(value):
        return displayed is None or isinstance(displayed, str)
    if not isinstance(displayed, (int, float)):
        return False
    return displayed == value or abs(displayed) < 3.5e38 and struct.pack('<f', displayed) == struct.pack('<f', value)


# ---- tables ----

def compare_tables(tables, wanted):
    found = rows_differ('timer', timer_rows(tables['timers']), wanted['timers'], TIMER_KEYS)
    found += rows_differ('counter', counter_rows(tables['counters']), counter_rows(wanted['counters'].values()), COUNTER_KEYS)
    frames = {}
    for row in tables['frames']:
        frames.setdefault(row['type_id'], []).append([row['start'], row['end']])
    if frames != wanted['frames']:
        found.append('frames: %.200r instead of %.200r' % (frames, wanted['frames']))
    names = {row['thread_id']: (row['thread'], row['system_id'], row['sort_hint']) for row in tables['threads']}
    found += ['thread %d: %r instead of %r' % (tid, names.get(tid), row) for tid, row in wanted['threads'].items()
              if names.get(tid) != row]
    if wanted['memory']:
        total = [row for row in tables['memory'] if row['by'] == 'total']
        found += rows_differ('memory', dict(enumerate(total)), {0: wanted['memory']}, MEMORY_KEYS)
    return found


def timer_rows(rows):
    """By thread, name and kind: files tell timers of a name apart, and the decoder does not look at them."""
    out = {}
    for row in rows:
        key = (row['thread_id'], row['timer'], row['kind'])
        if key in out:
            raise ValueError('timer %s is there twice' % (key,))
        out[key] = row
    return out


def counter_rows(rows):
    """By name and first values: names may be there twice."""
    out = {}
    for row in rows:
        if row['count']:
            key = row['counter'] or ''
            out[key, sum(1 for other in out if other[0] == key)] = row
    return out


def rows_differ(what, got, wanted, keys):
    found = []
    for key in sorted({*got, *wanted}, key=str):
        if key not in got or key not in wanted:
            found.append('%s %s: only %s has it' % (what, key, 'Tracekit' if key in got else 'the decoder'))
            continue
        for name in keys:
            one, other = got[key].get(name), wanted[key].get(name)
            if skipped(what, name, wanted[key]) or one == other or isinstance(other, float) and same_float(one, other):
                continue
            found.append('%s %s: %s is %s instead of %s' % (what, key, name, one, other))
    return found


def skipped(what, name, row):
    """Of timers without a call that ended there are no figures; incl and excl of a timer that is open are a matter of taste."""
    if what != 'timer' or name in ('count', 'open'):
        return False
    return not row['count'] or name in ('incl', 'excl') and row['open'] > 0
