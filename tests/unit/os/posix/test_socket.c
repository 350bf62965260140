/* Sockets on the loopback: connections, their ends, waiting, datagrams; and addresses as numbers. */
#include "os/clock.h"
#include "os/socket.h"
#include "os/thread.h"
#include "run.h"

#include <string.h>

enum { LONG = 20 };

#define ok(call) ck_assert_int_eq((call).error, TK_OS_OK)

static struct tk_os_socket *listening, *client, *server;
static struct tk_os_address at, from;

static bool wait_for(const struct tk_os_socket *s, bool write, double seconds)
{
    struct tk_os_wait wait = {.socket = s, .read = !write, .write = write};
    ok(tk_os_socket_wait(&wait, 1, NULL, seconds));
    return write ? wait.can_write : wait.can_read;
}

/* Until it is done, or has failed. */
static struct tk_os_result connect_to(struct tk_os_socket **out, const struct tk_os_address *to)
{
    struct tk_os_result why = tk_os_socket_connect(out, to);
    while (!why.error && (why = tk_os_socket_connected(*out)).error == TK_OS_AGAIN) {
        ck_assert(wait_for(*out, true, LONG));
        why = tk_os_result_of(TK_OS_OK);
    }
    if (why.error) {
        tk_os_socket_close(*out);
        *out = NULL;
    }
    return why;
}

static void open_pair(void)
{
    const struct tk_os_address any = tk_os_address_loopback(0);
    ok(tk_os_socket_listen(&listening, &any));
    ok(tk_os_socket_here(listening, &at));
    ck_assert_uint_ne(at.port, 0);
    ck_assert_int_eq(tk_os_socket_accept(&server, listening, &from).error, TK_OS_AGAIN);
    ck_assert_ptr_null(server);
    ok(connect_to(&client, &at));
    ck_assert(wait_for(listening, false, LONG));
    ok(tk_os_socket_accept(&server, listening, &from));
}

static void close_pair(void)
{
    tk_os_socket_close(client);
    tk_os_socket_close(server);
    tk_os_socket_close(listening);
    client = server = listening = NULL;
}

START_TEST(bytes_go_both_ways_until_the_end)
{
    char p[8];
    size_t n;
    struct tk_os_address here;
    open_pair();
    ok(tk_os_socket_here(client, &here));
    ck_assert_uint_eq(here.port, from.port);
    ck_assert(tk_os_address_is_loopback(&from));
    ok(tk_os_socket_keep_alive(server, 3, 1, 5));
    ok(tk_os_socket_no_delay(server));
    ck_assert_int_eq(tk_os_socket_read(server, p, sizeof p, &n).error, TK_OS_AGAIN);
    ck_assert(!wait_for(server, false, 0));
    ok(tk_os_socket_write(client, "hello", 5, &n));
    ck_assert_uint_eq(n, 5);
    ck_assert(wait_for(server, false, LONG));
    ok(tk_os_socket_read(server, p, 2, &n));
    ck_assert_uint_eq(n, 2);
    ok(tk_os_socket_read(server, p + 2, sizeof p - 2, &n));
    ck_assert_uint_eq(n, 3);
    ck_assert_mem_eq(p, "hello", 5);
    ok(tk_os_socket_end(client));
    ck_assert(wait_for(server, false, LONG));
    ok(tk_os_socket_read(server, p, sizeof p, &n));
    ck_assert_uint_eq(n, 0);
    ok(tk_os_socket_write(server, "bye", 3, &n));
    ck_assert(wait_for(client, false, LONG));
    ok(tk_os_socket_read(client, p, sizeof p, &n));
    ck_assert_uint_eq(n, 3);
    close_pair();
}
END_TEST

START_TEST(a_peer_that_does_not_read_makes_nobody_wait)
{
    static char p[1 << 16];
    size_t n, sum = 0;
    struct tk_os_result result;
    open_pair();
    while ((result = tk_os_socket_write(client, p, sizeof p, &n)).error == TK_OS_OK && sum < 1 << 28)
        sum += n;
    ck_assert_int_eq(result.error, TK_OS_AGAIN);
    ck_assert(!wait_for(client, true, 0));
    while (sum > 0) {
        ck_assert(wait_for(server, false, LONG));
        ok(tk_os_socket_read(server, p, sizeof p, &n));
        ck_assert_uint_gt(n, 0);
        sum -= n;
    }
    ck_assert(wait_for(client, true, LONG));
    close_pair();
}
END_TEST

