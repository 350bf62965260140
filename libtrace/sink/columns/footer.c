/*
 * The struct FileMetaData of Parquet, field by field.
 *
 * Numbers of parquet.thrift stand where they are written; names are those of its enums.
 */
#include "sink/columns/columns_in.h"

enum { BOOLEAN = 0, INT64 = 2, FLOAT = 4, DOUBLE = 5, BYTE_ARRAY = 6 }; /* Type */
enum { UTF8 = 0, UINT_64 = 14 };                                        /* ConvertedType */
enum { OPTIONAL = 1, UNCOMPRESSED = 0, ZSTD = 6 };

static int type_of(const struct tk_group_column *c)
{
    static const int types[] = {
        [TK_STORE_BOOL] = BOOLEAN, [TK_STORE_INT] = INT64,       [TK_STORE_FLOAT] = FLOAT,
        [TK_STORE_REAL] = DOUBLE,  [TK_STORE_TEXT] = BYTE_ARRAY, [TK_STORE_BYTES] = BYTE_ARRAY};
    return types[c->store];
}

static bool is_unsigned(const struct tk_group_column *c)
{
    return c->store == TK_STORE_INT && c->sign == TK_SIGN_NONE;
}

/* ---- schema ---- */

static void put_logical(struct tk_thrift *t, const struct tk_group_column *c)
{
    if (c->store == TK_STORE_TEXT) {
        tk_thrift_i32(t, 6, UTF8);
        tk_thrift_open(t, 10);
        tk_thrift_empty(t, 1); /* STRING */
        tk_thrift_close(t);
    } else if (is_unsigned(c)) {
        tk_thrift_i32(t, 6, UINT_64);
        tk_thrift_open(t, 10);
        tk_thrift_open(t, 10); /* INTEGER */
        tk_thrift_field(t, 1, TK_THRIFT_I8);
        tk_buffer_char(t->b, 64);
        tk_thrift_bool(t, 2, false);
        tk_thrift_close(t);
        tk_thrift_close(t);
    }
}

static void put_schema(struct tk_thrift *t, const struct tk_footer *f)
{
    const struct tk_table *table = f->table;
    tk_thrift_list(t, 2, TK_THRIFT_STRUCT, table->n_columns + 1u);
    tk_thrift_open(t, 0);
    tk_thrift_binary(t, 4, "schema", 6);
    tk_thrift_i32(t, 5, (int32_t)table->n_columns);
    tk_thrift_close(t);
    for (uint32_t i = 0; i < table->n_columns; i++) {
        tk_thrift_open(t, 0);
        tk_thrift_i32(t, 1, type_of(&f->columns[i]));
        tk_thrift_i32(t, 3, OPTIONAL);
        tk_thrift_binary(t, 4, table->columns[i].name, strlen(table->columns[i].name));
        put_logical(t, &f->columns[i]);
        tk_thrift_close(t);
    }
}

/* ---- statistics ---- */

static void put_word(struct tk_thrift *t, unsigned id, uint64_t v, size_t n)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(v >> 8 * i);
    tk_thrift_binary(t, id, bytes, n);
}

static void put_ends(struct tk_thrift *t, const struct tk_footer *f, const struct tk_group_column *c,
                     const struct tk_chunk_range *r)
{
    static const size_t sizes[] = {
        [TK_STORE_BOOL] = 1, [TK_STORE_INT] = 8, [TK_STORE_FLOAT] = 4, [TK_STORE_REAL] = 8};
    const bool sign = is_unsigned(c);
    if (tk_group_is_text(c)) {
        tk_thrift_binary(t, 5, f->ranges->p + r->text + r->n_least, r->n_most);
        tk_thrift_binary(t, 6, f->ranges->p + r->text, r->n_least);
    } else {
        put_word(t, 5, r->most[sign], sizes[c->store]);
        put_word(t, 6, r->least[sign], sizes[c->store]);
    }
    tk_thrift_bool(t, 7, r->exact_most);
    tk_thrift_bool(t, 8, r->exact_least);
}

static void put_statistics(struct tk_thrift *t, const struct tk_footer *f, const struct tk_group_column *c,
                           const struct tk_chunk *chunk)
{
    tk_thrift_open(t, 12);
    tk_thrift_i64(t, 3, (int64_t)chunk->n_nulls);
    if (chunk->range.known)
        put_ends(t, f, c, &chunk->range);
    tk_thrift_close(t);
}

/* ---- groups ---- */

static void put_encodings(struct tk_thrift *t, const struct tk_chunk *chunk)
{
    tk_thrift_list(t, 2, TK_THRIFT_I32, chunk->dictionary ? 3 : 2);
    if (chunk->dictionary)
        tk_thrift_number(t, TK_PARQUET_PLAIN);
    tk_thrift_number(t, TK_PARQUET_RLE);
    tk_thrift_number(t, chunk->encoding);
}

