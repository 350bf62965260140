/*
 * Where the rows of a cursor come from. See cursor.h.
 *
 * A question to a big table is read as rows are decoded. When the same question comes a second time in a
 * statement (the inner side of a join, a subquery for each row) its rows are kept, in the order of the column
 * that the join asks for. Rows of small tables are kept from the first time on.
 */
#include "sql/tables/cursor.h"

#include "sql/rows/frames.h"

#include <stdlib.h>
#include <string.h>

static const struct tk_sql_shape *shape_of(const struct tk_sql_cursor *cur)
{
    return &cur->table->shape;
}

static void leave_source(struct tk_sql_cursor *cur)
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

static void release_values(struct tk_sql_cursor *cur)
{
    for (unsigned i = 0; i < TK_SQL_TERMS; i++) {
        for (size_t k = 0; k < cur->given[i].list.n; k++)
            sqlite3_value_free(cur->given[i].list.v[k]);
        tk_vec_release(&cur->given[i].list);
    }
}

void tk_sql_cursor_release(struct tk_sql_cursor *cur)
{
    leave_source(cur);
    release_values(cur);
    tk_sql_grouped_free(cur->grouped);
    tk_sql_scratch_release(&cur->scratch);
}

/* ---- rows that are kept ---- */

/* Does SQLite compare the value with those of the column as they are? */
static bool is_comparable(const struct tk_sql_cursor *cur, const struct tk_sql_column *column,
                          sqlite3_value *value)
{
    const int type = sqlite3_value_type(value);
    const uint8_t kind = shape_of(cur)->table->columns[column->own].kind;
    if (column->kind != TK_SQL_OWN || kind == TK_NONE || kind >= TK_BYTES)
        return false;
    return kind == TK_TEXT ? type == SQLITE_TEXT : type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* The value of a term that is no list. */
static sqlite3_value *given_value(const struct tk_sql_cursor *cur, unsigned term)
{
    return cur->given[term].list.v[0];
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
        const struct tk_sql_column *column = &shape_of(cur)->columns[term->column];
        if (term->op == TK_SQL_IN || !is_comparable(cur, column, given_value(cur, i)))
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
            !is_comparable(cur, &shape_of(cur)->columns[column], given_value(cur, i)))
            continue;
        value_from(&value, &text, given_value(cur, i));
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
    int rc = tk_sql_store_order(store, cur->table->c, shape_of(cur)->columns[column].own, &cur->order, err);
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
    return tk_sql_question_make(&cur->question, cur->table->c, shape_of(cur), &cur->plan, cur->given,
                                cur->source, all, err);
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
    else if (!table->shape.big || (!grouped && was_seen(table, key)))
        rc = open_kept(cur, key, err);
    else
        rc = open_read(cur, err);
    free(key);
    return rc;
}

static int take_frames(struct tk_sql_cursor *cur, struct tk_err *err)
{
    const struct tk_sql_shape *shape = shape_of(cur);
    cur->frames = NULL;
    for (uint32_t i = 0; i < shape->n && i < 63; i++)
        if (shape->columns[i].kind == TK_SQL_FRAME && cur->plan.used >> i & 1)
            return tk_sql_frames_get(cur->table->c, cur->source, &cur->frames, err);
    return TK_OK;
}

