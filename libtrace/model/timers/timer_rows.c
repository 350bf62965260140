/*
 * Rows of the tables `timers` and `gpu`.
 */
#include "base/sort.h"
#include "model/timers/timers_in.h"
#include "tracekit/queries.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Columns that are percentiles of calls. */
static const struct {
    unsigned column, share, of;
} percentiles[] = {
    {TK_TIMERS_MEDIAN, 50, 100}, {TK_TIMERS_P50, 50, 100}, {TK_TIMERS_P90, 90, 100},
    {TK_TIMERS_P95, 95, 100},    {TK_TIMERS_P99, 99, 100}, {TK_TIMERS_P999, 999, 1000},
};

#define N_PERCENTILES (sizeof percentiles / sizeof percentiles[0])

/* A row on its way out. */
struct timer_row {
    uint32_t timer, lane;
    const struct tk_timer_sum_cell *cell;
    const struct tk_timer_sum_side *side;
};

static int by_timer(const void *a, const void *b)
{
    const struct timer_row *x = a, *y = b;
    return (x->timer > y->timer) - (x->timer < y->timer);
}

/* All rows in order; to be freed. */
static int collect_timer_rows(struct tk_timers *t, struct timer_row **out, size_t *n)
{
    TK_VEC(struct timer_row) rows = {0};
    struct tk_timer_sum_entry e;
    for (size_t i = 0; i < t->sets.list.n; i++) {
        for (size_t at = 0; t->sets.list.v[i] && tk_timer_sum_next(t->sets.list.v[i], &at, &e);) {
            struct timer_row row = {e.timer, (uint32_t)i, e.cell, e.side};
            if (e.timer >= TK_LATE || (!e.cell->count && !e.side->open))
                continue;
            t->all_excl += e.cell->excl;
            if (tk_vec_push(&rows, row)) {
                tk_vec_release(&rows);
                return -1;
            }
        }
    }
    *out = rows.v;
    *n = rows.n;
    return tk_sort(rows.v, rows.n, sizeof *rows.v, by_timer);
}

static void fill_name(const struct tk_timer *timer, struct tk_cell *row)
{
    row[TK_TIMERS_TIMER] = tk_cell_of_text(timer->displayed);
    row[TK_TIMERS_KIND] = tk_cell_of_c(tk_timer_kind_name((enum tk_timer_kind)timer->info.kind));
    row[TK_TIMERS_FILE_NAME] = tk_cell_of_text(timer->info.file);
    if (timer->info.file || timer->info.line)
        row[TK_TIMERS_LINE] = tk_cell_of_uint(timer->info.line);
}

static uint64_t clamp(uint64_t v, uint64_t min, uint64_t max)
{
    return v < min ? min : v > max ? max : v;
}

static void fill_percentiles(const struct tk_timers *t, const struct tk_timer_sum_cell *cell,
                             struct tk_cell *row)
{
    const struct tk_distribution calls = tk_timer_sum_distribution(cell);
    for (size_t i = 0; i < N_PERCENTILES; i++) {
        if (!(t->columns & TK_TIMERS_BIT(percentiles[i].column)))
            continue;
        uint64_t value = tk_distribution_percentile(&calls, percentiles[i].share, percentiles[i].of);
        row[percentiles[i].column] = tk_query_context_span(t->view, (int64_t)value);
    }
}

static void fill_frames(const struct tk_timers *t, const struct tk_frame_row *frames, struct tk_cell *row)
{
    if (!t->frames.n_selected)
        return;
    struct tk_cell total = tk_query_context_span(t->view, frames ? (int64_t)frames->total : 0);
    row[TK_TIMERS_FRAME_MEAN] = tk_cell_of_mean((double)total.v.i / (double)t->frames.n_selected);
    row[TK_TIMERS_FRAME_P95] =
        tk_query_context_span(t->view, (int64_t)tk_frame_sums_percentile(&t->frames, frames, 95, 100));
}

