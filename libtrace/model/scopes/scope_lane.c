/*
 * A lane: its making, the space of its stack, and its summary at the end.
 */
#include "model/scopes/scope_lane.h"

#include <stdlib.h>
#include <string.h>

/*
 * Scopes that a source has closed already: they are slices as they come, and what the lane would know of its
 * stack is handed over at the end.
 */

struct tk_slices tk_scope_closed_slices(const struct tk_closed_scopes *closed)
{
    return (struct tk_slices){
        .thread = closed->thread,
        .lane = closed->lane,
        .kind = TK_LANE_THREAD,
        .n = closed->n,
        .timer = closed->timer,
        .key = closed->key,
        .total = closed->total,
        .excl = closed->excl,
        .outer = closed->outer,
    };
}

int tk_scope_closed_end(struct tk_scope_lane *lane, const struct tk_closed_lane *end)
{
    lane->seen = true;
    lane->scopes = end->scopes;
    lane->first = end->first;
    lane->last = end->last;
    lane->raised = end->raised;
    lane->too_deep = end->too_deep;
    lane->max_depth = end->max_depth;
    lane->own = end->covered;
    if (tk_vec_reserve(&lane->lost, end->n_lost))
        return -1;
    for (size_t i = 0; i < end->n_lost; i++)
        lane->lost.v[lane->lost.n++] = end->lost[i];
    lane->depth = end->n_open;
    for (size_t i = 0; i < end->n_open; i++)
        tk_scope_stack_set(&lane->stack, i + 1,
                           &(struct tk_stacked){.begin = end->open[i].begin,
                                                .before = end->covered,
                                                .op = end->open[i].timer});
    return 0;
}

/*
 * Space for open scopes.
 */

#define FLOOR ((struct tk_stacked){.op = UINT32_MAX}) /* ended by no op */

/* The columns of `n` elements in one piece of memory, those of the widest values first. */
static struct tk_scope_stack columns(void *memory, size_t n)
{
    struct tk_scope_stack s = {.begin = memory};
    s.before = (uint64_t *)(void *)(s.begin + n);
    s.id = s.before + n;
    s.op = (uint32_t *)(void *)(s.id + n);
    s.outer = (uint8_t *)(s.op + n);
    return s;
}

int tk_scope_stack_resize(struct tk_scope_stack *stack, size_t depth, size_t cap)
{
    const size_t n = 1 + cap + TK_SCOPE_STACK_ABOVE, scopes = depth + 1;
    const size_t bytes = 3 * sizeof(uint64_t) + sizeof(uint32_t) + sizeof(uint8_t);
    void *memory = n < cap || n > SIZE_MAX / bytes ? NULL : calloc(n, bytes);
    if (!memory)
        return -1;
    struct tk_scope_stack s = columns(memory, n);
    if (stack->begin) {
        memcpy(s.begin, stack->begin, scopes * sizeof *s.begin);
        memcpy(s.before, stack->before, scopes * sizeof *s.before);
        memcpy(s.id, stack->id, scopes * sizeof *s.id);
        memcpy(s.op, stack->op, scopes * sizeof *s.op);
        memcpy(s.outer, stack->outer, scopes * sizeof *s.outer);
    } else {
        tk_scope_stack_set(&s, 0, &FLOOR);
    }
    free(stack->begin);
    *stack = s;
    return 0;
}

void tk_scope_stack_release(struct tk_scope_stack *stack)
{
    free(stack->begin);
    *stack = (struct tk_scope_stack){0};
}

/* Scopes that the stack has space for above the top: at least, and of threads that had many after it grew. */
#define STACK_LEAST 16u
#define STACK_SPACE 96u
#define STACK_BUSY  256u /* scopes */

/* The hashes alongside a stack of a capacity, and one more, which a kernel writes before it knows. */
static int tk_scope_grow_hashes(struct tk_scope_lane *lane, size_t cap)
{
    uint64_t *hashes = realloc(lane->hashes, (cap + 2) * sizeof *hashes);
    if (!hashes)
        return -1;
    if (!lane->hashes)
        hashes[0] = tk_path_hash_empty();
    lane->hashes = hashes;
    return 0;
}

