/*
 * The writer of tables (tk_writer_... of tracekit.h): the list of formats, and what all formats have in
 * common. It is a sink: batches of rows go in, a format's hooks write them to an output.
 */
#include "base/err.h"
#include "base/given.h"
#include "sink/tables/writer.h"

#include <stdlib.h>
#include <string.h>

/*
 * Rows that are made apart: a copy of the writer that puts them to buffers of its own.
 */

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
    as->rows = rows->n;
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
    w->rows += m->as.rows;
    return w->out.status;
}

#define FORMATS(X)                                                                                           \
    X(table) X(plot) X(text) X(csv) X(tsv) X(json) X(ndjson) X(markdown) X(parquet) X(arrow) X(arrows)

#define FORMAT(name) &tk_##name##_format,
#define NAME(name)   #name,

static const struct tk_writer_format *const formats[] = {FORMATS(FORMAT)};

const char *const *tk_writer_formats(void)
{
    static const char *const names[] = {FORMATS(NAME) NULL};
    return names;
}

static const struct tk_writer_format *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

bool tk_format_makes_apart(const char *format)
{
    const struct tk_writer_format *found = find_format(format);
    return found && found->apart;
}

static int prepare_writers(struct tk_writer *w, struct tk_output *out, struct tk_err *err)
{
    w->state = calloc(1, w->format->state_size + 1);
    if (!w->state || tk_buffer_init(&w->out, out, err) || tk_buffer_init_scratch(&w->scratch, &w->out) ||
        tk_buffer_init_scratch(&w->clean, &w->out))
        return tk_err_nomem(err, "a writer");
    if (w->format->open)
        w->format->open(w);
    return w->out.status;
}

int tk_writer_new(struct tk_writer **writer, const char *format, struct tk_output *out,
                  const struct tk_writer_options *opt, struct tk_err *err)
{
    TK_GIVEN_OUT(err, writer, format, out);
    const struct tk_writer_format *found = find_format(format);
    *writer = NULL;
    if (!found)
        return tk_err_set(err, TK_EMATCH, "there is no output format '%s'", format);
    struct tk_writer *w = calloc(1, sizeof *w);
    if (!w)
        return tk_err_nomem(err, "a writer");
    w->format = found;
    int rc = tk_struct_size_take(&w->opt, sizeof w->opt, opt, "the options", err);
    if (rc == TK_OK)
        rc = prepare_writers(w, out, err);
    if (rc < 0)
        tk_writer_free(w);
    else
        *writer = w;
    return rc;
}

static int writer_begin(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_writer *w = self;
    w->out.err = err;
    if (w->format->begin)
        w->format->begin(w, table);
    w->tables++;
    return w->out.status;
}

static int writer_rows(void *self, const struct tk_table *table, const struct tk_rows *rows,
                       struct tk_err *err)
{
    struct tk_writer *w = self;
    w->out.err = err;
    w->format->rows(w, table, rows);
    w->rows += rows->n;
    return w->out.status;
}

static void report_lost(const struct tk_writer *w, const struct tk_table *table)
{
    for (uint32_t i = 0; w->opt.lost && i < table->n_columns; i++) {
        const uint64_t lost = tk_writer_lost(w, i);
        if (lost)
            w->opt.lost(w->opt.ctx, table->name, table->columns[i].name, lost);
    }
}

static int writer_end(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_writer *w = self;
    w->out.err = err;
    if (w->format->end)
        w->format->end(w, table);
    report_lost(w, table);
    return w->out.status;
}

struct tk_sink tk_writer_sink(struct tk_writer *writer)
{
    if (!writer)
        return (struct tk_sink){0};
    return (struct tk_sink){.self = writer, .begin = writer_begin, .rows = writer_rows, .end = writer_end};
}

int tk_writer_finish(struct tk_writer *writer, struct tk_err *err)
{
    TK_GIVEN(err, writer);
    writer->out.err = err;
    if (writer->format->finish)
        writer->format->finish(writer);
    tk_buffer_flush(&writer->out);
    return writer->out.status;
}

uint64_t tk_writer_rounded(const struct tk_writer *writer, size_t column)
{
    if (!writer)
        return 0;
    return writer->format->rounded ? writer->format->rounded(writer, column) : 0;
}

uint64_t tk_writer_lost(const struct tk_writer *writer, size_t column)
{
    if (!writer)
        return 0;
    return writer->format->lost ? writer->format->lost(writer, column) : 0;
}

void tk_writer_free(struct tk_writer *writer)
{
    if (!writer)
        return;
    if (writer->format->release && writer->state)
        writer->format->release(writer);
    tk_buffer_release(&writer->out);
    tk_buffer_release(&writer->scratch);
    tk_buffer_release(&writer->clean);
    free(writer->state);
    free(writer);
}
