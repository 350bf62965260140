/*
 * Items that are made apart: a copy of the writer that puts them to buffers of its own. See made_items.h.
 */
#include "sink/timelines/made_items.h"

#include "base/err.h"

#include <stdlib.h>

bool tk_timeline_writer_makes_apart(const struct tk_timeline_writer *v)
{
    return v->format->steps && !v->opt.split;
}

int tk_made_items_init(struct tk_made_items *m, const struct tk_timeline_writer *v, struct tk_err *err)
{
    struct tk_timeline_writer *as = &m->as;
    *m = (struct tk_made_items){.as = {.format = v->format, .opt = v->opt}};
    as->state = calloc(1, v->format->state_size + 1);
    if (!as->state || tk_buffer_init(&as->out, NULL, err) || tk_buffer_init_scratch(&as->scratch, &as->out) ||
        tk_buffer_init_scratch(&as->clean, &as->out))
        return tk_err_nomem(err, "items on their way");
    as->out.err = &m->err;
    v->format->apart_open(as);
    return as->out.status == TK_OK ? TK_OK : tk_err_nomem(err, "items on their way");
}

void tk_made_items_release(struct tk_made_items *m)
{
    if (m->as.state && m->as.format->release)
        m->as.format->release(&m->as);
    free(m->as.state);
    for (size_t i = 0; i < m->as.names.n; i++)
        free((void *)(uintptr_t)m->as.names.v[i].p);
    tk_vec_release(&m->as.names);
    tk_buffer_release(&m->as.out);
    tk_buffer_release(&m->as.scratch);
    tk_buffer_release(&m->as.clean);
    *m = (struct tk_made_items){0};
}

void tk_made_items_begin(struct tk_made_items *m, const struct tk_timeline_writer *v)
{
    m->as.tracks = v->tracks;
    m->as.track_index = v->track_index;
    m->as.out.n = 0;
}

int tk_made_items_kind(struct tk_made_items *m, struct tk_scope_kind *kind, struct tk_err *err)
{
    m->as.format->kind(&m->as, kind, false);
    return m->as.out.status < 0 ? tk_err_nomem(err, "items on their way") : TK_OK;
}

void tk_made_items_steps(struct tk_made_items *m, const struct tk_scope_step *steps, size_t n)
{
    m->as.format->steps(&m->as, steps, n);
}

bool tk_made_items_item(struct tk_made_items *m, const struct tk_item *item)
{
    const struct tk_timeline_writer_format *format = m->as.format;
    if (!format->apart[item->kind] && format->put[item->kind])
        return false;
    if (format->put[item->kind])
        format->put[item->kind](&m->as, &m->as.tracks.v[tk_timeline_writer_track_of(&m->as, item->track)],
                                item);
    return true;
}

int tk_made_items_put(const struct tk_made_items *m, size_t from, size_t to, struct tk_timeline_writer *v,
                      struct tk_err *err)
{
    v->out.err = err;
    if (m->as.out.status < 0) {
        tk_buffer_fail(&v->out, m->as.out.status);
        if (err)
            *err = m->err;
        return v->out.status;
    }
    tk_buffer_put(&v->out, m->as.out.p + from, to - from);
    return v->out.status;
}
