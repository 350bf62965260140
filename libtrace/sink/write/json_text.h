/*
 * Texts and cells as JSON, for the JSON writers of all sinks. What JSON cannot express becomes an object:
 * bytes, and text that is not valid Unicode, are {"bytes":"hex"}.
 */
#ifndef TK_SINK_ENCODE_JSON_TEXT_H
#define TK_SINK_ENCODE_JSON_TEXT_H

#include "sink/write/buffer.h"

/* A string; the text must be valid UTF-8. */
void tk_json_string(struct tk_buffer *b, const char *p, size_t n);

/* A text of any encoding as the key of a member: invalid bytes become U+FFFD. scratch is overwritten. */
void tk_json_key(struct tk_buffer *b, struct tk_buffer *scratch, struct tk_str s);

/*
 * A value. Integers are exact digits, TK_HEX "0x...", NaN and infinities strings, times in the unit as
 * numbers. scratch is overwritten. More than TK_CELL_DEPTH levels make the buffer fail with TK_ELIMIT.
 */
void tk_json_value(struct tk_buffer *b, struct tk_buffer *scratch, const struct tk_cell *c,
                   enum tk_unit unit);

/* The members of a record without the braces; `first`: no comma before the first one. */
void tk_json_members(struct tk_buffer *b, struct tk_buffer *scratch, const struct tk_record *rec,
                     enum tk_unit unit, bool first);

#endif
