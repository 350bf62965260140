/*
 * What a peer looks like that speaks none of our protocols, by its first bytes. For messages of all servers
 * of live/.
 */
#ifndef TK_LIVE_FOREIGN_H
#define TK_LIVE_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

/* "an HTTP request", "a TLS client", ...; "something unknown" when nothing fits. Static. */
const char *tk_live_foreign(const uint8_t *p, size_t n);

#endif
