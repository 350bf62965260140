/*
 * Opens, reads and closes files by their handles. Writing is in write.c, their properties in info.c.
 */
#include "os/windows/win32.h"

#include "os/file.h"

#include "os/process.h"
#include "os/thread.h"

#include <io.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Writes to files, and sees to it that they last. Outputs, spools and spills end here.
 */

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

/* By its final path, which also says the quota of the user. */
uint64_t tk_os_file_space(const struct tk_os_file *f)
{
    ULARGE_INTEGER capacity;
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
        if (GetDiskFreeSpaceExW(path, &capacity, NULL, NULL))
            answer = capacity.QuadPart;
    }
    free(path);
    return answer;
}

/*
 * Files that are gone with their handles, also when the process is ended. Spools and spills keep their data
 * there.
 */

enum { MOST_TRIES = 100 };

static char *temporary;

/* GetTempPath2W, which keeps those of services apart, is not in all releases. */
static void find_temporary(void)
{
    wchar_t wide[MAX_PATH + 2];
    const DWORD n = GetTempPathW(MAX_PATH + 1, wide);
    temporary = n > 0 && n <= MAX_PATH ? tk_os_narrow_copy(wide, n) : NULL;
}

const char *tk_os_temporary_folder(void)
{
    static struct tk_os_once once;
    const char *folder = getenv("TMPDIR");
    if (folder && *folder)
        return folder;
    tk_os_once(&once, find_temporary);
    return temporary ? temporary : ".";
}

struct tk_os_result tk_os_file_create_nameless(struct tk_os_file **out, const char *folder)
{
    const size_t capacity = strlen(folder) + 64;
    char *path = malloc(capacity);
    struct tk_os_result result = tk_os_result_of(path ? TK_OS_EXISTS : TK_OS_NO_MEMORY);
    *out = NULL;
    for (int i = 0; i < MOST_TRIES && result.error == TK_OS_EXISTS; i++) {
        uint64_t random = (uint64_t)i;
        tk_random(&random);
        snprintf(path, capacity, "%s\\tracekit-%llu-%llx.tmp", folder, (unsigned long long)tk_os_process_id(),
                 (unsigned long long)random);
        result = tk_os_handle_open(out, path, GENERIC_READ | GENERIC_WRITE, CREATE_NEW,
                                   FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE);
    }
    free(path);
    return result;
}

#if defined(__MINGW32__) /* some of its headers lack this */
_invalid_parameter_handler __cdecl _set_thread_local_invalid_parameter_handler(
    _invalid_parameter_handler handler);
#endif

#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

enum { LONGEST_READ = 1 << 30 };

static struct tk_os_file standard_input = {.borrowed = true}, standard_output = {.borrowed = true};

static void do_nothing(const wchar_t *expression, const wchar_t *function, const wchar_t *file, unsigned line,
                       uintptr_t reserved)
{
    (void)expression;
    (void)function;
    (void)file;
    (void)line;
    (void)reserved;
}

/* The C runtime would end the process for a descriptor that is not open. */
void *tk_os_handle_of(int descriptor)
{
    const _invalid_parameter_handler before = _set_thread_local_invalid_parameter_handler(do_nothing);
    void *handle = (void *)_get_osfhandle(descriptor);
    _set_thread_local_invalid_parameter_handler(before);
    return handle;
}

/* A file that somebody else has opened, and may have read in part: reading at offsets moves that position. */
static struct tk_os_file of_another(void *handle)
{
    LARGE_INTEGER none = {0}, at = {0};
    if (GetFileType(handle) == FILE_TYPE_DISK)
        SetFilePointerEx(handle, none, &at, FILE_CURRENT);
    return (struct tk_os_file){.handle = handle, .borrowed = true, .at = (uint64_t)at.QuadPart};
}

struct tk_os_file *tk_os_standard_input(void)
{
    if (!standard_input.handle)
        standard_input = of_another(GetStdHandle(STD_INPUT_HANDLE));
    return &standard_input;
}

struct tk_os_file *tk_os_standard_output(void)
{
    /* not that of the process: a pager may have taken its place */
    standard_output.handle = tk_os_handle_of(1);
    return &standard_output;
}

struct tk_os_result tk_os_handle_open(struct tk_os_file **out, const char *path, unsigned long access,
                                      unsigned long how, unsigned long flags)
{
    wchar_t *wide = tk_os_wide_path(path);
    struct tk_os_result result = tk_os_result_of(TK_OS_OK);
    *out = NULL;
    if (!wide)
        return tk_os_last_failure();
    struct tk_os_file *f = calloc(1, sizeof *f);
    if (!f) {
        free(wide);
        return tk_os_result_of(TK_OS_NO_MEMORY);
    }
    f->handle = CreateFileW(wide, access, SHARE_ALL, NULL, how, flags, NULL);
    f->overlapped = (flags & FILE_FLAG_OVERLAPPED) != 0;
    if (f->handle == INVALID_HANDLE_VALUE) {
        result = tk_os_last_failure();
        free(f);
    } else {
        *out = f;
    }
    free(wide);
    return result;
}

struct tk_os_result tk_os_file_open_read(struct tk_os_file **out, const char *path)
{
    return tk_os_handle_open(out, path, GENERIC_READ, OPEN_EXISTING,
                             FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OVERLAPPED);
}

struct tk_os_result tk_os_file_of_descriptor(struct tk_os_file **out, int descriptor)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    **out = of_another(tk_os_handle_of(descriptor));
    return tk_os_result_of(TK_OS_OK);
}

