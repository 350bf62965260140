/*
 * Adds rows to a table of the database: the conversion of cells. sqlite.c calls it for each batch of rows.
 */
#include "sink/sqlite/sqlite_in.h"
#include "sink/write/value.h"

#include <stdlib.h>
#include <string.h>

int tk_sqlite_capture_open(struct tk_sqlite_capture *c, const struct tk_sqlite_target *to)
{
    c->db = to->db;
    c->pages = to->pages;
    int rc = tk_sqlite_texts_open(&c->texts, to);
    if (rc == SQLITE_OK)
        rc = tk_sqlite_args_open(&c->args, to, &c->texts, c->id);
    if (rc == SQLITE_OK && tk_sqlite_record_open(&c->record))
        rc = SQLITE_NOMEM;
    if (rc == SQLITE_OK && (tk_buffer_init(&c->sql, NULL, NULL) || tk_buffer_init(&c->scratch, NULL, NULL)))
        rc = SQLITE_NOMEM;
    return rc;
}

int tk_sqlite_capture_finish(struct tk_sqlite_capture *c)
{
    const int rc = tk_sqlite_args_finish(&c->args);
    return rc == SQLITE_OK ? tk_sqlite_texts_finish(&c->texts) : rc;
}

void tk_sqlite_capture_release(struct tk_sqlite_capture *c)
{
    tk_sqlite_args_release(&c->args);
    tk_sqlite_texts_release(&c->texts);
    tk_sqlite_record_release(&c->record);
    tk_buffer_release(&c->sql);
    tk_buffer_release(&c->scratch);
}

/* ---- columns ---- */

/* What `scopes` would say again for every scope. */
static bool is_left_out(const struct tk_table *table, const char *column)
{
    static const char *const names[] = {"thread", "role", "process_id", "process", "kind", "file", "line"};
    for (size_t i = 0; strcmp(table->name, "scopes") == 0 && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], column) == 0)
            return true;
    return false;
}

/* SQLite does itself what is to be done with values that are inserted. */
static struct tk_sqlite_column lay_out_column(const struct tk_table *table, uint32_t i, bool inserted)
{
    const uint8_t kind = table->columns[i].kind;
    return (struct tk_sqlite_column){.from = i,
                                     .affinity = inserted ? TK_SQLITE_AS_IS : tk_sqlite_schema_affinity(kind),
                                     .text = kind == TK_TEXT};
}

static int lay_out_sqlite_table(struct tk_sqlite_table *t, const struct tk_table *table, bool whole,
                                bool inserted)
{
    *t = (struct tk_sqlite_table){.table = table,
                                  .columns = calloc(table->n_columns + 1u, sizeof *t->columns),
                                  .record = TK_SQLITE_NO_RECORD};
    if (!t->columns)
        return SQLITE_NOMEM;
    for (uint32_t i = 0; i < table->n_columns; i++) {
        if (whole || !is_left_out(table, table->columns[i].name))
            t->columns[t->n++] = lay_out_column(table, i, inserted);
        if (table->columns[i].kind == TK_RECORD && t->record == TK_SQLITE_NO_RECORD)
            t->record = i;
    }
    return SQLITE_OK;
}

int tk_sqlite_table_create(struct tk_sqlite_capture *c, const struct tk_table *table)
{
    struct tk_sqlite_table t;
    int rc = lay_out_sqlite_table(&t, table, false, !c->pages);
    if (rc == SQLITE_OK)
        rc = tk_sqlite_schema_fit(c, &t, false);
    free(t.columns);
    return rc;
}

static int open_sqlite_rows(struct tk_sqlite_table *t, struct tk_sqlite_capture *c)
{
    const struct tk_sqlite_target to = {c->db, c->pages};
    struct tk_buffer name;
    if (tk_buffer_init_scratch(&name, &c->sql))
        return SQLITE_NOMEM;
    tk_buffer_char(&name, '_');
    tk_buffer_put(&name, t->table->name, strlen(t->table->name) + 1);
    c->sql.n = 0;
    tk_buffer_text(&c->sql, "capture_id");
    tk_sqlite_schema_columns(c, t, false);
    tk_buffer_char(&c->sql, '\0');
    const unsigned n = t->n + (t->record == TK_SQLITE_NO_RECORD ? 1 : 2);
    int rc = c->sql.status < 0 ? SQLITE_NOMEM : tk_sqlite_rows_open(&t->rows, &to, name.p, c->sql.p, n);
    tk_buffer_release(&name);
    return rc;
}

