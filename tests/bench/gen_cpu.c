/*
 * bench-gen-cpu OUT.utrace BYTES [--timers N] [--seed S] [--truth FILE] [--families N] [--frames N]
 *               [--threads N] [--packet BYTES] [--lanes 1]
 *
 * Writes a capture full of CPU scopes, about BYTES long, as a heavily traced game would: protocol 7,
 * transport 4, a clock of 10 MHz, 32 threads drained every 17 ms into packets of at most 4 KiB; --threads and
 * --packet take other numbers: 131 threads and packets of some 217 bytes are what captures of an editor have.
 *
 *   - Timers are drawn with frequencies that fall as 1 / rank; ids follow the order of first use. One scope
 *     in a hundred refers to a metadata instance, which is defined directly before it on the same thread.
 *   - The first thread holds 60 % of the scopes and runs in game frames of 16.6 ms. The others run short
 *     tasks, in bursts.
 *   - Regions of 6.8 s begin on the first thread every 5.4 s, each in the one before.
 *   - Inside a frame or task begins and ends follow each other at random, so that the depth is roughly
 *     geometric; it never exceeds 30. The time between two of them spans four decades, most of it at the
 *     short end.
 *
 * With --families one thread after the other gets N events of each family that is not about CPU scopes in
 * each round (families.h); the scopes stay the same. With --lanes each round has events of all kinds of lanes
 * of the viewer, which agree with each other (lane_kinds.h). With --frames the capture ends after so many
 * frames, whatever its size.
 *
 * Memory does not grow with BYTES. The truth is added up from the generator's own stacks; every scope is
 * closed at the end.
 */
#include "cpu.h"
#include "cpu_truth.h"
#include "families.h"
#include "lane_kinds.h"
#include "size.h"
#include "values.h"
#include "zipf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREADS = 32,
    MOST_THREADS = 256,
    FIRST_THREAD = 4000, /* id of the system */
    DEPTH_MAX = 30,
    METADATA_TIMERS = 40,
    GAPS = 4096,
    ROUND = 170000,       /* cycles: 17 ms */
    FRAME = 166000,       /* cycles: 16.6 ms */
    FRAME_BUSY = 140000,  /* cycles of a frame that scopes fill, at least */
    FRAME_SPREAD = 24000, /* and how much more it may be */
    TASK_SHORTEST = 1000,
    TASK_SPREAD = 20000,
    REGION_EVERY = 320,   /* rounds from the begin of a region to that of the next one */
    REGION_ROUNDS = 400,  /* and to its end */
    BURST_ROUNDS = 8,     /* a thread of tasks is given work in one round of so many */
    DRAWS_FOR_ORDER = 40, /* draws a timer that decide the order of first use */
};

struct scope {
    uint32_t timer; /* index */
    uint64_t begin;
    uint64_t children; /* cycles in direct children */
};

struct walker {
    struct tk_uw_lane lane;
    struct tk_uw_cpu cpu;
    uint64_t now;
    uint64_t busy_until; /* end of the frame or task */
    uint64_t next_frame; /* first thread only */
    uint64_t scopes;
    uint64_t quota;  /* a task is begun only while there are fewer scopes than this */
    uint64_t weight; /* share of what the first thread leaves over */
    unsigned depth;
    struct scope stack[DEPTH_MAX];
};

struct generator {
    struct tk_uw uw;
    struct tk_random random;
    struct tk_random drawn; /* for the other families, so that scopes do not depend on them */
    struct tk_families families;
    uint64_t of_each; /* family, in a round */
    struct tk_lane_kinds kinds;
    bool has_kinds;
    struct tk_zipf zipf;
    struct tk_uw_bytes values;     /* scratch for metadata */
    struct tk_truth_timer *timers; /* owned: plain ones, then those with metadata */
    uint32_t *by_rank;             /* owned: index of the timer of each rank */
    uint32_t plain;                /* how many plain timers there are */
    uint32_t instances;            /* metadata instances so far */
    uint64_t frames;
    uint16_t gaps[GAPS];
    struct walker walkers[MOST_THREADS];
    unsigned threads;
    struct tk_uw_lane *lanes[MOST_THREADS];
};

struct arguments {
    const char *out;
    const char *truth;
    uint64_t bytes;
    uint64_t timers;
    uint64_t seed;
    uint64_t families;
    uint64_t frames;
    uint64_t threads;
    uint64_t packet;
    uint64_t lanes;
};

static void define_instance(struct generator *gen, struct walker *walker, const struct tk_truth_timer *timer)
{
    gen->instances++;
    tk_uw_bytes_clear(&gen->values);
    tk_uw_cbor_uint(&gen->values, gen->instances * 7U % 5000U);
    tk_uw_cbor_text(&gen->values, gen->instances % 3 ? "Hero" : "Crate", true);
    tk_uw_cpu_metadata(&gen->uw, &walker->lane, gen->instances, timer->id, &gen->values);
}

