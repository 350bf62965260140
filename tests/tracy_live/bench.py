"""How many zones a second the recorder of Tracy programs takes, from the stream to the saved capture, and in how much memory.

usage: bench.py SESSION [ZONES]     SESSION is the program tracy-session
"""

import os
import resource
import subprocess
import sys
import tempfile

import program


def stream(zones):
    """Nested zones of six locations in the shortest form, block after block; and how many they are."""
    p = program.Protocol(82)
    nest = b''.join(p.event('ZoneBegin16', 7 + i, 0x1000 + 16 * i) for i in range(6))
    nest += b''.join(p.event('ZoneEnd16', 9 + i) for i in range(6))
    times = 262144 // len(nest)
    block, first = program.packed(nest * times), p.event('ThreadContext', 5)
    blocks = -(-zones // (6 * times))
    return b'\x01' + p.welcome() + program.packed(first) + block * blocks, 6 * times * blocks


def main():
    data, zones = stream(int(sys.argv[2]) if len(sys.argv) > 2 else 20_000_000)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'stream.bin')
        with open(path, 'wb') as file:
            file.write(data)
        subprocess.run([sys.argv[1], '82', path, os.path.join(folder, 'out.tracy')], check=True, stdout=subprocess.DEVNULL)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    print('recording Tracy: %.1f million zones in %.2f s of a processor, %.1f million/s, %d MB of memory' % (
        zones / 1e6, seconds, zones / 1e6 / seconds, used.ru_maxrss // 1024))


if __name__ == '__main__':
    main()
