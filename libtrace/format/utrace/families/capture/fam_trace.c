/*
 * The recording itself: clock and stalls of the recorder (wire 5.2, events 1.2).
 */
#include "base/wrap.h"
#include "format/utrace/feed/family_list.h"

enum { START, FREQUENCY, EPOCH };

/* $Trace.NewTrace; in the oldest ones the clock is in $Trace.Timing. */
static int on_clock(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_CLOCK, 0);
    (void)state;
    if (!tk_ut_has(ev, START) || !tk_ut_has(ev, FREQUENCY) || feed->capture->clock.frequency)
        return TK_OK;
    feed->capture->clock.start = tk_ut_u64(ev, START);
    feed->capture->clock.frequency = tk_ut_u64(ev, FREQUENCY);
    if (tk_ut_has(ev, EPOCH))
        feed->capture->clock.epoch = tk_ut_event_real(ev, ev->bound[EPOCH]);
    fact.thread = TK_NO_THREAD;
    fact.u.clock = feed->capture->clock;
    return tk_ut_define(feed, &fact);
}

static int on_stall(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_STALL, tk_ut_since(feed, tk_ut_u64(ev, 0)));
    (void)state;
    fact.u.stall.end = tk_ut_since(feed, tk_ut_u64(ev, 1));
    tk_health_note(&feed->out->health, TK_HEALTH_TRACE_STALL, ev->offset, 1,
                   "the recorder made thread %u wait for %lld cycles: its times there are inflated", ev->tid,
                   (long long)tk_wrap_sub(fact.u.stall.end, fact.time));
    return tk_ut_asked(feed, TK_FACT_MASK(STALL)) ? tk_ut_emit(feed, &fact) : TK_OK;
}

static const struct tk_ut_bind binds[] = {
    {"$Trace.NewTrace", on_clock, true, {"StartCycle", "CycleFrequency", "StartDateTime"}},
    {"$Trace.Timing", on_clock, true, {"StartCycle", "CycleFrequency"}},
    {"$Trace.TraceStall", on_stall, false, {"StartCycle", "EndCycle"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_trace = {.name = "trace",
                                             .facts = TK_FACT_MASK(CLOCK) | TK_FACT_MASK(STALL) |
                                                      TK_FACT_MASK(SCOPES),
                                             .binds = binds};
