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


def drawn(result, text):
    """The boxes of a picture: depth, value, place, width, name."""
    root = xml.etree.ElementTree.fromstring(text)
    result.equal('elements that should not be there', {e.tag for e in root.iter()} - ELEMENTS, set())
    result.equal('scripts', len(root.findall(SVG + 'script')), 1)
    for element in root.iter():
        for name in element.attrib:
            result.true('an attribute %r' % name, not name.startswith('on') and 'href' not in name)
    for g in root.findall(SVG + 'g'):
        rect = g.find(SVG + 'rect')
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
    with tempfile.TemporaryDirectory() as work:
        run.run('hostile names', check_hostile, tools, options.hostile, pathlib.Path(work))
        run.run('usage', check_usage, tools, options.fixtures, pathlib.Path(work))
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
