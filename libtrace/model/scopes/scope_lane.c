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
