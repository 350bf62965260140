/*
 * bench-gen-system OUT.pftrace BYTES [--seed S]
 *
 * Writes a trace of a system as a phone records it, about BYTES long: cores that switch between the threads
 * of several processes, wake-ups, marks of atrace (begins, ends, counters, asynchronous ones, names with
 * numbers), frequencies and idle states of cores, and every second what processes take. Events are in bundles
 * of one core each, as Perfetto has them. Prints the numbers of events, scopes, switches and bytes.
 */
#include "random.h"
#include "size.h"
#include "zipf.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CORES = 8,
    PROCESSES = 24,
    THREADS_EACH = 6,
    THREADS = PROCESSES * THREADS_EACH,
    NAMES = 400,
    COUNTERS = 12,
    DEEPEST = 12,
    BUNDLE_BYTES = 32 << 10, /* a bundle is written when it is longer */
    PART_BYTES = 512,        /* of a message that is not a bundle or a list, at most */
    LIST_BYTES = 64 << 10,
    SEQUENCE = 1,
    STEP_NS = 900, /* between events of all cores, at most */
    SECOND_NS = 1000000000,
};

/* Numbers of fields and kinds of events. */
enum {
    BYTES_WIRE = 2,
    FTRACE = 1,
    PROCESS_TREE = 2,
    PROCESS_STATS = 9,
    PACKET_TIME = 8,
    PACKET_SEQUENCE = 10
};
enum { PRINT = 3, SWITCH = 4, FREQUENCY = 11, IDLE = 13, WAKING = 20 };

struct buffer {
    uint8_t *p; /* with enough behind n for the next message */
    size_t n;
};

struct thread {
    uint32_t pid, tid;
    unsigned depth;
    bool running;
    char name[16];
};

struct core {
    struct thread *thread; /* NULL: idle */
    struct buffer events;
    uint8_t bytes[BUNDLE_BYTES + 4 * PART_BYTES];
};

struct generator {
    FILE *file;
    struct tk_random random;
    struct tk_zipf zipf;
    uint64_t time, next_stats, written, events, scopes, switches, frames;
    struct thread threads[THREADS];
    struct core cores[CORES];
};

static void put_varint(struct buffer *out, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        out->p[out->n++] = (uint8_t)(v | 0x80);
    out->p[out->n++] = (uint8_t)v;
}

static void put_number(struct buffer *out, unsigned field, uint64_t v)
{
    put_varint(out, (uint64_t)field << 3);
    put_varint(out, v);
}

static void put_bytes(struct buffer *out, unsigned field, const void *p, size_t n)
{
    put_varint(out, (uint64_t)field << 3 | BYTES_WIRE);
    put_varint(out, n);
    memcpy(out->p + out->n, p, n);
    out->n += n;
}

static void put_text(struct buffer *out, unsigned field, const char *text)
{
    put_bytes(out, field, text, strlen(text));
}

static void put_part(struct buffer *out, unsigned field, const struct buffer *part)
{
    put_bytes(out, field, part->p, part->n);
}

/* A packet around a message. */
static void write_packet(struct generator *gen, unsigned field, const struct buffer *message)
{
    static uint8_t bytes[LIST_BYTES + PART_BYTES];
    uint8_t head_bytes[32];
    struct buffer packet = {bytes, 0}, head = {head_bytes, 0};

    put_number(&packet, PACKET_TIME, gen->time);
    put_number(&packet, PACKET_SEQUENCE, SEQUENCE);
    put_part(&packet, field, message);
    put_varint(&head, 1 << 3 | BYTES_WIRE);
    put_varint(&head, packet.n);
    fwrite(head.p, 1, head.n, gen->file);
    fwrite(packet.p, 1, packet.n, gen->file);
    gen->written += head.n + packet.n;
}

static void flush_core(struct generator *gen, unsigned number)
{
    static uint8_t bytes[BUNDLE_BYTES + 8 * PART_BYTES];
    struct buffer bundle = {bytes, 0};
    struct core *core = &gen->cores[number];

    if (!core->events.n)
        return;
    put_number(&bundle, 1, number);
    memcpy(bundle.p + bundle.n, core->events.p, core->events.n);
    bundle.n += core->events.n;
    write_packet(gen, FTRACE, &bundle);
    core->events.n = 0;
}

