"""Forty questions about the captures of fixtures/, as people ask them: the tool and its arguments, and what the answer has to be by
the truth files that the producers of the captures wrote, by Tracy's csvexport, or by what the baselines were made with."""

import csv
import json
import statistics


class Capture:
    """A capture and its truth, with times in nanoseconds since its start."""

    def __init__(self, fixtures, name, suffix='.utrace'):
        self.file = name + suffix
        self.truth = json.loads((fixtures / (name + '.truth.json')).read_text())
        self.scale = 1000000000 // self.truth['frequency']
        self.frames = [(self.ns(begin), self.ns(end)) for kind, begin, end in self.truth['frames'] if kind == 0]

    def ns(self, cycle):
        return (cycle - self.truth['start_cycle']) * self.scale

    def thread(self, name):
        return next(t for t in self.truth['threads'] if t['name'] == name)

    def calls(self, timer):
        """(calls, the sum of their times) on all threads"""
        found = [x for t in self.truth['threads'] for x in t['timers'] if x['timer'] == timer]
        return sum(x['count'] for x in found), sum(x['incl'] for x in found) * self.scale

    def channels(self):
        """Those that are on at the end; the truth has the names that the options had."""
        names = {name.removesuffix('Channel').lower(): name.removesuffix('Channel') for name in self.truth['channels_declared']}
        state = {t['channel'].lower().removesuffix('channel'): t['enabled'] for t in self.truth['channel_toggles']}
        return sorted(names[name] for name, on in state.items() if on)

    def logs(self, **values):
        return [m for m in self.truth['logs'] if all(m[k] == v for k, v in values.items())]


def where(column, op, value):
    return {'column': column, 'op': op, 'value': value}


def of(c, table, columns, *filters, **arguments):
    return 'table', dict(capture=c.file, table=table, columns=columns.split(), filters=list(filters), **arguments)


def sql(c, statement):
    return 'sql', dict(capture=c.file, statement=statement)


def about_frames(game, tiny):
    times = [e - b for b, e in tiny.frames]
    most = times.index(max(times))
    some = [i for i, (b, e) in enumerate(game.frames) if any(b <= game.ns(m['cycle']) < e for m in game.truth['logs'])][0]
    start, end = game.frames[some]
    later = [m['text'] for m in game.truth['logs'] if start <= game.ns(m['cycle']) < end]
    yield 'How many game frames are there?', sql(game, 'SELECT count(*) FROM frames WHERE type_id = 0'), [[len(game.frames)]]
    yield 'Which was the slowest, and how long?', \
        of(tiny, 'frames', 'frame dur', where('type_id', '=', 0), order_by='dur', descending=True, limit=1), [[most, times[most]]]
    yield 'When did it begin?', ('frame', {'capture': tiny.file, 'frame': most}, 'frame', 'start'), [[tiny.frames[most][0]]]
    yield 'What was logged in a frame?', ('frame', {'capture': game.file, 'frame': some}, 'logs', 'text'), [[t] for t in later[:10]]
    yield 'How many frames took longer than 16.664 ms?', \
        sql(game, 'SELECT count(*) FROM frames WHERE type_id = 0 AND dur > 16664000'), [[sum(e - b > 16664000 for b, e in game.frames)]]
    yield 'Which frames took longer than 0.05 ms?', ('hitches', {'capture': tiny.file, 'longer_than_ms': 0.05}, 'result', 'frame',
                                                     ('rank', 1)), \
        [[i] for t, i in sorted((-t, i) for i, t in enumerate(times)) if -t > 50000]
    yield 'How long do frames take at the median?', ('overview', {'capture': game.file}, 'frames', 'median', ('type', 'game')), \
        [[statistics.median(e - b for b, e in game.frames)]]
    yield 'How many frames of rendering are there?', ('overview', {'capture': game.file}, 'frames', 'count', ('type', 'rendering')), \
        [[sum(kind == 1 for kind, _, _ in game.truth['frames'])]]


