#!/usr/bin/env python3
"""Checks that citations of the format papers lead somewhere.

usage: check_citations.py ROOT

  - docs/format/README.md lists each paper with its short name; each paper begins with a title and one sentence
  - section numbers of a paper are unique, and `section N` inside a paper is one of its own
  - comments of libtrace/, cmd/ and tests/, and the pages of docs/, cite sections that exist, in one form:
    short name and number (`wire 3.5`, `events 3.1 and 3.4`, `tracy-file 5.13 to 5.22`, `wire B.1`)
  - pages of docs/ that they name are there

Prints one line a fault, and exits with 1 when there is one.
"""

import io
import pathlib
import re
import sys
import tokenize

NUMBER = r'(?:\d+(?:\.\d+)*|[A-Z](?:\.\d+)?)(?![\w.]*\w)'
PAPER_ROW = re.compile(r'^\| `([a-z-]+)` \| \[([\w.-]+)\]\(\2\) \|', re.MULTILINE)
HEADING = re.compile(r'^#{2,6} (\d+(?:\.\d+)*|[A-Z](?:\.\d+)?)\.? ', re.MULTILINE)
OWN_SECTION = re.compile(r'\bsections? (%s)(?:(?:,| and| to) (%s))*' % (NUMBER, NUMBER))

PAGE = re.compile(r'\bdocs/[\w/-]+\.md\b')

# Other ways to cite, which no reader could follow and this test could not look up.
OTHER_FORM = re.compile(r"""
      §+\s?\d[\d.]*
    | \b[\w-]+\.md,?\s(?:section\s)?\d[\d.]*
    | \b(?:(?:wire|events|interop|\w+-\w+),?\s)?(?:reference|paper),?\s\d[\d.]*
    | \b(?:wire|events|interop|\w+-\w+),?\s(?:appendix|section)\s[A-Z\d][\d.]*
    | \b(?:utrace|tracy|insights|changes)-(?P<page>[a-z]+),?\s\d[\d.]*
    """, re.VERBOSE | re.IGNORECASE)


def comments_of_c(text):
    """(line number, text) of each comment; quotes inside of literals begin none."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
    for found in token.finditer(text):
        if found.group().startswith('/'):
            yield text.count('\n', 0, found.start()) + 1, re.sub(r'\s*\n\s*(?:\*(?!/)\s*)?', ' ', found.group())


def comments_of_python(text):
    """Comments and long strings, as documentation is one."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        long_string = token.type == tokenize.STRING and re.match(r'\w*("""|\'\'\')', token.string)
        if token.type == tokenize.COMMENT or long_string:
            yield token.start[0], re.sub(r'\s*\n\s*', ' ', token.string)


def comments_of_script(text):
    for number, line in enumerate(text.splitlines(), 1):
        found = re.search(r'(?:^|\s)#(.*)', line)
        if found:
            yield number, found.group(1)


def without_code(text):
    """A page with empty lines in place of its blocks of code."""
    return re.sub(r'^```.*?^```', lambda block: '\n' * block.group().count('\n'), text, flags=re.MULTILINE | re.DOTALL)


def paragraphs(text):
    """(line number, text) of what stands together in a page; rows of tables alone."""
    text = without_code(text)
    for found in re.finditer(r'^\|[^\n]*|(?:^(?!\|)[^\n]*\S[^\n]*\n?)+', text, re.MULTILINE):
        yield text.count('\n', 0, found.start()) + 1, re.sub(r'\s*\n\s*', ' ', found.group())


def texts(path):
    """What a file says in words: (line number, text)."""
    text = path.read_text(encoding='utf-8')
    if path.suffix in ('.c', '.h', '.inc'):
        return comments_of_c(text)
    if path.suffix == '.py':
        return comments_of_python(text)
    return paragraphs(text) if path.suffix == '.md' else comments_of_script(text)


