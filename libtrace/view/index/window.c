/*
 * Windows of an index: which level a zoom is answered with, and the order of boxes; see index.h.
 *
 *   coarse: cells.c + scopes.c      fine: brief.c + scopes.c
 */
#include "base/err.h"
#include "view/index/index_internal.h"

#include <stdlib.h>
#include <string.h>

enum { PIXELS_MOST = 65536, ALL_ROWS = TK_INDEX_ROWS };

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
    while (level + 1 < TK_INDEX_LEVELS && tk_index_bin_width(index, level + 1) <= pixel)
        level++;
    return level;
}

/* A lane that is over before such a level has finer cells, and fewer of its scopes in them. */
static unsigned own_level(const struct tk_index_strip *lane, unsigned level)
{
    return !lane->n_levels || level < lane->n_levels ? level : lane->n_levels - 1;
}

static int append(struct tk_index_window *out, const struct tk_index_window *from, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < from->n && rc == TK_OK; i++)
        rc = tk_index_box_add(out, &from->boxes[i], err);
    return rc;
}

/* brief: what was found of the short scopes; NULL: cells of a level. */
static int answer_lane(struct tk_index *index, const struct tk_index_strip *lane,
                       const struct tk_index_question *q, unsigned level, const struct tk_index_window *brief,
                       struct tk_index_window *out, struct tk_err *err)
{
    const size_t first = out->n;
    int rc = brief ? append(out, brief, err) : tk_index_cells_read(index, lane, level, q, out, err);
    if (rc == TK_OK)
        rc = tk_index_long_scopes(index, lane, brief ? 0 : own_level(lane, level), q, out, err);
    return rc == TK_OK ? order_boxes(out->boxes + first, out->n - first, err) : rc;
}

static int answer_lanes(struct tk_index *index, const struct tk_index_question *q, unsigned level,
                        struct tk_index_window *out, struct tk_err *err)
{
    struct tk_index_window *briefs = out->exact && q->n_lanes ? calloc(q->n_lanes, sizeof *briefs) : NULL;
    int rc = TK_OK;
    if (out->exact && q->n_lanes)
        rc = briefs ? tk_index_brief_scopes(index, q, briefs, err) : tk_err_nomem(err, "a window");
    for (size_t i = 0; i < q->n_lanes && rc == TK_OK; i++) {
        rc = answer_lane(index, index->lanes.v[q->lanes[i]], q, level, briefs ? &briefs[i] : NULL, out, err);
        out->ends[i] = out->n;
        if (briefs)
            tk_index_window_release(&briefs[i]);
    }
    for (size_t i = 0; briefs && i < q->n_lanes; i++)
        tk_index_window_release(&briefs[i]);
    free(briefs);
    return rc;
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
    out->exact = pixel < tk_index_bin_width(index, 0) && !q->quick;
    out->width =
        out->exact ? (int64_t)(q->each || pixel < 2 ? 0 : pixel) : (int64_t)tk_index_bin_width(index, level);
    return answer_lanes(index, q, level, out, err);
}
