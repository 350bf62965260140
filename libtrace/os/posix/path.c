/*
 * Names of files: stat, rename, link and unlink.
 */
#include "os/posix/posix.h"

#include "os/path.h"

#include "os/posix/descriptor.h"
#include "os/posix/failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tk_os_result result_of(int rc)
{
    return rc ? tk_os_failure(errno) : tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_path_info(const char *path, struct tk_os_info *info)
{
    struct stat st;
    if (stat(path, &st))
        return tk_os_failure(errno);
    tk_os_info_of(&st, info);
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_path_link_info(const char *path, struct tk_os_info *info)
{
    struct stat st;
    if (lstat(path, &st))
        return tk_os_failure(errno);
    tk_os_info_of(&st, info);
    return tk_os_result_of(TK_OS_OK);
}

char *tk_os_path_real(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : strdup(path);
}

struct tk_os_result tk_os_path_rename_over(const char *from, const char *to)
{
    return result_of(rename(from, to));
}

struct tk_os_result tk_os_path_rename_new(const char *from, const char *to)
{
    if (link(from, to) == 0) {
        (void)unlink(from); /* the file is complete whatever becomes of the other name */
        return tk_os_result_of(TK_OS_OK);
    }
    if (errno == EEXIST)
        return tk_os_failure(EEXIST);
    /* File systems without hard links: what comes in this moment is replaced. */
    if (access(to, F_OK) == 0)
        return tk_os_failure(EEXIST);
    return result_of(rename(from, to));
}

struct tk_os_result tk_os_path_add_name(const char *path, const char *name)
{
    return result_of(link(path, name));
}

struct tk_os_result tk_os_path_remove(const char *path)
{
    return result_of(unlink(path));
}
