/*
 * Table `file_activity`: every opening, closing, reading and writing of a file, as it ends.
 */
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdlib.h>

enum {
    BEGIN,
    END,
    DURATION,
    OP,
    FILE_PATH,
    OFFSET,
    SIZE,
    BYTES,
    FAILED,
    IN_FLIGHT,
    THREAD_ID,
    THREAD,
    COLUMNS = THREAD + TK_THREAD_COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [BEGIN] = {"start", TK_TIME, TK_COL_OPTIONAL, NULL, "when it starts"},
    [END] = {"end", TK_TIME, TK_COL_OPTIONAL, NULL, "end; empty if it is not in the capture"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "duration"},
    [OP] = {"op", TK_TEXT, 0, NULL, "open, reopen, close, read or write"},
    [FILE_PATH] = {"path", TK_TEXT, 0, NULL, "path of the file; empty if its opening is not in the capture"},
    [OFFSET] = {"offset", TK_UINT, TK_COL_OPTIONAL, "bytes", "file offset of a read or write"},
    [SIZE] = {"requested_bytes", TK_SIZE, TK_COL_OPTIONAL, NULL, "bytes requested"},
    [BYTES] = {"bytes", TK_SIZE, 0, NULL, "bytes read or written"},
    [FAILED] = {"failed", TK_BOOL, 0, NULL, "did it fail?"},
    [IN_FLIGHT] = {"in_flight", TK_UINT, TK_COL_OPTIONAL, NULL,
                   "number of reads and writes in flight when it began, including itself"},
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread it began on"},
    [THREAD] = TK_THREAD_COLUMNS_AS(TK_COL_OPTIONAL, "the thread it began on"),
};

static const struct tk_table table = {
    .name = "file_activity",
    .help = "file operations, in order of their ends; those without an end come last",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_EACH,
};

struct activity {
    const struct tk_query_context *view;
};

static int open_file_activity(const struct tk_query_context *view, const struct tk_builder *builder,
                              uint64_t wanted, void **self, struct tk_err *err)
{
    (void)builder;
    (void)wanted;
    struct activity *a = calloc(1, sizeof *a);
    if (!a)
        return tk_err_nomem(err, "files");
    a->view = view;
    *self = a;
    return TK_OK;
}

static bool is_selected_file_activity(const struct tk_query_context *view, const struct tk_fact *fact)
{
    const struct tk_fact_file_io *io = &fact->u.file_io;
    return fact->kind == TK_FACT_FILE_IO &&
           tk_select_touches(view->select, fact->time, io->ended ? io->end : INT64_MAX) &&
           tk_select_thread(view->select, view->dict, fact->thread);
}

static void fill_file_activity(const struct tk_query_context *view, const struct tk_fact *fact,
                               struct tk_cell *row)
{
    static const char *const ops[TK_FILE_OPS] = {"open", "reopen", "close", "read", "write"};
    const struct tk_fact_file_io *io = &fact->u.file_io;
    row[BEGIN] = tk_query_context_time(view, fact->time);
    if (io->ended) {
        row[END] = tk_query_context_time(view, io->end);
        row[DURATION] = tk_query_context_between(view, fact->time, io->end);
    }
    row[OP] = tk_cell_of_c(ops[io->op]);
    row[FILE_PATH] = tk_cell_of_text(io->path);
    row[FAILED] = tk_cell_of_bool(io->failed);
    row[THREAD_ID] = tk_query_context_thread_id(fact->thread);
    tk_thread_put(view, fact->thread, &row[THREAD]);
    if (io->op != TK_FILE_READ && io->op != TK_FILE_WRITE)
        return;
    row[OFFSET] = tk_cell_of_uint(io->offset);
    row[SIZE] = tk_cell_of_size(io->size);
    row[IN_FLIGHT] = tk_cell_of_uint(io->in_flight);
    if (io->ended)
        row[BYTES] = tk_cell_of_size(io->done);
}

static int feed_file_activity(void *self, const struct tk_batch *batch, struct tk_emit *emit,
                              struct tk_err *err)
{
    struct activity *a = self;
    (void)err;
    for (size_t i = 0; i < batch->n_facts; i++) {
        if (!is_selected_file_activity(a->view, &batch->facts[i]))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill_file_activity(a->view, &batch->facts[i], row);
    }
    return tk_emit_status(emit);
}

const struct tk_builder tk_builder_file_activity = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(FILE_IO), .order = TK_NEEDS_SEQ_ORDER, .streams = true},
    .open = open_file_activity,
    .feed = feed_file_activity,
    .close = free,
};
