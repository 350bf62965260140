/* Connecting within a time: to who listens, and to nobody. */
#include "live/access.h"
#include "os/clock.h"
#include "run.h"

enum { LONG = 20 };

START_TEST(who_listens_is_connected_with)
{
    const struct tk_os_address any = tk_os_address_loopback(0);
    struct tk_os_socket *listening, *client, *server;
    struct tk_os_address at, from, here;
    ck_assert_int_eq(tk_os_socket_listen(&listening, &any).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_socket_here(listening, &at).error, TK_OS_OK);
    ck_assert_int_eq(tk_connect_within(&client, &at, LONG).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_socket_connected(client).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_socket_accept(&server, listening, &from).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_socket_here(client, &here).error, TK_OS_OK);
    ck_assert_uint_eq(here.port, from.port);
    tk_os_socket_close(client);
    tk_os_socket_close(server);
    tk_os_socket_close(listening);
}
END_TEST

START_TEST(nobody_listens)
{
    const struct tk_os_address any = tk_os_address_loopback(0);
    struct tk_os_socket *listening, *client;
    struct tk_os_address at;
    ck_assert_int_eq(tk_os_socket_listen(&listening, &any).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_socket_here(listening, &at).error, TK_OS_OK);
    tk_os_socket_close(listening);
    const double begin = tk_os_seconds();
    ck_assert_int_eq(tk_connect_within(&client, &at, LONG).error, TK_OS_REFUSED);
    ck_assert_ptr_null(client);
    ck_assert(tk_os_seconds() - begin < LONG);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {who_listens_is_connected_with, nobody_listens};
    return RUN_TESTS("live connect", tests);
}
