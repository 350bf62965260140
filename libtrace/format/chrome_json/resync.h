/*
 * Finding the next event behind damage: an object with a phase, behind a comma, a bracket or a line end
 * (import 3.9).
 */
#ifndef TK_FORMAT_CHROME_JSON_RESYNC_H
#define TK_FORMAT_CHROME_JSON_RESYNC_H

#include "format/chrome_json/event.h"
#include "format/events/window.h"

/* Where a search stands. */
struct tk_cj_resync {
    uint64_t begin;     /* offset of the event that is damaged */
    const char *reason; /* static */
    bool starts;        /* a bracket now may begin an event */
    uint64_t work;      /* bytes that were parsed in vain */
    /* By quotes and brackets alone: does the text end inside of the event? */
    uint64_t depth;
    bool in_text, escaped, closed;
};

/* Begins behind the first byte of an event, at w->at. */
void tk_cj_resync_begin(struct tk_cj_resync *r, struct tk_ev_window *w, const char *reason);

/* Searches on. TK_ITEM: w->at is at an event; TK_OK: there is none up to the end of the file; negative. */
int tk_cj_resync_next(struct tk_cj_resync *r, struct tk_ev_window *w, struct tk_err *err);

#endif
