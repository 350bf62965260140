/*
 * Opens, reads and closes files by their handles. Writing is in write.c, their properties in info.c.
 */
#include "os/windows/win32.h"

#include "os/windows/failure.h"
#include "os/windows/handle.h"
#include "os/windows/wide.h"

#include <io.h>
#include <stdlib.h>
#include <string.h>

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
