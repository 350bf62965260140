/*
 * Mark pair: the two bookmarks that a selection lies between, found by their texts: the first one that fits
 * the pattern of the begin, and the next one that fits that of the end. A pattern that is the text of a
 * bookmark means that text and is no pattern.
 */
#ifndef TK_MODEL_MARKS_BOOKMARK_RANGE_H
#define TK_MODEL_MARKS_BOOKMARK_RANGE_H

#include "base/hash.h"
#include "base/health/row_limit.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "fact/format.h"
#include "model/marks/frame_list.h"
#include "query/select.h"

struct tk_mark {
    int64_t time; /* cycles since the start */
    bool exact;
};

struct tk_mark_list {
    const char *pattern; /* borrowed; NULL: not requested */
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

/*
 * Region list: the regions of a capture, paired from their begins and ends. For the table about regions and
 * for selecting by region.
 *
 * By name: one region of a name is open at most; a second begin ends the first. By id: an id ends the region
 * that began with it; id 0 is none. An end without a begin makes a region without length. Bookmarks whose
 * text begins with `RegionStart:` or `RegionEnd:` begin and end regions by name. (events 3.2, 3.4)
 */

/* Facts that make regions. */
#define TK_REGION_FACTS (TK_FACT_MASK(REGION) | TK_FACT_MASK(BOOKMARK) | TK_FACT_MASK(GAP))

struct tk_region_mark {
    int64_t time; /* cycles since the start */
    uint64_t seq, id;
    const struct tk_str *name; /* in the list's names; NULL at an end by id */
    const struct tk_str *category;
    uint32_t thread;
    bool begin, has_id;
};

enum tk_region_state {
    TK_REGION_CLOSED,   /* began and ended */
    TK_REGION_OPEN,     /* never ended */
    TK_REGION_REPLACED, /* ended by a second begin of its name */
    TK_REGION_BARE_END  /* an end without a begin */
};

struct tk_region {
    int64_t begin, end; /* cycles since the start; end has no meaning while open */
    uint64_t id;
    const struct tk_str *name, *category; /* category may be NULL */
    uint32_t thread;                      /* where it began */
    bool has_id;
    uint8_t state; /* enum tk_region_state */
    size_t gaps;   /* places where events were lost, before its begin */
};

struct tk_region_list {
    TK_VEC(struct tk_region_mark) marks;
    TK_VEC(struct tk_region) regions; /* in order of start */
    struct tk_map by_name, by_id;     /* address of the name, id -> index of the last region with it */
    struct tk_gap_list gaps;
    uint64_t doubtful;      /* regions by name while which events were lost; not noted yet */
    struct tk_intern names; /* every name once, so that equal names have one address */
    struct tk_row_limit capacity;
};

/* Begins empty; `table` (static text) is who the rows are held for. ctx is borrowed. */
void tk_region_list_init(struct tk_region_list *list, struct tk_context *ctx, const char *table);

/* Takes region and bookmark facts, ignores others. TK_OK or TK_ENOMEM. */
int tk_region_list_feed(struct tk_region_list *list, const struct tk_fact *fact, struct tk_err *err);

/* Pairs what was taken, in order of seq (where one is without: of time). TK_OK or TK_ENOMEM. */
int tk_region_list_pair(struct tk_region_list *list, struct tk_err *err);

void tk_region_list_release(struct tk_region_list *list);

#endif
