/*
 * Windows of an index: cells merged to pixels, and long scopes; see index.h. What is shorter than a bin of
 * level 0 is in brief.c.
 */
#include "base/err.h"
#include "base/saturate.h"
#include "index/index_internal.h"

#include <stdlib.h>
#include <string.h>

enum { BOXES_MOST = 4 << 20, PIXELS_MOST = 65536, ALL_ROWS = TK_INDEX_ROWS };

int tk_index_box_add(struct tk_index_window *out, const struct tk_index_box *box, struct tk_err *err)
{
    if (out->n == BOXES_MOST)
        return tk_err_set(err, TK_ELIMIT,
                          "the window has more than %d boxes; ask for fewer lanes, rows or less time",
                          BOXES_MOST);
    if (out->n == out->cap && tk_vec_grow((void **)&out->boxes, &out->cap, out->n + 1, sizeof *out->boxes))
        return tk_err_nomem(err, "the boxes of a window");
    out->boxes[out->n++] = *box;
    return TK_OK;
}

static int damaged_index(struct tk_err *err)
{
    return tk_err_set(err, TK_EOUTPUT, "the temporary file of an index is not what was written");
}

/* ---- cells ---- */

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
    return q->rows && q->rows < ALL_ROWS ? q->rows : ALL_ROWS;
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
    return (int64_t)((uint64_t)bin << shift);
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
            rc = damaged_index(err);
        for (size_t k = 0; rc == TK_OK && k < chunk->n && v[k].bin <= last; k++)
            if (v[k].bin >= first && v[k].row < rows_of(c->question))
                rc = add_cell(c, &v[k], err);
    }
    free(v);
    return rc;
}

static int lane_cells(struct tk_index *index, const struct tk_index_strip *lane, unsigned level,
                      const struct tk_index_question *q, struct tk_index_window *out, struct tk_err *err)
{
    struct cells c = {.index = index, .lane = lane, .question = q, .out = out};
    if (!lane->n_levels)
        return TK_OK;
    level = level < lane->n_levels ? level : lane->n_levels - 1;
    c.shift = index->shift + 2 * level < 62 ? index->shift + 2 * level : 62;
    c.pixel = ((uint64_t)q->to - (uint64_t)q->from) / q->pixels;
    c.pixel = c.pixel ? c.pixel : 1;
    c.rows = calloc(ALL_ROWS, sizeof *c.rows);
    if (!c.rows)
        return tk_err_nomem(err, "a window");
    int rc = add_cells(&c, &lane->levels[level]->cell_chunks, err);
    for (uint32_t row = 0; row < lane->info.rows && rc == TK_OK; row++)
        rc = end_pixel(&c, row, err);
    free(c.rows);
    return rc;
}

/* ---- scopes ---- */

static int add_scope(const struct tk_index *index, const struct tk_index_strip *lane,
                     const struct tk_index_scope *s, struct tk_index_window *out, struct tk_err *err)
{
    const struct tk_index_box box = {.begin = s->begin,
                                     .end = s->end,
                                     .timer = tk_index_timer_of(index, lane->reading, s->timer),
                                     .count = 1,
                                     .depth = s->row,
                                     .cover = 255,
                                     .flags = s->flags};
    return tk_index_box_add(out, &box, err);
}

/* Scopes of a list, of which none is as long as `longest`, that touch the window. */
static int add_scopes(struct tk_index *index, const struct tk_index_strip *lane,
                      const struct tk_index_chunks *list, uint64_t longest, const struct tk_index_question *q,
                      struct tk_index_window *out, struct tk_err *err)
{
    struct tk_index_scope *v = list->v.n ? calloc(TK_INDEX_SCOPES, sizeof *v) : NULL;
    const int64_t end = longest < (uint64_t)INT64_MAX - (uint64_t)(q->to > 0 ? q->to : 0)
                            ? (int64_t)((uint64_t)q->to + longest)
                            : INT64_MAX;
    int rc = v || !list->v.n ? TK_OK : tk_err_nomem(err, "a window");
    for (size_t i = tk_index_chunks_from(list, q->from);
         rc == TK_OK && i < list->v.n && list->v.v[i].first <= end; i++) {
        const struct tk_index_chunk *chunk = &list->v.v[i];
        const uint8_t *p;
        rc = tk_index_store_read(index->store, chunk, &p, err);
        if (rc == TK_OK && !tk_index_scopes_get(v, chunk, p))
            rc = damaged_index(err);
        for (size_t k = 0; rc == TK_OK && k < chunk->n; k++)
            if (v[k].row < rows_of(q) && tk_index_touches(q->from, q->to, v[k].begin, v[k].end))
                rc = add_scope(index, lane, &v[k], out, err);
    }
    free(v);
    return rc;
}

static uint64_t bin_width(const struct tk_index *index, unsigned level)
{
    const unsigned shift = index->shift + 2 * level;
    return shift < 63 ? UINT64_C(1) << shift : INT64_MAX;
}

