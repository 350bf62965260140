/*
 * Folders: a struct tk_os_folder is a DIR.
 */
#include "os/posix/posix.h"

#include "os/folder.h"

#include "os/posix/failure.h"

#include <dirent.h>
#include <stdbool.h>
#include <string.h>

static DIR *stream_of(struct tk_os_folder *f)
{
    return (DIR *)f;
}

struct tk_os_result tk_os_folder_open(struct tk_os_folder **out, const char *path)
{
    *out = (struct tk_os_folder *)opendir(path);
    return *out ? tk_os_result_of(TK_OS_OK) : tk_os_failure(errno);
}

static bool is_entry(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

struct tk_os_result tk_os_folder_next(struct tk_os_folder *f, const char **name)
{
    const struct dirent *entry;
    do {
        errno = 0;
        entry = readdir(stream_of(f));
    } while (entry && !is_entry(entry->d_name));
    *name = entry ? entry->d_name : NULL;
    return entry || errno == 0 ? tk_os_result_of(TK_OS_OK) : tk_os_failure(errno);
}

void tk_os_folder_close(struct tk_os_folder *f)
{
    if (f)
        closedir(stream_of(f));
}

struct tk_os_result tk_os_folder_make(const char *path)
{
    return mkdir(path, 0777) ? tk_os_failure(errno) : tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_folder_remove(const char *path)
{
    return rmdir(path) ? tk_os_failure(errno) : tk_os_result_of(TK_OS_OK);
}

void tk_os_folder_clear(const char *path)
{
    struct tk_os_folder *f;
    const char *name;
    if (tk_os_folder_open(&f, path).error)
        return;
    while (tk_os_folder_next(f, &name).error == TK_OS_OK && name)
        (void)unlinkat(dirfd(stream_of(f)), name, 0);
    tk_os_folder_close(f);
}
