/*
 * Captures with scopes: three timers with the ids 0, 1, 2 for the specs 1, 2, 3, batches given as bytes,
 * stamped scopes.
 */
#ifndef TK_TESTS_UNIT_UTRACE_SCOPES_WRITTEN_H
#define TK_TESTS_UNIT_UTRACE_SCOPES_WRITTEN_H

#include "written.h"

#define SCOPES TK_FACT_MASK(SCOPES)
#define TIMERS (TK_FACT_MASK(TIMER) | TK_FACT_MASK(TIMER_LATE))

static struct tk_uw_type work, batch, lane_batch, other_spec; /* Cpu.Work; batches written by hand */
static const struct tk_uw_field n_fields[] = {{.name = "N", .type = TK_UW_U32}};
static const struct tk_uw_field data_fields[] = {{.name = "Data", .type = TK_UW_U8S},
                                                 {.name = "ThreadId", .type = TK_UW_U16}};
static const struct tk_uw_field spec_fields[] = {{.name = "Id", .type = TK_UW_U32},
                                                 {.name = "Name", .type = TK_UW_ANSI}};

/* What follows the beginning of a trace. */
static inline void begin_scopes(struct written *w)
{
    work =
        (struct tk_uw_type){.logger = "Cpu", .event = "Work", TK_UW_FIELDS(n_fields), .flags = TK_UW_NOSYNC};
    batch = (struct tk_uw_type){.logger = "CpuProfiler",
                                .event = "EventBatchV3",
                                .fields = data_fields,
                                .field_count = 1,
                                .flags = TK_UW_NOSYNC | TK_UW_AUX};
    lane_batch = (struct tk_uw_type){
        .logger = "CpuProfiler", .event = "EventBatchV2", TK_UW_FIELDS(data_fields), .flags = TK_UW_AUX};
    other_spec = (struct tk_uw_type){.logger = "CpuProfiler",
                                     .event = "EventSpec",
                                     TK_UW_FIELDS(spec_fields),
                                     .flags = TK_UW_NOSYNC | TK_UW_AUX};
    tk_uw_register(&w->uw, &work);
    tk_uw_register(&w->uw, &batch);
    for (uint32_t id = 1; id <= 3; id++) {
        const char name[] = {(char)('a' + id - 1), '\0'};
        tk_uw_cpu_spec(&w->uw, id, name, "f", id);
    }
}

static inline void begin(struct written *w)
{
    write_begin(w);
    begin_scopes(w);
}

/* A batch of form 3 on a thread: timer 1 from `at` (in cycles since the start) for `length` cycles. */
static inline void put_scope(struct written *w, unsigned tid, uint64_t at, uint64_t length)
{
    struct tk_uw_cpu cpu;
    tk_uw_cpu_init(&cpu, &w->uw, lane_of(w, tid), 3);
    tk_uw_cpu_begin(&cpu, START + at, 1);
    tk_uw_cpu_end(&cpu, START + at + length);
}

static inline void put_work(struct written *w, unsigned tid)
{
    static uint32_t number;
    tk_uw_begin(lane_of(w, tid), &work);
    tk_uw_u32(&lane_of(w, tid)->pending, number++ * 77);
    tk_uw_end(lane_of(w, tid), &work);
}

/* A stamped scope begins, ends. */
static inline void enter(struct written *w, unsigned tid, uint64_t time)
{
    tk_uw_enter_at(lane_of(w, tid), time);
    put_work(w, tid);
}

static inline void leave(struct written *w, unsigned tid, uint64_t time)
{
    tk_uw_leave_at(lane_of(w, tid), time);
}

/* A batch with these bytes. */
static inline void put_batch(struct written *w, unsigned tid, const struct tk_uw_type *type, const void *p,
                             size_t n)
{
    struct tk_uw_lane *lane = lane_of(w, tid);
    tk_uw_begin(lane, type);
    if (type == &lane_batch)
        tk_uw_u16(&lane->pending, 77);
    tk_uw_value(lane, type, 0, p, n);
    tk_uw_end(lane, type);
}

#define BATCH(w, tid, text) put_batch((w), (tid), &batch, (text), sizeof(text) - 1)

#endif
