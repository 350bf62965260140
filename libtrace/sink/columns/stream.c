/*
 * Streams of batches for Arrow, of tables of results. See tracekit.h, chapter 15.
 *
 * All batches are made when the stream is, as nobody can say whether the result is still there when they are
 * taken.
 */
#include "base/given.h"
#include "sink/columns/batch.h"

#include <stdlib.h>

/* What functions of a stream return: numbers of errno.h, as Arrow wants them, of every system. */
enum { ARROW_ENOMEM = 12 };

struct stream {
    const struct tk_table *table; /* in `kept` */
    struct tk_result *kept;       /* owned: a result without rows, which has the description of the table */
    struct ArrowArray *batches;   /* owned, n of them */
    size_t n, next;
    struct tk_err err;
};

static int get_schema(struct ArrowArrayStream *self, struct ArrowSchema *out)
{
    struct stream *s = self->private_data;
    return tk_table_schema(s->table, out, &s->err) < 0 ? ARROW_ENOMEM : 0;
}

static int get_next(struct ArrowArrayStream *self, struct ArrowArray *out)
{
    struct stream *s = self->private_data;
    *out = (struct ArrowArray){0};
    if (s->next < s->n) {
        *out = s->batches[s->next];
        s->batches[s->next++].release = NULL;
    }
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *self)
{
    const struct stream *s = self->private_data;
    return s->err.n ? tk_err_text(&s->err, s->err.code) : NULL;
}

static void free_stream(struct stream *s)
{
    for (size_t i = s->next; i < s->n; i++)
        if (s->batches[i].release)
            s->batches[i].release(&s->batches[i]);
    free(s->batches);
    tk_result_free(s->kept);
    free(s);
}

static void release(struct ArrowArrayStream *self)
{
    free_stream(self->private_data);
    self->release = NULL;
}

/* A copy of the description of the table. */
static int keep_table(struct stream *s, const struct tk_table *table, struct tk_err *err)
{
    int rc = tk_result_new(&s->kept, err);
    if (rc < 0)
        return rc;
    const struct tk_sink sink = tk_result_sink(s->kept);
    rc = sink.begin(sink.self, table, err);
    if (rc == TK_OK)
        s->table = tk_result_table(s->kept, 0, NULL);
    return rc;
}

struct place {
    const struct tk_result *result;
    size_t table;
};

static const struct tk_cell *row_at(const void *ctx, size_t i)
{
    const struct place *place = ctx;
    return tk_result_row(place->result, place->table, i);
}

static int make_batches(struct stream *s, const struct place *place, size_t rows, size_t batch_rows,
                        struct tk_err *err)
{
    int rc = TK_OK;
    const size_t most = batch_rows ? rows / batch_rows + 1 : 1;
    s->batches = calloc(most, sizeof *s->batches);
    if (!s->batches)
        return tk_err_nomem(err, "the batches of a table");
    for (size_t at = 0; rc == TK_OK && s->n < most && (at < rows || !batch_rows);) {
        const size_t left = rows - at, n = batch_rows && batch_rows < left ? batch_rows : left;
        rc = tk_batch_make(&s->batches[s->n++], s->table, row_at, place, at, n, err);
        at += n;
    }
    return rc;
}

int tk_result_columns(const struct tk_result *result, size_t table, size_t batch_rows,
                      struct ArrowArrayStream *out, struct tk_err *err)
{
    TK_GIVEN(err, result, out);
    *out = (struct ArrowArrayStream){0};
    if (table >= tk_result_count(result))
        return tk_err_set(err, TK_EUSAGE, "the result has %zu tables", tk_result_count(result));
    size_t rows;
    const struct tk_table *described = tk_result_table(result, table, &rows);
    if (rows && !tk_result_row(result, table, 0))
        return tk_err_set(err, TK_EUSAGE, "the rows of the result are packed");
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        return tk_err_nomem(err, "a stream");
    int rc = keep_table(s, described, err);
    if (rc == TK_OK)
        rc = make_batches(s, &(struct place){result, table}, rows, batch_rows, err);
    if (rc < 0)
        free_stream(s);
    else
        *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release, s};
    return rc;
}
