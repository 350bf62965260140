#!/usr/bin/env python3
"""Rules: each is found with the figures and frames that were planted, ruled out where it was not planted, and not judged where
the capture cannot tell; commands that they name run; files that are no rules are refused by file and line.

usage: check_rules.py --bin DIRECTORY
"""

import argparse
import collections
import json
import pathlib
import random
import shlex
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ('harness', 'agent', 'manual')]
import client    # noqa: E402
import commands  # noqa: E402
import described  # noqa: E402
import report    # noqa: E402
import utrace    # noqa: E402

FRAMES, USUAL = 240, 16.6       # ms
FOUND, RULED_OUT, NOT_JUDGED = 'found', 'ruled out', 'not judged'

# What is planted, by hand: frame -> scopes (name, ms), of the game thread.
PLANTED = {60: [('FlushAsyncLoading', 45)], 90: [('FlushAsyncLoading', 40)], 120: [('CreateGraphicsPipelineState', 12)],
           150: [('CollectGarbage', 9)], 200: [('SpawnActor', 1.0)] * 30}
# rule -> frames, the first of them the worst, and ms that it lost
EVIDENCE = {'sync-load': ([60, 90], 85), 'pso': ([120], 12), 'spawn': ([200], 30)}
JUDGED = {'sync-load', 'sync-load-steady', 'gc', 'pso', 'spawn', 'many-calls', 'pacing', 'recording'}


PLANTED_RULES = {*EVIDENCE, 'sync-load-steady', 'gc', 'pacing'}


def check(result, what, condition, more=''):
    result.true(f'{what}: {more!s:.600}', condition)


def make(path, planted, thread='GameThread', pairs=0):
    """A capture of Chrome events: frames of the usual length, longer by what is planted."""
    rng = random.Random(1)
    events = [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1, 'args': {'name': thread}}]
    time = 1000.0
    for frame in range(FRAMES):
        events.append({'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': 1, 'ts': round(time, 1)})
        usual = USUAL * 1000 * (1 + rng.gauss(0, 0.005))
        if pairs and frame >= FRAMES - pairs:
            usual *= 0.7 if frame % 2 else 1.4
        events.append({'ph': 'X', 'name': 'Tick', 'pid': 1, 'tid': 1, 'ts': round(time + 5, 1), 'dur': round(usual * 0.9, 1)})
        at = time + 5 + usual * 0.9 + 1
        for name, ms in planted.get(frame, ()):
            events.append({'ph': 'X', 'name': name, 'pid': 1, 'tid': 1, 'ts': round(at, 1), 'dur': ms * 1000})
            at += ms * 1000 + 0.5
        time = round(max(time + usual, at + 2), 1)
    events.append({'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': 1, 'ts': round(time, 1)})
    path.write_text(json.dumps({'traceEvents': events}))


STATES = collections.defaultdict(set)      # rule -> the states in which captures of this test have it


def rules_of(tools, capture, *more):
    done = tools.must('trace-stats', capture, '--rules', '-f', 'json', *more, allowed=(0, 4))
    rows = {row['rule']: row for row in json.loads(done.out)['rules']} if done.out else {}
    for name, row in rows.items():
        STATES[name].add(row['state'])
    return rows


def check_found(result, tools, capture):
    rows = rules_of(tools, capture)
    check(result, 'there are 24 rules', len(rows) == 24, sorted(rows))
    for rule, (frames, lost) in EVIDENCE.items():
        row = rows[rule]
        check(result, f'{rule} is found', row['state'] == FOUND, row)
        check(result, f'{rule}: its frames', row['frames'] == ','.join(map(str, frames)), row)
        check(result, f'{rule}: what it lost', abs(row['lost'] / 1e6 - lost) < 0.02 * lost + 0.5, row)
    check(result, 'garbage collection is found', rows['gc']['state'] == FOUND and '9.000 ms' in rows['gc']['evidence'], rows['gc'])
    # the last 60 frames alternate, from 180 on; of the first one nobody knows yet
    check(result, 'pacing: where it begins', '59 frames' in rows['pacing']['evidence'] and 'from frame 181 on' in rows['pacing']['evidence'], rows['pacing'])
    found = [row for row in rows.values() if row['state'] == FOUND]
    times = [row['lost'] for row in found if row['lost'] is not None]
    check(result, 'in the order of time lost', times == sorted(times, reverse=True), times)
    for row in found:
        words = shlex.split(row['command'])
        done = tools.run(words[0], *words[1:], '-f', 'csv')
        check(result, f'the command of {row["rule"]} runs', done.status == 0 and done.out.count(b'\n') > 1, done.describe())


