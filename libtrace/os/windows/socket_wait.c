/*
 * Waits for sockets with select(), whose sets are as large as one makes them here, and wakes who waits by a
 * datagram to itself. WSAPoll does not report connections that failed on systems before 2020.
 */
#include "os/socket.h"
#include "os/windows/failure.h"
#include "os/windows/net.h"

#include <stdlib.h>

enum { FEW = 64 }; /* sockets that are waited for without an allocation */

struct tk_os_waker {
    struct tk_os_socket *socket; /* connected with itself */
};

/* A struct fd_set of another size. */
struct set {
    u_int n;
    SOCKET v[FEW + 1];
};

enum { READ, WRITE, BROKEN, SETS };

struct tk_os_result tk_os_waker_open(struct tk_os_waker **out)
{
    const struct tk_os_address here = tk_os_address_loopback(0);
    struct sockaddr_storage system;
    int n = tk_os_address_to_system(&here, &system);
    struct tk_os_waker *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    struct tk_os_result why = tk_os_datagram_open(&w->socket);
    if (!why.error && (bind(w->socket->socket, (struct sockaddr *)&system, n) ||
                       getsockname(w->socket->socket, (struct sockaddr *)&system, &n) ||
                       connect(w->socket->socket, (struct sockaddr *)&system, n)))
        why = tk_os_net_failure();
    if (why.error)
        tk_os_waker_close(w);
    else
        *out = w;
    return why;
}

void tk_os_waker_wake(struct tk_os_waker *w)
{
    send(w->socket->socket, "", 1, 0); /* one that is full wakes as well */
}

void tk_os_waker_close(struct tk_os_waker *w)
{
    if (w)
        tk_os_socket_close(w->socket);
    free(w);
}

static void empty(const struct tk_os_waker *w)
{
    char bytes[16];
    while (recv(w->socket->socket, bytes, sizeof bytes, 0) > 0)
        continue;
}

static void add(struct set *set, SOCKET socket)
{
    set->v[set->n++] = socket;
}

static bool has(const struct set *set, SOCKET socket)
{
    u_int i = 0;
    while (i < set->n && set->v[i] != socket)
        i++;
    return i < set->n;
}

/* Sets for n sockets and a waker; NULL without memory. They lie at multiples of *stride. */
static char *make_sets(size_t n, size_t *stride)
{
    const size_t more = n > FEW ? n - FEW : 0;
    *stride = sizeof(struct set) + more * sizeof(SOCKET);
    return calloc(SETS, *stride);
}

/* For select(), which takes sets that are not empty, or none. */
static fd_set *of_system(struct set *set)
{
    return set->n ? (fd_set *)set : NULL;
}

static int select_for(struct set *const sets[SETS], double seconds)
{
    const double most = 1e6;
    struct timeval limit = {0};
    if (seconds >= 0) {
        const double s = seconds < most ? seconds : most;
        limit.tv_sec = (long)s;
        limit.tv_usec = (long)((s - (double)limit.tv_sec) * 1e6);
        if (s > 0 && limit.tv_sec == 0 && limit.tv_usec == 0)
            limit.tv_usec = 1;
    }
    if (sets[READ]->n + sets[WRITE]->n + sets[BROKEN]->n == 0) {
        Sleep(seconds < 0 ? INFINITE : (DWORD)(limit.tv_sec * 1000 + (limit.tv_usec + 999) / 1000));
        return 0;
    }
    return select(0, of_system(sets[READ]), of_system(sets[WRITE]), of_system(sets[BROKEN]),
                  seconds < 0 ? NULL : &limit);
}

static void ask(struct set *const sets[SETS], const struct tk_os_wait *waits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!waits[i].socket || !(waits[i].read || waits[i].write))
            continue;
        if (waits[i].read)
            add(sets[READ], waits[i].socket->socket);
        if (waits[i].write)
            add(sets[WRITE], waits[i].socket->socket);
        add(sets[BROKEN], waits[i].socket->socket);
    }
}

static void tell(struct set *const sets[SETS], struct tk_os_wait *waits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const SOCKET socket = waits[i].socket ? waits[i].socket->socket : INVALID_SOCKET;
        const bool broken = has(sets[BROKEN], socket);
        waits[i].can_read = waits[i].read && (broken || has(sets[READ], socket));
        waits[i].can_write = waits[i].write && (broken || has(sets[WRITE], socket));
    }
}

struct tk_os_result tk_os_socket_wait(struct tk_os_wait *waits, size_t n, struct tk_os_waker *waker,
                                      double seconds)
{
    size_t stride;
    struct set few[SETS] = {{0}, {0}, {0}}, *sets[SETS] = {few, few + 1, few + 2};
    char *many = n > FEW ? make_sets(n, &stride) : NULL;
    struct tk_os_result result = tk_os_result_of(TK_OS_OK);
    if (n > FEW && !many)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    for (size_t i = 0; i < SETS && many; i++)
        sets[i] = (struct set *)(void *)(many + i * stride);
    ask(sets, waits, n);
    if (waker)
        add(sets[READ], waker->socket->socket);
    const int ready = select_for(sets, seconds);
    if (ready == SOCKET_ERROR)
        result = tk_os_net_failure();
    if (ready <= 0)
        sets[READ]->n = sets[WRITE]->n = sets[BROKEN]->n = 0;
    tell(sets, waits, n);
    if (waker && has(sets[READ], waker->socket->socket))
        empty(waker);
    free(many);
    return result;
}
