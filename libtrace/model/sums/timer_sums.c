/*
 * Aggregation of slices.
 */
#include "model/sums/timer_sums.h"

#include "base/arena.h"
#include "base/bits.h"
#include "model/sums/frame_sums.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define LINE 64

static_assert(sizeof(struct tk_timer_sum_cell) == LINE, "a cell is a line of cache");
static_assert(sizeof(struct tk_timer_sum_page) % LINE == 0, "pages can be aligned");

static struct tk_timer_sum_page *tk_timer_sum_page_new(void)
{
    struct tk_timer_sum_page *page = tk_aligned_alloc(LINE, sizeof *page);
    if (!page)
        return NULL;
    for (unsigned i = 0; i < TK_TIMER_SUM_PAGE; i++) {
        page->cells[i] = (struct tk_timer_sum_cell){.min = UINT64_MAX};
        tk_sketch_init(&page->cells[i].sketch, TK_SKETCH_CALLS);
        page->sides[i] = (struct tk_timer_sum_side){0};
    }
    return page;
}

static void tk_timer_sum_page_free(struct tk_timer_sum_page *page)
{
    for (unsigned i = 0; page && i < TK_TIMER_SUM_PAGE; i++) {
        tk_sketch_release(&page->cells[i].sketch);
        tk_frame_row_free(page->sides[i].frames);
    }
    tk_aligned_free(page);
}

void tk_timer_sum_release(struct tk_timer_sum_set *set)
{
    for (size_t i = 0; i < set->pages.n; i++)
        tk_timer_sum_page_free(set->pages.v[i]);
    for (size_t i = 0; i < set->late.n; i++)
        tk_timer_sum_page_free(set->late.v[i]);
    tk_thin_blocks_release(&set->thin);
    tk_vec_release(&set->pages);
    tk_vec_release(&set->late);
    tk_vec_release(&set->outside);
    tk_vec_release(&set->pending);
    tk_vec_release(&set->sources);
}

struct tk_timer_sum_set *tk_timer_sum_sets_at(struct tk_timer_sum_sets *sets, size_t at, bool *fresh)
{
    *fresh = false;
    if (tk_vec_reach(&sets->list, at + 1))
        return NULL;
    if (!sets->list.v[at] && (sets->list.v[at] = calloc(1, sizeof *sets->list.v[at])))
        *fresh = true;
    return sets->list.v[at];
}

void tk_timer_sum_sets_release(struct tk_timer_sum_sets *sets)
{
    for (size_t i = 0; i < sets->list.n; i++) {
        if (sets->list.v[i])
            tk_timer_sum_release(sets->list.v[i]);
        free(sets->list.v[i]);
    }
    tk_vec_release(&sets->list);
}

/* The page of a timer, made on first use; NULL if out of memory. */
static struct tk_timer_sum_page *tk_timer_sum_page_of(struct tk_timer_sum_set *set, uint32_t timer)
{
    bool late = timer >= TK_LATE;
    size_t at = (late ? timer - TK_LATE : timer) / TK_TIMER_SUM_PAGE;
    size_t *n = late ? &set->late.n : &set->pages.n;
    if (at >= *n) {
        if (late ? tk_vec_reserve(&set->late, at + 1) : tk_vec_reserve(&set->pages, at + 1))
            return NULL;
        while (*n <= at)
            (late ? set->late.v : set->pages.v)[(*n)++] = NULL;
    }
    struct tk_timer_sum_page **page = &(late ? set->late.v : set->pages.v)[at];
    if (!*page)
        *page = tk_timer_sum_page_new();
    return *page;
}

int tk_timer_sum_find(struct tk_timer_sum_set *set, uint32_t timer, struct tk_timer_sum_entry *out)
{
    struct tk_timer_sum_page *page = tk_timer_sum_page_of(set, timer);
    if (!page)
        return -1;
    *out = (struct tk_timer_sum_entry){timer, &page->cells[timer % TK_TIMER_SUM_PAGE],
                                       &page->sides[timer % TK_TIMER_SUM_PAGE]};
    return 0;
}

