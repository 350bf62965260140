/*
 * Pages of a new database that are written beside SQLite, through its own file: SQLite and we have the file
 * in turns, and neither has a transaction open while the other one writes.
 *
 * All functions that return int return SQLITE_OK or what failed.
 */
#ifndef TK_SINK_SQLITE_BTREE_PAGES_H
#define TK_SINK_SQLITE_BTREE_PAGES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct tk_sqlite_pages {
    sqlite3_file *file; /* borrowed from the connection */
    uint32_t size;      /* bytes of a page */
    uint32_t usable;    /* of them, those for content; the others stay 0 */
    uint32_t count;     /* pages of the database */
    uint32_t locked;    /* number of the page whose bytes SQLite locks; it has no content */
    bool ahead;         /* something was written that SQLite does not know of */
};

/* Of a database that has a schema, in no transaction, and no journal. It is our turn. */
int tk_sqlite_pages_open(struct tk_sqlite_pages *p, sqlite3 *db);

/* The turns: SQLite may use the file, and no longer. */
int tk_sqlite_pages_lend(struct tk_sqlite_pages *p);
int tk_sqlite_pages_take(struct tk_sqlite_pages *p);

/* The number of the page that is appended when those up to `last` are there. */
static inline uint32_t tk_sqlite_pages_after(const struct tk_sqlite_pages *p, uint32_t last)
{
    return last + 1 == p->locked ? last + 2 : last + 1;
}

/* Appends a page of p->size bytes; *number may be NULL. */
int tk_sqlite_pages_append(struct tk_sqlite_pages *p, const uint8_t *page, uint32_t *number);

/* Writes a page that is there. */
int tk_sqlite_pages_put(struct tk_sqlite_pages *p, uint32_t number, const uint8_t *page);

#endif
