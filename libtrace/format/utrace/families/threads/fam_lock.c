/*
 * Locks (events 7.3): the one of the physics scene; others are not in these captures.
 */
#include "format/utrace/feed/family_list.h"

enum { TIME, WRITE };

static int say_lock(struct tk_ut_feed *feed, const struct tk_ut_event *ev, enum tk_lock_what what)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_LOCK, tk_ut_since(feed, tk_ut_u64(ev, TIME)));
    fact.u.lock = (struct tk_fact_lock){.name = tk_intern_c(&feed->capture->strings, "physics scene"),
                                        .what = (uint8_t)what,
                                        .write = tk_ut_u64(ev, WRITE) != 0};
    return fact.u.lock.name ? tk_ut_emit(feed, &fact) : TK_ENOMEM;
}

static int on_request(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_lock(feed, ev, TK_LOCK_REQUESTED);
}

static int on_obtained(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_lock(feed, ev, TK_LOCK_OBTAINED);
}

static int on_released(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_lock(feed, ev, TK_LOCK_RELEASED);
}

static const struct tk_ut_bind binds[] = {
    {"Chaos.LockAcquireBegin", on_request, false, {"Cycle", "bIsWrite"}},
    {"Chaos.LockAcquired", on_obtained, false, {"Cycle"}},
    {"Chaos.LockAcquireEnd", on_released, false, {"Cycle"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_lock = {.name = "lock", .facts = TK_FACT_MASK(LOCK), .binds = binds};
