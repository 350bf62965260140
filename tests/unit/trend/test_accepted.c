/*
 * Accepted regressions on a comparison made by hand: one timer is 10 % slower.
 */
#include "run.h"
#include "trend/accepted.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NOON INT64_C(1795521600) /* 2026-11-24T12:00:00Z */

struct tried {
    int status;
    bool accepted, worse;
    char said[200];
};

/* What a file makes of it at a moment, for a candidate of a time. */
static struct tried try_at(const char *text, int64_t now, int64_t candidate)
{
    struct tk_acceptances a = {0};
    struct tk_comparison c = {.worse = true, .candidate_time = candidate};
    struct tk_change change = {
        .kind = TK_CHANGE_TIMER, .verdict = TK_REGRESSED, .baseline = 1, .candidate = 1.1, .ratio = 1.1};
    struct tk_err err = {0};
    struct tried t = {0};
    change.name = tk_intern_c(&c.names, "Lighting");
    change.group = tk_intern_c(&c.names, "RenderThread");
    must(tk_vec_push(&c.changes, change) == 0);
    t.status = tk_accepted_parse(&a, text, strlen(text), &err);
    if (t.status == TK_OK)
        t.status = tk_accepted_apply(&a, &c, now, &err);
    const struct tk_change *after = &c.changes.v[0];
    t.accepted = after->accepted;
    t.worse = c.worse;
    must(t.accepted == (c.accepted == 1));
    if (after->acceptance)
        snprintf(t.said, sizeof t.said, "%.*s", (int)after->acceptance->n, after->acceptance->p);
    tk_accepted_release(&a);
    tk_vec_release(&c.changes);
    tk_intern_release(&c.names);
    return t;
}

static struct tried try_one(const char *members)
{
    char text[512];
    snprintf(text, sizeof text, "{\"accepted\": [{\"reason\": \"why\", %s}]}", members);
    return try_at(text, NOON, INT64_MAX);
}

START_TEST(accepted)
{
    static const char *const yes[] = {"\"name\": \"Lighting\"",
                                      "\"name\": \"Light*\", \"thread\": \"Render*\", \"kind\": \"timer\"",
                                      "\"name\": \"*\", \"most\": 10.5",
                                      "\"name\": \"*\", \"until\": \"2026-11-24\"",
                                      "\"name\": \"*\", \"until\": \"2026-11-24T12:00Z\"",
                                      "\"name\": \"*\", \"since\": \"build 17\""};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        const struct tried t = try_one(yes[i]);
        ck_assert_msg(t.status == TK_OK && t.accepted && !t.worse && strstr(t.said, "why"), "%s: %s", yes[i],
                      t.said);
    }
}
END_TEST

START_TEST(others)
{
    static const char *const no[] = {"\"name\": \"Light\"",
                                     "\"name\": \"Lighting\", \"thread\": \"GameThread\"",
                                     "\"name\": \"Lighting\", \"kind\": \"gpu\""};
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        const struct tried t = try_one(no[i]);
        ck_assert_msg(t.status == TK_OK && !t.accepted && t.worse && !*t.said, "%s", no[i]);
    }
}
END_TEST

START_TEST(exceeded_and_expired)
{
    struct tried t = try_one("\"name\": \"*\", \"most\": 9.5");
    ck_assert(!t.accepted && t.worse);
    ck_assert_str_eq(t.said, "accepted up to 9.5 %: why");
    t = try_one("\"name\": \"*\", \"until\": \"2026-11-23\"");
    ck_assert(!t.accepted && t.worse);
    ck_assert_str_eq(t.said, "was accepted until 2026-11-23: why");
    t = try_one("\"name\": \"*\", \"until\": \"2026-11-24T11:59:59Z\"");
    ck_assert(!t.accepted && t.worse);
    /* what was so from a later run on does not excuse this one */
    static const char since[] =
        "{\"accepted\": [{\"name\": \"*\", \"reason\": \"why\", \"since\": \"2026-11-20\"}]}";
    ck_assert(!try_at(since, NOON, NOON - 30 * 86400).accepted);
    ck_assert(try_at(since, NOON, NOON).accepted);
}
END_TEST

START_TEST(wrong_files)
{
    static const char *const texts[] = {
        "{}",
        "[]",
        "{\"accepted\": {}}",
        "{\"accepted\": [], \"x\": 1}",
        "{\"accepted\": [1]}",
        "{\"accepted\": [{\"name\": \"a\"}]}",
        "{\"accepted\": [{\"reason\": \"a\"}]}",
        "{\"accepted\": [{\"name\": \"a\", \"reason\": \"\"}]}",
        "{\"accepted\": [{\"name\": \"a\", \"reason\": \"b\", \"untill\": \"2026-01-01\"}]}",
        "{\"accepted\": [{\"name\": \"a\", \"reason\": \"b\", \"until\": \"soon\"}]}",
        "{\"accepted\": [{\"name\": \"a\", \"reason\": \"b\", \"most\": -1}]}",
        "{\"accepted\": [{\"name\": \"a\", \"reason\": \"b\", \"kind\": \"x\"}]}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(try_at(texts[i], NOON, NOON).status == TK_EUSAGE, "%s", texts[i]);
    ck_assert_int_eq(try_at("{\"accepted\": []}", NOON, NOON).status, TK_OK);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {accepted, others, exceeded_and_expired, wrong_files};
    return RUN_TESTS("accepted", tests);
}
