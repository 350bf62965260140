/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_SQL_TABLES_TABLES_IN_H
#define TK_SQL_TABLES_TABLES_IN_H

#include "io/scratch/spill.h"
#include "sink/write/buffer.h"
#include "sql/tables/connection.h"
#include "sql/tables/shape.h"
#include "tracekit/queries.h"

#include <stddef.h>

/*
 * Values as SQLite has them, made of the cells of tables. Stores keep them, the module hands them over.
 */

enum tk_sql_type { TK_SQL_NULL, TK_SQL_INT, TK_SQL_REAL, TK_SQL_TEXT, TK_SQL_BLOB };

/* One value in 8 bytes alongside its type; a text or blob is interned. */
union tk_sql_payload {
    int64_t i;
    double r;
    const struct tk_str *s;
};

struct tk_sql_value {
    uint8_t type; /* enum tk_sql_type */
    union tk_sql_payload v;
};

/* What composed cells are written with. */
struct tk_sql_scratch {
    struct tk_buffer json, clean;
    bool ready;
};

void tk_sql_scratch_release(struct tk_sql_scratch *s);

/*
 * What a cell is in SQL: times, counts, ids INTEGER, means and parts REAL; numbers above 2^63 - 1 are their
 * digits as TEXT, but addresses and hashes negative INTEGERs; texts that are no Unicode BLOBs; records and
 * lists JSON as TEXT. Texts are interned in the connection. TK_OK, TK_ENOMEM, TK_ELIMIT.
 */
int tk_sql_value_of(struct tk_sql_value *out, struct tk_sql_connection *c, const struct tk_cell *cell,
                    struct tk_sql_scratch *scratch, struct tk_err *err);

/* The same as the result of a column, without interning. TK_OK, TK_ENOMEM, TK_ELIMIT. */
int tk_sql_value_answer(sqlite3_context *to, const struct tk_cell *cell, struct tk_sql_scratch *scratch,
                        struct tk_err *err);

/* A value as the result of a column. */
void tk_sql_value_put(sqlite3_context *to, const struct tk_sql_value *value);

/* The order of SQLite: NULL, numbers, texts by their bytes, blobs. As strcmp. */
int tk_sql_value_order(const struct tk_sql_value *a, const struct tk_sql_value *b);

/*
 * Rows put together by the value of one column, so that they can be handed over group after group. In memory
 * up to a bound, beyond it in a temporary file.
 */

struct tk_sql_grouped;

/* Rows of n values each. dir: for the file; NULL: TMPDIR or /tmp. TK_OK or TK_ENOMEM. */
int tk_sql_grouped_new(struct tk_sql_grouped **out, size_t n, const char *dir, struct tk_err *err);

/* Adds a row to the group of `key`. TK_OK, TK_ENOMEM, TK_EOUTPUT. */
int tk_sql_grouped_add(struct tk_sql_grouped *g, const struct tk_sql_value *key,
                       const struct tk_sql_value *row, struct tk_err *err);

/* All rows are there: groups come in the order of their values, with `down` the greatest first. TK_OK,
 * TK_ENOMEM. */
int tk_sql_grouped_sort(struct tk_sql_grouped *g, bool down, struct tk_err *err);

/* The next row, group after group; in a group as they came. It lives
 * until the next call. TK_ITEM, TK_OK, TK_ENOMEM, TK_EOUTPUT. */
int tk_sql_grouped_next(struct tk_sql_grouped *g, const struct tk_sql_value **row, struct tk_err *err);

/* NULL is allowed. */
void tk_sql_grouped_free(struct tk_sql_grouped *g);

/*
 * Arrays of records that are on disk, in pieces of which some are in memory. Stores put there what their
 * budget has no space for.
 */

enum { TK_SQL_PIECE = 1024, TK_SQL_SLOTS = 32 }; /* records of a piece; pieces that are in memory at a time */

/* Zero-initialise but for `size`. */
struct tk_sql_pieces {
    size_t size;               /* bytes of a record */
    uint64_t n;                /* records */
    uint8_t *last;             /* owned: the piece that is filled */
    struct tk_spilled written; /* the pieces before */
    struct {
        uint64_t piece; /* 1 + its number; 0: none */
        uint8_t *v;     /* owned */
    } slots[TK_SQL_SLOTS];
};

