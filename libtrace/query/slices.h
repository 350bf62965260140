/*
 * Slices: closed scopes as plain columns; what the scope model gives to statistics. The hot path of the
 * library.
 */
#ifndef TK_QUERY_SLICES_H
#define TK_QUERY_SLICES_H

#include "fact/scopes.h"

#include <stddef.h>
#include <stdint.h>

struct tk_paths; /* call_paths.h */
struct tk_str;

/* Which columns beyond timer, total and excl a consumer wants. */
#define TK_SLICE_OUTER 1u  /* outer */
#define TK_SLICE_BEGIN 2u  /* begin, end (not clipped) */
#define TK_SLICE_PLACE 4u  /* id, parent, depth */
#define TK_SLICE_FRAME 8u  /* frame, parts */
#define TK_SLICE_PATH  16u /* node, paths */
#define TK_SLICE_TEXT  32u /* text */
#define TK_SLICE_WHOLE 64u /* total and excl are not clipped to the selection */
#define TK_SLICE_NO_FRAME                                                                                    \
    128u /* end, of slices that do not lie in one frame; what it is of others does not count.                \
            With TK_SLICE_FRAME */

/* Values of tk_slices.frame that are no index. */
#define TK_FRAME_NONE  UINT32_MAX       /* outside of all game frames */
#define TK_FRAME_PARTS (UINT32_MAX - 1) /* over borders of game frames: see parts */

/*
 * What a scope adds to one game frame, or to each of n frames that it covers in full. Of n frames, `total` is
 * the sum.
 */
struct tk_slice_part {
    uint32_t timer;
    uint32_t frame, n; /* index of the first frame; 1 or more */
    uint8_t outer;     /* as in the slice */
    uint16_t slice;    /* index of the slice */
    uint64_t total;    /* cycles, clipped to the frames and to the selection */
};

/* n closed scopes of one lane, in order of their ends. Columns nobody requested are NULL. */
struct tk_slices {
    uint32_t thread, lane; /* as in the scope runs */
    uint8_t kind;          /* enum tk_lane_kind */
    size_t n;
    const uint32_t *timer; /* ids; TK_LATE + slot where not known yet */
    const uint32_t *key;   /* of each the first timer of its key (judge/timer_key.h), as far as that is known;
                              `timer` where all are apart */
    const uint64_t *total; /* cycles, clipped to the selection but for TK_SLICE_WHOLE */
    const uint64_t *excl;  /* that without direct children, also where these are not selected; modulo 2^64, as
                              a scope that outlives the one it was begun in can make it negative */
    const uint8_t *outer;  /* 1: no scope of the same key was open when it began */
    const int64_t *begin, *end;
    const uint64_t *id, *parent; /* numbers in order of begin, from 1, inside the lane; parent 0: none */
    const uint32_t *depth;       /* 0: root */
    const uint32_t *frame;       /* index of the game frame that all of the scope lies in, or TK_FRAME_... */
    const struct tk_slice_part *parts; /* n_parts, of the slices with TK_FRAME_PARTS, in their order */
    size_t n_parts;
    const uint32_t *node;         /* of the paths of the lane: the stack the scope was begun on, and itself */
    const struct tk_paths *paths; /* of the lane; there until the reading ends */
    const struct tk_str *const *text; /* what the scope was begun with (tk_scope_run.text); NULL: nothing */
};

/* What is known of a lane when everything was read. Borrowed during the call. */
struct tk_lane_end {
    uint32_t thread, lane;
    uint8_t kind;                     /* enum tk_lane_kind */
    uint64_t scopes;                  /* closed ones that touch the selection */
    uint64_t unmatched;               /* ends without a begin */
    uint64_t raised;                  /* times that went backwards and were raised */
    uint64_t yielded;                 /* scopes that ended when the next one had begun (TK_OP_YIELD) */
    uint64_t too_deep;                /* scopes beyond the limit of open ones */
    uint32_t max_depth;               /* most scopes open at one time, those too deep included */
    int64_t first, last;              /* least and greatest time */
    const struct tk_open_scope *open; /* still open at the end, outermost first */
    size_t n_open;
    const struct tk_open_scope
        *lost; /* open when the thread ended or bytes were missing; only timer counts matter */
    size_t n_lost;
    uint64_t cut;                 /* of them those where bytes were missing */
    const struct tk_paths *paths; /* there until the reading ends; NULL without TK_SLICE_PATH */
    int64_t covered;              /* cycles inside scopes that have an end, clipped to the selection */
};

#endif
