/* Begins and ends become scopes by the rules of import 1.2, worked out by hand. */
#include "format/events/pairs.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

/* Timers have the numbers of their names; timer 9 has none. */
static const uint32_t names[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, TK_EV_NONE};

static char said[512];

static int put(void *ctx, const struct tk_ev_item *scope)
{
    char end[16] = "open";
    (void)ctx;
    if (scope->what & TK_EV_LOST)
        snprintf(end, sizeof end, "lost");
    else if (scope->value != TK_EV_OPEN)
        snprintf(end, sizeof end, "%d", (int)scope->value);
    snprintf(said + strlen(said), sizeof said - strlen(said), "%u:%d-%s ", scope->what & ~TK_EV_LOST,
             (int)scope->time, end);
    return 0;
}

/* Events as "B1@0 E1@5 E@6": a begin of timer 1 at 0, ends by name and without one. */
static const char *pairs_of(const char *events, uint64_t *unmatched)
{
    struct tk_ev_pairs p = {.put = put, .names = names, .most = 4};
    uint32_t order = 0;
    said[0] = '\0';
    tk_ev_pairs_begin(&p);
    for (const char *at = events; *at; at += strcspn(at, " "), at += *at == ' ') {
        struct tk_ev_item item = {.value = *at == 'B' ? TK_EV_BEGIN : TK_EV_END, .order = order++};
        item.what = at[1] == '@' ? TK_EV_NONE : (uint32_t)(at[1] - '0');
        item.time = strtol(strchr(at, '@') + 1, NULL, 10);
        const int rc = tk_ev_pairs_take(&p, &item);
        ck_assert(rc == 0 || (rc == 1 && *at == 'B'));
    }
    ck_assert_int_eq(tk_ev_pairs_finish(&p), 0);
    *unmatched = p.ends_without_begin + 100 * p.too_deep + 10000 * p.ends_of_nameless;
    tk_ev_pairs_release(&p);
    return said;
}

START_TEST(by_hand)
{
    static const struct {
        const char *events, *scopes;
        uint64_t unmatched;
    } cases[] = {
        {"B1@0 B2@1 E2@2 E1@3", "2:1-2 1:0-3 ", 0},
        {"B1@0 B2@1 E@2 E@3", "2:1-2 1:0-3 ", 0},
        {"B1@0 B2@1 E1@2 E2@2", "1:0-2 2:1-2 ", 0},    /* ends of one time in any order */
        {"B1@0 B2@1 E1@2 E2@3", "1:0-2 2:1-lost ", 1}, /* the inner one lost its end */
        {"B1@0 B2@1 E1@2 B3@2 E3@4", "1:0-2 2:1-lost 3:2-4 ", 0},
        {"E1@0 B1@1", "1:1-open ", 1},
        {"B1@0 B1@1 E1@2", "1:1-2 1:0-open ", 0},
        {"B1@0 E2@1 E1@2", "1:0-2 ", 1}, /* a name that is not open ends nothing */
        {"B9@0 E2@1", "9:0-1 ", 10000},  /* one without a name is ended by any, which is counted */
        {"B9@0 E@1", "9:0-1 ", 0},
        {"B1@5 E1@5", "1:5-5 ", 0},
        {"B1@0 B2@0 B3@0 B4@0 B5@0 E5@1 E@1", "4:0-1 1:0-open 2:0-open 3:0-open ", 101}, /* too deep */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t unmatched;
        ck_assert_str_eq(pairs_of(cases[i].events, &unmatched), cases[i].scopes);
        ck_assert_msg(unmatched == cases[i].unmatched, "%s: %llu", cases[i].events,
                      (unsigned long long)unmatched);
    }
}
END_TEST

int main(void)
{
    const TTest *tests[] = {by_hand};
    return RUN_TESTS("pairs", tests);
}
