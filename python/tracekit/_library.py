"""The shared library: where it is, which functions of it are used, and how their failures become exceptions.

The declarations in FUNCTIONS are those of tracekit.h; a test of Tracekit makes them from the header and compares.
"""

import ctypes
import ctypes.util
import os
import pathlib
from ctypes import (CFUNCTYPE, POINTER, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_uint32, c_uint64,
                    c_void_p)

VERSION = (0, 2, 0)  # of the header that FUNCTIONS is from

READ = CFUNCTYPE(c_int, c_void_p, c_uint64, c_void_p, c_size_t, POINTER(c_size_t))

# name: what it returns, what it takes. All structs are opaque.
FUNCTIONS = {
    'tk_version': (c_char_p, []),
    'tk_version_number': (c_uint32, []),
    'tk_err_new': (c_void_p, []),
    'tk_err_free': (None, [c_void_p]),
    'tk_err_text': (c_char_p, [c_void_p, c_int]),
    'tk_err_count': (c_size_t, [c_void_p]),
    'tk_err_cause': (c_char_p, [c_void_p, c_size_t]),
    'tk_options_new': (c_int, [POINTER(c_void_p), c_void_p]),
    'tk_options_set': (c_int, [c_void_p, c_char_p, c_int64, c_void_p]),
    'tk_options_text': (c_int, [c_void_p, c_char_p, c_char_p, c_void_p]),
    'tk_options_add': (c_int, [c_void_p, c_char_p, c_char_p, c_void_p]),
    'tk_options_free': (None, [c_void_p]),
    'tk_open': (c_int, [POINTER(c_void_p), c_char_p, c_void_p, c_void_p]),
    'tk_open_memory': (c_int, [POINTER(c_void_p), c_void_p, c_size_t, c_void_p, c_void_p]),
    'tk_open_descriptor': (c_int, [POINTER(c_void_p), c_int, c_void_p, c_void_p]),
    'tk_open_reader': (c_int, [POINTER(c_void_p), READ, c_void_p, c_uint64, c_void_p, c_void_p]),
    'tk_close': (None, [c_void_p]),
    'tk_damaged': (c_bool, [c_void_p]),
    'tk_partial': (c_bool, [c_void_p]),
    'tk_lossy': (c_bool, [c_void_p]),
    'tk_truncated': (c_bool, [c_void_p]),
    'tk_empty': (c_bool, [c_void_p]),
    'tk_has_table': (c_bool, [c_void_p, c_char_p]),
    'tk_tables': (POINTER(c_void_p), [POINTER(c_size_t)]),
    'tk_table_name': (c_char_p, [c_void_p]),
    'tk_table_help': (c_char_p, [c_void_p]),
    'tk_table_unit': (c_int, [c_void_p]),
    'tk_table_width': (c_size_t, [c_void_p]),
    'tk_column_name': (c_char_p, [c_void_p, c_size_t]),
    'tk_column_kind': (c_int, [c_void_p, c_size_t]),
    'tk_column_flags': (c_uint, [c_void_p, c_size_t]),
    'tk_column_unit': (c_char_p, [c_void_p, c_size_t]),
    'tk_column_help': (c_char_p, [c_void_p, c_size_t]),
    'tk_query_new': (c_int, [POINTER(c_void_p), c_void_p]),
    'tk_query_set': (c_int, [c_void_p, c_char_p, c_int64, c_void_p]),
    'tk_query_real': (c_int, [c_void_p, c_char_p, c_double, c_void_p]),
    'tk_query_text': (c_int, [c_void_p, c_char_p, c_char_p, c_void_p]),
    'tk_query_add': (c_int, [c_void_p, c_char_p, c_char_p, c_void_p]),
    'tk_query_free': (None, [c_void_p]),
    'tk_sql_new': (c_int, [POINTER(c_void_p), c_void_p, c_void_p]),
    'tk_sql_add': (c_int, [c_void_p, c_char_p, c_char_p, c_void_p]),
    'tk_sql_result': (c_int, [POINTER(c_void_p), c_void_p, c_char_p, c_void_p]),
    'tk_sql_free': (None, [c_void_p]),
    'tk_export_file': (c_int, [c_void_p, c_void_p, c_char_p, c_char_p, c_bool, c_void_p]),
    'tk_output_open': (c_int, [POINTER(c_void_p), c_char_p, c_bool, c_void_p]),
    'tk_output_commit': (c_int, [c_void_p, c_void_p]),
    'tk_output_discard': (None, [c_void_p]),
    'tk_page_new': (c_int, [POINTER(c_void_p), c_void_p, c_void_p]),
    'tk_page_add': (c_int, [c_void_p, c_void_p, c_void_p, c_char_p, c_void_p]),
    'tk_page_write': (c_int, [c_void_p, c_void_p, c_void_p]),
    'tk_page_free': (None, [c_void_p]),
    'tk_baseline_new': (c_int, [POINTER(c_void_p), c_void_p]),
    'tk_baseline_is': (c_int, [c_char_p]),
    'tk_baseline_load': (c_int, [c_void_p, c_char_p, c_void_p]),
    'tk_baseline_add': (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    'tk_baseline_free': (None, [c_void_p]),
    'tk_compare': (c_int, [POINTER(c_void_p), c_void_p, c_void_p, c_void_p, c_void_p]),
    'tk_comparison_regressed': (c_bool, [c_void_p]),
    'tk_comparison_inconclusive': (c_bool, [c_void_p]),
    'tk_comparison_comparable': (c_bool, [c_void_p]),
    'tk_comparison_result': (c_int, [POINTER(c_void_p), c_void_p, c_void_p]),
    'tk_comparison_report': (c_int, [c_void_p, c_char_p, c_void_p, c_void_p, c_void_p]),
    'tk_comparison_free': (None, [c_void_p]),
    'tk_result_query': (c_int, [POINTER(c_void_p), c_void_p, c_void_p, c_void_p]),
    'tk_result_count': (c_size_t, [c_void_p]),
    'tk_result_table': (c_void_p, [c_void_p, c_size_t, POINTER(c_size_t)]),
    'tk_result_sort': (c_int, [c_void_p, c_size_t, c_char_p, c_bool, c_void_p]),
    'tk_result_top': (None, [c_void_p, c_size_t, c_size_t]),
    'tk_result_free': (None, [c_void_p]),
    'tk_result_columns': (c_int, [c_void_p, c_size_t, c_size_t, c_void_p, c_void_p]),
}

# enum tk_status, enum tk_kind and TK_BY_... of the header, without their prefixes
STATUS = {'EUSAGE': -1, 'EMATCH': -2, 'EIO': -3, 'EFORMAT': -4, 'EOUTPUT': -5, 'EPIPE': -6, 'ENOMEM': -7, 'ELIMIT': -8,
          'EDAMAGE': -9, 'ECANCELED': -10, 'EUNKNOWN': -11}
KINDS = ('none', 'bool', 'int', 'uint', 'hex', 'real32', 'real', 'time', 'duration', 'mean', 'size', 'text', 'bytes', 'array',
         'list', 'record')
BY = {'thread': 1, 'tag': 2, 'heap': 4, 'callstack': 8, 'size': 16, 'asset': 32, 'class': 64, 'file': 128, 'region': 256,
      'frame_type': 512, 'label': 1024, 'function': 2048, 'module': 4096, 'source': 8192, 'human': 0x40000000,
      'extra': 0x80000000}


class Error(Exception):
    """A failure of the library.

    status: the number of tracekit.h, causes: what went wrong, the outermost first; path: the file that it is about, or None.
    """

    def __init__(self, status: int, causes: 'tuple[str, ...]', path: 'str | None' = None):
        super().__init__(causes[0])
        self.status = status
        self.causes = causes
        self.path = path

    def __str__(self) -> str:
        return self.causes[0] if self.path is None else "'%s': %s" % (self.path, self.causes[0])


class UsageError(Error, ValueError):
    """The request makes no sense."""


class MatchError(Error, LookupError):
    """A table, column, field or filter matches nothing."""


class ReadError(Error, OSError):
    """The input cannot be read."""


class FormatError(Error, ValueError):
    """The input is no capture, or one that cannot be read at all."""


class LimitError(Error):
    """A named limit does not allow it."""


class DamageError(Error):
    """The capture is damaged, and was opened with strict=True."""


CLASSES = {'EUSAGE': UsageError, 'EMATCH': MatchError, 'EIO': ReadError, 'EFORMAT': FormatError, 'ELIMIT': LimitError,
           'EDAMAGE': DamageError}
CLASS_OF = {STATUS[name]: kind for name, kind in CLASSES.items()}


def candidates():
    """Where the library may be, the first that is there counts."""
    chosen = os.environ.get('TRACEKIT_LIBRARY')
    if chosen:
        return [chosen]
    inside = sorted(str(path) for pattern in ('libtracekit.so*', 'libtracekit*.dylib', 'tracekit*.dll')
                    for path in pathlib.Path(__file__).parent.glob(pattern))
    found = ctypes.util.find_library('tracekit')
    return inside + ([found] if found else []) + ['libtracekit.so.%d.%d' % VERSION[:2]]


def fits(number: int) -> bool:
    """Can a library of this version be used? Before 1.0 each MINOR is different."""
    major, minor = number // 1000000, number // 1000 % 1000
    return (major, minor) == VERSION[:2] if major == 0 else major == VERSION[0] and minor >= VERSION[1]


def load() -> ctypes.CDLL:
    failures = []
    for name in candidates():
        try:
            library = ctypes.CDLL(name)
            library.tk_version_number.restype = c_uint32
            number = library.tk_version_number()
        except (OSError, AttributeError) as failure:
            failures.append(str(failure))
            continue
        if not fits(number):
            raise ImportError('%s is libtracekit %d.%d.%d, and this package is for %d.%d' % (
                name, number // 1000000, number // 1000 % 1000, number % 1000, *VERSION[:2]))
        for function, (result, arguments) in FUNCTIONS.items():
            if not hasattr(library, function):  # a wing that the build has left out
                continue
            getattr(library, function).restype = result
            getattr(library, function).argtypes = arguments
        return library
    raise ImportError('libtracekit is not found (TRACEKIT_LIBRARY says where it is): ' + '; '.join(failures))


LIBRARY = load()


def text(value: 'bytes | None') -> str:
    return (value or b'').decode('utf-8', 'replace')


def encoded(value: str) -> bytes:
    """A text for the library; a file name that is not UTF-8 keeps its bytes."""
    data = os.fsencode(value) if os.sep == '/' else value.encode('utf-8')
    if b'\0' in data:
        raise ValueError('a text with a NUL in it')
    return data


def call(name: str, *arguments) -> int:
    """Calls a function whose last argument is a struct tk_err, and raises what it says."""
    err = LIBRARY.tk_err_new()
    if not err:
        raise MemoryError('out of memory for an error')
    try:
        status = getattr(LIBRARY, name)(*arguments, err)
        if status >= 0:
            return status
        causes = [text(LIBRARY.tk_err_cause(err, i)) for i in range(LIBRARY.tk_err_count(err))]
        causes = tuple(reversed(causes)) or (text(LIBRARY.tk_err_text(err, status)),)
    finally:
        LIBRARY.tk_err_free(err)
    if status == STATUS['ENOMEM']:
        raise MemoryError(causes[0])
    raise CLASS_OF.get(status, Error)(status, causes)


class About:
    """Failures inside of the block are about a file, which they name."""

    def __init__(self, path: 'str | None'):
        self.path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind, failure, _trace) -> None:
        if isinstance(failure, Error) and failure.path is None:
            failure.path = self.path


def make(name: str, *arguments) -> int:
    """Calls a function that makes something, and gives its address."""
    out = c_void_p()
    call(name, ctypes.byref(out), *arguments)
    return out.value
