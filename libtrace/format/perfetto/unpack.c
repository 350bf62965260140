/*
 * Unpacking of packets; see unpack.h.
 */
#include "format/perfetto/unpack.h"

#include "base/vec.h"
#include "io/decompress.h"

#define MOST_BYTES (UINT64_C(64) << 20)

enum { FIRST_BYTES = 65536 };

static enum tk_pf_unpacked run(const struct tk_decompressor *d, void *state, struct tk_bytes packed,
                               uint64_t most, uint8_t **buf, size_t *cap, size_t *n)
{
    struct tk_decompress_io io = {.in = packed.p, .in_n = packed.n};
    const char *why;
    for (;;) {
        if (*n == *cap && *n >= most)
            return TK_PF_UNPACK_TOO_LARGE;
        if (*n == *cap && tk_vec_grow((void **)buf, cap, *cap ? *cap * 2 : FIRST_BYTES, 1))
            return TK_PF_UNPACK_NO_MEMORY;
        io.out = *buf + *n;
        io.out_n = *cap - *n;
        size_t room = io.out_n, left = io.in_n;
        enum tk_decompress_state s = d->step(state, &io, &why);
        *n += room - io.out_n;
        if (s == TK_UNPACK_NO_MEMORY)
            return TK_PF_UNPACK_NO_MEMORY;
        if (s == TK_UNPACK_BETWEEN)
            return TK_PF_UNPACKED;
        if (s == TK_UNPACK_BROKEN || (io.in_n == left && io.out_n == room))
            return TK_PF_UNPACK_BROKEN;
    }
}

enum tk_pf_unpacked tk_pf_unpack(struct tk_bytes packed, bool zstd, uint64_t most, uint8_t **buf, size_t *cap,
                                 struct tk_bytes *out)
{
    const struct tk_decompressor *d = zstd ? &tk_decompress_zstd : &tk_decompress_zlib;
    void *state = d->open();
    size_t n = 0;
    *out = (struct tk_bytes){(const uint8_t *)"", 0};
    if (!state)
        return TK_PF_UNPACK_NO_MEMORY;
    enum tk_pf_unpacked unpacked = run(d, state, packed, most < MOST_BYTES ? most : MOST_BYTES, buf, cap, &n);
    d->close(state);
    if (n)
        *out = (struct tk_bytes){*buf, n};
    return unpacked;
}
