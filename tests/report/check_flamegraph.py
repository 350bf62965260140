#!/usr/bin/env python3
"""Flame graphs of trace-export against its folded stacks: values, widths and places of all boxes; names as text.

usage: check_flamegraph.py --bin DIRECTORY --hostile PROGRAM FIXTURES
"""

import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import commands  # noqa: E402
import report    # noqa: E402

SVG = '{http://www.w3.org/2000/svg}'
WIDTH, ROW, TOP = 1200, 17, 34
ELEMENTS = {SVG + name for name in ('svg', 'style', 'rect', 'text', 'g', 'title', 'script')}
NAMES = ['</script><script>alert(1)</script>', '"><image href=x onerror=alert(1)>', ']]><script>alert(1)</script>', '&lt;', "'", '\x01',
         '\u202egnirts', '<![CDATA[']


def check_label(result, rect, label):
    """A name is in a picture of its own, which cuts it where its box ends: none runs over a neighbour."""
    result.equal('a name ends with its box', [label.get(n) for n in ('x', 'y', 'width')], [rect.get(n) for n in ('x', 'y', 'width')])
    result.true('it is cut', 'overflow' not in label.attrib)


def drawn(result, text):
    """The boxes of a picture: depth, value, place, width, name."""
    root = xml.etree.ElementTree.fromstring(text)
    result.equal('elements that should not be there', {e.tag for e in root.iter()} - ELEMENTS, set())
    result.equal('scripts', len(root.findall(SVG + 'script')), 1)
    for element in root.iter():
        for name in element.attrib:
            result.true('an attribute %r' % name, not name.startswith('on') and 'href' not in name)
    for g in root.findall(SVG + 'g'):
        rect, label = g.find(SVG + 'rect'), g.find(SVG + 'svg')
        check_label(result, rect, label)
        yield (round((float(rect.get('y')) - TOP) / ROW), int(rect.get('data-value')), float(rect.get('x')),
               float(rect.get('width')), g.get('data-name'))


def check_capture(result, tools, capture, *options):
    """Each path of the folded stacks adds its weight to all boxes on its way."""
    sums = collections.Counter()
    for line in tools.run('trace-export', capture, '-f', 'folded', '-q', *options).out.decode('utf-8').splitlines():
        path, weight = line.rsplit(' ', 1)
        names = path[:-len(';(open)')].split(';') if path.endswith(';(open)') else path.split(';')
        for n in range(1, len(names) + 1):
            sums[tuple(names[:n])] += int(weight)
    whole = sum(weight for path, weight in sums.items() if len(path) == 1)
    text = tools.run('trace-export', capture, '-f', 'flamegraph', '-q', *options).out.decode('utf-8')
    boxes = list(drawn(result, text))
    wanted = sorted((len(path) - 1, weight) for path, weight in sums.items() if weight * WIDTH / whole >= 0.1)
    result.equal('values by depth', sorted(box[:2] for box in boxes), wanted)
    rows = collections.defaultdict(list)
    for depth, value, x, width, name in boxes:
        result.true('width of %s: %g' % (name, width), abs(width + 1 - value * WIDTH / whole) < 0.01 or width == 0.1)
        rows[depth].append((x, x + value * WIDTH / whole))
    for depth, row in rows.items():
        row.sort()
        result.true('row %d: boxes lie on each other' % depth, all(a[1] <= b[0] + 0.01 for a, b in zip(row, row[1:])))
        result.true('row %d: a box is below none' % depth,
                    depth == 0 or all(any(p[0] - 0.01 <= a and b <= p[1] + 0.01 for p in rows[depth - 1]) for a, b in row))


