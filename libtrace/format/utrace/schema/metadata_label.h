/*
 * Labels: a name and the values of one instance of it (events 2.4): "BasePass - 3 View0".
 */
#ifndef TK_FORMAT_UTRACE_TEXT_METADATA_LABEL_H
#define TK_FORMAT_UTRACE_TEXT_METADATA_LABEL_H

#include "base/arena.h"
#include "base/cursor.h"
#include "tracekit.h"

/*
 * What is left of a format behind the name that the timer has: the run that both begin with is dropped when
 * it is longer than one character, and spaces. Points into the format.
 */
struct tk_str tk_ut_label_format(const struct tk_str *name, const struct tk_str *format);

/*
 * Name and values (CBOR, n bytes) in the arena; out is valid UTF-8. Without a format the values stand with
 * commas between them; without values the label is the name. *cut tells that the values ended early. TK_OK or
 * TK_ENOMEM.
 */
int tk_ut_label(struct tk_arena *arena, const struct tk_str *name, const struct tk_str *format,
                const uint8_t *values, size_t n, struct tk_bytes *out, bool *cut);

#endif