int tk_index_long_scopes(struct tk_index *index, const struct tk_index_strip *lane, unsigned level,
                         const struct tk_index_question *q, struct tk_index_window *out, struct tk_err *err)
{
    int rc = TK_OK;
    for (unsigned k = level; k < lane->n_levels && rc == TK_OK; k++)
        rc = add_scopes(index, lane, &lane->levels[k]->scope_chunks,
                        k + 2 < TK_INDEX_LEVELS ? bin_width(index, k + 1) : INT64_MAX, q, out, err);
    for (size_t i = 0; i < lane->unended.n && rc == TK_OK; i++) {
        const struct tk_index_scope *s = &lane->unended.v[i];
        if (s->row < rows_of(q) && tk_index_touches(q->from, q->to, s->begin, s->end))
            rc = add_scope(index, lane, s, out, err);
    }
    return rc;
}

int tk_index_brief_scopes(struct tk_index *index, const struct tk_index_strip *lane,
                          const struct tk_index_question *q, struct tk_index_window *out, struct tk_err *err)
{
    return add_scopes(index, lane, &lane->brief_chunks, bin_width(index, 0), q, out, err);
}

/* ---- the order of boxes ---- */

static int by_begin(const void *a, const void *b)
{
    const struct tk_index_box *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static bool in_order(const struct tk_index_box *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (by_begin(&v[i - 1], &v[i]) > 0)
            return false;
    return true;
}

/* By row, and in a row by begin: what is in order of begin already, as cells are, costs no sorting. */
static int order_boxes(struct tk_index_box *v, size_t n, struct tk_err *err)
{
    size_t *at = calloc(ALL_ROWS + 1, sizeof *at);
    struct tk_index_box *sorted = n ? malloc(n * sizeof *sorted) : NULL;
    if (!at || (n && !sorted)) {
        free(at);
        free(sorted);
        return tk_err_nomem(err, "a window");
    }
    for (size_t i = 0; i < n; i++)
        at[v[i].depth + 1]++;
    for (size_t row = 0; row < ALL_ROWS; row++)
        at[row + 1] += at[row];
    for (size_t i = 0; i < n; i++)
        sorted[at[v[i].depth]++] = v[i];
    for (size_t row = 0, first = 0; row < ALL_ROWS; first = at[row++])
        if (!in_order(sorted + first, at[row] - first))
            qsort(sorted + first, at[row] - first, sizeof *sorted, by_begin);
    if (n)
        memcpy(v, sorted, n * sizeof *v);
    free(at);
    free(sorted);
    return TK_OK;
}

/* ---- the window ---- */

static int check_question(const struct tk_index *index, const struct tk_index_question *q, struct tk_err *err)
{
    if (q->from >= q->to)
        return tk_err_set(err, TK_EUSAGE, "a window that ends before it begins");
    if (!q->pixels || q->pixels > PIXELS_MOST)
        return tk_err_set(err, TK_EUSAGE, "a window of %u pixels; it can have 1 to %d", q->pixels,
                          PIXELS_MOST);
    for (size_t i = 0; i < q->n_lanes; i++)
        if (q->lanes[i] >= index->lanes.n)
            return tk_err_set(err, TK_EUSAGE, "there is no lane %u", q->lanes[i]);
    return TK_OK;
}

/* The coarsest level whose bins are no wider than a pixel. */
static unsigned level_for(const struct tk_index *index, uint64_t pixel)
{
    unsigned level = 0;
    while (level + 1 < TK_INDEX_LEVELS && bin_width(index, level + 1) <= pixel)
        level++;
    return level;
}

static int answer_lane(struct tk_index *index, const struct tk_index_strip *lane,
                       const struct tk_index_question *q, unsigned level, struct tk_index_window *out,
                       struct tk_err *err)
{
    const size_t first = out->n;
    int rc = out->exact ? tk_index_brief_scopes(index, lane, q, out, err)
                        : lane_cells(index, lane, level, q, out, err);
    /* A lane that is over before such a level has finer cells, and fewer of its scopes in them. */
    const unsigned own = out->exact || !lane->n_levels || level < lane->n_levels ? level : lane->n_levels - 1;
    if (rc == TK_OK)
        rc = tk_index_long_scopes(index, lane, own, q, out, err);
    return rc == TK_OK ? order_boxes(out->boxes + first, out->n - first, err) : rc;
}

int tk_index_window(struct tk_index *index, const struct tk_index_question *q, struct tk_index_window *out,
                    struct tk_err *err)
{
    int rc = check_question(index, q, err);
    out->n = 0;
    if (rc < 0)
        return rc;
    if (q->n_lanes > out->cap_ends &&
        tk_vec_grow((void **)&out->ends, &out->cap_ends, q->n_lanes, sizeof *out->ends))
        return tk_err_nomem(err, "a window");
    const uint64_t pixel = ((uint64_t)q->to - (uint64_t)q->from) / q->pixels;
    const unsigned level = level_for(index, pixel);
    out->exact = pixel < bin_width(index, 0) && !q->quick;
    out->width = out->exact ? 0 : (int64_t)bin_width(index, level);
    for (size_t i = 0; i < q->n_lanes && rc == TK_OK; i++) {
        rc = answer_lane(index, index->lanes.v[q->lanes[i]], q, level, out, err);
        out->ends[i] = out->n;
    }
    return rc;
}

void tk_index_window_release(struct tk_index_window *out)
{
    free(out->boxes);
    free(out->ends);
    *out = (struct tk_index_window){0};
}
