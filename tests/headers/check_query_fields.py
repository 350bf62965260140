#!/usr/bin/env python3
"""Compares the members of struct tk_query, as the public header declares them, with the list of its fields.

usage: check_query_fields.py LIBTRACE

A member that is not in query/query_fields.h has no setter, and two questions that differ in it alone are one to what is
kept of a capture. Prints one line a member that is in one of the two only, and exits with 1 when there is one.
"""

import pathlib
import re
import sys

# The size is what every struct begins with; whoever is called back gets nothing that would be kept.
EXCEPT = {'size', 'filtered', 'filtered_ctx'}
COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)


def public(root):
    paths = [root / 'tracekit.h', *sorted((root / 'tracekit').glob('*.h'))]
    return COMMENT.sub('', '\n'.join(path.read_text(encoding='utf-8') for path in paths if path.is_file()))


def members(text, name):
    """(type, member) of a struct: one declaration may have several."""
    body = re.search(r'^struct %s \{(.*?)^\};' % name, text, re.DOTALL | re.MULTILINE).group(1)
    for declaration in filter(None, (part.strip() for part in body.split(';'))):
        called = re.match(r'[\w ]+\(\*(\w+)\)', declaration)
        kind = re.match(r'(?:const )?((?:struct |enum )?\w+)', declaration).group(1)
        rest = declaration[re.match(r'(?:const )?(?:struct |enum )?\w+', declaration).end():]
        for one in [called.group(1)] if called else re.split(r',', rest):
            yield kind, re.search(r'(\w+)\s*$', one).group(1)


def declared(text, name, before=''):
    """Paths of all members, those of structs in it included."""
    for kind, member in members(text, name):
        if kind.startswith('struct '):
            yield from declared(text, kind.removeprefix('struct '), before + member + '.')
        else:
            yield before + member


def listed(path):
    text = COMMENT.sub('', path.read_text(encoding='utf-8'))
    fields = re.findall(r'^ +(?:LIST|FIELD|MARK|NUMBERS)\(([^)]*)\)', text, re.MULTILINE)
    for field in fields:
        yield from (word for word in (part.strip() for part in field.split(',')) if not re.match(r'"|[A-Z]', word))


def main():
    root = pathlib.Path(sys.argv[1])
    there, known = set(declared(public(root), 'tk_query')) - EXCEPT, list(listed(root / 'query' / 'query_fields.h'))
    faults = ['tk_query.%s is not in query/query_fields.h' % name for name in sorted(there - set(known))]
    faults += ['query/query_fields.h: tk_query has no %s' % name for name in sorted(set(known) - there)]
    faults += ['query/query_fields.h: %s is there twice' % name for name in sorted(set(known)) if known.count(name) > 1]
    faults += ['no members were found'] if len(there) < 40 else []
    print('\n'.join(faults) or '%d members' % len(there))
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
