"""trace-record tracy:// -- PROGRAM records that program, however short it is, and none that is there already."""

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

import check_made
import compare_files
import served

STARTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'started.py')
ZONES = 1 + 2 * 40


def run(args, folder, *words, source='tracy://localhost'):
    out = os.path.join(folder, 'x.tracy')
    if os.path.exists(out):
        os.remove(out)
    done = subprocess.run([os.path.join(args.bin, 'trace-record'), source, '-o', out, '--', *words], capture_output=True, text=True,
                          timeout=60)
    return done, compare_files.load(out) if os.path.exists(out) else None


def check_own(args, faults, folder):
    """With others on the usual ports, and for a program that another one starts."""
    try:
        other = served.Served(name=b'stranger', port=8086)
    except OSError:
        other = None                                     # somebody else is the stranger
    for words in ((), ('--child',)):
        done, trace = run(args, folder, sys.executable, STARTED, 'mine', '0', *words)
        what = 'own %s' % ' '.join(words)
        faults.equal(what + ': exit status', (done.returncode, done.stderr if done.returncode else ''), (0, ''))
        faults.equal(what + ': name', trace and [name for name in trace['names'] if b'mine' in name] != [], True)
        faults.equal(what + ': zones', trace and trace['zones'], ZONES)
    if other:
        faults.equal('the stranger is left alone', other.requested_protocols, [])
        other.close()


def check_taken(args, faults, folder):
    """A port that was named and is that of another program: it is not spoken to, and not recorded."""
    other = served.Served(name=b'stranger')
    done, trace = run(args, folder, sys.executable, '-c', 'import time; time.sleep(0.5)', source='tracy://127.0.0.1:%d' % other.port)
    faults.equal('taken: exit status', done.returncode, 1)
    faults.equal('taken: no file', trace, None)
    faults.equal('taken: says so', 'is that of another program' in done.stderr, True)
    faults.equal('taken: the stranger is left alone', other.requested_protocols, [])
    other.close()


def check_short(args, faults, folder, runs, dice):
    for number in range(runs):
        done, trace = run(args, folder, sys.executable, STARTED, 'short', str(dice.randrange(51)))
        faults.equal('short %d' % number, (done.returncode, trace and trace['zones']), (0, ZONES))


def check_not_one(args, faults, folder):
    began = time.monotonic()
    done, trace = run(args, folder, sys.executable, '-c', 'raise SystemExit(3)')
    faults.equal('none: status, file', (done.returncode, trace), (3, None))
    faults.equal('none: says so', 'no program came' in done.stderr, True)
    faults.equal('none: soon', time.monotonic() - began < 10, True)


