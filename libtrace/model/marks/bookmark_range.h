/*
 * Mark pair: the two bookmarks that a selection lies between, found by their texts: the first one that fits
 * the pattern of the begin, and the next one that fits that of the end. A pattern that is the text of a
 * bookmark means that text and is no pattern.
 */
#ifndef TK_MODEL_MARKS_BOOKMARK_RANGE_H
#define TK_MODEL_MARKS_BOOKMARK_RANGE_H

#include "base/vec.h"
#include "fact/fact.h"
#include "query/select.h"

struct tk_mark {
    int64_t time; /* cycles since the start */
    bool exact;
};

struct tk_mark_list {
    const char *pattern; /* borrowed; NULL: not asked */
    TK_VEC(struct tk_mark) marks;
    bool exact; /* one of them is the text itself */
};

struct tk_bookmark_range {
    struct tk_mark_list from, to;
};

/* The patterns are borrowed and may be NULL. */
void tk_bookmark_range_init(struct tk_bookmark_range *p, const char *from, const char *to);

/* Takes bookmarks, ignores other facts. 0, or -1 if out of memory. */
int tk_bookmark_range_feed(struct tk_bookmark_range *p, const struct tk_fact *fact);

/* The time between them. TK_OK, or TK_EMATCH with what there is not. */
int tk_bookmark_range_range(const struct tk_bookmark_range *p, struct tk_range *out, struct tk_err *err);

void tk_bookmark_range_release(struct tk_bookmark_range *p);

#endif
