"""Writes performance captures of a Python program: with scope('load'): ..., @traced, counter(), log(). See tracekit_emit(3)."""

import contextlib
import ctypes
import functools
import os

_lib = ctypes.CDLL(os.environ.get('TRACEKIT_EMIT_LIBRARY', 'libtracekit_emit.so.1'))
_lib.tke_name.restype = ctypes.c_uint32
_lib.tke_counter_set_real.argtypes = [ctypes.c_void_p, ctypes.c_double]
stop, frame_begin, frame_end = _lib.tke_stop, _lib.tke_frame_begin, _lib.tke_frame_end


class _Options(ctypes.Structure):
    _fields_ = [('size', ctypes.c_uint32), ('target', ctypes.c_char_p), ('channels', ctypes.c_char_p)]       # the rest is as default


class _Counter(ctypes.Structure):
    _fields_ = [('id', ctypes.c_uint32), ('type', ctypes.c_uint8), ('hint', ctypes.c_uint8), ('name', ctypes.c_char_p)]


_name = functools.lru_cache(None)(lambda name: _lib.tke_name(name.encode(), ctypes.c_size_t(len(name.encode()))))
_counter = functools.lru_cache(None)(lambda name: _Counter(0, 1, 0, name.encode()))


def start(path=None, channels=None):
    """Without a path the variable TRACEKIT_EMIT says whether and where."""
    options = _Options(ctypes.sizeof(_Options), path and os.fsencode(path), channels and channels.encode())
    error = _lib.tke_start(ctypes.byref(options))
    if error:
        raise OSError(error, os.strerror(error), path)


class scope(contextlib.ContextDecorator):
    def __init__(self, name):
        self.name = _name(name)

    def __enter__(self):
        _lib.tke_begin(self.name)

    def __exit__(self, *error):
        _lib.tke_end()


def traced(function):
    return scope(function.__qualname__)(function)


def thread_name(name, group=None, sort_hint=0):
    _lib.tke_thread_name(name.encode(), group and group.encode(), sort_hint)


def counter(name, value):
    _lib.tke_counter_set_real(ctypes.byref(_counter(name)), value)


def log(category, text, verbosity=5):
    _lib.tke_log_text(category.encode(), verbosity, text.encode(), ctypes.c_size_t(len(text.encode())))
