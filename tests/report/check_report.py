#!/usr/bin/env python3
"""Pages of trace-report: the figures of their tables against trace-stats, names as text, size, policy, damaged captures.

usage: check_report.py --bin DIRECTORY --hostile PROGRAM FIXTURES [CAPTURE...]
"""

import argparse
import json
import os
import pathlib
import pty
import random
import re
import string
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import commands  # noqa: E402
import page      # noqa: E402
import report    # noqa: E402

MOST_BYTES = 3_000_000
CAPTURES = ('game.utrace.zst', 'report/orchard.utrace.zst', 'tiny.utrace', 'threads.utrace', 'net.utrace', 'late.utrace', 'coroutine.utrace',
            'old-p0-raw.utrace', 'tracy/crash-0.13.1.tracy', 'tracy/ctx-0.14.0.tracy',
            'tracy/open-0.10.tracy', 'tracy/chrome-0.8.2.1.tracy')
SAME = ('game.utrace.zst', 'threads.utrace')    # for one thread and for two
OWN = {'tree', 'longest'}                       # tables that have no rows like those of trace-stats
QUESTIONS = {'hitches': ['--hitches']}
OTHER_ORDER = {'health', 'ledger', 'can'}       # of what was read, which is more for a page than for one table


def numbers(row):
    """The cells of a row of a page as trace-stats has them in JSON."""
    return [cell[0] if cell[0] is not None else cell[1] for cell in row]


def fits(displayed, wanted):
    """Does a cell of a page say what trace-stats says?"""
    number, text = displayed
    if wanted is None:
        return text == ''
    if isinstance(wanted, bool):
        return number == str(int(wanted)) or number in ('true', 'false') and (number == 'true') == wanted
    if isinstance(wanted, (int, float)):
        return number is not None and abs(float(number) - wanted) <= 1e-9 * abs(wanted)
    if isinstance(wanted, str) and wanted.startswith('0x'):
        return number == wanted or text == wanted
    if isinstance(wanted, str):
        return text == cleaned(wanted)
    return True                                 # lists and records: as people read them


def cleaned(text):
    return ''.join(' ' if c in '\n\t\r' else c for c in text)


def check_table(result, tools, capture, table):
    requested = QUESTIONS.get(table.name, ['-t', table.name])
    done = tools.run('trace-stats', capture, *requested, '-c', ','.join(table.columns), '-f', 'json', '-q')
    rows = json.loads(done.out).get(table.name, []) if done.status in (0, 4) else None
    if rows is None:
        result.true('%s: %s' % (table.name, done.describe()), False)
        return
    rows = rows if isinstance(rows, list) else [rows]
    left = list(rows)
    for displayed in table.rows:
        result.true('%s has %d cells in a row of %d columns' % (table.name, len(displayed), len(table.columns)),
                    len(displayed) == len(table.columns))
        found = next((row for row in left if all(fits(c, row[name]) for c, name in zip(displayed, table.columns))), None)
        result.true('%s: no such row in trace-stats: %s' % (table.name, numbers(displayed)), found is not None)
        if found:
            left.remove(found)


BOUND = {'game': 'the game thread', 'render': 'the render thread', 'rhi': 'the RHI thread', 'gpu': 'the GPU',
         'limiter': 'the frame limiter', 'waiting': 'waiting'}


def check_words(result, tools, fixtures, work):
    """When a crash was, where its recorder's clock is that of the frames; means of bytes as bytes; sentences of what is missing."""
    for name in ('crash-0.13.1.tracy', 'crash-0.14.0.tracy'):
        capture = fixtures / 'tracy' / name
        if not capture.exists():
            continue
        last = max(f['start'] for f in json.loads(tools.must('trace-stats', capture, '-q', '-t', 'frames', '-f', 'json').out)['frames'])
        crash = json.loads(tools.must('trace-stats', capture, '-q', '-t', 'crash', '-f', 'json').out)['crash'][0]['time']
        said = re.search(r'The program crashed</strong>( at )?', tools.must('trace-report', capture, '-q').out.decode())
        result.equal('a time of the crash is said: ' + name, bool(said.group(1)), crash >= last)
    counters = [t for t in page.Page(tools.must('trace-report', fixtures / 'game.utrace.zst', '-q').out.decode()).tables if t.name == 'counters'][0]
    at = counters.columns.index('mean')
    means = [row[at] for row in counters.rows if row[counters.columns.index('unit')][1] == 'bytes']
    result.true('counters of bytes', len(means) > 1)
    for value, text in means:
        scale = {'B': 1, 'KiB': 1 << 10, 'MiB': 1 << 20, 'GiB': 1 << 30}[text.split()[1]]
        result.true('%s are %s' % (value, text), abs(float(text.split()[0]) * scale - float(value)) <= 0.005 * float(value))
    bare = work / 'bare.json'
    bare.write_text('{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5}]}')
    missing = re.search(r'data-none="frame_stats">(.*?)</p>', tools.must('trace-report', bare, '-q').out.decode()).group(1)
    result.equal('sentences begin with a capital', [s for s in re.split(r'\. ', missing.split('</strong>: ')[1])[1:] if s[:1].islower()], [])
    result.true('how there would be frames', 'Instants whose name' in missing)


