/*
 * Kernels of the scope model. One body, in which the compiler leaves out what a kernel does not need.
 *
 * Whether an op is a begin or an end cannot be predicted, so no op is requested. A block of ops lies above
 * the stack and is worked off from end to end. The ops that begin before an end stand in a row, so the places
 * of eight of them are written at once, whether there are so many or not. What slices have from alongside the
 * stack is filled in afterwards.
 */
#include "base/bits.h"
#include "fact/scopes.h"
#include "model/scopes/scope_lane.h"

#include <stdbool.h>
#include <string.h>

/* As below, of timers of which several are the same. */
TK_ALWAYS_INLINE void tk_scope_count_same(const struct tk_slice_space *out, uint8_t *outer,
                                          const uint32_t *op, size_t n)
{
    const uint32_t n_open = out->n_open;
    for (size_t i = 0; i < n; i++) {
        const uint32_t timer = op[i] & TK_OP_TIMER;
        uint32_t *open = &out->open[out->same[timer < n_open ? timer : n_open]];
        outer[i] = *open == 0;
        *open += 1 - 2 * (op[i] >> 31);
    }
}

/* Counts the scopes of n ops in and out, whose ends have the timers of their scopes, and says of each op
 * whether none of its timer was open. */
TK_ALWAYS_INLINE void tk_scope_count_open(const struct tk_slice_space *out, uint8_t *outer,
                                          const uint32_t *op, size_t n)
{
    uint32_t *const open_scopes = out->open;
    const uint32_t n_open = out->n_open; /* of late timers, which step begins, nothing is counted */
    for (size_t i = 0; i < n; i++) {
        const uint32_t timer = op[i] & TK_OP_TIMER;
        uint32_t *open = &open_scopes[timer < n_open ? timer : n_open];
        outer[i] = *open == 0;
        *open += 1 - 2 * (op[i] >> 31);
    }
}

/* Numbers the scopes that n ops begin. */
TK_ALWAYS_INLINE void tk_scope_put_ids(uint64_t *id, uint64_t begun, const uint32_t *op, size_t n)
{
    for (size_t i = 0; i < n; i++)
        id[i] = begun += op[i] >> 31 ^ 1;
}

TK_ALWAYS_INLINE void tk_scope_put_hashes(struct tk_slice_space *out, uint64_t *hash, const uint32_t *op,
                                          size_t n, uint64_t selected)
{
    size_t at = out->n;
    for (size_t i = 0; i < n; i++) {
        const uint64_t end = op[i] >> 31;
        out->hash[at] = *hash;
        hash[1] = tk_path_hash(*hash, op[i] & TK_OP_TIMER);
        hash += 1 - 2 * (ptrdiff_t)end;
        at += (size_t)(end & selected);
    }
}

/* texts NULL: none of the scopes has one. */
TK_ALWAYS_INLINE void tk_scope_put_texts(struct tk_slice_space *out, const struct tk_str **text,
                                         const uint32_t *op, const struct tk_str *const *texts, size_t n,
                                         uint64_t selected)
{
    size_t at = out->n;
    for (size_t i = 0; i < n; i++) {
        const uint64_t end = op[i] >> 31;
        out->text[at] = *text;
        text[1] = texts ? texts[i] : NULL;
        text += 1 - 2 * (ptrdiff_t)end;
        at += (size_t)(end & selected);
    }
}

