#!/usr/bin/env python3
"""Sections of baseline files, read here byte by byte: the greatest frames of timers, and sections that nobody knows.

usage: check_sections.py --bin DIRECTORY --rewrite PROGRAM ROOT

The greatest frames are those in which stalls were planted, and what the file states of them is counted again here from the
scopes. A baseline with a section of a later version is refused by each command that would write it without.
"""

import argparse
import csv
import io
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_gate   # noqa: E402

check, FREQUENCY, START = check_gate.check, check_gate.FREQUENCY, check_gate.START
MASK = (1 << 64) - 1


# ---- the file ----


def mix(v):
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9 & MASK
    v = (v ^ v >> 27) * 0x94d049bb133111eb & MASK
    return v ^ v >> 31


def checksum(data, seed):
    h = seed ^ len(data) * 0x9e3779b97f4a7c15 & MASK
    for at in range(0, len(data), 8):
        h = mix(h ^ int.from_bytes(data[at:at + 8], 'little'))
    return mix(h)


def section(tag, payload):
    return tag + struct.pack('<QQ', len(payload), checksum(payload, int.from_bytes(tag, 'little'))) + payload


def sections(data):
    at = 12
    while at < len(data):
        tag, (n, written) = data[at:at + 4], struct.unpack_from('<QQ', data, at + 4)
        payload = data[at + 20:at + 20 + n]
        check('checksum of %s' % tag, written == checksum(payload, int.from_bytes(tag, 'little')))
        yield tag.decode(), payload
        at += 20 + n


class Numbers:
    def __init__(self, data):
        self.data, self.at = data, 0

    def next(self):
        v = shift = 0
        while True:
            b = self.data[self.at]
            self.at += 1
            v |= (b & 127) << shift
            shift += 7
            if b < 128:
                return v

    def take(self, n):
        self.at += n
        return self.data[self.at - n:self.at]


def greatest_of(data):
    """{name of the timer: (limit, {frame: cycles beyond it})} of the only run; VALU has the names in the order of the series."""
    parts = dict(sections(data))
    names = Numbers(parts['NAME'])
    texts = []
    for _ in range(names.next()):
        names.take(1)
        texts.append(names.take(names.next()).decode())
    values, series = Numbers(parts['VALU']), []
    for _ in range(values.next()):
        kind = values.take(1)[0]
        name, _, _ = texts[values.next()], values.next(), values.next()
        series.append(name)
        if kind in (0, 1, 5):
            values.next()
        else:
            values.take(8)
    found, here = Numbers(parts.get('GRFR', b'\0')), {}
    for _ in range(found.next()):
        name, limit, frame, frames = series[found.next()], found.next(), 0, {}
        for _ in range(found.next()):
            frame += found.next()
            frames[frame] = found.next()
        here[name] = limit, frames
    return here


# ---- the greatest frames ----


def own_by_frame(gate, capture, n):
    """{timer: own ns of each frame}: scopes less those inside, where they end."""
    def table(name):
        return list(csv.DictReader(io.StringIO(gate.run('stats', '-q', capture, '-t', name, '-f', 'csv', '--exact')[1])))
    ends = [int(f['end']) for f in table('frames')]
    scopes = [s for s in table('scopes') if s['dur']]
    own = {(s['thread_id'], s['scope_id']): int(s['dur']) for s in scopes}
    for s in scopes:
        if (s['thread_id'], s['parent_id']) in own:
            own[s['thread_id'], s['parent_id']] -= int(s['dur'])
    frames = {}
    for s in scopes:
        at = next(i for i, end in enumerate(ends) if int(s['start']) + int(s['dur']) <= end)
        frames.setdefault(s['timer'], [0] * n)[at] += own[s['thread_id'], s['scope_id']]
    return frames


