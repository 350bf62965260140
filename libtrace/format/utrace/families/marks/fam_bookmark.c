/*
 * Bookmarks (events 3.2).
 */
#include "format/utrace/families/marks/message_points.h"
#include "format/utrace/feed/family_list.h"

enum { SPEC_POINT, SPEC_LINE, SPEC_FORMAT, SPEC_FILE };

static int on_spec_bookmark(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_message_point point = {.line = (uint32_t)tk_ut_u64(ev, SPEC_LINE)};
    int rc = tk_ut_message_point_texts(feed, ev, SPEC_FILE, SPEC_FORMAT, &point);
    return rc == TK_OK ? tk_ut_message_point_put(state, tk_ut_u64(ev, SPEC_POINT), &point) : rc;
}

enum { CYCLE, POINT, ARGS, CALLSTACK };

static int say_bookmark(struct tk_ut_feed *feed, struct tk_fact *fact,
                        const struct tk_ut_message_point *point, struct tk_ut_message_args args)
{
    static const struct tk_str unknown = {"%s", 2, TK_ENC_UTF8};
    fact->u.bookmark.file = point ? point->file : NULL;
    fact->u.bookmark.line = point ? point->line : 0;
    int rc = tk_ut_message_text(feed, point ? point->format : &unknown, args, &fact->u.bookmark.text);
    return rc == TK_OK ? tk_ut_emit(feed, fact) : rc;
}

static int on_bookmark(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_BOOKMARK, tk_ut_since(feed, tk_ut_u64(ev, CYCLE)));
    uint64_t address = tk_ut_u64(ev, POINT);
    const struct tk_ut_message_point *point = tk_ut_message_point_get(state, address);
    fact.u.bookmark = (struct tk_fact_bookmark){.callstack = (uint32_t)tk_ut_u64(ev, CALLSTACK)};
    if (point)
        return say_bookmark(feed, &fact, point, tk_ut_message_args(ev, ARGS));
    return tk_ut_message_wait(feed, state, &fact, address, tk_ut_message_args(ev, ARGS));
}

static int finish_bookmark(struct tk_ut_feed *feed, void *state)
{
    return tk_ut_messages_finish(feed, state, say_bookmark);
}

static void release_bookmark(void *state)
{
    tk_ut_message_points_release(state);
}

static const struct tk_ut_bind binds[] = {
    {"Misc.BookmarkSpec", on_spec_bookmark, true, {"BookmarkPoint", "Line", "FormatString", "FileName"}},
    {"Misc.Bookmark", on_bookmark, false, {"Cycle", "BookmarkPoint", "FormatArgs", "CallstackId"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_bookmark = {.name = "bookmark",
                                                .facts = TK_FACT_MASK(BOOKMARK),
                                                .binds = binds,
                                                .state = sizeof(struct tk_ut_message_points),
                                                .finish = finish_bookmark,
                                                .release = release_bookmark};
