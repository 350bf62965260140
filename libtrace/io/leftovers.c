/*
 * Finds and removes unfinished outputs of killed processes.
 */
#include "base/text/path.h"
#include "io/io_in.h"
#include "os/path.h"
#include "os/process.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_SECONDS = 3600, MOST_DEPTH = 2 };

static char *join(const char *folder, size_t n, const char *name)
{
    const size_t capacity = n + strlen(name) + 2;
    char *path = malloc(capacity);
    if (path)
        snprintf(path, capacity, "%.*s%s%s", (int)n, folder,
                 n && tk_path_is_separator(folder[n - 1]) ? "" : "/", name);
    return path;
}

char *tk_leftovers_lock_of(const char *folder)
{
    return join(folder, strlen(folder), ".tracekit.lock");
}

/* ---- removing ---- */

static void clear(const char *folder, int depth);

static void clear_folders(const char *folder, int depth)
{
    struct tk_os_folder *entries;
    struct tk_os_info info;
    const char *name;
    if (tk_os_folder_open(&entries, folder).error)
        return;
    while (!tk_os_folder_next(entries, &name).error && name) {
        char *path = join(folder, strlen(folder), name);
        if (path && !tk_os_path_link_info(path, &info).error && info.kind == TK_OS_FOLDER)
            clear(path, depth);
        free(path);
    }
    tk_os_folder_close(entries);
}

/* Links are not followed, and what is in folders of folders is none of this program's. */
static void clear(const char *folder, int depth)
{
    if (!tk_os_folder_remove(folder).error) /* as a rule it is empty by now */
        return;
    tk_os_folder_clear(folder);
    if (depth > 0)
        clear_folders(folder, depth - 1);
    (void)tk_os_folder_remove(folder);
}

void tk_leftovers_clear(const char *folder)
{
    clear(folder, MOST_DEPTH);
}

/* ---- finding ---- */

static bool has_digits(const char **p)
{
    const char *begin = *p;
    while (**p >= '0' && **p <= '9')
        (*p)++;
    return *p > begin;
}

/* Is it a name of this host? */
static bool is_ours(const char *name)
{
    char begin[32];
    const int n = snprintf(begin, sizeof begin, TK_LEFTOVER_BEGIN, tk_os_host());
    if (strncmp(name, begin, (size_t)n) != 0)
        return false;
    name += n;
    return has_digits(&name) && *name++ == '-' && has_digits(&name) && strcmp(name, TK_LEFTOVER_END) == 0;
}

/* Has nobody its lock? A folder that has none is of a process that had no time to make it. */
static bool is_free(const char *path, const struct tk_os_info *info)
{
    char *name = info->kind == TK_OS_FOLDER ? tk_leftovers_lock_of(path) : NULL;
    struct tk_os_file *lock = NULL;
    const bool inside = name != NULL || info->kind == TK_OS_FILE;
    const enum tk_os_error error =
        inside ? tk_os_path_lock(&lock, name ? name : path, TK_OS_EXCLUSIVE, 0).error : TK_OS_NO_MEMORY;
    free(name);
    tk_os_file_close(lock);
    return error == TK_OS_OK || (error == TK_OS_NOT_FOUND && info->kind == TK_OS_FOLDER);
}

static void remove_if_left(const char *path, int64_t now)
{
    struct tk_os_info info;
    if (tk_os_path_link_info(path, &info).error || !info.own || info.modified > now - LEAST_SECONDS)
        return;
    if ((info.kind != TK_OS_FILE && info.kind != TK_OS_FOLDER) || !is_free(path, &info))
        return;
    if (info.kind == TK_OS_FOLDER)
        tk_leftovers_clear(path);
    else
        (void)tk_os_path_remove(path);
}

void tk_leftovers_remove(const char *made)
{
    const size_t n = tk_path_base(made);
    struct tk_os_folder *entries;
    struct tk_os_info info;
    const char *name;
    char *folder = n ? join(made, n, "") : join(".", 1, "");
    /* the file server's clock, which may be another one than this host's */
    if (folder && !tk_os_path_link_info(made, &info).error && !tk_os_folder_open(&entries, folder).error) {
        while (!tk_os_folder_next(entries, &name).error && name) {
            char *path = is_ours(name) ? join(folder, strlen(folder), name) : NULL;
            if (path)
                remove_if_left(path, info.modified);
            free(path);
        }
        tk_os_folder_close(entries);
    }
    free(folder);
}
