#!/usr/bin/env python3
"""examples/studio/walk.sh over the playtests that it makes: each of its points says what was planted.

usage: check_studio.py --bin DIRECTORY --playtests N SOURCES
"""

import argparse
import collections
import csv
import importlib.util
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness')]
import report    # noqa: E402

# point -> what its answer says, and status of its commands where it is not 0
SAYS = {
    '1': (r'(?s)Draw calls +count +less +1124\.5.*Blocking loads +per_minute +less +11\.\d+.*Longest collection +ms +less +none +timer.*'
          r'Draw calls +1024 +1124 +\+9\.8 %', [1]),
    '2': (r'(?s)\d failed, 0 warned.*Harbor 503 .*22\.1E.*E Harbor-503-\d\.json: frame p95 by cell.*All 3 budgets are met.*'
          r'over budget.*cell 3,0', [1]),
    '3': (r'(?s)loading +FlushAsyncLoading.*CollectGarbage +gc', []),
    '4': (r'(?s)cx .*?\n +3 +0 +100 .* 100 .*Regressed.*\n  3,0 +16\.6 ms +22\.\d+ ms', [1]),
    '5': (r'(?s)sync-load +FlushAsyncLoading, 2 times, worst 40\.00 ms in frame 150.*Harbor-503-1\.json: warning: sync-load: FlushAsyncLoading, 2 times', [1]),
    '6': (r'Physics \|.*physics', [1]),
    '7': (r'(?s)502: good: Physics.*503: bad: Physics \+\d+', [1, 1]),
    '8': (r'game +500 ', []),
    '9': (r'(?s)Canyon-501-1\.json +501 +Canyon +lab-2 +600.*Physics', []),
}