int tk_sqlite_table_open(struct tk_sqlite_table *t, struct tk_sqlite_capture *c, const struct tk_table *table)
{
    int rc = lay_out_sqlite_table(t, table, c->requested, !c->pages);
    if (rc == SQLITE_OK)
        rc = tk_sqlite_schema_fit(c, t, true);
    return rc == SQLITE_OK ? open_sqlite_rows(t, c) : rc;
}

int tk_sqlite_table_finish(struct tk_sqlite_table *t)
{
    return tk_sqlite_rows_finish(&t->rows);
}

void tk_sqlite_table_release(struct tk_sqlite_table *t)
{
    tk_sqlite_rows_release(&t->rows);
    free(t->columns);
}

/* ---- rows ---- */

static void put_composed(struct tk_sqlite_capture *to, const struct tk_cell *c)
{
    struct tk_buffer clean;
    to->scratch.n = 0;
    if (tk_buffer_init_scratch(&clean, &to->scratch))
        return;
    tk_json_value(&to->scratch, &clean, c, TK_UNIT_NS);
    tk_buffer_release(&clean);
    tk_sqlite_record_bytes(&to->record, to->scratch.p, to->scratch.n, true);
}

/* Texts and bytes are in columns that keep them as they are. */
static void put_other(struct tk_sqlite_capture *to, const struct tk_cell *c, enum tk_sqlite_affinity affinity)
{
    switch (c->kind) {
    case TK_NONE:
        tk_sqlite_record_null(&to->record);
        break;
    case TK_REAL32:
    case TK_REAL:
    case TK_MEAN:
        tk_sqlite_record_real(&to->record, c->v.r, affinity);
        break;
    case TK_TEXT:
    case TK_BYTES:
        tk_sqlite_record_bytes(&to->record, c->v.p, c->n, c->kind == TK_TEXT);
        break;
    case TK_ARRAY:
    case TK_LIST:
    case TK_RECORD:
        put_composed(to, c);
        break;
    default:
        tk_sqlite_record_whole(&to->record, c->v.i, affinity);
    }
}

#define WHOLE_KINDS                                                                                          \
    (1u << TK_BOOL | 1u << TK_INT | 1u << TK_UINT | 1u << TK_HEX | 1u << TK_TIME | 1u << TK_DURATION |       \
     1u << TK_SIZE)

static void put_cell(struct tk_sqlite_capture *to, const struct tk_cell *c, struct tk_sqlite_column *of)
{
    if (1u << c->kind & WHOLE_KINDS && of->affinity != TK_SQLITE_REAL) {
        tk_sqlite_record_int(&to->record, c->v.i);
        of->beyond |= c->v.i < 0 && (c->kind == TK_UINT || c->kind == TK_SIZE);
    } else if (c->kind == TK_TEXT && of->text) {
        tk_sqlite_record_int(&to->record, tk_sqlite_texts_number(&to->texts, c));
    } else {
        put_other(to, c, of->affinity);
    }
}

/* The number of the arguments of a row. */
static void put_args(struct tk_sqlite_capture *to, const struct tk_cell *c)
{
    if (c->kind == TK_RECORD)
        tk_sqlite_record_int(&to->record, tk_sqlite_args_add(&to->args, c->v.p));
    else
        tk_sqlite_record_null(&to->record);
}

static int put_row(struct tk_sqlite_table *t, struct tk_sqlite_capture *to, const struct tk_cell *cells)
{
    tk_sqlite_record_clear(&to->record);
    tk_sqlite_record_int(&to->record, to->id);
    if (t->record != TK_SQLITE_NO_RECORD)
        put_args(to, &cells[t->record]);
    for (uint32_t i = 0; i < t->n; i++)
        put_cell(to, &cells[t->columns[i].from], &t->columns[i]);
    if (to->texts.failed || to->args.failed)
        return to->texts.failed ? to->texts.failed : to->args.failed;
    return to->scratch.status < 0 ? SQLITE_NOMEM : SQLITE_OK;
}

int tk_sqlite_table_add(struct tk_sqlite_table *t, struct tk_sqlite_capture *c, const struct tk_rows *batch)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; i < batch->n && rc == SQLITE_OK; i++) {
        rc = put_row(t, c, batch->cells + i * t->table->n_columns);
        if (rc == SQLITE_OK)
            rc = tk_sqlite_rows_add(&t->rows, &c->record, batch->n - i - 1);
    }
    return rc;
}
