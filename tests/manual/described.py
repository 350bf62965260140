"""What `tracekit --describe` says of the commands (cmd/cmd_in.h has the lines)."""

import dataclasses
import pathlib
import re
import sqlite3
import subprocess
import tempfile


@dataclasses.dataclass
class Option:
    """An option; `values` names a list of words, or is 'file', or '' for anything."""
    brief: str
    name: str
    value: str
    may: bool           # the value may be missing
    several: bool       # commas may stand between values
    values: str
    help: str


@dataclasses.dataclass
class Command:
    name: str
    operands: str
    summary: str
    help: list
    groups: list        # (title, [Option])

    @property
    def program(self):
        return 'trace-' + self.name

    @property
    def options(self):
        return [option for _, options in self.groups for option in options]


class Described:
    """commands; words: list name -> words; tables: name -> (help, [(column, help)]); limits: [(name, default, help)];
    exports, presets: [(name, help)]; outcomes: [(name, status, with the option, option, commands, when, advice)]."""

    def __init__(self, tracekit):
        self.commands, self.words, self.tables, self.limits = [], {}, {}, []
        self.exports, self.presets, self.outcomes = [], [], []
        text = subprocess.run([tracekit, '--describe'], check=True, capture_output=True, text=True).stdout
        for line in text.splitlines():
            kind, *cells = line.split('\t')
            getattr(self, '_' + kind)(*cells)
        self.words['tables'] = list(self.tables)
        self.words['limits'] = [name for name, _, _ in self.limits]
        self.words['event-columns'] = [name for name, _ in self.tables['events'][1]]
        self.words['exports'] = [name for name, _ in self.exports]
        self.words['presets'] = [name for name, _ in self.presets]
        for name, (_, columns) in self.tables.items():
            self.words['columns-' + name] = [column for column, _ in columns]
        self.version = subprocess.run([tracekit, '--version'], check=True, capture_output=True,
                                      text=True).stdout.split()[1]

    def command(self, name):
        return next(command for command in self.commands if command.name == name)

    def _command(self, name, operands, summary):
        self.commands.append(Command(name, operands, summary, [], []))

    def _help(self, line):
        self.commands[-1].help.append(line)

    def _group(self, title):
        self.commands[-1].groups.append((title, []))

    def _option(self, brief, name, value, may, several, values, text):
        self.commands[-1].groups[-1][1].append(Option(brief, name, value, bool(may), bool(several), values, text))

    def _words(self, name, *words):
        self.words[name] = list(words)

    def _table(self, name, text):
        self.tables[name] = (text, [])

    def _column(self, table, name, text):
        self.tables[table][1].append((name, text))

    def _export(self, name, text):
        self.exports.append((name, text))

    def _preset(self, name, text):
        self.presets.append((name, text))

    def _limit(self, name, value, text):
        self.limits.append((name, int(value), text))

    def _outcome(self, name, status, strict, option, commands, when, advice):
        self.outcomes.append((name, int(status), int(strict), option, commands.split(), when, advice))

    def add_environment(self, root):
        """environment: the variables that the sources ask for, by name."""
        self.environment = sorted({name for folder in ('cmd', 'libtrace') for path in (root / folder).rglob('*.c')
                                   for name in re.findall(r'getenv\("(\w+)"\)', path.read_text(encoding='utf-8'))})

    def add_views(self, binaries, root):
        """views: name -> columns, of a database that trace-export writes; those of schemas/views.sql, in their order."""
        text = (root / 'schemas' / 'views.sql').read_text(encoding='utf-8')
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / 'tiny.db'
            subprocess.run([binaries / 'trace-export', root / 'fixtures' / 'tiny.utrace', '--format', 'sqlite', '--quiet',
                            '--output', path], check=True)
            database = sqlite3.connect(path)
            self.views = {name: [row[1] for row in database.execute('PRAGMA table_info(%s)' % name)]
                          for name in re.findall(r'CREATE VIEW IF NOT EXISTS (\w+)', text)}
            database.close()
