/*
 * Sums by frame.
 */
#include "model/sums/frame_sums.h"

#include "base/bits.h"
#include "tracekit/queries.h"

#include <assert.h>
#include <string.h>

static_assert(TK_FRAMES_PER_LANE <= TK_FRAMES_SHARED, "room for the sums of a row");

void tk_frame_sums_init(struct tk_frame_sums *s, const struct tk_query_context *view, bool per_lane)
{
    const struct tk_frames *frames = view->frames;
    size_t n = frames->n;
    *s = (struct tk_frame_sums){.frames = frames,
                                .select = view->select,
                                .dict = view->dict,
                                .per_lane = per_lane,
                                .by_source = view->query->by & TK_BY_SOURCE};
    s->window.size = per_lane ? TK_FRAMES_PER_LANE : TK_FRAMES_SHARED;
    if (n && frames->v[n - 1].to == INT64_MAX)
        n--;
    s->n_frames = n < TK_FRAME_PARTS ? (uint32_t)n : TK_FRAME_PARTS - 1;
    for (uint32_t i = 0; i < s->n_frames; i++)
        s->n_selected += tk_select_touches(s->select, frames->v[i].from, frames->v[i].to);
}

/* ---- closing frames ---- */

/* Frames from .. to - 1 of a window. */
struct tk_frame_stretch {
    uint32_t from, to, mask;
};

/* Bits of the frames of a stretch, as in `pending`. */
static uint64_t tk_frame_bits(struct tk_frame_stretch f)
{
    uint32_t n = f.to - f.from, shift = f.from % 64;
    if (n >= 64)
        return UINT64_MAX;
    uint64_t bits = (UINT64_C(1) << n) - 1;
    return shift ? bits << shift | bits >> (64 - shift) : bits;
}

static int tk_frame_row_fold(struct tk_timer_sum_set *set, struct tk_timer_sum_entry *into,
                             struct tk_timer_sum_side *from, struct tk_frame_stretch f)
{
    if (!from->pending)
        return 0;
    if (!into->side->pending && tk_frame_pend(set, into->timer, into->side))
        return -1;
    into->side->pending |= from->pending;
    for (uint32_t i = f.from; i < f.to; i++) {
        into->side->frames->open[i & f.mask] += from->frames->open[i & f.mask];
        from->frames->open[i & f.mask] = 0;
    }
    return 0;
}

/*
 * Takes the sums that are not 0 out of a row. In a large window most frames of a row have one; whether one
 * has cannot be predicted, so there is no branch on it.
 */
static uint32_t tk_frame_row_drain(struct tk_frame_row *row, struct tk_frame_stretch f, uint64_t *sums)
{
    uint32_t n = 0;
    for (uint32_t i = f.from; i < f.to; i++) {
        uint64_t sum = row->open[i & f.mask];
        row->open[i & f.mask] = 0;
        sums[n] = sum;
        n += sum != 0;
    }
    return n;
}

/* The same in a window of 64, where few frames have one. */
static uint32_t tk_frame_row_drain_bits(struct tk_frame_row *row, uint64_t bits, uint64_t *sums)
{
    uint32_t n = 0;
    for (uint32_t i = 0; bits; i++, bits >>= 1) {
        const unsigned zeros = tk_zeros_below(bits);
        i += zeros;
        bits >>= zeros;
        sums[n] = bits & 1 ? row->open[i] : 0;
        row->open[i] = bits & 1 ? 0 : row->open[i];
        n += sums[n] != 0;
    }
    return n;
}

static int tk_frame_row_close(struct tk_frame_row *row, const uint64_t *sums, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        tk_sketch_prefetch(&row->sums, tk_sketch_bucket(TK_SKETCH_FRAMES, sums[i]));
    for (uint32_t i = 0; i < n; i++) {
        row->total += sums[i];
        row->most = sums[i] > row->most ? sums[i] : row->most;
        if (tk_sketch_add(&row->sums, TK_SKETCH_FRAMES, sums[i]))
            return -1;
    }
    row->busy += n;
    return 0;
}

