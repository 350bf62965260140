#!/usr/bin/env python3
"""Compares what the Python package declares of the library with tracekit.h.

usage: check_declarations.py HEADER

Makes the ctypes declaration of each function that the package uses from the text of the header, and also compares the
statuses, kinds and flags, and the version. Prints one line a difference, and exits with 1 when there is one.
"""

import ctypes
import pathlib
import re
import sys

from tracekit import _library

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'harness'))
import public_header  # noqa: E402

NUMBERS = {'int': ctypes.c_int, 'unsigned': ctypes.c_uint, 'size_t': ctypes.c_size_t, 'bool': ctypes.c_bool,
           'double': ctypes.c_double, 'int64_t': ctypes.c_int64, 'uint64_t': ctypes.c_uint64, 'uint32_t': ctypes.c_uint32}


def ctype(declared):
    """A type of C, without the name of a parameter, as the type of ctypes."""
    bare = re.sub(r'\bconst\b', ' ', declared)
    stars = bare.count('*')
    words = bare.replace('*', ' ').split()
    if words == ['tk_read'] and stars == 1:
        return _library.READ
    if stars == 0:
        if words == ['void']:
            return None
        return ctypes.c_int if words[0] == 'enum' else NUMBERS[' '.join(words)]
    if stars == 2 and words[0] in ('struct', 'void'):
        return ctypes.POINTER(ctypes.c_void_p)
    if stars == 1 and words[0] in ('struct', 'void'):
        return ctypes.c_void_p
    if stars == 1 and words == ['char']:
        return ctypes.c_char_p
    if stars == 1:
        return ctypes.POINTER(NUMBERS[' '.join(words)])
    raise ValueError('no type of ctypes for ' + declared)


def parameter(declared):
    """A parameter without its name."""
    return ctype(re.sub(r'\w+\s*$', '', declared) if declared.strip() != 'void' else declared)


def declarations(text):
    """name: (result, arguments) as types of C."""
    found = {}
    for statement in re.findall(r'\bTK_API\b([^;{]*);', text):
        result, name, arguments = re.fullmatch(r'\s*(.*?)(\w+)\s*\((.*)\)\s*', statement, re.S).groups()
        found[name] = (result, [] if arguments.strip() == 'void' else re.split(r',(?![^(]*\))', arguments))
    return found


def enumerators(text, enum, prefix):
    """The names of an enumeration in order, with their values."""
    body = re.search(r'enum %s \{(.*?)\}' % enum, text, re.S)[1]
    values, following = {}, 0
    for item in filter(None, (part.strip() for part in body.split(','))):
        name, _, value = (part.strip() for part in item.partition('='))
        following = int(value) if value else following
        values[name[len(prefix):]] = following
        following += 1
    return values


def main():
    text = re.sub(r'/\*.*?\*/', ' ', public_header.read(sys.argv[1]), flags=re.S)
    faults = []

    def same(what, have, want):
        if have != want:
            faults.append('%s: the package has %r, the header %r' % (what, have, want))

    known = declarations(re.sub(r'^\s*#.*$', '', text, flags=re.M))
    for name, (result, arguments) in _library.FUNCTIONS.items():
        if name not in known:
            faults.append('%s is not in the header' % name)
            continue
        same(name, (result, arguments), (ctype(known[name][0]), [parameter(one) for one in known[name][1]]))
    read = re.search(r'typedef int tk_read\((.*?)\)', text, re.S)[1]
    same('tk_read', list(_library.READ._argtypes_), [parameter(one) for one in read.split(',')])
    same('statuses', _library.STATUS, {name: value for name, value in enumerators(text, 'tk_status', 'TK_').items()
                                       if value < 0})
    same('kinds', dict(zip(_library.KINDS, range(99))),
         {name.lower(): value for name, value in enumerators(text, 'tk_kind', 'TK_').items()})
    same('TK_BY', _library.BY, {name.lower(): int(value, 0) for name, value in
                                re.findall(r'#define TK_BY_(\w+)\s+(\w+)u', text)})
    same('version', _library.VERSION, tuple(int(re.search(r'#define TK_VERSION_%s (\d+)' % part, text)[1])
                                            for part in ('MAJOR', 'MINOR', 'PATCH')))
    same('units', enumerators(text, 'tk_unit', 'TK_UNIT_')['CYCLES'], 1)
    same('orders', enumerators(text, 'tk_order', 'TK_ORDER_')['SERIAL'], 1)
    print('\n'.join(faults) if faults else '%d functions, 0 faults' % len(_library.FUNCTIONS))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
