/*
 * Hands the rows of a table to its tree or to statements, of which one takes many rows at a time.
 */
#include "sink/sqlite/sqlite_in.h"
#include "sink/write/value.h"
#include "table/cell.h"

#include <stdbool.h>
#include <string.h>

/*
 * Stores each text once in the table `string` and returns its number. sqlite_table.c and sqlite_args.c call
 * it for each text.
 */

#define KNOWN_BYTES (UINT64_C(32) << 20)

int tk_sqlite_texts_open(struct tk_sqlite_texts *t, const struct tk_sqlite_target *to)
{
    sqlite3_stmt *stmt;
    int rc = sqlite3_prepare_v2(to->db, "SELECT coalesce(max(id), 0) + 1 FROM string", -1, &stmt, NULL);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_step(stmt);
    t->first = sqlite3_column_int64(stmt, 0);
    if ((rc = sqlite3_finalize(stmt)) != SQLITE_OK)
        return rc;
    t->known.limit = KNOWN_BYTES;
    if (tk_sqlite_record_open(&t->record))
        return SQLITE_NOMEM;
    return tk_sqlite_rows_open(&t->rows, to, "string", "id,text", 2);
}

static int64_t store(struct tk_sqlite_texts *t, const struct tk_cell *c)
{
    const struct tk_str s = {.p = c->v.p, .n = c->n, .enc = c->enc};
    const int64_t number = t->first + t->count++;
    tk_sqlite_record_clear(&t->record);
    tk_sqlite_record_null(&t->record); /* the id is the next one */
    tk_sqlite_record_bytes(&t->record, s.p, s.n, tk_text_is_utf8(&s));
    int rc = tk_sqlite_rows_add(&t->rows, &t->record, 0);
    if (rc != SQLITE_OK && !t->failed)
        t->failed = rc;
    return number;
}

/* The number of a text that is not in its slot. *text: where it is kept, or NULL. */
static int64_t look_up(struct tk_sqlite_texts *t, const struct tk_cell *c, const struct tk_str **text)
{
    *text = tk_intern(&t->known, c->v.p, c->n, (enum tk_encoding)c->enc);
    if (!*text) {
        if (!t->known.full && !t->failed)
            t->failed = SQLITE_NOMEM;
        return store(t, c);
    }
    const uint64_t key = (uint64_t)(uintptr_t)*text;
    uint32_t found = tk_map_get(&t->numbers, key);
    if (found != TK_MAP_NONE)
        return t->first + found;
    const int64_t number = store(t, c);
    if (tk_map_put(&t->numbers, key, (uint32_t)(number - t->first)) && !t->failed)
        t->failed = SQLITE_NOMEM;
    return number;
}

int64_t tk_sqlite_texts_number(struct tk_sqlite_texts *t, const struct tk_cell *c)
{
    const uintptr_t at = (uintptr_t)c->v.p;
    struct tk_sqlite_slot *slot = &t->slots[(at >> 4 ^ at >> 16) % TK_SQLITE_SLOTS];
    if (slot->text && slot->at == c->v.p && slot->text->n == c->n && slot->text->enc == c->enc &&
        memcmp(slot->text->p, c->v.p, c->n) == 0)
        return slot->number;
    slot->number = look_up(t, c, &slot->text);
    slot->at = c->v.p;
    return slot->number;
}

int tk_sqlite_texts_finish(struct tk_sqlite_texts *t)
{
    return t->failed ? t->failed : tk_sqlite_rows_finish(&t->rows);
}

void tk_sqlite_texts_release(struct tk_sqlite_texts *t)
{
    tk_sqlite_rows_release(&t->rows);
    tk_sqlite_record_release(&t->record);
    tk_map_release(&t->numbers);
    tk_intern_release(&t->known);
}

/*
 * Writes the fields of records as rows of `record_args`. sqlite_table.c calls it for each cell that is a
 * record.
 */

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

enum { ROWS_AT_ONCE = 50 };

/* The page that SQLite has made for the table. */
static int find_root(sqlite3 *db, const char *table, uint32_t *root)
{
    static const char sql[] = "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?";
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    *root = rc == SQLITE_ROW ? (uint32_t)sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    return rc == SQLITE_ROW ? SQLITE_OK : rc == SQLITE_DONE ? SQLITE_INTERNAL : rc;
}

static int prepare_insertion(sqlite3 *db, const char *table, const char *columns, unsigned n_columns,
                             unsigned rows, sqlite3_stmt **out)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    sqlite3_str_appendf(sql, "INSERT INTO \"%w\"(%s)VALUES", table, columns);
    for (unsigned r = 0; r < rows; r++)
        for (unsigned i = 0; i < n_columns; i++)
            sqlite3_str_appendall(sql, i ? ",?" : r ? "),(?" : "(?");
    sqlite3_str_appendchar(sql, 1, ')');
    char *text = sqlite3_str_finish(sql);
    const int rc = text ? sqlite3_prepare_v2(db, text, -1, out, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return rc;
}

int tk_sqlite_rows_open(struct tk_sqlite_rows *r, const struct tk_sqlite_target *to, const char *table,
                        const char *columns, unsigned n_columns)
{
    *r = (struct tk_sqlite_rows){0};
    int rc;
    if (to->pages) {
        uint32_t root;
        rc = find_root(to->db, table, &root);
        tk_sqlite_tree_open(&r->tree, to->pages, root);
        return rc;
    }
    rc = prepare_insertion(to->db, table, columns, n_columns, 1, &r->one);
    return rc == SQLITE_OK ? prepare_insertion(to->db, table, columns, n_columns, ROWS_AT_ONCE, &r->many)
                           : rc;
}

static int insert_record(struct tk_sqlite_rows *r, const struct tk_sqlite_record *record, size_t more)
{
    if (!r->bound) {
        r->filling = more + 1 >= ROWS_AT_ONCE ? r->many : r->one;
        r->at = 1;
    }
    int rc = tk_sqlite_record_bind(record, r->filling, &r->at);
    if (rc == SQLITE_OK && r->filling == r->many && ++r->bound < ROWS_AT_ONCE)
        return rc;
    if (rc == SQLITE_OK)
        rc = sqlite3_step(r->filling);
    sqlite3_reset(r->filling);
    r->bound = 0;
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int tk_sqlite_rows_add(struct tk_sqlite_rows *r, const struct tk_sqlite_record *record, size_t more)
{
    const int rc = tk_sqlite_record_check(record);
    if (rc != SQLITE_OK)
        return rc;
    if (!r->tree.pages)
        return r->one ? insert_record(r, record, more) : SQLITE_MISUSE;
    return tk_sqlite_tree_add(&r->tree, ++r->last, record);
}

int tk_sqlite_rows_finish(struct tk_sqlite_rows *r)
{
    return tk_sqlite_tree_finish(&r->tree);
}

void tk_sqlite_rows_release(struct tk_sqlite_rows *r)
{
    tk_sqlite_tree_release(&r->tree);
    sqlite3_finalize(r->many);
    sqlite3_finalize(r->one);
    *r = (struct tk_sqlite_rows){0};
}
