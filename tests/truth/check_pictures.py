#!/usr/bin/env python3
"""Checks that frame images of made captures of Tracy become PNG files that are upright, pixel by pixel against a decoder of BC1 and a
reader of PNG that share nothing with the library; which frame shows an image; that images of sizes that are none are refused; and which
of them a page of trace-report has: the nearest one to each hitch, 24 at most, as means of the pixels where they are made smaller.

usage: check_pictures.py --bin DIRECTORY
"""

import argparse
import base64
import json
import pathlib
import random
import re
import struct
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import commands      # noqa: E402
import report        # noqa: E402
import tracy_frames  # noqa: E402
import tracy_layout  # noqa: E402


def wide(value, bits):
    return round(value * 255 / ((1 << bits) - 1))


def colour(number):
    return wide(number >> 11, 5), wide(number >> 5 & 63, 6), wide(number & 31, 5)


def palette(a, b):
    """As the specification of S3TC has it: thirds, or a half and black."""
    one, other = colour(a), colour(b)
    if a > b:
        return [one, other, *(tuple((p * x + q * y) / 3 for x, y in zip(one, other)) for p, q in ((2, 1), (1, 2)))]
    return [one, other, tuple((x + y) / 2 for x, y in zip(one, other)), (0, 0, 0)]


def pixels_of(image):
    """Rows of colours, the highest first."""
    rows = [[None] * image['width'] for _ in range(image['height'])]
    for number in range(len(image['data']) // 8):
        left, top = number % (image['width'] // 4) * 4, number // (image['width'] // 4) * 4
        a, b, bits = struct.unpack_from('<HHI', image['data'], 8 * number)
        colours = palette(a, b)
        for i in range(16):
            rows[top + i // 4][left + i % 4] = colours[bits >> 2 * i & 3]
    return rows[::-1] if image['flipped'] else rows


def read_png(data):
    assert data[:8] == b'\x89PNG\r\n\x1a\n'
    at, chunks = 8, []
    while at < len(data):
        n, kind = struct.unpack_from('>I4s', data, at)
        body = data[at + 8:at + 8 + n]
        assert struct.unpack_from('>I', data, at + 8 + n)[0] == zlib.crc32(kind + body)
        chunks.append((kind, body))
        at += 12 + n
    width, height, *form = struct.unpack('>IIBBBBB', chunks[0][1])
    assert chunks[0][0] == b'IHDR' and chunks[-1] == (b'IEND', b'') and form == [8, 2, 0, 0, 0]
    raw = zlib.decompress(b''.join(body for kind, body in chunks if kind == b'IDAT'))
    assert len(raw) == height * (1 + 3 * width) and not any(raw[::1 + 3 * width])
    return [[tuple(raw[y * (1 + 3 * width) + 1 + 3 * x:][:3]) for x in range(width)] for y in range(height)]


def captured(images, frames, zones=()):
    """zones: (begin, end) in microseconds, of one name."""
    capture = tracy_frames.capture({'modules': [], 'callstacks': [], 'samples': []})
    capture['header']['last'] = 10 ** 12
    if zones:
        capture['threads'][0].update(count=len(zones), zones=[
            {'location': 1, 'start': begin * 1000, 'end': end * 1000, 'extra': 0, 'kids': []} for begin, end in zones])
        capture.update(zones=(len(zones), 0), static=[{'address': 0x1000, 'name': (0, 3), 'function': (0, 3), 'file': (0, 3), 'line': 1, 'colour': 0}],
                       expand=[0, 0x1000])
    capture.update(images=images, frames=[{'name': 0, 'continuous': 1, 'frames': [
        {'start': start * 1000, 'image': image} for start, image in frames]}])
    return tracy_layout.pack(tracy_layout.encode(capture), 1)


def check_pixels(result, tools, scratch):
    dice, path, folder = random.Random(7), pathlib.Path(scratch) / 'made.tracy', pathlib.Path(scratch) / 'pictures'
    images = [{'width': 4 * w, 'height': 4 * h, 'flipped': flipped, 'data': dice.randbytes(8 * w * h)}
              for w, h, flipped in ((1, 1, 0), (1, 1, 1), (5, 3, 0), (3, 7, 1), (80, 45, 1))]
    path.write_bytes(captured(images, [(0, -1), (5, -1), (10, 0), (20, -1), (30, 1), (40, 1), (50, 2), (60, 3), (70, 4), (80, -1)]))
    tools.must('trace-export', path, '--format', 'pictures', '-o', folder)
    files = sorted(folder.iterdir())
    result.equal('files', [file.name for file in files], ['%04d.png' % (i + 1) for i in range(len(images))])
    for file, image in zip(files, images):
        got, wanted = read_png(file.read_bytes()), pixels_of(image)
        result.equal(file.name + ': size', (len(got), len(got[0])), (image['height'], image['width']))
        result.true(file.name + ': pixels', all(abs(p - q) <= 1 for row, other in zip(got, wanted) for one, two in zip(row, other)
                                                for p, q in zip(one, two)))      # thirds may be rounded either way
    rows = tools.table(path, 'frame_images', ('image_id', 'width', 'flipped', 'frame', 'time'), '--unit', 'ns')
    result.equal('frames that show them', [(row['frame'], int(row['time']) - int(rows[0]['time'])) for row in rows],
                 [('0', 0), ('2', 20_000), ('4', 40_000), ('5', 50_000), ('6', 60_000)])


def check_sizes(result, tools, scratch):
    """Sizes that are no whole blocks, or nothing; the one that is right is written."""
    path, folder = pathlib.Path(scratch) / 'sizes.tracy', pathlib.Path(scratch) / 'sizes'
    images = [{'width': w, 'height': h, 'flipped': 0, 'data': bytes(w * h // 2)} for w, h in ((4, 3), (0, 8), (6, 4), (8, 8), (65532, 4096))]
    path.write_bytes(captured(images, [(0, 0)]))
    done = tools.run('trace-export', path, '--format', 'pictures', '-o', folder)
    result.equal('files', [file.name for file in sorted(folder.iterdir())] if folder.exists() else done.err, ['0004.png'])
    result.true('it says so: %s' % done.err, b'frame image' in done.err)
    result.true('memory: %d MB' % (done.memory >> 20), done.memory < 1 << 30)


def plain(number, edge):
    """An image of one colour, which says its number."""
    return {'width': edge, 'height': edge, 'flipped': number % 2, 'data': struct.pack('<HHI', number, 0, 0) * (edge * edge // 16)}


def pictures_of(text):
    """By id the pixels of each picture of a page, and bytes of all of them as they stand there."""
    found = re.findall(r'id="(picture-\d+)"><img alt="[^"]*" src="data:image/png;base64,([^"]*)"', text)
    return {name: read_png(base64.b64decode(data, validate=True)) for name, data in found}, sum(len(data) for _, data in found)


def check_page(result, tools, scratch):
    """Images of frames 5, 15, ..; every 97th frame is long. The first two frames of a recording are none of the game."""
    path, n = pathlib.Path(scratch) / 'page.tracy', 1000
    starts = [-16_000, -8_000, 0]
    for i in range(n):
        starts.append(starts[-1] + (90_000 if i % 97 == 60 else 16_000))
    path.write_bytes(captured([plain(i, 4) for i in range(n // 10)],
                              [(start + 16_000, i // 10 if i % 10 == 5 else -1) for i, start in enumerate(starts, -2)]))
    starts = starts[2:]
    text = tools.must('trace-report', path, '-q').out.decode()
    pictures, size = pictures_of(text)
    hitches = [row['frame'] for row in json.loads(tools.must('trace-stats', path, '-q', '--hitches', '-f', 'json').out)['hitches']]
    result.equal('pictures', (len(pictures), size <= 1_500_000), (24, True))
    result.true('hitches: %s' % hitches, len(set(hitches)) >= 9)
    for frame in sorted(set(hitches)):
        article = text.split('data-frame="%d"' % frame)[1].split('</article>')[0]
        link, where = re.search(r'<a href="#(picture-\d+)">Recorded picture</a>, ([^<]*)\.', article).groups()
        def distance(shown):
            return max(starts[frame] - starts[shown], starts[shown] - starts[frame + 1], -1)
        best = min(range(5, n, 10), key=distance)
        got = next(i for i in range(n // 10) if max(abs(a - b) for a, b in zip(colour(i), pictures[link][0][0])) <= 1)
        result.equal('frame %d: how far its picture is' % frame, distance(10 * got + 5), distance(best))
        side = 'in' if 10 * got + 5 == frame else 'before' if 10 * got + 5 < frame else 'after'
        result.true('frame %d: %s' % (frame, where), where.split()[-3] == side)
    frames = sorted(int(frame) for frame in re.findall(r'<figcaption>frame (\d+),', text))
    result.true('along the frames: %s' % frames, frames[0] < 100 and frames[-1] >= 900 and max(b - a for a, b in zip(frames, frames[1:])) < 150)
    without = tools.must('trace-report', path, '-q', '--no-pictures').out.decode()
    result.equal('--no-pictures', ('<img' in without, 'picture-' in without), (False, False))


def check_smaller(result, tools, scratch):
    """Noise of 800 x 600 is made smaller: each pixel is the mean of the pixels that it stands for."""
    path, dice = pathlib.Path(scratch) / 'large.tracy', random.Random(9)
    image = {'width': 800, 'height': 600, 'flipped': 1, 'data': dice.randbytes(800 * 600 // 2)}
    path.write_bytes(captured([image], [(0, -1), (8_000, -1), (16_000, 0), (32_000, -1), (48_000, -1)]))
    pictures, size = pictures_of(tools.must('trace-report', path, '-q').out.decode())
    got, whole = pictures['picture-1'], pixels_of(image)
    step = -(-800 // len(got[0]))
    result.equal('size', (len(got), len(got[0]), size <= 1_500_000), (-(-600 // step), -(-800 // step), True))
    result.true('it is smaller, and not too small: %d' % len(got[0]), 200 <= len(got[0]) <= 400)
    worst = 0
    for y in range(0, len(got), 7):
        for x in range(0, len(got[0]), 5):
            of = [whole[v][u] for v in range(y * step, min(600, y * step + step)) for u in range(x * step, min(800, x * step + step))]
            worst = max(worst, *(abs(sum(pixel[i] for pixel in of) / len(of) - got[y][x][i]) for i in range(3)))
    result.true('means of pixels, off by %.2f' % worst, worst <= 1.2)


def check_diff(result, tools, scratch):
    """The page of a comparison: the four longest frames of each side, with images of frames 5, 15, ...."""
    sides, paths = {'before': (37, 412, 655, 801), 'after': (88, 295, 555, 903)}, {}
    starts = {}
    for side, long_frames in sides.items():
        at = starts[side] = [0]
        for i in range(1000):
            at.append(at[-1] + (60_000 + 1000 * long_frames.index(i) if i in long_frames else 16_000))
        paths[side] = pathlib.Path(scratch) / (side + '.tracy')
        frames = [(0, -1), (8_000, -1)] + [(16_000 + start, i // 10 if i % 10 == 5 else -1) for i, start in enumerate(at)]
        zones = [(16_000 + a, 16_000 + b - 1000) for a, b in zip(at, at[1:])]
        paths[side].write_bytes(captured([plain(i + (100 if side == 'after' else 0), 8) for i in range(100)], frames, zones))
    text = tools.must('trace-diff', paths['before'], paths['after'], '--report', 'html', '-q', allowed=(0, 1)).out.decode()
    cells = re.findall(r'<td><figure.*?</figure></td>', text)
    result.equal('pictures', len(cells), 8)
    for n, cell in enumerate(cells):
        side, rank = ('before', 'after')[n % 2], n // 2
        frame, where = re.search(r'<strong>frame (\d+), .*?</strong><br>picture (.*?)</figcaption>', cell).groups()
        result.equal('%s %d: frame' % (side, rank), int(frame), sides[side][3 - rank])
        pixels = read_png(base64.b64decode(re.search(r'base64,([^"]*)"', cell)[1]))
        of = 100 if side == 'after' else 0
        got = 10 * next(i for i in range(100) if max(abs(a - b) for a, b in zip(colour(of + i), pixels[0][0])) <= 1) + 5
        at, frame = starts[side], int(frame)
        def distance(shown):
            return max(at[frame] - at[shown], at[shown] - at[frame + 1], -1)
        result.equal('%s %d: how far its picture is' % (side, rank), distance(got), min(distance(i) for i in range(5, 1000, 10)))
        result.equal('%s %d: where' % (side, rank), where.split()[-3], 'in' if got == frame else 'before' if got < frame else 'after')
    result.true('the policy lets pictures in', "img-src data:" in text)
    without = tools.must('trace-diff', paths['before'], paths['after'], '--report', 'html', '-q', '--no-pictures', allowed=(0, 1)).out.decode()
    result.equal('--no-pictures', ('<img' in without, 'img-src' in without), (False, False))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    options = parser.parse_args()
    tools, reports = commands.Commands(options.bin), report.Report()
    with tempfile.TemporaryDirectory() as scratch:
        reports.run('pixels', check_pixels, tools, scratch)
        reports.run('sizes', check_sizes, tools, scratch)
        reports.run('page', check_page, tools, scratch)
        reports.run('smaller', check_smaller, tools, scratch)
        reports.run('comparison', check_diff, tools, scratch)
    return reports.close()


if __name__ == '__main__':
    sys.exit(main())
