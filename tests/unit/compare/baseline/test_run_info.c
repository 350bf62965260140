/*
 * What is said of runs: reading it, keeping it in a file, and what answers where nothing was said.
 */
#include "base/cursor.h"
#include "compare/baseline/baseline_file.h"
#include "compare/baseline/run_info.h"
#include "compare/baseline/segments.h"
#include "compare/made_runs.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

static void expect_about(const struct tk_base_run *run, const char *key, const char *text)
{
    const struct tk_str *s = tk_base_run_about(run, key);
    if (!text) {
        ck_assert_ptr_null(s);
        return;
    }
    ck_assert_ptr_nonnull(s);
    ck_assert_msg(s->n == strlen(text) && memcmp(s->p, text, s->n) == 0, "%s: %.*s", key, (int)s->n, s->p);
}

static void state(struct tk_base_run *run, const char *key, const char *value)
{
    const struct tk_run_fact item = {tk_intern_c(&run->names, key), tk_intern_c(&run->names, value)};
    must(tk_vec_push(&run->session, item) == 0);
}

START_TEST(words)
{
    struct tk_run_info info = {0};
    struct tk_err err = {0};
    char longest[TK_RUN_INFO_VALUE + 16] = "map=";
    memset(longest + 4, 'x', TK_RUN_INFO_VALUE);
    ck_assert_int_eq(tk_run_info_word(&info, "machine=ci 7=a", &err), TK_OK);
    ck_assert_int_eq(tk_run_info_word(&info, "build=1", &err), TK_OK);
    ck_assert_int_eq(tk_run_info_word(&info, "build=2", &err), TK_OK);
    ck_assert_int_eq(tk_run_info_word(&info, "time=2026-11-23 22:05:42+01:00", &err), TK_OK);
    ck_assert_int_eq(tk_run_info_word(&info, "my.own-key_1=\xc3\xa4", &err), TK_OK);
    ck_assert_int_eq(tk_run_info_word(&info, longest, &err), TK_OK);
    strcat(longest, "x");
    static const char *const wrong[] = {"build=",   "=x",       "Build=x",   "a b=x",
                                        "map=a\nb", "map=\xff", "time=noon", "build"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(tk_run_info_word(&info, wrong[i], &err) == TK_EUSAGE, "%s", wrong[i]);
    ck_assert_int_eq(tk_run_info_word(&info, longest, &err), TK_EUSAGE);
    struct tk_base_run *run = tk_base_run_new();
    ck_assert_int_eq(tk_base_run_say(run, &info, &err), TK_OK);
    expect_about(run, "machine", "ci 7=a");
    expect_about(run, "build", "2");
    expect_about(run, "time", "2026-11-23T21:05:42Z");
    expect_about(run, "my.own-key_1", "\xc3\xa4");
    expect_about(run, "branch", NULL);
    tk_base_run_free(run);
    tk_run_info_release(&info);
}
END_TEST

START_TEST(json)
{
    static const char good[] = "{\"build\": 1234, \"machine\": \"ci7\", \"rebuilt\": true, \"ratio\": 0.5}\n";
    static const char *const wrong[] = {"[]",         "{\"a\": null}", "{\"a\": {}}",
                                        "{\"A\": 1}", "{\"a\": \"\"}", "{\"time\": \"soon\"}",
                                        "{} {}",      "{\"a\": 1"};
    struct tk_run_info info = {0};
    struct tk_err err = {0};
    struct tk_base_run *run = tk_base_run_new();
    ck_assert_int_eq(tk_run_info_parse(&info, good, strlen(good), &err), TK_OK);
    ck_assert_int_eq(tk_base_run_say(run, &info, &err), TK_OK);
    expect_about(run, "build", "1234");
    expect_about(run, "machine", "ci7");
    expect_about(run, "rebuilt", "true");
    expect_about(run, "ratio", "0.5");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(tk_run_info_parse(&info, wrong[i], strlen(wrong[i]), &err) == TK_EUSAGE, "%s",
                      wrong[i]);
    tk_base_run_free(run);
    tk_run_info_release(&info);
}
END_TEST

/* What the capture states answers, of both formats, until something is said. */
START_TEST(stated)
{
    struct tk_run_info info = {0};
    struct tk_err err = {0};
    struct tk_base_run *run = tk_base_run_new();
    state(run, "AppName", "Game");
    state(run, "ConfigurationType", "3");
    state(run, "Branch", "");
    state(run, "ProgramName", "Service");
    expect_about(run, "application", "Game");
    expect_about(run, "config", "Development");
    expect_about(run, "branch", NULL);
    ck_assert_int_eq(tk_run_info_word(&info, "application=Other", &err), TK_OK);
    ck_assert_int_eq(tk_base_run_say(run, &info, &err), TK_OK);
    expect_about(run, "application", "Other");
    tk_base_run_free(run);
    tk_run_info_release(&info);
}
END_TEST

/* A run with something said, written and read again. The section can be skipped by who does not know it. */
START_TEST(kept)
{
    static const struct made_timer timers[] = {{"A", 1}};
    struct tk_baseline runs = {0}, back = {0}, before = {0};
    struct tk_baseline_bytes bytes = {0};
    struct tk_err err = {0};
    int64_t when = 0;
    struct tk_base_run *run = made_run(1, timers, 1);
    ck_assert_int_eq(tk_base_run_note(run, "machine", "ci7", 3, TK_ENC_UTF8), 0);
    ck_assert_int_eq(tk_base_run_note(run, "time", "2026-11-23T21:05:42Z", 20, TK_ENC_UTF8), 0);
    ck_assert_int_eq(tk_baseline_take(&runs, run, &err), TK_OK);
    ck_assert_int_eq(tk_baseline_encode(&runs, &bytes, &err), TK_OK);
    ck_assert_int_eq(tk_baseline_decode(&back, bytes.v, bytes.n, &err), TK_OK);
    expect_about(back.runs.v[0], "machine", "ci7");
    ck_assert(tk_base_run_when(back.runs.v[0], &when));
    ck_assert_int_eq(when, 1795467942);
    uint8_t *info = bytes.v;
    while (memcmp(info, "INFO", 4) != 0)
        must(++info + 20 < bytes.v + bytes.n);
    memcpy(info, "Info", 4); /* a section that nobody knows; its checksum begins with its tag */
    const size_t n = (size_t)tk_load64(info + 4);
    const uint64_t sum = tk_baseline_checksum(info, info + 20, n);
    for (unsigned k = 0; k < 8; k++)
        info[12 + k] = (uint8_t)(sum >> 8 * k);
    ck_assert_int_eq(tk_baseline_decode(&before, bytes.v, bytes.n, &err), TK_OK);
    expect_about(before.runs.v[0], "machine", NULL);
    ck_assert_uint_eq(before.runs.v[0]->frames.n, MADE_FRAMES);
    free(bytes.v);
    made_release(&runs);
    made_release(&back);
    made_release(&before);
}
END_TEST

/* Every beginning of a file, and every file with a byte that is another one, is refused with a sentence. */
START_TEST(cut_and_changed)
{
    static const struct made_timer timers[] = {{"A", 1}, {"B", 2}};
    struct tk_baseline runs = {0};
    struct tk_baseline_bytes bytes = {0};
    struct tk_err err = {0};
    struct tk_base_run *run = made_run(1, timers, 2);
    ck_assert_int_eq(tk_base_run_note(run, "machine", "ci7", 3, TK_ENC_UTF8), 0);
    ck_assert_int_eq(tk_baseline_take(&runs, run, &err), TK_OK);
    ck_assert_int_eq(tk_baseline_encode(&runs, &bytes, &err), TK_OK);
    for (size_t n = 0; n < bytes.n; n++) {
        struct tk_baseline cut = {0};
        err = (struct tk_err){0};
        must(tk_baseline_decode(&cut, bytes.v, n, &err) == TK_EFORMAT && err.n > 0 && cut.runs.n == 0);
        tk_vec_release(&cut.runs);
    }
    bytes.v[8] = TK_BASELINE_VERSION + 1;
    ck_assert_int_eq(tk_baseline_decode(&(struct tk_baseline){0}, bytes.v, bytes.n, &err), TK_EFORMAT);
    ck_assert_ptr_nonnull(strstr(err.text[0], "version 6"));
    free(bytes.v);
    made_release(&runs);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {words, json, stated, kept, cut_and_changed};
    return RUN_TESTS("run info", tests);
}
