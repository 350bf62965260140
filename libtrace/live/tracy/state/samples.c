/*
 * Samples of callstacks, and of counters of the processor (tracy-live 7.14).
 */
#include "live/tracy/state/state.h"

enum { SORT_BYTES = 1 << 20, KERNEL_BIT = 61 };

static int append_sample(struct tk_tl_state *s, struct tk_spill_column *to, int64_t time, uint32_t callstack)
{
    struct tk_tl_sample *sample = tk_spill_column_add(to);
    if (!sample)
        return tk_tl_column_error(s);
    *sample = (struct tk_tl_sample){time, callstack};
    return TK_OK;
}

/* Where a sample of a time would stand if all were in order: *index, and whether one of that time is there.
 */
static int find_sample(struct tk_tl_state *s, struct tk_tl_thread *t, int64_t time, uint64_t *index,
                       struct tk_tl_sample *found, bool *is_there)
{
    const uint64_t n = tk_spill_column_count(&t->samples);
    uint64_t low = 0, high = n;
    while (low < high) {
        const uint64_t mid = low + (high - low) / 2;
        if (!tk_spill_column_get(&t->samples, mid, found))
            return tk_tl_column_error(s);
        if (found->time < time)
            low = mid + 1;
        else
            high = mid;
    }
    *index = low;
    *is_there = false;
    if (low == n)
        return TK_OK;
    if (!tk_spill_column_get(&t->samples, low, found))
        return tk_tl_column_error(s);
    *is_there = found->time == time;
    return TK_OK;
}

static int insert_sample(struct tk_tl_state *s, struct tk_tl_thread *t, int64_t time, uint32_t callstack)
{
    struct tk_tl_sample there;
    uint64_t index;
    bool is_there = false;
    if (tk_spill_column_count(&t->samples) && time && t->last_sample >= time) {
        s->sort_samples = true;
        TK_TL_TRY(find_sample(s, t, time, &index, &there, &is_there));
    }
    if (is_there) {
        TK_TL_TRY(tk_tl_stack_join(s, there.callstack, callstack, &there.callstack));
        return tk_spill_column_change(&t->samples, index, &there) ? TK_OK : tk_tl_column_error(s);
    }
    t->last_sample = time;
    TK_TL_TRY(append_sample(s, &t->samples, time, callstack));
    const struct tk_tl_stack *stack = callstack ? &s->stacks.v[callstack - 1] : NULL;
    if (stack && stack->n && s->stack_frames.v[stack->first] >> KERNEL_BIT & 1)
        t->kernel_samples++;
    return TK_OK;
}

/* Two samples of a thread at one time are halves of one stack. */
static int combine_sample(struct tk_tl_state *s, struct tk_tl_thread *t, int64_t time, uint32_t callstack)
{
    const bool held = t->holds_sample;
    const int64_t held_time = t->held_time;
    uint32_t held_callstack = t->held_callstack;
    t->holds_sample = false;
    if (held && held_time == time) {
        TK_TL_TRY(tk_tl_stack_join(s, held_callstack, callstack, &held_callstack));
        return insert_sample(s, t, time, held_callstack);
    }
    t->holds_sample = true;
    t->held_time = time;
    t->held_callstack = callstack;
    return held ? insert_sample(s, t, held_time, held_callstack) : TK_OK;
}

static int take_sample(struct tk_tl_state *s, uint64_t tid, int64_t by, bool is_switch)
{
    const uint32_t callstack = s->pending_stack;
    struct tk_tl_thread *t;
    s->pending_stack = 0;
    s->context_time = (int64_t)((uint64_t)s->context_time + (uint64_t)by);
    int64_t time = s->context_time ? tk_tl_ns(s, s->context_time) : 0;
    if (!s->protocol.old_sample_times)
        tk_tl_see(s, time);
    TK_TL_TRY(tk_tl_thread_of(s, tid, &t));
    time = tk_tl_s48(time);
    if (s->welcome.flags & TK_TL_COMBINE_SAMPLES && time && !is_switch)
        return combine_sample(s, t, time, callstack);
    TK_TL_TRY(insert_sample(s, t, time, callstack));
    return is_switch ? append_sample(s, &t->switch_samples, time, callstack) : TK_OK;
}