static void open_scope(struct generator *gen, struct walker *walker)
{
    bool metadata = tk_random_below(&gen->random, 100) == 0;
    uint32_t timer;

    if (metadata) {
        timer = gen->plain + tk_random_below(&gen->random, METADATA_TIMERS);
        define_instance(gen, walker, &gen->timers[timer]);
        tk_uw_cpu_begin_metadata(&walker->cpu, walker->now, gen->instances);
    } else {
        timer = gen->by_rank[tk_zipf_draw(&gen->zipf, &gen->random)];
        tk_uw_cpu_begin(&walker->cpu, walker->now, gen->timers[timer].id);
    }
    walker->stack[walker->depth++] = (struct scope){timer, walker->now, 0};
    walker->scopes++;
}

static void close_scope(struct generator *gen, struct walker *walker)
{
    const struct scope *scope = &walker->stack[--walker->depth];
    uint64_t duration = walker->now - scope->begin;

    tk_uw_cpu_end(&walker->cpu, walker->now);
    tk_truth_add(&gen->timers[scope->timer], duration, duration - scope->children);
    if (walker->depth)
        walker->stack[walker->depth - 1].children += duration;
}

/* One begin or end inside a frame or task, then some time. Four in nine are begins. */
static void step(struct generator *gen, struct walker *walker)
{
    uint64_t bits = tk_random_next(&gen->random);
    bool down = walker->depth < DEPTH_MAX && (walker->depth < 2 || (bits >> 32) % 9 < 4);

    if (walker->now < walker->busy_until && down)
        open_scope(gen, walker);
    else
        close_scope(gen, walker);
    walker->now += gen->gaps[bits % GAPS];
}

static void begin_frame(struct generator *gen, struct walker *walker)
{
    if (walker->now < walker->next_frame)
        walker->now = walker->next_frame;
    tk_uw_frame_begin(&gen->uw, &walker->lane, walker->now, 0);
    gen->frames++;
    walker->next_frame += FRAME;
    walker->busy_until = walker->now + FRAME_BUSY + tk_random_below(&gen->random, FRAME_SPREAD);
    open_scope(gen, walker);
}

static void run_frames(struct generator *gen, struct walker *walker, uint64_t until)
{
    while (walker->now < until) {
        if (!walker->depth) {
            begin_frame(gen, walker);
            continue;
        }
        step(gen, walker);
        if (!walker->depth)
            tk_uw_frame_end(&gen->uw, &walker->lane, walker->now, 0);
    }
}

static void run_tasks(struct generator *gen, struct walker *walker, uint64_t until)
{
    while (walker->now < until) {
        if (walker->depth) {
            step(gen, walker);
        } else if (walker->scopes < walker->quota) {
            walker->busy_until = walker->now + TASK_SHORTEST + tk_random_below(&gen->random, TASK_SPREAD);
            open_scope(gen, walker);
        } else {
            walker->now = until;
        }
    }
}

static uint64_t total_weight(const struct generator *gen)
{
    uint64_t sum = 0;

    for (unsigned i = 1; i < gen->threads; i++)
        sum += gen->walkers[i].weight;
    return sum;
}

/* Begins a round's share of work on the threads of tasks whose turn it is. */
static void give_work(struct generator *gen)
{
    uint64_t weights = total_weight(gen);

    for (unsigned i = 1; i < gen->threads; i++)
        if ((gen->uw.rounds + i) % BURST_ROUNDS == 0)
            gen->walkers[i].quota = gen->walkers[0].scopes * 2 / 3 * gen->walkers[i].weight / weights;
}

static void write_families(struct generator *gen)
{
    struct walker *walker = &gen->walkers[gen->uw.rounds % gen->threads];

    for (uint64_t i = 0; i < gen->of_each; i++)
        tk_families_write(&gen->families, &walker->lane, &gen->drawn, walker->now);
}

static void write_regions(struct generator *gen)
{
    static const char *const names[] = {"Menu", "Level 1", "Level 2", "Level 3", "Boss", "Credits"};
    const unsigned n = sizeof names / sizeof *names;
    struct walker *walker = &gen->walkers[0];
    uint64_t round = gen->uw.rounds;

    if (round % REGION_EVERY == 0)
        tk_uw_region_begin(&gen->uw, &walker->lane, walker->now, names[round / REGION_EVERY % n], "Map");
    if (round >= REGION_ROUNDS && (round - REGION_ROUNDS) % REGION_EVERY == 0)
        tk_uw_region_end(&gen->uw, &walker->lane, walker->now,
                         names[(round - REGION_ROUNDS) / REGION_EVERY % n]);
}

