/*
 * Sums that the commandlet SummarizeTrace would compute of a capture. summarize_read.c fills them,
 * summarize.c writes them.
 */
#ifndef TK_EXPORT_PRESET_SUMMARIZE_SUMMARIZE_H
#define TK_EXPORT_PRESET_SUMMARIZE_SUMMARIZE_H

#include "presets/calls.h"
#include "presets/counter_list.h"
#include "presets/summary.h"

/* Values of a counter. */
struct tk_samples {
    uint64_t count;
    struct tk_counter_value first, last, min, max;
    double mean, squares;
};

struct tk_summary_bookmark {
    const struct tk_str *text;
    uint64_t count;
    int64_t first, last; /* cycles since the start */
    bool open;           /* what it begins has no end yet; began with the last one */
};

/* Zero-initialise to begin. */
struct tk_summarize {
    struct tk_calls calls;
    struct tk_summaries scopes, modules;
    TK_VEC(struct tk_summary_bookmark) bookmarks; /* in order of first appearance */
    struct tk_map bookmark_index;                 /* address of a text -> index */
    struct tk_intern texts;
    struct tk_counter_list counters;
    TK_VEC(struct tk_samples) samples; /* by counter */

    TK_VEC(const struct tk_str *) names;   /* by timer; NULL: not asked for yet */
    TK_VEC(struct tk_open_modules *) open; /* owned; by track */
};

/* Reads the capture and sorts the scopes; module loads are among them. As tk_run. */
int tk_summarize_read(struct tk_summarize *s, const struct tk_preset_job *job, struct tk_err *err);

void tk_summarize_release(struct tk_summarize *s);

#endif
