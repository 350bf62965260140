#!/usr/bin/env python3
"""Each script in script/ and ci/ says what it is, and does nothing else, when it is asked for help or called wrongly.

usage: check_script_help.py [--write] ROOT

Of each: --help prints its usage and exits with 0; an option that there is not is named in a sentence, with 2. Neither
installs, builds or runs anything: in front of PATH stand programs that note that they were called. script/README.md has
what each does, from its first comment; --write makes it anew.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

# What installs, builds, fetches or runs something.
CALLED = '''apt-get apt cc c++ clang cmake cpack ctest curl dpkg-query dpkg-buildpackage gcc git make mandoc ninja node npm
    sudo trace-check trace-diff trace-stats tracekit wget wine zstd'''.split()
REFUSED = {'tracekit-bisect': 128}       # 2 would be a bad commit
WRONG = '--no-such-option'
HEAD = '''# Scripts

Each prints its usage with `--help`. The first five are what a change needs; the others are called by them, by services of
continuous integration, or for a release.

| script | what it does |
|---|---|
'''
FIRST = ('script/build', 'script/test', 'script/measure', 'script/demo', 'script/setup')


def scripts(root):
    """Programs in script/ and ci/; what other scripts read has an ending."""
    found = [path for place in ('script', 'ci') for path in (root / place).iterdir() if path.is_file() and not path.suffix]
    names = sorted(path.relative_to(root).as_posix() for path in found)
    return [*FIRST, *(name for name in names if name not in FIRST)]


def first_sentence(root, name):
    """Of the first comment: its first paragraph, up to a full stop or colon."""
    text = (root / name).read_text(encoding='utf-8')
    comment = re.search(r'"""(.*?)\n\n', text, re.DOTALL) or re.search(r'^# (.*?)(?=\n#\n|\n[^#])', text, re.DOTALL | re.MULTILINE)
    paragraph = ' '.join(comment.group(1).replace('\n# ', ' ').split())
    return re.split(r'[.:]\s', paragraph)[0].rstrip('.')


def table(root):
    return HEAD + ''.join('| `%s` | %s |\n' % (name, first_sentence(root, name).replace('|', '\\|')) for name in scripts(root))


def answers(root, name, word, folder):
    """Status, what is printed, what is said, and programs that were called."""
    note = folder / 'called'
    note.write_text('', encoding='utf-8')
    environment = dict(os.environ, PATH='%s:%s' % (folder, os.environ['PATH']), NOTE=str(note))
    done = subprocess.run([root / name, word], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL,
                          cwd=folder, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr, note.read_text(encoding='utf-8')


def faults_of(root, name, folder):
    status, printed, _, called = answers(root, name, '--help', folder)
    if status != 0 or 'usage: %s' % pathlib.Path(name).name not in printed.replace('usage: script/', 'usage: '):
        yield '--help: status %d, printed %r' % (status, printed[:200])
    if called:
        yield '--help: calls %s' % called.split()
    status, printed, said, called = answers(root, name, WRONG, folder)
    if status != REFUSED.get(pathlib.Path(name).name, 2) or printed or WRONG not in said:
        yield '%s: status %d, printed %r, said %r' % (WRONG, status, printed[:200], said[-200:])
    if called:
        yield '%s: calls %s' % (WRONG, called.split())


def main():
    write = sys.argv[1:2] == ['--write']
    root = pathlib.Path(sys.argv[-1]).resolve()
    page = root / 'script' / 'README.md'
    if write:
        page.write_text(table(root), encoding='utf-8')
    faults = []
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        for program in CALLED:
            (folder / program).write_text('#!/bin/sh\necho "${0##*/}" >>"$NOTE"\nexit 1\n', encoding='utf-8')
            (folder / program).chmod(0o755)
        for name in scripts(root):
            faults += ['%s %s' % (name, fault) for fault in faults_of(root, name, folder)]
    if page.read_text(encoding='utf-8') != table(root):
        faults.append('script/README.md is not what the first comments say; check_script_help.py --write . makes it anew')
    print('\n'.join([*faults, '%d scripts, %d faults' % (len(scripts(root)), len(faults))]))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
