/* Moves against sums that are kept move by move: whoever does them, however many at once, and whatever
 * groups, stacks and sites come meanwhile. */
#include "model/memory/memory_model.h"
#include "run.h"

#include <string.h>

enum { MOVES = 60000, STACKS = 3000, BLOCKS = 400, SUMS = 8192, MOST_JOBS = 4 };

/* What is expected of a group, with the names of what is notified about it. */
struct sum {
    bool used;
    enum tk_alloc_by by;
    uint32_t heap, key;
    struct tk_alloc_group reported;
    uint64_t alive_bytes, alive_count, frame, in_frame;
};

struct rig {
    struct tk_alloc_groups groups;
    struct sum sums[SUMS];
    struct tk_block blocks[BLOCKS]; /* alive where index is not 0 */
    struct tk_alloc_site sites[BLOCKS];
    uint32_t callstacks[BLOCKS];
    unsigned parts;
    uint64_t random, frame;
    int64_t time;
    bool selected;
};

static uint64_t pick(struct rig *r, uint64_t below)
{
    r->random = r->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (r->random >> 33) % below;
}

/* ---- the sums that are expected ---- */

static struct sum *sum_of(struct rig *r, enum tk_alloc_by by, uint32_t heap, uint32_t key)
{
    uint32_t i = (by * 131u + heap * 7u + key * 17u) % SUMS;
    while (r->sums[i].used && (r->sums[i].by != by || r->sums[i].heap != heap || r->sums[i].key != key))
        i = (i + 1) % SUMS;
    r->sums[i].used = true;
    r->sums[i].by = by;
    r->sums[i].heap = heap;
    r->sums[i].key = key;
    return &r->sums[i];
}

static void expect_peak(struct rig *r, struct sum *s)
{
    if (s->alive_bytes > s->reported.peak_bytes) {
        s->reported.peak_bytes = s->alive_bytes;
        s->reported.ends.peak_time = r->time;
    }
    if (s->alive_count > s->reported.peak_count)
        s->reported.peak_count = s->alive_count;
}

static void expect_in(struct rig *r, struct sum *s, uint64_t size, uint32_t kind)
{
    const bool realloc = kind & TK_ALLOC_MOVE_REALLOC;
    s->alive_bytes += size;
    s->alive_count++;
    if (!r->selected)
        return;
    expect_peak(r, s);
    s->reported.allocs += !realloc;
    s->reported.reallocs += realloc;
    s->reported.alloc_bytes += size;
    if (kind & TK_ALLOC_MOVE_APART) {
        s->reported.unframed++;
        s->reported.unframed_bytes += size;
    }
    if (!r->frame)
        return;
    s->in_frame = s->frame == r->frame ? s->in_frame + size : size;
    s->frame = r->frame;
    s->reported.frame_max = s->in_frame > s->reported.frame_max ? s->in_frame : s->reported.frame_max;
}

static void expect_out(struct rig *r, struct sum *s, uint64_t size, uint32_t kind)
{
    s->alive_bytes -= size;
    s->alive_count--;
    if (!r->selected)
        return;
    s->reported.frees += !(kind & TK_ALLOC_MOVE_REALLOC);
    s->reported.freed_bytes += size;
    if (kind & TK_ALLOC_MOVE_APART) {
        s->reported.short_count++;
        s->reported.short_bytes += size;
    }
}

/* The least power of two that is no less. */
static uint32_t class_of(uint64_t size)
{
    uint32_t class = 0;
    while ((UINT64_C(1) << class) < size)
        class ++;
    return class;
}

static void expect(struct rig *r, size_t block, uint32_t kind)
{
    const struct tk_alloc_site *site = &r->sites[block];
    const uint64_t size = r->blocks[block].size;
    struct sum *const sums[] = {sum_of(r, TK_ALLOC_BY_TOTAL, 0, 0),
                                sum_of(r, TK_ALLOC_BY_HEAP, site->heap, 0),
                                sum_of(r, TK_ALLOC_BY_TAG, site->heap, site->tag),
                                sum_of(r, TK_ALLOC_BY_THREAD, site->heap, site->thread),
                                sum_of(r, TK_ALLOC_BY_ASSET, site->heap, site->asset),
                                sum_of(r, TK_ALLOC_BY_SIZE, site->heap, class_of(size)),
                                sum_of(r, TK_ALLOC_BY_CALLSTACK, site->heap, r->callstacks[block])};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        (kind & TK_ALLOC_MOVE_OUT ? expect_out : expect_in)(r, sums[i], size, kind);
}

