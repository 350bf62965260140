/*
 * Who may connect: this machine, and networks that were named. Every server of live/ asks before it reads a
 * byte.
 */
#ifndef TK_LIVE_ACCESS_H
#define TK_LIVE_ACCESS_H

#include "os/address.h"

enum { TK_LIVE_NETWORKS = 64 };

/* Zero-initialised it lets in this machine alone. */
struct tk_live_access {
    struct {
        struct tk_os_address address;
        unsigned bits;
    } networks[TK_LIVE_NETWORKS];
    size_t n;
    bool any; /* everybody */
};

/* Adds "any", an address, or ADDRESS/BITS. false: it is none of them, or there are TK_LIVE_NETWORKS already.
 */
bool tk_live_access_add(struct tk_live_access *access, const char *text);

/* May who connects from there? This machine may always. */
bool tk_live_access_allows(const struct tk_live_access *access, const struct tk_os_address *from);

#endif