/* The timer that a late one turned out to be, the first of its key; the same where it is not reported yet. 0,
 * or -1 if out of memory.
 */
static int tk_frame_timer(const struct tk_frame_sums *s, uint32_t *timer)
{
    uint32_t slot = *timer - TK_LATE;
    if (*timer < TK_LATE) {
        *timer = s->by_source ? *timer : tk_timer_keys_of(&s->dict->keys, *timer);
        return 0;
    }
    if (slot < s->dict->late.n && s->dict->late.v[slot] != TK_MAP_NONE) {
        *timer = s->dict->late.v[slot];
        *timer = s->by_source ? *timer : tk_timer_keys_of(&s->dict->keys, *timer);
    } else if (s->finishing) {
        const struct tk_timer *unknown = tk_dict_timer(s->dict, *timer);
        if (!unknown)
            return -1;
        *timer = unknown->info.id;
    }
    return 0;
}

/* Moves the sums of a set's rows to where they are closed: of the same set, only those of timers that turned
 * out to be others. */
static int tk_frame_set_fold(const struct tk_frame_sums *s, struct tk_timer_sum_set *into,
                             struct tk_timer_sum_set *set, struct tk_frame_stretch f)
{
    struct tk_timer_sum_entry e, to;
    for (size_t at = 0;
         tk_timer_sum_next(set, &at, &e) && (into != set || e.timer >= TK_LATE || s->dict->keys.merged);) {
        uint32_t timer = e.timer;
        if (tk_frame_timer(s, &timer))
            return -1;
        if (into == set && timer == e.timer)
            continue;
        if (tk_timer_sum_find(into, timer, &to) || tk_frame_row_fold(into, &to, e.side, f))
            return -1;
    }
    return 0;
}

/* Closes the frames of all rows of a set; rows with nothing more pending go from the list. */
static int tk_frame_set_close(struct tk_timer_sum_set *set, struct tk_frame_stretch f)
{
    uint64_t sums[TK_FRAMES_SHARED], bits = tk_frame_bits(f);
    size_t kept = 0;
    for (size_t i = 0; i < set->pending.n; i++) {
        struct tk_timer_sum_entry e;
        if (tk_timer_sum_find(set, set->pending.v[i], &e))
            return -1;
        bool all = f.mask >= 64; /* a bit stands for several frames */
        uint32_t n = all ? tk_frame_row_drain(e.side->frames, f, sums)
                         : tk_frame_row_drain_bits(e.side->frames, e.side->pending & bits, sums);
        if (tk_frame_row_close(e.side->frames, sums, n))
            return -1;
        if (!all)
            e.side->pending &= ~bits;
        if (e.side->pending)
            set->pending.v[kept++] = e.timer;
    }
    set->pending.n = kept;
    return 0;
}

/* Moves the window so that it begins with `base`. */
static int tk_frame_sums_move(struct tk_frame_sums *s, struct tk_timer_sum_set *const *sets, size_t n,
                              uint32_t base)
{
    uint32_t size = s->window.size;
    struct tk_frame_stretch f = {s->window.base, base, size - 1};
    f.to = f.to - f.from < size ? f.to : f.from + size;
    f.to = f.to < s->n_frames ? f.to : s->n_frames; /* a frame without end is not counted */
    for (size_t i = 0; i < n; i++)
        if (sets[i] && tk_frame_set_fold(s, s->per_lane ? sets[i] : sets[0], sets[i], f))
            return -1;
    for (size_t i = 0; i < (s->per_lane ? n : 1); i++)
        if (sets[i] && tk_frame_set_close(sets[i], f))
            return -1;
    s->window.base = base;
    return 0;
}

/* ---- shares from outside of the window ---- */

struct tk_frame_shares {
    TK_VEC(struct tk_frame_share) list;
    TK_VEC(uint32_t) order;  /* indexes in list, by block of the frame that they begin with */
    TK_VEC(uint32_t) active; /* of them: those that reach into the block under way */
};

