/*
 * Plots: of the program, of the use of the CPU, of power (tracy-live 7.8).
 */
#include "live/tracy/state/state.h"

#include <math.h>
#include <string.h>

static int new_plot(struct tk_tl_state *s, uint64_t name, uint8_t type, uint8_t format, uint32_t *i)
{
    int rc;
    struct tk_tl_plot *p = tk_tl_alloc(s, sizeof *p, &rc);
    if (!p)
        return rc;
    p->name = name;
    p->type = type;
    p->format = format;
    p->fill = 1;
    p->instead = TK_TL_NONE;
    tk_spill_column_begin(&p->points, s->columns, sizeof(struct tk_tl_point));
    *i = (uint32_t)s->plots.n;
    return tk_tl_push(s, &s->plots, p);
}

static int new_listed_plot(struct tk_tl_state *s, uint64_t name, uint8_t type, uint8_t format, uint32_t *i)
{
    TK_TL_TRY(new_plot(s, name, type, format, i));
    s->plots.v[*i]->listed = true;
    return tk_tl_push(s, &s->listed_plots, *i);
}

static int plot_of(struct tk_tl_state *s, uint64_t name, struct tk_tl_plot **out)
{
    uint32_t i = tk_map_get(&s->plot_of, name);
    if (i == TK_MAP_NONE) {
        TK_TL_TRY(new_plot(s, name, 0, 0, &i));
        TK_TL_TRY(tk_tl_map_put(s, &s->plot_of, name, i));
        TK_TL_TRY(tk_tl_ask(s, TK_TL_ASK_PLOT, name, 0));
        s->unnamed_plots++;
    }
    const uint32_t instead = s->plots.v[i]->instead;
    *out = s->plots.v[instead == TK_TL_NONE ? i : instead];
    return TK_OK;
}

static int add_point(struct tk_tl_state *s, struct tk_tl_plot *p, int64_t time, double value)
{
    const bool first = tk_spill_column_count(&p->points) == 0;
    const struct tk_tl_point point = {tk_tl_s48(time), value};
    struct tk_tl_point *record = tk_spill_column_add(&p->points);
    if (!record)
        return tk_tl_column_error(s);
    *record = point;
    if (first)
        p->min = p->max = p->sum = value;
    else if (p->min > value)
        p->min = value;
    else if (p->max < value)
        p->max = value;
    if (!first) {
        p->sum += value;
        p->unsorted |= point.time < p->last_time;
    }
    p->last_time = point.time;
    return TK_OK;
}

/* Another pointer had the same text: its plot takes the points. */
static int move_points(struct tk_tl_state *s, struct tk_tl_plot *from, uint32_t to)
{
    const uint64_t n = tk_spill_column_count(&from->points);
    struct tk_tl_point point;
    for (uint64_t i = 0; i < n; i++) {
        if (!tk_spill_column_get(&from->points, i, &point))
            return tk_tl_column_error(s);
        TK_TL_TRY(add_point(s, s->plots.v[to], point.time, point.value));
    }
    from->instead = to;
    tk_spill_column_release(&from->points);
    tk_spill_column_begin(&from->points, s->columns, sizeof point);
    return TK_OK;
}

int tk_tl_on_plot_name(struct tk_tl_state *s, const uint8_t *p)
{
    const uint32_t i = tk_map_get(&s->plot_of, s->key);
    struct tk_tl_plot *plot = i == TK_MAP_NONE ? NULL : s->plots.v[i];
    uint32_t text;
    (void)p;
    TK_TL_TRY(tk_tl_store(s, s->data.p, s->data.n, &text));
    if (!plot || plot->listed || plot->instead != TK_TL_NONE) {
        s->odd.answers++;
        return TK_OK;
    }
    s->unnamed_plots--;
    const uint32_t other = tk_map_get(&s->plot_by_text, text);
    if (other != TK_MAP_NONE)
        return move_points(s, plot, other);
    plot->listed = true;
    TK_TL_TRY(tk_tl_map_put(s, &s->plot_by_text, text, i));
    TK_TL_TRY(tk_tl_push(s, &s->listed_plots, i));
    return tk_tl_name_pointer(s, plot->name, text);
}

static int plot_data(struct tk_tl_state *s, const uint8_t *p, double value)
{
    const int64_t by = (int64_t)tk_load64(p + 8);
    struct tk_tl_plot *plot;
    if (!isfinite(value)) {
        s->odd.plot_values++;
        s->thread_time = (int64_t)((uint64_t)s->thread_time + (uint64_t)by);
        return TK_OK;
    }
    TK_TL_TRY(plot_of(s, tk_load64(p), &plot));
    return add_point(s, plot, tk_tl_move(s, &s->thread_time, by), value);
}

int tk_tl_on_plot_data_int(struct tk_tl_state *s, const uint8_t *p)
{
    return plot_data(s, p, (double)(int64_t)tk_load64(p + 16));
}

static double load_real32(const uint8_t *p)
{
    const uint32_t bits = tk_load32(p);
    float v;
    memcpy(&v, &bits, sizeof v);
    return (double)v;
}

int tk_tl_on_plot_data_float(struct tk_tl_state *s, const uint8_t *p)
{
    return plot_data(s, p, load_real32(p + 16));
}

int tk_tl_on_plot_data_double(struct tk_tl_state *s, const uint8_t *p)
{
    const uint64_t bits = tk_load64(p + 16);
    double v;
    memcpy(&v, &bits, sizeof v);
    return plot_data(s, p, v);
}

int tk_tl_on_plot_config(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_plot *plot;
    TK_TL_TRY(plot_of(s, tk_load64(p), &plot));
    plot->format = p[8];
    plot->steps = p[9];
    plot->fill = p[10];
    plot->colour = tk_load32(p + 11) & 0xffffff;
    return TK_OK;
}

int tk_tl_on_sys_time_report(struct tk_tl_state *s, const uint8_t *p)
{
    if (s->cpu_plot == TK_TL_NONE)
        TK_TL_TRY(new_listed_plot(s, 0, 2, 2, &s->cpu_plot));
    return add_point(s, s->plots.v[s->cpu_plot], tk_tl_time_at(s, p), load_real32(p + 8));
}

/* The first report of a sensor says only when it began. */
int tk_tl_on_sys_power_report(struct tk_tl_state *s, const uint8_t *p)
{
    const int64_t time = tk_tl_ns(s, (int64_t)tk_load64(p));
    const uint64_t name = tk_load64(p + 16);
    uint32_t i = tk_map_get(&s->power_of, name);
    bool known;
    if (i == TK_MAP_NONE) {
        TK_TL_TRY(tk_tl_want_text(s, name, &known));
        TK_TL_TRY(new_listed_plot(s, name, 3, 3, &i));
        s->plots.v[i]->last_time = time;
        return tk_tl_map_put(s, &s->power_of, name, i);
    }
    struct tk_tl_plot *plot = s->plots.v[i];
    const double dt = (double)(int64_t)((uint64_t)time - (uint64_t)plot->last_time);
    tk_tl_see(s, time);
    if (dt <= 0) {
        s->odd.plot_values++;
        return TK_OK;
    }
    return add_point(s, plot, time, (double)tk_load64(p + 8) * 1000.0 / dt);
}
