/*
 * Paths of calls against paths followed from begin to end, for random stacks cut into batches of any size.
 */
#include "../run.h"

#include <stdlib.h>
#include <string.h>

#include "stats/call_paths.h"

#define SCOPES 4000u
#define TIMERS 5u
#define DEEP   7u

struct made {
    uint32_t timer[SCOPES], depth[SCOPES];
    uint64_t id[SCOPES], parent[SCOPES], excl[SCOPES];
    uint8_t part[SCOPES];
    char path[SCOPES][DEEP + 2];
    size_t n;
    struct tk_open_scope open[DEEP];
    size_t n_open;
};

/* Begins and ends at random; what is open at the end stays so. */
static void make(struct made *m, unsigned seed)
{
    uint32_t timer[DEEP + 1];
    uint64_t id[DEEP + 1], ids = 0;
    size_t depth = 0;
    m->n = 0;
    srand(seed);
    while (m->n < SCOPES) {
        if (depth < DEEP && (depth == 0 || rand() % 2)) {
            timer[depth] = (uint32_t)rand() % TIMERS;
            id[depth++] = ++ids;
            continue;
        }
        depth--;
        m->timer[m->n] = timer[depth];
        m->depth[m->n] = (uint32_t)depth;
        m->id[m->n] = id[depth];
        m->parent[m->n] = depth ? id[depth - 1] : 0;
        m->excl[m->n] = (uint64_t)(rand() % 100);
        m->part[m->n] = (uint8_t)(rand() % (int)(TK_CALL_PATH_SUMS + 1));
        for (size_t i = 0; i <= depth; i++)
            m->path[m->n][i] = (char)('a' + timer[i]);
        m->path[m->n++][depth + 1] = 0;
    }
    m->n_open = depth;
    for (size_t i = 0; i < depth; i++)
        m->open[i].timer = timer[i];
}

static uint32_t find(const struct tk_call_paths *p, const char *path)
{
    uint32_t at = TK_CALL_PATH_ROOT;
    for (; *path; path++) {
        uint32_t child = p->nodes.v[at].child;
        while (child && p->nodes.v[child].timer != (uint32_t)(*path - 'a'))
            child = p->nodes.v[child].next;
        ck_assert_uint_ne(child, 0);
        ck_assert_uint_gt(child, at);
        at = child;
    }
    return at;
}

static void compare(const struct tk_call_paths *p, const struct made *m)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < m->n; i++) {
        const struct tk_call_path *node = &p->nodes.v[find(p, m->path[i])];
        uint64_t count = 0;
        int64_t own = 0, parts[TK_CALL_PATH_SUMS + 1] = {0};
        for (size_t k = 0; k < m->n; k++) {
            if (strcmp(m->path[k], m->path[i]) != 0)
                continue;
            count++;
            own += (int64_t)m->excl[k];
            parts[m->part[k]] += (int64_t)m->excl[k];
        }
        ck_assert_uint_eq(node->count, count);
        ck_assert_int_eq(node->own, own);
        ck_assert_mem_eq(node->sums, parts, sizeof node->sums);
    }
    for (size_t i = 0; i < p->nodes.n; i++)
        calls += p->nodes.v[i].count;
    ck_assert_uint_eq(calls, m->n);
}

START_TEST(paths_are_those_of_the_stack)
{
    static const size_t sizes[] = {1, 2, 3, 17, 256, SCOPES};
    struct made *m = malloc(sizeof *m);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct tk_call_paths p;
        uint8_t parts[SCOPES];
        make(m, (unsigned)s + 1);
        for (size_t i = 0; i < m->n; i++)
            parts[i] = m->part[i] < TK_CALL_PATH_SUMS ? m->part[i] : TK_CALL_PATH_NO_SUM;
        ck_assert_int_eq(tk_call_paths_init(&p, 1000000), 0);
        for (size_t at = 0; at < m->n; at += sizes[s]) {
            struct tk_slices batch = {.n = m->n - at < sizes[s] ? m->n - at : sizes[s],
                                      .timer = m->timer + at,
                                      .excl = m->excl + at,
                                      .id = m->id + at,
                                      .parent = m->parent + at,
                                      .depth = m->depth + at};
            ck_assert_int_eq(tk_call_paths_take(&p, &batch, parts + at), 0);
        }
        ck_assert_int_eq(tk_call_paths_finish(&p, m->open, m->n_open), 0);
        compare(&p, m);
        tk_call_paths_release(&p);
    }
    free(m);
}
END_TEST

/* Of four paths there is room for two: the calls of the others are counted. */
START_TEST(what_has_no_room_is_counted)
{
    const uint32_t timer[] = {1, 2, 3, 0}, depth[] = {1, 1, 1, 0};
    const uint64_t id[] = {2, 3, 4, 1}, parent[] = {1, 1, 1, 0}, excl[] = {5, 6, 7, 8};
    const uint8_t parts[] = {0, 0, 0, 0};
    const struct tk_slices batch = {
        .n = 4, .timer = timer, .excl = excl, .id = id, .parent = parent, .depth = depth};
    struct tk_call_paths p;
    ck_assert_int_eq(tk_call_paths_init(&p, 2), 0);
    ck_assert_int_eq(tk_call_paths_take(&p, &batch, parts), 0);
    ck_assert_int_eq(tk_call_paths_finish(&p, NULL, 0), 0);
    ck_assert_uint_eq(p.left_out, 2);
    ck_assert_int_eq(p.nodes.v[find(&p, "a")].own, 8);
    ck_assert_int_eq(p.nodes.v[find(&p, "ad")].own, 7);
    tk_call_paths_release(&p);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {paths_are_those_of_the_stack, what_has_no_room_is_counted};
    return RUN_TESTS("call_paths", tests);
}
