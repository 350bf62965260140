/*
 * The cache of symbols, a part of the cache of the user. See symbol_cache.h.
 */
#include "symbols/symbol_cache.h"

static const struct tk_user_cache *const cache = &tk_user_caches[TK_CACHE_SYMBOLS];

bool tk_symbol_cache_path(char out[TK_CACHE_PATH], const uint8_t *id, uint32_t n)
{
    return tk_user_cache_path(out, cache, id, n);
}

bool tk_symbol_cache_put(const char *path, const uint8_t *bytes, size_t n)
{
    return tk_user_cache_put(cache, path, bytes, n);
}

void tk_symbol_cache_trim(void)
{
    tk_user_cache_trim(cache);
}
