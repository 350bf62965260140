/*
 * Creates and names unfinished files beside their final name. output.c and output_folder.c rename them when
 * complete.
 */
#include "io/output/staging.h"

#include "base/text/path.h"
#include "os/atomic.h"
#include "os/path.h"
#include "os/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIES = 100 };

/* Nobody else uses it now: not this process, by the counter, and no other, by its id. */
static void put_name_staging(char *name, size_t room)
{
    static struct tk_atomic counter;
    snprintf(name, room, ".tracekit-%llu-%zu.part", (unsigned long long)tk_os_process_id(),
             tk_atomic_add(&counter, 1));
}

struct tk_os_result tk_staging_make(char **out, const char *path, tk_staging_make_fn *make, void *ctx)
{
    const size_t dir = tk_path_base(path), room = dir + 64;
    char *name = malloc(room);
    *out = NULL;
    if (!name)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    memcpy(name, path, dir);
    struct tk_os_result why = tk_os_result_of(TK_OS_EXISTS);
    for (int i = 0; i < MOST_TRIES && why.error == TK_OS_EXISTS; i++) {
        put_name_staging(name + dir, room - dir);
        why = make(name, ctx);
    }
    if (why.error)
        free(name);
    else
        *out = name;
    return why;
}

enum tk_place tk_place_of(const char *path)
{
    struct tk_os_info info;
    if (tk_os_path_info(path, &info).error)
        return TK_PLACE_EMPTY;
    return info.kind == TK_OS_FILE ? TK_PLACE_FILE : TK_PLACE_OTHER;
}

char *tk_place_real(const char *path)
{
    return tk_os_path_real(path);
}