/* Goes on to the next source that is wanted. TK_ITEM, TK_OK when there is none, or what failed. */
static int next_source(struct tk_sql_cursor *cur, struct tk_err *err)
{
    const struct tk_sql_group *group = cur->table->group;
    leave_source(cur);
    while (cur->next < group->sources.n) {
        cur->source = group->sources.v[cur->next++];
        cur->row = 0;
        if (!tk_sql_question_wants(shape_of(cur), &cur->plan, cur->given, cur->source))
            continue;
        int rc = take_frames(cur, err);
        if (rc == TK_OK)
            rc = open_source_sql(cur, err);
        return rc < 0 ? rc : TK_ITEM;
    }
    return TK_OK;
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

static int next_row_here(struct tk_sql_cursor *cur, struct tk_err *err)
{
    int rc;
    switch (cur->from) {
    case TK_SQL_FROM_READING:
        rc = tk_sql_reading_next(&cur->reading, &cur->cells, err);
        cur->row += rc == TK_ITEM;
        return rc;
    case TK_SQL_FROM_STORE:
        if (cur->at >= cur->stop)
            return TK_OK;
        return next_kept(cur, err);
    default:
        return TK_OK;
    }
}

/* The next row of any source. TK_ITEM, TK_OK or what failed. */
static int next_row_sql(struct tk_sql_cursor *cur, struct tk_err *err)
{
    int rc = next_row_here(cur, err);
    while (rc == TK_OK && (rc = next_source(cur, err)) == TK_ITEM)
        if ((rc = next_row_here(cur, err)) != TK_OK)
            return rc;
    return rc;
}

/* ---- values ---- */

static int own_value(struct tk_sql_cursor *cur, uint32_t own, struct tk_sql_value *out, struct tk_err *err)
{
    if (cur->from == TK_SQL_FROM_STORE)
        return tk_sql_store_value(cur->store, own, (size_t)cur->row - 1, out, err);
    return tk_sql_value_of(out, cur->table->c, &cur->cells[cur->reading.place[own]], &cur->scratch, err);
}

static int number_value(struct tk_sql_cursor *cur, struct tk_sql_value *value, struct tk_err *err)
{
    if (value->type != TK_SQL_TEXT && value->type != TK_SQL_BLOB)
        return TK_OK;
    const int64_t number = tk_sql_number_of(cur->table->c, value->v.s);
    *value = (struct tk_sql_value){.type = TK_SQL_INT, .v.i = number};
    return number ? TK_OK : tk_err_nomem(err, "the numbers of texts");
}

static int frame_value(struct tk_sql_cursor *cur, struct tk_sql_value *out, struct tk_err *err)
{
    struct tk_sql_value start;
    int rc = own_value(cur, (uint32_t)tk_table_column(shape_of(cur)->table, "start"), &start, err);
    if (rc < 0 || !cur->frames || start.type != TK_SQL_INT)
        return rc;
    const struct tk_sql_frame *frame = tk_sql_frames_at(cur->frames, start.v.i, &cur->hint);
    if (frame)
        *out = (struct tk_sql_value){.type = TK_SQL_INT, .v.i = frame->index};
    return TK_OK;
}

int tk_sql_cursor_value(struct tk_sql_cursor *cur, uint32_t column, struct tk_sql_value *out,
                        struct tk_err *err)
{
    const struct tk_sql_column *c = &shape_of(cur)->columns[column];
    int rc = TK_OK;
    *out = (struct tk_sql_value){0};
    if (cur->from == TK_SQL_FROM_GROUPS) {
        *out = cur->values_of_row[cur->slots[column]];
        return TK_OK;
    }
    switch (c->kind) {
    case TK_SQL_OWN:
        return own_value(cur, c->own, out, err);
    case TK_SQL_REF:
        rc = own_value(cur, c->own, out, err);
        return rc < 0 ? rc : number_value(cur, out, err);
    case TK_SQL_CAPTURE_ID:
        *out = (struct tk_sql_value){.type = TK_SQL_INT, .v.i = cur->source->id};
        return TK_OK;
    case TK_SQL_FRAME:
        return frame_value(cur, out, err);
    case TK_SQL_ROW:
        *out = (struct tk_sql_value){.type = TK_SQL_INT, .v.i = (int64_t)cur->row};
        return TK_OK;
    case TK_SQL_CAPTURE:
        out->type = TK_SQL_TEXT;
        out->v.s = tk_intern_c(&cur->table->c->texts, cur->source->name);
        return out->v.s ? TK_OK : tk_err_nomem(err, "a text");
    default:
        return TK_OK;
    }
}

/* What the statement asked for. */
static void answer_argument(struct tk_sql_cursor *cur, uint32_t column, sqlite3_context *to)
{
    for (unsigned i = 0; i < cur->plan.n; i++)
        if (cur->plan.terms[i].column == column) {
            sqlite3_result_value(to, given_value(cur, i));
            return;
        }
}

int tk_sql_cursor_answer(struct tk_sql_cursor *cur, uint32_t column, sqlite3_context *to, struct tk_err *err)
{
    const struct tk_sql_column *c = &shape_of(cur)->columns[column];
    struct tk_sql_value value;
    if (c->kind == TK_SQL_ARGUMENT) {
        answer_argument(cur, column, to);
        return TK_OK;
    }
    if (cur->from == TK_SQL_FROM_READING && c->kind == TK_SQL_OWN)
        return tk_sql_value_answer(to, &cur->cells[cur->reading.place[c->own]], &cur->scratch, err);
    int rc = tk_sql_cursor_value(cur, column, &value, err);
    if (rc == TK_OK)
        tk_sql_value_put(to, &value);
    return rc;
}

int64_t tk_sql_cursor_rowid(struct tk_sql_cursor *cur)
{
    struct tk_sql_value id = {0};
    const int at = shape_of(cur)->known_by_id ? tk_table_column(shape_of(cur)->table, "scope_id") : -1;
    if (at >= 0 && cur->from != TK_SQL_FROM_GROUPS && own_value(cur, (uint32_t)at, &id, NULL) == TK_OK &&
        id.type == TK_SQL_INT)
        return (int64_t)((uint64_t)(cur->source->id - 1) << 56 | (uint64_t)id.v.i);
    return (int64_t)((uint64_t)(cur->source->id - 1) << 40 | cur->row);
}

/* ---- groups ---- */

static unsigned lay_out_slots(struct tk_sql_cursor *cur, uint32_t columns[64])
{
    unsigned n = 0;
    for (uint32_t i = 0; i < shape_of(cur)->n && n < 63; i++)
        if (cur->plan.used >> (i < 63 ? i : 63) & 1 && shape_of(cur)->columns[i].kind != TK_SQL_ARGUMENT) {
            cur->slots[i] = (uint8_t)n;
            columns[n++] = i;
        }
    return n;
}

static int gather_row(struct tk_sql_cursor *cur, const uint32_t *columns, unsigned n, struct tk_err *err)
{
    struct tk_sql_value row[64], key;
    int rc = tk_sql_cursor_value(cur, cur->plan.group, &key, err);
    for (unsigned i = 0; i < n && rc == TK_OK; i++)
        rc = tk_sql_cursor_value(cur, columns[i], &row[i], err);
    return rc < 0 ? rc : tk_sql_grouped_add(cur->grouped, &key, row, err);
}

/* Puts all rows together; they come from there then. */
static int gather(struct tk_sql_cursor *cur, struct tk_err *err)
{
    uint32_t columns[64];
    const unsigned n = lay_out_slots(cur, columns);
    int rc = tk_sql_grouped_new(&cur->grouped, n, cur->table->c->options.spool_dir, err);
    while (rc == TK_OK && (rc = next_row_sql(cur, err)) == TK_ITEM)
        rc = gather_row(cur, columns, n, err);
    if (rc == TK_OK)
        rc = tk_sql_grouped_sort(cur->grouped, cur->plan.down, err);
    leave_source(cur);
    cur->from = TK_SQL_FROM_GROUPS;
    return rc;
}

/* ---- the cursor ---- */

int tk_sql_cursor_next(struct tk_sql_cursor *cur, struct tk_err *err)
{
    int rc;
    if (cur->from == TK_SQL_FROM_GROUPS) {
        rc = tk_sql_grouped_next(cur->grouped, &cur->values_of_row, err);
        cur->row++;
    } else {
        rc = next_row_sql(cur, err);
    }
    cur->end = rc == TK_OK;
    return rc == TK_ITEM ? TK_OK : rc;
}

static int copy_value(struct tk_sql_given *to, sqlite3_value *value, struct tk_err *err)
{
    sqlite3_value *copy = sqlite3_value_dup(value);
    if (copy && !tk_vec_push(&to->list, copy))
        return TK_OK;
    sqlite3_value_free(copy);
    return tk_err_nomem(err, "a query");
}

/* A list can be read now alone. */
static int copy_list(struct tk_sql_given *to, sqlite3_value *list, struct tk_err *err)
{
    sqlite3_value *value;
    int rc = TK_OK;
    for (int s = sqlite3_vtab_in_first(list, &value); s == SQLITE_OK && value && rc == TK_OK;
         s = sqlite3_vtab_in_next(list, &value))
        rc = copy_value(to, value, err);
    return rc;
}

static int copy_values(struct tk_sql_cursor *cur, int n, sqlite3_value **values, struct tk_err *err)
{
    int rc = (unsigned)n == cur->plan.n ? TK_OK : tk_err_set(err, TK_EUSAGE, "a plan without its values");
    release_values(cur);
    for (int i = 0; i < n && rc == TK_OK; i++)
        rc = cur->plan.terms[i].op == TK_SQL_IN ? copy_list(&cur->given[i], values[i], err)
                                                : copy_value(&cur->given[i], values[i], err);
    return rc;
}

static bool has_null(const struct tk_sql_cursor *cur)
{
    for (unsigned i = 0; i < cur->plan.n; i++)
        if (cur->plan.terms[i].op != TK_SQL_IN && sqlite3_value_type(given_value(cur, i)) == SQLITE_NULL)
            return true;
    return false;
}

int tk_sql_cursor_begin(struct tk_sql_cursor *cur, const char *plan, int n, sqlite3_value **values,
                        struct tk_err *err)
{
    leave_source(cur);
    tk_sql_grouped_free(cur->grouped);
    cur->grouped = NULL;
    if (cur->planned != plan)
        tk_sql_plan_read(&cur->plan, shape_of(cur), plan);
    cur->planned = plan;
    int rc = copy_values(cur, n, values, err);
    if (rc < 0)
        return rc;
    cur->next = 0;
    cur->end = has_null(cur); /* nothing is equal to it, or less or more */
    if (cur->end)
        return TK_OK;
    if (cur->plan.group != UINT32_MAX)
        rc = gather(cur, err);
    return rc < 0 ? rc : tk_sql_cursor_next(cur, err);
}
