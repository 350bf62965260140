/*
 * A capture made with the writer, and tables of it as lines of cells with '|' between them.
 *
 * The clock starts at 1000 and makes 1000 cycles per second; threads are 2 ("GameThread") and 3 ("Worker"),
 * and others as a test wants.
 */
#ifndef TK_TESTS_UNIT_ROOT_CAPTURED_H
#define TK_TESTS_UNIT_ROOT_CAPTURED_H

#include "run.h"
#include "tracekit.h"
#include "utrace_writer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CAPTURED_LANES 4

struct captured {
    struct tk_uw uw;
    struct tk_uw_bytes file;
    struct tk_uw_lane lanes[CAPTURED_LANES]; /* of threads 2, 3, 4, 5 */
    char path[64];
    const char *limit; /* "name=value", or NULL */
    struct tk_selection select;
    struct tk_memory_query memory;
    struct tk_tree_query tree;
    unsigned by; /* TK_BY_... */
    bool ns;     /* times in nanoseconds, not in cycles */
    bool clip;
    struct tk_err err;
    char text[8192];
    size_t n;
};

/* With a clock of its own. */
static inline struct captured *captured_clock(uint8_t protocol, uint64_t start, uint64_t frequency)
{
    struct captured *c = calloc(1, sizeof *c);
    ck_assert_ptr_nonnull(c);
    struct tk_uw_options options = {TK_UW_DEFAULTS, .memory = &c->file};
    options.start_cycle = start;
    options.frequency = frequency;
    options.protocol = protocol;
    if (protocol == 0) {
        options.transport = 1;
        options.form = TK_UW_ECRT;
    }
    ck_assert_int_eq(tk_uw_open(&c->uw, &options), 0);
    for (uint16_t i = 0; i < CAPTURED_LANES; i++)
        tk_uw_thread(&c->uw, &c->lanes[i], protocol ? (uint16_t)(2 + i) : 0);
    tk_uw_new_trace(&c->uw);
    return c;
}

static inline struct captured *captured_new(uint8_t protocol)
{
    return captured_clock(protocol, 1000, 1000);
}

/* Ends the writing; definitions of the important stream that are not sent yet come last. */
static inline void captured_close(struct captured *c)
{
    for (size_t i = 0; i < CAPTURED_LANES; i++) {
        tk_uw_lane_flush(&c->lanes[i]);
        tk_uw_lane_release(&c->lanes[i]);
    }
    ck_assert_int_eq(tk_uw_close(&c->uw), 0);
    strcpy(c->path, "/tmp/tracekit-unit-XXXXXX");
    int fd = mkstemp(c->path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, c->file.data, c->file.size), (ssize_t)c->file.size);
    close(fd);
}

static inline void captured_free(struct captured *c)
{
    unlink(c->path);
    tk_uw_bytes_release(&c->file);
    free(c);
}

static inline void captured_put(struct captured *c, const char *p, size_t n)
{
    ck_assert_uint_lt(c->n + n, sizeof c->text);
    memcpy(c->text + c->n, p, n);
    c->n += n;
}

static inline void captured_cell(struct captured *c, const struct tk_cell *cell);

/* {a=1 b=x} */
static inline void captured_record(struct captured *c, const struct tk_record *record)
{
    for (uint32_t i = 0; i < record->type->n_fields; i++) {
        struct tk_cell value;
        record->type->value(record, i, &value);
        captured_put(c, i ? " " : "{", 1);
        captured_put(c, record->type->fields[i].p, record->type->fields[i].n);
        captured_put(c, "=", 1);
        captured_cell(c, &value);
    }
    captured_put(c, "}", 1);
}

static inline void captured_cell(struct captured *c, const struct tk_cell *cell)
{
    if (cell->kind == TK_RECORD) {
        captured_record(c, cell->v.p);
        return;
    }
    char *out = c->text + c->n;
    size_t capacity = sizeof c->text - c->n;
    int n = 0;
    if (cell->kind == TK_TEXT)
        n = snprintf(out, capacity, "%.*s", (int)cell->n, (const char *)cell->v.p);
    else if (cell->kind == TK_REAL || cell->kind == TK_MEAN)
        n = snprintf(out, capacity, "%.9gr", cell->v.r);
    else if (cell->kind == TK_UINT)
        n = snprintf(out, capacity, "%llu", (unsigned long long)cell->v.u);
    else if (cell->kind != TK_NONE)
        n = snprintf(out, capacity, "%lld", (long long)cell->v.i);
    c->n += (size_t)n;
    ck_assert_uint_lt(c->n, sizeof c->text);
}

