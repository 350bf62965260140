/*
 * Programs that announce themselves: datagrams of Tracy programs that wait to be recorded, and the list of
 * those that were heard (tracy-live 2). The command shows it, and waits for a name in it.
 */
#ifndef TK_LIVE_TRACY_ANNOUNCE_H
#define TK_LIVE_TRACY_ANNOUNCE_H

#include "base/vec.h"
#include "os/address.h"

#include <stdint.h>

enum {
    TK_TL_ANNOUNCE_PORT = 8086,
    TK_TL_ANNOUNCE_NAME = 64,    /* bytes of a name with its NUL */
    TK_TL_ANNOUNCE_BYTES = 2048, /* room for a datagram */
    TK_TL_ANNOUNCED_MOST = 1024  /* programs that are listed */
};

struct tk_tl_announced {
    struct tk_os_address at; /* of the program, with the port that it listens on */
    uint32_t protocol;
    uint64_t pid;                   /* 0: not told */
    int32_t active;                 /* seconds since it has waited, when it was heard */
    char name[TK_TL_ANNOUNCE_NAME]; /* as it was sent: show it with care */
    double heard;                   /* tk_os_seconds of the last datagram */
    bool taken;                     /* for the caller */
};

struct tk_tl_announcements {
    TK_VEC(struct tk_tl_announced) list;
};

/* Reads a datagram. false: it is none of a Tracy program. */
bool tk_tl_announce_read(struct tk_tl_announced *out, const uint8_t *p, size_t n,
                         const struct tk_os_address *from);

/* Enters what a datagram says: a program that is new, is still there, or waits no more. The entry, or NULL:
 * it is gone, it was no such datagram, memory or the list are full. *is_new: it was not listed before. */
struct tk_tl_announced *tk_tl_announce_take(struct tk_tl_announcements *a, const uint8_t *p, size_t n,
                                            const struct tk_os_address *from, double now, bool *is_new);

/* Forgets programs that were silent for 10 seconds. */
void tk_tl_announce_age(struct tk_tl_announcements *a, double now);

#endif
