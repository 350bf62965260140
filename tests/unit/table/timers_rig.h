/*
 * The table `timers` as a test drives it: batches of scope runs go through scope model and builder, rows come
 * out. There are TIMERS timers, "Timer0" and on, and LANES lanes.
 */
#ifndef TK_TESTS_UNIT_STATS_TIMERS_RIG_H
#define TK_TESTS_UNIT_STATS_TIMERS_RIG_H

#include "model/scopes/scope_lane.h"
#include "model/sums/frame_sums.h"
#include "query/emit.h"
#include "query/tables.h"
#include "run.h"
#include "tracekit.h"

#include <string.h>

#define LANES    4
#define TIMERS   12
#define LATE     3  /* slot i of the late ones is timer i, reported in the middle or not at all */
#define FIRST_ID 40 /* of a thread */

struct rig {
    struct tk_context ctx;
    struct tk_dict dict;
    struct tk_select select;
    struct tk_frames frames;
    struct tk_query query;
    struct tk_query_context view;
    struct tk_emit *emit;
    struct tk_result *result;
    struct tk_sink sink;
    struct tk_scope_model *model;
    void *self;
    unsigned jobs;
};

static const struct tk_builder *const builder = &tk_builder_timers;

static inline struct tk_str name_of(uint32_t timer, char *buffer)
{
    int n = snprintf(buffer, 16, "Timer%u", timer);
    return (struct tk_str){.p = buffer, .n = (uint32_t)n};
}

static inline void tell_timers(struct rig *r)
{
    char buffer[16];
    for (uint32_t i = 0; i < TIMERS; i++) {
        struct tk_fact fact = {.kind = TK_FACT_TIMER, .size = sizeof fact};
        struct tk_str name = name_of(i, buffer);
        fact.u.timer = (struct tk_fact_timer){
            .id = i, .kind = TK_TIMER_SPEC, .name = tk_intern(&r->dict.strings, name.p, name.n, TK_ENC_UTF8)};
        ck_assert_int_eq(tk_dict_feed(&r->dict, &fact, NULL), TK_OK);
    }
}

static inline void tell_late(struct rig *r)
{
    for (uint32_t i = 0; i < LATE; i++) {
        struct tk_fact fact = {.kind = TK_FACT_TIMER_LATE, .size = sizeof fact};
        fact.u.timer_late = (struct tk_fact_timer_late){.slot = i, .timer = i};
        ck_assert_int_eq(tk_dict_feed(&r->dict, &fact, NULL), TK_OK);
    }
}

static inline int take(void *ctx, const struct tk_slices *slices, unsigned worker)
{
    struct rig *r = ctx;
    return builder->scopes->take(r->self, slices, worker);
}

static inline int lane_end(void *ctx, const struct tk_lane_end *end, struct tk_err *err)
{
    struct rig *r = ctx;
    return builder->scopes->lane(r->self, end, err);
}

static inline void rig_open(struct rig *r, const char *const *columns, size_t n_columns)
{
    struct tk_needs needs = builder->needs;
    r->ctx.limits = tk_limits_default();
    r->ctx.health.max_items = 100;
    r->ctx.pool = tk_pool_open(r->jobs);
    ck_assert_ptr_nonnull(r->ctx.pool);
    ck_assert_int_eq(tk_dict_init(&r->dict, &r->ctx.limits, NULL), TK_OK);
    tell_timers(r);
    for (uint32_t i = 0; i < LANES; i++)
        ck_assert_ptr_nonnull(tk_dict_thread(&r->dict, FIRST_ID + i));
    r->query.size = sizeof r->query;
    r->query.unit = TK_UNIT_CYCLES;
    r->query.columns = columns;
    r->query.n_columns = n_columns;
    r->view =
        (struct tk_query_context){.ctx = &r->ctx, .dict = &r->dict, .select = &r->select, .query = &r->query};
    ck_assert_int_eq(tk_result_new(&r->result, NULL), TK_OK);
    r->sink = tk_result_sink(r->result);
    ck_assert_int_eq(tk_emit_open(&r->emit, builder->table, &r->query, &r->sink, NULL), TK_OK);
    builder->add_needs(&r->view, tk_emit_columns(r->emit), &needs);
    r->view.frames = needs.lists.frames ? &r->frames : NULL;
    ck_assert_int_eq(builder->open(&r->view, builder, tk_emit_columns(r->emit), &r->self, NULL), TK_OK);
    struct tk_scope_setup setup = {.limits = &r->ctx.limits,
                                   .select = &r->select,
                                   .frames = r->view.frames,
                                   .pool = r->ctx.pool,
                                   .columns = needs.slices,
                                   .take = take,
                                   .ctx = r};
    ck_assert_int_eq(tk_scope_model_open(&r->model, &setup, NULL), TK_OK);
}

static inline void rig_feed(struct rig *r, const struct tk_batch *batch)
{
    ck_assert_int_eq(builder->feed(r->self, batch, r->emit, NULL), TK_OK);
    ck_assert_int_eq(tk_scope_model_feed(r->model, batch, NULL), TK_OK);
}

/* A batch of one run of a lane. */
static inline void rig_feed_run(struct rig *r, uint32_t lane, const int64_t *time, const uint32_t *op,
                                size_t n)
{
    struct tk_scope_run run = {.thread = FIRST_ID + lane, .lane = lane, .n = n, .time = time, .op = op};
    struct tk_batch batch = {.runs = &run, .n_runs = 1};
    rig_feed(r, &batch);
}

static inline void rig_finish(struct rig *r)
{
    ck_assert_int_eq(tk_scope_model_finish(r->model, &r->ctx.health, lane_end, r, NULL), TK_OK);
    ck_assert_int_eq(tk_emit_begin(r->emit, NULL), TK_OK);
    ck_assert_int_eq(builder->finish(r->self, r->emit, NULL), TK_OK);
    ck_assert_int_eq(tk_emit_end(r->emit, NULL), TK_OK);
}

static inline void rig_close(struct rig *r)
{
    builder->close(r->self);
    tk_scope_model_close(r->model);
    tk_emit_close(r->emit);
    tk_result_free(r->result);
    tk_dict_release(&r->dict);
    tk_health_release(&r->ctx.health);
    tk_pool_close(r->ctx.pool);
}

static inline size_t rig_rows(const struct rig *r)
{
    size_t n;
    ck_assert_ptr_nonnull(tk_result_table(r->result, 0, &n));
    return n;
}

static inline const struct tk_cell *cell(const struct rig *r, size_t row, const char *column)
{
    size_t n;
    const struct tk_table *table = tk_result_table(r->result, 0, &n);
    for (uint32_t i = 0; i < table->n_columns; i++)
        if (strcmp(table->columns[i].name, column) == 0)
            return &tk_result_row(r->result, 0, row)[i];
    ck_abort_msg("no column %s", column);
    return NULL;
}

#endif
