#!/usr/bin/env python3
"""Reaches each limit, and throws bombs.

usage: check_limits.py --bin DIRECTORY --maker PROGRAM [--bombs|--many] [--no-measure] [--only TEXT]

Without --bombs: of captures that hold a known number of something (tests/limits/make.c) commands are asked with the
limit one below that number, at it, and one above. Below it the limit is named, with how to raise it, and the status is
4 where something was left out or 3 where the command gave up, and the parts of the ledger sum to the size of the file;
at it and above nothing is said. The same must come of TRACEKIT_LIMITS. Where a limit counts bytes that no test can know,
the value from which on nothing is said is looked for between two that follow from the capture; of `memory` the page,
because what a command takes is up to the C library and the kernel. A limit without a case is a failure. With --bombs: small
files that ask for much, each under rlimits of processor time and memory, with the right message; with --many those of ten
million callstacks.
"""

import argparse
import collections
import csv
import gzip
import io
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE.parent / 'damaged'))
sys.path.insert(0, str(HERE.parent / 'truth'))
import imports_made  # noqa: E402
import report  # noqa: E402
import walk    # noqa: E402

STATS = ('trace-stats', '--format', 'csv', '--table')
FULL = ('trace-info', '--full')
SERIAL = ('trace-events', '--count', '--order', 'serial')
EVENTS = ('trace-events', '--format', 'csv')
FOLDED = ('trace-export', '--format', 'folded', '--weight', 'count', '--output', '-')
N = 100
DAMAGED, FAILED = 4, 3

# Where each capture has more than the N that were requested: the writer's own events.
#   $Trace.NewTrace and $Trace.ThreadTiming are two types with five fields, on two packets
#
# limit, kind, the number that is there for N, command, status one below
CASES = (
    ('types', 'types', N + 2, FULL, DAMAGED),
    ('fields', 'types', N + 5, FULL, DAMAGED),
    ('packets', 'packets', 'packets', FULL, FAILED),
    ('threads', 'threads', N, FULL, FAILED),
    ('definitions', 'toggles', N + 1, (*STATS, 'toggles'), DAMAGED),      # and the thread
    ('timers', 'timers', N, (*STATS, 'timers'), DAMAGED),
    ('open_scopes', 'scopes', N, (*STATS, 'timers'), DAMAGED),
    ('metadata_instances', 'instances', N, (*STATS, 'timers'), DAMAGED),
    ('rows', 'logs', N, (*STATS, 'logs'), DAMAGED),
    ('rows', 'toggles', N, (*STATS, 'toggles'), DAMAGED),
    ('rows', 'channels', N, (*STATS, 'toggles'), DAMAGED),
    ('pending_logs', 'unknown-logs', N, (*STATS, 'logs'), DAMAGED),
    ('counters', 'counters', N - 1, (*STATS, 'counters'), DAMAGED),   # number 0 is none
    ('alive_allocations', 'allocations', N, (*STATS, 'memory'), DAMAGED),
    ('late_metadata', 'unknown-metadata', N, (*STATS, 'timers'), DAMAGED),
    ('scope_texts', 'labels', N, ('trace-stats', '--by', 'label', '--format', 'csv'), DAMAGED),
    ('pending_scopes', 'stamped', 2 * N, (*STATS, 'timers'), DAMAGED),     # begins and ends
    ('pending_serials', 'turned', N, SERIAL, DAMAGED),
    ('tree_nodes', 'roots', N + 2, ('trace-stats', '--tree', '--format', 'csv'), DAMAGED),  # none, and what is left out
    ('tree_nodes', 'roots', N + 2, ('trace-stats', '--slowest', '200', '--format', 'csv'), DAMAGED),
    ('stack_name_bytes', 'recursion', 4096, FOLDED, DAMAGED),
    ('hitches', 'frames', N, ('trace-stats', '--hitches=50', '--format', 'csv'), DAMAGED),
    # the value on the other thread is held, too
    ('counter_window', 'late-value', N + 1, (*STATS, 'counters,health'), 0),
    ('memory_groups', 'callstacks', N, (*STATS, 'memory', '--by', 'callstack'), DAMAGED),
    ('tasks', 'tasks', N, (*STATS, 'tasks'), DAMAGED),
    ('switches', 'switches', N, (*STATS, 'cores'), DAMAGED),
    ('sample_addresses', 'samples', N, (*STATS, 'samples'), DAMAGED),
    ('connections', 'connections', N, (*STATS, 'net'), DAMAGED),
    ('held_events', 'requests', N, (*STATS, 'http'), DAMAGED),
    ('health_items', 'unknown-logs', N, (*STATS, 'timers,health'), 0),
    # more events than that inside of an open one: they are given out as they are, a notice and no damage
    ('group_events', 'group', N + 1, (*STATS, 'events,health'), 0),
    # the first piece comes with the beginning of the event; that the terminal comes later is no loss
    ('group_events', 'pieces', N - 1, EVENTS, DAMAGED),
    ('threads', 'tracy-threads', N + 1, (*STATS, 'threads'), DAMAGED),    # and number 0, which is nobody
    ('nesting', 'tracy-nesting', N, (*STATS, 'timers'), DAMAGED),
    ('lanes', 'overlaps', N, (*STATS, 'timers'), DAMAGED),
    ('kept_events', 'shuffled', N, (*STATS, 'timers'), DAMAGED),
    ('timers', 'tracy-locations', N, (*STATS, 'timers'), DAMAGED),
    ('timers', 'chrome-names', N, (*STATS, 'timers'), DAMAGED),
    ('timers', 'fxt-names', N, (*STATS, 'timers'), DAMAGED),
    ('timers', 'perfetto-names', N, (*STATS, 'timers'), DAMAGED),
    ('timers', 'csv-names', N + 1, (*STATS, 'timers'), DAMAGED),          # and the frames'
    ('ordered_facts', 'tracy-values', N, (*STATS, 'counters'), DAMAGED),
    ('event_bytes', 'tracy-source', N, (*STATS, 'source_files'), DAMAGED),
)

