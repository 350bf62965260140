/*
 * The base of runs in a history, and what recordings shall hold, on runs made by hand.
 */
#include "compare/baseline/baseline.h"
#include "compare/baseline/expect.h"
#include "compare/baseline/run_info.h"
#include "compare/made_runs.h"
#include "run.h"

#include <string.h>

struct kept {
    uint64_t hash;
    const char *branch, *commit, *build, *machine, *day;
};

static void note(struct tk_base_run *run, const char *key, const char *value)
{
    if (value)
        must(tk_base_run_note(run, key, value, strlen(value), TK_ENC_UTF8) == 0);
}

static void add(struct tk_baseline *b, const struct kept *k)
{
    static const struct made_timer timers[] = {{"A", 1}};
    struct tk_base_run *run = made_run(k->hash, timers, 1);
    note(run, "branch", k->branch);
    note(run, "commit", k->commit);
    note(run, "build", k->build);
    note(run, "machine", k->machine);
    note(run, "time", k->day);
    must(tk_baseline_take(b, run, NULL) == TK_OK);
}

static const struct kept history[] = {
    {1, "main", "a1", "1", "m1", "2026-11-01T00:00:00Z"},
    {2, "main", "a2", "2", "m1", "2026-11-02T00:00:00Z"},
    {3, "main", "a2", "2", "m1", "2026-11-02T01:00:00Z"},
    {4, "main", "a3", "3", "m2", "2026-11-03T00:00:00Z"},
    {5, "dev", "b1", "9", "m1", "2026-11-09T00:00:00Z"},
    {6, "main", "a4", "4", "m1", NULL},
};

/* The sum of the hashes of what is left, or the status. */
static int64_t choose(const char *what, const char *machine, struct tk_err *err)
{
    const struct kept candidate = {100, "pr", "c1", "10", machine, NULL};
    struct tk_baseline h = {0}, like = {0};
    int64_t sum = 0;
    for (size_t i = 0; i < sizeof history / sizeof *history; i++)
        add(&h, &history[i]);
    add(&like, &candidate);
    int rc = tk_base_of(&h, &like, what, err);
    for (size_t i = 0; i < h.runs.n && rc == TK_OK; i++)
        sum += (int64_t)h.runs.v[i]->hash;
    made_release(&h);
    made_release(&like);
    return rc < 0 ? rc : sum;
}

START_TEST(bases)
{
    struct tk_err err = {0};
    ck_assert_int_eq(choose("main", "m1", &err), 2 + 3); /* both runs of the newest build of that machine */
    ck_assert_int_eq(choose("main", "m2", &err), 4);
    ck_assert_int_eq(choose("main", NULL, &err), 4); /* which machine is not known: the newest */
    ck_assert_int_eq(choose("a1", "m1", &err), 1);
    ck_assert_int_eq(choose("dev", "m1", &err), 5);
    ck_assert_int_eq(choose("dev", "m2", &err), 5); /* of another machine, where there is none of that one */
    ck_assert_int_eq(choose("mai", "m1", &err), TK_EUNKNOWN);
    ck_assert_ptr_nonnull(strstr(err.text[0], "no run of a branch or commit 'mai'"));
}
END_TEST

static int expect(const char *word)
{
    static const struct made_timer timers[] = {{"A", 1}};
    char instead[TK_EXPECT_TEXT];
    struct tk_base_run *run = made_run(1, timers, 1);
    run->duration = run->frequency * 60;
    note(run, "channels", "Callstack,Cpu,MemAlloc,MemTag");
    int rc = tk_base_run_expect(run, word, instead, NULL);
    tk_base_run_free(run);
    return rc;
}

START_TEST(content)
{
    static const char *const yes[] = {"frames",      "timers",         "60s",
                                      "1min",        "60000ms",        "0.5min",
                                      "channel:cpu", "channel:MEMTAG", "channel:memory_light"};
    static const char *const no[] = {
        "gpu", "counters",    "memory",         "loading",     "60.5s",
        "1h",  "channel:gpu", "channel:memory", "channel:Mem", "channel:default"};
    static const char *const wrong[] = {"", "Frames", "60", "60x", "-5s", "channel:", "channel"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        ck_assert_msg(expect(yes[i]) == 1, "%s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        ck_assert_msg(expect(no[i]) == 0, "%s", no[i]);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(expect(wrong[i]) == TK_EUSAGE, "%s", wrong[i]);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {bases, content};
    return RUN_TESTS("base of", tests);
}
