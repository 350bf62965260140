"""What functions of addresses cost: those of large PDB files and of DWARF, the first time and from the cache; and sums of stack samples."""

import os
import pathlib
import random
import shutil
import subprocess
import sys

import large_pdb
import timed

INTEROP = pathlib.Path(__file__).resolve().parents[2] / 'script' / 'interop'
SMALL = pathlib.Path(__file__).resolve().parents[2] / 'fixtures' / 'symbols' / 'store'
BASE, FIRST, MODULES = 0x7ff600000000, 0x1000, 20_000
CASES = (('40 MB, 100,000 addresses', 40, 100_000), ('2 GB, 1,000 addresses', 2_000, 1_000))
UNITS, SAMPLES = 7, 5_000_000
ASKED = ('trace-stats', '-t', 'sample_functions', '-f', 'csv')


def make(path, folder, maker, megabytes, addresses):
    small = large_pdb.Small(next(SMALL.rglob('mesh.pdb/*/mesh.pdb')).read_bytes())
    folder.mkdir(exist_ok=True)
    reported = sum(len(small.streams[large_pdb.short(m, 34)]) for m in small.modules
               if large_pdb.short(m, 34) != large_pdb.NO_STREAM and large_pdb.number(m, 44))
    times = 1 + megabytes * 1_000_000 // (reported * MODULES)
    copies = megabytes * 1_000_000 // (reported * times)
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


def make_dwarf(path, folder, maker, addresses):
    """A library of C++ by the compiler that is here, whose debug information is of DWARF."""
    sys.path.insert(0, str(INTEROP))
    import large_program
    import symbols as interop
    library = folder / 'liblarge.so'
    sources = [source for source in large_program.write(folder, UNITS) if source.stem != 'main']
    for source in sources:
        subprocess.run(['c++', '-O2', '-g', '-fPIC', '-c', source, '-o', source.with_suffix('.o')], check=True)
    subprocess.run(['c++', '-shared', '-Wl,--build-id=sha1', '-o', library, *(source.with_suffix('.o') for source in sources)], check=True)
    image = interop.Elf(library)
    lines = ['format dwarf', 'module %x %x %s liblarge.so' % (BASE + image.first, image.size, image.id)]
    lines += ['sample %x %x' % (2000 + i, BASE + at) for i, at in enumerate(interop.drawn(image, addresses))]
    subprocess.run([maker, str(path)], input='\n'.join(lines) + '\n', text=True, check=True)


def dwarf(work, maker):
    folder = work / 'symbols-dwarf'
    path = folder.with_suffix('.utrace')
    if not path.exists():
        subprocess.run([sys.executable, __file__, path, folder, maker, 'dwarf', '100000'], check=True)
    library = folder / 'liblarge.so'
    return 'DWARF in %d MB, 100,000 addresses' % (library.stat().st_size // 1_000_000), path, folder


def rows(options, runs):
    """Rows of (what, seconds of CPU time, megabytes)."""
    maker, cache = options.programs.parent / 'truth' / 'made-symbols', options.work / 'symbols-cache'
    cases = [('PDB of ' + what, *made(options.work, maker, megabytes, addresses)) for what, megabytes, addresses in CASES]
    cases += [dwarf(options.work, maker)] if shutil.which('c++') else []
    for what, path, folder in cases:
        shutil.rmtree(cache, ignore_errors=True)
        os.environ['XDG_CACHE_HOME'] = str(cache)
        for name, more in (('without symbols', ('--no-symbols',)), ('first time', ('--no-cache', '--symbols', folder)),
                           ('from the cache', ('--symbols', folder))):
            command = (*ASKED, *map(str, more))
            timed.once(options.bin, command, path)      # what is in the cache then
            best = min((timed.once(options.bin, command, path) for _ in range(runs)), key=lambda run: run.cpu)
            yield '%s, %s' % (what, name), best.cpu, best.memory / 1e6
        del os.environ['XDG_CACHE_HOME']
    for end in ('utrace', 'tracy'):
        path = options.work / ('samples.' + end)
        if not path.exists():
            subprocess.run([options.programs / 'bench-gen-samples', path, str(SAMPLES)], check=True, stdout=subprocess.DEVNULL)
        command = (*ASKED, '--no-symbols', '--no-cache', '--jobs', '1')
        best = min((timed.once(options.bin, command, path) for _ in range(runs)), key=lambda run: run.cpu)
        yield '%d,000,000 samples of a .%s, by function' % (SAMPLES // 1_000_000, end), best.cpu, best.memory / 1e6


if __name__ == '__main__':
    if sys.argv[4] == 'dwarf':
        make_dwarf(*map(pathlib.Path, sys.argv[1:4]), int(sys.argv[5]))
    else:
        make(*map(pathlib.Path, sys.argv[1:4]), *map(int, sys.argv[4:]))
