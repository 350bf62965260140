/*
 * Walks over the file of a capture; see capture.h.
 */
#include "format/events/capture.h"

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
    if (!c->texts_beyond_told)
        tk_health_left_out(&c->ctx->health, &c->interned.left_out);
    c->texts_beyond_told |= any;
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
