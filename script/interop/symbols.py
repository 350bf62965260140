#!/usr/bin/env python3
"""Functions, inlined calls, files and lines of addresses of large programs, against llvm-symbolizer, where that is installed.

The programs are made here: by g++ (DWARF 5), by clang++ (DWARF 4, without a list of addresses), and as a Windows program with a PDB
by clang++ with lld and the headers of MinGW. What is not installed is left out, and said so.

usage: symbols.py --bin DIRECTORY --maker PROGRAM --work DIRECTORY [--units N] [--addresses N]

PROGRAM is made-symbols of the tests.
"""

import argparse
import concurrent.futures
import csv
import glob
import io
import json
import os
import pathlib
import posixpath
import random
import re
import shutil
import struct
import subprocess
import sys

import large_program

BASE = 0x7f2a00000000
STRIP = 'x86_64-w64-mingw32-strip'
MOST_DIFFERENT = 2e-4       # several units or rows may claim an address, and constructors that are inherited have two names
NEWEST = ['-%d' % version for version in range(30, 15, -1)] + ['']


def tool(name):
    return next((found for found in map(shutil.which, (name + end for end in NEWEST)) if found), None)


class Elf:
    """What a capture would say of an ELF file, and where its code is."""
    form, functions = 'dwarf', 'linkage'

    def __init__(self, path):
        data = path.read_bytes()
        at, size, n = struct.unpack_from('<Q', data, 32)[0], *struct.unpack_from('<HH', data, 54)
        heads = [struct.unpack_from('<IIQQQQQ', data, at + size * i) for i in range(n)]
        loads = [head for head in heads if head[0] == 1]
        self.first = loads[0][3]
        self.code = [(head[3], head[6]) for head in loads if head[1] & 1]
        self.size = sum(head[6] for head in heads) & 0xffffffff
        self.id = next(self.ids(data, [head for head in heads if head[0] == 4]), '').ljust(40, '0')

    @staticmethod
    def ids(data, notes):
        for _, _, at, _, _, size, _ in notes:
            end = at + size
            while at < end:
                name, reported, kind = struct.unpack_from('<III', data, at)
                at += 12 + (name + 3) // 4 * 4
                if kind == 3:
                    yield data[at:at + reported].hex()
                at += (reported + 3) // 4 * 4


