/*
 * Prints how many calls a capture holds, and the time of their own that they took in all.
 *
 * usage: own-times CAPTURE
 *
 * Shows: a capture that lies in memory, a cursor, rows by column as the Arrow C data interface has them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <tracekit.h>

enum { COUNT, EXCL, COLUMNS };

struct sums {
    uint64_t calls;
    int64_t own;
};

static bool is_there(const struct ArrowArray *column, int64_t row)
{
    const uint8_t *valid = column->buffers[0];
    return !valid || valid[row / 8] >> row % 8 & 1;
}

static void add_batch(struct sums *sums, const struct ArrowArray *batch)
{
    const struct ArrowArray *count = batch->children[COUNT], *excl = batch->children[EXCL];
    const uint64_t *counts = count->buffers[1];
    const int64_t *owns = excl->buffers[1];
    for (int64_t row = 0; row < batch->length; row++) {
        sums->calls += is_there(count, row) ? counts[row] : 0;
        sums->own += is_there(excl, row) ? owns[row] : 0;
    }
}

static int add_up(struct sums *sums, struct tk_trace *trace, struct tk_err *err)
{
    static const char *const tables[] = {"timers"}, *const columns[COLUMNS] = {"count", "excl"};
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_cursor *cursor = NULL;
    const struct tk_table *table;
    struct tk_rows rows;
    query.tables = tables;
    query.n_tables = 1;
    query.columns = columns;
    query.n_columns = COLUMNS;
    int rc = tk_cursor_open(&cursor, trace, &query, err);
    while (rc >= TK_OK && (rc = tk_cursor_next(cursor, &table, &rows, err)) == TK_ITEM) {
        struct ArrowArray batch;
        rc = tk_rows_columns(table, &rows, &batch, err);
        if (rc < TK_OK)
            break;
        add_batch(sums, &batch);
        batch.release(&batch);
    }
    tk_cursor_close(cursor);
    return rc;
}

/* A whole file; NULL when it cannot be read. */
static char *load(const char *path, size_t *n)
{
    FILE *in = fopen(path, "rb");
    char *bytes = NULL;
    long size = in && fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
    if (size > 0 && fseek(in, 0, SEEK_SET) == 0 && (bytes = malloc((size_t)size)))
        *n = fread(bytes, 1, (size_t)size, in);
    if (in)
        fclose(in);
    return bytes;
}

int main(int argc, char **argv)
{
    struct tk_trace *trace = NULL;
    struct tk_err err = {0};
    struct sums sums = {0};
    size_t n = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: own-times CAPTURE\n");
        return 2;
    }
    char *bytes = load(argv[1], &n);
    if (!bytes) {
        fprintf(stderr, "own-times: cannot read '%s'\n", argv[1]);
        return 1;
    }
    int rc = tk_open_memory(&trace, bytes, n, NULL, &err);
    if (rc >= TK_OK)
        rc = add_up(&sums, trace, &err);
    if (rc < TK_OK)
        fprintf(stderr, "own-times: %s\n", tk_err_text(&err, rc));
    else
        printf("%" PRIu64 " calls %.6f ms\n", sums.calls, (double)sums.own / 1e6);
    tk_close(trace);
    free(bytes); /* not before */
    return rc < TK_OK;
}
