/*
 * Plots and their points: counters and their values, and records.
 *
 *   u64 n, plots, each with u64 n, n points                                                   tracy-file 5.12
 */
#include "format/tracy/walk/section.h"

#include <float.h>
#include <math.h>

#define CPU_USE 2 /* type */

struct plot {
    uint64_t at;
    uint32_t number; /* in the order of the file */
    struct tk_tracy_plot v;
    bool unnamed;
    const struct tk_str *name; /* NULL: none */
    uint64_t points;
};

struct point {
    uint64_t at;
    struct tk_tracy_point v;
};

/* What the values that were read come to. */
struct values {
    double least, greatest, sum, size; /* size: the sum without signs */
    uint64_t n;
};

struct state {
    struct tk_tracy_list plots, points;
    struct plot plot;
    struct values values;
    uint32_t n;
    bool inside;
};

static const struct tk_str types[] = {{"user", 4, TK_ENC_UTF8},
                                      {"memory", 6, TK_ENC_UTF8},
                                      {"CPU use", 7, TK_ENC_UTF8},
                                      {"power", 5, TK_ENC_UTF8}};

static const struct tk_str formats[] = {{"number", 6, TK_ENC_UTF8},
                                        {"memory", 6, TK_ENC_UTF8},
                                        {"percent", 7, TK_ENC_UTF8},
                                        {"watt", 4, TK_ENC_UTF8}};

static struct tk_cell code_cell(const struct tk_str *names, uint8_t code)
{
    return code < 4 ? tk_cell_of_text(&names[code]) : tk_cell_of_uint(code);
}

static int say_plot(struct tk_tracy_walk *w, const struct plot *p)
{
    struct tk_cell cells[] = {
        tk_cell_of_uint(p->number),      tk_cell_of_text(p->name),    code_cell(types, p->v.type),
        code_cell(formats, p->v.format), tk_cell_of_bool(p->v.steps), tk_cell_of_bool(p->v.fill),
        tk_cell_of_hex(p->v.colour),     tk_cell_of_real(p->v.min),   tk_cell_of_real(p->v.max),
        tk_cell_of_real(p->v.sum),       tk_cell_of_uint(p->points),
    };
    return tk_tracy_wants(w, TK_TRACY_PLOT) ? tk_tracy_say_timeless(w, TK_TRACY_PLOT, p->at, cells) : TK_OK;
}

/* Colours and styles are in the record only. */
static int say_counter(struct tk_tracy_walk *w, const struct plot *p)
{
    static const uint8_t units[] = {TK_COUNTER_NUMBER, TK_COUNTER_BYTES, TK_COUNTER_PERCENT,
                                    TK_COUNTER_WATTS};
    static const struct tk_str cpu_use = {"CPU usage", 9, TK_ENC_UTF8};
    if (!tk_tracy_wants_fact(w, TK_FACT_COUNTER) && !tk_tracy_wants_fact(w, TK_FACT_COUNTER_VALUE))
        return TK_OK;
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_COUNTER, TK_NO_THREAD, 0);
    if (!fact)
        return TK_ENOMEM;
    fact->u.counter = (struct tk_fact_counter){
        .id = p->number,
        .kind = TK_COUNTER_PLAIN,
        .unit = p->v.format < sizeof units ? units[p->v.format] : (uint8_t)TK_COUNTER_NUMBER,
        .real = true,
        .unnamed = p->unnamed,
        .name = tk_tracy_intern(w->c, p->unnamed && p->v.type == CPU_USE ? &cpu_use : p->name),
    };
    return fact->u.counter.name || !p->name ? TK_OK : TK_ENOMEM;
}

static int say_value(struct tk_tracy_walk *w, const struct plot *p, const struct point *point)
{
    struct tk_tracy_held_fact held = {.time = point->v.time,
                                      .order = w->held.order++,
                                      .thread = TK_NO_THREAD,
                                      .kind = TK_FACT_COUNTER_VALUE};
    held.u.value = (struct tk_fact_counter_value){
        .id = p->number, .op = TK_COUNTER_SET, .number = {.real = true, .v.r = point->v.value}};
    return tk_tracy_wants_fact(w, TK_FACT_COUNTER_VALUE) ? tk_tracy_held_take(w, &held) : TK_OK;
}

static int say_point(struct tk_tracy_walk *w, const struct plot *p, const struct point *point)
{
    struct tk_cell cells[] = {tk_cell_of_uint(p->number), tk_cell_of_text(p->name),
                              tk_cell_of_real(point->v.value)};
    if (!tk_tracy_wants(w, TK_TRACY_PLOT_POINT))
        return TK_OK;
    return tk_tracy_say(w, TK_TRACY_PLOT_POINT, point->at, TK_NO_THREAD, point->v.time, cells);
}

