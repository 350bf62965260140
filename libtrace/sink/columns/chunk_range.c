/*
 * Ranges: numbers with and without a sign, as only the end of a file shows which it has; reals without NaN;
 * texts by their bytes, cut where they are long. See chunk_range.h.
 */
#include "sink/columns/chunk_range.h"

#include "base/text/text.h"

#include <math.h>

enum { MOST_TEXT = 64 };

static void range_of_numbers(struct tk_chunk_range *r, const uint64_t *v, size_t n)
{
    int64_t least = INT64_MAX, most = INT64_MIN, last = INT64_MIN;
    unsigned falls = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t s = (int64_t)v[i];
        least = s < least ? s : least;
        most = s > most ? s : most;
        falls |= s < last;
        last = s;
    }
    r->known = r->exact_least = r->exact_most = true;
    r->rising = !falls;
    r->least[0] = r->least[1] = (uint64_t)least;
    r->most[0] = r->most[1] = (uint64_t)most;
    if (least >= 0)
        return;
    r->least[1] = UINT64_MAX;
    r->most[1] = 0;
    for (size_t i = 0; i < n; i++) {
        r->least[1] = v[i] < r->least[1] ? v[i] : r->least[1];
        r->most[1] = v[i] > r->most[1] ? v[i] : r->most[1];
    }
}

static double real_of(uint64_t bits, bool single)
{
    const uint32_t low = (uint32_t)bits;
    float narrow;
    double wide;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    return single ? (double)narrow : wide;
}

/* Zeros of both signs are equal, so that both have to be between the ends. */
static void range_of_reals(struct tk_chunk_range *r, const uint64_t *v, size_t n, bool single)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        const double x = real_of(v[i], single);
        if (isnan(x))
            continue;
        r->known = true;
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    r->exact_least = r->exact_most = true;
    r->least[0] = tk_group_bits(least == 0 ? -0.0 : least, single);
    r->most[0] = tk_group_bits(most == 0 ? 0.0 : most, single);
}

/* Bytes of whole characters, at most MOST_TEXT. */
static uint32_t cut(struct tk_str s)
{
    uint32_t n = s.n < MOST_TEXT ? s.n : MOST_TEXT;
    while (n && n < s.n && ((uint8_t)s.p[n] & 0xc0) == 0x80)
        n--;
    return n;
}

/* A long text as a shorter one that is greater, and still UTF-8: the last letter of ASCII one further. false:
 * there is none. */
static bool put_above(struct tk_buffer *b, struct tk_str s, uint32_t *n)
{
    for (*n = cut(s); *n; --*n) {
        const uint8_t last = (uint8_t)s.p[*n - 1];
        if (last < 0x7e) {
            tk_buffer_put(b, s.p, *n - 1);
            tk_buffer_char(b, (char)(last + 1));
            return true;
        }
    }
    return false;
}

static void range_of_texts(struct tk_chunk_range *r, const struct tk_texts *t, struct tk_buffer *ranges)
{
    struct tk_str least = {0}, most = {0};
    const size_t at = ranges->n;
    for (size_t i = 0; i < t->places.n; i++) {
        const struct tk_str s = tk_texts_at(t, i);
        least = i == 0 || tk_str_order(&s, &least) < 0 ? s : least;
        most = i == 0 || tk_str_order(&s, &most) > 0 ? s : most;
    }
    r->text = at;
    r->n_least = cut(least);
    r->exact_least = r->n_least == least.n;
    r->exact_most = most.n <= MOST_TEXT;
    r->n_most = most.n;
    tk_buffer_put(ranges, least.p, r->n_least);
    r->known = t->places.n > 0;
    if (r->exact_most)
        tk_buffer_put(ranges, most.p, most.n);
    else if (!put_above(ranges, most, &r->n_most))
        r->known = false;
    if (!r->known)
        ranges->n = at;
}

void tk_chunk_range_of(struct tk_chunk_range *r, const struct tk_group_column *c, const uint64_t *v, size_t n,
                       struct tk_buffer *ranges)
{
    *r = (struct tk_chunk_range){0};
    if (n == 0 || c->store == TK_STORE_BYTES)
        return;
    if (c->store == TK_STORE_TEXT)
        range_of_texts(r, &c->texts, ranges);
    else if (c->store == TK_STORE_FLOAT || c->store == TK_STORE_REAL)
        range_of_reals(r, v, n, c->store == TK_STORE_FLOAT);
    else
        range_of_numbers(r, v, n);
}
