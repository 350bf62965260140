#!/usr/bin/env python3
"""Checks the zones of Tracy captures against what Tracy's own csvexport printed of them.

usage: check_zones.py --bin DIRECTORY DIRECTORY...

Every NAME.tracy with a NAME.csvexport.csv is compared: total and longest time of each source location, and their own
time where NAME.csvexport-self.csv is there. csvexport leaves zones of no length out of its counts, so that its counts
are a lower bound. It quotes nothing: its rows are read from the right.
"""

import argparse
import collections
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402

COLUMNS = ('timer', 'file', 'line', 'count', 'total', 'excl', 'max')


def exported(path):
    """(name, file, line) -> [(total, greatest, count)] of a file of csvexport, as it may occur several times."""
    table = collections.defaultdict(list)
    for row in path.read_text(errors='replace').splitlines()[1:]:
        place, total, _, count, _, _, greatest, _ = row.rsplit(',', 7)
        table[place].append((int(total), int(greatest), int(count)))
    return table


def timers(tools, path):
    """The same of ours, with own times."""
    table = collections.defaultdict(list)
    for row in tools.table(path, 'timers', COLUMNS, '--by', 'source'):
        if row['total'] not in ('', '0'):
            place = '%s,%s,%s' % (row['timer'], row['file'], row['line'])
            table[place].append((int(row['total']), int(row['max']), int(row['count']), int(row['excl'])))
    return table


def check(result, tools, path):
    ours = timers(tools, path)
    wanted = exported(path.with_name(path.stem + '.csvexport.csv'))
    result.equal('source locations', sorted(ours), sorted(wanted))
    for place, rows in wanted.items():
        got = sorted(ours.get(place, ()))
        result.equal('total and longest of ' + place, [row[:2] for row in got], [row[:2] for row in sorted(rows)])
        result.true('count of ' + place, all(a[2] >= b[2] for a, b in zip(got, sorted(rows))))
    own = path.with_name(path.stem + '.csvexport-self.csv')
    for place, rows in (exported(own) if own.exists() else {}).items():
        result.equal('own time of ' + place, sum(row[3] for row in ours.get(place, ())), sum(row[0] for row in rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('directories', nargs='+', type=pathlib.Path)
    options = parser.parse_args()
    tools = commands.Commands(options.bin)
    reports = report.Report()
    for directory in options.directories:
        for path in sorted(directory.rglob('*.tracy')):
            if path.with_name(path.stem + '.csvexport.csv').exists():
                reports.run(path.stem, check, tools, path)
    return reports.close()


if __name__ == '__main__':
    sys.exit(main())
