/*
 * Showing something to the user with the program that he has chosen for it.
 */
#ifndef TK_OS_SHOW_H
#define TK_OS_SHOW_H

#include <stdbool.h>

/* Opens an address (http://...) in the browser of the user; no shell takes part, and no program of the
 * current folder. false: there is no program that could. It goes on by itself. */
bool tk_os_show(const char *address);

#endif
