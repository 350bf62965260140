/*
 * An event in a stamped scope that began before the window, kept until it is known whether the scope reaches
 * into it.
 */
#ifndef TK_EDIT_UTRACE_STAGES_HELD_EVENT_H
#define TK_EDIT_UTRACE_STAGES_HELD_EVENT_H

#include "format/utrace/schema/event.h"

struct tk_edit_held {
    struct tk_ut_event ev; /* with bytes of its own */
    uint64_t number;
};

/* A copy, to be freed with free(); NULL if out of memory. */
struct tk_edit_held *tk_edit_hold(const struct tk_ut_event *ev, uint64_t number);

#endif
