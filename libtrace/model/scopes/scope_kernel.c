/*
 * Kernels of the scope model. One body, in which the compiler leaves out what a kernel does not need.
 *
 * Whether an op is a begin or an end cannot be predicted, so no op is asked. A block of ops lies above the
 * stack (scope_block.h) and is worked off from end to end. The ops that begin before an end stand in a row,
 * so the places of eight of them are written at once, whether there are so many or not (scope_levels.h). What
 * slices have from beside the stack is filled in afterwards (scope_beside.h).
 */
#include "base/bits.h"
#include "model/scopes/scope_beside.h"
#include "model/scopes/scope_block.h"
#include "model/scopes/scope_lane.h"
#include "model/scopes/scope_levels.h"

#define TK_SCOPE_SEGMENTS 0x100u /* frames or a selection */
#define TK_SCOPE_STATS    (TK_SCOPE_SEGMENTS | TK_SLICE_OUTER | TK_SLICE_FRAME)
#define TK_SCOPE_PATHS    (TK_SCOPE_SEGMENTS | TK_SLICE_FRAME | TK_SLICE_BEGIN | TK_SLICE_PATH)
#define TK_SCOPE_STACKS   (TK_SCOPE_STATS | TK_SLICE_NO_FRAME | TK_SLICE_PATH)
#define TK_SCOPE_PLACES   (TK_SCOPE_STATS | TK_SLICE_BEGIN | TK_SLICE_PLACE)
#define TK_SCOPE_ALL      (TK_SCOPE_PLACES | TK_SLICE_PATH | TK_SLICE_TEXT)
#define TK_SCOPE_LABELS   (TK_SCOPE_SEGMENTS | TK_SLICE_OUTER | TK_SLICE_TEXT)
#define TK_SCOPE_CALLS    (TK_SCOPE_PATHS | TK_SLICE_TEXT)

/* Of an end, whether it is another's than the top's. */
TK_ALWAYS_INLINE bool tk_scope_is_others(uint32_t was, uint32_t op)
{
    return ((was ^ op) >> 28) != 8;
}

/* Works off the ops of a block up to one that another has to, and makes its end that one. Ends get the timers
 * of their scopes. before, ids: of the stack, from the first op of the block on; before gets what the closed
 * scopes had for themselves after each end. */
TK_ALWAYS_INLINE void tk_scope_work_off(struct tk_scope_block *b, struct tk_scope_levels *l, uint64_t *before,
                                        const uint64_t *ids, struct tk_slice_room *out, uint64_t selected,
                                        uint64_t counts, unsigned want)
{
    const int64_t *const time = b->time;
    uint32_t *const ops = b->op;
    uint64_t own = before[0];
    size_t done = 0, top = l->top, at = out->n, n_ended = 0;
    for (uint64_t ends = b->ends; ends; ends &= ends - 1) {
        const size_t end = tk_zeros_below(ends);
        top = tk_scope_open_row(l, top, done, end - done, n_ended);
        const ptrdiff_t place = l->op[top];
        const uint32_t was = ops[place];
        if (tk_rarely(tk_scope_is_others(was, ops[end]))) {
            tk_scope_block_cut(b, end);
            done = end;
            break;
        }
        if (tk_rarely(top > l->greatest))
            l->greatest = top;
        const int64_t begin = time[place], last = time[end];
        const uint64_t total = (uint64_t)last - (uint64_t)begin, own_before = before[l->before[top]];
        out->timer[at] = was & TK_OP_TIMER;
        out->total[at] = total;
        out->excl[at] = total - (own - own_before);
        if (want & TK_SLICE_BEGIN) {
            out->begin[at] = begin;
            out->end[at] = last;
        }
        if (want & TK_SLICE_PLACE) {
            out->depth[at] = (uint32_t)top;
            out->id[at] = ids[place];
            out->parent[at] = ids[l->op[top - 1]];
        }
        if (want & TK_SLICE_OUTER) {
            l->closed[n_ended] = (int8_t)place;
            ops[end] |= was & TK_OP_TIMER;
        }
        own = own_before + (total & (0 - counts));
        before[++n_ended] = own;
        at += (size_t)selected;
        top--;
        done = end + 1;
    }
    l->top = tk_scope_open_row(l, top, done, b->n - done, n_ended);
    l->greatest = l->top > l->greatest ? l->top : l->greatest;
    l->n_closed = n_ended;
}

