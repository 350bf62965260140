"""The commands under test, as the checks run them: output parsed, failures as exceptions with all that is known."""

import csv
import dataclasses
import io
import json
import os
import pathlib
import resource
import shlex
import subprocess
import tempfile

TIMEOUT = 60            # seconds: stops what hangs, measures nothing


@dataclasses.dataclass
class Done:
    """A command that ended: its status (negative: the signal), output, messages, and peak memory in bytes."""
    words: list
    status: int
    out: bytes
    err: bytes
    memory: int

    def describe(self):
        return '%s: status %d, %s' % (shlex.join(self.words), self.status, self.err.decode(errors='replace').strip())


class CommandError(Exception):
    """A command did not do what the check needs to go on."""


class Commands:
    """Runs the commands of a directory. memory: limit of writable memory in bytes, or None (sanitizers need more)."""

    def __init__(self, directory, memory=None, wrapper=()):
        self.directory = pathlib.Path(directory).resolve()
        # By a shell: a function to be called between fork and exec would have all of this process copied first.
        limit = ['sh', '-c', 'ulimit -d %d && exec "$@"' % (memory // 1024), 'sh'] if memory else []
        self.wrapper = [*limit, *wrapper]
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        for name in ('trace-info', 'trace-events', 'trace-stats'):
            if not (self.directory / name).exists():
                raise SystemExit('%s: no %s there' % (self.directory, name))

    def run(self, name, *arguments, stdin=None, timeout=TIMEOUT, stdout=None):
        """Runs a command to its end. stdin: a path whose bytes are piped in; stdout: a file instead of being kept."""
        words = [*self.wrapper, str(self.directory / name), *map(str, arguments)]
        environment = {**os.environ, 'LC_ALL': 'C', 'NO_COLOR': '1'}
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            feeder = subprocess.Popen(['cat', str(stdin)], stdout=subprocess.PIPE) if stdin else None
            process = subprocess.Popen(words, stdin=feeder.stdout if feeder else subprocess.DEVNULL,
                                       stdout=stdout or out, stderr=err, env=environment)
            if feeder:
                feeder.stdout.close()
            status, usage = _wait(process, timeout)
            if feeder:
                feeder.wait()
            out.seek(0)
            err.seek(0)
            return Done(words[len(self.wrapper):], status, out.read(), err.read(), usage.ru_maxrss * 1024)

    def must(self, name, *arguments, allowed=(0,), **more):
        done = self.run(name, *arguments, **more)
        if done.status not in allowed:
            raise CommandError(done.describe())
        return done

    def table(self, capture, table, columns, *options, **more):
        """Rows of a table of trace-stats as dicts of texts, times in cycles."""
        arguments = ['--table', table, '--unit', 'cycles', '--format', 'csv', '--columns', ','.join(columns), *options]
        done = self.must('trace-stats', capture, *arguments, **more)
        rows = list(csv.reader(io.StringIO(done.out.decode('utf-8'), newline='')))
        if not rows or rows[0] != list(columns):
            raise CommandError('%s: header %s' % (done.describe(), rows[:1]))
        for row in rows:
            if len(row) != len(columns):
                raise CommandError('%s: a row of %d cells: %s' % (done.describe(), len(row), row))
        return [dict(zip(columns, row)) for row in rows[1:]]

    def events(self, capture, *patterns, order='file', **more):
        """Events as dicts, one after another."""
        done = self.must('trace-events', capture, *patterns, '--format', 'ndjson', '--order', order, **more)
        return [parse_json(line) for line in done.out.decode('utf-8').splitlines()]

    def count(self, capture, **more):
        """Logger.Event -> number of events."""
        return parse_json(self.must('trace-events', capture, '--count', '--format', 'json', **more).out.decode('utf-8'))

    def info(self, capture, **more):
        """All that trace-info says."""
        return parse_json(self.must('trace-info', capture, '--full', '--types', '--format', 'json',
                                    **more).out.decode('utf-8'))


def _wait(process, timeout):
    """Waits for a process, ends it when it takes too long; (status, usage). A time-out has the status -9."""
    import threading                                    # only here: the checks themselves have one thread
    guard = threading.Timer(timeout, process.kill)
    guard.start()
    try:
        _, raw, usage = os.wait4(process.pid, 0)
    finally:
        guard.cancel()
    process.returncode = os.waitstatus_to_exitcode(raw)
    return process.returncode, usage


def parse_json(text):
    """JSON in the strict sense: every key once, no NaN."""
    return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)


def _unique(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise CommandError('a JSON object has a key twice: %.200s' % pairs)
    return found


def _refuse(name):
    raise CommandError('JSON has no number ' + name)


def add_options(parser):
    """What a test under sanitizers, or with several threads, is called with; called() takes it."""
    parser.add_argument('--bin', required=True)
    parser.add_argument('--no-memory-limit', action='store_true')
    parser.add_argument('--jobs', help='threads of each command')


def called(arguments, memory):
    """The commands by these options. Their `more` is for the end of each call."""
    tools = Commands(arguments.bin, memory=None if arguments.no_memory_limit else memory)
    tools.more = ('--jobs', arguments.jobs) if arguments.jobs else ()
    return tools
