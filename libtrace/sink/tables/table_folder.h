/*
 * A sink that writes every table to a file of its own, TABLE.FORMAT. Rows of several tables may come
 * interleaved; the files are renamed to their final names together, when all are written.
 */
#ifndef TK_SINK_TABLES_TABLE_FOLDER_H
#define TK_SINK_TABLES_TABLE_FOLDER_H

#include "tracekit/sinks.h"

struct tk_folder;

/* A part of a data set: readers give its rows a column `key` with the value `name`. */
struct tk_partition {
    const char *key, *name;
};

/* Opens a folder, which is made where there is none; see tk_folder_make. The format is one of
 * tk_writer_formats(). opt may be NULL. partition (borrowed): what the tables are put alongside those of
 * others by, as TABLE/KEY=NAME/part-0.FORMAT; NULL: as TABLE.FORMAT. empty: tables without rows have a file,
 * too. TK_OK, TK_EOUTPUT, TK_ENOMEM, TK_EMATCH.
 */
int tk_folder_open(struct tk_folder **out, const char *path, const char *format, bool force,
                   const struct tk_partition *partition, bool empty, const struct tk_writer_options *opt,
                   struct tk_err *err);

struct tk_sink tk_folder_sink(struct tk_folder *f);

/* The writer of a table that has begun and not ended. Borrowed. */
struct tk_writer *tk_folder_writer(struct tk_folder *f, const struct tk_table *table);

/* Puts all files under their names. Frees. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_folder_commit(struct tk_folder *f, struct tk_err *err);

/* Throws away what was written and frees. NULL is allowed. */
void tk_folder_discard(struct tk_folder *f);

#endif
