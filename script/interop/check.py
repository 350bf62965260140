#!/usr/bin/env python3
"""Loads exports of a capture into other tools and compares what they understood with trace-stats.

usage: check.py --bin DIRECTORY --drivers DIRECTORY --work DIRECTORY --sampled CAPTURE CAPTURE

--sampled: a capture with stack samples and names for them.
"""

import argparse
import collections
import csv
import io
import json
import pathlib
import re
import subprocess
import sys

ERRORS = "select name, severity, value from stats where value != 0 and severity in ('error', 'data_loss')"
SLICES = ('select s.ts, s.dur, s.name, t.tid from slice s join thread_track k on s.track_id = k.id '
          'join thread t using (utid) where t.tid < 1000000 order by 4, 1, 2 desc, 3')


SAMPLES = ('select t.name, f.name, count(*) from perf_sample s join thread t using (utid) '
           'join stack_profile_callsite c on s.callsite_id = c.id join stack_profile_frame f on c.frame_id = f.id group by 1, 2')


class Interop:
    def __init__(self, options):
        self.options = options
        self.failed = 0

    def equal(self, what, got, wanted):
        print('%-6s %s' % ('ok' if got == wanted else 'FAILED', what), flush=True)
        if got != wanted:
            self.failed += 1
            print('       %.200s\n       %.200s' % (got, wanted))

    def run(self, name, *arguments):
        return subprocess.run([self.options.bin / name, self.options.capture, '--quiet', *arguments], check=True,
                              capture_output=True).stdout

    def export(self, form, *arguments, end=''):
        path = self.options.work / ('interop.' + form + end)
        self.run('trace-export', '--format', form, '--force', '--output', path, *arguments)
        return path

    def node(self, driver, *arguments):
        out = subprocess.run(['node', self.options.drivers / driver, *arguments], check=True, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL).stdout
        return [json.loads(line) for line in out.decode().splitlines() if line[:1] in '[{']

    def stats(self, *arguments):
        out = self.run('trace-stats', '--table', 'timers', '--columns', 'timer,count,total,excl', '--format', 'csv',
                       *arguments)
        return list(csv.DictReader(io.StringIO(out.decode(), newline='')))

    def perfetto(self):
        seen = [self.node('perfetto.mjs', self.options.work / 'perfetto', self.export(form), ERRORS, SLICES)
                for form in ('chrome', 'perfetto')]
        for form, (errors, _) in zip(('chrome', 'perfetto'), seen):
            self.equal('Perfetto has no errors with ' + form, errors, [])
        self.equal('Perfetto sees the same %d slices in both' % len(seen[0][1]), seen[0][1] == seen[1][1], True)

    def speedscope(self):
        some = ('--thread', 'GameThread', '--from', '2s', '--to', '3s')   # it takes some 200,000 events
        wanted = {row['timer']: int(row['excl']) for row in self.stats(*some) if int(row['excl'])}
        files = [self.export(form, *some, '--clip', end='.trace.json') for form in ('speedscope', 'chrome')]
        own, chrome = self.node('speedscope.mjs', self.options.work / 'node_modules/speedscope', *files)
        self.equal('own time in speedscope', {name: self_ for name, (_, self_) in own['GameThread'].items() if self_}, wanted)
        threads = next(frames for name, frames in chrome.items() if 'GameThread' in name)
        self.equal('own time of chrome in speedscope',
                   {name: round(self_ * 1000) for name, (_, self_) in threads.items() if self_ > 0.0005}, wanted)

    def tables(self):
        count, total = (sum(int(row[column]) for row in self.stats()) for column in ('count', 'total'))
        path = self.export('csv', '--table', 'scopes')
        rows, = self.node('duckdb.mjs', self.options.work / 'node_modules',
                          "select count(*), sum(dur) from read_csv('%s')" % path)
        self.equal('DuckDB reads the csv', rows, [[str(count), str(total)]])
        path = self.export('sqlite')
        out = subprocess.run(['sqlite3', path, 'pragma integrity_check', 'select count(*), sum(dur) from thread_slice'],
                             check=True, capture_output=True, text=True).stdout
        self.equal('sqlite3 reads the database', out, 'ok\n%d|%d\n' % (count, total))

    def pprof(self):
        folded = self.export('folded').read_text().splitlines()
        _, _, time, *_ = self.node('pprof.mjs', self.options.work / 'node_modules', self.export('pprof'))[0]
        self.equal('time of pprof and folded', time, str(sum(int(line.rsplit(' ', 1)[1]) for line in folded)))


    def samples(self):
        """Own samples by thread and function, as trace-stats has them."""
        self.options.capture = self.options.sampled
        out = self.run('trace-stats', '--table', 'sample_functions', '--by', 'thread', '--columns', 'thread,function,excl',
                       '--format', 'csv')
        wanted = collections.Counter()
        for row in csv.DictReader(io.StringIO(out.decode(), newline='')):
            wanted[row['thread'], row['function']] += int(row['excl'])
        errors, rows = self.node('perfetto.mjs', self.options.work / 'perfetto', self.export('perfetto'), ERRORS, SAMPLES)
        self.equal('Perfetto has no errors with samples', errors, [])
        self.equal('own samples in Perfetto', {(thread, name): int(n) for thread, name, n in rows}, dict(+wanted))
        period = re.search(r'SamplingPeriod=(\d+)', self.run('trace-stats', '--table', 'session', '--format', 'csv').decode())
        weight = int(period.group(1)) if period else 1
        profiles, = self.node('speedscope.mjs', self.options.work / 'node_modules/speedscope',
                              self.export('speedscope', end='.json'))
        self.equal('own samples in speedscope',
                   {(name[:-len(' (samples)')], function): own // weight for name, frames in profiles.items()
                    if name.endswith(' (samples)') for function, (_, own) in frames.items() if own}, dict(+wanted))
        _, samples, *_ = self.node('pprof.mjs', self.options.work / 'node_modules',
                                   self.export('pprof', '--weight', 'samples'))[0]
        self.equal('samples in pprof', int(samples), sum(wanted.values()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('--drivers', required=True, type=pathlib.Path)
    parser.add_argument('--work', required=True, type=pathlib.Path)
    parser.add_argument('--sampled', required=True, type=pathlib.Path)
    parser.add_argument('capture', type=pathlib.Path)
    interop = Interop(parser.parse_args())
    interop.tables()
    interop.pprof()
    interop.speedscope()
    interop.perfetto()
    interop.samples()
    return 1 if interop.failed else 0


if __name__ == '__main__':
    sys.exit(main())