static void run_round(struct generator *gen, uint64_t until)
{
    give_work(gen);
    write_regions(gen);
    run_frames(gen, &gen->walkers[0], until);
    for (unsigned i = 1; i < gen->threads; i++)
        run_tasks(gen, &gen->walkers[i], until);
    write_families(gen);
    if (gen->has_kinds)
        tk_lane_kinds_write(&gen->kinds, &gen->uw, gen->lanes, FIRST_THREAD, &gen->drawn, until - ROUND);
    tk_uw_round(&gen->uw, gen->lanes, gen->threads);
}

static void close_all(struct generator *gen)
{
    for (unsigned i = 0; i < gen->threads; i++) {
        struct walker *walker = &gen->walkers[i];
        bool in_frame = i == 0 && walker->depth;

        for (; walker->depth; walker->now++)
            close_scope(gen, walker);
        if (in_frame)
            tk_uw_frame_end(&gen->uw, &walker->lane, walker->now, 0);
    }
    tk_uw_round(&gen->uw, gen->lanes, gen->threads);
}

static void run(struct generator *gen, const struct arguments *args)
{
    uint64_t until = gen->uw.start_cycle;

    while ((args->frames ? gen->frames < args->frames : gen->uw.sink.written < args->bytes) &&
           !gen->uw.sink.failed)
        run_round(gen, until += ROUND);
    close_all(gen);
}

/* Times between two entries: 700 of 1000 at most 32 cycles, the rest up to 10,000. */
static void draw_gaps(struct generator *gen)
{
    for (unsigned i = 0; i < GAPS; i++) {
        uint32_t kind = tk_random_below(&gen->random, 1000);
        uint32_t narrow = tk_random_below(&gen->random, 1U << tk_random_below(&gen->random, 6));
        uint32_t middle = 32 + tk_random_below(&gen->random, 16U << tk_random_below(&gen->random, 6));
        uint32_t broad = tk_random_below(&gen->random, 2000);
        uint32_t wide = 1000 + tk_random_below(&gen->random, 9000);

        gen->gaps[i] = (uint16_t)(kind < 700 ? 1 + narrow : kind < 993 ? middle : kind < 999 ? broad : wide);
    }
}

/* Gives ids in the order in which a program would first meet its timers: the frequent ones early, but not
 * sorted. */
static void order_timers(struct generator *gen)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < gen->plain; i++)
        gen->by_rank[i] = UINT32_MAX;
    for (uint32_t i = 0; i < gen->plain * DRAWS_FOR_ORDER; i++) {
        uint32_t rank = tk_zipf_draw(&gen->zipf, &gen->random);

        if (gen->by_rank[rank] == UINT32_MAX)
            gen->by_rank[rank] = next++;
    }
    for (uint32_t i = 0; i < gen->plain; i++)
        if (gen->by_rank[i] == UINT32_MAX)
            gen->by_rank[i] = next++;
}

static void write_specs(struct generator *gen)
{
    struct tk_uw_bytes fields = {0};
    char name[TK_TRUTH_NAME];

    tk_uw_cbor_text(&fields, "Index", false);
    tk_uw_cbor_text(&fields, "Actor", false);
    for (uint32_t i = 0; i < gen->plain + METADATA_TIMERS; i++) {
        struct tk_truth_timer *timer = &gen->timers[i];

        timer->id = i + 1;
        timer->metadata = i >= gen->plain;
        tk_truth_name(timer, name);
        if (timer->metadata)
            tk_uw_cpu_metadata_spec(&gen->uw, timer->id, name, "%d of %s", &fields);
        else
            tk_uw_cpu_spec(&gen->uw, timer->id, name, "Source/Game/Scopes.cpp", 10 + i);
    }
    tk_uw_bytes_release(&fields);
}

static void start_threads(struct generator *gen, const struct arguments *args)
{
    char name[32] = "GameThread";

    for (unsigned i = 0; i < gen->threads; i++) {
        struct walker *walker = &gen->walkers[i];
        uint16_t tid = (uint16_t)(TK_UW_TID_FIRST + i);

        if (i)
            snprintf(name, sizeof(name), "Worker #%u", i);
        tk_uw_thread_info(&gen->uw, tid, FIRST_THREAD + i, i ? 0 : -1, name);
        tk_uw_thread(&gen->uw, &walker->lane, tid);
        if (args->packet)
            walker->lane.limit = (size_t)args->packet;
        gen->lanes[i] = &walker->lane;
        tk_uw_thread_timing(&gen->uw, &walker->lane, 100 + i);
        tk_uw_cpu_init(&walker->cpu, &gen->uw, &walker->lane, 3);
        walker->weight = 16 + i;
        walker->now = gen->uw.start_cycle + 1000 + 10 * i;
        walker->next_frame = walker->now;
    }
}

