/*
 * JSON: one object whose members are the tables, each a list of objects, one row a line; a single table is an
 * object. NDJSON: one object per row and line; with `tagged` each begins with "table", the name of its table.
 *
 *   {
 *   "timers":[
 *   {"timer":"Tick","count":12},
 *   {"timer":"Draw","count":3}],
 *   "session":{"Platform":"Linux"}
 *   }
 */
#include "base/err.h"
#include "base/vec.h"
#include "sink/tables/tables_in.h"
#include "sink/tables/writer.h"
#include "sink/write/value.h"

#include <stdlib.h>
#include <string.h>

/*
 * Recognises tables of one row and walks them as names and values. The formats `json`, `markdown` and `table`
 * ask it for each table.
 */

bool tk_name_value_is(const struct tk_table *table)
{
    return table->flags & TK_TABLE_SINGLE;
}

bool tk_name_value_is_record(const struct tk_table *table)
{
    return tk_name_value_is(table) && table->n_columns == 1 && table->columns[0].kind == TK_RECORD;
}

uint32_t tk_name_value_count(const struct tk_table *table, const struct tk_cell *row)
{
    if (!tk_name_value_is_record(table))
        return table->n_columns;
    return row->kind == TK_RECORD ? ((const struct tk_record *)row->v.p)->type->n_fields : 0;
}

void tk_name_value_item(const struct tk_table *table, const struct tk_cell *row, uint32_t i,
                        struct tk_str *name, struct tk_cell *value)
{
    if (tk_name_value_is_record(table)) {
        const struct tk_record *rec = row->v.p;
        *name = rec->type->fields[i];
        *value = (struct tk_cell){.kind = TK_NONE};
        rec->type->value(rec, i, value);
    } else {
        const char *column = table->columns[i].name;
        *name = (struct tk_str){.p = column, .n = (uint32_t)strlen(column)};
        *value = row[i];
    }
}

bool tk_name_value_least(const struct tk_table *table, uint32_t i)
{
    return !tk_name_value_is_record(table) && (table->columns[i].flags & TK_COL_LOWER_BOUND);
}

struct json_state {
    struct tk_json writer; /* of the format json */
    struct tk_buffer keys; /* the columns' names, escaped, each with what stands before and behind it */
    TK_VEC(size_t) ends;   /* where the key of a column ends in keys */
    size_t head;           /* bytes of keys in front of the first of them */
    bool tagged;           /* these have a member */
    uint64_t rows;         /* of the table */
};

static void state_open(struct tk_writer *w)
{
    struct json_state *s = w->state;
    s->writer = tk_json_into(&w->out);
    tk_buffer_init_scratch(&s->keys, &w->out);
}

static void state_release(struct tk_writer *w)
{
    struct json_state *s = w->state;
    tk_buffer_release(&s->keys);
    tk_vec_release(&s->ends);
}

/* What stands in front of each cell of a row, made once, so that a row only copies it. brace: a row is an
 * object; tag: its first member is the name of the table. */
static void prepare_keys(struct tk_writer *w, const struct tk_table *table, bool brace, bool tag)
{
    struct json_state *s = w->state;
    struct tk_json j = tk_json_into(&s->keys);
    s->rows = 0;
    s->keys.n = s->ends.n = 0;
    tk_json_open(&j, NULL, '{');
    if (!brace)
        s->keys.n = 0;
    if (tag)
        tk_json_c(&j, "table", table->name);
    s->head = s->keys.n;
    s->tagged = tag;
    for (uint32_t i = 0; i < table->n_columns; i++) {
        tk_json_member(&j, table->columns[i].name);
        if (tk_vec_push(&s->ends, s->keys.n))
            tk_buffer_fail(&w->out, tk_err_nomem(w->out.err, "the names of columns"));
    }
}

/* A row without the brace behind it. */
static void put_row(struct tk_writer *w, const struct tk_table *table, const struct tk_cell *cells)
{
    struct json_state *s = w->state;
    size_t from = 0;
    if (w->out.status < 0)
        return;
    if (tk_name_value_is_record(table)) {
        tk_buffer_put(&w->out, s->keys.p, s->head);
        if (cells->kind == TK_RECORD)
            tk_json_members(&w->out, &w->clean, cells->v.p, table->unit, !s->tagged);
        return;
    }
    for (uint32_t i = 0; i < table->n_columns; i++) {
        tk_buffer_put(&w->out, s->keys.p + from, s->ends.v[i] - from);
        from = s->ends.v[i];
        tk_json_value(&w->out, &w->clean, &cells[i], table->unit);
    }
}

static void json_begin(struct tk_writer *w, const struct tk_table *table)
{
    struct json_state *s = w->state;
    prepare_keys(w, table, !tk_name_value_is(table), false);
    if (!w->tables)
        tk_json_open(&s->writer, NULL, '{');
    tk_json_line(&s->writer);
    tk_json_open(&s->writer, table->name, tk_name_value_is(table) ? '{' : '[');
}

static void json_rows(struct tk_writer *w, const struct tk_table *table, const struct tk_rows *rows)
{
    struct json_state *s = w->state;
    if (tk_name_value_is(table) && s->rows + rows->n > 1) {
        tk_buffer_fail(&w->out, tk_err_set(w->out.err, TK_EUSAGE,
                                           "the single table '%s' has more than one row", table->name));
        return;
    }
    for (size_t i = 0; i < rows->n; i++, s->rows++) {
        if (!tk_name_value_is(table))
            tk_buffer_text(&w->out, s->rows ? ",\n" : "\n");
        put_row(w, table, rows->cells + i * table->n_columns);
        if (!tk_name_value_is(table))
            tk_buffer_char(&w->out, '}');
    }
}

static void json_end(struct tk_writer *w, const struct tk_table *table)
{
    struct json_state *s = w->state;
    (void)table;
    tk_json_close(&s->writer);
}

static void json_finish(struct tk_writer *w)
{
    struct json_state *s = w->state;
    if (w->tables)
        tk_json_line(&s->writer);
    else
        tk_json_open(&s->writer, NULL, '{');
    tk_json_close(&s->writer);
    tk_buffer_char(&w->out, '\n');
}

static void ndjson_begin(struct tk_writer *w, const struct tk_table *table)
{
    prepare_keys(w, table, true, w->opt.tagged);
}

static void ndjson_rows(struct tk_writer *w, const struct tk_table *table, const struct tk_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        put_row(w, table, rows->cells + i * table->n_columns);
        tk_buffer_text(&w->out, "}\n");
    }
}

const struct tk_writer_format tk_json_format = {.name = "json",
                                                .state_size = sizeof(struct json_state),
                                                .open = state_open,
                                                .begin = json_begin,
                                                .rows = json_rows,
                                                .end = json_end,
                                                .finish = json_finish,
                                                .release = state_release};

const struct tk_writer_format tk_ndjson_format = {.name = "ndjson",
                                                  .state_size = sizeof(struct json_state),
                                                  .apart = true,
                                                  .open = state_open,
                                                  .begin = ndjson_begin,
                                                  .rows = ndjson_rows,
                                                  .release = state_release};