# limit, kind, command, status below; a value at which it is reached, for N, and one at which it is not
BETWEEN = (
    ('strings', 'timers', (*STATS, 'timers'), DAMAGED, 0, 200 * N),          # names of some 7 letters
    ('strings', 'tracy-string', FULL, DAMAGED, 0, 100 * N),
    ('strings', 'chrome-names', (*STATS, 'timers'), DAMAGED, 0, 100 * N),
    ('strings', 'fxt-names', (*STATS, 'timers'), DAMAGED, 0, 100 * N),
    ('strings', 'perfetto-names', (*STATS, 'timers'), DAMAGED, 0, 100 * N),
    ('strings', 'csv-names', (*STATS, 'timers'), DAMAGED, 0, 100 * N),
    ('strings', 'chrome-counters', (*STATS, 'counters'), DAMAGED, 0, 200 * N),
    ('strings', 'chrome-texts', ('trace-stats', '--by', 'label', '--format', 'csv'), DAMAGED, 0, 100 * N),
    ('group_bytes', 'group-data', (*STATS, 'events,health'), 0, 1000 * N, 2000 * N),
    ('group_bytes', 'pieces', EVENTS, DAMAGED, 0, 100 * N),
    ('callstack_bytes', 'callstacks', (*STATS, 'callstacks'), DAMAGED, 80 * N, 160 * N),   # 10 addresses of 8 bytes
)

# Trace events of Chrome: n scopes of one thread, each open while all later ones begin; n in no order of time.
TRACE_EVENTS = {
    'overlaps': lambda n: [{'ph': 'X', 'name': 's%d' % i, 'ts': i, 'dur': 10 * n, 'pid': 1, 'tid': 1} for i in range(n)],
    'shuffled': lambda n: [{'ph': 'X', 'name': 's', 'ts': i * 37 % n * 10, 'dur': 5, 'pid': 1, 'tid': 1} for i in range(n)],
}