/* ---- the moves ---- */

static void note(struct rig *r, size_t block, uint32_t kind)
{
    const struct tk_block *b = &r->blocks[block];
    struct tk_alloc_move *move = tk_alloc_moves_next(&r->groups.moves);
    must(move);
    *move = (struct tk_alloc_move){b->size, b->site, b->stack, b->sized, kind};
    struct tk_alloc_when *when = tk_alloc_moves_when(&r->groups.moves);
    must(!when == !(r->parts & (TK_ALLOC_ENDS | TK_ALLOC_FRAME_MAX)));
    if (when)
        *when = (struct tk_alloc_when){r->time, r->frame};
    if (!r->sites[block].left_out)
        expect(r, block, kind);
}

/* More callstacks come until the end. */
static void move_in(struct rig *r, size_t block, uint64_t done, uint32_t kind)
{
    struct tk_block *b = &r->blocks[block];
    const uint64_t seen = 1 + done * STACKS / MOVES;
    r->sites[block] = (struct tk_alloc_site){.heap = (uint32_t)pick(r, 2),
                                             .tag = (uint32_t)pick(r, 1 + seen / 100),
                                             .thread = (uint32_t)pick(r, 5),
                                             .asset = (uint32_t)pick(r, 3),
                                             .left_out = pick(r, 50) == 0};
    r->callstacks[block] = (uint32_t)pick(r, seen);
    b->index = 1;
    b->size = pick(r, UINT64_C(1) << pick(r, 30));
    must(tk_alloc_site_of(&r->groups, &r->sites[block], &b->site) == 0);
    must(tk_alloc_stack_of(&r->groups, r->sites[block].heap, r->callstacks[block], &b->stack) == 0);
    must(tk_alloc_size_of(&r->groups, b) == 0);
    sum_of(r, TK_ALLOC_BY_CALLSTACK, r->sites[block].heap,
           r->callstacks[block]); /* there, even if left out */
    note(r, block, kind | (r->selected && !r->frame ? TK_ALLOC_MOVE_APART : 0u));
}

static void move_any(struct rig *r, uint64_t done)
{
    const size_t block = pick(r, BLOCKS);
    const uint32_t kind = pick(r, 10) == 0 ? TK_ALLOC_MOVE_REALLOC : 0;
    r->time++;
    if (!r->blocks[block].index) {
        move_in(r, block, done, kind);
        return;
    }
    if (pick(r, 20) == 0 && !(r->parts & TK_ALLOC_FRAME_MAX)) { /* moves, as a container does */
        note(r, block, TK_ALLOC_MOVE_ONLY | TK_ALLOC_MOVE_OUT);
        note(r, block, TK_ALLOC_MOVE_ONLY);
        return;
    }
    const bool soon = r->selected && !kind && pick(r, 2);
    note(r, block, TK_ALLOC_MOVE_OUT | kind | (soon ? TK_ALLOC_MOVE_APART : 0u));
    r->blocks[block].index = 0;
}

static void select_time(struct rig *r, bool on)
{
    if (on == r->selected)
        return;
    if (on)
        tk_alloc_groups_see(&r->groups, r->time);
    must((on ? tk_alloc_groups_begin : tk_alloc_groups_end)(&r->groups) == 0);
    for (size_t i = 0; on && i < SUMS; i++)
        if (r->sums[i].used)
            expect_peak(r, &r->sums[i]);
    r->selected = on;
}

/* ---- what comes out ---- */

static void check_part(const struct rig *r, const struct tk_alloc_group *is,
                       const struct tk_alloc_group *want)
{
    if (r->parts & TK_ALLOC_SOON)
        must(is->short_count == want->short_count && is->short_bytes == want->short_bytes);
    if (r->parts & TK_ALLOC_UNFRAMED)
        must(is->unframed == want->unframed && is->unframed_bytes == want->unframed_bytes);
    if (r->parts & TK_ALLOC_FRAME_MAX)
        must(is->frame_max == want->frame_max);
    if (r->parts & TK_ALLOC_ENDS)
        must(is->ends.peak_time == want->ends.peak_time);
}

