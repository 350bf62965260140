"""Sound captures to begin with: fixtures, the dumps of docs/format/utrace-wire.md, what the writers of the tests make, and
those of TRACEKIT_CORPUS. Those of other tools are written here, in all styles of tests/truth."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import import_parts
import tracy_file
import utrace_wire as wire
from blocks import BlockError

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'truth'))
import imports_made     # noqa: E402
import imports_styles   # noqa: E402

MOST = {'utrace': 60_000, 'tracy': 100_000}             # bytes: larger ones take long and have nothing else
BROKEN = (wire.WireError, tracy_file.FileError, BlockError, IndexError, KeyError)
MADE = """timer 1 Tick
timer 2 Draw
thread 2 GameThread
thread 3 RenderThread
"""


def dumps():
    """(name, bytes) of the dumps of the paper."""
    text = (ROOT / 'docs' / 'format' / 'utrace-wire.md').read_text(encoding='utf-8')
    text = text[text.index('## B. Worked dumps'):text.index('## C. Test checklist')]
    for number, block in enumerate(re.findall(r'```\n(.*?)```', text, re.S)):
        rows = re.findall(r'^[0-9A-F]{6}  ([0-9A-F |]+)$', block, re.M)
        yield 'dump %d of the paper' % number, bytes.fromhex(''.join(rows).replace('|', ''))


def written(build):
    """(name, bytes) of a capture that the writer of the tests makes."""
    program = build / 'tests' / 'compare' / 'compare-rewrite'
    lines, at = [MADE], 1_000_000
    for frame in range(20):
        lines.append('F 2 %d\n' % at)
        for thread, timer in ((2, 1), (3, 2)):
            lines.append('b %d %d %d\nb %d %d %d\ne %d %d\ne %d %d\n' % (
                thread, at + 10, timer, thread, at + 20 + frame, 3 - timer, thread, at + 500, thread, at + 900 + frame))
        at += 1000
        lines.append('f 2 %d\n' % (at - 20))
    if not program.exists():
        return
    with tempfile.NamedTemporaryFile(suffix='.utrace') as file:
        subprocess.run([program, file.name, '3000000'], input=''.join(lines).encode(), check=True)
        yield 'made by the writer', pathlib.Path(file.name).read_bytes()


def files(suffix, most):
    folders = [ROOT / 'fixtures', ROOT / 'fixtures' / 'tracy']
    corpus = os.environ.get('TRACEKIT_CORPUS')
    folders += [pathlib.Path(corpus) / name for name in ('utrace', 'tracy', 'live/streams')] if corpus else []
    for folder in folders:
        for path in sorted(folder.glob('*' + suffix)) if folder.is_dir() else ():
            if 0 < path.stat().st_size <= most:
                yield str(path.name), path.read_bytes()


STYLES = {'json': ('begin', 'end', 'pairs', 'mixed', 'shuffled'), 'pftrace': ('pf-plain', 'pf-compact', 'pf-late'),
          'fxt': ('fxt-pairs', 'fxt-complete', 'fxt-providers')}
IMPORTED = {'json': 'chrome', 'pftrace': 'perfetto', 'fxt': 'fxt'}


def rows_of_frames():
    """A capture of frames as rows, with times of threads, events, and facts behind it."""
    lines = ['EVENTS,FrameTime,GameThreadTime,RenderThreadTime,Exclusive/GameThread/Tick,Score']
    lines += ['%s,%.4f,%.4f,%.4f,%.4f,%d' % ('load;go' if i % 9 == 0 else '', 16 + i % 5 / 7, 9 + i % 3 / 7, 8.5, 4 + i % 7 / 9, i * i)
              for i in range(60)]
    return '\n'.join([*lines, '[platform],linux,[commandline],-x', '']).encode()


def styled(form):
    """(style, name, bytes) of captures of other tools."""
    if form == 'csv':
        yield 'rows', 'made rows', rows_of_frames()
    with tempfile.TemporaryDirectory() as folder:
        for style in STYLES.get(form, ()):
            for seed in (1, 2):
                path = pathlib.Path(imports_styles.write(imports_made.Program(seed, 40, 3), folder, style))
                yield style, 'made %s %d' % (style, seed), path.read_bytes()


def imported(form, most):
    """(folder, name, bytes) of captures of other tools in the corpus."""
    corpus = os.environ.get('TRACEKIT_CORPUS')
    folders = [pathlib.Path(corpus) / 'import' / IMPORTED[form] / name for name in ('real', 'made')] if corpus and form in IMPORTED else []
    for folder in folders + [pathlib.Path(corpus) / 'import2'] if folders else ():
        for path in sorted(folder.glob('*.' + form)) if folder.is_dir() else ():
            if 0 < path.stat().st_size <= most:
                yield folder.name, path.name, path.read_bytes()


def of_other_tools(form, most):
    found = {}
    for kind, name, data in (*styled(form), *imported(form, most)):
        try:
            if len(list(import_parts.PARTS[form](data))) > 1:
                found.setdefault(kind, []).append((name, data))
        except import_parts.PartError:
            pass
    return found


def captures(form, build, most=None):
    """(protocol, version or style) -> (name, bytes) of each sound capture of a format; those that were cut are left out."""
    if form in import_parts.PARTS:
        return of_other_tools(form, most or MOST['utrace'])
    made = (*dumps(), *written(build)) if form == 'utrace' else ()
    found, names = {}, set()
    for name, data in (*files('.' + form, most or MOST[form]), *made):
        kind = kind_of(form, data)
        if kind and name not in names:
            found.setdefault(kind, []).append((name, data))
            names.add(name)
    return found


def kind_of(form, data):
    """"protocol 7", "0.14"; None where the decoder of this folder cannot read it."""
    try:
        if form == 'utrace':
            return 'protocol %d' % wire.read(data).protocol
        return '%d.%d' % tracy_file.read(data)[1]['version'][:2]
    except BROKEN:
        return None


def pick(known, rng):
    """(kind, name, bytes): each kind is as likely."""
    kind = rng.choice(sorted(known))
    return (kind, *rng.choice(known[kind]))
