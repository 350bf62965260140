/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_SINK_COLUMNS_COLUMNS_IN_H
#define TK_SINK_COLUMNS_COLUMNS_IN_H

#include "base/vec.h"
#include "sink/write/buffer.h"
#include "sink/write/protobuf.h"
#include "tracekit/exports.h"

#include <stddef.h>

/*
 * Batches: rows of a table as a struct of Arrow. The stream sends them one after another.
 */

/* Gives row i, as an array of cells. */
typedef const struct tk_cell *tk_row_at(const void *ctx, size_t i);

/* As tk_rows_columns, of the n rows from `first` on that `at` gives. */
int tk_batch_make(struct ArrowArray *out, const struct tk_table *table, tk_row_at *at, const void *ctx,
                  size_t first, size_t n, struct tk_err *err);

/*
 * The texts of a column, each kept once, with a number in order of their coming. Groups of rows keep the
 * numbers; writers make dictionaries of them.
 */

#define TK_TEXTS_RECENT 512

struct tk_text_place {
    size_t at; /* in the bytes */
    uint32_t n;
    uint64_t hash;
};

struct tk_texts {
    struct tk_buffer bytes; /* one behind the other; its status is that of all */
    TK_VEC(struct tk_text_place) places;
    uint32_t *slots; /* owned: numbers + 1 at or behind hash & mask; 0: empty */
    size_t mask;
    struct {
        const void *p; /* where a text lay that came not long ago; what lies there now may be another one */
        uint32_t n, number;
    } recent[TK_TEXTS_RECENT];
};

/* TK_OK or TK_ENOMEM. */
int tk_texts_init(struct tk_texts *t, struct tk_err *err);
void tk_texts_release(struct tk_texts *t);

/* Forgets all of them. */
void tk_texts_clear(struct tk_texts *t);

/* The number of n bytes; with a failure, which stays in bytes.status, 0. */
uint32_t tk_texts_number(struct tk_texts *t, const void *p, uint32_t n);

/* Keeps n bytes without looking whether they are there: for what hardly comes twice. */
uint32_t tk_texts_append(struct tk_texts *t, const void *p, uint32_t n);

static inline struct tk_str tk_texts_at(const struct tk_texts *t, size_t number)
{
    const struct tk_text_place *place = &t->places.v[number];
    return (struct tk_str){.p = t->bytes.p + place->at, .n = place->n};
}

/*
 * A group of rows, kept column by column until a writer of Parquet or Arrow writes it. Cells become what both
 * formats hold: 64 bits, or the number of a text.
 */

enum tk_store {
    TK_STORE_BOOL,  /* 0 or 1 */
    TK_STORE_INT,   /* 64 bits of a whole number */
    TK_STORE_FLOAT, /* 32 bits */
    TK_STORE_REAL,  /* 64 bits */
    TK_STORE_TEXT,  /* the number of a text in UTF-8; of lists and records their JSON */
    TK_STORE_BYTES  /* the number of some bytes */
};

/* What whole numbers of a column with the highest bit set stand for. */
enum tk_sign {
    TK_SIGN_OPEN, /* there was none yet: the first one decides */
    TK_SIGN_MINUS,
    TK_SIGN_NONE
};

struct tk_group_column {
    enum tk_store store;
    uint8_t kind; /* of the table's column */
    enum tk_sign sign;
    uint64_t lost;    /* cells that the type cannot hold, which became nulls; of all groups */
    uint64_t rounded; /* whole numbers that a double does not hold exactly: the nearest is there */
    uint64_t *values; /* owned */
    uint8_t *present; /* owned; 0: a null; NULL as long as there was none in any group */
    size_t n_nulls;
    struct tk_texts texts;
    uint64_t text_bytes; /* of the texts of all rows */
};

struct tk_group {
    const struct tk_table *table; /* borrowed; not needed to release */
    struct tk_group_column *columns;
    uint32_t n_columns;
    size_t n, cap; /* rows */
    struct tk_buffer json, clean;
    int status;
    struct tk_err *err; /* borrowed: where causes go */
};

/* of: which sign whole numbers of a kind have from the beginning. TK_OK or TK_ENOMEM. */
int tk_group_init(struct tk_group *g, const struct tk_table *table, enum tk_sign (*of)(uint8_t kind),
                  struct tk_err *err);