def check_states(result, tools, capture, judged, found):
    rows = rules_of(tools, capture)
    for name, row in rows.items():
        wanted = FOUND if name in found else RULED_OUT if name in judged else NOT_JUDGED
        check(result, f'{capture.name}: {name} is {wanted}', row['state'] == wanted, row)
        check(result, f'{capture.name}: {name} says what it needs', (row['state'] != NOT_JUDGED) == (row['record'] is None), row)


def check_text(result, tools, capture):
    for options in (['--rules'], ['--rules=all'], ['--rules=gc,spawn']):
        text = tools.must('trace-stats', capture, *options, '-f', 'table').out.decode()
        if options != ['--rules=gc,spawn']:
            check(result, f'{options}: fits 80 columns', all(len(line) <= 80 for line in text.splitlines()), text)
    rows = json.loads(tools.must('trace-stats', capture, '--rules=spawn', '-f', 'json').out)
    check(result, 'evidence of a rule', list(rows) == ['rules', 'spawn'] and rows['spawn'][0]['calls'] == 30, rows)


GOOD = '''question: Is it slow?
needs: CPU time by timer
advice: Do less.
level: note
says: {timer}, {count:calls}
command: trace-stats {capture} --timer {timer}

-- needs
SELECT 1;
-- found
SELECT timer, count FROM timers ORDER BY count DESC LIMIT 3;
'''
# what is changed -> line, and what the message says
BAD = {
    'unknown key': (('level: note', 'colour: red'), 4, "'colour' is no key of a rule; there are question"),
    'twice': (('level: note', 'level: note\nlevel: note'), 5, "'level' is there already, in line 4"),
    'level': (('level: note', 'level: bad'), 4, "level is 'error', 'warning' or 'note', not 'bad'"),
    'empty': (('advice: Do less.', 'advice:'), 3, "'advice' is empty"),
    'missing': (('advice: Do less.\n', ''), 1, "a rule needs 'advice:'"),
    'no line': (('level: note', 'level note'), 4, 'is no line of a rule'),
    'form': (('{count:calls}', '{count:weight}'), 5, 'there are duration, bytes'),
    'column': (('{timer}, ', '{thimer}, '), 5, "'thimer' is no column"),
    'no found': (('-- found\n', ''), 8, "'-- needs' has several statements"),
    'two': (('SELECT 1;', 'SELECT 1; SELECT 2;'), 8, "'-- needs' has several statements"),
    'syntax': (('SELECT timer,', 'SELEC timer,'), 10, 'SELEC'),
    'no such column': (('SELECT timer, count', 'SELECT timer, cuont'), 10, 'cuont'),
    'writes': (('SELECT 1;', 'DELETE FROM timers;'), 8, ''),
    'text for a number': (('SELECT 1;', "SELECT 'x';"), 8, 'one number'),
}


