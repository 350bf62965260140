"""Captures: opening them, and requesting tables."""

import ctypes
import os
import weakref
from typing import Any, BinaryIO, Callable, Dict, Iterable, List, Optional, Tuple, Type, Union

from tracekit._library import BY, LIBRARY, READ, STATUS, About, Error, call, encoded, make, text
from tracekit._table import Column, Table, describe

Source = Union[str, 'os.PathLike[str]', bytes, bytearray, memoryview, int, BinaryIO]
Names = Union[str, Iterable[str]]


def listed(names: Optional[Names]) -> List[str]:
    """One name or several as a list."""
    if names is None:
        return []
    return [names] if isinstance(names, str) else list(names)


class Reader:
    """A file object as what the library reads from. What it raises is kept, as no exception passes through C."""

    def __init__(self, file: BinaryIO):
        self.file = file
        self.size = file.seek(0, os.SEEK_END)
        self.failure: Optional[BaseException] = None
        self.callback = READ(self.read)

    def read(self, _ctx: int, offset: int, to: int, n: int, got: Any) -> int:
        try:
            self.file.seek(offset)
            data = self.file.read(n) or b''
            if len(data) > n:
                raise ValueError('the file object returned more bytes than requested')
            ctypes.memmove(to, data, len(data))
            got[0] = len(data)
            return 0
        except BaseException as failure:  # noqa: B902
            self.failure = failure
            return STATUS['ECANCELED']

    def raise_kept(self) -> None:
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure


class Options:
    """A struct tk_options, freed at the end of the block."""

    def __init__(self, jobs: int, strict: bool, limits: Dict[str, int], spool_dir: Optional[str]):
        self.address = make('tk_options_new')
        try:
            call('tk_options_set', self.address, b'jobs', jobs)
            call('tk_options_set', self.address, b'strict', bool(strict))
            for name, value in limits.items():
                call('tk_options_add', self.address, b'limits', encoded('%s=%d' % (name, value)))
            if spool_dir is not None:
                call('tk_options_text', self.address, b'spool_dir', encoded(os.fspath(spool_dir)))
        except BaseException:
            LIBRARY.tk_options_free(self.address)
            raise

    def __enter__(self) -> int:
        return self.address

    def __exit__(self, *_: object) -> None:
        LIBRARY.tk_options_free(self.address)


class Query:
    """A struct tk_query, freed at the end of the block."""

    def __init__(self, lists: Dict[str, Optional[Names]], values: Dict[str, Any]):
        self.address = make('tk_query_new')
        try:
            for field, names in lists.items():
                for name in listed(names):
                    call('tk_query_add', self.address, field.encode(), encoded(name))
            for field, value in values.items():
                self.set(field.encode(), value)
        except BaseException:
            LIBRARY.tk_query_free(self.address)
            raise

    def set(self, field: bytes, value: Any) -> None:
        if value is None:
            return
        if isinstance(value, str):
            call('tk_query_text', self.address, field, encoded(value))
        elif isinstance(value, float):
            call('tk_query_real', self.address, field, value)
        elif -2**63 <= value < 2**63:
            call('tk_query_set', self.address, field, value)
        else:
            raise ValueError('%s is too large' % field.decode())

    def __enter__(self) -> int:
        return self.address

    def __exit__(self, *_: object) -> None:
        LIBRARY.tk_query_free(self.address)


def open_source(source: Source, options: int) -> Tuple[int, Any]:
    """Opens whatever it is: the address of a struct tk_trace, and what has to live as long."""
    if isinstance(source, int):
        return make('tk_open_descriptor', source, options), None
    if isinstance(source, (bytes, bytearray, memoryview)):
        view = memoryview(source).cast('B')
        # what can be written has an address; all else is bytes, or becomes that
        held: Any = source if isinstance(source, bytes) else bytes(view)
        if not view.readonly:
            held = (ctypes.c_char * len(view)).from_buffer(view)
        address = ctypes.cast(held, ctypes.c_void_p)
        return make('tk_open_memory', address, len(view), options), held
    if hasattr(source, 'read'):
        reader = Reader(source)  # type: ignore[arg-type]
        try:
            return make('tk_open_reader', reader.callback, None, reader.size, options), reader
        except Error:
            reader.raise_kept()
            raise
    return make('tk_open', encoded(os.fspath(source)), options), None  # type: ignore[arg-type]


def path_of(source: Source) -> Optional[str]:
    """The path of what is opened by one, else None."""
    if isinstance(source, (str, os.PathLike)):
        return os.fsdecode(source)
    return None


