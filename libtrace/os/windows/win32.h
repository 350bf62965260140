/*
 * The system headers that most files of this folder need, and the macros that select what they declare. It is
 * the first include of the files that use it.
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

#include <windows.h>

#endif
