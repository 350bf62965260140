/*
 * Chains of packets: those of a lane that one record leads from one to the next. They are copied together, or
 * written anew together. The last stage of the first walk judges, that of the second one asks.
 */
#ifndef TK_EDIT_UTRACE_PACKET_CHAINS_H
#define TK_EDIT_UTRACE_PACKET_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of a chain; that of a packet which is not the first of its chain is not used. */
struct tk_edit_chain {
    uint64_t number; /* the highest serial number of its events that stay */
    uint32_t head;   /* packet: the first one of the chain that this packet belongs to */
    bool dirty;      /* not all of it is what it was */
    bool unsure;     /* that is not known yet */
};

struct tk_edit_chains {
    struct tk_edit_chain *packets; /* owned, n */
    size_t n;
    uint32_t *of_lane; /* by tid: the first packet of the chain in hand; UINT32_MAX: none came; owned */
    bool *open;        /* by tid: the chain goes on; owned */
};

/* TK_OK or TK_ENOMEM. */
int tk_edit_chains_init(struct tk_edit_chains *c, size_t packets);

/* A packet of a lane begins; a chain of its own, unless a record leads into it. In the first walk. */
void tk_edit_chains_begin(struct tk_edit_chains *c, size_t packet, uint32_t tid);

/* The chain that the records of a lane belong to now; NULL: no packet of it came yet. */
struct tk_edit_chain *tk_edit_chains_now(struct tk_edit_chains *c, uint32_t tid);

/* What was found of texts (texts/text_reader.h), by the first packet of a chain. */
void tk_edit_chains_found(struct tk_edit_chains *c, const uint8_t *found);

/* Is this packet to be written anew? Where its chain has a serial number from `shifted` on, too. */
bool tk_edit_chains_dirty(const struct tk_edit_chains *c, size_t packet, uint64_t shifted);

/* The second walk comes to a packet. */
void tk_edit_chains_follow(struct tk_edit_chains *c, size_t packet, uint32_t tid);

void tk_edit_chains_release(struct tk_edit_chains *c);

#endif
