#!/usr/bin/env python3
"""Files of users that are wrong, of each kind: what is wrong, where, what there may be; status 2, and nothing half-done.

usage: check_bad_files.py --bin DIRECTORY
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness')]
import report    # noqa: E402

ENVIRONMENT = {**os.environ, 'LC_ALL': 'C', 'NO_COLOR': '1'}
METRIC = {'name': 'a', 'unit': 'ms', 'better': 'less', 'counter': 'X', 'agg': 'mean'}
BUDGET = {'kind': 'frame', 'name': 'p95', 'cell': 10000, 'error': 20}
RULE = ('question: Is it slow?\nneeds: CPU time by timer\nadvice: Do less.\nlevel: note\nsays: {timer}\n'
        'command: trace-stats {capture} --timer {timer}\n\n-- needs\nSELECT 1;\n-- found\nSELECT timer FROM timers LIMIT 1;\n')


def metric(**changed):
    return json.dumps({'metrics': [{**METRIC, **changed}]})


def budget(**changed):
    return json.dumps({'budgets': [{key: value for key, value in {**BUDGET, **changed}.items() if value is not None}]})


# kind -> file, words of the command, and texts with what is said of each: all of the words
BAD = {
    'metrics': ('m.json', ['trace-stats', 'walk.json', '-t', 'metrics', '--metric', 'm.json', '-o', 'out.csv'], [
        ('{"metrics":\n[{"name" "a"}]}', ["'m.json'", 'not JSON', 'line 2']),
        ('', ['not JSON']),
        ('[]', ["'metrics'", '1 to 256']),
        ('{"metrics": []}', ["'metrics'", '1 to 256']),
        ('{"metrics": [\n{"name": "a", "unit": "ms", "better": "less", "counter": "X",\n "agg": "mean",\n "colour": "red"}]}',
         ['line 4', "metric 'a'", "'colour'"]),
        ('{"metrics": [\n{"name": "a", "unit": "ms", "better": "less", "counter": "X", "agg": "mean"},\n{"name": "b",\n "unit": "ms",\n "unit": "s"}]}',
         ['line 5', "metric 'b'", "'unit'", 'twice']),
        ('{"metrics": [\n{"name": "a", "unit": "ms", "better": "less",\n "sql":\n "SELEC 1"}]}', ['line 3', "metric 'a'", 'SELEC']),
        (metric(better='best'), ["'better'", 'less, more, neither']),
        (metric(agg='meen'), ["'agg'", 'mean', 'p95']),
        (metric(timer='Tick'), ["'timer'", 'source already']),
        (metric(floor=-1), ["metric 'a'", "'floor'"]),
        (json.dumps({'metrics': [METRIC, METRIC]}), ["'a'"]),
        (json.dumps({'metrics': [{'name': 'a', 'unit': 'ms', 'better': 'less', 'sql': 'SELEC 1'}]}), ["'sql'", 'SELEC']),
        (json.dumps({'metrics': [{'name': 'a', 'unit': 'ms', 'better': 'less', 'sql': 'DELETE FROM timers'}]}), ["metric 'a'"]),
    ]),
    'facts of a capture': ('walk.run.json', ['trace-report', 'walk.json', 'walk.json', '-o', 'out.csv'], [
        ('{"map":\n\n}', ["'walk.run.json'", 'not JSON', 'line 3']),
        ('[1]', ["'walk.run.json'", 'object']),
        ('{"map": "x"} {}', ["'walk.run.json'", 'more than one']),
        ('{"build": "1",\n "mpa": "x"}', ["'walk.run.json'", 'line 2', "'mpa'", "'map'"]),
        ('{\n"Map": "x"}', ['line 2', "'Map'", "'map'"]),
        ('{"map": "x",\n\n "build": "1",\n "map": "y"}', ['line 4', "'map'", 'twice']),
        ('{"map":\n ["x"]}', ['line 1', "'map'", 'neither a text nor a number']),
        ('{"build": "1",\n"time": "yesterday"}', ['line 2', "'yesterday'", '2026-11-23']),
        ('{"build": "1",\n"two words": "x"}', ['line 2', "'two words'", 'lower-case letters']),
    ]),
    'owners': ('OWN', ['trace-diff', 'walk.json', 'walk.json', '--owners', 'OWN', '-f', 'csv=out.csv'], [
        ('*.c @a\n!b @c\n', ["'OWN'", 'line 2', "'!'"]),
        ('# x\n\nsrc/[ab].c @a\n', ['line 3', 'brackets']),
        ('\\#x @a\n', ['line 1', "'\\#'"]),
        ('* @a\ntimer: @b\n', ['line 2', 'no pattern', 'timer:Physics*']),
    ]),
    'rules': ('own/r.rule', ['trace-stats', 'walk.json', '--rules=own', '-o', 'out.csv'], [
        (RULE.replace('level: note', 'level: bad'), ['r.rule, line 4', "'error', 'warning' or 'note'"]),
        (RULE.replace('level: note', 'colour: red'), ['r.rule, line 4', 'no key of a rule; there are']),
        (RULE.replace('SELECT timer', 'SELEC timer'), ['r.rule, line 10', 'SELEC']),
        (RULE.replace('advice: Do less.\n', ''), ['r.rule, line 1', "'advice:'"]),
    ]),
    'rules in a folder behind the option': ('own/r.rule', ['trace-stats', '--rules', 'own', 'walk.json', '-o', 'out.csv'], [
        (RULE.replace('level: note', 'level: bad'), ['r.rule, line 4', "'error', 'warning' or 'note'"]),
        (RULE.replace('level: note', 'colour: red'), ['r.rule, line 4', 'no key of a rule; there are']),
        (RULE.replace('SELECT timer', 'SELEC timer'), ['r.rule, line 10', 'SELEC']),
        (RULE.replace('advice: Do less.\n', ''), ['r.rule, line 1', "'advice:'"]),
    ]),
    'accepted regressions': ('acc.json', ['trace-diff', 'walk.json', 'walk.json', '--accepted', 'acc.json', '-f', 'csv=out.csv'], [
        ('{"accepted":\n\n[{"kind" 1}]}', ["'acc.json'", 'not JSON', 'line 3']),
        ('{"accepted": [\n{"kind": "timer", "name": "A", "reason": "r", "mots": 1}]}', ['line 2', 'accepted 1', "'mots'", 'most']),
        ('{"accepted": [\n{"kind": "timer", "name": "A", "reason": "r"},\n{"kind": "timer", "name": "A", "name": "B", "reason": "r"}]}',
         ['line 3', 'accepted 2', "'name'", 'twice']),
    ]),
    'budgets': ('b.json', ['trace-check', 'walk.json', '--position', 'PosX,PosY', '--budget', 'b.json', '-f', 'json=out.csv'], [
        ('{"budgets":\n\n[{"kind" 1}]}', ["'b.json'", 'not JSON', 'line 3']),
        ('{"budgets": [\n{"kind": "frame", "name": "p95", "error": 20},\n{"kind": "frame", "name": "p95",\n"error": 1, "error": 2}]}',
         ['line 3', 'budget 2', "'error'", 'twice']),
        ('{"budgets": [\n{"kind": "frame", "name": "p95", "error": "x"}]}', ['line 2', 'budget 1', "'error'", 'number']),
        (budget(cell=0), ['line 1', 'budget 1', "'cell'", 'above 0']),
        (budget(cell='x'), ['budget 1', "'cell'", 'number']),
        (budget(kind='counter'), ['budget 1', "only the kind 'frame'"]),
        (budget(name='q95'), ['budget 1', "'q95'", 'p50, p99.9']),
        (budget(cell=None, cel=10), ['budget 1', "'cel'", "'cell'"]),
        (budget(error=None), ['budget 1', "'warning' nor 'error'"]),
        (budget(kind='cell'), ['budget 1', 'frame, hitches']),
        (budget(kind='frames'), ['budget 1', 'frame, hitches']),
    ]),
}
POSITIONS = {'A,B,C': 'two counters', 'log:x': 'no category', 'log::%f %f': 'no category', 'log:Game:pos': '0 numbers', 'log:Game:%f %f %f %f': '4 numbers',
             '': 'no name', ',B': 'two counters', 'A,': 'two counters', 'Nobody': 'nothing is recorded'}


def make(path):
    """Forty frames with two counters."""
    events = [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1, 'args': {'name': 'GameThread'}}]
    for i in range(41):
        at = 1000 + i * 16600
        events.append({'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': 1, 'ts': at})
        events.append({'ph': 'X', 'name': 'Tick', 'pid': 1, 'tid': 1, 'ts': at + 2, 'dur': 9000})
        events += [{'ph': 'C', 'name': name, 'pid': 1, 'tid': 1, 'ts': at + 1, 'args': {'value': i}} for name in ('PosX', 'PosY')]
    path.write_text(json.dumps({'traceEvents': events}))


def check_kind(result, tools, folder, kind):
    name, words, bad = BAD[kind]
    (folder / name).parent.mkdir(exist_ok=True)
    for text, says in bad:
        (folder / name).write_text(text)
        refuse(result, tools, folder, words, says, text)
    (folder / name).unlink()


def refuse(result, tools, folder, words, says, what):
    (folder / 'out.csv').unlink(missing_ok=True)
    done = subprocess.run([str(tools / words[0]), *words[1:]], cwd=folder, capture_output=True, text=True, timeout=60, env=ENVIRONMENT,
                          stdin=subprocess.DEVNULL)
    said = ' '.join(done.stderr.split())
    result.equal(f'{words} {what!r}: {said[:300]}', done.returncode, 2)
    for part in says:
        result.true(f'{what!r} says {part!r}: {said[:400]}', part in said)
    result.true(f'{what!r}: nothing is written', not done.stdout and not (folder / 'out.csv').exists())


def check_positions(result, tools, folder):
    (folder / 'b.json').write_text(budget())
    for position, says in POSITIONS.items():
        for words in (['trace-stats', 'walk.json', '--by', 'cell=10', '-o', 'out.csv'], ['trace-stats', 'walk.json', '--by', 'cell=10', '-o', 'out.svg'],
                      ['trace-check', 'walk.json', '--budget', 'b.json'], ['trace-diff', 'walk.json', 'walk.json', '--by', 'cell=10'],
                      ['trace-report', 'walk.json', '-o', 'out.html']):
            refuse(result, tools, folder, [*words, '--position', position], [says], position)
            result.true(f'{position} {words}: no file is left', not (folder / words[-1]).suffix in ('.svg', '.html') or not (folder / words[-1]).exists())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    tools, run = pathlib.Path(parser.parse_args().bin).resolve(), report.Report()
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        make(folder / 'walk.json')
        for kind in BAD:
            run.run(kind, check_kind, tools, folder, kind)
        run.run('positions', check_positions, tools, folder)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
