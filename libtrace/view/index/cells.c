/*
 * Cells of a window: those of a level, merged to pixels.
 */
#include "base/bits.h"
#include "base/err.h"
#include "view/index/index.h"
#include "view/index/index_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Cells and scopes as bytes.
 *
 * Cells: planes of bins (how far from the one before), timers, rows, covers, counts; numbers of several bytes
 * have a plane for each byte, which pack well. Scopes: for each the distance of its end from the one before,
 * its length, timer, row and flags, as numbers of 7 bits a byte.
 */

uint8_t tk_index_count_code(uint64_t count)
{
    if (count < 128)
        return (uint8_t)count;
    const unsigned octave = 63 - tk_zeros_above(count);
    const unsigned code = 128 + (octave - 7) * 4 + (unsigned)(count >> (octave - 2) & 3);
    return code < 228 ? (uint8_t)code : 227; /* 2^32 - 2^29 and more */
}

uint32_t tk_index_count_of(uint8_t code)
{
    if (code < 128)
        return code;
    const unsigned octave = (code - 128u) / 4 + 7;
    return octave < 32 ? (4 | (code & 3u)) << (octave - 2) : UINT32_MAX;
}

/* ---- cells ---- */

enum { STEP = 0, TIMER = 4, ROW = 8, COVER = 10, COUNT = 11, PLANES = 12 };

static void put_planes(uint8_t *p, size_t n, size_t i, uint64_t value, unsigned bytes)
{
    for (unsigned b = 0; b < bytes; b++)
        p[b * n + i] = (uint8_t)(value >> 8 * b);
}

static uint32_t get_planes(const uint8_t *p, size_t n, size_t i, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned b = 0; b < bytes; b++)
        value |= (uint32_t)p[b * n + i] << 8 * b;
    return value;
}

/* A step that 4 bytes do not hold ends the chunk (lane.c), so there is none. */
size_t tk_index_cells_put(uint8_t *p, const struct tk_index_cell *v, size_t n)
{
    int64_t before = n ? v[0].bin : 0;
    for (size_t i = 0; i < n; i++) {
        put_planes(p + STEP * n, n, i, (uint64_t)(v[i].bin - before), 4);
        put_planes(p + TIMER * n, n, i, v[i].timer, 4);
        put_planes(p + ROW * n, n, i, v[i].row, 2);
        p[COVER * n + i] = v[i].cover;
        p[COUNT * n + i] = v[i].count;
        before = v[i].bin;
    }
    return PLANES * n;
}

bool tk_index_cells_get(struct tk_index_cell *v, const struct tk_index_chunk *chunk, const uint8_t *p)
{
    const size_t n = chunk->n;
    if (n > TK_INDEX_CELLS || chunk->size != PLANES * n)
        return false;
    uint64_t bin = (uint64_t)chunk->first;
    for (size_t i = 0; i < n; i++) {
        bin += get_planes(p + STEP * n, n, i, 4);
        v[i] = (struct tk_index_cell){.bin = (int64_t)bin,
                                      .timer = get_planes(p + TIMER * n, n, i, 4),
                                      .row = (uint16_t)get_planes(p + ROW * n, n, i, 2),
                                      .cover = p[COVER * n + i],
                                      .count = p[COUNT * n + i]};
    }
    return true;
}

/* ---- scopes ---- */

static uint8_t *put_number(uint8_t *p, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        *p++ = (uint8_t)(value | 128);
    *p++ = (uint8_t)value;
    return p;
}

static bool get_number(const uint8_t **p, const uint8_t *end, uint64_t *value)
{
    uint64_t v = 0;
    for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
        const uint8_t byte = *(*p)++;
        v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *value = v;
            return true;
        }
    }
    return false;
}

/* At most 10 + 10 + 5 + 3 bytes each. */
size_t tk_index_scopes_put(uint8_t *p, const struct tk_index_scope *v, size_t n)
{
    uint8_t *at = p;
    uint64_t before = n ? (uint64_t)v[0].end : 0;
    for (size_t i = 0; i < n; i++) {
        at = put_number(at, (uint64_t)v[i].end - before);
        at = put_number(at, (uint64_t)v[i].end - (uint64_t)v[i].begin);
        at = put_number(at, v[i].timer);
        at = put_number(at, (uint64_t)v[i].row << 1 | (v[i].flags & TK_INDEX_UNENDED));
        before = (uint64_t)v[i].end;
    }
    return (size_t)(at - p);
}

