#!/usr/bin/env python3
"""Checks what trace-stats says of single calls and stacks against all calls, counted one by one from the events.

usage: check_calls.py --bin DIRECTORY --maker PROGRAM [--small] FIXTURES

The captures are those of CAPTURES, and some that the maker writes; with --small of the large ones the beginning, as of
a recorder that was killed.
"""

import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import brute_calls     # noqa: E402
import brute_hitches   # noqa: E402
import commands        # noqa: E402
import report          # noqa: E402

CAPTURES = {'game.utrace.zst': 500000, 'threads.utrace': 250000, 'coroutine.utrace': None}     # bytes of a beginning
MADE = ('recursion', 'borders')
TREE = ('depth', 'timer', 'kind', 'count', 'incl', 'excl', 'open_time', 'share', 'frame_mean', 'pruned', 'node_id', 'parent_id')
OTHER = ('', '(other)')
SLOW_FRAMES, SLOW_TIMER = [100, 233, 350, 351, 500], 'FStreamableManager::RequestSyncLoad'
NODES = 1 << 24         # more than any of the captures has stacks


class Subject:
    """A capture and all its calls."""

    def __init__(self, tools, path):
        self.tools, self.path = tools, path
        self.of_threads = brute_calls.Calls(tools, path).done
        self.calls = self.of_threads + brute_calls.queue_calls(tools, path)
        self.frames = brute_calls.frames_of(tools, path)

    def table(self, name, columns, *options, **more):
        return self.tools.table(self.path, name, columns, '--limit', 'tree_nodes=%d' % NODES, '--limit',
                                'hitches=1000000', *options, **more)


def tree_rows(rows):
    """path -> [row], by way of the numbers of the rows above."""
    paths, found = {}, collections.defaultdict(list)
    for row in rows:
        path = (*paths[row['parent_id']], (row['kind'], row['timer'])) if row['parent_id'] else \
            ((row['kind'], row['timer']),)
        paths[row['node_id']] = path
        found[path].append(row)
    return found


def figures(rows):
    """count, incl, excl of rows of one path: timers of one name may lie in several files."""
    return [sum(int(row[column]) for row in rows) for column in ('count', 'incl', 'excl')]


def add(tree, path, call, times=True):
    sums = tree.setdefault(path, [0, 0, 0])
    sums[0] += 1
    sums[1] += call.span if times else 0
    sums[2] += call.own


def compare_tree(result, what, rows, wanted):
    got = tree_rows(rows)
    for path, sums in wanted.items():               # stacks whose innermost scopes alone ended
        for end in range(1, len(path)):
            got.setdefault(path[:end], [])
    result.equal(what, {path: figures(rows) for path, rows in got.items() if figures(rows) != [0, 0, 0]},
                 {path: sums for path, sums in wanted.items() if sums != [0, 0, 0]})


# ---- trees ----

def check_tree(result, subject):
    wanted, by_thread, framed = {}, collections.defaultdict(dict), collections.Counter()
    for call in subject.calls:
        add(wanted, call.path, call)
        add(by_thread[call.thread], call.path, call)
        framed[call.path] += brute_calls.in_frames(subject.frames, call.begin, call.end)
    rows = subject.table('tree', TREE)
    compare_tree(result, 'tree', rows, wanted)
    check_order(result, rows)
    whole = sum(sums[1] for path, sums in wanted.items() if len(path) == 1)
    whole += sum(int(row['open_time'] or 0) for row in rows if not row['parent_id'])
    for path, rows in tree_rows(rows).items():
        for row in rows:
            result.equal('depth of %s' % (path,), int(row['depth']), len(path) - 1)
            result.true('share of %s' % (path,), abs(float(row['share']) - time_of(row) / whole) < 1e-9)
        if subject.frames:
            mean = sum(float(row['frame_mean']) for row in rows)
            result.true('frame_mean of %s: %g' % (path, mean),
                        abs(mean - framed[path] / len(subject.frames)) < 1e-6 * max(1, mean))
    check_threads(result, subject, by_thread)


def time_of(row):
    """Of all calls, whether they ended or not."""
    return int(row['incl']) + int(row['open_time'] or 0)


