#!/usr/bin/env python3
"""Captures in ZIP and TAR archives: each member gives what the file alone gives, whatever made the archive; several are
named; manifests of merged traces are checked; archives that are damaged, cut, crowded or made to grow are refused in one
sentence. Archives are made here by Python's modules, and by hand where those cannot.

usage: check_archives.py --bin DIRECTORY [--corpus DIRECTORY] FIXTURES
"""

import argparse
import gzip
import io
import json
import pathlib
import struct
import sys
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402

TABLES = 'timers,threads,capture'
LONG = 'a-folder-with-a-long-name/' * 9 + 'capture.json'


def trace(name, dur=7):
    return json.dumps({'traceEvents': [{'ph': 'X', 'pid': 1, 'tid': 2, 'ts': 10, 'dur': dur, 'name': name}]}).encode()


def tar(members, form=tarfile.PAX_FORMAT, **how):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=form) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for name, kind in how.items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, '/etc/passwd'
            archive.addfile(info)
    return out.getvalue()


def zip_of(members, method=zipfile.ZIP_DEFLATED, comment=b''):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', method) as archive:
        for name, content in members:
            archive.writestr(name, content)
        archive.comment = comment
    return out.getvalue()


def wide_zip(name, content):
    """A ZIP whose numbers are those of 64 bits, as writers make where they do not know the size."""
    name, far = name.encode(), 0xffffffff
    extra = struct.pack('<HHQQ', 1, 16, len(content), len(content))
    crc = __import__('zlib').crc32(content)
    local = struct.pack('<4sHHHHHIIIHH', b'PK\3\4', 45, 0, 0, 0, 0, crc, far, far, len(name), len(extra)) + name + extra + content
    extra = struct.pack('<HHQQQ', 1, 24, len(content), len(content), 0)
    entry = struct.pack('<4sHHHHHHIIIHHHHHII', b'PK\1\2', 45, 45, 0, 0, 0, 0, crc, far, far, len(name), len(extra), 0, 0, 0, 0, far)
    entry += name + extra
    at = len(local) + len(entry)
    end = struct.pack('<4sQHHIIQQQQ', b'PK\6\6', 44, 45, 45, 0, 0, 1, 1, len(entry), len(local))
    end += struct.pack('<4sIQI', b'PK\6\7', 0, at, 1)
    return local + entry + end + struct.pack('<4sHHHHIIH', b'PK\5\6', 0, 0, 0xffff, 0xffff, far, far, 0)


def tables(tools, path):
    return tools.must('trace-stats', path, '-t', TABLES, '-f', 'json', '--exact').out


def check_alone(result, tools, work, capture):
    """A capture alone in an archive, with what is no capture around it."""
    content, name = capture.read_bytes(), capture.name
    others = [('README.txt', b'read me\n'), ('._' + name, content), ('.hidden/' + name, content), ('empty', b'')]
    want = tables(tools, capture)
    archives = {
        'plain.tar': tar([*others, (name, content)]),
        'gnu.tar': tar([(LONG, content)], tarfile.GNU_FORMAT),
        'pax.tar': tar([(LONG, content)], tarfile.PAX_FORMAT),
        'ustar.tar': tar([(LONG[-120:], content)], tarfile.USTAR_FORMAT),
        'dots.tar': tar([('./' + name, content)], folder=tarfile.DIRTYPE, link=tarfile.SYMTYPE),
        'packed.tar.gz': gzip.compress(tar([(name, content)])),
        'stored.zip': zip_of([*others, (name, content)], zipfile.ZIP_STORED),
        'deflated.zip': zip_of([*others, (name, content)], comment=b'PK\5\6 is no end'),
        'twice.zip': zip_of([(name + '.gz', gzip.compress(content))]),
        'wide.zip': wide_zip(name, content),
    }
    for archive, data in archives.items():
        (work / archive).write_bytes(data)
        result.equal('%s in %s' % (name, archive), tables(tools, work / archive), want)


def refused(result, tools, path, *words):
    done = tools.run('trace-info', path)
    said = done.err.decode(errors='replace')
    result.equal('status of %s (%s)' % (path, said[:200]), done.status, 3)
    result.equal('one sentence about %s' % path, said.count('\n'), 1)
    for word in words:
        result.true('%s in: %s' % (word, said), word in said)


