/*
 * Creates and names unfinished files beside their final name. output.c and output_folder.c rename them when
 * complete.
 */
#include "os/posix.h"

#include "io/output/staging.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIES = 100 };

/* Nobody else uses it now: not this process, by the counter, and no other, by its id. */
static void put_name_staging(char *name, size_t room)
{
    static atomic_uint counter;
    snprintf(name, room, ".tracekit-%ld-%u.part", (long)getpid(), atomic_fetch_add(&counter, 1));
}

char *tk_staging_make(const char *path, tk_staging_make_fn *make, void *ctx)
{
    const char *slash = strrchr(path, '/');
    const size_t dir = slash ? (size_t)(slash - path) + 1 : 0, room = dir + 64;
    char *name = malloc(room);
    if (!name)
        return NULL;
    memcpy(name, path, dir);
    for (int i = 0; i < MOST_TRIES; i++) {
        put_name_staging(name + dir, room - dir);
        if (make(name, ctx) >= 0)
            return name;
        if (errno != EEXIST && errno != EINTR)
            break;
    }
    int before = errno;
    free(name);
    errno = before;
    return NULL;
}

enum tk_place tk_place_of(const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return TK_PLACE_EMPTY;
    return S_ISREG(st.st_mode) ? TK_PLACE_FILE : TK_PLACE_OTHER;
}

char *tk_place_real(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : strdup(path);
}
