/*
 * Where the rows of a cursor come from.
 *
 * A question to a big table is read as rows are decoded. When the same question comes a second time in a
 * statement (the inner side of a join, a subquery for each row) its rows are kept, in the order of the column
 * that the join requests. Rows of small tables are kept from the first time on.
 */
#include "sql/tables/tables_in.h"

#include <stdlib.h>
#include <string.h>

void tk_sql_cursor_leave_source(struct tk_sql_cursor *cur)
{
    tk_sql_reading_close(&cur->reading);
    tk_sql_question_release(&cur->question);
    cur->question = (struct tk_sql_question){0};
    if (cur->store)
        cur->store->users--;
    cur->store = NULL;
    cur->order = NULL;
    cur->from = TK_SQL_FROM_NOWHERE;
}

/* ---- rows that are kept ---- */

/* Does SQLite compare the value with those of the column as they are? */
static bool is_comparable(const struct tk_sql_cursor *cur, const struct tk_sql_column *column,
                          sqlite3_value *value)
{
    const int type = sqlite3_value_type(value);
    const uint8_t kind = tk_sql_cursor_shape(cur)->table->columns[column->own].kind;
    if (column->kind != TK_SQL_OWN || kind == TK_NONE || kind >= TK_BYTES)
        return false;
    return kind == TK_TEXT ? type == SQLITE_TEXT : type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static void value_from(struct tk_sql_value *out, struct tk_str *text, sqlite3_value *value)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        *out = (struct tk_sql_value){.type = TK_SQL_INT, .v.i = sqlite3_value_int64(value)};
        break;
    case SQLITE_FLOAT:
        *out = (struct tk_sql_value){.type = TK_SQL_REAL, .v.r = sqlite3_value_double(value)};
        break;
    default:
        *text = (struct tk_str){.p = (const char *)sqlite3_value_text(value),
                                .n = (uint32_t)sqlite3_value_bytes(value)};
        *out = (struct tk_sql_value){.type = TK_SQL_TEXT, .v.s = text};
    }
}

/* The column by which rows are looked up: of an equality, else of a comparison. */
static uint32_t lookup_column(const struct tk_sql_cursor *cur)
{
    uint32_t found = UINT32_MAX;
    for (unsigned i = 0; i < cur->plan.n; i++) {
        const struct tk_sql_term *term = &cur->plan.terms[i];
        const struct tk_sql_column *column = &tk_sql_cursor_shape(cur)->columns[term->column];
        if (term->op == TK_SQL_IN || !is_comparable(cur, column, tk_sql_cursor_given(cur, i)))
            continue;
        if (term->op == TK_SQL_EQ)
            return term->column;
        found = found == UINT32_MAX ? term->column : found;
    }
    return found;
}

/* Cuts the places to those that the terms on a column leave. */
static int cut_places(struct tk_sql_cursor *cur, uint32_t column, struct tk_err *err)
{
    int rc = TK_OK;
    for (unsigned i = 0; i < cur->plan.n && rc == TK_OK; i++) {
        const struct tk_sql_term *term = &cur->plan.terms[i];
        struct tk_sql_value value;
        struct tk_str text;
        if (term->column != column || term->op == TK_SQL_IN ||
            !is_comparable(cur, &tk_sql_cursor_shape(cur)->columns[column], tk_sql_cursor_given(cur, i)))
            continue;
        value_from(&value, &text, tk_sql_cursor_given(cur, i));
        if (term->op != TK_SQL_LT && term->op != TK_SQL_LE) {
            size_t first = 0;
            rc = tk_sql_order_find(cur->store, cur->order, &value, term->op == TK_SQL_GT, &first, err);
            cur->at = first > cur->at ? first : cur->at;
        }
        if (rc == TK_OK && term->op != TK_SQL_GT && term->op != TK_SQL_GE) {
            size_t end = cur->stop;
            rc = tk_sql_order_find(cur->store, cur->order, &value, term->op != TK_SQL_LT, &end, err);
            cur->stop = end < cur->stop ? end : cur->stop;
        }
    }
    return rc;
}

