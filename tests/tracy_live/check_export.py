"""`trace-export -f tracy`: the zones, frames, plots and messages of its file, read by the parser of tests/decoders, against the
tables of the capture that it was made of."""

import argparse
import collections
import csv
import io
import os
import subprocess
import sys
import tempfile

import check_made
import compare_files


def table(args, path, name, *options):
    done = subprocess.run([os.path.join(args.bin, 'trace-stats'), path, '--table', name, '--format', 'csv', '--unit', 'ns', *options],
                          capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(done.stdout))) if done.returncode in (0, 4) else []


def zones_by_name(trace):
    """name -> [ended zones, their time]."""
    strings = [data.decode('utf-8', 'replace') for _, data in trace['strings']]
    out = collections.defaultdict(lambda: [0, 0])
    for thread in trace['threads']:
        work = list(thread['zones'])
        while work:
            location, start, extra, children, end = work.pop()
            work += children
            name = strings[trace['dynamics'][-location - 1][0]]
            own = int.from_bytes(trace['extras'][extra][6:9], 'little')
            if end >= 0:
                out[strings[own - 1] if own else name][0] += 1
                out[strings[own - 1] if own else name][1] += end - start
    return {name: tuple(sums) for name, sums in out.items()}


def check_capture(args, faults, path, out):
    name = os.path.basename(path)
    done = subprocess.run([os.path.join(args.bin, 'trace-export'), path, '-f', 'tracy', '-o', out, '--force'], capture_output=True)
    faults.equal(name + ': exit status', done.returncode in (0, 4), True)
    trace = compare_files.load(out)
    wanted = collections.defaultdict(lambda: [0, 0])
    for row in table(args, path, 'timers'):
        wanted[row['timer']][0] += int(row['count'])
        wanted[row['timer']][1] += round(float(row['total']))
    got = zones_by_name(trace)
    for timer, sums in wanted.items():
        ours = got.get(timer, (0, 0))
        faults.equal('%s: zones of %s' % (name, timer), ours[0], sums[0])
        faults.equal('%s: time of %s' % (name, timer), abs(ours[1] - sums[1]) <= sums[0], True)
    faults.equal(name + ': messages', len(trace['messages']) >= len(table(args, path, 'logs')), True)
    kinds = collections.Counter(row['type'] for row in table(args, path, 'frames'))
    text = dict(trace['strings'])
    sets = [text[dict(trace['pointers'])[s['name']]].decode() for s in trace['frame_sets'] if s['name']]
    counts = [len(s['frames']) for s in trace['frame_sets'] if s['name']]
    for kind, count in kinds.items():
        faults.equal('%s: frames of %s' % (name, kind),
                     count in [counts[i] for i, known in enumerate(sets) if known == kind]
                     or len(trace['frame_sets'][0]['frames']) in (count + 2, count + 3), True)
    faults.equal(name + ': counts', sum(count for _, count in trace['zone_counts']), trace['zones'])
    pointers = dict(trace['pointers'])
    text = dict(trace['strings'])
    plots = {text[pointers[plot['name']]].decode(): len(plot['points']) for plot in trace['plots']}
    for row in table(args, path, 'counters'):
        if row['counter'] in plots:
            faults.equal('%s: points of %s' % (name, row['counter']), plots[row['counter']], int(row['count']))
    return len(wanted)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('captures', nargs='+')
    args = parser.parse_args()
    faults, timers = check_made.Faults(), 0
    with tempfile.TemporaryDirectory() as folder:
        for path in args.captures:
            timers += check_capture(args, faults, path, os.path.join(folder, 'out.tracy'))
    print('%d checks, %d timers, %d faults' % (faults.checks, timers, faults.count))
    return 1 if faults.count or not timers else 0


if __name__ == '__main__':
    sys.exit(main())
