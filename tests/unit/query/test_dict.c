/* The dictionary of definitions. */
#include "query/dict.h"
#include "run.h"

#include <string.h>

static struct tk_limits limits;
static struct tk_dict dict;

static const struct tk_str *text(const char *s)
{
    static struct tk_str texts[64];
    static size_t n;
    texts[n] = (struct tk_str){.p = s, .n = (uint32_t)strlen(s)};
    return &texts[n++];
}

static void begin(void)
{
    limits = tk_limits_default();
    ck_assert_int_eq(tk_dict_init(&dict, &limits, NULL), TK_OK);
}

static int feed(struct tk_fact fact)
{
    return tk_dict_feed(&dict, &fact, NULL);
}

static bool is(const struct tk_str *s, const char *want)
{
    return s && s->n == strlen(want) && memcmp(s->p, want, s->n) == 0;
}

static struct tk_fact thread(uint32_t id, const char *name)
{
    return (struct tk_fact){.kind = TK_FACT_THREAD,
                            .thread = id,
                            .u.thread_info = {.name = name ? text(name) : NULL, .named = true}};
}

START_TEST(threads_are_made_up_and_defined)
{
    begin();
    ck_assert_ptr_null(tk_dict_thread_name(&dict, 9));
    ck_assert(is(tk_dict_thread(&dict, 9)->displayed, "Thread 9"));
    ck_assert(!tk_dict_thread(&dict, 9)->info.named && !tk_dict_thread(&dict, 9)->defined);
    ck_assert_int_eq(feed(thread(4, "Main")), TK_OK);
    ck_assert_int_eq(feed(thread(9, "Worker")), TK_OK);
    ck_assert_uint_eq(dict.threads.n, 2);
    ck_assert(is(dict.threads.v[0].displayed, "Worker"));
    ck_assert(is(tk_dict_thread_name(&dict, 4), "Main"));
    ck_assert_int_eq(feed(thread(4, "Renamed")), TK_OK);
    ck_assert(is(tk_dict_thread_name(&dict, 4), "Renamed"));
    ck_assert_int_eq(feed(thread(4, "")), TK_OK);
    ck_assert(is(tk_dict_thread_name(&dict, 4), "Thread 4"));
    struct tk_fact bare = thread(9, NULL);
    bare.u.thread_info.named = false;
    ck_assert_int_eq(feed(bare), TK_OK); /* says less than what is known */
    ck_assert(is(tk_dict_thread_name(&dict, 9), "Worker"));
    tk_dict_release(&dict);
}
END_TEST

START_TEST(threads_are_learned)
{
    struct tk_dict other;
    begin();
    feed(thread(4, "Main"));
    ck_assert_int_eq(tk_dict_init(&other, &limits, NULL), TK_OK);
    ck_assert_int_eq(tk_dict_learn_threads(&other, &dict, NULL), TK_OK);
    tk_dict_release(&dict);
    ck_assert(is(tk_dict_thread_name(&other, 4), "Main"));
    ck_assert(tk_dict_thread(&other, 4)->defined);
    tk_dict_release(&other);
}
END_TEST

START_TEST(too_many_threads_are_refused)
{
    begin();
    limits.threads = 2;
    ck_assert_int_eq(feed(thread(1, "a")), TK_OK);
    ck_assert_int_eq(feed(thread(2, "b")), TK_OK);
    ck_assert_int_eq(feed(thread(3, "c")), TK_ELIMIT);
    ck_assert_int_eq(feed(thread(2, "again")), TK_OK);
    tk_dict_release(&dict);
}
END_TEST

static struct tk_fact timer(uint32_t id, const char *name)
{
    return (struct tk_fact){.kind = TK_FACT_TIMER, .u.timer = {.id = id, .name = text(name)}};
}

static struct tk_fact late(uint32_t slot, uint32_t id)
{
    return (struct tk_fact){.kind = TK_FACT_TIMER_LATE, .u.timer_late = {.slot = slot, .timer = id}};
}

START_TEST(timers_and_late_slots)
{
    begin();
    feed(timer(0, "Tick"));
    feed(timer(3, "Draw"));
    feed(late(2, 3));
    ck_assert_uint_eq(dict.timers.n, 4);
    ck_assert(is(tk_dict_timer(&dict, 0)->displayed, "Tick"));
    ck_assert(is(tk_dict_timer(&dict, 1)->displayed, "<unknown>"));
    ck_assert_ptr_null(tk_dict_timer(&dict, 1)->info.name);
    ck_assert(is(tk_dict_timer(&dict, TK_LATE + 2)->displayed, "Draw"));
    /* slot 1 was never reported, slot 7 is beyond all that were */
    const struct tk_timer *unknown = tk_dict_timer(&dict, TK_LATE + 1);
    ck_assert(is(unknown->displayed, "<unknown metadata>"));
    ck_assert_int_eq(unknown->info.kind, TK_TIMER_METADATA);
    ck_assert_uint_eq(unknown->info.id, 4);
    ck_assert_uint_eq(tk_dict_timer(&dict, TK_LATE + 7)->info.id, 4);
    feed(timer(3, "Renamed"));
    ck_assert(is(tk_dict_timer(&dict, 3)->displayed, "Renamed"));
    tk_dict_release(&dict);
}
END_TEST

static struct tk_fact session(const char *key, uint64_t value)
{
    return (struct tk_fact){.kind = TK_FACT_SESSION,
                            .u.session = {.key = text(key), .value = {.kind = TK_UINT, .v.u = value}}};
}

START_TEST(later_session_items_replace_earlier_ones)
{
    begin();
    feed(session("A", 1));
    feed(session("B", 2));
    feed(session("A", 3));
    ck_assert_uint_eq(dict.session.n, 2);
    ck_assert(is(dict.session.v[0].key, "A"));
    ck_assert_uint_eq(dict.session.v[0].value.v.u, 3);
    ck_assert_uint_eq(dict.session.v[1].value.v.u, 2);
    tk_dict_release(&dict);
}
END_TEST

static struct tk_fact channel(uint32_t id, const char *name, bool enabled, bool read_only)
{
    return (struct tk_fact){.kind = TK_FACT_CHANNEL,
                            .u.channel = {.id = id,
                                          .enabled = enabled,
                                          .read_only = read_only,
                                          .announced = name != NULL,
                                          .name = name ? text(name) : NULL}};
}

START_TEST(channels_keep_what_a_toggle_does_not_say)
{
    begin();
    feed(channel(0x55, NULL, true, false)); /* switched before it is announced */
    feed(channel(0x77, "cpu", true, true));
    feed(channel(0x77, NULL, false, false));
    feed(channel(0x55, "log", false, false));
    ck_assert_uint_eq(dict.channels.n, 2);
    ck_assert(is(dict.channels.v[0].name, "log"));
    ck_assert(!dict.channels.v[0].enabled);
    ck_assert(is(dict.channels.v[1].name, "cpu"));
    ck_assert(!dict.channels.v[1].enabled);
    ck_assert(dict.channels.v[1].read_only);
    ck_assert_uint_eq(dict.toggles.n, 4);
    tk_dict_release(&dict);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        threads_are_made_up_and_defined,
        threads_are_learned,
        too_many_threads_are_refused,
        timers_and_late_slots,
        later_session_items_replace_earlier_ones,
        channels_keep_what_a_toggle_does_not_say,
    };
    return RUN_TESTS("dict", tests);
}
