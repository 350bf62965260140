/*
 * Channels: what the recorder could switch on and off (wire 6, events 1.4).
 */
#include "format/utrace/feed/family_list.h"

enum { ID, ENABLED, READ_ONLY, NAME };

static int say_channel(struct tk_ut_feed *feed, const struct tk_ut_event *ev, bool announced,
                       const struct tk_str *name)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_CHANNEL, 0);
    fact.thread = TK_NO_THREAD;
    fact.u.channel = (struct tk_fact_channel){.id = (uint32_t)tk_ut_u64(ev, ID),
                                              .enabled = tk_ut_u64(ev, ENABLED) != 0,
                                              .read_only = announced && tk_ut_u64(ev, READ_ONLY) != 0,
                                              .announced = announced,
                                              .name = name};
    return tk_ut_define(feed, &fact);
}

static int on_announce(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    const struct tk_str *name = tk_ut_str(feed, ev, NAME, 1);
    (void)state;
    return name ? say_channel(feed, ev, true, name) : TK_ENOMEM;
}

static int on_toggle(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_channel(feed, ev, false, NULL);
}

static const struct tk_ut_bind binds[] = {
    {"Trace.ChannelAnnounce", on_announce, true, {"Id", "IsEnabled", "ReadOnly", "Name"}},
    {"Trace.ChannelToggle", on_toggle, true, {"Id", "IsEnabled"}},
    {"$Trace.ChannelAnnounce", on_announce, true, {"Id", "IsEnabled", "ReadOnly", "Name"}},
    {"$Trace.ChannelToggle", on_toggle, true, {"Id", "IsEnabled"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_channel = {.name = "channel", .binds = binds};
