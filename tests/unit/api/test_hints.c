/*
 * What a capture lacks is said in the words of its own format.
 */
#include "captured.h"
#include "tracy_writer.h"

static const struct question {
    const char *table;
    unsigned by;
    const char *unreal, *tracy;
} questions[] = {
    {"hitches", 0, "the capture has no game frames; Unreal records them with the channel 'frame' on",
     "the capture has no game frames; Tracy records them where the program has FrameMark"},
    {"groups", TK_BY_FRAME_TYPE,
     "the capture has no game frames; Unreal records them with the channel 'frame' on",
     "the capture has no game frames; Tracy records them where the program has FrameMark"},
    {"groups", TK_BY_REGION, "the selection has no regions; Unreal records them with the channel 'region' on",
     "the selection has no regions"},
    {"groups", TK_BY_LABEL, "no selected scope has a text; Unreal records metadata of scopes from 5.6 on",
     "no selected scope has a text; Tracy records texts of zones where the program has ZoneText"},
};

enum { QUESTIONS = sizeof questions / sizeof *questions };

static void expect_missing(const char *path, const struct question *q, const char *sentence)
{
    const char *const tables[] = {q->table};
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_sink sink = {0};
    struct tk_trace *trace = NULL;
    struct tk_err err = {0};
    query.tables = tables;
    query.n_tables = 1;
    query.by = q->by;
    ck_assert_msg(tk_open(&trace, path, NULL, &err) == TK_OK, "%s", err.text[0]);
    ck_assert_int_eq(tk_query_run(trace, &query, &sink, &err), TK_EMATCH);
    ck_assert_str_eq(err.text[0], sentence);
    tk_close(trace);
}

START_TEST(unreal_capture)
{
    struct captured *c = captured_new(7);
    captured_close(c);
    for (size_t i = 0; i < QUESTIONS; i++)
        expect_missing(c->path, &questions[i], questions[i].unreal);
    captured_free(c);
}
END_TEST

START_TEST(tracy_capture)
{
    const struct tk_tw_trace trace = {.last_time = 1000, .crash_message = -1};
    char path[] = "/tmp/tracekit-unit-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_assert_int_eq(tk_tw_write(&(struct tk_tw_options){.path = path, .version = TK_TW_V(0, 14, 0)}, &trace),
                     0);
    for (size_t i = 0; i < QUESTIONS; i++)
        expect_missing(path, &questions[i], questions[i].tracy);
    unlink(path);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {unreal_capture, tracy_capture};
    return RUN_TESTS("hints", tests);
}
