/*
 * What files of columns say of their table beside its rows: pairs of a key and a text. Parquet and Arrow have
 * the same ones.
 */
#ifndef TK_SINK_COLUMNAR_SAID_H
#define TK_SINK_COLUMNAR_SAID_H

#include "sink/columns/group.h"

#define TK_SAID_MOST 8

struct tk_said {
    struct tk_buffer text; /* JSON of columns, then of what was lost */
    struct {
        const char *key, *value; /* values live as long as this */
        size_t n;
    } pairs[TK_SAID_MOST];
    size_t n;
};

/* columns: for cells that became nulls; NULL: not known yet. source may be NULL. to: where causes go. TK_OK
 * or TK_ENOMEM. */
int tk_said_init(struct tk_said *s, const struct tk_table *table, const struct tk_group_column *columns,
                 const char *source, struct tk_buffer *to);
void tk_said_release(struct tk_said *s);

#endif
