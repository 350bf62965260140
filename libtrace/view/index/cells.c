/*
 * Cells of a window: those of a level, merged to pixels. See index.h.
 */
#include "base/err.h"
#include "view/index/index_internal.h"

#include <stdlib.h>

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
