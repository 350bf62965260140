/*
 * Names for people: nearest names and the limits. See tracekit.h.
 */
#include "base/text/nearest.h"
#include "health/limits.h"

#include <string.h>

const char *tk_nearest(const char *wanted, const char *const *names, size_t n)
{
    struct tk_nearest_search near;
    tk_nearest_begin(&near, wanted);
    for (size_t i = 0; i < n; i++)
        tk_nearest_offer(&near, names[i], strlen(names[i]));
    return near.n ? near.names[0].p : NULL;
}

static const struct {
    const char *name;
    uint64_t value;
    const char *help;
} limits[] = {
#define LIMIT_ROW(name, value, help) {#name, value, help},
    TK_LIMITS(LIMIT_ROW)
#undef LIMIT_ROW
};

size_t tk_limit_count(void)
{
    return sizeof limits / sizeof limits[0];
}

void tk_limit_describe(size_t index, const char **name, uint64_t *value, const char **help)
{
    if (name)
        *name = limits[index].name;
    if (value)
        *value = limits[index].value;
    if (help)
        *help = limits[index].help;
}
