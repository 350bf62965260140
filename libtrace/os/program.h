/*
 * Programs that are started and go on alongside this one.
 */
#ifndef TK_OS_PROGRAM_H
#define TK_OS_PROGRAM_H

#include "os/error.h"

#include <stdbool.h>
#include <stdint.h>

struct tk_os_program;

/* Starts a program: its name, searched for as a shell does, and its arguments, ended by NULL. It has our
 * standard streams and signals as they usually are. TK_OS_NOT_FOUND, TK_OS_DENIED. The caller closes it. */
struct tk_os_result tk_os_program_start(struct tk_os_program **out, const char *const *arguments);

/* The same; what it writes to its standard output goes to our standard error. */
struct tk_os_result tk_os_program_start_quiet(struct tk_os_program **out, const char *const *arguments);

/*
 * The first with variables of the environment (NAME=VALUE, ended by NULL), the first of which says whose a
 * process is; and it does not outlive this process: if that is killed, the program and what it has started
 * end within TK_OS_PROGRAM_BOUND seconds. Not after threads were started.
 */
enum { TK_OS_PROGRAM_BOUND = 5 };
struct tk_os_result tk_os_program_start_bound(struct tk_os_program **out, const char *const *arguments,
                                              const char *const *environment);

/* What the system says about a process and a program that was started bound. */
enum tk_os_whose { TK_OS_UNKNOWN, TK_OS_OURS, TK_OS_OTHERS };

/* Is it the program, or one that it has started? Unknown where there is no such process: numbers of another
 * namespace cannot be compared. */
enum tk_os_whose tk_os_program_owns(const struct tk_os_program *p, uint64_t process);

/* Whose is the socket of TCP that has this port of this machine: the one that listens there, or the end of a
 * connection? Unknown where the process that has it cannot be seen. */
enum tk_os_whose tk_os_program_has_port(const struct tk_os_program *p, uint16_t port, bool listens);

/* Has it ended? Then *status is what it returned, or 128 and more when a signal ended it, as shells say. Does
 * not wait. */
bool tk_os_program_ended(struct tk_os_program *p, int *status);

/* Queries it to end. */
void tk_os_program_stop(struct tk_os_program *p);

/* Frees; what still runs goes on. NULL is allowed. */
void tk_os_program_close(struct tk_os_program *p);

/*
 * A name that other programs of this machine can look up, to see that somebody is there.
 */

struct tk_os_beacon;

/* Puts up a name (letters alone): a semaphore of POSIX, a named event of Windows. One that is there already
 * stays where it is, and is taken down by whoever put it up. The caller closes it. */
struct tk_os_result tk_os_beacon_open(struct tk_os_beacon **out, const char *name);

/* Takes it down. NULL is allowed. */
void tk_os_beacon_close(struct tk_os_beacon *beacon);

#endif
