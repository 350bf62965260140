/*
 * Follows a Tracy program: see follow_tracy.h.
 */
#include "live/follow_tracy.h"

#include "live/figures.h"
#include "live/tracy_source.h"
#include "os/clock.h"
#include "terminal/exit.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

enum { TOP = 15, PLACES = 65536, ZERO = 32768, NAME = 40 };

struct follow {
    const struct tk_call *call;
    struct tk_tl_link *link;
    double shown;
    uint64_t frames, zones; /* when it was shown last */
};

/* The places with the longest total times, longest first. */
static size_t find_top(const struct tk_tl_state *s, int32_t top[TOP])
{
    size_t n = 0;
    for (int32_t i = 0; i < PLACES; i++) {
        if (!s->sums[i].count)
            continue;
        size_t at = n < TOP ? n++ : TOP;
        for (; at > 0 && s->sums[top[at - 1]].total < s->sums[i].total; at--)
            if (at < TOP)
                top[at] = top[at - 1];
        if (at < TOP)
            top[at] = i;
    }
    return n;
}

static void put_place(const struct tk_tl_state *s, int32_t i)
{
    const struct tk_tl_sum *sum = &s->sums[i];
    const struct tk_tl_text *text = tk_tl_place_name(s, (int16_t)(i - ZERO));
    char raw[NAME + 1] = "?", name[8 * NAME], calls[TK_FIGURE];
    if (text)
        snprintf(raw, sizeof raw, "%.*s", (int)(text->n < NAME ? text->n : NAME), (const char *)text->p);
    printf("%-40s %14s %12.3f %12.3f %12.3f\n", tk_tracy_shown(raw, name, sizeof name),
           tk_live_count(sum->count, calls), (double)sum->total / 1e6,
           (double)sum->total / (double)sum->count / 1e3, (double)sum->max / 1e3);
}

static void show(struct follow *f, double now)
{
    const struct tk_tl_link_state s = tk_tl_link_state(f->link);
    char name[256], time[TK_FIGURE], frames[TK_FIGURE], zones[TK_FIGURE];
    const double passed = now - f->shown;
    int32_t top[TOP];
    if (!s.session || passed <= 0)
        return;
    const size_t n = find_top(s.session, top);
    printf("'%s' of Tracy %s, %s: %s frames (%.1f/s), %s zones (%.0f/s)\n",
           tk_tracy_shown(s.session->welcome.program, name, sizeof name), tk_tl_releases(s.protocol),
           tk_live_time(now - s.began, time), tk_live_count(s.frames, frames),
           (double)(s.frames - f->frames) / passed, tk_live_count(s.session->zones, zones),
           (double)(s.session->zones - f->zones) / passed);
    printf("%-40s %14s %12s %12s %12s\n", "zone", "calls", "total, ms", "mean, us", "max, us");
    for (size_t i = 0; i < n; i++)
        put_place(s.session, top[i]);
    putchar('\n');
    f->shown = now;
    f->frames = s.frames;
    f->zones = s.session->zones;
}

static int follow(struct follow *f, struct tk_err *err)
{
    struct tk_live_waits waits = {0};
    int rc = TK_OK;
    bool stopped = false;
    while (rc == TK_OK && !tk_tl_link_is_over(f->link)) {
        waits.list.n = 0;
        rc = tk_tl_link_ask(f->link, &waits);
        if (rc != TK_OK || tk_os_socket_wait(waits.list.v, waits.list.n, NULL, 0.1).error)
            rc = tk_err_nomem(err, "connections");
        const double now = tk_os_seconds();
        if (rc == TK_OK)
            tk_tl_link_serve(f->link, &waits, now);
        if (tk_host_stopped() && !stopped) {
            tk_tl_link_stop(f->link, now);
            stopped = true;
        }
        if (now - f->shown >= 1) {
            show(f, now);
            rc = rc == TK_OK && !tk_host_flush()
                     ? tk_err_set(err, TK_EOUTPUT, "standard output cannot be written")
                     : rc;
        }
    }
    tk_vec_release(&waits.list);
    return rc;
}

static int end_follow(struct follow *f)
{
    const struct tk_tl_link_state s = tk_tl_link_state(f->link);
    if (!s.session) {
        tk_message_say(f->call->program, TK_MESSAGE_ERROR, "nothing is read from '%s': %s%s%s",
                       f->call->operands->v[0], tk_tl_end_text(s.end), s.err->n ? ", " : "",
                       s.err->n ? s.err->text[0] : "");
        return TK_EXIT_FAILED;
    }
    show(f, tk_os_seconds());
    if (s.end == TK_TL_END_EXIT || s.end == TK_TL_END_CRASH || s.end == TK_TL_END_STOPPED)
        return TK_EXIT_DONE;
    tk_message_say(f->call->program, TK_MESSAGE_WARNING, "it ends early: %s", tk_tl_end_text(s.end));
    return TK_EXIT_DAMAGED;
}

bool tk_follow_is_tracy(const char *operand)
{
    return strncmp(operand, TK_TRACY_SCHEME, strlen(TK_TRACY_SCHEME)) == 0;
}

int tk_follow_tracy(const struct tk_call *call)
{
    struct follow f = {.call = call, .shown = tk_os_seconds()};
    struct tk_tl_link_options options = {.session.sums_only = true};
    struct tk_tracy_source source;
    struct tk_err err = {0};
    char message[TK_OPT_MESSAGE];
    if (!tk_tracy_source_read(&source, call->operands->v[0], message))
        return tk_message_usage(call->program, message);
    if (!*source.host)
        return tk_message_usage(call->program, "which program? 'trace-record tracy://' lists them");
    if (!tk_tracy_source_find(&source, &options, message))
        return tk_message_usage(call->program, message);
    tk_host_note_stop();
    int rc = tk_tl_link_open(&f.link, &options);
    if (rc == TK_OK)
        rc = follow(&f, &err);
    int code = TK_EXIT_FAILED;
    if (rc == TK_OK)
        code = end_follow(&f);
    else
        tk_message_error(call->program, NULL, rc, &err);
    tk_tl_link_close(f.link);
    return code;
}