def fxt_names(n):
    fxt = imports_made.Fxt(1000000000)
    for i in range(n):
        fxt.event(2, 10 * i, 1, 1, 's%d' % i)
        fxt.event(3, 10 * i + 5, 1, 1, '')
    return bytes(fxt.out)


def perfetto_names(n):
    put = imports_made.put
    packets = [put(10, 1) + put(13, 1) + put(60, put(1, 5) + put(4, put(1, 1) + put(2, 1)))]
    for i in range(n):
        packets.append(put(8, 10 * i) + put(10, 1) + put(11, put(9, 1) + put(11, 5) + put(23, 's%d' % i)))
        packets.append(put(8, 10 * i + 5) + put(10, 1) + put(11, put(9, 2) + put(11, 5)))
    return b''.join(put(1, packet) for packet in packets)


# n scopes of n names, each 5 ns long, in all formats of other tools; in a CSV, where a frame has parts of its time, 5 ms.
NAMES = {
    'chrome-names': lambda n: json.dumps([{'ph': 'X', 'name': 's%d' % i, 'ts': i / 100, 'dur': 0.005, 'pid': 1, 'tid': 1}
                                          for i in range(n)]).encode(),
    'chrome-counters': lambda n: json.dumps([{'ph': 'C', 'name': 'counter%d' % i, 'ts': i, 'pid': 1, 'args': {'': i}}
                                             for i in range(n)]).encode(),
    'chrome-texts': lambda n: json.dumps([{'ph': 'X', 'name': 's', 'ts': i, 'dur': 1, 'pid': 1, 'tid': 1, 'args': {'t': 't%d' % i}}
                                          for i in range(n)]).encode(),
    'fxt-names': fxt_names,
    'perfetto-names': perfetto_names,
    'csv-names': lambda n: ('EVENTS,FrameTime,%s\n,%d%s\n' % (
        ','.join('Exclusive/T/s%d' % i for i in range(n)), 10 * n, ',5' * n)).encode(),
}

# N scopes of N names: how long each is, in ns, and bytes of texts that some of the names have space in.
TOLD = {'roots': (100, 3000), 'chrome-names': (5, 2000), 'fxt-names': (5, 2000), 'perfetto-names': (5, 2000),
        'csv-names': (5000000, 2000)}

# These have checks of their own, below.
OTHERS = ('members', 'memory', 'metric_seconds', 'parts', 'stacks_bytes', 'stacks_ratio', 'unpacked_bytes', 'unpacked_ratio',
          'whole_bytes')  # which leaves nothing out that was requested: pages/check_in_part.py
FREE = 64 << 20             # from there on unpacked_ratio and stacks_ratio hold

