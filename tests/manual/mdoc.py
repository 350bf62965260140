"""The parts of the manual pages that are made from what the commands say of themselves, and from the glossary."""

import pathlib
import re
import textwrap


def escape(text):
    """Text for a line of its own."""
    text = text.replace('\\', '\\e')
    text = re.sub(r'(?<![\w-])-(?=[-\w])|(?<=-)-(?=\w)', r'\\-', text)
    return '\\&' + text if text.startswith(('.', "'")) else text


def argument(text):
    """A value's name as one argument of a macro."""
    return '"%s"' % text if ' ' in text else text


def tag(option):
    parts = ['.It']
    if option.brief:
        parts += ['Fl', option.brief, ',']
    parts += ['Fl', '-' + option.name]
    if option.value:
        parts += ['Ns', 'Oo', '=', 'Ns', 'Ar', argument(option.value), 'Oc'] if option.may else \
                 ['Ar', argument(option.value)]
    return ' '.join(parts)


def wrapped(text):
    """Sentences begin a line, and no line is longer than 80 bytes."""
    for sentence in re.split(r'(?<=[a-z)]\.) (?=[A-Z])', text):
        yield from map(escape, textwrap.wrap(sentence, 72, break_long_words=False, break_on_hyphens=False))


def listed(items):
    """(tag line, text) as a list."""
    yield '.Bl -tag -width Ds'
    for head, text in items:
        yield head
        yield from wrapped(text)
    yield '.El'


def options(described, name):
    for title, found in described.command(name).groups:
        yield '.Ss ' + title
        yield from listed((tag(option), option.help) for option in found)


def synopsis(described, name):
    command = described.command(name)
    for operands in command.operands.split(' | '):
        yield '.Nm ' + command.program
        yield '.Op Ar OPTION ...'
        for word in operands.split():
            inner = re.fullmatch(r'\[(.*)\]', word)
            if inner:
                yield '.Op Ar ' + inner[1].replace('...', ' ...')
            elif word.startswith('--'):
                yield '.Fl -' + word[2:]
            else:
                yield '.Ar ' + word.replace('...', ' ...')


def commands(described, _):
    yield from listed(('.It Xr %s 1' % command.program, command.summary) for command in described.commands)


NONE = 2 ** 64 - 1      # of a limit: there is none


def limits(described, _):
    yield from listed(('.It Cm %s Pq %s' % (name, 'none' if value == NONE else value), text) for name, value, text in described.limits)


def tables(described, _):
    yield from listed(('.It Cm ' + name, text) for name, (text, _) in described.tables.items())


def exports(described, _):
    yield from listed(('.It Cm ' + name, text) for name, text in described.exports)


def presets(described, _):
    yield from listed(('.It Cm ' + name, '%s; tables: %s' % (text, ', '.join(described.words['preset-' + name])))
                      for name, text in described.presets)


def words(described, name):
    """A list of words, in a sentence."""
    found = described.words[name]
    yield from ('.Cm %s%s' % (word, ' ,' if word != found[-1] else ' .') for word in found)


STATUS = (
    ('0', 'done. A capture that is cut off at its end, as after a crash, gets a warning on standard error and counts as done'),
    ('1', {'diff': 'something regressed',
           'check': 'a budget of level error is exceeded; with --strict-budget also: a budget names something that no run '
                    'has; with --expect: a recording lacks what it should have',
           'trend': 'the newest change of a series is a regression'}),
    ('2', 'wrong usage, or a filter, table or budget that matches nothing'),
    ('3', 'the input cannot be read at all, or the output cannot be written'),
    ('4', {**dict.fromkeys(('diff', 'check', 'trend'), 'nothing can be said, and standard error says what to do; or the capture is '
                           'damaged or a limit was reached: everything readable was used'),
           **dict.fromkeys(('events', 'export', 'query', 'stats'), 'done, but a capture is damaged, a limit was reached, or the '
                           'output format cannot hold all values: everything that could be was used, and standard error says what '
                           'is missing or wrong'),
           '*': 'done, but the capture is damaged or a limit was reached: everything readable was used, and standard error says '
                'what is wrong and where in the file'}),
)


def status(_, name):
    """The exit statuses of a command; the order in which one wins over another is 2, 3, 1, 4."""
    found = [(code, text if isinstance(text, str) else text.get(name, text.get('*'))) for code, text in STATUS]
    yield from listed(('.It ' + code, text) for code, text in found if text)


