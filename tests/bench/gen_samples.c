/*
 * bench-gen-samples OUT.utrace|OUT.tracy SAMPLES [--stacks N] [--depth N] [--seed S]
 *
 * A capture of so many stack samples, 100 us apart, of eight threads that take turns. N different stacks
 * (20,000), drawn as 1 / rank, of 1 to 2 N - 1 addresses (20); their functions call each other as a program's
 * would, so that outer frames are few and inner ones many. A .utrace has the addresses in each sample, in a
 * module without symbols; a .tracy has them once, with a function for each. Prints the samples and their
 * addresses.
 */
#include "put_event.h"
#include "random.h"
#include "size.h"
#include "tracy_writer.h"
#include "zipf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, FIRST_THREAD = 1000, DEEPEST = 255, STEP_US = 100, FUNCTIONS = 4096, CODE = 0x100 };

#define BASE UINT64_C(0x7ff600000000)

struct stack {
    uint32_t n;
    uint64_t addresses[DEEPEST]; /* innermost first */
};

struct generator {
    struct tk_random random;
    struct tk_zipf zipf;
    struct stack *stacks; /* owned */
    uint64_t samples, addresses;
    struct {
        const char *out;
        uint64_t samples, stacks, depth, seed;
    } args;
};

/* ---- stacks ---- */

/* The deeper, the more functions there are to choose from. */
static uint64_t address_at(struct generator *gen, uint32_t level)
{
    const uint32_t choice = level < 12 ? 1u << level : FUNCTIONS;
    const uint32_t function = tk_random_below(&gen->random, choice);
    return BASE + (uint64_t)CODE * function + 1 + tk_random_below(&gen->random, CODE - 1) / 16 * 16;
}

static int make_stacks(struct generator *gen)
{
    gen->random.state = gen->args.seed;
    gen->stacks = calloc(gen->args.stacks, sizeof *gen->stacks);
    if (!gen->stacks || tk_zipf_init(&gen->zipf, (uint32_t)gen->args.stacks))
        return -1;
    for (uint64_t i = 0; i < gen->args.stacks; i++) {
        struct stack *s = &gen->stacks[i];
        s->n = 1 + tk_random_below(&gen->random, 2 * (uint32_t)gen->args.depth - 1);
        for (uint32_t level = 0; level < s->n; level++)
            s->addresses[s->n - 1 - level] = address_at(gen, level);
    }
    return 0;
}

static uint32_t draw(struct generator *gen)
{
    const uint32_t at = tk_zipf_draw(&gen->zipf, &gen->random);
    gen->samples++;
    gen->addresses += gen->stacks[at].n;
    return at;
}

/* ---- .utrace ---- */

static int write_utrace(struct generator *gen)
{
    struct tk_uw uw;
    struct tk_uw_lane lane = {0};
    struct tk_uw_options options = {TK_UW_DEFAULTS, .path = gen->args.out};
    options.frequency = 1000000;
    tk_uw_open(&uw, &options);
    tk_uw_thread(&uw, &lane, 2);
    tk_uw_new_trace(&uw);
    for (uint32_t i = 0; i < THREADS; i++)
        tk_uw_thread_info(&uw, 2 + i, FIRST_THREAD + i, 1, "Worker");
    struct put_type *module = put_declare(&uw, "Diagnostics.ModuleLoad", "Name:w Base:q Size:i ImageId:B",
                                          TK_UW_NOSYNC | TK_UW_IMPORTANT);
    struct put_type *sample =
        put_declare(&uw, "PlatformEvent.StackSample", "Time:q ThreadId:i Addresses:U", TK_UW_NOSYNC);
    if (module && sample)
        put_event(&uw.important, module, (const char *)"game.exe", BASE, Q(CODE * FUNCTIONS),
                  (const void *)"", Q(0));
    for (uint64_t i = 0; i < gen->args.samples && module && sample; i++) {
        const struct stack *s = &gen->stacks[draw(gen)];
        put_event(&lane, sample, Q(1000 + i * STEP_US), Q(FIRST_THREAD + i % THREADS),
                  (const void *)s->addresses, s->n * sizeof *s->addresses);
    }
    tk_uw_lane_flush(&lane);
    tk_uw_lane_release(&lane);
    const int rc = module && sample ? 0 : -1;
    free(module);
    free(sample);
    return tk_uw_close(&uw) || rc ? -1 : 0;
}

/* ---- .tracy ---- */

struct tracy {
    struct tk_tw_trace trace;
    struct tk_tw_thread threads[THREADS];
    struct tk_tw_callstack *stacks;
    struct tk_tw_sample *samples;
    struct tk_tw_code_frame *frames;
    struct tk_tw_place *places;
    char (*names)[16];
    const char **strings;
};

