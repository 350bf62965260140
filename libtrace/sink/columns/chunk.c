/*
 * Chooses the encoding of a column, and writes its pages: a dictionary where there are few values, else one
 * page of data. Version 1 of pages, which every reader has.
 *
 * Times are written as differences. Durations are plain: the compressor does better on them than packing.
 */
#include "base/bits.h"
#include "base/err.h"
#include "base/text/text.h"
#include "sink/columns/columns_in.h"

#include <math.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/*
 * Smallest and greatest values, for statistics in the footer of Parquet.
 */

enum { MOST_TEXT = 64 };

static void range_of_numbers(struct tk_chunk_range *r, const uint64_t *v, size_t n)
{
    int64_t least = INT64_MAX, most = INT64_MIN, last = INT64_MIN;
    unsigned falls = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t s = (int64_t)v[i];
        least = s < least ? s : least;
        most = s > most ? s : most;
        falls |= s < last;
        last = s;
    }
    r->known = r->exact_least = r->exact_most = true;
    r->rising = !falls;
    r->least[0] = r->least[1] = (uint64_t)least;
    r->most[0] = r->most[1] = (uint64_t)most;
    if (least >= 0)
        return;
    r->least[1] = UINT64_MAX;
    r->most[1] = 0;
    for (size_t i = 0; i < n; i++) {
        r->least[1] = v[i] < r->least[1] ? v[i] : r->least[1];
        r->most[1] = v[i] > r->most[1] ? v[i] : r->most[1];
    }
}

static double real_of(uint64_t bits, bool single)
{
    const uint32_t low = (uint32_t)bits;
    float narrow;
    double wide;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    return single ? (double)narrow : wide;
}

/* Zeros of both signs are equal, so that both have to be between the ends. */
static void range_of_reals(struct tk_chunk_range *r, const uint64_t *v, size_t n, bool single)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        const double x = real_of(v[i], single);
        if (isnan(x))
            continue;
        r->known = true;
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    r->exact_least = r->exact_most = true;
    r->least[0] = tk_group_bits(least == 0 ? -0.0 : least, single);
    r->most[0] = tk_group_bits(most == 0 ? 0.0 : most, single);
}

/* Bytes of whole characters, at most MOST_TEXT. */
static uint32_t cut(struct tk_str s)
{
    uint32_t n = s.n < MOST_TEXT ? s.n : MOST_TEXT;
    while (n && n < s.n && ((uint8_t)s.p[n] & 0xc0) == 0x80)
        n--;
    return n;
}

/* A long text as a shorter one that is greater, and still UTF-8: the last letter of ASCII one further. false:
 * there is none. */
static bool put_above(struct tk_buffer *b, struct tk_str s, uint32_t *n)
{
    for (*n = cut(s); *n; --*n) {
        const uint8_t last = (uint8_t)s.p[*n - 1];
        if (last < 0x7e) {
            tk_buffer_put(b, s.p, *n - 1);
            tk_buffer_char(b, (char)(last + 1));
            return true;
        }
    }
    return false;
}

static void range_of_texts(struct tk_chunk_range *r, const struct tk_texts *t, struct tk_buffer *ranges)
{
    struct tk_str least = {0}, most = {0};
    const size_t at = ranges->n;
    for (size_t i = 0; i < t->places.n; i++) {
        const struct tk_str s = tk_texts_at(t, i);
        least = i == 0 || tk_str_order(&s, &least) < 0 ? s : least;
        most = i == 0 || tk_str_order(&s, &most) > 0 ? s : most;
    }
    r->text = at;
    r->n_least = cut(least);
    r->exact_least = r->n_least == least.n;
    r->exact_most = most.n <= MOST_TEXT;
    r->n_most = most.n;
    tk_buffer_put(ranges, least.p, r->n_least);
    r->known = t->places.n > 0;
    if (r->exact_most)
        tk_buffer_put(ranges, most.p, most.n);
    else if (!put_above(ranges, most, &r->n_most))
        r->known = false;
    if (!r->known)
        ranges->n = at;
}

