/*
 * Files and streams of Arrow IPC: a reader that knows the specification alone finds in them the rows that
 * were written, and a footer that finds the batches.
 */
#include "base/vec.h"
#include "made_rows.h"
#include "sink/columns/columnar.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { SCHEMA = 1, DICTIONARY = 2, BATCH = 3, VERSION_5 = 4 }; /* Message */
enum { INT = 2, FLOAT = 3, BINARY = 4, UTF8 = 5, BOOL = 6 };   /* Type */
enum { BLOCKS_MOST = 64, COLUMNS_MOST = 64 };

/* ---- FlatBuffers ---- */

static struct fuzz_in flat; /* the one that is read */

static uint64_t number(size_t at, unsigned bytes)
{
    fuzz_promise(at <= flat.n && bytes <= flat.n - at && at % bytes == 0, "an aligned number");
    struct fuzz_in in = {flat.p + at, bytes};
    return fuzz_uint(&in, bytes);
}

static size_t follow(size_t at)
{
    return at + (size_t)number(at, 4);
}

/* Where a field of a table stands; 0: it has its default. */
static size_t slot(size_t table, unsigned k)
{
    const size_t v = table - (size_t)(int32_t)number(table, 4);
    if (4 + 2 * (k + 1) > number(v, 2))
        return 0;
    const uint64_t at = number(v + 4 + 2 * (size_t)k, 2);
    fuzz_promise(at < number(v + 2, 2), "a field inside its table");
    return at ? table + (size_t)at : 0;
}

static uint64_t field(size_t table, unsigned k, unsigned bytes)
{
    const size_t at = slot(table, k);
    return at ? number(at, bytes) : 0;
}

static size_t reference(size_t table, unsigned k)
{
    const size_t at = slot(table, k);
    fuzz_promise(at != 0, "a reference");
    return follow(at);
}

/* ---- the schema ---- */

static void check_type(const struct made *m, uint32_t column, uint64_t type, size_t at)
{
    static const uint8_t types[] = {
        [TK_BOOL] = BOOL, [TK_INT] = INT,  [TK_UINT] = INT,     [TK_HEX] = INT,   [TK_REAL] = FLOAT,
        [TK_TIME] = INT,  [TK_SIZE] = INT, [TK_DURATION] = INT, [TK_TEXT] = UTF8, [TK_BYTES] = BINARY};
    const uint8_t kind = m->columns[column].kind;
    fuzz_promise(type == types[kind], "the type of a column");
    if (type == INT)
        fuzz_promise(field(at, 0, 4) == 64 &&
                         field(at, 1, 1) == (kind == TK_INT || kind == TK_TIME || kind == TK_DURATION),
                     "whole numbers of 64 bits");
    else if (type == FLOAT)
        fuzz_promise(field(at, 0, 2) == 2, "doubles");
}

/* Texts are in a dictionary, other bytes are not. */
static bool in_dictionary(const struct made *m, uint32_t column)
{
    return m->columns[column].kind == TK_TEXT;
}

static void check_schema(const struct made *m, size_t table)
{
    const size_t fields = reference(table, 1);
    fuzz_promise(field(table, 0, 2) == 0 && number(fields, 4) == m->table.n_columns, "a schema");
    for (uint32_t i = 0; i < m->table.n_columns; i++) {
        const size_t f = follow(fields + 4 + 4 * (size_t)i), name = reference(f, 0);
        fuzz_promise(number(name, 4) == 1 && flat.p[name + 4] == (uint8_t)m->columns[i].name[0], "a name");
        fuzz_promise(field(f, 1, 1) == 1, "it may be null");
        check_type(m, i, field(f, 2, 1), reference(f, 3));
        fuzz_promise((slot(f, 4) != 0) == in_dictionary(m, i), "a dictionary for each column of texts");
        if (in_dictionary(m, i)) {
            const size_t encoding = reference(f, 4), places = reference(encoding, 1);
            fuzz_promise(field(encoding, 0, 8) == i && field(places, 0, 4) == 32 && field(places, 1, 1) == 1,
                         "the dictionary of the column, with places of 32 bits");
        }
    }
}

/* ---- batches ---- */

struct body {
    struct fuzz_in bytes;
    size_t buffers, next; /* the list of buffers, and which is next */
    bool zstd;
    uint8_t *unpacked; /* of the buffer read last */
};