/* What slices of one segment have in common, from `from` to `to`. */
TK_ALWAYS_INLINE void tk_scope_put_frame(struct tk_slice_space *out, size_t from, size_t to, uint32_t frame,
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

#if defined(__SSE2__) && !defined(TK_BITS_PLAIN)
#include <emmintrin.h>
#endif

#define TK_SCOPE_STEP TK_SCOPE_STACK_ABOVE /* ops that are looked at together */

/* From a first time below this, steps below that, as many as a block has, lead to no number that a time
 * cannot have. */
#define TK_SCOPE_TIMES (UINT64_C(1) << 62)
#define TK_SCOPE_GAP   (UINT64_C(1) << 55)

struct tk_scope_block {
    int64_t *time; /* in order, none before the lane's last; above the stack */
    uint32_t *op;  /* likewise */
    size_t n;
    uint64_t ends; /* a bit for each op: it is an end */
    bool steady;   /* the times are those of the run; else some may have been raised */
};

/*
 * Of a step of ops, with SSE2 and in plain C:
 *
 *   tk_scope_copy_times   copies the times; all bits that any gap from one to the next, and to that behind
 * them, has tk_scope_copy_ops     copies the ops; a bit for each: it is an end tk_scope_any_beyond   has one
 * of them a timer that is not below n?
 */
#if defined(__SSE2__) && !defined(TK_BITS_PLAIN)
TK_ALWAYS_INLINE uint64_t tk_scope_copy_times(int64_t *to, const int64_t *time)
{
    __m128i gaps = _mm_setzero_si128();
    for (size_t i = 0; i < TK_SCOPE_STEP; i += 2) {
        const __m128i one = _mm_loadu_si128((const __m128i *)(const void *)(time + i));
        const __m128i next = _mm_loadu_si128((const __m128i *)(const void *)(time + i + 1));
        gaps = _mm_or_si128(gaps, _mm_sub_epi64(next, one));
        _mm_storeu_si128((__m128i *)(void *)(to + i), one);
    }
    uint64_t all[2];
    memcpy(all, &gaps, sizeof all);
    return all[0] | all[1];
}

TK_ALWAYS_INLINE uint64_t tk_scope_copy_ops(uint32_t *to, const uint32_t *op)
{
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)op);
    const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(op + 4));
    _mm_storeu_si128((__m128i *)(void *)to, low);
    _mm_storeu_si128((__m128i *)(void *)(to + 4), high);
    const __m128i words = _mm_packs_epi32(low, high);
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(words, _mm_setzero_si128()));
}

TK_ALWAYS_INLINE bool tk_scope_any_beyond(const uint32_t *op, uint32_t n)
{
    const __m128i most = _mm_set1_epi32((int)(n - 1)), timers = _mm_set1_epi32((int)TK_OP_TIMER);
    __m128i beyond = _mm_setzero_si128();
    for (size_t i = 0; i < TK_SCOPE_STEP; i += 4) {
        const __m128i timer = _mm_and_si128(_mm_loadu_si128((const __m128i *)(const void *)(op + i)), timers);
        beyond = _mm_or_si128(beyond, _mm_cmpgt_epi32(timer, most));
    }
    return _mm_movemask_epi8(beyond);
}
#else
TK_ALWAYS_INLINE uint64_t tk_scope_copy_times(int64_t *to, const int64_t *time)
{
    uint64_t gaps = 0;
    for (size_t i = 0; i < TK_SCOPE_STEP; i++) {
        gaps |= (uint64_t)time[i + 1] - (uint64_t)time[i];
        to[i] = time[i];
    }
    return gaps;
}

TK_ALWAYS_INLINE uint64_t tk_scope_copy_ops(uint32_t *to, const uint32_t *op)
{
    uint64_t ends = 0;
    for (unsigned i = 0; i < TK_SCOPE_STEP; i++) {
        ends |= (uint64_t)(op[i] >> 31) << i;
        to[i] = op[i];
    }
    return ends;
}

TK_ALWAYS_INLINE bool tk_scope_any_beyond(const uint32_t *op, uint32_t n)
{
    bool any = false;
    for (unsigned i = 0; i < TK_SCOPE_STEP; i++)
        any |= (op[i] & TK_OP_TIMER) >= n;
    return any;
}
#endif

/* Ends the block before op n, where it has more. */
static inline void tk_scope_block_cut(struct tk_scope_block *b, size_t n)
{
    if (n >= b->n)
        return;
    b->n = n;
    b->ends &= (UINT64_C(1) << n) - 1;
}

/* Copies the last ops of a run, and some behind them. */
static inline void tk_scope_block_copy_last(struct tk_scope_block *b, const int64_t *time, const uint32_t *op)
{
    memcpy(b->time, time, b->n * sizeof *time);
    memcpy(b->op, op, b->n * sizeof *op);
    for (size_t i = b->n; i < b->n + TK_SCOPE_STEP; i++) {
        b->time[i] = time[b->n - 1];
        b->op[i] = 0;
    }
}

/* Raises times to the last one before, and ends the block at the border. */
static inline void tk_scope_block_raise(struct tk_scope_block *b, int64_t last, int64_t border)
{
    b->steady = false;
    for (size_t i = 0; i < b->n; i++) {
        last = b->time[i] < last ? last : b->time[i];
        if (last >= border)
            tk_scope_block_cut(b, i);
        else
            b->time[i] = last;
    }
}

