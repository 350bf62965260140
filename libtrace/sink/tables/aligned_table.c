/*
 * The format `table`: aligned columns for people. A table has a line with its name, a line with its columns,
 * and its rows; a single table a line per value.
 *
 * Widths come from the first HELD_ROWS rows, which are kept for that; later rows are written as they come, in
 * those widths.
 */
#include "base/err.h"
#include "base/text/text.h"
#include "sink/tables/tables_in.h"
#include "sink/tables/writer.h"
#include "sink/write/human.h"
#include "sink/write/plot_canvas.h"
#include "sink/write/value.h"

#define HELD_ROWS 4096
#define INDENT    2 /* blanks before the names of a single table */

struct text_state {
    struct tk_result *held; /* owned; NULL: the layout is known */
    struct tk_layout layout;
    struct tk_human human;
    struct tk_column_choice look;
};

static void emphasis(struct tk_writer *w, bool on)
{
    if (w->opt.colour)
        tk_buffer_text(&w->out, on ? "\x1b[1m" : "\x1b[0m");
}

static void put_title(struct tk_writer *w, const struct tk_table *table)
{
    struct text_state *s = w->state;
    const char *unit = tk_human_times(table, &s->human);
    if (w->tables)
        tk_buffer_char(&w->out, '\n');
    emphasis(w, true);
    tk_buffer_text(&w->out, table->name);
    emphasis(w, false);
    if (unit) {
        tk_buffer_text(&w->out, "  (times in ");
        tk_buffer_text(&w->out, unit);
        tk_buffer_char(&w->out, ')');
    }
    tk_buffer_char(&w->out, '\n');
}

/* The cell as text, in w->scratch. */
static void render(struct tk_writer *w, const struct tk_cell *c)
{
    struct text_state *s = w->state;
    w->scratch.n = 0;
    tk_human_cell(&w->scratch, c, &s->human);
}

/* The same for a column of the layout, in its width. */
static void render_fitting(struct tk_writer *w, const struct tk_table *table, uint32_t i,
                           const struct tk_cell *c)
{
    struct text_state *s = w->state;
    const struct tk_layout_column *at = &s->layout.columns.v[i];
    tk_human_column(&s->human, &table->columns[i]);
    w->scratch.n = 0;
    if (c->kind == TK_TEXT && (table->columns[i].flags & TK_COL_BAR) && at->widest)
        tk_bars_bar(&w->scratch, c->n, at->widest, at->width, s->human.ascii);
    else
        tk_human_cell(&w->scratch, c, &s->human);
}

static void render_name(struct tk_writer *w, struct tk_str name)
{
    w->scratch.n = 0;
    tk_safe_text(&w->scratch, name, w->opt.plain_ascii ? TK_SHOW_ASCII : 0);
}

static void put_row_aligned_table(struct tk_writer *w, const struct tk_table *table,
                                  const struct tk_cell *row)
{
    struct text_state *s = w->state;
    for (uint32_t i = 0; i < table->n_columns; i++) {
        const char *colour = w->opt.colour ? tk_column_choice_colour(&s->look, table, i, &row[i]) : NULL;
        if (s->layout.columns.v[i].hidden)
            continue;
        render_fitting(w, table, i, &row[i]);
        if (colour)
            tk_buffer_text(&w->out, colour);
        tk_layout_put(&s->layout, &w->out, i, w->scratch.p, w->scratch.n);
        if (colour)
            emphasis(w, false);
    }
    tk_layout_line(&s->layout, &w->out);
}

static void put_header(struct tk_writer *w, const struct tk_table *table)
{
    struct text_state *s = w->state;
    emphasis(w, true);
    for (uint32_t i = 0; i < table->n_columns; i++)
        if (!s->layout.columns.v[i].hidden)
            tk_layout_put(&s->layout, &w->out, i, table->columns[i].name, strlen(table->columns[i].name));
    s->layout.pending = 0;
    const bool below = s->layout.rest.n > 0;
    if (!below)
        emphasis(w, false);
    tk_layout_line(&s->layout, &w->out);
    if (below)
        emphasis(w, false);
}

