#!/usr/bin/env python3
"""Compares the manual pages, completions and the README with what the commands say and print.

usage: check_manual.py --bin DIRECTORY --library DIRECTORY [--mandoc PROGRAM] [--refresh] ROOT

The options, tables and words in man/ and completions/ are made from the tables of the commands (tracekit --describe);
the examples are run and what they print is compared, and where a truth file knows the figures, with that too.
--refresh writes pages and completions as they have to be now.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'golden'), str(HERE.parent / 'harness'), str(HERE.parent / 'truth')]
import check_golden  # noqa: E402
import commands      # noqa: E402
import completions   # noqa: E402
import described     # noqa: E402
import examples      # noqa: E402
import mdoc          # noqa: E402
import public_header  # noqa: E402
import report        # noqa: E402

HINT = "; 'cmake --build build/release --target refresh-manual' writes it anew"
WITH_TRUTH = ('trace-info', 'trace-stats', 'trace-events')


class Figures:
    """Compares what examples print with the truth about the fixture, where it has one for such a page."""

    def __init__(self, captures, result):
        self.captures, self.result, self.known = captures, result, 0

    def __call__(self, command, printed):
        words = shlex.split(command)
        if words[0] not in WITH_TRUTH or '|' in words:
            return
        words = [examples.NAMES.get(word, word) for word in words]
        capture = next((word for word in words[1:] if pathlib.Path(word).is_file()), None)
        attempt = report.Comparison()
        if capture:
            attempt.attempt(check_golden.check_figures, self.captures.of(capture), words, printed)
        if any('no source' in line or 'Error' in line for line in attempt.different):
            return                                      # a question that no truth file answers
        if '--count' in words and check_golden.patterns(words):
            attempt.different = [line for line in attempt.different if ': no row for' not in line]
        self.known += attempt.compared
        self.result.compared += attempt.compared
        self.result.different += attempt.different


def write_or_compare(result, path, wanted, refresh):
    old = path.read_text(encoding='utf-8') if path.exists() else ''
    result.compared += 1
    if refresh and wanted != old and not result.different:
        path.write_text(wanted, encoding='utf-8')
    elif not refresh:
        result.true('%s: %s%s' % (path.name, check_golden.first_difference(old, wanted) if old != wanted else '', HINT),
                    old == wanted)


def check_page(result, path, known, options, captures, run_examples):
    page = path.read_text(encoding='utf-8')
    if path.suffix != '.md':
        page = mdoc.filled(page, known)
    with tempfile.TemporaryDirectory() as directory:
        workspace = examples.Workspace(directory, options.bin, options.fixtures)
        workspace.add_library(options.root / 'libtrace', options.library)
        page = run_examples(page, workspace, result, Figures(captures, result))
    write_or_compare(result, path, page, options.refresh)


def check_listed(result, path, options):
    """The lists of commands in the README."""
    with tempfile.TemporaryDirectory() as directory:
        workspace = examples.Workspace(directory, options.bin, options.fixtures)
        workspace.add_listed(options.fixtures)
        examples.run_listed(path.read_text(encoding='utf-8'), workspace, result)


def check_named(result, path, root):
    """The scripts that the README names are there, and presets and targets of the build."""
    page = path.read_text(encoding='utf-8')
    for script in sorted(set(re.findall(r'script/[a-z-]+', page))):
        result.true(script, os.access(root / script, os.X_OK))
    for name in sorted(set(re.findall(r'`((?:docs|fixtures|tests|man|schemas|examples|libtrace)/[\w./-]*)`', page))):
        result.true(name, (root / name).exists())
    presets = {preset['name'] for preset in json.loads((root / 'CMakePresets.json').read_text())['configurePresets']}
    for preset in re.findall(r'--preset (\w+) &&', page) + re.findall(r'`(\w+)`', page.split('Other presets:')[1].split('.')[0]):
        result.true('preset ' + preset, preset in presets)


def check_links(result, root):
    """What the README and the pages in docs/ link to in the project is there."""
    for page in [root / 'README.md', *sorted((root / 'docs').glob('*.md'))]:
        text = page.read_text(encoding='utf-8')
        for target in re.findall(r'\]\((?!https?:)([^)#]+)[^)]*\)', text):
            result.true('%s links to %s' % (page.name, target), (page.parent / target).exists())


def check_lint(result, mandoc, path):
    done = subprocess.run([mandoc, '-T', 'lint', '-W', 'style', str(path)], capture_output=True, text=True)
    # These look for other pages in the system and for dates; both are as they have to be.
    lines = [line for line in done.stdout.splitlines() if 'referenced manual not found' not in line]
    result.equal('mandoc -T lint ' + path.name, lines, [])


def check_complete(result, root, known):
    """Each command has a page, each page is referred to by tracekit(1), and tables are named with their columns."""
    pages = {path.name for path in (root / 'man').iterdir()}
    for command in known.commands:
        result.true('no page of ' + command.program, command.program + '.1' in pages)
    first = (root / 'man' / 'tracekit.1').read_text(encoding='utf-8')
    for page in sorted(pages - {'tracekit.1'}):
        name, section = page.rsplit('.', 1)
        result.true('tracekit.1 does not refer to %s' % page,
                    '.Xr %s %s' % (name, section) in first)


FILES = ('FILE', 'PATH')
NAMED_ELSEWHERE = ('exports', 'presets', 'tables', 'export-tables', 'columns', 'event-columns', 'limits', 'questions')


def check_words(result, known):
    """The help of an option names all words that it takes, and what takes a file is completed with files."""
    for command in known.commands:
        for option in command.options:
            name = '%s --%s' % (command.program, option.name)
            result.equal(name + ' takes a file', option.values == 'file', option.value in FILES)
            for word in known.words.get(option.values, []) if option.values not in NAMED_ELSEWHERE else []:
                result.true('%s: its help does not name %r' % (name, word),
                            re.search(r'(?<![\w-])%s(?![\w-])' % re.escape(word), option.help + ' ' + option.value))


def check_header(result, path, known):
    """The contents of the header list its chapters with their files, and the words that functions return stand alongside
    these."""
    text = public_header.read(path)
    listed = re.findall(r'^ \* +(\d+) (\S.*?)  +(\w+\.h) +\S', text, re.M)
    chapters = sorted((int(number), name, file) for file, chapter in public_header.chapters(path)
                      for number, name in re.findall(r'^/\* ---- (\d+) (.*?)(?: ----|:)', chapter, re.M))
    result.equal('numbers of chapters', [(number, file) for number, _, file in chapters],
                 [(int(number), file) for number, _, file in listed])
    for (_, chapter, _), (_, entry, _) in zip(chapters, listed):
        result.equal('name of a chapter', chapter.split()[0].strip(',:'), entry.split()[0].strip(',:'))
    for function, words in (('tk_writer_formats', 'formats'), ('tk_comparison_reports', 'reports'),
                            ('tk_budgets_reports', 'budget-reports'), ('tk_trend_reports', 'trend-reports')):
        comment = re.search(r'/\*((?:(?!/\*)[\s\S])*?)\*/\s*TK_API[^;]*\b%s\b' % function, text)[1]
        result.equal(function, re.findall(r'"([\w-]+)"', comment), known.words[words])


def check_versions(result, tracekit):
    """--version names the libraries as pkg-config knows them."""
    printed = subprocess.run([tracekit, '--version'], capture_output=True, text=True).stdout
    for module, name in (('liblz4', 'lz4'), ('libzstd', 'zstd'), ('zlib', 'zlib'), ('sqlite3', 'sqlite'),
                         ('libcjson', 'cJSON')):
        requested = subprocess.run(['pkg-config', '--modversion', module], capture_output=True, text=True)
        result.true('%s %s is not in %r' % (name, requested.stdout.strip(), printed),
                    '%s %s' % (name, requested.stdout.strip()) in printed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path, help='the directory of the commands')
    parser.add_argument('--library', required=True, type=pathlib.Path, help='the directory of libtracekit.so')
    parser.add_argument('--mandoc', help='checks the pages')
    parser.add_argument('--refresh', action='store_true', help='write what has to be')
    parser.add_argument('root', type=pathlib.Path, help='of the sources')
    options = parser.parse_args()
    options.bin, options.root, options.library = (
        path.resolve() for path in (options.bin, options.root, options.library))
    options.fixtures = options.root / 'fixtures'
    known, run = described.Described(options.bin / 'tracekit'), report.Report()
    known.add_environment(options.root)
    known.add_views(options.bin, options.root)
    os.chdir(options.fixtures)
    captures = check_golden.Captures(commands.Commands(options.bin))
    for path in sorted((options.root / 'man').iterdir()):
        run.run(path.name, check_page, path, known, options, captures, examples.run_mdoc)
        if options.mandoc:
            run.run('lint of ' + path.name, check_lint, options.mandoc, path)
    run.run('README.md', check_page, options.root / 'README.md', known, options, captures, examples.run_markdown)
    for name in ('README.md', 'docs/comparing-runs.md'):
        run.run('commands of ' + name, check_listed, options.root / name, options)
    run.run('names in README.md', check_named, options.root / 'README.md', options.root)
    for name, text in completions.files(known).items():
        run.run(name, write_or_compare, options.root / 'completions' / name, text, options.refresh)
    run.run('links', check_links, options.root)
    run.run('pages', check_complete, options.root, known)
    run.run('words of options', check_words, known)
    run.run('tracekit.h', check_header, options.root / 'libtrace' / 'tracekit.h', known)
    run.run('versions', check_versions, options.bin / 'tracekit')
    status = run.close()
    return 0 if options.refresh else status


if __name__ == '__main__':
    sys.exit(main())
