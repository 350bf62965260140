/*
 * Tables of providers; see providers.h.
 */
#include "format/fuchsia/providers.h"

#include <stdlib.h>

enum { MOST_PROVIDERS = 65536 };

#define SECOND UINT64_C(1000000000)

struct tk_fx_provider *tk_fx_provider_of(const struct tk_fx_providers *p, uint32_t id)
{
    uint32_t at = tk_map_get(&p->index, id);
    return at == TK_MAP_NONE ? NULL : p->list.v[at];
}

struct tk_fx_provider *tk_fx_provider_new(struct tk_fx_providers *p, uint32_t id)
{
    struct tk_fx_provider *provider = tk_fx_provider_of(p, id);
    if (!provider) {
        provider = p->list.n < MOST_PROVIDERS ? calloc(1, sizeof *provider) : NULL;
        if (!provider || tk_vec_push(&p->list, provider)) {
            free(provider);
            return NULL;
        }
        if (tk_map_put(&p->index, id, (uint32_t)p->list.n - 1))
            return NULL;
    }
    tk_vec_release(&provider->strings);
    *provider = (struct tk_fx_provider){.id = id, .ticks = SECOND};
    return provider;
}

/* (high * 2^64 + low) / divisor, where high is below divisor. */
static uint64_t divide(uint64_t high, uint64_t low, uint64_t divisor)
{
    for (unsigned i = 0; i < 64; i++) {
        const bool carry = high >> 63;
        high = high << 1 | low >> 63;
        low <<= 1;
        if (carry || high >= divisor) {
            high -= divisor;
            low |= 1;
        }
    }
    return low;
}

static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *high)
{
    const uint64_t half = UINT32_MAX;
    uint64_t low = (a & half) * (b & half), mid = (a >> 32) * (b & half) + (low >> 32);
    uint64_t other = (a & half) * (b >> 32) + (mid & half);
    *high = (a >> 32) * (b >> 32) + (mid >> 32) + (other >> 32);
    return other << 32 | (low & half);
}

bool tk_fx_time(const struct tk_fx_provider *p, uint64_t ticks, int64_t *ns)
{
    uint64_t high = 0, value = ticks;
    if (p->ticks != SECOND) {
        uint64_t low = multiply(ticks, SECOND, &high);
        if (high >= p->ticks)
            return false;
        value = high ? divide(high, low, p->ticks) : low / p->ticks;
    }
    *ns = (int64_t)value;
    return value < INT64_MAX;
}

void tk_fx_providers_release(struct tk_fx_providers *p)
{
    for (size_t i = 0; i < p->list.n; i++) {
        tk_vec_release(&p->list.v[i]->strings);
        free(p->list.v[i]);
    }
    tk_vec_release(&p->list);
    tk_map_release(&p->index);
}
