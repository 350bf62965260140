/*
 * bench-gen-memory OUT.utrace EVENTS ALIVE [--seed S] [--stacks N]
 *
 * Writes a capture of EVENTS allocations, frees and reallocations of 8 threads that grows to about ALIVE live
 * allocations and stays there; every free is of one of them at random, often on another thread. Tags come
 * from scopes, callstacks are 1 to 4096 at random, with --stacks 1 to N in turn. Prints what is alive at the
 * end, counted while it was written, as JSON:
 *
 *   {"allocs": 1, "frees": 1, "reallocs": 0, "live_count": 1, "live_bytes": 5, "peak_bytes": 9,
 *    "tags": {"50": [count, bytes], ...}}
 */
#include "random.h"
#include "size.h"
#include "utrace_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 8, TAGS = 16, FIRST_TAG = 50, CALLSTACKS = 4096, PERIOD = 4096, RUN_MAX = 24, SHIFT = 3 };

static const struct tk_uw_field init_fields[] = {
    {.name = "PageSize", .type = TK_UW_U64}, {.name = "MarkerPeriod", .type = TK_UW_U32},
    {.name = "Version", .type = TK_UW_U8},   {.name = "MinAlignment", .type = TK_UW_U8},
    {.name = "SizeShift", .type = TK_UW_U8},
};
static const struct tk_uw_field tag_fields[] = {{.name = "Tag", .type = TK_UW_I32},
                                                {.name = "Parent", .type = TK_UW_I32},
                                                {.name = "Display", .type = TK_UW_ANSI}};
static const struct tk_uw_field alloc_fields[] = {
    {.name = "Address", .type = TK_UW_U64},
    {.name = "CallstackId", .type = TK_UW_U32},
    {.name = "Size", .type = TK_UW_U32},
    {.name = "AlignmentPow2_SizeLower", .type = TK_UW_U8},
};
static const struct tk_uw_field free_fields[] = {{.name = "Address", .type = TK_UW_U64},
                                                 {.name = "CallstackId", .type = TK_UW_U32}};
static const struct tk_uw_field cycle_fields[] = {{.name = "Cycle", .type = TK_UW_U64}};
static const struct tk_uw_field scope_fields[] = {{.name = "Tag", .type = TK_UW_I32}};

enum { ALLOC, FREE, REALLOC_ALLOC, REALLOC_FREE, MARKER, SCOPE, TYPES };

struct block {
    uint64_t address;
    uint32_t size;
    uint32_t tag;
};

struct generator {
    struct tk_uw uw;
    struct tk_random random;
    struct tk_uw_type types[TYPES], init, tag;
    struct tk_uw_lane lanes[LANES], *order[LANES];
    uint32_t tags[LANES]; /* in force, 0 none */
    struct block *blocks;
    size_t n_blocks, alive; /* how many there shall be */
    uint64_t next_address;
    uint32_t stacks, last_stack; /* callstacks in turn, and the last one; 0: at random */
    uint64_t *spare;             /* addresses to use again */
    size_t n_spare;
    uint64_t events, allocs, frees, reallocs, live, peak;
    uint64_t tag_count[FIRST_TAG + TAGS], tag_bytes[FIRST_TAG + TAGS];
};

static void marker(struct generator *gen, struct tk_uw_lane *lane)
{
    tk_uw_begin(lane, &gen->types[MARKER]);
    tk_uw_u64(&lane->pending, gen->uw.start_cycle + 10 * gen->events);
    tk_uw_end(lane, &gen->types[MARKER]);
}

static void counted(struct generator *gen, struct tk_uw_lane *lane)
{
    gen->events++;
    if (gen->events == 1 || gen->events % PERIOD == 0)
        marker(gen, lane);
}

static uint32_t next_stack(struct generator *gen)
{
    if (!gen->stacks)
        return 1 + tk_random_below(&gen->random, CALLSTACKS);
    return gen->last_stack = gen->last_stack % gen->stacks + 1;
}

static void write_alloc(struct generator *gen, struct tk_uw_lane *lane, const struct block *b, unsigned type)
{
    tk_uw_begin(lane, &gen->types[type]);
    tk_uw_u64(&lane->pending, b->address);
    tk_uw_u32(&lane->pending, next_stack(gen));
    tk_uw_u32(&lane->pending, b->size >> SHIFT);
    tk_uw_u8(&lane->pending, (uint8_t)(4 << SHIFT | (b->size & ((1 << SHIFT) - 1))));
    tk_uw_end(lane, &gen->types[type]);
    counted(gen, lane);
}

static void write_free(struct generator *gen, struct tk_uw_lane *lane, const struct block *b, unsigned type)
{
    tk_uw_begin(lane, &gen->types[type]);
    tk_uw_u64(&lane->pending, b->address);
    tk_uw_u32(&lane->pending, 0);
    tk_uw_end(lane, &gen->types[type]);
    counted(gen, lane);
}

