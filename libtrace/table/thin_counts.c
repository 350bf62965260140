/*
 * Counters of thin sketches.
 */
#include "table/table_in.h"

#define SUMMED 16u /* counters in eight bytes */

uint32_t tk_thin_counts_place(const struct tk_sketch *s, uint32_t bucket)
{
    const uint16_t *full = tk_thin_counts_full(s);
    uint32_t i = 0;
    while (i < s->block->u.thin.n_full && full[i] < bucket)
        i++;
    return i;
}

uint64_t tk_thin_counts_at(const struct tk_sketch *s, uint32_t bucket)
{
    if (bucket - s->first >= s->range)
        return 0;
    uint64_t n = tk_thin_counts_half(s, bucket - s->first);
    for (uint32_t i = tk_thin_counts_place(s, bucket);
         i < s->block->u.thin.n_full && tk_thin_counts_full(s)[i] == bucket; i++)
        n += TK_THIN_FULL;
    return n;
}

uint32_t tk_thin_counts_ranked(const struct tk_sketch *s, uint64_t rank)
{
    const uint16_t *full = tk_thin_counts_full(s), *end = full + s->block->u.thin.n_full;
    uint64_t seen = 0;
    uint32_t i = 0;
    for (; i < s->range; i += SUMMED) {
        const uint16_t *next = full;
        uint64_t sum = seen + tk_sketch_sum_of_halves(tk_sketch_eight(s->block->counts + i / 2));
        for (; next < end && *next < s->first + i + SUMMED; next++)
            sum += TK_THIN_FULL;
        if (sum >= rank)
            break;
        seen = sum;
        full = next;
    }
    for (; i < s->range; i++) {
        seen += tk_thin_counts_half(s, i);
        for (; full < end && *full == s->first + i; full++)
            seen += TK_THIN_FULL;
        if (seen >= rank)
            break;
    }
    return i;
}
