/*
 * CPU batch decoder: every kernel against a plain decoder that reads one byte at a time, on random batches of
 * all forms and on batches cut at every byte. The bytes are allocated to the last byte of the padding, so
 * that a memory checker sees what is read beyond.
 */
#include "format/utrace/scopes/scopes_in.h"
#include "run.h"

#include <string.h>

#define START     UINT64_C(864000000000)
#define COROUTINE 900u
#define FRAME     901u
#define SPECS     40u
#define ENTRIES   200000
#define BYTES     60000
#define BATCHES   400

static uint64_t random_state = 1;

static uint64_t draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static uint32_t below(uint32_t limit)
{
    return (uint32_t)((draw() >> 16) % limit);
}

/* ---- the plain decoder ---- */

struct plain {
    int64_t time[ENTRIES];
    uint32_t op[ENTRIES];
    uint32_t n;
    uint32_t first[BATCHES + 1];
    struct tk_cpu_fixup fixups[ENTRIES];
    size_t n_fixups;
    uint32_t faults[BATCHES]; /* batches */
    size_t n_faults;
};

/* Reads a number; false when it is cut or has more than ten bytes. */
static bool plain_number(const uint8_t **p, const uint8_t *end, uint64_t *v)
{
    *v = 0;
    for (unsigned i = 0; i < 10 && *p < end; i++) {
        uint8_t b = *(*p)++;
        if (i < 9 || !(b & 0x7e))
            *v |= (uint64_t)(b & 0x7f) << (7 * i);
        else
            *v |= (uint64_t)(b & 1) << 63;
        if (!(b & 0x80))
            return true;
    }
    return false;
}

static void plain_put(struct plain *d, uint64_t time, uint32_t op)
{
    must(d->n < ENTRIES);
    d->time[d->n] = (int64_t)time;
    d->op[d->n++] = op;
}

static void plain_begin(struct plain *d, const struct tk_cpu_chunk *c, uint64_t time, uint64_t x)
{
    uint32_t op = TK_CPU_UNKNOWN;
    if (c->form == 3 && x % 2 == 1) {
        d->fixups[d->n_fixups++] = (struct tk_cpu_fixup){d->n, TK_CPU_FIX_METADATA, x / 2};
    } else {
        uint64_t id = c->form == 3 ? x / 2 : x;
        if (id < c->n_specs)
            op = c->spec_timer[id];
        if (op == TK_CPU_UNKNOWN)
            d->fixups[d->n_fixups++] = (struct tk_cpu_fixup){d->n, TK_CPU_FIX_SPEC, id};
    }
    plain_put(d, time, op);
}

/* One entry; false at a fault. */
static bool plain_entry(struct plain *d, const struct tk_cpu_chunk *c, const uint8_t **p, const uint8_t *end,
                        bool first, uint64_t *time)
{
    uint64_t v, x = 0, depth = 0;
    if (!plain_number(p, end, &v))
        return false;
    unsigned flags = c->form == 1 ? v & 1 : v & 3;
    uint64_t cycles = c->form == 1 ? v / 2 : v / 4;
    if ((flags & 1) && !plain_number(p, end, &x))
        return false;
    if ((flags & 2) && !plain_number(p, end, &depth))
        return false;
    if (first)
        *time = cycles < START ? cycles : cycles - START;
    else
        *time += cycles;
    if (depth > c->max_depth)
        depth = c->max_depth;
    if (flags == 0) {
        plain_put(d, *time, TK_OP_END);
    } else if (flags == 1) {
        plain_begin(d, c, *time, x);
    } else {
        plain_put(d, *time, flags == 3 ? COROUTINE : TK_OP_END);
        for (uint64_t i = 0; i < depth; i++)
            plain_put(d, *time, flags == 3 ? FRAME : TK_OP_END);
    }
    return true;
}

