/*
 * Which stacks are used least, and what their nodes become. See path_fold.h.
 */
#include "model/scopes/path_fold.h"

#include <string.h>

/* Uses in steps of an eighth, so that a histogram finds those with the fewest; the last bucket stays. */
enum { STEPS = 8, BUCKETS = 64 * STEPS, STAYS = BUCKETS - 1 };

/* A part of the nodes: each that is new pays for a look at as many. Where more stacks were folded than there
 * are nodes, most come once, and the part is greater. */
#define FOLDED       16u
#define FOLDED_FLOOD 4u

static uint16_t bucket_of(uint64_t uses)
{
    if (uses < STEPS)
        return (uint16_t)uses;
    const unsigned top = 63 - tk_zeros_above(uses);
    return (uint16_t)((top - 2) * STEPS + (uses >> (top - 3) & (STEPS - 1)));
}

static bool is_timer(const struct tk_paths *p, size_t node)
{
    return p->nodes.v[node].timer != TK_PATH_BEYOND;
}

uint16_t tk_path_weight(uint64_t uses)
{
    return uses == TK_PATH_STAYS ? STAYS : bucket_of(uses);
}

/* Of each node its own weight or of those below it, which is greater. */
static void weigh(const struct tk_paths *p, uint16_t *weight)
{
    for (size_t i = p->nodes.n; i-- > TK_PATH_LOST + 1;) {
        if (!is_timer(p, i))
            continue;
        uint16_t *above = &weight[p->nodes.v[i].parent];
        *above = weight[i] > *above ? weight[i] : *above;
    }
}

/* Marks those that go in `to`: of those that are alike the newest, which are behind the nodes around them.
 * How many there are. */
static size_t choose(const struct tk_paths *p, const uint16_t *weight, uint32_t *to)
{
    size_t counts[BUCKETS] = {0}, n = 0, gone = 0;
    uint16_t border = 0;
    for (size_t i = TK_PATH_LOST + 1; i < p->nodes.n; i++)
        if (is_timer(p, i)) {
            counts[weight[i]]++;
            n++;
        }
    size_t left = n / (p->folded.count > n ? FOLDED_FLOOD : FOLDED) + 1;
    for (; border < STAYS && counts[border] < left; border++)
        left -= counts[border];
    for (size_t i = p->nodes.n; i-- > TK_PATH_LOST + 1;) {
        const bool at_border = weight[i] == border && border < STAYS && left;
        const bool goes = is_timer(p, i) && (weight[i] < border || at_border);
        to[i] = goes ? TK_PATH_NONE : TK_PATH_ROOT;
        left -= goes && weight[i] == border;
        gone += goes;
    }
    return gone;
}

/* Gives each node its place. A node comes behind what is around it, and becomes one node or none: so it is
 * never written behind itself, and neither memory nor a larger table is needed. */
static void move(struct tk_paths *p, uint32_t *to)
{
    const size_t n = p->nodes.n;
    struct tk_paths out = {.slots = p->slots, .mask = p->mask, .shift = p->shift};
    out.nodes.v = p->nodes.v, out.nodes.cap = p->nodes.cap;
    out.hashes.v = p->hashes.v, out.hashes.cap = p->hashes.cap;
    out.nodes.n = out.hashes.n = TK_PATH_LOST + 1;
    out.limit = n;
    memset(out.slots, 0, ((size_t)out.mask + 1) * sizeof *out.slots);
    for (size_t i = TK_PATH_LOST + 1; i < n; i++) {
        const struct tk_path_node node = out.nodes.v[i];
        const uint32_t above = to[node.parent];
        const bool stays = node.timer != TK_PATH_BEYOND && to[i] != TK_PATH_NONE;
        to[i] = stays ? tk_paths_reach(&out, above, node.timer) : tk_paths_beyond(&out, above);
    }
    p->nodes.n = out.nodes.n;
    p->hashes.n = out.hashes.n;
    p->beyond = out.beyond;
}

/* Of those that go the outermost ones are kept in mind: what is inside of them cannot come back without them.
 * 0, or -1 without memory. */
static int keep_folded(struct tk_paths *p, const uint32_t *to)
{
    const size_t most = tk_paths_most_folded(p);
    for (size_t i = TK_PATH_LOST + 1; i < p->nodes.n; i++) {
        const struct tk_path_node *node = &p->nodes.v[i];
        if (to[i] == TK_PATH_NONE && is_timer(p, node->parent) && to[node->parent] != TK_PATH_NONE &&
            tk_paths_keep_folded(p, p->hashes.v[i], most))
            return -1;
    }
    return 0;
}

int tk_paths_fold(struct tk_paths *p, uint16_t *weight, uint32_t *to)
{
    to[TK_PATH_ROOT] = TK_PATH_ROOT;
    to[TK_PATH_LOST] = TK_PATH_LOST;
    weigh(p, weight);
    if (!choose(p, weight, to))
        return 1;
    if (keep_folded(p, to))
        return -1;
    move(p, to);
    return 0;
}
