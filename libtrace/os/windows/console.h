/*
 * The console as the process found it. It outlives the process, so that it is put back at every end.
 */
#ifndef TK_OS_WINDOWS_PROCESS_CONSOLE_H
#define TK_OS_WINDOWS_PROCESS_CONSOLE_H

/* UTF-8 and escape sequences from now on, where there is a console. */
void tk_os_console_begin(void);

/* As it was before. Again and again, from any thread. */
void tk_os_console_end(void);

#endif
