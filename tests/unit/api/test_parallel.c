/*
 * What `health` says of references without a definition is the same whatever is requested alongside it:
 * counters and memory tags of which there are values alone, modules that were never loaded.
 */
#include "put.h"

#define T(time) Q(1000 + (time))

static struct captured *made(void)
{
    struct captured *c = captured_new(7);
    struct put_type *spec = put_new(c, "Counters.Spec", "Id:h Type:b DisplayHint:b Name:w", TK_UW_NOSYNC);
    struct put_type *value = put_new(c, "Counters.SetValueInt", "Cycle:q Value:k CounterId:h", 0);
    struct put_type *tag = put_new(c, "LLM.TagValue", "TrackerId:b Cycle:q Tags:U Values:U", 0);
    struct put_type *load = put_new(c, "Diagnostics.ModuleLoad", "Name:w Base:q Size:i", TK_UW_NOSYNC);
    struct put_type *unload = put_new(c, "Diagnostics.ModuleUnload", "Base:q", TK_UW_NOSYNC);
    put(c, 0, spec, Q(1), Q(0), Q(0), "known");
    put(c, 0, value, T(1), Q(5), Q(1));
    put(c, 0, value, T(2), Q(6), Q(7));
    put(c, 1, value, T(3), Q(7), Q(9));
    put(c, 0, value, T(4), Q(8), Q(7));
    put(c, 0, value, T(5), Q(9), Q(4)); /* defined later */
    put(c, 0, spec, Q(4), Q(0), Q(0), "late");
    put(c, 0, tag, Q(0), T(6), (const void *)(const uint64_t[]){77}, (size_t)8,
        (const void *)(const uint64_t[]){5}, (size_t)8);
    put(c, 0, load, "game", Q(0x1000), Q(0x1000));
    put(c, 0, unload, Q(0x1000));
    put(c, 0, unload, Q(0x5000));
    put(c, 0, unload, Q(0x6000));
    captured_close(c);
    free(spec);
    free(value);
    free(tag);
    free(load);
    free(unload);
    return c;
}

/* The rows of `health` where it is requested with another table. */
static const char *health_alongside(struct captured *c, const char *other, bool mixed)
{
    const char *const tables[] = {"health", other};
    struct tk_query q = TK_INIT(struct tk_query);
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_result *result;
    struct tk_trace *trace = NULL;
    q.tables = tables;
    q.n_tables = other ? 2 : 1;
    q.mixed = mixed;
    ck_assert_int_eq(tk_open(&trace, c->path, &options, &c->err), TK_OK);
    ck_assert_int_eq(tk_result_new(&result, &c->err), TK_OK);
    struct tk_sink sink = tk_result_sink(result);
    ck_assert_int_eq(tk_query_run(trace, &q, &sink, &c->err), TK_OK);
    c->n = 0;
    c->text[0] = 0;
    for (size_t t = 0; t < tk_result_count(result); t++) {
        size_t rows;
        const struct tk_table *table = tk_result_table(result, t, &rows);
        for (size_t i = 0; i < rows && strcmp(table->name, "health") == 0; i++)
            for (uint32_t k = 0; k < table->n_columns; k++) {
                captured_cell(c, &tk_result_row(result, t, i)[k]);
                captured_put(c, k + 1 < table->n_columns ? "|" : "\n", 1);
            }
    }
    c->text[c->n] = 0;
    ck_assert(tk_lossy(trace));
    tk_result_free(result);
    tk_close(trace);
    return c->text;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Rows in an order that depends on nothing. */
static void sorted(const char *rows, char *out, size_t capacity)
{
    char copy[8192], *lines[32];
    size_t n = 0, at = 0;
    snprintf(copy, sizeof copy, "%s", rows);
    for (char *p = strtok(copy, "\n"); p && n < 32; p = strtok(NULL, "\n"))
        lines[n++] = p;
    qsort(lines, n, sizeof *lines, by_text);
    out[0] = 0;
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(out + at, capacity - at, "%s\n", lines[i]);
}

static const char expected[] =
    "definition_missing|0|1||memory tags with values and without a definition\n"
    "definition_missing|0|2||counters with values and without a definition; the first has id 7\n"
    "definition_missing|0|2||modules that were never loaded were unloaded\n";

START_TEST(the_same_rows)
{
    static const char *const others[] = {NULL,     "counters", "modules", "llm",        "counter_values",
                                         "timers", "tasks",    "memory",  "frame_stats"};
    struct captured *c = made();
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (int mixed = 0; mixed < 2; mixed++) {
            char rows[8192];
            sorted(health_alongside(c, others[i], mixed), rows, sizeof rows);
            ck_assert_msg(strcmp(rows, expected) == 0, "%s, %d: %s", others[i] ? others[i] : "alone", mixed,
                          rows);
        }
    captured_free(c);
}
END_TEST

/* The tables themselves warn, too. */
START_TEST(known_by_their_tables)
{
    struct captured *c = made();
    ck_assert_uint_eq(captured_faults(c, "counters", "definition_missing"), 2);
    ck_assert_uint_eq(captured_faults(c, "modules", "definition_missing"), 2);
    ck_assert_uint_eq(captured_faults(c, "llm", "definition_missing"), 1);
    ck_assert_uint_eq(captured_faults(c, "timers", "definition_missing"), 0); /* which reads none of them */
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {the_same_rows, known_by_their_tables};
    return RUN_TESTS("health beside other tables", tests);
}