def about_timers(game):
    tick, actor = game.calls('FEngineLoop::Tick'), game.calls('AActor::Tick')
    yield 'How often does the engine tick, and how long in all?', \
        of(game, 'timers', 'count total', where('timer', '=', 'FEngineLoop::Tick')), [list(tick)]
    yield 'How many actors tick?', sql(game, "SELECT count(*) FROM scopes WHERE timer = 'AActor::Tick'"), [[actor[0]]]
    worker = game.thread('Foreground Worker #1')
    top = max(worker['timers'], key=lambda x: x['excl'])
    yield 'What does the first worker spend most time in?', \
        of(game, 'timers', 'timer excl', thread=worker['name'], order_by='excl', descending=True, limit=1), \
        [[top['timer'], top['excl'] * game.scale]]
    top = max(game.truth['timers_total'], key=lambda x: x['excl'])
    yield 'Which timer is the most expensive of all?', of(game, 'timers', 'timer excl', order_by='excl', descending=True, limit=1), \
        [[top['timer'], top['excl'] * game.scale]]
    yield 'Where is that in the sources?', of(game, 'timers', 'file line', where('timer', '=', top['timer'])), [[top['file'], top['line']]]
    yield 'How many scopes has each thread?', of(game, 'threads', 'thread scopes', where('scopes', '>', 0), order_by='thread'), \
        sorted([t['name'], t['scopes']] for t in game.truth['threads'] if t['scopes'])
    yield 'How deep do calls of the game thread go?', of(game, 'threads', 'max_depth', where('thread', '=', 'GameThread')), \
        [[game.thread('GameThread')['max_depth']]]
    one = max(x['max'] for x in game.truth['timers_total'] if x['timer'] == 'AActor::Tick') * game.scale
    yield 'How long was the longest tick of an actor?', sql(game, "SELECT max(dur) FROM scopes WHERE timer = 'AActor::Tick'"), [[one]]


def about_messages(game):
    last = game.truth['bookmarks'][-1]
    yield 'How many messages were logged?', sql(game, 'SELECT count(*) FROM logs'), [[game.truth['log_count']]]
    yield 'How many errors?', sql(game, "SELECT count(*) FROM logs WHERE verbosity = 'Error'"), [[len(game.logs(verbosity='Error'))]]
    yield 'What was the first message?', of(game, 'logs', 'text category', limit=1), [[game.truth['logs'][0][k] for k in ('text', 'category')]]
    yield 'What was the last bookmark, and when?', of(game, 'bookmarks', 'time text', order_by='time', descending=True, limit=1), \
        [[game.ns(last['cycle']), last['text']]]
    yield 'How long did the map load?', of(game, 'regions', 'dur', where('name', '=', 'LoadMap')), \
        [[game.scale * (r['end'] - r['begin'])] for r in game.truth['regions'] if r['name'] == 'LoadMap']
    yield 'Which fights were there?', of(game, 'regions', 'name start', where('name', 'LIKE', 'Combat%')), \
        [[r['name'], game.ns(r['begin'])] for r in game.truth['regions'] if r['name'].startswith('Combat')]
    yield 'How many actors were there at the end, at most, at least?', \
        of(game, 'counters', 'last max min', where('counter', '=', 'Game/Actors')), \
        [[c[k] for k in ('last', 'max', 'min')] for c in game.truth['counters'] if c['name'] == 'Game/Actors']
    yield 'Which build is it?', ('sql', {'capture': game.file, 'statement': "SELECT json_extract(session, '$.BuildVersion'), "
                                         "json_extract(session, '$.Changelist') FROM session"}), \
        [[game.truth['session'][k] for k in ('BuildVersion', 'Changelist')]]


