/*
 * Cells as values of SQLite.
 */
#include "sink/write/value.h"

#include "base/hash.h"
#include "base/text/text.h"
#include "sql/tables/tables_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Texts with numbers: what stands for the table `string` of an exported database.
 */

int64_t tk_sql_number_of(struct tk_sql_connection *c, const struct tk_str *text)
{
    const uint64_t key = (uint64_t)(uintptr_t)text;
    const uint32_t found = tk_map_get(&c->numbers, key);
    if (found != TK_MAP_NONE)
        return (int64_t)found + 1;
    if (c->numbered.n >= TK_MAP_NONE || tk_vec_push(&c->numbered, text))
        return 0;
    if (tk_map_put(&c->numbers, key, (uint32_t)(c->numbered.n - 1))) {
        c->numbered.n--;
        return 0;
    }
    return (int64_t)c->numbered.n;
}

const struct tk_str *tk_sql_text_of(const struct tk_sql_connection *c, int64_t number)
{
    return number > 0 && (uint64_t)number <= c->numbered.n ? c->numbered.v[number - 1] : NULL;
}

void tk_sql_numbers_release(struct tk_sql_connection *c)
{
    tk_map_release(&c->numbers);
    tk_vec_release(&c->numbered);
}

void tk_sql_scratch_release(struct tk_sql_scratch *s)
{
    if (!s->ready)
        return;
    tk_buffer_release(&s->clean);
    tk_buffer_release(&s->json);
    s->ready = false;
}

static int begin_scratch(struct tk_sql_scratch *s, struct tk_err *err)
{
    if (!s->ready) {
        if (tk_buffer_init(&s->json, NULL, NULL))
            return tk_err_nomem(err, "a value");
        if (tk_buffer_init_scratch(&s->clean, &s->json)) {
            tk_buffer_release(&s->json);
            return tk_err_nomem(err, "a value");
        }
        s->ready = true;
    }
    s->json.n = 0;
    return TK_OK;
}

static int write_json(struct tk_sql_scratch *s, const struct tk_cell *cell, struct tk_err *err)
{
    int rc = begin_scratch(s, err);
    if (rc < 0)
        return rc;
    tk_json_value(&s->json, &s->clean, cell, TK_UNIT_NS);
    if (s->json.status < 0)
        return tk_err_set(err, s->json.status, "a value cannot be written as JSON");
    return TK_OK;
}

static bool is_beyond(const struct tk_cell *cell)
{
    return (cell->kind == TK_UINT || cell->kind == TK_SIZE) && cell->v.u > INT64_MAX;
}

static bool is_text(const struct tk_cell *cell)
{
    const struct tk_str s = {.p = cell->v.p, .n = cell->n, .enc = cell->enc};
    return tk_text_is_utf8(&s);
}

static int intern(struct tk_sql_value *out, struct tk_sql_connection *c, const void *p, size_t n, bool text,
                  struct tk_err *err)
{
    out->type = text ? TK_SQL_TEXT : TK_SQL_BLOB;
    out->v.s = tk_intern(&c->texts, n ? p : "", n, text ? TK_ENC_UTF8 : TK_ENC_BYTES);
    if (out->v.s)
        return TK_OK;
    if (c->texts.full)
        return tk_err_set(err, TK_ELIMIT, "the texts of the query are more than the limit of memory for it");
    return tk_err_nomem(err, "a text");
}

int tk_sql_value_of(struct tk_sql_value *out, struct tk_sql_connection *c, const struct tk_cell *cell,
                    struct tk_sql_scratch *scratch, struct tk_err *err)
{
    char digits[20];
    int rc;
    *out = (struct tk_sql_value){0};
    switch (cell->kind) {
    case TK_NONE:
        return TK_OK;
    case TK_REAL32:
    case TK_REAL:
    case TK_MEAN:
        if (cell->v.r == cell->v.r) /* NaN is NULL in SQLite */
            *out = (struct tk_sql_value){.type = TK_SQL_REAL, .v.r = cell->v.r};
        return TK_OK;
    case TK_TEXT:
        return intern(out, c, cell->v.p, cell->n, is_text(cell), err);
    case TK_BYTES:
        return intern(out, c, cell->v.p, cell->n, false, err);
    case TK_ARRAY:
    case TK_LIST:
    case TK_RECORD:
        rc = write_json(scratch, cell, err);
        return rc < 0 ? rc : intern(out, c, scratch->json.p, scratch->json.n, true, err);
    default:
        if (is_beyond(cell))
            return intern(out, c, digits, tk_put_u64(digits, cell->v.u), true, err);
        *out = (struct tk_sql_value){.type = TK_SQL_INT, .v.i = cell->v.i};
        return TK_OK;
    }
}

