/*
 * Sorting of tracks on their way out; see ordered.h.
 */
#include "format/events/ordered.h"

int tk_ev_ordered_open(struct tk_ev_ordered *o, const struct tk_ev_track *track, const struct tk_spill *spill,
                       const char *dir, struct tk_err *err)
{
    const struct tk_ev_item *item;
    int rc = TK_OK;
    *o = (struct tk_ev_ordered){.reader = {.track = track, .spill = spill},
                                .sorter = {.compare = tk_ev_by_time, .dir = dir, .most = TK_EV_SORT_MANY},
                                .sorts = track->unsorted};
    while (o->sorts && (rc = tk_ev_track_next(&o->reader, &item, err)) == TK_ITEM) {
        rc = tk_ev_sorter_add(&o->sorter, item, err);
        if (rc != TK_OK)
            return rc;
    }
    return rc == TK_OK && o->sorts ? tk_ev_sorter_start(&o->sorter, err) : rc;
}

void tk_ev_ordered_release(struct tk_ev_ordered *o)
{
    tk_ev_track_reader_release(&o->reader);
    tk_ev_sorter_clear(&o->sorter);
}
