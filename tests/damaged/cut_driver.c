/*
 * Opens a capture cut off at many lengths, or with single bits flipped, and prints what is left of it: a
 * process of its own for each would take minutes.
 *
 *   cut-driver FILE STEP SCRATCH
 *   cut-driver FILE flip SCRATCH        numbers of bits on standard input: byte * 8 + bit
 *
 * Lengths go from that of FILE down to 0, every STEP bytes; the file SCRATCH is overwritten.
 * One line a length or bit:  LENGTH STATUS DAMAGED TRUNCATED [EVENT=COUNT]...
 * STATUS is what tk_open or tk_query_run returned, the rest is missing when it is negative; 9 when the parts
 * of the ledger do not sum to the size of the file.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tracekit.h>
#include <unistd.h>

/* Requested of every length; the rows of the first are printed, the others are only computed. */
static const char *const tables[] = {"event_counts", "timers", "frames", "regions",
                                     "bookmarks",    "logs",   "health", "ledger"};

static char counts[1 << 16];
static size_t n_counts;
static uint64_t ledger;

/* Names as one word each. */
static void clean(char *p, size_t n)
{
    for (size_t i = 0; i < n && p[i]; i++)
        if (p[i] <= ' ' || p[i] >= 127)
            p[i] = '?';
}

static int keep_counts(void *self, const struct tk_table *table, const struct tk_rows *rows,
                       struct tk_err *err)
{
    (void)self;
    (void)err;
    for (size_t i = 0; i < rows->n && strcmp(table->name, "ledger") == 0; i++)
        ledger += rows->cells[i * table->n_columns + 1].v.u;
    if (strcmp(table->name, tables[0]) != 0)
        return TK_OK;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *cell = rows->cells + i * table->n_columns;
        int n = snprintf(counts + n_counts, sizeof(counts) - n_counts, " %.*s=%" PRIu64, (int)cell[0].n,
                         (const char *)cell[0].v.p, cell[1].v.u);
        if (n < 0 || (size_t)n >= sizeof(counts) - n_counts)
            return TK_ECANCELED;
        clean(counts + n_counts + 1, cell[0].n);
        n_counts += (size_t)n;
    }
    return TK_OK;
}

static int ask(struct tk_trace *trace, struct tk_err *err)
{
    struct tk_sink sink = {.rows = keep_counts};

    n_counts = 0;
    counts[0] = '\0';
    ledger = 0;
    struct tk_query query = TK_INIT(struct tk_query);
    query.tables = tables;
    query.n_tables = sizeof(tables) / sizeof(tables[0]);
    query.unit = TK_UNIT_CYCLES;
    return tk_query_run(trace, &query, &sink, err);
}

/* Queries of a file of `size` bytes. */
static void report(const char *path, uint64_t number, uint64_t size)
{
    struct tk_err err = {0};
    struct tk_trace *trace = NULL;
    int status = tk_open(&trace, path, NULL, &err);

    if (status >= 0)
        status = ask(trace, &err);
    if (status >= 0 && ledger != size)
        status = 9;
    printf("%" PRIu64 " %d", number, status);
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

static int cut(const char *path, long size, long step)
{
    for (long length = size; length >= 0; length -= step) {
        if (truncate(path, length) != 0)
            return 1;
        report(path, (uint64_t)length, (uint64_t)length);
    }
    return 0;
}

static int flip_bit(int fd, uint64_t bit)
{
    uint8_t byte;
    if (pread(fd, &byte, 1, (off_t)(bit / 8)) != 1)
        return 1;
    byte ^= (uint8_t)(1u << bit % 8);
    return pwrite(fd, &byte, 1, (off_t)(bit / 8)) != 1;
}

static int flip(const char *path, long size)
{
    uint64_t bit;
    int fd = open(path, O_RDWR), bad = fd < 0;
    while (!bad && scanf("%" SCNu64, &bit) == 1) {
        bad = flip_bit(fd, bit);
        report(path, bit, (uint64_t)size);
        bad |= flip_bit(fd, bit);
    }
    if (fd >= 0)
        close(fd);
    return bad;
}

int main(int argc, char **argv)
{
    bool flips = argc == 4 && strcmp(argv[2], "flip") == 0;
    long step = argc == 4 ? strtol(argv[2], NULL, 10) : 0;

    if (step <= 0 && !flips) {
        fprintf(stderr, "usage: cut-driver FILE STEP|flip SCRATCH\n");
        return 2;
    }
    long size = copy(argv[1], argv[3]);
    int bad = size < 0 || (flips ? flip(argv[3], size) : cut(argv[3], size, step));
    if (bad)
        perror("cut-driver");
    return bad;
}
