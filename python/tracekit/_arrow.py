"""The C data interface of Apache Arrow: its structs, what is in their buffers, and capsules around them."""

import ctypes
import json
from ctypes import CFUNCTYPE, POINTER, PYFUNCTYPE, Structure, c_char_p, c_int, c_int64, c_void_p, py_object

from tracekit import _library


class Schema(Structure):
    pass


class Array(Structure):
    pass


class Stream(Structure):
    _fields_ = [('get_schema', c_void_p), ('get_next', c_void_p), ('get_last_error', c_void_p), ('release', c_void_p),
                ('private_data', c_void_p)]


Schema._fields_ = [('format', c_char_p), ('name', c_char_p), ('metadata', c_void_p), ('flags', c_int64),
                   ('n_children', c_int64), ('children', POINTER(POINTER(Schema))), ('dictionary', POINTER(Schema)),
                   ('release', c_void_p), ('private_data', c_void_p)]
Array._fields_ = [('length', c_int64), ('null_count', c_int64), ('offset', c_int64), ('n_buffers', c_int64),
                  ('n_children', c_int64), ('buffers', POINTER(c_void_p)), ('children', POINTER(POINTER(Array))),
                  ('dictionary', POINTER(Array)), ('release', c_void_p), ('private_data', c_void_p)]

RELEASE = CFUNCTYPE(None, c_void_p)
GET = CFUNCTYPE(c_int, c_void_p, c_void_p)

NUMBERS = {b'l': ctypes.c_int64, b'L': ctypes.c_uint64, b'f': ctypes.c_float, b'g': ctypes.c_double}
JSON_KINDS = ('array', 'list', 'record', 'none')


def release(struct) -> None:
    """Releases a struct that nobody has released or taken."""
    if struct.release:
        RELEASE(struct.release)(ctypes.addressof(struct))


def stream_of(result: int, number: int, batch_rows: int) -> Stream:
    """A table of a result, from 0, as a stream, to be released."""
    stream = Stream()
    _library.call('tk_result_columns', result, number, batch_rows, ctypes.byref(stream))
    return stream


def take(stream: Stream, getter: str, out):
    """What get_schema or get_next gives."""
    status = GET(getattr(stream, getter))(ctypes.addressof(stream), ctypes.addressof(out))
    if status:
        raise MemoryError('out of memory for the columns of a table')
    return out


def bits(address: int, n: int) -> 'list[bool]':
    data = ctypes.string_at(address, (n + 7) // 8)
    return [bool(data[i >> 3] >> (i & 7) & 1) for i in range(n)]


def pieces(array: Array) -> 'list[bytes]':
    """The values of a large text or large binary."""
    n = array.length
    offsets = (c_int64 * (n + 1)).from_address(array.buffers[1])[:]
    data = ctypes.string_at(array.buffers[2], offsets[n]) if offsets[n] else b''
    return [data[offsets[i]:offsets[i + 1]] for i in range(n)]


def values_of(form: bytes, array: Array) -> list:
    """The values of a column that has a format."""
    if form == b'b':
        return bits(array.buffers[1], array.length)
    if form == b'Z':
        return pieces(array)
    if form == b'U':
        return [piece.decode() for piece in pieces(array)]
    if form == b'i':    # texts, each once; a null has the number of one, if there is any
        texts = values_of(b'U', array.dictionary.contents) or [None]
        return [texts[number] for number in (ctypes.c_int32 * array.length).from_address(array.buffers[1])]
    return (NUMBERS[form] * array.length).from_address(array.buffers[1])[:]


def column(form: bytes, kind: str, array: Array) -> list:
    """The values of a column as Python has them; None where there is none."""
    if array.length == 0:
        return []
    values = values_of(form, array)
    valid = bits(array.buffers[0], array.length) if array.null_count else [True] * array.length
    if kind in JSON_KINDS:
        return [json.loads(value) if there else None for value, there in zip(values, valid)]
    if array.null_count:
        return [value if there else None for value, there in zip(values, valid)]
    return values


def columns(result: int, number: int, kinds: 'list[str]') -> 'list[list]':
    """All columns of a table of a result."""
    stream, schema, array = stream_of(result, number, 0), Schema(), Array()
    try:
        take(stream, 'get_schema', schema)
        take(stream, 'get_next', array)
        return [column(schema.children[i].contents.format, kind, array.children[i].contents)
                for i, kind in enumerate(kinds)]
    finally:
        for struct in (array, schema, stream):
            release(struct)


# ---- capsules ----

KEPT = {}  # address -> struct that a capsule holds

capsule_new = PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(('PyCapsule_New', ctypes.pythonapi))
# Of a capsule that is going away: it must not be referred to once more, so its address alone is passed.
capsule_pointer = PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(('PyCapsule_GetPointer', ctypes.pythonapi))


def destructor(name: bytes):
    def destroy(capsule, kept=KEPT, free=release, pointer=capsule_pointer):
        struct = kept.pop(pointer(capsule, name), None)
        if struct is not None:
            free(struct)
    return PYFUNCTYPE(None, c_void_p)(destroy)


NAMES = {Schema: b'arrow_schema', Array: b'arrow_array', Stream: b'arrow_array_stream'}
DESTRUCTORS = {kind: destructor(name) for kind, name in NAMES.items()}


def capsule(struct) -> object:
    """A capsule of the protocol around a struct. Whoever takes the content out sets its `release` to NULL."""
    address = ctypes.addressof(struct)
    KEPT[address] = struct
    return capsule_new(address, NAMES[type(struct)], ctypes.cast(DESTRUCTORS[type(struct)], c_void_p))
