/*
 * Files of Parquet: a reader that knows the specification alone finds in them the rows that were written, and
 * the ends of each column that the footer says.
 */
#include "made_rows.h"
#include "sink/columns/columnar.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { PLAIN = 0, DELTA = 5, DICTIONARY = 8 };               /* Encoding */
enum { BOOLEAN = 0, INT64 = 2, DOUBLE = 5, BYTE_ARRAY = 6 }; /* Type */
enum { STRUCT = 12, LIST = 9, BINARY = 8, WIDE = 7, BYTE = 3 };

/* ---- the compact protocol of Thrift ---- */

static uint64_t varint(struct fuzz_in *in)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        fuzz_promise(in->n > 0, "a number ends");
        const uint8_t byte = fuzz_u8(in);
        v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return v;
    }
    fuzz_promise(false, "a number of 64 bits");
    return 0;
}

static int64_t zigzag(struct fuzz_in *in)
{
    const uint64_t v = varint(in);
    return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

static struct fuzz_in binary(struct fuzz_in *in)
{
    const uint64_t n = varint(in);
    fuzz_promise(n <= in->n, "bytes are there");
    return fuzz_take(in, (size_t)n);
}

/* The next field of a struct; false: it is over. */
static bool field(struct fuzz_in *in, unsigned *id, unsigned *type)
{
    fuzz_promise(in->n > 0, "a struct ends");
    const uint8_t head = fuzz_u8(in);
    if (head == 0)
        return false;
    *id = head >> 4 ? *id + (head >> 4) : (unsigned)zigzag(in);
    *type = head & 15;
    return true;
}

static uint64_t list(struct fuzz_in *in)
{
    const uint8_t head = fuzz_u8(in);
    return head >> 4 == 15 ? varint(in) : head >> 4;
}

static void skip(struct fuzz_in *in, unsigned type)
{
    unsigned id = 0, inner;
    uint64_t n;
    switch (type) {
    case 1:
    case 2:
        return;
    case BYTE:
        fuzz_u8(in);
        return;
    case WIDE:
        fuzz_take(in, 8);
        return;
    case BINARY:
        binary(in);
        return;
    case LIST:
        inner = in->n ? in->p[0] & 15u : 0;
        for (n = list(in); n > 0; n--)
            inner <= 2 ? (void)fuzz_u8(in) : skip(in, inner);
        return;
    case STRUCT:
        while (field(in, &id, &inner))
            skip(in, inner);
        return;
    default:
        fuzz_promise(type >= 4 && type <= 6, "a type of Thrift");
        zigzag(in);
    }
}

/* ---- pages ---- */

struct page {
    int64_t type, raw, packed, crc, n, encoding;
};

static struct page page_header(struct fuzz_in *in)
{
    struct page h = {.type = -1};
    int64_t *const top[] = {NULL, &h.type, &h.raw, &h.packed, &h.crc}, *const of_data[] = {NULL, &h.n,
                                                                                           &h.encoding};
    for (unsigned id = 0, type; field(in, &id, &type);) {
        if (id <= 4)
            *top[id] = zigzag(in);
        else
            for (unsigned inner = 0, k; field(in, &inner, &k);)
                inner <= 2 ? (void)(*of_data[inner] = zigzag(in)) : skip(in, k);
    }
    return h;
}

/* Its bytes as they were before compression; to be freed. */
static uint8_t *unpacked(const struct page *h, struct fuzz_in body, bool zstd)
{
    uint8_t *raw = malloc((size_t)h->raw + 1);
    fuzz_promise(raw && body.n == (size_t)h->packed, "the body of a page");
    fuzz_promise((uint32_t)h->crc == crc32(0, body.p, (uInt)body.n), "its checksum");
    if (zstd)
        fuzz_promise(ZSTD_decompress(raw, (size_t)h->raw, body.p, body.n) == (size_t)h->raw, "its bytes");
    else
        memcpy(raw, body.p, body.n);
    return raw;
}

static uint64_t bits_of(const uint8_t *p, size_t at, unsigned width)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < width; i++, at++)
        v |= (uint64_t)(p[at / 8] >> at % 8 & 1) << i;
    return v;
}