def maker(sources):
    spec = importlib.util.spec_from_file_location('make_playtests', sources / 'examples' / 'studio' / 'make_playtests.py')
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def planted_causes(made, playtests):
    """timer -> hitches before build 503 and of it, by the plan of the playtests."""
    causes = collections.defaultdict(lambda: [0, 0])
    for i in range(playtests):
        place, build = made.PLACES[i % 2], made.BUILDS[i // 2 % 3]
        for frame in range(made.FRAMES):
            for timer, _ in made.planted(place, build, frame):
                causes[timer][build == 503] += 1
    return dict(causes)


class Tools:
    def __init__(self, directory):
        self.directory = directory
        self.environment = {**os.environ, 'PATH': f'{directory}:{os.environ["PATH"]}', 'LC_ALL': 'C', 'NO_COLOR': '1'}

    def run(self, *words, cwd=None):
        return subprocess.run(list(map(str, words)), capture_output=True, text=True, env=self.environment, stdin=subprocess.DEVNULL, cwd=cwd,
                              timeout=900)


def check_walk(result, tools, folder, playtests, sources):
    done = tools.run('sh', sources / 'examples' / 'studio' / 'walk.sh', folder, playtests)
    result.equal('status', done.returncode, 0)
    steps = dict(re.findall(r'(?s)\n== (\d+)\. (.*?)(?=\n== |\Z)', done.stdout))
    result.equal(f'points {done.stderr[-600:]}', sorted(steps), sorted(SAYS))
    for step, (says, statuses) in SAYS.items():
        text = steps.get(step, '')
        result.true(f'point {step} says {says}: {text[-1500:]}', re.search(says, text))
        result.equal(f'statuses of point {step}', list(map(int, re.findall(r'\(status (\d+)\)', text))), statuses)


def check_causes(result, tools, folder, playtests, sources):
    """The causes of all hitches, of captures and of baselines, of the table and of SQL, are those that were planted."""
    wanted = planted_causes(maker(sources), playtests)
    captures = sorted(path for path in (folder / 'night').glob('*.json') if not path.name.endswith('.run.json'))
    result.equal('captures', len(captures), playtests)
    for of in (captures, sorted((folder / 'history').glob('*.tkb'))):
        done = tools.run('trace-stats', *of, '-t', 'hitch_causes', '-f', 'csv')
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        result.equal(f'causes of {of[0].name} {done.stderr[-300:]}',
                     {row['timer']: [int(row['hitches_before'] or 0), int(row['hitches_after'] or 0)] for row in rows}, wanted)
        new = [row['timer'] for row in rows if row['state'] == 'NEW']
        result.equal('what is new', new, ['CreateGraphicsPipelineState'] if playtests >= 18 else [])
        done = tools.run('trace-query', *of, '-f', 'csv', '-q', 'SELECT timer, sum(hitches) AS n FROM hitch_causes GROUP BY timer')
        result.equal(f'the same in SQL {done.stderr[-300:]}', {row['timer']: int(row['n']) for row in csv.DictReader(io.StringIO(done.stdout))},
                     {timer: sum(n) for timer, n in wanted.items()})


def check_files(result, tools, folder, playtests, sources):
    rows = list(csv.DictReader((folder / 'night.csv').open()))
    result.equal('a row a playtest', len(rows), playtests)
    result.equal('metrics are kept', {row['map'] + row['build']: row['metric:Draw calls'] for row in rows},
                 {place + build: '1124.5' if build == '503' else '1024.5' for place in ('Harbor', 'Canyon') for build in ('501', '502', '503')})
    result.equal('machines', {row['machine'] for row in rows}, {'lab-1', 'lab-2'})
    result.equal('each has its number', (folder / 'night.prom').read_text().count('\ntracekit_frame_p95_seconds{'), playtests)
    result.equal('each has its point', len((folder / 'night.influx').read_text().splitlines()), playtests)
    result.true('a map', len([e for e in xml.parse(folder / 'map.svg').getroot() if e.findtext('{*}title')]) == 24)
    page = (folder / 'night.html').read_text()
    result.true('the page of the night', all(f'aria-labelledby="h-{name}"' in page for name in ('night', 'causes')))
    result.true('it loads nothing', not re.search(r'(?:src|href)="(?!#|data:|[\w-]+\.html)', page))
    result.true('no line is too long', not [line for line in (folder / 'night.txt').read_text().splitlines() if len(line) > 80])
    owned = tools.run('trace-diff', folder / 'history' / 'Harbor-502.tkb', folder / 'history' / 'Harbor-503.tkb', '-f', 'json', '--owners',
                      sources / 'examples' / 'studio' / 'CODEOWNERS').stdout
    owners = {change['name']: change['owner'] for change in json.loads(owned)['changes'] if change['kind'] == 'timer'}
    result.equal('owners', {name: owners.get(name) for name in ('Physics', 'Water', 'Animation')},
                 {'Physics': '@physics', 'Water': '@graphics', 'Animation': '@gameplay'})


# what CODEOWNERS says of each cause, by its last line that fits
OWNERS = {'FlushAsyncLoading': '@streaming', 'CollectGarbage': '@gameplay', 'CreateGraphicsPipelineState': '@graphics', 'Physics': '@physics',
          'Water': '@graphics', 'Animation': '@gameplay'}
OVER = {'budgets': [{'kind': 'timer', 'name': 'Physics', 'error': 0.001}, {'kind': 'thread', 'name': 'GameThread', 'error': 1e6}]}


def check_owners(result, tools, folder, playtests, sources):
    """The table of the night, the causes of hitches and the trend say whose it is where they are asked, and have no column else."""
    owners = ['--owners', sources / 'examples' / 'studio' / 'CODEOWNERS']
    history = folder / 'history'
    (folder / 'over.json').write_text(json.dumps(OVER))
    for ending in ('csv', 'json', 'md', 'html'):
        done = tools.run('trace-report', history, '--budget', folder / 'over.json', *owners, '-o', f'owned.{ending}', '--force', '-q', cwd=folder)
        result.equal(f'{ending} {done.stderr[-300:]}', done.returncode, 0)
    rows = list(csv.DictReader((folder / 'owned.csv').open()))
    result.equal('owner of the worst budget', {(row['worst'], row['owner']) for row in rows}, {('timer Physics', '@physics')})
    result.equal('rows', len(rows), playtests)
    result.true('markdown', len(re.findall('timer Physics; owner (?:@|&#64;)', (folder / 'owned.md').read_text())) == playtests)
    result.true('page', 'timer Physics; owner @physics' in (folder / 'owned.html').read_text())
    result.true('no column where nobody asks', 'owner' not in (folder / 'night.csv').read_text().splitlines()[0])
    done = tools.run('trace-stats', history, '-t', 'hitch_causes', '-f', 'csv', *owners)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    result.equal(f'owners of causes {done.stderr[-300:]}', {row['timer']: row['owner'] for row in rows}, {row['timer']: OWNERS[row['timer']] for row in rows})
    result.equal('trace-stats without that table', tools.run('trace-stats', next((folder / 'night').glob('*-1.json')), *owners).returncode, 2)
    check_trend_owners(result, tools, history, owners, set(planted_causes(maker(sources), playtests)))


def check_trend_owners(result, tools, history, owners, planted):
    done = tools.run('trace-trend', history, '--order', 'name', '-f', 'json', *owners)
    trend = json.loads(done.stdout)
    causes = {s['name']: s for s in trend['series'] if s['kind'] == 'cause'}
    result.equal(f'a series for each cause {done.stderr[-300:]}', set(causes) if trend['nights'] >= 3 else planted, planted)
    result.true('nights without it are 0, not unknown', all(s['nights'] == trend['nights'] and s['unit'] == '1/min' for s in causes.values()))
    for event in trend['events']:
        name = event['series'].rsplit(' ', 1)[-1]
        result.equal(f'owner of {event["series"]}', event['owner'], OWNERS.get(name) if event['series'].startswith(('timer ', 'cause ')) else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('--playtests', type=int, required=True)
    parser.add_argument('sources', type=pathlib.Path)
    arguments = parser.parse_args()
    run, tools = report.Report(), Tools(pathlib.Path(arguments.bin).resolve())
    with tempfile.TemporaryDirectory() as folder:
        for check in (check_walk, check_causes, check_files, check_owners):
            run.run(check.__name__[6:], check, tools, pathlib.Path(folder), arguments.playtests, arguments.sources.resolve())
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