/* The order of the fields has changed once. */
static int wide_sample(struct tk_tl_state *s, const uint8_t *p, bool is_switch)
{
    if (s->protocol.short_times)
        return take_sample(s, tk_load32(p), tk_tl_wide(s, p + 4), is_switch);
    return take_sample(s, tk_load32(p + 8), tk_tl_wide(s, p), is_switch);
}

int tk_tl_on_callstack_sample(struct tk_tl_state *s, const uint8_t *p)
{
    return wide_sample(s, p, false);
}

int tk_tl_on_callstack_sample_32(struct tk_tl_state *s, const uint8_t *p)
{
    return take_sample(s, tk_load32(p), tk_tl_time32(p + 4), false);
}

int tk_tl_on_callstack_sample_16(struct tk_tl_state *s, const uint8_t *p)
{
    return take_sample(s, tk_load32(p), tk_load16(p + 4), false);
}

int tk_tl_on_callstack_sample_context_switch(struct tk_tl_state *s, const uint8_t *p)
{
    return wide_sample(s, p, true);
}

int tk_tl_on_callstack_sample_context_switch_32(struct tk_tl_state *s, const uint8_t *p)
{
    return take_sample(s, tk_load32(p), tk_tl_time32(p + 4), true);
}

int tk_tl_on_callstack_sample_context_switch_16(struct tk_tl_state *s, const uint8_t *p)
{
    return take_sample(s, tk_load32(p), tk_load16(p + 4), true);
}

/* ---- counters of the processor ---- */

static int compare_hw(const void *a, const void *b)
{
    const struct tk_tl_hw_sample *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->time < y->time ? -1 : x->time > y->time;
}

static int hw_sample(struct tk_tl_state *s, const uint8_t *p, uint32_t kind)
{
    const uint64_t address = tk_load64(p);
    const int64_t ticks = (int64_t)tk_load64(p + 8), time = ticks ? tk_tl_ns(s, ticks) : 0;
    uint32_t i = tk_map_get(&s->hw_of, address);
    if (!s->protocol.old_sample_times)
        tk_tl_see(s, time);
    if (i == TK_MAP_NONE) {
        const struct tk_tl_hw hw = {.address = address};
        i = (uint32_t)s->hw.n;
        TK_TL_TRY(tk_tl_push(s, &s->hw, hw));
        TK_TL_TRY(tk_tl_map_put(s, &s->hw_of, address, i));
    }
    const struct tk_tl_hw_sample sample = {i, kind, tk_tl_s48(time)};
    s->hw.v[i].n[kind]++;
    if (!s->hw_samples)
        TK_TL_TRY(tk_external_sort_open(&s->hw_samples, s->options.scratch, sizeof sample, compare_hw,
                                        SORT_BYTES, s->err));
    return tk_external_sort_add(s->hw_samples, &sample, s->err);
}

int tk_tl_on_hw_sample_cpu_cycle(struct tk_tl_state *s, const uint8_t *p)
{
    return hw_sample(s, p, 0);
}

int tk_tl_on_hw_sample_instruction_retired(struct tk_tl_state *s, const uint8_t *p)
{
    return hw_sample(s, p, 1);
}

int tk_tl_on_hw_sample_cache_reference(struct tk_tl_state *s, const uint8_t *p)
{
    return hw_sample(s, p, 2);
}

int tk_tl_on_hw_sample_cache_miss(struct tk_tl_state *s, const uint8_t *p)
{
    return hw_sample(s, p, 3);
}

int tk_tl_on_hw_sample_branch_retired(struct tk_tl_state *s, const uint8_t *p)
{
    return hw_sample(s, p, 4);
}

int tk_tl_on_hw_sample_branch_miss(struct tk_tl_state *s, const uint8_t *p)
{
    return hw_sample(s, p, 5);
}
