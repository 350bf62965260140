/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_SINK_SQLITE_SQLITE_IN_H
#define TK_SINK_SQLITE_SQLITE_IN_H

#include "base/bits.h"
#include "base/hash.h"
#include "base/text/intern.h"
#include "sink/write/buffer.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Numbers as SQLite's file format has them: big-endian ones, and its variable-length integers, whose first
 * bytes are the high ones and whose ninth has 8 bits.
 */

enum { TK_BTREE_LONGEST_VARINT = 9 };

static inline void tk_btree_put16(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static inline void tk_btree_put32(uint8_t *p, uint32_t v)
{
    tk_btree_put16(p, v >> 16);
    tk_btree_put16(p + 2, v & 0xffff);
}

static inline uint32_t tk_btree_get16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t tk_btree_get32(const uint8_t *p)
{
    return tk_btree_get16(p) << 16 | tk_btree_get16(p + 2);
}

/* Bytes of a number. */
static inline unsigned tk_btree_varint_size(uint64_t v)
{
    unsigned n = 1;
    while (n < TK_BTREE_LONGEST_VARINT && v >> 7 * n)
        n++;
    return n;
}

/* Returns how many bytes it has put, at most TK_BTREE_LONGEST_VARINT. */
static inline unsigned tk_btree_put_varint(uint8_t *p, uint64_t v)
{
    if (v < 0x80) {
        p[0] = (uint8_t)v;
        return 1;
    }
    const unsigned n = tk_btree_varint_size(v);
    unsigned i = n;
    if (n == TK_BTREE_LONGEST_VARINT) {
        p[--i] = (uint8_t)v;
        v >>= 8;
    } else {
        p[--i] = (uint8_t)(v & 0x7f);
        v >>= 7;
    }
    for (; i > 0; v >>= 7)
        p[--i] = (uint8_t)(v & 0x7f) | 0x80;
    return n;
}

/*
 * Pages of a new database that are written alongside SQLite, through its own file: SQLite and we have the
 * file in turns, and neither has a transaction open while the other one writes.
 *
 * All functions that return int return SQLITE_OK or what failed.
 */

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

/*
 * Rows as records of SQLite's file format: the types of the values, then their bytes. Pages take records as
 * they are, and what inserts with a statement binds their values.
 */

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
    /* by the bits that it has alongside the sign */
    static const uint8_t types[] = {1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3,
                                    3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
                                    5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6};
    const uint64_t size = v < 0 ? ~(uint64_t)v : (uint64_t)v;
    return (uint64_t)v <= 1 ? TK_BTREE_ZERO + (unsigned)v : types[64 - tk_zeros_above(size | 1)];
}

