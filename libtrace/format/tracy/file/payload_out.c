/*
 * Cuts the payload into blocks (tracy-file 1, 3). The records of sections stand on it.
 */
#include "format/tracy/file/sections_out.h"

#include <string.h>

static void fail(struct tk_tracy_writer *w, int rc)
{
    if (w->rc == TK_OK)
        w->rc = rc;
}

void tk_tracy_writer_open(struct tk_tracy_writer *w, uint32_t version, const struct tk_tracy_packing *packing,
                          tk_tracy_write_fn *write, void *ctx, struct tk_err *err)
{
    memset(w, 0, sizeof *w);
    w->version = version;
    w->layout = tk_tracy_layout_of(version);
    w->err = err;
    fail(w, tk_tracy_packer_open(&w->packer, packing, write, ctx, err));
    if (w->rc == TK_OK)
        w->block = tk_tracy_packer_space(&w->packer);
}

static void end_block(struct tk_tracy_writer *w)
{
    fail(w, tk_tracy_packer_block(&w->packer, w->n, w->err));
    w->total += w->n;
    w->n = 0;
    if (w->rc == TK_OK)
        w->block = tk_tracy_packer_space(&w->packer);
}

int tk_tracy_writer_close(struct tk_tracy_writer *w)
{
    if (w->rc == TK_OK && w->n)
        end_block(w);
    if (w->rc == TK_OK)
        fail(w, tk_tracy_packer_flush(&w->packer, w->err));
    tk_tracy_packer_close(&w->packer);
    return w->rc;
}

void tk_tracy_put_bytes(struct tk_tracy_writer *w, const void *p, size_t n)
{
    const uint8_t *bytes = p;
    while (n && w->rc == TK_OK) {
        const size_t capacity = TK_TRACY_BLOCK - w->n, now = n < capacity ? n : capacity;
        memcpy(w->block + w->n, bytes, now);
        w->n += now;
        bytes += now;
        n -= now;
        if (w->n == TK_TRACY_BLOCK)
            end_block(w);
    }
}

void tk_tracy_put_across(struct tk_tracy_writer *w, uint64_t value, unsigned bytes)
{
    uint8_t v[8];
    for (unsigned i = 0; i < sizeof v; i++)
        v[i] = (uint8_t)(value >> (8 * i));
    tk_tracy_put_bytes(w, v, bytes);
}

void tk_tracy_put_text(struct tk_tracy_writer *w, const void *p, size_t n)
{
    tk_tracy_put(w, n, 8);
    tk_tracy_put_bytes(w, p, n);
}