/* ---- blocks ---- */

/* Readies the block at the first of n ops that are left; it may have none. Returns how many it was tried
 * with. */
TK_ALWAYS_INLINE size_t tk_scope_open_block(struct tk_scope_block *b, const struct tk_scope_lane *lane,
                                            const struct tk_slice_room *out, const int64_t *time,
                                            const uint32_t *op, size_t n, unsigned want)
{
    const int64_t border = want & TK_SCOPE_SEGMENTS ? lane->segment.border : INT64_MAX;
    const size_t room = lane->cap > lane->depth ? lane->cap - lane->depth : 0;
    b->time = lane->stack.begin + lane->depth + 1;
    b->op = lane->stack.op + lane->depth + 1;
    b->n = n < lane->ahead ? n : lane->ahead;
    b->n = b->n < room ? b->n : room;
    const size_t tried = b->n;
    if (!tried)
        return 0;
    tk_scope_block_take(b, time, op, n, lane->last, border);
    if (want & TK_SLICE_OUTER)
        tk_scope_block_below(b, out->n_open);
    return tried;
}

/* Fills the other columns of the slices of a block. */
TK_ALWAYS_INLINE void tk_scope_put_beside(const struct tk_scope_lane *lane, struct tk_slice_room *out,
                                          const struct tk_scope_block *b, const struct tk_scope_levels *l,
                                          const struct tk_str *const *texts, uint64_t selected, unsigned want)
{
    const size_t depth = lane->depth;
    if (want & TK_SLICE_OUTER) {
        uint8_t *const outer = lane->stack.outer + depth + 1;
        tk_scope_count_open(out, outer, b->op, b->n);
        for (size_t i = 0; selected && i < l->n_closed; i++)
            out->outer[out->n + i] = outer[l->closed[i]];
    }
    if (want & TK_SLICE_PATH)
        tk_scope_put_hashes(out, lane->hashes + depth, b->op, b->n, selected);
    if (want & TK_SLICE_TEXT)
        tk_scope_put_texts(out, lane->texts + depth, b->op, texts, b->n, selected);
}

/* Works off a block, up to its new end. */
TK_ALWAYS_INLINE void tk_scope_run_block(struct tk_scope_lane *lane, struct tk_slice_room *out,
                                         struct tk_scope_block *b, const int64_t *time,
                                         const struct tk_str *const *texts, unsigned want)
{
    const uint64_t selected = want & TK_SCOPE_SEGMENTS ? (uint64_t)lane->segment.selected : 1;
    const uint64_t counts = want & TK_SCOPE_SEGMENTS ? (uint64_t)lane->segment.counts : 1;
    uint64_t *const before = lane->stack.before + lane->depth + 1;
    uint64_t *const ids = lane->stack.id + lane->depth + 1;
    struct tk_scope_levels levels;
    tk_scope_levels_init(&levels);
    before[0] = lane->own;
    if (want & TK_SLICE_PLACE)
        tk_scope_put_ids(ids, lane->begun, b->op, b->n);
    tk_scope_work_off(b, &levels, before, ids, out, selected, counts, want);
    if (!b->n)
        return;
    tk_scope_put_beside(lane, out, b, &levels, texts, selected, want);
    const size_t ends = levels.n_closed, n = ends & (0 - (size_t)selected);
    const size_t greatest = lane->depth + levels.greatest;
    tk_scope_put_frame(out, out->n, out->n + n, lane->segment.frame, b->time[b->n - 1], want);
    for (size_t i = out->n; want & TK_SLICE_PLACE && i < out->n + n; i++)
        out->depth[i] += (uint32_t)lane->depth - TK_SCOPE_BLOCK - 1;
    lane->own = before[ends];
    lane->last = b->time[b->n - 1];
    lane->raised += tk_scope_block_raised(b, time);
    lane->begun += b->n - ends;
    lane->scopes += n;
    out->n += n;
    tk_scope_move_down(&lane->stack, &levels, lane->depth, want);
    lane->depth += levels.top - TK_SCOPE_BLOCK;
    lane->max_depth =
        greatest > lane->max_depth + TK_SCOPE_BLOCK ? greatest - TK_SCOPE_BLOCK : lane->max_depth;
}