static int use_store(struct tk_sql_cursor *cur, struct tk_sql_store *store, struct tk_err *err)
{
    const uint32_t column = cur->table->c->no_push ? UINT32_MAX : lookup_column(cur);
    cur->store = store;
    store->users++;
    cur->from = TK_SQL_FROM_STORE;
    cur->at = 0;
    cur->stop = store->n;
    if (column == UINT32_MAX)
        return TK_OK;
    int rc = tk_sql_store_order(store, cur->table->c, tk_sql_cursor_shape(cur)->columns[column].own,
                                &cur->order, err);
    return rc == TK_OK ? cut_places(cur, column, err) : rc;
}

/* ---- the next source ---- */

/* Was the question read in this statement already? It counts as read from now on. */
static bool was_seen(struct tk_sql_table *table, const char *key)
{
    const uint64_t statement = table->c->statement;
    for (size_t i = 0; i < table->seen.n; i++)
        if (strcmp(table->seen.v[i].key, key) == 0) {
            const bool seen = table->seen.v[i].statement == statement;
            table->seen.v[i].statement = statement;
            return seen;
        }
    struct tk_sql_seen seen = {tk_sql_copy(key), statement};
    if (!seen.key || tk_vec_push(&table->seen, seen))
        free(seen.key);
    return false;
}

static int make_question(struct tk_sql_cursor *cur, bool all, struct tk_err *err)
{
    tk_sql_question_release(&cur->question);
    return tk_sql_question_make(&cur->question, cur->table->c, tk_sql_cursor_shape(cur), &cur->plan,
                                cur->given, cur->source, all, err);
}

static int open_kept(struct tk_sql_cursor *cur, const char *key, struct tk_err *err)
{
    struct tk_sql_table *table = cur->table;
    struct tk_sql_store *store;
    int rc = tk_sql_reading_keep(&store, table->c, cur->source, &table->shape, &cur->question, key, err);
    return rc < 0 ? rc : use_store(cur, store, err);
}

static int open_read(struct tk_sql_cursor *cur, struct tk_err *err)
{
    struct tk_sql_table *table = cur->table;
    int rc = make_question(cur, !table->c->no_push, err);
    cur->from = TK_SQL_FROM_READING;
    return rc < 0 ? rc
                  : tk_sql_reading_open(&cur->reading, table->c, cur->source, &table->shape, &cur->question,
                                        err);
}

static int open_source_sql(struct tk_sql_cursor *cur, struct tk_err *err)
{
    struct tk_sql_table *table = cur->table;
    int rc = make_question(cur, false, err);
    char *key = rc == TK_OK ? tk_sql_question_key(&cur->question) : NULL;
    if (!key)
        return rc < 0 ? rc : tk_err_nomem(err, "a query");
    struct tk_sql_store *store = tk_sql_store_find(table->c, cur->source, key, cur->question.mask);
    const bool grouped = cur->plan.group != UINT32_MAX;
    if (store)
        rc = use_store(cur, store, err);
    else if (table->c->ahead)
        rc = tk_sql_ahead_note(cur, key, err);
    else if (!table->shape.big || (!grouped && was_seen(table, key)))
        rc = open_kept(cur, key, err);
    else
        rc = open_read(cur, err);
    free(key);
    return rc;
}

/* What columns need that is not in the row. */
static int take_moments(struct tk_sql_cursor *cur, struct tk_err *err)
{
    const struct tk_sql_shape *shape = tk_sql_cursor_shape(cur);
    int rc = TK_OK;
    cur->frames = NULL;
    for (uint32_t i = 0; i < shape->n && rc == TK_OK; i++) {
        if (!(cur->plan.used >> (i < 63 ? i : 63) & 1))
            continue;
        if (shape->columns[i].kind == TK_SQL_FRAME)
            rc = tk_sql_frames_get(cur->table->c, cur->source, &cur->frames, err);
        else if (shape->columns[i].kind == TK_SQL_WALL_CLOCK)
            rc = tk_sql_begin_get(cur->table->c, cur->source, err);
    }
    return rc;
}

