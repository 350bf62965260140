/*
 * CPU batches to columns: cuts a chunk into streams, lets the kernel of this machine decode them side by
 * side, and closes up what they wrote. Between batches of events (lane streams) and scope runs.
 *
 * How many entries a stream holds is only known when it is decoded; it holds no more than it has bytes. So
 * each writes where its bytes lie in the chunk, and the gaps are closed afterwards.
 */
#include "base/bits.h"
#include "base/vec.h"
#include "format/utrace/scopes/scopes_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Kernels of the CPU batch decoder for any machine: the seven-bit groups are closed up by shifts.
 */

#define TK_CPU_TARGET

/* Both numbers at once: pairs of groups, then pairs of those, then the halves. */
static inline void tk_cpu_pair(uint64_t x, uint64_t head, uint64_t tail, uint64_t *a, uint64_t *b)
{
    uint64_t y = x & (head | tail) & UINT64_C(0x7f7f7f7f7f7f7f7f);
    y = (y & UINT64_C(0x007f007f007f007f)) | (y & UINT64_C(0x7f007f007f007f00)) >> 1;
    y = (y & UINT64_C(0x00003fff00003fff)) | (y & UINT64_C(0x3fff00003fff0000)) >> 2;
    y = (y & UINT64_C(0x000000000fffffff)) | (y & UINT64_C(0x0fffffff00000000)) >> 4;
    unsigned bits = (tk_cpu_byte(head ^ head >> 1) + 1) * 7;
    *a = y & ((UINT64_C(1) << bits) - 1);
    *b = y >> bits;
}

#include "format/utrace/scopes/cpu_kernel.inc"

TK_ALWAYS_INLINE void tk_cpu_run(struct tk_cpu_stream *s, int form)
{
    const struct tk_cpu_env env = tk_cpu_env_of(s->chunk);

    /* copies that are never pointed to, so that they stay in registers */
    struct tk_cpu_hot a = s[0].hot, b = s[1].hot, d = s[2].hot, e = s[3].hot;
    while (tk_cpu_step(&s[0], &a, &env, form) && tk_cpu_step(&s[1], &b, &env, form) &&
           tk_cpu_step(&s[2], &d, &env, form) && tk_cpu_step(&s[3], &e, &env, form))
        ;
    s[0].hot = a, s[1].hot = b, s[2].hot = d, s[3].hot = e;

    for (unsigned i = 0; i < TK_CPU_STREAMS; i++) {
        struct tk_cpu_hot h = s[i].hot;
        while (tk_cpu_step(&s[i], &h, &env, form))
            ;
        s[i].hot = h;
    }
}

static void tk_cpu_run_1(struct tk_cpu_stream *s)
{
    tk_cpu_run(s, 1);
}

static void tk_cpu_run_2(struct tk_cpu_stream *s)
{
    tk_cpu_run(s, 2);
}

static void tk_cpu_run_3(struct tk_cpu_stream *s)
{
    tk_cpu_run(s, 3);
}

const struct tk_cpu_kernels tk_cpu_kernels_word = {{tk_cpu_run_1, tk_cpu_run_2, tk_cpu_run_3},
                                                   TK_CPU_STREAMS};

/* Entries are numbered with 32 bits, and coroutines make more of them than there are bytes. */
#define TK_CPU_BYTES_MAX (UINT64_C(1) << 31)

static const struct tk_cpu_kernels *tk_cpu_kernels_best(void)
{
#ifdef TK_CPU_HAVE_BMI2
    if (tk_cpu_has_pext())
        return &tk_cpu_kernels_bmi2;
#endif
    return &tk_cpu_kernels_word;
}

static size_t tk_cpu_chunk_bytes(const struct tk_cpu_chunk *c)
{
    size_t n = 0;
    for (uint32_t i = 0; i < c->n_batches; i++)
        n += c->sizes[i];
    return n;
}

/* Space for one entry a byte and what a kernel writes behind those it has, for a fixup every two bytes and
 * one more a stream (of an entry that a kernel reads beyond the end of a batch and that is taken back), and
 * for all batches; never for nothing. */
static int tk_cpu_reserve(struct tk_cpu_chunk *c, size_t bytes)
{
    size_t cap = c->cap, same = c->cap;
    if (bytes > TK_CPU_BYTES_MAX || c->n_batches == UINT32_MAX)
        return -1;
    c->cap = 0;
    if (tk_vec_renew((void **)&c->time, &cap, bytes + TK_CPU_BEYOND, sizeof *c->time) ||
        tk_vec_renew((void **)&c->op, &same, bytes + TK_CPU_BEYOND, sizeof *c->op))
        return -1;
    c->cap = cap;
    if (tk_vec_renew((void **)&c->fixups, &c->cap_fixups, bytes / 2 + TK_CPU_STREAMS, sizeof *c->fixups) ||
        tk_vec_renew((void **)&c->first, &c->cap_first, c->n_batches + 1, sizeof *c->first) ||
        tk_vec_renew((void **)&c->faults, &c->cap_faults, c->n_batches + 1, sizeof *c->faults))
        return -1;
    return 0;
}

