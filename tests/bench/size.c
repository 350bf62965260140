/* Numbers on the command lines of the benchmark programs. */
#include "size.h"

#include <stdlib.h>
#include <string.h>

int tk_bench_size(const char *text, uint64_t *value)
{
    static const char suffixes[] = "kMG";
    char *end;

    *value = strtoull(text, &end, 10);
    if (end == text)
        return -1;
    if (!*end)
        return 0;

    const char *suffix = strchr(suffixes, *end);

    if (!suffix || end[1])
        return -1;
    for (const char *at = suffixes; at <= suffix; at++)
        *value *= 1000;
    return 0;
}
