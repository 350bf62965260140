#!/usr/bin/env python3
"""shellcheck over all scripts of the project that a shell runs.

usage: check_scripts.py SHELLCHECK ROOT
"""

import pathlib
import re
import subprocess
import sys

PLACES = ('script', 'ci', '.ci', 'tests', 'completions', 'cmake')
SHELL = re.compile(rb'#! ?/(?:usr/)?bin/(?:env )?(?:ba|da)?sh\b')


def scripts(root):
    """Files that name a shell in their first line, and completions for bash."""
    for place in PLACES:
        for path in sorted((root / place).rglob('*')):
            if path.is_file() and (SHELL.match(path.read_bytes()[:64]) or path.suffix in ('.sh', '.bash')):
                yield path


def main():
    shellcheck, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    failed = passed = 0
    for path in scripts(root):
        dialect = ['--shell=bash'] if path.suffix == '.bash' else []
        done = subprocess.run([shellcheck, '--format=gcc', *dialect, str(path)], capture_output=True, text=True, cwd=root)
        failed += bool(done.returncode)
        passed += not done.returncode
        print('%-6s %s' % ('FAILED' if done.returncode else 'ok', path.relative_to(root)))
        print(done.stdout + done.stderr, end='')
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
