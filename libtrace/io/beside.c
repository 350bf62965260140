/*
 * Unfinished files beside their final name; see beside.h.
 */
#include "io/sys.h"

#include "io/beside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(struct tk_err *err, int errnum, const char *path)
{
    tk_err_errno(err, errnum, "cannot write '%s'", path);
    if (err)
        err->code = TK_EOUTPUT;
    return TK_EOUTPUT;
}

int tk_beside_name(char **out, const char *path, bool force, struct tk_err *err)
{
    struct stat st;
    const char *slash = strrchr(path, '/');
    const size_t dir = slash ? (size_t)(slash - path) + 1 : 0, room = dir + 64;
    *out = NULL;
    if (stat(path, &st) == 0 && (!S_ISREG(st.st_mode) || !force))
        return fail(err, S_ISDIR(st.st_mode) ? EISDIR : EEXIST, path);
    char *name = malloc(room);
    if (!name)
        return tk_err_nomem(err, "a file name");
    memcpy(name, path, dir);
    snprintf(name + dir, room - dir, ".tracekit-%ld-db.part", (long)getpid());
    *out = name;
    return TK_OK;
}

int tk_beside_commit(const char *beside, const char *path, bool force, struct tk_err *err)
{
    if (!force && access(path, F_OK) == 0)
        return fail(err, EEXIST, path);
    return rename(beside, path) ? fail(err, errno, path) : TK_OK;
}

void tk_beside_remove(const char *beside)
{
    (void)unlink(beside);
}
