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
#ifndef TK_SINK_ENCODE_VALUE_H
#define TK_SINK_ENCODE_VALUE_H

#include "sink/write/safe_text.h"

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

#endif
