/*
 * The walk of an edit: all packets of a .utrace in the order of the file, with every record of every lane. It
 * reads with all the tolerance of other readings; what it cannot read it says of the packet.
 */
#ifndef TK_EDIT_UTRACE_WALK_WALK_H
#define TK_EDIT_UTRACE_WALK_WALK_H

#include "edit/utrace/stages/stage.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/wire/packet_reader.h"

/* A packet that was walked over. */
struct tk_edit_packet {
    size_t index;
    const struct tk_ut_read_packet *read;
    const uint8_t *raw; /* as it stands in the file, read->head.stored bytes */
    bool sound;         /* all of it was read without a fault */
    bool open;          /* its last record goes on in the next packet of the lane */
    bool fed;       /* it holds records that were handed on: no sync, no declarations, no copy of another */
    bool copy;      /* the same as the one before: to be left out */
    uint64_t stamp; /* protocols 4 to 6: what the next stamp of the lane adds to */
};

struct tk_edit_walker {
    struct tk_edit_stage *first;
    int (*begin)(void *self, const struct tk_edit_packet *packet);
    int (*packet)(void *self, const struct tk_edit_packet *packet); /* after its records */
    int (*rest)(void *self); /* nothing is left of some packets in a row. May be NULL */
    void *self;
    const uint8_t *want; /* by type id, n_want: TK_UT_WANT_...: the events that are handed on; NULL: all */
    uint32_t n_want;
    const bool *passed; /* by packet: these come without their records. Borrowed; NULL: none */
};

/* Walks. Faults go to `health`. TK_OK or negative. */
int tk_edit_walk(struct tk_ut_capture *c, const struct tk_edit_walker *walker, struct tk_health *health,
                 struct tk_err *err);

#endif
