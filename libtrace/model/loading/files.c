/*
 * Table `files`: what was done with each file. A row a path, in order of first appearance. A file that was
 * opened more than once is one row. What touches the selection counts in full.
 */
#include "base/wrap.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

enum {
    FILE_PATH,
    OPENS,
    REOPENS,
    CLOSES,
    READS,
    WRITES,
    FAILED,
    OPEN,
    BYTES_READ,
    READ_TIME,
    READ_BANDWIDTH,
    BYTES_WRITTEN,
    WRITE_TIME,
    WRITE_BANDWIDTH,
    OPEN_TIME,
    CLOSE_TIME,
    LENGTHS,
    FIRST = LENGTHS + TK_DISTRIBUTION_COLUMNS,
    LAST,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [FILE_PATH] = {"path", TK_TEXT, 0, NULL, "path of the file; empty if its opening is not in the capture"},
    [OPENS] = {"opens", TK_UINT, 0, NULL, "number of times it was opened"},
    [REOPENS] = {"reopens", TK_UINT, TK_COL_EXTRA, NULL, "number of times an open handle reopened it"},
    [CLOSES] = {"closes", TK_UINT, 0, NULL, "number of times it was closed"},
    [READS] = {"reads", TK_UINT, 0, NULL, "completed reads"},
    [WRITES] = {"writes", TK_UINT, 0, NULL, "completed writes"},
    [FAILED] = {"failed", TK_UINT, 0, NULL, "number of failed attempts to open it"},
    [OPEN] = {"open", TK_UINT, TK_COL_EXTRA, NULL, "operations without an end in the capture"},
    [BYTES_READ] = {"bytes_read", TK_SIZE, 0, NULL, "bytes read"},
    [READ_TIME] = {"read_time", TK_DURATION, 0, NULL, "total time of reads; concurrent reads are added up"},
    [READ_BANDWIDTH] = {"read_bandwidth", TK_REAL, 0, "bytes/s", "bytes read per second of read time"},
    [BYTES_WRITTEN] = {"bytes_written", TK_SIZE, 0, NULL, "bytes written"},
    [WRITE_TIME] = {"write_time", TK_DURATION, 0, NULL,
                    "total time of writes; concurrent writes are added up"},
    [WRITE_BANDWIDTH] = {"write_bandwidth", TK_REAL, TK_COL_EXTRA, "bytes/s",
                         "bytes written per second of write time"},
    [OPEN_TIME] = {"open_time", TK_DURATION, 0, NULL, "time spent opening and reopening it"},
    [CLOSE_TIME] = {"close_time", TK_DURATION, TK_COL_EXTRA, NULL, "time spent closing it"},
    TK_DISTRIBUTION_LENGTHS(
        LENGTHS, "", TK_DISTRIBUTION_ALL & ~(TK_DISTRIBUTION_BIT(MAX) | TK_DISTRIBUTION_BIT(P95)),
        "shortest read or write", "longest read or write", "mean of reads and writes", "reads and writes"),
    [FIRST] = {"first", TK_TIME, TK_COL_EXTRA, NULL, "time of the first operation"},
    [LAST] = {"last", TK_TIME, TK_COL_EXTRA, NULL, "start of the last operation"},
};

static const struct tk_table table = {
    .name = "files",
    .help = "operations on each file, by path",
    .columns = columns,
    .n_columns = COLUMNS,
    .sort_by = "read_time",
};

struct file {
    const struct tk_str *path;
    uint64_t count[TK_FILE_OPS]; /* that ended */
    uint64_t bytes[TK_FILE_OPS];
    int64_t time[TK_FILE_OPS];
    uint64_t failed_opens, failed, open; /* failed: in all */
    int64_t first, last;
    struct tk_distribution lengths; /* of reads and writes */
};

struct files {
    struct tk_collector g;
    TK_VEC(struct file) files; /* looked up by the address of the path */
};

/* TK_ITEM, TK_OK when there is no space, TK_ENOMEM. */
static int file_of(struct files *f, const struct tk_str *path, struct file **out)
{
    uint64_t key = (uint64_t)(uintptr_t)path;
    uint32_t at = tk_map_get(&f->g.index, key);
    if (at == TK_MAP_NONE) {
        struct file file = {.path = path, .lengths = {.is_signed = true}};
        if (!tk_row_limit_for(&f->g.capacity, f->files.n))
            return TK_OK;
        at = (uint32_t)f->files.n;
        if (tk_map_put(&f->g.index, key, at) || tk_vec_push(&f->files, file))
            return TK_ENOMEM;
    }
    *out = &f->files.v[at];
    return TK_ITEM;
}

static void see_begin(struct file *file, int64_t time)
{
    bool first = !file->open;
    for (unsigned op = 0; op < TK_FILE_OPS && first; op++)
        first = !file->count[op];
    if (first || time < file->first)
        file->first = time;
    if (first || time > file->last)
        file->last = time;
}

