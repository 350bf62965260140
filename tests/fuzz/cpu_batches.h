/*
 * CPU batches of one form, FORM: u8 bytes of each batch in turn, then its bytes. All kernels must give the
 * same as the decoder that reads entry by entry, which is the one that growing streams have.
 */
#ifndef TK_TESTS_FUZZ_CPU_BATCHES_H
#define TK_TESTS_FUZZ_CPU_BATCHES_H

#include "format/utrace/scopes/scopes_in.h"
#include "rig.h"

#include <stdlib.h>

enum { BATCHES = 64, SPECS = 40, START = 1000 };

struct batches {
    uint8_t *bytes;
    size_t n;
    uint32_t sizes[BATCHES], timers[SPECS];
    uint32_t count;
};

static struct tk_cpu_chunk chunk_of(const struct batches *b)
{
    return (struct tk_cpu_chunk){.form = FORM,
                                 .bytes = b->bytes,
                                 .sizes = b->sizes,
                                 .n_batches = b->count,
                                 .start_cycle = START,
                                 .spec_timer = b->timers,
                                 .n_specs = SPECS,
                                 .coroutine_timer = 900,
                                 .frame_timer = 901,
                                 .max_depth = 64};
}

static void take_batches(struct batches *b, struct fuzz_in in)
{
    b->bytes = calloc(1, in.n + TK_CPU_PADDING);
    for (uint32_t i = 0; i < SPECS; i++)
        b->timers[i] = i % 8 ? 100 + i : TK_CPU_UNKNOWN;
    while (in.n && b->count < BATCHES) {
        struct fuzz_in batch = fuzz_take(&in, fuzz_u8(&in));
        if (batch.n)
            memcpy(b->bytes + b->n, batch.p, batch.n);
        b->sizes[b->count++] = (uint32_t)batch.n;
        b->n += batch.n;
    }
    /* Nothing behind the padding. */
    b->bytes = realloc(b->bytes, b->n + TK_CPU_PADDING);
}

static void check_chunk(const struct tk_cpu_chunk *c)
{
    for (uint32_t i = 0; i < c->n_batches; i++)
        fuzz_promise(c->first[i] <= c->first[i + 1] && c->first[i + 1] <= c->n,
                     "batches lie one after another");
    for (size_t i = 0; i < c->n_fixups; i++)
        fuzz_promise(c->fixups[i].at < c->n && c->op[c->fixups[i].at] == TK_CPU_UNKNOWN,
                     "a begin waits for its timer");
}

static void check_same(const struct tk_cpu_chunk *a, const struct tk_cpu_chunk *b)
{
    fuzz_promise(a->n == b->n && a->n_fixups == b->n_fixups && a->n_faults == b->n_faults, "as many entries");
    fuzz_promise(a->n == 0 || (memcmp(a->time, b->time, a->n * sizeof *a->time) == 0 &&
                               memcmp(a->op, b->op, a->n * sizeof *a->op) == 0),
                 "the same entries");
    for (size_t i = 0; i < a->n_faults; i++)
        fuzz_promise(a->faults[i].batch == b->faults[i].batch, "faults of the same batches");
    for (size_t i = 0; i < a->n_fixups; i++)
        fuzz_promise(a->fixups[i].at == b->fixups[i].at && a->fixups[i].raw == b->fixups[i].raw,
                     "the same fixups");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct batches b = {0};
    take_batches(&b, (struct fuzz_in){data, size});
    struct tk_cpu_chunk first = chunk_of(&b), word = chunk_of(&b);
    fuzz_promise(tk_cpu_decode(&first) == 0 && tk_cpu_decode_with(&word, &tk_cpu_kernels_word) == 0,
                 "memory");
    check_chunk(&first);
    check_same(&first, &word);
    for (size_t i = 0; i < first.n_faults; i++)
        fuzz_tell("fault", first.faults[i].what, strlen(first.faults[i].what));
    /* Batch by batch: streams have other borders. */
    size_t entries = 0;
    const uint8_t *p = b.bytes;
    for (uint32_t i = 0; i < b.count; p += b.sizes[i++]) {
        struct tk_cpu_chunk one = chunk_of(&b);
        one.bytes = p;
        one.sizes = &b.sizes[i];
        one.n_batches = 1;
        fuzz_promise(tk_cpu_decode(&one) == 0, "memory");
        fuzz_promise(
            one.n == first.first[i + 1] - first.first[i] &&
                (one.n == 0 || memcmp(one.time, first.time + first.first[i], one.n * sizeof *one.time) == 0),
            "a batch alone is the batch of its chunk");
        entries += one.n;
        tk_cpu_chunk_release(&one);
    }
    fuzz_promise(entries == first.n, "all entries belong to a batch");
    tk_cpu_chunk_release(&first);
    tk_cpu_chunk_release(&word);
    free(b.bytes);
    return 0;
}

#endif
