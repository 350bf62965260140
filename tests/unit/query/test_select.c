/* Ranges of time and patterns over names. */
#include "base/text/glob.h"
#include "query/select.h"
#include "run.h"

#include <string.h>

static struct tk_select select_of(const struct tk_range *ranges, size_t n)
{
    struct tk_select s;
    const struct tk_selection nothing = {0};
    ck_assert_int_eq(tk_select_init(&s, &nothing, NULL), TK_OK);
    if (n)
        ck_assert_int_eq(tk_select_narrow(&s, ranges, n, "test", NULL), TK_OK);
    return s;
}

START_TEST(everything)
{
    struct tk_select s = select_of(NULL, 0);
    ck_assert_int_eq(tk_select_before(&s, -5), -5);
    ck_assert(tk_select_has(&s, INT64_MIN));
    ck_assert(tk_select_touches(&s, 5, 5));
    tk_select_release(&s);
}
END_TEST

/* Behind is what no range begins or ends after. */
START_TEST(behind)
{
    const struct tk_range ranges[] = {{50, 60}, {10, 20}};
    struct tk_select s = select_of(ranges, 2), all = select_of(NULL, 0);
    ck_assert(!tk_select_is_behind(&s, INT64_MIN));
    ck_assert(!tk_select_is_behind(&s, 30));
    ck_assert(!tk_select_is_behind(&s, 59));
    ck_assert(tk_select_is_behind(&s, 60));
    ck_assert(tk_select_is_behind(&s, INT64_MAX));
    ck_assert(!tk_select_is_behind(&all, INT64_MAX));
    tk_select_release(&s);
    tk_select_release(&all);
}
END_TEST

START_TEST(ids_without_names)
{
    static const uint32_t ids[] = {2};
    static const char *const all[] = {"*"};
    struct tk_select s;
    struct tk_err err = {0};
    struct tk_selection requested = {.thread_ids = ids, .n_thread_ids = 1};
    ck_assert_int_eq(tk_select_init(&s, &requested, &err), TK_EUSAGE);
    requested.threads = all;
    requested.n_threads = 1;
    ck_assert_int_eq(tk_select_init(&s, &requested, &err), TK_OK);
    tk_select_release(&s);
}
END_TEST

START_TEST(ranges_are_joined)
{
    const struct tk_range ranges[] = {{50, 60}, {10, 20}, {20, 30}, {55, 58}, {40, 40}, {35, 34}};
    struct tk_select s = select_of(ranges, 6);
    ck_assert_uint_eq(s.n_ranges, 2);
    ck_assert_int_eq(s.ranges[0].from, 10);
    ck_assert_int_eq(s.ranges[0].to, 30);
    ck_assert_int_eq(s.ranges[1].from, 50);
    ck_assert_int_eq(s.ranges[1].to, 60);
    tk_select_release(&s);
}
END_TEST

/* Of threads that fit only those that are named by id, too. */
START_TEST(threads_by_name_and_id)
{
    static const char *const names[] = {"Thread *"}, *const others[] = {"Other"};
    static const uint32_t ids[] = {3, 8};
    static const struct {
        struct tk_selection requested;
        bool seven, eight;
    } rows[] = {{{.threads = names, .n_threads = 1}, true, true},
                {{.threads = names, .n_threads = 1, .thread_ids = ids, .n_thread_ids = 2}, false, true},
                {{.threads = others, .n_threads = 1, .thread_ids = ids, .n_thread_ids = 2}, false, false}};
    const struct tk_dict nameless = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tk_select s;
        ck_assert_int_eq(tk_select_init(&s, &rows[i].requested, NULL), TK_OK);
        ck_assert_int_eq(tk_select_thread(&s, &nameless, 7), rows[i].seven);
        ck_assert_int_eq(tk_select_thread(&s, &nameless, 8), rows[i].eight);
        tk_select_release(&s);
    }
}
END_TEST

/* Every question at every time, against a row of flags. */
START_TEST(questions_agree_with_a_row_of_flags)
{
    enum { SPAN = 64 };
    unsigned seed = (unsigned)_i * 2654435761u + 1;
    bool flags[SPAN] = {0};
    struct tk_range ranges[5];
    for (int i = 0; i < 5; i++) {
        seed = seed * 1664525u + 1013904223u;
        int64_t from = seed >> 16 & 63, length = seed >> 24 & 7;
        ranges[i] = (struct tk_range){from - SPAN / 2, from + length - SPAN / 2};
        for (int64_t t = from; t < from + length && t < SPAN; t++)
            flags[t] = true;
        if (from + length > SPAN)
            ranges[i].to = SPAN / 2;
    }
    bool any = memchr(flags, true, sizeof flags) != NULL;
    if (!any)
        return;
    struct tk_select s = select_of(ranges, 5);
    int64_t before = 0;
    for (int64_t t = 0; t < SPAN; t++) {
        ck_assert_int_eq(tk_select_before(&s, t - SPAN / 2), before);
        ck_assert_int_eq(tk_select_has(&s, t - SPAN / 2), flags[t]);
        bool touches = flags[t];
        for (int64_t end = t; end < SPAN; end++) {
            ck_assert_int_eq(tk_select_touches(&s, t - SPAN / 2, end - SPAN / 2), touches);
            touches |= flags[end];
        }
        before += flags[t];
    }
    tk_select_release(&s);
}
END_TEST