/* Stream i: the batches from `batch` on that begin before `until` bytes of the chunk. */
static struct tk_cpu_stream tk_cpu_stream_cut(struct tk_cpu_chunk *c, unsigned i, uint32_t batch, size_t at,
                                              size_t until)
{
    size_t end = at;
    uint32_t last = batch;
    while (last < c->n_batches && end < until)
        end += c->sizes[last++];
    const uint8_t *p = c->bytes + at;
    return (struct tk_cpu_stream){
        .hot = {.p = p, .end = p, .out = (uint32_t)at},
        .chunk = c,
        .next = p,
        .batch = batch,
        .last = last,
        .first_out = at,
        .first_byte = p,
        .last_byte = c->bytes + end,
        .fixups = c->fixups + at / 2 + i,
        .faults = c->faults + batch,
    };
}

static void tk_cpu_cut(struct tk_cpu_stream *streams, unsigned n, struct tk_cpu_chunk *c, size_t bytes)
{
    uint32_t batch = 0;
    size_t at = 0;
    for (unsigned i = 0; i < n; i++) {
        size_t until = i + 1 < n ? bytes / n * (i + 1) : bytes;
        streams[i] = tk_cpu_stream_cut(c, i, batch, at, until);
        batch = streams[i].last;
        at = (size_t)(streams[i].last_byte - c->bytes);
    }
}

/* Moves what a stream wrote to the end of what stands closed up already. */
static void tk_cpu_close_up(struct tk_cpu_chunk *c, const struct tk_cpu_stream *s, uint32_t first_batch)
{
    size_t n = s->hot.out - s->first_out, gap = s->first_out - c->n;
    if (gap) {
        memmove(c->time + c->n, c->time + s->first_out, n * sizeof *c->time);
        memmove(c->op + c->n, c->op + s->first_out, n * sizeof *c->op);
    }
    for (uint32_t i = first_batch; i < s->last; i++)
        c->first[i] -= (uint32_t)gap;
    for (size_t i = 0; i < s->n_fixups; i++) {
        c->fixups[c->n_fixups] = s->fixups[i];
        c->fixups[c->n_fixups++].at -= (uint32_t)gap;
    }
    for (size_t i = 0; i < s->n_faults; i++)
        c->faults[c->n_faults++] = s->faults[i];
    c->n += n;
}

static void tk_cpu_collect(struct tk_cpu_chunk *c, const struct tk_cpu_stream *streams, unsigned n)
{
    uint32_t batch = 0;
    c->n = c->n_fixups = c->n_faults = 0;
    for (unsigned i = 0; i < n; i++) {
        tk_cpu_close_up(c, &streams[i], batch);
        batch = streams[i].last;
    }
    /* empty batches at the end belong to no stream */
    for (; batch <= c->n_batches; batch++)
        c->first[batch] = (uint32_t)c->n;
}

int tk_cpu_decode_with(struct tk_cpu_chunk *c, const struct tk_cpu_kernels *kernels)
{
    struct tk_cpu_stream streams[TK_CPU_STREAMS];
    size_t bytes = tk_cpu_chunk_bytes(c);
    if (tk_cpu_reserve(c, bytes))
        return -1;
    if (!bytes) {
        tk_cpu_collect(c, streams, 0);
        return 0;
    }
    tk_cpu_cut(streams, kernels->streams, c, bytes);
    kernels->run[c->form - 1](streams);

    bool full = false;
    for (unsigned i = 0; i < kernels->streams; i++)
        full |= streams[i].full;
    if (!full) {
        tk_cpu_collect(c, streams, kernels->streams);
        return 0;
    }
    streams[0] = tk_cpu_stream_cut(c, 0, 0, 0, bytes);
    streams[0].grows = true;
    if (tk_cpu_decode_exact(&streams[0]))
        return -1;
    tk_cpu_collect(c, streams, 1);
    return 0;
}

int tk_cpu_decode(struct tk_cpu_chunk *c)
{
    return tk_cpu_decode_with(c, tk_cpu_kernels_best());
}

void tk_cpu_chunk_release(struct tk_cpu_chunk *c)
{
    free(c->time);
    free(c->op);
    free(c->first);
    free(c->fixups);
    free(c->faults);
    c->time = NULL;
    c->op = NULL;
    c->first = NULL;
    c->fixups = NULL;
    c->faults = NULL;
    c->n = c->cap = c->cap_first = c->n_fixups = c->cap_fixups = c->n_faults = c->cap_faults = 0;
}
