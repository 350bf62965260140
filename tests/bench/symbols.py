"""What functions of addresses cost: those of large PDB files, the first time and from the cache."""

import os
import pathlib
import random
import shutil
import subprocess
import sys

import large_pdb
import timed

SMALL = pathlib.Path(__file__).resolve().parents[2] / 'fixtures' / 'symbols' / 'store'
BASE, FIRST, MODULES = 0x7ff600000000, 0x1000, 20_000
CASES = (('40 MB, 100,000 addresses', 40, 100_000), ('2 GB, 1,000 addresses', 2_000, 1_000))
ASKED = ('trace-stats', '-t', 'sample_functions', '-f', 'csv')


def make(path, folder, maker, megabytes, addresses):
    small = large_pdb.Small(next(SMALL.rglob('mesh.pdb/*/mesh.pdb')).read_bytes())
    folder.mkdir(exist_ok=True)
    told = sum(len(small.streams[large_pdb.short(m, 34)]) for m in small.modules
               if large_pdb.short(m, 34) != large_pdb.NO_STREAM and large_pdb.number(m, 44))
    times = 1 + megabytes * 1_000_000 // (told * MODULES)
    copies = megabytes * 1_000_000 // (told * times)
    step, dice = large_pdb.write(small, folder / 'mesh.pdb', copies, times), random.Random(1)
    lines = ['format pdb', 'module %x %x %s01000000 mesh.dll' % (BASE, FIRST + step * copies * times, small.guid.hex())]
    code = [at for part in small.parts if large_pdb.short(part, 0) == large_pdb.TEXT
            for at in range(large_pdb.number(part, 4), large_pdb.number(part, 4) + large_pdb.number(part, 8))]
    lines += ['sample %x %x' % (2000 + i, BASE + FIRST + n // len(code) * step + code[n % len(code)])
              for i, n in enumerate(dice.sample(range(copies * times * len(code)), addresses))]
    subprocess.run([maker, str(path)], input='\n'.join(lines) + '\n', text=True, check=True)


def made(work, maker, megabytes, addresses):
    """A capture with samples, and the folder of its PDB; both are kept. Another process makes them, for a child that is measured
    has the memory of its parent at first."""
    folder = work / ('symbols-%d' % megabytes)
    path = folder.with_suffix('.utrace')
    if not path.exists():
        subprocess.run([sys.executable, __file__, path, folder, maker, str(megabytes), str(addresses)], check=True)
    return path, folder


def rows(options, runs):
    """Rows of (what, seconds of CPU time, megabytes)."""
    maker = options.programs.parent / 'truth' / 'made-symbols'
    cache = options.work / 'symbols-cache'
    for what, megabytes, addresses in CASES:
        path, folder = made(options.work, maker, megabytes, addresses)
        shutil.rmtree(cache, ignore_errors=True)
        os.environ['XDG_CACHE_HOME'] = str(cache)
        for name, more in (('without symbols', ('--no-symbols',)), ('first time', ('--no-cache', '--symbols', folder)),
                           ('from the cache', ('--symbols', folder))):
            command = (*ASKED, *map(str, more))
            timed.once(options.bin, command, path)      # what is in the cache then
            best = min((timed.once(options.bin, command, path) for _ in range(runs)), key=lambda run: run.cpu)
            yield '%s, %s' % (what, name), best.cpu, best.memory / 1e6
        del os.environ['XDG_CACHE_HOME']


if __name__ == '__main__':
    make(*map(pathlib.Path, sys.argv[1:4]), *map(int, sys.argv[4:]))