class Capture:
    """An open capture. Use it as a context manager, or close it.

    It is used by one thread at a time. Tables do not need it any longer once they are there.
    """

    def __init__(self, source: Source, *, jobs: int = 1, strict: bool = False, limits: Optional[Dict[str, int]] = None,
                 spool_dir: Optional[str] = None):
        self.path: Optional[str] = path_of(source)
        with Options(jobs, strict, limits or {}, spool_dir) as options, About(self.path):
            self._trace, self._held = open_source(source, options)
        self._close = weakref.finalize(self, Capture._release, self._trace, self._held)

    @staticmethod
    def _release(trace: int, _held: Any) -> None:
        LIBRARY.tk_close(trace)

    def close(self) -> None:
        """Closes it. Closing it again does nothing."""
        self._close()

    def __enter__(self) -> 'Capture':
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: object) -> None:
        self.close()

    def _open(self) -> int:
        if not self._close.alive:
            raise ValueError('the capture is closed')
        return self._trace

    @property
    def damaged(self) -> bool:
        """Is there damage in what was read so far?"""
        return LIBRARY.tk_damaged(self._open())

    @property
    def partial(self) -> bool:
        """Was something left out, in what was read so far, because a limit was reached?"""
        return LIBRARY.tk_partial(self._open())

    @property
    def lossy(self) -> bool:
        """Is there a sign, in what was read so far, that events were lost?"""
        return LIBRARY.tk_lossy(self._open())

    @property
    def truncated(self) -> bool:
        """Does it end inside a packet or record?"""
        return LIBRARY.tk_truncated(self._open())

    @property
    def empty(self) -> bool:
        """Was nothing recorded at all?"""
        return LIBRARY.tk_empty(self._open())

    def tables(self) -> List[str]:
        """The names of the tables that it can answer."""
        return [name for name in tables() if LIBRARY.tk_has_table(self._open(), encoded(name))]

    def table(self, name: str, columns: Optional[Names] = None, *, threads: Optional[Names] = None,
              timers: Optional[Names] = None, regions: Optional[Names] = None, events: Optional[Names] = None,
              per_frame: Optional[Names] = None, from_ns: Optional[int] = None, to_ns: Optional[int] = None,
              frames: Optional[Tuple[int, int]] = None, from_bookmark: Optional[str] = None,
              to_bookmark: Optional[str] = None, by: Optional[Names] = None, cycles: bool = False, serial: bool = False,
              clip: bool = False, histogram: Optional[str] = None, callers: Optional[str] = None,
              callees: Optional[str] = None, depth: Optional[int] = None, min_share: Optional[float] = None,
              slowest: Optional[int] = None, budget_ns: Optional[int] = None, times: Optional[float] = None,
              reasons: Optional[int] = None, memory_at_ns: Optional[int] = None,
              memory_ns: Optional[Tuple[int, int]] = None, work: Optional[str] = None,
              where: Optional[Names] = None) -> Table:
        """Reads a table.

        columns: names; the usual ones without it.
        threads, timers, regions, events, per_frame: names or patterns with * and ?, one or several.
        from_ns, to_ns: since the start of the capture, [from, to). frames: first and last game frame, both included.
        from_bookmark, to_bookmark: patterns.
        by: what rows are for: 'thread', 'tag', 'heap', 'callstack', 'size', 'asset', 'class', 'file', 'region',
            'frame_type', 'label'; 'extra' adds the columns that are not displayed unasked.
        cycles: times in cycles of the clock instead of nanoseconds. serial: events in the order of their serials.
        clip: scopes are cut to what is selected.
        histogram; callers, callees, depth, min_share; slowest; budget_ns, times, reasons; memory_at_ns, memory_ns; work:
            for the tables histogram; tree, callers, callees; slowest; hitches; memory; and those of kinds of work.

        where: conditions that rows have to meet, as 'dur>5ms' or 'text~stream', one or several.

        MatchError where there is no such table or column, or a filter matches nothing.
        """
        unknown = [word for word in listed(by) if word not in BY]
        if unknown:
            raise ValueError("by: there is no '%s'; there are %s" % (unknown[0], ', '.join(BY)))
        first, last = frames or (None, None)
        since, until = memory_ns or (None, None)
        lists = {'tables': name, 'columns': columns, 'threads': threads, 'timers': timers, 'regions': regions,
                 'events': events, 'per_frame': per_frame, 'where': where}
        values = {'from_ns': from_ns, 'to_ns': to_ns, 'first_frame': first, 'last_frame': last,
                  'from_bookmark': from_bookmark, 'to_bookmark': to_bookmark, 'by': sum({BY[word] for word in listed(by)}),
                  'unit': int(cycles), 'order': int(serial), 'clip': int(clip), 'histogram': histogram,
                  'callers': callers, 'callees': callees, 'depth': depth, 'slowest': slowest, 'budget_ns': budget_ns,
                  'reasons': reasons, 'memory_at_ns': memory_at_ns, 'memory_from_ns': since, 'memory_to_ns': until,
                  'work': work, 'min_share': None if min_share is None else float(min_share),
                  'times': None if times is None else float(times)}
        with Query(lists, values) as query, About(self.path):
            try:
                return Table(make('tk_result_query', self._open(), query))
            except Error:
                if isinstance(self._held, Reader):
                    self._held.raise_kept()
                raise


    def sql(self, statement: str) -> Table:
        """The rows of a statement of SQLite over the tables of the capture, which trace-query(1) describes.

        UsageError where the statement is wrong, or the capture was not opened by a path; as table().
        """
        self._open()
        if self.path is None or self.path == '-':
            raise ValueError('SQL needs a capture that was opened by its path')
        return sql(self.path, statement)

    def export(self, path: 'Union[str, os.PathLike[str]]', format: str, *, tables: Optional[Names] = None,  # noqa: A002
               columns: Optional[Names] = None, threads: Optional[Names] = None, timers: Optional[Names] = None,
               from_ns: Optional[int] = None, to_ns: Optional[int] = None, frames: Optional[Tuple[int, int]] = None,
               force: bool = False) -> None:
        """Writes a file, or a folder of several tables, in a format of trace-export(1), as 'parquet' or 'perfetto'.

        force: what is there is replaced. Otherwise as table(), and Error where the file cannot be written.
        """
        first, last = frames or (None, None)
        lists = {'tables': tables, 'columns': columns, 'threads': threads, 'timers': timers}
        values = {'from_ns': from_ns, 'to_ns': to_ns, 'first_frame': first, 'last_frame': last}
        with Query(lists, values) as query, About(self.path):
            call('tk_export_file', self._open(), query, format.encode(), encoded(os.fspath(path)), force)

    def report(self, path: 'Union[str, os.PathLike[str]]', *, force: bool = False) -> None:
        """Writes the page of trace-report(1), one HTML file. force: a file that is there is replaced."""
        page = make('tk_page_new', None)
        try:
            with About(self.path):
                name = os.path.basename(self.path or 'capture')
                call('tk_page_add', page, self._open(), None, encoded(name))
            write(path, force, lambda output: call('tk_page_write', page, output))
        finally:
            LIBRARY.tk_page_free(page)


