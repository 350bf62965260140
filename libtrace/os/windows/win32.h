/*
 * What the files of this folder share: the system headers that most of them need with the macros that select
 * what they declare, what a call failed with, what a file is, and names between UTF-8 and the 16-bit units of
 * Windows. It is their first include.
 */
#ifndef TK_OS_WINDOWS_WIN32_H
#define TK_OS_WINDOWS_WIN32_H

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN 1
#endif
#ifndef NOMINMAX
#define NOMINMAX 1
#endif
#ifndef UNICODE
#define UNICODE 1
#endif
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00 /* Windows 10 */

#include "os/file.h"

#include <stddef.h>
#include <wchar.h>
#include <windows.h>

/* ---- failures ---- */

/* The result of a code of GetLastError or WSAGetLastError, which is not 0. */
struct tk_os_result tk_os_failure(unsigned long system);

/* What GetLastError says. */
struct tk_os_result tk_os_last_failure(void);

/* ---- handles ---- */

struct tk_os_file {
    void *handle;
    bool borrowed;   /* somebody else closes it */
    bool overlapped; /* its calls do not wait for each other */
    uint64_t at;     /* where reading and writing go on: the system moves its own position with each read */
};

/* The handle behind a descriptor of the C runtime; INVALID_HANDLE_VALUE, or another one that no call takes:
 * it is not open. */
void *tk_os_handle_of(int descriptor);

/* CreateFileW of a name with all sharing. Nothing is inherited. */
struct tk_os_result tk_os_handle_open(struct tk_os_file **out, const char *path, unsigned long access,
                                      unsigned long how, unsigned long flags);

/* For tk_os_file_info and its kin. */
struct tk_os_result tk_os_handle_info(void *handle, struct tk_os_info *info);

/* ---- names: half surrogates, which those of files may hold, are kept as WTF-8 has them ---- */

/* A text as units with a NUL; to be freed. NULL: it is no UTF-8, or out of memory: GetLastError says. */
wchar_t *tk_os_wide(const char *text);

/* The name of a file for the system: one that is too long for it becomes absolute and is marked as taken
 * literally. To be freed. NULL as above. */
wchar_t *tk_os_wide_path(const char *path);

/* n units as UTF-8 with a NUL, at most 3 n + 1 bytes. Returns how many, without the NUL. */
size_t tk_os_narrow(char *out, const wchar_t *units, size_t n);

/* A new text of n units; NULL without memory. */
char *tk_os_narrow_copy(const wchar_t *units, size_t n);

/* ---- the console as the process found it: it outlives the process, so it is put back at every end ---- */

/* UTF-8 and escape sequences from now on, where there is a console. */
void tk_os_console_begin(void);

/* As it was before. Again and again, from any thread. */
void tk_os_console_end(void);

#endif
