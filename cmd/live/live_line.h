/*
 * What is going on, as one line on the terminal that is drawn again and again, and lines that stay above it.
 * All live commands write through it.
 */
#ifndef TK_CMD_LIVE_SAY_LIVE_LINE_H
#define TK_CMD_LIVE_SAY_LIVE_LINE_H

#include "base/err.h"

#include <stdbool.h>

/* Shows a text in the line where standard error is a terminal. */
void tk_live_line_show(const char *text);

/* Takes the line away. */
void tk_live_line_hide(void);

/* A line that stays, on standard output; it is written at once. False when it cannot be written. */
bool tk_live_say(const char *format, ...) TK_PRINTF(1, 2);

#endif
