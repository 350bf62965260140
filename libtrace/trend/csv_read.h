/*
 * Reads CSV (RFC 4180: quotes, line ends of any kind) from memory, row by row. history_csv.c reads histories
 * with it.
 */
#ifndef TK_COMPARE_HISTORY_CSV_READ_H
#define TK_COMPARE_HISTORY_CSV_READ_H

#include "base/err.h"
#include "base/vec.h"

#include <stdint.h>

/* A field: bytes of the text, or of `room` where quotes were doubled. */
struct tk_csv_field {
    const char *p;
    size_t n;
};

struct tk_csv {
    const char *name;                /* of the file, for errors */
    char *p, *end;                   /* what is left; quoted fields are unquoted in place */
    uint64_t line;                   /* of the row that was read last, from 1 */
    uint64_t next;                   /* line that is read next */
    TK_VEC(struct tk_csv_field) row; /* owned */
};

/* Begins with the first row; skips the mark of UTF-8. The text is borrowed, and changed. */
void tk_csv_begin(struct tk_csv *csv, const char *name, char *text, size_t n);
void tk_csv_release(struct tk_csv *csv);

/* The next row that is not empty. 1; 0 at the end; TK_EFORMAT (a quote that is not closed, or something
 * behind one that is); TK_ENOMEM. */
int tk_csv_next(struct tk_csv *csv, struct tk_err *err);

/* A decimal number without anything else, whatever the locale; false: it is none. */
bool tk_csv_real(const struct tk_csv_field *f, double *out);

/* A whole number below 2^63. */
bool tk_csv_uint(const struct tk_csv_field *f, uint64_t *out);

#endif