static const struct tk_str *name_of_plots(const struct tk_tracy_walk *w, uint64_t pointer)
{
    const struct tk_str *name = tk_tracy_string_of_pointer(&w->c->strings, pointer);
    return name || !pointer ? name : &tk_tracy_missing;
}

/* The number of points is read here, because the plot is reported before them. */
static int begin_plot(struct tk_tracy_walk *w, struct state *s)
{
    struct plot *p = &s->plot;
    *p = (struct plot){.at = tk_tracy_at(&w->in), .number = s->n++};
    (void)tk_tracy_read_plot(&w->in, &p->v);
    tk_tracy_use_kind(w, p->v.type, 3);
    tk_tracy_use_kind(w, p->v.format, 3);
    tk_tracy_use_pointer(w, p->v.name);
    p->v.fill |= !w->c->layout.plot_style;
    p->name = name_of_plots(w, p->v.name);
    p->unnamed = !p->v.name;
    p->points = tk_tracy_read_count(w, "points of a plot");
    s->points = (struct tk_tracy_list){.left = p->points, .n = p->points, .begun = true};
    w->in.time = 0;
    s->values = (struct values){0};
    s->inside = true;
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    tk_tracy_count(w, TK_TRACY_PLOT, 1, tk_tracy_at(&w->in) - p->at);
    return say_counter(w, p) == TK_OK ? say_plot(w, p) : TK_ENOMEM;
}

static void add_value(struct values *v, double value)
{
    v->least = !v->n || value < v->least ? value : v->least;
    v->greatest = !v->n || value > v->greatest ? value : v->greatest;
    v->sum += value;
    v->size += fabs(value);
    v->n++;
}

/* The program adds values as they come, which may be in another order. */
#define ROUNDING DBL_EPSILON /* of one sum */

static void check_values(struct tk_tracy_walk *w, const struct plot *p, const struct values *v)
{
    const bool other_ends = v->least != p->v.min || v->greatest != p->v.max;
    const bool other_sum =
        w->c->layout.plot_sum && fabs(v->sum - p->v.sum) > ROUNDING * (double)v->n * v->size;
    if (v->n && isfinite(v->size) && (other_ends || other_sum))
        tk_tracy_note(w, TK_HEALTH_SUM_DIFFERS, p->at, 1,
                      "the values of a plot have another least, greatest or sum than it states");
}

static int read_point(struct tk_tracy_walk *w, struct state *s)
{
    struct point point = {.at = tk_tracy_at(&w->in)};
    if (!tk_tracy_read_point(&w->in, &point.v))
        return TK_OK;
    add_value(&s->values, point.v.value);
    if (!s->points.left)
        check_values(w, &s->plot, &s->values);
    tk_tracy_tally(w, TK_TRACY_PLOT_POINT, 1, tk_tracy_point_size(&w->c->layout));
    return say_value(w, &s->plot, &point) == TK_OK ? say_point(w, &s->plot, &point) : TK_ENOMEM;
}

static void skip_points(struct tk_tracy_walk *w, struct state *s)
{
    const size_t size = tk_tracy_point_size(&w->c->layout);
    tk_tracy_skip_items(w, s->points.left, size, "points of a plot");
    if (tk_tracy_ok(&w->in))
        tk_tracy_tally(w, TK_TRACY_PLOT_POINT, s->points.n, s->points.n * size);
    s->inside = false;
}

static int step_plots(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    bool wanted = tk_tracy_wants(w, TK_TRACY_PLOT_POINT) || tk_tracy_wants_fact(w, TK_FACT_COUNTER_VALUE);
    int rc = TK_OK;
    while (rc == TK_OK && !tk_tracy_batch_full(w->out)) {
        if (s->inside && !wanted)
            skip_points(w, s);
        else if (s->inside && tk_tracy_list_next(w, &s->points, "points of a plot"))
            rc = read_point(w, s);
        else if (tk_tracy_list_next(w, &s->plots, "plots"))
            rc = begin_plot(w, s);
        else
            return TK_OK;
    }
    return rc == TK_OK ? TK_ITEM : rc;
}

const struct tk_tracy_section tk_tracy_sec_plots = {
    .name = "plots",
    .step = step_plots,
    .size = sizeof(struct state),
    .facts = TK_FACT_MASK(COUNTER) | TK_FACT_MASK(COUNTER_VALUE),
    .records = TK_TRACY_RECORD_MASK(PLOT) | TK_TRACY_RECORD_MASK(PLOT_POINT)};