class Pe:
    """Likewise of a Windows program with a PDB."""
    form, functions = 'pdb', 'short'

    def __init__(self, path):
        data = path.read_bytes()
        head = struct.unpack_from('<I', data, 0x3c)[0]
        sections, = struct.unpack_from('<H', data, head + 6)
        options, = struct.unpack_from('<H', data, head + 20)
        self.first, = struct.unpack_from('<Q', data, head + 48)
        self.size, = struct.unpack_from('<I', data, head + 80)
        table = [struct.unpack_from('<8sIIII12xI', data, head + 24 + options + 40 * i) for i in range(sections)]
        self.code = [(self.first + s[2], s[1]) for s in table if s[5] & 0x20000000]
        debug, size = struct.unpack_from('<II', data, head + 184)
        at = next(s[4] + debug - s[2] for s in table if s[2] <= debug < s[2] + s[1])
        entries = [struct.unpack_from('<12xIIII', data, at + 28 * i) for i in range(size // 28)]
        self.id = next(data[e[3] + 4:e[3] + 24].hex() for e in entries if e[0] == 2)


def drawn(image, n):
    """Different addresses of code, in order."""
    dice, total, found = random.Random(1), sum(size for _, size in image.code), set()
    while len(found) < min(n, total // 2):
        at = dice.randrange(total)
        for first, size in image.code:
            if at < size:
                found.add(first + at)
                break
            at -= size
    return sorted(found)


def answers(options, path, image, addresses):
    """address -> [(function, file, line)], the innermost first."""
    capture = path.with_suffix('.utrace')
    lines = ['format ' + image.form, 'module %x %x %s %s' % (BASE + image.first, image.size, image.id, path.name)]
    lines += ['stack %x %x' % (i + 1, BASE + address + 1) for i, address in enumerate(addresses)]
    subprocess.run([options.maker, capture], input='\n'.join(lines) + '\n', text=True, check=True)
    out = subprocess.run([options.bin / 'trace-stats', capture, '--no-cache', '-q', '-t', 'callstacks', '-f', 'csv', '--columns',
                          'callstack_id,function,file,line', '--symbols', path.parent], check=True, stdout=subprocess.PIPE).stdout
    found = {}
    for row in csv.DictReader(io.StringIO(out.decode(), newline='')):
        found.setdefault(int(row['callstack_id']), []).append((row['function'], row['file'], int(row['line'] or 0)))
    return [found.get(i + 1, []) for i in range(len(addresses))]


def expected(symbolizer, path, image, addresses):
    environment = {name: value for name, value in os.environ.items() if name != 'DEBUGINFOD_URLS'}
    out = subprocess.run([symbolizer, '--output-style=JSON', '--functions=' + image.functions, '--inlines', '--demangle',
                          '--obj=%s' % path], input=''.join('%#x\n' % address for address in addresses), check=True,
                         stdout=subprocess.PIPE, text=True, env=environment).stdout
    return [[(f['FunctionName'], f['FileName'], f['Line']) for f in json.loads(line)['Symbol']] for line in out.splitlines()]


def plain(function):
    """The last part of a name: what stands before it, arguments, operators and lambdas are spelt by each compiler in its own way."""
    function = re.sub(r'\boperator *\W.*', 'operator', function.replace('(anonymous namespace)', '{anonymous}'))
    function = re.sub(r'\[(abi|clone)[^]]*\]|\.(cold|isra|part|constprop)[.\d]*', '', function)
    for inner in (r'<[^<>]*>', r'\([^()]*\)( const)?'):
        while re.search(inner, function):
            function = re.sub(inner, '', function)
    return function.split('<')[0].split('::')[-1].strip()


def comparable(frames, exact):
    return [(function if exact else plain(function), posixpath.normpath(file.replace('\\', '/')), line) for function, file, line in frames]


def is_same(frames, wanted):
    """The symbolizer says some names as the linker has them: those with the operator J of packs of types."""
    def one(function):
        return '%d%s' % (len(function), function)
    return len(frames) == len(wanted) and all(
        frame[1:] == other[1:] and (frame[0] == other[0] or (other[0].startswith('_Z') and (frame[0] == 'operator' or one(frame[0]) in other[0])))
        for frame, other in zip(frames, wanted))


def compare(options, symbolizer, path):
    image = Elf(path) if path.suffix == '.elf' else Pe(path)
    addresses = drawn(image, options.addresses)
    reported, wanted, exact = answers(options, path, image, addresses), expected(symbolizer, path, image, addresses), image.form == 'pdb'
    known = [(address, comparable(one, exact), comparable(other, exact)) for address, one, other in zip(addresses, reported, wanted)
             if other and '/' in other[0][1].replace('\\', '/')]         # else it is known of a table of symbols
    different = [row for row in known if not is_same(row[1], row[2])]
    good = len(known) > len(addresses) // 4 and len(different) <= MOST_DIFFERENT * len(known)
    print('%-6s %s: %d addresses, %d with a file, %d of them differ' % ('ok' if good else 'FAILED', path.name, len(addresses), len(known),
                                                                      len(different)), flush=True)
    for address, one, other in different[:5 if not good else 1]:
        print('       %#x %.300s\n       %s %.300s' % (address, one, ' ' * len('%#x' % address), other))
    return good


def windows_words(clang):
    """How a Windows program is compiled; None where something is missing."""
    found = sorted(glob.glob('/usr/lib/gcc/x86_64-w64-mingw32/*-posix/include/c++'))
    if not (clang and found and tool('ld.lld') and shutil.which(STRIP)):
        return None
    library = pathlib.Path(found[-1])
    include = [library, library / 'x86_64-w64-mingw32', '/usr/x86_64-w64-mingw32/include']
    words = [clang, '--target=x86_64-w64-mingw32', '-O2', '-w', '-g', '-gcodeview', *(w for path in include for w in ('-isystem', str(path)))]
    link = ['-fuse-ld=lld', '-L%s' % library.parents[1], '-L/usr/x86_64-w64-mingw32/lib', '-lstdc++', '-lpthread', '-static']
    return words, link


def programs():
    """(name, words to compile, words to link); None: what is missing."""
    clang = tool('clang++')
    windows = windows_words(clang)
    yield 'g++.elf', [shutil.which('g++'), '-O2', '-w', '-gdwarf-5', '-fPIC'], ['-Wl,--build-id=sha1']
    yield 'clang++.elf', [clang, '-O2', '-w', '-gdwarf-4', '-fPIC'], ['-Wl,--build-id=sha1']
    yield 'clang++.exe', windows and windows[0], windows and [*windows[1], '-Wl,--pdb=clang++.pdb']


def build(folder, name, words, link, sources):
    path = folder / name.replace('.', '-') / name
    path.parent.mkdir(exist_ok=True)
    if path.exists():
        return path

    def compile_one(source):
        made = path.parent / (source.stem + '.o')
        subprocess.run([*words, '-c', source, '-o', made], check=True)
        return made
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, sources))
    subprocess.run([words[0], *(word for word in words if word.startswith('--target')), *objects, *link, '-o', path], check=True, cwd=path.parent)
    if path.suffix == '.exe':           # else the symbolizer takes the DWARF of libraries for all there is
        subprocess.run([STRIP, path], check=True)
    for made in objects:
        made.unlink()
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('--bin', '--maker', '--work'):
        parser.add_argument(name, required=True, type=pathlib.Path)
    parser.add_argument('--units', type=int, default=3)
    parser.add_argument('--addresses', type=int, default=100_000)
    options = parser.parse_args()
    symbolizer, good = tool('llvm-symbolizer'), True
    if not symbolizer or not options.maker.exists():
        print('left out: symbols, as there is no %s' % ('llvm-symbolizer' if not symbolizer else options.maker))
        return 0
    folder = (options.work / 'symbols').resolve()
    sources = large_program.write(folder, options.units)
    for name, words, link in programs():
        if not words or not words[0]:
            print('left out: %s, as its compiler, or what it needs, is not installed' % name)
            continue
        good &= compare(options, symbolizer, build(folder, name, words, link, sources))
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
