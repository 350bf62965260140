/*
 * Locks and folders that processes share. See shared.h.
 */
#include "io/shared.h"

#include "io/os_error.h"
#include "os/folder.h"
#include "os/lock.h"
#include "os/path.h"

#include <string.h>

/* Reading and writing a baseline takes less. */
#define MOST_SECONDS 60

int tk_shared_lock_take(struct tk_shared_lock *lock, const char *path, bool *there, struct tk_err *err)
{
    const enum tk_os_error error = tk_os_path_lock(&lock->file, path, TK_OS_EXCLUSIVE, MOST_SECONDS).error;
    *there = error != TK_OS_NOT_FOUND;
    if (error != TK_OS_OK)
        lock->file = NULL;
    if (error == TK_OS_BUSY)
        return tk_err_set(err, TK_EOUTPUT, "cannot write '%s': another process is changing it", path);
    return TK_OK;
}

void tk_shared_lock_give(struct tk_shared_lock *lock)
{
    tk_os_file_close(lock->file);
    lock->file = NULL;
}

void tk_shared_folder_drop(const char *path)
{
    tk_os_folder_remove(path);
}

int tk_shared_folder(const char *path, bool *made, struct tk_err *err)
{
    struct tk_os_info info;
    const struct tk_os_result why = tk_os_folder_make(path);
    if (made)
        *made = why.error == TK_OS_OK;
    if (why.error == TK_OS_OK)
        return TK_OK;
    if (tk_os_path_info(path, &info).error == TK_OS_OK && info.kind == TK_OS_FOLDER)
        return TK_OK;
    return tk_os_error_set(err, TK_EOUTPUT, why, "cannot make folder '%s'", path);
}

static bool ends_so(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return name[0] != '.' && n >= m && strcmp(name + n - m, end) == 0;
}

int tk_shared_folder_has(const char *path, const char *end, bool *there, struct tk_err *err)
{
    struct tk_os_folder *folder = NULL;
    const char *name = NULL;
    struct tk_os_result why = tk_os_folder_open(&folder, path);
    *there = false;
    while (why.error == TK_OS_OK && !*there) {
        why = tk_os_folder_next(folder, &name);
        if (why.error != TK_OS_OK || !name)
            break;
        *there = ends_so(name, end);
    }
    tk_os_folder_close(folder);
    return why.error == TK_OS_OK ? TK_OK
                                 : tk_os_error_set(err, TK_EOUTPUT, why, "cannot read folder '%s'", path);
}
