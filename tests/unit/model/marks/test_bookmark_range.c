/* The time between two bookmarks, by hand from mark_pair.h. */
#include "model/marks/bookmark_range.h"
#include "run.h"

#include <string.h>

static struct tk_bookmark_range pair;
static struct tk_range range;
static struct tk_err err;

static void feed(const char *text, int64_t time)
{
    struct tk_fact fact = {.kind = TK_FACT_BOOKMARK, .time = time};
    fact.u.bookmark.text = (struct tk_str){text, (uint32_t)strlen(text), TK_ENC_UTF8};
    ck_assert_int_eq(tk_bookmark_range_feed(&pair, &fact), 0);
}

/* Bookmarks of several threads, which come in no order of time. */
static void begin(const char *from, const char *to)
{
    tk_bookmark_range_init(&pair, from, to);
    feed("Wave 2", 200);
    feed("Wave 1", 100);
    feed("Wave 1", 150);
    feed("Wave", 120);
    feed("End", 100);
    feed("End", 300);
    feed("Wave *", 180);
}

static void is(const char *from, const char *to, int64_t begins, int64_t ends)
{
    begin(from, to);
    ck_assert_int_eq(tk_bookmark_range_range(&pair, &range, &err), TK_OK);
    ck_assert_int_eq(range.from, begins);
    ck_assert_int_eq(range.to, ends);
    tk_bookmark_range_release(&pair);
}

START_TEST(the_first_and_the_next)
{
    is("Wave 1", "Wave 2", 100, 200);
    is("Wave 1", "Wave 1", 100, 150);
    is("Wave 1", "End", 100, 300); /* the one at the same time is not behind it */
    is("Wave ?", NULL, 100, INT64_MAX);
    is(NULL, "W*", INT64_MIN, 100);
    is(NULL, NULL, INT64_MIN, INT64_MAX);
}
END_TEST

/* The text of a bookmark is no pattern, though it could be one. */
START_TEST(texts_before_patterns)
{
    is("Wave *", "End", 180, 300);
    is("Wave *", NULL, 180, INT64_MAX);
    is("Wave?1", NULL, 100, INT64_MAX); /* no text is that */
}
END_TEST

START_TEST(none_there)
{
    begin("Nothing", NULL);
    ck_assert_int_eq(tk_bookmark_range_range(&pair, &range, &err), TK_EMATCH);
    ck_assert_str_eq(err.text[0], "there is no bookmark 'Nothing'");
    tk_bookmark_range_release(&pair);
    begin("End", "Wave");
    ck_assert_int_eq(tk_bookmark_range_range(&pair, &range, &err), TK_OK); /* 100 to 120 */
    tk_bookmark_range_release(&pair);
    begin("Wave 2", "Wave 1");
    ck_assert_int_eq(tk_bookmark_range_range(&pair, &range, &err), TK_EMATCH);
    ck_assert_str_eq(err.text[0], "there is no bookmark 'Wave 1' after the first one");
    tk_bookmark_range_release(&pair);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {the_first_and_the_next, texts_before_patterns, none_there};
    return RUN_TESTS("mark_pair", tests);
}