/* Copies n ops of a run, of which `left` are left, above the stack; n is no more than a block has. */
TK_ALWAYS_INLINE void tk_scope_block_take(struct tk_scope_block *b, const int64_t *time, const uint32_t *op,
                                          size_t left, int64_t last, int64_t border)
{
    uint64_t gaps = 0;
    if (left < b->n + 2 * TK_SCOPE_STEP) {
        tk_scope_block_copy_last(b, time, op);
        time = b->time;
        op = b->op;
    }
    b->ends = 0;
    for (size_t i = 0; i < b->n; i += TK_SCOPE_STEP) {
        gaps |= tk_scope_copy_times(b->time + i, time + i);
        b->ends |= tk_scope_copy_ops(b->op + i, op + i) << i;
    }
    b->ends &= UINT64_MAX >> (TK_SCOPE_BLOCK - b->n);
    b->steady = gaps < TK_SCOPE_GAP && (uint64_t)time[0] < TK_SCOPE_TIMES && time[0] >= last &&
                time[b->n - 1] < border;
    if (tk_rarely(!b->steady))
        tk_scope_block_raise(b, last, border);
}

/* Ends the block at the first timer that is not below n, which is at most TK_LATE. */
TK_ALWAYS_INLINE void tk_scope_block_below(struct tk_scope_block *b, uint32_t n)
{
    bool any = false;
    for (size_t i = 0; i < b->n; i += TK_SCOPE_STEP)
        any |= tk_scope_any_beyond(b->op + i, n);
    for (size_t i = 0; tk_rarely(any) && i < b->n; i++)
        if ((b->op[i] & TK_OP_TIMER) >= n)
            tk_scope_block_cut(b, i);
}

/* How many of the times of the block were raised. */
static inline uint64_t tk_scope_block_raised(const struct tk_scope_block *b, const int64_t *time)
{
    uint64_t raised = 0;
    for (size_t i = 0; !b->steady && i < b->n; i++)
        raised += time[i] < b->time[i];
    return raised;
}

#define TK_SCOPE_ROW 8u /* ops whose places are written at once */

/*
 * What is open at each level. A place is that of an element of the stack's columns, the first op of the block
 * at 0, so that scopes of before have places below 0. The level of the top before the block is
 * TK_SCOPE_BLOCK.
 */
struct tk_scope_levels {
    int8_t op[2 * TK_SCOPE_BLOCK + 1 + TK_SCOPE_ROW];     /* place of its begin and op */
    int8_t before[2 * TK_SCOPE_BLOCK + 1 + TK_SCOPE_ROW]; /* and of what `before` says of it */
    size_t top;
    size_t greatest;
    int8_t closed[TK_SCOPE_BLOCK]; /* places of the scopes that ended, in order */
    size_t n_closed;
};

#define TK_SCOPE_TEN(n)        n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9
#define TK_SCOPE_PLACES_BEFORE (TK_SCOPE_BLOCK + 1u)

/* Places in order, from those of scopes before the block to those behind its last op. */
static const int8_t tk_scope_places[] = {
    -65,
    -64,
    -63,
    -62,
    -61,
    TK_SCOPE_TEN(-60),
    TK_SCOPE_TEN(-50),
    TK_SCOPE_TEN(-40),
    TK_SCOPE_TEN(-30),
    TK_SCOPE_TEN(-20),
    TK_SCOPE_TEN(-10),
    TK_SCOPE_TEN(0),
    TK_SCOPE_TEN(10),
    TK_SCOPE_TEN(20),
    TK_SCOPE_TEN(30),
    TK_SCOPE_TEN(40),
    TK_SCOPE_TEN(50),
    TK_SCOPE_TEN(60),
    70,
    71,
};

TK_ALWAYS_INLINE void tk_scope_levels_init(struct tk_scope_levels *l)
{
    memcpy(l->op, tk_scope_places, TK_SCOPE_PLACES_BEFORE);
    memcpy(l->before, tk_scope_places, TK_SCOPE_PLACES_BEFORE);
    l->top = l->greatest = TK_SCOPE_BLOCK;
}

/* Opens the n scopes that the ops from `from` on begin, after so many of the block have ended. Returns the
 * top. */
