/*
 * Messages of Arrow: the schema, batches of rows, and the footer of files.
 */
#include "base/err.h"
#include "sink/columns/columnar.h"
#include "sink/columns/columns_in.h"

#include <stdlib.h>
#include <zstd.h>

struct tk_arrow_body {
    struct tk_buffer bytes;
    TK_VEC(uint64_t) nodes;   /* pairs: values, nulls; one a column */
    TK_VEC(uint64_t) buffers; /* pairs: offset, length */
    struct tk_buffer plain, packed;
    void *zstd; /* owned; NULL: not compressed */
};

/*
 * The body of a batch of Arrow: the buffers of all columns, one behind the other, and where they are.
 */

enum { ARROW_BODY_ALIGN = 64, ZSTD_LEVEL = 1 };

static void tk_arrow_body_free(struct tk_arrow_body *b)
{
    if (!b)
        return;
    ZSTD_freeCCtx(b->zstd);
    tk_buffer_release(&b->bytes);
    tk_buffer_release(&b->plain);
    tk_buffer_release(&b->packed);
    tk_vec_release(&b->nodes);
    tk_vec_release(&b->buffers);
    free(b);
}

/* TK_OK or TK_ENOMEM. */
static int tk_arrow_body_new(struct tk_arrow_body **out, bool zstd, struct tk_err *err)
{
    struct tk_arrow_body *b = calloc(1, sizeof *b);
    *out = NULL;
    if (!b)
        return tk_err_nomem(err, "a batch of Arrow");
    b->zstd = zstd ? ZSTD_createCCtx() : NULL;
    if ((zstd && !b->zstd) || tk_buffer_init(&b->bytes, NULL, err) || tk_buffer_init(&b->plain, NULL, err) ||
        tk_buffer_init(&b->packed, NULL, err)) {
        tk_arrow_body_free(b);
        return tk_err_nomem(err, "a batch of Arrow");
    }
    *out = b;
    return TK_OK;
}

/* b->plain compressed: its length in 8 bytes, and the frame. */
static void pack(struct tk_arrow_body *b)
{
    const uint64_t raw = b->plain.n;
    const size_t bound = ZSTD_compressBound(b->plain.n);
    b->packed.n = 0;
    tk_plain_u64(&b->packed, &raw, 1);
    while (b->packed.status == TK_OK && b->packed.cap < bound + sizeof raw)
        tk_buffer_make(&b->packed, bound);
    if (b->packed.status < 0)
        return;
    const size_t n = ZSTD_compressCCtx(b->zstd, b->packed.p + b->packed.n, b->packed.cap - b->packed.n,
                                       b->plain.p, b->plain.n, ZSTD_LEVEL);
    if (ZSTD_isError(n))
        tk_buffer_fail(&b->packed, TK_ENOMEM);
    else
        b->packed.n += n;
}

/* Appends b->plain as the next buffer. */
static void put_buffer(struct tk_arrow_body *b)
{
    const struct tk_buffer *from = &b->plain;
    const uint64_t at = b->bytes.n;
    if (b->zstd && b->plain.n) {
        pack(b);
        from = &b->packed;
    }
    const size_t n = from->n;
    tk_buffer_put(&b->bytes, from->p, n);
    tk_buffer_fill(&b->bytes, 0, (ARROW_BODY_ALIGN - n % ARROW_BODY_ALIGN) % ARROW_BODY_ALIGN);
    if (tk_vec_push(&b->buffers, at) || tk_vec_push(&b->buffers, n))
        tk_buffer_fail(&b->bytes, TK_ENOMEM);
    b->plain.n = 0;
}

static void put_present(struct tk_arrow_body *b, const struct tk_group *g, const struct tk_group_column *c)
{
    for (size_t i = 0; c->n_nulls && i < g->n; i += 8) {
        unsigned bits = 0;
        for (size_t k = i; k < g->n && k < i + 8; k++)
            bits |= (unsigned)c->present[k] << (k - i);
        tk_buffer_char(&b->plain, (char)bits);
    }
    put_buffer(b);
}

static void put_values(struct tk_arrow_body *b, const struct tk_group *g, const struct tk_group_column *c)
{
    if (c->store == TK_STORE_BOOL)
        tk_plain_bits(&b->plain, c->values, g->n);
    else if (c->store == TK_STORE_FLOAT)
        tk_plain_u32(&b->plain, c->values, g->n);
    else
        tk_plain_u64(&b->plain, c->values, g->n);
    put_buffer(b);
}

static void put_offset(struct tk_buffer *b, uint64_t v)
{
    tk_plain_u32(b, &v, 1);
}