PROGRAM = {'diff': 'trace-diff', 'check': 'trace-check', 'trend': 'trace-trend', 'ci': 'tracekit-ci'}


def outcomes(described, _):
    """Every way in which a comparison, a check or a trend can end, by its status."""
    for code in sorted({row[1] for row in described.outcomes}):
        yield '.Ss Status %d' % code
        yield from listed(('.It Sy ' + name, '%s%s%s (%s)' % (
            when, ' (%s: status %d)' % (option, strict) if option else '', '; ' + advice if advice else '',
            ', '.join(PROGRAM[c] for c in commands)))
            for name, status, strict, option, commands, when, advice in described.outcomes if status == code)


# What the program and the library may ask the environment for; a page has what they do ask for.
ENVIRONMENT = {
    'CI': 'if not empty, nothing is cached about captures unless --index names a file',
    'COLUMNS': 'overrides the width of the terminal',
    'DEBUGINFOD_CACHE_PATH': 'where debuginfod keeps the symbols it has fetched; these are used, and nothing is fetched',
    'HOME': 'its folder .cache is used if XDG_CACHE_HOME is not set',
    'NO_COLOR': 'if not empty, output has no colour unless --color=always is given',
    'PAGER': 'the pager for output on a terminal (default: less); cat, or an empty value, turns paging off',
    'TERM': 'dumb: neither colour nor progress',
    'TMPDIR': 'the directory for unpacked or piped input and for other temporary files (default: /tmp)',
    'TRACEKIT_CACHE': 'off: the cache is neither written nor used',
    'TRACEKIT_CACHE_SIZE': 'bytes that tracekit/symbols and tracekit/captures may take, each (default: 2 GiB and 4 GiB); beyond '
                           'that the oldest files are removed',
    'TRACEKIT_SYMBOLS': 'the only places where symbols are looked for without --symbols: directories, symbol stores and '
                        'files, separated by colons',
    'UE_INSIGHTS_SYMBOL_PATH': 'symbol paths of Unreal Insights, separated by semicolons',
    'XDG_CACHE_HOME': 'the cache folder. Its folder debuginfod_client has symbols that debuginfod fetched, tracekit/symbols has '
                      'results from symbol files, one file per image id, and tracekit/captures has the indexes of large '
                      'captures (see --index and --no-cache)',
    '_NT_SYMBOL_PATH': 'symbol stores of Windows, separated by semicolons; servers in it are not contacted',
    'TRACEKIT_LIMITS': 'limits as for --limit, separated by commas; options take precedence',
}


def environment(described, _):
    yield from listed(('.It Ev ' + name, ENVIRONMENT[name]) for name in described.environment)


# The words of the glossary that a reader of tables and reports meets first.
TERMS = ('capture', 'timer', 'scope', 'frame', 'region', 'inclusive time', 'exclusive time', 'busy', 'working', 'hitch', 'run',
         'baseline', 'verdict', 'budget')
GLOSSARY = pathlib.Path(__file__).resolve().parents[2] / 'docs' / 'glossary.md'


def terms(_, __):
    """Terms as docs/glossary.md defines them."""
    rows = re.findall(r'(?m)^\| ([^|]+) \| ([^|]+) \|$', GLOSSARY.read_text(encoding='utf-8'))
    defined = {word: re.sub('[`*]', '', text) for word, text in rows}
    yield from listed(('.It Sy ' + word, defined[word]) for word in TERMS)


PERFETTO_END = 'flow'   # the last view in schemas/views.sql that has Perfetto's names


def views(described, which):
    """The views of a database, with their columns."""
    names = list(described.views)
    end = names.index(PERFETTO_END) + 1
    yield from listed(('.It Va ' + name, ', '.join(described.views[name]))
                      for name in (names[:end] if which == 'Perfetto' else names[end:]))


PARTS = {part.__name__: part for part in (options, synopsis, commands, limits, tables, exports, presets, words, status, outcomes,
                                        environment, views, terms)}
PART = re.compile(r'(?m)^\.\\" begin (\w+)(?: (\S+))?\n(?:.*\n)*?\.\\" end\n')


def filled(page, described):
    """A page with all its made parts as they have to be."""
    def make(found):
        head = found[0].split('\n', 1)[0]
        return '\n'.join([head, *PARTS[found[1]](described, found[2]), '.\\" end', ''])
    return PART.sub(make, page)