static int open_next(struct tk_sql_cursor *cur, struct tk_err *err)
{
    int rc = cur->table->c->ahead ? TK_OK : take_moments(cur, err);
    return rc == TK_OK ? open_source_sql(cur, err) : rc;
}

/* One of several captures has not what is requested: a region, game frames. It has no rows then. */
static bool misses(struct tk_sql_cursor *cur, int status)
{
    const bool missed = status == TK_EMATCH && cur->table->group->sources.n > 1;
    cur->n_missed += missed;
    return missed;
}

/* Does a join ask for the same names each time? Those that another table gives may be missing. */
static bool wants_same_names(const struct tk_sql_cursor *cur)
{
    bool any = false;
    for (unsigned i = 0; i < cur->plan.n; i++) {
        const struct tk_sql_term *term = &cur->plan.terms[i];
        if (tk_sql_cursor_shape(cur)->columns[term->column].kind != TK_SQL_ARGUMENT)
            continue;
        if (!term->constant)
            return false;
        any = true;
    }
    return any && cur->plan.join;
}

static void note_found(struct tk_sql_cursor *cur, bool found, const struct tk_err *err)
{
    if (!cur->noted && wants_same_names(cur))
        tk_sql_requested_note(cur->table->c, cur->planned, found, err);
    cur->noted = true;
}

/* Goes on to the next source that is wanted. TK_ITEM, TK_OK when there is none, or what failed. */
static int next_source(struct tk_sql_cursor *cur, struct tk_err *err)
{
    const struct tk_sql_group *group = cur->table->group;
    tk_sql_cursor_leave_source(cur);
    while (cur->next < group->sources.n) {
        cur->source = group->sources.v[cur->next++];
        cur->row = 0;
        if (!tk_sql_question_wants(tk_sql_cursor_shape(cur), &cur->plan, cur->given, cur->source))
            continue;
        cur->n_requested++;
        int rc = open_next(cur, err);
        if (!misses(cur, rc))
            return rc < 0 ? rc : TK_ITEM;
        tk_sql_cursor_leave_source(cur);
    }
    /* err says still what the last one has not */
    const bool missed = cur->n_missed && cur->n_missed == cur->n_requested;
    if (cur->n_requested)
        note_found(cur, !missed, err);
    return missed && !cur->plan.join ? TK_EMATCH : TK_OK;
}

/* ---- rows ---- */

static int next_kept(struct tk_sql_cursor *cur, struct tk_err *err)
{
    size_t row = cur->at;
    int rc = cur->order ? tk_sql_order_row(cur->store, cur->order, cur->at, &row, err) : TK_OK;
    cur->row = row + 1;
    cur->at++;
    return rc == TK_OK ? TK_ITEM : rc;
}

static int next_read(struct tk_sql_cursor *cur, struct tk_err *err)
{
    int rc = tk_sql_reading_next(&cur->reading, &cur->cells, err);
    cur->row += rc == TK_ITEM;
    return misses(cur, rc) ? TK_OK : rc;
}

static int next_row_here(struct tk_sql_cursor *cur, struct tk_err *err)
{
    switch (cur->from) {
    case TK_SQL_FROM_READING:
        return next_read(cur, err);
    case TK_SQL_FROM_STORE:
        if (cur->at >= cur->stop)
            return TK_OK;
        return next_kept(cur, err);
    default:
        return TK_OK;
    }
}

int tk_sql_cursor_next_row(struct tk_sql_cursor *cur, struct tk_err *err)
{
    int rc = next_row_here(cur, err);
    while (rc == TK_OK && (rc = next_source(cur, err)) == TK_ITEM)
        if ((rc = next_row_here(cur, err)) != TK_OK)
            break;
    if (rc == TK_ITEM)
        note_found(cur, true, NULL);
    return rc;
}
