#!/usr/bin/env python3
"""Does follow.py do what the lines above blocks say, and see each kind of fault? Trees are made in a temporary directory."""

import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import follow  # noqa: E402

PAGE = '''# Add a thing

Words.

1. `src/new.txt`, a new file:

   ```c
   one
     two

   ```

   More words.

2. `src/list.txt`, after the
   line `first {`:

   ```
       second
   ```

   `src/list.txt`, instead of the line `third`:

   ```
   THIRD
   ```

   `src/list.txt`, before the line `first {`:

   ```
   zeroth
   ```

   Run:

   ```sh
   test "$(cat src/list.txt)" = "$(printf 'zeroth\\nfirst {\\n    second\\nTHIRD\\n')"
   ```
'''
LIST = 'first {\nthird\n'


class Follow(unittest.TestCase):
    def followed(self, page, files=None):
        """Follows a page; the tree that is left, as a dictionary."""
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            for name, text in {'src/list.txt': LIST, **(files or {})}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding='utf-8')
            for block in follow.blocks(page):
                follow.follow(root, block, dict(os.environ))
            return {path.relative_to(root).as_posix(): path.read_text(encoding='utf-8')
                    for path in root.rglob('*') if path.is_file()}

    def fault(self, part, page, files=None):
        with self.assertRaises(follow.Fault) as raised:
            self.followed(page, files)
        self.assertIn(part, str(raised.exception))

    def test_sound(self):
        self.assertEqual(self.followed(PAGE), {'src/new.txt': 'one\n  two\n\n',
                                               'src/list.txt': 'zeroth\nfirst {\n    second\nTHIRD\n'})

    def test_files_of_recipes(self):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            (root / follow.RECIPES).mkdir(parents=True)
            readme = root / follow.RECIPES / 'README.md'
            for name in ('pages.md', 'thing.md'):
                (root / follow.RECIPES / name).write_text(PAGE, encoding='utf-8')
            readme.write_text('# Recipes\n\n- [Pages](pages.md), and\n- [A thing](thing.md)\n', encoding='utf-8')
            self.assertEqual([block.file for block in follow.recipes(root)], ['thing.md'] * 5 + ['pages.md'] * 5)
            readme.write_text('- [A thing](thing.md)\n', encoding='utf-8')
            with self.assertRaises(follow.Fault):
                follow.recipes(root)

    def test_block_without_a_place(self):
        self.fault('"Words like these:" does not say', PAGE.replace('Run:', 'Words like these:'))
        self.fault('does not say', PAGE.replace('`src/new.txt`, a new file:', '`src/new.txt`, the whole file:'))
        self.fault('"" does not say', PAGE.replace('   Run:\n', ''))

    def test_line_that_is_gone(self):
        self.fault('0 lines of src/list.txt contain "third"', PAGE, {'src/list.txt': 'first {\n'})

    def test_line_that_is_there_twice(self):
        self.fault('2 lines of src/list.txt contain "third"', PAGE, {'src/list.txt': LIST + 'third\n'})

    def test_files(self):
        self.fault('there is no src/lost.txt', PAGE.replace('`src/list.txt`, instead', '`src/lost.txt`, instead'))
        self.fault('src/new.txt is there already', PAGE, {'src/new.txt': ''})
        self.fault('there is no folder gone', PAGE.replace('src/new.txt', 'gone/new.txt'))

    def test_script_fails(self):
        fence = PAGE.splitlines().index('   Run:') + 3
        self.fault('docs/recipes/page.md:%d (Add a thing): Run: status 1' % fence, PAGE.replace('   THIRD', '   OTHER'))

    def test_script_fails_in_the_middle(self):
        self.fault('status 3', PAGE.replace('   test "$', '   (exit 3)\n   test "$'))

    def test_script_warns(self):
        self.fault('a.c:1: warning: unused', PAGE.replace('   test "$', '   echo a.c:1: warning: unused\n   test "$'))

    def test_no_test_was_run(self):
        self.fault('No tests were found', PAGE.replace('   test "$', '   echo No tests were found\n   test "$'))


if __name__ == '__main__':
    unittest.main()
