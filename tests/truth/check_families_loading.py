#!/usr/bin/env python3
"""Compares the tables of files, packages, screenshots and network traffic with what truth files say of them.

usage: check_families_loading.py --bin DIRECTORY PATH...

PATH is a truth file (NAME.truth.json, its capture NAME.utrace or NAME.utrace.zst beside it) or a directory, searched
for them; what says nothing of these families is passed over. Prints one line a capture, and `N passed, M failed`; the exit status is 1 when M is not 0.
"""

import collections
import csv
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE))
import check_truth  # noqa: E402

FNV_BASIS, FNV_PRIME = 1469598103934665603, 1099511628211       # as the truth files have it; not the usual basis
STANDARD_BASIS = 14695981039346656037
MASK = (1 << 64) - 1


def fnv1a(data, basis):
    value = basis
    for byte in data:
        value = (value ^ byte) * FNV_PRIME & MASK
    return value


def numbers(row, keys):
    return {key: int(row[key]) for key in keys}


def check_files(result, runner, path, truth):
    keys = ('opens', 'closes', 'reads', 'bytes_read', 'read_time')
    rows = runner.table(path, 'files', ('path', *keys, 'writes', 'failed', 'min', 'max', 'mean', 'first', 'last'))
    result.equal('files', {row['path']: numbers(row, keys) for row in rows},
                 {entry['path']: {key: entry[key] for key in keys} for entry in truth['files']})
    result.equal('numbers of files', len(rows), len(truth['files']))
    activity = runner.table(path, 'file_activity', ('start', 'end', 'dur', 'op', 'path', 'requested_bytes', 'bytes'))
    sums = collections.defaultdict(lambda: [0, 0, 0, []])
    for row in activity:
        entry = sums[row['path']]
        result.equal('dur', int(row['dur']), int(row['end']) - int(row['start']))
        if row['op'] == 'read':
            entry[0] += 1
            entry[1] += int(row['bytes'])
            entry[2] += int(row['dur'])
            entry[3].append(int(row['dur']))
    for entry in truth['files']:
        result.equal('reads of ' + entry['path'], sums[entry['path']][:3],
                     [entry[key] for key in ('reads', 'bytes_read', 'read_time')])
    for row in rows:                                        # the lengths are checked to sum up just above
        lengths = sums[row['path']][3]
        result.equal('shortest and longest of ' + row['path'], [row['min'], row['max']],
                     [str(min(lengths)), str(max(lengths))] if lengths else ['', ''])


# Names of columns in the truth files, where the producer has others.
TRUTH = {'header_bytes': 'header_size', 'screenshot_id': 'id', 'bytes': 'size'}


def check_packages(result, runner, path, truth):
    keys = ('header_bytes', 'imports', 'exports', 'priority', 'created', 'serialized_bytes', 'serialize_time', 'postloads')
    rows = runner.table(path, 'packages', ('name', *keys, 'request_id', 'group'))
    result.equal('packages', [{'name': row['name'], **numbers(row, keys)} for row in rows],
                 [{'name': entry['name'], **{key: entry[TRUTH.get(key, key)] for key in keys}} for entry in truth['packages']])
    classes = runner.table(path, 'package_classes', ('class', 'created', 'postloads', 'serialized_bytes',
                                                     'serialize_time'))
    for key in ('created', 'postloads', 'serialized_bytes', 'serialize_time'):
        result.equal('%s of all classes' % key, sum(int(row[key]) for row in classes),
                     sum(entry[key] for entry in truth['packages']))
    result.equal('classes', len(classes), truth['event_counts'].get('LoadTime.ClassInfo'))
    counts = truth['event_counts']
    requests = runner.table(path, 'load_requests', ('request_id', 'start', 'end', 'packages', 'group'))
    result.equal('requests', len(requests), counts['LoadTime.BeginRequest'])
    result.equal('requests that ended', sum(bool(row['end']) for row in requests), counts['LoadTime.EndRequest'])
    result.equal('packages of requests', sum(int(row['packages']) for row in requests), len(truth['packages']))
    of_requests = {row['request_id']: row['group'] for row in requests}
    result.equal('groups of packages', [row['group'] for row in rows], [of_requests.get(row['request_id'], '') for row in rows])
    groups = runner.table(path, 'load_groups', ('group', 'requests'))
    result.equal('groups', len(groups), counts['LoadTime.BeginRequestGroup'])
    result.equal('requests in groups', sum(int(row['requests']) for row in groups),
                 sum(bool(row['group']) for row in requests))


