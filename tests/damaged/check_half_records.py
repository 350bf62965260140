#!/usr/bin/env python3
"""Half a record in front of lost bytes costs no more than the packet that it stands in.

usage: check_half_records.py --bin DIRECTORY FIXTURES

In captures of protocols 2 to 4, where threads hold the declarations, each of the first packets is replaced by its first half
and 33 bytes that belong to nothing. No fewer events of each type must be found than with these bytes alone.
"""

import argparse
import pathlib
import struct
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE))
import commands     # noqa: E402
import report       # noqa: E402
import walk         # noqa: E402

RUBBISH = b'\xff' * 33
FIRST, LAST = 2, 16     # behind that some places look like packets from both sides of what is lost
PACKED = 0x8000


def check(result, runner, path, work):
    data = path.read_bytes()

    def counts(between):
        capture = work / 'lost.utrace'
        capture.write_bytes(data[:at] + between + data[at + size:])
        done = runner.must('trace-events', capture, '--count', '--format', 'csv', '--columns', 'event,count', allowed=(4,))
        return {event: int(count) for event, count in (line.split(',') for line in done.out.decode().splitlines()[1:])}

    for at, size, thread in list(walk.old_packets(data))[FIRST:LAST]:
        if thread & PACKED:
            continue
        half = data[at + 4:at + 4 + (size - 4) // 2]
        got, wanted = counts(struct.pack('<HH', len(half) + 4, thread) + half + RUBBISH), counts(RUBBISH)
        result.equal('half of the packet at %d: fewer events' % at,
                     {event: got.get(event, 0) for event in wanted if got.get(event, 0) < wanted[event]}, {})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    runner, run = commands.Commands(options.bin), report.Report()
    with tempfile.TemporaryDirectory() as work:
        for protocol in (2, 3, 4):
            path = options.fixtures / ('old-p%d-tid.utrace' % protocol)
            run.run(path.name, check, runner, path, pathlib.Path(work))
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
