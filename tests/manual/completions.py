"""Completions for bash, zsh and fish, made from what the commands say of themselves."""

import pathlib

HERE = pathlib.Path(__file__).resolve().parent
HEAD = '# Made from the options of the commands; cmake --build build/release --target refresh-manual writes it anew.\n'


def files(described):
    """File name -> text."""
    return {name: make(described) for name, make in
            (('tracekit.bash', bash), ('_tracekit', zsh), ('tracekit.fish', fish))}


def template(name, **parts):
    """A file alongside this one, with the parts that it names."""
    text = (HERE / name).read_text(encoding='utf-8')
    for part, value in parts.items():
        text = text.replace('@%s@\n' % part, value)
    return text


def single(text):
    """In single quotes, for any shell but fish."""
    return "'%s'" % text.replace("'", "'\\''")


def word_lists(described):
    return sorted(described.words.items())


# ---- bash ----

def bash_names(option):
    return ' '.join(['--' + option.name, *(['-' + option.brief] if option.brief else [])])


def bash(described):
    words = ''.join('    [%s]=%s\n' % (name, single(' '.join(found))) for name, found in word_lists(described))
    options = ''.join('    [%s]=%s\n' % (command.name, single(' '.join(map(bash_names, command.options))))
                      for command in described.commands)
    values = ''.join('    [%s %s]=%s\n' % (command.name, name, single((',' if option.several else '') + kind(option)))
                     for command in described.commands for option in command.options
                     if option.value and not option.may for name in bash_names(option).split())
    programs = ' '.join(command.program for command in described.commands)
    return HEAD + template('tracekit.bash.in', words=words, options=options, values=values,
                           complete='complete -F _tracekit tracekit %s\n' % programs)


def kind(option):
    return option.values or 'any'


# ---- zsh ----

def zsh_text(text):
    """A description inside of [...] in single quotes."""
    for char in '\\[]:':
        text = text.replace(char, '\\' + char)
    return text.replace("'", "'\\''")


def zsh_action(option):
    if option.values == 'file':
        return '_files'
    if not option.values:
        return ' '
    return ' _tracekit_words %s%s' % (option.values, ' ,' if option.several else '')


def zsh_option(option):
    again = '*' if 'repeated' in option.help or option.name in ('limit', 'noise') else ''
    value = ':%s:%s' % (zsh_text(option.value), zsh_action(option)) if option.value else ''
    if option.may:
        value = ':' + value
    long = '--%s%s' % (option.name, '=-' if option.may else '=' if option.value else '')
    text = '[%s]%s' % (zsh_text(option.help), value)
    if not option.brief:
        return "'%s%s%s'" % (again, long, text)
    brief = '-%s%s' % (option.brief, '+' if option.value else '')
    others = '' if again else "'(-%s --%s)'" % (option.brief, option.name)
    return "%s{%s,%s}'%s'" % (others or "'*'", brief, long, text)


def zsh_command(command):
    lines = ['_tracekit_%s() {' % command.name, '    _arguments -s -S \\']
    lines += ['        %s \\' % zsh_option(option) for option in command.options]
    lines += ["        '*:file:_files'", '}', '']
    return '\n'.join(lines) + '\n'


def zsh(described):
    words = ''.join('    %s %s\n' % (name, single(' '.join(found))) for name, found in word_lists(described))
    summaries = ''.join("    '%s:%s'\n" % (command.name, zsh_text(command.summary)) for command in described.commands)
    programs = ' '.join(command.program for command in described.commands)
    return '#compdef tracekit %s\n' % programs + HEAD + template(
        '_tracekit.in', words=words, summaries=summaries, commands=''.join(map(zsh_command, described.commands)))


# ---- fish ----

def fish_text(text):
    return "'%s'" % text.replace('\\', '\\\\').replace("'", "\\'")


def fish_value(option):
    if option.may or not option.value:
        return ''
    if option.values == 'file':
        return ' -r -F'
    if not option.values:
        return ' -x'
    return ' -x -a "(__tracekit_words %s%s)"' % (option.values, ' ,' if option.several else '')


def fish_option(option):
    brief = ' -s ' + option.brief if option.brief else ''
    return '%s -l %s%s -d %s' % (brief, option.name, fish_value(option), fish_text(option.help))


def fish(described):
    lists = ''.join('        case %s\n            set found %s\n' % (name, ' '.join(found))
                    for name, found in word_lists(described))
    lines = []
    for command in described.commands:
        lines.append("complete -c tracekit -n __fish_use_subcommand -f -a %s -d %s" % (command.name,
                                                                                      fish_text(command.summary)))
        for option in command.options:
            lines.append('complete -c %s%s' % (command.program, fish_option(option)))
            lines.append("complete -c tracekit -n '__fish_seen_subcommand_from %s'%s" % (command.name,
                                                                                       fish_option(option)))
    return HEAD + template('tracekit.fish.in', lists=lists, complete='\n'.join(lines) + '\n')