void tk_group_release(struct tk_group *g);

/* Appends rows. The status, which stays. */
int tk_group_add(struct tk_group *g, const struct tk_rows *rows);

/* The bits of a real, or of the float next to it: what values of real columns are. */
uint64_t tk_group_bits(double r, bool single);

/* Forgets all rows. */
void tk_group_clear(struct tk_group *g);

/* Bytes that are kept of texts, and those of the texts of all rows. */
uint64_t tk_group_kept(const struct tk_group *g);
uint64_t tk_group_texts(const struct tk_group *g);

/* How many cells of a column its type does not hold; 0 where there is no such column. */
static inline uint64_t tk_group_lost(const struct tk_group *g, size_t column)
{
    return column < g->n_columns ? g->columns[column].lost : 0;
}

/* How many cells of a column are there with fewer digits than they had. */
static inline uint64_t tk_group_rounded(const struct tk_group *g, size_t column)
{
    return column < g->n_columns ? g->columns[column].rounded : 0;
}

static inline bool tk_group_has(const struct tk_group_column *c, size_t row)
{
    return c->n_nulls == 0 || c->present[row];
}

/* Is what the values stand for in texts? */
static inline bool tk_group_is_text(const struct tk_group_column *c)
{
    return c->store >= TK_STORE_TEXT;
}

/*
 * The texts of a column of Arrow, each once, and the places that those of the group at hand have there. What
 * was written of it is forgotten, as the next part goes on behind it (a file) or takes its place (a stream).
 */
struct tk_dictionary {
    struct tk_texts texts;
    TK_VEC(uint32_t) places; /* by the number of a text in the group */
    uint64_t before;         /* texts of parts that were written */
    bool goes_on;            /* some were */
};

/* Adds the texts of a column of a group. TK_OK, TK_ENOMEM, TK_ELIMIT. */
int tk_dictionary_take(struct tk_dictionary *d, const struct tk_texts *from, struct tk_err *err);

void tk_dictionary_forget(struct tk_dictionary *d, bool goes_on);

/*
 * The body of a message of Arrow: the buffers of all columns, one behind the other, and where they are.
 */
struct tk_arrow_body {
    struct tk_buffer bytes;
    TK_VEC(uint64_t) nodes;   /* pairs: values, nulls; one a column */
    TK_VEC(uint64_t) buffers; /* pairs: offset, length */
    struct tk_buffer plain, packed;
    void *zstd; /* owned; NULL: not compressed */
};

/* TK_OK or TK_ENOMEM. */
int tk_arrow_body_new(struct tk_arrow_body **out, bool zstd, struct tk_err *err);
void tk_arrow_body_free(struct tk_arrow_body *b);

/* Makes it anew: of a group, with a dictionary for each column, which are used of texts; or of the texts of a
 * dictionary. TK_OK, TK_ENOMEM, TK_ELIMIT (2 GiB of texts in a column). */
int tk_arrow_body_fill(struct tk_arrow_body *b, const struct tk_group *g,
                       const struct tk_dictionary *dictionaries, struct tk_err *err);
int tk_arrow_body_texts(struct tk_arrow_body *b, const struct tk_texts *texts, struct tk_err *err);

/*
 * One column of a group of rows as a column chunk of Parquet: its pages, and what the footer says of it.
 */

enum { TK_PARQUET_PLAIN = 0, TK_PARQUET_RLE = 3, TK_PARQUET_DELTA = 5, TK_PARQUET_DICTIONARY = 8 };

/* Values of the column between which all others are. */
struct tk_chunk_range {
    bool known;
    uint64_t least[2], most[2]; /* numbers: with a sign, and without; reals: their bits, in the first */
    size_t text;                /* texts: where both stand in the texts of ranges, the smallest first */
    uint32_t n_least, n_most;
    bool exact_least, exact_most; /* else they were cut */
    bool rising;                  /* numbers with a sign: none is below the one before */
};

struct tk_chunk {
    uint64_t dictionary, data; /* where these pages begin in the file; 0: there is no dictionary */
    uint64_t raw, packed;      /* bytes of the pages with their headers, before and after compression */
    uint64_t n_nulls;
    uint8_t encoding; /* of the data: TK_PARQUET_... */
    struct tk_chunk_range range;
};