static int tk_scope_grow_texts(struct tk_scope_lane *lane, size_t cap)
{
    const struct tk_str **texts = realloc(lane->texts, (cap + 2) * sizeof *texts);
    if (!texts)
        return -1;
    if (!lane->texts)
        texts[0] = NULL;
    lane->texts = texts;
    return 0;
}

int tk_scope_lane_grow(const struct tk_scope_rules *rules, struct tk_scope_lane *lane, size_t n)
{
    const size_t capacity = lane->begun < STACK_BUSY ? STACK_LEAST : STACK_SPACE,
                 most = n < capacity ? n : capacity;
    const size_t least = lane->cap < capacity || n < STACK_LEAST ? most : STACK_LEAST;
    if (lane->stack.op && (lane->cap - lane->depth >= least || lane->cap >= rules->limit))
        return 0;
    size_t cap = lane->depth + most < rules->limit ? lane->depth + most : rules->limit;
    if (tk_scope_stack_resize(&lane->stack, lane->depth, cap))
        return -1;
    if ((rules->columns & TK_SLICE_PATH) && tk_scope_grow_hashes(lane, cap))
        return -1;
    if ((rules->columns & TK_SLICE_TEXT) && tk_scope_grow_texts(lane, cap))
        return -1;
    lane->cap = cap;
    return 0;
}

int tk_scope_lane_reserve(struct tk_scope_lane *lane, size_t depth)
{
    if (tk_scope_stack_resize(&lane->stack, lane->depth, depth + STACK_LEAST))
        return -1;
    lane->cap = depth + STACK_LEAST;
    return 0;
}

void tk_scope_lane_free(struct tk_scope_lane *lane)
{
    if (!lane)
        return;
    tk_scope_stack_release(&lane->stack);
    free(lane->hashes);
    free(lane->texts);
    tk_paths_release(&lane->paths);
    tk_vec_release(&lane->lost);
    free(lane);
}

struct tk_scope_lane *tk_scope_lane_new(const struct tk_scope_rules *rules, const struct tk_scope_run *run)
{
    struct tk_scope_lane *lane = calloc(1, sizeof *lane);
    if (!lane)
        return NULL;
    lane->thread = run->thread;
    lane->lane = run->lane;
    lane->kind = run->kind;
    lane->folding = rules->folding;
    lane->needs = rules->needs;
    lane->last = INT64_MIN;
    lane->segment.border = INT64_MIN;
    lane->ahead = TK_SCOPE_BLOCK;
    bool paths = rules->columns & TK_SLICE_PATH;
    if ((paths && tk_paths_init(&lane->paths, UINT64_MAX)) || tk_scope_lane_grow(rules, lane, STACK_LEAST)) {
        tk_scope_lane_free(lane);
        return NULL;
    }
    return lane;
}

void tk_scope_lane_open(const struct tk_scope_lane *lane, int64_t end, struct tk_open_scope *open)
{
    for (size_t k = 1; k <= lane->depth; k++) {
        const struct tk_scope_stack *s = &lane->stack;
        open[k - 1] = (struct tk_open_scope){.timer = s->op[k] & TK_OP_TIMER,
                                             .begin = s->begin[k],
                                             .id = s->id[k],
                                             .end = end,
                                             .inside = k < lane->depth ? s->begin[k + 1] : INT64_MAX,
                                             .children = tk_scope_children(lane, k),
                                             .parent = s->id[k - 1],
                                             .depth = (uint32_t)k - 1};
    }
}

uint32_t tk_scope_node(struct tk_scope_lane *lane, size_t k, uint32_t above)
{
    if (above != TK_PATH_LOST && tk_paths_is_beyond(&lane->paths, above))
        return tk_paths_beyond(&lane->paths, above);
    const uint32_t node =
        tk_paths_reach_stack(&lane->paths, lane->hashes[k], lane->stack.op[k] & TK_OP_TIMER);
    return node == TK_PATH_LOST ? tk_scope_beyond(lane, lane->hashes[k], above) : node;
}

