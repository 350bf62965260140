/*
 * Exports of Tracekit, read back; see own_export.h.
 */
#include "format/events/own_export.h"

#include <string.h>

static const char ending[] = "/frames";

enum { GAME, RENDERING, FIRST_OTHER };

static bool is(const struct tk_str *s, const char *text)
{
    return s && s->n == strlen(text) && memcmp(s->p, text, s->n) == 0;
}

bool tk_ev_is_frames(const struct tk_str *name)
{
    const size_t n = sizeof ending - 1;
    return name && name->n > n && memcmp(name->p + name->n - n, ending, n) == 0;
}

/* Types beyond the two that are known are numbered in the order of the file. */
static uint32_t type_of(const struct tk_ev_capture *c, const struct tk_str *type, uint32_t thread)
{
    uint32_t next = FIRST_OTHER;
    if (is(type, "game"))
        return GAME;
    if (is(type, "rendering"))
        return RENDERING;
    for (uint32_t i = 0; i < thread; i++)
        next += c->threads.v[i]->is_frames && c->threads.v[i]->frame_type >= FIRST_OTHER;
    return next;
}

int tk_ev_make_frames(struct tk_ev_capture *c, uint32_t thread, const struct tk_str *name)
{
    struct tk_ev_thread *t = c->threads.v[thread];
    if (t->is_frames || t->is_beyond)
        return 0;
    const struct tk_str *type = tk_ev_text(&c->names, name->p, name->n - (sizeof ending - 1));
    if (!type)
        return -1;
    t->frame_type = type_of(c, type, thread);
    t->frame_name = t->frame_type < FIRST_OTHER ? NULL : type;
    t->is_frames = t->is_hidden = true;
    return 0;
}

void tk_ev_make_queue(struct tk_ev_capture *c, uint32_t thread, const struct tk_str *name)
{
    struct tk_ev_thread *t = c->threads.v[thread];
    if (t->is_queue || t->is_beyond)
        return;
    t->is_queue = t->is_hidden = true;
    t->name = name;
    t->queue = c->queues++;
}

/* Where none is of the game, the others are numbered from 0 on. */
static void number_frames(struct tk_ev_capture *c)
{
    bool known = false;
    for (size_t i = 0; i < c->threads.n; i++)
        known |= c->threads.v[i]->is_frames && c->threads.v[i]->frame_type < FIRST_OTHER;
    for (size_t i = 0; i < c->threads.n && !known; i++)
        if (c->threads.v[i]->is_frames)
            c->threads.v[i]->frame_type -= FIRST_OTHER;
}

/* Times of exports count from the start of what was exported. */
int tk_ev_own_export_finish(struct tk_ev_capture *c)
{
    if (c->first > 0)
        c->first = 0;
    for (uint32_t i = 0; i < c->threads.n; i++) {
        const struct tk_ev_thread *t = c->threads.v[i];
        const struct tk_str *process = c->processes.v[t->process].name;
        if (is(process, "Frames") && tk_ev_is_frames(t->name) && tk_ev_make_frames(c, i, t->name))
            return -1;
        if (is(process, "GPU") && t->name)
            tk_ev_make_queue(c, i, t->name);
    }
    number_frames(c);
    for (size_t i = 0; i < c->processes.n; i++)
        c->processes.v[i].name = NULL;
    return 0;
}
