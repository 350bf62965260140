#!/usr/bin/env python3
"""Does check_layers.py see each kind of fault, and none in a tree without? Trees are made in a temporary directory."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_layers  # noqa: E402

LAYERS = '# a comment: not a folder\nbase:\nio: base\nfact: base\nutrace: base io fact\nmodel: base fact\n'
SOUND = {
    'libtrace/layers.txt': LAYERS,
    'libtrace/tracekit.h': '#include <stdint.h>\n',
    'libtrace/base/a.h': '#include "tracekit.h"\n',
    'libtrace/base/pool.c': '#include <pthread.h>\n#include "base/a.h"\n',
    'libtrace/io/file.h': '#include "base/a.h"\n',
    'libtrace/io/file.c': '#include <sys/mman.h>\n#include "io/file.h"\n',
    'libtrace/fact/fact.h': '#include "base/a.h"\n',
    'libtrace/utrace/lane.h': '#include "io/file.h"\n#include "fact/fact.h"\n',
    'libtrace/model/m.c': '#include "fact/fact.h"\n#include <immintrin.h>\n',
    'libtrace/formats.c': '#include "utrace/lane.h"\n',
    'cmd/opt.h': '#include <tracekit.h>\n',
    'cmd/main.c': '#include "opt.h"\n#include <unistd.h>\n',
}


class CheckLayers(unittest.TestCase):
    def faults(self, **changes):
        """Faults of the sound tree with some files replaced; __ stands for / and _dot_ for the dot."""
        files = dict(SOUND)
        for name, text in changes.items():
            files[name.replace('__', '/').replace('_dot_', '.')] = text
        with tempfile.TemporaryDirectory() as directory:
            for name, text in files.items():
                path = pathlib.Path(directory) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding='utf-8')
            return check_layers.check(pathlib.Path(directory).resolve())

    def one_fault(self, part, **changes):
        faults = self.faults(**changes)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(part, faults[0])

    def test_sound(self):
        self.assertEqual(self.faults(), [])

    def test_wrong_arrow(self):
        self.one_fault('base must not use io', libtrace__base__b_dot_c='#include "io/file.h"\n')
        self.one_fault('fact must not use io', libtrace__fact__b_dot_c='  #  include "io/file.h"\n')

    def test_format_and_model(self):
        faults = self.faults(libtrace__model__b_dot_c='#include "utrace/lane.h"\n')
        self.assertTrue(any('model must not use utrace' in fault for fault in faults))
        self.one_fault('utrace must not use model', libtrace__utrace__b_dot_c='#include "model/m.h"\n',
                       libtrace__model__m_dot_h='\n')

    def test_not_relative_to_libtrace(self):
        self.one_fault('is no file of libtrace/', libtrace__io__b_dot_c='#include "file.h"\n')

    def test_unknown_folder(self):
        self.one_fault('folder extra is not in layers.txt', libtrace__extra__b_dot_c='#include "base/a.h"\n')

    def test_root_header_in_a_folder(self):
        self.one_fault('belongs to no folder', libtrace__base__b_dot_c='#include "formats.h"\n',
                       libtrace__formats_dot_h='\n')

    def test_system_header(self):
        for name in ('unistd.h', 'pthread.h', 'sys/stat.h', 'fcntl.h', 'signal.h'):
            self.one_fault('of the operating system', libtrace__base__b_dot_c='#include <%s>\n' % name)

    def test_unknown_header(self):
        self.one_fault('is no standard header', libtrace__model__b_dot_c='#include <glib.h>\n')

    def test_names_of_formats(self):
        self.one_fault('names a format', libtrace__fact__b_dot_c='/* as in a .UTrace file */\n')
        self.one_fault('names a format', libtrace__io__b_dot_c='int tracy_file;\n')
        self.one_fault('names a format', libtrace__model__b_dot_c='/* so does Unreal */\n')

    def test_commands(self):
        self.one_fault('is no header of cmd/', cmd__b_dot_c='#include "base/a.h"\n')
        self.one_fault('in more than one file', cmd__b_dot_c='#include <sys/ioctl.h>\n')

    def test_macro_include(self):
        self.one_fault('unusual #include', libtrace__base__b_dot_c='#include HEADER\n')


if __name__ == '__main__':
    unittest.main()
