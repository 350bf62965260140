/*
 * Regions (events 3.4). Pairing by name or id is the model's.
 */
#include "format/utrace/feed/family_list.h"

enum { CYCLE, NAME, CATEGORY, ID };

static int say_region(struct tk_ut_feed *feed, const struct tk_ut_event *ev, struct tk_fact_region region)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_REGION, tk_ut_since(feed, tk_ut_u64(ev, CYCLE)));
    if (tk_ut_has(ev, NAME) && !(region.name = tk_ut_str(feed, ev, NAME, 2)))
        return TK_ENOMEM;
    if (tk_ut_has(ev, CATEGORY) && !(region.category = tk_ut_str(feed, ev, CATEGORY, 2)))
        return TK_ENOMEM;
    fact.u.region = region;
    return tk_ut_emit(feed, &fact);
}

static int on_begin_region(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_region(feed, ev, (struct tk_fact_region){.begin = true});
}

static int on_end_region(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_region(feed, ev, (struct tk_fact_region){.begin = false});
}

/* The begin cycle is the id. */
static int on_begin_id(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_region(feed, ev,
                      (struct tk_fact_region){.begin = true, .has_id = true, .id = tk_ut_u64(ev, CYCLE)});
}

static int on_end_id(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_region(feed, ev, (struct tk_fact_region){.has_id = true, .id = tk_ut_u64(ev, ID)});
}

static const struct tk_ut_bind binds[] = {
    {"Misc.RegionBegin", on_begin_region, false, {"Cycle", "RegionName", "Category"}},
    {"Misc.RegionEnd", on_end_region, false, {"Cycle", "RegionName"}},
    {"Misc.RegionBeginWithId", on_begin_id, false, {"CycleAndId", "RegionName", "Category"}},
    {"Misc.RegionEndWithId", on_end_id, false, {"Cycle", "RegionName", "Category", "RegionId"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_region = {
    .name = "region", .facts = TK_FACT_MASK(REGION), .binds = binds};
