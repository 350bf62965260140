/*
 * The table `file` of captures of other tools.
 */
#include "format/events/capture.h"
#include "io/file.h"
#include "table/cell.h"
#include "table/sink.h"

static const struct tk_column columns[] = {
    {"format", TK_TEXT, 0, NULL, "file format"},
    {"form", TK_TEXT, 0, NULL, "how its events are arranged"},
    {"compression", TK_TEXT, 0, NULL, "how the file is compressed"},
    {"bytes", TK_SIZE, 0, NULL, "decompressed size of the file"},
    {"truncated", TK_BOOL, 0, NULL, "does the file end in the middle of a record?"},
};

static const struct tk_table file_table = {.name = "file",
                                           .help = "file type of the capture",
                                           .columns = columns,
                                           .n_columns = sizeof columns / sizeof *columns,
                                           .flags = TK_TABLE_SINGLE};

const struct tk_table *const tk_ev_tables[] = {&file_table, NULL};

int tk_ev_describe(struct tk_capture *base, const struct tk_table *table, const struct tk_sink *sink,
                   struct tk_err *err)
{
    const struct tk_ev_capture *c = (const struct tk_ev_capture *)base;
    const struct tk_cell cells[] = {
        tk_cell_of_c(c->ctx->format->name),
        tk_cell_of_c(c->container),
        tk_cell_of_c(tk_file_compression(c->ctx->file)),
        tk_cell_of_size(tk_file_size(c->ctx->file)),
        tk_cell_of_bool(c->truncated),
    };
    int rc = tk_sink_begin(sink, table, err);
    if (rc == TK_OK)
        rc = tk_sink_row(sink, table, cells, err);
    return rc == TK_OK ? tk_sink_end(sink, table, err) : rc;
}