/* An end before its begin counts as no time. */
static int add_length(struct files *f, struct file *file, const struct tk_fact *fact)
{
    const struct tk_fact_file_io *io = &fact->u.file_io;
    int64_t length = io->end < fact->time ? 0 : tk_wrap_sub(io->end, fact->time);
    bool transfer = io->op == TK_FILE_READ || io->op == TK_FILE_WRITE;
    if (io->end < fact->time)
        tk_health_note(&f->g.view->ctx->health, TK_HEALTH_TIME_BACKWARDS, TK_NO_OFFSET, 1,
                       "an operation on a file ends before it begins");
    file->count[io->op]++;
    file->bytes[io->op] += io->done;
    file->time[io->op] = tk_wrap_add(file->time[io->op], length);
    file->failed += io->failed;
    file->failed_opens += io->failed && io->op == TK_FILE_OPEN;
    return transfer && tk_distribution_add(&file->lengths, (uint64_t)length) ? TK_ENOMEM : TK_OK;
}

static int take_io(struct files *f, const struct tk_fact *fact)
{
    const struct tk_fact_file_io *io = &fact->u.file_io;
    struct file *file;
    int rc = file_of(f, io->path, &file);
    if (rc != TK_ITEM)
        return rc;
    see_begin(file, fact->time);
    file->open += !io->ended;
    return io->ended ? add_length(f, file, fact) : TK_OK;
}

static bool is_selected_files(const struct tk_query_context *view, const struct tk_fact *fact)
{
    const struct tk_fact_file_io *io = &fact->u.file_io;
    return fact->kind == TK_FACT_FILE_IO &&
           tk_select_touches(view->select, fact->time, io->ended ? io->end : INT64_MAX) &&
           tk_select_thread(view->select, view->dict, fact->thread);
}

static int take_files(void *self, const struct tk_fact *fact)
{
    struct files *f = self;
    return is_selected_files(f->g.view, fact) ? take_io(f, fact) : TK_OK;
}

/* No value without a clock, or where it took no time. */
static struct tk_cell bandwidth(const struct tk_query_context *view, uint64_t bytes, int64_t cycles)
{
    double seconds = (double)cycles / (double)view->dict->clock.frequency;
    if (!view->dict->clock.frequency || cycles <= 0)
        return (struct tk_cell){.kind = TK_NONE};
    return tk_cell_of_real((double)bytes / seconds);
}

static void fill_files(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_query_context *view = ((const struct files *)self)->g.view;
    const struct file *file = thing;
    row[FILE_PATH] = tk_cell_of_text(file->path);
    row[OPENS] = tk_cell_of_uint(file->count[TK_FILE_OPEN] - file->failed_opens);
    row[REOPENS] = tk_cell_of_uint(file->count[TK_FILE_REOPEN] - (file->failed - file->failed_opens));
    row[CLOSES] = tk_cell_of_uint(file->count[TK_FILE_CLOSE]);
    row[READS] = tk_cell_of_uint(file->count[TK_FILE_READ]);
    row[WRITES] = tk_cell_of_uint(file->count[TK_FILE_WRITE]);
    row[FAILED] = tk_cell_of_uint(file->failed);
    row[OPEN] = tk_cell_of_uint(file->open);
    row[BYTES_READ] = tk_cell_of_size(file->bytes[TK_FILE_READ]);
    row[READ_TIME] = tk_query_context_span(view, file->time[TK_FILE_READ]);
    row[READ_BANDWIDTH] = bandwidth(view, file->bytes[TK_FILE_READ], file->time[TK_FILE_READ]);
    row[BYTES_WRITTEN] = tk_cell_of_size(file->bytes[TK_FILE_WRITE]);
    row[WRITE_TIME] = tk_query_context_span(view, file->time[TK_FILE_WRITE]);
    row[WRITE_BANDWIDTH] = bandwidth(view, file->bytes[TK_FILE_WRITE], file->time[TK_FILE_WRITE]);
    row[OPEN_TIME] =
        tk_query_context_span(view, tk_wrap_add(file->time[TK_FILE_OPEN], file->time[TK_FILE_REOPEN]));
    row[CLOSE_TIME] = tk_query_context_span(view, file->time[TK_FILE_CLOSE]);
    row[FIRST] = tk_query_context_time(view, file->first);
    row[LAST] = tk_query_context_time(view, file->last);
    tk_distribution_put(view, TK_DURATION, &file->lengths, &row[LENGTHS]);
}

static void release_file(void *thing)
{
    tk_distribution_release(&((struct file *)thing)->lengths);
}

static const struct tk_collecting gathering = {
    .what = "files",
    .take = take_files,
    TK_COLLECTOR_ROWS(struct files, files),
    .release_thing = release_file,
    .fill = fill_files,
};

const struct tk_builder tk_builder_files = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(FILE_IO), .order = TK_NEEDS_SEQ_ORDER},
    TK_COLLECTS(gathering),
};
