/*
 * A program that reads what this one writes.
 */
#ifndef TK_OS_CHILD_H
#define TK_OS_CHILD_H

#include <stdbool.h>

/*
 * Starts a program (a command of the shell where it is more than a name) that gets all that is written to
 * standard output from now on, and to standard error where `errors`. false, and nothing is changed, when it
 * cannot be started. One at a time.
 */
bool tk_os_child_start(const char *command, bool errors);

/* Closes what it reads and waits for its end. */
void tk_os_child_wait(void);

/* The program that shows text page by page where nobody names one; "" where the system has none that is good
 * for it. */
const char *tk_os_child_pager(void);

#endif