bool tk_index_scopes_get(struct tk_index_scope *v, const struct tk_index_chunk *chunk, const uint8_t *p)
{
    const uint8_t *end = p + chunk->size;
    uint64_t at = (uint64_t)chunk->first, step, length, timer, row;
    if (chunk->n > TK_INDEX_SCOPES)
        return false;
    for (size_t i = 0; i < chunk->n; i++) {
        if (!get_number(&p, end, &step) || !get_number(&p, end, &length) || !get_number(&p, end, &timer) ||
            !get_number(&p, end, &row) || timer > UINT32_MAX || row >> 1 >= TK_INDEX_ROWS)
            return false;
        at += step;
        v[i] = (struct tk_index_scope){.begin = (int64_t)(at - length),
                                       .end = (int64_t)at,
                                       .timer = (uint32_t)timer,
                                       .row = (uint16_t)(row >> 1),
                                       .flags = (uint8_t)(row & TK_INDEX_UNENDED)};
    }
    return p == end;
}

/*
 * Scopes of a window that the index has one by one.
 */

static int64_t end_of_ends(const struct tk_index_question *q, uint64_t longest)
{
    const uint64_t left = (uint64_t)INT64_MAX - (uint64_t)q->to;
    return longest < left ? (int64_t)((uint64_t)q->to + longest) : INT64_MAX;
}

int tk_index_scopes_read(struct tk_index *index, const struct tk_index_chunks *list, uint64_t longest,
                         struct tk_index_fold *f, struct tk_err *err)
{
    struct tk_index_scope *v = list->v.n ? calloc(TK_INDEX_SCOPES, sizeof *v) : NULL;
    const int64_t end = end_of_ends(f->question, longest);
    int rc = v || !list->v.n ? TK_OK : tk_err_nomem(err, "a window");
    for (size_t i = tk_index_chunks_from(list, f->question->from);
         rc == TK_OK && i < list->v.n && list->v.v[i].first <= end; i++) {
        const struct tk_index_chunk *chunk = &list->v.v[i];
        const uint8_t *p;
        rc = tk_index_store_read(index->store, chunk, &p, err);
        if (rc == TK_OK && !tk_index_scopes_get(v, chunk, p))
            rc = tk_index_damaged(err);
        for (size_t k = 0; rc == TK_OK && k < chunk->n; k++)
            rc = tk_index_fold_add(f, &v[k], err);
    }
    free(v);
    return rc;
}

int tk_index_long_scopes(struct tk_index *index, const struct tk_index_strip *lane, unsigned level,
                         const struct tk_index_question *q, struct tk_index_window *out, struct tk_err *err)
{
    struct tk_index_fold f;
    int rc = TK_OK;
    tk_index_fold_begin(&f, index, lane->reading, q, out);
    f.pixel = 0; /* they are wider */
    for (unsigned k = level; k < lane->n_levels && rc == TK_OK; k++)
        rc = tk_index_scopes_read(index, &lane->levels[k]->scope_chunks,
                                  k + 2 < TK_INDEX_LEVELS ? tk_index_bin_width(index, k + 1) : INT64_MAX, &f,
                                  err);
    for (size_t i = 0; i < lane->unended.n && rc == TK_OK; i++)
        rc = tk_index_fold_add(&f, &lane->unended.v[i], err);
    tk_index_fold_release(&f);
    return rc;
}

/* What one row has of the pixel at hand. */
struct pixel {
    int64_t number;
    int64_t begin, end;
    uint64_t count, covered; /* in 254ths of bins */
    uint32_t timer;
    uint8_t cover; /* of the bin whose timer it is */
    bool open;
};

struct cells {
    struct tk_index *index;
    const struct tk_index_strip *lane;
    const struct tk_index_question *question;
    struct tk_index_window *out;
    unsigned shift;
    uint64_t pixel; /* cycles */
    struct pixel *rows;
};

static uint32_t rows_of(const struct tk_index_question *q)
{
    return q->rows && q->rows < TK_INDEX_ROWS ? q->rows : TK_INDEX_ROWS;
}

