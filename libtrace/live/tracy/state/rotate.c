/*
 * A recording that goes on in another capture: what has ended is let go when a capture has it. Names, frames,
 * code and all that is open stay, so that the next one is whole, too. A merge of the captures finds each
 * thing once: zones that are open are in both, everything else is where it ended.
 */
#include "live/tracy/state/state.h"

#include <stdlib.h>
#include <string.h>

/* ---- the GPU: its times come later, so what waits for some goes to the next capture, with its whole tree
 * ---- */

static uint64_t first_live(const struct tk_tl_state *s, const struct tk_tl_gpu_timeline *line)
{
    uint64_t first = tk_spill_column_count(&line->zones);
    for (const struct tk_tl_gpu_live *z = s->gpu_live; z; z = z->next)
        if (z->column == &line->zones && z->index < first)
            first = z->index;
    return first;
}

/* Where the zone of the first level begins that holds zone `index`. */
static int find_root(struct tk_tl_state *s, const struct tk_tl_gpu_timeline *line, uint64_t index,
                     uint64_t *root)
{
    struct tk_spill_column_reading r;
    struct tk_tl_gpu_zone zone;
    const void *record;
    uint64_t left = 0;
    int rc = TK_OK;
    tk_spill_column_reading_open(&r, &line->zones, s->err);
    for (uint64_t i = 0; i <= index && (rc = tk_spill_column_read(&r, &record)) == TK_ITEM; i++) {
        memcpy(&zone, record, sizeof zone);
        if (!left) {
            *root = i;
            left = 1;
        }
        left += zone.children;
        left--;
    }
    tk_spill_column_reading_close(&r);
    return rc < 0 ? rc : TK_OK;
}

static void count_left(struct tk_tl_state *s, struct tk_tl_gpu *g, const struct tk_tl_gpu_zone *zone)
{
    g->count_left += zone->gpu_start >= 0;
    s->gpu_parents_left += zone->children > 0;
    s->gpu_left[zone->place + 32768] += zone->gpu_end >= 0;
}

/* Reads what is left of a timeline. */
static int read_left(struct tk_tl_state *s, struct tk_tl_gpu *g, struct tk_tl_gpu_timeline *line)
{
    struct tk_spill_column_reading r;
    struct tk_tl_gpu_zone zone;
    const void *record;
    const uint64_t whole = tk_spill_column_count(&line->zones) - line->left;
    uint64_t open = 0;
    int rc = TK_OK;
    tk_spill_column_reading_open(&r, &line->zones, s->err);
    for (uint64_t i = 0; (rc = tk_spill_column_read(&r, &record)) == TK_ITEM; i++) {
        if (i < whole)
            continue;
        memcpy(&zone, record, sizeof zone);
        line->roots_left += open == 0;
        open += zone.children + (open == 0);
        open--;
        count_left(s, g, &zone);
    }
    tk_spill_column_reading_close(&r);
    return rc;
}

static int plan_timeline(struct tk_tl_state *s, struct tk_tl_gpu *g, struct tk_tl_gpu_timeline *line)
{
    const uint64_t n = tk_spill_column_count(&line->zones),
                   first = s->piece.goes_on ? first_live(s, line) : n;
    uint64_t root = n;
    line->left = 0;
    line->roots_left = 0;
    if (first == n)
        return TK_OK;
    TK_TL_TRY(find_root(s, line, first, &root));
    line->left = n - root;
    return read_left(s, g, line);
}

/* ---- locks: where one was waited for comes a little later than the wait ---- */

enum { MARK_WAIT = 200000000 }; /* ns */

static void plan_lock(const struct tk_tl_state *s, struct tk_tl_lock *l)
{
    const uint64_t n = tk_spill_column_count(&l->events);
    uint64_t first = n;
    for (uint32_t i = 0; s->piece.goes_on && i < l->n_threads; i++)
        if (l->last_wait[i] && !l->waits[i].place && l->waits[i].time >= s->last_time - MARK_WAIT &&
            l->last_wait[i] <= first)
            first = l->last_wait[i] - 1;
    l->left = n - first;
}

int tk_tl_rotate_plan(struct tk_tl_state *s)
{
    if (!s->gpu_left && !(s->gpu_left = calloc(65536, sizeof *s->gpu_left)))
        return tk_tl_nomem(s);
    memset(s->gpu_left, 0, 65536 * sizeof *s->gpu_left);
    s->gpu_parents_left = 0;
    for (size_t i = 0; i < s->locks.n; i++)
        plan_lock(s, s->locks.v[i]);
    for (size_t i = 0; i < s->gpus.n; i++) {
        struct tk_tl_gpu *g = s->gpus.v[i];
        g->count_left = 0;
        for (size_t k = 0; k < g->timelines.n; k++)
            TK_TL_TRY(plan_timeline(s, g, g->timelines.v[k]));
    }
    return TK_OK;
}