static inline void tk_sqlite_record_number(struct tk_sqlite_record *r, unsigned type, uint64_t v)
{
    const unsigned bytes = tk_btree_bytes[type];
    uint8_t *p = (uint8_t *)tk_buffer_space(&r->body, sizeof v);
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

/*
 * A table of a new database, written as a B-tree from its first row to its last: leaves as they fill, the
 * pages above them behind those that they name, and the root last, in the place of the empty one that SQLite
 * has made.
 *
 * All functions that return int return SQLITE_OK or what failed.
 */

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

/* Adds a row with an id above that of the last one. In our turn. */
int tk_sqlite_tree_add(struct tk_sqlite_tree *t, int64_t row, const struct tk_sqlite_record *record);

/* Writes what is left. SQLite can read the table afterwards, and no more rows may be added. */
int tk_sqlite_tree_finish(struct tk_sqlite_tree *t);

/* One that is cleared to 0 is allowed. */
void tk_sqlite_tree_release(struct tk_sqlite_tree *t);

/*
 * Where the rows of one table go: into pages of a new database, which is several times as fast, or by
 * insertion into one that others may use.
 *
 * All functions that return int return SQLITE_OK or what failed.
 */

/* A database that takes rows. */
struct tk_sqlite_target {
    sqlite3 *db;                   /* borrowed */
    struct tk_sqlite_pages *pages; /* borrowed; NULL: rows are inserted */
};

struct tk_sqlite_rows {
    struct tk_sqlite_tree tree; /* root 0: rows are inserted */
    int64_t last;               /* id of the last row in the tree */
    sqlite3_stmt *many, *one;   /* owned; NULL: in the tree */
    sqlite3_stmt *filling;      /* the one that some rows are bound to */
    unsigned bound;             /* rows */
    int at;                     /* the next parameter */
};

/* Of a table that is there, with so many columns, all of which rows have; in SQLite's turn. `columns` are
 * their names behind each other, with commas. It has to be released all the same when it fails. */
int tk_sqlite_rows_open(struct tk_sqlite_rows *r, const struct tk_sqlite_target *to, const char *table,
                        const char *columns, unsigned n_columns);

/* Adds a row, behind which at least `more` are sure to come. In our turn. */
int tk_sqlite_rows_add(struct tk_sqlite_rows *r, const struct tk_sqlite_record *record, size_t more);

/* No more rows come. */
int tk_sqlite_rows_finish(struct tk_sqlite_rows *r);

/* One that is cleared to 0 is allowed. */
void tk_sqlite_rows_release(struct tk_sqlite_rows *r);

/*
 * Texts of a database: each once in the table `string`, by number. Texts that are not valid Unicode are
 * blobs.
 */

enum { TK_SQLITE_SLOTS = 4096 };

struct tk_sqlite_texts {
    struct tk_sqlite_rows rows;
    struct tk_sqlite_record record;
    struct tk_intern known;
    struct tk_map numbers; /* address in known -> number since first */
    int64_t first, count;
    int failed; /* SQLITE_OK or the first failure */
    /* what was requested last, by address: the bytes there may be others by now */
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

/*
 * Arguments of records in a database: a row of `record_args` for each field, its value in the column of its
 * type, as Perfetto's `args` has them.
 */

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

/*
 * Tables of a database, as sqlite.h says what they look like: cells become records, which go where
 * sqlite_rows.h says.
 *
 * Failures are codes of SQLite's; of SQLITE_NOMEM the database need not know.
 */

/* What all tables of one capture share. */
struct tk_sqlite_capture {
    sqlite3 *db;                   /* borrowed */
    struct tk_sqlite_pages *pages; /* borrowed; of a new database, else NULL */
    int64_t id;                    /* in `captures` */
    bool requested;                /* the columns were named: none of them is left out */
    struct tk_sqlite_record record;
    struct tk_sqlite_texts texts;
    struct tk_sqlite_args args;
    struct tk_buffer sql, scratch;
};

/* All but the id and `requested`, which are set before. Releases nothing when it fails. SQLITE_OK or what
 * failed.
 */
int tk_sqlite_capture_open(struct tk_sqlite_capture *c, const struct tk_sqlite_target *to);

/* No more rows, texts and records come. SQLITE_OK or what failed. */
int tk_sqlite_capture_finish(struct tk_sqlite_capture *c);

/* One that is cleared to 0 is allowed. */
void tk_sqlite_capture_release(struct tk_sqlite_capture *c);

struct tk_sqlite_column {
    uint32_t from; /* in the rows */
    enum tk_sqlite_affinity affinity;
    bool text;   /* a number of a text */
    bool beyond; /* of those inserted one was 2^63 or more: a negative number in the table */
};

#define TK_SQLITE_NO_RECORD UINT32_MAX

/* A table that takes rows. */
struct tk_sqlite_table {
    const struct tk_table *table;     /* borrowed */
    struct tk_sqlite_column *columns; /* owned, n */
    uint32_t n;
    uint32_t record; /* the column whose fields are arguments, in the rows; TK_SQLITE_NO_RECORD */
    struct tk_sqlite_rows rows;
};

/* Creates the table and its view or, where they are there, adds the columns that the table lacks. SQLITE_OK
 * or what failed. */
int tk_sqlite_table_create(struct tk_sqlite_capture *c, const struct tk_table *table);

/* The same, and the view has all of the columns; makes ready for rows. SQLITE_OK or what failed; it has to be
 * released all the same. */
int tk_sqlite_table_open(struct tk_sqlite_table *t, struct tk_sqlite_capture *c,
                         const struct tk_table *table);

/* Adds rows to the table. SQLITE_OK or what failed. */
int tk_sqlite_table_add(struct tk_sqlite_table *t, struct tk_sqlite_capture *c, const struct tk_rows *batch);

/* No more rows come. SQLITE_OK or what failed. */
int tk_sqlite_table_finish(struct tk_sqlite_table *t);

void tk_sqlite_table_release(struct tk_sqlite_table *t);

/*
 * The schema of a database: tables and views that are created, or made to fit further captures. Those may
 * have other columns: of another kind of captures, or because others were requested.
 */

/* Creates the table and its view. Where they are there, adds the columns that the table lacks and, when
 * `displayed`, those that the view lacks. SQLITE_OK or what failed. */
int tk_sqlite_schema_fit(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t, bool displayed);

/* Makes the view anew where rows have numbers beyond those of SQLite: it shows them as texts. To be called
 * when all rows are there. SQLITE_OK or what failed. */
int tk_sqlite_schema_show(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t);

/* Puts the names of the columns, or their declarations, each behind a comma, into the statement c->sql. */
void tk_sqlite_schema_columns(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t, bool declared);

/* What a column whose cells are of a kind does with numbers. */
enum tk_sqlite_affinity tk_sqlite_schema_affinity(uint8_t kind);

/*
 * What a database gets when all of its tables are there.
 */

/* Creates the views of schemas/views.sql. 0, or -1: the connection says why. */
int tk_sqlite_views_make(sqlite3 *db);

/* Creates indexes over time, threads and timers, and over texts. Likewise. */
int tk_sqlite_indexes_make(sqlite3 *db);

#endif
