/*
 * Sorting of items, in memory while they are few, else in a temporary file. Events of a thread are brought in
 * order of time with it, and scopes in order of start.
 */
#ifndef TK_FORMAT_EVENTS_ORDER_SORTER_H
#define TK_FORMAT_EVENTS_ORDER_SORTER_H

#include "format/events/sort_items.h"
#include "io/scratch/external_sort.h"

/* Items that are sorted in memory: few where their order is nearly known, as they then only wait; else as
 * many as a reading may hold. */
#define TK_EV_SORT_FEW  ((size_t)256 << 10)
#define TK_EV_SORT_MANY ((size_t)8 << 20)

/* Zero-initialise all but the first three. */
struct tk_ev_sorter {
    tk_ev_compare *compare; /* total: the order of the file tells equal ones apart */
    const char *dir;        /* of temporary files; may be NULL */
    size_t most;            /* in memory */
    TK_VEC(struct tk_ev_item) held;
    size_t at;
    struct tk_external_sort *disk; /* owned; NULL while all is in memory */
};

/* TK_OK, TK_ENOMEM, TK_EOUTPUT. */
int tk_ev_sorter_add(struct tk_ev_sorter *s, const struct tk_ev_item *item, struct tk_err *err);
int tk_ev_sorter_start(struct tk_ev_sorter *s, struct tk_err *err);

/* The next item, borrowed until the next call. TK_ITEM, TK_OK at the end, TK_EOUTPUT. */
int tk_ev_sorter_next(struct tk_ev_sorter *s, const struct tk_ev_item **out, struct tk_err *err);

/* Forgets all items; it can be filled again. */
void tk_ev_sorter_clear(struct tk_ev_sorter *s);

#endif
