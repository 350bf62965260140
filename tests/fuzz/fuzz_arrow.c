/*
 * Files and streams of Arrow IPC: a reader that knows the specification alone finds in them the rows that
 * were written, and a footer that finds the batches.
 */
#include "made_rows.h"
#include "sink/columns/columnar.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { SCHEMA = 1, BATCH = 3, VERSION_5 = 4 };               /* Message */
enum { INT = 2, FLOAT = 3, BINARY = 4, UTF8 = 5, BOOL = 6 }; /* Type */
enum { BLOCKS_MOST = 64 };

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

static void check_schema(const struct made *m, size_t table)
{
    const size_t fields = reference(table, 1);
    fuzz_promise(field(table, 0, 2) == 0 && number(fields, 4) == m->table.n_columns, "a schema");
    for (uint32_t i = 0; i < m->table.n_columns; i++) {
        const size_t f = follow(fields + 4 + 4 * (size_t)i), name = reference(f, 0);
        fuzz_promise(number(name, 4) == 1 && flat.p[name + 4] == (uint8_t)m->columns[i].name[0], "a name");
        fuzz_promise(field(f, 1, 1) == 1, "it may be null");
        check_type(m, i, field(f, 2, 1), reference(f, 3));
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

static void check_column(const struct made *m, uint32_t column, struct body *b, size_t first, size_t rows,
                         uint64_t nulls)
{
    const bool text = made_text(m, column), bits = m->columns[column].kind == TK_BOOL;
    size_t n_present, n_values, n_bytes = 0, missing = 0;
    uint8_t *present = kept(b, &n_present), *values = kept(b, &n_values),
            *bytes = text ? kept(b, &n_bytes) : NULL;
    fuzz_promise(n_present == (nulls ? (rows + 7) / 8 : 0), "bits of those that are there");
    fuzz_promise(n_values == (text   ? 4 * (rows + 1)
                              : bits ? (rows + 7) / 8
                                     : 8 * rows),
                 "as many values as rows");
    for (size_t i = 0; i < rows; i++) {
        const struct tk_cell *cell = made_cell(m, first + i, column);
        const bool there = !nulls || (present[i / 8] >> i % 8 & 1);
        fuzz_promise(there == (cell->kind != TK_NONE), "which values are there");
        missing += !there;
        if (text) {
            const uint64_t from = word(values, i, 4), to = word(values, i + 1, 4);
            fuzz_promise(from <= to && to <= n_bytes, "offsets of a text");
            fuzz_promise(to - from == (there ? cell->n : 0) &&
                             (from == to || memcmp(bytes + from, cell->v.p, cell->n) == 0),
                         "a text");
        } else if (there) {
            const uint64_t v = bits ? values[i / 8] >> i % 8 & 1u : word(values, i, 8);
            fuzz_promise(v == made_bits(m, first + i, column), "a number");
        }
    }
    fuzz_promise(missing == nulls, "the number of nulls");
    free(present);
    free(values);
    free(bytes);
}

static size_t check_batch(const struct made *m, size_t table, struct fuzz_in bytes, size_t first)
{
    const size_t rows = (size_t)field(table, 0, 8), nodes = reference(table, 1);
    struct body b = {.bytes = bytes, .buffers = reference(table, 2), .zstd = slot(table, 3) != 0};
    fuzz_promise(rows > 0 && rows <= m->n_rows - first && number(nodes, 4) == m->table.n_columns, "a batch");
    if (b.zstd)
        fuzz_promise(field(reference(table, 3), 0, 1) == 1, "zstd");
    for (uint32_t i = 0; i < m->table.n_columns; i++) {
        fuzz_promise(number(nodes + 4 + 16 * (size_t)i, 8) == rows, "rows of a column");
        check_column(m, i, &b, first, rows, number(nodes + 12 + 16 * (size_t)i, 8));
    }
    fuzz_promise(b.next == number(b.buffers, 4), "no buffer more");
    free(b.unpacked);
    return rows;
}

/* ---- messages ---- */

/* Where batches begin, as the footer has to say. */
struct found {
    uint64_t at[BLOCKS_MOST], metadata[BLOCKS_MOST], body[BLOCKS_MOST];
    size_t n;
};

static size_t read_messages(const struct made *m, struct fuzz_in all, size_t at, struct found *found)
{
    size_t rows = 0;
    for (bool first = true;; first = false) {
        fuzz_promise(at + 8 <= all.n && at % 8 == 0 && word(all.p + at, 0, 4) == UINT32_MAX, "a message");
        const size_t n = (size_t)word(all.p + at, 1, 4);
        if (n == 0)
            break;
        fuzz_promise(n % 8 == 0 && n <= all.n - at - 8, "its metadata");
        flat = (struct fuzz_in){all.p + at + 8, n};
        const size_t root = follow(0);
        const uint64_t type = field(root, 1, 1), body = field(root, 3, 8);
        fuzz_promise(field(root, 0, 2) == VERSION_5 && body <= all.n - at - 8 - n && body % 8 == 0,
                     "its body");
        fuzz_promise(type == (first ? SCHEMA : BATCH), "the schema, then batches");
        if (first) {
            check_schema(m, reference(root, 2));
        } else {
            rows +=
                check_batch(m, reference(root, 2), (struct fuzz_in){all.p + at + 8 + n, (size_t)body}, rows);
            fuzz_promise(found->n < BLOCKS_MOST, "few batches");
            found->at[found->n] = at;
            found->metadata[found->n] = n + 8;
            found->body[found->n++] = body;
        }
        at += 8 + n + (size_t)body;
    }
    fuzz_promise(rows == m->n_rows, "all rows");
    return at + 8;
}

static void check_footer(const struct made *m, struct fuzz_in all, size_t at, const struct found *found)
{
    fuzz_promise(at + 10 <= all.n && memcmp(all.p + all.n - 6, "ARROW1", 6) == 0, "the magic at the end");
    const size_t n = (size_t)word(all.p + all.n - 10, 0, 4);
    fuzz_promise(at + n + 10 == all.n, "a footer behind the stream");
    uint8_t *copy = fuzz_copy(all.p + at, n);
    flat = (struct fuzz_in){copy, n};
    const size_t root = follow(0), blocks = reference(root, 3);
    fuzz_promise(number(blocks, 4) == found->n && number(reference(root, 2), 4) == 0, "all batches");
    check_schema(m, reference(root, 1));
    for (size_t i = 0; i < found->n; i++) {
        const size_t block = blocks + 4 + 24 * i;
        fuzz_promise(number(block, 8) == found->at[i] && number(block + 8, 4) == found->metadata[i] &&
                         number(block + 16, 8) == found->body[i],
                     "where a batch is");
    }
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
    struct found found = {.n = 0};
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
    const size_t end = read_messages(&m, all, options.file ? 8 : 0, &found);
    if (options.file)
        check_footer(&m, all, end, &found);
    else
        fuzz_promise(end == all.n, "nothing behind the stream");
    tk_arrow_free(arrow);
    tk_buffer_release(&out);
    made_free(&m);
    return 0;
}
