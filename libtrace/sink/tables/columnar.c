/*
 * Parquet, and the IPC format of Arrow as a file (arrow) and as a stream (arrows). A file holds one table.
 * What they are made of is in sink/parquet and sink/arrow.
 *
 * What goes to a pipe is a stream in any case, since a file is read from its end. Streams are not compressed
 * unless that is requested: some who read them cannot decompress.
 */
#include "sink/columns/columnar.h"

#include "base/err.h"
#include "io/output.h"
#include "sink/tables/writer.h"

struct columnar {
    struct tk_parquet *parquet; /* owned, one of both */
    struct tk_arrow *arrow;
};

static bool is_requested(const struct tk_writer *w, const char *usual)
{
    return strcmp(w->opt.compress ? w->opt.compress : usual, "zstd") == 0;
}

static void columnar_open(struct tk_writer *w)
{
    const char *how = w->opt.compress;
    if (how && strcmp(how, "zstd") != 0 && strcmp(how, "none") != 0)
        tk_buffer_fail(&w->out,
                       tk_err_set(w->out.err, TK_EUSAGE, "%s is compressed by 'zstd' or 'none', not by '%s'",
                                  w->format->name, how));
}

/* Refuses what such a file cannot be. */
static bool is_refused(struct tk_writer *w, const struct tk_table *table)
{
    if (table->unit != TK_UNIT_NS && table->unit != TK_UNIT_CYCLES)
        tk_buffer_fail(&w->out, tk_err_set(w->out.err, TK_EUSAGE, "times in %s are in ns or in cycles",
                                           w->format->name));
    if (w->tables)
        tk_buffer_fail(&w->out,
                       tk_err_set(w->out.err, TK_EUSAGE,
                                  "a file of %s holds one table; several need a folder", w->format->name));
    return w->out.status < 0;
}

static void parquet_begin(struct tk_writer *w, const struct tk_table *table)
{
    struct columnar *c = w->state;
    const struct tk_parquet_options opt = {
        .zstd = is_requested(w, "zstd"), .as_they_come = w->opt.as_they_come, .source = w->opt.source};
    if (!is_refused(w, table))
        tk_buffer_fail(&w->out, tk_parquet_new(&c->parquet, table, &opt, &w->out));
}

static void parquet_rows(struct tk_writer *w, const struct tk_table *table, const struct tk_rows *rows)
{
    const struct columnar *c = w->state;
    (void)table;
    if (c->parquet)
        tk_parquet_rows(c->parquet, rows);
}

static void parquet_end(struct tk_writer *w, const struct tk_table *table)
{
    const struct columnar *c = w->state;
    (void)table;
    if (c->parquet)
        tk_parquet_end(c->parquet);
}

static uint64_t columnar_lost(const struct tk_writer *w, size_t column)
{
    const struct columnar *c = w->state;
    return c->parquet ? tk_parquet_lost(c->parquet, column) : c->arrow ? tk_arrow_lost(c->arrow, column) : 0;
}

static uint64_t columnar_rounded(const struct tk_writer *w, size_t column)
{
    const struct columnar *c = w->state;
    return c->parquet ? tk_parquet_rounded(c->parquet, column)
           : c->arrow ? tk_arrow_rounded(c->arrow, column)
                      : 0;
}

static void columnar_release(struct tk_writer *w)
{
    const struct columnar *c = w->state;
    tk_parquet_free(c->parquet);
    tk_arrow_free(c->arrow);
}

static void begin_arrow(struct tk_writer *w, const struct tk_table *table, bool file)
{
    struct columnar *c = w->state;
    const struct tk_arrow_options opt = {
        .file = file, .zstd = is_requested(w, file ? "zstd" : "none"), .source = w->opt.source};
    if (!is_refused(w, table))
        tk_buffer_fail(&w->out, tk_arrow_new(&c->arrow, table, &opt, &w->out));
}

static void arrow_begin(struct tk_writer *w, const struct tk_table *table)
{
    begin_arrow(w, table, tk_output_staged(w->out.out) != NULL);
}

static void arrows_begin(struct tk_writer *w, const struct tk_table *table)
{
    begin_arrow(w, table, false);
}

static void arrow_rows(struct tk_writer *w, const struct tk_table *table, const struct tk_rows *rows)
{
    const struct columnar *c = w->state;
    (void)table;
    if (c->arrow)
        tk_arrow_rows(c->arrow, rows);
}

static void arrow_end(struct tk_writer *w, const struct tk_table *table)
{
    const struct columnar *c = w->state;
    (void)table;
    if (c->arrow)
        tk_arrow_end(c->arrow);
}

const struct tk_writer_format tk_parquet_format = {.name = "parquet",
                                                   .state_size = sizeof(struct columnar),
                                                   .open = columnar_open,
                                                   .begin = parquet_begin,
                                                   .rows = parquet_rows,
                                                   .end = parquet_end,
                                                   .lost = columnar_lost,
                                                   .rounded = columnar_rounded,
                                                   .release = columnar_release};

const struct tk_writer_format tk_arrow_format = {.name = "arrow",
                                                 .state_size = sizeof(struct columnar),
                                                 .open = columnar_open,
                                                 .begin = arrow_begin,
                                                 .rows = arrow_rows,
                                                 .end = arrow_end,
                                                 .lost = columnar_lost,
                                                 .rounded = columnar_rounded,
                                                 .release = columnar_release};

const struct tk_writer_format tk_arrows_format = {.name = "arrows",
                                                  .state_size = sizeof(struct columnar),
                                                  .open = columnar_open,
                                                  .begin = arrows_begin,
                                                  .rows = arrow_rows,
                                                  .end = arrow_end,
                                                  .lost = columnar_lost,
                                                  .rounded = columnar_rounded,
                                                  .release = columnar_release};
