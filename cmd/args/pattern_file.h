/*
 * Files of patterns that options name, read whole.
 */
#ifndef TK_CMD_ARGS_PATTERN_FILE_H
#define TK_CMD_ARGS_PATTERN_FILE_H

#include "args/opt.h"

/* The text of a file of patterns, of 1 MiB at most; to be freed. true, or false with a sentence. */
bool tk_pattern_file_read(const char *path, const char **out, char message[TK_OPT_MESSAGE]);

#endif
