/*
 * One cell as a line of plain text. CSV, TSV and the composite values of the formats for people write cells
 * with it.
 *
 *   numbers      decimal; TK_HEX 0x...
 *   times        in the unit of the table; us, ms, s: fixed decimals to the nanosecond
 *   texts        as they are; inside composite values quoted, with \" \\ and visible control characters
 *   bytes        hexadecimal digits
 *   arrays       [1,2,3]
 *   records      Name=value Name2="text"; inside others {Name=value}
 */
#ifndef TK_SINK_WRITE_VALUE_H
#define TK_SINK_WRITE_VALUE_H

#include "base/text/text.h"
#include "sink/write/buffer.h"

/*
 * Texts of captures as valid UTF-8, or made safe to show on a terminal. Every sink calls it before it writes
 * a text of a capture.
 */

/* Is the text valid Unicode, whatever its encoding says? Then its bytes are UTF-8. */
bool tk_text_is_utf8(const struct tk_str *s);

/*
 * The text as valid UTF-8: itself, or a copy in scratch (whose content is replaced; borrowed until it
 * changes) where U+FFFD stands for every invalid byte or UTF-16 unit.
 */
struct tk_str tk_safe_text_clean(struct tk_buffer *scratch, struct tk_str s);

/* Appends a text for people, as base/text/text.h says: with TK_SHOW_QUOTED, TK_SHOW_ASCII or none. Invalid
 * bytes become U+FFFD. */
void tk_safe_text(struct tk_buffer *b, struct tk_str s, unsigned flags);

/*
 * Appends a cell; nothing for TK_NONE. show: TK_SHOW_ASCII or 0, for texts inside composite values. More
 * than TK_CELL_DEPTH levels make the buffer fail with TK_ELIMIT.
 */
void tk_value_put(struct tk_buffer *b, const struct tk_cell *c, enum tk_unit unit, unsigned show);

/* The same for a number (TK_BOOL to TK_SIZE): the fast way. */
void tk_value_number(struct tk_buffer *b, const struct tk_cell *c, enum tk_unit unit);

/* A cell inside a composite value: texts are quoted, records have braces. */
void tk_value_nested(struct tk_buffer *b, const struct tk_cell *c, enum tk_unit unit, unsigned show);

/* Is it one of the kinds that tk_value_number writes? */
static inline bool tk_value_is_number(const struct tk_cell *c)
{
    return c->kind > TK_NONE && c->kind < TK_TEXT;
}

/* Digits behind the point of times in the unit, whose cells are nanoseconds: 3 (us), 6 (ms), 9 (s); else 0.
 */
unsigned tk_unit_digits(enum tk_unit unit);

/* What a mean in nanoseconds (cycles) is in the unit. */
double tk_unit_scaled(double v, enum tk_unit unit);

/*
 * Texts and cells as JSON, for the JSON writers of all sinks. What JSON cannot express becomes an object:
 * bytes, and text that is not valid Unicode, are {"bytes":"hex"}.
 */

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