def check_several(result, tools, work):
    members = [('a.json', trace('one', 3)), ('dir/b.json', trace('two', 5)), ('notes.txt', b'x'), ('c.json', trace('three', 8))]
    for name, data in (('several.tar', tar(members)), ('several.zip', zip_of(members))):
        path = work / name
        path.write_bytes(data)
        refused(result, tools, path, '3 captures', "'a.json'", "'dir/b.json'", name + '/a.json')
        for member, timer, dur in (('a.json', 'one', 3), ('dir/b.json', 'two', 5), ('./c.json', 'three', 8)):
            rows = json.loads(tools.must('trace-stats', '%s/%s' % (path, member), '-t', 'timers', '-f', 'json').out)['timers']
            result.equal(member, [(row['timer'], row['total']) for row in rows], [(timer, dur * 1000)])
            session = json.loads(tools.must('trace-stats', '%s/%s' % (path, member), '-t', 'session', '-f', 'json').out)['session']
            result.equal('name of ' + member, session['archive_member'], member.removeprefix('./'))
        refused(result, tools, '%s/%s' % (path, 'gone.json'), "no 'gone.json'")
        refused(result, tools, '%s/%s' % (path, 'notes.txt'), 'not a capture')
        refused(result, tools, '%s/a.json/b' % path, "no 'a.json/b'")
    (work / 'plain.json').write_bytes(trace('x'))
    refused(result, tools, '%s/x' % (work / 'plain.json'), 'no archive')
    refused(result, tools, work / 'gone.tar' / 'x', 'gone.tar/x')


def check_manifest(result, tools, work):
    def manifest(**more):
        return json.dumps({'perfetto_manifest': {'version': 1, **more}}).encode()
    files = [('a.json', trace('one')), ('b.json', trace('two'))]
    named = {'files': [{'path': 'a.json', 'machine': {'name': 'server'}},
                       {'path': 'b.json', 'machines': [{'id': 1, 'name': 'pc'}],
                        'clocks': {'sync_to': {'file': 'a.json', 'clock': 'BOOTTIME'}, 'offset_ns': -1250}}]}
    good = work / 'manifest.tar'
    good.write_bytes(tar([files[0], ('any.json', b'\n {\t' + manifest(**named)[1:]), files[1]]))
    refused(result, tools, good, '2 captures')
    for member, want in (('a.json', ('server', None, None)), ('b.json', ('pc', -1250, 'a.json'))):
        session = json.loads(tools.must('trace-stats', good / member, '-t', 'session', '-f', 'json').out)['session']
        result.equal(member, tuple(session.get(k) for k in ('machine', 'clock_offset_ns', 'clock_of')), want)
    for number, (content, word) in enumerate((
            (manifest(version=2), 'another version'), (b'{"perfetto_manifest": 7}', 'not JSON'),
            (b'{"perfetto_manifest": {"version": 1', 'not JSON'), (manifest(files={}), 'list of files'),
            (manifest(files=[{}]), 'without a path'), (manifest(files=[{'path': 3}]), 'no text'),
            (manifest(files=[{'path': 'x.json'}]), "'x.json'"),
            (manifest(trace_time={'file': 'gone.json'}), "'gone.json'"),
            (manifest(files=[{'path': 'a.json', 'clocks': {'sync_to': {'file': 'y'}}}]), "'y'"))):
        path = work / ('bad%d.tar' % number)
        path.write_bytes(tar([*files, ('m.json', content)]))
        refused(result, tools, path, "'m.json'", word)
        refused(result, tools, path / 'a.json', "'m.json'", word)
    path = work / 'two.tar'
    path.write_bytes(tar([*files, ('m.json', manifest()), ('n.json', manifest())]))
    refused(result, tools, path, 'two manifests', "'m.json'", "'n.json'")


def check_hostile(result, tools, work):
    one = ('a.json', trace('one'))
    many = [('%d.txt' % i, b'x') for i in range(1001)]
    inner = zip_of([one])
    locked = bytearray(zip_of([one]))
    for mark, at in ((b'PK\3\4', 6), (b'PK\1\2', 8)):
        locked[locked.index(mark) + at] |= 1
    bad_sum = bytearray(zip_of([one]))
    bad_sum[bad_sum.index(b'PK\1\2') + 16] ^= 1
    bad_start = bytearray(zip_of([one], zipfile.ZIP_STORED))
    struct.pack_into('<I', bad_start, bad_start.index(b'PK\1\2') + 42, 1)
    odd = bytearray(zip_of([one]))
    for mark, at in ((b'PK\3\4', 8), (b'PK\1\2', 10)):
        odd[odd.index(mark) + at] = 12
    empty = bytearray(zip_of([one]))
    struct.pack_into('<I', empty, empty.index(b'PK\1\2') + 20, 0)
    far = tar([('f/' * 2100 + 'a.json', trace('one'))])
    zero = zip_of([one]).replace(b'a.json', b'a\0json')
    bomb = zip_of([('a.json', trace('one') + b' ' * (200 << 20))])
    cases = {
        'nothing.tar': (tar([]) + bytes(512), ()), 'nothing.zip': (zip_of([]), ('no capture',)),
        'text.zip': (zip_of([('a.txt', b'x' * 99)]), ('no capture',)), 'nested.zip': (zip_of([('a.zip', inner)]), ('no capture',)),
        'crowded.tar': (tar(many), ("'members'", '1000')), 'crowded.zip': (zip_of(many), ("'members'",)),
        'cut.zip': (zip_of([one])[:-30], ('its end is missing',)), 'locked.zip': (bytes(locked), ('password',)),
        'sum.zip': (bytes(bad_sum), ('checksum',)), 'start.zip': (bytes(bad_start), ("'a.json' begins",)),
        'odd.zip': (bytes(odd), ('(12)',)), 'empty.zip': (bytes(empty), ('no capture',)), 'far.tar': (far, ('more than 4096 bytes',)), 'zero.zip': (zero, ('a zero byte',)), 'damaged.tar': (tar([('x', b'x'), one]).replace(b'a.json\0', b'b.json\0', 1), ('damaged at byte 1024',)),
    }
    for name, (data, words) in cases.items():
        (work / name).write_bytes(data)
        refused(result, tools, work / name, *words)
    refused(result, tools, work / 'empty.zip' / 'a.json', 'a.json')
    (work / 'bomb.zip').write_bytes(bomb)
    done = tools.run('trace-info', work / 'bomb.zip', '--limit', 'unpacked_ratio=100')
    result.equal('status of a bomb', done.status, 3)
    result.true('ratio', b"'unpacked_ratio'" in done.err)
    done = tools.run('trace-info', work / 'bomb.zip', '--limit', 'unpacked_bytes=1000')
    result.true('bytes', done.status == 3 and b"'unpacked_bytes'" in done.err)
    path = work / 'outside.zip'
    path.write_bytes(zip_of([('../../outside.json', trace('one'))], zipfile.ZIP_DEFLATED))
    result.equal('a name that leads outside is a name', tools.run('trace-info', '%s/../../outside.json' % path).status, 0)
    result.true('and nothing is written by it', not (work.parent.parent / 'outside.json').exists())