/* A colon behind the drive would make a hidden stream of another file, and nothing would tell. */
static bool names_stream(const char *path)
{
    const bool literal = strncmp(path, "\\\\?\\", 4) == 0 || strncmp(path, "\\\\.\\", 4) == 0;
    if (literal)
        path += 4;
    const char *colon = strchr(path, ':');
    return colon && (colon - path != 1 || strchr(colon + 1, ':'));
}

/* Access to delete would keep out who does not share it, as SQLite. */
struct tk_os_result tk_os_file_create(struct tk_os_file **out, const char *path)
{
    *out = NULL;
    if (names_stream(path))
        return tk_os_failure(ERROR_INVALID_NAME);
    return tk_os_handle_open(out, path, GENERIC_WRITE, CREATE_NEW, FILE_ATTRIBUTE_NORMAL);
}

/* Rights come from the folder: that of a user is his alone. */
struct tk_os_result tk_os_file_create_private(struct tk_os_file **out, const char *path)
{
    return tk_os_file_create(out, path);
}

struct tk_os_result tk_os_file_open_write(struct tk_os_file **out, const char *path)
{
    return tk_os_handle_open(out, path, GENERIC_WRITE, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL);
}

struct tk_os_result tk_os_file_open_append(struct tk_os_file **out, const char *path)
{
    LARGE_INTEGER size;
    struct tk_os_result why = tk_os_file_open_write(out, path);
    if (why.error)
        return why;
    if (GetFileSizeEx((*out)->handle, &size)) {
        (*out)->at = (uint64_t)size.QuadPart;
        return why;
    }
    why = tk_os_last_failure();
    tk_os_file_close(*out);
    *out = NULL;
    return why;
}

bool tk_os_file_at_start(const struct tk_os_file *f)
{
    return GetFileType(f->handle) == FILE_TYPE_DISK && f->at == 0;
}

/* One call. Of an overlapped handle each has its own event, so that those of several threads go on. */
static struct tk_os_result read_once(const struct tk_os_file *f, uint64_t at, void *p, DWORD n, DWORD *got)
{
    OVERLAPPED where = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
    DWORD error = 0;
    *got = 0;
    if (f->overlapped && !(where.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL)))
        return tk_os_last_failure();
    if (!ReadFile(f->handle, p, n, f->overlapped ? NULL : got, &where))
        error = GetLastError();
    if (f->overlapped && (error == 0 || error == ERROR_IO_PENDING))
        error = GetOverlappedResult(f->handle, &where, got, TRUE) ? 0 : GetLastError();
    if (where.hEvent)
        CloseHandle(where.hEvent);
    if (error == 0 || error == ERROR_HANDLE_EOF)
        return tk_os_result_of(TK_OS_OK);
    return tk_os_failure(error);
}

static struct tk_os_result read_stream(const struct tk_os_file *f, void *p, DWORD n, DWORD *got)
{
    *got = 0;
    if (f->overlapped)
        return read_once(f, 0, p, n, got);
    return ReadFile(f->handle, p, n, got, NULL) ? tk_os_result_of(TK_OS_OK) : tk_os_last_failure();
}

static DWORD next_length(size_t n)
{
    return n > LONGEST_READ ? LONGEST_READ : (DWORD)n;
}

struct tk_os_result tk_os_file_read_at(const struct tk_os_file *f, uint64_t at, void *p, size_t n,
                                       size_t *got)
{
    *got = 0;
    while (*got < n) {
        DWORD k;
        const struct tk_os_result why =
            read_once(f, at + *got, (uint8_t *)p + *got, next_length(n - *got), &k);
        if (why.error)
            return why;
        if (k == 0)
            break;
        *got += k;
    }
    return tk_os_result_of(TK_OS_OK);
}

/* Pipes and devices have no position, and a pipe whose writer has gone is at its end. */
static struct tk_os_result read_pipe(const struct tk_os_file *f, void *p, size_t n, size_t *got)
{
    while (*got < n) {
        DWORD k;
        const struct tk_os_result why = read_stream(f, (uint8_t *)p + *got, next_length(n - *got), &k);
        if (why.error == TK_OS_CLOSED_PIPE)
            break;
        if (why.error)
            return why;
        if (k == 0) /* also of a writer that sends nothing and goes on, which the C runtime takes for the end,
                       too */
            break;
        *got += k;
    }
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_file_read(struct tk_os_file *f, void *p, size_t n, size_t *got)
{
    *got = 0;
    if (GetFileType(f->handle) != FILE_TYPE_DISK)
        return read_pipe(f, p, n, got);
    const struct tk_os_result why = tk_os_file_read_at(f, f->at, p, n, got);
    f->at += *got;
    return why;
}

struct tk_os_result tk_os_file_close(struct tk_os_file *f)
{
    if (!f || f == &standard_input || f == &standard_output)
        return tk_os_result_of(TK_OS_OK);
    const bool borrowed = f->borrowed;
    void *handle = f->handle;
    free(f);
    if (borrowed || CloseHandle(handle))
        return tk_os_result_of(TK_OS_OK);
    return tk_os_last_failure();
}

/*
 * Files are not mapped here: a mapped file could not be cut, renamed over or removed by who writes it, and
 * what goes wrong under a page ends the process. They are read at offsets.
 */

struct tk_os_map *tk_os_map_open(const struct tk_os_file *f, uint64_t bytes)
{
    (void)f;
    (void)bytes;
    return NULL;
}

const uint8_t *tk_os_map_bytes(const struct tk_os_map *view)
{
    (void)view;
    return NULL;
}

void tk_os_map_leave(struct tk_os_map *view, uint64_t offset, size_t n)
{
    (void)view;
    (void)offset;
    (void)n;
}

bool tk_os_map_faulted(const struct tk_os_map *view)
{
    (void)view;
    return false;
}

void tk_os_map_close(struct tk_os_map *view)
{
    (void)view;
}
