"""Comparisons: runs of one build against those of another."""

import os
import weakref
from typing import Iterable, Union

from tracekit._capture import Capture, write
from tracekit._library import LIBRARY, About, call, encoded, make
from tracekit._table import Table

Path = Union[str, 'os.PathLike[str]']
Runs = Union[Path, Capture, Iterable[Union[Path, Capture]]]


def add(runs: int, run: Union[Path, Capture]) -> None:
    """Adds a capture, or the runs of a baseline file."""
    if isinstance(run, Capture):
        with About(run.path):
            call('tk_baseline_add', runs, run._open(), None)
        return
    name = os.fsdecode(run)
    if LIBRARY.tk_baseline_is(encoded(name)) == 1:
        with About(name):
            call('tk_baseline_load', runs, encoded(name))
        return
    with Capture(name) as capture:
        add(runs, capture)


def collect(runs: Runs) -> int:
    """The runs as a struct tk_baseline."""
    baseline = make('tk_baseline_new')
    try:
        for run in [runs] if isinstance(runs, (str, os.PathLike, Capture)) else runs:
            add(baseline, run)
    except BaseException:
        LIBRARY.tk_baseline_free(baseline)
        raise
    return baseline


class Comparison:
    """What has changed from a side to the other.

    regressed: something became worse. inconclusive: something could not be decided. comparable: the runs of the candidate
    are complete. changes: a table with a row for each compared value and its verdict.
    """

    def __init__(self, baseline: Runs, candidate: Runs):
        sides = []
        try:
            for side in (baseline, candidate):
                sides.append(collect(side))
            self._comparison = make('tk_compare', *sides, None)
        finally:
            for side in sides:
                LIBRARY.tk_baseline_free(side)
        self._finalizer = weakref.finalize(self, LIBRARY.tk_comparison_free, self._comparison)
        self.regressed: bool = LIBRARY.tk_comparison_regressed(self._comparison)
        self.inconclusive: bool = LIBRARY.tk_comparison_inconclusive(self._comparison)
        self.comparable: bool = LIBRARY.tk_comparison_comparable(self._comparison)
        self.changes = Table(make('tk_comparison_result', self._comparison))

    def report(self, path: Path, format: str = 'html', *, force: bool = False) -> None:  # noqa: A002
        """Writes a report of trace-diff(1), as 'html', 'markdown' or 'json'. force: a file that is there is replaced."""
        write(path, force, lambda output: call('tk_comparison_report', self._comparison, format.encode(), output, None))


def compare(baseline: Runs, candidate: Runs) -> Comparison:
    """Compares runs: paths of captures and baselines, or open captures, one or several a side. More runs decide more.

    MatchError where they are of several programs, and as open().
    """
    return Comparison(baseline, candidate)
