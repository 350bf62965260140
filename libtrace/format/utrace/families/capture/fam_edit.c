/*
 * What edits of the capture say of themselves: events of the logger Tracekit. The table `edits` shows them
 * (reading/describe.c); gaps are taken where lanes are decoded.
 */
#include "format/utrace/feed/family_list.h"

enum { FROM, TO, FIRST_FRAME, RECORD };

#define MOST 4096 /* edits of a capture; what is beyond is not shown */

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
    return TK_OK;
}

static int on_gap(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)feed;
    (void)state;
    (void)ev;
    return TK_OK;
}

static const struct tk_ut_bind binds[] = {
    {"Tracekit.Edit", on_edit, true, {"From", "To", "FirstFrame", "Record"}},
    {"Tracekit.Gap", on_gap, true, {"ThreadId"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_edit = {.name = "edit", .binds = binds};
