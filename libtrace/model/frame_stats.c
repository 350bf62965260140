/*
 * Table `frame_stats`: how long the frames of each type took. Of frames that have an end; percentiles are
 * exact (nearest rank).
 */
#include "model/builders.h"
#include "model/frame_list.h"
#include "model/gather.h"
#include "model/sort.h"
#include "model/view.h"

#include <stdlib.h>

enum { TYPE, TYPE_NAME, COUNT, OPEN, TOTAL, MEAN, MIN, MEDIAN, P95, P99, MAX, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TYPE] = {"type", TK_UINT, 0, NULL,
              "type of the frames: 0 game, 1 rendering, others as the capture has them"},
    [TYPE_NAME] = {"type_name", TK_TEXT, 0, NULL, "name of the type"},
    [COUNT] = {"count", TK_UINT, 0, "frames", "frames with a begin and an end"},
    [OPEN] = {"open", TK_UINT, 0, "frames", "frames without an end; they are in no other figure"},
    [TOTAL] = {"total", TK_SPAN, 0, NULL, "sum of the durations"},
    [MEAN] = {"mean", TK_MEAN, 0, NULL, "mean duration"},
    [MIN] = {"min", TK_SPAN, 0, NULL, "shortest duration"},
    [MEDIAN] = {"median", TK_SPAN, 0, NULL, "half of the frames took no longer"},
    [P95] = {"p95", TK_SPAN, 0, NULL, "95 of 100 frames took no longer"},
    [P99] = {"p99", TK_SPAN, 0, NULL, "99 of 100 frames took no longer"},
    [MAX] = {"max", TK_SPAN, 0, NULL, "longest duration"},
};

static const struct tk_table table = {
    .name = "frame_stats",
    .help = "durations of the frames, a row a type",
    .columns = columns,
    .n_columns = COLUMNS,
};

struct stats {
    struct tk_gather g;
    struct tk_frame_list list;
};

/* A frame that counts: open ones sort behind the others of their type. */
struct sample {
    uint32_t type;
    bool open;
    int64_t shown;  /* duration in the unit of the table */
    int64_t cycles; /* duration */
};

static int start(void *self)
{
    struct stats *s = self;
    tk_frame_list_init(&s->list, s->g.view->ctx, table.name);
    return 0;
}

static int take(void *self, const struct tk_fact *fact)
{
    return tk_frame_list_feed(&((struct stats *)self)->list, fact, NULL);
}

static int by_duration(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->open != y->open)
        return x->open ? 1 : -1;
    return (x->shown > y->shown) - (x->shown < y->shown);
}

static size_t collect(const struct stats *s, struct sample *out)
{
    const struct tk_view *view = s->g.view;
    size_t n = 0;
    for (size_t i = 0; i < s->list.frames.n; i++) {
        const struct tk_frame *f = &s->list.frames.v[i];
        if (!tk_select_touches(view->select, f->begin, f->open ? INT64_MAX : f->end))
            continue;
        out[n++] = (struct sample){
            .type = f->type,
            .open = f->open,
            .shown = f->open ? 0 : tk_view_between(view, f->begin, f->end).v.i,
            .cycles = f->open ? 0 : (int64_t)((uint64_t)f->end - (uint64_t)f->begin),
        };
    }
    return n;
}

/* Nearest rank of n sorted samples, n > 0. */
static struct tk_cell percentile(const struct sample *v, size_t n, unsigned percent)
{
    size_t rank = (n / 100) * percent + ((n % 100) * percent + 99) / 100;
    return tk_cell_of_span(v[rank ? rank - 1 : 0].shown);
}

static void fill_durations(const struct tk_view *view, const struct sample *v, size_t n, struct tk_cell *row)
{
    int64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total = (int64_t)((uint64_t)total + (uint64_t)v[i].cycles);
    row[TOTAL] = tk_view_span(view, total);
    row[MEAN] = tk_cell_of_mean((double)row[TOTAL].v.i / (double)n);
    row[MIN] = tk_cell_of_span(v[0].shown);
    row[MEDIAN] = percentile(v, n, 50);
    row[P95] = percentile(v, n, 95);
    row[P99] = percentile(v, n, 99);
    row[MAX] = tk_cell_of_span(v[n - 1].shown);
}

/* A row for the type that samples begin with; returns how many were of it, 0 when the sink failed. */
static size_t send_type(const struct stats *s, const struct sample *v, size_t n, struct tk_emit *emit)
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
    if (closed)
        fill_durations(s->g.view, v, closed, row);
    return all;
}

static int send_all(const struct stats *s, struct sample *v, struct tk_emit *emit)
{
    size_t n = collect(s, v);
    if (tk_sort(v, n, sizeof *v, by_duration))
        return -1;
    for (size_t i = 0, done = 1; i < n && done; i += done)
        done = send_type(s, v + i, n - i, emit);
    return 0;
}

static int settle(void *self)
{
    return tk_frame_list_pair(&((struct stats *)self)->list, NULL);
}

static int send(void *self, struct tk_emit *emit)
{
    const struct stats *s = self;
    struct sample *v = malloc((s->list.frames.n + 1) * sizeof *v);
    int rc = v ? send_all(s, v, emit) : -1;
    free(v);
    return rc;
}

static void release(void *self)
{
    tk_frame_list_release(&((struct stats *)self)->list);
}

static const struct tk_gathering gathering = {
    .what = "frames",
    .start = start,
    .take = take,
    .settle = settle,
    .release = release,
    .size = sizeof(struct stats),
    .send = send,
};

const struct tk_builder tk_builder_frame_stats = {
    .table = &table,
    .facts = TK_FACT_MASK(FRAME),
    TK_GATHERS(gathering),
};
