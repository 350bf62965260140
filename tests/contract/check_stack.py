#!/usr/bin/env python3
"""All commands on a stack of 64 KB: they print and return what they do on the usual one (SECURITY.md).

usage: check_stack.py --bin DIRECTORY FIXTURES
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'harness'))
import report  # noqa: E402

STACK = 64 << 10
REQUEST = (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"timers","arguments":{"capture":"tiny.utrace"}}}\n'
           b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n')


CAPTURES = ('pairs/captures/all.json', 'pairs/captures/all.csv', 'fuzz/corpus/perfetto/made-pf-plain', 'fuzz/corpus/fxt/made-fxt-pairs')
DEEP = 100_000          # levels of JSON


def small():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))


def questions(fixtures, capture):
    """(words, input) of each command at least once, with what it does most; OUT is a file to write."""
    game, tracy, run = fixtures / 'net.utrace', fixtures / 'tracy' / 'ctx-0.14.0.tracy', fixtures / 'baseline-v4-a.tkb'
    for words in (
            ['info', '--full', capture], ['info', tracy], ['events', '--format', 'ndjson', capture],
            ['stats', capture], ['stats', '--hitches', capture], ['stats', '--tree', game],
            ['stats', '-t', 'health,timers,scopes,samples,memory,types,verse', '--format', 'json', capture],
            ['stats', '-t', 'timers', '--format', 'plot', capture],
            ['diff', run, fixtures / 'baseline-v4-b.tkb'], ['diff', '--memory', fixtures / 'game.utrace.zst', fixtures / 'game.utrace.zst'],
            ['baseline', 'add', 'OUT', capture], ['trend', '--csv', fixtures / 'trend' / 'h11'],
            ['query', capture, 'SELECT timer, sum(excl) FROM timers GROUP BY timer ORDER BY 2 DESC'],
            ['report', '-o', 'OUT', capture], ['report', '-o', 'OUT', tracy],
            ['edit', '--anonymise=all', '-o', 'OUT', capture], ['edit', '--to', '10ms', '-o', 'OUT', game],
            ['edit', '--anonymise', '-o', 'OUT', tracy],
            ['cache', 'list'], ['control', '127.0.0.1:1', 'channels'], ['record', 'tracy://127.0.0.1:1', '-o', 'OUT'],
            ['check', '--budget', fixtures / 'none.json', capture], ['view', fixtures / 'none.utrace']):
        yield words, b''
    for name in ('chrome', 'perfetto', 'speedscope', 'folded', 'flamegraph', 'pprof', 'tracy', 'sqlite', 'csv', 'ndjson',
                 'parquet', 'arrow'):
        yield ['export', '--format', name, '-o', 'OUT', capture], b''
    yield ['mcp', fixtures], REQUEST
    tests = pathlib.Path(__file__).resolve().parent.parent
    for other in (tests / name for name in CAPTURES):
        yield ['stats', '-t', 'health,timers,scopes,logs,counters,regions', other], b''
        yield ['events', other], b''
        yield ['report', '-o', 'OUT', other], b''
    yield ['stats', '-t', 'health,timers', '-'], deep_json()
    yield ['events', '-'], deep_protobuf()


def deep_json():
    return b'[{"ph":"X","ts":1,"dur":1,"name":"a","args":{"v":' + b'[' * DEEP + b']' * DEEP + b'}}]'


def deep_protobuf():
    """Annotations inside of each other (import 5.5), as many as fit in 256 KB."""
    content = b''
    while len(content) < 1 << 18:
        content = b'\x5a' + varint(len(content)) + content             # 11: a dictionary in it
    event = b'\x48\x01\x22' + varint(len(content)) + content
    packet = b'\x40\x01\x50\x07\x5a' + varint(len(event)) + event
    return b'\x0a' + varint(len(packet)) + packet


def varint(n):
    out = b''
    while n >= 0x80:
        out, n = out + bytes([n & 0x7f | 0x80]), n >> 7
    return out + bytes([n])


def files_below(path):
    """The bytes of a file, or of all files of a folder by name."""
    if path.is_dir():
        return {str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob('*')) if p.is_file()}
    return path.read_bytes() if path.exists() else None


def run(program, words, data, work, limit):
    """What it printed, returned, and wrote."""
    out = work / 'out'
    with tempfile.TemporaryDirectory(dir=work) as place:
        out = pathlib.Path(place) / 'out'
        done = subprocess.run([str(program), *(str(out) if w == 'OUT' else str(w) for w in words)], input=data,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit, cwd=work, timeout=300,
                              env={**os.environ, 'XDG_CACHE_HOME': place, 'HOME': place})
        hide = place.encode()
        return (done.returncode, done.stdout.replace(hide, b''), done.stderr.replace(hide, b''), files_below(out))


def check_words(result, program, words, data, work):
    wanted, got = (run(program, words, data, work, limit) for limit in (None, small))
    result.true('it ends by itself, and knows its options', wanted[0] not in (2,) and wanted[0] >= 0)
    result.equal('status (%s)' % got[2].decode(errors='replace').strip(), got[0], wanted[0])
    result.equal('output', got[1], wanted[1])
    result.equal('messages', *(re.sub(rb'\d+ bytes more', b'N bytes more', one[2]) for one in (got, wanted)))  # keys are random
    same = not {'sqlite', '--anonymise', '--anonymise=all'} & set(map(str, words))  # else there is chance in it
    result.true('what it writes', got[3] == wanted[3] if same else bool(got[3]) == bool(wanted[3]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('fixtures', type=pathlib.Path)
    args = parser.parse_args()
    reports = report.Report()
    program, fixtures = (args.bin / 'tracekit').resolve(), args.fixtures.resolve()
    with tempfile.TemporaryDirectory() as folder:
        for words, data in questions(fixtures, fixtures / 'tiny.utrace'):
            reports.run(' '.join(os.path.basename(str(w)) for w in words), check_words, program, words, data,
                        pathlib.Path(folder))
    return reports.close()


if __name__ == '__main__':
    sys.exit(main())
