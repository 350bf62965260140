#!/usr/bin/env python3
"""One run of a program, written down in both formats, gives the same tables.

usage: check_twins.py --bin DIRECTORY --writer PROGRAM
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402


# What both formats can state, and options. Ids differ, so threads go by their names.
FIGURES = ('timer', 'file', 'line', 'count', 'open', 'incl', 'total', 'excl', 'share', 'min', 'max', 'mean', 'median',
           'p90', 'p95', 'p99', 'p999', 'mode', 'stddev')
TABLES = (
    ('timers', (*FIGURES, 'frame_mean', 'frame_p95'), ()),
    ('timers', ('thread', *FIGURES), ('--by', 'thread')),
    ('timers', FIGURES, ('--frames', '10-30')),
    ('timers', FIGURES, ('--thread', 'Runner 1', '--from', '1ms', '--to', '2ms')),
    ('scopes', ('thread', 'timer', 'file', 'line', 'start', 'dur', 'depth', 'scope_id', 'parent_id'), ()),
    ('threads', ('thread', 'system_id', 'named', 'scopes', 'open', 'max_depth', 'unmatched', 'busy'), ()),
    ('frames', ('type_id', 'frame', 'start', 'dur'), ()),
    ('frame_stats', ('type_id', 'count', 'open', 'total', 'mean', 'min', 'median', 'p95', 'p99', 'max'), ()),
    ('counters', ('counter', 'type', 'unit', 'count', 'first', 'last', 'min', 'max', 'mean', 'median', 'p90', 'p95',
                  'p99', 'frame_mean', 'frame_max'), ()),
    ('counter_values', ('time', 'counter', 'value', 'unit', 'frame'), ()),
    ('logs', ('time', 'thread', 'verbosity', 'text'), ()),
    ('regions', ('name', 'start', 'end', 'dur'), ()),
    ('open_scopes', ('thread', 'timer'), ()),
)
EXPORTS = ((), ('--self',), ('--unwrap',))


def rows(tools, path, table, columns, options):
    """In nanoseconds; rows of one time may come in another order."""
    words = ['--table', table, '--format', 'csv', '--columns', ','.join(columns), *options]
    return sorted(tools.must('trace-stats', path, *words).out.decode().splitlines())


def exported(tools, path, options):
    done = tools.must('trace-export', path, '--preset', 'tracy', '--raw-quoting', *options)
    lines = [line.split(',') for line in done.out.decode().splitlines()]
    if not options or options == ('--self',):
        lines = [line[:4] + line[5:] for line in lines]     # without the share of the last time of the capture
    else:
        lines = [line[:5] for line in lines]                # nor with numbers of threads
    return sorted(lines)


def check(result, tools, writer, seed, folder):
    engine, other = folder / ('%d.utrace' % seed), folder / ('%d.tracy' % seed)
    subprocess.run([writer, engine, other, str(seed)], check=True)
    for table, columns, options in TABLES:
        left, right = (rows(tools, path, table, columns, options) for path in (engine, other))
        name = ' '.join((table, *options))
        result.true(name + ' has rows', len(left) > 1 or table == 'open_scopes')
        result.equal(name, sorted(set(left) - set(right))[:2], sorted(set(right) - set(left))[:2])
        result.equal('rows of ' + name, len(left), len(right))
    for options in EXPORTS:
        left, right = (exported(tools, path, options) for path in (engine, other))
        result.equal('export ' + ' '.join(options), left == right, True)
    for table in ('zones', 'frames'):
        pairs = tools.must('trace-diff', '--preset', 'tracy', '--table', table, engine, other).out.decode().splitlines()
        sides = [line.split(',')[3:] for line in pairs[1:]]
        result.true('pairs of ' + table, sides)
        if table == 'zones':
            result.equal('pairs that differ', [side for side in sides if side[0::2] != side[1::2]][:2], [])


def without_names(page):
    """A page without the lines that say which files the sides are."""
    return b'\n'.join(line for line in page.split(b'\n') if not line.startswith((b'baseline: ', b'candidate: ')))


def check_verdicts(result, tools, seeds, folder):
    """Whichever format a side is in, the verdicts are the same; and a run does not differ from its twin."""
    forms = ('.utrace', '.tracy')
    first, second = seeds
    said = [without_names(tools.run('trace-diff', folder / (first + one), folder / (second + other)).out)
            for one in forms for other in forms]
    result.true('verdicts', b'unchanged' in said[0])
    result.equal('verdicts by format', [out.decode() for out in said], [said[0].decode()] * len(said))
    twins = tools.run('trace-diff', folder / (first + '.utrace'), folder / (first + '.tracy'))
    result.equal('twins: status', twins.status, 0)
    counts = next((line for line in twins.out.split(b'\n') if b' unchanged' in line and b'regressed' in line), b'')
    result.true('twins: %r' % twins.out, counts.startswith(b'nothing regressed, ') and b'inconclusive' not in counts)
    saved = folder / 'saved.tkb'
    tools.must('trace-stats', folder / (first + '.tracy'), '--save', saved, '--quiet')
    result.equal('a baseline of the other format', without_names(tools.run('trace-diff', saved, folder / (second + '.utrace')).out).decode(),
                 said[0].decode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('--writer', required=True, type=pathlib.Path)
    options = parser.parse_args()
    tools = commands.Commands(options.bin)
    reports = report.Report()
    with tempfile.TemporaryDirectory() as folder:
        for seed in (1, 2, 3):
            reports.run('run %d' % seed, check, tools, options.writer, seed, pathlib.Path(folder))
        reports.run('verdicts', check_verdicts, tools, ('1', '2'), pathlib.Path(folder))
    return reports.close()


if __name__ == '__main__':
    sys.exit(main())
