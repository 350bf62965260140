/*
 * A track in order of time, sorted where the file has another order.
 */
#ifndef TK_FORMAT_EVENTS_ORDER_ORDERED_H
#define TK_FORMAT_EVENTS_ORDER_ORDERED_H

#include "format/events/sorter.h"

struct tk_ev_ordered {
    struct tk_ev_track_reader reader;
    struct tk_ev_sorter sorter;
    bool sorts;
};

/* TK_OK, TK_ENOMEM, TK_EOUTPUT. dir: of temporary files; may be NULL. Release also after a failure. */
int tk_ev_ordered_open(struct tk_ev_ordered *o, const struct tk_ev_track *track, const struct tk_spill *spill,
                       const char *dir, struct tk_err *err);

/* The next item, borrowed until the next call. TK_ITEM, TK_OK at the end, negative. */
static inline int tk_ev_ordered_next(struct tk_ev_ordered *o, const struct tk_ev_item **out,
                                     struct tk_err *err)
{
    return o->sorts ? tk_ev_sorter_next(&o->sorter, out, err) : tk_ev_track_next(&o->reader, out, err);
}

void tk_ev_ordered_release(struct tk_ev_ordered *o);

#endif
