"""Captures to measure with: made once by the programs of this folder, and kept in a directory."""

import os
import pathlib
import subprocess

RUNS = 20                               # of each side of a comparison
RUN_BYTES = 1_000_000                   # of a run that is made
EDITOR = ('--threads', '131', '--packet', '256')       # packets of some 217 bytes, as an editor records
COMMANDS = {'cpu': ('bench-gen-cpu',), 'packets': ('bench-gen-cpu', '--timers', '500', *EDITOR), 'cpu5000': ('bench-gen-cpu', '--timers', '5000'), 'sync': ('bench-gen-sync',),
            'far': ('bench-gen-sync', '--far'), 'system': ('bench-gen-system',)}
SUFFIXES = {'system': '.pftrace'}       # others are .utrace


class Captures:
    def __init__(self, work, programs, game=None):
        self.work = work
        self.programs = programs
        self.game = game                # a capture to repeat

    def written(self, name, *command, suffix='.utrace'):
        """A capture by one of the programs, made when it is not there, and what the program said."""
        path = self.work / (name + suffix)
        note = path.with_suffix('.said')
        if not path.exists() or not note.exists():
            self.work.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix('.part')
            program, *arguments = map(str, command)
            note.write_text(subprocess.run([self.programs / program, part, *arguments], check=True, capture_output=True,
                                           text=True).stdout)
            part.rename(path)
        return path, note.read_text()

    def capture(self, name, size):
        """The path of a capture of about so many bytes, and its number of scopes or events, which of 'game' is 0."""
        if name == 'game':
            return self.repeated(size), 0
        program, *options = COMMANDS[name]
        path, said = self.written('%s-%d' % (name, size), program, size, *options, suffix=SUFFIXES.get(name, '.utrace'))
        return path, int(said.split()[1])

    def repeated(self, size):
        path = self.work / ('game-%d.utrace' % size)
        if not path.exists():
            self.work.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix('.part')
            subprocess.run([self.programs / 'bench-repeat', self.game, part, str(size)], check=True,
                           stdout=subprocess.DEVNULL)
            part.rename(path)
        return path

    def other(self, size):
        """A capture like 'cpu', of another seed."""
        return self.written('cpu-other-%d' % size, 'bench-gen-cpu', size, '--seed', 2)[0]

    def many_timers(self, size):
        """Two captures of 5000 timers."""
        return [self.written('cpu5000-%d-%d' % (size, seed), 'bench-gen-cpu', size, '--timers', 5000, '--seed', seed)[0]
                for seed in (1, 2)]

    def shaped(self, size, timers):
        """As an editor records: 131 threads, packets of some 217 bytes; and the number of scopes."""
        path, said = self.written('shape-%d-%d' % (size, timers), 'bench-gen-cpu', size, '--timers', timers, *EDITOR)
        return path, int(said.split()[1])

    def mixed(self, size, density):
        """A capture without the other families, one with them, and the numbers of scopes and others in that."""
        plain, said = self.written('plain-%d' % size, 'bench-gen-cpu', size)
        scopes, frames = map(int, said.split()[1:4:2])
        mixed, said = self.written('families-%d-%d' % (density, size), 'bench-gen-cpu', size, '--frames', frames,
                                   '--families', density)
        return plain, mixed, scopes, int(said.split()[7])

    def all_lanes(self, size):
        """A capture like 'cpu' with cores, tasks, locks, queues of a GPU and whatever else a timeline draws."""
        return self.written('lanes-%d' % size, 'bench-gen-cpu', size, '--lanes', 1)[0]

    def memory(self, events, alive):
        return self.written('memory-%d-%d' % (events, alive), 'bench-gen-memory', events, alive)[0]

    def stacks(self, events, stacks):
        """Allocations of hardly anything alive, by so many callstacks in turn."""
        return self.written('stacks-%d-%d' % (events, stacks), 'bench-gen-memory', events, 1000, '--stacks', stacks)[0]

    def packed(self, size, codec):
        """A capture of `size` unpacked bytes in the format of the Tracy profiler, four streams, and its zones."""
        path, said = self.written('zones-%s-%d' % (codec, size), 'bench-gen-tracy', size, '--codec', codec,
                                  suffix='.tracy')
        words = said.split()
        return path, int(words[words.index('zones') + 1])

    def runs(self, count=RUNS):
        """The captures of so many runs of one build, and of another: of the corpus, or made."""
        corpus = pathlib.Path(os.environ.get('TRACEKIT_CORPUS') or '/dev/null') / 'runs'
        sides = [sorted(corpus.glob(build + '_*.utrace'))[:count] for build in 'ab'] if corpus.is_dir() else [[], []]
        if all(sides):
            return sides
        return [[self.written('run-%d-%02d' % (side, i), 'bench-gen-cpu', RUN_BYTES, '--seed', 1000 * side + i)[0]
                 for i in range(count)] for side in (1, 2)]
