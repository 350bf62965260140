"""The parts of the manual pages that are made from what the commands say of themselves."""

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
    ('0', 'done. A capture that is cut off at its end, as after a crash, is told on standard error and counts as done'),
    ('1', {'diff': 'something regressed; with --require-verdict also: something could not be decided',
           'check': 'a budget of level error is exceeded; with --strict-budget also: one is for what is not there; with '
                    '--expect: a recording is without what it should have',
           'trend': 'the newest change of a series is a regression'}),
    ('2', 'wrong usage, or a filter, table or budget that matches nothing'),
    ('3', 'the input cannot be read at all, or the output cannot be written'),
    ('4', 'done, but the capture is damaged: all that could be read was used, and what is wrong was told on standard '
          'error with its place in the file'),
)


def status(_, name):
    """The exit statuses of a command; the order in which one wins over another is 2, 3, 1, 4."""
    found = [(code, text if isinstance(text, str) else text.get(name)) for code, text in STATUS]
    yield from listed(('.It ' + code, text) for code, text in found if text)


# What the program and the library may ask the environment for; a page has what they do ask for.
ENVIRONMENT = {
    'CI': 'when it is not empty, nothing is kept of captures unless --index names a file',
    'COLUMNS': 'the width of the terminal, when that of the terminal itself is not wanted',
    'DEBUGINFOD_CACHE_PATH': 'where debuginfod keeps symbols that it has fetched; they are used, and nothing is fetched',
    'HOME': 'below it, in .cache, is what XDG_CACHE_HOME says without that',
    'NO_COLOR': 'when it is not empty there is no colour, unless --color=always says so',
    'PAGER': 'what pages the output on a terminal (default: less); cat, or nothing, for no paging',
    'TERM': 'a terminal called dumb gets neither colour nor progress',
    'TMPDIR': 'the directory for input that is unpacked or piped, and for what waits on its way out (default: /tmp)',
    'TRACEKIT_CACHE': 'off: nothing is kept in the cache, and nothing there is used',
    'TRACEKIT_CACHE_SIZE': 'bytes of tracekit/symbols and of tracekit/captures (default: 2 GiB and 4 GiB); what is more goes, '
                           'the oldest first',
    'TRACEKIT_SYMBOLS': 'where symbols are looked for without --symbols: directories, symbol stores and files, with colons '
                        'between them, and nowhere else',
    'UE_INSIGHTS_SYMBOL_PATH': 'places of symbols that Unreal Insights knows, with semicolons between them',
    'XDG_CACHE_HOME': 'below it, in debuginfod_client, are symbols that debuginfod has fetched, and in tracekit/symbols is '
                      'what files of symbols answered, a file for each image id, and in tracekit/captures what was found '
                      'out of large captures (see --index and --no-cache)',
    '_NT_SYMBOL_PATH': 'symbol stores of Windows, with semicolons between them; servers in it are not asked',
    'TRACEKIT_LIMITS': 'limits as for --limit, with commas between them; those that are given as options win',
}


def environment(described, _):
    yield from listed(('.It Ev ' + name, ENVIRONMENT[name]) for name in described.environment)


PERFETTO_END = 'flow'   # the last view in schemas/views.sql that has Perfetto's names


def views(described, which):
    """The views of a database, with their columns."""
    names = list(described.views)
    end = names.index(PERFETTO_END) + 1
    yield from listed(('.It Va ' + name, ', '.join(described.views[name]))
                      for name in (names[:end] if which == 'Perfetto' else names[end:]))


PARTS = {part.__name__: part for part in (options, synopsis, commands, limits, tables, exports, presets, words, status,
                                        environment, views)}
PART = re.compile(r'(?m)^\.\\" begin (\w+)(?: (\S+))?\n(?:.*\n)*?\.\\" end\n')


def filled(page, described):
    """A page with all its made parts as they have to be."""
    def make(found):
        head = found[0].split('\n', 1)[0]
        return '\n'.join([head, *PARTS[found[1]](described, found[2]), '.\\" end', ''])
    return PART.sub(make, page)