struct tk_chunk_writer;

/* zstd: pages are compressed. TK_OK or TK_ENOMEM. */
int tk_chunk_writer_new(struct tk_chunk_writer **out, bool zstd, struct tk_err *err);
void tk_chunk_writer_free(struct tk_chunk_writer *w);

/*
 * Writes the pages of a column, with the rows in an order (NULL: as they are). ranges: where texts are kept
 * that the footer shows. TK_OK, TK_ENOMEM, TK_ELIMIT (a page above 2 GiB); other failures are those of out.
 */
int tk_chunk_write(struct tk_chunk_writer *w, const struct tk_group *g, uint32_t column, const uint32_t *rows,
                   struct tk_buffer *out, struct tk_buffer *ranges, struct tk_chunk *chunk);

/*
 * One column of a batch in the making: values of cells in the buffers that Arrow wants. batch.c makes one for
 * each column of a table.
 */

struct tk_column_build {
    char format;              /* of Arrow, one of "blLfgUZ", or "i": the numbers of texts */
    uint8_t kind;             /* enum tk_kind of the column */
    enum tk_unit unit;        /* of the table */
    size_t n, n_nulls;        /* values so far */
    struct tk_buffer valid;   /* a bit a value, the lowest first */
    struct tk_buffer offsets; /* U, Z: int64, one more than values; i: the same of the texts */
    struct tk_buffer data;
    struct tk_texts *texts; /* owned; i: each once; else NULL */
};

/* The format of Arrow that cells of a kind have. */
char tk_column_format(uint8_t kind);

/* What cells of a kind, and their unit, are called in metadata. Static, or of the column. */
const char *tk_column_kind_name(uint8_t kind);
const char *tk_column_unit_name(const struct tk_column *column, enum tk_unit unit);

/* Begins a column. err is borrowed until its release. TK_OK or TK_ENOMEM. */
int tk_column_build_init(struct tk_column_build *c, uint8_t kind, enum tk_unit unit, struct tk_err *err);

/* Appends a cell. What fails is known by tk_column_build_status. scratch is overwritten. */
void tk_column_build_add(struct tk_column_build *c, const struct tk_cell *cell, struct tk_buffer *scratch);

/* TK_OK, TK_ENOMEM or TK_ELIMIT. */
int tk_column_build_status(const struct tk_column_build *c);

void tk_column_build_release(struct tk_column_build *c);

/*
 * The encodings of Parquet's pages, for values that are not null. They append to a buffer, whose status says
 * of failures.
 */

/* Numbers of 1, 4 and 8 bytes as they are, the lowest byte first; of the former one bit each. */
void tk_plain_bits(struct tk_buffer *b, const uint64_t *v, size_t n);
void tk_plain_u32(struct tk_buffer *b, const uint64_t *v, size_t n);
void tk_plain_u64(struct tk_buffer *b, const uint64_t *v, size_t n);

/* The hybrid of runs and packed groups: numbers below 2^width, 1 <= width <= 32. For numbers of a dictionary,
 * and for which values are there. */
void tk_run_packed(struct tk_buffer *b, const uint64_t *v, size_t n, unsigned width);

/* DELTA_BINARY_PACKED. */
void tk_delta_packed(struct tk_buffer *b, const uint64_t *v, size_t n);

/* Bits that numbers up to v take, at least one. */
unsigned tk_width_of(uint64_t v);

/* Eight values of `width` (0 to 64) bits each, at p, the lowest bit first: `width` bytes. */
static inline void tk_pack_8(char *p, const uint64_t *v, unsigned width)
{
    uint64_t bits = 0;
    unsigned filled = 0;
    for (unsigned i = 0; i < 8; i++) {
        bits |= v[i] << filled;
        filled += width;
        for (; filled >= 64 && width; filled -= 64) {
            for (unsigned k = 0; k < 8; k++)
                *p++ = (char)(bits >> 8 * k);
            bits = filled == 64 ? 0 : v[i] >> (width - (filled - 64));
        }
    }
    for (; filled >= 8; filled -= 8, bits >>= 8)
        *p++ = (char)bits;
}