/* Of n values of a column that are there, in their order. ranges: where texts are kept. */
static void tk_chunk_range_of(struct tk_chunk_range *r, const struct tk_group_column *c, const uint64_t *v,
                              size_t n, struct tk_buffer *ranges)
{
    *r = (struct tk_chunk_range){0};
    if (n == 0 || c->store == TK_STORE_BYTES)
        return;
    if (c->store == TK_STORE_TEXT)
        range_of_texts(r, &c->texts, ranges);
    else if (c->store == TK_STORE_FLOAT || c->store == TK_STORE_REAL)
        range_of_reals(r, v, n, c->store == TK_STORE_FLOAT);
    else
        range_of_numbers(r, v, n);
}

enum { ZSTD_LEVEL = 1, DATA_PAGE = 0, DICTIONARY_PAGE = 2, SAMPLE = 4096 };

struct tk_chunk_writer {
    ZSTD_CCtx *zstd; /* owned; NULL: not compressed */
    struct tk_numbers *numbers;
    struct tk_buffer body, packed, header;
    uint64_t *values, *places; /* owned: `cap` each */
    size_t cap;
};

void tk_chunk_writer_free(struct tk_chunk_writer *w)
{
    if (!w)
        return;
    ZSTD_freeCCtx(w->zstd);
    free(w->numbers);
    free(w->values);
    free(w->places);
    tk_buffer_release(&w->body);
    tk_buffer_release(&w->packed);
    tk_buffer_release(&w->header);
    free(w);
}

int tk_chunk_writer_new(struct tk_chunk_writer **out, bool zstd, struct tk_err *err)
{
    struct tk_chunk_writer *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w)
        return tk_err_nomem(err, "a column");
    w->numbers = calloc(1, sizeof *w->numbers);
    w->zstd = zstd ? ZSTD_createCCtx() : NULL;
    if (!w->numbers || (zstd && !w->zstd) || tk_buffer_init(&w->body, NULL, err) ||
        tk_buffer_init(&w->packed, NULL, err) || tk_buffer_init(&w->header, NULL, err)) {
        tk_chunk_writer_free(w);
        return tk_err_nomem(err, "a column");
    }
    *out = w;
    return TK_OK;
}

/* What writing one column needs. */
struct work {
    struct tk_chunk_writer *w;
    const struct tk_group *g;
    const struct tk_group_column *c;
    const uint32_t *rows;
    const uint64_t *v; /* those that are there, in order */
    size_t n;
    struct tk_buffer *out;
    struct tk_chunk *chunk;
};

/* ---- pages ---- */

static void put_header(struct work *k, int type, size_t packed, size_t n_values, int encoding)
{
    struct tk_thrift t = {.b = &k->w->header};
    const struct tk_buffer *body = k->w->zstd ? &k->w->packed : &k->w->body;
    const uLong crc = crc32(crc32(0, NULL, 0), (const Bytef *)body->p, (uInt)packed);
    k->w->header.n = 0;
    tk_thrift_i32(&t, 1, type);
    tk_thrift_i32(&t, 2, (int32_t)k->w->body.n);
    tk_thrift_i32(&t, 3, (int32_t)packed);
    tk_thrift_i32(&t, 4, (int32_t)(uint32_t)crc);
    tk_thrift_open(&t, type == DATA_PAGE ? 5 : 7);
    tk_thrift_i32(&t, 1, (int32_t)n_values);
    tk_thrift_i32(&t, 2, encoding);
    if (type == DATA_PAGE) {
        tk_thrift_i32(&t, 3, TK_PARQUET_RLE);
        tk_thrift_i32(&t, 4, TK_PARQUET_RLE);
    }
    tk_thrift_close(&t);
    tk_buffer_char(&k->w->header, 0);
}

/* The bytes of the body after compression, in w->packed; 0 with a failure. */
static size_t compress_page(struct tk_chunk_writer *w, struct tk_err *err)
{
    const size_t bound = ZSTD_compressBound(w->body.n);
    w->packed.n = 0;
    while (w->packed.status == TK_OK && w->packed.cap < bound)
        tk_buffer_make(&w->packed, bound);
    if (w->packed.status < 0)
        return 0;
    const size_t n = ZSTD_compressCCtx(w->zstd, w->packed.p, w->packed.cap, w->body.p, w->body.n, ZSTD_LEVEL);
    if (!ZSTD_isError(n))
        return n;
    tk_buffer_fail(&w->packed, tk_err_set(err, TK_ENOMEM, "zstd: %s", ZSTD_getErrorName(n)));
    return 0;
}