static void put_event(struct generator *gen, struct core *core, unsigned kind, const struct buffer *content)
{
    uint8_t bytes[2 * PART_BYTES];
    struct buffer event = {bytes, 0};

    put_number(&event, 1, gen->time);
    put_number(&event, 2, core->thread ? core->thread->tid : 0);
    put_part(&event, kind, content);
    put_part(&core->events, 2, &event);
    gen->events++;
    if (core->events.n > BUNDLE_BYTES)
        flush_core(gen, (unsigned)(core - gen->cores));
}

static struct thread *draw_thread(struct generator *gen)
{
    struct thread *thread;

    do
        thread = &gen->threads[tk_random_below(&gen->random, THREADS)];
    while (thread->running);
    return thread;
}

static void switch_thread(struct generator *gen, unsigned number, struct thread *next)
{
    uint8_t bytes[PART_BYTES];
    struct buffer content = {bytes, 0};
    struct core *core = &gen->cores[number];
    const struct thread *before = core->thread;
    char idle[16];

    snprintf(idle, sizeof(idle), "swapper/%u", number);
    put_text(&content, 1, before ? before->name : idle);
    put_number(&content, 2, before ? before->tid : 0);
    put_number(&content, 3, 120);
    put_number(&content, 4, before ? tk_random_below(&gen->random, 3) : 0);
    put_text(&content, 5, next ? next->name : idle);
    put_number(&content, 6, next ? next->tid : 0);
    put_number(&content, 7, 120);
    put_event(gen, core, SWITCH, &content);
    if (core->thread)
        core->thread->running = false;
    if (next)
        next->running = true;
    core->thread = next;
    gen->switches++;
}

static void wake(struct generator *gen, unsigned number)
{
    uint8_t bytes[PART_BYTES];
    struct buffer content = {bytes, 0};
    const struct thread *woken = draw_thread(gen);

    put_text(&content, 1, woken->name);
    put_number(&content, 2, woken->tid);
    put_number(&content, 3, 120);
    put_number(&content, 4, 1);
    put_number(&content, 5, tk_random_below(&gen->random, CORES));
    put_event(gen, &gen->cores[number], WAKING, &content);
}

static void print(struct generator *gen, struct core *core, const char *line)
{
    uint8_t bytes[PART_BYTES];
    struct buffer content = {bytes, 0};

    put_number(&content, 1, UINT64_C(0xffffff8008a7d3c4));
    put_text(&content, 2, line);
    put_event(gen, core, PRINT, &content);
}

static void begin(struct generator *gen, struct core *core)
{
    char line[PART_BYTES / 4];
    struct thread *thread = core->thread;
    uint32_t name = tk_zipf_draw(&gen->zipf, &gen->random);

    if (name % 50 == 49)
        snprintf(line, sizeof(line), "B|%u|Choreographer#doFrame %" PRIu64 "\n", thread->pid,
                 gen->frames++ / 4);
    else
        snprintf(line, sizeof(line), "B|%u|Module%u::Function_%u\n", thread->pid, name % 17, name);
    print(gen, core, line);
    thread->depth++;
    gen->scopes++;
}

static void end(struct generator *gen, struct core *core)
{
    char line[PART_BYTES / 4];

    snprintf(line, sizeof(line), "E|%u\n", core->thread->pid);
    print(gen, core, line);
    core->thread->depth--;
}

static void count(struct generator *gen, struct core *core)
{
    char line[PART_BYTES / 4];
    uint32_t name = tk_random_below(&gen->random, COUNTERS);

    snprintf(line, sizeof(line), "C|%u|Counter %u|%u\n", core->thread->pid, name,
             tk_random_below(&gen->random, 10000));
    print(gen, core, line);
}

/* An asynchronous one begins and ends with the number of its frame. */
static void go_on(struct generator *gen, struct core *core)
{
    char line[PART_BYTES / 4];
    uint64_t cookie = gen->frames++ / 2;

    snprintf(line, sizeof(line), "%c|%u|Request|%" PRIu64 "\n", gen->frames & 1 ? 'S' : 'F',
             gen->threads[0].pid, cookie);
    print(gen, core, line);
}

static void mark(struct generator *gen, struct core *core)
{
    uint32_t draw = tk_random_below(&gen->random, 100);

    if (draw < 10)
        count(gen, core);
    else if (draw < 12)
        go_on(gen, core);
    else if (core->thread->depth && (draw < 56 || core->thread->depth == DEEPEST))
        end(gen, core);
    else
        begin(gen, core);
}

