/*
 * The serial numbers of the events that stay, and which they get: dense, in the old order. The last stage of
 * the first walk fills it, that of the second one asks.
 */
#ifndef TK_EDIT_UTRACE_SERIAL_SET_H
#define TK_EDIT_UTRACE_SERIAL_SET_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* An event with a number that another one has, or that is far from all others: it gets one of its own. */
struct tk_edit_odd_serial {
    uint64_t event, number; /* the how many-th that stays; its number here */
};

#define TK_EDIT_SERIAL_WORDS 1024 /* of a page */

struct tk_edit_serial_page {
    uint64_t bits[TK_EDIT_SERIAL_WORDS];
    uint64_t before;                        /* bits in the pages before it, */
    uint16_t in_page[TK_EDIT_SERIAL_WORDS]; /* and in it before each word; once the set is closed */
};

struct tk_edit_serials {
    struct tk_edit_serial_page **pages; /* owned, each of them too */
    uint64_t first_page, n_pages;
    uint64_t lowest, highest;
    uint64_t events; /* asked for so far in this walk */
    TK_VEC(struct tk_edit_odd_serial) odd;
    size_t next_odd;
    uint64_t shifted; /* from this number on events get others; UINT64_MAX: none */
    uint64_t base;    /* what the lowest number gets */
};

/* An event stays: returns the number it counts under, 0 if out of memory. In the first walk. */
uint64_t tk_edit_serials_add(struct tk_edit_serials *s, uint64_t number);

/* The end of the first walk. Where events are `renumbered`, the first one gets `base`; numbers of events have
 * the bits of `mask` in the file. */
void tk_edit_serials_close(struct tk_edit_serials *s, bool renumbered, uint64_t base, uint64_t mask);

/* The same event in the second walk: the number it counts under. */
uint64_t tk_edit_serials_find(struct tk_edit_serials *s, uint64_t number);

/* The serial number that an event gets, uncut; its own where none with that number was added. */
uint64_t tk_edit_serials_new(const struct tk_edit_serials *s, uint64_t number);

void tk_edit_serials_release(struct tk_edit_serials *s);

#endif