/* The next buffer, as it was before compression. */
static struct fuzz_in buffer(struct body *b)
{
    fuzz_promise(b->next < number(b->buffers, 4), "a buffer");
    const size_t at = b->buffers + 4 + 16 * b->next++;
    const uint64_t from = number(at, 8), n = number(at + 8, 8);
    fuzz_promise(from % 8 == 0 && from <= b->bytes.n && n <= b->bytes.n - from, "a buffer inside the body");
    struct fuzz_in in = {b->bytes.p + from, (size_t)n};
    if (!b->zstd || n == 0)
        return in;
    const size_t raw = (size_t)fuzz_uint(&in, 8);
    fuzz_promise(raw < 1u << 30, "a size");
    uint8_t *p = malloc(raw + 1);
    fuzz_promise(p && ZSTD_decompress(p, raw, in.p, in.n) == raw, "a compressed buffer");
    free(b->unpacked);
    b->unpacked = p;
    return (struct fuzz_in){p, raw};
}

/* A copy that lives until it is freed. */
static uint8_t *kept(struct body *b, size_t *n)
{
    const struct fuzz_in in = buffer(b);
    *n = in.n;
    return fuzz_copy(in.p, in.n);
}

static uint64_t word(const uint8_t *p, size_t i, unsigned bytes)
{
    struct fuzz_in in = {p + i * bytes, bytes};
    return fuzz_uint(&in, bytes);
}

/* ---- dictionaries ---- */

/* The texts of a column by their places. */
struct dictionary {
    TK_VEC(struct fuzz_in) texts; /* copies, owned */
    size_t parts;
};

static void forget(struct dictionary *d)
{
    for (size_t i = 0; i < d->texts.n; i++)
        free((void *)(uintptr_t)d->texts.v[i].p);
    d->texts.n = 0;
}

/* Texts of a batch of one column without nulls. */
static void read_texts(struct dictionary *d, struct body *b, size_t rows)
{
    size_t n_present, n_values, n_bytes;
    uint8_t *present = kept(b, &n_present), *values = kept(b, &n_values), *bytes = kept(b, &n_bytes);
    fuzz_promise(n_present == 0 && n_values == 4 * (rows + 1), "as many texts as places");
    for (size_t i = 0; i < rows; i++) {
        const uint64_t from = word(values, i, 4), to = word(values, i + 1, 4);
        fuzz_promise(from <= to && to <= n_bytes, "offsets of a text");
        const struct fuzz_in text = {fuzz_copy(bytes + from, (size_t)(to - from)), (size_t)(to - from)};
        fuzz_promise(tk_vec_push(&d->texts, text) == 0, "memory");
    }
    free(present);
    free(values);
    free(bytes);
}

static void read_dictionary(struct dictionary *all, uint32_t n_columns, size_t table, struct fuzz_in bytes)
{
    const uint64_t column = field(table, 0, 8);
    const size_t batch = reference(table, 1), rows = (size_t)field(batch, 0, 8), nodes = reference(batch, 1);
    struct body b = {.bytes = bytes, .buffers = reference(batch, 2), .zstd = slot(batch, 3) != 0};
    fuzz_promise(column < n_columns && number(nodes, 4) == 1 && number(nodes + 4, 8) == rows &&
                     number(nodes + 12, 8) == 0,
                 "a dictionary of a column");
    struct dictionary *d = &all[column];
    const bool more = field(table, 2, 1) == 1;
    fuzz_promise(!more || d->parts > 0, "more of a dictionary that is there");
    if (!more)
        forget(d);
    d->parts++;
    read_texts(d, &b, rows);
    fuzz_promise(b.next == number(b.buffers, 4), "no buffer more");
    free(b.unpacked);
}

/* ---- columns ---- */

static void check_text(const struct dictionary *d, const struct tk_cell *cell, uint64_t at)
{
    fuzz_promise(at < d->texts.n, "a place in the dictionary");
    const struct fuzz_in text = d->texts.v[at];
    fuzz_promise(text.n == cell->n && (text.n == 0 || memcmp(text.p, cell->v.p, cell->n) == 0), "a text");
}

static void check_bytes(const struct tk_cell *cell, const uint8_t *offsets, size_t i, const uint8_t *bytes,
                        size_t n_bytes)
{
    const uint64_t from = word(offsets, i, 4), to = word(offsets, i + 1, 4);
    fuzz_promise(from <= to && to <= n_bytes, "offsets of bytes");
    fuzz_promise(to - from == (cell->kind == TK_NONE ? 0 : cell->n) &&
                     (from == to || memcmp(bytes + from, cell->v.p, cell->n) == 0),
                 "bytes");
}

