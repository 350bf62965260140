/*
 * Files that are there for a while, in the folder for temporary files.
 * Of what os/ has for each system: the library and the commands make theirs so.
 */
#ifndef TK_OS_TEMPORARY_H
#define TK_OS_TEMPORARY_H

#include "os/file.h"
#include "os/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes an empty file that only the user may read; its name ends with `name`. *path is to be freed, and the
 * file to be removed. */
static inline struct tk_os_result tk_os_temporary_file(char **path, const char *name)
{
    enum { TRIES = 8, MORE = 40 };
    const char *folder = tk_os_temporary_folder();
    const size_t capacity = strlen(folder) + strlen(name) + MORE;
    char *place = malloc(capacity);
    struct tk_os_result r = tk_os_result_of(place ? TK_OS_EXISTS : TK_OS_NO_MEMORY);
    for (unsigned i = 0; i < TRIES && r.error == TK_OS_EXISTS; i++) {
        struct tk_os_file *file;
        uint64_t number = i;
        (void)tk_random(&number);
        snprintf(place, capacity, "%s/tracekit-%016" PRIx64 "-%s", folder, number, name);
        r = tk_os_file_create_private(&file, place);
        if (r.error == TK_OS_OK)
            (void)tk_os_file_close(file);
    }
    if (r.error != TK_OS_OK) {
        free(place);
        place = NULL;
    }
    *path = place;
    return r;
}

#endif
