/* Metrics of a small capture, whose values are worked out by hand, and mistakes in their files. */
#include "api/put.h"

#include <math.h>
#include <stdlib.h>

#define START 1000 /* cycle 0 of the recording; a cycle is a millisecond */

static char definitions[64];

static void write_definitions(const char *text)
{
    strcpy(definitions, "/tmp/tracekit-metrics-XXXXXX");
    int fd = mkstemp(definitions);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

/* The causes of the failure, innermost first, or "" */
static const char *read_definitions(const char *text, struct tk_metrics **metrics)
{
    static char causes[2048];
    const char *const paths[] = {definitions};
    struct tk_err err = {0};
    write_definitions(text);
    int rc = tk_metrics_new(metrics, paths, 1, &err);
    unlink(definitions);
    causes[0] = '\0';
    for (unsigned i = 0; rc < 0 && i < err.n; i++)
        snprintf(causes + strlen(causes), sizeof causes - strlen(causes), "%s\n", err.text[i]);
    ck_assert(rc == TK_OK || (rc == TK_EUSAGE && !*metrics));
    return causes;
}

/* Two frames of 100 and 300 ms; a counter that is 5, 7 and 9. */
static struct captured *made(void)
{
    struct captured *c = captured_new(7);
    tk_uw_counter_spec(&c->uw, 1, 0, 0, "Draws");
    tk_uw_frame_begin(&c->uw, &c->lanes[0], START + 0, 0);
    tk_uw_counter_int(&c->uw, &c->lanes[0], START + 10, 1, 5);
    tk_uw_frame_end(&c->uw, &c->lanes[0], START + 100, 0);
    tk_uw_frame_begin(&c->uw, &c->lanes[0], START + 100, 0);
    tk_uw_counter_int(&c->uw, &c->lanes[0], START + 110, 1, 7);
    tk_uw_counter_int(&c->uw, &c->lanes[0], START + 120, 1, 9);
    tk_uw_frame_end(&c->uw, &c->lanes[0], START + 400, 0);
    captured_close(c);
    return c;
}

static double value_of(const struct captured *c, const char *text, const struct tk_selection *select)
{
    static const char *const tables[] = {"metrics"};
    struct tk_metrics *metrics = NULL;
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_query q = TK_INIT(struct tk_query);
    struct tk_err err = {0};
    struct tk_trace *trace;
    struct tk_result *result;
    size_t rows;
    ck_assert_str_eq(read_definitions(text, &metrics), "");
    options.metrics = metrics;
    q.tables = tables;
    q.n_tables = 1;
    if (select)
        q.select = *select;
    ck_assert_int_eq(tk_open(&trace, c->path, &options, &err), TK_OK);
    ck_assert_int_eq(tk_result_new(&result, &err), TK_OK);
    const struct tk_sink sink = tk_result_sink(result);
    const int rc = tk_query_run(trace, &q, &sink, &err);
    ck_assert_msg(rc == TK_OK, "%s", err.text[0]);
    tk_result_table(result, 0, &rows);
    ck_assert_uint_eq(rows, 1);
    const struct tk_cell *cell = &tk_result_row(result, 0, 0)[3];
    const double v = cell->kind == TK_NONE ? (double)NAN : cell->v.r;
    tk_result_free(result);
    tk_close(trace);
    tk_metrics_free(metrics);
    return v;
}

#define METRIC(unit, rest)                                                                                   \
    "{\"metrics\": [{\"name\": \"m\", \"unit\": \"" unit "\", \"better\": \"less\", " rest "}]}"

START_TEST(metrics_have_values)
{
    struct captured *c = made();
    const struct tk_selection second = {.has_frames = true, .first_frame = 1, .last_frame = 1};
    ck_assert_double_eq(value_of(c, METRIC("count", "\"counter\": \"draw*\", \"agg\": \"mean\""), NULL), 7);
    ck_assert_double_eq(value_of(c, METRIC("count", "\"counter\": \"Draws\", \"agg\": \"mean\""), &second),
                        8);
    ck_assert_double_eq(value_of(c, METRIC("ms", "\"sql\": \"SELECT max(dur) / 1e6 FROM frames\""), NULL),
                        300);
    ck_assert_double_eq(value_of(c, METRIC("ms", "\"sql\": \"SELECT min(dur) / 1e6 FROM frames\""), &second),
                        300);
    captured_free(c);
}
END_TEST

/* What is not recorded has no value; 0 is for what was recorded and did not happen. */
START_TEST(no_value_is_not_zero)
{
    struct captured *c = made();
    ck_assert(isnan(value_of(c, METRIC("count", "\"counter\": \"other\", \"agg\": \"mean\""), NULL)));
    ck_assert(isnan(value_of(c, METRIC("count", "\"timer\": \"*\", \"agg\": \"count\""), NULL)));
    ck_assert(isnan(value_of(c, METRIC("count", "\"log\": {}, \"agg\": \"count\""), NULL)));
    ck_assert(isnan(value_of(c, METRIC("s", "\"sql\": \"SELECT NULL\""), NULL)));
    ck_assert(isnan(value_of(c, METRIC("s", "\"sql\": \"SELECT dur FROM regions\""), NULL)));
    ck_assert(isnan(value_of(c, METRIC("s", "\"platform\": \"PS5\", \"sql\": \"SELECT 1\""), NULL)));
    captured_free(c);
}
END_TEST

/* Each with the metric and the key. */
START_TEST(mistakes_are_refused)
{
    static const struct {
        const char *text, *key;
    } mistakes[] = {
        {METRIC("ms", "\"sql\": \"SELECT 1\", \"counter\": \"x\""), "key 'counter': it has a source already"},
        {METRIC("ms", "\"agg\": \"mean\""), "key 'sql': it has no source"},
        {METRIC("ms", "\"sql\": \"DELETE FROM frames\""), "key 'sql'"},
        {METRIC("ms", "\"sql\": \"SELECT 1, 2\""), "key 'sql': it has more than one column"},
        {METRIC("ms", "\"sql\": \"SELECT nothing FROM frames\""), "key 'sql'"},
        {METRIC("ms", "\"sql\": \"SELECT 1; SELECT 2\""), "key 'sql'"},
        {METRIC("ms", "\"timer\": \"x\", \"agg\": \"count\""), "key 'unit'"},
        {METRIC("count", "\"timer\": \"x\", \"agg\": \"sum\""), "key 'unit'"},
        {METRIC("per_minute", "\"counter\": \"x\", \"agg\": \"mean\""), "key 'unit'"},
        {METRIC("ms", "\"timer\": \"x\", \"agg\": \"time_mean\""), "key 'agg'"},
        {METRIC("ms", "\"timer\": \"x\""), "key 'agg'"},
        {METRIC("count", "\"counter\": \"x\", \"agg\": \"mean\", \"thread\": \"y\""), "key 'thread'"},
        {METRIC("count", "\"event\": \"A.B\", \"agg\": \"mean\""), "key 'field'"},
        {METRIC("count", "\"log\": {\"level\": \"x\"}, \"agg\": \"count\""), "key 'level'"},
        {METRIC("a word", "\"sql\": \"SELECT 1\""), "key 'unit'"},
        {METRIC("ms", "\"floor\": -1, \"sql\": \"SELECT 1\""), "key 'floor'"},
        {METRIC("ms", "\"floors\": 1, \"sql\": \"SELECT 1\""), "key 'floors'"},
        {METRIC("ms", "\"unit\": \"s\", \"sql\": \"SELECT 1\""), "key 'unit': it is there twice"},
        {METRIC("ms", "\"sql\": \"SELECT '\\u0000'\""), "key 'sql'"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct tk_metrics *metrics = NULL;
        const char *causes = read_definitions(mistakes[i].text, &metrics);
        ck_assert_msg(strstr(causes, mistakes[i].key) && strstr(causes, "metric 'm'") &&
                          strstr(causes, definitions),
                      "%s: %s", mistakes[i].text, causes);
    }
}
END_TEST

/* A statement with several rows is known by its answer. */
START_TEST(several_rows_are_refused)
{
    static const char *const tables[] = {"metrics"};
    struct captured *c = made();
    struct tk_metrics *metrics = NULL;
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_query q = TK_INIT(struct tk_query);
    struct tk_err err = {0};
    struct tk_trace *trace;
    const struct tk_sink sink = {0};
    ck_assert_str_eq(read_definitions(METRIC("ms", "\"sql\": \"SELECT dur FROM frames\""), &metrics), "");
    options.metrics = metrics;
    q.tables = tables;
    q.n_tables = 1;
    ck_assert_int_eq(tk_open(&trace, c->path, &options, &err), TK_OK);
    ck_assert_int_eq(tk_query_run(trace, &q, &sink, &err), TK_EUSAGE);
    ck_assert_str_eq(err.text[0], "key 'sql': it has more than one row");
    tk_close(trace);
    tk_metrics_free(metrics);
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {metrics_have_values, no_value_is_not_zero, mistakes_are_refused,
                            several_rows_are_refused};
    return RUN_TESTS("metrics", tests);
}