def check_whole(result, displayed):
    """What holds for all pages."""
    for fault in displayed.faults:
        result.true(fault, False)
    result.equal('policies', len(displayed.policies), 1)
    result.true('the policy allows nothing else', displayed.policies[0].startswith("default-src 'none'; "))
    result.equal('hash of the script', [page.digest(text) for text in displayed.scripts], displayed.allowed('script'))
    result.equal('hash of the style', [page.digest(text) for text in displayed.styles], displayed.allowed('style'))
    for link in displayed.links:
        result.true('a link to nothing: ' + link, link in displayed.ids)
    for name in displayed.blocks:
        result.true('block ' + name, displayed.block(name) is not None)


def check_capture(result, tools, capture):
    done = tools.run('trace-report', capture, '-q')
    result.true(done.describe(), done.status in (0, 4))
    if done.status not in (0, 4):
        return
    result.true('%d bytes' % len(done.out), len(done.out) <= MOST_BYTES)
    displayed = page.Page(done.out.decode('utf-8'))
    check_whole(result, displayed)
    hitches = [table for table in displayed.tables if table.name == 'hitches']
    for table in displayed.tables:
        if table.name not in OWN and table.name != 'hitches' and table.name not in OTHER_ORDER:
            check_table(result, tools, capture, table)
    if hitches:
        check_table(result, tools, capture, page.Table('hitches', '', hitches[0].columns,
                                                       [row for table in hitches for row in table.rows]))
    check_head(result, tools, capture, displayed)


def check_head(result, tools, capture, displayed):
    """The large figures in front."""
    stats = json.loads(tools.run('trace-stats', capture, '-t', 'frame_stats', '-f', 'json', '-q').out)['frame_stats']
    main = displayed.block('b-main')
    if stats:
        result.equal('median, p95, p99, max', [main['stats'][k] for k in ('median', 'p95', 'p99', 'max')],
                     [stats[0][k] for k in ('median', 'p95', 'p99', 'max')])
    frames = json.loads(tools.run('trace-stats', capture, '-t', 'frames', '-f', 'json', '-q').out)['frames']
    for kind in main['frames']:
        wanted = [(f['start'], f['dur']) for f in frames if f['type_id'] == kind['type'] and f['dur'] is not None]
        got, end = [], 0
        for gap, length in zip(kind['gap'], kind['length']):
            got.append((end + gap, length))
            end += gap + length
        result.equal('frames of type %d' % kind['type'], got, wanted)


    check_work(result, tools, capture, main)
    done = tools.run('trace-stats', capture, '-t', 'bound_shares', '-f', 'json', '-q')
    shares = json.loads(done.out)['bound_shares'] if done.status in (0, 4) else []
    known = sorted((row for row in shares if row['bound_by'] in BOUND), key=lambda row: -row['frames'])
    if known:
        first = 'bounded by %s in %.2f %%' % (BOUND[known[0]['bound_by']], known[0]['share'] * 100)
        ties = [row for row in known if row['frames'] == known[0]['frames']]
        result.true('the headline does not say %r' % first, len(ties) > 1 or first in displayed.text.replace('\u202f', ' '))


