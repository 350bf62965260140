/*
 * Standard streams, and the terminals behind them.
 */
#ifndef TK_OS_STREAM_H
#define TK_OS_STREAM_H

#include "os/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Is there a terminal behind it? */
bool tk_os_stream_is_terminal(FILE *stream);

/* The columns of the terminal; 0 where it does not say. */
unsigned tk_os_stream_columns(FILE *stream);

/* Writes what is held back. A failure may be one of an earlier write. */
struct tk_os_result tk_os_stream_flush(FILE *stream);

/*
 * What a program is called with, and the state in which it finds its streams.
 */

/*
 * First in main(): makes the words of the command line UTF-8, the standard streams bytes as they are, and a
 * console one that shows UTF-8 and colours, until the end of the process. Words of one line are kept, and
 * nothing happens, where it is so anyway.
 */
void tk_os_command_line(int *argc, char ***argv);

/* Has the shell replaced patterns of files (*.csv) by their names? */
bool tk_os_shell_expands(void);

/* Does the system show UTF-8 on terminals, whatever the environment says of it? */
bool tk_os_shows_utf8(void);

/* The last name of the path of a program, without what marks it as one. Its length in *n. */
const char *tk_os_program_name(const char *path, unsigned *n);

/*
 * Showing something to the user with the program that he has chosen for it.
 */

/* Opens an address (http://...) in the browser of the user; no shell takes part, and no program of the
 * current folder. false: there is no program that could. It goes on by itself. */
bool tk_os_show(const char *address);

/*
 * A program that reads what this one writes.
 */

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