static int end_pixel(struct cells *c, uint32_t row, struct tk_err *err)
{
    struct pixel *p = &c->rows[row];
    if (!p->open)
        return TK_OK;
    const uint64_t bins = ((uint64_t)p->end - (uint64_t)p->begin) >> c->shift;
    const uint64_t cover = bins ? (p->covered + bins / 2) / bins : p->covered;
    const struct tk_index_box box = {.begin = p->begin,
                                     .end = p->end,
                                     .timer = p->timer,
                                     .count = p->count < UINT32_MAX ? (uint32_t)p->count : UINT32_MAX,
                                     .depth = (uint16_t)row,
                                     .cover = (uint8_t)(cover ? cover : 1)};
    p->open = false;
    return tk_index_box_add(c->out, &box, err);
}

/* A bin that does not fit 63 bits ends where time does. */
static int64_t bin_begin(int64_t bin, unsigned shift)
{
    if (bin > (INT64_MAX >> shift))
        return INT64_MAX;
    return (int64_t)((uint64_t)bin * (UINT64_C(1) << shift));
}

static int add_cell(struct cells *c, const struct tk_index_cell *cell, struct tk_err *err)
{
    const int64_t begin = bin_begin(cell->bin, c->shift), end = bin_begin(cell->bin + 1, c->shift);
    struct pixel *p = &c->rows[cell->row];
    const uint64_t from = begin > c->question->from ? (uint64_t)begin - (uint64_t)c->question->from : 0;
    const int64_t number = (int64_t)(from / c->pixel);
    int rc = TK_OK;
    if (p->open && (p->number != number || begin < p->end))
        rc = end_pixel(c, cell->row, err);
    if (rc < 0)
        return rc;
    if (!p->open)
        *p = (struct pixel){.number = number, .begin = begin, .open = true};
    p->end = end;
    p->count += tk_index_count_of(cell->count);
    p->covered += cell->cover;
    if (cell->cover > p->cover) {
        p->cover = cell->cover;
        p->timer = tk_index_timer_of(c->index, c->lane->reading, cell->timer);
    }
    return TK_OK;
}

static int add_cells(struct cells *c, const struct tk_index_chunks *list, struct tk_err *err)
{
    static const struct tk_index_cell none;
    struct tk_index_cell *v = calloc(TK_INDEX_CELLS, sizeof none);
    const int64_t first = tk_index_bin_of(c->question->from, c->shift),
                  last = tk_index_bin_of(c->question->to - 1, c->shift);
    int rc = v ? TK_OK : tk_err_nomem(err, "a window");
    for (size_t i = tk_index_chunks_from(list, first);
         rc == TK_OK && i < list->v.n && list->v.v[i].first <= last; i++) {
        const struct tk_index_chunk *chunk = &list->v.v[i];
        const uint8_t *p;
        rc = tk_index_store_read(c->index->store, chunk, &p, err);
        if (rc == TK_OK && !tk_index_cells_get(v, chunk, p))
            rc = tk_index_damaged(err);
        for (size_t k = 0; rc == TK_OK && k < chunk->n && v[k].bin <= last; k++)
            if (v[k].bin >= first && v[k].row < rows_of(c->question))
                rc = add_cell(c, &v[k], err);
    }
    free(v);
    return rc;
}

int tk_index_cells_read(struct tk_index *index, const struct tk_index_strip *lane, unsigned level,
                        const struct tk_index_question *q, struct tk_index_window *out, struct tk_err *err)
{
    struct cells c = {.index = index, .lane = lane, .question = q, .out = out};
    if (!lane->n_levels)
        return TK_OK;
    level = level < lane->n_levels ? level : lane->n_levels - 1;
    c.shift = index->shift + 2 * level < 62 ? index->shift + 2 * level : 62;
    c.pixel = ((uint64_t)q->to - (uint64_t)q->from) / q->pixels;
    c.pixel = c.pixel ? c.pixel : 1;
    c.rows = calloc(TK_INDEX_ROWS, sizeof *c.rows);
    if (!c.rows)
        return tk_err_nomem(err, "a window");
    int rc = add_cells(&c, &lane->levels[level]->cell_chunks, err);
    for (uint32_t row = 0; row < lane->info.rows && rc == TK_OK; row++)
        rc = end_pixel(&c, row, err);
    free(c.rows);
    return rc;
}
