/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_PLACE_PLACE_IN_H
#define TK_PLACE_PLACE_IN_H

#include "base/err.h"
#include "base/vec.h"
#include "table/cell.h"
#include "tracekit/cells.h"
#include "tracekit/sinks.h"
#include "tracekit/tables.h"

/* The cell of a column; a cell of nothing where the table has no such column. */
static inline const struct tk_cell *tk_place_cell(const struct tk_table *table, const struct tk_cell *row,
                                                  const char *column)
{
    static const struct tk_cell none = {.kind = TK_NONE};
    const int at = tk_table_column(table, column);
    return at < 0 ? &none : &row[at];
}

/* As tk_cells; a side of 0 is chosen, one that is given doubles, as the level needs (place.h). *side:
 * which one it is. */
int tk_cells_fitted(struct tk_trace *trace, const struct tk_cells_options *options, double *side,
                    const struct tk_sink *sink, struct tk_err *err);

/*
 * Positions: where something was, and since when.
 */

enum tk_position_kind { TK_POSITION_POINT, TK_POSITION_COUNTERS, TK_POSITION_LOG };

enum { TK_POSITION_NAME = 128 };

/* What --position says. */
struct tk_position_source {
    enum tk_position_kind kind;
    char x[TK_POSITION_NAME], y[TK_POSITION_NAME]; /* counters; x: the point, or the category of messages */
    const char *pattern;                           /* of messages; borrowed */
    bool any;                                      /* of points: none is named */
};

/* Reads it. TK_OK, or TK_EUSAGE with what is allowed. */
int tk_position_parse(struct tk_position_source *out, const char *text, struct tk_err *err);

/* The table that has them. */
const char *tk_position_table(const struct tk_position_source *source);

struct tk_position {
    int64_t time; /* ns */
    double at[3];
};

struct tk_positions {
    TK_VEC(struct tk_position) v;    /* by time, once they are settled */
    char names[8][TK_POSITION_NAME]; /* of the points that there are, where none is named */
    size_t n_names, counts[8];
    TK_VEC(uint8_t) of; /* of each position: which of these it is of */
    double half[2];     /* the last values of two counters */
    bool has[2];
};

void tk_positions_release(struct tk_positions *p);

/* Takes a row of the table. TK_OK or TK_ENOMEM. */
int tk_positions_take(struct tk_positions *p, const struct tk_position_source *source,
                      const struct tk_table *table, const struct tk_cell *row, struct tk_err *err);

/* All rows are there: sorts them, and leaves those of the point that is meant. TK_OK, TK_EMATCH. */
int tk_positions_settle(struct tk_positions *p, const struct tk_position_source *source, struct tk_err *err);

/* The last one set before `end` and at most a second old, or NULL. *from: where to look, as ends grow. */
const struct tk_position *tk_positions_before(const struct tk_positions *p, int64_t end, size_t *from);

/* The numbers of a text where it has the pattern, whose (%f) and %f stand for numbers. false: it has not. */
bool tk_position_match(const char *pattern, const char *text, size_t n, double at[3], unsigned *found);

#endif