def check_screenshots(result, runner, path, truth):
    keys = ('screenshot_id', 'width', 'height', 'bytes', 'chunks')
    rows = runner.table(path, 'screenshots', (*keys, 'time', 'name', 'complete', 'hash', 'data'))
    result.equal('screenshots', [{**numbers(row, keys), 'cycle': int(row['time']), 'name': row['name']} for row in rows],
                 [{key: entry[TRUTH.get(key, key)] for key in (*keys, 'cycle', 'name')} for entry in truth['screenshots']])
    for row, entry in zip(rows, truth['screenshots']):
        data = bytes.fromhex(row['data'])
        result.equal('complete', row['complete'], 'true')
        result.equal('bytes of ' + entry['name'], '%016x' % fnv1a(data, FNV_BASIS), entry['fnv1a64'])
        result.equal('hash of ' + entry['name'], int(row['hash'], 16), fnv1a(data, STANDARD_BASIS))


def check_pictures(result, runner, path, truth):
    """The files that an export writes are the pictures that the producer took."""
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work) / 'pictures'
        runner.must('trace-export', path, '--format', 'pictures', '-o', folder)
        names = ['%04d-%s.png' % (index + 1, re.sub('[^A-Za-z0-9.-]', '_', entry['name'].removesuffix('.png')))
                 for index, entry in enumerate(truth['screenshots'])]
        result.equal('pictures', sorted(file.name for file in folder.iterdir()), names)
        for name, entry in zip(names, truth['screenshots']):
            data = (folder / name).read_bytes()
            result.equal('picture ' + name, [len(data), '%016x' % fnv1a(data, FNV_BASIS)], [entry['size'], entry['fnv1a64']])
        again = runner.run('trace-export', path, '--format', 'pictures', '-o', folder)
        result.true('a folder that is not empty is left alone', again.status != 0)


def way(row):
    return int(row['instance_id']), int(row['connection_id']), row['direction']


WAY = ('instance_id', 'connection_id', 'direction')


def check_net(result, runner, path, truth):
    net = truth['net']
    wanted = {(entry['instance'], entry['connection'], entry['direction']): entry for entry in net['connections']}
    rows = runner.table(path, 'net', (*WAY, 'packets', 'bits', 'dropped', 'missing', 'bunches', 'bunch_bits', 'content'))
    result.equal('connections', sorted(map(way, rows)), sorted(wanted))
    for row in rows:
        entry = wanted[way(row)]
        result.equal('traffic of %s' % (way(row),),
                     numbers(row, ('packets', 'bits', 'dropped', 'bunches', 'bunch_bits', 'content')),
                     {**{key: entry[key] for key in ('packets', 'bits', 'dropped', 'bunches', 'bunch_bits')},
                      'content': entry['content_events']})
    packets = runner.table(path, 'net_packets', (*WAY, 'bits', 'state'))
    for key, entry in wanted.items():
        mine = [row for row in packets if way(row) == key]
        result.equal('packets of %s' % (key,), [len(mine), sum(int(row['bits']) for row in mine),
                                                sum(row['state'] == 'dropped' for row in mine)],
                     [entry['packets'], entry['bits'], entry['dropped']])
    check_content(result, runner, path, net, wanted)
    check_objects(result, runner, path, net)