/* The hybrid of runs and packed groups. */
static void hybrid(struct fuzz_in in, unsigned width, uint64_t *out, size_t n)
{
    for (size_t done = 0; done < n;) {
        const uint64_t head = varint(&in);
        const size_t left = n - done;
        if (head & 1) {
            const struct fuzz_in groups = fuzz_take(&in, (size_t)(head >> 1) * width);
            fuzz_promise(groups.n == (head >> 1) * width, "packed groups");
            for (size_t i = 0; i < (head >> 1) * 8 && i < left; i++)
                out[done++] = bits_of(groups.p, i * width, width);
        } else {
            const uint64_t v = fuzz_uint(&in, (width + 7) / 8);
            fuzz_promise(head >> 1 <= left, "a run inside the page");
            for (uint64_t i = 0; i < head >> 1; i++)
                out[done++] = v;
        }
    }
    fuzz_promise(in.n == 0, "nothing behind the runs");
}

static void delta(struct fuzz_in in, uint64_t *out, size_t n)
{
    const uint64_t block = varint(&in), parts = varint(&in), all = varint(&in);
    uint64_t last = (uint64_t)zigzag(&in);
    fuzz_promise(all == n && parts && block % 128 == 0 && block / parts % 32 == 0, "a head of differences");
    size_t done = 0;
    if (n)
        out[done++] = last;
    while (done < n) {
        const uint64_t least = (uint64_t)zigzag(&in);
        const struct fuzz_in widths = fuzz_take(&in, (size_t)parts);
        for (size_t k = 0; k < parts && done < n; k++) {
            const struct fuzz_in bytes = fuzz_take(&in, (size_t)(block / parts) * widths.p[k] / 8);
            fuzz_promise(bytes.n == block / parts * widths.p[k] / 8, "a part of differences");
            for (size_t i = 0; i < block / parts && done < n; i++)
                out[done++] = last += least + bits_of(bytes.p, i * widths.p[k], widths.p[k]);
        }
    }
    fuzz_promise(in.n == 0, "nothing behind the differences");
}

/* A value: bits, or bytes. */
struct value {
    uint64_t bits;
    struct fuzz_in text;
};

static void plain(struct fuzz_in in, int64_t type, struct value *out, size_t n)
{
    const struct fuzz_in all = in;
    for (size_t i = 0; i < n; i++) {
        if (type == BOOLEAN) {
            out[i].bits = bits_of(all.p, i, 1);
            continue;
        }
        fuzz_promise(in.n >= (type == BYTE_ARRAY ? 4 : 8), "a value");
        if (type != BYTE_ARRAY) {
            out[i].bits = fuzz_uint(&in, 8);
            continue;
        }
        const uint64_t length = fuzz_uint(&in, 4);
        fuzz_promise(length <= in.n, "a text");
        out[i].text = fuzz_take(&in, (size_t)length);
    }
    fuzz_promise(type == BOOLEAN ? all.n == (n + 7) / 8 : in.n == 0, "nothing behind the values");
}

/* ---- columns ---- */

struct chunk {
    int64_t type, codec, n, raw, packed, data, dictionary;
    int64_t nulls;
    struct fuzz_in least, most;
};

static int64_t to_signed(struct fuzz_in bytes)
{
    return (int64_t)fuzz_uint(&bytes, 8);
}

static void check_ends(const struct made *m, uint32_t column, const struct chunk *c, const struct value *v,
                       size_t n, bool is_unsigned)
{
    const uint64_t top = UINT64_C(1) << 63, flip = is_unsigned ? 0 : top;
    if (m->columns[column].kind == TK_REAL || c->type != INT64 || n == 0)
        return;
    fuzz_promise(c->least.n == 8 && c->most.n == 8, "numbers have ends");
    const uint64_t least = (uint64_t)to_signed(c->least) ^ flip, most = (uint64_t)to_signed(c->most) ^ flip;
    bool met_least = false, met_most = false;
    for (size_t i = 0; i < n; i++) {
        fuzz_promise((v[i].bits ^ flip) >= least && (v[i].bits ^ flip) <= most, "values between the ends");
        met_least |= (v[i].bits ^ flip) == least;
        met_most |= (v[i].bits ^ flip) == most;
    }
    fuzz_promise(met_least && met_most, "ends that are values");
}