static bool reset_layout(struct tk_writer *w, size_t n)
{
    struct text_state *s = w->state;
    if (tk_layout_reset(&s->layout, n) == TK_OK)
        return true;
    tk_buffer_fail(&w->out, tk_err_nomem(w->out.err, "the layout of a table"));
    return false;
}

static bool measure(struct tk_writer *w, const struct tk_table *table, size_t n_rows)
{
    struct text_state *s = w->state;
    if (!reset_layout(w, table->n_columns))
        return false;
    for (uint32_t i = 0; i < table->n_columns; i++) {
        const struct tk_column *column = &table->columns[i];
        s->layout.columns.v[i].right = tk_human_right(column->kind);
        s->layout.columns.v[i].shrink = !tk_human_right(column->kind);
        tk_layout_measure(&s->layout, i, column->name, strlen(column->name));
    }
    for (size_t row = 0; row < n_rows; row++) {
        const struct tk_cell *cells = tk_result_row(s->held, 0, row);
        for (uint32_t i = 0; i < table->n_columns; i++) {
            tk_human_column(&s->human, &table->columns[i]);
            render(w, &cells[i]);
            tk_layout_measure(&s->layout, i, w->scratch.p, w->scratch.n);
        }
    }
    tk_column_choice_measure(&s->look, &s->layout, table, s->held);
    if (w->opt.fit && w->opt.width)
        tk_layout_choose(&s->layout, w->opt.width);
    tk_layout_fit(&s->layout, w->opt.width);
    return true;
}

/* That a table has no rows is said, rather than left to be seen. */
static void put_none(struct tk_writer *w, const struct tk_table *table)
{
    tk_buffer_text(&w->out, w->opt.colour ? TK_COLUMN_CHOICE_FAINT : "");
    tk_buffer_char(&w->out, '(');
    tk_buffer_text(&w->out, table->none ? table->none : "no rows");
    tk_buffer_char(&w->out, ')');
    emphasis(w, false);
    tk_buffer_char(&w->out, '\n');
}

/* Finds the layout from the rows that were held and writes them. */
static void write_held(struct tk_writer *w, const struct tk_table *table)
{
    struct text_state *s = w->state;
    size_t n_rows = 0;
    tk_result_table(s->held, 0, &n_rows);
    if (measure(w, table, n_rows)) {
        put_header(w, table);
        for (size_t row = 0; row < n_rows; row++)
            put_row_aligned_table(w, table, tk_result_row(s->held, 0, row));
        if (n_rows == 0)
            put_none(w, table);
    }
    tk_result_free(s->held);
    s->held = NULL;
}

static bool is_nothing(const struct tk_cell *c)
{
    return c->kind == TK_NONE || (c->kind == TK_TEXT && c->n == 0);
}

/* A name and its value; what there is nothing to say of is left out. */
static void put_item(struct tk_writer *w, struct tk_str name, const struct tk_cell *value)
{
    struct text_state *s = w->state;
    const size_t at = INDENT + s->layout.columns.v[0].width + TK_LAYOUT_GAP;
    if (is_nothing(value))
        return;
    render_name(w, name);
    tk_buffer_fill(&w->out, ' ', INDENT);
    tk_layout_put(&s->layout, &w->out, 0, w->scratch.p, w->scratch.n);
    render(w, value);
    if (w->opt.width && at + tk_utf8_width(w->scratch.p, w->scratch.n) > w->opt.width) {
        tk_buffer_fill(&w->out, ' ', TK_LAYOUT_GAP + s->layout.pending);
        tk_layout_wrap(&w->out, at, w->opt.width, w->scratch.p, w->scratch.n);
    } else {
        tk_layout_put(&s->layout, &w->out, 1, w->scratch.p, w->scratch.n);
    }
    tk_layout_line(&s->layout, &w->out);
}

