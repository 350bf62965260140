#!/usr/bin/env python3
"""Checks that frame images of made captures of Tracy become PNG files that are upright, pixel by pixel against a decoder of BC1 and a
reader of PNG that share nothing with the library; which frame shows an image; and that images of sizes that are none are refused.

usage: check_pictures.py --bin DIRECTORY
"""

import argparse
import pathlib
import random
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


def captured(images, frames):
    capture = tracy_frames.capture({'modules': [], 'callstacks': [], 'samples': []})
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    options = parser.parse_args()
    tools, reports = commands.Commands(options.bin), report.Report()
    with tempfile.TemporaryDirectory() as scratch:
        reports.run('pixels', check_pixels, tools, scratch)
        reports.run('sizes', check_sizes, tools, scratch)
    return reports.close()


if __name__ == '__main__':
    sys.exit(main())