def check_files(result, tools, folder, capture):
    own = folder / 'own'
    own.mkdir()
    (own / 'my-rule.rule').write_text(GOOD)
    rows = rules_of(tools, capture, f'--rules={own}')
    check(result, 'a rule of a user', rows['my-rule']['state'] == FOUND and rows['my-rule']['file'].endswith('my-rule.rule'), rows['my-rule'])
    check(result, 'alongside the others', len(rows) == 25, len(rows))
    for words in (('--rules', own, capture), (capture, '--rules', own)):
        done = tools.must('trace-stats', *words, '-f', 'json')
        check(result, f'the folder as a word of its own: {words}', [row['rule'] for row in json.loads(done.out)['rules']].count('my-rule') == 1, done.describe())
    done = tools.run('trace-check', '--rules', own)
    check(result, 'a folder of rules is no capture', done.status == 2 and b'which capture?' in done.err, done.describe())
    for what, ((old, new), line, says) in BAD.items():
        (own / 'my-rule.rule').write_text(GOOD.replace(old, new, 1))
        done = tools.run('trace-stats', capture, f'--rules={own}', '-f', 'json')
        text = done.err.decode()
        check(result, f'bad file: {what}', done.status == 2 and not done.out and f'my-rule.rule, line {line}' in text and says in text,
                     done.describe())
    for name in ('Bad Name.rule', 'x' * 90 + '.rule'):
        (own / 'my-rule.rule').write_text(GOOD)
        (own / name).write_text(GOOD)
        done = tools.run('trace-stats', capture, f'--rules={own}')
        check(result, f'bad name: {name[:10]}', done.status == 2 and b'the name of a rule' in done.err, done.describe())
        (own / name).unlink()
    (own / 'my-rule.rule').unlink()
    done = tools.run('trace-stats', capture, f'--rules={own}')
    check(result, 'a folder without rules', done.status == 2 and b'there is no rule' in done.err, done.describe())
    done = tools.run('trace-stats', capture, '--rules=spwan')
    check(result, 'an unknown rule', done.status == 2 and b"'spawn'" in done.err, done.describe())


def check_gate(result, tools, planted, clean):
    """trace-check: what fails it, and SARIF."""
    for words, status in (([], 0), (['--fail', 'found:gc'], 1), (['--fail', 'found'], 1), (['--fail', 'found:locks'], 4)):
        done = tools.run('trace-check', planted, clean, '--rules', *words)
        check(result, f'{words}', done.status == status and b'planted.json: warning: gc: CollectGarbage' in done.out, done.describe())
    done = tools.run('trace-check', clean, '--rules', '--fail', 'found')
    check(result, 'nothing is found', done.status == 0 and done.out.endswith(b'clean.json: 0 found, %d ruled out, %d not judged\n'
          % (len(JUDGED), 24 - len(JUDGED))), done.describe())
    empty = clean.parent / 'empty.json'
    empty.write_text(json.dumps({'traceEvents': [{'ph': 'X', 'name': 'Work', 'pid': 1, 'tid': 1, 'ts': 10, 'dur': 500}]}))
    for words, status in ((['found'], 4), (['found:spawn'], 4), ([], 0)):
        done = tools.run('trace-check', empty, '--rules', *(['--fail', *words] if words else []))
        check(result, f'where nothing is judged: {words}', done.status == status and (status == 0 or b'--rules says what' in done.err), done.describe())
    log = json.loads(tools.must('trace-check', planted, clean, '--rules', '-f', 'sarif').out)['runs'][0]
    results = {r['ruleId']: r for r in log['results']}
    check(result, 'rules of SARIF', len(log['tool']['driver']['rules']) == 24, log['tool'])
    check(result, 'results of SARIF', set(results) == {f'tracekit/{name}' for name in PLANTED_RULES}, sorted(results))
    one = results['tracekit/spawn']
    place = one['locations'][0]['physicalLocation']['artifactLocation']['uri']
    check(result, 'a result', one['level'] == 'warning' and place == str(planted) and 'in frame 200' in one['message']['text'], one)
    for words, says in ((['--fail', 'found:gcc'], b"'found:gcc'"), (['--fail', 'gc'], b"'found:' and a rule"), (['--budget', 'x'], b'leave out budgets'),
                        (['-f', 'junit'], b'junit')):
        done = tools.run('trace-check', planted, '--rules', *words)
        check(result, f'refused: {words}', done.status == 2 and says in done.err, done.describe())
    done = tools.run('trace-check', planted, '--fail', 'found')
    check(result, '--fail alone', done.status == 2 and b'--rules' in done.err, done.describe())


