/*
 * What a program is called with, and the state in which it finds its streams.
 */
#ifndef TK_OS_COMMAND_LINE_H
#define TK_OS_COMMAND_LINE_H

#include <stdbool.h>

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

#endif
