/*
 * The few events of a stream that a summary looks at: the session, frames, threads, channels. See
 * summary_parts.h.
 */
#include "live/summary_parts.h"

#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 256 }; /* whose names are kept */

void tk_live_summary_add_thread(struct tk_live_summary *s, uint32_t tid)
{
    if (tid <= TK_UT_TID_IMPORTANT || tid >= TK_UT_TID_CONNECT)
        return;
    uint32_t *word = &s->tids[tid / 32];
    const uint32_t bit = UINT32_C(1) << tid % 32;
    s->figures.threads += !(*word & bit);
    *word |= bit;
}

static uint64_t number_of(const struct tk_ut_event *ev, const char *field)
{
    return tk_ut_event_u64(ev, tk_ut_type_field(ev->type, field));
}

/* A text of the program, cut to what there is room for; what would not print becomes '?'. */
static void text_of(struct tk_live_summary *s, const struct tk_ut_event *ev, const char *field,
                    char out[TK_LIVE_TEXT])
{
    const struct tk_ut_field *f = tk_ut_type_field(ev->type, field);
    const struct tk_str *text = f ? tk_ut_event_text(ev, f, 1, &s->strings) : NULL;
    size_t n = text ? text->n : 0;
    if (n == 0)
        return;
    if (n > TK_LIVE_TEXT - 1)
        n = TK_LIVE_TEXT - 1;
    for (size_t i = 0; i < n; i++)
        out[i] = text->p[i] >= ' ' && text->p[i] <= '~' ? text->p[i] : '?';
    out[n] = '\0';
}

static void on_session(struct tk_live_summary *s, const struct tk_ut_event *ev)
{
    text_of(s, ev, "AppName", s->figures.program);
    text_of(s, ev, "ProjectName", s->figures.program);
    text_of(s, ev, "Platform", s->figures.platform);
    text_of(s, ev, "BuildVersion", s->figures.build);
}

static void on_frame(struct tk_live_summary *s, const struct tk_ut_event *ev)
{
    s->figures.frames += number_of(ev, "FrameType") == 0;
}

static void on_thread(struct tk_live_summary *s, const struct tk_ut_event *ev)
{
    tk_live_summary_add_thread(s, (uint32_t)number_of(ev, "ThreadId"));
}

/* The channel of an id, new where it was not known; NULL: nobody watches, or there are too many. */
static struct tk_live_channel *channel_of(struct tk_live_summary *s, uint32_t id)
{
    for (size_t i = 0; i < s->n_channels; i++)
        if (s->channels[i].id == id)
            return &s->channels[i];
    if (!s->channels || s->n_channels == CHANNELS)
        return NULL;
    s->channels[s->n_channels].id = id;
    return &s->channels[s->n_channels++];
}

static void on_announce(struct tk_live_summary *s, const struct tk_ut_event *ev)
{
    struct tk_live_channel *c = channel_of(s, (uint32_t)number_of(ev, "Id"));
    if (!c)
        return;
    c->announced = true;
    c->enabled = number_of(ev, "IsEnabled") != 0;
    c->read_only = number_of(ev, "ReadOnly") != 0;
    text_of(s, ev, "Name", c->name);
}

static void on_toggle(struct tk_live_summary *s, const struct tk_ut_event *ev)
{
    const uint32_t id = (uint32_t)number_of(ev, "Id");
    struct tk_live_channel *c = channel_of(s, id);
    const bool enabled = number_of(ev, "IsEnabled") != 0;
    if (c)
        c->enabled = enabled;
    if (s->watch)
        s->watch(s->watch_ctx, c ? c->name : "", id, enabled);
}

const struct tk_live_channel *tk_live_summary_channel(const struct tk_live_summary *s, size_t i)
{
    return i < s->n_channels ? &s->channels[i] : NULL;
}

static const struct {
    const char *name;
    void (*take)(struct tk_live_summary *s, const struct tk_ut_event *ev);
    bool watched; /* only where channels are */
} looked_at[] = {
    {"Diagnostics.Session2", on_session, false}, {"Misc.BeginFrame", on_frame, false},
    {"$Trace.ThreadInfo", on_thread, false},     {"Trace.ChannelAnnounce", on_announce, true},
    {"Trace.ChannelToggle", on_toggle, true},
};

enum { LOOKED_AT = sizeof looked_at / sizeof *looked_at };

uint8_t tk_live_summary_find(const struct tk_live_summary *s, const struct tk_ut_type *type)
{
    for (size_t i = 0; i < LOOKED_AT; i++)
        if (strlen(looked_at[i].name) == type->name->n &&
            memcmp(looked_at[i].name, type->name->p, type->name->n) == 0)
            return looked_at[i].watched && !s->watch ? 0 : (uint8_t)(i + 1);
    return 0;
}

int tk_live_summary_take(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev)
{
    struct tk_live_summary *s = self;
    const uint8_t which = tk_live_summary_find(s, ev->type);
    (void)lane;
    if (which)
        looked_at[which - 1].take(s, ev);
    return TK_OK;
}

void tk_live_summary_watch(struct tk_live_summary *s, tk_live_channel_fn *fn, void *ctx)
{
    s->channels = calloc(CHANNELS, sizeof *s->channels);
    s->watch = fn;
    s->watch_ctx = ctx;
}