/* ---- what is let go ---- */

static void empty(struct tk_tl_state *s, struct tk_spill_column *c)
{
    const size_t size = c->size;
    tk_spill_column_release(c);
    tk_spill_column_begin(c, s->columns, size);
}

static int read_last(struct tk_tl_state *s, const struct tk_spill_column *c, uint64_t n, uint8_t *to)
{
    const uint64_t whole = tk_spill_column_count(c) - n;
    struct tk_spill_column_reading r;
    const void *record;
    int rc = TK_OK;
    tk_spill_column_reading_open(&r, c, s->err);
    for (uint64_t i = 0; (rc = tk_spill_column_read(&r, &record)) == TK_ITEM; i++)
        if (i >= whole)
            memcpy(to + (size_t)(i - whole) * c->size, record, c->size);
    tk_spill_column_reading_close(&r);
    return rc;
}

/* Lets all records go but the last n. */
static int keep_last(struct tk_tl_state *s, struct tk_spill_column *c, uint64_t n)
{
    const size_t size = c->size;
    uint8_t *last = n < SIZE_MAX / size ? malloc((size_t)n * size + 1) : NULL;
    if (!last)
        return tk_tl_nomem(s);
    int rc = n ? read_last(s, c, n, last) : TK_OK;
    empty(s, c);
    for (uint64_t i = 0; rc == TK_OK && i < n; i++) {
        void *record = tk_spill_column_add(c);
        if (record)
            memcpy(record, last + (size_t)i * size, size);
        else
            rc = tk_tl_column_error(s);
    }
    free(last);
    return rc;
}

static int carry_timeline(struct tk_tl_state *s, struct tk_tl_gpu_timeline *line)
{
    const uint64_t whole = tk_spill_column_count(&line->zones) - line->left;
    for (struct tk_tl_gpu_live *z = s->gpu_live; z; z = z->next)
        if (z->column == &line->zones)
            z->index -= whole;
    const int rc = keep_last(s, &line->zones, line->left);
    line->roots = line->roots_left;
    line->left = line->roots_left = 0;
    return rc;
}

static int carry_lock(struct tk_tl_state *s, struct tk_tl_lock *l)
{
    const uint64_t whole = tk_spill_column_count(&l->events) - l->left;
    for (uint32_t i = 0; i < l->n_threads; i++)
        l->last_wait[i] = l->last_wait[i] > whole ? l->last_wait[i] - whole : 0;
    const int rc = keep_last(s, &l->events, l->left);
    l->left = 0;
    return rc;
}

/* One whose name has not come yet is in no capture: its points wait. */
static int carry_plot(struct tk_tl_state *s, struct tk_tl_plot *p)
{
    if (!p->listed)
        return keep_last(s, &p->points, tk_spill_column_count(&p->points));
    empty(s, &p->points);
    p->unsorted = false;
    p->min = p->max = p->sum = 0;
    return TK_OK;
}

static int carry_gpus(struct tk_tl_state *s)
{
    for (size_t i = 0; i < s->gpus.n; i++) {
        struct tk_tl_gpu *g = s->gpus.v[i];
        g->count = g->count_left;
        g->count_left = 0;
        for (size_t k = 0; k < g->timelines.n; k++)
            TK_TL_TRY(carry_timeline(s, g->timelines.v[k]));
    }
    memcpy(s->gpu_zone_counts, s->gpu_left, 65536 * sizeof *s->gpu_zone_counts);
    memset(s->gpu_left, 0, 65536 * sizeof *s->gpu_left);
    s->gpu_parents = s->gpu_parents_left;
    s->gpu_parents_left = 0;
    return TK_OK;
}

/* An open zone begins again, with what is known of it and one child at most, which is open, too. */
static int carry_zone(struct tk_tl_state *s, struct tk_tl_thread *t, size_t depth)
{
    struct tk_tl_open_zone *z = &t->open.v[depth];
    z->index = depth;
    z->children = depth + 1 < t->open.n;
    if (z->extra_index) {
        z->extra_index = (uint32_t)tk_spill_column_count(&s->extras);
        struct tk_tl_extra *extra = tk_spill_column_add(&s->extras);
        if (!extra)
            return tk_tl_column_error(s);
        *extra = z->extra;
    }
    struct tk_tl_zone *zone = tk_spill_column_add(&t->zones);
    if (!zone)
        return tk_tl_column_error(s);
    *zone = (struct tk_tl_zone){z->start_place, -1, z->extra_index, z->children};
    return TK_OK;
}

static int carry_thread(struct tk_tl_state *s, struct tk_tl_thread *t)
{
    empty(s, &t->zones);
    empty(s, &t->samples);
    empty(s, &t->switch_samples);
    empty(s, &t->message_keys);
    for (size_t k = 0; k < t->open.n; k++)
        TK_TL_TRY(carry_zone(s, t, k));
    t->continued = (uint32_t)t->open.n;
    t->roots = t->open.n > 0;
    t->zones_begun = t->open.n;
    t->kernel_samples = 0;
    s->zones += t->open.n;
    s->parents += t->open.n ? t->open.n - 1 : 0;
    return TK_OK;
}

