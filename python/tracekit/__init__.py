"""Reads saved performance captures: .utrace of Unreal Engine, .tracy of Tracy.

    import tracekit

    with tracekit.open('game.utrace') as capture:
        for row in capture.table('timers').sort('excl', descending=True).top(10):
            print(row.excl / 1e6, 'ms', row.timer)

A capture also answers SQL (capture.sql('SELECT ...')), and is written in other formats (capture.export) and as a page
(capture.report); compare() says what has changed between the runs of two builds.

A table is a sequence of named tuples, gives columns by name (table['excl']), and goes to pandas, Polars, pyarrow and
DuckDB through the Arrow PyCapsule interface. It needs the shared library libtracekit: of a wheel, of the system, or where
the variable TRACEKIT_LIBRARY of the environment says.
"""

from typing import Dict, Optional

from tracekit._capture import Capture, Source, columns, sql, tables
from tracekit._compare import Comparison, compare
from tracekit._library import (LIBRARY, DamageError, Error, FormatError, LimitError, MatchError, ReadError, UsageError,
                               text)
from tracekit._table import Column, Table

__version__ = '0.2.0'

__all__ = ['Capture', 'Column', 'Comparison', 'DamageError', 'Error', 'FormatError', 'LimitError', 'MatchError', 'ReadError', 'Table',
           'UsageError', 'columns', 'compare', 'library_version', 'open', 'sql', 'tables']


def open(source: Source, *, jobs: int = 1, strict: bool = False, limits: Optional[Dict[str, int]] = None,
         spool_dir: Optional[str] = None) -> Capture:
    """Opens a capture.

    source: a path ('-' is standard input); bytes, bytearray or memoryview; a descriptor, which stays open; or a binary
        file object that can seek, which is read from while the capture is open and also by other threads.
    jobs: threads that work. strict: the first damage is a DamageError. limits: other values for named limits.
    spool_dir: where compressed captures are unpacked to; usually TMPDIR.

    ReadError, FormatError, LimitError, DamageError.
    """
    return Capture(source, jobs=jobs, strict=strict, limits=limits, spool_dir=spool_dir)


def library_version() -> str:
    """The version of the library that is used, as '0.2.0'."""
    return text(LIBRARY.tk_version())