static void fill_times_timer_rows(const struct tk_timers *t, const struct tk_timer_sum_cell *cell,
                                  const uint64_t squares[2], bool waits, struct tk_cell *row)
{
    const struct tk_query_context *view = t->view;
    if (cell->incl || !cell->excl)
        row[TK_TIMERS_INCL] = tk_query_context_span(view, (int64_t)cell->incl);
    row[TK_TIMERS_TOTAL] = tk_query_context_span(view, (int64_t)cell->total);
    row[TK_TIMERS_EXCL] = tk_query_context_span(view, (int64_t)cell->excl);
    row[TK_TIMERS_WORKING] = tk_query_context_span(view, waits ? 0 : (int64_t)cell->excl);
    if (t->all_excl)
        row[TK_TIMERS_SHARE] = tk_cell_of_real((double)(int64_t)cell->excl / (double)(int64_t)t->all_excl);
    row[TK_TIMERS_MIN] = tk_query_context_span(view, (int64_t)cell->min);
    row[TK_TIMERS_MAX] = tk_query_context_span(view, (int64_t)cell->max);
    row[TK_TIMERS_MEAN] = tk_cell_of_mean((double)row[TK_TIMERS_TOTAL].v.i / (double)cell->count);
    fill_percentiles(t, cell, row);
    if (t->columns & TK_TIMERS_BIT(TK_TIMERS_MODE))
        row[TK_TIMERS_MODE] =
            tk_query_context_span(view, (int64_t)clamp(tk_sketch_mode(&cell->sketch), cell->min, cell->max));
    if (t->columns & TK_TIMERS_BIT(TK_TIMERS_STDDEV))
        row[TK_TIMERS_STDDEV] = tk_query_context_real_span(view, tk_timer_sum_deviation(cell, squares));
}

static void fill_lane(const struct tk_timers *t, uint32_t lane, struct tk_cell *row)
{
    const uint32_t id = t->threads.v[lane];
    if (t->facts == TK_FACT_MASK(GPU_SCOPES)) {
        tk_query_context_queue(t->view, id, &row[TK_TIMERS_THREAD_ID]);
        return;
    }
    row[TK_TIMERS_THREAD_ID] = tk_query_context_lane_id(t->kinds.v[lane], id);
    row[TK_TIMERS_THREAD] = tk_query_context_lane(t->view, t->kinds.v[lane], id);
    tk_lane_more_put(t->view, t->kinds.v[lane], id, &row[TK_TIMERS_MORE]);
}

static bool waits(struct tk_timers *t, const struct tk_timer *timer)
{
    if (!(t->columns & TK_TIMERS_BIT(TK_TIMERS_WORKING)))
        return false;
    return tk_timer_waits(timer->info.kind, tk_work_of(&t->work, timer));
}

static int fill_timer_rows(struct tk_timers *t, const struct timer_row *r, const struct tk_timer *timer,
                           struct tk_cell *row)
{
    if (t->by_thread && r->lane < t->threads.n)
        fill_lane(t, r->lane, row);
    fill_name(timer, row);
    row[TK_TIMERS_COUNT] = tk_cell_of_uint(r->cell->count);
    row[TK_TIMERS_OPEN] = tk_cell_of_uint(r->side->open);
    if (r->cell->count)
        fill_times_timer_rows(t, r->cell, r->side->squares, waits(t, timer), row);
    if (r->cell->count && t->what & TK_TIMER_SUM_FRAMES)
        fill_frames(t, r->side->frames, row);
    return tk_timer_places_fill(t, t->sets.list.v[r->lane], r->timer, row);
}

static int send_rows(struct tk_timers *t, const struct timer_row *rows, size_t n, struct tk_emit *emit,
                     struct tk_err *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct tk_timer *timer = tk_dict_timer(t->view->dict, rows[i].timer);
        if (!timer)
            return tk_err_nomem(err, "timers");
        if (t->view->select->timers.n && !tk_patterns_match(&t->view->select->timers, timer->displayed))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        if (fill_timer_rows(t, &rows[i], timer, row))
            return tk_err_nomem(err, "timers");
    }
    return tk_emit_status(emit);
}

int tk_timer_rows_send(struct tk_timers *t, struct tk_emit *emit, struct tk_err *err)
{
    struct timer_row *rows = NULL;
    size_t n = 0;
    int rc =
        collect_timer_rows(t, &rows, &n) ? tk_err_nomem(err, "timers") : send_rows(t, rows, n, emit, err);
    free(rows);
    return rc;
}

/*
 * Places of timers: which places of the sources a row of the tables `timers` and `gpu` is of. A key
 * (judge/timer_key.h) may have several timers, one a place.
 */

bool tk_timer_places_wanted(const struct tk_timers *t)
{
    return t->what & TK_TIMER_SUM_SOURCES && t->view->dict->keys.merged &&
           !(t->view->query->by & TK_BY_SOURCE);
}