def check_content(result, runner, path, net, wanted):
    names = {(entry['instance'], str(entry['id'])): entry['name'] for entry in net['objects']}
    found = {key: {'name': collections.Counter(), 'object': collections.Counter()} for key in wanted}
    bits = {key: {'name': collections.Counter(), 'object': collections.Counter()} for key in wanted}
    for row in runner.table(path, 'net_content', (*WAY, 'kind', 'name', 'count', 'bits')):
        found[way(row)][row['kind']][row['name']] += int(row['count'])
        bits[way(row)][row['kind']][row['name']] += int(row['bits'])
    for key, entry in wanted.items():
        both = {kind: {name: [count, bits[key][kind][name]] for name, count in found[key][kind].items()}
                for kind in ('name', 'object')}
        result.equal('names of %s' % (key,), both['name'], entry['by_name'])
        objects = collections.defaultdict(lambda: [0, 0])          # objects of one name are one node
        for number, (count, size) in entry['by_object'].items():
            objects[names[key[0], number]][0] += count
            objects[names[key[0], number]][1] += size
        result.equal('objects of %s' % (key,), both['object'], dict(objects))


def check_objects(result, runner, path, net):
    rows = runner.table(path, 'net_objects', ('instance_id', 'object_id', 'name', 'count', 'bits', 'polls', 'poll_time',
                                              'wasted_polls'))
    result.equal('objects', [[int(row['instance_id']), int(row['object_id']), row['name']] for row in rows],
                 [[entry['instance'], entry['id'], entry['name']] for entry in net['objects']])
    result.equal('polls', [sum(int(row[key]) for row in rows) for key in ('polls', 'poll_time', 'wasted_polls')],
                 [net['polled'], net['polled_cycles'], net['polled_waste']])
    sums = collections.defaultdict(lambda: [0, 0])
    for entry in net['connections']:
        for number, (count, bits) in entry['by_object'].items():
            sums[entry['instance'], int(number)][0] += count
            sums[entry['instance'], int(number)][1] += bits
    result.equal('traffic of objects',
                 {(int(row['instance_id']), int(row['object_id'])): [int(row['count']), int(row['bits'])]
                  for row in rows if int(row['count'])}, dict(sums))
    values = runner.table(path, 'net_values', ('basis', 'sum'))
    result.equal('frame statistics', sum(int(row['sum']) for row in values if row['basis'] == 'frame'),
                 net['frame_stats_sum'])


def check_coverage(result, runner, path, truth):
    """Every event is in the table, and what the truth speaks of is understood."""
    rows = runner.table(path, 'coverage', ('event', 'family', 'count'))
    result.equal('events', {row['event']: int(row['count']) for row in rows}, truth['event_counts'])
    understood = ('PlatformFile.', 'LoadTime.', 'NetTrace.', 'Misc.', 'CpuProfiler.', 'Cpu.', '$Trace.')
    for row in rows:
        if row['event'].startswith(understood):
            result.true('%s is not understood' % row['event'], row['family'] != 'generic')
        elif row['event'].startswith('Tiny.') and not row['event'].startswith('Tiny.Def'):
            result.equal('family of ' + row['event'], row['family'], 'generic')
    summary = {row['kind']: int(row['count'])
               for row in runner.table(path, 'coverage_summary', ('kind', 'count'))}
    generic = sum(int(row['count']) for row in rows if row['family'] == 'generic')
    result.equal('in all', summary, {'understood': sum(truth['event_counts'].values()) - generic, 'generic': generic,
                                     'unreadable': 0})


def check_both_screenshots(*arguments):
    check_screenshots(*arguments)
    check_pictures(*arguments)


CHECKS = {'files': check_files, 'packages': check_packages, 'screenshots': check_both_screenshots, 'net': check_net,
          'event_counts': check_coverage}


def check(result, runner, path, truth):
    for key, one in CHECKS.items():
        if truth.get(key):
            result.attempt(one, runner, path, truth)


def main():
    csv.field_size_limit(1 << 24)                           # pictures are in hexadecimal digits
    return check_truth.check_captured(__doc__.splitlines()[0], lambda truth: any(truth.get(key) for key in CHECKS), check)


if __name__ == '__main__':
    sys.exit(main())
