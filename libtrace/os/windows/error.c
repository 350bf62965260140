/*
 * From the codes of Windows to the errors of os/error.h, and the sentences of those that share one.
 */
#include "os/windows/win32.h"

#include <stddef.h>
#include <stdio.h>
#include <winsock2.h>

#ifndef ERROR_DISK_QUOTA_EXCEEDED
#define ERROR_DISK_QUOTA_EXCEEDED 1295
#endif

static const struct {
    unsigned long system;
    enum tk_os_error error;
    const char *text; /* NULL: that of the error */
} known[] = {{ERROR_FILE_NOT_FOUND, TK_OS_NOT_FOUND, NULL},
             {ERROR_PATH_NOT_FOUND, TK_OS_NOT_FOUND, NULL},
             {ERROR_INVALID_DRIVE, TK_OS_NOT_FOUND, "there is no such drive"},
             {ERROR_BAD_NETPATH, TK_OS_NOT_FOUND, "the computer of this path does not answer"},
             {ERROR_BAD_NET_NAME, TK_OS_NOT_FOUND, "the computer has no such share"},
             {ERROR_NOT_READY, TK_OS_NOT_FOUND, "there is nothing in the drive"},
             {ERROR_MOD_NOT_FOUND, TK_OS_NOT_FOUND, NULL},
             {ERROR_DIRECTORY, TK_OS_NOT_FOUND, "not a directory"},
             {ERROR_FILE_EXISTS, TK_OS_EXISTS, NULL},
             {ERROR_ALREADY_EXISTS, TK_OS_EXISTS, NULL},
             {ERROR_ACCESS_DENIED, TK_OS_DENIED, NULL},
             {ERROR_WRITE_PROTECT, TK_OS_DENIED, "the drive is write-protected"},
             {ERROR_PRIVILEGE_NOT_HELD, TK_OS_DENIED, "operation not permitted"},
             {ERROR_NETWORK_ACCESS_DENIED, TK_OS_DENIED, NULL},
             {ERROR_LOGON_FAILURE, TK_OS_DENIED, "the computer does not accept this user"},
             {ERROR_BUSY, TK_OS_BUSY, NULL},
             {ERROR_SHARING_VIOLATION, TK_OS_BUSY, "another program uses it"},
             {ERROR_LOCK_VIOLATION, TK_OS_BUSY, "another program uses it"},
             {ERROR_USER_MAPPED_FILE, TK_OS_BUSY, "another program uses it"},
             {ERROR_DELETE_PENDING, TK_OS_BUSY, "it is about to be deleted"},
             {ERROR_DIR_NOT_EMPTY, TK_OS_NOT_EMPTY, NULL},
             {ERROR_INVALID_NAME, TK_OS_NAME, "not a valid name on Windows"},
             {ERROR_BAD_PATHNAME, TK_OS_NAME, "not a valid name on Windows"},
             {ERROR_FILENAME_EXCED_RANGE, TK_OS_NAME, NULL},
             {ERROR_BUFFER_OVERFLOW, TK_OS_NAME, NULL},
             {ERROR_NO_UNICODE_TRANSLATION, TK_OS_NAME, "the name is not valid UTF-8"},
             {ERROR_CANT_RESOLVE_FILENAME, TK_OS_NAME, "too many levels of symbolic links"},
             {ERROR_DISK_FULL, TK_OS_NO_SPACE, NULL},
             {ERROR_HANDLE_DISK_FULL, TK_OS_NO_SPACE, NULL},
             {ERROR_DISK_QUOTA_EXCEEDED, TK_OS_NO_SPACE, "disk quota exceeded"},
             {ERROR_FILE_TOO_LARGE, TK_OS_NO_SPACE, "file too large"},
             {ERROR_NOT_ENOUGH_MEMORY, TK_OS_NO_MEMORY, NULL},
             {ERROR_OUTOFMEMORY, TK_OS_NO_MEMORY, NULL},
             {ERROR_COMMITMENT_LIMIT, TK_OS_NO_MEMORY, NULL},
             {ERROR_NO_SYSTEM_RESOURCES, TK_OS_NO_MEMORY, NULL},
             {ERROR_BROKEN_PIPE, TK_OS_CLOSED_PIPE, NULL},
             {ERROR_NO_DATA, TK_OS_CLOSED_PIPE, NULL},
             {ERROR_PIPE_NOT_CONNECTED, TK_OS_CLOSED_PIPE, NULL},
             {ERROR_NOT_SAME_DEVICE, TK_OS_OTHER_DEVICE, NULL},
             {ERROR_TOO_MANY_OPEN_FILES, TK_OS_LIMIT, NULL},
             {WSAEMFILE, TK_OS_LIMIT, NULL},
             {WSAEWOULDBLOCK, TK_OS_AGAIN, NULL},
             {WSAEINPROGRESS, TK_OS_AGAIN, NULL},
             {WSAENOTCONN, TK_OS_AGAIN, NULL},
             {WSAEADDRINUSE, TK_OS_IN_USE, NULL},
             {WSAEACCES, TK_OS_IN_USE, NULL}, /* somebody has the port for himself */
             {WSAECONNREFUSED, TK_OS_REFUSED, NULL},
             {WSAEHOSTUNREACH, TK_OS_UNREACHABLE, NULL},
             {WSAENETUNREACH, TK_OS_UNREACHABLE, "network is unreachable"},
             {WSAENETDOWN, TK_OS_UNREACHABLE, "network is down"},
             {WSAEADDRNOTAVAIL, TK_OS_UNREACHABLE, "cannot assign requested address"},
             {WSAEAFNOSUPPORT, TK_OS_UNREACHABLE, "address family not supported"},
             {WSAECONNRESET, TK_OS_RESET, NULL},
             {WSAECONNABORTED, TK_OS_RESET, "connection aborted"},
             {WSAENETRESET, TK_OS_RESET, NULL},
             {WSAESHUTDOWN, TK_OS_CLOSED_PIPE, NULL},
             {WSAETIMEDOUT, TK_OS_TIMEOUT, NULL},
             {WSAENOBUFS, TK_OS_NO_MEMORY, "no buffer space available"}};

enum { KNOWN = sizeof known / sizeof known[0] };

static size_t find_known(unsigned long system)
{
    size_t i = 0;
    while (i < KNOWN && known[i].system != system)
        i++;
    return i;
}

struct tk_os_result tk_os_failure(unsigned long system)
{
    const size_t i = find_known(system);
    return (struct tk_os_result){i < KNOWN ? known[i].error : TK_OS_IO, (int)system};
}

struct tk_os_result tk_os_last_failure(void)
{
    const unsigned long system = GetLastError();
    return tk_os_failure(system ? system : ERROR_GEN_FAILURE);
}

/* The sentences of Windows are in the language of its user; the number is not. */
const char *tk_os_text(struct tk_os_result result)
{
    static _Thread_local char text[48];
    const size_t i = find_known((unsigned long)result.system);
    if (i < KNOWN && known[i].text)
        return known[i].text;
    if (result.error != TK_OS_IO || result.system == 0)
        return tk_os_error_text(result.error);
    snprintf(text, sizeof text, "Windows error %d", result.system);
    return text;
}
