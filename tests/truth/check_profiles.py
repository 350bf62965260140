#!/usr/bin/env python3
"""Profiles without times: pprof, collapsed stacks and files of speedscope are read with their weights, and those that Tracekit exports have the sums of
the capture that they come from. Sums of the files are made here, of their bytes.

usage: check_profiles.py --bin DIRECTORY FIXTURES
"""

import argparse
import collections
import gzip
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness'), str(HERE.parent / 'decoders')]
import commands         # noqa: E402
import import_parts     # noqa: E402
import report           # noqa: E402

SCOPES = ('tiny.utrace', 'tracy/ctx-0.14.0.tracy')
NO_PROFILES = ('a;b 1\nc\n', 'a 1\nb 2\n', 'a;b one\n', 'a;b 1.5\n', 'a;b 1\n' * 99 + 'a;b\n', ';1\n', 'x = 1;\ny = 2;\n')


def sums(stacks):
    """Of (functions from the outermost on, weight): function -> [exclusive, inclusive]."""
    out = collections.defaultdict(lambda: [0, 0])
    for functions, weight in stacks:
        out[functions[-1]][0] += weight
        for name in set(functions):
            out[name][1] += weight
    return {name: pair for name, pair in out.items() if pair != [0, 0]}


def collapsed(text):
    for line in text.splitlines():
        stack, _, weight = line.rpartition(' ')
        if stack:
            yield stack.split(';'), int(weight)


# ---- pprof ----

def message(data):
    out = collections.defaultdict(list)
    for number, _, value, _ in import_parts.fields(data):
        out[number].append(value)
    return out


def numbers(values):
    for value in values:
        if isinstance(value, int):
            yield value
            continue
        at = 0
        while at < len(value):
            number, at = import_parts.varint(value, at)
            yield number


def pprof(data):
    """Stacks with the value of the default type."""
    profile = message(gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data)
    texts = [text.decode() for text in profile[6]]
    types = [message(m)[1][0] for m in profile[1]]
    wanted = types.index(profile[14][0]) if profile[14] else len(types) - 1
    functions = {m[1][0]: texts[m[2][0]] for m in map(message, profile[5])}
    places = {m[1][0]: [functions[message(line)[1][0]] for line in m[4]] for m in map(message, profile[4])}
    for m in map(message, profile[2]):
        stack = [name for place in numbers(m[1]) for name in places[place]]
        yield stack[::-1], list(numbers(m[2]))[wanted]


def varint(value):
    return import_parts.put_varint(value)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def made_pprof(packed, default):
    """Samples: main;run;(inlined) leaf 7 and 70, main;run 5 and 50, main 0 and 9, one of an unknown place, one below zero."""
    texts = ('', 'samples', 'count', 'cpu', 'nanoseconds', 'main', 'run', 'leaf', 'a.c', 'thread', 'worker')
    places = ((1,), (2,), (3, 2))           # functions of locations 11, 12, 13, the innermost first
    samples = ((13, 11, 7, 70), (12, 11, 5, 50), (11, 0, 9), (99, 11, 1, 3), (11, 1, (1 << 64) - 4))
    out = b''.join(field(2, (field(1, b''.join(map(varint, s[:-2]))) if packed else b''.join(field(1, n) for n in s[:-2])) +
                         field(2, b''.join(map(varint, s[-2:]))) + (field(3, field(1, 9) + field(2, 10)) if s[0] == 12 else b''))
                   for s in samples)
    out += b''.join(field(4, field(1, 11 + i) + field(3, 4096 + i) + b''.join(field(4, field(1, f) + field(2, 30 + f)) for f in place))
                    for i, place in enumerate(places))
    out += b''.join(field(5, field(1, i) + field(2, 4 + i) + field(4, 8)) for i in (1, 2, 3))
    out += b''.join(field(6, text.encode()) for text in texts)
    types = field(1, field(1, 1) + field(2, 2)) + field(1, field(1, 3) + field(2, 4))
    return types + out + (field(14, default) if default else b'')


# ---- what is read ----

class Tools(commands.Commands):
    def functions(self, path, *words):
        done = self.run('trace-stats', path, '-t', 'sample_functions', '-f', 'json', *words)
        if done.status not in (0, 4):
            raise commands.CommandError(done.describe())
        return json.loads(done.out)['sample_functions'], done.status

    def sums(self, path):
        return {row['function']: [row['excl'], row['incl']] for row in self.functions(path)[0] if row['excl'] or row['incl']}

    def excl(self, path):
        done = self.run('trace-stats', path, '-t', 'timers', '-c', 'timer,excl', '-f', 'json')
        out = collections.Counter()
        for row in json.loads(done.out)['timers']:
            out[row['timer']] += row['excl']
        return out


