/* What captures of other tools name and nobody reads, with its bytes, counted by hand. */
#include "run.h"
#include "tracekit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static char text[32768];

/* Rows as "event|family|count|bytes\n". */
static int take(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    (void)self;
    (void)err;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *c = rows->cells + i * table->n_columns;
        const size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%.*s|%.*s|%" PRIu64 "|%" PRIu64 "\n", (int)c[0].n,
                 (const char *)c[0].v.p, (int)c[1].n, (const char *)c[1].v.p, c[2].v.u, c[3].v.u);
    }
    return TK_OK;
}

/* The first column alone, as a line each. */
static int take_first(void *self, const struct tk_table *table, const struct tk_rows *rows,
                      struct tk_err *err)
{
    (void)self;
    (void)err;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *c = rows->cells + i * table->n_columns;
        const size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%.*s\n", (int)c[0].n, (const char *)c[0].v.p);
    }
    return TK_OK;
}

static const char *ask(const void *p, size_t n, const char *table, const char *column)
{
    const char *const tables[] = {table};
    struct tk_query query = TK_INIT(struct tk_query);
    const struct tk_sink sink = {.rows = column ? take_first : take};
    struct tk_trace *trace = NULL;
    struct tk_err err;
    text[0] = 0;
    query.tables = tables;
    query.n_tables = 1;
    query.columns = &column;
    query.n_columns = column != NULL;
    int rc = tk_open_memory(&trace, p, n, NULL, &err);
    ck_assert_msg(rc == TK_OK, "%s", tk_err_text(&err, rc));
    ck_assert_int_eq(tk_query_run(trace, &query, &sink, &err), TK_OK);
    tk_close(trace);
    return text;
}

static const char *coverage_of(const void *p, size_t n)
{
    return ask(p, n, "coverage", NULL);
}

#define EVENT "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":2}" /* 41 bytes */

START_TEST(sections_of_chrome)
{
    static const char json[] =
        "{\"samples\":[1, 2],\"traceEvents\":[" EVENT "],\"otherData\":{\"a\":1},\"stackFrames\":{\"1\":{}},"
        "\"displayTimeUnit\":\"ms\",\"odd \xff\":[[]],\"otherData\":[]}";
    ck_assert_str_eq(coverage_of(json, sizeof json - 1), "Chrome.Complete|scope|1|41\n"
                                                         "Chrome.odd??|unread|1|4\n"
                                                         "Chrome.otherData|unread|1|2\n");
}
END_TEST

/* A section too large to be looked at as a whole. */
START_TEST(a_large_section)
{
    enum { LARGE = 600 * 1024 };
    static char json[LARGE + 256];
    size_t n = (size_t)snprintf(json, sizeof json, "{\"traceEvents\":[" EVENT "],\"large\":[\"");
    memset(json + n, 'x', LARGE);
    n += LARGE;
    n += (size_t)snprintf(json + n, sizeof json - n, "\"],\"metadata\":{}}");
    ck_assert_str_eq(coverage_of(json, n), "Chrome.Complete|scope|1|41\nChrome.large|unread|1|614404\n");
}
END_TEST

/* Each name is counted, but not kept beyond a number of them. */
START_TEST(very_many_sections)
{
    enum { MANY = 1000 };
    static char json[MANY * 16 + 256];
    size_t n = (size_t)snprintf(json, sizeof json, "{\"traceEvents\":[" EVENT "]");
    for (int i = 0; i < MANY; i++)
        n += (size_t)snprintf(json + n, sizeof json - n, ",\"s%d\":[]", i);
    n += (size_t)snprintf(json + n, sizeof json - n, "}");
    ck_assert_ptr_nonnull(strstr(coverage_of(json, n), "Chrome.s0|unread|1|2\n"));
    ck_assert_ptr_nonnull(strstr(text, "others|unread|744|1488\n"));
}
END_TEST

/* A track event, a packet about processors, one of field 951 and a bundle of two ftrace events nobody reads.
 */
START_TEST(packets_of_perfetto)
{
    static const uint8_t file[] = {0x0a, 10, 0x40, 5,    0x50, 1,   0x5a, 4,   0x48, 3, 0x58, 0, /* 10 */
                                   0x0a, 4,  0x9a, 4,    1,    'x',                              /* 4 */
                                   0x0a, 6,  0xba, 0x3b, 3,    'a', 'b',  'c',                   /* 6 */
                                   0x0a, 23, 0x0a, 21,   8,    0,                       /* 23, of which: */
                                   0x12, 8,  8,    1,    0x10, 5,   0x62, 2,   0x08, 7, /* 8: limits */
                                   0x12, 7,  8,    2,    0x10, 5,   0xa2, 2,   0};      /* 7: number 36 */
    ck_assert_str_eq(coverage_of(file, sizeof file), "Perfetto.TrackEvent|scope|1|10\n"
                                                     "Perfetto.FtraceEvents|system|1|8\n"
                                                     "Perfetto.CpuInfo|generic|1|4\n"
                                                     "Perfetto.Field 951|generic|1|6\n"
                                                     "Ftrace.36|unread|1|7\n"
                                                     "Ftrace.cpu_frequency_limits|unread|1|8\n");
    ck_assert_ptr_nonnull(strstr(ask(file, sizeof file, "events", "event"), "Perfetto.Field 951\n"));
    ck_assert_ptr_nonnull(strstr(ask(file, sizeof file, "event_counts", "event"), "Perfetto.Field 951\n"));
}
END_TEST

/* Behind the magic number a record of type 11 and an event of kind 12. */
START_TEST(records_of_fuchsia)
{
    static const uint8_t file[] = {
        0x10, 0, 4,  0x46, 0x78, 0x54, 0x16, 0,                         /* magic number */
        0x1b, 0, 0,  0,    0,    0,    0,    0,                         /* 8 bytes */
        0x44, 0, 12, 0,    0,    0,    0,    0, 5, 0, 0, 0, 0, 0, 0, 0, /* 32 bytes: the header, when, */
        1,    0, 0,  0,    0,    0,    0,    0, 2, 0, 0, 0, 0, 0, 0, 0, /* process, thread */
    };
    ck_assert_str_eq(coverage_of(file, sizeof file), "Fuchsia.Metadata|provider|1|8\n"
                                                     "Fuchsia.Event 12|generic|1|32\n"
                                                     "Fuchsia.Record 11|generic|1|8\n");
    ck_assert_str_eq(ask(file, sizeof file, "events", "event"),
                     "Fuchsia.Metadata\nFuchsia.Record 11\nFuchsia.Event 12\n");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sections_of_chrome, a_large_section, very_many_sections,
                                  packets_of_perfetto, records_of_fuchsia};
    return RUN_TESTS("unread", tests);
}
