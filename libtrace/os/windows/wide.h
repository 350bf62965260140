/*
 * Names between UTF-8, as the library has them, and the 16-bit units of Windows. Half surrogates, which names
 * of files may hold, are kept as WTF-8 has them. All files of os/windows that are given names convert them
 * here.
 */
#ifndef TK_OS_WINDOWS_WIDE_H
#define TK_OS_WINDOWS_WIDE_H

#include "os/error.h"

#include <stddef.h>
#include <wchar.h>

/* A text as units with a NUL; to be freed. NULL: it is no UTF-8, or out of memory: GetLastError says. */
wchar_t *tk_os_wide(const char *text);

/* The name of a file for the system: one that is too long for it becomes absolute and is marked as taken
 * literally. To be freed. NULL as above. */
wchar_t *tk_os_wide_path(const char *path);

/* n units as UTF-8 with a NUL, at most 3 n + 1 bytes. Returns how many, without the NUL. */
size_t tk_os_narrow(char *out, const wchar_t *units, size_t n);

/* A new text of n units; NULL without memory. */
char *tk_os_narrow_copy(const wchar_t *units, size_t n);

#endif
