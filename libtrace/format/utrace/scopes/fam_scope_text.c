/*
 * Values of scoped events as the texts of their scopes; the scopes themselves come from the lanes
 * (events 2.5).
 */
#include "format/utrace/feed/family_list.h"
#include "format/utrace/scopes/scope_collect.h"
#include "format/utrace/scopes/scope_text.h"

static int on_event(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    const struct tk_str *text;
    (void)state;
    if (!ev->scoped || !feed->scopes)
        return TK_OK;
    int rc = tk_ut_scope_text_event(feed, ev, &text);
    return rc == TK_OK && text ? tk_ut_scopes_text(feed, ev, text) : rc;
}

static const struct tk_ut_bind binds[] = {{"Cpu.*", on_event, false, {0}}, {0}};

const struct tk_ut_family tk_ut_fam_scope_text = {
    .name = "cpu", .facts = TK_FACT_MASK(SCOPE_TEXT), .binds = binds};
