/*
 * What edits of the capture say of themselves: events of the logger Tracekit. The table `edits` shows them
 * (reading/describe.c); gaps are taken where lanes are decoded.
 */
#include "format/utrace/feed/family_list.h"
#include "table/cell.h"

#include <stdio.h>
#include <string.h>

enum { FROM, TO, FIRST_FRAME, RECORD };

#define MOST 4096 /* edits of a capture; what is beyond is not displayed */

/* Options and topics of a record, without marks of JSON and counts: "options:drop,dropped:logs,memory". */
static size_t put_short(char *out, size_t capacity, const char *p, size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i < n && used < capacity; i++) {
        if (p[i] == ':' && i + 1 < n && p[i + 1] >= '0' && p[i + 1] <= '9') {
            while (i + 1 < n && p[i + 1] >= '0' && p[i + 1] <= '9')
                i++;
            continue;
        }
        if (!strchr("\"{}[]", p[i]))
            out[used++] = p[i];
    }
    return used;
}

/* Part of the session, so that a comparison says captures that were edited in different ways. */
static int say_session(struct tk_ut_feed *feed, const struct tk_ut_event *ev, const struct tk_str *record)
{
    static const char first[] = "\"options\"";
    struct tk_ut_capture *c = feed->capture;
    char key[32] = "Edit", text[512];
    size_t at = 0;
    while (at + sizeof first - 1 < record->n && memcmp(record->p + at, first, sizeof first - 1) != 0)
        at++;
    const size_t n = put_short(text, sizeof text, record->p + at, record->n - at);
    if (c->edits.n > 1)
        snprintf(key, sizeof key, "Edit%zu", c->edits.n);
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_SESSION, 0);
    const struct tk_str *name = tk_intern_c(&c->strings, key),
                        *value = tk_intern(&c->strings, text, n, TK_ENC_UTF8);
    if (!name || !value)
        return TK_ENOMEM;
    fact.thread = TK_NO_THREAD;
    fact.u.session = (struct tk_fact_session){name, tk_cell_of_text(value)};
    return tk_ut_define(feed, &fact);
}

static int on_edit(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_capture *c = feed->capture;
    const struct tk_str *record = tk_ut_str(feed, ev, RECORD, 1);
    const struct tk_ut_edit edit = {.from = tk_ut_u64(ev, FROM),
                                    .to = tk_ut_u64(ev, TO),
                                    .first_frame = (uint32_t)tk_ut_u64(ev, FIRST_FRAME),
                                    .record = record};
    (void)state;
    if (!record || (c->edits.n < MOST && tk_vec_push(&c->edits, edit)))
        return TK_ENOMEM;
    return c->edits.n < MOST ? say_session(feed, ev, record) : TK_OK;
}

static int on_nothing(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)feed;
    (void)state;
    (void)ev;
    return TK_OK;
}

static const struct tk_ut_bind binds[] = {
    {"Tracekit.Edit", on_edit, true, {"From", "To", "FirstFrame", "Record"}},
    {"Tracekit.Gap", on_nothing, true, {"ThreadId"}},
    {"Tracekit.Left", on_nothing, false, {0}},
    {0},
};

const struct tk_ut_family tk_ut_fam_edit = {.name = "edit", .binds = binds};
