/*
 * Table `histogram`: how many calls of a timer took how long.
 *
 * Calls of all timers go to sketches, as for the table `timers`; those of the timers that
 * match are merged, and their buckets are put together to four an octave.
 */
#include "model/sums/timer_sums.h"
#include "model/tables.h"
#include "query/context_cells.h"
#include "query/pattern_check.h"

#include <stdlib.h>

enum { FROM, TO, COUNT, SHARE, UP_TO, BAR, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [FROM] = {"from", TK_DURATION, 0, NULL, "calls that took no less"},
    [TO] = {"to", TK_DURATION, 0, NULL, "and less than this"},
    [COUNT] = {"count", TK_UINT, 0, "calls", "how many"},
    [SHARE] = {"share", TK_REAL, TK_COL_PART, NULL, "part of all calls, 0 to 1"},
    [UP_TO] = {"up_to", TK_REAL, TK_COL_PART, NULL, "part of the calls that took less than `to`, 0 to 1"},
    [BAR] = {"bar", TK_TEXT, TK_COL_EXTRA | TK_COL_HUMAN_ONLY | TK_COL_BAR, NULL,
             "the count as a bar; the longest has 40 signs"},
};

static const struct tk_table table = {
    .name = "histogram",
    .help = "how many calls of a timer took how long",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_ASKED | TK_TABLE_TIMES,
};

#define ROW_BITS 2u /* four rows an octave */
#define ROWS     256u
#define BAR_MOST 40u

struct histogram {
    const struct tk_query_context *view;
    TK_VEC(struct tk_timer_sum_set *) sets; /* owned, a worker's each */
    struct tk_patterns timers;
    uint64_t counts[ROWS], all;
};

static unsigned slices_histogram(const struct tk_query_context *view, uint64_t wanted, bool *needs_frames)
{
    (void)view;
    (void)wanted;
    (void)needs_frames;
    return 0;
}

static void close_histogram(void *self)
{
    struct histogram *h = self;
    for (size_t i = 0; i < h->sets.n; i++) {
        if (h->sets.v[i])
            tk_timer_sum_release(h->sets.v[i]);
        free(h->sets.v[i]);
    }
    tk_vec_release(&h->sets);
    tk_patterns_release(&h->timers);
    free(h);
}

static int open_histogram(const struct tk_query_context *view, const struct tk_builder *builder,
                          uint64_t wanted, void **self, struct tk_err *err)
{
    struct histogram *h = calloc(1, sizeof *h);
    unsigned jobs = tk_pool_jobs(view->ctx->pool);
    (void)builder;
    (void)wanted;
    if (!h)
        return tk_err_nomem(err, "a histogram");
    *self = h;
    h->view = view;
    for (unsigned i = 0; i < jobs; i++) {
        struct tk_timer_sum_set *set = calloc(1, sizeof *set);
        if (!set || tk_vec_push(&h->sets, set)) {
            free(set);
            return tk_err_nomem(err, "a histogram");
        }
        set->what = TK_TIMER_SUM_SKETCH;
    }
    if (!view->query->histogram)
        return tk_err_set(err, TK_EUSAGE, "table 'histogram' needs the name of a timer");
    return tk_patterns_init(&h->timers, &view->query->histogram, 1, err);
}

static int take_histogram(void *self, const struct tk_slices *s, unsigned worker)
{
    struct histogram *h = self;
    return tk_timer_sum_take(h->sets.v[worker], s) ? TK_ENOMEM : TK_OK;
}

static int check_histogram(void *self, struct tk_err *err)
{
    struct histogram *h = self;
    return tk_pattern_check_timers(&h->timers, h->view->dict, TK_SCOPE_FACTS, err);
}

/* The least value of a bucket. */
static uint64_t least_of(unsigned bits, uint32_t bucket)
{
    uint32_t shift = bucket >> bits ? (bucket >> bits) - 1 : 0;
    return (uint64_t)(bucket - (shift << bits)) << shift;
}

static void add_sketch(struct histogram *h, const struct tk_sketch *sketch)
{
    for (uint32_t i = 0; i < sketch->n; i++) {
        uint32_t bucket = sketch->first + i;
        uint64_t count = tk_sketch_count_at(sketch, bucket);
        h->counts[tk_sketch_bucket(ROW_BITS, least_of(TK_SKETCH_CALLS, bucket))] += count;
        h->all += count;
    }
}

static int merge_histogram(struct histogram *h)
{
    struct tk_timer_sum_entry e;
    for (size_t i = 0; i < h->sets.n; i++) {
        for (size_t at = 0; tk_timer_sum_next(h->sets.v[i], &at, &e);) {
            const struct tk_timer *timer = tk_dict_timer(h->view->dict, e.timer);
            if (!timer)
                return -1;
            if (tk_patterns_pass(&h->timers, timer->shown))
                add_sketch(h, &e.cell->sketch);
        }
    }
    return 0;
}

static const char bars[BAR_MOST + 1] = "########################################";

static void fill_histogram(const struct histogram *h, uint32_t i, uint64_t below, uint64_t most,
                           struct tk_cell *row)
{
    uint64_t count = h->counts[i];
    row[FROM] = tk_query_context_span(h->view, (int64_t)least_of(ROW_BITS, i));
    row[TO] = tk_query_context_span(h->view, (int64_t)least_of(ROW_BITS, i + 1));
    row[COUNT] = tk_cell_of_uint(count);
    row[SHARE] = tk_cell_of_real((double)count / (double)h->all);
    row[UP_TO] = tk_cell_of_real((double)(below + count) / (double)h->all);
    double signs = (double)count / (double)most * BAR_MOST;
    size_t n = count && signs < 1 ? 1 : (size_t)(signs + 0.5);
    row[BAR] = tk_cell_of_c(bars + BAR_MOST - (n < BAR_MOST ? n : BAR_MOST));
}

static int finish_histogram(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct histogram *h = self;
    uint32_t first = ROWS, last = 0;
    uint64_t most = 0, below = 0;
    if (merge_histogram(h))
        return tk_err_nomem(err, "a histogram");
    for (uint32_t i = 0; i < ROWS; i++) {
        if (!h->counts[i])
            continue;
        first = first < i ? first : i;
        last = i;
        most = h->counts[i] > most ? h->counts[i] : most;
    }
    for (uint32_t i = first; i <= last && h->all; i++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill_histogram(h, i, below, most, row);
        below += h->counts[i];
    }
    return tk_emit_status(emit);
}

const struct tk_builder tk_builder_histogram = {
    .table = &table,
    .facts = TK_FACT_MASK(SCOPES),
    .traits = TK_BUILDER_SUMS | TK_BUILDER_QUEUES | TK_BUILDER_NAMED,
    .slices = slices_histogram,
    .open = open_histogram,
    .take = take_histogram,
    .check = check_histogram,
    .finish = finish_histogram,
    .close = close_histogram,
};