def check_namespaces(args, faults, folder):
    """Where processes have other ids: that of the program in a namespace of its own, and none that the recorder could compare."""
    apart = ('unshare', '--map-root-user', '--pid', '--fork', '--mount-proc')
    if subprocess.run([*apart, 'true'], capture_output=True, check=False).returncode:
        return                                           # nobody may do so here
    done, trace = run(args, folder, *apart, sys.executable, STARTED, 'inside', '0')
    faults.equal('inside: status, zones', (done.returncode, trace and trace['zones']), (0, ZONES))
    pipe, out = os.path.join(folder, 'port'), os.path.join(folder, 'outside.tracy')
    os.mkfifo(pipe)
    recorder = subprocess.Popen([*apart, os.path.join(args.bin, 'trace-record'), 'tracy://localhost', '-o', out, '--', 'sh', '-c',
                                 'echo $TRACY_PORT > %s; sleep 4' % pipe], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    with open(pipe, encoding='ascii') as file:
        server = served.Served(name=b'outside', port=int(file.read()))
    _, err = recorder.communicate(timeout=60)
    server.close()
    faults.equal('outside: status', (recorder.returncode, err if recorder.returncode else ''), (0, ''))
    faults.equal('outside: says so', 'process ids cannot be compared' in err and 'port %d' % server.port in err, True)
    faults.equal('outside: zones', compare_files.load(out)['zones'], ZONES)


def is_there(pid):
    try:
        with open('/proc/%d/stat' % pid, encoding='latin-1') as file:
            return file.read().rsplit(')', 1)[1].split()[0] != 'Z'
    except OSError:
        return False


def check_killed(args, faults, folder):
    """The program ends when its recorder is killed, also one that would rather not."""
    for words in (('--stubborn',), ('--child', '--stubborn')):
        note = os.path.join(folder, 'pid')
        code = 'import os, sys; open(%r, "w").write(str(os.getpid())); os.execv(sys.executable, [sys.executable] + sys.argv[1:])' % note
        process = subprocess.Popen([os.path.join(args.bin, 'trace-record'), 'tracy://127.0.0.1:1', '-o', os.path.join(folder, 'k.tracy'),
                                    '--', sys.executable, '-c', code, STARTED, 'x', '0', *words],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(note) or not os.path.getsize(note):
            time.sleep(0.02)
        time.sleep(0.5)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with open(note, encoding='ascii') as file:
            pid = int(file.read())
        when = time.monotonic()
        while is_there(pid) and time.monotonic() - when < 8:
            time.sleep(0.05)
        faults.equal('killed %s: its program ends' % ' '.join(words), time.monotonic() - when < 5, True)
        os.remove(note)


def check_local(args, faults, folder):
    """A program that listens at [::1] alone is found at localhost."""
    try:
        server = served.Served(host='::1')
    except OSError:
        return
    for host in ('localhost', '[::1]'):
        out = os.path.join(folder, 'local.tracy')
        done = subprocess.run([os.path.join(args.bin, 'trace-record'), 'tracy://%s:%d' % (host, server.port), '-o', out, '--force'],
                              capture_output=True, text=True, timeout=60)
        faults.equal('local, %s' % host, (done.returncode, 'the program has ended' in done.stderr), (0, True))
        server.close()
        server = served.Served(host='::1')
    server.close()


def check_several(args, faults, folder):
    """Silent, strange and busy ones do not keep from the one that can be recorded; each refusal is one sentence, once."""
    out, silent = os.path.join(folder, 'several.tracy'), socket.create_server(('127.0.0.1', 0))
    for how, says in (('busy', 'was recorded already'), ('web', 'not a Tracy program'), ('other', 'another protocol')):
        server = served.Served(how=how)
        done = subprocess.run([os.path.join(args.bin, 'trace-record'), 'tracy://127.0.0.1:%d' % server.port, '-o', out],
                              capture_output=True, text=True, timeout=60)
        faults.equal('%s: status, sentences' % how, (done.returncode, done.stderr.count('\n'), says in done.stderr), (3, 1, True))
        server.close()
    done = subprocess.run([os.path.join(args.bin, 'trace-record'), 'tracy://127.0.0.1:%d' % silent.getsockname()[1], '-o', out],
                          capture_output=True, text=True, timeout=60)
    faults.equal('silent: status, sentences', (done.returncode, done.stderr.count('\n'), 'does not answer' in done.stderr), (3, 1, True))
    silent.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('--runs', type=int, default=5)
    args = parser.parse_args()
    faults = check_made.Faults()
    with tempfile.TemporaryDirectory() as folder:
        check_own(args, faults, folder)
        check_namespaces(args, faults, folder)
        check_taken(args, faults, folder)
        check_short(args, faults, folder, args.runs, random.Random(1))
        check_not_one(args, faults, folder)
        check_local(args, faults, folder)
        check_several(args, faults, folder)
        if os.path.isdir('/proc/self/fd'):
            check_killed(args, faults, folder)
    print('%d checks, %d faults' % (faults.checks, faults.count))
    return 1 if faults.count or not faults.checks else 0


if __name__ == '__main__':
    sys.exit(main())
