/*
 * The recording itself: clock and stalls of the recorder (wire 5.2, events 1.2), and what a program dropped
 * that uses the emitter (emit/).
 */
#include "base/wrap.h"
#include "format/utrace/feed/family_list.h"

#include <stdio.h>

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
    return tk_ut_requested(feed, TK_FACT_MASK(STALL)) ? tk_ut_emit(feed, &fact) : TK_OK;
}

enum { LOSS_START, LOSS_END, LOSS_THREAD, LOSS_SCOPES, LOSS_EVENTS, LOSS_REASON };

static double loss_seconds(const struct tk_ut_feed *feed, uint64_t cycle)
{
    const uint64_t frequency = feed->capture->clock.frequency;
    return (double)tk_ut_since(feed, cycle) / (double)(frequency ? frequency : 1);
}

static int on_loss(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    static const char *const reasons[] = {"for an unknown reason", "its buffer was full", "it had no memory",
                                          "the file took no more"};
    const uint64_t scopes = tk_ut_u64(ev, LOSS_SCOPES), events = tk_ut_u64(ev, LOSS_EVENTS);
    const uint64_t reason = tk_ut_u64(ev, LOSS_REASON), thread = tk_ut_u64(ev, LOSS_THREAD);
    char of[48] = "";
    (void)state;
    if (thread)
        snprintf(of, sizeof of, " of thread %llu", (unsigned long long)thread);
    tk_health_note(&feed->out->health, TK_HEALTH_EVENTS_LOST, ev->offset,
                   scopes > UINT64_MAX - events ? UINT64_MAX : scopes + events,
                   "the program dropped %llu scopes and %llu events%s between %.3f s and %.3f s: %s",
                   (unsigned long long)scopes, (unsigned long long)events, of,
                   loss_seconds(feed, tk_ut_u64(ev, LOSS_START)), loss_seconds(feed, tk_ut_u64(ev, LOSS_END)),
                   reasons[reason < 4 ? reason : 0]);
    return TK_OK;
}

static const struct tk_ut_bind binds[] = {
    {"$Trace.NewTrace", on_clock, true, {"StartCycle", "CycleFrequency", "StartDateTime"}},
    {"$Trace.Timing", on_clock, true, {"StartCycle", "CycleFrequency"}},
    {"$Trace.TraceStall", on_stall, false, {"StartCycle", "EndCycle"}},
    {"Tracekit.Loss", on_loss, true, {"StartCycle", "EndCycle", "ThreadId", "Scopes", "Events", "Reason"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_trace = {.name = "trace",
                                             .facts = TK_FACT_MASK(CLOCK) | TK_FACT_MASK(STALL) |
                                                      TK_FACT_MASK(SCOPES),
                                             .binds = binds};
