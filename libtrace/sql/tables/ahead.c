/*
 * Reads ahead what several statements query, so that the tables of all of them come of one reading.
 *
 * The statements run once without rows: each notes the questions that it would ask, which are read together
 * and kept. What depends on rows is noted when the statements run again over what was kept.
 */
#include "api/trace.h"
#include "sql/tables/tables_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rounds of noting and reading; what is not noted by then is read as the statements run. */
enum { ROUNDS = 4 };

/* A question that was noted. */
struct wish {
    const struct tk_sql_shape *shape; /* borrowed */
    struct tk_sql_source *source;     /* borrowed */
    struct tk_sql_question question;
    char *key;                 /* owned */
    struct tk_sql_keeping *to; /* owned, while its rows come */
    bool taken;
};

struct tk_sql_ahead {
    TK_VEC(struct wish *) wishes; /* owned */
};

static void free_wish(struct wish *w)
{
    tk_sql_question_release(&w->question);
    free(w->key);
    free(w);
}

static struct wish *find_wish(const struct tk_sql_ahead *a, const struct tk_sql_source *source,
                              const char *key)
{
    for (size_t i = 0; i < a->wishes.n; i++)
        if (a->wishes.v[i]->source == source && strcmp(a->wishes.v[i]->key, key) == 0)
            return a->wishes.v[i];
    return NULL;
}

/* Takes the columns of another question that is the same but for these. */
static void widen_wish(struct wish *w, uint64_t mask)
{
    struct tk_sql_question *q = &w->question;
    q->mask |= mask;
    tk_sql_question_columns(q, w->shape);
}

static int make_wish(struct tk_sql_cursor *cur, const char *key, struct wish **out, struct tk_err *err)
{
    struct tk_sql_connection *c = cur->table->c;
    struct wish *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w)
        return tk_err_nomem(err, "a query");
    w->shape = &cur->table->shape;
    w->source = cur->source;
    w->key = tk_sql_copy(key);
    int rc = tk_sql_question_make(&w->question, c, w->shape, &cur->plan, cur->given, cur->source, false, err);
    if (rc == TK_OK && (!w->key || tk_vec_push(&c->ahead->wishes, w)))
        rc = tk_err_nomem(err, "a query");
    if (rc == TK_OK)
        *out = w;
    else
        free_wish(w);
    return rc;
}

/* Whole tables are read ahead. Scopes are not: too many come, of which a statement wants few. */
static bool is_read_ahead(const struct tk_sql_cursor *cur)
{
    const struct tk_sql_shape *shape = &cur->table->shape;
    return !shape->baseline && !shape->known_by_id && !(shape->table->flags & TK_TABLE_VARIES) &&
           !cur->question.empty;
}

int tk_sql_ahead_note(struct tk_sql_cursor *cur, const char *key, struct tk_err *err)
{
    struct tk_sql_ahead *a = cur->table->c->ahead;
    if (!is_read_ahead(cur))
        return TK_OK;
    struct wish *w = find_wish(a, cur->source, key);
    if (w) {
        widen_wish(w, cur->question.mask);
        return TK_OK;
    }
    return make_wish(cur, key, &w, err);
}

/* ---- what is read together ---- */

/* The question without its table and its groups. */
static const char *rest_of(const struct wish *w)
{
    const char *at = strchr(w->key, '|');
    at = at ? strchr(at + 1, '|') : NULL;
    return at ? at : w->key;
}

/* Are the rows of the table the same whatever is grouped? */
static bool is_never_grouped(const struct tk_sql_shape *shape)
{
    for (uint32_t i = 0; i < shape->n; i++)
        if (shape->columns[i].group ||
            (shape->columns[i].kind == TK_SQL_ARGUMENT && shape->columns[i].argument == TK_SQL_GROUPED_BY))
            return false;
    return true;
}

static bool go_together(const struct wish *first, const struct wish *w)
{
    return first->source == w->source && strcmp(rest_of(first), rest_of(w)) == 0 &&
           (first->question.query.by == w->question.query.by || is_never_grouped(w->shape)) &&
           strcmp(first->question.table, w->question.table) != 0;
}

