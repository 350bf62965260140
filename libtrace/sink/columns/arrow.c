/*
 * Messages of Arrow: the schema, batches of rows, and the footer of files.
 */
#include "base/err.h"
#include "sink/columns/columnar.h"
#include "sink/columns/columns_in.h"

#include <stdlib.h>

/*
 * The schema of a table in the IPC format of Arrow.
 */

enum { TYPE_INT = 2, TYPE_FLOAT = 3, TYPE_BINARY = 4, TYPE_UTF8 = 5, TYPE_BOOL = 6 };
enum { SINGLE = 1, DOUBLE = 2 };

static size_t put_pair(struct tk_flat *f, const char *key, const char *value, size_t n)
{
    const size_t k = tk_flat_text(f, key, strlen(key)), v = tk_flat_text(f, value, n);
    tk_flat_open(f);
    tk_flat_field_reference(f, 0, k);
    tk_flat_field_reference(f, 1, v);
    return tk_flat_close(f);
}

static unsigned type_of(const struct tk_group_column *c)
{
    static const unsigned types[] = {
        [TK_STORE_BOOL] = TYPE_BOOL,  [TK_STORE_INT] = TYPE_INT,   [TK_STORE_FLOAT] = TYPE_FLOAT,
        [TK_STORE_REAL] = TYPE_FLOAT, [TK_STORE_TEXT] = TYPE_UTF8, [TK_STORE_BYTES] = TYPE_BINARY};
    return types[c->store];
}

static size_t put_type(struct tk_flat *f, const struct tk_group_column *c)
{
    tk_flat_open(f);
    if (c->store == TK_STORE_INT) {
        tk_flat_field(f, 0, 64, 4);
        tk_flat_field(f, 1, c->sign != TK_SIGN_NONE, 1);
    } else if (type_of(c) == TYPE_FLOAT) {
        tk_flat_field(f, 0, c->store == TK_STORE_FLOAT ? SINGLE : DOUBLE, 2);
    }
    return tk_flat_close(f);
}

/* Texts are places in a dictionary that has the number of the column. */
static size_t put_encoding(struct tk_flat *f, uint32_t column)
{
    tk_flat_open(f);
    tk_flat_field(f, 0, 32, 4);
    tk_flat_field(f, 1, 1, 1);
    const size_t places = tk_flat_close(f);
    tk_flat_open(f);
    tk_flat_field(f, 0, column, 8);
    tk_flat_field_reference(f, 1, places);
    return tk_flat_close(f);
}

/* Its metadata are those of tk_table_schema. */
static size_t put_field(struct tk_flat *f, const struct tk_group *g, uint32_t i)
{
    const struct tk_column *column = &g->table->columns[i];
    const char *const texts[][2] = {{"tracekit.kind", tk_column_kind_name(column->kind)},
                                    {"tracekit.unit", tk_column_unit_name(column, g->table->unit)},
                                    {"tracekit.help", column->help ? column->help : ""}};
    size_t pairs[3];
    for (size_t k = 0; k < 3; k++)
        pairs[k] = put_pair(f, texts[k][0], texts[k][1], strlen(texts[k][1]));
    const size_t said = tk_flat_list(f, pairs, 3), children = tk_flat_list(f, NULL, 0);
    const size_t name = tk_flat_text(f, column->name, strlen(column->name));
    const size_t type = put_type(f, &g->columns[i]);
    const bool is_text = g->columns[i].store == TK_STORE_TEXT;
    const size_t encoding = is_text ? put_encoding(f, i) : 0;
    tk_flat_open(f);
    tk_flat_field_reference(f, 0, name);
    tk_flat_field(f, 1, 1, 1); /* may be null */
    tk_flat_field(f, 2, type_of(&g->columns[i]), 1);
    tk_flat_field_reference(f, 3, type);
    if (is_text)
        tk_flat_field_reference(f, 4, encoding);
    tk_flat_field_reference(f, 5, children);
    tk_flat_field_reference(f, 6, said);
    return tk_flat_close(f);
}

