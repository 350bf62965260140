/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_SINK_TABLES_TABLES_IN_H
#define TK_SINK_TABLES_TABLES_IN_H

#include "base/vec.h"
#include "sink/write/buffer.h"

/*
 * Lines of aligned cells on a terminal; widths are in terminal columns. The formats `table` and `text` write
 * their lines with it.
 */

struct tk_layout_column {
    size_t width;
    size_t widest; /* width of the widest text, whatever the column was made */
    bool right;    /* aligned on the right */
    bool shrink;   /* may be shortened */
    bool hidden;   /* left out: cells of it are not to be put */
    bool wraps;    /* where it is too narrow for a text, this goes on in the next line, and nothing is cut */
    bool apart;    /* where a row is too wide for the terminal, it goes into lines of its own below the row */
    bool below;    /* it does */
    uint8_t least; /* no narrower than this; 0: as usual */
    uint8_t keep;  /* what has less is left out first; TK_LAYOUT_KEEP: never */
    size_t rest, n_rest; /* bytes of tk_layout.rest that go into the next lines */
};

#define TK_LAYOUT_SPARE    3 /* columns of no more `keep` are left out before anything is cut */
#define TK_LAYOUT_OPTIONAL 4 /* these go next */
#define TK_LAYOUT_TIME                                                                                       \
    (TK_LAYOUT_KEEP - 1) /* before they are left out, names and texts are narrowed more                      \
                          */
#define TK_LAYOUT_KEEP UINT8_MAX
#define TK_LAYOUT_GAP  2 /* blanks between columns */

struct tk_layout {
    TK_VEC(struct tk_layout_column) columns; /* owned */
    bool shorten; /* cells that are too wide lose their middle; else they stick out */
    bool ascii;
    bool begun;        /* there is a cell in the line */
    size_t pending;    /* blanks that are due before the next cell of the line */
    size_t indent;     /* of what goes below a row */
    TK_VEC(char) rest; /* owned; of the texts of this line */
};

/* Begins anew with n columns of width 0; TK_OK or TK_ENOMEM (no causes). */
int tk_layout_reset(struct tk_layout *l, size_t n);

/* Widens a column to a text. */
void tk_layout_measure(struct tk_layout *l, size_t column, const void *p, size_t n);

/* Leaves columns out until a line of shortened cells takes at most `width` columns: those with the least
 * `keep`, the last of them first. Those of TK_LAYOUT_SPARE and less go before anything is shortened. Of the
 * first that is never left out a third of the line is displayed. The column that is `apart` goes below where
 * the line would still be too wide, unless another one wraps. Before tk_layout_fit. */
void tk_layout_choose(struct tk_layout *l, size_t width);

/* Narrows what may shrink until a line takes at most `width` columns, or as near to it as makes sense: first
 * the columns that wrap, down to their `least`, then the others, then both beyond that. 0: only keeps very
 * long texts from widening all lines. */
void tk_layout_fit(struct tk_layout *l, size_t width);

/* Appends a cell; cells of a line come in order. No blanks are left behind the last one. */
void tk_layout_put(struct tk_layout *l, struct tk_buffer *b, size_t column, const void *p, size_t n);

/* Appends a text that begins in column `at` in lines of at most `width` columns, broken behind blanks, commas
 * and semicolons where there are some; further lines begin in column `at`, too. */
void tk_layout_wrap(struct tk_buffer *b, size_t at, size_t width, const char *p, size_t n);

/* Ends the line, with further lines for the texts that go on. */
void tk_layout_line(struct tk_layout *l, struct tk_buffer *b);

void tk_layout_release(struct tk_layout *l);

/*
 * Which columns of a table are left out on a narrow terminal, and the colours of cells. Used by the format
 * `table` only.
 */

#define TK_COLUMN_CHOICE_FAINT "\x1b[2m"

struct tk_column_choice {
    int by;          /* the column by which people read the table; -1: none */
    double greatest; /* value in it */
};

/* Is it a number that only distinguishes things, or where they are? Such columns are the first to go. */
bool tk_column_choice_is_id(const char *name);

/*
 * What the rows so far (of the first table of `rows`) say: `keep` of the columns in the layout (empty ones
 * are spared first, then those of zeros, texts alongside the first, numbers; never the first text and the
 * column by which the table is read), and what colours are measured by.
 */
void tk_column_choice_measure(struct tk_column_choice *look, struct tk_layout *layout,
                              const struct tk_table *table, const struct tk_result *rows);

/* The escape sequence of a cell, or NULL: faint for zeros, red for damage; where the table is read by it, red
 * for half of the greatest value and more, yellow for a tenth and more. */
const char *tk_column_choice_colour(const struct tk_column_choice *look, const struct tk_table *table,
                                    uint32_t column, const struct tk_cell *cell);

/*
 * Tables of one row, which are written as a list of names and values; used by the formats `json`, `markdown`
 * and `table`. If the only column is a record, its fields are that list.
 */

bool tk_name_value_is(const struct tk_table *table);

/* Is it single, and its only column a record? */
bool tk_name_value_is_record(const struct tk_table *table);

/* Number of names and values in its row. */
uint32_t tk_name_value_count(const struct tk_table *table, const struct tk_cell *row);

/* One of them. The name is borrowed from the table or the record. */
void tk_name_value_item(const struct tk_table *table, const struct tk_cell *row, uint32_t i,
                        struct tk_str *name, struct tk_cell *value);

/* Is it a lower bound? */
bool tk_name_value_least(const struct tk_table *table, uint32_t i);

#endif
