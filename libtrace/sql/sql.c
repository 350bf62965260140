/*
 * The functions of the chapter SQL of tracekit.h: a database in memory whose tables are those of captures.
 */

#include "tracekit/sql.h"

#include "base/err.h"
#include "base/given.h"
#include "sql/selected.h"
#include "sql/sql_in.h"
#include "sql/tables/connection.h"
#include "tracekit/sinks.h"

#include <stdlib.h>
#include <string.h>

/* Steps of SQLite between two questions whether to stop: a millisecond. A step that is a function may take
 * longer, by the length of its texts, so that there are fewer where those are bounded. */
enum { STEPS = 5000, BOUNDED_STEPS = 100 };

/* A text or a row of more bytes is refused. */
enum { LONGEST = 256 << 20 };

/* Characters of a pattern where texts are bounded: each may be compared at each place of a text. */
enum { BOUNDED_PATTERN = 250 };

extern const struct tk_sql_question_text tk_questions[];

struct tk_sql {
    sqlite3 *db; /* owned */
    struct tk_sql_connection *c;
    struct tk_sql_options options;
    bool filled;
};

static int ask_stop(void *ctx)
{
    return tk_sql_stopped(ctx);
}

/* No step takes more than seconds where texts are bounded. */
static void set_limits(struct tk_sql *sql)
{
    const uint64_t longest = sql->options.longest_text;
    sql->c->bounded = longest && longest < LONGEST;
    sqlite3_limit(sql->db, SQLITE_LIMIT_LENGTH, sql->c->bounded ? (int)longest : LONGEST);
    if (sql->c->bounded)
        sqlite3_limit(sql->db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, BOUNDED_PATTERN);
    sqlite3_progress_handler(sql->db, sql->c->bounded ? BOUNDED_STEPS : STEPS, ask_stop, sql->c);
}