static size_t put_said(struct tk_flat *f, const struct tk_group *g, const char *source, struct tk_buffer *to)
{
    struct tk_said said;
    size_t pairs[TK_SAID_MOST];
    if (tk_said_init(&said, g->table, NULL, source, to) < 0)
        f->status = TK_ENOMEM;
    for (size_t i = 0; i < said.n; i++)
        pairs[i] = put_pair(f, said.pairs[i].key, said.pairs[i].value, said.pairs[i].n);
    const size_t list = tk_flat_list(f, pairs, said.n);
    tk_said_release(&said);
    return list;
}

/* Builds it, with what is said of the table. to: where causes go. The place; failures are those of f and to.
 */
static size_t tk_arrow_schema(struct tk_flat *f, const struct tk_group *g, const char *source,
                              struct tk_buffer *to)
{
    const uint32_t n = g->table->n_columns;
    size_t *fields = calloc(n + 1u, sizeof *fields);
    if (!fields) {
        f->status = TK_ENOMEM;
        return 0;
    }
    for (uint32_t i = 0; i < n; i++)
        fields[i] = put_field(f, g, i);
    const size_t list = tk_flat_list(f, fields, n), said = put_said(f, g, source, to);
    free(fields);
    tk_flat_open(f);
    tk_flat_field(f, 0, 0, 2); /* the lowest byte first */
    tk_flat_field_reference(f, 1, list);
    tk_flat_field_reference(f, 2, said);
    return tk_flat_close(f);
}

enum {
    BATCH_ROWS = 65536,
    BATCH_TEXTS = 16 << 20,
    DICTIONARY_TEXTS = 64 << 20, /* bytes of a dictionary that are kept until they are written */
    HEADER_SCHEMA = 1,
    HEADER_DICTIONARY = 2,
    HEADER_BATCH = 3,
    VERSION_5 = 4,
    ALIGN = 8
};

struct block {
    uint64_t at, metadata, body; /* where a message begins; bytes */
};

struct tk_arrow {
    struct tk_arrow_options opt;
    struct tk_buffer *out;
    struct tk_group group;
    struct tk_arrow_body *body;
    struct tk_dictionary *dictionaries; /* one a column; owned */
    TK_VEC(struct block) blocks, dictionary_blocks;
    uint64_t begin; /* of the stream in what was written */
};

/* Arrow's schema comes first, so that the kind of a column decides whether its numbers have a sign. */
static enum tk_sign sign_of(uint8_t kind)
{
    return kind == TK_UINT || kind == TK_HEX || kind == TK_SIZE ? TK_SIGN_NONE : TK_SIGN_MINUS;
}

static void put_u32(struct tk_buffer *b, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        tk_buffer_char(b, (char)(v >> 8 * i));
}

static uint64_t place(const struct tk_arrow *a)
{
    return a->out->flushed + a->out->n - a->begin;
}

/* Closes a message that holds a header, and writes it. Its bytes in front of the body. */
static size_t put_message(struct tk_arrow *a, struct tk_flat *f, unsigned type, size_t header, uint64_t body)
{
    tk_flat_open(f);
    tk_flat_field(f, 3, body, 8);
    tk_flat_field_reference(f, 2, header);
    tk_flat_field(f, 0, VERSION_5, 2);
    tk_flat_field(f, 1, type, 1);
    tk_flat_finish(f, tk_flat_close(f));
    if (f->status < 0) {
        tk_buffer_fail(a->out, tk_err_nomem(a->out->err, "a message of Arrow"));
        return 0;
    }
    put_u32(a->out, UINT32_MAX);
    put_u32(a->out, (uint32_t)f->n);
    tk_buffer_put(a->out, tk_flat_bytes(f), f->n);
    return f->n + 8;
}

static void put_schema_message(struct tk_arrow *a)
{
    struct tk_flat f = {0};
    const size_t schema = tk_arrow_schema(&f, &a->group, a->opt.source, a->out);
    put_message(a, &f, HEADER_SCHEMA, schema, 0);
    tk_flat_release(&f);
}

static int open_dictionaries(struct tk_arrow *a, struct tk_err *err)
{
    const uint32_t n = a->group.n_columns;
    int rc = TK_OK;
    if (!(a->dictionaries = calloc(n + 1u, sizeof *a->dictionaries)))
        return TK_ENOMEM;
    for (uint32_t i = 0; i < n && rc == TK_OK; i++)
        if (a->group.columns[i].store == TK_STORE_TEXT)
            rc = tk_texts_init(&a->dictionaries[i].texts, err);
    return rc;
}

