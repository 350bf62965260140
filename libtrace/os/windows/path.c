/*
 * Names of files: looking at them, renaming and removing.
 */
#include "os/windows/win32.h"

#include "os/path.h"

#include "base/text/copy.h"
#include "os/windows/again.h"
#include "os/windows/failure.h"
#include "os/windows/handle.h"
#include "os/windows/wide.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_SLEEP = 256 }; /* ms: 511 with those before */

bool tk_os_try_again(unsigned long *ms)
{
    const DWORD error = GetLastError();
    if (*ms > LONGEST_SLEEP || (error != ERROR_ACCESS_DENIED && error != ERROR_SHARING_VIOLATION &&
                                error != ERROR_LOCK_VIOLATION && error != ERROR_DELETE_PENDING))
        return false;
    Sleep(*ms);
    *ms *= 2;
    SetLastError(error);
    return true;
}

static struct tk_os_result look_at(const char *path, unsigned long flags, struct tk_os_info *info)
{
    struct tk_os_file *f;
    struct tk_os_result why =
        tk_os_handle_open(&f, path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags);
    if (why.error)
        return why;
    why = tk_os_handle_info(f->handle, info);
    tk_os_file_close(f);
    return why;
}

struct tk_os_result tk_os_path_info(const char *path, struct tk_os_info *info)
{
    return look_at(path, 0, info);
}

struct tk_os_result tk_os_path_link_info(const char *path, struct tk_os_info *info)
{
    return look_at(path, FILE_FLAG_OPEN_REPARSE_POINT, info);
}

/* Without \\?\ in front, which few programs take. */
static char *displayed_path(wchar_t *path)
{
    if (wcsncmp(path, L"\\\\?\\UNC\\", 8) == 0) {
        path += 6;
        path[0] = L'\\';
    } else if (wcsncmp(path, L"\\\\?\\", 4) == 0) {
        path += 4;
    }
    return tk_os_narrow_copy(path, wcslen(path));
}

char *tk_os_path_real(const char *path)
{
    struct tk_os_file *f;
    char *real = NULL;
    if (tk_os_handle_open(&f, path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS).error)
        return tk_text_copy(path);
    const DWORD n =
        GetFileType(f->handle) == FILE_TYPE_DISK ? GetFinalPathNameByHandleW(f->handle, NULL, 0, 0) : 0;
    wchar_t *wide = n ? malloc((n + 1) * sizeof *wide) : NULL;
    if (wide && GetFinalPathNameByHandleW(f->handle, wide, n + 1, 0) <= n)
        real = displayed_path(wide);
    free(wide);
    tk_os_file_close(f);
    return real ? real : tk_text_copy(path);
}

/* Two names, and what is done with them. */
typedef bool path_pair_fn(const wchar_t *from, const wchar_t *to);

static struct tk_os_result with_both(const char *from, const char *to, path_pair_fn *act)
{
    wchar_t *a = tk_os_wide_path(from), *b = a ? tk_os_wide_path(to) : NULL;
    unsigned long ms = 1;
    bool done = false;
    struct tk_os_result result = b ? tk_os_result_of(TK_OS_OK) : tk_os_last_failure();
    if (b) {
        do
            done = act(a, b);
        while (!done && tk_os_try_again(&ms));
        if (!done)
            result = tk_os_last_failure();
    }
    free(a);
    free(b);
    return result;
}

/* FILE_RENAME_INFO as it is since Windows 10, which headers of others lack. */
struct rename_info {
    DWORD flags;
    HANDLE root;
    DWORD bytes;
    wchar_t name[1];
};

#define RENAME_EX            22 /* FileRenameInfoEx */
#define RENAME_REPLACES      1  /* FILE_RENAME_FLAG_REPLACE_IF_EXISTS */
#define RENAME_AS_POSIX_DOES 2  /* FILE_RENAME_FLAG_POSIX_SEMANTICS */

/* Replaces a file also while others have it open, where they share deleting. */
static bool rename_as_posix(const wchar_t *from, const wchar_t *to)
{
    const size_t n = wcslen(to), size = sizeof(struct rename_info) + n * sizeof *to;
    struct rename_info *info = calloc(1, size);
    if (!info)
        return false;
    HANDLE h =
        CreateFileW(from, DELETE | SYNCHRONIZE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    info->flags = RENAME_REPLACES | RENAME_AS_POSIX_DOES;
    info->bytes = (DWORD)(n * sizeof *to);
    memcpy(info->name, to, n * sizeof *to);
    const bool done = h != INVALID_HANDLE_VALUE &&
                      SetFileInformationByHandle(h, (FILE_INFO_BY_HANDLE_CLASS)RENAME_EX, info, (DWORD)size);
    if (h != INVALID_HANDLE_VALUE)
        CloseHandle(h);
    free(info);
    return done;
}

static bool replace(const wchar_t *from, const wchar_t *to)
{
    return rename_as_posix(from, to) || MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING);
}

static bool rename_only(const wchar_t *from, const wchar_t *to)
{
    return MoveFileExW(from, to, 0);
}

static bool add_name(const wchar_t *path, const wchar_t *name)
{
    return CreateHardLinkW(name, path, NULL);
}

struct tk_os_result tk_os_path_rename_over(const char *from, const char *to)
{
    return with_both(from, to, replace);
}

struct tk_os_result tk_os_path_rename_new(const char *from, const char *to)
{
    return with_both(from, to, rename_only);
}

struct tk_os_result tk_os_path_add_name(const char *path, const char *name)
{
    return with_both(path, name, add_name);
}

struct tk_os_result tk_os_path_remove(const char *path)
{
    wchar_t *wide = tk_os_wide_path(path);
    unsigned long ms = 1;
    bool done;
    if (!wide)
        return tk_os_last_failure();
    do
        done = DeleteFileW(wide);
    while (!done && tk_os_try_again(&ms));
    const struct tk_os_result result = done ? tk_os_result_of(TK_OS_OK) : tk_os_last_failure();
    free(wide);
    return result;
}
