/*
 * Selection: the options that say what part of a capture is asked about.
 */
#ifndef TK_CMD_ARGS_SELECT_H
#define TK_CMD_ARGS_SELECT_H

#include "args/opt.h"

#include <tracekit.h>

struct tk_select_args {
    const char *from, *to, *frames, *from_bookmark, *to_bookmark;
    struct tk_opt_list regions, threads, timers;
};

#define TK_SELECT_COUNT 8

/* The first TK_SELECT_COUNT - 1 of them make sense for events, too. */
extern const struct tk_opt tk_select_options[TK_SELECT_COUNT];

/* Fills the selection (borrows the lists). true, or false with a sentence. */
bool tk_select_fill(struct tk_selection *out, const struct tk_select_args *args,
                    char message[TK_OPT_MESSAGE]);

/* Is a part of the events asked for? Timers are none. */
bool tk_select_given(const struct tk_select_args *args);

/* Nanoseconds of "1.5s", "20ms", "7us", "100ns"; seconds where there is no unit. Further digits are dropped.
 */
bool tk_select_time(const char *text, int64_t *ns);

/* The first and the last time that are shown like this: with six decimals seconds stand for what pages round
 * to them, anything else for itself. */
bool tk_select_shown(const char *text, int64_t *first, int64_t *last);

#endif
