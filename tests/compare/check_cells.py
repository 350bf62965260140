#!/usr/bin/env python3
"""Frames by place: captures of a walk through cells whose figures are counted here, as a table, a drawing, a comparison, a budget.

usage: check_cells.py --bin DIRECTORY
"""

import argparse
import csv
import io
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness')]
import report    # noqa: E402
import utrace    # noqa: E402

SIDE, SECOND, MS = 10_000, 1_000_000_000, 1_000_000
SOURCES = {'point': [], 'counters': ['--position', 'PosX,PosY'], 'log': ['--position', 'log:LogGame:pos x=(%f) y=(%f)']}


class Walk:
    """600 frames: nowhere at first, through six cells of which one is slow, a second and more without a position, and a cell of few frames."""

    def __init__(self, seed, slow, gap=range(480, 570)):
        rng = random.Random(seed)
        self.frames, self.positions, time = [], [], 10 * MS
        for i in range(600):
            x = -5_000.0 if i >= 590 else 100.0 * i
            length = round((slow if 300 <= i < 400 and x > 0 else 16.6) * (1 + rng.gauss(0, 0.002)) * 10_000) * 100
            if i >= 5 and i not in gap:
                self.positions.append((time + 100_000, (x, -2_500.5)))
            self.frames.append((time, time + length))
            time += length

    def cells(self, side):
        """cell -> lengths, counted frame by frame."""
        out = {}
        for start, end in self.frames:
            before = [place for place in self.positions if place[0] < end]
            known = before and end - before[-1][0] <= SECOND
            cell = tuple(math.floor(v / side) for v in before[-1][1]) if known else None
            out.setdefault(cell, []).append(end - start)
        return out

    def save(self, path, source):
        capture = utrace.Capture(('Cpu', 'Frame', 'Counters', 'Log', 'Spatial'))
        for start, end in self.frames:
            capture.frame(start, end)
            capture.scope('GameThread', 'Tick', start + 1000, end - start - 2000)
        for time, (x, y) in self.positions:
            if source == 'point':
                capture.point(time, 'Player', (x, y, 300.0))
            elif source == 'counters':
                capture.counter(time - 200, 'PosX', x)
                capture.counter(time, 'PosY', y)
            else:
                capture.log(time, 'LogGame', 5, 'at pos x=%.1f y=%.1f now' % (x, y))
        capture.save(path)


def percentile(values, share):
    return sorted(values)[max(math.ceil(len(values) * share / 100) - 1, 0)]


class Tools:
    def __init__(self, directory, folder):
        self.directory, self.folder = directory, folder

    def run(self, *words):
        done = subprocess.run([str(self.directory / words[0]), *map(str, words[1:])], capture_output=True, text=True, cwd=self.folder)
        return done.returncode, done.stdout, done.stderr

    def walks(self, name, slow, source, n=3):
        paths = []
        for i in range(n):
            paths.append(self.folder / f'{name}{i}.utrace')
            Walk(f'{name} {i}', slow).save(paths[-1], source)
        return paths


def check_table(result, tools, source, words):
    walk, path = Walk('table', 22), tools.folder / f'{source}.utrace'
    walk.save(path, source)
    for side in (SIDE, 3000):
        status, text, said = tools.run('trace-stats', path, '--by', f'cell={side}', *words, '-f', 'csv', '--unit', 'ns')
        result.equal('status', (status, said), (0, ''))
        got = {(int(row['cx']), int(row['cy'])) if row['cx'] else None: row for row in csv.DictReader(io.StringIO(text))}
        wanted = walk.cells(side)
        result.equal(f'cells of {side}', sorted(got, key=str), sorted(wanted, key=str))
        for cell, lengths in wanted.items():
            figures = [len(lengths), sum(lengths), percentile(lengths, 50), percentile(lengths, 95), max(lengths), str(len(lengths) < 30).lower()]
            row = got.get(cell, {})
            result.equal(f'{side} {cell}', [*(int(row[k]) for k in ('frames', 'dur', 'p50', 'p95', 'max')), row['few']], figures)