int tk_scope_open_nodes(struct tk_scope_lane *lane, struct tk_open_scope *open)
{
    uint32_t node = TK_PATH_ROOT;
    for (size_t k = 1; k <= lane->depth && lane->hashes; k++) {
        node = open[k - 1].node = tk_scope_node(lane, k, node);
        if (node == TK_PATH_NONE)
            return -1;
    }
    return 0;
}

struct tk_lane_end tk_scope_lane_end(const struct tk_scope_lane *lane, struct tk_open_scope *open)
{
    tk_scope_lane_open(lane, INT64_MAX, open);
    return (struct tk_lane_end){
        .thread = lane->thread,
        .lane = lane->lane,
        .kind = lane->kind,
        .scopes = lane->scopes,
        .unmatched = lane->unmatched,
        .raised = lane->raised,
        .yielded = lane->yielded,
        .too_deep = lane->too_deep,
        .max_depth = (uint32_t)lane->max_depth,
        .first = lane->first,
        .last = lane->last,
        .open = open,
        .n_open = lane->depth,
        .lost = lane->lost.v,
        .n_lost = lane->lost.n,
        .paths = lane->hashes ? &lane->paths : NULL,
        .cut = lane->cut,
        .covered = (int64_t)lane->own,
    };
}

/*
 * A lane whose paths are full folds them, and gives what it has of nodes their new numbers.
 */

enum { FEWEST = 32 }; /* nodes that a lane may have without folding them */

/* Of the slices those below n_nodes and from `set` on have their nodes. */
static bool has_node(const struct tk_slice_space *out, size_t set, size_t slice)
{
    return slice < out->n_nodes || slice >= set;
}

/* How much each node is used, with the slices that are not taken yet. place is all zero: where the uses of
 * those stand in `waiting`, which is all zero too; the first is of no node. */
static void weigh_uses(const struct tk_scope_lane *lane, const struct tk_slice_space *out, size_t set,
                       uint32_t *place, uint64_t waiting[TK_SLICE_SPACE + 1], uint16_t *weight)
{
    uint32_t n = 0;
    for (size_t i = 0; i < out->n; i++)
        if (has_node(out, set, i)) {
            uint32_t *at = &place[tk_path_place(out->node[i])];
            *at = *at ? *at : ++n;
            waiting[*at] += out->excl[i] + 1;
        }
    for (uint32_t i = TK_PATH_LOST + 1; i < lane->paths.nodes.n; i++) {
        const uint64_t uses = lane->folding->uses(lane->folding->ctx, lane->lane, i);
        weight[i] = tk_path_weight(uses + waiting[place[i]]);
    }
}

/* Nodes that may be around what comes stay: those that are open, and what is around the slice before `set`.
 */
static void hold_around(const struct tk_scope_lane *lane, const struct tk_slice_space *out, size_t set,
                        uint16_t *weight)
{
    const struct tk_paths *paths = &lane->paths;
    for (size_t k = 0; k <= lane->depth; k++) {
        const uint64_t hash = k         ? lane->hashes[k]
                              : set > 0 ? tk_path_hash_below(out->hash[set - 1], out->timer[set - 1])
                                        : tk_path_hash_empty();
        const uint32_t node = tk_paths_at(paths, hash);
        if (node != TK_PATH_NONE)
            weight[node] = tk_path_weight(TK_PATH_STAYS);
    }
}

static uint32_t renumbered(const uint32_t *to, uint32_t node)
{
    return to[tk_path_place(node)] | (node & TK_PATH_INSIDE);
}

/* What is inside of a node is looked for anew; what is inside of one beyond the limit stays there. */
static void renumber_around(struct tk_slice_space *out, const uint32_t *to)
{
    for (size_t i = 0; i < out->around.n; i++) {
        struct tk_scope_around *around = &out->around.v[i];
        around->node = renumbered(to, around->node);
        around->beyond = around->beyond & TK_PATH_INSIDE ? renumbered(to, around->beyond) : TK_PATH_ROOT;
    }
}

