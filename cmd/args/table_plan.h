/*
 * Plan: which tables and columns a query for statistics requests, how they are sorted and cut.
 */
#ifndef TK_ARGS_TABLE_PLAN_H
#define TK_ARGS_TABLE_PLAN_H

#include "args/opt.h"
#include "tracekit/queries.h"
#include "tracekit/sinks.h"

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
    const char *hidden;   /* a column that is only requested to sort by it, or NULL */
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

/*
 * By: the words of `--by`.
 */

/* What rows of the table `groups` are for. */
#define TK_BY_GROUPINGS (TK_BY_CLASS | TK_BY_FILE | TK_BY_LABEL | TK_BY_REGION | TK_BY_FRAME_TYPE)

/* The words there are; ended by NULL. Static. */
const char *const *tk_by_words(void);

/* The words of an option ("--by") as bits (TK_BY_...). true, or false with a sentence. */
bool tk_by_fill(unsigned *by, const struct tk_opt_list *words, const char *option,
                char message[TK_OPT_MESSAGE]);

/* Are the tables there that groupings are for? Groupings that several tables have are for any. false with a
 * sentence. */
bool tk_by_check(const struct tk_query *query, char message[TK_OPT_MESSAGE]);

/*
 * Deep: the options of trace-stats that ask a question of their own, each answered by a table.
 */

struct tk_questions_args {
    bool tree, samples;
    const char *callers, *callees, *lines;
    struct tk_opt_list source;
    uint64_t depth;
    const char *min_share;
    const char *hitches; /* NULL: not requested */
    const char *target;  /* likewise */
    const char *work;
    uint64_t slowest;
    const char *histogram;
    struct tk_opt_list per_frame;
};

#define TK_QUESTIONS_COUNT 14

#define TK_HITCHES_VALUES "local|unreal|median|MS|Nx"

extern const struct tk_opt tk_questions_options[TK_QUESTIONS_COUNT];

/* Is any of them given? */
bool tk_questions_any(const struct tk_questions_args *args);

/*
 * Fills what the query queries, and adds the tables that answer it to `tables` (which owns them). people:
 * rows too small to matter are put together unless said otherwise. query->work is owned (free) by the caller.
 * true, or false with a sentence.
 */
bool tk_questions_fill(struct tk_query *query, const struct tk_questions_args *args, bool people,
                       struct tk_opt_list *tables, char message[TK_OPT_MESSAGE]);

#endif
