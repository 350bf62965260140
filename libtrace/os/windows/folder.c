/*
 * Folders, gone through by FindFirstFileW.
 */
#include "os/windows/win32.h"

#include "os/folder.h"

#include "os/path.h"
#include "os/windows/again.h"
#include "os/windows/failure.h"
#include "os/windows/wide.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    while (!done && tk_os_try_again(&ms));
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