/* Adds a record. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_sql_pieces_add(struct tk_sql_pieces *p, struct tk_spill *file, const void *record, struct tk_err *err);

/* Copies record i, which is there. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_sql_pieces_get(struct tk_sql_pieces *p, const struct tk_spill *file, uint64_t i, void *record,
                      struct tk_err *err);

void tk_sql_pieces_release(struct tk_sql_pieces *p);

/*
 * Stores: rows of a table that were read once and are kept by column, so that joins do not read a capture
 * again for each row. They are in memory, within the budget of the connection; those that were not used for
 * longest make space, and what is more than the budget goes to a temporary file. And texts with numbers, for
 * the columns NAME_ref of the views.
 */

#define TK_SQL_COLUMNS 64 /* most columns of a table */

/* Rows in the order of one column. */
struct tk_sql_order {
    struct tk_sql_place {
        struct tk_sql_value value;
        size_t row;
    } * places; /* owned; NULL: they are on disk */
    size_t n;
    struct tk_sql_pieces pieces;        /* of places */
    TK_VEC(struct tk_sql_value) firsts; /* the value that each piece begins with */
};

struct tk_sql_store {
    char *key; /* owned: the question without its columns */
    const struct tk_sql_source *source;
    uint64_t version; /* of the source */
    uint64_t mask;    /* columns of the table that are there */
    size_t users;     /* cursors that read it */
    uint64_t used, bytes;
    size_t n;              /* rows */
    struct tk_spill *file; /* owned; NULL: nothing is on disk */
    bool spilled;          /* rows are in `pieces` of their columns */
    struct tk_sql_kept {
        uint8_t *types; /* owned */
        union tk_sql_payload *values;
        size_t cap;
        struct tk_sql_pieces pieces; /* of values */
        struct tk_sql_order *order;  /* owned; NULL: not requested yet */
    } columns[TK_SQL_COLUMNS];
};

/* The store of a question that has these columns, or NULL. */
struct tk_sql_store *tk_sql_store_find(struct tk_sql_connection *c, const struct tk_sql_source *s,
                                       const char *key, uint64_t mask);

/* An empty one, which is not found yet. TK_OK or TK_ENOMEM. */
int tk_sql_store_new(struct tk_sql_store **out, const struct tk_sql_source *s, const char *key, uint64_t mask,
                     struct tk_err *err);

enum { TK_SQL_LEFT_OUT = UINT8_MAX }; /* the place of a cell that is not kept */

/* Adds rows; to[i] is the column of the store for the i-th cell, or TK_SQL_LEFT_OUT; at most TK_SQL_COLUMNS
 * of them. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_sql_store_add(struct tk_sql_store *store, struct tk_sql_connection *c, const struct tk_rows *rows,
                     const uint8_t *to, uint32_t n_columns, struct tk_sql_scratch *scratch,
                     struct tk_err *err);

/* Makes it one that is found. TK_OK or TK_ENOMEM: then it is freed. */
int tk_sql_store_keep(struct tk_sql_store *store, struct tk_sql_connection *c, struct tk_err *err);

/* The value of a column that is there. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
static inline int tk_sql_store_value(struct tk_sql_store *store, uint32_t column, size_t row,
                                     struct tk_sql_value *out, struct tk_err *err)
{
    struct tk_sql_kept *kept = &store->columns[column];
    if (store->spilled)
        return tk_sql_pieces_get(&kept->pieces, store->file, row, out, err);
    *out = (struct tk_sql_value){kept->types[row], kept->values[row]};
    return TK_OK;
}

/* The rows in the order of a column that is there; made when it is requested first by one of its users.
 * TK_OK, TK_ENOMEM, TK_EOUTPUT. */
int tk_sql_store_order(struct tk_sql_store *store, struct tk_sql_connection *c, uint32_t column,
                       struct tk_sql_order **out, struct tk_err *err);

/* The first place whose value is not below this one; with `after` the first that is above. TK_OK, TK_ENOMEM,
 * TK_EOUTPUT. */
