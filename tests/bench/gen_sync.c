/*
 * bench-gen-sync OUT.utrace BYTES [--lanes N] [--seed S] [--far]
 *
 * Writes a capture of synchronised events, about BYTES long: protocol 7, transport 4, N threads (8) whose
 * serials interleave in short runs. Two types: Bench.Pair {Value u32, Stamp u64} and Bench.Tick without
 * fields. Bench.Pair counts the events of its thread in Value. Prints the number of events of both types.
 *
 * Usually the threads are drained every 20,000 events. With --far each thread is drained only once in up to
 * 8,000,000 events, so that its packets lie behind those of the threads before it: whoever reads in the order
 * of the file has to keep nearly all of that. It stays below 2^23 serials, the most that 24 bits on the wire
 * can tell apart. The generator keeps nothing either: it draws the same schedule again for each thread.
 */
#include "random.h"
#include "size.h"
#include "utrace_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES_MAX = 64,
    ROUND_EVENTS = 20000,
    FAR_EVENTS = 8000000,
    RUN_MAX = 24,
    BYTES_AN_EVENT = 10, /* guess that is good enough to size the first drain of --far */
    ALL_LANES = -1,
};

static const struct tk_uw_field pair_fields[] = {
    {.name = "Value", .type = TK_UW_U32},
    {.name = "Stamp", .type = TK_UW_U64},
};

struct generator {
    struct tk_uw uw;
    struct tk_random random;
    struct tk_uw_type pair;
    struct tk_uw_type tick;
    unsigned lane_count;
    uint64_t events;
    uint64_t pairs;
    struct tk_uw_lane lanes[LANES_MAX];
    struct tk_uw_lane *order[LANES_MAX];
    uint32_t values[LANES_MAX];
};

struct arguments {
    const char *out;
    uint64_t bytes;
    uint64_t lanes;
    uint64_t seed;
    bool far;
};

static void write_event(struct generator *gen, unsigned lane, uint32_t serial, bool pair)
{
    struct tk_uw_lane *out = &gen->lanes[lane];
    const struct tk_uw_type *type = pair ? &gen->pair : &gen->tick;

    tk_uw_begin_serial(out, type, serial);
    if (pair) {
        tk_uw_u32(&out->pending, ++gen->values[lane]);
        tk_uw_u64(&out->pending, gen->uw.start_cycle + 3ULL * serial);
        gen->pairs++;
    }
    tk_uw_end(out, type);
    gen->events++;
}

/*
 * Draws the schedule of the next `count` serials and writes the events of one lane or of all. The random
 * state and the serial that follow are the same in both cases.
 */
static void write_serials(struct generator *gen, uint32_t count, int only)
{
    uint32_t serial = gen->uw.stream.serial;
    uint32_t end = serial + count;

    while (serial != end) {
        uint64_t bits = tk_random_next(&gen->random);
        unsigned lane = (unsigned)(bits >> 40) % gen->lane_count;
        uint32_t run = 1 + (uint32_t)(bits >> 32 & 0xff) % RUN_MAX;

        for (; run && serial != end; run--, serial++, bits >>= 1)
            if (only == ALL_LANES || (unsigned)only == lane)
                write_event(gen, lane, serial, bits & 1);
    }
}

static void write_near(struct generator *gen)
{
    write_serials(gen, ROUND_EVENTS, ALL_LANES);
    gen->uw.stream.serial += ROUND_EVENTS;
    tk_uw_round(&gen->uw, gen->order, gen->lane_count);
}

static uint32_t far_events(const struct generator *gen, uint64_t bytes)
{
    uint64_t written = gen->uw.sink.written;
    uint64_t left = bytes - written;
    uint64_t events = gen->events ? left * gen->events / written : left / BYTES_AN_EVENT;

    return events > FAR_EVENTS ? FAR_EVENTS : (uint32_t)events + 1;
}

static void write_far(struct generator *gen, uint64_t bytes)
{
    uint32_t count = far_events(gen, bytes);
    struct tk_random before = gen->random;

    for (unsigned lane = 0; lane < gen->lane_count; lane++) {
        gen->random = before;
        write_serials(gen, count, (int)lane);
        tk_uw_lane_flush(&gen->lanes[lane]);
    }
    gen->uw.stream.serial += count;
    tk_uw_round(&gen->uw, NULL, 0);
}

static void start(struct generator *gen, const struct arguments *args)
{
    char name[32];

    gen->random.state = args->seed;
    gen->lane_count = (unsigned)args->lanes;
    tk_uw_new_trace(&gen->uw);
    gen->pair = (struct tk_uw_type){.logger = "Bench", .event = "Pair", TK_UW_FIELDS(pair_fields)};
    gen->tick = (struct tk_uw_type){.logger = "Bench", .event = "Tick"};
    tk_uw_register(&gen->uw, &gen->pair);
    tk_uw_register(&gen->uw, &gen->tick);
    for (unsigned i = 0; i < gen->lane_count; i++) {
        uint16_t tid = (uint16_t)(TK_UW_TID_FIRST + i);

        snprintf(name, sizeof(name), "Thread %u", i);
        tk_uw_thread_info(&gen->uw, tid, 100 + i, 0, name);
        tk_uw_thread(&gen->uw, &gen->lanes[i], tid);
        tk_uw_thread_timing(&gen->uw, &gen->lanes[i], 0);
        gen->order[i] = &gen->lanes[i];
    }
    tk_uw_lane_flush(&gen->uw.important);
}

static int generate(const struct arguments *args)
{
    static struct generator gen;

    if (tk_uw_open(&gen.uw, &(struct tk_uw_options){TK_UW_DEFAULTS, .path = args->out}) < 0)
        return -1;
    start(&gen, args);
    while (gen.uw.sink.written < args->bytes && !gen.uw.sink.failed) {
        if (args->far)
            write_far(&gen, args->bytes);
        else
            write_near(&gen);
    }
    for (unsigned i = 0; i < gen.lane_count; i++)
        tk_uw_lane_release(&gen.lanes[i]);

    int status = tk_uw_close(&gen.uw);

    printf("events %" PRIu64 " pairs %" PRIu64 " ticks %" PRIu64 " bytes %" PRIu64 "\n", gen.events,
           gen.pairs, gen.events - gen.pairs, gen.uw.sink.written);
    return status;
}

static int parse_option(struct arguments *args, const char *name, const char *value)
{
    if (strcmp(name, "--lanes") == 0 && value)
        return tk_bench_size(value, &args->lanes) < 0 || args->lanes < 1 || args->lanes > LANES_MAX ? -1 : 1;
    if (strcmp(name, "--seed") == 0 && value)
        return tk_bench_size(value, &args->seed) < 0 ? -1 : 1;
    args->far = strcmp(name, "--far") == 0;
    return args->far ? 0 : -1;
}

static int parse(struct arguments *args, int argc, char **argv)
{
    if (argc < 3 || tk_bench_size(argv[2], &args->bytes) < 0)
        return -1;
    args->out = argv[1];
    for (int i = 3; i < argc; i++) {
        int used = parse_option(args, argv[i], argv[i + 1]);

        if (used < 0)
            return -1;
        i += used;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct arguments args = {.lanes = 8, .seed = 1};

    if (parse(&args, argc, argv) < 0) {
        fputs("usage: bench-gen-sync OUT.utrace BYTES [--lanes N] [--seed S] [--far]\n", stderr);
        return 2;
    }
    if (generate(&args) < 0) {
        fprintf(stderr, "cannot write '%s': %s\n", args.out, strerror(errno));
        return 1;
    }
    return 0;
}
