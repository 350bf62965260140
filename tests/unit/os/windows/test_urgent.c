/* Urgent bytes of TCP, which Windows keeps alongside the others unless it is reported: a waiting program
 * would be woken again and again, with nothing to read. */
#include "os/socket.h"
#include "run.h"

#include <winsock2.h>
#include <ws2tcpip.h>

#define ok(call) ck_assert_int_eq((call).error, TK_OS_OK)

START_TEST(an_urgent_byte_is_one_of_all)
{
    const struct tk_os_address any = tk_os_address_loopback(0);
    struct tk_os_socket *listening, *server;
    struct tk_os_address at, from;
    ok(tk_os_socket_listen(&listening, &any));
    ok(tk_os_socket_here(listening, &at));
    const SOCKET peer = socket(AF_INET, SOCK_STREAM, 0);
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(at.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    ck_assert_int_eq(connect(peer, (const struct sockaddr *)&to, sizeof to), 0);
    struct tk_os_wait wait = {.socket = listening, .read = true};
    ok(tk_os_socket_wait(&wait, 1, NULL, 20));
    ok(tk_os_socket_accept(&server, listening, &from));
    ck_assert_int_eq(send(peer, "x", 1, MSG_OOB), 1);
    wait = (struct tk_os_wait){.socket = server, .read = true};
    ok(tk_os_socket_wait(&wait, 1, NULL, 20));
    ck_assert(wait.can_read);
    char got = 0;
    size_t n = 0;
    ok(tk_os_socket_read(server, &got, 1, &n));
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(got, 'x');
    ok(tk_os_socket_wait(&wait, 1, NULL, 0.05));
    ck_assert(!wait.can_read);
    closesocket(peer);
    tk_os_socket_close(server);
    tk_os_socket_close(listening);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {an_urgent_byte_is_one_of_all};
    return RUN_TESTS("os windows urgent", tests);
}
