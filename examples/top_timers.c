/*
 * Prints the timers that took the most time of their own.
 *
 * usage: top-timers CAPTURE [N]
 *
 * Shows: a query with chosen columns, a result that sorts and cuts, cells of a row.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <tracekit.h>

enum { TIMER, COUNT, EXCL, COLUMNS };

static const char *const columns[COLUMNS] = {[TIMER] = "timer", [COUNT] = "count", [EXCL] = "excl"};

static void print_rows(const struct tk_result *result)
{
    size_t n;
    tk_result_table(result, 0, &n);
    printf("%16s %10s  timer\n", "own ms", "calls");
    for (size_t i = 0; i < n; i++) {
        const struct tk_cell *row = tk_result_row(result, 0, i);
        /* texts have no NUL at their end */
        printf("%16.6f %10" PRIu64 "  %.*s\n", (double)row[EXCL].v.i / 1e6, row[COUNT].v.u, (int)row[TIMER].n,
               (const char *)row[TIMER].v.p);
    }
}

static int print_top(struct tk_trace *trace, size_t top, struct tk_err *err)
{
    static const char *const tables[] = {"timers"};
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_result *result = NULL;
    int rc = tk_result_new(&result, err);
    if (rc < 0)
        return rc;
    query.tables = tables;
    query.n_tables = 1;
    query.columns = columns;
    query.n_columns = COLUMNS;
    struct tk_sink sink = tk_result_sink(result);
    rc = tk_query_run(trace, &query, &sink, err);
    if (rc >= 0)
        rc = tk_result_sort(result, 0, columns[EXCL], true, err);
    if (rc >= 0) {
        tk_result_top(result, 0, top);
        print_rows(result);
    }
    tk_result_free(result);
    return rc;
}

int main(int argc, char **argv)
{
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_trace *trace = NULL;
    struct tk_err err = {0};
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: top-timers CAPTURE [N]\n");
        return 2;
    }
    options.jobs = 2;
    int rc = tk_open(&trace, argv[1], &options, &err);
    if (rc >= 0)
        rc = print_top(trace, argc > 2 ? strtoul(argv[2], NULL, 10) : 10, &err);
    if (rc < 0)
        fprintf(stderr, "top-timers: %s\n", tk_err_text(&err, rc));
    else if (tk_damaged(trace))
        fprintf(stderr, "top-timers: the capture is damaged; this is what can be read of it\n");
    tk_close(trace);
    return rc < 0;
}
