/*
 * The table `file` of captures of other tools.
 */
#include "format/events/capture.h"
#include "io/input/file.h"

#include <string.h>

static const struct tk_column columns[] = {
    {"format", TK_TEXT, 0, NULL, "kind of capture"},
    {"form", TK_TEXT, 0, NULL, "how its events are arranged"},
    {"compression", TK_TEXT, 0, NULL, "how the file is compressed"},
    {"bytes", TK_SIZE, 0, NULL, "size of the file, unpacked"},
    {"truncated", TK_BOOL, 0, NULL, "does the file end inside of something?"},
};

static const struct tk_table file_table = {.name = "file",
                                           .help = "what kind of file the capture is",
                                           .columns = columns,
                                           .n_columns = sizeof columns / sizeof *columns,
                                           .flags = TK_TABLE_SINGLE};

const struct tk_table *const tk_ev_tables[] = {&file_table, NULL};

static struct tk_cell c_cell(const char *s)
{
    return s ? (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)strlen(s), .v.p = s}
             : (struct tk_cell){.kind = TK_NONE};
}

int tk_ev_describe(struct tk_capture *base, const struct tk_table *table, const struct tk_sink *sink,
                   struct tk_err *err)
{
    const struct tk_ev_capture *c = (const struct tk_ev_capture *)base;
    const struct tk_cell cells[] = {
        c_cell(c->ctx->format->name),
        c_cell(c->container),
        c_cell(tk_file_compression(c->ctx->file)),
        {.kind = TK_SIZE, .v.u = tk_file_size(c->ctx->file)},
        {.kind = TK_BOOL, .v.u = c->truncated},
    };
    const struct tk_rows rows = {1, cells};
    int rc = sink->begin ? sink->begin(sink->self, table, err) : TK_OK;
    if (rc == TK_OK && sink->rows)
        rc = sink->rows(sink->self, table, &rows, err);
    return rc == TK_OK && sink->end ? sink->end(sink->self, table, err) : rc;
}