static void plain_decode(struct plain *d, const struct tk_cpu_chunk *c)
{
    const uint8_t *p = c->bytes;
    d->n = 0;
    d->n_fixups = d->n_faults = 0;
    for (uint32_t b = 0; b < c->n_batches; b++) {
        const uint8_t *end = p + c->sizes[b];
        uint64_t time = 0;
        bool first = true;
        d->first[b] = d->n;
        for (; p < end; first = false)
            if (!plain_entry(d, c, &p, end, first, &time)) {
                d->faults[d->n_faults++] = b;
                break;
            }
        p = end;
    }
    d->first[c->n_batches] = d->n;
}

/* ---- random chunks ---- */

struct input {
    uint8_t *bytes; /* n of them and the padding */
    size_t n;
    uint32_t sizes[BATCHES];
    uint32_t n_batches;
    uint32_t timers[SPECS];
    int form;
    bool coroutines, odd;
};

static void put_number(struct input *in, uint64_t v)
{
    unsigned pad = in->odd && below(20) == 0 ? below(4) : 0; /* a longer form of the same number */
    uint8_t out[16];
    unsigned n = 0;
    for (; v >= 0x80; v >>= 7)
        out[n++] = (uint8_t)(v | 0x80);
    out[n++] = (uint8_t)v;
    for (; pad && n < 10; pad--) {
        out[n - 1] |= 0x80;
        out[n++] = 0;
    }
    memcpy(in->bytes + in->n, out, n);
    in->n += n;
}

/* Mostly short, now and then of any length up to `bits`. */
static uint64_t some_number(unsigned bits)
{
    unsigned kind = below(100);
    unsigned width = kind < 60 ? 5 : kind < 90 ? 12 : kind < 98 ? 35 : bits;
    return draw() >> (64 - (1 + below(width)));
}

static void put_entry(struct input *in, bool first)
{
    unsigned shift = in->form == 1 ? 1 : 2;
    unsigned flags = below(2);
    uint64_t cycles = some_number(64 - shift);
    if (first && below(8))
        cycles = START - 1 + (below(4) ? draw() >> 30 : below(3));
    if (in->form > 1 && in->coroutines && below(12) == 0)
        flags |= 2;
    put_number(in, cycles << shift | flags);
    if (flags == 1)
        put_number(in, below(50) ? below(2 * SPECS + 10) : draw() >> below(64));
    if (flags == 3)
        put_number(in, draw() >> below(64));
    if (flags & 2)
        put_number(in, below(10) ? below(4) : below(70));
    if (in->odd && below(400) == 0) /* a number without end */
        for (unsigned i = 0; i < 12; i++)
            in->bytes[in->n++] = 0xff;
}

static void put_batch(struct input *in, size_t size)
{
    size_t begin = in->n;
    while (in->n - begin < size)
        put_entry(in, in->n == begin);
    if (in->odd && in->n > begin && below(5) == 0)
        in->n -= below((uint32_t)(in->n - begin) + 1);
    in->sizes[in->n_batches++] = (uint32_t)(in->n - begin);
}

static void make_input(struct input *in, size_t bytes)
{
    memset(in, 0, sizeof *in);
    in->form = 1 + (int)below(3);
    in->coroutines = below(3) == 0;
    in->odd = below(2) == 0;
    in->bytes = malloc(BYTES + 4096);
    for (unsigned i = 0; i < SPECS; i++)
        in->timers[i] = below(8) ? 100 + i : TK_CPU_UNKNOWN;
    while (in->n < bytes && in->n_batches < BATCHES)
        put_batch(in, below(10) ? below(250) : 0);
}

static struct tk_cpu_chunk chunk_of(const struct input *in)
{
    return (struct tk_cpu_chunk){
        .form = in->form,
        .sizes = in->sizes,
        .n_batches = in->n_batches,
        .start_cycle = START,
        .spec_timer = in->timers,
        .n_specs = in->n % 7 ? SPECS : 0,
        .coroutine_timer = COROUTINE,
        .frame_timer = FRAME,
        .max_depth = 64,
    };
}

/* ---- comparison ---- */