int tk_sql_value_answer(sqlite3_context *to, const struct tk_cell *cell, struct tk_sql_scratch *scratch,
                        struct tk_err *err)
{
    char digits[20];
    int rc = TK_OK;
    switch (cell->kind) {
    case TK_NONE:
        sqlite3_result_null(to);
        break;
    case TK_REAL32:
    case TK_REAL:
    case TK_MEAN:
        sqlite3_result_double(to, cell->v.r);
        break;
    case TK_TEXT:
        if (is_text(cell))
            sqlite3_result_text(to, cell->n ? cell->v.p : "", (int)cell->n, SQLITE_TRANSIENT);
        else
            sqlite3_result_blob(to, cell->v.p, (int)cell->n, SQLITE_TRANSIENT);
        break;
    case TK_BYTES:
        sqlite3_result_blob(to, cell->n ? cell->v.p : "", (int)cell->n, SQLITE_TRANSIENT);
        break;
    case TK_ARRAY:
    case TK_LIST:
    case TK_RECORD:
        rc = write_json(scratch, cell, err);
        if (rc == TK_OK)
            sqlite3_result_text(to, scratch->json.p, (int)scratch->json.n, SQLITE_TRANSIENT);
        break;
    default:
        if (is_beyond(cell))
            sqlite3_result_text(to, digits, (int)tk_put_u64(digits, cell->v.u), SQLITE_TRANSIENT);
        else
            sqlite3_result_int64(to, cell->v.i);
    }
    return rc;
}

void tk_sql_value_put(sqlite3_context *to, const struct tk_sql_value *value)
{
    switch (value->type) {
    case TK_SQL_INT:
        sqlite3_result_int64(to, value->v.i);
        break;
    case TK_SQL_REAL:
        sqlite3_result_double(to, value->v.r);
        break;
    case TK_SQL_TEXT:
        sqlite3_result_text(to, value->v.s->n ? value->v.s->p : "", (int)value->v.s->n, SQLITE_STATIC);
        break;
    case TK_SQL_BLOB:
        sqlite3_result_blob(to, value->v.s->n ? value->v.s->p : "", (int)value->v.s->n, SQLITE_STATIC);
        break;
    default:
        sqlite3_result_null(to);
    }
}

/* ---- order ---- */

static int order_of_type(uint8_t type)
{
    static const int orders[] = {
        [TK_SQL_NULL] = 0, [TK_SQL_INT] = 1, [TK_SQL_REAL] = 1, [TK_SQL_TEXT] = 2, [TK_SQL_BLOB] = 3};
    return orders[type];
}

/* An integer against a real, exactly. */
static int order_mixed(int64_t i, double r)
{
    if (r >= 9223372036854775808.0)
        return -1;
    if (r < -9223372036854775808.0)
        return 1;
    const int64_t whole = (int64_t)r;
    if (i != whole)
        return i < whole ? -1 : 1;
    const double rest = r - (double)whole;
    return rest > 0 ? -1 : rest < 0;
}

static int order_numbers(const struct tk_sql_value *a, const struct tk_sql_value *b)
{
    if (a->type == TK_SQL_INT && b->type == TK_SQL_INT)
        return a->v.i < b->v.i ? -1 : a->v.i > b->v.i;
    if (a->type == TK_SQL_REAL && b->type == TK_SQL_REAL)
        return a->v.r < b->v.r ? -1 : a->v.r > b->v.r;
    return a->type == TK_SQL_INT ? order_mixed(a->v.i, b->v.r) : -order_mixed(b->v.i, a->v.r);
}

static int order_bytes(const struct tk_str *a, const struct tk_str *b)
{
    const size_t n = a->n < b->n ? a->n : b->n;
    const int order = n ? memcmp(a->p, b->p, n) : 0;
    return order ? order : a->n < b->n ? -1 : a->n > b->n;
}

int tk_sql_value_order(const struct tk_sql_value *a, const struct tk_sql_value *b)
{
    const int x = order_of_type(a->type), y = order_of_type(b->type);
    if (x != y)
        return x < y ? -1 : 1;
    return x == 0 ? 0 : x == 1 ? order_numbers(a, b) : a->v.s == b->v.s ? 0 : order_bytes(a->v.s, b->v.s);
}