/*
 * A FlatBuffer, built from its end to its beginning, so that what is referred to comes first. Messages of
 * Arrow are made with it.
 *
 * A place is the distance of an object from the end. Failures stick in `status`.
 */

#define TK_FLAT_SLOTS 8

struct tk_flat {
    uint8_t *p; /* owned */
    size_t cap, n;
    size_t table;                /* n where the open table begins */
    size_t slots[TK_FLAT_SLOTS]; /* places of its fields; 0: not there */
    int status;
};

void tk_flat_release(struct tk_flat *f);

/* The finished bytes: f->n of them. */
static inline const uint8_t *tk_flat_bytes(const struct tk_flat *f)
{
    return f->p + (f->cap - f->n);
}

/* Sees to it that behind `behind` more bytes the place is a multiple of `align`. */
void tk_flat_align(struct tk_flat *f, size_t align, size_t behind);

/* A number of 1, 2, 4 or 8 bytes, aligned to its size. */
void tk_flat_number(struct tk_flat *f, uint64_t v, size_t size);

/* A reference to an object that is there. */
void tk_flat_reference(struct tk_flat *f, size_t place);

/* Bytes with their count and a 0 behind them. The place. */
size_t tk_flat_text(struct tk_flat *f, const char *p, size_t n);

/* References to n objects, in order. The place. */
size_t tk_flat_list(struct tk_flat *f, const size_t *places, size_t n);

/* n structs of `words` numbers of 8 bytes each, in order. The place. */
size_t tk_flat_words(struct tk_flat *f, const uint64_t *v, size_t n, size_t words);

/* A table: begin, fields in any order, end, which gives its place. Objects that it refers to come before. */
void tk_flat_open(struct tk_flat *f);
void tk_flat_field(struct tk_flat *f, unsigned slot, uint64_t v, size_t size);
void tk_flat_field_reference(struct tk_flat *f, unsigned slot, size_t place);
size_t tk_flat_close(struct tk_flat *f);

/* Puts the reference to the root in front; all is then a multiple of 8 bytes. */
void tk_flat_finish(struct tk_flat *f, size_t root);

/*
 * The footer of a file of Parquet: schema, places and statistics of all chunks, and the description of the
 * table.
 */

/* A group of rows that was written. */
struct tk_footer_group {
    uint64_t at, rows;
    bool sorted; /* by the columns of the footer */
};

struct tk_footer {
    const struct tk_table *table;
    const struct tk_group_column *columns; /* what became of them */
    const struct tk_footer_group *groups;
    size_t n_groups;
    const struct tk_chunk *chunks; /* of the first group, one a column, then of the next one */
    const struct tk_buffer *ranges;
    uint32_t sorted_by[2]; /* TK_NO_COLUMN: there is none */
    bool zstd;
    const char *source; /* NULL: not known */
};

/* Appends it without its length. */
void tk_footer_put(struct tk_buffer *b, const struct tk_footer *f);

/*
 * The numbers of a column, each once, where there are few: what a dictionary of Parquet is made of.
 */

#define TK_NUMBERS_MOST  ((size_t)32768)
#define TK_NUMBERS_SLOTS (4 * TK_NUMBERS_MOST)

struct tk_numbers {
    uint64_t list[TK_NUMBERS_MOST];
    size_t n;
    struct {
        uint32_t round, place; /* place in the list, where the round is that of now */
    } slots[TK_NUMBERS_SLOTS];
    uint32_t round;
};

/*
 * Puts the place of each of n values in the list to `places`. false where there are too many different ones,
 * more than a quarter of all.
 */
bool tk_numbers_find(struct tk_numbers *d, const uint64_t *v, size_t n, uint64_t *places);

/*
 * The order of the rows of a group: scopes, which come in order of their ends, by thread and start. Writers
 * of Parquet take the rows in it.
 */

#define TK_NO_COLUMN UINT32_MAX

struct tk_row_order {
    uint32_t by[2];        /* columns; TK_NO_COLUMN: as the rows came */
    uint32_t *rows, *next; /* owned: space for `cap` rows each */
    uint64_t *keys;        /* owned */
    size_t cap;
};

/* Which columns a table is ordered by. Nothing to be released yet. */
void tk_row_order_init(struct tk_row_order *o, const struct tk_table *table);
void tk_row_order_release(struct tk_row_order *o);

