/*
 * bench-hot [--timers N] [--mb N] [--runs N]
 *
 * How long the stages of scope statistics take, on CPU batches of one thread that are made in memory: the
 * plain loop over their numbers, byte by byte; decoding; with stacks; with sums by timer. Prints for each
 * stage the nanoseconds an entry (a begin or an end) and the ratio to the plain loop; the best of N runs (5).
 *
 * The batches are like those of bench-gen-cpu: the third form, timers with frequencies that fall as 1 / rank,
 * one scope in a hundred with metadata, begins and ends in random order to a depth of 30, times between them
 * over four decades.
 */
#include "format/utrace/scopes/scopes_in.h"
#include "model/scopes/scope_lane.h"
#include "model/sums/frame_sums.h"
#include "size.h"
#include "zipf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEPTH_MAX = 30, GAPS = 4096, FRAME = 166000, CHUNK = 32768, BATCH = 240, METADATA_TIMERS = 40 };

#define START UINT64_C(864000000000)

struct batches {
    uint8_t *data;
    size_t size;
    uint32_t *sizes;
    uint32_t n;
    uint64_t entries, scopes, frames;
};

/* ---- making them ---- */

static size_t put(uint8_t *p, uint64_t v)
{
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        p[n++] = (uint8_t)(v | 0x80);
    p[n++] = (uint8_t)v;
    return n;
}

static void draw_gaps(uint16_t *gaps, struct tk_random *random)
{
    for (unsigned i = 0; i < GAPS; i++) {
        uint32_t kind = tk_random_below(random, 1000);
        uint32_t narrow = tk_random_below(random, 1u << tk_random_below(random, 6));
        uint32_t middle = 32 + tk_random_below(random, 16u << tk_random_below(random, 6));
        uint32_t wide = 1000 + tk_random_below(random, 9000);
        gaps[i] = (uint16_t)(kind < 700 ? 1 + narrow : kind < 999 ? middle : wide);
    }
}

static int make_batches(struct batches *b, size_t bytes, uint32_t timers)
{
    struct tk_random random = {1};
    struct tk_zipf zipf;
    uint16_t gaps[GAPS];
    uint64_t now = START + 1000, last = 0;
    unsigned depth = 0;
    size_t begin = 0;
    b->data = malloc(bytes + 2 * BATCH + TK_CPU_PADDING);
    b->sizes = malloc((bytes / 4 + 2) * sizeof *b->sizes);
    if (!b->data || !b->sizes || tk_zipf_init(&zipf, timers) < 0)
        return -1;
    draw_gaps(gaps, &random);
    while (b->size < bytes || depth) {
        uint64_t bits = tk_random_next(&random);
        bool down = b->size < bytes && depth < DEPTH_MAX && (depth < 2 || (bits >> 32) % 9 < 4);
        b->size += put(b->data + b->size, (now - last) << 2 | down);
        last = now;
        if (down) {
            bool metadata = tk_random_below(&random, 100) == 0;
            uint64_t x = metadata ? b->scopes << 1 | 1 : (uint64_t)(1 + tk_zipf_draw(&zipf, &random)) << 1;
            b->size += put(b->data + b->size, x);
            b->scopes++;
        }
        depth = down ? depth + 1 : depth - 1;
        b->entries++;
        if (b->size - begin >= BATCH || !depth) {
            b->sizes[b->n++] = (uint32_t)(b->size - begin);
            begin = b->size;
            last = 0;
        }
        now += gaps[bits % GAPS];
    }
    b->frames = (now - START) / FRAME + 1;
    memset(b->data + b->size, 0, TK_CPU_PADDING);
    tk_zipf_release(&zipf);
    return 0;
}

/* ---- stages ---- */

struct stage {
    const char *name;
    bool stacks;
    unsigned columns; /* TK_SLICE_... */
    int what;         /* TK_TIMER_SUM_...; -1: no sums */
};

