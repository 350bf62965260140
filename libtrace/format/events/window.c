/*
 * The window over a text; see window.h.
 */
#include "format/events/window.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 1 << 20 };

int tk_ev_window_open(struct tk_ev_window *w, const struct tk_file *f, uint64_t most, struct tk_err *err)
{
    *w = (struct tk_ev_window){.file = f, .cap = FIRST_BYTES};
    w->most = most < FIRST_BYTES ? FIRST_BYTES : most > SIZE_MAX / 4 ? SIZE_MAX / 4 : (size_t)most;
    w->buf = malloc(w->cap);
    return w->buf ? TK_OK : tk_err_nomem(err, "a piece of the file");
}

static int make_room(struct tk_ev_window *w, struct tk_err *err)
{
    if (w->at) {
        memmove(w->buf, w->buf + w->at, w->n - w->at);
        w->start += w->at;
        w->n -= w->at;
        w->at = 0;
    }
    if (w->n <= w->cap / 2)
        return TK_OK;
    if (w->cap >= w->most)
        return w->n < w->cap ? TK_OK : TK_ELIMIT;
    size_t cap = w->cap <= w->most / 2 ? w->cap * 2 : w->most;
    uint8_t *buf = realloc(w->buf, cap);
    if (!buf)
        return tk_err_nomem(err, "a piece of the file");
    w->buf = buf;
    w->cap = cap;
    return TK_OK;
}

int tk_ev_window_more(struct tk_ev_window *w, struct tk_err *err)
{
    size_t got = 0;
    int rc = w->end ? TK_OK : make_room(w, err);
    if (rc != TK_OK || w->end)
        return rc;
    rc = tk_file_read(w->file, w->start + w->n, w->buf + w->n, w->cap - w->n, &got, err);
    if (rc != TK_OK)
        return rc;
    w->n += got;
    w->end = got == 0;
    return got ? TK_ITEM : TK_OK;
}

int tk_ev_window_fill(struct tk_ev_window *w, size_t n, struct tk_err *err)
{
    int rc = TK_ITEM;
    while (rc == TK_ITEM && w->n - w->at < n)
        rc = tk_ev_window_more(w, err);
    return rc;
}

void tk_ev_window_close(struct tk_ev_window *w)
{
    free(w->buf);
    w->buf = NULL;
}
