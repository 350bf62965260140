#!/usr/bin/env python3
"""Frames of CSV with a row a present, in the columns of each release of PresentMon and of CapFrameX.

usage: check_presents.py --bin DIRECTORY [--corpus DIRECTORY]

Files are written here from times made at random, so that each number is known: several programs and swap chains, frames
that were generated, presents that never came to the screen, first rows without a time, marks of byte order, ends of lines
of Windows, and a file that is cut in its last row. A CSV of Unreal's profiler is not taken for one, nor the other way.
"""

import argparse
import json
import pathlib
import random
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands  # noqa: E402
import report    # noqa: E402

WHO = ['Application', 'ProcessID', 'SwapChainAddress']
MACHINE = {'Motherboard': '"Some, Board"', 'OS': 'Windows 10', 'Processor': 'A Processor @ 3.60GHz', 'GPU #': '1', 'Comment': ''}
LAYOUTS = {  # name: (columns behind those of the program, lines in front)
    'presentmon 1.6': (['Runtime', 'Dropped', 'TimeInSeconds', 'MsBetweenPresents', 'MsUntilDisplayed'], ''),
    'presentmon 1.9': (['Runtime', 'Dropped', 'TimeInSeconds', 'msBetweenPresents', 'msUntilDisplayed', 'msGPUActive'], ''),
    'presentmon 2.0': (['PresentMode', 'FrameType', 'CPUStartTime', 'FrameTime', 'GPUTime', 'DisplayedTime'], ''),
    'presentmon 2.4': (['FrameType', 'MsBetweenAppStart', 'TimeInSeconds', 'MsBetweenPresents', 'MsUntilDisplayed'], ''),
    'application starts': (['CPUStartQPCTimeInMs', 'MsBetweenAppStart', 'MsUntilDisplayed'], ''),
    'ocat': (['Runtime', 'Dropped', 'TimeInSeconds', 'MsBetweenPresents', 'MsUntilDisplayed'], ''),
    'capframex': (['Runtime', 'Dropped', 'TimeInSeconds', 'MsBetweenPresents', 'MsUntilDisplayed'],
                  '//GameName=Skiff.exe\n//Comment=a=b, "c"\n//\n'),
}
PROGRAMS = (('Skiff.exe', '42', '0xA0', 300), ('dwm.exe', '9', '0xB0', 70), ('Skiff.exe', '42', '0xA1', 40))
TIMES = ('msbetweenpresents', 'frametime')


class File:
    """The text of a file, and what is known of it."""

    def __init__(self, layout, seed, generated):
        columns, comments = LAYOUTS[layout]
        self.random = random.Random(seed)
        self.times, self.hidden, self.others, self.made = [], 0, 0, 0
        rows = [who for who in PROGRAMS for _ in range(who[3])]
        self.random.shuffle(rows)
        machine = MACHINE if layout == 'ocat' else {}
        self.head = comments + ','.join([*WHO, *columns, *machine]) + '\n'
        self.rows = [self.row(columns, who, generated) for who in rows]
        if machine:                                     # which is in the first row alone
            self.rows[0] = ','.join([self.rows[0].rstrip('\n'), *machine.values()]) + '\n'
        self.facts = {name: value.strip('"') for name, value in machine.items() if value}

    def row(self, columns, who, generated):
        mine, ms = who is PROGRAMS[0], round(self.random.choice((8, 16.6, 60)) + self.random.random(), 4)
        made = generated and 'FrameType' in columns and self.random.random() < 0.2
        hidden, unknown = self.random.random() < 0.1, self.random.random() < 0.05
        self.made += made
        self.others += not made and not mine
        if mine and not made and not unknown:
            self.times.append(ms)
            self.hidden += hidden
        time = next(c for c in columns if c.lower() in (*TIMES, 'msbetweenappstart') and
                    (c.lower() in TIMES or not any(x.lower() in TIMES for x in columns)))
        cells = {time: 'NA' if unknown else repr(ms), 'Dropped': str(int(hidden)), 'FrameType': 'Intel_XEFG' if made else 'Application',
                 'MsUntilDisplayed': 'NA' if hidden else '20.5', 'msUntilDisplayed': '0' if hidden else '20.5',
                 'DisplayedTime': 'NA' if hidden else '16.6', 'Runtime': '"DXGI, new"', 'PresentMode': 'Composed: Flip'}
        return ','.join([*who[:3], *(cells.get(c, '1.5') for c in columns)]) + '\n'