def check_order(result, rows):
    """Below one row the longest come first, and a row comes directly behind what lies below the one before."""
    last, stack = {}, []
    for row in rows:
        depth = int(row['depth'])
        del stack[depth:]
        result.equal('row above %s' % row['node_id'], row['parent_id'], stack[-1] if stack else '')
        stack.append(row['node_id'])
        before = last.get(row['parent_id'])
        result.true('order below %s' % row['parent_id'], before is None or before >= time_of(row))
        last[row['parent_id']] = time_of(row)


def check_threads(result, subject, by_thread):
    got = collections.defaultdict(list)
    for path, rows in tree_rows(subject.table('tree', TREE, '--by', 'thread')).items():
        got[path[0]] += [(path, rows)]
    sums = sorted(sorted(wanted.items()) for wanted in by_thread.values())
    found = []
    for thread, entries in got.items():
        same = {path[1:]: figures(rows) for path, rows in entries if len(path) > 1}
        found.append(sorted(item for item in same.items() if item[1] != [0, 0, 0]))
        roots = sum(item[1] for path, item in same.items() if len(path) == 1)
        result.equal('time of %s' % (thread,), figures(next(rows for path, rows in entries if len(path) == 1))[1], roots)
    if len({thread for thread in got}) == len(by_thread):           # not where threads have one name
        result.equal('trees of threads', sorted(entry for entry in found if entry), sums)


def requested(subject):
    """Timers that are called from most and least places, and those that call themselves."""
    parents, own = collections.defaultdict(set), set()
    for call in subject.calls:
        parents[call.timer].add(call.path[:-1])
        if not call.outer:
            own.add(call.timer)
    ranked = sorted(parents, key=lambda timer: (len(parents[timer]), timer))
    return {timer for timer in {*ranked[:2], *ranked[-3:], *sorted(own)[:3]} if '*' not in timer[1] and '?' not in timer[1]}


def check_callers(result, subject):
    for timer in requested(subject):
        wanted = {}
        for call in subject.calls:
            if call.timer[1] != timer[1]:
                continue
            for n in range(1, len(call.path) + 1):
                add(wanted, tuple(reversed(call.path[-n:])), call, call.outer)
        compare_tree(result, 'callers of %s' % timer[1], subject.table('callers', TREE, '--callers', timer[1]), wanted)


def check_callees(result, subject):
    for timer in requested(subject):
        wanted = {}
        for call in subject.calls:
            at = next((i for i, one in enumerate(call.path) if one[1] == timer[1]), None)
            if at is not None:
                add(wanted, call.path[at:], call)
        compare_tree(result, 'callees of %s' % timer[1], subject.table('callees', TREE, '--callees', timer[1]), wanted)


def check_pruned(result, subject):
    """What is cut off is in the rows (other): the sums of all own times stay."""
    whole = subject.table('tree', TREE)
    if not whole:
        return
    excl = sum(int(row['excl']) for row in whole)
    roots = sum(time_of(row) for row in whole if not row['parent_id'])
    for share in (0.001, 0.02, 0.3, 1):
        rows = subject.table('tree', TREE, '--min-share', share)
        kept = [row for row in rows if (row['kind'], row['timer']) != OTHER]
        result.equal('rows of %g' % share, [(row['timer'], row['incl'], row['depth']) for row in kept],
                     [(row['timer'], row['incl'], row['depth']) for row in whole if time_of(row) >= share * roots])
        result.equal('own times with %g' % share, sum(int(row['excl']) for row in rows), excl)
        result.equal('stacks with %g' % share, len(kept) + sum(int(row['pruned'] or 0) for row in rows), len(whole))
    for depth in (1, 2, 5):
        rows = subject.table('tree', TREE, '--depth', depth)
        result.equal('depth %d' % depth, [row['timer'] for row in rows],
                     [row['timer'] for row in whole if int(row['depth']) < depth])


BEYOND = '(beyond the limit)'


def own(rows):
    return [sum(int(row[column] or 0) for row in rows) for column in ('count', 'excl')]


def times(rows):
    return [sum(int(row[column] or 0) for row in rows) for column in ('incl', 'open_time')]


