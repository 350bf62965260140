"""What arrived of a Tracy program is not lost: trace-record is killed, runs out of disk, and is stopped twice, at random instants."""

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

import check_made
import compare_files
import steady

GREETING = 1 + 1170         # bytes before the first packet, of today's protocol
LATE = 0.5      # seconds that bytes may be on their way, on a machine that is busy


def counts(path):
    trace = compare_files.load(path)
    return sum(thread['count'] for thread in trace['threads']), len(trace['frame_sets'][0]['frames']) - 2


def record(args, server, out, *options, **settings):
    return subprocess.Popen([os.path.join(args.bin, 'trace-record'), 'tracy://127.0.0.1:%d' % server.port, '-o', out, *options],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings)


def resume(args, faults, what, path, *options):
    done = subprocess.run([os.path.join(args.bin, 'trace-record'), '--resume', path, *options], capture_output=True, text=True)
    faults.equal(what + ': resumed', (done.returncode, done.stderr if done.returncode else ''), (0, ''))
    return done.stdout + done.stderr


def check_log(args, faults, what, server, out, when):
    """The log is a prefix of what was sent, with all that had time to arrive; the capture has its whole blocks."""
    log = check_made.read(out + '.part')
    faults.equal(what + ': begins with the protocol', log[:12], b'TracyPrf' + server.protocol.to_bytes(4, 'little'))
    body = log[12:]
    faults.equal(what + ': a prefix', bytes(server.sent[:len(body)]) == body, True)
    faults.equal(what + ': all that arrived', len(body) >= server.sent_before(when - LATE), True)
    faults.equal(what + ': no capture yet', os.path.exists(out), False)
    said = resume(args, faults, what, out)
    faults.equal(what + ': zones and frames', counts(out), server.within(len(body)))
    faults.equal(what + ': nothing is left', sorted(name for name in os.listdir(os.path.dirname(out)) if not name.startswith('.')),
                 [os.path.basename(out)])
    return said


def check_killed(args, faults, dice, number):
    server = steady.Steady(dice.choice((63, 69, 76, 82)), pause=dice.choice((0.0, 0.001, 0.01)), how='stays')
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'run.tracy')
        process = record(args, server, out)
        while not server.marks:
            time.sleep(0.01)
        time.sleep(dice.random() * 0.8)
        while not os.path.exists(out + '.part'):
            time.sleep(0.001)
        when = time.monotonic()
        process.kill()
        process.communicate()
        server.close()
        if os.path.getsize(out + '.part') > 1300:       # else the greeting was not whole
            check_log(args, faults, 'killed %d' % number, server, out, when)


# ---- recordings that go on in other files ----

ROTATED = 10_000        # bytes that arrive for one file
HISTORY = 64 << 10      # bytes that the next packet may refer to
NAMES = 20_000          # more than those of the made program and all else that the next file needs take
FRAME = 32              # bytes of a frame in what the next file needs


def read_by_now(server):
    """Bytes of the program that the recorder has read at least: what waits in the system is not, as while files are brought to the
    disk."""
    sent, waits = len(server.sent), 0
    try:
        with open('/proc/net/tcp', encoding='ascii') as file:
            for line in file.readlines()[1:]:
                words = line.split()
                own, other = (int(end.split(':')[1], 16) for end in words[1:3])
                queues = [int(n, 16) for n in words[4].split(':')]
                waits += queues[0] if own == server.port else queues[1] if other == server.port else 0
    except OSError:
        return server.sent_before(time.monotonic() - 10 * LATE)
    return sent - waits


def is_bounded(server, size):
    """A log has what arrived for its file, and what the ones before have left."""
    return size <= 2 * ROTATED + HISTORY + NAMES + FRAME * len(server.marks)


def starts_of(path):
    """When the zones of the program begin that a capture has."""
    trace = compare_files.load(path)
    return [zone[1] for thread in trace['threads'] for zone in thread['zones']]


