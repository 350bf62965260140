"""trace-record with Tracy programs that listen on this machine: what it records, how it ends, and what it says."""

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import check_made
import compare_files
import program
import served

# Behind an `&` of a shell it is ignored, and the commands would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Recording:
    """A run of trace-record."""

    def __init__(self, args, *words):
        self.process = subprocess.Popen([os.path.join(args.bin, 'trace-record'), *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)

    def end(self, wanted, faults, what, says=''):
        out, err = self.process.communicate(timeout=60)
        faults.equal(what + ': exit status', (self.process.returncode, err if self.process.returncode != wanted else ''), (wanted, ''))
        faults.equal(what + ': says ' + says, says in out + err, True)
        return out, err


def check_whole(args, faults, folder, protocol):
    s, out = served.Served(protocol), os.path.join(folder, 'whole-%d.tracy' % protocol)
    Recording(args, 'tracy://127.0.0.1:%d' % s.port, '-o', out).end(0, faults, 'protocol %d' % protocol, "'maker'")
    s.close()
    faults.equal('protocol %d: questions' % protocol, (s.wrong, s.questions[-1][0]), ([], 'Terminate'))
    faults.equal('protocol %d: newest first' % protocol, s.requested_protocols,
                 [number for number in reversed(program.PROTOCOLS) if number >= protocol])
    check_made.check_truth(faults, protocol, compare_files.load(out), s.made.truth)


def check_ends(args, faults, folder):
    out = os.path.join(folder, 'end.tracy')
    for how, options, status, says in (('late', (), 0, 'the program has ended'), ('dies', (), 4, 'the connection broke'), ('damages', (), 4, 'unknown number'),
                                       ('stays', ('--seconds', '0.5'), 0, 'the time limit was reached'),
                                       ('slow', ('--seconds', '0.5'), 0, 'the time limit was reached'),
                                       ('silent', ('--seconds', '0.3'), 0, 'not answered'),
                                       ('stays', ('--stop-after-frames', '20'), 0, 'all requested frames were recorded'),
                                       ('stays', ('--size', '500'), 0, 'the size limit was reached'),
                                       ('stays', ('--until-idle', '0.5'), 0, 'no more data came')):
        s = served.Served(how=how)
        what = ' '.join((how, *options))
        Recording(args, 'tracy://127.0.0.1:%d' % s.port, '-o', out, '--force', *options).end(status, faults, what, says)
        s.close()
        faults.equal(what + ': questions', s.wrong, [])
        trace = compare_files.load(out)
        if how in ('slow', 'late'):     # everything that was requested has been waited for
            faults.equal(what + ': names', None not in [n for n, _ in named(trace)] and len(trace['code_frames']), 2)


def named(trace):
    c = check_made.Capture(trace)
    return [(c.names.get(thread['tid']), thread) for thread in trace['threads']]


def check_signals(args, faults, folder):
    for number in (signal.SIGINT, signal.SIGTERM):
        s, out = served.Served(how='stays'), os.path.join(folder, 'signal-%d.tracy' % number)
        r = Recording(args, 'tracy://127.0.0.1:%d' % s.port, '-o', out)
        time.sleep(0.7)
        faults.equal('signal %d: no file before' % number, os.path.exists(out), False)
        r.process.send_signal(number)
        r.end(0, faults, 'signal %d' % number, 'stopped')
        s.close()
        trace = compare_files.load(out)
        faults.equal('signal %d: zones' % number, sum(thread['count'] for thread in trace['threads']),
                     sum(len(zones) for zones in s.made.truth['zones'].values()))
        faults.equal('signal %d: left in order' % number, s.questions[-1][0], 'Terminate')


def check_refusals(args, faults, folder):
    out = os.path.join(folder, 'refused.tracy')
    for how, status, says in (('web', 3, 'not a Tracy program'), ('other', 3, 'another protocol'), ('busy', 3, 'the program refuses')):
        s = served.Served(how=how)
        Recording(args, 'tracy://127.0.0.1:%d' % s.port, '-o', out).end(status, faults, how, says)
        s.close()
        faults.equal(how + ': no file', os.path.exists(out), False)
    with socket.create_server(('127.0.0.1', 0)) as nobody:
        port = nobody.getsockname()[1]
    Recording(args, 'tracy://127.0.0.1:%d' % port, '-o', out).end(1, faults, 'nobody', 'no program answers')
    Recording(args, 'tracy://127.0.0.1:%d' % port, '-o', out, '--wait', '--seconds', '0.5').end(1, faults, 'nobody came', '')
    with open(out, 'w') as file:
        file.write('mine')
    Recording(args, 'tracy://127.0.0.1:%d' % port, '-o', out).end(3, faults, 'a file is there', 'exists')
    for words in (('tracy://a:b', '-o', out), ('tracy://127.0.0.1', '--all'), ('tracy://', '-o', out), ('tracy://', '--all', '-o', out),
                  ('tracy://127.0.0.1', '-o', out, '--name', 'x')):
        Recording(args, *words).end(2, faults, ' '.join(words), '')
    for words in (('--store', folder), ('--listen', '0.0.0.0'), ('--announce',), ('--no-summary',), ('--control',)):
        Recording(args, 'tracy://127.0.0.1:%d' % port, *words).end(2, faults, words[0], 'for Unreal programs')
    for words in (('--all',), ('--wait',), ('--wait=game',), ('--stop-after-frames', '4'), ('--code',)):
        Recording(args, '--port', '0', *words).end(2, faults, words[0], 'for Tracy programs')
    faults.equal('the file is as it was', check_made.read(out), b'mine')


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def check_announced(args, faults, folder):
    port, out = free_port(), os.path.join(folder, 'announced.tracy')
    one, other = served.Served(announce=port, name=b'first game'), served.Served(74, announce=port, name=b'second\x1b[31m')
    reported, _ = Recording(args, 'tracy://', '--port', str(port), '--seconds', '1').end(0, faults, 'list', "'first game'")
    faults.equal('list: releases', 'Tracy 0.14.0' in reported and 'Tracy 0.12.0 to 0.12.2' in reported, True)
    faults.equal('list: controls are escaped', '\x1b' in reported, False)
    leaving, gone = free_port(), threading.Event()
    program = served.Served(announce=leaving, name=b'leaving')
    threading.Timer(1, lambda: (program.close(), program.say(-1), gone.set())).start()
    Recording(args, 'tracy://', '--port', str(leaving), '--seconds', '3').end(0, faults, 'list of one that leaves', "'leaving'")
    gone.wait(20)
    Recording(args, 'tracy://', '--port', str(port), '--wait=sec*', '-o', out, '--seconds', '20').end(0, faults, 'by name', 'second')
    other.close()
    faults.equal('by name: version', compare_files.load(out)['version'], (0, 12, 0))
    third = served.Served(63, announce=port, name=b'third')
    Recording(args, 'tracy://', '--port', str(port), '--all', '--count', '2', '--into', folder, '--name', 'all-').end(
        0, faults, 'all', 'third')
    one.close()
    third.close()
    files = sorted(name for name in os.listdir(folder) if name.startswith('all-'))
    faults.equal('all: versions', sorted(compare_files.load(os.path.join(folder, name))['version'] for name in files),
                 [(0, 9, 0), (0, 14, 0)])
    Recording(args, 'tracy://', '--port', str(port), '--seconds', '0.3').end(1, faults, 'nobody is announced', 'no Tracy program')


def check_started(args, faults, folder):
    """A program that is started is waited for, recorded, and its exit status handed on."""
    out, serve = os.path.join(folder, 'started.tracy'), os.path.join(os.path.dirname(os.path.abspath(__file__)), 'serve.py')
    for status in (0, 5):
        with socket.create_server(('127.0.0.1', 0)) as free:
            port = free.getsockname()[1]
        Recording(args, 'tracy://127.0.0.1:%d' % port, '-o', out, '--force', '--', sys.executable, serve, str(port), str(status)).end(
            status, faults, 'started, %d' % status, 'the program has ended')
        faults.equal('started: zones', compare_files.load(out)['zones'], 1 + 2 * 40)
    Recording(args, 'tracy://127.0.0.1:%d' % port, '-o', out, '--force', '--', 'false').end(1, faults, 'started, false', 'no program came')


def check_followed(args, faults, *options):
    """trace-stats prints counts, sums and maxima of the zones that the program made."""
    s = served.Served()
    done = subprocess.run([os.path.join(args.bin, 'trace-stats'), *options, 'tracy://127.0.0.1:%d' % s.port], capture_output=True,
                          text=True)
    s.close()
    faults.equal('followed: exit status', (done.returncode, done.stderr), (0, ''))
    faults.equal('followed: questions', s.wrong, [])
    zones = s.made.truth['zones']
    wanted = {}
    for name, start, end, _, _ in zones[101] + zones[102]:
        count, total, most = wanted.get(name, (0, 0, 0))
        wanted[name] = (count + 1, total + end - start, max(most, end - start))
    rows = [line.rsplit(None, 4) for line in done.stdout.strip().split('\n\n')[-1].splitlines()[2:]]
    got = {row[0].encode(): (int(row[1].replace(',', '')), row[2], row[4]) for row in rows}
    faults.equal('followed: zones', got, {name: (count, '%.3f' % (total / 1e6), '%.3f' % (most / 1e3))
                                          for name, (count, total, most) in wanted.items()})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    args = parser.parse_args()
    faults = check_made.Faults()
    with tempfile.TemporaryDirectory() as folder:
        for protocol in program.PROTOCOLS:
            check_whole(args, faults, folder, protocol)
        check_ends(args, faults, folder)
        check_signals(args, faults, folder)
        check_refusals(args, faults, folder)
        check_announced(args, faults, folder)
        check_followed(args, faults)
        check_followed(args, faults, '--follow')
        check_started(args, faults, folder)
    print('%d checks, %d faults' % (faults.checks, faults.count))
    return 1 if faults.count else 0


if __name__ == '__main__':
    sys.exit(main())