int tk_sql_order_find(const struct tk_sql_store *store, struct tk_sql_order *order,
                      const struct tk_sql_value *value, bool after, size_t *place, struct tk_err *err);

/* The row at a place of an order. As above. */
int tk_sql_order_row(const struct tk_sql_store *store, struct tk_sql_order *order, size_t place, size_t *row,
                     struct tk_err *err);

void tk_sql_store_free(struct tk_sql_connection *c, struct tk_sql_store *store);

/* Frees all stores. */
void tk_sql_stores_release(struct tk_sql_connection *c);

/* ---- texts with numbers ---- */

/* The number of an interned text, from 1 on; 0 if out of memory. */
int64_t tk_sql_number_of(struct tk_sql_connection *c, const struct tk_str *text);

/* The text of a number, or NULL. */
const struct tk_str *tk_sql_text_of(const struct tk_sql_connection *c, int64_t number);

void tk_sql_numbers_release(struct tk_sql_connection *c);

/*
 * Plans: what of a statement's conditions a table takes over. xBestIndex writes one as a text, which EXPLAIN
 * QUERY PLAN shows, and xFilter reads it back:
 *
 *     start>=! start<! thread@! timer=? table:scopes group:timer by:thread columns:12=start,thread
 *
 * A term is a column, an operator (= < <= > >=, @ for a list) and whether its value is the same throughout
 * the statement (!) or may be another one each time (?). The names of the columns are for people
 *.
 */

#define TK_SQL_TERMS 24

enum tk_sql_operator { TK_SQL_EQ, TK_SQL_LT, TK_SQL_LE, TK_SQL_GT, TK_SQL_GE, TK_SQL_IN };

struct tk_sql_term {
    uint32_t column;
    enum tk_sql_operator op;
    bool constant;
};

struct tk_sql_plan {
    struct tk_sql_term terms[TK_SQL_TERMS]; /* one for each value, in order */
    unsigned n;
    bool join;      /* a term is not constant */
    uint32_t group; /* column whose equal values come together; UINT32_MAX: rows come as they are */
    bool down;      /* the greatest value first */
    bool by_thread;
    uint64_t used; /* columns of the shape, as SQLite gives them */
};

/* Fills in the answer of xBestIndex. SQLITE_OK, SQLITE_CONSTRAINT (an argument is not known yet),
 * SQLITE_NOMEM. */
int tk_sql_plan_make(const struct tk_sql_shape *shape, sqlite3_index_info *info, uint64_t rows, bool no_push);

/* Reads back what it wrote. */
void tk_sql_plan_read(struct tk_sql_plan *plan, const struct tk_sql_shape *shape, const char *text);

/*
 * Questions: a plan with its values as a query of the library.
 */

/* The value of a term, or for a list all of its values. */
struct tk_sql_given {
    TK_VEC(sqlite3_value *) list; /* owned */
};

struct tk_sql_texts {
    TK_VEC(char *) list; /* owned, ended by NUL each */
};

struct tk_sql_question {
    struct tk_query query; /* of a reading: points into this struct, which must stay where it is */
    const char *table, *columns[64];
    struct tk_sql_texts threads, timers, regions, of;
    bool wants_names; /* names come from arguments: what matches nothing is a mistake */
    bool wants_span;  /* from or to is an argument: no row beyond it is wanted */
    bool empty;       /* no row can be meant */
    uint64_t mask;    /* own columns that are read */
};

/* Columns that have to be read for what a statement uses. */
uint64_t tk_sql_question_mask(const struct tk_sql_shape *shape, uint64_t used);

/*
 * Makes the query of a plan. given: as many as the plan has terms. all: with the terms whose values change
 * and, in tables whose rows nothing distinguishes, with those on columns; else the same question for all
 * values. It is to be released, also after a failure. TK_OK or what failed.
 */
int tk_sql_question_make(struct tk_sql_question *q, struct tk_sql_connection *c,
                         const struct tk_sql_shape *shape, const struct tk_sql_plan *plan,
                         const struct tk_sql_given *given, struct tk_sql_source *source, bool all,
                         struct tk_err *err);
