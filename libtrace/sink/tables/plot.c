/*
 * The format `plot`: tables as pictures for people. It is a table format as the others.
 *
 * Across runs the first column of points in time; without one the first column, if it is a number. Upwards
 * runs the first of `measures` that the table has, else its next number. The first column of texts parts the
 * rows into series, each a picture of its own. Of what is closer than a dot, the least and the greatest value
 * are drawn; a value holds until the next one.
 */
#include "base/err.h"
#include "sink/tables/tables_in.h"
#include "sink/tables/writer.h"
#include "sink/write/human.h"
#include "sink/write/plot_canvas.h"
#include "sink/write/value.h"

#include <math.h>
#include <stdlib.h>

#define PICTURES   12 /* series that are drawn; more are counted */
#define NAME_BYTES 120
#define USUAL      80 /* columns where no terminal says it */
#define LEAST      40
#define MOST       400

struct picture {
    struct tk_plot_series series;
    char *name; /* owned */
    uint32_t n_name;
    uint8_t enc; /* enum tk_encoding */
};

struct plot_state {
    struct tk_human human;
    struct picture pictures[PICTURES];
    size_t n;
    int x, y, by;     /* columns; -1: none */
    uint64_t undrawn; /* rows */
};

static bool is_number(uint8_t kind)
{
    return kind == TK_INT || kind == TK_UINT || kind == TK_REAL || kind == TK_REAL32 || kind == TK_DURATION ||
           kind == TK_MEAN || kind == TK_SIZE;
}

static bool is_whole(uint8_t kind)
{
    return kind == TK_INT || kind == TK_UINT || kind == TK_TIME || kind == TK_DURATION;
}

static int find_kind(const struct tk_table *table, uint8_t kind)
{
    for (uint32_t i = 0; i < table->n_columns; i++)
        if (table->columns[i].kind == kind && !(table->columns[i].flags & TK_COL_BAR))
            return (int)i;
    return -1;
}

static int find_across(const struct tk_table *table)
{
    const int time = find_kind(table, TK_TIME);
    return time >= 0 || !table->n_columns || !is_whole(table->columns[0].kind) ? time : 0;
}

static int find_upwards(const struct tk_table *table, int across)
{
    static const char *const measures[] = {"value", "incl", "dur", "bytes", "count"};
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        const int at = tk_table_column(table, measures[i]);
        if (at >= 0 && at != across && table->columns[at].kind != TK_TEXT)
            return at;
    }
    for (uint32_t i = 0; i < table->n_columns; i++)
        if ((int)i != across && is_number(table->columns[i].kind) &&
            !tk_column_choice_is_id(table->columns[i].name))
            return (int)i;
    return -1;
}

static void plot_open(struct tk_writer *w)
{
    struct plot_state *s = w->state;
    s->human = (struct tk_human){.exact = w->opt.exact, .ascii = w->opt.plain_ascii};
}

static void forget(struct plot_state *s)
{
    for (size_t i = 0; i < s->n; i++) {
        tk_plot_series_release(&s->pictures[i].series);
        free(s->pictures[i].name);
    }
    s->n = 0;
    s->undrawn = 0;
}

static void plot_begin(struct tk_writer *w, const struct tk_table *table)
{
    struct plot_state *s = w->state;
    forget(s);
    s->human.unit = table->unit;
    s->x = find_across(table);
    s->y = find_upwards(table, s->x);
    s->by = find_kind(table, TK_TEXT);
}

static struct picture *add_picture(struct tk_writer *w, const void *name, uint32_t n, uint8_t enc)
{
    struct plot_state *s = w->state;
    struct picture *p = &s->pictures[s->n];
    p->name = malloc(n + 1u);
    if (!p->name) {
        tk_buffer_fail(&w->out, tk_err_nomem(w->out.err, "a plot"));
        return NULL;
    }
    if (n)
        memcpy(p->name, name, n);
    p->n_name = n;
    p->enc = enc;
    s->n++;
    return p;
}

/* The picture of the series of a row; NULL where there are too many of them. */
static struct picture *find_picture(struct tk_writer *w, const struct tk_cell *row)
{
    struct plot_state *s = w->state;
    const bool named = s->by >= 0 && row[s->by].kind == TK_TEXT;
    const void *name = named ? row[s->by].v.p : "";
    const uint32_t n = named ? row[s->by].n : 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->pictures[i].n_name == n && (!n || memcmp(s->pictures[i].name, name, n) == 0))
            return &s->pictures[i];
    return s->n < PICTURES ? add_picture(w, name, n, named ? row[s->by].enc : TK_ENC_UTF8) : NULL;
}

