#!/usr/bin/env python3
"""Does check_architecture.py see each kind of fault, and none in a tree without? Trees are made in a temporary directory."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_architecture  # noqa: E402

PAGE = '''# Architecture

<!-- begin folders -->

| folder | what it holds |
|---|---|
| `libtrace/base/` | Containers. |
| `libtrace/model/marks/` | Frames and regions. |
| `cmd/run/` | The process. |

<!-- end folders -->

`tk_open` (`libtrace/base/open.c`) and, on two lines, `helper`
(`libtrace/base/open.c`); `list` (`libtrace/base/open.c`) is a value. `tk_open` again; see `model/TOPIC/X.c`.

| what | function | file |
|---|---|---|
| marks | `tk_marks` | `libtrace/model/marks/regions.c` |
'''
CONTRIBUTING = '''# Working

## Layout

`cmd/run/main.c`

## Where does it go?

| a table | `model/TOPIC/X.c` |
| a region | `marks/region*.c` is no path, `model/marks/region_X.c` is one |

## Finding the file to change

| task | file |
|---|---|
| one | `libtrace/model/marks/regions.c` | why |
| two | `libtrace/base/open.c` | why |
| three | `libtrace/base/open.c` | why |
| four | `libtrace/base/open.c` | why |
| five | `cmd/run/main.c` | why |
'''
SOUND = {
    'docs/architecture.md': PAGE,
    'CONTRIBUTING.md': CONTRIBUTING,
    'libtrace/layers.txt': 'The law.\n\n# Containers.\nbase:\n\n# Frames\n# and regions.\nmodel/marks: base\n',
    'cmd/layers.txt': '# The process.\nrun:\n',
    'libtrace/base/open.c': 'static int helper(int a,\n                  int b)\n{\n    return a;\n}\n'
                            'static const int *const list[] = {0};\nint tk_open(void)\n{\n    return helper(1, 2);\n}\n',
    'libtrace/base/open.h': 'int tk_open(void);\n',
    'libtrace/model/marks/regions.c': 'struct tk_region *tk_marks(void)\n{\n    return tk_open();\n}\n',
    'libtrace/model/marks/region_list.c': '\n',
    'cmd/run/main.c': '\n',
}


class CheckArchitecture(unittest.TestCase):
    def check(self, changes):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory).resolve()
            for name, text in {**SOUND, **changes}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding='utf-8')
            return check_architecture.check(root)

    def one_fault(self, part, changes):
        faults, _ = self.check(changes)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(part, faults[0])

    def page(self, text):
        return {'docs/architecture.md': PAGE + text}

    def test_sound(self):
        self.assertEqual(self.check({}), ([], 4))

    def test_planted_name(self):
        self.one_fault('base/open.c does not define tk_close', self.page('`tk_close` (`libtrace/base/open.c`)\n'))
        self.one_fault('base/open.c does not define tk_shut', self.page('| x | `tk_shut` | `libtrace/base/open.c` |\n'))

    def test_planted_name_on_two_lines(self):
        self.one_fault('does not define tk_close', self.page('`tk_close`\n   (`libtrace/base/open.c`)\n'))

    def test_declared_or_called_is_not_defined(self):
        self.one_fault('open.h does not define tk_open', self.page('`tk_open` (`libtrace/base/open.h`)\n'))
        self.one_fault('regions.c does not define tk_open', self.page('`tk_open` (`libtrace/model/marks/regions.c`)\n'))
        self.one_fault('open.c does not define tk_open', {
            'libtrace/base/open.c': SOUND['libtrace/base/open.c'].replace('int tk_open(void)\n', '/* int tk_open(void) */\n')})

    def test_no_such_file(self):
        faults, _ = self.check(self.page('`tk_x` (`libtrace/base/gone.c`)\n'))
        self.assertTrue(any('there is no libtrace/base/gone.c' in fault for fault in faults), faults)

    def test_name_without_file(self):
        self.one_fault('tk_stray is named without its file', self.page('`tk_stray` does it.\n'))

    def test_paths(self):
        self.one_fault('there is no libtrace/base/gone.h', self.page('See `libtrace/base/gone.h`.\n'))
        self.one_fault('there is no model/TOPIC/fam_X.c', self.page('See `model/TOPIC/fam_X.c`.\n'))

    def test_folders(self):
        for law in ('The law.\n\n# Other.\nbase:\n\n# Frames\n# and regions.\nmodel/marks: base\n',
                    SOUND['libtrace/layers.txt'] + '\n# New.\nnew: base\n'):
            self.one_fault('the list of folders is not that of layers.txt', {'libtrace/layers.txt': law})

    def test_walk(self):
        self.one_fault('leads to no folder', {
            'CONTRIBUTING.md': CONTRIBUTING.replace('| five | `cmd/run/main.c` |', '| five | `docs/architecture.md` |')})
        self.one_fault('there is no cmd/run/gone.c', {
            'CONTRIBUTING.md': CONTRIBUTING.replace('| five | `cmd/run/main.c` |', '| five | `cmd/run/gone.c` |')})
        self.one_fault('here are 4', {'CONTRIBUTING.md': CONTRIBUTING.replace('| five | `cmd/run/main.c` | why |\n', '')})

    def test_where_does_it_go(self):
        self.one_fault('there is no model/TOPIC/fam_X.c', {
            'CONTRIBUTING.md': CONTRIBUTING.replace('| a table | `model/TOPIC/X.c` |', '| a table | `model/TOPIC/fam_X.c` |')})


if __name__ == '__main__':
    unittest.main()
