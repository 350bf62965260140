/*
 * The keys of the metadata, tracekit.*, and their values. See said.h.
 */
#include "sink/columns/said.h"

#include "sink/columns/column.h"
#include "sink/write/json_text.h"

static void put_member(struct tk_buffer *b, const char *key, const char *value)
{
    tk_buffer_text(b, key);
    tk_json_string(b, value, strlen(value));
}

/* A list of objects, one a column. */
static void put_columns(struct tk_buffer *b, const struct tk_table *table)
{
    tk_buffer_char(b, '[');
    for (uint32_t i = 0; i < table->n_columns; i++) {
        const struct tk_column *c = &table->columns[i];
        put_member(b, i ? ",{\"name\":" : "{\"name\":", c->name);
        put_member(b, ",\"kind\":", tk_column_kind_name(c->kind));
        put_member(b, ",\"unit\":", tk_column_unit_name(c, table->unit));
        put_member(b, ",\"help\":", c->help ? c->help : "");
        tk_buffer_char(b, '}');
    }
    tk_buffer_char(b, ']');
}

/* How many cells of which column could not be held; {} where all could. */
static void put_lost(struct tk_buffer *b, const struct tk_table *table, const struct tk_group_column *columns)
{
    bool any = false;
    tk_buffer_char(b, '{');
    for (uint32_t i = 0; columns && i < table->n_columns; i++) {
        if (columns[i].lost == 0)
            continue;
        if (any)
            tk_buffer_char(b, ',');
        tk_json_string(b, table->columns[i].name, strlen(table->columns[i].name));
        tk_buffer_char(b, ':');
        tk_buffer_u64(b, columns[i].lost);
        any = true;
    }
    tk_buffer_char(b, '}');
}

static void add(struct tk_said *s, const char *key, const char *value, size_t n)
{
    s->pairs[s->n].key = key;
    s->pairs[s->n].value = value;
    s->pairs[s->n++].n = n;
}

int tk_said_init(struct tk_said *s, const struct tk_table *table, const struct tk_group_column *columns,
                 const char *source, struct tk_buffer *to)
{
    *s = (struct tk_said){.n = 0};
    if (tk_buffer_init_scratch(&s->text, to))
        return TK_ENOMEM;
    put_columns(&s->text, table);
    const size_t end = s->text.n;
    put_lost(&s->text, table, columns);
    const size_t lost = s->text.n;
    tk_buffer_u64(&s->text, table->schema ? table->schema : 1);
    if (s->text.status < 0)
        return s->text.status;
    add(s, "tracekit.version", TK_VERSION, strlen(TK_VERSION));
    add(s, "tracekit.table", table->name, strlen(table->name));
    add(s, "tracekit.schema", s->text.p + lost, s->text.n - lost);
    add(s, "tracekit.unit", table->unit == TK_UNIT_CYCLES ? "cycles" : "ns",
        table->unit == TK_UNIT_CYCLES ? 6 : 2);
    if (source)
        add(s, "tracekit.capture", source, strlen(source));
    add(s, "tracekit.columns", s->text.p, end);
    if (lost > end + 2)
        add(s, "tracekit.lost", s->text.p + end, lost - end);
    return TK_OK;
}

void tk_said_release(struct tk_said *s)
{
    tk_buffer_release(&s->text);
}