/* Puts the rows of a group in order, by o->rows. TK_ITEM; TK_OK: they stay as they came; TK_ENOMEM. */
int tk_row_order_rows(struct tk_row_order *o, const struct tk_group *g, struct tk_err *err);

/*
 * What files of columns say of their table alongside its rows: pairs of a key and a text. Parquet and Arrow
 * have the same ones.
 */

#define TK_SAID_MOST 8

struct tk_said {
    struct tk_buffer text; /* JSON of columns, then of what was lost */
    struct {
        const char *key, *value; /* values live as long as this */
        size_t n;
    } pairs[TK_SAID_MOST];
    size_t n;
};

/* columns: for cells that became nulls; NULL: not known yet. source may be NULL. to: where causes go. TK_OK
 * or TK_ENOMEM. */
int tk_said_init(struct tk_said *s, const struct tk_table *table, const struct tk_group_column *columns,
                 const char *source, struct tk_buffer *to);
void tk_said_release(struct tk_said *s);

/*
 * Thrift's compact protocol: the part that headers of pages and footers of Parquet need. Fields of a struct
 * come in order of their ids.
 */

enum tk_thrift_type {
    TK_THRIFT_TRUE = 1,
    TK_THRIFT_FALSE,
    TK_THRIFT_I8,
    TK_THRIFT_I32 = 5,
    TK_THRIFT_I64,
    TK_THRIFT_BINARY = 8,
    TK_THRIFT_LIST,
    TK_THRIFT_STRUCT = 12
};

#define TK_THRIFT_DEPTH 8

/* begin: {.b = buffer}. */
struct tk_thrift {
    struct tk_buffer *b;
    unsigned last[TK_THRIFT_DEPTH], depth; /* ids of the structs that are open */
};

/* Fields of these structs are less than 16 apart. */
static inline void tk_thrift_field(struct tk_thrift *t, unsigned id, enum tk_thrift_type type)
{
    tk_buffer_char(t->b, (char)((id - t->last[t->depth]) << 4 | (unsigned)type));
    t->last[t->depth] = id;
}

static inline void tk_thrift_number(struct tk_thrift *t, int64_t v)
{
    tk_pb_number(t->b, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static inline void tk_thrift_i32(struct tk_thrift *t, unsigned id, int32_t v)
{
    tk_thrift_field(t, id, TK_THRIFT_I32);
    tk_thrift_number(t, v);
}

static inline void tk_thrift_i64(struct tk_thrift *t, unsigned id, int64_t v)
{
    tk_thrift_field(t, id, TK_THRIFT_I64);
    tk_thrift_number(t, v);
}

static inline void tk_thrift_bool(struct tk_thrift *t, unsigned id, bool v)
{
    tk_thrift_field(t, id, v ? TK_THRIFT_TRUE : TK_THRIFT_FALSE);
}

static inline void tk_thrift_bytes(struct tk_thrift *t, const void *p, size_t n)
{
    tk_pb_number(t->b, n);
    tk_buffer_put(t->b, p, n);
}

static inline void tk_thrift_binary(struct tk_thrift *t, unsigned id, const void *p, size_t n)
{
    tk_thrift_field(t, id, TK_THRIFT_BINARY);
    tk_thrift_bytes(t, p, n);
}

static inline void tk_thrift_list(struct tk_thrift *t, unsigned id, enum tk_thrift_type of, size_t n)
{
    tk_thrift_field(t, id, TK_THRIFT_LIST);
    tk_buffer_char(t->b, (char)((n < 15 ? n : 15) << 4 | (unsigned)of));
    if (n >= 15)
        tk_pb_number(t->b, n);
}

/* A struct in a field, or (id 0) in a list. */
static inline void tk_thrift_open(struct tk_thrift *t, unsigned id)
{
    if (id)
        tk_thrift_field(t, id, TK_THRIFT_STRUCT);
    t->last[++t->depth] = 0;
}

static inline void tk_thrift_close(struct tk_thrift *t)
{
    tk_buffer_char(t->b, 0);
    t->depth--;
}

/* A struct without fields, as members of unions are. */
static inline void tk_thrift_empty(struct tk_thrift *t, unsigned id)
{
    tk_thrift_open(t, id);
    tk_thrift_close(t);
}

#endif