START_TEST(a_broken_connection_is_an_error_and_no_signal)
{
    char p[8];
    size_t n;
    open_pair();
    tk_os_socket_break(client);
    client = NULL;
    ck_assert(wait_for(server, false, LONG));
    ck_assert_int_eq(tk_os_socket_read(server, p, sizeof p, &n).error, TK_OS_RESET);
    ck_assert_int_eq(tk_os_socket_write(server, "x", 1, &n).error, TK_OS_CLOSED_PIPE);
    close_pair();
}
END_TEST

START_TEST(who_listens_where)
{
    struct tk_os_socket *other;
    open_pair();
    ck_assert_int_eq(tk_os_socket_listen(&other, &at).error, TK_OS_IN_USE);
    ck_assert_ptr_null(other);
    close_pair();
    ck_assert_int_eq(connect_to(&other, &at).error, TK_OS_REFUSED);
    ck_assert_ptr_null(other);
    ok(tk_os_socket_listen(&other, &at)); /* at once, although there were connections */
    tk_os_socket_close(other);
}
END_TEST

START_TEST(waiting_has_an_end)
{
    open_pair();
    const double begin = tk_os_seconds();
    ck_assert(!wait_for(server, false, 0.1));
    const double took = tk_os_seconds() - begin;
    ck_assert(took >= 0.09 && took < LONG);
    close_pair();
}
END_TEST

START_TEST(many_are_waited_for_at_once)
{
    enum { MANY = 100 };
    struct tk_os_wait waits[MANY] = {0};
    size_t n;
    open_pair();
    for (int i = 0; i < MANY; i++)
        waits[i] = (struct tk_os_wait){.socket = i == 70 ? NULL : server, .read = i % 2 == 0};
    ok(tk_os_socket_write(client, "x", 1, &n));
    ok(tk_os_socket_wait(waits, MANY, NULL, LONG));
    for (int i = 0; i < MANY; i++) {
        ck_assert_int_eq(waits[i].can_read, i % 2 == 0 && i != 70);
        ck_assert(!waits[i].can_write);
    }
    close_pair();
}
END_TEST

static void wake(void *waker)
{
    tk_os_waker_wake(waker);
}

START_TEST(another_thread_wakes)
{
    struct tk_os_waker *waker;
    struct tk_os_thread thread;
    ok(tk_os_waker_open(&waker));
    ck_assert(tk_os_thread_start(&thread, wake, waker));
    const double begin = tk_os_seconds();
    ok(tk_os_socket_wait(NULL, 0, waker, LONG));
    ck_assert(tk_os_seconds() - begin < LONG);
    tk_os_thread_join(&thread);
    for (int i = 0; i < 100000; i++) /* more often than anybody looks */
        tk_os_waker_wake(waker);
    ok(tk_os_socket_wait(NULL, 0, waker, LONG));
    const double then = tk_os_seconds();
    ok(tk_os_socket_wait(NULL, 0, waker, 0.05));
    ck_assert(tk_os_seconds() - then >= 0.04);
    tk_os_waker_close(waker);
}
END_TEST

START_TEST(datagrams_come_whole)
{
    struct tk_os_socket *first, *second, *sender;
    struct tk_os_address any = tk_os_address_loopback(0), here;
    char p[16];
    size_t n;
    ok(tk_os_datagram_listen(&first, &any, NULL));
    ok(tk_os_socket_here(first, &here));
    ok(tk_os_datagram_listen(&second, &here, NULL)); /* alongside the first */
    tk_os_socket_close(second);
    ck_assert_int_eq(tk_os_datagram_read(first, p, sizeof p, &n, &from).error, TK_OS_AGAIN);
    ok(tk_os_datagram_open(&sender));
    ok(tk_os_datagram_write(sender, "announced", 9, &here));
    ok(tk_os_datagram_write(sender, "again", 5, &here));
    ck_assert(wait_for(first, false, LONG));
    ok(tk_os_datagram_read(first, p, 4, &n, &from));
    ck_assert_uint_eq(n, 4);
    ck_assert_mem_eq(p, "anno", 4);
    ck_assert(tk_os_address_is_loopback(&from));
    ck_assert(wait_for(first, false, LONG));
    ok(tk_os_datagram_read(first, p, sizeof p, &n, &from));
    ck_assert_uint_eq(n, 5);
    tk_os_socket_close(first);
    tk_os_socket_close(sender);
}
END_TEST

