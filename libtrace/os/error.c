/*
 * Sentences for errors. Those that only some systems have are in the error.c of a system.
 */
#include "os/error.h"

const char *tk_os_error_text(enum tk_os_error error)
{
    static const char *const texts[] = {[TK_OS_OK] = "success",
                                        [TK_OS_NOT_FOUND] = "no such file or directory",
                                        [TK_OS_EXISTS] = "file exists",
                                        [TK_OS_DENIED] = "permission denied",
                                        [TK_OS_BUSY] = "device or resource busy",
                                        [TK_OS_IS_FOLDER] = "is a directory",
                                        [TK_OS_NOT_EMPTY] = "directory not empty",
                                        [TK_OS_NAME] = "file name too long",
                                        [TK_OS_NO_SPACE] = "no space left on device",
                                        [TK_OS_NO_MEMORY] = "cannot allocate memory",
                                        [TK_OS_CLOSED_PIPE] = "broken pipe",
                                        [TK_OS_OTHER_DEVICE] = "invalid cross-device link",
                                        [TK_OS_LIMIT] = "too many open files",
                                        [TK_OS_AGAIN] = "resource temporarily unavailable",
                                        [TK_OS_IN_USE] = "address already in use",
                                        [TK_OS_REFUSED] = "connection refused",
                                        [TK_OS_UNREACHABLE] = "host is unreachable",
                                        [TK_OS_RESET] = "connection reset by peer",
                                        [TK_OS_TIMEOUT] = "connection timed out",
                                        [TK_OS_IO] = "input/output error"};
    return texts[error];
}