def check_beyond(result, title, found, whole):
    """Rows are those of the whole tree; what is missing right inside of one is put together inside of it.

    The times of a row that puts together are those of what is missing right there, its own time and its calls those of
    all that is missing; so the shares of no two rows overlap."""
    inside, below = collections.defaultdict(list), collections.defaultdict(list)
    for path, rows in whole.items():
        above = path[:-1]
        while above and above not in found:
            above = above[:-1]
        if path not in found:
            below[above] += rows
            if path[:-1] == above:
                inside[above] += rows
    for path, rows in found.items():
        if path[-1][1] != BEYOND:
            result.equal(('%s of %s' % (title, path)), (own(rows), times(rows)), (own(whole[path]), times(whole[path])))
        else:
            result.equal(('%s beyond %s' % (title, path)), (own(rows), times(rows)),
                         (own(below[path[:-1]]), times(inside[path[:-1]])))
    lost = {path[:-1] for path in found if path[-1][1] == BEYOND}
    result.equal('%s: places that put together' % title, lost, set(below))


def check_limit(result, subject):
    """Beyond the limit of nodes nothing is lost but its place, and no time is counted twice."""
    whole = subject.table('tree', TREE)
    by_thread = tree_rows(subject.table('tree', TREE, '--by', 'thread'))
    one_each = all(len(rows) == 1 for path, rows in by_thread.items() if len(path) == 1)
    for nodes in (2, 20, 300):
        limit = ('--limit', 'tree_nodes=%d' % nodes)
        rows = subject.table('tree', TREE, *limit, allowed=(0, 4))
        result.equal('sums with %d' % nodes, own(rows), own(whole))
        result.equal('roots with %d' % nodes, times([row for row in rows if not int(row['depth'])]),
                     times([row for row in whole if not int(row['depth'])]))
        if one_each:
            found = subject.table('tree', TREE, '--by', 'thread', *limit, allowed=(0, 4))
            check_beyond(result, 'limit %d' % nodes, tree_rows(found), by_thread)
    if len(whole) > 1000:
        health = subject.tools.must('trace-stats', subject.path, '--table', 'tree,health', '--limit', 'tree_nodes=20',
                                    '--format', 'ndjson', allowed=(0, 4)).out
        result.true('the limit is named', b"limit 'tree_nodes'" in health)


def check_hitches(result, subject):
    work = brute_hitches.Work(brute_hitches.WORK.read_text())
    for rule in ({}, {'times': 2}, {'times': 1.03}, {'times': 0.5}, {'budget': 500}):
        brute_hitches.check_hitches(result, subject, work, **rule)


ROLES = {'game': 'GameThread', 'render': 'RenderThread 1', 'rhi': 'RHIThread'}


def bound_of(length, game, busy):
    """busy: role -> time; game: [working, waiting, of it for the limit of the rate, of the work loading]."""
    most = max(busy, key=lambda role: busy[role])
    if 4 * busy[most] >= 3 * length and (most != 'gpu' or 4 * (game[0] + game[1]) >= 3 * length):
        return 'game (loading)' if most == 'game' and game[3] >= game[0] // 2 else most
    if 10 * game[2] >= length:
        return 'limiter'
    return 'waiting' if 4 * game[1] >= length else 'unknown'


def check_bound(result, subject):
    """Who was busy and waited in each frame, of a capture whose threads have the usual names."""
    names = {row['thread']: int(row['thread_id']) for row in subject.table('threads', ('thread_id', 'thread'))}
    if 'GameThread' not in names or not subject.frames:
        return
    work = brute_hitches.Work(brute_hitches.WORK.read_text())
    roles = {names[name]: role for role, name in ROLES.items() if name in names}
    sums = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0, 0, 0]))      # frame -> lane -> sums
    for call in subject.of_threads:
        for i in brute_calls.frames_touched(subject.frames, call) if call.thread in roles else ():
            own, waits = call.inside(*subject.frames[i])[1], work.waits(call.timer[1])
            cell = sums[i][roles[call.thread]]
            cell[waits] += own
            cell[2] += own if work.of(call.timer[1]) == 'limiter' else 0
            cell[3] += own if work.of(call.timer[1]) == 'loading' else 0
    queues = collections.defaultdict(collections.Counter)
    for row in subject.table('gpu_scopes', ('queue', 'kind', 'start', 'dur')):
        call = brute_calls.Call(row['queue'], (('', ''),), int(row['start']), int(row['start']) + int(row['dur'] or 0))
        for i in brute_calls.frames_touched(subject.frames, call) if row['kind'] == 'gpu_work' else ():
            queues[i][row['queue']] += call.inside(*subject.frames[i])[0]
    rows = subject.table('bound', ('frame', 'dur', 'bound_by', *(role + more for role in ROLES for more in ('', '_wait')), 'gpu'))
    result.equal('frames', [int(row['frame']) for row in rows], list(range(len(subject.frames))))
    shares = collections.Counter()
    for i, row in enumerate(rows):
        busy = {role: sums[i][role][0] for role in ROLES} | {'gpu': max(queues[i].values(), default=0)}
        begin, end = subject.frames[i]
        for role in roles.values():
            result.equal('%s in frame %d' % (role, i), [int(row[role]), int(row[role + '_wait'])], sums[i][role][:2])
        result.equal('gpu in frame %d' % i, int(row['gpu'] or 0), busy['gpu'])
        result.equal('bound of frame %d' % i, row['bound_by'], bound_of(end - begin, sums[i]['game'], busy))
        shares[row['bound_by']] += 1
    result.equal('shares', {row['bound_by']: int(row['frames']) for row in subject.table('bound_shares', ('bound_by', 'frames'))},
                 shares)


