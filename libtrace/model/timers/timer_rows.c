/*
 * Rows of the tables `timers` and `gpu`.
 */
#include "base/sort.h"
#include "model/timers/timers_in.h"

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
