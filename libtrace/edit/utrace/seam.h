/*
 * The stage of a merge that makes one scope of two where a cut divided it. In a piece that was cut, what was
 * open at its begin stands in a batch of its own in front of each thread, and what is open at its end ends
 * there. Where the next piece begins there, with the same scopes, both the ends and the begins are left out.
 * Stamped scopes go in the same way, by their events; they stand in front of the batch. Coroutines that were
 * divided stay so, and what is inside of a stamped scope that stays divided does, too, as scopes of a thread
 * nest.
 */
#ifndef TK_EDIT_UTRACE_MERGE_SEAM_H
#define TK_EDIT_UTRACE_MERGE_SEAM_H

#include "edit/utrace/owner.h"
#include "format/utrace/write/bytes.h"

/* Scopes that are open, the innermost last. */
struct tk_merge_row {
    TK_VEC(uint64_t) numbers;
    size_t live; /* those before this place are open; the others ended with the last cycle */
};

/* Scopes of a thread. */
struct tk_merge_opens {
    struct tk_merge_row batched; /* by what a batch says of them */
    struct tk_merge_row stamped; /* by the contents of their events */
    struct tk_ut_scope begin;    /* a begin that waits for its event, */
    bool waits;                  /* where this says so */
    bool begun;                  /* a batch of the thread came */
    bool parted;                 /* a stamped scope around batches was divided */
    bool inside;                 /* no more stamped scopes go on from the piece before */
    uint32_t joined;             /* those that did so far */
};

/* Of the piece before the one in hand: what goes on behind its end, by tid. Zero-initialise. */
struct tk_merge_seams {
    struct tk_merge_opens **ends; /* owned */
};

struct tk_merge_seam {
    struct tk_edit_stage stage;
    struct tk_merge_piece *piece;
    const struct tk_merge_piece *next;  /* it begins where the piece ends; NULL: none does */
    const struct tk_merge_seams *seams; /* of a piece that ends where this one begins; NULL: none does */
    struct tk_merge_opens **lanes;      /* by tid; owned */
    struct tk_uw_bytes out;
    bool plans; /* the first walk, which finds how many scopes go on (tk_merge_piece.joined) */
};

/* In front of `next`. before and behind: the pieces beside it, or NULL; seams: those of the piece before.
 * TK_OK or TK_ENOMEM. */
int tk_merge_seam_init(struct tk_merge_seam *s, struct tk_merge_piece *piece,
                       const struct tk_merge_piece *before, const struct tk_merge_piece *behind,
                       const struct tk_merge_seams *seams, struct tk_edit_stage *next);

/* The end of a walk: what goes on in the next piece goes to `seams`, in place of what was there. */
void tk_merge_seam_close(struct tk_merge_seam *s, struct tk_merge_seams *seams);

void tk_merge_seams_release(struct tk_merge_seams *s);

#endif
