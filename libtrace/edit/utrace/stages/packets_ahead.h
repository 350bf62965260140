/*
 * The packets of a .utrace in stretches, in the order of the file: read and unpacked before the walk comes to
 * them, where there is a thread for that. Between the walk and format/utrace/wire.
 */
#ifndef TK_EDIT_UTRACE_WALK_PACKETS_AHEAD_H
#define TK_EDIT_UTRACE_WALK_PACKETS_AHEAD_H

#include "format/utrace/feed/capture_state.h"
#include "format/utrace/wire/packet_reader.h"
#include "io/scratch/readahead.h"

enum { TK_EDIT_STRETCHES = 3 };

struct tk_edit_stretch {
    struct tk_ut_packet_run run;
    size_t first, n; /* places in the index */
};

struct tk_edit_packets_ahead {
    struct tk_ut_capture *c; /* borrowed */
    struct tk_edit_stretch v[TK_EDIT_STRETCHES];
    size_t next, taken; /* packets that were asked for, stretches that were given back */
    int rc;             /* why nothing more comes: not TK_OK where it could not be read, */
    struct tk_err err;  /* and what is to be said of it */
    struct tk_readahead readahead;
};

/* passed: as in tk_ut_packet_run; borrowed. It must not move until it is closed. */
void tk_edit_packets_open(struct tk_edit_packets_ahead *a, struct tk_ut_capture *c, const bool *passed);

/* The next stretch, good until it is given back; NULL: there is none. */
struct tk_edit_stretch *tk_edit_packets_take(struct tk_edit_packets_ahead *a);
void tk_edit_packets_give_back(struct tk_edit_packets_ahead *a);

void tk_edit_packets_close(struct tk_edit_packets_ahead *a);

#endif
