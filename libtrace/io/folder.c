/*
 * Folders that outputs are put into; see output.h.
 */
#include "io/sys.h"

#include "io/output.h"

#include <dirent.h>
#include <string.h>

static int fail(struct tk_err *err, int errnum, const char *what, const char *path)
{
    tk_err_errno(err, errnum, "cannot %s folder '%s'", what, path);
    if (err)
        err->code = TK_EOUTPUT;
    return TK_EOUTPUT;
}

static bool holds_nothing(DIR *dir)
{
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return false;
    return true;
}

int tk_folder_make(const char *path, bool force, bool *made, struct tk_err *err)
{
    *made = mkdir(path, 0777) == 0;
    if (*made)
        return TK_OK;
    if (errno != EEXIST)
        return fail(err, errno, "make", path);
    DIR *dir = opendir(path);
    if (!dir)
        return fail(err, errno, "open", path);
    bool empty = holds_nothing(dir);
    closedir(dir);
    return empty || force ? TK_OK : fail(err, ENOTEMPTY, "write to", path);
}

void tk_folder_remove(const char *path)
{
    int before = errno;
    (void)rmdir(path);
    errno = before;
}
