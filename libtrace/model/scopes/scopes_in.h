/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_MODEL_SCOPES_SCOPES_IN_H
#define TK_MODEL_SCOPES_SCOPES_IN_H

#include "model/scopes/scope_lane.h"

/*
 * The scope model as its own files see it: scope_model.c, which works off runs, and lane_states.c, which goes
 * on from states.
 */

struct tk_scope_model {
    struct tk_scope_setup setup;
    struct tk_scope_rules rules;
    struct tk_path_folding folding; /* fold NULL: none */
    struct tk_path_needs needs;     /* least NULL: all */
    const struct tk_scope_kernel *kernel;
    uint64_t *frame_sums;                 /* owned */
    struct tk_slice_space *spaces;        /* owned, one a worker */
    TK_VEC(struct tk_scope_lane *) lanes; /* owned, by number; NULL: had no run */
    size_t nodes;                         /* of the paths of all lanes */

    /* of the batch under way */
    const struct tk_batch *batch;
    TK_VEC(size_t) next;                   /* of each run: the next one of its lane, or NO_RUN */
    TK_VEC(struct tk_scope_lane *) active; /* lanes with runs, those with most entries first */
    TK_VEC(int) status;                    /* of the task of each */
};

/* The lane of a run; NULL if out of memory. */
struct tk_scope_lane *tk_scope_model_lane(struct tk_scope_model *m, const struct tk_scope_run *run);

#endif
