#!/usr/bin/env python3
"""Follows the recipes in docs/recipes, word for word, in a copy of the sources.

usage: follow.py [--list] [--only PATTERN] ROOT

A line above a block of code says what becomes of it: `FILE`, a new file: or `FILE`, after (before, instead of) the line
`TEXT`: or Run:. Every block has such a line. A file is a recipe, but for README.md, which lists them; pages.md, which makes
what the others change anew, is the last. All recipes are followed in one copy, as none may stand in the way of another: first everything is written, so that each file is compiled once, then
the scripts are run in their order. At last the law of the layers is checked there.

--list prints what would be done; --only follows the recipes whose titles match. Exits with 1 at the first step that
fails, and names it.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

RECIPES = 'docs/recipes'
LAST = 'pages.md'
FENCE = re.compile(r'^( *)```(\w*)$')
NEW = re.compile(r'(?:\d+\. )?`([^`]+)`, a new file:')
EDIT = re.compile(r'(?:\d+\. )?`([^`]+)`, (after|before|instead of) the line `(.+)`:')


class Fault(Exception):
    """What is wrong with a recipe."""


class Block:
    """A block of code, and what the line above it says."""

    def __init__(self, file, recipe, line, said, code):
        self.file, self.recipe, self.line, self.said, self.code = file, recipe, line, said, code

    def where(self):
        return '%s/%s:%d (%s)' % (RECIPES, self.file, self.line, self.recipe)

    def step(self):
        """('new', file), ('after' or so, file, text) or ('run',)."""
        new, edit = NEW.fullmatch(self.said), EDIT.fullmatch(self.said)
        if new:
            return 'new', new.group(1)
        if edit:
            return edit.group(2), edit.group(1), edit.group(3)
        if self.said == 'Run:':
            return ('run',)
        raise Fault('%s: "%s" does not say what becomes of the block' % (self.where(), self.said))


def without_indent(lines, indent):
    return ''.join('%s\n' % (line[indent:] if not line[:indent].strip() else line) for line in lines)


def blocks(text, file='page.md'):
    """The blocks of a recipe, in their order."""
    said, lines = [], text.splitlines()
    recipe = lines[0].lstrip('# ')
    at = 0
    while at < len(lines):
        line, fence = lines[at], FENCE.match(lines[at])
        if fence:
            end = at + 1
            while end < len(lines) and lines[end] != fence.group(1) + '```':
                end += 1
            code = without_indent(lines[at + 1:end], len(fence.group(1)))
            yield Block(file, recipe, at + 1, ' '.join(said), code)
            said, at = [], end + 1
            continue
        if line.strip():
            said = [line.strip()] if previous_is_empty(lines, at) else [*said, line.strip()]
        at += 1


def previous_is_empty(lines, at):
    return at == 0 or not lines[at - 1].strip()


def recipes(root):
    """The blocks of all recipes; a fault where README.md does not list what is there."""
    folder = root / RECIPES
    names = sorted((path.name for path in folder.glob('*.md') if path.name != 'README.md'), key=lambda name: (name == LAST, name))
    listed = re.findall(r'^- \[.*\]\((.*\.md)\)', (folder / 'README.md').read_text(encoding='utf-8'), re.MULTILINE)
    if sorted(listed) != sorted(names):
        raise Fault('%s/README.md lists %s, and there are %s' % (RECIPES, sorted(listed), sorted(names)))
    return [block for name in names for block in blocks((folder / name).read_text(encoding='utf-8'), name)]


# ---- one step ----

def write_new(root, file, code):
    path = root / file
    if path.exists():
        raise Fault('%s is there already' % file)
    if not path.parent.is_dir():
        raise Fault('there is no folder %s' % path.parent.relative_to(root))
    path.write_text(code, encoding='utf-8')


def edit(root, file, how, text, code):
    path = root / file
    if not path.is_file():
        raise Fault('there is no %s' % file)
    lines = path.read_text(encoding='utf-8').splitlines(keepends=True)
    places = [i for i, line in enumerate(lines) if text in line]
    if len(places) != 1:
        raise Fault('%d lines of %s contain "%s", not one' % (len(places), file, text))
    at = places[0]
    begin, end = {'after': (at + 1, at + 1), 'before': (at, at), 'instead of': (at, at + 1)}[how]
    path.write_text(''.join([*lines[:begin], code, *lines[end:]]), encoding='utf-8')


def run(root, script, environment):
    done = subprocess.run(['sh', '-eu', '-c', script], cwd=root, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    printed = done.stdout.decode('utf-8', errors='replace')
    if done.returncode != 0 or 'No tests were found' in printed or re.search(r'\bwarning:', printed):
        lines = [line for line in printed.splitlines() if not re.match(r'\[\d+/\d+\] (?!.*FAILED)', line)]
        raise Fault('status %d\n%s' % (done.returncode, '\n'.join(lines[-60:])))


def follow(root, block, environment):
    kind, *words = block.step()
    try:
        if kind == 'new':
            write_new(root, *words, block.code)
        elif kind == 'run':
            run(root, block.code, environment)
        else:
            edit(root, words[0], kind, words[1], block.code)
    except Fault as fault:
        raise Fault('%s: %s %s' % (block.where(), block.said, fault)) from None


# ---- the copy ----

def copy_sources(root, to):
    """What git knows of, as it is in the working tree, and what is new there."""
    listed = subprocess.run(['git', '-C', str(root), 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
                            capture_output=True, check=True).stdout.decode('utf-8')
    for name in filter(None, listed.split('\0')):
        if (root / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, to / name)


def settings(copy):
    """The environment of the scripts, and options of the build: ccache, where there is one, finds what other builds of
    these sources compiled; without it nothing is optimised."""
    environment = dict(os.environ)
    if not shutil.which('ccache'):
        return environment, '-DCMAKE_C_FLAGS_RELEASE=-O0'
    environment.update(CMAKE_C_COMPILER_LAUNCHER='ccache', CCACHE_NOHASHDIR='1')
    environment.setdefault('CCACHE_BASEDIR', str(copy))
    return environment, ''


def follow_all(root, steps):
    with tempfile.TemporaryDirectory(prefix='recipes-') as directory:
        copy = pathlib.Path(directory).resolve() / 'tracekit'
        copy.mkdir()
        copy_sources(root, copy)
        environment, faster = settings(copy)
        scripts = [block for block in steps if block.step() == ('run',)]
        for block in steps:
            if block not in scripts:
                follow(copy, block, environment)
        run(copy, 'cmake --preset release -G Ninja -DTK_TESTS=ON %s' % faster, environment)
        for block in scripts:
            began = time.monotonic()
            follow(copy, block, environment)
            print('%3.0f s  %s' % (time.monotonic() - began, block.where()), flush=True)
        run(copy, 'python3 tests/layers/check_layers.py .', environment)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1].replace('usage: ', ''))
    parser.add_argument('root', type=pathlib.Path)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--only', default='')
    options = parser.parse_args()
    root = options.root.resolve()
    steps = []
    try:
        steps = [block for block in recipes(root) if re.search(options.only, block.recipe)]
        reported = ['%s: %s' % (block.where(), ' '.join(block.step())) for block in steps]
        if options.list:
            print('\n'.join(reported))
        else:
            follow_all(root, steps)
    except Fault as fault:
        print(fault)
        return 1
    print('%d blocks of %d recipes' % (len(steps), len({block.recipe for block in steps})))
    return 0 if steps else 1


if __name__ == '__main__':
    sys.exit(main())
