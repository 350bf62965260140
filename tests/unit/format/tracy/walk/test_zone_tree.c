/*
 * Zones of a thread: hand-made bytes, in pieces and spaces of every size, and against a plain decoding of
 * random trees.
 */
#include "fact/fact.h"
#include "format/tracy/walk/zone_tree.h"
#include "run.h"

#include <string.h>

#define DEPTH 65536u

#define MOST 4096

static uint32_t timers[65536];

static void number_timers(void)
{
    for (uint32_t i = 0; i < 65536; i++)
        timers[i] = i;
}

/* Bytes of a tree, and what must come out. */
struct tree {
    uint8_t bytes[MOST * TK_TRACY_ZONE_BYTES];
    size_t n;
    int64_t now; /* the running time */
    int64_t time[2 * MOST];
    uint32_t op[2 * MOST];
    size_t n_ops;
};

static void put(struct tree *t, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        t->bytes[t->n++] = (uint8_t)(v >> 8 * i);
}

static void put_time(struct tree *t, int64_t time)
{
    put(t, (uint64_t)time - (uint64_t)t->now, 8);
    t->now = time;
}

static void begin(struct tree *t, int16_t location, int64_t time, uint32_t children)
{
    put(t, (uint16_t)location, 2);
    put_time(t, time);
    put(t, 77, 4);
    put(t, children, 4);
}

static void expect(struct tree *t, int64_t time, uint32_t op)
{
    t->time[t->n_ops] = time;
    t->op[t->n_ops++] = op;
}

struct pieces {
    const uint8_t *p;
    size_t n, piece;
};

static int more(void *ctx, struct tk_bytes *out, struct tk_err *err)
{
    struct pieces *s = ctx;
    size_t n = s->n < s->piece ? s->n : s->piece;
    (void)err;
    *out = (struct tk_bytes){s->p, n};
    s->p += n;
    s->n -= n;
    return n ? TK_ITEM : TK_OK;
}

/* Decodes with pieces and space of a size; what comes out must be what was expected. */
static void check(const struct tree *t, uint32_t roots, size_t piece, size_t capacity)
{
    static int64_t time[2 * MOST];
    static uint32_t op[2 * MOST];
    struct pieces s = {t->bytes, t->n, piece};
    struct tk_tracy_payload in;
    struct tk_tracy_zone_stack stack = {0};
    size_t n = 0;
    ck_assert_int_eq(tk_tracy_zone_stack_open(&stack, DEPTH), TK_OK);
    tk_tracy_payload_init(&in, more, &s);
    tk_tracy_zones_begin(&stack, roots);
    while (!tk_tracy_zones_done(&stack) && tk_tracy_ok(&in) && n + capacity <= 2 * MOST)
        n += tk_tracy_zones_run(&stack, &in, (struct tk_tracy_zone_out){timers, time + n, op + n, NULL},
                                capacity);
    ck_assert(tk_tracy_zones_done(&stack));
    ck_assert(tk_tracy_ok(&in));
    ck_assert_uint_eq(tk_tracy_at(&in), t->n);
    ck_assert_uint_eq(n, t->n_ops);
    ck_assert_mem_eq(time, t->time, n * sizeof *time);
    ck_assert_mem_eq(op, t->op, n * sizeof *op);
    tk_tracy_zone_stack_release(&stack);
}

static void check_all(const struct tree *t, uint32_t roots)
{
    for (size_t piece = 1; piece <= t->n + 1; piece++)
        for (size_t capacity = 1; capacity <= t->n_ops + 1; capacity++)
            check(t, roots, piece, capacity);
}

static struct tree tree;

/* Two roots, one with two children of which one has a child; a dynamic location; no gap between siblings. */
START_TEST(nested)
{
    struct tree *t = &tree;
    memset(t, 0, sizeof *t);
    begin(t, 1, 100, 2), expect(t, 100, 1);
    begin(t, 2, 110, 1), expect(t, 110, 2);
    begin(t, -1, 120, 0), expect(t, 120, 65535);
    put_time(t, 130), expect(t, 130, TK_OP_END);
    put_time(t, 140), expect(t, 140, TK_OP_END);
    begin(t, 2, 140, 0), expect(t, 140, 2);
    put_time(t, 140), expect(t, 140, TK_OP_END);
    put_time(t, 150), expect(t, 150, TK_OP_END);
    begin(t, 32767, 160, 0), expect(t, 160, 32767);
    put_time(t, 170), expect(t, 170, TK_OP_END);
    check_all(t, 2);
}
END_TEST

/* Begins may be negative; ends below 0 are none, and the next difference starts from there. */
START_TEST(open_at_the_end)
{
    struct tree *t = &tree;
    memset(t, 0, sizeof *t);
    begin(t, 1, -50, 0), expect(t, -50, 1);
    put_time(t, 10), expect(t, 10, TK_OP_END);
    begin(t, 2, 20, 2), expect(t, 20, 2);
    begin(t, 3, 30, 0), expect(t, 30, 3);
    put_time(t, 40), expect(t, 40, TK_OP_END);
    begin(t, 4, 50, 0), expect(t, 50, 4);
    put_time(t, -1);
    put_time(t, -1);
    check_all(t, 2);
}
END_TEST