# kind, n, command, statuses, what is said; seconds of processor time and bytes of memory that the command is given
MIB = 1 << 20
BY_CALLSTACK = (*STATS, 'memory', '--by', 'callstack')
BOMBS = (
    ('types', 65536, FULL, (DAMAGED,), "limit 'types'", 10, 256 * MIB),
    ('widest-types', 16000, FULL, (DAMAGED,), "limit 'fields'", 20, 256 * MIB),
    ('threads', 65536, FULL, (0,), '', 10, 256 * MIB),
    ('threads', 200000, FULL, (FAILED,), "limit 'threads'", 10, 256 * MIB),
    ('tracy-threads', 1000000, (*STATS, 'threads'), (DAMAGED,), "limit 'threads'", 20, 256 * MIB),
    ('tracy-nesting', 1000000, (*STATS, 'timers'), (DAMAGED,), "limit 'nesting'", 10, 256 * MIB),
    ('tracy-string', 1 << 30, FULL, (0, DAMAGED), '', 20, 256 * MIB),
    ('tracy-string-zstd', 1 << 30, FULL, (0, DAMAGED), '', 20, 256 * MIB),
    ('scopes', 1000000, (*STATS, 'timers'), (DAMAGED,), "limit 'open_scopes'", 10, 256 * MIB),
    ('redefined', 1000000, (*STATS, 'timers'), (0,), '', 20, 512 * MIB),
    ('backwards', 1000000, (*STATS, 'timers'), (0,), '', 10, 256 * MIB),
    ('serials', 1000000, SERIAL, (0,), '', 20, 256 * MIB),
    # 600 threads with 13000 events each, and nobody has the lowest serial number
    ('waiting', 600, ('trace-events', '--order', 'serial', '--thread', 'Thread 3', '--format', 'csv'), (DAMAGED,),
     "limit 'pending_serials'", 20, 256 * MIB),
    ('renamed-game', 8000, (*STATS, 'net'), (DAMAGED,), "limit 'definitions'", 10, 512 * MIB),
    ('toggles', 5000000, (*STATS, 'quality'), (DAMAGED,), "limit 'definitions'", 20, 512 * MIB),
    ('channels', 300000, (*STATS, 'quality'), (0, DAMAGED), '', 20, 256 * MIB),
    ('group', 1000000, ('trace-events', '--count'), (0,), '', 10, 256 * MIB),
    ('array', 1 << 30, ('trace-events', '--count'), (0,), '', 20, 256 * MIB),
    ('arrays', 20000, ('trace-events', '--count'), (0,), '', 20, 256 * MIB),
    ('allocations', 1000000, (*STATS, 'memory'), (0,), '', 20, 256 * MIB),
    ('empty-declarations', 1000000, FULL, (DAMAGED,), 'a type declaration was refused', 20, 256 * MIB),
    ('hollow', 1000000, FULL, (DAMAGED,), 'the array data of an important event', 20, 256 * MIB),
    ('callstacks', 500000, BY_CALLSTACK + ('--limit', 'memory_groups=200000'), (DAMAGED,), "limit 'memory_groups'", 10, 512 * MIB),
    ('callstacks', 500000, (*STATS, 'memory', '--by', 'function'), (0,), '', 10, 256 * MIB),
)
# With the limits that are usual: some 350 bytes for each callstack and its allocation.
MANY = (
    ('callstacks', 10000000, BY_CALLSTACK, (DAMAGED,), "limit 'memory_groups'", 60, 4096 * MIB),
    ('callstacks', 10000000, (*STATS, 'memory,memory_growth', '--by', 'function,module,file'), (0,), '', 90, 3072 * MIB),
    ('callstacks', 10000000, (*STATS, 'callstacks', '--limit', 'callstack_bytes=1000000'), (DAMAGED,), "limit 'callstack_bytes'", 60,
     512 * MIB),
)


class Tools:
    def __init__(self, options, work):
        self.bin, self.maker, self.work = options.bin.resolve(), options.maker.resolve(), work

    def make(self, kind, n):
        path = self.work / ('%s-%d' % (kind, n))
        if kind in TRACE_EVENTS:
            path.write_text(json.dumps({'traceEvents': TRACE_EVENTS[kind](n)}))
        if kind in NAMES:
            path.write_bytes(NAMES[kind](n))
        if not path.exists():
            subprocess.run([str(self.maker), kind, str(n), str(path)], check=True)
        return path

    def run(self, command, path, *options, limits=None, most=()):
        """(status, output, seconds, bytes of memory); most: rlimits."""
        environment = {**os.environ, 'LC_ALL': 'C'}
        environment.pop('TRACEKIT_LIMITS', None)
        if limits:
            environment['TRACEKIT_LIMITS'] = limits
        begin = time.monotonic()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen([str(self.bin / command[0]), str(path), *command[1:], *options],
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment,
                                       preexec_fn=lambda: [resource.setrlimit(what, (value, value)) for what, value in most])
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            text = (out.read(1 << 24) + err.read()).decode(errors='replace')
        return process.returncode, text, time.monotonic() - begin, usage.ru_maxrss * 1024


def hint(limit):
    return "(limit '%s': --limit %s=NUMBER sets another)" % (limit, limit)


