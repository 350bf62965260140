/*
 * Text files that are read whole: budgets, accepted regressions, facts about runs, histories as numbers.
 */
#ifndef TK_IO_INPUT_TEXT_FILE_H
#define TK_IO_INPUT_TEXT_FILE_H

#include "tracekit.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Reads a file of at most `most` bytes, unpacked where it is compressed. *text is owned by the caller (free),
 * has *n bytes and a NUL behind them; NULL where it fails. TK_OK, TK_ELIMIT, or what opening and reading
 * give.
 */
int tk_text_file_read(char **text, size_t *n, const char *path, uint64_t most, struct tk_err *err);

#endif
