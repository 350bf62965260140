/*
 * Texts of captures as valid UTF-8, or made safe to show on a terminal. Every sink calls it before it writes
 * a text of a capture.
 */
#ifndef TK_SINK_ENCODE_SAFE_TEXT_H
#define TK_SINK_ENCODE_SAFE_TEXT_H

#include "base/text/shown.h"
#include "sink/write/buffer.h"

/* Is the text valid Unicode, whatever its encoding says? Then its bytes are UTF-8. */
bool tk_text_is_utf8(const struct tk_str *s);

/*
 * The text as valid UTF-8: itself, or a copy in scratch (whose content is replaced; borrowed until it
 * changes) where U+FFFD stands for every invalid byte or UTF-16 unit.
 */
struct tk_str tk_safe_text_clean(struct tk_buffer *scratch, struct tk_str s);

/* Appends a text for people, as base/text/shown.h says: with TK_SHOW_QUOTED, TK_SHOW_ASCII or none. Invalid
 * bytes become U+FFFD. */
void tk_safe_text(struct tk_buffer *b, struct tk_str s, unsigned flags);

#endif
