/*
 * Kernels of the scope model. One body, in which the compiler leaves out what a kernel does not need.
 *
 * Whether an op is a begin or an end cannot be predicted, so there is no branch on it: each op both writes a
 * scope above the stack and a slice behind the slices, and depth and count say which of the two is there.
 * Paths, which have to be looked up, are only hashed here.
 */
#include "base/bits.h"
#include "model/scopes/scope_lane.h"
#define TK_SCOPE_SEGMENTS 0x100u /* frames or a selection */
#define TK_SCOPE_STATS    (TK_SCOPE_SEGMENTS | TK_SLICE_OUTER | TK_SLICE_FRAME)
#define TK_SCOPE_PATHS    (TK_SCOPE_SEGMENTS | TK_SLICE_FRAME | TK_SLICE_BEGIN | TK_SLICE_PATH)
#define TK_SCOPE_STACKS   (TK_SCOPE_STATS | TK_SLICE_NO_FRAME | TK_SLICE_PATH)
#define TK_SCOPE_PLACES   (TK_SCOPE_STATS | TK_SLICE_BEGIN | TK_SLICE_PLACE)
#define TK_SCOPE_ALL      (TK_SCOPE_PLACES | TK_SLICE_PATH | TK_SLICE_TEXT)
#define TK_SCOPE_LABELS   (TK_SCOPE_SEGMENTS | TK_SLICE_OUTER | TK_SLICE_TEXT)
#define TK_SCOPE_CALLS    (TK_SCOPE_PATHS | TK_SLICE_TEXT)

/* What a kernel knows of the lane while it runs; never pointed to, so that it stays in registers. */
struct tk_scope_hot {
    struct tk_stacked *top;
    const struct tk_stacked *deepest;
    size_t at; /* slices */
    int64_t last;
    uint64_t begun, raised;
    uint64_t selected, counts;  /* of the segment: 0 or 1 */
    uint64_t *hash;             /* the top's */
    const struct tk_str **text; /* the top's */
};

TK_ALWAYS_INLINE struct tk_scope_hot tk_scope_load(const struct tk_scope_lane *lane,
                                                   const struct tk_slice_room *out, unsigned want)
{
    struct tk_stacked *top = lane->stack + lane->depth;
    return (struct tk_scope_hot){
        .top = top,
        .deepest = top,
        .at = out->n,
        .last = lane->last,
        .begun = lane->begun,
        .selected = want & TK_SCOPE_SEGMENTS ? (uint64_t)lane->segment.selected : 1,
        .counts = want & TK_SCOPE_SEGMENTS ? (uint64_t)lane->segment.counts : 1,
        .hash = want & TK_SLICE_PATH ? lane->hashes + lane->depth : NULL,
        .text = want & TK_SLICE_TEXT ? lane->texts + lane->depth : NULL,
    };
}

TK_ALWAYS_INLINE void tk_scope_save(struct tk_scope_lane *lane, struct tk_slice_room *out,
                                    const struct tk_scope_hot *h)
{
    const size_t deepest = (size_t)(h->deepest - lane->stack);
    lane->depth = (size_t)(h->top - lane->stack);
    lane->max_depth = deepest > lane->max_depth ? deepest : lane->max_depth;
    lane->last = h->last;
    lane->begun = h->begun;
    lane->raised += h->raised;
    lane->scopes += h->at - out->n;
    out->n = h->at;
}

/* Of an end, whether it is another's than the top's; without a branch on begin or end. */
TK_ALWAYS_INLINE uint32_t tk_scope_is_others(uint32_t was, uint32_t op)
{
    return ((was ^ op) >> 28 ^ 8) & (0 - (op >> 31));
}

/* Of what stands beside the stack the slice gets the top's, and one above it is written. */
TK_ALWAYS_INLINE void tk_scope_put_hash(struct tk_scope_hot *h, struct tk_slice_room *out, uint32_t op,
                                        uint64_t end)
{
    out->hash[h->at] = *h->hash;
    h->hash[1] = tk_path_hash(*h->hash, op & TK_OP_TIMER);
    h->hash += 1 - 2 * (ptrdiff_t)end;
}

TK_ALWAYS_INLINE void tk_scope_put_text(struct tk_scope_hot *h, struct tk_slice_room *out,
                                        const struct tk_str *text, uint64_t end)
{
    out->text[h->at] = *h->text;
    h->text[1] = text;
    h->text += 1 - 2 * (ptrdiff_t)end;
}

