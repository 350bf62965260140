"""Writes performance captures of a Python program: with scope('load'): ..., @traced, counter(), log(). See tracekit_emit(3)."""

import contextlib
import ctypes
import functools
import os

_lib = ctypes.CDLL(os.environ.get('TRACEKIT_EMIT_LIBRARY', 'libtracekit_emit.so.1'))
_lib.tke_name.restype = ctypes.c_uint32
_lib.tke_counter_set_real.argtypes = [ctypes.c_void_p, ctypes.c_double]


class _Options(ctypes.Structure):
    _fields_ = [('size', ctypes.c_uint32), ('target', ctypes.c_char_p), ('channels', ctypes.c_char_p)]       # the rest is as default


class _Counter(ctypes.Structure):
    _fields_ = [('id', ctypes.c_uint32), ('type', ctypes.c_uint8), ('hint', ctypes.c_uint8), ('name', ctypes.c_char_p)]


@functools.lru_cache(None)
def _name(name):
    text = name.encode()
    return _lib.tke_name(text, ctypes.c_size_t(len(text)))


@functools.lru_cache(None)
def _counter(name):
    return _Counter(0, 1, 0, name.encode())


def start(path=None, channels=None):
    """Without a path the variable TRACEKIT_EMIT says whether and where."""
    options = _Options(ctypes.sizeof(_Options), path and os.fsencode(path), channels and channels.encode())
    error = _lib.tke_start(ctypes.byref(options))
    if error:
        raise OSError(error, os.strerror(error), path)


stop, frame_begin, frame_end = _lib.tke_stop, _lib.tke_frame_begin, _lib.tke_frame_end


@contextlib.contextmanager
def scope(name):
    _lib.tke_begin(_name(name))
    try:
        yield
    finally:
        _lib.tke_end()


def traced(function):
    name = _name(function.__qualname__)

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        _lib.tke_begin(name)
        try:
            return function(*args, **kwargs)
        finally:
            _lib.tke_end()
    return wrapper


def thread_name(name, group=None, sort_hint=0):
    _lib.tke_thread_name(name.encode(), group and group.encode(), sort_hint)


def counter(name, value):
    _lib.tke_counter_set_real(ctypes.byref(_counter(name)), value)


def log(category, text, verbosity=5):
    _lib.tke_log_text(category.encode(), verbosity, text.encode(), ctypes.c_size_t(len(text.encode())))
