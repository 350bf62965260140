#!/usr/bin/env python3
"""Checks functions, files and lines of addresses: symbol files of all kinds, whose frames two independent tools agree on,
asked through a capture that made-symbols writes.

usage: check_symbols.py --bin DIRECTORY --maker PROGRAM FOLDER...

FOLDER has symbols/: files, modules.json and expected/SET/IMAGE.jsonl (fixtures/README.md), or capture.json with whole
captures.
"""

import argparse
import collections
import contextlib
import gzip
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import uuid
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness')]
import commands  # noqa: E402
import report    # noqa: E402


def write(maker, path, lines):
    subprocess.run([maker, str(path)], input='\n'.join(lines) + '\n', text=True, check=True)


def table(tools, path, name, columns, *options):
    done = tools.must('trace-stats', path, '--table', name, '--format', 'json', '--columns', ','.join(columns), *options,
                      allowed=(0, 4))
    return json.loads(done.out)[name]


def module_line(module):
    return 'module %s %s %s %s' % (module['base'], module['size'], module['id'] or '-', module['name'])


def bare(function, last):
    """A name as it is compared: template arguments are spelt by each compiler in its own way. last: its last part."""
    name = function
    while '<' in name and re.sub(r'<[^<>]*>', '', name) != name:
        name = re.sub(r'<[^<>]*>', '', name)
    return name.split('::')[-1].split('(')[0] if last else name


def loose(frames, last=False):
    return [(bare(frame['function'], last), frame['file'], frame['line']) for frame in frames]


def expectations(folder, module):
    path = folder / 'expected' / module['set'] / (module['image'] + '.jsonl')
    for line in path.read_text(encoding='utf-8').splitlines():
        row = json.loads(line)
        row.setdefault('frames', [{'function': row.get('linkage'), 'file': None, 'line': None}])
        yield row


def stacks_of(rows):
    """(callstack, frame) -> the frames of each address; address -> module and offset."""
    found = {}
    for row in rows:
        found.setdefault((row['callstack_id'], row['frame']), []).append(row)
    return found


def check_module(result, tools, maker, folder, module):
    """Each address once as a return address, one byte behind, and once as where a sample was taken."""
    rows = list(expectations(folder, module))
    base = int(module['base'], 16)
    lines = ['format ' + module['format'], module_line(module)]
    for number, row in enumerate(rows):
        address = base + int(row['offset'], 16)
        lines.append('stack %x %x' % (number + 1, address + 1))
        lines.append('sample %x %x' % (2000 + number, address))
        lines.append('bookmark %x %x' % (2000 + number, number + 1))
    lines.append('bookmark %x %x' % (2000 + len(rows), len(rows) + 1))
    lines.append('bookmark %x 0' % (2001 + len(rows)))
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / 'made.utrace'
        write(maker, path, lines)
        where = folder / module.get('folder', module['set'])
        found = stacks_of(table(tools, path, 'callstacks', COLUMNS, '--symbols', where))
        samples = table(tools, path, 'sample_rows', ('time', 'function'), '--symbols', where)
        marks = [table(tools, path, 'bookmarks', ('callstack_id', 'function'), *options)
                 for options in (('--symbols', where), ('--no-symbols',))]
        unnamed = stacks_of(table(tools, path, 'callstacks', COLUMNS, '--no-symbols'))
    what = '%s/%s' % (module['set'], module['image'])
    last = module['set'] in ('elf-split', 'elf-dwarf2', 'pe32-dwarf')    # expectation or file have names without the scopes around them
    for number, row in enumerate(rows):
        frames = found.get((number + 1, 0), [])
        wanted = row['frames']
        if wanted[0]['file'] is None:
            result.equal('%s %s' % (what, row['offset']), frames[0]['function'], wanted[0]['function'])
            continue
        result.equal('%s %s' % (what, row['offset']), loose(named(frames), last), loose(wanted, last))
        result.equal('%s %s inlined' % (what, row['offset']), [f['inlined'] for f in frames],
                     [True] * (len(wanted) - 1) + [False])
        result.equal('%s %s of a sample' % (what, row['offset']), bare(samples[number]['function'] or '', last),
                     bare(wanted[0]['function'], last))
    for at, what_for in enumerate(('with symbols', 'without')):
        result.equal('%s: callstacks of bookmarks %s' % (what, what_for), [mark['callstack_id'] for mark in marks[at]],
                     [*range(1, len(rows) + 2), 0])
        result.equal('%s: a callstack that is not defined, and none, %s' % (what, what_for), [mark['function'] for mark in marks[at][-2:]],
                     ['(not in the capture)', None])
    for number, row in enumerate(rows):
        function, file = row['frames'][0]['function'], re.split(r'[/\\]', module['name'])[-1]
        displayed = '%s+0x%x' % (file, int(row['offset'], 16) + 1)
        result.equal('%s %s of a bookmark' % (what, row['offset']), bare(marks[0][number]['function'], last),
                     function and bare(function, last) or displayed)
        result.equal('%s %s of a bookmark without symbols' % (what, row['offset']), marks[1][number]['function'], displayed)
    for number, row in enumerate(rows):                # with and without symbols names alone differ
        one, other = found[(number + 1, 0)][0], unnamed[(number + 1, 0)][0]
        result.equal('%s %s without symbols' % (what, row['offset']), (other['module'], other['offset'], other['function']),
                     (one['module'], one['offset'], None))


