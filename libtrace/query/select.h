/*
 * Selection: the compiled form of what part of a capture is in question: disjoint ranges of time in cycles,
 * and patterns for names that remember whether they ever matched.
 */
#ifndef TK_QUERY_SELECT_H
#define TK_QUERY_SELECT_H

#include "base/err.h"
#include "query/dict.h"
#include "tracekit/queries.h"

struct tk_range {
    int64_t from, to; /* cycles since the start; [from, to) */
};

struct tk_patterns {
    const char *const *texts; /* borrowed */
    size_t n;
    bool *used;     /* owned: did pattern i match anything? */
    bool *exact;    /* owned: pattern i names something exactly, so it is not a pattern */
    bool words;     /* a word in lower case stands for the names that contain it, unless it is a whole name */
    bool *whole;    /* owned: pattern i matches a whole name that was learned */
    bool unmatched; /* those that match nothing are no mistake */
};

struct tk_select {
    bool all_time;           /* no ranges: everything */
    struct tk_range *ranges; /* owned, sorted, disjoint, not empty unless all_time */
    int64_t *before;         /* owned: selected time before each range */
    size_t n_ranges;
    struct tk_patterns threads, timers, regions, events; /* n 0: all */
    const uint32_t *thread_ids;                          /* borrowed; of the threads that fit these alone */
    size_t n_thread_ids;                                 /* 0: all that fit */
};

/* Does a query select times, in whatever way? */
bool tk_selection_has_times(const struct tk_selection *query);

/* Everything is selected; the patterns of the query are borrowed. TK_OK or TK_ENOMEM. */
int tk_select_init(struct tk_select *s, const struct tk_selection *query, struct tk_err *err);

/* Keeps of what is selected only what lies in one of these ranges (in any order, overlapping as they like);
 * `what` names them for the error. TK_OK, TK_ENOMEM, TK_EMATCH when nothing is left. */
int tk_select_narrow(struct tk_select *s, const struct tk_range *ranges, size_t n, const char *what,
                     struct tk_err *err);

/* Total selected time before t (cycles); non-decreasing. With all_time: t itself. */
int64_t tk_select_before(const struct tk_select *s, int64_t t);

/* Does a scope or interval [begin, end] touch the selection? (one of zero length: does it lie inside?) */
bool tk_select_touches(const struct tk_select *s, int64_t begin, int64_t end);

/* Begin and end of something that touches the selection, cut to it: the first selected time from t on, the
 * last up to t. */
int64_t tk_select_clip_begin(const struct tk_select *s, int64_t t);
int64_t tk_select_clip_end(const struct tk_select *s, int64_t t);

/* Is the point in time selected? */
bool tk_select_has(const struct tk_select *s, int64_t t);

/* Is a point in time behind all that is selected? Nothing is with all_time. */
bool tk_select_is_behind(const struct tk_select *s, int64_t t);

/* Is a thread selected? By its name in the dictionary, or the made-up one, and by its id. */
bool tk_select_thread(const struct tk_select *s, const struct tk_dict *d, uint32_t id);

/* Is a GPU queue selected? By its name, as a thread. */
bool tk_select_queue(const struct tk_select *s, const struct tk_dict *d, uint32_t id);

/* n texts, borrowed. TK_OK or TK_ENOMEM. */
int tk_patterns_init(struct tk_patterns *p, const char *const *texts, size_t n, struct tk_err *err);

/* Reports a name that exists, so that a pattern that is one is not taken for a pattern. To be done before
 * matching. */
void tk_patterns_learn(struct tk_patterns *p, const struct tk_str *name);

/* Does a name pass? Marks nothing. */
bool tk_patterns_pass(const struct tk_patterns *p, const struct tk_str *name);

/* Does a name pass? Marks the patterns that match. */
bool tk_patterns_match(struct tk_patterns *p, const struct tk_str *name);

/* TK_OK, or TK_EMATCH with the first pattern that matched nothing and the nearest of the names offered.
 * `what` is "thread", ... */
int tk_patterns_check(const struct tk_patterns *p, const char *what, const struct tk_str *const *names,
                      size_t n, struct tk_err *err);

void tk_patterns_release(struct tk_patterns *p);
void tk_select_release(struct tk_select *s);

/*
 * Conditions on rows, as people type them: "dur>5ms", "text~stream", "logs.verbosity<=warning". This
 * file reads one and holds it against a cell; row_filter.h applies them to the rows of a table.
 */

enum tk_condition_op {
    TK_CONDITION_EQUAL,    /* = == */
    TK_CONDITION_UNEQUAL,  /* != */
    TK_CONDITION_BELOW,    /* < */
    TK_CONDITION_AT_MOST,  /* <= */
    TK_CONDITION_ABOVE,    /* > */
    TK_CONDITION_AT_LEAST, /* >= */
    TK_CONDITION_HOLDS,    /* ~ : contains */
    TK_CONDITION_HOLDS_NOT /* !~ */
};

