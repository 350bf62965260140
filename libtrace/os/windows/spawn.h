/*
 * Starting programs. child.c and program.c do it.
 */
#ifndef TK_OS_WINDOWS_PROCESS_SPAWN_H
#define TK_OS_WINDOWS_PROCESS_SPAWN_H

#include <wchar.h>

/* Starts a program from a command line (changed in passing) with these standard streams. Its process, to be
 * closed, and its number; NULL: GetLastError says. */
void *tk_os_spawn(wchar_t *line, void *const streams[3], unsigned long flags, unsigned long *id);

#endif
