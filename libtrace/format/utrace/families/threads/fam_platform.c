/*
 * Events of the operating system: context switches, stack samples, names of threads (events 7.2).
 * Threads go by their numbers in the operating system.
 */
#include "format/utrace/feed/family_list.h"

enum { SWITCH_BEGIN, SWITCH_END, SWITCH_THREAD, SWITCH_CORE };

static struct tk_fact fact_of(const struct tk_ut_feed *feed, const struct tk_ut_event *ev,
                              enum tk_fact_kind kind, uint64_t cycle)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, kind, tk_ut_since(feed, cycle));
    fact.thread = TK_NO_THREAD;
    return fact;
}

static int on_switch(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = fact_of(feed, ev, TK_FACT_SWITCH, tk_ut_u64(ev, SWITCH_BEGIN));
    (void)state;
    if (!tk_ut_requested(feed, TK_FACT_MASK(SWITCH)))
        return TK_OK;
    fact.u.context = (struct tk_fact_switch){.system_id = (uint32_t)tk_ut_u64(ev, SWITCH_THREAD),
                                             .end = tk_ut_since(feed, tk_ut_u64(ev, SWITCH_END)),
                                             .core = (uint32_t)tk_ut_u64(ev, SWITCH_CORE)};
    return tk_ut_emit(feed, &fact);
}

enum { SAMPLE_TIME, SAMPLE_THREAD, SAMPLE_ADDRESSES };

static int on_sample(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = fact_of(feed, ev, TK_FACT_SAMPLE, tk_ut_u64(ev, SAMPLE_TIME));
    struct tk_fact_sample *sample = &fact.u.sample;
    (void)state;
    if (!tk_ut_requested(feed, TK_FACT_MASK(SAMPLE)))
        return TK_OK;
    sample->system_id = (uint32_t)tk_ut_u64(ev, SAMPLE_THREAD);
    sample->addresses = tk_ut_u64s(ev, SAMPLE_ADDRESSES, &feed->out->arena, &sample->n);
    return sample->addresses ? tk_ut_emit(feed, &fact) : TK_ENOMEM;
}

enum { NAME_THREAD, NAME_PROCESS, NAME_TEXT };

static int on_name(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = fact_of(feed, ev, TK_FACT_SYSTEM_THREAD, 0);
    (void)state;
    fact.time = 0;
    fact.u.system_thread = (struct tk_fact_system_thread){.system_id = (uint32_t)tk_ut_u64(ev, NAME_THREAD),
                                                          .process_id = tk_ut_u64(ev, NAME_PROCESS),
                                                          .name = tk_ut_str(feed, ev, NAME_TEXT, 2)};
    if (!fact.u.system_thread.name)
        return TK_ENOMEM;
    return tk_ut_requested(feed, TK_FACT_MASK(SYSTEM_THREAD)) ? tk_ut_emit(feed, &fact) : TK_OK;
}

static const struct tk_ut_bind binds[] = {
    {"PlatformEvent.ContextSwitch", on_switch, false, {"StartTime", "EndTime", "ThreadId", "CoreNumber"}},
    {"PlatformEvent.StackSample", on_sample, false, {"Time", "ThreadId", "Addresses"}},
    {"PlatformEvent.ThreadName", on_name, false, {"ThreadId", "ProcessId", "Name"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_platform = {.name = "platform",
                                                .facts = TK_FACT_MASK(SWITCH) | TK_FACT_MASK(SAMPLE) |
                                                         TK_FACT_MASK(SYSTEM_THREAD),
                                                .binds = binds};
