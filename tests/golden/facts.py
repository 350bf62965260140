"""What the pages about a capture must say, from sources other than the commands' own figures.

Sources: the truth file (fixtures/README.md), the packets of the file walked independently, CPU batches decoded number
by number, and for Tracy captures what the profiler's own csvexport printed. A table becomes rows of wanted cells: a
text, a bool, None (empty), or a Range of numbers, times in nanoseconds.
"""

import dataclasses
import fractions
import subprocess

import pages

EXACT, SKETCHED = 0, fractions.Fraction(8, 1000)    # relative error of percentiles
PERCENTILES = {'median': 0.5, 'p95': 0.95, 'p99': 0.99}


@dataclasses.dataclass
class Range:
    low: fractions.Fraction
    high: fractions.Fraction


@dataclasses.dataclass
class Table:
    """keys: columns that tell a row; none: rows are matched by their place. others: rows of the page that are in no
    source are allowed when this says so. unchecked: columns without a second source."""
    keys: tuple
    rows: list
    unchecked: tuple = ()
    others: object = lambda row: False
    complete: bool = True
    folded: object = str                            # of the texts of keys, before they are compared


def exactly(value):
    return value if value is None or isinstance(value, (str, bool)) else Range(value, value)


def nearest(ordered, fraction, error, unit):
    rank = -(-len(ordered) * int(fraction * 100) // 100) or 1
    value = ordered[rank - 1] * unit
    return Range(value * (1 - error), value * (1 + error))


def content(path):
    if path.suffix == '.zst':
        return subprocess.run(['zstd', '-dcq', str(path)], check=True, stdout=subprocess.PIPE).stdout
    return path.read_bytes()


class Facts:
    """The tables that are known of one capture."""

    def __init__(self, runner, path):
        self.runner, self.path, self.unit = runner, path, 'ns'
        self.data = content(path)

    def table(self, name, options):
        """The Table of a name, or None. options: words of the command, as they change what the page shows."""
        self.unit = options[options.index('--unit') + 1] if '--unit' in options else 'ns'
        make = getattr(self, 'table_' + name, None)
        found = make(options) if make else None
        overview = options[0] == 'trace-stats' and '--table' not in options
        if found and (overview or any(word in ('--timer', '--top') for word in options)):
            found.complete = False
        return found

    def span(self, cycles):
        """A duration in the unit of the page."""
        return exactly(cycles if cycles is None else cycles * self.unit_of_cycle())

    def unit_of_cycle(self):
        if self.unit == 'cycles':
            return fractions.Fraction(1)
        return fractions.Fraction(10 ** 9, self.frequency * pages.SCALES[self.unit])

    def time(self, cycle):
        """Cycles are absolute."""
        return self.span(cycle if cycle is None or self.unit == 'cycles' else cycle - self.start)

    def spread(self, spans, error):
        """mean and percentiles."""
        unit, ordered = self.unit_of_cycle(), sorted(spans)
        return {'mean': exactly(fractions.Fraction(sum(spans), len(spans)) * unit),
                **{name: nearest(ordered, fraction, error, unit) for name, fraction in PERCENTILES.items()}}