static void put_chunk(struct tk_thrift *t, const struct tk_footer *f, const struct tk_chunk *chunk,
                      uint32_t column, uint64_t rows)
{
    const char *name = f->table->columns[column].name;
    tk_thrift_open(t, 0);
    tk_thrift_i64(t, 2, 0);
    tk_thrift_open(t, 3);
    tk_thrift_i32(t, 1, type_of(&f->columns[column]));
    put_encodings(t, chunk);
    tk_thrift_list(t, 3, TK_THRIFT_BINARY, 1);
    tk_thrift_bytes(t, name, strlen(name));
    tk_thrift_i32(t, 4, f->zstd ? ZSTD : UNCOMPRESSED);
    tk_thrift_i64(t, 5, (int64_t)rows);
    tk_thrift_i64(t, 6, (int64_t)chunk->raw);
    tk_thrift_i64(t, 7, (int64_t)chunk->packed);
    tk_thrift_i64(t, 9, (int64_t)chunk->data);
    if (chunk->dictionary)
        tk_thrift_i64(t, 11, (int64_t)chunk->dictionary);
    put_statistics(t, f, &f->columns[column], chunk);
    tk_thrift_close(t);
    tk_thrift_close(t);
}

/* The columns that the rows of a group are sorted by; those that a table as it comes rises by are one. */
static void put_sorting(struct tk_thrift *t, const struct tk_footer *f, const struct tk_footer_group *group)
{
    const unsigned n = f->sorted_by[0] == TK_NO_COLUMN ? 0 : f->sorted_by[1] == TK_NO_COLUMN ? 1 : 2;
    if (!group->sorted || n == 0)
        return;
    tk_thrift_list(t, 4, TK_THRIFT_STRUCT, n);
    for (unsigned i = 0; i < n; i++) {
        tk_thrift_open(t, 0);
        tk_thrift_i32(t, 1, (int32_t)f->sorted_by[i]);
        tk_thrift_bool(t, 2, false);
        tk_thrift_bool(t, 3, false);
        tk_thrift_close(t);
    }
}

static void put_group(struct tk_thrift *t, const struct tk_footer *f, size_t i)
{
    const struct tk_footer_group *group = &f->groups[i];
    const uint32_t n = f->table->n_columns;
    const struct tk_chunk *chunks = f->chunks + i * n;
    uint64_t raw = 0, packed = 0;
    tk_thrift_open(t, 0);
    tk_thrift_list(t, 1, TK_THRIFT_STRUCT, n);
    for (uint32_t c = 0; c < n; c++) {
        put_chunk(t, f, &chunks[c], c, group->rows);
        raw += chunks[c].raw;
        packed += chunks[c].packed;
    }
    tk_thrift_i64(t, 2, (int64_t)raw);
    tk_thrift_i64(t, 3, (int64_t)group->rows);
    put_sorting(t, f, group);
    tk_thrift_i64(t, 5, (int64_t)group->at);
    tk_thrift_i64(t, 6, (int64_t)packed);
    tk_thrift_close(t);
}

/* ---- what is said ---- */

static void put_pair(struct tk_thrift *t, const char *key, const char *value, size_t n)
{
    tk_thrift_open(t, 0);
    tk_thrift_binary(t, 1, key, strlen(key));
    tk_thrift_binary(t, 2, value, n);
    tk_thrift_close(t);
}

static void put_said(struct tk_thrift *t, const struct tk_footer *f)
{
    struct tk_said said;
    if (tk_said_init(&said, f->table, f->columns, f->source, t->b) == TK_OK) {
        tk_thrift_list(t, 5, TK_THRIFT_STRUCT, said.n);
        for (size_t i = 0; i < said.n; i++)
            put_pair(t, said.pairs[i].key, said.pairs[i].value, said.pairs[i].n);
    }
    tk_said_release(&said);
}

void tk_footer_put(struct tk_buffer *b, const struct tk_footer *f)
{
    static const char made_by[] = "tracekit version " TK_VERSION " (build " TK_VERSION ")";
    struct tk_thrift t = {.b = b};
    int64_t rows = 0;
    for (size_t i = 0; i < f->n_groups; i++)
        rows += (int64_t)f->groups[i].rows;
    tk_thrift_i32(&t, 1, 1);
    put_schema(&t, f);
    tk_thrift_i64(&t, 3, rows);
    tk_thrift_list(&t, 4, TK_THRIFT_STRUCT, f->n_groups);
    for (size_t i = 0; i < f->n_groups; i++)
        put_group(&t, f, i);
    put_said(&t, f);
    tk_thrift_binary(&t, 6, made_by, sizeof made_by - 1);
    tk_thrift_list(&t, 7, TK_THRIFT_STRUCT, f->table->n_columns);
    for (uint32_t i = 0; i < f->table->n_columns; i++) {
        tk_thrift_open(&t, 0);
        tk_thrift_empty(&t, 1); /* the order of the type */
        tk_thrift_close(&t);
    }
    tk_buffer_char(b, 0);
}
