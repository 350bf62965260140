/*
 * The stage of a merge that leaves out what another piece has: of a piece that was cut what is outside of its
 * own times and in another one as well, and of a recording what it repeats of an earlier one.
 */
#ifndef TK_EDIT_UTRACE_MERGE_OWNER_H
#define TK_EDIT_UTRACE_MERGE_OWNER_H

#include "edit/utrace/cut/cut_classes.h"
#include "edit/utrace/stages/stage.h"
#include "edit/utrace/content.h"
#include "edit/utrace/overlap.h"
#include "format/utrace/feed/capture_state.h"

/* A marker of memory: steps of memory with higher numbers have its time. */
struct tk_merge_marker {
    uint64_t number;
    int64_t time;
};

/* A piece: what is known of it. Zero-initialise. */
struct tk_merge_piece {
    struct tk_ut_capture *c;        /* borrowed */
    struct tk_edit_cut_rule *rules; /* by type id, n; owned */
    size_t n;
    size_t given; /* its place among those that were named */
    bool cut;     /* an edit cut it, to these cycles since the start */
    int64_t from, to;
    int64_t begin;  /* its first time; INT64_MAX: it has none */
    uint64_t first; /* its lowest serial number; 0: none */
    uint64_t base;  /* added to its serial numbers, which are then behind those of earlier pieces */
    /* What it is to give: INT64_MIN and INT64_MAX: all that no earlier one has. */
    int64_t own_from, own_to;
    uint64_t first_step, end_step; /* the same for steps of memory, as serial numbers */
    TK_VEC(struct tk_merge_marker) markers;
    /* Of one that was cut: its events without a time, by what stands before them in their thread: a time that
     * is in the cut, or none. */
    struct tk_merge_counts placed, front;
    struct tk_merge_overlap **overlaps; /* by tid; owned. NULL: nothing of it is looked for */
    bool *repeated_later;               /* by tid; owned: a later piece repeats the end of the thread */
    uint64_t repeated;                  /* records that are left out, by overlaps */
    uint32_t *joined; /* by tid, owned: scopes that go on from the piece before (seam.h); NULL: not known */
    uint32_t *joined_stamped; /* the same of stamped scopes */
    uint32_t holes;           /* threads that go on without what was between the recordings */
};

int tk_merge_piece_init(struct tk_merge_piece *p, struct tk_ut_capture *c, size_t given);
void tk_merge_piece_release(struct tk_merge_piece *p);

/* Is an event with such a rule given by its time, or where it has none by what other pieces have? */
bool tk_merge_is_shared(const struct tk_edit_cut_rule *rule);

/* What threads of all pieces have given so far: important events, and others without a time. */
struct tk_merge_given {
    struct tk_merge_counts counts;
};

struct tk_merge_lane;

struct tk_merge_owner {
    struct tk_edit_stage stage;
    struct tk_merge_piece *piece;
    struct tk_merge_given *given; /* borrowed */
    struct tk_map things;         /* number of a thing -> place in latest */
    TK_VEC(int64_t) latest;       /* the latest time of a thing so far */
    struct tk_merge_counts seen;  /* of this piece */
    struct tk_merge_lane **lanes; /* by tid; owned */
    struct tk_merge_piece *later; /* the pieces behind this one, n_later */
    size_t n_later;
    bool plans; /* the first walk, in which they look for their first records in this one */
};

/* `next` gets what the piece gives. TK_OK or TK_ENOMEM. */
int tk_merge_owner_init(struct tk_merge_owner *o, struct tk_merge_piece *piece, struct tk_merge_given *given,
                        struct tk_edit_stage *next);
void tk_merge_owner_release(struct tk_merge_owner *o);

#endif
