"""LZ4 blocks and zstd streams, by the libraries that any machine with Tracekit has."""

import ctypes
import ctypes.util

BLOCK = 65536


def _library(name, version):
    return ctypes.CDLL(ctypes.util.find_library(name) or 'lib%s.so.%d' % (name, version))


_lz4, _zstd = _library('lz4', 1), _library('zstd', 1)
for _name in ('ZSTD_createDStream', 'ZSTD_createCStream'):
    getattr(_zstd, _name).restype = ctypes.c_void_p
for _name in ('ZSTD_decompressStream', 'ZSTD_compressStream2', 'ZSTD_CCtx_setParameter'):
    getattr(_zstd, _name).restype = ctypes.c_size_t
_zstd.ZSTD_compressStream2.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int]
_zstd.ZSTD_decompressStream.argtypes = [ctypes.c_void_p] * 3
_zstd.ZSTD_CCtx_setParameter.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
_zstd.ZSTD_freeDStream.argtypes = _zstd.ZSTD_freeCStream.argtypes = [ctypes.c_void_p]
LEVEL, FLUSH = 100, 1                                   # ZSTD_c_compressionLevel, ZSTD_e_flush


class BlockError(Exception):
    """A block does not unpack to what it should."""


class _Buffer(ctypes.Structure):
    _fields_ = [('data', ctypes.c_void_p), ('size', ctypes.c_size_t), ('at', ctypes.c_size_t)]

    @classmethod
    def over(cls, memory, size):
        return cls(ctypes.cast(memory, ctypes.c_void_p), size, 0)


def lz4_unpack(block, size, before=b''):
    """A block of at most `size` bytes; `before` is what it may refer back to."""
    out = ctypes.create_string_buffer(size + 1)
    n = _lz4.LZ4_decompress_safe_usingDict(block, out, len(block), size, before, len(before))
    if n < 0:
        raise BlockError('a broken LZ4 block of %d bytes' % len(block))
    return out.raw[:n]


def lz4_pack(data):
    """An independent block."""
    out = ctypes.create_string_buffer(len(data) + len(data) // 255 + 16)
    n = _lz4.LZ4_compress_default(data, out, len(data), len(out))
    return out.raw[:n]


class ZstdReader:
    """One stream: each call unpacks one block."""

    def __init__(self):
        self.stream = ctypes.c_void_p(_zstd.ZSTD_createDStream())

    def __call__(self, block):
        out = ctypes.create_string_buffer(BLOCK)
        source, target = _Buffer.over(block, len(block)), _Buffer.over(out, BLOCK)
        left = -1
        while source.at < source.size and target.at < BLOCK and left != (source.at, target.at):
            left = (source.at, target.at)
            if _zstd.ZSTD_isError(ctypes.c_size_t(_zstd.ZSTD_decompressStream(self.stream, ctypes.byref(target),
                                                                             ctypes.byref(source)))):
                raise BlockError('a broken zstd block of %d bytes' % len(block))
        if source.at < source.size:
            raise BlockError('a zstd block goes on behind its end')
        return out.raw[:target.at]

    def __del__(self):
        _zstd.ZSTD_freeDStream(self.stream)


def zstd_unpack(data):
    """A whole frame."""
    stream, out, target = ZstdReader(), [], ctypes.create_string_buffer(BLOCK)
    source, left = _Buffer.over(data, len(data)), 1
    while left:
        piece, before = _Buffer.over(target, BLOCK), source.at
        left = _zstd.ZSTD_decompressStream(stream.stream, ctypes.byref(piece), ctypes.byref(source))
        if _zstd.ZSTD_isError(ctypes.c_size_t(left)) or not piece.at and before == source.at:
            raise BlockError('a broken zstd frame')
        out.append(target.raw[:piece.at])
    return b''.join(out)


class ZstdWriter:
    """One stream: each call packs one block; the frame is never ended."""

    def __init__(self, level):
        self.stream = ctypes.c_void_p(_zstd.ZSTD_createCStream())
        _zstd.ZSTD_CCtx_setParameter(self.stream, LEVEL, level)

    def __call__(self, data):
        out = ctypes.create_string_buffer(len(data) + 2048)
        source, target = _Buffer.over(data, len(data)), _Buffer.over(out, len(out))
        left = _zstd.ZSTD_compressStream2(self.stream, ctypes.byref(target), ctypes.byref(source), FLUSH)
        if left:
            raise BlockError('zstd has %d bytes left' % left)
        return out.raw[:target.at]

    def __del__(self):
        _zstd.ZSTD_freeCStream(self.stream)
