/*
 * Addresses of the network as numbers, and finding those of a name. Sockets are opened at them.
 */
#ifndef TK_OS_ADDRESS_H
#define TK_OS_ADDRESS_H

#include "os/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