static void tk_frame_shares_release(struct tk_frame_shares *shares)
{
    tk_vec_release(&shares->list);
    tk_vec_release(&shares->order);
    tk_vec_release(&shares->active);
}

static uint64_t tk_frame_length(const struct tk_frame_sums *s, uint32_t frame)
{
    const struct tk_range *r = &s->frames->v[frame];
    return (uint64_t)tk_select_before(s->select, r->to) - (uint64_t)tk_select_before(s->select, r->from);
}

static uint64_t tk_frame_lengths(const struct tk_frame_sums *s, uint32_t frame, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += tk_frame_length(s, frame + i);
    return sum;
}

/* Takes the frames off a share that are closed or too many, into the total of its row. */
static int tk_frame_share_trim(struct tk_frame_sums *s, struct tk_timer_sum_set *set,
                               struct tk_frame_share *share)
{
    uint32_t spare = share->n > TK_FRAMES_SPREAD ? share->n - TK_FRAMES_SPREAD : 0;
    uint32_t closed = share->frame < s->window.base ? s->window.base - share->frame : 0;
    uint32_t off = spare > closed ? spare : closed;
    struct tk_timer_sum_entry e;
    off = off < share->n ? off : share->n;
    if (!off)
        return 0;
    if (tk_timer_sum_find(set, share->timer, &e) || !tk_frame_row_of(e.side, s->window.size))
        return -1;
    uint32_t left = share->n - off;
    uint64_t kept = share->full ? tk_frame_lengths(s, share->frame + off, left) : 0;
    e.side->frames->total += share->sum - kept;
    s->late += off;
    share->sum = kept;
    share->frame += off;
    share->n = left;
    return 0;
}

/* Collects the shares of all sets that are left after trimming. */
static int tk_frame_shares_collect(struct tk_frame_sums *s, struct tk_timer_sum_set *const *sets, size_t n,
                                   struct tk_frame_shares *shares)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; sets[i] && k < sets[i]->outside.n; k++) {
            struct tk_frame_share share = sets[i]->outside.v[k];
            share.set = (uint32_t)i;
            if (share.frame >= s->n_frames)
                continue;
            if (tk_frame_share_trim(s, sets[i], &share) || (share.n && tk_vec_push(&shares->list, share)))
                return -1;
        }
        if (sets[i])
            sets[i]->outside.n = 0;
    }
    return 0;
}

/* Adds what of a share lies in frames before `end`, which are in the window, and takes it off. */
static int tk_frame_share_add(struct tk_frame_sums *s, struct tk_timer_sum_set *const *sets,
                              struct tk_frame_share *share, uint32_t end)
{
    struct tk_timer_sum_entry e;
    if (tk_timer_sum_find(sets[share->set], share->timer, &e))
        return -1;
    for (; share->n && share->frame < end; share->frame++, share->n--) {
        if (!e.side->pending && tk_frame_pend(sets[share->set], share->timer, e.side))
            return -1;
        e.side->pending |= UINT64_C(1) << share->frame % 64;
        e.side->frames->open[share->frame & (s->window.size - 1)] +=
            share->full ? tk_frame_length(s, share->frame) : share->sum;
    }
    return 0;
}

/* One block of frames: shares that go on into it, then those that begin in it. */
static int tk_frame_block_add(struct tk_frame_sums *s, struct tk_timer_sum_set *const *sets,
                              struct tk_frame_shares *shares, const uint32_t *begin, size_t n, uint32_t end)
{
    size_t before = shares->active.n, kept = 0;
    if (tk_vec_reserve(&shares->active, before + n))
        return -1;
    if (n)
        memcpy(shares->active.v + before, begin, n * sizeof *begin);
    for (size_t i = 0; i < before + n; i++) {
        struct tk_frame_share *share = &shares->list.v[shares->active.v[i]];
        if (tk_frame_share_add(s, sets, share, end))
            return -1;
        if (share->n)
            shares->active.v[kept++] = shares->active.v[i];
    }
    shares->active.n = kept;
    return 0;
}