static int put_texts(struct tk_arrow_body *b, const struct tk_group *g, const struct tk_group_column *c,
                     struct tk_err *err)
{
    uint64_t at = 0;
    if (c->text_bytes > INT32_MAX)
        return tk_err_set(err, TK_ELIMIT, "texts of column '%s' are longer than 2 GiB",
                          g->table->columns[c - g->columns].name);
    put_offset(&b->plain, 0);
    for (size_t i = 0; i < g->n; i++) {
        at += tk_group_has(c, i) ? tk_texts_at(&c->texts, c->values[i]).n : 0;
        put_offset(&b->plain, at);
    }
    put_buffer(b);
    for (size_t i = 0; i < g->n; i++)
        if (tk_group_has(c, i)) {
            const struct tk_str s = tk_texts_at(&c->texts, c->values[i]);
            tk_buffer_put(&b->plain, s.p, s.n);
        }
    put_buffer(b);
    return TK_OK;
}

/* Makes it anew of a group. TK_OK, TK_ENOMEM, TK_ELIMIT (2 GiB of texts in a column). */
static int tk_arrow_body_fill(struct tk_arrow_body *b, const struct tk_group *g, struct tk_err *err)
{
    int rc = TK_OK;
    b->bytes.n = b->nodes.n = b->buffers.n = 0;
    for (uint32_t i = 0; i < g->table->n_columns && rc == TK_OK; i++) {
        const struct tk_group_column *c = &g->columns[i];
        if (tk_vec_push(&b->nodes, g->n) || tk_vec_push(&b->nodes, c->n_nulls))
            return tk_err_nomem(err, "a batch of Arrow");
        put_present(b, g, c);
        if (tk_group_is_text(c))
            rc = put_texts(b, g, c, err);
        else
            put_values(b, g, c);
    }
    if (rc == TK_OK && (b->bytes.status < 0 || b->plain.status < 0 || b->packed.status < 0))
        rc = tk_err_nomem(err, "a batch of Arrow");
    return rc;
}

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
    tk_flat_open(f);
    tk_flat_field_reference(f, 0, name);
    tk_flat_field(f, 1, 1, 1); /* may be null */
    tk_flat_field(f, 2, type_of(&g->columns[i]), 1);
    tk_flat_field_reference(f, 3, type);
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
    HEADER_SCHEMA = 1,
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
    TK_VEC(struct block) blocks;
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
        tk_arrow_body_new(&a->body, opt->zstd, out->err)) {
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
    tk_group_release(&a->group);
    tk_arrow_body_free(a->body);
    tk_vec_release(&a->blocks);
    free(a);
}

/* The table RecordBatch. */
static size_t put_batch_header(struct tk_arrow *a, struct tk_flat *f)
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
    tk_flat_field(f, 0, a->group.n, 8);
    tk_flat_field_reference(f, 1, nodes);
    tk_flat_field_reference(f, 2, buffers);
    if (zstd)
        tk_flat_field_reference(f, 3, zstd);
    return tk_flat_close(f);
}

static void write_batch(struct tk_arrow *a)
{
    struct tk_flat f = {0};
    struct block block = {.at = place(a)};
    tk_buffer_fail(a->out, tk_arrow_body_fill(a->body, &a->group, a->out->err));
    if (a->out->status == TK_OK) {
        block.body = a->body->bytes.n;
        block.metadata = put_message(a, &f, HEADER_BATCH, put_batch_header(a, &f), block.body);
        tk_buffer_put(a->out, a->body->bytes.p, a->body->bytes.n);
        if (tk_vec_push(&a->blocks, block))
            tk_buffer_fail(a->out, tk_err_nomem(a->out->err, "Arrow"));
    }
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
static size_t put_blocks(struct tk_flat *f, const struct tk_arrow *a)
{
    uint64_t *words = calloc(3 * a->blocks.n + 1, sizeof *words);
    if (!words) {
        f->status = TK_ENOMEM;
        return 0;
    }
    for (size_t i = 0; i < a->blocks.n; i++) {
        words[3 * i] = a->blocks.v[i].at;
        words[3 * i + 1] = a->blocks.v[i].metadata;
        words[3 * i + 2] = a->blocks.v[i].body;
    }
    const size_t list = tk_flat_words(f, words, a->blocks.n, 3);
    free(words);
    return list;
}

static void put_footer(struct tk_arrow *a)
{
    struct tk_flat f = {0};
    const size_t schema = tk_arrow_schema(&f, &a->group, a->opt.source, a->out);
    const size_t batches = put_blocks(&f, a), dictionaries = tk_flat_words(&f, NULL, 0, 3);
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
    put_u32(a->out, UINT32_MAX);
    put_u32(a->out, 0);
    if (a->opt.file && a->out->status == TK_OK)
        put_footer(a);
}
