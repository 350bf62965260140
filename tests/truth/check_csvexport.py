#!/usr/bin/env python3
"""Checks that `--preset tracy` writes what Tracy's own csvexport wrote of the same captures.

usage: check_csvexport.py --bin DIRECTORY DIRECTORY...

Beside NAME.tracy lie NAME.csvexport*.csv; one that would be equal to another's is named in same-as.tsv. Both programs
have an order of their own, so sorted lines are compared. csvexport leaves rows out where it races with itself while it
loads (GPU zones, plots of memory): of these its rows must be among ours, and of the plots of the program all. Before
0.10 it divided by zero for the deviation of single zones; any of the three things it prints then is taken.
"""

import argparse
import collections
import csv
import hashlib
import io
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402

KINDS = {'csvexport': (), 'csvexport-self': ('--self',), 'csvexport-unwrap': ('--unwrap',),
         'csvexport-messages': ('--table', 'messages'), 'csvexport-gpu': ('--table', 'gpu'),
         'csvexport-unwrap-plots': ('--unwrap', '--table', 'zones,plots'),
         'csvexport-trunc90': ('--truncated-mean', '90')}
OF_THE_FILE = ('csvexport', 'csvexport-self', 'csvexport-unwrap')       # written by the program of the file's version
NO_NUMBER = re.compile(rb',(-?nan|inf)$')


def version(name):
    """The release that wrote the capture."""
    found = re.findall(r'(\d+\.\d+)(?:\.\d+)*', name)
    return tuple(int(part) for part in found[-1].split('.'))


def preset(name, kind):
    if kind not in OF_THE_FILE or version(name) >= (0, 12):
        return 'tracy'
    return 'tracy-0.10' if version(name) >= (0, 10) else 'tracy-0.9'


def export(tools, path, kind):
    return tools.must('trace-export', path, '--preset', preset(path.stem, kind), '--raw-quoting', '--force',
                      *KINDS[kind]).out


def lines(data):
    return sorted(NO_NUMBER.sub(b',-nan', line) for line in data.split(b'\n'))


def check_lines(result, kind, got, wanted):
    if kind in ('csvexport-gpu', 'csvexport-unwrap-plots'):
        missing = collections.Counter(wanted) - collections.Counter(got)
        result.equal(kind + ' rows that are missing', list(missing)[:3], [])
    else:
        result.equal(kind, got == wanted, True)
        if got != wanted:
            surplus = collections.Counter(got) - collections.Counter(wanted)
            missing = collections.Counter(wanted) - collections.Counter(got)
            result.equal(kind + ' rows', list(surplus)[:2], list(missing)[:2])


def check_sum(result, tools, path):
    wanted = dict(line.split() for line in path.with_name(path.stem + '.csvexport-unwrap.sha256').read_text().splitlines()
                  if line.strip())
    data = export(tools, path, 'csvexport-unwrap')
    rows = data.split(b'\n')[:-1]
    result.equal('rows of zones', len(rows) - 1, int(wanted['lines-after-header']))
    digest = hashlib.sha256(b''.join(row + b'\n' for row in sorted(rows))).hexdigest()
    result.equal('sorted rows of zones', digest, wanted['sha256-sorted-lines'])


def parsed(tools, path, *options):
    done = tools.must('trace-export', path, '--preset', 'tracy', *options)
    return list(csv.reader(io.StringIO(done.out.decode('utf-8', 'replace'), newline='')))


def check_quoting(result, tools, path):
    """Without --raw-quoting a reader of CSV gets names and texts back."""
    rows = parsed(tools, path)
    raw = sorted(','.join(row[:9]) for row in rows)
    wanted = sorted(line.rsplit(',', 1)[0] for line in export(tools, path, 'csvexport').decode('utf-8', 'replace')
                    .splitlines())
    result.equal('names', raw, wanted)
    zones = parsed(tools, path, '--unwrap')
    result.equal('columns', {len(row) for row in rows} | {len(row) - 3 for row in zones}, {10, 4})
    begins = [event['fields'] for event in tools.events(path, 'Tracy.ZoneBegin')]
    result.equal('texts', collections.Counter(row[6] for row in zones[1:] if row[6]),
                 collections.Counter(fields['Text'] for fields in begins if fields['Text']))


def check_filter(result, tools, path):
    every = parsed(tools, path)
    for options, kept in ((('--filter', 'WAIT'), lambda name: 'wait' in name.lower()),
                          (('--filter', 'Wait', '--match-case'), lambda name: 'Wait' in name)):
        result.equal(' '.join(options), parsed(tools, path, *options), [every[0]] + [row for row in every[1:]
                                                                                    if kept(row[0])])
    done = tools.must('trace-export', path, '--preset', 'tracy', '--separator', ' | ')
    result.equal('separator', done.out.splitlines()[0], b' | '.join(name.encode() for name in every[0]))


def outermost(zones):
    """Number of the zones that lie in no other, and their time; zones are (begin, time) of one queue."""
    end, found = None, []
    for begin, time in sorted(zones, key=lambda zone: (zone[0], -zone[1])):
        if end is None or begin + time > end or begin >= end:
            found.append(time)
            end = begin + time
    return len(found), sum(found)


def check_queues(result, tools, path, truth):
    """Work of GPU contexts, of those that have their names of zones to themselves and no zone without an end."""
    queues, unfinished = collections.defaultdict(set), set()
    for row in tools.table(path, 'gpu', ('queue', 'timer', 'open')):
        queues[row['timer']].add(row['queue'])
        unfinished |= {row['queue']} if int(row['open']) else set()
    zones = collections.defaultdict(list)
    for line in truth.read_text(errors='replace').splitlines()[1:]:         # names are not quoted
        name, _, begin, time = line.rsplit(',', 3)
        if len(queues[name]) != 1:
            return
        zones[min(queues[name])].append((int(begin), int(time)))
    for row in tools.table(path, 'gpu_queues', ('queue', 'work_items', 'work')):
        if row['queue'] in zones and row['queue'] not in unfinished:
            works, work = outermost(zones[row['queue']])
            result.equal('work of ' + row['queue'], int(row['work']), work)
            result.true('works of ' + row['queue'], int(row['work_items']) >= works)     # csvexport drops those without a length


def check(result, tools, path, same):
    for kind in KINDS:
        name = '%s.%s.csv' % (path.stem, kind)
        truth = path.with_name(same.get(name, name))
        if truth.exists():
            check_lines(result, kind, lines(export(tools, path, kind)), lines(truth.read_bytes()))
            if kind == 'csvexport-gpu':
                check_queues(result, tools, path, truth)
    if path.with_name(path.stem + '.csvexport-unwrap.sha256').exists():
        check_sum(result, tools, path)
    if path.stem.startswith('small-'):          # neither unfinished zones nor such without a length
        check_quoting(result, tools, path)
        check_filter(result, tools, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('directories', nargs='+', type=pathlib.Path)
    options = parser.parse_args()
    tools = commands.Commands(options.bin)
    reports = report.Report()
    for directory in options.directories:
        table = directory / 'same-as.tsv'
        same = dict(line.split('\t') for line in table.read_text().splitlines()) if table.exists() else {}
        for path in sorted(directory.rglob('*.tracy')):
            if path.with_name(path.stem + '.csvexport.csv').name in same or \
                    list(path.parent.glob(path.stem + '.csvexport*')):
                reports.run(path.stem, check, tools, path, same)
    return reports.close()


if __name__ == '__main__':
    sys.exit(main())
