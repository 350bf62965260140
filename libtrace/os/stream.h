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

#endif
