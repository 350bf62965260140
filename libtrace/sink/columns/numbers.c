/*
 * A table of numbers by their hash, which is emptied by a new round.
 */
#include "base/hash.h"
#include "sink/columns/columns_in.h"

enum { FREE = 64 }; /* so many may differ whatever comes */

static uint64_t place_of(struct tk_numbers *d, uint64_t v)
{
    size_t at = tk_hash_u64(v) % TK_NUMBERS_SLOTS;
    while (d->slots[at].round == d->round) {
        if (d->list[d->slots[at].place] == v)
            return d->slots[at].place;
        at = (at + 1) % TK_NUMBERS_SLOTS;
    }
    if (d->n < TK_NUMBERS_MOST) {
        d->slots[at].round = d->round;
        d->slots[at].place = (uint32_t)d->n;
        d->list[d->n] = v;
    }
    return d->n++;
}

bool tk_numbers_find(struct tk_numbers *d, const uint64_t *v, size_t n, uint64_t *places)
{
    const size_t most = FREE + n / 4 < TK_NUMBERS_MOST ? FREE + n / 4 : TK_NUMBERS_MOST;
    uint64_t last = 0;
    d->n = 0;
    if (++d->round == 0) { /* it begins again: what stands there is older */
        memset(d->slots, 0, sizeof d->slots);
        d->round = 1;
    }
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || v[i] != v[i - 1])
            last = place_of(d, v[i]);
        if (d->n > most)
            return false;
        places[i] = last;
    }
    return true;
}