void tk_sql_question_release(struct tk_sql_question *q);

/* Names the columns of its mask in the query. */
void tk_sql_question_columns(struct tk_sql_question *q, const struct tk_sql_shape *shape);

/* A text that is the same for the same question, whatever its columns; to be freed. NULL if out of memory.
 */
char *tk_sql_question_key(const struct tk_sql_question *q);

/* Is the source one of those that the plan requests? */
bool tk_sql_question_wants(const struct tk_sql_shape *shape, const struct tk_sql_plan *plan,
                           const struct tk_sql_given *given, const struct tk_sql_source *source);

/*
 * Readings: one question answered by one source, row after row as they are decoded, or as a whole into a
 * store.
 */

struct tk_sql_reading {
    struct tk_sql_connection *c; /* borrowed, like the source and the question */
    struct tk_sql_source *source;
    const struct tk_sql_question *question;
    size_t handle;
    struct tk_cursor *cursor; /* owned; NULL: the source has no such table, or nothing is requested */
    const struct tk_table *table;
    struct tk_rows rows;
    size_t at;
    uint8_t place[TK_SQL_COLUMNS]; /* own column -> cell in the row */
};

/* Begins to read. It is to be closed, also after a failure. TK_OK or what failed. */
int tk_sql_reading_open(struct tk_sql_reading *r, struct tk_sql_connection *c, struct tk_sql_source *source,
                        const struct tk_sql_shape *shape, const struct tk_sql_question *question,
                        struct tk_err *err);

/* The next row: *cells, of which place[] says the columns. They live until the next call. TK_ITEM, TK_OK, or
 * what failed. */
int tk_sql_reading_next(struct tk_sql_reading *r, const struct tk_cell **cells, struct tk_err *err);

void tk_sql_reading_close(struct tk_sql_reading *r);

/* All rows of the question in a store, which is found from now on. TK_OK or what failed. */
int tk_sql_reading_keep(struct tk_sql_store **out, struct tk_sql_connection *c, struct tk_sql_source *source,
                        const struct tk_sql_shape *shape, const struct tk_sql_question *question,
                        const char *key, struct tk_err *err);

/*
 * The same where the rows come of a reading that others are answered by, too.
 */

struct tk_sql_keeping;

/* Keeps the rows of a question in a store of that key; the question has to live as long. TK_OK or TK_ENOMEM.
 */
int tk_sql_keeping_new(struct tk_sql_keeping **out, struct tk_sql_connection *c, struct tk_sql_source *source,
                       const struct tk_sql_question *question, const char *key, struct tk_err *err);

/* As the hooks of a sink. */
int tk_sql_keeping_begin(struct tk_sql_keeping *k, const struct tk_table *table, struct tk_err *err);
int tk_sql_keeping_rows(struct tk_sql_keeping *k, const struct tk_table *table, const struct tk_rows *rows,
                        struct tk_err *err);

/* Frees it; the store is found from now on where the rows are whole, and is dropped otherwise. TK_OK or
 * TK_ENOMEM. */
int tk_sql_keeping_end(struct tk_sql_keeping *k, bool whole, struct tk_err *err);

/*
 * Cursors of virtual tables: which rows come, and from where: as they are decoded, from rows that are kept,
 * or put together by a column.
 */

struct tk_sql_table {
    sqlite3_vtab base; /* the first member */
    struct tk_sql_connection *c;
    struct tk_sql_group *group;
    struct tk_sql_shape shape;
    TK_VEC(struct tk_sql_seen {
        char *key; /* owned */
        uint64_t statement;
    })
    seen;      /* questions that were read as they are decoded */
    bool owns; /* the connection is of this table alone */
};

enum tk_sql_from { TK_SQL_FROM_NOWHERE, TK_SQL_FROM_READING, TK_SQL_FROM_STORE, TK_SQL_FROM_GROUPS };