def check_ledger(result, tools, path, *options):
    """The parts of the ledger sum to the size of the file."""
    status, text, *_ = tools.run((*STATS, 'ledger', '--quiet'), path, *options)
    parts = [line.split(',') for line in text.splitlines()[1:] if line]
    result.equal('%s: sum of the ledger' % ' '.join(options), sum(int(part[1]) for part in parts), path.stat().st_size)


def check_case(result, tools, limit, kind, there, command, below):
    path = tools.make(kind, N)
    if there == 'packets':
        there = len(walk.Capture(path.read_bytes()).packets)
    for value in (there - 1, there, there + 1):
        setting = '%s=%d' % (limit, value)
        status, text, *_ = tools.run(command, path, '--limit', setting)
        result.equal('%s: status' % setting, status, below if value < there else 0)
        result.true('%s: %s is not said: %s' % (setting, hint(limit), text[-300:]), (hint(limit) in text) == (value < there))
        # these captures are sound
        result.true('%s: damage is told: %s' % (setting, text[-300:]), 'is damaged' not in text)
        if value < there:
            others = (tools.run(command, path, limits=setting)[:2],
                      tools.run(command, path, '--limit', setting, limits=limit + '=1000000')[:2])
            result.true('%s: environment and option differ' % setting, all(other == (status, text) for other in others))
            if status != FAILED:
                check_ledger(result, tools, path, '--limit', setting)


def check_between(result, tools, limit, kind, command, below, low, high, step=1):
    """Reached at low and not at high, and at one place between, which is a multiple of step."""
    path = tools.make(kind, N)

    def reached(value):
        status, text, *_ = tools.run(command, path, '--limit', '%s=%d' % (limit, value))
        said = hint(limit) in text
        result.equal('%s=%d: status' % (limit, value), status, below if said else 0)
        return said

    result.true('%s=%d is not reached' % (limit, low), reached(low))
    result.true('%s=%d is reached' % (limit, high), not reached(high))
    while low + step < high:
        middle = (low + high) // 2 // step * step
        low, high = (middle, high) if reached(middle) else (low, middle)
    result.true('%s=%d is reached' % (limit, high + step), not reached(high + step))
    if below != FAILED:
        check_ledger(result, tools, path, '--limit', '%s=%d' % (limit, low))


def zeros(tools, size):
    """A capture with zeros behind it, packed; all of it has that size."""
    path, capture = tools.work / ('zeros-%d.zst' % size), tools.make('logs', N)
    with open(path, 'wb') as out:
        whole = subprocess.Popen(['/bin/sh', '-c', 'cat "$0"; head -c "$1" /dev/zero', str(capture),
                                  str(size - capture.stat().st_size)], stdout=subprocess.PIPE)
        subprocess.run(['zstd', '-qc'], stdin=whole.stdout, stdout=out, check=True)
        whole.stdout.close()
        whole.wait()
    return path


def check_unpacked_bytes(result, tools):
    path = tools.make('logs', 20000)
    size = path.stat().st_size
    packed = tools.work / 'packed.zst'
    subprocess.run(['zstd', '-qf', str(path), '-o', str(packed)], check=True)
    for value in (size - 1, size, size + 1):
        status, text, *_ = tools.run(FULL, packed, '--limit', 'unpacked_bytes=%d' % value)
        result.equal('unpacked_bytes=%d' % (value - size), (status, hint('unpacked_bytes') in text),
                     (FAILED, True) if value < size else (0, False))


def check_unpacked_ratio(result, tools, measure):
    """Zeros behind a capture are damage."""
    def reached(path, value, most=()):
        status, text, *_ = tools.run(FULL, path, '--limit', 'unpacked_ratio=%d' % value, most=most)
        result.equal('unpacked_ratio=%d: status' % value, status, FAILED if hint('unpacked_ratio') in text else DAMAGED)
        return hint('unpacked_ratio') in text

    size = FREE + MIB
    path = zeros(tools, size)
    edge = size // (path.stat().st_size + 1) + 1    # the least whole ratio at which size / ratio is within the file's size
    for value in (edge - 1, edge, edge + 1):
        result.equal('%d bytes to %d, ratio %d' % (path.stat().st_size, size, value), reached(path, value), value < edge)
    for more in (0, 1):
        result.equal('ratio 1 of %d bytes' % (FREE + more), reached(zeros(tools, FREE + more), 1), more > 0)
    bounds = ((resource.RLIMIT_CPU, 10), (resource.RLIMIT_DATA, 256 * MIB)) if measure else ()
    result.true('4 GiB of zeros are unpacked', reached(zeros(tools, 4 << 30), 2000, bounds))