static uint64_t new_address(struct generator *gen)
{
    if (gen->n_spare && tk_random_below(&gen->random, 8))
        return gen->spare[--gen->n_spare];
    return gen->next_address += 16u * (1u + tk_random_below(&gen->random, 64));
}

static void enter(struct generator *gen, const struct block *b)
{
    gen->live += b->size;
    gen->tag_count[b->tag]++;
    gen->tag_bytes[b->tag] += b->size;
    if (gen->live > gen->peak)
        gen->peak = gen->live;
}

static void leave(struct generator *gen, const struct block *b)
{
    gen->live -= b->size;
    gen->tag_count[b->tag]--;
    gen->tag_bytes[b->tag] -= b->size;
}

static struct block make_block(struct generator *gen, uint32_t tag)
{
    return (struct block){new_address(gen), tk_random_below(&gen->random, 2000), tag};
}

static void one_alloc(struct generator *gen, unsigned lane)
{
    struct block *b = &gen->blocks[gen->n_blocks++];
    *b = make_block(gen, gen->tags[lane]);
    write_alloc(gen, &gen->lanes[lane], b, ALLOC);
    enter(gen, b);
    gen->allocs++;
}

static void one_free(struct generator *gen, unsigned lane)
{
    size_t i = tk_random_below(&gen->random, (uint32_t)gen->n_blocks);
    struct block b = gen->blocks[i];
    gen->blocks[i] = gen->blocks[--gen->n_blocks];
    write_free(gen, &gen->lanes[lane], &b, FREE);
    leave(gen, &b);
    gen->spare[gen->n_spare++] = b.address;
    gen->frees++;
}

/* Keeps the tag of the old block. */
static void one_realloc(struct generator *gen, unsigned lane)
{
    struct block *b = &gen->blocks[tk_random_below(&gen->random, (uint32_t)gen->n_blocks)];
    write_free(gen, &gen->lanes[lane], b, REALLOC_FREE);
    leave(gen, b);
    gen->spare[gen->n_spare++] = b->address;
    *b = make_block(gen, b->tag);
    write_alloc(gen, &gen->lanes[lane], b, REALLOC_ALLOC);
    enter(gen, b);
    gen->reallocs++;
}

static void change_tag(struct generator *gen, unsigned lane)
{
    struct tk_uw_lane *to = &gen->lanes[lane];
    if (gen->tags[lane]) {
        tk_uw_leave(to);
        gen->tags[lane] = 0;
        return;
    }
    gen->tags[lane] = FIRST_TAG + tk_random_below(&gen->random, TAGS);
    tk_uw_enter(to);
    tk_uw_begin(to, &gen->types[SCOPE]);
    tk_uw_u32(&to->pending, gen->tags[lane]);
    tk_uw_end(to, &gen->types[SCOPE]);
}

static void write_run(struct generator *gen)
{
    unsigned lane = tk_random_below(&gen->random, LANES);
    uint32_t run = 1 + tk_random_below(&gen->random, RUN_MAX);
    if (tk_random_below(&gen->random, 4) == 0)
        change_tag(gen, lane);
    for (; run; run--) {
        uint32_t dice = tk_random_below(&gen->random, 100);
        if (gen->n_blocks < gen->alive && dice < 75)
            one_alloc(gen, lane);
        else if (gen->n_blocks && dice >= 95)
            one_realloc(gen, lane);
        else if (gen->n_blocks && (gen->n_blocks >= gen->alive || dice >= 75))
            one_free(gen, lane);
    }
}

static void declare(struct generator *gen)
{
    const struct tk_uw_type types[TYPES] = {
        [ALLOC] = {.logger = "Memory", .event = "AllocSystem", TK_UW_FIELDS(alloc_fields)},
        [FREE] = {.logger = "Memory", .event = "FreeSystem", TK_UW_FIELDS(free_fields)},
        [REALLOC_ALLOC] = {.logger = "Memory", .event = "ReallocAllocSystem", TK_UW_FIELDS(alloc_fields)},
        [REALLOC_FREE] = {.logger = "Memory", .event = "ReallocFreeSystem", TK_UW_FIELDS(free_fields)},
        [MARKER] = {.logger = "Memory", .event = "Marker", TK_UW_FIELDS(cycle_fields)},
        [SCOPE] = {.logger = "Memory",
                   .event = "MemoryScope",
                   TK_UW_FIELDS(scope_fields),
                   .flags = TK_UW_NOSYNC},
    };
    for (unsigned i = 0; i < TYPES; i++) {
        gen->types[i] = types[i];
        tk_uw_register(&gen->uw, &gen->types[i]);
    }
    gen->init = (struct tk_uw_type){.logger = "Memory",
                                    .event = "Init",
                                    TK_UW_FIELDS(init_fields),
                                    .flags = TK_UW_IMPORTANT | TK_UW_NOSYNC};
    gen->tag = (struct tk_uw_type){.logger = "Memory",
                                   .event = "TagSpec",
                                   TK_UW_FIELDS(tag_fields),
                                   .flags = TK_UW_IMPORTANT | TK_UW_NOSYNC | TK_UW_AUX};
    tk_uw_register(&gen->uw, &gen->init);
    tk_uw_register(&gen->uw, &gen->tag);
}

