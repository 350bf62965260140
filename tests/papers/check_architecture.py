#!/usr/bin/env python3
"""Checks docs/architecture.md against the tree, and the tables of CONTRIBUTING.md that say where things go.

usage: check_architecture.py ROOT [--refresh]

  - the list of folders in docs/architecture.md is that of the two layers.txt, with their sentences
  - `NAME` (`FILE`) in its text, and a row | ... | `NAME` | `FILE` | of a table: FILE defines NAME
  - a name in backticks that begins with tk_ is one of these
  - every path in backticks is there, from the top or from libtrace/ on; of one with words in capitals (`model/TOPIC/X.c`)
    at least one file
  - rows of the table "Finding the file to change" in CONTRIBUTING.md name files that are there, in folders of the list

--refresh writes the list of folders. Prints one line a fault, and exits with 1 when there is one.
"""

import pathlib
import re
import sys

PAGE = 'docs/architecture.md'
LISTS = (('libtrace', 'libtrace/layers.txt'), ('cmd', 'cmd/layers.txt'))
BEGIN, END = '<!-- begin folders -->\n', '<!-- end folders -->'

NAMED = re.compile(r'`([A-Za-z_]\w*)`\s+\(`([\w./-]+)`\)|\| `([A-Za-z_]\w*)` \| `([\w./-]+)` \|')
PUBLIC_NAME = re.compile(r'`(tk_\w+)`')
PATH = re.compile(r'`((?:[\w.-]+/)+[\w.-]+\.\w+)`')
PLACEHOLDER = re.compile(r'(?<![A-Za-z])[A-Z]+(?![A-Za-z])')
TOPS = ('', 'libtrace', 'libtrace/format', 'libtrace/format/utrace', 'libtrace/format/tracy')


def read(path):
    return path.read_text(encoding='utf-8')


def folders(root):
    """(path of a folder, its sentence) of both houses."""
    for house, law in LISTS:
        comment = []
        for line in read(root / law).splitlines():
            found = re.fullmatch(r'([a-z_/]+):.*', line)
            if found:
                yield '%s/%s' % (house, found.group(1)), ' '.join(comment)
            comment = [*comment, line[1:].strip()] if line.startswith('#') else []


def folder_list(root):
    rows = ['| `%s/` | %s |' % row for row in folders(root)]
    return '\n'.join(['', '| folder | what it holds |', '|---|---|', *rows, '', ''])


def split_page(text):
    """What stands before the list of folders, in it, and behind it."""
    before, begin, rest = text.partition(BEGIN)
    inside, end, behind = rest.partition(END)
    if not begin or not end:
        raise SystemExit('%s: has no list of folders' % PAGE)
    return before + begin, inside, end + behind


def without_comments(text):
    return re.sub(r'/\*.*?\*/|//[^\n]*', ' ', text, flags=re.DOTALL)


def defines(text, name):
    """Does a C source define a function or an object of that name, not only declare or use it?"""
    text = without_comments(text)
    function = r'^[A-Za-z_][\w\s*]*?\b%s\((?:[^;{}]*)\)\s*\{' % re.escape(name)
    value = r'^[A-Za-z_][\w\s*]*?\b%s(?:\[\w*\])?\s*=' % re.escape(name)
    return any(re.search(form, text, re.MULTILINE) for form in (function, value))


def line_of(text, at):
    return text.count('\n', 0, at) + 1


def check_names(root, text):
    """Faults of names with files; the number of these."""
    faults, known = [], set()
    for found in NAMED.finditer(text):
        name, file = found.group(1) or found.group(3), found.group(2) or found.group(4)
        known.add(name)
        where = '%s:%d' % (PAGE, line_of(text, found.start()))
        if not (root / file).is_file():
            faults.append('%s: there is no %s' % (where, file))
        elif not defines(read(root / file), name):
            faults.append('%s: %s does not define %s' % (where, file, name))
    for found in PUBLIC_NAME.finditer(text):
        if found.group(1) not in known:
            faults.append('%s:%d: %s is named without its file' % (PAGE, line_of(text, found.start()), found.group(1)))
    return faults, len(known)


def is_there(root, path):
    """Is there a file of that path? A word in capitals stands for any."""
    pattern = PLACEHOLDER.sub('*', path)
    return any(next((root / top).glob(pattern), None) for top in TOPS)


def check_paths(root, page, text):
    for found in PATH.finditer(text):
        if not is_there(root, found.group(1)):
            yield '%s:%d: there is no %s' % (page, line_of(text, found.start()), found.group(1))


def section(text, title):
    """A section of CONTRIBUTING.md, and the line that it begins in."""
    found = re.search(r'^## %s\n(.*?)(?=^## |\Z)' % re.escape(title), text, re.MULTILINE | re.DOTALL)
    return (found.group(1), line_of(text, found.start())) if found else (None, 0)


def check_contributing(root):
    """The layout, where it goes, and finding the file to change."""
    page = 'CONTRIBUTING.md'
    text = read(root / page)
    listed = {folder for folder, _ in folders(root)}
    for title in ('Layout', 'Where does it go?', "Finding the file to change"):
        part, _ = section(text, title)
        if not part:
            yield '%s: has no section "%s"' % (page, title)
            continue
        yield from check_paths(root, '%s, %s' % (page, title), part)
    walk, _ = section(text, "Finding the file to change")
    rows = re.findall(r'^\| (?!task|-)(.*?) \| (.*?) \|', walk or '', re.MULTILINE)
    if walk and len(rows) < 5:
        yield '%s: five tasks are walked, and here are %d' % (page, len(rows))
    for task, answer in rows:
        files = re.findall(r'`([\w./-]+)`', answer)
        if not files or str(pathlib.PurePosixPath(files[0]).parent) not in listed:
            yield '%s: "%s" leads to no folder of %s' % (page, task, PAGE)


def check(root):
    """All faults of a tree, as lines; the number of names."""
    text = read(root / PAGE)
    faults, names = check_names(root, text)
    _, inside, _ = split_page(text)
    if inside != folder_list(root):
        faults.append('%s: the list of folders is not that of layers.txt (--refresh writes it)' % PAGE)
    outside = ''.join(split_page(text)[::2])
    return [*faults, *check_paths(root, PAGE, outside), *check_contributing(root)], names


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if '--refresh' in sys.argv[2:]:
        before, _, behind = split_page(read(root / PAGE))
        (root / PAGE).write_text(before + folder_list(root) + behind, encoding='utf-8')
    faults, names = check(root)
    for fault in faults:
        print(fault)
    print('%d names, %d faults' % (names, len(faults)))
    return 1 if faults or not names else 0


if __name__ == '__main__':
    sys.exit(main())