static void take_row(struct tk_writer *w, const struct tk_cell *row)
{
    struct plot_state *s = w->state;
    const double value = tk_cell_real(&row[s->y]); /* NaN where there is none */
    if (!is_whole(row[s->x].kind) || isnan(value))
        return;
    struct picture *p = find_picture(w, row);
    if (!p)
        s->undrawn++;
    else if (tk_plot_series_add(&p->series, row[s->x].v.i, value) < 0)
        tk_buffer_fail(&w->out, tk_err_nomem(w->out.err, "a plot"));
}

static void plot_rows(struct tk_writer *w, const struct tk_table *table, const struct tk_rows *rows)
{
    const struct plot_state *s = w->state;
    if (s->x < 0 || s->y < 0)
        return;
    for (size_t i = 0; i < rows->n && w->out.status == TK_OK; i++)
        take_row(w, rows->cells + i * table->n_columns);
}

/* The nearest number without decimals that there is. */
static int64_t signed_of(double value)
{
    if (value >= 0x1p63)
        return INT64_MAX;
    return value < -0x1p63 ? INT64_MIN : (int64_t)value;
}

static uint64_t unsigned_of(double value)
{
    if (value >= 0x1p64)
        return UINT64_MAX;
    return value < 0 ? 0 : (uint64_t)value;
}

/* A cell of a column as people read it, in w->scratch. */
static void render_cell(struct tk_writer *w, const struct tk_column *column, struct tk_cell c)
{
    struct plot_state *s = w->state;
    c.kind = column->kind;
    tk_human_column(&s->human, column);
    w->scratch.n = 0;
    tk_human_cell(&w->scratch, &c, &s->human);
}

static void render(struct tk_writer *w, const struct tk_column *column, double value)
{
    struct tk_cell c = {0};
    if (column->kind == TK_REAL || column->kind == TK_REAL32 || column->kind == TK_MEAN)
        c.v.r = value;
    else if (column->kind == TK_UINT || column->kind == TK_SIZE || column->kind == TK_BOOL)
        c.v.u = unsigned_of(value);
    else
        c.v.i = signed_of(value);
    render_cell(w, column, c);
}

static size_t scratch_width(const struct tk_writer *w)
{
    return tk_utf8_width(w->scratch.p, w->scratch.n);
}

/* The text of w->scratch on the right of so many columns. */
static void put_right(struct tk_writer *w, size_t width)
{
    const size_t n = scratch_width(w);
    tk_buffer_fill(&w->out, ' ', width > n ? width - n : 0);
    tk_buffer_put(&w->out, w->scratch.p, w->scratch.n);
}

/* What the picture is of: values, in which dots. */
struct frame {
    const struct tk_column *across, *upwards;
    double bottom, top;
    size_t rows, columns, labels;
    bool filled;
};

static size_t dot_of(const struct frame *f, const struct tk_plot_canvas *c, double value)
{
    const double range = f->top / 2 - f->bottom / 2; /* half of it, which no number is too large for */
    const double share = range > 0 ? (value / 2 - f->bottom / 2) / range : 0;
    return (size_t)(share * (double)(tk_plot_canvas_height(c) - 1) + 0.5);
}

/* A line from what was drawn before: what lies between goes to the part, of which no point is there yet. */
static void join(struct tk_plot_bin *part, const struct tk_plot_bin *before)
{
    if (part->least > before->most)
        part->least = before->most;
    if (part->most < before->least)
        part->most = before->least;
}

static void draw(const struct frame *f, const struct tk_plot_series *series, struct tk_plot_canvas *c)
{
    const size_t width = tk_plot_canvas_width(c);
    struct tk_plot_bin before = {0};
    for (size_t x = 0; x < width; x++) {
        const struct tk_plot_bin part = tk_plot_series_part(series, x, width);
        struct tk_plot_bin drawn = part.count ? part : before;
        if (!drawn.count)
            continue;
        if (before.count && part.count)
            join(&drawn, &before);
        tk_plot_canvas_line(c, x, f->filled ? 0 : dot_of(f, c, drawn.least), dot_of(f, c, drawn.most));
        if (part.count)
            before = (struct tk_plot_bin){part.last, part.last, part.last, part.count};
    }
}

static void put_canvas(struct tk_writer *w, const struct frame *f, const struct tk_plot_canvas *c)
{
    const char *edge = w->opt.plain_ascii ? "|" : "│";
    for (size_t i = 0; i < f->rows; i++) {
        w->scratch.n = 0;
        if (i == 0 || i + 1 == f->rows)
            render(w, f->upwards, i ? f->bottom : f->top);
        put_right(w, f->labels);
        tk_buffer_char(&w->out, ' ');
        tk_buffer_text(&w->out, edge);
        tk_plot_canvas_put(c, i, &w->out);
        tk_buffer_char(&w->out, '\n');
    }
}