def check_places(result, tools, folder, planted):
    """The same findings on the page and for assistants."""
    tools.must('trace-report', planted, '-o', folder / 'page.html')
    page = (folder / 'page.html').read_text()
    section = page[page.index('<section id="findings"'):].partition('</section>')[0]
    for words in ('FlushAsyncLoading, 2 times', '30 calls, 30', 'Ruled out: ', 'Not judged: ', 'Precache them'):
        check(result, f'on the page: {words}', words in section, section[:800])
    ask = client.Client([str(tools.directory / 'tracekit'), 'mcp', str(planted.parent)])
    rows = ask.rows('rules', capture=planted.name)
    ask.close()
    check(result, 'for assistants', {row['rule'] for row in rows if row['state'] == FOUND} == PLANTED_RULES, rows)


def threads_capture(path, frames, length, game, render=()):
    """Each frame of `length` ms has these scopes (name, ms, times) of the game thread and of the render thread."""
    events = [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': tid, 'args': {'name': name}} for tid, name in ((1, 'GameThread'), (2, 'RenderThread'))]
    for frame in range(frames + 1):
        begin = 1000 + frame * length * 1000
        events.append({'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': 1, 'ts': begin})
        for tid, scopes in ((1, game), (2, render)) if frame < frames else ():
            at = begin + 2
            for name, ms, times in scopes:
                for _ in range(times):
                    events.append({'ph': 'X', 'name': name, 'pid': 1, 'tid': tid, 'ts': round(at, 1), 'dur': round(ms * 1000, 1)})
                    at += ms * 1000 + 0.2
    path.write_text(json.dumps({'traceEvents': events}))


def check_limits(result, tools, folder):
    """Rules about threads, caps and tiny scopes: found, ruled out and not judged."""
    bound, capped, tiny = folder / 'bound.json', folder / 'capped.json', folder / 'tiny.json'
    threads_capture(bound, 100, 25, [('Tick', 5, 1), ('FRenderCommandFence::Wait', 19, 1)], [('Draw', 24, 1)])
    threads_capture(capped, 100, 33.3, [('Tick', 5, 1), ('WaitForVSync', 27, 1)], [('Draw', 4, 1)])
    threads_capture(tiny, 70, 16.6, [('Tiny', 0.001, 1200)], [('Draw', 4, 1)])
    rows = rules_of(tools, bound)
    check(result, 'the render thread is the limit', rows['render-bound']['state'] == FOUND and '100 % of the frames' in rows['render-bound']['evidence'],
          rows['render-bound'])
    check(result, 'the game waits for it', rows['game-waits']['state'] == FOUND and '100 frames' in rows['game-waits']['evidence']
          and abs(rows['game-waits']['lost'] / 1e6 - 1900) < 20, rows['game-waits'])
    check(result, '40 frames a second are near no display', rows['pacing']['state'] == NOT_JUDGED, rows['pacing'])
    rows = rules_of(tools, capped)
    for name in ('render-bound', 'game-waits'):
        check(result, f'{name} is ruled out', rows[name]['state'] == RULED_OUT, rows[name])
    for target, state in (('60', FOUND), ('30', RULED_OUT)):
        row = rules_of(tools, capped, '--target', target)['cap']
        check(result, f'a cap at 30 for a target of {target}', row['state'] == state, row)
    check(result, 'a cap without a target', rows['cap']['state'] == NOT_JUDGED and '--target' in rows['cap']['record'], rows['cap'])
    row = rules_of(tools, tiny)['many-calls']
    check(result, 'many calls', row['state'] == FOUND and 'Tiny on GameThread, 1200 calls a frame' in row['evidence'], row)


def unreal(path, plant, channels=('Cpu', 'Frame', 'Log', 'Gpu', 'Task', 'File', 'ContextSwitch', 'MemTag')):
    """120 frames of 16.6 ms of an Unreal program. plant(capture, frame, start in ns) adds to each and returns ns that it takes longer."""
    capture, at = utrace.Capture(channels), 1_000_000
    for frame in range(120):
        dur = 16_600_000 + (plant(capture, frame, at) or 0)
        capture.frame(at, at + dur)
        capture.scope('GameThread', 'Tick', at + 1000, 5_000_000)
        at += dur
    capture.save(path)


def run(c, at, dur):
    """The game thread has a core for so long."""
    c.event('Collector', at, 'PlatformEvent.ContextSwitch', utrace.cycle(at), utrace.cycle(at + dur), 1000 + c.thread('GameThread'), 0)


def plant_all(c, frame, at):
    for i in range(10):
        c.log(at + 2000 + i * 100, 'LogSpam', 6, 'tick again')
    if frame in (30, 31):
        c.log(at + 5000, 'LogNet', 2, 'cannot find the door')
    c.gpu(at + 1000, 16_000_000, frame)
    c.scope('GameThread', 'Physics', at + 5_100_000, 2_000_000)
    c.scope('GameThread', 'FRenderCommandFence::Wait', at + 10_100_000, 6_400_000)
    # tasks that wait 3 ms and run 0.5 ms; the game thread waits 2 ms for one
    c.event('GameThread', at + 6_000_000, 'TaskTrace.Launched', utrace.cycle(at + 6_000_000), frame, 'FSolve', 1, -1, 64)
    for name, ms in (('Scheduled', 6.1), ('Started', 9.1), ('Finished', 9.6), ('Completed', 9.6)):
        c.event('Worker 1', at + ms * 1e6, f'TaskTrace.{name}', utrace.cycle(at + ms * 1e6), frame)
    c.event('GameThread', at + 7_600_000, 'TaskTrace.WaitingStarted', utrace.cycle(at + 7_600_000), [frame])
    c.event('GameThread', at + 9_700_000, 'TaskTrace.WaitingFinished', utrace.cycle(at + 9_700_000))
    if frame in (50, 70):
        start = at + 10_000_000
        c.event('GameThread', start - 2000, 'PlatformFile.BeginOpen', utrace.cycle(start - 2000), 'Game/map.pak')
        c.event('GameThread', start - 1000, 'PlatformFile.EndOpen', utrace.cycle(start - 1000), 7)
        c.event('GameThread', start, 'PlatformFile.BeginRead', utrace.cycle(start), 9, 7, 0, 4096)
        c.event('GameThread', start + 3_000_000, 'PlatformFile.EndRead', utrace.cycle(start + 3_000_000), 9, 4096)
    if frame == 0:
        c.important('LLM.TrackerSpec', 1, 'Default')
        c.important('LLM.TagsSpec', 64, 0, 'Meshes')
    c.event('GameThread', at + 3000, 'LLM.TagValue', 1, utrace.cycle(at + 3000), [64], [8_000_000 + frame * 100_000])
    # in frame 90 the thread is off its core for 28 of the 29 ms of a scope
    run(c, at, 17_000_000 if frame == 90 else 16_600_000)
    if frame == 90:
        run(c, at + 45_000_000, 1_000_000)
        c.scope('GameThread', 'Stall', at + 16_600_000, 29_000_000)
        return 30_000_000
    return 0


def plant_little(c, frame, at):
    """The same families, and nothing to find."""
    if frame % 60 == 0:
        c.log(at + 2000, 'LogGame', 5, 'a minute')
    c.gpu(at + 1000, 4_000_000, frame)
    c.event('GameThread', at + 6_000_000, 'TaskTrace.Launched', utrace.cycle(at + 6_000_000), frame, 'FSolve', 1, -1, 64)
    for name, ms in (('Scheduled', 6.1), ('Started', 6.2), ('Finished', 9.6), ('Completed', 9.6)):
        c.event('Worker 1', at + ms * 1e6, f'TaskTrace.{name}', utrace.cycle(at + ms * 1e6), frame)
    if frame == 40:
        c.event('GameThread', at + 7_600_000, 'TaskTrace.WaitingStarted', utrace.cycle(at + 7_600_000), [frame])
        c.event('GameThread', at + 7_700_000, 'TaskTrace.WaitingFinished', utrace.cycle(at + 7_700_000))
        c.event('GameThread', at + 8_000_000, 'PlatformFile.BeginOpen', utrace.cycle(at + 8_000_000), 'Game/map.pak')
        c.event('GameThread', at + 8_001_000, 'PlatformFile.EndOpen', utrace.cycle(at + 8_001_000), 7)
    if frame == 0:
        c.important('LLM.TrackerSpec', 1, 'Default')
        c.important('LLM.TagsSpec', 64, 0, 'Meshes')
    c.event('GameThread', at + 3000, 'LLM.TagValue', 1, utrace.cycle(at + 3000), [64], [8_000_000])
    run(c, at, 16_600_000)
    c.scope('RenderThread', 'Draw', at + 1000, 4_000_000)
    c.scope('GameThread', 'WaitForVSync', at + 5_100_000, 11_000_000)


def plant_bubble(c, frame, at):
    """Nobody works for long, and nobody waits for the display."""
    c.gpu(at + 1000, 5_000_000, frame)
    c.scope('RenderThread', 'Draw', at + 1000, 6_000_000)


# what each of these says where it is planted
UNREAL = {'log-spam': 'LogSpam, 1200 messages', 'log-errors': 'LogNet, 2 times Error', 'gpu-bound': 'GPU 16.00 ms', 'starved': 'FSolve, 120 tasks',
          'task-wait': 'FSolve on Worker 1, 120 times, 252.0 ms in all, longest 2.100 ms', 'file-main': '2 times, 6.000 ms in all, longest 3.000 ms',
          'llm-growth': 'Meshes of Default', 'off-core': 'on no core in frame 90'}


def check_unreal(result, tools, folder):
    full, little, bare = folder / 'full.utrace', folder / 'little.utrace', folder / 'bare.utrace'
    unreal(full, plant_all)
    unreal(little, plant_little)
    unreal(bare, lambda *_: 0, ('Cpu', 'Frame'))
    bubble = folder / 'bubble.utrace'
    unreal(bubble, plant_bubble)
    for capture, state in ((bubble, FOUND), (little, RULED_OUT), (bare, NOT_JUDGED)):
        row = rules_of(tools, capture)['bubble']
        check(result, f'{capture.name}: bubble is {state}', row['state'] == state and (state != FOUND or '120 frames' in row['evidence']), row)
    rows = rules_of(tools, bare)
    for name in ('gc', 'spawn', 'locks', 'package', 'growth', 'churn', 'render-bound', 'game-waits'):
        check(result, f'bare: {name} is not judged', rows[name]['state'] == NOT_JUDGED and rows[name]['record'], rows[name])
    for capture, state in ((full, FOUND), (little, RULED_OUT), (bare, NOT_JUDGED)):
        rows = rules_of(tools, capture)
        for name, says in UNREAL.items():
            row = rows[name]
            check(result, f'{capture.name}: {name} is {state}', row['state'] == state and (state != FOUND or says in row['evidence']), row)


def use_memory(c, frame, at, blocks, kept):
    """So many blocks of 64 bytes that live for a moment, and one of `kept` bytes that stays."""
    if frame == 0:
        c.important('Memory.Init', 65536, 1024, 2, 4, 3)
    c.event('GameThread', at + 1000, 'Memory.Marker', utrace.cycle(at + 1000))
    for i in range(blocks):
        c.event('GameThread', at + 2000, 'Memory.Alloc', 0x10000 + i * 64, 0, 64 >> 3, 0, 0)
    for i in range(blocks):
        c.event('GameThread', at + 3000, 'Memory.Free', 0x10000 + i * 64, 0, 0)
    if kept:
        c.event('GameThread', at + 4000, 'Memory.Alloc', 0x1000000 + frame * 0x10000, 0, kept >> 3, 0, 0)


def load(c, frame, at, big, small):
    """Two packages that take so many ms."""
    for number, name, ms in ((1, 'Game/Big', big), (2, 'Game/Small', small)):
        if frame == 10 * number:
            begin = at + 6_000_000
            c.event('GameThread', at + 5000, 'LoadTime.NewAsyncPackage', number)
            c.event('GameThread', at + 5100, 'LoadTime.PackageSummary', number, 100, 1, 1, name)
            c.event('GameThread', begin, 'LoadTime.BeginProcessSummary', utrace.cycle(begin), number)
            c.event('GameThread', begin + ms * 1_000_000, 'LoadTime.EndProcessSummary', utrace.cycle(begin + ms * 1_000_000))


def plant_memory(c, frame, at):
    use_memory(c, frame, at, 120, 16384)
    load(c, frame, at, 11, 2)


def plant_steady(c, frame, at):
    use_memory(c, frame, at, 20, 0)
    load(c, frame, at, 2, 2)


# by hand: 120 frames of 121 allocations; 11 of 13 ms; 40 frames a third of 16 KiB
MEMORY = {'churn': 'Untagged, 121 allocations a frame, 14400 of 14520 short-lived', 'package': 'Game/Big, 85 % of the loading of packages, 11.00 ms',
          'growth': '640 KiB in the middle third, 640 KiB in the last'}


def check_memory(result, tools, folder):
    """Rules about memory, packages, locks and the recording itself."""
    for name, plant, channels, state in (('memory', plant_memory, ('Cpu', 'Frame', 'MemAlloc', 'LoadTime'), FOUND),
                                         ('steady', plant_steady, ('Cpu', 'Frame', 'MemAlloc', 'LoadTime'), RULED_OUT),
                                         ('without', lambda *_: 0, ('Cpu', 'Frame'), NOT_JUDGED)):
        unreal(folder / f'{name}.utrace', plant, channels)
        rows = rules_of(tools, folder / f'{name}.utrace')
        for rule, says in MEMORY.items():
            check(result, f'{name}: {rule} is {state}', rows[rule]['state'] == state and (state != FOUND or says in rows[rule]['evidence']), rows[rule])
    fixtures = HERE.parents[1] / 'fixtures'
    for rule, capture, state in (('recording', fixtures / 'tiny.utrace', FOUND), ('recording', folder / 'without.utrace', RULED_OUT),
                                 ('locks', fixtures / 'tracy' / 'crash-0.9.1.tracy', FOUND),
                                 ('locks', fixtures / 'tracy' / 'ondemand-0.14.0.tracy', RULED_OUT)):
        row = rules_of(tools, capture)[rule]
        check(result, f'{capture.name}: {rule} is {state}', row['state'] == state and (state != FOUND or row['evidence']), row)


def statement_of(column, table):
    """Describes a column of a table in one text."""
    value = (f"count(*) || ' ' || count({column}) || ' ' || coalesce(sum(length(quote({column}))), 0) || ' ' || "
             f"coalesce(substr(max(quote({column})), 1, 30), '')")
    return f'SELECT {value} AS said FROM {table}'


def check_together(result, tools, folder):
    """Statements of many rules are read ahead together: each sees of its table what it sees alone, whichever columns others name."""
    capture, own = folder / 'together.utrace', folder / 'together'
    unreal(capture, plant_all)
    own.mkdir()
    tables = described.Described(tools.directory / 'tracekit').tables
    text = GOOD.replace('{timer}, {count:calls}', '{said}').replace('command: trace-stats {capture} --timer {timer}', 'command: trace-stats {capture}')
    head = text.partition('-- found')[0]
    alone = {}
    for table, (_, columns) in tables.items():
        if table == 'capture':      # how damaged it is, is known once other tables were read
            columns = [column for column in columns if column[0] not in ('damaged', 'faults', 'notices')]
        for place, (column, _) in (('first', columns[0]), ('last', columns[-1])):
            statement = statement_of(f'"{column}"', table)
            done = tools.run('trace-query', capture, statement, '-f', 'json')
            if done.status == 0 and (rows := list(json.loads(done.out).values())[0]) and not rows[0]['said'].startswith('0 '):
                alone[f'{table.replace("_", "-")}-{place}'] = rows[0]['said']
                (own / f'{table.replace("_", "-")}-{place}.rule').write_text(f'{head}-- found\n{statement};\n')
    check(result, 'tables with rows', len(alone) > 60, len(alone))
    rows = rules_of(tools, capture, f'--rules={own}')
    for name, said in alone.items():
        check(result, f'{name}: together as alone', rows[name]['evidence'].strip() == said.strip(), (rows[name]['evidence'], said))


def check_frameless(result, tools, folder):
    """Without game frames nothing about them is judged, and nothing fails."""
    capture = folder / 'frameless.json'
    capture.write_text(json.dumps({'traceEvents': [{'ph': 'X', 'name': 'Work', 'pid': 1, 'tid': 1, 'ts': 10, 'dur': 500}]}))
    rows = rules_of(tools, capture)
    check(result, 'all rules', len(rows) == 24 and FOUND not in {row['state'] for row in rows.values()}, rows)
    for words in ([capture], [capture, capture]):
        done = tools.run('trace-stats', *words, '-t', 'hitch_causes')
        check(result, 'there are no causes of what may not be there', (done.status, done.out) == (2, b'') and b'no game frames' in done.err, done)
    for name in ('pacing', 'game-waits', 'sync-load'):
        check(result, f'{name} is not judged', rows[name]['state'] == NOT_JUDGED and rows[name]['record'], rows[name])


def check_times_alone(result, tools, folder):
    """Of frame times and nothing else only their pace can be judged, and the recording, which needs nothing."""
    capture = folder / 'presents.csv'
    capture.write_text('Application,ProcessID,SwapChainAddress,PresentRuntime,SyncInterval,PresentFlags,AllowsTearing,PresentMode,CPUStartTime,'
                       'FrameTime,CPUBusy,CPUWait,GPULatency,GPUTime,GPUBusy,GPUWait,DisplayLatency,DisplayedTime,AnimationError,AnimationTime\n'
                       + ''.join(f'Game.exe,1,0x1,DXGI,0,0,0,Hardware: Independent Flip,{i * 16.64:.4f},16.64,9,7,3,9,9,0,22,16.64,NA,0\n'
                                 for i in range(120)))
    rows = rules_of(tools, capture)
    judged = {name for name, row in rows.items() if row['state'] != NOT_JUDGED}
    check(result, 'judged', judged == {'pacing', 'recording'}, judged)


def check_all_states(result):
    """Each rule was found, ruled out and not judged in a capture that was made for it, but the one that needs nothing."""
    own = sorted(path.stem for path in (HERE.parents[1] / 'schemas' / 'rules').glob('*.rule'))
    check(result, 'there are 24', len(own) == 24, own)
    for name in own:
        lacking = {FOUND, RULED_OUT, NOT_JUDGED} - STATES[name]
        check(result, f'{name} is nowhere {lacking}', lacking <= ({NOT_JUDGED} if name == 'recording' else set()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    tools, run = commands.Commands(parser.parse_args().bin), report.Report()
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        planted, clean = folder / 'planted.json', folder / 'clean.json'
        make(planted, PLANTED, pairs=60)
        make(clean, {100: [('CollectGarbage', 0.8), ('SpawnActor', 0.5)]})
        run.run('evidence', check_found, tools, planted)
        run.run('planted', check_states, tools, planted, JUDGED, PLANTED_RULES)
        run.run('clean', check_states, tools, clean, JUDGED, set())
        run.run('text', check_text, tools, planted)
        run.run('gate', check_gate, tools, planted, clean)
        run.run('page and assistants', check_places, tools, folder, planted)
        run.run('families of Unreal', check_unreal, tools, folder)
        run.run('limits', check_limits, tools, folder)
        run.run('memory, packages, locks', check_memory, tools, folder)
        run.run('together', check_together, tools, folder)
        run.run('without frames', check_frameless, tools, folder)
        run.run('times of frames alone', check_times_alone, tools, folder)
        run.run('files', check_files, tools, folder, clean)
        run.run('all states', check_all_states)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
