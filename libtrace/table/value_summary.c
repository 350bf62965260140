/*
 * Sums and percentiles of the values of a counter.
 */
#include "table/value_summary.h"

#include "base/wrap.h"

#include <math.h>
#include <string.h>

/*
 * Distributions.
 */

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

/*
 * Buckets of sizes: 128 an octave, for octaves FIRST_OCTAVE to LAST_OCTAVE; what is smaller counts as 0, what
 * is infinite lies in the last octave, which has nothing else. With whole numbers below 256 each bucket holds
 * one. A page is a sketch of 256 octaves.
 */
enum { BITS = 7, FIRST_OCTAVE = -200, LAST_OCTAVE = 1024, PAGE_BITS = 15 };

_Static_assert((LAST_OCTAVE - FIRST_OCTAVE) >> (PAGE_BITS - BITS) == TK_VALUE_PAGES - 1, "pages of sizes");

/* Numbers of this size are added up apart, divided by 2^GREAT_BY: 2^64 of the greatest do not overflow. */
#define GREAT 0x1p800
enum { GREAT_BY = 200 };

/* ---- sums ---- */

/* Adds a real; what rounding takes away is kept (Neumaier). */
static void add_real(double *sum, double *lost, double r)
{
    double total = *sum + r;
    if (isfinite(total))
        *lost += fabs(*sum) >= fabs(r) ? (*sum - total) + r : (r - total) + *sum;
    *sum = total;
}

void tk_sum_add_times(struct tk_sum *sum, double r, uint64_t times)
{
    sum->any_real = true;
    if (fabs(r) < GREAT)
        add_real(&sum->real, &sum->lost, r * (double)times);
    else
        add_real(&sum->great, &sum->great_lost, ldexp(r, -GREAT_BY) * (double)times);
}

static void add_wide(struct tk_sum *sum, uint64_t low, int64_t high)
{
    uint64_t before = sum->low;
    sum->low += low;
    sum->high = (int64_t)((uint64_t)sum->high + (uint64_t)high + (sum->low < before));
}

void tk_sum_add(struct tk_sum *sum, struct tk_number number)
{
    if (number.real)
        tk_sum_add_times(sum, number.v.r, 1);
    else
        add_wide(sum, (uint64_t)number.v.i, number.v.i < 0 ? -1 : 0);
}

void tk_sum_merge(struct tk_sum *sum, const struct tk_sum *from)
{
    add_wide(sum, from->low, from->high);
    if (!from->any_real)
        return;
    sum->any_real = true;
    add_real(&sum->real, &sum->lost, from->real);
    add_real(&sum->real, &sum->lost, from->lost);
    add_real(&sum->great, &sum->great_lost, from->great);
    add_real(&sum->great, &sum->great_lost, from->great_lost);
}

static double wide_real(uint64_t low, int64_t high)
{
    if (high >= 0)
        return ldexp((double)high, 64) + (double)low;
    uint64_t minus_low = 0 - low, minus_high = ~(uint64_t)high + (low == 0);
    return -(ldexp((double)minus_high, 64) + (double)minus_low);
}

double tk_sum_mean(const struct tk_sum *sum, uint64_t n)
{
    const double whole = wide_real(sum->low, sum->high);
    if (!sum->any_real)
        return whole / (double)n;
    const double rest = (whole + sum->real + sum->lost) / (double)n,
                 great = (sum->great + sum->great_lost) / (double)n;
    return rest + ldexp(great, GREAT_BY);
}

double tk_sum_real(const struct tk_sum *sum)
{
    return tk_sum_mean(sum, 1);
}

struct tk_number tk_sum_number(const struct tk_sum *sum)
{
    bool fits = sum->high == (sum->low >> 63 ? -1 : 0);
    if (sum->any_real || !fits)
        return (struct tk_number){.real = true, .v.r = tk_sum_real(sum)};
    return (struct tk_number){.v.i = (int64_t)sum->low};
}

/* ---- sketches ---- */

/* The bucket of a size > 0; false where it is too small. */
static bool bucket_of(double size, uint32_t *out)
{
    int octave;
    *out = (uint32_t)(LAST_OCTAVE - FIRST_OCTAVE) << BITS;
    if (!isfinite(size))
        return true;
    double part = frexp(size, &octave) * 2; /* 1 to 2 */
    octave--;
    if (octave < FIRST_OCTAVE)
        return false;
    *out = (uint32_t)(octave - FIRST_OCTAVE) << BITS | (uint32_t)((part - 1) * (1 << BITS));
    return true;
}

/* What a bucket is known by: its middle; of whole numbers the middle one, rounded down. */
static double bucket_value(uint32_t bucket, bool whole)
{
    int octave = (int)(bucket >> BITS) + FIRST_OCTAVE;
    double width = ldexp(1, octave - BITS);
    double low = ldexp(1, octave) + width * (bucket & ((1 << BITS) - 1));
    return whole ? low + floor((width > 1 ? width - 1 : 0) / 2) : low + width / 2;
}