/* Frames are those of every sixteenth byte of a function. */
static int make_frames(struct tracy *t)
{
    const size_t each = CODE / 16, n = FUNCTIONS * each;
    t->frames = calloc(n, sizeof *t->frames);
    t->places = calloc(n, sizeof *t->places);
    t->names = calloc(FUNCTIONS + 1, sizeof *t->names);
    t->strings = calloc(FUNCTIONS + 1, sizeof *t->strings);
    if (!t->frames || !t->places || !t->names || !t->strings)
        return -1;
    for (size_t i = 0; i <= FUNCTIONS; i++) {
        snprintf(t->names[i], sizeof t->names[i], i < FUNCTIONS ? "function %zu" : "game", i);
        t->strings[i] = t->names[i];
    }
    for (size_t i = 0; i < n; i++) {
        t->places[i] = (struct tk_tw_place){(int)(i / each), FUNCTIONS, 1 + (uint32_t)(i % each),
                                            BASE + CODE * (i / each)};
        t->frames[i] = (struct tk_tw_code_frame){BASE + CODE * (i / each) + 1 + i % each * 16, FUNCTIONS,
                                                 &t->places[i], 1};
    }
    t->trace.code_frames = t->frames;
    t->trace.n_code_frames = n;
    return 0;
}

static int make_samples(struct tracy *t, struct generator *gen)
{
    const uint64_t each = gen->args.samples / THREADS;
    t->stacks = calloc(gen->args.stacks, sizeof *t->stacks);
    t->samples = calloc(gen->args.samples, sizeof *t->samples);
    if (!t->stacks || !t->samples)
        return -1;
    for (uint64_t i = 0; i < gen->args.stacks; i++)
        t->stacks[i] = (struct tk_tw_callstack){gen->stacks[i].addresses, (uint16_t)gen->stacks[i].n};
    for (uint64_t i = 0; i < THREADS; i++) {
        t->threads[i] = (struct tk_tw_thread){
            .tid = FIRST_THREAD + i, .name = FUNCTIONS, .samples = t->samples + i * each, .n_samples = each};
        for (uint64_t k = 0; k < each; k++)
            t->samples[i * each + k] = (struct tk_tw_sample){(int64_t)(k * STEP_US) * 1000, draw(gen) + 1};
    }
    return 0;
}

static int write_tracy(struct generator *gen)
{
    struct tracy t = {
        .trace = {.capture_name = "bench", .program = "bench", .host = "", .pid = 1, .crash_message = -1}};
    const struct tk_tw_options options = {.path = gen->args.out,
                                          .version = TK_TW_V(0, 14, 0),
                                          .container = TK_TW_MANY,
                                          .codec = TK_TW_LZ4,
                                          .streams = 4};
    int rc = make_frames(&t) || make_samples(&t, gen) ? -1 : 0;
    t.trace.strings = t.strings;
    t.trace.n_strings = FUNCTIONS + 1;
    t.trace.threads = t.threads;
    t.trace.n_threads = THREADS;
    t.trace.callstacks = t.stacks;
    t.trace.n_callstacks = gen->args.stacks;
    t.trace.last_time = (int64_t)gen->args.samples * STEP_US * 1000;
    if (rc == 0)
        rc = tk_tw_write(&options, &t.trace);
    free(t.frames);
    free(t.places);
    free(t.names);
    free(t.strings);
    free(t.stacks);
    free(t.samples);
    return rc;
}

/* ---- the command line ---- */

static int parse(struct generator *gen, int argc, char **argv)
{
    gen->args.stacks = 20000;
    gen->args.depth = 20;
    gen->args.seed = 1;
    if (argc < 3 || argc % 2 == 0 || tk_bench_size(argv[2], &gen->args.samples))
        return -1;
    gen->args.out = argv[1];
    for (int i = 3; i + 1 < argc; i += 2) {
        uint64_t *value = strcmp(argv[i], "--stacks") == 0  ? &gen->args.stacks
                          : strcmp(argv[i], "--depth") == 0 ? &gen->args.depth
                          : strcmp(argv[i], "--seed") == 0  ? &gen->args.seed
                                                            : NULL;
        if (!value || tk_bench_size(argv[i + 1], value))
            return -1;
    }
    return gen->args.depth >= 1 && gen->args.depth <= DEEPEST / 2 && gen->args.stacks >= 1 &&
                   gen->args.stacks < (1 << 24)
               ? 0
               : -1;
}

int main(int argc, char **argv)
{
    static struct generator gen;
    if (parse(&gen, argc, argv)) {
        fprintf(
            stderr,
            "usage: bench-gen-samples OUT.utrace|OUT.tracy SAMPLES [--stacks N] [--depth N] [--seed S]\n");
        return 2;
    }
    const size_t n = strlen(gen.args.out);
    const bool tracy = n > 6 && strcmp(gen.args.out + n - 6, ".tracy") == 0;
    const int rc = make_stacks(&gen) || (tracy ? write_tracy(&gen) : write_utrace(&gen));
    free(gen.stacks);
    tk_zipf_release(&gen.zipf);
    if (rc) {
        fprintf(stderr, "bench-gen-samples: cannot write '%s'\n", gen.args.out);
        return 1;
    }
    printf("samples %" PRIu64 "\naddresses %" PRIu64 "\n", gen.samples, gen.addresses);
    return 0;
}