def listed(calls, only):
    """The calls that are requested, but those of which a call inside, requested too, has 90 % or more."""
    inside, found = collections.Counter(), []
    for call in calls:                                  # in the order in which they ended
        requested_for = only in (None, call.timer[1])
        best = inside.pop(id(call), 0)
        if requested_for and not (call.span and 10 * best >= 9 * call.span):
            found.append(call)
        if call.around:
            inside[id(call.around)] = max(inside[id(call.around)], call.span if requested_for else best)
    return found


def check_slowest(result, subject):
    names = sorted({call.timer[1] for call in subject.calls})
    for n, only in ((1, None), (25, None), (400, names[len(names) // 2]), (5000, names[0])):
        calls = listed(subject.calls, only)
        options = ['--slowest', n, *(('--timer', only) if only else ())]
        rows = subject.table('slowest', ('rank', 'timer', 'kind', 'dur', 'excl', 'start', 'thread_id', 'thread', 'frame',
                                         'text', 'depth', 'stack'), *options)
        spans = sorted((call.span for call in calls), reverse=True)[:n]
        result.equal('slowest %d of %s' % (n, only), [int(row['dur']) for row in rows], spans)
        result.equal('ranks', [int(row['rank']) for row in rows], list(range(1, len(spans) + 1)))
        least = spans[-1] if spans else 0
        known = collections.Counter((call.thread, call.begin, call.span, call.own, *call.timer, call.text, len(call.path) - 1,
                                     ' > '.join(name for _, name in call.path[:-1]))
                                    for call in calls if call.span >= least)
        for row in rows:
            thread = int(row['thread_id']) if row['thread_id'] else row['thread']
            key = (thread, *(int(row[column]) for column in ('start', 'dur', 'excl')), row['kind'], row['timer'],
                   row['text'], int(row['depth']), row['stack'])
            known[key] -= 1
            result.true('no such call, or not so often: %s' % (key,), known[key] >= 0)
            check_frame_of(result, subject, row)


def check_frame_of(result, subject, row):
    start = int(row['start'])
    inside = [i for i, (begin, end) in enumerate(subject.frames) if begin <= start < end]
    if inside or not row['frame']:
        result.equal('frame at %d' % start, [int(row['frame'] or -1)], inside or [-1])
    else:                                       # the last one, which has no end
        result.equal('frame at %d' % start, int(row['frame']), len(subject.frames))


def check_histogram(result, subject):
    spans = collections.defaultdict(list)
    for call in subject.calls:
        spans[call.timer[1]].append(call.span)
    ranked = sorted(spans, key=lambda name: len(spans[name]))
    for name in {ranked[0], ranked[-1], ranked[len(ranked) // 2]}:
        rows = subject.table('histogram', ('from', 'to', 'count', 'share', 'up_to'), '--histogram', name)
        edges = [(int(row['from']), int(row['to'])) for row in rows]
        result.equal('edges of ' + name, [end for _, end in edges[:-1]], [begin for begin, _ in edges[1:]])
        result.equal('histogram of ' + name, [int(row['count']) for row in rows],
                     [sum(begin <= span < end for span in spans[name]) for begin, end in edges])
        result.equal('calls of ' + name, sum(int(row['count']) for row in rows), len(spans[name]))
        edges = [edge for edge, row in zip(edges, rows) if int(row['count'])]
        result.true('rows with calls', len(edges) <= 20 or all(end - begin >= begin // 8 for begin, end in edges))
        result.true('width of rows', all(end - begin <= max(1, begin // 4) for begin, end in edges))
        result.true('all of them', abs(float(rows[-1]['up_to']) - 1) < 1e-12)
        result.true('few rows only where they are as narrow as can be known',
                    len(edges) > 10 or all(end - begin <= max(1, begin // 64 + 1) for begin, end in edges))
    whole = [end - begin for begin, end in subject.frames if end is not None]
    if not whole or 'frames' in spans:
        return
    rows = subject.table('histogram', ('from', 'to', 'count'), '--histogram', 'frames')
    result.equal('histogram of frames', [int(row['count']) for row in rows],
                 [sum(int(row['from']) <= span < int(row['to']) for span in whole) for row in rows])
    result.equal('frames in it', sum(int(row['count']) for row in rows), len(whole))


def check_per_frame(result, subject):
    if not subject.frames:
        done = subject.tools.run('trace-stats', subject.path, '--per-frame', '*')
        result.equal('rows without frames', (done.status, done.out), (2, b''))
        return
    names = sorted({call.timer[1] for call in subject.calls})
    requested = sorted({names[0], names[len(names) // 2], names[-1], *(('A', 'B', 'C') if 'A' in names else ())})
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for call in subject.calls:
        if call.timer[1] not in requested:
            continue
        for i in brute_calls.frames_touched(subject.frames, call):
            total, own = call.inside(*subject.frames[i])
            if total or subject.frames[i][0] <= call.begin < subject.frames[i][1]:
                cell = sums[i, call.timer[1]]
                for place, value in enumerate((1, total if call.outer else 0, total, own)):
                    cell[place] += value
    rows = subject.table('per_frame', ('frame', 'start', 'dur', 'timer', 'count', 'incl', 'total', 'excl'),
                         *(word for name in requested for word in ('--per-frame', name)))
    got = {}
    for row in rows:
        got.setdefault((int(row['frame']), row['timer']), []).append(row)
    result.equal('frames', sorted({frame for frame, _ in got}), list(range(len(subject.frames))))
    result.equal('timers', sorted({name for _, name in got}), requested)
    for (frame, name), found in got.items():
        result.equal('frame %d of %s' % (frame, name),
                     [sum(int(row[column]) for row in found) for column in ('count', 'incl', 'total', 'excl')],
                     sums[frame, name])
        begin, end = subject.frames[frame]
        result.equal('frame %d' % frame, {(int(row['start']), int(row['dur'])) for row in found},
                     {(begin, end - begin)})


def check_frame_stats(result, subject):
    """By a clock of 10 MHz."""
    rows = {int(row['type_id']): row for row in subject.table(
        'frame_stats', ('type_id', 'count', 'total', 'median', 'jitter', 'rate', 'rate_low', 'over_120', 'over_60', 'over_30'))}
    for kind in (0, 1):
        frames = brute_calls.frames_of(subject.tools, subject.path, kind)
        result.equal('frames of type %d' % kind, bool(frames), kind in rows)
        if not frames:
            continue
        spans, row = [end - begin for begin, end in frames], rows[kind]
        steps = [abs(one - other) for one, other in zip(spans, spans[1:])]
        ranked = sorted(spans)
        result.equal('sums', [int(row[column]) for column in ('count', 'total', 'median')],
                     [len(spans), sum(spans), ranked[(len(spans) - 1) // 2]])
        result.equal('over', [int(row['over_%d' % rate]) for rate in (120, 60, 30)],
                     [sum(span * rate > 10 ** 7 for span in spans) for rate in (120, 60, 30)])
        slow = ranked[-max(1, -(-len(spans) // 100)):]
        result.equal('there is a low', bool(row['rate_low']), len(spans) >= 100)
        for column, wanted in (('jitter', sum(steps) / len(steps)), ('rate', 10 ** 7 * len(spans) / sum(spans)),
                               ('rate_low', 10 ** 7 * len(slow) / sum(slow))):
            if not row[column]:
                continue
            result.true('%s %s instead of %g' % (column, row[column], wanted),
                        abs(float(row[column]) - wanted) <= 1e-9 * wanted)


GROUPS = ('group', 'number', 'timer', 'kind', 'count', 'incl', 'total', 'excl')


def put(sums, key, call, total, own):
    cell = sums.setdefault(key, [0, 0, 0, 0])
    for place, value in enumerate((1, total if call.outer else 0, total, own)):
        cell[place] += value


def compare_groups(result, what, rows, wanted):
    """Timers of one name are one, whatever kind of scopes they are of."""
    got, named = {}, {}
    for row in rows:
        cell = got.setdefault((row['group'], row['number'], of_gpu(row['kind']), row['timer']), [0, 0, 0, 0])
        for place, column in enumerate(('count', 'incl', 'total', 'excl')):
            cell[place] += int(row[column])
    for (group, number, kind, timer), sums in wanted.items():
        cell = named.setdefault((group, number, of_gpu(kind), timer), [0, 0, 0, 0])
        for place, value in enumerate(sums):
            cell[place] += value
    result.equal(what, got, named)


def of_gpu(kind):
    return kind if kind.startswith('gpu') else 'cpu'


def class_of(name):
    """Without a number at the end, and what joins it to the name."""
    bare = name.rstrip('0123456789')
    return bare.rstrip(' \t#_-.:([') if bare != name and bare.rstrip(' \t#_-.:([') else name


def check_groups(result, subject):
    names = {int(row['thread_id']): row['thread'] for row in subject.table('threads', ('thread_id', 'thread'))}
    by_class, by_type, by_region = {}, {}, {}
    for call in subject.calls:
        put(by_class, (class_of(names[call.thread]) if call.thread in names else call.thread, '', *call.timer), call, call.span, call.own)
    compare_groups(result, 'by class', subject.table('groups', GROUPS, '--by', 'class'), by_class)
    for kind, name in ((0, 'game'), (1, 'rendering')):
        frames = brute_calls.frames_of(subject.tools, subject.path, kind)
        for call in subject.calls if frames else ():
            touched = [call.inside(*frames[i]) for i in brute_calls.frames_touched(frames, call)
                       if call.begin < frames[i][1] and (frames[i][0] < call.end or frames[i][0] <= call.begin)]
            if touched:
                put(by_type, (name, '', *call.timer), call, *map(sum, zip(*touched)))
    if by_type:
        compare_groups(result, 'by type of frames', subject.table('groups', GROUPS, '--by', 'frame-type'), by_type)
    regions, seen = [], collections.Counter()
    for row in subject.table('regions', ('name', 'start', 'end', 'state')):
        regions.append((row['name'], str(seen[row['name']]), int(row['start']), int(row['end'] or 1 << 62)))
        seen[row['name']] += 1
    for call in subject.calls:
        for name, number, begin, end in regions:
            if call.begin < end and (begin < call.end or begin <= call.begin):
                put(by_region, (name, number, *call.timer), call, *call.inside(begin, end))
    if regions:
        compare_groups(result, 'by region', subject.table('groups', GROUPS, '--by', 'region'), by_region)
    for by, missing in (('frame-type', not subject.frames), ('region', not regions)):
        if missing:
            done = subject.tools.run('trace-stats', subject.path, '--by', by)
            result.equal('without %s' % by, (done.status, done.out), (2, b''))
    check_files(result, subject)


def check_labels(result, subject):
    wanted = {}
    for call in subject.calls:
        if call.text:
            put(wanted, (call.text, '', *call.timer), call, call.span, call.own)
    if wanted:
        compare_groups(result, 'by label', subject.table('groups', GROUPS, '--by', 'label'), wanted)
        return
    done = subject.tools.run('trace-stats', subject.path, '--by', 'label')
    result.equal('without labels', (done.status, done.out), (2, b''))


def check_files(result, subject):
    """The sums of the timers of each file."""
    wanted = collections.defaultdict(lambda: [0, 0, 0])
    passes = [row for row in subject.table('gpu', ('file', 'count', 'incl', 'excl', 'kind')) if row['kind'] == 'gpu']
    for row in subject.table('timers', ('file', 'count', 'incl', 'excl')) + passes:
        for place, column in enumerate(('count', 'incl', 'excl')):
            wanted[row['file'] or '(no file)'][place] += int(row[column])
    rows = subject.table('groups', GROUPS, '--by', 'file')
    result.equal('by file', {row['group']: [int(row[column]) for column in ('count', 'incl', 'excl')] for row in rows},
                 {file: sums for file, sums in wanted.items() if sums[0]})


def check_waiting(result, subject):
    """Own times of timers that wait, by thread."""
    work = brute_hitches.Work(brute_hitches.WORK.read_text())
    waiting = collections.Counter()
    for call in subject.of_threads:
        waiting[call.thread] += call.own if work.waits(call.timer[1]) else 0
    for row in subject.table('threads', ('thread_id', 'busy', 'working', 'waiting')):
        thread = int(row['thread_id'])
        result.equal('waiting of thread %d' % thread, int(row['waiting']), waiting[thread])
        result.equal('working of thread %d' % thread, int(row['working']), int(row['busy']) - waiting[thread])
    for row in subject.table('timers', ('timer', 'excl', 'working')):
        result.equal('working of %s' % row['timer'], row['working'],
                     '0' if work.waits(row['timer']) else row['excl'])
    check_ranking(result, subject, waiting)


def check_ranking(result, subject, waiting):
    """What people see: timers by working time, and how much each thread waited."""
    page = subject.tools.must('trace-stats', subject.path, '--table', 'timers,threads', '--unit', 'cycles', '--format', 'markdown',
                              '--quiet').out.decode()
    displayed = column_of(page, 'timers', 'working')
    result.true('no timers on the page', displayed or not subject.calls)
    result.equal('order of the timers', displayed, sorted(displayed, reverse=True))
    result.equal('waiting of threads', sorted(filter(None, column_of(page, 'threads', 'waiting'))),
                 sorted(filter(None, waiting.values())))


def column_of(page, table, column):
    """Numbers of a column of a table of a page in markdown."""
    part = next(part for part in page.split('### ') if part.startswith(table))
    lines = [[cell.strip() for cell in line.split('|')[1:-1]] for line in part.splitlines() if line.startswith('|')]
    return [int(line[lines[0].index(column)]) for line in lines[2:]]


def check_work(result, tools, path):
    """Patterns of the user come before those that are built in."""
    with tempfile.NamedTemporaryFile('w', suffix='.txt') as file:
        file.write('# all of it\nwait *\n')
        file.flush()
        rows = tools.table(path, 'timers', ('timer', 'working'), '--work', file.name)
        result.equal('work', {row['working'] for row in rows}, {'0'})
        file.write('sleep *\n')
        file.flush()
        done = tools.run('trace-stats', path, '--hitches', '--work', file.name)
        result.equal('status of a wrong rule', done.status, 2)
        result.true('the line is named', b'line 3' in done.err)


CHECKS = (check_tree, check_callers, check_callees, check_pruned, check_limit, check_hitches, check_bound, check_slowest,
          check_histogram,
          check_per_frame, check_frame_stats, check_groups,
          check_labels, check_waiting)


def beginning(path, size, work):
    """The first bytes of a capture as a capture, or all of it."""
    if not size:
        return path
    data = path.read_bytes()
    if path.suffix == '.zst':
        data = subprocess.run(['zstd', '-dcq', str(path)], check=True, stdout=subprocess.PIPE).stdout
    cut = work / path.name.removesuffix('.zst')
    cut.write_bytes(data[:size])
    return cut


def check(result, tools, path):
    subject = Subject(tools, path)
    for one in CHECKS:
        result.attempt(one, subject)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('--maker', required=True, help='the program made-calls')
    parser.add_argument('--corpus', type=pathlib.Path, help='where a capture with hitches may be')
    parser.add_argument('--small', action='store_true', help='of large captures the beginning')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    tools = commands.Commands(options.bin)
    reports = report.Report()
    with tempfile.TemporaryDirectory() as work:
        paths = [beginning(options.fixtures / name, size if options.small else None, pathlib.Path(work))
                 for name, size in CAPTURES.items()]
        for kind in MADE:
            paths.append(pathlib.Path(work) / (kind + '.utrace'))
            subprocess.run([options.maker, kind, paths[-1]], check=True)
        for path in paths:
            reports.run(path.name, check, tools, path)
        reports.run('kinds of work', check_work, tools, paths[-1])
    for path in sorted(options.corpus.rglob('game_slow.utrace')) if options.corpus else ():
        reports.run(path.name, brute_hitches.check_slow, tools, path, SLOW_FRAMES, SLOW_TIMER)
    return reports.close()


if __name__ == '__main__':
    sys.exit(main())