/* A number in one of the ways that a value can be read. */
struct tk_amount {
    bool valid;
    bool whole; /* `magnitude` and `minus` are exact; else `real` is all there is */
    bool minus;
    uint64_t magnitude;
    double real;
};

/* The ways: "5k", "3%" of counts; "5ms" of times, in nanoseconds; "4MiB" of sizes, in bytes. */
enum tk_amount_kind { TK_AMOUNT_COUNT, TK_AMOUNT_TIME, TK_AMOUNT_SIZE, TK_AMOUNT_KINDS };

struct tk_condition {
    const char *text;   /* borrowed, as all others */
    const char *table;  /* n_table bytes in front of the point; NULL: of any table */
    const char *column; /* n_column bytes */
    const char *value;  /* n_value bytes; none: no value */
    size_t n_table, n_column, n_value;
    enum tk_condition_op op;
    struct tk_amount amounts[TK_AMOUNT_KINDS];
    int severity; /* of a word as "warning": lower is worse; -1: no such word */
};

/* Reads one. TK_OK; TK_EUSAGE where there is no operator or no column. */
int tk_condition_parse(struct tk_condition *c, const char *text, struct tk_err *err);

/*
 * Can it be queried of cells of the kind (enum tk_kind)? cycles: times are clock cycles. TK_OK; TK_EUSAGE
 * with a sentence that says what the value has to look like.
 */
int tk_condition_check(const struct tk_condition *c, unsigned kind, bool cycles, struct tk_err *err);

/* Does it hold for the cell? A cell without a value equals no value, and differs from every other. */
bool tk_condition_holds(const struct tk_condition *c, const struct tk_cell *cell, bool cycles);

/* Shared by condition_read.c, which reads conditions, and condition.c: is it the word, which is in lower
 * case? And the severity of a word; -1: it is none. */
bool tk_condition_is_word(const char *word, const char *p, size_t n);
int tk_condition_severity(const char *p, size_t n);

static inline char tk_condition_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/*
 * Row filter: which rows of a table the conditions of a query let through. It sits between the rows of a
 * builder and their projection (emit.c).
 */

struct tk_row_filter_part;

struct tk_row_filter {
    struct tk_row_filter_part *parts; /* owned: the conditions that are about this table */
    size_t n;
    uint64_t mask; /* bit i: column i of the full table is compared */
    bool cycles;
    uint64_t rows, kept; /* so far */
};

/*
 * For the rows of a full table. Conditions about other tables are left out. A name that is no column is a
 * field of the record in a row, where rows have one. TK_OK, TK_ENOMEM; TK_EMATCH for a column that the only
 * table does not have; TK_EUSAGE for a condition that makes no sense there. To be released in any case.
 */
int tk_row_filter_init(struct tk_row_filter *f, const struct tk_table *full, const struct tk_query *query,
                       struct tk_err *err);

void tk_row_filter_release(struct tk_row_filter *f);

/* Does the row (cells of the full table) pass? Counts it. */
bool tk_row_filter_pass(struct tk_row_filter *f, const struct tk_cell *row);

/* Is each condition of the query about one of the tables (n) at least? TK_OK, TK_EMATCH or TK_EUSAGE. */
int tk_row_filter_check(const struct tk_query *query, const struct tk_table *const *tables, size_t n,
                        struct tk_err *err);

/*
 * Names: checking patterns against all names of a capture, so that those which match none are found out.
 */

/*
 * Names: checking patterns against all names of a capture, so that those which match none are found out.
 */

/* Does a pattern stand for names that contain it? A text without capitals, '*', '?', '|' does. */
bool tk_pattern_is_word(const char *text);

/* Says the patterns of the names of all threads and GPU queues of a dictionary. To be done before matching.
 */
void tk_pattern_learn_threads(struct tk_patterns *patterns, const struct tk_dict *dict);

/* Says the patterns of n names, exact ones first; then as tk_patterns_check. `what` is "thread", ... */
int tk_pattern_check(struct tk_patterns *patterns, const char *what, const struct tk_str *const *names,
                     size_t n, struct tk_err *err);

/* The same with the threads and the timers of a dictionary, timers of what is requested (a mask of SCOPES and
 * GPU_SCOPES); also TK_ENOMEM. */
int tk_pattern_check_threads(struct tk_patterns *patterns, const struct tk_dict *dict, struct tk_err *err);
int tk_pattern_check_timers(struct tk_patterns *patterns, const struct tk_dict *dict, uint64_t facts,
                            struct tk_err *err);

#endif
