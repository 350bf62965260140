/* Who may connect, and what strangers look like. */
#include "live/access.h"
#include "live/live_in.h"
#include "run.h"

#include <string.h>

static struct tk_os_address numbers(const char *text)
{
    struct tk_os_address a = {0};
    ck_assert_msg(tk_os_address_parse(&a, text, 0), "%s", text);
    return a;
}

static bool allows(const struct tk_live_access *access, const char *from)
{
    const struct tk_os_address a = numbers(from);
    return tk_live_access_allows(access, &a);
}

START_TEST(this_machine_alone_unless_reported)
{
    struct tk_live_access access = {0};
    ck_assert(allows(&access, "127.0.0.1") && allows(&access, "127.9.9.9") && allows(&access, "::1"));
    ck_assert(!allows(&access, "10.0.0.1") && !allows(&access, "0.0.0.0") && !allows(&access, "2001:db8::1"));
    ck_assert(tk_live_access_add(&access, "10.1.0.0/16") && tk_live_access_add(&access, "192.168.0.7"));
    ck_assert(allows(&access, "10.1.255.255") && !allows(&access, "10.2.0.0"));
    ck_assert(allows(&access, "192.168.0.7") && !allows(&access, "192.168.0.8"));
    ck_assert(allows(&access, "127.0.0.1"));
    ck_assert(tk_live_access_add(&access, "any"));
    ck_assert(allows(&access, "8.8.8.8") && allows(&access, "2001:db8::1"));
}
END_TEST

START_TEST(what_is_no_network)
{
    static const char *const bad[] = {"",           "all",     "1.2.3.4/", "1.2.3.4/33", "1.2.3.4/-1",
                                      "1.2.3.4/1x", "::1/129", "host",     "1.2.3"};
    struct tk_live_access access = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!tk_live_access_add(&access, bad[i]), "%s", bad[i]);
    ck_assert(access.n == 0 && !access.any);
    for (int i = 0; i < TK_LIVE_NETWORKS; i++)
        ck_assert(tk_live_access_add(&access, "10.0.0.0/8"));
    ck_assert(!tk_live_access_add(&access, "10.0.0.0/8"));
}
END_TEST

static const char *looks(const char *p, size_t n)
{
    return tk_live_foreign((const uint8_t *)p, n);
}

START_TEST(strangers)
{
    ck_assert_str_eq(looks("GET / HTTP/1.1", 14), "an HTTP request");
    ck_assert_str_eq(looks("\x16\x03\x01\0\0", 5), "a TLS client");
    ck_assert_str_eq(looks("TracyPrf", 8), "a viewer of Tracy");
    ck_assert_str_eq(looks("\x1f\0\0\0\xbf", 5), "a viewer that asks a store");
    ck_assert_str_eq(looks("GE", 2), "something unknown");
    ck_assert_str_eq(looks("", 0), "something unknown");
}
END_TEST

START_TEST(what_may_begin_a_name)
{
    static const char *const good[] = {"night-", "a", "build 7 "}, *const bad[] = {"",     ".x",   "../x",
                                                                                   "a/b",  "a\\b", "-x",
                                                                                   "a\nb", "c:"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ck_assert_msg(tk_live_prefix_is_good(good[i]), "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!tk_live_prefix_is_good(bad[i]), "%s", bad[i]);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {this_machine_alone_unless_reported, what_is_no_network, strangers,
                                  what_may_begin_a_name};
    return RUN_TESTS("live-access", tests);
}
