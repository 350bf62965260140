/*
 * Pictures of a capture: the bytes of a screenshot or of an image of a frame, as the capture has them.
 */
#include "base/err.h"
#include "table/cell.h"
#include "tracekit/queries.h"
#include "tracekit/sinks.h"
#include "view/view_in.h"

/* The row that is wanted, and how many came before. */
struct picture {
    int64_t row, seen;
    struct tk_buffer *out;
    bool found;
};

static int take_picture(void *self, const struct tk_table *table, const struct tk_rows *rows,
                        struct tk_err *err)
{
    struct picture *p = self;
    (void)err;
    for (size_t i = 0; i < rows->n && !p->found; i++) {
        const struct tk_cell *data = &rows->cells[i * table->n_columns];
        if (p->seen++ != p->row)
            continue;
        p->found = true;
        if (data->kind == TK_BYTES)
            tk_buffer_put(p->out, data->v.p, data->n);
    }
    return p->found ? TK_ECANCELED : TK_OK;
}

static const char *table_of(struct tk_trace *trace)
{
    return tk_has_table(trace, "screenshots")    ? "screenshots"
           : tk_has_table(trace, "frame_images") ? "frame_images"
                                                 : NULL;
}

int tk_view_answer_picture(const struct tk_view_ask *ask)
{
    static const char *const columns[] = {"data"};
    struct picture picture = {.out = &ask->m->out};
    struct tk_query query = TK_INIT(struct tk_query);
    const char *table = table_of(ask->capture->tables);
    if (tk_view_number(ask, "i", 0, INT32_MAX, &picture.row))
        return TK_EUSAGE;
    if (!table)
        return tk_err_set(ask->err, TK_EMATCH, "captures of this kind have no pictures");
    query.tables = &table;
    query.n_tables = 1;
    query.columns = columns;
    query.n_columns = 1;
    query.in_passing = true;
    const int rc = tk_query_run(ask->capture->tables, &query,
                                &(struct tk_sink){.self = &picture, .rows = take_picture}, ask->err);
    if (rc < 0 && !picture.found)
        return rc;
    return picture.found ? TK_OK : tk_err_set(ask->err, TK_EMATCH, "there is no such picture");
}