static int open_sql(struct tk_sql *sql, struct tk_err *err)
{
    const struct tk_sql_options *opt = &sql->options;
    if (sqlite3_open_v2(":memory:", &sql->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        return tk_err_nomem(err, "a database");
    /* What is no column is no text either. */
    sqlite3_db_config(sql->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(sql->db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    int rc = tk_sql_connection_new(&sql->c, sql->db, opt->open, err);
    struct tk_sql_group *group;
    if (rc == TK_OK)
        rc = tk_sql_group_new(&group, sql->c, "main", err);
    if (rc < 0)
        return rc;
    sql->c->stop = opt->stop;
    sql->c->stop_ctx = opt->stop_ctx;
    sql->c->note = opt->note;
    sql->c->note_ctx = opt->note_ctx;
    sql->c->no_push = opt->nothing_pushed;
    if (opt->memory)
        sql->c->budget = opt->memory;
    tk_intern_bound(&sql->c->texts, sql->c->budget, NULL);
    set_limits(sql);
    if (tk_sql_module_register(sql->c) != SQLITE_OK || tk_sql_functions_register(sql->db) != SQLITE_OK ||
        (sql->c->bounded && tk_sql_search_functions_register(sql->db) != SQLITE_OK))
        return tk_err_nomem(err, "a database");
    return TK_OK;
}

int tk_sql_new(struct tk_sql **out, const struct tk_sql_options *options, struct tk_err *err)
{
    TK_GIVEN(err, out);
    struct tk_sql *sql = calloc(1, sizeof *sql);
    *out = NULL;
    if (!sql)
        return tk_err_nomem(err, "a database");
    sql->options = TK_INIT(struct tk_sql_options);
    int rc = tk_struct_size_take(&sql->options, sizeof sql->options, options, "the options", err);
    if (rc == TK_OK)
        rc = open_sql(sql, err);
    if (rc == TK_OK)
        *out = sql;
    else
        tk_sql_free(sql);
    return rc;
}

void tk_sql_free(struct tk_sql *sql)
{
    if (!sql)
        return;
    sqlite3_close(sql->db);
    tk_sql_connection_free(sql->c);
    free(sql);
}

void tk_sql_select(struct tk_sql *sql, const struct tk_selection *select)
{
    sql->c->select = select;
}

/* ---- captures ---- */

static int attach(struct tk_sql *sql, const char *schema, struct tk_err *err)
{
    char *text = sqlite3_mprintf("ATTACH ':memory:' AS \"%w\"", schema);
    int rc = text ? sqlite3_exec(sql->db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    if (rc == SQLITE_OK)
        return TK_OK;
    return rc == SQLITE_NOMEM
               ? tk_err_nomem(err, "a database")
               : tk_err_set(err, TK_EUSAGE, "schema '%s': %s", schema, sqlite3_errmsg(sql->db));
}

static struct tk_sql_group *find_group(const struct tk_sql *sql, const char *schema)
{
    for (size_t i = 0; i < sql->c->groups.n; i++)
        if (sqlite3_stricmp(sql->c->groups.v[i]->schema, schema) == 0)
            return sql->c->groups.v[i];
    return NULL;
}

int tk_sql_add(struct tk_sql *sql, const char *path, const char *schema, struct tk_err *err)
{
    TK_GIVEN(err, sql, path);
    struct tk_sql_group *group = find_group(sql, schema ? schema : "main");
    int rc = TK_OK;
    if (sql->filled)
        return tk_err_set(err, TK_EUSAGE, "captures are added before the first statement");
    if (schema && (group || !*schema))
        return tk_err_set(err, TK_EUSAGE, "the schema '%s' cannot be given to '%s': it is taken", schema,
                          path);
    if (!group)
        rc = attach(sql, schema, err);
    if (!group && rc == TK_OK)
        rc = tk_sql_group_new(&group, sql->c, schema, err);
    return rc == TK_OK ? tk_sql_source_add(NULL, group, path, err) : rc;
}

int tk_sql_add_open(struct tk_sql *sql, struct tk_trace *trace, const char *name, struct tk_err *err)
{
    TK_GIVEN(err, sql, trace, name);
    if (sql->filled)
        return tk_err_set(err, TK_EUSAGE, "captures are added before the first statement");
    return tk_sql_source_lend(sql->c->groups.v[0], sql->c, trace, name, err);
}

static int fill_sql(struct tk_sql *sql, struct tk_err *err)
{
    int rc = TK_OK;
    if (sql->filled)
        return TK_OK;
    for (size_t i = 0; i < sql->c->groups.n && rc == TK_OK; i++)
        rc = tk_sql_module_fill(sql->c, i, false, err);
    if (rc == TK_OK)
        tk_sql_authorize(sql->c);
    sql->filled = rc == TK_OK;
    return rc;
}

/* ---- statements ---- */

static int run_text(struct tk_sql *sql, const char *text, bool plan, const struct tk_sink *sink,
                    struct tk_err *err)
{
    struct tk_err none = {0};
    err = err ? err : &none;
    int rc = fill_sql(sql, err);
    return rc == TK_OK ? tk_sql_statement_run(sql->c, text, plan, sink, err) : rc;
}

int tk_sql_run(struct tk_sql *sql, const char *text, const struct tk_sink *sink, struct tk_err *err)
{
    TK_GIVEN(err, sql, text, sink);
    return run_text(sql, text, false, sink, err);
}

int tk_sql_result(struct tk_result **out, struct tk_sql *sql, const char *text, struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, sql, text);
    int rc = tk_result_new(out, err);
    if (rc < 0)
        return rc;
    const struct tk_sink sink = tk_result_sink(*out);
    rc = tk_sql_run(sql, text, &sink, err);
    if (rc < 0) {
        tk_result_free(*out);
        *out = NULL;
    }
    return rc;
}

int tk_sql_plan(struct tk_sql *sql, const char *text, const struct tk_sink *sink, struct tk_err *err)
{
    TK_GIVEN(err, sql, text, sink);
    return run_text(sql, text, true, sink, err);
}

int tk_sql_read_ahead(struct tk_sql *sql, const char *const *statements, size_t n, struct tk_err *err)
{
    TK_GIVEN(err, sql);
    TK_TEXTS_GIVEN(err, statements, n);
    struct tk_err none = {0};
    err = err ? err : &none;
    const int rc = fill_sql(sql, err);
    return rc == TK_OK ? tk_sql_ahead_read(sql->c, statements, n, err) : rc;
}

uint64_t tk_sql_readings(const struct tk_sql *sql)
{
    if (!sql)
        return 0;
    return sql->c->readings;
}

/* ---- what was read ---- */

static const struct tk_sql_source *find_source_sql(const struct tk_sql *sql, size_t i)
{
    for (size_t g = 0; g < sql->c->groups.n; g++) {
        const struct tk_sql_group *group = sql->c->groups.v[g];
        if (i < group->sources.n)
            return group->sources.v[i];
        i -= group->sources.n;
    }
    return NULL;
}

const char *tk_sql_source(const struct tk_sql *sql, size_t i, bool *damaged, bool *partial, bool *lossy,
                          struct tk_trace **trace)
{
    if (!sql)
        return NULL;
    const struct tk_sql_source *s = find_source_sql(sql, i);
    bool bad = s && s->damaged, part = s && s->partial, lost = s && s->lossy;
    struct tk_trace *open = NULL;
    for (size_t h = 0; s && h < s->handles.n; h++) {
        struct tk_trace *t = s->handles.v[h].trace;
        if (!t)
            continue;
        bad |= tk_damaged(t);
        part |= tk_partial(t);
        lost |= tk_lossy(t);
        open = !open || tk_damaged(t) ? t : open;
    }
    if (damaged)
        *damaged = bad;
    if (partial)
        *partial = part;
    if (lossy)
        *lossy = lost;
    if (trace)
        *trace = open;
    return s ? s->path : NULL;
}

const struct tk_sql_question_text *tk_sql_question(size_t i)
{
    size_t n = 0;
    while (tk_questions[n].name)
        n++;
    return i < n ? &tk_questions[i] : NULL;
}
