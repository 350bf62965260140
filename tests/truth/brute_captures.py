"""Captures side by side the slow way: sums of all calls of each, and how they change from the first to the last."""

import collections
import csv
import io

import brute_calls

GROUPS = ('count', 'incl', 'total', 'excl')


def sums_of(calls):
    """(kind, name) -> count, incl, total, excl."""
    found = collections.defaultdict(lambda: [0, 0, 0, 0])
    for call in calls:
        for place, value in enumerate((1, call.span if call.outer else 0, call.span, call.own)):
            found[call.timer][place] += value
    return found


def frame_means(calls, frames):
    found = collections.Counter()
    for call in calls:
        if call.outer:
            found[call.timer] += brute_calls.in_frames(frames, call.begin, call.end)
    return {timer: total / len(frames) for timer, total in found.items()}


def digits(values):
    least, most = min(values), max(values)
    return ''.join(str(int((value - least) / (most - least) * 9 + 0.5) if most > least else 0) for value in values)


def rows_of(tools, table, paths, *options):
    out = tools.must('trace-stats', *paths, '--by', 'capture', '--table', table, '--format', 'csv', '--unit', 'cycles',
                     '--quiet', *options).out
    return list(csv.DictReader(io.StringIO(out.decode())))


def check_captures(result, tools, subjects):
    """subjects: captures with their calls (Subject), in the order in which they are given."""
    paths = [subject.path for subject in subjects]
    sums = [sums_of(subject.calls) for subject in subjects]
    got = collections.defaultdict(list)
    for row in rows_of(tools, 'groups', paths):
        got[row['group']].append(((row['kind'], row['timer']), [int(row[column]) for column in GROUPS]))
    for path, wanted in zip(paths, sums):
        result.equal('timers of %s' % path.name, dict(got[str(path)]), dict(wanted))
        spans = [figures[1] for _, figures in got[str(path)]]
        result.equal('order in %s' % path.name, spans, sorted(spans, reverse=True))
    framed = all(subject.frames for subject in subjects)
    values = [frame_means(subject.calls, subject.frames) if framed else
              {timer: figures[1] for timer, figures in found.items()} for subject, found in zip(subjects, sums)]
    changes = []
    for place, row in enumerate(rows_of(tools, 'trend', paths)):
        timer = row['kind'], row['timer']
        wanted = [found.get(timer, 0) for found in values]
        result.equal('measure', row['measure'], 'frame' if framed else 'capture')
        result.equal('rank', int(row['rank']), place + 1)
        result.equal('captures with ' + row['timer'], int(row['captures']), sum(timer in found for found in sums))
        for column, value in (('first', wanted[0]), ('last', wanted[-1]), ('least', min(wanted)), ('most', max(wanted))):
            result.true('%s of %s: %s instead of %s' % (column, timer, row[column], value),
                        abs(float(row[column]) - value) <= 1e-9 * abs(value))
        result.equal('trend of %s' % (timer,), row['trend'], digits(wanted))
        if wanted[0]:
            percent = (wanted[-1] - wanted[0]) / wanted[0] * 100
            result.true('change of %s' % (timer,), abs(float(row['change']) - percent) <= 1e-6 * max(1, abs(percent)))
        else:
            result.equal('change of %s' % (timer,), row['change'], '')
        changes.append(abs(wanted[-1] - wanted[0]))
    result.equal('timers', len(changes), len({timer for found in sums for timer in found}))
    result.true('those that changed most come first', all(a >= b - 1e-6 for a, b in zip(changes, changes[1:])))


def check_usage(result, tools, paths):
    for what, options in (('several captures', ()), ('a tree', ('--by', 'capture', '--tree')),
                          ('columns', ('--by', 'capture', '--columns', 'timer')),
                          ('a timer that none has', ('--by', 'capture', '--timer', 'Nowhere')),
                          ('frames that some lack', ('--by', 'capture', '--timer', 'Leaf', '--frames', '0-0')),
                          ('two groupings', ('--by', 'capture,thread')), ('a baseline', ('--save', '/dev/null'))):
        done = tools.run('trace-stats', *paths, *options)
        result.equal(what, (done.status, done.out), (2, b''))
    rows = rows_of(tools, 'trend', paths, '--timer', 'Leaf', '--top', 1)
    result.equal('a timer that some have', [row['timer'] for row in rows], ['Leaf'])