struct tk_sql_cursor {
    sqlite3_vtab_cursor base; /* the first member */
    struct tk_sql_table *table;
    struct tk_sql_plan plan;
    const char *planned; /* the text that `plan` was read from */
    struct tk_sql_given given[TK_SQL_TERMS];
    size_t next;                  /* source to go on with */
    size_t n_requested, n_missed; /* sources that were, and of these those that have not what is requested */
    bool noted;                   /* that one has it, where the end of the statement says so */
    struct tk_sql_source *source; /* of the row */
    enum tk_sql_from from;
    bool end;
    uint64_t row; /* number of the row of the source, from 1 */
    /* rows as they are decoded */
    struct tk_sql_question question;
    struct tk_sql_reading reading;
    const struct tk_cell *cells;
    struct tk_sql_scratch scratch;
    /* rows that are kept */
    struct tk_sql_store *store;
    struct tk_sql_order *order; /* NULL: all rows in order of their numbers */
    size_t at, stop;            /* places or rows still to come */
    /* groups */
    struct tk_sql_grouped *grouped; /* owned */
    const struct tk_sql_value *values_of_row;
    uint8_t slots[64]; /* column of the shape -> value of the row */
    /* frames */
    const struct tk_sql_frames *frames;
    size_t hint;
};

/* Begins with the first row. TK_OK or what failed. */
int tk_sql_cursor_begin(struct tk_sql_cursor *cur, const char *plan, int n, sqlite3_value **values,
                        struct tk_err *err);

/* Goes to the next row, or sets `end`. TK_OK or what failed. */
int tk_sql_cursor_next(struct tk_sql_cursor *cur, struct tk_err *err);

/* The value of a column of the shape. TK_OK or what failed. */
int tk_sql_cursor_value(struct tk_sql_cursor *cur, uint32_t column, struct tk_sql_value *out,
                        struct tk_err *err);

/* The same as the answer to SQLite. */
int tk_sql_cursor_answer(struct tk_sql_cursor *cur, uint32_t column, sqlite3_context *to, struct tk_err *err);

int64_t tk_sql_cursor_rowid(struct tk_sql_cursor *cur);

/* Frees what it holds. */
void tk_sql_cursor_release(struct tk_sql_cursor *cur);

/*
 * What the files of a cursor share: cursor.c begins and goes on, cursor_rows.c has where rows come from,
 * cursor_values.c what is in them.
 */

static inline const struct tk_sql_shape *tk_sql_cursor_shape(const struct tk_sql_cursor *cur)
{
    return &cur->table->shape;
}

/* The value of a term that is no list. */
static inline sqlite3_value *tk_sql_cursor_given(const struct tk_sql_cursor *cur, unsigned term)
{
    return cur->given[term].list.v[0];
}

/* Closes what the rows come from. */
void tk_sql_cursor_leave_source(struct tk_sql_cursor *cur);

/* The next row of any source. TK_ITEM, TK_OK or what failed. */
int tk_sql_cursor_next_row(struct tk_sql_cursor *cur, struct tk_err *err);

/* Notes the question of a cursor, while statements are read ahead (ahead.c); no row comes. key: of it. TK_OK
 * or what failed. */
int tk_sql_ahead_note(struct tk_sql_cursor *cur, const char *key, struct tk_err *err);

/*
 * The game frames of a capture, for the column `frame` of its scopes.
 */

struct tk_sql_frame {
    int64_t begin, end; /* [begin, end) */
    int64_t index;
};

/* In order of their begins. */
struct tk_sql_frames {
    struct tk_sql_frame *v;
    size_t n, cap;
};

/* The frames of a source, read when they are requested first. TK_OK or what failed. */
int tk_sql_frames_get(struct tk_sql_connection *c, struct tk_sql_source *s, const struct tk_sql_frames **out,
                      struct tk_err *err);

/* Puts when the capture began into the source, when that is requested first. TK_OK or what failed. */
int tk_sql_begin_get(struct tk_sql_connection *c, struct tk_sql_source *s, struct tk_err *err);

/* The frame that a time is in; NULL between frames. *hint is where to look first. */
const struct tk_sql_frame *tk_sql_frames_at(const struct tk_sql_frames *frames, int64_t time, size_t *hint);

/* NULL is allowed. */
static inline void tk_sql_frames_free(struct tk_sql_frames *frames)
{
    free(frames ? frames->v : NULL);
    free(frames);
}

#endif
