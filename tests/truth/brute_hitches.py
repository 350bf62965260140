"""Hitches the slow way: frames by each rule, what is typical near them, and whose own time grew, from all calls one by one."""

import bisect
import collections
import fnmatch
import pathlib
import re
import statistics

WORK = pathlib.Path(__file__).resolve().parents[2] / 'schemas' / 'work.txt'
TYPICAL = 20


def words_of(name):
    """vkWaitForFences -> vk, wait, for, fences."""
    cut = re.sub(r'(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])', ' ', name)
    return [word.lower() for word in re.split('[^A-Za-z0-9]+', cut)]


class Work:
    """Kinds of work by the patterns of a text."""

    def __init__(self, text):
        lines = (line.strip() for line in text.splitlines())
        self.rules = [line.split(None, 1) for line in lines if line and not line.startswith('#')]
        self.known = {}

    @staticmethod
    def fits(pattern, name):
        if pattern.startswith('='):
            return pattern[1:] in words_of(name)
        return fnmatch.fnmatchcase(name.lower(), pattern.lower())

    def of(self, name):
        if name not in self.known:
            self.known[name] = next((kind for kind, pattern in self.rules if self.fits(pattern, name)), 'own')
        return self.known[name]

    def waits(self, name):
        return self.of(name) in ('wait', 'limiter')


def judge(ms):
    """(expected, late, hitches, start-up) of frames by the local rule."""
    n, expected = len(ms), []
    for i in range(n):
        before, after = ms[max(0, i - 15):i], ms[i + 1:i + 16]
        if len(before) < 15 or len(after) < 15:
            near = ms[:31] if i < 15 else ms[-31:]
            at = i if i < 15 else i - (n - len(near))
            others = near[:at] + near[at + 1:]
            expected.append(statistics.median(others) if others else ms[i])
        else:
            expected.append(max(statistics.median(before), statistics.median(after), statistics.median(before + after)))
    late = [v > max(1.5 * e, e + 4) for v, e in zip(ms, expected)]
    hitches = [i for i in range(n) if late[i] and not is_habit(ms, expected, late, i)]
    return expected, late, hitches, startup_of(n, set(hitches))


def is_habit(ms, expected, late, i):
    low, high = max(0, i - 20), min(len(ms), i + 21)
    first, end = i, i + 1
    while first > low and late[first - 1]:
        first -= 1
    while end < high and late[end]:
        end += 1
    runs = frames = 0
    for part in (range(low, first), range(end, high)):
        counted = False
        for k in part:
            counted = counted and late[k]
            if late[k] and ms[k] - expected[k] >= (ms[i] - expected[i]) / 2:
                runs, frames, counted = runs + (not counted), frames + 1, True
    return runs >= 4 or (runs >= 3 and frames >= 6)


def startup_of(n, hitches):
    calm = 0
    for i in range(n):
        calm = 0 if i in hitches else calm + 1
        if calm == 30:
            return i - 29 if i - 29 <= n // 5 else 0
    return 0


