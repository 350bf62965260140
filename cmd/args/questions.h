/*
 * Deep: the options of trace-stats that ask a question of their own, each answered by a table.
 */
#ifndef TK_CMD_ARGS_QUESTIONS_H
#define TK_CMD_ARGS_QUESTIONS_H

#include "args/opt.h"

#include <tracekit.h>

struct tk_questions_args {
    bool tree, samples;
    const char *callers, *callees, *lines;
    struct tk_opt_list source;
    uint64_t depth;
    const char *min_share;
    const char *hitches; /* NULL: not asked for */
    const char *work;
    uint64_t slowest;
    const char *histogram;
    struct tk_opt_list per_frame;
};

#define TK_QUESTIONS_COUNT 13

extern const struct tk_opt tk_questions_options[TK_QUESTIONS_COUNT];

/* Is any of them given? */
bool tk_questions_any(const struct tk_questions_args *args);

/*
 * Fills what the query asks, and adds the tables that answer it to `tables` (which owns them). people: rows
 * too small to matter are put together unless said otherwise. query->work is owned (free) by the caller.
 * true, or false with a sentence.
 */
bool tk_questions_fill(struct tk_query *query, const struct tk_questions_args *args, bool people,
                       struct tk_opt_list *tables, char message[TK_OPT_MESSAGE]);

#endif
