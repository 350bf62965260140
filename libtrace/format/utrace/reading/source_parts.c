/*
 * Readings of captures whose times are parts of cycles: what another reading gives in cycles, in parts.
 * Opened by capture.c around the other readings; captures without such times have none.
 *
 * What is about GPU queues comes in parts already, because there are times that are no whole cycles.
 */
#include "base/arena.h"
#include "base/saturate.h"
#include "base/vec.h"
#include "format/utrace/reading/capture.h"

#include <stddef.h>
#include <stdlib.h>

struct parts_source {
    struct tk_source base;
    struct tk_source *inner; /* owned */
    const struct tk_ut_capture *capture;
    TK_VEC(struct tk_fact) facts;
    TK_VEC(struct tk_scope_run) runs;
    struct tk_arena arena; /* of the batch */
};

/* Times in facts beside `time`: which kind has one where. */
static const struct {
    uint16_t kind, at;
} times[] = {
    {TK_FACT_STALL, offsetof(struct tk_fact, u.stall.end)},
    {TK_FACT_EXTENT, offsetof(struct tk_fact, u.extent.from)},
    {TK_FACT_FILE_IO, offsetof(struct tk_fact, u.file_io.end)},
    {TK_FACT_LOAD_STEP, offsetof(struct tk_fact, u.load_step.end)},
    {TK_FACT_LOAD_STEP, offsetof(struct tk_fact, u.load_step.excl)},
    {TK_FACT_SWITCH, offsetof(struct tk_fact, u.context.end)},
    {TK_FACT_ROW, offsetof(struct tk_fact, u.row.end)},
};

static void convert_time(const struct parts_source *s, int64_t *time)
{
    *time = tk_saturate_times(*time, s->capture->base.parts);
}

static int convert_cells(struct parts_source *s, struct tk_fact_row *row)
{
    const uint32_t n = row->table->n_columns;
    struct tk_cell *cells = tk_arena_copy(&s->arena, row->cells, n * sizeof *cells);
    if (!cells)
        return TK_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        if (cells[i].kind == TK_TIME || cells[i].kind == TK_DURATION)
            convert_time(s, &cells[i].v.i);
    row->cells = cells;
    return TK_OK;
}

static void convert_taken(const struct parts_source *s, uint64_t *cycles)
{
    *cycles = *cycles > UINT64_MAX / s->capture->base.parts ? UINT64_MAX : *cycles * s->capture->base.parts;
}

static int convert_fact(struct parts_source *s, struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_GPU)
        return TK_OK;
    if (fact->kind == TK_FACT_CLOCK)
        fact->u.clock = tk_ut_told_clock(s->capture);
    if (fact->kind == TK_FACT_NET_OBJECT && fact->u.net_object.op >= TK_NET_POLLED)
        convert_taken(s, &fact->u.net_object.cycles);
    convert_time(s, &fact->time);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (times[i].kind == fact->kind)
            convert_time(s, (int64_t *)(void *)((char *)fact + times[i].at));
    return fact->kind == TK_FACT_ROW ? convert_cells(s, &fact->u.row) : TK_OK;
}

static int convert_facts(struct parts_source *s, struct tk_batch *batch)
{
    int rc = TK_OK;
    s->facts.n = 0;
    if (tk_vec_reserve(&s->facts, batch->n_facts + 1))
        return TK_ENOMEM;
    for (size_t i = 0; i < batch->n_facts && rc == TK_OK; i++) {
        s->facts.v[s->facts.n] = batch->facts[i];
        rc = convert_fact(s, &s->facts.v[s->facts.n++]);
    }
    batch->facts = s->facts.v;
    return rc;
}

static int convert_run(struct parts_source *s, struct tk_scope_run *run)
{
    int64_t *time = tk_arena_alloc(&s->arena, run->n * sizeof *time);
    if (!time)
        return TK_ENOMEM;
    for (size_t i = 0; i < run->n; i++)
        time[i] = tk_saturate_times(run->time[i], s->capture->base.parts);
    run->time = time;
    return TK_OK;
}

static int convert_runs(struct parts_source *s, struct tk_batch *batch)
{
    int rc = TK_OK;
    s->runs.n = 0;
    if (tk_vec_reserve(&s->runs, batch->n_runs + 1))
        return TK_ENOMEM;
    for (size_t i = 0; i < batch->n_runs && rc == TK_OK; i++) {
        s->runs.v[s->runs.n] = batch->runs[i];
        if (batch->runs[i].kind == TK_LANE_THREAD)
            rc = convert_run(s, &s->runs.v[s->runs.n]);
        s->runs.n++;
    }
    batch->runs = s->runs.v;
    return rc;
}

static int source_next_source_parts(struct tk_source *base, struct tk_batch *batch, struct tk_err *err)
{
    struct parts_source *s = (struct parts_source *)base;
    int rc = tk_source_next(s->inner, batch, err);
    if (rc != TK_ITEM)
        return rc;
    tk_arena_clear(&s->arena);
    if (convert_facts(s, batch) != TK_OK || convert_runs(s, batch) != TK_OK)
        return tk_err_nomem(err, "times of events");
    return rc;
}

static void source_close_source_parts(struct tk_source *base)
{
    struct parts_source *s = (struct parts_source *)base;
    tk_source_close(s->inner);
    tk_vec_release(&s->facts);
    tk_vec_release(&s->runs);
    tk_arena_release(&s->arena);
    free(s);
}

static const struct tk_source_ops ops = {source_next_source_parts, source_close_source_parts};

int tk_ut_source_parts(struct tk_ut_capture *c, struct tk_source **source, struct tk_err *err)
{
    struct parts_source *s = calloc(1, sizeof *s);
    if (!s) {
        tk_source_close(*source);
        *source = NULL;
        return tk_err_nomem(err, "a reading");
    }
    s->base.ops = &ops;
    s->inner = *source;
    s->capture = c;
    *source = &s->base;
    return TK_OK;
}
