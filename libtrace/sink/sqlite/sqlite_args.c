/*
 * Writes the fields of records as rows of `record_args`. sqlite_table.c calls it for each cell that is a
 * record.
 */
#include "sink/sqlite/sqlite_args.h"

#include "sink/encode/json_text.h"
#include "sink/encode/safe_text.h"
#include "table/cell.h"

enum { SET = 1, KEY, INT, STRING, REAL, TYPE };

/* Sets of timers are numbered from 0 by capture, 2^32 each (schemas/views.sql). */
#define FIRST_SET   (INT64_C(1) << 62)
#define CAPTURE_BIT 40

int tk_sqlite_args_open(struct tk_sqlite_args *a, sqlite3 *db, struct tk_sqlite_texts *texts, int64_t capture)
{
    a->texts = texts;
    a->last = FIRST_SET + (capture << CAPTURE_BIT);
    if (tk_buffer_init(&a->json, NULL, NULL) || tk_buffer_init_scratch(&a->clean, &a->json))
        return SQLITE_NOMEM;
    return sqlite3_prepare_v2(db, "INSERT INTO record_args VALUES(?,?,?,?,?,?)", -1, &a->insert, NULL);
}

/* The first failure stays. */
static void note(struct tk_sqlite_args *a, int rc)
{
    if (rc != SQLITE_OK && rc != SQLITE_DONE && !a->failed)
        a->failed = rc;
}

/* Everything that is neither a number nor a text is JSON. */
static const char *bind_json(struct tk_sqlite_args *a, const struct tk_cell *c)
{
    a->json.n = 0;
    tk_json_value(&a->json, &a->clean, c, TK_UNIT_NS);
    note(a, a->json.status < 0 ? SQLITE_NOMEM : SQLITE_OK);
    note(a, sqlite3_bind_text(a->insert, STRING, a->json.p, (int)a->json.n, SQLITE_TRANSIENT));
    return "json";
}

static const char *bind_text(struct tk_sqlite_args *a, const struct tk_cell *c)
{
    const struct tk_str s = {.p = c->v.p, .n = c->n, .enc = c->enc};
    if (tk_text_is_utf8(&s))
        note(a, sqlite3_bind_text(a->insert, STRING, s.n ? s.p : "", (int)s.n, SQLITE_TRANSIENT));
    else
        note(a, sqlite3_bind_blob(a->insert, STRING, s.p, (int)s.n, SQLITE_TRANSIENT));
    return "string";
}

/* Binds a value to the column of its type; the name of that. */
static const char *bind_value(struct tk_sqlite_args *a, const struct tk_cell *c)
{
    static const char *const integers[] = {
        [TK_BOOL] = "bool", [TK_INT] = "int",      [TK_UINT] = "uint", [TK_HEX] = "pointer",
        [TK_TIME] = "int",  [TK_DURATION] = "int", [TK_SIZE] = "uint", [TK_RECORD] = NULL};
    if (c->kind == TK_NONE)
        return "null";
    if (c->kind == TK_TEXT)
        return bind_text(a, c);
    if (c->kind == TK_REAL || c->kind == TK_REAL32 || c->kind == TK_MEAN) {
        sqlite3_bind_double(a->insert, REAL, c->v.r);
        return "real";
    }
    if (c->kind > TK_RECORD || !integers[c->kind])
        return bind_json(a, c);
    sqlite3_bind_int64(a->insert, INT, c->v.i);
    return integers[c->kind];
}

static void add_sqlite_args(struct tk_sqlite_args *a, const struct tk_str *key, const struct tk_cell *value)
{
    const struct tk_cell text = tk_cell_of_text(key);
    sqlite3_bind_int64(a->insert, SET, a->last);
    sqlite3_bind_int64(a->insert, KEY, tk_sqlite_texts_number(a->texts, &text));
    sqlite3_bind_text(a->insert, TYPE, bind_value(a, value), -1, SQLITE_STATIC);
    note(a, sqlite3_step(a->insert));
    sqlite3_reset(a->insert);
    sqlite3_clear_bindings(a->insert);
}

int64_t tk_sqlite_args_add(struct tk_sqlite_args *a, const struct tk_record *record)
{
    a->last++;
    for (uint32_t i = 0; i < record->type->n_fields; i++) {
        struct tk_cell value = {.kind = TK_NONE};
        record->type->value(record, i, &value);
        add_sqlite_args(a, &record->type->fields[i], &value);
    }
    return a->last;
}

void tk_sqlite_args_release(struct tk_sqlite_args *a)
{
    sqlite3_finalize(a->insert);
    a->insert = NULL;
    tk_buffer_release(&a->json);
    tk_buffer_release(&a->clean);
}
