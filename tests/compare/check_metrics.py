#!/usr/bin/env python3
"""Metrics of the user: in what is selected, in baselines that are read and written, and with the verdicts that a timer has.

usage: check_metrics.py --bin DIRECTORY --draws N
"""

import argparse
import csv
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness')]
import report    # noqa: E402

METRICS = [{'name': 'Draws', 'unit': 'count', 'better': 'less', 'counter': 'Draws', 'agg': 'mean'},
           {'name': 'Frames', 'unit': 'count', 'better': 'neither', 'sql': 'SELECT count(*) FROM frames WHERE type_id = 0'},
           {'name': 'Ticks', 'unit': 'per_frame', 'better': 'less', 'timer': 'Tick', 'agg': 'count'},
           {'name': 'Tick time', 'unit': 'ms', 'better': 'less', 'timer': 'Tick', 'agg': 'frame_mean'},
           {'name': 'Draw time', 'unit': 'ms', 'better': 'less', 'timer': 'Draw', 'agg': 'frame_mean'},
           {'name': 'Nothing', 'unit': 'count', 'better': 'less', 'counter': 'No such counter', 'agg': 'mean'}]
FRAME = 16600       # us


def make(path, seed, factor=1.0):
    """300 frames; Draws is 100 in the first hundred and 400 behind them; the region Boss is the second hundred. Noise of runs and of frames."""
    rng = random.Random(seed)
    machine = 1 + rng.gauss(0, 0.006)
    events = [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1, 'args': {'name': 'GameThread'}}]
    for i in range(301):
        at = 1000 + i * FRAME
        events.append({'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': 1, 'ts': at})
        if i < 300:
            tick = 4000 * factor * machine * (1 + rng.gauss(0, 0.05))
            events.append({'ph': 'X', 'name': 'Tick', 'pid': 1, 'tid': 1, 'ts': at + 2, 'dur': round(tick, 1)})
            events.append({'ph': 'X', 'name': 'Draw', 'pid': 1, 'tid': 1, 'ts': round(at + 9000, 1), 'dur': round(3000 * machine * (1 + rng.gauss(0, 0.05)), 1)})
            events.append({'ph': 'C', 'name': 'Draws', 'pid': 1, 'tid': 1, 'ts': at + 1, 'args': {'value': 100 if i < 100 else 400}})
    for phase, frame in (('b', 100), ('e', 200)):
        events.append({'ph': phase, 'cat': 'level', 'id': 1, 'name': 'Boss', 'pid': 1, 'tid': 1, 'ts': 1000 + frame * FRAME})
    path.write_text(json.dumps({'traceEvents': events}))


class Tools:
    def __init__(self, directory, folder):
        self.directory, self.folder = directory, folder
        (folder / 'm.json').write_text(json.dumps({'metrics': METRICS}))

    def run(self, *words):
        return subprocess.run([str(self.directory / words[0]), *map(str, words[1:])], capture_output=True, text=True, cwd=self.folder,
                              env={**os.environ, 'LC_ALL': 'C'}, timeout=120)

    def values(self, *words):
        done = self.run('trace-stats', *words, '-t', 'metrics', '-f', 'csv', '-c', 'name,value')
        return {row['name']: float(row['value']) if row['value'] else None for row in csv.DictReader(io.StringIO(done.stdout))}


def check_selected(result, tools):
    make(tools.folder / 'one.json', 1)
    for words, draws, frames in (([], 300, 301), (['--region', 'Boss'], 400, 100), (['--frames', '0-99'], 100, 100), (['--frames', '50-149'], 250, 100)):
        values = tools.values('one.json', '--metric', 'm.json', *words)
        result.equal(f'{words}', [values[name] for name in ('Draws', 'Frames', 'Ticks', 'Nothing')], [draws, frames, 1, None])
        kept = tools.folder / 'kept.tkb'
        kept.unlink(missing_ok=True)
        done = tools.run('trace-stats', 'one.json', '--metric', 'm.json', *words, '--save', kept, '-q')
        rows = csv.DictReader(io.StringIO(tools.run('trace-stats', kept, '-t', 'metrics', '-f', 'csv', '-c', 'name,value').stdout))
        result.equal(f'the baseline of {words} {done.stderr}', {row['name']: float(row['value']) if row['value'] else None for row in rows}, values)


