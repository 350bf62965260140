/*
 * The last stage of the first walk: counts what stays and what goes, and finds out which packets stay as they
 * are.
 */
#ifndef TK_EDIT_UTRACE_ACCOUNT_H
#define TK_EDIT_UTRACE_ACCOUNT_H

#include "edit/utrace/packet_chains.h"
#include "edit/utrace/serial_set.h"
#include "edit/utrace/stages/walk.h"

/* Events of a type. Bytes are unpacked ones. */
struct tk_edit_tally {
    uint64_t events, bytes, kept, kept_bytes, changed;
};

struct tk_edit_account {
    struct tk_edit_stage stage;
    struct tk_ut_capture *c;
    struct tk_edit_chains chains;
    struct tk_edit_serials serials;
    struct tk_edit_tally *types; /* by type id, n; owned */
    size_t n;
    bool *shifted_stamps; /* by tid: a stamp was left out since the last one that stays; owned */
    bool *left_scopes;    /* by tid: a scope record was left out; owned */
    uint64_t first;       /* lowest number of all events; 0: none has one */
    uint64_t lost;        /* events with a number that are left out */
    uint64_t gaps, incomplete, copies;
    uint8_t frame[4]; /* n_frame bytes of the head of a declaration, */
    uint8_t n_frame;
    uint32_t frame_left; /* and how much of it is still to come */
    bool declarations;   /* those of thread 0 have to be written anew */
    bool damaged;        /* something could not be read */
    bool in_order;       /* events are left out where they stand in their thread, */
    bool holds_places; /* and something takes the places of those with a number, so that others keep theirs */
    bool changes;      /* the result is not what was there */
};

int tk_edit_account_init(struct tk_edit_account *a, struct tk_ut_capture *c);

/* Hooks of the walker. */
int tk_edit_account_begin(void *self, const struct tk_edit_packet *packet);
int tk_edit_account_packet(void *self, const struct tk_edit_packet *packet);

/* The place of the chain that records of a lane belong to now (texts/text_reader.h). */
uint32_t tk_edit_account_place(void *self, uint32_t tid);

/* The end of the walk, whose faults are these. Settles which packets stay, and serial numbers. */
void tk_edit_account_close(struct tk_edit_account *a, const struct tk_health *health);

/* Packets of which nobody needs the records, as they and what their lane knows stay as they are: by place in
 * the index, owned by the caller; NULL: out of memory. Closed, and nothing is missing or there twice. */
bool *tk_edit_account_passed(const struct tk_edit_account *a);

void tk_edit_account_release(struct tk_edit_account *a);

/* Unpacked bytes of an event as it stands in its lane. */
uint64_t tk_edit_event_bytes(const struct tk_ut_event *ev);

#endif
