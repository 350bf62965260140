/*
 * The format `text`: one line per row, written as it comes, without a header; for streams of events.
 *
 * Columns line up as far as the rows before allow: each is as wide as its widest cell so far, up to
 * LINED_WIDTH. A missing value is a dash, at the end of a line nothing; true is the name of its column, false
 * is missing; records have braces.
 */
#include "base/err.h"
#include "sink/tables/tables_in.h"
#include "sink/tables/writer.h"
#include "sink/write/human.h"
#include "sink/write/value.h"

#define LINED_WIDTH 40

struct lines_state {
    struct tk_layout layout;
    struct tk_human human;
};

static void lines_open(struct tk_writer *w)
{
    struct lines_state *s = w->state;
    s->human = (struct tk_human){.exact = w->opt.exact, .ascii = w->opt.plain_ascii};
}

static void lines_begin(struct tk_writer *w, const struct tk_table *table)
{
    struct lines_state *s = w->state;
    s->human.unit = table->unit;
    if (w->tables)
        tk_buffer_char(&w->out, '\n');
    if (tk_layout_reset(&s->layout, table->n_columns)) {
        tk_buffer_fail(&w->out, tk_err_nomem(w->out.err, "the layout of a table"));
        return;
    }
    for (uint32_t i = 0; i < table->n_columns; i++)
        s->layout.columns.v[i].right = tk_human_right(table->columns[i].kind);
}

static bool is_missing(const struct tk_cell *c)
{
    return c->kind == TK_NONE || (c->kind == TK_BOOL && !c->v.u);
}

static void render(struct tk_writer *w, const struct tk_column *column, const struct tk_cell *c)
{
    struct lines_state *s = w->state;
    struct tk_buffer *b = &w->scratch;
    b->n = 0;
    tk_human_column(&s->human, column);
    if (is_missing(c))
        tk_buffer_char(b, '-');
    else if (c->kind == TK_BOOL)
        tk_buffer_text(b, column->name);
    else if (c->kind == TK_RECORD)
        tk_value_nested(b, c, s->human.unit, s->human.ascii ? TK_SHOW_ASCII : 0);
    else
        tk_human_cell(b, c, &s->human);
}

static void put_line(struct tk_writer *w, const struct tk_table *table, const struct tk_cell *row)
{
    struct lines_state *s = w->state;
    struct tk_buffer *b = &w->scratch;
    uint32_t n = table->n_columns;
    while (n && is_missing(&row[n - 1]))
        n--;
    for (uint32_t i = 0; i < n; i++) {
        struct tk_layout_column *column = &s->layout.columns.v[i];
        render(w, &table->columns[i], &row[i]);
        tk_buffer_fail(&w->out, b->status);
        if (b->status < 0)
            return;
        if (column->width < LINED_WIDTH)
            tk_layout_measure(&s->layout, i, b->p, b->n);
        if (column->width > LINED_WIDTH)
            column->width = LINED_WIDTH;
        tk_layout_put(&s->layout, &w->out, i, b->p, b->n);
    }
    tk_layout_line(&s->layout, &w->out);
}

static void lines_rows(struct tk_writer *w, const struct tk_table *table, const struct tk_rows *rows)
{
    for (size_t i = 0; i < rows->n && w->out.status == TK_OK; i++)
        put_line(w, table, rows->cells + i * table->n_columns);
}

static void lines_release(struct tk_writer *w)
{
    struct lines_state *s = w->state;
    tk_layout_release(&s->layout);
}

const struct tk_writer_format tk_text_format = {.name = "text",
                                                .state_size = sizeof(struct lines_state),
                                                .open = lines_open,
                                                .begin = lines_begin,
                                                .rows = lines_rows,
                                                .release = lines_release};
