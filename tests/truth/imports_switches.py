"""Writes a random schedule of cores as bundles of ftrace in a Perfetto trace, and says which thread ran when and where."""

import random

from imports_made import put, varint

NAMES = {1: 'init', 77: 'worker', 4000: 'game', 4001: 'render <é>', 31999: 'late'}


def schedule(rng, n_cores, n):
    """core -> [(time, next thread)], 0 is idle; times rise, some switches are at one time."""
    cores = {}
    for core in range(n_cores):
        at, out = 10 ** 12 + rng.randrange(10 ** 6), []
        for _ in range(n):
            at += rng.choice([0, 1, 700, rng.randrange(1, 10 ** 6)])
            out.append((at, rng.choice([0, *NAMES])))
        cores[core * 3] = out
    return cores


def expected(cores):
    """(start, end, thread, core): from one switch of a core to its next, or to the end of all; idle is none."""
    first = min(time for switches in cores.values() for time, _ in switches)
    last = max(time for switches in cores.values() for time, _ in switches)
    out = []
    for core, switches in cores.items():
        for (begin, thread), (end, _) in zip(switches, [*switches[1:], (last, 0)]):
            if thread:
                out.append((begin - first, end - first, thread, core))
    return sorted(out)


def events(core, switches, before):
    """A bundle with an event a switch, others between; before: the thread that ran."""
    body = put(1, core)
    for time, thread in switches:
        event = put(2, before) + put(5, NAMES.get(thread, 'swapper')) + put(6, thread) + put(7, 120)
        body += put(2, put(1, time) + put(2, before) + put(4, event))
        body += put(2, put(1, time) + put(2, thread) + put(3, b'\x08\x01'))     # a print, which is none
        before = thread
    return put(1, body)


def columns(core, switches, _):
    """The same in columns: differences of times, states, threads, priorities and names."""
    times, threads, names, at = b'', b'', b'', 0
    for time, thread in switches:
        times += varint(time - at)
        threads += varint(thread)
        names += varint([0, *NAMES].index(thread))
        at = time
    same = b'\x01' * len(switches)
    texts = b''.join(put(5, NAMES.get(thread, 'swapper')) for thread in [0, *NAMES])
    return put(1, put(1, core) + put(4, texts + put(1, times) + put(2, same) + put(3, threads) + put(4, same) + put(6, names)))


def write(path, seed, compact):
    """Bundles of some switches each, cores in turn. Returns what is expected."""
    rng = random.Random(seed)
    cores = schedule(rng, 3, 200)
    tree = b''.join(put(2, put(1, tid) + put(2, name) + put(3, tid)) for tid, name in NAMES.items())
    packets = [put(1, put(10, 1) + put(2, tree))]
    first = min(time for switches in cores.values() for time, _ in switches)
    packets.append(put(1, put(10, 2) + put(13, 1) + put(8, first) + put(11, put(9, 3) + put(11, 9) + put(23, 'mark'))))
    for at in range(0, 200, 50):
        for core, switches in cores.items():
            bundle = (columns if compact else events)(core, switches[at:at + 50], switches[at - 1][1] if at else 0)
            packets.append(put(1, put(10, 1) + bundle))
    with open(path, 'wb') as f:
        f.write(b''.join(packets))
    return expected(cores)
