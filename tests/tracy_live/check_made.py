"""Sessions of a made program, in all protocols, played to the product's recorder: what its file holds, bytes in pieces of any
size, little memory, connections that break anywhere, and bytes that a hostile program changes.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

import compare_files
import program

ROUNDS = 40


class Faults:
    def __init__(self):
        self.count = self.checks = 0

    def equal(self, what, got, wanted):
        self.checks += 1
        if got != wanted:
            self.count += 1
            print('%s:\n  got    %s\n  wanted %s' % (what, str(got)[:400], str(wanted)[:400]))


def play(args, protocol, data, out, *options):
    with open(out + '.bin', 'wb') as file:
        file.write(data)
    return subprocess.run([args.session, str(protocol), out + '.bin', out, *options], capture_output=True, timeout=120)


def read(path):
    with open(path, 'rb') as file:
        return file.read()


# ---- what a capture says, against what the program did ----

class Capture:
    def __init__(self, trace):
        self.t = trace
        keys = dict(trace['strings'])
        self.strings = [data for _, data in trace['strings']]
        self.pointers = {pointer: keys[key] for pointer, key in trace['pointers']}
        self.names = {tid: keys[key] for tid, key in trace['thread_names']}
        self.statics = {place[0]: place for place in trace['statics']}

    def place(self, number):
        """What a zone of this location is called."""
        place = self.statics[self.t['expand'][number]]
        name, function = place[1:3], place[3:5]
        return self.pointers[name[0]] if name[1] & 2 else self.pointers[function[0]]

    def text(self, extra):
        number = int.from_bytes(self.t['extras'][extra][3:6], 'little')
        return self.strings[number - 1] if number else None

    def zones(self, thread):
        out, work = [], [(zone, 0) for zone in reversed(thread['zones'])]
        while work:
            (location, start, extra, children, end), depth = work.pop()
            out.append((self.place(location), start, end, depth, self.text(extra)))
            work += [(child, depth + 1) for child in reversed(children)]
        return out

    def message(self, record):
        _, time, rest = record
        value, flags = int.from_bytes(rest[:8], 'little'), rest[8]
        text = self.strings[value] if flags & 1 else self.pointers[value]
        return (time, text, rest[17]) if len(rest) > 16 else (time, text)


def check_truth(faults, protocol, trace, truth):
    c, name = Capture(trace), 'protocol %d: ' % protocol
    faults.equal(name + 'last time', trace['last_time'], truth['last'] - 10)     # the end of a lock does not count
    for thread in trace['threads']:
        faults.equal(name + 'zones', c.zones(thread), truth['zones'][thread['tid']])
        faults.equal(name + 'zone count', thread['count'], len(truth['zones'][thread['tid']]))
        faults.equal(name + 'thread name', c.names[thread['tid']], b'thread %d' % thread['tid'])
    faults.equal(name + 'frames', [frame[0] for frame in trace['frame_sets'][0]['frames']], [0, 1000] + truth['frames'])
    faults.equal(name + 'frame sets', [c.pointers[s['name']] for s in trace['frame_sets']], [b'Frame', b'physics'])
    faults.equal(name + 'physics', all(f[1] - f[0] == 100 for f in trace['frame_sets'][1]['frames']), True)
    faults.equal(name + 'plots', {c.pointers[p['name']]: p['points'] for p in trace['plots']}, truth['plots'])
    wanted = [m if trace['version'] >= (0, 13, 2) else m[:2] for m in truth['messages']]
    faults.equal(name + 'messages', [c.message(m) for m in trace['messages']], wanted)
    faults.equal(name + 'lock', [(e[0], e[1], e[3]) for e in trace['locks'][0]['events']],
                 [(time, 3 if place else 0, kind) for time, place, kind in truth['locks']])
    faults.equal(name + 'memory', [[e[0], e[1], e[3], e[3] + e[4] if e[4] >= 0 else -1] for e in trace['pools'][0]['events']],
                 truth['memory'])
    faults.equal(name + 'pools', [c.pointers.get(p['name']) for p in trace['pools']], [b'Frame', b'pool'])
    faults.equal(name + 'callstacks', trace['callstacks'], truth['stacks'])
    faults.equal(name + 'code frames', sorted(frame[0] for frame in trace['code_frames']), sorted(truth['stacks'][0]))
    faults.equal(name + 'symbols', len(trace['symbols']), 2)
    faults.equal(name + 'lines of counts', sorted(trace['zone_counts']), [(1, 0), (2, 1), (3, ROUNDS), (4, ROUNDS)])


def check_protocol(args, faults, protocol, folder):
    made = program.made(protocol, ROUNDS)
    data, out = made.recording(), os.path.join(folder, 'made.tracy')
    done = play(args, protocol, data, out)
    faults.equal('protocol %d: exit status' % protocol, (done.returncode, done.stderr), (0, b''))
    whole = read(out)
    check_truth(faults, protocol, compare_files.load(out), made.truth)
    for options in (('--split', '5'), ('--split', '6'), ('--columns', '1'), ('--columns', '9000')):
        play(args, protocol, data, out, *options)
        faults.equal('protocol %d: %s' % (protocol, ' '.join(options)), read(out) == whole, True)
    return data


# ---- breaks and changes ----

def check_breaks(args, faults, protocol, data, folder, dice):
    out = os.path.join(folder, 'broken.tracy')
    head = 1 + len(program.Protocol(protocol).welcome())
    for _ in range(args.breaks):
        at = dice.randrange(head, len(data))
        done = play(args, protocol, data, out, '--bytes', str(at))
        faults.equal('protocol %d broken at %d' % (protocol, at), done.returncode, 0)
        compare_files.load(out)         # raises where it is no whole payload


def changed(data, head, dice):
    """Blocks with changed bytes, cut, repeated, dropped or exchanged."""
    blocks, at = [], head
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], 'little')
        blocks.append(program.blocks.lz4_unpack(data[at + 4:at + 4 + size], 1 << 18))
        at += 4 + size
    for _ in range(dice.randrange(1, 5)):
        i = dice.randrange(len(blocks))
        block = bytearray(blocks[i])
        kind = dice.randrange(7)
        if kind < 3 and block:
            for _ in range(dice.randrange(1, 4)):
                block[dice.randrange(len(block))] = dice.choice((0, 255, dice.randrange(256)))
        elif kind == 3:
            del block[dice.randrange(len(block) + 1):]
        elif kind == 4:
            blocks.insert(dice.randrange(len(blocks)), bytes(block))
        elif kind == 5:
            j = dice.randrange(len(blocks))
            blocks[j], block = bytes(block), bytearray(blocks[j])
        else:
            at = dice.randrange(len(block) + 1)
            block[at:at] = dice.randbytes(dice.randrange(1, 30))
        blocks[i] = bytes(block)
    return data[:head] + b''.join(program.packed(block) for block in blocks if block)


def check_changes(args, faults, protocol, data, folder, dice):
    out = os.path.join(folder, 'changed.tracy')
    head = 1 + len(program.Protocol(protocol).welcome())
    for number in range(args.changes):
        bytes_of_it = changed(data, head, dice)
        done = play(args, protocol, bytes_of_it, out, '--columns', '5000')
        faults.equal('protocol %d, change %d: exit status' % (protocol, number), (done.returncode, done.stderr[:300]) if done.returncode else 0,
                     0)
        if done.returncode == 0:
            compare_files.load(out)
        elif args.keep:
            with open(os.path.join(args.keep, '%d-%d.bin' % (protocol, number)), 'wb') as file:
                file.write(bytes_of_it)


def check_random(args, faults, protocol, folder, dice):
    out = os.path.join(folder, 'random.tracy')
    for number in range(args.changes):
        data = program.random_recording(protocol, dice)
        done = play(args, protocol, data, out, '--columns', '3000', *(('--code',) if number % 2 else ()))
        faults.equal('protocol %d, random events %d' % (protocol, number), (done.returncode, done.stderr[:300]) if done.returncode else 0, 0)
        if done.returncode == 0:
            compare_files.load(out)
        elif args.keep:
            with open(os.path.join(args.keep, 'random-%d-%d.bin' % (protocol, number)), 'wb') as file:
                file.write(data)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--session', required=True, help='the program tracy-session')
    parser.add_argument('--breaks', type=int, default=10)
    parser.add_argument('--changes', type=int, default=20)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--keep', help='folder for what fails')
    args = parser.parse_args()
    faults, dice = Faults(), random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        for protocol in program.PROTOCOLS:
            data = check_protocol(args, faults, protocol, folder)
            check_breaks(args, faults, protocol, data, folder, dice)
            check_changes(args, faults, protocol, data, folder, dice)
            check_random(args, faults, protocol, folder, dice)
    print('%d checks, %d faults' % (faults.checks, faults.count))
    return 1 if faults.count or not faults.checks else 0


if __name__ == '__main__':
    sys.exit(main())
