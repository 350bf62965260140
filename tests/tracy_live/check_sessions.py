"""Recorded sessions of Tracy programs, played to the product's recorder: its file against that of Tracy's own tool.

The corpus is a folder with one folder for each session: client.bin, server.bin, session.tracy and outputs of csvexport.
"""

import argparse
import collections
import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile

import compare_files

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'truth'), os.path.join(HERE, '..', 'harness')]
import check_csvexport  # noqa: E402

UNLIKE = {  # what docs/format/tracy-live.md says of Tracy's own files
    'fibers-0.12.2': {'switches'},      # start times of fibers are not set
    'nan-': {'threads', 'last_time', 'plots', 'messages', 'frame_sets'},
}


def protocol_of(folder):
    with open(os.path.join(folder, 'server.bin'), 'rb') as file:
        return struct.unpack('<I', file.read(12)[8:])[0]


def sessions(corpus):
    return sorted(name for name in os.listdir(corpus) if os.path.isfile(os.path.join(corpus, name, 'client.bin')))


def allowed(name, protocol):
    out = {'sources'}
    if protocol < 66:
        out.add('gpu_zone_counts')
    for start, sections in UNLIKE.items():
        if name.startswith(start):
            out |= sections
    if name.startswith('synth'):        # frames of instructions need a disassembler
        out |= {'code_frames', 'code_symbols'}
    return out


class Player:
    def __init__(self, program, folder, out):
        self.program, self.folder, self.out = program, folder, out
        with open(os.path.join(folder, 'session.json')) as file:
            self.blocks = json.load(file).get('blocks_used')

    def play(self, *options):
        command = [self.program, str(protocol_of(self.folder)), os.path.join(self.folder, 'client.bin'), self.out, *options]
        if self.blocks is not None and '--blocks' not in options:
            command += ['--blocks', str(self.blocks)]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr


def printed(tools, name, path, kind):
    """What the twin of csvexport prints of a file, in sorted lines; the release of the session decides which twin."""
    done = subprocess.run([os.path.join(tools, 'trace-export'), path, '--preset', check_csvexport.preset(name, kind),
                           '--raw-quoting', '--force', *check_csvexport.KINDS[kind]], capture_output=True)
    if done.returncode:
        return [done.stderr]
    return check_csvexport.lines(done.stdout)


def large(folder):
    path = os.path.join(folder, 'large.txt')
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return {words[0]: words[1:] for words in (line.split() for line in file) if words}


def check_prints(tools, corpus, name, path):
    """Kinds of csvexport's output that differ from what was printed of Tracy's own file."""
    folder, bad, seen = os.path.join(corpus, name), [], 0
    for kind in ('csvexport', 'csvexport-self', 'csvexport-unwrap', 'csvexport-messages', 'csvexport-gpu',
                 'csvexport-unwrap-plots'):
        recorded = os.path.join(folder, kind + '.csv')
        wanted = large(folder).get(kind + '.csv')
        if wanted:
            rows = sorted(printed(tools, name, path, kind))[1:]
            digest = hashlib.sha256(b''.join(row + b'\n' for row in rows)).hexdigest()
            seen += 1
            if [str(len(rows)), digest] != wanted and kind != 'csvexport-unwrap-plots':
                bad.append('%s: %d rows' % (kind, len(rows)))
        elif os.path.exists(recorded):
            seen += 1
            with open(recorded, 'rb') as file:
                theirs = check_csvexport.lines(file.read())
            ours = printed(tools, name, path, kind)
            missing, more = (collections.Counter(a) - collections.Counter(b) for a, b in ((theirs, ours), (ours, theirs)))
            if missing or (more and kind not in ('csvexport-gpu', 'csvexport-unwrap-plots')):
                bad.append('%s: missing %s, more %s' % (kind, list(missing)[:2], list(more)[:2]))
    return bad, seen


def check_session(args, corpus, name, out):
    """The sections that differ; what the recorder printed."""
    folder = os.path.join(corpus, name)
    status, reported, errors = Player(args.session, folder, out).play('--code')
    if status:
        return ['exit status %d: %s' % (status, errors)], reported
    theirs = compare_files.load(os.path.join(folder, 'session.tracy'))
    return compare_files.differences(compare_files.load(out), theirs, allowed(name, protocol_of(folder))), reported


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--session', required=True, help='the program tracy-session')
    parser.add_argument('--bin', help='folder of the commands: compares outputs of csvexport, too')
    parser.add_argument('--only', default='')
    parser.add_argument('corpus')
    args = parser.parse_args()
    bad = files = prints = 0
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'out.tracy')
        for name in sessions(args.corpus):
            if args.only not in name:
                continue
            found, reported = check_session(args, args.corpus, name, out)
            files += 1
            if args.bin and not name.startswith('nan'):
                wrong, seen = check_prints(args.bin, args.corpus, name, out)
                found, prints = found + wrong, prints + seen
            if found:
                bad += 1
                print(name, found, reported.strip())
    print('%d sessions and %d outputs of csvexport, %d sessions differ' % (files, prints, bad))
    return 1 if bad or not files else 0


if __name__ == '__main__':
    sys.exit(main())
