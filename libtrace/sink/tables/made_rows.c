/*
 * Rows that are made apart: a copy of the writer that puts them to buffers of its own. See made_rows.h.
 */
#include "sink/tables/made_rows.h"

#include "base/err.h"

int tk_made_rows_init(struct tk_made_rows *m, struct tk_err *err)
{
    struct tk_writer *as = &m->as;
    *m = (struct tk_made_rows){0};
    int rc = tk_buffer_init(&as->out, NULL, err);
    if (rc == TK_OK)
        rc = tk_buffer_init_scratch(&as->scratch, &as->out);
    if (rc == TK_OK)
        rc = tk_buffer_init_scratch(&as->clean, &as->out);
    as->out.err = &m->err;
    return rc == TK_OK ? TK_OK : tk_err_nomem(err, "rows on their way");
}

void tk_made_rows_release(struct tk_made_rows *m)
{
    tk_buffer_release(&m->as.out);
    tk_buffer_release(&m->as.scratch);
    tk_buffer_release(&m->as.clean);
}

void tk_made_rows_make(struct tk_made_rows *m, const struct tk_writer *w, const struct tk_table *table,
                       const struct tk_rows *rows)
{
    struct tk_writer *as = &m->as;
    as->format = w->format;
    as->opt = w->opt;
    as->tables = w->tables;
    as->state = w->state; /* is only read */
    as->out.n = 0;
    w->format->rows(as, table, rows);
}

int tk_made_rows_put(const struct tk_made_rows *m, struct tk_writer *w, struct tk_err *err)
{
    w->out.err = err;
    if (m->as.out.status < 0) {
        tk_buffer_fail(&w->out, m->as.out.status);
        if (err)
            *err = m->err;
        return w->out.status;
    }
    tk_buffer_put(&w->out, m->as.out.p, m->as.out.n);
    return w->out.status;
}
