/*
 * Opens a capture cut off at many lengths and prints what is left of it: a process of its own for each length
 * would take minutes.
 *
 *   cut-driver FILE STEP SCRATCH
 *
 * Lengths go from that of FILE down to 0, every STEP bytes; the file SCRATCH is overwritten.
 * One line a length:  LENGTH STATUS DAMAGED TRUNCATED [EVENT=COUNT]...
 * STATUS is what tk_open or tk_query_run returned, the rest is missing when it is negative.
 */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tracekit.h>
#include <unistd.h>

/* Asked of every length; the rows of the first are printed, the others are only computed. */
static const char *const tables[] = {"event_counts", "timers", "frames", "regions",
                                     "bookmarks",    "logs",   "health"};

static char counts[1 << 16];
static size_t n_counts;

static int keep_counts(void *self, const struct tk_table *table, const struct tk_rows *rows,
                       struct tk_err *err)
{
    (void)self;
    (void)err;
    if (strcmp(table->name, tables[0]) != 0)
        return TK_OK;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *cell = rows->cells + i * table->n_columns;
        int n = snprintf(counts + n_counts, sizeof(counts) - n_counts, " %.*s=%" PRIu64, (int)cell[0].n,
                         (const char *)cell[0].v.p, cell[1].v.u);
        if (n < 0 || (size_t)n >= sizeof(counts) - n_counts)
            return TK_ECANCELED;
        n_counts += (size_t)n;
    }
    return TK_OK;
}

static int ask(struct tk_trace *trace, struct tk_err *err)
{
    struct tk_sink sink = {.rows = keep_counts};

    n_counts = 0;
    counts[0] = '\0';
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        struct tk_query query = TK_INIT(struct tk_query);
        query.tables = &tables[i];
        query.n_tables = 1;
        query.unit = TK_UNIT_CYCLES;
        int status = tk_query_run(trace, &query, &sink, err);
        if (status < 0)
            return status;
    }
    return TK_OK;
}

static void report(const char *path, size_t length)
{
    struct tk_err err = {0};
    struct tk_trace *trace = NULL;
    int status = tk_open(&trace, path, NULL, &err);

    if (status >= 0)
        status = ask(trace, &err);
    printf("%zu %d", length, status);
    if (status >= 0)
        printf(" %d %d%s", tk_damaged(trace), tk_truncated(trace), counts);
    else
        printf(" %s", err.n ? err.text[0] : "no cause");
    putchar('\n');
    tk_close(trace);
}

/* Copies a file and returns its size, or -1. */
static long copy(const char *from, const char *to)
{
    char buf[1 << 16];
    long total = 0;
    size_t n;
    FILE *in = fopen(from, "rb");
    FILE *out = in ? fopen(to, "wb") : NULL;

    while (out && (n = fread(buf, 1, sizeof(buf), in)) > 0)
        total += (long)fwrite(buf, 1, n, out);
    int bad = !out || ferror(in) || ferror(out);
    if (in)
        fclose(in);
    if (out)
        bad |= fclose(out) != 0;
    return bad ? -1 : total;
}

int main(int argc, char **argv)
{
    long step = argc == 4 ? strtol(argv[2], NULL, 10) : 0;

    if (step <= 0) {
        fprintf(stderr, "usage: cut-driver FILE STEP SCRATCH\n");
        return 2;
    }
    long size = copy(argv[1], argv[3]);
    int bad = size < 0;
    for (long length = size; length >= 0 && !bad; length -= step) {
        bad = truncate(argv[3], length) != 0;
        if (!bad)
            report(argv[3], (size_t)length);
    }
    if (bad)
        perror("cut-driver");
    return bad;
}