/* Writes a slice of the top. Its total. */
TK_ALWAYS_INLINE uint64_t tk_scope_put(const struct tk_scope_hot *h, const struct tk_stacked *floor,
                                       struct tk_slice_room *out, uint32_t was, unsigned want)
{
    const struct tk_stacked *top = h->top;
    const size_t at = h->at;
    const uint64_t total = (uint64_t)h->last - (uint64_t)top->begin;
    out->timer[at] = was & TK_OP_TIMER;
    out->total[at] = total;
    out->excl[at] = total - top->children;
    if (want & TK_SLICE_BEGIN) {
        out->begin[at] = top->begin;
        out->end[at] = h->last;
    }
    if (want & TK_SLICE_PLACE) {
        out->id[at] = top->id;
        out->parent[at] = top[-1].id;
        out->depth[at] = (uint32_t)(top - floor) - 1;
    }
    return total;
}

/* Counts the scope in that the op begins, or that out which it ends. */
TK_ALWAYS_INLINE void tk_scope_count_open(const struct tk_scope_hot *h, struct tk_slice_room *out,
                                          uint32_t *open_scopes, uint32_t n_open, uint32_t was, uint32_t op,
                                          uint64_t end)
{
    out->outer[h->at] = h->top->outer;
    const uint32_t timer = (op | (was & (0 - (op >> 31)))) & TK_OP_TIMER; /* an end has none itself */
    uint32_t *open = &open_scopes[timer < n_open ? timer : n_open];
    h->top[1].outer = *open == 0;
    *open += 1 - 2 * (uint32_t)end;
}

/* Writes a scope above the top and goes there, or to the one below. */
TK_ALWAYS_INLINE void tk_scope_move(struct tk_scope_hot *h, uint32_t op, uint64_t end, uint64_t total,
                                    unsigned want)
{
    h->top[-1].children += total & (0 - (end & h->counts));
    h->top[1].begin = h->last;
    h->top[1].children = 0;
    h->top[1].op = op;
    if (want & TK_SLICE_PLACE)
        h->top[1].id = h->begun += end ^ 1;
    h->top += 1 - 2 * (ptrdiff_t)end;
    h->deepest = h->top > h->deepest ? h->top : h->deepest;
}

/* What slices of one segment have in common, from `from` to `to`. */
TK_ALWAYS_INLINE void tk_scope_put_frame(struct tk_slice_room *out, size_t from, size_t to, uint32_t frame,
                                         int64_t last, unsigned want)
{
    if (want & TK_SLICE_FRAME)
        for (size_t k = from; k < to; k++)
            out->frame[k] = frame;
    /* no frame lies between the end of a scope and the last time */
    if ((want & TK_SLICE_NO_FRAME) && frame == TK_FRAME_NONE)
        for (size_t k = from; k < to; k++)
            out->end[k] = last;
}

TK_ALWAYS_INLINE size_t tk_scope_run(struct tk_scope_lane *lane, struct tk_slice_room *out,
                                     const int64_t *times, const uint32_t *ops,
                                     const struct tk_str *const *texts, size_t n, unsigned want)
{
    struct tk_scope_hot h = tk_scope_load(lane, out, want);
    const struct tk_stacked *const floor = lane->stack;
    const int64_t border = lane->segment.border;
    uint32_t *const open_scopes = out->open;
    const uint32_t n_open = out->n_open;
    size_t i;

    for (i = 0; i < n; i++) {
        const uint32_t op = ops[i], was = h.top->op;
        const uint64_t end = op >> 31, counted = end & h.selected;
        const int64_t t = times[i] < h.last ? h.last : times[i];
        if (tk_rarely(tk_scope_is_others(was, op)))
            break;
        if ((want & TK_SCOPE_SEGMENTS) && tk_rarely(t >= border))
            break;
        if ((want & TK_SLICE_OUTER) && tk_rarely((op & TK_OP_TIMER) >= n_open))
            break;
        if (want & TK_SLICE_PATH)
            tk_scope_put_hash(&h, out, op, end);
        h.raised += times[i] < h.last;
        h.last = t;
        if (want & TK_SLICE_TEXT)
            tk_scope_put_text(&h, out, texts[i], end);
        const uint64_t total = tk_scope_put(&h, floor, out, was, want);
        if (want & TK_SLICE_OUTER)
            tk_scope_count_open(&h, out, open_scopes, n_open, was, op, end);
        h.at += (size_t)counted;
        tk_scope_move(&h, op, end, total, want);
    }
    tk_scope_put_frame(out, out->n, h.at, lane->segment.frame, h.last, want);
    tk_scope_save(lane, out, &h);
    return i;
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