/* Questions that are answered by one query. */
struct batch {
    struct tk_sql_connection *c;
    TK_VEC(struct wish *) wishes; /* borrowed */
    TK_VEC(const char *) tables;  /* their names */
    TK_VEC(const char *) columns; /* as TABLE.COLUMN, in `names` */
    struct tk_arena names;
};

static void release_batch(struct batch *b)
{
    tk_vec_release(&b->wishes);
    tk_vec_release(&b->tables);
    tk_vec_release(&b->columns);
    tk_arena_release(&b->names);
}

static int add_columns(struct batch *b, const struct tk_sql_question *q, struct tk_err *err)
{
    for (size_t i = 0; i < q->query.n_columns; i++) {
        const size_t n = strlen(q->table) + strlen(q->columns[i]) + 2;
        char *name = tk_arena_bytes(&b->names, n);
        if (!name || tk_vec_push(&b->columns, name))
            return tk_err_nomem(err, "a query");
        snprintf(name, n, "%s.%s", q->table, q->columns[i]);
    }
    return TK_OK;
}

static int add_wish(struct batch *b, struct wish *w, struct tk_err *err)
{
    w->taken = true;
    return tk_vec_push(&b->wishes, w) ? tk_err_nomem(err, "a query") : TK_OK;
}

/* The tables that the capture has; the others have no rows. */
static int name_tables(struct batch *b, const struct tk_trace *trace, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < b->wishes.n && rc == TK_OK; i++) {
        const struct tk_sql_question *q = &b->wishes.v[i]->question;
        if (!tk_has_table(trace, q->table))
            continue;
        rc = tk_vec_push(&b->tables, q->table) ? tk_err_nomem(err, "a query") : add_columns(b, q, err);
    }
    return rc;
}

static struct wish *wish_of(const struct batch *b, const struct tk_table *table)
{
    for (size_t i = 0; i < b->wishes.n; i++)
        if (strcmp(b->wishes.v[i]->question.table, table->name) == 0)
            return b->wishes.v[i];
    return NULL;
}

static int begin_ahead(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct wish *w = wish_of(self, table);
    return w ? tk_sql_keeping_begin(w->to, table, err) : TK_OK;
}

static int keep_ahead(void *self, const struct tk_table *table, const struct tk_rows *rows,
                      struct tk_err *err)
{
    struct wish *w = wish_of(self, table);
    return w ? tk_sql_keeping_rows(w->to, table, rows, err) : TK_OK;
}

static int run_batch(struct batch *b, struct tk_trace *trace, struct tk_err *err)
{
    const struct tk_sink sink = {.self = b, .begin = begin_ahead, .rows = keep_ahead};
    struct tk_query query = b->wishes.v[0]->question.query;
    int rc = name_tables(b, trace, err);
    if (rc < 0 || b->tables.n == 0)
        return rc;
    query.tables = b->tables.v;
    query.n_tables = b->tables.n;
    query.columns = b->columns.v;
    query.n_columns = b->columns.n;
    query.mixed = true;
    b->c->readings++;
    return tk_query_run(trace, &query, &sink, err);
}

static int open_stores(const struct batch *b, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < b->wishes.n && rc == TK_OK; i++) {
        struct wish *w = b->wishes.v[i];
        rc = tk_sql_keeping_new(&w->to, b->c, w->source, &w->question, w->key, err);
    }
    return rc;
}

/* Stores of a reading that was whole are found from now on; the others are dropped, and the statements say
 * themselves what is wrong. */
static int close_stores(const struct batch *b, int rc, struct tk_err *err)
{
    int kept = TK_OK;
    for (size_t i = 0; i < b->wishes.n; i++) {
        struct wish *w = b->wishes.v[i];
        const int ended = w->to ? tk_sql_keeping_end(w->to, rc == TK_OK, err) : TK_OK;
        kept = ended < 0 ? ended : kept;
        w->to = NULL;
    }
    return kept;
}

