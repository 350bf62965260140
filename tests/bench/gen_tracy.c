/*
 * bench-gen-tracy OUT.tracy BYTES [--codec lz4|zstd] [--streams N] [--seed S]
 *
 * Writes a capture of version 0.14.0 whose zones have about BYTES unpacked, 26 bytes each: 384 source
 * locations in twelve levels, eight threads, zones up to twelve deep, extras on two of a hundred zones, a
 * frame set. Each location calls a fixed few of the next level, some of them several times; what they take
 * varies a little. Prints the number of zones.
 *
 * The file states how many zones a thread has before they come, so a thread is drawn twice.
 */
#include "random.h"
#include "size.h"
#include "tracy_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEVELS = 12,
    WIDTH = 32, /* locations of a level */
    LOCATIONS = LEVELS * WIDTH,
    CALLS = 3,
    THREADS = 8,
    EXTRAS = 64,
    FRAME_NS = 16000000,
    FRAMES_MAX = 4096,
};

struct call {
    uint16_t callee;
    uint8_t most; /* times that it is called, 0 to this */
};

struct generator {
    struct tk_tw w;
    struct tk_tw_trace trace;
    struct tk_random random;
    struct call calls[LOCATIONS][CALLS];
    uint32_t work[LOCATIONS]; /* ns that a location takes by itself */
    char names[LOCATIONS + THREADS + EXTRAS + 1][24];
    const char *strings[LOCATIONS + THREADS + EXTRAS + 1];
    struct tk_tw_location locations[LOCATIONS];
    struct tk_tw_extra extras[EXTRAS];
    struct tk_tw_thread threads[THREADS];
    struct tk_tw_frame frames[FRAMES_MAX];
    struct tk_tw_frame_set set;
    bool writes; /* the second time */
    uint64_t zones;
    int64_t now;
};

struct arguments {
    const char *out;
    uint64_t bytes, streams, seed;
    enum tk_tw_codec codec;
};

/* ---- the program ---- */

static void make_calls(struct generator *gen)
{
    for (unsigned i = 0; i < LOCATIONS; i++) {
        gen->work[i] = 40 + tk_random_below(&gen->random, 2000);
        for (unsigned k = 0; k < CALLS && i / WIDTH + 1 < LEVELS; k++) {
            gen->calls[i][k].callee =
                (uint16_t)((i / WIDTH + 1) * WIDTH + tk_random_below(&gen->random, WIDTH));
            gen->calls[i][k].most = (uint8_t)(1 + (tk_random_below(&gen->random, 8) == 0));
        }
    }
}

static void make_texts(struct generator *gen)
{
    unsigned n = 0;
    for (unsigned i = 0; i < LOCATIONS; i++, n++) {
        snprintf(gen->names[n], sizeof gen->names[n], "Level%u::Task%u", i / WIDTH, i % WIDTH);
        gen->locations[i] = (struct tk_tw_location){
            .name = (int)n, .function = (int)n, .file = LOCATIONS + THREADS + EXTRAS, .line = 10 + i};
    }
    for (unsigned i = 0; i < THREADS; i++, n++) {
        snprintf(gen->names[n], sizeof gen->names[n], "Worker %u", i);
        gen->threads[i] = (struct tk_tw_thread){.tid = 1000 + i, .name = (int)n};
    }
    for (unsigned i = 0; i < EXTRAS; i++, n++) {
        snprintf(gen->names[n], sizeof gen->names[n], "item %u", i);
        gen->extras[i] = (struct tk_tw_extra){.text = (int)n, .name = -1};
    }
    snprintf(gen->names[n], sizeof gen->names[n], "/src/bench/program.cpp");
    for (unsigned i = 0; i <= n; i++)
        gen->strings[i] = gen->names[i];
}

/* ---- zones ---- */

/* Draws how often each callee is called; the sum. */
static uint32_t draw(struct generator *gen, unsigned location, uint8_t times[CALLS])
{
    uint64_t bits = tk_random_next(&gen->random);
    uint32_t sum = 0;
    for (unsigned k = 0; k < CALLS; k++) {
        times[k] = 0;
        if (gen->calls[location][k].most && (bits >> (8 * k) & 31) > 9)
            times[k] = gen->calls[location][k].most;
        sum += times[k];
    }
    return sum;
}

/* No deeper than there are levels. */
static void zone(struct generator *gen, unsigned location)
{
    uint8_t times[CALLS];
    uint32_t children = draw(gen, location, times);
    uint64_t bits = tk_random_next(&gen->random);
    uint32_t extra = bits % 50 == 0 ? 1 + (uint32_t)(bits >> 32) % EXTRAS : 0;
    gen->zones++;
    gen->now += 20 + (int64_t)(bits >> 16 & bits >> 40 & 3);
    if (gen->writes)
        tk_tw_zone_begin(&gen->w, (int16_t)(location + 1), gen->now, extra, children);
    for (unsigned k = 0; k < CALLS; k++)
        for (unsigned i = 0; i < times[k]; i++)
            zone(gen, gen->calls[location][k].callee);
    gen->now += gen->work[location] + (int64_t)(bits >> 20 & bits >> 44 & 7);
    if (gen->writes)
        tk_tw_zone_end(&gen->w, gen->now);
}