static void check_column(const struct made *m, uint32_t column, const struct dictionary *d, struct body *b,
                         size_t first, size_t rows, uint64_t nulls)
{
    const bool text = in_dictionary(m, column), plain = made_text(m, column) && !text,
               bits = m->columns[column].kind == TK_BOOL;
    size_t n_present, n_values, n_bytes = 0, missing = 0;
    uint8_t *present = kept(b, &n_present), *values = kept(b, &n_values),
            *bytes = plain ? kept(b, &n_bytes) : NULL;
    fuzz_promise(n_present == (nulls ? (rows + 7) / 8 : 0), "bits of those that are there");
    fuzz_promise(n_values == (text    ? 4 * rows
                              : plain ? 4 * (rows + 1)
                              : bits  ? (rows + 7) / 8
                                      : 8 * rows),
                 "as many values as rows");
    for (size_t i = 0; i < rows; i++) {
        const struct tk_cell *cell = made_cell(m, first + i, column);
        const bool there = !nulls || (present[i / 8] >> i % 8 & 1);
        fuzz_promise(there == (cell->kind != TK_NONE), "which values are there");
        missing += !there;
        if (plain)
            check_bytes(cell, values, i, bytes, n_bytes);
        else if (there && text)
            check_text(d, cell, word(values, i, 4));
        else if (there)
            fuzz_promise((bits ? values[i / 8] >> i % 8 & 1u : word(values, i, 8)) ==
                             made_bits(m, first + i, column),
                         "a number");
    }
    fuzz_promise(missing == nulls, "the number of nulls");
    free(present);
    free(values);
    free(bytes);
}

static size_t check_batch(const struct made *m, const struct dictionary *all, size_t table,
                          struct fuzz_in bytes, size_t first)
{
    const size_t rows = (size_t)field(table, 0, 8), nodes = reference(table, 1);
    struct body b = {.bytes = bytes, .buffers = reference(table, 2), .zstd = slot(table, 3) != 0};
    fuzz_promise(rows > 0 && rows <= m->n_rows - first && number(nodes, 4) == m->table.n_columns, "a batch");
    if (b.zstd)
        fuzz_promise(field(reference(table, 3), 0, 1) == 1, "zstd");
    for (uint32_t i = 0; i < m->table.n_columns; i++) {
        fuzz_promise(number(nodes + 4 + 16 * (size_t)i, 8) == rows, "rows of a column");
        check_column(m, i, &all[i], &b, first, rows, number(nodes + 12 + 16 * (size_t)i, 8));
    }
    fuzz_promise(b.next == number(b.buffers, 4), "no buffer more");
    free(b.unpacked);
    return rows;
}

/* ---- messages ---- */

/* Where dictionaries and batches begin, as the footer has to say. */
struct found {
    struct blocks {
        uint64_t at[BLOCKS_MOST], metadata[BLOCKS_MOST], body[BLOCKS_MOST];
        size_t n;
    } dictionaries, batches;
};

static void find_block(struct blocks *found, size_t at, size_t metadata, uint64_t body)
{
    fuzz_promise(found->n < BLOCKS_MOST, "few blocks");
    found->at[found->n] = at;
    found->metadata[found->n] = metadata;
    found->body[found->n++] = body;
}

struct message {
    size_t at, metadata; /* where it begins, and the bytes in front of its body */
    struct fuzz_in body;
    size_t header;
    uint64_t type;
};

/* The message there; false: the end. */
static bool read_message(struct fuzz_in all, size_t at, struct message *out)
{
    fuzz_promise(at + 8 <= all.n && at % 8 == 0 && word(all.p + at, 0, 4) == UINT32_MAX, "a message");
    const size_t n = (size_t)word(all.p + at, 1, 4);
    if (n == 0)
        return false;
    fuzz_promise(n % 8 == 0 && n <= all.n - at - 8, "its metadata");
    flat = (struct fuzz_in){all.p + at + 8, n};
    const size_t root = follow(0);
    const uint64_t body = field(root, 3, 8);
    fuzz_promise(field(root, 0, 2) == VERSION_5 && body <= all.n - at - 8 - n && body % 8 == 0, "its body");
    *out = (struct message){
        at, n + 8, {all.p + at + 8 + n, (size_t)body}, reference(root, 2), field(root, 1, 1)};
    return true;
}

