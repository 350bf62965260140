/*
 * Programs that are started and go on alongside this one.
 */
#ifndef TK_OS_PROGRAM_H
#define TK_OS_PROGRAM_H

#include "os/error.h"

#include <stdbool.h>

struct tk_os_program;

/* Starts a program: its name, searched for as a shell does, and its arguments, ended by NULL. It has our
 * standard streams and signals as they usually are. TK_OS_NOT_FOUND, TK_OS_DENIED. The caller closes it. */
struct tk_os_result tk_os_program_start(struct tk_os_program **out, const char *const *arguments);

/* Has it ended? Then *status is what it returned, or 128 and more when a signal ended it, as shells say. Does
 * not wait. */
bool tk_os_program_ended(struct tk_os_program *p, int *status);

/* Queries it to end. */
void tk_os_program_stop(struct tk_os_program *p);

/* Frees; what still runs goes on. NULL is allowed. */
void tk_os_program_close(struct tk_os_program *p);

#endif
