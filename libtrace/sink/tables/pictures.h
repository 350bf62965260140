/*
 * A sink that writes each picture of a table to a file of its own, in a folder. The files are renamed to
 * their final names together, when all are written.
 */
#ifndef TK_SINK_TABLES_PICTURES_H
#define TK_SINK_TABLES_PICTURES_H

#include "tracekit/tables.h"

struct tk_pictures;

/* The columns that the rows must have, in this order. */
enum { TK_PICTURE_NAME, TK_PICTURE_DATA, TK_PICTURE_COLUMNS };
extern const char *const tk_picture_columns[TK_PICTURE_COLUMNS];

/* Opens a folder, which is made where there is none; see tk_folder_make. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_pictures_open(struct tk_pictures **out, const char *path, bool force, struct tk_err *err);

/* A row without bytes has no file. A file is called by the number of its row, from 1, and the name:
 * 0001-NAME.png. */
struct tk_sink tk_pictures_sink(struct tk_pictures *p);

/* Puts all files under their names. Frees. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_pictures_commit(struct tk_pictures *p, struct tk_err *err);

/* Throws away what was written and frees. NULL is allowed. */
void tk_pictures_discard(struct tk_pictures *p);

#endif