/* All dictionaries of a file, which stand anywhere. */
static void read_dictionaries(const struct made *m, struct fuzz_in all, size_t at, struct dictionary *texts)
{
    struct message message;
    for (; read_message(all, at, &message); at += message.metadata + message.body.n)
        if (message.type == DICTIONARY)
            read_dictionary(texts, m->table.n_columns, message.header, message.body);
}

/* In a stream a dictionary stands before the batches that need it. */
static size_t read_messages(const struct made *m, struct fuzz_in all, size_t at, bool file,
                            struct found *found)
{
    struct dictionary texts[COLUMNS_MOST] = {0};
    struct message message;
    size_t rows = 0;
    fuzz_promise(m->table.n_columns <= COLUMNS_MOST, "few columns");
    if (file)
        read_dictionaries(m, all, at, texts);
    for (bool first = true; read_message(all, at, &message); first = false) {
        fuzz_promise(first == (message.type == SCHEMA), "the schema in front");
        if (first) {
            check_schema(m, message.header);
        } else if (message.type == DICTIONARY) {
            if (!file)
                read_dictionary(texts, m->table.n_columns, message.header, message.body);
            find_block(&found->dictionaries, at, message.metadata, message.body.n);
        } else {
            fuzz_promise(message.type == BATCH, "batches");
            rows += check_batch(m, texts, message.header, message.body, rows);
            find_block(&found->batches, at, message.metadata, message.body.n);
        }
        at += message.metadata + message.body.n;
    }
    fuzz_promise(rows == m->n_rows, "all rows");
    for (uint32_t i = 0; i < m->table.n_columns; i++) {
        fuzz_promise(!file || !in_dictionary(m, i) || texts[i].parts > 0,
                     "a dictionary for each column of a file");
        forget(&texts[i]);
        tk_vec_release(&texts[i].texts);
    }
    return at + 8;
}

static void check_blocks(size_t list, const struct blocks *found)
{
    fuzz_promise(number(list, 4) == found->n, "all blocks");
    for (size_t i = 0; i < found->n; i++) {
        const size_t block = list + 4 + 24 * i;
        fuzz_promise(number(block, 8) == found->at[i] && number(block + 8, 4) == found->metadata[i] &&
                         number(block + 16, 8) == found->body[i],
                     "where a block is");
    }
}

static void check_footer(const struct made *m, struct fuzz_in all, size_t at, const struct found *found)
{
    fuzz_promise(at + 10 <= all.n && memcmp(all.p + all.n - 6, "ARROW1", 6) == 0, "the magic at the end");
    const size_t n = (size_t)word(all.p + all.n - 10, 0, 4);
    fuzz_promise(at + n + 10 == all.n, "a footer behind the stream");
    uint8_t *copy = fuzz_copy(all.p + at, n);
    flat = (struct fuzz_in){copy, n};
    const size_t root = follow(0);
    check_schema(m, reference(root, 1));
    check_blocks(reference(root, 2), &found->dictionaries);
    check_blocks(reference(root, 3), &found->batches);
    free(copy);
}

static void take(void *to, const struct tk_rows *rows)
{
    tk_arrow_rows(to, rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct made m;
    struct tk_err err = {0};
    struct tk_buffer out;
    struct tk_arrow *arrow = NULL;
    struct found found = {.batches = {.n = 0}};
    made_of(&m, data, size);
    const struct tk_arrow_options options = {.file = size & 1, .zstd = size & 2};
    fuzz_promise(tk_buffer_init(&out, NULL, &err) == TK_OK &&
                     tk_arrow_new(&arrow, &m.table, &options, &out) == TK_OK,
                 "it begins");
    made_send(&m, take, arrow);
    tk_arrow_end(arrow);
    fuzz_promise(out.status == TK_OK, "it is written");
    const struct fuzz_in all = {(const uint8_t *)out.p, out.n};
    fuzz_promise(!options.file || (all.n > 8 && memcmp(all.p, "ARROW1\0\0", 8) == 0), "the magic in front");
    const size_t end = read_messages(&m, all, options.file ? 8 : 0, options.file, &found);
    if (options.file)
        check_footer(&m, all, end, &found);
    else
        fuzz_promise(end == all.n, "nothing behind the stream");
    tk_arrow_free(arrow);
    tk_buffer_release(&out);
    made_free(&m);
    return 0;
}
