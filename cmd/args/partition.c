/*
 * See partition.h. Readers disagree about characters beyond these in names of folders.
 */
#include "args/partition.h"

#include "terminal/host.h"

#include <string.h>

static char allowed(char c)
{
    static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    return c && strchr(set, c) ? c : '_';
}

void tk_partition_name(const char *path, char *name, size_t room)
{
    const char *base = strcmp(path, "-") == 0 ? "stdin" : tk_host_base_name(path);
    const size_t n = tk_host_stem(base);
    size_t to = 0;
    for (; to < n && to + 1 < room; to++)
        name[to] = allowed(base[to]);
    name[to] = 0;
}