def about_resources(game):
    memory, gpu = game.truth['memory'], game.truth['gpu']
    tag = max(memory['system']['live_by_tag'].items(), key=lambda item: item[1]['live_bytes'])
    package = max(game.truth['packages'], key=lambda p: p['serialized_bytes'])
    path = max(game.truth['files'], key=lambda f: f['bytes_read'])
    task = max(game.truth['tasks']['by_name'], key=lambda t: t['run_total'])
    switch = game.truth['context_switches'][0]
    yield 'How much video memory is left allocated?', of(game, 'memory', 'alive_bytes alive_count', where('by', '=', 'heap'),
                                                            where('heap', '=', 'Video memory')), \
        [[memory['video'][k] for k in ('live_bytes', 'live_count')]]
    yield 'Which tag holds most memory, of what has one?', sql(game, "SELECT name, alive_bytes FROM memory WHERE by = 'tag' AND name <> 'Untagged' "
                                              'ORDER BY alive_bytes DESC LIMIT 1'), [[tag[0], tag[1]['live_bytes']]]
    yield 'Which package is the largest?', of(game, 'packages', 'name serialized_bytes', order_by='serialized_bytes', descending=True,
                                              limit=1), [[package['name'], package['serialized_bytes']]]
    yield 'Which file is most read?', of(game, 'files', 'path bytes_read', order_by='bytes_read', descending=True, limit=1), \
        [[path['path'], path['bytes_read']]]
    yield 'Which tasks run longest in all?', of(game, 'tasks', 'task count total', order_by='total', descending=True, limit=1), \
        [[task['name'], task['count'], task['run_total'] * game.scale]]
    yield 'How often was the game thread switched in?', of(game, 'switches', 'count', where('thread', '=', switch['thread'])), \
        [[switch['count']]]
    yield 'What do the queues of the GPU do in all?', of(game, 'gpu_queues', 'type work'), \
        [[q['name'], q['work_total'] * game.scale] for q in gpu['queues']]
    yield 'How large is the picture?', of(game, 'screenshots', 'width height'), [[s[k] for k in ('width', 'height')]
                                                                               for s in game.truth['screenshots']]


def about_others(fixtures, tiny, threads):
    with open(fixtures / 'tracy' / 'small-0.14.0-lz4-j1.csvexport.csv', newline='') as f:
        zones = [row for row in csv.DictReader(f) if row['name'] == 'Update'][0]
    tracy = {'capture': 'tracy/small-0.14.0-lz4-j1.tracy'}
    yield 'How often does Update run in the Tracy capture?', ('table', dict(tracy, table='timers', columns=['count', 'total', 'max'],
                                                                            filters=[where('timer', '=', 'Update')])), \
        [[int(zones[k]) for k in ('counts', 'total_ns', 'max_ns')]]
    yield 'How many scopes are in both captures?', ('sql', {'captures': [tiny.file, threads.file], 'statement': 'SELECT count(*) FROM scopes'}), \
        [[sum(t['scopes'] for c in (tiny, threads) for t in c.truth['threads'])]]
    yield 'How many threads did that other one have?', sql(threads, 'SELECT count(*) FROM threads WHERE scopes > 0'), \
        [[sum(t['scopes'] > 0 for t in threads.truth['threads'])]]
    yield 'Which channels are on?', of(tiny, 'channels', 'name', where('enabled', '=', 1), order_by='name', limit=1000), \
        [[name] for name in tiny.channels()]
    yield 'Did the first build become slower?', ('compare', {'baseline': 'baseline-v1-a.tkb', 'candidate': 'baseline-v1-b.tkb'},
                                                 'verdict'), 'regressed'
    yield 'What became slower?', ('compare', {'baseline': 'baseline-v1-a.tkb', 'candidate': 'baseline-v1-b.tkb'}, 'changes', 'name',
                                  ('verdict', 'regressed')), [['Streaming.Flush']]
    yield 'Is it sound?', ('overview', {'capture': 'net.utrace'}, 'health'), []
    yield 'What can it say about the GPU?', ('what_can_it_answer', {'capture': 'tiny.utrace'}, 'questions', 'answer', ('question', 'GPU time')), [['no']]


def all_of(fixtures):
    game, tiny, threads = Capture(fixtures, 'game', '.utrace.zst'), Capture(fixtures, 'tiny'), Capture(fixtures, 'threads')
    for some in (about_frames(game, tiny), about_timers(game), about_messages(game), about_resources(game),
                 about_others(fixtures, tiny, threads)):
        yield from some