static void check_values(const struct made *m, uint32_t column, size_t first, size_t n_rows,
                         const uint64_t *levels, const struct value *v)
{
    for (size_t i = 0; i < n_rows; i++) {
        const struct tk_cell *cell = made_cell(m, first + i, column);
        fuzz_promise(levels[i] == (cell->kind != TK_NONE), "which values are there");
        if (cell->kind == TK_NONE)
            continue;
        if (made_text(m, column))
            fuzz_promise(v->text.n == cell->n && (!cell->n || memcmp(v->text.p, cell->v.p, cell->n) == 0),
                         "a text");
        else
            fuzz_promise(v->bits == made_bits(m, first + i, column), "a number");
        v++;
    }
}

static void read_column(const struct made *m, uint32_t column, const struct chunk *c, struct fuzz_in file,
                        size_t first, size_t n_rows, bool is_unsigned)
{
    struct fuzz_in in = {file.p + (c->dictionary ? c->dictionary : c->data), (size_t)c->packed};
    uint8_t *words = NULL, *body = NULL;
    struct value *entries = NULL, *v = calloc(n_rows + 1, sizeof *v);
    uint64_t *levels = calloc(2 * n_rows + 1, sizeof *levels), *places = levels + n_rows;
    size_t n_entries = 0, n = 0;
    int64_t raw = 0;
    fuzz_promise(v && levels && c->n == (int64_t)n_rows, "values of a column");
    if (c->dictionary) {
        const size_t before = in.n;
        const struct page h = page_header(&in);
        fuzz_promise(h.type == 2 && h.encoding == PLAIN, "a dictionary");
        raw += (int64_t)(before - in.n) + h.raw;
        words = unpacked(&h, fuzz_take(&in, (size_t)h.packed), c->codec == 6);
        n_entries = (size_t)h.n;
        entries = calloc(n_entries + 1, sizeof *entries);
        plain((struct fuzz_in){words, (size_t)h.raw}, c->type, entries, n_entries);
        fuzz_promise(in.p == file.p + c->data, "the data behind it");
    }
    const size_t before = in.n;
    const struct page h = page_header(&in);
    fuzz_promise(h.type == 0 && h.n == (int64_t)n_rows, "a page of data");
    raw += (int64_t)(before - in.n) + h.raw;
    body = unpacked(&h, fuzz_take(&in, (size_t)h.packed), c->codec == 6);
    fuzz_promise(in.n == 0 && raw == c->raw, "the sizes of a column");
    struct fuzz_in values = {body, (size_t)h.raw};
    const uint64_t length = fuzz_uint(&values, 4);
    hybrid(fuzz_take(&values, (size_t)length), 1, levels, n_rows);
    for (size_t i = 0; i < n_rows; i++)
        n += levels[i] != 0;
    if (h.encoding == DICTIONARY) {
        const unsigned width = fuzz_u8(&values);
        fuzz_promise(width <= 32, "bits of a place");
        hybrid(values, width, places, n);
        for (size_t i = 0; i < n; i++) {
            fuzz_promise(places[i] < n_entries, "a place in the dictionary");
            v[i] = entries[places[i]];
        }
    } else if (h.encoding == DELTA) {
        delta(values, places, n);
        for (size_t i = 0; i < n; i++)
            v[i].bits = places[i];
    } else {
        fuzz_promise(h.encoding == PLAIN, "an encoding");
        plain(values, c->type, v, n);
    }
    fuzz_promise(c->nulls == (int64_t)(n_rows - n), "the number of nulls");
    check_values(m, column, first, n_rows, levels, v);
    check_ends(m, column, c, v, n, is_unsigned);
    free(words);
    free(body);
    free(entries);
    free(v);
    free(levels);
}

/* ---- the footer ---- */

static void statistics(struct fuzz_in *in, struct chunk *c)
{
    for (unsigned id = 0, type; field(in, &id, &type);) {
        if (id == 3)
            c->nulls = zigzag(in);
        else if (id == 5)
            c->most = binary(in);
        else if (id == 6)
            c->least = binary(in);
        else
            skip(in, type);
    }
}