int tk_timer_sum_merge_sources(struct tk_timer_sum_set *into, const struct tk_timer_sum_set *from)
{
    struct tk_timer_sum_entry e;
    if (from->sources.n && tk_timer_sum_begin_sources(into))
        return -1;
    for (size_t i = 0; i < from->sources.n; i++)
        if (tk_timer_sum_source(into, (uint32_t)i, from->sources.v[i].count, from->sources.v[i].excl))
            return -1;
    /* the other one has no key with several yet: what its timers have is their own */
    for (size_t at = 0; into->sources.n && !from->sources.n && tk_timer_sum_next(from, &at, &e);)
        if (e.timer < TK_LATE && tk_timer_sum_source(into, e.timer, e.cell->count, e.cell->excl))
            return -1;
    return 0;
}

/* ---- the timers of a key ---- */

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int tk_timer_places_order(struct tk_timers *t)
{
    const struct tk_timer_keys *keys = &t->view->dict->keys;
    TK_VEC(uint64_t) pairs = {0};
    int rc = 0;
    for (uint32_t i = 0; tk_timer_places_wanted(t) && i < keys->same.n && rc == 0; i++)
        if (keys->same.v[i] != i || keys->shared.v[i])
            rc = tk_vec_push(&pairs, (uint64_t)keys->same.v[i] << 32 | i);
    if (rc == 0)
        rc = tk_sort(pairs.v, pairs.n, sizeof *pairs.v, by_number);
    for (size_t i = 0; i < pairs.n && rc == 0; i++)
        rc = tk_vec_push(&t->members, (uint32_t)pairs.v[i]);
    tk_vec_release(&pairs);
    return rc;
}

/* The first of the members that are of a key. */
static size_t first_of(const struct tk_timers *t, uint32_t key)
{
    const struct tk_timer_keys *keys = &t->view->dict->keys;
    size_t at;
    TK_SEARCH(at, t->members.n, keys->same.v[t->members.v[at]] < key);
    return at;
}

/* ---- cells ---- */

/* The places of a row: how many there are, the greatest, and what they have together. */
struct places {
    size_t n;
    uint32_t greatest;
    int64_t most, all;
};

static struct places places_of(const struct tk_timers *t, const struct tk_timer_sum_set *set, uint32_t key)
{
    const struct tk_timer_keys *keys = &t->view->dict->keys;
    struct places p = {.greatest = key};
    for (size_t i = first_of(t, key); i < t->members.n && keys->same.v[t->members.v[i]] == key; i++) {
        const uint32_t timer = t->members.v[i];
        if (timer >= set->sources.n || !set->sources.v[timer].count)
            continue;
        const int64_t excl = (int64_t)set->sources.v[timer].excl;
        p.all += excl;
        if (!p.n++ || excl > p.most) {
            p.most = excl;
            p.greatest = timer;
        }
    }
    return p;
}

/* "npc.cpp:12 39 %, 4 more" */
static const struct tk_str *text_of(struct tk_timers *t, const struct places *p, const struct tk_timer *timer)
{
    const struct tk_str file = tk_timer_file_name(timer->info.file);
    char text[320];
    int n = file.n ? snprintf(text, sizeof text, "%.*s:%" PRIu32, file.n < 200 ? (int)file.n : 200, file.p,
                              timer->info.line)
                   : snprintf(text, sizeof text, "(no file)");
    if (p->all > 0)
        n += snprintf(text + n, sizeof text - (size_t)n, " %.0f %%", 100 * (double)p->most / (double)p->all);
    snprintf(text + n, sizeof text - (size_t)n, ", %zu more", p->n - 1);
    return tk_intern_c(&t->texts, text);
}

int tk_timer_places_fill(struct tk_timers *t, const struct tk_timer_sum_set *set, uint32_t key,
                         struct tk_cell *row)
{
    const struct tk_timer_keys *keys = &t->view->dict->keys;
    if (!t->members.n || key >= keys->shared.n || !keys->shared.v[key])
        return 0;
    const struct places p = places_of(t, set, key);
    const struct tk_timer *timer = tk_dict_timer(t->view->dict, p.greatest);
    const struct tk_str *text = p.n > 1 && timer ? text_of(t, &p, timer) : NULL;
    if (!timer || (p.n > 1 && !text))
        return -1;
    row[TK_TIMERS_KIND] = tk_cell_of_c(tk_timer_kind_name((enum tk_timer_kind)timer->info.kind));
    row[TK_TIMERS_FILE_NAME] = tk_cell_of_text(timer->info.file);
    if (timer->info.file || timer->info.line)
        row[TK_TIMERS_LINE] = tk_cell_of_uint(timer->info.line);
    if (!text)
        return 0;
    row[TK_TIMERS_SOURCES] = tk_cell_of_uint(p.n);
    row[TK_TIMERS_PLACES] = tk_cell_of_text(text);
    return 0;
}
