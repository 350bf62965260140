/*
 * Addresses of the network and sockets: listening, connections, datagrams that are announced to many, and
 * waiting for several of them.
 *
 * No call waits but tk_os_socket_wait and tk_os_address_find: what cannot be done now is TK_OS_AGAIN. A peer
 * that has gone is an error of that call and never a signal. Nothing is inherited by other programs. One
 * thread uses a socket at a time.
 */
#ifndef TK_OS_SOCKET_H
#define TK_OS_SOCKET_H

#include "os/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- addresses as numbers, and finding those of a name ---- */

/* An address of IPv6, or one of IPv4 as ::ffff:a.b.c.d. Zero-initialised it is every address of IPv6. */
struct tk_os_address {
    uint8_t bytes[16];
    uint32_t scope; /* the network that an address of this link belongs to; else 0 */
    uint16_t port;
};

enum { TK_OS_ADDRESS_TEXT = 48 }; /* bytes for the numbers of any address */

/* An address of IPv4 from its four numbers, the first one highest. */
struct tk_os_address tk_os_address_of_v4(uint32_t v4, uint16_t port);

/* 127.0.0.1: what this machine alone can reach. */
struct tk_os_address tk_os_address_loopback(uint16_t port);

/* 0.0.0.0: every address of IPv4 that this machine has, to listen at. */
struct tk_os_address tk_os_address_every(uint16_t port);

bool tk_os_address_is_v4(const struct tk_os_address *a);

/* The four numbers of an address of IPv4, the first one highest: 127.0.0.1 is 0x7F000001. Else 0. */
uint32_t tk_os_address_v4(const struct tk_os_address *a);

/* Reaches this machine alone: 127.x.x.x or ::1. */
bool tk_os_address_is_loopback(const struct tk_os_address *a);

/* Are the first bits of two addresses the same? Those of IPv4 have 32 bits, those of IPv6 128; addresses of
 * different kinds never match. */
bool tk_os_address_matches(const struct tk_os_address *a, const struct tk_os_address *b, unsigned bits);

/* From numbers ("127.0.0.1", "::1"), nothing is looked up. false: it is no such text, *out is as before. */
bool tk_os_address_parse(struct tk_os_address *out, const char *text, uint16_t port);

/* The numbers without the port. Returns `out`. */
const char *tk_os_address_text(const struct tk_os_address *a, char out[TK_OS_ADDRESS_TEXT]);

/* The addresses of a name, or what its numbers say: at most `max`, and how many in *n, those first that the
 * system likes best. It waits for the system's answer, which may be many seconds. TK_OS_NOT_FOUND: nobody
 * has this name. */
struct tk_os_result tk_os_address_find(struct tk_os_address *out, size_t max, size_t *n, const char *name,
                                       uint16_t port);

/* ---- sockets ---- */

struct tk_os_socket;

/* Listens at an address, with port 0 at any that is free (tk_os_socket_here says which). TK_OS_IN_USE:
 * another one does. The caller closes it. */
struct tk_os_result tk_os_socket_listen(struct tk_os_socket **out, const struct tk_os_address *at);

/* The next connection that somebody made, and from where. TK_OS_AGAIN: there is none; TK_OS_LIMIT or
 * TK_OS_NO_MEMORY: it waits until something else is closed. The caller closes it. */
struct tk_os_result tk_os_socket_accept(struct tk_os_socket **out, const struct tk_os_socket *listening,
                                        struct tk_os_address *from);

/* Begins to connect. The socket can be written to when that is done, or has failed: tk_os_socket_connected
 * says. The caller closes it. */
struct tk_os_result tk_os_socket_connect(struct tk_os_socket **out, const struct tk_os_address *to);

/* TK_OS_OK: connected; TK_OS_AGAIN: not yet; else why it failed. */
struct tk_os_result tk_os_socket_connected(const struct tk_os_socket *s);

/* Its own address. */
struct tk_os_result tk_os_socket_here(const struct tk_os_socket *s, struct tk_os_address *out);

/* Reads what is there, at most n > 0 bytes. TK_OS_OK and *got == 0: the peer writes no more. TK_OS_AGAIN:
 * nothing is there yet; TK_OS_RESET, TK_OS_TIMEOUT: the connection is broken. */
struct tk_os_result tk_os_socket_read(struct tk_os_socket *s, void *p, size_t n, size_t *got);

/* Writes as much of n bytes as fits now: *put, at least 1 with TK_OS_OK. TK_OS_AGAIN: none fits;
 * TK_OS_CLOSED_PIPE, TK_OS_RESET: the peer has gone. */
struct tk_os_result tk_os_socket_write(struct tk_os_socket *s, const void *p, size_t n, size_t *put);

/* Says the peer that nothing more is written; reading goes on. */
struct tk_os_result tk_os_socket_end(struct tk_os_socket *s);

/* Queries a silent peer after `idle` seconds, then each `interval` seconds, whether it is there; after so
 * many questions without an answer the connection is broken: TK_OS_TIMEOUT. */
struct tk_os_result tk_os_socket_keep_alive(struct tk_os_socket *s, int idle, int interval, int questions);

/* Writes leave at once, also small ones. */
struct tk_os_result tk_os_socket_no_delay(struct tk_os_socket *s);

/* Bytes that the system should hold for a socket before its peer has to wait; a wish. */
void tk_os_socket_space(struct tk_os_socket *s, size_t reading, size_t writing);

/* Closes and frees; what was written still goes out. NULL is allowed. */
void tk_os_socket_close(struct tk_os_socket *s);

/* Breaks the connection, so that the peer gets TK_OS_RESET, and frees. NULL is allowed. */
void tk_os_socket_break(struct tk_os_socket *s);

/* ---- datagrams ---- */

/* Receives the datagrams that are sent to a port: to this machine, to all, and to a group (of IPv4) unless
 * that is NULL. Several programs may do so at once. */
struct tk_os_result tk_os_datagram_listen(struct tk_os_socket **out, const struct tk_os_address *at,
                                          const struct tk_os_address *group);

/* The next datagram, its length in *got and its sender; more than n bytes of it are lost. TK_OS_AGAIN. */
struct tk_os_result tk_os_datagram_read(struct tk_os_socket *s, void *p, size_t n, size_t *got,
                                        struct tk_os_address *from);

/* A socket that sends datagrams of IPv4. */
struct tk_os_result tk_os_datagram_open(struct tk_os_socket **out);

/* Sends one datagram; nobody says whether it arrives. */
struct tk_os_result tk_os_datagram_write(struct tk_os_socket *s, const void *p, size_t n,
                                         const struct tk_os_address *to);

/* ---- waiting ---- */

/* What ends tk_os_socket_wait from another thread, or from a handler of a signal. */
struct tk_os_waker;

struct tk_os_result tk_os_waker_open(struct tk_os_waker **out);
void tk_os_waker_wake(struct tk_os_waker *w);
/* NULL is allowed. */
void tk_os_waker_close(struct tk_os_waker *w);

struct tk_os_wait {
    const struct tk_os_socket *socket; /* NULL: nothing is waited for */
    bool read, write;                  /* what is waited for */
    bool can_read, can_write;          /* what came; also when there is an end or an error to be read */
};

/*
 * Waits until something of n sockets can be done, until it is woken (waker, NULL: never), or until `seconds`
 * have passed (negative: without end). A connection that somebody made can be read from the socket that
 * listens. It may also return before, with nothing that can be done, as when a signal came.
 */
struct tk_os_result tk_os_socket_wait(struct tk_os_wait *waits, size_t n, struct tk_os_waker *waker,
                                      double seconds);

#endif
