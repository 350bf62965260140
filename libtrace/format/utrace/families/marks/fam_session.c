/*
 * Session: what program ran (events 1.1), and how it was sampled (changes-since 5). All fields are carried,
 * known or not.
 */
#include "format/utrace/feed/family_list.h"
#include "table/cell.h"

#include <string.h>

static int say_session(struct tk_ut_feed *feed, const struct tk_ut_event *ev, const struct tk_str *key,
                       struct tk_cell value)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_SESSION, 0);
    fact.thread = TK_NO_THREAD;
    fact.u.session = (struct tk_fact_session){key, value};
    return key ? tk_ut_define(feed, &fact) : TK_ENOMEM;
}

/* The value of a field that lives as long as the capture. */
static int lasting(struct tk_ut_feed *feed, const struct tk_ut_event *ev, uint32_t i, struct tk_cell *out)
{
    tk_ut_event_value(ev, i, out);
    if (out->kind == TK_TEXT) {
        const struct tk_str *s = tk_ut_event_text(ev, &ev->type->fields[i], 1, &feed->capture->strings);
        if (!s)
            return TK_ENOMEM;
        *out = tk_cell_of_text(s);
    } else if (out->kind == TK_ARRAY || out->kind == TK_BYTES) {
        size_t n = (size_t)out->n * (out->kind == TK_ARRAY ? out->width : 1);
        const void *p = tk_arena_copy(&feed->capture->arena, n ? out->v.p : "", n);
        if (!p)
            return TK_ENOMEM;
        out->v.p = p;
    }
    return TK_OK;
}

static int on_session2(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc = TK_OK;
    (void)state;
    for (uint32_t i = 0; i < ev->type->n_fields && rc == TK_OK; i++) {
        struct tk_cell value;
        rc = lasting(feed, ev, i, &value);
        if (rc == TK_OK)
            rc = say_session(feed, ev, ev->type->fields[i].name, value);
    }
    return rc;
}

enum { APP_OFFSET, COMMAND_OFFSET, CONFIGURATION, TARGET };

static int say_text(struct tk_ut_feed *feed, const struct tk_ut_event *ev, const char *key, size_t from,
                    size_t to)
{
    if (to > ev->n_attachment)
        to = ev->n_attachment;
    if (from > to)
        from = to;
    const struct tk_str *s = tk_ut_text(&feed->capture->strings, ev->attachment + from, to - from, 1);
    if (!s)
        return TK_ENOMEM;
    return say_session(feed, ev, tk_intern_c(&feed->capture->strings, key), tk_cell_of_text(s));
}

/* Up to 4.25: platform, application and command line follow each other in the attachment. */
static int on_session(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    size_t app = (size_t)tk_ut_u64(ev, APP_OFFSET), command = (size_t)tk_ut_u64(ev, COMMAND_OFFSET);
    struct tk_intern *strings = &feed->capture->strings;
    (void)state;
    int rc = say_text(feed, ev, "Platform", 0, app);
    if (rc == TK_OK)
        rc = say_text(feed, ev, "AppName", app, command);
    if (rc == TK_OK)
        rc = say_text(feed, ev, "CommandLine", command, ev->n_attachment);
    struct tk_cell configuration = {.kind = TK_UINT, .v.u = tk_ut_u64(ev, CONFIGURATION)};
    struct tk_cell target = {.kind = TK_UINT, .v.u = tk_ut_u64(ev, TARGET)};
    if (rc == TK_OK)
        rc = say_session(feed, ev, tk_intern_c(strings, "ConfigurationType"), configuration);
    return rc == TK_OK ? say_session(feed, ev, tk_intern_c(strings, "TargetType"), target) : rc;
}

static const struct tk_ut_bind binds[] = {
    {"Diagnostics.Session2", on_session2, true, {0}},
    {"PlatformEvent.Settings", on_session2, true, {0}},
    {"Diagnostics.Session",
     on_session,
     true,
     {"AppNameOffset", "CommandLineOffset", "ConfigurationType", "TargetType"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_session = {.name = "session", .binds = binds};
