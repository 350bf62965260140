#!/usr/bin/env python3
"""Checks that symbol files and folders that were made to do harm never make a command fail, hang or fill the memory: names that refer to
each other in circles, ranges without an end, sections of 4 GB in small files, more modules than are kept, folders with more files
than are looked at, links in circles, files that change while they are read. Each has an honest part whose function is found, so that
the harm and nothing else is what is refused.

usage: check_hostile_symbols.py --bin DIRECTORY --maker PROGRAM [--modules N] [--files N] FOLDER
"""

import argparse
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import commands        # noqa: E402
import report          # noqa: E402

BASE, ID, LOWEST, EXTENT = 0x10000000, bytes(range(1, 21)), 0x80, 0x100000     # code at 0 is what a linker removed
PATIENCE, MEMORY = 30, 400 << 20      # seconds, bytes: what is honest takes none of either


# ---- a small library with DWARF 4, by the book ----

UNIT, PLACED, NAMED, REFERRING, RANGED = range(1, 6)
ABBREVIATIONS = (
    (UNIT, 0x11, 1, ((0x11, 0x01), (0x12, 0x06))),                      # compile unit: low_pc, high_pc
    (PLACED, 0x2e, 0, ((0x11, 0x01), (0x12, 0x06), (0x31, 0x13))),      # subprogram: low_pc, high_pc, abstract_origin
    (NAMED, 0x2e, 0, ((0x03, 0x08),)),                                  # name
    (REFERRING, 0x2e, 0, ((0x31, 0x13),)),                              # abstract_origin
    (RANGED, 0x2e, 0, ((0x55, 0x17), (0x03, 0x08))))                    # ranges, name
HEADER, PLACED_SIZE, REFERRING_SIZE = 11 + 1 + 8 + 4, 1 + 8 + 4 + 4, 1 + 4


def abbreviations():
    out = b''
    for code, tag, children, attributes in ABBREVIATIONS:
        out += bytes((code, tag, children)) + bytes(byte for pair in attributes for byte in pair) + b'\0\0'
    return out + b'\0'


def unit(entries):
    body = struct.pack('<HIB', 4, 0, 8) + struct.pack('<BQI', UNIT, LOWEST, EXTENT - LOWEST) + entries + b'\0'
    return struct.pack('<I', len(body)) + body


def placed(low, origin):
    return struct.pack('<BQII', PLACED, low, 0x10, origin)


def named(name):
    return bytes((NAMED,)) + name + b'\0'


def referring(origin):
    return struct.pack('<BI', REFERRING, origin)


def library(sections):
    """An ELF file with a build id and these sections; `sizes` that are not theirs are said by (bytes, size)."""
    note = struct.pack('<III', 4, len(ID), 3) + b'GNU\0' + ID
    parts, names = [('', b'', 0), ('.note.gnu.build-id', note, 7)] + [(name, data, 1) for name, data in sections], b''
    parts.append(('.shstrtab', None, 3))
    offsets = []
    for name, _, _ in parts:
        offsets.append(len(names))
        names += name.encode() + b'\0'
    out, heads = bytearray(64 + 2 * 56), []
    for (name, data, kind), text in zip(parts, offsets):
        data = names if data is None else data
        data, size = data if isinstance(data, tuple) else (data, len(data))
        heads.append(struct.pack('<IIQQQQIIQQ', text, kind if name else 0, 0, 0, len(out) if name else 0, size, 0, 0, 1, 0))
        if kind == 7:
            struct.pack_into('<IIQQQQQQ', out, 64 + 56, 4, 4, len(out), len(out), len(out), size, size, 4)
        out += data + bytes(-len(data) % 8)
    struct.pack_into('<IIQQQQQQ', out, 64, 1, 5, 0, 0, 0, EXTENT, EXTENT, 0x1000)
    struct.pack_into('<16sHHIQQQIHHHHHH', out, 0, b'\x7fELF\x02\x01\x01', 3, 62, 1, 0, 64, len(out), 0, 64, 56, 2, 64, len(heads), len(heads) - 1)
    return bytes(out + b''.join(heads))


def dwarf(entries, ranges=b''):
    return [('.debug_abbrev', abbreviations()), ('.debug_info', unit(entries)), ('.debug_ranges', ranges)]