TK_ALWAYS_INLINE size_t tk_scope_open_row(struct tk_scope_levels *l, size_t top, size_t from, size_t n,
                                          size_t ended)
{
    const uint64_t same = ended * UINT64_C(0x0101010101010101);
    memcpy(l->op + top + 1, tk_scope_places + TK_SCOPE_PLACES_BEFORE + from, TK_SCOPE_ROW);
    memcpy(l->before + top + 1, &same, TK_SCOPE_ROW);
    for (size_t i = TK_SCOPE_ROW; tk_rarely(i < n); i += TK_SCOPE_ROW) {
        memcpy(l->op + top + 1 + i, tk_scope_places + TK_SCOPE_PLACES_BEFORE + from + i, TK_SCOPE_ROW);
        memcpy(l->before + top + 1 + i, &same, TK_SCOPE_ROW);
    }
    return top + n;
}

/* Moves the scopes of the block that are open to where their levels are, above `depth`, that of before the
 * block, or below it. */
TK_ALWAYS_INLINE void tk_scope_move_down(struct tk_scope_stack *s, const struct tk_scope_levels *l,
                                         size_t depth, unsigned want)
{
    uint64_t before[TK_SCOPE_BLOCK];
    size_t first = l->top + 1;
    while (l->op[first - 1] >= 0)
        first--;
    const size_t n = l->top + 1 - first, to = depth + first - TK_SCOPE_BLOCK;
    for (size_t i = 0; i < n; i++)
        before[i] = s->before[depth + 1 + (size_t)l->before[first + i]];
    for (size_t i = 0; i < n; i++) {
        const size_t from = depth + 1 + (size_t)l->op[first + i];
        s->begin[to + i] = s->begin[from];
        s->op[to + i] = s->op[from];
        s->before[to + i] = before[i];
        if (want & TK_SLICE_OUTER)
            s->outer[to + i] = s->outer[from];
        if (want & TK_SLICE_PLACE)
            s->id[to + i] = s->id[from];
    }
}

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
                                        const uint64_t *ids, struct tk_slice_space *out, uint64_t selected,
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
                                            const struct tk_slice_space *out, const int64_t *time,
                                            const uint32_t *op, size_t n, unsigned want)
{
    const int64_t border = want & TK_SCOPE_SEGMENTS ? lane->segment.border : INT64_MAX;
    const size_t space = lane->cap > lane->depth ? lane->cap - lane->depth : 0;
    b->time = lane->stack.begin + lane->depth + 1;
    b->op = lane->stack.op + lane->depth + 1;
    b->n = n < lane->ahead ? n : lane->ahead;
    b->n = b->n < space ? b->n : space;
    const size_t tried = b->n;
    if (!tried)
        return 0;
    tk_scope_block_take(b, time, op, n, lane->last, border);
    if (want & TK_SLICE_OUTER)
        tk_scope_block_below(b, out->n_open);
    return tried;
}

/* Fills the other columns of the slices of a block. */
TK_ALWAYS_INLINE void tk_scope_put_extra(const struct tk_scope_lane *lane, struct tk_slice_space *out,
                                         const struct tk_scope_block *b, const struct tk_scope_levels *l,
                                         const struct tk_str *const *texts, uint64_t selected, unsigned want)
{
    const size_t depth = lane->depth;
    if (want & TK_SLICE_OUTER) {
        uint8_t *const outer = lane->stack.outer + depth + 1;
        if (tk_rarely(out->same != NULL))
            tk_scope_count_same(out, outer, b->op, b->n);
        else
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
TK_ALWAYS_INLINE void tk_scope_run_block(struct tk_scope_lane *lane, struct tk_slice_space *out,
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
    tk_scope_put_extra(lane, out, b, &levels, texts, selected, want);
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

TK_ALWAYS_INLINE size_t tk_scope_run(struct tk_scope_lane *lane, struct tk_slice_space *out,
                                     const int64_t *times, const uint32_t *ops,
                                     const struct tk_str *const *texts, size_t n, unsigned want)
{
    struct tk_scope_block b;
    size_t done = 0;
    while (done < n && out->n + TK_SCOPE_BLOCK <= TK_SLICE_SPACE) {
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
    static size_t name(struct tk_scope_lane *lane, struct tk_slice_space *out, const int64_t *time,          \
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
