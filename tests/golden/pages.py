"""Reads the pages that the commands print, in each of their formats, back into tables of texts.

A page becomes {table: [{column: text}]}. Texts of numbers keep their form: number() says which numbers a text stands
for, as "3.56 ms" is every number that is printed so.
"""

import csv
import decimal
import io
import json
import re
import unicodedata

WIDEST = 100                                            # columns of a cell; wider ones stick out
SCALES = {'': 1, 'ns': 1, 'us': 10 ** 3, 'ms': 10 ** 6, 's': 10 ** 9, 'B': 1, 'KiB': 1 << 10, 'MiB': 1 << 20,
          '%': decimal.Decimal('0.01')}
DOUBLE = decimal.Decimal('1e-15')                   # relative: digits of a double that count
NUMBER = re.compile(r'(>= )?(-?\d+(?:\.\d+)?(?:e[-+]\d+)?)(?: (\w+|%))?')


def number(text):
    """(is it a lower bound, value, half a unit of its last digit) in ns or bytes or as it is; None for another text."""
    found = NUMBER.fullmatch(text)
    if not found or (found[3] or '') not in SCALES:
        return None
    value, scale = decimal.Decimal(found[2]), SCALES[found[3] or '']
    exact = value.as_tuple().exponent >= 0 and not found[3]
    half = 0 if exact else decimal.Decimal(1).scaleb(value.as_tuple().exponent) / 2
    return bool(found[1]), value * scale, half * scale


def columns_of(text):
    """A line by columns of the terminal: a wide character takes two."""
    return ''.join(char + '\0' if unicodedata.east_asian_width(char) in 'WF' else char for char in text)


def gutters(lines, width):
    """Runs of two or more columns that are blank in all lines."""
    blank = ''.join(' ' if all(line[at] == ' ' for line in lines) else 'x' for at in range(width))
    return [found.span() for found in re.finditer(' {2,}', blank)]


def cut_long(line):
    """A line whose first cell sticks out, as if it did not, and the first cell; else None for it."""
    for found in re.finditer(' {2,}', line):
        if found.start() > WIDEST:
            return line[:WIDEST] + line[found.start():], line[:found.start()]
        if found.start():
            break
    return line, None


def aligned(lines):
    """Rows of aligned lines; names of columns hold no space."""
    lines, long = zip(*map(cut_long, lines))
    width = max(map(len, lines))
    lines = [line.ljust(width) for line in lines]
    names = [(found[0], *found.span()) for found in re.finditer(r'\S+', lines[0])]
    edges, found = [0], gutters(lines, width)
    for (_, _, end), (name, start, _) in zip(names, names[1:]):
        between = [gutter for gutter in found if end <= gutter[0] and gutter[1] <= start]
        if not between:
            raise ValueError('column %s does not stand apart' % name)
        edges.append(between[0][1])
    cells = [[line[a:b].replace('\0', '').strip() for a, b in zip(edges, [*edges[1:], width])] for line in lines]
    for row, first in zip(cells, long):
        row[0] = first or row[0]
    return [dict(zip(cells[0], row)) for row in cells[1:]]


def read_table(text):
    """Pages for people: a name, then aligned rows, or a record as indented lines."""
    tables = {}
    for block in text.rstrip('\n').split('\n\n'):
        name, *lines = map(columns_of, block.split('\n'))
        name = name.split(' (')[0]                      # as in "timers (times in us)"
        if len(lines) == 2 and re.fullmatch(r'\(.*\)', lines[1]):
            del lines[1]                                # as in "(no rows)"
        if all(line.startswith('  ') for line in lines):
            pairs = (re.fullmatch(r'  (\S+) *(.*)', line.replace('\0', '')).groups() for line in lines)
            tables[name] = [dict(pairs)]
        else:
            tables[name] = aligned(lines)
    return tables


def read_markdown(text):
    tables = {}
    for block in text.rstrip('\n').split('\n\n'):
        if block.startswith('### '):
            name = block[4:].split(' (')[0]
        else:
            rows = [[re.sub(r'\\([^a-z])', r'\1', cell.strip()) for cell in re.split(r'(?<!\\)\|', line)[1:-1]]
                    for line in block.split('\n')]
            tables[name] = [dict(rows[2:])] if rows[0] == ['name', 'value'] else \
                [dict(zip(rows[0], row)) for row in rows[2:]]
    return tables


def read_csv(text):
    return {None: list(csv.DictReader(io.StringIO(text, newline='')))}


def plain(value):
    """A JSON value as the other formats print it."""
    if value is None:
        return ''
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(',', ':'))


def read_json(text):
    tables = {}
    for name, table in json.loads(text).items():
        rows = table if isinstance(table, list) else [table]
        tables[name] = [{key: plain(value) for key, value in row.items()} for row in rows]
    return tables


READERS = {'table': read_table, 'markdown': read_markdown, 'csv': read_csv, 'json': read_json}
