#!/usr/bin/env python3
"""Does check_layers.py see each kind of fault, and none in a tree without? Trees are made in a temporary directory; the
objects of those that have some are compiled with cc."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_layers  # noqa: E402

LAYERS = '''The law.

wing utrace: format/utrace | |

# Chapters.
tracekit:

# Containers.
base:

# Text.
base/text: base

# What the system does for us.
os:

# System calls.
os/posix: os/.

# Reading.
io: base base/text os

# Facts.
fact: base

# A format.
format/utrace: base io fact

# Tables.
model: base fact model/marks model/sums

# Frames, regions and bookmarks.
model/marks: base fact

# Sums.
model/sums: base fact model/marks
'''
SOUND = {
    'libtrace/layers.txt': LAYERS,
    'libtrace/tracekit.h': '#include "tracekit/errors.h"\n#include "tracekit/views.h"\n',
    'libtrace/tracekit/errors.h': '#include <stdint.h>\n',
    'libtrace/tracekit/views.h': '#include "errors.h"\n',
    'libtrace/base/a.h': '#include "tracekit/errors.h"\nint tk_a(void);\n',
    'libtrace/base/a.c': '#include "base/a.h"\nint tk_a(void) { return 1; }\n',
    'libtrace/base/text/t.h': '#include "base/a.h"\n',
    'libtrace/os/thread.h': '#include <stdatomic.h>\nint tk_os_t(void);\n',
    'libtrace/os/posix/posix.h': '#include <unistd.h>\n',
    'libtrace/os/posix/thread.c': '#include <pthread.h>\n#include <errno.h>\n#include "os/thread.h"\n'
                                  '#include "os/posix/posix.h"\nint tk_os_t(void) { return 1; }\n',
    'libtrace/io/file.h': '#include "base/text/t.h"\nint tk_file(void);\n',
    'libtrace/io/file.c': '#include "io/file.h"\nint tk_file(void) { return tk_a(); }\n',
    'libtrace/fact/fact.h': '#include "base/a.h"\n',
    'libtrace/format/utrace/lane.h': '#include "io/file.h"\n#include "fact/fact.h"\n',
    'libtrace/model/tables.h': '#include "model/sums/sums.h"\n',
    'libtrace/model/marks/m.c': '#include "fact/fact.h"\n#include <immintrin.h>\nint tk_m(void) { return tk_a(); }\n',
    'libtrace/model/sums/sums.h': '#include "fact/fact.h"\n',
    'cmd/layers.txt': 'The commands.\n\n# The process.\nterminal: libtrace/os\n\n# Options.\nargs: terminal\n',
    'cmd/terminal/host.h': '#include "tracekit/views.h"\n',
    'cmd/terminal/host.c': '#include "os/thread.h"\n#include "terminal/host.h"\nint tk_h(void) { return tk_os_t(); }\n',
    'cmd/args/opt.h': '#include "terminal/host.h"\n',
    'cmd/main.c': '#include "args/opt.h"\n',
}
WING = 'wing utrace: format/utrace | |'
OTHER_SUM = {'libtrace/model/sums/sums.c': 'int tk_sum(void) { return 0; }\n'}


def write_tree(root, tree):
    """Writes the files; headers that have no include guard get one."""
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == '.h' and '#ifndef' not in text:
            guard = re.sub(r'\W', '_', name).upper()
            text = '#ifndef %s\n#define %s\n%s#endif\n' % (guard, guard, text)
        path.write_text(text, encoding='utf-8')


class CheckLayers(unittest.TestCase):
    def faults(self, changes=None, compiled=False):
        """Faults of the sound tree with some files added or replaced."""
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory).resolve()
            write_tree(root, {**SOUND, **(changes or {})})
            return check_layers.check(root, self.compile(root) if compiled else None)

    def compile(self, root):
        """Objects as the build lays them out."""
        build = root / 'build'
        for house in ('libtrace', 'cmd'):
            for path in sorted((root / house).rglob('*.c')):
                name = path.relative_to(root / house)
                target = 'cmd' if house == 'cmd' else '_'.join(name.parent.parts)
                out = build / house / 'CMakeFiles' / ('tk_%s.dir' % target) / (str(name) + '.o')
                out.parent.mkdir(parents=True, exist_ok=True)
                subprocess.run([shutil.which('cc') or 'gcc', '-w', '-I', root / 'libtrace', '-I', root / 'cmd', '-c', path, '-o',
                                out], check=True)
        return build

    def one_fault(self, part, changes, compiled=False):
        faults = self.faults(changes, compiled)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(part, faults[0])

    def test_sound(self):
        self.assertEqual(self.faults(), [])
        self.assertEqual(self.faults(compiled=True), [])

    def test_arrow_up(self):
        self.one_fault('base must not use io', {'libtrace/base/b.c': '#include "io/file.h"\n'})
        self.one_fault('fact must not use io', {'libtrace/fact/b.c': '  #  include "io/file.h"\n'})
        self.one_fault('base must not use base/text', {'libtrace/base/b.c': '#include "base/text/t.h"\n'})
        self.one_fault('model/marks must not use model/sums', {'libtrace/model/marks/b.c': '#include "model/sums/sums.h"\n'})
        self.one_fault('terminal must not use args', {'cmd/terminal/b.c': '#include "args/opt.h"\n'})

    def test_parent_is_not_implied(self):
        self.one_fault('model/marks must not use model ', {'libtrace/model/marks/b.c': '#include "model/tables.h"\n'})

    def test_parent_alone(self):
        """A name with /. is the folder without those below it."""
        law = LAYERS.replace('model: base fact model/marks model/sums', 'model: base fact')
        law = law.replace('model/marks: base fact', 'model/marks: base fact model/.')
        tree = {'libtrace/layers.txt': law, 'libtrace/model/tables.h': '#include "fact/fact.h"\n',
                'libtrace/model/marks/b.c': '#include "model/tables.h"\n'}
        self.assertEqual(self.faults(tree), [])
        self.one_fault('model/marks must not use model/sums',
                       {**tree, 'libtrace/model/marks/b.c': '#include "model/sums/sums.h"\n'})

    def test_format_and_model(self):
        self.one_fault('format/utrace must not use model/sums',
                       {'libtrace/format/utrace/b.c': '#include "model/sums/sums.h"\n'})

    def test_symbol_against_the_law(self):
        """An extern line instead of an #include."""
        self.one_fault('base must not use io (symbol tk_file of io/file.c)',
                       {'libtrace/base/b.c': 'int tk_file(void);\nint tk_b(void) { return tk_file(); }\n'}, True)
        self.one_fault('terminal must not use args (symbol tk_opt',
                       {'cmd/args/opt.c': 'int tk_opt(void) { return 0; }\n',
                        'cmd/terminal/b.c': 'int tk_opt(void);\nint tk_b(void) { return tk_opt(); }\n'}, True)

    def test_circle_through_a_table_of_functions(self):
        """A list of functions names an item, and the item queries the list: two files of one folder."""
        self.one_fault('a circle of files: model/sums/item.c needs tk_list of model/sums/list.c; model/sums/list.c needs '
                       'tk_item of model/sums/item.c',
                       {'libtrace/model/sums/list.c': 'int tk_item(void);\nint (*const tk_list[])(void) = {tk_item, 0};\n',
                        'libtrace/model/sums/item.c': 'extern int (*const tk_list[])(void);\n'
                                                      'int tk_item(void) { return tk_list[0] != 0; }\n'}, True)

    def test_circle_of_three_files(self):
        text = 'int tk_%s(void);\nint tk_%s(void) { return tk_%s(); }\n'
        self.one_fault('a circle of files: model/sums/x.c', {
            'libtrace/model/sums/%s.c' % name: text % (other, name, other) for name, other in ('xy', 'yz', 'zx')}, True)

    def test_circle_of_folders(self):
        law = LAYERS.replace('fact: base', 'fact: base model/sums')
        faults = self.faults({'libtrace/layers.txt': law})
        self.assertTrue(any('a circle of folders: fact, model/marks, model/sums' in fault for fault in faults), faults)

    def test_command_uses_what_is_not_public(self):
        library = {'libtrace/tracekit/views.h': 'int tk_a(void);\n'}
        self.assertEqual(self.faults({**library, 'cmd/args/b.c': 'int tk_a(void);\nint tk_b(void) { return tk_a(); }\n'}, True),
                         [])
        self.one_fault('cmd/args/b.c: tk_file is not public',
                       {**library, 'cmd/args/b.c': 'int tk_file(void);\nint tk_b(void) { return tk_file(); }\n'}, True)

    def test_no_object(self):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory).resolve()
            write_tree(root, SOUND)
            build = self.compile(root)
            (root / 'libtrace/base/late.c').write_text('\n')
            faults = check_layers.check(root, build)
        self.assertEqual(faults, ['libtrace/base/late.c: no object in the build'])

    def test_most_files(self):
        files = {'libtrace/fact/f%d.h' % i: '\n' for i in range(24)}
        self.assertEqual(self.faults(files), [])
        self.one_fault('libtrace/fact: 26 files', {**files, 'libtrace/fact/f24.h': '\n'})

    def test_sentence(self):
        for above in ('', '# No full stop\n', '# Two topics. In two sentences.\n'):
            self.one_fault('libtrace/fact: needs one sentence',
                           {'libtrace/layers.txt': LAYERS.replace('# Facts.\n', above)})

    def test_guards(self):
        for text in ('#ifndef A\n#define B\n#endif\n', '#ifndef A\n#define A\nint tk_x;\n', '/* #ifndef A */\n',
                     'int tk_x;\n#ifndef A\n#define A\n#endif\n', '#ifndef A\n#define A\n#endif\nint tk_x;\n'):
            self.one_fault('libtrace/fact/b.h: has no include guard', {'libtrace/fact/b.h': text})
        same = '/* A topic. */\n#ifndef A\n#define A\n#endif\n'
        self.assertEqual(self.faults({'libtrace/fact/b.h': same}), [])
        self.one_fault('libtrace/fact/c.h: has the include guard of libtrace/fact/b.h',
                       {'libtrace/fact/b.h': same, 'libtrace/fact/c.h': same})

    def test_folders_and_lines(self):
        self.one_fault('libtrace/extra: has no line', {'libtrace/extra/b.c': '#include <stdint.h>\n'})
        self.one_fault('libtrace/gone: a line in layers.txt, and no file',
                       {'libtrace/layers.txt': LAYERS + '\n# Nothing.\ngone: base\n'})
        self.one_fault('may use bass, which is no folder', {'libtrace/layers.txt': LAYERS.replace('os:\n', 'os: bass\n')})

    def test_names_of_files(self):
        self.one_fault('is no file of libtrace/', {'libtrace/io/b.c': '#include "file.h"\n'})
        self.one_fault('is no file of cmd/', {'cmd/args/b.c': '#include "opt.h"\n'})
        self.one_fault('belongs to no folder', {'libtrace/base/b.c': '#include "formats.h"\n', 'libtrace/formats.h': '\n'})

    def test_system_header(self):
        for name in ('unistd.h', 'pthread.h', 'sys/stat.h', 'fcntl.h', 'signal.h', 'errno.h', 'stdatomic.h', 'threads.h',
                     'windows.h'):
            self.one_fault('is of the system, which is for os/', {'libtrace/base/b.c': '#include <%s>\n' % name})
        self.one_fault('is of the system, which is for os/', {'cmd/terminal/b.c': '#include <unistd.h>\n'})
        self.one_fault('is of the system, which is for os/', {'libtrace/os/b.h': '#include <pthread.h>\n'})
        self.one_fault('is of the system, which is for os/', {'libtrace/os/b.h': '#include <stdatomic.h>\n'})

    def test_header_of_one_system(self):
        self.one_fault('"os/posix/posix.h" is of one system', {'libtrace/io/b.c': '#include "os/posix/posix.h"\n'})
        self.one_fault('"os/posix/posix.h" is of one system', {'cmd/terminal/b.c': '#include "os/posix/posix.h"\n'})

    def test_function_of_each_system(self):
        windows = {'libtrace/layers.txt': LAYERS + '\n# System calls of another.\nos/windows: os/.\n',
                   'libtrace/os/windows/thread.c': '#include "os/thread.h"\nint tk_os_t(void)\n{\n    return 1;\n}\n'}
        self.assertEqual(self.faults(windows), [])
        lacks = 'tk_os_new is declared in os/thread.h and defined nowhere'
        new = {**windows, 'libtrace/os/thread.h': 'int tk_os_t(void);\n/* Also\n * (new). */\nstruct tk_x *tk_os_new(\n    int a,'
               ' const char *b);\nstatic inline int tk_os_own(void)\n{\n    return tk_os_t();\n}\n'}
        body = '#include "os/thread.h"\nstruct tk_x *tk_os_new(int a,\n    const char *b)\n{\n    return 0;\n}\n'
        self.one_fault('libtrace/os/windows: ' + lacks, {**new, 'libtrace/os/posix/new.c': body})
        self.one_fault('libtrace/os/posix: ' + lacks, {**new, 'libtrace/os/windows/new.c': body})
        self.one_fault('libtrace/os/windows: ' + lacks, {**new, 'libtrace/os/posix/new.c': body, 'libtrace/os/windows/new.c':
                                                         body.replace('struct', 'static struct')})
        self.assertEqual(self.faults({**new, 'libtrace/os/new.c': body}), [])
        both = '#include "os/thread.h"\n#include "os/new.inc"\n'
        self.assertEqual(self.faults({**new, 'libtrace/os/new.inc': body.partition('\n')[2],
                                      'libtrace/os/posix/new.c': both, 'libtrace/os/windows/new.c': both}), [])

    def test_functions_of_one_name(self):
        windows = {'libtrace/layers.txt': LAYERS + '\n# System calls of another.\nos/windows: os/.\n',
                   'libtrace/os/windows/thread.c': '#include "os/thread.h"\nint tk_os_t(void)\n{\n    return 1;\n}\n'}
        own = 'static int own(%s)\n{\n    return 1;\n}\n'
        two = windows['libtrace/os/windows/thread.c'] + own % 'int a'
        self.assertEqual(self.faults({**windows, 'libtrace/os/windows/thread.c': two}), [])
        self.one_fault('libtrace/os/windows/thread.c: defines own twice', {**windows, 'libtrace/os/windows/thread.c':
                                                                          two + own % 'void'})
        either = '#if X\n' + own % 'void' + '#else\n' + own % 'int a' + '#endif\n'
        self.assertEqual(self.faults({**windows, 'libtrace/os/windows/thread.c': windows['libtrace/os/windows/thread.c'] + either}), [])

    def test_command_uses_the_library(self):
        self.one_fault('args must not use libtrace/os', {'cmd/args/b.c': '#include "os/thread.h"\n'})
        self.one_fault('terminal must not use libtrace/base', {'cmd/terminal/b.c': '#include "base/a.h"\n'})
        self.one_fault('cmd/args/b.c: tk_os_t is not public',
                       {'cmd/args/b.c': 'int tk_os_t(void);\nint tk_b(void) { return tk_os_t(); }\n'}, True)
        self.assertEqual(self.faults(compiled=True), [])

    def test_unknown_header(self):
        self.one_fault('is of the system', {'libtrace/model/marks/b.c': '#include <glib.h>\n'})
        self.one_fault('is of the system', {'cmd/args/b.c': '#include <ncurses.h>\n'})

    def test_chapters(self):
        for name in ('libtrace/fact/b.c', 'cmd/args/b.c'):
            self.one_fault('"tracekit.h" is for those outside', {name: '#include "tracekit.h"\n'})
        self.one_fault('is of the system', {'cmd/args/b.c': '#include <tracekit.h>\n'})
        self.one_fault('"tracekit/none.h" is no chapter', {'libtrace/fact/b.c': '#include "tracekit/none.h"\n'})
        self.assertEqual(self.faults({'libtrace/fact/b.c': '#include "tracekit/views.h"\n'}), [])
        for folder in ('base', 'base/text'):
            self.one_fault('%s includes no other chapter than errors.h and values.h' % folder,
                           {'libtrace/%s/b.c' % folder: '#include "tracekit/views.h"\n'})
        for name in ('tracekit/errors.h', 'base/a.h', 'none.h'):
            self.one_fault('is no chapter beside it', {'libtrace/tracekit/sql.h': '#include "%s"\n' % name})

    def test_core_names_a_wing(self):
        law = LAYERS.replace(WING, 'wing sums: model/sums | |')
        faults = self.faults({'libtrace/layers.txt': law})
        self.assertTrue(any('model: is in the core and must not use model/sums, of the wing sums' in fault for fault in faults))
        for text, fault in (('format/none | |', 'format/none is no folder'), ('format/utrace | sums.h |', 'sums.h is no chapter'),
                            ('format/utrace | | none', 'needs none, which is no wing')):
            self.one_fault(fault, {'libtrace/layers.txt': LAYERS.replace(WING, 'wing utrace: ' + text)})

    def test_preset_without_any_wing(self):
        """Whose chapter is public and whose option the preset does not turn off."""
        tree = {'libtrace/layers.txt': LAYERS.replace(WING, 'wing utrace: format/utrace | views.h |'), 'libtrace/tracekit/views.h': ''}
        for left_out, wanted in (({}, 1), ({'TK_WITH_UTRACE': 'OFF'}, 0)):
            presets = json.dumps({'configurePresets': [{'name': 'core', 'cacheVariables': left_out}]})
            faults = self.faults({**tree, 'CMakePresets.json': presets})
            self.assertEqual(sum('does not leave out utrace' in fault for fault in faults), wanted, faults)

    def test_symbols_of_wings(self):
        """By extern lines, which no #include shows; the lines of the folders allow it."""
        law = LAYERS.replace(WING, 'wing sums: model/sums | |\nwing marks: model/marks | |')
        law = law.replace('model/marks: base fact', 'model/marks: base fact io').replace('model: base', 'model: base io')
        use = 'int tk_sum(void);\nint tk_use(void) { return tk_sum(); }\n'
        law = law.replace('sums: base fact model/marks', 'sums: base fact').replace('marks: base fact io',
                                                                                  'marks: base fact io model/sums')
        tree = {'libtrace/layers.txt': law, **OTHER_SUM, 'libtrace/model/marks/use.c': use}
        faults = self.faults(tree, True)
        self.assertIn('libtrace/model/marks/use.c: needs tk_sum of the wing sums, which may be left out', faults)
        public = {'libtrace/tracekit/views.h': 'int tk_sum(void);\n'}
        self.assertFalse([fault for fault in self.faults({**tree, **public}, True) if 'marks/use.c' in fault])
        needs = {'libtrace/layers.txt': law.replace('wing marks: model/marks | |', 'wing marks: model/marks | | sums')}
        self.assertFalse([fault for fault in self.faults({**tree, **needs}, True) if 'marks/use.c' in fault])
        core = {'libtrace/layers.txt': law.replace('\nwing marks: model/marks | |', '')}
        self.assertIn('libtrace/model/marks/use.c: is in the core and needs tk_sum of the wing sums',
                      self.faults({**tree, **core, **public}, True))

    def test_unusual(self):
        self.one_fault('unusual #include', {'libtrace/fact/b.c': '#include HEADER\n'})

    def test_names_of_formats(self):
        self.one_fault('names a format', {'libtrace/fact/b.c': '/* as in a .UTrace file */\n'})
        self.one_fault('names a format', {'libtrace/io/b.c': 'int tracy_file;\n'})
        self.one_fault('names a format', {'libtrace/model/marks/b.h': '/* the channel of Unreal */\n'})

    def test_one_writer(self):
        self.one_fault('libtrace/base/b.c: has names or commas of JSON', {'libtrace/base/b.c': 'char b[] = "{\\"a\\":1}";\n'})
        self.one_fault('cmd/args/b.c: has names or commas of JSON', {'cmd/args/b.c': 'char b[] = ",\\"";\n'})
        self.one_fault('has what pages have in common', {'libtrace/io/b.c': 'char b[] = "\\n<!DOCTYPE html>";\n'})
        self.one_fault('has what pages have in common', {'libtrace/io/b.c': 'char b[] = "<thead><tr>";\n'})
        self.one_fault('has what HTML and XML escape', {'libtrace/io/b.c': 'char b[] = "&amp;";\n'})
        self.assertEqual(self.faults({'libtrace/io/b.c': '/* "a": "&lt;" <html> */\nchar b[] = "\\"a\\"";\n'}), [])

    def test_judgements(self):
        self.one_fault('decides what waits', {'libtrace/fact/b.c': 'const char *const p = "*limiter*";\n'})
        self.one_fault('decides the role of a thread', {'libtrace/model/b.c': 'const char *const p = "GameThread";\n'})
        self.one_fault('decides when a frame is a hitch', {'libtrace/model/b.c': 'int hitch = v > 2 * median;\n'})
        self.assertEqual(self.faults({'libtrace/fact/b.c': '/* "*limiter*" */\nconst char *const p = "wait";\n'}), [])


if __name__ == '__main__':
    unittest.main()
