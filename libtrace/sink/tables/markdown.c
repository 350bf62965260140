/*
 * Markdown: a heading and a pipe table for each table, values as people read them. What Markdown would obey
 * in a name is escaped.
 */
#include "sink/tables/tables_in.h"
#include "sink/tables/writer.h"
#include "sink/write/human.h"
#include "sink/write/value.h"

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (uint8_t)c >= 0x80;
}

/* An underscore inside a word is itself; at its edge it begins emphasis. */
static bool is_markup(const struct tk_buffer *s, size_t at)
{
    char c = s->p[at];
    if (c == '_')
        return !(at > 0 && is_word(s->p[at - 1]) && at + 1 < s->n && is_word(s->p[at + 1]));
    return c && strchr("|\\`*[]<~&", c);
}

static bool begins(const struct tk_buffer *s, size_t at, const char *text)
{
    size_t n = strlen(text);
    return s->n - at >= n && memcmp(s->p + at, text, n) == 0;
}

/* Whoever shows it may make a link of @name, #123, www.name and of what has :// in it: is this the character
 * that an empty comment behind it keeps from that? */
static bool is_reference(const struct tk_buffer *s, size_t at)
{
    const char c = s->p[at];
    if (c == '@' || c == '#')
        return at + 1 < s->n && is_word(s->p[at + 1]);
    return c == ':' ? begins(s, at, "://") : (c == 'w' || c == 'W') && at + 1 < s->n && s->p[at + 1] == '.';
}

/* The content of w->scratch as a cell. */
static void put_escaped(struct tk_writer *w)
{
    const struct tk_buffer *s = &w->scratch;
    for (size_t i = 0; i < s->n; i++) {
        if (is_markup(s, i))
            tk_buffer_char(&w->out, '\\');
        tk_buffer_char(&w->out, s->p[i]);
        if (is_reference(s, i))
            tk_buffer_text(&w->out, "<!-- -->");
    }
}

static void put_name_markdown(struct tk_writer *w, struct tk_str name)
{
    w->scratch.n = 0;
    tk_safe_text(&w->scratch, name, w->opt.plain_ascii ? TK_SHOW_ASCII : 0);
    put_escaped(w);
}

static struct tk_human human_of(const struct tk_writer *w, const struct tk_table *table)
{
    return (struct tk_human){.unit = table->unit, .exact = w->opt.exact, .ascii = w->opt.plain_ascii};
}

static void put_cell_markdown(struct tk_writer *w, const struct tk_cell *c, const struct tk_human *human)
{
    w->scratch.n = 0;
    tk_human_cell(&w->scratch, c, human);
    put_escaped(w);
}

static struct tk_str text_of_markdown(const char *s)
{
    return (struct tk_str){.p = s, .n = (uint32_t)strlen(s)};
}

static void put_rule(struct tk_writer *w, const struct tk_table *table)
{
    tk_buffer_char(&w->out, '|');
    for (uint32_t i = 0; i < table->n_columns; i++)
        tk_buffer_text(&w->out, tk_human_right(table->columns[i].kind) ? " ---: |" : " --- |");
    tk_buffer_char(&w->out, '\n');
}

static void put_header(struct tk_writer *w, const struct tk_table *table)
{
    tk_buffer_char(&w->out, '|');
    for (uint32_t i = 0; i < table->n_columns; i++) {
        tk_buffer_char(&w->out, ' ');
        put_name_markdown(w, text_of_markdown(table->columns[i].name));
        tk_buffer_text(&w->out, " |");
    }
    tk_buffer_char(&w->out, '\n');
}

static void markdown_begin(struct tk_writer *w, const struct tk_table *table)
{
    const struct tk_human human = human_of(w, table);
    const char *unit = tk_human_times(table, &human);
    tk_buffer_text(&w->out, w->tables ? "\n### " : "### ");
    put_name_markdown(w, text_of_markdown(table->name));
    if (unit) {
        tk_buffer_text(&w->out, " (times in ");
        tk_buffer_text(&w->out, unit);
        tk_buffer_char(&w->out, ')');
    }
    tk_buffer_text(&w->out, "\n\n");
    if (tk_name_value_is(table)) {
        tk_buffer_text(&w->out, "| name | value |\n| --- | --- |\n");
        return;
    }
    put_header(w, table);
    put_rule(w, table);
}

static void put_single(struct tk_writer *w, const struct tk_table *table, const struct tk_cell *row)
{
    struct tk_human human = human_of(w, table);
    uint32_t n = tk_name_value_count(table, row);
    for (uint32_t i = 0; i < n; i++) {
        struct tk_str name;
        struct tk_cell value;
        tk_name_value_item(table, row, i, &name, &value);
        tk_buffer_text(&w->out, "| ");
        put_name_markdown(w, name);
        tk_buffer_text(&w->out, " | ");
        human.least = tk_name_value_least(table, i);
        put_cell_markdown(w, &value, &human);
        tk_buffer_text(&w->out, " |\n");
    }
}

static void put_row_markdown(struct tk_writer *w, const struct tk_table *table, const struct tk_cell *row)
{
    struct tk_human human = human_of(w, table);
    tk_buffer_char(&w->out, '|');
    for (uint32_t i = 0; i < table->n_columns; i++) {
        tk_buffer_char(&w->out, ' ');
        tk_human_column(&human, &table->columns[i]);
        put_cell_markdown(w, &row[i], &human);
        tk_buffer_text(&w->out, " |");
    }
    tk_buffer_char(&w->out, '\n');
}

static void markdown_rows(struct tk_writer *w, const struct tk_table *table, const struct tk_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        if (tk_name_value_is(table))
            put_single(w, table, rows->cells + i * table->n_columns);
        else
            put_row_markdown(w, table, rows->cells + i * table->n_columns);
    }
}

const struct tk_writer_format tk_markdown_format = {
    .name = "markdown", .begin = markdown_begin, .rows = markdown_rows};
