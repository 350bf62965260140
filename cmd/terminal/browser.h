/*
 * The browser of the user: trace-view shows its page there.
 */
#ifndef TK_CMD_TERMINAL_BROWSER_H
#define TK_CMD_TERMINAL_BROWSER_H

#include <stdbool.h>

/* Opens an address in the browser that the user has chosen; no shell takes part. false: there is no program
 * that could. */
bool tk_browser_open(const char *address);

#endif
