#!/usr/bin/env python3
"""Checks that every part of the sources uses only what it may use.

usage: check_layers.py ROOT [--objects BUILD]

  - #include lines of libtrace/ and cmd/ follow their layers.txt, and so do the symbols of the linker in the objects of a
    build, where one is given
  - the arrows of a layers.txt form no circle
  - no circle of files: two files whose symbols need each other, over however many others
  - a folder has a line with one sentence above it, and at most 25 files; a line has a folder
  - each header has an include guard of its own
  - a function that a header of os/ declares is defined for each system, also for those that nobody builds here
  - a header FOLDER_in.h is included in its folder alone
  - libtrace/ and cmd/ include chapters of tracekit.h, never tracekit.h itself; base/ those of errors and values alone; the
    chapters include each other by the names of the files, as they are installed
  - the core uses no wing, by its lines and by the symbols of its objects; a wing uses of another one, unless it needs it,
    what is public alone
  - headers of the operating system are included in the folders of os/ that are for one system; all else is written
    against those of the C standard, without the ones that systems have in ways of their own
  - the folders that know no format do not name one
  - JSON is put by base/text/json.h, the head of a page, its tables and what HTML escapes by page/markup.h and tk_markup_entity
  - judgements are made in libtrace/judge/ alone: nobody else has patterns of what waits, names of threads with a role, or
    multiples of a median frame

Prints one line a fault, and exits with 1 when there is one.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

# Headers of the C standard that every compiler has and that mean the same on every system; the rest in angle brackets is
# of the system or of a library. errno.h and signal.h say what a system did and are for os/; stdatomic.h and threads.h are
# missing from some.
STANDARD = set('''assert.h complex.h ctype.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h setjmp.h
    stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h tgmath.h time.h wchar.h wctype.h'''.split())
LIBRARIES = {'lz4.h', 'lz4frame.h', 'lz4hc.h', 'zstd.h', 'zstd_errors.h', 'zlib.h', 'sqlite3.h', 'sqlite3ext.h', 'cjson/cJSON.h', 'check.h'}
COMPILER = re.compile(r'(?:[a-z]*mmintrin|immintrin|x86intrin|cpuid|arm_neon|arm_acle)\.h')

SYSTEMS = re.compile(r'libtrace/os/[a-z]+/')            # folders that are for one system each
ALSO = {('libtrace/os/thread.h', 'stdatomic.h')}        # a file, and a header that it may include alongside those
NEUTRAL = ('base', 'os', 'table', 'io', 'fact', 'query', 'model', 'engine', 'sink', 'compare', 'trend')
FORMATS = re.compile('utrace|tracy|unreal', re.IGNORECASE)
SUFFIXES = ('.c', '.h', '.inc')

# What one file puts for all: what its literals look like elsewhere, and the files that have such literals, with why.
ONE_WRITER = (
    ('names or commas of JSON, which base/text/json.h puts', re.compile(r'\\":|,\\"'), {
        'libtrace/sink/timelines/chrome.c': 'an event a scope: pieces are prepared',
        'libtrace/sink/timelines/speedscope.c': 'an event a scope: pieces are prepared',
        'libtrace/agent/tools.c': 'schemas, which are put as they are',
        'libtrace/edit/utrace/record.c': 'one line in an edited file',
        'libtrace/edit/utrace/merge_utrace.c': 'one line in an edited file',
        'libtrace/edit/tracy/edit_tracy.c': 'one line in an edited file',
        'libtrace/edit/tracy/merge.c': 'one line in an edited file',
        'libtrace/format/tracy/file/version.h': 'how that line begins',
        'libtrace/live/tracy/save_front.c': 'that line of a recording in several files',
        'libtrace/format/tracy/walk/own_tables.c': 'reads that line',
        'libtrace/edit/tracy/join_plan.c': 'reads that line',
    }),
    ('what pages have in common, which page/markup.h puts', re.compile(r'<(!doctype|html|meta|thead|caption)\b', re.IGNORECASE), {
        'libtrace/page/markup.c': 'puts it',
        'libtrace/api/formats.c': 'says what a file is that is no capture',
    }),
    ('what HTML and XML escape, which tk_markup_entity has', re.compile('&(amp|lt|gt|quot);'), {
        'libtrace/base/text/copy.h': 'has it',
    }),
)
MOST_FILES = 25
PUBLIC = 'tracekit'                    # the folder with the chapters of tracekit.h
COMMANDS_OF = {'live': re.compile(r'live/|cmd_(?:record|control)\.c$')}  # sources of cmd/ that are left out with a wing
GROUND = {'base': ('errors.h', 'values.h')}  # a folder, with all below it, and the only chapters that it includes

# What only libtrace/judge/ decides, and how a second place that does would look. A format says what its recorder calls its
# threads, and words that are public are words.
JUDGEMENTS = (
    ('what waits', re.compile(r'"[^"\n]*\*[^"\n]*(?:wait|idle|sleep|limiter|vsync)[^"\n]*"|"(?:wait|idle|sleep|limiter|vsync)[^"\n]*\*"', re.I)),
    ('the role of a thread', re.compile(r'"\*?(?:game|render|rhi|main) ?thread\*?"', re.I)),
    ('when a frame is a hitch', re.compile(r'\b2(?:\.0)? ?\* ?[\w.>()-]*(?:middle|median|usual)\w*.*hitch|hitch.*\b2(?:\.0)? ?\* ?[\w.>()-]*(?:middle|median|usual)'
                                           r'|TK_HITCH_TIMES|> ?2 ?\* ?(?:middle|median)\b', re.I)),
)
JUDGES = ('libtrace/judge/', 'libtrace/format/', 'libtrace/edit/anonymise/public_words.c')
DEFINED = set('TDBRVWCSG')             # letters of nm for what an object gives to others


class House:
    """A folder with a layers.txt: libtrace/ or cmd/."""

    def __init__(self, top):
        self.top = top
        self.name = top.name
        self.lines = {}                 # folder -> names in its line
        self.sentences = {}             # folder -> the comment above its line
        self.wings = {}                 # name of a wing -> (its folders, its chapters, the wings that it needs)
        self.read(top / 'layers.txt')

    def read(self, path):
        comment = []
        for line in path.read_text(encoding='utf-8').splitlines():
            wing = re.fullmatch(r'wing ([a-z]+):(.*)\|(.*)\|(.*)', line)
            if wing:
                self.wings[wing.group(1)] = [part.split() for part in wing.groups()[1:]]
            found = re.fullmatch(r'([a-z_/]+):(.*)', line)
            if found:
                self.lines[found.group(1)] = found.group(2).split()
                self.sentences[found.group(1)] = ' '.join(comment)
            comment = [*comment, line[1:].strip()] if line.startswith('#') else []

    def folder(self, path):
        """The folder of a file, '' for files directly in the house."""
        parent = path.relative_to(self.top).parent.as_posix()
        return '' if parent == '.' else parent

    def wing_of(self, folder):
        """The wing that a folder is in, or None for the core."""
        return next((wing for wing, (folders, _, _) in self.wings.items() if any(below(folder, name) for name in folders)),
                    None)

    def may_use(self, folder, other):
        if folder == other or folder == '' or other == PUBLIC:
            return True
        return any(below(other, name) for name in self.lines.get(folder, ()))

    def may_use_other(self, folder, other):
        """May a folder use one of another house, `house/folder`?"""
        return any(below(other, name) for name in self.lines.get(folder, ()))

    def arrows(self):
        """folder -> folders that it may use."""
        return {folder: {other for other in self.lines if other != folder and self.may_use(folder, other)}
                for folder in self.lines}


def below(folder, name):
    """Is the folder one that a name in a line stands for?"""
    if name.endswith('/.'):
        return folder == name[:-2]
    return folder == name or folder.startswith(name + '/')


def sources(folder):
    return sorted(path for path in folder.rglob('*') if path.suffix in SUFFIXES)


def circles(graph):
    """The strongly connected parts of more than one node, each as a sorted list (Tarjan's way, without recursion)."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for root in sorted(graph):
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, others = work[-1]
            for other in others:
                if other not in graph:
                    continue
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(sorted(graph[other]))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    part, stack[at:] = stack[at:], []
                    on_stack.difference_update(part)
                    if len(part) > 1:
                        found.append(sorted(part))
    return found


def includes(path):
    """(line number, bracket, name) of each #include line."""
    text = path.read_text(encoding='utf-8')
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if found:
            yield number, found.group(1), found.group(2)
        elif re.match(r'\s*#\s*include\b', line):
            yield number, '?', line.strip()


def check_law(house, library=None):
    """layers.txt itself, against the folders that there are."""
    folders = [*house.lines, *('%s/%s' % (library.name, folder) for folder in library.lines)] if library else house.lines
    files = collections.Counter(house.folder(path) for path in sources(house.top))
    for folder in sorted(set(files) - set(house.lines) - {''}):
        yield '%s/%s: has no line in layers.txt' % (house.name, folder)
    for folder, names in house.lines.items():
        where = '%s/%s' % (house.name, folder)
        if not files[folder]:
            yield where + ': a line in layers.txt, and no file'
        for name in names:
            if not any(below(other, name) for other in folders):
                yield '%s: may use %s, which is no folder' % (where, name)
        if not re.fullmatch(r'[^.]+(\.[^. ][^.]*)*\.', house.sentences[folder]):
            yield where + ': needs one sentence above its line in layers.txt'
    for folder, count in sorted(files.items()):
        if count > MOST_FILES:
            yield '%s: %d files, at most %d' % ('%s/%s' % (house.name, folder), count, MOST_FILES)
    for circle in circles(house.arrows()):
        yield '%s/layers.txt: a circle of folders: %s' % (house.name, ', '.join(circle))


def without_any(house, wing):
    """The wings that the preset `core` leaves out; just this one where there are no presets."""
    path = house.top.parent / 'CMakePresets.json'
    if not path.exists():
        return {wing}
    presets = json.loads(path.read_text())['configurePresets']
    chosen = next((preset['cacheVariables'] for preset in presets if preset['name'] == 'core'), {})
    return {name.removeprefix('TK_WITH_').lower() for name, value in chosen.items() if value == 'OFF'}


def check_wings(house):
    """What wings say of themselves, and that the lines of the core name none."""
    for wing, (folders, chapters, needs) in house.wings.items():
        for folder in folders:
            if not any(below(other, folder) for other in house.lines):
                yield '%s/layers.txt: wing %s: %s is no folder' % (house.name, wing, folder)
        if chapters and wing not in without_any(house, wing):
            yield 'CMakePresets.json: the preset core does not leave out %s' % wing
        for chapter in chapters:
            if not (house.top / PUBLIC / chapter).is_file():
                yield '%s/layers.txt: wing %s: %s is no chapter' % (house.name, wing, chapter)
        for other in needs:
            if other not in house.wings:
                yield '%s/layers.txt: wing %s: needs %s, which is no wing' % (house.name, wing, other)
    for folder, others in house.arrows().items():
        for other in sorted(others):
            if house.wing_of(other) and not house.wing_of(folder):
                yield '%s/%s: is in the core and must not use %s, of the wing %s' % (house.name, folder, other,
                                                                                    house.wing_of(other))


def check_wing_symbols(objects, public):
    """Symbols of wings: the core needs none, and other wings those that are public or of a wing that they need."""
    house = objects.house
    for name, others in sorted(objects.uses(every=True).items()):
        mine = house.wing_of(name.rpartition('/')[0])
        for other, symbols in others.items():
            wing = house.wing_of(other.rpartition('/')[0])
            if not wing or wing == mine or (mine and wing in house.wings[mine][2]):
                continue
            for symbol in symbols:
                if not mine:
                    yield '%s/%s: is in the core and needs %s of the wing %s' % (house.name, name, symbol, wing)
                elif symbol not in public:
                    yield '%s/%s: needs %s of the wing %s, which may be left out' % (house.name, name, symbol, wing)


def foreign_fault(where, name):
    """The fault of an #include <name>, or None."""
    if name in STANDARD or name in LIBRARIES or COMPILER.fullmatch(name):
        return None
    if SYSTEMS.match(where) or (where, name) in ALSO:
        return None
    return '<%s> is of the system, which is for os/' % name


def own_fault(house, folder, name, library):
    """The fault of an #include "name", or None."""
    if folder == PUBLIC:
        return None if (house.top / PUBLIC / name).is_file() else '"%s" is no chapter beside it' % name
    if name.startswith(PUBLIC + '/'):
        if not ((library or house).top / name).is_file():
            return '"%s" is no chapter' % name
        known = next((only for ground, only in GROUND.items() if below(folder, ground) and not library), None)
        return '%s includes no other chapter than %s' % (folder, ' and '.join(known)) \
            if known and name.partition('/')[2] not in known else None
    target, prefix = house.top / name, ''
    if library and not target.is_file():
        house_of, target, prefix = library, library.top / name, library.name + '/'
    else:
        house_of = house
    if not target.is_file():
        return '"%s" is no file of %s/ (names are relative to it)' % (name, house.name)
    other = house_of.folder(target)
    if other == '':
        if name == 'tracekit.h':
            return '"tracekit.h" is for those outside; include its chapters'
        return None if folder == '' else '"%s" belongs to no folder' % name
    where = '%s/%s/' % (house_of.name, other)
    if SYSTEMS.match(where) and not ('%s/%s/' % (house.name, folder)).startswith('libtrace/os/'):
        return '"%s" is of one system, which is for os/' % name
    if prefix and not house.may_use_other(folder, prefix + other):
        return '%s must not use %s ("%s")' % (folder or house.name, prefix + other, name)
    if name.endswith('_in.h') and other != folder:
        return '"%s" is for the files of its folder alone' % name
    return None if house.may_use(folder, other) or prefix else '%s must not use %s ("%s")' % (folder, other, name)


def check_includes(house, library=None):
    for path in sources(house.top):
        where = '%s/%s' % (house.name, path.relative_to(house.top).as_posix())
        for number, bracket, name in includes(path):
            if where == 'libtrace/tracekit.h':
                fault = None
            elif bracket == '"':
                fault = own_fault(house, house.folder(path), name, library)
            elif bracket == '<':
                fault = foreign_fault(where, name)
            else:
                fault = 'unusual #include' if bracket == '?' else None
            if fault:
                yield '%s:%d: %s' % (where, number, fault)


def check_neutral(house):
    """The folders that know no format do not name one, not even in a comment."""
    for folder in NEUTRAL:
        for path in sources(house.top / folder):
            for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
                if FORMATS.search(line):
                    yield '%s/%s:%d: names a format: %s' % (house.name, path.relative_to(house.top), number, line.strip())


def check_one_writer(root, houses):
    """No literal of what one file puts for all; of the files that may have some, each has."""
    for what, pattern, exempt in ONE_WRITER:
        with_some = set()
        for path in (path for house in houses for path in sources(house.top)):
            name = path.relative_to(root).as_posix()
            text = without_comments(path.read_text(encoding='utf-8'))
            if any(pattern.search(literal) for literal in re.findall(r'"(?:[^"\\\n]|\\.)*"', text)):
                with_some.add(name)
                if name not in exempt:
                    yield '%s: has %s' % (name, what)
        for name in sorted(exempt.keys() - with_some):
            if (root / name).is_file():
                yield '%s: may put %s, and does not: check_layers.py need not name it' % (name, what)


def without_comments(text):
    return re.sub(r'/\*.*?\*/', '', text, flags=re.DOTALL)


def check_guards(house):
    """Headers that may be included twice; two of one guard would hide each other."""
    guards = {}
    for path in sources(house.top):
        where = '%s/%s' % (house.name, path.relative_to(house.top).as_posix())
        if path.suffix == '.h':
            found = re.fullmatch(r'#ifndef (\w+)\n#define \1\n.*#endif', without_comments(path.read_text(encoding='utf-8')).strip(),
                                 re.DOTALL)
            if not found:
                yield where + ': has no include guard'
            elif guards.setdefault(found.group(1), where) != where:
                yield '%s: has the include guard of %s' % (where, guards[found.group(1)])


def declared(path):
    """Functions that a header declares, and does not define itself."""
    return re.findall(r'^[a-z][^;{}()=#]*?\b(\w+)\([^{};]*\)[^{};()]*;', without_comments(path.read_text(encoding='utf-8')),
                      re.MULTILINE)


def defined(paths):
    """Functions that files define for others: what begins a line and is followed by a body."""
    found = set()
    for path in paths:
        found.update(re.findall(r'^(?!static\b)[a-z][^;{}()=#]*?\b(\w+)\([^{};]*\)\s*\{',
                                without_comments(path.read_text(encoding='utf-8')), re.MULTILINE))
    return found


def check_systems(house):
    """What os/ promises is there on each system: one that is missing would show when somebody links for that system."""
    top = house.top / 'os'
    here = sorted(top.glob('*.h'))
    for_all = defined(sorted(top.glob('*.c')))
    for system in sorted(path for path in top.glob('*') if path.is_dir()):
        own = sorted(system.rglob('*.c'))
        shared = {house.top / name for path in own for _, _, name in includes(path) if name.endswith('.inc')}
        there = for_all | defined([*own, *sorted(path for path in shared if path.is_file())])
        for header in here:
            for name in declared(header):
                if name not in there:
                    yield '%s/os/%s: %s is declared in os/%s and defined nowhere' % (house.name, system.name, name, header.name)


def check_twice(house):
    """Files of other systems are not compiled here: a join of two that have a function of the same name would show there."""
    for path in sorted((house.top / 'os').glob('*/*.c')):
        text = without_comments(path.read_text(encoding='utf-8'))
        for block in re.findall(r'^#if.*?^#endif', text, re.MULTILINE | re.DOTALL):     # one of several
            text = text.replace(block, '')
        names = re.findall(r'^[a-z][^;{}()=#]*?\b(\w+)\([^{};]*\)\s*\{', text, re.MULTILINE)
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield '%s/%s: defines %s twice' % (house.name, path.relative_to(house.top).as_posix(), name)


class Objects:
    """Which file defines and needs which symbols, as the linker sees it."""

    def __init__(self, house, build):
        self.house = house
        self.defines = {}               # symbol -> file
        self.needs = {}                 # file -> symbols
        top = build / house.name
        by_target = {folder.replace('/', '_'): folder for folder in house.lines}
        objects = {}                    # path of an object -> file
        for path in top.glob('CMakeFiles/tk_*.dir/**/*.o'):
            target, *inner = path.relative_to(top / 'CMakeFiles').parts
            source = '/'.join(inner)[:-len('.o')]
            if (house.top / source).is_file():
                objects[path.as_posix()] = source
            elif (top / source).is_file() and target[len('tk_'):-len('.dir')] in by_target:  # made by the build
                objects[path.as_posix()] = '%s/%s' % (by_target[target[len('tk_'):-len('.dir')]], source)
        self.needs = {name: set() for name in objects.values()}
        self.read(objects)

    def read(self, objects):
        if not objects:
            return
        out = subprocess.run(['nm', '-A', '-P', *sorted(objects)], check=True, capture_output=True, text=True).stdout
        for line in out.splitlines():
            path, symbol, letter = line.replace(': ', ' ', 1).split()[:3]
            name = objects[path]
            if letter == 'U':
                self.needs[name].add(symbol)
            elif letter in DEFINED:
                self.defines[symbol] = name

    def uses(self, every=False):
        """file -> {other file: a symbol that it needs of it, or a list of them all}."""
        graph = {}
        for name, symbols in self.needs.items():
            graph[name] = {}
            for symbol in sorted(symbols):
                other = self.defines.get(symbol)
                if other and other != name and every:
                    graph[name].setdefault(other, []).append(symbol)
                elif other and other != name:
                    graph[name].setdefault(other, symbol)
        return graph


def system_of(where):
    """The folder of one system that a file of libtrace/ is in, or None."""
    found = SYSTEMS.match(where)
    return found.group() if found else None


def check_symbols(objects, left_out=()):
    house = objects.house
    built = {system_of('%s/%s' % (house.name, name)) for name in objects.needs} - {None}

    def is_missing(path):
        name = path.relative_to(house.top).as_posix()
        if house.wing_of(name.rpartition('/')[0]) in left_out or any(
                house.name == 'cmd' and COMMANDS_OF[wing].match(name) for wing in left_out if wing in COMMANDS_OF):
            return False
        system = system_of('%s/%s' % (house.name, name))
        return path.suffix == '.c' and path.name != 'main.c' and name not in objects.needs and (
            not system or not built or system in built)   # the folders of other systems have no objects

    missing = [path for path in sources(house.top) if is_missing(path)]
    for path in missing:
        yield '%s/%s: no object in the build' % (house.name, path.relative_to(house.top))
    graph = objects.uses()
    for name, others in sorted(graph.items()):
        folder = name.rpartition('/')[0]
        for other, symbol in others.items():
            if not house.may_use(folder, other.rpartition('/')[0]):
                yield '%s/%s: %s must not use %s (symbol %s of %s)' % (house.name, name, folder, other.rpartition('/')[0],
                                                                      symbol, other)
    for circle in circles(graph):
        arrows = ['%s needs %s of %s' % (name, graph[name][other], other)
                  for name in circle for other in graph[name] if other in circle]
        yield '%s: a circle of files: %s' % (house.name, '; '.join(arrows))


def public_names(library):
    """Words of the chapters of the public header."""
    return {word for path in (library.top / PUBLIC).glob('*.h') for word in re.findall(r'\w+', path.read_text(encoding='utf-8'))}


def check_public(library, commands, public):
    """Commands call what the public header declares, and nothing else of the library but what their lines name."""
    for name, symbols in sorted(commands.needs.items()):
        for symbol in sorted(symbols):
            folder = name.rpartition('/')[0]
            other = 'libtrace/' + library.defines.get(symbol, '').rpartition('/')[0]
            if symbol in library.defines and symbol not in public and not commands.house.may_use_other(folder, other):
                yield 'cmd/%s: %s is not public (%s)' % (name, symbol, library.defines[symbol])


def check_judgements(house):
    faults = []
    for path in sources(house.top):
        where = '%s/%s' % (house.name, path.relative_to(house.top).as_posix())
        if where.startswith(JUDGES):
            continue
        for number, line in enumerate(without_comments(path.read_text(encoding='utf-8')).splitlines(), 1):
            faults += ['%s: decides %s (line %d), which libtrace/judge/ does' % (where, what, number)
                       for what, pattern in JUDGEMENTS if pattern.search(line)]
    return faults


def check(root, build=None):
    """All faults of a tree, as lines."""
    library, commands = House(root / 'libtrace'), House(root / 'cmd')
    faults = [*check_neutral(library), *check_systems(library), *check_twice(library)]
    faults += [*check_law(library), *check_includes(library), *check_wings(library)]
    faults += [*check_law(commands, library), *check_includes(commands, library)]
    faults += [*check_guards(library), *check_guards(commands)]
    faults += check_one_writer(root, (library, commands))
    faults += [*check_judgements(library), *check_judgements(commands)]
    if build:
        objects = [Objects(house, build) for house in (library, commands)]
        built = {library.wing_of(name.rpartition('/')[0]) for name in objects[0].needs}
        for of_house in objects:
            faults += check_symbols(of_house, set(library.wings) - built)
        public = public_names(library)
        faults += check_public(*objects, public)
        faults += check_wing_symbols(objects[0], public)
    return faults


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1].replace('usage: ', ''))
    parser.add_argument('root', type=pathlib.Path)
    parser.add_argument('--objects', type=pathlib.Path)
    options = parser.parse_args()
    root = options.root.resolve()
    faults = check(root, options.objects and options.objects.resolve())
    for fault in faults:
        print(fault)
    seen = len(sources(root / 'libtrace'))
    print('%d files of libtrace/, %d faults' % (seen, len(faults)))
    return 1 if faults or not seen else 0


if __name__ == '__main__':
    sys.exit(main())
