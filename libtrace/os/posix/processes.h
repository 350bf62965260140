/*
 * Other processes, as far as the system shows them: on Linux, by /proc. program.c uses it.
 */
#ifndef TK_OS_POSIX_PROCESSES_H
#define TK_OS_POSIX_PROCESSES_H

#include "os/program.h"

#include <sys/types.h>

/* Sends a signal (0: none) to a process, to those below it and to those that have a variable of the
 * environment (NULL: none). pid 0: the process has ended. How many there were. */
unsigned tk_processes_signal(pid_t pid, const char *mark, int signal);

/* Is a process below another one, or has it the variable? */
enum tk_os_whose tk_processes_whose(pid_t process, pid_t above, const char *mark);

/* The process that listens at a port of TCP, or has the end of a connection there; 0: none can be seen. */
pid_t tk_processes_with_port(uint16_t port, bool listens);

#endif
