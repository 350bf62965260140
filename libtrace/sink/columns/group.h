/*
 * A group of rows, kept column by column until a writer of Parquet or Arrow writes it. Cells become what both
 * formats hold: 64 bits, or the number of a text.
 */
#ifndef TK_SINK_COLUMNAR_GROUP_H
#define TK_SINK_COLUMNAR_GROUP_H

#include "sink/columns/texts.h"

enum tk_store {
    TK_STORE_BOOL,  /* 0 or 1 */
    TK_STORE_INT,   /* 64 bits of a whole number */
    TK_STORE_FLOAT, /* 32 bits */
    TK_STORE_REAL,  /* 64 bits */
    TK_STORE_TEXT,  /* the number of a text in UTF-8; of lists and records their JSON */
    TK_STORE_BYTES  /* the number of some bytes */
};

/* What whole numbers of a column with the highest bit set stand for. */
enum tk_sign {
    TK_SIGN_OPEN, /* there was none yet: the first one decides */
    TK_SIGN_MINUS,
    TK_SIGN_NONE
};

struct tk_group_column {
    enum tk_store store;
    uint8_t kind; /* of the table's column */
    enum tk_sign sign;
    uint64_t lost;    /* cells that the type cannot hold, which became nulls; of all groups */
    uint64_t rounded; /* whole numbers that a double does not hold exactly: the nearest is there */
    uint64_t *values; /* owned */
    uint8_t *present; /* owned; 0: a null; NULL as long as there was none in any group */
    size_t n_nulls;
    struct tk_texts texts;
    uint64_t text_bytes; /* of the texts of all rows */
};

struct tk_group {
    const struct tk_table *table; /* borrowed; not needed to release */
    struct tk_group_column *columns;
    uint32_t n_columns;
    size_t n, cap; /* rows */
    struct tk_buffer json, clean;
    int status;
    struct tk_err *err; /* borrowed: where causes go */
};

/* of: which sign whole numbers of a kind have from the beginning. TK_OK or TK_ENOMEM. */
int tk_group_init(struct tk_group *g, const struct tk_table *table, enum tk_sign (*of)(uint8_t kind),
                  struct tk_err *err);
void tk_group_release(struct tk_group *g);

/* Appends rows. The status, which stays. */
int tk_group_add(struct tk_group *g, const struct tk_rows *rows);

/* The bits of a real, or of the float next to it: what values of real columns are. */
uint64_t tk_group_bits(double r, bool single);

/* Forgets all rows. */
void tk_group_clear(struct tk_group *g);

/* Bytes that are kept of texts, and those of the texts of all rows. */
uint64_t tk_group_kept(const struct tk_group *g);
uint64_t tk_group_texts(const struct tk_group *g);

/* How many cells of a column its type does not hold; 0 where there is no such column. */
static inline uint64_t tk_group_lost(const struct tk_group *g, size_t column)
{
    return column < g->n_columns ? g->columns[column].lost : 0;
}

/* How many cells of a column are there with fewer digits than they had. */
static inline uint64_t tk_group_rounded(const struct tk_group *g, size_t column)
{
    return column < g->n_columns ? g->columns[column].rounded : 0;
}

static inline bool tk_group_has(const struct tk_group_column *c, size_t row)
{
    return c->n_nulls == 0 || c->present[row];
}

/* Is what the values stand for in texts? */
static inline bool tk_group_is_text(const struct tk_group_column *c)
{
    return c->store >= TK_STORE_TEXT;
}

#endif
