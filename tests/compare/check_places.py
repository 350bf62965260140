#!/usr/bin/env python3
"""A timer is its name: every surface says of one name at several places what the truth of the corpus says.

usage: check_places.py --bin DIRECTORY --corpus DIRECTORY
"""

import argparse
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

FAILURES = []


def check(what, condition):
    if not condition:
        FAILURES.append(what)


def near(value, wanted):
    return abs(value - wanted) <= 1e-3


class Tools:
    def __init__(self, options):
        self.bin, self.causes = options.bin, options.corpus / 'causes'
        self.truth = json.loads((self.causes / 'truth.json').read_text())

    def run(self, command, *arguments, status=0):
        done = subprocess.run([self.bin / command, *arguments], capture_output=True, text=True)
        check('%s %s: status %d, %s' % (command, arguments, done.returncode, done.stderr), done.returncode == status)
        return done.stdout

    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.run('trace-stats', '--format', 'csv', '--unit', 'ns', *arguments))))

    def capture(self, name):
        return self.causes / (name + '.utrace')


def wanted(tools, name):
    truth = tools.truth[name + '.utrace']
    per_frame = truth['per_frame_ms']
    return truth['frames'], per_frame['Update by name on GameThread'], per_frame['by place']


def check_tables(tools, name):
    frames, by_name, by_place = wanted(tools, name)
    columns = ('--table', 'timers', '--columns', 'thread,timer,file,line,excl,sources,places', '--by')
    merged = [row for row in tools.rows(*columns, 'thread', tools.capture(name))
              if row['timer'] == 'Update' and row['thread'] == 'GameThread']
    check('%s: one row' % name, len(merged) == 1)
    check('%s: time' % name, near(int(merged[0]['excl']) / 1e6 / frames, by_name))
    check('%s: sources' % name, merged[0]['sources'] == str(len(by_place)))
    place, most = max(by_place.items(), key=lambda item: item[1])
    share = '%s %.0f %%, %d more' % (place.rsplit('/', 1)[-1], 100 * most / by_name, len(by_place) - 1)
    check('%s: %r, should be %r' % (name, merged[0]['places'], share), merged[0]['places'] == share)
    apart = {'%s:%s' % (row['file'], row['line']): int(row['excl']) / 1e6 / frames
             for row in tools.rows(*columns, 'thread,source', tools.capture(name))
             if row['timer'] == 'Update' and row['thread'] == 'GameThread'}
    check('%s: places apart are %s' % (name, apart),
          apart.keys() == by_place.keys() and all(near(apart[key], by_place[key]) for key in apart))
    per_frame = tools.rows('--per-frame', 'Update', tools.capture(name))
    check('%s: a row a frame' % name, len(per_frame) == frames)


def check_budgets(tools, work):
    """What each place keeps, all of them together do not."""
    _, by_name, by_place = wanted(tools, 'places-slower')
    for limit, status in ((max(by_place.values()) + 0.1, 1), (by_name - 0.01, 1), (by_name + 0.01, 0)):
        budget = work / 'budget.json'
        budget.write_text(json.dumps({'budgets': [
            {'kind': 'timer', 'name': 'Update', 'thread': 'GameThread', 'error': limit}]}))
        tools.run('trace-check', '--budget', budget, tools.capture('places-slower'), status=status)


def changes(tools, base, candidate):
    report = json.loads(tools.run('trace-diff', '--report', 'json', base, '--vs', candidate))
    return [change for change in report['changes'] if change['name'] == 'Update' and change['kind'] == 'timer']


def check_changes(tools, base, slower, moved):
    (change,) = [c for c in changes(tools, base, slower) if c['thread'] == 'GameThread']
    before, after = (wanted(tools, name)[2]['npc.cpp:12'] for name in ('places', 'places-slower'))
    check('the place of a change: %s' % change.get('place'),
          change.get('place') == 'npc.cpp:12 %+.0f %%' % (100 * (after / before - 1)))
    found = changes(tools, base, moved)
    check('moved, never added and removed: %s' % found,
          [(c['verdict'], c.get('place'), c.get('moved_to')) for c in found if c['verdict'] != 'unchanged'] ==
          [('moved', 'door.cpp:41', 're_door.cpp:41')])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('--corpus', type=pathlib.Path, required=True)
    tools = Tools(parser.parse_args())
    names = ('places', 'places-slower', 'places-moved')
    for name in names:
        check_tables(tools, name)
    check_changes(tools, *(tools.capture(name) for name in names))
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        check_budgets(tools, work)
        for name in names:
            tools.run('trace-stats', '--save', work / (name + '.tkb'), tools.capture(name))
        check_changes(tools, *(work / (name + '.tkb') for name in names))
    for failure in FAILURES:
        print(failure)
    return bool(FAILURES)


if __name__ == '__main__':
    sys.exit(main())