START_TEST(narrowing_intersects)
{
    const struct tk_range first[] = {{0, 100}}, second[] = {{-50, 10}, {20, 30}, {90, INT64_MAX}};
    const struct tk_range outside[] = {{10, 20}};
    struct tk_err err = {0};
    struct tk_select s = select_of(first, 1);
    ck_assert_int_eq(tk_select_narrow(&s, second, 3, "test", &err), TK_OK);
    ck_assert_uint_eq(s.n_ranges, 3);
    ck_assert_int_eq(s.ranges[0].from, 0);
    ck_assert_int_eq(s.ranges[2].to, 100);
    ck_assert_int_eq(tk_select_before(&s, 1000), 30);
    ck_assert_int_eq(tk_select_narrow(&s, outside, 1, "the rest", &err), TK_EMATCH);
    ck_assert_str_eq(err.text[0], "nothing is selected: the rest");
    tk_select_release(&s);
}
END_TEST

START_TEST(open_ranges_do_not_overflow)
{
    const struct tk_range ranges[] = {{INT64_MIN, 5}, {10, INT64_MAX}};
    struct tk_select s = select_of(ranges, 2);
    ck_assert_int_eq(tk_select_before(&s, 5) - tk_select_before(&s, 0), 5);
    ck_assert_int_eq(tk_select_before(&s, 20) - tk_select_before(&s, 7), 10);
    ck_assert_int_ge(tk_select_before(&s, INT64_MAX), tk_select_before(&s, 20));
    ck_assert(tk_select_has(&s, -1000000) && !tk_select_has(&s, 7));
    tk_select_release(&s);
}
END_TEST

static struct tk_str str(const char *s)
{
    return (struct tk_str){.p = s, .n = (uint32_t)strlen(s)};
}

START_TEST(patterns_mark_what_matches)
{
    const char *const texts[] = {"Worker *", "Game?hread", "None"};
    const struct tk_str worker = str("Worker 3"), game = str("GameThread"), other = str("Render");
    struct tk_patterns p;
    ck_assert_int_eq(tk_patterns_init(&p, texts, 3, NULL), TK_OK);
    ck_assert(tk_patterns_pass(&p, &game) && !p.used[1]);
    ck_assert(tk_patterns_match(&p, &worker) && p.used[0]);
    ck_assert(tk_patterns_match(&p, &game) && p.used[1]);
    ck_assert(!tk_patterns_match(&p, &other) && !p.used[2]);
    tk_patterns_release(&p);
    ck_assert(tk_patterns_match(&p, &other)); /* no patterns: all pass */
}
END_TEST

START_TEST(exact_names_are_no_patterns)
{
    const char *const texts[] = {"operator*"};
    const struct tk_str exact = str("operator*"), longer = str("operator*=");
    struct tk_patterns p;
    ck_assert_int_eq(tk_patterns_init(&p, texts, 1, NULL), TK_OK);
    ck_assert(tk_patterns_pass(&p, &longer));
    tk_patterns_learn(&p, &longer);
    ck_assert(tk_patterns_pass(&p, &longer));
    tk_patterns_learn(&p, &exact);
    ck_assert(!tk_patterns_pass(&p, &longer));
    ck_assert(tk_patterns_pass(&p, &exact));
    tk_patterns_release(&p);
}
END_TEST

/* A word in small letters is a part of names, unless it is a name; others are patterns. */
START_TEST(words_are_parts_of_names)
{
    const char *const texts[] = {"game"}, *const capital[] = {"Game"}, *const joker[] = {"game*"};
    const struct tk_str thread = str("GameThread"), task = str("AnimGameTask"), other = str("RenderThread"),
                        whole = str("Game");
    struct tk_patterns p;
    ck_assert_int_eq(tk_patterns_init(&p, texts, 1, NULL), TK_OK);
    ck_assert(!tk_patterns_pass(&p, &thread));
    p.words = true;
    tk_patterns_learn(&p, &thread);
    ck_assert(tk_patterns_pass(&p, &thread) && tk_patterns_pass(&p, &task) && !tk_patterns_pass(&p, &other));
    tk_patterns_learn(&p, &whole);
    ck_assert(tk_patterns_pass(&p, &whole) && !tk_patterns_pass(&p, &thread));
    tk_patterns_release(&p);
    ck_assert_int_eq(tk_patterns_init(&p, capital, 1, NULL), TK_OK);
    p.words = true;
    tk_patterns_learn(&p, &thread);
    ck_assert(!tk_patterns_pass(&p, &thread));
    tk_patterns_release(&p);
    ck_assert_int_eq(tk_patterns_init(&p, joker, 1, NULL), TK_OK);
    p.words = true;
    tk_patterns_learn(&p, &thread);
    ck_assert(tk_patterns_pass(&p, &thread) && !tk_patterns_pass(&p, &task));
    tk_patterns_release(&p);
}
END_TEST

