/*
 * Table `histogram`: how many calls of a timer took how long.
 *
 * Calls of all timers go to sketches, as for the table `timers`; those of the timers that match are merged.
 * Their buckets are put together to four an octave, or to more where the calls are alike: as fine as leaves
 * twenty rows with calls, so that a few calls far off do not hide the shape of the rest; what is empty
 * between is one row. The name `frames` stands for game frames, unless a timer is called so.
 */
#include "model/sums/timer_sums.h"
#include "query/context_cells.h"
#include "query/select.h"
#include "query/tables.h"

#include <stdlib.h>
#include <string.h>

enum { FROM, TO, COUNT, SHARE, UP_TO, BAR, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [FROM] = {"from", TK_DURATION, 0, NULL, "lower bound of the durations (inclusive)"},
    [TO] = {"to", TK_DURATION, 0, NULL, "upper bound of the durations (exclusive)"},
    [COUNT] = {"count", TK_UINT, 0, "calls", "number of calls"},
    [SHARE] = {"share", TK_REAL, TK_COL_PART, NULL, "share of all calls, 0 to 1"},
    [UP_TO] = {"up_to", TK_REAL, TK_COL_PART, NULL, "share of the calls shorter than `to`, 0 to 1"},
    [BAR] = {"bar", TK_TEXT, TK_COL_EXTRA | TK_COL_HUMAN_ONLY | TK_COL_BAR, NULL,
             "the count as a bar, at most 40 characters long"},
};

static const struct tk_table table = {
    .name = "histogram",
    .help = "distribution of the durations of a timer's calls",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES,
};

#define ROW_BITS  2u  /* four rows an octave at least */
#define ROWS_MOST 20u /* rows with calls: more are not made */
#define BUCKETS   ((64u - TK_SKETCH_CALLS + 1) << TK_SKETCH_CALLS)
#define BAR_MOST  40u
#define FRAMES    "frames"

struct histogram {
    const struct tk_query_context *view;
    TK_VEC(struct tk_timer_sum_set *) sets; /* owned, a worker's each */
    struct tk_patterns timers;
    bool of_frames; /* and of no timer */
    uint64_t counts[BUCKETS], all;
};

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)wanted;
    if (view->query->histogram && strcmp(view->query->histogram, FRAMES) == 0)
        needs->lists.frames |= TK_NEEDS_GAME_FRAMES;
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

static int check_histogram(void *self, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    struct histogram *h = self;
    int rc = tk_pattern_check_timers(&h->timers, h->view->dict, TK_SCOPE_FACTS, err);
    h->of_frames = rc == TK_EMATCH && h->view->frames && strcmp(h->view->query->histogram, FRAMES) == 0;
    return h->of_frames ? TK_OK : rc;
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
        uint64_t count = tk_sketch_count_at(sketch, sketch->first + i);
        h->counts[sketch->first + i] += count;
        h->all += count;
    }
}

/* The game frames of the selection, where nothing that is called so was requested but they. */
static void add_frames(struct histogram *h)
{
    const struct tk_frames *frames = h->view->frames;
    for (size_t i = 0; i < frames->n; i++) {
        const struct tk_range *r = &frames->v[i];
        if (r->to >= TK_RUN_UNIT || !tk_select_has(h->view->select, r->from))
            continue;
        h->counts[tk_sketch_bucket(TK_SKETCH_CALLS, (uint64_t)r->to - (uint64_t)r->from)]++;
        h->all++;
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
            if (tk_patterns_pass(&h->timers, timer->displayed))
                add_sketch(h, &e.cell->sketch);
        }
    }
    return 0;
}

/* ---- rows ---- */

struct rows {
    unsigned bits; /* 2^bits rows an octave */
    uint32_t first, last, occupied;
    uint64_t counts[BUCKETS], most;
};

static void put_together(const struct histogram *h, struct rows *r, unsigned bits)
{
    *r = (struct rows){.bits = bits, .first = BUCKETS};
    for (uint32_t i = 0; i < BUCKETS; i++) {
        if (!h->counts[i])
            continue;
        const uint32_t row = tk_sketch_bucket(bits, least_of(TK_SKETCH_CALLS, i));
        r->first = r->first < row ? r->first : row;
        r->last = row;
        r->occupied += !r->counts[row];
        r->counts[row] += h->counts[i];
        r->most = r->counts[row] > r->most ? r->counts[row] : r->most;
    }
}

/* As fine as leaves ROWS_MOST rows with calls, and what sketches know. */
static void choose_rows(const struct histogram *h, struct rows *r)
{
    unsigned bits = ROW_BITS;
    put_together(h, r, bits);
    while (h->all && bits < TK_SKETCH_CALLS) {
        put_together(h, r, ++bits);
        if (r->occupied <= ROWS_MOST)
            continue;
        put_together(h, r, bits - 1);
        break;
    }
}

/* The row behind those that are empty from `i` on, or behind `i`. */
static uint32_t end_of_row(const struct rows *r, uint32_t i)
{
    uint32_t end = i + 1;
    while (!r->counts[i] && end <= r->last && !r->counts[end])
        end++;
    return end;
}

static const char bars[BAR_MOST + 1] = "########################################";

static void fill_histogram(const struct histogram *h, const struct rows *r, uint32_t i, uint32_t end,
                           uint64_t below, struct tk_cell *row)
{
    uint64_t count = r->counts[i];
    row[FROM] = tk_query_context_span(h->view, (int64_t)least_of(r->bits, i));
    row[TO] = tk_query_context_span(h->view, (int64_t)least_of(r->bits, end));
    row[COUNT] = tk_cell_of_uint(count);
    row[SHARE] = tk_cell_of_real((double)count / (double)h->all);
    row[UP_TO] = tk_cell_of_real((double)(below + count) / (double)h->all);
    double signs = (double)count / (double)r->most * BAR_MOST;
    size_t n = count && signs < 1 ? 1 : (size_t)(signs + 0.5);
    row[BAR] = tk_cell_of_c(bars + BAR_MOST - (n < BAR_MOST ? n : BAR_MOST));
}

static int finish_histogram(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct histogram *h = self;
    struct rows *r = malloc(sizeof *r);
    uint64_t below = 0;
    if (!r || merge_histogram(h)) {
        free(r);
        return tk_err_nomem(err, "a histogram");
    }
    if (h->of_frames)
        add_frames(h);
    choose_rows(h, r);
    for (uint32_t i = r->first, end; i <= r->last && h->all; i = end) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        end = end_of_row(r, i);
        fill_histogram(h, r, i, end, below, row);
        below += r->counts[i];
    }
    free(r);
    return tk_emit_status(emit);
}

static const struct tk_scope_hooks scope_hooks = {.take = take_histogram};

const struct tk_builder tk_builder_histogram = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(SCOPES), .lanes = TK_NEEDS_NAMED_QUEUES, .sums = true},
    .scopes = &scope_hooks,
    .add_needs = add_needs,
    .open = open_histogram,
    .check = check_histogram,
    .finish = finish_histogram,
    .close = close_histogram,
};
