/*
 * Names of files: looking at them, renaming and removing.
 */
#include "os/windows/win32.h"

#include "base/text/path.h"

#include "base/text/copy.h"
#include "os/clock.h"
#include "os/path.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_SLEEP = 256 }; /* ms: 511 with those before */

/* After a failure: may it go away by itself, as where a scanner of viruses or an indexer has a file open for
 * a moment? Sleeps then, longer each time, half a second altogether. *ms begins with 1. */
static bool try_again(unsigned long *ms)
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
        while (!done && try_again(&ms));
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
    while (!done && try_again(&ms));
    const struct tk_os_result result = done ? tk_os_result_of(TK_OS_OK) : tk_os_last_failure();
    free(wide);
    return result;
}

/*
 * Folders, gone through by FindFirstFileW.
 */

struct tk_os_folder {
    HANDLE search; /* INVALID_HANDLE_VALUE: there is nothing, not even "." */
    bool found;    /* `entry` has not been reported yet */
    WIN32_FIND_DATAW entry;
    char name[3 * MAX_PATH + 1];
};

static char *join(const char *folder, const char *name)
{
    const size_t n = strlen(folder) + strlen(name) + 2;
    char *path = malloc(n);
    if (path)
        snprintf(path, n, "%s/%s", folder, name);
    return path;
}

static struct tk_os_result begin_search(struct tk_os_folder *f, const char *path)
{
    char *pattern = join(path, "*");
    wchar_t *wide = pattern ? tk_os_wide_path(pattern) : NULL;
    struct tk_os_result result = pattern ? tk_os_result_of(TK_OS_OK) : tk_os_result_of(TK_OS_NO_MEMORY);
    free(pattern);
    if (wide)
        f->search = FindFirstFileExW(wide, FindExInfoBasic, &f->entry, FindExSearchNameMatch, NULL,
                                     FIND_FIRST_EX_LARGE_FETCH);
    f->found = f->search != INVALID_HANDLE_VALUE;
    if (!result.error && !f->found && GetLastError() != ERROR_FILE_NOT_FOUND)
        result = tk_os_last_failure();
    free(wide);
    return result;
}

struct tk_os_result tk_os_folder_open(struct tk_os_folder **out, const char *path)
{
    struct tk_os_info info;
    struct tk_os_result result = tk_os_path_info(path, &info);
    *out = NULL;
    if (!result.error && info.kind != TK_OS_FOLDER)
        result = tk_os_failure(ERROR_DIRECTORY);
    if (result.error)
        return result;
    struct tk_os_folder *f = calloc(1, sizeof *f);
    if (!f)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    f->search = INVALID_HANDLE_VALUE;
    result = begin_search(f, path);
    if (result.error)
        free(f);
    else
        *out = f;
    return result;
}

static bool is_entry(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

struct tk_os_result tk_os_folder_next(struct tk_os_folder *f, const char **name)
{
    *name = NULL;
    do {
        if (f->search == INVALID_HANDLE_VALUE)
            return tk_os_result_of(TK_OS_OK);
        if (!f->found && !FindNextFileW(f->search, &f->entry))
            return GetLastError() == ERROR_NO_MORE_FILES ? tk_os_result_of(TK_OS_OK) : tk_os_last_failure();
        f->found = false;
        tk_os_narrow(f->name, f->entry.cFileName, wcslen(f->entry.cFileName));
    } while (!is_entry(f->name));
    *name = f->name;
    return tk_os_result_of(TK_OS_OK);
}

void tk_os_folder_close(struct tk_os_folder *f)
{
    if (f && f->search != INVALID_HANDLE_VALUE)
        FindClose(f->search);
    free(f);
}

struct tk_os_result tk_os_folder_make(const char *path)
{
    wchar_t *wide = tk_os_wide_path(path);
    const bool done = wide && CreateDirectoryW(wide, NULL);
    const struct tk_os_result result = done ? tk_os_result_of(TK_OS_OK) : tk_os_last_failure();
    free(wide);
    return result;
}

struct tk_os_result tk_os_folder_remove(const char *path)
{
    wchar_t *wide = tk_os_wide_path(path);
    unsigned long ms = 1;
    bool done;
    if (!wide)
        return tk_os_last_failure();
    do
        done = RemoveDirectoryW(wide);
    while (!done && try_again(&ms));
    const struct tk_os_result result = done ? tk_os_result_of(TK_OS_OK) : tk_os_last_failure();
    free(wide);
    return result;
}

void tk_os_folder_clear(const char *path)
{
    struct tk_os_folder *f;
    const char *name;
    if (tk_os_folder_open(&f, path).error)
        return;
    while (tk_os_folder_next(f, &name).error == TK_OS_OK && name) {
        char *file = join(path, name);
        if (file)
            (void)tk_os_path_remove(file);
        free(file);
    }
    tk_os_folder_close(f);
}

/*
 * Locks as files alongside those that are locked, which nobody else can open meanwhile: a file that is open
 * cannot be replaced everywhere, so what is locked must not be the file itself. They are hidden, and gone
 * with their handles; file servers keep them, too.
 */

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
