/*
 * Timers of an index found by what tables call them: name, file and line. A page that shows a row of a table
 * goes to the scopes of its timer with it; answers use it in both threads of work.c.
 */
#ifndef TK_VIEW_TIMERS_H
#define TK_VIEW_TIMERS_H

#include "base/hash.h"
#include "view/index/index.h"

/* Zero-initialise to begin. It is only read once it is made. */
struct tk_view_timers {
    struct tk_map by_place; /* name, file and line -> the first timer of the index that has them */
    struct tk_map by_name;  /* name -> of those that have it the one with most scopes */
};

/* TK_OK or TK_ENOMEM. */
int tk_view_timers_make(struct tk_view_timers *timers, const struct tk_index *index);

void tk_view_timers_release(struct tk_view_timers *timers);

/* The timer of a name, file and line; UINT32_MAX: there is none. */
uint32_t tk_view_timers_at(const struct tk_view_timers *timers, const struct tk_index *index,
                           struct tk_str name, struct tk_str file, uint32_t line);

/* The timer of a name, whatever its file; UINT32_MAX: there is none. */
uint32_t tk_view_timers_named(const struct tk_view_timers *timers, const struct tk_index *index,
                              struct tk_str name);

#endif