static void check_all(struct rig *r)
{
    size_t expected = 0;
    tk_alloc_groups_fold(&r->groups);
    r->groups.then_is_now = true;
    for (size_t i = 0; i < SUMS; i++)
        expected += r->sums[i].used;
    ck_assert_uint_eq(tk_alloc_groups_count(&r->groups), expected);
    for (size_t i = 0; i < expected; i++) {
        const struct tk_alloc_group is = tk_alloc_group_at(&r->groups, i);
        const struct sum *s = sum_of(r, is.by, is.heap, is.key);
        const struct tk_alloc_group *want = &s->reported;
        must(is.then_bytes == s->alive_bytes && is.then_count == s->alive_count);
        must(is.peak_bytes == want->peak_bytes && is.peak_count == want->peak_count);
        must(is.allocs == want->allocs && is.frees == want->frees && is.reallocs == want->reallocs);
        must(is.alloc_bytes == want->alloc_bytes && is.freed_bytes == want->freed_bytes);
        check_part(r, &is, want);
    }
}

static void play(struct tk_pool *pool, unsigned parts)
{
    static const struct tk_limits limits = {.memory_groups = 1 << 20};
    struct rig *r = calloc(1, sizeof *r);
    must(r);
    r->random = r->parts = parts;
    tk_alloc_groups_init(&r->groups,
                         TK_ALLOC_BIT(TK_ALLOC_BY_TOTAL) | TK_ALLOC_BIT(TK_ALLOC_BY_HEAP) |
                             TK_ALLOC_BIT(TK_ALLOC_BY_TAG) | TK_ALLOC_BIT(TK_ALLOC_BY_THREAD) |
                             TK_ALLOC_BIT(TK_ALLOC_BY_SIZE) | TK_ALLOC_BIT(TK_ALLOC_BY_ASSET) |
                             TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK),
                         0, parts, NULL, &limits);
    tk_alloc_moves_open(&r->groups, pool);
    for (uint64_t i = 0; i < MOVES; i++) {
        if (i % 7919 == 5)
            select_time(r, !r->selected);
        if (pick(r, 100) == 0)
            r->frame = pick(r, 2) ? 1 + i : 0;
        if (i % 20011 == 0)
            tk_alloc_moves_settle(&r->groups.moves);
        move_any(r, i);
    }
    check_all(r);
    tk_alloc_groups_release(&r->groups);
    free(r);
}

START_TEST(sums_are_those_of_each_move)
{
    static const unsigned parts[] = {0, TK_ALLOC_SOON | TK_ALLOC_UNFRAMED, TK_ALLOC_ENDS,
                                     TK_ALLOC_SOON | TK_ALLOC_UNFRAMED | TK_ALLOC_FRAME_MAX};
    struct tk_pool *pool = tk_pool_open(1 + (unsigned)_i);
    must(pool);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        play(pool, parts[i]);
    tk_pool_close(pool);
}
END_TEST

/* What still waits may be given up. */
START_TEST(closing_needs_no_settling)
{
    static const struct tk_limits limits = {.memory_groups = 1 << 20};
    struct tk_pool *pool = tk_pool_open(1 + (unsigned)_i);
    struct tk_alloc_groups groups;
    struct tk_block b = {.size = 1, .index = 1};
    const struct tk_alloc_site site = {.heap = 0};
    must(pool);
    tk_alloc_groups_init(&groups, TK_ALLOC_BIT(TK_ALLOC_BY_TOTAL), 0, 0, NULL, &limits);
    tk_alloc_moves_open(&groups, pool);
    must(tk_alloc_site_of(&groups, &site, &b.site) == 0);
    for (size_t i = 0; i < 10000; i++) {
        struct tk_alloc_move *move = tk_alloc_moves_next(&groups.moves);
        must(move);
        *move = (struct tk_alloc_move){b.size, b.site, b.stack, b.sized, 0};
    }
    tk_alloc_groups_release(&groups);
    tk_alloc_groups_release(&groups);
    tk_pool_close(pool);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sums_are_those_of_each_move, closing_needs_no_settling};
    return RUN_TESTS_EACH("alloc_moves", tests, MOST_JOBS);
}