# ---- querying ----

class Asking:
    """A capture with a callstack for each address of a library, in a folder of its own."""

    def __init__(self, tools, maker, work, addresses=(), modules=()):
        self.tools, self.work, self.path = tools, pathlib.Path(work), pathlib.Path(work) / 'made.utrace'
        self.symbols = self.work / 'symbols'
        self.symbols.mkdir()
        lines = ['format dwarf', *(modules or ['module %x %x %s made.so' % (BASE, EXTENT, ID.hex())])]
        lines += ['stack %x %x' % (n + 1, BASE + address + 1) for n, address in enumerate(addresses)]
        subprocess.run([maker, self.path], input='\n'.join(lines) + '\n', text=True, check=True)

    def put(self, data):
        (self.symbols / 'made.so').write_bytes(data)

    def ask(self, result, what):
        """Functions by address, and what was said."""
        done = self.tools.run('trace-stats', self.path, '-t', 'callstacks', '-f', 'csv', '--columns', 'address,function', '--no-cache',
                              '--symbols', self.symbols, timeout=PATIENCE)
        result.equal(what + ': status', (done.status, done.err if done.status else b''), (0, b''))
        result.true('%s: %d MB' % (what, done.memory >> 20), done.memory < self.tools.most)
        rows = [line.split(',', 1) for line in done.out.decode(errors='replace').splitlines()[1:]]
        return {int(address, 16) - BASE - 1: function for address, function in rows}, done.err


def check_origins(result, tools, maker, folder):
    """Circles of names, and a chain that is very long: an honest chain alongside them has its name."""
    chain, entries = 100_000, b''
    at = HEADER + 5 * PLACED_SIZE
    circle, own, honest, name = at, at + 2 * REFERRING_SIZE, at + 3 * REFERRING_SIZE, at + 4 * REFERRING_SIZE
    long = name + len(named(b'honest'))
    entries += placed(0x100, circle) + placed(0x200, own) + placed(0x300, honest) + placed(0x400, long) + placed(0x500, HEADER + 4 * PLACED_SIZE)
    entries += referring(circle + REFERRING_SIZE) + referring(circle) + referring(own) + referring(name) + named(b'honest')
    entries += b''.join(referring(long + (i + 1) * REFERRING_SIZE) for i in range(chain)) + named(b'far')
    with tempfile.TemporaryDirectory() as work:
        asking = Asking(tools, maker, work, (0x104, 0x204, 0x304, 0x404, 0x504))
        asking.put(library(dwarf(entries)))
        found, _ = asking.ask(result, 'names in circles')
        result.equal('names in circles', {at: found.get(at) for at in (0x104, 0x204, 0x304, 0x504)},
                     {0x104: '', 0x204: '', 0x304: 'honest', 0x504: ''})


def ranged(count, offset, name):
    return b''.join(struct.pack('<BI', RANGED, offset) + name + b'\0' for _ in range(count))


def check_ranges(result, tools, maker, folder):
    """Lists of ranges that have no end, that no section holds, and one of a megabyte that 20,000 functions share."""
    honest = struct.pack('<6Q', (1 << 64) - 1, 0, 0x1000, 0x1010, 0, 0)      # the base first, as others count from the unit
    endless = struct.pack('<QQ', 0x2000, 0x2001) * 70_000
    for what, entries, there in (('a list without an end', ranged(1, len(honest), b'endless'), True),
                                 ('a list that is nowhere', ranged(1, 0x7fffffff, b'nowhere'), True),
                                 ('a list that many share', ranged(20_000, len(honest), b'one'), False)):
        with tempfile.TemporaryDirectory() as work:
            asking = Asking(tools, maker, work, (0x1004, 0x3000, *(0x4000 + i for i in range(200))))
            asking.put(library(dwarf(ranged(1, 0, b'honest') + entries, honest + endless)))
            found, _ = asking.ask(result, what)
            result.true('%s: %s' % (what, found.get(0x1004)), found.get(0x1004) == 'honest' or (not there and found.get(0x1004) == ''))
            result.equal(what + ': what is in no range', found.get(0x3000), '')


