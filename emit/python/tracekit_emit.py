"""Writes performance captures of a Python program: with scope('load'): ..., @traced, counter(), log(). See tracekit_emit(3)."""

import contextlib
import ctypes as c
import functools
import os

_lib = c.CDLL(os.environ.get('TRACEKIT_EMIT_LIBRARY', 'libtracekit_emit.so.1'))
stop, frame_begin, frame_end = _lib.tke_stop, _lib.tke_frame_begin, _lib.tke_frame_end
_Options = type('_Options', (c.Structure,), {'_fields_': [('size', c.c_uint32), ('target', c.c_char_p), ('channels', c.c_char_p)]})
_Counter = type('_Counter', (c.Structure,), {'_fields_': [('id', c.c_uint32), ('type', c.c_uint8), ('hint', c.c_uint8), ('name', c.c_char_p)]})
_name = functools.lru_cache(None)(lambda name: _lib.tke_name(name.encode(), c.c_size_t(len(name.encode()))))
_counter = functools.lru_cache(None)(lambda name: _Counter(0, 1, 0, name.encode()))


def start(path=None, channels=None):        # without a path TRACEKIT_EMIT says whether and where; other options are as default
    options = _Options(c.sizeof(_Options), path and os.fsencode(path), channels and channels.encode())
    if error := _lib.tke_start(c.byref(options)):
        raise OSError(error, os.strerror(error), path)


@contextlib.contextmanager
def scope(name):
    _lib.tke_begin(_name(name))
    try:
        yield
    finally:
        _lib.tke_end()


def traced(function):
    return scope(function.__qualname__)(function)


def thread_name(name, group=None, sort_hint=0):
    _lib.tke_thread_name(name.encode(), group and group.encode(), sort_hint)


def counter(name, value):
    _lib.tke_counter_set_real(c.byref(_counter(name)), c.c_double(value))


def log(category, text, verbosity=5):
    _lib.tke_log_text(category.encode(), verbosity, text.encode(), c.c_size_t(len(text.encode())))