int tk_arrow_new(struct tk_arrow **arrow, const struct tk_table *table, const struct tk_arrow_options *opt,
                 struct tk_buffer *out)
{
    struct tk_arrow *a = calloc(1, sizeof *a);
    *arrow = NULL;
    if (!a)
        return tk_err_nomem(out->err, "Arrow");
    a->opt = *opt;
    a->out = out;
    if (tk_group_init(&a->group, table, sign_of, out->err) ||
        tk_arrow_body_new(&a->body, opt->zstd, out->err) || open_dictionaries(a, out->err)) {
        tk_arrow_free(a);
        return tk_err_nomem(out->err, "Arrow");
    }
    a->begin = out->flushed + out->n;
    if (opt->file)
        tk_buffer_put(out, "ARROW1\0\0", ALIGN);
    put_schema_message(a);
    *arrow = a;
    return TK_OK;
}

uint64_t tk_arrow_rounded(const struct tk_arrow *arrow, size_t column)
{
    return tk_group_rounded(&arrow->group, column);
}

uint64_t tk_arrow_lost(const struct tk_arrow *arrow, size_t column)
{
    return tk_group_lost(&arrow->group, column);
}

void tk_arrow_free(struct tk_arrow *a)
{
    if (!a)
        return;
    for (uint32_t i = 0; a->dictionaries && i < a->group.n_columns; i++) {
        tk_texts_release(&a->dictionaries[i].texts);
        tk_vec_release(&a->dictionaries[i].places);
    }
    free(a->dictionaries);
    tk_group_release(&a->group);
    tk_arrow_body_free(a->body);
    tk_vec_release(&a->blocks);
    tk_vec_release(&a->dictionary_blocks);
    free(a);
}

/* The table RecordBatch, of so many rows. */
static size_t put_batch_header(struct tk_arrow *a, struct tk_flat *f, uint64_t rows)
{
    const struct tk_arrow_body *body = a->body;
    size_t zstd = 0;
    const size_t buffers = tk_flat_words(f, body->buffers.v, body->buffers.n / 2, 2);
    const size_t nodes = tk_flat_words(f, body->nodes.v, body->nodes.n / 2, 2);
    if (a->opt.zstd) {
        tk_flat_open(f);
        tk_flat_field(f, 0, 1, 1);
        zstd = tk_flat_close(f);
    }
    tk_flat_open(f);
    tk_flat_field(f, 0, rows, 8);
    tk_flat_field_reference(f, 1, nodes);
    tk_flat_field_reference(f, 2, buffers);
    if (zstd)
        tk_flat_field_reference(f, 3, zstd);
    return tk_flat_close(f);
}

/* Writes a message with the body at hand, and notes where. */
static void put_block(struct tk_arrow *a, struct tk_flat *f, unsigned type, size_t header, bool dictionary)
{
    struct block block = {.at = place(a), .body = a->body->bytes.n};
    block.metadata = put_message(a, f, type, header, block.body);
    tk_buffer_put(a->out, a->body->bytes.p, a->body->bytes.n);
    if (dictionary ? tk_vec_push(&a->dictionary_blocks, block) : tk_vec_push(&a->blocks, block))
        tk_buffer_fail(a->out, tk_err_nomem(a->out->err, "Arrow"));
}

/* Writes what is kept of a dictionary. In a file all parts of it are one behind the other, in a stream each
 * is that of the next batch. */
static void write_dictionary(struct tk_arrow *a, uint32_t column)
{
    struct tk_dictionary *d = &a->dictionaries[column];
    struct tk_flat f = {0};
    tk_buffer_fail(a->out, tk_arrow_body_texts(a->body, &d->texts, a->out->err));
    if (a->out->status == TK_OK) {
        const size_t batch = put_batch_header(a, &f, d->texts.places.n);
        tk_flat_open(&f);
        tk_flat_field(&f, 0, column, 8);
        tk_flat_field_reference(&f, 1, batch);
        tk_flat_field(&f, 2, d->goes_on, 1);
        put_block(a, &f, HEADER_DICTIONARY, tk_flat_close(&f), true);
    }
    tk_flat_release(&f);
    tk_dictionary_forget(d, a->opt.file);
}

