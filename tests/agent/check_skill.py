#!/usr/bin/env python3
"""The three questions of docs/agents/SKILL.md, by the calls that it names alone: each in at most two calls of at most 1,500 tokens,
about captures that are made here and whose answers are therefore known.

usage: check_skill.py --bin DIRECTORY SKILL
"""

import argparse
import json
import pathlib
import random
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import client  # noqa: E402
import report  # noqa: E402

CALLS, TOKENS = 2, 1500
ASSET, SLOWER = 'LoadPackage /Game/Zone/Harbour', 'Physics.Solve'


def tokens(text):
    """More than the tokenizers of language models make of it: a token for four letters, three digits, two signs."""
    return sum(-(-len(piece) // size) for pattern, size in ((r'[A-Za-z]+', 4), (r'\d+', 3), (r'[^A-Za-z0-9\s]+', 2), (r'\s+', 4))
               for piece in re.findall(pattern, text))


def capture(path, seed, solve=2000.0):
    """400 frames of about 10 ms, in us; frame 350 loads an asset for 38 ms."""
    noise = random.Random(seed)
    events = [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': tid, 'args': {'name': name}}
              for tid, name in ((1, 'GameThread'), (2, 'RenderThread 1'))]
    now = 1000.0
    for frame in range(400):
        events.append({'ph': 'i', 's': 't', 'name': 'Frame', 'pid': 1, 'tid': 1, 'ts': round(now, 1)})
        for name, us in (('World.Tick', 4000.0), ('Anim.Update', 2500.0), (SLOWER, solve), ('Brain.Step', 1000.0),
                         *([(ASSET, 38000.0)] if frame == 350 else [('LoadObject /Game/Icon', 1200.0)] if frame == 90 else [])):
            dur = round(us * noise.uniform(0.97, 1.03), 1)
            events.append({'ph': 'X', 'name': name, 'pid': 1, 'tid': 1, 'ts': round(now, 1), 'dur': dur})
            now += dur
        now += 300.0
    path.write_text(json.dumps({'traceEvents': events}))


def calls_of(skill, question):
    """(tool, arguments) of the indented lines behind the question."""
    part = skill.split('**%s**' % question, 1)[1].split('\n**', 1)[0].split('\n## ', 1)[0]
    return re.findall(r'^    (\w+) (\{.*\})$', part, re.M)


def play(result, ask, skill, question, names):
    """What the calls answer, and everything that an assistant reads of it."""
    calls, answers, text = calls_of(skill, question), {}, ''
    result.true('%d calls' % len(calls), 0 < len(calls) <= CALLS)
    for tool, arguments in calls:
        for name, value in names.items():
            arguments = arguments.replace(name, value)
        answer, failed, _ = ask.call(tool, **json.loads(arguments))
        result.true('%s %s: %.200s' % (tool, arguments, answer if failed else ''), not failed)
        seen = json.dumps(answer, ensure_ascii=False, separators=(',', ':')) + ask.sentence
        result.true('%s has %d tokens' % (tool, tokens(seen)), tokens(seen) <= TOKENS)
        answers[tool] = answer
        text += seen
    return answers, text


def first(table):
    return dict(zip(table['columns'], table['rows'][0]))


def check_frame(result, ask, skill):
    answers, text = play(result, ask, skill, 'Why did frame 350 hitch?', {'CAPTURE': 'old-0'})
    hitch = first(answers['frame']['hitch'])
    result.equal('cause', (hitch['timer'], hitch['work'], hitch['thread']), (ASSET, 'loading', 'GameThread'))
    result.true('%d ns are not explained' % hitch['unexplained'], hitch['unexplained'] < 1e6)
    result.true('the sentence: ' + ask.sentence, ASSET in ask.sentence and 'frame 350' in ask.sentence)


def check_builds(result, ask, skill):
    answers, text = play(result, ask, skill, 'Which build got slower, and why?', {'OLD': 'old-*', 'NEW': 'new-*'})
    listed = {row[0] for row in answers['list_captures']['captures']['rows']}
    result.equal('captures', listed, {'%s-%d.json' % (build, i) for build in ('old', 'new') for i in range(4)})
    compared = answers['compare']
    worst = [dict(zip(compared['changes']['columns'], row)) for row in compared['changes']['rows']]
    result.equal('verdict', compared['verdict'], 'regressed')
    result.true('why: %s' % worst, any(r['name'] == SLOWER and r['verdict'] == 'regressed' and r['kind'] == 'timer' for r in worst))
    result.true('nothing else: %s' % worst, all(SLOWER in (r['name'], r['because_of']) or r['kind'] == 'thread' for r in worst))
    result.true('%d bytes' % len(json.dumps(compared)), len(json.dumps(compared)) < 2000)


def check_load(result, ask, skill):
    answers, text = play(result, ask, skill, 'Which asset load blocks the game thread?', {'CAPTURE': 'old-0.json'})
    row = first(answers['sql']['result'])
    result.equal('load', (row['timer'], row['frame'], row['count']), (ASSET, 350, 1))
    result.true('%d ns' % row['max'], 36e6 < row['max'] < 40e6)
    result.equal('the small one, too', [r[0] for r in answers['sql']['result']['rows']], [ASSET, 'LoadObject /Game/Icon'])
    result.equal('and hitches', first(answers['hitches']['result'])['frame'], 350)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('skill', type=pathlib.Path)
    options = parser.parse_args()
    run, skill = report.Report(), options.skill.read_text()
    with tempfile.TemporaryDirectory() as directory:
        for i in range(4):
            capture(pathlib.Path(directory) / ('old-%d.json' % i), i)
            capture(pathlib.Path(directory) / ('new-%d.json' % i), 100 + i, solve=2800.0)
        ask = client.Client([str(options.bin / 'tracekit'), 'mcp', directory])
        for name, check in (('frame', check_frame), ('builds', check_builds), ('load', check_load)):
            run.run(name, check, ask, skill)
        ask.close()
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