def check_difference(result, tools, before, after):
    """Roots are threads; times of each box are sums of the folded stacks; red and a shape where the own time became longer."""
    sums, own = collections.defaultdict(lambda: [0, 0]), {}
    for line in tools.run('trace-diff', before, after, '-q', '--report', 'folded').out.decode('utf-8').splitlines():
        path, base, candidate = line.rsplit(' ', 2)
        names = path.split(';')
        own[tuple(names)] = (int(base), int(candidate))
        for n in range(1, len(names) + 1):
            for side, us in enumerate((base, candidate)):
                sums[tuple(names[:n])][side] += int(us)
    root = xml.etree.ElementTree.fromstring(tools.run('trace-diff', before, after, '-q', '--report', 'flamegraph').out.decode('utf-8'))
    result.equal('a legend that needs no colour', [t.text.split()[0] for t in root.find(SVG + "g[@id='legend']").findall(SVG + 'text')], ['▲', '▼', 'no'])
    boxes, threads, shapes = root.findall(SVG + 'svg/' + SVG + 'g'), set(), collections.Counter()
    by_name = collections.defaultdict(list)
    for path, times in sums.items():
        by_name[path[-1]].append(times)
    for g in boxes:
        name, _, rest = g.find(SVG + 'title').text.partition(': ')
        while not rest[:1].isdigit():    # a name with a colon
            more, _, rest = rest.partition(': ')
            name += ': ' + more
        a, b, c, d = (float(v) * 1000 for v in rest.replace(' ms/frame, own ', ' to ').split(' to '))
        slack = 1 + 0.6 * len(own)
        result.true('times of %s' % name, any(abs(t[0] - a) <= slack and abs(t[1] - b) <= slack for t in by_name[name]))
        rect, label = g.find(SVG + 'rect'), g.find(SVG + 'svg')
        kind = rect.get('class')
        result.true('%s is %s' % (name, kind), (c < d) if kind == 'slower' else (c > d) if kind == 'faster' else kind in ('same', 'class'))
        if rect.get('y') == '0':
            threads.add(name)
        if label is not None:
            check_label(result, rect, label)
            text = label.find(SVG + 'text').text
            result.equal('the shape of ' + name, text[:1] if text[:1] in '▲▼' else '', {'slower': '▲', 'faster': '▼'}.get(kind, ''))
            shapes[kind] += 1
    result.equal('roots are threads', threads, {path[0] for path in sums if max(sums[path]) > 0 and len(path) == 1} & threads)
    result.true('threads, and boxes of changes: %s' % dict(shapes), len(threads) > 0 and shapes['slower'] + shapes['faster'] > 0)


def check_hostile(result, tools, hostile, work):
    names, capture = work / 'names', work / 'hostile.utrace'
    names.write_text(''.join(name.encode('utf-8').hex() + '\n' for name in NAMES))
    subprocess.run([hostile, names, capture], check=True)
    text = tools.run('trace-export', capture, '-f', 'flamegraph', '-q').out.decode('utf-8')
    boxes = {box[4] for box in drawn(result, text)}
    for name in NAMES:
        displayed = ''.join('\ufffd' if c in '\x01\u202e' else c for c in name)
        result.true('no box is called %r' % displayed, displayed in boxes)


def check_usage(result, tools, fixtures, work):
    out = work / 'f.svg'
    result.equal('by the ending', tools.run('trace-export', fixtures / 'tiny.utrace', '-o', out, '-q').status, 0)
    result.true('no picture', out.read_text(encoding='utf-8').startswith('<?xml'))
    empty = tools.run('trace-export', fixtures / 'net.utrace', '-f', 'flamegraph', '-q')
    result.equal('without scopes', empty.status, 0)
    result.equal('boxes without scopes', list(drawn(result, empty.out.decode('utf-8'))), [])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path, help='the directory of the commands')
    parser.add_argument('--hostile', required=True, type=pathlib.Path, help='writes a capture of names')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    tools, run = commands.Commands(options.bin), report.Report()
    game, orchard = options.fixtures / 'game.utrace.zst', options.fixtures / 'report' / 'orchard.utrace.zst'
    run.run('game', check_capture, tools, game)
    run.run('game, one frame', check_capture, tools, game, '--frames', '350')
    run.run('game, calls', check_capture, tools, game, '--weight', 'count')
    run.run('game, bytes', check_capture, tools, game, '--weight', 'bytes')
    run.run('orchard, by thread', check_capture, tools, orchard, '--per-thread')
    run.run('a difference', check_difference, tools, options.fixtures / 'tiny-ue5.0.utrace', options.fixtures / 'tiny.utrace')
    with tempfile.TemporaryDirectory() as work:
        run.run('hostile names', check_hostile, tools, options.hostile, pathlib.Path(work))
        run.run('usage', check_usage, tools, options.fixtures, pathlib.Path(work))
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