def limit_of(v):
    """As docs/comparing-runs.md has it; then no more than a twentieth of the frames, and eight at least."""
    rank = sorted(v)
    n, most = len(v), max(8, len(v) // 20)
    q1, q3 = rank[n // 4], rank[n - 1 - n // 4]
    return max(q3 + max(3 * (q3 - q1), q3 / 2), rank[n - 1 - most])


def stalled(seed, stalls, frames=200):
    """Lines of a run whose timers stall in some frames: {timer: {frame: ms}}; Workers is on two threads."""
    timers = {'Physics': 2.0, 'Draw': 1.5}
    rng = check_gate.random.Random(seed)
    yield 'session 3 Game Linux -run'
    for i, name in enumerate([*timers, 'Workers', 'Rare']):
        yield 'timer %d %s' % (i + 1, name)
    yield 'timer 900 Frame'
    yield from ('thread 2 GameThread', 'thread 3 Worker 1', 'thread 4 Worker 2')
    at = START
    for frame in range(frames):
        begin = at
        yield 'F 2 %d' % at
        yield 'b 2 %d 900' % (at + 1)
        at += 2
        for i, (name, ms) in enumerate(timers.items()):
            yield 'b 2 %d %d' % (at, i + 1)
            at += int((ms * rng.gauss(1, 0.02) + stalls.get(name, {}).get(frame, 0)) * FREQUENCY / 1e3)
            yield 'e 2 %d' % at
        if frame % 40 == 0:
            yield 'b 2 %d 4' % at
            at += FREQUENCY // 500
            yield 'e 2 %d' % at
        yield 'e 2 %d' % at
        for tid in 3, 4:
            ms = rng.uniform(0.4, 0.5) + (stalls.get('Workers', {}).get(frame, 0) if tid == 3 else 0)
            yield 'b %d %d 3' % (tid, begin + 10)
            yield 'e %d %d' % (tid, min(begin + 10 + int(ms * FREQUENCY / 1e3), at))
        yield 'f 2 %d' % (at + 1)
        at += 2


def write(gate, path, lines):
    subprocess.run([gate.rewrite, str(path), str(FREQUENCY)], input='\n'.join(lines).encode() + b'\n', check=True)
    return path


STALLS = {'Physics': {17: 30, 120: 5}, 'Workers': {33: 1.5, 34: 1.5}}


def greatest(gate, folder):
    n = 200
    capture = write(gate, folder / 'stalled.utrace', stalled('a', STALLS, n))
    base = folder / 'stalled.tkb'
    gate.run('stats', '-q', '--save', base, capture)
    found, own = greatest_of(base.read_bytes()), own_by_frame(gate, capture, n)
    check('timers with greatest frames', set(found) == {'Physics', 'Draw', 'Workers', 'Rare'}, found)
    for name, (limit, frames) in found.items():
        v = own[name]
        wanted = limit_of(v) * FREQUENCY / 1e9 if sum(1 for x in v if x) > n // 4 else 0
        check('limit of %s' % name, abs(limit - wanted) <= 1, (limit, wanted))
        beyond = {i: x * FREQUENCY / 1e9 - limit for i, x in enumerate(v) if limit and x * FREQUENCY / 1e9 > limit}
        check('frames of %s' % name, set(frames) == set(beyond) and all(abs(frames[i] - beyond[i]) <= 1 for i in beyond), (frames, beyond))
        check('stalls of %s' % name, set(frames) == set(STALLS.get(name, {})), frames)
    again = folder / 'again.tkb'
    gate.run('baseline', '-q', 'merge', again, base)
    check('greatest frames are written again', greatest_of(again.read_bytes()) == found)


def by_frames(gate, folder):
    """Where only stalls differ no timer is slower, and the report states how many frames it were."""
    base = [write(gate, folder / ('b%d.utrace' % i), stalled('b%d' % i, {})) for i in range(4)]
    slow = [write(gate, folder / ('s%d.utrace' % i), stalled('s%d' % i, {'Physics': {17: 90, 120: 40}})) for i in range(4)]
    status, report = gate.diff(base, slow)
    found = {c['name']: c for c in report['changes'] if c['kind'] == 'timer'}
    check('only stalls: no alarm of the timer', found['Physics']['verdict'] == 'inconclusive', found['Physics'])
    text = gate.run('diff', '-q', *base, '--vs', *slow)[1]
    # 90 ms, and its own 2
    check('only stalls: said', 'only stalls differ: 8 frames of up to 92' in ' '.join(text.split()), text)


# ---- sections that nobody knows ----


def planted(data):
    """With a section of a later version, in each run."""
    out, first = bytearray(data[:12]), True
    for tag, payload in sections(data):
        if tag == 'SERI':
            out += section(b'ZZZZ', b'from a later version')
        out += section(tag.encode(), payload)
    return bytes(out)


def unknown(gate, root, folder):
    usual = check_gate.USUAL
    captures = usual.runs(gate, folder, 'run', 4, frames=60)
    base, other = folder / 'base.tkb', folder / 'other.tkb'
    for i in 0, 3:
        gate.run('stats', '-q', '--save', base, captures[i])
    gate.run('stats', '-q', '--save', other, captures[1])
    data = planted(base.read_bytes())
    base.write_bytes(data)
    place = folder / 'kept'
    place.mkdir()
    check('such a file is compared', gate.run('diff', '-q', base, captures[1])[0] in (0, 4))
    check('such a file is listed', gate.run('baseline', 'list', base)[0] == 0)
    new = folder / 'new.tkb'
    for words in (['baseline', '-q', 'add', base, captures[2]], ['baseline', '-q', 'drop', base, '1'], ['baseline', '-q', 'merge', base, other],
                  ['baseline', '-q', 'merge', other, base], ['baseline', '-q', 'merge', new, base], ['baseline', '-q', 'add', place, base],
                  ['stats', '-q', '--save', base, captures[2]]):
        before = other.read_bytes()
        status, out, err = gate.run(*words)
        what = ' '.join(os.path.basename(str(w)) for w in words)
        check('refused: %s' % what, status in (2, 3) and "'ZZZZ'" in err and 'write it with the version that added' in err, (status, out, err))
        check('stays: %s' % what, base.read_bytes() == data and other.read_bytes() == before and not new.exists() and not list(place.iterdir()))
    ci = subprocess.run(['sh', str(root / 'ci' / 'tracekit-ci'), '--baseline', str(place), '--reports', str(folder / 'reports'), '--first-night',
                         str(base)], capture_output=True, text=True, cwd=folder,
                        env={'PATH': gate.bin + os.pathsep + os.environ['PATH'], 'HOME': str(folder)})
    check('refused: tracekit-ci', ci.returncode in (2, 3) and 'ZZZZ' in ci.stdout + ci.stderr and not list(place.iterdir()), (ci.returncode, ci.stderr))
    for name in ('alone', 'later'):     # a file that the build replaces
        kept = folder / (name + '.tkb')
        kept.write_bytes(data)
        runs = [captures[1]] if name == 'alone' else captures[1:3]
        ci = subprocess.run(['sh', str(root / 'ci' / 'tracekit-ci'), '--baseline', str(kept), '--reports', str(folder / 'reports'), *map(str, runs)],
                            capture_output=True, text=True, cwd=folder, env={'PATH': gate.bin + os.pathsep + os.environ['PATH'], 'HOME': str(folder)})
        check('tracekit-ci with %s: whole or replaced' % name, kept.read_bytes() == data or b'ZZZZ' not in kept.read_bytes(), ci.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('--rewrite', required=True)
    parser.add_argument('root', type=lambda p: pathlib.Path(p).resolve())
    args = parser.parse_args()
    args.schemas, args.corpus = args.root / 'schemas', ''
    gate = check_gate.Gate(args)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        greatest(gate, folder)
        by_frames(gate, folder)
        unknown(gate, args.root, folder)
    for failure in check_gate.failures:
        print('failed:', failure)
    print('%d checks, %d failed' % (check_gate.checks, len(check_gate.failures)))
    return 1 if check_gate.failures else 0


if __name__ == '__main__':
    sys.exit(main())
