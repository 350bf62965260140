/* Selections of times, asked of tables that go by them in ways of their own. Expectations are worked out by
 * hand. */
#include "put.h"

#define START 1000 /* cycle 0 of the recording, 1000 cycles a second */

static void bookmark(struct captured *c, uint64_t at, uint64_t point)
{
    const struct tk_uw_bytes none = {0};
    tk_uw_bookmark(&c->uw, &c->lanes[0], START + at, point, &none);
}

/* An event before, between and behind two bookmarks; the first of these is in what they select. */
START_TEST(events_between_bookmarks)
{
    struct captured *c = captured_new(7);
    struct put_type *reached = put_new(c, "Game.Reached", "Number:i", 0);
    tk_uw_bookmark_spec(&c->uw, 1, 1, "Begin", "A.cpp");
    tk_uw_bookmark_spec(&c->uw, 2, 2, "End", "A.cpp");
    put(c, 0, reached, Q(1));
    bookmark(c, 15, 1);
    put(c, 0, reached, Q(2));
    bookmark(c, 25, 2);
    put(c, 0, reached, Q(3));
    captured_close(c);
    c->select.from_bookmark = "Begin";
    c->select.to_bookmark = "End";
    ck_assert_str_eq(captured_table(c, "event_counts", "event,count,bytes"),
                     "Game.Reached|1|\nMisc.Bookmark|1|\n");
    free(reached);
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {events_between_bookmarks};
    return RUN_TESTS("selection", tests);
}