/* Rows of a table; `columns` are names with commas between them. Times are cycles, reals end with 'r'. */
static inline const char *captured_table(struct captured *c, const char *table, const char *columns)
{
    char names[512];
    const char *list[32], *const tables[] = {table};
    struct tk_query q = TK_INIT(struct tk_query);
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_result *result;
    struct tk_trace *trace = NULL;
    size_t rows;
    snprintf(names, sizeof names, "%s", columns);
    for (char *p = strtok(names, ","); p; p = strtok(NULL, ","))
        list[q.n_columns++] = p;
    q.tables = tables;
    q.n_tables = 1;
    q.columns = list;
    q.unit = c->ns ? TK_UNIT_NS : TK_UNIT_CYCLES;
    q.select = c->select;
    q.memory = c->memory;
    q.tree = c->tree;
    q.by = c->by;
    q.clip = c->clip;
    options.limits = &c->limit;
    options.n_limits = c->limit != NULL;
    ck_assert_msg(tk_open(&trace, c->path, &options, &c->err) == TK_OK, "%s", c->err.text[0]);
    ck_assert_int_eq(tk_result_new(&result, &c->err), TK_OK);
    struct tk_sink sink = tk_result_sink(result);
    int rc = tk_query_run(trace, &q, &sink, &c->err);
    ck_assert_msg(rc == TK_OK, "%d: %s", rc, c->err.text[0]);
    tk_result_table(result, 0, &rows);
    c->n = 0;
    c->text[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < q.n_columns; k++) {
            captured_cell(c, &tk_result_row(result, 0, i)[k]);
            c->text[c->n++] = k + 1 < q.n_columns ? '|' : '\n';
        }
        c->text[c->n] = 0;
    }
    tk_result_free(result);
    tk_close(trace);
    return c->text;
}

/* The capture in a format of exports. */
static inline const char *captured_export(struct captured *c, const char *format)
{
    char path[sizeof c->path + 4];
    struct tk_query q = TK_INIT(struct tk_query);
    struct tk_export_options export = TK_INIT(struct tk_export_options);
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_trace *trace = NULL;
    snprintf(path, sizeof path, "%s.out", c->path);
    export.format = format;
    export.path = path;
    ck_assert_int_eq(tk_open(&trace, c->path, &options, &c->err), TK_OK);
    int rc = tk_export_run(trace, &q, &export, &c->err);
    ck_assert_msg(rc == TK_OK, "%d: %s", rc, c->err.text[0]);
    tk_close(trace);
    FILE *in = fopen(path, "rb");
    ck_assert_ptr_nonnull(in);
    c->n = fread(c->text, 1, sizeof c->text - 1, in);
    c->text[c->n] = 0;
    ck_assert(feof(in));
    fclose(in);
    unlink(path);
    return c->text;
}

/* How many faults of a kind a reading of a table says. */
static inline uint64_t captured_faults(struct captured *c, const char *table, const char *kind)
{
    const char *const tables[] = {table};
    struct tk_query q = TK_INIT(struct tk_query);
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_result *result;
    struct tk_trace *trace = NULL;
    uint64_t count = 0;
    size_t rows;
    options.limits = &c->limit;
    options.n_limits = c->limit != NULL;
    q.tables = tables;
    q.n_tables = 1;
    ck_assert_int_eq(tk_open(&trace, c->path, &options, &c->err), TK_OK);
    ck_assert_int_eq(tk_result_new(&result, &c->err), TK_OK);
    struct tk_sink nowhere = {NULL, NULL, NULL, NULL}, sink = tk_result_sink(result);
    ck_assert_int_eq(tk_query_run(trace, &q, &nowhere, &c->err), TK_OK);
    ck_assert_int_eq(tk_health(trace, &sink, &c->err), TK_OK);
    const struct tk_table *health = tk_result_table(result, 0, &rows);
    for (size_t i = 0; i < rows; i++) {
        const struct tk_cell *row = tk_result_row(result, 0, i);
        bool match = false;
        for (uint32_t k = 0; k < health->n_columns; k++) {
            if (strcmp(health->columns[k].name, "kind") == 0)
                match = row[k].n == strlen(kind) && memcmp(row[k].v.p, kind, row[k].n) == 0;
            else if (strcmp(health->columns[k].name, "count") == 0 && match)
                count += row[k].v.u;
        }
    }
    tk_result_free(result);
    tk_close(trace);
    return count;
}

/* ---- types of a test ---- */

/* Declares a type: the next free uid. */
static inline void captured_type(struct captured *c, struct tk_uw_type *type)
{
    tk_uw_register(&c->uw, type);
}

/* Sends what the lanes hold, lane by lane. */
static inline void captured_send(struct captured *c)
{
    struct tk_uw_lane *lanes[CAPTURED_LANES];
    for (size_t i = 0; i < CAPTURED_LANES; i++)
        lanes[i] = &c->lanes[i];
    tk_uw_round(&c->uw, lanes, CAPTURED_LANES);
}

#endif