def check_sizes(result, tools, maker, folder):
    """Each section in turn says that it has 4 GB, or 2^63 bytes: none is more than the file."""
    entries = placed(0x100, HEADER + PLACED_SIZE) + named(b'honest') + bytes(1 << 20)
    sections = dwarf(entries)
    with tempfile.TemporaryDirectory() as work:
        asking = Asking(tools, maker, work, (0x104,))
        asking.put(library(sections))
        result.equal('sections as they are', asking.ask(result, 'sections as they are')[0], {0x104: 'honest'})
        for at, (name, data) in enumerate(sections):
            for size in (4 << 30, 1 << 63, (1 << 64) - 1):
                asking.put(library([(n, (d, size) if i == at else d) for i, (n, d) in enumerate(sections)]))
                found, _ = asking.ask(result, '%s of %#x bytes' % (name, size))
                result.true('%s of %#x bytes: %s' % (name, size, found), found[0x104] in (('',) if data else ('', 'honest')))


def enlarged(file):
    """Copies of a symbol file in which one size is of 4 GB."""
    data = file.read_bytes()
    if file.suffix == '.pdb':
        block, directory, pages = *struct.unpack_from('<I', data, 32), *struct.unpack_from('<I', data, 44), struct.unpack_from('<I', data, 52)[0]
        first = struct.unpack_from('<I', data, pages * block)[0] * block
        places = [44, first, *(first + 4 + 4 * i for i in range(min(8, directory // 8)))]
        return [data[:at] + struct.pack('<I', 0xfffffff0) + data[at + 4:] for at in places]
    copies, at = [], data.find(b'__debug_info\0')
    while at >= 0:
        copies.append(data[:at + 40] + struct.pack('<Q', 4 << 30) + data[at + 48:])
        at = data.find(b'__debug_info\0', at + 1)
    return copies


def check_other_sizes(result, tools, maker, folder):
    """Streams of a PDB and sections of Mach-O that say 4 GB."""
    pdb = next(file for file in (folder / 'store').rglob('mesh.pdb') if file.is_file())
    guid = pdb.parent.name
    image = bytes.fromhex(guid[:32])
    raw = image[3::-1] + image[5:3:-1] + image[7:5:-1] + image[8:] + struct.pack('<I', int(guid[32:], 16))
    with tempfile.TemporaryDirectory() as work:
        asking = Asking(tools, maker, work, range(0x1000, 0x1400, 16),
                        ('format pdb', 'module %x %x %s mesh.dll' % (BASE, EXTENT, raw.hex())))
        where = asking.symbols / 'mesh.pdb'
        shutil.copy(pdb, where)
        result.true('the PDB as it is', any(asking.ask(result, 'the PDB as it is')[0].values()))
        for n, copy in enumerate(enlarged(pdb)):
            where.write_bytes(copy)
            found, said = asking.ask(result, 'a PDB with 4 GB, %d' % n)
            result.true('a PDB with 4 GB, %d: %s' % (n, said), any(found.values()) or b'0 of 1 modules' in said or b' 0 of ' in said)
    files = [file for file in (folder / 'macho').rglob('*') if file.is_file() and b'__debug_info\0' in file.read_bytes()]
    copies = [copy for file in files for copy in enlarged(file)]
    result.true('Mach-O files with DWARF', copies)
    with tempfile.TemporaryDirectory() as work:
        asking = Asking(tools, maker, work, range(0x300, 0x400, 16))
        for n, copy in enumerate(copies):
            asking.put(copy)
            asking.ask(result, 'Mach-O with 4 GB, %d' % n)


def check_modules(result, tools, maker, folder, count):
    """More modules than are kept, with an address in each of the last and the first."""
    with tempfile.TemporaryDirectory() as work:
        modules = ['module %x %x %040x m%x.so' % (BASE + i * 0x2000, 0x1000, i + 1, i) for i in range(count)]
        modules[0] = 'module %x %x %s made.so' % (BASE, 0x1000, ID.hex())
        requested = sorted({0x104, *(0x2000 * (i * count // 70_000) + 0x104 for i in range(70_000))})
        asking = Asking(tools, maker, work, requested, modules)
        asking.put(library(dwarf(placed(0x100, HEADER + PLACED_SIZE) + named(b'honest'))))
        found, _ = asking.ask(result, '%d modules' % count)
        result.equal('%d modules: addresses' % count, sorted(found), requested)
        result.equal('%d modules: functions' % count, {at: f for at, f in found.items() if f}, {0x104: 'honest'})


def check_folders(result, tools, maker, folder, count):
    """Links in circles, and many more files than are looked at: what stands at the top of the folder is found all the same."""
    data = library(dwarf(placed(0x100, HEADER + PLACED_SIZE) + named(b'honest')))
    with tempfile.TemporaryDirectory() as work:
        asking = Asking(tools, maker, work, (0x104,))
        deep = asking.symbols / 'a' / 'b'
        deep.mkdir(parents=True)
        for name, target in (('up', asking.symbols), ('own', deep / 'own'), ('made.so', deep / 'other'), ('other', deep / 'made.so')):
            (deep / name).symlink_to(target)
        result.equal('links in circles', asking.ask(result, 'links in circles')[0], {0x104: ''})
        (asking.symbols / 'a' / 'made.so').write_bytes(data)
        result.equal('a file beside links in circles', asking.ask(result, 'a file beside links')[0], {0x104: 'honest'})
        shutil.rmtree(asking.symbols / 'a')
        for i in range(count):
            if i % 1000 == 0:
                (asking.symbols / ('d%d' % i)).mkdir()
            os.close(os.open(asking.symbols / ('d%d' % (i - i % 1000)) / ('f%d.so' % i), os.O_CREAT | os.O_WRONLY))
        said = asking.ask(result, '%d files' % count)[1]
        result.equal('%d files: more than are looked at is told of: %s' % (count, said), b'too many files' in said, count > 200_000)
        asking.put(data)
        result.equal('%d files, and the one at the top' % count, asking.ask(result, 'one at the top')[0], {0x104: 'honest'})


def check_changes(result, tools, maker, folder):
    """A library that is cut, overwritten and made whole again while it is read: sometimes there is a name, never a wrong one."""
    count, dice = 30_000, random.Random(1)
    names = HEADER + count * PLACED_SIZE
    size = len(named(b'f%06d' % 0))
    entries = b''.join(placed(LOWEST + 0x10 * i, names + size * i) for i in range(count)) + b''.join(named(b'f%06d' % i) for i in range(count))
    whole = library(dwarf(entries))
    requested = range(LOWEST + 4, 0x10 * count, 0x100)
    wanted = {at: 'f%06d' % ((at - LOWEST) // 16) for at in requested}
    with tempfile.TemporaryDirectory() as work:
        asking = Asking(tools, maker, work, requested)
        asking.put(whole)
        result.equal('a library that stays', asking.ask(result, 'a library that stays')[0], wanted)
        over = threading.Event()

        def change():
            while not over.is_set():
                with open(asking.symbols / 'made.so', 'r+b') as file:
                    file.truncate(dice.randrange(len(whole)))
                    file.truncate(0) if dice.random() < 0.3 else None
                    file.seek(0)
                    file.write(whole)

        changing = threading.Thread(target=change)
        changing.start()
        try:
            for n in range(40):
                found, _ = asking.ask(result, 'a library that changes, %d' % n)
                result.equal('a library that changes, %d' % n,
                             {at: f for at, f in found.items() if f and len(f) == 7 and f.isascii() and f != wanted[at]}, {})
        finally:
            over.set()
            changing.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--maker', required=True)
    parser.add_argument('--modules', type=int, default=80_000)
    parser.add_argument('--files', type=int, default=3_000)
    parser.add_argument('--no-memory-limit', action='store_true', help='for builds with sanitizers')
    parser.add_argument('folder', type=pathlib.Path)
    arguments = parser.parse_args()
    tools, found = commands.Commands(arguments.bin), report.Report()
    tools.most = float('inf') if arguments.no_memory_limit else MEMORY
    for name, check, *more in (('names', check_origins), ('ranges', check_ranges), ('sections', check_sizes), ('sizes', check_other_sizes),
                               ('modules', check_modules, arguments.modules), ('folders', check_folders, arguments.files),
                               ('changes', check_changes)):
        found.run(name, check, tools, arguments.maker, arguments.folder, *more)
    return found.close()


if __name__ == '__main__':
    sys.exit(main())
