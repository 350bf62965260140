/*
 * Plan: which tables and columns a query for statistics asks for, how they are sorted and cut.
 */
#ifndef TK_CMD_ARGS_TABLE_PLAN_H
#define TK_CMD_ARGS_TABLE_PLAN_H

#include "args/opt.h"

#include <tracekit.h>

struct tk_plan_args {
    struct tk_opt_list tables, columns;
    const char *sort;
    uint64_t top;
};

struct tk_plan {
    const struct tk_plan_args *args;
    bool people;      /* for them tables are sorted unasked */
    const char *sort; /* of --sort, owned; NULL: the tables' own */
    bool ascending;
    unsigned by;          /* of the query */
    const char *hidden;   /* a column that is only asked for to sort by it, or NULL */
    const char **columns; /* owned; of the query */
};

/*
 * Fills tables and columns of the query from the arguments. Names are checked here, before a capture is
 * opened. true, or false with a sentence. Release in both cases.
 */
bool tk_plan_init(struct tk_plan *plan, const struct tk_plan_args *args, bool people, struct tk_query *query,
                  char message[TK_OPT_MESSAGE]);

/* Are all of these names of tables? true, or false with a sentence. */
bool tk_plan_check_tables(const struct tk_opt_list *names, char message[TK_OPT_MESSAGE]);

/* Does any of the tables have to be kept, to sort or cut it? */
bool tk_plan_keeps(const struct tk_plan *plan, const struct tk_query *query);

/* Sorts and cuts the tables of a result, and puts the rows of a thread, region and the like together unless
 * --sort is given. TK_OK or what failed. */
int tk_plan_apply(const struct tk_plan *plan, struct tk_result *result, struct tk_err *err);

void tk_plan_release(struct tk_plan *plan);

#endif