/* Writes the page that w->body holds. */
static int put_page(struct work *k, int type, size_t n_values, int encoding)
{
    struct tk_chunk_writer *w = k->w;
    if (w->body.status < 0)
        return w->body.status;
    if (w->body.n > INT32_MAX / 2)
        return tk_err_set(k->out->err, TK_ELIMIT, "a page of column '%s' is larger than 1 GiB",
                          k->g->table->columns[k->c - k->g->columns].name);
    const size_t packed = w->zstd ? compress_page(w, k->out->err) : w->body.n;
    if (w->packed.status < 0)
        return w->packed.status;
    put_header(k, type, packed, n_values, encoding);
    if (w->header.status < 0)
        return w->header.status;
    tk_buffer_put(k->out, w->header.p, w->header.n);
    tk_buffer_put(k->out, w->zstd ? w->packed.p : w->body.p, packed);
    k->chunk->raw += w->header.n + w->body.n;
    k->chunk->packed += w->header.n + packed;
    return TK_OK;
}

/* Which rows have a value: all in one run, or bits. */
static void put_levels(struct work *k)
{
    struct tk_buffer *b = &k->w->body;
    uint32_t n;
    b->n = 0;
    tk_buffer_put(b, "\0\0\0\0", 4);
    if (k->n == k->g->n) {
        tk_pb_number(b, (uint64_t)k->n << 1);
        tk_buffer_char(b, 1);
    } else {
        for (size_t i = 0; i < k->g->n; i++)
            k->w->places[i] = k->c->present[k->rows ? k->rows[i] : i];
        tk_run_packed(b, k->w->places, k->g->n, 1);
    }
    n = (uint32_t)(b->n - 4);
    for (unsigned i = 0; i < 4 && b->status == TK_OK; i++)
        b->p[i] = (char)(n >> 8 * i);
}

static int put_data(struct work *k, int encoding)
{
    k->chunk->encoding = (uint8_t)encoding;
    return put_page(k, DATA_PAGE, k->g->n, encoding);
}

/* ---- values ---- */

static void put_text(struct tk_buffer *b, struct tk_str s)
{
    const uint8_t n[4] = {(uint8_t)s.n, (uint8_t)(s.n >> 8), (uint8_t)(s.n >> 16), (uint8_t)(s.n >> 24)};
    tk_buffer_put(b, n, sizeof n);
    tk_buffer_put(b, s.p, s.n);
}

static int put_places(struct work *k, const uint64_t *places, size_t n_entries)
{
    const unsigned width = tk_width_of(n_entries - 1);
    k->chunk->data = k->out->flushed + k->out->n;
    tk_buffer_char(&k->w->body, (char)width);
    tk_run_packed(&k->w->body, places, k->n, width);
    return put_data(k, TK_PARQUET_DICTIONARY);
}

/* Would the texts of all rows take about as much as those of a dictionary with their numbers? */
static bool is_mostly_once(const struct work *k)
{
    const size_t entries = k->c->texts.places.n;
    return k->c->store == TK_STORE_BYTES || entries == 0 || entries > k->n - k->n / 4;
}

static int put_texts(struct work *k)
{
    const struct tk_texts *t = &k->c->texts;
    struct tk_buffer *body = &k->w->body;
    int rc = TK_OK;
    if (is_mostly_once(k)) {
        put_levels(k);
        for (size_t i = 0; i < k->n && body->n <= INT32_MAX / 2; i++)
            put_text(body, tk_texts_at(t, k->v[i]));
        return put_data(k, TK_PARQUET_PLAIN);
    }
    body->n = 0;
    for (size_t i = 0; i < t->places.n; i++)
        put_text(body, tk_texts_at(t, i));
    k->chunk->dictionary = k->chunk->data;
    rc = put_page(k, DICTIONARY_PAGE, t->places.n, TK_PARQUET_PLAIN);
    put_levels(k);
    return rc == TK_OK ? put_places(k, k->v, t->places.n) : rc;
}

