/*
 * Files without a name: made in a folder, then taken out of it. Spools and spills keep their data there.
 */
#include "os/posix/posix.h"

#include "os/posix/descriptor.h"
#include "os/posix/failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tk_os_temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

/* 0 or an errno. */
static int make_nameless(struct tk_os_file *f, char *path)
{
    f->fd = mkstemp(path);
    if (f->fd < 0)
        return errno;
    if (unlink(path) == 0 && fcntl(f->fd, F_SETFD, FD_CLOEXEC) == 0)
        return 0;
    const int errnum = errno;
    close(f->fd);
    return errnum;
}

struct tk_os_result tk_os_file_create_nameless(struct tk_os_file **out, const char *folder)
{
    const size_t room = strlen(folder) + sizeof "/tracekit-XXXXXX";
    char *path = malloc(room);
    struct tk_os_file *f = calloc(1, sizeof *f);
    int errnum = path && f ? 0 : ENOMEM;
    if (errnum == 0) {
        snprintf(path, room, "%s/tracekit-XXXXXX", folder);
        errnum = make_nameless(f, path);
    }
    free(path);
    if (errnum)
        free(f);
    *out = errnum ? NULL : f;
    return errnum ? tk_os_failure(errnum) : tk_os_result_of(TK_OS_OK);
}