static void renumber(struct tk_scope_lane *lane, struct tk_slice_space *out, size_t set, const uint32_t *to)
{
    for (size_t i = 0; i < out->n; i++)
        if (has_node(out, set, i))
            out->node[i] = renumbered(to, out->node[i]);
    for (size_t i = 0; i < lane->lost.n; i++)
        lane->lost.v[i].node = renumbered(to, lane->lost.v[i].node);
    renumber_around(out, to);
}

uint32_t tk_scope_beyond(struct tk_scope_lane *lane, uint64_t hash, uint32_t above)
{
    struct tk_paths *paths = &lane->paths;
    if (lane->folding && !tk_paths_is_beyond(paths, above) &&
        tk_paths_keep_folded(paths, hash, tk_paths_most_folded(paths)))
        return TK_PATH_NONE;
    return tk_paths_beyond(paths, above);
}

int tk_scope_fold(struct tk_scope_lane *lane, struct tk_slice_space *out, size_t set)
{
    const size_t n = lane->paths.nodes.n;
    if (!lane->folding || lane->paths.closed || tk_paths_count(&lane->paths) < FEWEST)
        return 1;
    uint16_t *weight = calloc(n, sizeof *weight);
    uint32_t *to = calloc(n, sizeof *to);
    uint64_t *waiting = calloc(TK_SLICE_SPACE + 1, sizeof *waiting);
    int rc = -1;
    if (weight && to && waiting) {
        weigh_uses(lane, out, set, to, waiting, weight);
        hold_around(lane, out, set, weight);
        rc = tk_paths_fold(&lane->paths, weight, to);
    }
    free(weight);
    free(waiting);
    if (rc == 0) {
        renumber(lane, out, set, to);
        rc = lane->folding->fold(lane->folding->ctx, lane->lane, to, n);
    }
    free(to);
    return rc;
}

/*
 * Sets the nodes of a lane's slices. Backwards, what is around a slice comes before it, so the scopes around
 * the next slice are held as a stack, and nobody looks for what lies inside of others beyond the limit.
 */

#define FETCHED 16u /* slices whose slots are on their way */

static struct tk_scope_around around_of(const struct tk_paths *paths, uint64_t hash, uint32_t node)
{
    const bool beyond = node != TK_PATH_NONE && node != TK_PATH_LOST && tk_paths_is_beyond(paths, node);
    return (struct tk_scope_around){hash, node, beyond ? node | TK_PATH_INSIDE : TK_PATH_ROOT};
}

/* How many that are open have no node yet. */
static size_t count_new(const struct tk_scope_lane *lane)
{
    size_t n = 0;
    for (size_t k = 1; k <= lane->depth; k++)
        n += tk_paths_at(&lane->paths, lane->hashes[k]) == TK_PATH_NONE;
    return n;
}

static int make_space_for_open(struct tk_scope_lane *lane, struct tk_slice_space *out)
{
    const struct tk_paths *paths = &lane->paths;
    const size_t there = tk_paths_count(paths), limit = paths->limit;
    if (!lane->folding || paths->closed || there + lane->depth <= limit || there + count_new(lane) <= limit)
        return 0;
    return tk_scope_fold(lane, out, out->n) < 0 ? -1 : 0;
}

/* Those that are open come first. 0, or -1 without memory. */
static int set_open(struct tk_scope_lane *lane, struct tk_slice_space *out)
{
    uint32_t node = TK_PATH_ROOT;
    out->around.n = 0;
    if (tk_vec_reserve(&out->around, lane->depth + 1 + out->n) || make_space_for_open(lane, out))
        return -1;
    out->around.v[out->around.n++] = (struct tk_scope_around){.hash = tk_path_hash_empty()};
    for (size_t k = 1; k <= lane->depth; k++) {
        node = tk_scope_node(lane, k, node);
        if (node == TK_PATH_NONE)
            return -1;
        out->around.v[out->around.n++] = around_of(&lane->paths, lane->hashes[k], node);
    }
    return 0;
}

