/* One open capture requested the same twice: what the first reading left behind must not show in the second.
 */
#include "run.h"
#include "tracekit.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 128 };

/* Of each table the number of rows and a hash of their cells. */
struct answers {
    const char *names[MOST];
    uint64_t rows[MOST], hash[MOST];
    size_t n;
};

static void add_bytes(uint64_t *hash, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *hash = (*hash ^ ((const uint8_t *)p)[i]) * UINT64_C(0x100000001b3);
}

static void add_cell(uint64_t *hash, const struct tk_cell *cell)
{
    add_bytes(hash, &cell->kind, sizeof cell->kind);
    if (cell->kind == TK_LIST)
        for (uint32_t i = 0; i < cell->n; i++)
            add_cell(hash, (const struct tk_cell *)cell->v.p + i);
    else if (cell->kind == TK_TEXT || cell->kind == TK_BYTES)
        add_bytes(hash, cell->v.p, cell->n);
    else if (cell->kind != TK_NONE && cell->kind != TK_RECORD)
        add_bytes(hash, &cell->v.u, sizeof cell->v.u);
}

static int take(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct answers *a = self;
    size_t t = 0;
    (void)err;
    while (t < a->n && strcmp(a->names[t], table->name) != 0)
        t++;
    must(t < a->n);
    a->rows[t] += rows->n;
    for (size_t i = 0; i < rows->n * table->n_columns; i++)
        add_cell(&a->hash[t], &rows->cells[i]);
    return TK_OK;
}

/* All tables but those that answer a question, or have a row for each scope, event or allocation; and without
 * `capture`, which counts faults that are known so far. */
static void list_tables(const struct tk_trace *trace, struct answers *a)
{
    static const char *const without[] = {"capture", "scopes",         "gpu_scopes",
                                          "events",  "generic_events", "allocations"};
    size_t n;
    const struct tk_table *const *tables = tk_tables(&n);
    for (size_t i = 0; i < n; i++) {
        bool requested = tk_has_table(trace, tables[i]->name) && !(tables[i]->flags & TK_TABLE_ON_REQUEST);
        for (size_t k = 0; k < sizeof without / sizeof *without; k++)
            requested &= strcmp(tables[i]->name, without[k]) != 0;
        if (requested && a->n < MOST)
            a->names[a->n++] = tables[i]->name;
    }
}

static void ask(struct tk_trace *trace, struct answers *a)
{
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_err err;
    const struct tk_sink sink = {.self = a, .rows = take};
    list_tables(trace, a);
    query.tables = a->names;
    query.n_tables = a->n;
    query.mixed = true;
    int rc = tk_query_run(trace, &query, &sink, &err);
    ck_assert_msg(rc == TK_OK, "%s", err.text[0]);
}

/* At least so many tables have rows. */
static void check(const char *name, size_t least)
{
    struct answers first = {.n = 0}, second = {.n = 0};
    struct tk_trace *trace = NULL;
    struct tk_err err;
    char path[1024];
    const char *fixtures = getenv("TK_FIXTURES");
    size_t filled = 0;
    snprintf(path, sizeof path, "%s/%s", fixtures ? fixtures : "fixtures", name);
    ck_assert_msg(tk_open(&trace, path, NULL, &err) == TK_OK, "%s: %s", path, err.text[0]);
    ask(trace, &first);
    ask(trace, &second);
    for (size_t i = 0; i < first.n; i++) {
        ck_assert_msg(first.rows[i] == second.rows[i] && first.hash[i] == second.hash[i],
                      "%s: table '%s' has %llu rows, then others (%llu)", name, first.names[i],
                      (unsigned long long)first.rows[i], (unsigned long long)second.rows[i]);
        filled += first.rows[i] > 0;
    }
    ck_assert_uint_ge(filled, least);
    tk_close(trace);
}

START_TEST(captures)
{
    check("tiny.utrace", 15);
    check("tiny-ue5.0.utrace", 15);
    check("late.utrace", 10);
    check("net.utrace", 15);
    check("old-p0-raw.utrace", 10);
    check("tracy/ctx-0.14.0.tracy", 15);
}
END_TEST

START_TEST(most_families)
{
    check("game.utrace.zst", 45);
}
END_TEST

START_TEST(damaged)
{
    check("damaged/flip_lz4.utrace", 15);
    check("damaged/log_args_cut.utrace", 15);
    check("damaged/trunc_game_00.utrace.zst", 30);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {captures, most_families, damaged};
    return RUN_TESTS("twice", tests);
}