static int add_size(struct tk_value_summary *f, double size, bool negative)
{
    uint32_t bucket;
    if (!(size > 0) || !bucket_of(size, &bucket)) {
        f->zeros++;
        return 0;
    }
    struct tk_value_sketch *s = negative ? &f->below : &f->above;
    return tk_sketch_add_n(&s->pages[bucket >> PAGE_BITS], bucket & ((1u << PAGE_BITS) - 1), 1);
}

static uint64_t count_sizes(const struct tk_value_sketch *s)
{
    uint64_t n = 0;
    for (size_t i = 0; i < TK_VALUE_PAGES; i++)
        n += tk_sketch_count(&s->pages[i]);
    return n;
}

/* The bucket that holds the value of a rank, the least being 1; there are as many. */
static uint32_t ranked_value_summary(const struct tk_value_sketch *s, uint64_t rank)
{
    uint64_t seen = 0;
    uint32_t page = 0, at = 0;
    while (page + 1 < TK_VALUE_PAGES && seen + tk_sketch_count(&s->pages[page]) < rank)
        seen += tk_sketch_count(&s->pages[page++]);
    const struct tk_sketch *in = &s->pages[page];
    for (at = in->first; at < (uint32_t)in->first + in->n; at++) {
        seen += tk_sketch_count_at(in, at);
        if (seen >= rank)
            break;
    }
    return page << PAGE_BITS | at;
}

static bool is_less_value_summary(struct tk_number a, struct tk_number b)
{
    if (!a.real && !b.real)
        return a.v.i < b.v.i;
    return (a.real ? a.v.r : (double)a.v.i) < (b.real ? b.v.r : (double)b.v.i);
}

static struct tk_number number_of_value_summary(double r, bool whole)
{
    if (!whole)
        return (struct tk_number){.real = true, .v.r = r};
    return (struct tk_number){.v.i = tk_saturate_i64(r)};
}

struct tk_number tk_value_summary_percentile(const struct tk_value_summary *f, unsigned share, unsigned of)
{
    bool whole = f->whole == f->numbers;
    uint64_t below = count_sizes(&f->below), rank = tk_sketch_rank(f->numbers, share, of);
    struct tk_number value = number_of_value_summary(0, whole);
    if (rank <= below)
        value = number_of_value_summary(
            -bucket_value(ranked_value_summary(&f->below, below - rank + 1), whole), whole);
    else if (rank > below + f->zeros)
        value = number_of_value_summary(
            bucket_value(ranked_value_summary(&f->above, rank - below - f->zeros), whole), whole);
    if (is_less_value_summary(value, f->min))
        return f->min;
    return is_less_value_summary(f->max, value) ? f->max : value;
}

/* ---- values ---- */

int tk_value_summary_add(struct tk_value_summary *f, struct tk_number value)
{
    double r = value.real ? value.v.r : (double)value.v.i;
    f->last = value;
    if (f->count++ == 0)
        f->first = value;
    if (isnan(r))
        return 0;
    if (f->numbers == 0 || is_less_value_summary(value, f->min))
        f->min = value;
    if (f->numbers == 0 || is_less_value_summary(f->max, value))
        f->max = value;
    f->numbers++;
    f->whole += !value.real;
    tk_sum_add(&f->total, value);
    return add_size(f, fabs(r), r < 0);
}

void tk_value_summary_stop(struct tk_value_summary *f, int64_t now)
{
    if (f->stepping && now > f->since) {
        uint64_t held = (uint64_t)now - (uint64_t)f->since;
        tk_sum_add_times(&f->weighted, f->step, held);
        f->weight += held;
    }
    f->stepping = false;
}

void tk_value_summary_step(struct tk_value_summary *f, struct tk_number value, int64_t now)
{
    double r = value.real ? value.v.r : (double)value.v.i;
    tk_value_summary_stop(f, now);
    f->stepping = !isnan(r);
    f->step = r;
    f->since = now;
}

void tk_value_summary_close_frame(struct tk_value_summary *f)
{
    struct tk_number sum = tk_sum_number(&f->frame_sum);
    if (!f->in_frame)
        return;
    if (!f->any_frame || is_less_value_summary(f->frame_max, sum))
        f->frame_max = sum;
    f->any_frame = true;
    tk_sum_merge(&f->frames_sum, &f->frame_sum);
    f->frame_sum = (struct tk_sum){0};
    f->in_frame = false;
}

void tk_value_summary_frame(struct tk_value_summary *f, uint32_t frame, struct tk_number given)
{
    if (given.real && isnan(given.v.r))
        return;
    if (f->in_frame && f->frame != frame)
        tk_value_summary_close_frame(f);
    f->in_frame = true;
    f->frame = frame;
    tk_sum_add(&f->frame_sum, given);
}

void tk_value_summary_release(struct tk_value_summary *f)
{
    for (size_t i = 0; i < TK_VALUE_PAGES; i++) {
        tk_sketch_release(&f->above.pages[i]);
        tk_sketch_release(&f->below.pages[i]);
    }
}