static void state_of_core(struct generator *gen, unsigned number)
{
    uint8_t bytes[PART_BYTES];
    struct buffer content = {bytes, 0};
    bool idle = tk_random_below(&gen->random, 2);

    put_number(&content, 1, idle ? UINT32_MAX : 300000 + 1000 * tk_random_below(&gen->random, 2500));
    put_number(&content, 2, number);
    put_event(gen, &gen->cores[number], idle ? IDLE : FREQUENCY, &content);
}

static void step(struct generator *gen)
{
    unsigned number = tk_random_below(&gen->random, CORES);
    struct core *core = &gen->cores[number];
    uint32_t draw = tk_random_below(&gen->random, 100);

    gen->time += 1 + tk_random_below(&gen->random, STEP_NS);
    if (draw < 4)
        state_of_core(gen, number);
    else if (draw < 24)
        wake(gen, number);
    else if (draw < 46 || !core->thread)
        switch_thread(gen, number, core->thread && draw < 35 ? NULL : draw_thread(gen));
    else
        mark(gen, core);
}

static void write_tree(struct generator *gen)
{
    static uint8_t list_bytes[LIST_BYTES];
    struct buffer list = {list_bytes, 0};

    for (unsigned i = 0; i < THREADS; i++) {
        const struct thread *thread = &gen->threads[i];
        uint8_t bytes[PART_BYTES];
        struct buffer part = {bytes, 0};
        char name[32];

        snprintf(name, sizeof(name), "com.bench.program%u", thread->pid);
        if (thread->pid == thread->tid) {
            put_number(&part, 1, thread->pid);
            put_text(&part, 3, name);
            put_part(&list, 1, &part);
            part.n = 0;
        }
        put_number(&part, 1, thread->tid);
        put_text(&part, 2, thread->name);
        put_number(&part, 3, thread->pid);
        put_part(&list, 2, &part);
    }
    write_packet(gen, PROCESS_TREE, &list);
}

static void write_stats(struct generator *gen)
{
    static uint8_t list_bytes[LIST_BYTES];
    struct buffer list = {list_bytes, 0};

    for (unsigned i = 0; i < THREADS; i += THREADS_EACH) {
        uint8_t bytes[PART_BYTES];
        struct buffer part = {bytes, 0};

        put_number(&part, 1, gen->threads[i].pid);
        for (unsigned field = 2; field <= 8; field++)
            put_number(&part, field, 1000 + tk_random_below(&gen->random, 1000000));
        put_part(&list, 1, &part);
    }
    write_packet(gen, PROCESS_STATS, &list);
    gen->next_stats = gen->time + SECOND_NS;
}

static void start(struct generator *gen, uint64_t seed)
{
    gen->random.state = seed;
    gen->time = UINT64_C(1000) * SECOND_NS;
    gen->next_stats = gen->time;
    for (unsigned i = 0; i < THREADS; i++) {
        struct thread *thread = &gen->threads[i];

        thread->pid = 1000 + i / THREADS_EACH * 40;
        thread->tid = thread->pid + i % THREADS_EACH;
        snprintf(thread->name, sizeof(thread->name), "Worker-%u", thread->tid);
    }
    for (unsigned i = 0; i < CORES; i++)
        gen->cores[i].events.p = gen->cores[i].bytes;
    write_tree(gen);
}

static int generate(const char *path, uint64_t bytes, uint64_t seed)
{
    static struct generator gen;

    gen.file = fopen(path, "wb");
    if (!gen.file || tk_zipf_init(&gen.zipf, NAMES) < 0)
        return -1;
    start(&gen, seed);
    while (gen.written < bytes && !ferror(gen.file)) {
        if (gen.time >= gen.next_stats)
            write_stats(&gen);
        step(&gen);
    }
    for (unsigned i = 0; i < CORES; i++)
        flush_core(&gen, i);
    tk_zipf_release(&gen.zipf);
    printf("events %" PRIu64 " scopes %" PRIu64 " switches %" PRIu64 " bytes %" PRIu64 "\n", gen.events,
           gen.scopes, gen.switches, gen.written);
    return fclose(gen.file) == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    uint64_t bytes = 0, seed = 1;
    bool has_seed = argc == 5 && strcmp(argv[3], "--seed") == 0 && tk_bench_size(argv[4], &seed) == 0;

    if (argc < 3 || tk_bench_size(argv[2], &bytes) < 0 || (argc != 3 && !has_seed)) {
        fputs("usage: bench-gen-system OUT.pftrace BYTES [--seed S]\n", stderr);
        return 2;
    }
    if (generate(argv[1], bytes, seed) < 0) {
        fprintf(stderr, "cannot write '%s'\n", argv[1]);
        return 1;
    }
    return 0;
}
