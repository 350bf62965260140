/*
 * bench-baseline MODE FILE [--runs N]
 *
 * What a reader's time is compared with: the least that any reader has to do. Prints one line: the mode, the
 * CPU seconds of the best of N runs (3), and figures that show that the work was done.
 *
 *   read     Reads the file through a window of 1 MB and touches every cache line.
 *            Figures: bytes, a sum.
 *   lz4      Unpacks every packet of the file, which is in memory.
 *            Figures: payload bytes before and after, packets.
 *   varint   Runs over the numbers of all CPU batches, collected in memory before: a begin has two numbers,
 *            an end one; no stack, no statistics.
 *            Figures: bytes, batches, entries, begins, the sums of all cycles and of all timers.
 *   ftrace   Decodes every field of every event of the kernel in a trace of Perfetto's, which is in memory,
 * and sorts the events by time. Figures: packets, events, fields, a sum.
 *
 * The loop of `varint` is the plain one, with short cuts for numbers of one, two and up to eight bytes.
 * Coroutine entries have more numbers, so captures with coroutines are not for it.
 */
#include "batches.h"
#include "ftrace.h"
#include "size.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WINDOW = 1 << 20, LINE = 64, FIGURES = 6 };

struct work {
    const char *path;
    uint8_t *file; /* of `ftrace` */
    size_t file_size;
    struct tk_prescan scan;
    struct tk_batches batches;
    uint64_t figures[FIGURES];
    unsigned figure_count;
};

/* Keeps the results of a run; those of a further run are the same. */
static void keep_figures(struct work *work, const uint64_t *figures, unsigned count)
{
    memcpy(work->figures, figures, count * sizeof(*figures));
    work->figure_count = count;
}

static int prepare_nothing(struct work *work)
{
    (void)work;
    return 0;
}

static uint64_t touch(const uint8_t *data, size_t size)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < size; i += LINE)
        sum += data[i];
    return sum;
}

static int run_read(struct work *work)
{
    static uint8_t window[WINDOW];
    uint64_t figures[2] = {0};
    FILE *file = fopen(work->path, "rb");
    size_t got;

    if (!file) {
        fprintf(stderr, "cannot read '%s'\n", work->path);
        return -1;
    }
    setvbuf(file, NULL, _IONBF, 0);
    while ((got = fread(window, 1, sizeof(window), file)) > 0) {
        figures[0] += got;
        figures[1] += touch(window, got);
    }
    fclose(file);
    keep_figures(work, figures, 2);
    return 0;
}

static int prepare_lz4(struct work *work)
{
    return tk_prescan_open(&work->scan, work->path);
}

static int run_lz4(struct work *work)
{
    static uint8_t buffer[TK_PRESCAN_UNPACKED_MAX];
    uint64_t figures[3] = {0};
    struct tk_prescan_packet packet;

    work->scan.at = work->scan.header;
    while (tk_prescan_next(&work->scan, &packet) == 1) {
        if (!tk_prescan_unpack(&packet, buffer))
            continue;
        figures[0] += packet.size;
        figures[1] += packet.unpacked;
        figures[2]++;
    }
    keep_figures(work, figures, 3);
    return 0;
}

static int prepare_varint(struct work *work)
{
    int status = tk_prescan_open(&work->scan, work->path);

    if (status == 0)
        status = tk_batches_collect(&work->batches, &work->scan);
    tk_prescan_release(&work->scan);
    return status;
}

static const uint8_t *number_bytewise(const uint8_t *at, uint64_t *value)
{
    unsigned shift = 0;

    *value = 0;
    for (; shift < 63 && (*at & 0x80); shift += 7)
        *value |= (uint64_t)(*at++ & 0x7f) << shift;
    *value |= (uint64_t)*at++ << shift;
    return at;
}

#if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Groups of 7 bits that end below the first clear top bit, closed up. */
static uint64_t close_up(uint64_t word)
{
    word = (word & 0x007f007f007f007fU) | (word & 0x7f007f007f007f00U) >> 1;
    word = (word & 0x00003fff00003fffU) | (word & 0x3fff00003fff0000U) >> 2;
    return (word & 0x0fffffffU) | (word & 0x0fffffff00000000U) >> 4;
}