def check_drawing(result, tools, source, words):
    walk, path = Walk('table', 22), tools.folder / f'{source}.utrace'
    for side, drawn in ((SIDE, SIDE), (100, 1600)):                            # sides double until 64 cells or fewer lie along the level
        svg = tools.folder / 'map.svg'
        status, _, said = tools.run('trace-stats', path, '--by', f'cell={side}', *words, '--target', '60', '-o', svg, '--force')
        result.equal('status of the drawing', (status, said), (0, ''))
        titles = [e.findtext('{*}title') for e in xml.parse(svg).getroot() if e.findtext('{*}title')]
        wanted = {cell: lengths for cell, lengths in walk.cells(drawn).items() if cell}
        result.equal(f'cells drawn of {side}', len(titles), len(wanted))
        for cell, lengths in wanted.items():
            text = 'cell %d,%d: %d frames, p95 %.1f ms, ' % (*cell, len(lengths), percentile(lengths, 95) / MS)
            found = [title for title in titles if title.startswith(text)]
            result.equal(f'{text} in {titles[:9]}', len(found), 1)
            result.true(f'few are said to be few: {found}', found and ('few frames' in found[0]) == (len(lengths) < 30))
    page = tools.folder / 'page.html'
    status, _, said = tools.run('trace-report', path, *words, '-o', page, '--force', '-q')
    result.equal('status of the page', (status, said), (0, ''))
    section = re.search(r'(?s)<section id="map".*?</section>', page.read_text()).group(0)
    result.true('the page has the map', '<svg ' in section and 'fewer than 30 frames' in section and '<td' in section)


def check_comparison(result, tools, source, words):
    base, new = tools.walks('base', 16.6, source), tools.walks('new', 22, source)
    for i, paths in enumerate((base, new)):
        (tools.folder / f'{i}.tkb').unlink(missing_ok=True)
        for path in paths:
            result.equal('saved', tools.run('trace-stats', path, *words, '--save', f'{i}.tkb', '-q')[0], 0)
    kept = tools.run('trace-diff', '0.tkb', '1.tkb', '--by', f'cell={SIDE}', '-f', 'json')
    read = tools.run('trace-diff', *base, '--vs', *new, *words, '--by', f'cell={SIDE}', '-f', 'json')
    result.equal('baselines and captures give one answer', kept[1], read[1])
    result.equal('status', kept[0], 1)
    report_of = json.loads(kept[1])
    cells = {change['name']: change for change in report_of['changes'] if change['kind'] == 'cell'}
    result.equal('what is slower', [name for name, change in cells.items() if change['verdict'] == 'regressed'], ['3,-1'])
    lengths = [[percentile(Walk(f'{name} {i}', slow).cells(SIDE)[(3, -1)], 95) / MS for i in range(3)] for name, slow in (('base', 16.6), ('new', 22))]
    result.true('its values', all(abs(cells['3,-1'][side] - sum(values) / 3) < 1e-6
                                  for side, values in zip(('baseline', 'candidate'), lengths)))
    text = tools.run('trace-diff', '0.tkb', '1.tkb', '--by', f'cell={SIDE}')[1]
    few = sum(len(lengths) < 30 for cell, lengths in Walk('base 0', 16.6).cells(SIDE).items() if cell)
    result.true(f'few are said to be few: {text[:900]}', f'{few} of 7 cells of the level are not compared: a side has fewer than 30 frames' in text)
    again = tools.run('trace-diff', '0.tkb', '--vs', *tools.walks('again', 16.6, source), *words, '--by', f'cell={SIDE}', '-f', 'json')
    changed = [change['name'] for change in json.loads(again[1])['changes'] if change['kind'] == 'cell' and change['verdict'] in ('regressed', 'improved')]
    result.equal(f'A against A {again[2]}', (again[0], changed), (0, []))
    status, _, said = tools.run('trace-diff', '0.tkb', '1.tkb', '--by', 'cell=15')
    result.true(f'sides that are not stored: {said}', status == 2 and 'steps of 10' in said)


def check_budget(result, tools, source, words):
    for limit, wanted in ((20, 1), (23, 0)):
        (tools.folder / 'budget.json').write_text(json.dumps({'budgets': [{'kind': 'frame', 'name': 'p95', 'cell': SIDE, 'error': limit}]}))
        for run in ([tools.folder / 'new0.utrace', *words], ['1.tkb']):
            status, text, said = tools.run('trace-check', *run, '--budget', 'budget.json', '-f', 'json')
            result.equal(f'{limit} ms {run}: {said}', status, wanted)
            result.equal('the worst cell', json.loads(text)['budgets'][0]['thread'], 'cell 3,-1')
    (tools.folder / 'budget.json').write_text(json.dumps({'budgets': [{'kind': 'frame', 'name': 'p95', 'cell': 100, 'error': 20}]}))
    Walk('few', 22, ()).save(tools.folder / 'few.utrace', source)
    status, text, said = tools.run('trace-check', 'few.utrace', *words, '--budget', 'budget.json', '-f', 'json')
    result.true(f'few frames everywhere: {status} {said}', json.loads(text)['budgets'][0]['verdict'] == 'missing' and '30 frames or more' in said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    run = report.Report()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(arguments.bin.resolve(), pathlib.Path(folder))
        for source, words in SOURCES.items():
            for check in (check_table, check_drawing, check_comparison, check_budget):
                run.run(f'{check.__name__[6:]} of {source}', check, tools, source, words)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
