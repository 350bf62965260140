#!/usr/bin/env python3
"""Two declarations that are lost cost the events of their types and no others, and zeros behind a capture one fault.

usage: check_undeclared.py --bin DIRECTORY FIXTURES

Events of protocols 1 to 4 state their sizes. From captures of three of these, each two of the declarations are taken away; the
truth files of the captures say how many events there are of the other types. The numbers of protocol 1 have 16 bits,
which leaves a few bytes that look like other events as well: they may be there beside the events that are.

A file that a recorder made large beforehand ends in zeros. In a capture without packets they would be declarations.
"""

import argparse
import itertools
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE))
import commands     # noqa: E402
import report       # noqa: E402
import walk         # noqa: E402

ZEROS = 64 << 20
DECLARED_BEFORE = b'CpuProfilerEventSpec'   # the types behind it have many events, in all packets


def counts_of(runner, capture):
    done = runner.must('trace-events', capture, '--count', '--format', 'csv', '--columns', 'event,count', allowed=(0, 4))
    return {event: int(count) for event, count in (line.split(',') for line in done.out.decode().splitlines()[1:])}


def truth_of(path):
    return json.loads(path.with_suffix('').with_suffix('.truth.json').read_text())['event_counts']


def declarations(data):
    """Place and size of the packets that declare a type each, and its name, behind that of EventSpec."""
    behind = False
    for at, size, thread in walk.old_packets(data):
        payload = data[at + 4:at + size]
        if behind and thread == 0 and payload[:2] == b'\0\0':
            yield at, size, payload
        behind |= DECLARED_BEFORE in payload


def check_lost(result, runner, path, work):
    data, truth = path.read_bytes(), truth_of(path)
    names = {name.replace('.', '').encode(): name for name in truth}
    lost = [(at, size, next(name for text, name in names.items() if text in payload))
            for at, size, payload in declarations(data) if any(text in payload for text in names)]
    result.equal('declarations', len(lost) >= 5, True)
    capture = work / 'lost.utrace'
    for (at, size, name), (then, more, other) in itertools.combinations(lost, 2):
        capture.write_bytes(data[:at] + data[at + size:then] + data[then + more:])
        got = counts_of(runner, capture)
        wanted = {event: count for event, count in truth.items() if event not in (name, other)}
        result.equal('without %s and %s: lost' % (name, other),
                     {event: count - got.get(event, 0) for event, count in wanted.items() if got.get(event, 0) < count}, {})
        result.equal('without %s and %s: at most two too many' % (name, other),
                     sum(got.values()) - sum(wanted.values()) <= 2, True)


def check_zeros(result, runner, path, work):
    capture = work / 'zeros.utrace'
    capture.write_bytes(path.read_bytes())
    with capture.open('r+b') as file:
        file.truncate(path.stat().st_size + ZEROS)
    truth = truth_of(path)
    got = counts_of(runner, capture)
    result.equal('events', {event: got.get(event, 0) for event in truth}, truth)
    done = runner.must('trace-stats', capture, '--table', 'health', '--format', 'csv', '--columns', 'damage,count', allowed=(4,))
    result.equal('faults', done.out.decode().split()[1:], ['true,1'])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    runner, run = commands.Commands(options.bin), report.Report()
    with tempfile.TemporaryDirectory() as work:
        for protocol in (1, 2, 3):
            path = options.fixtures / ('old-p%d-tid.utrace' % protocol)
            run.run(path.name, check_lost, runner, path, pathlib.Path(work))
        path = options.fixtures / 'old-p0-raw.utrace'
        run.run('zeros behind ' + path.name, check_zeros, runner, path, pathlib.Path(work))
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
