"""Hitches the slow way: frames over budget, what is usual, and whose own time grew, from all calls one by one."""

import bisect
import collections
import fnmatch
import pathlib

WORK = pathlib.Path(__file__).resolve().parents[2] / 'schemas' / 'work.txt'
USUAL = 101


class Work:
    """Kinds of work by the patterns of a text."""

    def __init__(self, text):
        lines = (line.strip() for line in text.splitlines())
        self.rules = [line.split(None, 1) for line in lines if line and not line.startswith('#')]
        self.known = {}

    def of(self, name):
        if name not in self.known:
            self.known[name] = next((kind for kind, pattern in self.rules
                                     if fnmatch.fnmatchcase(name.lower(), pattern.lower())), 'own')
        return self.known[name]


class Hitches:
    """hitches: the numbers of the frames; own[frame or None for usual ones]: (thread, timer) -> own time."""

    def __init__(self, calls, frames, times=2, budget=None):
        lengths = sorted(end - begin for begin, end in frames)
        self.median = lengths[(len(lengths) - 1) // 2]
        self.budget = budget or int(self.median * times)
        self.hitches = [i for i, (begin, end) in enumerate(frames) if end - begin > self.budget]
        others = [i for i in range(len(frames)) if i not in set(self.hitches)]
        others.sort(key=lambda i: (abs(frames[i][1] - frames[i][0] - self.median), i))
        self.usual = others[:USUAL]
        self.own = collections.defaultdict(collections.Counter)
        mark = {**{i: i for i in self.hitches}, **{i: None for i in self.usual}}
        begins = [begin for begin, _ in frames]
        for call in calls:
            first = max(0, bisect.bisect_right(begins, call.begin) - 1)
            for i in range(first, bisect.bisect_left(begins, call.end)):
                if i in mark:
                    self.own[mark[i]][call.thread, call.timer[1]] += call.inside(*frames[i])[1]

    def usual_of(self, key):
        return int(self.own[None][key] / len(self.usual)) if self.usual else 0

    def growths(self, frame, frame_thread, work):
        """(thread, timer) -> growth, of what is a reason."""
        found = {}
        for key, own in self.own[frame].items():
            growth = own - self.usual_of(key)
            if growth > 0 and (work.of(key[1]) != 'wait' or key[0] == frame_thread):
                found[key] = growth
        return found


def frame_thread(tools, path):
    return tools.events(path, 'Misc.BeginFrame')[0]['thread_id']


def check_hitches(result, subject, work, **rule):
    """rule: times or budget (cycles of 10 MHz)."""
    if not subject.frames:
        done = subject.tools.run('trace-stats', subject.path, '--hitches')
        result.equal('hitches without frames', (done.status, done.out), (2, b''))
        result.true('the channel is named', b"'frame'" in done.err)
        return
    wanted = Hitches(subject.calls, subject.frames, **rule)
    option = '--hitches=%gms' % (rule['budget'] / 10000) if 'budget' in rule else '--hitches=%gx' % rule['times']
    rows = subject.table('hitches', ('frame', 'dur', 'rank', 'timer', 'work', 'thread_id', 'thread', 'excl', 'typical', 'growth'),
                         option)
    result.equal('hitches', sorted({int(row['frame']) for row in rows}), wanted.hitches)
    runs = frame_thread(subject.tools, subject.path)
    for frame in wanted.hitches:
        growths = wanted.growths(frame, runs, work)
        mine = [row for row in rows if int(row['frame']) == frame]
        begin, end = subject.frames[frame]
        result.equal('length of frame %d' % frame, {int(row['dur']) for row in mine}, {end - begin})
        reported = [row for row in mine if row['timer'] and row['work'] != 'off_cpu']
        result.equal('growth in frame %d' % frame, [int(row['growth']) for row in reported],
                     sorted(growths.values(), reverse=True)[:len(reported)])
        result.true('%d reasons of frame %d' % (len(mine), frame), len(mine) == 5 or len(reported) == len(growths))
        for row in reported:
            key = int(row['thread_id']) if row['thread_id'] else row['thread'], row['timer']
            result.equal('%s in frame %d' % (key, frame), [row[column] for column in ('excl', 'typical', 'growth')],
                         ['%d' % wanted.own[frame][key], '%d' % wanted.usual_of(key) if wanted.usual else '',
                          str(growths.get(key))])
            result.equal('work of ' + row['timer'], row['work'], work.of(row['timer']))


def check_slow(result, tools, path, planted, timer):
    """The capture with five frames that load something."""
    rows = tools.table(path, 'hitches', ('frame', 'rank', 'timer', 'work'), '--hitches')
    result.equal('hitches', [int(row['frame']) for row in rows if row['rank'] == '1'], planted)
    result.equal('frames that are told of', sorted({int(row['frame']) for row in rows}), planted)
    for row in rows:
        if row['rank'] == '1':
            result.equal('reason of frame %s' % row['frame'], (row['timer'], row['work']), (timer, 'loading'))

