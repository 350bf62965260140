/*
 * Windows over input files: the bytes around a position. They come from a mapped view (os/map.h) or from a
 * buffer.
 */
#include "io/window.h"

#include "io/file_internal.h"
#include "os/map.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 256 << 10 };

static const uint8_t nothing[1];

int tk_window_open(struct tk_window **out, const struct tk_file *f, bool map, struct tk_err *err)
{
    *out = NULL;
    struct tk_window *w = calloc(1, sizeof *w);
    if (!w)
        return tk_err_nomem(err, "a window over a file");
    w->bytes = nothing;
    w->file = f;
    w->view = map && f->os ? tk_os_map_open(f->os, f->size) : NULL;
    *out = w;
    return TK_OK;
}

static void set_sight(struct tk_window *w, const uint8_t *bytes, uint64_t start, uint64_t have)
{
    uint64_t left = w->file->size - start;
    w->bytes = bytes;
    w->start = start;
    w->have = (size_t)(left < have ? left : have);
}

void tk_window_show(struct tk_window *w, uint64_t offset)
{
    uint64_t start = offset & ~(TK_OS_MAP_ALIGN - 1);
    if (w->have)
        tk_os_map_leave(w->view, w->start, w->have);
    set_sight(w, tk_os_map_bytes(w->view) + start, start, TK_WINDOW_VIEW);
}

static int fill_buffer(struct tk_window *w, uint64_t offset, struct tk_err *err)
{
    if (!w->buffer && !(w->buffer = malloc(BUFFER_BYTES)))
        return tk_err_nomem(err, "a window over a file");
    size_t got;
    w->have = 0;
    int rc = tk_file_read(w->file, offset, w->buffer, BUFFER_BYTES, &got, err);
    if (rc != TK_OK)
        return rc;
    set_sight(w, w->buffer, offset, BUFFER_BYTES);
    if (got < w->have) {
        w->shrank = true;
        memset(w->buffer + got, 0, w->have - got);
    }
    return TK_OK;
}

const uint8_t *tk_window_move(struct tk_window *w, uint64_t offset, size_t n, size_t *got, struct tk_err *err)
{
    uint64_t size = w->file->size;
    *got = 0;
    if (offset >= size)
        return nothing;
    if (n > TK_WINDOW_MOST)
        n = TK_WINDOW_MOST;
    if (n > size - offset)
        n = (size_t)(size - offset);
    uint64_t skip = offset - w->start;
    if (skip > w->have || n > w->have - skip) {
        if (w->view)
            tk_window_show(w, offset);
        else if (fill_buffer(w, offset, err) != TK_OK)
            return NULL;
    }
    *got = n;
    return w->bytes + (offset - w->start);
}

bool tk_window_shrank(const struct tk_window *w)
{
    if (w->shrank || (w->view && tk_os_map_faulted(w->view)))
        return true;
    /* The rest of a file's last page reads as zeros without a fault. */
    struct tk_os_info info;
    return w->file->os && tk_os_file_info(w->file->os, &info).error == TK_OS_OK && info.size < w->file->size;
}

void tk_window_close(struct tk_window *w)
{
    if (!w)
        return;
    tk_os_map_close(w->view);
    free(w->buffer);
    free(w);
}