static void same(const struct plain *d, const struct tk_cpu_chunk *c)
{
    must(c->n == d->n);
    must(memcmp(c->time, d->time, d->n * sizeof *d->time) == 0);
    must(memcmp(c->op, d->op, d->n * sizeof *d->op) == 0);
    must(memcmp(c->first, d->first, (c->n_batches + 1) * sizeof *d->first) == 0);
    must(c->n_fixups == d->n_fixups);
    for (size_t i = 0; i < d->n_fixups; i++) {
        must(c->fixups[i].at == d->fixups[i].at);
        must(c->fixups[i].kind == d->fixups[i].kind);
        must(c->fixups[i].raw == d->fixups[i].raw);
    }
    must(c->n_faults == d->n_faults);
    for (size_t i = 0; i < d->n_faults; i++)
        must(c->faults[i].batch == d->faults[i]);
}

/* A copy of the first n bytes with nothing behind the padding. */
static uint8_t *exact_copy(const uint8_t *bytes, size_t n)
{
    uint8_t *copy = malloc(n + TK_CPU_PADDING);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, n);
    for (size_t i = 0; i < TK_CPU_PADDING; i++)
        copy[n + i] = (uint8_t)draw();
    return copy;
}

static struct plain expected;

static void check_kernels(const struct input *in, size_t n, struct tk_cpu_chunk *reused)
{
    uint8_t *bytes = exact_copy(in->bytes, n);
    struct tk_cpu_chunk c = chunk_of(in);
    c.bytes = bytes;
    plain_decode(&expected, &c);

    ck_assert_int_eq(tk_cpu_decode(&c), 0);
    same(&expected, &c);
    ck_assert_int_eq(tk_cpu_decode_with(&c, &tk_cpu_kernels_word), 0);
    same(&expected, &c);
    tk_cpu_chunk_release(&c);

    /* columns left over from another chunk do not show */
    struct tk_cpu_chunk fresh = chunk_of(in);
    reused->form = fresh.form;
    reused->bytes = bytes;
    reused->sizes = fresh.sizes;
    reused->n_batches = fresh.n_batches;
    reused->start_cycle = fresh.start_cycle;
    reused->spec_timer = fresh.spec_timer;
    reused->n_specs = fresh.n_specs;
    reused->coroutine_timer = fresh.coroutine_timer;
    reused->frame_timer = fresh.frame_timer;
    reused->max_depth = fresh.max_depth;
    ck_assert_int_eq(tk_cpu_decode(reused), 0);
    same(&expected, reused);
    free(bytes);
}

START_TEST(random_batches)
{
    struct tk_cpu_chunk reused = {0};
    for (unsigned i = 0; i < 200; i++) {
        struct input in;
        make_input(&in, below(4) ? below(3000) : below(BYTES / 2));
        check_kernels(&in, in.n, &reused);
        free(in.bytes);
    }
    tk_cpu_chunk_release(&reused);
}
END_TEST

/* Cuts a chunk after n bytes: whole batches stay, the one that is hit gets shorter. */
static void cut_input(struct input *cut, const struct input *in, size_t n)
{
    *cut = *in;
    cut->n = n;
    cut->n_batches = 0;
    for (size_t at = 0; at < n; at += in->sizes[cut->n_batches++])
        if (at + in->sizes[cut->n_batches] > n)
            cut->sizes[cut->n_batches] = (uint32_t)(n - at);
}

START_TEST(cut_at_every_byte)
{
    struct tk_cpu_chunk reused = {0};
    for (unsigned i = 0; i < 5; i++) {
        struct input in, cut;
        make_input(&in, 500);
        for (size_t n = 0; n <= in.n; n++) {
            cut_input(&cut, &in, n);
            check_kernels(&cut, n, &reused);
        }
        free(in.bytes);
    }
    tk_cpu_chunk_release(&reused);
}
END_TEST

