/*
 * Cells as people read them: durations as "1.234 ms", sizes as "1.50 MiB", points in time as seconds, names
 * with visible control characters. Used by the formats `table`, `text` and `markdown`; csv and json use
 * value.h and json_text.h.
 */
#ifndef TK_SINK_ENCODE_HUMAN_H
#define TK_SINK_ENCODE_HUMAN_H

#include "sink/write/buffer.h"

struct tk_human {
    enum tk_unit unit; /* of the table; other than ns: numbers in that unit, no unit behind them */
    bool exact;        /* every digit, no units */
    bool ascii;
    bool least;     /* the value is a lower bound */
    bool bytes;     /* integers with a sign and real numbers are bytes */
    double percent; /* what makes percent of the number; 0: it is none */
};

/* From now on cells of this column. */
void tk_human_column(struct tk_human *h, const struct tk_column *column);

/* Appends a cell; nothing for TK_NONE. One line. */
void tk_human_cell(struct tk_buffer *b, const struct tk_cell *c, const struct tk_human *h);

/* A length of time in ns: "850 ns", "1.234 us", "12.34 ms", "123.4 s", "1234 s". */
void tk_human_span(struct tk_buffer *b, int64_t ns);

/* Bytes: "512 B", "1.50 KiB", "12.3 MiB". */
void tk_human_size(struct tk_buffer *b, uint64_t bytes);

/* A number with at most six significant digits. */
void tk_human_real(struct tk_buffer *b, double v);

/* Percent: "12.34 %"; below a hundredth two significant digits. */
void tk_human_percent(struct tk_buffer *b, double v);

/* The unit of the times of a table when they are written without one ("ms"), else NULL. */
const char *tk_human_times(const struct tk_table *table, const struct tk_human *h);

/* Are cells of this kind numbers, to be aligned on the right? */
bool tk_human_right(uint8_t kind);

#endif