bool tk_timer_sum_next(const struct tk_timer_sum_set *set, size_t *at, struct tk_timer_sum_entry *out)
{
    while (*at < (set->late.n + set->pages.n) * TK_TIMER_SUM_PAGE) {
        size_t p = *at / TK_TIMER_SUM_PAGE, i = *at % TK_TIMER_SUM_PAGE;
        bool late = p < set->late.n;
        struct tk_timer_sum_page *page = late ? set->late.v[p] : set->pages.v[p - set->late.n];
        size_t timer = late ? TK_LATE + *at : *at - set->late.n * TK_TIMER_SUM_PAGE;
        *at += page ? 1 : TK_TIMER_SUM_PAGE;
        if (page && (page->cells[i].count || page->sides[i].open || page->sides[i].frames)) {
            *out = (struct tk_timer_sum_entry){(uint32_t)timer, &page->cells[i], &page->sides[i]};
            return true;
        }
    }
    return false;
}

int tk_timer_sum_merge_cell(struct tk_timer_sum_set *set, struct tk_timer_sum_cell *into,
                            const struct tk_timer_sum_cell *from)
{
    into->count += from->count;
    into->total += from->total;
    into->excl += from->excl;
    into->incl += from->incl;
    into->min = from->min < into->min ? from->min : into->min;
    into->max = from->max > into->max ? from->max : into->max;
    return set->what & TK_TIMER_SUM_THIN ? tk_thin_sketch_merge(&into->sketch, &set->thin, &from->sketch)
                                         : tk_sketch_merge(&into->sketch, &from->sketch);
}

/* ---- frames ---- */

static int tk_timer_sum_put_outside(struct tk_timer_sum_set *set, uint32_t timer, uint32_t frame,
                                    uint64_t sum)
{
    struct tk_frame_share share = {.timer = timer, .frame = frame, .n = 1, .sum = sum};
    return tk_vec_push(&set->outside, share);
}

/* Adds to one frame. */
TK_ALWAYS_INLINE int tk_timer_sum_add_frame(struct tk_timer_sum_set *set,
                                            const struct tk_frame_window *window,
                                            struct tk_timer_sum_side *side, uint32_t timer, uint32_t frame,
                                            uint64_t sum)
{
    if (tk_rarely(frame - window->base >= window->size))
        return sum ? tk_timer_sum_put_outside(set, timer, frame, sum) : 0;
    if (tk_rarely(!side->pending) && tk_frame_pend(set, timer, side))
        return -1;
    side->pending |= UINT64_C(1) << frame % 64;
    side->frames->open[frame & (window->size - 1)] += sum;
    return 0;
}

static int tk_timer_sum_take_part(struct tk_timer_sum_set *set, const struct tk_slice_part *p, uint32_t timer)
{
    struct tk_timer_sum_entry e;
    if (p->frame + p->n > set->frames_seen)
        set->frames_seen = p->frame + p->n;
    if (!p->outer)
        return 0;
    if (p->n > 1) {
        struct tk_frame_share share = {
            .timer = timer, .frame = p->frame, .n = p->n, .full = true, .sum = p->total};
        return tk_vec_push(&set->outside, share);
    }
    if (tk_timer_sum_find(set, timer, &e))
        return -1;
    return tk_timer_sum_add_frame(set, set->window, e.side, timer, p->frame, p->total);
}

static int tk_timer_sum_take_parts(struct tk_timer_sum_set *set, const struct tk_slices *slices)
{
    size_t i = slices->n;
    while (i > 0 && slices->frame[i - 1] >= TK_FRAME_PARTS)
        i--;
    /* the last one is the newest */
    if (i > 0 && slices->frame[i - 1] >= set->frames_seen)
        set->frames_seen = slices->frame[i - 1] + 1;
    for (i = 0; i < slices->n_parts; i++)
        if (tk_timer_sum_take_part(set, &slices->parts[i], slices->key[slices->parts[i].slice]))
            return -1;
    return 0;
}

/* ---- slices ---- */

/* Slices that are looked at together: first the sums, then, when their lines had time to come, the counters.
 */
#define GROUP 64u

TK_ALWAYS_INLINE void tk_timer_sum_prefetch_frame(const struct tk_timer_sum_side *side,
                                                  const struct tk_frame_window *window, uint32_t frame)
{
    if (side->frames)
        tk_prefetch_write(&side->frames->open[frame & (window->size - 1)]);
}

