/*
 * Says what is slower, faster, new or gone in a candidate. Its exit status is 1 when something is slower.
 *
 * usage: compare-captures BASE CANDIDATE
 *
 * Both are captures, or baselines as `trace-stats --save` writes them.
 *
 * Shows: runs of captures and of files, a comparison, a sink of one's own.
 */
#include <string.h>
#include <tracekit.h>

/* Adds what lies under the path to a new set of runs. */
static int load(struct tk_baseline **runs, const char *path, struct tk_err *err)
{
    struct tk_trace *trace = NULL;
    int rc = tk_baseline_new(runs, err);
    if (rc < 0 || tk_baseline_is(path))
        return rc < 0 ? rc : tk_baseline_load(*runs, path, err);
    rc = tk_open(&trace, path, NULL, err);
    if (rc >= 0)
        rc = tk_baseline_add(*runs, trace, NULL, err);
    tk_close(trace);
    return rc;
}

static void print_text(const struct tk_cell *cell, const char *before)
{
    if (cell->kind == TK_TEXT)
        printf("%s%.*s", before, (int)cell->n, (const char *)cell->v.p);
}

static bool is_word(const struct tk_cell *cell, const char *word)
{
    return cell->kind == TK_TEXT && cell->n == strlen(word) && memcmp(cell->v.p, word, cell->n) == 0;
}

/* A hook of a sink: rows of the table `changes`. */
static int print_changes(void *self, const struct tk_table *table, const struct tk_rows *rows,
                         struct tk_err *err)
{
    const int verdict = tk_table_column(table, "verdict"), ratio = tk_table_column(table, "ratio");
    (void)self;
    (void)err;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        if (is_word(&row[verdict], "unchanged") || is_word(&row[verdict], "inconclusive"))
            continue;
        print_text(&row[verdict], "");
        print_text(&row[tk_table_column(table, "kind")], " ");
        print_text(&row[tk_table_column(table, "name")], " ");
        print_text(&row[tk_table_column(table, "renamed_to")], " -> ");
        if (row[ratio].kind == TK_REAL)
            printf(", %+.1f %%", (row[ratio].v.r - 1) * 100);
        putchar('\n');
    }
    return TK_OK;
}

int main(int argc, char **argv)
{
    const struct tk_sink sink = {.rows = print_changes};
    struct tk_baseline *base = NULL, *candidate = NULL;
    struct tk_comparison *comparison = NULL;
    struct tk_err err = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: compare-captures BASE CANDIDATE\n");
        return 2;
    }
    int rc = load(&base, argv[1], &err);
    if (rc >= 0)
        rc = load(&candidate, argv[2], &err);
    if (rc >= 0)
        rc = tk_compare(&comparison, base, candidate, NULL, &err);
    if (rc >= 0)
        rc = tk_comparison_rows(comparison, &sink, &err);
    const bool worse = rc >= 0 && tk_comparison_regressed(comparison);
    if (rc < 0)
        fprintf(stderr, "compare-captures: %s\n", tk_err_text(&err, rc));
    tk_comparison_free(comparison);
    tk_baseline_free(candidate);
    tk_baseline_free(base);
    return rc < 0 ? 3 : worse;
}