COLUMNS = ('callstack_id', 'frame', 'address', 'module', 'offset', 'function', 'file', 'line', 'inlined')


def named(rows):
    return [{'function': row['function'] or '', 'file': row['file'], 'line': row['line']} for row in rows]


BREAKPAD_HAND = """MODULE mac x86_64 0123456789ABCDEF0123456789ABCDEF0 hand.dylib
FILE 0 /a.cpp
FILE 1 /b.h
INLINE_ORIGIN 0 inner::deep
INLINE_ORIGIN 1 inner::shallow
FUNC 1000 40 0 outer::run
INLINE 0 12 0 1 1010 20
INLINE 1 34 1 0 1018 8
1000 10 11 0
1010 8 5 1
1018 8 7 1
1020 10 6 1
1030 10 13 0
PUBLIC 2000 0 exported
"""
BREAKPAD_WANTED = {     # offset -> frames, the innermost first
    0x1008: [('outer::run', '/a.cpp', 11)],
    0x1012: [('inner::shallow', '/b.h', 5), ('outer::run', '/a.cpp', 12)],
    0x101a: [('inner::deep', '/b.h', 7), ('inner::shallow', '/b.h', 34), ('outer::run', '/a.cpp', 12)],
    0x1020: [('inner::shallow', '/b.h', 6), ('outer::run', '/a.cpp', 12)],
    0x1034: [('outer::run', '/a.cpp', 13)],
    0x2004: [('exported', None, None)],
}


def check_breakpad(result, tools, maker, folder, module):
    """Symbols as text, alone and in the layout of a store. dump_syms of that age knew the function that is there and the innermost line."""
    text = folder / module['set'] / (module['name'] + '.psym')
    rows, base = list(expectations(folder, module)), int(module['base'], 16)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        path, plain, store, hand = work / 'made.utrace', work / 'plain', work / 'store', work / 'hand'
        place = store / module['name'] / text.read_text(encoding='utf-8').split()[3]
        for where in (plain, place, hand):
            where.mkdir(parents=True)
        shutil.copy(text, plain)
        shutil.copy(text, place / (module['name'] + '.sym'))
        write(maker, path, ['format psym', module_line(module)]
              + ['stack %x %x' % (n + 1, base + int(row['offset'], 16) + 1) for n, row in enumerate(rows)])
        for where in (plain, store):
            found = stacks_of(table(tools, path, 'callstacks', COLUMNS, '--symbols', where))
            for number, row in enumerate(rows):
                frames, wanted = found[(number + 1, 0)], row['frames']
                result.equal('Breakpad in %s: %s' % (where.name, row['offset']),
                             [(bare(f['function'] or '', False), f['file'], f['line']) for f in frames],
                             [(bare(wanted[-1]['function'], False), wanted[0]['file'], wanted[0]['line'])])
        (hand / 'hand.dylib.sym').write_text(BREAKPAD_HAND, encoding='utf-8')
        write(maker, path, ['format psym', 'module 10000000 4000 0123456789abcdef0123456789abcdef hand.dylib']
              + ['stack %x %x' % (n + 1, 0x10000000 + at + 1) for n, at in enumerate(BREAKPAD_WANTED)])
        found = stacks_of(table(tools, path, 'callstacks', COLUMNS, '--symbols', hand))
        for number, (at, wanted) in enumerate(BREAKPAD_WANTED.items()):
            result.equal('Breakpad by hand: %x' % at, [(f['function'], f['file'], f['line']) for f in found[(number + 1, 0)]], wanted)


