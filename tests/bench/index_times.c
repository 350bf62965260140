/*
 * bench-index CAPTURE JOBS WINDOWS: builds the index of a capture, and requests random windows as a page
 * does: eight lanes, 1,350 pixels, 12 rows, of all zooms. Prints seconds of CPU and on the clock, bytes of
 * the capture, of what is drawn from and of the temporary file; of the windows, in milliseconds, the median
 * and the 99th percentile on the clock and of CPU. measure.py prints it as a table.
 */
#include "view/index/index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

enum { LANES = 8, PIXELS = 1350, ROWS = 12 };

static uint64_t seed = 1;

static uint64_t below(uint64_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return n ? (seed >> 17 ^ seed >> 41) % n : 0;
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* All zooms from a few cycles to all of the capture are as likely. */
static void make_question(const struct tk_index_about *about, uint32_t *lanes, struct tk_index_question *q)
{
    const uint64_t whole = (uint64_t)(about->last - about->first) + 1;
    unsigned octaves = 1;
    while (octaves < 62 && whole >> octaves)
        octaves++;
    uint64_t length = UINT64_C(1) << below(octaves + 1);
    length += below(length);
    *q = (struct tk_index_question){.pixels = PIXELS, .rows = ROWS, .lanes = lanes};
    q->from = about->first + (int64_t)below(whole) - (int64_t)below(length);
    q->to = q->from + (int64_t)length;
    q->n_lanes = about->lanes < LANES ? about->lanes : LANES;
    const uint32_t first = (uint32_t)below(about->lanes);
    for (size_t i = 0; i < q->n_lanes; i++)
        lanes[i] = (first + (uint32_t)i) % about->lanes;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(double *times, size_t n)
{
    qsort(times, n, sizeof *times, by_size);
    printf(" %.3f %.3f", times[n / 2] * 1e3, times[n * 99 / 100] * 1e3);
}

static int ask(struct tk_index *index, const struct tk_index_about *about, size_t n, struct tk_err *err)
{
    struct tk_index_window window = {0};
    uint32_t lanes[LANES];
    double *wall = calloc(n + 1, sizeof *wall), *cpu = calloc(n + 1, sizeof *cpu);
    int rc = wall && cpu ? TK_OK : TK_ENOMEM;
    for (size_t i = 0; i < n && rc >= 0; i++) {
        struct tk_index_question q;
        make_question(about, lanes, &q);
        const double begin = now(CLOCK_MONOTONIC), worked = now(CLOCK_PROCESS_CPUTIME_ID);
        rc = tk_index_window(index, &q, &window, err);
        wall[i] = now(CLOCK_MONOTONIC) - begin;
        cpu[i] = now(CLOCK_PROCESS_CPUTIME_ID) - worked;
    }
    if (rc >= 0) {
        print_times(wall, n);
        print_times(cpu, n);
    }
    tk_index_window_release(&window);
    free(wall);
    free(cpu);
    return rc;
}

int main(int argc, char **argv)
{
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_trace *trace = NULL;
    struct tk_index *index = NULL;
    struct tk_index_about about = {0};
    struct tk_err err = {0};
    struct stat info;
    if (argc != 4 || stat(argv[1], &info)) {
        fputs("usage: bench-index CAPTURE JOBS WINDOWS\n", stderr);
        return 2;
    }
    options.jobs = (unsigned)strtoul(argv[2], NULL, 10);
    const double begin = now(CLOCK_MONOTONIC), worked = now(CLOCK_PROCESS_CPUTIME_ID);
    int rc = tk_open(&trace, argv[1], &options, &err);
    if (rc >= 0)
        rc = tk_index_build(&index, trace, NULL, &err);
    if (rc >= 0) {
        tk_index_tell(index, &about);
        printf("%.3f %.3f %" PRId64 " %" PRIu64 " %" PRIu64, now(CLOCK_PROCESS_CPUTIME_ID) - worked,
               now(CLOCK_MONOTONIC) - begin, (int64_t)info.st_size, about.drawn, about.bytes);
        const size_t n = strtoull(argv[3], NULL, 10);
        rc = about.lanes && n ? ask(index, &about, n, &err) : TK_EUSAGE;
        puts("");
    }
    if (rc < 0)
        fprintf(stderr, "%s: %s\n", argv[1], tk_err_text(&err, rc));
    tk_index_close(index);
    tk_close(trace);
    return rc < 0;
}
