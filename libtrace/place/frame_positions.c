/*
 * Reads frames and positions of a capture together.
 */
#include "place/frame_positions.h"

#include "base/sort.h"
#include "place/place_in.h"
#include "table/cell.h"
#include "tracekit/queries.h"

#include <string.h>

struct ended {
    uint64_t number;
    int64_t end;
};

struct reading {
    struct tk_position_source source;
    struct tk_positions positions;
    TK_VEC(struct ended) frames;
};

static int take_frame(struct reading *r, const struct tk_table *table, const struct tk_cell *row,
                      struct tk_err *err)
{
    const struct tk_cell *type = tk_place_cell(table, row, "type_id"),
                         *dur = tk_place_cell(table, row, "dur"), *end = tk_place_cell(table, row, "end");
    if (type->v.u != 0 || dur->kind == TK_NONE || end->kind == TK_NONE)
        return TK_OK;
    const struct ended frame = {tk_place_cell(table, row, "frame")->v.u, end->v.i};
    return tk_vec_push(&r->frames, frame) ? tk_err_nomem(err, "frames") : TK_OK;
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct reading *r = self;
    const bool frames = strcmp(table->name, "frames") == 0;
    int rc = TK_OK;
    for (size_t i = 0; i < rows->n && rc == TK_OK; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        rc = frames ? take_frame(r, table, row, err)
                    : tk_positions_take(&r->positions, &r->source, table, row, err);
    }
    return rc;
}

static int read_all(struct reading *r, struct tk_trace *trace, struct tk_err *err)
{
    const char *const tables[] = {"frames", tk_position_table(&r->source)};
    const struct tk_sink sink = {.self = r, .rows = take_rows};
    struct tk_query query = TK_INIT(struct tk_query);
    query.tables = tables;
    query.n_tables = tk_has_table(trace, tables[1]) ? 2 : 1;
    const int rc = tk_query_run(trace, &query, &sink, err);
    return rc < 0 ? rc : tk_positions_settle(&r->positions, &r->source, err);
}

static int by_end(const void *a, const void *b)
{
    const int64_t x = ((const struct ended *)a)->end, y = ((const struct ended *)b)->end;
    return (x > y) - (x < y);
}

static int give_all(struct reading *r, tk_frame_position_take *take, void *ctx, struct tk_err *err)
{
    size_t from = 0;
    int rc =
        tk_sort(r->frames.v, r->frames.n, sizeof *r->frames.v, by_end) ? tk_err_nomem(err, "frames") : TK_OK;
    for (size_t i = 0; i < r->frames.n && rc == TK_OK; i++) {
        const struct tk_position *p = tk_positions_before(&r->positions, r->frames.v[i].end, &from);
        rc = take(ctx, r->frames.v[i].number, p ? p->at : NULL, err);
    }
    return rc;
}

int tk_frame_positions(struct tk_trace *trace, const char *position, tk_frame_position_take *take, void *ctx,
                       struct tk_err *err)
{
    struct reading r = {.frames = {0}};
    int rc = tk_position_parse(&r.source, position, err);
    if (rc == TK_OK)
        rc = read_all(&r, trace, err);
    if (rc == TK_OK)
        rc = give_all(&r, take, ctx, err);
    tk_positions_release(&r.positions);
    tk_vec_release(&r.frames);
    return rc;
}
