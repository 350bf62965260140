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

TK_ALWAYS_INLINE size_t tk_scope_run(struct tk_scope_lane *lane, struct tk_slice_room *out,
                                     const int64_t *times, const uint32_t *ops,
                                     const struct tk_str *const *texts, size_t n, unsigned want)
{
    struct tk_stacked *top = lane->stack + lane->depth;
    const struct tk_stacked *deepest = top;
    size_t at = out->n;
    int64_t last = lane->last;
    uint64_t begun = lane->begun, raised = 0;
    const struct tk_segment segment = lane->segment;
    const uint64_t selected = want & TK_SCOPE_SEGMENTS ? (uint64_t)segment.selected : 1;
    const uint64_t counts = want & TK_SCOPE_SEGMENTS ? (uint64_t)segment.counts : 1;
    uint32_t *const open_scopes = out->open;
    const uint32_t n_open = out->n_open;
    uint64_t *hash = want & TK_SLICE_PATH ? lane->hashes + lane->depth : NULL;            /* the top's */
    const struct tk_str **text = want & TK_SLICE_TEXT ? lane->texts + lane->depth : NULL; /* the top's */
    size_t i;

    for (i = 0; i < n; i++) {
        uint32_t op = ops[i], was = top->op;
        uint64_t end = op >> 31, counted = end & selected;
        int64_t t = times[i] < last ? last : times[i];
        /* of an end, whether it is the top's; nothing here may become a branch on `end` */
        if (tk_rarely(((was ^ op) >> 28 ^ 8) & (0 - (op >> 31))))
            break;
        if ((want & TK_SCOPE_SEGMENTS) && tk_rarely(t >= segment.border))
            break;
        if ((want & TK_SLICE_OUTER) && tk_rarely((op & TK_OP_TIMER) >= n_open))
            break;
        if (want & TK_SLICE_PATH) {
            out->hash[at] = *hash;
            hash[1] = tk_path_hash(*hash, op & TK_OP_TIMER);
            hash += 1 - 2 * (ptrdiff_t)end;
        }
        raised += times[i] < last;
        last = t;

        if (want & TK_SLICE_TEXT) {
            out->text[at] = *text;
            text[1] = texts[i];
            text += 1 - 2 * (ptrdiff_t)end;
        }

        uint64_t total = (uint64_t)t - (uint64_t)top->begin;
        out->timer[at] = was & TK_OP_TIMER;
        out->total[at] = total;
        out->excl[at] = total - top->children;
        if (want & TK_SLICE_BEGIN) {
            out->begin[at] = top->begin;
            out->end[at] = t;
        }
        if (want & TK_SLICE_PLACE) {
            out->id[at] = top->id;
            out->parent[at] = top[-1].id;
            out->depth[at] = (uint32_t)(top - lane->stack) - 1;
        }
        if (want & TK_SLICE_OUTER) {
            out->outer[at] = top->outer;
            uint32_t timer = (op | (was & (0 - (op >> 31)))) & TK_OP_TIMER; /* an end has none itself */
            uint32_t *open = &open_scopes[timer < n_open ? timer : n_open];
            top[1].outer = *open == 0;
            *open += 1 - 2 * (uint32_t)end;
        }
        at += (size_t)counted;

        top[-1].children += total & (0 - (end & counts));
        top[1].begin = t;
        top[1].children = 0;
        top[1].op = op;
        if (want & TK_SLICE_PLACE)
            top[1].id = begun += end ^ 1;
        top += 1 - 2 * (ptrdiff_t)end;
        deepest = top > deepest ? top : deepest;
    }

    if (want & TK_SLICE_FRAME)
        for (size_t k = out->n; k < at; k++)
            out->frame[k] = segment.frame;
    /* no frame lies between the end of a scope and the last time */
    if ((want & TK_SLICE_NO_FRAME) && segment.frame == TK_FRAME_NONE)
        for (size_t k = out->n; k < at; k++)
            out->end[k] = last;
    lane->depth = (size_t)(top - lane->stack);
    if ((size_t)(deepest - lane->stack) > lane->max_depth)
        lane->max_depth = (size_t)(deepest - lane->stack);
    lane->last = last;
    lane->begun = begun;
    lane->raised += raised;
    lane->scopes += at - out->n;
    out->n = at;
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
