#!/usr/bin/env python3
"""Checks that names and comments of the C sources have the field's words: each of the words below stood for several ideas,
and a reader had to find out which.

usage: check_words.py ROOT

Prints one line a fault, and exits with 1 when there is one.
"""

import pathlib
import re
import sys

# The word, and what is meant by it most often.
WORDS = {'told': 'reported, known, given', 'tells': 'says, reports', 'asked': 'requested, queried', 'asks': 'requests, queries',
         'shown': 'displayed, visible', 'room': 'capacity, space', 'beside': 'alongside, parallel, staged', 'aside': 'apart'}
SEE = re.compile(r'\b[Ss]ee\s+(?:\*\s+)?[\w/]+\.h\b')      # what a file is stands in it, not where else to look
FOLDERS = ('libtrace', 'cmd', 'emit', 'examples', 'tests')
TOKEN = re.compile(r'''(?P<comment>//[^\n]*|/\*.*?\*/)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?P<name>[A-Za-z_]\w*)''', re.DOTALL)


def faults(text):
    """(line, word, what it means) of each place in a C source where one of the words stands, texts of the program left out."""
    for token in TOKEN.finditer(text):
        for part in re.finditer(r'[A-Za-z]+', token['comment'] or token['name'] or ''):
            if part[0].lower() in WORDS:
                yield text.count('\n', 0, token.start() + part.start()) + 1, part[0].lower(), WORDS[part[0].lower()]
        for part in SEE.finditer(token['comment'] or ''):
            yield text.count('\n', 0, token.start() + part.start()) + 1, 'see', 'what the file is'


def main():
    root = pathlib.Path(sys.argv[1])
    bad = 0
    for path in sorted(p for folder in FOLDERS for p in (root / folder).rglob('*.[ch]')):
        for line, word, meaning in faults(path.read_text(encoding='utf-8')):
            print("%s:%d: '%s' (%s)" % (path.relative_to(root), line, word, meaning))
            bad += 1
    return bad > 0


if __name__ == '__main__':
    assert [fault[:2] for fault in faults('/* is told */ int n_told; "told"\n// room\nx = toldx /* See\n * a/b.h. */')] == [
        (1, 'told'), (1, 'told'), (2, 'room'), (3, 'see')]
    sys.exit(main())
