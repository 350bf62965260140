/*
 * Frame list: the frames of a capture, paired from their begins and ends. For the tables about frames, and
 * for selecting and summing by frame.
 *
 * Each type has frames of its own, numbered from 0. A begin makes a frame; an end ends the last one of its
 * type and is ignored where there is none, unless the capture numbers its frames. A frame whose end is
 * missing stays open, and so does one in which events were lost, unless the capture numbers its frames. So
 * does one far longer than others in which events are missing that may never have been sent: its end may be
 * that of a later one. (events 3.1)
 */
#ifndef TK_MODEL_MARKS_FRAME_LIST_H
#define TK_MODEL_MARKS_FRAME_LIST_H

#include "base/hash.h"
#include "base/health/row_limit.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "query/collector.h"

/*
 * Gap list: places in the order of seq where events were lost. Code that pairs begins and ends queries it
 * whether a gap lies between.
 */

struct tk_gap_list {
    TK_VEC(uint64_t) at; /* the first number of each gap */
    size_t next;
};

/* Takes a fact GAP. 0, or -1 if out of memory. */
int tk_gap_list_add(struct tk_gap_list *list, const struct tk_fact *fact);

/* All were taken: puts them in order. 0, or -1 if out of memory. */
int tk_gap_list_settle(struct tk_gap_list *list);

/* Is there one between two places? */
bool tk_gap_list_between(const struct tk_gap_list *list, uint64_t from, uint64_t to);

/* Is there one between the seq of the last call and this one, which must not go back? */
bool tk_gap_list_before(struct tk_gap_list *list, uint64_t seq);

void tk_gap_list_release(struct tk_gap_list *list);

struct tk_frame_mark {
    int64_t time; /* cycles since the start */
    uint64_t seq;
    uint64_t number; /* as in tk_fact_frame */
    uint32_t type;   /* index in types */
    bool begin;
};

struct tk_frame_type {
    uint32_t id;               /* in the capture */
    const struct tk_str *name; /* never NULL */
    size_t last;               /* index of its last frame; SIZE_MAX: none */
    uint32_t count;
};

struct tk_frame {
    int64_t begin, end; /* cycles since the start; end has no meaning while open */
    uint32_t type;      /* index in types */
    uint32_t index;     /* inside the type */
    bool open;
    bool doubtful; /* events are missing in it that may never have been sent */
    bool lossy;    /* events were lost in it, or may have been */
    uint64_t seq;  /* of its begin */
    bool torn;     /* events were lost while it was open: nobody knows its end. It is open */
};

struct tk_frame_list {
    TK_VEC(struct tk_frame_mark) marks;
    TK_VEC(struct tk_frame_type) types; /* as they appeared; when paired, by id */
    struct tk_map type_index;           /* id -> index in types */
    struct tk_gap_list gaps, late_gaps;
    TK_VEC(struct tk_frame) frames; /* in order of start */
    struct tk_intern names;         /* of types without one */
    struct tk_row_limit capacity;
    uint64_t torn; /* not noted yet */
};

/* Facts that make frames. */
#define TK_FRAME_FACTS (TK_FACT_MASK(FRAME) | TK_FACT_MASK(GAP) | TK_FACT_MASK(LATE_GAP))

/* Begins empty; `table` (static text) is who the rows are held for. ctx is borrowed. */
void tk_frame_list_init(struct tk_frame_list *list, struct tk_context *ctx, const char *table);

/* Takes facts of TK_FRAME_FACTS, ignores others. TK_OK or TK_ENOMEM. */
int tk_frame_list_feed(struct tk_frame_list *list, const struct tk_fact *fact, struct tk_err *err);

/* Pairs what was taken: by the numbers of the frames, else in order of seq, where one is without: of time.
 * TK_OK or TK_ENOMEM. */
int tk_frame_list_pair(struct tk_frame_list *list, struct tk_err *err);

/*
 * Frames of a type (id in the capture) as ranges, for splitting and selecting: an open one ends where the
 * next begins, the last open one never (INT64_MAX), and one whose end was lost is empty. Ranges are made to
 * ascend without overlap. *out owns (free). TK_OK or TK_ENOMEM.
 */
int tk_frame_list_ranges(const struct tk_frame_list *list, uint32_t type, struct tk_frames *out,
                         struct tk_err *err);

/* Says that there are no game frames, and what to record for them: TK_EMATCH. */
int tk_frames_missing(const struct tk_context *ctx, struct tk_err *err);

void tk_frame_list_release(struct tk_frame_list *list);

/* What the state of a table of frames begins with, and what its struct tk_collecting says of it. */
struct tk_frame_collector {
    struct tk_collector g;
    struct tk_frame_list list;
};

#define TK_COLLECTS_FRAMES                                                                                   \
    .what = "frames", .start = tk_frame_collector_start, .take = tk_frame_collector_take,                    \
    .settle = tk_frame_collector_settle, .release = tk_frame_collector_release

int tk_frame_collector_start(void *self);
int tk_frame_collector_take(void *self, const struct tk_fact *fact);
int tk_frame_collector_settle(void *self);
void tk_frame_collector_release(void *self);

#endif