static void put_single(struct tk_writer *w, const struct tk_table *table, const struct tk_cell *row)
{
    struct text_state *s = w->state;
    struct tk_str name;
    struct tk_cell value;
    uint32_t n = tk_name_value_count(table, row);
    if (!reset_layout(w, 2))
        return;
    s->human.percent = 0;
    for (uint32_t i = 0; i < n; i++) {
        tk_name_value_item(table, row, i, &name, &value);
        render_name(w, name);
        tk_layout_measure(&s->layout, 0, w->scratch.p, w->scratch.n);
    }
    s->layout.columns.v[0].shrink = true;
    tk_layout_fit(&s->layout, 0);
    for (uint32_t i = 0; i < n; i++) {
        tk_name_value_item(table, row, i, &name, &value);
        s->human.least = tk_name_value_least(table, i);
        put_item(w, name, &value);
    }
}

static void text_open(struct tk_writer *w)
{
    struct text_state *s = w->state;
    s->human = (struct tk_human){.exact = w->opt.exact, .ascii = w->opt.plain_ascii};
    s->layout.ascii = w->opt.plain_ascii;
}

static void text_begin(struct tk_writer *w, const struct tk_table *table)
{
    struct text_state *s = w->state;
    s->human.unit = table->unit;
    put_title(w, table);
    if (tk_name_value_is(table))
        return;
    tk_result_free(s->held);
    s->held = NULL;
    tk_buffer_fail(&w->out, tk_result_new(&s->held, w->out.err));
    if (s->held) {
        struct tk_sink sink = tk_result_sink(s->held);
        tk_buffer_fail(&w->out, sink.begin(sink.self, table, w->out.err));
    }
}

static void hold_rows(struct tk_writer *w, const struct tk_table *table, const struct tk_rows *rows)
{
    struct text_state *s = w->state;
    struct tk_sink sink = tk_result_sink(s->held);
    size_t n_rows = 0;
    tk_buffer_fail(&w->out, sink.rows(sink.self, table, rows, w->out.err));
    tk_result_table(s->held, 0, &n_rows);
    if (n_rows >= HELD_ROWS)
        write_held(w, table);
}

static void text_rows(struct tk_writer *w, const struct tk_table *table, const struct tk_rows *rows)
{
    struct text_state *s = w->state;
    if (w->out.status < 0)
        return;
    if (s->held) {
        hold_rows(w, table, rows);
        return;
    }
    for (size_t row = 0; row < rows->n; row++) {
        if (tk_name_value_is(table))
            put_single(w, table, rows->cells + row * table->n_columns);
        else
            put_row_aligned_table(w, table, rows->cells + row * table->n_columns);
    }
}

/* Which columns were left out, in lines of the width. */
static void put_hidden(struct tk_writer *w, const struct tk_table *table)
{
    static const char begin[] = "(not shown at this width:";
    const struct text_state *s = w->state;
    size_t at = 0;
    for (uint32_t i = 0; i < table->n_columns; i++) {
        const char *name = table->columns[i].name;
        if (!s->layout.columns.v[i].hidden)
            continue;
        if (at == 0) {
            tk_buffer_text(&w->out, w->opt.colour ? TK_COLUMN_CHOICE_FAINT : "");
            tk_buffer_text(&w->out, begin);
            at = sizeof begin - 1;
        } else {
            tk_buffer_char(&w->out, ',');
        }
        at += strlen(name) + 2;
        if (at > w->opt.width) {
            tk_buffer_char(&w->out, '\n');
            at = strlen(name) + 2;
        }
        tk_buffer_char(&w->out, ' ');
        tk_buffer_text(&w->out, name);
    }
    if (at == 0)
        return;
    tk_buffer_char(&w->out, ')');
    emphasis(w, false);
    tk_buffer_char(&w->out, '\n');
}

static void text_end(struct tk_writer *w, const struct tk_table *table)
{
    struct text_state *s = w->state;
    if (s->held && w->out.status == TK_OK)
        write_held(w, table);
    if (!tk_name_value_is(table) && s->layout.columns.n == table->n_columns)
        put_hidden(w, table);
}

static void text_release(struct tk_writer *w)
{
    struct text_state *s = w->state;
    tk_result_free(s->held);
    tk_layout_release(&s->layout);
}

const struct tk_writer_format tk_table_format = {.name = "table",
                                                 .state_size = sizeof(struct text_state),
                                                 .open = text_open,
                                                 .begin = text_begin,
                                                 .rows = text_rows,
                                                 .end = text_end,
                                                 .release = text_release};
