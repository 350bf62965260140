/*
 * A table of a new database, written as a B-tree from its first row to its last: leaves as they fill, the
 * pages above them behind those that they name, and the root last, in the place of the empty one that SQLite
 * has made.
 *
 * All functions that return int return SQLITE_OK or what failed.
 */
#ifndef TK_SINK_SQLITE_BTREE_TABLE_H
#define TK_SINK_SQLITE_BTREE_TABLE_H

#include "sink/sqlite/btree_pages.h"
#include "sink/sqlite/btree_record.h"

/* Above the leaves. A page of 512 bytes, the least there are, names more than 30, so it is enough for 2^32
 * pages. */
enum { TK_BTREE_LEVELS = 8 };

/* A page of a level that is not full. The last child has no cell: it is the one on the right where the page
 * ends with it. */
struct tk_sqlite_level {
    uint8_t *page;    /* owned; NULL: there is no such level */
    uint32_t cells;   /* in the page */
    uint32_t content; /* where their content begins */
    uint32_t child;   /* the last one; 0: none */
    int64_t key;      /* the last row in it */
    int64_t before;   /* that of the last cell */
};

struct tk_sqlite_tree {
    struct tk_sqlite_pages *pages; /* borrowed */
    uint32_t root;
    uint8_t *leaf, *spill;   /* owned; NULL: not needed yet */
    uint32_t cells, content; /* of the leaf */
    int64_t last;            /* the last row */
    struct tk_sqlite_level levels[TK_BTREE_LEVELS];
};

/* Of a table that is there and has no rows. It needs no memory until it has one. */
void tk_sqlite_tree_open(struct tk_sqlite_tree *t, struct tk_sqlite_pages *pages, uint32_t root);

/* Adds a row with an id above that of the last one. In our turn (btree_pages.h). */
int tk_sqlite_tree_add(struct tk_sqlite_tree *t, int64_t row, const struct tk_sqlite_record *record);

/* Writes what is left. SQLite can read the table afterwards, and no more rows may be added. */
int tk_sqlite_tree_finish(struct tk_sqlite_tree *t);

/* One that is cleared to 0 is allowed. */
void tk_sqlite_tree_release(struct tk_sqlite_tree *t);

#endif
