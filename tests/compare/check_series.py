#!/usr/bin/env python3
"""Runs for databases of time series: every line of OpenMetrics and of the line protocol of InfluxDB is read by a strict reader, and
has the values that were made; names with quotes, backslashes, commas and other scripts come back as they were.

usage: check_series.py --bin DIRECTORY
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'harness')]
import commands  # noqa: E402
import report    # noqa: E402

FRAMES = 120
NAMES = {'Draw/Calls': 7, 'a,b=c d': 8, '動畫': 9}
MAPS = ['Har"bor', 'C:\\maps\\', 'a,b=c d', '港口']
WHEN, SECONDS = '2026-11-27T01:00:00Z', 1795741200


def make(path, slow, names):
    """Frames of 10 ms, each tenth `slow` ms."""
    time, events = 1000, [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1, 'args': {'name': 'GameThread'}}]
    for frame in range(FRAMES):
        events.append({'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': 1, 'ts': time})
        for name, value in names.items():
            events.append({'ph': 'C', 'name': name, 'pid': 1, 'tid': 1, 'ts': time + 5, 'args': {'value': value}})
        length = (slow if frame % 10 == 9 else 10) * 1000
        events.append({'ph': 'X', 'name': 'Tick', 'pid': 1, 'tid': 1, 'ts': time + 2, 'dur': length - 10})
        time += length
    events.append({'ph': 'i', 'name': 'Frame', 's': 't', 'pid': 1, 'tid': 1, 'ts': time})
    path.write_text(json.dumps({'traceEvents': events}))


METRIC, LABEL = r'[a-zA-Z_:][a-zA-Z0-9_:]*', r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
NUMBER = r'-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?'


def read_openmetrics(text):
    """{name: {labels: (value, time)}}; every rule of the text format that applies to gauges."""
    lines = text.split('\n')
    assert lines[-2:] == ['# EOF', ''], lines[-3:]
    found, family, units = {}, None, {}
    for line in lines[:-2]:
        about = re.fullmatch(r'# (HELP|TYPE|UNIT) (%s) (.*)' % METRIC, line)
        if about:
            kind, name, rest = about.groups()
            if name != family:
                assert name not in found and kind == 'HELP', ('families are mixed', line)
                family, found[name] = name, {}
            assert not found[name], ('behind a sample', line)
            assert kind != 'TYPE' or rest == 'gauge', line
            if kind == 'UNIT':
                assert name.endswith('_' + rest), line
                units[name] = rest
            continue
        sample = re.fullmatch(r'(%s)\{((?:%s,?)*)\} (%s)(?: (%s))?' % (METRIC, LABEL.replace('(', '(?:').replace('(?:?:', '(?:'), NUMBER, NUMBER), line)
        assert sample and sample[1] == family, line
        labels = tuple((key, re.sub(r'\\(.)', lambda m: {'n': '\n'}.get(m[1], m[1]), value)) for key, value in re.findall(LABEL, sample[2]))
        assert len({key for key, _ in labels}) == len(labels) and labels not in found[family], line
        found[family][labels] = float(sample[3]), sample[4] and float(sample[4])
    return found


def split_on(text, separator):
    """At separators that no backslash stands before."""
    return re.split(r'(?<!\\)' + separator, text)


def plain(text):
    return re.sub(r'\\([,= ])', r'\1', text)


def read_influx(text):
    """[(tags, fields, time)]"""
    assert text.endswith('\n'), text[-20:]
    found = []
    for line in text[:-1].split('\n'):
        parts = split_on(line, ' ')
        assert len(parts) in (2, 3), line
        measurement, *tags = split_on(parts[0], ',')
        assert measurement == 'tracekit', line
        tags = [tuple(map(plain, split_on(tag, '='))) for tag in tags]
        assert all(len(tag) == 2 and all(tag) for tag in tags) and [t[0] for t in tags] == sorted(t[0] for t in tags), line
        fields = {}
        for field in split_on(parts[1], ','):
            key, value = split_on(field, '=')
            assert re.fullmatch(NUMBER + 'i?', value) and plain(key) not in fields, field
            assert not value.endswith('i') or re.fullmatch('-?[0-9]+i', value), field
            fields[plain(key)] = float(value.rstrip('i'))
        found.append((dict(tags), fields, int(parts[2]) if len(parts) == 3 else None))
    return found


def check_all(result, tools, folder):
    base = folder / 'runs.tkb'
    for i, name in enumerate(MAPS):
        make(folder / f'r{i}.json', 20 + i, NAMES)
        more = ['--run-info', f'time={WHEN}'] if i == 0 else []
        tools.must('trace-baseline', 'add', base, folder / f'r{i}.json', '--run-info', f'map={name}', *more)
    metrics = read_openmetrics(tools.must('trace-baseline', 'export', base, '-f', 'openmetrics').out.decode())
    p95 = {dict(labels)['map']: value for labels, value in metrics['tracekit_frame_p95_seconds'].items()}
    result.equal('p95', {name: round(value[0], 6) for name, value in p95.items()}, {name: (20 + i) / 1000 for i, name in enumerate(MAPS)})
    result.equal('times', [p95[name][1] for name in MAPS], [SECONDS, None, None, None])
    result.equal('frames', {value[0] for value in metrics['tracekit_frames'].values()}, {FRAMES})
    result.equal('counters', {round(v[0], 6) for v in metrics['tracekit_counter_Draw_Calls'].values()}, {7})
    lines = read_influx(tools.must('trace-baseline', 'export', base, '-f', 'influx').out.decode())
    result.equal('maps', [tags['map'].rstrip('/\\') for tags, _, _ in lines], [name.rstrip('\\') for name in MAPS])
    result.equal('p95 of Influx', [round(fields['frame_p95_ms'], 6) for _, fields, _ in lines], [20 + i for i in range(4)])
    result.equal('counters of Influx', [fields[f'counter_{name}'] for name in NAMES for _, fields, _ in lines[:1]], list(NAMES.values()))
    result.equal('times of Influx', [time for _, _, time in lines], [SECONDS * 10 ** 9, None, None, None])
    out = folder / 'out.txt'
    tools.must('trace-baseline', 'export', base, '-f', 'influx', '-o', out)
    result.true('to a file', out.read_text().startswith('tracekit,'))


def check_refused(result, tools, folder):
    make(folder / 'same.json', 20, {'A/B': 1, 'A.B': 2})
    base = folder / 'same.tkb'
    tools.must('trace-baseline', 'add', base, folder / 'same.json')
    done = tools.run('trace-baseline', 'export', base, '-f', 'openmetrics')
    result.true(f'two names that are one: {done.describe()}', done.status == 2 and not done.out and b'A/B' in done.err and b'A.B' in done.err)
    result.equal('and are two in Influx', {k: v for k, v in read_influx(tools.must('trace-baseline', 'export', base, '-f', 'influx').out.decode())[0][1].items()
                                           if k.startswith('counter')}, {'counter_A/B': 1, 'counter_A.B': 2})
    for words, says in (([], b'openmetrics'), (['-f', 'csv'], b'openmetrics')):
        done = tools.run('trace-baseline', 'export', base, *words)
        result.true(f'{words}: {done.describe()}', done.status == 2 and says in done.err and not done.out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True)
    tools, run = commands.Commands(parser.parse_args().bin), report.Report()
    with tempfile.TemporaryDirectory() as path:
        run.run('lines', check_all, tools, pathlib.Path(path))
        run.run('refused', check_refused, tools, pathlib.Path(path))
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