def sources(root):
    for folder in ('libtrace', 'cmd', 'tests'):
        for path in sorted((root / folder).rglob('*')):
            named = path.suffix in ('.c', '.h', '.inc', '.py', '.sh', '.cmake') or path.name in ('CMakeLists.txt', 'layers.txt')
            if path.is_file() and named and 'papers' not in path.relative_to(root).parts:
                yield path
    yield from sorted((root / 'docs').rglob('*.md'))


def read_papers(folder):
    """short name -> (path, numbers of its sections), as the index lists them."""
    index = folder / 'README.md'
    papers = {}
    for name, file in PAPER_ROW.findall(index.read_text(encoding='utf-8')):
        path = folder / file
        numbers = HEADING.findall(without_code(path.read_text(encoding='utf-8'))) if path.is_file() else []
        papers[name] = (path, numbers)
    return papers


def check_head(path):
    """The fault of the beginning of a paper, or None."""
    title, _, rest = path.read_text(encoding='utf-8').partition('\n\n')
    if not title.startswith('# ') or '\n' in title:
        return 'does not begin with a title'
    sentence = rest.partition('\n\n')[0].strip().replace('\n', ' ')
    one = sentence.endswith('.') and not sentence.startswith('#') and not re.search(r'[.!?] [A-Z]', sentence)
    return None if one else 'does not begin with one sentence'


def check_papers(root, papers):
    folder = root / 'docs' / 'format'
    listed = {path.name for path, _ in papers.values()}
    for path in sorted(folder.glob('*.md')):
        where = path.relative_to(root)
        if path.name == 'README.md':
            continue
        if path.name not in listed:
            yield '%s: is not in the index' % where
        fault = check_head(path)
        if fault:
            yield '%s: %s' % (where, fault)
    for name, (path, numbers) in papers.items():
        where = path.relative_to(root)
        if not path.is_file():
            yield 'docs/format/README.md: %s is not there' % path.name
            continue
        for number in sorted({number for number in numbers if numbers.count(number) > 1}):
            yield '%s: section %s is there twice' % (where, number)
        for line, text in texts(path):
            for found in OWN_SECTION.finditer(text):
                for number in re.findall(NUMBER, found.group()):
                    if number not in numbers:
                        yield '%s:%d: has no section %s' % (where, line, number)


def citations(papers, text):
    """(short name, number) of each citation in a text."""
    names = '|'.join(sorted(map(re.escape, papers), key=len, reverse=True))
    one = re.compile(r'(?<![\w./-])(%s) (%s(?:(?:, and|, or|, to|,| and| to| or) %s)*)' % (names, NUMBER, NUMBER), re.IGNORECASE)
    for found in one.finditer(text):
        for number in re.findall(NUMBER, found.group(2)):
            yield found.group(1).lower(), number


def check_citations(root, papers):
    """Faults, and the number of citations."""
    faults, seen = [], 0
    for path in sources(root):
        for line, text in texts(path):
            where = '%s:%d' % (path.relative_to(root).as_posix(), line)
            for name, number in citations(papers, text):
                seen += 1
                if number not in papers[name][1]:
                    faults.append('%s: there is no %s %s' % (where, name, number))
            for page in PAGE.findall(text):
                if not (root / page).is_file():
                    faults.append('%s: there is no %s' % (where, page))
            for found in OTHER_FORM.finditer(text):
                if not found.group('page') or found.group().partition(' ')[0] not in papers:
                    faults.append('%s: "%s" is no form of citation' % (where, found.group()))
    return faults, seen


def check(root):
    """All faults of a tree, as lines; the number of citations."""
    papers = read_papers(root / 'docs' / 'format')
    faults, seen = check_citations(root, papers)
    return [*check_papers(root, papers), *faults], seen


def main():
    faults, seen = check(pathlib.Path(sys.argv[1]).resolve())
    for fault in faults:
        print(fault)
    print('%d citations, %d faults' % (seen, len(faults)))
    return 1 if faults or not seen else 0


if __name__ == '__main__':
    sys.exit(main())
