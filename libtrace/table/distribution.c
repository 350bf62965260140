/*
 * Distributions. See distribution.h.
 */
#include "table/distribution.h"

static bool is_below(const struct tk_distribution *d, uint64_t a, uint64_t b)
{
    return d->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

/* Adds a value, which is `ranked` for the percentiles. */
static int add_ranked(struct tk_distribution *d, uint64_t value, uint64_t ranked)
{
    if (!d->count)
        tk_sketch_init(&d->sketch, TK_SKETCH_CALLS);
    d->min = !d->count || is_below(d, value, d->min) ? value : d->min;
    d->max = !d->count || is_below(d, d->max, value) ? value : d->max;
    d->total += value;
    d->count++;
    return tk_sketch_add(&d->sketch, TK_SKETCH_CALLS, ranked);
}

int tk_distribution_add(struct tk_distribution *d, uint64_t value)
{
    return add_ranked(d, value, value);
}

int tk_distribution_add_length(struct tk_distribution *d, int64_t length)
{
    d->is_signed = true;
    return add_ranked(d, (uint64_t)length, length < 0 ? 0 : (uint64_t)length);
}

uint64_t tk_distribution_percentile(const struct tk_distribution *d, unsigned share, unsigned of)
{
    uint64_t value = tk_sketch_ranked(&d->sketch, tk_sketch_rank(d->count, share, of));
    if (d->is_signed && value > INT64_MAX)
        value = INT64_MAX;
    return is_below(d, value, d->min) ? d->min : is_below(d, d->max, value) ? d->max : value;
}

void tk_distribution_release(struct tk_distribution *d)
{
    tk_sketch_release(&d->sketch);
    *d = (struct tk_distribution){0};
}