int tk_tl_carry_threads(struct tk_tl_state *s)
{
    const struct tk_tl_extra none = {0};
    empty(s, &s->extras);
    struct tk_tl_extra *first = tk_spill_column_add(&s->extras);
    if (!first)
        return tk_tl_column_error(s);
    *first = none;
    s->zones = s->parents = 0;
    memset(s->zone_counts, 0, 65536 * sizeof *s->zone_counts);
    for (size_t i = 0; i < s->threads.n; i++)
        TK_TL_TRY(carry_thread(s, s->threads.v[i]));
    return TK_OK;
}

struct living {
    struct tk_tl_alive *alive; /* borrowed from the map */
    struct tk_tl_alloc alloc;
};

static int by_index(const void *a, const void *b)
{
    const struct living *x = a, *y = b;
    return (x->alive->index > y->alive->index) - (x->alive->index < y->alive->index);
}

/* What lives on, in the order in which it was allocated. */
static int find_living(struct tk_tl_state *s, struct tk_tl_pool *pool, struct living *v, size_t *n)
{
    uint64_t address;
    *n = 0;
    for (uint32_t k = 0; k < pool->alive.n; k++) {
        struct tk_tl_alive *alive = tk_record_map_at(&pool->alive, k, &address);
        if (!alive)
            continue;
        v[*n].alive = alive;
        if (!tk_spill_column_get(&pool->allocs, alive->index, &v[(*n)++].alloc))
            return tk_tl_column_error(s);
    }
    if (*n)
        qsort(v, *n, sizeof *v, by_index);
    return TK_OK;
}

static int carry_living(struct tk_tl_state *s, struct tk_tl_pool *pool, const struct living *v, size_t n)
{
    empty(s, &pool->allocs);
    empty(s, &pool->freed);
    pool->frees = 0;
    for (size_t i = 0; i < n; i++) {
        struct tk_tl_alloc *alloc = tk_spill_column_add(&pool->allocs);
        if (!alloc)
            return tk_tl_column_error(s);
        *alloc = v[i].alloc;
        struct tk_tl_free *freed = tk_spill_column_add(&pool->freed);
        if (!freed)
            return tk_tl_column_error(s);
        *freed = (struct tk_tl_free){-1, 0, 0};
        v[i].alive->index = i;
    }
    return TK_OK;
}

static int carry_pool(struct tk_tl_state *s, struct tk_tl_pool *pool)
{
    size_t n = 0;
    struct living *v = calloc((size_t)pool->alive.n + 1, sizeof *v);
    int rc = v ? find_living(s, pool, v, &n) : tk_tl_nomem(s);
    if (rc == TK_OK)
        rc = carry_living(s, pool, v, n);
    free(v);
    return rc;
}

static void empty_rest(struct tk_tl_state *s)
{
    for (size_t i = 0; i < s->switches.n; i++)
        empty(s, &s->switches.v[i]->done);
    for (size_t i = 0; i < TK_TL_CPUS; i++)
        empty(s, &s->cpus[i].done);
    for (size_t i = 0; i < s->hw.n; i++)
        memset(s->hw.v[i].n, 0, sizeof s->hw.v[i].n);
    empty(s, &s->image_bytes);
    s->images.n = 0;
    tk_map_release(&s->image_of);
    tk_external_sort_close(s->messages);
    tk_external_sort_close(s->hw_samples);
    s->messages = s->hw_samples = NULL;
    s->piece.messages = s->n_messages;
}

static int carry(struct tk_tl_state *s)
{
    empty_rest(s);
    TK_TL_TRY(tk_tl_carry_threads(s));
    TK_TL_TRY(carry_gpus(s));
    for (size_t i = 0; i < s->locks.n; i++)
        TK_TL_TRY(carry_lock(s, s->locks.v[i]));
    for (size_t i = 0; i < s->plots.n; i++)
        TK_TL_TRY(carry_plot(s, s->plots.v[i]));
    for (size_t i = 0; i < s->pools.n; i++)
        TK_TL_TRY(carry_pool(s, s->pools.v[i]));
    return TK_OK;
}

int tk_tl_rotate(struct tk_tl_state *s, struct tk_err *err)
{
    struct tk_spill_columns *before = s->columns, *now;
    s->err = err;
    if (tk_spill_columns_open(&now, s->options.scratch, s->options.columns))
        return tk_tl_nomem(s);
    s->columns = now;
    const int rc = carry(s);
    tk_spill_columns_close(before);
    s->piece.from = tk_tl_piece_end(s);
    s->piece.number++;
    s->piece.goes_on = false;
    return rc;
}