static const struct stage stages[] = {
    {"decode", false, 0, -1},
    {"stacks", true, 0, -1},
    {"stacks, all columns", true, TK_SLICE_OUTER | TK_SLICE_BEGIN | TK_SLICE_PLACE, -1},
    {"sums", true, 0, 0},
    {"sums, incl", true, TK_SLICE_OUTER, TK_TIMER_SUM_INCL},
    {"sums, percentiles", true, 0, TK_TIMER_SUM_SKETCH},
    {"sums, incl, percentiles", true, TK_SLICE_OUTER, TK_TIMER_SUM_INCL | TK_TIMER_SUM_SKETCH},
    {"sums, incl, percentiles, frames", true, TK_SLICE_OUTER | TK_SLICE_FRAME,
     TK_TIMER_SUM_INCL | TK_TIMER_SUM_SKETCH | TK_TIMER_SUM_FRAMES},
};

struct bench {
    struct batches batches;
    uint32_t *ops; /* by spec */
    uint32_t timers;
    struct tk_frames frames;
    struct tk_limits limits;
    struct tk_select select;
    struct tk_dict dict;
    struct tk_pool *pool;
    struct tk_timer_sum_set set;
    struct tk_frame_sums sums;
    const struct stage *stage;
    uint64_t slices;
};

static uint64_t sink;

static void plain(struct bench *bench)
{
    const uint8_t *p = bench->batches.data;
    uint64_t times = 0, timers = 0;
    for (uint32_t i = 0; i < bench->batches.n; i++) {
        const uint8_t *end = p + bench->batches.sizes[i];
        while (p < end) {
            uint64_t v = 0;
            unsigned shift = 0;
            for (; *p & 0x80; shift += 7)
                v |= (uint64_t)(*p++ & 0x7f) << shift;
            v |= (uint64_t)*p++ << shift;
            times += v >> 2;
            if (!(v & 1))
                continue;
            for (v = 0, shift = 0; *p & 0x80; shift += 7)
                v |= (uint64_t)(*p++ & 0x7f) << shift;
            v |= (uint64_t)*p++ << shift;
            timers += v;
        }
    }
    sink += times + timers;
}

static int take(void *ctx, const struct tk_slices *slices, unsigned worker)
{
    struct bench *bench = ctx;
    (void)worker;
    bench->slices += slices->n;
    return bench->stage->what >= 0 ? tk_timer_sum_take(&bench->set, slices) : 0;
}

static int feed(struct bench *bench, struct tk_scope_model *model, struct tk_cpu_chunk *c)
{
    struct tk_timer_sum_set *sets[] = {&bench->set};
    for (size_t i = 0; i < c->n_fixups; i++)
        c->op[c->fixups[i].at] = bench->timers + 1 + (uint32_t)c->fixups[i].raw % METADATA_TIMERS;
    struct tk_scope_run run = {.thread = 1, .n = c->n, .time = c->time, .op = c->op};
    struct tk_batch batch = {.runs = &run, .n_runs = 1};
    if (bench->stage->columns & TK_SLICE_FRAME && tk_frame_sums_advance(&bench->sums, sets, 1))
        return -1;
    return tk_scope_model_feed(model, &batch, NULL);
}

static int decode_all(struct bench *bench, struct tk_scope_model *model)
{
    const struct batches *b = &bench->batches;
    struct tk_cpu_chunk c = {.form = 3,
                             .bytes = b->data,
                             .start_cycle = START,
                             .spec_timer = bench->ops,
                             .n_specs = bench->timers + 1,
                             .max_depth = 1024};
    int rc = 0;
    for (uint32_t i = 0; i < b->n && rc == 0; i += c.n_batches) {
        size_t bytes = 0;
        c.sizes = b->sizes + i;
        for (c.n_batches = 0; i + c.n_batches < b->n && bytes < CHUNK; c.n_batches++)
            bytes += c.sizes[c.n_batches];
        rc = tk_cpu_decode(&c);
        if (rc == 0 && model)
            rc = feed(bench, model, &c);
        sink += c.n;
        c.bytes += bytes;
    }
    tk_cpu_chunk_release(&c);
    return rc;
}