/* What has no end, but something behind it, is lost before that. */
START_TEST(open_before_others)
{
    struct tree *t = &tree;
    memset(t, 0, sizeof *t);
    begin(t, 1, 10, 2), expect(t, 10, 1);
    begin(t, 2, 20, 1), expect(t, 20, 2);
    begin(t, 3, 30, 0), expect(t, 30, 3);
    put_time(t, -1);
    put_time(t, -1), expect(t, 30, TK_OP_LOSE), expect(t, 30, TK_OP_LOSE);
    begin(t, 4, 50, 0), expect(t, 50, 4);
    put_time(t, -1), expect(t, 50, TK_OP_LOSE);
    put_time(t, 60), expect(t, 60, TK_OP_END);
    check_all(t, 1);
}
END_TEST

static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

/* A random tree by recursion, the other way to see it. */
static void grow(struct tree *t, uint32_t *state, uint32_t depth, size_t *left)
{
    uint32_t children = depth < 12 ? draw(state, 4) : 0;
    int16_t location = (int16_t)(draw(state, 65536) - 32768);
    if (children > *left)
        children = (uint32_t)*left;
    *left -= children;
    begin(t, location, t->now + draw(state, 1000), children);
    expect(t, t->now, (uint16_t)location);
    for (uint32_t i = 0; i < children; i++)
        grow(t, state, depth + 1, left);
    put_time(t, t->now + draw(state, 1000));
    expect(t, t->now, TK_OP_END);
}

START_TEST(random_trees)
{
    static const size_t pieces[] = {1, 7, 8, 18, 25, 26, 27, 1000, 65536, sizeof tree.bytes};
    static const size_t spaces[] = {1, 2, 3, 100, 1000};
    for (uint32_t seed = 0; seed < 20; seed++) {
        uint32_t state = seed, roots = 0;
        size_t left = 800;
        memset(&tree, 0, sizeof tree);
        for (; left; roots++) {
            left--;
            grow(&tree, &state, 0, &left);
        }
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
            check(&tree, roots, pieces[i], spaces[(i + seed) % 5]);
    }
}
END_TEST

/* The whole depth that is allowed goes; one more does not, and says so. */
START_TEST(depth)
{
    size_t n = DEPTH + (size_t)_i;
    uint8_t *bytes = calloc(n, TK_TRACY_ZONE_BYTES);
    static int64_t time[1000];
    static uint32_t op[1000];
    struct pieces s = {bytes, n * TK_TRACY_ZONE_BYTES, 65536};
    struct tk_tracy_payload in;
    struct tk_tracy_zone_stack stack = {0};
    size_t ops = 0, got;
    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i + 1 < n; i++)
        bytes[18 * i + 14] = 1;
    ck_assert_int_eq(tk_tracy_zone_stack_open(&stack, DEPTH), TK_OK);
    tk_tracy_payload_init(&in, more, &s);
    tk_tracy_zones_begin(&stack, 1);
    while (!tk_tracy_zones_done(&stack) &&
           (got = tk_tracy_zones_run(&stack, &in, (struct tk_tracy_zone_out){timers, time, op, NULL}, 1000)))
        ops += got;
    ck_assert_int_eq(stack.too_deep, _i);
    ck_assert_uint_eq(ops, _i ? DEPTH : 2 * DEPTH);
    tk_tracy_zone_stack_release(&stack);
    free(bytes);
}
END_TEST

/* Cut at every byte: all that came before is there. */
START_TEST(cut_anywhere)
{
    struct tree *t = &tree;
    memset(t, 0, sizeof *t);
    begin(t, 1, 100, 1), expect(t, 100, 1);
    begin(t, 2, 110, 0), expect(t, 110, 2);
    put_time(t, 130), expect(t, 130, TK_OP_END);
    put_time(t, 140), expect(t, 140, TK_OP_END);
    static const size_t ends[] = {18, 36, 44, 52};
    for (size_t cut = 0; cut < t->n; cut++) {
        int64_t time[8];
        uint32_t op[8];
        struct pieces s = {t->bytes, cut, 65536};
        struct tk_tracy_payload in;
        struct tk_tracy_zone_stack stack = {0};
        size_t want = 0;
        while (ends[want] <= cut)
            want++;
        ck_assert_int_eq(tk_tracy_zone_stack_open(&stack, DEPTH), TK_OK);
        tk_tracy_payload_init(&in, more, &s);
        tk_tracy_zones_begin(&stack, 1);
        size_t n = tk_tracy_zones_run(&stack, &in, (struct tk_tracy_zone_out){timers, time, op, NULL}, 8);
        ck_assert_uint_eq(n, want);
        ck_assert_mem_eq(op, t->op, n * sizeof *op);
        ck_assert(!tk_tracy_ok(&in));
        ck_assert_uint_eq(in.fault_at, want ? ends[want - 1] : 0);
        tk_tracy_zone_stack_release(&stack);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {nested,       open_at_the_end, open_before_others,
                                  random_trees, depth,           cut_anywhere};
    number_timers();
    return RUN_TESTS_EACH("tracy zones", tests, 2);
}