START_TEST(by_hand)
{
    /* form 3; 1000 is a time below the start, so relative to it: 1000 * 4 + 1 = 0x1f21 in 7 bits: a1 1f */
    static const uint8_t bytes[3 + 1 + 3 + 2 + TK_CPU_PADDING] = {
        0xa1, 0x1f, 0x04, /* begin at 1000, spec 2 */
        0x14,             /* end, 5 later */
        0x0d, 0xf1, 0x01, /* begin, 3 later, instance 120 */
        0x00, 0x80,       /* end; then half a number */
    };
    static const uint32_t sizes[] = {0, 9}, timers[] = {7, 8, 9};
    struct tk_cpu_chunk c = {.form = 3,
                             .bytes = bytes,
                             .sizes = sizes,
                             .n_batches = 2,
                             .start_cycle = START,
                             .spec_timer = timers,
                             .n_specs = 3,
                             .max_depth = 10};
    ck_assert_int_eq(tk_cpu_decode(&c), 0);
    ck_assert_uint_eq(c.n, 4);
    ck_assert_int_eq(c.time[0], 1000);
    ck_assert_uint_eq(c.op[0], 9);
    ck_assert_int_eq(c.time[1], 1005);
    ck_assert_uint_eq(c.op[1], TK_OP_END);
    ck_assert_int_eq(c.time[2], 1008);
    ck_assert_uint_eq(c.op[2], TK_CPU_UNKNOWN);
    ck_assert_int_eq(c.time[3], 1008);
    ck_assert_uint_eq(c.n_fixups, 1);
    ck_assert_uint_eq(c.fixups[0].at, 2);
    ck_assert_uint_eq(c.fixups[0].kind, TK_CPU_FIX_METADATA);
    ck_assert_uint_eq(c.fixups[0].raw, 120);
    ck_assert_uint_eq(c.n_faults, 1);
    ck_assert_uint_eq(c.faults[0].batch, 1);
    ck_assert_uint_eq(c.first[0], 0);
    ck_assert_uint_eq(c.first[1], 0);
    ck_assert_uint_eq(c.first[2], 4);
    tk_cpu_chunk_release(&c);
}
END_TEST

/* Every batch, one a stream, ends with a begin whose timer lies in the next one, and is taken back. No timer
 * is known, and the streams have odd lengths: nothing is left between what they note. */
START_TEST(begins_behind_the_end)
{
    struct tk_cpu_chunk reused = {0};
    for (uint32_t batch = 3; batch < 60; batch += 2) {
        struct input in = {.form = 1, .bytes = malloc(4096)};
        ck_assert_ptr_nonnull(in.bytes);
        for (; in.n_batches < 4; in.sizes[in.n_batches++] = batch)
            for (uint32_t i = 0; i < batch; i++)
                in.bytes[in.n++] = 0x29; /* begin, and timer 41, which there is not */
        check_kernels(&in, in.n, &reused);
        free(in.bytes);
    }
    tk_cpu_chunk_release(&reused);
}
END_TEST

/* Three bytes can stand for a thousand scopes: the columns grow, up to a bound. */
START_TEST(coroutines_without_measure)
{
    enum { N = 10000 };
    struct tk_cpu_chunk c = {.form = 2,
                             .n_batches = 1,
                             .start_cycle = START,
                             .coroutine_timer = COROUTINE,
                             .frame_timer = FRAME,
                             .max_depth = 1000};
    uint8_t *bytes = malloc(N * 4 + TK_CPU_PADDING);
    uint32_t size = N * 4;
    ck_assert_ptr_nonnull(bytes);
    memset(bytes + size, 0, TK_CPU_PADDING);
    for (size_t i = 0; i < N; i++)
        memcpy(bytes + 4 * i, "\x03\x01\xff\x7f", 4); /* resume coroutine 1 with 16383 scopes */
    c.bytes = bytes;
    c.sizes = &size;
    ck_assert_int_eq(tk_cpu_decode(&c), 0);
    ck_assert_uint_eq(c.n_faults, 1);
    ck_assert_uint_gt(c.n, 4000000);
    ck_assert_uint_lt(c.n, 5000000);
    ck_assert_uint_eq(c.op[0], COROUTINE);
    ck_assert_uint_eq(c.op[1], FRAME);
    ck_assert_uint_eq(c.op[1000], FRAME);
    ck_assert_uint_eq(c.op[1001], COROUTINE);
    tk_cpu_chunk_release(&c);
    free(bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {by_hand, random_batches, cut_at_every_byte, begins_behind_the_end,
                                  coroutines_without_measure};
    return RUN_TESTS("cpu_decode", tests);
}