def check_breakpad_stores(result, tools, maker):
    """Texts in the layout that dump_syms and minidump_stackwalk share: NAME/ID/NAME.sym, where a Windows module goes by its PDB and
    an ELF file has the first 16 bytes of its build id as a GUID of age 0. Places of _NT_SYMBOL_PATH are not walked through."""
    guid, build = '67452301ab89efcd0123456789abcdef', '67452301ab89efcd0123456789abcdef01020304'
    cases = (('pdb', 'C:\\x\\hand.exe', guid + '2a000000', 'windows x86_64 0123456789ABCDEF0123456789ABCDEF2A hand.pdb', 'hand.sym'),
             ('dwarf', 'hand', build, 'Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 hand', 'hand.sym'),
             ('dwarf', 'hand.so', build, 'Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 hand.so', 'hand.so.sym'),
             ('psym', 'hand', '0123456789abcdef0123456789abcdef', 'mac x86_64 0123456789ABCDEF0123456789ABCDEF0 hand', 'hand.sym'))
    for form, name, ident, head, file in cases:
        with tempfile.TemporaryDirectory() as work:
            work = pathlib.Path(work)
            path, store, flat = work / 'made.utrace', work / 'store', work / 'flat'
            _, _, key, folder = head.split()
            (store / folder / key).mkdir(parents=True)
            flat.mkdir()
            text = 'MODULE %s\n%s' % (head, BREAKPAD_HAND.split('\n', 1)[1])
            for place in (store / folder / key, flat):
                (place / file).write_text(text, encoding='utf-8')
            write(maker, path, ['format ' + form, 'module 10000000 4000 %s %s' % (ident, name)]
                  + ['stack %x %x' % (n + 1, 0x10000000 + at + 1) for n, at in enumerate(BREAKPAD_WANTED)])
            for place, options, more in (('store', (), {'_NT_SYMBOL_PATH': 'srv*%s' % store}), ('flat', ('--symbols', flat), {})):
                with environment(**more):
                    found = stacks_of(table(tools, path, 'callstacks', COLUMNS, *options))
                for number, (at, wanted) in enumerate(BREAKPAD_WANTED.items()):
                    result.equal('Breakpad in a %s, %s: %x' % (place, form, at),
                                 [(f['function'], f['file'], f['line']) for f in found[(number + 1, 0)]], wanted)


def check_useless(result, tools, maker, folder, module):
    """What was named and is of no use is reported with the cause, also a module that was not copied to its end."""
    whole = (folder / module['set'] / module['name']).read_bytes()
    row = next(iter(expectations(folder, module)))
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        path, text, cut = work / 'made.utrace', work / 'notes.txt', work / 'cut'
        write(maker, path, ['format dwarf', module_line(module),
                            'stack 1 %x' % (int(module['base'], 16) + int(row['offset'], 16) + 1)])
        text.write_text('no symbols\n' * 50, encoding='utf-8')
        cut.mkdir()
        (cut / module['name']).write_bytes(whole[:-64])
        sent = tools.must('trace-export', path, '-f', 'tksym', '-o', work / 'sent.tksym', '--symbols', folder / module['set'])
        for where, wanted in ((text, b'notes.txt: not a known symbol file format'), (cut, b': it is cut'), ('/dev/null', b'/dev/null: neither'),
                              (work / 'sent.tksym', b'')):
            done = tools.run('trace-stats', path, '-t', 'callstacks', '--symbols', where, '--no-cache')
            result.true('%s is of no use' % where, done.status == 0 and wanted in done.err and (wanted or b'sent.tksym' not in done.err))
        result.true('a file to send', sent.status == 0)


