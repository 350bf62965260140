#!/usr/bin/env python3
"""The first pages: what trace-stats and trace-info show of a capture when nothing is asked.

usage: check_pages.py --bin DIRECTORY [--refresh] FIXTURES

expected/ has each page as terminals of 80, 120 and 200 columns show it, with and without UTF-8, and as it goes into a
pipe. The figures of the summaries are calculated here from the truth files, and --refresh writes nothing that differs.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE.parent / 'truth'))
import brute_hitches  # noqa: E402
import report     # noqa: E402
import terminals  # noqa: E402

EXPECTED = HERE / 'expected'
BASE = {'PATH': os.environ['PATH'], 'TERM': 'xterm', 'PAGER': 'cat', 'HOME': '/', 'NO_COLOR': '1'}
WIDTHS = (80, 120, 200)
PAGES = (('game-stats', 'trace-stats', 'game.utrace.zst'), ('game-info', 'trace-info', 'game.utrace.zst'),
         ('tiny-stats', 'trace-stats', 'tiny.utrace'), ('tiny-info', 'trace-info', 'tiny.utrace'),
         ('cut-stats', 'trace-stats', 'damaged/trunc_tiny_06.utrace'),
         ('cut-info', 'trace-info', 'damaged/trunc_tiny_06.utrace'),
         ('crash-stats', 'trace-stats', 'tracy/crash-0.11.1.tracy'),
         ('crash-info', 'trace-info', 'tracy/crash-0.11.1.tracy'),
         ('tiny-can', 'trace-info', 'tiny.utrace', '--can'), ('crash-can', 'trace-info', 'tracy/crash-0.11.1.tracy', '--can'),
         ('part-stats', 'trace-stats', 'tiny.utrace', '--frames', '2-5'))
UNITS = {'ns': 1, 'us': 10 ** 3, 'ms': 10 ** 6, 's': 10 ** 9}


def page_on_terminal(options, columns, locale, words):
    ours, theirs = terminals.opened(columns)
    process = subprocess.Popen([str(options.bin / words[0]), *words[1:]], stdin=subprocess.DEVNULL, stdout=theirs,
                               stderr=subprocess.DEVNULL, env={**BASE, 'LC_ALL': locale})
    text = terminals.written(ours, theirs).decode('utf-8').replace('\r\n', '\n')
    process.wait()
    return re.sub(r'\r(reading[^\r]*)?\x1b\[K', '', text)


def page_in_pipe(options, words):
    done = subprocess.run([str(options.bin / words[0]), *words[1:]], stdin=subprocess.DEVNULL, capture_output=True,
                          env={**BASE, 'LC_ALL': 'C.UTF-8'}, check=False)
    return done.stdout.decode('utf-8')


def lines_of(page, title):
    """{name: sentence} of a part of a page in a pipe."""
    block = next(part for part in page.split('\n\n') if part.split(' (')[0].split('\n')[0] == title)
    return dict(re.fullmatch(r'  (\S+) +(.*)', line).groups() for line in block.rstrip('\n').split('\n')[1:])


def near(text, nanoseconds):
    """Is that what a text as "6.94 ms" says, to its last digit?"""
    value, unit = text.split(' ')
    half = 0.5 * 10 ** -len(value.partition('.')[2]) * 1.001
    return abs(float(value) - nanoseconds / UNITS[unit]) <= half


def durations(truth, kind):
    return sorted((end - begin) * 10 ** 9 // truth['frequency'] for what, begin, end in truth['frames']
                  if what == kind and end)


def rank(values, percent):
    return values[max(0, -(-len(values) * percent // 100) - 1)]


def check_durations(result, line, values):
    found = re.search(r', median (.*?), p95 (.*?), p99 (.*?)$', line)
    for text, percent in zip(found.groups(), (50, 95, 99)):
        result.true('p%d is %s' % (percent, text), near(text, rank(values, percent)))


def check_frames(result, summary, truth):
    game = durations(truth, 0)
    result.equal('frames', summary['frames'].split(',')[0], str(len(game)))
    check_durations(result, summary['frames'], game)
    all_of = [(end - begin) * 10 ** 9 // truth['frequency'] for what, begin, end in truth['frames'] if what == 0]
    worst, frame = re.fullmatch(r'(.*) \(frame (\d+)\)', summary['worst']).groups()
    result.true('worst', near(worst, max(all_of)) and int(frame) == all_of.index(max(all_of)))
    _, _, hitches, startup = brute_hitches.judge([value / 1e6 for value in all_of])
    played = sorted((at for at in hitches if at >= startup), key=lambda at: -all_of[at])
    reported = summary['hitches'].partition(';')[0]
    result.equal('hitches', re.findall(r'\d+', reported.partition(':')[2]), [str(at) for at in played[:5]])
    result.true('their number', re.match(r'%s\b' % (len(played) or 'none'), reported))
    result.equal('of the start-up', '%d in the start-up' % (len(hitches) - len(played)) in summary['hitches'], len(hitches) > len(played))
    others = durations(truth, 1)
    result.equal('others', 'also' in summary, bool(others))
    if others:
        result.equal('how many others', summary['also'].split(' ')[0], str(len(others)))
        check_durations(result, summary['also'], others)


def check_threads(result, summary, truth):
    used = [thread for thread in truth['threads'] if thread['scopes']]
    result.equal('threads', re.search(r'(\d+) threads with scopes', summary['capture'])[1], str(len(used)))
    result.true('program', summary['capture'].startswith(truth['session']['AppName'] + ', '))


def check_gpu(result, summary, truth):
    frames = len(durations(truth, 0))
    for text, queue in zip(summary['gpu/frame'].split(', '), truth['gpu']['queues']):
        amount, name = re.fullmatch(r'(\S+ \S+) (.*)', text).groups()
        wanted = queue['work_total'] * 10 ** 9 / truth['frequency'] / frames
        result.true('%s is %s instead of %f ns' % (name, amount, wanted), queue['name'] in name and near(amount, wanted))


def check_stats(result, page, truth):
    summary = lines_of(page, 'summary')
    result.true('nine lines at most', len(summary) <= 9)
    check_frames(result, summary, truth)
    check_threads(result, summary, truth)
    if 'gpu' in truth:
        check_gpu(result, summary, truth)


def check_info(result, page, truth):
    capture, session = lines_of(page, 'capture'), truth['session']
    kinds = ('', 'Debug', 'DebugGame', 'Development', 'Shipping', 'Test')
    targets = ('', 'game', 'server', 'client', 'editor', 'program')
    result.true('ten lines at most', len(capture) <= 10)
    result.equal('program', capture['program'],
                 '%s (%s), %s' % (session['AppName'], targets[session['TargetType']], session['Platform']))
    result.equal('build', capture['build'],
                 '%s, %s' % (session['BuildVersion'], kinds[session['ConfigurationType']]))
    counts = [len([1 for frame in truth['frames'] if frame[0] == kind]) for kind in (0, 1)]
    result.equal('frames', capture['frames'],
                 ', '.join('%d %s' % (n, what) for n, what in zip(counts, ('game', 'rendering')) if n))
    recorded = dict(item.rsplit(' ', 1) for item in capture['recorded'].split(', ') if not item.startswith('and '))
    events = truth['event_counts']
    result.equal('frame events', recorded['frame'], str(events['Misc.BeginFrame'] + events['Misc.EndFrame']))
    off = {name.lower() for name in capture['off'].removesuffix(' (channels)').split(', ')}
    last = {toggle['channel'].lower().removesuffix('channel'): toggle['enabled'] for toggle in truth['channel_toggles']}
    result.equal('channels that were on', sorted(name for name in off if last.get(name)), [])
    result.equal('channels that were off', sorted(name for name in last if not last[name] and name not in off), [])
    result.equal('state', capture['state'], 'whole, no damage; --full shows the rest')


def check_date(result, page, epoch):
    wanted = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    result.equal('date', lines_of(page, 'capture')['date'], wanted.strftime('%Y-%m-%d %H:%M:%S UTC'))


def check_figures(result, options, name, words, page):
    own = pathlib.Path(words[1]).name.split('.')[0]
    truth = options.fixtures / (own + '.truth.json')
    if len(words) == 2 and truth.is_file() and own == name.split('-')[0]:
        known = json.loads(truth.read_text(encoding='utf-8', errors='surrogatepass'))
        (check_stats if words[0] == 'trace-stats' else check_info)(result, page, known)
    if name == 'cut-info':
        result.true('cut', lines_of(page, 'capture')['state'].startswith('cut off at its end'))
    if name == 'crash-info':  # its session says 1795166464
        check_date(result, page, 1795166464)
        result.true('crashed', 'crashed' in lines_of(page, 'capture')['state'])


def check_page(result, options, name, words):
    piped = page_in_pipe(options, words)
    check_figures(result, options, name, words, piped)
    whole = ''.join('== %d columns ==\n%s\n' % (columns, page_on_terminal(options, columns, 'C.UTF-8', words))
                    for columns in WIDTHS)
    whole += '== 80 columns, ASCII ==\n%s\n== pipe ==\n%s' % (page_on_terminal(options, 80, 'C', words), piped)
    for columns, part in zip(WIDTHS, whole.split('\n== ')):
        result.true('%d columns are kept' % columns, all(len(line) <= columns for line in part.split('\n')))
    path = EXPECTED / (name + '.txt')
    if options.refresh and not result.different:
        path.write_text(whole, encoding='utf-8')
    result.equal(name, whole, path.read_text(encoding='utf-8'))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path, help='the directory of the commands')
    parser.add_argument('--refresh', action='store_true', help='write the pages as they are now')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    options.bin, options.fixtures = options.bin.resolve(), options.fixtures.resolve()
    os.chdir(options.fixtures)
    run = report.Report()
    for name, *words in PAGES:
        run.run(name, check_page, options, name, words)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
