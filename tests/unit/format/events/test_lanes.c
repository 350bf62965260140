/* Begins and ends that nest as they come are on their lane what they are when they are paired and sorted. */
#include "format/events/capture.h"
#include "format/events/events_in.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000 };

static const uint32_t names[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

static struct tk_ev_item scopes[MOST];
static size_t n_scopes;

static int put(void *ctx, const struct tk_ev_item *scope)
{
    (void)ctx;
    must(n_scopes < MOST);
    scopes[n_scopes++] = *scope;
    return 0;
}

static int by_begin(const void *a, const void *b)
{
    return tk_ev_by_begin(a, b);
}

/* Appends the begins and ends of all lanes as "1@0 e@5 "; text is that of the scopes by order. */
static void tell(struct tk_ev_lanes *l, char *said, size_t capacity)
{
    tk_ev_runs runs = {0};
    must(tk_ev_lanes_give(l, &runs) == 0 && runs.n <= 1);
    for (size_t i = 0; runs.n && i < runs.v[0].n; i++) {
        const size_t n = strlen(said);
        if (runs.v[0].op[i] == TK_OP_END)
            snprintf(said + n, capacity - n, "e@%d ", (int)runs.v[0].time[i]);
        else
            snprintf(said + n, capacity - n, "%u%s@%d ", runs.v[0].op[i],
                     runs.v[0].text ? (const char *)runs.v[0].text[i]->p : "", (int)runs.v[0].time[i]);
    }
    tk_vec_release(&runs);
    tk_ev_lanes_clear(l);
}

static void sorted(const struct tk_ev_item *items, size_t n, char *said, size_t capacity)
{
    uint32_t number = 0;
    struct tk_ev_pairs p = {.put = put, .names = names, .most = MOST};
    struct tk_ev_lanes l = {.next_number = &number, .most = 1};
    n_scopes = 0;
    tk_ev_pairs_begin(&p);
    for (size_t i = 0; i < n; i++)
        must(tk_ev_pairs_take(&p, &items[i]) >= 0);
    must(tk_ev_pairs_finish(&p) == 0);
    qsort(scopes, n_scopes, sizeof *scopes, by_begin);
    tk_ev_lanes_begin(&l, 0, NULL, 0);
    for (size_t i = 0; i < n_scopes; i++)
        must(tk_ev_lanes_take(&l, &scopes[i]) == 0);
    must(tk_ev_lanes_finish(&l) == 0);
    said[0] = '\0';
    tell(&l, said, capacity);
    tk_ev_pairs_release(&p);
    tk_ev_lanes_release(&l);
}

/* In stretches of `step`; the lane is emptied in between as between batches. */
static void nested(const struct tk_ev_item *items, size_t n, size_t step, char *said, size_t capacity)
{
    uint32_t number = 0;
    struct tk_ev_lanes l = {.next_number = &number, .most = 1};
    said[0] = '\0';
    tk_ev_lanes_begin(&l, 0, NULL, 0);
    for (size_t i = 0; i < n; i += step) {
        must(tk_ev_lanes_take_nested(&l, items + i, n - i < step ? n - i : step) == 0);
        if (i % 3 == 0)
            tell(&l, said, capacity);
    }
    must(tk_ev_lanes_finish(&l) == 0);
    tell(&l, said, capacity);
    tk_ev_lanes_release(&l);
}

/* Events as "B1@0 E@6"; what is on the lane, worked out by hand from import 1.2. */
START_TEST(by_hand)
{
    static const struct {
        const char *events, *lane;
    } cases[] = {
        {"B1@0 B2@1 E@2 E@3", "1@0 2@1 e@2 e@3 "},
        {"B1@0 E@1 B2@1 E@2", "1@0 e@1 2@1 e@2 "}, /* one behind the other */
        {"B1@5 E@5 B2@5 E@7", "2@5 1@5 e@5 e@7 "}, /* the longer one is the outer one */
        {"B1@5 E@5 B2@5 E@5", "1@5 2@5 e@5 e@5 "}, /* those of no length nest in their order */
        {"B1@0 B2@5 E@5 E@5", "1@0 e@5 2@5 e@5 "}, /* what has ended when another begins is not around it */
        {"B1@0 B2@5 E@5 E@6", "1@0 2@5 e@5 e@6 "},
        {"B1@0 B2@0 E@0", "1@0 2@0 e@0 "}, /* the outer one never ends */
        {"B1@0 B2@4 E@5 E@5 B3@5 E@5 B4@5 E@9", "1@0 2@4 e@5 e@5 4@5 3@5 e@5 e@9 "},
        {"B1@0", "1@0 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tk_ev_item items[16];
        char said[512];
        uint32_t n = 0;
        for (const char *at = cases[i].events; *at; at += strcspn(at, " "), at += *at == ' ', n++) {
            items[n] = (struct tk_ev_item){.value = *at == 'B' ? TK_EV_BEGIN : TK_EV_END, .order = n};
            items[n].what = at[1] == '@' ? TK_EV_NONE : (uint32_t)(at[1] - '0');
            items[n].time = strtol(strchr(at, '@') + 1, NULL, 10);
        }
        for (size_t step = 1; step < 4; step++) {
            nested(items, n, step, said, sizeof said);
            ck_assert_str_eq(said, cases[i].lane);
        }
        sorted(items, n, said, sizeof said);
        ck_assert_str_eq(said, cases[i].lane);
    }
}
END_TEST

static uint64_t state = 88172645463325252u;

static unsigned below(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state % n);
}

START_TEST(at_random)
{
    static char one[MOST * 16], other[MOST * 16];
    for (unsigned round = 0; round < 3000; round++) {
        struct tk_ev_item items[200];
        struct tk_ev_nested check = {0};
        const size_t n = 1 + below(200);
        const unsigned still = 1 + below(4); /* how often time stands still */
        unsigned open = 0;
        int64_t now = 0;
        for (uint32_t i = 0; i < n; i++) {
            now += below(still + 1) ? 0 : 1 + below(3);
            const bool begins = !open || below(2);
            items[i] = (struct tk_ev_item){now, begins ? TK_EV_BEGIN : TK_EV_END,
                                           begins ? below(10) : TK_EV_NONE, i};
            open += begins ? 1u : UINT32_MAX;
            if (begins)
                must(tk_ev_nested_begin(&check, now, items[i].what) == 0);
            else
                tk_ev_nested_end(&check, now, items[i].what);
        }
        must(!check.fails);
        tk_vec_release(&check.names);
        sorted(items, n, one, sizeof one);
        nested(items, n, 1 + below(n < 40 ? 40 : (unsigned)n), other, sizeof other);
        ck_assert_str_eq(one, other);
    }
}
END_TEST

/* What does not nest as it comes. */
START_TEST(others)
{
    struct tk_ev_nested n = {0};
    must(tk_ev_nested_begin(&n, 0, 1) == 0 && tk_ev_nested_begin(&n, 1, 2) == 0);
    tk_ev_nested_end(&n, 2, 1); /* of an outer one */
    ck_assert(n.fails);
    n = (struct tk_ev_nested){0};
    tk_ev_nested_end(&n, 2, TK_EV_NONE);
    ck_assert(n.fails);
    n = (struct tk_ev_nested){0};
    must(tk_ev_nested_begin(&n, 0, TK_EV_NONE) == 0);
    tk_ev_nested_end(&n, 2, 7); /* which ends one without a name, and is counted */
    ck_assert(n.fails);
    n = (struct tk_ev_nested){0};
    for (unsigned i = 0; i <= TK_EV_NESTED_DEPTH; i++)
        must(tk_ev_nested_begin(&n, 10 + i, 1) == 0);
    ck_assert(n.fails && !n.names.v);
    n = (struct tk_ev_nested){0};
    for (unsigned i = 0; i <= TK_EV_NESTED_TOGETHER; i++) {
        must(tk_ev_nested_begin(&n, 5, 1) == 0);
        tk_ev_nested_end(&n, 5, 1);
    }
    ck_assert(n.fails && !n.names.v);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {by_hand, at_random, others};
    return RUN_TESTS("lanes", tests);
}