def check_other_build(result, tools, maker, folder, modules):
    """Files of another build are not used."""
    module = next(m for m in modules if (m['set'], m['image']) == ('elf', 'libpool'))
    row = next(iter(expectations(folder, module)))
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / 'made.utrace'
        write(maker, path, ['format dwarf', module_line(module),
                            'stack 1 %x' % (int(module['base'], 16) + int(row['offset'], 16) + 1)])
        rows = table(tools, path, 'callstacks', COLUMNS, '--symbols', folder / 'other-build')
        done = tools.run('trace-stats', path, '-t', 'callstacks', '--symbols', folder / 'other-build')
        gone = pathlib.Path(work) / 'gone'
        missed = tools.run('trace-stats', path, '-t', 'callstacks', '--symbols', gone)
    result.equal('symbols of another build', [r['function'] for r in rows], [None])
    result.true('a place that is not there is told of', missed.status == 0 and b'; there is no %s' % str(gone).encode() in missed.err)
    result.true('another build is told of', b'0 of 1 modules, 0 of 1 addresses; wrong build: libpool.so (' in done.err)


def check_cut(result, tools, maker, folder, module):
    """A symbol file that is cut or has a wrong byte never makes a command fail."""
    rows = list(expectations(folder, module))
    base = int(module['base'], 16)
    where = folder / module.get('folder', module['set'])
    files = [file for file in where.rglob('*') if file.is_file() and file.name.startswith(module['image'])]
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / 'made.utrace'
        write(maker, path, ['format ' + module['format'], module_line(module)]
              + ['stack %x %x' % (n + 1, base + int(row['offset'], 16) + 1) for n, row in enumerate(rows)])
        for step in range(12):
            copy = pathlib.Path(work) / ('copy%d' % step)
            for file in files:
                target = copy / file.relative_to(where)
                target.parent.mkdir(parents=True, exist_ok=True)
                data = bytearray(file.read_bytes())
                if step % 2:
                    data[len(data) * step // 13] ^= 0xff
                else:
                    del data[len(data) * (step + 1) // 13:]
                target.write_bytes(data)
            done = tools.run('trace-stats', path, '-t', 'callstacks', '-f', 'csv', '--symbols', copy)
            result.equal('%s damaged, %d: status' % (module['set'], step), done.status, 0)
            shutil.rmtree(copy)


def check_without_id(result, tools, maker, folder, module):
    """Where the capture has no id, the module of its name and size says which symbols are its own."""
    rows, base = list(expectations(folder, module)), int(module['base'], 16)
    guid = bytes.fromhex(module['id'])[:16]
    symbols = next((folder / 'store').rglob('%s.pdb' % module['image']))
    while not symbols.is_file():
        symbols = next(symbols.rglob('*.pdb'))
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        path = work / 'made.utrace'
        write(maker, path, ['format pdb', module_line({**module, 'id': None})]
              + ['stack %x %x' % (n + 1, base + int(row['offset'], 16) + 1) for n, row in enumerate(rows)])
        shutil.copy(folder / 'pe' / ('%s.dll' % module['image']), work)
        for other in (False, True):
            data = symbols.read_bytes()
            (work / symbols.name).write_bytes(data.replace(guid, guid[::-1]) if other else data)
            found = stacks_of(table(tools, path, 'callstacks', COLUMNS, '--symbols', work))
            files = table(tools, path, 'symbol_files', ('state', 'resolved'), '--symbols', work)
            if other:
                result.equal('a PDB of another build, and no id', {frame['file'] for frames in found.values() for frame in frames}, {None})
                result.true('a PDB of another build, and no id: state', 'matched' not in files[0]['state'])
                continue
            result.equal('a PDB and no id', [loose(named(found[(n + 1, 0)])) for n in range(len(rows))],
                         [loose(row['frames']) for row in rows])
            result.equal('a PDB and no id: state', files, [{'state': 'matched by size', 'resolved': len(rows)}])


def check_bomb(result, tools, maker, folder, module):
    """Sections that would be much larger than their file are not unpacked."""
    packer = zlib.compressobj(1)
    packed = b''.join(packer.compress(bytes(1 << 20)) for _ in range(200)) + packer.flush()
    done = with_packed(tools, maker, folder, module, b'.debug_', 200 << 20, packed)
    result.true('a bomb: %s' % done.err, done.status == 0 and b'much too large for its file' in done.err)


def check_ranges(result, tools, maker, folder, module):
    """Of many ranges with the same addresses not all are looked at."""
    pairs = (60 << 20) // 16 - 1
    ranges = struct.pack('<IHIBBI', 12 + 16 * pairs, 2, 0, 8, 0, 0) + struct.pack('<QQ', 1, 0x100000) * pairs
    done = with_packed(tools, maker, folder, module, b'.debug_aranges', len(ranges), zlib.compress(ranges, 9))
    result.true('a bomb of ranges: %s' % done.err, done.status == 0 and b'DWARF units have too many ranges' in done.err)


def with_packed(tools, maker, folder, module, sections, unpacked, packed):
    """What is said where all sections whose names begin so are packed ones."""
    data = bytearray((folder / module['set'] / module['name']).read_bytes())
    begin, n, names = struct.unpack_from('<Q', data, 40)[0], *struct.unpack_from('<HH', data, 60)
    texts = struct.unpack_from('<Q', data, begin + 64 * names + 24)[0]
    bomb, at = struct.pack('<IIQQ', 1, 0, unpacked, 1) + packed, len(data)
    data += bomb
    for head in range(begin, begin + 64 * n, 64):
        name = texts + struct.unpack_from('<I', data, head)[0]
        if data[name:name + len(sections)] == sections:
            struct.pack_into('<Q', data, head + 8, 0x800)
            struct.pack_into('<QQ', data, head + 24, at, len(bomb))
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / module['name']).write_bytes(data)
        write(maker, work / 'made.utrace', ['format dwarf', module_line(module),
                                            *('stack %x %x' % (n + 1, int(module['base'], 16) + 2 + n)
                                              for n in range(40))])
        return tools.run('trace-stats', work / 'made.utrace', '-t', 'callstacks', '--symbols', work, '--no-cache')


def requested_by(name, image_id):
    """What symbols are requested by: a path in a symbol store, or a build id without the zeros that fill it up."""
    data = bytes.fromhex(image_id or '')
    if name.endswith(('.dll', '.exe')) and data:
        key = uuid.UUID(bytes_le=data[:16]).hex.upper() + '%X' % int.from_bytes(data[16:20], 'little')
        pdb = name.rsplit('.', 1)[0] + '.pdb'
        return '%s/%s/%s' % (pdb, key, pdb)
    usual = [n for n in (8, 16, 20) if n <= len(data) and not any(data[n:])]
    return data[:usual[0]].hex() if any(data) else None


def check_missing(result, tools, maker, folder, module):
    """What is missing, in the words of those who could fetch it, and nothing where it is there."""
    what = '%s/%s' % (module['set'], module['image'])
    name = module['name'].replace('\\', '/').rsplit('/', 1)[-1]
    wanted = requested_by(name, module['id'])
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / 'made.utrace'
        row = next(iter(expectations(folder, module)))
        write(maker, path, ['format ' + module['format'], module_line(module),
                            'stack 1 %x' % (int(module['base'], 16) + int(row['offset'], 16) + 1)])
        alone = tools.must('trace-info', path, '--missing')
        alongside = tools.must('trace-info', path, '--missing', '--symbols', folder / module.get('folder', module['set']))
        listed = json.loads(tools.must('trace-info', path, '--modules', '-f', 'json', '--no-symbols').out)['symbol_files']
    result.equal(what + ': missing', alone.out.decode(), wanted + '\n' if wanted else '')
    result.equal(what + ': a module without an id is told of', b'1 module without symbols has no id' in alone.err, not wanted)
    result.equal(what + ': nothing is missing', alongside.out, b'')
    result.equal(what + ': modules', [(r['module'], r['state'], r['addresses'], r['wanted']) for r in listed],
                 [(name, 'not looked for', 1, wanted)])


# ---- what is kept: the cache, and symbols to send along ----

def frames_by_place(tools, path, *options):
    return [tuple(row[c] for c in COLUMNS) for row in table(tools, path, 'callstacks', COLUMNS, *options)]


def spoil(folder):
    """Other bytes in all files, whose size and time stay."""
    for file in folder.rglob('*'):
        if file.is_file() and not file.is_symlink():
            times = (file.stat().st_atime_ns, file.stat().st_mtime_ns)
            file.write_bytes(bytes(file.stat().st_size))
            os.utime(file, ns=times)


def check_cache(result, tools, maker, folder, module):
    """What a file of symbols answered is kept: the same once more without it, and never where it has changed."""
    what = '%s/%s' % (module['set'], module['image'])
    rows = list(expectations(folder, module))
    base = int(module['base'], 16)
    with tempfile.TemporaryDirectory() as work:
        work, path = pathlib.Path(work), pathlib.Path(work) / 'made.utrace'
        stacks = ['stack %x %x' % (n + 1, base + int(row['offset'], 16) + 1) for n, row in enumerate(rows)]
        copy = work / 'symbols'
        shutil.copytree(folder / module.get('folder', module['set']), copy)
        cache = work / 'cache' / 'tracekit' / 'symbols'
        with environment(XDG_CACHE_HOME=str(work / 'cache')):
            write(maker, path, ['format ' + module['format'], module_line(module)] + stacks[::2])
            half = frames_by_place(tools, path, '--symbols', copy)
            files = list(cache.iterdir()) if cache.exists() else []
            result.equal(what + ': files of the cache', [oct(f.stat().st_mode & 0o777) for f in files], ['0o600'])
            write(maker, path, ['format ' + module['format'], module_line(module)] + stacks)
            plain = frames_by_place(tools, path, '--symbols', copy, '--no-cache')
            result.equal(what + ': half in the cache', frames_by_place(tools, path, '--symbols', copy), plain)
            before = table(tools, path, 'symbol_files', ('module', 'state', 'file', 'found_by'), '--symbols', copy)
            spoil(copy)
            result.equal(what + ': from the cache', frames_by_place(tools, path, '--symbols', copy), plain)
            result.equal(what + ': from the cache, files',
                         table(tools, path, 'symbol_files', ('module', 'state', 'file', 'found_by'), '--symbols', copy), before)
            result.true(what + ': without the cache', frames_by_place(tools, path, '--symbols', copy, '--no-cache') != plain)
            result.true(what + ': in another place', frames_by_place(tools, path, '--symbols', work / 'cache') != plain)
            kept = files[0].read_bytes()
            for step in range(8):                       # of a cache that is damaged or foreign nothing is taken
                data = bytearray(kept)
                if step % 2:
                    data[len(data) * step // 8] ^= 0x10
                else:
                    del data[len(data) * step // 8:]
                files[0].write_bytes(data)
                result.true('%s: damaged cache, %d' % (what, step), frames_by_place(tools, path, '--symbols', copy) != plain)
            files[0].write_bytes(kept)
            for file in copy.rglob('*'):
                if file.is_file():
                    os.utime(file, (1, 1))
            result.true(what + ': symbols that have changed', frames_by_place(tools, path, '--symbols', copy) != plain)
        result.true(what + ': half is something', len(half) >= len(rows) // 2)


@contextlib.contextmanager
def environment(**values):
    before = {key: os.environ.get(key) for key in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for key, value in before.items():
            os.environ.pop(key) if value is None else os.environ.__setitem__(key, value)


def check_sent(result, tools, maker, folder, module):
    """A file of symbols that is sent along answers all, wherever it is, and nothing when it is damaged."""
    what = '%s/%s' % (module['set'], module['image'])
    rows = list(expectations(folder, module))
    base = int(module['base'], 16)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        path, sent, other = work / 'made.utrace', work / 'all.tksym', work / 'other'
        other.mkdir()
        lines = ['format ' + module['format'], module_line(module)]
        for n, row in enumerate(rows):
            lines.append('stack %x %x' % (n + 1, base + int(row['offset'], 16) + 1))
            lines.append('sample %x %x' % (2000 + n, base + int(row['offset'], 16)))
        write(maker, path, lines)
        where = folder / module.get('folder', module['set'])
        plain = frames_by_place(tools, path, '--symbols', where)
        samples = table(tools, path, 'sample_functions', ('function', 'file', 'line', 'excl', 'incl'), '--symbols', where)
        done = tools.must('trace-export', path, '-o', sent, '--symbols', where)
        result.equal(what + ': of another place', frames_by_place(tools, path, '--symbols', sent), plain)
        result.equal(what + ': samples', table(tools, path, 'sample_functions', ('function', 'file', 'line', 'excl', 'incl'),
                                               '--symbols', sent), samples)
        result.true(what + ': source paths are told of', b'source' in done.err)
        unnamed = frames_by_place(tools, path)
        shutil.copy(sent, work / 'made.tksym')
        result.equal(what + ': beside the capture', frames_by_place(tools, path), plain)
        (work / 'made.tksym').unlink()
        tools.must('trace-export', path, '-f', 'tksym', '-o', other / 'short.tksym', '--strip-paths', '--symbols', where)
        result.equal(what + ': without paths', frames_by_place(tools, path, '--symbols', other / 'short.tksym'),
                     [row[:6] + (row[6] and row[6].rsplit('/', 1)[-1],) + row[7:] for row in plain])
        result.true(what + ': no paths are in it', b'/forge/src' not in (other / 'short.tksym').read_bytes())
        data = sent.read_bytes()
        for step in range(1, 8):
            damaged = bytearray(data)
            if step % 2:
                damaged[len(data) * step // 8] ^= 1
            else:
                del damaged[len(data) * step // 8:]
            (other / 'damaged.tksym').write_bytes(damaged)
            got = tools.must('trace-stats', path, '-t', 'callstacks', '--symbols', other / 'damaged.tksym')
            result.true('%s: damaged, %d, is told of' % (what, step), b'damaged.tksym: ' in got.err)
            result.equal('%s: damaged, %d' % (what, step), frames_by_place(tools, path, '--symbols', other / 'damaged.tksym'),
                         unnamed)


# ---- whole captures, described ----

def described(case):
    lines = ['format ' + case['symbol_format']]
    for module in case['modules']:
        lines.append('module %s %s %s %s' % (module['base'], module['ue_size'], module['image_id'] or '-', module['name']))
    for stack in case['callstacks']:
        lines.append('stack %x %s' % (stack['id'], ' '.join(frame['address'][2:] for frame in stack['frames'])))
    for sample in case['samples']:
        lines.append('sample %x %s' % (1000 + sample['time_us'], ' '.join(f['address'][2:] for f in sample['frames'])))
    return lines


def displayed(row):
    if row['function']:
        return row['function']
    if row['module']:
        return '%s+%s' % (row['module'], row['offset'])
    return row['address']


def check_frame(result, what, frame, rows):
    if frame['frames'] is None:
        result.equal(what, displayed(rows[0]), frame['shown'])
    else:
        result.equal(what, loose(named(rows)), loose(frame['frames']))


def check_described(result, tools, maker, folder, name, case, where):
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / 'made.utrace'
        write(maker, path, described(case))
        found = stacks_of(table(tools, path, 'callstacks', COLUMNS, '--symbols', where))
        samples = table(tools, path, 'sample_rows', ('time', 'module', 'offset', 'address', 'function'), '--symbols', where)
        check_sums(result, tools, name, case, path, where)
        check_used(result, tools, name, case, path, where)
    for stack in case['callstacks']:
        for number, frame in enumerate(stack['frames']):
            check_frame(result, '%s: callstack %d, %d' % (name, stack['id'], number), frame,
                        found[(stack['id'], number)])
    for row, sample in zip(samples, sorted(case['samples'], key=lambda s: s['time_us'])):
        frame = sample['frames'][0]
        wanted = frame['shown'] if frame['frames'] is None else bare(frame['frames'][0]['function'], False)
        got = displayed(row)
        result.equal('%s: sample at %d' % (name, sample['time_us']), got if frame['frames'] is None else bare(got, False),
                     wanted)


def functions_of(stack):
    """The functions of a stack, the innermost first."""
    return [frame['function'] if isinstance(frame, dict) else frame
            for address in stack for frame in (address['frames'] or [address['shown']])]


def no_function(module):
    """What sums of samples have for all addresses of a module that are in no function that is known: its name, at most 255 bytes."""
    return '(no function in %s)' % (module.replace('\\', '/').rsplit('/', 1)[-1].encode()[:255].decode(errors='ignore') if module else 'no module')


def sampled_functions(stack):
    return functions_of([address if address['frames'] else {**address, 'shown': no_function(address['module'])} for address in stack])


def check_sums(result, tools, name, case, path, where):
    """Sums of samples by function, and as folded stacks, against brute force over the single samples."""
    own, incl, folded, named_so = collections.Counter(), collections.Counter(), collections.Counter(), set()
    for sample in case['samples']:
        named_so.update(sampled_functions(sample['frames']))
        functions = [bare(function, False) for function in sampled_functions(sample['frames'])]
        own[functions[0]] += 1
        incl.update(set(functions))
        folded[';'.join(reversed(functions))] += 1
    rows = table(tools, path, 'sample_functions', ('function', 'excl', 'excl_share', 'incl'), '--symbols', where)
    got_own, got_incl = collections.Counter(), collections.Counter()
    for row in rows:
        got_own[bare(row['function'], False)] += row['excl']
        got_incl[bare(row['function'], False)] += row['incl']
        result.true('%s: share of %s' % (name, row['function']), abs(row['excl_share'] - row['excl'] / len(case['samples'])) < 1e-9)
    result.equal(name + ': own samples', {key: n for key, n in got_own.items() if n}, dict(own))
    result.equal(name + ': samples in and below', dict(got_incl), dict(incl))
    done = tools.must('trace-export', path, '--format', 'folded', '--weight', 'samples', '--symbols', where, '--output', '-')
    got = collections.Counter()
    for line in done.out.decode().splitlines():
        stack, count = line.rsplit(' ', 1)
        got[';'.join(bare(part, False) for part in stack.split(';'))] += int(count)
    result.equal(name + ': folded', dict(got), dict(folded))
    profile = pathlib.Path(path).with_suffix('.pb.gz')
    tools.must('trace-export', path, '--format', 'pprof', '--weight', 'samples', '--symbols', where, '--output', profile)
    texts = gzip.decompress(profile.read_bytes())
    result.equal(name + ': functions of pprof', [f for f in named_so if '<' not in f and f.encode() not in texts], [])


def check_used(result, tools, name, case, path, where):
    """The table of symbol files: all addresses of modules with a file are found."""
    files = {module['name'].replace('\\', '/').rsplit('/', 1)[-1]: module['file'] for module in case['modules']}
    for row in table(tools, path, 'symbol_files', ('module', 'state', 'addresses', 'resolved', 'wanted'), '--symbols', where):
        wanted = 'no file' if files[row['module']] is None else 'matched'
        result.true('%s: symbols of %s' % (name, row['module']), row['state'] in (wanted, wanted + ' by size'))
        result.equal('%s: addresses of %s' % (name, row['module']), row['resolved'], row['addresses'] if files[row['module']] else 0)


PLACES = {'linux-gcc': 'elf', 'linux-clang': 'elf-lld', 'windows': 'store', 'mac': 'macho'}


def check_folder(result, tools, maker, folder):
    if (folder / 'modules.json').exists():
        modules = json.loads((folder / 'modules.json').read_text(encoding='utf-8'))
        for module in modules:
            result.attempt(check_module, tools, maker, folder, module)
            result.attempt(check_missing, tools, maker, folder, module)
        result.attempt(check_other_build, tools, maker, folder, modules)
        result.attempt(check_without_id, tools, maker, folder, next(m for m in modules if m['set'] == 'pe'))
        result.attempt(check_bomb, tools, maker, folder, next(m for m in modules if m['set'] == 'elf-shared'))
        result.attempt(check_ranges, tools, maker, folder, next(m for m in modules if m['set'] == 'elf' and m['name'] == 'libmesh.so'))
        result.attempt(check_breakpad, tools, maker, folder, next(m for m in modules if m['set'] == 'macho'))
        result.attempt(check_breakpad_stores, tools, maker)
        result.attempt(check_useless, tools, maker, folder, next(m for m in modules if (m['set'], m['image']) == ('elf', 'libmesh')))
        kept = [m for m in modules if (m['set'], m['image']) in (('elf-lld', 'libmesh'), ('pe', 'mesh'), ('macho', 'libmesh'))]
        for module in kept:
            result.attempt(check_cache, tools, maker, folder, module)
            result.attempt(check_sent, tools, maker, folder, module)
        for module in modules:
            if module['image'] == 'libmesh' or module['image'] == 'mesh':
                result.attempt(check_cut, tools, maker, folder, module)
    if (folder / 'capture.json').exists():
        for name, case in json.loads((folder / 'capture.json').read_text(encoding='utf-8')).items():
            result.attempt(check_described, tools, maker, folder, name, case, folder / PLACES[name])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--maker', required=True)
    parser.add_argument('folders', nargs='+')
    arguments = parser.parse_args()
    tools = commands.Commands(arguments.bin)
    found = report.Report()
    with tempfile.TemporaryDirectory() as cache, environment(XDG_CACHE_HOME=cache):
        for folder in arguments.folders:
            found.run(folder, check_folder, tools, arguments.maker, pathlib.Path(folder))
    return found.close()


if __name__ == '__main__':
    sys.exit(main())
