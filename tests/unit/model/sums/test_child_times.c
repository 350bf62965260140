/* Times of children, of scopes that end in any order and of such that are lost. */
#include "model/sums/interval_sums.h"
#include "run.h"

#include <string.h>

enum { PART, PARTS = 3, STEPS = 20000, DEPTH = 12 };

/* What a scope has of all its parts, which ends. */
static uint64_t taken(struct tk_child_times *c, size_t depth, uint64_t owner)
{
    struct tk_child_time child;
    uint64_t total = 0;
    while (tk_child_times_take(c, depth, owner, &child))
        total += child.total;
    return total;
}

/* Scopes 1, 2 and 3 inside each other; 1 ends before the others. */
START_TEST(the_outer_ends_first)
{
    struct tk_child_times c = {.top = 0};
    ck_assert_int_eq(tk_child_times_add(&c, 1, 2, PART, 5), 0);
    ck_assert_int_eq(tk_child_times_add(&c, 2, 3, PART, 10), 0);
    ck_assert_uint_eq(taken(&c, 0, 1), 0);
    ck_assert_int_eq(tk_child_times_add(&c, 1, 3, PART, 7), 0);
    ck_assert_uint_eq(taken(&c, 1, 3), 17);
    ck_assert_int_eq(tk_child_times_add(&c, 0, 2, PART, 20), 0);
    ck_assert_uint_eq(taken(&c, 0, 2), 25);
    tk_child_times_release(&c);
}
END_TEST

/* Scope 2 never ends; 3 takes its place. */
START_TEST(lost_scopes_leave_nothing)
{
    struct tk_child_times c = {.top = 0};
    ck_assert_int_eq(tk_child_times_add(&c, 1, 2, PART, 5), 0);
    ck_assert_int_eq(tk_child_times_add(&c, 1, 3, PART, 7), 0);
    ck_assert_uint_eq(taken(&c, 1, 3), 7);
    ck_assert_uint_eq(taken(&c, 0, 1), 0);
    tk_child_times_release(&c);
}
END_TEST

/* A stack of scopes that know what they have themselves. */
struct rig {
    struct tk_child_times children;
    uint64_t id[DEPTH], has[DEPTH], begun;
    size_t depth;
    uint32_t state;
};

static uint32_t draw(struct rig *r, uint32_t below)
{
    r->state = r->state * 1664525u + 1013904223u;
    return (r->state >> 8) % below;
}

static void end(struct rig *r, size_t k)
{
    uint64_t total = draw(r, 50);
    ck_assert_uint_eq(taken(&r->children, k, r->id[k]), r->has[k]);
    if (k && total) {
        ck_assert_int_eq(tk_child_times_add(&r->children, k - 1, r->id[k - 1], draw(r, PARTS), total), 0);
        r->has[k - 1] += total;
    }
    r->depth--;
    memmove(&r->id[k], &r->id[k + 1], (r->depth - k) * sizeof *r->id);
    memmove(&r->has[k], &r->has[k + 1], (r->depth - k) * sizeof *r->has);
}

START_TEST(any_order)
{
    struct rig r = {.state = 7};
    for (unsigned i = 0; i < STEPS; i++) {
        uint32_t what = draw(&r, 100);
        if (r.depth < DEPTH && (what < 50 || !r.depth)) {
            r.has[r.depth] = 0;
            r.id[r.depth++] = ++r.begun;
        } else if (what < 98) {
            end(&r, what < 90 ? r.depth - 1 : draw(&r, (uint32_t)r.depth));
        } else {
            r.depth = what == 98 ? r.depth - 1 : 0;
        }
    }
    tk_child_times_release(&r.children);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {the_outer_ends_first, lost_scopes_leave_nothing, any_order};
    return RUN_TESTS("children", tests);
}
