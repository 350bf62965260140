/*
 * Writes the fields of records as rows of `record_args`. sqlite_table.c calls it for each cell that is a
 * record.
 */
#include "sink/sqlite/sqlite_args.h"

#include "sink/write/json_text.h"
#include "sink/write/safe_text.h"
#include "table/cell.h"

#include <string.h>

/* Sets of timers are numbered from 0 by capture, 2^32 each (schemas/views.sql). */
#define FIRST_SET   (INT64_C(1) << 62)
#define CAPTURE_BIT 40

int tk_sqlite_args_open(struct tk_sqlite_args *a, const struct tk_sqlite_target *to,
                        struct tk_sqlite_texts *texts, int64_t capture)
{
    a->texts = texts;
    a->last = FIRST_SET + (capture << CAPTURE_BIT);
    if (tk_buffer_init(&a->json, NULL, NULL) || tk_buffer_init_scratch(&a->clean, &a->json) ||
        tk_sqlite_record_open(&a->record))
        return SQLITE_NOMEM;
    return tk_sqlite_rows_open(&a->rows, to, "record_args",
                               "arg_set_id,key_ref,int_value,string_value,real_value,value_type", 6);
}

/* The first failure stays. */
static void note(struct tk_sqlite_args *a, int rc)
{
    if (rc != SQLITE_OK && !a->failed)
        a->failed = rc;
}

/* ---- a value: it is in the column of its type, of the three that there are ---- */

static void put_args_int(struct tk_sqlite_args *a, int64_t v)
{
    tk_sqlite_record_int(&a->record, v);
    tk_sqlite_record_null(&a->record);
    tk_sqlite_record_null(&a->record);
}

static void put_args_bytes(struct tk_sqlite_args *a, const void *p, size_t n, bool text)
{
    tk_sqlite_record_null(&a->record);
    tk_sqlite_record_bytes(&a->record, p, n, text);
    tk_sqlite_record_null(&a->record);
}

static void put_args_real(struct tk_sqlite_args *a, double v)
{
    tk_sqlite_record_null(&a->record);
    tk_sqlite_record_null(&a->record);
    tk_sqlite_record_real(&a->record, v, TK_SQLITE_REAL);
}

static void put_args_nothing(struct tk_sqlite_args *a)
{
    for (unsigned i = 0; i < 3; i++)
        tk_sqlite_record_null(&a->record);
}

/* Everything that is neither a number nor a text is JSON. */
static const char *put_args_json(struct tk_sqlite_args *a, const struct tk_cell *c)
{
    a->json.n = 0;
    tk_json_value(&a->json, &a->clean, c, TK_UNIT_NS);
    note(a, a->json.status < 0 ? SQLITE_NOMEM : SQLITE_OK);
    put_args_bytes(a, a->json.p, a->json.n, true);
    return "json";
}

/* Returns the name of the type. */
static const char *put_args_value(struct tk_sqlite_args *a, const struct tk_cell *c)
{
    static const char *const integers[] = {
        [TK_BOOL] = "bool", [TK_INT] = "int",      [TK_UINT] = "uint", [TK_HEX] = "pointer",
        [TK_TIME] = "int",  [TK_DURATION] = "int", [TK_SIZE] = "uint", [TK_RECORD] = NULL};
    if (c->kind == TK_NONE) {
        put_args_nothing(a);
        return "null";
    }
    if (c->kind == TK_TEXT) {
        const struct tk_str s = tk_cell_text(c);
        put_args_bytes(a, s.p, s.n, tk_text_is_utf8(&s));
        return "string";
    }
    if (c->kind == TK_REAL || c->kind == TK_REAL32 || c->kind == TK_MEAN) {
        put_args_real(a, c->v.r);
        return "real";
    }
    if (c->kind > TK_RECORD || !integers[c->kind])
        return put_args_json(a, c);
    put_args_int(a, c->v.i);
    return integers[c->kind];
}

static void add_sqlite_args(struct tk_sqlite_args *a, const struct tk_str *key, const struct tk_cell *value)
{
    const struct tk_cell text = tk_cell_of_text(key);
    tk_sqlite_record_clear(&a->record);
    tk_sqlite_record_int(&a->record, a->last);
    tk_sqlite_record_int(&a->record, tk_sqlite_texts_number(a->texts, &text));
    const char *type = put_args_value(a, value);
    tk_sqlite_record_bytes(&a->record, type, strlen(type), true);
    note(a, tk_sqlite_rows_add(&a->rows, &a->record, 0));
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

int tk_sqlite_args_finish(struct tk_sqlite_args *a)
{
    return a->failed ? a->failed : tk_sqlite_rows_finish(&a->rows);
}

void tk_sqlite_args_release(struct tk_sqlite_args *a)
{
    tk_sqlite_rows_release(&a->rows);
    tk_sqlite_record_release(&a->record);
    tk_buffer_release(&a->json);
    tk_buffer_release(&a->clean);
}
