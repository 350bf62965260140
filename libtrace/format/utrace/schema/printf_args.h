/*
 * Format arguments: printf formats and their packed arguments (events 0.7).
 *
 *   u8 count | a descriptor each: category in bits 6, 7 (1 integer, 2 real, 3 text), size below | payloads
 */
#ifndef TK_FORMAT_UTRACE_TEXT_PRINTF_ARGS_H
#define TK_FORMAT_UTRACE_TEXT_PRINTF_ARGS_H

#include "base/arena.h"
#include "base/cursor.h"
#include "tracekit.h"

#define TK_UT_PRINTF_LIMIT 65536 /* bytes of a formatted text; more is cut */

/*
 * Formats into the arena; out is valid UTF-8 or, with half a surrogate pair in it, UTF-16 that is not valid.
 * Wrong and missing arguments give 0, 0.0 or an empty text, as the format says; damaged ones never read past
 * n, and *cut tells that they ended early. %% gives one percent sign. TK_OK or TK_ENOMEM.
 */
int tk_ut_format(struct tk_arena *arena, const struct tk_str *format, const uint8_t *args, size_t n,
                 struct tk_str *out, bool *cut);

#endif
