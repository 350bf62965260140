/*
 * Every pair of tables of a capture, both ways round: in one open capture, behind a reading that was stopped,
 * in one query, in one query whose tables may mix, and in two statements and one statement of an SQL
 * connection. The rows have to be those that each table has alone.
 *
 * usage: pairs [--every N] [--way WAY]... CAPTURE...
 *
 * Tables that say what was found so far may say more behind others: they are requested, and not compared.
 */
#include "tracekit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 192 };

/* ---- rows as a number ---- */

struct answer {
    uint64_t rows, hash;
    int status;
};

static void add_bytes(uint64_t *hash, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *hash = (*hash ^ ((const uint8_t *)p)[i]) * UINT64_C(0x100000001b3);
}

static void add_cell(uint64_t *hash, const struct tk_cell *cell);

static void add_record(uint64_t *hash, const struct tk_record *record)
{
    for (uint32_t i = 0; i < record->type->n_fields; i++) {
        struct tk_cell value = {0};
        record->type->value(record, i, &value);
        add_cell(hash, &value);
    }
}

static void add_cell(uint64_t *hash, const struct tk_cell *cell)
{
    add_bytes(hash, &cell->kind, sizeof cell->kind);
    if (cell->kind == TK_RECORD)
        add_record(hash, cell->v.p);
    else if (cell->kind == TK_LIST)
        for (uint32_t i = 0; i < cell->n; i++)
            add_cell(hash, (const struct tk_cell *)cell->v.p + i);
    else if (cell->kind == TK_TEXT || cell->kind == TK_BYTES)
        add_bytes(hash, cell->v.p, cell->n);
    else if (cell->kind == TK_ARRAY)
        add_bytes(hash, cell->v.p, (size_t)cell->n * cell->width);
    else if (cell->kind != TK_NONE)
        add_bytes(hash, &cell->v.u, sizeof cell->v.u);
}

/* Ids of scopes have the number of their lane above: which lanes a reading has depends on what is requested.
 */
static void add_value(uint64_t *hash, const char *column, struct tk_cell cell)
{
    const size_t n = strlen(column);
    if (cell.kind == TK_UINT &&
        ((n >= 8 && strcmp(column + n - 8, "scope_id") == 0) || strcmp(column, "parent_id") == 0))
        cell.v.u &= (UINT64_C(1) << 40) - 1;
    add_cell(hash, &cell);
}

/* ---- a capture and its tables ---- */

struct subject {
    const char *path;
    const char *names[MOST];
    size_t n;
    struct answer alone[MOST],
        by_sql[MOST]; /* what each table has in a capture, and a connection, of its own */
    uint64_t requested, wrong;
};

/* Two tables, of which the second is looked at. */
struct pair {
    const char *const *names;
    struct answer *answers[2];
    bool sql; /* rows of a statement about the first name */
};

/* Columns of `capture` about what a reading found. */
static bool is_found(const char *table, const char *column)
{
    static const char *const found[] = {"last", "dur", "threads", "timers", "damaged", "faults", "notices"};
    for (size_t i = 0; strcmp(table, "capture") == 0 && i < sizeof found / sizeof *found; i++)
        if (strcmp(column, found[i]) == 0)
            return true;
    return false;
}

static int take(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    const struct pair *pair = self;
    struct answer *a = pair->answers[strcmp(table->name, pair->names[0]) != 0];
    const char *name = pair->sql ? pair->names[0] : table->name;
    (void)err;
    a->rows += rows->n;
    for (size_t i = 0; i < rows->n * table->n_columns; i++)
        if (!is_found(name, table->columns[i % table->n_columns].name))
            add_value(&a->hash, table->columns[i % table->n_columns].name, rows->cells[i]);
    return TK_OK;
}

static struct tk_trace *open_capture(const char *path)
{
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_trace *trace = NULL;
    struct tk_err err = {0};
    options.jobs = 1;
    if (tk_open(&trace, path, &options, &err) < 0) {
        fprintf(stderr, "pairs: %s: %s\n", path, tk_err_text(&err, err.code));
        exit(2);
    }
    return trace;
}

/* The first n of the two tables in one query. */
static void ask(struct tk_trace *trace, const char *const *names, size_t n, bool mixed, struct answer *first,
                struct answer *second)
{
    struct tk_query query = TK_INIT(struct tk_query);
    struct pair pair = {names, {first, second}, false};
    const struct tk_sink sink = {.self = &pair, .rows = take};
    query.tables = names;
    query.n_tables = n;
    query.mixed = mixed;
    first->status = second->status = tk_query_run(trace, &query, &sink, NULL);
}

