#!/usr/bin/env python3
"""Does check_citations.py see each kind of fault, and none in a tree without? Trees are made in a temporary directory."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_citations  # noqa: E402

INDEX = '''# Formats

| short name | page | what it holds |
|---|---|---|
| `wire` | [utrace-wire.md](utrace-wire.md) | bytes |
| `tracy-file` | [tracy-file.md](tracy-file.md) | more bytes |
'''
WIRE = '''# Bytes

This page has bytes.

## 2. Packets

See section 2.1, and section 9 of RFC 1 does not count: sections 2 and 2.1.

### 2.1 Raw

## A. Appendix

### A.1 A dump

```
## 7. no heading
```
'''
TRACY = '# Trace\n\nThis page has a trace.\n\n## 1. Container\n\n### 1.1 Blocks\n\n### 1.2 Codecs, as in wire 2\n'
SOUND = {
    'docs/format/README.md': INDEX,
    'docs/format/utrace-wire.md': WIRE.replace(', and section 9 of RFC 1 does not count', ''),
    'docs/format/tracy-file.md': TRACY,
    'docs/ci.md': 'No citation: 3 runs.\n',
    'libtrace/a.c': '/* Layout (wire 2, 2.1 and tracy-file 1.1 to 1.2). */\nint a; // Wire A.1\n',
    'libtrace/b.h': '/*\n * A long comment that ends with what it cites, wire\n * 2.1, over two lines; see docs/ci.md.\n */\n',
    'libtrace/strings.c': 'const char *s = "wire 77 /* wire 78 */"; char c = \'"\'; /* wire 2 */\n',
    'cmd/main.c': '/* no citation: wire format 9, 5 wires, barbed-wire 9 */\n',
    'tests/x/check.py': '"""As wire 2.1 says.\n\nAnd tracy-file\n1.2.\n"""\nTEXT = "wire 99"  # wire 2\n',
    'tests/x/CMakeLists.txt': '# after wire 2.1\nset(x "wire 99")\n',
}


class CheckCitations(unittest.TestCase):
    def check(self, changes):
        """Faults and citations of the sound tree with some files replaced, or left out where they are None."""
        files = {**SOUND, **changes}
        with tempfile.TemporaryDirectory() as directory:
            for name, text in files.items():
                path = pathlib.Path(directory) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if text is not None:
                    path.write_text(text, encoding='utf-8')
            return check_citations.check(pathlib.Path(directory).resolve())

    def one_fault(self, part, **changes):
        faults, _ = self.check({name.replace('__', '/').replace('_dot_', '.').replace('_minus_', '-'): text
                                for name, text in changes.items()})
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(part, faults[0])

    def test_sound(self):
        # a.c 5, b.h 1, strings.c 1, check.py 3, CMakeLists.txt 1, tracy-file.md 1
        self.assertEqual(self.check({}), ([], 12))

    def test_planted_citation(self):
        self.one_fault('libtrace/c.c:2: there is no wire 3.5', libtrace__c_dot_c='int c;\n/* wire 3.5 */\n')

    def test_section_that_only_begins_alike(self):
        self.one_fault('there is no wire 2.10', libtrace__c_dot_c='/* wire 2.10 */\n')
        self.one_fault('there is no wire B.1', libtrace__c_dot_c='/* wire A.1, B.1 */\n')

    def test_one_of_a_list(self):
        self.one_fault('there is no wire 2.2', libtrace__c_dot_c='/* wire 2, 2.2 */\n')
        self.one_fault('there is no tracy-file 1.9', libtrace__c_dot_c='/* tracy-file 1.1 to 1.9 */\n')
        self.one_fault('there is no wire 4', libtrace__c_dot_c='/* tracy-file 1.1 and 1.2, wire 2 or 4 */\n')

    def test_over_two_lines(self):
        self.one_fault('libtrace/c.h:1: there is no wire 8', libtrace__c_dot_h='/*\n * wire\n * 8.\n */\n')
        self.one_fault('there is no wire 8', tests__x__y_dot_py='"""wire\n8"""\n')

    def test_every_kind_of_file(self):
        self.one_fault('cmd/c.c:1', cmd__c_dot_c='// wire 8\n')
        self.one_fault('libtrace/c.inc:1', libtrace__c_dot_inc='/* wire 8 */\n')
        self.one_fault('tests/x/y.py:1', tests__x__y_dot_py='x = 1  # wire 8\n')
        self.one_fault('tests/x/CMakeLists.txt:1', tests__x__CMakeLists_dot_txt='# wire 8\n')
        self.one_fault('docs/ci.md:3', docs__ci_dot_md='One.\n\nTwo, as wire 8.\n')
        self.one_fault('docs/format/tracy-file.md:5', docs__format__tracy_minus_file_dot_md=TRACY.replace(
            '## 1. Container', '## 1. Container (wire 8)'))

    def test_other_forms(self):
        for text in ('wire reference 2.1', 'the events reference, 2.1', 'utrace-wire 2.1', 'utrace-wire.md 2.1', '§2.1',
                     'wire section 2.1', 'wire appendix A', 'tracy-live 2.1', 'in the paper, 2.1'):
            self.one_fault('is no form of citation', libtrace__c_dot_c='/* %s */\n' % text)

    def test_pages(self):
        self.one_fault('there is no docs/no.md', libtrace__c_dot_c='/* see docs/no.md */\n')

    def test_reference_inside_of_a_paper(self):
        self.one_fault('utrace-wire.md:7: has no section 9', docs__format__utrace_minus_wire_dot_md=WIRE)

    def test_number_given_twice(self):
        self.one_fault('section 1.1 is there twice', docs__format__tracy_minus_file_dot_md=TRACY + '\n### 1.1 Again\n')

    def test_heading_in_a_block_of_code(self):
        self.one_fault('there is no wire 7', libtrace__c_dot_c='/* wire 7 */\n')

    def test_first_sentence(self):
        for head in ('# Trace\n\nTwo sentences. In one line.\n', '# Trace\n\n## 0. None\n', 'No title.\n\nA sentence.\n',
                     '# Trace\n\nA sentence.\nOf two lines.\n'):
            self.one_fault('does not begin with', docs__format__tracy_minus_file_dot_md=TRACY.replace(
                '# Trace\n\nThis page has a trace.\n', head))

    def test_index(self):
        self.one_fault('extra.md: is not in the index', docs__format__extra_dot_md='# Extra\n\nMore.\n')
        faults, _ = self.check({'docs/format/tracy-file.md': None})
        self.assertTrue(any('tracy-file.md is not there' in fault for fault in faults), faults)


if __name__ == '__main__':
    unittest.main()
