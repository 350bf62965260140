/*
 * A Tracy program that is looked at while it runs: frames and top zones, printed again each second. Nothing
 * is recorded.
 */
#ifndef TK_CMD_LIVE_FOLLOW_TRACY_H
#define TK_CMD_LIVE_FOLLOW_TRACY_H

#include "run/command.h"

/* Is it a Tracy program that an operand names? */
bool tk_follow_is_tracy(const char *operand);

/* Follows the program of the first operand (tracy://HOST[:PORT]) until it ends or a stop is asked for. The
 * exit status. */
int tk_follow_tracy(const struct tk_call *call);

#endif