/* A reading that is given up behind its first rows. */
static void stop(struct tk_trace *trace, const char *name)
{
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_cursor *cursor = NULL;
    const struct tk_table *table;
    struct tk_rows rows;
    query.tables = &name;
    query.n_tables = 1;
    if (tk_cursor_open(&cursor, trace, &query, NULL) == TK_OK)
        (void)tk_cursor_next(cursor, &table, &rows, NULL);
    tk_cursor_close(cursor);
}

/* ---- SQL ---- */

static struct tk_sql *connect_to(const char *path)
{
    struct tk_sql *sql = NULL;
    if (tk_sql_new(&sql, NULL, NULL) < 0 || tk_sql_add(sql, path, NULL, NULL) < 0) {
        fprintf(stderr, "pairs: no connection\n");
        exit(2);
    }
    return sql;
}

static struct answer answer_sql(struct tk_sql *sql, const char *form, const char *first, const char *second)
{
    struct answer a = {0};
    char text[512];
    const char *const name = *second ? second : first;
    struct pair pair = {&name, {&a, &a}, true};
    const struct tk_sink sink = {.self = &pair, .rows = take};
    snprintf(text, sizeof text, form, first, second);
    a.status = tk_sql_run(sql, text, &sink, NULL);
    return a;
}

/* ---- ways ---- */

static bool is_known(const char *name)
{
    static const char *const found_so_far[] = {"health", "ledger", "coverage", "quality"};
    for (size_t i = 0; i < sizeof found_so_far / sizeof *found_so_far; i++)
        if (strcmp(name, found_so_far[i]) == 0)
            return true;
    return false;
}

static void compare(struct subject *s, const char *way, const char *const *names, unsigned which,
                    const struct answer *got, const struct answer *alone)
{
    s->requested++;
    if (is_known(names[which]) ||
        (got->status == alone->status && got->rows == alone->rows && got->hash == alone->hash))
        return;
    s->wrong++;
    printf("%s: %s: %s, %s: '%s' has %llu rows (%016llx, status %d), alone %llu (%016llx, status %d)\n",
           s->path, way, names[0], names[1], names[which], (unsigned long long)got->rows,
           (unsigned long long)got->hash, got->status, (unsigned long long)alone->rows,
           (unsigned long long)alone->hash, alone->status);
}

static void one_capture(struct subject *s, const char *way, size_t a, size_t b)
{
    const char *const names[] = {s->names[a], s->names[b]};
    struct tk_trace *trace = open_capture(s->path);
    struct answer got[2] = {{0}}, none = {0};
    ask(trace, &names[0], 1, false, &got[0], &none);
    ask(trace, &names[1], 1, false, &got[1], &none);
    compare(s, way, names, 0, &got[0], &s->alone[a]);
    compare(s, way, names, 1, &got[1], &s->alone[b]);
    tk_close(trace);
}

static void behind_a_stop(struct subject *s, const char *way, size_t a, size_t b)
{
    const char *const names[] = {s->names[a], s->names[b]};
    struct tk_trace *trace = open_capture(s->path);
    struct answer got = {0}, none = {0};
    stop(trace, names[0]);
    ask(trace, &names[1], 1, false, &got, &none);
    compare(s, way, names, 1, &got, &s->alone[b]);
    tk_close(trace);
}

static void ask_both(struct subject *s, const char *way, size_t a, size_t b, bool mixed)
{
    const char *const names[] = {s->names[a], s->names[b]};
    struct tk_trace *trace = open_capture(s->path);
    struct answer got[2] = {{0}};
    if (a != b) {
        ask(trace, names, 2, mixed, &got[0], &got[1]);
        compare(s, way, names, 0, &got[0], &s->alone[a]);
        compare(s, way, names, 1, &got[1], &s->alone[b]);
    }
    tk_close(trace);
}

static void one_query(struct subject *s, const char *way, size_t a, size_t b)
{
    ask_both(s, way, a, b, false);
}

static void one_mixed_query(struct subject *s, const char *way, size_t a, size_t b)
{
    ask_both(s, way, a, b, true);
}

