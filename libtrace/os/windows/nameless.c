/*
 * Files that are gone with their handles, also when the process is ended. Spools and spills keep their data
 * there.
 */
#include "os/windows/win32.h"

#include "os/process.h"
#include "os/random.h"
#include "os/thread.h"
#include "os/windows/failure.h"
#include "os/windows/handle.h"
#include "os/windows/wide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIES = 100 };

static char *temporary;

/* GetTempPath2W, which keeps those of services apart, is not in all releases. */
static void find_temporary(void)
{
    wchar_t wide[MAX_PATH + 2];
    const DWORD n = GetTempPathW(MAX_PATH + 1, wide);
    temporary = n > 0 && n <= MAX_PATH ? tk_os_narrow_copy(wide, n) : NULL;
}

const char *tk_os_temporary_folder(void)
{
    static struct tk_os_once once;
    const char *folder = getenv("TMPDIR");
    if (folder && *folder)
        return folder;
    tk_os_once(&once, find_temporary);
    return temporary ? temporary : ".";
}

struct tk_os_result tk_os_file_create_nameless(struct tk_os_file **out, const char *folder)
{
    const size_t room = strlen(folder) + 64;
    char *path = malloc(room);
    struct tk_os_result result = tk_os_result_of(path ? TK_OS_EXISTS : TK_OS_NO_MEMORY);
    *out = NULL;
    for (int i = 0; i < MOST_TRIES && result.error == TK_OS_EXISTS; i++) {
        uint64_t random = (uint64_t)i;
        tk_random(&random);
        snprintf(path, room, "%s\\tracekit-%llu-%llx.tmp", folder, (unsigned long long)tk_os_process_id(),
                 (unsigned long long)random);
        result = tk_os_handle_open(out, path, GENERIC_READ | GENERIC_WRITE, CREATE_NEW,
                                   FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE);
    }
    free(path);
    return result;
}
