/*
 * Lines of aligned cells on a terminal; widths are in terminal columns. The formats `table` and `text` write
 * their lines with it.
 */
#ifndef TK_SINK_TABLES_LAYOUT_H
#define TK_SINK_TABLES_LAYOUT_H

#include "base/vec.h"
#include "sink/write/buffer.h"

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
 * first that is never left out a third of the line is shown. The column that is `apart` goes below where the
 * line would still be too wide, unless another one wraps. Before tk_layout_fit. */
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

#endif