def write(path: 'Union[str, os.PathLike[str]]', force: bool, fill: Callable[[int], Any]) -> None:
    """Lets a function write a file, which is there only when it is complete."""
    name = os.fsdecode(path)
    with About(name):
        output = make('tk_output_open', encoded(name), force)
        try:
            fill(output)
        except BaseException:
            LIBRARY.tk_output_discard(output)
            raise
        call('tk_output_commit', output)


def sql(paths: 'Union[Names, os.PathLike[str]]', statement: str) -> Table:
    """The rows of a statement of SQLite over captures and baselines, which have a column `capture` where there are several.

    The rows of the last statement where there are several. UsageError, MatchError, ReadError, FormatError.
    """
    names = [os.fsdecode(paths)] if isinstance(paths, (str, os.PathLike)) else [os.fsdecode(path) for path in paths]
    connection = make('tk_sql_new', None)
    try:
        for name in names:
            with About(name):
                call('tk_sql_add', connection, encoded(name), None)
        with About(names[0] if len(names) == 1 else None):
            result = make('tk_sql_result', connection, statement.encode())
    finally:
        LIBRARY.tk_sql_free(connection)
    n = LIBRARY.tk_result_count(result)
    if n == 0:
        LIBRARY.tk_result_free(result)
        raise ValueError('a statement without rows')
    return Table(result, n - 1)


def described() -> List[int]:
    """The addresses of all tables there are."""
    n = ctypes.c_size_t()
    pointers = LIBRARY.tk_tables(ctypes.byref(n))
    return pointers[:n.value]


def tables() -> Dict[str, str]:
    """All tables there are: what each is, by its name. A capture need not have all."""
    return {text(LIBRARY.tk_table_name(table)): text(LIBRARY.tk_table_help(table)) for table in described()}


def columns(name: str) -> List[Column]:
    """All columns of a table, also those that come only when they are requested. KeyError where there is no table."""
    for table in described():
        if text(LIBRARY.tk_table_name(table)) == name:
            return describe(table)
    raise KeyError("there is no table '%s'" % name)
