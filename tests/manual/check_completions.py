#!/usr/bin/env python3
"""Tries the completions in the shells that are here, and the words that they offer on the commands.

usage: check_completions.py --bin DIRECTORY ROOT

Lines are completed in bash, fish and zsh; of a shell that is not here only the shape of its file is looked at.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import described  # noqa: E402
import report     # noqa: E402
import terminals  # noqa: E402

# A line, and what must be among its completions and what not. `|` is the cursor where it is not at the end.
CASES = (
    ('tracekit sta', {'stats'}, {'info'}),
    ('tracekit ', {'info', 'events', 'stats', 'diff', 'check', 'trend', 'export'}, set()),
    ('tracekit stats --fo', {'--format', '--force'}, {'--from'}),
    ('trace-stats --f', {'--format', '--force', '--from', '--frames', '--from-bookmark'}, {'--table'}),
    ('trace-stats --table fra', {'frames', 'frame_stats'}, {'timers'}),
    ('trace-stats --table timers,fra', {'timers,frames'}, {'frames'}),
    ('trace-stats -t frames --columns dur', {'dur'}, {'count'}),
    ('trace-stats --columns me', {'mean', 'median'}, {'dur'}),
    ('trace-stats --format c', {'csv'}, {'json'}),
    ('trace-stats --unit ', {'ns', 'us', 'ms', 's', 'cycles'}, {'csv'}),
    ('trace-export --format p', {'perfetto', 'pprof'}, {'csv'}),
    ('trace-export --preset insights --table ti', {'timers', 'timing_events'}, {'tasks'}),
    ('trace-diff --report ju', {'junit'}, {'json'}),
    ('trace-diff --format', set(), {'--format'}),
    ('trace-check --bu', {'--budget'}, {'--by'}),
    ('trace-info --limit open_', {'open_scopes='}, {'rows='}),
    ('trace-info ga', {'game.utrace'}, {'other.txt'}),
)
# In bash words end at =, so that only what stands behind it is completed.
AFTER_EQUALS = (
    ('trace-stats --table=fra', {'frames', 'frame_stats'}, {'timers'}),
    ('trace-stats --table=frames --columns=dur', {'dur'}, {'count'}),
)

BASH = r'''
source "$1"
line=$2
COMP_WORDS=()
for word in $line; do
    while [[ $word == *=* ]]; do                # as readline breaks words
        COMP_WORDS+=("${word%%=*}" =)
        word=${word#*=}
    done
    [[ -n $word ]] && COMP_WORDS+=("$word")
done
[[ $line == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMP_LINE=$line
COMP_POINT=${#line}
compopt() { :; }
complete -p "${COMP_WORDS[0]}" >/dev/null || exit 1
_tracekit "${COMP_WORDS[0]}"
printf '%s\n' "${COMPREPLY[@]}"
'''


def words_of(command, directory):
    done = subprocess.run(command, capture_output=True, text=True, cwd=directory, timeout=60)
    return set(line.split('\t')[0] for line in done.stdout.splitlines()), done.stderr


def check_lines(result, cases, ask, directory):
    for line, wanted, unwanted in cases:
        found, errors = words_of(ask(line), directory)
        result.true('%r: no %s among %s %s' % (line, sorted(wanted - found), sorted(found)[:10], errors[-200:]),
                    wanted <= found)
        result.true('%r: %s' % (line, sorted(unwanted & found)), not unwanted & found)


def check_bash(result, root, directory):
    file = root / 'completions' / 'tracekit.bash'
    check_lines(result, CASES + AFTER_EQUALS, lambda line: ['bash', '-c', BASH, 'bash', str(file), line], directory)


def check_fish(result, root, directory):
    file = root / 'completions' / 'tracekit.fish'
    script = 'complete -c tracekit -e; source $argv[1]; complete -C $argv[2]'
    check_lines(result, CASES, lambda line: ['fish', '--no-config', '-c', script, str(file), line], directory)


def check_zsh(result, root, known, directory):
    file = root / 'completions' / '_tracekit'
    done = subprocess.run(['zsh', '-f', '-n', str(file)], capture_output=True, text=True)
    result.equal('zsh -n', (done.returncode, done.stderr), (0, ''))
    script = '''
fpath=(%s $fpath)
autoload -Uz compinit
compinit -u -d %s/dump
for program in tracekit %s; do print -r -- $program ${_comps[$program]}; done
''' % (file.parent, directory, ' '.join(command.program for command in known.commands))
    done = subprocess.run(['zsh', '-f', '-c', script], capture_output=True, text=True, timeout=60)
    for program in ('tracekit', *(command.program for command in known.commands)):
        result.true('zsh completes %s: %s' % (program, done.stderr), program + ' _tracekit' in done.stdout.splitlines())


def check_zsh_lines(result, root, directory):
    """Completes lines in a zsh on a terminal of its own."""
    terminals.need()
    file = root / 'completions' / '_tracekit'
    script = HERE / 'complete.zsh'
    cases = [(line, {word.rstrip('=') for word in wanted}, unwanted) for line, wanted, unwanted in CASES]
    check_lines(result, cases, lambda line: ['zsh', '-f', str(script), str(file.parent), line], directory)


def check_shape(result, root, known, name):
    """Without the shell: every option of every command is in the file."""
    text = (root / 'completions' / name).read_text(encoding='utf-8')
    for command in known.commands:
        for option in command.options:
            result.true('%s does not know --%s' % (name, option.name), option.name in text)


# ---- words ----

# What a command needs alongside an option, for it to look at the option at all.
BESIDE = {
    'query': ['--ask', 'damage'],
    'query --ask': [],
    'export': ['--format', 'csv'],
    'export --preset': [],
    'export --weight': ['--format', 'folded'],
    'export --args': ['--format', 'chrome'],
    'diff': ['tiny.utrace'],
    'diff --table': ['tiny.utrace', '--preset', 'tracy'],
    'check': ['--write-budget', 'none.json'],
    'check --report': ['--budget', 'budget.json'],
    'edit': ['--dry-run'],
    'stats --anonymise': ['--save', 'none.tkb'],
    'stats --by': ['--table', 'groups,memory'],
}
VERBS = {'baseline': ['list']}
LIVE = ('control', 'record')             # read no capture: tests/unreal_live looks at their formats
MANY = ('columns', 'event-columns', 'export-tables', 'tables', 'limits', 'file', '')


def check_words(result, known, binaries, directory):
    """What is offered must be taken, and what is not must be refused: each word of the short lists goes to its command."""
    def status(command, option, word, capture):
        name = '%s --%s' % (command.name, option.name)
        alongside = BESIDE.get('%s=%s' % (name, word), BESIDE.get(name, BESIDE.get(command.name, [])))
        if '--' + option.name in alongside:
            alongside = []
        line = [str(binaries / command.program), *VERBS.get(command.name, []), capture, *alongside, '--%s=%s' % (option.name, word)]
        done = subprocess.run(line, capture_output=True, text=True, cwd=directory)
        return done.returncode, '%s --%s=%s: %s' % (command.program, option.name, word, done.stderr.strip())
    for command in known.commands:
        for option in command.options:
            if option.values in MANY or command.name in LIVE:
                continue
            for word in known.words[option.values]:
                code, text = status(command, option, word, 'missing.utrace')
                result.true(text, code == 3)
            code, text = status(command, option, 'no-such-word', 'tiny.utrace')
            result.true(text, code == 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('root', type=pathlib.Path)
    options = parser.parse_args()
    root, binaries = options.root.resolve(), options.bin.resolve()
    known, run = described.Described(binaries / 'tracekit'), report.Report()
    with tempfile.TemporaryDirectory() as directory:
        for name in ('game.utrace', 'other.txt'):
            pathlib.Path(directory, name).touch()
        shutil.copy(root / 'fixtures' / 'tiny.utrace', directory)
        pathlib.Path(directory, 'budget.json').write_text('{"budgets": [{"kind": "hitches", "error": 1}]}')
        run.run('words', check_words, known, binaries, directory)
        run.run('bash', check_bash, root, directory)
        if shutil.which('fish'):
            run.run('fish', check_fish, root, directory)
        if shutil.which('zsh'):
            run.run('zsh', check_zsh, root, known, directory)
            run.run('zsh lines', check_zsh_lines, root, directory)
    for name in ('tracekit.bash', '_tracekit', 'tracekit.fish'):
        run.run('shape of ' + name, check_shape, root, known, name)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
