/*
 * A sink that writes every table to a file of its own, TABLE.FORMAT. Rows of several tables may come
 * interleaved; the files are renamed to their final names together, when all are written.
 */
#ifndef TK_SINK_TABLES_TABLE_FOLDER_H
#define TK_SINK_TABLES_TABLE_FOLDER_H

#include "tracekit/sinks.h"
#include "tracekit/tables.h"

#include <stdbool.h>

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

/*
 * A sink that writes each picture of a table to a file of its own, in a folder. The files are renamed to
 * their final names together, when all are written.
 */

struct tk_pictures;

/* Tables of pictures, and the columns that the rows must have. */
struct tk_picture_table {
    const char *table;
    const char *columns[4];
    size_t n;
    bool blocks; /* pixels, not picture files */
};
extern const struct tk_picture_table tk_picture_tables[2];

/* Opens a folder, which is made where there is none; see tk_folder_make. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_pictures_open(struct tk_pictures **out, const char *path, bool force, struct tk_err *err);

/* For rows of a table. A file is called by the number of its row, from 1, and the name, if it has one:
 * 0001-NAME.png, 0001.png. A row without bytes has no file, nor has one whose blocks do not
 * fit its size; other picture files are as they were recorded. The table lives as long as the sink. */
struct tk_sink tk_pictures_sink(struct tk_pictures *p, const struct tk_picture_table *table);

/* Rows so far whose blocks do not fit their size. */
size_t tk_pictures_refused(const struct tk_pictures *p);

/* Puts all files under their names. Frees. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_pictures_commit(struct tk_pictures *p, struct tk_err *err);

/* Throws away what was written and frees. NULL is allowed. */
void tk_pictures_discard(struct tk_pictures *p);

#endif