def check_killed_rotating(args, faults, dice, number):
    """Killed at any time, the files that there are and the one that is made of the log have together what arrived, once."""
    server, what = steady.Steady(dice.choice((63, 69, 76, 82)), pause=dice.choice((0.0, 0.001)), how='stays'), 'rotating %d' % number
    with tempfile.TemporaryDirectory() as folder:
        out, sizes = os.path.join(folder, 'run.tracy'), []
        process = record(args, server, out, '--rotate', str(ROTATED), '-q')
        until = time.monotonic() + 0.3 + dice.random()
        while time.monotonic() < until or not os.path.exists(out + '.part'):
            if os.path.exists(out + '.part'):
                sizes.append(os.path.getsize(out + '.part'))
            time.sleep(0.002)
        least = server.within(read_by_now(server))[0]
        process.kill()
        process.communicate()
        server.close()
        before = sorted(name for name in os.listdir(folder) if name.startswith('run-'))
        done = subprocess.run([os.path.join(args.bin, 'trace-record'), '--resume', out], capture_output=True, text=True)
        exists = before and '%s\': file exists' % before[-1] in done.stderr      # it was killed when the log was about to begin anew
        faults.equal(what + ': resumed', (done.returncode == (3 if exists else 0), exists or 'made of' in done.stderr), (True, True))
        pieces = sorted(name for name in os.listdir(folder) if name.startswith('run-'))
        faults.equal(what + ': one more file', len(pieces), len(before) + (not exists))
        faults.equal(what + ': nothing else is left', [name for name in os.listdir(folder)
                                                           if not name.startswith(('run-', '.')) and not exists], [])
        subprocess.run([os.path.join(args.bin, 'trace-edit'), *(os.path.join(folder, name) for name in pieces), '-o', out, '-q'], check=True)
        starts, frames = sorted(starts_of(out)), counts(out)[1]
        wanted = [10_000_000 + block * 1_000_000 + 20 * i for block in range(len(starts) // 20) for i in range(20)]
        faults.equal(what + ': each zone once', starts == wanted, True)
        faults.equal(what + ': all that arrived', (frames * 20 == len(starts), len(starts) >= least), (True, True))
        faults.equal(what + ': the log is bounded', is_bounded(server, max(sizes)), True)
    return len(pieces)


def check_twice(args, faults, folder):
    """A second Ctrl-C ends at once; what arrived is kept, and that is said."""
    server, out = steady.Steady(how='silent'), os.path.join(folder, 'twice.tracy')
    process = record(args, server, out)
    while len(server.marks) < 50:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=1.5)
    server.close()
    faults.equal('twice: says so', ('--resume' in err, 'twice.tracy.part' in err), (True, True))
    said = resume(args, faults, 'twice', out)
    faults.equal('twice: what is missing', 'were not answered' in said, True)
    faults.equal('twice: zones', counts(out)[0] >= 50 * 20, True)


def check_full(args, faults, folder):
    """A file that may not grow is a full disk: of temporary files, or (the smaller limit) of the log itself."""
    for limit in (60_000, 1_500):
        server, out = steady.Steady(pause=0, how='stays'), os.path.join(folder, 'full-%d.tracy' % limit)
        process = record(args, server, out, preexec_fn=lambda size=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        _, err = process.communicate(timeout=30)
        server.close()
        what = 'full at %d' % limit
        faults.equal(what + ': exit status', process.returncode, 3)
        if limit == 1_500:                     # the capture is small enough, and made of what came until then
            faults.equal(what + ': a sentence', 'ends early: cannot write' in err, True)
            zones, frames = counts(out)
            faults.equal(what + ': zones and frames', (zones, frames >= server.within(limit - 12)[1]), (frames * 20, True))
            continue
        faults.equal(what + ': no capture', os.path.exists(out), False)
        faults.equal(what + ': says what to do', 'trace-record --resume ' + out in err, True)
        body = check_made.read(out + '.part')[12:]
        faults.equal(what + ': a prefix', bytes(server.sent[:len(body)]) == body, True)
        resume(args, faults, what, out)
        faults.equal(what + ': zones and frames', counts(out), server.within(len(body)))


def calls(args, path, *options):
    """The number of zones that trace-stats reports, and what it says."""
    done = subprocess.run([os.path.join(args.bin, 'trace-stats'), path, '-f', 'csv', '--columns', 'timer,count', *options],
                          capture_output=True, text=True, timeout=60)
    return sum(int(line.rsplit(',', 1)[1]) for line in done.stdout.splitlines()[1:] if ',' in line), done


def check_growing(args, faults, folder):
    """A recording is read while it grows, by its name or by that of its log, and followed to its end."""
    server, out = steady.Steady(pause=0.005, how='stays'), os.path.join(folder, 'growing.tracy')
    process = record(args, server, out)
    follow = None
    for number, name in enumerate((out, out + '.part') * 2):
        while len(server.marks) < 50 * (number + 1) or not os.path.exists(out + '.part'):
            time.sleep(0.01)
        least = server.within(server.sent_before(time.monotonic() - LATE))[0]
        zones, done = calls(args, name)
        faults.equal('growing %d: status' % number, (done.returncode, done.stderr if done.returncode else ''), (0, ''))
        faults.equal('growing %d: whole blocks' % number, (zones % 20, least <= zones <= server.marks[-1][2]), (0, True))
        if number == 1:
            follow = subprocess.Popen([os.path.join(args.bin, 'trace-stats'), '--follow', out, '-f', 'csv', '--columns', 'timer,count'],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    info = subprocess.run([os.path.join(args.bin, 'trace-info'), out], capture_output=True, text=True)
    faults.equal('growing: trace-info', (info.returncode, 'maker' in info.stdout), (0, True))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    server.close()
    text, err = follow.communicate(timeout=30)
    faults.equal('followed: status', (follow.returncode, err if follow.returncode else ''), (0, ''))
    faults.equal('followed: as the capture', text.splitlines()[-1:], calls(args, out)[1].stdout.splitlines()[-1:])


def keep(args, server, folder, *options):
    done = subprocess.run([os.path.join(args.bin, 'trace-record'), 'tracy://127.0.0.1:%d' % server.port, '--into', folder, *options],
                          capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr, sorted(os.listdir(folder))


def check_size(args, faults, folder):
    """A size is that of the whole blocks up to there, and of the one that reaches it."""
    for text, size in (('10k', 10_000), ('0.1M', 100_000)):
        server, out = steady.Steady(pause=0, how='stays'), os.path.join(folder, 'size-%s.tracy' % text)
        done = subprocess.run([os.path.join(args.bin, 'trace-record'), 'tracy://127.0.0.1:%d' % server.port, '-o', out, '--size', text,
                               '-f', 'json'], capture_output=True, text=True, timeout=60)
        server.close()
        said = json.loads(done.stdout.splitlines()[-1])
        block = max(b[1] - a[1] for a, b in zip(server.marks, server.marks[1:]))
        faults.equal('size %s: status' % text, (done.returncode, said['why']), (0, 'the size limit was reached'))
        faults.equal('size %s: within a packet' % text, size <= said['bytes'] < size + block, True)
        faults.equal('size %s: zones and frames' % text, counts(out), server.within(said['bytes'] + GREETING))


def make_old(folder, days):
    """Captures of 1,000 bytes by their names, and how old they are."""
    for name, old in days.items():
        path = os.path.join(folder, name)
        with open(path, 'wb') as file:
            file.write(bytes(1000))
        os.utime(path, (time.time() - old * 86400, ) * 2)


def check_rules(args, faults):
    """The oldest captures with names that the recorder chose make place for new ones; others stay."""
    names = {'20260101_120000.tool.tracy': 30, '20260102_120000.tool.tracy': 20, '20260103_120000.tool.tracy': 2,
             '20260104_120000.tool.tracy': 1, 'mine.tracy': 40, '20260101_120000.tool.tracy.part': 30, '20260101_120000.utrace': 30}
    stay = ['20260101_120000.tool.tracy.part', '20260101_120000.utrace', 'mine.tracy']
    for options, left, why in ((('--keep-days', '10'), ['20260103_120000.tool.tracy', '20260104_120000.tool.tracy'], 'older than --keep-days'),
                               (('--keep-bytes', '3500'), ['20260103_120000.tool.tracy', '20260104_120000.tool.tracy'], 'more than --keep-bytes'),
                               (('--keep-days', '10', '--keep-bytes', '2500'), ['20260104_120000.tool.tracy'], 'more than --keep-bytes'),
                               ((), sorted(name for name in names if name.endswith('.tool.tracy')), None)):
        with tempfile.TemporaryDirectory() as folder:
            make_old(folder, names)
            server = steady.Steady(blocks=5)
            code, err, files = keep(args, server, folder, *options)
            server.close()
            what = 'rules %s' % ' '.join(options)
            made = [name for name in files if name not in names]
            faults.equal(what + ': status and one more', (code, len(made), made[:1] and made[0].endswith('.tracy')), (0, 1, True))
            faults.equal(what + ': what stays', [name for name in files if name in names], sorted(stay + left))
            faults.equal(what + ': said', err.count('removed, 1.0 kB'), 4 - len(left))
            faults.equal(what + ': why', why is None or why in err, True)
    with tempfile.TemporaryDirectory() as folder:
        server = steady.Steady(blocks=5)
        code, err, files = keep(args, server, folder, '--free', '900T')
        faults.equal('a disk below --free', (code, '--free keeps 900 TB' in err, files, len(server.sent)), (3, True, [], 0))
        server.close()


def check_refusals(args, faults, folder):
    server, out = steady.Steady(how='stays'), os.path.join(folder, 'taken.tracy')
    process = record(args, server, out)
    while not os.path.exists(out + '.part'):
        time.sleep(0.01)
    other = steady.Steady()
    for what, words, says in (('another records', ('tracy://127.0.0.1:%d' % other.port, '-o', out), 'another recorder does'),
                              ('it is recorded', ('--resume', out), 'still writes it'),
                              ('no file', ('--resume', out + 'x'), 'there is no recording')):
        done = subprocess.run([os.path.join(args.bin, 'trace-record'), *words], capture_output=True, text=True)
        faults.equal(what, (done.returncode, says in done.stderr), (3, True))
    process.kill()
    process.communicate()
    for server in (server, other):
        server.close()
    other = steady.Steady(blocks=5)
    done = record(args, other, out)
    _, err = done.communicate()
    faults.equal('a log is left', (done.returncode, '--resume' in err), (3, True))
    other.close()
    other = steady.Steady(blocks=5)
    done = record(args, other, out, '--force')
    done.communicate()
    other.close()
    faults.equal('it is replaced', (done.returncode, counts(out)), (0, (100, 5)))
    faults.equal('for the user alone', os.stat(out).st_mode & 0o777, 0o600)
    done = subprocess.run([os.path.join(args.bin, 'trace-record'), '--resume', out], capture_output=True, text=True)
    faults.equal('a whole one', (done.returncode, 'is whole' in done.stderr), (3, True))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('--kills', type=int, default=5)
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    faults, dice = check_made.Faults(), random.Random(args.seed)
    for number in range(args.kills):
        check_killed(args, faults, dice, number)
    pieces = [check_killed_rotating(args, faults, dice, number) for number in range(args.kills)]
    faults.equal('some went on in other files', max(pieces) > 3, True)
    with tempfile.TemporaryDirectory() as folder:
        check_twice(args, faults, folder)
        check_full(args, faults, folder)
        check_growing(args, faults, folder)
        check_refusals(args, faults, folder)
        check_size(args, faults, folder)
    check_rules(args, faults)
    print('%d checks, %d faults' % (faults.checks, faults.count))
    return 1 if faults.count or not faults.checks else 0


if __name__ == '__main__':
    sys.exit(main())
