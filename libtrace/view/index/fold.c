/*
 * Puts narrow scopes together.
 */
#include "base/err.h"
#include "view/index/index_in.h"

#include <stdlib.h>

void tk_index_fold_begin(struct tk_index_fold *f, const struct tk_index *index, unsigned reading,
                         const struct tk_index_question *q, struct tk_index_window *out)
{
    const uint64_t pixel = ((uint64_t)q->to - (uint64_t)q->from) / q->pixels;
    *f = (struct tk_index_fold){.index = index, .question = q, .reading = reading, .out = out};
    f->most = q->rows && q->rows < TK_INDEX_ROWS ? q->rows : TK_INDEX_ROWS;
    f->pixel = q->each || pixel < 2 ? 0 : pixel;
}

static int reach_rows(struct tk_index_fold *f, size_t n)
{
    if (n <= f->n_rows)
        return 0;
    n = n < 16 ? 16 : n * 2;
    struct tk_index_fold_row *rows = realloc(f->rows, n * sizeof *rows);
    if (!rows)
        return -1;
    for (size_t i = f->n_rows; i < n; i++)
        rows[i] = (struct tk_index_fold_row){.pixel = INT64_MIN};
    f->rows = rows;
    f->n_rows = n;
    return 0;
}

static int close_pixel(struct tk_index_fold *f, size_t row, int64_t pixel, struct tk_err *err)
{
    struct tk_index_open_cell *cell = &f->rows[row].at[pixel & 1];
    if (!cell->longest)
        return TK_OK;
    const int64_t begin = (int64_t)((uint64_t)f->question->from + (uint64_t)pixel * f->pixel);
    const double part = (double)cell->covered / (double)f->pixel * 254 + 0.5;
    const struct tk_index_box box = {.begin = begin,
                                     .end = (int64_t)((uint64_t)begin + f->pixel),
                                     .timer = tk_index_timer_of(f->index, f->reading, cell->timer),
                                     .count = cell->count,
                                     .depth = (uint16_t)row,
                                     .cover = (uint8_t)(part >= 254 ? 254
                                                        : part < 1  ? 1
                                                                    : part)};
    *cell = (struct tk_index_open_cell){0};
    return tk_index_box_add(f->out, &box, err);
}

static void lay_on(struct tk_index_open_cell *cell, const struct tk_index_scope *s, uint64_t covered,
                   uint32_t count)
{
    const uint64_t length = (uint64_t)s->end - (uint64_t)s->begin + 1;
    cell->covered += covered;
    cell->count += count;
    if (length > cell->longest) {
        cell->longest = length;
        cell->timer = s->timer;
    }
}

/* The pixel of a time, also in front of the window: a scope that reaches into it begins one before at most.
 */
static int64_t pixel_of(const struct tk_index_fold *f, int64_t time)
{
    const uint64_t from = (uint64_t)f->question->from;
    if (time >= f->question->from)
        return (int64_t)(((uint64_t)time - from) / f->pixel);
    return -1 - (int64_t)((from - (uint64_t)time - 1) / f->pixel);
}

static int fold_in(struct tk_index_fold *f, const struct tk_index_scope *s, struct tk_err *err)
{
    if (reach_rows(f, (size_t)s->row + 1))
        return tk_err_nomem(err, "a window");
    struct tk_index_fold_row *row = &f->rows[s->row];
    const int64_t last = pixel_of(f, s->end), first = pixel_of(f, s->begin);
    int rc = TK_OK;
    if (last > row->pixel) {
        if (row->pixel != INT64_MIN) {
            rc = close_pixel(f, s->row, row->pixel - 1, err);
            if (rc == TK_OK && row->pixel < last - 1)
                rc = close_pixel(f, s->row, row->pixel, err);
        }
        row->pixel = last;
    }
    const uint64_t begin = (uint64_t)f->question->from + (uint64_t)last * f->pixel;
    const uint64_t inside = first == last ? (uint64_t)s->end - (uint64_t)s->begin : (uint64_t)s->end - begin;
    lay_on(&row->at[last & 1], s, inside, 1);
    if (first != last)
        lay_on(&row->at[(last - 1) & 1], s, begin - (uint64_t)s->begin, 0);
    return rc;
}

int tk_index_fold_add(struct tk_index_fold *f, const struct tk_index_scope *s, struct tk_err *err)
{
    if (s->row >= f->most || !tk_index_touches(f->question->from, f->question->to, s->begin, s->end))
        return TK_OK;
    if ((uint64_t)s->end - (uint64_t)s->begin < f->pixel)
        return fold_in(f, s, err);
    const struct tk_index_box box = {.begin = s->begin,
                                     .end = s->end,
                                     .timer = tk_index_timer_of(f->index, f->reading, s->timer),
                                     .count = 1,
                                     .depth = s->row,
                                     .cover = 255,
                                     .flags = s->flags};
    return tk_index_box_add(f->out, &box, err);
}

int tk_index_fold_end(struct tk_index_fold *f, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t row = 0; row < f->n_rows && rc == TK_OK; row++) {
        const int64_t pixel = f->rows[row].pixel;
        if (pixel == INT64_MIN)
            continue;
        rc = close_pixel(f, row, pixel - 1, err);
        if (rc == TK_OK)
            rc = close_pixel(f, row, pixel, err);
    }
    return rc;
}

void tk_index_fold_release(struct tk_index_fold *f)
{
    free(f->rows);
    f->rows = NULL;
}