TK_ALWAYS_INLINE size_t tk_scope_run(struct tk_scope_lane *lane, struct tk_slice_room *out,
                                     const int64_t *times, const uint32_t *ops,
                                     const struct tk_str *const *texts, size_t n, unsigned want)
{
    struct tk_scope_block b;
    size_t done = 0;
    while (done < n && out->n + TK_SCOPE_BLOCK <= TK_SLICE_ROOM) {
        const size_t tried = tk_scope_open_block(&b, lane, out, times + done, ops + done, n - done, want);
        if (b.n)
            tk_scope_run_block(lane, out, &b, times + done, texts ? texts + done : NULL, want);
        done += b.n;
        lane->ahead = b.n < tried ? TK_SCOPE_STEP : TK_SCOPE_BLOCK;
        if (b.n < tried || !tried)
            break;
    }
    return done;
}

#define TK_SCOPE_KERNEL(name, want)                                                                          \
    static size_t name(struct tk_scope_lane *lane, struct tk_slice_room *out, const int64_t *time,           \
                       const uint32_t *op, const struct tk_str *const *text, size_t n)                       \
    {                                                                                                        \
        return tk_scope_run(lane, out, time, op, text, n, want);                                             \
    }

TK_SCOPE_KERNEL(tk_scope_run_bare, 0)
TK_SCOPE_KERNEL(tk_scope_run_outer, TK_SLICE_OUTER)
TK_SCOPE_KERNEL(tk_scope_run_selected, TK_SCOPE_SEGMENTS)
TK_SCOPE_KERNEL(tk_scope_run_stats, TK_SCOPE_STATS)
TK_SCOPE_KERNEL(tk_scope_run_paths, TK_SCOPE_PATHS)
TK_SCOPE_KERNEL(tk_scope_run_stacks, TK_SCOPE_STACKS)
TK_SCOPE_KERNEL(tk_scope_run_places, TK_SCOPE_PLACES)
TK_SCOPE_KERNEL(tk_scope_run_labels, TK_SCOPE_LABELS)
TK_SCOPE_KERNEL(tk_scope_run_calls, TK_SCOPE_CALLS)
TK_SCOPE_KERNEL(tk_scope_run_all, TK_SCOPE_ALL)

/* What there is all of, there is some of. */
static unsigned filled(const struct tk_scope_kernel *k)
{
    return k->columns | (k->columns & TK_SLICE_BEGIN ? TK_SLICE_NO_FRAME : 0);
}

const struct tk_scope_kernel *tk_scope_kernel_for(const struct tk_scope_rules *rules)
{
    /* those with paths and texts, which a lane may be without, come last */
    static const struct tk_scope_kernel kernels[] = {
        {tk_scope_run_bare, 0},
        {tk_scope_run_outer, TK_SLICE_OUTER},
        {tk_scope_run_selected, TK_SCOPE_SEGMENTS},
        {tk_scope_run_stats, TK_SCOPE_STATS},
        {tk_scope_run_places, TK_SCOPE_PLACES},
        {tk_scope_run_paths, TK_SCOPE_PATHS},
        {tk_scope_run_stacks, TK_SCOPE_STACKS},
        {tk_scope_run_labels, TK_SCOPE_LABELS},
        {tk_scope_run_calls, TK_SCOPE_CALLS},
        {tk_scope_run_all, TK_SCOPE_ALL},
    };
    unsigned want = rules->columns & ~TK_SLICE_WHOLE;
    if (rules->frames || !rules->select->all_time)
        want |= TK_SCOPE_SEGMENTS;
    const struct tk_scope_kernel *k = kernels;
    while (want & ~filled(k))
        k++;
    return k;
}