/* So is one that is the name of a GPU queue. */
START_TEST(queues_are_names)
{
    const char *const texts[] = {"gpu"};
    const struct tk_str thread = str("RenderGPUThread"), queue = str("GPU");
    const struct tk_limits limits = tk_limits_default();
    const struct tk_fact fact = {.kind = TK_FACT_GPU_QUEUE, .u.gpu_queue = {.id = 1, .name = &queue}};
    struct tk_dict dict;
    struct tk_patterns p;
    ck_assert_int_eq(tk_dict_init(&dict, &limits, NULL), TK_OK);
    ck_assert_int_eq(tk_patterns_init(&p, texts, 1, NULL), TK_OK);
    p.words = true;
    tk_pattern_learn_threads(&p, &dict);
    ck_assert(tk_patterns_pass(&p, &queue) && tk_patterns_pass(&p, &thread));
    ck_assert_int_eq(tk_dict_feed(&dict, &fact, NULL), TK_OK);
    tk_pattern_learn_threads(&p, &dict);
    ck_assert(tk_patterns_pass(&p, &queue) && !tk_patterns_pass(&p, &thread));
    tk_patterns_release(&p);
    tk_dict_release(&dict);
}
END_TEST

START_TEST(misses_name_the_nearest)
{
    const char *const texts[] = {"RenderThread", "GameTread"};
    const struct tk_str names[] = {str("RenderThread"), str("GameThread"), str("Audio"), str("GameThread")};
    const struct tk_str *list[] = {&names[0], &names[1], &names[2], &names[3]};
    struct tk_patterns p;
    struct tk_err err = {0};
    ck_assert_int_eq(tk_patterns_init(&p, texts, 2, NULL), TK_OK);
    tk_patterns_match(&p, &names[0]);
    ck_assert_int_eq(tk_patterns_check(&p, "thread", list, 4, &err), TK_EMATCH);
    ck_assert_str_eq(err.text[0], "no thread matches 'GameTread'; the nearest: 'GameThread'");
    p.used[1] = true;
    ck_assert_int_eq(tk_patterns_check(&p, "thread", list, 4, &err), TK_OK);
    tk_patterns_release(&p);
}
END_TEST

static const char *nearest(const char *wanted, const char *const *names, size_t n)
{
    static char found[256];
    struct tk_nearest_search near;
    tk_nearest_begin(&near, wanted);
    for (size_t i = 0; i < n; i++)
        tk_nearest_offer(&near, names[i], strlen(names[i]));
    found[0] = '\0';
    for (size_t i = 0; i < near.n; i++) {
        strcat(found, i ? "," : "");
        strncat(found, near.names[i].p, near.names[i].n);
    }
    return found;
}

START_TEST(near_names)
{
    const char *const names[] = {"timers", "threads", "frames", "frame_stats", "logs", "ledger", "health"};
    ck_assert_str_eq(nearest("TIMERS", names, 7), "timers");
    ck_assert_str_eq(nearest("timer", names, 7), "timers");
    ck_assert_str_eq(nearest("frame", names, 7), "frames,frame_stats");
    ck_assert_str_eq(nearest("thraeds", names, 7), "threads");
    ck_assert_str_eq(nearest("xyzzy", names, 7), "");
    ck_assert_str_eq(nearest("", names, 7), "");
    ck_assert_str_eq(nearest("*fram*", names, 7), "frames,frame_stats");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        everything,
        behind,
        ids_without_names,
        ranges_are_joined,
        narrowing_intersects,
        open_ranges_do_not_overflow,
        patterns_mark_what_matches,
        exact_names_are_no_patterns,
        words_are_parts_of_names,
        queues_are_names,
        misses_name_the_nearest,
        threads_by_name_and_id,
        near_names,
    };
    const TTest *const many[] = {questions_agree_with_a_row_of_flags};
    int once = RUN_TESTS("select", tests);
    return RUN_TESTS_EACH("select", many, 50) == EXIT_SUCCESS ? once : EXIT_FAILURE;
}