TK_ALWAYS_INLINE int tk_timer_sum_sum(struct tk_timer_sum_set *set, const struct tk_slices *slices, size_t i,
                                      const struct tk_frame_window *window, struct tk_timer_sum_page **where,
                                      unsigned what)
{
    uint32_t timer = slices->key[i], at = timer / TK_TIMER_SUM_PAGE;
    uint64_t total = slices->total[i];
    struct tk_timer_sum_page *page = at < set->pages.n ? set->pages.v[at] : NULL;
    if (tk_rarely(!page) && !(page = tk_timer_sum_page_of(set, timer)))
        return -1;
    struct tk_timer_sum_cell *cell = &page->cells[timer % TK_TIMER_SUM_PAGE];
    cell->count++;
    cell->total += total;
    cell->excl += slices->excl[i];
    /* after a few they hardly ever change, so there is mostly nothing to be written */
    if (tk_rarely(total < cell->min))
        cell->min = total;
    if (tk_rarely(total > cell->max))
        cell->max = total;
    if (what & TK_TIMER_SUM_INCL)
        cell->incl += total & (0 - (uint64_t)slices->outer[i]);
    if (what & TK_TIMER_SUM_THIN && what & TK_TIMER_SUM_SKETCH)
        tk_thin_sketch_prefetch(&cell->sketch, tk_sketch_bucket(TK_SKETCH_CALLS, total));
    else if (what & TK_TIMER_SUM_SKETCH)
        tk_sketch_prefetch(&cell->sketch, tk_sketch_bucket(TK_SKETCH_CALLS, total));
    if (what & TK_TIMER_SUM_FRAMES)
        tk_timer_sum_prefetch_frame(&page->sides[timer % TK_TIMER_SUM_PAGE], window, slices->frame[i]);
    *where = page;
    return 0;
}

TK_ALWAYS_INLINE int tk_timer_sum_count(struct tk_timer_sum_set *set, const struct tk_slices *slices,
                                        size_t i, const struct tk_frame_window *window,
                                        struct tk_timer_sum_page *page, unsigned what)
{
    uint32_t timer = slices->key[i], at = timer % TK_TIMER_SUM_PAGE;
    uint64_t total = slices->total[i];
    struct tk_sketch *sketch = &page->cells[at].sketch;
    if ((what & TK_TIMER_SUM_SKETCH) &&
        tk_rarely(what & TK_TIMER_SUM_THIN ? tk_thin_sketch_add(sketch, &set->thin, TK_SKETCH_CALLS, total)
                                           : tk_sketch_add(sketch, TK_SKETCH_CALLS, total)))
        return -1;
    if ((what & TK_TIMER_SUM_FRAMES) && slices->frame[i] < TK_FRAME_PARTS)
        return tk_timer_sum_add_frame(set, window, &page->sides[at], timer, slices->frame[i],
                                      total & (0 - (uint64_t)slices->outer[i]));
    return 0;
}

TK_ALWAYS_INLINE int tk_timer_sum_run(struct tk_timer_sum_set *set, const struct tk_slices *slices,
                                      unsigned what)
{
    const struct tk_frame_window window =
        what & TK_TIMER_SUM_FRAMES ? *set->window : (struct tk_frame_window){0};
    struct tk_timer_sum_page *where[GROUP];
    for (size_t begin = 0, end; begin < slices->n; begin = end) {
        end = slices->n - begin < GROUP ? slices->n : begin + GROUP;
        for (size_t i = begin; i < end; i++)
            if (tk_rarely(tk_timer_sum_sum(set, slices, i, &window, &where[i - begin], what)))
                return -1;
        for (size_t i = begin; i < end && what & (TK_TIMER_SUM_SKETCH | TK_TIMER_SUM_FRAMES); i++)
            if (tk_rarely(tk_timer_sum_count(set, slices, i, &window, where[i - begin], what)))
                return -1;
    }
    return what & TK_TIMER_SUM_FRAMES ? tk_timer_sum_take_parts(set, slices) : 0;
}

static int tk_timer_sum_take_sums(struct tk_timer_sum_set *set, const struct tk_slices *slices)
{
    /* what gains by it has its own copy of the loop */
    switch (set->what & ~(TK_TIMER_SUM_SQUARES | TK_TIMER_SUM_SOURCES)) {
    case 0:
        return tk_timer_sum_run(set, slices, 0);
    case TK_TIMER_SUM_INCL:
        return tk_timer_sum_run(set, slices, TK_TIMER_SUM_INCL);
    case TK_TIMER_SUM_SKETCH:
        return tk_timer_sum_run(set, slices, TK_TIMER_SUM_SKETCH);
    case TK_TIMER_SUM_INCL | TK_TIMER_SUM_SKETCH:
        return tk_timer_sum_run(set, slices, TK_TIMER_SUM_INCL | TK_TIMER_SUM_SKETCH);
    case TK_TIMER_SUM_SKETCH | TK_TIMER_SUM_THIN:
        return tk_timer_sum_run(set, slices, TK_TIMER_SUM_SKETCH | TK_TIMER_SUM_THIN);
    case TK_TIMER_SUM_INCL | TK_TIMER_SUM_SKETCH | TK_TIMER_SUM_THIN:
        return tk_timer_sum_run(set, slices, TK_TIMER_SUM_INCL | TK_TIMER_SUM_SKETCH | TK_TIMER_SUM_THIN);
    default:
        return tk_timer_sum_run(set, slices, set->what);
    }
}

