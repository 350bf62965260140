/*
 * Table `frame_stats`: how long the frames of each type took. Of frames that have an end; percentiles are
 * exact (nearest rank).
 */
#include "base/sort.h"
#include "base/wrap.h"
#include "judge/smoothness.h"
#include "model/marks/frame_list.h"
#include "query/context_cells.h"
#include "query/tables.h"
#include "table/sketch.h"

#include <math.h>
#include <stdlib.h>

enum {
    TYPE,
    TYPE_NAME,
    COUNT,
    OPEN,
    TOTAL,
    MEAN,
    MIN,
    MEDIAN,
    P95,
    P99,
    MAX,
    JITTER,
    RATE,
    RATE_LOW,
    OVER_120,
    OVER_60,
    OVER_30,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [TYPE] = {"type_id", TK_UINT, 0, NULL,
              "type of the frames: 0 game, 1 rendering, others as numbered in the capture"},
    [TYPE_NAME] = {"type", TK_TEXT, 0, NULL, "name of the type"},
    [COUNT] = {"count", TK_UINT, 0, "frames", "complete frames"},
    [OPEN] = {"open", TK_UINT, 0, "frames", "frames without an end, which no other column includes"},
    [TOTAL] = {"total", TK_DURATION, TK_COL_OPTIONAL, NULL, "sum of the durations"},
    [MEAN] = {"mean", TK_MEAN, TK_COL_OPTIONAL, NULL, "mean duration"},
    [MIN] = {"min", TK_DURATION, TK_COL_OPTIONAL, NULL, "shortest duration"},
    [MEDIAN] = {"median", TK_DURATION, 0, NULL, "median duration"},
    [P95] = {"p95", TK_DURATION, 0, NULL, "95th percentile"},
    [P99] = {"p99", TK_DURATION, 0, NULL, "99th percentile"},
    [MAX] = {"max", TK_DURATION, 0, NULL, "longest duration"},
    [JITTER] = {"jitter", TK_MEAN, TK_COL_EXTRA | TK_COL_HUMAN_ONLY | TK_COL_OPTIONAL, NULL,
                "mean absolute difference between consecutive durations"},
    [RATE] = {"rate", TK_REAL, TK_COL_EXTRA | TK_COL_HUMAN_ONLY, "1/s",
              "frames per second at the mean duration"},
    [RATE_LOW] =
        {"rate_low", TK_REAL, TK_COL_EXTRA | TK_COL_HUMAN_ONLY, "1/s",
         "1 % low: frames per second at the mean of the slowest 1 %, not at p99; empty for fewer than 100 "
         "frames"},
    [OVER_120] = {"over_120", TK_UINT, TK_COL_EXTRA, "frames", "frames that took longer than 1/120 s"},
    [OVER_60] = {"over_60", TK_UINT, TK_COL_EXTRA | TK_COL_HUMAN_ONLY, "frames",
                 "frames that took longer than 1/60 s"},
    [OVER_30] = {"over_30", TK_UINT, TK_COL_EXTRA | TK_COL_HUMAN_ONLY, "frames",
                 "frames that took longer than 1/30 s"},
};

static const struct tk_table table = {
    .name = "frame_stats",
    .help = "durations of the frames, one row per type",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
};

/* Columns that count the frames over a budget, a second divided by `rate`. */
static const struct {
    unsigned column, rate;
} budgets[] = {{OVER_120, 120}, {OVER_60, 60}, {OVER_30, 30}};

/* A frame that counts: open ones sort behind the others of their type. */
struct sample {
    uint32_t type : 31, open : 1;
    uint32_t index;
    int64_t displayed; /* duration in the unit of the table */
    int64_t cycles;    /* duration */
    int64_t before;    /* cycles of the frame before; negative: that does not count */
};

static int by_duration(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->open != y->open)
        return x->open ? 1 : -1;
    return (x->displayed > y->displayed) - (x->displayed < y->displayed);
}

static size_t collect_frame_stats(const struct tk_frame_collector *s, struct sample *out)
{
    const struct tk_query_context *view = s->g.view;
    size_t n = 0;
    for (size_t i = 0; i < s->list.frames.n; i++) {
        const struct tk_frame *f = &s->list.frames.v[i];
        if (!tk_select_touches(view->select, f->begin, f->open ? INT64_MAX : f->end))
            continue;
        out[n++] = (struct sample){
            .type = f->type & INT32_MAX,
            .open = f->open,
            .index = f->index,
            .displayed = f->open ? 0 : tk_query_context_between(view, f->begin, f->end).v.i,
            .cycles = f->open ? 0 : tk_wrap_sub(f->end, f->begin),
        };
    }
    return n;
}

/* Index of the nearest rank among n sorted samples, n > 0. */
static size_t rank_of(size_t n, unsigned percent)
{
    return (size_t)tk_sketch_rank(n, percent, 100) - 1;
}