static struct tk_os_address numbers(const char *text)
{
    struct tk_os_address a = {0};
    ck_assert_msg(tk_os_address_parse(&a, text, 7), "%s", text);
    return a;
}

START_TEST(addresses_as_text)
{
    static const char *const good[] = {"127.0.0.1", "10.1.2.255", "::1", "2001:db8::5", "0.0.0.0"};
    static const char *const bad[] = {"",      "127.0.0.1.1", "localhost", "256.1.1.1",
                                      "1.2.3", "::g",         " 1.2.3.4"};
    char text[TK_OS_ADDRESS_TEXT];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const struct tk_os_address a = numbers(good[i]);
        ck_assert_uint_eq(a.port, 7);
        ck_assert_str_eq(tk_os_address_text(&a, text), good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tk_os_address a = {.port = 9};
        ck_assert_msg(!tk_os_address_parse(&a, bad[i], 7), "%s", bad[i]);
        ck_assert_uint_eq(a.port, 9);
    }
    const struct tk_os_address one = numbers("1.2.3.4"), v6 = numbers("::1"), other = numbers("10.0.0.1");
    ck_assert_uint_eq(tk_os_address_v4(&one), 0x01020304);
    ck_assert_uint_eq(tk_os_address_v4(&v6), 0);
    ck_assert(tk_os_address_is_loopback(&v6));
    ck_assert(!tk_os_address_is_loopback(&other));
}
END_TEST

START_TEST(addresses_of_one_network)
{
    static const struct {
        const char *a, *b;
        unsigned bits;
        bool same;
    } cases[] = {{"10.1.2.3", "10.1.2.3", 32, true},       {"10.1.2.3", "10.1.2.2", 32, false},
                 {"10.1.2.3", "10.1.2.2", 31, true},       {"10.1.2.3", "10.1.9.9", 16, true},
                 {"10.1.2.3", "10.1.9.9", 20, true},       {"10.1.2.3", "10.1.9.9", 21, false},
                 {"10.1.2.3", "11.0.0.0", 0, true},        {"10.1.2.3", "::1", 0, false},
                 {"2001:db8::1", "2001:db8::2", 64, true}, {"2001:db8::1", "2001:db9::1", 32, false},
                 {"10.1.2.3", "10.1.2.4", 99, false},      {"::1", "::1", 128, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct tk_os_address a = numbers(cases[i].a), b = numbers(cases[i].b);
        ck_assert_msg(tk_os_address_matches(&a, &b, cases[i].bits) == cases[i].same, "%s %s %u", cases[i].a,
                      cases[i].b, cases[i].bits);
    }
}
END_TEST

START_TEST(names_are_found)
{
    struct tk_os_address found[4];
    size_t n;
    ok(tk_os_address_find(found, 4, &n, "127.0.0.9", 5));
    ck_assert_uint_eq(n, 1);
    ck_assert_uint_eq(tk_os_address_v4(found), 0x7F000009);
    ck_assert_uint_eq(found[0].port, 5);
    ok(tk_os_address_find(found, 4, &n, "localhost", 5));
    ck_assert(n >= 1 && tk_os_address_is_loopback(found));
    ck_assert_uint_eq(found[0].port, 5);
    ck_assert_int_ne(tk_os_address_find(found, 4, &n, "no such name", 5).error, TK_OS_OK);
    ck_assert_uint_eq(n, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {bytes_go_both_ways_until_the_end,
                                  a_peer_that_does_not_read_makes_nobody_wait,
                                  a_broken_connection_is_an_error_and_no_signal,
                                  who_listens_where,
                                  waiting_has_an_end,
                                  many_are_waited_for_at_once,
                                  another_thread_wakes,
                                  datagrams_come_whole,
                                  addresses_as_text,
                                  addresses_of_one_network,
                                  names_are_found};
    return RUN_TESTS("os-posix-socket", tests);
}
