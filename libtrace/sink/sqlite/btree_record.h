/*
 * Rows as records of SQLite's file format: the types of the values, then their bytes. Pages take records as
 * they are, and what inserts with a statement binds their values.
 */
#ifndef TK_SINK_SQLITE_BTREE_RECORD_H
#define TK_SINK_SQLITE_BTREE_RECORD_H

#include "base/bits.h"
#include "sink/write/buffer.h"
#include "sink/sqlite/btree_bytes.h"

#include <sqlite3.h>

/* What a column does with numbers before it keeps them. */
enum tk_sqlite_affinity {
    TK_SQLITE_AS_IS,
    TK_SQLITE_INTEGER, /* whole numbers become integers */
    TK_SQLITE_REAL     /* all numbers become real ones; whole ones are stored as integers */
};

struct tk_sqlite_record {
    struct tk_buffer types, body;
};

/* 0 or -1: out of memory. It has to be released all the same; one that is cleared to 0 may be. */
int tk_sqlite_record_open(struct tk_sqlite_record *r);
void tk_sqlite_record_release(struct tk_sqlite_record *r);

static inline void tk_sqlite_record_clear(struct tk_sqlite_record *r)
{
    r->types.n = r->body.n = 0;
}

/* Types of values in a record; those from 1 on are integers of more and more bytes. */
enum {
    TK_BTREE_NULL = 0,
    TK_BTREE_INT64 = 6,
    TK_BTREE_REAL = 7,
    TK_BTREE_ZERO = 8, /* and one, which need no bytes */
    TK_BTREE_BLOB = 12,
    TK_BTREE_TEXT = 13
};

/* Bytes of numbers, by type. */
static const uint8_t tk_btree_bytes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};

static inline unsigned tk_btree_type_of_int(int64_t v)
{
    /* by the bits that it has beside the sign */
    static const uint8_t types[] = {1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3,
                                    3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
                                    5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6};
    const uint64_t size = v < 0 ? ~(uint64_t)v : (uint64_t)v;
    return (uint64_t)v <= 1 ? TK_BTREE_ZERO + (unsigned)v : types[64 - tk_zeros_above(size | 1)];
}

static inline void tk_sqlite_record_number(struct tk_sqlite_record *r, unsigned type, uint64_t v)
{
    const unsigned bytes = tk_btree_bytes[type];
    uint8_t *p = (uint8_t *)tk_buffer_room(&r->body, sizeof v);
    tk_buffer_char(&r->types, (char)type);
    v <<= (64 - 8 * bytes) & 63;
    tk_btree_put32(p, (uint32_t)(v >> 32));
    tk_btree_put32(p + 4, (uint32_t)v);
    r->body.n += bytes;
}

/* The next value. */
static inline void tk_sqlite_record_int(struct tk_sqlite_record *r, int64_t v)
{
    tk_sqlite_record_number(r, tk_btree_type_of_int(v), (uint64_t)v);
}

/* The same for a column that may be of real numbers; and a real one. NaN is no value, as SQLite has it. */
void tk_sqlite_record_whole(struct tk_sqlite_record *r, int64_t v, enum tk_sqlite_affinity affinity);
void tk_sqlite_record_real(struct tk_sqlite_record *r, double v, enum tk_sqlite_affinity affinity);

/* Texts are UTF-8. Bytes of no length may be NULL. */
void tk_sqlite_record_bytes(struct tk_sqlite_record *r, const void *p, size_t n, bool text);

static inline void tk_sqlite_record_null(struct tk_sqlite_record *r)
{
    tk_buffer_char(&r->types, 0);
}

/* SQLITE_OK, or why the record is not to be used: memory, or it is longer than SQLite takes. */
int tk_sqlite_record_check(const struct tk_sqlite_record *r);

/* Bytes of the record. */
size_t tk_sqlite_record_size(const struct tk_sqlite_record *r);

/* Copies n of its bytes from number `from` on. */
void tk_sqlite_record_copy(const struct tk_sqlite_record *r, size_t from, uint8_t *out, size_t n);

/* Binds the values from the parameter *at (from 1) on, which moves behind them. SQLITE_OK or what failed. */
int tk_sqlite_record_bind(const struct tk_sqlite_record *r, sqlite3_stmt *stmt, int *at);

#endif
