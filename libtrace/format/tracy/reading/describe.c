/*
 * Tables about the file itself: `file`, `sections`, `edits`.
 */
#include "format/tracy/reading/reading_in.h"
#include "format/tracy/reading/section_walk.h"
#include "format/tracy/walk/own_tables.h"
#include "format/tracy/walk/section.h"
#include "io/file.h"
#include "table/sink.h"

#include <string.h>

/* ---- file ---- */

static const struct tk_column file_columns[] = {
    {"format", TK_TEXT, 0, NULL, "file format"},
    {"version", TK_TEXT, 0, NULL, "version of the program that saved it"},
    {"container", TK_TEXT, 0, NULL, "first bytes of the file"},
    {"compression", TK_TEXT, 0, NULL, "how its blocks are compressed"},
    {"streams", TK_UINT, 0, NULL, "compressed streams"},
    {"blocks", TK_UINT, 0, NULL, "blocks of 65536 bytes"},
    {"bytes", TK_SIZE, 0, NULL, "size of the file"},
    {"truncated", TK_BOOL, 0, NULL, "does the file end inside a block, or the capture inside a section?"},
};

static const struct tk_table file_table = {.name = "file",
                                           .help = "file type of the capture",
                                           .columns = file_columns,
                                           .n_columns = sizeof file_columns / sizeof *file_columns,
                                           .flags = TK_TABLE_SINGLE};

static int send_file(struct tk_tracy_capture *c, const struct tk_table *table, const struct tk_sink *sink,
                     struct tk_err *err)
{
    char version[12];
    tk_tracy_version_text(version, c->version);
    struct tk_cell cells[] = {
        tk_cell_of_c("tracy"),
        tk_cell_of_c(version),
        tk_cell_of_c(c->box.magic),
        tk_cell_of_c(c->box.codec == TK_TRACY_LZ4 ? "lz4" : "zstd"),
        tk_cell_of_uint(c->box.streams),
        tk_cell_of_uint(c->box.n),
        tk_cell_of_size(tk_file_size(c->ctx->file)),
        tk_cell_of_bool(c->truncated),
    };
    return tk_sink_row(sink, table, cells, err);
}

/* ---- sections ---- */

static const struct tk_column section_columns[] = {
    {"section", TK_TEXT, 0, NULL, "part of the capture"},
    {"offset", TK_UINT, 0, "bytes", "offset in the decompressed capture"},
    {"bytes", TK_SIZE, 0, NULL, "decompressed size"},
    {"items", TK_UINT, 0, "items", "number of items in it"},
    {"complete", TK_BOOL, TK_COL_EXTRA, NULL, "is it complete?"},
};

static const struct tk_table section_table = {.name = "sections",
                                              .help = "sections of the capture, in file order",
                                              .columns = section_columns,
                                              .n_columns = sizeof section_columns / sizeof *section_columns};

struct sending {
    const struct tk_table *table;
    const struct tk_sink *sink;
};

static int send_section(void *ctx, const struct tk_tracy_walk *w, struct tk_err *err)
{
    const struct sending *s = ctx;
    struct tk_cell cells[] = {
        tk_cell_of_c(w->section->name),
        tk_cell_of_uint(w->start),
        tk_cell_of_size((w->faulted ? w->in.fault_at : tk_tracy_at(&w->in)) - w->start),
        tk_cell_of_uint(w->items),
        tk_cell_of_bool(!w->faulted),
    };
    return tk_sink_row(s->sink, s->table, cells, err);
}

/* A walk over everything that builds nothing. Its faults are those that readings note. */
static int send_sections(struct tk_tracy_capture *c, const struct tk_table *table, const struct tk_sink *sink,
                         struct tk_err *err)
{
    struct sending sending = {table, sink};
    struct tk_tracy_batch nothing = {0};
    struct tk_health quiet = {.muted = UINT64_MAX};
    struct tk_tracy_walk w;
    int rc = tk_tracy_walk_open(&w, c, NULL, false, &nothing, &quiet, err);
    w.tell = send_section;
    w.tell_ctx = &sending;
    if (rc == TK_OK)
        rc = tk_tracy_walk_next(&w, err);
    tk_tracy_walk_close(&w);
    tk_tracy_batch_release(&nothing);
    tk_health_release(&quiet);
    return rc;
}

/* ---- edits ---- */

static const struct tk_column edit_columns[] = {
    {"edit", TK_UINT, 0, NULL, "number of the edit, from 0"},
    {"from", TK_TIME, 0, NULL, "everything before this was removed; empty: nothing"},
    {"to", TK_TIME, 0, NULL, "everything after this was removed; empty: nothing"},
    {"record", TK_TEXT, 0, NULL, "what was done, as JSON"},
};

static const struct tk_table edit_table = {.name = "edits",
                                           .help = "what edits removed from the capture or repaired in it",
                                           .columns = edit_columns,
                                           .n_columns = sizeof edit_columns / sizeof *edit_columns};

static struct tk_cell limit_cell(int64_t time, int64_t none)
{
    return time == none ? (struct tk_cell){.kind = TK_NONE} : (struct tk_cell){.kind = TK_TIME, .v.i = time};
}

static int send_edits(struct tk_tracy_capture *c, const struct tk_table *table, const struct tk_sink *sink,
                      struct tk_err *err)
{
    uint64_t n = 0;
    int rc = TK_OK;
    for (size_t i = 0; i < c->strings.v.n && rc == TK_OK; i++) {
        if (!tk_tracy_edit_is(&c->strings.v.v[i]))
            continue;
        struct tk_tracy_edit edit = {0};
        tk_tracy_edit_read(&c->strings.v.v[i], &edit);
        struct tk_cell cells[] = {tk_cell_of_uint(n++), limit_cell(edit.from, INT64_MIN),
                                  limit_cell(edit.to, INT64_MAX), tk_cell_of_text(&edit.record)};
        const struct tk_rows rows = {1, cells};
        rc = sink->rows ? sink->rows(sink->self, table, &rows, err) : TK_OK;
    }
    return rc;
}

/* ---- all of them ---- */

const struct tk_table *const tk_tracy_tables[] = {&file_table, &section_table, &edit_table, NULL};

typedef int send_fn(struct tk_tracy_capture *c, const struct tk_table *table, const struct tk_sink *sink,
                    struct tk_err *err);

static send_fn *const senders[] = {send_file, send_sections, send_edits};

int tk_tracy_describe(struct tk_capture *base, const struct tk_table *table, const struct tk_sink *sink,
                      struct tk_err *err)
{
    for (size_t i = 0; tk_tracy_tables[i]; i++) {
        if (strcmp(tk_tracy_tables[i]->name, table->name) != 0)
            continue;
        int rc = sink->begin ? sink->begin(sink->self, table, err) : TK_OK;
        if (rc == TK_OK)
            rc = senders[i]((struct tk_tracy_capture *)base, table, sink, err);
        return rc == TK_OK && sink->end ? sink->end(sink->self, table, err) : rc;
    }
    return tk_err_set(err, TK_EMATCH, "the format has no table '%s'", table->name);
}