class Hitches:
    """hitches: the numbers of the frames; own[frame]: (thread, timer) -> own time. Times in cycles of 10 MHz."""

    def __init__(self, calls, frames, times=None, budget=None):
        self.lengths = [end - begin for begin, end in frames]
        ms = [length / 1e4 for length in self.lengths]
        self.expected, self.late, local, self.startup = judge(ms)
        ranked = sorted(self.lengths)
        limit = budget or (int(ranked[(len(ranked) - 1) // 2] * times) if times else None)
        long = local if limit is None else [i for i, length in enumerate(self.lengths) if length > limit]
        self.hitches = [i for i in long if i >= self.startup]
        self.typical = {i: self.typical_of(i, ms) for i in self.hitches}
        wanted = {i for i in self.hitches} | {k for frames_of in self.typical.values() for k in frames_of}
        self.own = collections.defaultdict(collections.Counter)
        begins = [begin for begin, _ in frames]
        for call in calls:
            first = max(0, bisect.bisect_right(begins, call.begin) - 1)
            for i in range(first, bisect.bisect_left(begins, call.end)):
                if i in wanted:
                    self.own[i][call.thread, call.timer[1]] += call.inside(*frames[i])[1]

    def typical_of(self, i, ms):
        near = sorted((k for k in range(len(ms)) if k != i and not self.late[k] and k >= self.startup and
                       abs(ms[k] - self.expected[i]) <= 0.25 * self.expected[i]), key=lambda k: (abs(k - i), k))
        return near[:TYPICAL]

    def usual_of(self, frame, key):
        typical = self.typical[frame]
        return int(sum(self.own[k][key] for k in typical) / len(typical)) if typical else 0

    def excess_of(self, frame):
        typical = self.typical[frame]
        return self.lengths[frame] - sum(self.lengths[k] for k in typical) // len(typical) if typical else 0

    def growths(self, frame, frame_thread, work):
        """(thread, timer) -> growth, of what is a reason on the thread of the frames."""
        excess = self.excess_of(frame)
        if self.typical[frame] and excess < 10000 and 4 * excess <= self.lengths[frame] - excess:
            return {}                           # as long as usual
        found = {}
        for key, own in self.own[frame].items():
            growth = own - self.usual_of(frame, key)
            if growth > 0 and key[0] == frame_thread and work.of(key[1]) != 'limiter':
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
    option = ('--hitches=%gms' % (rule['budget'] / 10000) if 'budget' in rule else
              '--hitches=%gx' % rule['times'] if 'times' in rule else '--hitches')
    rows = subject.table('hitches', ('frame', 'dur', 'rank', 'timer', 'work', 'thread_id', 'thread', 'excl', 'typical', 'growth', 'excess'),
                         option)
    result.equal('hitches', sorted({int(row['frame']) for row in rows}), wanted.hitches)
    runs = frame_thread(subject.tools, subject.path)
    for frame in wanted.hitches:
        growths = wanted.growths(frame, runs, work)
        mine = [row for row in rows if int(row['frame']) == frame]
        begin, end = subject.frames[frame]
        result.equal('length of frame %d' % frame, {int(row['dur']) for row in mine}, {end - begin})
        result.equal('excess of frame %d' % frame, {row['excess'] for row in mine},
                     {str(wanted.excess_of(frame)) if wanted.typical[frame] else ''})
        reported = [row for row in mine if row['timer'] and row['work'] not in ('off_core', 'outside') and row['thread_id'] == str(runs)]
        for row in reported:
            key = int(row['thread_id']), row['timer']
            usual = wanted.usual_of(frame, key)
            result.equal('%s in frame %d' % (key, frame), [row[column] for column in ('excl', 'typical', 'growth')],
                         ['%d' % wanted.own[frame][key], *(('%d' % usual, str(growths.get(key))) if wanted.typical[frame] else ('', ''))])
            result.equal('work of ' + row['timer'], row['work'], work.of(row['timer']))
        most = sorted(growths.values(), reverse=True)[:len(reported)]
        result.equal('growth in frame %d' % frame, [growths[int(row['thread_id']), row['timer']] for row in reported], most)
        result.true('%d reasons of frame %d' % (len(mine), frame), len(mine) == 5 or len(reported) == len(growths))


def check_slow(result, tools, path, planted, timer):
    """The capture with five frames that load something."""
    rows = tools.table(path, 'hitches', ('frame', 'rank', 'timer', 'work'), '--hitches')
    result.equal('hitches', [int(row['frame']) for row in rows if row['rank'] == '1'], planted)
    result.equal('frames that are told of', sorted({int(row['frame']) for row in rows}), planted)
    for row in rows:
        if row['rank'] == '1':
            result.equal('reason of frame %s' % row['frame'], (row['timer'], row['work']), (timer, 'loading'))