static void put_plain(struct tk_buffer *b, enum tk_store store, const uint64_t *v, size_t n)
{
    if (store == TK_STORE_BOOL)
        tk_plain_bits(b, v, n);
    else if (store == TK_STORE_FLOAT)
        tk_plain_u32(b, v, n);
    else
        tk_plain_u64(b, v, n);
}

/* Do differences take less than three quarters of the bits of the numbers themselves? */
static bool grows(const uint64_t *v, size_t n)
{
    uint64_t own = 0, between = 0;
    for (size_t i = 1; i < n && i < SAMPLE; i++) {
        const uint64_t d = v[i] - v[i - 1];
        own += tk_width_of(v[i]);
        between += tk_width_of(d >> 63 ? 0 - d : d) + 1;
    }
    return between * 4 < own * 3;
}

static int put_numbers(struct work *k)
{
    const struct tk_numbers *d = k->w->numbers;
    struct tk_buffer *body = &k->w->body;
    const bool few =
        k->c->store != TK_STORE_BOOL && k->n > 8 && tk_numbers_find(k->w->numbers, k->v, k->n, k->w->places);
    if (few) {
        body->n = 0;
        put_plain(body, k->c->store, d->list, d->n);
        k->chunk->dictionary = k->chunk->data;
        int rc = put_page(k, DICTIONARY_PAGE, d->n, TK_PARQUET_PLAIN);
        if (rc < 0)
            return rc;
        if (k->n != k->g->n) { /* the levels take the place of the places */
            put_levels(k);
            tk_numbers_find(k->w->numbers, k->v, k->n, k->w->places);
        } else {
            put_levels(k);
        }
        return put_places(k, k->w->places, d->n);
    }
    put_levels(k);
    if (k->c->store == TK_STORE_INT &&
        (k->c->kind == TK_TIME || (k->c->kind != TK_DURATION && grows(k->v, k->n)))) {
        tk_delta_packed(body, k->v, k->n);
        return put_data(k, TK_PARQUET_DELTA);
    }
    put_plain(body, k->c->store, k->v, k->n);
    return put_data(k, TK_PARQUET_PLAIN);
}

/* ---- a column ---- */

static int reserve(struct tk_chunk_writer *w, size_t n, struct tk_err *err)
{
    if (n <= w->cap)
        return TK_OK;
    free(w->values);
    free(w->places);
    w->values = malloc(n * sizeof *w->values);
    w->places = malloc(n * sizeof *w->places);
    w->cap = w->values && w->places ? n : 0;
    return w->cap ? TK_OK : tk_err_nomem(err, "a column");
}

/* Values that are there, in the order of the rows. */
static void gather(struct work *k)
{
    const struct tk_group_column *c = k->c;
    uint64_t *to = k->w->values;
    k->v = to;
    k->n = k->g->n;
    if (c->n_nulls == 0 && !k->rows) {
        k->v = c->values;
    } else if (c->n_nulls == 0) {
        for (size_t i = 0; i < k->n; i++)
            to[i] = c->values[k->rows[i]];
    } else {
        k->n = 0;
        for (size_t i = 0; i < k->g->n; i++) {
            const size_t row = k->rows ? k->rows[i] : i;
            to[k->n] = c->values[row];
            k->n += c->present[row];
        }
    }
}

int tk_chunk_write(struct tk_chunk_writer *w, const struct tk_group *g, uint32_t column, const uint32_t *rows,
                   struct tk_buffer *out, struct tk_buffer *ranges, struct tk_chunk *chunk)
{
    struct work k = {.w = w, .g = g, .c = &g->columns[column], .rows = rows, .out = out, .chunk = chunk};
    *chunk = (struct tk_chunk){.data = out->flushed + out->n, .n_nulls = k.c->n_nulls};
    int rc = reserve(w, g->n + 1, out->err);
    if (rc < 0)
        return rc;
    gather(&k);
    tk_chunk_range_of(&chunk->range, k.c, k.v, k.n, ranges);
    return tk_group_is_text(k.c) ? put_texts(&k) : put_numbers(&k);
}
