/*
 * Folding of paths: where there are as many stacks as allowed, those that are used least go together by where
 * they are, so that there is room for new ones. What stays keeps all that it has.
 */
#ifndef TK_MODEL_SCOPES_PATH_FOLD_H
#define TK_MODEL_SCOPES_PATH_FOLD_H

#include "model/scopes/call_paths.h"

/* How much a node of a lane is used, and what follows when nodes have gone together (query/builder.h). */
struct tk_path_folding {
    uint64_t (*uses)(void *ctx, uint32_t lane, uint32_t node);
    int (*fold)(void *ctx, uint32_t lane, const uint32_t *to, size_t n);
    void *ctx;
};

#define TK_PATH_STAYS UINT64_MAX /* uses: a node that stays, with all around it */

/* Uses in steps of an eighth: what a node weighs. */
uint16_t tk_path_weight(uint64_t uses);

/* How many stacks are known to lie beyond the limit, 10 to 12 bytes each: a multiple of those that have a
 * node, and so many in any case. */
#define TK_PATHS_FOLDED       2u
#define TK_PATHS_FOLDED_LEAST 4096u
static inline size_t tk_paths_most_folded(const struct tk_paths *p)
{
    const size_t most = tk_paths_count(p) * TK_PATHS_FOLDED;
    return most < TK_PATHS_FOLDED_LEAST ? TK_PATHS_FOLDED_LEAST : most;
}

/*
 * Takes a sixteenth of the nodes, later a quarter, out of the paths of a lane, those with the fewest uses and
 * none below them with more: their scopes are beyond the limit from now on (tk_paths_beyond). weight: of each
 * node that of its uses (tk_path_weight); changed. Nodes get new numbers: node i is to[i] in the
 * end, at most i, and each number that is new is the next one; with TK_PATH_INSIDE what was around it has
 * gone, too, and whatever was inside of node i stays so. 0; 1 where all have to stay, or -1 without memory,
 * when nothing has changed.
 */
int tk_paths_fold(struct tk_paths *p, uint16_t *weight, uint32_t *to);

#endif
