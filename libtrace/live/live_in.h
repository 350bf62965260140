/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_LIVE_LIVE_IN_H
#define TK_LIVE_LIVE_IN_H

#include "live/access.h"
#include "os/file.h"

#include <stddef.h>
#include <stdint.h>

/*
 * What a peer looks like that speaks none of our protocols, by its first bytes. For messages of all servers
 * of live/.
 */

/* "an HTTP request", "a TLS client", ...; "something unknown" when nothing fits. Static. */
const char *tk_live_foreign(const uint8_t *p, size_t n);

/*
 * Relays: a port that is opened for one reader, who gets one capture from its first byte, also while it grows
 * (live 3.7).
 */

enum { TK_RELAY_SECONDS = 3, /* in which the reader has to connect */ TK_RELAYS = 64 };

struct tk_relay {
    struct tk_os_socket *listening, *reader; /* owned; one of them is there */
    struct tk_os_file *file;                 /* owned */
    struct tk_os_address who;                /* may connect */
    uint64_t session;                        /* id of that which still writes the file; 0: it is finished */
    uint64_t offset;                         /* of what is sent next */
    double since, look;                      /* when it was opened; when more may be there */
    bool over;
};

/* Opens one for the reader `who`, at an address with port 0. Returns its port; 0: it cannot be opened. */
uint16_t tk_relay_open(struct tk_relay *r, const char *path, const struct tk_os_address *at,
                       const struct tk_os_address *who, uint64_t session);

/* Adds what it waits for: one socket, which may be none for now. */
bool tk_relay_ask(const struct tk_relay *r, struct tk_live_waits *waits, double now);

/* Does what can be done. `grows`: its session is still there. The buffer is of the caller, n bytes. */
void tk_relay_serve(struct tk_relay *r, const struct tk_os_wait *mine, bool grows, double now,
                    uint8_t *buffer, size_t n);

void tk_relay_close(struct tk_relay *r);

#endif
