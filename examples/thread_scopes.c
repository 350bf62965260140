/*
 * Prints the scopes of one thread as they end: begin, length, depth, name. In memory that does not grow with
 * the capture, and only as far as somebody reads.
 *
 * usage: thread-scopes CAPTURE THREAD
 *
 * Shows: a selection, a cursor, columns found by their names, values that may be missing, errors with their
 * causes.
 */
#include <inttypes.h>
#include <tracekit.h>

static void print_scope(const struct tk_table *table, const struct tk_cell *row)
{
    const struct tk_cell *timer = &row[tk_table_column(table, "timer")];
    const struct tk_cell *start = &row[tk_table_column(table, "start")];
    const struct tk_cell *duration = &row[tk_table_column(table, "dur")];
    const struct tk_cell *depth = &row[tk_table_column(table, "depth")];
    printf("%16.6f ", (double)start->v.i / 1e6);
    if (duration->kind == TK_NONE)
        printf("%16s", "never ended");
    else
        printf("%16.6f", (double)duration->v.i / 1e6);
    printf(" %3" PRIu64 "  %.*s\n", depth->v.u, (int)timer->n, (const char *)timer->v.p);
}

/* TK_OK when there are no more, or what failed. */
static int print_scopes(struct tk_cursor *cursor, struct tk_err *err)
{
    const struct tk_table *table;
    struct tk_rows rows;
    int rc;
    printf("%16s %16s %3s  timer\n", "begin ms", "length ms", "in");
    while ((rc = tk_cursor_next(cursor, &table, &rows, err)) == TK_ITEM)
        for (size_t i = 0; i < rows.n && !ferror(stdout); i++)
            print_scope(table, rows.cells + i * table->n_columns);
    return rc;
}

int main(int argc, char **argv)
{
    static const char *const tables[] = {"scopes"};
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_trace *trace = NULL;
    struct tk_cursor *cursor = NULL;
    struct tk_err err = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: thread-scopes CAPTURE THREAD\n");
        return 2;
    }
    const char *const threads[] = {argv[2]};
    query.tables = tables;
    query.n_tables = 1;
    query.select.threads = threads;
    query.select.n_threads = 1;
    int rc = tk_open(&trace, argv[1], NULL, &err);
    if (rc >= 0)
        rc = tk_cursor_open(&cursor, trace, &query, &err);
    if (rc >= 0)
        rc = print_scopes(cursor, &err);
    if (rc < 0) {
        fprintf(stderr, "thread-scopes: %s\n", tk_err_text(&err, rc));
        for (unsigned i = err.n; i-- > 1;)
            fprintf(stderr, "  %s\n", err.text[i - 1]);
    }
    tk_cursor_close(cursor);
    tk_close(trace);
    return rc < 0;
}
