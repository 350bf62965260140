"""Tables: what a capture answers."""

import collections
import ctypes
import keyword
import weakref
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union, overload

from tracekit import _arrow
from tracekit._library import KINDS, LIBRARY, call, encoded, text


class Column(NamedTuple):
    """What is said of a column.

    kind: of its values, as 'text', 'uint', 'duration'; times and durations are integers in the unit of the table.
    unit: 'calls', 'bytes', ...; of times that of the table; '' where the kind says it.
    """

    name: str
    kind: str
    unit: str
    help: str


def describe(table: int) -> List[Column]:
    """The columns of a struct tk_table."""
    times = 'cycles' if LIBRARY.tk_table_unit(table) == 1 else 'ns'
    columns = []
    for i in range(LIBRARY.tk_table_width(table)):
        kind = KINDS[LIBRARY.tk_column_kind(table, i)]
        unit = times if kind in ('time', 'duration', 'mean') else text(LIBRARY.tk_column_unit(table, i))
        columns.append(Column(text(LIBRARY.tk_column_name(table, i)), kind, unit,
                              text(LIBRARY.tk_column_help(table, i))))
    return columns


def field_name(name: str) -> str:
    return name + '_' if keyword.iskeyword(name) else name


class Table(Sequence[Any]):
    """Rows of a table of a capture, which it does not need any longer.

    As a sequence it is one of rows, which are named tuples; a column that has the name of a keyword of Python ends
    with an underscore there. With the name of a column as index it gives the values of that column. A value that is not
    there is None.

    Libraries that know the Arrow PyCapsule interface take it as it is: polars.DataFrame(table), pyarrow.table(table),
    pandas.DataFrame.from_arrow(table).
    """

    def __init__(self, result: int, number: int = 0):
        self._result = result
        self._number = number
        self._finalizer = weakref.finalize(self, LIBRARY.tk_result_free, result)
        described = LIBRARY.tk_result_table(result, number, None)
        self.name: str = text(LIBRARY.tk_table_name(described))
        self.help: str = text(LIBRARY.tk_table_help(described))
        self.columns: List[Column] = describe(described)
        self._row = collections.namedtuple(  # type: ignore[misc]
            'Row', [field_name(column.name) for column in self.columns], rename=True)
        self._values: Optional[List[List[Any]]] = None

    def _columns(self) -> List[List[Any]]:
        if self._values is None:
            self._values = _arrow.columns(self._result, self._number, [column.kind for column in self.columns])
        return self._values

    def __len__(self) -> int:
        n = ctypes.c_size_t()
        LIBRARY.tk_result_table(self._result, self._number, ctypes.byref(n))
        return n.value

    def __repr__(self) -> str:
        return '<tracekit.Table %s: %d rows, %d columns>' % (self.name, len(self), len(self.columns))

    @overload
    def __getitem__(self, index: int) -> Tuple[Any, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> List[Tuple[Any, ...]]: ...
    @overload
    def __getitem__(self, index: str) -> List[Any]: ...

    def __getitem__(self, index: Union[int, slice, str]) -> Any:
        if isinstance(index, str):
            return self.column(index)
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self._row(*[values[index] for values in self._columns()])

    def __iter__(self) -> Iterator[Tuple[Any, ...]]:
        return map(self._row._make, zip(*self._columns()))

    def column(self, name: str) -> List[Any]:
        """The values of a column. KeyError where there is none of the name."""
        for column, values in zip(self.columns, self._columns()):
            if column.name == name:
                return values
        raise KeyError("table '%s' has no column '%s'; it has %s" % (
            self.name, name, ', '.join(column.name for column in self.columns)))

    def rows(self) -> List[Tuple[Any, ...]]:
        """All rows, as named tuples."""
        return list(self)

    def to_dict(self) -> Dict[str, List[Any]]:
        """The values of each column by its name."""
        return {column.name: list(values) for column, values in zip(self.columns, self._columns())}

    def sort(self, column: str, descending: bool = False) -> 'Table':
        """Sorts the rows stably by a column, values that are not there last. Returns the table."""
        call('tk_result_sort', self._result, self._number, encoded(column), descending)
        self._values = None
        return self

    def top(self, n: int) -> 'Table':
        """Keeps the first n rows. Returns the table."""
        if n < 0:
            raise ValueError('a number of rows below 0')
        LIBRARY.tk_result_top(self._result, self._number, n)
        self._values = None
        return self

    def __arrow_c_schema__(self) -> object:
        """The schema as a capsule."""
        stream = _arrow.stream_of(self._result, self._number, 0)
        try:
            return _arrow.capsule(_arrow.take(stream, 'get_schema', _arrow.Schema()))
        finally:
            _arrow.release(stream)

    def __arrow_c_array__(self, requested_schema: object = None) -> Tuple[object, object]:
        """All rows as one array of structs: capsules of its schema and of itself. No other schema can be had."""
        stream = _arrow.stream_of(self._result, self._number, 0)
        try:
            schema = _arrow.capsule(_arrow.take(stream, 'get_schema', _arrow.Schema()))
            return schema, _arrow.capsule(_arrow.take(stream, 'get_next', _arrow.Array()))
        finally:
            _arrow.release(stream)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """All rows as a stream of batches, in a capsule. No other schema can be had."""
        return _arrow.capsule(_arrow.stream_of(self._result, self._number, 65536))