def check_collapsed(result, tools, work):
    path = work / 'made.txt'
    text = 'main;run;leaf 7\nmain;run 5\r\nmain;run;run 2\n\nmain 0\nmain;a b [k] 3'
    path.write_bytes(b'\xef\xbb\xbf' + text.encode())
    result.equal('sums', tools.sums(path), sums(collapsed(text)))
    path.write_text('a;b 1\n' * 100 + 'a;b\n\na;c 4\n')
    rows, status = tools.functions(path)
    result.equal('a line that is no stack', status, 4)
    result.equal('the others', {row['function']: row['excl'] for row in rows}, {'a': 0, 'b': 100, 'c': 4})
    for text in NO_PROFILES:
        path.write_text(text)
        done = tools.run('trace-stats', path)
        result.equal('no profile: %r' % text[:20], done.status, 3)
    for form in ('utf-16', 'utf-16-be'):
        path.write_bytes(b'\xfe\xff' * (form != 'utf-16') + 'main;a 3\n'.encode(form))
        done = tools.run('trace-stats', path)
        result.equal('no profile: ' + form, (done.status, b'UTF-16' in done.err), (3, True))


def check_pprof(result, tools, work):
    for packed in (False, True):
        for default in (0, 1, 3):
            path = work / 'made.prof'
            path.write_bytes(made_pprof(packed, default))
            one = default == 1
            wanted = {'leaf': [7, 7] if one else [70, 70], 'run': [5, 12] if one else [50, 120],
                      'main': [1 + 1, 14] if one else [9 + 3, 132]}
            what = 'packed %d, default type %d: ' % (packed, default)
            rows, status = tools.functions(path)
            result.equal(what + 'status', status, 0 if one else 4)      # a value below zero is left out
            result.equal(what + 'sums', {row['function']: [row['excl'], row['incl']] for row in rows}, wanted)
            rows, _ = tools.functions(path, '--by', 'thread')
            result.equal(what + 'thread', [(r['function'], r['excl']) for r in rows if r['thread'] == 'worker' and r['excl']],
                         [('run', 5 if one else 50)])
    path.write_bytes(made_pprof(False, 0)[:-7])
    result.true('cut', 'file_truncated' in tools.run('trace-stats', path, '-t', 'health', '-f', 'json').out.decode())


def check_speedscope(result, tools, work):
    path = work / 'made.json'
    frames = [{'name': 'main'}, {'name': 'run', 'file': 'a.c', 'line': 7}, {'name': 'leaf'}]
    for unit, scale in (('none', 1), ('bytes', 1), ('nanoseconds', 1), ('microseconds', 1000), ('seconds', 10 ** 9)):
        sampled = {'type': 'sampled', 'name': 'one', 'unit': unit, 'startValue': 0, 'endValue': 9,
                   'samples': [[0, 1, 2], [0, 1], [0, 99], []], 'weights': [4, 2, 1, 0]}
        events = ((0, 0, 'O'), (1, 1, 'O'), (3, 1, 'C'), (9, 0, 'C'))
        evented = {'type': 'evented', 'name': 'two', 'unit': unit, 'startValue': 0, 'endValue': 9,
                   'events': [{'type': kind, 'frame': frame, 'at': at} for at, frame, kind in events]}
        path.write_text(json.dumps({'$schema': 'https://www.speedscope.app/file-format-schema.json', 'profiles': [sampled, evented],
                                    'shared': {'frames': frames}}))
        wanted = {'main': [1, 7], 'run': [2, 6], 'leaf': [4, 4]}
        result.equal(unit + ': samples', tools.sums(path), {name: [n * scale for n in pair] for name, pair in wanted.items()})
        result.equal(unit + ': scopes', tools.excl(path), {'main': 7 * scale, 'run': 2 * scale})
        rows = json.loads(tools.run('trace-stats', path, '-t', 'threads', '-c', 'thread,thread_id', '-f', 'json').out)['threads']
        result.equal(unit + ': threads', sorted((row['thread_id'], row['thread']) for row in rows), [(1, 'one'), (2, 'two')])


def check_own(result, tools, work, capture):
    excl = {name: ns for name, ns in tools.excl(capture).items() if ns}
    for form, ending, stacks in (('folded', 'folded', lambda data: collapsed(data.decode())), ('pprof', 'pb.gz', pprof)):
        path = work / ('own.' + ending)
        done = tools.run('trace-export', capture, '-f', form, '-o', path, '--force')
        result.true(done.describe(), done.status in (0, 4))
        read = tools.sums(path)
        result.equal(form + ': sums of the file', read, sums(stacks(path.read_bytes())))
        result.equal(form + ': as the capture', {name: pair[0] for name, pair in read.items() if name in excl and pair[0]}, excl)
    path = work / 'own.json'
    done = tools.run('trace-export', capture, '-f', 'speedscope', '-o', path, '--force')
    result.true(done.describe(), done.status in (0, 4))
    read = tools.excl(path)
    result.equal('speedscope: as the capture', {name: ns for name, ns in read.items() if name in excl}, excl)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('fixtures', type=pathlib.Path)
    words = parser.parse_args()
    tools, run = Tools(words.bin), report.Report()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        run.run('collapsed', check_collapsed, tools, work)
        run.run('pprof', check_pprof, tools, work)
        run.run('speedscope', check_speedscope, tools, work)
        for name in SCOPES:
            run.run('own exports of ' + name, check_own, tools, work, words.fixtures / name)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