static int start(struct generator *gen, const struct arguments *args)
{
    gen->plain = (uint32_t)args->timers;
    gen->threads = (unsigned)args->threads;
    gen->random.state = gen->drawn.state = args->seed;
    gen->of_each = args->families;
    gen->timers = calloc(gen->plain + METADATA_TIMERS, sizeof(*gen->timers));
    gen->by_rank = malloc(gen->plain * sizeof(*gen->by_rank));
    if (!gen->timers || !gen->by_rank || tk_zipf_init(&gen->zipf, gen->plain) < 0)
        return -1;
    if (tk_uw_open(&gen->uw, &(struct tk_uw_options){TK_UW_DEFAULTS, .path = args->out}) < 0)
        return -1;
    draw_gaps(gen);
    order_timers(gen);
    tk_uw_new_trace(&gen->uw);
    tk_uw_channel_announce(&gen->uw, "Cpu", true, false);
    write_specs(gen);
    if (gen->of_each)
        tk_families_declare(&gen->families, &gen->uw);
    gen->has_kinds = args->lanes;
    if (gen->has_kinds)
        tk_lane_kinds_start(&gen->kinds, &gen->uw);
    start_threads(gen, args);
    return 0;
}

static void finish(struct generator *gen)
{
    for (unsigned i = 0; i < gen->threads; i++)
        tk_uw_lane_release(&gen->walkers[i].lane);
    tk_uw_bytes_release(&gen->values);
    tk_zipf_release(&gen->zipf);
    free(gen->by_rank);
    free(gen->timers);
}

static uint64_t scopes_of(const struct generator *gen)
{
    uint64_t scopes = 0;

    for (unsigned i = 0; i < gen->threads; i++)
        scopes += gen->walkers[i].scopes;
    return scopes;
}

static int generate(const struct arguments *args)
{
    static struct generator gen;
    int status = start(&gen, args);

    if (status == 0) {
        run(&gen, args);
        status = tk_uw_close(&gen.uw);
        printf("scopes %" PRIu64 " frames %" PRIu64 " bytes %" PRIu64 " others %" PRIu64 "\n",
               scopes_of(&gen), gen.frames, gen.uw.sink.written, gen.families.events + gen.kinds.events);
    }
    if (status < 0)
        fprintf(stderr, "cannot write '%s': %s\n", args->out, strerror(errno));
    if (status == 0 && args->truth &&
        tk_truth_write(args->truth, gen.timers, gen.plain + METADATA_TIMERS) < 0) {
        fprintf(stderr, "cannot write '%s': %s\n", args->truth, strerror(errno));
        status = -1;
    }
    finish(&gen);
    return status;
}

static int parse_option(struct arguments *args, const char *name, const char *value)
{
    if (strcmp(name, "--truth") == 0) {
        args->truth = value;
        return 0;
    }
    if (strcmp(name, "--timers") == 0)
        return tk_bench_size(value, &args->timers) < 0 || args->timers < 1 || args->timers > 1000000 ? -1 : 0;
    if (strcmp(name, "--seed") == 0)
        return tk_bench_size(value, &args->seed);
    if (strcmp(name, "--families") == 0)
        return tk_bench_size(value, &args->families);
    if (strcmp(name, "--frames") == 0)
        return tk_bench_size(value, &args->frames);
    if (strcmp(name, "--threads") == 0)
        return tk_bench_size(value, &args->threads) < 0 || args->threads < 2 || args->threads > MOST_THREADS
                   ? -1
                   : 0;
    if (strcmp(name, "--lanes") == 0)
        return tk_bench_size(value, &args->lanes) < 0 || args->threads < 8 ? -1 : 0;
    if (strcmp(name, "--packet") == 0)
        return tk_bench_size(value, &args->packet) < 0 || args->packet > TK_UW_PACKET_USUAL ? -1 : 0;
    return -1;
}

static int parse(struct arguments *args, int argc, char **argv)
{
    if (argc < 3 || tk_bench_size(argv[2], &args->bytes) < 0 || argc % 2 == 0)
        return -1;
    args->out = argv[1];
    for (int i = 3; i < argc; i += 2)
        if (parse_option(args, argv[i], argv[i + 1]) < 0)
            return -1;
    return 0;
}

int main(int argc, char **argv)
{
    struct arguments args = {.timers = 2000, .seed = 1, .threads = THREADS};

    if (parse(&args, argc, argv) < 0) {
        fputs("usage: bench-gen-cpu OUT.utrace BYTES [--timers N] [--seed S] [--truth FILE] [--families N] "
              "[--frames N] [--threads N] [--packet BYTES] [--lanes 1]\n",
              stderr);
        return 2;
    }
    return generate(&args) < 0 ? 1 : 0;
}
