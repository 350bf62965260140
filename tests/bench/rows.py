"""What is measured: commands, the captures that they read, and what measure.py holds them against.

Three shapes of captures differ in what a branch predictor and a cache see: 'cpu', of the generator; 'game', frames of real
call trees again and again; 'packets', short packets of many threads, whose entries have lengths at random."""

import dataclasses

TIMERS = ('trace-stats', '--table', 'timers', '--format', 'csv')
EXACT = (*TIMERS, '--columns', 'timer,kind,count,total,excl,min,max')
ALL = (*TIMERS, '--columns', 'timer,kind,file,line,count,open,incl,total,excl,min,max,mean,median,p95,p99')
SWITCHES = ('trace-stats', '--table', 'switches', '--format', 'csv')
COUNT = ('trace-events', '--count', '--format', 'json')
FAMILY_DENSITIES = (1, 4, 16)           # events of each family in a round of 17 ms
HARDLY_ANY, ALIVE = 1000, (100_000, 1_000_000)
MEMORY = {'all groups': ('trace-stats', '--table', 'memory', '--format', 'csv', '--jobs', '1'),
          'all groups, jobs 2': ('trace-stats', '--table', 'memory', '--format', 'csv', '--jobs', '2'),
          'by tag': ('trace-stats', '--table', 'memory', '--by', 'tag', '--format', 'csv', '--jobs', '1')}
STACKS = {'by callstack': ('trace-stats', '--table', 'memory', '--by', 'callstack', '--format', 'csv', '--jobs', '1'),
          'growth by callstack': ('trace-stats', '--table', 'memory_growth', '--by', 'callstack', '--format', 'csv',
                                  '--jobs', '1')}


@dataclasses.dataclass
class Row:
    what: str
    capture: str
    command: tuple
    baselines: tuple = ()               # modes of bench-baseline, or ('before',) for the row before
    wall: bool = False
    largest: bool = False               # only at the largest size


ROWS = (
    Row('info', 'cpu', ('trace-info',), ('read',), wall=True),
    Row('timers, exact, jobs 1', 'cpu', (*EXACT, '--jobs', '1'), ('lz4', 'varint')),
    Row('timers, percentiles, jobs 1', 'cpu', (*ALL, '--jobs', '1'), ('lz4', 'varint')),
    Row('5000 timers, percentiles', 'cpu5000', (*ALL, '--jobs', '1'), ('lz4', 'varint')),
    Row('timers, by thread', 'cpu', (*ALL, '--by', 'thread', '--jobs', '1'), ('lz4', 'varint')),
    Row('timers, percentiles, jobs 1', 'cpu', (*ALL, '--jobs', '1'), wall=True),
    Row('timers, percentiles, jobs 2', 'cpu', (*ALL, '--jobs', '2'), ('before',), wall=True),
    Row('game, exact, jobs 1', 'game', (*EXACT, '--jobs', '1'), ('lz4', 'varint'), largest=True),
    Row('game, percentiles, jobs 1', 'game', (*ALL, '--jobs', '1'), ('lz4', 'varint'), largest=True),
    Row('packets, exact, jobs 1', 'packets', (*EXACT, '--jobs', '1'), ('lz4', 'varint'), largest=True),
    Row('packets, percentiles, jobs 1', 'packets', (*ALL, '--jobs', '1'), ('lz4', 'varint'), largest=True),
    Row('events, counted', 'sync', (*COUNT, '--jobs', '1'), ('lz4',)),
    Row('events by serial, near', 'sync', (*COUNT, '--order', 'serial', '--jobs', '1'), ('lz4',)),
    Row('events by serial, far', 'far', (*COUNT, '--order', 'serial', '--jobs', '1'), ('lz4',)),
    Row('system, timers, jobs 1', 'system', (*ALL, '--jobs', '1'), ('read', 'ftrace')),
    Row('system, switches, jobs 1', 'system', (*SWITCHES, '--jobs', '1'), ('read', 'ftrace')),
)


# Of captures whose blocks are unpacked first: what, command, jobs; held against unpacking with as many.
CODECS = ('zstd', 'lz4')
PACKED = (
    ('timers, percentiles', ('trace-stats', '--table', 'timers', '--format', 'csv'), 1),
    ('timers, percentiles', ('trace-stats', '--table', 'timers', '--format', 'csv'), 2),
    ('rows of single zones', ('trace-export', '--preset', 'tracy', '--unwrap'), 1),
    ('sums as csvexport has them', ('trace-export', '--preset', 'tracy'), 1),
)


@dataclasses.dataclass
class Export:
    what: str
    options: tuple
    against: str = 'write'              # or stats: the call tree of the same scopes; or a table of a database, whose rows
                                        # SQLite inserts itself


EXPORTS = (
    Export('scopes as csv', ('csv', '--table', 'scopes')),
    Export('scopes as parquet', ('parquet', '--table', 'scopes', '--columns', 'start,dur,timer,thread,depth')),
    Export('chrome', ('chrome',)),
    Export('perfetto', ('perfetto',)),
    Export('sqlite, scopes', ('sqlite', '--table', 'scopes'), '_scopes'),
    Export('folded', ('folded',), 'stats'),
    Export('pprof', ('pprof',), 'stats'),
)


SHAPES = ('cpu', 'game', 'packets')
PLAIN = ('trace-stats', '--jobs', '1')
QUESTIONS = (
    ('--tree',), ('--tree', '--by', 'thread'), ('--callers', 'Audio::*'), ('--callees', 'Audio::*'), ('--slowest', '100'),
    ('--histogram', 'Audio::*'), ('--per-frame', 'Audio::Tick*'), ('--by', 'class'), ('--by', 'file'),
    ('--by', 'frame-type'), ('--by', 'region'), ('--by', 'label'), ('--by', 'thread'),
    ('--hitches',), ('--hitches=1.01x',), ('--table', 'threads'), ('--table', 'frame_stats'),
)
