/*
 * Sorting of items in memory, each order with its own comparison inside of the loops. Items come nearly in
 * order: what is in order already is hardly looked at.
 */
#ifndef TK_FORMAT_EVENTS_ORDER_SORT_ITEMS_H
#define TK_FORMAT_EVENTS_ORDER_SORT_ITEMS_H

#include "format/events/track.h"

/* By time, then in the order of the file. */
int tk_ev_by_time(const void *a, const void *b);

/* Scopes (value: the end) by begin, then longer first, then in the order of the file, or against it. */
int tk_ev_by_begin(const void *a, const void *b);
int tk_ev_by_begin_late(const void *a, const void *b);

typedef int tk_ev_compare(const void *a, const void *b);

/* Sorts by one of the three above; equal items stay as they are. 0, or -1 if out of memory. */
int tk_ev_sort_items(struct tk_ev_item *v, size_t n, tk_ev_compare *compare);

#endif
