/*
 * What the writer of .tracy captures writes is read back equal: zones of threads with their times, and
 * messages.
 *
 *   u8 version, u8 container, then until the end: u8 thread and what comes (a zone begins, ends, a message),
 * u8 time
 */
#include "api/trace.h"
#include "rig.h"
#include "unit/format/tracy/sample.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, MOST_ZONES = 300, MOST_MESSAGES = 100, DEEPEST = 60 };

struct zones {
    struct tk_tw_zone v[MOST_ZONES];
    size_t n, open[DEEPEST], depth;
    int64_t edges[2 * MOST_ZONES]; /* times in the order in which they are read */
    bool ends[2 * MOST_ZONES];
    size_t n_edges, read;
};

struct round {
    struct zones zones[THREADS];
    struct tk_tw_message messages[MOST_MESSAGES];
    struct tk_tw_thread threads[THREADS];
    size_t n_messages, n_read;
    int64_t time;
    struct tk_tw_trace trace;
};

static void edge(struct zones *z, int64_t time, bool end)
{
    z->edges[z->n_edges] = time;
    z->ends[z->n_edges++] = end;
}

static void begin_zone(struct zones *z, int64_t time, unsigned how)
{
    if (z->n >= MOST_ZONES || z->depth >= DEEPEST)
        return;
    z->open[z->depth] = z->n;
    z->v[z->n++] = (struct tk_tw_zone){.location = how & 64 ? -1 : (int16_t)(1 + how / 128),
                                       .depth = (uint32_t)z->depth++,
                                       .extra = how / 16 % 3,
                                       .start = time,
                                       .end = -1};
    edge(z, time, false);
}

static void end_zone(struct zones *z, int64_t time)
{
    if (!z->depth)
        return;
    z->v[z->open[--z->depth]].end = time;
    edge(z, time, true);
}

static void step(struct round *r, struct fuzz_in *in)
{
    unsigned how = fuzz_u8(in), thread = how % 4 % THREADS;
    r->time += 1 + fuzz_u8(in) * 977;
    if ((how & 12) == 12 && r->n_messages < MOST_MESSAGES)
        r->messages[r->n_messages++] = (struct tk_tw_message){r->time, S_HELLO, 0, 0, 0, 0, thread};
    else if (how & 8)
        end_zone(&r->zones[thread], r->time);
    else
        begin_zone(&r->zones[thread], r->time, how);
}

static void describe(struct round *r)
{
    static const uint64_t tids[THREADS] = {MAIN_TID, WORKER_TID, FIBER_TID};
    r->trace = sample;
    for (unsigned i = 0; i < THREADS; i++) {
        while (r->zones[i].depth) /* what is open has an end for nobody */
            end_zone(&r->zones[i], ++r->time);
        r->threads[i] = (struct tk_tw_thread){
            .tid = tids[i], .name = S_MAIN, .fiber = i == 2, .zones = r->zones[i].v, .n = r->zones[i].n};
    }
    r->trace.threads = r->threads;
    r->trace.n_threads = THREADS;
    r->trace.messages = r->messages;
    r->trace.n_messages = r->n_messages;
    r->trace.last_time = r->time + 1;
    r->trace.crash_time = r->time;
}

static void check_run(struct round *r, const struct tk_scope_run *run)
{
    fuzz_promise(run->kind != TK_LANE_THREAD || (run->thread >= 1 && run->thread <= THREADS),
                 "a thread that was written");
    struct zones *z = &r->zones[(run->thread - 1) % THREADS];
    for (size_t i = 0; i < run->n && run->kind == TK_LANE_THREAD; i++, z->read++) {
        fuzz_promise(z->read < z->n_edges, "no zone more than was written");
        fuzz_promise(run->time[i] == z->edges[z->read] && (run->op[i] == TK_OP_END) == z->ends[z->read],
                     "a zone is what was written");
    }
}

static void check_fact(struct round *r, const struct tk_fact *f)
{
    const struct tk_str *text = &f->u.log.text;
    if (f->kind != TK_FACT_LOG)
        return;
    fuzz_promise(r->n_read < r->n_messages && f->time == r->messages[r->n_read].time,
                 "messages in their order");
    fuzz_promise(text->n == 5 && memcmp(text->p, "hello", 5) == 0, "with their text");
    r->n_read++;
}

static void read_back(struct round *r, const struct tk_uw_bytes *file)
{
    struct tk_trace *trace;
    struct tk_err err = {0};
    struct tk_source *source;
    struct tk_batch batch;
    const struct tk_request request = {.facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(LOG)};
    fuzz_promise(tk_open(&trace, fuzz_path(file->data, file->size), NULL, &err) == TK_OK, "it can be opened");
    fuzz_promise(trace->capture->ops->read(trace->capture, &request, &source, &err) == TK_OK, "and read");
    int rc;
    while ((rc = tk_source_next(source, &batch, &err)) == TK_ITEM) {
        for (size_t i = 0; i < batch.n_runs; i++)
            check_run(r, &batch.runs[i]);
        for (size_t i = 0; i < batch.n_facts; i++)
            check_fact(r, &batch.facts[i]);
    }
    tk_source_close(source);
    fuzz_promise(rc == TK_OK && !tk_damaged(trace) && !tk_truncated(trace), "to its end, without damage");
    for (unsigned i = 0; i < THREADS; i++)
        fuzz_promise(r->zones[i].read == r->zones[i].n_edges, "every zone is there");
    fuzz_promise(r->n_read == r->n_messages, "every message is there");
    tk_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = {data, size};
    struct round *r = calloc(1, sizeof *r);
    struct tk_uw_bytes file = {0};
    fuzz_promise(r != NULL, "memory");
    uint32_t version = sample_versions[fuzz_u8(&in) % LENGTH(sample_versions)];
    unsigned how = fuzz_u8(&in), container = how % 4 % 3;
    while (in.n)
        step(r, &in);
    describe(r);
    const struct tk_tw_options options = {.memory = &file,
                                          .version = version,
                                          .container = (enum tk_tw_container)container,
                                          .codec =
                                              container == TK_TW_TZST || how & 16 ? TK_TW_ZSTD : TK_TW_LZ4,
                                          .level = 1,
                                          .streams = container == TK_TW_MANY ? 1 + how / 32 : 1};
    if (container != TK_TW_TLZ || options.codec == TK_TW_LZ4) {
        fuzz_promise(tk_tw_write(&options, &r->trace) == 0, "it was written");
        read_back(r, &file);
    }
    tk_uw_bytes_release(&file);
    free(r);
    return 0;
}
