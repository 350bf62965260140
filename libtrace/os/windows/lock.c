/*
 * Locks as files alongside those that are locked, which nobody else can open meanwhile: a file that is open
 * cannot be replaced everywhere, so what is locked must not be the file itself. They are hidden, and gone
 * with their handles; file servers keep them, too.
 */
#include "os/windows/win32.h"

#include "os/lock.h"

#include "base/text/path.h"
#include "os/clock.h"
#include "os/path.h"
#include "os/windows/failure.h"
#include "os/windows/handle.h"
#include "os/windows/wide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAP = 64 }; /* ms */

/* .NAME.lock in the folder of the file that the path leads to; NULL: GetLastError says. */
static wchar_t *name_of_lock(const char *path)
{
    char *real = tk_os_path_real(path);
    const size_t base = real ? tk_path_base(real) : 0, capacity = real ? strlen(real) + sizeof "..lock" : 0;
    char *name = real ? malloc(capacity) : NULL;
    if (name)
        snprintf(name, capacity, "%.*s.%s.lock", (int)base, real, real + base);
    else
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
    wchar_t *wide = name ? tk_os_wide_path(name) : NULL;
    free(name);
    free(real);
    return wide;
}

static HANDLE open_lock(const wchar_t *name, enum tk_os_locking kind)
{
    const DWORD access = DELETE | (kind == TK_OS_SHARED ? GENERIC_READ : GENERIC_READ | GENERIC_WRITE);
    const DWORD share = kind == TK_OS_SHARED ? FILE_SHARE_READ | FILE_SHARE_DELETE : 0;
    return CreateFileW(name, access, share, NULL, OPEN_ALWAYS,
                       FILE_ATTRIBUTE_HIDDEN | FILE_FLAG_DELETE_ON_CLOSE, NULL);
}

/* Somebody has it, or had it just now. */
static bool is_taken(const char *path)
{
    const DWORD error = GetLastError();
    struct tk_os_info info;
    return error == ERROR_SHARING_VIOLATION || error == ERROR_DELETE_PENDING ||
           (error == ERROR_ACCESS_DENIED && !tk_os_path_info(path, &info).error);
}

static struct tk_os_result lock_until(struct tk_os_file *f, const wchar_t *name, const char *path,
                                      enum tk_os_locking kind, double end)
{
    for (DWORD ms = 1;; ms = ms < LONGEST_NAP ? ms * 2 : LONGEST_NAP) {
        f->handle = open_lock(name, kind);
        if (f->handle != INVALID_HANDLE_VALUE)
            return tk_os_result_of(TK_OS_OK);
        const struct tk_os_result why = tk_os_last_failure();
        if (!is_taken(path))
            return why;
        if (tk_os_seconds() >= end) /* a folder without rights looks the same as a lock that goes away */
            return why.error == TK_OS_DENIED ? why : tk_os_result_of(TK_OS_BUSY);
        Sleep(ms);
    }
}

struct tk_os_result tk_os_path_lock(struct tk_os_file **out, const char *path, enum tk_os_locking kind,
                                    double seconds)
{
    const double end = tk_os_seconds() + seconds;
    struct tk_os_info info;
    struct tk_os_result result = tk_os_path_info(path, &info);
    *out = NULL;
    if (!result.error && info.kind != TK_OS_FILE)
        result = tk_os_failure(ERROR_INVALID_FUNCTION);
    if (result.error)
        return result;
    struct tk_os_file *f = calloc(1, sizeof *f);
    if (!f)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    wchar_t *name = name_of_lock(path);
    result = name ? lock_until(f, name, path, kind, end) : tk_os_last_failure();
    free(name);
    if (!result.error)
        *out = f;
    else
        free(f);
    return result;
}
