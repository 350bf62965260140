/* CPU timers and batches. */
#include "cpu.h"

#include <string.h>

enum { CHAR_SIZE_ANSI = 1, LONGEST_BEGIN = 16, LONGEST_RESUME = 32 };

void tk_uw_cpu_spec(struct tk_uw *uw, uint32_t id, const char *name, const char *file, uint32_t line)
{
    bool old = uw->stream.protocol == 0;
    const struct tk_uw_type *type = tk_uw_type_of(uw, old ? TK_UW_EVENT_SPEC_OLD : TK_UW_EVENT_SPEC);
    struct tk_uw_lane *lane = &uw->important;

    tk_uw_begin(lane, type);
    tk_uw_u32(&lane->pending, id);
    if (old) {
        tk_uw_u8(&lane->pending, CHAR_SIZE_ANSI);
        tk_uw_text(&lane->pending, name);
    } else {
        tk_uw_u32(&lane->pending, line);
        tk_uw_value(lane, type, 1, name, strlen(name));
        tk_uw_value(lane, type, 2, file, strlen(file));
    }
    tk_uw_end(lane, type);
}

void tk_uw_cpu_metadata_spec(struct tk_uw *uw, uint32_t id, const char *name, const char *format,
                             const struct tk_uw_bytes *fields)
{
    const struct tk_uw_type *type = tk_uw_type_of(uw, TK_UW_METADATA_SPEC);
    struct tk_uw_lane *lane = &uw->important;
    struct tk_uw_bytes wide = {0};

    tk_uw_wide(&wide, format);
    tk_uw_begin(lane, type);
    tk_uw_u32(&lane->pending, id);
    tk_uw_value(lane, type, 1, name, strlen(name));
    tk_uw_value(lane, type, 2, wide.data, wide.size);
    tk_uw_value(lane, type, 3, fields->data, fields->size);
    tk_uw_end(lane, type);
    tk_uw_bytes_release(&wide);
}

void tk_uw_cpu_metadata(struct tk_uw *uw, struct tk_uw_lane *lane, uint32_t id, uint32_t spec,
                        const struct tk_uw_bytes *values)
{
    const struct tk_uw_type *type = tk_uw_type_of(uw, TK_UW_METADATA);

    tk_uw_begin(lane, type);
    tk_uw_u32(&lane->pending, id);
    tk_uw_u32(&lane->pending, spec);
    tk_uw_value(lane, type, 2, values->data, values->size);
    tk_uw_end(lane, type);
}

void tk_uw_cpu_end_thread(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle)
{
    const struct tk_uw_type *type = tk_uw_type_of(uw, TK_UW_END_THREAD);

    tk_uw_begin(lane, type);
    tk_uw_u64(&lane->pending, cycle);
    tk_uw_end(lane, type);
}

static const enum tk_uw_standard batch_types[] = {TK_UW_BATCH_OLD, TK_UW_BATCH_V1, TK_UW_BATCH_V2,
                                                  TK_UW_BATCH_V3};
static const uint8_t usual_versions[] = {1, 1, 1, 1, 1, 1, 2, 3};

void tk_uw_cpu_init(struct tk_uw_cpu *cpu, struct tk_uw *uw, struct tk_uw_lane *lane, unsigned version)
{
    uint8_t protocol = uw->stream.protocol;

    memset(cpu, 0, sizeof(*cpu));
    cpu->lane = lane;
    cpu->version = protocol == 0 ? 1 : version ? version : usual_versions[protocol & 7];
    cpu->type = tk_uw_type_of(uw, batch_types[protocol == 0 ? 0 : cpu->version]);
}

static void put(struct tk_uw_cpu *cpu, uint64_t value)
{
    uint8_t *at = cpu->data + cpu->used;

    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    cpu->used = (unsigned)(at - cpu->data);
}

static void put_cycle(struct tk_uw_cpu *cpu, uint64_t cycle, unsigned flags)
{
    unsigned shift = cpu->version == 1 ? 1 : 2;

    put(cpu, (cycle - cpu->last) << shift | flags);
    cpu->last = cycle;
}

static void reserve(struct tk_uw_cpu *cpu, unsigned bytes)
{
    if (cpu->used + bytes > TK_UW_BATCH_SPACE)
        tk_uw_cpu_flush(cpu);
}

static void flush_full(struct tk_uw_cpu *cpu)
{
    if (cpu->used >= TK_UW_BATCH_FULL)
        tk_uw_cpu_flush(cpu);
}

void tk_uw_cpu_begin(struct tk_uw_cpu *cpu, uint64_t cycle, uint32_t timer)
{
    reserve(cpu, LONGEST_BEGIN);
    put_cycle(cpu, cycle, 1);
    put(cpu, cpu->version == 3 ? (uint64_t)timer << 1 : timer);
    cpu->depth++;
    flush_full(cpu);
}

void tk_uw_cpu_begin_metadata(struct tk_uw_cpu *cpu, uint64_t cycle, uint32_t instance)
{
    reserve(cpu, LONGEST_BEGIN);
    put_cycle(cpu, cycle, 1);
    put(cpu, (uint64_t)instance << 1 | 1);
    cpu->depth++;
    flush_full(cpu);
}

void tk_uw_cpu_end(struct tk_uw_cpu *cpu, uint64_t cycle)
{
    reserve(cpu, LONGEST_BEGIN);
    put_cycle(cpu, cycle, 0);
    if (cpu->depth)
        cpu->depth--;
    if (!cpu->depth)
        tk_uw_cpu_flush(cpu);
    flush_full(cpu);
}

void tk_uw_cpu_resume(struct tk_uw_cpu *cpu, uint64_t cycle, uint64_t coroutine, unsigned depth)
{
    reserve(cpu, LONGEST_RESUME);
    put_cycle(cpu, cycle, 3);
    put(cpu, coroutine);
    put(cpu, depth);
    cpu->depth += depth + 1;
    flush_full(cpu);
}

void tk_uw_cpu_suspend(struct tk_uw_cpu *cpu, uint64_t cycle, unsigned depth)
{
    reserve(cpu, LONGEST_BEGIN);
    put_cycle(cpu, cycle, 2);
    put(cpu, depth);
    cpu->depth = cpu->depth > depth ? cpu->depth - depth - 1 : 0;
    if (!cpu->depth)
        tk_uw_cpu_flush(cpu);
    flush_full(cpu);
}

void tk_uw_cpu_flush(struct tk_uw_cpu *cpu)
{
    if (!cpu->used)
        return;
    tk_uw_begin(cpu->lane, cpu->type);
    if (cpu->lane->stream->protocol == 0)
        tk_uw_u32(&cpu->lane->pending, cpu->lane->tid);
    tk_uw_value(cpu->lane, cpu->type, 0, cpu->data, cpu->used);
    tk_uw_end(cpu->lane, cpu->type);
    cpu->used = 0;
    cpu->last = 0;
}