/* At the end of a file also one without a text, as each column has to have one. */
static bool is_due(const struct tk_arrow *a, uint32_t column, bool end)
{
    const struct tk_dictionary *d = &a->dictionaries[column];
    if (a->group.columns[column].store != TK_STORE_TEXT)
        return false;
    if (!a->opt.file)
        return !end;
    return end ? d->texts.places.n || !d->goes_on : d->texts.bytes.n > DICTIONARY_TEXTS;
}

static void write_dictionaries(struct tk_arrow *a, bool end)
{
    for (uint32_t i = 0; i < a->group.n_columns && a->out->status == TK_OK; i++)
        if (is_due(a, i, end))
            write_dictionary(a, i);
}

static void take_texts(struct tk_arrow *a)
{
    for (uint32_t i = 0; i < a->group.n_columns && a->out->status == TK_OK; i++)
        if (a->group.columns[i].store == TK_STORE_TEXT)
            tk_buffer_fail(a->out,
                           tk_dictionary_take(&a->dictionaries[i], &a->group.columns[i].texts, a->out->err));
}

static void write_batch(struct tk_arrow *a)
{
    struct tk_flat f = {0};
    take_texts(a);
    write_dictionaries(a, false);
    if (a->out->status == TK_OK)
        tk_buffer_fail(a->out, tk_arrow_body_fill(a->body, &a->group, a->dictionaries, a->out->err));
    if (a->out->status == TK_OK)
        put_block(a, &f, HEADER_BATCH, put_batch_header(a, &f, a->group.n), false);
    tk_flat_release(&f);
    tk_group_clear(&a->group);
}

void tk_arrow_rows(struct tk_arrow *a, const struct tk_rows *rows)
{
    struct tk_rows some = *rows;
    for (size_t done = 0; done < rows->n && a->out->status == TK_OK; done += some.n) {
        const size_t capacity = BATCH_ROWS - a->group.n;
        some.n = rows->n - done < capacity ? rows->n - done : capacity;
        some.cells = rows->cells + done * a->group.table->n_columns;
        a->group.err = a->out->err;
        tk_buffer_fail(a->out, tk_group_add(&a->group, &some));
        if (a->out->status == TK_OK && (a->group.n == BATCH_ROWS || tk_group_texts(&a->group) > BATCH_TEXTS))
            write_batch(a);
    }
}

/* Blocks are structs {i64 offset, i32 metadata, 4 zeros, i64 body}. */
static size_t put_blocks(struct tk_flat *f, const struct block *blocks, size_t n)
{
    uint64_t *words = calloc(3 * n + 1, sizeof *words);
    if (!words) {
        f->status = TK_ENOMEM;
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        words[3 * i] = blocks[i].at;
        words[3 * i + 1] = blocks[i].metadata;
        words[3 * i + 2] = blocks[i].body;
    }
    const size_t list = tk_flat_words(f, words, n, 3);
    free(words);
    return list;
}

static void put_footer(struct tk_arrow *a)
{
    struct tk_flat f = {0};
    const size_t schema = tk_arrow_schema(&f, &a->group, a->opt.source, a->out);
    const size_t batches = put_blocks(&f, a->blocks.v, a->blocks.n);
    const size_t dictionaries = put_blocks(&f, a->dictionary_blocks.v, a->dictionary_blocks.n);
    tk_flat_open(&f);
    tk_flat_field(&f, 0, VERSION_5, 2);
    tk_flat_field_reference(&f, 1, schema);
    tk_flat_field_reference(&f, 2, dictionaries);
    tk_flat_field_reference(&f, 3, batches);
    tk_flat_finish(&f, tk_flat_close(&f));
    if (f.status < 0)
        tk_buffer_fail(a->out, tk_err_nomem(a->out->err, "the footer of Arrow"));
    else
        tk_buffer_put(a->out, tk_flat_bytes(&f), f.n);
    put_u32(a->out, (uint32_t)f.n);
    tk_buffer_put(a->out, "ARROW1", 6);
    tk_flat_release(&f);
}

void tk_arrow_end(struct tk_arrow *a)
{
    if (a->group.n && a->out->status == TK_OK)
        write_batch(a);
    write_dictionaries(a, true);
    put_u32(a->out, UINT32_MAX);
    put_u32(a->out, 0);
    if (a->opt.file && a->out->status == TK_OK)
        put_footer(a);
}