/* The line below a picture: the least and the greatest of what runs across. */
static void put_across(struct tk_writer *w, const struct frame *f, const struct tk_plot_series *series)
{
    render_cell(w, f->across, (struct tk_cell){.v.i = series->from});
    const size_t left = scratch_width(w);
    tk_buffer_fill(&w->out, ' ', f->labels + 2);
    tk_buffer_put(&w->out, w->scratch.p, w->scratch.n);
    render_cell(w, f->across, (struct tk_cell){.v.i = series->to});
    if (series->to > series->from)
        put_right(w, f->columns > left ? f->columns - left : 0);
    tk_buffer_char(&w->out, '\n');
}

static struct frame frame_of(struct tk_writer *w, const struct tk_table *table, const struct picture *p)
{
    const struct plot_state *s = w->state;
    size_t width = w->opt.width ? w->opt.width : USUAL;
    struct frame f = {.across = &table->columns[s->x],
                      .upwards = &table->columns[s->y],
                      .bottom = p->series.least,
                      .top = p->series.most,
                      .rows = s->n == 1  ? 12
                              : s->n < 4 ? 8
                                         : 5};
    f.filled = f.across->kind == TK_DURATION;
    if (f.bottom > 0 && (f.filled || f.bottom < 0.6 * f.top))
        f.bottom = 0;
    render(w, f.upwards, f.bottom);
    f.labels = scratch_width(w);
    render(w, f.upwards, f.top);
    f.labels = scratch_width(w) > f.labels ? scratch_width(w) : f.labels;
    width = width < LEAST ? LEAST : width > MOST ? MOST : width;
    f.columns = width > f.labels + 12 ? width - f.labels - 2 : 10;
    return f;
}

/* As much of the name as is displayed, in whole signs. */
static uint32_t displayed_bytes(const struct picture *p)
{
    uint32_t n = p->n_name < NAME_BYTES ? p->n_name : NAME_BYTES;
    while (n < p->n_name && n && ((uint8_t)p->name[n] & 0xc0) == 0x80)
        n--;
    return p->enc == TK_ENC_UTF16 ? n & ~1u : n;
}

static void put_heading(struct tk_writer *w, const struct frame *f, const struct picture *p)
{
    const unsigned show = w->opt.plain_ascii ? TK_SHOW_ASCII : 0;
    tk_buffer_text(&w->out, w->opt.colour ? "\x1b[1m" : "");
    tk_buffer_text(&w->out, f->upwards->name);
    if (p->n_name) {
        tk_buffer_text(&w->out, " of ");
        tk_safe_text(&w->out, (struct tk_str){.p = p->name, .n = displayed_bytes(p), .enc = p->enc}, show);
    }
    tk_buffer_text(&w->out, w->opt.colour ? "\x1b[0m" : "");
    tk_buffer_text(&w->out, ", least ");
    render(w, f->upwards, p->series.least);
    tk_buffer_put(&w->out, w->scratch.p, w->scratch.n);
    tk_buffer_text(&w->out, ", greatest ");
    render(w, f->upwards, p->series.most);
    tk_buffer_put(&w->out, w->scratch.p, w->scratch.n);
    tk_buffer_char(&w->out, '\n');
}

static void put_picture(struct tk_writer *w, const struct tk_table *table, const struct picture *p)
{
    const struct frame f = frame_of(w, table, p);
    struct tk_plot_canvas c;
    if (tk_plot_canvas_open(&c, f.columns, f.rows, w->opt.plain_ascii) < 0) {
        tk_buffer_fail(&w->out, tk_err_nomem(w->out.err, "a plot"));
        return;
    }
    put_heading(w, &f, p);
    draw(&f, &p->series, &c);
    put_canvas(w, &f, &c);
    put_across(w, &f, &p->series);
    tk_plot_canvas_release(&c);
}

static void plot_end(struct tk_writer *w, const struct tk_table *table)
{
    struct plot_state *s = w->state;
    if (w->tables > 1)
        tk_buffer_char(&w->out, '\n');
    tk_buffer_text(&w->out, table->name);
    tk_buffer_char(&w->out, '\n');
    if (s->x < 0 || s->y < 0)
        tk_buffer_text(&w->out, "This table cannot be plotted: it needs a column of times, or whole numbers "
                                "in its first column, and a "
                                "column of values.\n");
    else if (s->n == 0)
        tk_buffer_text(&w->out, "There is nothing to plot.\n");
    for (size_t i = 0; i < s->n && w->out.status == TK_OK; i++)
        if (s->pictures[i].series.count)
            put_picture(w, table, &s->pictures[i]);
    if (s->undrawn) {
        tk_buffer_u64(&w->out, s->undrawn);
        tk_buffer_text(&w->out,
                       " rows belong to further series, which are not drawn; choose some with --where.\n");
    }
}

static void plot_release(struct tk_writer *w)
{
    forget(w->state);
}

const struct tk_writer_format tk_plot_format = {.name = "plot",
                                                .state_size = sizeof(struct plot_state),
                                                .open = plot_open,
                                                .begin = plot_begin,
                                                .rows = plot_rows,
                                                .end = plot_end,
                                                .release = plot_release};
