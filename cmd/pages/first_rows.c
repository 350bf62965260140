/*
 * The first rows of a table. See first_rows.h.
 */
#include "pages/first_rows.h"

static int begin(void *self, const struct tk_table *table, struct tk_err *err)
{
    const struct tk_first_rows *f = self;
    return f->to->begin ? f->to->begin(f->to->self, table, err) : TK_OK;
}

static int end_table(void *self, const struct tk_table *table, struct tk_err *err)
{
    const struct tk_first_rows *f = self;
    return f->to->end ? f->to->end(f->to->self, table, err) : TK_OK;
}

/* The table is ended here: who sends it may have freed it when the query returns. */
static int rows(void *self, const struct tk_table *table, const struct tk_rows *came, struct tk_err *err)
{
    struct tk_first_rows *f = self;
    struct tk_rows some = *came;
    if (some.n > f->left)
        some.n = (size_t)f->left;
    int rc = some.n && f->to->rows ? f->to->rows(f->to->self, table, &some, err) : TK_OK;
    f->left -= some.n;
    if (rc < 0 || f->left)
        return rc;
    f->stopped = true;
    rc = end_table(f, table, err);
    return rc < 0 ? rc : TK_ECANCELED;
}

struct tk_sink tk_first_rows_sink(struct tk_first_rows *first, uint64_t most, const struct tk_sink *to)
{
    *first = (struct tk_first_rows){.to = to, .left = most};
    return (struct tk_sink){.self = first, .begin = begin, .rows = rows, .end = end_table};
}

int tk_first_rows_end(const struct tk_first_rows *first, int rc)
{
    return first->stopped && rc == TK_ECANCELED ? TK_OK : rc;
}