def check_work(result, tools, capture, main):
    """What threads and the GPU worked in each frame, against the table bound."""
    done = tools.run('trace-stats', capture, '-t', 'bound', '--columns', 'start,game,render,rhi,gpu', '-f', 'json', '-q')
    rows = json.loads(done.out)['bound'] if done.status in (0, 4) else []
    wanted = {who: [(row['start'], row[who]) for row in rows if row[who] is not None] for who in ('game', 'render', 'rhi', 'gpu')}
    for work in main['work']:
        got, end = [], 0
        for gap, length in zip(work['gap'], work['length']):
            got.append((end + gap, length))
            end += gap + length
        result.equal('work of %s' % work['name'], got, wanted[work['name']])
    result.equal('who works', sorted(work['name'] for work in main['work']), sorted(who for who in wanted if wanted[who]))


def check_planted(result, tools, fixtures):
    """The frames that were made to take long are hitches, with what took long as their first reason."""
    truth = json.loads((fixtures / 'report' / 'orchard.json').read_text(encoding='utf-8'))
    planted = {frame: truth['hitch_timer'] for frame in truth['hitch_frames']}
    planted.update((stall[0], stall[2]) for stall in truth['stalls'])
    done = tools.run('trace-report', fixtures / 'report' / 'orchard.utrace.zst', '-q', '--hitches', '18.5')
    displayed = page.Page(done.out.decode('utf-8'))
    check_whole(result, displayed)
    main = displayed.block('b-main')
    result.equal('frames that are hitches', sorted(h['frame'] for h in main['hitches']), sorted(planted))
    for name, key in (('median', 'p50'), ('p95', 'p95'), ('p99', 'p99'), ('max', 'max')):
        wanted = truth['frame_ms'][key]
        result.true('%s: %r ns instead of %r ms' % (name, main['stats'][name], wanted),
                    abs(main['stats'][name] / 1e6 - wanted) <= 0.009 * wanted)
    reasons = [table for table in displayed.tables if table.name == 'hitches']
    result.equal('hitches with reasons', len(reasons), len(planted))
    first = sorted(table.rows[0][table.columns.index('timer')][1] for table in reasons)
    result.equal('first reasons', first, sorted(planted.values()))
    for frame in planted:
        check_window(result, displayed.block('b-hitch-%d' % frame), planted[frame], frame)
    result.true('the headline has the stall', 'because of FEngineLoop::Tick' in displayed.text)


def check_window(result, window, timer, frame):
    """The timeline of a hitch holds what made it one, inside of the frame."""
    at, found = window['from'], []
    for lane, name, start, length in zip(window['lane'], window['timer'], window['start'], window['length']):
        at += start
        if window['names'][name] == timer and window['names'][window['lanes'][lane]['name']] == 'GameThread':
            found.append((at, at + length))
    result.true('frame %d: %s is not in its timeline' % (frame, timer),
                any(window['begin'] <= a and b <= window['end'] for a, b in found))


NAMES = ['</script><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '<svg onload=alert(1)>', "' onmouseover='x",
         '{{7*7}}', '‮gnirts', '<!-- <script', '__proto__', 'constructor', '</style>', ']]>', '&lt;b&gt;', '</td></table>',
         '<a href="javascript:alert(1)">x</a>', 'a\nb\tc', 'x' * 2000, '--></title>', '\x01\x7f', '"],"x":["']


def displayed_as(name):
    text = ''.join('�' if c in '‮\x01\x7f' else c for c in cleaned(name))
    return text if len(text) <= 500 else text[:500] + '…'


def check_hostile(result, tools, hostile, work):
    names, capture = work / 'names', work / '<img src=x onerror=alert(1)>.utrace'
    names.write_text(''.join(name.encode('utf-8').hex() + '\n' for name in NAMES))
    result.equal('the writer', subprocess.run([hostile, names, capture]).returncode, 0)
    done = tools.run('trace-report', capture, '-q', '--title', '</title><script>alert(1)</script>')
    result.true(done.describe(), done.status == 0)
    displayed = page.Page(done.out.decode('utf-8'))
    check_whole(result, displayed)
    result.equal('scripts', len(displayed.scripts), 1)
    cells = [cell[1] for row in displayed.table('timers').rows for cell in row]
    for name in NAMES:
        result.true('no cell has %r' % displayed_as(name)[:60], displayed_as(name) in cells)
    result.true('the name of the file is text', capture.name in displayed.text)
    result.true('the title is text', '</title><script>alert(1)</script>' in displayed.text)