def check_no_capture(result, tools):
    """What is no capture is refused by its first bytes, however much there is of it."""
    most = ((resource.RLIMIT_CPU, 10), (resource.RLIMIT_FSIZE, 16 * MIB))
    status, text, *_ = tools.run(FULL, '/dev/zero', most=most)
    result.equal('/dev/zero', (status, 'not a capture of any known format' in text), (FAILED, True))


def check_stacks_ratio(result, tools):
    """N calls inside each other, with a name of 4096 bytes: line i has the thread and i names with a sign behind each, 1 and a
    line feed."""
    n, rest = 2 * N, len('Thread 1;') + 2
    path, whole = tools.make('recursion', n), sum(i * 4097 + rest for i in range(1, n + 1))
    result.true('more than is allowed in any case', FREE < whole)
    edge = whole // path.stat().st_size + 1
    for value, wanted in ((1, (DAMAGED, True)), (edge, (0, False))):
        file = tools.work / 'stacks.folded'
        command = (*FOLDED[:-1], str(file), '--force')
        status, text, *_ = tools.run(command, path, '--limit', 'stacks_ratio=%d' % value)
        result.equal('stacks_ratio=%d' % value, (status, hint('stacks_ratio') in text), wanted)
        size = file.stat().st_size
        result.true('bytes with stacks_ratio=%d: %d' % (value, size),
                    size == whole if value == edge else FREE <= size <= FREE + n * 4097 + rest)
    edge = whole // n
    for value, wanted in ((edge, (DAMAGED, True)), (whole + 1, (0, False))):
        status, text, *_ = tools.run(command, path, '--limit', 'stacks_ratio=1000000', '--limit', 'stacks_bytes=%d' % value)
        result.equal('stacks_bytes=%d' % value, (status, hint('stacks_bytes') in text), wanted)
        result.true('bytes with stacks_bytes=%d: %d' % (value, file.stat().st_size),
                    file.stat().st_size == whole if wanted[0] == 0 else edge <= file.stat().st_size <= edge + n * 4097 + rest)
    packed = tools.work / 'stacks.gz'
    packed.write_bytes(gzip.compress(path.read_bytes()))
    status, text, *_ = tools.run(command, packed)
    result.true('of a packed capture the file counts: %d' % file.stat().st_size, status == DAMAGED and hint('stacks_ratio') in text
                and packed.stat().st_size * 100 < FREE <= file.stat().st_size <= FREE + n * 4097 + rest)


def split(result, tools, size, most=None):
    """Into how many files the frames are split; 0 when the limit is said, and then nothing is written."""
    path = tools.make('frames', N)
    with tempfile.TemporaryDirectory(dir=tools.work) as folder:
        command = ('trace-export', '--format', 'chrome', '--output', folder + '/part.json', '--split', size)
        status, text, *_ = tools.run(command, path, *(('--limit', 'parts=%d' % most) if most else ()))
        n = len(os.listdir(folder))
    result.equal('--split %s, parts=%s: status and what is said' % (size, most), (status, hint('parts') in text),
                 (0, False) if n else (FAILED, True))
    return n


def parts_by(tools, path, jobs):
    with tempfile.TemporaryDirectory(dir=tools.work) as folder:
        tools.run(('trace-export', '--format', 'chrome', '--output', folder + '/part.json', '--split', '1KB', '--jobs', jobs), path)
        return {file.name: file.read_bytes() for file in pathlib.Path(folder).iterdir()}