static int run_stage(struct bench *bench, const struct stage *stage)
{
    struct tk_query_context view = {.frames = &bench->frames, .select = &bench->select, .dict = &bench->dict};
    struct tk_scope_setup setup = {.limits = &bench->limits,
                                   .select = &bench->select,
                                   .frames = &bench->frames,
                                   .pool = bench->pool,
                                   .columns = stage->columns,
                                   .take = take,
                                   .ctx = bench};
    struct tk_scope_model *model = NULL;
    bench->stage = stage;
    bench->slices = 0;
    tk_frame_sums_init(&bench->sums, &view, false);
    bench->set = (struct tk_timer_sum_set){.what = (unsigned)stage->what, .window = &bench->sums.window};
    int rc = stage->stacks ? tk_scope_model_open(&model, &setup, NULL) : 0;
    if (rc == 0)
        rc = decode_all(bench, model);
    if (rc == 0 && stage->stacks && bench->slices != bench->batches.scopes)
        rc = -1;
    tk_scope_model_close(model);
    tk_timer_sum_release(&bench->set);
    return rc;
}

/* ---- measuring ---- */

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of the best run; stage NULL: the plain loop. Negative on failure. */
static double measure(struct bench *bench, const struct stage *stage, uint64_t runs)
{
    double best = -1;
    for (uint64_t i = 0; i < runs; i++) {
        double begin = cpu_seconds();
        if (!stage)
            plain(bench);
        else if (run_stage(bench, stage))
            return -1;
        double spent = cpu_seconds() - begin;
        best = i == 0 || spent < best ? spent : best;
    }
    return best;
}

static int prepare(struct bench *bench, uint64_t mb, uint64_t timers)
{
    bench->timers = (uint32_t)timers;
    if (make_batches(&bench->batches, (size_t)mb * 1000000, bench->timers))
        return -1;
    bench->ops = malloc((bench->timers + 1) * sizeof *bench->ops);
    bench->frames.n = (size_t)bench->batches.frames;
    bench->frames.v = malloc(bench->frames.n * sizeof *bench->frames.v);
    bench->pool = tk_pool_open(1);
    if (!bench->ops || !bench->frames.v || !bench->pool)
        return -1;
    for (uint32_t i = 0; i <= bench->timers; i++)
        bench->ops[i] = i;
    for (size_t i = 0; i < bench->frames.n; i++)
        bench->frames.v[i] = (struct tk_range){(int64_t)i * FRAME, ((int64_t)i + 1) * FRAME};
    bench->limits = tk_limits_default();
    bench->select.all_time = true;
    return 0;
}

static int print_stages(struct bench *bench, uint64_t runs)
{
    double base = measure(bench, NULL, runs), entries = (double)bench->batches.entries;
    printf("%-34s %8s %6s\n", "stage", "ns/entry", "ratio");
    printf("%-34s %8.2f %6.2f\n", "plain loop", base * 1e9 / entries, 1.0);
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        double spent = measure(bench, &stages[i], runs);
        if (spent < 0)
            return -1;
        printf("%-34s %8.2f %6.2f\n", stages[i].name, spent * 1e9 / entries, spent / base);
    }
    return sink == 0;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    uint64_t timers = 2000, mb = 64, runs = 5;
    for (int i = 1; i < argc; i += 2) {
        uint64_t *value = strcmp(argv[i], "--timers") == 0 ? &timers
                          : strcmp(argv[i], "--mb") == 0   ? &mb
                          : strcmp(argv[i], "--runs") == 0 ? &runs
                                                           : NULL;
        if (!value || i + 1 == argc || tk_bench_size(argv[i + 1], value) < 0 || !*value || *value > 1000000) {
            fputs("usage: bench-hot [--timers N] [--mb N] [--runs N]\n", stderr);
            return 2;
        }
    }
    if (prepare(&bench, mb, timers) || print_stages(&bench, runs)) {
        fputs("bench-hot: a stage failed\n", stderr);
        return 1;
    }
    tk_pool_close(bench.pool);
    return 0;
}
