/*
 * Selection: the compiled form of what part of a capture is asked about: disjoint ranges of time in cycles,
 * and patterns for names that remember whether they ever matched.
 */
#ifndef TK_QUERY_SELECT_H
#define TK_QUERY_SELECT_H

#include "base/err.h"
#include "query/dict.h"

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

/* Tells of a name that exists, so that a pattern that is one is not taken for a pattern. To be done before
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

#endif