static void define(struct generator *gen)
{
    struct tk_uw_lane *to = &gen->uw.important;
    char name[32];
    tk_uw_begin(to, &gen->init);
    tk_uw_u64(&to->pending, 4096);
    tk_uw_u32(&to->pending, PERIOD);
    tk_uw_u8(&to->pending, 2);
    tk_uw_u8(&to->pending, 16);
    tk_uw_u8(&to->pending, SHIFT);
    tk_uw_end(to, &gen->init);
    for (uint32_t i = 0; i < TAGS; i++) {
        int n = snprintf(name, sizeof name, "Tag%u", i);
        tk_uw_begin(to, &gen->tag);
        tk_uw_u32(&to->pending, FIRST_TAG + i);
        tk_uw_u32(&to->pending, UINT32_MAX);
        tk_uw_value(to, &gen->tag, 2, name, (size_t)n);
        tk_uw_end(to, &gen->tag);
    }
    for (unsigned i = 0; i < LANES; i++) {
        uint16_t tid = (uint16_t)(TK_UW_TID_FIRST + i);
        snprintf(name, sizeof name, "Thread %u", i);
        tk_uw_thread_info(&gen->uw, tid, 100 + i, 0, name);
        tk_uw_thread(&gen->uw, &gen->lanes[i], tid);
        tk_uw_thread_timing(&gen->uw, &gen->lanes[i], 0);
        gen->order[i] = &gen->lanes[i];
    }
    tk_uw_lane_flush(to);
}

static void print_truth(const struct generator *gen)
{
    const char *comma = "";
    printf("{\"allocs\": %" PRIu64 ", \"frees\": %" PRIu64 ", \"reallocs\": %" PRIu64
           ", \"live_count\": %zu, "
           "\"live_bytes\": %" PRIu64 ", \"peak_bytes\": %" PRIu64 ", \"tags\": {",
           gen->allocs, gen->frees, gen->reallocs, gen->n_blocks, gen->live, gen->peak);
    for (unsigned i = 0; i < FIRST_TAG + TAGS; i++) {
        if (!gen->tag_count[i])
            continue;
        printf("%s\"%u\": [%" PRIu64 ", %" PRIu64 "]", comma, i, gen->tag_count[i], gen->tag_bytes[i]);
        comma = ", ";
    }
    printf("}}\n");
}

static int generate(const char *path, uint64_t events, uint64_t alive, uint64_t seed, uint64_t stacks)
{
    static struct generator gen;
    gen.alive = (size_t)alive;
    gen.next_address = UINT64_C(0x7f0000000000);
    gen.random.state = seed;
    gen.stacks = (uint32_t)stacks;
    gen.blocks = calloc((size_t)alive + RUN_MAX + 1, sizeof *gen.blocks);
    gen.spare = calloc((size_t)events + 2 * RUN_MAX, sizeof *gen.spare);
    if (!gen.blocks || !gen.spare ||
        tk_uw_open(&gen.uw, &(struct tk_uw_options){TK_UW_DEFAULTS, .path = path}) < 0)
        return -1;
    tk_uw_new_trace(&gen.uw);
    declare(&gen);
    define(&gen);
    for (uint64_t round = 1; gen.events < events && !gen.uw.sink.failed; round++) {
        while (gen.events < events && gen.events < round * 20000)
            write_run(&gen);
        tk_uw_round(&gen.uw, gen.order, LANES);
    }
    for (unsigned i = 0; i < LANES; i++)
        tk_uw_lane_release(&gen.lanes[i]);
    print_truth(&gen);
    free(gen.blocks);
    free(gen.spare);
    return tk_uw_close(&gen.uw);
}

int main(int argc, char **argv)
{
    uint64_t events, alive, seed = 1, stacks = 0;
    bool good =
        argc >= 4 && tk_bench_size(argv[2], &events) >= 0 && tk_bench_size(argv[3], &alive) >= 0 && alive > 0;
    int at = 4;
    for (; good && at + 1 < argc; at += 2) {
        const bool is_seed = strcmp(argv[at], "--seed") == 0;
        good = (is_seed || strcmp(argv[at], "--stacks") == 0) &&
               tk_bench_size(argv[at + 1], is_seed ? &seed : &stacks) >= 0 && stacks < UINT32_MAX;
    }
    if (!good || at != argc) {
        fputs("usage: bench-gen-memory OUT.utrace EVENTS ALIVE [--seed S] [--stacks N]\n", stderr);
        return 2;
    }
    if (generate(argv[1], events, alive, seed, stacks) < 0) {
        fprintf(stderr, "cannot write '%s': %s\n", argv[1], strerror(errno));
        return 1;
    }
    return 0;
}