def check_hostile_counters(result, tools, work):
    """Names of threads, counters and marks, in a trace of the Chrome format, where everything is a name."""
    capture, events = work / 'hostile.json', []
    for i, name in enumerate(NAMES):
        events += [{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': i, 'args': {'name': name}},
                   {'ph': 'X', 'name': name, 'cat': name, 'pid': 1, 'tid': i, 'ts': 10 * i, 'dur': 5},
                   {'ph': 'C', 'name': name, 'pid': 1, 'tid': i, 'ts': 10 * i, 'args': {name or 'v': i}},
                   {'ph': 'i', 'name': name, 's': 'g', 'pid': 1, 'tid': i, 'ts': 10 * i}]
    capture.write_text(json.dumps({'traceEvents': events}), encoding='utf-8')
    done = tools.run('trace-report', capture, '-q')
    result.true(done.describe(), done.status == 0)
    displayed = page.Page(done.out.decode('utf-8'))
    check_whole(result, displayed)
    result.equal('scripts', len(displayed.scripts), 1)
    for table in ('threads', 'timers', 'counters'):
        result.true('no table of ' + table, displayed.table(table) is not None)


FORBIDDEN = ('innerHTML', 'outerHTML', 'insertAdjacentHTML', 'document.write', 'eval(', 'Function(', "setAttribute('on", "setAttribute('style'",
             'javascript:', 'fetch(', 'import(', 'XMLHttpRequest', 'WebSocket', 'http:', 'https:')


def check_long_names(result, tools, work):
    """However long names are and however many, the page has at most 3 MB, and says all that it counts."""
    capture, rng, events = work / 'long.json', random.Random(7), []
    text = lambda n: ''.join(rng.choices(string.ascii_letters + string.digits + '<&', k=n))
    for tid in range(300):
        events.append({'name': 'thread_name', 'ph': 'M', 'pid': 1, 'tid': tid, 'args': {'name': text(1500)}})
    timers = ['%d::%s' % (i, text(700)) for i in range(2500)]
    for i in range(5000):
        at = i * 10
        events.append({'name': timers[i % 2500], 'ph': 'X', 'pid': 1, 'tid': i % 300, 'ts': at, 'dur': 900 if i % 500 == 0 else 5})
        events.append({'name': text(600), 'ph': 'i', 's': 't', 'pid': 1, 'tid': 1, 'ts': at})
        if i % 10 == 0:
            events.append({'name': 'frame', 'ph': 'i', 's': 'g', 'pid': 1, 'tid': 1, 'ts': at if i % 100 else at - 60})
    capture.write_text(json.dumps(events))
    done = tools.run('trace-report', capture, '-q')
    result.true(done.describe(), done.status == 0)
    result.true('%d bytes' % len(done.out), len(done.out) <= 3000000)
    check_whole(result, page.Page(done.out.decode('utf-8')))


def check_sources(result, root):
    """What could make markup or a request of a text is not in the script of pages."""
    sources = sorted((root / 'libtrace' / 'report' / 'page').glob('*.js')) + sorted((root / 'libtrace' / 'sink' / 'stacks' / 'page').glob('*.js'))
    result.true('no sources', len(sources) > 5)
    for path in sources:
        text = path.read_text(encoding='utf-8')
        for word in FORBIDDEN:
            result.true('%s: %s' % (path.name, word), word not in text)


def check_same(result, tools, capture):
    pages = [tools.run('trace-report', capture, '-q', '--jobs', jobs).out for jobs in (1, 2)]
    result.true('other bytes with another number of threads', pages[0] == pages[1] and pages[0])


def check_damaged(result, tools, fixtures):
    damaged = sorted((fixtures / 'damaged').glob('*.utrace*'))
    for capture in damaged:
        wanted = tools.run('trace-stats', capture, '-q', '-t', 'timers', '-f', 'json')
        done = tools.run('trace-report', capture, '-q')
        if wanted.status == 3:
            result.equal(capture.name, (done.status, done.out), (3, b''))
            continue
        result.true('%s: %s' % (capture.name, done.describe()), done.status in (0, 4))
        displayed = page.Page(done.out.decode('utf-8'))
        check_whole(result, displayed)
        result.true('%s: damage is not told in front' % capture.name, done.status == 0 or 'Damaged' in displayed.text
                    or 'Incomplete' in displayed.text)


def on_terminal(tools, *arguments):
    """(status, what a terminal gets of standard error, without control sequences and progress)."""
    ours, theirs = pty.openpty()
    done = subprocess.run([str(tools.directory / 'trace-report'), *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=theirs,
                          env={**os.environ, 'TERM': 'xterm', 'NO_COLOR': '1'})
    os.write(theirs, b'.\n')
    os.close(theirs)
    said = b''
    while not said.endswith(b'.\r\n'):
        said += os.read(ours, 1 << 16)
    os.close(ours)
    said = re.sub('\x1b\\[[0-9;?]*[A-Za-z]', '', said[:-3].decode()).replace('\r\n', '\n')
    return done.returncode, ''.join(line.rpartition('\r')[2] for line in said.splitlines(keepends=True) if 'trace-report' in line)


def check_written(result, tools, fixtures, work):
    """A terminal is reported what was written, as it is by trace-export."""
    tiny, out = fixtures / 'tiny.utrace', work / 'written.html'
    result.equal('a file', on_terminal(tools, tiny, '-o', out), (0, 'trace-report: wrote %s\n' % out))
    result.equal('quiet', on_terminal(tools, tiny, '-o', out, '--force', '-q'), (0, ''))
    result.equal('standard output', on_terminal(tools, tiny), (0, ''))
    status, said = on_terminal(tools, tiny, '-o', out)
    result.true('a file that is there: %s' % said, status == 3 and 'wrote' not in said)
    result.equal('no terminal', tools.run('trace-report', tiny, '-o', out, '--force').err, b'')


def check_usage(result, tools, fixtures, work):
    tiny, out = fixtures / 'tiny.utrace', work / 'page.html'
    result.equal('without a capture', tools.run('trace-report').status, 2)
    result.equal('no such file', tools.run('trace-report', work / 'none.utrace').status, 3)
    result.equal('no capture', tools.run('trace-report', __file__).status, 3)
    result.equal('no such thread', tools.run('trace-report', tiny, '--thread', 'nobody').status, 2)
    result.equal('a new file', tools.run('trace-report', tiny, '-o', out).status, 0)
    result.equal('a file that is there', tools.run('trace-report', tiny, '-o', out).status, 3)
    before = out.read_bytes()
    result.equal('with --force', tools.run('trace-report', tiny, '-o', out, '--force').status, 0)
    result.true('other bytes the second time', out.read_bytes() == before)
    both = tools.run('trace-report', tiny, fixtures / 'threads.utrace', '-q')
    result.equal('two captures', both.status, 0)
    check_whole(result, page.Page(both.out.decode('utf-8')))
    quiet = page.Page(tools.run('trace-report', fixtures / 'game.utrace.zst', '-q', '--no-logs').out.decode('utf-8'))
    result.true('logs are in it in spite of --no-logs', quiet.table('logs') is None and 'b-logs' not in quiet.blocks)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path, help='the directory of the commands')
    parser.add_argument('--hostile', required=True, type=pathlib.Path, help='writes a capture of names')
    parser.add_argument('fixtures', type=pathlib.Path)
    parser.add_argument('captures', nargs='*', type=pathlib.Path, help='more of them')
    options = parser.parse_args()
    tools, run = commands.Commands(options.bin), report.Report()
    for capture in [options.fixtures / name for name in CAPTURES] + options.captures:
        if capture.exists():
            run.run(capture.name, check_capture, tools, capture)
    run.run('planted hitches', check_planted, tools, options.fixtures)
    for name in SAME:
        run.run('same ' + name, check_same, tools, options.fixtures / name)
    with tempfile.TemporaryDirectory() as work:
        run.run('hostile', check_hostile, tools, options.hostile, pathlib.Path(work))
        run.run('long names', check_long_names, tools, pathlib.Path(work))
        run.run('hostile counters', check_hostile_counters, tools, pathlib.Path(work))
        run.run('words', check_words, tools, options.fixtures, pathlib.Path(work))
        run.run('sources', check_sources, options.fixtures.resolve().parent)
        run.run('usage', check_usage, tools, options.fixtures, pathlib.Path(work))
        run.run('written', check_written, tools, options.fixtures, pathlib.Path(work))
    run.run('damaged', check_damaged, tools, options.fixtures)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