static struct chunk chunk_of(struct fuzz_in *in)
{
    struct chunk c = {.nulls = -1};
    int64_t *const numbers[12] = {[1] = &c.type,   [4] = &c.codec, [5] = &c.n,          [6] = &c.raw,
                                  [7] = &c.packed, [9] = &c.data,  [11] = &c.dictionary};
    for (unsigned id = 0, type; field(in, &id, &type);) {
        if (id != 3) {
            skip(in, type);
            continue;
        }
        for (unsigned k = 0, inner; field(in, &k, &inner);) {
            if (k < 12 && numbers[k])
                *numbers[k] = zigzag(in);
            else if (k == 12)
                statistics(in, &c);
            else
                skip(in, inner);
        }
    }
    return c;
}

static size_t read_group(const struct made *m, struct fuzz_in *in, struct fuzz_in file, size_t first,
                         const bool *is_unsigned)
{
    struct chunk chunks[MADE_COLUMNS];
    int64_t rows = 0;
    for (unsigned id = 0, type; field(in, &id, &type);) {
        if (id == 1) {
            fuzz_promise(list(in) == m->table.n_columns, "chunks of all columns");
            for (uint32_t i = 0; i < m->table.n_columns; i++)
                chunks[i] = chunk_of(in);
        } else if (id == 3) {
            rows = zigzag(in);
        } else {
            skip(in, type);
        }
    }
    fuzz_promise(rows > 0 && (size_t)rows <= m->n_rows - first, "rows of a group");
    for (uint32_t i = 0; i < m->table.n_columns; i++)
        read_column(m, i, &chunks[i], file, first, (size_t)rows, is_unsigned[i]);
    return (size_t)rows;
}

/* The converted type of a column, which says that its numbers have no sign. */
static void schema(const struct made *m, struct fuzz_in *in, bool *is_unsigned)
{
    fuzz_promise(list(in) == m->table.n_columns + 1, "a schema of all columns");
    for (uint32_t i = 0; i <= m->table.n_columns; i++) {
        for (unsigned id = 0, type; field(in, &id, &type);) {
            if (id == 6 && i)
                is_unsigned[i - 1] = zigzag(in) == 14;
            else
                skip(in, type);
        }
    }
}

static void read_file(const struct made *m, struct fuzz_in file)
{
    bool is_unsigned[MADE_COLUMNS] = {false};
    size_t rows = 0;
    int64_t said = -1;
    fuzz_promise(file.n > 12 && memcmp(file.p, "PAR1", 4) == 0 && memcmp(file.p + file.n - 4, "PAR1", 4) == 0,
                 "the magic at both ends");
    struct fuzz_in end = {file.p + file.n - 8, 4};
    const size_t n = (size_t)fuzz_uint(&end, 4);
    fuzz_promise(n <= file.n - 12, "a footer");
    struct fuzz_in in = {file.p + file.n - 8 - n, n};
    for (unsigned id = 0, type; field(&in, &id, &type);) {
        if (id == 2) {
            schema(m, &in, is_unsigned);
        } else if (id == 3) {
            said = zigzag(&in);
        } else if (id == 4) {
            for (uint64_t k = list(&in); k > 0; k--)
                rows += read_group(m, &in, file, rows, is_unsigned);
        } else {
            skip(&in, type);
        }
    }
    fuzz_promise(in.n == 0 && said == (int64_t)m->n_rows && rows == m->n_rows, "all rows");
}

static void take(void *to, const struct tk_rows *rows)
{
    tk_parquet_rows(to, rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct made m;
    struct tk_err err = {0};
    struct tk_buffer out;
    struct tk_parquet *file = NULL;
    made_of(&m, data, size);
    const struct tk_parquet_options options = {.zstd = size & 1, .as_they_come = true};
    fuzz_promise(tk_buffer_init(&out, NULL, &err) == TK_OK &&
                     tk_parquet_new(&file, &m.table, &options, &out) == TK_OK,
                 "a file begins");
    made_send(&m, take, file);
    tk_parquet_end(file);
    fuzz_promise(out.status == TK_OK, "a file is written");
    read_file(&m, (struct fuzz_in){(const uint8_t *)out.p, out.n});
    tk_parquet_free(file);
    tk_buffer_release(&out);
    made_free(&m);
    return 0;
}