/* *missed: the capture has not what one of the tables is about. */
static int read_batch(struct batch *b, bool *missed, struct tk_err *err)
{
    struct tk_sql_source *source = b->wishes.v[0]->source;
    struct tk_err own = {0};
    size_t handle;
    int rc = tk_sql_source_take(b->c, source, &handle, err);
    if (rc < 0 || handle == SIZE_MAX)
        return rc;
    rc = open_stores(b, err);
    const int read = rc == TK_OK ? run_batch(b, source->handles.v[handle].trace, &own) : rc;
    const int closed = close_stores(b, read, err);
    tk_sql_source_leave(source, handle);
    *missed = read == TK_EMATCH;
    if (read == TK_ENOMEM || read == TK_ECANCELED) {
        if (err)
            *err = own;
        return read;
    }
    return rc < 0 ? rc : closed;
}

/* How soon a question begins a batch: those that are never grouped come with others, best with timers by
 * thread, whose scopes most of them read, too. */
static unsigned turn_of(const struct wish *w)
{
    return is_never_grouped(w->shape) ? 2 : w->question.query.by != TK_BY_THREAD;
}

static struct wish *next_wish(const struct tk_sql_ahead *a)
{
    struct wish *next = NULL;
    for (size_t i = 0; i < a->wishes.n; i++) {
        struct wish *w = a->wishes.v[i];
        if (!w->taken && (!next || turn_of(w) < turn_of(next)))
            next = w;
    }
    return next;
}

/* Reads a batch. Where the capture has not what one of the tables is about, such as game frames, halves of it
 * are tried: that is found out before anything is read. */
static int read_parts(struct batch *b, struct tk_err *err)
{
    bool missed = false;
    int rc = read_batch(b, &missed, err);
    for (unsigned half = 0; half < 2 && rc == TK_OK && missed && b->wishes.n > 1; half++) {
        struct batch part = {.c = b->c};
        const size_t middle = b->wishes.n / 2, end = half ? b->wishes.n : middle;
        for (size_t i = half ? middle : 0; i < end && rc == TK_OK; i++)
            rc = add_wish(&part, b->wishes.v[i], err);
        if (rc == TK_OK)
            rc = read_parts(&part, err);
        release_batch(&part);
    }
    return rc;
}

static int read_all(struct tk_sql_connection *c, const struct tk_sql_ahead *a, struct tk_err *err)
{
    struct wish *first;
    int rc = TK_OK;
    while (rc == TK_OK && (first = next_wish(a)) != NULL) {
        struct batch b = {.c = c};
        rc = add_wish(&b, first, err);
        for (size_t i = 0; i < a->wishes.n && rc == TK_OK; i++)
            if (!a->wishes.v[i]->taken && go_together(first, a->wishes.v[i]) &&
                !wish_of(&b, a->wishes.v[i]->shape->table))
                rc = add_wish(&b, a->wishes.v[i], err);
        if (rc == TK_OK)
            rc = read_parts(&b, err);
        release_batch(&b);
    }
    return rc;
}

/* ---- noting ---- */

/* Runs a statement for what it queries; what is wrong with it is said when it is run. */
static void note_statement(struct tk_sql_connection *c, const char *statement)
{
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(c->db, statement, -1, &stmt, NULL) == SQLITE_OK && stmt &&
        sqlite3_stmt_readonly(stmt))
        while (sqlite3_step(stmt) == SQLITE_ROW)
            ;
    sqlite3_finalize(stmt);
    c->status = TK_OK;
    c->n_requested = 0;
}

static int read_round(struct tk_sql_connection *c, const char *const *statements, size_t n, bool *more,
                      struct tk_err *err)
{
    struct tk_sql_ahead a = {.wishes = {0}};
    c->ahead = &a;
    for (size_t i = 0; i < n && !tk_sql_stopped(c); i++)
        note_statement(c, statements[i]);
    c->ahead = NULL;
    *more = a.wishes.n > 0;
    const int rc = tk_sql_stopped(c) ? tk_err_set(err, TK_ECANCELED, "stopped") : read_all(c, &a, err);
    for (size_t i = 0; i < a.wishes.n; i++)
        free_wish(a.wishes.v[i]);
    tk_vec_release(&a.wishes);
    return rc;
}

int tk_sql_ahead_read(struct tk_sql_connection *c, const char *const *statements, size_t n,
                      struct tk_err *err)
{
    bool more = n > 0;
    int rc = TK_OK;
    for (unsigned round = 0; round < ROUNDS && more && rc == TK_OK; round++)
        rc = read_round(c, statements, n, &more, err);
    return rc;
}