static void two_statements(struct subject *s, const char *way, size_t a, size_t b)
{
    const char *const names[] = {s->names[a], s->names[b]};
    struct tk_sql *sql = connect_to(s->path);
    const struct answer first = answer_sql(sql, "SELECT * FROM \"%s\"", names[0], "");
    const struct answer second = answer_sql(sql, "SELECT * FROM \"%s\"", names[1], "");
    compare(s, way, names, 0, &first, &s->by_sql[a]);
    compare(s, way, names, 1, &second, &s->by_sql[b]);
    tk_sql_free(sql);
}

/* Both are read at once, and the first one is given up. */
static void one_statement(struct subject *s, const char *way, size_t a, size_t b)
{
    const char *const names[] = {s->names[a], s->names[b]};
    struct tk_sql *sql = connect_to(s->path);
    answer_sql(sql, "SELECT count(*) FROM (SELECT 1 FROM \"%s\" LIMIT 3), (SELECT 1 FROM \"%s\" LIMIT 100)",
               names[0], names[1]);
    const struct answer second = answer_sql(sql, "SELECT * FROM \"%s\"", names[1], "");
    compare(s, way, names, 1, &second, &s->by_sql[b]);
    tk_sql_free(sql);
}

static const struct way {
    const char *name;
    void (*pair)(struct subject *s, const char *way, size_t a, size_t b);
} ways[] = {{"capture", one_capture},   {"stopped", behind_a_stop},     {"query", one_query},
            {"mixed", one_mixed_query}, {"statements", two_statements}, {"statement", one_statement}};

enum { WAYS = sizeof ways / sizeof *ways };

/* ---- a capture ---- */

static void list_tables(struct subject *s)
{
    struct tk_trace *trace = open_capture(s->path);
    size_t n;
    const struct tk_table *const *tables = tk_tables(&n);
    for (size_t i = 0; i < n && s->n < MOST; i++)
        if (!(tables[i]->flags & TK_TABLE_ON_REQUEST) && tk_has_table(trace, tables[i]->name))
            s->names[s->n++] = tables[i]->name;
    tk_close(trace);
}

static void ask_alone(struct subject *s)
{
    struct answer none = {0};
    for (size_t i = 0; i < s->n; i++) {
        struct tk_trace *trace = open_capture(s->path);
        struct tk_sql *sql = connect_to(s->path);
        ask(trace, &s->names[i], 1, false, &s->alone[i], &none);
        s->by_sql[i] = answer_sql(sql, "SELECT * FROM \"%s\"", s->names[i], "");
        tk_sql_free(sql);
        tk_close(trace);
    }
}

struct choice {
    size_t every, at;
    bool ways[WAYS];
};

static uint64_t try_pairs(const char *path, struct choice *choice)
{
    struct subject s = {.path = path};
    list_tables(&s);
    ask_alone(&s);
    for (size_t a = 0; a < s.n; a++)
        for (size_t b = 0; b < s.n; b++)
            for (size_t way = 0; way < WAYS; way++)
                if (choice->ways[way] && choice->at++ % choice->every == 0)
                    ways[way].pair(&s, ways[way].name, a, b);
    size_t filled = 0;
    for (size_t i = 0; i < s.n; i++)
        filled += s.alone[i].rows > 0;
    printf("%s: %zu tables, %zu with rows, %llu answers, %llu wrong\n", path, s.n, filled,
           (unsigned long long)s.requested, (unsigned long long)s.wrong);
    return s.wrong;
}

static bool choose_way(struct choice *choice, const char *name)
{
    for (size_t i = 0; i < WAYS; i++)
        if (strcmp(ways[i].name, name) == 0)
            return choice->ways[i] = true;
    return false;
}

int main(int argc, char **argv)
{
    struct choice choice = {.every = 1};
    uint64_t wrong = 0;
    bool any = false;
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--every") == 0 && atol(argv[i + 1]) > 0)
            choice.every = (size_t)atol(argv[i + 1]);
        else if (strcmp(argv[i], "--way") == 0 && choose_way(&choice, argv[i + 1]))
            any = true;
        else
            break;
    }
    if (i >= argc || strncmp(argv[i], "--", 2) == 0) {
        fprintf(stderr, "usage: pairs [--every N] [--way WAY]... CAPTURE...\n");
        return 2;
    }
    for (size_t way = 0; way < WAYS && !any; way++)
        choice.ways[way] = true;
    for (; i < argc; i++)
        wrong += try_pairs(argv[i], &choice);
    return wrong > 0;
}
