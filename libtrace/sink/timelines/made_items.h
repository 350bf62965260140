/*
 * Items that are made into bytes apart from their writer, in any thread, and put behind each other later:
 * steps of scopes, and items of kinds that a format writes the same way wherever they stand. The exports make
 * timelines so with several jobs.
 */
#ifndef TK_SINK_TIMELINES_MADE_ITEMS_H
#define TK_SINK_TIMELINES_MADE_ITEMS_H

#include "sink/timelines/timeline_writer.h"

/* The bytes of some items. Zero-initialised it has none, and may be released. */
struct tk_made_items {
    struct tk_timeline_writer as; /* the writer as it was, with buffers and a state of its own */
    struct tk_err err;            /* why as.out.status is what it is */
};

/* Can items of a writer be made apart? */
bool tk_timeline_writer_makes_apart(const struct tk_timeline_writer *v);

/* Of a writer that makes apart. TK_OK or TK_ENOMEM. */
int tk_made_items_init(struct tk_made_items *m, const struct tk_timeline_writer *v, struct tk_err *err);
void tk_made_items_release(struct tk_made_items *m);

/* Begins with no bytes and the tracks that the writer has by now. Until those of the next call no track is
 * told. */
void tk_made_items_begin(struct tk_made_items *m, const struct tk_timeline_writer *v);

/* Tells a kind to the copy, which makes what steps need of it; steps of any copy may follow. As long as the
 * copy is not released. TK_OK or TK_ENOMEM. */
int tk_made_items_kind(struct tk_made_items *m, struct tk_scope_kind *kind, struct tk_err *err);

/* Makes steps behind what was made. */
void tk_made_items_steps(struct tk_made_items *m, const struct tk_scope_step *steps, size_t n);

/* Makes an item behind it. false: it has to go to the writer itself, where it stands. */
bool tk_made_items_item(struct tk_made_items *m, const struct tk_item *item);

/* Bytes so far. */
static inline size_t tk_made_items_size(const struct tk_made_items *m)
{
    return m->as.out.n;
}

/* Writes bytes that were made. TK_OK, or what making or writing failed with. */
int tk_made_items_put(const struct tk_made_items *m, size_t from, size_t to, struct tk_timeline_writer *v,
                      struct tk_err *err);

#endif
