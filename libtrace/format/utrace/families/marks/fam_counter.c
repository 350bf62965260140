/*
 * Counters (events 4.1): definitions, and new values, which are always absolute.
 *
 * Reals keep their 64 bits (the engine's viewer cuts them to 32).
 */
#include "format/utrace/feed/family_list.h"

enum { TYPE_REAL = 1, HINT_MEMORY = 1 };

enum { ID, TYPE, HINT, NAME };

static int on_spec_counter(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_COUNTER, 0);
    const struct tk_str *name = tk_ut_str(feed, ev, NAME, 2);
    (void)state;
    if (!name)
        return TK_ENOMEM;
    if (!tk_ut_u64(ev, ID)) {
        tk_ut_bad_payload(feed, ev, "a counter has no id");
        return TK_OK;
    }
    fact.thread = TK_NO_THREAD;
    fact.seq = TK_NO_SEQ;
    fact.u.counter = (struct tk_fact_counter){
        .id = tk_ut_u64(ev, ID),
        .kind = TK_COUNTER_PLAIN,
        .unit = tk_ut_u64(ev, HINT) == HINT_MEMORY ? TK_COUNTER_BYTES : TK_COUNTER_NUMBER,
        .real = tk_ut_u64(ev, TYPE) == TYPE_REAL,
        .name = name,
    };
    return tk_ut_define(feed, &fact);
}

enum { VALUE_CYCLE, VALUE, VALUE_ID };

static int on_value(struct tk_ut_feed *feed, const struct tk_ut_event *ev, struct tk_number number)
{
    struct tk_fact fact =
        tk_ut_fact(feed, ev, TK_FACT_COUNTER_VALUE, tk_ut_since(feed, tk_ut_u64(ev, VALUE_CYCLE)));
    if (!tk_ut_has(ev, VALUE) || !tk_ut_has(ev, VALUE_CYCLE)) {
        tk_ut_bad_payload(feed, ev, "a counter has no value");
        return TK_OK;
    }
    /* A counter that could not be registered; it has no name and never gets one. */
    if (!tk_ut_u64(ev, VALUE_ID)) {
        tk_health_note(&feed->out->health, TK_HEALTH_DEFINITION_MISSING, ev->offset, 1,
                       "a value of thread %u belongs to no counter", ev->tid);
        return TK_OK;
    }
    fact.u.counter_value =
        (struct tk_fact_counter_value){.id = tk_ut_u64(ev, VALUE_ID), .op = TK_COUNTER_SET, .number = number};
    return tk_ut_emit(feed, &fact);
}

static int on_int(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return on_value(feed, ev, (struct tk_number){.v.i = (int64_t)tk_ut_u64(ev, VALUE)});
}

static int on_real(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return on_value(feed, ev,
                    (struct tk_number){.real = true, .v.r = tk_ut_event_real(ev, ev->bound[VALUE])});
}

static const struct tk_ut_bind binds[] = {
    {"Counters.Spec", on_spec_counter, true, {"Id", "Type", "DisplayHint", "Name"}},
    {"Counters.SetValueInt", on_int, false, {"Cycle", "Value", "CounterId"}},
    {"Counters.SetValueFloat", on_real, false, {"Cycle", "Value", "CounterId"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_counter = {
    .name = "counter", .facts = TK_FACT_MASK(COUNTER_VALUE), .binds = binds};