def check_kept(result, tools):
    """A round trip keeps all bytes of the section; another definition is not compared."""
    make(tools.folder / 'two.json', 2)
    for name in ('one', 'two'):
        (tools.folder / f'{name}.tkb').unlink(missing_ok=True)
        tools.run('trace-stats', f'{name}.json', '--metric', 'm.json', '--save', f'{name}.tkb', '-q')
    (tools.folder / 'both.tkb').write_bytes((tools.folder / 'one.tkb').read_bytes())
    done = tools.run('trace-baseline', 'merge', 'both.tkb', 'two.tkb')
    both = (tools.folder / 'both.tkb').read_bytes()
    result.equal(f'merged {done.stderr}', done.returncode, 0)
    for name in ('one', 'two'):
        alone = (tools.folder / f'{name}.tkb').read_bytes()
        at = alone.index(b'METR')
        section = alone[at:at + 20 + int.from_bytes(alone[at + 4:at + 12], 'little')]
        result.true(f'the section of {name} is kept as it is', section in both)
    changed = [{**METRICS[0], 'agg': 'max'}, *METRICS[1:]]
    (tools.folder / 'changed.json').write_text(json.dumps({'metrics': changed}))
    done = tools.run('trace-diff', 'one.tkb', 'two.json', '--metric', 'changed.json')
    result.true('another definition is said', "the metric 'Draws' is not compared: its definition changed" in ' '.join(done.stdout.split()))


def verdicts(tools, base, new):
    done = tools.run('trace-diff', *base, '--vs', *new, '-f', 'csv', '-q')
    rows = {(row['kind'], row['name']): row['verdict'] for row in csv.DictReader(io.StringIO(done.stdout))}
    return rows[('timer', 'Tick')], rows[('metric', 'Tick time')]


def check_rates(result, tools, draws):
    """Four runs against four, of 12 each: a metric that is a timer is judged as the timer is, also among metrics that are the same in all runs."""
    rng = random.Random(7)
    for name, factor in (('a', 1.0), ('b', 1.03)):
        for i in range(12):
            make(tools.folder / f'{name}{i}.json', f'{name} {i}', factor)
            tools.run('trace-stats', f'{name}{i}.json', '--metric', 'm.json', '--save', f'{name}{i}.tkb', '-q')
    counts = {}
    for other in 'ab':
        for _ in range(draws):
            base = rng.sample(range(12), 4)
            new = rng.sample([i for i in range(12) if other == 'b' or i not in base], 4)
            for kind, verdict in zip(('timer', 'metric'), verdicts(tools, [f'a{i}.tkb' for i in base], [f'{other}{i}.tkb' for i in new])):
                counts[other, kind, verdict] = counts.get((other, kind, verdict), 0) + 1
    rate = {(other, kind): counts.get((other, kind, 'regressed'), 0) / draws for other in 'ab' for kind in ('timer', 'metric')}
    print(f'       regressed: A against A timer {rate["a", "timer"]:.2f}, metric {rate["a", "metric"]:.2f}; '
          f'A against +3 % timer {rate["b", "timer"]:.2f}, metric {rate["b", "metric"]:.2f} of {draws} draws')
    result.true(f'no more false alarms than timers have: {counts}', rate['a', 'metric'] <= 0.05)
    result.true(f'as often as a timer: {counts}', abs(rate['b', 'metric'] - rate['b', 'timer']) <= 0.02 and rate['b', 'metric'] > 0.3)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('--draws', type=int, required=True)
    arguments = parser.parse_args()
    run = report.Report()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(arguments.bin.resolve(), pathlib.Path(folder))
        run.run('selected', check_selected, tools)
        run.run('kept', check_kept, tools)
        run.run('rates', check_rates, tools, arguments.draws)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
