/*
 * Paths of a run against stacks that are written out, for random calls on several lanes.
 */
#include "compare/collect/collect_in.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

#define CALLS  2000u
#define BATCH  300u
#define LANES  3u
#define TIMERS 5u
#define GONE   3u /* a timer that has no series */
#define DEEP   6u

struct made {
    struct tk_paths paths[LANES];
    uint32_t lane[CALLS], node[CALLS], timer[CALLS];
    uint64_t excl[CALLS];
    uint8_t part[CALLS];
    char path[CALLS][DEEP + 1]; /* timers, the outermost first, without GONE */
};

static struct tk_series series[TIMERS];

static const struct tk_series *timer_of(void *ctx, uint32_t timer)
{
    (void)ctx;
    return timer == GONE ? NULL : &series[timer];
}

static void make(struct made *m, size_t limit)
{
    srand(7);
    for (unsigned i = 0; i < LANES; i++)
        ck_assert_int_eq(tk_paths_init(&m->paths[i], limit), 0);
    for (size_t i = 0; i < CALLS; i++) {
        unsigned depth = 1 + (unsigned)rand() % DEEP, n = 0;
        struct tk_paths *paths = &m->paths[m->lane[i] = (uint32_t)(i / BATCH % LANES)];
        m->node[i] = TK_PATH_ROOT;
        for (unsigned k = 0; k < depth; k++) {
            m->timer[i] = (uint32_t)rand() % TIMERS;
            m->node[i] = tk_paths_reach(paths, m->node[i], m->timer[i]);
            if (m->timer[i] != GONE)
                m->path[i][n++] = (char)('a' + m->timer[i]);
        }
        m->path[i][n] = 0;
        m->excl[i] = (uint64_t)(rand() % 100);
        m->part[i] = (uint8_t)(rand() % (int)(TK_CALL_PATH_SUMS + 1));
        m->part[i] = m->part[i] == TK_CALL_PATH_SUMS ? TK_CALL_PATH_NO_SUM : m->part[i];
    }
}

/* All calls, in batches of a lane each. */
static void collect(struct made *m, struct tk_collect_paths *run)
{
    struct tk_lane_paths lanes[LANES] = {{.v = {0}}};
    for (size_t at = 0; at < CALLS; at += BATCH) {
        uint32_t lane = m->lane[at];
        const struct tk_slices batch = {.n = CALLS - at < BATCH ? CALLS - at : BATCH,
                                        .timer = m->timer + at,
                                        .excl = m->excl + at,
                                        .node = m->node + at,
                                        .paths = &m->paths[lane]};
        ck_assert_int_eq(tk_lane_paths_take(&lanes[lane], &batch, m->part + at), 0);
    }
    for (unsigned i = 0; i < LANES; i++) {
        ck_assert_int_eq(tk_collect_paths_add(run, &lanes[i], timer_of, NULL), 0);
        tk_lane_paths_release(&lanes[i]);
    }
}

/* The timers of a path of a run, the outermost first. */
static void spell(const struct tk_collect_paths *run, uint32_t at, char out[DEEP + 1])
{
    size_t n = 0;
    for (uint32_t up = at + 1; up; up = run->paths.v[up - 1].parent)
        n++;
    ck_assert_uint_le(n, DEEP);
    out[n] = 0;
    for (uint32_t up = at + 1; up; up = run->paths.v[up - 1].parent)
        out[--n] = (char)('a' + (run->paths.v[up - 1].timer - series));
}

static void compare(const struct made *m, const struct tk_collect_paths *run)
{
    uint64_t calls = 0;
    for (uint32_t i = 0; i < run->paths.n; i++) {
        const struct tk_path *path = &run->paths.v[i];
        char name[DEEP + 1];
        uint64_t count = 0;
        int64_t own = 0, parts[UINT8_MAX + 1] = {0};
        spell(run, i, name);
        for (size_t k = 0; k < CALLS; k++) {
            bool same = strcmp(m->path[k], name) == 0 && m->timer[k] != GONE;
            count += same;
            own += same ? (int64_t)m->excl[k] : 0;
            parts[m->part[k]] += same ? (int64_t)m->excl[k] : 0;
        }
        ck_assert_uint_eq(path->count, count);
        ck_assert_int_eq(path->own, own);
        ck_assert_mem_eq(path->parts, parts, sizeof path->parts);
        calls += count;
    }
    for (size_t k = 0; k < CALLS; k++)
        calls += m->timer[k] == GONE;
    ck_assert_uint_eq(calls, CALLS);
}

static void release(struct made *m, struct tk_collect_paths *run)
{
    for (unsigned i = 0; i < LANES; i++)
        tk_paths_release(&m->paths[i]);
    tk_collect_paths_release(run);
    free(m);
}

START_TEST(stacks_of_all_lanes)
{
    struct made *m = malloc(sizeof *m);
    struct tk_collect_paths run;
    make(m, 1000000);
    tk_collect_paths_init(&run, NULL, 1000000);
    collect(m, &run);
    compare(m, &run);
    ck_assert_uint_eq(run.left_out, 0);
    release(m, &run);
}
END_TEST

/* With space for few stacks in a lane, or for few in a run, every call is at a path, of no timer, or counted.
 */
START_TEST(what_has_no_space_is_counted)
{
    static const size_t spaces[][2] = {{20, 1000000}, {1000000, 10}};
    for (size_t r = 0; r < sizeof spaces / sizeof *spaces; r++) {
        struct made *m = malloc(sizeof *m);
        struct tk_collect_paths run;
        uint64_t calls = 0, gone = 0;
        make(m, spaces[r][0]);
        tk_collect_paths_init(&run, NULL, spaces[r][1]);
        collect(m, &run);
        for (size_t i = 0; i < run.paths.n; i++)
            calls += run.paths.v[i].count;
        for (size_t k = 0; k < CALLS; k++)
            gone += m->timer[k] == GONE && m->node[k] != TK_PATH_LOST;
        ck_assert_uint_gt(run.left_out, 0);
        ck_assert_uint_le(run.paths.n, spaces[r][1]);
        ck_assert_uint_eq(calls + gone + run.left_out, CALLS);
        release(m, &run);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {stacks_of_all_lanes, what_has_no_space_is_counted};
    return RUN_TESTS("collect_paths", tests);
}
