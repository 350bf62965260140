/*
 * From errno to the errors of os/error.h, and the sentences of those that share one.
 */
#include "os/posix/posix.h"

#include <stddef.h>
#include <string.h>

static const struct {
    int system;
    enum tk_os_error error;
    const char *text; /* NULL: that of the error */
} known[] = {{ENOENT, TK_OS_NOT_FOUND, NULL},
             {ENOTDIR, TK_OS_NOT_FOUND, "not a directory"},
             {EEXIST, TK_OS_EXISTS, NULL},
             {EACCES, TK_OS_DENIED, NULL},
             {EPERM, TK_OS_DENIED, "operation not permitted"},
             {EROFS, TK_OS_DENIED, "read-only file system"},
             {EBUSY, TK_OS_BUSY, NULL},
             {ETXTBSY, TK_OS_BUSY, "text file busy"},
             {EISDIR, TK_OS_IS_FOLDER, NULL},
             {ENOTEMPTY, TK_OS_NOT_EMPTY, NULL},
             {ENAMETOOLONG, TK_OS_NAME, NULL},
             {ELOOP, TK_OS_NAME, "too many levels of symbolic links"},
             {EILSEQ, TK_OS_NAME, "invalid or incomplete multibyte or wide character"},
             {ENOSPC, TK_OS_NO_SPACE, NULL},
             {EDQUOT, TK_OS_NO_SPACE, "disk quota exceeded"},
             {EFBIG, TK_OS_NO_SPACE, "file too large"},
             {ENOMEM, TK_OS_NO_MEMORY, NULL},
             {EPIPE, TK_OS_CLOSED_PIPE, NULL},
             {EXDEV, TK_OS_OTHER_DEVICE, NULL},
             {EMFILE, TK_OS_LIMIT, NULL},
             {ENFILE, TK_OS_LIMIT, "too many open files in system"},
             {EAGAIN, TK_OS_AGAIN, NULL},
#if EWOULDBLOCK != EAGAIN
             {EWOULDBLOCK, TK_OS_AGAIN, NULL},
#endif
             {EINPROGRESS, TK_OS_AGAIN, NULL},
             {EADDRINUSE, TK_OS_IN_USE, NULL},
             {ECONNREFUSED, TK_OS_REFUSED, NULL},
             {EHOSTUNREACH, TK_OS_UNREACHABLE, NULL},
             {ENETUNREACH, TK_OS_UNREACHABLE, "network is unreachable"},
             {ENETDOWN, TK_OS_UNREACHABLE, "network is down"},
             {EADDRNOTAVAIL, TK_OS_UNREACHABLE, "cannot assign requested address"},
             {EAFNOSUPPORT, TK_OS_UNREACHABLE, "address family not supported"},
             {ECONNRESET, TK_OS_RESET, NULL},
             {ECONNABORTED, TK_OS_RESET, "connection aborted"},
             {ETIMEDOUT, TK_OS_TIMEOUT, NULL},
             {ENOBUFS, TK_OS_NO_MEMORY, "no buffer space available"},
             {EIO, TK_OS_IO, NULL}};

enum { KNOWN = sizeof known / sizeof known[0] };

static size_t find_known(int system)
{
    size_t i = 0;
    while (i < KNOWN && known[i].system != system)
        i++;
    return i;
}

struct tk_os_result tk_os_failure(int system)
{
    const size_t i = find_known(system);
    return (struct tk_os_result){i < KNOWN ? known[i].error : TK_OS_IO, system};
}

const char *tk_os_text(struct tk_os_result result)
{
    const size_t i = find_known(result.system);
    if (i < KNOWN && known[i].text)
        return known[i].text;
    return i < KNOWN || result.system == 0 ? tk_os_error_text(result.error) : strerror(result.system);
}
