#!/usr/bin/env python3
"""Options together: what works alone must not fail beside others.

usage: check_options.py --bin DIRECTORY [--times N] [--seed N] FIXTURES

Commands are asked N times with a few options each, drawn from what `tracekit --describe` says that there is, with values
that fit. Whatever comes of it: the status is one that the manual knows, what fails says why, sanitizers are silent, and no
part of an output is left behind. The same seed draws the same commands.
"""

import argparse
import collections
import os
import pathlib
import random
import shlex
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands     # noqa: E402
import report       # noqa: E402

CAPTURES = ('tiny.utrace', 'old-p0-raw.utrace', 'coroutine.utrace', 'restart_b.utrace', 'tracy/crash-0.14.0.tracy', 'game.utrace.zst')
RUNS = ('baseline-v2-game.tkb', 'baseline-v1-a.tkb', 'baseline-v1-b.tkb', 'game.utrace.zst')
STATUSES = range(5)
NEVER = ('help', 'version', 'list', 'no-pager', 'vs', 'append', 'follow', 'csv')
PEERS = ('record', 'control', 'mcp', 'view')    # these wait for other programs

# What fits the placeholder of an option, or its name where that says less.
VALUES = {
    'TIME': ('0', '1ms', '0.2', '1s', '5us', '3.5s', '9223372036'),
    'A-B,...': ('0-3', '1-1', '5-', '0,3,5..7', '0-100000'),
    'CONDITION': ('count>0', 'text~a', 'dur>=1us', 'nothing=1'),
    'BYTES': ('1', '64M'),
    'GLOB': ('*', '*', '*', 'Combat*', 'GameThread', 'F*', '?*', 'nobody'),
    'TIMER': ('*', 'F*', 'FEngineLoop*', 'Frame*', '*Task*'),
    'N': ('1', '2', '20', '0'),
    'MS': ('0.5', '5'),
    'MS|Nx': ('5', '1.5x'),
    'P': ('50', '99'),
    'SHARE': ('1%', '0.2'),
    'PERCENT': ('1', '50'),
    'SIZE|TIME': ('1MB', '1s'),
    'A,B[,C]': ('0,1s', '1ms,1s,2s'),
    'TEXT': ('a', ';'),
    'none|all': ('all',),
    'lf|crlf': ('crlf',),
}
QUESTIONS = ('select count(*) from timers', 'select timer, excl from timers order by 2 desc limit 3', 'select nothing')
BUDGETS = """{"budgets": [{"kind": "frame", "name": "p99", "error": 20}, {"kind": "frame", "name": "max", "region": "*", "error": 1},
 {"kind": "hitches", "warning": 1, "error": 100}, {"kind": "loading", "error": 1},
 {"kind": "timer", "name": "FEngineLoop::Tick", "region": "Combat*", "error": 1}]}"""


class Offers:
    """What `tracekit --describe` says that there is."""

    def __init__(self, tools):
        self.options, self.words, self.columns = collections.defaultdict(list), {}, collections.defaultdict(list)
        self.lists = collections.defaultdict(list)
        command = None
        for line in tools.must('tracekit', '--describe').out.decode().splitlines():
            kind, *cells = line.split('\t')
            if kind == 'command':
                command = cells[0]
            elif kind == 'option' and cells[1] not in NEVER and command not in PEERS:
                self.options[command].append((cells[1], cells[2], cells[5]))
            elif kind == 'words':
                self.words[cells[0]] = cells[1:] if len(cells) > 2 else cells[1].split()
            elif kind == 'column':
                self.columns[cells[0]].append(cells[1])
            elif kind in ('export', 'preset', 'table', 'limit'):
                self.lists[kind].append(cells[0])


class Draw:
    """Draws commands."""

    def __init__(self, offers, fixtures, work, seed):
        self.offers, self.fixtures, self.work, self.random = offers, fixtures, work, random.Random(seed)
        self.budget = work / 'budget.json'
        self.budget.write_text(BUDGETS)

    def pick(self, values):
        return self.random.choice(list(values))

    def some(self, values):
        values = list(values)
        return ','.join(self.random.sample(values, min(len(values), self.pick((1, 1, 2, 3)))))

    def value(self, name, placeholder, words):
        columns = self.offers.columns[self.pick(self.offers.columns)]
        own = {'columns': lambda: self.some(columns), 'sort': lambda: self.pick(columns), 'budget': lambda: self.budget,
               'table': lambda: self.some(self.offers.lists['table']), 'noise': lambda: self.fixtures / RUNS[0],
               'limit': lambda: '%s=%s' % (self.pick(self.offers.lists['limit']), self.pick((0, 1, 100, 1000000)))}
        if name in own:
            return own[name]()
        if words in self.offers.words:
            known = self.offers.words[words]
            return self.some(known) if ',' in placeholder else self.pick(known)
        if placeholder in ('FILE', 'PATH'):
            return self.work / self.pick(('a.json', 'b.csv', 'c.db', 'd.gz'))
        return self.pick(VALUES.get(placeholder, VALUES['GLOB']))

    def requested(self, command):
        """What a command needs in addition options."""
        if command in ('diff', 'check', 'trend'):
            runs = [self.fixtures / self.pick(RUNS) for _ in range(1 if command == 'check' else 2)]
            return [*runs, *(('--budget', self.budget) if command == 'check' else ())]
        if command == 'baseline':
            return ['list', self.fixtures / self.pick(RUNS)]
        if command == 'cache':
            return ['list']
        words = [self.fixtures / self.pick(CAPTURES)]
        if command == 'query':
            words.append(self.pick(QUESTIONS))
        if command == 'edit':
            words += ['--output', self.work / 'out.utrace', '--force']
        if command == 'export':
            kind = self.pick(('format', 'format', 'preset'))
            words += ['--' + kind, self.pick(self.offers.lists['export' if kind == 'format' else 'preset']), '--force', '--output',
                      self.pick(('-', self.work / 'out', self.work / 'out.json'))]
        return words

    def command(self):
        command = self.pick(self.offers.options)
        words = self.requested(command)
        offered = self.offers.options[command]
        for name, placeholder, known in self.random.sample(offered, min(len(offered), self.pick((1, 2, 2, 3, 4)))):
            if '--' + name not in words:
                words += ['--' + name, *([self.value(name, placeholder, known)] if placeholder else [])]
        return 'trace-' + command, words


def check(result, tools, work, name, words):
    done = tools.run(name, *words, timeout=300)
    reported = done.err.decode(errors='replace')
    result.true(done.describe(), done.status in STATUSES)
    result.true('fails without a word: ' + done.describe(), reported or done.status not in (2, 3))
    result.true(done.describe(), 'runtime error' not in reported and 'Sanitizer' not in reported)
    litter = [path.name for path in work.iterdir() if path.name.startswith('.tracekit')]
    result.equal('left behind by ' + shlex.join(done.words), litter, [])
    return done.status


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('--times', type=int, default=400)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    tools = commands.Commands(options.bin)
    run = report.Report()

    def draw_all(result):
        statuses = collections.Counter()
        with tempfile.TemporaryDirectory() as work:
            work = pathlib.Path(work)
            draw = Draw(Offers(tools), options.fixtures.resolve(), work, options.seed)
            os.chdir(work)  # names that are drawn may become files
            for _ in range(options.times):
                statuses[check(result, tools, work, *draw.command())] += 1
            os.chdir('/')
        print('       ' + ', '.join('%d times status %d' % (n, status) for status, n in sorted(statuses.items())))
        result.true('a third is understood', statuses[0] + statuses[1] > options.times / 3)

    run.run('options together, seed %d' % options.seed, draw_all)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
