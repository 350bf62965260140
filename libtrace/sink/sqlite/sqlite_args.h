/*
 * Arguments of records in a database: a row of `record_args` for each field, its value in the column of its
 * type, as Perfetto's `args` has them.
 */
#ifndef TK_SINK_SQLITE_SQLITE_ARGS_H
#define TK_SINK_SQLITE_SQLITE_ARGS_H

#include "sink/write/buffer.h"
#include "sink/sqlite/sqlite_text.h"

struct tk_sqlite_args {
    struct tk_sqlite_rows rows;
    struct tk_sqlite_record record;
    struct tk_sqlite_texts *texts; /* borrowed */
    struct tk_buffer json, clean;
    int64_t last; /* number of the set before */
    int failed;   /* SQLITE_OK or the first failure */
};

/* Numbers of sets are above all others, and tell the capture. SQLITE_OK or what failed. */
int tk_sqlite_args_open(struct tk_sqlite_args *a, const struct tk_sqlite_target *to,
                        struct tk_sqlite_texts *texts, int64_t capture);

/* Adds the fields of a record; the number of their set. Failures stick. */
int64_t tk_sqlite_args_add(struct tk_sqlite_args *a, const struct tk_record *record);

/* No more records come. SQLITE_OK or what failed. */
int tk_sqlite_args_finish(struct tk_sqlite_args *a);

void tk_sqlite_args_release(struct tk_sqlite_args *a);

#endif