/* Orders shares by the block of frames that they begin in: starts[b] is where those of block b begin in the
 * order. */
static void tk_frame_shares_order(struct tk_frame_shares *shares, size_t *starts, size_t blocks,
                                  uint32_t base, uint32_t block)
{
    for (size_t i = 0; i < shares->list.n; i++)
        starts[(shares->list.v[i].frame - base) / block + 1]++;
    for (size_t b = 0; b < blocks; b++)
        starts[b + 1] += starts[b];
    for (size_t i = shares->list.n; i-- > 0;)
        shares->order.v[--starts[(shares->list.v[i].frame - base) / block + 1]] = (uint32_t)i;
    /* counting down moved every start to the one before it */
    memmove(starts, starts + 1, blocks * sizeof *starts);
    starts[blocks] = shares->list.n;
}

/* Goes over the frames block by block, moving the window on. Blocks are half a window. */
static int tk_frame_shares_add(struct tk_frame_sums *s, struct tk_timer_sum_set *const *sets, size_t n,
                               struct tk_frame_shares *shares, uint32_t seen)
{
    uint32_t base = s->window.base, block = s->window.size / 2;
    size_t blocks = seen > base ? (seen - base + block - 1) / block : 0;
    size_t *starts = calloc(blocks + 2, sizeof *starts);
    int rc = !starts || tk_vec_reserve(&shares->order, shares->list.n + 1) ? -1 : 0;
    if (rc == 0)
        tk_frame_shares_order(shares, starts, blocks, base, block);
    for (size_t b = 0; b < blocks && rc == 0; b++) {
        size_t begin = starts[b], count = starts[b + 1] - begin;
        uint32_t end = base + (uint32_t)(b + 1) * block;
        if (!count && !shares->active.n)
            continue;
        if (end - s->window.base > s->window.size)
            rc = tk_frame_sums_move(s, sets, n, end - s->window.size);
        if (rc == 0)
            rc = tk_frame_block_add(s, sets, shares, shares->order.v + begin, count, end);
    }
    free(starts);
    return rc;
}

/* One more than the newest frame that anything lies in. */
static uint32_t tk_frame_sums_seen(const struct tk_frame_sums *s, struct tk_timer_sum_set *const *sets,
                                   size_t n)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < n; i++)
        if (sets[i] && sets[i]->frames_seen > seen)
            seen = sets[i]->frames_seen;
    return seen < s->n_frames ? seen : s->n_frames;
}

int tk_frame_sums_advance(struct tk_frame_sums *s, struct tk_timer_sum_set *const *sets, size_t n)
{
    struct tk_frame_shares shares = {0};
    uint32_t seen = tk_frame_sums_seen(s, sets, n), behind = s->window.size / 2;
    int rc = tk_frame_shares_collect(s, sets, n, &shares);
    if (rc == 0 && shares.list.n)
        rc = tk_frame_shares_add(s, sets, n, &shares, seen);
    if (rc == 0 && seen > behind && seen - behind > s->window.base + behind / 2)
        rc = tk_frame_sums_move(s, sets, n, seen - behind);
    tk_frame_shares_release(&shares);
    return rc;
}

int tk_frame_sums_finish(struct tk_frame_sums *s, struct tk_timer_sum_set *const *sets, size_t n)
{
    s->finishing = true;
    int rc = tk_frame_sums_advance(s, sets, n);
    return rc ? rc : tk_frame_sums_move(s, sets, n, s->window.base + s->window.size);
}

uint64_t tk_frame_sums_percentile(const struct tk_frame_sums *s, const struct tk_frame_row *row,
                                  unsigned share, unsigned of)
{
    uint64_t busy = row ? row->busy : 0, idle = s->n_selected > busy ? s->n_selected - busy : 0;
    uint64_t rank = tk_sketch_rank(busy + idle, share, of);
    if (rank <= idle || !row)
        return 0;
    uint64_t value = tk_sketch_ranked(&row->sums, rank - idle);
    return value < row->most ? value : row->most;
}
