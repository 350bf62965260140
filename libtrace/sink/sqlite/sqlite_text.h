/*
 * Texts of a database: each once in the table `string`, by number. Texts that are not valid Unicode are
 * blobs.
 */
#ifndef TK_SINK_SQLITE_SQLITE_TEXT_H
#define TK_SINK_SQLITE_SQLITE_TEXT_H

#include "base/hash.h"
#include "base/text/intern.h"
#include "sink/sqlite/sqlite_rows.h"

enum { TK_SQLITE_SLOTS = 4096 };

struct tk_sqlite_texts {
    struct tk_sqlite_rows rows;
    struct tk_sqlite_record record;
    struct tk_intern known;
    struct tk_map numbers; /* address in known -> number since first */
    int64_t first, count;
    int failed; /* SQLITE_OK or the first failure */
    /* what was asked for last, by address: the bytes there may be others by now */
    struct tk_sqlite_slot {
        const char *at;
        const struct tk_str *text;
        int64_t number;
    } slots[TK_SQLITE_SLOTS];
};

/* Numbers go on behind those that are there. SQLITE_OK or what failed. */
int tk_sqlite_texts_open(struct tk_sqlite_texts *t, const struct tk_sqlite_target *to);

/* The number of a TK_TEXT; after a failure 0. Beyond 32 MB of texts equal ones may be stored again. */
int64_t tk_sqlite_texts_number(struct tk_sqlite_texts *t, const struct tk_cell *c);

/* No more texts come. SQLITE_OK or what failed. */
int tk_sqlite_texts_finish(struct tk_sqlite_texts *t);

void tk_sqlite_texts_release(struct tk_sqlite_texts *t);

#endif