static inline const uint8_t *number(const uint8_t *at, uint64_t *value)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    if (!(word & 0x80)) {
        *value = word & 0x7f;
        return at + 1;
    }
    if (!(word & 0x8000)) {
        *value = (word & 0x7f) | (word >> 1 & 0x3f80);
        return at + 2;
    }

    uint64_t stops = ~word & 0x8080808080808080U;

    if (stops) {
        *value = close_up(word & (stops ^ (stops - 1)));
        return at + __builtin_ctzll(stops) / 8 + 1;
    }
    return number_bytewise(at, value);
}
#else
static const uint8_t *number(const uint8_t *at, uint64_t *value)
{
    return number_bytewise(at, value);
}
#endif

static int run_varint(struct work *work)
{
    const struct tk_batches *batches = &work->batches;
    const uint8_t *at = batches->data;
    uint64_t entries = 0, begins = 0, cycles = 0, timers = 0;

    for (size_t i = 0; i < batches->count; i++) {
        const uint8_t *end = batches->data + batches->ends[i];

        while (at < end) {
            uint64_t value;

            at = number(at, &value);
            cycles += value >> batches->shift;
            entries++;
            if (value & 1) {
                at = number(at, &value);
                timers += value;
                begins++;
            }
        }
        at = end;
    }
    keep_figures(work, (uint64_t[]){batches->size, batches->count, entries, begins, cycles, timers}, 6);
    return 0;
}

static int prepare_ftrace(struct work *work)
{
    return tk_bench_read(work->path, &work->file, &work->file_size);
}

static int run_ftrace(struct work *work)
{
    struct tk_bench_ftrace f;

    if (tk_bench_ftrace(work->file, work->file_size, &f) < 0) {
        fprintf(stderr, "cannot decode '%s'\n", work->path);
        return -1;
    }
    keep_figures(work, (uint64_t[]){f.packets, f.events, f.fields, f.sum}, 4);
    return 0;
}

static const struct mode {
    const char *name;
    int (*prepare)(struct work *work);
    int (*run)(struct work *work);
} modes[] = {
    {"read", prepare_nothing, run_read},
    {"lz4", prepare_lz4, run_lz4},
    {"varint", prepare_varint, run_varint},
    {"ftrace", prepare_ftrace, run_ftrace},
};

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int measure(const struct mode *mode, struct work *work, uint64_t runs)
{
    double best = 0;

    if (mode->prepare(work) < 0)
        return -1;
    for (uint64_t i = 0; i < runs; i++) {
        double before = cpu_seconds();

        if (mode->run(work) < 0)
            return -1;

        double spent = cpu_seconds() - before;

        best = i == 0 || spent < best ? spent : best;
    }
    printf("%s %.4f", mode->name, best);
    for (unsigned i = 0; i < work->figure_count; i++)
        printf(" %" PRIu64, work->figures[i]);
    putchar('\n');
    return 0;
}

static const struct mode *find_mode(const char *name)
{
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if (strcmp(modes[i].name, name) == 0)
            return &modes[i];
    return NULL;
}

int main(int argc, char **argv)
{
    const struct mode *mode = argc >= 3 ? find_mode(argv[1]) : NULL;
    struct work work = {0};
    uint64_t runs = 3;
    bool has_runs = argc == 5 && strcmp(argv[3], "--runs") == 0 && tk_bench_size(argv[4], &runs) == 0 && runs;

    if (!mode || (argc != 3 && !has_runs)) {
        fputs("usage: bench-baseline read|lz4|varint|ftrace FILE [--runs N]\n", stderr);
        return 2;
    }
    work.path = argv[2];

    int status = measure(mode, &work, runs);

    free(work.file);
    tk_prescan_release(&work.scan);
    tk_batches_release(&work.batches);
    return status < 0 ? 1 : 0;
}
