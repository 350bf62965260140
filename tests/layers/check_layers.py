#!/usr/bin/env python3
"""Checks that every part of the sources sees only what it may see.

usage: check_layers.py ROOT

  - #include lines of libtrace/ follow libtrace/layers.txt
  - headers of the operating system are included by libtrace/io/ and by pool, relay and thread of libtrace/base/ only, and by at most one
    file of cmd/
  - cmd/ includes tracekit.h and headers of its own
  - the format-neutral folders do not name a format

Prints one line a fault, and exits with 1 when there is one.
"""

import pathlib
import re
import sys

# Headers that the C standard gives; the rest in angle brackets is of the system or of a library.
STANDARD = set('''assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h
    setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h
    string.h tgmath.h threads.h time.h uchar.h wchar.h wctype.h'''.split())
SYSTEM = re.compile(r'sys/.+|unistd\.h|pthread\.h|spawn\.h|fcntl\.h|signal\.h|poll\.h|dirent\.h|sched\.h|termios\.h|threads\.h')
LIBRARIES = {'lz4.h', 'lz4frame.h', 'zstd.h', 'zstd_errors.h', 'zlib.h', 'sqlite3.h', 'cjson/cJSON.h', 'check.h'}
COMPILER = re.compile(r'(?:[a-z]*mmintrin|immintrin|x86intrin|cpuid|arm_neon|arm_acle)\.h')

MAY_USE_SYSTEM = ('io/', 'base/pool.c', 'base/relay.c', 'base/thread.')
NEUTRAL = ('base', 'io', 'fact', 'table', 'model', 'stats', 'compare', 'sink')
FORMATS = ('utrace', 'tracy')


def read_layers(path):
    """folder -> folders that it may include, itself among them."""
    layers = {}
    for line in path.read_text(encoding='utf-8').splitlines():
        folder, colon, used = line.partition(':')
        if colon and not line.startswith('#'):
            layers[folder] = {folder, *used.split()}
    return layers


def includes(path):
    """(line number, bracket, name) of each #include line."""
    text = path.read_text(encoding='utf-8')
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if found:
            yield number, found.group(1), found.group(2)
        elif re.match(r'\s*#\s*include\b', line):
            yield number, '?', line.strip()


def sources(folder):
    return sorted(path for path in folder.rglob('*') if path.suffix in ('.c', '.h'))


def check_own(library, path, name, layers):
    """The fault of an #include "name" in a file of libtrace/, or None."""
    folder = path.relative_to(library).parts[0]
    used = name.split('/')[0] if '/' in name else None
    if not (library / name).is_file():
        return '"%s" is no file of libtrace/ (names are relative to it)' % name
    if folder not in layers:
        return None if path.parent == library else 'folder %s is not in layers.txt' % folder
    if used is None:
        return None if name == 'tracekit.h' else '"%s" belongs to no folder' % name
    return None if used in layers[folder] else '%s must not use %s ("%s")' % (folder, used, name)


def check_foreign(path_name, name):
    """The fault of an #include <name> in a file of libtrace/, or None."""
    if SYSTEM.fullmatch(name):
        allowed = path_name.startswith(MAY_USE_SYSTEM)
        return None if allowed else '<%s> of the operating system is for io/ and threads of base/' % name
    if name in STANDARD or name in LIBRARIES or COMPILER.fullmatch(name):
        return None
    return None if path_name.startswith(MAY_USE_SYSTEM) else '<%s> is no standard header' % name


def check_library(library):
    layers = read_layers(library / 'layers.txt')
    for path in sources(library):
        path_name = path.relative_to(library).as_posix()
        for number, bracket, name in includes(path):
            if bracket == '"':
                fault = check_own(library, path, name, layers)
            else:
                fault = check_foreign(path_name, name) if bracket == '<' else 'unusual #include'
            if fault:
                yield 'libtrace/%s:%d: %s' % (path_name, number, fault)


def check_neutral(library):
    """The format-neutral folders do not name a format, not even in a comment."""
    names = re.compile('|'.join((*FORMATS, 'unreal')), re.IGNORECASE)
    for folder in NEUTRAL:
        for path in sources(library / folder):
            for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
                if names.search(line):
                    yield 'libtrace/%s:%d: names a format: %s' % (path.relative_to(library), number, line.strip())


def check_commands(commands):
    with_system = []
    for path in sources(commands):
        for number, bracket, name in includes(path):
            where = 'cmd/%s:%d' % (path.relative_to(commands), number)
            if name == 'tracekit.h':
                continue
            if bracket == '"' and not (path.parent / name).is_file():
                yield '%s: "%s" is no header of cmd/' % (where, name)
            elif bracket == '<' and SYSTEM.fullmatch(name):
                with_system.append(path.name)
            elif bracket == '<' and name not in STANDARD:
                yield '%s: <%s> is no standard header' % (where, name)
            elif bracket == '?':
                yield where + ': unusual #include'
    if len(set(with_system)) > 1:
        yield 'cmd: headers of the operating system in more than one file: ' + ', '.join(sorted(set(with_system)))


def check(root):
    """All faults of a tree, as lines."""
    library = root / 'libtrace'
    return [*check_library(library), *check_neutral(library), *check_commands(root / 'cmd')]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    faults = check(root)
    for fault in faults:
        print(fault)
    seen = len(sources(root / 'libtrace'))
    print('%d files of libtrace/, %d faults' % (seen, len(faults)))
    return 1 if faults or not seen else 0


if __name__ == '__main__':
    sys.exit(main())
