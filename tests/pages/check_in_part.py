#!/usr/bin/env python3
"""The first page of trace-info of captures that are too large to be read for it: only their ends are.

usage: check_in_part.py --bin DIRECTORY --generator BENCH-GEN-CPU FIXTURES

The limit `whole_bytes` makes small captures large ones. What a page says as a lower bound, or estimates, is compared
with what the programs that wrote the captures noted (NAME.truth.json), with all of the capture, and with captures that
were damaged on purpose: what was not read is never called whole.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import report  # noqa: E402

PART = ('--limit', 'whole_bytes=0')  # 64 KiB of each end
NOT_CHECKED = re.compile(r'not checked: --full reads all [\d.]+ .iB$')


class Tools:
    def __init__(self, options, work):
        self.bin, self.fixtures, self.generator, self.work = options.bin, options.fixtures, options.generator, work

    def run(self, path, *options):
        done = subprocess.run([str(self.bin / 'trace-info'), '--no-cache', *options, str(path)], capture_output=True,
                              text=True, check=False, env={**os.environ, 'LC_ALL': 'C.UTF-8', 'CI': ''})
        return done.returncode, done.stdout, done.stderr

    def page(self, path, *options):
        """(status, {name: line}, messages)"""
        status, text, said = self.run(path, *options)
        lines = text.split('\n\n')[0].rstrip('\n').split('\n')[1:]
        return status, dict(re.fullmatch(r'  (\S+) +(.*)', line).groups() for line in lines), said

    def file(self, name, content):
        path = self.work / name
        path.write_bytes(content)
        return path


def nanoseconds(line):
    value, unit = re.match(r'(?:>= )?([\d.]+) (ns|us|ms|s)', line).groups()
    return float(value) * {'ns': 1, 'us': 1e3, 'ms': 1e6, 's': 1e9}[unit]


def numbers(line):
    return [int(number) for number in re.findall(r'>= (\d+)', line)]


def check_bounds(result, tools, name, least_share):
    """At least `least_share` of the length is found, and nothing is more than was recorded."""
    path = tools.fixtures / (name + '.utrace')
    truth = json.loads((tools.fixtures / (name + '.truth.json')).read_text())
    status, page, said = tools.page(path, *PART)
    all_of = tools.page(path)[1]
    result.equal(name + ': status', (status, said), (0, ''))
    result.equal(name + ': read', page['read'].split(';')[0], 'the first and last 64 KiB')
    result.true(name + ': ' + page['state'], NOT_CHECKED.match(page['state']))
    displayed, length = nanoseconds(page['length']), nanoseconds(all_of['length'])
    result.true('%s: %s of %s' % (name, page['length'], all_of['length']),
                page['length'].startswith('>= ') and least_share * length <= displayed <= length)
    used = sum(1 for thread in truth['threads'] if thread.get('scopes'))
    threads = numbers(page['threads'])
    result.true('%s: %s of %d threads' % (name, page['threads'], used),
                len(threads) in (1, 2) and 1 <= threads[0] <= len(truth['threads']) + 2 and
                (len(threads) == 1 or 1 <= threads[1] <= used))
    for kind, count in re.findall(r'>= (\d+) (game|rendering)', page.get('frames', '')):
        result.true(name + ': frames', int(kind) <= sum(1 for what, *_ in truth['frames'] if what == (count == 'rendering')))
    for line in ('program', 'build', 'date', 'file', 'off'):
        result.equal('%s: %s' % (name, line), page.get(line), all_of.get(line))
    result.equal(name + ': --full', tools.run(path, '--full', *PART), tools.run(path, '--full'))
    result.equal(name + ': tables', tools.run(path, '-f', 'json', *PART), tools.run(path, '-f', 'json'))
    result.equal(name + ': --strict', tools.page(path, '--strict', *PART)[1], all_of)
    result.equal(name + ': small enough', tools.page(path, '--limit', 'whole_bytes=%d' % path.stat().st_size)[1], all_of)


FRAMES = 600


def renumbered(whole, far):
    """The threads of the second half have other numbers, far beyond those before."""
    half, out = len(whole) // 2, bytearray(whole)
    for at, _, thread, _ in packets(whole):
        if at > half and 1 < thread < 0x3000:
            out[at + 2:at + 4] = ((int.from_bytes(out[at + 2:at + 4], 'little') & 0xc000) | (thread + far)).to_bytes(2, 'little')
    return bytes(out)


def check_frames(result, tools):
    """The end of a capture is found, also of threads that the beginning does not have; frames in between are estimated."""
    path = tools.work / 'frames.utrace'
    subprocess.run([tools.generator, path, str(10 << 20), '--frames', str(FRAMES), '--families', '1'], check=True,
                   capture_output=True)
    length = nanoseconds(tools.page(path)[1]['length'])
    for name, content in (('same threads', path.read_bytes()), ('other threads', renumbered(path.read_bytes(), 4000))):
        page = tools.page(tools.file('ends.utrace', content), *PART)[1]
        result.true('%s: %s' % (name, page['length']), page['length'].startswith('>= ') and
                    0.99 * length <= nanoseconds(page['length']) <= length)
        estimate = re.fullmatch(r'about (\d+) game', page['frames'])
        result.true('%s: %s' % (name, page['frames']), estimate and abs(int(estimate[1]) - FRAMES) <= 0.1 * FRAMES)
        result.true(name + ': ' + page['read'], page['read'].endswith("'about' is estimated"))
    page = tools.page(tools.file('cut.utrace', path.read_bytes()[:-1000]), *PART)[1]
    result.true('cut: ' + page['length'], 0.9 * length <= nanoseconds(page['length']) <= length)


def check_cut(result, tools):
    whole = (tools.fixtures / 'threads.utrace').read_bytes()
    status, page, said = tools.page(tools.file('cut.utrace', whole[:-10]), *PART)
    result.true('cut: ' + page['state'], page['state'].startswith('cut off at its end; the rest is not checked'))
    result.true('cut: what is said', status == 0 and 'cut off at its end' in said and 'was used' not in said)
    result.equal('cut: the place', 'offset' in said, True)


def packets(whole):
    """(offset, size, thread, packed) of a capture of transport 3 or 4."""
    at = 6 + int.from_bytes(whole[4:6], 'little') + 2
    while at + 4 <= len(whole):
        size, word = int.from_bytes(whole[at:at + 2], 'little'), int.from_bytes(whole[at + 2:at + 4], 'little')
        yield at, size, word & 0x3fff, bool(word & 0x8000)
        at += size


def damaged(whole, first, last):
    """With one packed packet of a thread, that begins in [first, last), of bytes that do not unpack."""
    at, size = next((at, size) for at, size, thread, packed in packets(whole)
                    if first <= at < last and packed and 1 < thread < 0x3ffe and size > 100)
    return whole[:at + 6] + b'\xff' * (size - 6) + whole[at + size:]


def check_damage(result, tools):
    whole = (tools.fixtures / 'threads.utrace').read_bytes()
    begin = tools.file('begin.utrace', damaged(whole, 30000, 60000))
    middle = tools.file('middle.utrace', damaged(whole, len(whole) // 2, len(whole)))
    status, page, said = tools.page(begin, *PART)
    result.true('begin: ' + page['state'], re.match(r'damaged \(\d+ faults?\); the rest is not checked', page['state']))
    result.true('begin: status', status == 4 and 'the capture is damaged' in said)
    status, page, said = tools.page(middle, *PART)
    result.equal('middle: status', (status, said), (0, ''))
    result.true('middle: ' + page['state'], NOT_CHECKED.match(page['state']))
    result.equal('middle: all of it', tools.page(middle)[0], 4)
    status, page, _ = tools.page(middle, '--strict-loss', *PART)
    result.equal('middle: what loss must be seen in is read whole', (status, 'read' in page), (4, False))


def check_index(result, tools):
    """What is kept of a capture is used in place of its ends; what is to be kept is read."""
    path, index = tools.fixtures / 'threads.utrace', tools.work / 'threads.index'
    pages = [tools.page(path, '--index', str(index), *PART)[1] for _ in range(2)]
    result.equal('index', pages, [tools.page(path)[1]] * 2)


def check_tracy(result, tools):
    path = tools.fixtures / 'tracy' / 'crash-0.11.1.tracy'
    status, page, _ = tools.page(path, *PART)
    all_of = tools.page(path)[1]
    result.equal('tracy: status', status, 0)
    result.true('tracy: ' + page['state'], 'the rest is not checked' in page['state'] and 'crashed' in page['state'])
    result.true('tracy: ' + page['length'], 0 < nanoseconds(page['length']) <= nanoseconds(all_of['length']))
    result.equal('tracy: nothing is counted', [name for name in ('frames', 'threads', 'recorded') if name in page], [])
    result.equal('tracy: program', page['program'], all_of['program'])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--bin', type=pathlib.Path, required=True)
    parser.add_argument('--generator', type=pathlib.Path, required=True)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    run = report.Report()
    with tempfile.TemporaryDirectory() as work:
        tools = Tools(options, pathlib.Path(work))
        for name in ('threads', 'net'):
            run.run('bounds of ' + name, check_bounds, tools, name, 0.9)
        for check in (check_frames, check_cut, check_damage, check_index, check_tracy):
            run.run(check.__doc__ or check.__name__, check, tools)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