/* What is right around a stack: those inside of it are around nothing that comes. NULL where it was left
 * before what was inside of it. */
static struct tk_scope_around *find_around(struct tk_slice_space *out, uint64_t below)
{
    for (size_t n = out->around.n; n-- > 0;)
        if (out->around.v[n].hash == below) {
            out->around.n = n + 1;
            return &out->around.v[n];
        }
    return NULL;
}

/* The node for a slice beyond the limit inside of a node. */
static uint32_t beyond_inside(struct tk_scope_lane *lane, struct tk_scope_around *around, uint32_t above)
{
    if (!around)
        return tk_paths_beyond(&lane->paths, above);
    if (around->beyond == TK_PATH_ROOT)
        around->beyond = tk_paths_beyond(&lane->paths, above);
    return around->beyond;
}

/* The node of slice i, whose stack has none yet. */
static uint32_t set_new(struct tk_scope_lane *lane, struct tk_slice_space *out, size_t i,
                        struct tk_scope_around *around)
{
    struct tk_paths *paths = &lane->paths;
    const uint64_t hash = out->hash[i];
    uint32_t above =
        around && around->node != TK_PATH_LOST ? around->node : tk_paths_around(paths, hash, out->timer[i]);
    if (above == TK_PATH_NONE)
        return TK_PATH_LOST;
    bool may_have = tk_paths_may_have(paths, hash);
    if (may_have && tk_paths_full(paths)) {
        if (tk_scope_fold(lane, out, i + 1) < 0)
            return TK_PATH_NONE;
        above = tk_paths_around(paths, hash, out->timer[i]);
        may_have = !tk_paths_full(paths);
    }
    if (may_have)
        return tk_paths_append(paths, above, out->timer[i], hash);
    if (lane->folding && tk_paths_keep_folded(paths, hash, tk_paths_most_folded(paths)))
        return TK_PATH_NONE;
    return beyond_inside(lane, around, above);
}

/* 0, or -1 without memory. */
static int set_node(struct tk_scope_lane *lane, struct tk_slice_space *out, size_t i)
{
    const uint64_t hash = out->hash[i];
    struct tk_scope_around *around = find_around(out, tk_path_hash_below(hash, out->timer[i]));
    struct tk_scope_around next = {hash, TK_PATH_LOST, TK_PATH_ROOT};
    if (around && around->beyond & TK_PATH_INSIDE) {
        next.node = next.beyond = around->beyond;
    } else {
        next.node = tk_paths_at(&lane->paths, hash);
        if (next.node == TK_PATH_NONE)
            next = around_of(&lane->paths, hash, set_new(lane, out, i, around));
    }
    out->node[i] = next.node;
    out->around.v[out->around.n++] = next;
    return next.node == TK_PATH_NONE ? -1 : 0;
}

/* The total from which on a slice needs its node. What is around one that does is no shorter. */
static uint64_t least_of_lane(const struct tk_scope_lane *lane)
{
    return lane->needs ? lane->needs->least(lane->needs->ctx, lane->lane) : 0;
}

/* Those that need none have none. Whether others are left. */
static bool any_needs(struct tk_slice_space *out, uint64_t least)
{
    bool any = false;
    for (size_t i = out->n_nodes; i < out->n; i++) {
        out->node[i] = TK_PATH_LOST;
        any |= out->total[i] >= least;
    }
    return any;
}

int tk_scope_set_nodes(struct tk_scope_lane *lane, struct tk_slice_space *out, bool leaving)
{
    const struct tk_paths *paths = &lane->paths;
    const uint64_t least = least_of_lane(lane);
    const bool any = any_needs(out, least);
    if ((any || leaving) && set_open(lane, out))
        return -1;
    for (size_t i = out->n; any && i-- > out->n_nodes;) {
        if (i >= out->n_nodes + FETCHED && out->total[i - FETCHED] >= least)
            tk_paths_fetch(paths, out->hash[i - FETCHED]);
        if (out->total[i] >= least && set_node(lane, out, i))
            return -1;
    }
    out->n_nodes = out->n;
    return 0;
}
