/*
 * Spreads. See distribution.h.
 */
#include "model/sums/distribution.h"

#include "base/wrap.h"

int tk_distribution_add(struct tk_distribution *s, int64_t length)
{
    if (!s->count)
        tk_sketch_init(&s->sketch, TK_SKETCH_CALLS);
    s->min = !s->count || length < s->min ? length : s->min;
    s->max = !s->count || length > s->max ? length : s->max;
    s->total = tk_wrap_add(s->total, length);
    s->count++;
    return tk_sketch_add(&s->sketch, TK_SKETCH_CALLS, length < 0 ? 0 : (uint64_t)length);
}

/* The percentile share / of by nearest rank, inside the least and the greatest. */
static int64_t ranked_distribution(const struct tk_distribution *s, unsigned share, unsigned of)
{
    int64_t value = (int64_t)tk_sketch_ranked(&s->sketch, tk_sketch_rank(s->count, share, of));
    return value < s->min ? s->min : value > s->max ? s->max : value;
}

static struct tk_cell mean_of(const struct tk_query_context *view, const struct tk_distribution *s)
{
    struct tk_cell total = tk_query_context_span(view, s->total);
    return s->count ? tk_cell_of_mean((double)total.v.i / (double)s->count) : (struct tk_cell){0};
}

static struct tk_cell percentile(const struct tk_query_context *view, const struct tk_distribution *s,
                                 unsigned share, unsigned of)
{
    return s->count ? tk_query_context_span(view, ranked_distribution(s, share, of)) : (struct tk_cell){0};
}

void tk_distribution_fill(const struct tk_query_context *view, const struct tk_distribution *s,
                          struct tk_cell *cells)
{
    cells[0] = tk_query_context_span(view, s->total);
    if (!s->count)
        return;
    cells[1] = tk_query_context_span(view, s->min);
    cells[2] = tk_query_context_span(view, s->max);
    cells[3] = mean_of(view, s);
    cells[4] = percentile(view, s, 50, 100);
    cells[5] = percentile(view, s, 95, 100);
    cells[6] = percentile(view, s, 99, 100);
}

void tk_distribution_release(struct tk_distribution *s)
{
    if (s->count)
        tk_sketch_release(&s->sketch);
    *s = (struct tk_distribution){0};
}
