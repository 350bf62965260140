/*
 * The values of a cursor's row, for SQLite and for groups. See cursor.h.
 */
#include "sql/tables/frames.h"
#include "sql/tables/cursor_parts.h"

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
    int rc = own_value(cur, (uint32_t)tk_table_column(tk_sql_cursor_shape(cur)->table, "start"), &start, err);
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