def check_cut_tar(result, tools, work):
    """A TAR that ends early has its last capture as far as it goes."""
    lines = b','.join(b'{"ph":"X","pid":1,"tid":1,"ts":%d,"dur":1,"name":"x"}' % i for i in range(100))
    data = tar([('a.json', b'[' + lines + b']')])
    (work / 'cut.tar').write_bytes(data[:512 + lines.rindex(b'{', 0, 3000) + 5])
    done = tools.run('trace-stats', work / 'cut.tar', '-t', 'timers,health', '-f', 'json')
    found = json.loads(done.out)
    result.equal('status', done.status, 0)
    result.equal('scopes before the cut', found['timers'][0]['count'], lines[:lines.rindex(b'{', 0, 3000)].count(b'{'))
    result.true('said', any(row['kind'] == 'file_truncated' for row in found['health']))


def check_corpus(result, tools, corpus):
    merged = corpus / 'import2' / 'merged.tar'
    truth = json.loads((corpus / 'import2' / 'truth.json').read_text())
    for archive in ('merged.tar', 'merged.zip'):
        path = corpus / 'import2' / archive
        refused(result, tools, path, '%d captures' % len(truth[archive]['members']))
        for member, scopes in truth[archive]['members'].items():
            rows = json.loads(tools.must('trace-stats', path / member, '-t', 'timers', '-f', 'json').out)['timers']
            result.equal(member, {row['timer']: row['total'] for row in rows}, scopes)
    refused(result, tools, merged / 'perfetto_manifest.json', 'manifest')
    for archive, word in (('bad-version', 'version'), ('two-manifests', 'two manifests'), ('unknown-file', "'gone.pftrace'")):
        refused(result, tools, corpus / 'studio' / 'merged' / (archive + '.tar'), word)
    for archive in ('three.tar', 'three-deflated.zip', 'three-stored.zip'):
        for member, timer, count, dur in (('client.pftrace', 'Frame', 10, 15e6), ('server.pftrace', 'Request', 20, 5e6), ('tools/bake.json', 'Bake', 6, 2e6)):
            rows = json.loads(tools.must('trace-stats', corpus / 'studio' / 'merged' / archive / member, '-t', 'timers', '-f', 'json').out)['timers']
            result.equal('%s of %s' % (member, archive), [(r['timer'], r['count'], r['total']) for r in rows], [(timer, count, count * dur)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--corpus', type=pathlib.Path)
    parser.add_argument('fixtures', type=pathlib.Path)
    args = parser.parse_args()
    tools, said = commands.Commands(args.bin), report.Report()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / 'plain.json').write_bytes(trace('alone'))
        for capture in (work / 'plain.json', args.fixtures / 'tiny.utrace', args.fixtures / 'tracy' / 'ctx-0.14.0.tracy'):
            said.run(capture.name, check_alone, tools, work, capture)
        for check in (check_several, check_manifest, check_hostile, check_cut_tar):
            said.run(check.__name__, check, tools, work)
    if args.corpus and (args.corpus / 'import2' / 'merged.tar').exists():
        said.run('corpus', check_corpus, tools, args.corpus)
    return said.close()


if __name__ == '__main__':
    sys.exit(main())
