/*
 * See partition.h. Readers disagree about characters beyond these in names of folders.
 */
#include "args/export/partition.h"

#include "terminal/host.h"

#include <string.h>

/* The length without an ending of the list, in front of which something stands. */
static size_t without(const char *name, size_t n, const char *const *endings)
{
    for (; *endings; endings++) {
        const size_t m = strlen(*endings);
        if (n > m && memcmp(name + n - m, *endings, m) == 0)
            return n - m;
    }
    return n;
}

static char allowed(char c)
{
    static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    return c && strchr(set, c) ? c : '_';
}

void tk_partition_name(const char *path, char *name, size_t room)
{
    static const char *const packed[] = {".zst", ".lz4", ".gz", NULL};
    static const char *const kinds[] = {".utrace", ".tracy", ".json", ".pftrace", ".fxt", ".csv", NULL};
    const char *base = strcmp(path, "-") == 0 ? "stdin" : tk_host_base_name(path);
    size_t n = without(base, strlen(base), packed), to = 0;
    n = without(base, n, kinds);
    for (; to < n && to + 1 < room; to++)
        name[to] = allowed(base[to]);
    name[to] = 0;
}
