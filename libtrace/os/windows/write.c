/*
 * Writes to files, and sees to it that they last. Outputs, spools and spills end here.
 */
#include "os/windows/win32.h"

#include "os/windows/failure.h"
#include "os/windows/handle.h"

#include <stdlib.h>

enum { LONGEST_WRITE = 1 << 30, LONGEST_CONSOLE_WRITE = 16 << 10 };

/* The position of the system is no place to write at: reading at an offset moves it. A file of somebody else
 * goes on where that one is, who may write, too. */
static BOOL write_once(struct tk_os_file *f, bool by_position, const uint8_t *p, DWORD n, DWORD *put)
{
    OVERLAPPED where = {.Offset = (DWORD)f->at, .OffsetHigh = (DWORD)(f->at >> 32)};
    if (!WriteFile(f->handle, p, n, put, by_position ? &where : NULL))
        return FALSE;
    if (by_position)
        f->at += *put;
    return TRUE;
}

struct tk_os_result tk_os_file_write(struct tk_os_file *f, const void *p, size_t n)
{
    const uint8_t *at = p;
    const DWORD type = GetFileType(f->handle);
    const bool by_position = type == FILE_TYPE_DISK && !f->borrowed;
    /* consoles take little at a time */
    const size_t most = type == FILE_TYPE_CHAR ? LONGEST_CONSOLE_WRITE : LONGEST_WRITE;
    while (n > 0) {
        DWORD k;
        if (!write_once(f, by_position, at, (DWORD)(n < most ? n : most), &k))
            return tk_os_last_failure();
        at += k;
        n -= k;
    }
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_file_cut(struct tk_os_file *f, uint64_t size)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = (LONGLONG)size};
    return SetFileInformationByHandle(f->handle, FileEndOfFileInfo, &end, sizeof end)
               ? tk_os_result_of(TK_OS_OK)
               : tk_os_last_failure();
}

/* Rights come from the folder here. */
struct tk_os_result tk_os_file_copy_access(struct tk_os_file *f, const struct tk_os_info *from)
{
    (void)f;
    (void)from;
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_file_sync(struct tk_os_file *f)
{
    if (FlushFileBuffers(f->handle) || GetLastError() == ERROR_INVALID_FUNCTION ||
        GetLastError() == ERROR_INVALID_HANDLE)
        return tk_os_result_of(TK_OS_OK);
    return tk_os_last_failure();
}

/* By its final path, which also tells the quota of the user. */
uint64_t tk_os_file_room(const struct tk_os_file *f)
{
    ULARGE_INTEGER room;
    wchar_t *path = NULL;
    uint64_t answer = UINT64_MAX;
    const DWORD n = GetFileType(f->handle) == FILE_TYPE_DISK
                        ? GetFinalPathNameByHandleW(f->handle, NULL, 0, FILE_NAME_OPENED)
                        : 0;
    if (n && (path = malloc((n + 1) * sizeof *path)) &&
        GetFinalPathNameByHandleW(f->handle, path, n + 1, FILE_NAME_OPENED) <= n) {
        wchar_t *end = path;
        for (wchar_t *at = path; *at; at++)
            if (*at == L'\\')
                end = at + 1;
        *end = 0;
        if (GetDiskFreeSpaceExW(path, &room, NULL, NULL))
            answer = room.QuadPart;
    }
    free(path);
    return answer;
}
