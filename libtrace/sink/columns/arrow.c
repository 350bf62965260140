/*
 * Messages of Arrow: the schema, batches of rows, and the footer of files. See arrow.h.
 */
#include "sink/columns/arrow.h"

#include "base/err.h"
#include "sink/columns/arrow_body.h"
#include "sink/columns/arrow_schema.h"

#include <stdlib.h>

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
        const size_t room = BATCH_ROWS - a->group.n;
        some.n = rows->n - done < room ? rows->n - done : room;
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