/* Zones of the first level until there are enough; how many. */
static uint32_t zones(struct generator *gen, unsigned thread, uint64_t seed, uint64_t wanted)
{
    uint32_t roots = 0;
    gen->random.state = seed * 1000 + thread;
    gen->zones = 0;
    gen->now = 1000;
    while (gen->zones < wanted) {
        zone(gen, tk_random_below(&gen->random, 8));
        roots++;
    }
    return roots;
}

static void write_threads(struct generator *gen, uint64_t seed, const uint64_t counts[THREADS],
                          const uint32_t roots[THREADS], uint64_t wanted)
{
    gen->writes = true;
    for (unsigned i = 0; i < THREADS; i++) {
        tk_tw_thread(&gen->w, i, counts[i], roots[i]);
        zones(gen, i, seed, wanted);
        tk_tw_thread_lists(&gen->w, i);
    }
}

/* ---- the file ---- */

static void describe(struct generator *gen, int64_t last)
{
    size_t frames = (size_t)(last / FRAME_NS) < FRAMES_MAX ? (size_t)(last / FRAME_NS) : FRAMES_MAX;
    for (size_t i = 0; i < frames; i++)
        gen->frames[i] = (struct tk_tw_frame){.start = (int64_t)i * FRAME_NS, .image = -1};
    gen->set = (struct tk_tw_frame_set){.name = -1, .continuous = true, .frames = gen->frames, .n = frames};
    gen->trace = (struct tk_tw_trace){.capture_name = "bench",
                                      .program = "bench",
                                      .host = "",
                                      .pid = 1,
                                      .last_time = last,
                                      .crash_message = -1,
                                      .strings = gen->strings,
                                      .n_strings = LOCATIONS + THREADS + EXTRAS + 1,
                                      .locations = gen->locations,
                                      .n_locations = LOCATIONS,
                                      .frame_sets = &gen->set,
                                      .n_frame_sets = 1,
                                      .extras = gen->extras,
                                      .n_extras = EXTRAS,
                                      .threads = gen->threads,
                                      .n_threads = THREADS};
}

static int write_capture(struct generator *gen, const struct arguments *args, uint64_t *all)
{
    const struct tk_tw_options options = {.path = args->out,
                                          .version = TK_TW_V(0, 14, 0),
                                          .container = TK_TW_MANY,
                                          .codec = args->codec,
                                          .level = 3,
                                          .streams = (unsigned)args->streams};
    uint64_t counts[THREADS], wanted = args->bytes / 26 / THREADS;
    uint32_t roots[THREADS];
    int64_t last = 0;
    gen->random.state = args->seed;
    make_calls(gen);
    make_texts(gen);
    *all = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        roots[i] = zones(gen, i, args->seed, wanted);
        *all += counts[i] = gen->zones;
        last = gen->now > last ? gen->now : last;
    }
    describe(gen, last);
    tk_tw_open(&gen->w, &options, &gen->trace);
    tk_tw_front(&gen->w, *all);
    write_threads(gen, args->seed, counts, roots, wanted);
    tk_tw_rest(&gen->w);
    return tk_tw_close(&gen->w);
}

static int parse(struct arguments *args, int argc, char **argv)
{
    *args = (struct arguments){.streams = 4, .seed = 1, .codec = TK_TW_ZSTD};
    if (argc < 3 || tk_bench_size(argv[2], &args->bytes))
        return -1;
    args->out = argv[1];
    for (int i = 3; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--codec") == 0 && strcmp(argv[i + 1], "lz4") == 0)
            args->codec = TK_TW_LZ4;
        else if (strcmp(argv[i], "--codec") == 0 && strcmp(argv[i + 1], "zstd") == 0)
            args->codec = TK_TW_ZSTD;
        else if (strcmp(argv[i], "--streams") != 0 || tk_bench_size(argv[i + 1], &args->streams) ||
                 !args->streams || args->streams > 255)
            if (strcmp(argv[i], "--seed") != 0 || tk_bench_size(argv[i + 1], &args->seed))
                return -1;
    }
    return argc % 2 ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct arguments args;
    struct generator *gen = calloc(1, sizeof(*gen));
    uint64_t all;
    int rc;

    if (!gen || parse(&args, argc, argv)) {
        fprintf(stderr,
                "usage: bench-gen-tracy OUT.tracy BYTES [--codec lz4|zstd] [--streams N] [--seed S]\n");
        free(gen);
        return 2;
    }
    rc = write_capture(gen, &args, &all);
    free(gen);
    if (rc) {
        fprintf(stderr, "bench-gen-tracy: cannot write '%s'\n", args.out);
        return 1;
    }
    printf("zones %" PRIu64 "\n", all);
    return 0;
}