static int by_index(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Says each frame of the one before it, where both have an end. */
static int link_neighbours(struct sample *v, size_t n)
{
    if (tk_sort(v, n, sizeof *v, by_index))
        return -1;
    for (size_t i = 0; i < n; i++) {
        bool next = i && v[i - 1].type == v[i].type && v[i - 1].index + 1 == v[i].index;
        v[i].before = next && !v[i].open && !v[i - 1].open ? v[i - 1].cycles : -1;
    }
    return 0;
}

static void fill_jitter(const struct tk_query_context *view, const struct sample *v, size_t n,
                        struct tk_cell *row)
{
    uint64_t sum = 0, steps = 0; /* modulo 2^64: times of damaged captures can be anything */
    for (size_t i = 0; i < n; i++) {
        if (v[i].before < 0)
            continue;
        uint64_t one = (uint64_t)v[i].cycles, other = (uint64_t)v[i].before;
        sum += v[i].cycles > v[i].before ? one - other : other - one;
        steps++;
    }
    if (steps)
        row[JITTER] = tk_cell_of_mean((double)tk_query_context_span(view, (int64_t)sum).v.i / (double)steps);
}

static struct tk_cell rate_of(double cycles, uint64_t frequency)
{
    return cycles > 0 ? tk_cell_of_real((double)frequency / cycles) : (struct tk_cell){.kind = TK_NONE};
}

/* Of sorted samples. 0, or -1 without memory. */
static int fill_low(const struct sample *v, size_t n, uint64_t frequency, struct tk_cell *row)
{
    double *ms = malloc((n + 1) * sizeof *ms);
    if (!ms)
        return -1;
    for (size_t i = 0; i < n; i++)
        ms[i] = (double)v[i].cycles * (1e3 / (double)frequency);
    const double low = tk_smoothness_low(ms, n, 100);
    free(ms);
    if (!isnan(low))
        row[RATE_LOW] = tk_cell_of_real(low);
    return 0;
}

/* What needs a clock: frames a second, frames over budgets. */
static int fill_rates(const struct tk_query_context *view, const struct sample *v, size_t n, double total,
                      struct tk_cell *row)
{
    uint64_t frequency = view->dict->clock.frequency;
    if (!frequency)
        return 0;
    row[RATE] = rate_of(total / (double)n, frequency);
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        uint64_t over = 0;
        for (size_t i = 0; i < n; i++)
            over += (uint64_t)v[i].cycles > frequency / budgets[b].rate;
        row[budgets[b].column] = tk_cell_of_uint(over);
    }
    return fill_low(v, n, frequency, row);
}

static struct tk_cell percentile(const struct sample *v, size_t n, unsigned percent)
{
    return tk_cell_of_span(v[rank_of(n, percent)].displayed);
}

static int fill_durations(const struct tk_query_context *view, const struct sample *v, size_t n,
                          struct tk_cell *row)
{
    int64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total = tk_wrap_add(total, v[i].cycles);
    row[TOTAL] = tk_query_context_span(view, total);
    row[MEAN] = tk_cell_of_mean((double)row[TOTAL].v.i / (double)n);
    row[MIN] = tk_cell_of_span(v[0].displayed);
    row[MEDIAN] = percentile(v, n, 50);
    row[P95] = percentile(v, n, 95);
    row[P99] = percentile(v, n, 99);
    row[MAX] = tk_cell_of_span(v[n - 1].displayed);
    fill_jitter(view, v, n, row);
    return fill_rates(view, v, n, (double)total, row);
}

/* A row for the type that samples begin with; returns how many were of it, 0 when the sink failed. */
static size_t send_type(const struct tk_frame_collector *s, const struct sample *v, size_t n,
                        struct tk_emit *emit)
{
    const struct tk_frame_type *type = &s->list.types.v[v[0].type];
    struct tk_cell *row = tk_emit_row(emit);
    size_t all = 0, closed = 0;
    for (; all < n && v[all].type == v[0].type; all++)
        closed += !v[all].open;
    if (!row)
        return 0;
    row[TYPE] = tk_cell_of_uint(type->id);
    row[TYPE_NAME] = tk_cell_of_text(type->name);
    row[COUNT] = tk_cell_of_uint(closed);
    row[OPEN] = tk_cell_of_uint(all - closed);
    if (closed && fill_durations(s->g.view, v, closed, row)) {
        tk_emit_no_memory(emit);
        return 0;
    }
    return all;
}

static int send_all_frame_stats(const struct tk_frame_collector *s, struct sample *v, struct tk_emit *emit)
{
    size_t n = collect_frame_stats(s, v);
    if (link_neighbours(v, n) || tk_sort(v, n, sizeof *v, by_duration))
        return -1;
    for (size_t i = 0, done = 1; i < n && done; i += done)
        done = send_type(s, v + i, n - i, emit);
    return 0;
}

static int send_frame_stats(void *self, struct tk_emit *emit)
{
    const struct tk_frame_collector *s = self;
    struct sample *v = malloc((s->list.frames.n + 1) * sizeof *v);
    int rc = v ? send_all_frame_stats(s, v, emit) : -1;
    free(v);
    return rc;
}

static const struct tk_collecting gathering = {
    TK_COLLECTS_FRAMES,
    .size = sizeof(struct tk_frame_collector),
    .send = send_frame_stats,
};

const struct tk_builder tk_builder_frame_stats = {
    .table = &table,
    .needs = {.facts = TK_FRAME_FACTS},
    TK_COLLECTS(gathering),
};