def nearest(values, part):
    at = -(-len(values) * part // 100)
    return sorted(values)[max(int(at), 1) - 1]


def check_file(result, tools, path, text, known):
    path.write_bytes(text)
    done = tools.run('trace-stats', path, '-t', 'frame_stats,health,counters', '-f', 'json', '--exact')
    result.equal('status (%s)' % done.err.decode()[:200], done.status, 0)
    found = json.loads(done.out)
    frames = found['frame_stats'][0]
    result.equal('frames', (frames['type'], frames['count']), ('game', len(known.times)))
    result.true('sum: %s' % frames['total'], abs(frames['total'] - sum(known.times) * 1e6) <= len(known.times))
    result.true('greatest: %s' % frames['max'], abs(frames['max'] - max(known.times) * 1e6) <= 1)
    result.true('95th percentile: %s' % frames['p95'], abs(frames['p95'] / 1e6 / nearest(known.times, 95) - 1) <= 0.008)
    hidden = next(row for row in found['counters'] if row['counter'] == 'NotDisplayed')
    result.equal('not displayed', round(hidden['mean'] * hidden['count']), known.hidden)
    left_out = sum(row['count'] for row in found['health'] if row['kind'] == 'others_left_out')
    result.equal('rows left out', left_out, known.others + known.made)
    session = json.loads(tools.must('trace-stats', path, '-t', 'session', '-f', 'json').out)['session']
    result.equal('of the machine', {key: session.get(key) for key in known.facts}, known.facts)
    result.true('and no counters', not {row['counter'] for row in found['counters']} & set(MACHINE))
    return found


def check_layout(result, tools, work, layout):
    for seed, generated in ((1, False), (2, True)):
        known = File(layout, seed, generated)
        text = known.head + ''.join(known.rows)
        check_file(result, tools, work / 'plain.csv', text.encode(), known)
        check_file(result, tools, work / 'windows.csv', b'\xef\xbb\xbf' + text.replace('\n', '\r\n').encode(), known)
        (work / 'cut.csv').write_text(text[:-len(known.rows[-1].rstrip('\n')) // 2])
        done = tools.run('trace-stats', work / 'cut.csv', '-t', 'health', '-f', 'json')
        result.equal('cut: status', done.status, 0)
        result.true('cut: said', any(row['kind'] == 'file_truncated' for row in json.loads(done.out)['health']))
        format_ = json.loads(tools.must('trace-info', work / 'plain.csv', '-f', 'json').out)
        result.true('format', 'present-csv' in json.dumps(format_))


def check_no_number(result, tools, work):
    """A cell that is no number where a frame time is wanted is damage; a frame time below 0, too."""
    for bad in ('x', '-3', '1e300'):
        (work / 'bad.csv').write_text(','.join(WHO) + ',FrameTime\na,1,0x1,16\na,1,0x1,%s\na,1,0x1,17\n' % bad)
        done = tools.run('trace-stats', work / 'bad.csv', '-t', 'frame_stats', '-f', 'json')
        result.equal('status of ' + bad, done.status, 4)
        result.equal('frames of ' + bad, json.loads(done.out)['frame_stats'][0]['count'], 2)


def check_other_formats(result, tools, work):
    (work / 'unreal.csv').write_text('FrameTime,GameThreadTime,Application\n16,3,1\n17,4,2\n')
    info = tools.must('trace-info', work / 'unreal.csv', '-f', 'json').out
    result.true('of Unreal', b'frame-csv' in info)
    folder = work / 'others'
    folder.mkdir()
    for name, text in (('one.csv', 'FrameTime,Foo\n16,3\n17,4\n'), ('two.csv', 'events,Foo\n1,2\n'), ('ph.json', '[{"ph": 7.1}]')):
        (folder / name).write_text(text)
        if name.endswith('csv'):
            result.equal('one name of Unreal: ' + name, tools.run('trace-stats', folder / name).status, 3)
    done = tools.run('trace-baseline', 'add', work / 'none.tkb', folder)
    for name in ('one.csv', 'two.csv', 'ph.json'):
        result.true('left out of a folder: ' + name, (name + "' is left out").encode() in done.err)
    (work / 'neither.csv').write_text('Application,ProcessID,SwapChainAddress2\n1,2,3\n')
    result.equal('of neither', tools.run('trace-stats', work / 'neither.csv').status, 3)


def check_corpus_file(result, tools, path, known):
    done = tools.must('trace-stats', path, '-t', 'frame_stats,health,counters', '-f', 'json', '--exact')
    found = json.loads(done.out)
    frames = found['frame_stats'][0]
    result.equal('frames', (frames['count'], round(frames['total'] / 1e6, 2), round(frames['max'] / 1e6, 2)),
                 (known['frames'], known['sum_ms'], known['max_ms']))
    hidden = next(row for row in found['counters'] if row['counter'] == 'NotDisplayed')
    result.equal('not displayed', round(hidden['mean'] * hidden['count']), known['not_displayed'])
    result.equal('of other programs', sum(row['count'] for row in found['health'] if row['kind'] == 'others_left_out'),
                 known['rows_of_other_application'])


def corpus_files(corpus):
    """(path, what is known) of the files whose truth stands in NAME.truth.json, where NAME is their folder."""
    for truth in sorted(corpus.rglob('*.truth.json')):
        folder = truth.parent / truth.name.removesuffix('.truth.json')
        known = json.loads(truth.read_text()) if folder.is_dir() else {}
        if isinstance(known, dict) and known and all(name.endswith('.csv') for name in known):
            yield from ((folder / name, known[name]) for name in known)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--corpus', type=pathlib.Path)
    options = parser.parse_args()
    tools, said = commands.Commands(options.bin), report.Report()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for layout in LAYOUTS:
            said.run(layout, check_layout, tools, work, layout)
        for check in (check_no_number, check_other_formats):
            said.run(check.__name__, check, tools, work)
    for path, known in corpus_files(options.corpus) if options.corpus else ():
        said.run(path.name, check_corpus_file, tools, path, known)
    return said.close()


if __name__ == '__main__':
    sys.exit(main())