def check_parts(result, tools):
    """A frame takes 100 ms. How many files of a size there are is up to the format."""
    for size, n in (('1s', N // 10), ('1KB', split(result, tools, '1KB'))):
        result.true('%s: several' % size, n > 2)
        result.equal('files of %s' % size, [split(result, tools, size, most) for most in (n - 1, n, n + 1)], [0, n, n])
    path = tools.make('frames', N)
    result.true('the same files by one job and by three', parts_by(tools, path, '1') == parts_by(tools, path, '3'))
    result.equal('files of 1ns', split(result, tools, '1ns'), 0)


def check_metric_seconds(result, tools):
    """A metric without an end stops after the seconds of the limit, and is no value; a quick one has its value."""
    endless = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c'
    for statement, wanted in ((endless, FAILED), ('SELECT count(*) FROM logs', 0)):
        path = tools.work / 'metric.json'
        path.write_text(json.dumps({'metrics': [{'name': 'x', 'unit': 'count', 'better': 'less', 'sql': statement}]}))
        began = time.monotonic()
        status, text, *_ = tools.run((*STATS, 'metrics', '--metric', path), tools.make('logs', N), '--limit', 'metric_seconds=1')
        if '-DTK_WITH_METRIC=ON' in text:
            result.equal('left out', status, 2)
            continue
        result.equal(statement, (status, 'metric_seconds' in text), (wanted, wanted != 0))
        result.true('in %.1f s' % (time.monotonic() - began), time.monotonic() - began < 30)


def check_members(result, tools):
    """An archive of N captures is read with a limit of N and refused with one of N - 1."""
    path = tools.work / 'captures.zip'
    with zipfile.ZipFile(path, 'w') as archive:
        for i in range(5):
            archive.writestr('%d.json' % i, json.dumps({'traceEvents': [{'ph': 'X', 'name': 'a', 'pid': 1, 'tid': 1, 'ts': 1, 'dur': 1}]}))
    for most, wanted in ((5, False), (4, True)):
        status, text, *_ = tools.run(('trace-info',), path, '--limit', 'members=%d' % most)
        result.equal('members=%d' % most, hint('members') in text, wanted)
        result.true('members=%d: status %d' % (most, status), status == FAILED or not wanted)


def check_memory(result, tools):
    check_between(result, tools, 'memory', 'logs', (*STATS, 'logs', '--jobs', '1'), FAILED, 0, 64 * MIB, resource.getpagesize())


def check_reported(result, tools, kind):
    """Scopes beyond the limit of timers or of texts lose their names, and nothing else."""
    path, (length, texts) = tools.make(kind, N), TOLD[kind]
    for limit, value in (('timers', N - 10), ('strings', texts)):
        status, text, *_ = tools.run((*STATS, 'timers', '--quiet', '--columns', 'timer,count,total'), path,
                                     '--limit', '%s=%d' % (limit, value))
        scopes = {row[0]: (int(row[1]), int(row[2])) for row in list(csv.reader(io.StringIO(text)))[1:] if len(row) == 3}
        beyond = scopes.pop('(beyond the limit)', (0, 0))
        named = set(scopes) <= {prefix + str(i) for i in range(N) for prefix in ('s', 'Timer')} or kind == 'csv-names'
        result.true('%s: some have names' % limit, 0 < len(scopes) < N)
        result.true('%s: names are those of scopes: %s' % (limit, scopes), named)
        result.equal('%s: status, and scopes of names' % limit, (status, collections.Counter(scopes.values())),
                     (DAMAGED, {(1, length): len(scopes)}))
        result.equal('%s: all others' % limit, beyond, (N - len(scopes), length * (N - len(scopes))))
        if limit == 'timers':
            result.equal('names', len(scopes), value)


def check_reported_counters(result, tools):
    """Counters beyond the limit of texts are one, with the values of all."""
    path = tools.make('chrome-counters', N)
    status, text, *_ = tools.run((*STATS, 'counters', '--quiet', '--columns', 'counter,count,min,max'), path, '--limit', 'strings=3000')
    rows = {row[0]: tuple(map(float, row[1:])) for row in list(csv.reader(io.StringIO(text)))[1:] if len(row) == 4}
    beyond = rows.pop('(beyond the limit)', (0, 0, 0))
    result.true('some have names', 0 < len(rows) < N)
    named = {'counter%d' % i: (1, i, i) for i in range(len(rows))}
    result.equal('status, and counters with names', (status, rows), (DAMAGED, named))
    result.equal('all others', beyond, (N - len(rows), len(rows), N - 1))


def check_names(result, tools):
    """Names that are none, and limits that no case is for."""
    path = tools.make('logs', N)
    for limits, said in (('rowz=1', 'rows'), ('open_scope=5', 'open_scopes'), ('rows', 'name=number'),
                         ('rows=x', 'name=number')):
        for more, environment in (((('--limit', limits)), None), ((), limits)):
            status, text, *_ = tools.run((*STATS, 'logs'), path, *more, limits=environment)
            result.equal('--limit %s' % limits, (status, said in text), (2, True))
    described = subprocess.run([str(tools.bin / 'tracekit'), '--describe'], capture_output=True, text=True, check=True).stdout
    names = sorted(line.split('\t')[1] for line in described.splitlines() if line.startswith('limit\t'))
    result.equal('limits with a case', sorted({case[0] for case in CASES + BETWEEN} | set(OTHERS)), names)
    status, text, *_ = tools.run(('trace-info', '--limit', 'help'), path)
    for name in names:
        result.true('--limit help lists %s' % name, re.search('^%s +[0-9a-z]' % name, text, re.M))


def check_bomb(result, tools, measure, kind, n, command, statuses, said, most_seconds, most_memory):
    path = tools.make(kind, n)
    most = ((resource.RLIMIT_CPU, most_seconds), (resource.RLIMIT_DATA, most_memory)) if measure else ()
    status, text, seconds, memory = tools.run(command, path, '--jobs', '2', most=most)
    size = path.stat().st_size
    path.unlink()
    result.true('status %s: %s' % (status, text[-300:]), status in statuses)
    result.true('%s is not said: %s' % (said, text[-300:]), said in text)
    print('       %-16s %8d: %9.1f KiB, status %d, %5.2f s, %4d MiB' % (kind, n, size / 1024, status, seconds, memory >> 20))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('--maker', type=pathlib.Path, required=True)
    parser.add_argument('--bombs', action='store_true')
    parser.add_argument('--many', action='store_true', help='only the largest bombs')
    parser.add_argument('--no-measure', action='store_true', help='for builds with sanitizers')
    parser.add_argument('--only', default='')
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    run = report.Report()
    with tempfile.TemporaryDirectory() as work:
        tools = Tools(options, pathlib.Path(work))
        for bomb in MANY if options.many else BOMBS if options.bombs else ():
            if options.only in bomb[0]:
                run.run('bomb %s' % bomb[0], check_bomb, tools, not options.no_measure, *bomb)
        for case in () if options.bombs or options.many else CASES:
            if options.only in case[0]:
                run.run('%s by %s' % case[:2], check_case, tools, *case)
        for case in () if options.bombs or options.many else BETWEEN:
            if options.only in case[0]:
                run.run('%s by %s' % case[:2], check_between, tools, *case)
        for kind in () if options.bombs or options.many or options.only not in 'timers strings' else TOLD:
            run.run('told of %s' % kind, check_reported, tools, kind)
        if not options.bombs and not options.many and options.only in 'strings':
            run.run('told of counters', check_reported_counters, tools)
        if not options.bombs and not options.many and not options.only:
            run.run('parts', check_parts, tools)
            run.run('members', check_members, tools)
            run.run('metric_seconds', check_metric_seconds, tools)
            run.run('stacks_ratio', check_stacks_ratio, tools)
            run.run('no capture', check_no_capture, tools)
            run.run('unpacked_bytes', check_unpacked_bytes, tools)
            run.run('unpacked_ratio', check_unpacked_ratio, tools, not options.no_measure)
            run.run('names', check_names, tools)
            if not options.no_measure:
                run.run('memory', check_memory, tools)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
