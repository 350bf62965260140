/*
 * Cursors: their beginning with the values of a statement, their next row, and rows put together by a column.
 */
#include "sql/tables/tables_in.h"

/*
 * The values of a cursor's row, for SQLite and for groups.
 */

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
    int rc = own_value(cur, tk_sql_cursor_shape(cur)->frame_of, &start, err);
    if (rc < 0 || !cur->frames || start.type != TK_SQL_INT)
        return rc;
    const struct tk_sql_frame *frame = tk_sql_frames_at(cur->frames, start.v.i, &cur->hint);
    if (frame)
        *out = (struct tk_sql_value){.type = TK_SQL_INT, .v.i = frame->index};
    return TK_OK;
}

static int wall_value(struct tk_sql_cursor *cur, struct tk_sql_value *out, struct tk_err *err)
{
    struct tk_sql_value start;
    int rc = own_value(cur, tk_sql_cursor_shape(cur)->wall_of, &start, err);
    const int64_t begin = cur->source->begin;
    if (rc == TK_OK && begin != INT64_MIN && start.type == TK_SQL_INT && start.v.i <= INT64_MAX - begin)
        *out = (struct tk_sql_value){.type = TK_SQL_INT, .v.i = begin + start.v.i};
    return rc;
}

int tk_sql_cursor_value(struct tk_sql_cursor *cur, uint32_t column, struct tk_sql_value *out,
                        struct tk_err *err)
{
    const struct tk_sql_column *c = &tk_sql_cursor_shape(cur)->columns[column];
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
    case TK_SQL_WALL_CLOCK:
        return wall_value(cur, out, err);
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

/* What the statement requested. */
static void answer_argument(struct tk_sql_cursor *cur, uint32_t column, sqlite3_context *to)
{
    for (unsigned i = 0; i < cur->plan.n; i++)
        if (cur->plan.terms[i].column == column) {
            sqlite3_result_value(to, tk_sql_cursor_given(cur, i));
            return;
        }
}

int tk_sql_cursor_answer(struct tk_sql_cursor *cur, uint32_t column, sqlite3_context *to, struct tk_err *err)
{
    const struct tk_sql_column *c = &tk_sql_cursor_shape(cur)->columns[column];
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
    const int at = tk_sql_cursor_shape(cur)->known_by_id
                       ? tk_table_column(tk_sql_cursor_shape(cur)->table, "scope_id")
                       : -1;
    if (at >= 0 && cur->from != TK_SQL_FROM_GROUPS && own_value(cur, (uint32_t)at, &id, NULL) == TK_OK &&
        id.type == TK_SQL_INT)
        return (int64_t)((uint64_t)(cur->source->id - 1) << 56 | (uint64_t)id.v.i);
    return (int64_t)((uint64_t)(cur->source->id - 1) << 40 | cur->row);
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
    tk_sql_cursor_leave_source(cur);
    release_values(cur);
    tk_sql_grouped_free(cur->grouped);
    tk_sql_scratch_release(&cur->scratch);
}

/* ---- groups ---- */

static unsigned lay_out_slots(struct tk_sql_cursor *cur, uint32_t columns[64])
{
    unsigned n = 0;
    for (uint32_t i = 0; i < tk_sql_cursor_shape(cur)->n && n < 63; i++)
        if (cur->plan.used >> (i < 63 ? i : 63) & 1 &&
            tk_sql_cursor_shape(cur)->columns[i].kind != TK_SQL_ARGUMENT) {
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
    while (rc == TK_OK && (rc = tk_sql_cursor_next_row(cur, err)) == TK_ITEM)
        rc = gather_row(cur, columns, n, err);
    if (rc == TK_OK)
        rc = tk_sql_grouped_sort(cur->grouped, cur->plan.down, err);
    tk_sql_cursor_leave_source(cur);
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
        rc = tk_sql_cursor_next_row(cur, err);
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
        if (cur->plan.terms[i].op != TK_SQL_IN &&
            sqlite3_value_type(tk_sql_cursor_given(cur, i)) == SQLITE_NULL)
            return true;
    return false;
}

int tk_sql_cursor_begin(struct tk_sql_cursor *cur, const char *plan, int n, sqlite3_value **values,
                        struct tk_err *err)
{
    tk_sql_cursor_leave_source(cur);
    tk_sql_grouped_free(cur->grouped);
    cur->grouped = NULL;
    if (cur->planned != plan)
        tk_sql_plan_read(&cur->plan, tk_sql_cursor_shape(cur), plan);
    cur->planned = plan;
    int rc = copy_values(cur, n, values, err);
    if (rc < 0)
        return rc;
    cur->next = cur->n_requested = cur->n_missed = 0;
    cur->noted = false;
    /* nothing is equal to it, or less or more; what is read ahead may still come to have a value */
    cur->end = has_null(cur) && !cur->table->c->ahead;
    if (cur->end)
        return TK_OK;
    if (cur->plan.group != UINT32_MAX)
        rc = gather(cur, err);
    return rc < 0 ? rc : tk_sql_cursor_next(cur, err);
}
