/*
 * Walks over the file of a capture.
 */
#include "format/events/capture.h"
#include "format/events/window.h"

#include <stdlib.h>
#include <string.h>

/*
 * The window over a text.
 */

enum { FIRST_BYTES = 1 << 20 };

static int open_buffer(struct tk_ev_window *w, size_t cap, struct tk_err *err)
{
    w->cap = cap;
    w->buf = w->own = malloc(cap);
    return w->own ? TK_OK : tk_err_nomem(err, "a piece of the file");
}

int tk_ev_window_open(struct tk_ev_window *w, const struct tk_file *f, uint64_t most, bool map,
                      struct tk_err *err)
{
    static const uint8_t nothing[1]; /* before the first bytes are there: a place to count from */
    *w = (struct tk_ev_window){.file = f, .buf = nothing};
    w->most = most < FIRST_BYTES ? FIRST_BYTES : most > SIZE_MAX / 4 ? SIZE_MAX / 4 : (size_t)most;
    int rc = map ? tk_window_open(&w->map, f, true, err) : TK_OK;
    if (rc != TK_OK || (w->map && w->map->view))
        return rc;
    tk_window_close(w->map);
    w->map = NULL;
    return open_buffer(w, FIRST_BYTES, err);
}

void tk_ev_window_rewind(struct tk_ev_window *w)
{
    w->start = 0;
    w->n = w->at = 0;
    w->end = false;
}

static int reserve(struct tk_ev_window *w, struct tk_err *err)
{
    if (w->at) {
        memmove(w->own, w->own + w->at, w->n - w->at);
        w->start += w->at;
        w->n -= w->at;
        w->at = 0;
    }
    if (w->n <= w->cap / 2)
        return TK_OK;
    if (w->cap >= w->most)
        return w->n < w->cap ? TK_OK : TK_ELIMIT;
    size_t cap = w->cap <= w->most / 2 ? w->cap * 2 : w->most;
    uint8_t *buf = realloc(w->own, cap);
    if (!buf)
        return tk_err_nomem(err, "a piece of the file");
    w->buf = w->own = buf;
    w->cap = cap;
    return TK_OK;
}

/* What is left of a piece that no part of the map has space for goes to a buffer. */
static int leave_map(struct tk_ev_window *w, struct tk_err *err)
{
    const uint8_t *rest = w->buf + w->at;
    const size_t n = w->n - w->at, cap = w->most < 4 * TK_WINDOW_VIEW ? w->most : 4 * TK_WINDOW_VIEW;
    int rc = open_buffer(w, cap, err);
    if (rc == TK_OK)
        memcpy(w->own, rest, n);
    w->start += w->at;
    w->at = 0;
    w->n = n;
    tk_window_close(w->map);
    w->map = NULL;
    return rc;
}

static int show_more(struct tk_ev_window *w)
{
    const uint64_t offset = w->start + w->at;
    if (w->start + w->n >= tk_file_size(w->file)) {
        w->end = true;
        return TK_OK;
    }
    if (w->n - w->at >= w->most)
        return TK_ELIMIT;
    tk_window_show(w->map, offset);
    const size_t before = (size_t)(offset - w->map->start), have = w->map->have - before;
    w->buf = w->map->bytes + before;
    w->start = offset;
    w->at = 0;
    w->n = have < w->most ? have : w->most;
    return TK_ITEM;
}

int tk_ev_window_more(struct tk_ev_window *w, struct tk_err *err)
{
    size_t got = 0;
    int rc = TK_OK;
    if (w->end)
        return TK_OK;
    if (w->map && w->n - w->at < TK_WINDOW_VIEW / 2)
        return show_more(w);
    if (w->map)
        rc = w->n - w->at >= w->most ? TK_ELIMIT : leave_map(w, err);
    if (rc == TK_OK)
        rc = reserve(w, err);
    if (rc != TK_OK)
        return rc;
    rc = tk_file_read(w->file, w->start + w->n, w->own + w->n, w->cap - w->n, &got, err);
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
    tk_window_close(w->map);
    free(w->own);
    w->map = NULL;
    w->own = NULL;
    w->buf = NULL;
}

static void begin_pass(struct tk_ev_capture *c, enum tk_ev_pass pass)
{
    c->pass = pass;
    for (size_t i = 0; i < c->threads.n; i++)
        c->threads.v[i]->order = 0;
    c->regions_seen = 0;
}

void tk_ev_capture_tell_texts(struct tk_ev_capture *c)
{
    const bool any = c->interned.left_out > 0;
    if (!c->texts_beyond_reported)
        tk_health_left_out(&c->ctx->health, &c->interned.left_out);
    c->texts_beyond_reported |= any;
}

int tk_ev_walk(struct tk_ev_capture *c, enum tk_ev_pass pass, struct tk_err *err)
{
    void *state = NULL;
    begin_pass(c, pass);
    int rc = c->decoder->open(c, &state, err);
    if (rc == TK_OK)
        rc = TK_ITEM;
    while (rc == TK_ITEM) {
        rc = c->decoder->step(state, err);
        if (rc >= 0) {
            int spilled = tk_ev_capture_spill(c, err);
            rc = spilled < 0 ? spilled : rc;
        }
    }
    if (state)
        c->decoder->close(state);
    tk_ev_capture_tell_texts(c);
    return rc;
}

static void drop_texts(struct tk_ev_capture *c)
{
    for (size_t i = 0; i < c->threads.n; i++)
        tk_vec_release(&c->threads.v[i]->texts);
}

int tk_ev_capture_read_texts(struct tk_ev_capture *c, struct tk_err *err)
{
    if (c->texts_read)
        return TK_OK;
    const int rc = tk_ev_walk(c, TK_EV_TEXTS, err);
    c->texts_read = rc == TK_OK;
    if (!c->texts_read)
        drop_texts(c);
    return rc;
}

int tk_ev_capture_find_places(struct tk_ev_capture *c, struct tk_err *err)
{
    if (!c->places_sought)
        return TK_OK;
    const int rc = tk_ev_walk(c, TK_EV_PLACES, err);
    c->places_sought = rc != TK_OK;
    return rc;
}
