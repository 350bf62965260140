/*
 * Times of events: see event_time.h.
 */
#include "format/utrace/feed/event_time.h"

#include <string.h>

/* Fields that usually hold a time, the first one that a type has. */
static const char *const time_fields[] = {"Cycle",           "StartCycle",      "CycleAndId",
                                          "Timestamp",       "StartTime",       "Time",
                                          "GPUTimestampTOP", "GPUTimestampBOP", "CPUTimestamp"};

/* Batches of CPU scopes and the flag bits of their numbers (events 2.3). */
static const struct {
    const char *name;
    uint8_t bits;
} batches[] = {{"CpuProfiler.EventBatch", 1},
               {"CpuProfiler.EndCapture", 1},
               {"CpuProfiler.EventBatchV2", 2},
               {"CpuProfiler.EventBatchV3", 2}};

/* What the recorder tells of itself has times since the start (wire 5.1). */
static bool is_relative(const struct tk_ut_type *type)
{
    return strcmp(type->record.name, "$Trace.BandwidthStats") == 0 ||
           strcmp(type->record.name, "$Trace.MemoryStats") == 0;
}

struct tk_ut_time_rule tk_ut_time_rule_of(const struct tk_ut_type *type)
{
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        if (strcmp(type->record.name, batches[i].name) == 0)
            return (struct tk_ut_time_rule){.field = tk_ut_type_field(type, "Data"),
                                            .shift = batches[i].bits};
    for (size_t i = 0; i < sizeof time_fields / sizeof *time_fields; i++) {
        const struct tk_ut_field *f = tk_ut_type_field(type, time_fields[i]);
        if (f && f->info == 3 && f->size == 8)
            return (struct tk_ut_time_rule){.field = f,
                                            .relative = is_relative(type),
                                            .clock = type->role == TK_UT_ROLE_NEW_TRACE ||
                                                     type->role == TK_UT_ROLE_TIMING};
    }
    return (struct tk_ut_time_rule){0};
}

/* The first time of a batch is absolute, or counts from the start of the clock. */
static bool batch_time(const struct tk_ut_time_rule *rule, const struct tk_ut_event *ev, uint64_t start,
                       int64_t *time)
{
    struct tk_bytes bytes = {ev->attachment, ev->n_attachment};
    if (rule->field)
        bytes = tk_ut_event_bytes(ev, rule->field);
    struct tk_cur c = tk_cur_of(bytes.p, bytes.n);
    const uint64_t cycle = tk_varint(&c, "time") >> rule->shift;
    *time = (int64_t)(cycle < start ? cycle : cycle - start);
    return tk_cur_ok(&c);
}

bool tk_ut_time_by_rule(const struct tk_ut_time_rule *rule, const struct tk_ut_event *ev, uint64_t start,
                        int64_t *time)
{
    if (rule->shift)
        return batch_time(rule, ev, start, time);
    if (rule->field) {
        const uint64_t cycle = tk_ut_event_number(ev, rule->field);
        *time = rule->relative ? (int64_t)cycle : (int64_t)(cycle - start);
        return true;
    }
    *time = ev->stamp;
    return ev->stamped;
}