/* ---- squares ---- */

/* a * b in 128 bits, low half first. */
static void tk_timer_sum_multiply(uint64_t a, uint64_t b, uint64_t out[2])
{
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t low = a0 * b0, m = a1 * b0 + (low >> 32), k = a0 * b1 + (m & UINT32_MAX);
    out[0] = (k << 32) | (low & UINT32_MAX);
    out[1] = a1 * b1 + (m >> 32) + (k >> 32);
}

void tk_timer_sum_merge_squares(uint64_t into[2], const uint64_t from[2])
{
    into[0] += from[0];
    into[1] += from[1] + (into[0] < from[0]);
}

double tk_timer_sum_deviation(const struct tk_timer_sum_cell *cell, const uint64_t squares[2])
{
    if (cell->count < 2)
        return 0;
    /* With the whole part m of the mean, and the rest r of the total: the squares of what differs from m sum
     * up to squares - m * (total + r), which is exact. */
    uint64_t m = cell->total / cell->count, r = cell->total % cell->count, product[2];
    tk_timer_sum_multiply(m, cell->total + r, product);
    uint64_t low = squares[0] - product[0], high = squares[1] - product[1] - (squares[0] < product[0]);
    double sum = (double)high * 18446744073709551616.0 + (double)low;
    sum -= (double)r * (double)r / (double)cell->count;
    return sum > 0 ? sqrt(sum / (double)(cell->count - 1)) : 0;
}

static int tk_timer_sum_take_squares(struct tk_timer_sum_set *set, const struct tk_slices *slices)
{
    struct tk_timer_sum_entry e;
    for (size_t i = 0; i < slices->n; i++) {
        uint64_t square[2];
        if (tk_timer_sum_find(set, slices->key[i], &e))
            return -1;
        tk_timer_sum_multiply(slices->total[i], slices->total[i], square);
        tk_timer_sum_merge_squares(e.side->squares, square);
    }
    return 0;
}

int tk_timer_sum_source(struct tk_timer_sum_set *set, uint32_t timer, uint64_t count, uint64_t excl)
{
    if (timer >= set->sources.n && tk_vec_reach(&set->sources, (size_t)timer + 1))
        return -1;
    set->sources.v[timer].count += count;
    set->sources.v[timer].excl += excl;
    return 0;
}

int tk_timer_sum_begin_sources(struct tk_timer_sum_set *set)
{
    struct tk_timer_sum_entry e;
    if (set->sources.n)
        return 0;
    for (size_t at = 0; tk_timer_sum_next(set, &at, &e);)
        if (e.timer < TK_LATE && tk_timer_sum_source(set, e.timer, e.cell->count, e.cell->excl))
            return -1;
    return 0;
}

/* Late timers have no place yet that is known. */
static int tk_timer_sum_take_sources(struct tk_timer_sum_set *set, const struct tk_slices *slices)
{
    if (tk_timer_sum_begin_sources(set))
        return -1;
    struct tk_timer_source *sources = set->sources.v;
    size_t n = set->sources.n;
    for (size_t i = 0; i < slices->n; i++) {
        const uint32_t timer = slices->timer[i];
        if (tk_rarely(timer >= n)) {
            if (timer >= TK_LATE)
                continue;
            if (tk_vec_reach(&set->sources, (size_t)timer + 1))
                return -1;
            sources = set->sources.v;
            n = set->sources.n;
        }
        sources[timer].count++;
        sources[timer].excl += slices->excl[i];
    }
    return 0;
}

int tk_timer_sum_take(struct tk_timer_sum_set *set, const struct tk_slices *slices)
{
    const bool apart = slices->key != slices->timer;
    if (set->what & TK_TIMER_SUM_SOURCES && apart && tk_timer_sum_take_sources(set, slices))
        return -1;
    if (set->what & TK_TIMER_SUM_SQUARES && tk_timer_sum_take_squares(set, slices))
        return -1;
    return tk_timer_sum_take_sums(set, slices);
}
